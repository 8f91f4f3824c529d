//! Random neighbours of one RN1 chip: senders and receivers that keep the
//! protocol, or noise.

use std::collections::VecDeque;

use crosswave_base::random;
use crosswave_chips::rn1::{self, PORTS_A_SIDE};
use crosswave_chips::rn1_protocol::{RN1_DATA, RN1_DROP, RN1_IDLE, RN1_REST, RN1_TURN};
use crosswave_chips::{LinkWord, Model};

use super::chips;
use super::rn1::{self as chip, ChipOutputs, Configuration, ModelChip, Row};

const REST: LinkWord = RN1_REST as LinkWord;
const IDLE: LinkWord = RN1_IDLE as LinkWord;
const DROP: LinkWord = RN1_DROP as LinkWord;
const TURN: LinkWord = RN1_TURN as LinkWord;
const DATA: LinkWord = RN1_DATA as LinkWord;

/// Numbers from a seed.
pub struct Dice {
    seed: u64,
    rolled: u64,
}

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice { seed, rolled: 0 }
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.rolled += 1;
        random::word(random::key(self.seed, 0, self.rolled), 0) % end
    }

    fn one_in(&mut self, end: u64) -> bool {
        self.below(end) == 0
    }

    /// Any word, the control words often.
    pub fn word(&mut self) -> LinkWord {
        match self.below(8) {
            0 => REST,
            1 => IDLE,
            2 => DROP,
            3 => TURN,
            4 | 5 => DATA | self.below(256) as LinkWord,
            _ => self.below(512) as LinkWord,
        }
    }
}

/// The state of one end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No connection.
    Rest,
    /// Sends, so many words more before it ends or turns.
    Send(u64),
    /// Waits for the first word after it turned or ended, so many clocks more.
    Wait(usize),
    /// Listens.
    Listen,
}

/// An end of a connection behind a wire: the source at an input, or the
/// destination at an output.
struct End {
    is_source: bool,
    phase: Phase,
    outward: VecDeque<LinkWord>,
    inward: VecDeque<LinkWord>,
}

impl End {
    fn new(is_source: bool, delay: u8) -> End {
        let wire = VecDeque::from(vec![REST; usize::from(delay)]);
        End {
            is_source,
            phase: Phase::Rest,
            outward: wire.clone(),
            inward: wire,
        }
    }

    /// The word that arrives at the chip in this clock; `from_chip` is what the chip drives.
    fn clock(&mut self, from_chip: LinkWord, dice: &mut Dice) -> LinkWord {
        self.inward.push_back(from_chip);
        let seen = self.inward.pop_front().expect("a word");
        let word = self.act(seen, dice);
        self.outward.push_back(word);
        self.outward.pop_front().expect("a word")
    }

    /// The word that is driven in a clock in which `seen` is at the end of the wire.
    /// It is a register: what is seen now decides what is driven from the next clock
    /// on, which is why the phase changes last.
    fn act(&mut self, seen: LinkWord, dice: &mut Dice) -> LinkWord {
        let delay = self.outward.len();
        let (word, next) = match self.phase {
            Phase::Rest if self.is_source && dice.one_in(6) => (
                DATA | dice.below(256) as LinkWord,
                Phase::Send(dice.below(7)),
            ),
            Phase::Rest => (REST, Phase::Rest),
            Phase::Send(0) => match dice.below(8) {
                0 => (DROP, Phase::Rest),
                // The destination has nothing to be told of.
                1 | 2 if !self.is_source => (REST, Phase::Rest),
                1 | 2 => (REST, Phase::Wait(2 * delay)),
                _ => (TURN, Phase::Wait(2 * delay)),
            },
            Phase::Send(left) => {
                let word = match dice.below(8) {
                    0 | 1 => IDLE,
                    // Looks like a status of another router.
                    2 => 0x80 | dice.below(32) as LinkWord,
                    _ => DATA | dice.below(256) as LinkWord,
                };
                (word, Phase::Send(left - 1))
            }
            Phase::Wait(0) => (REST, Phase::Listen),
            Phase::Wait(left) => (REST, Phase::Wait(left - 1)),
            Phase::Listen => (REST, Phase::Listen),
        };
        self.phase = next;
        let silent = matches!(self.phase, Phase::Rest) && word == REST;
        match (self.phase, seen) {
            // A first byte for the destination.
            (Phase::Rest, word) if !self.is_source && silent && word & DATA != 0 => {
                self.phase = Phase::Listen;
            }
            (Phase::Listen, REST | DROP) => self.phase = Phase::Rest,
            (Phase::Listen, TURN) => self.phase = Phase::Send(dice.below(7)),
            _ => {}
        }
        word
    }
}

/// The behaviour of the neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// They keep the protocol, and the wires are as long as the chip was told.
    Proper,
    /// They keep the protocol but for a wrong word now and then.
    Faulty,
    /// Any words.
    Noise,
}

/// A random configuration, mostly with all ports in use.
fn configuration(dice: &mut Dice) -> Configuration {
    let enable = |dice: &mut Dice| match dice.below(3) {
        0 => dice.below(256) as u8,
        _ => 0xff,
    };
    let delays = [0, 0, 0, 0, 1, 1, 2, 3, 5, 31];
    let delay =
        |dice: &mut Dice| std::array::from_fn(|_| delays[dice.below(delays.len() as u64) as usize]);
    Configuration {
        two_crossbars: dice.one_in(2),
        swallow: match dice.below(3) {
            0 => 0,
            1 => 0xff,
            _ => dice.below(256) as u8,
        },
        to_height: None,
        in_enable: enable(dice),
        out_enable: enable(dice),
        in_delay: delay(dice),
        out_delay: delay(dice),
    }
}

/// A case: the configuration, the inputs of each cycle, and what the model shows
/// in it. The first cycle is a reset.
pub struct Case {
    pub configuration: Configuration,
    pub rows: Vec<Row>,
    pub shown: Vec<ChipOutputs>,
}

impl Case {
    /// The inputs of a cycle, in the order of the chip's table.
    pub fn inputs(&self, cycle: usize) -> chips::Row {
        chip::inputs(&self.configuration, &self.rows[cycle])
    }
}

pub fn case<M>(seed: u64, kind: Kind, cycles: usize) -> Case
where
    M: Model<State = rn1::State, Word = LinkWord>,
{
    let mut dice = Dice::new(seed);
    let mut configuration = configuration(&mut dice);
    if M::CHIP.ports.iter().any(|port| port.name == "to_height") {
        configuration.to_height = Some(match dice.below(3) {
            0 => 0xff,
            _ => dice.below(256) as u8,
        });
    }
    let mut chip = ModelChip::<M>::new(&configuration);
    let delay_of = |link: usize| match link < PORTS_A_SIDE {
        true => configuration.in_delay[link],
        false => configuration.out_delay[link - PORTS_A_SIDE],
    };
    let mut ends: Vec<End> = (0..2 * PORTS_A_SIDE)
        .map(|link| End::new(link < PORTS_A_SIDE, delay_of(link)))
        .collect();
    let (mut rows, mut shown) = (Vec::new(), Vec::new());
    for cycle in 0..cycles {
        let now = chip.shown();
        let mut row = Row {
            reset: cycle == 0 || kind == Kind::Noise && dice.one_in(100),
            random: dice.below(1 << 16) as u16,
            ..Row::default()
        };
        for (link, end) in ends.iter_mut().enumerate() {
            row.words[link] = match kind {
                _ if cycle == 0 => REST,
                Kind::Noise => dice.word(),
                Kind::Faulty if dice.one_in(100) => dice.word(),
                _ => end.clock(now.words[link], &mut dice),
            };
        }
        chip.step(&row);
        rows.push(row);
        shown.push(now);
    }
    Case {
        configuration,
        rows,
        shown,
    }
}
