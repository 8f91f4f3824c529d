use super::*;

#[test]
fn closed_form_is_the_sum_over_the_matrix() {
    for levels in 1..=LEVELS_MAX {
        assert_eq!(pair_probability(levels), pair_probability_sum(levels));
    }
}

#[test]
fn bounds_hold_from_two_levels_on() {
    for levels in 2..=LEVELS_MAX {
        let exact = pair_probability(levels);
        assert!(pair_probability_lower(levels) <= exact, "{levels} levels");
        assert!(exact <= pair_probability_upper(levels), "{levels} levels");
    }
    assert!(pair_probability(1).is_zero());
    assert_eq!(pair_probability_lower(1), ratio(1, 6));
}

/// The cases that section 4 proves one by one.
#[test]
fn zeros_of_the_matrix() {
    for k in 0..8 {
        for i in 0..8 {
            for j in 0..8 {
                let some = (i == k && j < k) || (j == k && i < k) || (i == j && i > k);
                assert_eq!(block_probability(k, i, j).is_zero(), !some, "{k} {i} {j}");
                assert_eq!(block_probability(k, i, j), block_probability(k, j, i));
            }
        }
    }
}

#[test]
fn bins_of_both_readings() {
    let rows = [
        (1, Some(4), None),
        (2, Some(4), Some(5)),
        (4, Some(8), Some(10)),
        (6, Some(21), Some(26)),
        (20, Some(104_857), Some(112_347)),
    ];
    for (levels, floor, reciprocal) in rows {
        assert_eq!(bins(levels, Bins::Floor), floor);
        assert_eq!(bins(levels, Bins::Reciprocal), reciprocal);
    }
    for levels in 2..=LEVELS_MAX {
        assert!(bins(levels, Bins::Floor) <= bins(levels, Bins::Reciprocal));
    }
    assert_eq!(phase_boundary_messages(16), 8192.0);
}

/// True when two messages collide whose routers of level v send them up port bit v of `up`.
/// Routers of level v stand in nodes of 2^v; a router's index in its node is the ports taken
/// below it, and on the way down the same bits fall away again.
fn collide(route: [(u32, u32); 2], up: [u32; 2], levels: u32) -> bool {
    let turn = route.map(|(from, to)| u32::BITS - 1 - (from ^ to).leading_zeros());
    let low = |bits: u32, count: u32| bits & ((1 << count) - 1);
    let mut up = up;
    for level in 0..turn[0].min(turn[1]) {
        let same_node = route[0].0 >> (level + 1) == route[1].0 >> (level + 1);
        if same_node && low(up[0], level) == low(up[1], level) {
            // Message 1 takes its port, and message 2 the other.
            up[1] = up[1] & !(1 << level) | (!up[0] & (1 << level));
        }
    }
    (0..levels).any(|level| {
        level <= turn[0].min(turn[1])
            && route[0].1 >> level == route[1].1 >> level
            && low(up[0], level) == low(up[1], level)
    })
}

/// The share of colliding choices of ports, for one pair of routes.
fn collisions(route: [(u32, u32); 2], levels: u32) -> u64 {
    let ports = 1 << (levels - 1);
    let choices = (0..ports).flat_map(|first| (0..ports).map(move |second| [first, second]));
    choices
        .filter(|&up| collide(route, up, levels))
        .count()
        .try_into()
        .expect("few choices")
}

/// Every pair of routes and every choice of ports, in trees of 2 to 16 nodes: Lemma 1 and
/// every entry of equation 2, without either.
#[test]
fn counted_in_small_trees() {
    for levels in 1..=4 {
        let nodes = 1u32 << levels;
        let choices = BigInt::one() << (2 * (levels - 1));
        let size = levels as usize;
        let mut blocks = vec![0u64; size * size * size];
        let subtree = |distance: u32| distance.ilog2() as usize;
        for to in 1..nodes {
            for other in 1..nodes {
                for other_to in (0..nodes).filter(|&node| node != other) {
                    let block = (subtree(other) * size + subtree(to)) * size;
                    blocks[block + subtree(other_to ^ other)] +=
                        collisions([(0, to), (other, other_to)], levels);
                }
            }
        }
        let total: u64 = blocks.iter().sum();
        let trials = cube(BigInt::from(nodes - 1)) * &choices;
        assert_eq!(
            BigRational::from_integer(total.into()) / trials,
            pair_probability(levels)
        );
        for (at, &count) in (0..).zip(&blocks) {
            let (k, i, j) = (at / levels / levels, at / levels % levels, at % levels);
            let trials = (BigInt::one() << (k + i + j)) * &choices;
            assert_eq!(
                BigRational::new(count.into(), trials),
                block_probability(k, i, j),
                "{levels} levels, block {k} {i} {j}"
            );
        }
    }
}
