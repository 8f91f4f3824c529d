//! An m-port n-tree as a configuration describes it: `ports`, `levels` and the routing in
//! `[network]`, and the table `[router]`; of circuit switches, or of packet switches.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use toml::de::DeValue;

use super::made_routing::MadeRouting;
use super::ways::{Choice, PathSet};
use super::{
    CIRCUIT_LEVELS_MAX, CIRCUIT_PORTS_MAX, Circuits, MportTree, PACKET_PORTS_MAX, Switching,
    packet_levels_max,
};
use crate::Network;
use crate::description::{Description, NetworkKind, TreeRouting, WithoutNetlists};
use crate::fat_tree::Release;
use crate::keys;
use crate::traffic::Strategy;
use crosswave_base::diagnostic::Diagnostic;
use crosswave_base::file::{input, text_input};
use crosswave_chips::{packet_queue, protocol};
use crosswave_document::{Document, Key, KeyRow, Wrong, found};
use crosswave_oblivious::failures::rerouted::{Rerouted, ShareMove};
use crosswave_oblivious::failures::{Failures, TreeFailure};
use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::routing::modulo::PATHS_MAX;
use crosswave_oblivious::routing::named::{NamedRouting, PATHS_DEFAULT};
use crosswave_oblivious::table::{PathTable, csv};
use crosswave_oblivious::tree::{NODES_MAX, PortTree};

const PORTS: Key = ("network", "ports");
const LEVELS: Key = ("network", "levels");
const ROUTING: Key = ("network", "routing");
const PATHS: Key = ("network", "paths");
const CHOICE: Key = ("network", "choice");
const SEED: Key = ("network", "routing_seed");
const TABLES: Key = ("network", "tables");
const FAILED: Key = ("network", "failed");
const REROUTE: Key = ("network", "reroute");
const WINNER: Key = ("router", "winner");
const RELEASE: Key = ("router", "release");
const QUEUE: Key = ("router", "queue_packets");

/// The keys of all m-port n-trees.
const TREE_KEYS: &[KeyRow] = &[
    KeyRow {
        key: PORTS,
        value: "integer",
        default: "required",
        legal: "an even number, 2 to 32, with packets to 64",
        only: "",
        meaning: "The number of ports m of a switch; the tree has 2(m/2)^n nodes, 2^20 at most.",
    },
    KeyRow {
        key: LEVELS,
        value: "integer",
        default: "required",
        legal: "1 to 8; with packets as many as 39 bits hold the ports of 2n − 1 switches: 10 with 4 \
             ports, 7 with up to 8, 5 with 16, 4 with 32, 3 with 64",
        only: "",
        meaning: "The number of levels n of switches.",
    },
    KeyRow {
        key: ROUTING,
        value: "string",
        default: "`\"d-mod-k\"`",
        legal: "`\"d-mod-k\"`, `\"wsr\"`, `\"mlid\"`, `\"omrmn\"` (all shortest paths), `\"osrm2\"` \
             and `\"osrm3\"` (trees of 2 and 3 levels), `\"random\"` (paths drawn for each pair)",
        only: "",
        meaning: "The rule that gives each pair of nodes its paths.",
    },
    KeyRow {
        key: PATHS,
        value: "integer",
        default: "`1`",
        legal: "1 to 4,096",
        only: "`network.routing = \"mlid\"`, `\"d-mod-k\"` or `\"random\"`",
        meaning: "The number of paths of a pair of nodes, where the pair has as many.",
    },
    KeyRow {
        key: CHOICE,
        value: "string",
        default: "`\"round-robin\"`",
        legal: "`\"round-robin\"`, `\"random\"`",
        only: "",
        meaning: "How the messages of a pair are spread over its paths.",
    },
    KeyRow {
        key: SEED,
        value: "integer",
        default: "`1`",
        legal: "0 to 2^32 − 1",
        only: "",
        meaning: "The seed from which paths are drawn, by routing or by choice.",
    },
    KeyRow {
        key: TABLES,
        value: "string",
        default: "none",
        legal: "a path, relative to the folder of the configuration",
        only: "",
        meaning: "A CSV file with the ports of every path, in place of a routing by name; `crosswave \
             oblivious --write-tables` writes one.",
    },
    KeyRow {
        key: FAILED,
        value: "list of strings",
        default: "`[]`",
        legal: "switches and links such as `\"switch(0, 0)\"` or `\"switch((0, 1), 2) port 3\"`; \
             each pair of nodes keeps a shortest path",
        only: "",
        meaning: "The switches and links that have failed.",
    },
    KeyRow {
        key: REROUTE,
        value: "string",
        default: "`\"evenly\"`",
        legal: "`\"evenly\"`: over all intact shortest paths of the pair; `\"round-robin\"`: each to \
             one of them, in turn",
        only: "",
        meaning: "Where paths over failed links move.",
    },
];

/// The row of the registry of trees of circuit switches.
pub const KIND: NetworkKind = NetworkKind {
    name: "m-port-n-tree",
    title: "tree of m-port switches",
    of: "of circuit switches",
    keys: &[
        TREE_KEYS,
        &[
            KeyRow {
                key: WINNER,
                value: "string",
                default: "`\"random\"`",
                legal: "`\"random\"`, `\"fixed\"` (a message from above first, then the lower port)",
                only: "",
                meaning: "Which one of several messages that collide in a switch passes.",
            },
            KeyRow {
                key: RELEASE,
                value: "string",
                default: "`\"acknowledge\"`",
                legal: "`\"acknowledge\"`: the acknowledgement as it returns; \
                     `\"early-acknowledge\"`: the tail of the message, but not before the \
                     acknowledgement, which the receiver sends at the head; `\"tail\"`: the \
                     tail as it passes, before there is an answer",
                only: "",
                meaning: "What frees the output of a router that a message holds.",
            },
        ],
    ],
    packets: false,
    broadcasts: false,
    strategies: &["immediate", "rounds", "backoff"],
    nodes: None,
    models: None,
    chips: &[
        "mport_switch_4",
        "mport_switch_8",
        "mport_switch_16",
        "mport_switch_32",
        "mport_tail_switch_4",
        "mport_tail_switch_8",
        "mport_tail_switch_16",
        "mport_tail_switch_32",
        "mport_interface",
    ],
    samples: &[
        "[network]\nkind='m-port-n-tree'\nports=4\nlevels=3\nrouting='omrmn'\n\
     [traffic]\npattern='random'\nwords=2\nrepeat=2",
        "[network]\nkind='m-port-n-tree'\nports=4\nlevels=2\n[router]\nrelease='tail'\n\
     [traffic]\npattern='random'\nwords=2\nrepeat=2",
    ],
};

/// Messages about the packet switches.
const WITHOUT_NETLISTS: WithoutNetlists = WithoutNetlists {
    why: "packet switches with queues of more than 8 packets, or of more than 8 ports, are a model \
          without a netlist",
    help: "set run.engine = \"event\"; or router.queue_packets to 8 or less, with up to 8 ports",
    export_help: "export a network with shorter queues, as with --set router.queue_packets=8, and of \
                  up to 8 ports",
};

/// The row of the registry of trees of packet switches.
pub const PACKET_KIND: NetworkKind = NetworkKind {
    name: "m-port-n-tree-packets",
    title: "packet-switched tree of m-port switches",
    of: "of packet switches with queues",
    keys: &[
        TREE_KEYS,
        &[KeyRow {
            key: QUEUE,
            value: "integer or string",
            default: "`\"unlimited\"`",
            legal: "0 to 65,534, or `\"unlimited\"`; queues of more than 8 packets, and switches of \
                 more than 8 ports, are models for the event engine",
            only: "",
            meaning: "The most packets that wait for one output of a switch.",
        }],
    ],
    packets: true,
    broadcasts: false,
    strategies: &["none"],
    nodes: None,
    models: Some(&WITHOUT_NETLISTS),
    chips: &[
        "mport_packet_switch_4_q8",
        "mport_packet_switch_8_q8",
        "mport_packet_interface",
    ],
    samples: &[
        "[network]\nkind='m-port-n-tree-packets'\nports=4\nlevels=2\n\
     [traffic]\npattern='random'\nwords=2\nrepeat=2\n[run]\nengine='event'",
        "[network]\nkind='m-port-n-tree-packets'\nports=4\nlevels=2\n[router]\nqueue_packets=8\n\
     [traffic]\npattern='random'\nwords=2\nrepeat=2",
        "[network]\nkind='m-port-n-tree-packets'\nports=8\nlevels=2\n[router]\nqueue_packets=8\n\
     [traffic]\npattern='random'\nwords=2",
    ],
};

/// The part of a configuration that all m-port n-trees share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeConfig {
    /// m and n.
    pub tree: PortTree,
    /// The routing.
    pub routing: NamedRouting,
    /// Paths of a pair.
    pub paths: u32,
    /// The choice of a path for each message.
    pub choice: Choice,
    /// The seed of random paths.
    pub routing_seed: u32,
    /// The table that takes the place of the routing by name.
    pub tables: Option<TableFile>,
    /// The names of switches and links that have failed.
    pub failed: Vec<String>,
    /// Rule by which paths over them move.
    pub reroute: ShareMove,
    /// The routing around what has failed, where something has.
    pub around: Option<Around>,
    /// The routing by name, once it has been made.
    pub made: MadeRouting,
}

/// A routing that follows from the rest of a configuration.
#[derive(Debug, Clone)]
pub struct Around(Arc<dyn Routing>);

/// Any two are equal: the rest of the configuration, from which a routing follows, is compared
/// instead.
impl PartialEq for Around {
    fn eq(&self, _: &Around) -> bool {
        true
    }
}

impl Eq for Around {}

/// A table and the file it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// As the configuration names it.
    pub file: String,
    /// The file's path, resolved.
    pub path: PathBuf,
    /// The table in the file.
    pub table: Arc<PathTable>,
}

/// The rules by which paths may move, by name.
const MOVES: [(&str, ShareMove); 2] = [
    ("evenly", ShareMove::Evenly),
    ("round-robin", ShareMove::RoundRobin),
];

impl TreeConfig {
    /// The tree with all defaults.
    pub fn new(tree: PortTree) -> TreeConfig {
        TreeConfig {
            tree,
            routing: NamedRouting::default(),
            paths: PATHS_DEFAULT,
            choice: Choice::RoundRobin,
            routing_seed: 1,
            tables: None,
            failed: Vec::new(),
            reroute: ShareMove::Evenly,
            around: None,
            made: MadeRouting::default(),
        }
    }

    /// Reads the keys, for switches of so many ports and levels at most. What is wrong gets a stand-in.
    fn read(
        document: &mut Document<'_>,
        ports_max: u32,
        levels_max: impl Fn(u32) -> u32,
    ) -> TreeConfig {
        let stand_in = PortTree::new(4, 2).expect("a tree");
        for (key, example) in [(PORTS, "ports = 8"), (LEVELS, "levels = 2")] {
            if !document.has(key) {
                let wrong = Wrong::new("missing; it has no default", format!("such as {example}"));
                document.wrong(key, None, wrong);
            }
        }
        let ports = document.integer32(PORTS, 2..=ports_max);
        if let Some(ports) = ports.filter(|ports| !ports.is_multiple_of(2)) {
            let wrong = Wrong::new(
                format!("found {ports}; expected an even number"),
                format!("half of the ports lead down: such as ports = {}", ports + 1),
            );
            document.wrong(PORTS, None, wrong);
        }
        let ports = ports.filter(|ports| ports.is_multiple_of(2));
        let levels = document.integer32(LEVELS, 1..=ports.map_or(1, &levels_max).max(8));
        let mut tree = None;
        if let (Some(ports), Some(levels)) = (ports, levels) {
            let most = levels_max(ports);
            let found = PortTree::new(ports, levels).ok().filter(|_| levels <= most);
            if found.is_none() {
                let nodes = u64::from(ports / 2)
                    .checked_pow(levels)
                    .and_then(|n| n.checked_mul(2));
                let nodes = nodes.map_or("more than 2^64".to_owned(), |nodes| nodes.to_string());
                let wrong = Wrong::new(
                    format!(
                        "found {levels}, which makes {nodes} nodes; expected at most {most} levels \
                         and {NODES_MAX} nodes"
                    ),
                    "a header has room for so many ports, and addresses for so many nodes",
                );
                document.wrong(LEVELS, Some(PORTS), wrong);
            }
            tree = found;
        }
        let routing = document
            .choice(ROUTING, &NamedRouting::ALL)
            .unwrap_or_default();
        let paths = document.integer32(PATHS, 1..=PATHS_MAX);
        let mut config = TreeConfig {
            tree: tree.unwrap_or(stand_in),
            routing,
            paths: paths.unwrap_or(PATHS_DEFAULT),
            choice: document
                .choice(
                    CHOICE,
                    &[
                        ("round-robin", Choice::RoundRobin),
                        ("random", Choice::Random),
                    ],
                )
                .unwrap_or(Choice::RoundRobin),
            routing_seed: document.integer32(SEED, 0..=u32::MAX).unwrap_or(1),
            tables: None,
            failed: Vec::new(),
            reroute: document
                .choice(REROUTE, &MOVES)
                .unwrap_or(ShareMove::Evenly),
            around: None,
            made: MadeRouting::default(),
        };
        if tree.is_some()
            && !document.failed(ROUTING)
            && let Err(error) = routing.check(config.tree)
        {
            let help = "choose another routing, such as \"d-mod-k\"";
            document.wrong(ROUTING, Some(LEVELS), Wrong::new(error.to_string(), help));
        }
        if paths.is_some_and(|paths| paths > 1) && !routing.takes_paths() {
            let wrong = Wrong::new(
                format!("{:?} has paths of its own", routing.name()),
                "remove it, or set network.routing = \"d-mod-k\", \"mlid\" or \"random\"",
            );
            document.wrong(PATHS, Some(ROUTING), wrong);
        }
        if tree.is_some() {
            config.read_tables(document);
            config.read_failed(document);
        }
        config
    }

    /// Reads the table, where there is one.
    fn read_tables(&mut self, document: &mut Document<'_>) {
        let Some(file) = document.value(TABLES, |value| text(value)) else {
            return;
        };
        for key in [ROUTING, PATHS] {
            if document.has(key) {
                let wrong = Wrong::new("network.tables has the paths", "remove one of the two");
                document.wrong(key, Some(TABLES), wrong);
            }
        }
        let path = document.folder.join(&file);
        let origin = path.display().to_string();
        let expected = "a routing table (CSV)";
        let found = text_input::open(&path, input::ROUTING_TABLE, expected);
        match found.and_then(|input| csv::read(input, &origin, self.tree)) {
            Ok(table) => {
                let table = Arc::new(table);
                self.tables = Some(TableFile { file, path, table });
            }
            Err(error) => {
                document.wrong_in_file(TABLES, error);
            }
        }
    }

    /// Reads what has failed, and looks whether all pairs of nodes are left a path.
    fn read_failed(&mut self, document: &mut Document<'_>) {
        let tree = self.tree;
        let names = document.value(FAILED, |value| failed(value, tree));
        self.failed = names.unwrap_or_default();
        if self.failed.is_empty() {
            return;
        }
        match self.rerouted() {
            Ok(routing) => self.around = Some(Around(routing)),
            Err(found) => {
                let help = "let others fail, or fewer";
                document.wrong(FAILED, None, Wrong::new(found, help));
            }
        }
    }

    /// The failures of the tree.
    ///
    /// # Panics
    /// When a name is none of the tree.
    pub fn failures(&self) -> Failures {
        let failed = self
            .failed
            .iter()
            .map(|name| TreeFailure::parse(self.tree, name));
        let failed = failed.map(|found| found.expect("a name of the tree"));
        Failures::new(self.tree, failed)
    }

    /// The routing of the tree without failures.
    fn intact_routing(&self) -> Arc<dyn Routing> {
        match &self.tables {
            Some(tables) => tables.table.clone(),
            None => {
                let wanted = (self.tree, self.routing, self.paths, self.routing_seed);
                self.made.of(wanted)
            }
        }
    }

    /// The routing around what has failed.
    ///
    /// # Errors
    /// Why there is none.
    fn rerouted(&self) -> Result<Arc<dyn Routing>, String> {
        let failures = self.failures();
        let routing = self.intact_routing();
        let cut = failures.cut(&*routing);
        if cut.disconnected > 0 {
            return Err(format!(
                "{} of {} pairs of nodes are left without a shortest path, expected none",
                cut.disconnected, cut.pairs
            ));
        }
        let moved = Rerouted::new(routing, &failures, self.reroute);
        Ok(Arc::new(moved.map_err(|error| error.to_string())?))
    }

    /// The routing, and what of the tree has failed.
    fn tree_routing(&self) -> TreeRouting {
        TreeRouting {
            intact: self.intact_routing(),
            file: self.tables.as_ref().map(|tables| tables.path.clone()),
            failed: self.failed.clone(),
            reroute: self.reroute,
        }
    }

    /// The routing, around what has failed.
    ///
    /// # Panics
    /// When the tree has none of that name.
    pub fn routing(&self) -> Arc<dyn Routing> {
        match &self.around {
            None => self.intact_routing(),
            Some(Around(routing)) => routing.clone(),
        }
    }

    /// The ways of messages.
    fn ways(&self) -> PathSet {
        PathSet::new(self.routing(), self.choice, self.routing_seed.into())
    }

    /// Nodes of sub-fat-trees.
    fn levels(&self) -> Vec<u32> {
        let below = (1..self.tree.levels()).map(|height| self.tree.power(height));
        let mut levels: Vec<u32> = below.filter(|&nodes| nodes > 1).collect();
        levels.push(self.tree.nodes());
        levels
    }

    fn table(&self, kind: &NetworkKind) -> Value {
        let mut table = json!({
            "kind": kind.name,
            "ports": self.tree.ports(),
            "levels": self.tree.levels(),
        });
        match &self.tables {
            Some(tables) => table["tables"] = json!(tables.file),
            None => {
                table["routing"] = json!(self.routing.name());
                if self.routing.takes_paths() {
                    table["paths"] = json!(self.paths);
                }
            }
        }
        if !self.failed.is_empty() {
            let named = MOVES.iter().find(|(_, to)| *to == self.reroute);
            table["failed"] = json!(self.failed);
            table["reroute"] = json!(named.map(|(name, _)| name));
        }
        table["choice"] = json!(self.choice);
        table["routing_seed"] = json!(self.routing_seed);
        table
    }
}

/// An m-port n-tree of circuit switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MportTreeConfig {
    /// The tree and its routing.
    pub tree: TreeConfig,
    /// The fixed order of winners.
    pub winner_fixed: bool,
    /// The event that frees the output of a switch.
    pub release: Release,
}

impl MportTreeConfig {
    /// The tree, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of m-port n-trees.
    pub fn network(&self, strategy: Strategy) -> MportTree {
        let (strategy, backoff_limit) = match strategy {
            Strategy::Immediate => (protocol::STRATEGY_IMMEDIATE, 0),
            Strategy::Rounds => (protocol::STRATEGY_ROUNDS, 0),
            Strategy::Backoff { limit } => (protocol::STRATEGY_BACKOFF, u64::from(limit)),
            Strategy::None | Strategy::Random { .. } => panic!("not a strategy of m-port n-trees"),
        };
        let circuits = Circuits {
            winner_fixed: self.winner_fixed,
            release: self.release,
            strategy,
            backoff_limit,
        };
        MportTree::new(self.tree.ways(), Switching::Circuits(circuits))
            .with_failures(self.tree.failures())
    }
}

impl Description for MportTreeConfig {
    fn read(document: &mut Document<'_>, _: Option<u32>) -> MportTreeConfig {
        let tree = TreeConfig::read(document, CIRCUIT_PORTS_MAX, |_| CIRCUIT_LEVELS_MAX);
        let winners = [("random", false), ("fixed", true)];
        MportTreeConfig {
            tree,
            winner_fixed: document.choice(WINNER, &winners).unwrap_or(false),
            release: document
                .choice(RELEASE, &Release::ALL)
                .unwrap_or(Release::Acknowledge),
        }
    }

    fn kind(&self) -> &'static NetworkKind {
        &KIND
    }

    fn nodes(&self) -> u32 {
        self.tree.tree.nodes()
    }

    fn levels(&self) -> Vec<u32> {
        self.tree.levels()
    }

    fn routing(&self) -> Option<TreeRouting> {
        Some(self.tree.tree_routing())
    }

    fn tables(&self) -> Vec<(&'static str, Value)> {
        let winner = if self.winner_fixed { "fixed" } else { "random" };
        let router = json!({ "winner": winner, "release": self.release.name() });
        vec![("network", self.tree.table(&KIND)), ("router", router)]
    }

    fn build(&self, strategy: Strategy) -> Network {
        Box::new(self.network(strategy))
    }
}

/// An m-port n-tree of packet switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MportPacketTreeConfig {
    /// The tree and its routing.
    pub tree: TreeConfig,
    /// Packets that wait for an output at most; [`packet_queue::UNLIMITED`] without a limit.
    pub queue_packets: u32,
}

impl Description for MportPacketTreeConfig {
    fn read(document: &mut Document<'_>, _: Option<u32>) -> MportPacketTreeConfig {
        let tree = TreeConfig::read(document, PACKET_PORTS_MAX, packet_levels_max);
        let queue = document.value(QUEUE, |value: &DeValue<'_>| keys::queue_packets(value));
        MportPacketTreeConfig {
            tree,
            queue_packets: queue.unwrap_or(packet_queue::UNLIMITED),
        }
    }

    fn kind(&self) -> &'static NetworkKind {
        &PACKET_KIND
    }

    fn nodes(&self) -> u32 {
        self.tree.tree.nodes()
    }

    fn levels(&self) -> Vec<u32> {
        self.tree.levels()
    }

    fn routing(&self) -> Option<TreeRouting> {
        Some(self.tree.tree_routing())
    }

    fn tables(&self) -> Vec<(&'static str, Value)> {
        let router = json!({ "queue_packets": keys::queue_packets_value(self.queue_packets) });
        vec![
            ("network", self.tree.table(&PACKET_KIND)),
            ("router", router),
        ]
    }

    fn build(&self, _: Strategy) -> Network {
        let switching = Switching::Packets {
            queue_packets: self.queue_packets,
        };
        let tree = MportTree::new(self.tree.ways(), switching);
        Box::new(tree.with_failures(self.tree.failures()))
    }
}

/// A text.
fn text(value: &DeValue<'_>) -> Result<String, Vec<Wrong>> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| {
        let message = format!("{}; expected the name of a file", found(value));
        vec![Wrong::new(message, "such as tables = \"tables.csv\"")]
    })
}

/// The names of switches and links of a tree.
fn failed(value: &DeValue<'_>, tree: PortTree) -> Result<Vec<String>, Vec<Wrong>> {
    let DeValue::Array(entries) = value else {
        let message = format!("{}; expected a list of names", found(value));
        let help = "such as failed = [\"switch(0, 0)\"]";
        return Err(vec![Wrong::new(message, help)]);
    };
    let (mut names, mut wrongs) = (Vec::new(), Vec::new());
    for (entry, value) in entries.iter().enumerate() {
        let value = value.get_ref();
        let parsed = match value.as_str() {
            Some(name) => TreeFailure::parse(tree, name).map(|_| name.to_owned()),
            None => Err(Diagnostic::new(
                "",
                format!("{}; expected a name", found(value)),
                "such as \"switch(0, 0)\"",
            )),
        };
        match parsed {
            Ok(name) => names.push(name),
            Err(diagnostic) => wrongs.push(Wrong {
                entry: Some(entry),
                message: diagnostic.message,
                help: diagnostic.help,
            }),
        }
    }
    match wrongs.is_empty() {
        true => Ok(names),
        false => Err(wrongs),
    }
}
