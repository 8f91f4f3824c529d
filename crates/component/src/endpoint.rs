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
use super::links::{LinkEnds, LinkForm, kept};
use super::packet::{DestinationPart, PacketLayout};
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

/// The index of the pin for the flits that may go out before a credit comes back; only with credits.
pub const PORT_CREDITS: usize = 14;

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
    if form.protocol == ProtocolName::Credit {
        ports.push(port(
            "credits",
            PinDirection::Input,
            8,
            Role::Option,
            "flits that may go out before a credit comes back",
        ));
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
fn bits(range: &Range<usize>) -> String {
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
    source(&mut add, ports, link, packet);
    sink(&mut add, ports, form, packet);
    text.push_str("endmodule\n`default_nettype wire\n");
    text
}

/// The source.
fn source(add: &mut dyn FnMut(String), ports: &[Port], link: LocalLink, packet: &PacketLayout) {
    let form = link.form;
    let width = form.data_bits;
    let message = packet.message.len();
    let is_single = packet.form == FlitForm::Single;
    let channel = form.channel_bits();
    add("  // The source.".into());
    add("  reg busy, launch, done, valid;".into());
    add("  reg [19:0] left, number;".into());
    add(format!("  reg [{}:0] data;", width - 1));
    // Messages take the virtual channels in turn.
    add(format!("  reg [{}:0] channel;", channel - 1));
    let may_load = match form.protocol {
        ProtocolName::ValidReady => "!valid || net_out_ready",
        ProtocolName::Credit => "used[channel] != credits",
        ProtocolName::OnOff if form.vcs == 1 => "net_out_on",
        ProtocolName::OnOff => "net_out_on[channel]",
        ProtocolName::ValidOnly if link.resends => "!again",
        ProtocolName::ValidOnly => "1'b1",
    };
    if link.resends {
        add("  // The flit of the cycle before, which may have to go once more.".into());
        add(format!("  reg [{}:0] sent_data;", width - 1));
        add("  reg sent;".into());
        add("  wire again = net_out_resend && sent;".into());
    }
    if form.protocol == ProtocolName::Credit {
        add(format!("  reg [7:0] used [0:{}];", form.vcs - 1));
        add(format!(
            "  wire [{}:0] regains = {};",
            form.vcs - 1,
            credits_of("net_out", form)
        ));
        add("  integer at_channel;".into());
    }
    add(format!("  wire may_load = {may_load};"));
    add("  wire first = !busy && !done && tx_request;".into());
    add("  wire load = may_load && (busy || first);".into());
    add("  wire [19:0] left_now = busy ? left : tx_words;".into());
    add("  wire last = left_now == 20'd0;".into());
    add(format!(
        "  wire [23:0] sent_id = {{{}tx_id[{}:0]}};",
        filled(message),
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
    if let Some(range) = &packet.vc {
        add(format!("    flit{} = channel;", bits(range)));
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
    if form.vcs > 1 {
        add(format!(
            "      if (last) channel <= channel == {channel}'d{} ? {channel}'d0 : channel + {channel}'d1;",
            form.vcs - 1
        ));
    }
    let free = match form.protocol {
        ProtocolName::ValidReady => "    end else if (net_out_ready) valid <= 1'b0;",
        ProtocolName::ValidOnly if link.resends => {
            "    end else begin\n      valid <= again;\n      if (again) data <= sent_data;\n    end\n    \
             sent_data <= data;\n    sent <= valid;"
        }
        _ => "    end else valid <= 1'b0;",
    };
    add(free.into());
    let each = format!(
        "    for (at_channel = 0; at_channel < {}; at_channel = at_channel + 1)",
        form.vcs
    );
    if form.protocol == ProtocolName::Credit {
        add(each.clone());
        add("      used[at_channel] <= used[at_channel] - {7'd0, regains[at_channel]}".into());
        add(format!(
            "          + {{7'd0, load && channel == at_channel[{}:0]}};",
            channel - 1
        ));
    }
    add("    if (in_reset) begin".into());
    add("      busy <= 1'b0; launch <= 1'b0; done <= 1'b0; valid <= 1'b0;".into());
    add(format!(
        "      left <= 20'd0; number <= 20'd0; data <= {width}'d0; channel <= {channel}'d0;"
    ));
    if form.protocol == ProtocolName::Credit {
        add(format!("  {each}"));
        add("        used[at_channel] <= 8'd0;".into());
    }
    if link.resends {
        add(format!("      sent_data <= {width}'d0; sent <= 1'b0;"));
    }
    add("    end".into());
    add("  end".into());
    add("  assign tx_launch = launch;".into());
    add("  assign tx_done = done;".into());
    add(format!("  assign {} = data;", data(ports, "net_out_data")));
    add("  assign net_out_valid = valid;\n".into());
}

/// Zeros above the number of a message, for 24 bits.
fn filled(message: usize) -> String {
    match message {
        24 => String::new(),
        _ => format!("{}'d0, ", 24 - message),
    }
}

/// A bit for each virtual channel that gets a credit in this cycle.
fn credits_of(direction: &str, form: LinkForm) -> String {
    match form.numbers_credits {
        false => format!("{direction}_credit"),
        true => format!(
            "{direction}_credit ? {}'d1 << {direction}_credit_vc : {0}'d0",
            form.vcs
        ),
    }
}

/// The bits of a flit that are compared with the pattern, as a constant of Verilog.
fn mask(packet: &PacketLayout, is_head: bool) -> String {
    let flags = packet.head.iter().chain(&packet.tail).map(|&at| at..at + 1);
    let mut fields: Vec<Range<usize>> = flags.chain(packet.vc.clone()).collect();
    if is_head {
        fields.extend(packet.destination.iter().map(|(_, range)| range.clone()));
        fields.extend(packet.length.clone());
        fields.extend(packet.ignored.iter().cloned());
        fields.push(packet.message.clone());
    }
    let compared = |bit: &usize| !fields.iter().any(|range| range.contains(bit));
    let digits = (0..packet.data_bits).rev();
    let digits = digits.map(|bit| if compared(&bit) { '1' } else { '0' });
    format!("{}'b{}", packet.data_bits, digits.collect::<String>())
}

/// The sink. What it knows of a packet it knows for each virtual channel, in which packets do not mix.
fn sink(add: &mut dyn FnMut(String), ports: &[Port], form: LinkForm, packet: &PacketLayout) {
    let width = form.data_bits;
    let message = packet.message.len();
    let is_single = packet.form == FlitForm::Single;
    let (channel, last_channel) = (form.channel_bits(), form.vcs - 1);
    add("  // The sink.".into());
    add("  reg got, wrong;".into());
    add("  reg [23:0] shown;".into());
    add(format!("  reg [{last_channel}:0] in_packet, bad;"));
    add(format!("  reg [19:0] at [0:{last_channel}];"));
    add(format!("  reg [23:0] id [0:{last_channel}];"));
    match form.protocol {
        ProtocolName::ValidReady | ProtocolName::OnOff => add("  reg takes;".into()),
        ProtocolName::Credit => {
            add(format!("  reg [{last_channel}:0] gives;"));
            add(format!("  reg [7:0] pending [0:{last_channel}];"));
        }
        ProtocolName::ValidOnly => {}
    }
    add("  integer of_channel;".into());
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
    let vc = packet
        .vc
        .as_ref()
        .map_or(format!("{channel}'d0"), |vc| format!("come{}", bits(vc)));
    add(format!("  wire [{}:0] vc = {vc};", channel - 1));
    let head = if is_single { "1'b1" } else { "!in_packet[vc]" };
    add(format!("  wire at_head = {head};"));
    add(format!(
        "  wire [23:0] id_now = at_head ? {{{}come{}}} : id[vc];",
        filled(message),
        bits(&packet.message)
    ));
    add(format!(
        "  wire [{}:0] differs = come ^ pattern(id_now, at_head ? 20'd0 : at[vc]);",
        width - 1
    ));
    add(format!(
        "  wire [{}:0] looked_at = at_head ? {}",
        width - 1,
        mask(packet, true)
    ));
    add(format!("      : {};", mask(packet, false)));
    let mut flags = packet
        .head
        .map_or(String::new(), |head| format!(" || come[{head}] != at_head"));
    let mut low = 0;
    for (of, range) in &packet.destination {
        let part = low..low + range.len();
        low = part.end;
        // Routers may take what they have read off a way.
        if *of == DestinationPart::Route {
            continue;
        }
        let is_ignored =
            |ignored: &Range<usize>| ignored.start < range.end && range.start < ignored.end;
        if !packet.ignored.iter().any(is_ignored) {
            flags += &format!(
                " || at_head && come{} != own_header{}",
                bits(range),
                bits(&part)
            );
        }
    }
    add(format!("  wire mismatch = |(differs & looked_at){flags};"));
    let last = match (packet.form, &packet.length, packet.tail) {
        (FlitForm::Counted, Some(length), _) => {
            add(format!(
                "  reg [{}:0] to_come [0:{last_channel}];",
                length.len() - 1
            ));
            add(format!(
                "  wire [{}:0] left_in = at_head ? come{} : to_come[vc];",
                length.len() - 1,
                bits(length)
            ));
            format!("left_in == {}'d0", length.len())
        }
        (_, _, Some(tail)) => format!("come[{tail}]"),
        _ => "1'b1".to_owned(),
    };
    add(format!("  wire ends = {last};"));
    if form.protocol == ProtocolName::Credit {
        add(format!("  wire [{last_channel}:0] owed;"));
        add("  genvar number_of_channel;".into());
        add("  generate".into());
        add(format!(
            "    for (number_of_channel = 0; number_of_channel < {}; number_of_channel = number_of_channel + 1)",
            form.vcs
        ));
        add("    begin : owing".into());
        add("      assign owed[number_of_channel] = pending[number_of_channel] != 8'd0;".into());
        add("    end".into());
        add("  endgenerate".into());
    }
    add("  always @(posedge clock) begin".into());
    add("    got <= take && ends;".into());
    add("    if (take) begin".into());
    add("      in_packet[vc] <= !ends;".into());
    add("      at[vc] <= at_head ? 20'd1 : at[vc] + 20'd1;".into());
    add("      id[vc] <= id_now;".into());
    add("      bad[vc] <= mismatch || !at_head && bad[vc];".into());
    add("      wrong <= mismatch || !at_head && bad[vc];".into());
    add("      shown <= id_now;".into());
    let length = packet
        .length
        .as_ref()
        .filter(|_| packet.form == FlitForm::Counted);
    if let Some(length) = length {
        add(format!(
            "      to_come[vc] <= left_in - {}'d1;",
            length.len()
        ));
    }
    add("    end".into());
    let each = format!(
        "    for (of_channel = 0; of_channel < {}; of_channel = of_channel + 1)",
        form.vcs
    );
    match form.protocol {
        ProtocolName::ValidReady | ProtocolName::OnOff => add("    takes <= !stalls;".into()),
        ProtocolName::Credit => {
            // Credits that come with a number come one in a cycle, of the lowest channel first.
            let below = match form.numbers_credits {
                true => " && !(|(owed & ((1 << of_channel) - 1)))",
                false => "",
            };
            add(format!("{each} begin"));
            add(format!(
                "      gives[of_channel] <= owed[of_channel] && !stalls{below};"
            ));
            add("      pending[of_channel] <= pending[of_channel]".into());
            add(format!(
                "          + {{7'd0, take && vc == of_channel[{}:0]}}",
                channel - 1
            ));
            add(format!(
                "          - {{7'd0, owed[of_channel] && !stalls{below}}};"
            ));
            add("    end".into());
        }
        ProtocolName::ValidOnly => {}
    }
    add("    if (in_reset) begin".into());
    add("      got <= 1'b0; wrong <= 1'b0; shown <= 24'd0;".into());
    add(format!(
        "      in_packet <= {0}'d0; bad <= {0}'d0;",
        form.vcs
    ));
    add(format!("  {each} begin"));
    add("        at[of_channel] <= 20'd0;".into());
    add("        id[of_channel] <= 24'd0;".into());
    if let Some(length) = length {
        add(format!(
            "        to_come[of_channel] <= {}'d0;",
            length.len()
        ));
    }
    if form.protocol == ProtocolName::Credit {
        add("        pending[of_channel] <= 8'd0;".into());
    }
    add("      end".into());
    match form.protocol {
        ProtocolName::ValidReady | ProtocolName::OnOff => add("      takes <= 1'b0;".into()),
        ProtocolName::Credit => add(format!("      gives <= {}'d0;", form.vcs)),
        ProtocolName::ValidOnly => {}
    }
    add("    end".into());
    add("  end".into());
    add("  assign rx_valid = got;".into());
    add("  assign rx_id = shown;".into());
    add("  assign rx_wrong = wrong;".into());
    match form.protocol {
        ProtocolName::ValidReady => add("  assign net_in_ready = takes;".into()),
        ProtocolName::OnOff => add(format!("  assign net_in_on = {{{}{{takes}}}};", form.vcs)),
        ProtocolName::Credit if form.numbers_credits => {
            add("  assign net_in_credit = |gives;".into());
            let number = (0..form.vcs)
                .rev()
                .fold(format!("{channel}'d0"), |rest, at| {
                    format!("gives[{at}] ? {channel}'d{at} : {rest}")
                });
            add(format!("  assign net_in_credit_vc = {number};"));
        }
        ProtocolName::Credit => add("  assign net_in_credit = gives;".into()),
        ProtocolName::ValidOnly => {}
    }
}
