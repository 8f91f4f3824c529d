//! Grants of a four-port router's outputs to heads: the decisions that both routers of a fat tree
//! share, without registers.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 3. In Verilog: `hdl/fat_tree_grants.v`.

use super::quad::{Matrix, PortSet, Quad, column, rows};
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

/// Decisions on the heads in the input registers in this cycle.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Arbitration {
    /// New circuits.
    pub(super) granted: Matrix,
    /// Ports whose head asked in vain.
    pub(super) rejected: PortSet,
    /// Ports whose head word is used up here.
    pub(super) swallow: PortSet,
}

/// The heads in the input registers, and what decides about them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    /// The ports that have one.
    pub(super) ports: PortSet,
    /// The input registers.
    pub(super) words: Quad,
    /// Words on the wires.
    pub(super) arriving: Quad,
    /// The outputs that take none.
    pub(super) closed: PortSet,
    /// The pin of that name.
    pub(super) level: u64,
    /// The pin of that name.
    pub(super) winner_fixed: bool,
    /// The pin of that name.
    pub(super) upstream_single: bool,
}

/// Requests of the heads: sets of ports side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requests(pub(super) u64);

/// Ports whose head asks for an output.
const ASKING_LSB: u32 = 0;
/// Ports whose head word is used up here.
const SWALLOW_LSB: u32 = 4;
/// Those that ask for output a, if it is free.
const TO_A_LSB: u32 = 8;
/// Those that ask for output b, if it is free.
const TO_B_LSB: u32 = 12;
/// Those that ask for any upstream output.
const UP_LSB: u32 = 16;
/// Set when the first of these prefers d.
const PREFERS_D_LSB: u32 = 20;

impl Requests {
    #[inline(always)]
    fn ports(self, lsb: u32) -> PortSet {
        self.0 >> lsb & 0xf
    }

    /// True when random bits may decide.
    #[inline(always)]
    pub(super) fn are_left_to_chance(self) -> bool {
        several(self.ports(TO_A_LSB)) | several(self.ports(TO_B_LSB)) | self.ports(UP_LSB) != 0
    }

    /// The requests that are left when each downstream output has its winner, and with what the
    /// first one that goes up prefers.
    #[inline(always)]
    pub(super) fn drawn(self, winner_fixed: bool, random: &impl RandomPins) -> Self {
        let fair = |stream| !winner_fixed && random.bit(stream, RandomKind::Fair);
        let third = || !winner_fixed && random.bit(STREAM_THIRD, RandomKind::Third);
        let (wants_a, wants_b) = (self.ports(TO_A_LSB), self.ports(TO_B_LSB));
        let to_a = winner(wants_a, B, || fair(STREAM_PAIR_A), third);
        let to_b = winner(wants_b, A, || fair(STREAM_PAIR_B), third);
        let prefers_d = self.ports(UP_LSB) != 0 && random.bit(STREAM_UP, RandomKind::Fair);
        let lost = (wants_a ^ to_a) << TO_A_LSB | (wants_b ^ to_b) << TO_B_LSB;
        Requests(self.0 ^ lost | u64::from(prefers_d) << PREFERS_D_LSB)
    }

    /// True when the first one that goes up prefers d.
    #[inline(always)]
    fn prefers_d(self) -> bool {
        self.0 >> PREFERS_D_LSB & 1 != 0
    }
}

/// The downstream ports.
const DOWNSTREAM: PortSet = 1 << A | 1 << B;
/// The upstream ports.
const UPSTREAM: PortSet = 1 << C | 1 << D;

/// The winner among the inputs that want one downstream output, or none. `side` is the other
/// downstream port. Of three the side wins if `third` says so; of two the first one does if `pair`
/// does, in the order side, d, c.
#[inline(always)]
fn winner(
    wants: PortSet,
    side: usize,
    pair: impl FnOnce() -> bool,
    third: impl FnOnce() -> bool,
) -> PortSet {
    // Rarely more than one.
    if several(wants) == 0 {
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

/// All but the first of some ports: none if there are not several.
#[inline(always)]
fn several(ports: PortSet) -> PortSet {
    ports & ports.wrapping_sub(1)
}

/// All bits if a port is in a set, and else none.
#[inline(always)]
fn all_if(port: usize, set: PortSet) -> PortSet {
    (set >> port & 1).wrapping_neg()
}

impl Heads {
    /// Decides which heads get an output, and which are rejected.
    #[inline(always)]
    pub(super) fn arbitrate(&self, random: &impl RandomPins) -> Arbitration {
        if self.ports == 0 {
            return Arbitration::default();
        }
        let requests = self.requests();
        self.granted(match requests.are_left_to_chance() {
            true => requests.drawn(self.winner_fixed, random),
            false => requests,
        })
    }

    /// The requests of the heads.
    #[inline(always)]
    pub(super) fn requests(&self) -> Requests {
        let path_bit = self.level & 7;
        let turns_at = |port: usize| {
            let word = self.words.0 >> (16 * port) & 0xff;
            u64::from(word == self.level) << port
        };
        let turns = turns_at(A) | turns_at(B);
        let to_right = self.words.ports_with_place(path_bit) & UPSTREAM;
        let last_bit = match path_bit {
            0 => UPSTREAM,
            _ => 0,
        };
        let swallow = self.ports & (turns | last_bit);
        // A word that is used up here needs a word behind it.
        let asking = self.ports & (!swallow | self.arriving.ports_with(VALID));

        let to_a = asking & (turns & 1 << B | UPSTREAM & !to_right) & all_if(A, !self.closed);
        let to_b = asking & (turns & 1 << A | to_right) & all_if(B, !self.closed);
        let up = asking & DOWNSTREAM & !turns;
        Requests(
            asking << ASKING_LSB
                | swallow << SWALLOW_LSB
                | to_a << TO_A_LSB
                | to_b << TO_B_LSB
                | up << UP_LSB,
        )
    }

    /// Decides requests that leave nothing to chance any more.
    #[inline(always)]
    pub(super) fn granted(&self, requests: Requests) -> Arbitration {
        let asking = requests.ports(ASKING_LSB);
        let to_a = column(requests.ports(TO_A_LSB), A);
        let to_b = column(requests.ports(TO_B_LSB), B);
        let granted = to_a | to_b | self.upward(requests);
        Arbitration {
            granted,
            rejected: asking & !rows(granted),
            swallow: requests.ports(SWALLOW_LSB),
        }
    }

    /// The upstream outputs granted to the downstream inputs that ask for one.
    #[inline(always)]
    fn upward(&self, requests: Requests) -> Matrix {
        let up = requests.ports(UP_LSB);
        let are_two = up == DOWNSTREAM;
        let prefers_d = requests.prefers_d();
        let preferred = match prefers_d {
            true => 1 << D,
            false => 1 << C,
        };
        let others = match are_two {
            true => UPSTREAM ^ preferred,
            false => preferred,
        };
        let outputs = match self.upstream_single {
            true => 1 << C,
            false => UPSTREAM,
        };
        let free = outputs & !self.closed;
        // A single port c goes to the one of two that prefers it.
        let from_a = match self.upstream_single && are_two && prefers_d && !self.winner_fixed {
            true => 0,
            false => all_if(A, up),
        };
        let any_of = |free: PortSet, preferred: PortSet| match free & preferred {
            0 => free,
            output => output,
        };
        let to_a = any_of(free, preferred) & from_a;
        let to_b = any_of(free & !to_a, others) & all_if(B, up);
        to_a << (4 * A) | to_b << (4 * B)
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Random bits by their streams, from the first one on.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Bits(pub(crate) u8);

    impl RandomPins for Bits {
        fn cycle(&self) -> u64 {
            0
        }

        fn bit(&self, stream: u64, _: RandomKind) -> bool {
            self.0 >> (stream - STREAM_UP) & 1 != 0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::Bits;
    use super::*;

    /// Request of one input: downstream outputs, or upstream ones.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Request {
        Down(usize),
        Up,
    }

    /// The same decisions, one port after the other: outputs, ports rejected, ports swallowed.
    fn one_by_one(heads: &Heads, random: &Bits) -> ([Option<usize>; 4], PortSet, PortSet) {
        let is_in = |set: PortSet, port: usize| set >> port & 1 != 0;
        let fair = |stream| !heads.winner_fixed && random.bit(stream, RandomKind::Fair);
        let third = !heads.winner_fixed && random.bit(STREAM_THIRD, RandomKind::Third);
        let (mut requests, mut swallow) = ([None; 4], 0);
        let is_last = heads.level.is_multiple_of(8);
        for port in (0..4).filter(|&port| is_in(heads.ports, port)) {
            let word = heads.words.ports()[port];
            let (request, is_used_up) = match port {
                A | B if u64::from(word & 0xff) == heads.level => {
                    (Request::Down(A + B - port), true)
                }
                A | B => (Request::Up, false),
                _ if word >> (heads.level % 8) & 1 == 0 => (Request::Down(A), is_last),
                _ => (Request::Down(B), is_last),
            };
            swallow |= PortSet::from(is_used_up) << port;
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
            if let Some(winner) = winner.filter(|_| !is_in(heads.closed, output)) {
                granted[winner] = Some(output);
            }
        }
        let asks_up = |port: usize| requests[port] == Some(Request::Up);
        let mut free: Vec<usize> = [C, D]
            .into_iter()
            .filter(|&up| !is_in(heads.closed, up))
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
        for case in 0..1u64 << 19 {
            let take = |lsb: u32, width: u32| case >> lsb & ((1 << width) - 1);
            let (ports, closed, followed) = (take(0, 4), take(4, 4), take(8, 4));
            // A case in two has the path's last bit, which is used up.
            let level = [8u16, 11][take(12, 1) as usize];
            let turn = |port: u32| if take(13 + port, 1) != 0 { level } else { 0x55 };
            let path = |port: u32| (take(17 + port, 1) as u16) << (level % 8);
            let words = [turn(0), turn(1), path(0), path(1) | 0x50];
            let is_followed = |port: usize| (followed >> port & 1) as u16 * VALID;
            for random in 0..16 {
                let heads = Heads {
                    ports,
                    words: Quad::new(&words),
                    arriving: Quad::new(&[0, 1, 2, 3].map(is_followed)),
                    closed,
                    level: level.into(),
                    winner_fixed: take(15, 1) != 0,
                    upstream_single: take(16, 1) != 0,
                };
                let found = heads.arbitrate(&Bits(random));
                let (granted, rejected, swallow) = one_by_one(&heads, &Bits(random));
                let bits = granted.iter().enumerate();
                let bits = bits.filter_map(|(input, output)| Some(1 << (4 * input + (*output)?)));
                let expected = (bits.sum::<Matrix>(), rejected, swallow);
                let found = (found.granted, found.rejected, found.swallow);
                assert_eq!(found, expected, "case {case:x}, random bits {random:x}");
                circuits += found.0.count_ones();
            }
        }
        assert!(circuits > 0);
    }
}
