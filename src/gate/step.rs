//! One clock edge: of the chunks of one thread, and of one group, which
//! `skewed` takes in an order of its own.
//!
//! For each group (lane word) of each array: what the links bring and the
//! random bits of the cycle are made ready, and the evaluator takes the state
//! and the outputs to the next cycle.
//!
//! A group at rest (see [`rest`](super::rest)) is left out as long as the
//! groups that drive its links rest too and its host pins are 0. What it would
//! have written is what is there: the outputs of a group at rest are 0 in both
//! buffers.

mod arriving;
mod shuffled;

use std::sync::{Arc, RwLock, RwLockReadGuard};

use smallvec::SmallVec;

use super::evaluator::{Arrivals, Evaluator, Memory};
use super::gather::window;
use super::joined::GroupCode;
use super::layout::Layout;
use super::native::REGIONS_MAX;
use super::plan::{Plan, Storage};
use super::planes::Planes;
use super::reads::{Read, Reads, Window};
use super::shuffle::Code;
use super::wiring::{Blocks, Group, Term, Terms, Wiring};
use super::workspace::{LaneWorkspace, ShuffleSizes, Workspace};
use crate::network::Fabric;
use crate::network::random_bits::RandomBits;
use arriving::{Arriving, Drawing, Gathering, Interpretation, Spreading};

/// Zeros, for links that nobody drives: as many as a link's word has planes of
/// the widest lane word.
static ZEROS: [u64; 64 * 8] = [0; 64 * 8];

/// The fixed part of a chunk.
pub struct Chunk {
    /// Layout of the state.
    pub state: Layout,
    /// Layout of the outputs.
    pub outputs: Layout,
    /// Layout of the pins.
    pub pins: Layout,
    /// What its links bring.
    pub terms: Terms,
    /// The machine code of each group; none without machine code.
    pub codes: Vec<GroupCode>,
    /// Where the code reads what the links bring.
    pub reads: Reads,
}

/// The outputs of a chunk in one cycle.
pub struct Outputs {
    /// The planes.
    pub planes: Planes,
    /// Whether each group rests; its outputs are 0 then.
    pub rest: Vec<bool>,
}

/// The pins of a chunk.
pub struct Pins {
    /// The planes.
    pub planes: Planes,
    /// Whether the host pins of each group are known to be 0.
    pub zero: Vec<bool>,
}

/// What one thread owns, array by array. While several cycles are taken at a time,
/// it is lent to all.
pub struct Part {
    /// State: only its owner reads it.
    pub state: RwLock<Vec<Planes>>,
    /// Pins.
    pub pins: RwLock<Vec<Pins>>,
    /// Outputs: read in one buffer, written in the other.
    pub outputs: [RwLock<Vec<Outputs>>; 2],
    /// Blocks of links as words, of which scattered links read some; likewise.
    pub words: [RwLock<Planes>; 2],
}

impl Part {
    /// Makes everything 0, as it was at first.
    pub fn clear(&self) {
        for state in &mut *self.state.write().expect(POISON) {
            state.words_mut().fill(0);
        }
        for pins in &mut *self.pins.write().expect(POISON) {
            pins.planes.words_mut().fill(0);
            pins.zero.fill(false);
        }
        for buffer in &self.outputs {
            for outputs in &mut *buffer.write().expect(POISON) {
                outputs.planes.words_mut().fill(0);
                outputs.rest.fill(false);
            }
        }
        for words in &self.words {
            words.write().expect(POISON).words_mut().fill(0);
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
    pub shuffle_codes: Vec<Vec<Option<Code>>>,
    /// Chunk of thread `t` and array `a`: `t * arrays + a`.
    pub chunks: Vec<Chunk>,
    /// Parts by thread.
    pub parts: Vec<Part>,
    /// The random pins.
    pub random_bits: RwLock<RandomBits>,
    /// Bits of a link's word.
    pub link_bits: usize,
    /// Words from the outputs of a group to those of the next, by array; 0 where all are one tile.
    pub group_words: Vec<usize>,
    /// The vector instructions of this machine.
    pub arch: pulp::Arch,
}

/// Said when a lock is poisoned.
pub const POISON: &str = "no thread panics while it holds the lock";

impl Shared {
    /// What a thread needs to evaluate its chunks.
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
                let scratch_words = code.map_or(0, Code::scratch_words);
                sizes.scratch_words = sizes.scratch_words.max(scratch_words);
                sizes.values = sizes.values.max(self.wiring.shuffles[number].values());
            }
            let (plan, evaluator) = (&self.plans[array], &self.evaluators[array]);
            Workspace::new(plan, evaluator, self.link_bits, sizes)
        };
        (0..arrays).map(workspace).collect()
    }

    /// One clock edge for the chunks of one thread; outputs are read in buffer
    /// `parity`.
    pub fn step(&self, thread: usize, parity: usize, workspaces: &mut [Workspace]) {
        let random_bits = self.random_bits.read().expect(POISON);
        let current: SmallVec<[RwLockReadGuard<Vec<Outputs>>; 4]> = self
            .parts
            .iter()
            .map(|part| part.outputs[parity].read().expect(POISON))
            .collect();
        let current_words: SmallVec<[RwLockReadGuard<Planes>; 4]> = self
            .parts
            .iter()
            .map(|part| part.words[parity].read().expect(POISON))
            .collect();
        let words: SmallVec<[&[u64]; 4]> = current_words.iter().map(|of| of.words()).collect();
        let planes = current.iter().flat_map(|outputs| outputs.iter());
        let chunks: SmallVec<[&[u64]; 16]> = planes.map(|of| of.planes.words()).collect();
        let part = &self.parts[thread];
        let mut next_words = part.words[1 - parity].write().expect(POISON);
        let mut next = part.outputs[1 - parity].write().expect(POISON);
        let mut state = part.state.write().expect(POISON);
        let mut pins = part.pins.write().expect(POISON);
        let arrays = self.plans.len();
        for (array, workspace) in workspaces.iter_mut().enumerate() {
            let chunk = ChunkEdge {
                work: self.work(thread * arrays + array, &random_bits),
                own: &current[thread][array],
                whole: Whole {
                    outputs: &current,
                    chunks: &chunks,
                    group_words: &self.group_words,
                    words: &words,
                },
            };
            let next = Next {
                outputs: &mut next[array],
                words: &mut next_words,
            };
            let (state, pins) = (&mut state[array], &mut pins[array]);
            match workspace {
                Workspace::One(workspace) => chunk.run(next, state, pins, workspace),
                Workspace::Two(workspace) => chunk.run(next, state, pins, workspace),
                Workspace::Four(workspace) => chunk.run(next, state, pins, workspace),
                Workspace::Eight(workspace) => chunk.run(next, state, pins, workspace),
            }
        }
    }

    /// What evaluates the groups of a chunk in the cycle that random bits are of.
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

/// What a group reads of the groups that drive its links, its *sources*.
pub(super) trait Around {
    /// The planes that a term reads, from its window in the first on.
    fn planes(&self, sources: &[Group], term: &Term) -> &[u64];

    /// The planes that native code reads from a window on.
    fn window(&self, sources: &[Group], window: &Window) -> &[u64];

    /// Whether all sources rest.
    fn rest(&self, sources: &[Group]) -> bool;

    /// Every thread's links as words.
    fn words(&self) -> &[&[u64]];
}

/// All of the threads' outputs.
struct Whole<'a> {
    outputs: &'a [RwLockReadGuard<'a, Vec<Outputs>>],
    /// The planes of these by chunk.
    chunks: &'a [&'a [u64]],
    /// [`Shared::group_words`].
    group_words: &'a [usize],
    words: &'a [&'a [u64]],
}

impl Around for Whole<'_> {
    #[inline(always)]
    fn planes(&self, sources: &[Group], term: &Term) -> &[u64] {
        let source = sources[usize::from(term.source)];
        let outputs = &self.outputs[usize::from(source.part)][usize::from(source.array)];
        &outputs.planes.words()[term.base as usize..]
    }

    #[inline(always)]
    fn window(&self, sources: &[Group], window: &Window) -> &[u64] {
        let source = sources[usize::from(window.source)];
        let array = usize::from(source.array);
        let words = self.group_words[array];
        let chunk = self.chunks[usize::from(source.part) * self.group_words.len() + array];
        &chunk[source.group as usize * words + window.base as usize..]
    }

    #[inline(always)]
    fn rest(&self, sources: &[Group]) -> bool {
        sources.iter().all(|source| {
            let outputs = &self.outputs[usize::from(source.part)][usize::from(source.array)];
            outputs.rest[source.group as usize]
        })
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
}

/// What a chunk drives in the next cycle.
struct Next<'a> {
    outputs: &'a mut Outputs,
    words: &'a mut Planes,
}

/// One chunk in one cycle.
struct ChunkEdge<'a> {
    work: Work<'a>,
    own: &'a Outputs,
    whole: Whole<'a>,
}

impl ChunkEdge<'_> {
    fn run<const W: usize>(
        &self,
        next: Next,
        state: &mut Planes,
        pins: &mut Pins,
        workspace: &mut LaneWorkspace<W>,
    ) {
        let chunk = self.work.chunk;
        let (state_step, pins_step) = (chunk.state.step(W), chunk.pins.step(W));
        let outputs_step = chunk.outputs.step(W);
        for group in 0..chunk.state.words.len() / W {
            let first = chunk.outputs.pad + group * outputs_step;
            // An array without state or without pins has no plane 0.
            let state_at = (group * state_step).min(state.words().len());
            let pins_at = (group * pins_step).min(pins.planes.words().len());
            let held = Held {
                own: (&self.own.planes.words()[first..], self.own.rest[group]),
                next: (
                    &mut next.outputs.planes.words_mut()[first..],
                    &mut next.outputs.rest[group],
                ),
                state: &mut state.words_mut()[state_at..],
                pins: (&pins.planes.words()[pins_at..], &mut pins.zero[group]),
            };
            let written = self.work.group::<W>(group, &self.whole, held, workspace);
            if written && !self.work.blocks.is_empty() {
                self.work.shared.arch.dispatch(Spreading::<W> {
                    work: &self.work,
                    group,
                    next: next.outputs,
                    words: next.words,
                });
            }
        }
    }
}

/// What evaluates the groups of one chunk in one cycle.
pub(super) struct Work<'a> {
    shared: &'a Shared,
    array: usize,
    plan: &'a Plan,
    evaluator: &'a Evaluator,
    chunk: &'a Chunk,
    /// What of its links is kept as words, too.
    blocks: &'a Blocks,
    random_bits: &'a RandomBits,
}

impl Work<'_> {
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
            if *pins_zero {
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
        }
        let LaneWorkspace { arrivals, values } = workspace;
        match (self.evaluator, arrivals) {
            (Evaluator::Interpreter(interpreter), Arrivals::Frame(frame)) => {
                let memory = Memory {
                    state: &mut *state,
                    next: &mut *next,
                    own,
                    pins,
                    stride,
                };
                self.shared.arch.dispatch(Interpretation::<W> {
                    arriving: Arriving {
                        work: self,
                        group,
                        around,
                    },
                    interpreter,
                    frame,
                    values,
                    memory,
                });
            }
            (Evaluator::Native(codes), Arrivals::Planes(arrived, scratch)) => {
                let list = self.chunk.reads.of(group);
                let arriving = Arriving {
                    work: self,
                    group,
                    around,
                };
                if !self.plan.random_inputs.is_empty() {
                    let arrived = arrived.words_mut();
                    self.shared.arch.dispatch(Drawing::<W> {
                        work: self,
                        group,
                        arrived,
                    });
                }
                if list.shuffles {
                    let memory = (arrived.words_mut(), scratch.words_mut());
                    self.shuffle_by_code::<W>(group, around, memory, values);
                }
                if !list.gathered.is_empty() {
                    let arrived = arrived.words_mut();
                    self.shared.arch.dispatch(Gathering::<W> {
                        arriving,
                        gathered: &list.gathered,
                        arrived,
                    });
                }
                let arrived = arrived.words();
                let link_words = self.shared.link_bits * W;
                let random = self.plan.link_inputs.len() * link_words;
                let mut regions = [own; REGIONS_MAX];
                regions[1] = pins;
                regions[2] = &arrived[random.min(arrived.len())..];
                let last = 3 + list.reads.len();
                for (region, read) in regions[3..last].iter_mut().zip(&list.reads) {
                    *region = match read {
                        Read::Open => &ZEROS,
                        Read::Arrived(link) => &arrived[usize::from(*link) * link_words..],
                        Read::Planes(window) => around.window(sources, window),
                    };
                }
                regions[last] = codes.patterns(list.code);
                let native = &codes.variants()[list.code.variant as usize].native;
                native.run(state, next, &regions[..=last], scratch.words_mut());
            }
            _ => unreachable!("workspaces are made for the evaluators"),
        }
        *next_rest = self.rests::<W>(next, state);
        true
    }

    /// What drives a group's links.
    #[inline(always)]
    pub fn sources(&self, group: usize) -> &[Group] {
        let Terms {
            sources,
            source_starts,
            ..
        } = &self.chunk.terms;
        &sources[source_starts[group] as usize..source_starts[group + 1] as usize]
    }

    /// Whether a group rests after the edge.
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
