//! The memory that a thread works in, array by array, apart from that of the network.

use super::evaluator::{Arrivals, Evaluator};
use super::kernel::frame;
use super::plan::Plan;
use super::planes::Planes;
use super::shuffle::{BITS_MAX, SLOTS_MAX};

/// What a thread needs for each array, by its lane width.
pub enum Workspace {
    /// 64 lanes.
    One(LaneWorkspace<1>),
    /// 128 lanes.
    Two(LaneWorkspace<2>),
    /// 256 lanes.
    Four(LaneWorkspace<4>),
    /// 512 lanes.
    Eight(LaneWorkspace<8>),
}

/// What a thread needs to evaluate groups of `W` words.
pub struct LaneWorkspace<const W: usize> {
    /// What arrives at a group.
    pub(super) arrivals: Arrivals<W>,
    /// The values of shuffles.
    pub(super) values: Planes,
}

impl Workspace {
    /// What a thread needs for the chunks of an array, some links of which are shuffled or none.
    pub fn new(plan: &Plan, evaluator: &Evaluator, link_bits: usize, shuffles: bool) -> Workspace {
        let of = (plan, evaluator, link_bits, shuffles);
        match plan.width {
            1 => Workspace::One(LaneWorkspace::new(of)),
            2 => Workspace::Two(LaneWorkspace::new(of)),
            4 => Workspace::Four(LaneWorkspace::new(of)),
            _ => Workspace::Eight(LaneWorkspace::new(of)),
        }
    }
}

impl<const W: usize> LaneWorkspace<W> {
    fn new((plan, evaluator, link_bits, shuffles): (&Plan, &Evaluator, usize, bool)) -> Self {
        let slots = if shuffles { SLOTS_MAX } else { 0 };
        let arrivals = match evaluator {
            Evaluator::Interpreter(_) => Arrivals::Frame(frame()),
            Evaluator::Native(codes) => {
                let planes = plan.link_inputs.len() * link_bits + plan.random_inputs.len();
                let scratch = Planes::new(codes.scratch_words());
                Arrivals::Planes(Planes::new(planes * W), scratch)
            }
        };
        LaneWorkspace {
            arrivals,
            values: Planes::new(slots * BITS_MAX),
        }
    }
}
