//! Rates that the machine reaches: operations on registers, loads and stores, and the bandwidth of
//! each level of memory.
//!
//! Operations, loads, stores and streams are programs of the gate engine's own code
//! generator, so what is measured is the instructions that the engine uses, counted
//! by it, and no compiler can leave any out. The cost of a call drops out as the
//! difference of a longer and a shorter program. Bandwidths are loops over whole
//! vectors, through `pulp`. All figures are the best of several runs.

use std::sync::Barrier;
use std::time::Instant;

use crosswave_base::random;
use crosswave_gate::plan::REGION_RANDOM;
use crosswave_lanes::native::{Isa, Native, NativeOptions};
use crosswave_lanes::planes::Planes;
use crosswave_lanes::straight::{Location, NEXT, STATE, StraightLine};
use crosswave_netlist::{Lut, MappedValue};
use pulp::{Arch, Simd, WithSimd};
use serde::Serialize;

use super::machine::Machine;

/// Instructions per second on lane words of a width, all threads together.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Instructions {
    /// Bits of a register.
    pub bits: usize,
    /// Operations on registers.
    pub compute_per_s: f64,
    /// Loads of a register from L1, each as an operand of an operation.
    pub loads_per_s: f64,
    /// Stores of a register to L1.
    pub stores_per_s: f64,
}

/// Bytes per second at one level of memory, all threads together.
#[derive(Debug, Clone, Serialize)]
pub struct Bandwidth {
    /// "L1" and so on, or "memory".
    pub level: String,
    /// Bytes that fit: of one thread, or of all where it is shared.
    pub capacity: usize,
    /// True when the threads share it.
    pub shared: bool,
    /// Bytes that each thread went through.
    pub working_set: usize,
    /// Bytes read.
    pub read: f64,
    /// Bytes written by ordinary stores.
    pub write: f64,
    /// Bytes written past the caches.
    pub stream: f64,
    /// Bytes updated in place: each is read and written, and counts once.
    pub update: f64,
    /// Bytes read at one place, each combined with what is at another and written
    /// to a third; counts once.
    pub triad: f64,
}

/// All rates with a number of threads.
#[derive(Debug, Clone, Serialize)]
pub struct Rates {
    /// Threads.
    pub threads: usize,
    /// By width: 512 bits, 256 bits.
    pub instructions: Vec<Instructions>,
    /// Random words per second: fair ones, and those of one third.
    pub random_words_per_s: (f64, f64),
    /// The levels, the nearest first; memory is last.
    pub bandwidths: Vec<Bandwidth>,
}

/// Runs of each measurement.
const RUNS: usize = 15;

/// The resource that threads share while they are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    /// Nothing: each thread's best run counts.
    Nothing,
    /// Bandwidth: a run takes from the first begin to the last end.
    Bandwidth,
}

/// Seconds of `repeat` calls of what `make` makes on each thread, the best of
/// [`RUNS`].
fn best<F: FnMut()>(
    threads: usize,
    share: Share,
    repeat: usize,
    make: impl Fn() -> F + Sync,
) -> f64 {
    let barrier = Barrier::new(threads);
    let thread = || {
        let mut work = make();
        let mut times = Vec::new();
        for _ in 0..RUNS {
            barrier.wait();
            let start = Instant::now();
            (0..repeat).for_each(|_| work());
            times.push((start, Instant::now()));
        }
        times
    };
    let times: Vec<Vec<(Instant, Instant)>> = std::thread::scope(|scope| {
        let spawned: Vec<_> = (0..threads).map(|_| scope.spawn(thread)).collect();
        let joined = spawned.into_iter().map(|thread| thread.join());
        joined
            .map(|times| times.expect("it does not panic"))
            .collect()
    });
    if share == Share::Nothing {
        let best = times.iter().map(|times| {
            let seconds = times
                .iter()
                .map(|(start, end)| (*end - *start).as_secs_f64());
            seconds.fold(f64::MAX, f64::min)
        });
        return best.sum::<f64>() / threads as f64;
    }
    let seconds = |run: usize| {
        let start = times.iter().map(|times| times[run].0).min();
        let end = times.iter().map(|times| times[run].1).max();
        (end.expect("a thread") - start.expect("a thread")).as_secs_f64()
    };
    (0..RUNS).map(seconds).fold(f64::MAX, f64::min)
}

fn place(region: u8, plane: usize) -> Location {
    Location {
        region,
        plane: plane as u32,
    }
}

/// Table of the exclusive or of three inputs.
const XOR3: u8 = 0b1001_0110;

/// `count` functions, each of three that came long before: eight can be under way
/// at any time, and at most twelve values are alive.
fn computing(count: usize) -> StraightLine {
    let value = |at: usize, back: usize| match at.checked_sub(back) {
        Some(function) => MappedValue::Function(function as u32),
        None => MappedValue::Leaf((at + 16 - back) as u32 % 12),
    };
    StraightLine {
        leaves: (0..12).map(|plane| place(2, plane)).collect(),
        functions: (0..count)
            .map(|at| Lut {
                table: XOR3,
                inputs: [value(at, 8), value(at, 9), value(at, 11)],
            })
            .collect(),
        sinks: (0..11)
            .map(|back| {
                let last = MappedValue::Function((count - 1 - back) as u32);
                (last, place(STATE, back))
            })
            .collect(),
        ..StraightLine::default()
    }
}

/// `count` functions, each of one plane in memory and two functions before.
fn loading(count: usize) -> StraightLine {
    let value = |at: usize, back: usize| match at.checked_sub(back) {
        Some(function) => MappedValue::Function(function as u32),
        None => MappedValue::Constant(false),
    };
    StraightLine {
        leaves: (0..count).map(|plane| place(2, plane)).collect(),
        functions: (0..count)
            .map(|at| match at {
                0..9 => Lut {
                    table: 0b0011_1100,
                    inputs: [
                        MappedValue::Leaf(at as u32),
                        MappedValue::Leaf((at + 9) as u32),
                        MappedValue::Constant(false),
                    ],
                },
                _ => Lut {
                    table: XOR3,
                    inputs: [value(at, 8), value(at, 9), MappedValue::Leaf(at as u32)],
                },
            })
            .collect(),
        sinks: (0..9)
            .map(|back| {
                let last = MappedValue::Function((count - 1 - back) as u32);
                (last, place(STATE, back))
            })
            .collect(),
        ..StraightLine::default()
    }
}

/// `count` stores of eight values.
fn storing(count: usize) -> StraightLine {
    StraightLine {
        leaves: (0..8).map(|plane| place(2, plane)).collect(),
        functions: Vec::new(),
        sinks: (0..count)
            .map(|plane| (MappedValue::Leaf(plane as u32 % 8), place(NEXT, plane)))
            .collect(),
        ..StraightLine::default()
    }
}

/// Memory for a program.
struct Memory {
    written: [Planes; 2],
    read: Vec<Planes>,
    scratch: Planes,
}

impl Memory {
    fn new(native: &Native) -> Memory {
        let extents = native.extents();
        let planes = |&words: &u32| {
            let mut planes = Planes::new(words as usize);
            let words = planes.words_mut().iter_mut();
            (0..)
                .zip(words)
                .for_each(|(at, word)| *word = random::splitmix(at));
            planes
        };
        Memory {
            written: [planes(&extents[0]), planes(&extents[1])],
            // Guards ask for nothing where there are zeros, so that all of the code is run.
            read: (2..)
                .zip(&extents[2..])
                .map(|(region, words)| match region {
                    REGION_RANDOM => Planes::new(*words as usize),
                    _ => planes(words),
                })
                .collect(),
            scratch: Planes::new(native.scratch_words()),
        }
    }

    fn run(&mut self, native: &Native) {
        let [state, next] = &mut self.written;
        let read = self.read.iter().map(Planes::words);
        let scratch = self.scratch.words_mut();
        let is_whole = native.run(state.words_mut(), next.words_mut(), read, scratch);
        assert!(is_whole, "no guard asks for anything");
    }
}

/// Seconds of one call of a program, its memory in L1 when it fits, on every thread.
pub fn call_seconds(native: &Native, threads: usize) -> f64 {
    let counts = native.counts();
    let repeat = 2_000_000 / (counts.total() + 100) + 1;
    let seconds = best(threads, Share::Nothing, repeat, || {
        let mut memory = Memory::new(native);
        move || memory.run(native)
    });
    seconds / repeat as f64
}

fn instructions(isa: Isa, words: usize, threads: usize) -> Instructions {
    let passes = 1 + usize::from(isa == Isa::Avx2 && words == 8);
    let rate = |long: &StraightLine, short: &StraightLine, count: &dyn Fn(&Native) -> usize| {
        let options = NativeOptions::new(isa, words);
        let make = |straight| Native::new(straight, options).expect("it is available");
        let (long, short) = (make(long), make(short));
        let more = (count(&long) - count(&short)) * passes * threads;
        more as f64 / (call_seconds(&long, threads) - call_seconds(&short, threads))
    };
    Instructions {
        bits: 64 * words / passes,
        compute_per_s: rate(&computing(3000), &computing(1000), &|native| {
            native.counts().compute
        }),
        loads_per_s: rate(&loading(320), &loading(64), &|native| {
            native.counts().loads + native.counts().folded
        }),
        stores_per_s: rate(&storing(320), &storing(64), &|native| {
            native.counts().stores
        }),
    }
}

/// Draws as many words as the kernel does for a group, and adds them up.
struct Draw {
    third: bool,
    groups: u64,
}

impl pulp::NullaryFnOnce for Draw {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        let mut sum = [0; 8];
        for group in 0..self.groups {
            let groups = [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| 8 * group + lane);
            let words = match self.third {
                true => random::third_words([7; 8], groups),
                false => groups.map(|group| random::word(7, group)),
            };
            for (sum, word) in sum.iter_mut().zip(words) {
                *sum ^= word;
            }
        }
        sum.iter().fold(0, |all, sum| all ^ sum)
    }
}

fn random_words(third: bool, threads: usize) -> f64 {
    let groups = 4096;
    let repeat = if third { 16 } else { 256 };
    let seconds = best(threads, Share::Nothing, repeat, || {
        move || {
            let draw = Draw { third, groups };
            std::hint::black_box(Arch::new().dispatch(std::hint::black_box(draw)));
        }
    });
    (8 * groups as usize * repeat * threads) as f64 / seconds
}

/// The accesses of a loop to memory.
enum Loop<'a> {
    Read(&'a [u64]),
    Write(&'a mut [u64]),
    Update(&'a mut [u64]),
    Triad(&'a [u64], &'a [u64], &'a mut [u64]),
}

impl WithSimd for Loop<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let value = simd.splat_u64s(std::hint::black_box(0x0123_4567_89ab_cdef));
        match self {
            Loop::Read(words) => {
                let mut sums = [value; 8];
                for vectors in S::as_simd_u64s(words).0.chunks_exact(8) {
                    for (sum, vector) in sums.iter_mut().zip(vectors) {
                        *sum = simd.xor_u64s(*sum, *vector);
                    }
                }
                let sum = sums.into_iter().fold(value, |a, b| simd.xor_u64s(a, b));
                std::hint::black_box(sum);
            }
            Loop::Write(words) => {
                for vectors in S::as_mut_simd_u64s(words).0.chunks_exact_mut(8) {
                    vectors.iter_mut().for_each(|vector| *vector = value);
                }
            }
            Loop::Update(words) => {
                for vectors in S::as_mut_simd_u64s(words).0.chunks_exact_mut(8) {
                    for vector in vectors {
                        *vector = simd.xor_u64s(*vector, value);
                    }
                }
            }
            Loop::Triad(first, second, target) => {
                let (first, _) = S::as_simd_u64s(first);
                let (second, _) = S::as_simd_u64s(second);
                let (target, _) = S::as_mut_simd_u64s(target);
                for ((a, b), c) in first.iter().zip(second).zip(target) {
                    *c = simd.xor_u64s(*a, *b);
                }
            }
        }
    }
}

/// Bytes that one call of a streaming program writes.
const STREAM_BYTES: usize = 64 * 64;

/// A whole number of what the loops take, in three parts.
const UNIT_BYTES: usize = 3 * STREAM_BYTES;

fn bandwidth(level: &str, capacity: usize, shared: bool, isa: Isa, threads: usize) -> Bandwidth {
    // Half of it: other things need room too. Memory is what fits nowhere else.
    let bytes = match (level, shared) {
        ("memory", _) => (256 << 20) / threads,
        (_, true) => capacity / 2 / threads,
        _ => capacity / 2,
    };
    let bytes = (bytes / UNIT_BYTES).max(1) * UNIT_BYTES;
    let repeat = ((64 << 20) / bytes).max(1);
    let share = if shared {
        Share::Bandwidth
    } else {
        Share::Nothing
    };
    let arch = Arch::new();
    let planes = || {
        let mut planes = Planes::new(bytes / 8);
        planes.words_mut().fill(1);
        planes
    };
    let rate = |bytes: usize, seconds: f64| (bytes * repeat * threads) as f64 / seconds;
    let read = best(threads, share, repeat, || {
        let planes = planes();
        move || {
            arch.dispatch(Loop::Read(std::hint::black_box(planes.words())));
        }
    });
    let write = best(threads, share, repeat, || {
        let mut planes = planes();
        move || {
            arch.dispatch(Loop::Write(planes.words_mut()));
            std::hint::black_box(planes.words_mut());
        }
    });
    let update = best(threads, share, repeat, || {
        let mut planes = planes();
        move || {
            arch.dispatch(Loop::Update(planes.words_mut()));
            std::hint::black_box(planes.words_mut());
        }
    });
    let triad = best(threads, share, repeat, || {
        let mut planes = planes();
        move || {
            let third = bytes / 24;
            let (read, target) = planes.words_mut().split_at_mut(2 * third);
            let (first, second) = read.split_at(third);
            arch.dispatch(Loop::Triad(first, second, target));
            std::hint::black_box(planes.words_mut());
        }
    });
    let options = NativeOptions {
        streaming: true,
        ..NativeOptions::new(isa, 8)
    };
    let native = Native::new(&storing(STREAM_BYTES / 64), options).expect("it is available");
    let stream = best(threads, share, repeat, || {
        let mut planes = planes();
        let (native, inputs) = (&native, Planes::new(64));
        move || {
            for next in planes.words_mut().chunks_exact_mut(STREAM_BYTES / 8) {
                native.run(&mut [], next, [inputs.words()], &mut []);
            }
        }
    });
    Bandwidth {
        level: level.to_owned(),
        capacity,
        shared,
        working_set: bytes,
        read: rate(bytes, read),
        write: rate(bytes, write),
        stream: rate(bytes, stream),
        update: rate(bytes, update),
        triad: rate(bytes / 3, triad),
    }
}

impl Rates {
    /// Measures the machine; takes some seconds.
    pub fn measure(machine: &Machine, isa: Isa, threads: usize) -> Rates {
        let widths: &[usize] = match isa {
            Isa::Avx512 => &[8, 4],
            Isa::Avx2 => &[8],
        };
        let caches = machine.caches.iter().map(|cache| {
            let level = format!("L{}", cache.level);
            bandwidth(&level, cache.bytes, cache.shared, isa, threads)
        });
        let memory = bandwidth("memory", machine.memory_bytes, true, isa, threads);
        Rates {
            threads,
            instructions: widths
                .iter()
                .map(|&words| instructions(isa, words, threads))
                .collect(),
            random_words_per_s: (random_words(false, threads), random_words(true, threads)),
            bandwidths: caches.chain([memory]).collect(),
        }
    }

    /// The rates of registers that hold a lane word of a width, or half of it.
    pub fn of_width(&self, words: usize) -> &Instructions {
        let wide = &self.instructions[0];
        let fits = |at: &&Instructions| at.bits <= 256.max(64 * words);
        self.instructions.iter().find(fits).unwrap_or(wide)
    }

    /// The nearest level that holds the bytes of all threads.
    pub fn level(&self, bytes: usize) -> &Bandwidth {
        let fits = |level: &&Bandwidth| {
            let each = if level.shared {
                bytes
            } else {
                bytes / self.threads
            };
            each <= level.capacity
        };
        let last = &self.bandwidths[self.bandwidths.len() - 1];
        self.bandwidths.iter().find(fits).unwrap_or(last)
    }
}
