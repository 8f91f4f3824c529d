//! Traffic that fits a fat tree of unit trees, and the probability that its connections find
//! their way.
//!
//! Source: A. DeHon, "Fat-Tree Routing for Transit" (1990), section 4.5. Traffic fits when every
//! direction of every router is equally likely: in a unit tree that is not the root a quarter of
//! what comes crosses at each of three levels, and a quarter goes on up; at the root, a third
//! crosses at each level. In a hybrid tree three quarters stay in the leaf cluster.
//! [`Locality::p_any`] is the probability of a level; [`Locality::p_particular`] that of one of
//! the processors at that distance.
//!
//! # The recursion
//!
//! Every wire between two stages has a *load*: the probability that it holds a connection, by the
//! level through which that goes. As in [`routing`](super::routing), connections on the wires of
//! a router are taken to be independent, and a direction with b outputs passes min(b, X) of the
//! X that want it. What crosses over lower comes to a router earlier, by as many clocks as its
//! way is shorter, so on the way down outputs are given to the lowest level first. With S_n
//! connections of levels up to n, a sum of binomials over the inputs,
//!
//! ```text
//! passed of level n = E[min(b, S_n)] - E[min(b, S_(n-1))]
//! P(routed through level n) = connections of it that arrive / that were sent
//! ```
//!
//! The inputs of a router are dealt as with full dispersion: so many from the side, and the rest
//! from above. All directions of a router count as equally likely to a connection that comes
//! down, though one that crosses over never goes back where it came from. In UT64x2's standard
//! stage up both inputs of a processor come to one router, so it has four processors, and not
//! eight independent inputs.
//!
//! The thesis itself uses the simple model of [`routing`](super::routing), which knows no order of levels:
//! [`Locality::routed_simply`].

use super::routing::{NetworkLoad, bidelta, through};
use super::unit_trees::UnitTrees;

/// Traffic that fits a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locality(pub UnitTrees);

/// Loads of a wire by the level through which its connection goes, from level 0 on.
type Loads = Vec<f64>;

/// Inputs of a router that are alike: how many, and the loads of each.
type Inputs<'l> = (u32, &'l [f64]);

/// The fraction of connections in a unit tree that goes on up (section 4.5.1).
const UP: f64 = 0.25;

/// The fraction of connections that stay in a leaf cluster (section 4.5.2).
const IN_CLUSTER: f64 = 0.75;

impl Locality {
    /// The probability that a connection goes through a level; level 0 is the leaf cluster.
    ///
    /// ```
    /// use crosswave_analytic::locality::Locality;
    /// use crosswave_analytic::unit_trees::UnitTrees;
    ///
    /// let full = Locality(UnitTrees { stack_stages: 2, leaf_stages: None });
    /// let levels: Vec<f64> = (1..=6).map(|level| full.p_any(level)).collect();
    /// assert_eq!(levels, [0.25, 0.25, 0.25, 0.25 / 3.0, 0.25 / 3.0, 0.25 / 3.0]);
    /// assert_eq!(full.p_particular(1), 0.25 / 3.0);
    /// ```
    pub fn p_any(self, level: u32) -> f64 {
        self.p_any_of(level, UP)
    }

    /// The same where a fraction `up` of the connections that enter a unit tree leaves it upwards, instead of a
    /// quarter, and the others cross over at each of its levels alike.
    pub fn p_any_of(self, level: u32, up: f64) -> f64 {
        let above = match self.0.leaf_stages {
            None => 1.0,
            Some(_) if level == 0 => return IN_CLUSTER,
            Some(_) => 1.0 - IN_CLUSTER,
        };
        let layer = (level - 1) / 3;
        let across = if layer + 1 == self.layers() {
            1.0
        } else {
            1.0 - up
        };
        above * up.powi(layer as i32) * across / 3.0
    }

    /// The same for one of the processors that are reached through the level.
    pub fn p_particular(self, level: u32) -> f64 {
        self.p_any(level) / self.processors_at(level) as f64
    }

    /// Processors that are reached through a level.
    pub fn processors_at(self, level: u32) -> u64 {
        let leaf = match self.0.leaf_stages {
            None => 1,
            Some(_) => self.0.leaf_processors(),
        };
        match level {
            0 => leaf - 1,
            _ => leaf * (3 << (2 * (level - 1))),
        }
    }

    /// The levels, the lowest first.
    pub fn levels(self) -> std::ops::RangeInclusive<u32> {
        u32::from(self.0.leaf_stages.is_none())..=self.0.levels()
    }

    /// Layers of unit trees.
    fn layers(self) -> u32 {
        self.0.levels() / 3
    }

    /// The probability that a connection through each level is routed, when a fraction of the
    /// processors sends over one of its two inputs. `two_crossbars` is the configuration of
    /// UT64x2's stage up.
    pub fn routed(self, load_fraction: f64, two_crossbars: bool) -> Vec<f64> {
        self.routed_of(load_fraction, two_crossbars, UP)
    }

    /// The same of traffic as [`Locality::p_any_of`] has it.
    fn routed_of(self, load_fraction: f64, two_crossbars: bool, up: f64) -> Vec<f64> {
        let levels = self.0.levels() as usize + 1;
        let sent: Loads = (0..levels as u32)
            .map(|level| match self.levels().contains(&level) {
                true => load_fraction / 2.0 * self.p_any_of(level, up),
                false => 0.0,
            })
            .collect();
        let arriving = self.descend(&sent, two_crossbars);
        let of_level =
            |(arrives, sent): (f64, &f64)| if *sent > 0.0 { arrives / sent } else { 1.0 };
        let all = arriving.into_iter().zip(&sent).map(of_level);
        all.skip(*self.levels().start() as usize).collect()
    }

    /// The probability over all levels (equation 4.43).
    pub fn routed_normalised(self, load_fraction: f64, two_crossbars: bool) -> f64 {
        self.routed_normalised_of(load_fraction, two_crossbars, UP)
    }

    /// The same of traffic as [`Locality::p_any_of`] has it.
    pub fn routed_normalised_of(self, load_fraction: f64, two_crossbars: bool, up: f64) -> f64 {
        let routed = self.routed_of(load_fraction, two_crossbars, up);
        let levels = self.levels().zip(routed);
        levels
            .map(|(level, routed)| self.p_any_of(level, up) * routed)
            .sum()
    }

    /// The probability that a connection through each level is routed by the simple model of
    /// [`routing`](super::routing), in which all connections on the wires of a stage are alike, none comes
    /// first, and every stage has as many wires behind it as before it: a product over the stages of the way.
    ///
    /// ```
    /// use crosswave_analytic::locality::Locality;
    /// use crosswave_analytic::unit_trees::UnitTrees;
    ///
    /// let full = Locality(UnitTrees { stack_stages: 1, leaf_stages: None });
    /// let levels = full.routed_simply(1.0).into_iter().map(|p| format!("{p:.3}"));
    /// assert_eq!(levels.collect::<Vec<_>>(), ["0.773", "0.728", "0.691"]);
    /// ```
    pub fn routed_simply(self, load_fraction: f64) -> Vec<f64> {
        let cluster = self.0.leaf_stages.unwrap_or(0);
        let stages = |level: u32| match level {
            0 => cluster,
            // Up: a stage of the cluster, where there is one, and one of each layer. Down: one of each level, and the
            // cluster again.
            _ => {
                let leaving = u32::from(cluster > 0);
                leaving + (level - 1) / 3 + 1 + level + cluster
            }
        };
        let load = NetworkLoad::Processors(load_fraction);
        let routed = |level| through(&bidelta(stages(level)), load).probability;
        self.levels().map(routed).collect()
    }

    /// Loads of a processor's output wires, given those of its input wires.
    fn descend(self, sent: &[f64], two_crossbars: bool) -> Loads {
        // Up: what each layer passes across to its levels, and on up.
        let hybrid = self.0.leaf_stages.is_some();
        let none = vec![0.0; sent.len()];
        let only = |loads: &[f64], keep: &dyn Fn(usize) -> bool| -> Loads {
            let kept = loads.iter().enumerate();
            kept.map(|(at, &load)| if keep(at) { load } else { 0.0 })
                .collect()
        };
        let share = |loads: &[f64], directions: f64| -> Loads {
            loads.iter().map(|load| load / directions).collect()
        };
        let mut climbing = match hybrid {
            // Direction 11 of the first stage: six inputs from processors, and two from the tree,
            // of which nothing turns back.
            true => passed_at_once(6, &only(sent, &|level| level > 0), 2),
            false => sent.to_vec(),
        };
        let mut across: Vec<[Loads; 3]> = Vec::new();
        for layer in 0..self.layers() as usize {
            let narrow = layer == 0 && !hybrid;
            // Both inputs of a processor come to one router of UT64x2, which has four of them.
            let (inputs, outputs, wires) = match (narrow, two_crossbars) {
                (true, true) => (4, 1, 1.0),
                (true, false) => (4, 2, 2.0),
                (false, _) => (8, 2, 1.0),
            };
            let to = |keep: &dyn Fn(usize) -> bool| {
                let kept = share(&only(&climbing, keep), 1.0 / wires);
                passed_at_once(inputs, &kept, outputs)
            };
            let first = 3 * layer + 1;
            across.push([0, 1, 2].map(|level| to(&|at| at == first + level)));
            climbing = to(&|at| at > first + 2);
        }
        // Down, by directions that are equally likely.
        let mut above = none;
        for (layer, levels) in across.iter().enumerate().rev() {
            let narrow = layer == 0 && !hybrid;
            // Inputs from the side and from above of the routers of each level, and how many
            // routers have them.
            let of_level = |level: usize| -> (&[(u32, u32, f64)], u32) {
                match (level, narrow) {
                    (2, _) => (&[(4, 4, 1.0)], 2),
                    (1, _) => (&[(3, 5, 2.0 / 3.0), (2, 6, 1.0 / 3.0)], 2),
                    (_, false) => (&[(2, 6, 1.0)], 2),
                    (_, true) => (&[(1, 3, 1.0)], 1),
                }
            };
            for level in (0..3).rev() {
                let (routers, outputs) = of_level(level);
                let (side, top) = (share(&levels[level], 4.0), share(&above, 4.0));
                let mut mean = vec![0.0; sent.len()];
                for &(from_side, from_above, weight) in routers {
                    let passed = passed(&[(from_side, &side), (from_above, &top)], outputs);
                    for (sum, load) in mean.iter_mut().zip(passed) {
                        *sum += weight * load;
                    }
                }
                above = mean;
            }
        }
        let Some(stages) = self.0.leaf_stages else {
            return above;
        };
        // The cluster: three of the four directions of its first stage lead on in it.
        let local = share(&only(sent, &|level| level == 0), 3.0);
        let mut loads = passed(&[(6, &local), (2, &share(&above, 3.0))], 2);
        for stage in 1..stages {
            let (inputs, outputs) = if stage + 1 == stages { (4, 1) } else { (8, 2) };
            loads = passed(&[(inputs, &share(&loads, 4.0))], outputs);
        }
        loads
    }
}

/// Loads of each of `outputs` equivalent outputs, given inputs with loads of connections that want
/// them, the lower levels first. A wire holds one connection at most, so those of all levels up to
/// one are binomial as well.
fn passed(inputs: &[Inputs<'_>], outputs: u32) -> Loads {
    let most = outputs as usize;
    let levels = inputs[0].1.len();
    let mut before = 0.0;
    let mut up_to = vec![0.0; inputs.len()];
    let mut loads = Vec::with_capacity(levels);
    for level in 0..levels {
        // The distribution of the connections, all from `outputs` on together.
        let mut counts = vec![0.0; most + 1];
        counts[0] = 1.0;
        for (&(count, of_input), p) in inputs.iter().zip(&mut up_to) {
            *p += of_input[level];
            for _ in 0..count {
                for at in (0..most).rev() {
                    let moves = counts[at] * *p;
                    counts[at] -= moves;
                    counts[at + 1] += moves;
                }
            }
        }
        let places = counts.iter().enumerate();
        let now: f64 = places.map(|(count, p)| count as f64 * p).sum();
        loads.push((now - before) / f64::from(outputs));
        before = now;
    }
    loads
}

/// The same for connections that all come at once, on their way up: levels share what is passed
/// as they share what comes.
fn passed_at_once(inputs: u32, loads: &[f64], outputs: u32) -> Loads {
    let all: f64 = loads.iter().sum();
    let through = passed(&[(inputs, &[all])], outputs)[0];
    let share = |load: &f64| if all > 0.0 { load / all * through } else { 0.0 };
    loads.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees() -> Vec<Locality> {
        let full = (1..=3).map(|stages| (stages, None));
        let hybrid = (2..=3).flat_map(|stages| (2..=4).map(move |leaf| (stages, Some(leaf))));
        let tree = |(stack_stages, leaf_stages)| {
            Locality(UnitTrees {
                stack_stages,
                leaf_stages,
            })
        };
        full.chain(hybrid).map(tree).collect()
    }

    #[test]
    fn levels_are_all_there_is() {
        for tree in trees() {
            for up in [0.0, 0.1, UP, 0.9] {
                let any = tree.levels().map(|level| tree.p_any_of(level, up));
                assert!((any.sum::<f64>() - 1.0).abs() < 1e-12, "{tree:?} {up}");
            }
            let others: u64 = tree.levels().map(|level| tree.processors_at(level)).sum();
            assert_eq!(others + 1, tree.0.processors());
        }
    }

    /// Little traffic is routed, and more traffic less so, the farther the less.
    #[test]
    fn probabilities_fall_with_load_and_distance() {
        for tree in trees() {
            for two_crossbars in [false, true] {
                let few = tree.routed(1e-9, two_crossbars);
                assert!(
                    few.iter().all(|p| (p - 1.0).abs() < 1e-6),
                    "{tree:?} {few:?}"
                );
                let mut before = 1.0;
                for load in [0.1, 0.3, 0.5, 0.8, 1.0] {
                    let now = tree.routed_normalised(load, two_crossbars);
                    assert!(now < before);
                    before = now;
                }
                let full = tree.routed(1.0, two_crossbars);
                assert!(
                    full.windows(2).all(|pair| pair[0] > pair[1]),
                    "{tree:?} {full:?}"
                );
            }
        }
    }

    /// A router by itself: the closed form of [`routing`](crate::routing).
    #[test]
    fn one_router_passes_what_the_closed_form_says() {
        use crate::routing::Crossbar;
        for load in [0.1, 0.5, 1.0] {
            let loads = passed(&[(8, &[load / 4.0])], 2);
            assert!((loads[0] - Crossbar::RN1.output_load(load)).abs() < 1e-12);
            let loads = passed(&[(4, &[load / 4.0])], 1);
            assert!((loads[0] - Crossbar::RN1_HALF.output_load(load)).abs() < 1e-12);
        }
    }
}
