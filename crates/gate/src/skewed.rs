//! Several clock edges at a time, in the order of a [`Skew`](super::skew::Skew).
//!
//! For as long as that takes, the memory of the threads' parts is lent to the groups,
//! each behind locks of its own: any thread may take any block, and what one group
//! writes others read. The order makes sure that nobody waits: what is written nobody
//! else holds. A lock that is not free is a mistake in the order, and a panic.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::Builder;

use smallvec::SmallVec;

use super::block_plan::{BlockPlan, FetchAhead, HeldOutputs, Member, Piece};
use super::skew::Groups;
use super::step::{Around, Held, Own, POISON, Shared, Work, ZEROS};
use super::wiring::Group;
use super::workspace::{LaneWorkspace, Workspace};
use crosswave_chips::registers::{Output, Storage};
use crosswave_lanes::evaluator::Memory;
use crosswave_lanes::native::{BorrowedSlices, Others};
use crosswave_lanes::planes::Planes;
use crosswave_lanes::windows::Term;
use crosswave_network::random_bits::RandomBits;
use crosswave_probe::engine::LocalHost;

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
                let group = first[source.chunk as usize] + source.group as usize;
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

/// Memory of a group that only the group itself reads.
struct GroupState<'a> {
    chunk: u32,
    group: u32,
    state: &'a mut [u64],
    pins: &'a mut [u64],
    pins_zero: &'a mut bool,
}

/// The memory of a group.
struct GroupMemory<'a> {
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
    /// The blocks of each phase.
    pub phases: &'a [Vec<BlockPlan>; 2],
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
    pub fn take(&self, workspaces: &mut [Vec<Workspace>]) {
        let parts = &self.shared.parts;
        let own = parts.iter().map(|part| part.own.write().expect(POISON));
        let mut owned: Vec<_> = own.collect();
        let [mut even, mut odd] = [0, 1].map(|buffer| -> Vec<_> {
            let driven = parts.iter().map(|part| &part.driven[buffer]);
            driven.map(|driven| driven.write().expect(POISON)).collect()
        });
        let arrays = self.shared.plans.len();
        let mut all = Vec::new();
        let mut chunks = (0..).zip(&self.shared.chunks);
        let owners = owned.iter_mut().zip(&mut even).zip(&mut odd);
        for ((own, even), odd) in owners {
            let Own { state, pins, .. } = &mut **own;
            let of_arrays = state.iter_mut().zip(pins);
            let outputs = even.outputs.iter_mut().zip(&mut odd.outputs);
            for ((state, pins), (even, odd)) in of_arrays.zip(outputs) {
                let (number, chunk) = chunks.next().expect("a chunk for each array");
                let mut state = Pieces::new(state, chunk.state.tile_size());
                let mut pin = Pieces::new(&mut pins.planes, chunk.pins.tile_size());
                let size = chunk.outputs.tile_size();
                let mut outputs = [&mut even.planes, &mut odd.planes].map(|p| Pieces::new(p, size));
                let rests = even.rest.iter_mut().zip(&mut odd.rest);
                for (group, (zero, rest)) in (0..).zip(pins.zero.iter_mut().zip(rests)) {
                    let [one, two] = &mut outputs;
                    let outputs = |words, rest| RwLock::new(GroupOutputs { words, rest });
                    all.push(GroupMemory {
                        state: Mutex::new(GroupState {
                            chunk: number,
                            group,
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
        let edges = self.random_bits.iter();
        let draws = edges.clone().flat_map(|random_bits| {
            let plans = self.shared.plans.iter();
            plans.map(move |plan| {
                let draw = plan.code_draw.as_ref()?;
                Some(draw.of_cycle(random_bits, plan.width))
            })
        });
        let works = edges.flat_map(|random_bits| {
            let chunks = 0..self.shared.chunks.len();
            chunks.map(move |chunk| self.shared.work(chunk, random_bits))
        });
        let memory = BurstMemory {
            span: self,
            arrays,
            draws: draws.collect(),
            works: works.collect(),
            groups: &all,
            watched: array,
            places: self.host.ports().iter().map(place).collect(),
        };
        for blocks in self.phases {
            let next = AtomicUsize::new(0);
            let (own, others) = workspaces.split_first_mut().expect("a thread");
            let work = |workspaces: &mut Vec<Workspace>| {
                while let Some(block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    memory.block(block, workspaces);
                }
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
    /// For each edge and array, the planes that make random bits and where they arrive, if code draws them.
    draws: Vec<Option<(usize, Vec<u64>)>>,
    /// The evaluation of the groups of each chunk, edge by edge.
    works: Vec<Work<'a>>,
    groups: &'a [GroupMemory<'m>],
    /// The array that the host looks at, and where each of its ports is kept.
    watched: usize,
    places: SmallVec<[Storage; 4]>,
}

/// Outputs that a thread has locked for a block.
enum Locked<'a, 'm> {
    Written(RwLockWriteGuard<'a, GroupOutputs<'m>>),
    Read(RwLockReadGuard<'a, GroupOutputs<'m>>),
}

/// The outputs that an edge reads of its neighbours, and the call of its code.
struct Near<'a> {
    others: Others<'a, 2>,
    /// For each of the block's outputs, true when its group rests.
    rests: &'a [bool],
    /// The places of its neighbours' outputs among these.
    sources: &'a [u32],
    call: u32,
    shared: &'a Shared,
}

impl Around for Near<'_> {
    #[inline(always)]
    fn planes(&self, sources: &[Group], term: &Term) -> &[u64] {
        let source = sources[usize::from(term.source)];
        let size = self.shared.chunks[source.chunk as usize]
            .outputs
            .tile_size();
        let base = term.base as usize - source.group as usize * size;
        let outputs = self.sources[usize::from(term.source)] as usize;
        &self.others.words(outputs)[base..]
    }

    #[inline(always)]
    fn run_code(&self, _: usize, memory: &mut Memory, workspace: (&[u64], &mut [u64])) -> bool {
        let written = (&mut *memory.state, &mut *memory.next);
        self.others.run(self.call as usize, written, workspace)
    }

    #[inline(always)]
    fn rest(&self, _: &[Group]) -> bool {
        let mut sources = self.sources.iter();
        sources.all(|&source| self.rests[source as usize])
    }

    /// None: networks with links that are gathered lane by lane are not skewed.
    fn words(&self) -> &[&[u64]] {
        &[]
    }
}

/// A group while a block is taken: its array and its place, and whether its host pins are known to be 0.
struct HeldGroup<'a> {
    array: usize,
    chunk: usize,
    group: usize,
    pins_zero: &'a mut bool,
}

/// Memory that a thread holds for a block.
struct HeldBlock<'a> {
    plan: &'a BlockPlan,
    /// The slices that its plan numbers.
    slices: BorrowedSlices<'a>,
    /// For each of its outputs, true when the group rests.
    rests: Vec<bool>,
    /// The groups that take edges.
    members: Vec<HeldGroup<'a>>,
}

impl HeldBlock<'_> {
    /// Fetches a piece of what the first edge of a member uses.
    #[inline(always)]
    fn fetch(&mut self, (member, piece): (usize, Piece)) {
        let edge = &self.plan.edges[self.plan.members[member].first_edge as usize];
        let (_, slices) = self.slices.split([]);
        slices.fetch(match piece {
            Piece::State => self.plan.state_slice(member),
            Piece::Own => edge.own as usize,
            Piece::Next => edge.next as usize,
        });
    }
}

impl<'a, 'm> BurstMemory<'a, 'm> {
    /// Takes the edges of a block.
    fn block(&self, plan: &BlockPlan, workspaces: &mut [Workspace]) {
        let state = |of: &Member| self.groups[of.group as usize].state.try_lock().expect(FREE);
        let mut states: Vec<MutexGuard<GroupState>> = plan.members.iter().map(state).collect();
        let mut locked: Vec<Locked> = plan.outputs.iter().map(|of| self.lock(of)).collect();
        let mut block = self.hold(plan, &mut states, &mut locked);
        let mut ahead = FetchAhead::default();
        for (number, edge) in plan.edges.iter().enumerate() {
            if let Some(piece) = ahead.before(edge.member as usize, plan.members.len()) {
                block.fetch(piece);
            }
            match &mut workspaces[block.members[edge.member as usize].array] {
                Workspace::One(space) => self.group(number, &mut block, space),
                Workspace::Two(space) => self.group(number, &mut block, space),
                Workspace::Four(space) => self.group(number, &mut block, space),
                Workspace::Eight(space) => self.group(number, &mut block, space),
            }
        }
        let rests = block.rests;
        for (locked, rest) in locked.iter_mut().zip(rests) {
            if let Locked::Written(outputs) = locked {
                *outputs.rest = rest;
            }
        }
    }

    /// Lends what has been locked for a block to its calls.
    fn hold<'b>(
        &'b self,
        plan: &'b BlockPlan,
        states: &'b mut [MutexGuard<GroupState>],
        locked: &'b mut [Locked],
    ) -> HeldBlock<'b> {
        let mut slices = BorrowedSlices::new(&plan.calls);
        let mut rests = Vec::with_capacity(locked.len());
        for locked in locked {
            match locked {
                Locked::Written(outputs) => {
                    rests.push(*outputs.rest);
                    slices.write(&mut *outputs.words);
                }
                Locked::Read(outputs) => {
                    rests.push(*outputs.rest);
                    slices.read(&*outputs.words);
                }
            }
        }
        let mut members = Vec::with_capacity(states.len());
        let mut pins = Vec::with_capacity(states.len());
        for state in states {
            let state = &mut **state;
            slices.write(&mut *state.state);
            pins.push(&mut *state.pins);
            members.push(HeldGroup {
                array: state.chunk as usize % self.arrays,
                chunk: state.chunk as usize,
                group: state.group as usize,
                pins_zero: &mut *state.pins_zero,
            });
        }
        pins.into_iter().for_each(|pins| slices.write(pins));
        slices.read(&ZEROS);
        let patterns = self.span.shared.patterns();
        patterns.for_each(|patterns| slices.read(patterns));
        HeldBlock {
            plan,
            slices,
            rests,
            members,
        }
    }

    fn lock(&self, of: &HeldOutputs) -> Locked<'a, 'm> {
        let buffer = (self.span.parity + usize::from(of.buffer)) % 2;
        let lock = &self.groups[of.group as usize].outputs[buffer];
        match of.is_written {
            true => Locked::Written(lock.try_write().expect(FREE)),
            false => Locked::Read(lock.try_read().expect(FREE)),
        }
    }

    /// Takes an edge of a block, and asks the host.
    fn group<const W: usize>(
        &self,
        number: usize,
        block: &mut HeldBlock,
        workspace: &mut LaneWorkspace<W>,
    ) {
        let shared = self.span.shared;
        let plan = block.plan;
        let edge = &plan.edges[number];
        let [own, next, member] = [edge.own, edge.next, edge.member].map(|at| at as usize);
        let held = &mut block.members[member];
        let (array, chunk, group) = (held.array, held.chunk, held.group);
        let edge_number = edge.edge as usize;
        if let Some((first, words)) = &self.draws[edge_number * self.arrays + array] {
            let (arrived, _) = workspace.planes();
            arrived[*first..][..words.len()].copy_from_slice(words);
        }
        let pad = shared.chunks[chunk].outputs.pad;
        let work = &self.works[edge_number * shared.chunks.len() + chunk];
        let mut next_rest = block.rests[next];
        let ([state, words], others) = block.slices.split([plan.state_slice(member), next]);
        let own = (&others.words(own)[pad..], block.rests[own]);
        let pins = others.words(plan.pins_slice(member));
        let near = Near {
            others,
            rests: &block.rests,
            sources: plan.sources(number),
            call: edge.call,
            shared,
        };
        work.group::<W>(
            group,
            &near,
            Held {
                own,
                next: (&mut words[pad..], &mut next_rest),
                state,
                pins: (pins, held.pins_zero),
                noted: None,
                // Arrays with memories are taken cycle by cycle.
                memories: &mut [],
            },
            workspace,
        );
        block.rests[next] = next_rest;
        if array == self.watched {
            let first = shared.chunks[chunk].outputs.words.start + group * W;
            let cycle = self.span.cycle + edge.edge as u64 + 1;
            let ([pins], others) = block.slices.split([plan.pins_slice(member)]);
            let state = others.words(plan.state_slice(member));
            let pins = (pins, &mut *held.pins_zero);
            self.ask::<W>(first * 64, cycle, (&others.words(next)[pad..], state), pins);
        }
    }

    /// Tells the host what a group shows in a cycle, and drives its pins.
    fn ask<const W: usize>(
        &self,
        first: usize,
        cycle: u64,
        (outputs, state): (&[u64], &[u64]),
        (pins, pins_zero): (&mut [u64], &mut bool),
    ) {
        let plan = &self.span.shared.plans[self.watched];
        let shown = self.places.iter().map(|place| match *place {
            Storage::Outputs(plane) => &outputs[plane * W..][..W],
            Storage::State(plane) => &state[plane * W..][..W],
        });
        let shown: SmallVec<[&[u64]; 4]> = shown.collect();
        let mut drive = |port: usize, instance: u32, value: u64| {
            let lane = instance as usize - first;
            plan.drive_pin(&mut pins[lane / 64..], W, port, lane % 64, value);
            *pins_zero = false;
        };
        self.span.host.answer(first, cycle, &shown, &mut drive);
    }
}
