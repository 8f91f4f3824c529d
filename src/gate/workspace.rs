//! The memory that a thread works in, array by array, apart from that of the network.

use super::evaluator::{Arrivals, Evaluator};
use super::kernel::frame;
use super::plan::Plan;
use super::planes::Planes;

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

/// What the shuffles of an array need at most.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShuffleSizes {
    /// Values.
    pub values: usize,
    /// Words of scratch memory of their code.
    pub scratch_words: usize,
}

impl Workspace {
    /// What a thread needs for the chunks of an array.
    pub fn new(
        plan: &Plan,
        evaluator: &Evaluator,
        link_bits: usize,
        shuffles: ShuffleSizes,
    ) -> Workspace {
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
    fn new(
        (plan, evaluator, link_bits, shuffles): (&Plan, &Evaluator, usize, ShuffleSizes),
    ) -> Self {
        let arrivals = match evaluator {
            Evaluator::Interpreter(_) => Arrivals::Frame(frame()),
            Evaluator::Native(codes) => {
                let planes = plan.link_inputs.len() * link_bits + plan.random_inputs.len();
                let scratch = codes.scratch_words().max(shuffles.scratch_words);
                let scratch = Planes::new(scratch);
                Arrivals::Planes(Planes::new(planes * W), scratch)
            }
        };
        LaneWorkspace {
            arrivals,
            values: Planes::new(shuffles.values * W),
        }
    }
}
