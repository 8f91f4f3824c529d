//! Rules of a direction of a link, by protocol.

use super::{Direction, Properties};
use crate::endpoint::credits_of;
use crate::file::{FlitForm, ProtocolName};
use crate::links::ACK;

/// The rules of a direction.
pub(super) fn rules(all: &mut Properties, direction: &Direction<'_>) {
    let prefix = &direction.prefix;
    all.of_direction(
        direction,
        true,
        (
            "quiet-after-reset",
            "no flit is offered in the first cycle after the reset",
        ),
        "after_reset",
        &format!("after_reset && {prefix}_valid"),
    );
    match direction.subject.form.protocol {
        ProtocolName::ValidReady => valid_ready(all, direction),
        ProtocolName::Credit => credit(all, direction),
        ProtocolName::OnOff => on_off(all, direction),
        ProtocolName::ValidOnly if direction.has_back => resend(all, direction),
        ProtocolName::ValidOnly => {}
        ProtocolName::Circuit => circuit(all, direction),
    }
    channel_number(all, direction);
    if direction.subject.packet.form == FlitForm::HeadTail {
        wormhole(all, direction);
    }
}

fn valid_ready(all: &mut Properties, direction: &Direction<'_>) {
    let prefix = &direction.prefix;
    let width = direction.subject.form.data_bits;
    let waits = format!("{prefix}_waits");
    all.register(1, &waits, &format!("{prefix}_valid && !{prefix}_ready"));
    all.register(width, &format!("{prefix}_kept"), &format!("{prefix}_flit"));
    all.of_direction(
        direction,
        true,
        ("valid-stable", "valid stays 1 until ready is 1"),
        &waits,
        &format!("{waits} && !{prefix}_valid"),
    );
    all.of_direction(
        direction,
        true,
        ("data-stable", "the flit stays as it is until ready is 1"),
        &format!("{waits} && {prefix}_valid"),
        &format!("{waits} && {prefix}_valid && {prefix}_flit != {prefix}_kept"),
    );
}

/// Any of the conditions for each virtual channel.
fn any(conditions: &[String]) -> String {
    format!("({})", conditions.join(" || "))
}

fn credit(all: &mut Properties, direction: &Direction<'_>) {
    let (subject, prefix) = (direction.subject, &direction.prefix);
    let form = subject.form;
    // The neighbour's buffers have their number in its own component file.
    let most = subject.credits.iter().copied().max().unwrap_or(1);
    let credits = match direction.is_out {
        true => most,
        false => subject.credits[direction.number],
    };
    // A count goes from 0 to all credits, and two bits at least make the sums plain.
    let width = (u32::BITS - credits.leading_zeros()).max(2);
    all.declare(&format!(
        "wire [{}:0] {prefix}_credits = {};",
        form.vcs - 1,
        credits_of(prefix, form)
    ));
    let [mut empty, mut overruns, mut whole, mut unowed] = [const { Vec::new() }; 4];
    for channel in 0..form.vcs {
        let held = format!("{prefix}_held_{channel}");
        let sent = direction.is_of(channel);
        let back = format!("{prefix}_credits[{channel}]");
        all.declare(&format!("reg [{}:0] {held};", width - 1));
        all.at_edge(&format!(
            "{held} <= {held} + {{{0}'d0, {back}}} - {{{0}'d0, {sent}}};",
            width - 1
        ));
        all.in_reset(&format!("{held} <= {width}'d{credits};"));
        let none = format!("{held} == {width}'d0");
        empty.push(none.clone());
        overruns.push(format!("{none} && {sent} && !{back}"));
        whole.push(format!("{held} != {width}'d{credits} && {back}"));
        unowed.push(format!("{held} == {width}'d{credits} && {back} && !{sent}"));
    }
    all.of_direction(
        direction,
        true,
        (
            "within-credits",
            "a flit is sent only when there is a credit for it",
        ),
        &any(&empty),
        &any(&overruns),
    );
    all.of_direction(
        direction,
        false,
        (
            "credits-owed",
            "no more credits come back than flits were sent",
        ),
        &any(&whole),
        &any(&unowed),
    );
}

fn on_off(all: &mut Properties, direction: &Direction<'_>) {
    let (form, prefix) = (direction.subject.form, &direction.prefix);
    let was_on = format!("{prefix}_was_on");
    all.register(form.vcs, &was_on, &format!("{prefix}_on"));
    let channels = 0..form.vcs;
    let off: Vec<String> = channels
        .clone()
        .map(|channel| format!("!{was_on}[{channel}]"))
        .collect();
    let sent: Vec<String> = channels
        .map(|channel| format!("!{was_on}[{channel}] && {}", direction.is_of(channel)))
        .collect();
    all.of_direction(
        direction,
        true,
        (
            "stops-when-off",
            "no flit is sent in a cycle after one in which on was 0",
        ),
        &any(&off),
        &any(&sent),
    );
}

fn resend(all: &mut Properties, direction: &Direction<'_>) {
    let prefix = &direction.prefix;
    let was = format!("{prefix}_was_valid");
    all.register(1, &was, &format!("{prefix}_valid"));
    all.of_direction(
        direction,
        false,
        (
            "resend-after-flit",
            "resend is 1 only in the cycle after a flit",
        ),
        &format!("{prefix}_resend"),
        &format!("{prefix}_resend && !{was}"),
    );
}

/// A path: `up` in the cycle before, `all` of its flits were sent, it was `known` or `refused`.
fn circuit(all: &mut Properties, direction: &Direction<'_>) {
    let (subject, prefix) = (direction.subject, &direction.prefix);
    let answers = subject.form.answers;
    let valid = format!("{prefix}_valid");
    let nack = format!("{prefix}_nack");
    let ack = match answers.has_ack {
        true => format!("{prefix}_{ACK}"),
        false => "1'b0".to_owned(),
    };
    let [up, sent, known, refused, before, kept, cycles] =
        ["up", "sent", "known", "refused", "before", "kept", "cycles"]
            .map(|name| format!("{prefix}_{name}"));
    let tail = direction.tail().unwrap_or_else(|| "1'b1".to_owned());
    all.declare(&format!("wire {prefix}_new = {valid} && !{up};"));
    all.declare(&format!("wire {prefix}_answer = {nack} || {ack};"));
    all.register(1, &up, &valid);
    all.register(1, &before, &format!("{prefix}_answer"));
    all.register(1, &sent, &format!("{valid} && ({up} && {sent} || {tail})"));
    all.register(
        1,
        &refused,
        &format!("{valid} && ({up} && {refused} || {nack})"),
    );
    let ends = match answers.has_ack {
        true => {
            all.register(1, &known, &format!("{valid} && ({up} && {known} || {ack})"));
            known.clone()
        }
        false => {
            let next =
                format!("!{valid} ? 10'd0 : {cycles} == 10'd1023 ? {cycles} : {cycles} + 10'd1");
            all.register(10, &cycles, &next);
            format!("{cycles} >= 10'd{}", answers.cycles)
        }
    };
    all.register(subject.form.data_bits, &kept, &format!("{prefix}_flit"));
    all.of_direction(
        direction,
        true,
        (
            "path-stands",
            "valid falls only after a rejection, or after the final flit and its answer",
        ),
        &format!("{up} && !{valid}"),
        &format!("{up} && !{valid} && !({refused} || {sent} && {ends})"),
    );
    all.of_direction(
        direction,
        true,
        ("path-falls", "valid falls in the cycle after a rejection"),
        &format!("{up} && {refused}"),
        &format!("{up} && {refused} && {valid}"),
    );
    all.of_direction(
        direction,
        true,
        (
            "final-flit-stays",
            "the flit stays as it is after the final one",
        ),
        &format!("{up} && {sent} && {valid}"),
        &format!("{up} && {sent} && {valid} && {prefix}_flit != {kept}"),
    );
    all.of_direction(
        direction,
        false,
        (
            "answers-a-path",
            "an answer comes only while a path asks for it",
        ),
        &format!("{prefix}_answer"),
        &format!("{prefix}_answer && !{valid}"),
    );
    all.of_direction(
        direction,
        false,
        ("answer-ends", "an answer is 1 for one cycle"),
        &before,
        &format!("{before} && {prefix}_answer"),
    );
    if answers.has_ack {
        all.of_direction(
            direction,
            false,
            ("one-answer", "a path is answered once, by ack or by nack"),
            &format!("{up} && ({known} || {refused}) && {valid}"),
            &format!(
                "({nack} && {ack} || {prefix}_answer && {up} && {valid} && ({known} || {refused}))"
            ),
        );
    }
    if answers.at_end {
        all.of_direction(
            direction,
            false,
            ("ack-after-end", "ack comes only after the final flit"),
            &format!("{ack} && {valid}"),
            &format!("{ack} && {valid} && !({up} && {sent} || {tail})"),
        );
    }
}

fn channel_number(all: &mut Properties, direction: &Direction<'_>) {
    let (subject, prefix) = (direction.subject, &direction.prefix);
    let Some(vc) = subject.packet.vc.as_ref() else {
        return;
    };
    if subject.form.vcs < 1 << vc.len() {
        let number = direction.flit(vc);
        all.of_direction(
            direction,
            true,
            (
                "known-channel",
                "flits are in a virtual channel that exists",
            ),
            &format!("{prefix}_valid"),
            &format!("{prefix}_valid && {number} >= {}", subject.form.vcs),
        );
    }
}

/// Packets do not mix in a virtual channel.
fn wormhole(all: &mut Properties, direction: &Direction<'_>) {
    let (Some(head), Some(tail)) = (direction.head(), direction.tail()) else {
        return;
    };
    let (subject, prefix) = (direction.subject, &direction.prefix);
    if subject.form.protocol == ProtocolName::ValidOnly && direction.has_back {
        return;
    }
    let mut breaches = Vec::new();
    let mut premises = Vec::new();
    for channel in 0..subject.form.vcs {
        let open = format!("{prefix}_open_{channel}");
        let here = direction.is_of(channel);
        let moves = match subject.form.protocol {
            ProtocolName::ValidReady => format!("{here} && {prefix}_ready"),
            _ => here.clone(),
        };
        // A path that falls ends its packet.
        let (next, is_open) = match subject.form.protocol {
            ProtocolName::Circuit => (
                format!("{prefix}_valid && !({tail})"),
                format!("({prefix}_up && {open})"),
            ),
            _ => (format!("{moves} ? !({tail}) : {open}"), open.clone()),
        };
        let looked_at = match subject.form.protocol {
            ProtocolName::Circuit => format!("{here} && !({prefix}_up && {prefix}_sent)"),
            _ => here,
        };
        all.register(1, &open, &next);
        breaches.push(format!("{looked_at} && ({head}) == {is_open}"));
        premises.push(format!("{looked_at} && {is_open}"));
    }
    all.of_direction(
        direction,
        true,
        (
            "wormhole",
            "a head comes only after a tail, and other flits only after a head, in each virtual channel",
        ),
        &any(&premises),
        &any(&breaches),
    );
}
