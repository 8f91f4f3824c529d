use super::*;

/// Bits of a number, the lowest first.
fn bits(node: u32, count: usize) -> Vec<bool> {
    (0..count).map(|bit| node >> bit & 1 == 1).collect()
}

fn number(bits: &[bool]) -> u32 {
    let bits = bits.iter().enumerate();
    bits.map(|(bit, &set)| u32::from(set) << bit).sum()
}

/// The coordinates of a node, one by one as nodes are counted.
fn coordinates(node: u32, axes: &[u32]) -> Vec<u32> {
    let mut at = vec![0; axes.len()];
    for _ in 0..node {
        for (axis, coordinate) in at.iter_mut().enumerate() {
            *coordinate += 1;
            if *coordinate < axes[axis] {
                break;
            }
            *coordinate = 0;
        }
    }
    at
}

/// The node whose coordinates are given.
fn node(at: &[u32], axes: &[u32]) -> u32 {
    let nodes: u32 = axes.iter().product();
    let same = |&node: &u32| coordinates(node, axes) == at;
    (0..nodes).find(same).expect("a node of the grid")
}

#[test]
fn permutations_of_bits_are_their_definitions() {
    for b in 1..=6 {
        for source in 0..1 << b {
            let from = bits(source, b);
            let image = |permutation: Permutation| permutation.image(source, &[1 << b]);
            let by_bits =
                |bit: &dyn Fn(usize) -> bool| number(&(0..b).map(bit).collect::<Vec<_>>());
            let reversed = by_bits(&|i| from[b - 1 - i]);
            assert_eq!(
                image(Permutation::BitReversal),
                reversed,
                "{source} of {b} bits"
            );
            let complement = by_bits(&|i| !from[i]);
            assert_eq!(image(Permutation::BitComplement), complement);
            let shuffled = by_bits(&|i| from[(i + b - 1) % b]);
            assert_eq!(
                image(Permutation::Shuffle),
                shuffled,
                "{source} of {b} bits"
            );
            if b % 2 == 0 {
                let transposed = by_bits(&|i| from[(i + b / 2) % b]);
                assert_eq!(image(Permutation::Transpose), transposed);
            }
        }
    }
}

#[test]
fn permutations_of_coordinates_are_their_definitions() {
    let grids: [&[u32]; 9] = [
        &[2],
        &[7],
        &[8],
        &[4, 4],
        &[5, 5],
        &[3, 4],
        &[2, 5],
        &[3, 3, 2],
        &[4, 3, 5],
    ];
    for axes in grids {
        let nodes: u32 = axes.iter().product();
        for source in 0..nodes {
            let at = coordinates(source, axes);
            let moved = |distance: &dyn Fn(u32) -> u32| {
                let along = at.iter().zip(axes);
                let along = along.map(|(&x, &k)| (x + distance(k)) % k);
                node(&along.collect::<Vec<u32>>(), axes)
            };
            let image = |permutation: Permutation| permutation.image(source, axes);
            assert_eq!(
                image(Permutation::Neighbour),
                moved(&|_| 1),
                "{source} of {axes:?}"
            );
            // The largest distance that is less than half the way round.
            let half = |k: u32| (0..k).filter(|d| 2 * d < k).max().expect("0 is less");
            assert_eq!(
                image(Permutation::Tornado),
                moved(&half),
                "{source} of {axes:?}"
            );
            let mut swapped = at.clone();
            if axes.len() > 1 {
                swapped.swap(0, 1);
                match axes[0] == axes[1] {
                    true => assert_eq!(image(Permutation::Transpose), node(&swapped, axes)),
                    false => assert!(Permutation::Transpose.fault("pattern", axes).is_some()),
                }
            }
        }
    }
    // A square of a power of two has the same transpose by coordinates as by bits.
    for source in 0..64 {
        let images = [&[64][..], &[8, 8]].map(|axes| Permutation::Transpose.image(source, axes));
        assert_eq!(images[0], images[1]);
    }
}

#[test]
fn permutations_are_permutations() {
    let grids: [&[u32]; 7] = [&[2], &[4], &[16], &[256], &[4, 4], &[3, 3], &[8, 8, 2]];
    for axes in grids {
        let nodes: u32 = axes.iter().product();
        let shift = Permutation::CyclicShift { shift: nodes - 1 };
        let all = Permutation::PLAIN.into_iter().chain([shift]);
        let fitting: Vec<Permutation> = all
            .filter(|one| one.fault("pattern", axes).is_none())
            .collect();
        assert!(fitting.len() >= 3);
        for permutation in fitting {
            let mut images: Vec<u32> = (0..nodes).map(|i| permutation.image(i, axes)).collect();
            images.sort_unstable();
            assert!(
                images.into_iter().eq(0..nodes),
                "{permutation:?} of {axes:?}"
            );
        }
    }
}
