//! One clock edge: of the chunks of one thread, and of one group, which
//! `skewed` takes in an order of its own.
//!
//! For each group (lane word) of each array: what the evaluator does not do itself
//! is made ready, of what the links bring and of the random bits of the cycle, and the
//! evaluator takes the state and the outputs to the next cycle. Where native code says
//! that a bit matters that is rarely drawn, it is drawn, and the code runs again.
//!
//! A group at rest (see [`rest`](crosswave_lanes::rest)) is left out as long as the
//! groups that drive its links rest too and its host pins are 0. What it would
//! have written is what is there: the outputs of a group at rest are 0 in both
//! buffers.

mod arriving;
mod evaluated;
mod shuffled;

use std::ops::Range;
use std::sync::{Arc, RwLock, RwLockReadGuard};

use smallvec::SmallVec;

use super::layout::PlaneLayout;
use super::plan::Plan;
use super::reads::Reads;
use super::wiring::{Blocks, Group, Terms, Wiring};
use super::workspace::{LaneWorkspace, ShuffleSizes, Workspace};
use crate::gather::window;
use arriving::Spreading;
use crosswave_chips::registers::Storage;
use crosswave_lanes::evaluator::{Evaluator, Memory};
use crosswave_lanes::joined::GroupCode;
use crosswave_lanes::memories::MemoryWords;
use crosswave_lanes::native::{Bound, Calls};
use crosswave_lanes::planes::Planes;
use crosswave_lanes::shuffle::ShuffleCode;
use crosswave_lanes::windows::Term;
use crosswave_network::Fabric;
use crosswave_network::random_bits::RandomBits;

/// Zeros, for links that nobody drives: as many as a link's word has planes of
/// the widest lane word.
pub(super) static ZEROS: [u64; 64 * 8] = [0; 64 * 8];

/// The fixed part of a chunk.
pub struct Chunk {
    /// Layout of the state.
    pub state: PlaneLayout,
    /// Layout of the outputs.
    pub outputs: PlaneLayout,
    /// Layout of the pins.
    pub pins: PlaneLayout,
    /// The terms of the words that its links bring.
    pub terms: Terms,
    /// The machine code of each group; none without machine code.
    pub codes: Vec<GroupCode>,
    /// The places from which the code reads its links.
    pub reads: Reads,
    /// The calls of the code, group by group, when the whole network is taken over an edge; their
    /// slices are the outputs of all chunks, zeros, patterns, the pins, and at last what has arrived.
    pub calls: Option<Calls>,
}

/// The outputs of a chunk in one cycle.
pub struct Outputs {
    /// The planes.
    pub planes: Planes,
    /// For each group, true when it rests; its outputs are 0 then.
    pub rest: Vec<bool>,
}

/// The pins of a chunk.
pub struct ChunkPins {
    /// The planes.
    pub planes: Planes,
    /// For each group, true when its host pins are known to be 0.
    pub zero: Vec<bool>,
    /// For each group of a chip with watchers, true when it was evaluated at rest.
    pub noted: Vec<bool>,
}

/// Memory of one thread, array by array. While several cycles are taken at a time, it is lent to
/// all.
pub struct ThreadPart {
    /// Memory that only its owner reads.
    pub own: RwLock<Own>,
    /// Its outputs: read in one buffer, written in the other.
    pub driven: [RwLock<ThreadOutputs>; 2],
}

/// Memory that only the owner of a part reads, array by array.
pub struct Own {
    /// State.
    pub state: Vec<Planes>,
    /// Pins.
    pub pins: Vec<ChunkPins>,
    /// The words of the memories of each array.
    pub memories: Vec<Vec<MemoryWords>>,
}

/// Outputs of a part in one cycle.
pub struct ThreadOutputs {
    /// Outputs, array by array.
    pub outputs: Vec<Outputs>,
    /// Blocks of links as words, of which scattered links read some.
    pub words: Planes,
}

impl ThreadPart {
    /// Makes everything 0, as it was at first.
    pub fn clear(&self) {
        let Own {
            state,
            pins,
            memories,
        } = &mut *self.own.write().expect(POISON);
        memories.iter_mut().flatten().for_each(MemoryWords::restart);
        for state in state {
            state.words_mut().fill(0);
        }
        for pins in pins {
            pins.planes.words_mut().fill(0);
            pins.zero.fill(false);
            pins.noted.fill(false);
        }
        for buffer in &self.driven {
            let ThreadOutputs { outputs, words } = &mut *buffer.write().expect(POISON);
            for outputs in outputs {
                outputs.planes.words_mut().fill(0);
                outputs.rest.fill(false);
            }
            words.words_mut().fill(0);
        }
    }
}

/// Everything that the threads share.
pub struct Shared {
    /// The network.
    pub fabric: Arc<Fabric>,
    /// Plans by array.
    pub plans: Vec<Plan>,
    /// Evaluators by array.
    pub evaluators: Vec<Evaluator>,
    /// Patterns of the terms.
    pub wiring: Wiring,
    /// The machine code of shuffles, by array and by number; none where the array does not have
    /// the shuffle, or there is no code for it.
    pub shuffle_codes: Vec<Vec<Option<ShuffleCode>>>,
    /// Chunk of thread `t` and array `a`: `t * arrays + a`.
    pub chunks: Vec<Chunk>,
    /// Parts by thread.
    pub parts: Vec<ThreadPart>,
    /// The random pins.
    pub random_bits: RwLock<RandomBits>,
    /// Bits of a link's word.
    pub link_bits: usize,
    /// The vector instructions of this machine.
    pub arch: pulp::Arch,
}

/// Said when a lock is poisoned.
pub const POISON: &str = "no thread panics while it holds the lock";

impl Shared {
    /// Creates the workspaces in which a thread evaluates its chunks.
    pub fn workspaces(&self) -> Vec<Workspace> {
        let arrays = self.plans.len();
        let workspace = |array: usize| {
            let chunks = self.chunks[array..].iter().step_by(arrays);
            let mut sizes = ShuffleSizes::default();
            for &number in chunks.flat_map(|chunk| chunk.terms.shuffled.iter().flatten()) {
                let number = number as usize;
                let code = self.shuffle_codes[array]
                    .get(number)
                    .and_then(Option::as_ref);
                let scratch_words = code.map_or(0, ShuffleCode::scratch_words);
                sizes.scratch_words = sizes.scratch_words.max(scratch_words);
                sizes.values = sizes.values.max(self.wiring.shuffles[number].values());
            }
            let (plan, evaluator) = (&self.plans[array], &self.evaluators[array]);
            Workspace::new(plan, evaluator, self.link_bits, sizes)
        };
        (0..arrays).map(workspace).collect()
    }

    /// The groups of all chunks, one chunk after another.
    pub(super) fn group_places(&self) -> Vec<Group> {
        let of_chunk = |(number, chunk): (u32, &Chunk)| {
            let groups = chunk.terms.source_starts.len() - 1;
            (0..groups as u32).map(move |group| Group {
                chunk: number,
                group,
            })
        };
        (0..).zip(&self.chunks).flat_map(of_chunk).collect()
    }

    /// The patterns of the code of each array; none where there is no code.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &[u64]> {
        self.evaluators.iter().map(|evaluator| match evaluator {
            Evaluator::Native(codes) => codes.all_patterns(),
            Evaluator::Interpreter(_) => &[],
        })
    }

    /// One clock edge for the chunks of the threads in a range; outputs are read in buffer
    /// `parity`.
    pub fn step(&self, threads: Range<usize>, parity: usize, workspaces: &mut [Workspace]) {
        let random_bits = self.random_bits.read().expect(POISON);
        let current: SmallVec<[RwLockReadGuard<ThreadOutputs>; 4]> = self
            .parts
            .iter()
            .map(|part| part.driven[parity].read().expect(POISON))
            .collect();
        let words: SmallVec<[&[u64]; 4]> = current.iter().map(|of| of.words.words()).collect();
        let outputs = current.iter().flat_map(|driven| driven.outputs.iter());
        let chunks: SmallVec<[ChunkOutputs; 16]> = outputs
            .map(|outputs| ChunkOutputs {
                words: outputs.planes.words(),
                rest: &outputs.rest,
            })
            .collect();
        let now = Now {
            driven: &current,
            chunks: &chunks,
            words: &words,
            random_bits: &random_bits,
        };
        threads.for_each(|thread| self.step_part(thread, parity, &now, workspaces));
    }

    /// Serves the memories of all groups, whose outputs are in buffer `parity`.
    pub fn serve_memories(&self, parity: usize) {
        let arrays = self.plans.len();
        for (thread, part) in self.parts.iter().enumerate() {
            let Own {
                state, memories, ..
            } = &mut *part.own.write().expect(POISON);
            let outputs = &part.driven[parity].read().expect(POISON).outputs;
            for (array, plan) in self.plans.iter().enumerate() {
                let chunk = &self.chunks[thread * arrays + array];
                let outputs = outputs[array].planes.words();
                let planes = (state[array].words_mut(), outputs);
                let words = &mut memories[array];
                match plan.width {
                    _ if words.is_empty() => {}
                    1 => self.serve_chunk::<1>(plan, chunk, words, planes),
                    2 => self.serve_chunk::<2>(plan, chunk, words, planes),
                    4 => self.serve_chunk::<4>(plan, chunk, words, planes),
                    _ => self.serve_chunk::<8>(plan, chunk, words, planes),
                }
            }
        }
    }

    fn serve_chunk<const W: usize>(
        &self,
        plan: &Plan,
        chunk: &Chunk,
        words: &mut [MemoryWords],
        (state, outputs): (&mut [u64], &[u64]),
    ) {
        let mut planes = plan.port_planes();
        for group in 0..chunk.state.words.len() / W {
            let state = &mut state[group * chunk.state.step(W)..];
            let outputs = &outputs[chunk.outputs.pad + group * chunk.outputs.step(W)..];
            let of_group = (state, outputs, chunk.state.tile);
            plan.serve::<W>(self.arch, group, words, of_group, &mut planes);
        }
    }

    /// One clock edge for the chunks of one thread.
    fn step_part(&self, thread: usize, parity: usize, now: &Now, workspaces: &mut [Workspace]) {
        let part = &self.parts[thread];
        let next = &mut *part.driven[1 - parity].write().expect(POISON);
        let Own {
            state,
            pins,
            memories,
        } = &mut *part.own.write().expect(POISON);
        let arrays = self.plans.len();
        for (array, workspace) in workspaces.iter_mut().enumerate() {
            let number = thread * arrays + array;
            if self.chunks[number].outputs.words.is_empty() {
                continue;
            }
            let chunk = ChunkEdge {
                work: self.work(number, now.random_bits),
                own: &now.driven[thread].outputs[array],
                chunks: now.chunks,
                words: now.words,
            };
            let next = Next {
                outputs: &mut next.outputs[array],
                words: &mut next.words,
            };
            let own = (&mut state[array], &mut pins[array], &mut memories[array]);
            match workspace {
                Workspace::One(workspace) => chunk.run(next, own, workspace),
                Workspace::Two(workspace) => chunk.run(next, own, workspace),
                Workspace::Four(workspace) => chunk.run(next, own, workspace),
                Workspace::Eight(workspace) => chunk.run(next, own, workspace),
            }
        }
    }

    /// The evaluation of the groups of a chunk in the cycle that random bits are of.
    #[inline(always)]
    pub(super) fn work<'a>(&'a self, chunk: usize, random_bits: &'a RandomBits) -> Work<'a> {
        let array = chunk % self.plans.len();
        Work {
            shared: self,
            array,
            plan: &self.plans[array],
            evaluator: &self.evaluators[array],
            chunk: &self.chunks[chunk],
            blocks: &self.wiring.words.blocks[chunk],
            random_bits,
        }
    }
}

/// Values that all parts read in one cycle.
struct Now<'a> {
    /// The outputs of each part.
    driven: &'a [RwLockReadGuard<'a, ThreadOutputs>],
    /// The outputs of all chunks.
    chunks: &'a [ChunkOutputs<'a>],
    /// Every thread's links as words.
    words: &'a [&'a [u64]],
    random_bits: &'a RandomBits,
}

/// Access of a group to the groups that drive its links, its *sources*.
pub(super) trait Around {
    /// The planes that a term reads, from its window in the first on.
    fn planes(&self, sources: &[Group], term: &Term) -> &[u64];

    /// Runs the code of a group with what has arrived and scratch memory. Whether it came to its end.
    fn run_code(&self, group: usize, memory: &mut Memory, workspace: (&[u64], &mut [u64])) -> bool;

    /// True when all sources rest.
    fn rest(&self, sources: &[Group]) -> bool;

    /// Every thread's links as words.
    fn words(&self) -> &[&[u64]];
}

/// The outputs of a chunk, as others read them.
struct ChunkOutputs<'a> {
    words: &'a [u64],
    /// For each group, true when it rests.
    rest: &'a [bool],
}

/// All of the threads' outputs.
struct Whole<'a> {
    /// Those of each chunk.
    chunks: &'a [ChunkOutputs<'a>],
    words: &'a [&'a [u64]],
    /// The calls of the chunk whose groups read them.
    calls: Option<Bound<'a>>,
}

impl Around for Whole<'_> {
    #[inline(always)]
    fn planes(&self, sources: &[Group], term: &Term) -> &[u64] {
        let source = sources[usize::from(term.source)];
        &self.chunks[source.chunk as usize].words[term.base as usize..]
    }

    #[inline(always)]
    fn run_code(
        &self,
        group: usize,
        memory: &mut Memory,
        (arrived, scratch): (&[u64], &mut [u64]),
    ) -> bool {
        let Some(calls) = &self.calls else {
            unreachable!("there are calls where there is code")
        };
        let written = (&mut *memory.state, &mut *memory.next);
        calls.run(group, written, (arrived, scratch))
    }

    #[inline(always)]
    fn rest(&self, sources: &[Group]) -> bool {
        let mut sources = sources.iter();
        sources.all(|source| self.chunks[source.chunk as usize].rest[source.group as usize])
    }

    #[inline(always)]
    fn words(&self) -> &[&[u64]] {
        self.words
    }
}

/// The memory of a group in one cycle: each part from its first word on.
pub(super) struct Held<'a> {
    /// Outputs, and whether it rests.
    pub own: (&'a [u64], bool),
    /// Outputs after the edge, and whether it rests then.
    pub next: (&'a mut [u64], &'a mut bool),
    /// State.
    pub state: &'a mut [u64],
    /// Pins, and whether those of the host are known to be 0.
    pub pins: (&'a [u64], &'a mut bool),
    /// True when the group was evaluated at rest; of chips with watchers only.
    pub noted: Option<&'a mut bool>,
    /// The words of the memories of its chunk.
    pub memories: &'a mut [MemoryWords],
}

/// Outputs of a chunk in the next cycle.
struct Next<'a> {
    outputs: &'a mut Outputs,
    words: &'a mut Planes,
}

/// One chunk in one cycle.
struct ChunkEdge<'a> {
    work: Work<'a>,
    own: &'a Outputs,
    /// The outputs of all chunks.
    chunks: &'a [ChunkOutputs<'a>],
    /// Every thread's links as words.
    words: &'a [&'a [u64]],
}

impl ChunkEdge<'_> {
    fn run<const W: usize>(
        &self,
        next: Next,
        (state, pins, memories): (&mut Planes, &mut ChunkPins, &mut Vec<MemoryWords>),
        workspace: &mut LaneWorkspace<W>,
    ) {
        let chunk = self.work.chunk;
        let (state_step, pins_step) = (chunk.state.step(W), chunk.pins.step(W));
        let outputs_step = chunk.outputs.step(W);
        let ChunkPins {
            planes,
            zero,
            noted,
        } = pins;
        let (pins, state, own) = (planes.words(), state.words_mut(), self.own.planes.words());
        let Outputs { planes, rest } = next.outputs;
        let next_outputs = planes.words_mut();
        let whole = Whole {
            chunks: self.chunks,
            words: self.words,
            calls: chunk.calls.as_ref().map(|calls| {
                let outputs = self.chunks.iter().map(|driven| driven.words);
                calls.bind(outputs.chain(self.work.fixed_slices()).chain([pins]))
            }),
        };
        self.work.begin(workspace);
        for group in 0..chunk.state.words.len() / W {
            let first = chunk.outputs.pad + group * outputs_step;
            // An array without state or without pins has no plane 0.
            let state_at = (group * state_step).min(state.len());
            let pins_at = (group * pins_step).min(pins.len());
            let held = Held {
                own: (&own[first..], self.own.rest[group]),
                next: (&mut next_outputs[first..], &mut rest[group]),
                state: &mut state[state_at..],
                pins: (&pins[pins_at..], &mut zero[group]),
                noted: noted.get_mut(group),
                memories: memories.as_mut_slice(),
            };
            let written = self.work.group::<W>(group, &whole, held, workspace);
            if written && !self.work.blocks.is_empty() {
                self.work.shared.arch.dispatch(Spreading::<W> {
                    work: &self.work,
                    group,
                    next: next_outputs,
                    words: &mut *next.words,
                });
            }
        }
    }
}

/// Evaluation of the groups of one chunk in one cycle.
pub(super) struct Work<'a> {
    shared: &'a Shared,
    array: usize,
    plan: &'a Plan,
    evaluator: &'a Evaluator,
    chunk: &'a Chunk,
    /// The blocks of its links that are kept as words, too.
    blocks: &'a Blocks,
    random_bits: &'a RandomBits,
}

impl Work<'_> {
    /// Makes ready what is the same for all groups in the cycle.
    #[inline(always)]
    pub fn begin<const W: usize>(&self, workspace: &mut LaneWorkspace<W>) {
        if let Some(draw) = &self.plan.code_draw {
            draw.begin_cycle::<W>(self.random_bits, workspace.planes().0);
        }
    }

    /// The word of its array where a group begins.
    #[inline(always)]
    fn first_word<const W: usize>(&self, group: usize) -> usize {
        self.chunk.state.words.start + group * W
    }

    /// Takes a group over the edge. Whether its outputs were written: those of a
    /// group that goes on resting are not.
    pub fn group<const W: usize>(
        &self,
        group: usize,
        around: &impl Around,
        held: Held,
        workspace: &mut LaneWorkspace<W>,
    ) -> bool {
        let Held {
            own: (own, rest),
            next: (next, next_rest),
            state,
            pins: (pins, pins_zero),
            mut noted,
            memories,
        } = held;
        let stride = self.chunk.state.tile;
        let sources = self.sources(group);
        if rest && around.rest(sources) {
            if !*pins_zero {
                *pins_zero = self.plan.host_pins.iter().all(|plane| {
                    let at = plane * stride;
                    pins[at..at + W].iter().all(|&word| word == 0)
                });
            }
            let notes = noted
                .as_deref_mut()
                .is_some_and(|noted| !std::mem::replace(noted, *pins_zero));
            if *pins_zero && !notes {
                let written = !*next_rest;
                if written {
                    for plane in 0..self.chunk.outputs.planes {
                        let at = plane * stride;
                        next[at..at + W].fill(0);
                    }
                    *next_rest = true;
                }
                return written;
            }
        } else if let Some(noted) = noted {
            *noted = false;
        }
        let memory = Memory {
            state: &mut *state,
            next: &mut *next,
            own,
            pins,
            stride,
        };
        match self.evaluator {
            Evaluator::Interpreter(interpreter) => {
                self.interpret(interpreter, group, around, memory, workspace);
            }
            Evaluator::Native(_) => self.run_native(group, around, memory, workspace),
        }
        if !memories.is_empty() {
            let arch = self.shared.arch;
            let planes = (&mut *state, &*next, stride);
            self.plan
                .serve::<W>(arch, group, memories, planes, &mut workspace.ports);
        }
        *next_rest = self.rests::<W>(next, state);
        true
    }

    /// The groups that drive a group's links.
    #[inline(always)]
    pub fn sources(&self, group: usize) -> &[Group] {
        self.chunk.terms.sources(group)
    }

    /// True when a group rests after the edge.
    #[inline(always)]
    fn rests<const W: usize>(&self, next: &[u64], state: &[u64]) -> bool {
        let Some(condition) = &self.plan.rest else {
            return false;
        };
        let stride = self.chunk.state.tile;
        condition.iter().all(|&(place, value)| {
            let words: &[u64; W] = match place {
                Storage::Outputs(plane) => window(next, plane * stride),
                Storage::State(plane) => window(state, plane * stride),
            };
            let flip = u64::from(value).wrapping_neg();
            words.iter().all(|&word| word == flip)
        })
    }
}
