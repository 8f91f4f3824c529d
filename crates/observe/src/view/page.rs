//! The page: its parts, put into one file, with the data as JSON in it.
//!
//! | field | has |
//! |---|---|
//! | `title`, `facts` | what was run |
//! | `first_cycle`, `last_cycle`, `cut` | the cycles that the page shows, and why they end there |
//! | `rows`, `is_single`, `has_receivers`, `leads` | the [`PageLayout`] |
//! | `carried` | what messages are: `circuits`, packets that are `words`, or packets of `flits` |
//! | `lines` | packed; each as its blocks, its wires, and when every chip is a block its two ports |
//! | `ports`, `inputs` | the names of the routers' link ports; how many of them are inputs |
//! | `routers`, `router_names` | packed: rank and place; those that a record names, or all when every chip is a block, by instance |
//! | `attempts`, `messages` | packed, and how many there are |
//!
//! Packed numbers are those of [`pack`](super::pack). Cycles of an attempt are counted from its
//! launch, and its launch from the one before; `+` marks those that are 0 where they did not come
//! and otherwise one more.
//!
//! ```text
//! attempt   = launched, message, attempt or packet, source, destination, end (0 acknowledged,
//!             1 rejected, 2 under way, 3 delivered, 4 lost), end_cycle+, reached+, hops, { hop },
//!             collision+, [ collision ]
//! hop       = router, input, output + 1 or 0, arrived, left+, freed+
//! collision = wanted, { output }, rivals, { message, attempt or packet, input, output, since before, freed+
//!             before }
//! message   = id - last id, source, destination, words, attempts, offered, sent - offered,
//!             delivered+ (from sent), acknowledged - sent, known (0 or 1),
//!             [ blocked, backoff, header ]
//! ```
//!
//! A destination that is the number of nodes stands for every node.

use serde::Serialize;

use super::layout::{PageLayout, Row};
use super::pack::Packed;
use super::record::{Cut, Recorder};
use crate::life::{AttemptRecord, EndOfAttempt, MessageLife};
use crosswave_base::escape;
use crosswave_network::Fabric;
use crosswave_network::topology::{PacketPorts, Topology};
use crosswave_probe::message::NEVER;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 5] = [
    include_str!("page/data.js"),
    include_str!("page/network.js"),
    include_str!("page/details.js"),
    include_str!("page/charts.js"),
    include_str!("page/page.js"),
];

/// Description of a page's run.
#[derive(Debug, Clone)]
pub struct About {
    /// Its heading.
    pub title: String,
    /// The facts about the run, by name and value.
    pub facts: Vec<(String, String)>,
    /// The first cycle that it shows.
    pub first_cycle: u64,
    /// The last one.
    pub last_cycle: u64,
    /// The reason for the last cycle.
    pub cut: Cut,
}

#[derive(Serialize)]
struct Data<'a> {
    title: &'a str,
    facts: &'a [(String, String)],
    first_cycle: u64,
    last_cycle: u64,
    cut: &'static str,
    nodes: u32,
    carried: &'static str,
    router_count: usize,
    rows: &'a [Row],
    is_single: bool,
    has_receivers: bool,
    leads: &'a [Vec<Option<usize>>],
    line_count: usize,
    lines: String,
    ports: Vec<&'static [&'static str]>,
    inputs: usize,
    routers: String,
    router_names: Vec<String>,
    attempt_count: usize,
    attempts: String,
    message_count: usize,
    messages: String,
}

/// The page of a run whose records are [sorted](Recorder::sort).
pub fn html(
    about: &About,
    topology: &dyn Topology,
    fabric: &Fabric,
    layout: &PageLayout,
    recorder: &Recorder,
) -> String {
    let routers = routers(fabric, layout, recorder);
    let (mut standings, drawing) = (Packed::default(), topology.drawing());
    for &router in &routers {
        let (rank, place) = drawing.standing(router);
        standings.push(rank as u64);
        standings.push(place);
    }
    let names = routers.iter();
    let names = names.map(|&router| fabric.router_name(router as usize));
    let data = Data {
        title: &about.title,
        facts: &about.facts,
        first_cycle: about.first_cycle,
        last_cycle: about.last_cycle,
        cut: match about.cut {
            Cut::End => "end",
            Cut::Window => "window",
            Cut::Full => "full",
            Cut::Interrupted => "interrupted",
        },
        nodes: topology.nodes(),
        carried: match topology.packets().map(|rules| rules.packet_ports()) {
            None => "circuits",
            Some(PacketPorts::Words { .. }) => "words",
            Some(PacketPorts::Flits { .. } | PacketPorts::Tags(_)) => "flits",
        },
        router_count: fabric.routers(),
        rows: &layout.rows,
        is_single: layout.is_single,
        has_receivers: layout.has_receivers,
        leads: &layout.leads,
        line_count: layout.lines.len(),
        lines: lines(layout).text(),
        ports: ports(topology, fabric),
        inputs: topology.inputs(),
        routers: standings.text(),
        router_names: names.collect(),
        attempt_count: recorder.attempts.len(),
        attempts: attempts(&recorder.attempts, &routers, topology.nodes()).text(),
        message_count: recorder.messages.len(),
        messages: messages(&recorder.messages, topology.nodes()).text(),
    };
    let json = serde_json::to_string(&data).expect("fields of a page are plain");
    // Nothing in the data ends the element that it stands in.
    let json = json.replace('<', "\\u003c");
    let title = escape::xml(&about.title);
    let mut page = String::new();
    let mut rest = PAGE;
    let parts = [
        ("{{title}}", &*title),
        ("{{style}}", STYLE),
        ("{{data}}", &json),
        ("{{script}}", &SCRIPTS.concat()),
    ];
    for (mark, part) in parts {
        let (before, behind) = rest.split_once(mark).expect("the page has the mark");
        page += before;
        page += part;
        rest = behind;
    }
    page + rest
}

/// The link ports of the routers of each rank, which are of one kind.
fn ports(topology: &dyn Topology, fabric: &Fabric) -> Vec<&'static [&'static str]> {
    let drawing = topology.drawing();
    let mut ports: Vec<&[&str]> = vec![&[]; drawing.ranks().len()];
    for router in 0..fabric.routers() {
        let (rank, _) = drawing.standing(router as u32);
        ports[rank] = fabric.router_links(router);
    }
    ports
}

/// The routers of the page's table.
fn routers(fabric: &Fabric, layout: &PageLayout, recorder: &Recorder) -> Vec<u32> {
    if layout.is_single {
        return (0..fabric.routers() as u32).collect();
    }
    let hops = recorder.attempts.iter().flat_map(|attempt| &attempt.hops);
    let mut routers: Vec<u32> = hops.map(|hop| hop.router).collect();
    routers.sort_unstable();
    routers.dedup();
    routers
}

fn lines(layout: &PageLayout) -> Packed {
    let mut packed = Packed::default();
    for (line, &wires) in &layout.lines {
        packed.push(line.from);
        packed.push(line.to);
        packed.push(wires);
        if let Some((output, input)) = line.ports {
            packed.push(output);
            packed.push(input);
        }
    }
    packed
}

/// A cycle; `None` when it did not come.
fn came(cycle: u64) -> Option<u64> {
    (cycle != NEVER).then_some(cycle)
}

/// A destination in a network of so many nodes, which stands for every node.
fn destination(destination: u32, nodes: u32) -> u32 {
    destination.min(nodes)
}

/// Attempts whose routers are all in a table.
fn attempts(attempts: &[AttemptRecord], routers: &[u32], nodes: u32) -> Packed {
    let mut packed = Packed::default();
    let mut last_launch = 0;
    for attempt in attempts {
        let launched = attempt.launched_cycle;
        packed.push(launched - last_launch);
        last_launch = launched;
        for number in [
            attempt.id,
            part_number(attempt),
            attempt.source,
            destination(attempt.destination, nodes),
        ] {
            packed.push(number);
        }
        packed.push(match attempt.end {
            EndOfAttempt::Acknowledged => 0u8,
            EndOfAttempt::Rejected => 1,
            EndOfAttempt::UnderWay => 2,
            EndOfAttempt::Delivered => 3,
            EndOfAttempt::Lost => 4,
        });
        packed.push_since(came(attempt.end_cycle), launched);
        packed.push_since(came(attempt.reached_cycle), launched);
        packed.push(attempt.hops.len() as u64);
        for hop in &attempt.hops {
            let router = routers.binary_search(&hop.router);
            packed.push(router.expect("routers of records are in the table") as u64);
            packed.push(hop.input);
            packed.push(hop.output.wrapping_add(1));
            packed.push(hop.arrived_cycle - launched);
            packed.push_since(came(hop.left_cycle), launched);
            packed.push_since(came(hop.freed_cycle), launched);
        }
        let collision = attempt.collision.as_ref();
        packed.push_since(collision.map(|collision| collision.cycle), launched);
        let Some(collision) = collision else {
            continue;
        };
        packed.push(collision.wanted.len() as u64);
        collision.wanted.iter().for_each(|&port| packed.push(port));
        packed.push(collision.rivals.len() as u64);
        for rival in &collision.rivals {
            packed.push(rival.id);
            packed.push(rival.packet.unwrap_or(rival.attempt));
            packed.push(rival.input);
            packed.push(rival.output);
            packed.push(collision.cycle - rival.since_cycle);
            let freed = came(rival.freed_cycle);
            packed.push(freed.map_or(0, |freed| collision.cycle - freed + 1));
        }
    }
    packed
}

/// The number of an attempt, or of a packet.
fn part_number(attempt: &AttemptRecord) -> u32 {
    let packet = attempt.packet.map(|packet| packet.number);
    packet.unwrap_or(attempt.attempt)
}

/// Messages by rising ids.
fn messages(messages: &[MessageLife], nodes: u32) -> Packed {
    let mut packed = Packed::default();
    let mut last = 0;
    for MessageLife {
        id,
        message,
        breakdown,
        ..
    } in messages
    {
        packed.push(id - last);
        last = *id;
        packed.push(message.source);
        packed.push(destination(message.destination, nodes));
        packed.push(message.words);
        packed.push(message.attempts);
        packed.push(message.offered_cycle);
        packed.push(message.sent_cycle - message.offered_cycle);
        packed.push_since(came(message.delivered_cycle), message.sent_cycle);
        packed.push(message.acknowledged_cycle - message.sent_cycle);
        packed.push(u8::from(breakdown.is_some()));
        if let Some(breakdown) = breakdown {
            packed.push(breakdown.blocked);
            packed.push(breakdown.backoff);
            packed.push(breakdown.header);
        }
    }
    packed
}
