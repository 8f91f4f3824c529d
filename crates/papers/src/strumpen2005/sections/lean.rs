//! Leaner trees: does the method of the paper hold where channels do not double?
//!
//! The method: take the probability that two messages collide, toss balls into as many bins
//! as its reciprocal, and count tosses. In leaner trees messages also block each other on
//! the way up.

use num_rational::BigRational;
use serde_json::json;

use super::context::StrumpenContext;
use super::few;
use super::lemma::{decimal, kept};
use crate::effort::Effort;
use crate::page::{PagePart, PageTable, Section};
use crate::strumpen2005::enumerate;
use crate::strumpen2005::enumerate::Symmetry;
use crate::strumpen2005::pairs;
use crate::strumpen2005::run::Run;
use crosswave_analytic::balls::chain::ModelI;
use crosswave_analytic::collision::pair_probability;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::NORMAL_95;
use crosswave_base::statistics::half_width_95;
use crosswave_network::fat_tree::FatTree;
use crosswave_network::fat_tree::config::Capacities;
use crosswave_observe::points::Statistic;

/// Levels up to which pairs are enumerated.
const ENUMERATED_LEVELS: u32 = 5;
/// Seed of measured pairs.
const SEED: u64 = 1;

/// A way to make trees leaner.
struct Lean {
    name: &'static str,
    /// Levels from which it is like no other one.
    levels_from: u32,
    /// `network.capacities`.
    capacities: fn(u32) -> Capacities,
}

const KINDS: [Lean; 4] = [
    Lean {
        name: "doubling at every level",
        levels_from: 2,
        capacities: |_| Capacities::Doubling,
    },
    Lean {
        name: "doubling at every second level",
        levels_from: 3,
        capacities: |_| Capacities::EverySecondLevel,
    },
    Lean {
        name: "constant above the middle",
        levels_from: 4,
        capacities: |levels| Capacities::Most(1 << (levels / 2)),
    },
    Lean {
        name: "single links at every level",
        levels_from: 2,
        capacities: |_| Capacities::Most(1),
    },
];

/// The tree of a kind.
fn tree(kind: &Lean, levels: u32) -> FatTree {
    let run = run(kind, levels, 1);
    run.tree().tree(run.strategy)
}

fn run(kind: &Lean, levels: u32, messages: u32) -> Run {
    Run {
        capacities: (kind.capacities)(levels),
        ..Run::rounds(levels, messages)
    }
}

/// The probability that two messages collide, and its standard error.
fn collision(
    kind: &Lean,
    levels: u32,
    context: &mut StrumpenContext,
) -> Result<(f64, f64, String), Error> {
    let tree = tree(kind, levels);
    let watch = &mut *context.watch;
    let store = context.points.store();
    if tree.is_full() {
        return Ok((decimal(&pair_probability(levels)), 0.0, "Lemma 1".into()));
    }
    if levels <= ENUMERATED_LEVELS {
        let key = json!({
            "enumerated": "pair collision", "nodes": tree.nodes, "capacities": tree.capacities,
        });
        let found: BigRational = kept(store, &key, watch, || {
            enumerate::pair_collision(&tree, Symmetry::Tree)
        })?;
        return Ok((decimal(&found), 0.0, "enumerated".into()));
    }
    let samples = if context.effort == Effort::All {
        300
    } else {
        100
    };
    let key = json!({
        "measured": "blocks", "nodes": tree.nodes, "capacities": tree.capacities,
        "samples": samples, "seed": SEED,
    });
    let counts: Vec<u64> = store.kept(&key, || {
        let blocks = pairs::measure(&tree, samples, SEED, watch)?;
        Ok(blocks.iter().map(|block| block.collisions).collect())
    })?;
    // Equation 1: blocks weigh as many pairs as they have.
    let all = f64::from(tree.nodes - 1).powi(3);
    let (mut mean, mut variance) = (0.0, 0.0);
    for (at, collisions) in (0..).zip(counts) {
        let (k, i, j) = (at / levels.pow(2), at / levels % levels, at % levels);
        let weight = f64::from(k + i + j).exp2() / all;
        mean += weight * collisions as f64 / samples as f64;
        let rate = collisions as f64 / samples as f64;
        variance += weight * weight * rate * (1.0 - rate) / samples as f64;
    }
    let stderr = variance.sqrt();
    let source = format!("{samples} pairs a block, ± {:.5}", NORMAL_95 * stderr);
    Ok((mean, stderr, source))
}

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Beyond the paper: leaner trees");
    section.text(
        "The conclusion leaves open whether the method holds for leaner trees: take the \
         probability that two messages collide, toss balls into as many bins as its reciprocal, \
         count tosses. Here channels double at every second level only, or not above the middle of \
         the tree, or nowhere; a router whose channel does not double has one port up, and rejects \
         one of two messages that want it. Model I has 1/Pr[C2] bins, rounded. Bodies are as long \
         as in the full tree. Pr[C2] is enumerated as for Lemma 1 in small trees, and measured in \
         large ones from pairs of messages in every block of equation 1; its error moves the bins, \
         and so the last column, by as much.",
    );
    let (sizes, enough): (&[u32], u32) = match context.effort {
        Effort::All => (&[2, 3, 4, 6, 8, 10], 6),
        _ => (&[2, 3, 4], 4),
    };
    for kind in &KINDS {
        let mut table = PageTable::new(
            format!("Capacities: {}", kind.name),
            [
                "n",
                "links at the root",
                "Pr[C2]",
                "from",
                "bins",
                "m",
                "rounds ± 95 %",
                "Model I",
                "Model I / rounds",
            ],
        );
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for &levels in sizes.iter().filter(|levels| **levels >= kind.levels_from) {
            let nodes = 1u32 << levels;
            let (probability, stderr, source) = collision(kind, levels, context)?;
            let bins = (1.0 / probability).round().max(1.0);
            let root = tree(kind, levels).capacities.last().copied().unwrap_or(1);
            for part in [8, 1u32].into_iter().filter(|part| nodes / part > 1) {
                let messages = nodes / part;
                let wanted = context.sizes.wanted(levels, Statistic::Rounds);
                let spec = run(kind, levels, messages).spec(wanted);
                let tally = context.point(&spec)?.of(Statistic::Rounds);
                let model = ModelI::new(bins as u64, messages.into()).mean_rounds(messages.into());
                let ratio = model / tally.mean();
                if levels >= enough.min(6) {
                    (least, most) = (least.min(ratio), most.max(ratio));
                }
                table.row([
                    nodes.to_string(),
                    root.to_string(),
                    format!("{probability:.5}"),
                    source.clone(),
                    bins.to_string(),
                    messages.to_string(),
                    format!("{:.3} ± {:.3}", tally.mean(), half_width_95(&tally)),
                    format!("{model:.3}"),
                    format!("{ratio:.3}"),
                ]);
            }
            if kind.levels_from > 2 || (kind.capacities)(levels) != Capacities::Doubling {
                two_messages(kind, levels, (probability, stderr), context, &mut section)?;
            }
        }
        section.parts.push(PagePart::Table(table));
        section.text(format!(
            "Capacities {}: from n = {} on, Model I gives {least:.2} to {most:.2} times the rounds \
             of the hardware.",
            kind.name,
            1u32 << enough.min(6)
        ));
    }
    Ok(section)
}

/// Two messages take 1 + Pr\[C2\] rounds in any tree.
fn two_messages(
    kind: &Lean,
    levels: u32,
    (probability, stderr): (f64, f64),
    context: &mut StrumpenContext,
    section: &mut Section,
) -> Result<(), Error> {
    if levels > 4 || stderr > 0.0 {
        return Ok(());
    }
    let id = format!(
        "mean_rounds_n{}_m2_{}",
        1u32 << levels,
        kind.name.replace(' ', "_")
    );
    let source = "1 + Pr[C2], every case tried";
    let run = run(kind, levels, 2);
    let (quantity, _) = few::mean_rounds(id, source, &run, 1.0 + probability, context)?;
    let name = format!(
        "mean rounds of 2 messages at n = {}, capacities {}",
        1u32 << levels,
        kind.name
    );
    section.quantities.push(quantity.named(name).judged(None));
    Ok(())
}
