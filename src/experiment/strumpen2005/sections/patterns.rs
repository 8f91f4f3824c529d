//! Permutations against random traffic, and many messages to one node.

use super::{Context, half_width_95, is_less};
use crate::analytic::rounds::mixed_rounds;
use crate::analytic::tally::Tally;
use crate::diagnostic::Report;
use crate::experiment::check::{Measured, Quantity};
use crate::experiment::page::{Part, Section, Table};
use crate::experiment::points::{Samples, Statistic, Wanted};
use crate::experiment::strumpen2005::figures::permutation;
use crate::experiment::strumpen2005::{Run, Traffic};

const PERMUTATIONS: [Traffic; 3] = [
    Traffic::Transpose,
    Traffic::BitReversal,
    Traffic::CyclicShift(1),
];

fn counted(id: String, source: &str, printed: u64, found: u64) -> Quantity {
    let found = Measured::exact(found);
    Quantity::new(id, source, printed)
        .simulated(Some(found))
        .judged(None)
}

/// The section on permutations.
pub(super) fn permutations(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Permutations against random traffic");
    section.text(
        "The paper says that these three permutations with m = n take strictly fewer rounds on \
         average than random traffic, and strictly more than the same permutation with fewer \
         messages. A size counts against a claim when the difference is more than three standard \
         errors; a mean without ± is of a single replicate, and decides nothing.",
    );
    let mut table = Table::new(
        "Mean rounds ± 95 %; m = n/2: from randomly chosen sources",
        [
            "n",
            "random",
            "transpose",
            "m = n/2",
            "bit reversal",
            "m = n/2",
            "cyclic shift",
            "m = n/2",
        ],
    );
    let (mut slower, mut faster) = ([0_u64; 3], [0_u64; 3]);
    let (mut fewer, mut sizes) = (0, 0);
    let shown = |tally: &Tally| match half_width_95(tally) {
        half if half.is_finite() => format!("{:.3} ± {half:.3}", tally.mean()),
        _ => format!("{:.0}", tally.mean()),
    };
    for levels in context.sizes.levels(4).filter(|levels| levels % 2 == 0) {
        let nodes = 1u32 << levels;
        let rounds = |samples: Samples| samples.of(Statistic::Rounds);
        let wanted = context.sizes.wanted(levels, Statistic::Rounds);
        let random = rounds(context.point(&Run::rounds(levels, nodes).spec(wanted))?);
        sizes += 1;
        let mut cells = Vec::new();
        for (at, traffic) in PERMUTATIONS.into_iter().enumerate() {
            let mut of = |messages| {
                let run = Run {
                    traffic,
                    ..Run::rounds(levels, messages)
                };
                let spec = permutation(&run, context.sizes, Statistic::Rounds);
                context.point(&spec).map(rounds)
            };
            let all = of(nodes)?;
            slower[at] += u64::from(is_less(&random, &all));
            faster[at] += u64::from(is_less(&all, &random));
            cells.push(shown(&all));
            cells.push(match levels <= 12 {
                true => {
                    let half = of(nodes / 2)?;
                    fewer += u64::from(is_less(&all, &half));
                    shown(&half)
                }
                false => "not run".into(),
            });
        }
        let [a, b, c, d, e, f] = <[String; 6]>::try_from(cells).expect("two for each of three");
        table.row([nodes.to_string(), shown(&random), a, b, c, d, e, f]);
    }
    section.parts.push(Part::Table(table));
    for (at, traffic) in PERMUTATIONS.into_iter().enumerate() {
        let name = traffic.name().replace('-', "_");
        section.text(format!(
            "{}: faster than random traffic at {} of {sizes} sizes, by more than three standard \
             errors; slower at {}.",
            traffic.name(),
            faster[at],
            slower[at]
        ));
        let id = format!("sizes_of_{sizes}_with_{name}_slower_than_random");
        let source = "S&K 2005, section 7, Figs. 6, 7";
        section.quantities.push(counted(id, source, 0, slower[at]));
    }
    let source = "S&K 2005, section 7, Figs. 6, 7; three permutations, m = n/2";
    let id = "sizes_with_half_of_the_messages_slower".into();
    section.quantities.push(counted(id, source, 0, fewer));
    Ok(section)
}

/// The section on messages to one node.
pub(super) fn sequential(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Many messages to one node, and mixed traffic");
    section.text(
        "m messages to one node take m rounds: the node receives one at a time, and one always \
         passes. The conjecture of section 7 is that m1 such messages beside mr random ones take \
         O(m1 + lg mr) rounds; the sum is shown without a factor.",
    );
    let mut table = Table::new("Messages to node 0, n = 64", ["m", "rounds", "replicates"]);
    for messages in [1, 2, 7, 16, 63] {
        let run = Run {
            traffic: Traffic::HotSpot { random: 0 },
            ..Run::rounds(6, messages)
        };
        let spec = run.spec(Wanted::exactly(32, Statistic::Rounds));
        let tally = context.point(&spec)?.of(Statistic::Rounds);
        table.row([
            messages.to_string(),
            format!("{:.3}", tally.mean()),
            tally.count().to_string(),
        ]);
        let id = format!("rounds_of_{messages}_messages_to_one_node");
        let quantity = Quantity::new(id, "S&K 2005, section 7", f64::from(messages));
        let simulated = Measured::mean(&tally);
        section
            .quantities
            .push(quantity.simulated(Some(simulated)).judged(None));
    }
    section.parts.push(Part::Table(table));
    mixed(context, &mut section)?;
    Ok(section)
}

/// Messages to one node beside random ones.
fn mixed(context: &mut Context, section: &mut Section) -> Result<(), Report> {
    let levels = if context.is_quick() { 6 } else { 10 };
    let nodes = 1u32 << levels;
    let mut table = Table::new(
        format!("m1 messages to node 0 beside mr random ones, n = {nodes}"),
        ["m1", "mr", "rounds", "± 95 %", "most", "m1 + lg mr"],
    );
    let (mut above, mut all) = (0, 0);
    for sequential in [1, 4, 16] {
        for random in [nodes / 16, nodes / 4, nodes / 2] {
            let run = Run {
                traffic: Traffic::HotSpot { random },
                ..Run::rounds(levels, sequential)
            };
            let wanted = Wanted {
                least: 64,
                most: 256,
                ..context.sizes.wanted(levels, Statistic::Rounds)
            };
            let tally = context.point(&run.spec(wanted))?.of(Statistic::Rounds);
            let bound = mixed_rounds(sequential.into(), random.into());
            above += u64::from(tally.mean() - 3.0 * tally.standard_error() > bound);
            all += 1;
            table.row([
                sequential.to_string(),
                random.to_string(),
                format!("{:.3}", tally.mean()),
                format!("{:.3}", half_width_95(&tally)),
                tally.max().to_string(),
                format!("{bound:.2}"),
            ]);
        }
    }
    section.parts.push(Part::Table(table));
    let id = format!("mixed_means_above_m1_plus_lg_mr_of_{all}");
    let source = "S&K 2005, section 7, conjecture, with the factor 1";
    section.quantities.push(counted(id, source, 0, above));
    Ok(())
}
