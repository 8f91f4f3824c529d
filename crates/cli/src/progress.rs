//! Progress of anything that takes long: on a terminal a line that is written over, in a log
//! a line now and then. Where the end is known, with the share that is done and the time that
//! is left if the rest goes as what is done went.
//!
//! The clock is read here and goes into these lines only. What decides when a line is due and
//! what it says is told the time, so that tests can tell another one.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::interrupt;
use crosswave_base::escape;
use crosswave_observe::points::watch::Watch;
use crosswave_probe::engine::Engine;
use crosswave_run::observer::Observer;

/// Time between lines of a log. What takes less than that long needs none.
const LOG_EVERY: Duration = Duration::from_secs(60);

/// Time after which a terminal is told. What takes less needs no line.
const TERMINAL_AFTER: Duration = Duration::from_secs(1);

/// Time after which what is left is estimated.
const ESTIMATE_AFTER: Duration = Duration::from_secs(1);

/// The least share from which what is left is estimated.
const ESTIMATE_FROM: f64 = 0.001;

/// Most calls between looks at the clock.
const CALLS_MAX: u64 = 256;

/// Time between looks to aim at, so that what takes long for a call shows progress too.
const LOOK_TIME: Duration = Duration::from_millis(50);

/// Decides when to look at the clock, since a look takes as long as some cycles of a small network.
struct Pace {
    looked: Duration,
    calls_left: u64,
    calls_per_look: u64,
}

impl Pace {
    const NEW: Pace = Pace {
        looked: Duration::ZERO,
        calls_left: 1,
        calls_per_look: 1,
    };

    /// Counts a call; what the clock says when it is time to look at it.
    fn look(&mut self, clock: impl FnOnce() -> Duration) -> Option<Duration> {
        self.calls_left -= 1;
        if self.calls_left > 0 {
            return None;
        }
        let now = clock();
        self.calls_per_look = match now.saturating_sub(self.looked) < LOOK_TIME {
            true => (self.calls_per_look * 2).min(CALLS_MAX),
            false => (self.calls_per_look / 2).max(1),
        };
        self.calls_left = self.calls_per_look;
        self.looked = now;
        Some(now)
    }
}

/// The end of a line: the share that is done and, once it can be estimated, the time that the rest
/// takes; `elapsed` counts from the beginning of the whole.
fn outlook(elapsed: Duration, share: f64) -> String {
    let share = share.clamp(0.0, 1.0);
    let percent = (100.0 * share).floor();
    let left = elapsed.as_secs_f64() * (1.0 - share) / share;
    match Duration::try_from_secs_f64(left) {
        Ok(left) if elapsed >= ESTIMATE_AFTER && share >= ESTIMATE_FROM => {
            format!(", {percent} %, {} left", rounded(left))
        }
        _ => format!(", {percent} %"),
    }
}

/// A time in the units that suit it, rounded up.
fn rounded(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let minutes = seconds.div_ceil(60);
    match minutes {
        _ if seconds < 100 => format!("{seconds} s"),
        0..60 => format!("{minutes} min"),
        60..2880 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => format!("{} days", minutes.div_ceil(1440)),
    }
}

/// Display of progress, from the beginning of a command's work to its end.
pub(super) struct Display {
    began: Instant,
    pace: Pace,
    on_terminal: bool,
    /// Time of the last line in a log, after the beginning.
    logged: Duration,
    bar: Option<ProgressBar>,
}

impl Display {
    /// Shows progress on standard error. The work begins now.
    pub(super) fn new() -> Display {
        Display {
            began: Instant::now(),
            pace: Pace::NEW,
            on_terminal: std::io::stderr().is_terminal(),
            logged: Duration::ZERO,
            bar: None,
        }
    }

    /// Counts a call; the time since the beginning when it is time for a line.
    pub(super) fn is_due(&mut self) -> Option<Duration> {
        let began = self.began;
        let now = self.pace.look(|| began.elapsed())?;
        self.is_due_at(now).then_some(now)
    }

    /// True when a line is due at a time after the beginning. In a log the next line is due only
    /// after a while.
    fn is_due_at(&mut self, now: Duration) -> bool {
        if self.on_terminal {
            return now >= TERMINAL_AFTER;
        }
        let due = now.saturating_sub(self.logged) >= LOG_EVERY;
        if due {
            self.logged = now;
        }
        due
    }

    /// Shows a line.
    pub(super) fn show(&mut self, text: String) {
        if !self.on_terminal {
            super::say(&escape::line(&text));
            return;
        }
        let bar = self.bar.get_or_insert_with(spinner);
        bar.set_message(escape::line(&text).into_owned());
        bar.tick();
    }

    /// Shows how many of all cycles are done, when it is time to.
    pub(super) fn cycles(&mut self, done: u64, all: u64) {
        self.part("cycle", done, all);
    }

    /// Shows how many of all parts are done, when it is time to.
    pub(super) fn part(&mut self, part: &str, done: u64, all: u64) {
        if let Some(now) = self.is_due() {
            let share = done as f64 / all as f64;
            self.show(format!("{part} {done} of {all}{}", outlook(now, share)));
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn spinner() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}");
    ProgressBar::new_spinner()
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

/// Shows what a study is doing.
pub(super) struct Status {
    display: Display,
    /// The share that is done, where it is known.
    share: Option<f64>,
}

impl Status {
    /// The display of a study that has not begun.
    pub(super) fn new() -> Status {
        Status {
            display: Display::new(),
            share: None,
        }
    }
}

impl Watch for Status {
    fn done(&mut self, share: f64) {
        self.share = Some(share);
    }

    fn begins(&mut self, what: &str) {
        let now = self.display.began.elapsed();
        let left = self
            .share
            .map_or(String::new(), |share| outlook(now, share));
        let line = format!("{what}{left}");
        if self.display.on_terminal {
            let begins = self.display.bar.is_none();
            self.display.show(line);
            if let (true, Some(bar)) = (begins, &self.display.bar) {
                bar.enable_steady_tick(Duration::from_millis(100));
            }
        } else if self.display.is_due_at(now) {
            self.display.show(line);
        }
    }
}

/// The part of a command's work that a run of some replicates is.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunPart {
    /// Replicates before it.
    pub first: u32,
    /// Replicates of it.
    pub count: usize,
    /// Replicates in all.
    pub all: u32,
    /// The last cycle of each at most.
    pub cycles_max: u64,
}

impl RunPart {
    /// The share of the whole that is done when messages of the part were acknowledged, and
    /// a cycle is reached. A run ends with its last message or its last cycle, whichever
    /// comes first.
    fn share(&self, (acknowledged, messages): (usize, usize), cycle: u64) -> f64 {
        let by_messages = acknowledged as f64 / messages.max(1) as f64;
        let by_cycles = cycle as f64 / self.cycles_max.max(1) as f64;
        let of_part = by_messages.max(by_cycles).min(1.0);
        (f64::from(self.first) + of_part * self.count as f64) / f64::from(self.all)
    }

    /// The title: the thing that is simulated.
    fn title(&self) -> String {
        match (self.all, self.count) {
            (1, _) => "simulating".to_owned(),
            (all, 1) => format!("replicate {} of {all}", self.first + 1),
            (all, count) => {
                let last = self.first as usize + count;
                format!("replicates {} to {last} of {all}", self.first + 1)
            }
        }
    }
}

/// Shows how far a run is, and passes everything on to the observer within.
pub(super) struct Progress<'a, O> {
    inner: &'a mut O,
    display: &'a mut Display,
    part: RunPart,
    started: Instant,
    /// Messages that were acknowledged, and all.
    messages: (usize, usize),
    /// Cycles that were evaluated.
    cycles: u64,
    /// The cycle of the last call.
    cycle: u64,
}

impl<'a, O> Progress<'a, O> {
    pub(super) fn new(display: &'a mut Display, part: RunPart, inner: &'a mut O) -> Self {
        Progress {
            inner,
            display,
            part,
            started: Instant::now(),
            messages: (0, 0),
            cycles: 0,
            cycle: 0,
        }
    }
}

impl<O: Observer> Observer for Progress<'_, O> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        if self.cycle == 0 {
            interrupt::heed();
        }
        self.inner.cycle(engine, clocked);
        if clocked {
            self.cycles += engine.cycle() - self.cycle;
        }
        self.cycle = engine.cycle();
        let Some(now) = self.display.is_due() else {
            return;
        };
        let rate = self.cycles as f64 / self.started.elapsed().as_secs_f64();
        self.display.show(format!(
            "{}: cycle {}, {rate:.0} cycles/s{}",
            self.part.title(),
            self.cycle,
            outlook(now, self.part.share(self.messages, self.cycle))
        ));
    }

    fn rests(&mut self, engine: &dyn Engine, next_cycle: u64) {
        self.inner.rests(engine, next_cycle);
    }

    fn on_progress(&mut self, acknowledged: usize, messages: usize) {
        self.messages = (acknowledged, messages);
        self.inner.on_progress(acknowledged, messages);
    }

    fn takes_bursts(&self) -> bool {
        self.inner.takes_bursts()
    }

    fn interrupted(&mut self) -> bool {
        interrupt::interrupted() || self.inner.interrupted()
    }
}

/// Batches of replicates that run side by side, and how far they are.
pub(super) struct Beside {
    /// Replicates that were done before.
    first: u32,
    all: u32,
    cycles_max: u64,
    /// Millionths of replicates that are done.
    done: AtomicU64,
}

/// One replicate in [`Beside::done`].
const MILLION: f64 = 1e6;

impl Beside {
    /// Batches of the replicates from `first` to `all`, whose last cycle at most is given.
    pub(super) fn new(first: u32, all: u32, cycles_max: u64) -> Beside {
        Beside {
            first,
            all,
            cycles_max,
            done: AtomicU64::new(0),
        }
    }

    /// The observer of a batch of so many replicates, which ends when someone interrupts, or when
    /// `stop` is set.
    pub(super) fn batch<'a>(&'a self, replicates: usize, stop: &'a AtomicBool) -> BesideBatch<'a> {
        interrupt::heed();
        BesideBatch {
            beside: self,
            replicates,
            stop,
            messages: (0, 0),
            calls: 0,
            told: 0,
        }
    }

    /// Shows it, when it is time to. It is called now and then.
    pub(super) fn show(&self, display: &mut Display) {
        let now = display.began.elapsed();
        if display.is_due_at(now) {
            let done = self.done.load(Ordering::Relaxed) as f64 / MILLION;
            let done = f64::from(self.first) + done;
            let all = self.all;
            let share = outlook(now, done / f64::from(all));
            display.show(format!("{done:.0} of {all} replicates{share}"));
        }
    }
}

/// Tells how far a batch is.
pub(super) struct BesideBatch<'a> {
    beside: &'a Beside,
    replicates: usize,
    stop: &'a AtomicBool,
    messages: (usize, usize),
    calls: u64,
    /// Millionths that were told.
    told: u64,
}

impl BesideBatch<'_> {
    fn tell(&mut self, share: f64) {
        let done = (share.min(1.0) * self.replicates as f64 * MILLION) as u64;
        let more = done.saturating_sub(self.told);
        self.beside.done.fetch_add(more, Ordering::Relaxed);
        self.told += more;
    }
}

impl Observer for BesideBatch<'_> {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.calls += 1;
        if self.calls.is_multiple_of(CALLS_MAX) {
            let (acknowledged, messages) = self.messages;
            let by_messages = acknowledged as f64 / messages.max(1) as f64;
            let by_cycles = engine.cycle() as f64 / self.beside.cycles_max.max(1) as f64;
            self.tell(by_messages.max(by_cycles));
        }
    }

    fn on_progress(&mut self, acknowledged: usize, messages: usize) {
        self.messages = (acknowledged, messages);
    }

    fn takes_bursts(&self) -> bool {
        true
    }

    fn interrupted(&mut self) -> bool {
        interrupt::interrupted() || self.stop.load(Ordering::Relaxed)
    }
}

impl Drop for BesideBatch<'_> {
    fn drop(&mut self) {
        self.tell(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn what_is_left_follows_from_what_is_done() {
        assert_eq!(outlook(seconds(30), 0.25), ", 25 %, 90 s left");
        assert_eq!(outlook(seconds(60), 0.5), ", 50 %, 60 s left");
        assert_eq!(outlook(seconds(60), 0.999), ", 99 %, 1 s left");
        assert_eq!(outlook(seconds(60), 1.0), ", 100 %, 0 s left");
        assert_eq!(outlook(seconds(60), 7.0), ", 100 %, 0 s left");
        assert_eq!(outlook(seconds(600), 0.1), ", 10 %, 1 h 30 min left");
        assert_eq!(outlook(seconds(200), 0.4), ", 40 %, 5 min left");
        assert_eq!(outlook(seconds(3600), 0.01), ", 1 %, 5 days left");
        // Too little is done, or too soon.
        assert_eq!(outlook(Duration::from_millis(999), 0.5), ", 50 %");
        assert_eq!(outlook(seconds(60), 0.0009), ", 0 %");
        assert_eq!(outlook(seconds(60), 0.0), ", 0 %");
    }

    #[test]
    fn a_run_ends_with_its_messages_or_its_cycles() {
        let part = RunPart {
            first: 2,
            count: 2,
            all: 8,
            cycles_max: 1000,
        };
        assert_eq!(part.share((0, 40), 0), 0.25);
        assert_eq!(part.share((20, 40), 100), 0.375);
        assert_eq!(part.share((0, 40), 500), 0.375);
        assert_eq!(part.share((40, 40), 500), 0.5);
        assert_eq!(part.share((0, 0), 2000), 0.5, "a burst goes beyond");
        assert_eq!(part.title(), "replicates 3 to 4 of 8");
        let last = RunPart {
            first: 7,
            count: 1,
            ..part
        };
        assert_eq!(last.share((40, 40), 9), 1.0);
        assert_eq!(last.title(), "replicate 8 of 8");
    }

    /// The calls of 1,000 at which the clock is looked at, and what it says; a call takes
    /// so long.
    fn looks(call: Duration) -> Vec<(u32, Duration)> {
        let mut pace = Pace::NEW;
        let look = |at| Some((at, pace.look(|| call * at)?));
        (1..=1000).filter_map(look).collect()
    }

    #[test]
    fn the_clock_is_looked_at_twenty_times_a_second() {
        let quick = looks(Duration::from_micros(1));
        let calls: Vec<u32> = quick.iter().map(|(at, _)| *at).collect();
        assert_eq!(calls, [1, 3, 7, 15, 31, 63, 127, 255, 511, 767]);
        assert_eq!(looks(seconds(1)).len(), 1000);
        let slow = looks(Duration::from_millis(10));
        let gaps = slow.windows(2).map(|pair| pair[1].1 - pair[0].1);
        assert!(gaps.max() <= Some(Duration::from_millis(80)));
        assert!(slow.len() < 300, "{}", slow.len());
    }

    #[test]
    fn a_log_is_told_once_a_minute_and_a_terminal_from_the_first_second_on() {
        let due = |on_terminal| {
            let mut display = Display::new();
            display.on_terminal = on_terminal;
            let times = [0, 1, 2, 59, 60, 61, 119, 121, 180, 181];
            let due = times.map(|time| display.is_due_at(seconds(time)));
            times
                .into_iter()
                .zip(due)
                .filter(|(_, due)| *due)
                .map(|(time, _)| time)
                .collect::<Vec<_>>()
        };
        assert_eq!(due(false), [60, 121, 181]);
        assert_eq!(due(true), [1, 2, 59, 60, 61, 119, 121, 180, 181]);
    }
}
