//! Deadlock: whether paths can wait for each other in a circle.
//!
//! A message that holds a channel and waits for the next one of its path makes the first depend on the
//! second. Where no channels depend on each other in a circle, none can wait for ever (Dally and Seitz,
//! *Deadlock-Free Message Routing in Multiprocessor Interconnection Networks*, 1987). Paths that climb
//! and then come down have no circle, so that only others need to be tried.

use std::collections::{BTreeMap, BTreeSet};

/// The channels, and the channels each of them waits for.
#[derive(Debug, Clone, Default)]
pub struct Dependencies {
    next: BTreeMap<u32, BTreeSet<u32>>,
}

impl Dependencies {
    /// Adds a path, as its channels in their order.
    pub fn add(&mut self, channels: &[u32]) {
        for pair in channels.windows(2) {
            self.next.entry(pair[0]).or_default().insert(pair[1]);
        }
    }

    /// Channels that depend on each other in a circle, each on the one after it and the last on the
    /// first; `None` where there is no circle.
    pub fn circle(&self) -> Option<Vec<u32>> {
        let mut done = BTreeSet::new();
        for &start in self.next.keys() {
            let mut path: Vec<u32> = Vec::new();
            let mut on_path = BTreeSet::new();
            // The next steps, the last first: to leave a channel whose dependencies are all done
            // with, or to enter one.
            let mut stack = vec![(start, false)];
            while let Some((channel, leaves)) = stack.pop() {
                if leaves {
                    path.pop();
                    on_path.remove(&channel);
                    done.insert(channel);
                } else if on_path.contains(&channel) {
                    let begin = path.iter().position(|&other| other == channel);
                    return Some(path.split_off(begin.unwrap_or(0)));
                } else if !done.contains(&channel) {
                    path.push(channel);
                    on_path.insert(channel);
                    stack.push((channel, true));
                    let next = self.next.get(&channel).into_iter().flatten();
                    stack.extend(next.map(|&next| (next, false)));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_base::random;

    fn of(paths: &[&[u32]]) -> Dependencies {
        let mut dependencies = Dependencies::default();
        paths.iter().for_each(|path| dependencies.add(path));
        dependencies
    }

    #[test]
    fn circles_are_found() {
        assert_eq!(of(&[&[1, 2, 3], &[1, 3], &[4, 2]]).circle(), None);
        assert_eq!(of(&[&[1, 1]]).circle(), Some(vec![1]));
        let circle = of(&[&[9, 1, 2, 5], &[2, 3], &[3, 4, 1], &[3, 7]]).circle();
        assert_eq!(circle, Some(vec![1, 2, 3, 4]));
    }

    /// Against what is reachable from where.
    #[test]
    fn random_graphs_agree_with_reachability() {
        for seed in 0..200 {
            let mut generator = random::generator(seed, 2);
            let mut dependencies = Dependencies::default();
            let mut reachable = [[false; 7]; 7];
            for _ in 0..1 + seed % 9 {
                let (a, b) = (
                    random::below(&mut generator, 7),
                    random::below(&mut generator, 7),
                );
                dependencies.add(&[a as u32, b as u32]);
                reachable[a as usize][b as usize] = true;
            }
            let direct = reachable;
            for k in 0..7 {
                for a in 0..7 {
                    for b in 0..7 {
                        reachable[a][b] |= reachable[a][k] && reachable[k][b];
                    }
                }
            }
            let circle = dependencies.circle();
            assert_eq!(circle.is_some(), (0..7).any(|a| reachable[a][a]));
            for (at, &a) in circle.iter().flatten().enumerate() {
                let circle = circle.as_ref().unwrap();
                let b = circle[(at + 1) % circle.len()];
                assert!(direct[a as usize][b as usize]);
            }
        }
    }
}
