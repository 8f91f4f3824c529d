use super::*;
use crosswave_base::random;

/// Numbers without order.
struct Draw {
    seed: u64,
    drawn: u64,
}

impl Draw {
    fn word(&mut self) -> u64 {
        self.drawn += 1;
        random::word(self.seed, self.drawn)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.word() % count as u64) as usize
    }
}

#[test]
fn random_functions_have_their_values_however_often_classes_are_evaluated() {
    for seed in 0..200 {
        let mut draw = Draw { seed, drawn: 0 };
        let (classes, count) = (1 + draw.below(3), 1 + draw.below(80));
        let mut functions = Functions::default();
        let mut values = vec![(Literal::ZERO, 0)];
        for _ in 0..1 + draw.below(8) {
            values.push((functions.leaf(), draw.word()));
        }
        let leaves = values.len();
        for number in 0..count {
            let class = (number * classes / count) as u32;
            let code = Code::ALL[draw.below(Code::ALL.len())];
            let inputs = [(); OPERANDS_MAX].map(|()| {
                // Mostly values that few others read yet.
                let far = if draw.below(4) == 0 { values.len() } else { 4 };
                let back = 1 + draw.below(far);
                let (literal, value) = values[values.len() - back.min(values.len())];
                let inverted = draw.below(2) == 1;
                (literal.invert_if(inverted), value ^ all(inverted))
            });
            let (literals, words) = (inputs.map(|input| input.0), inputs.map(|input| input.1));
            values.push(match draw.below(8) {
                0 => (
                    functions.function(!VARIABLES[0], &literals[..1], class),
                    !words[0],
                ),
                _ => (
                    functions.function(code.table(VARIABLES), &literals[..code.operands()], class),
                    code.compute(words),
                ),
            });
        }
        let wanted: Vec<_> = values
            .iter()
            .filter(|_| draw.below(3) == 0)
            .copied()
            .collect();
        let (operations, places) = functions.assemble(classes, wanted.iter().map(|one| one.0));

        assert_eq!(operations.classes.len(), classes);
        let mut frame: Vec<u64> = (0..operations.slots()).map(|_| draw.word()).collect();
        for (slot, &(_, word)) in values[..leaves].iter().enumerate() {
            frame[slot] = word;
        }
        for class in (0..classes).chain(0..classes).chain([0]) {
            operations.evaluate(pulp::Arch::new(), class, &mut frame, 1);
        }
        for (literal, value) in wanted {
            let SignedSlot { slot, flip } = places.of(literal);
            assert_eq!(
                frame[slot as usize] ^ flip,
                value,
                "seed {seed}, {literal:?}"
            );
        }
    }
}

/// Codes of `(a & b) | (c & !d)`, in two classes if asked for, and the slots that it reads and
/// writes.
fn sum(first_class: u32, is_product_wanted: bool) -> (Vec<Vec<Code>>, Vec<u32>) {
    let [and, or] = [VARIABLES[0] & VARIABLES[1], VARIABLES[0] | VARIABLES[1]];
    let mut functions = Functions::default();
    let [a, b, c, d] = [(); 4].map(|()| functions.leaf());
    let first = functions.function(and, &[a, b], first_class);
    let second = functions.function(and, &[c, !d], 1);
    let sum = functions.function(or, &[first, second], 1);
    let product = is_product_wanted.then_some(first);
    let (operations, _) = functions.assemble(2, [sum].into_iter().chain(product));
    let codes = |runs: &Vec<OpRange>| runs.iter().map(|run| run.code).collect();
    let codes = operations.classes.iter().map(codes).collect();
    (codes, operations.stream)
}

#[test]
fn what_one_reader_of_the_class_reads_is_joined_with_it() {
    let joined = (vec![vec![], vec![Code::AndOrAndNot]], vec![1, 2, 3, 4, 5]);
    assert_eq!(sum(1, false), joined);
    let apart = vec![1, 2, 5, 3, 4, 5, 6];
    let wanted = (vec![vec![], vec![Code::And, Code::AndNotOr]], apart.clone());
    assert_eq!(sum(1, true), wanted);
    let earlier = (vec![vec![Code::And], vec![Code::AndNotOr]], apart);
    assert_eq!(sum(0, false), earlier);
}

#[test]
fn operations_of_one_code_stand_together_and_slots_are_used_again() {
    let [and, xor] = [VARIABLES[0] & VARIABLES[1], VARIABLES[0] ^ VARIABLES[1]];
    let mut functions = Functions::default();
    let [a, b] = [(); 2].map(|()| functions.leaf());
    // A chain of parities, each read by a product that is wanted.
    let (mut parity, mut wanted) = (b, Vec::new());
    for _ in 0..6 {
        parity = functions.function(xor, &[a, parity], 0);
        wanted.push(functions.function(and, &[b, parity], 0));
    }
    let (operations, _) = functions.assemble(1, wanted.into_iter());
    let runs = &operations.classes[0];
    let codes: Vec<Code> = runs.iter().map(|run| run.code).collect();
    assert_eq!(codes, [Code::Xor, Code::And]);
    assert_eq!(operations.counts, [12]);
    // Parities are read until the products come, which have their own slots.
    assert_eq!(operations.slots(), 3 + 12);
    assert_eq!(operations.kept.iter().filter(|&&kept| !kept).count(), 6);
}
