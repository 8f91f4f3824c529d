//! Total exchange: section 5.

use super::print;
use super::study::{Study, TreeKind, list, operation_steps, shown, steps};
use crate::cases::Cases;
use crate::quantity::Quantity;
use crosswave_base::diagnostic::Error;
use crosswave_collectives::bounds;
use crosswave_collectives::operation::{Exchange, Operation};
use crosswave_collectives::schedule::Destination;
use crosswave_collectives::total_exchange::by_xor_steps;
use crosswave_collectives::tree::{BinaryFatTree, meeting_level};

/// The paper, as sources name it.
const PAPER: &str = "Dimakopoulos & Dimopoulos 1994";
/// Levels of the tree in which messages and XOR steps are counted.
const LEVELS: u32 = 6;
/// Capacities that grow faster than they can be filled.
const STEEP: [u32; 5] = [1, 1, 4, 8, 8];
/// Levels of the trees for which lemma 3 is held against the sharper bound.
const LEMMA_LEVELS: u32 = 20;
/// Levels of the tree in which inequality 4 is looked at: the paper's lg lg n + 1 is 4.3.
const INEQUALITY_LEVELS: u32 = 10;

fn of(section: &str) -> String {
    format!("{PAPER}, {section}")
}

fn nodes(levels: u32) -> u64 {
    1 << levels
}

/// The capacities of a tree, for the printed equations.
fn capacities(tree: &BinaryFatTree) -> Vec<u64> {
    (1..=tree.levels())
        .map(|level| tree.capacity(level).into())
        .collect()
}

/// Equations 1 and 2 on both trees.
///
/// # Errors
/// When someone asks to stop.
pub fn phases(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    /// An equation by its number, its print, its formula, and the way in which it is made.
    type Equation = (u32, fn(&[u64]) -> u64, fn(&BinaryFatTree) -> u64, Exchange);
    const EQUATIONS: [Equation; 2] = [
        (
            1,
            print::equation_1,
            bounds::total_exchange_serial,
            Exchange::Serial,
        ),
        (
            2,
            print::equation_2,
            bounds::total_exchange_pipelined,
            Exchange::Pipelined,
        ),
    ];
    let max = study.levels_max();
    let mut all = Vec::new();
    for (number, printed, formula, way) in EQUATIONS {
        for kind in [TreeKind::Constant, TreeKind::Exponential] {
            let name = kind.name();
            let quantity = Quantity::claimed(
                format!("equation_{number}_{}_steps", name.to_lowercase()),
                of(&format!("equation {number}")),
                list(1..=max, |d| printed(&capacities(&kind.tree(d)))),
            )
            .named(format!(
                "total exchange by equation {number}, {name}, n = 2, 4, …"
            ))
            .analytic(list(1..=max, |d| formula(&kind.tree(d))))
            .simulated(study.steps(1..=max, kind, Operation::TotalExchange(way))?);
            all.push(quantity.judged(None));
        }
    }
    Ok(all)
}

/// The closed forms that the paper derives from equation 2. Schedules of it are above.
///
/// # Errors
/// When someone asks to stop.
pub fn closed_forms(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    let max = study.levels_max();
    let cbft = Quantity::claimed(
        "closed_form_cbft_steps",
        of("section 5"),
        list(1..=max, |d| print::cbft(nodes(d), d.into())),
    )
    .named("(n² − 1)/3 + 2 lg n − 1, n = 2, 4, …")
    .analytic(list(1..=max, |d| {
        bounds::total_exchange_pipelined(&TreeKind::Constant.tree(d))
    }));
    let ebft = Quantity::claimed(
        "closed_form_ebft_steps",
        of("equation 3"),
        list(1..=max, |d| print::equation_3(nodes(d), d.into())),
    )
    .named("n + 2 lg n − 2, n = 2, 4, …")
    .analytic(list(1..=max, |d| {
        bounds::total_exchange_pipelined(&TreeKind::Exponential.tree(d))
    }));
    let steps = 1..1u32 << LEVELS;
    let xor = Quantity::claimed(
        "xor_steps_without_contention_n64",
        of("section 5"),
        steps.len().to_string(),
    )
    .named("XOR steps that do not contend on the EBFT, n = 64")
    .analytic(steps.len().to_string())
    .simulated(study.measure("XOR steps", || {
        let tree = TreeKind::Exponential.tree(LEVELS);
        let free = steps.clone().filter(|&k| {
            let found = self::steps(&tree, &by_xor_steps(&tree, &[(1, k)]), false);
            found == Ok(2 * u64::from(meeting_level(0, k)))
        });
        free.count()
    })?);
    Ok(vec![cbft.judged(None), ebft.judged(None), xor.judged(None)])
}

/// Both equations where the branches below cannot fill a branch.
///
/// # Errors
/// When someone asks to stop.
pub fn steep(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    let tree = BinaryFatTree::with_capacities(STEEP.to_vec()).expect("they rise");
    let why = "a branch passes no more than the branches below it bring: with e_1 = c_1 and \
               e_i = min(c_i, 2 e_(i-1)) in the place of c_i the equations hold for all capacities";
    let equations = [
        (1, print::equation_1(&capacities(&tree)), Exchange::Serial),
        (
            2,
            print::equation_2(&capacities(&tree)),
            Exchange::Pipelined,
        ),
    ];
    let mut all = Vec::new();
    for (number, printed, way) in equations {
        let operation = Operation::TotalExchange(way);
        let quantity = Quantity::claimed(
            format!("equation_{number}_steep_steps"),
            of(&format!("equation {number}")),
            printed.to_string(),
        )
        .named(format!("equation {number} with capacities 1, 1, 4, 8, 8"))
        .analytic(operation.steps(&tree).to_string())
        .simulated(
            study.measure(&format!("equation {number} with steep capacities"), || {
                shown(operation_steps(&tree, operation))
            })?,
        );
        all.push(quantity.judged(Some(why.into())));
    }
    Ok(all)
}

/// Messages of the first phase.
///
/// # Errors
/// When someone asks to stop.
pub fn loops(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    let found = study.measure("messages of a phase", || {
        let tree = TreeKind::Constant.tree(LEVELS);
        let schedule = Operation::TotalExchange(Exchange::Serial).schedule(&tree);
        schedule.map_or(0, |schedule| {
            let half = tree.processors() / 2;
            let packets = schedule
                .packets
                .iter()
                .filter(|packet| packet.source < half);
            let crosses = |to| matches!(to, Destination::Processor(to) if to >= half);
            packets.filter(|packet| crosses(packet.destination)).count()
        })
    })?;
    let why = "the loops are printed with both bounds included; they end one earlier, at 2^(h-1) - 1 \
               for k and l, and at 2^i - 1 for j";
    let quantity = Quantity::claimed(
        "messages_of_phase_0_n64",
        of("section 5"),
        print::messages_of_loops(LEVELS.into()).to_string(),
    )
    .named("messages from the left half to the right one in phase 0, n = 64")
    .analytic((nodes(LEVELS) / 2).pow(2).to_string())
    .simulated(found)
    .judged(Some(why.into()));
    Ok(vec![quantity])
}

/// The fewest steps: table 1 and the conjecture.
///
/// # Errors
/// When someone asks to stop.
pub fn least(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    let max = study.levels_max();
    let exchange = Operation::TotalExchange;
    let why = "the bound is not tight, as the paper says: a link up to the root is idle for lg n - 1 steps \
               before its first packet, and its last one has lg n links before it; with these \
               2 lg n - 1 steps the bound is attained, by exchanging quarters";
    let cbft = Quantity::claimed(
        "least_cbft_steps",
        of("table 1"),
        list(1..=max, |d| print::table_1(nodes(d), 1)),
    )
    .named("least steps of total exchange, CBFT, n = 2, 4, …")
    .analytic(list(1..=max, |d| {
        bounds::total_exchange_channel_bound(&TreeKind::Constant.tree(d))
    }))
    .simulated(study.steps(1..=max, TreeKind::Constant, exchange(Exchange::Quartered))?)
    .judged(Some(why.into()));
    let small = Quantity::claimed(
        "conjecture_small_steps",
        of("section 5.1"),
        list(1..=2, |d| print::equation_3(nodes(d), d.into())),
    )
    .named("least steps of total exchange, EBFT, n = 2, 4")
    .analytic(list(1..=2, bounds::total_exchange_latency_bound))
    .simulated(study.steps(1..=2, TreeKind::Exponential, exchange(Exchange::Pipelined))?)
    .judged(None);
    let why = "the conjecture is false from n = 8 on: XOR steps of levels lg n - 1 and lg n - 2 among \
               those of level lg n take n + 2 lg n - 3 steps, and the sum of all steps in which \
               processors send and receive shows that none takes fewer";
    let ebft = Quantity::claimed(
        "conjecture_steps",
        of("section 5.1"),
        list(3..=max, |d| print::equation_3(nodes(d), d.into())),
    )
    .named("least steps of total exchange, EBFT, n = 8, 16, …")
    .analytic(list(3..=max, bounds::total_exchange_latency_bound))
    .simulated(study.steps(
        3..=max,
        TreeKind::Exponential,
        exchange(Exchange::Interleaved),
    )?)
    .judged(Some(why.into()));
    Ok(vec![cbft, small, ebft])
}

/// Lemma 3 and what it comes from. Nothing is simulated: they are bounds.
pub fn lemma() -> Vec<Quantity> {
    let d = INEQUALITY_LEVELS;
    let inequality = Quantity::claimed(
        "equation_6_n1024_steps",
        of("equation 6"),
        (print::lemma_3(nodes(d), d.into()) * 10.0).round() / 10.0,
    )
    .within(0.5)
    .named("the bound of lemma 3, n = 1,024")
    .analytic(bounds::total_exchange_inequality4(d));
    let why = "the i = lg lg n + 1 of equation 6 is no whole number, and inequality 5 drops what equation 6 could keep: \
               inequality 4 over whole i gives more, as it does at n = 4 (5 for 4)";
    let sizes: Cases = (1..=LEMMA_LEVELS)
        .map(|d| {
            bounds::total_exchange_latency_bound(d)
                >= print::lemma_3(nodes(d), d.into()).ceil() as u64
        })
        .collect();
    let holds = sizes
        .claim("lemma_3_holds_sizes", of("lemma 3"))
        .named("sizes from 2 to 1,048,576 at which lemma 3 is no more than the least steps")
        .analytic(sizes.kept());
    let least = bounds::total_exchange_latency_bound(d);
    let far = bounds::total_exchange_pipelined(&TreeKind::Exponential.tree(d)) - least;
    let close = Quantity::between(
        "above_least_n1024_steps",
        of("section 5.1"),
        (0.0, (2.0 * f64::from(d).log2()).floor()),
    )
    .named("steps of equation 3 above the least, n = 1,024")
    .analytic(far);
    vec![
        inequality.judged(Some(why.into())),
        holds.judged(None),
        close.judged(None),
    ]
}
