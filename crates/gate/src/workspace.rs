//! The memory that a thread works in, array by array, apart from that of the network.

use super::code_draw::CodeDraw;
use super::draw::RandomInput;
use super::plan::Plan;
use crate::gather::put;
use crosswave_lanes::evaluator::Evaluator;
use crosswave_lanes::memories::PortPlanes;
use crosswave_lanes::planes::Planes;

/// Workspace of a thread for one array, by its lane width.
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

/// Memory in which a thread evaluates groups of `W` words.
pub struct LaneWorkspace<const W: usize> {
    /// The words that arrive at a group, in planes of `W` words; of the interpreter, its frame.
    pub(super) arrived: Planes,
    /// The scratch memory of native code.
    scratch: Planes,
    /// The values of shuffles.
    pub(super) values: Planes,
    /// A port of a memory.
    pub(super) ports: PortPlanes,
}

/// Greatest needs of the shuffles of an array.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShuffleSizes {
    /// Values.
    pub values: usize,
    /// Words of scratch memory of their code.
    pub scratch_words: usize,
}

impl Workspace {
    /// Creates the workspace for the chunks of an array.
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
    /// The words that have arrived for machine code, and its scratch memory.
    #[inline(always)]
    pub(super) fn planes(&mut self) -> (&mut [u64], &mut [u64]) {
        (self.arrived.words_mut(), self.scratch.words_mut())
    }

    fn new(
        (plan, evaluator, link_bits, shuffles): (&Plan, &Evaluator, usize, ShuffleSizes),
    ) -> Self {
        let (arrived, scratch) = match evaluator {
            Evaluator::Interpreter(interpreter) => {
                let slots = interpreter.program.operations.slots();
                (Planes::new(slots * W), Planes::new(0))
            }
            Evaluator::Native(codes) => {
                let planes = arrived_planes(plan, link_bits);
                let scratch = codes.scratch_words().max(shuffles.scratch_words);
                let scratch = Planes::new(scratch);
                let mut arrived = Planes::new(planes * W);
                if let Some(rare) = plan.rare_input {
                    undraw::<W>(arrived.words_mut(), rare);
                }
                if let Some(draw) = &plan.code_draw {
                    draw.begin::<W>(arrived.words_mut());
                }
                (arrived, scratch)
            }
        };
        LaneWorkspace {
            arrived,
            scratch,
            values: Planes::new(shuffles.values * W),
            ports: plan.port_planes(),
        }
    }
}

/// The planes of what arrives for machine code: links, random bits that are drawn for it, one that is
/// rarely drawn, and what it draws from itself.
pub(super) fn arrived_planes(plan: &Plan, link_bits: usize) -> usize {
    let drawn = plan.random_inputs.len() + 2 * usize::from(plan.rare_input.is_some());
    let draws = plan.code_draw.as_ref().map_or(0, CodeDraw::planes);
    plan.link_inputs.len() * link_bits + drawn + draws
}

/// Says of a rare random input that it has not been drawn: it is 0, and the plane after it all ones.
pub(super) fn undraw<const W: usize>(arrived: &mut [u64], rare: RandomInput) {
    put(arrived, rare.target, [0; W]);
    put(arrived, rare.target + 1, [u64::MAX; W]);
}
