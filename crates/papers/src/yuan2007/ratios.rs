//! Oblivious performance ratios: table I, theorem 6 and lemma 8.

use num_rational::Ratio;

use super::{PAPER, print};
use crate::cases::Cases;
use crate::effort::Effort;
use crate::quantity::Quantity;
use crosswave_base::diagnostic::Error;
use crosswave_oblivious::bounds::{self, lemma_8};
use crosswave_oblivious::ratio::oblivious_ratio;
use crosswave_oblivious::routing::drawn::Drawn;
use crosswave_oblivious::routing::every_path::EveryPath;
use crosswave_oblivious::routing::grouped::{Osrm2, Osrm2Index, Osrm3};
use crosswave_oblivious::routing::modulo::{Chooser, Modulo};
use crosswave_oblivious::routing::widest::Widest;
use crosswave_oblivious::routing::{Routing, RoutingError};
use crosswave_oblivious::tree::PortTree;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// Ports of the largest trees of two levels, of 512 nodes.
const PORTS_MAX_2: u32 = 32;
/// Seeds of routings whose pairs draw their paths.
const DRAWN: u64 = 5;
/// Networks of lemma 8 that are small enough to try all: m, k and X.
const LEMMA_8: [(u32, u32, u32); 3] = [(4, 4, 1), (4, 5, 1), (6, 3, 2)];

/// Ports of the largest trees of three levels, of 432 or 3,456 nodes.
fn ports_max_3(effort: Effort) -> u32 {
    match effort {
        Effort::Formulas | Effort::Quick => 12,
        Effort::All => 24,
    }
}

/// The same for OMRMN, whose links all carry all pairs: 128 or 1,024 nodes.
fn ports_max_3_every_path(effort: Effort) -> u32 {
    match effort {
        Effort::Formulas | Effort::Quick => 8,
        Effort::All => 16,
    }
}

fn from_4(ports_max: u32) -> impl Iterator<Item = u32> {
    (4..=ports_max).step_by(2)
}

fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    values.join(", ")
}

fn tree(ports: u32, levels: u32) -> PortTree {
    PortTree::new(ports, levels).expect("trees of the paper are within the limits")
}

type Made = Result<Box<dyn Routing>, RoutingError>;

/// The exact ratios of a routing on trees of so many levels.
fn ratios(
    ports: impl IntoIterator<Item = u32>,
    levels: u32,
    make: fn(PortTree) -> Made,
    watch: &mut dyn Watch,
) -> Result<Vec<Ratio<u64>>, Error> {
    let mut found = Vec::new();
    for ports in ports {
        check_cancelled(watch)?;
        let routing = make(tree(ports, levels)).expect("only trees that have the routing");
        watch.begins(&format!("{} on {}", routing.name(), routing.tree()));
        found.push(oblivious_ratio(&*routing, 0).ratio);
    }
    Ok(found)
}

fn every_path(tree: PortTree) -> Made {
    Ok(Box::new(EveryPath::new(tree)))
}

fn osrm2(tree: PortTree) -> Made {
    Ok(Box::new(Osrm2::new(tree, Osrm2Index::Corrected)?))
}

fn osrm3(tree: PortTree) -> Made {
    Ok(Box::new(Osrm3::new(tree)?))
}

fn mlid(tree: PortTree) -> Made {
    Ok(Box::new(Modulo::mlid(tree)))
}

fn widest(tree: PortTree) -> Made {
    Ok(Box::new(Widest::new(tree)))
}

/// The formulas that table I prints for a routing on trees of some number of levels.
struct Entry {
    id: &'static str,
    levels: u32,
    ports_max: u32,
    make: fn(PortTree) -> Made,
    printed: fn(u32) -> u32,
}

/// All quantities of this file.
///
/// # Errors
/// When someone asks to stop.
pub fn quantities(effort: Effort, watch: &mut dyn Watch) -> Result<Vec<Quantity>, Error> {
    let entry = |id, levels, make, printed| Entry {
        id,
        levels,
        ports_max: match levels {
            2 => PORTS_MAX_2,
            _ => ports_max_3(effort),
        },
        make,
        printed,
    };
    let table = [
        entry(
            "omrmn_ft_m_2_ratio",
            2,
            every_path as fn(_) -> _,
            print::omrmn as fn(_) -> _,
        ),
        Entry {
            ports_max: ports_max_3_every_path(effort),
            ..entry("omrmn_ft_m_3_ratio", 3, every_path, print::omrmn)
        },
        entry("osrm3_ft_m_3_ratio", 3, osrm3, print::half),
        entry("mlid_ft_m_2_ratio", 2, mlid, print::half),
        entry("mlid_ft_m_3_ratio", 3, mlid, print::mlid_and_wsr_3),
        entry("wsr_ft_m_2_ratio", 2, widest, print::half),
        entry("wsr_ft_m_3_ratio", 3, widest, print::mlid_and_wsr_3),
    ];
    let mut all = Vec::new();
    for entry in table {
        let ports = || from_4(entry.ports_max);
        let printed = list(ports().map(entry.printed));
        let found = ratios(ports(), entry.levels, entry.make, watch)?;
        let quantity = Quantity::new(entry.id, format!("{PAPER}, table I"), printed)
            .named(format!("{}, m = 4, 6, …", entry.id.replace('_', " ")))
            .analytic(list(found));
        all.push(quantity.judged(None));
    }
    all.extend(groups(watch)?);
    all.extend(bounded(watch)?);
    all.push(lemma());
    Ok(all)
}

/// OSRM2 where m/2 is a square and where not, and where its index as printed leads.
fn groups(watch: &mut dyn Watch) -> Result<Vec<Quantity>, Error> {
    let is_square = |ports: &u32| (ports / 2).isqrt().pow(2) == ports / 2;
    let has = |index| move |ports: &u32| Osrm2::new(tree(*ports, 2), index).is_ok();
    let all = || from_4(PORTS_MAX_2);

    let squares = || all().filter(is_square);
    let integral = Quantity::new(
        "osrm2_square_ratio",
        format!("{PAPER}, table I and theorem 6"),
        list(squares().map(print::osrm2)),
    )
    .named("osrm2 on FT(m, 2), m = 8, 18, 32")
    .analytic(list(ratios(squares(), 2, osrm2, watch)?))
    .judged(None);

    let others = || {
        all()
            .filter(has(Osrm2Index::Corrected))
            .filter(move |ports| !is_square(ports))
    };
    let printed = others().map(|ports| format!("{:.2}", print::osrm2(ports)));
    let rounded = Quantity::new(
        "osrm2_other_ratio",
        format!("{PAPER}, table I"),
        list(printed),
    )
    .named("osrm2 on FT(m, 2), other m that have it")
    .analytic(list(ratios(others(), 2, osrm2, watch)?))
    .judged(Some(
        "single paths have a whole ratio, and groups of unlike sizes the larger of them: with \
         Z_d in the place of N_d in the index"
            .into(),
    ));

    let missing = |index| {
        let missing = list(all().filter(|ports| !has(index)(ports)));
        if missing.is_empty() {
            "none".to_owned()
        } else {
            missing
        }
    };
    let index = Quantity::claimed(
        "osrm2_missing_ports",
        format!("{PAPER}, figure 9"),
        "none".to_owned(),
    )
    .named("m up to 32 for which osrm2 as printed names switches that are not there")
    .analytic(missing(Osrm2Index::Printed))
    .judged(Some(format!(
        "(s_1 / N_s) N_d must be (s_1 / N_s) Z_d, which is the same where m/2 is a square; even so m = {} \
         have too few top switches for all pairs of groups",
        missing(Osrm2Index::Corrected)
    )));
    Ok(vec![integral, rounded, index])
}

/// Theorems 3 to 5: no routing of single paths is better than the bound. Those that have a name are tried,
/// and paths that each pair draws.
fn bounded(watch: &mut dyn Watch) -> Result<Vec<Quantity>, Error> {
    type Bound = fn(PortTree) -> f64;
    let theorems: [(u32, u32, &[u32], Bound); 3] = [
        (3, 2, &[4, 6, 8, 12, 16], |tree| {
            bounds::theorem_3(tree.ports())
        }),
        (4, 3, &[4, 6, 8], |tree| {
            bounds::theorem_4(tree.ports()).into()
        }),
        (5, 4, &[4, 6], |tree| bounds::theorem_5(tree).into()),
    ];
    let mut quantities = Vec::new();
    for (theorem, levels, ports, bound) in theorems {
        let mut cases = Cases::default();
        for &ports in ports {
            let tree = tree(ports, levels);
            let drawn = (1..=DRAWN).map(|seed| Box::new(Drawn::new(tree, 1, seed)) as _);
            let known: [Made; 4] = [mlid(tree), widest(tree), osrm2(tree), osrm3(tree)];
            let destination = Modulo::new(tree, Chooser::Destination, 1);
            let mut routings: Vec<Box<dyn Routing>> = known.into_iter().flatten().collect();
            routings.push(Box::new(destination));
            for routing in routings.into_iter().chain(drawn) {
                check_cancelled(watch)?;
                watch.begins(&format!("{} on {tree}", routing.name()));
                let ratio = oblivious_ratio(&*routing, 0).ratio;
                cases.add(*ratio.numer() as f64 >= bound(tree) * *ratio.denom() as f64);
            }
        }
        let quantity = cases
            .claim(
                format!("theorem_{theorem}_holds_routings"),
                format!("{PAPER}, theorem {theorem}"),
            )
            .named(format!(
                "trees of {levels} levels and routings of single paths whose ratio is no less than the bound"
            ))
            .analytic(cases.kept());
        quantities.push(quantity.judged(None));
    }
    Ok(quantities)
}

/// Lemma 8 on networks that are small enough to try all.
fn lemma() -> Quantity {
    let bounds = LEMMA_8.map(|(m, k, disjoint)| lemma_8::bound(m, k, disjoint));
    let found = LEMMA_8.map(|(m, k, disjoint)| lemma_8::most_pairs(m, k, disjoint));
    let shown = |values: [Option<u32>; 3]| {
        list(values.map(|value| value.map_or("-".to_owned(), |value| value.to_string())))
    };
    Quantity::claimed("lemma_8_pairs", format!("{PAPER}, lemma 8"), shown(bounds))
        .named("most pairs through one switch, (m, k, X) = (4, 4, 1), (4, 5, 1), (6, 3, 2)")
        .enumerated(shown(found))
        .judged(None)
}
