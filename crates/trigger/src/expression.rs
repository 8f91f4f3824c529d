//! Tests that are put together.

use std::ops::{BitAnd, BitOr, Not};

/// A step of an evaluation on a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The next test.
    Test,
    /// Not the last one.
    Not,
    /// Both of the last two.
    And,
    /// One of the last two.
    Or,
}

/// A condition: tests, and steps that put them together, in the order in which they are taken.
#[derive(Debug)]
pub struct Expression<T> {
    tests: Vec<T>,
    steps: Vec<Step>,
}

impl<T> Expression<T> {
    pub(crate) fn new(tests: Vec<T>, steps: Vec<Step>) -> Expression<T> {
        Expression { tests, steps }
    }

    /// The tests, in the order of the text.
    pub fn tests(&self) -> &[T] {
        &self.tests
    }

    /// The tests, in the order of the text.
    pub fn tests_mut(&mut self) -> &mut [T] {
        &mut self.tests
    }

    /// The same condition on other tests.
    pub fn map<U>(self, other: impl FnMut(T) -> U) -> Expression<U> {
        Expression {
            tests: self.tests.into_iter().map(other).collect(),
            steps: self.steps,
        }
    }

    /// The value of the condition by that of each test: true or false, or a word with a bit for each of some
    /// runs. Every test is asked, in the order of the text, since some look for changes. `stack` is empty again afterwards;
    /// it keeps its room.
    pub fn evaluate<V>(&mut self, stack: &mut Vec<V>, mut holds: impl FnMut(&mut T) -> V) -> V
    where
        V: Copy + BitAnd<Output = V> + BitOr<Output = V> + Not<Output = V>,
    {
        let mut tests = self.tests.iter_mut();
        let pop = |stack: &mut Vec<V>| stack.pop().expect("a step has its operands");
        stack.clear();
        for step in &self.steps {
            let result = match step {
                Step::Test => holds(tests.next().expect("as many tests as steps for them")),
                Step::Not => !pop(stack),
                Step::And => pop(stack) & pop(stack),
                Step::Or => pop(stack) | pop(stack),
            };
            stack.push(result);
        }
        pop(stack)
    }
}
