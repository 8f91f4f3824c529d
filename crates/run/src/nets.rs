//! Named nets of the chips' netlists, as signals of a waveform.
//!
//! ```text
//! testbench.nets.INSTANCE.NET               a register or wire of the chip's own module
//! testbench.nets.INSTANCE.PART.….NET        of a module inside it, as its Verilog is divided
//! ```
//!
//! Engines compute outputs and no more than these need, so nets are found beside them: every
//! chip of which a net is shown is evaluated net by net ([`Evaluation`]) from cycle 0 on, with
//! what the engine shows at its inputs. So they are the same on both engines, whose registers
//! are never looked at, and they cost some 5 ns for each gate of such a chip in each cycle.
//!
//! A net has a name when a designer gave it one that survived synthesis, which leaves registers
//! and some of the wires between them. The nets of a vector are one signal when all its bits are
//! driven, from 0 up to at most 63, and signals of one bit each otherwise: a bit that is constant,
//! the same as another net, or not needed has no driver.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::observer::Observer;
use crosswave_base::diagnostic::Error;
use crosswave_chips::PinDirection;
use crosswave_chips::netlists::NetlistSet;
use crosswave_netlist::{Bit, Evaluation, GATE_BITS_MAX, Module, NetId, Port, without_memories};
use crosswave_network::Fabric;
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::{Hierarchy, Mark, Net, Scope, Signal, SignalSelection, SignalSet};

/// The scopes that all others lie in.
const OUTER: [(&str, Option<usize>); 2] = [("testbench", None), ("nets", Some(0))];

/// The most changes that are kept: 24 bytes each.
pub const CHANGES_MAX: usize = 1 << 26;

/// All named nets of the chips of a fabric: the scopes and signals that patterns choose from.
///
/// A large network has millions of them, so each is made when it is asked for.
pub struct NamedNets<'a> {
    fabric: &'a Fabric,
    arrays: Vec<ArrayNets>,
    scopes: usize,
    signals: usize,
}

/// The nets of the chips of an array that has instances and a netlist.
struct ArrayNets {
    array: usize,
    first_scope: usize,
    first_signal: usize,
    chip: ChipNets,
}

/// The named nets of a chip.
struct ChipNets {
    module: &'static Module,
    /// Names of scopes, and where the scope around each is; the first one is the chip's own.
    scopes: Vec<(&'static str, usize)>,
    /// The signals, those of a scope together.
    signals: Vec<NamedNet>,
}

/// A net, or those of a vector.
struct NamedNet {
    scope: usize,
    name: &'static str,
    /// Bit 0 first.
    nets: Vec<NetId>,
}

/// The scopes around a net and its name, with which it is looked up: without the index of a bit.
type Path = (Vec<&'static str>, &'static str);

impl ChipNets {
    /// The nets of a module that are no ports, that something drives, and that a designer has
    /// named.
    fn new(module: &'static Module, widths: &BTreeMap<String, usize>) -> ChipNets {
        let mut is_inside = vec![false; module.nets.len()];
        for cell in &module.cells {
            cell.kind.visit_outputs(|_, _, bit| {
                if let Bit::Net(net) = bit {
                    is_inside[net.index()] = true;
                }
            });
        }
        let ports = module.ports.iter().flat_map(|port| &port.bits);
        ports
            .filter_map(|bit| bit.net())
            .for_each(|net| is_inside[net.index()] = false);
        // Nets by path and index; a net that is no bit of a vector has no index.
        let mut paths: BTreeMap<Path, BTreeMap<Option<usize>, (NetId, &'static str)>> =
            BTreeMap::new();
        for (number, net) in module.nets.iter().enumerate() {
            // A vector of which a bit is not needed has its other bits as single nets.
            if net.name.contains('$') {
                continue;
            }
            let mut around: Vec<&str> = net.name.split('.').collect();
            let whole = around.pop().expect("a split has a part");
            let (name, index) = match whole.strip_suffix(']').and_then(|w| w.rsplit_once('[')) {
                Some((name, index)) => (name, index.parse().ok()),
                None => (whole, None),
            };
            let name = if index.is_some() { name } else { whole };
            let nets = paths.entry((around, name)).or_default();
            nets.insert(index, (NetId(number as u32), whole));
        }
        let mut chip = ChipNets {
            module,
            scopes: vec![("", 0)],
            signals: Vec::new(),
        };
        let mut at: Vec<(&str, usize)> = Vec::new();
        for ((around, name), nets) in paths {
            if !nets.values().any(|(net, _)| is_inside[net.index()]) {
                continue;
            }
            let common = at.iter().zip(&around).take_while(|(a, b)| a.0 == **b);
            at.truncate(common.count());
            for part in &around[at.len()..] {
                let outer = at.last().map_or(0, |(_, scope)| *scope);
                chip.scopes.push((part, outer));
                at.push((part, chip.scopes.len() - 1));
            }
            let scope = at.last().map_or(0, |(_, scope)| *scope);
            let full: Vec<&str> = around.iter().copied().chain([name]).collect();
            let width = widths.get(&full.join(".")).copied().unwrap_or(1);
            let is_driven = nets.values().all(|(net, _)| is_inside[net.index()]);
            if nets.len() == width && width <= 64 && is_driven {
                let nets = nets.into_values().map(|(net, _)| net).collect();
                chip.signals.push(NamedNet { scope, name, nets });
            } else {
                let driven = nets.into_values().filter(|(net, _)| is_inside[net.index()]);
                let bits = driven.map(|(net, whole)| NamedNet {
                    scope,
                    name: whole,
                    nets: vec![net],
                });
                chip.signals.extend(bits);
            }
        }
        chip
    }
}

impl<'a> NamedNets<'a> {
    /// Those of a fabric whose chips have these netlists. Chips without one have none.
    pub fn new(fabric: &'a Fabric, netlists: &NetlistSet) -> NamedNets<'a> {
        let mut nets = NamedNets {
            fabric,
            arrays: Vec::new(),
            scopes: OUTER.len(),
            signals: 0,
        };
        for array in fabric.shown_arrays() {
            let layout = &fabric.arrays[array];
            let name = layout.chip.name;
            let module = netlists.module(name).and_then(without_memories).ok();
            let module: Option<&'static Module> = module.map(|module| match module {
                Cow::Borrowed(module) => module,
                // Netlists are there to the end of the program.
                Cow::Owned(module) => Box::leak(Box::new(module)),
            });
            let chip = module.map(|module| ChipNets::new(module, &netlists.vector_widths(name)));
            let Some(chip) = chip.filter(|chip| !chip.signals.is_empty() && layout.instances > 0)
            else {
                continue;
            };
            let (first_scope, first_signal) = (nets.scopes, nets.signals);
            nets.scopes += layout.instances * chip.scopes.len();
            nets.signals += layout.instances * chip.signals.len();
            nets.arrays.push(ArrayNets {
                array,
                first_scope,
                first_signal,
                chip,
            });
        }
        nets
    }

    /// The chip of a fabric whose nets cannot be shown for the size of a memory, and how large it may be.
    pub fn too_large(fabric: &Fabric, netlists: &NetlistSet) -> Option<String> {
        let chips = fabric.arrays.iter().map(|array| array.chip.name);
        let mut memories = chips.flat_map(|chip| {
            let memories = netlists.memories(chip).iter();
            memories.map(move |cut| (chip, cut))
        });
        let (chip, cut) = memories.find(|(_, cut)| cut.memory.bits() > GATE_BITS_MAX)?;
        Some(format!(
            "the memory {} of {chip} has {} bits; nets are shown of chips with memories of at most {GATE_BITS_MAX} bits",
            cut.name,
            cut.memory.bits()
        ))
    }

    /// Number of scopes.
    pub fn scope_count(&self) -> usize {
        self.scopes
    }

    /// Number of signals.
    pub fn signal_count(&self) -> usize {
        self.signals
    }

    /// The array that a scope is of, its instance, and which of the chip's scopes it is.
    fn scope(&self, scope: usize) -> (&ArrayNets, usize, usize) {
        let behind = self.arrays.partition_point(|a| a.first_scope <= scope);
        let array = &self.arrays[behind - 1];
        let (of_array, per_chip) = (scope - array.first_scope, array.chip.scopes.len());
        (array, of_array / per_chip, of_array % per_chip)
    }

    /// The name of a scope.
    pub fn scope_name(&self, scope: usize) -> Cow<'static, str> {
        if let Some((name, _)) = OUTER.get(scope) {
            return Cow::Borrowed(name);
        }
        match self.scope(scope) {
            (array, instance, 0) => Cow::Owned(self.fabric.instance_name(array.array, instance)),
            (array, _, inner) => Cow::Borrowed(array.chip.scopes[inner].0),
        }
    }

    /// The scope that a scope lies in.
    pub fn parent(&self, scope: usize) -> Option<usize> {
        if let Some((_, parent)) = OUTER.get(scope) {
            return *parent;
        }
        match self.scope(scope) {
            (_, _, 0) => Some(OUTER.len() - 1),
            (array, _, inner) => Some(scope - inner + array.chip.scopes[inner].1),
        }
    }

    /// The array that a signal is of, its instance, and which of the chip's signals it is.
    fn place(&self, signal: usize) -> (&ArrayNets, usize, usize) {
        let behind = self.arrays.partition_point(|a| a.first_signal <= signal);
        let array = &self.arrays[behind - 1];
        let (of_array, per_chip) = (signal - array.first_signal, array.chip.signals.len());
        (array, of_array / per_chip, of_array % per_chip)
    }

    /// A signal.
    pub fn signal(&self, signal: usize) -> Signal {
        let (array, instance, number) = self.place(signal);
        let named = &array.chip.signals[number];
        Signal {
            scope: array.first_scope + instance * array.chip.scopes.len() + named.scope,
            name: named.name,
            width: named.nets.len() as u8,
            states: &[],
            net: Net::Own,
        }
    }

    /// Those that are kept as signals of a waveform, with the scopes that lead to them.
    pub fn set(&self, kept: &SignalSelection) -> SignalSet {
        let mut set = SignalSet::default();
        // The scopes that are in the set, by number, with their places there.
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        for signal in kept.iter().map(|signal| self.signal(signal)) {
            let mut missing: SmallVec<[usize; 8]> = SmallVec::new();
            let mut outwards = Some(signal.scope);
            while let Some(scope) = outwards.filter(|scope| !places.contains_key(scope)) {
                missing.push(scope);
                outwards = self.parent(scope);
            }
            for &scope in missing.iter().rev() {
                places.insert(scope, set.scopes.len());
                set.scopes.push(Scope {
                    name: self.scope_name(scope).into_owned(),
                    parent: self.parent(scope).map(|parent| places[&parent]),
                });
            }
            set.signals.push(Signal {
                scope: places[&signal.scope],
                ..signal
            });
        }
        set
    }
}

impl Hierarchy for NamedNets<'_> {
    fn scope_count(&self) -> usize {
        self.scope_count()
    }

    fn scope_name(&self, scope: usize) -> Cow<'_, str> {
        self.scope_name(scope)
    }

    fn parent(&self, scope: usize) -> Option<usize> {
        self.parent(scope)
    }

    fn signal_count(&self) -> usize {
        self.signal_count()
    }

    fn signal(&self, signal: usize) -> (&str, Option<usize>) {
        let signal = self.signal(signal);
        (signal.name, Some(signal.scope))
    }
}

/// An observer that finds what the nets that are kept show in each cycle. It has to see a run
/// from cycle 0 on.
pub struct NetObserver {
    chips: Vec<ObservedChip>,
    marks: Vec<Mark>,
    begun: bool,
}

/// A chip of which nets are kept.
struct ObservedChip {
    array: usize,
    instance: usize,
    evaluation: Evaluation<'static>,
    /// The chip's input ports, by their numbers in its table.
    inputs: Vec<(usize, &'static Port)>,
    /// Value of each of its nets.
    nets: Vec<bool>,
    /// The place of the first signal among those that are kept.
    first: usize,
    /// The nets of each signal, and what it shows.
    shown: Vec<(Vec<NetId>, u64)>,
}

impl NetObserver {
    /// An observer of the nets that are kept.
    ///
    /// # Errors
    /// When a netlist cannot be evaluated, see [`Evaluation::new`].
    pub fn new(nets: &NamedNets<'_>, kept: &SignalSelection) -> Result<NetObserver, Error> {
        let mut chips: Vec<ObservedChip> = Vec::new();
        for (first, signal) in kept.iter().enumerate() {
            let (array, instance, number) = nets.place(signal);
            let of_last = chips.last().map(|chip| (chip.array, chip.instance));
            if of_last != Some((array.array, instance)) {
                let module = array.chip.module;
                let evaluation = Evaluation::new(module)?;
                let table = nets.fabric.arrays[array.array].chip.ports;
                let inputs = table.iter().enumerate();
                let inputs = inputs.filter(|(_, port)| port.direction == PinDirection::Input);
                let inputs = inputs.filter_map(|(at, port)| Some((at, module.port(port.name)?)));
                chips.push(ObservedChip {
                    array: array.array,
                    instance,
                    nets: evaluation.initial(),
                    evaluation,
                    inputs: inputs.collect(),
                    first,
                    shown: Vec::new(),
                });
            }
            let chip = chips.last_mut().expect("one was pushed");
            let signal = &array.chip.signals[number];
            chip.shown.push((signal.nets.clone(), 0));
        }
        Ok(NetObserver {
            chips,
            marks: Vec::new(),
            begun: false,
        })
    }

    /// The changes, in the order of cycles; before them all signals are 0. `None` when there
    /// were more than [`CHANGES_MAX`].
    pub fn marks(self) -> Option<Vec<Mark>> {
        (self.marks.len() <= CHANGES_MAX).then_some(self.marks)
    }
}

impl Observer for NetObserver {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        let begun = std::mem::replace(&mut self.begun, true);
        for chip in &mut self.chips {
            // In the cycles that a run skips an edge changes nothing, so one stands for all.
            if begun {
                chip.evaluation.edge(&mut chip.nets);
            }
            for &(port, pins) in &chip.inputs {
                let driven = engine.value(chip.array, port, chip.instance);
                Evaluation::drive(pins, &mut chip.nets, driven);
            }
            chip.evaluation.settle(&mut chip.nets);
            for (signal, (nets, shown)) in (chip.first..).zip(&mut chip.shown) {
                let bits = nets.iter().enumerate();
                let bits = bits.map(|(bit, net)| u64::from(chip.nets[net.index()]) << bit);
                let value = bits.sum();
                if *shown != value {
                    *shown = value;
                    self.marks.push(Mark {
                        cycle: engine.cycle(),
                        signal,
                        value,
                    });
                }
            }
        }
    }

    fn interrupted(&mut self) -> bool {
        self.marks.len() > CHANGES_MAX
    }
}
