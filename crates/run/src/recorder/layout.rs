//! The signals of a fabric, and where those of each chip lie.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::lanes;
use crosswave_chips::{Port, Role};
use crosswave_network::topology::NODES;
use crosswave_network::{ChipArray, Fabric};
use crosswave_probe::signal::{Hierarchy, Net, Scope, Signal, SignalSelection, SignalSet};

/// Ports of the chips that have signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortSelection {
    /// All.
    All,
    /// All but those with random bits.
    NotRandom,
}

impl PortSelection {
    fn takes(self, port: &Port) -> bool {
        match port.role {
            Role::Parameter => false,
            Role::Random { .. } => self == PortSelection::All,
            _ => true,
        }
    }
}

/// The scopes and signals of a waveform of a fabric: the ports of all chips that `pins`
/// takes, scope by scope, and behind them a lane for each connection where there are any.
///
/// A large network has millions of them, so each is made when it is asked for.
pub struct Signals<'a> {
    fabric: &'a Fabric,
    pins: PortSelection,
    /// In the order in which they are shown.
    arrays: Vec<ArraySignals>,
    /// Scopes and signals before the lanes of connections.
    before_lanes: (usize, usize),
    /// Number of lanes, each in a scope of its own.
    lanes: usize,
}

/// The scopes and signals of an array.
struct ArraySignals {
    /// Its number in the fabric.
    array: usize,
    /// The scope of the first instance.
    first_scope: usize,
    place: SignalRange,
    /// The ports that have signals.
    ports: Vec<usize>,
}

/// The reason why a scope or a signal can be one of a lane.
const HAS_LANES: &str = "a network of as many lanes";

/// The scopes that all others lie in: the test bench and its network.
const OUTER: [(&str, Option<usize>); 2] = [("testbench", None), ("network", Some(0))];

impl<'a> Signals<'a> {
    /// The signals of a fabric, with its connections.
    pub fn new(fabric: &'a Fabric, pins: PortSelection) -> Signals<'a> {
        let lanes = lanes::count(fabric);
        Signals {
            lanes,
            ..Signals::of_ports(fabric, pins)
        }
    }

    /// The signals of a fabric without lanes.
    fn of_ports(fabric: &'a Fabric, pins: PortSelection) -> Signals<'a> {
        let (mut scopes, mut signals) = (OUTER.len(), 0);
        let mut arrays = Vec::new();
        for array in fabric.shown_arrays() {
            let layout = &fabric.arrays[array];
            let place = SignalRange::new(layout, pins, signals);
            let ports = layout.chip.ports.iter().enumerate();
            let taken = ports.filter(|(_, port)| pins.takes(port));
            let ports = taken.map(|(number, _)| number).collect();
            signals += layout.instances * place.per_instance;
            arrays.push(ArraySignals {
                array,
                first_scope: scopes,
                place,
                ports,
            });
            scopes += layout.instances;
        }
        Signals {
            fabric,
            pins,
            arrays,
            before_lanes: (scopes, signals),
            lanes: 0,
        }
    }

    /// The same with other pins.
    pub fn with_pins(&self, pins: PortSelection) -> Signals<'a> {
        Signals::new(self.fabric, pins)
    }

    /// The ports that have signals.
    pub fn pins(&self) -> PortSelection {
        self.pins
    }

    /// Number of scopes.
    pub fn scope_count(&self) -> usize {
        // The lanes have one around them.
        self.before_lanes.0 + usize::from(self.lanes > 0) + self.lanes
    }

    /// Number of signals.
    pub fn signal_count(&self) -> usize {
        self.before_lanes.1 + self.lanes
    }

    /// The name of a scope.
    pub fn scope_name(&self, scope: usize) -> Cow<'static, str> {
        if let Some((name, _)) = OUTER.get(scope) {
            return Cow::Borrowed(name);
        }
        match scope.checked_sub(self.before_lanes.0) {
            Some(0) => Cow::Borrowed(self.fabric.lane.expect(HAS_LANES).scope),
            Some(lane) => Cow::Owned(self.fabric.instance_name(NODES, lane - 1)),
            None => {
                let array = self.array_of(|array| array.first_scope <= scope);
                let instance = scope - array.first_scope;
                Cow::Owned(self.fabric.instance_name(array.array, instance))
            }
        }
    }

    /// The scope that a scope lies in.
    pub fn parent(&self, scope: usize) -> Option<usize> {
        if let Some((_, parent)) = OUTER.get(scope) {
            return *parent;
        }
        match scope.checked_sub(self.before_lanes.0) {
            Some(0) => Some(0),
            Some(_) => Some(self.before_lanes.0),
            None => Some(OUTER.len() - 1),
        }
    }

    /// A signal.
    pub fn signal(&self, signal: usize) -> Signal {
        if let Some(lane) = signal.checked_sub(self.before_lanes.1) {
            let of_fabric = self.fabric.lane.expect(HAS_LANES);
            return lanes::signal(of_fabric, self.before_lanes.0 + 1 + lane);
        }
        let (array, instance, port) = self.place(signal).expect("it is no lane");
        let chip = self.fabric.arrays[array].chip;
        let port = &chip.ports[port];
        let of_array = self.array_of(|array| array.place.first <= signal);
        Signal {
            scope: of_array.first_scope + instance,
            name: port.name,
            width: port.width,
            states: match port.role {
                Role::State(states) => states,
                Role::Link { .. } => chip.words,
                _ => &[],
            },
            net: match port.role {
                Role::Clock => Net::Clock,
                Role::Reset => Net::Reset,
                _ => Net::Own,
            },
        }
    }

    /// The array, the instance and the port of a signal; `None` of a lane.
    pub fn place(&self, signal: usize) -> Option<(usize, usize, usize)> {
        if signal >= self.before_lanes.1 {
            return None;
        }
        let array = self.array_of(|array| array.place.first <= signal);
        let of_array = signal - array.place.first;
        let port = array.ports[of_array % array.place.per_instance];
        Some((array.array, of_array / array.place.per_instance, port))
    }

    /// The lane of a connection that a signal is, by its node's instance.
    pub fn lane(&self, signal: usize) -> Option<usize> {
        signal.checked_sub(self.before_lanes.1)
    }

    /// The last array that begins soon enough. Arrays without instances begin where the
    /// next one does.
    fn array_of(&self, begins: impl Fn(&ArraySignals) -> bool) -> &ArraySignals {
        &self.arrays[self.arrays.partition_point(begins) - 1]
    }

    /// The signals that are kept, in order, and the scopes that lead to them.
    ///
    /// # Panics
    /// When `kept` is of another number of signals.
    pub fn set(&self, kept: &SignalSelection) -> SignalSet {
        assert_eq!(kept.signals(), self.signal_count(), "of these signals");
        let mut set = SignalSet::default();
        // The scopes around the last signal, from the top, with their places in the set.
        // Signals of a scope are together, and so are those of the scopes in it.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for signal in kept.iter().map(|signal| self.signal(signal)) {
            let mut around: SmallVec<[usize; 4]> = SmallVec::new();
            let mut outwards = Some(signal.scope);
            while let Some(scope) = outwards {
                around.push(scope);
                outwards = self.parent(scope);
            }
            around.reverse();
            let common = path.iter().zip(&around);
            let common = common.take_while(|((known, _), scope)| known == *scope);
            path.truncate(common.count());
            for &scope in &around[path.len()..] {
                set.scopes.push(Scope {
                    name: self.scope_name(scope).into_owned(),
                    parent: path.last().map(|(_, place)| *place),
                });
                path.push((scope, set.scopes.len() - 1));
            }
            let (_, scope) = *path.last().expect("a signal lies in a scope");
            set.signals.push(Signal { scope, ..signal });
        }
        set
    }
}

/// The ports of all chips of a fabric that `pins` takes, scope by scope.
pub fn signals(fabric: &Fabric, pins: PortSelection) -> SignalSet {
    let signals = Signals::of_ports(fabric, pins);
    signals.set(&SignalSelection::all(signals.signal_count()))
}

/// Signals of an array.
pub(super) struct SignalRange {
    /// The first one.
    pub(super) first: usize,
    /// Number of signals of each instance.
    pub(super) per_instance: usize,
    /// Number of a port's signal among those of an instance, if it has one.
    of_port: Vec<Option<usize>>,
}

impl SignalRange {
    pub(super) fn new(layout: &ChipArray, pins: PortSelection, first: usize) -> SignalRange {
        let mut per_instance = 0;
        let of_port = layout.chip.ports.iter().map(|port| {
            pins.takes(port).then(|| {
                per_instance += 1;
                per_instance - 1
            })
        });
        SignalRange {
            first,
            of_port: of_port.collect(),
            per_instance,
        }
    }

    /// The signal of a port that has one.
    pub(super) fn signal(&self, instance: usize, port: usize) -> Option<usize> {
        Some(self.first + instance * self.per_instance + self.of_port[port]?)
    }
}

impl Hierarchy for Signals<'_> {
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
