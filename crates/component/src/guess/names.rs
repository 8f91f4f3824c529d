//! Words of the names of ports, and the signals of links that they say.
//!
//! A name is cut into words at `_`, before capitals and around numbers. Of the words some say the signal
//! (`valid`, `tdata`, `yummy`), some only that it goes in or out, which the port says itself; those that
//! are left tell one link from another.

use super::super::file::ProtocolName;
use crosswave_netlist::Port;

/// A word of a name: its letters in lower case, and its bytes in the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NameWord {
    pub text: String,
    pub start: usize,
    pub end: usize,
}

/// A part of a flit beside its data, from the highest bits of a proposed flit to the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SidePart {
    /// The kind of a flit, in several bits.
    Kind,
    Head,
    Tail,
    Channel,
    Destination,
    Other,
}

/// A signal of a link, as a name says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SignalWord {
    Data,
    /// Data, valid and what comes back in one port.
    Packed,
    Valid,
    /// The answer of a receiver; `is_opposite` where 1 stops the sender.
    Back {
        protocol: BackProtocol,
        is_opposite: bool,
    },
    CreditChannel,
    Part(SidePart),
}

/// A protocol that an answer of a receiver belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BackProtocol {
    Ready,
    Credit,
    On,
    Nack,
}

impl BackProtocol {
    pub(super) fn protocol(self) -> ProtocolName {
        match self {
            BackProtocol::Ready => ProtocolName::ValidReady,
            BackProtocol::Credit => ProtocolName::Credit,
            BackProtocol::On => ProtocolName::OnOff,
            BackProtocol::Nack => ProtocolName::Circuit,
        }
    }
}

/// A port that has a signal of a link by its name.
#[derive(Debug, Clone)]
pub(super) struct SignalPort<'a> {
    pub port: &'a Port,
    pub signal: SignalWord,
    /// The words that tell its link.
    pub key: Vec<NameWord>,
}

const WAYS: [&str; 26] = [
    "in", "out", "i", "o", "input", "output", "inp", "outp", "tx", "rx", "recv", "send", "rcv",
    "snd", "ip", "op", "from", "to", "io", "bits", "rev", "and", "intf", "if", "port", "ports",
];

/// Words of directions, with the name that a link gets.
const DIRECTIONS: [&str; 26] = [
    "n",
    "north",
    "s",
    "south",
    "e",
    "east",
    "w",
    "west",
    "l",
    "local",
    "p",
    "proc",
    "processor",
    "pe",
    "core",
    "eject",
    "up",
    "down",
    "ne",
    "nw",
    "se",
    "sw",
    "left",
    "right",
    "top",
    "bottom",
];

const DATA: [&str; 13] = [
    "data", "flit", "flits", "tdata", "payload", "packet", "pkt", "msg", "dat", "din", "dout",
    "phit", "word",
];
const PACKED: [&str; 4] = ["link", "channel", "chan", "bus"];
const VALID: [&str; 11] = [
    "valid", "vld", "val", "tvalid", "valids", "req", "wr", "wen", "wren", "push", "write",
];
const READY: [&str; 5] = ["ready", "rdy", "tready", "ack", "accept"];
const CREDIT: [&str; 5] = ["credit", "credits", "crd", "cr", "yummy"];
const NACK: [&str; 7] = [
    "nack",
    "nak",
    "collision",
    "reject",
    "rejected",
    "refuse",
    "refused",
];
const ON: [&str; 3] = ["on", "onoff", "xon"];
const OFF: [&str; 6] = ["off", "stop", "stall", "xoff", "busy", "full"];
const HEAD: [&str; 4] = ["head", "first", "sop", "hd"];
const TAIL: [&str; 4] = ["last", "tlast", "eop", "tail"];
const CHANNELS: [&str; 3] = ["vc", "vcid", "vch"];
const DESTINATION: [&str; 3] = ["dest", "tdest", "dst"];
const KIND: [&str; 3] = ["type", "ftype", "kind"];
const OTHER: [&str; 12] = [
    "keep", "tkeep", "strb", "tstrb", "user", "tuser", "tid", "size", "prio", "error", "len", "be",
];

/// A kind of flits that a constant names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KindWord {
    Head,
    Body,
    Tail,
    Single,
}

const HEADS: [&str; 4] = ["head", "header", "hdr", "first"];
const BODIES: [&str; 4] = ["body", "payload", "middle", "data"];
const TAILS: [&str; 3] = ["tail", "last", "end"];
const SINGLES: [&str; 4] = ["single", "only", "headtail", "both"];
/// Words that stand beside these in names of codes.
const OF_CODES: [&str; 8] = ["flit", "flits", "type", "ftype", "ft", "kind", "code", "t"];

/// The words of a name.
pub(super) fn words(name: &str) -> Vec<NameWord> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    let kind = |c: char| match c {
        c if c.is_ascii_digit() => 0,
        c if c.is_alphabetic() => 1,
        _ => 2,
    };
    for (number, &(at, letter)) in letters.iter().enumerate() {
        let end = at + letter.len_utf8();
        let before = number.checked_sub(1).map(|before| letters[before].1);
        let after = letters.get(number + 1).map(|&(_, after)| after);
        let begins = before.is_none_or(|before| {
            let falls = before.is_uppercase() && after.is_some_and(char::is_lowercase);
            kind(before) != kind(letter)
                || letter.is_uppercase() && (before.is_lowercase() || falls)
        });
        match (kind(letter), begins, found.last_mut()) {
            (2, ..) => {}
            (_, false, Some(last)) => last.1 = end,
            _ => found.push((at, end)),
        }
    }
    let mut words = Vec::new();
    for (start, end) in found {
        let text = name[start..end].to_lowercase();
        let word = |text: &str, start, end| NameWord {
            text: text.to_owned(),
            start,
            end,
        };
        // `datain`, `outvalid` and `idata` are two words.
        let halves = (1..text.len())
            .filter(|&at| text.is_char_boundary(at))
            .find(|&at| is_known_pair(&text[..at], &text[at..]));
        match halves {
            Some(at) if text.len() == end - start => {
                words.push(word(&text[..at], start, start + at));
                words.push(word(&text[at..], start + at, end));
            }
            _ => words.push(word(&text, start, end)),
        }
    }
    words
}

/// True when two texts that stand together are a signal and where it goes.
fn is_known_pair(one: &str, other: &str) -> bool {
    let is_signal = |text: &str| {
        text.len() > 2
            && [&DATA[..], &VALID, &READY, &CREDIT]
                .concat()
                .contains(&text)
    };
    let is_way = |text: &str| text.len() > 1 && WAYS[..2].contains(&text);
    is_signal(one) && is_way(other)
        || (is_way(one) || ["i", "o"].contains(&one)) && is_signal(other)
}

/// True when words name a direction or a number.
pub(super) fn is_direction(words: &[NameWord]) -> bool {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    words
        .iter()
        .any(|word| is_number(&word.text) || DIRECTIONS.contains(&&*word.text))
}

/// A direction that a name of a constant says, such as `DIR_NORTH`.
pub(super) fn direction(name: &str) -> Option<String> {
    let words = words(name);
    let is_long = |word: &&NameWord| word.text.len() > 1 || words.len() == 1;
    let mut found = words
        .iter()
        .filter(|word| DIRECTIONS.contains(&&*word.text))
        .filter(is_long);
    let word = found.next()?;
    found.next().is_none().then(|| word.text.clone())
}

/// The kind of flits that a name of a constant says, such as `FLIT_TYPE_HEADER`.
pub(super) fn kind_of_flit(name: &str) -> Option<KindWord> {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&&*word.text));
    let known = [&HEADS[..], &BODIES, &TAILS, &SINGLES, &OF_CODES].concat();
    if !words.iter().all(|word| known.contains(&&*word.text)) {
        return None;
    }
    let said = [has(&HEADS), has(&BODIES), has(&TAILS), has(&SINGLES)];
    match said {
        [true, false, true, false] | [false, false, false, true] => Some(KindWord::Single),
        [true, false, false, false] => Some(KindWord::Head),
        [false, true, false, false] => Some(KindWord::Body),
        [false, false, true, false] => Some(KindWord::Tail),
        _ => None,
    }
}

/// True for a name of a constant that says that it is of flits, or of a type.
pub(super) fn names_codes(name: &str) -> bool {
    let words = words(name);
    words.iter().any(|word| OF_CODES.contains(&&*word.text))
}

/// The signal that words say, and the positions of the words that say it.
fn signal(words: &[NameWord]) -> Option<(SignalWord, Vec<usize>)> {
    let at = |list: &[&str]| words.iter().position(|word| list.contains(&&*word.text));
    let pair = |list: &[&str], other: &[&str]| Some((at(list)?, at(other)?));
    let back = |protocol, is_opposite| SignalWord::Back {
        protocol,
        is_opposite,
    };
    if let Some((one, other)) = pair(&CREDIT, &CHANNELS) {
        return Some((SignalWord::CreditChannel, vec![one, other]));
    }
    if let Some((one, other)) = pair(&["flow"], &["ctrl", "control"]) {
        return Some((back(BackProtocol::Credit, false), vec![one, other]));
    }
    if let Some((one, other)) = pair(&["on"], &["off"]) {
        return Some((back(BackProtocol::On, false), vec![one, other]));
    }
    let lists: [(&[&str], SignalWord); 14] = [
        (&NACK, back(BackProtocol::Nack, false)),
        (&CREDIT, back(BackProtocol::Credit, false)),
        (&READY, back(BackProtocol::Ready, false)),
        (&OFF, back(BackProtocol::On, true)),
        (&ON, back(BackProtocol::On, false)),
        (&VALID, SignalWord::Valid),
        (&TAIL, SignalWord::Part(SidePart::Tail)),
        (&HEAD, SignalWord::Part(SidePart::Head)),
        (&CHANNELS, SignalWord::Part(SidePart::Channel)),
        (&DESTINATION, SignalWord::Part(SidePart::Destination)),
        (&KIND, SignalWord::Part(SidePart::Kind)),
        (&OTHER, SignalWord::Part(SidePart::Other)),
        (&DATA, SignalWord::Data),
        (&PACKED, SignalWord::Packed),
    ];
    for (list, signal) in lists {
        let Some(found) = at(list) else { continue };
        let mut taken = vec![found];
        // `flit_valid` is the valid of a flit, and `link_ready` the ready of a link; `almost_full` is one.
        let qualifies = |word: &NameWord| {
            let lists = [&DATA[..], &PACKED, &["almost", "afull"], &VALID];
            let is_number = matches!(
                signal,
                SignalWord::Part(SidePart::Channel | SidePart::Destination)
            );
            lists.concat().contains(&&*word.text) || is_number && word.text == "id"
        };
        taken.extend((0..words.len()).filter(|&at| at != found && qualifies(&words[at])));
        return Some((signal, taken));
    }
    // `d_in`, `v_in` and `r_out`.
    let is_short = |word: &NameWord| ["d", "v", "r"].contains(&&*word.text);
    let found = words.iter().position(is_short)?;
    let others = words.iter().enumerate().filter(|(at, _)| *at != found);
    let mut others = others.map(|(_, word)| std::slice::from_ref(word));
    if !others.all(|word| WAYS.contains(&&*word[0].text) || is_direction(word)) {
        return None;
    }
    let signal = match &*words[found].text {
        "d" => SignalWord::Data,
        "v" => SignalWord::Valid,
        _ => back(BackProtocol::Ready, false),
    };
    Some((signal, vec![found]))
}

/// The port as a signal of a link, when its name says one.
pub(super) fn signal_port(port: &Port) -> Option<SignalPort<'_>> {
    let words = words(&port.name);
    let (signal, taken) = signal(&words)?;
    let is_stream = words
        .iter()
        .any(|word| matches!(&*word.text, "axis" | "axi") || word.text.starts_with("tdata"));
    let is_stream = is_stream
        || ["tvalid", "tready", "tlast"]
            .iter()
            .any(|t| port.name.contains(t));
    // The first `s` of a stream is its slave; another one may be the south.
    let is_end = |word: &NameWord| matches!(&*word.text, "s" | "m" | "slave" | "master");
    let end = words.iter().position(is_end).filter(|_| is_stream);
    let is_noise = |at: usize, text: &str| {
        WAYS.contains(&text) || Some(at) == end || is_stream && matches!(text, "axis" | "axi")
    };
    let key = words
        .iter()
        .enumerate()
        .filter(|(at, word)| !taken.contains(at) && !is_noise(*at, &word.text))
        .map(|(_, word)| word.clone());
    Some(SignalPort {
        port,
        signal,
        key: key.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(name: &str) -> Vec<String> {
        words(name).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn names_are_cut_into_words() {
        assert_eq!(cut("dataIn_N"), ["data", "in", "n"]);
        assert_eq!(cut("s_axis_north_tdata"), ["s", "axis", "north", "tdata"]);
        assert_eq!(cut("noc1_out_val"), ["noc", "1", "out", "val"]);
        assert_eq!(cut("myChipID"), ["my", "chip", "id"]);
        assert_eq!(cut("datain0"), ["data", "in", "0"]);
        assert_eq!(cut("ovalid_0"), ["o", "valid", "0"]);
        assert_eq!(cut("IDMap__x"), ["id", "map", "x"]);
        assert_eq!(cut("größeIn"), ["größe", "in"]);
    }

    #[test]
    fn constants_name_directions() {
        assert_eq!(direction("DIR_NORTH").as_deref(), Some("north"));
        assert_eq!(direction("W").as_deref(), Some("w"));
        assert_eq!(direction("DATA_W"), None);
        assert_eq!(direction("NORTH_TO_EAST"), None);
    }
}
