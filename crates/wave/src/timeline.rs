//! The contents of a drawing of a waveform: rows, and for each the runs of cycles in which the
//! value stays the same.
//!
//! Cycle c spans the times from `phase + c · period` up to the start of the next
//! one. Its value is the one at its start, after all changes at that time; what
//! changes later within the cycle shows in the next one, and a pulse between
//! two starts does not show, except that of a [`clock`]. Both drawings, [`terminal`](super::terminal) and
//! [`svg`](super::svg), are made from the [`Timeline`], so they agree.
//!
//! Cost: one pass over the changes of each row, and one step per cycle.

use super::clock;
use super::selection::CycleWindow;
use super::value::{Bit, WaveValue};
use super::waveform::{SignalKind, Waveform};
use crosswave_base::escape;

/// The most cycles that one drawing shows.
pub const MAX_CYCLES: u64 = 10_000;

/// The most characters of one value: the bits of a word.
const MAX_TEXT: usize = 64;

/// Cycles before and behind a window that are looked at for the edges of clocks.
const CYCLES_AROUND: u64 = 4;

/// One row of a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnRow {
    /// The name at the left.
    pub label: String,
    /// The heading above the first of the consecutive rows that have it; empty
    /// for none.
    pub group: String,
    /// Index of the signal; `None` for a clock that is not in the waveform, which
    /// rises at the start of every cycle.
    pub signal: Option<usize>,
}

impl DrawnRow {
    /// The row of a clock that is not in the waveform.
    pub fn clock(label: impl Into<String>) -> DrawnRow {
        DrawnRow {
            label: label.into(),
            group: String::new(),
            signal: None,
        }
    }
}

/// The rows of the signals that are kept, in order of declaration, under the
/// paths of their scopes. A signal with a string signal `<name>_name` next to it
/// is one row that shows the names.
///
/// # Panics
/// When `kept` has not one entry per signal; [`select`](super::select) makes one.
pub fn rows(wave: &Waveform, kept: &[bool]) -> Vec<DrawnRow> {
    assert_eq!(wave.signals.len(), kept.len(), "one entry per signal");
    let mut rows = Vec::new();
    // The path of the scope of the last row.
    let mut group = (None, String::new());
    let mut index = 0;
    while index < kept.len() {
        let signal = &wave.signals[index];
        let named = wave.names_of(index).is_some();
        if kept[index] {
            if signal.scope != group.0 {
                let path = signal.scope.map(|scope| wave.scope_path(scope));
                group = (signal.scope, path.unwrap_or_default());
            }
            rows.push(DrawnRow {
                label: signal.name.clone(),
                group: group.1.clone(),
                signal: Some(index + usize::from(named)),
            });
        }
        index += if named && kept[index] { 2 } else { 1 };
    }
    rows
}

/// The digits of vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Radix {
    /// Base 16.
    #[default]
    Hexadecimal,
    /// Base 2.
    Binary,
    /// Base 10.
    Decimal,
    /// Base 10 for ids and counts, which are told by their names, and base 16 for all others.
    Natural,
}

/// The last words of names of signals that are ids or counts.
const COUNTED: [&str; 18] = [
    "attempt",
    "attempts",
    "collisions",
    "count",
    "cycle",
    "cycles",
    "destination",
    "held",
    "id",
    "level",
    "longest",
    "message",
    "messages",
    "node",
    "packet",
    "packets",
    "queued",
    "source",
];

impl Radix {
    /// The base for a signal with this name: itself, unless it is [`Radix::Natural`].
    pub fn of_name(self, name: &str) -> Radix {
        let last = name.rsplit('_').next().unwrap_or(name);
        match self {
            Radix::Natural if COUNTED.contains(&last) => Radix::Decimal,
            Radix::Natural => Radix::Hexadecimal,
            radix => radix,
        }
    }
}

/// Options of a drawing: the part of a waveform that is drawn, and its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawOptions {
    /// The cycles shown; those after the end of the waveform, and those after
    /// the first [`MAX_CYCLES`], are not.
    pub window: CycleWindow,
    /// Length of a cycle in units of the timescale; 0 counts as 1.
    pub period: u64,
    /// Time at which cycle 0 starts.
    pub phase: u64,
    /// The notation of vectors.
    pub radix: Radix,
    /// Only ASCII characters (text only).
    pub ascii: bool,
    /// Characters per cycle, from 2 (text only); `None` makes values fit.
    pub column_width: Option<usize>,
    /// Characters per line (text only): longer drawings are broken into several,
    /// one below the other. `None` for no limit.
    pub line_width: Option<usize>,
    /// A heading (SVG only); empty for none.
    pub title: String,
}

impl DrawOptions {
    /// The time at which a cycle starts.
    pub fn start_of(&self, cycle: u64) -> u64 {
        self.phase
            .saturating_add(cycle.saturating_mul(self.period.max(1)))
    }

    /// The first and the last time of which changes are needed to draw the window, with
    /// some cycles around it in which clocks are told from other signals.
    pub fn times(&self) -> (u64, u64) {
        let first = self.window.first.saturating_sub(CYCLES_AROUND);
        let behind = self.window.last.saturating_add(1 + CYCLES_AROUND);
        (self.start_of(first), self.start_of(behind))
    }
}

impl Default for DrawOptions {
    /// Everything, with a period of one unit of time.
    fn default() -> Self {
        DrawOptions {
            window: CycleWindow::ALL,
            period: 1,
            phase: 0,
            radix: Radix::default(),
            ascii: false,
            column_width: None,
            line_width: None,
            title: String::new(),
        }
    }
}

/// The value that a run of cycles shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawnValue {
    /// A scalar 0.
    Low,
    /// A scalar 1.
    High,
    /// A clock: 1 and then 0 in every cycle.
    HighLow,
    /// A clock: 0 and then 1 in every cycle.
    LowHigh,
    /// All bits unknown, or no value yet.
    Unknown,
    /// All bits not driven.
    Floating,
    /// The value of a vector in hexadecimal, a name, or a number.
    Text(String),
    /// An event that does not fire.
    Quiet,
    /// An event that fires so many times in one cycle.
    Fired(usize),
}

/// Consecutive cycles with one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The first cycle, counted from the start of the timeline.
    pub start: usize,
    /// The first cycle after it.
    pub end: usize,
    /// The value.
    pub shown: DrawnValue,
    /// True when the value changes at the start; false for a first run whose value was there
    /// before.
    pub begins: bool,
}

/// The form of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineForm {
    /// A clock.
    Clock,
    /// High and low.
    Scalar,
    /// Hexadecimal or real numbers.
    Vector,
    /// Names.
    Names,
    /// Marks where an event fires.
    Event,
}

/// One row with what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The name at the left.
    pub label: String,
    /// The heading, if the row begins a group; empty if that has none.
    pub heading: Option<String>,
    /// True when the row lies under a heading.
    pub indented: bool,
    /// The form.
    pub form: LineForm,
    /// The runs, which fill the timeline.
    pub runs: Vec<Stretch>,
}

/// A drawing before it has a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// The first cycle shown.
    pub first: u64,
    /// Number of cycles shown.
    pub cycles: usize,
    /// Number of further cycles of the window, which are not shown.
    pub cut: u64,
    /// The rows.
    pub lines: Vec<Line>,
}

impl Timeline {
    /// Samples `rows` of `wave` in the cycles that `options` asks for.
    ///
    /// # Panics
    /// When a row has a signal that `wave` has not.
    pub fn new(wave: &Waveform, rows: &[DrawnRow], options: &DrawOptions) -> Timeline {
        let period = options.period.max(1);
        let first = options.window.first;
        let behind = options.window.last.saturating_add(1);
        let wanted = behind
            .min(wave.cycles(period, options.phase))
            .saturating_sub(first);
        let cycles = wanted.min(MAX_CYCLES);
        let mut timeline = Timeline {
            first,
            cycles: cycles as usize,
            cut: wanted - cycles,
            lines: Vec::with_capacity(rows.len()),
        };
        let mut group = "";
        for row in rows {
            let heading = (row.group != group).then(|| label(&row.group));
            group = &row.group;
            let grid = Grid {
                options,
                first,
                cycles,
            };
            let (form, runs) = match row.signal {
                None => (LineForm::Clock, grid.ideal_clock()),
                Some(signal) if wave.signals[signal].kind == SignalKind::Event => {
                    (LineForm::Event, grid.firings(wave, signal))
                }
                Some(signal) if clock::phase_of(wave, signal, period).is_some() => {
                    (LineForm::Clock, grid.sample(wave, signal, true))
                }
                Some(signal) => (form(wave, signal), grid.sample(wave, signal, false)),
            };
            timeline.lines.push(Line {
                label: label(&row.label),
                heading,
                indented: !group.is_empty(),
                form,
                runs,
            });
        }
        timeline
    }

    /// The smallest width of a cycle, in characters and within `limits`, at which
    /// every value fits, with `margin` characters besides it in its run.
    pub(super) fn fitting_width(&self, margin: usize, limits: (usize, usize)) -> usize {
        let runs = self.lines.iter().flat_map(|line| &line.runs);
        runs.filter_map(|run| match &run.shown {
            DrawnValue::Text(text) => {
                Some((text.chars().count() + margin).div_ceil(run.end - run.start))
            }
            _ => None,
        })
        .fold(limits.0, usize::max)
        .min(limits.1)
    }

    /// Number of cycles between the numbers of a ruler, where a cycle has `width` characters: 1, 2,
    /// 5, 10, 20 …
    pub(super) fn ruler_step(&self, width: usize) -> u64 {
        let last = self.first.saturating_add(self.cycles as u64);
        let needed = last.to_string().len() + 1;
        let mut step = 1_u64;
        loop {
            for factor in [1, 2, 5] {
                if (factor * step).saturating_mul(width as u64) >= needed as u64 {
                    return factor * step;
                }
            }
            step *= 10;
        }
    }
}

fn form(wave: &Waveform, signal: usize) -> LineForm {
    let signal = &wave.signals[signal];
    match signal.kind {
        SignalKind::Text => LineForm::Names,
        SignalKind::Bits if signal.width == 1 => LineForm::Scalar,
        SignalKind::Bits | SignalKind::Real => LineForm::Vector,
        SignalKind::Event => LineForm::Event,
    }
}

/// The cycles that are shown.
struct Grid<'a> {
    options: &'a DrawOptions,
    first: u64,
    cycles: u64,
}

impl Grid<'_> {
    /// Time at which a cycle starts; cycles count from the first that is shown.
    fn start(&self, cycle: u64) -> u64 {
        self.options.start_of(self.first.saturating_add(cycle))
    }

    /// The runs of a clock that rises at the start of every cycle.
    fn ideal_clock(&self) -> Vec<Stretch> {
        let run = Stretch {
            start: 0,
            end: self.cycles as usize,
            shown: DrawnValue::HighLow,
            begins: true,
        };
        Vec::from_iter((self.cycles > 0).then_some(run))
    }

    /// The runs of an event: one for each cycle in which it fires, and those between. An event
    /// fires in the cycle whose times have the one of the firing.
    fn firings(&self, wave: &Waveform, signal: usize) -> Vec<Stretch> {
        let changes = wave.changes(signal);
        let before = |cycle: u64| {
            let last = self.start(cycle).checked_sub(1);
            last.map_or(0, |last| changes.count_until(last))
        };
        let mut runs: Vec<Stretch> = Vec::new();
        let mut fired = before(0);
        for cycle in 0..self.cycles {
            let (at, until) = (cycle as usize, before(cycle + 1));
            let shown = match until - fired {
                0 => DrawnValue::Quiet,
                count => DrawnValue::Fired(count),
            };
            fired = until;
            match runs.last_mut() {
                Some(run) if shown == DrawnValue::Quiet && run.shown == shown => run.end = at + 1,
                _ => runs.push(Stretch {
                    start: at,
                    end: at + 1,
                    begins: shown != DrawnValue::Quiet,
                    shown,
                }),
            }
        }
        runs
    }

    /// The runs of a signal; those of a clock show its pulses.
    fn sample(&self, wave: &Waveform, signal: usize, pulses: bool) -> Vec<Stretch> {
        let radix = self.options.radix;
        let changes = wave.changes(signal);
        let start = self.start(0);
        let mut next = start
            .checked_sub(1)
            .map_or(0, |last| changes.count_until(last));
        // The value before the window, and the one of the run that grows.
        let mut value = next.checked_sub(1).map(|last| changes.value(last));
        let before = value.clone();
        let mut pulse = false;
        let mut runs: Vec<Stretch> = Vec::new();
        for cycle in 0..self.cycles {
            let last = (value.clone(), pulse);
            let (time, end) = (self.start(cycle), self.start(cycle + 1));
            while next < changes.len() && changes.time(next) <= time {
                value = Some(changes.value(next));
                next += 1;
            }
            let changed = match next < changes.len() {
                true => changes.time(next) < end,
                // A waveform that ends within a cycle has not the end of its pulse.
                false => pulse && wave.end < end,
            };
            pulse = pulses && changed;
            let at = cycle as usize;
            let begins = match runs.last_mut() {
                Some(run) if last.1 == pulse && last.0 == value => {
                    run.end = at + 1;
                    continue;
                }
                Some(run) => !matches!(
                    (&run.shown, show(wave, signal, value.as_ref(), radix)),
                    (DrawnValue::HighLow, DrawnValue::Low)
                        | (DrawnValue::LowHigh, DrawnValue::High)
                ),
                None => before.is_some() && before != value,
            };
            runs.push(Stretch {
                start: at,
                end: at + 1,
                shown: match show(wave, signal, value.as_ref(), radix) {
                    DrawnValue::High if pulse => DrawnValue::HighLow,
                    DrawnValue::Low if pulse => DrawnValue::LowHigh,
                    shown => shown,
                },
                begins,
            });
        }
        runs
    }
}

fn show(wave: &Waveform, signal: usize, value: Option<&WaveValue>, radix: Radix) -> DrawnValue {
    let Some(value) = value else {
        return DrawnValue::Unknown;
    };
    if value.is_unknown() {
        return DrawnValue::Unknown;
    }
    let width = wave.signals[signal].width;
    let radix = radix.of_name(&wave.signals[signal].name);
    match value {
        WaveValue::Known(0) if width == 1 => DrawnValue::Low,
        WaveValue::Known(_) if width == 1 => DrawnValue::High,
        WaveValue::Bits(bits) if **bits == [Bit::Z] => DrawnValue::Floating,
        WaveValue::Known(_) | WaveValue::Bits(_) => {
            let digits = match radix {
                Radix::Hexadecimal | Radix::Natural => value.hexadecimal(width, MAX_TEXT + 1),
                Radix::Binary => (0..width)
                    .rev()
                    .take(MAX_TEXT + 1)
                    .map(|position| Some(value.bit(position)?.as_char()))
                    .collect(),
                Radix::Decimal => value.decimal(),
            };
            DrawnValue::Text(shortened(&digits.unwrap_or_default(), MAX_TEXT, '…'))
        }
        WaveValue::Text(text) => DrawnValue::Text(label(text)),
        WaveValue::Fired => DrawnValue::Fired(1),
        WaveValue::Real(number) => DrawnValue::Text(shortened(&number.to_string(), MAX_TEXT, '…')),
    }
}

/// A name or value as it is drawn: harmless, and not too long.
fn label(text: &str) -> String {
    let head: String = text.chars().take(2 * MAX_TEXT + 1).collect();
    shortened(&escape::line(&head), 2 * MAX_TEXT, '…')
}

/// The first characters of a text that is longer than `limit`, with `mark` as
/// the last of them.
pub(super) fn shortened(text: &str, limit: usize, mark: char) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    if limit > 0 {
        short.push(mark);
    }
    short
}
