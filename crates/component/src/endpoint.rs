//! Endpoints: what stands at a local port of a network, as Verilog that is made for a component.
//!
//! An endpoint is a source and a sink that know nothing of each other. The source takes one message
//! after the other from its host and sends it as one packet, or as a packet for each flit where each
//! flit is one. The sink compares every bit that comes with what was sent: bits of flits that are no
//! field hold a pattern of the number of the message and that of the flit, so that a flit that is lost,
//! doubled, changed or put into another packet is noticed. The sink refuses flits in a share of the
//! cycles, by random bits.
//!
//! | port | |
//! |---|---|
//! | `tx_request` | a message is offered; held until `tx_done` |
//! | `tx_id`, `tx_words`, `tx_header` | its number, its flits minus one, and the fields of its destination |
//! | `tx_launch` | its first flit is on the wire |
//! | `tx_done` | its final flit is on the wire |
//! | `rx_valid` | the end of a packet has come |
//! | `rx_id`, `rx_wrong` | the number that its head had; something in it was not as it was sent |
//! | `own_header` | the fields of a destination that is this node, with which heads are compared |
//! | `stall` | in so many of 256 cycles the sink refuses flits |

use std::fmt::Write;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::file::{FlitForm, ProtocolName};
use super::links::{LinkForm, kept};
use super::packet::PacketLayout;
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

/// The link port of an endpoint.
pub const NET: &str = "net";

/// The stream of random bits of stalls.
const STREAM_STALL: u64 = 0x600;

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
}

/// The table of the endpoint of a component, and its Verilog.
pub fn chip(component: &str, form: LinkForm, packet: &PacketLayout) -> (&'static Chip, String) {
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
    ports.extend(form.ports(0, NET).into_iter().map(|found| found.port));
    let name = kept(format!("{component}_endpoint"));
    let text = verilog(name, &ports, form, packet);
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
fn bits(range: &Range<usize>) -> String {
    match range.len() {
        1 => format!("[{}]", range.start),
        _ => format!("[{}:{}]", range.end - 1, range.start),
    }
}

/// The declaration of a port.
fn declared(port: &Port) -> String {
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
fn data(ports: &[Port], prefix: &str) -> String {
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
fn verilog(name: &str, ports: &[Port], form: LinkForm, packet: &PacketLayout) -> String {
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
    source(&mut add, ports, form, packet);
    sink(&mut add, ports, form, packet);
    text.push_str("endmodule\n`default_nettype wire\n");
    text
}

/// The source.
fn source(add: &mut dyn FnMut(String), ports: &[Port], form: LinkForm, packet: &PacketLayout) {
    let width = form.data_bits;
    let message = packet.message.len();
    let is_single = packet.form == FlitForm::Single;
    add("  // The source.".into());
    add("  reg busy, launch, done, valid;".into());
    add("  reg [19:0] left, number;".into());
    add(format!("  reg [{}:0] data;", width - 1));
    let may_load = match form.protocol {
        ProtocolName::ValidReady => "!valid || net_out_ready",
        ProtocolName::Credit => "credits != 0",
        ProtocolName::OnOff => "net_out_on",
        ProtocolName::ValidOnly => "1'b1",
    };
    if form.protocol == ProtocolName::Credit {
        add("  reg [7:0] credits;".into());
    }
    add(format!("  wire may_load = {may_load};"));
    add("  wire first = !busy && !done && tx_request;".into());
    add("  wire load = may_load && (busy || first);".into());
    add("  wire [19:0] left_now = busy ? left : tx_words;".into());
    add("  wire last = left_now == 20'd0;".into());
    add(format!(
        "  wire [23:0] sent_id = {{{}tx_id[{}:0]}};",
        match message {
            24 => String::new(),
            _ => format!("{}'d0, ", 24 - message),
        },
        message - 1
    ));
    let head = if is_single { "1'b1" } else { "!busy" };
    add(format!("  wire is_head = {head};"));
    add(format!("  reg [{}:0] flit;", width - 1));
    add("  always @* begin".into());
    add("    flit = pattern(sent_id, is_head ? 20'd0 : number);".into());
    add("    if (is_head) begin".into());
    let mut low = 0;
    for (_, range) in &packet.destination {
        let part = low..low + range.len();
        low = part.end;
        add(format!(
            "      flit{} = tx_header{};",
            bits(range),
            bits(&part)
        ));
    }
    add(format!(
        "      flit{} = tx_id[{}:0];",
        bits(&packet.message),
        message - 1
    ));
    if let Some(length) = &packet.length {
        let width = length.len();
        let value = match width.checked_sub(20) {
            Some(0) => "left_now".to_owned(),
            Some(more) => format!("{{{more}'d0, left_now}}"),
            None => format!("left_now[{}:0]", width - 1),
        };
        add(format!("      flit{} = {value};", bits(length)));
    }
    for range in &packet.ignored {
        add(format!("      flit{} = {}'d0;", bits(range), range.len()));
    }
    add("    end".into());
    if let Some(head) = packet.head {
        add(format!("    flit[{head}] = is_head;"));
    }
    if let Some(tail) = packet.tail {
        add(format!("    flit[{tail}] = last;"));
    }
    add("  end".into());
    add("  always @(posedge clock) begin".into());
    add("    launch <= load && first;".into());
    add("    done <= load && last;".into());
    add("    if (load) begin".into());
    add("      busy <= !last;".into());
    add("      left <= left_now - 20'd1;".into());
    add("      number <= busy ? number + 20'd1 : 20'd1;".into());
    add("      data <= flit;".into());
    add("      valid <= 1'b1;".into());
    let free = match form.protocol {
        ProtocolName::ValidReady => "    end else if (net_out_ready) valid <= 1'b0;",
        _ => "    end else valid <= 1'b0;",
    };
    add(free.into());
    if form.protocol == ProtocolName::Credit {
        add("    credits <= credits + {7'd0, net_out_credit} - {7'd0, load};".into());
    }
    add("    if (reset) begin".into());
    add("      busy <= 1'b0; launch <= 1'b0; done <= 1'b0; valid <= 1'b0;".into());
    add(format!(
        "      left <= 20'd0; number <= 20'd0; data <= {width}'d0;"
    ));
    if form.protocol == ProtocolName::Credit {
        add(format!("      credits <= 8'd{};", form.credits));
    }
    add("    end".into());
    add("  end".into());
    add("  assign tx_launch = launch;".into());
    add("  assign tx_done = done;".into());
    add(format!("  assign {} = data;", data(ports, "net_out_data")));
    add("  assign net_out_valid = valid;\n".into());
}

/// The bits of a flit that are compared with the pattern, as a constant of Verilog.
fn mask(packet: &PacketLayout, is_head: bool) -> String {
    let flags = packet.head.iter().chain(&packet.tail).map(|&at| at..at + 1);
    let mut fields: Vec<Range<usize>> = flags.collect();
    if is_head {
        fields.extend(packet.destination.iter().map(|(_, range)| range.clone()));
        fields.extend(packet.length.clone());
        fields.extend(packet.ignored.iter().cloned());
        fields.push(packet.message.clone());
    }
    let compared = |bit: &usize| !fields.iter().any(|range| range.contains(bit));
    let digits = (0..packet.data_bits)
        .rev()
        .map(|bit| if compared(&bit) { '1' } else { '0' });
    format!("{}'b{}", packet.data_bits, digits.collect::<String>())
}

/// The sink.
fn sink(add: &mut dyn FnMut(String), ports: &[Port], form: LinkForm, packet: &PacketLayout) {
    let width = form.data_bits;
    let message = packet.message.len();
    let is_single = packet.form == FlitForm::Single;
    add("  // The sink.".into());
    add("  reg in_packet, bad, got, wrong;".into());
    add("  reg [19:0] at;".into());
    add("  reg [23:0] id;".into());
    let answers = match form.protocol {
        ProtocolName::ValidReady | ProtocolName::OnOff => "  reg takes;",
        ProtocolName::Credit => "  reg gives;\n  reg [7:0] pending;",
        ProtocolName::ValidOnly => "",
    };
    if !answers.is_empty() {
        add(answers.into());
    }
    add("  wire stalls = {1'b0, random} < stall;".into());
    add(format!(
        "  wire [{}:0] come = {};",
        width - 1,
        data(ports, "net_in_data")
    ));
    let take = match form.protocol {
        ProtocolName::ValidReady => "net_in_valid && takes",
        _ => "net_in_valid",
    };
    add(format!("  wire take = {take};"));
    let head = if is_single { "1'b1" } else { "!in_packet" };
    add(format!("  wire at_head = {head};"));
    add(format!(
        "  wire [23:0] id_now = at_head ? {{{}come{}}} : id;",
        match message {
            24 => String::new(),
            _ => format!("{}'d0, ", 24 - message),
        },
        bits(&packet.message)
    ));
    add(format!(
        "  wire [{}:0] differs = come ^ pattern(id_now, at_head ? 20'd0 : at);",
        width - 1
    ));
    add(format!(
        "  wire [{}:0] looked_at = at_head ? {}",
        width - 1,
        mask(packet, true)
    ));
    add(format!("      : {};", mask(packet, false)));
    let mut low = 0;
    let mut elsewhere = String::new();
    for (_, range) in &packet.destination {
        let part = low..low + range.len();
        low = part.end;
        let is_ignored =
            |ignored: &Range<usize>| ignored.start < range.end && range.start < ignored.end;
        if !packet.ignored.iter().any(is_ignored) {
            elsewhere += &format!(
                " || at_head && come{} != own_header{}",
                bits(range),
                bits(&part)
            );
        }
    }
    let flag = packet
        .head
        .map_or(String::new(), |head| format!(" || come[{head}] != at_head"));
    add(format!(
        "  wire mismatch = |(differs & looked_at){flag}{elsewhere};"
    ));
    let last = match (packet.form, &packet.length, packet.tail) {
        (FlitForm::Counted, Some(length), _) => {
            add(format!("  reg [{}:0] to_come;", length.len() - 1));
            add(format!(
                "  wire [{}:0] left_in = at_head ? come{} : to_come;",
                length.len() - 1,
                bits(length)
            ));
            format!("left_in == {}'d0", length.len())
        }
        (_, _, Some(tail)) => format!("come[{tail}]"),
        _ => "1'b1".to_owned(),
    };
    add(format!("  wire ends = {last};"));
    add("  always @(posedge clock) begin".into());
    add("    got <= take && ends;".into());
    add("    if (take) begin".into());
    add("      in_packet <= !ends;".into());
    add("      at <= at_head ? 20'd1 : at + 20'd1;".into());
    add("      id <= id_now;".into());
    add("      bad <= mismatch || !at_head && bad;".into());
    add("      wrong <= mismatch || !at_head && bad;".into());
    if let (FlitForm::Counted, Some(length)) = (packet.form, &packet.length) {
        add(format!("      to_come <= left_in - {}'d1;", length.len()));
    }
    add("    end".into());
    match form.protocol {
        ProtocolName::ValidReady | ProtocolName::OnOff => add("    takes <= !stalls;".into()),
        ProtocolName::Credit => {
            add("    gives <= pending != 8'd0 && !stalls;".into());
            add(
                "    pending <= pending + {7'd0, take} - {7'd0, pending != 8'd0 && !stalls};"
                    .into(),
            );
        }
        ProtocolName::ValidOnly => {}
    }
    add("    if (reset) begin".into());
    add("      in_packet <= 1'b0; bad <= 1'b0; got <= 1'b0; wrong <= 1'b0;".into());
    add("      at <= 20'd0; id <= 24'd0;".into());
    if let (FlitForm::Counted, Some(length)) = (packet.form, &packet.length) {
        add(format!("      to_come <= {}'d0;", length.len()));
    }
    match form.protocol {
        ProtocolName::ValidReady | ProtocolName::OnOff => add("      takes <= 1'b0;".into()),
        ProtocolName::Credit => add("      gives <= 1'b0; pending <= 8'd0;".into()),
        ProtocolName::ValidOnly => {}
    }
    add("    end".into());
    add("  end".into());
    add("  assign rx_valid = got;".into());
    add("  assign rx_id = id;".into());
    add("  assign rx_wrong = wrong;".into());
    match form.protocol {
        ProtocolName::ValidReady => add("  assign net_in_ready = takes;".into()),
        ProtocolName::OnOff => add("  assign net_in_on = takes;".into()),
        ProtocolName::Credit => add("  assign net_in_credit = gives;".into()),
        ProtocolName::ValidOnly => {}
    }
}
