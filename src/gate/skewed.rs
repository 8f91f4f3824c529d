//! Several clock edges at a time, in the order of a [`Skew`].
//!
//! For as long as that takes, the memory of the threads' parts is lent to the groups,
//! each behind locks of its own: any thread may take any block, and what one group
//! writes others read. The order makes sure that nobody waits: what is written nobody
//! else holds. A lock that is not free is a mistake in the order, and a panic.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard};
use std::thread::Builder;

use smallvec::SmallVec;

use super::plan::{Output, Storage};
use super::planes::Planes;
use super::skew::{GroupEdge, Groups, Phase, Skew};
use super::step::{Around, Held, POISON, Shared};
use super::wiring::{Group, Term};
use super::workspace::{LaneWorkspace, Workspace};
use crate::network::random_bits::RandomBits;
use crate::probe::engine::LocalHost;

/// Said when a lock is not free.
const FREE: &str = "the order keeps others away";

/// The groups of an engine as a skew sees them: chunk by chunk.
pub(super) fn groups(shared: &Shared) -> Groups {
    let arrays = shared.plans.len();
    let count = |chunk: usize| shared.chunks[chunk].terms.source_starts.len() - 1;
    let mut first = vec![0];
    for chunk in 0..shared.chunks.len() {
        first.push(first[chunk] + count(chunk));
    }
    let mut groups = Groups {
        starts: vec![0],
        ..Groups::default()
    };
    for (index, chunk) in shared.chunks.iter().enumerate() {
        let plan = &shared.plans[index % arrays];
        let words = 2 * chunk.outputs.tile_size() + chunk.state.tile_size();
        let bytes = 8 * (words + chunk.pins.tile_size());
        let terms = &chunk.terms;
        for range in terms.source_starts.windows(2) {
            groups.bytes.push(bytes);
            groups.driven.push(!plan.host_pins.is_empty());
            for source in &terms.sources[range[0] as usize..range[1] as usize] {
                let chunk = usize::from(source.part) * arrays + usize::from(source.array);
                let group = first[chunk] + source.group as usize;
                groups.neighbours.push(group as u32);
            }
            groups.starts.push(groups.neighbours.len());
        }
    }
    groups
}

/// Outputs of a group in one buffer.
struct GroupOutputs<'a> {
    /// The words, with those before and after them.
    words: &'a mut [u64],
    rest: &'a mut bool,
}

/// What only the group itself reads.
struct GroupState<'a> {
    state: &'a mut [u64],
    pins: &'a mut [u64],
    pins_zero: &'a mut bool,
}

/// The memory of a group.
struct GroupMemory<'a> {
    chunk: u32,
    group: u32,
    state: Mutex<GroupState<'a>>,
    outputs: [RwLock<GroupOutputs<'a>>; 2],
}

/// Cuts off pieces of memory one by one.
struct Pieces<'a> {
    words: &'a mut [u64],
    size: usize,
}

impl<'a> Pieces<'a> {
    fn new(planes: &'a mut Planes, size: usize) -> Self {
        Pieces {
            words: planes.words_mut(),
            size,
        }
    }

    fn next(&mut self) -> &'a mut [u64] {
        let (piece, left) = std::mem::take(&mut self.words).split_at_mut(self.size);
        self.words = left;
        piece
    }
}

/// Edges that are taken together.
pub(super) struct Span<'a> {
    /// The engine.
    pub shared: &'a Shared,
    /// The order.
    pub skew: &'a Skew,
    /// The cycle before the first edge.
    pub cycle: u64,
    /// The buffer of the outputs in it.
    pub parity: usize,
    /// The random pins before each edge.
    pub random_bits: &'a [RandomBits],
    /// Whom to ask after each edge.
    pub host: &'a dyn LocalHost,
}

impl Span<'_> {
    /// Takes the edges, on as many threads as there are workspaces.
    pub fn take(&self, arch: pulp::Arch, workspaces: &mut [Vec<Workspace>]) {
        let parts = &self.shared.parts;
        let mut states: Vec<_> = parts
            .iter()
            .map(|p| p.state.write().expect(POISON))
            .collect();
        let mut pins: Vec<_> = parts
            .iter()
            .map(|p| p.pins.write().expect(POISON))
            .collect();
        let [mut even, mut odd] = [0, 1].map(|buffer| -> Vec<_> {
            let outputs = parts.iter().map(|part| &part.outputs[buffer]);
            outputs
                .map(|outputs| outputs.write().expect(POISON))
                .collect()
        });
        let arrays = self.shared.plans.len();
        let mut first = Vec::with_capacity(self.shared.chunks.len());
        let mut all = Vec::new();
        let mut chunks = (0..).zip(&self.shared.chunks);
        let owners = states
            .iter_mut()
            .zip(&mut pins)
            .zip(&mut even)
            .zip(&mut odd);
        for (((states, pins), even), odd) in owners {
            let of_arrays = states.iter_mut().zip(pins.iter_mut());
            let outputs = even.iter_mut().zip(odd.iter_mut());
            for ((state, pins), (even, odd)) in of_arrays.zip(outputs) {
                let (number, chunk) = chunks.next().expect("a chunk for each array");
                first.push(all.len());
                let mut state = Pieces::new(state, chunk.state.tile_size());
                let mut pin = Pieces::new(&mut pins.planes, chunk.pins.tile_size());
                let size = chunk.outputs.tile_size();
                let mut outputs = [&mut even.planes, &mut odd.planes].map(|p| Pieces::new(p, size));
                let rests = even.rest.iter_mut().zip(&mut odd.rest);
                for (group, (zero, rest)) in (0..).zip(pins.zero.iter_mut().zip(rests)) {
                    let [one, two] = &mut outputs;
                    let outputs = |words, rest| RwLock::new(GroupOutputs { words, rest });
                    all.push(GroupMemory {
                        chunk: number,
                        group,
                        state: Mutex::new(GroupState {
                            state: state.next(),
                            pins: pin.next(),
                            pins_zero: zero,
                        }),
                        outputs: [outputs(one.next(), rest.0), outputs(two.next(), rest.1)],
                    });
                }
            }
        }
        let array = self.host.array();
        let plan = &self.shared.plans[array];
        let place = |&port: &usize| match plan.outputs[port][..] {
            [Output::Register(register)] => plan.places[register],
            _ => unreachable!("the host looks at outputs of one bit that change"),
        };
        let memory = BurstMemory {
            span: self,
            arrays,
            first: &first,
            groups: &all,
            watched: array,
            places: self.host.ports().iter().map(place).collect(),
        };
        for phase in &self.skew.phases {
            let next = AtomicUsize::new(0);
            let (own, others) = workspaces.split_first_mut().expect("a thread");
            let work = |workspaces| {
                arch.dispatch(BlockQueue {
                    memory: &memory,
                    phase,
                    next: &next,
                    workspaces,
                });
            };
            std::thread::scope(|scope| {
                for workspaces in others {
                    // Without another thread, those there are take its blocks.
                    let _ = Builder::new().spawn_scoped(scope, || work(workspaces));
                }
                work(own);
            });
        }
    }
}

/// The groups' memory, and what is to be done with it.
struct BurstMemory<'a, 'm> {
    span: &'a Span<'a>,
    arrays: usize,
    /// The place of each chunk's first group among all.
    first: &'a [usize],
    groups: &'a [GroupMemory<'m>],
    /// The array that the host looks at, and where each of its ports is kept.
    watched: usize,
    places: SmallVec<[Storage; 4]>,
}

/// The outputs that a group reads.
struct Near<'a, 'm> {
    outputs: SmallVec<[RwLockReadGuard<'a, GroupOutputs<'m>>; 8]>,
    shared: &'a Shared,
}

impl Around for Near<'_, '_> {
    #[inline(always)]
    fn planes(&self, sources: &[Group], term: &Term) -> &[u64] {
        let source = sources[usize::from(term.source)];
        // Of the first thread's chunk; those of an array have tiles of one size.
        let size = self.shared.chunks[usize::from(source.array)]
            .outputs
            .tile_size();
        let base = term.base as usize - source.group as usize * size;
        &self.outputs[usize::from(term.source)].words[base..]
    }

    #[inline(always)]
    fn rest(&self, _: &[Group]) -> bool {
        self.outputs.iter().all(|outputs| *outputs.rest)
    }

    /// None: networks with links that are gathered lane by lane are not skewed.
    fn words(&self) -> &[RwLockReadGuard<'_, Planes>] {
        &[]
    }
}

impl BurstMemory<'_, '_> {
    /// Takes a group over an edge, and asks the host.
    #[inline(always)]
    fn edge(&self, edge: GroupEdge, workspaces: &mut [Workspace]) {
        let memory = &self.groups[edge.group as usize];
        let array = memory.chunk as usize % self.arrays;
        match &mut workspaces[array] {
            Workspace::One(workspace) => self.group(memory, edge.edge as usize, workspace),
            Workspace::Two(workspace) => self.group(memory, edge.edge as usize, workspace),
            Workspace::Four(workspace) => self.group(memory, edge.edge as usize, workspace),
            Workspace::Eight(workspace) => self.group(memory, edge.edge as usize, workspace),
        }
    }

    #[inline(always)]
    fn group<const W: usize>(
        &self,
        memory: &GroupMemory,
        edge: usize,
        workspace: &mut LaneWorkspace<W>,
    ) {
        let shared = self.span.shared;
        let (chunk, group) = (memory.chunk as usize, memory.group as usize);
        let work = shared.work(chunk, &self.span.random_bits[edge]);
        let parity = (self.span.parity + edge) % 2;
        let sources = work.sources(group).iter().map(|source| {
            let chunk = usize::from(source.part) * self.arrays + usize::from(source.array);
            let source = &self.groups[self.first[chunk] + source.group as usize];
            source.outputs[parity].try_read().expect(FREE)
        });
        let near = Near {
            outputs: sources.collect(),
            shared,
        };
        let own = memory.outputs[parity].try_read().expect(FREE);
        let mut next = memory.outputs[1 - parity].try_write().expect(FREE);
        let mut held = memory.state.try_lock().expect(FREE);
        let (next, held) = (&mut *next, &mut *held);
        let pad = shared.chunks[chunk].outputs.pad;
        work.group::<W>(
            group,
            &near,
            Held {
                own: (&own.words[pad..], *own.rest),
                next: (&mut next.words[pad..], next.rest),
                state: held.state,
                pins: (held.pins, held.pins_zero),
            },
            workspace,
        );
        if chunk % self.arrays == self.watched {
            let words = shared.chunks[chunk].outputs.words.start + group * W;
            let cycle = self.span.cycle + edge as u64 + 1;
            self.ask::<W>(words * 64, cycle, &next.words[pad..], held);
        }
    }

    /// Tells the host what a group shows in a cycle, and drives its pins.
    #[inline(always)]
    fn ask<const W: usize>(
        &self,
        first: usize,
        cycle: u64,
        outputs: &[u64],
        held: &mut GroupState,
    ) {
        let plan = &self.span.shared.plans[self.watched];
        let shown = self.places.iter().map(|place| match *place {
            Storage::Outputs(plane) => &outputs[plane * W..][..W],
            Storage::State(plane) => &held.state[plane * W..][..W],
        });
        let shown: SmallVec<[&[u64]; 4]> = shown.collect();
        let (pins, zero) = (&mut *held.pins, &mut *held.pins_zero);
        let mut drive = |port: usize, instance: u32, value: u64| {
            let lane = instance as usize - first;
            plan.drive_pin(&mut pins[lane / 64..], W, port, lane % 64, value);
            *zero = false;
        };
        self.span.host.answer(first, cycle, &shown, &mut drive);
    }
}

/// What one thread does in a phase, as [`Edge`](super::step::Edge) is.
struct BlockQueue<'a, 'm> {
    memory: &'a BurstMemory<'a, 'm>,
    phase: &'a Phase,
    next: &'a AtomicUsize,
    workspaces: &'a mut Vec<Workspace>,
}

impl pulp::NullaryFnOnce for BlockQueue<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Phase { edges, blocks } = self.phase;
        while let Some(block) = blocks.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            for &edge in &edges[block.clone()] {
                self.memory.edge(edge, self.workspaces);
            }
        }
    }
}
