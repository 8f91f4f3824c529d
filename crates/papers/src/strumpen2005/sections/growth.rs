//! Growth of immediate retry, and of rounds of permutations, against lg m.
//!
//! O(lg m) has no number in it. What is tested: from one size to the next the ratio to lg m
//! grows less than half as much as it would if what is measured grew as the square of lg m
//! (assumed).

use super::context::StrumpenContext;
use crate::order::Order;
use crate::page::{PagePart, PageTable, Section};
use crate::strumpen2005::figures::{Normalised, permutation};
use crate::strumpen2005::run::{Run, RunTraffic};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::Tally;
use crosswave_base::statistics::half_width_95;
use crosswave_observe::points::Statistic;

/// Levels from which sizes are compared: in smaller trees a round more or less is a large part.
const LEVELS_FROM: u32 = 6;

/// The measurement with so many messages, in units of which one is `unit`.
struct Found {
    messages: u64,
    tally: Tally,
    unit: f64,
}

impl Found {
    fn lg_messages(&self) -> f64 {
        (self.messages as f64).log2()
    }

    /// Ratio to lg m, and its standard error.
    fn ratio(&self) -> (f64, f64) {
        let scale = self.unit * self.lg_messages();
        (
            self.tally.mean() / scale,
            self.tally.standard_error() / scale,
        )
    }
}

/// Counts, for each two sizes, whether the ratio to lg m grows less than half as much as lg m.
fn order(found: &[Found]) -> Order {
    let mut order = Order::default();
    for pair in found.windows(2) {
        let [(before, error_before), (after, error_after)] = [&pair[0], &pair[1]].map(Found::ratio);
        let growth = pair[1].lg_messages() / pair[0].lg_messages();
        let most = 1.0 + (growth - 1.0) / 2.0;
        // A single replicate has no error, and tells nothing.
        let error = match pair.iter().all(|of| of.tally.count() > 1) {
            true => error_after.hypot(most * error_before),
            false => f64::INFINITY,
        };
        order.difference(most * before - after, error);
    }
    order
}

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Growth: immediate retry and permutations against lg m");
    section.text(
        "The paper says that cycles of immediate retry, and mean rounds of permutations, are O(lg m). A \
         pair of sizes speaks for it when the ratio to lg m grows less, from the one to the other, than \
         half as much as lg m itself does, by three standard errors; for what grows as the square of \
         lg m it would grow as much.",
    );
    let mut table = PageTable::new(
        "Means ± 95 %, in rounds or in units of one message across the diameter, and their ratio to lg m",
        ["what", "m", "mean", "/ lg m"],
    );
    let series = [
        ("immediate retry, m = n/8", RunTraffic::Random, 8, false),
        ("immediate retry, m = n", RunTraffic::Random, 1, false),
        ("transpose, rounds", RunTraffic::Transpose, 1, true),
        ("bit reversal, rounds", RunTraffic::BitReversal, 1, true),
        ("cyclic shift, rounds", RunTraffic::CyclicShift(1), 1, true),
    ];
    let (mut quantities, mut words) = (Vec::new(), Vec::new());
    for (name, traffic, part, in_rounds) in series {
        let mut found = Vec::new();
        let sizes = context.sizes;
        let step = if traffic == RunTraffic::Transpose {
            2
        } else {
            1
        };
        for levels in sizes
            .levels(LEVELS_FROM)
            .filter(|levels| levels % step == 0)
        {
            let of = measured(levels, traffic, part, in_rounds, context)?;
            table.row([
                name.into(),
                of.messages.to_string(),
                match half_width_95(&of.tally) / of.unit {
                    half if half.is_finite() => {
                        format!("{:.3} ± {half:.3}", of.tally.mean() / of.unit)
                    }
                    _ => format!("{:.3}", of.tally.mean() / of.unit),
                },
                format!("{:.4}", of.ratio().0),
            ]);
            found.push(of);
        }
        let order = order(&found);
        let id = name.replace(", ", "_").replace([' ', '-'], "_");
        let id = format!(
            "sizes_at_which_{}_grows_as_lg_m",
            id.replace(['=', '/'], "")
        );
        let source = "S&K 2005, section 7: O(lg m); see the section for how it is read";
        let quantity = order.quantity(id.replace("__", "_"), source, None);
        quantities.push(quantity.named(format!(
            "pairs of sizes between which it grows as lg m or less: {name}"
        )));
        words.push(format!("{name}: {}", order.words()));
    }
    section.parts.push(PagePart::Table(table));
    section.claim(
        "Growth of immediate retry and of permutations",
        "O(lg m), as for rounds of random messages",
        format!("pairs of sizes that speak for it: {}", words.join("; ")),
        quantities,
    );
    Ok(section)
}

fn measured(
    levels: u32,
    traffic: RunTraffic,
    part: u32,
    in_rounds: bool,
    context: &mut StrumpenContext,
) -> Result<Found, Error> {
    let nodes = 1u32 << levels;
    let messages = nodes / part;
    if in_rounds {
        let run = Run {
            traffic,
            ..Run::rounds(levels, messages)
        };
        let spec = permutation(&run, context.sizes, Statistic::Rounds);
        let samples = context.point(&spec)?;
        return Ok(Found {
            messages: samples.messages(),
            tally: samples.of(Statistic::Rounds),
            unit: 1.0,
        });
    }
    let run = Run::immediate(levels, messages);
    let wanted = context.sizes.wanted(levels, Statistic::Cycles);
    let normalised = Normalised::of(&run, wanted, context.points, context.watch)?;
    Ok(Found {
        messages: messages.into(),
        tally: normalised.cycles,
        unit: normalised.alone_cycles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(of: impl Fn(f64) -> f64) -> Vec<Found> {
        let sizes = (6..=14).step_by(2);
        sizes
            .map(|levels| {
                let middle = of(f64::from(levels)) as u64;
                Found {
                    messages: 1 << levels,
                    tally: [middle - 1, middle, middle + 1, middle]
                        .into_iter()
                        .cycle()
                        .take(400)
                        .collect(),
                    unit: 1000.0,
                }
            })
            .collect()
    }

    #[test]
    fn a_line_is_told_from_a_square() {
        let line = order(&found(|lg| 1000.0 * lg + 500.0));
        assert_eq!((line.kept, line.places()), (4, 4));
        let square = order(&found(|lg| 1000.0 * lg * lg));
        assert_eq!((square.broken, square.places()), (4, 4));
    }
}
