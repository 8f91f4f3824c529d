//! The policy on a machine whose times are given: nothing here reads a clock.

use super::*;

const MICROSECOND: Duration = Duration::from_micros(1);

/// Units of work in a window.
const WORK: u64 = 16;

/// A machine on which a step takes a time, by who takes it.
struct Machine {
    policy: ThreadPolicy,
    alone: Duration,
    together: Duration,
    /// Time of all steps so far.
    all: Duration,
}

impl Machine {
    fn new(alone: Duration, together: Duration) -> Machine {
        Machine {
            policy: ThreadPolicy::tried(WORK),
            alone,
            together,
            all: Duration::ZERO,
        }
    }

    /// Takes a step of one unit of work, as [`ThreadPolicy::end`] does.
    fn step(&mut self) -> Turn {
        let now = self.policy.now;
        let time = match now {
            Turn::Together => self.together,
            Turn::Alone => self.alone,
        };
        self.all += time;
        match self.policy.phase {
            Phase::Kept { .. } if now == Turn::Alone => self.policy.did(1),
            _ => self.policy.took(1, time),
        }
        now
    }

    fn steps(&mut self, count: u64) -> Vec<Turn> {
        (0..count).map(|_| self.step()).collect()
    }

    /// Steps until a way is kept.
    fn trial(&mut self) -> Vec<Turn> {
        let mut taken = Vec::new();
        while matches!(self.policy.phase, Phase::Trial { .. }) {
            taken.push(self.step());
        }
        taken
    }
}

fn count(turns: &[Turn], turn: Turn) -> u64 {
    turns.iter().filter(|&&of| of == turn).count() as u64
}

/// The first window takes 2 ms; there are three more of it, and four together.
#[test]
fn both_ways_are_tried_and_the_better_one_is_kept() {
    let mut machine = Machine::new(100 * MICROSECOND, 60 * MICROSECOND);
    let trial = machine.trial();
    assert_eq!(count(&trial, Turn::Alone), 20 + 3 * WORK);
    assert_eq!(count(&trial, Turn::Together), 4 * WORK);
    let kept = machine.steps(KEPT_WINDOWS * WORK);
    assert_eq!(count(&kept, Turn::Alone), 0);
    assert!(!machine.policy.prefers_one());
    let again = machine.trial();
    assert_eq!(count(&again, Turn::Alone), 4 * WORK);
    assert_eq!(count(&again, Turn::Together), 4 * WORK);
    assert_eq!(machine.step(), Turn::Together);
}

#[test]
fn one_thread_that_wins_is_tried_less_and_less() {
    let mut machine = Machine::new(100 * MICROSECOND, 101 * MICROSECOND);
    for time in 0..8 {
        machine.trial();
        let Phase::Kept { left } = machine.policy.phase else {
            panic!("one way is kept")
        };
        assert_eq!(left, (WORK * KEPT_WINDOWS) << time.min(6));
        assert!(machine.policy.prefers_one());
        let kept = machine.steps(left);
        assert_eq!(count(&kept, Turn::Together), 0);
    }
    // After other programs end, threads are taken again, and tried as often as at first.
    machine.together = 50 * MICROSECOND;
    machine.trial();
    assert_eq!(machine.step(), Turn::Together);
    machine.together = 101 * MICROSECOND;
    machine.steps(KEPT_WINDOWS * WORK);
    machine.trial();
    let left = KEPT_WINDOWS * WORK;
    assert_eq!(machine.policy.phase, Phase::Kept { left });
}

/// Threads that wait for milliseconds in each step, where one thread takes microseconds: whole
/// runs take little longer than on one thread.
#[test]
fn threads_that_do_not_pay_cost_little() {
    for alone_us in [2, 20, 200, 2_000] {
        for together_ms in [1, 12, 60] {
            let alone = alone_us * MICROSECOND;
            let mut machine = Machine::new(alone, together_ms * 1000 * MICROSECOND);
            let steps = 2_000_000 / u64::from(alone_us);
            machine.steps(steps);
            let one_thread = alone * steps as u32;
            let limit = one_thread.mul_f64(1.2);
            assert!(
                machine.all < limit,
                "{alone_us} µs alone and {together_ms} ms together: {:?} instead of {one_thread:?}",
                machine.all
            );
        }
    }
}

/// Threads that have paid are left within a window when they no longer do.
#[test]
fn threads_that_cease_to_pay_are_left() {
    let mut machine = Machine::new(100 * MICROSECOND, 60 * MICROSECOND);
    machine.trial();
    machine.steps(5 * WORK + 3);
    machine.together = Duration::from_millis(12);
    // One step of the window shows it, and two in the trial that follows.
    let turns = machine.steps(1000);
    assert_eq!(count(&turns, Turn::Together), 3);
    // A single disturbance is one trial, and no more.
    let mut machine = Machine::new(100 * MICROSECOND, 60 * MICROSECOND);
    machine.trial();
    machine.policy.took(1, Duration::from_millis(12));
    let trial = machine.trial();
    assert_eq!(count(&trial, Turn::Alone), 4 * WORK);
    assert_eq!(machine.step(), Turn::Together);
}

/// A window has few steps when steps take long, so that trials are short.
#[test]
fn windows_of_long_steps_are_short() {
    let mut machine = Machine::new(3000 * MICROSECOND, 2000 * MICROSECOND);
    let trial = machine.trial();
    assert_eq!(count(&trial, Turn::Alone), 4 * 2);
    assert_eq!(count(&trial, Turn::Together), 4 * 2);
    assert_eq!(machine.step(), Turn::Together);
}

#[test]
fn steps_of_much_work_count_as_much() {
    let mut policy = ThreadPolicy::tried(WORK);
    policy.least = Duration::ZERO;
    let mut turns = Vec::new();
    for _ in 0..2 * TRIALS {
        turns.push(policy.now);
        policy.took(WORK, MICROSECOND);
    }
    assert_eq!(turns, [Turn::Alone, Turn::Together].repeat(TRIALS as usize));
    assert!(matches!(policy.phase, Phase::Kept { .. }));
}

#[test]
fn a_settled_policy_is_never_left() {
    let mut policy = ThreadPolicy::together();
    for _ in 0..10_000 {
        let step = policy.begin();
        assert_eq!(step.turn, Turn::Together);
        policy.end(step, 1);
    }
}
