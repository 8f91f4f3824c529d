//! The evaluation of a group: by machine code, or by the interpreter.

use super::arriving::{Arriving, Gathering, Interpretation, RandomDrawing};
use super::{Around, Work, ZEROS};
use crate::gather::put;
use crate::reads::PutTogether;
use crate::workspace::{LaneWorkspace, undraw};
use crosswave_lanes::evaluator::{Evaluator, Interpreter, Memory};

impl Work<'_> {
    /// The slices of calls that never change: zeros, and patterns.
    pub(super) fn fixed_slices(&self) -> [&[u64]; 2] {
        match self.evaluator {
            Evaluator::Native(codes) => [&ZEROS, codes.all_patterns()],
            Evaluator::Interpreter(_) => unreachable!("calls are of code"),
        }
    }

    /// Evaluates a group by machine code.
    #[inline(always)]
    pub(super) fn run_native<const W: usize>(
        &self,
        group: usize,
        around: &impl Around,
        mut memory: Memory,
        workspace: &mut LaneWorkspace<W>,
    ) {
        if let Some(draw) = &self.plan.code_draw
            && draw.has_keys_by_group::<W>(self.random_bits.copies())
        {
            let first = self.first_word::<W>(group);
            draw.write_keys::<W>(self.random_bits, first, workspace.planes().0);
        }
        if !self.plan.random_inputs.is_empty() {
            self.shared.arch.dispatch(RandomDrawing::<W> {
                work: self,
                group,
                inputs: &self.plan.random_inputs,
                arrived: workspace.planes().0,
            });
        }
        if let Some(list) = self.chunk.reads.put_together(group) {
            self.put_together(list, group, around, workspace);
        }
        let mut run = |workspace: &mut LaneWorkspace<W>| {
            let (arrived, scratch) = workspace.planes();
            around.run_code(group, &mut memory, (arrived, scratch))
        };
        if !run(workspace) {
            self.draw_rare(group, workspace, run);
        }
    }

    /// Puts together what machine code does not read in place. Its own function, for the registers of
    /// groups that have no such links.
    #[inline(never)]
    fn put_together<const W: usize>(
        &self,
        list: &PutTogether,
        group: usize,
        around: &dyn Around,
        workspace: &mut LaneWorkspace<W>,
    ) {
        if list.shuffles {
            self.shuffle_by_code(group, around, workspace);
        }
        let (arrived, _) = workspace.planes();
        self.shared.arch.dispatch(Gathering::<W> {
            arriving: Arriving {
                work: self,
                group,
                around,
            },
            gathered: &list.gathered,
            arrived,
        });
    }

    /// Runs the code of a group, with the random input drawn that is rarely drawn.
    #[cold]
    #[inline(never)]
    fn draw_rare<const W: usize>(
        &self,
        group: usize,
        workspace: &mut LaneWorkspace<W>,
        run: impl FnOnce(&mut LaneWorkspace<W>) -> bool,
    ) {
        let rare = self.plan.rare_input.expect("the code has a guard");
        let (arrived, _) = workspace.planes();
        put(arrived, rare.target + 1, [0; W]);
        self.draw::<W>(group, &[rare], &mut *arrived);
        let is_written = run(workspace);
        assert!(is_written, "what was rare has been drawn");
        undraw::<W>(workspace.planes().0, rare);
    }

    /// Evaluates a group by the interpreter.
    #[inline(never)]
    pub(super) fn interpret<const W: usize>(
        &self,
        interpreter: &Interpreter,
        group: usize,
        around: &impl Around,
        memory: Memory,
        workspace: &mut LaneWorkspace<W>,
    ) {
        let LaneWorkspace {
            arrived, values, ..
        } = workspace;
        self.shared.arch.dispatch(Interpretation::<W> {
            arriving: Arriving {
                work: self,
                group,
                around,
            },
            interpreter,
            frame: arrived.words_mut(),
            values,
            memory,
        });
    }
}
