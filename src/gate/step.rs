//! One clock edge of the chunks of one thread.
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

use super::evaluator::{Arrivals, Evaluator, Memory};
use super::gather::{Arrive, add, join, window, with_move};
use super::kernel::{Lanes, frame};
use super::layout::Layout;
use super::plan::{Place, Plan};
use super::planes::Planes;
use super::transpose::{Block, WORD_BITS, transpose};
use super::wiring::{Group, NOWHERE, PLACE_BITS, Pattern, Term, Terms, Wiring};
use crate::chip::RandomKind;
use crate::network::Fabric;
use crate::network::stimulus::Stimulus;
use crate::random;

/// Link ports whose planes are handed to native code without allocating.
const LINKS_INLINE: usize = 16;

/// Zeros, for links that nobody drives: as many as a link's word has planes of
/// the widest lane word.
static ZEROS: [u64; 16 * 8] = [0; 16 * 8];

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

/// What one thread owns, array by array.
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
    pub stimulus: RwLock<Stimulus>,
    /// Bits of a link's word.
    pub link_bits: usize,
}

/// Said when a lock is poisoned.
pub const POISON: &str = "no thread panics while it holds the lock";

/// What a thread needs for each array, by its lane width.
pub enum Workspace {
    /// 64 lanes.
    One(Arrivals<1>),
    /// 128 lanes.
    Two(Arrivals<2>),
    /// 256 lanes.
    Four(Arrivals<4>),
    /// 512 lanes.
    Eight(Arrivals<8>),
}

impl Shared {
    /// What a thread needs to evaluate its chunks.
    pub fn workspaces(&self) -> Vec<Workspace> {
        (0..self.plans.len())
            .map(|array| match self.plans[array].width {
                1 => Workspace::One(self.arrivals(array)),
                2 => Workspace::Two(self.arrivals(array)),
                4 => Workspace::Four(self.arrivals(array)),
                _ => Workspace::Eight(self.arrivals(array)),
            })
            .collect()
    }

    fn arrivals<const W: usize>(&self, array: usize) -> Arrivals<W> {
        let plan = &self.plans[array];
        match &self.evaluators[array] {
            Evaluator::Interpreter(_) => Arrivals::Frame(frame()),
            Evaluator::Native(native) => {
                let planes = plan.link_inputs.len() * self.link_bits + plan.random_inputs.len();
                let scratch = Planes::new(native.scratch_words());
                Arrivals::Planes(Planes::new(planes * W), scratch)
            }
        }
    }

    /// One clock edge for the chunks of one thread; outputs are read in buffer
    /// `parity`.
    #[inline(always)]
    pub fn step(&self, thread: usize, parity: usize, workspaces: &mut [Workspace]) {
        let stimulus = self.stimulus.read().expect(POISON);
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
            let work = Work {
                shared: self,
                plan: &self.plans[array],
                evaluator: &self.evaluators[array],
                chunk: &self.chunks[thread * arrays + array],
                own: &current[thread][array],
                current: &current,
                current_words: &current_words,
                stimulus: &stimulus,
                as_words: self.wiring.as_words[array]
                    .then(|| self.wiring.first_word[thread * arrays + array]),
            };
            let next = Next {
                outputs: &mut next[array],
                words: &mut next_words,
            };
            let (state, pins) = (&mut state[array], &mut pins[array]);
            match workspace {
                Workspace::One(arrivals) => work.run(next, state, pins, arrivals),
                Workspace::Two(arrivals) => work.run(next, state, pins, arrivals),
                Workspace::Four(arrivals) => work.run(next, state, pins, arrivals),
                Workspace::Eight(arrivals) => work.run(next, state, pins, arrivals),
            }
        }
    }
}

/// What a chunk drives in the next cycle.
struct Next<'a> {
    outputs: &'a mut Outputs,
    words: &'a mut Planes,
}

/// One chunk in one cycle.
struct Work<'a> {
    shared: &'a Shared,
    plan: &'a Plan,
    evaluator: &'a Evaluator,
    chunk: &'a Chunk,
    own: &'a Outputs,
    current: &'a [RwLockReadGuard<'a, Vec<Outputs>>],
    current_words: &'a [RwLockReadGuard<'a, Planes>],
    stimulus: &'a Stimulus,
    /// Where the links of this chunk lie as words, if they do.
    as_words: Option<usize>,
}

impl Work<'_> {
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        Next {
            outputs: next,
            words,
        }: Next,
        state: &mut Planes,
        pins: &mut Pins,
        arrivals: &mut Arrivals<W>,
    ) {
        let chunk = self.chunk;
        for group in 0..chunk.state.words.len() / W {
            let word = group * W;
            let first = chunk.outputs.address(0, word);
            if self.own.rest[group] && self.sources_rest(group) {
                if !pins.zero[group] {
                    let words = pins.planes.words();
                    let at = chunk.pins.address(0, word);
                    pins.zero[group] = self.plan.host_pins.iter().all(|plane| {
                        let at = at + plane * chunk.pins.tile;
                        words[at..at + W].iter().all(|&word| word == 0)
                    });
                }
                if pins.zero[group] {
                    if !next.rest[group] {
                        for plane in 0..chunk.outputs.planes {
                            let at = first + plane * chunk.outputs.tile;
                            next.planes.words_mut()[at..at + W].fill(0);
                        }
                        next.rest[group] = true;
                        self.spread::<W>(group, next, words);
                    }
                    continue;
                }
            }
            // An array without state or without pins has no plane 0.
            let state_at = chunk.state.address(0, word).min(state.words().len());
            let pins_at = chunk.pins.address(0, word).min(pins.planes.words().len());
            let memory = Memory {
                state: &mut state.words_mut()[state_at..],
                next: &mut next.planes.words_mut()[first..],
                own: &self.own.planes.words()[first..],
                pins: &pins.planes.words()[pins_at..],
                stride: chunk.state.tile,
            };
            match (self.evaluator, &mut *arrivals) {
                (Evaluator::Interpreter(interpreter), Arrivals::Frame(frame)) => {
                    for link in 0..self.plan.link_inputs.len() {
                        self.gather::<W>(group, link, &mut **frame);
                    }
                    self.draw::<W>(word, &mut **frame);
                    interpreter.run(frame, memory);
                }
                (Evaluator::Native(native), Arrivals::Planes(arrived, scratch)) => {
                    self.draw::<W>(word, arrived.words_mut());
                    let mut place = [In::Open; LINKS_INLINE];
                    let links = self.plan.link_inputs.len();
                    for (link, place) in place[..links].iter_mut().enumerate() {
                        *place = self.find::<W>(group, link, arrived.words_mut());
                    }
                    let arrived = arrived.words();
                    let random = links * self.shared.link_bits * W;
                    let mut read = [memory.own; LINKS_INLINE + 3];
                    read[1] = memory.pins;
                    read[2] = &arrived[random.min(arrived.len())..];
                    for (link, place) in place[..links].iter().enumerate() {
                        read[3 + link] = match place {
                            In::Open => &ZEROS,
                            In::Arrived => &arrived[link * self.shared.link_bits * W..],
                            In::Place(term) => self.planes(term).0,
                        };
                    }
                    native.run(
                        memory.state,
                        memory.next,
                        &read[..3 + links],
                        scratch.words_mut(),
                    );
                }
                _ => unreachable!("workspaces are made for the evaluators"),
            }
            next.rest[group] = self.rests::<W>(word, next, state);
            self.spread::<W>(group, next, words);
        }
        if let Evaluator::Native(native) = self.evaluator {
            native.finish();
        }
    }

    /// Whether everything that drives a group's links rests.
    #[inline(always)]
    fn sources_rest(&self, group: usize) -> bool {
        let Terms {
            sources,
            source_starts,
            ..
        } = &self.chunk.terms;
        let range = source_starts[group] as usize..source_starts[group + 1] as usize;
        sources[range].iter().all(|source: &Group| {
            self.current[source.part as usize][source.array as usize].rest[source.group as usize]
        })
    }

    /// Whether a group rests after the edge.
    #[inline(always)]
    fn rests<const W: usize>(&self, word: usize, next: &Outputs, state: &Planes) -> bool {
        let Some(condition) = &self.plan.rest else {
            return false;
        };
        condition.iter().all(|&(place, value)| {
            let words: &[u64; W] = match place {
                Place::Outputs(plane) => {
                    window(next.planes.words(), self.chunk.outputs.address(plane, word))
                }
                Place::State(plane) => window(state.words(), self.chunk.state.address(plane, word)),
            };
            let flip = u64::from(value).wrapping_neg();
            words.iter().all(|&word| word == flip)
        })
    }

    #[inline(always)]
    fn planes(&self, term: &Term) -> (&[u64], usize) {
        let planes = &self.current[term.part as usize][term.array as usize].planes;
        (&planes.words()[term.base as usize..], term.stride as usize)
    }

    #[inline(always)]
    fn terms(&self, group: usize, link: usize) -> &[Term] {
        let Terms { terms, starts, .. } = &self.chunk.terms;
        let at = group * self.plan.link_inputs.len() + link;
        &terms[starts[at] as usize..starts[at + 1] as usize]
    }

    /// Where native code finds what a link brings to a group.
    #[inline(always)]
    fn find<const W: usize>(&self, group: usize, link: usize, arrived: &mut [u64]) -> In<'_> {
        match self.terms(group, link) {
            [] if self.list(group, link).is_none() => In::Open,
            [term] if term.stride as usize == W && self.pattern(term).plain => In::Place(term),
            _ => {
                self.gather::<W>(group, link, arrived);
                In::Arrived
            }
        }
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
        arrivals: &mut (impl Arrive<W> + ?Sized),
    ) {
        let inputs = &self.plan.link_inputs[link];
        if let Some(list) = self.list(group, link) {
            let block: Block<W> = self.collect(list);
            for &(bit, target) in inputs {
                arrivals.put(target, Lanes(block[bit]));
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
                let (words, stride) = self.planes(term);
                for &(bit, target) in inputs {
                    arrivals.put(target, Lanes(*window(words, bit * stride)));
                }
            }
            [first, second] => {
                let (from, other) = (self.planes(first), self.planes(second));
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
                    let (words, stride) = self.planes(term);
                    let pattern = self.pattern(term);
                    let mask: &[u64; W] = window(&pattern.mask, 0);
                    with_move!(by, pattern, {
                        add(inputs, arrivals, (words, stride, by, mask))
                    });
                }
            }
        }
    }

    /// The list of a scattered link.
    #[inline(always)]
    fn list(&self, group: usize, link: usize) -> Option<&[u32]> {
        let at = group * self.plan.link_inputs.len() + link;
        let number = (*self.chunk.terms.scattered.get(at)?)?;
        Some(&self.chunk.terms.lists[number as usize])
    }

    /// What a scattered link brings, as planes.
    #[inline(always)]
    fn collect<const W: usize>(&self, list: &[u32]) -> Block<W> {
        let mut block: Block<W> = [[0; W]; WORD_BITS];
        let words: &mut [u16] = bytemuck::cast_slice_mut(block.as_flattened_mut());
        if let [only] = self.current_words {
            let from: &[u16] = bytemuck::cast_slice(only.words());
            for (word, &at) in words.iter_mut().zip(list) {
                // Nowhere is past the end.
                *word = from.get(at as usize).copied().unwrap_or(0);
            }
        } else {
            for (word, &at) in words.iter_mut().zip(list) {
                if at != NOWHERE {
                    let part = &self.current_words[(at >> PLACE_BITS) as usize];
                    let from: &[u16] = bytemuck::cast_slice(part.words());
                    *word = from[(at & ((1 << PLACE_BITS) - 1)) as usize];
                }
            }
        }
        transpose(&mut block);
        block
    }

    /// Writes a group's new outputs as words, where scattered links read them.
    #[inline(always)]
    fn spread<const W: usize>(&self, group: usize, next: &Outputs, words: &mut Planes) {
        let Some(first) = self.as_words else {
            return;
        };
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

    /// The random bits of a group.
    #[inline(always)]
    fn draw<const W: usize>(&self, word: usize, arrivals: &mut (impl Arrive<W> + ?Sized)) {
        let first = self.chunk.state.words.start + word;
        let copies = self.stimulus.copies();
        // The copy of each word of the group, and its group in that copy.
        let (mut copy, mut groups) = ([0; W], [0; W]);
        for lane in 0..W {
            let (of, group) = copies.split_group(first + lane);
            (copy[lane], groups[lane]) = (of, group as u64);
        }
        for &(stream, kind, target) in &self.plan.random_inputs {
            if self.stimulus.held() {
                arrivals.put(target, Lanes([0; W]));
                continue;
            }
            let keys = match self.stimulus.keys(stream) {
                [] => [0; W],
                [key] => [*key; W],
                // Whole lane words of copies, one after another.
                keys if keys.len() >= W => *window(keys, copy[0]),
                keys => copy.map(|copy| keys[copy]),
            };
            let drawn = match kind {
                RandomKind::Fair => {
                    let mut drawn = [0; W];
                    for (lane, word) in drawn.iter_mut().enumerate() {
                        *word = random::word(keys[lane], groups[lane]);
                    }
                    drawn
                }
                RandomKind::Third => random::third_words(keys, groups),
            };
            arrivals.put(target, Lanes(drawn));
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
    /// In place, in the neighbours' outputs.
    Place(&'a Term),
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
