//! Ports that belong together by their names, as links.

use std::collections::BTreeMap;

use super::names::{BackProtocol, NameWord, SidePart, SignalPort, SignalWord, is_direction};
use crate::file::ProtocolName;
use crosswave_netlist::{Port, PortDirection};

/// Numbers of links that are tried where no port tells it, in the order of preference.
const LINK_COUNTS: [usize; 7] = [5, 4, 3, 2, 7, 6, 8];
/// Those of a router that has a place along one axis.
const LINK_COUNTS_OF_LINES: [usize; 3] = [3, 2, 4];
/// Bits of a link at least where the number of links is guessed.
const PACKED_BITS_MIN: usize = 8;

/// Ports with the same words for their link.
#[derive(Debug, Clone)]
pub(super) struct Bundle<'a> {
    /// The words that tell the link, joined.
    pub key: String,
    pub ports: Vec<SignalPort<'a>>,
}

/// A signal of a link, in the order in which a file has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LinkKey {
    Data,
    Valid,
    Back,
    BackChannel,
    Ack,
}

/// Bits of a port: of each link's `stride` bits in it those from `low` on.
#[derive(Debug, Clone)]
pub(super) struct PortPart<'a> {
    pub port: &'a Port,
    /// The words of its name that tell the link.
    pub key: Vec<NameWord>,
    pub stride: usize,
    pub low: usize,
    pub width: usize,
    /// True when the first link has the highest bits.
    pub counts_up: bool,
    /// True when the signal is the opposite of the bits.
    pub is_opposite: bool,
}

/// The protocol and widths that links have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LinkShape {
    pub protocol: ProtocolName,
    pub data_bits: usize,
    pub vcs: usize,
    /// Parts of a flit beside its data, the highest first, with their widths.
    pub parts: Vec<(SidePart, usize)>,
}

/// A bundle as one link, or as several in wide ports.
#[derive(Debug, Clone)]
pub(super) struct PlannedLinks<'a> {
    pub key: String,
    pub count: usize,
    pub shape: LinkShape,
    /// The bits of signals, the highest first; with true those of the direction out.
    pub signals: BTreeMap<(bool, LinkKey), Vec<PortPart<'a>>>,
    /// Sentences on what the links rest on.
    pub notes: Vec<String>,
}

/// The bundles of ports, in the order of their first ports.
pub(super) fn bundles(ports: Vec<SignalPort<'_>>) -> Vec<Bundle<'_>> {
    let mut bundles: Vec<Bundle<'_>> = Vec::new();
    for port in ports {
        let words: Vec<&str> = port.key.iter().map(|word| &*word.text).collect();
        let key = words.join("_");
        match bundles.iter_mut().find(|bundle| bundle.key == key) {
            Some(bundle) => bundle.ports.push(port),
            None => bundles.push(Bundle {
                key,
                ports: vec![port],
            }),
        }
    }
    bundles
}

impl<'a> Bundle<'a> {
    fn of(&self, is_out: bool, wanted: impl Fn(SignalWord) -> bool) -> Vec<&SignalPort<'a>> {
        let direction = match is_out {
            true => PortDirection::Output,
            false => PortDirection::Input,
        };
        let ports = self.ports.iter();
        let ports = ports.filter(|port| port.port.direction == direction && wanted(port.signal));
        ports.collect()
    }

    fn first(&self, is_out: bool, wanted: impl Fn(SignalWord) -> bool) -> Option<&SignalPort<'a>> {
        self.of(is_out, wanted).first().copied()
    }

    /// The links of the bundle.
    ///
    /// # Errors
    /// The reason why it is none.
    pub(super) fn plan(&self, is_line: bool) -> Result<PlannedLinks<'a>, String> {
        let is_data = |signal| matches!(signal, SignalWord::Data | SignalWord::Packed);
        let is_of = |signal, wanted: BackProtocol| match signal {
            SignalWord::Back { protocol, .. } => protocol == wanted,
            _ => false,
        };
        // Beside a signal that rejects, one like `ack` acknowledges.
        let rejects = self
            .ports
            .iter()
            .any(|port| is_of(port.signal, BackProtocol::Nack));
        let is_back = |signal| match rejects {
            true => is_of(signal, BackProtocol::Nack),
            false => matches!(signal, SignalWord::Back { .. }),
        };
        let [data_in, data_out] = [false, true].map(|is_out| self.first(is_out, is_data));
        let (Some(data_in), Some(data_out)) = (data_in, data_out) else {
            return Err(match (data_in, data_out) {
                (None, None) => "no port has its data",
                (None, _) => "it only goes out, and a link goes both ways",
                _ => "it only comes in, and a link goes both ways",
            }
            .to_owned());
        };
        let valids = [false, true].map(|is_out| self.first(is_out, |s| s == SignalWord::Valid));
        // Answers run against the data.
        let backs = [true, false].map(|is_out| self.first(is_out, is_back));
        let has_valid = match valids {
            [Some(_), Some(_)] => true,
            [None, None] => false,
            _ => return Err("one direction has a valid, and the other has none".to_owned()),
        };
        let back = match (backs[0].map(|p| p.signal), backs[1].map(|p| p.signal)) {
            (Some(one), Some(other)) if one == other => Some(one),
            (None, None) => None,
            _ => return Err("its directions have different protocols".to_owned()),
        };
        let mut notes = Vec::new();
        let key = &data_in.key;
        let widths = [data_in.port.bits.len(), data_out.port.bits.len()];
        let is_ready = matches!(
            back,
            Some(SignalWord::Back {
                protocol: BackProtocol::Ready,
                ..
            })
        );
        let count = match (valids[0], backs[0]) {
            _ if is_direction(key) => 1,
            (Some(valid), _) => valid.port.bits.len(),
            (None, Some(back)) if is_ready => back.port.bits.len(),
            (None, _) => {
                let counts: &[usize] = match is_line {
                    true => &LINK_COUNTS_OF_LINES,
                    false => &LINK_COUNTS,
                };
                let fits = |count: &&usize| {
                    let wide = widths
                        .iter()
                        .all(|width| width % **count == 0 && width / **count >= PACKED_BITS_MIN);
                    let back = backs[0].map_or(0, |back| back.port.bits.len());
                    wide && back % **count == 0
                };
                let count = counts.iter().find(fits).copied().unwrap_or(1);
                notes.push(format!(
                    "No port tells the number of links: {count} is a guess that divides the bits of {}.",
                    data_in.port.name
                ));
                count
            }
        };
        let mut signals = BTreeMap::new();
        let mut parts = Vec::new();
        for is_out in [false, true] {
            let found = self.data(is_out, count, is_data)?;
            let kinds = found.iter().map(|(kind, part)| (*kind, part.width));
            let kinds: Vec<(Option<SidePart>, usize)> = kinds.collect();
            if is_out && kinds != parts {
                return Err("its two directions have data of other widths".to_owned());
            }
            parts = kinds;
            let found = found.into_iter().map(|(_, part)| part);
            signals.insert((is_out, LinkKey::Data), found.collect::<Vec<_>>());
        }
        for (is_out, valid) in [false, true].into_iter().zip(valids) {
            let Some(valid) = valid else { continue };
            let mut part = part(valid, count)?;
            if part.width > 1 {
                notes.push(format!(
                    "{} has {} bits a link, maybe one for each virtual channel: links have one valid, and the \
                     channel in the flit.",
                    valid.port.name, part.width
                ));
                part.width = 1;
            }
            signals.insert((is_out, LinkKey::Valid), vec![part]);
        }
        let mut vcs = 1;
        let mut protocol = match has_valid || back.is_some() {
            true => ProtocolName::ValidOnly,
            false => ProtocolName::ValidReady,
        };
        if let Some(SignalWord::Back {
            protocol: found,
            is_opposite,
        }) = back
        {
            protocol = found.protocol();
            for (is_out, back) in [false, true].into_iter().zip(backs) {
                let Some(back) = back else { continue };
                let mut part = part(back, count)?;
                part.is_opposite = is_opposite;
                if matches!(found, BackProtocol::Ready | BackProtocol::Nack) {
                    part.width = 1;
                }
                vcs = part.width;
                signals.insert((is_out, LinkKey::Back), vec![part]);
            }
            for (is_out, of_port) in [(false, true), (true, false)] {
                let ack = self.first(of_port, |s| is_of(s, BackProtocol::Ready));
                if let Some(ack) = ack.filter(|_| rejects) {
                    signals.insert((is_out, LinkKey::Ack), vec![part(ack, count)?]);
                }
            }
            if is_opposite {
                let said = "By its name the signal from the receiver stops the sender at 1: `on` is the opposite.";
                notes.push(said.to_owned());
            }
            for (is_out, of_port) in [(false, true), (true, false)] {
                let channel = self.first(of_port, |s| s == SignalWord::CreditChannel);
                let Some(channel) = channel.filter(|_| vcs == 1) else {
                    continue;
                };
                let part = part(channel, count)?;
                signals.insert((is_out, LinkKey::BackChannel), vec![part]);
            }
            if let Some(channel) = signals.get(&(false, LinkKey::BackChannel)) {
                vcs = 1 << channel[0].width.min(8);
            }
        }
        let packed = self.unpack(has_valid, back.is_some(), &mut signals, &mut notes)?;
        let mut sizes: Vec<(SidePart, usize)> = parts
            .iter()
            .filter_map(|(kind, width)| Some(((*kind)?, *width)))
            .collect();
        sizes.sort_by_key(|(kind, _)| *kind);
        if vcs == 1 && sizes.iter().any(|(kind, _)| *kind == SidePart::Channel) {
            let said = "The virtual channel is a part of the data here and takes any value: only credit and \
                        on-off have channels.";
            notes.push(said.to_owned());
        }
        Ok(PlannedLinks {
            key: self.key.clone(),
            count,
            shape: LinkShape {
                protocol,
                data_bits: parts.iter().map(|(_, width)| width).sum::<usize>() - packed,
                vcs,
                parts: sizes,
            },
            signals,
            notes,
        })
    }

    /// The parts of flits in a direction, the highest first; data have no kind.
    fn data(
        &self,
        is_out: bool,
        count: usize,
        is_data: impl Fn(SignalWord) -> bool,
    ) -> Result<Vec<(Option<SidePart>, PortPart<'a>)>, String> {
        let mut found = Vec::new();
        for port in self.of(is_out, |signal| matches!(signal, SignalWord::Part(_))) {
            let SignalWord::Part(kind) = port.signal else {
                continue;
            };
            found.push((kind, part(port, count)?));
        }
        let mut data = self.of(is_out, is_data).into_iter();
        let main = data.next().map(|port| part(port, count)).transpose()?;
        for port in data {
            found.push((SidePart::Other, part(port, count)?));
        }
        found.sort_by_key(|(kind, _)| *kind);
        let mut found: Vec<_> = found
            .into_iter()
            .map(|(kind, part)| (Some(kind), part))
            .collect();
        found.extend(main.map(|main| (None, main)));
        Ok(found)
    }

    /// Takes valid and ready out of the data where no port has them. Returns how many bits were taken.
    fn unpack(
        &self,
        has_valid: bool,
        has_back: bool,
        signals: &mut BTreeMap<(bool, LinkKey), Vec<PortPart<'a>>>,
        notes: &mut Vec<String>,
    ) -> Result<usize, String> {
        let taken = match (has_valid, has_back) {
            (true, _) => return Ok(0),
            (false, true) => 1,
            (false, false) => 2,
        };
        for is_out in [false, true] {
            let data = signals.get_mut(&(is_out, LinkKey::Data));
            let Some(whole) = data.and_then(|parts| parts.last_mut()) else {
                continue;
            };
            if whole.width <= taken {
                return Err("its data are too narrow for a valid in them".to_owned());
            }
            let top = whole.width - 1;
            let bit = |low: usize| PortPart {
                low,
                width: 1,
                ..whole.clone()
            };
            let (valid, ready) = (bit(top), bit(top - 1));
            whole.width -= taken;
            signals.insert((is_out, LinkKey::Valid), vec![valid]);
            if !has_back {
                signals.insert((!is_out, LinkKey::Back), vec![ready]);
            }
        }
        let said = match has_back {
            true => "No port has the valid: the highest bit of a link is taken for it.",
            false => {
                "No port has valid and ready: the two highest bits of a link are taken for them, as in \
                 {valid, ready, data}."
            }
        };
        notes.push(said.to_owned());
        Ok(taken)
    }
}

/// A port as so many links.
fn part<'a>(port: &SignalPort<'a>, count: usize) -> Result<PortPart<'a>, String> {
    let width = port.port.bits.len();
    if width == 0 || !width.is_multiple_of(count) {
        return Err(format!(
            "the {width} bits of {} are not those of {count} links",
            port.port.name
        ));
    }
    let stride = width / count;
    Ok(PortPart {
        port: port.port,
        key: port.key.clone(),
        stride,
        low: 0,
        width: stride,
        counts_up: false,
        is_opposite: false,
    })
}

impl PortPart<'_> {
    /// The expression of the signal, with a name in the place of that of the port.
    pub(super) fn expression(&self, name: &str, count: usize) -> String {
        let sign = if self.is_opposite { "~" } else { "" };
        format!("{sign}{}", self.bits(name, count))
    }

    /// The expression of the bits.
    fn bits(&self, name: &str, count: usize) -> String {
        let width = self.port.bits.len();
        if count == 1 && self.width == width {
            return name.to_owned();
        }
        let lowest = i64::from(self.port.range.lowest);
        let at = |position: usize| {
            let position = position as i64;
            lowest
                + match self.port.range.ascending {
                    true => self.stride as i64 - 1 - position,
                    false => position,
                }
        };
        let index = |constant: i64| {
            let each = match (count, self.stride) {
                (1, _) => return constant.to_string(),
                (_, 1) => "{i}".to_owned(),
                (_, stride) => format!("{stride}*{{i}}"),
            };
            if self.counts_up {
                let of_first = constant + (self.stride * (count - 1)) as i64;
                return format!("{of_first}-{each}");
            }
            match constant {
                0 => each,
                constant => format!("{each}{constant:+}"),
            }
        };
        let (left, right) = (at(self.low + self.width - 1), at(self.low));
        match self.width {
            1 => format!("{name}[{}]", index(left)),
            _ => format!("{name}[{}:{}]", index(left), index(right)),
        }
    }
}
