//! Fields of flits.

mod kinds;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::expression::ends;
use super::file::{FlitForm, PacketTable, RouteOrder, RouteTable};
use super::links::LinkForm;
use super::mistakes::{Mistakes, meant_or};
pub use kinds::FlitCodes;

/// Bits of the number of a message at most.
pub const MESSAGE_BITS_MAX: usize = 24;
/// Bits of all fields of a destination together.
pub const DESTINATION_BITS_MAX: usize = 64;

/// A part of a destination that a head holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DestinationPart {
    /// The coordinate along an axis: 0 is x, 1 is y, 2 is z.
    Coordinate(usize),
    /// The number of the node.
    Id,
    /// The output links of the routers on the way.
    Route,
}

impl DestinationPart {
    /// The parts by the names of their fields.
    const NAMES: [(&'static str, DestinationPart); 4] = [
        ("dest_x", DestinationPart::Coordinate(0)),
        ("dest_y", DestinationPart::Coordinate(1)),
        ("dest_z", DestinationPart::Coordinate(2)),
        ("dest_id", DestinationPart::Id),
    ];

    /// The name of its field.
    pub fn field(self) -> &'static str {
        let mut names = DestinationPart::NAMES.iter();
        names
            .find(|(_, part)| *part == self)
            .map_or(ROUTE, |(name, _)| name)
    }
}

/// The name of a way in a head.
const ROUTE: &str = "route";

/// A way in a head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteForm {
    /// Bits for each router.
    pub per_hop: usize,
    /// The end at which the first router reads.
    pub order: RouteOrder,
    /// The numbers of the links of a router.
    pub numbers: Vec<u64>,
    /// Bits of all.
    pub bits: usize,
}

impl RouteForm {
    /// The most routers on a way.
    pub fn hops_max(&self) -> usize {
        self.bits / self.per_hop
    }

    /// The bits by which the router at a place of the way, from 0 on, sends over an output link; none
    /// from [`hops_max`](Self::hops_max) on.
    pub fn value(&self, hop: usize, link: usize) -> u64 {
        if hop >= self.hops_max() {
            return 0;
        }
        let low = match self.order {
            RouteOrder::Lsb => hop * self.per_hop,
            RouteOrder::Msb => self.bits - (hop + 1) * self.per_hop,
        };
        self.numbers[link] << low
    }
}

/// The places of the fields of flits in the data of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketLayout {
    /// The form of packets.
    pub form: FlitForm,
    /// Bits of a flit.
    pub data_bits: usize,
    /// The destination, in the order in which the parts lie in the header of an endpoint, the lowest
    /// bits first.
    pub destination: Vec<(DestinationPart, Range<usize>)>,
    /// The form of the way, where heads have one.
    pub route: Option<RouteForm>,
    /// The number of the message.
    pub message: Range<usize>,
    /// The number of flits after the head, of packets that are counted.
    pub length: Option<Range<usize>>,
    /// The number of the virtual channel, in all flits.
    pub vc: Option<Range<usize>>,
    /// The flag of the first flit.
    pub head: Option<usize>,
    /// The flag of the final flit.
    pub tail: Option<usize>,
    /// The codes of the kinds of flits, in place of both flags.
    pub codes: Option<FlitCodes>,
    /// Bits of heads that are not looked at where they arrive.
    pub ignored: Vec<Range<usize>>,
}

/// Names of fields other than those of a destination.
const OTHERS: [&str; 5] = ["message", "length", "head", "tail", "vc"];

impl PacketLayout {
    /// Reads the fields of flits of so many bits, for a router with some links.
    pub fn read(
        table: &PacketTable,
        form: LinkForm,
        links: &[&str],
        mistakes: &mut Mistakes<'_>,
    ) -> PacketLayout {
        let data_bits = form.data_bits;
        let mut taken: Vec<(&str, Range<usize>)> = Vec::new();
        let mut found: BTreeMap<&str, Range<usize>> = BTreeMap::new();
        for (name, text) in &table.fields {
            let place = || format!("packet.fields.{name}");
            let known = DestinationPart::NAMES.iter().map(|(name, _)| *name);
            let known: Vec<&str> = known.chain(OTHERS).collect();
            if !known.contains(&&**name) {
                let help = "fields are dest_x, dest_y, dest_z, dest_id, message, length, head, tail and vc; a way \
                            is packet.route; name other bits in packet.ignored";
                let message = "there is no field of this name";
                let help = meant_or(name, &known, help);
                mistakes.add(place(), Some(text.span()), message, help);
                continue;
            }
            match range(text.get_ref(), data_bits) {
                Ok(bits) => {
                    let meets = taken.iter().find(|(_, other)| overlap(other, &bits));
                    if let Some((other, _)) = meets {
                        let message = format!("it shares bits with the field {other}");
                        let help = "give each field bits of its own";
                        mistakes.add(place(), Some(text.span()), message, help);
                    }
                    taken.push((name, bits.clone()));
                    found.insert(name, bits);
                }
                Err(message) => {
                    let help = "such as \"[7:4]\", of the data of a flit";
                    mistakes.add(place(), Some(text.span()), message, help);
                }
            }
        }
        let route = table.route.as_ref().and_then(|found| {
            let bits = match range(found.get_ref().bits.get_ref(), data_bits) {
                Ok(bits) => bits,
                Err(message) => {
                    let help = "such as route = { bits = \"[15:0]\", per_hop = 3 }";
                    mistakes.add("packet.route.bits", Some(found.span()), message, help);
                    return None;
                }
            };
            if let Some((other, _)) = taken.iter().find(|(_, other)| overlap(other, &bits)) {
                let message = format!("it shares bits with the field {other}");
                let help = "give each field bits of its own";
                mistakes.add("packet.route.bits", Some(found.span()), message, help);
            }
            Some((bits.clone(), route(found, bits.len(), links, mistakes)?))
        });
        taken.extend(route.iter().map(|(bits, _)| ("route", bits.clone())));
        let codes = kinds::read(table, data_bits, &taken, mistakes);
        let mut ignored = Vec::new();
        for (at, text) in table.ignored.iter().enumerate() {
            match range(text.get_ref(), data_bits) {
                Ok(bits) => ignored.push(bits),
                Err(message) => {
                    let help = "such as ignored = [\"[31:28]\"]";
                    mistakes.add(
                        format!("packet.ignored[{at}]"),
                        Some(text.span()),
                        message,
                        help,
                    );
                }
            }
        }
        let destination: Vec<(DestinationPart, Range<usize>)> = DestinationPart::NAMES
            .iter()
            .filter_map(|(name, part)| Some((*part, found.get(name)?.clone())))
            .chain(
                route
                    .iter()
                    .map(|(bits, _)| (DestinationPart::Route, bits.clone())),
            )
            .collect();
        // A field that is missing has no line: that of the form of packets is shown.
        let mut need = |is_wrong: bool, name: &str, message: &str, help: &str| {
            if is_wrong {
                let field = table.fields.get(name).map(Spanned::span);
                let span = field.unwrap_or(table.flits.span());
                let place = format!("packet.fields.{name}");
                mistakes.add(place, Some(span), message, help);
            }
        };
        let has = |name: &str| found.contains_key(name);
        need(
            destination.is_empty(),
            "dest_id",
            "the head has no destination",
            "add dest_x and dest_y, or dest_id, or packet.route",
        );
        need(
            destination
                .iter()
                .map(|(_, bits)| bits.len())
                .sum::<usize>()
                > DESTINATION_BITS_MAX,
            "dest_id",
            "the fields of the destination have more than 64 bits together",
            "make them as wide as coordinates need",
        );
        need(
            !table.fields.contains_key("message"),
            "message",
            "the head has no bits for the number of the message, by which receivers tell messages apart",
            "add message = \"[LEFT:RIGHT]\": bits of the payload of the first flit, up to 24",
        );
        let message = found.get("message").cloned().unwrap_or(0..1);
        need(
            message.len() > MESSAGE_BITS_MAX,
            "message",
            "the number of a message has up to 24 bits",
            "make it narrower",
        );
        let flits = *table.flits.get_ref();
        let wanted: &[&str] = match flits {
            FlitForm::Single => &[],
            FlitForm::Counted => &["length"],
            FlitForm::Last => &["tail"],
            FlitForm::HeadTail => &["head", "tail"],
        };
        for name in ["length", "head", "tail"] {
            let is_wanted = wanted.contains(&name);
            let form = form_name(flits);
            if is_wanted && table.kinds.is_some() {
                // The codes take the place of the flags.
            } else if is_wanted && !has(name) {
                let message = format!("flits = \"{form}\" needs this field");
                let help = match flits {
                    FlitForm::HeadTail => "add it, or packet.type where kinds of flits have codes",
                    _ => "add it",
                };
                need(true, name, &message, help);
            } else if !is_wanted && has(name) {
                let message = format!("flits = \"{form}\" has no such field");
                need(true, name, &message, "remove it, or change packet.flits");
            }
        }
        let channel = found.get("vc").map_or(0, Range::len);
        need(
            form.vcs > 1 && channel != form.channel_bits(),
            "vc",
            "heads and other flits need the number of their virtual channel",
            "add vc = \"[LEFT:RIGHT]\", as wide as the number of virtual channels needs",
        );
        need(
            form.vcs == 1 && channel > 0,
            "vc",
            "links have one virtual channel",
            "remove it, or set vcs in [[link]]",
        );
        for name in ["head", "tail"] {
            let wide = found.get(name).is_some_and(|bits| bits.len() != 1);
            need(
                wide,
                name,
                "found several bits, expected one",
                "such as \"[31]\"",
            );
        }
        let flag = |name: &str| found.get(name).map(|bits| bits.start);
        PacketLayout {
            form: flits,
            data_bits,
            destination,
            route: route.map(|(_, form)| form),
            message,
            length: found.get("length").cloned(),
            vc: found.get("vc").cloned(),
            head: flag("head"),
            tail: flag("tail"),
            codes,
            ignored,
        }
    }

    /// The header of a message to a node at some coordinates: the fields of the destination one above
    /// the other, in the order of [`destination`](Self::destination), with a way to it.
    pub fn header(&self, coordinates: &[u32], id: u32, route: u64) -> u64 {
        let mut low = 0;
        let mut header = 0;
        for (part, bits) in &self.destination {
            let value = match part {
                DestinationPart::Coordinate(axis) => {
                    coordinates.get(*axis).copied().unwrap_or(0).into()
                }
                DestinationPart::Id => id.into(),
                DestinationPart::Route => route,
            };
            header |= value << low;
            low += bits.len();
        }
        header
    }

    /// The most flits of a packet whose head has their number.
    pub fn flits_max(&self) -> u64 {
        let bits = self.length.as_ref().map(|length| length.len() as u32);
        bits.and_then(|bits| 1u64.checked_shl(bits))
            .unwrap_or(u64::MAX)
    }

    /// The messages that a head can tell apart.
    pub fn messages_max(&self) -> u64 {
        1 << self.message.len()
    }
}

/// The form of a way of so many bits.
fn route(
    table: &Spanned<RouteTable>,
    bits: usize,
    links: &[&str],
    mistakes: &mut Mistakes<'_>,
) -> Option<RouteForm> {
    let (span, table) = (table.span(), table.get_ref());
    let mut wrong = |key: &str, message: String, help: &str| {
        mistakes.add(
            format!("packet.route.{key}"),
            Some(span.clone()),
            message,
            help,
        );
    };
    if !(1..=bits as u64).contains(&table.per_hop) {
        let message = format!("found {}; expected 1 to {bits}", table.per_hop);
        wrong("per_hop", message, "give the bits that each router reads");
        return None;
    }
    for name in table.links.keys().filter(|name| !links.contains(&&***name)) {
        let help = format!("the links are {}", links.join(", "));
        let help = meant_or(name, links, help);
        wrong("links", format!("there is no link {name}"), &help);
    }
    let number = |(place, name): (usize, &&str)| {
        let said = table.links.get(*name).copied();
        said.unwrap_or(place as u64)
    };
    let numbers: Vec<u64> = links.iter().enumerate().map(number).collect();
    let most = numbers.iter().copied().max().unwrap_or(0);
    if table.per_hop < 64 && most >> table.per_hop != 0 {
        let message = format!(
            "the number {most} of a link does not fit {} bits",
            table.per_hop
        );
        wrong(
            "per_hop",
            message,
            "give more bits, or number links in packet.route.links",
        );
        return None;
    }
    Some(RouteForm {
        per_hop: table.per_hop as usize,
        order: table.order,
        numbers,
        bits,
    })
}

/// The name of a form in a file.
pub fn form_name(form: FlitForm) -> &'static str {
    match form {
        FlitForm::Single => "single",
        FlitForm::Counted => "counted",
        FlitForm::Last => "last",
        FlitForm::HeadTail => "head-tail",
    }
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The bits of `[LEFT:RIGHT]` in data of so many bits.
fn range(text: &str, data_bits: usize) -> Result<Range<usize>, String> {
    let inner = text
        .trim()
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.ok_or_else(|| format!("found {text:?}; expected \"[LEFT:RIGHT]\""))?;
    let (left, right) = ends(inner)?;
    let bits = usize::try_from(left).ok().zip(usize::try_from(right).ok());
    match bits {
        Some((left, right)) if right <= left && left < data_bits => Ok(right..left + 1),
        _ => Err(format!(
            "found {text:?}; expected bits from [{}:0], the leftmost first",
            data_bits.saturating_sub(1)
        )),
    }
}
