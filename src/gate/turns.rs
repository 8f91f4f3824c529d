//! Whether an engine's threads take turns together, or the first one does the work of all.
//!
//! How much a second thread helps depends on the machine and on what else runs there: on two
//! cores a fat tree of 1,024 nodes is 1.5 times as fast, on two threads of one core slower.
//! So nobody can know beforehand. Where the number of threads is left to the engine it is
//! found out: short *windows* of edges are taken both ways in turns and timed, the best window
//! of each way counts, and the better way is taken for 2,048 edges, until it is tried again, as
//! other programs come and go. As long as one thread wins, each time until the next trial is twice
//! the last, up to 2^17 edges: where threads hinder each other, a trial takes up to a tenth of the time of 2,048
//! edges. Should another program that hindered them end, that is noticed after no more edges than
//! have been taken by one thread before. Not in networks larger than the
//! caches: there all threads work, and a trial would take a good part of a run.
//!
//! This is the one place where an engine reads a clock. What is computed does not depend on
//! who computes it, so no result depends on the clock.

use std::time::{Duration, Instant};

/// Edges of a window: enough that reading the clock costs nothing, few enough that some
/// windows are undisturbed.
const WINDOW: u32 = 16;

/// Windows of each way in a trial.
const TRIALS: u32 = 4;

/// Edges between trials at first, and where all threads won, 2,048; those of a trial are one in
/// sixteen of these.
const KEPT: u32 = 16 * 2 * TRIALS * WINDOW;

/// Edges between trials at most.
const KEPT_MAX: u32 = 64 * KEPT;

/// Who takes the edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// All threads, each its own part.
    Together,
    /// The first thread, one part after another.
    Alone,
}

/// Who takes the next edge.
#[derive(Debug)]
pub struct Turns {
    now: Turn,
    /// Edges until something changes; `None` when nothing ever does.
    left: Option<u32>,
    /// Windows of the trial that are to come; 0 between trials.
    windows: u32,
    started: Option<Instant>,
    /// The shortest windows together and alone.
    best: [Duration; 2],
    /// Edges from the next trial to the one after it, if one thread wins.
    kept: u32,
}

impl Turns {
    /// Threads that always take turns together.
    pub fn together() -> Turns {
        Turns {
            now: Turn::Together,
            left: None,
            windows: 0,
            started: None,
            best: [Duration::MAX; 2],
            kept: KEPT,
        }
    }

    /// Threads whose turns are found out.
    pub fn tried() -> Turns {
        let mut turns = Turns::together();
        turns.try_again();
        turns
    }

    /// Who takes the next edges, of which so many are taken at once.
    #[inline]
    pub fn next(&mut self, edges: u32) -> Turn {
        if let Some(left) = self.left {
            match left.checked_sub(edges) {
                Some(left) if left > 0 => self.left = Some(left),
                _ => self.turn_over(),
            }
        }
        self.now
    }

    fn try_again(&mut self) {
        self.windows = 2 * TRIALS;
        self.best = [Duration::MAX; 2];
        (self.now, self.left) = (Turn::Alone, Some(WINDOW));
        self.started = Some(Instant::now());
    }

    /// Ends a window, or the time between two trials.
    #[cold]
    fn turn_over(&mut self) {
        let Some(started) = self.started else {
            return self.try_again();
        };
        let best = &mut self.best[self.now as usize];
        *best = started.elapsed().min(*best);
        self.windows -= 1;
        if self.windows > 0 {
            self.now = match self.now {
                Turn::Together => Turn::Alone,
                Turn::Alone => Turn::Together,
            };
            (self.left, self.started) = (Some(WINDOW), Some(Instant::now()));
            return;
        }
        let [together, alone] = self.best;
        self.keep(match together < alone {
            true => Turn::Together,
            false => Turn::Alone,
        });
    }

    /// Takes the way that won until the next trial.
    fn keep(&mut self, won: Turn) {
        if won == Turn::Together {
            self.kept = KEPT;
        }
        (self.now, self.left, self.started) = (won, Some(self.kept), None);
        if won == Turn::Alone {
            self.kept = (2 * self.kept).min(KEPT_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_tried_and_one_is_kept() {
        let mut turns = Turns::tried();
        let mut taken = |edges: u32| -> Vec<Turn> { (0..edges).map(|_| turns.next(1)).collect() };
        let trial = taken(2 * TRIALS * WINDOW);
        let alone = trial.iter().filter(|&&turn| turn == Turn::Alone).count() as u32;
        assert!(
            (TRIALS * WINDOW - 1..=TRIALS * WINDOW + 1).contains(&alone),
            "{alone}"
        );
        let kept = taken(KEPT - 1);
        assert!(kept.iter().all(|turn| *turn == kept[0]));
        let again = taken(2 * TRIALS * WINDOW);
        assert!(again.contains(&Turn::Alone) && again.contains(&Turn::Together));
    }

    #[test]
    fn one_thread_that_wins_is_tried_less_and_less() {
        let mut turns = Turns::tried();
        let mut kept = |won: Turn| {
            turns.keep(won);
            turns.left
        };
        let alone = [(); 8].map(|()| kept(Turn::Alone));
        assert_eq!(
            alone,
            [0, 1, 2, 3, 4, 5, 6, 6].map(|trial| Some(KEPT << trial))
        );
        assert_eq!(kept(Turn::Together), Some(KEPT));
        assert_eq!(kept(Turn::Alone), Some(KEPT));
        assert_eq!(kept(Turn::Alone), Some(2 * KEPT));
    }

    #[test]
    fn bursts_count_as_their_edges() {
        let mut turns = Turns::tried();
        let trial: Vec<Turn> = (0..2 * TRIALS * WINDOW / 4)
            .map(|_| turns.next(4))
            .collect();
        assert!(trial.contains(&Turn::Alone) && trial.contains(&Turn::Together));
    }

    #[test]
    fn a_number_that_was_asked_for_is_taken() {
        let mut turns = Turns::together();
        assert!((0..10_000).all(|_| turns.next(1) == Turn::Together));
    }
}
