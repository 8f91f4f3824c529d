//! Common parts of all networks of RN1: the nodes with their interfaces, the table `[interface]` of
//! a configuration, the counts of blocked attempts, and wiring that rotates.

use std::sync::Arc;

use serde::Serialize;

use super::topology::{Footprint, OnPath, Replies};
use super::{ChipArray, Pin, PinValues};
use crate::traffic::Strategy;
use crosswave_chips::{
    Chip, rn1, rn1_delay_line, rn1_fault_line, rn1_height, rn1_interface, rn1_protocol,
};
use crosswave_document::{Document, Key, KeyRow};
use crosswave_probe::message::{CountForm, RejectedAt, RejectionRow, Rejections};

const TURNS: Key = ("interface", "turns");
const REPLY_WORDS: Key = ("interface", "reply_words");
const REPLY_DELAY: Key = ("interface", "reply_delay_cycles");
const CLOSE: Key = ("interface", "close");

/// The most turns of a connection.
pub const TURNS_MAX: u32 = 15;
/// The most words of a reply.
pub const REPLY_WORDS_MAX: u32 = 1 << 16;
/// The most cycles that a reply waits.
pub const REPLY_DELAY_CYCLES_MAX: u32 = 255;

/// The chips of networks whose routers are RN1, or RN1 with heights, and have long wires; and those
/// in wires that are stuck.
pub fn family(router: &Chip, has_stuck_wires: bool) -> &'static [&'static Chip] {
    const fn with(router: &'static Chip) -> [&'static Chip; 4] {
        [
            router,
            &rn1_interface::CHIP,
            &rn1_delay_line::CHIP,
            &rn1_fault_line::CHIP,
        ]
    }
    static RN1: [&Chip; 4] = with(&rn1::CHIP);
    static RN1_HEIGHT: [&Chip; 4] = with(&rn1_height::CHIP);
    let all = match router.name == rn1_height::CHIP.name {
        true => &RN1_HEIGHT,
        false => &RN1,
    };
    &all[..if has_stuck_wires { 4 } else { 3 }]
}

/// The index of a port of RN1 in the table of a router that has all of its ports.
pub fn router_port(router: &Chip, of_rn1: usize) -> usize {
    router.port(rn1::CHIP.ports[of_rn1].name)
}

/// Memory of so many RN1s and their interfaces.
pub fn footprint(routers: u64) -> Footprint {
    /// Bytes of the wiring of a router; of those that come first more, which is the same for more of them.
    const WIRING_BYTES: [u64; 2] = [75, 375];
    const FIRST: u64 = 28_000;
    let wiring = WIRING_BYTES.map(|of_router| routers.max(1) * of_router);
    let most = wiring[0] + FIRST * (WIRING_BYTES[1] - WIRING_BYTES[0]);
    Footprint {
        model_bytes_per_router: 400,
        wiring_bytes_per_router: wiring[1].min(most) / routers.max(1),
        verilog_bytes_per_link: 480,
        ..Footprint::of_routers(rn1::CHIP.links.len())
    }
}

/// The retry strategies of the interfaces, the default first.
pub const STRATEGIES: &[&str] = &["immediate", "random", "backoff"];

/// The keys of `[interface]`.
pub const KEYS: [KeyRow; 4] = [
    KeyRow {
        key: TURNS,
        value: "integer",
        default: "`1`",
        legal: "0 to 15",
        only: "",
        meaning: "How often a connection is turned: 0 is a message without a reply, 1 a request and a \
             reply.",
    },
    KeyRow {
        key: REPLY_WORDS,
        value: "integer",
        default: "`1`",
        legal: "1 to 65,536",
        only: "",
        meaning: "The number of words of a reply.",
    },
    KeyRow {
        key: REPLY_DELAY,
        value: "integer",
        default: "`0`",
        legal: "0 to 255",
        only: "",
        meaning: "The idle cycles before a reply.",
    },
    KeyRow {
        key: CLOSE,
        value: "string",
        default: "`\"drop\"`",
        legal: "`\"drop\"`, `\"end\"`",
        only: "",
        meaning: "How a connection that was turned is closed.",
    },
];

/// Settings of the network interfaces of RN1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InterfaceConfig {
    /// Number of times that a connection is turned round: 0 for a message without a reply, 1 for
    /// request and reply.
    pub turns: u32,
    /// Words of a reply.
    pub reply_words: u32,
    /// Idle cycles before a reply.
    pub reply_delay_cycles: u32,
    /// The way in which a connection that was turned is closed.
    pub close: Close,
}

/// The way in which a connection that was turned is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Close {
    /// It is closed by a drop, which is not answered.
    Drop,
    /// It is closed by its end, which the routers answer.
    End,
}

/// A request and a reply of one word, at once.
impl Default for InterfaceConfig {
    fn default() -> InterfaceConfig {
        InterfaceConfig {
            turns: 1,
            reply_words: 1,
            reply_delay_cycles: 0,
            close: Close::Drop,
        }
    }
}

impl InterfaceConfig {
    /// Reads the table. What is wrong gets a stand-in.
    pub fn read(document: &mut Document<'_>) -> InterfaceConfig {
        let closes = [("drop", Close::Drop), ("end", Close::End)];
        let default = InterfaceConfig::default();
        let mut number = |key, range, default| document.integer32(key, range).unwrap_or(default);
        InterfaceConfig {
            turns: number(TURNS, 0..=TURNS_MAX, default.turns),
            reply_words: number(REPLY_WORDS, 1..=REPLY_WORDS_MAX, default.reply_words),
            reply_delay_cycles: number(
                REPLY_DELAY,
                0..=REPLY_DELAY_CYCLES_MAX,
                default.reply_delay_cycles,
            ),
            close: document.choice(CLOSE, &closes).unwrap_or(default.close),
        }
    }

    /// The options of interfaces that send by a strategy.
    ///
    /// # Panics
    /// When it is not one of [`STRATEGIES`].
    pub fn interface(&self, strategy: Strategy) -> Interface {
        let (strategy, backoff_limit) = match strategy {
            Strategy::Immediate => (rn1_protocol::RN1_STRATEGY_IMMEDIATE, 0),
            Strategy::Random { limit } => (rn1_protocol::RN1_STRATEGY_RANDOM, u64::from(limit)),
            Strategy::Backoff { limit } => (rn1_protocol::RN1_STRATEGY_BACKOFF, u64::from(limit)),
            Strategy::None | Strategy::Rounds => panic!("not a strategy of networks of RN1"),
        };
        Interface {
            strategy,
            backoff_limit,
            turns: u64::from(self.turns),
            reply_words: u64::from(self.reply_words),
            reply_delay: u64::from(self.reply_delay_cycles),
            close_drop: self.close == Close::Drop,
        }
    }
}

/// Options of the network interfaces, as pins of `rn1_interface`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interface {
    /// Code of the retry strategy.
    pub strategy: u64,
    /// Exponent of the longest wait.
    pub backoff_limit: u64,
    /// Number of times that a connection is turned round.
    pub turns: u64,
    /// Words of a reply.
    pub reply_words: u64,
    /// Idle words before a reply.
    pub reply_delay: u64,
    /// A connection that was turned is dropped, instead of ended.
    pub close_drop: bool,
}

impl Replies for Interface {
    fn clocks(&self, rest_cycles: u64) -> u64 {
        self.turns * (self.reply_words + self.reply_delay + rest_cycles)
    }
}

/// Properties that the routes of all messages share.
pub struct RouteProperties {
    /// The most routing bytes.
    pub route_bytes: usize,
    /// By how many steps of two bits words are rotated to the left that arrive, 0 to 3.
    pub rotation: u32,
    /// Extra clocks of the links from the last routers.
    pub last_delay: u32,
}

/// The rows of rejected attempts, which interfaces know to be blocked in a stage.
pub fn blocked_by_stage(stages: u32) -> Rejections {
    let stages = stages as usize;
    Rejections {
        title: "blocked",
        places: "stage",
        descending: false,
        rows: vec![RejectionRow::new(
            "by_stage",
            "attempts blocked",
            CountForm::List,
            stages,
        )],
    }
}

/// The place of an attempt that was blocked in a stage.
pub fn blocked_in(stage: u32) -> RejectedAt {
    RejectedAt {
        row: 0,
        place: stage as usize,
    }
}

/// The link port at which a message leaves a chip of its path through so many stages, each of
/// which decides on two bits of the destination, the highest first. Where the last stage is of
/// two crossbars, the input says which output.
pub fn leaves(stages: u32, last_has_two_crossbars: bool, at: OnPath) -> usize {
    let drawn = usize::from(at.draw);
    if at.chip == 0 {
        return rn1_interface::T0 + drawn;
    }
    let direction = at.destination >> (2 * (stages - at.chip)) & 3;
    let side = match last_has_two_crossbars && at.chip == stages {
        true => usize::from(at.arrived >= rn1::PORTS_A_SIDE / 2),
        false => drawn,
    };
    rn1::PORTS_A_SIDE + 2 * direction as usize + side
}

/// The bits that the router of a stage, from 0, reads of the routing bytes: the two highest bits of
/// one of them, which wiring has rotated to the left by two bits after every stage. They are told
/// as bits of the byte that was sent.
pub fn reads(route: &[u8], byte: usize, stage: u32) -> String {
    let low = 6 - 2 * (stage % 4);
    let direction = route[byte] >> low & 3;
    format!("bits {} and {low} of byte {byte}: {direction:02b}", low + 1)
}

/// The interfaces of `nodes` nodes, each with both of its sides, 0 and 1.
pub fn sides(nodes: usize) -> impl Iterator<Item = (usize, u32)> {
    (0..nodes).flat_map(|instance| [(instance, 0), (instance, 1)])
}

/// The interfaces of nodes, which are given in the order of instances.
pub fn array(
    interface: &Interface,
    ways: &RouteProperties,
    nodes: impl Iterator<Item = u32>,
    first_link: u32,
    name: Arc<dyn Fn(usize) -> String + Send + Sync>,
) -> ChipArray {
    let nodes: Vec<u32> = nodes.collect();
    let Interface {
        strategy,
        backoff_limit,
        turns,
        reply_words,
        reply_delay,
        close_drop,
    } = *interface;
    let options = [
        (rn1_interface::PORT_STRATEGY, strategy),
        (rn1_interface::PORT_BACKOFF_LIMIT, backoff_limit),
        (rn1_interface::PORT_TX_ENABLE, 3),
        (rn1_interface::PORT_ROTATION, u64::from(ways.rotation)),
        (rn1_interface::PORT_RX_DELAY, u64::from(ways.last_delay)),
        (rn1_interface::PORT_TURNS, turns),
        (rn1_interface::PORT_REPLY_WORDS, reply_words.max(1) - 1),
        (rn1_interface::PORT_REPLY_DELAY, reply_delay),
        (rn1_interface::PORT_CLOSE_DROP, u64::from(close_drop)),
    ];
    let address_bits = nodes.len().next_power_of_two().ilog2() as usize;
    let silent = (address_bits..20)
        .map(|bit| (rn1_interface::PORT_TX_DESTINATION, bit))
        .chain((8 * ways.route_bytes..32).map(|bit| (rn1_interface::PORT_TX_ROUTE, bit)));
    let instances = nodes.len();
    let mut pins = vec![Pin {
        port: rn1_interface::PORT_NODE,
        values: PinValues::Each(nodes),
    }];
    pins.extend(options.map(|(port, value)| Pin {
        port,
        values: PinValues::Uniform(value),
    }));
    ChipArray {
        chip: &rn1_interface::CHIP,
        instances,
        first_link,
        pins,
        silent: silent.collect(),
        random: true,
        changing: Vec::new(),
        modules: Arc::default(),
        name,
    }
}
