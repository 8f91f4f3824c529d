//! Conditions on the ports and nets of a run, asked in every cycle for all runs side by side.
//!
//! ```text
//! test = "unknown" "(" signals ")"       a bit is X
//! ```
//!
//! Values are numbers of up to 64 bits. A value with a bit that is X passes no comparison, and neither rises nor
//! falls.

use super::run::{Run, SignalPlace, run_masks};
use super::scopes::InstanceTree;
use crosswave_base::diagnostic::Diagnostic;
use crosswave_trigger::grammar::{self, ConditionWord, Parser};
use crosswave_trigger::{Expression, Relation, ValueEdge, Vocabulary};

/// Bits of all signals that a test looks at, at most.
const BITS_MAX: usize = 1 << 20;

/// Test of the value of a net.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NetTest {
    Compare(Relation, u64),
    Edge(ValueEdge),
    Unknown,
}

/// Signals of a design of which one has to pass a test.
#[derive(Debug)]
pub struct NamedTest {
    /// Their numbers in the tree of names.
    signals: Vec<usize>,
    test: NetTest,
}

/// A condition on the names of a design.
#[derive(Debug)]
pub struct NetCondition(Expression<NamedTest>);

/// The names that a condition can have.
struct NetWords<'a> {
    tree: &'a InstanceTree<'a>,
    four_state: bool,
}

impl NetCondition {
    /// Reads a condition on the names of a design, which is run with X or without.
    ///
    /// # Errors
    /// When it is wrong, with the character in the place.
    pub fn parse(
        text: &str,
        tree: &InstanceTree<'_>,
        four_state: bool,
    ) -> Result<NetCondition, Diagnostic> {
        let mut words = NetWords { tree, four_state };
        grammar::parse(text, &mut words).map(NetCondition)
    }

    /// The signals of the tree that it tests; some may be there twice.
    pub fn signals(&self) -> impl Iterator<Item = usize> {
        self.0
            .tests()
            .iter()
            .flat_map(|test| test.signals.iter().copied())
    }
}

impl NetWords<'_> {
    fn tested(&self, pattern: ConditionWord<'_>, test: NetTest) -> Result<NamedTest, Diagnostic> {
        let signals = pattern.matched(self.tree)?;
        let bits = signals
            .iter()
            .map(|&signal| self.tree.vector(signal).1.bits.len());
        if bits.sum::<usize>() > BITS_MAX {
            let message = format!("`{}` matches more than {BITS_MAX} bits", pattern.text);
            return Err(pattern.wrong(message, "name fewer signals"));
        }
        Ok(NamedTest { signals, test })
    }
}

impl Vocabulary for NetWords<'_> {
    type Test = NamedTest;

    const WORDS: &'static [&'static str] = &["unknown"];
    const EXAMPLE: &'static str =
        "such as `**.state == 3`, `rise(top.valid) && top.data != 0` or `unknown(**.sum)`";
    const VALUES: &'static str = "a number of at most 64 bits";

    fn test(
        &mut self,
        word: ConditionWord<'_>,
        parser: &mut Parser,
    ) -> Result<NamedTest, Diagnostic> {
        if !self.four_state {
            let message = "nothing is X, since X is not computed with";
            return Err(word.wrong(message, "add --four-state"));
        }
        let (pattern, place) = parser.signals()?;
        let text = &*pattern;
        self.tested(ConditionWord { text, place }, NetTest::Unknown)
    }

    fn compare(
        &mut self,
        pattern: ConditionWord<'_>,
        relation: Relation,
        value: ConditionWord<'_>,
    ) -> Result<NamedTest, Diagnostic> {
        let Some(number) = grammar::number(value.text) else {
            let message = format!("found `{}`; expected {}", value.text, Self::VALUES);
            let help = "nets have no named values: write 12, 0xc or 0b1100";
            return Err(value.wrong(message, help));
        };
        self.tested(pattern, NetTest::Compare(relation, number))
    }

    fn edge(
        &mut self,
        pattern: ConditionWord<'_>,
        edge: ValueEdge,
    ) -> Result<NamedTest, Diagnostic> {
        self.tested(pattern, NetTest::Edge(edge))
    }
}

/// A bit of 64 runs as two rails: "may be 1" and "may be 0". Both are X.
type BitRails = [u64; 2];

/// A condition that watches a run.
#[derive(Debug)]
pub struct NetWatch {
    tests: Expression<WatchedTest>,
    stack: Vec<u64>,
    /// The runs of each group of 64 in which the condition is true.
    holding: Vec<u64>,
    /// The runs that there are in each group.
    groups: Vec<u64>,
    /// The bits of a signal, the least significant first.
    bits: Vec<BitRails>,
}

/// The signals of a test in a run.
#[derive(Debug)]
struct WatchedTest {
    signals: Vec<SignalPlace>,
    /// Bits of all signals.
    width: usize,
    test: NetTest,
    /// For an edge: the bits of all signals in the cycle before, group by group.
    before: Vec<BitRails>,
}

impl NetWatch {
    /// Watches a run for a condition, whose signals the run was made to look at.
    ///
    /// # Panics
    /// When it was not.
    pub fn new(condition: NetCondition, run: &Run, tree: &InstanceTree<'_>) -> NetWatch {
        let groups = run_masks(run.replicas());
        let tests = condition.0.map(|named| {
            let places = run.places(tree, &named.signals);
            let width = places.iter().map(|place| place.width).sum();
            let kept = match named.test {
                NetTest::Edge(_) => width * groups.len(),
                _ => 0,
            };
            WatchedTest {
                signals: places,
                width,
                test: named.test,
                before: Vec::with_capacity(kept),
            }
        });
        NetWatch {
            stack: Vec::with_capacity(tests.tests().len()),
            tests,
            holding: vec![0; groups.len()],
            groups,
            bits: Vec::new(),
        }
    }

    /// The first run in which the condition is true in a cycle, as it was last settled. It has to be asked in every cycle,
    /// since it looks for changes; in the first one nothing has changed.
    pub fn holds(&mut self, run: &Run, cycle: u64) -> Option<usize> {
        let NetWatch {
            tests,
            stack,
            holding,
            groups,
            bits,
        } = self;
        // The tests are asked for one group after the other, and keep what was before by group.
        for (group, holding) in holding.iter_mut().enumerate() {
            *holding = tests.evaluate(stack, |test| test.holds(run, cycle, group, bits));
        }
        let mut found = holding.iter().zip(groups).enumerate();
        found.find_map(|(group, (&holding, &mut there))| match holding & there {
            0 => None,
            runs => Some(64 * group + runs.trailing_zeros() as usize),
        })
    }
}

impl WatchedTest {
    /// The runs of a group in which one of the signals passes the test.
    fn holds(&mut self, run: &Run, cycle: u64, group: usize, bits: &mut Vec<BitRails>) -> u64 {
        let mut passing = 0;
        let mut at = group * self.width;
        for place in &self.signals {
            bits.clear();
            bits.extend((0..place.width).map(|bit| run.rails(place, bit, group, cycle)));
            passing |= match self.test {
                NetTest::Unknown => unknown(bits),
                NetTest::Compare(relation, value) => {
                    let wanted = |bit: usize| match bit {
                        0..64 if value >> bit & 1 == 1 => u64::MAX,
                        _ => 0,
                    };
                    let exceeded = place.width < 64 && value >> place.width != 0;
                    related(relation, order(bits, wanted), exceeded) & !unknown(bits)
                }
                NetTest::Edge(edge) => {
                    let kept = at..at + place.width;
                    at += place.width;
                    match self.before.get_mut(kept) {
                        Some(before) => {
                            let passing = edges(edge, before, bits);
                            before.copy_from_slice(bits);
                            passing
                        }
                        // The first cycle.
                        None => {
                            self.before.extend_from_slice(bits);
                            0
                        }
                    }
                }
            };
        }
        passing
    }
}

/// The runs in which a bit is X.
fn unknown(bits: &[BitRails]) -> u64 {
    bits.iter().fold(0, |found, [one, zero]| found | one & zero)
}

/// The runs in which numbers are less, and those in which they are more, than others.
fn order(bits: &[BitRails], other: impl Fn(usize) -> u64) -> (u64, u64) {
    let (mut less, mut more) = (0, 0);
    for (bit, [one, _]) in bits.iter().enumerate() {
        let (one, other) = (*one, other(bit));
        // A higher bit decides.
        let differs = one ^ other;
        less = less & !differs | !one & other;
        more = more & !differs | one & !other;
    }
    (less, more)
}

/// The runs in which a relation holds; with `exceeded`, all numbers are less than the other.
fn related(relation: Relation, (less, more): (u64, u64), exceeded: bool) -> u64 {
    let (less, more) = match exceeded {
        true => (u64::MAX, 0),
        false => (less, more),
    };
    match relation {
        Relation::Equal => !(less | more),
        Relation::Unequal => less | more,
        Relation::Less => less,
        Relation::AtMost => !more,
        Relation::More => more,
        Relation::AtLeast => !less,
    }
}

/// The runs in which an edge is between two values.
fn edges(edge: ValueEdge, before: &[BitRails], now: &[BitRails]) -> u64 {
    let known = || !(unknown(before) | unknown(now));
    match edge {
        ValueEdge::Change => {
            let both = before.iter().zip(now);
            both.fold(0, |found, (before, now)| {
                found | before[0] ^ now[0] | before[1] ^ now[1]
            })
        }
        ValueEdge::Rise => order(now, |bit| before[bit][0]).1 & known(),
        ValueEdge::Fall => order(now, |bit| before[bit][0]).0 & known(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rails of a number in run 0, and of others in the runs behind it; `None` is X in its lowest bit.
    fn rails(values: &[Option<u64>], width: usize) -> Vec<BitRails> {
        let bit = |bit: usize| {
            let mut rails = [0, 0];
            for (run, value) in values.iter().enumerate() {
                let (one, zero) = match value {
                    None if bit == 0 => (1, 1),
                    value => {
                        let one = value.unwrap_or(0) >> bit & 1;
                        (one, 1 - one)
                    }
                };
                rails[0] |= one << run;
                rails[1] |= zero << run;
            }
            rails
        };
        (0..width).map(bit).collect()
    }

    #[test]
    fn words_of_runs_are_compared_as_numbers() {
        let values: Vec<Option<u64>> = (0..8).map(Some).chain([None]).collect();
        let bits = rails(&values, 3);
        for (_, relation) in Relation::SIGNS {
            for other in 0..12u64 {
                let order = order(
                    &bits,
                    |bit| if other >> bit & 1 == 1 { u64::MAX } else { 0 },
                );
                let exceeded = other >> 3 != 0;
                let found = related(relation, order, exceeded) & !unknown(&bits);
                for (run, value) in values.iter().enumerate() {
                    let expected = value.is_some_and(|value| relation.holds(&value, &other));
                    assert_eq!(
                        found >> run & 1 == 1,
                        expected,
                        "{value:?} {relation:?} {other}"
                    );
                }
            }
        }
    }

    #[test]
    fn words_of_runs_have_edges_as_numbers_have() {
        let all = || (0..4).map(Some).chain([None]);
        let pairs: Vec<_> = all().flat_map(|a| all().map(move |b| (a, b))).collect();
        let before: Vec<_> = pairs.iter().map(|pair| pair.0).collect();
        let now: Vec<_> = pairs.iter().map(|pair| pair.1).collect();
        for (word, edge) in ValueEdge::WORDS {
            let found = edges(edge, &rails(&before, 2), &rails(&now, 2));
            for (run, (before, now)) in pairs.iter().enumerate() {
                let expected = match (before, now) {
                    (Some(before), Some(now)) => edge.holds(before, now),
                    _ => edge == ValueEdge::Change && before != now,
                };
                assert_eq!(found >> run & 1 == 1, expected, "{word} {before:?} {now:?}");
            }
        }
    }
}
