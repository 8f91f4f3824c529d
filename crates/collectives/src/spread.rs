//! The messages of one phase of total exchange, spread evenly over its steps.
//!
//! In a phase of level h every one of N = 2^(h-1) leaves of one half sends a message to
//! every leaf of the other half. [`spread`] gives each of the N^2 messages one of
//! k = ceil(N^2 / e_h) slots so that no channel of level j <= h is asked for more than c_j
//! messages of a slot, whatever the capacities.
//!
//! *Why it is possible.* Channels above the sources form a laminar family of sets of
//! messages, channels above the destinations another, and the incidence matrix of two
//! laminar families is totally unimodular: it has an equitable colouring with any number
//! k of colours (de Werra, 1971). A channel of level j carries N 2^(j-1) messages of the
//! phase, so some N 2^(j-1) / k of each colour, rounded up; k >= N^2 / e_h and
//! e_h <= 2^(h-j) c_j make that c_j at most.
//!
//! *How.* For a power of two a formula does (`power_of_two`). Otherwise messages are
//! dealt out in an order that is nearly even; then, while a slot asks too much of a channel,
//! its messages and those of a slot with less than c_j of them are dealt out to the two
//! anew, evenly for every channel. That lowers the sum of the squares of all loads, and so
//! ends. To divide evenly: at each leaf pair the messages off, pass on one that is left
//! over to the node above, pair there, and so on, for sources and for destinations; the
//! pairs of both kinds make paths and even cycles, along which the slots alternate.

/// The slot of the message from leaf a to leaf b at index a N + b.
///
/// `capacities[j - 1]` is c_j for j = 1 to h; N = 2^(h-1). `effective` is e_h.
///
/// # Panics
/// When there are no capacities.
pub fn spread(capacities: &[u64], effective: u64) -> Vec<u32> {
    assert!(!capacities.is_empty(), "a phase has a level");
    let height = capacities.len() as u32 - 1;
    let leaves = 1u64 << height;
    if effective.is_power_of_two() && effective <= leaves {
        return power_of_two(height, effective.trailing_zeros());
    }
    let mut slots = Slots::deal(height, effective, capacities);
    slots.repair();
    slots.slot_of
}

/// The slots for e_h = 2^a. In each, the sources are the leaves with the same low bits y,
/// the destinations those with the same low bits z, and source (x, y) sends to
/// (x ^ m, z): for e_h = 1 the paper's phase for CBFTs, for e_h = N its phase for EBFTs.
fn power_of_two(height: u32, a: u32) -> Vec<u32> {
    let low = height - a;
    let leaves = 1u32 << height;
    let mask = (1u32 << low) - 1;
    let slot = |source: u32, destination: u32| {
        let (y, z) = (source & mask, destination & mask);
        let m = (source >> low) ^ (destination >> low);
        (((y << a) | m) << low) | z
    };
    (0..leaves)
        .flat_map(|s| (0..leaves).map(move |d| slot(s, d)))
        .collect()
}

struct Slots<'a> {
    height: u32,
    capacities: &'a [u64],
    slot_of: Vec<u32>,
    /// The messages of each slot.
    members: Vec<Vec<u32>>,
}

/// A channel of the phase that is asked for too much: the leaves `leaf >> height == node` on
/// the side of the sources or of the destinations.
struct Excess {
    of_sources: bool,
    height: u32,
    node: u32,
}

impl<'a> Slots<'a> {
    /// Deals the messages out in the order of rounds: in round r leaf a sends to leaf
    /// a + r, leaves taken with their bits reversed, so that neighbours in the order are
    /// far apart in the tree.
    fn deal(height: u32, effective: u64, capacities: &'a [u64]) -> Self {
        let leaves = 1u32 << height;
        let reverse = |leaf: u32| {
            if height == 0 {
                0
            } else {
                leaf.reverse_bits() >> (32 - height)
            }
        };
        let count = u64::from(leaves) * u64::from(leaves);
        let mut slot_of = vec![0; count as usize];
        let mut members = vec![Vec::new(); count.div_ceil(effective) as usize];
        for position in 0..count {
            let (round, place) = ((position >> height) as u32, position as u32 % leaves);
            let message = reverse(place) << height | reverse((place + round) % leaves);
            let slot = position / effective;
            slot_of[message as usize] = slot as u32;
            members[slot as usize].push(message);
        }
        Slots {
            height,
            capacities,
            slot_of,
            members,
        }
    }

    fn leaf(&self, message: u32, of_sources: bool) -> u32 {
        if of_sources {
            message >> self.height
        } else {
            message & ((1 << self.height) - 1)
        }
    }

    fn repair(&mut self) {
        let mut slot = 0;
        while slot < self.members.len() {
            match self.excess(slot) {
                None => slot += 1,
                Some(excess) => {
                    let other = self.slack_slot(slot, &excess);
                    self.divide(slot, other);
                    slot = slot.min(other);
                }
            }
        }
    }

    /// A channel that is asked for too much in `slot`.
    fn excess(&self, slot: usize) -> Option<Excess> {
        for of_sources in [true, false] {
            for height in 0..=self.height {
                let mut nodes: Vec<u32> = self.members[slot]
                    .iter()
                    .map(|&message| self.leaf(message, of_sources) >> height)
                    .collect();
                nodes.sort_unstable();
                let most = nodes
                    .chunk_by(|a, b| a == b)
                    .max_by_key(|chunk| chunk.len())?;
                if most.len() as u64 > self.capacities[height as usize] {
                    return Some(Excess {
                        of_sources,
                        height,
                        node: most[0],
                    });
                }
            }
        }
        None
    }

    /// A slot that asks for less than the capacity of the channel. There is one, as the
    /// slots ask for no more than the capacity on average and `slot` for more.
    fn slack_slot(&self, slot: usize, excess: &Excess) -> usize {
        let count = |slot: usize| {
            let messages = self.members[slot].iter();
            messages
                .filter(|&&m| self.leaf(m, excess.of_sources) >> excess.height == excess.node)
                .count() as u64
        };
        let slots = self.members.len();
        (1..slots)
            .map(|distance| (slot + distance) % slots)
            .find(|&other| count(other) < self.capacities[excess.height as usize])
            .expect("the slots ask for no more than the capacity on average")
    }

    /// Deals the messages of two slots out anew, evenly for every channel.
    fn divide(&mut self, first: usize, second: usize) {
        let mut messages = std::mem::take(&mut self.members[first]);
        messages.append(&mut self.members[second]);
        let partners = [true, false].map(|of_sources| {
            let leaves: Vec<u32> = messages.iter().map(|&m| self.leaf(m, of_sources)).collect();
            pairs(&leaves, self.height)
        });
        let in_first = alternate(&partners);
        for (message, in_first) in messages.into_iter().zip(in_first) {
            let slot = if in_first { first } else { second };
            self.slot_of[message as usize] = slot as u32;
            self.members[slot].push(message);
        }
    }
}

/// Pairs messages off from the leaves upward: the partner of each, if it has one.
fn pairs(leaves: &[u32], height: u32) -> Vec<Option<usize>> {
    let mut partners = vec![None; leaves.len()];
    let mut left: Vec<usize> = (0..leaves.len()).collect();
    for level in 0..=height {
        left.sort_by_key(|&message| leaves[message] >> level);
        let mut over = Vec::new();
        for group in left.chunk_by(|&a, &b| leaves[a] >> level == leaves[b] >> level) {
            let (couples, rest) = group.as_chunks::<2>();
            for &[a, b] in couples {
                partners[a] = Some(b);
                partners[b] = Some(a);
            }
            over.extend(rest);
        }
        left = over;
    }
    partners
}

/// Two colours along the paths and cycles that two pairings make.
fn alternate(partners: &[Vec<Option<usize>>; 2]) -> Vec<bool> {
    let mut colours: Vec<Option<bool>> = vec![None; partners[0].len()];
    for start in 0..colours.len() {
        if colours[start].is_some() {
            continue;
        }
        colours[start] = Some(true);
        for first_side in [0, 1] {
            let (mut at, mut side, mut colour) = (start, first_side, true);
            while let Some(next) = partners[side][at].filter(|&next| colours[next].is_none()) {
                colour = !colour;
                colours[next] = Some(colour);
                (at, side) = (next, 1 - side);
            }
        }
    }
    colours
        .into_iter()
        .map(|colour| colour == Some(true))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks every channel of every slot.
    fn assert_fits(capacities: &[u64]) {
        let effective = capacities
            .iter()
            .skip(1)
            .fold(capacities[0], |e, &c| c.min(2 * e));
        let height = capacities.len() as u32 - 1;
        let slots = spread(capacities, effective);
        let used = 4u64.pow(height).div_ceil(effective);
        assert!(slots.iter().all(|&slot| u64::from(slot) < used));
        for (level, &capacity) in (0..=height).zip(capacities) {
            let nodes = 1usize << (height - level);
            let mut loads = vec![[0u64; 2]; used as usize * nodes];
            for (message, &slot) in slots.iter().enumerate() {
                let (source, destination) = (message >> height, message & ((1 << height) - 1));
                loads[slot as usize * nodes + (source >> level)][0] += 1;
                loads[slot as usize * nodes + (destination >> level)][1] += 1;
            }
            let most = loads.iter().flatten().max();
            assert!(
                most.is_some_and(|&load| load <= capacity),
                "{capacities:?} level {level}"
            );
        }
    }

    #[test]
    fn no_channel_is_asked_for_too_much() {
        for capacities in [
            &[1][..],
            &[7],
            &[1, 1, 1, 1],
            &[1, 2, 4, 8],
            &[1, 1, 2, 2],
            &[1, 2, 3],
            &[1, 2, 3, 3, 3],
            &[1, 2, 3, 5, 7],
            &[1, 1, 3, 6, 11],
            &[2, 3, 5, 9],
            &[3, 3, 100, 100],
            &[1, 2, 3, 5, 9, 17],
        ] {
            assert_fits(capacities);
        }
    }

    #[test]
    fn every_small_tree_is_served() {
        for a in 1..=3 {
            for b in a..=5 {
                for c in b..=9 {
                    for d in c..=12 {
                        assert_fits(&[a, b, c, d]);
                    }
                }
            }
        }
    }
}
