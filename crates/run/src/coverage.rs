//! Toggle coverage of the chips of a run as a report: which nets rose and fell, and why others did not.
//!
//! A net *toggled* when it both rose and fell, in any instance of its chip, in any replicate. Of one that
//! never changed the report says which of these holds:
//!
//! | reason | meaning |
//! |---|---|
//! | `never` | it has one value in all cycles, whatever the inputs of the chip are; proved |
//! | `pins` | it depends on nothing but pins that keep their values during a run |
//! | `inputs` | it has, as long as some inputs keep the values that they had in all instances; proved |
//! | `open` | neither is proved: other traffic may change it |
//!
//! Reports of several runs are merged. [`lcov`] writes one by lines of source.

pub mod lcov;
mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::simulation::Simulation;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_gate::coverage::{ChipCoverage, CoveredNet};
use crosswave_netlist::{Bit, Module, NetId, PortDirection};
pub use paths::RouterPath;

/// The coverage of one or more runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageReport {
    /// Replicates in all.
    pub replicates: u64,
    /// The chips.
    pub chips: Vec<ChipReport>,
}

/// The coverage of a chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipReport {
    /// The name of the chip.
    pub chip: String,
    /// Instances of it, in the largest of the networks.
    pub instances: u64,
    /// The numbers of nets of each kind that toggled.
    pub counts: Vec<KindCount>,
    /// Cycles after the reset among which ways to what never happened were looked for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reach_cycles: u64,
    /// The paths of messages through it, where it is a router and they were counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<RouterPath>,
    /// The nets, in the order of the netlist.
    pub nets: Vec<NetReport>,
}

/// The number of nets of a kind that toggled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindCount {
    /// The kind.
    pub kind: NetKind,
    /// Nets of the kind.
    pub nets: u64,
    /// Those that rose and fell.
    pub toggled: u64,
    /// Those that never can, whatever the inputs are.
    pub never: u64,
    /// Those that depend on nothing but pins that keep their values during a run.
    pub pins: u64,
}

impl KindCount {
    /// Nets that may toggle.
    pub fn may(&self) -> u64 {
        self.nets - self.never - self.pins
    }
}

/// A kind of nets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetKind {
    /// A bit of an input.
    Input,
    /// A bit of an output.
    Output,
    /// A flip-flop.
    Register,
    /// The output of a gate.
    Gate,
}

impl NetKind {
    /// All kinds, in the order of reports.
    pub const ALL: [NetKind; 4] = [
        NetKind::Input,
        NetKind::Output,
        NetKind::Register,
        NetKind::Gate,
    ];

    /// The word for several.
    pub fn plural(self) -> &'static str {
        match self {
            NetKind::Input => "inputs",
            NetKind::Output => "outputs",
            NetKind::Register => "registers",
            NetKind::Gate => "gates",
        }
    }
}

/// The coverage of a net.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetReport {
    /// Its name in the netlist.
    pub net: String,
    /// Its kind.
    pub kind: NetKind,
    /// The line of source that it comes from, as `FILE:LINE`, where the netlist tells it.
    pub source: Option<String>,
    /// True when it rose.
    pub rose: bool,
    /// True when it fell.
    pub fell: bool,
    /// The reason for which it never changed; none when it did.
    pub reason: Option<Reason>,
    /// All inputs that hold it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// A way to its other value, if one was looked for and found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<NetReach>,
    /// True when one was looked for and not found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreached: bool,
}

/// A way from the reset to a value of a net.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetReach {
    /// The value that the net never had.
    pub value: bool,
    /// The cycle in which the net has the value; cycle 0 is the reset.
    pub cycle: u64,
    /// The inputs of the chip on which that depends, by cycle; others do not matter.
    pub inputs: Vec<DrivenInput>,
}

/// The value of a bit of an input in a cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrivenInput {
    /// The cycle; 0 of a pin that keeps its value during a run.
    pub cycle: u64,
    /// The bit of the input.
    pub input: String,
    /// Its value.
    pub value: bool,
}

impl NetReport {
    /// True when it rose and fell.
    pub fn toggled(&self) -> bool {
        self.rose && self.fell
    }

    /// True when a designer gave it its name.
    pub fn is_named(&self) -> bool {
        !self.net.contains('$')
    }
}

/// The reason for which a net never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// It cannot, whatever the inputs are.
    Never,
    /// It depends on nothing but pins that keep their values during a run.
    Pins,
    /// It cannot while some inputs keep their values.
    Inputs,
    /// Nothing is proved.
    Open,
}

impl CoverageReport {
    /// The coverage of all replicates that a simulation has run. Ways to what never happened are looked for in so
    /// many cycles after the reset, until `is_stopped`.
    ///
    /// # Errors
    /// When a netlist has a combinational loop.
    ///
    /// # Panics
    /// When the simulation does not count.
    pub fn of(
        simulation: &Simulation,
        replicates: u64,
        reach_cycles: usize,
        is_stopped: impl Fn() -> bool,
    ) -> Result<CoverageReport, Error> {
        let coverage = simulation.coverage().expect("the simulation counts");
        let chips = coverage.chips();
        let chips = chips.iter().map(|chip| {
            let folders = simulation.source_folders(chip.chip.name);
            ChipReport::of(chip, &folders, reach_cycles, &is_stopped)
        });
        Ok(CoverageReport {
            replicates,
            chips: chips.collect::<Result<_, _>>()?,
        })
    }

    /// Adds the paths through routers of a chip.
    pub fn add_paths(&mut self, chip: &str, paths: Vec<RouterPath>) {
        let mut chips = self.chips.iter_mut();
        if let Some(known) = chips.find(|known| known.chip == chip) {
            paths::add(&mut known.paths, paths);
        }
    }

    /// The report that a file holds. What can be counted is counted again.
    ///
    /// # Errors
    /// When it is not the JSON of a report.
    pub fn parse(text: &str) -> Result<CoverageReport, serde_json::Error> {
        let mut report: CoverageReport = serde_json::from_str(text)?;
        report.chips.iter_mut().for_each(ChipReport::count);
        Ok(report)
    }

    /// Adds the coverage of other runs, which was read from `origin`.
    ///
    /// # Errors
    /// When a chip of the same name has other nets there.
    pub fn merge(&mut self, other: CoverageReport, origin: &str) -> Result<(), Error> {
        self.replicates = self.replicates.saturating_add(other.replicates);
        for chip in other.chips {
            match self.chips.iter_mut().find(|known| known.chip == chip.chip) {
                Some(known) => known.merge(chip, origin)?,
                None => self.chips.push(chip),
            }
        }
        Ok(())
    }
}

impl ChipReport {
    fn of(
        covered: &ChipCoverage,
        folders: &[PathBuf],
        reach_cycles: usize,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<ChipReport, Error> {
        let module = covered.module;
        let kinds = kinds(module);
        let held = HeldNets::of(covered)?;
        // Flip-flops with asynchronous controls are known by the nets that they show.
        let counted = covered.nets.iter().filter(|net| {
            let name = &module.nets[net.net.index()].name;
            !ADDED.iter().any(|end| name.ends_with(end))
        });
        let nets = counted.map(|net| {
            let (reason, inputs) = match net.rose || net.fell {
                true => (None, Vec::new()),
                false => {
                    let (reason, inputs) = held.reason(net);
                    (Some(reason), inputs)
                }
            };
            let named = &module.nets[net.net.index()];
            NetReport {
                net: named.name.to_string(),
                kind: kinds[net.net.index()],
                source: source(&named.src, folders),
                rose: net.rose,
                fell: net.fell,
                reason,
                inputs,
                reach: None,
                unreached: false,
            }
        });
        let mut report = ChipReport {
            chip: covered.chip.name.to_owned(),
            instances: covered.instances as u64,
            counts: Vec::new(),
            reach_cycles: covered.reach_cycles(reach_cycles) as u64,
            paths: Vec::new(),
            nets: nets.collect(),
        };
        report.count();
        report.find_ways(covered, reach_cycles, is_stopped)?;
        Ok(report)
    }

    /// Looks for ways to the values that nets never had.
    fn find_ways(
        &mut self,
        covered: &ChipCoverage,
        cycles: usize,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let nets = covered.nets.iter();
        let by_name: BTreeMap<&str, &CoveredNet> = nets
            .map(|net| (covered.module.net_name(net.net), net))
            .collect();
        let mut wanted = Vec::new();
        let mut reports = Vec::new();
        for (at, report) in self.nets.iter().enumerate() {
            let is_open = matches!(report.reason, Some(Reason::Open | Reason::Inputs));
            let net = by_name.get(&*report.net);
            let value = net.and_then(|net| Some((net.net, !net.only_value()?)));
            if let (true, Some(value)) = (is_open, value) {
                wanted.push(value);
                reports.push(at);
            }
        }
        if covered.reach_cycles(cycles) == 0 {
            return Ok(());
        }
        let steady: BTreeSet<NetId> = covered
            .nets
            .iter()
            .filter(|net| net.still)
            .map(|net| net.net)
            .collect();
        let ways = covered.reach(&wanted, cycles, is_stopped)?;
        let was_stopped = is_stopped();
        if was_stopped {
            self.reach_cycles = 0;
        }
        for ((at, found), (_, value)) in reports.into_iter().zip(ways).zip(wanted) {
            self.nets[at].unreached = found.is_none() && !was_stopped;
            self.nets[at].reach = found.map(|way| NetReach {
                value,
                cycle: way.cycle as u64 + 1,
                inputs: way
                    .inputs
                    .iter()
                    .map(|input| DrivenInput {
                        cycle: match steady.contains(&input.net) {
                            true => 0,
                            false => input.cycle as u64 + 1,
                        },
                        input: covered.module.net_name(input.net).to_owned(),
                        value: input.value,
                    })
                    .collect(),
            });
        }
        Ok(())
    }

    /// Counts the nets of each kind.
    fn count(&mut self) {
        let of_kind = |kind| {
            let nets = self.nets.iter().filter(move |net| net.kind == kind);
            KindCount {
                kind,
                nets: nets.clone().count() as u64,
                toggled: nets.clone().filter(|net| net.toggled()).count() as u64,
                never: nets
                    .clone()
                    .filter(|net| net.reason == Some(Reason::Never))
                    .count() as u64,
                pins: nets.filter(|net| net.reason == Some(Reason::Pins)).count() as u64,
            }
        };
        self.counts = NetKind::ALL.map(of_kind).into();
    }

    /// Nets of all kinds that toggled, those that may, and all.
    pub fn sums(&self) -> KindSums {
        let sum = |of: fn(&KindCount) -> u64| self.counts.iter().map(of).sum();
        KindSums {
            nets: sum(|count| count.nets),
            toggled: sum(|count| count.toggled),
            may: sum(KindCount::may),
        }
    }

    fn merge(&mut self, other: ChipReport, origin: &str) -> Result<(), Error> {
        let names = |nets: &[NetReport]| -> Vec<String> {
            nets.iter().map(|net| net.net.clone()).collect()
        };
        if names(&self.nets) != names(&other.nets) {
            let found = format!(
                "it has other nets here than in the files before: {} and {}",
                other.nets.len(),
                self.nets.len()
            );
            let help = "merge runs of one version of a chip only";
            let place = format!("chip {}", self.chip);
            return Err(Error::one(
                Class::Input,
                origin,
                Diagnostic::new(place, found, help),
            ));
        }
        self.instances = self.instances.max(other.instances);
        self.reach_cycles = match (self.reach_cycles, other.reach_cycles) {
            (0, cycles) | (cycles, 0) => cycles,
            (one, other) => one.min(other),
        };
        paths::add(&mut self.paths, other.paths);
        for (net, more) in self.nets.iter_mut().zip(other.nets) {
            net.rose |= more.rose;
            net.fell |= more.fell;
            net.reason = match net.rose || net.fell {
                true => None,
                // A proof of one run is none of both.
                false => net.reason.max(more.reason),
            };
            net.reach = match net.reason {
                Some(Reason::Inputs | Reason::Open) => net.reach.take().or(more.reach),
                _ => None,
            };
            let is_sought = net.unreached || more.unreached;
            net.unreached = is_sought && net.reach.is_none() && net.reason.is_some();
            match net.reason {
                Some(Reason::Inputs | Reason::Pins) => {
                    let known: BTreeSet<String> = net.inputs.drain(..).chain(more.inputs).collect();
                    net.inputs = known.into_iter().collect();
                }
                _ => net.inputs.clear(),
            }
        }
        self.count();
        Ok(())
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Sums over the kinds of nets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindSums {
    /// Nets.
    pub nets: u64,
    /// Those that rose and fell.
    pub toggled: u64,
    /// Those that may.
    pub may: u64,
}

impl KindSums {
    /// The share of nets that toggled, in percent, of those that may.
    pub fn percent(self) -> f64 {
        match self.may {
            0 => 100.0,
            may => 100.0 * self.toggled as f64 / may as f64,
        }
    }
}

/// The ends of the names of nets that flip-flops with asynchronous controls get
/// ([`lower_flops`](crosswave_netlist::lower_flops)).
const ADDED: [&str; 2] = ["$stored", "$after"];

/// The kind of each net.
fn kinds(module: &Module) -> Vec<NetKind> {
    let mut kinds = vec![NetKind::Gate; module.nets.len()];
    for (_, flop) in module.flops() {
        kinds[flop.q.index()] = NetKind::Register;
        let shown = module.net_name(flop.q).strip_suffix(ADDED[0]);
        let mut nets = module.nets.iter();
        if let Some(at) = shown.and_then(|shown| nets.position(|net| net.name == shown)) {
            kinds[at] = NetKind::Register;
        }
    }
    for port in &module.ports {
        let kind = match port.direction {
            PortDirection::Input => NetKind::Input,
            PortDirection::Output => NetKind::Output,
        };
        for net in port.bits.iter().filter_map(|bit| bit.net()) {
            kinds[net.index()] = kind;
        }
    }
    kinds
}

/// The line that a net comes from: the last of the places that Yosys tells, since those before are of the
/// instances around it. `folders` are the folders of a designer's files, which Yosys found as `d0`, `d1`
/// and so on; the other files are those of the program, of which some are written as it runs.
fn source(places: &str, folders: &[PathBuf]) -> Option<String> {
    // Modules that Yosys itself brings along are named by a path from the root.
    let mut places = places.rsplit('|');
    let place = places.find(|place| !place.starts_with('/') && !place.is_empty())?;
    let (file, columns) = place.rsplit_once(':')?;
    let line = columns.split(['.', '-']).next()?;
    line.parse::<u64>().ok()?;
    let of_folder = |(at, folder): (usize, &PathBuf)| {
        let name = file.strip_prefix(&format!("d{at}/"))?;
        Some(folder.join(name))
    };
    let found = folders.iter().enumerate().find_map(of_folder);
    let file = match found {
        Some(file) => file,
        None if file.starts_with("given/") => return None,
        None => Path::new("hdl").join(file.strip_prefix("library/").unwrap_or(file)),
    };
    Some(format!("{}:{line}", file.display()))
}

/// The nets of a chip that never changed, and the inputs that hold them.
struct HeldNets<'a> {
    module: &'a Module,
    /// Values whatever the inputs are.
    always: Vec<Option<bool>>,
    /// True for a net that keeps its value while inputs keep theirs that did not change.
    held: Vec<bool>,
    /// The name of each net that is a bit of an input that did not change.
    inputs: Vec<Option<String>>,
    /// The cell that drives each net.
    drivers: Vec<Option<usize>>,
}

impl HeldNets<'_> {
    fn of(covered: &ChipCoverage) -> Result<HeldNets<'static>, Error> {
        let module = covered.module;
        let of_net = |net: NetId| covered.nets.iter().find(|known| known.net == net);
        let input = |port: &str, bit: usize| {
            let found = module.port(port).and_then(|port| port.bits.get(bit));
            of_net(found?.net()?)?.only_value()
        };
        let mut inputs = vec![None; module.nets.len()];
        for port in module.ports_of(PortDirection::Input) {
            for (bit, net) in port.bits.iter().enumerate() {
                let Bit::Net(net) = net else { continue };
                let still = of_net(*net).is_some_and(|known| known.still);
                if still || input(&port.name, bit).is_some() {
                    inputs[net.index()] = Some(module.net_name(*net).to_owned());
                }
            }
        }
        let mut drivers = vec![None; module.nets.len()];
        for (at, cell) in module.cells.iter().enumerate() {
            cell.kind.visit_outputs(|_, _, bit| {
                if let Bit::Net(net) = bit {
                    drivers[net.index()] = Some(at);
                }
            });
        }
        let held = covered.constants(input)?;
        let mut held: Vec<bool> = held.iter().map(Option::is_some).collect();
        for net in covered.nets.iter().filter(|net| net.still) {
            held[net.net.index()] = true;
        }
        Ok(HeldNets {
            module,
            always: covered.constants(|_, _| None)?,
            held,
            inputs,
            drivers,
        })
    }

    /// The reason for which a net never changed, and the inputs that hold it.
    fn reason(&self, covered: &CoveredNet) -> (Reason, Vec<String>) {
        let net = covered.net;
        if self.always[net.index()].is_some() {
            return (Reason::Never, Vec::new());
        }
        if !self.held[net.index()] {
            return (Reason::Open, Vec::new());
        }
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([net]);
        let mut left = vec![net];
        while let Some(net) = left.pop() {
            found.extend(self.inputs[net.index()].clone());
            let Some(cell) = self.drivers[net.index()] else {
                continue;
            };
            self.module.cells[cell].kind.visit_inputs(|_, _, bit| {
                let held = bit
                    .net()
                    .filter(|net| self.held[net.index()] && self.always[net.index()].is_none());
                left.extend(held.filter(|net| seen.insert(*net)));
            });
        }
        let reason = match covered.still {
            true => Reason::Pins,
            false => Reason::Inputs,
        };
        (reason, found.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_lines_of_files() {
        let folders = ["rtl", ""].map(PathBuf::from);
        let cases: [(&str, &[PathBuf], Option<&str>); 8] = [
            ("", &[], None),
            ("a.v:3.4-5.6", &[], Some("hdl/a.v:3")),
            ("a.v:3.4-5.6|/usr/share/x.v:1.2", &[], Some("hdl/a.v:3")),
            ("a.v:3.4-5.6|b.v:7.1-7.9", &[], Some("hdl/b.v:7")),
            ("d0/a.v:3.4-5.6", &folders, Some("rtl/a.v:3")),
            ("d1/a.v:12.4", &folders, Some("a.v:12")),
            ("library/a.v:12.4", &folders, Some("hdl/a.v:12")),
            ("given/a.v:1.2", &[], None),
        ];
        for (place, folders, expected) in cases {
            assert_eq!(source(place, folders).as_deref(), expected, "{place}");
        }
    }

    fn report(nets: &[(&str, bool, bool, Option<Reason>)]) -> CoverageReport {
        let nets = nets.iter().map(|&(net, rose, fell, reason)| NetReport {
            net: net.to_owned(),
            kind: NetKind::Gate,
            source: None,
            rose,
            fell,
            reason,
            inputs: Vec::new(),
            reach: None,
            unreached: false,
        });
        let mut chip = ChipReport {
            chip: "chip".to_owned(),
            instances: 3,
            counts: Vec::new(),
            reach_cycles: 0,
            paths: Vec::new(),
            nets: nets.collect(),
        };
        chip.count();
        CoverageReport {
            replicates: 2,
            chips: vec![chip],
        }
    }

    #[test]
    fn what_one_run_shows_is_shown() {
        let mut merged = report(&[
            ("a", true, false, None),
            ("b", false, false, Some(Reason::Inputs)),
            ("c", false, false, Some(Reason::Never)),
        ]);
        let other = report(&[
            ("a", false, true, None),
            ("b", false, false, Some(Reason::Open)),
            ("c", false, false, Some(Reason::Never)),
        ]);
        merged.merge(other, "other").expect("the same nets");
        let chip = &merged.chips[0];
        assert_eq!(merged.replicates, 4);
        assert!(chip.nets[0].toggled());
        assert_eq!(chip.nets[1].reason, Some(Reason::Open));
        let sums = chip.sums();
        assert_eq!((sums.nets, sums.toggled, sums.may), (3, 1, 2));
        assert_eq!(sums.percent(), 50.0);
        let error = merged.merge(report(&[("a", true, true, None)]), "third");
        let said = error.expect_err("other nets").to_string();
        assert!(
            said.contains("third: chip chip: it has other nets here"),
            "{said}"
        );
    }
}
