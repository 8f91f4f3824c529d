use super::*;
use crate::strumpen2005::enumerate::fat_tree;
use crosswave_chips::{ChipPins, fat_tree_router};
use crosswave_run::config::Config;
use crosswave_run::simulation::Simulation;

fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

fn tree(levels: u32, winner_fixed: bool) -> FatTree {
    FatTree {
        winner_fixed,
        ..fat_tree(levels)
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
        let found = mean_rounds(&fat_tree(levels), messages, Symmetry::Tree);
        assert_eq!(found, mean, "{levels} levels, {messages} messages");
    }
}

#[test]
fn two_messages_collide_as_lemma_1_says() {
    for winner_fixed in [false, true] {
        for levels in 1..=3 {
            let found = pair_collision(&tree(levels, winner_fixed), Symmetry::Source);
            assert_eq!(found, lemma_1(levels), "{levels} levels");
        }
    }
    for levels in 4..=5 {
        let found = pair_collision(&fat_tree(levels), Symmetry::Tree);
        assert_eq!(found, lemma_1(levels), "{levels} levels");
    }
    assert_eq!(pair_collision(&fat_tree(1), Symmetry::None), ratio(0, 1));
}

#[test]
fn blocks_are_those_of_equation_2() {
    for levels in 1..=4 {
        let symmetry = match levels {
            1..=3 => Symmetry::Source,
            _ => Symmetry::Tree,
        };
        let blocks = block_collisions(&fat_tree(levels), symmetry);
        assert_eq!(blocks.len(), levels.pow(3) as usize);
        for BlockProbability {
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

/// The lemma's proof fixes the first source; exchanges of subtrees save more. That holds in
/// leaner trees too.
#[test]
fn symmetry_changes_nothing() {
    let lean = |levels: u32| FatTree {
        capacities: [1, 2, 2][..levels as usize].to_vec(),
        ..fat_tree(levels)
    };
    let trees = |levels| [tree(levels, false), tree(levels, true), lean(levels)];
    let [all, source, exchanged] = [Symmetry::None, Symmetry::Source, Symmetry::Tree];
    for levels in [2, 3] {
        for tree in trees(levels) {
            let expected = block_collisions(&tree, all);
            assert_eq!(block_collisions(&tree, source), expected);
            assert_eq!(block_collisions(&tree, exchanged), expected);
        }
    }
    for (levels, messages) in [(1, 1), (1, 2), (2, 2), (2, 3), (2, 4), (3, 2)] {
        for tree in trees(levels) {
            let expected = mean_rounds(&tree, messages, all);
            assert_eq!(mean_rounds(&tree, messages, source), expected);
            assert_eq!(mean_rounds(&tree, messages, exchanged), expected);
        }
    }
}

/// By hand: in a tree of four nodes with one link into each half, two messages that leave one
/// half meet on it, two that enter one half meet as well, and so do two to one node that do
/// neither together.
#[test]
fn a_tree_of_single_links_collides_as_counted_by_hand() {
    let tree = FatTree {
        capacities: vec![1, 1],
        ..fat_tree(2)
    };
    let (mut collided, mut all) = (0, 0);
    for second in 1..4_u32 {
        for (first_to, second_to) in [1, 2, 3]
            .map(|to| (0..4).map(move |other| (to, other)))
            .into_iter()
            .flatten()
        {
            if second_to == second {
                continue;
            }
            let crosses = |from: u32, to: u32| from / 2 != to / 2;
            let [one, two] = [(0, first_to), (second, second_to)];
            let both = crosses(one.0, one.1) && crosses(two.0, two.1);
            let meet = one.1 == two.1 || both && (one.0 / 2 == two.0 / 2 || one.1 / 2 == two.1 / 2);
            collided += i64::from(meet);
            all += 1;
        }
    }
    assert_eq!(pair_collision(&tree, Symmetry::None), ratio(collided, all));
}

/// With two messages a collision costs one round more and no other can follow.
#[test]
fn two_messages_take_one_round_and_one_for_a_collision() {
    for levels in 1..=4 {
        let tree = fat_tree(levels);
        let rounds = mean_rounds(&tree, 2, Symmetry::Tree);
        let collision = pair_collision(&tree, Symmetry::Tree);
        assert_eq!(rounds, collision + BigRational::one());
    }
}

/// All to one node: the one that passes is as likely to be any of those that meet.
#[test]
fn winners_of_three_are_even() {
    let mut rounds = Rounds::new(&fat_tree(2));
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
        let rounds = Rounds::new(&tree(3, rule));
        for pins in &rounds.router_pins {
            let pin = pins.get(fat_tree_router::PORT_WINNER_FIXED);
            assert_eq!(pin, u64::from(rule));
        }
        rounds
    });
    let mut places = crosswave_base::random::generator(1, 1);
    let mut below = |bound| crosswave_base::random::below(&mut places, bound) as u32;
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
            let outcomes = Simulation::new(&config).unwrap().run_all().expect("runs");
            let (mut sum, mut squares) = (0.0, 0.0);
            for outcome in outcomes {
                let rounds = outcome.rounds as f64;
                sum += rounds;
                squares += rounds * rounds;
            }
            let count = f64::from(REPLICATES);
            let mean = sum / count;
            let stderr = ((squares / count - mean * mean) / (count - 1.0)).sqrt();
            let exact = mean_rounds(&tree(2, winner == "fixed"), messages, Symmetry::Tree);
            let exact = num_traits::ToPrimitive::to_f64(&exact).expect("finite");
            assert!(
                (mean - exact).abs() <= 4.0 * stderr,
                "{messages} messages, {winner}: {mean} +- {stderr}, exactly {exact}"
            );
        }
    }
}
