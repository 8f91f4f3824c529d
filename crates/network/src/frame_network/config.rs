//! Butterfly fat trees, fat stacks and fat pyramids as a configuration describes them.

use serde_json::{Value, json};

use super::{FrameNetwork, HOPS_MAX, LinkDelays, has_chip};
use crate::Network;
use crate::description::{Description, NetworkKind};
use crate::keys::{self, LinkDelayRules};
use crate::traffic::Strategy;
use crosswave_document::{Document, Key, KeyRow, Wrong};
use crosswave_frame::shape::{
    Family, FrameShape, Growth, QUADRANTS, RING_MIN, RingCapacity, ShapeOptions, SwitchForm,
};

const LEVELS: Key = ("network", "levels");
const CAPACITIES: Key = ("network", "capacities");
const SEED: Key = ("network", "routing_seed");
const LINK_DELAYS: Key = ("network", "link_delay_cycles");
const CELLS: Key = ("network", "cells_per_cycle");
const VARIANT: Key = ("network", "variant");
const RING: Key = ("network", "ring");
const RING_CAPACITY: Key = ("network", "ring_capacity");
const PROCESSORS: Key = ("network", "processors");

/// The keys of all networks of the frame.
const FRAME_KEYS: &[KeyRow] = &[
    KeyRow {
        key: LEVELS,
        value: "integer",
        default: "required",
        legal: "1 to 8, with linked processors to 7; in a general fat stack as many as routes of 16 \
             switches reach",
        only: "",
        meaning: "The number of levels k; there are 4^k nodes, or 3^k with rings of three.",
    },
    KeyRow {
        key: CAPACITIES,
        value: "string",
        default: "`\"doubling\"`",
        legal: "`\"doubling\"`: twice the wires from level to level; `\"constant\"`: one wire at \
             each, which is the default of a general fat stack",
        only: "",
        meaning: "The number of wires between levels.",
    },
    KeyRow {
        key: SEED,
        value: "integer",
        default: "`1`",
        legal: "0 to 2^32 − 1",
        only: "",
        meaning: "The seed from which the copies of switches on a route are drawn.",
    },
    KeyRow {
        key: LINK_DELAYS,
        value: "integer, or `\"geometry\"`",
        default: "`0`",
        legal: "0 to 64 for all links, or `\"geometry\"` (their length in the layout)",
        only: "",
        meaning: "The extra cycles that a word takes on a link.",
    },
    KeyRow {
        key: CELLS,
        value: "integer",
        default: "`4`",
        legal: "1 to 1,024",
        only: "`network.link_delay_cycles = \"geometry\"`",
        meaning: "How many sides of a processor's cell a signal passes in a cycle; a link has an extra \
             cycle for each further stretch of that length.",
    },
];

/// The most extra clocks of a link that are given.
const LINK_DELAY_CYCLES_MAX: u32 = 64;

/// Cells that a signal passes in a clock, unless said otherwise.
const CELLS_PER_CYCLE: u32 = 4;

/// The keys of networks with links within levels.
const LATERAL_KEYS: &[KeyRow] = &[
    KeyRow {
        key: RING_CAPACITY,
        value: "string",
        default: "`\"copies\"`",
        legal: "`\"copies\"`: one for each copy of a switch; `\"upward\"`: as many as upward links \
             have",
        only: "",
        meaning: "The number of wires of a ring, and of a mesh where it is `\"copies\"`.",
    },
    KeyRow {
        key: PROCESSORS,
        value: "string",
        default: "`\"alone\"`",
        legal: "`\"alone\"`; `\"linked\"`: each has a switch of its own, joined as those of other \
             levels; a general fat stack always has `\"linked\"`",
        only: "",
        meaning: "Whether processors are joined to their neighbours.",
    },
];

const STACK_KEYS: &[KeyRow] = &[
    KeyRow {
        key: VARIANT,
        value: "string",
        default: "`\"augmented\"`",
        legal: "`\"augmented\"`: an upward link from every node of a ring; `\"general\"`: from one",
        only: "",
        meaning: "The variant of the fat stack.",
    },
    KeyRow {
        key: RING,
        value: "integer",
        default: "`4`",
        legal: "3 or 4",
        only: "",
        meaning: "The number of nodes of a ring.",
    },
];

/// A row of the registry.
const fn kind(
    name: &'static str,
    title: &'static str,
    keys: &'static [&'static [KeyRow]],
    samples: &'static [&'static str],
) -> NetworkKind {
    NetworkKind {
        name,
        title,
        of: "of wormhole switches",
        keys,
        packets: true,
        broadcasts: false,
        strategies: &["none"],
        nodes: None,
        models: None,
        chips: &[
            "stack_switch_8",
            "stack_switch_10",
            "stack_interface",
            "stack_delay_line",
        ],
        samples,
    }
}

/// The row of the registry of butterfly fat trees.
pub const TREE_KIND: NetworkKind = kind(
    "butterfly-fat-tree",
    "butterfly fat tree",
    &[FRAME_KEYS],
    &[
        "[network]\nkind='butterfly-fat-tree'\nlevels=2\n[traffic]\npattern='random'\nwords=7\nrepeat=2",
    ],
);
/// That of fat stacks.
pub const STACK_KIND: NetworkKind = kind(
    "fat-stack",
    "fat stack",
    &[FRAME_KEYS, LATERAL_KEYS, STACK_KEYS],
    &[
        "[network]\nkind='fat-stack'\nvariant='general'\nlevels=2\nprocessors='linked'\n\
     [traffic]\npattern='random'\nwords=3\nrepeat=2",
    ],
);
/// That of fat pyramids.
pub const PYRAMID_KIND: NetworkKind = kind(
    "fat-pyramid",
    "fat pyramid",
    &[FRAME_KEYS, LATERAL_KEYS],
    &[
        "[network]\nkind='fat-pyramid'\nlevels=2\n[traffic]\npattern='hot-spot'\ndestination=3\nwords=5",
    ],
);

/// Reads the extra clocks of links.
fn read_link_delays(document: &mut Document<'_>) -> LinkDelays {
    let rules = LinkDelayRules {
        most: LINK_DELAY_CYCLES_MAX,
        place: "link",
        help: "give \"geometry\", or one delay for all links",
        help_list: "give \"geometry\", or one delay for all links",
    };
    let cells = document.integer32(CELLS, 1..=1024);
    let by_length = LinkDelays::Layout {
        cells_per_cycle: cells.unwrap_or(CELLS_PER_CYCLE),
    };
    let delays = document.value(LINK_DELAYS, |value| {
        if value.as_str() == Some("geometry") {
            return Ok(by_length);
        }
        keys::link_delay(value, &rules).map(LinkDelays::Uniform)
    });
    if delays != Some(by_length) && cells.is_some() && !document.failed(LINK_DELAYS) {
        let wrong = Wrong::new(
            "only with network.link_delay_cycles = \"geometry\"",
            "remove it, or set that",
        );
        document.wrong(CELLS, Some(LINK_DELAYS), wrong);
    }
    delays.unwrap_or(LinkDelays::Uniform(0))
}

/// A network of the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FrameConfig {
    shape: FrameShape,
    link_delays: LinkDelays,
    routing_seed: u32,
}

impl FrameConfig {
    /// Reads the keys of one of the families. What is wrong gets a stand-in.
    fn read(document: &mut Document<'_>, family: Family, ring: u32) -> FrameConfig {
        let defaults = ShapeOptions::of(family);
        if !document.has(LEVELS) {
            let wrong = Wrong::new("missing; it has no default", "such as levels = 3");
            document.wrong(LEVELS, None, wrong);
        }
        let levels = document.integer32(LEVELS, 1..=HOPS_MAX / 2);
        let growths = [("doubling", Growth::Doubling), ("constant", Growth::Unit)];
        let mut options = ShapeOptions {
            form: SwitchForm::Split,
            growth: document
                .choice(CAPACITIES, &growths)
                .unwrap_or(defaults.growth),
            ..defaults
        };
        if family != Family::ButterflyFatTree {
            let capacities = [
                ("copies", RingCapacity::Copies),
                ("upward", RingCapacity::Upward),
            ];
            let processors = [("alone", false), ("linked", true)];
            let capacity = document.choice(RING_CAPACITY, &capacities);
            options.ring_capacity = capacity.unwrap_or(defaults.ring_capacity);
            let linked = document.choice(PROCESSORS, &processors);
            options.leaf_links = linked.unwrap_or(defaults.leaf_links);
        }
        if family == Family::GeneralFatStack && !options.leaf_links {
            let wrong = Wrong::new(
                "found \"alone\"; expected \"linked\" in a general fat stack",
                "nothing but rings joins its processors: remove it",
            );
            document.wrong(PROCESSORS, None, wrong);
            options.leaf_links = true;
        }
        let shape = |levels| {
            FrameShape::with_options(family, ring, levels, options).expect("all in their ranges")
        };
        let stand_in = shape(1);
        let shape = match levels.map(shape) {
            None => stand_in,
            Some(shape) if has_chip(shape) => shape,
            Some(shape) => {
                let (key, wrong) = match super::hops(shape) > HOPS_MAX {
                    true => (
                        LEVELS,
                        Wrong::new(
                            format!(
                                "found {}, where routes pass {} switches; expected at most {HOPS_MAX}",
                                shape.levels(),
                                super::hops(shape)
                            ),
                            "a header has room for so many ports: lower it",
                        ),
                    ),
                    false => (
                        RING_CAPACITY,
                        Wrong::new(
                            "found \"upward\", for which switches of a mesh have too few ports",
                            "set network.ring_capacity = \"copies\"",
                        ),
                    ),
                };
                document.wrong(key, None, wrong);
                stand_in
            }
        };
        FrameConfig {
            shape,
            link_delays: read_link_delays(document),
            routing_seed: document.integer32(SEED, 0..=u32::MAX).unwrap_or(1),
        }
    }

    fn levels(&self) -> Vec<u32> {
        let levels = 1..=self.shape.levels();
        levels.map(|level| self.shape.ring().pow(level)).collect()
    }

    fn table(&self, kind: &NetworkKind) -> Value {
        let (shape, options) = (self.shape, self.shape.options());
        let mut table = json!({
            "kind": kind.name,
            "levels": shape.levels(),
            "capacities": match options.growth {
                Growth::Doubling => "doubling",
                Growth::Unit => "constant",
            },
            "routing_seed": self.routing_seed,
        });
        match self.link_delays {
            LinkDelays::Uniform(cycles) => table["link_delay_cycles"] = json!(cycles),
            LinkDelays::Layout { cells_per_cycle } => {
                table["link_delay_cycles"] = json!("geometry");
                table["cells_per_cycle"] = json!(cells_per_cycle);
            }
        }
        if shape.family() != Family::ButterflyFatTree {
            table["ring_capacity"] = json!(match options.ring_capacity {
                RingCapacity::Copies => "copies",
                RingCapacity::Upward => "upward",
            });
            table["processors"] = json!(if options.leaf_links {
                "linked"
            } else {
                "alone"
            });
        }
        if kind.name == STACK_KIND.name {
            table["variant"] = json!(match shape.family() {
                Family::GeneralFatStack => "general",
                _ => "augmented",
            });
            table["ring"] = json!(shape.ring());
        }
        table
    }

    fn network(&self) -> FrameNetwork {
        FrameNetwork::new(self.shape, self.link_delays, self.routing_seed.into())
    }
}

/// Writes a kind's configuration, read by a function of the document.
macro_rules! frame_config {
    ($(#[$doc:meta])* $name:ident, $kind:expr, $read:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(FrameConfig);

        impl Description for $name {
            fn read(document: &mut Document<'_>, _: Option<u32>) -> $name {
                let read: fn(&mut Document<'_>) -> FrameConfig = $read;
                $name(read(document))
            }

            fn kind(&self) -> &'static NetworkKind {
                &$kind
            }

            fn nodes(&self) -> u32 {
                self.0.shape.processors()
            }

            fn levels(&self) -> Vec<u32> {
                self.0.levels()
            }

            fn tables(&self) -> Vec<(&'static str, Value)> {
                vec![("network", self.0.table(&$kind))]
            }

            fn build(&self, _: Strategy) -> Network {
                Box::new(self.0.network())
            }
        }
    };
}

frame_config!(
    /// A butterfly fat tree.
    ButterflyFatTreeConfig,
    TREE_KIND,
    |document| FrameConfig::read(document, Family::ButterflyFatTree, QUADRANTS)
);

frame_config!(
    /// A fat stack, augmented or general.
    FatStackConfig,
    STACK_KIND,
    |document| {
        let variants = [
            ("augmented", Family::AugmentedFatStack),
            ("general", Family::GeneralFatStack),
        ];
        let family = document.choice(VARIANT, &variants);
        let ring = document.integer32(RING, RING_MIN..=QUADRANTS);
        let family = family.unwrap_or(Family::AugmentedFatStack);
        FrameConfig::read(document, family, ring.unwrap_or(QUADRANTS))
    }
);

frame_config!(
    /// A fat pyramid.
    FatPyramidConfig,
    PYRAMID_KIND,
    |document| FrameConfig::read(document, Family::FatPyramid, QUADRANTS)
);
