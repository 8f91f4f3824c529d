//! Words that arrive at a group in one cycle: windows and words of its neighbours, put together,
//! and random bits.
//!
//! Each of these steps is something that [`pulp::Arch`] compiles for each level of vector
//! instructions and dispatches at run time. A closure would not do: it is not always inlined.
//! Whatever else an edge does has no use for vectors, and is compiled once.

use super::super::draw::{RandomInput, draw};
use super::super::wiring::List;
use super::{Around, Work};
use crate::gather::{add, collect, join, put, window, with_move};
use crosswave_lanes::evaluator::{Interpreter, Memory};
use crosswave_lanes::planes::Planes;
use crosswave_lanes::transpose::{WORD_BITS, WordBlock, transpose};
use crosswave_lanes::windows::bit_before;
use crosswave_lanes::windows::{Term, WindowPattern};

/// A group at whose links something arrives.
#[derive(Clone, Copy)]
pub(super) struct Arriving<'a> {
    pub(super) work: &'a Work<'a>,
    pub(super) group: usize,
    pub(super) around: &'a dyn Around,
}

impl Arriving<'_> {
    /// Puts together what a link brings.
    #[inline(always)]
    fn gather<const W: usize>(self, link: usize, arrived: &mut [u64]) {
        self.work
            .gather::<W>(self.group, link, self.around, arrived);
    }
}

/// Drawing the random bits of a group for native code.
pub(super) struct RandomDrawing<'a, const W: usize> {
    pub(super) work: &'a Work<'a>,
    pub(super) group: usize,
    pub(super) inputs: &'a [RandomInput],
    pub(super) arrived: &'a mut [u64],
}

impl<const W: usize> pulp::NullaryFnOnce for RandomDrawing<'_, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.work.draw::<W>(self.group, self.inputs, self.arrived);
    }
}

/// Putting together what native code does not read in place.
pub(super) struct Gathering<'a, const W: usize> {
    pub(super) arriving: Arriving<'a>,
    pub(super) gathered: &'a [u16],
    pub(super) arrived: &'a mut [u64],
}

impl<const W: usize> pulp::NullaryFnOnce for Gathering<'_, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for &link in self.gathered {
            self.arriving.gather::<W>(link.into(), &mut *self.arrived);
        }
    }
}

/// All that the interpreter does for a group.
pub(super) struct Interpretation<'a, const W: usize> {
    pub(super) arriving: Arriving<'a>,
    pub(super) interpreter: &'a Interpreter,
    pub(super) frame: &'a mut [u64],
    pub(super) values: &'a mut Planes,
    pub(super) memory: Memory<'a>,
}

impl<const W: usize> pulp::NullaryFnOnce for Interpretation<'_, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Arriving {
            work,
            group,
            around,
        } = self.arriving;
        let frame = self.frame;
        let shuffled = work.shuffle::<W>(group, around, &mut *frame, self.values);
        for link in 0..work.plan.link_inputs.len() {
            if shuffled >> link & 1 == 0 {
                self.arriving.gather::<W>(link, &mut *frame);
            }
        }
        work.draw::<W>(group, &work.plan.random_inputs, &mut *frame);
        self.interpreter
            .run::<W>(work.shared.arch, frame, self.memory);
    }
}

/// Writing a group's new outputs as words.
pub(super) struct Spreading<'a, const W: usize> {
    pub(super) work: &'a Work<'a>,
    pub(super) group: usize,
    pub(super) next: &'a [u64],
    pub(super) words: &'a mut Planes,
}

impl<const W: usize> pulp::NullaryFnOnce for Spreading<'_, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.work.spread::<W>(self.group, self.next, self.words);
    }
}

impl Work<'_> {
    #[inline(always)]
    fn terms(&self, group: usize, link: usize) -> &[Term] {
        self.chunk
            .terms
            .of(group * self.plan.link_inputs.len() + link)
    }

    /// Draws random bits of a group.
    #[inline(always)]
    pub(super) fn draw<const W: usize>(
        &self,
        group: usize,
        inputs: &[RandomInput],
        arrived: &mut [u64],
    ) {
        let first = self.first_word::<W>(group);
        draw::<W>(self.random_bits, inputs, first, arrived);
    }

    #[inline(always)]
    fn pattern(&self, term: &Term) -> &WindowPattern {
        &self.shared.wiring.patterns[term.pattern as usize]
    }

    /// Puts together what a link brings to a group.
    #[inline(always)]
    fn gather<const W: usize>(
        &self,
        group: usize,
        link: usize,
        around: &dyn Around,
        arrived: &mut [u64],
    ) {
        let inputs = &self.plan.link_inputs[link];
        let sources = self.sources(group);
        let planes = |term: &Term| (around.planes(sources, term), usize::from(term.stride));
        if let Some(list) = self.list(group, link) {
            let code = self.shared.wiring.words.place_code;
            let block: WordBlock<W> = collect(&list.places, code, around.words());
            for &(bit, target) in inputs {
                let bits = |steps| block[bit_before(bit, steps)];
                let value = match list.steps[..] {
                    [(steps, _)] => bits(steps),
                    _ => list.steps.iter().fold([0; W], |mut value, (steps, lanes)| {
                        let other = bits(*steps);
                        for (lane, word) in value.iter_mut().enumerate() {
                            *word |= other[lane] & lanes[lane];
                        }
                        value
                    }),
                };
                put(arrived, target, value);
            }
            return;
        }
        match self.terms(group, link) {
            [] => {
                for &(_, target) in inputs {
                    put(arrived, target, [0; W]);
                }
            }
            [term] if self.pattern(term).plain => {
                let (words, stride) = planes(term);
                for &(bit, target) in self.plan.inputs(link, self.pattern(term).steps) {
                    put::<W>(arrived, target, *window(words, bit * stride));
                }
            }
            [first, second] if self.pattern(first).steps == self.pattern(second).steps => {
                let inputs = self.plan.inputs(link, self.pattern(first).steps);
                let (from, other) = (planes(first), planes(second));
                let patterns = (self.pattern(first), self.pattern(second));
                let masks: (&[u64; W], &[u64; W]) =
                    (window(&patterns.0.mask, 0), window(&patterns.1.mask, 0));
                with_move!(by, patterns.0, {
                    with_move!(other_by, patterns.1, {
                        join(
                            inputs,
                            arrived,
                            (from.0, from.1, by, masks.0),
                            (other.0, other.1, other_by, masks.1),
                        )
                    })
                });
            }
            terms => {
                for &(_, target) in inputs {
                    put(arrived, target, [0; W]);
                }
                for term in terms {
                    let (words, stride) = planes(term);
                    let pattern = self.pattern(term);
                    let mask: &[u64; W] = window(&pattern.mask, 0);
                    let inputs = self.plan.inputs(link, pattern.steps);
                    with_move!(by, pattern, {
                        add(inputs, arrived, (words, stride, by, mask))
                    });
                }
            }
        }
    }

    /// The list of a scattered link.
    #[inline(always)]
    fn list(&self, group: usize, link: usize) -> Option<&List> {
        let at = group * self.plan.link_inputs.len() + link;
        let number = (*self.chunk.terms.scattered.get(at)?)?;
        Some(&self.chunk.terms.lists[number as usize])
    }

    /// Writes a group's new outputs as words, where scattered links read them.
    #[inline(always)]
    pub(in super::super) fn spread<const W: usize>(
        &self,
        group: usize,
        next: &[u64],
        words: &mut Planes,
    ) {
        let links = self.plan.link_inputs.len();
        for (link, first) in self.blocks.of_group(group, links).enumerate() {
            let Some(first) = first else {
                continue;
            };
            let mut block: WordBlock<W> = [[0; W]; WORD_BITS];
            for (bit, plane) in block[..self.shared.link_bits].iter_mut().enumerate() {
                let plane_at = link * self.shared.link_bits + bit;
                *plane = *window(next, self.chunk.outputs.address(plane_at, group * W));
            }
            transpose(&mut block);
            let at = first / 4;
            words.words_mut()[at..at + WORD_BITS * W].copy_from_slice(block.as_flattened());
        }
    }
}
