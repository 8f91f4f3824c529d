//! A tree of Transit as a configuration describes it.

use serde_json::{Value, json};
use toml::de::DeValue;

use super::geometry::Geometry;
use super::{Dispersion, StackWires, Transit, UpStage};
use crate::Network;
use crate::description::{Description, NetworkKind};
use crate::faults;
use crate::keys::{self, LinkDelayRules};
use crate::rn1_links::LINK_DELAY_CYCLES_MAX;
use crate::rn1_nodes::{self, InterfaceConfig};
use crate::traffic::{NODES_MAX, Strategy};
use crosswave_chips::routing::transit::{Climb, TransitForm};
use crosswave_document::{Document, Key, KeyRow, Wrong, found, integer};

const NODES: Key = ("network", "nodes");
const LEAF: Key = ("network", "leaf");
const UP_STAGE: Key = ("network", "up_stage");
const CLIMB: Key = ("network", "climb");
const DISPERSION: Key = ("network", "dispersion");
const WIRING_SEED: Key = ("network", "wiring_seed");
const LINK_DELAYS: Key = ("network", "link_delay_cycles");
const CLOCK: Key = ("network", "clock_ps");
const PERMITTIVITY: Key = ("network", "permittivity_percent");

/// Picoseconds of a clock (section 4.1.3).
const CLOCK_PS: u64 = 10_000;
/// The relative permittivity of free space, in percent.
const FREE_SPACE_PERCENT: u64 = 100;

/// The leaves by name, with the stages of a cluster, or 0; the default first.
const LEAVES: [(&str, u32); 4] = [("UT64x2", 0), ("B12", 2), ("B48", 3), ("B192", 4)];

/// The climbs by name; the default first.
const CLIMBS: [(&str, Climb); 2] = [("directions", Climb::Directions), ("height", Climb::Height)];

/// The row of the registry.
pub const KIND: NetworkKind = NetworkKind {
    name: "transit",
    title: "Transit fat tree",
    of: "of RN1",
    keys: &[
        &[
            KeyRow {
                key: NODES,
                value: "integer",
                default: "required",
                legal: "the nodes of a leaf, times 64 for each layer of UT64x8, times 4 with a cap \
                     on them; up to 2^20",
                only: "",
                meaning: "The number of nodes.",
            },
            KeyRow {
                key: LEAF,
                value: "string",
                default: "`\"UT64x2\"`",
                legal: "`\"UT64x2\"` (a full fat tree), `\"B12\"`, `\"B48\"`, `\"B192\"` (a hybrid \
                     one)",
                only: "",
                meaning: "What the leaves of the tree are.",
            },
            KeyRow {
                key: UP_STAGE,
                value: "string",
                default: "`\"standard\"`",
                legal: "`\"standard\"`, `\"two-crossbars\"`",
                only: "",
                meaning: "How the upward stage of a UT64x2 is built.",
            },
            KeyRow {
                key: CLIMB,
                value: "string",
                default: "`\"directions\"`",
                legal: "`\"directions\"`, `\"height\"`",
                only: "",
                meaning: "What the first byte of a route says of its climb: a direction for each \
                          stage, or a height, which routers count down.",
            },
            KeyRow {
                key: DISPERSION,
                value: "string",
                default: "`\"full\"`",
                legal: "`\"full\"`, `\"none\"`, `\"random\"`",
                only: "",
                meaning: "How the wires that come to a stage are spread over its routers.",
            },
            KeyRow {
                key: WIRING_SEED,
                value: "integer",
                default: "`1`",
                legal: "0 to 2^63 − 1",
                only: "`network.dispersion = \"random\"`",
                meaning: "The seed from which random wiring is drawn.",
            },
            KeyRow {
                key: LINK_DELAYS,
                value: "integer, or a list of them, or `\"geometry\"`",
                default: "`\"geometry\"`",
                legal: "`\"geometry\"` (the length of the wires between stacks), 0 to 31 for all of \
                     them, or a list with one entry per layer of UT64x8 and one more for the cap",
                only: "",
                meaning: "The extra cycles that a word takes between layers.",
            },
            KeyRow {
                key: CLOCK,
                value: "integer",
                default: "`10000`",
                legal: "500 to 1,000,000",
                only: "",
                meaning: "The length of a cycle in picoseconds; the cycles of long wires follow from \
                     it.",
            },
            KeyRow {
                key: PERMITTIVITY,
                value: "integer",
                default: "`100`",
                legal: "100 to 2000",
                only: "",
                meaning: "The relative permittivity of long wires, in percent.",
            },
        ],
        &rn1_nodes::KEYS,
        &faults::KEYS,
    ],
    packets: false,
    broadcasts: false,
    strategies: rn1_nodes::STRATEGIES,
    nodes: Some(nodes),
    models: None,
    chips: &[
        "rn1",
        "rn1_height",
        "rn1_interface",
        "rn1_delay_line",
        "rn1_fault_line",
    ],
    samples: &[
        "[network]\nkind='transit'\nnodes=64\n[traffic]\npattern='random'\nmessages=24\nwords=2",
        "[network]\nkind='transit'\nnodes=64\nclimb='height'\n\
         [traffic]\npattern='random'\nmessages=24\nwords=2",
    ],
};

/// A tree of Transit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransitConfig {
    /// Leaves, layers and cap.
    pub form: TransitForm,
    /// Configuration of the stage up of UT64x2.
    pub up_stage: UpStage,
    /// The form in which the first byte of a route says how far it climbs.
    pub climb: Climb,
    /// Rule for spreading wires.
    pub dispersion: Dispersion,
    /// The seed of random wiring.
    pub wiring_seed: u64,
    /// Extra clocks between stacks; `None` for what their length takes.
    pub link_delay_cycles: Option<Vec<u32>>,
    /// Picoseconds of a clock.
    pub clock_ps: u64,
    /// Relative permittivity, in percent.
    pub permittivity_percent: u64,
    /// `[interface]`: what the network interfaces do.
    pub interface: InterfaceConfig,
}

impl TransitConfig {
    /// A tree of some form with the defaults of all else.
    pub fn new(form: TransitForm) -> TransitConfig {
        TransitConfig {
            form,
            up_stage: UpStage::Standard,
            climb: Climb::Directions,
            dispersion: Dispersion::Full,
            wiring_seed: 1,
            link_delay_cycles: None,
            clock_ps: CLOCK_PS,
            permittivity_percent: FREE_SPACE_PERCENT,
            interface: InterfaceConfig::default(),
        }
    }

    /// The network, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of networks of RN1.
    pub fn network(&self, strategy: Strategy) -> Transit {
        let geometry = Geometry {
            clock_ns: self.clock_ps as f64 / 1000.0,
            permittivity: self.permittivity_percent as f64 / 100.0,
        };
        Transit {
            form: self.form,
            up_stage: self.up_stage,
            climb: self.climb,
            dispersion: self.dispersion,
            wires: match &self.link_delay_cycles {
                None => StackWires::Geometry(geometry),
                Some(delays) => StackWires::Given(delays.clone()),
            },
            interface: self.interface.interface(strategy),
        }
    }
}

/// The forms that trees with a leaf may have.
fn forms(leaf_stages: u32) -> impl Iterator<Item = TransitForm> {
    let layers = u32::from(leaf_stages > 0)..=2;
    let form = move |layers, capped| TransitForm {
        leaf_stages,
        layers,
        capped,
    };
    let both = layers.flat_map(move |layers| [form(layers, false), form(layers, true)]);
    both.filter(|form| (form.layers > 0 || !form.capped) && form.nodes() <= NODES_MAX)
}

/// A number of nodes that some tree has.
fn nodes(value: &DeValue<'_>) -> Result<u32, Vec<Wrong>> {
    let mut sizes: Vec<u32> = LEAVES
        .iter()
        .flat_map(|&(_, leaf)| forms(leaf).map(TransitForm::nodes))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let number = integer(value, &(0..=u64::MAX)).ok();
    let legal = sizes.iter().find(|&&size| number == Some(u64::from(size)));
    legal.copied().ok_or_else(|| {
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        let message = format!("{}; expected one of {}", found(value), sizes.join(", "));
        vec![Wrong::new(message, "such as nodes = 64")]
    })
}

impl Description for TransitConfig {
    fn read(document: &mut Document<'_>, nodes: Option<u32>) -> TransitConfig {
        let leaf_stages = document.choice(LEAF, &LEAVES).unwrap_or(0);
        let fitting = nodes.map(|nodes| forms(leaf_stages).find(|form| form.nodes() == nodes));
        if let Some(None) = fitting
            && !document.failed(LEAF)
        {
            let sizes: Vec<String> = forms(leaf_stages)
                .map(|form| form.nodes().to_string())
                .collect();
            let others = LEAVES
                .iter()
                .filter(|&&(_, leaf)| forms(leaf).any(|form| Some(form.nodes()) == nodes));
            let others: Vec<String> = others.map(|(name, _)| format!("{name:?}")).collect();
            let leaf = LEAVES.iter().find(|leaf| leaf.1 == leaf_stages);
            let wrong = Wrong::new(
                format!(
                    "no tree of {} leaves has {} nodes; expected one of {}",
                    leaf.map_or("", |leaf| leaf.0),
                    nodes.unwrap_or(0),
                    sizes.join(", ")
                ),
                format!("or set network.leaf to {}", others.join(" or ")),
            );
            document.wrong(NODES, Some(LEAF), wrong);
        }
        let default = TransitConfig::new(fitting.flatten().unwrap_or(TransitForm {
            leaf_stages,
            layers: 1,
            capped: false,
        }));
        let up_stages = [
            ("standard", UpStage::Standard),
            ("two-crossbars", UpStage::TwoCrossbars),
        ];
        let up_stage = document.choice(UP_STAGE, &up_stages);
        let climb = document.choice(CLIMB, &CLIMBS);
        let wiring_seed = document
            .integer(WIRING_SEED, 0..=i64::MAX as u64)
            .unwrap_or(default.wiring_seed);
        let dispersions = [
            ("full", Dispersion::Full),
            ("none", Dispersion::None),
            ("random", Dispersion::Random { seed: wiring_seed }),
        ];
        let dispersion = document.choice(DISPERSION, &dispersions);
        let rules = LinkDelayRules {
            most: LINK_DELAY_CYCLES_MAX,
            place: "layer of UT64x8 and the cap",
            help: "give \"geometry\", one delay for all wires between stacks, or a list with one \
                   entry per layer, and one for the cap where there is one",
            help_list: "entry t is for the wires below layer t+1; the last one for the cap",
        };
        let places = fitting
            .flatten()
            .map(|form| form.layers as usize + usize::from(form.capped));
        let delays = document.value(LINK_DELAYS, |value| {
            if value.as_str() == Some("geometry") {
                return Ok(None);
            }
            keys::link_delays(value, &rules, places).map(Some)
        });
        TransitConfig {
            form: default.form,
            up_stage: up_stage.unwrap_or(default.up_stage),
            climb: climb.unwrap_or(default.climb),
            dispersion: dispersion.unwrap_or(default.dispersion),
            wiring_seed,
            link_delay_cycles: delays.flatten(),
            clock_ps: document
                .integer(CLOCK, 500..=1_000_000)
                .unwrap_or(default.clock_ps),
            permittivity_percent: document
                .integer(PERMITTIVITY, 100..=2000)
                .unwrap_or(default.permittivity_percent),
            interface: InterfaceConfig::read(document),
        }
    }

    fn kind(&self) -> &'static NetworkKind {
        &KIND
    }

    fn nodes(&self) -> u32 {
        self.form.nodes()
    }

    fn levels(&self) -> Vec<u32> {
        self.form.levels()
    }

    fn level_weights(&self) -> Option<Vec<u32>> {
        Some(self.form.level_weights())
    }

    fn tables(&self) -> Vec<(&'static str, Value)> {
        let leaf = LEAVES.iter().find(|leaf| leaf.1 == self.form.leaf_stages);
        let climb = CLIMBS.iter().find(|climb| climb.1 == self.climb);
        let delays = match &self.link_delay_cycles {
            None => json!("geometry"),
            Some(delays) => json!(delays),
        };
        let network = json!({
            "kind": KIND.name,
            "nodes": self.form.nodes(),
            "leaf": leaf.map(|leaf| leaf.0),
            "up_stage": match self.up_stage {
                UpStage::Standard => "standard",
                UpStage::TwoCrossbars => "two-crossbars",
            },
            "climb": climb.map(|climb| climb.0),
            "dispersion": match self.dispersion {
                Dispersion::Full => "full",
                Dispersion::None => "none",
                Dispersion::Random { .. } => "random",
            },
            "wiring_seed": self.wiring_seed,
            "link_delay_cycles": delays,
            "clock_ps": self.clock_ps,
            "permittivity_percent": self.permittivity_percent,
        });
        vec![("network", network), ("interface", json!(self.interface))]
    }

    fn build(&self, strategy: Strategy) -> Network {
        Box::new(self.network(strategy))
    }
}
