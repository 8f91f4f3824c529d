//! The remarks of section 7 on Figure 5, item by item.
//!
//! Where a remark has no number, what it is read as is said with it (assumed).

use super::context::{Range, StrumpenContext};
use crate::order::Order;
use crate::page::Section;
use crate::quantity::{MeasuredValue, Quantity};
use crate::strumpen2005::figures;
use crate::strumpen2005::figures::READING;
use crate::strumpen2005::models;
use crosswave_analytic::collision::phase_boundary_messages;
use crosswave_analytic::rounds::{fit_rounds, lg_messages, load_rounds};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::Tally;
use crosswave_observe::points::Statistic;

/// Rounds of a number of messages, simulated and by Model I.
struct Found {
    messages: u64,
    rounds: Tally,
    model: f64,
}

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Seven remarks on Figure 5");
    section.text(
        "Section 7 makes seven remarks on Figure 5. Most have no number; what they are held against \
         is said with each quantity. The fourth says what the vertical line is, and claims nothing.",
    );
    let mut trees = Vec::new();
    for levels in context.sizes.sweeps() {
        let messages = context.sizes.messages(levels);
        let wide: Vec<u64> = messages.iter().map(|&m| m.into()).collect();
        let store = context.points.store();
        let model = models::means(store, levels, READING, &wide, context.watch)?;
        let mut found = Vec::new();
        for (&m, model) in messages.iter().zip(model) {
            let spec = figures::sweep(levels, m, context.sizes);
            let rounds = context.point(&spec)?.of(Statistic::Rounds);
            let messages = u64::from(m);
            found.push(Found {
                messages,
                rounds,
                model,
            });
        }
        trees.push((levels, found));
    }
    accuracy(&trees, &mut section);
    spread(&trees, &mut section);
    below_lg_m(&trees, &mut section);
    slope(&trees, &mut section);
    phase_1(&trees, &mut section);
    fit(&trees, &mut section);
    Ok(section)
}

type Trees = [(u32, Vec<Found>)];

/// "n = 64", and what was found there.
fn each(trees: &Trees, of: impl Fn(u32, &[Found]) -> String) -> String {
    let of = trees
        .iter()
        .map(|(levels, found)| format!("n = {}: {}", 1u64 << levels, of(*levels, found)));
    of.collect::<Vec<_>>().join("; ")
}

/// An id and a name for one of the trees.
fn named(quantity: Quantity, name: &str, levels: u32) -> Quantity {
    quantity.named(format!("{name}, n = {}", 1u64 << levels))
}

fn id(of: &str, levels: u32) -> String {
    format!("{of}_n{}", 1u64 << levels)
}

/// Remark 1.
fn accuracy(trees: &Trees, section: &mut Section) {
    let ratios = |found: &[Found]| {
        let mut range = Range::NONE;
        for of in found.iter().filter(|of| of.messages > 1) {
            range.add(of.model / of.rounds.mean());
        }
        range
    };
    let quantities = trees.iter().map(|(levels, found)| {
        let quantity = Quantity::between(
            id("model_1_per_rounds_farthest_from_1_over_m", *levels),
            "S&K 2005, section 7, remark 1: accurately; read as within a fifth at every m",
            (0.8, 1.2),
        );
        let farthest = MeasuredValue::exact(ratios(found).farther_from(1.0));
        let quantity = quantity.simulated(Some(farthest));
        named(
            quantity,
            "Model I per simulated rounds, farthest from 1 over all m",
            *levels,
        )
        .judged(None)
    });
    section.claim(
        "Figure 5, remark 1",
        "Model I matches the simulated rounds accurately",
        each(trees, |_, found| {
            format!(
                "Model I is {} times the simulated mean",
                ratios(found).words(2)
            )
        }),
        quantities.collect(),
    );
}

/// Remark 2.
fn spread(trees: &Trees, section: &mut Section) {
    let most = |found: &[Found]| {
        let many = found.iter().filter(|of| of.rounds.count() >= 3);
        many.map(|of| of.rounds.variance().sqrt() / of.rounds.mean())
            .fold(0.0, f64::max)
    };
    section.text(format!(
        "Remark 2, that rounds vary relatively little, has no number, and any that is read into it holds of wrong \
         engines too: no quantity judges it. Standard deviations are up to {} of the mean.",
        each(trees, |_, found| format!("{:.2}", most(found)))
    ));
}

/// Remark 3.
fn below_lg_m(trees: &Trees, section: &mut Section) {
    let order = |found: &[Found]| {
        let mut order = Order::default();
        for of in found.iter().filter(|of| of.messages > 2) {
            order.below_value(&of.rounds, lg_messages(of.messages));
        }
        order
    };
    let quantities = trees.iter().map(|(levels, found)| {
        let source =
            "S&K 2005, section 7, remark 3: below lg m; one-sided, by three standard errors";
        let quantity = order(found).quantity(
            id("m_at_which_rounds_are_below_lg_m", *levels),
            source,
            None,
        );
        named(
            quantity,
            "numbers of messages, from 3 on, at which mean rounds are below lg m",
            *levels,
        )
    });
    section.text(
        "Remark 3 cannot hold for one message, which takes a round where lg m is 0, nor for two, which \
         take 1 + Pr[C2] where it is 1; it is looked at from three messages on.",
    );
    section.claim(
        "Figure 5, remark 3",
        "lg m, with the factor 1, is a conservative bound of the rounds",
        each(trees, |_, found| {
            format!("mean rounds are below it {}", order(found).words())
        }),
        quantities.collect(),
    );
}

/// Slope and intercept of the straight line with the least squares.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let above: f64 = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    let below: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = above / below;
    (slope, y - slope * x)
}

/// Remark 5.
fn slope(trees: &Trees, section: &mut Section) {
    let line = |levels: u32, found: &[Found], rounds: &dyn Fn(&Found) -> f64| {
        let boundary = phase_boundary_messages(levels);
        let phase = found.iter().filter(|of| of.messages as f64 <= boundary);
        let points: Vec<(f64, f64)> = phase
            .map(|of| (lg_messages(of.messages), rounds(of)))
            .collect();
        line(&points)
    };
    let slope = |levels: u32, found: &[Found]| line(levels, found, &|of| of.rounds.mean());
    let quantities = trees.iter().map(|(levels, found)| {
        let quantity = Quantity::unprinted(
            id("slope_of_rounds_against_lg_m_in_phase_2", *levels),
            "S&K 2005, section 7, remark 5: c1, without a number; beside that of Model I, to a tenth",
        );
        let (model, _) = line(*levels, found, &|of| of.model);
        let slope = MeasuredValue::exact(slope(*levels, found).0);
        let quantity = quantity
            .analytic(model)
            .simulated(Some(slope))
            .within(0.1 * model);
        named(
            quantity,
            "slope c1 of mean rounds against lg m in Phase II",
            *levels,
        )
        .judged(None)
    });
    section.claim(
        "Figure 5, remark 5",
        "in Phase II rounds are c1 lg m + c2 with c1 much smaller than 1",
        each(trees, |levels, found| {
            let (slope, constant) = slope(levels, found);
            format!("least squares give c1 = {slope:.2}, c2 = {constant:.2}")
        }),
        quantities.collect(),
    );
}

/// Remark 6.
fn phase_1(trees: &Trees, section: &mut Section) {
    let order = |levels: u32, found: &[Found]| {
        let boundary = phase_boundary_messages(levels);
        let mut order = Order::default();
        for of in found.iter().filter(|of| of.messages as f64 > boundary) {
            order.below_value(&of.rounds, load_rounds(of.messages, levels));
        }
        order
    };
    let quantities = trees.iter().map(|(levels, found)| {
        let source = "S&K 2005, section 7, remark 6: the tighter bound m lg n/n, with the factor 1";
        let known = "the bound has a constant that is not given: just past the boundary m lg n/n is \
                     2, and Model I itself takes more rounds";
        let boundary = phase_boundary_messages(*levels);
        let in_model = found
            .iter()
            .filter(|of| of.messages as f64 > boundary)
            .filter(|of| of.rounds.mean() > load_rounds(of.messages, *levels))
            .all(|of| of.model > load_rounds(of.messages, *levels) || of.rounds.count() < 2);
        let id = id("m_of_phase_1_at_which_rounds_are_below_m_lg_n_per_n", *levels);
        let quantity = order(*levels, found).quantity(id, source, in_model.then_some(known));
        let name = "numbers of messages of Phase I at which mean rounds are below m lg n/n";
        named(quantity, name, *levels)
    });
    section.claim(
        "Figure 5, remark 6",
        "in Phase I rounds follow the tighter bound m lg n/n",
        each(trees, |levels, found| {
            format!("mean rounds are below it {}", order(levels, found).words())
        }),
        quantities.collect(),
    );
}

/// Remark 7.
fn fit(trees: &Trees, section: &mut Section) {
    let off = |levels: u32, found: &[Found]| {
        let mut range = Range::NONE;
        for of in found {
            range.add(fit_rounds(of.messages, levels) / of.rounds.mean());
        }
        range
    };
    let order = |levels: u32, found: &[Found]| {
        let mut order = Order::default();
        for of in found.iter().filter(|of| of.rounds.count() > 1) {
            let (fit, rounds) = (fit_rounds(of.messages, levels), of.rounds.mean());
            // The room of either side goes with more or less of the mean than all of it.
            let (room, of_mean) = match fit > rounds {
                true => (1.2 * rounds - fit, 1.2),
                false => (fit - 0.8 * rounds, 0.8),
            };
            order.difference(room, of_mean * of.rounds.standard_error());
        }
        order
    };
    let quantities = trees.iter().map(|(levels, found)| {
        let source = "S&K 2005, section 7, remark 7: an ad hoc fit; read as remark 1, within a fifth at every m";
        let id = id("m_at_which_the_fit_is_within_a_fifth_of_rounds", *levels);
        let quantity = order(*levels, found).quantity(id, source, None);
        let name = "numbers of messages at which lg m/10 + m lg n/2n + 1 is within a fifth of mean rounds";
        named(quantity, name, *levels)
    });
    section.claim(
        "Figure 5, remark 7",
        "lg m/10 + m lg n/2n + 1 fits the rounds",
        each(trees, |levels, found| {
            format!(
                "it is {} times the simulated mean, and within a fifth of it {}",
                off(levels, found).words(2),
                order(levels, found).words()
            )
        }),
        quantities.collect(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_points() {
        let (slope, constant) = line(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert_eq!((slope, constant), (2.0, 1.0));
        // Two points off by 1 in opposite directions leave the slope of the middle.
        let (slope, constant) = line(&[(0.0, 1.0), (1.0, 1.0), (2.0, 2.0), (3.0, 2.0)]);
        assert!((slope - 0.4).abs() < 1e-12 && (constant - 0.9).abs() < 1e-12);
    }
}
