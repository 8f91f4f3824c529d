//! The beginning of a waveform is read once before it is drawn, to choose what is drawn.
//!
//! With a window that is its first [`CYCLES`] cycles; without one, as many behind the first
//! change of a known value, however late that comes.

use super::ShowArgs;
use crosswave_base::diagnostic::Error;
use crosswave_base::escape;
use crosswave_wave::overview::{self, FirstCycles, Overview};
use crosswave_wave::{CycleWindow, DrawOptions, DrawnRow, WaveSource, rows, terminal};

/// Cycles that are looked at.
const CYCLES: u64 = 256;

/// Values that are kept of them at most, about.
const VALUES_MAX: u64 = 1 << 22;

/// The least number of cycles that are looked at.
const CYCLES_MIN: u64 = 32;

/// The signals that move at the beginning of a waveform, and the cycle in which that begins.
pub(super) struct Survey {
    /// The cycle at which a drawing without a window begins.
    pub(super) begin: u64,
    /// The cycle in which the first signal of the file has a value.
    first_cycle: u64,
    overview: Overview,
    /// Lines of the drawing.
    lines: usize,
}

impl Survey {
    /// Looks at the signals that are kept, and chooses those that change in the window that is
    /// asked for, or in so many cycles from the first change on, for a drawing of so many lines.
    /// The phase is set in `options`.
    pub(super) fn new(
        reader: &mut WaveSource,
        kept: &[bool],
        args: &ShowArgs,
        cycles: u64,
        lines: usize,
        options: &mut DrawOptions,
    ) -> Result<Survey, Error> {
        // Names are read with the signals that they name.
        let mut kept = kept.to_vec();
        for signal in rows(reader.declared(), &kept)
            .into_iter()
            .filter_map(|row| row.signal)
        {
            kept[signal] = true;
        }
        let kept = &kept[..];
        let first_time = reader.first_time()?;
        options.phase = reader.phase(kept, args.period)?.unwrap_or(0);
        let signals = kept.iter().filter(|kept| **kept).count().max(1) as u64;
        let span = (VALUES_MAX / signals).clamp(CYCLES_MIN, CYCLES);
        let (begin, window, times) = match args.window.is_some() {
            true => {
                let CycleWindow { first, last } = options.window;
                let last = last.min(first.saturating_add(span));
                let looked = DrawOptions {
                    window: CycleWindow { first, last },
                    ..options.clone()
                };
                (first, looked.window, looked.times())
            }
            false => {
                let first = FirstMove::find(reader, kept, first_time, span, options)?;
                let last = first.begin.saturating_add(cycles - 1);
                let window = CycleWindow {
                    first: first.begin,
                    last,
                };
                (first.begin, window, (0, first.until))
            }
        };
        let wave = reader.part(kept, times)?;
        let mut overview = overview::choose(wave, kept, window, lines, options);
        // With fewer cycles beside each other, other signals may say more.
        if args.window.is_none() && options.line_width.is_some() && !overview.rows.is_empty() {
            let drawn = DrawOptions {
                window,
                ..options.clone()
            };
            let beside = terminal::cycles_beside(wave, &overview.rows, &drawn);
            let last = begin.saturating_add(beside - 1).min(window.last);
            let window = CycleWindow { first: begin, last };
            overview = overview::choose(wave, kept, window, lines, options);
        }
        let first_cycle = first_time.saturating_sub(options.phase) / options.period;
        Ok(Survey {
            begin,
            first_cycle,
            overview,
            lines,
        })
    }

    /// The rows that are drawn; where nothing changes, the first that fit of all rows.
    pub(super) fn rows(&self, mut all: Vec<DrawnRow>) -> Vec<DrawnRow> {
        if !self.overview.rows.is_empty() {
            return self.overview.rows.clone();
        }
        let mut left = self.lines;
        let mut group = String::new();
        let fitting = all.iter().take_while(|row| {
            let needed = 1 + usize::from(row.group != group);
            group.clone_from(&row.group);
            let fits = needed <= left;
            left = left.saturating_sub(needed);
            fits
        });
        let fitting = fitting.count().max(1).min(all.len());
        all.truncate(fitting);
        all
    }

    /// Lines that say what is drawn in a window, and how to see other signals; none where all are
    /// drawn.
    pub(super) fn text(&self, window: CycleWindow, mark: &str) -> String {
        let Overview {
            rows,
            moving,
            constant,
        } = &self.overview;
        if rows.len() == *moving && *constant == 0 {
            return String::new();
        }
        let cycles = match window.last {
            u64::MAX => format!("from cycle {} on", window.first),
            last => format!("in cycles {} to {last}", window.first),
        };
        if rows.is_empty() {
            let begin = match window.first < self.first_cycle {
                true => format!("; the file begins in cycle {}", self.first_cycle),
                false => String::new(),
            };
            return format!(
                "{mark} no signal changes {cycles}: the first ones are drawn{begin}\n{mark} \
                 --list lists all signals, --scope and --window draw others\n"
            );
        }
        let of_moving = match rows.len() == *moving {
            true => format!("the {moving}"),
            false => format!("{} of {moving}", rows.len()),
        };
        let example = rows.first().map_or("", |row| row.group.as_str());
        let example = escape::line(example);
        format!(
            "{mark} chosen: {of_moving} signals that change {cycles}\n{mark} --list \
             lists all signals, --scope '{example}' draws all of a scope\n"
        )
    }
}

/// The first cycle that is drawn, and the time up to which signals are looked at.
struct FirstMove {
    begin: u64,
    until: u64,
}

impl FirstMove {
    /// Reads on until something moves, or to the end.
    fn find(
        reader: &mut WaveSource,
        kept: &[bool],
        first_time: u64,
        span: u64,
        options: &DrawOptions,
    ) -> Result<FirstMove, Error> {
        let mut looked = span;
        loop {
            let cycles = |cycles: u64| cycles.saturating_mul(options.period);
            let until = first_time.saturating_add(cycles(looked));
            let wave = reader.part(kept, (0, until))?;
            let first = FirstCycles::new(wave, kept, options);
            if first.moves.is_some() || wave.end <= until || until == u64::MAX {
                let begin = first.begin();
                let needed = options.start_of(begin.saturating_add(span));
                return Ok(FirstMove {
                    begin,
                    until: until.max(needed),
                });
            }
            looked = looked.saturating_mul(2);
        }
    }
}
