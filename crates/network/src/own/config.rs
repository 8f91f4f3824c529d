//! Networks of a designer's own routers as a configuration describes them: grids, and the keys that all of
//! them have.

use std::sync::Arc;

use serde_json::{Value, json};
use toml::de::DeValue;

pub use super::custom::config::{CUSTOM_KIND, CustomConfig};
use super::grid::Grid;
use super::{CheckKeys, EndpointKeys, LINK_CYCLES_MAX, OwnNetwork, Parts, ROUTERS_MAX, Shape};
use crate::Network;
use crate::description::{Description, NetworkKind};
use crate::traffic::Strategy;
use crosswave_component::file::ProtocolName;
use crosswave_component::{Component, OwnNetlist, load};
use crosswave_document::{Document, Key, KeyRow, Wrong, found, integer};

pub(super) const COMPONENT: Key = ("network", "component");
const SIZE: Key = ("network", "size");
pub(super) const LOCAL: Key = ("network", "local");
const AXES: Key = ("network", "axes");
const LINK_CYCLES: Key = ("network", "link_cycles");
const STALL: Key = ("endpoint", "stall");
const RETRY: Key = ("endpoint", "retry_cycles");
const DEADLOCK: Key = ("checks", "deadlock_cycles");
const MONITORS: Key = ("checks", "monitors");

/// Cycles without an event at any node after which a run ends, unless said otherwise.
const DEADLOCK_CYCLES: u64 = 10_000;

/// Cycles that a new attempt waits, at most.
const RETRY_CYCLES_MAX: u64 = 255;

/// Axes of a grid at most.
const AXES_MAX: usize = 3;

/// The share of cycles in which a sink refuses flits is a multiple of this part.
const STALL_PARTS: u32 = 256;

const KEYS: &[KeyRow] = &[
    KeyRow {
        key: COMPONENT,
        value: "string",
        default: "required",
        legal: "a path, relative to the folder of the configuration",
        only: "",
        meaning: "The component file of the router.",
    },
    KeyRow {
        key: SIZE,
        value: "list of integers",
        default: "required",
        legal: "1 to 3 numbers from 2 on, with up to 65,536 routers together; a ring has one",
        only: "",
        meaning: "The number of routers along each axis.",
    },
    KeyRow {
        key: LOCAL,
        value: "string",
        default: "the first link that is in no axis",
        legal: "the name of a link of the component",
        only: "",
        meaning: "The link of the node.",
    },
    KeyRow {
        key: AXES,
        value: "list of pairs of strings",
        default: "required",
        legal: "for each axis the names of the links to the lower and to the higher neighbour",
        only: "",
        meaning: "The links along each axis, such as `[[\"west\", \"east\"], [\"north\", \"south\"]]`.",
    },
    KeyRow {
        key: LINK_CYCLES,
        value: "integer",
        default: "`0`",
        legal: "0 to 64",
        only: "",
        meaning: "The extra cycles of each link between two routers.",
    },
];

/// The keys of endpoints and checks.
pub(super) const SHARED_KEYS: &[KeyRow] = &[
    KeyRow {
        key: STALL,
        value: "number",
        default: "`0`",
        legal: "0 to 1, rounded to 256ths",
        only: "",
        meaning: "The share of cycles in which a sink refuses flits, drawn anew in each cycle.",
    },
    KeyRow {
        key: RETRY,
        value: "integer",
        default: "`15`",
        legal: "0 to 255",
        only: "links of circuits",
        meaning: "A source whose circuit was rejected waits a number of cycles up to this one, each as often, \
             before it tries again.",
    },
    KeyRow {
        key: DEADLOCK,
        value: "integer",
        default: "`10000`",
        legal: "1 to 10^9",
        only: "",
        meaning: "The cycles after which a run is given up in which no message was begun, ended or received \
             while some are under way; to these come 16 for each flit of the longest message.",
    },
    KeyRow {
        key: MONITORS,
        value: "boolean",
        default: "`false`",
        legal: "`true` or `false`",
        only: "",
        meaning: "Routers look at the properties of their links in every cycle; a run in which one is broken ends with \
             exit code 1.",
    },
];

/// A row of the registry.
pub(super) const fn kind(
    name: &'static str,
    title: &'static str,
    keys: &'static [&'static [KeyRow]],
) -> NetworkKind {
    NetworkKind {
        name,
        title,
        of: "of your own routers",
        keys,
        packets: true,
        broadcasts: false,
        strategies: &["none"],
        nodes: None,
        models: None,
        chips: &[],
        samples: &[],
    }
}

/// The row of the registry of meshes.
pub const MESH_KIND: NetworkKind = kind("mesh", "mesh", &[KEYS, SHARED_KEYS]);
/// That of tori.
pub const TORUS_KIND: NetworkKind = kind("torus", "torus", &[KEYS, SHARED_KEYS]);
/// That of rings.
pub const RING_KIND: NetworkKind = kind("ring", "ring", &[KEYS, SHARED_KEYS]);

/// A grid.
#[derive(Debug, Clone)]
struct GridConfig {
    /// The component file as the configuration names it.
    written: String,
    /// Nothing where the configuration has a mistake.
    network: Option<Arc<OwnNetwork>>,
    size: Vec<u32>,
}

impl PartialEq for GridConfig {
    fn eq(&self, other: &GridConfig) -> bool {
        let same = match (&self.network, &other.network) {
            (Some(one), Some(other)) => one.is_same(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.written == other.written && self.size == other.size && same
    }
}

impl Eq for GridConfig {}

/// A text that is not empty.
pub(super) fn text(value: &DeValue<'_>, help: &str) -> Result<String, Vec<Wrong>> {
    let text = value
        .as_str()
        .filter(|text| !text.is_empty() && !text.contains('\0'));
    text.map(str::to_owned).ok_or_else(|| {
        vec![Wrong::new(
            format!("{}; expected a string", found(value)),
            help,
        )]
    })
}

/// Routers along each axis, of which there are so many at most.
fn size(value: &DeValue<'_>, axes_max: usize) -> Result<Vec<u32>, Vec<Wrong>> {
    let help = match axes_max {
        1 => "such as size = [16]",
        _ => "such as size = [8, 8]",
    };
    let wrong = |message: String| vec![Wrong::new(message, help)];
    let entries = value
        .as_array()
        .filter(|entries| (1..=axes_max).contains(&entries.len()));
    let entries = entries.ok_or_else(|| {
        let expected = match axes_max {
            1 => "a list of one number",
            _ => "a list of one to three numbers",
        };
        wrong(format!("{}; expected {expected}", found(value)))
    })?;
    let mut sizes = Vec::new();
    for (entry, value) in entries.iter().enumerate() {
        let size = integer(value.get_ref(), &(2..=u64::from(ROUTERS_MAX)));
        let size = size.map_err(|wrong| {
            vec![Wrong {
                entry: Some(entry),
                help: help.to_owned(),
                ..wrong
            }]
        })?;
        sizes.push(size as u32);
    }
    let routers: u64 = sizes.iter().map(|&size| u64::from(size)).product();
    match routers <= u64::from(ROUTERS_MAX) {
        true => Ok(sizes),
        false => Err(wrong(format!(
            "found {routers} routers; expected up to {ROUTERS_MAX}"
        ))),
    }
}

/// The names of the links along each axis.
fn axes(value: &DeValue<'_>) -> Result<Vec<[String; 2]>, Vec<Wrong>> {
    let pair = |value: &DeValue<'_>| -> Option<[String; 2]> {
        let names = value.as_array()?;
        let names: Option<Vec<&str>> = names.iter().map(|name| name.get_ref().as_str()).collect();
        let [lower, higher] = names?[..] else {
            return None;
        };
        Some([lower.to_owned(), higher.to_owned()])
    };
    let entries = value.as_array();
    let pairs = entries.map(|entries| entries.iter().map(|entry| pair(entry.get_ref())).collect());
    let pairs: Option<Vec<[String; 2]>> = pairs.flatten();
    pairs.ok_or_else(|| {
        let message = format!("{}; expected a list of pairs of names", found(value));
        vec![Wrong::new(
            message,
            "such as axes = [[\"west\", \"east\"], [\"north\", \"south\"]]",
        )]
    })
}

/// The share of cycles in which sinks refuse flits, in 256ths.
fn stall(value: &DeValue<'_>) -> Result<u32, Vec<Wrong>> {
    let number = match value {
        DeValue::Integer(_) => integer(value, &(0..=1)).ok().map(|whole| whole as f64),
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    };
    let number = number.filter(|number| (0.0..=1.0).contains(number));
    number
        .map(|number| (number * f64::from(STALL_PARTS)).round() as u32)
        .ok_or_else(|| {
            let message = format!("{}; expected a number from 0 to 1", found(value));
            vec![Wrong::new(message, "such as stall = 0.25")]
        })
}

/// The keys of endpoints, and the cycles after which a run is given up.
pub(super) fn shared(document: &mut Document<'_>) -> (EndpointKeys, CheckKeys) {
    let stall = document.value(STALL, stall).unwrap_or(0);
    let retry_cycles = document.integer(RETRY, 0..=RETRY_CYCLES_MAX);
    let deadlock = document.integer(DEADLOCK, 1..=1_000_000_000);
    let endpoints = EndpointKeys {
        stall,
        retry_cycles: retry_cycles.map(|cycles| cycles as u32),
    };
    let monitors = document.value(MONITORS, monitors).unwrap_or(false);
    let checks = CheckKeys {
        deadlock_cycles: deadlock.unwrap_or(DEADLOCK_CYCLES),
        monitors,
    };
    (endpoints, checks)
}

/// True or false.
fn monitors(value: &DeValue<'_>) -> Result<bool, Vec<Wrong>> {
    value.as_bool().ok_or_else(|| {
        let message = format!("{}; expected true or false", found(value));
        vec![Wrong::new(message, "such as monitors = true")]
    })
}

/// The tables of these keys.
pub(super) fn shared_tables(network: Option<&OwnNetwork>) -> [(&'static str, Value); 2] {
    let unset = CheckKeys {
        deadlock_cycles: DEADLOCK_CYCLES,
        monitors: false,
    };
    let (stall, checks) = network.map_or((0, unset), |network| {
        (network.endpoints.stall, network.checks)
    });
    let stall = f64::from(stall) / f64::from(STALL_PARTS);
    let mut endpoint = json!({ "stall": stall });
    if let Some(cycles) = network.and_then(OwnNetwork::retry_cycles) {
        endpoint["retry_cycles"] = json!(cycles);
    }
    [
        ("endpoint", endpoint),
        (
            "checks",
            json!({ "deadlock_cycles": checks.deadlock_cycles, "monitors": checks.monitors }),
        ),
    ]
}

/// Reads a component file that a key names.
pub(super) fn component(
    document: &mut Document<'_>,
    key: Key,
    written: &str,
) -> Option<&'static Component> {
    match load(&document.folder.join(written)) {
        Ok(component) => Some(component),
        Err(error) => {
            document.wrong_in_file(key, error);
            None
        }
    }
}

/// Puts a network together. What does not fit is a mistake of a key.
pub(super) fn network(
    document: &mut Document<'_>,
    key: Key,
    parts: Parts,
) -> Option<Arc<OwnNetwork>> {
    let protocol = parts.components[0].form.protocol;
    if parts.endpoints.retry_cycles.is_some() && protocol != ProtocolName::Circuit {
        let message = format!("links by {} have no circuits", protocol.name());
        document.wrong(RETRY, Some(COMPONENT), Wrong::new(message, "remove it"));
    }
    let network = match OwnNetwork::new(parts) {
        Ok(network) => network,
        Err(error) => {
            document.wrong_in_file(COMPONENT, error);
            return None;
        }
    };
    let misfits = network.misfits();
    let fits = misfits.is_empty();
    for (message, help) in misfits {
        document.wrong(key, None, Wrong::new(message, help));
    }
    fits.then(|| Arc::new(network))
}

impl GridConfig {
    /// Reads the keys. What is wrong gets a stand-in.
    fn read(document: &mut Document<'_>, kind: &'static NetworkKind) -> GridConfig {
        let axes_max = if kind.name == RING_KIND.name {
            1
        } else {
            AXES_MAX
        };
        let examples = [
            (COMPONENT, "component = \"mesh_router.toml\""),
            (
                SIZE,
                if axes_max == 1 {
                    "size = [16]"
                } else {
                    "size = [8, 8]"
                },
            ),
            (
                AXES,
                "axes = [[\"west\", \"east\"], [\"north\", \"south\"]]",
            ),
        ];
        for (key, example) in examples {
            if !document.has(key) {
                let wrong = Wrong::new("missing; it has no default", format!("such as {example}"));
                document.wrong(key, None, wrong);
            }
        }
        let written = document.value(COMPONENT, |value| {
            text(value, "such as component = \"mesh_router.toml\"")
        });
        let size = document.value(SIZE, |value| size(value, axes_max));
        let local = document.value(LOCAL, |value| text(value, "such as local = \"local\""));
        let axes = document.value(AXES, axes);
        let link_cycles = document
            .integer(LINK_CYCLES, 0..=LINK_CYCLES_MAX)
            .unwrap_or(0);
        let (endpoints, checks) = shared(document);
        let mut config = GridConfig {
            written: written.clone().unwrap_or_default(),
            network: None,
            size: size.clone().unwrap_or_else(|| vec![2]),
        };
        let (Some(written), Some(size), Some(axes)) = (written, size, axes) else {
            return config;
        };
        let Some(component) = component(document, COMPONENT, &written) else {
            return config;
        };
        config.network = grid(
            document,
            kind,
            GridKeys {
                component,
                size,
                local,
                axes,
                link_cycles: link_cycles as u32,
                endpoints,
                checks,
            },
        );
        config
    }
}

/// The keys of a grid that were read.
struct GridKeys {
    component: &'static Component,
    size: Vec<u32>,
    local: Option<String>,
    axes: Vec<[String; 2]>,
    link_cycles: u32,
    endpoints: EndpointKeys,
    checks: CheckKeys,
}

/// Puts a grid together of what was read; nothing where it does not fit.
fn grid(
    document: &mut Document<'_>,
    kind: &'static NetworkKind,
    GridKeys {
        component,
        size,
        local,
        axes,
        link_cycles,
        endpoints,
        checks,
    }: GridKeys,
) -> Option<Arc<OwnNetwork>> {
    let mistakes = document.mistakes.len();
    let links = component.router.chip.links;
    let help = format!("its links are {}", links.join(", "));
    if axes.len() != size.len() {
        let message = format!("found {} axes, and {} sizes", axes.len(), size.len());
        let wrong = Wrong::new(
            message,
            "give a pair of links for each number of network.size",
        );
        document.wrong(AXES, Some(SIZE), wrong);
    }
    let mut taken: Vec<usize> = Vec::new();
    let mut number = |document: &mut Document<'_>, key: Key, entry: Option<usize>, name: &str| {
        let found = component.link(name);
        let message = match found {
            None => format!("the component {} has no link {name:?}", component.top),
            Some(link) if taken.contains(&link) => format!("the link {name:?} is named twice"),
            Some(link) => {
                taken.push(link);
                return link;
            }
        };
        let help = help.clone();
        document.wrong(
            key,
            None,
            Wrong {
                entry,
                message,
                help,
            },
        );
        0
    };
    let mut pairs = Vec::new();
    for (entry, [lower, higher]) in axes.iter().enumerate() {
        pairs.push([
            number(document, AXES, Some(entry), lower),
            number(document, AXES, Some(entry), higher),
        ]);
    }
    let local = match local {
        Some(name) => number(document, LOCAL, None, &name),
        None => {
            let free = (0..links.len()).find(|link| !taken.contains(link));
            if free.is_none() {
                let message = "the component has no link that is in no axis";
                let wrong = Wrong::new(message, "a router has a link for its node besides");
                document.wrong(LOCAL, Some(AXES), wrong);
            }
            free.unwrap_or(0)
        }
    };
    let ends = &component.ends;
    for (axis, &[lower, higher]) in pairs.iter().enumerate() {
        if document.mistakes.len() == mistakes && !ends[lower].fits(ends[higher]) {
            let message = format!(
                "{} and {} do not fit each other",
                links[lower], links[higher]
            );
            let wrong = Wrong {
                entry: Some(axis),
                message,
                help: "flits go out at one of them where they come in at the other".to_owned(),
            };
            document.wrong(AXES, None, wrong);
        }
    }
    if document.mistakes.len() == mistakes && !(ends[local].takes && ends[local].sends) {
        let message = format!("{} leads one way only", links[local]);
        let wrong = Wrong::new(message, "a node is at a link with `in` and `out`");
        document.wrong(LOCAL, None, wrong);
    }
    if document.mistakes.len() != mistakes {
        return None;
    }
    let shape = Grid {
        size,
        axes: pairs,
        wraps: kind.name != MESH_KIND.name,
        link_cycles,
    };
    let count = shape.count();
    let parts = Parts {
        shape: Shape::Grid(shape),
        component_of: vec![0; count as usize],
        components: vec![component],
        nodes: (0..count).map(|place| (place, local)).collect(),
        headers: None,
        endpoints,
        checks,
    };
    network(document, SIZE, parts)
}

impl GridConfig {
    fn tables(&self, kind: &NetworkKind) -> Vec<(&'static str, Value)> {
        let mut network = json!({
            "kind": kind.name,
            "component": self.written,
            "size": self.size,
        });
        let own = self.network.as_deref();
        if let Some((own, Shape::Grid(grid))) = own.map(|own| (own, &*own.shape)) {
            let links = own.first().router.chip.links;
            let name = |link: usize| links[link];
            let axes: Vec<[&str; 2]> = grid.axes.iter().map(|pair| pair.map(name)).collect();
            network["local"] = json!(name(own.nodes[0].1));
            network["axes"] = json!(axes);
            network["link_cycles"] = json!(grid.link_cycles);
        }
        let mut tables = vec![("network", network)];
        tables.extend(shared_tables(own));
        tables
    }
}

/// Writes a kind's configuration.
macro_rules! grid_config {
    ($(#[$doc:meta])* $name:ident, $kind:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(GridConfig);

        impl Description for $name {
            fn read(document: &mut Document<'_>, _: Option<u32>) -> $name {
                $name(GridConfig::read(document, &$kind))
            }

            fn kind(&self) -> &'static NetworkKind {
                &$kind
            }

            fn nodes(&self) -> u32 {
                self.0.size.iter().product()
            }

            fn levels(&self) -> Vec<u32> {
                let network = self.0.network.as_ref();
                network.map_or_else(|| vec![self.nodes()], |network| network.levels())
            }

            fn axes(&self) -> Vec<u32> {
                self.0.size.clone()
            }

            fn tables(&self) -> Vec<(&'static str, Value)> {
                self.0.tables(&$kind)
            }

            fn own_netlists(&self) -> Vec<&'static OwnNetlist> {
                let network = self.0.network.as_ref();
                network.map_or_else(Vec::new, |network| network.netlists())
            }

            fn build(&self, _: Strategy) -> Network {
                let network = self.0.network.as_ref();
                Box::new(OwnNetwork::clone(
                    network.expect("a configuration without mistakes"),
                ))
            }
        }
    };
}

grid_config!(
    /// A mesh.
    MeshConfig,
    MESH_KIND
);

grid_config!(
    /// A torus.
    TorusConfig,
    TORUS_KIND
);

grid_config!(
    /// A ring.
    RingConfig,
    RING_KIND
);
