//! Toggle coverage: the nets of each chip that have risen and fallen, in any instance and any run.
//!
//! An engine that counts has watchers ([`watch`](crosswave_netlist::watch)) for what has not been seen yet:
//! registers among those of the chip, in every instance, evaluated by the same code. They cost several
//! times the chip itself, so it has them for its first cycles only. Afterwards there are two engines:
//!
//! - one with watchers of the few nets that have risen or fallen only, and an *alarm*: one flip-flop that
//!   tells when some net of those that have not changed at all does so, in some instance;
//! - the first one, which stands where a window of cycles began, and watches everything.
//!
//! All that is driven is written down. At the end of a window without an alarm the engine that watches
//! everything is told the state of the other one; after an alarm it takes the cycles of the window itself.
//! Nets need no alarm that are held by inputs that have one. So a cycle costs little more than without
//! counting, and what comes out is as if all had been watched in all cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

use crosswave_base::diagnostic::Error;
use crosswave_chips::{Chip, Role};
use crosswave_lanes::constants::constants;
use crosswave_lanes::reset::{self, after_reset_at_rest};
use crosswave_lanes::rest;
use crosswave_netlist::reach::{InputCourse, Reach, reach};
use crosswave_netlist::watch::{Alarm, Change, Noted, RestCondition, Watch, watched};
use crosswave_netlist::{Bit, CellKind, Leaf, Module, NetId, PortDirection, levelise};
use crosswave_network::Fabric;

/// Nets times cycles of the largest chip in which ways to values are looked for.
const REACH_NETS_MAX: usize = 1 << 20;

/// A net of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoveredNet {
    /// The net in the module of the chip.
    pub net: NetId,
    /// True when it has risen in some instance.
    pub rose: bool,
    /// True when it has fallen in some instance.
    pub fell: bool,
    /// True when it has been 0, and when it has been 1, in some instance.
    pub has_been: [bool; 2],
    /// True when it depends on nothing but pins that keep their values during a run, so that it is not
    /// watched.
    pub still: bool,
}

impl CoveredNet {
    /// Its value, if it has had one only.
    pub fn only_value(&self) -> Option<bool> {
        match (self.rose || self.fell, self.has_been) {
            (false, [true, false]) => Some(false),
            (false, [false, true]) => Some(true),
            _ => None,
        }
    }

    /// Notes what a watcher has noted.
    fn note(&mut self, (watch, noted): (Watch, Noted)) {
        match (watch.change, noted) {
            (Change::Rise, Noted::Before) => self.has_been[0] = true,
            (Change::Fall, Noted::Before) => self.has_been[1] = true,
            (Change::Rise, Noted::Change) => {
                (self.rose, self.has_been) = (true, [true; 2]);
            }
            (Change::Fall, Noted::Change) => {
                (self.fell, self.has_been) = (true, [true; 2]);
            }
        }
    }
}

/// The coverage of a chip.
#[derive(Debug, Clone)]
pub struct ChipCoverage {
    /// The chip.
    pub chip: &'static Chip,
    /// Its netlist.
    pub module: &'static Module,
    /// Instances of it in the network.
    pub instances: usize,
    /// Its inputs but clock and reset, and all nets that gates and flip-flops drive.
    pub nets: Vec<CoveredNet>,
}

/// A module with watchers and an alarm, and what they are of.
type WatchedModule = (Vec<Watch>, Alarm, &'static Module);

/// The modules that watch a chip.
struct WatchedChip {
    rest: Option<RestCondition>,
    /// For each net whether it depends on random pins in the same cycle.
    follows_random: Vec<bool>,
    /// The modules that were made last.
    modules: Vec<WatchedModule>,
}

/// Modules of a chip that are looked for before another one is made.
const MODULES_MAX: usize = 4;

/// Nets that an alarm is of, and those that are held by them, with their values, by chips.
pub(super) type QuietNets = BTreeMap<&'static str, BTreeMap<NetId, bool>>;

/// The netlists of chips, by their names.
pub(super) type Modules = Vec<(&'static str, &'static Module)>;

/// The changes that have been seen of the chips of a network; engines that run side by side share them.
pub struct Coverage {
    chips: Mutex<Vec<(ChipCoverage, WatchedChip)>>,
}

impl Coverage {
    /// Nothing seen yet of the chips of a network, whose netlists are given by the names of the chips.
    ///
    /// # Errors
    /// As of `netlist`, and when a netlist cannot be compiled.
    pub fn new(
        fabric: &Fabric,
        netlist: impl Fn(&str) -> Result<&'static Module, Error>,
    ) -> Result<Coverage, Error> {
        let mut chips: Vec<(ChipCoverage, WatchedChip)> = Vec::new();
        for array in fabric.arrays.iter().filter(|array| array.instances > 0) {
            let of_chip = |(known, _): &&mut (ChipCoverage, _)| known.chip.name == array.chip.name;
            if let Some((known, _)) = chips.iter_mut().find(of_chip) {
                known.instances += array.instances;
                continue;
            }
            let (chip, module) = (array.chip, netlist(array.chip.name)?);
            let covered = ChipCoverage {
                chip,
                module,
                instances: array.instances,
                nets: nets(chip, module, &still(fabric, chip, module)?),
            };
            let watched = WatchedChip {
                rest: rest_condition(chip, module)?,
                follows_random: follows_random(chip, module),
                modules: Vec::new(),
            };
            chips.push((covered, watched));
        }
        Ok(Coverage {
            chips: Mutex::new(chips),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(ChipCoverage, WatchedChip)>> {
        self.chips
            .lock()
            .expect("no thread panics while it holds the lock")
    }

    /// The coverage of each chip, in the order of the network.
    pub fn chips(&self) -> Vec<ChipCoverage> {
        let chips = self.lock();
        chips.iter().map(|(covered, _)| covered.clone()).collect()
    }

    /// The netlists of the chips with watchers of all that has not been seen.
    ///
    /// They are there to the end of the program, as engines take it, so an engine is not often made again.
    pub(super) fn watched(&self) -> Modules {
        let mut chips = self.lock();
        let chips = chips.iter_mut().map(|(covered, known)| {
            let open = covered.open().collect();
            (covered.chip.name, known.module(covered, open, Alarm::new()))
        });
        chips.collect()
    }

    /// The netlists of the chips with watchers of those nets that have changed in one direction, or differ
    /// between instances. All others that have not changed are quiet: an alarm tells when one of them does.
    ///
    /// # Errors
    /// When a netlist has a combinational loop.
    pub(super) fn alarmed(&self) -> Result<(Modules, QuietNets), Error> {
        let (mut modules, mut quiet) = (Modules::new(), QuietNets::new());
        for (covered, known) in self.lock().iter_mut() {
            let name = covered.chip.name;
            let of_chip: BTreeMap<NetId, bool> = covered.quiet().collect();
            let is_quiet = |watch: &Watch| of_chip.contains_key(&watch.net);
            let watches = covered.open().filter(|watch| !is_quiet(watch)).collect();
            let alarm = covered.alarm(&of_chip)?;
            modules.push((name, known.module(covered, watches, alarm)));
            quiet.insert(name, of_chip);
        }
        Ok((modules, quiet))
    }

    /// Number of changes that have not been seen.
    pub(super) fn open(&self) -> usize {
        let chips = self.lock();
        chips
            .iter()
            .map(|(covered, _)| covered.open().count())
            .sum()
    }

    /// Takes in what watchers have noted, with the names of their chips.
    pub(super) fn add(&self, seen: &BTreeSet<(&'static str, Watch, Noted)>) {
        let mut chips = self.lock();
        for &(name, watch, noted) in seen {
            let mut chips = chips.iter_mut().map(|(covered, _)| covered);
            let covered = chips.find(|covered| covered.chip.name == name);
            let nets = covered.map(|covered| &mut covered.nets);
            let net = nets.and_then(|nets| {
                let at = nets.binary_search_by_key(&watch.net, |net| net.net).ok()?;
                nets.get_mut(at)
            });
            net.expect("it is watched").note((watch, noted));
        }
    }
}

impl WatchedChip {
    /// The chip with such watchers and an alarm.
    fn module(
        &mut self,
        covered: &ChipCoverage,
        watches: Vec<Watch>,
        alarm: Alarm,
    ) -> &'static Module {
        let mut known = self.modules.iter();
        let found = known.find(|(of, nets, _)| *of == watches && *nets == alarm);
        if let Some((.., module)) = found {
            return module;
        }
        let names = covered.chip.clock_and_reset();
        let module = covered.module.clone();
        let random = |net: NetId| self.follows_random[net.index()];
        // Both engines know when an instance is awake as long as one of them has to.
        let knows_rest = covered.open().any(|watch| random(watch.net));
        let rest = (knows_rest, self.rest.as_ref());
        let module = watched(module, names, &watches, &alarm, random, rest);
        let module: &'static Module = Box::leak(Box::new(module));
        if self.modules.len() == MODULES_MAX {
            self.modules.remove(0);
        }
        self.modules.push((watches, alarm, module));
        module
    }
}

impl ChipCoverage {
    /// The nets that have had one value so far, in all instances, with it.
    fn quiet(&self) -> impl Iterator<Item = (NetId, bool)> {
        let nets = self.nets.iter().filter(|net| !net.still);
        nets.filter_map(|net| Some((net.net, net.only_value()?)))
    }

    /// The quiet inputs, the quiet registers that these do not hold, and the gates that these and those do
    /// not hold: as long as none of them changes, no quiet net does.
    fn alarm(&self, quiet: &BTreeMap<NetId, bool>) -> Result<Alarm, Error> {
        let module = self.module;
        let mut is_input = vec![false; module.nets.len()];
        let inputs = module.ports_of(PortDirection::Input);
        for net in inputs
            .flat_map(|port| &port.bits)
            .filter_map(|bit| bit.net())
        {
            is_input[net.index()] = true;
        }
        let mut is_register = vec![false; module.nets.len()];
        for (_, flop) in module.flops() {
            is_register[flop.q.index()] = true;
        }
        let value = |net: NetId| {
            let at = self.nets.binary_search_by_key(&net, |net| net.net).ok()?;
            self.nets[at].only_value()
        };
        let input = |port: &str, bit: usize| value(module.port(port)?.bits.get(bit)?.net()?);
        let names = self.chip.clock_and_reset();
        let by_inputs = constants(module, names, input, |_| None)?;
        let by_registers = constants(module, names, input, value)?;
        let quiet = quiet.iter().map(|(&net, &value)| (net, value));
        let is_needed = |net: NetId, value| {
            let at = net.index();
            match (is_input[at], is_register[at]) {
                (true, _) => true,
                (false, true) => by_inputs[at] != Some(value),
                (false, false) => by_registers[at] != Some(value),
            }
        };
        Ok(quiet
            .filter(|&(net, value)| is_needed(net, value))
            .collect())
    }

    /// For each net of the module its value in all cycles after the reset, where that is proved. `inputs`
    /// says of a bit of an input that it has one value in all cycles.
    ///
    /// # Errors
    /// When the netlist has a combinational loop.
    pub fn constants(
        &self,
        inputs: impl Fn(&str, usize) -> Option<bool>,
    ) -> Result<Vec<Option<bool>>, Error> {
        constants(self.module, self.chip.clock_and_reset(), inputs, |_| None)
    }

    /// The cycles after the reset among which [`reach`](Self::reach) looks, of so many: fewer in large chips, and
    /// none in those with memories.
    pub fn reach_cycles(&self, cycles: usize) -> usize {
        match self.module.beside.is_empty() {
            true => cycles.min(REACH_NETS_MAX / self.module.nets.len().max(1)),
            false => 0,
        }
    }

    /// For some nets of the module and values, ways from the state after the reset to the first cycle in which a net
    /// has its value. Cycle 0 is the first one after the reset. Pins that keep their values during a run do so
    /// there. None is found after `is_stopped` was true.
    ///
    /// # Errors
    /// When the netlist has a combinational loop.
    pub fn reach(
        &self,
        wanted: &[(NetId, bool)],
        cycles: usize,
        is_stopped: impl Fn() -> bool,
    ) -> Result<Vec<Option<Reach>>, Error> {
        let [clock, reset] = self.chip.clock_and_reset();
        let initial = after_reset_at_rest(self.module, reset)?;
        // Engines have 0 where nothing is known.
        let initial: Vec<bool> = initial
            .into_iter()
            .map(|value| value == Some(true))
            .collect();
        let mut courses = vec![InputCourse::Free; self.module.nets.len()];
        for covered in self.nets.iter().filter(|covered| covered.still) {
            courses[covered.net.index()] = match covered.only_value() {
                Some(value) => InputCourse::Held(value),
                None => InputCourse::Steady,
            };
        }
        let is_of = |name: &str, net: NetId| {
            let mut ports = self.module.port(name).into_iter();
            ports.any(|port| port.bits.contains(&Bit::Net(net)))
        };
        let is_told = |net: NetId| is_of(clock, net) || is_of(reset, net);
        for net in (0..)
            .map(NetId)
            .take(self.module.nets.len())
            .filter(|&net| is_told(net))
        {
            courses[net.index()] = InputCourse::Held(false);
        }
        let cycles = self.reach_cycles(cycles);
        let course = |net: NetId| courses[net.index()];
        let mut found = reach(self.module, &initial, course, wanted, cycles, is_stopped);
        for way in found.iter_mut().flatten() {
            way.inputs.retain(|input| !is_told(input.net));
        }
        Ok(found)
    }

    /// The changes that have not been seen.
    fn open(&self) -> impl Iterator<Item = Watch> {
        self.nets.iter().filter(|net| !net.still).flat_map(|net| {
            let changes = [(net.rose, Change::Rise), (net.fell, Change::Fall)];
            let open = changes.into_iter().filter(|(seen, _)| !seen);
            open.map(|(_, change)| Watch {
                net: net.net,
                change,
            })
        })
    }
}

/// For each net of a chip its value where it has one in all instances and cycles, and whether it depends
/// on nothing but pins that keep their values during a run, or on nothing at all.
fn still(
    fabric: &Fabric,
    chip: &Chip,
    module: &Module,
) -> Result<Vec<(Option<bool>, bool)>, Error> {
    let arrays = fabric.arrays.iter();
    let arrays: Vec<_> = arrays
        .filter(|array| array.chip.name == chip.name)
        .collect();
    let keeps = |name: &str| {
        let port = chip.ports.iter().position(|port| port.name == name);
        let is_pin = |port: usize| match chip.ports[port].role {
            Role::Parameter => true,
            Role::Option => arrays.iter().all(|array| !array.changes(port)),
            _ => false,
        };
        port.is_some_and(is_pin)
    };
    // Bits that have one value in all instances.
    let ties: Vec<_> = arrays.iter().map(|array| array.ties()).collect();
    let tied = |name: &str, bit: usize| {
        let of_array = |ties: &Vec<(String, usize, bool)>| {
            let mut ties = ties.iter();
            let found = ties.find(|(port, at, _)| port == name && *at == bit);
            found.map(|(_, _, value)| *value)
        };
        let first = of_array(ties.first()?)?;
        ties.iter()
            .all(|ties| of_array(ties) == Some(first))
            .then_some(first)
    };
    let constant = constants(module, chip.clock_and_reset(), tied, |_| None)?;
    let mut still: Vec<bool> = constant.iter().map(Option::is_some).collect();
    for port in module.ports_of(PortDirection::Input) {
        for net in port.bits.iter().filter_map(|bit| bit.net()) {
            still[net.index()] |= keeps(&port.name);
        }
    }
    spread(module, &mut still, true, |all, is| all && is);
    Ok(constant.into_iter().zip(still).collect())
}

/// The nets of a chip that count.
fn nets(chip: &Chip, module: &Module, still: &[(Option<bool>, bool)]) -> Vec<CoveredNet> {
    let mut counts = vec![false; module.nets.len()];
    let unmoved = chip.clock_and_reset();
    let inputs = module.ports_of(PortDirection::Input);
    let inputs = inputs.filter(|port| !unmoved.contains(&&*port.name));
    for net in inputs
        .flat_map(|port| &port.bits)
        .filter_map(|bit| bit.net())
    {
        counts[net.index()] = true;
    }
    for cell in &module.cells {
        cell.kind.visit_outputs(|_, _, bit| {
            if let Bit::Net(net) = bit {
                counts[net.index()] = true;
            }
        });
    }
    let counted = (0..).zip(counts).filter(|(_, counts)| *counts);
    let nets = counted.map(|(net, _)| {
        let (value, still) = still[net as usize];
        CoveredNet {
            net: NetId(net),
            rose: false,
            fell: false,
            has_been: [value == Some(false), value == Some(true)],
            still,
        }
    });
    nets.collect()
}

/// For each net of a chip whether it depends on random pins in the same cycle.
fn follows_random(chip: &Chip, module: &Module) -> Vec<bool> {
    let mut follows = vec![false; module.nets.len()];
    for port in module.ports_of(PortDirection::Input) {
        let mut ports = chip.ports.iter();
        let found = ports.find(|known| known.name == port.name);
        if found.is_some_and(|found| matches!(found.role, Role::Random { .. })) {
            let nets = port.bits.iter().filter_map(|bit| bit.net());
            nets.for_each(|net| follows[net.index()] = true);
        }
    }
    spread(module, &mut follows, false, |any, is| any || is);
    follows
}

/// Marks the outputs of gates, from level to level, by the marks of their inputs, which `with` adds to
/// `first`.
fn spread(module: &Module, marks: &mut [bool], first: bool, with: fn(bool, bool) -> bool) {
    let order = levelise(module).map_or(Vec::new(), |levels| levels.order);
    for &cell in &order {
        if let CellKind::Gate(gate) = &module.cells[cell].kind {
            let inputs = gate.inputs.iter().filter_map(|bit| bit.net());
            let mark = inputs.map(|net| marks[net.index()]).fold(first, with);
            marks[gate.output.index()] |= mark;
        }
    }
}

/// The condition under which a chip rests whatever its options are; `None` when it never does.
fn rest_condition(chip: &Chip, module: &Module) -> Result<Option<RestCondition>, Error> {
    let [clock, reset] = chip.clock_and_reset();
    let ties = [(reset.to_owned(), 0, false)];
    let leaf = Leaf::new(module, clock, &ties)?;
    let values = reset::values(module, &[], clock, reset)?;
    let values: Vec<bool> = leaf
        .registers
        .iter()
        .map(|register| values.get(&register.name).copied().unwrap_or(false))
        .collect();
    let is_zero = |name: &str| {
        let port = chip.ports.iter().find(|port| port.name == name);
        port.is_some_and(|port| matches!(port.role, Role::Link { .. } | Role::Host))
    };
    let condition = rest::condition(&leaf, &values, is_zero);
    let inputs = leaf.inputs().map(|port| &port.name);
    let inputs: Vec<String> = inputs.filter(|name| is_zero(name)).cloned().collect();
    Ok(condition.map(|condition| RestCondition {
        inputs,
        registers: condition
            .into_iter()
            .map(|(register, value)| (leaf.registers[register].name.clone(), value))
            .collect(),
    }))
}
