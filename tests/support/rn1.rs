//! One RN1 chip, with heights or without, by name of what is on its ports; and chains of model
//! chips.

use std::collections::VecDeque;

use crosswave_chips::rn1::{self, PORTS_A_SIDE, Rn1};
use crosswave_chips::rn1_protocol::RN1_DATA;
use crosswave_chips::{LinkWord, Model};

use super::chips::{self, Unit};

/// Bits of `random_output`.
const OUTPUT_BITS: u64 = 4;

/// The values of the configuration pins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Configuration {
    pub two_crossbars: bool,
    pub swallow: u8,
    /// Inputs at which the first byte is a height; `None` of a chip without this option.
    pub to_height: Option<u8>,
    pub in_enable: u8,
    pub out_enable: u8,
    pub in_delay: [u8; PORTS_A_SIDE],
    pub out_delay: [u8; PORTS_A_SIDE],
}

fn fives(delays: [u8; PORTS_A_SIDE]) -> u64 {
    let places = delays.iter().enumerate();
    places
        .map(|(at, &delay)| u64::from(delay) << (5 * at))
        .sum()
}

impl Configuration {
    /// The options, in the order of the chip's table.
    fn options(&self) -> impl Iterator<Item = u64> {
        let first = [u64::from(self.two_crossbars), u64::from(self.swallow)];
        let others = [
            u64::from(self.in_enable),
            u64::from(self.out_enable),
            fives(self.in_delay),
            fives(self.out_delay),
        ];
        let to_height = self.to_height.map(u64::from);
        first.into_iter().chain(to_height).chain(others)
    }
}

/// The inputs of a chip in one cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Row {
    pub reset: bool,
    /// The words that arrive at the link ports.
    pub words: [LinkWord; 2 * PORTS_A_SIDE],
    /// `random_order` above `random_output`.
    pub random: u16,
}

/// The outputs of a chip in one cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChipOutputs {
    /// The words that it drives at the link ports.
    pub words: [LinkWord; 2 * PORTS_A_SIDE],
    pub states: [u8; PORTS_A_SIDE],
    pub outputs: [u8; PORTS_A_SIDE],
}

/// The inputs of a chip in one cycle, in the order of its table.
pub fn inputs(configuration: &Configuration, row: &Row) -> chips::Row {
    let random = [row.random & 0xf, row.random >> OUTPUT_BITS];
    let options = configuration.options();
    let before = [u64::from(row.reset)].into_iter().chain(options);
    let words = random.into_iter().chain(row.words);
    before.chain(words.map(u64::from)).collect()
}

/// The outputs of a chip in one cycle, from those in the order of its table.
pub fn shown(values: &chips::Row) -> ChipOutputs {
    let rest = &values[2 * PORTS_A_SIDE..];
    ChipOutputs {
        words: std::array::from_fn(|link| values[link] as LinkWord),
        states: std::array::from_fn(|input| rest[2 * input] as u8),
        outputs: std::array::from_fn(|input| rest[2 * input + 1] as u8),
    }
}

/// A model and what it drives.
pub type Chip = ModelChip<Rn1>;

/// The same of RN1 or of one with heights.
pub struct ModelChip<M: Model> {
    configuration: Configuration,
    unit: Unit<M>,
}

impl<M: Model<State = rn1::State, Word = LinkWord>> ModelChip<M> {
    pub fn new(configuration: &Configuration) -> ModelChip<M> {
        ModelChip {
            configuration: *configuration,
            unit: Unit::new(),
        }
    }

    pub fn shown(&self) -> ChipOutputs {
        shown(&self.unit.shown())
    }

    pub fn step(&mut self, row: &Row) {
        self.unit.step(&inputs(&self.configuration, row));
        // Inputs at rest have 0 in all registers.
        if self.shown().states.iter().all(|&state| state == 0) {
            assert_eq!(self.unit.state, rn1::State::default());
        }
    }
}

/// The word with its byte rotated to the left by `steps` times two bits.
pub fn rotated(word: LinkWord, steps: usize) -> LinkWord {
    let byte = (word as u8).rotate_left(2 * (steps as u32 % 4));
    word & RN1_DATA as LinkWord | LinkWord::from(byte)
}

/// A source, routers in a row and a destination. The wire in front of router `j`
/// has `delays[j]` extra clocks, and the last one leads to the destination.
pub struct Chain {
    pub chips: Vec<Chip>,
    /// By how many steps of two bits the wire in front of router `j` rotates the byte, forward
    /// to the left: 1 between routers, or what a test sets. The last one leads to the
    /// destination.
    pub steps: Vec<usize>,
    /// Input and output of each router that the wires join.
    ports: Vec<(usize, usize)>,
    forward: Vec<VecDeque<LinkWord>>,
    backward: Vec<VecDeque<LinkWord>>,
}

impl Chain {
    /// Routers as `configure` wants them, told of the delays of the wires.
    pub fn new(
        delays: &[u8],
        ports: &[(usize, usize)],
        configure: impl Fn(usize, &mut Configuration),
    ) -> Chain {
        let chips = (0..ports.len()).map(|stage| {
            let mut configuration = Configuration {
                in_enable: 0xff,
                out_enable: 0xff,
                ..Configuration::default()
            };
            configuration.in_delay[ports[stage].0] = delays[stage];
            configuration.out_delay[ports[stage].1] = delays[stage + 1];
            configure(stage, &mut configuration);
            Chip::new(&configuration)
        });
        let wire = |&delay: &u8| VecDeque::from(vec![0; usize::from(delay)]);
        let between = |wire: usize| usize::from(wire > 0 && wire < ports.len());
        Chain {
            steps: (0..delays.len()).map(between).collect(),
            chips: chips.collect(),
            ports: ports.to_vec(),
            forward: delays.iter().map(wire).collect(),
            backward: delays.iter().map(wire).collect(),
        }
    }

    /// One clock: what the source and the destination drive in it; what they see.
    pub fn step(&mut self, source: LinkWord, destination: LinkWord) -> (LinkWord, LinkWord) {
        let stages = self.chips.len();
        let driven = |chips: &[Chip], stage: usize, link: usize| chips[stage].unit.driven[link];
        let mut at_far = Vec::new();
        let mut at_near = Vec::new();
        for wire in 0..=stages {
            let near = match wire {
                0 => source,
                _ => driven(&self.chips, wire - 1, PORTS_A_SIDE + self.ports[wire - 1].1),
            };
            let far = match wire {
                _ if wire == stages => destination,
                _ => driven(&self.chips, wire, self.ports[wire].0),
            };
            let steps = self.steps[wire];
            self.forward[wire].push_back(rotated(near, steps));
            self.backward[wire].push_back(rotated(far, 4 - steps));
            at_far.push(self.forward[wire].pop_front().expect("a word"));
            at_near.push(self.backward[wire].pop_front().expect("a word"));
        }
        for (stage, chip) in self.chips.iter_mut().enumerate() {
            let mut row = Row::default();
            row.words[self.ports[stage].0] = at_far[stage];
            row.words[PORTS_A_SIDE + self.ports[stage].1] = at_near[stage + 1];
            chip.step(&row);
        }
        (at_near[0], at_far[stages])
    }

    /// The states of the routers' inputs.
    pub fn states(&self) -> Vec<u64> {
        let stages = self.chips.iter().zip(&self.ports);
        stages
            .map(|(chip, &(input, _))| u64::from(chip.shown().states[input]))
            .collect()
    }
}
