//! Chips that say that they rest, and rest.
//!
//! The event engine evaluates a chip of which nothing changes no more, if its model answers for
//! words that stay ([`Model::STEP_REPORTS_OUTPUT_CHANGE`]). [`Unit`] checks each such answer.

use crosswave_base::random;
use crosswave_chips::Model;
use crosswave_chips::Role;
use crosswave_chips::delay_line::DelayLine;
use crosswave_chips::fat_tree_router::FatTreeRouter;
use crosswave_chips::mport_interface::MportInterface;
use crosswave_chips::network_interface::NetworkInterface;
use crosswave_chips::rn1_delay_line::Rn1DelayLine;
use crosswave_chips::rn1_fault_line::Rn1FaultLine;
use crosswave_chips::stack_delay_line::StackDelayLine;

use crate::support::chips::{Row, Unit, inputs};

/// Cycles of a case.
const CYCLES: u64 = 2_000;

/// Steps a chip with inputs of all kinds, most of which stay for a while, and finds it at rest in
/// some cycles and not in others.
fn rests<M: Model>() {
    assert!(M::STEP_REPORTS_OUTPUT_CHANGE, "{}", M::CHIP.name);
    let (mut rested, mut went_on) = (0, 0);
    for seed in 0..8 {
        let drawn = |cycle: u64, port: usize| random::word(seed, 64 * cycle + port as u64);
        let mut unit = Unit::<M>::new();
        let mut row: Row = inputs(M::CHIP).map(|_| 0).collect();
        for cycle in 0..CYCLES {
            // Random pins change in every cycle, all others in one of four.
            let stays = cycle % 4 != 0;
            for (at, ((_, port), value)) in inputs(M::CHIP).zip(&mut row).enumerate() {
                *value = match port.role {
                    Role::Reset => u64::from(cycle == 0),
                    Role::Random { .. } => drawn(cycle, at) >> (64 - port.width),
                    _ if stays => *value,
                    _ => drawn(cycle, at) >> (64 - port.width),
                };
            }
            match unit.step(&row) {
                true => went_on += 1,
                false => rested += 1,
            }
        }
    }
    assert!(rested > 0, "{} rests", M::CHIP.name);
    assert!(went_on > 0, "{} is reset", M::CHIP.name);
}

#[test]
fn chips_that_rest_stay_as_they_are() {
    rests::<DelayLine>();
    rests::<FatTreeRouter>();
    rests::<MportInterface>();
    rests::<NetworkInterface>();
    rests::<Rn1DelayLine>();
    rests::<Rn1FaultLine>();
    rests::<StackDelayLine>();
}
