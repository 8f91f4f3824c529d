//! The form of the links of a module, and their credits.

use std::collections::BTreeMap;

use toml::Spanned;

use super::{ANSWER_CYCLES_MAX, CREDIT_CHANNEL, CREDITS_MAX, DATA_BITS_MAX, VCS_MAX};
use crate::expression::PortSlice;
use crate::file::{ComponentFile, CreditCount, Expressions, LinkTable, ProtocolName, ReleaseName};
use crate::links::{ACK, CircuitAnswers, LinkForm};
use crate::mistakes::{Mistakes, meant_or};
use crosswave_netlist::Module;

/// The form of all links, from the first of each table.
pub(super) fn form(
    file: &ComponentFile,
    module: &Module,
    mistakes: &mut Mistakes<'_>,
) -> Option<LinkForm> {
    let mut form: Option<LinkForm> = None;
    for (at, table) in file.links.iter().enumerate() {
        let place = |key: &str| format!("link[{at}].{key}");
        let (protocol, span) = (*table.protocol.get_ref(), table.protocol.span());
        let Some(name) = table.names.first() else {
            let help = "such as names = [\"W\", \"E\"]";
            mistakes.add(place("names"), Some(span), "found no name of a link", help);
            continue;
        };
        let width = |signals: &BTreeMap<String, Spanned<Expressions>>| -> Option<usize> {
            let data = signals.get("data")?.get_ref();
            let widths = data.list().iter().map(|text| {
                let slice = PortSlice::parse(text, 0, name.get_ref()).ok()?;
                match slice.ends {
                    Some((left, right)) => {
                        usize::try_from(left.abs_diff(right)).ok()?.checked_add(1)
                    }
                    None => module.port(&slice.port).map(|port| port.bits.len()),
                }
            });
            widths.sum()
        };
        let data_bits = width(&table.out)
            .or_else(|| width(&table.into))
            .unwrap_or(1);
        let vcs = table.vcs.as_ref().map_or(1, |vcs| *vcs.get_ref());
        let has_vcs = matches!(protocol, ProtocolName::Credit | ProtocolName::OnOff);
        if let Some(found) = table.vcs.as_ref()
            && (!(1..=VCS_MAX).contains(&vcs) || vcs > 1 && !has_vcs)
        {
            let message = format!(
                "found {vcs} virtual channels; expected 1 to {VCS_MAX} with credit and on-off, else 1"
            );
            mistakes.add(place("vcs"), Some(found.span()), message, "such as vcs = 2");
        }
        let vcs = vcs.clamp(1, VCS_MAX) as usize;
        let found = LinkForm {
            protocol,
            data_bits,
            vcs,
            numbers_credits: vcs > 1
                && (table.out.contains_key(CREDIT_CHANNEL)
                    || table.into.contains_key(CREDIT_CHANNEL)),
            answers: answers(table, &place, mistakes),
        };
        match form {
            None => form = Some(found),
            Some(first) if first != found => {
                let message = format!(
                    "found links of {} with {} bits, after links of {} with {} bits",
                    found.protocol.name(),
                    found.data_bits,
                    first.protocol.name(),
                    first.data_bits
                );
                let help = "all links of a component have one protocol and one width, and circuits the same \
                            answers";
                mistakes.add(place("protocol"), Some(span), message, help);
            }
            Some(_) => {}
        }
    }
    if form.is_none() {
        let (span, message) = (file.component.top.span(), "the component has no links");
        mistakes.add("link", Some(span), message, "add [[link]]");
    }
    let form = form?;
    if !(1..=DATA_BITS_MAX).contains(&form.data_bits) {
        let message = format!(
            "found {} bits; expected 1 to {DATA_BITS_MAX}",
            form.data_bits
        );
        let first = file.links.first();
        let data = first.and_then(|table| table.out.get("data").or(table.into.get("data")));
        let span = data.map(Spanned::span);
        let (place, help) = ("link[0].out.data", "give the bits of one flit");
        mistakes.add(place, span, message, help);
        return None;
    }
    Some(form)
}

/// Cycles in which a rejection of a circuit may come, unless said otherwise.
const ANSWER_CYCLES: u64 = 64;

/// The answers to circuits over the links of a table.
fn answers(
    table: &LinkTable,
    place: &dyn Fn(&str) -> String,
    mistakes: &mut Mistakes<'_>,
) -> CircuitAnswers {
    let protocol = *table.protocol.get_ref();
    let is_circuit = protocol == ProtocolName::Circuit;
    let keys = [
        ("release", table.release.as_ref().map(Spanned::span)),
        (
            "answer_cycles",
            table.answer_cycles.as_ref().map(Spanned::span),
        ),
    ];
    if !is_circuit {
        for (key, span) in keys.into_iter().filter(|(_, span)| span.is_some()) {
            let message = format!("the protocol {} has no circuits", protocol.name());
            mistakes.add(place(key), span, message, "remove it");
        }
        return CircuitAnswers::default();
    }
    let at_end = table
        .release
        .as_ref()
        .is_some_and(|release| *release.get_ref() == ReleaseName::Acknowledge);
    let has_ack = at_end || table.out.contains_key(ACK) || table.into.contains_key(ACK);
    let mut cycles = if has_ack { 0 } else { ANSWER_CYCLES };
    if let Some(found) = &table.answer_cycles {
        cycles = *found.get_ref();
        let such =
            "such as answer_cycles = 64: the cycles in which a nack can come back to a source";
        if has_ack {
            let message = "ack tells when a circuit has come";
            let help = "remove it: it is for links without ack";
            mistakes.add(place("answer_cycles"), Some(found.span()), message, help);
        } else if !(1..=ANSWER_CYCLES_MAX).contains(&cycles) {
            let message = format!("found {cycles}; expected 1 to {ANSWER_CYCLES_MAX}");
            mistakes.add(place("answer_cycles"), Some(found.span()), message, such);
        }
    }
    CircuitAnswers {
        has_ack,
        at_end,
        cycles: cycles.min(ANSWER_CYCLES_MAX),
    }
}

/// The credits of the links of a table.
pub(super) fn credits<'t>(
    table: &'t LinkTable,
    form: LinkForm,
    mistakes: &mut Mistakes<'_>,
) -> impl Fn(&str) -> u32 + use<'t> {
    let is_credit = form.protocol == ProtocolName::Credit;
    let mut wrong = |span: Option<std::ops::Range<usize>>, message: String, help: &str| {
        mistakes.add("link.credits", span, message, help);
    };
    let such = "such as credits = 4, the depth of a buffer, or credits = { W = 4, E = 8 }";
    let names: Vec<&str> = table.names.iter().map(|name| &**name.get_ref()).collect();
    match (&table.credits, is_credit) {
        (None, false) => {}
        (None, true) => {
            let message = "missing: flits that may go out before a credit comes back";
            wrong(Some(table.protocol.span()), message.to_owned(), such);
        }
        (Some(found), false) => {
            let message = format!("the protocol {} has no credits", form.protocol.name());
            wrong(Some(found.span()), message, "remove it");
        }
        (Some(found), true) => {
            let counts = match found.get_ref() {
                CreditCount::Same(count) => vec![*count],
                CreditCount::Each(counts) => {
                    for name in counts.keys().filter(|name| !names.contains(&&***name)) {
                        let message = format!("there is no link {name} in this table");
                        wrong(Some(found.span()), message, &meant_or(name, &names, such));
                    }
                    for name in names.iter().filter(|name| !counts.contains_key(**name)) {
                        let message = format!("the link {name} has none");
                        wrong(Some(found.span()), message, such);
                    }
                    counts.values().copied().collect()
                }
            };
            for count in counts {
                if !(1..=CREDITS_MAX).contains(&count) {
                    let message = format!("found {count}; expected 1 to {CREDITS_MAX}");
                    wrong(Some(found.span()), message, such);
                }
            }
        }
    }
    move |name: &str| {
        let credits = table.credits.as_ref().map(Spanned::get_ref);
        let count = credits.map_or(0, |credits| match credits {
            CreditCount::Same(count) => *count,
            CreditCount::Each(counts) => counts.get(name).copied().unwrap_or(0),
        });
        count.min(CREDITS_MAX) as u32
    }
}
