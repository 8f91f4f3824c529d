//! Rules for the flits in a router: none is lost, doubled or made up, and those of a flow keep their order.

use std::ops::Range;

use super::{Direction, Properties, Rule, Subject, Traffic};
use crate::file::{FlitForm, ProtocolName};

/// Bits of the count of flits.
const COUNT_BITS: usize = 16;

/// The rules of the router as a whole.
pub(super) fn rules(all: &mut Properties, subject: &Subject<'_>, directions: &[Direction<'_>]) {
    if subject.form.protocol != ProtocolName::Circuit {
        balance(all, subject, directions);
    }
    marks(all, subject, directions);
}

/// Adds a rule of the router.
fn add(
    all: &mut Properties,
    (name, sentence): (&'static str, &'static str),
    is_assumed: bool,
    traffic: Traffic,
    premise: &str,
    breach: &str,
) {
    all.rules.push(Rule {
        link: None,
        name,
        sentence,
        is_assumed,
        traffic,
        breach: breach.to_owned(),
        premise: premise.to_owned(),
    });
}

/// The directions into the router, or out of it.
fn of<'d, 'a>(directions: &'d [Direction<'a>], is_out: bool) -> Vec<&'d Direction<'a>> {
    let found = directions.iter();
    found.filter(|found| found.is_out == is_out).collect()
}

/// The sum of conditions, as a number of [`COUNT_BITS`].
fn sum(conditions: &[String]) -> String {
    let terms = conditions.iter();
    let terms = terms.map(|term| format!("{{{}'d0, {term}}}", COUNT_BITS - 1));
    let terms: Vec<String> = terms.collect();
    match terms.is_empty() {
        true => format!("{COUNT_BITS}'d0"),
        false => terms.join(" + "),
    }
}

/// Flits that came in and did not leave are in the router, which has room for some.
fn balance(all: &mut Properties, subject: &Subject<'_>, directions: &[Direction<'_>]) {
    let moves = |is_out: bool| -> Vec<String> {
        let found = of(directions, is_out);
        found.iter().map(|direction| direction.moves()).collect()
    };
    let resent = |is_out: bool| -> Vec<String> {
        let found = of(directions, is_out).into_iter();
        let found = found.filter(|direction| {
            subject.form.protocol == ProtocolName::ValidOnly && direction.has_back
        });
        found
            .map(|direction| format!("{}_resend", direction.prefix))
            .collect()
    };
    let last = COUNT_BITS - 1;
    // A flit that is to be sent once more is where it was.
    let into = [moves(false), resent(true)].concat();
    let out = [moves(true), resent(false)].concat();
    all.declare(&format!("wire [{last}:0] flits_in = {};", sum(&into)));
    all.declare(&format!("wire [{last}:0] flits_out = {};", sum(&out)));
    all.register(
        COUNT_BITS,
        "flits_inside",
        "flits_inside + flits_in - flits_out",
    );
    add(
        all,
        ("no-surplus", "no more flits have left than have come in"),
        false,
        Traffic::Legal,
        "flits_out != 16'd0",
        "flits_inside + flits_in < flits_out",
    );
    add(
        all,
        (
            "no-loss",
            "no more flits are inside than the router has room for",
        ),
        false,
        Traffic::Legal,
        "flits_inside != 16'd0",
        &format!(
            "flits_inside > 16'd{} && !flits_inside[{last}]",
            subject.capacity.min(1 << 14)
        ),
    );
}

/// The conditions of directions in one word, and the number of its bits.
fn word(conditions: &[String]) -> String {
    let highest_first: Vec<&str> = conditions.iter().rev().map(String::as_str).collect();
    format!("{{{}}}", highest_first.join(", "))
}

/// True when several bits of a word of so many bits are 1.
fn several(name: &str, width: usize) -> String {
    format!("|({name} & ({name} - {width}'d1))")
}

/// A flit is followed by a bit of its payload, which is 1 in this flit only.
fn marks(all: &mut Properties, subject: &Subject<'_>, directions: &[Direction<'_>]) {
    let message = &subject.packet.message;
    let (into, out) = (of(directions, false), of(directions, true));
    if into.is_empty() || out.is_empty() {
        return;
    }
    let marked = |found: &[&Direction<'_>], bit: usize, moves: bool| -> Vec<String> {
        let with = |direction: &&Direction<'_>| {
            let there = match moves {
                true => direction.moves(),
                false => format!("{}_valid", direction.prefix),
            };
            format!("{there} && {}", direction.flit(&(bit..bit + 1)))
        };
        found.iter().map(with).collect()
    };
    let is_circuit = subject.form.protocol == ProtocolName::Circuit;
    let (first, width_in, width_out) = (message.start, into.len(), out.len());
    let mut wires = |name: &str, conditions: &[String]| {
        all.declare(&format!(
            "wire [{}:0] {name} = {};",
            conditions.len() - 1,
            word(conditions)
        ));
    };
    wires("mark_in", &marked(&into, first, true));
    wires("mark_out", &marked(&out, first, false));
    wires("mark_leaves", &marked(&out, first, true));
    // A flit that is to be sent once more has not come.
    let mut refused = vec!["1'b0".to_owned()];
    for direction in &into {
        if subject.form.protocol == ProtocolName::ValidOnly && direction.has_back {
            let prefix = &direction.prefix;
            let name = format!("{prefix}_marked");
            let here = format!("{prefix}_valid && {}", direction.flit(&(first..first + 1)));
            all.register(1, &name, &here);
            refused.push(format!("{name} && {prefix}_resend"));
        }
    }
    let refused = refused.join(" || ");
    all.register(
        1,
        "mark_came",
        &format!("(mark_came || |mark_in) && !({refused})"),
    );
    all.register(1, "mark_left", "mark_left || |mark_leaves");
    if !is_circuit {
        add(
            all,
            ("one-mark", "one flit has the mark"),
            true,
            Traffic::Marked,
            "|mark_in",
            &format!(
                "({} || mark_came && |mark_in)",
                several("mark_in", width_in)
            ),
        );
    }
    add(
        all,
        ("flit-known", "a flit that leaves has come in"),
        false,
        Traffic::Marked,
        "|mark_out",
        "|mark_out && !mark_came && !(|mark_in)",
    );
    if is_circuit {
        return;
    }
    add(
        all,
        ("one-output", "a flit is offered at one output"),
        false,
        Traffic::Marked,
        "|mark_out",
        &several("mark_out", width_out),
    );
    add(
        all,
        ("flit-once", "a flit leaves once"),
        false,
        Traffic::Marked,
        "mark_left",
        "mark_left && |mark_out",
    );
    // A flit that deflects may take a longer path than the next one.
    if message.len() > 1 && subject.form.protocol != ProtocolName::ValidOnly {
        let second = first + 1;
        let mut wires = |name: &str, conditions: &[String]| {
            all.declare(&format!(
                "wire [{}:0] {name} = {};",
                conditions.len() - 1,
                word(conditions)
            ));
        };
        wires("second_in", &marked(&into, second, true));
        wires("second_out", &marked(&out, second, false));
        order(all, subject, &into);
    }
}

/// The flit of the second mark follows that of the first in its flow.
fn order(all: &mut Properties, subject: &Subject<'_>, into: &[&Direction<'_>]) {
    let packet = subject.packet;
    let count = into.len();
    // Bits of the flit that moves, as those of the link with a mark.
    let chosen = |mark: &str, range: &Range<usize>| {
        let of_link = |(number, direction): (usize, &&Direction<'_>)| {
            let bits = direction.flit(range);
            format!("{{{}{{{mark}[{number}]}}}} & {bits}", range.len())
        };
        let terms: Vec<String> = into.iter().enumerate().map(of_link).collect();
        terms.join(" | ")
    };
    all.register(count, "mark_from", "mark_in != 0 ? mark_in : mark_from");
    let mut same = vec!["mark_came".to_owned(), "second_in == mark_from".to_owned()];
    let mut flow: Vec<Range<usize>> = packet.vc.iter().cloned().collect();
    match packet.form {
        FlitForm::Single => flow.extend(packet.destination.iter().map(|(_, range)| range.clone())),
        FlitForm::HeadTail | FlitForm::Last => {
            let tails = into.iter().enumerate().map(|(number, direction)| {
                let tail = direction.tail().unwrap_or_default();
                format!(
                    "mark_from[{number}] && {} && ({tail}){}",
                    direction.moves(),
                    same_channel(direction)
                )
            });
            let ends = tails.collect::<Vec<_>>().join(" || ");
            let begins = into.iter().enumerate().map(|(number, direction)| {
                format!(
                    "mark_in[{number}] && !({})",
                    direction.tail().unwrap_or_default()
                )
            });
            let begins = begins.collect::<Vec<_>>().join(" || ");
            all.register(
                1,
                "packet_open",
                &format!("|mark_in ? ({begins}) : packet_open && !({ends})"),
            );
            same.push("packet_open".to_owned());
        }
        // The end of a packet that is counted is not in its flits.
        FlitForm::Counted => return,
    }
    for (number, range) in flow.iter().enumerate() {
        let kept = format!("mark_flow_{number}");
        let next = format!("|mark_in ? ({}) : {kept}", chosen("mark_in", range));
        all.register(range.len(), &kept, &next);
        same.push(format!("({}) == {kept}", chosen("second_in", range)));
    }
    add(
        all,
        (
            "second-mark",
            "the second mark is that of a later flit of the same flow",
        ),
        true,
        Traffic::Ordered,
        "|second_in",
        &format!("|second_in && !({} && mark_in == 0)", same.join(" && ")),
    );
    add(
        all,
        (
            "flit-order",
            "flits of a flow leave in the order in which they came",
        ),
        false,
        Traffic::Ordered,
        "|second_out",
        "|second_out && !mark_left",
    );
}

/// A further condition: the flit that moves is in the channel of the mark.
fn same_channel(direction: &Direction<'_>) -> String {
    match &direction.subject.packet.vc {
        Some(vc) => format!(" && {} == mark_flow_0", direction.flit(vc)),
        None => String::new(),
    }
}
