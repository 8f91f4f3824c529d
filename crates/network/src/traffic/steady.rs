//! Steady traffic: an open loop of random messages, for throughput and latency
//! against offered load.
//!
//! In every cycle from 1 to `cycles` every node that sends begins a burst with probability
//! p = `load` / (w B), whatever became of its earlier ones: a message has w words on average
//! ([`Lengths`]), and a burst B messages. Without bursts B is 1, and a burst a message. The
//! destination of a burst is drawn ([`Destinations`]). Cycles, nodes and destinations are
//! independent. Nodes that have no destination but themselves do not send, and count in no mean
//! over nodes. A node that is still busy lets the message wait in its queue. Ids go by cycle, and
//! within a cycle by node.
//!
//! `load` is a fraction of what a node's link can carry, one word a cycle. It
//! counts the words of bodies only: headers, acknowledgements and the clocks of an
//! open path take their share of the link, so no network accepts a load of 1.
//!
//! # Bursts
//!
//! A burst is what a node has that cuts a long transfer into messages: they have one destination,
//! and each is offered when the link could have carried the words of the one before. Their number
//! is geometric, k of them with probability (1 - 1/B)^(k-1) / B. Bursts of a node may overlap.
//! Messages that would be offered after `cycles` are not, and no burst begins before cycle 1: the
//! load rises during the first bursts.
//!
//! # Gaps
//!
//! The cycles between two offers of a node are geometric: g of them with
//! probability p (1 - p)^g. Since (1 - p)^g is a product over the binary digits of
//! g, the digits are independent, and digit j is 1 with probability
//! r / (1 + r), r = (1 - p)^(2^j). Each digit takes one random word, compared
//! with a threshold of 64 bits; thresholds are computed in integers, so that every
//! machine draws the same cycles. From p, an exact ratio, they differ by less than
//! 2^-33.
//!
//! Each node has a generator of its own, keyed by seed and node: its messages do not
//! depend on those of others, and more cycles only add messages at the end.

use rand_core::Rng;
use serde::Serialize;

use super::{
    DeliverySets, Destinations, Fault, Lengths, MESSAGES_MAX, Message, NODES_MAX, Offer, Replay,
    Workload,
};
use crosswave_base::decimal::Decimal;
use crosswave_base::random;

/// The name in a configuration.
pub const STEADY: &str = "steady";
/// The most cycles in which messages are offered.
pub const CYCLES_MAX: u64 = 1_000_000_000;
/// The most messages that a burst may have on average.
pub const BURST_MAX: u32 = 1_000_000;

/// The random stream of the seeds of nodes.
const STREAM_NODES: u64 = u64::from_be_bytes(*b"traf-sty");
/// The stream of a node's generator.
const STREAM_OFFERS: u64 = u64::from_be_bytes(*b"sty-offr");
/// The stream of the messages of a burst.
const STREAM_BURSTS: u64 = u64::from_be_bytes(*b"sty-brst");
/// Digits of a gap: 2^DIGITS cycles are more than [`CYCLES_MAX`].
const DIGITS: usize = 30;

/// Steady traffic of all nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteadyConfig {
    /// Body words that a node offers per cycle, on average: above 0, at most 1.
    pub load: Decimal,
    /// Body words of the messages.
    pub words: Lengths,
    /// Messages of a burst on average, `1..=BURST_MAX`; 1 is no bursts.
    pub burst_messages: u32,
    /// Messages are offered in cycles 1 to this one, `1..=CYCLES_MAX`; in the network at
    /// hand at most [`MESSAGES_MAX`] messages are to be expected.
    pub cycles: u64,
    /// Cycles of the warm-up, `0..cycles`: nothing is measured up to this cycle. `None`: as many as
    /// the messages ask for, from a fifth to a half of the cycles.
    pub warmup_cycles: Option<u64>,
    /// The set from which destinations are drawn; [`Destinations::All`] is not allowed.
    pub destinations: Destinations,
}

impl SteadyConfig {
    /// The fewest cycles of the warm-up when none is given: a fifth of all.
    ///
    /// ```
    /// use crosswave_network::traffic::SteadyConfig;
    /// assert_eq!(SteadyConfig::warmup_default(1000), 200);
    /// assert_eq!(SteadyConfig::warmup_default(4), 0);
    /// ```
    pub fn warmup_default(cycles: u64) -> u64 {
        cycles / 5
    }

    /// Cycles from the begin of a burst to the end of the words of its last message, on average; 0
    /// without bursts.
    pub fn burst_cycles(&self) -> f64 {
        match self.burst_messages {
            1 => 0.0,
            messages => f64::from(messages) * self.words.mean(),
        }
    }

    /// The cycles of the warm-up if they are given, and else the fewest.
    pub fn warmup_least_cycles(&self) -> u64 {
        let least = SteadyConfig::warmup_default(self.cycles);
        self.warmup_cycles.unwrap_or(least)
    }

    /// Expected number of messages of those of so many nodes that send, rounded down.
    pub fn expected_messages(&self, nodes: u32) -> u64 {
        self.expected_of(self.destinations.senders(nodes))
    }

    /// Expected number of messages of so many senders.
    fn expected_of(&self, senders: u32) -> u64 {
        let offers = u128::from(senders) * u128::from(self.cycles);
        let (number, of) = self.messages_per_cycle();
        let expected = offers * u128::from(number) / of.max(1);
        u64::try_from(expected).unwrap_or(u64::MAX)
    }

    /// Messages of a node in a cycle to be expected, as a fraction: at most 2^46 over 2^66.
    fn messages_per_cycle(&self) -> (u64, u128) {
        let (words, weights) = self.words.mean_fraction();
        let of = u128::from(Decimal::ONE.millionths()) * u128::from(words);
        (self.load.millionths() * weights, of)
    }

    /// Every parameter that is out of its range in a network of `nodes` nodes.
    pub fn faults(&self, nodes: u32) -> Vec<Fault> {
        let mut faults: Vec<Fault> = self.destinations.faults(nodes).into_iter().collect();
        // Destinations that do not fit the nodes do not tell who sends.
        let senders = match faults.is_empty() {
            true => self.destinations.senders(nodes),
            false => nodes,
        };
        let mut fault = |key, message: String, help: String| {
            faults.push(Fault {
                key,
                entry: None,
                message,
                help,
            });
        };
        if self.load > Decimal::ONE {
            let found = format!("a load of {}; expected at most 1", self.load.to_f64());
            fault("load", found, "1 is a word in every cycle".into());
        }
        if self.burst_messages == 0 || self.burst_messages > BURST_MAX {
            let messages = self.burst_messages;
            let found = format!("bursts of {messages} messages; expected 1 to {BURST_MAX}");
            fault("burst_messages", found, "1 is no bursts".into());
        }
        let of_lengths = self.words.faults();
        if self.cycles == 0 || self.cycles > CYCLES_MAX {
            let found = format!("{} cycles; expected 1 to {CYCLES_MAX}", self.cycles);
            fault("cycles", found, String::new());
            faults.extend(of_lengths);
            return faults;
        }
        let expected = match of_lengths.is_empty() {
            true => self.expected_of(senders),
            false => 0,
        };
        if expected > MESSAGES_MAX {
            let (number, of) = self.messages_per_cycle();
            let most = u128::from(MESSAGES_MAX) * of / (u128::from(senders) * u128::from(number));
            let found = format!(
                "{} cycles, in which {expected} messages are to be expected; a run has at most \
                 {MESSAGES_MAX}",
                self.cycles
            );
            fault(
                "cycles",
                found,
                format!("expected 1 to {most} at this load"),
            );
        }
        if let Some(warmup) = self.warmup_cycles.filter(|&warmup| warmup >= self.cycles) {
            let found = format!(
                "{warmup} of {} cycles; expected 0 to {}",
                self.cycles,
                self.cycles - 1
            );
            let help = "the cycles after it are those that are measured";
            fault("warmup_cycles", found, help.into());
        }
        faults.extend(of_lengths);
        faults
    }
}

/// Prints the keys in the order of the documentation.
impl Serialize for SteadyConfig {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pattern", STEADY)?;
        self.words.serialize(&mut map)?;
        if self.burst_messages > 1 {
            map.serialize_entry("burst_messages", &self.burst_messages)?;
        }
        map.serialize_entry("load", &self.load)?;
        map.serialize_entry("cycles", &self.cycles)?;
        if let Some(warmup) = self.warmup_cycles {
            map.serialize_entry("warmup_cycles", &warmup)?;
        }
        self.destinations.serialize(&mut map)?;
        map.end()
    }
}

/// Draws the cycles between two bursts, and the messages of a burst after its first.
struct Gaps {
    /// Digit j is 1 when a random word is below the threshold of j; thresholds fall.
    digits: [u64; DIGITS],
    /// The gap has more digits than that when a random word is below this.
    beyond: u64,
}

impl Gaps {
    /// The gaps of offers with probability `number / of` in each cycle, with `of` below 2^96.
    fn new(number: u64, of: u128) -> Gaps {
        const ONE: u128 = 1 << 64;
        assert!(number > 0 && u128::from(number) <= of && of >> 96 == 0);
        let rest = of - u128::from(number);
        // (rest << 64) / of in two digits of 32 bits. Below 2^64, as number is not 0.
        let (high, left) = ((rest << 32) / of, (rest << 32) % of);
        let mut power = (high << 32) + (left << 32) / of;
        let mut digits = [0; DIGITS];
        for threshold in &mut digits {
            *threshold = ((power << 64) / (ONE + power)) as u64;
            power = (power * power) >> 64;
        }
        Gaps {
            digits,
            beyond: power as u64,
        }
    }

    /// A gap; `None` when it is longer than any run.
    fn draw(&self, generator: &mut impl Rng) -> Option<u64> {
        if self.beyond > 0 && generator.next_u64() < self.beyond {
            return None;
        }
        let mut gap = 0;
        for (digit, &threshold) in self.digits.iter().enumerate() {
            // The digits after the last threshold that is not 0 are 0.
            if threshold == 0 {
                break;
            }
            gap |= u64::from(generator.next_u64() < threshold) << digit;
        }
        Some(gap)
    }
}

/// The messages of steady traffic without faults.
pub(super) fn messages(config: &SteadyConfig, nodes: u32, seed: u64) -> Workload {
    assert!((2..=NODES_MAX).contains(&nodes), "nodes to send to");
    let burst = u128::from(config.burst_messages);
    let (number, of) = config.messages_per_cycle();
    let gaps = Gaps::new(number, of * burst);
    let more = Gaps::new(1, burst);
    let seeds = random::key(seed, STREAM_NODES, 0);
    // (cycle, source, destination, words); the expectation is what faults have checked.
    let mut offers = Vec::with_capacity(config.expected_messages(nodes) as usize);
    for source in (0..nodes).filter(|&source| config.destinations.sends(source)) {
        let node_seed = random::word(seeds, u64::from(source));
        let mut generator = random::generator(node_seed, STREAM_OFFERS);
        let mut cycle = 0;
        while let Some(gap) = gaps.draw(&mut generator) {
            cycle += gap + 1;
            if cycle > config.cycles {
                break;
            }
            let destination = config.destinations.draw(source, nodes, &mut generator);
            // Below 2^32, as CYCLES_MAX is.
            let mut offer = |cycle, words| offers.push((cycle as u32, source, destination, words));
            if burst == 1 {
                offer(cycle, config.words.draw(&mut generator));
                continue;
            }
            // The end of the run, which cuts a burst, must not change those that begin later.
            let mut of_burst = random::generator(generator.next_u64(), STREAM_BURSTS);
            let mut left = more.draw(&mut of_burst).map_or(u64::MAX, |more| more + 1);
            let mut offered = cycle;
            while left > 0 && offered <= config.cycles {
                let words = config.words.draw(&mut of_burst);
                offer(offered, words);
                offered += u64::from(words);
                left -= 1;
            }
        }
    }
    // Messages of a node in one cycle stay in the order of its bursts.
    offers.sort_by_key(|&(cycle, source, _, _)| (cycle, source));
    let message = |(cycle, source, destination, words)| Message {
        source,
        destination,
        words,
        offered: Offer::At(u64::from(cycle)),
    };
    Workload {
        nodes,
        order: Replay::Timed,
        messages: offers.into_iter().map(message).collect(),
        sets: DeliverySets::default(),
    }
}

#[cfg(test)]
mod tests;
