//! Code that draws, that ends at a guard, and that is called where it has been checked.

use super::*;
use crate::straight::Draw;
use crosswave_base::random;

/// The instruction sets of this machine that draw and have guards.
fn drawing() -> Vec<Isa> {
    let mut isas = available();
    isas.retain(|isa| isa.draws() && isa.guards());
    isas
}

/// A random word as a function of its counter, with any factors.
pub(super) fn mixed(counter: u64, factors: [u64; 2]) -> u64 {
    let [first, second, last] = random::SPLITMIX_SHIFTS;
    let counter = (counter ^ counter >> first).wrapping_mul(factors[0]);
    let counter = (counter ^ counter >> second).wrapping_mul(factors[1]);
    counter ^ counter >> last
}

fn place(region: u8, plane: u32) -> Location {
    Location { region, plane }
}

/// Makes every other input of a random program one that is drawn.
fn draw(mut straight: StraightLine, seed: u64) -> StraightLine {
    let mut numbers = Numbers(splitmix(!seed));
    for (number, leaf) in (0..).zip(&straight.leaves) {
        if leaf.region != STATE && numbers.below(2) == 0 {
            let draw = Draw {
                keys: place(3, 60 + numbers.below(4) as u32),
                counters: place(4, 60),
                factors: [place(2, 60), place(2, 61)],
                mask: place(2, 62),
            };
            straight.draws.insert(number, draw);
        }
    }
    straight
}

#[test]
fn leaves_that_are_drawn() {
    for seed in 0..300 {
        let straight = draw(random_program(seed), seed);
        assert_runs_of(&straight, seed, &[1, 2, 4, 8], &drawing());
    }
}

#[test]
fn what_is_drawn_is_the_random_word_of_the_group() {
    let straight = StraightLine {
        leaves: vec![place(2, 0)],
        draws: [(
            0,
            Draw {
                keys: place(2, 0),
                counters: place(2, 1),
                factors: [place(2, 2), place(2, 3)],
                mask: place(2, 4),
            },
        )]
        .into(),
        sinks: vec![(MappedValue::Leaf(0), place(NEXT, 0))],
        ..StraightLine::default()
    };
    let key = random::key(5, 6, 7);
    for isa in drawing() {
        for words in [1, 2, 4, 8] {
            let native = Native::new(&straight, NativeOptions::new(isa, words)).unwrap();
            for mask in [u64::MAX, 0, 0xf0f0] {
                let group = |word| 30 + word as u64;
                let counters = (0..words).map(|word| random::counter(group(word)));
                let mut planes = vec![key; words];
                planes.extend(counters);
                for value in [
                    random::SPLITMIX_FACTORS[0],
                    random::SPLITMIX_FACTORS[1],
                    mask,
                ] {
                    planes.extend(std::iter::repeat_n(value, words));
                }
                let mut next = vec![0; words];
                let mut scratch = vec![0; native.scratch_words()];
                assert!(native.run(&mut [], &mut next, [&planes[..]], &mut scratch));
                let words = (0..words).map(|word| random::word(key, group(word)) & mask);
                assert_eq!(next, words.collect::<Vec<u64>>(), "{isa:?}");
            }
        }
    }
}

/// Random programs with a value as guard: of one that is 0 all is written, of another nothing.
#[test]
fn nothing_is_written_unless_the_guard_is_zero() {
    let (mut ended, mut written) = (0, 0);
    for seed in 0..300 {
        let mut straight = random_program(seed);
        let mut numbers = Numbers(splitmix(seed ^ 77));
        let functions = straight.functions.len();
        let value = match numbers.below(4) {
            _ if functions == 0 => MappedValue::Leaf(0),
            0 => MappedValue::Leaf(numbers.below(straight.leaves.len()) as u32),
            1 => MappedValue::Constant(numbers.below(2) == 0),
            _ => MappedValue::Function(numbers.below(functions) as u32),
        };
        // A plane that says where the value is asked for: zeros, a bit, or all.
        straight.hold(value, place(5, 0));
        for isa in drawing() {
            for words in [1, 2, 4, 8] {
                let native = Native::new(&straight, NativeOptions::new(isa, words)).unwrap();
                let random = Numbers(seed).words(100 * words);
                let bit = numbers.below(64 * words);
                let mut asked = vec![0; words];
                match numbers.below(3) {
                    0 => {}
                    1 => asked[bit / 64] = 1 << (bit % 64),
                    _ => asked.fill(u64::MAX),
                }
                let read = [&random[..], &random[..], &random[..], &asked[..]];
                let (mut state, mut next) = (random.clone(), random.clone());
                let mut scratch = vec![0; native.scratch_words()];
                let expected = expected(&straight, words, &state, &next, &read);
                let is_written = native.run(&mut state, &mut next, read, &mut scratch);
                assert!((state, next) == expected, "{isa:?}, {words} words, {seed}");
                *(if is_written { &mut written } else { &mut ended }) += 1;
            }
        }
    }
    let counts = (ended, written);
    assert!(
        drawing().is_empty() || ended > 200 && written > 200,
        "{counts:?}"
    );
}

/// Adds planes 1 and 2 of two regions, exclusively.
fn sum() -> StraightLine {
    StraightLine {
        leaves: vec![place(2, 1), place(3, 2)],
        functions: vec![Lut {
            table: table::A ^ table::B,
            inputs: [
                MappedValue::Leaf(0),
                MappedValue::Leaf(1),
                MappedValue::Constant(false),
            ],
        }],
        sinks: vec![(MappedValue::Function(0), place(NEXT, 0))],
        ..StraightLine::default()
    }
}

#[test]
fn calls_that_have_been_checked_read_their_places() {
    for isa in available() {
        let native = Native::new(&sum(), NativeOptions::new(isa, 4)).unwrap();
        let slices = [
            Numbers(1).words(30),
            Numbers(2).words(20),
            Numbers(3).words(16),
        ];
        let mut calls = Calls::new(vec![30, 20], 3);
        let at = |slice: u32, word: u32| SlicePlace { slice, word };
        // The third place is of no region.
        let first = [at(0, 22), at(1, 8), at(0, 0)];
        let second = [at(2, 8), at(2, 4), at(1, 20)];
        for places in [first, second] {
            native.add_to(&mut calls, &places, None);
        }
        let bound = calls.bind(slices[..2].iter().map(|words| &words[..]));
        for (number, places) in [first, second].into_iter().enumerate() {
            let mut next = [0; 4];
            let mut scratch = vec![0; native.scratch_words()];
            let written = (&mut [][..], &mut next[..]);
            assert!(bound.run(number, written, (&slices[2], &mut scratch)));
            let word = |place: SlicePlace, at: usize| {
                slices[place.slice as usize][place.word as usize + at]
            };
            let expected = [0, 1, 2, 3].map(|at| word(places[0], 4 + at) ^ word(places[1], 8 + at));
            assert_eq!(next, expected, "{isa:?}");
        }
    }
}

#[test]
fn places_and_slices_that_are_too_short_are_refused() {
    let refused = |test: &dyn Fn()| {
        let test = std::panic::AssertUnwindSafe(test);
        std::panic::catch_unwind(test).is_err()
    };
    for isa in available() {
        let native = Native::new(&sum(), NativeOptions::new(isa, 4)).unwrap();
        let add = |first: u32, second: u32, count: usize| {
            let mut calls = Calls::new(vec![30, 20], count);
            let places = [(0, first), (1, second), (0, 0)];
            let places = places.map(|(slice, word)| SlicePlace { slice, word });
            native.add_to(&mut calls, &places[..count], None);
            calls
        };
        // Planes 1 and 2 of four words end at words 8 and 12.
        assert!(!refused(&|| drop(add(22, 8, 2))));
        assert!(refused(&|| drop(add(23, 8, 2))));
        assert!(refused(&|| drop(add(22, 9, 2))));
        assert!(refused(&|| drop(add(22, 8, 1))));
        let calls = add(22, 8, 2);
        let bind = |first: usize, second: usize| {
            let words = [vec![0; first], vec![0; second]];
            drop(calls.bind(words.iter().map(|words| &words[..])));
        };
        assert!(!refused(&|| bind(30, 20)));
        assert!(refused(&|| bind(29, 20)) && refused(&|| bind(30, 19)));
        let words = vec![0; 30];
        let one = || std::iter::once(&words[..]);
        assert!(refused(&|| drop(calls.bind(one()))));
        assert!(refused(&|| drop(
            calls.bind(one().chain(one()).chain(one()))
        )));
        let bound = calls.bind(one().chain(one()));
        let run = |number: usize, next: usize, last: usize| {
            let mut scratch = vec![0; native.scratch_words()];
            let written = (&mut [][..], &mut vec![0; next][..]);
            bound.run(number, written, (&vec![0; last], &mut scratch));
        };
        assert!(!refused(&|| run(0, 4, 16)));
        assert!(refused(&|| run(1, 4, 16)) && refused(&|| run(0, 3, 16)));
        let mut calls = add(22, 8, 2);
        let last = [(0, 0), (2, 8)].map(|(slice, word)| SlicePlace { slice, word });
        native.add_to(&mut calls, &last, None);
        let bound = calls.bind(one().chain(one()));
        let run = |last: usize| {
            let mut scratch = vec![0; native.scratch_words()];
            let written = (&mut [][..], &mut [0; 4][..]);
            bound.run(1, written, (&vec![0; last], &mut scratch));
        };
        assert!(!refused(&|| run(20)) && refused(&|| run(19)));
    }
}

/// The first call writes one of the slices, and the second reads it.
#[test]
fn calls_read_what_others_have_written() {
    let place = |region: u8| Location { region, plane: 0 };
    let sum = StraightLine {
        leaves: vec![place(2), place(3)],
        ..sum()
    };
    for isa in available() {
        let native = Native::new(&sum, NativeOptions::new(isa, 4)).unwrap();
        let mut calls = Calls::new(vec![4, 4, 6, 4], 2);
        let at = |slice: u32, word: u32| SlicePlace { slice, word };
        native.add_to(&mut calls, &[at(1, 0), at(2, 2)], Some([3, 0]));
        native.add_to(&mut calls, &[at(2, 0), at(0, 0)], Some([3, 1]));
        let mut slices = [[1, 2, 3, 4], [8, 8, 8, 8]];
        let (read, mut state) = ([1, 2, 16, 16, 16, 16], [0; 4]);
        let [first, second] = &mut slices;
        let mut lent = BorrowedSlices::new(&calls);
        lent.write(first);
        lent.write(second);
        lent.read(&read);
        lent.write(&mut state);
        let mut scratch = vec![0; native.scratch_words()];
        let mut run = |number: usize, written: [usize; 2]| {
            let ([state, next], others) = lent.split(written);
            assert!(others.run(number, (state, next), (&[], &mut scratch)));
        };
        run(0, [3, 0]);
        run(1, [3, 1]);
        let wrong = std::panic::AssertUnwindSafe(|| run(1, [3, 0]));
        assert!(std::panic::catch_unwind(wrong).is_err(), "not its slices");
        let expected = [[24; 4], [25, 26, 8, 8]];
        assert_eq!(slices, expected, "{isa:?}");
    }
}

#[test]
fn places_that_no_slice_has_are_refused() {
    for isa in available() {
        let native = Native::new(&sum(), NativeOptions::new(isa, 4)).unwrap();
        let refused = |(slice, word): (u32, u32), written: Option<[u32; 2]>| {
            let places = [(0, 0), (slice, word)].map(|(slice, word)| SlicePlace { slice, word });
            let add = || native.add_to(&mut Calls::new(vec![30, 20], 2), &places, written);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(add)).is_err()
        };
        assert!(!refused((1, 0), None) && !refused((2, 0), None));
        assert!(refused((3, 0), None), "a slice behind the last one");
        assert!(refused((2, u32::MAX - 3), None), "an end past 32 bits");
        assert!(!refused((1, 0), Some([2, 3])));
        assert!(refused((1, 0), Some([2, 1])), "it would read its results");
        assert!(refused((1, 0), Some([0, 2])), "it would read its state");
    }
}

#[test]
fn a_slice_is_not_lent_twice() {
    let refused = |test: &mut dyn FnMut() -> u64| {
        let test = std::panic::AssertUnwindSafe(test);
        std::panic::catch_unwind(test).is_err()
    };
    let calls = Calls::new(vec![2, 2], 0);
    let (mut written, read, short) = ([1, 2], [3, 4], [5]);
    let mut lent = BorrowedSlices::new(&calls);
    assert!(refused(&mut || {
        lent.read(&short);
        0
    }));
    lent.write(&mut written);
    lent.read(&read);
    assert!(refused(&mut || {
        lent.read(&read);
        0
    }));
    assert!(refused(&mut || lent.split([0, 0]).0[0][0]));
    assert!(refused(&mut || lent.split([1]).0[0][0]));
    assert!(refused(&mut || lent.split([2]).0[0][0]));
    assert!(refused(&mut || lent.split([0]).1.words(0)[0]));
    assert!(!refused(&mut || lent.split([0]).1.words(1)[0]));
    let ([first], others) = lent.split([0]);
    first[0] = others.words(1)[1];
    assert_eq!(written, [4, 2]);
}

#[test]
fn calls_are_not_done_before_all_slices_are_lent() {
    for isa in available() {
        let native = Native::new(&sum(), NativeOptions::new(isa, 4)).unwrap();
        let mut calls = Calls::new(vec![0, 4, 12, 12], 2);
        let places = [2, 3].map(|slice| SlicePlace { slice, word: 0 });
        native.add_to(&mut calls, &places, Some([0, 1]));
        let (mut state, mut next, read) = ([0; 1], [0; 4], [[1; 12], [2; 12]]);
        let mut lent = BorrowedSlices::new(&calls);
        lent.write(&mut state);
        lent.write(&mut next);
        lent.read(&read[0]);
        let run = |lent: &mut BorrowedSlices| {
            let ([state, next], others) = lent.split([0, 1]);
            let mut scratch = vec![0; native.scratch_words()];
            others.run(0, (state, next), (&[], &mut scratch))
        };
        let early = std::panic::AssertUnwindSafe(|| run(&mut lent));
        assert!(std::panic::catch_unwind(early).is_err());
        lent.read(&read[1]);
        assert!(run(&mut lent));
        assert_eq!(next, [3; 4], "{isa:?}");
    }
}
