use super::*;
use crate::chip::Model;
use crate::chip::fat_tree_router::{self, FatTreeRouter};
use crate::experiment::config::Config;
use crate::experiment::run::{self, Replicate};

fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

fn options(winner_fixed: bool, symmetry: Symmetry) -> Options {
    Options {
        winner_fixed,
        symmetry,
    }
}

/// Lemma 1, times 6 (n - 1)^3: integers only.
fn lemma_1(levels: u32) -> BigRational {
    let (lg, n) = (i64::from(levels), 1_i64 << levels);
    ratio(n * n * (3 * lg - 4) + 4, 6 * (n - 1).pow(3))
}

/// Equation (2).
fn equation_2(k: u32, i: u32, j: u32) -> BigRational {
    let (numerator, exponent) = match () {
        () if i == k && j < k => (j + 2, k + 1),
        () if j == k && i < k => (i + 2, k + 1),
        () if i == j && i > k => (k + 2, i + 1),
        () => (0, 0),
    };
    ratio(i64::from(numerator), 1 << exponent)
}

/// Means that other programs can be held to.
#[test]
fn means_of_small_trees() {
    for (levels, messages, mean) in [
        (2, 2, ratio(11, 9)),
        (2, 3, ratio(44, 27)),
        (2, 4, ratio(55, 27)),
        (3, 2, ratio(397, 343)),
        (3, 3, ratio(6901, 4802)),
    ] {
        let found = mean_rounds(levels, messages, options(false, Symmetry::Tree));
        assert_eq!(found, mean, "{levels} levels, {messages} messages");
    }
}

#[test]
fn two_messages_collide_as_lemma_1_says() {
    for winner_fixed in [false, true] {
        for levels in 1..=3 {
            let found = pair_collision(levels, options(winner_fixed, Symmetry::Source));
            assert_eq!(found, lemma_1(levels), "{levels} levels");
        }
    }
    for levels in 4..=5 {
        let found = pair_collision(levels, options(false, Symmetry::Tree));
        assert_eq!(found, lemma_1(levels), "{levels} levels");
    }
    assert_eq!(
        pair_collision(1, options(false, Symmetry::None)),
        ratio(0, 1)
    );
}

#[test]
fn blocks_are_those_of_equation_2() {
    for levels in 1..=4 {
        let symmetry = match levels {
            1..=3 => Symmetry::Source,
            _ => Symmetry::Tree,
        };
        let blocks = block_collisions(levels, options(false, symmetry));
        assert_eq!(blocks.len(), levels.pow(3) as usize);
        for Block {
            k,
            i,
            j,
            probability,
        } in blocks
        {
            assert_eq!(probability, equation_2(k, i, j), "k {k}, i {i}, j {j}");
        }
    }
}

/// The lemma's proof fixes the first source; exchanges of subtrees save more.
#[test]
fn symmetry_changes_nothing() {
    for winner_fixed in [false, true] {
        let [all, source, tree] = [Symmetry::None, Symmetry::Source, Symmetry::Tree]
            .map(|symmetry| options(winner_fixed, symmetry));
        for levels in [2, 3] {
            let expected = block_collisions(levels, all);
            assert_eq!(block_collisions(levels, source), expected);
            assert_eq!(block_collisions(levels, tree), expected);
        }
        for (levels, messages) in [(1, 1), (1, 2), (2, 2), (2, 3), (2, 4), (3, 2)] {
            let expected = mean_rounds(levels, messages, all);
            assert_eq!(mean_rounds(levels, messages, source), expected);
            assert_eq!(mean_rounds(levels, messages, tree), expected);
        }
    }
}

/// With two messages a collision costs one round more and no other can follow.
#[test]
fn two_messages_take_one_round_and_one_for_a_collision() {
    for levels in 1..=4 {
        let options = options(false, Symmetry::Tree);
        let rounds = mean_rounds(levels, 2, options);
        assert_eq!(rounds, pair_collision(levels, options) + BigRational::one());
    }
}

/// All to one node: the one that passes is as likely to be any of those that meet.
#[test]
fn winners_of_three_are_even() {
    let mut rounds = Rounds::new(&fat_tree(2, false).fabric());
    // From above, both ports; node 1 turns at the router of node 0.
    let weights = rounds.rejected(&[(1, 0), (2, 0), (3, 0)]);
    let of = |rejected: usize| BigRational::new(weights[rejected].into(), CERTAIN.into());
    // Nodes 2 and 3 share a router and come by c and d at level 0, a clock pair after
    // node 1 has gone: its circuit is held, and both are rejected.
    assert_eq!(of(0b110), ratio(1, 1));
    // The same with the two from above alone.
    let weights = rounds.rejected(&[(2, 0), (3, 0)]);
    assert_eq!(weights, [0, CERTAIN / 2, CERTAIN / 2, 0]);
}

/// In a round all heads of a level come at once, so those that turn come before those from
/// above, and only c and d are ever tied. Which of two messages came by c is a fair choice
/// made on the way up: the fixed order is as fair as a random one.
#[test]
fn the_rule_for_winners_makes_no_difference_in_a_round() {
    let [mut fixed, mut random] = [true, false].map(|rule| {
        let rounds = Rounds::new(&fat_tree(3, rule).fabric());
        for pins in &rounds.router_pins {
            let pin = FatTreeRouter::pin(pins, fat_tree_router::PORT_WINNER_FIXED);
            assert_eq!(pin, u64::from(rule));
        }
        rounds
    });
    let mut places = crate::random::generator(1, 1);
    let mut below = |bound| crate::random::below(&mut places, bound) as u32;
    for _ in 0..100 {
        let mut nodes: Vec<u32> = (0..8).collect();
        let messages: Vec<Pair> = (0..4)
            .map(|_| {
                let source = nodes.swap_remove(below(nodes.len() as u64) as usize);
                (source, source ^ (1 + below(7)))
            })
            .collect();
        assert_eq!(
            fixed.rejected(&messages),
            random.rejected(&messages),
            "{messages:?}"
        );
    }
}

/// The mean over replicates of the simulator, within four standard errors.
#[test]
fn the_simulator_takes_as_many_rounds_on_average() {
    const REPLICATES: u32 = 600;
    for winner in ["random", "fixed"] {
        for messages in [2, 3, 4] {
            let text = format!(
                "[network]\nkind='fat-tree'\nnodes=4\n[router]\nwinner='{winner}'\n\
                 [traffic]\npattern='random'\nmessages={messages}\nwords=12\n\
                 [retry]\nstrategy='rounds'\n[run]\nseed=7\nreplicates={REPLICATES}\n\
                 engine='event'\n"
            );
            let folder = std::path::Path::new(".");
            let config = Config::parse(&text, "test", folder, &[]).expect("legal");
            let network = run::network(&config);
            let fabric = network.fabric();
            let (mut sum, mut squares) = (0.0, 0.0);
            for index in 0..REPLICATES {
                let Replicate { seed, workload } = Replicate::new(&config, index).expect("legal");
                let outcome = run::replicate(&config, &network, &fabric, &workload, seed, &mut ());
                let rounds = outcome.expect("runs").rounds as f64;
                sum += rounds;
                squares += rounds * rounds;
            }
            let count = f64::from(REPLICATES);
            let mean = sum / count;
            let stderr = ((squares / count - mean * mean) / (count - 1.0)).sqrt();
            let exact = mean_rounds(2, messages, options(winner == "fixed", Symmetry::Tree));
            let exact = num_traits::ToPrimitive::to_f64(&exact).expect("finite");
            assert!(
                (mean - exact).abs() <= 4.0 * stderr,
                "{messages} messages, {winner}: {mean} +- {stderr}, exactly {exact}"
            );
        }
    }
}
