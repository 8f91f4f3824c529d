//! Division of a cycle's work between threads.
//!
//! Every array is cut into one chunk per thread. Groups (lane words) differ in
//! what their links bring: the wiring of the low levels of a fat tree has to be put
//! together from windows, that of the upper levels is read in place. Groups are
//! therefore weighed, and the cuts put where the weights of all of a thread's
//! chunks together come out alike. What rests is not known beforehand and is taken
//! to be busy.

use super::layout::{PAD, PlaneLayout};
use super::plan::Plan;
use super::wiring::{Arrival, ChunkShape, Searches, arrivals};
use crosswave_base::diagnostic::Error;
use crosswave_base::threads::{self, processors};
use crosswave_lanes::evaluator::{Backend, Evaluator};
use crosswave_lanes::native::Isa;
use crosswave_netlist::Module;
use crosswave_network::Fabric;

/// Cells of the netlists to evaluate in a cycle that are worth a thread, where a register has
/// 256 bits. A fat tree of 512 nodes has 1.4 times as many, and two threads are as fast as one there;
/// one of 1024 has three times as many, and they are 1.6 times as fast (two cores of
/// Zen 3, `cargo bench --bench threads`). With registers of 512 bits it is four times as many: on a Zen 5
/// machine of two processors that is where the default is no slower than one thread, a tenth or more at
/// 2048 nodes if it has two, and a twentieth faster at 4096.
const CELLS_FOR_A_THREAD: usize = 1 << 20;

/// The number of threads for a network.
///
/// # Errors
/// Those of `netlist`.
pub fn threads(
    fabric: &Fabric,
    netlist: impl Fn(&str) -> Result<&'static Module, Error> + Sync,
    backend: Backend,
) -> Result<usize, Error> {
    // Netlists are read here.
    let cells = threads::each(fabric.arrays.len(), |array| {
        let array = &fabric.arrays[array];
        netlist(array.chip.name).map(|module| array.instances * module.cells.len())
    });
    let cells: Result<Vec<usize>, Error> = cells.into_iter().collect();
    Ok(threads_for(cells?.iter().sum(), backend))
}

/// The number of threads for so many cells in all netlists of a network together.
pub fn threads_for(cells: usize, backend: Backend) -> usize {
    let cells_for_a_thread = match backend {
        Backend::Native(Isa::Avx512) => 4 * CELLS_FOR_A_THREAD,
        Backend::Native(Isa::Avx2) | Backend::Interpreter => CELLS_FOR_A_THREAD,
    };
    (cells / cells_for_a_thread).clamp(1, processors())
}

/// Costs of a group, in thousandths of a pass of native code over a router's.
///
/// Measured on Zen 3 under saturated traffic, group by group, in nanoseconds of
/// native code: a router's group with no link to join, with two, and with four,
/// each joined from two windows, takes 650, 960 and 1100 at n = 2^14, in the caches,
/// and 2100, 2640 and 3060 at n = 2^20, in memory. So a window is between 0.06 and
/// 0.1 of a pass. In a network without order, where all four links are gathered lane
/// by lane, a group takes seven times as long; and the interpreter takes three times
/// as long as native code.
mod weight {
    /// A pass of native code.
    pub const NATIVE: u64 = 1000;
    /// A pass of the interpreter.
    pub const INTERPRETED: u64 = 3000;
    /// A window of a link that is put together.
    pub const WINDOW: u64 = 70;
    /// A move of a link that is shuffled.
    pub const MOVE: u64 = 20;
    /// A link that is gathered lane by lane.
    pub const SCATTERED: u64 = 1500;
}

/// Groups of an array that are weighed. Neighbours in an array are mostly of one
/// level and weigh the same, so in large networks each stands for some others.
const WEIGHED_MAX: usize = 1024;

/// The weights of the groups of an array.
struct Weights {
    groups: usize,
    /// Groups that each weight stands for.
    every: usize,
    of: Vec<u64>,
}

impl Weights {
    fn weigh(fabric: &Fabric, whole: &[ChunkShape], array: usize, native: bool) -> Weights {
        let shape = &whole[array];
        let link_bits = shape.layout.planes / fabric.arrays[array].chip.links.len().max(1);
        let groups = shape.layout.words.len() / shape.width;
        let every = groups.div_ceil(WEIGHED_MAX).max(1);
        let (pass, plain) = match native {
            true => (weight::NATIVE, 0),
            false => (weight::INTERPRETED, weight::WINDOW),
        };
        let mut searches = Searches::default();
        let weight = |group: usize| {
            let of_link = |arrival| match arrival {
                Arrival::Open => 0,
                Arrival::Plain => plain,
                Arrival::Joined(windows) => weight::WINDOW * windows as u64,
                Arrival::Shuffled(moves) => weight::MOVE * moves as u64,
                Arrival::Scattered => weight::SCATTERED,
            };
            let arrivals = arrivals(fabric, whole, link_bits, (array, group), &mut searches);
            pass + arrivals.into_iter().map(of_link).sum::<u64>()
        };
        Weights {
            groups,
            every,
            of: (0..groups).step_by(every).map(weight).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = u64> {
        (0..self.groups).map(|group| self.of[group / self.every])
    }
}

/// Cuts of each array: the first group of each thread's chunk, and the end.
pub fn cuts(
    fabric: &Fabric,
    plans: &[Plan],
    evaluators: &[Evaluator],
    threads: usize,
) -> Vec<Vec<usize>> {
    if threads == 1 {
        let groups = plans.iter().map(|plan| plan.words / plan.width);
        return groups.map(|groups| vec![0, groups]).collect();
    }
    balance(&weights(fabric, plans, evaluators), threads)
}

/// All arrays as one chunk each.
fn shapes(plans: &[Plan], evaluators: &[Evaluator]) -> Vec<ChunkShape> {
    let shape = |(array, plan): (usize, &Plan)| ChunkShape {
        array,
        layout: PlaneLayout {
            words: 0..plan.words,
            tile: plan.tile,
            planes: plan.output_planes,
            pad: PAD,
        },
        width: plan.width,
        windows_kept: plan.windows_kept(&evaluators[array]),
    };
    plans.iter().enumerate().map(shape).collect()
}

/// The weights of all arrays.
fn weights(fabric: &Fabric, plans: &[Plan], evaluators: &[Evaluator]) -> Vec<Weights> {
    let whole = shapes(plans, evaluators);
    let native = |array: usize| matches!(evaluators[array], Evaluator::Native(_));
    (0..plans.len())
        .map(|array| Weights::weigh(fabric, &whole, array, native(array)))
        .collect()
}

/// Cuts arrays so that the threads' loads come out alike. The heaviest array is cut
/// last and makes up for what the others, of few groups, leave uneven.
fn balance(arrays: &[Weights], threads: usize) -> Vec<Vec<usize>> {
    let mut cuts = vec![Vec::new(); arrays.len()];
    let mut loads = vec![0u64; threads];
    let mut order: Vec<usize> = (0..arrays.len()).collect();
    order.sort_by_key(|&array| arrays[array].all().sum::<u64>());
    for array in order {
        let total: u64 = arrays[array].all().sum();
        let level = (loads.iter().sum::<u64>() + total).div_ceil(threads as u64);
        let lacking: Vec<u64> = loads
            .iter()
            .map(|load| level.saturating_sub(*load))
            .collect();
        let lacking_all = lacking.iter().sum::<u64>().max(1);
        let mut groups = arrays[array].all().enumerate().peekable();
        let (mut given, mut wanted) = (0, 0);
        cuts[array].push(0);
        for thread in 0..threads {
            wanted += lacking[thread];
            // Shares of the weight are in proportion to what each thread lacks.
            let until = total * wanted / lacking_all;
            let mut end = *cuts[array].last().expect("the first");
            while let Some((group, weight)) =
                groups.next_if(|(_, weight)| thread + 1 == threads || given + weight / 2 < until)
            {
                given += weight;
                loads[thread] += weight;
                end = group + 1;
            }
            cuts[array].push(end);
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::super::plan::Settings;
    use super::*;
    use crosswave_chips::netlists;
    use crosswave_network::NetworkConfig;
    use crosswave_network::traffic::Strategy;

    fn fabric(kind: &str, nodes: u32) -> Fabric {
        let text = format!("[network]\nkind='{kind}'\nnodes={nodes}\n");
        let (network, _) = NetworkConfig::parse(&text).expect("legal tables");
        network.build(Strategy::Immediate).fabric()
    }

    /// The plans of a network's arrays on the interpreter, which every machine has.
    fn planned(fabric: &Fabric, link_bits: usize) -> (Vec<Plan>, Vec<Evaluator>) {
        let settings = Settings {
            link_bits,
            cut: true,
            copies: fabric.copies,
            backend: Backend::Interpreter,
            counted: false,
            settles: false,
        };
        let plan = |array: usize| {
            let module = netlists::plain(fabric.arrays[array].chip.name).expect("a netlist");
            Plan::new(&fabric.arrays[array], module, settings).expect("a plan")
        };
        (0..fabric.arrays.len()).map(plan).unzip()
    }

    /// The weights of every group of an array, on the interpreter.
    fn weighed(fabric: &Fabric, planned: &(Vec<Plan>, Vec<Evaluator>), array: usize) -> Vec<u64> {
        let (plans, evaluators) = planned;
        let weights = Weights::weigh(fabric, &shapes(plans, evaluators), array, false);
        assert_eq!((weights.groups, weights.every), (weights.of.len(), 1));
        weights.of
    }

    /// A pass of the interpreter is 3000, and a window 70. Two links of the lowest routers
    /// lead to interfaces and are not moved, the other two are joined from two windows
    /// each; all four are further up, and those of the root's level are open above.
    #[test]
    fn groups_of_a_fat_tree_weigh_what_their_windows_cost() {
        let tree = fabric("fat-tree", 2048);
        let made = planned(&tree, 11);
        let (plans, evaluators) = &made;
        let levels = |low: u64, middle: u64, below_root: u64, root: u64| {
            let mut levels = vec![middle; 22];
            levels[..2].fill(low);
            levels[18..20].fill(below_root);
            levels[20..].fill(root);
            levels
        };
        let interpreted = weighed(&tree, &made, 0);
        assert_eq!(interpreted, levels(3420, 3560, 3420, 3140));
        assert_eq!(weighed(&tree, &made, 1), [3070; 4]);
        // Native code takes 1000, and reads in place what is not moved.
        let native = Weights::weigh(&tree, &shapes(plans, evaluators), 0, true).of;
        assert_eq!(native, levels(1280, 1560, 1280, 1000));
        let found = cuts(&tree, plans, evaluators, 3);
        assert_eq!(found, [vec![0, 8, 14, 22], vec![0, 1, 3, 4]]);
    }

    /// None of its links is gathered lane by lane: windows at 70, and moves of shuffles at 20.
    #[test]
    fn groups_of_a_bidelta_network_weigh_what_their_links_cost() {
        let network = fabric("bidelta", 1024);
        let made = planned(&network, 9);
        let (plans, evaluators) = &made;
        let interpreted: Vec<Vec<u64>> = (0..plans.len())
            .map(|array| weighed(&network, &made, array))
            .collect();
        let found = cuts(&network, plans, evaluators, 3);
        insta::assert_debug_snapshot!((interpreted, found));
    }

    /// In the smallest network eight of the sixteen links of an RN1 are gathered lane by lane, at
    /// 1500 each, and what the others bring is joined from 19 windows each.
    #[test]
    fn groups_without_order_weigh_what_their_lanes_cost() {
        let network = fabric("bidelta", 64);
        let made = planned(&network, 9);
        assert_eq!(weighed(&network, &made, 0), [3000 + 8 * 1500 + 8 * 19 * 70]);
    }

    fn weights(of: &[u64]) -> Weights {
        Weights {
            groups: of.len(),
            every: 1,
            of: of.to_vec(),
        }
    }

    #[test]
    fn dear_groups_make_small_chunks() {
        let arrays = [weights(&[4, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 4])];
        assert_eq!(balance(&arrays, 1), [[0, 12]]);
        assert_eq!(balance(&arrays, 2), [[0, 3, 12]]);
        assert_eq!(balance(&arrays, 3), [[0, 2, 7, 12]]);
    }

    #[test]
    fn a_long_array_makes_up_for_a_short_one() {
        let arrays = [weights(&[6]), weights(&[1; 10])];
        assert_eq!(balance(&arrays, 2), [[0, 0, 1], [0, 8, 10]]);
    }

    #[test]
    fn all_groups_are_given_even_to_too_many_threads() {
        for threads in [1, 2, 3, 7, 30] {
            let arrays = [weights(&[]), weights(&[5, 1]), weights(&[3; 11])];
            for (cuts, array) in balance(&arrays, threads).iter().zip(&arrays) {
                assert_eq!(cuts.len(), threads + 1);
                assert!(cuts.is_sorted());
                assert_eq!((cuts[0], cuts[threads]), (0, array.groups));
            }
        }
    }
}
