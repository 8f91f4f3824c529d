//! Fields of packets, as far as names and widths say them.

use super::bundles::LinkShape;
use super::constants::NamedCodes;
use super::names::SidePart;
use super::pins::PlaceWidths;
use crate::packet::MESSAGE_BITS_MAX;

/// The proposed packets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProposedPackets {
    pub flits: &'static str,
    /// The codes of kinds of flits as TOML, and the text on what they rest on.
    pub kinds: Option<(String, String)>,
    /// Fields, their bits and what they rest on.
    pub fields: Vec<(&'static str, String, String)>,
    /// The reason for the form.
    pub reason: String,
}

/// Bits of an axis, or of a number, where no input tells.
const AXIS_BITS: usize = 4;
const ID_BITS: usize = 8;

/// The bits of a field.
fn bits(low: usize, width: usize) -> String {
    match width {
        0 | 1 => format!("[{low}]"),
        width => format!("[{}:{low}]", low + width - 1),
    }
}

/// The codes of kinds of flits in bits of a field, as TOML: `None` where they do not fit it.
fn kinds(codes: &NamedCodes, low: usize, width: usize) -> Option<(String, &'static str)> {
    let NamedCodes {
        head,
        body,
        tail,
        single,
        ..
    } = *codes;
    let said = match single {
        Some(_) => "the codes by the names of constants in the sources",
        None => "single is a code that no constant has: look it up, or keep traffic.words above 1",
    };
    let is_free = |code: &u64| ![head, body, tail].contains(code);
    let single = single.or_else(|| (0..=3).find(is_free))?;
    let most = [head, body, tail, single].into_iter().max()?;
    let fits = width >= 64 || most >> width == 0;
    let text = format!(
        "{{ bits = \"{}\", head = {head}, body = {body}, tail = {tail}, single = {single} }}",
        bits(low, width)
    );
    fits.then_some((text, said))
}

/// The packets of links of a shape, `links` of them; `codes` are those of kinds of flits in the sources.
pub(super) fn packets(
    shape: &LinkShape,
    places: PlaceWidths,
    links: usize,
    codes: Option<&NamedCodes>,
) -> ProposedPackets {
    let mut fields = Vec::new();
    let channel_bits = match shape.vcs {
        1 => 0,
        vcs => (usize::BITS - (vcs - 1).leading_zeros()) as usize,
    };
    let mut top = shape.data_bits;
    let mut part = |wanted: SidePart| {
        let mut at = shape.data_bits;
        for (kind, width) in &shape.parts {
            at -= width;
            if *kind == wanted {
                top = top.min(at);
                return Some((at, *width));
            }
        }
        None
    };
    let by_port = || "a port of its own".to_owned();
    let kind = part(SidePart::Kind);
    let (head, tail) = (part(SidePart::Head), part(SidePart::Tail));
    let channel = part(SidePart::Channel);
    let destination = part(SidePart::Destination);
    let _ = part(SidePart::Other);
    let payload: usize =
        shape.data_bits - shape.parts.iter().map(|(_, width)| width).sum::<usize>();
    let mut payload_top = payload;
    let mut reason = String::from("by the ports");
    let has_flags = head.is_some() || tail.is_some();
    let of_port = kind.zip(codes).and_then(|((low, width), codes)| {
        let (text, said) = kinds(codes, low, width)?;
        Some((text, format!("a port of its own, {said}")))
    });
    let of_data = codes
        .filter(|codes| !has_flags && kind.is_none() && codes.are_of_flits && codes.width < payload)
        .and_then(|codes| {
            let (text, said) = kinds(codes, payload - codes.width, codes.width)?;
            payload_top -= codes.width;
            Some((text, format!("a guess: the highest bits, {said}")))
        });
    let of_kinds = of_port.or(of_data).filter(|_| !has_flags);
    let flits = match (head, tail) {
        _ if of_kinds.is_some() => {
            reason = "by constants of the sources that name kinds of flits".to_owned();
            "head-tail"
        }
        (Some(head), Some(tail)) => {
            fields.push(("head", bits(head.0, 1), by_port()));
            fields.push(("tail", bits(tail.0, 1), by_port()));
            "head-tail"
        }
        (None, Some(tail)) => {
            fields.push(("tail", bits(tail.0, 1), by_port()));
            "last"
        }
        _ => {
            // Bits above a number of bytes are flags.
            let mut flags = payload % 8;
            if channel.is_none() && flags >= channel_bits {
                flags -= channel_bits;
            }
            let above = format!(
                "as {payload} bits are {} and some flags",
                payload - payload % 8
            );
            reason = format!("a guess, {above}");
            match flags {
                2 => {
                    fields.push(("head", bits(payload - 1, 1), above.clone()));
                    fields.push(("tail", bits(payload - 2, 1), above));
                    payload_top -= 2;
                    "head-tail"
                }
                1 => {
                    fields.push(("tail", bits(payload - 1, 1), above));
                    payload_top -= 1;
                    "last"
                }
                _ if kind.is_some() => {
                    reason = "a guess: a port has the kind of a flit, and no constants name the codes for packet.type"
                        .to_owned();
                    "single"
                }
                _ => {
                    reason = "a guess: no port and no width tells the end of a packet".to_owned();
                    "single"
                }
            }
        }
    };
    if channel_bits > 0 {
        let found = channel.filter(|(_, width)| *width == channel_bits);
        match found {
            Some((low, width)) => fields.push(("vc", bits(low, width), by_port())),
            None => {
                payload_top = payload_top.saturating_sub(channel_bits);
                let said = "a guess: below the flags".to_owned();
                fields.push(("vc", bits(payload_top, channel_bits), said));
            }
        }
    }
    let low = destination_fields(places, links, destination, payload_top, &mut fields);
    let width = payload_top.saturating_sub(low).clamp(1, MESSAGE_BITS_MAX);
    let said = "a guess: bits of the payload of the head that the router carries as they are";
    fields.push(("message", bits(low, width), said.to_owned()));
    ProposedPackets {
        flits,
        kinds: of_kinds,
        fields,
        reason,
    }
}

/// Adds the fields of the destination. Returns the first bit above those that are in the payload.
fn destination_fields(
    places: PlaceWidths,
    links: usize,
    port: Option<(usize, usize)>,
    payload_top: usize,
    fields: &mut Vec<(&'static str, String, String)>,
) -> usize {
    const NAMES: [&str; 3] = ["dest_x", "dest_y", "dest_z"];
    let axes: Vec<(&'static str, usize)> = (NAMES.iter().zip(places.axes))
        .filter_map(|(name, width)| Some((*name, width?)))
        .collect();
    let is_known = !axes.is_empty() || places.id.is_some();
    let mut wanted = match (axes.is_empty(), places.id) {
        (false, _) => axes,
        (true, Some(width)) => vec![("dest_id", width)],
        (true, None) if links >= 5 => vec![("dest_x", AXIS_BITS), ("dest_y", AXIS_BITS)],
        (true, None) => vec![("dest_id", ID_BITS)],
    };
    let total: usize = wanted.iter().map(|(_, width)| width).sum();
    if let Some((low, width)) = port {
        if total != width {
            fields.push(("dest_id", bits(low, width), "a port of its own".to_owned()));
            return 0;
        }
        let mut at = low;
        for (name, width) in wanted {
            let said = "in a port of its own, x lowest: look it up";
            fields.push((name, bits(at, width), said.to_owned()));
            at += width;
        }
        return 0;
    }
    // A narrow flit keeps a bit for the message.
    let room = payload_top.saturating_sub(1).max(1);
    if total > room {
        let each = (room / wanted.len()).max(1);
        for (_, width) in &mut wanted {
            *width = (*width).min(each);
        }
    }
    let mut low = 0;
    for (name, width) in wanted {
        let said = match is_known {
            true => "a guess: from bit 0 on, as wide as the pin",
            false => "a guess: nothing tells its place and width",
        };
        fields.push((name, bits(low, width), said.to_owned()));
        low += width;
    }
    low
}
