//! Collisions of two messages: by formula, by enumeration on the hardware's models, and by
//! simulation; and the bins that follow.

use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use serde_json::json;

use super::context::{Range, StrumpenContext};
use crate::effort::Effort;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity, Value, Verdict};
use crate::strumpen2005::enumerate;
use crate::strumpen2005::enumerate::Symmetry;
use crate::strumpen2005::enumerate::fat_tree;
use crate::strumpen2005::pairs;
use crosswave_analytic::collision::{
    Bins, bins, block_probability, pair_probability, pair_probability_lower, pair_probability_sum,
    pair_probability_upper,
};
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// Levels of the largest tree of the formulas.
const LEVELS: u32 = 20;
/// Seed of measured pairs.
const SEED: u64 = 1;

pub(super) fn decimal(value: &BigRational) -> f64 {
    value.to_f64().expect("a probability or a mean")
}

pub(super) fn text(value: &BigRational) -> Value {
    Value::Text(value.to_string())
}

/// A rational that is kept: enumeration takes seconds.
pub(super) fn kept(
    store: &mut Store,
    what: &serde_json::Value,
    watch: &mut dyn Watch,
    make: impl FnOnce() -> BigRational,
) -> Result<BigRational, Error> {
    let text: String = store.kept(what, || {
        watch.begins("enumerating");
        check_cancelled(watch)?;
        Ok(make().to_string())
    })?;
    Ok(text.parse().expect("sealed when it was printed"))
}

fn enumerated_pair(levels: u32, context: &mut StrumpenContext) -> Result<BigRational, Error> {
    let key = json!({ "enumerated": "pair collision", "nodes": 1u32 << levels });
    kept(context.points.store(), &key, context.watch, || {
        enumerate::pair_collision(&fat_tree(levels), Symmetry::Tree)
    })
}

/// The sizes, from that of so many levels on, at which something does not hold.
fn sizes_that_fail(from: u32, holds: impl Fn(u32) -> bool) -> Value {
    let sizes = (from..=LEVELS).filter(|&levels| !holds(levels));
    let sizes: Vec<String> = sizes
        .map(|levels| format!("n = {}", 1u64 << levels))
        .collect();
    Value::Text(if sizes.is_empty() {
        "none".into()
    } else {
        sizes.join(", ")
    })
}

/// The quantities that need no simulation.
pub(super) fn formulas(section: &mut Section) {
    let equal = (1..=LEVELS).filter(|&h| pair_probability(h) == pair_probability_sum(h));
    let sum = Quantity::claimed(
        "sizes_at_which_equation_1_is_lemma_1",
        "S&K 2005, equations 1 and 2, Lemma 1; n = 2 to 2^20",
        u64::from(LEVELS),
    );
    let sum = sum
        .named("sizes at which the sum of equation 1 is the closed form of Lemma 1")
        .analytic(equal.count() as u64)
        .judged(None);
    section.quantities.push(sum);
    let none = |id: &str, source: &str, name: &str| {
        Quantity::claimed(id, source, Value::Text("none".into())).named(name)
    };
    let lower = none(
        "sizes_at_which_the_lower_bound_fails",
        "S&K 2005, Lemma 1: lg n/3n <= Pr[C2]",
        "sizes at which Pr[C2] is below its lower bound",
    );
    let lower = lower.analytic(sizes_that_fail(1, |h| {
        pair_probability_lower(h) <= pair_probability(h)
    }));
    let explanation = "of two nodes only one destination is left to each message, and no two \
                       collide: Pr[C2] = 0";
    let lower = lower.judged(Some(explanation.into()));
    let upper = none(
        "sizes_at_which_the_upper_bound_fails",
        "S&K 2005, Lemma 1: Pr[C2] <= lg n/2n",
        "sizes at which Pr[C2] is above its upper bound",
    );
    let upper = upper
        .analytic(sizes_that_fail(1, |h| {
            pair_probability(h) <= pair_probability_upper(h)
        }))
        .judged(None);
    let fails_at = lower
        .analytic
        .clone()
        .map_or(String::new(), |v| v.to_string());
    section.claim(
        "Bounds of Pr[C2]",
        "lg n/3n ≤ Pr[C2] ≤ lg n/2n",
        format!("n = 2 to 2^20: the lower bound fails at {fails_at}"),
        vec![lower, upper],
    );
    corollary_1(section);
}

/// Corollary 1: 2n/lg n bins are at most 1/Pr\[C2\], and not far from it.
fn corollary_1(section: &mut Section) {
    let stated = |levels: u32| BigRational::new((2u64 << levels).into(), levels.into());
    let conservative = Quantity::claimed(
        "sizes_at_which_corollary_1_has_too_many_bins",
        "S&K 2005, Corollary 1: 2n/lg n <= 1/Pr[C2]",
        Value::Text("none".into()),
    );
    let conservative = conservative
        .named("sizes at which 2n/lg n is more than 1/Pr[C2]")
        .analytic(sizes_that_fail(2, |h| {
            stated(h) <= pair_probability(h).recip()
        }))
        .judged(None);
    let mut ratios = Range::NONE;
    for levels in 2..=LEVELS {
        ratios.add(decimal(
            &(pair_probability(levels).recip() / stated(levels)),
        ));
    }
    let factor = Quantity::between(
        "largest_factor_between_bins_of_corollary_1",
        "S&K 2005, Corollary 1: by a small constant factor; n = 4 to 2^20; small read as up to 1.5",
        (1.0, 1.5),
    );
    let factor = factor
        .named("largest factor between 1/Pr[C2] and 2n/lg n")
        .analytic(ratios.farther_from(1.0))
        .judged(None);
    section.claim(
        "Corollary 1: the number of bins",
        "2n/lg n ≤ 1/Pr[C2], by a small constant factor",
        format!(
            "n = 4 to 2^20: 1/Pr[C2] is {} times 2n/lg n",
            ratios.words(2)
        ),
        vec![conservative, factor],
    );
}

/// The section on two messages.
pub(super) fn two_messages(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Lemma 1: collisions of two messages");
    section.text(
        "Pr[C2] by the closed form of Lemma 1, which equals the sum of equation 1 over the matrix of \
         equation 2 as exact rationals; and by enumeration: the register-level models of routers and \
         interfaces, joined as the network joins them, are run for all sources, all destinations \
         and all values of the random pins that they ask for, so that the probability is a rational \
         without an error.",
    );
    formulas(&mut section);
    let most = if context.effort == Effort::All { 5 } else { 4 };
    let mut pairs = Vec::new();
    let mut table = PageTable::new(
        "Pr[C2], its bounds, and the number of collision bins of Corollary 1",
        [
            "n",
            "Pr[C2]",
            "decimal",
            "enumerated",
            "lg n/3n",
            "lg n/2n",
            "⌊2n/lg n⌋",
            "1/Pr[C2], rounded",
        ],
    );
    for levels in 1..=LEVELS {
        let lemma = pair_probability(levels);
        let mut cell = "–".to_owned();
        if levels <= most {
            let found = enumerated_pair(levels, context)?;
            cell = found.to_string();
            let id = format!("pair_collision_probability_n{}", 1u32 << levels);
            let quantity = Quantity::unprinted(id, "S&K 2005, Lemma 1")
                .named(format!("Pr[C2] at n = {}", 1u32 << levels))
                .analytic(text(&lemma))
                .enumerated(text(&found));
            pairs.push(quantity.judged(None));
        }
        let bin = |reading| bins(levels, reading).map_or("–".into(), |b: u64| b.to_string());
        table.row([
            (1u64 << levels).to_string(),
            if levels <= 6 {
                lemma.to_string()
            } else {
                "–".into()
            },
            format!("{:.6e}", decimal(&lemma)),
            cell,
            format!("{:.4e}", decimal(&pair_probability_lower(levels))),
            format!("{:.4e}", decimal(&pair_probability_upper(levels))),
            bin(Bins::Floor),
            bin(Bins::Reciprocal),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let alike = pairs.iter().filter(|q| q.verdict == Verdict::Reproduced);
    let found = format!(
        "by trying every case on the router's model, the same rational at {} of {} sizes up to n = {}",
        alike.count(),
        pairs.len(),
        1u32 << most
    );
    let paper = "Pr[C2] = (n²(lg n/2 - 2/3) + 2/3) / (n - 1)³";
    section.claim("Lemma 1: two messages collide", paper, found, pairs);
    blocks(most, context, &mut section)?;
    measured_blocks(context, &mut section)?;
    Ok(section)
}

/// Equation 2, every entry, by enumeration.
fn blocks(most: u32, context: &mut StrumpenContext, section: &mut Section) -> Result<(), Error> {
    for levels in 2..=most {
        let key = json!({ "enumerated": "blocks", "nodes": 1u32 << levels });
        let watch = &mut *context.watch;
        let found: Vec<String> = context.points.store().kept(&key, || {
            watch.begins("enumerating blocks");
            check_cancelled(watch)?;
            let blocks = enumerate::block_collisions(&fat_tree(levels), Symmetry::Tree);
            Ok(blocks
                .iter()
                .map(|block| block.probability.to_string())
                .collect())
        })?;
        let places = (0..levels)
            .flat_map(|k| (0..levels).flat_map(move |i| (0..levels).map(move |j| (k, i, j))));
        let equal = places
            .zip(&found)
            .filter(|((k, i, j), found)| block_probability(*k, *i, *j).to_string() == **found);
        let id = format!("entries_of_equation_2_n{}", 1u32 << levels);
        let quantity = Quantity::claimed(id, "S&K 2005, equation 2", u64::from(levels.pow(3)))
            .named(format!(
                "entries of equation 2 that come out at n = {}",
                1u32 << levels
            ))
            .enumerated(equal.count() as u64);
        section.quantities.push(quantity.judged(None));
    }
    Ok(())
}

/// Levels of the tree in which pairs are measured.
const MEASURED_LEVELS: u32 = 6;

/// Equation 2 against pairs on the event engine.
fn measured_blocks(context: &mut StrumpenContext, section: &mut Section) -> Result<(), Error> {
    let samples = if context.effort == Effort::All {
        2000
    } else {
        500
    };
    let key = json!({
        "measured": "blocks", "nodes": 1u32 << MEASURED_LEVELS, "samples": samples, "seed": SEED,
    });
    let watch = &mut *context.watch;
    let found: Vec<(u64, Vec<u64>)> = context.points.store().kept(&key, || {
        let blocks = pairs::measure(&fat_tree(MEASURED_LEVELS), samples, SEED, watch)?;
        let counts = blocks
            .into_iter()
            .map(|b| (b.collisions, b.collisions_by_level));
        Ok(counts.collect())
    })?;
    let mut against = AgainstPairs::new(samples);
    for (at, (collisions, by_level)) in found.iter().enumerate() {
        let at = at as u32;
        let entry = (
            at / MEASURED_LEVELS.pow(2),
            at / MEASURED_LEVELS % MEASURED_LEVELS,
            at % MEASURED_LEVELS,
        );
        against.compare(entry, *collisions, by_level);
    }
    let AgainstPairs {
        table,
        within,
        squares,
        entries,
        ..
    } = against;
    section.parts.push(PagePart::Table(table));
    section.text(format!(
        "Of {} entries {within} are within four standard errors. The squares of the standard errors off, of the {entries} that are neither 0 \
         nor 1, have the mean {:.2}, where 1 is expected.",
        found.len(),
        squares / f64::from(entries)
    ));
    let quantity = Quantity::claimed(
        "entries_of_equation_2_measured_within_4_stderr_n64",
        "S&K 2005, equation 2",
        u64::from(MEASURED_LEVELS.pow(3)),
    );
    section.quantities.push(
        quantity
            .named("entries of equation 2 that are measured within 4 standard errors at n = 64")
            .simulated(Some(MeasuredValue::exact(within)))
            .judged(None),
    );
    Ok(())
}

/// Entries of equation 2 against measured pairs.
struct AgainstPairs {
    /// Pairs of each entry.
    samples: u64,
    table: PageTable,
    /// Entries that are measured within four standard errors.
    within: u64,
    /// Entries that are neither 0 nor 1.
    entries: u32,
    /// Squares of the standard errors that those are off, added up.
    squares: f64,
}

impl AgainstPairs {
    /// No entry has been compared.
    fn new(samples: u64) -> AgainstPairs {
        let mut table = PageTable::new(
            format!(
                "Pr[k, i, j] of equation 2 against {samples} pairs each, n = 64 (every entry that is not \
                 0): m1 goes to the i-subtree of its source, m2 comes from its k-subtree and goes to its \
                 own j-subtree"
            ),
            [
                "k, i, j",
                "equation 2",
                "measured",
                "standard error",
                "standard errors off",
                "at levels 0, 1, …",
            ],
        );
        table.folded = true;
        AgainstPairs {
            samples,
            table,
            within: 0,
            entries: 0,
            squares: 0.0,
        }
    }

    /// Compares an entry with the collisions of its pairs. One that is neither 0 nor 1 gets
    /// a row.
    fn compare(&mut self, (k, i, j): (u32, u32, u32), collisions: u64, by_level: &[u64]) {
        let samples = self.samples as f64;
        let exact = block_probability(k, i, j);
        let expected = decimal(&exact);
        let measured = collisions as f64 / samples;
        let stderr = (expected * (1.0 - expected) / samples).sqrt();
        self.within += u64::from((measured - expected).abs() <= 4.0 * stderr);
        if exact.is_zero() || stderr == 0.0 {
            return;
        }
        let off = (measured - expected) / stderr;
        self.squares += off * off;
        self.entries += 1;
        let levels: Vec<String> = by_level.iter().map(u64::to_string).collect();
        self.table.row([
            format!("{k}, {i}, {j}"),
            format!("{exact} = {expected:.5}"),
            format!("{measured:.5}"),
            format!("{stderr:.5}"),
            format!("{off:+.2}"),
            levels.join(", "),
        ]);
    }
}
