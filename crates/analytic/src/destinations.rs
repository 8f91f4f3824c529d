//! Model II: a toss of destinations, then collision tosses of groups.
//!
//! Source: V. Strumpen and A. Krishnamurthy, "A collision model for randomized routing in
//! fat-tree networks" (2005), section 5 and Fig. 3. There it is only simulated.
//!
//! The *destination toss* throws m balls into n bins: balls of one bin are a *group*, the
//! messages to one destination. Then come rounds of *collision tosses*: what is left of
//! each group is thrown as one into one of b = 1/Pr\[C2\] collision bins, since messages to
//! one destination surely collide. One ball of each occupied bin is delivered. The
//! largest group is a *critical path*: it takes a round per ball at least.
//!
//! A destination is uniform over all n nodes; that it is never the source itself, as in
//! the network, is not in the model.
//!
//! The paper does not say which ball of a bin with several groups survives: [`Survivor`],
//! assumed.

use crosswave_base::random;

/// Stream of all that a play draws.
const STREAM_TOSSES: u64 = u64::from_be_bytes(*b"ana-dest");

/// Whose ball survives in a bin where several groups landed (assumed).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Survivor {
    /// Each group with the same probability.
    #[default]
    RandomGroup,
    /// The group with the most balls left: the fewest rounds one can hope for.
    LargestGroup,
    /// Each ball with the same probability.
    RandomBall,
}

impl Survivor {
    /// All of them, the default first.
    pub const ALL: [Survivor; 3] = [
        Survivor::RandomGroup,
        Survivor::LargestGroup,
        Survivor::RandomBall,
    ];
}

/// Rounds until `messages` messages to random nodes are delivered through `bins` bins, in
/// one play; the destination toss is not a round. The same seed gives the same play.
///
/// # Panics
/// When there are messages and no nodes or no bins, or 2^32 messages or nodes, or more.
///
/// ```
/// use crosswave_analytic::destinations::{Survivor, play};
///
/// // Everything goes to one node: a message a round.
/// assert_eq!(play(1, 100, 30, Survivor::RandomGroup, 7), 30);
/// ```
pub fn play(nodes: u64, bins: u64, messages: u64, survivor: Survivor, seed: u64) -> u32 {
    let fits = |count: u64| u32::try_from(count).is_ok();
    assert!(fits(nodes) && fits(messages), "2^32 nodes or messages");
    let mut generator = random::generator(seed, STREAM_TOSSES);
    let mut groups = vec![0u32; nodes as usize];
    for _ in 0..messages {
        groups[random::below(&mut generator, nodes) as usize] += 1;
    }
    groups.retain(|&left| left > 0);
    play_groups(groups, bins, survivor, &mut generator)
}

/// The groups or balls that landed in a bin, and their survivor.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    /// Groups or balls, as survivors are drawn by; 0 in an empty bin.
    weight: u32,
    /// The group that survives so far.
    winner: u32,
}

/// The collision tosses of groups with at least one ball each.
fn play_groups(
    mut groups: Vec<u32>,
    bins: u64,
    survivor: Survivor,
    generator: &mut impl rand_core::Rng,
) -> u32 {
    let mut landed = vec![Bin::default(); usize::try_from(bins).expect("bins in memory")];
    let mut rounds = 0;
    while !groups.is_empty() {
        for (group, &left) in (0..).zip(&groups) {
            let bin = &mut landed[random::below(generator, bins) as usize];
            let share = match survivor {
                Survivor::RandomBall => left,
                Survivor::RandomGroup | Survivor::LargestGroup => 1,
            };
            let first = bin.weight == 0;
            bin.weight += share;
            let wins = match survivor {
                _ if first => true,
                // Groups of one size have one future: no need to draw among them.
                Survivor::LargestGroup => left > groups[bin.winner as usize],
                Survivor::RandomGroup | Survivor::RandomBall => {
                    random::below(generator, bin.weight.into()) < share.into()
                }
            };
            if wins {
                bin.winner = group;
            }
        }
        for bin in &mut landed {
            if bin.weight > 0 {
                groups[bin.winner as usize] -= 1;
                bin.weight = 0;
            }
        }
        groups.retain(|&left| left > 0);
        rounds += 1;
    }
    rounds
}

#[cfg(test)]
mod tests;
