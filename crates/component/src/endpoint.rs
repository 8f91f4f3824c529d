//! Endpoints: what stands at a local port of a network, as Verilog that is made for a component.
//!
//! An endpoint is a source and a sink that know nothing of each other. The source takes one message
//! after the other from its host and sends it as one packet, or as a packet for each flit where each
//! flit is one. The sink compares every bit that comes with what was sent: bits of flits that are no
//! field hold a pattern of the number of the message and that of the flit, so that a flit that is lost,
//! doubled, changed or put into another packet is noticed. The sink refuses flits in a share of the
//! cycles, by random bits.
//!
//! On links of circuits a message is a path. The source begins again after a rejection, and the sink
//! refuses heads.
//!
//! | port | |
//! |---|---|
//! | `tx_request` | a message is offered; held until `tx_done` |
//! | `tx_id`, `tx_words`, `tx_header` | its number, its flits minus one, and the fields of its destination |
//! | `tx_launch` | its first flit is on the wire |
//! | `tx_done` | its final flit is on the wire |
//! | `ahead_request`, … | the same of the message after it, which begins while `tx_done` is shown; not with circuits |
//! | `rx_valid` | the end of a packet has come |
//! | `rx_id`, `rx_wrong` | the number that its head had; something in it was not as it was sent |
//! | `own_header` | the fields of a destination that is this node, with which heads are compared |
//! | `stall` | in so many of 256 cycles the sink refuses flits |
//! | `tx_rejected`, `tx_unasked` | of circuits: an attempt was rejected; an answer came to none |
//! | `retry_cycles` | of circuits: a new attempt waits up to so many cycles |

mod sink;
mod source;

use std::fmt::Write;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::file::ProtocolName;
use super::links::{LinkEnds, LinkForm, kept};
use super::packet::PacketLayout;
use super::reset;
use crosswave_chips::endpoint::{Endpoint, Notice, ObservedPort, SendRequest};
use crosswave_chips::{Chip, PinDirection, Port, RandomKind, Role};

/// Indices of the ports, the same in all endpoints.
pub const PORT_TX_REQUEST: usize = 2;
const PORT_TX_ID: usize = 3;
const PORT_TX_WORDS: usize = 4;
const PORT_TX_HEADER: usize = 5;
const PORT_TX_LAUNCH: usize = 6;
const PORT_TX_DONE: usize = 7;
/// The index of the port that shows that a packet has come.
pub const PORT_RX_VALID: usize = 8;
const PORT_RX_ID: usize = 9;
const PORT_RX_WRONG: usize = 10;
/// The index of the pin for the share of cycles in which the sink refuses flits.
pub const PORT_STALL: usize = 11;

/// The index of the pin with the fields of a destination that is this node.
pub const PORT_OWN_HEADER: usize = 12;

const PORT_AHEAD_REQUEST: usize = 14;
const PORT_AHEAD_ID: usize = 15;
const PORT_AHEAD_WORDS: usize = 16;
const PORT_AHEAD_HEADER: usize = 17;

/// The index of the pin for the flits that may go out before a credit comes back; only with credits.
pub const PORT_CREDITS: usize = 18;

/// The index of the port that shows that an attempt was rejected; only with circuits.
const PORT_TX_REJECTED: usize = 14;
/// The index of the port that shows that an answer has come while no attempt was under way.
const PORT_TX_UNASKED: usize = 15;
/// The index of the pin for the cycles that a new attempt waits at most; only with circuits.
pub const PORT_RETRY: usize = 16;

/// The link port of an endpoint.
pub const NET: &str = "net";

/// The stream of random bits of stalls.
const STREAM_STALL: u64 = 0x600;
/// That of waits before new attempts.
const STREAM_WAIT: u64 = 0x601;

/// A node that sends a message as flits, with the fields of its destination from its host.
#[derive(Debug)]
pub struct FlitEndpoint;

impl Endpoint for FlitEndpoint {
    fn shows(&self) -> &'static [ObservedPort] {
        const SHOWN: &[ObservedPort] = &[
            ObservedPort {
                port: PORT_RX_VALID,
                notice: Notice::Arrived {
                    id: PORT_RX_ID,
                    wrong: PORT_RX_WRONG,
                },
            },
            ObservedPort {
                port: PORT_TX_LAUNCH,
                notice: Notice::Launched,
            },
            ObservedPort {
                port: PORT_TX_DONE,
                notice: Notice::Sent,
            },
        ];
        SHOWN
    }

    fn takes_routes(&self) -> bool {
        true
    }

    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]> {
        smallvec![
            (PORT_TX_REQUEST, u64::from(ask.request)),
            (PORT_TX_ID, u64::from(ask.packet.id)),
            (PORT_TX_WORDS, ask.words_left()),
            (PORT_TX_HEADER, ask.route_value().0),
        ]
    }

    fn pins_ahead(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 4]> {
        smallvec![
            (PORT_AHEAD_REQUEST, u64::from(ask.request)),
            (PORT_AHEAD_ID, u64::from(ask.packet.id)),
            (PORT_AHEAD_WORDS, ask.words_left()),
            (PORT_AHEAD_HEADER, ask.route_value().0),
        ]
    }
}

/// A node whose messages are paths, which may be rejected.
#[derive(Debug)]
pub struct PathEndpoint;

impl Endpoint for PathEndpoint {
    fn shows(&self) -> &'static [ObservedPort] {
        const SHOWN: &[ObservedPort] = &[
            ObservedPort {
                port: PORT_RX_VALID,
                notice: Notice::Arrived {
                    id: PORT_RX_ID,
                    wrong: PORT_RX_WRONG,
                },
            },
            ObservedPort {
                port: PORT_TX_UNASKED,
                notice: Notice::Unasked,
            },
            ObservedPort {
                port: PORT_TX_REJECTED,
                notice: Notice::Rejected { stage: None },
            },
            ObservedPort {
                port: PORT_TX_LAUNCH,
                notice: Notice::Launched,
            },
            ObservedPort {
                port: PORT_TX_DONE,
                notice: Notice::Sent,
            },
        ];
        SHOWN
    }

    fn takes_routes(&self) -> bool {
        true
    }

    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]> {
        FlitEndpoint.pins(ask)
    }
}

/// The links that an endpoint is written for.
#[derive(Debug, Clone, Copy)]
pub struct LocalLink {
    /// Their form.
    pub form: LinkForm,
    /// True when a router may ask for a flit once more.
    pub resends: bool,
    /// The cycles in which the reset acts.
    pub reset_cycles: u64,
}

/// The table of the endpoint of a component, and its Verilog.
pub fn chip(component: &str, link: LocalLink, packet: &PacketLayout) -> (&'static Chip, String) {
    let form = link.form;
    let port = |name, direction, width, role, doc| Port {
        name,
        direction,
        width,
        role,
        doc,
    };
    let input = |name, width, doc| port(name, PinDirection::Input, width, Role::Host, doc);
    let output = |name, width, doc| port(name, PinDirection::Output, width, Role::Host, doc);
    let random = Role::Random {
        stream: STREAM_STALL,
        kind: RandomKind::Fair,
    };
    let mut ports = vec![
        port("clock", PinDirection::Input, 1, Role::Clock, "the clock"),
        port("reset", PinDirection::Input, 1, Role::Reset, "the reset"),
        input("tx_request", 1, "a message is offered; held until tx_done"),
        input("tx_id", 24, "its number"),
        input("tx_words", 20, "its flits minus one"),
        input("tx_header", 64, "the fields of its destination"),
        output("tx_launch", 1, "its first flit is on the wire"),
        output("tx_done", 1, "its final flit is on the wire"),
        output("rx_valid", 1, "the end of a packet has come"),
        output("rx_id", 24, "the number that its head had"),
        output("rx_wrong", 1, "something in it was not as it was sent"),
        port(
            "stall",
            PinDirection::Input,
            9,
            Role::Option,
            "in so many of 256 cycles the sink refuses flits",
        ),
        port(
            "own_header",
            PinDirection::Input,
            64,
            Role::Option,
            "the fields of a destination that is this node",
        ),
        port(
            "random",
            PinDirection::Input,
            8,
            random,
            "when the sink refuses",
        ),
    ];
    if form.protocol != ProtocolName::Circuit {
        ports.extend([
            input("ahead_request", 1, "a further message is offered"),
            input("ahead_id", 24, "its number"),
            input("ahead_words", 20, "its flits minus one"),
            input("ahead_header", 64, "the fields of its destination"),
        ]);
    }
    if form.protocol == ProtocolName::Credit {
        ports.push(port(
            "credits",
            PinDirection::Input,
            8,
            Role::Option,
            "flits that may go out before a credit comes back",
        ));
    }
    if form.protocol == ProtocolName::Circuit {
        let wait = Role::Random {
            stream: STREAM_WAIT,
            kind: RandomKind::Fair,
        };
        ports.extend([
            output("tx_rejected", 1, "an attempt was rejected"),
            output("tx_unasked", 1, "an answer has come to no attempt"),
            port(
                "retry_cycles",
                PinDirection::Input,
                8,
                Role::Option,
                "a new attempt waits up to so many cycles",
            ),
            port(
                "random_wait",
                PinDirection::Input,
                8,
                wait,
                "the wait of a new attempt is drawn from it",
            ),
        ]);
    }
    let answers = !form.protocol.back_is_optional();
    let ends = LinkEnds {
        takes: true,
        sends: true,
        takes_answer: answers,
        sends_answer: answers || link.resends,
    };
    let of_link = form.ports(0, NET, ends);
    ports.extend(of_link.into_iter().map(|found| found.port));
    let name = kept(format!("{component}_endpoint"));
    let text = verilog(name, &ports, link, packet);
    let source: (&'static str, &'static str) = (kept(format!("{name}.v")), kept(text.clone()));
    let chip = Chip {
        name,
        ports: Box::leak(ports.into_boxed_slice()),
        links: &[NET],
        words: &[],
        sources: Box::leak(vec![source].into_boxed_slice()),
    };
    (Box::leak(Box::new(chip)), text)
}

/// A range of bits in Verilog.
pub(super) fn bits(range: &Range<usize>) -> String {
    match range.len() {
        1 => format!("[{}]", range.start),
        _ => format!("[{}:{}]", range.end - 1, range.start),
    }
}

/// The declaration of a port.
pub(super) fn declared(port: &Port) -> String {
    let direction = match port.direction {
        PinDirection::Input => "input  wire",
        PinDirection::Output => "output wire",
    };
    let range = match port.width {
        1 => String::new(),
        width => format!("[{}:0] ", width - 1),
    };
    format!("    {direction} {range}{}", port.name)
}

/// The names of the ports with data, the highest bits first.
pub(super) fn data(ports: &[Port], prefix: &str) -> String {
    let is_data = |port: &&Port| port.name.starts_with(prefix);
    let names: Vec<&str> = ports
        .iter()
        .filter(is_data)
        .map(|port| port.name)
        .rev()
        .collect();
    format!("{{{}}}", names.join(", "))
}

/// The text of an endpoint.
fn verilog(name: &str, ports: &[Port], link: LocalLink, packet: &PacketLayout) -> String {
    let form = link.form;
    let width = form.data_bits;
    let mut text = format!(
        "// The endpoint of a network of {}: a source and a sink of flits of {width} bits,\n\
         // {} links. Written by crosswave for the component file.\n\
         `default_nettype none\n\nmodule {name} (\n",
        name.trim_end_matches("_endpoint"),
        form.protocol.name(),
    );
    let lines: Vec<String> = ports.iter().map(declared).collect();
    text.push_str(&lines.join(",\n"));
    text.push_str("\n);\n");
    // A String takes all text.
    let mut add = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    let copies = width.div_ceil(24);
    add(format!(
        "  // Bits that are no field hold a pattern of the message and of the flit.\n  \
         function [{0}:0] pattern(input [23:0] id, input [19:0] number);\n    \
         reg [{1}:0] all;\n    begin\n      \
         all = {{{copies}{{id ^ {{4'd0, number}}}}}};\n      \
         pattern = all[{0}:0];\n    end\n  endfunction\n",
        width - 1,
        24 * copies - 1
    ));
    add(reset::verilog(link.reset_cycles));
    source::verilog(&mut add, ports, link, packet);
    sink::verilog(&mut add, ports, form, packet);
    text.push_str("endmodule\n`default_nettype wire\n");
    text
}

/// Zeros above the number of a message, for 24 bits.
fn filled(message: usize) -> String {
    match message {
        24 => String::new(),
        _ => format!("{}'d0, ", 24 - message),
    }
}

/// A bit for each virtual channel that gets a credit in this cycle.
pub(super) fn credits_of(direction: &str, form: LinkForm) -> String {
    match form.numbers_credits {
        false => format!("{direction}_credit"),
        true => format!(
            "{direction}_credit ? {}'d1 << {direction}_credit_vc : {0}'d0",
            form.vcs
        ),
    }
}
