//! The source of an endpoint: a message as flits on the wire, and as a path that is tried again.

use super::{LocalLink, bits, credits_of, data, filled};
use crate::file::{FlitForm, ProtocolName};
use crate::links::LinkForm;
use crate::packet::PacketLayout;
use crosswave_chips::Port;

/// The source.
pub(super) fn verilog(
    add: &mut dyn FnMut(String),
    ports: &[Port],
    link: LocalLink,
    packet: &PacketLayout,
) {
    let form = link.form;
    let width = form.data_bits;
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
        ProtocolName::Circuit => "!(busy && (all || net_out_nack))",
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
    let path = match form.protocol {
        ProtocolName::Circuit => {
            begin_path(add, form);
            " && waits == 8'd0 && !answers"
        }
        _ => "",
    };
    begin_message(add, form, path);
    add("  wire load = may_load && (busy || first);".into());
    add("  wire [19:0] left_now = busy ? left : now_words;".into());
    add("  wire last = left_now == 20'd0;".into());
    flit(add, form, packet);
    add("  always @(posedge clock) begin".into());
    add("    launch <= load && first;".into());
    let [is_done, stays] = match form.protocol {
        ProtocolName::Circuit => ["finishes", "1'b1"],
        _ => ["load && last", "!last"],
    };
    add(format!("    done <= {is_done};"));
    add("    if (load) begin".into());
    add(format!("      busy <= {stays};"));
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
        ProtocolName::Circuit => PATH_ENDS,
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
    if form.protocol == ProtocolName::Circuit {
        add(
            "      all <= 1'b0; answered <= 1'b0; answers_before <= 1'b0; rejected <= 1'b0;".into(),
        );
        add("      unasked <= 1'b0; waits <= 8'd0; up <= 10'd0;".into());
    }
    add("    end".into());
    add("  end".into());
    add("  assign tx_launch = launch;".into());
    add("  assign tx_done = done;".into());
    add(format!("  assign {} = data;", data(ports, "net_out_data")));
    add("  assign net_out_valid = valid;\n".into());
}

/// The message that is sent, or begins. While the end of one is shown, its host still asks for it, and
/// the one after it is told ahead.
fn begin_message(add: &mut dyn FnMut(String), form: LinkForm, path: &str) {
    let fields = [("id", 24), ("words", 20), ("header", 64)];
    let looks_ahead = form.protocol != ProtocolName::Circuit;
    for (field, width) in fields {
        let value = match looks_ahead {
            true => format!("done ? ahead_{field} : tx_{field}"),
            false => format!("tx_{field}"),
        };
        add(format!("  wire [{}:0] now_{field} = {value};", width - 1));
    }
    let request = match looks_ahead {
        true => "(done ? ahead_request : tx_request)",
        false => "!done && tx_request",
    };
    add(format!("  wire first = !busy && {request}{path};"));
}

/// The flit of a message that goes next.
fn flit(add: &mut dyn FnMut(String), form: LinkForm, packet: &PacketLayout) {
    let width = form.data_bits;
    let message = packet.message.len();
    let is_single = packet.form == FlitForm::Single;
    add(format!(
        "  wire [23:0] sent_id = {{{}now_id[{}:0]}};",
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
            "      flit{} = now_header{};",
            bits(range),
            bits(&part)
        ));
    }
    add(format!(
        "      flit{} = now_id[{}:0];",
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
    if let Some(codes) = &packet.codes {
        let [single, head, tail, body] =
            [codes.single, codes.head, codes.tail, codes.body].map(|code| codes.verilog(code));
        add(format!(
            "    flit{} = is_head ? (last ? {single} : {head}) : last ? {tail} : {body};",
            bits(&codes.bits)
        ));
    }
    if let Some(range) = &packet.vc {
        add(format!("    flit{} = channel;", bits(range)));
    }
    add("  end".into());
}

/// The registers of a path: `all` of its flits are on the wire, and it was `answered`. The path stands
/// until both are so, or a rejection comes. An answer that is 1 for several cycles is one answer.
fn begin_path(add: &mut dyn FnMut(String), form: LinkForm) {
    let answers = form.answers;
    let (ack, known) = match answers.has_ack {
        true => (" || net_out_ack", "net_out_ack".to_owned()),
        false => ("", format!("up >= 10'd{}", answers.cycles)),
    };
    add("  reg all, answered, answers_before, rejected, unasked;".into());
    add("  reg [7:0] waits;".into());
    add("  reg [9:0] up;".into());
    add(format!("  wire answers = net_out_nack{ack};"));
    add(format!("  wire known = answered || {known};"));
    add("  wire finishes = busy && all && known && !net_out_nack;".into());
    add("  wire [16:0] drawn = {9'd0, random_wait} * ({9'd0, retry_cycles} + 17'd1);".into());
    add("  assign tx_rejected = rejected;".into());
    add("  assign tx_unasked = unasked;".into());
}

/// The end of a path, and the wait for a new attempt.
const PATH_ENDS: &str = "      all <= last;
    end else if (finishes || busy && net_out_nack) begin
      busy <= 1'b0; valid <= 1'b0; all <= 1'b0;
    end
    answered <= busy && known && !finishes && !net_out_nack;
    up <= !busy ? 10'd0 : up == 10'd1023 ? up : up + 10'd1;
    if (busy && net_out_nack) waits <= drawn[15:8];
    else if (waits != 8'd0 && !answers) waits <= waits - 8'd1;
    rejected <= busy && net_out_nack;
    unasked <= !busy && answers && !answers_before;
    answers_before <= answers;";
