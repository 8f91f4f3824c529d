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

use std::sync::{RwLock, RwLockReadGuard};

use smallvec::SmallVec;

use super::draw::draw;
use super::evaluator::{Arrivals, Evaluator, Memory};
use super::gather::{Arrive, add, collect, join, window, with_move};
use super::joined::{Form, GroupCode, scale};
use super::kernel::Lanes;
use super::layout::Layout;
use super::native::REGIONS_MAX;
use super::plan::{Plan, Storage};
use super::planes::Planes;
use super::shuffle::{Arriving, Ports};
use super::transpose::{Block, WORD_BITS, transpose};
use super::wiring::{Group, List, Pattern, Term, Terms, Wiring};
use super::workspace::{LaneWorkspace, Workspace};
use crate::chip::bit_before;
use crate::network::Fabric;
use crate::network::random_bits::RandomBits;

/// The most link ports of a chip.
const LINKS_MAX: usize = 32;

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
    /// Links as words, of the arrays that scattered links read; likewise.
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
    pub fabric: Fabric,
    /// Plans by array.
    pub plans: Vec<Plan>,
    /// Evaluators by array.
    pub evaluators: Vec<Evaluator>,
    /// Patterns of the terms.
    pub wiring: Wiring,
    /// Chunk of thread `t` and array `a`: `t * arrays + a`.
    pub chunks: Vec<Chunk>,
    /// Parts by thread.
    pub parts: Vec<Part>,
    /// The random pins.
    pub random_bits: RwLock<RandomBits>,
    /// Bits of a link's word.
    pub link_bits: usize,
}

/// Said when a lock is poisoned.
pub const POISON: &str = "no thread panics while it holds the lock";

impl Shared {
    /// What a thread needs to evaluate its chunks.
    pub fn workspaces(&self) -> Vec<Workspace> {
        let arrays = self.plans.len();
        let workspace = |array: usize| {
            let chunks = self.chunks[array..].iter().step_by(arrays);
            let mut shuffled = chunks.flat_map(|chunk| &chunk.terms.shuffled);
            let shuffles = shuffled.any(Option::is_some);
            let (plan, evaluator) = (&self.plans[array], &self.evaluators[array]);
            Workspace::new(plan, evaluator, self.link_bits, shuffles)
        };
        (0..arrays).map(workspace).collect()
    }

    /// One clock edge for the chunks of one thread; outputs are read in buffer
    /// `parity`.
    #[inline(always)]
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
                    words: &current_words,
                },
                as_words: self.wiring.as_words[array]
                    .then(|| self.wiring.first_word[thread * arrays + array]),
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
            plan: &self.plans[array],
            evaluator: &self.evaluators[array],
            chunk: &self.chunks[chunk],
            random_bits,
        }
    }
}

/// What a group reads of the groups that drive its links, its *sources*.
pub(super) trait Around {
    /// The planes that a term reads, from its window in the first on.
    fn planes(&self, sources: &[Group], term: &Term) -> &[u64];

    /// Whether all sources rest.
    fn rest(&self, sources: &[Group]) -> bool;

    /// Every thread's links as words.
    fn words(&self) -> &[RwLockReadGuard<'_, Planes>];
}

/// All of the threads' outputs.
struct Whole<'a> {
    outputs: &'a [RwLockReadGuard<'a, Vec<Outputs>>],
    words: &'a [RwLockReadGuard<'a, Planes>],
}

impl Around for Whole<'_> {
    #[inline(always)]
    fn planes(&self, sources: &[Group], term: &Term) -> &[u64] {
        let source = sources[usize::from(term.source)];
        let outputs = &self.outputs[usize::from(source.part)][usize::from(source.array)];
        &outputs.planes.words()[term.base as usize..]
    }

    #[inline(always)]
    fn rest(&self, sources: &[Group]) -> bool {
        sources.iter().all(|source| {
            let outputs = &self.outputs[usize::from(source.part)][usize::from(source.array)];
            outputs.rest[source.group as usize]
        })
    }

    #[inline(always)]
    fn words(&self) -> &[RwLockReadGuard<'_, Planes>] {
        self.words
    }
}

/// A group whose links shuffle, and its neighbours.
struct GroupPorts<'g, A, R: ?Sized> {
    around: &'g A,
    sources: &'g [Group],
    loads: &'g [Term],
    /// Of each link, the bits that are read, and where they arrive.
    inputs: &'g [Vec<(usize, u16)>],
    arrivals: &'g mut R,
}

impl<A: Around, R: Arrive<W> + ?Sized, const W: usize> Ports<W> for GroupPorts<'_, A, R> {
    #[inline(always)]
    fn load(&self, port: usize) -> (&[u64], usize) {
        let term = &self.loads[port];
        let planes = self.around.planes(self.sources, term);
        (planes, usize::from(term.stride))
    }

    #[inline(always)]
    fn store(&mut self, link: u8, arriving: Arriving<'_, W>) {
        for &(bit, target) in &self.inputs[usize::from(link)] {
            self.arrivals.put(target, Lanes(arriving.bit(bit)));
        }
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
    /// Where the links of this chunk lie as words, if they do.
    as_words: Option<usize>,
}

impl ChunkEdge<'_> {
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        next: Next,
        state: &mut Planes,
        pins: &mut Pins,
        workspace: &mut LaneWorkspace<W>,
    ) {
        let chunk = self.work.chunk;
        for group in 0..chunk.state.words.len() / W {
            let word = group * W;
            let first = chunk.outputs.address(0, word);
            // An array without state or without pins has no plane 0.
            let state_at = chunk.state.address(0, word).min(state.words().len());
            let pins_at = chunk.pins.address(0, word).min(pins.planes.words().len());
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
            if let Some(first) = self.as_words.filter(|_| written) {
                self.work
                    .spread::<W>(group, first, next.outputs, next.words);
            }
        }
    }
}

/// What evaluates the groups of one chunk in one cycle.
pub(super) struct Work<'a> {
    shared: &'a Shared,
    plan: &'a Plan,
    evaluator: &'a Evaluator,
    chunk: &'a Chunk,
    random_bits: &'a RandomBits,
}

impl Work<'_> {
    /// Takes a group over the edge. Whether its outputs were written: those of a
    /// group that goes on resting are not.
    #[inline(always)]
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
                let shuffled = self.shuffle::<W>(group, around, &mut **frame, values);
                for link in 0..self.plan.link_inputs.len() {
                    if shuffled >> link & 1 == 0 {
                        self.gather::<W>(group, link, around, &mut **frame);
                    }
                }
                self.draw::<W>(group, &mut **frame);
                let memory = Memory {
                    state: &mut *state,
                    next: &mut *next,
                    own,
                    pins,
                    stride,
                };
                interpreter.run(frame, memory);
            }
            (Evaluator::Native(codes), Arrivals::Planes(arrived, scratch)) => {
                self.draw::<W>(group, arrived.words_mut());
                let links = self.plan.link_inputs.len();
                let shuffled = self.shuffle::<W>(group, around, arrived.words_mut(), values);
                let random = links * self.shared.link_bits * W;
                let mut read = [own; REGIONS_MAX];
                read[1] = pins;
                if self.plan.together {
                    for link in (0..links).filter(|link| shuffled >> link & 1 == 0) {
                        self.gather::<W>(group, link, around, arrived.words_mut());
                    }
                    let arrived = arrived.words();
                    read[2] = &arrived[random.min(arrived.len())..];
                    read[3] = arrived;
                    codes
                        .plain()
                        .run(state, next, &read[..4], scratch.words_mut());
                } else {
                    let code = self.chunk.codes[group];
                    let variant = &codes.variants()[code.variant as usize];
                    let mut place = [In::Open; LINKS_MAX];
                    for (link, form) in variant.forms.iter().enumerate() {
                        place[link] = match shuffled >> link & 1 {
                            0 => self.find::<W>(group, link, *form, around, arrived.words_mut()),
                            _ => In::Arrived,
                        };
                    }
                    let arrived = arrived.words();
                    read[2] = &arrived[random.min(arrived.len())..];
                    let mut regions = 3 + links;
                    for (link, place) in place[..links].iter().enumerate() {
                        read[3 + link] = match place {
                            In::Open => &ZEROS,
                            In::Arrived => &arrived[link * self.shared.link_bits * W..],
                            In::Storage(term) => around.planes(sources, term),
                            In::Two(first, second) => {
                                read[regions] = around.planes(sources, second);
                                regions += 1;
                                around.planes(sources, first)
                            }
                        };
                    }
                    if regions > 3 + links {
                        read[regions] = codes.patterns(code);
                        regions += 1;
                    }
                    let read = &read[..regions];
                    variant.native.run(state, next, read, scratch.words_mut());
                }
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

    #[inline(always)]
    fn terms(&self, group: usize, link: usize) -> &[Term] {
        self.chunk
            .terms
            .of(group * self.plan.link_inputs.len() + link)
    }

    /// Where native code finds what a link brings to a group in one of its forms.
    #[inline(always)]
    fn find<const W: usize>(
        &self,
        group: usize,
        link: usize,
        form: Form,
        around: &impl Around,
        arrived: &mut [u64],
    ) -> In<'_> {
        match self.terms(group, link) {
            [] if self.list(group, link).is_none() => In::Open,
            [first, second] if form.join.is_some() => In::Two(first, second),
            [term] if self.pattern(term).is_in_place() && scale(term, W).is_some() => {
                In::Storage(term)
            }
            _ => {
                self.gather::<W>(group, link, around, arrived);
                In::Arrived
            }
        }
    }

    /// Draws the random bits of a group.
    #[inline(always)]
    fn draw<const W: usize>(&self, group: usize, arrivals: &mut (impl Arrive<W> + ?Sized)) {
        let first = self.chunk.state.words.start + group * W;
        draw(self.random_bits, &self.plan.random_inputs, first, arrivals);
    }

    /// Puts together what the links of a group bring that shuffle: a bit for each.
    #[inline(always)]
    fn shuffle<const W: usize>(
        &self,
        group: usize,
        around: &impl Around,
        arrivals: &mut (impl Arrive<W> + ?Sized),
        values: &mut Planes,
    ) -> u32 {
        let terms = &self.chunk.terms;
        let Some(&Some(number)) = terms.shuffled.get(group) else {
            return 0;
        };
        let shuffle = &self.shared.wiring.shuffles[number as usize];
        let (values, _) = values.words_mut().as_chunks_mut();
        let mut ports = GroupPorts {
            around,
            sources: self.sources(group),
            loads: &terms.loads[terms.load_starts[group] as usize..],
            inputs: &self.plan.link_inputs,
            arrivals,
        };
        let values = values.try_into().expect("all slots");
        shuffle.run::<W>(self.shared.link_bits, values, &mut ports);
        shuffle.links
    }

    #[inline(always)]
    fn pattern(&self, term: &Term) -> &Pattern {
        &self.shared.wiring.patterns[term.pattern as usize]
    }

    /// Puts together what a link brings to a group.
    #[inline(always)]
    fn gather<const W: usize>(
        &self,
        group: usize,
        link: usize,
        around: &impl Around,
        arrivals: &mut (impl Arrive<W> + ?Sized),
    ) {
        let inputs = &self.plan.link_inputs[link];
        let sources = self.sources(group);
        let planes = |term: &Term| (around.planes(sources, term), usize::from(term.stride));
        if let Some(list) = self.list(group, link) {
            let code = self.shared.wiring.place_code;
            let block: Block<W> = collect(&list.places, code, around.words());
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
                arrivals.put(target, Lanes(value));
            }
            return;
        }
        match self.terms(group, link) {
            [] => {
                for &(_, target) in inputs {
                    arrivals.put(target, Lanes([0; W]));
                }
            }
            [term] if self.pattern(term).plain => {
                let (words, stride) = planes(term);
                for &(bit, target) in self.plan.inputs(link, self.pattern(term).steps) {
                    arrivals.put(target, Lanes(*window(words, bit * stride)));
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
                            arrivals,
                            (from.0, from.1, by, masks.0),
                            (other.0, other.1, other_by, masks.1),
                        )
                    })
                });
            }
            terms => {
                for &(_, target) in inputs {
                    arrivals.put(target, Lanes([0; W]));
                }
                for term in terms {
                    let (words, stride) = planes(term);
                    let pattern = self.pattern(term);
                    let mask: &[u64; W] = window(&pattern.mask, 0);
                    let inputs = self.plan.inputs(link, pattern.steps);
                    with_move!(by, pattern, {
                        add(inputs, arrivals, (words, stride, by, mask))
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

    /// Writes a group's new outputs as words, where scattered links read them; those of
    /// the chunk begin at `first`.
    #[inline(always)]
    pub fn spread<const W: usize>(
        &self,
        group: usize,
        first: usize,
        next: &Outputs,
        words: &mut Planes,
    ) {
        let links = self.plan.link_inputs.len();
        let outputs = next.planes.words();
        for link in 0..links {
            let mut block: Block<W> = [[0; W]; WORD_BITS];
            for (bit, plane) in block[..self.shared.link_bits].iter_mut().enumerate() {
                let plane_at = link * self.shared.link_bits + bit;
                *plane = *window(outputs, self.chunk.outputs.address(plane_at, group * W));
            }
            transpose(&mut block);
            let at = first / 4 + (group * links + link) * WORD_BITS * W;
            words.words_mut()[at..at + WORD_BITS * W].copy_from_slice(block.as_flattened());
        }
    }
}

/// Where what a link brings lies.
#[derive(Clone, Copy)]
enum In<'a> {
    /// Nobody drives it.
    Open,
    /// Put together among the arrivals.
    Arrived,
    /// The words lie in the neighbours' outputs.
    Storage(&'a Term),
    /// They lie there in two windows, which the code puts together.
    Two(&'a Term, &'a Term),
}

/// One clock edge for one thread, as something that [`pulp::Arch`] compiles for
/// each level of vector instructions and dispatches at run time. A closure
/// would not do: it is not always inlined.
pub struct Edge<'a> {
    /// The engine.
    pub shared: &'a Shared,
    /// Which thread.
    pub thread: usize,
    /// Buffer of the outputs that is read.
    pub parity: usize,
    /// What the thread needs.
    pub workspaces: &'a mut [Workspace],
}

impl pulp::NullaryFnOnce for Edge<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.shared.step(self.thread, self.parity, self.workspaces);
    }
}
