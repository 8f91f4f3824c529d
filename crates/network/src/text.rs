//! A readable text form of networks. What a [`Structure`] prints, [`Structure::parse`] reads
//! back as an equal one; structures are equal when chips of the same names are joined in the
//! same way, in whatever order and however they are numbered.
//!
//! One statement to a line; words are separated by white space; `#` begins a comment.
//!
//! ```text
//! network = "network" NAME "nodes" COUNT { line } "end"
//! line    = "chip" INSTANCE CHIP { PIN "=" VALUE }     configuration pins; others are 0
//!         | "all" CHIP { PIN "=" VALUE }               pins of all chips of a kind
//!         | "link" end end [ "clocks" COUNT ] [ "rotate" STEPS ]
//! end     = INSTANCE "." PORT
//! ```
//!
//! A link may take extra clocks, which in a fabric are delay lines, chips like others; here
//! they are a number. On the way from its first end to its second one, a byte is rotated to
//! the left by so many steps of two bits, and back to the right.
//!
//! ```
//! use crosswave_network::text::Structure;
//! let text = "network pair nodes 2\n  chip r fat_tree_router\n  \
//!             chip n0 network_interface\n  chip n1 network_interface node=1\n  \
//!             link n0.net r.a\n  link n1.net r.b clocks 2\nend\n";
//! let structure = Structure::parse(text, "example")?;
//! assert_eq!(structure.to_string(), text);
//! # Ok::<(), crosswave_base::diagnostic::Error>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{Fabric, LinkPort, OPEN};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_chips::{CHIPS, Chip, MODELS, Role};

/// A network by the names of its chips.
#[derive(Debug, Clone)]
pub struct Structure {
    name: String,
    nodes: usize,
    /// The chips, in the order in which they are printed.
    pub(crate) chips: Vec<Instance>,
    pub(crate) links: Vec<Link>,
}

/// A chip.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instance {
    pub(crate) name: String,
    pub(crate) chip: String,
    /// Its configuration pins that are not 0.
    pub(crate) pins: BTreeMap<String, u64>,
}

/// A link, with the lesser of its ends first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Link {
    pub(crate) ends: [End; 2],
    pub(crate) clocks: u64,
    /// Steps of two bits to the left, from the first end to the second.
    pub(crate) rotation: u8,
}

/// A link port: an instance and the name of its port.
pub(crate) type End = (String, String);

impl Link {
    fn new(ends: [End; 2], clocks: u64, rotation: u8) -> Link {
        let [first, second] = ends;
        match first <= second {
            true => Link {
                ends: [first, second],
                clocks,
                rotation,
            },
            false => Link {
                ends: [second, first],
                clocks,
                rotation: (4 - rotation) % 4,
            },
        }
    }
}

/// Equal when chips and links are, in any order.
impl PartialEq for Structure {
    fn eq(&self, other: &Structure) -> bool {
        let chips = |of: &Structure| of.chips.iter().cloned().collect::<BTreeSet<_>>();
        let links = |of: &Structure| of.links.iter().cloned().collect::<BTreeSet<_>>();
        (&self.name, self.nodes, self.links.len()) == (&other.name, other.nodes, other.links.len())
            && chips(self) == chips(other)
            && links(self) == links(other)
    }
}

/// True when chips of a kind only delay what passes.
pub fn is_delay(chip: &Chip) -> bool {
    chip.links == ["near", "far"]
}

impl Structure {
    /// The structure of a network.
    ///
    /// # Panics
    /// When the fabric has copies.
    pub fn of(fabric: &Fabric) -> Structure {
        assert_eq!(fabric.copies.count(), 1, "one copy");
        let mut chips = Vec::new();
        let mut links = Vec::new();
        for array in fabric.shown_arrays() {
            let chips_of = &fabric.arrays[array];
            if is_delay(chips_of.chip) {
                continue;
            }
            for instance in 0..chips_of.instances {
                let name = fabric.instance_name(array, instance);
                let pins = chips_of.pins.iter().filter_map(|pin| {
                    let value = pin.values.at(instance);
                    let port = &chips_of.chip.ports[pin.port];
                    let is_shown = value != 0 && !matches!(port.role, Role::Parameter);
                    is_shown.then(|| (port.name.to_owned(), value))
                });
                for link in 0..chips_of.chip.links.len() {
                    let from = LinkPort {
                        array,
                        instance,
                        link,
                    };
                    links.extend(joined(fabric, from));
                }
                chips.push(Instance {
                    name,
                    chip: chips_of.module(instance).to_owned(),
                    pins: pins.collect(),
                });
            }
        }
        Structure {
            name: fabric.name.to_owned(),
            nodes: fabric.nodes,
            chips,
            links,
        }
    }

    /// Reads a structure; `origin` names the text in an error.
    ///
    /// # Errors
    /// An error of [`Class::Input`] with the line of the first mistake: of syntax, a chip or
    /// port that is not known, a name or an end that is there twice.
    pub fn parse(text: &str, origin: &str) -> Result<Structure, Error> {
        Structure::parse_with(text, origin, &[])
    }

    /// Reads a structure of chips that are none of the program's, whose names are given, and of its own.
    ///
    /// # Errors
    /// As [`parse`](Structure::parse).
    pub fn parse_with(
        text: &str,
        origin: &str,
        own: &[(&str, &'static Chip)],
    ) -> Result<Structure, Error> {
        let mut reader = Reader {
            own,
            ..Reader::default()
        };
        for (at, line) in text.lines().enumerate() {
            let words: Vec<&str> = line
                .split('#')
                .next()
                .unwrap_or_default()
                .split_whitespace()
                .collect();
            if let Err((message, help)) = reader.line(&words) {
                let place = format!("line {}", at + 1);
                let mistake = Diagnostic::new(place, message, help);
                return Err(Error::one(Class::Input, origin, mistake));
            }
        }
        reader.finish().map_err(|(message, help)| {
            let mistake = Diagnostic::new("end of the text", message, help);
            Error::one(Class::Input, origin, mistake)
        })
    }
}

/// The link at a port of a chip that is no delay line; `None` where there is none, and at the
/// greater of its two ends.
fn joined(fabric: &Fabric, from: LinkPort) -> Option<Link> {
    let end = |port: LinkPort| -> End {
        let chip = fabric.arrays[port.array].chip;
        let name = fabric.instance_name(port.array, port.instance);
        (name, chip.links[port.link].to_owned())
    };
    let start = fabric.number(from);
    let (mut clocks, mut rotation) = (0, 0);
    let mut number = fabric.peers[start as usize];
    loop {
        if number == OPEN {
            return None;
        }
        rotation = (rotation + fabric.rotation(number)) % 4;
        let port = fabric.link_port(number);
        if !is_delay(fabric.arrays[port.array].chip) {
            let link = Link::new([end(from), end(port)], clocks, rotation);
            return (start < number).then_some(link);
        }
        clocks += 1;
        let beyond = LinkPort {
            link: 1 - port.link,
            ..port
        };
        number = fabric.peers[fabric.number(beyond) as usize];
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "network {} nodes {}", self.name, self.nodes)?;
        // Pins that all chips of a kind have alike are said once, unless there is one chip.
        let mut common: BTreeMap<&str, (usize, BTreeMap<String, u64>)> = BTreeMap::new();
        for chip in &self.chips {
            let (count, all) = common
                .entry(&chip.chip)
                .or_insert_with(|| (0, chip.pins.clone()));
            *count += 1;
            all.retain(|pin, value| chip.pins.get(pin) == Some(value));
        }
        common.retain(|_, (count, pins)| *count > 1 && !pins.is_empty());
        for (chip, (_, all)) in &common {
            write!(f, "  all {chip}")?;
            write_pins(f, all.iter())?;
        }
        for chip in &self.chips {
            write!(f, "  chip {} {}", chip.name, chip.chip)?;
            let all = common.get(chip.chip.as_str()).map(|(_, pins)| pins);
            let said = |pin: &&String| all.is_some_and(|all| all.contains_key(*pin));
            write_pins(f, chip.pins.iter().filter(|(pin, _)| !said(pin)))?;
        }
        for link in &self.links {
            let [(first, from), (second, to)] = &link.ends;
            write!(f, "  link {first}.{from} {second}.{to}")?;
            if link.clocks > 0 {
                write!(f, " clocks {}", link.clocks)?;
            }
            if link.rotation > 0 {
                write!(f, " rotate {}", link.rotation)?;
            }
            writeln!(f)?;
        }
        writeln!(f, "end")
    }
}

/// Writes pins and the end of the line.
fn write_pins<'a>(
    f: &mut fmt::Formatter<'_>,
    pins: impl Iterator<Item = (&'a String, &'a u64)>,
) -> fmt::Result {
    for (pin, value) in pins {
        write!(f, " {pin}={value}")?;
    }
    writeln!(f)
}

/// A mistake in a line, and how to fix it.
type Mistake = (String, &'static str);

/// A text as far as it was read.
#[derive(Default)]
struct Reader<'a> {
    /// Chips that are none of the program's.
    own: &'a [(&'a str, &'static Chip)],
    head: Option<(String, usize)>,
    ended: bool,
    chips: Vec<Instance>,
    /// The kinds of chips by instance.
    kinds: BTreeMap<String, &'static Chip>,
    common: Vec<(&'static Chip, BTreeMap<String, u64>)>,
    links: Vec<Link>,
    joined: BTreeSet<End>,
}

impl Reader<'_> {
    fn line(&mut self, words: &[&str]) -> Result<(), Mistake> {
        match (words, &self.head, self.ended) {
            ([], _, _) => Ok(()),
            ([first, ..], _, true) => Err((
                format!("found {first:?} after the end"),
                "remove it, or the line `end`",
            )),
            (["network", name, "nodes", count], None, _) => {
                self.head = Some(((*name).to_owned(), number(count)?));
                Ok(())
            }
            (["end"], Some(_), _) => {
                self.ended = true;
                Ok(())
            }
            (["chip", name, kind, pins @ ..], Some(_), _) => {
                let chip = self.chip(kind)?;
                if self.kinds.insert((*name).to_owned(), chip).is_some() {
                    return Err((format!("{name} is there twice"), "give it another name"));
                }
                self.chips.push(Instance {
                    name: (*name).to_owned(),
                    chip: chip.name.to_owned(),
                    pins: settings(chip, pins)?,
                });
                Ok(())
            }
            (["all", kind, pins @ ..], Some(_), _) => {
                let chip = self.chip(kind)?;
                if self.common.iter().any(|(known, _)| known.name == chip.name) {
                    let found = format!("the pins of all {kind} are there twice");
                    return Err((found, "write them on one line"));
                }
                self.common.push((chip, settings(chip, pins)?));
                Ok(())
            }
            (["link", first, second, rest @ ..], Some(_), _) => {
                let ends = [self.end(first)?, self.end(second)?];
                let (clocks, rotation) = match rest {
                    [] => (0, 0),
                    ["clocks", clocks] => (number(clocks)?, 0),
                    ["rotate", steps] => (0, number(steps)?),
                    ["clocks", clocks, "rotate", steps] => (number(clocks)?, number(steps)?),
                    _ => {
                        let found = format!("found {:?} after a link", rest.join(" "));
                        return Err((found, "write clocks COUNT, rotate STEPS, or both"));
                    }
                };
                let rotation = u8::try_from(rotation).ok().filter(|&steps| steps < 4);
                let rotation = rotation.ok_or_else(|| {
                    let found = "found too many steps; expected rotate 0 to 3";
                    (found.to_owned(), "four steps are a whole turn")
                })?;
                self.links.push(Link::new(ends, clocks as u64, rotation));
                Ok(())
            }
            ([first, ..], None, _) => Err((
                format!("found {first:?}"),
                "begin with `network NAME nodes COUNT`",
            )),
            ([first, ..], Some(_), _) => Err((
                format!("found {first:?}"),
                "a line is a chip, a link, the pins of all chips of a kind, or the end",
            )),
        }
    }

    /// The chip of a name.
    fn chip(&self, name: &str) -> Result<&'static Chip, Mistake> {
        let own = self.own.iter().find(|(known, _)| *known == name);
        own.map_or_else(|| chip(name), |(_, chip)| Ok(chip))
    }

    /// A link port that nothing is joined to yet.
    fn end(&mut self, text: &str) -> Result<End, Mistake> {
        let help = "write INSTANCE.PORT, the chip being there in a line above";
        let unknown = || (format!("found {text:?}; expected a link port"), help);
        let (instance, port) = text.split_once('.').ok_or_else(unknown)?;
        let chip = self.kinds.get(instance).ok_or_else(unknown)?;
        if !chip.links.contains(&port) {
            let message = format!("{} has no link port {port:?}", chip.name);
            return Err((message, "the page of the chip lists its ports"));
        }
        let end = (instance.to_owned(), port.to_owned());
        match self.joined.insert(end.clone()) {
            true => Ok(end),
            false => Err((format!("{text} is joined twice"), "a port has one link")),
        }
    }

    fn finish(mut self) -> Result<Structure, Mistake> {
        let (Some((name, nodes)), true) = (self.head, self.ended) else {
            let found = "found no network that ends".to_owned();
            return Err((found, "write `network NAME nodes COUNT` … `end`"));
        };
        for (chip, pins) in &self.common {
            for instance in self.chips.iter_mut().filter(|i| i.chip == chip.name) {
                for (pin, value) in pins {
                    instance.pins.entry(pin.clone()).or_insert(*value);
                }
            }
        }
        for instance in &mut self.chips {
            instance.pins.retain(|_, value| *value != 0);
        }
        Ok(Structure {
            name,
            nodes,
            chips: self.chips,
            links: self.links,
        })
    }
}

fn number(text: &str) -> Result<usize, Mistake> {
    let number = text.parse::<u32>().ok();
    let number = number.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| (format!("found {text:?}; expected a number"), "such as 64"))
}

fn chip(name: &str) -> Result<&'static Chip, Mistake> {
    let chip = CHIPS
        .iter()
        .chain(MODELS)
        .find(|chip| chip.name == name && !is_delay(chip));
    chip.copied().ok_or_else(|| {
        let found = format!("found {name:?}; expected a chip");
        (found, "`crosswave info` lists the chips of a network")
    })
}

/// The configuration pins of a chip that are set, each once.
fn settings(chip: &Chip, words: &[&str]) -> Result<BTreeMap<String, u64>, Mistake> {
    let setting = |word: &&str| {
        let (pin, value) = word.split_once('=')?;
        let mut options = chip
            .ports
            .iter()
            .filter(|port| matches!(port.role, Role::Option));
        let port = options.find(|port| port.name == pin)?;
        let value = value.parse::<u64>().ok()?;
        let fits = port.width >= 64 || value >> port.width == 0;
        fits.then(|| (pin.to_owned(), value))
    };
    let mut settings = BTreeMap::new();
    for word in words {
        let (pin, value) = setting(word).ok_or_else(|| {
            let found = format!(
                "found {word:?}; expected a pin of {} and a value",
                chip.name
            );
            (
                found,
                "write PIN=VALUE; the page of the chip lists its pins",
            )
        })?;
        if settings.insert(pin, value).is_some() {
            return Err((
                format!("found {word:?} after another value"),
                "set a pin once",
            ));
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests;
