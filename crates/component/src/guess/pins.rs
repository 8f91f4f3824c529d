//! The clock, the reset, and inputs that keep their values.

use std::collections::BTreeMap;

use super::names::words;
use crosswave_netlist::{
    Asynchronous, Bit, CellKind, Control, Function, Module, NetId, Port, PortDirection,
};

const CLOCKS: [&str; 6] = ["clk", "clock", "aclk", "ck", "sclk", "clki"];
const RESETS: [&str; 12] = [
    "rst", "reset", "rstn", "resetn", "aresetn", "nreset", "nrst", "arst", "arstn", "areset",
    "srst", "rstni",
];
const LOW_ENDINGS: [&str; 5] = ["n", "ni", "b", "l", "bar"];

/// Words of inputs that say which router it is, beside `x`, `y`, `z` and `id`.
const OWN: [&str; 26] = [
    "my",
    "coord",
    "cord",
    "coords",
    "coordinate",
    "coordinates",
    "loc",
    "local",
    "cur",
    "curr",
    "current",
    "node",
    "router",
    "rtr",
    "tile",
    "chip",
    "pos",
    "position",
    "core",
    "self",
    "this",
    "i",
    "in",
    "addr",
    "address",
    "hart",
];
const NUMBERS: [&str; 8] = [
    "id", "addr", "address", "num", "number", "index", "idx", "no",
];
const PLACES: [&str; 8] = [
    "coord",
    "cord",
    "coords",
    "coordinates",
    "loc",
    "pos",
    "position",
    "xy",
];
/// Words of inputs that let a module work.
const ENABLES: [&str; 4] = ["en", "enable", "ce", "clken"];

/// A guess, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reasoned<T> {
    pub value: T,
    pub reason: String,
}

/// A reset by its port and level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResetGuess {
    pub port: String,
    pub is_low: bool,
}

/// A pin of a component file: its key, the value as TOML, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PinGuess {
    pub key: String,
    pub value: String,
    pub reason: String,
}

/// Widths of the inputs with the place of a router, by axis, and of its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PlaceWidths {
    pub axes: [Option<usize>; 3],
    pub id: Option<usize>,
}

/// The bits of inputs with one bit, by their nets.
fn narrow_inputs(module: &Module) -> BTreeMap<NetId, &Port> {
    let ports = module.ports_of(PortDirection::Input);
    let ports = ports.filter(|port| port.bits.len() == 1);
    ports
        .filter_map(|port| Some((port.bits[0].net()?, port)))
        .collect()
}

/// The sources of nets that a buffer or an inverter drives: the net before it, and true for an inverter.
fn followers(module: &Module) -> BTreeMap<NetId, (Bit, bool)> {
    let gates = module.cells.iter().filter_map(|cell| match &cell.kind {
        CellKind::Gate(gate) => Some(gate),
        _ => None,
    });
    let single = gates.filter_map(|gate| match gate.function {
        Function::Not => Some((gate.output, (gate.inputs[0], true))),
        Function::Buf => Some((gate.output, (gate.inputs[0], false))),
        _ => None,
    });
    single.collect()
}

/// The net that a bit follows, and true when as its opposite.
fn source(followers: &BTreeMap<NetId, (Bit, bool)>, bit: Bit) -> Option<(NetId, bool)> {
    let mut net = bit.net()?;
    let mut is_opposite = false;
    // A loop of inverters has no source.
    for _ in 0..=followers.len() {
        let Some(&(before, inverts)) = followers.get(&net) else {
            return Some((net, is_opposite));
        };
        net = before.net()?;
        is_opposite ^= inverts;
    }
    None
}

/// The name that stands first in a count, the largest first, then in the order of ports.
fn most<'a>(names: &[&'a str], count: impl Fn(&str) -> usize) -> Option<&'a str> {
    let ranked = names.iter().enumerate();
    let best = ranked.max_by_key(|(at, name)| (count(name), usize::MAX - at));
    best.map(|(_, name)| *name)
}

fn flip_flops(count: usize) -> String {
    match count {
        1 => "1 flip-flop".to_owned(),
        count => format!("{count} flip-flops"),
    }
}

/// The clock.
pub(super) fn clock(module: &Module) -> Option<Reasoned<String>> {
    let inputs = narrow_inputs(module);
    let followers = followers(module);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, flop) in module.flops() {
        let found = source(&followers, flop.clock).and_then(|(net, _)| inputs.get(&net));
        if let Some(port) = found {
            *counts.entry(&port.name).or_insert(0) += 1;
        }
    }
    let count = |name: &str| counts.get(name).copied().unwrap_or(0);
    let clocking: Vec<&str> = counts.keys().copied().collect();
    let named: Vec<&str> = module
        .ports_of(PortDirection::Input)
        .filter(|port| port.bits.len() == 1)
        .filter(|port| words(&port.name).iter().any(|w| CLOCKS.contains(&&*w.text)))
        .map(|port| &*port.name)
        .collect();
    let found = most(&clocking, count).or_else(|| named.first().copied())?;
    let reason = match count(found) {
        0 => "by its name".to_owned(),
        some => format!("it clocks {}", flip_flops(some)),
    };
    Some(Reasoned {
        value: found.to_owned(),
        reason,
    })
}

/// True when a name says a reset, and whether it acts at 0.
fn reset_name(name: &str) -> Option<bool> {
    let words = words(name);
    let at = words
        .iter()
        .position(|word| RESETS.contains(&&*word.text))?;
    let text = &*words[at].text;
    let is_low = matches!(text, "nreset" | "nrst") || text.ends_with('n') || text.ends_with("ni");
    let ends = words[at + 1..]
        .iter()
        .any(|word| LOW_ENDINGS.contains(&&*word.text));
    let begins = at > 0 && words[at - 1].text == "n";
    Some(is_low || ends || begins)
}

/// The reset, other than the clock.
pub(super) fn reset(module: &Module, clock: Option<&str>) -> Option<Reasoned<ResetGuess>> {
    let inputs = narrow_inputs(module);
    let followers = followers(module);
    // Flip-flops that an input resets while it is 1, and while it is 0.
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut count = |control: Control| {
        let found = source(&followers, control.bit);
        let port = found.and_then(|(net, is_opposite)| Some((inputs.get(&net)?, is_opposite)));
        if let Some((port, is_opposite)) = port {
            let is_high = control.active_high != is_opposite;
            counts.entry(&port.name).or_default()[usize::from(!is_high)] += 1;
        }
    };
    for (_, flop) in module.flops() {
        match flop.asynchronous {
            Asynchronous::Reset { control, .. } => count(control),
            Asynchronous::SetReset { set, reset } => {
                count(set);
                count(reset);
            }
            _ => {}
        }
        if let Some(reset) = flop.reset {
            count(reset.control);
        }
    }
    let total = |name: &str| counts.get(name).map_or(0, |[high, low]| high + low);
    let named: Vec<&str> = module
        .ports_of(PortDirection::Input)
        .filter(|port| port.bits.len() == 1 && Some(&*port.name) != clock)
        .filter(|port| reset_name(&port.name).is_some())
        .map(|port| &*port.name)
        .collect();
    let resetting: Vec<&str> = counts.keys().copied().collect();
    let found = most(&named, total).or_else(|| most(&resetting, total))?;
    let (is_low, reason) = match counts.get(found).copied().unwrap_or_default() {
        [0, 0] => (reset_name(found).unwrap_or(false), "by its name".to_owned()),
        [high, low] => {
            let level = u8::from(high >= low);
            let reason = format!("it resets {} while it is {level}", flip_flops(high + low));
            (low > high, reason)
        }
    };
    Some(Reasoned {
        value: ResetGuess {
            port: found.to_owned(),
            is_low,
        },
        reason,
    })
}

/// The part of a router's place that an input has.
enum PlaceWord {
    Axis(usize),
    /// Two axes in one port, and true when x is above y.
    Axes(bool),
    Id {
        is_chip: bool,
    },
}

fn place_word(port: &Port) -> Option<PlaceWord> {
    let words = words(&port.name);
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    let compact = texts.concat();
    let axis = |text: &str| ["x", "y", "z"].iter().position(|axis| *axis == text);
    let glued = |text: &str| {
        let (first, last) = (text.get(..1)?, text.get(text.len().checked_sub(1)?..)?);
        let rest = |text: &str| OWN.contains(&text);
        let behind = axis(last).filter(|_| rest(&text[..text.len() - last.len()]));
        behind.or_else(|| axis(first).filter(|_| rest(&text[1..])))
    };
    let (mut axes, mut others) = (Vec::new(), Vec::new());
    for text in &texts {
        match axis(text).or_else(|| glued(text)) {
            Some(found) => axes.push(found),
            None => others.push(*text),
        }
    }
    let is_own =
        |text: &&str| OWN.contains(text) || NUMBERS.contains(text) || PLACES.contains(text);
    if !others.iter().all(is_own) {
        return None;
    }
    let has = |list: &[&str]| others.iter().any(|text| list.contains(text));
    let width = port.bits.len();
    match axes[..] {
        [one] => Some(PlaceWord::Axis(one)),
        [] if others.contains(&"xy") && width.is_multiple_of(2) => Some(PlaceWord::Axes(true)),
        [] if has(&PLACES) && width.is_multiple_of(2) => Some(PlaceWord::Axes(false)),
        [] if has(&NUMBERS) => Some(PlaceWord::Id {
            is_chip: compact.contains("chip"),
        }),
        _ => None,
    }
}

/// The pins of the inputs that are in no link, and the widths of places.
pub(super) fn pins(inputs: &[&Port]) -> (Vec<PinGuess>, PlaceWidths) {
    let mut widths = PlaceWidths::default();
    let has_axis = inputs.iter().any(|port| {
        matches!(
            place_word(port),
            Some(PlaceWord::Axis(_) | PlaceWord::Axes(_))
        )
    });
    let mut pins = Vec::new();
    for port in inputs {
        let width = port.bits.len();
        let bits = match width {
            1 => "1 bit".to_owned(),
            width => format!("{width} bits"),
        };
        let mut add = |key: String, value: &str, reason: String| {
            pins.push(PinGuess {
                key,
                value: value.to_owned(),
                reason,
            });
        };
        let part = |low: usize, width: usize| {
            let index = |position| port.range.index(position, port.bits.len());
            match width {
                1 => format!("{}[{}]", port.name, index(low)),
                width => format!("{}[{}:{}]", port.name, index(low + width - 1), index(low)),
            }
        };
        match place_word(port) {
            Some(PlaceWord::Axis(axis)) => {
                widths.axes[axis] = Some(width);
                let value = format!("\"instance.{}\"", ["x", "y", "z"][axis]);
                add(port.name.clone(), &value, format!("by its name; {bits}"));
            }
            Some(PlaceWord::Axes(is_x_first)) => {
                let half = width / 2;
                widths.axes[0] = Some(half);
                widths.axes[1] = Some(half);
                let names = if is_x_first { ["y", "x"] } else { ["x", "y"] };
                for (at, name) in names.iter().enumerate() {
                    let reason = "by its name, as halves of one port: look up which one is above";
                    let value = format!("\"instance.{name}\"");
                    add(part(at * half, half), &value, reason.to_owned());
                }
            }
            Some(PlaceWord::Id { is_chip }) if !(is_chip && has_axis) => {
                widths.id = Some(width);
                let mut reason = format!("by its name; {bits}");
                if port.name.to_lowercase().contains("xy") {
                    let part = part(0, width.div_ceil(2));
                    reason += &format!("; where x and y are in it, give parts, such as \"{part}\"");
                }
                add(port.name.clone(), "\"instance.id\"", reason);
            }
            _ => {
                let words = words(&port.name);
                let enables = words.iter().any(|word| ENABLES.contains(&&*word.text));
                let tests = words
                    .iter()
                    .any(|word| matches!(&*word.text, "test" | "scan"));
                let value = if enables && !tests && width == 1 {
                    "1"
                } else {
                    "0"
                };
                let reason =
                    format!("in no link by its name; {bits}: give the value that it needs");
                // Pins have up to 64 bits.
                if width <= 64 {
                    add(port.name.clone(), value, reason);
                    continue;
                }
                for low in (0..width).step_by(64) {
                    add(part(low, (width - low).min(64)), value, reason.clone());
                }
            }
        }
    }
    (pins, widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_tell_their_level() {
        for (name, level) in [
            ("rst", Some(false)),
            ("i_reset", Some(false)),
            ("rst_n", Some(true)),
            ("rst_ni", Some(true)),
            ("aresetn", Some(true)),
            ("n_rst", Some(true)),
            ("RST_N_I", Some(true)),
            ("burst", None),
        ] {
            assert_eq!(reset_name(name), level, "{name}");
        }
    }
}
