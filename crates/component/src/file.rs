//! The component file: TOML that maps the ports of a module to links, pins and packets.
//!
//! ```toml
//! [component]
//! top = "mesh_router"
//! sources = ["mesh_router.sv"]           # or netlist = "mesh_router.json", written by Yosys
//! clock = "clk"
//! reset = { port = "rst", active = "high" }   # cycles = 3 where one is not enough
//! hop_cycles = 2                         # 1 unless said otherwise
//! pins = { my_x = "instance.x", my_y = "instance.y", chip_id = 0 }
//!
//! [[link]]
//! names = ["P", "W", "E", "N", "S"]      # {i} is 0 to 4, {name} the name
//! protocol = "valid-ready"               # valid-ready, credit, on-off, valid-only or circuit
//! out = { data = "lo[34*{i}+31:34*{i}]", valid = "lo[34*{i}+33]", ready = "li[34*{i}+32]" }
//! in = { data = "li[34*{i}+31:34*{i}]", valid = "li[34*{i}+33]", ready = "lo[34*{i}+32]" }
//!
//! [packet]
//! flits = "head-tail"                    # single, counted, last or head-tail
//! fields = { dest_x = "[3:0]", dest_y = "[7:4]", message = "[29:8]", tail = "[30]", head = "[31]" }
//! # type = { bits = "[31:30]", head = 1, body = 0, tail = 2, single = 3 }   in place of head and tail
//! ```

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::Deserialize;
use toml::Spanned;

/// A component file as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentFile {
    /// The module.
    pub component: ModuleTable,
    /// Its links, in groups that are written alike.
    #[serde(rename = "link")]
    pub links: Vec<LinkTable>,
    /// Its packets.
    pub packet: PacketTable,
}

/// The module and its ports beside links.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleTable {
    /// The name of the module.
    pub top: Spanned<String>,
    /// Its Verilog files.
    #[serde(default)]
    pub sources: Vec<Spanned<String>>,
    /// The reader of Yosys for its files.
    #[serde(default)]
    pub frontend: FrontendName,
    /// Macros that are defined while they are read.
    #[serde(default)]
    pub defines: BTreeMap<String, Spanned<WordValue>>,
    /// Values of parameters of the module.
    #[serde(default)]
    pub parameters: BTreeMap<String, Spanned<WordValue>>,
    /// The form that parameters get which instances have values of.
    pub parameters_as: Option<Spanned<ParametersAs>>,
    /// Folders in which included files are looked for, beside those of its files.
    #[serde(default)]
    pub includes: Vec<Spanned<String>>,
    /// A netlist of it, in place of sources.
    pub netlist: Option<Spanned<String>>,
    /// Its clock.
    pub clock: Spanned<String>,
    /// Its reset.
    pub reset: ResetTable,
    /// Cycles from a head at an input to that at an output, unless the packet waits; what takes longer
    /// counts as waiting where messages are followed.
    #[serde(default = "one")]
    pub hop_cycles: NonZeroU64,
    /// Its other inputs.
    #[serde(default)]
    pub pins: BTreeMap<String, Spanned<PinRule>>,
}

fn one() -> NonZeroU64 {
    NonZeroU64::MIN
}

/// A reset.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResetTable {
    /// Its port.
    pub port: Spanned<String>,
    /// The level at which it acts.
    #[serde(default)]
    pub active: ActiveLevel,
    /// The cycles in which it acts.
    pub cycles: Option<Spanned<u64>>,
}

/// The reader of Yosys for Verilog files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FrontendName {
    /// Yosys' own.
    #[default]
    Verilog,
    /// SystemVerilog by slang.
    Slang,
}

/// The form that parameters get which instances have values of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParametersAs {
    /// Pins where modules differ in constants only, and further chips where they do not.
    #[default]
    Auto,
    /// Pins of one chip.
    Pins,
    /// A chip for each set of values.
    Arrays,
}

/// The value of a macro or a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a number or a text")]
pub enum WordValue {
    /// A number.
    Number(i64),
    /// As Verilog writes it, such as `8'hff`.
    Text(String),
}

impl WordValue {
    /// Its text.
    pub fn text(&self) -> String {
        match self {
            WordValue::Number(number) => number.to_string(),
            WordValue::Text(text) => text.clone(),
        }
    }
}

/// The level at which a reset acts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActiveLevel {
    /// At 1.
    #[default]
    High,
    /// At 0.
    Low,
}

/// The value of an input that keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected an integer or the name of a value")]
pub enum PinRule {
    /// The same at all instances.
    Value(u64),
    /// The name of a [`PinSource`](super::map::PinSource).
    Place(String),
}

/// Bits of a module that a signal of a link is made of: one expression, or several from the highest
/// bits to the lowest.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected bits of a port as text, or a list of texts"
)]
pub enum Expressions {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Expressions {
    /// The expressions, those of the highest bits first.
    pub fn list(&self) -> &[String] {
        match self {
            Expressions::One(text) => std::slice::from_ref(text),
            Expressions::Several(texts) => texts,
        }
    }
}

/// Flits that may be on the way over a link.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected a number, or a number for each link")]
pub enum CreditCount {
    /// As many at all links.
    Same(u64),
    /// By the names of the links.
    Each(BTreeMap<String, u64>),
}

/// Links that are written alike.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkTable {
    /// The names of the links.
    pub names: Vec<Spanned<String>>,
    /// The protocol.
    pub protocol: Spanned<ProtocolName>,
    /// Flits that may be on the way before a credit comes back.
    pub credits: Option<Spanned<CreditCount>>,
    /// Virtual channels; 1 unless said otherwise.
    pub vcs: Option<Spanned<u64>>,
    /// The time when the destination of a circuit acknowledges it.
    pub release: Option<Spanned<ReleaseName>>,
    /// Cycles from the head of a circuit on in which a rejection may come, where nothing acknowledges.
    pub answer_cycles: Option<Spanned<u64>>,
    /// Signals of the direction out of the module; none of links that lead into it only.
    #[serde(default)]
    pub out: BTreeMap<String, Spanned<Expressions>>,
    /// Signals of the direction into the module; none of links that lead out of it only.
    #[serde(rename = "in", default)]
    pub into: BTreeMap<String, Spanned<Expressions>>,
}

/// The name of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolName {
    /// A flit moves in each cycle in which both `valid` and `ready` are 1.
    ValidReady,
    /// A flit moves in each cycle in which `valid` is 1; each `credit` allows one more.
    Credit,
    /// A flit moves in each cycle in which `valid` is 1; senders stop a cycle after `on` is 0.
    OnOff,
    /// A flit moves in each cycle in which `valid` is 1, and nothing stops it; where there is a
    /// `resend`, it has not moved if that is 1 a cycle later.
    ValidOnly,
    /// A message is a path, which stands while `valid` is 1: its flits come one a cycle. A `nack` on the way
    /// back rejects it, and its source begins again.
    Circuit,
}

/// The time when the destination of a circuit acknowledges it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReleaseName {
    /// The head has come: `valid` falls after the final flit, and the path is free then.
    #[default]
    Tail,
    /// The final flit has come: `valid` stays 1 until the source knows.
    Acknowledge,
}

impl ProtocolName {
    /// The name of the signal from the receiver back to the sender.
    pub fn back(self) -> &'static str {
        match self {
            ProtocolName::ValidReady => "ready",
            ProtocolName::Credit => "credit",
            ProtocolName::OnOff => "on",
            ProtocolName::ValidOnly => "resend",
            ProtocolName::Circuit => "nack",
        }
    }

    /// True when links may be without that signal.
    pub fn back_is_optional(self) -> bool {
        self == ProtocolName::ValidOnly
    }

    /// The name in a file.
    pub fn name(self) -> &'static str {
        match self {
            ProtocolName::ValidReady => "valid-ready",
            ProtocolName::Credit => "credit",
            ProtocolName::OnOff => "on-off",
            ProtocolName::ValidOnly => "valid-only",
            ProtocolName::Circuit => "circuit",
        }
    }
}

/// The packets.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketTable {
    /// The form of packets.
    pub flits: Spanned<FlitForm>,
    /// The fields of flits, by their names.
    pub fields: BTreeMap<String, Spanned<String>>,
    /// Bits of the head that routers change, or that nobody sets.
    #[serde(default)]
    pub ignored: Vec<Spanned<String>>,
    /// The way of a packet, in its head.
    pub route: Option<Spanned<RouteTable>>,
    /// The kinds of flits as codes, in place of the fields `head` and `tail`.
    #[serde(rename = "type")]
    pub kinds: Option<Spanned<TypeTable>>,
}

/// The bits of each flit that say its kind, and the codes of the kinds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeTable {
    /// The bits.
    pub bits: Spanned<String>,
    /// The first flit of several.
    pub head: Option<Spanned<u64>>,
    /// A flit between the first and the final one.
    pub body: Option<Spanned<u64>>,
    /// The final flit of several.
    pub tail: Option<Spanned<u64>>,
    /// The only flit of a packet.
    pub single: Option<Spanned<u64>>,
}

/// The way of a packet as the output links of the routers on it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteTable {
    /// The bits of the head.
    pub bits: Spanned<String>,
    /// Bits for each router.
    pub per_hop: u64,
    /// The end at which the first router reads.
    #[serde(default)]
    pub order: RouteOrder,
    /// The numbers of the links; those of their places in the file unless said otherwise.
    #[serde(default)]
    pub links: BTreeMap<String, u64>,
}

/// The end of a route at which the first router reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteOrder {
    /// The lowest bits.
    #[default]
    Lsb,
    /// The highest bits.
    Msb,
}

/// The form of packets: how their ends are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlitForm {
    /// Each flit is a packet.
    Single,
    /// The head holds the number of flits after it.
    Counted,
    /// The final flit has `tail` set.
    Last,
    /// The first flit has `head` set, and the final one has `tail` set; or each has the code of its kind.
    HeadTail,
}
