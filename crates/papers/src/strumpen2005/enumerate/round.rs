//! One round of a fat tree under every answer of its random pins.
//!
//! The register-level models of the routers and the interfaces are stepped over the links
//! of the fabric. What a model asks of a random pin is answered by an *oracle*: first with
//! 0, and when that branch has been followed to its end, with 1. A pin asked twice in a
//! cycle gives the same answer twice. A branch has the product of the probabilities of its
//! answers: one half each for a fair pin, 2/3 for 0 and 1/3 for 1 of a pin that tells the
//! winner of three. (In a run that pin is 1 with probability 21845/65536.)
//!
//! Why not the event engine: it keys random bits by cycle and instance, and an oracle in
//! their place would cost its loop a test per bit; and a branch begins with a copy of the
//! network's registers, of which an engine has one.
//!
//! Cost: a few dozen steps of a model for each message and cycle, and in each cycle a copy
//! of the registers, about 60 bytes a chip.

use std::cell::{Cell, RefCell};

use smallvec::SmallVec;

use crosswave_chips::fat_tree_router::{FatTreeRouter, Pins as RouterPins};
use crosswave_chips::network_interface::{
    self as interface, NetworkInterface, Pins as InterfacePins,
};
use crosswave_chips::protocol::RX_RECEIVING;
use crosswave_chips::{ChipPins, LinkWord, Model, RandomKind, RandomPins};
use crosswave_network::OPEN;
use crosswave_network::fat_tree::{FatTree, NODES};

/// A probability in units of 1 / [`CERTAIN`].
pub type Weight = u128;

/// The weight of certainty: room for 48 fair answers and 16 of the other kind in a branch.
pub const CERTAIN: Weight = (1 << 48) * 3_u128.pow(16);

/// Messages that a round may have.
pub const MESSAGES_MAX: usize = 8;

/// A message: its source and its destination.
pub type Pair = (u32, u32);

/// Answers of one cycle.
type Answers = SmallVec<[Answer; 8]>;

/// The answer of one random pin in one cycle.
#[derive(Debug, Clone, Copy)]
struct Answer {
    chip: u32,
    stream: u64,
    kind: RandomKind,
    value: bool,
}

/// Answers as told, and with 0 what it was not told.
struct Oracle {
    answers: RefCell<Answers>,
    /// The chip that asks.
    chip: Cell<u32>,
}

impl RandomPins for Oracle {
    fn cycle(&self) -> u64 {
        unreachable!("chips of circuits do not ask")
    }

    fn bit(&self, stream: u64, kind: RandomKind) -> bool {
        let chip = self.chip.get();
        let mut answers = self.answers.borrow_mut();
        let known = answers
            .iter()
            .find(|answer| answer.chip == chip && answer.stream == stream);
        if let Some(answer) = known {
            return answer.value;
        }
        answers.push(Answer {
            chip,
            stream,
            kind,
            value: false,
        });
        false
    }
}

/// The part of a weight in which a pin of a kind has a value.
///
/// # Panics
/// When a branch has more answers than [`CERTAIN`] has factors.
fn share(weight: Weight, kind: RandomKind, value: bool) -> Weight {
    let (parts, of) = match (kind, value) {
        (RandomKind::Fair, _) => (1, 2),
        (RandomKind::Third, false) => (2, 3),
        (RandomKind::Third, true) => (1, 3),
    };
    assert_eq!(weight % of, 0, "a branch has too many answers");
    weight / of * parts
}

/// The state of the network in a cycle.
#[derive(Debug, Default)]
struct Now {
    routers: Vec<<FatTreeRouter as Model>::State>,
    interfaces: Vec<<NetworkInterface as Model>::State>,
    /// The word that every link port drives.
    words: Vec<LinkWord>,
    /// Chips to step, one bit each; routers come first.
    awake: Vec<u64>,
    /// Messages rejected so far, one bit each.
    rejected: usize,
    cycle: u64,
}

impl Clone for Now {
    fn clone(&self) -> Self {
        let mut now = Now::default();
        now.clone_from(self);
        now
    }

    /// Keeps what is allocated.
    fn clone_from(&mut self, from: &Self) {
        self.routers.clone_from(&from.routers);
        self.interfaces.clone_from(&from.interfaces);
        self.words.clone_from(&from.words);
        self.awake.clone_from(&from.awake);
        self.rejected = from.rejected;
        self.cycle = from.cycle;
    }
}

/// A cycle from which an edge is still to be followed, under these answers.
#[derive(Debug, Default)]
struct Branch {
    now: Now,
    answers: Answers,
    weight: Weight,
}

/// A fat tree for rounds of few messages.
pub struct Rounds {
    tree: FatTree,
    peers: Vec<u32>,
    /// The chip of each link port.
    chips: Vec<u32>,
    /// Number of the interfaces' first link port.
    first_node_link: usize,
    pub(super) router_pins: Vec<<FatTreeRouter as Model>::Pins>,
    interface_pins: Vec<<NetworkInterface as Model>::Pins>,
    /// Words of every body: no acknowledgement comes inside a round.
    words: u64,
    /// Cycles of a round at most.
    cycles_max: u64,
    /// Words that chips drive after an edge, before they are written down.
    driven: Vec<(u32, bool, [LinkWord; 4])>,
    /// Branches to be followed, and some to be used again.
    branches: Vec<Branch>,
    spare: Vec<Branch>,
}

impl Rounds {
    /// Rounds of a fat tree whose interfaces have the rounds strategy.
    ///
    /// # Panics
    /// When its links take extra clocks.
    pub fn new(tree: &FatTree) -> Rounds {
        let fabric = tree.fabric();
        let [routers, interfaces] = &fabric.arrays[..] else {
            panic!("links take no extra cycles here");
        };
        assert_eq!(routers.chip.name, FatTreeRouter::CHIP.name);
        assert_eq!(interfaces.chip.name, NetworkInterface::CHIP.name);
        let mut router_pins = vec![RouterPins::default(); routers.instances];
        for pin in &routers.pins {
            for (instance, pins) in router_pins.iter_mut().enumerate() {
                pins.set(pin.port, pin.values.at(instance));
            }
        }
        let mut interface_pins = vec![InterfacePins::default(); interfaces.instances];
        for pin in &interfaces.pins {
            for (instance, pins) in interface_pins.iter_mut().enumerate() {
                pins.set(pin.port, pin.values.at(instance));
            }
        }
        let chip_of = |number: usize| {
            let port = fabric.link_port(number as u32);
            let before = if port.array == NODES {
                routers.instances
            } else {
                0
            };
            (before + port.instance) as u32
        };
        let rejection_max = 3 * (2 * u64::from(tree.levels()) - 2) + 3;
        Rounds {
            tree: tree.clone(),
            peers: fabric.peers.clone(),
            chips: (0..fabric.peers.len()).map(chip_of).collect(),
            first_node_link: fabric.arrays[NODES].first_link as usize,
            router_pins,
            interface_pins,
            words: rejection_max + 3,
            // The head is on the wire in cycle 1.
            cycles_max: 1 + rejection_max,
            driven: Vec::new(),
            branches: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The weight of each set of rejected messages, among messages that start together: entry `s`
    /// is the weight of all branches in which those, and only those, are rejected whose bit is 1 in
    /// `s`. The sum is [`CERTAIN`].
    ///
    /// A message is settled when it is rejected and its sender has been told, or when its
    /// head has come to the destination; bodies are so long that no acknowledgement is
    /// sent before all are: 6 lg n words, since a sender is told at most
    /// 3 (2 lg n - 2) + 3 clocks after its head left.
    ///
    /// # Panics
    /// When sources are not distinct, when one is its own destination, and for more than
    /// [`MESSAGES_MAX`] messages.
    pub fn rejected(&mut self, messages: &[Pair]) -> Vec<Weight> {
        assert!(messages.len() <= MESSAGES_MAX, "too many messages");
        let instances: SmallVec<[(usize, usize); MESSAGES_MAX]> = messages
            .iter()
            .map(|&(source, destination)| {
                assert_ne!(source, destination, "a node does not send to itself");
                let instance = |node| self.tree.node_instance(node);
                (instance(source), instance(destination))
            })
            .collect();
        let mut weights = vec![0; 1 << messages.len()];
        let mut edge = self.spare.pop().unwrap_or_default();
        self.start(messages, &mut edge.now);
        edge.weight = CERTAIN;
        edge.answers.clear();
        let mut after = Now::default();
        loop {
            let settled = settled(&edge.now, &instances);
            if settled == messages.len() {
                weights[edge.now.rejected] += edge.weight;
                self.spare.push(edge);
                match self.branches.pop() {
                    Some(branch) => edge = branch,
                    None => break,
                }
            }
            assert!(edge.now.cycle < self.cycles_max, "the round has no end");
            after.clone_from(&edge.now);
            let told = edge.answers.len();
            let answers = self.step(&mut after, std::mem::take(&mut edge.answers));
            for at in told..answers.len() {
                let mut branch = self.spare.pop().unwrap_or_default();
                branch.now.clone_from(&edge.now);
                branch.answers.clone_from(&SmallVec::from(&answers[..=at]));
                branch.answers[at].value = true;
                branch.weight = share(edge.weight, answers[at].kind, true);
                edge.weight = share(edge.weight, answers[at].kind, false);
                self.branches.push(branch);
            }
            std::mem::swap(&mut edge.now, &mut after);
            note_rejections(&mut edge.now, &instances);
        }
        assert_eq!(weights.iter().sum::<Weight>(), CERTAIN, "branches are lost");
        weights
    }

    /// The cycle in which the heads of all messages are on the wire.
    fn start(&mut self, messages: &[Pair], now: &mut Now) {
        let (routers, interfaces) = (self.router_pins.len(), self.interface_pins.len());
        now.routers.clear();
        now.routers.resize(routers, Default::default());
        now.interfaces.clear();
        now.interfaces.resize(interfaces, Default::default());
        now.words.clear();
        now.words.resize(self.peers.len(), 0);
        now.awake.clear();
        now.awake.resize((routers + interfaces).div_ceil(64), 0);
        (now.rejected, now.cycle) = (0, 0);
        for pins in &mut self.interface_pins {
            pins.set(interface::PORT_TX_REQUEST, 0);
        }
        for &(source, destination) in messages {
            let instance = self.tree.node_instance(source);
            let pins = &mut self.interface_pins[instance];
            let offered = pins.get(interface::PORT_TX_REQUEST);
            assert_eq!(offered, 0, "sources are distinct");
            for (port, value) in [
                (interface::PORT_TX_REQUEST, 1),
                (interface::PORT_TX_DESTINATION, u64::from(destination)),
                (interface::PORT_TX_WORDS, self.words - 1),
                (interface::PORT_ROUND_START, 1),
            ] {
                pins.set(port, value);
            }
            wake(&mut now.awake, (routers + instance) as u32);
        }
        let answers = self.step(now, Answers::new());
        assert!(answers.is_empty(), "senders of rounds draw nothing");
        for pins in &mut self.interface_pins {
            pins.set(interface::PORT_ROUND_START, 0);
        }
    }

    /// A clock edge, under these answers. Gives them back with those that were asked for
    /// besides.
    fn step(&mut self, now: &mut Now, answers: Answers) -> Answers {
        let routers = self.router_pins.len();
        let oracle = Oracle {
            answers: RefCell::new(answers),
            chip: Cell::new(0),
        };
        self.driven.clear();
        for word in 0..now.awake.len() {
            let mut chips = std::mem::take(&mut now.awake[word]);
            while chips != 0 {
                let chip = 64 * word + chips.trailing_zeros() as usize;
                chips &= chips - 1;
                oracle.chip.set(chip as u32);
                let mut words = [0; 4];
                let links = self.links(chip);
                for (word, &peer) in words.iter_mut().zip(&self.peers[links.clone()]) {
                    if peer != OPEN {
                        *word = now.words[peer as usize];
                    }
                }
                let words_here = &mut words[..links.len()];
                let again = match chip.checked_sub(routers) {
                    None => {
                        let (state, pins) = (&mut now.routers[chip], &self.router_pins[chip]);
                        FatTreeRouter::step(state, pins, &oracle, words_here)
                    }
                    Some(at) => {
                        let (state, pins) = (&mut now.interfaces[at], &self.interface_pins[at]);
                        NetworkInterface::step(state, pins, &oracle, words_here)
                    }
                };
                self.driven.push((chip as u32, again, words));
            }
        }
        for &(chip, again, words) in &self.driven {
            let links = self.links(chip as usize);
            if again {
                wake(&mut now.awake, chip);
            }
            for (link, word) in links.zip(words) {
                let before = std::mem::replace(&mut now.words[link], word);
                if word | before != 0 && self.peers[link] != OPEN {
                    wake(&mut now.awake, self.chips[self.peers[link] as usize]);
                }
            }
        }
        now.cycle += 1;
        oracle.answers.into_inner()
    }

    /// The link ports of a chip.
    fn links(&self, chip: usize) -> std::ops::Range<usize> {
        let routers = self.router_pins.len();
        match chip.checked_sub(routers) {
            None => 4 * chip..4 * chip + 4,
            Some(at) => self.first_node_link + at..self.first_node_link + at + 1,
        }
    }
}

fn wake(awake: &mut [u64], chip: u32) {
    awake[chip as usize / 64] |= 1 << (chip % 64);
}

/// Takes in which senders are told of a rejection in this cycle.
fn note_rejections(now: &mut Now, instances: &[(usize, usize)]) {
    for (message, &(source, _)) in instances.iter().enumerate() {
        let sender = &now.interfaces[source];
        let told = NetworkInterface::output(sender, interface::PORT_TX_COLLISION);
        now.rejected |= (told as usize) << message;
    }
}

/// Number of messages that are settled: rejected, or coming in at their destinations.
fn settled(now: &Now, instances: &[(usize, usize)]) -> usize {
    let mut received: SmallVec<[usize; MESSAGES_MAX]> = SmallVec::new();
    for &(_, destination) in instances {
        let receiver = &now.interfaces[destination];
        let state = NetworkInterface::output(receiver, interface::PORT_RX_STATE);
        if state == RX_RECEIVING && !received.contains(&destination) {
            received.push(destination);
        }
    }
    received.len() + now.rejected.count_ones() as usize
}
