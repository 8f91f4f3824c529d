//! Progress on a terminal for anything that takes long.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::interrupt;
use crate::experiment::host::Observer;
use crate::experiment::study::Watch;
use crate::probe::engine::Engine;

/// Time between lines of progress where there is no terminal.
const SAY_EVERY: Duration = Duration::from_secs(60);

/// Shows what a study is doing.
pub(super) struct Status {
    bar: Option<ProgressBar>,
    /// When a line was said last, without a terminal.
    said: Option<Instant>,
}

impl Status {
    /// Of a study that has not begun.
    pub(super) fn new() -> Status {
        Status {
            bar: None,
            // What takes less than that long needs no line.
            said: Some(Instant::now()),
        }
    }
}

impl Watch for Status {
    fn begins(&mut self, what: &str) {
        if !std::io::stderr().is_terminal() {
            // A log is told now and then.
            if self.said.is_none_or(|said| said.elapsed() >= SAY_EVERY) {
                self.said = Some(Instant::now());
                super::say(what);
            }
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = spinner();
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        bar.set_message(what.to_owned());
    }
}

impl Drop for Status {
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

/// Most calls between looks at the clock.
const LOOK_EVERY: u64 = 256;

/// Time between looks to aim at, so that slow engines show progress too.
const LOOK_TIME: Duration = Duration::from_millis(50);

/// Shows the cycle that a run has reached, and passes everything on to the
/// observer within.
pub(super) struct Progress<'a, O> {
    inner: &'a mut O,
    bar: Option<ProgressBar>,
    title: String,
    started: Instant,
    /// Cycles that were evaluated.
    cycles: u64,
    /// The cycle of the last call.
    cycle: u64,
    looked: Instant,
    /// Calls until the next look.
    calls_left: u64,
    calls_per_look: u64,
}

impl<'a, O> Progress<'a, O> {
    pub(super) fn new(title: String, inner: &'a mut O) -> Self {
        Progress {
            inner,
            bar: None,
            title,
            started: Instant::now(),
            cycles: 0,
            cycle: 0,
            looked: Instant::now(),
            calls_left: 1,
            calls_per_look: 1,
        }
    }
}

impl<O> Drop for Progress<'_, O> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl<O: Observer<dyn Engine>> Observer<dyn Engine> for Progress<'_, O> {
    fn cycle(&mut self, engine: &(dyn Engine + 'static), clocked: bool) {
        if self.cycle == 0 {
            interrupt::heed();
        }
        self.inner.cycle(engine, clocked);
        if clocked {
            self.cycles += engine.cycle() - self.cycle;
        }
        self.cycle = engine.cycle();
        self.calls_left -= 1;
        if self.calls_left > 0 {
            return;
        }
        self.calls_per_look = if self.looked.elapsed() < LOOK_TIME {
            (self.calls_per_look * 2).min(LOOK_EVERY)
        } else {
            (self.calls_per_look / 2).max(1)
        };
        self.calls_left = self.calls_per_look;
        self.looked = Instant::now();
        let elapsed = self.started.elapsed();
        if elapsed < Duration::from_secs(1) || !std::io::stderr().is_terminal() {
            return;
        }
        let bar = self.bar.get_or_insert_with(spinner);
        let rate = self.cycles as f64 / elapsed.as_secs_f64();
        bar.set_message(format!(
            "{}: cycle {}, {rate:.0} cycles/s",
            self.title,
            engine.cycle()
        ));
        bar.tick();
    }

    fn takes_strides(&self) -> bool {
        self.inner.takes_strides()
    }

    fn interrupted(&mut self) -> bool {
        interrupt::interrupted() || self.inner.interrupted()
    }
}
