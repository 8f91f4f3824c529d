//! The memory that a thread works in, array by array, apart from that of the network.

use super::evaluator::{Arrivals, Evaluator};
use super::kernel::frame;
use super::plan::Plan;
use super::planes::Planes;
use super::shuffle::BITS_MAX;

/// What a thread needs for each array, by its lane width.
pub enum Workspace {
    /// 64 lanes.
    One(Workbench<1>),
    /// 128 lanes.
    Two(Workbench<2>),
    /// 256 lanes.
    Four(Workbench<4>),
    /// 512 lanes.
    Eight(Workbench<8>),
}

/// What a thread needs to evaluate groups of `W` words.
pub struct Workbench<const W: usize> {
    /// What arrives at a group.
    pub(super) arrivals: Arrivals<W>,
    /// The values of shuffles.
    pub(super) values: Planes,
}

impl Workspace {
    /// What a thread needs for the chunks of an array; its shuffles have `slots` at most.
    pub fn new(plan: &Plan, evaluator: &Evaluator, link_bits: usize, slots: u16) -> Workspace {
        let make = (plan, evaluator, link_bits, slots);
        match plan.width {
            1 => Workspace::One(Workbench::new(make)),
            2 => Workspace::Two(Workbench::new(make)),
            4 => Workspace::Four(Workbench::new(make)),
            _ => Workspace::Eight(Workbench::new(make)),
        }
    }
}

impl<const W: usize> Workbench<W> {
    fn new((plan, evaluator, link_bits, slots): (&Plan, &Evaluator, usize, u16)) -> Self {
        let arrivals = match evaluator {
            Evaluator::Interpreter(_) => Arrivals::Frame(frame()),
            Evaluator::Native(codes) => {
                let planes = plan.link_inputs.len() * link_bits + plan.random_inputs.len();
                let scratch = Planes::new(codes.scratch_words());
                Arrivals::Planes(Planes::new(planes * W), scratch)
            }
        };
        Workbench {
            arrivals,
            values: Planes::new(usize::from(slots) * BITS_MAX),
        }
    }
}
