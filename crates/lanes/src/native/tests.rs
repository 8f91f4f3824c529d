mod drawn;

use super::*;
use crate::straight::{LeafJoin, Location, Motion, NEXT, Rotation, STATE};
use crosswave_base::random::splitmix;
use crosswave_chips::netlists;
use crosswave_netlist::{Leaf, LeafSource, Library, Lut, Mapped, MappedValue, table};

/// Numbers from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (splitmix(self.0) % end as u64) as usize
    }

    fn words(&mut self, count: usize) -> Vec<u64> {
        (0..count)
            .map(|_| splitmix(self.below(usize::MAX) as u64))
            .collect()
    }
}

/// State and results that a program leaves, evaluated plainly.
fn expected(
    straight: &StraightLine,
    words: usize,
    state: &[u64],
    next: &[u64],
    read: &[&[u64]],
) -> (Vec<u64>, Vec<u64>) {
    let mut after = (state.to_vec(), next.to_vec());
    // Results of the functions in each word, function by function: words change places.
    let mut results: Vec<Vec<u64>> = vec![Vec::new(); words];
    let stored = |place: Location, word: usize| {
        let at = place.plane as usize * words + word;
        match place.region {
            STATE => state[at],
            region => read[usize::from(region) - 2][at],
        }
    };
    let leaf = |number: u32, word: usize| {
        let stored = |place: Location| stored(place, word);
        if let Some(draw) = straight.draws.get(&number) {
            let counter = stored(draw.keys).wrapping_add(stored(draw.counters));
            return drawn::mixed(counter, draw.factors.map(stored)) & stored(draw.mask);
        }
        let first = stored(straight.leaves[number as usize]);
        let Some(join) = straight.joins.get(&number) else {
            return first;
        };
        let bits = join.rotation.map_or(0, |rotation| stored(rotation.left));
        let second = stored(join.second).rotate_left(bits as u32 % 64);
        let keep = stored(join.keep);
        first & keep | second & join.other.map_or(!keep, stored)
    };
    let of = |results: &[Vec<u64>], value: MappedValue, word: usize| match value {
        MappedValue::Constant(value) => u64::from(value).wrapping_neg(),
        MappedValue::Leaf(index) => leaf(index, word),
        MappedValue::Function(index) => results[word][index as usize],
    };
    for (number, lut) in (0..).zip(&straight.functions) {
        let result = |word: usize| {
            let moved = |word| of(&results, lut.inputs[0], word);
            let by = |word| of(&results, lut.inputs[1], word);
            match straight.motions.get(&number) {
                None => {
                    table::evaluate(lut.table, lut.inputs.map(|input| of(&results, input, word)))
                }
                Some(Motion::Rotate(bits)) => moved(word).rotate_left(u32::from(*bits)),
                Some(Motion::Left(bits)) => moved(word) << bits,
                Some(Motion::Right(bits)) => moved(word) >> bits,
                Some(Motion::Words(order)) => moved(usize::from(order[word])),
                Some(Motion::RotateEach) => moved(word).rotate_left(by(word) as u32 % 64),
                Some(Motion::LeftEach) => moved(word).checked_shl(by(word) as u32).unwrap_or(0),
                Some(Motion::RightEach) => moved(word).checked_shr(by(word) as u32).unwrap_or(0),
                Some(Motion::WordsEach) => moved(by(word) as usize % 8),
            }
        };
        let result: Vec<u64> = (0..words).map(result).collect();
        for (results, result) in results.iter_mut().zip(result) {
            results.push(result);
        }
    }
    if let Some(guard) = straight.guard
        && (0..words).any(|word| of(&results, guard, word) != 0)
    {
        return after;
    }
    for word in 0..words {
        for &(value, place) in &straight.sinks {
            let region = match place.region {
                STATE => &mut after.0,
                _ => &mut after.1,
            };
            region[place.plane as usize * words + word] = of(&results, value, word);
        }
    }
    after
}

/// The instruction sets of this machine; says which ones it does not have.
fn available() -> Vec<Isa> {
    let missing = |isa: &Isa| {
        if !isa.is_available() {
            eprintln!("{isa:?} is not available on this machine, and not tested");
        }
        isa.is_available()
    };
    Isa::ALL.into_iter().filter(missing).collect()
}

/// Asserts that the code does what the program says, at all widths.
fn assert_runs(straight: &StraightLine, seed: u64) {
    assert_runs_with(straight, seed, &[1, 2, 4, 8]);
}

/// The same, at some widths.
fn assert_runs_with(straight: &StraightLine, seed: u64, widths: &[usize]) {
    assert_runs_of(straight, seed, widths, &available());
}

/// The same, with some instruction sets.
fn assert_runs_of(straight: &StraightLine, seed: u64, widths: &[usize], isas: &[Isa]) {
    let mut numbers = Numbers(seed);
    let planes = |region: u8| {
        let leaves = straight.leaves.iter().copied();
        let of_joins = straight.joins.values().flat_map(|join| {
            let numbers = join
                .rotation
                .map(|rotation| [rotation.left, rotation.right]);
            let masks = [Some(join.second), Some(join.keep), join.other];
            masks
                .into_iter()
                .flatten()
                .chain(numbers.into_iter().flatten())
        });
        let of_draws = straight.draws.values().flat_map(|draw| {
            let [first, second] = draw.factors;
            [draw.keys, draw.counters, first, second, draw.mask]
        });
        let leaves = leaves.chain(of_joins).chain(of_draws);
        let sinks = straight.sinks.iter().map(|&(_, place)| place);
        let of_region = leaves
            .chain(sinks)
            .filter(move |place| place.region == region);
        of_region
            .map(|place| place.plane as usize + 1)
            .max()
            .unwrap_or(0)
    };
    for &isa in isas {
        for &words in widths {
            let options = NativeOptions::new(isa, words);
            let native = Native::new(straight, options).unwrap();
            let extra = 8;
            let mut state = numbers.words(planes(STATE) * words + extra);
            let mut next = numbers.words(planes(NEXT) * words + extra);
            let mut read: Vec<Vec<u64>> = (2..6)
                .map(|region| numbers.words(planes(region) * words))
                .collect();
            for planes in read[usize::from(NUMBERS) - 2].chunks_exact_mut(2 * words) {
                let (left, right) = planes.split_at_mut(words);
                for (left, right) in left.iter_mut().zip(right) {
                    *left = numbers.below(65) as u64;
                    *right = 64 - *left;
                }
            }
            let read: Vec<&[u64]> = read.iter().map(Vec::as_slice).collect();
            let mut scratch = vec![0; native.scratch_words()];
            let expected = expected(straight, words, &state, &next, &read);
            native.run(&mut state, &mut next, read.iter().copied(), &mut scratch);
            assert!(state == expected.0, "state, {isa:?}, {words} words");
            assert!(next == expected.1, "results, {isa:?}, {words} words");
        }
    }
}

/// The region of the numbers of bits that words are rotated by, in even planes, and of 64 less these.
const NUMBERS: u8 = 5;

/// Makes every other input of a random program one that is put together.
fn join(mut straight: StraightLine, seed: u64) -> StraightLine {
    let mut numbers = Numbers(splitmix(!seed));
    let rotations = 1 + numbers.below(4) as u32;
    for (number, leaf) in (0..).zip(&straight.leaves) {
        if leaf.region == STATE || numbers.below(2) == 0 {
            continue;
        }
        let place = |region, plane| Location { region, plane };
        let rotation = numbers.below(rotations as usize) as u32;
        let join = LeafJoin {
            second: place(2 + numbers.below(3) as u8, numbers.below(40) as u32),
            rotation: (numbers.below(3) > 0).then(|| Rotation {
                left: place(NUMBERS, 2 * rotation),
                right: place(NUMBERS, 2 * rotation + 1),
            }),
            keep: place(2, 100 + rotation),
            other: (numbers.below(2) == 0).then(|| place(3, 100 + rotation)),
        };
        straight.joins.insert(number, join);
    }
    straight
}

/// A random program. With many sinks in the state it is full of hazards; with
/// functions that read far back it needs many registers.
fn random_program(seed: u64) -> StraightLine {
    let mut numbers = Numbers(splitmix(seed));
    let registers = 1 + numbers.below(60);
    let inputs = numbers.below(30);
    let mut straight = StraightLine::default();
    for plane in 0..registers as u32 {
        straight.leaves.push(Location {
            region: STATE,
            plane,
        });
    }
    for input in 0..inputs as u32 {
        straight.leaves.push(Location {
            region: 2 + (input % 3) as u8,
            plane: input,
        });
    }
    let leaves = straight.leaves.len();
    let near = [4, 40, 1000][numbers.below(3)];
    let count = numbers.below(300);
    let value = |numbers: &mut Numbers, functions: usize| match numbers.below(20) {
        0 => MappedValue::Constant(numbers.below(2) == 1),
        1..=8 => MappedValue::Leaf(numbers.below(leaves) as u32),
        _ if functions == 0 => MappedValue::Leaf(0),
        _ => MappedValue::Function((functions - 1 - numbers.below(near.min(functions))) as u32),
    };
    for index in 0..count {
        let inputs = [0; 3].map(|_| value(&mut numbers, index));
        straight.functions.push(Lut {
            table: numbers.below(256) as u8,
            inputs,
        });
    }
    for plane in 0..registers as u32 {
        if numbers.below(5) > 0 {
            let value = value(&mut numbers, count);
            straight.sinks.push((
                value,
                Location {
                    region: STATE,
                    plane,
                },
            ));
        }
    }
    for plane in 0..numbers.below(40) as u32 {
        let value = value(&mut numbers, count);
        straight.sinks.push((
            value,
            Location {
                region: NEXT,
                plane,
            },
        ));
    }
    straight
}

/// The program of a chip whose registers are in place.
pub(super) fn chip(name: &str, library: &Library) -> StraightLine {
    let ties = [("reset".to_owned(), 0, false)];
    let leaf = Leaf::new(netlists::plain(name).unwrap(), "clock", &ties).unwrap();
    let mapped = Mapped::new(&leaf, library);
    let leaves = (0..)
        .zip(&mapped.leaves)
        .map(|(index, source)| match source {
            LeafSource::Input { .. } => Location {
                region: 2,
                plane: index,
            },
            LeafSource::Register(register) => Location {
                region: STATE,
                plane: *register as u32,
            },
        });
    let sinks = (0..).zip(&mapped.next);
    StraightLine {
        leaves: leaves.collect(),
        sinks: sinks
            .map(|(plane, &value)| {
                (
                    value,
                    Location {
                        region: STATE,
                        plane,
                    },
                )
            })
            .collect(),
        functions: mapped.functions,
        ..StraightLine::default()
    }
}

#[test]
fn random_programs() {
    for seed in 0..300 {
        assert_runs(&random_program(seed), seed);
    }
}

#[test]
fn leaves_that_are_put_together() {
    for seed in 0..300 {
        assert_runs(&join(random_program(seed), seed), seed);
    }
}

/// Makes some of the functions of a random program such as move words. With AVX2 words change
/// places within registers of four, so that of eight words they stay where they are.
fn moved(mut straight: StraightLine, seed: u64, words: usize) -> StraightLine {
    let mut numbers = Numbers(splitmix(!seed));
    let first_number = straight.leaves.len() as u32;
    straight.leaves.extend((0..6).map(|plane| Location {
        region: NUMBERS,
        plane,
    }));
    for number in 0..straight.functions.len() as u32 {
        let bits = 1 + numbers.below(63) as u8;
        let circle = numbers.below(words) as u8;
        let order = std::array::from_fn(|word| match words {
            8 => (word as u8 + circle) % 8,
            words => (numbers.below(words) * usize::from(word < words)) as u8,
        });
        let motion = match numbers.below(20) {
            0 => Motion::Rotate(bits),
            1 => Motion::Left(bits),
            2 => Motion::Right(bits),
            3 => Motion::Words(order),
            4 => Motion::RotateEach,
            5 => Motion::LeftEach,
            6 => Motion::RightEach,
            7 if words == 8 => Motion::WordsEach,
            _ => continue,
        };
        // Zeros come in where words are shifted, so constants are not.
        let [input, left, right] = &mut straight.functions[number as usize].inputs;
        if !matches!(
            motion,
            Motion::Rotate(_) | Motion::Words(_) | Motion::WordsEach
        ) {
            *input = MappedValue::Leaf(0);
        }
        let plane = 2 * numbers.below(3) as u32;
        (*left, *right) = (
            MappedValue::Leaf(first_number + plane),
            MappedValue::Leaf(first_number + plane + 1),
        );
        straight.motions.insert(number, motion);
    }
    straight
}

#[test]
fn words_that_move() {
    for seed in 0..300 {
        let words = [1, 2, 4][seed as usize % 3];
        let straight = moved(random_program(seed), seed, words);
        assert_runs_with(&straight, seed, &[words]);
    }
    for (seed, isa) in (0..100).flat_map(|seed| available().into_iter().map(move |isa| (seed, isa)))
    {
        let mut straight = moved(random_program(seed), seed, 8);
        let in_words = |motion: &Motion| matches!(motion, Motion::Words(_) | Motion::WordsEach);
        let stays = |motion: &Motion| isa == Isa::Avx512 || !in_words(motion);
        straight.motions.retain(|_, motion| stays(motion));
        assert_runs_of(&straight, seed, &[8], &[isa]);
    }
}

#[test]
fn chips_of_functions_of_three() {
    for table in crosswave_chips::CHIPS {
        assert_runs(&chip(table.name, &Library::ternary()), 5);
    }
}

#[test]
fn chips_of_functions_of_two() {
    for table in crosswave_chips::CHIPS {
        assert_runs(&chip(table.name, &Library::pairs()), 5);
    }
}

#[test]
fn registers_that_move_in_circles() {
    let place = |plane| Location {
        region: STATE,
        plane,
    };
    for count in 2..40 {
        let straight = StraightLine {
            leaves: (0..count).map(place).collect(),
            functions: Vec::new(),
            sinks: (0..count)
                .map(|at| (MappedValue::Leaf((at + 1) % count), place(at)))
                .collect(),
            ..StraightLine::default()
        };
        assert_runs(&straight, 9);
    }
}

#[test]
fn wide_programs_spill() {
    // All functions are needed again after all have been computed.
    let count = 80;
    let mut straight = StraightLine {
        leaves: (0..count)
            .map(|plane| Location {
                region: STATE,
                plane,
            })
            .collect(),
        ..StraightLine::default()
    };
    for at in 0..count {
        let inputs = [at, (at + 7) % count, (at + 31) % count].map(MappedValue::Leaf);
        straight.functions.push(Lut {
            table: 0x96,
            inputs,
        });
    }
    for at in 0..count {
        let inputs = [at, (at * 3 + 40) % count, (at * 7 + 20) % count].map(MappedValue::Function);
        straight.functions.push(Lut {
            table: 0xca,
            inputs,
        });
        let place = Location {
            region: STATE,
            plane: at,
        };
        straight
            .sinks
            .push((MappedValue::Function(count + at), place));
    }
    assert_runs(&straight, 3);
    for isa in available() {
        let options = NativeOptions::new(isa, 8);
        let native = Native::new(&straight, options).unwrap();
        assert!(native.counts().spills > 0 && native.scratch_words() > 0);
    }
}

#[test]
fn streamed_results_are_the_same_and_need_whole_lines() {
    let inputs = [0, 1, 2].map(MappedValue::Leaf);
    let straight = StraightLine {
        leaves: (0..3).map(|plane| Location { region: 2, plane }).collect(),
        functions: vec![Lut {
            table: 0xe8,
            inputs,
        }],
        sinks: vec![(
            MappedValue::Function(0),
            Location {
                region: NEXT,
                plane: 1,
            },
        )],
        ..StraightLine::default()
    };
    let read = Numbers(1).words(24);
    for isa in available() {
        for words in [1, 2, 4, 8] {
            let options = NativeOptions {
                streaming: true,
                ..NativeOptions::new(isa, words)
            };
            let native = Native::new(&straight, options).unwrap();
            let mut planes = crate::planes::Planes::new(2 * words + 1);
            let next = planes.words_mut();
            let expected = expected(&straight, words, &[], next, &[&read]).1;
            native.run(&mut [], next, [&read[..]], &mut []);
            assert!(next == expected, "{isa:?}, {words} words");
            let shifted = std::panic::AssertUnwindSafe(|| {
                native.run(&mut [], &mut planes.words_mut()[1..], [&read[..]], &mut []);
            });
            assert!(std::panic::catch_unwind(shifted).is_err());
        }
    }
}

#[test]
fn short_slices_are_refused() {
    let straight = StraightLine {
        leaves: vec![Location {
            region: 2,
            plane: 3,
        }],
        functions: Vec::new(),
        sinks: vec![(
            MappedValue::Leaf(0),
            Location {
                region: NEXT,
                plane: 1,
            },
        )],
        ..StraightLine::default()
    };
    for isa in available() {
        let options = NativeOptions::new(isa, 4);
        let native = Native::new(&straight, options).unwrap();
        assert_eq!(native.extents(), [0, 8, 16]);
        let run = |next: usize, read: usize| {
            std::panic::catch_unwind(|| {
                native.run(&mut [], &mut vec![0; next], [&vec![0; read][..]], &mut []);
            })
        };
        assert!(run(8, 16).is_ok() && run(7, 16).is_err() && run(8, 15).is_err());
    }
}
