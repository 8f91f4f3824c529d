//! `fat_tree_router`: the four-port circuit-switched router.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 3 (ports, winner, rejection)
//! and section 7 (clocks). `hdl/fat_tree_router.md` draws the timing.
//!
//! The model holds the same registers as `hdl/fat_tree_router.v` and is
//! evaluated in two steps: which circuits are granted, then what every register
//! holds after the edge.

use super::quad::{Quad, columns, every_row, rows, whole_rows};
use super::{
    ACK, COLLISION, Chip, FORWARD, LinkWord, Model, Port, RandomKind, RandomPins, Role, VALID,
    input, join, link_ports, output,
};
use crate::probe::signal::StateName;

/// Downstream port to the left subtree.
pub const A: usize = 0;
/// Downstream port to the right subtree.
pub const B: usize = 1;
/// Upstream port.
pub const C: usize = 2;
/// Upstream port.
pub const D: usize = 3;

/// Stream of the upstream choice.
const STREAM_UP: u64 = 0x100;
/// Stream of the winner among two on output a.
const STREAM_PAIR_A: u64 = 0x101;
/// Stream of the winner among two on output b.
const STREAM_PAIR_B: u64 = 0x102;
/// Stream of the winner among three.
const STREAM_THIRD: u64 = 0x103;

macro_rules! states {
    ($($name:literal = $value:literal),*) => {
        &[$(StateName { value: $value, name: $name }),*]
    };
}
const A_STATES: &[StateName] = states!("IDLE" = 0, "TO_B" = 1, "TO_C" = 2, "TO_D" = 4, "DRAIN" = 8);
const B_STATES: &[StateName] = states!("IDLE" = 0, "TO_A" = 1, "TO_C" = 2, "TO_D" = 4, "DRAIN" = 8);
const UP_STATES: &[StateName] = states!("IDLE" = 0, "TO_A" = 1, "TO_B" = 2, "DRAIN" = 4);

const fn fair(stream: u64) -> Role {
    Role::Random {
        stream,
        kind: RandomKind::Fair,
    }
}

const PORTS: [Port; 46] = join(&[
    &[
        input("clock", 1, Role::Clock, "rising edge"),
        input("reset", 1, Role::Reset, "synchronous, active high"),
        input(
            "level",
            5,
            Role::Option,
            "level of this router; 0 above the nodes",
        ),
        input(
            "winner_fixed",
            1,
            Role::Option,
            "1: c wins over d over the side port, upstream a over b; 0: at random",
        ),
        input(
            "release_tail",
            1,
            Role::Option,
            "1: the tail frees an acknowledged circuit; 0: the acknowledge does",
        ),
        input(
            "upstream_single",
            1,
            Role::Option,
            "1: only c leads up; 0: c and d do",
        ),
        input(
            "random_up",
            1,
            fair(STREAM_UP),
            "upstream choice: 0 prefers c, 1 prefers d; a single c goes to a or to b",
        ),
        input(
            "random_pair_a",
            1,
            fair(STREAM_PAIR_A),
            "winner of two on output a",
        ),
        input(
            "random_pair_b",
            1,
            fair(STREAM_PAIR_B),
            "winner of two on output b",
        ),
        input(
            "random_third",
            1,
            Role::Random {
                stream: STREAM_THIRD,
                kind: RandomKind::Third,
            },
            "winner of three: 1 in one case of three",
        ),
    ],
    &link_ports!(A, "a"),
    &link_ports!(B, "b"),
    &link_ports!(C, "c"),
    &link_ports!(D, "d"),
    &[
        output(
            "a_state",
            4,
            Role::State(A_STATES),
            "circuit that entered at a: drain, to d, to c, to b",
        ),
        output(
            "b_state",
            4,
            Role::State(B_STATES),
            "circuit that entered at b: drain, to d, to c, to a",
        ),
        output(
            "c_state",
            3,
            Role::State(UP_STATES),
            "circuit that entered at c: drain, to b, to a",
        ),
        output(
            "d_state",
            3,
            Role::State(UP_STATES),
            "circuit that entered at d: drain, to b, to a",
        ),
    ],
]);

/// The table of the chip.
pub static CHIP: Chip = Chip {
    name: "fat_tree_router",
    ports: &PORTS,
    links: &["a", "b", "c", "d"],
    words: &[],
};

/// Index of the port `level`.
pub const PORT_LEVEL: usize = 2;
/// Index of the port `winner_fixed`.
pub const PORT_WINNER_FIXED: usize = 3;
/// Index of the port `release_tail`.
pub const PORT_RELEASE_TAIL: usize = 4;
/// Index of the port `upstream_single`.
pub const PORT_UPSTREAM_SINGLE: usize = 5;
/// Index of the port `a_state`; those of the other inputs follow.
pub const PORT_STATE: usize = 42;

/// The outputs that an input can reach, in the order of its state bits; the bit behind
/// them is `DRAIN`.
pub const TARGETS: [&[usize]; 4] = [&[B, C, D], &[A, C, D], &[A, B], &[A, B]];

/// Configuration pins of one router.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pins {
    level: u8,
    winner_fixed: bool,
    release_tail: bool,
    upstream_single: bool,
}

/// Registers of one router, apart from those that drive its link ports.
///
/// The four input ports stand side by side: words in the lanes of a
/// `Quad`, single bits in the low bits of a byte, port `i` in bit `i`. A
/// clock edge then takes no branch per port, which is what a simulation of
/// busy routers would otherwise spend its time on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct State {
    /// The input registers: valid and data.
    words: Quad,
    /// The circuits: bit `4 * input + output` while that output is held.
    circuits: u16,
    drain: u8,
    bypass: u8,
    acknowledged: u8,
}

/// The model.
#[derive(Debug)]
pub struct FatTreeRouter;

/// What the heads in the input registers get in this cycle.
#[derive(Debug, Clone, Copy, Default)]
struct Arbitration {
    /// New circuits, as in [`State::circuits`].
    granted: u16,
    /// Ports whose head asked in vain.
    rejected: u8,
    /// Ports whose head word is used up here.
    swallow: u8,
}

/// What an input asks for in this cycle: an output port, or one of c and d.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Request {
    None,
    Up,
    Down(usize),
}

/// The winner among the inputs that want one downstream output. `side` is the
/// other downstream port.
fn winner(
    wants: &[bool; 4],
    side: usize,
    pair: impl Fn() -> bool,
    third: impl Fn() -> bool,
) -> Option<usize> {
    match (wants[side], wants[C], wants[D]) {
        (false, false, false) => None,
        (true, false, false) => Some(side),
        (false, true, false) => Some(C),
        (false, false, true) => Some(D),
        (true, true, false) => Some(if pair() { side } else { C }),
        (true, false, true) => Some(if pair() { side } else { D }),
        (false, true, true) => Some(if pair() { D } else { C }),
        (true, true, true) => Some(if third() {
            side
        } else if pair() {
            D
        } else {
            C
        }),
    }
}

impl State {
    /// What becomes of the heads of the ports in `heads`.
    fn arbitrate(
        &self,
        heads: u8,
        arriving: Quad,
        pins: &Pins,
        random: &impl RandomPins,
    ) -> Arbitration {
        let words = self.words.ports();
        let path_bit = pins.level & 7;
        let mut requests = [Request::None; 4];
        let mut asking = 0;
        let mut swallow = 0;
        for port in [A, B, C, D] {
            if heads >> port & 1 == 0 {
                continue;
            }
            let swallowed;
            let request;
            if port == A || port == B {
                swallowed = words[port] as u8 == pins.level;
                request = match swallowed {
                    true => Request::Down(A + B - port),
                    false => Request::Up,
                };
            } else {
                swallowed = path_bit == 0;
                request = match words[port] >> path_bit & 1 {
                    0 => Request::Down(A),
                    _ => Request::Down(B),
                };
            }
            swallow |= u8::from(swallowed) << port;
            // A word that is used up here needs a word behind it.
            if !swallowed || arriving.ports_with(VALID) >> port & 1 != 0 {
                requests[port] = request;
                asking |= 1 << port;
            }
        }
        let mut granted = 0;
        if asking != 0 {
            let outputs = self.grant(&requests, pins, random);
            for (input, output) in outputs.into_iter().enumerate() {
                granted |= output.map_or(0, |output| 1 << (4 * input + output));
            }
        }
        Arbitration {
            granted,
            rejected: asking & !rows(granted),
            swallow,
        }
    }

    /// The output granted to each input, given what each asks for.
    fn grant(
        &self,
        requests: &[Request; 4],
        pins: &Pins,
        random: &impl RandomPins,
    ) -> [Option<usize>; 4] {
        let mut granted = [None; 4];
        let held = columns(self.circuits);
        let mut taken = [A, B, C, D].map(|output| held >> output & 1 != 0);
        for output in [A, B] {
            if taken[output] {
                continue;
            }
            let wants = requests.map(|request| request == Request::Down(output));
            let pair_stream = if output == A {
                STREAM_PAIR_A
            } else {
                STREAM_PAIR_B
            };
            let pair = || !pins.winner_fixed && random.bit(pair_stream, RandomKind::Fair);
            let third = || !pins.winner_fixed && random.bit(STREAM_THIRD, RandomKind::Third);
            if let Some(input) = winner(&wants, A + B - output, pair, third) {
                granted[input] = Some(output);
            }
        }
        // A single port c goes first to the one that prefers it.
        let mut order = [A, B];
        if pins.upstream_single {
            taken[D] = true;
            let both = requests[A] == Request::Up && requests[B] == Request::Up;
            if both && !pins.winner_fixed && random.bit(STREAM_UP, RandomKind::Fair) {
                order = [B, A];
            }
        }
        for input in order {
            if requests[input] != Request::Up {
                continue;
            }
            let mut prefers_d = random.bit(STREAM_UP, RandomKind::Fair);
            if input == B && requests[A] == Request::Up {
                prefers_d = !prefers_d;
            }
            let choice = if prefers_d { [D, C] } else { [C, D] };
            granted[input] = choice.into_iter().find(|&output| !taken[output]);
            if let Some(output) = granted[input] {
                taken[output] = true;
            }
        }
        granted
    }
}

impl Model for FatTreeRouter {
    type State = State;
    type Pins = Pins;
    type Words = [LinkWord; 4];
    const CHIP: &'static Chip = &CHIP;
    const LINKS: usize = 4;

    fn set_pin(pins: &mut Pins, port: usize, value: u64) {
        match port {
            PORT_LEVEL => pins.level = value as u8,
            PORT_WINNER_FIXED => pins.winner_fixed = value != 0,
            PORT_RELEASE_TAIL => pins.release_tail = value != 0,
            PORT_UPSTREAM_SINGLE => pins.upstream_single = value != 0,
            _ => {}
        }
    }

    fn pin(pins: &Pins, port: usize) -> u64 {
        match port {
            PORT_LEVEL => u64::from(pins.level),
            PORT_WINNER_FIXED => u64::from(pins.winner_fixed),
            PORT_RELEASE_TAIL => u64::from(pins.release_tail),
            PORT_UPSTREAM_SINGLE => u64::from(pins.upstream_single),
            _ => 0,
        }
    }

    fn step(
        state: &mut State,
        pins: &Pins,
        random: &impl RandomPins,
        words: &mut [LinkWord],
    ) -> bool {
        let arriving = Quad::new(words);
        let valid = state.words.ports_with(VALID);
        let heads = valid & !rows(state.circuits) & !state.drain;
        let Arbitration {
            granted,
            rejected,
            swallow,
        } = match heads {
            0 => Arbitration::default(),
            _ => state.arbitrate(heads, arriving, pins, random),
        };

        let forwarded = arriving.only(FORWARD);
        let word = state.words.replaced(state.bypass | swallow, forwarded);
        let ack = rows(state.circuits & every_row(arriving.ports_with(ACK)));
        let collision = rows(state.circuits & every_row(arriving.ports_with(COLLISION)));
        let settled = ack | state.acknowledged;
        let held_by_words = match pins.release_tail {
            true => word.ports_with(VALID),
            false => 0,
        };
        let freed = collision | settled & !held_by_words;
        let circuits = state.circuits & !whole_rows(freed) | granted;

        let driven = word.through(circuits).0
            | Quad::of_ports(ack, ACK).0
            | Quad::of_ports(collision | rejected, COLLISION).0;
        words.copy_from_slice(&Quad(driven).ports());
        *state = State {
            words: forwarded,
            circuits,
            drain: rejected | collision | state.drain & valid,
            bypass: state.bypass & !freed | rows(granted) & swallow,
            acknowledged: settled & !freed,
        };
        forwarded.0 | driven != 0 || state.drain | state.acknowledged != 0
    }

    fn output(state: &State, port: usize) -> u64 {
        let input = port.wrapping_sub(PORT_STATE);
        let Some(targets) = TARGETS.get(input) else {
            return 0;
        };
        let circuit = targets.iter().enumerate().map(|(bit, output)| {
            let held = state.circuits >> (4 * input + output) & 1;
            u64::from(held) << bit
        });
        circuit.sum::<u64>() | u64::from(state.drain >> input & 1) << targets.len()
    }
}
