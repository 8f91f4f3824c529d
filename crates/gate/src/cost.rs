//! Cost of one cycle when no group rests: instructions and bytes, array by array. Counted from the
//! plans and the wiring, not measured; the bench `roofline` compares it with the machine's
//! capability.

use super::build;
use super::plan::Settings;
use super::settling;
use super::step::Shared;
use crosswave_base::diagnostic::Error;
use crosswave_chips::RandomKind;
use crosswave_lanes::evaluator::{Backend, Evaluator};
use crosswave_lanes::joined::scale;
use crosswave_lanes::native::{Counts, Isa};
use crosswave_lanes::windows::Term;
use crosswave_netlist::Module;
use crosswave_network::Fabric;

/// Links of groups by the preparation of their words in one cycle, and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkCost {
    /// Links of groups that native code reads where they lie.
    pub in_place: usize,
    /// Links of groups that native code puts together as it reads them.
    pub joined: usize,
    /// Links of groups that are put together from windows.
    pub gathered: usize,
    /// Links of groups that are shuffled.
    pub shuffled: usize,
    /// Words of planes that are loaded for these, that are joined, and that are stored.
    pub moves: [usize; 3],
    /// Links of groups that are gathered lane by lane.
    pub scattered: usize,
    /// Windows that are read for those put together, each a lane word.
    pub windows: usize,
    /// Lane words that these write.
    pub planes: usize,
    /// Bytes of neighbours' outputs that are read, in place or as windows.
    pub bytes: usize,
}

/// Bytes of planes that one cycle touches, each counted once. Bits of the links'
/// words that a chip does not drive are allocated and not touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bytes {
    /// State, read.
    pub state: usize,
    /// State, written again where it was read.
    pub state_written: usize,
    /// Outputs of the last cycle, read; and as many of the next one, written.
    pub outputs: usize,
    /// Pins, read.
    pub pins: usize,
    /// Terms of the wiring, read.
    pub wiring: usize,
}

/// Cost of one cycle of an array when none of its groups rests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// The chip.
    pub chip: &'static str,
    /// Groups: lane words of instances.
    pub groups: usize,
    /// Words of a lane word: 1, 2, 4 or 8.
    pub width: usize,
    /// Instructions of one pass over all groups; `None` when they are interpreted.
    pub counts: Option<Counts>,
    /// Instructions of the code of shuffles of all groups.
    pub shuffles: Counts,
    /// Passes over a group: 2 where a lane word is two registers, or else 1.
    pub passes: usize,
    /// Lane words of random bits drawn for a group before its code runs: fair ones, and those that are
    /// 1 in a third of all cases. What the code draws is among its instructions, and what is drawn
    /// only where something depends on it is left out.
    pub random: (usize, usize),
    /// The links of all groups.
    pub links: LinkCost,
    /// The bytes of all groups.
    pub bytes: Bytes,
}

impl Cost {
    /// Instructions of one cycle of all groups: those of the native code, shuffles among it, a load
    /// and two operations for each window and a store for each plane that is put together. Random
    /// bits, shuffles without code and what is gathered lane by lane are not among them.
    pub fn instructions(&self) -> Option<usize> {
        let code = self.counts?.total() * self.passes;
        Some(code + self.shuffles.total() + 3 * self.links.windows + self.links.planes)
    }

    /// Words of random bits that one cycle of all groups draws: fair ones, and those of one third.
    pub fn random_words(&self) -> (usize, usize) {
        let words = self.groups * self.width;
        (words * self.random.0, words * self.random.1)
    }
}

/// Cost of a cycle, or of a pass in which outputs settle, array by array: of a network with the
/// machine code of an instruction set, even
/// if this machine does not have the set. Nothing can be run of it; it takes the time and the
/// memory of making an engine. Networks so large that an engine takes several cycles at a time are
/// counted a cycle at a time.
///
/// # Errors
/// As [`GateEngine::new`](super::GateEngine::new).
pub fn planned(
    fabric: Fabric,
    netlist: impl Fn(&str) -> Result<&'static Module, Error> + Sync,
    threads: usize,
    isa: Isa,
) -> Result<Vec<Cost>, Error> {
    let settings = Settings {
        link_bits: fabric.link_bits(),
        cut: threads > 1,
        copies: fabric.copies,
        backend: Backend::Native(isa),
        counted: true,
        settles: settling::settling(&fabric, &netlist)?.passes > 0,
    };
    let seeds = vec![0; fabric.copies.count()];
    let fabric = fabric.into();
    Ok(costs(&build::shared(
        fabric, netlist, &seeds, threads, settings,
    )?))
}

/// The costs of all arrays.
pub(super) fn costs(shared: &Shared) -> Vec<Cost> {
    (0..shared.plans.len())
        .map(|array| cost(shared, array))
        .collect()
}

fn cost(shared: &Shared, array: usize) -> Cost {
    let plan = &shared.plans[array];
    let groups = plan.words / plan.width;
    let (counts, passes) = match &shared.evaluators[array] {
        Evaluator::Native(codes) => {
            let halves = codes.isa() == Isa::Avx2 && plan.width == 8;
            let chunks = shared.chunks[array..].iter().step_by(shared.plans.len());
            let counts = codes.counts(chunks.flat_map(|chunk| &chunk.codes));
            (Some(counts), 1 + usize::from(halves))
        }
        Evaluator::Interpreter(_) => (None, 1),
    };
    let driven: usize = plan.drivers.iter().map(|driver| driver.planes.len()).sum();
    let plane = 8 * plan.words;
    let mut bytes = Bytes {
        state: plan.kept.len() * plane,
        // A register that holds its value is not stored by native code.
        state_written: counts.map_or(plan.kept.len() * plane, |counts| {
            (counts.stores - groups * driven) * 8 * plan.width
        }),
        outputs: driven * plane,
        pins: plan.pin_planes() * plane,
        wiring: 0,
    };
    let mut links = LinkCost::default();
    let mut shuffles = Counts::default();
    for chunk in shared.chunks[array..].iter().step_by(shared.plans.len()) {
        let terms = &chunk.terms;
        bytes.wiring += size_of_val(terms.terms.as_slice())
            + size_of_val(terms.starts.as_slice())
            + size_of_val(terms.sources.as_slice())
            + size_of_val(terms.source_starts.as_slice())
            + size_of_val(terms.regions.as_slice());
        for &number in terms.shuffled.iter().flatten() {
            let shuffle = &shared.wiring.shuffles[number as usize];
            links.shuffled += shuffle.links.count_ones() as usize;
            for (moves, count) in links.moves.iter_mut().zip(shuffle.counts()) {
                *moves += count * shared.link_bits * plan.width;
            }
            let codes = &shared.shuffle_codes[array];
            match codes.get(number as usize).and_then(Option::as_ref) {
                Some(code) => {
                    shuffles.add(code.counts());
                    bytes.wiring += code.mask_bytes();
                }
                None => {
                    bytes.wiring += size_of_val(shuffle.loads.as_slice())
                        + size_of_val(shuffle.joins.as_slice())
                        + size_of_val(shuffle.stores.as_slice());
                }
            }
        }
        let scattered = terms.scattered.iter().flatten().count();
        links.scattered += scattered;
        // A list has four bytes a lane, a word two.
        bytes.wiring += scattered * 4 * 64 * plan.width;
        links.bytes += scattered * 2 * 64 * plan.width;
        for (at, range) in terms.starts.windows(2).enumerate() {
            let terms = &terms.terms[range[0] as usize..range[1] as usize];
            let (group, link) = (at / plan.link_inputs.len(), at % plan.link_inputs.len());
            let inputs = plan.link_inputs[link].len();
            let form = match (&shared.evaluators[array], chunk.codes.get(group)) {
                (Evaluator::Native(codes), Some(code)) => codes.variants()[code.variant as usize]
                    .forms
                    .get(link)
                    .copied(),
                _ => None,
            };
            let in_place = |term: &Term| {
                let pattern = &shared.wiring.patterns[term.pattern as usize];
                pattern.is_in_place() && scale(term, plan.width).is_some()
            };
            links.bytes += terms.len() * inputs * 8 * plan.width;
            match terms {
                [] => {}
                // As `step` decides it.
                [term] if form.is_some() && in_place(term) => links.in_place += 1,
                _ if form.is_some_and(|form| form.join.is_some()) => links.joined += 1,
                terms => {
                    links.gathered += 1;
                    links.windows += terms.len() * inputs;
                    links.planes += inputs;
                }
            }
        }
    }
    links.bytes += 8 * links.moves[0];
    let drawn = |kind| {
        let inputs = plan.random_inputs.iter();
        inputs.filter(|input| input.kind == kind).count()
    };
    Cost {
        chip: shared.fabric.arrays[array].chip.name,
        groups,
        width: plan.width,
        counts,
        shuffles,
        passes,
        random: (drawn(RandomKind::Fair), drawn(RandomKind::Third)),
        links,
        bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GateEngine;
    use crosswave_chips::netlists;
    use crosswave_network::NetworkConfig;
    use crosswave_network::traffic::Strategy;

    fn costs(kind: &str, nodes: u32) -> Vec<Cost> {
        let text = format!("[network]\nkind='{kind}'\nnodes={nodes}\n");
        let (network, _) = NetworkConfig::parse(&text).expect("legal tables");
        let fabric = network.build(Strategy::Immediate).fabric();
        // The interpreter is on every machine, and costs the same there.
        let engine = GateEngine::new(fabric, netlists::plain, 1, 1, Backend::Interpreter);
        engine.unwrap_or_else(|e| panic!("{e}")).costs()
    }

    /// A link has 11 signals. In ten levels with a group each, two links of the lowest lead to
    /// interfaces and are one window each, as are those of interfaces; the others are two, and two
    /// of the root's are open.
    #[test]
    fn links_of_a_fat_tree_cost_their_windows() {
        let [routers, interfaces] = &costs("fat-tree", 1024)[..2] else {
            panic!("two arrays");
        };
        assert_eq!((routers.groups, routers.width), (10, 8));
        assert_eq!(routers.random, (3, 1));
        let windows = 2 + 2 * 2 + 8 * 4 * 2 + 2 * 2;
        let links = LinkCost {
            in_place: 0,
            joined: 0,
            gathered: 38,
            shuffled: 0,
            moves: [0; 3],
            scattered: 0,
            windows: 11 * windows,
            planes: 11 * 38,
            bytes: 11 * windows * 64,
        };
        assert_eq!(routers.links, links);
        let bytes = Bytes {
            state: 37_120,
            state_written: 37_120,
            outputs: 28_160,
            pins: 2_560,
            wiring: 1_256,
        };
        assert_eq!(routers.bytes, bytes);
        assert_eq!((interfaces.groups, interfaces.random), (2, (0, 0)));
        let links = LinkCost {
            in_place: 0,
            joined: 0,
            gathered: 2,
            shuffled: 0,
            moves: [0; 3],
            scattered: 0,
            windows: 22,
            planes: 22,
            bytes: 22 * 64,
        };
        assert_eq!(interfaces.links, links);
    }

    /// A link has nine signals, and a vector eight words. Links between stages, to interfaces and to the
    /// delay lines behind the last stage are shuffled.
    #[test]
    fn links_of_a_bidelta_network_cost_their_moves() {
        let costs = costs("bidelta", 1024);
        let links: Vec<LinkCost> = costs.iter().map(|cost| cost.links).collect();
        let of = |gathered: usize, windows: usize| LinkCost {
            gathered,
            windows: 9 * windows,
            planes: 9 * gathered,
            bytes: 9 * windows * 64,
            ..LinkCost::default()
        };
        let shuffled = |shuffled: usize, moves: [usize; 3], links: LinkCost| LinkCost {
            shuffled,
            moves,
            bytes: links.bytes + 8 * moves[0],
            ..links
        };
        let expected = [
            shuffled(24, [72 * 40, 72 * 208, 72 * 24], of(24, 80)),
            shuffled(8, [72 * 24, 72 * 108, 72 * 8], of(0, 0)),
            shuffled(8, [72 * 48, 72 * 136, 72 * 8], of(8, 16)),
        ];
        assert_eq!(links, expected);
        let random: Vec<(usize, usize)> = costs.iter().map(|cost| cost.random).collect();
        assert_eq!(random, [(16, 0), (1, 0), (0, 0)]);
    }
}
