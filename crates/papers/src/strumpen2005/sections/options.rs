//! Choices that the paper leaves open, and the effect of each on a result.

use super::context::StrumpenContext;
use crate::order::Order;
use crate::page::{PagePart, PageTable, Section};
use crate::strumpen2005::figures::Normalised;
use crate::strumpen2005::run::{Length, Run, RunTraffic};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::{Tally, half_width_95};
use crosswave_network::fat_tree::Release;
use crosswave_network::fat_tree::config::Winner;
use crosswave_network::traffic::Strategy;
use crosswave_observe::points::{Spec, Statistic};

/// A run as the table names it.
struct Row {
    name: &'static str,
    run: Run,
}

fn row(name: &'static str, run: Run) -> Row {
    Row { name, run }
}

/// Runs in rounds: the first is what the others are compared with.
fn in_rounds(levels: u32) -> Vec<Row> {
    let base = || Run::rounds(levels, 1 << levels);
    let words = |words| Run {
        length: Length::Words(words),
        ..base()
    };
    vec![
        row(
            "long bodies, freed by the acknowledgement, random winner",
            base(),
        ),
        row("body of 1 word", words(1)),
        row("body of 8 words", words(8)),
        row(
            "body of 1 word, freed by an early acknowledgement",
            Run {
                release: Release::EarlyAcknowledge,
                ..words(1)
            },
        ),
        row(
            "long bodies, freed by an early acknowledgement",
            Run {
                release: Release::EarlyAcknowledge,
                ..base()
            },
        ),
        row(
            "body of 1 word, freed by the tail",
            Run {
                release: Release::Tail,
                ..words(1)
            },
        ),
        row(
            "fixed winner",
            Run {
                winner: Winner::Fixed,
                ..base()
            },
        ),
        row(
            "destinations among all nodes, oneself included",
            Run {
                traffic: RunTraffic::RandomAmongAll,
                ..base()
            },
        ),
    ]
}

/// Rows of strategies that try again at once, and with back-off.
fn without_rounds(levels: u32) -> Vec<Row> {
    let base = |words| Run {
        length: Length::Words(words),
        ..Run::immediate(levels, 1 << levels)
    };
    let backoff = |words, limit| Run {
        strategy: Strategy::Backoff { limit },
        ..base(words)
    };
    vec![
        row("immediate, 1 word", base(1)),
        row(
            "immediate, 1 word, freed by an early acknowledgement",
            Run {
                release: Release::EarlyAcknowledge,
                ..base(1)
            },
        ),
        row(
            "immediate, 1 word, freed by the tail",
            Run {
                release: Release::Tail,
                ..base(1)
            },
        ),
        row(
            "immediate, 1 word, fixed winner",
            Run {
                winner: Winner::Fixed,
                ..base(1)
            },
        ),
        row("immediate, 8 words", base(8)),
        row("immediate, 64 words", base(64)),
        row("back-off to 2^2 cycles, 1 word", backoff(1, 2)),
        row("back-off to 2^10 cycles, 1 word", backoff(1, 10)),
        row("back-off to 2^2 cycles, 64 words", backoff(64, 2)),
        row("back-off to 2^10 cycles, 64 words", backoff(64, 10)),
    ]
}

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("What the paper leaves open, and retry strategies");
    section.text(
        "The length of messages, the moment a circuit is freed, the winner of a collision and what \
         cycles are divided by are not given. The tables show what each choice does, with m = n and \
         random traffic.",
    );
    for &levels in context.sizes.options() {
        rounds_table(levels, context, &mut section)?;
        cycles_table(levels, context, &mut section)?;
    }
    strategies(context, &mut section)?;
    Ok(section)
}

/// Immediate retry against back-off in trees of all sizes.
fn strategies(context: &mut StrumpenContext, section: &mut Section) -> Result<(), Error> {
    let mut table = PageTable::new(
        "Cycles until all messages are acknowledged, m = n, bodies of 1 word: immediate retry and \
         binary exponential back-off to 2^10 cycles",
        [
            "n",
            "immediate",
            "± 95 %",
            "replicates",
            "back-off",
            "± 95 %",
            "replicates",
            "back-off / immediate",
        ],
    );
    let mut order = Order::default();
    for levels in context.sizes.levels(2).filter(|levels| levels % 2 == 0) {
        let nodes = 1u32 << levels;
        let at_once = Run::immediate(levels, nodes);
        let backoff = Run {
            strategy: Strategy::Backoff { limit: 10 },
            ..at_once.clone()
        };
        let decisive = context.sizes.decisive(levels, Statistic::Cycles);
        let at_once = context
            .point(&at_once.spec(decisive))?
            .of(Statistic::Cycles);
        let wanted = match levels {
            ..=10 => decisive,
            _ => context.sizes.glance(levels, Statistic::Cycles),
        };
        let backoff = context.point(&backoff.spec(wanted))?.of(Statistic::Cycles);
        order.below(&at_once, &backoff);
        let half = |tally| match half_width_95(tally) {
            half if half.is_finite() => format!("{half:.1}"),
            _ => "–".into(),
        };
        table.row([
            nodes.to_string(),
            format!("{:.1}", at_once.mean()),
            half(&at_once),
            at_once.count().to_string(),
            format!("{:.1}", backoff.mean()),
            half(&backoff),
            backoff.count().to_string(),
            format!("{:.3}", backoff.mean() / at_once.mean()),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let source = "S&K 2005, section 7: immediate retry is fastest; m = n, 1 word; one-sided, by three \
                  standard errors";
    let quantity = order.quantity(
        "sizes_at_which_immediate_retry_beats_back_off",
        source,
        None,
    );
    let quantity =
        quantity.named("sizes at which immediate retry takes fewer cycles than back-off to 2^10");
    section.claim(
        "Immediate retry against back-off, over n",
        "immediate retry delivers the highest performance, exponential back-off included",
        format!("faster than back-off to 2^10 cycles {}", order.words()),
        vec![quantity],
    );
    Ok(())
}

fn spec(run: &Run, context: &StrumpenContext, of: Statistic) -> Spec {
    run.spec(context.sizes.wanted(run.levels, of))
}

fn rounds_table(
    levels: u32,
    context: &mut StrumpenContext,
    section: &mut Section,
) -> Result<(), Error> {
    let mut table = PageTable::new(
        format!("Mean rounds, n = m = {}", 1u32 << levels),
        ["choice", "words", "rounds", "± 95 %", "against the first"],
    );
    let mut first = None;
    for Row { name, run } in in_rounds(levels) {
        let tally = context.point(&spec(&run, context, Statistic::Rounds))?;
        let tally = tally.of(Statistic::Rounds);
        let base = *first.get_or_insert(tally.mean());
        table.row([
            name.into(),
            run.words().to_string(),
            format!("{:.3}", tally.mean()),
            format!("{:.3}", half_width_95(&tally)),
            format!("{:+.1} %", 100.0 * (tally.mean() / base - 1.0)),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    Ok(())
}

fn cycles_table(
    levels: u32,
    context: &mut StrumpenContext,
    section: &mut Section,
) -> Result<(), Error> {
    let nodes = 1u32 << levels;
    let mut table = PageTable::new(
        format!(
            "Cycles until all messages are acknowledged, n = m = {nodes}; normalised by one message \
             across the diameter, to its acknowledgement and to its delivery; rounds per \
             normalised cycle count"
        ),
        [
            "choice",
            "cycles",
            "± 95 %",
            "/ acknowledged",
            "/ delivered",
            "rounds / acknowledged",
            "rounds / delivered",
        ],
    );
    let rounds = Run::rounds(levels, nodes);
    let rounds = context.point(&spec(&rounds, context, Statistic::Rounds))?;
    let rounds = rounds.of(Statistic::Rounds).mean();
    let mut found_rows: Vec<(Run, Tally)> = Vec::new();
    for Row { name, run } in without_rounds(levels) {
        // Long bodies take long, and their differences are large.
        let wanted = match run.length {
            Length::Words(..=8) => context.sizes.decisive(levels, Statistic::Cycles),
            _ => context.sizes.wanted(levels, Statistic::Cycles),
        };
        let found = Normalised::of(&run, wanted, context.points, context.watch)?;
        let delivered = found.cycles.mean() / found.alone_delivery_cycles;
        table.row([
            name.into(),
            format!("{:.1}", found.cycles.mean()),
            format!("{:.1}", half_width_95(&found.cycles)),
            format!("{:.2}", found.mean()),
            format!("{delivered:.2}"),
            format!("{:.2}", rounds / found.mean()),
            format!("{:.2}", rounds / delivered),
        ]);
        found_rows.push((run, found.cycles));
    }
    section.parts.push(PagePart::Table(table));
    let is_at_once = |row: &&(Run, Tally)| row.0.strategy == Strategy::Immediate;
    let at_once: Vec<&(Run, Tally)> = found_rows.iter().filter(is_at_once).collect();
    let mut order = Order::default();
    for (run, cycles) in found_rows.iter().filter(|row| !is_at_once(row)) {
        let alike = at_once.iter().find(|(other, _)| {
            other.length == run.length && other.release == run.release && other.winner == run.winner
        });
        if let Some((_, immediate)) = alike {
            order.below(immediate, cycles);
        }
    }
    let source =
        "S&K 2005, section 7: immediate retry is fastest; one-sided, by three standard errors";
    let id = format!("back_offs_that_immediate_retry_beats_n{nodes}");
    let quantity = order.quantity(id, source, None);
    let quantity = quantity.named(format!(
        "back-offs that take more cycles than immediate retry, n = {nodes}"
    ));
    section.claim(
        &format!("Immediate retry against back-off, n = {nodes}"),
        "immediate retry delivers the highest performance, exponential back-off included",
        format!(
            "faster than back-off to 2^2 and 2^10 cycles, bodies of 1 and 64 words, {}",
            order.words()
        ),
        vec![quantity],
    );
    Ok(())
}
