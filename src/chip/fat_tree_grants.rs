//! Which heads of a four-port router get an output: the decisions that both routers of a
//! fat tree share, without registers.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 3. In Verilog: `hdl/fat_tree_grants.v`.

use super::quad::{Quad, rows};
use super::{RandomKind, RandomPins, VALID};

/// Downstream port to the left subtree.
pub const A: usize = 0;
/// Downstream port to the right subtree.
pub const B: usize = 1;
/// Upstream port.
pub const C: usize = 2;
/// Upstream port.
pub const D: usize = 3;

/// Stream of the upstream choice.
pub(super) const STREAM_UP: u64 = 0x100;
/// Stream of the winner among two on output a.
pub(super) const STREAM_PAIR_A: u64 = 0x101;
/// Stream of the winner among two on output b.
pub(super) const STREAM_PAIR_B: u64 = 0x102;
/// Stream of the winner among three.
pub(super) const STREAM_THIRD: u64 = 0x103;

/// What the heads in the input registers get in this cycle.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Arbitration {
    /// New circuits: bit `4 * input + output`.
    pub(super) granted: u16,
    /// Ports whose head asked in vain.
    pub(super) rejected: u8,
    /// Ports whose head word is used up here.
    pub(super) swallow: u8,
}

/// The heads in the input registers, and what decides about them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    /// The ports that have one.
    pub(super) ports: u8,
    /// The input registers.
    pub(super) words: Quad,
    /// What is on the wires.
    pub(super) arriving: Quad,
    /// The pin of that name.
    pub(super) level: u8,
    /// The pin of that name.
    pub(super) winner_fixed: bool,
    /// The pin of that name.
    pub(super) upstream_single: bool,
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

impl Heads {
    /// What becomes of the heads, when the outputs in `closed` take none.
    pub(super) fn arbitrate(&self, closed: u8, random: &impl RandomPins) -> Arbitration {
        let words = self.words.ports();
        let path_bit = self.level & 7;
        let mut requests = [Request::None; 4];
        let mut asking = 0;
        let mut swallow = 0;
        for port in [A, B, C, D] {
            if self.ports >> port & 1 == 0 {
                continue;
            }
            let swallowed;
            let request;
            if port == A || port == B {
                swallowed = words[port] as u8 == self.level;
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
            if !swallowed || self.arriving.ports_with(VALID) >> port & 1 != 0 {
                requests[port] = request;
                asking |= 1 << port;
            }
        }
        let mut granted = 0;
        if asking != 0 {
            let outputs = self.grant(&requests, closed, random);
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
        closed: u8,
        random: &impl RandomPins,
    ) -> [Option<usize>; 4] {
        let mut granted = [None; 4];
        let mut taken = [A, B, C, D].map(|output| closed >> output & 1 != 0);
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
            let pair = || !self.winner_fixed && random.bit(pair_stream, RandomKind::Fair);
            let third = || !self.winner_fixed && random.bit(STREAM_THIRD, RandomKind::Third);
            if let Some(input) = winner(&wants, A + B - output, pair, third) {
                granted[input] = Some(output);
            }
        }
        // A single port c goes first to the one that prefers it.
        let mut order = [A, B];
        if self.upstream_single {
            taken[D] = true;
            let both = requests[A] == Request::Up && requests[B] == Request::Up;
            if both && !self.winner_fixed && random.bit(STREAM_UP, RandomKind::Fair) {
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
