//! Shared by the circuit switches of m-port n-trees, [`mport_switch`](super::mport_switch) and
//! [`mport_tail_switch`](super::mport_tail_switch): who gets an output, and their sizes.
//!
//! A head is the number of an output port, and is used up. Of the inputs that want one output the
//! one passes whose number, exclusive or an *order*, is the least; the order is drawn in every
//! clock, so that of two each wins as often.

use std::cell::LazyCell;

use super::switch::{Crossing, Switch};
use super::{LinkWord, RandomKind, RandomPins};

/// First of the streams of the order.
pub(super) const STREAM_ORDER: u64 = 0x500;

/// The most ports of a switch.
pub(super) const PORTS_MAX: usize = 32;

/// No port.
pub(super) const NONE: u8 = u8::MAX;

/// Calls a macro with each size of a switch: module, model, ports, lg of these, file of the top
/// module, and links with the names of states that hold them.
macro_rules! of_all_sizes {
    (
        $switch:ident:
        $switch_4:ident $model_4:ident $source_4:literal;
        $switch_8:ident $model_8:ident $source_8:literal;
        $switch_16:ident $model_16:ident $source_16:literal;
        $switch_32:ident $model_32:ident $source_32:literal;
    ) => {
        $switch! {
            $switch_4, $model_4, 4, 2, $source_4,
            (0 "p0" "TO_P0") (1 "p1" "TO_P1") (2 "p2" "TO_P2") (3 "p3" "TO_P3")
        }
        $switch! {
            $switch_8, $model_8, 8, 3, $source_8,
            (0 "p0" "TO_P0") (1 "p1" "TO_P1") (2 "p2" "TO_P2") (3 "p3" "TO_P3") (4 "p4" "TO_P4")
            (5 "p5" "TO_P5") (6 "p6" "TO_P6") (7 "p7" "TO_P7")
        }
        $switch! {
            $switch_16, $model_16, 16, 4, $source_16,
            (0 "p0" "TO_P0") (1 "p1" "TO_P1") (2 "p2" "TO_P2") (3 "p3" "TO_P3") (4 "p4" "TO_P4")
            (5 "p5" "TO_P5") (6 "p6" "TO_P6") (7 "p7" "TO_P7") (8 "p8" "TO_P8") (9 "p9" "TO_P9")
            (10 "p10" "TO_P10") (11 "p11" "TO_P11") (12 "p12" "TO_P12") (13 "p13" "TO_P13")
            (14 "p14" "TO_P14") (15 "p15" "TO_P15")
        }
        $switch! {
            $switch_32, $model_32, 32, 5, $source_32,
            (0 "p0" "TO_P0") (1 "p1" "TO_P1") (2 "p2" "TO_P2") (3 "p3" "TO_P3") (4 "p4" "TO_P4")
            (5 "p5" "TO_P5") (6 "p6" "TO_P6") (7 "p7" "TO_P7") (8 "p8" "TO_P8") (9 "p9" "TO_P9")
            (10 "p10" "TO_P10") (11 "p11" "TO_P11") (12 "p12" "TO_P12") (13 "p13" "TO_P13")
            (14 "p14" "TO_P14") (15 "p15" "TO_P15") (16 "p16" "TO_P16") (17 "p17" "TO_P17")
            (18 "p18" "TO_P18") (19 "p19" "TO_P19") (20 "p20" "TO_P20") (21 "p21" "TO_P21")
            (22 "p22" "TO_P22") (23 "p23" "TO_P23") (24 "p24" "TO_P24") (25 "p25" "TO_P25")
            (26 "p26" "TO_P26") (27 "p27" "TO_P27") (28 "p28" "TO_P28") (29 "p29" "TO_P29")
            (30 "p30" "TO_P30") (31 "p31" "TO_P31")
        }
    };
}
pub(super) use of_all_sizes;

/// A switch with so many ports.
#[derive(Debug)]
pub struct PortSwitch {
    pub(super) ports: usize,
    /// The port that shows the state of the first input; those of the others follow.
    pub(super) first_state: usize,
    /// True when the tail frees outputs, before the answer comes.
    pub(super) by_tail: bool,
}

impl Switch for PortSwitch {
    fn inputs(&self) -> usize {
        self.ports
    }

    fn state_port(&self, input: usize) -> usize {
        self.first_state + input
    }

    fn crossing(&self, _: usize, state: u64, _: &dyn Fn(usize) -> u64) -> Crossing {
        match state {
            0 => Crossing::Idle,
            drain if drain >> self.ports != 0 => Crossing::Rejected,
            held => Crossing::Holds(held.trailing_zeros() as usize),
        }
    }

    fn awaits_answers(&self) -> bool {
        self.by_tail
    }

    /// One into the register of the input, one to the grant.
    fn head_clocks(&self) -> u64 {
        2
    }
}

/// The order of a clock, in a switch whose ports have numbers of so many bits.
fn order(index: u32, winner_fixed: bool, random: &impl RandomPins) -> usize {
    if winner_fixed {
        return 1 << (index - 1);
    }
    let bit = |bit: u32| random.bit(STREAM_ORDER + u64::from(bit), RandomKind::Fair);
    (0..index).fold(0, |order, at| order | usize::from(bit(at)) << at)
}

/// The input that gets each output, or [`NONE`], where so many inputs ask with the heads in `words`
/// and some outputs are closed. Sets have a bit for each port. Random bits are drawn when somebody
/// asks.
pub(super) fn winners(
    words: &[LinkWord],
    asking: u32,
    closed: u32,
    winner_fixed: bool,
    random: &impl RandomPins,
) -> [u8; PORTS_MAX] {
    let ports = words.len();
    let mut winners = [NONE; PORTS_MAX];
    if asking == 0 {
        return winners;
    }
    let order = LazyCell::new(|| order(ports.ilog2(), winner_fixed, random));
    for input in (0..ports).filter(|&input| asking >> input & 1 != 0) {
        let output = usize::from(words[input] as u8);
        if output >= ports || output == input || closed >> output & 1 != 0 {
            continue;
        }
        let best = usize::from(winners[output]);
        if winners[output] == NONE || input ^ *order < best ^ *order {
            winners[output] = input as u8;
        }
    }
    winners
}

/// The state of an input that is shown: the output that its circuit holds, one bit for each, and
/// behind them whether it drains.
pub(super) fn state_of_input(held: &[u8], drain: u32, input: usize) -> u64 {
    let circuit = match held.get(input) {
        None | Some(&NONE) => 0,
        Some(&output) => 1 << output,
    };
    let drains = u64::from(drain.checked_shr(input as u32).unwrap_or(0) & 1);
    circuit | drains << held.len()
}
