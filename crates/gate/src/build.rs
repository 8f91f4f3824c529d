//! From a fabric to what the threads of an engine share: plans, chunks, wiring, memory.

use std::sync::{Arc, RwLock};

use super::layout::{PAD, PlaneLayout};
use super::partition;
use super::plan::{Plan, Settings, kept};
use super::reads::{self, GroupPlaces, Reads};
use super::step::{Chunk, ChunkPins, Outputs, Own, Shared, ThreadOutputs, ThreadPart, ZEROS};
use super::wiring::{ChunkShape, Terms, Wiring, narrow};
use crosswave_base::diagnostic::Error;
use crosswave_base::threads;
use crosswave_lanes::evaluator::Evaluator;
use crosswave_lanes::joined::Codes;
use crosswave_lanes::native::{Calls, Isa, SlicePlace};
use crosswave_lanes::planes::Planes;
use crosswave_lanes::shuffle::{Shuffle, ShuffleCode};
use crosswave_netlist::Module;
use crosswave_network::random_bits::RandomBits;
use crosswave_network::{ChipArray, Fabric};

/// The most shuffles of an array that machine code is made of, which takes milliseconds each.
/// Regular networks have a few, and an array of [`SHUFFLED_MAX`](super::wiring::SHUFFLED_MAX) instances
/// has no more groups than this.
const SHUFFLE_CODES_MAX: usize = 64;

/// Builds the state that so many threads, or fewer if there are fewer groups, share at cycle 0, for
/// the copies of a network, each with its seed.
///
/// # Errors
/// When a netlist cannot be compiled or is not that of the chip, and when the links cannot
/// be numbered.
pub(super) fn shared(
    fabric: Arc<Fabric>,
    netlist: impl Fn(&str) -> Result<&'static Module, Error> + Sync,
    seeds: &[u64],
    threads: usize,
    settings: Settings,
) -> Result<Shared, Error> {
    let (plans, mut evaluators) = plans(&fabric, netlist, settings)?;
    // Whoever has no group has nothing to do.
    let groups = plans.iter().map(|plan| plan.words / plan.width);
    let threads = threads.clamp(1, groups.sum::<usize>().max(1));
    let shapes = shapes(&fabric, &plans, &evaluators, threads);
    let mut wiring = Wiring::compile(&fabric, &shapes, settings.link_bits)?;
    let terms = std::mem::take(&mut wiring.chunks);
    let mut chunks: Vec<Chunk> = shapes
        .into_iter()
        .zip(terms)
        .map(|(shape, terms)| chunk(&plans[shape.array], shape, terms))
        .collect();
    let plans_of_chunks = plans.iter().cycle();
    let group_words: Vec<usize> = plans_of_chunks
        .zip(&chunks)
        .map(|(plan, chunk)| reads::group_words(plan, chunk.outputs.tile_size()))
        .collect();
    for (array, evaluator) in evaluators.iter_mut().enumerate() {
        let Evaluator::Native(codes) = evaluator else {
            continue;
        };
        for chunk in chunks[array..].iter_mut().step_by(plans.len()) {
            let patterns = &wiring.patterns;
            let groups = chunk.terms.source_starts.len() - 1;
            let Terms { terms, starts, .. } = &mut chunk.terms;
            chunk.codes = codes.choose(groups, terms, starts, patterns);
            let terms = &chunk.terms;
            let shuffled = |group: usize| {
                let number = terms.shuffled.get(group).copied().flatten();
                number.map_or(0, |number| wiring.shuffles[number as usize].links)
            };
            chunk.reads = Reads::new(
                &plans[array],
                (terms, &chunk.codes),
                (codes, patterns),
                shuffled,
                &group_words,
            );
        }
        codes.settle();
    }
    let arrays = plans.len();
    for number in 0..chunks.len() {
        let (plan, evaluator) = (&plans[number % arrays], &evaluators[number % arrays]);
        if let Evaluator::Native(codes) = evaluator {
            let of = (plan, codes, settings.link_bits);
            chunks[number].calls = Some(calls(&chunks, number, of, &group_words));
        }
    }
    let shuffle_codes = (0..arrays).map(|array| {
        let Evaluator::Native(codes) = &evaluators[array] else {
            return Vec::new();
        };
        let chunks = chunks[array..].iter().step_by(arrays);
        let made = (codes.isa(), settings.counted);
        shuffle_codes(&plans[array], chunks, &wiring.shuffles, made)
    });
    let shuffle_codes = shuffle_codes.collect();
    let own = |thread: usize| &chunks[thread * arrays..(thread + 1) * arrays];
    let link_words = &wiring.words.counts;
    let instances = fabric.arrays.iter().map(|array| array.instances);
    let instances: Vec<usize> = instances.collect();
    let parts = (0..threads).map(|thread| {
        let of_thread = (own(thread), link_words[thread]);
        part(&plans, &instances, of_thread)
    });
    Ok(Shared {
        parts: parts.collect(),
        random_bits: RwLock::new(RandomBits::of_copies(&fabric, seeds)),
        fabric,
        plans,
        evaluators,
        wiring,
        shuffle_codes,
        chunks,
        link_bits: settings.link_bits,
        arch: pulp::Arch::new(),
    })
}

/// The plans of all arrays, which are made side by side, and what evaluates them.
fn plans(
    fabric: &Fabric,
    netlist: impl Fn(&str) -> Result<&'static Module, Error> + Sync,
    settings: Settings,
) -> Result<(Vec<Plan>, Vec<Evaluator>), Error> {
    let plan = |array: &ChipArray| kept::plan(array, netlist(array.chip.name)?, settings);
    let arrays = &fabric.arrays;
    let made = threads::each(arrays.len(), |array| plan(&arrays[array]));
    let made: Result<Vec<_>, Error> = made.into_iter().collect();
    Ok(made?.into_iter().unzip())
}

/// The calls of a chunk's code when the whole network is taken over an edge.
fn calls(
    chunks: &[Chunk],
    number: usize,
    (plan, codes, link_bits): (&Plan, &Codes, usize),
    group_words: &[usize],
) -> Calls {
    let (chunk, width) = (&chunks[number], plan.width);
    let zeros = chunks.len() as u32;
    let [patterns, pins, arrived] = [1, 2, 3].map(|after| zeros + after);
    let pin_words = chunk.pins.size();
    let mut lengths: Vec<usize> = chunks.iter().map(|chunk| chunk.outputs.size()).collect();
    lengths.extend([ZEROS.len(), codes.all_patterns().len(), pin_words]);
    let groups = chunk.codes.len();
    let place = |slice: u32, word: usize| SlicePlace {
        slice,
        word: narrow(word),
    };
    let regions = |group: usize| chunk.reads.of(group).len();
    let mut calls = Calls::new(lengths, (0..groups).map(regions).max().unwrap_or(0));
    for (group, &code) in chunk.codes.iter().enumerate() {
        let sources = chunk.terms.sources(group);
        let of_group = GroupPlaces {
            own: place(
                number as u32,
                chunk.outputs.pad + group * chunk.outputs.step(width),
            ),
            // An array without pins has no plane 0.
            pins: place(pins, (group * chunk.pins.step(width)).min(pin_words)),
            patterns: place(patterns, code.patterns as usize),
            zeros,
            arrived,
            link_words: link_bits * width,
            links: plan.link_inputs.len(),
            source: |source, base| {
                let source = sources[usize::from(source)];
                let first = source.group as usize * group_words[source.chunk as usize];
                place(source.chunk, first + base as usize)
            },
        };
        let reads = chunk.reads.of(group).iter();
        let places: Vec<SlicePlace> = reads.map(|&read| of_group.of(read)).collect();
        let native = &codes.variants()[code.variant as usize].native;
        native.add_to(&mut calls, &places, None);
    }
    calls
}

/// The machine code of the shuffles that the chunks of an array have, by number; to be run, or only to
/// be counted.
fn shuffle_codes<'c>(
    plan: &Plan,
    chunks: impl Iterator<Item = &'c Chunk>,
    shuffles: &[Shuffle],
    (isa, counted): (Isa, bool),
) -> Vec<Option<ShuffleCode>> {
    let mut codes: Vec<Option<ShuffleCode>> = shuffles.iter().map(|_| None).collect();
    let mut tried = vec![false; shuffles.len()];
    let mut left = SHUFFLE_CODES_MAX;
    for &number in chunks.flat_map(|chunk| chunk.terms.shuffled.iter().flatten()) {
        let number = number as usize;
        if !std::mem::replace(&mut tried[number], true) && left > 0 {
            left -= 1;
            codes[number] = ShuffleCode::new(&shuffles[number], &plan.link_inputs, isa, counted);
        }
    }
    codes
}

/// Cuts every array into one chunk per thread: that of thread `t` and array `a` is
/// `t * arrays + a`.
fn shapes(
    fabric: &Fabric,
    plans: &[Plan],
    evaluators: &[Evaluator],
    threads: usize,
) -> Vec<ChunkShape> {
    let cuts = partition::cuts(fabric, plans, evaluators, threads);
    let mut shapes = Vec::new();
    for thread in 0..threads {
        for (array, plan) in plans.iter().enumerate() {
            let first = cuts[array][thread] * plan.width;
            let end = cuts[array][thread + 1] * plan.width;
            shapes.push(ChunkShape {
                array,
                layout: PlaneLayout {
                    words: first..end,
                    tile: plan.tile,
                    planes: plan.output_planes,
                    pad: PAD,
                },
                width: plan.width,
                windows_kept: plan.windows_kept(&evaluators[array]),
            });
        }
    }
    shapes
}

/// A chunk: where its state and its pins lie, besides its outputs.
fn chunk(plan: &Plan, shape: ChunkShape, terms: Terms) -> Chunk {
    let with = |planes: usize| PlaneLayout {
        planes,
        pad: 0,
        ..shape.layout.clone()
    };
    Chunk {
        state: with(plan.state_planes()),
        pins: with(plan.pin_planes()),
        outputs: shape.layout,
        terms,
        codes: Vec::new(),
        reads: Reads::default(),
        calls: None,
    }
}

/// The memory of the thread that owns these chunks, one of each array with so many instances, and keeps so
/// many of their links' words.
fn part(plans: &[Plan], instances: &[usize], (own, link_words): (&[Chunk], usize)) -> ThreadPart {
    let groups = |array: usize| own[array].outputs.words.len() / plans[array].width;
    let outputs = |(array, chunk): (usize, &Chunk)| Outputs {
        planes: Planes::new(chunk.outputs.size()),
        rest: vec![false; groups(array)],
    };
    let pins = |(array, chunk): (usize, &Chunk)| ChunkPins {
        planes: Planes::new(chunk.pins.size()),
        zero: vec![false; groups(array)],
        noted: vec![
            false;
            if plans[array].is_watched {
                groups(array)
            } else {
                0
            }
        ],
    };
    let buffer = || {
        RwLock::new(ThreadOutputs {
            outputs: own.iter().enumerate().map(outputs).collect(),
            words: Planes::new(link_words.div_ceil(4)),
        })
    };
    let state = own.iter().map(|chunk| Planes::new(chunk.state.size()));
    let arrays = plans.iter().zip(own).zip(instances);
    let memories = arrays.map(|((plan, chunk), instances)| {
        let before = 64 * chunk.state.words.start;
        let lanes = instances.saturating_sub(before);
        plan.memory_words(lanes.min(64 * chunk.state.words.len()))
    });
    ThreadPart {
        own: RwLock::new(Own {
            memories: memories.collect(),
            state: state.collect(),
            pins: own.iter().enumerate().map(pins).collect(),
        }),
        driven: [buffer(), buffer()],
    }
}
