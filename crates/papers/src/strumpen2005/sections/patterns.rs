//! Permutations against random traffic, and many messages to one node.

use super::context::{StrumpenContext, with_interval};
use crate::order::Order;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity, Verdict};
use crate::strumpen2005::figures::permutation;
use crate::strumpen2005::run::{Run, RunTraffic};
use crosswave_analytic::rounds::mixed_rounds;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::Tally;
use crosswave_base::statistics::half_width_95;
use crosswave_observe::points::{PointStopRule, Samples, Statistic};

const PERMUTATIONS: [RunTraffic; 3] = [
    RunTraffic::Transpose,
    RunTraffic::BitReversal,
    RunTraffic::CyclicShift(1),
];

/// The section on permutations.
pub(super) fn permutations(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Permutations against random traffic");
    section.text(
        "The paper says that these three permutations with m = n take strictly fewer rounds on \
         average than random traffic, and strictly more than the same permutation with fewer \
         messages. A size speaks for a claim, or against it, when the difference is more than three \
         standard errors; a mean without ± is of a single replicate, and decides nothing. A claim is \
         undecided when no size speaks against it and some decide nothing.",
    );
    let mut table = PageTable::new(
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
    let mut orders = Orders::default();
    for levels in context.sizes.levels(4).filter(|levels| levels % 2 == 0) {
        table.row(orders.compare(levels, context)?);
    }
    section.parts.push(PagePart::Table(table));
    Claimed {
        about: "Permutations against random traffic",
        paper: "strictly fewer rounds than with random destinations, on average",
        id: "faster_than_random",
        name: "takes fewer rounds than random traffic",
        orders: orders.faster,
    }
    .put(&mut section);
    Claimed {
        about: "Permutations with fewer messages",
        paper: "strictly fewer rounds than with m = n; here with m = n/2",
        id: "faster_with_half_of_the_messages",
        name: "takes fewer rounds with half of the messages",
        orders: orders.fewer,
    }
    .put(&mut section);
    Ok(section)
}

/// The orders that the paper claims of each of [`PERMUTATIONS`].
#[derive(Default)]
struct Orders {
    /// Fewer rounds than random traffic.
    faster: [Order; 3],
    /// Fewer rounds with half of the messages.
    fewer: [Order; 3],
}

impl Orders {
    /// Compares mean rounds in a tree of so many levels: a row of the table.
    fn compare(
        &mut self,
        levels: u32,
        context: &mut StrumpenContext,
    ) -> Result<[String; 8], Error> {
        let nodes = 1u32 << levels;
        let shown = |tally: &Tally| with_interval(tally, 3);
        let rounds = |samples: Samples| samples.of(Statistic::Rounds);
        let wanted = context.sizes.wanted(levels, Statistic::Rounds);
        let random = rounds(context.point(&Run::rounds(levels, nodes).spec(wanted))?);
        let mut cells = vec![nodes.to_string(), shown(&random)];
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
            self.faster[at].below(&all, &random);
            cells.push(shown(&all));
            cells.push(match levels <= 12 {
                true => {
                    let half = of(nodes / 2)?;
                    self.fewer[at].below(&half, &all);
                    shown(&half)
                }
                false => "not run".into(),
            });
        }
        Ok(cells.try_into().expect("two, and two for each of three"))
    }
}

/// A claim of the paper about each of [`PERMUTATIONS`].
struct Claimed {
    about: &'static str,
    paper: &'static str,
    /// The end of the identifiers of its quantities.
    id: &'static str,
    /// The behaviour claimed of each permutation.
    name: &'static str,
    /// The orders that were found.
    orders: [Order; 3],
}

impl Claimed {
    /// Adds the claim to a section, with a quantity for each permutation.
    fn put(self, section: &mut Section) {
        let source = "S&K 2005, section 7, Figs. 6, 7; one-sided, by three standard errors";
        let found = || PERMUTATIONS.into_iter().zip(self.orders);
        let quantities = found().map(|(traffic, order)| {
            let traffic = traffic.name();
            let id = format!("sizes_with_{}_{}", traffic.replace('-', "_"), self.id);
            let quantity = order.quantity(id, source, None);
            quantity.named(format!("sizes at which {traffic} {}", self.name))
        });
        let words = found();
        let words = words.map(|(traffic, order)| format!("{}: {}", traffic.name(), order.words()));
        let words: Vec<String> = words.collect();
        section.claim(
            self.about,
            self.paper,
            format!("sizes with fewer rounds: {}", words.join("; ")),
            quantities.collect(),
        );
    }
}

/// The section on messages to one node.
pub(super) fn sequential(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Many messages to one node, and mixed traffic");
    section.text(
        "The paper says that m messages to one node take m rounds: the node receives one at a time, and \
         one always passes. Its conjecture of section 7 is that m1 such messages beside mr random ones take \
         O(m1 + lg mr) rounds; here the sum is held against the rounds without a factor.",
    );
    let mut table = PageTable::new("Messages to node 0, n = 64", ["m", "rounds", "replicates"]);
    let mut quantities = Vec::new();
    for messages in [1, 2, 7, 16, 63] {
        let run = Run {
            traffic: RunTraffic::HotSpot { random: 0 },
            ..Run::rounds(6, messages)
        };
        let spec = run.spec(PointStopRule::exactly(32, Statistic::Rounds));
        let tally = context.point(&spec)?.of(Statistic::Rounds);
        table.row([
            messages.to_string(),
            format!("{:.3}", tally.mean()),
            tally.count().to_string(),
        ]);
        let id = format!("rounds_of_{messages}_messages_to_one_node");
        let quantity = Quantity::claimed(id, "S&K 2005, section 7", f64::from(messages))
            .named(format!("rounds of m messages to one node, m = {messages}"))
            .simulated(Some(MeasuredValue::mean(&tally)));
        quantities.push(quantity.judged(None));
    }
    section.parts.push(PagePart::Table(table));
    let exactly = quantities
        .iter()
        .filter(|q| q.verdict == Verdict::Reproduced);
    let found = format!(
        "m rounds in every replicate for {} of {} numbers of messages",
        exactly.count(),
        quantities.len()
    );
    section.claim(
        "Messages to one node",
        "m messages take m rounds",
        found,
        quantities,
    );
    mixed(context, &mut section)?;
    Ok(section)
}

/// Messages to one node beside random ones.
fn mixed(context: &mut StrumpenContext, section: &mut Section) -> Result<(), Error> {
    let levels = if context.is_quick() { 6 } else { 10 };
    let nodes = 1u32 << levels;
    let mut table = PageTable::new(
        format!("m1 messages to node 0 beside mr random ones, n = {nodes}"),
        ["m1", "mr", "rounds", "± 95 %", "most", "m1 + lg mr"],
    );
    let mut order = Order::default();
    for sequential in [1, 4, 16] {
        for random in [nodes / 16, nodes / 4, nodes / 2] {
            let run = Run {
                traffic: RunTraffic::HotSpot { random },
                ..Run::rounds(levels, sequential)
            };
            let wanted = PointStopRule {
                least: 64,
                most: 256,
                ..context.sizes.wanted(levels, Statistic::Rounds)
            };
            let tally = context.point(&run.spec(wanted))?.of(Statistic::Rounds);
            let bound = mixed_rounds(sequential.into(), random.into());
            order.below_value(&tally, bound);
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
    section.parts.push(PagePart::Table(table));
    let source =
        "S&K 2005, section 7, conjecture, with the factor 1; one-sided, by three standard errors";
    let quantity = order.quantity("mixed_means_below_m1_plus_lg_mr", source, None);
    let quantity =
        quantity.named("cases in which mean rounds of mixed traffic are below m1 + lg mr");
    section.claim(
        "Mixed traffic (a conjecture)",
        "O(m1 + lg mr) rounds",
        format!("mean rounds are below m1 + lg mr {}", order.words()),
        vec![quantity],
    );
    Ok(())
}
