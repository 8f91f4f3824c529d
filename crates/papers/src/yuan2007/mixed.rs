//! Clusters that section VI has beside its figures: of random sizes, with a regular pattern in each, and with
//! random traffic in each.
//!
//! The paper gives no numbers of them. It says that OSRM is comparable to MLID and WSR or better on average, that
//! the improvement on FT(m, 2) is noticeable, and that on FT(m, 3) it is small. Sizes and probabilities are
//! assumed.

use super::PAPER;
use super::averages::{DIFFERENCE_INSTANCES, SEED, grouped, measured, tree};
use crate::order::Order;
use crate::quantity::Quantity;
use crosswave_base::diagnostic::Error;
use crosswave_oblivious::average::{Average, average, ratios_together};
use crosswave_oblivious::routing::modulo::Modulo;
use crosswave_oblivious::traffic::TrafficPattern;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// The patterns, with a part of their names.
const PATTERNS: [(&str, TrafficPattern); 3] = [
    (
        "random_sizes",
        TrafficPattern::ClustersOfRandomSize { most: 32 },
    ),
    (
        "patterns",
        TrafficPattern::ClustersWithPatterns { size: 16 },
    ),
    (
        "pairs",
        TrafficPattern::ClustersWithPairs {
            size: 16,
            probability: 0.5,
        },
    ),
];

/// OSRM over MLID, instance by instance.
fn quotient(of: (u32, u32), pattern: TrafficPattern) -> Average {
    let tree = tree(of);
    let (mlid, grouped) = (Modulo::mlid(tree), grouped(tree));
    let both = ratios_together(&[&mlid, &*grouped], pattern, SEED, 0..DIFFERENCE_INSTANCES);
    let both = both.expect("the patterns fit the trees");
    let quotients = both[1].iter().zip(&both[0]).map(|(a, b)| a / b);
    average(&quotients.collect::<Vec<f64>>())
}

/// The claims about them, first that OSRM2 is better.
///
/// # Errors
/// When someone asks to stop.
pub fn quantities(watch: &mut dyn Watch) -> Result<Vec<Quantity>, Error> {
    let source = format!("{PAPER}, section VI");
    let mut better = Order::default();
    let mut similar = Vec::new();
    for (name, pattern) in PATTERNS {
        check_cancelled(watch)?;
        watch.begins(&format!("{pattern} on FT(32, 2) and FT(8, 3)"));
        let on_2 = quotient((32, 2), pattern);
        better.difference(1.0 - on_2.mean, on_2.standard_error);
        let on_3 = quotient((8, 3), pattern);
        for (routing, tree, found) in [("osrm2", "FT(32, 2)", on_2), ("osrm3", "FT(8, 3)", on_3)] {
            let id = format!("clusters_with_{name}_{routing}_over_mlid");
            let name = format!(
                "{pattern} on {tree}, {} over MLID: comparable, or somewhat better",
                routing.to_uppercase()
            );
            let quantity = Quantity::between(id, &source, (0.9, 1.03)).named(name);
            similar.push(quantity.simulated(Some(measured(found))).judged(None));
        }
    }
    let better = better
        .quantity("mixed_clusters_osrm2_below_mlid_patterns", &source, None)
        .named("kinds of mixed clusters on FT(32, 2) in which OSRM2 is better than MLID");
    Ok(std::iter::once(better).chain(similar).collect())
}
