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

/// The winner among the inputs that want one downstream output, or none. `side` is the other
/// downstream port. Of three the side wins if `third` says so; of two the first one does if `pair`
/// does, in the order side, d, c.
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

/// All bits if a port is in a set, and else none.
#[inline(always)]
fn all_if(port: usize, set: u8) -> u8 {
    0u8.wrapping_sub(set >> port & 1)
}

impl Heads {
    /// What becomes of the heads, when the outputs in `closed` take none.
    #[inline(always)]
    pub(super) fn arbitrate(&self, closed: u8, random: &impl RandomPins) -> Arbitration {
        if self.ports == 0 {
            return Arbitration::default();
        }
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
        let output = 1 << if prefers_d { D } else { C };
        let preferred = match both {
            true => [output, UPSTREAM ^ output],
            false => [output; 2],
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
                output => output,
            };
            let taken = output & all_if(input, up);
            free &= !taken;
            granted |= u16::from(taken) << (4 * input);
        }
        granted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random bits by their streams, from the first one on.
    struct Bits(u8);

    impl RandomPins for Bits {
        fn cycle(&self) -> u64 {
            0
        }

        fn bit(&self, stream: u64, _: RandomKind) -> bool {
            self.0 >> (stream - STREAM_UP) & 1 != 0
        }
    }

    /// What one input asks for: downstream outputs, or upstream ones.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Request {
        Down(usize),
        Up,
    }

    /// The same decisions, one port after the other: outputs, ports rejected, ports swallowed.
    fn one_by_one(heads: &Heads, closed: u8, random: &Bits) -> ([Option<usize>; 4], u8, u8) {
        let is_in = |set: u8, port: usize| set >> port & 1 != 0;
        let fair = |stream| !heads.winner_fixed && random.bit(stream, RandomKind::Fair);
        let third = !heads.winner_fixed && random.bit(STREAM_THIRD, RandomKind::Third);
        let (mut requests, mut swallow) = ([None; 4], 0);
        let is_last = heads.level.is_multiple_of(8);
        for port in (0..4).filter(|&port| is_in(heads.ports, port)) {
            let word = heads.words.ports()[port];
            let (request, is_used_up) = match port {
                A | B if word as u8 == heads.level => (Request::Down(A + B - port), true),
                A | B => (Request::Up, false),
                _ if word >> (heads.level % 8) & 1 == 0 => (Request::Down(A), is_last),
                _ => (Request::Down(B), is_last),
            };
            swallow |= u8::from(is_used_up) << port;
            let is_followed = heads.arriving.ports()[port] & VALID != 0;
            requests[port] = (!is_used_up || is_followed).then_some(request);
        }
        let mut granted = [None; 4];
        for (output, side, stream) in [(A, B, STREAM_PAIR_A), (B, A, STREAM_PAIR_B)] {
            let wants = |port: &usize| requests[*port] == Some(Request::Down(output));
            // A fair bit decides for the first one.
            let mut by_rank: Vec<usize> = [side, D, C].into_iter().filter(wants).collect();
            if by_rank.len() == 3 {
                by_rank = by_rank[if third { 0..1 } else { 1..3 }].to_vec();
            }
            let winner = match by_rank[..] {
                [first, second] => Some(if fair(stream) { first } else { second }),
                [only] => Some(only),
                _ => None,
            };
            if let Some(winner) = winner.filter(|_| !is_in(closed, output)) {
                granted[winner] = Some(output);
            }
        }
        let asks_up = |port: usize| requests[port] == Some(Request::Up);
        let mut free: Vec<usize> = [C, D]
            .into_iter()
            .filter(|&up| !is_in(closed, up))
            .collect();
        free.retain(|&up| up == C || !heads.upstream_single);
        let prefers_d = random.bit(STREAM_UP, RandomKind::Fair);
        let both = asks_up(A) && asks_up(B);
        let is_turned = both && heads.upstream_single && fair(STREAM_UP);
        for input in if is_turned { [B, A] } else { [A, B] } {
            if asks_up(input) {
                let wants_d = prefers_d != (both && input == B);
                let preferred = if wants_d { D } else { C };
                let at = free.iter().position(|&up| up == preferred);
                let at = at.or((!free.is_empty()).then_some(0));
                granted[input] = at.map(|at| free.remove(at));
            }
        }
        let asked = |port: &usize| requests[*port].is_some() && granted[*port].is_none();
        let rejected = (0..4).filter(asked).map(|port| 1 << port).sum();
        (granted, rejected, swallow)
    }

    #[test]
    fn sets_of_ports_are_decided_like_ports_one_by_one() {
        let mut circuits = 0;
        for case in 0..1u32 << 19 {
            let take = |lsb: u32, width: u32| (case >> lsb & ((1 << width) - 1)) as u8;
            let (ports, closed, followed) = (take(0, 4), take(4, 4), take(8, 4));
            // A case in two has the path's last bit, which is used up.
            let level = [8, 11][usize::from(take(12, 1))];
            let turn = |port: u32| u16::from(if take(13 + port, 1) != 0 { level } else { 0x55 });
            let path = |port: u32| u16::from(take(17 + port, 1)) << (level % 8);
            let words = [turn(0), turn(1), path(0), path(1) | 0x50];
            let is_followed = |port: usize| u16::from(followed >> port & 1) * VALID;
            for random in 0..16 {
                let heads = Heads {
                    ports,
                    words: Quad::new(&words),
                    arriving: Quad::new(&[0, 1, 2, 3].map(is_followed)),
                    level,
                    winner_fixed: take(15, 1) != 0,
                    upstream_single: take(16, 1) != 0,
                };
                let found = heads.arbitrate(closed, &Bits(random));
                let (granted, rejected, swallow) = one_by_one(&heads, closed, &Bits(random));
                let bits = granted.iter().enumerate();
                let bits = bits.filter_map(|(input, output)| Some(1 << (4 * input + (*output)?)));
                let expected = (bits.sum::<u16>(), rejected, swallow);
                let found = (found.granted, found.rejected, found.swallow);
                assert_eq!(found, expected, "case {case:x}, random bits {random:x}");
                circuits += found.0.count_ones();
            }
        }
        assert!(circuits > 0);
    }
}
