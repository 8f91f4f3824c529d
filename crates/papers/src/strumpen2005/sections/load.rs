//! The bounds of the introduction: delivery rounds against the load factor of the messages.
//!
//! O(λ lg n) and O(λ + lg n lg lg n) have no factors. What is tested: from one size to the next, mean rounds
//! grow less than the bound with the mean load factor of the same messages.

use serde_json::json;

use super::context::StrumpenContext;
use crate::order::Order;
use crate::page::{PagePart, PageTable, Section};
use crate::strumpen2005::run::Run;
use crosswave_analytic::load_factor::{known_bound, load_factor, unknown_bound};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::Tally;
use crosswave_observe::points::watch::check_cancelled;
use crosswave_observe::points::{Spec, Statistic};
use crosswave_run::replicate::Replicate;

/// Levels from which sizes are compared: in smaller trees a round more or less is a large part.
const LEVELS_FROM: u32 = 6;

/// Mean rounds of a size, and the bounds.
struct Found {
    rounds: Tally,
    /// λ lg n, and λ + lg n lg lg n, each with its standard error.
    bounds: [(f64, f64); 2],
}

impl Found {
    /// Mean rounds by a bound, and the standard error.
    fn ratio(&self, bound: usize) -> (f64, f64) {
        let (bound, error) = self.bounds[bound];
        let mean = self.rounds.mean();
        let ratio = mean / bound;
        let parts = (self.rounds.standard_error() / mean).hypot(error / bound);
        (ratio, ratio * parts)
    }
}

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("The introduction's bounds by the load factor");
    section.text(
        "The load factor λ of a set of messages is the largest ratio of messages that pass through a channel \
         to its links. The paper cites O(λ lg n) rounds for messages that are known in advance, and \
         O(λ + lg n lg lg n) for others; its own bound, O(lg m), does not ask for λ. Here λ is that of the \
         very messages whose rounds are simulated, m = n, with its mean over all replicates. A pair of sizes \
         speaks for a bound when rounds grow less than the bound does, by three standard errors.",
    );
    let mut table = PageTable::new(
        "Mean rounds, m = n, and the bounds with the factor 1",
        [
            "n",
            "rounds",
            "mean λ",
            "λ lg n",
            "rounds / that",
            "λ + lg n lg lg n",
            "rounds / that",
            "lg m",
        ],
    );
    let mut found: Vec<Found> = Vec::new();
    for levels in context.sizes.levels(LEVELS_FROM) {
        let wanted = context.sizes.decisive(levels, Statistic::Rounds);
        let spec = Run::rounds(levels, 1 << levels).spec(wanted);
        let rounds = context.point(&spec)?.of(Statistic::Rounds);
        let (load, error) = mean_load_factor(&spec, levels, rounds.count(), context)?;
        let slope = f64::from(levels);
        let of = Found {
            rounds,
            bounds: [
                (known_bound(load, levels), slope * error),
                (unknown_bound(load, levels), error),
            ],
        };
        table.row([
            (1u32 << levels).to_string(),
            format!("{:.3}", rounds.mean()),
            format!("{load:.3}"),
            format!("{:.2}", of.bounds[0].0),
            format!("{:.3}", of.ratio(0).0),
            format!("{:.2}", of.bounds[1].0),
            format!("{:.3}", of.ratio(1).0),
            levels.to_string(),
        ]);
        found.push(of);
    }
    section.parts.push(PagePart::Table(table));
    let (mut quantities, mut words) = (Vec::new(), Vec::new());
    let bounds = [
        ("λ lg n", "lambda_lg_n"),
        ("λ + lg n lg lg n", "lambda_plus_lg_n_lg_lg_n"),
    ];
    for (bound, (name, id)) in bounds.into_iter().enumerate() {
        let order = order(&found, bound);
        let id = format!("sizes_at_which_rounds_grow_less_than_{id}");
        let source =
            format!("S&K 2005, section 1: O({name}), cited; see the section for how it is read");
        let quantity = order.quantity(id, &source, None);
        let name_in_words = format!("pairs of sizes between which rounds grow less than {name}");
        quantities.push(quantity.named(name_in_words));
        words.push(format!("{name}: {}", order.words()));
    }
    section.claim(
        "Bounds by the load factor",
        "O(λ lg n) rounds for messages known in advance, O(λ + lg n lg lg n) for others",
        format!("pairs of sizes that speak for it: {}", words.join("; ")),
        quantities,
    );
    Ok(section)
}

/// Counts, for each two sizes, whether rounds grow less than a bound.
fn order(found: &[Found], bound: usize) -> Order {
    let mut order = Order::default();
    for pair in found.windows(2) {
        let [(before, error_before), (after, error_after)] =
            [&pair[0], &pair[1]].map(|of| of.ratio(bound));
        // A single replicate has no error, and tells nothing.
        let error = match pair.iter().all(|of| of.rounds.count() > 1) {
            true => error_before.hypot(error_after),
            false => f64::INFINITY,
        };
        order.difference(before - after, error);
    }
    order
}

/// The mean load factor of the messages of so many replicates, and its standard error.
fn mean_load_factor(
    spec: &Spec,
    levels: u32,
    replicates: u64,
    context: &mut StrumpenContext,
) -> Result<(f64, f64), Error> {
    let key = json!({ "load factor": spec.key(), "replicates": replicates });
    let watch = &mut *context.watch;
    watch.begins(&format!("{}, load factors", spec.title));
    let factors: Vec<f64> = context.points.store().kept(&key, || {
        (0..replicates as u32)
            .map(|index| {
                check_cancelled(watch)?;
                let workload = Replicate::new(&spec.config, index)?.workload;
                let messages = workload.messages.iter();
                let pairs: Vec<(u32, u32)> = messages
                    .map(|message| (message.source, message.destination))
                    .collect();
                Ok(load_factor(levels, &pairs))
            })
            .collect()
    })?;
    let count = factors.len() as f64;
    let mean = factors.iter().sum::<f64>() / count;
    let squares: f64 = factors.iter().map(|factor| (factor - mean).powi(2)).sum();
    Ok((mean, (squares / (count - 1.0).max(1.0) / count).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rounds: u64, bound: f64) -> Found {
        let around = [rounds - 1, rounds, rounds + 1, rounds];
        Found {
            rounds: around.into_iter().cycle().take(400).collect(),
            bounds: [(bound, 0.01 * bound); 2],
        }
    }

    #[test]
    fn growth_above_a_bound_speaks_against_it() {
        let sizes = [(1000, 10.0), (1200, 13.0), (1800, 14.0), (1800, 14.0)];
        let sizes = sizes.map(|(rounds, bound)| found(rounds, bound));
        let order = order(&sizes, 0);
        assert_eq!((order.kept, order.broken, order.open), (1, 1, 1));
    }
}
