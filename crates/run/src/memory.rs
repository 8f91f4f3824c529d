//! Memory of a run, estimated before it begins.
//!
//! The most that is resident at a time, of a run of `crosswave run` on one engine: the
//! program, the network on the engine, with what the host knows of nodes, and the
//! messages. Replicates that share an engine count with all their nodes and messages;
//! those that are done leave a few numbers behind.
//!
//! The constants are measured, as the largest resident set of runs on x86-64
//! (`tests/quick/limits.rs` holds the estimate to what runs of all kinds and sizes take: it is no
//! more than a factor of 1.5 off). In small runs most is the program itself, as far as its file is
//! mapped: 14 MiB where it is optimised, 30 MiB where it is not.

use std::collections::BTreeMap;

use serde::Serialize;

use super::own_chips;
use super::replicate::{Shares, sharing};
use crate::config::{Config, EngineKind};
use crosswave_base::diagnostic::Error;
use crosswave_base::threads::processors;
use crosswave_chips::Chip;
use crosswave_chips::netlists::NetlistSet;
use crosswave_event::EventEngine;
use crosswave_gate::{Backend, partition};
use crosswave_lanes::memories::lane_bytes;
use crosswave_netlist::packed::CellCounts;
use crosswave_network::Topology;
use crosswave_network::text::is_delay;
use crosswave_network::topology::{Footprint, NODES, ROUTERS};
use crosswave_network::traffic::{TrafficConfig, Workload};

/// Bytes of the register-level model of an interface, its pins, what is on its links and where
/// they lead to, with what host and network know of a node; of routers their network tells
/// ([`Footprint`]).
const EVENT_BYTES_PER_NODE: u64 = 490;
/// Bytes of a delay line likewise.
const EVENT_BYTES_PER_DELAY: u64 = 42;
/// Bytes that a message leaves in the model of a router that it passes.
const EVENT_BYTES_PER_HOP: u64 = 50;
/// Bytes of a node where threads share the network: what one of them tells another.
const EVENT_BYTES_PER_SHARED_NODE: u64 = 60;
/// Bytes of the program and of its library, before it has a network.
const PROGRAM_BYTES: u64 = 15_300_000;
/// Bytes of what reads and compiles netlists, before it has any.
const COMPILER_BYTES: u64 = 3_000_000;
/// One in so many bytes of netlists is free again once they are compiled, so that network and messages may have it.
const FREED_ONE_IN: u64 = 3;
/// Bytes of what host and network know of a node, beside its bits.
const GATE_BYTES_PER_NODE: u64 = 155;
/// Bytes of the GPU engine before it has a network: the driver, and the compiler of shaders.
const GPU_BYTES: u64 = 100_000_000;
/// Bytes of a link port on the GPU engine, beside what the gate engine has: its terms and pins, here and on
/// the device.
const GPU_BYTES_PER_LINK_PORT: u64 = 4;
/// Bytes of a thread: what is touched of its stack, and its workspace.
const BYTES_PER_THREAD: u64 = 25_000;
/// Bytes of a message in the workload and in the queue of its node, where messages differ in
/// length.
const BYTES_PER_MESSAGE: u64 = 44;
/// Bytes of a message that another one waits for: in the set, and in the list of the other way.
const BYTES_PER_MEMBER: u64 = 8;
/// Bytes of each message where some wait: from when on it may be offered, what is missing, and
/// where the list of those that wait for it begins.
const BYTES_PER_WAITING: u64 = 20;
/// Bytes of the record of a message.
const BYTES_PER_RECORD: u64 = 48;
/// Bytes of the record of a connection, which a message has besides where messages are connections.
const BYTES_PER_CONNECTION: u64 = 40;
/// Bytes of a waveform, of each signal that could be recorded: whether it is, and the bits
/// that are compared.
const BYTES_PER_SIGNAL: u64 = 1;
/// Bytes of each signal that is: its name, its scope, its codes in the file and its value.
const BYTES_PER_RECORDED: u64 = 95;
/// Bytes of the buffers of a waveform.
const WAVEFORM_BYTES: u64 = 1 << 20;
/// Bytes of an input of a router whose messages are followed: its state, and who is in it.
const BYTES_PER_INPUT: u64 = 20;
/// Bytes of the name of a router in the file of messages' lives.
const BYTES_PER_NAME: u64 = 48;
/// Bytes of a node whose messages are followed: its attempt, with the routers of the way.
const BYTES_PER_FOLLOWED: u64 = 1_200;
/// Records of attempts that wait for being written at most.
const RECORDS_WAITING: u64 = 18 * 256;
/// Bytes of the record of an attempt, and of it for each level of the network.
const BYTES_PER_ATTEMPT: u64 = 120;
const BYTES_PER_RECORD_LEVEL: u64 = 48;
/// Attempts of a message, where messages collide.
const ATTEMPTS_EXPECTED: u64 = 4;
/// Bytes of the transactions of a message in the memory of their writer, for each level of the
/// network; and as much as that takes at most.
const FTR_BYTES_PER_LEVEL: u64 = 540;
const FTR_BYTES_MOST: u64 = 21_000_000;
const TRACE_EVENT_BYTES_PER_MESSAGE: u64 = 1_300;
const TRACE_EVENT_BYTES_MOST: u64 = 6_000_000;
/// Bytes of the name of a router in the dictionary of a file of transactions.
const FTR_BYTES_PER_NAME: u64 = 100;
/// Rows of a table of attempts that are written together, those of a message, and bytes of one for
/// each level of the network.
const TABLE_ROWS: u64 = 1 << 16;
const TABLE_ROWS_PER_MESSAGE: u64 = 2;
const TABLE_BYTES_PER_LEVEL: u64 = 480;
/// Bytes of a message in the input of a test bench.
const BYTES_PER_MESSAGE_LINE: u64 = 30;

/// The messages of a replicate, as far as they take memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageLoad {
    /// Messages.
    pub messages: u64,
    /// Messages that others wait for, counted once for each that does.
    pub members: u64,
}

impl MessageLoad {
    /// That of a workload.
    pub fn of(workload: &Workload) -> MessageLoad {
        MessageLoad {
            messages: workload.messages.len() as u64,
            members: workload.sets.members() as u64,
        }
    }

    /// Bytes of what waits for what.
    fn waiting_bytes(self) -> u64 {
        match self.members {
            0 => 0,
            members => members * BYTES_PER_MEMBER + self.messages * BYTES_PER_WAITING,
        }
    }
}

/// Messages without any that wait for others.
impl From<u64> for MessageLoad {
    fn from(messages: u64) -> MessageLoad {
        MessageLoad {
            messages,
            members: 0,
        }
    }
}

/// Memory of a run, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Need {
    /// The program and its threads.
    pub program: u64,
    /// The network on its engine.
    pub network: u64,
    /// The messages.
    pub messages: u64,
    /// The recorder of a waveform.
    #[serde(skip)]
    pub waveform: u64,
    /// The observer that follows messages.
    #[serde(skip)]
    pub follower: u64,
    /// The registers that note which nets change.
    #[serde(skip)]
    pub coverage: u64,
    /// The text of an export.
    #[serde(skip)]
    pub text: u64,
    /// Replicates that run at a time.
    #[serde(skip)]
    pub together: u64,
}

impl Need {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.program
            + self.network
            + self.messages
            + self.waveform
            + self.follower
            + self.coverage
            + self.text
    }
}

/// The chips of a network, and what they take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chips {
    /// The arrays: name of the chip, instances, and link ports of one.
    pub arrays: Vec<(&'static str, u64, u64)>,
    /// Numbers of routers, interfaces and other chips.
    counts: [u64; 3],
    /// Bits of a link's word.
    link_bits: u64,
    /// Routers that the way of a message has at most, where it leads to the root.
    hops: u64,
    /// Memory that they take beside what follows from their tables.
    footprint: Footprint,
    bytes_per_record: u64,
}

impl Chips {
    /// The chips of a network, of which nothing is built.
    pub fn of(network: &dyn Topology) -> Chips {
        let chips = network.chips();
        let array = |&(chip, instances): &(&'static Chip, u64)| {
            (chip.name, instances, chip.links.len() as u64)
        };
        // Networks of a designer's own routers have some of them after the interfaces.
        let has_more_routers = !network.components().is_empty();
        let mut counts = [0; 3];
        for (at, &(chip, instances)) in chips.iter().enumerate() {
            let kind = match at {
                ROUTERS | NODES => at,
                _ if has_more_routers && !is_delay(chip) => ROUTERS,
                _ => 2,
            };
            counts[kind] += instances;
        }
        Chips {
            arrays: chips.iter().map(array).collect(),
            counts,
            link_bits: u64::from(chips[0].0.link_bits()),
            hops: 2 * network.drawing().ranks().len() as u64,
            footprint: network.footprint(),
            bytes_per_record: match network.endpoint().has_connections() {
                true => BYTES_PER_RECORD + BYTES_PER_CONNECTION,
                false => BYTES_PER_RECORD,
            },
        }
    }

    /// Numbers of instances by array.
    fn instances(&self) -> Vec<usize> {
        let arrays = self.arrays.iter();
        arrays
            .map(|(_, instances, _)| *instances as usize)
            .collect()
    }

    fn link_ports(&self) -> u64 {
        let ports = self.arrays.iter();
        ports.map(|(_, instances, links)| instances * links).sum()
    }
}

/// The messages of a replicate before any are made; `None` with a trace, which has to be
/// read to know.
pub fn expected_messages(config: &Config) -> Option<u64> {
    match &config.traffic {
        TrafficConfig::Pattern(pattern) => Some(pattern.messages()),
        TrafficConfig::Steady(steady) => Some(steady.expected_messages(config.network.nodes())),
        TrafficConfig::Trace(_) => None,
    }
}

/// Memory of a run whose replicates have such messages each.
///
/// # Errors
/// When a netlist cannot be read.
pub fn need(config: &Config, network: &dyn Topology, load: MessageLoad) -> Result<Need, Error> {
    let chips = Chips::of(network);
    let messages = load.messages;
    let replicates = u64::from(config.run.replicates);
    let instances = chips.instances();
    let together = sharing(config.run.engine, &instances);
    let shares = Shares::of(
        config,
        &instances,
        together,
        replicates,
        messages,
        processors(),
    );
    let workers = shares.workers as u64;
    let together = replicates.min(shares.size as u64);
    let at_hand = replicates.min(together * workers);
    let for_each = BYTES_PER_MESSAGE + chips.bytes_per_record;
    let messages = at_hand * (messages * for_each + load.waiting_bytes());
    let netlists = match config.run.engine {
        EngineKind::Event => NetlistSet::default(),
        EngineKind::Gate | EngineKind::Gpu => own_chips::netlists(config, &mut |_, _| {})?,
    };
    let threads = match shares.workers {
        1 => threads(config, &chips, &netlists, together)?,
        workers => (workers * shares.threads) as u64,
    };
    let (of_engine, network) = match config.run.engine {
        EngineKind::Event => {
            let is_shared = u64::from(shares.workers == 1 && threads > 1);
            let shared = is_shared * chips.counts[NODES] * EVENT_BYTES_PER_SHARED_NODE;
            (0, event_bytes(&chips, load.messages) + shared)
        }
        EngineKind::Gate => (COMPILER_BYTES, gate_bytes(&chips, &netlists, together)?),
        EngineKind::Gpu => (
            COMPILER_BYTES + GPU_BYTES,
            gpu_bytes(&chips, &netlists, together)?,
        ),
    };
    let compiled = match config.run.engine {
        EngineKind::Event => 0,
        EngineKind::Gate | EngineKind::Gpu => netlist_bytes(&chips, &netlists)?,
    };
    let freed = compiled / FREED_ONE_IN;
    let network = workers * network + chips.footprint.routing_bytes;
    Ok(Need {
        program: PROGRAM_BYTES + of_engine + compiled - freed + (threads - 1) * BYTES_PER_THREAD,
        network: network.max(freed.saturating_sub(messages)),
        messages,
        waveform: 0,
        follower: 0,
        coverage: 0,
        text: 0,
        together: at_hand,
    })
}

/// Bytes for each net of a chip, for the modules and the code that watch it.
const BYTES_PER_WATCHED: u64 = 20_000;

/// Bytes for noting which nets change: a second engine, with four registers for each net, and what
/// watches each net of a chip.
///
/// # Errors
/// When a netlist cannot be read.
pub fn coverage(config: &Config, network: &dyn Topology) -> Result<u64, Error> {
    let chips = Chips::of(network);
    let netlists = own_chips::netlists(config, &mut |_, _| {})?;
    let (mut bits, mut watched) = (0, BTreeMap::new());
    for &(chip, instances, _) in &chips.arrays {
        let CellCounts { gates, flops } = netlists.counts(chip)?;
        let nets = (gates + flops) as u64;
        bits += 4 * nets * instances.next_multiple_of(64);
        watched.insert(chip, nets);
    }
    let watched = BYTES_PER_WATCHED * watched.values().sum::<u64>();
    Ok(bits / 8 + watched + gate_bytes(&chips, &netlists, 1)?)
}

/// Bytes of the recorder of a waveform that shows `recorded` of a number of signals.
pub fn waveform(signals: usize, recorded: usize) -> u64 {
    WAVEFORM_BYTES + signals as u64 * BYTES_PER_SIGNAL + recorded as u64 * BYTES_PER_RECORDED
}

/// A file of what becomes of each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFile {
    /// Attempts and messages as lines.
    Lines,
    /// Attempts as a table by columns.
    Table,
    /// Transactions in FTR.
    Ftr,
    /// Transactions as trace events.
    TraceEvents,
}

/// Bytes for following the messages of a network that are recorded in files.
pub fn follower(network: &dyn Topology, files: &[RecordFile], load: MessageLoad) -> u64 {
    if files.is_empty() {
        return 0;
    }
    let inputs = network.inputs() as u64;
    let [routers, nodes, _] = Chips::of(network).counts;
    let levels = network.drawing().ranks().len() as u64;
    let attempts = ATTEMPTS_EXPECTED * load.messages;
    let waiting =
        RECORDS_WAITING.min(attempts) * (BYTES_PER_ATTEMPT + levels * BYTES_PER_RECORD_LEVEL);
    let of_file = |file: &RecordFile| match file {
        RecordFile::Lines => 0,
        RecordFile::Table => {
            let rows = TABLE_ROWS_PER_MESSAGE * load.messages;
            TABLE_ROWS.min(rows) * levels * TABLE_BYTES_PER_LEVEL
        }
        RecordFile::Ftr => {
            let per_message = levels * FTR_BYTES_PER_LEVEL;
            let blocks = (load.messages * per_message).min(FTR_BYTES_MOST);
            blocks + routers * FTR_BYTES_PER_NAME
        }
        RecordFile::TraceEvents => {
            (load.messages * TRACE_EVENT_BYTES_PER_MESSAGE).min(TRACE_EVENT_BYTES_MOST)
        }
    };
    routers * (inputs * BYTES_PER_INPUT + BYTES_PER_NAME)
        + nodes * BYTES_PER_FOLLOWED
        + waiting
        + files.iter().map(of_file).sum::<u64>()
}

/// Memory of an export of a network and so many messages: the network as a run on the event engine
/// has it, and all files before any is written.
pub fn export_need(network: &dyn Topology, load: MessageLoad) -> Need {
    let chips = Chips::of(network);
    let for_each = BYTES_PER_MESSAGE + chips.bytes_per_record + BYTES_PER_MESSAGE_LINE;
    Need {
        program: PROGRAM_BYTES,
        network: event_bytes(&chips, load.messages) + chips.footprint.routing_bytes,
        messages: load.messages * for_each + load.waiting_bytes(),
        waveform: 0,
        follower: 0,
        coverage: 0,
        text: chips.link_ports() * chips.footprint.verilog_bytes_per_link,
        together: 1,
    }
}

/// The threads of a run: those that are configured, or those that the engine chooses for so
/// many replicates at a time.
fn threads(
    config: &Config,
    chips: &Chips,
    netlists: &NetlistSet,
    replicates: u64,
) -> Result<u64, Error> {
    let threads = match (config.run.threads, config.run.engine) {
        (_, EngineKind::Gpu) => 1,
        (0, EngineKind::Event) => EventEngine::threads_for(config.network.nodes() as usize),
        (0, EngineKind::Gate) => {
            let copies = replicates.next_power_of_two();
            let mut cells = 0;
            for (chip, count, _) in chips.arrays.iter().copied().filter(|array| array.1 > 0) {
                let CellCounts { gates, flops } = netlists.counts(chip)?;
                cells += instances(count, copies) as usize * (gates + flops);
            }
            partition::threads_for(cells, Backend::best())
        }
        (threads, _) => (threads as usize).min(processors()),
    };
    Ok(threads as u64)
}

/// Instances of an array in copies of a network, which are padded to whole groups of 64.
fn instances(of_one: u64, copies: u64) -> u64 {
    match copies {
        1 => of_one,
        copies => of_one.next_multiple_of(64) * copies,
    }
}

/// The network with so many messages on the event engine.
fn event_bytes(chips: &Chips, messages: u64) -> u64 {
    let [routers, nodes, delays] = chips.counts;
    let queues = routers * chips.footprint.queue_bytes_per_router;
    routers * chips.footprint.model_bytes_per_router
        + queues.min(messages.saturating_mul(chips.hops * EVENT_BYTES_PER_HOP))
        + nodes * EVENT_BYTES_PER_NODE
        + delays * EVENT_BYTES_PER_DELAY
}

/// The netlists of all chips, while they are compiled.
fn netlist_bytes(chips: &Chips, netlists: &NetlistSet) -> Result<u64, Error> {
    let mut cells = 0;
    for &(chip, ..) in chips.arrays.iter().filter(|array| array.1 > 0) {
        let of_chip = netlists.counts(chip)?;
        cells += (of_chip.gates + of_chip.flops) as u64;
    }
    Ok(cells * chips.footprint.netlist_bytes_per_cell)
}

/// The network, in as many copies as replicates share it, on the gate engine.
fn gate_bytes(chips: &Chips, netlists: &NetlistSet, replicates: u64) -> Result<u64, Error> {
    let copies = replicates.next_power_of_two();
    let instances = |of_one: u64| instances(of_one, copies);
    let [mut flip_flops, mut link_ports, mut words] = [0, 0, 0];
    for (chip, count, links) in chips.arrays.iter().copied().filter(|array| array.1 > 0) {
        let of_chip = netlists.counts(chip)?.flops as u64;
        let memories = netlists.memories(chip).iter();
        words += count * replicates * memories.map(|cut| lane_bytes(&cut.memory)).sum::<u64>();
        flip_flops += instances(count) * of_chip;
        link_ports += instances(count) * links;
    }
    let [routers, nodes, delays] = chips.counts;
    let single = if copies > 1 { chips.link_ports() } else { 0 };
    // The words of memories, a bit per flip-flop, another one for those that drive links, the far end of every
    // link port, also of the network that was copied, terms of the wiring, pins.
    Ok(words
        + flip_flops / 8
        + link_ports * chips.link_bits / 8
        + (link_ports + single) * 4
        + link_ports / 16
        + instances(nodes) * 45 / 8
        + replicates * nodes * GATE_BYTES_PER_NODE
        + instances(routers) * chips.footprint.wiring_bytes_per_router
        + instances(delays) * chips.footprint.wiring_bytes_per_delay)
}

/// The network on the GPU engine: what it keeps in the memory of this machine, and on the device, which
/// may be the same.
fn gpu_bytes(chips: &Chips, netlists: &NetlistSet, replicates: u64) -> Result<u64, Error> {
    let link_ports = chips.link_ports() * replicates.next_power_of_two();
    Ok(gate_bytes(chips, netlists, replicates)? + link_ports * GPU_BYTES_PER_LINK_PORT)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crosswave_gate::GateEngine;

    /// Threads that an engine chooses count as those that are configured.
    #[test]
    fn threads_that_are_chosen_count() {
        for (kind, nodes) in [("fat-tree", 64), ("fat-tree", 16384), ("bidelta", 4096)] {
            let text =
                format!("[network]\nkind='{kind}'\nnodes={nodes}\n[traffic]\npattern='random'\n");
            let config = Config::parse(&text, "test", Path::new("."), &[]);
            let mut config = config.unwrap_or_else(|error| panic!("{error}"));
            let network = config.topology();
            let fabric = network.fabric();
            let gate = GateEngine::new(
                fabric,
                crosswave_chips::netlists::plain,
                1,
                0,
                Backend::best(),
            );
            let gate = gate.unwrap_or_else(|error| panic!("{error}")).threads();
            let event = EventEngine::threads_for(nodes);
            for (engine, threads) in [(EngineKind::Gate, gate), (EngineKind::Event, event)] {
                config.run.engine = engine;
                let need = |threads: usize| {
                    let mut config = config.clone();
                    config.run.threads = threads as u32;
                    need(&config, &*network, MessageLoad::default())
                        .unwrap_or_else(|error| panic!("{error}"))
                };
                assert_eq!(need(0), need(threads), "{kind} {nodes} {engine:?}");
                // Those beyond the processors are not started.
                assert_eq!(need(1) == need(256), processors() == 1, "{engine:?}");
                assert_eq!(need(processors()), need(256), "{engine:?}");
            }
        }
    }

    #[test]
    fn a_waveform_takes_memory_by_what_it_records() {
        assert_eq!(waveform(1_000_000, 0), (1 << 20) + 1_000_000);
        assert_eq!(waveform(1_000_000, 1_000), (1 << 20) + 1_095_000);
    }
}
