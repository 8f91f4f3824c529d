//! The sink of an endpoint: each bit that comes is compared with what was sent.

use std::ops::Range;

use super::{bits, data, filled};
use crate::file::{FlitForm, ProtocolName};
use crate::links::LinkForm;
use crate::packet::{DestinationPart, FlitCodes, PacketLayout};
use crosswave_chips::Port;

/// The bits of a flit that are compared with the pattern, as a constant of Verilog.
fn mask(packet: &PacketLayout, is_head: bool) -> String {
    let flags = packet.head.iter().chain(&packet.tail).map(|&at| at..at + 1);
    let codes = packet.codes.iter().map(|codes| codes.bits.clone());
    let flags = flags.chain(codes);
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

/// True in Verilog when the flit that comes has one of two codes.
fn is_one_of(codes: &FlitCodes, wanted: [u64; 2]) -> String {
    let come = format!("come{}", bits(&codes.bits));
    let [one, other] = wanted.map(|code| codes.verilog(code));
    format!("({come} == {one} || {come} == {other})")
}

/// The sink. What it knows of a packet it knows for each virtual channel, in which packets do not mix.
pub(super) fn verilog(
    add: &mut dyn FnMut(String),
    ports: &[Port],
    form: LinkForm,
    packet: &PacketLayout,
) {
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
        // A head follows a cycle without a flit.
        ProtocolName::Circuit => add("  reg came, nacks, acks;".into()),
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
        ProtocolName::Circuit => "net_in_valid && (came ? in_packet[0] : !stalls)",
        _ => "net_in_valid",
    };
    add(format!("  wire take = {take};"));
    let vc = packet
        .vc
        .as_ref()
        .map_or(format!("{channel}'d0"), |vc| format!("come{}", bits(vc)));
    add(format!("  wire [{}:0] vc = {vc};", channel - 1));
    let head = match form.protocol {
        ProtocolName::Circuit => "!came",
        _ if is_single => "1'b1",
        _ => "!in_packet[vc]",
    };
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
    if let Some(codes) = &packet.codes {
        let [heads, others] =
            [codes.heads(), [codes.body, codes.tail]].map(|of| is_one_of(codes, of));
        flags += &format!(" || !(at_head ? {heads} : {others})");
    }
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
    let last = match (&packet.codes, packet.form, &packet.length, packet.tail) {
        (Some(codes), ..) => is_one_of(codes, codes.tails()),
        (_, FlitForm::Counted, Some(length), _) => {
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
        (.., Some(tail)) => format!("come[{tail}]"),
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
    let is_circuit = form.protocol == ProtocolName::Circuit;
    if is_circuit {
        add("  wire broken = in_packet[0] && !net_in_valid;".into());
    }
    add("  always @(posedge clock) begin".into());
    add(match is_circuit {
        true => "    got <= take && ends || broken;".into(),
        false => "    got <= take && ends;".into(),
    });
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
        ProtocolName::Circuit => {
            // A path that falls before its final flit was broken.
            add("    if (broken) begin".into());
            add("      in_packet[0] <= 1'b0; wrong <= 1'b1; shown <= id[0];".into());
            add("    end".into());
            let acks = match form.answers.at_end {
                true => "take && ends",
                false => "take && !came",
            };
            add("    came <= net_in_valid;".into());
            add("    nacks <= net_in_valid && !came && stalls;".into());
            add(format!("    acks <= {acks};"));
        }
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
        ProtocolName::Circuit => {
            add("      came <= 1'b0; nacks <= 1'b0; acks <= 1'b0;".into());
        }
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
        ProtocolName::Circuit => {
            add("  assign net_in_nack = nacks;".into());
            if form.answers.has_ack {
                add("  assign net_in_ack = acks;".into());
            }
        }
    }
}
