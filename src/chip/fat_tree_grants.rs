//! Which heads of a four-port router get an output: the decisions that both routers of a
//! fat tree share, without registers.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 3. In Verilog: `hdl/fat_tree_grants.v`.

use super::quad::{Quad, column, rows};
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

/// The downstream ports.
const DOWNSTREAM: u8 = 1 << A | 1 << B;
/// The upstream ports.
const UPSTREAM: u8 = 1 << C | 1 << D;

/// The winner among the inputs that want one downstream output. `side` is the
/// other downstream port.
#[inline(always)]
fn winner(wants: u8, side: usize, pair: impl FnOnce() -> bool, third: impl FnOnce() -> bool) -> u8 {
    // Rarely more than one.
    if wants & wants.wrapping_sub(1) == 0 {
        return wants;
    }
    let side = 1 << side;
    let two = match wants == side | UPSTREAM {
        true if third() => return side,
        true => UPSTREAM,
        false => wants,
    };
    let first = match two & side {
        0 => 1 << D,
        side => side,
    };
    match pair() {
        true => first,
        false => two & !first,
    }
}

/// All ports if one is in a set, and else none.
#[inline(always)]
fn all_if(port: usize, set: u8) -> u8 {
    0u8.wrapping_sub(set >> port & 1)
}

impl Heads {
    /// What becomes of the heads, when the outputs in `closed` take none.
    #[inline(always)]
    pub(super) fn arbitrate(&self, closed: u8, random: &impl RandomPins) -> Arbitration {
        let path_bit = self.level & 7;
        let turns_at = |port: usize| u8::from(self.words.ports()[port] as u8 == self.level) << port;
        let turns = turns_at(A) | turns_at(B);
        let to_right = self.words.ports_with(1 << path_bit) & UPSTREAM;
        let last_bit = match path_bit {
            0 => UPSTREAM,
            _ => 0,
        };
        let swallow = self.ports & (turns | last_bit);
        // A word that is used up here needs a word behind it.
        let asking = self.ports & (!swallow | self.arriving.ports_with(VALID));

        let wants_a = asking & (turns & 1 << B | UPSTREAM & !to_right) & all_if(A, !closed);
        let wants_b = asking & (turns & 1 << A | to_right) & all_if(B, !closed);
        let fair = |stream| !self.winner_fixed && random.bit(stream, RandomKind::Fair);
        let third = || !self.winner_fixed && random.bit(STREAM_THIRD, RandomKind::Third);
        let to_a = winner(wants_a, B, || fair(STREAM_PAIR_A), third);
        let to_b = winner(wants_b, A, || fair(STREAM_PAIR_B), third);
        let mut granted = column(to_a, A) | column(to_b, B);
        let up = asking & DOWNSTREAM & !turns;
        if up != 0 {
            granted |= self.upward(up, UPSTREAM & !closed, random);
        }
        Arbitration {
            granted,
            rejected: asking & !rows(granted),
            swallow,
        }
    }

    /// The upstream outputs granted to the downstream inputs in `up`, out of those in `free`.
    #[inline(always)]
    fn upward(&self, up: u8, mut free: u8, random: &impl RandomPins) -> u16 {
        let prefers_d = random.bit(STREAM_UP, RandomKind::Fair);
        let both = up == DOWNSTREAM;
        let preferred = 1 << if prefers_d { D } else { C };
        let preferred = match both {
            true => [preferred, UPSTREAM ^ preferred],
            false => [preferred; 2],
        };
        // A single port c goes first to the one that prefers it.
        let mut order = [A, B];
        if self.upstream_single {
            free &= !(1 << D);
            if both && !self.winner_fixed && prefers_d {
                order = [B, A];
            }
        }
        let mut granted = 0;
        for input in order {
            let output = match free & preferred[input] {
                0 => free,
                preferred => preferred,
            };
            let output = output & all_if(input, up);
            free &= !output;
            granted |= u16::from(output) << (4 * input);
        }
        granted
    }
}
