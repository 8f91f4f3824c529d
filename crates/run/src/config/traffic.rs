//! The table `[traffic]`: which keys go together, and their values.

pub(super) mod keys;

use std::ops::RangeInclusive;
use std::path::Path;

use toml::de::DeValue;

use crosswave_base::decimal::{self, Decimal};
use crosswave_base::suggest::list;
use crosswave_document::{Document, Key, Wrong, found, integer, two};
use crosswave_network::NetworkConfig;
use crosswave_network::traffic::matrix::MatrixFile;
use crosswave_network::traffic::pattern::{PATTERN_NAMES, pair_fault};
use crosswave_network::traffic::steady::{CYCLES_MAX, STEADY};
use crosswave_network::traffic::trace::{BYTES_PER_WORD_MAX, CLOCK_MHZ_MAX};
use crosswave_network::traffic::{
    BURST_MAX, Destinations, HOT_SHARE, HOT_SPOT, Lengths, Locality, MATRIX, MESSAGES_MAX,
    NODES_MAX, Pattern, PatternConfig, Permutation, REPEAT_MAX, Replay, SteadyConfig, TraceConfig,
    TrafficConfig, WEIGHT_MAX, WORDS_MAX,
};

const PATTERN: Key = ("traffic", "pattern");
const TRACE: Key = ("traffic", "trace");
const MESSAGES: Key = ("traffic", "messages");
pub(super) const WORDS: Key = ("traffic", "words");
pub(super) const LENGTHS: Key = ("traffic", "lengths");
const LENGTH_WEIGHTS: Key = ("traffic", "length_weights");
const BURST: Key = ("traffic", "burst_messages");
const SOURCE: Key = ("traffic", "source");
const RANDOM_MESSAGES: Key = ("traffic", "random_messages");
const DESTINATION: Key = ("traffic", "destination");
const LEVELS: Key = ("traffic", "levels");
const DESTINATIONS: Key = ("traffic", "destinations");
const SHARE: Key = ("traffic", "hot_share");
const MATRIX_FILE: Key = ("traffic", "matrix");
const PAIRS: Key = ("traffic", "pairs");
const SHIFT: Key = ("traffic", "shift");
const REPEAT: Key = ("traffic", "repeat");
const LOAD: Key = ("traffic", "load");
pub(super) const CYCLES: Key = ("traffic", "cycles");
const WARMUP_CYCLES: Key = ("traffic", "warmup_cycles");
const REPLAY: Key = ("traffic", "replay");
const CLOCK_MHZ: Key = ("traffic", "clock_mhz");
const TIME_SCALE: Key = ("traffic", "time_scale");
const BYTES_SCALE: Key = ("traffic", "bytes_scale");
const BYTES_PER_WORD: Key = ("traffic", "bytes_per_word");
const LIMIT: Key = ("traffic", "limit");

/// The keys of traces.
const OF_TRACES: [Key; 6] = [
    REPLAY,
    CLOCK_MHZ,
    TIME_SCALE,
    BYTES_SCALE,
    BYTES_PER_WORD,
    LIMIT,
];

/// The keys of patterns, with the patterns that take them.
const OF_PATTERNS: [(Key, &[&str]); 18] = [
    (
        MESSAGES,
        &[
            "random",
            "hot-spot",
            "transpose",
            "bit-reversal",
            "cyclic-shift",
        ],
    ),
    (WORDS, &PATTERN_NAMES),
    (LENGTHS, &[STEADY]),
    (LENGTH_WEIGHTS, &[STEADY]),
    (BURST, &[STEADY]),
    (SOURCE, &["pair"]),
    (DESTINATION, &["pair", HOT_SPOT, STEADY]),
    (DESTINATIONS, &["random", STEADY]),
    (LEVELS, &["random", STEADY]),
    (SHARE, &[STEADY]),
    (MATRIX_FILE, &[STEADY]),
    (RANDOM_MESSAGES, &["hot-spot"]),
    (PAIRS, &["pairs"]),
    (SHIFT, &["cyclic-shift"]),
    (
        REPEAT,
        &[
            "random",
            "pair",
            "pairs",
            "hot-spot",
            "transpose",
            "bit-reversal",
            "cyclic-shift",
        ],
    ),
    (LOAD, &[STEADY]),
    (CYCLES, &[STEADY]),
    (WARMUP_CYCLES, &[STEADY]),
];

/// The traffic in `document`, for a network of `nodes` nodes where that is
/// known.
pub(super) fn resolve(
    document: &mut Document<'_>,
    network: &NetworkConfig,
    nodes: Option<u32>,
    folder: &Path,
) -> TrafficConfig {
    let config = match (document.has(PATTERN), document.has(TRACE)) {
        (true, true) => {
            let message = "given beside a pattern; expected one of the two";
            document.wrong(TRACE, None, Wrong::new(message, "remove one of them"));
            let config = pattern(document, None, network, nodes, folder);
            trace(document, folder);
            return config;
        }
        (false, true) => {
            for (key, takers) in OF_PATTERNS {
                if document.has(key) {
                    let help = format!("it belongs to {}", patterns(takers));
                    document.wrong(
                        key,
                        None,
                        Wrong::new("a trace does not take this key", help),
                    );
                }
            }
            TrafficConfig::Trace(trace(document, folder))
        }
        (has_pattern, false) => {
            if !has_pattern {
                let message = "missing, and no trace is given; expected one of the two";
                let help = format!("the patterns are {}", list(&PATTERN_NAMES));
                document.wrong(PATTERN, None, Wrong::new(message, help));
            }
            let name = document.choice(PATTERN, &PATTERN_NAMES.map(|name| (name, name)));
            if let Some(name) = name {
                refuse_foreign(document, name);
            }
            let config = pattern(document, name, network, nodes, folder);
            if name.is_none() {
                return config;
            }
            config
        }
    };
    let mut faults = nodes.map_or(Vec::new(), |nodes| config.faults(nodes));
    faults.retain(|fault| !document.failed(("traffic", fault.key)));
    for fault in faults {
        let wrong = Wrong {
            entry: fault.entry,
            message: fault.message,
            help: fault.help,
        };
        document.wrong(("traffic", fault.key), Some(PATTERN), wrong);
    }
    config
}

/// Refuses the keys that the pattern `name` does not take.
fn refuse_foreign(document: &mut Document<'_>, name: &str) {
    let message = format!("the pattern {name:?} does not take this key");
    for (key, takers) in OF_PATTERNS {
        if document.has(key) && !takers.contains(&name) {
            let help = format!("it belongs to {}", patterns(takers));
            document.wrong(key, None, Wrong::new(message.as_str(), help));
        }
    }
    for key in OF_TRACES {
        if document.has(key) {
            let help = "it belongs to a trace";
            document.wrong(key, None, Wrong::new(message.as_str(), help));
        }
    }
}

fn patterns(takers: &[&str]) -> String {
    let plural = if takers.len() == 1 { "" } else { "s" };
    format!("the pattern{plural} {}", list(takers))
}

/// The keys that belong to some destinations: those, and what is wrong with a key beside others.
const OF_DESTINATIONS: [(Key, &str, &str); 4] = [
    (LEVELS, "local", "destinations do not depend on levels"),
    (DESTINATION, HOT_SPOT, "destinations have no hot spot"),
    (SHARE, HOT_SPOT, "destinations have no hot spot"),
    (
        MATRIX_FILE,
        MATRIX,
        "destinations do not depend on a matrix",
    ),
];

/// The keys that a pattern needs if it takes them, with examples.
const REQUIRED: [(Key, &str); 6] = [
    (SOURCE, "0"),
    (DESTINATION, "0"),
    (PAIRS, "[[0, 1]]"),
    (SHIFT, "1"),
    (LOAD, "0.1"),
    (CYCLES, "10000"),
];

/// The pattern `name`. Without a name every key is read for its mistakes; the
/// result is then of no use.
fn pattern(
    document: &mut Document<'_>,
    name: Option<&'static str>,
    network: &NetworkConfig,
    nodes: Option<u32>,
    folder: &Path,
) -> TrafficConfig {
    let mut reader = PatternReader {
        document,
        name,
        network,
        nodes,
        folder,
    };
    for (key, example) in REQUIRED {
        // Destinations of steady traffic have a default.
        if (key, name) != (DESTINATION, Some(STEADY)) {
            reader.require(key, example);
        }
    }
    let parameters = reader.parameters();
    if reader.takes(LOAD) {
        let steady = steady(reader.document, &parameters);
        if name.is_some() {
            return TrafficConfig::Steady(steady);
        }
    }
    TrafficConfig::Pattern(parameters.config(name))
}

/// The parameters of patterns. Those that a pattern does not take, and those that are
/// wrong, have stand-ins.
struct Parameters {
    messages: u32,
    random_messages: u32,
    source: u32,
    destination: u32,
    shift: u32,
    words: u32,
    repeat: u32,
    pairs: Vec<(u32, u32)>,
    destinations: Destinations,
    axes: Vec<u32>,
}

impl Parameters {
    /// The pattern `name` with those that it takes.
    fn config(self, name: Option<&str>) -> PatternConfig {
        let permutation = |permutation| Pattern::Permutation {
            permutation,
            axes: self.axes.clone(),
            messages: self.messages,
        };
        PatternConfig {
            pattern: match name {
                Some("pair") => Pattern::Pair {
                    source: self.source,
                    destination: self.destination,
                },
                Some("pairs") => Pattern::Pairs { pairs: self.pairs },
                Some("hot-spot") => Pattern::HotSpot {
                    messages: self.messages,
                    destination: self.destination,
                    random_messages: self.random_messages,
                },
                Some("transpose") => permutation(Permutation::Transpose),
                Some("bit-reversal") => permutation(Permutation::BitReversal),
                Some("cyclic-shift") => {
                    let shift = self.shift;
                    permutation(Permutation::CyclicShift { shift })
                }
                _ => Pattern::Random {
                    messages: self.messages,
                    destinations: self.destinations,
                },
            },
            words: self.words,
            repeat: self.repeat,
        }
    }
}

/// Reads the keys of a pattern.
struct PatternReader<'r, 'd> {
    document: &'r mut Document<'d>,
    /// The pattern, if its name is right.
    name: Option<&'static str>,
    /// The network; a stand-in where its nodes are not known.
    network: &'r NetworkConfig,
    /// The nodes of the network, where that is known.
    nodes: Option<u32>,
    /// The folder from which files are named.
    folder: &'r Path,
}

impl PatternReader<'_, '_> {
    /// True when the pattern takes a key; without a name, when any pattern does.
    fn takes(&self, key: Key) -> bool {
        let takes = |(other, takers): &(Key, &[&str])| {
            *other == key && self.name.is_none_or(|name| takers.contains(&name))
        };
        OF_PATTERNS.iter().any(takes)
    }

    /// Refuses a pattern without a key that it takes.
    fn require(&mut self, key: Key, example: &str) {
        if let Some(name) = self.name
            && self.takes(key)
            && !self.document.has(key)
        {
            let message = format!("missing; the pattern {name:?} needs it");
            let help = format!("such as {} = {example}", key.1);
            let wrong = Wrong::new(message, help);
            self.document.wrong(key, Some(PATTERN), wrong);
        }
    }

    /// Reads all parameters that the pattern takes: the others are refused already.
    fn parameters(&mut self) -> Parameters {
        let nodes = self.nodes.unwrap_or(NODES_MAX);
        let last = nodes - 1;
        let most = match self.name {
            Some("hot-spot") => last,
            _ => nodes,
        };
        let messages = self.number(MESSAGES, 1, most);
        let random_messages = self.number(RANDOM_MESSAGES, 0, last);
        let source = self.number(SOURCE, 0, last);
        let destination = self.number(DESTINATION, 0, last);
        let shift = self.number(SHIFT, 1, last);
        let words = self.number(WORDS, 1, WORDS_MAX);
        let repeat = self.number(REPEAT, 1, REPEAT_MAX);
        let pairs = match self.takes(PAIRS) {
            true => self.document.value(PAIRS, |value| pairs(value, nodes)),
            false => None,
        };
        let destinations = match self.takes(DESTINATIONS) {
            true => self.destinations(destination),
            false => Destinations::default(),
        };
        Parameters {
            messages: self.or_default(messages, MESSAGES, most),
            random_messages: random_messages.unwrap_or(0),
            source: source.unwrap_or(u32::MAX),
            destination: destination.unwrap_or(u32::MAX),
            shift: shift.unwrap_or(0),
            words: self.or_default(words, WORDS, 1),
            repeat: self.or_default(repeat, REPEAT, 1),
            pairs: pairs.unwrap_or_default(),
            destinations,
            axes: self.network.axes(),
        }
    }

    /// The rule for destinations; `destination` is the hot spot.
    fn destinations(&mut self, destination: Option<u32>) -> Destinations {
        let mut choices = match self.name {
            Some(STEADY) => vec!["others", "local", HOT_SPOT],
            _ => vec!["others", "all", "local"],
        };
        if self.name == Some(STEADY) {
            choices.extend(Permutation::PLAIN.map(Permutation::name));
            choices.push(MATRIX);
        }
        let choices: Vec<(&str, &str)> = choices.iter().map(|&name| (name, name)).collect();
        let chosen = self.document.choice(DESTINATIONS, &choices);
        let weights = self.document.value(LEVELS, weights);
        let share = self.document.decimal(SHARE, 1);
        for (key, owner, message) in OF_DESTINATIONS {
            let is_of_pattern = key == DESTINATION && self.name != Some(STEADY);
            if chosen != Some(owner)
                && !is_of_pattern
                && self.document.has(key)
                && !self.document.failed(DESTINATIONS)
            {
                let help = format!("remove it, or set destinations = {owner:?}");
                self.document.wrong(key, None, Wrong::new(message, help));
            }
        }
        let mut permutation = Permutation::PLAIN.into_iter();
        let permutation = permutation.find(|one| Some(one.name()) == chosen);
        if let Some(permutation) = permutation {
            return Destinations::Permutation {
                permutation,
                axes: self.network.axes(),
            };
        }
        match chosen {
            Some("local") => self.local(weights),
            Some("all") => Destinations::All,
            Some(HOT_SPOT) => Destinations::HotSpot {
                node: destination.unwrap_or(0),
                share: share.unwrap_or(HOT_SHARE),
            },
            Some(MATRIX) => self.matrix(),
            _ => Destinations::Others,
        }
    }

    /// Destinations by the weights of a file; a stand-in where that has mistakes.
    fn matrix(&mut self) -> Destinations {
        if !self.document.has(MATRIX_FILE) {
            let message = "missing; destinations by a matrix need its file";
            let wrong = Wrong::new(message, "such as matrix = \"weights.csv\"");
            self.document.wrong(MATRIX_FILE, Some(DESTINATIONS), wrong);
        }
        let written = self.document.value(MATRIX_FILE, |value| {
            path(value, "a matrix", "such as matrix = \"weights.csv\"")
        });
        let (Some(written), Some(nodes)) = (written, self.nodes) else {
            return Destinations::Others;
        };
        match MatrixFile::open(&written, self.folder, nodes) {
            Ok(file) => Destinations::Matrix(file),
            Err(error) => {
                self.document.wrong_in_file(MATRIX_FILE, error);
                Destinations::Others
            }
        }
    }

    /// Destinations by their distance.
    fn local(&mut self, weights: Option<Vec<u32>>) -> Destinations {
        let groups = self.network.levels();
        let fitting = self.network.level_weights();
        if !self.document.has(LEVELS) && fitting.is_none() {
            let levels = groups.len();
            let message = format!("missing; destinations by {levels} levels need their weights");
            let help = format!("such as levels = {:?}", vec![1; levels]);
            let wrong = Wrong::new(message, help);
            self.document.wrong(LEVELS, Some(DESTINATIONS), wrong);
        }
        Destinations::Local(Locality {
            weights: weights.or(fitting).unwrap_or_default(),
            groups,
        })
    }

    /// Reads a number of a range. Ranges that depend on the network are the pattern's to
    /// check, when both are known.
    fn number(&mut self, key: Key, from: u32, to: u32) -> Option<u32> {
        let both = self.name.is_some() && self.nodes.is_some();
        let legal = match key {
            WORDS | REPEAT => from..=to,
            _ if both => 0..=u32::MAX,
            _ => from..=to,
        };
        let read = |value: &DeValue<'_>| number(value, key, from, to, &legal);
        let value = self.takes(key).then(|| self.document.value(key, read));
        value.flatten()
    }

    /// A value, or its default. A wrong value of one key must not hide what is wrong with
    /// the others: its stand-in is out of range as well, and that is not told again.
    fn or_default(&self, value: Option<u32>, key: Key, default: u32) -> u32 {
        let stand_in = if self.document.failed(key) {
            0
        } else {
            default
        };
        value.unwrap_or(stand_in)
    }
}

/// Steady traffic. The stand-in for a load that is wrong is the least one, of which no
/// number of cycles makes too many messages.
fn steady(document: &mut Document<'_>, parameters: &Parameters) -> SteadyConfig {
    let load = document.decimal(LOAD, 1);
    let cycles = document.integer(CYCLES, 1..=CYCLES_MAX);
    let last = cycles.unwrap_or(CYCLES_MAX) - 1;
    let warmup_cycles = document.integer(WARMUP_CYCLES, 0..=last);
    let cycles = cycles.unwrap_or(0);
    let burst_messages = document.integer(BURST, 1..=u64::from(BURST_MAX));
    SteadyConfig {
        load: load.unwrap_or(Decimal::LEAST),
        words: lengths(document, parameters.words),
        burst_messages: burst_messages.map_or(1, |messages| messages as u32),
        cycles,
        warmup_cycles,
        destinations: parameters.destinations.clone(),
    }
}

/// The lengths of messages of steady traffic; `words` is that of all, where they are not drawn.
fn lengths(document: &mut Document<'_>, words: u32) -> Lengths {
    let range = 1..=u64::from(WORDS_MAX);
    let read = |value: &DeValue<'_>| {
        let help = "such as lengths = [1, 5]";
        integers(value, range, "a list of lengths in words", help)
    };
    let lengths = document.value(LENGTHS, read);
    let weights = document.value(LENGTH_WEIGHTS, |value| {
        let help = "such as length_weights = [3, 1]";
        integers(
            value,
            WEIGHTS,
            "a list of weights, one for each length",
            help,
        )
    });
    if !document.has(LENGTHS) {
        if document.has(LENGTH_WEIGHTS) {
            let message = "weights of lengths, and no lengths are given";
            let help = "add lengths, such as lengths = [1, 5], or remove the weights";
            document.wrong(LENGTH_WEIGHTS, None, Wrong::new(message, help));
        }
        return Lengths::from(words);
    }
    if document.has(WORDS) {
        let message = "given beside words; expected one of the two";
        let wrong = Wrong::new(
            message,
            "words is the length of all messages; remove one of them, as with --unset traffic.words",
        );
        document.wrong(LENGTHS, Some(WORDS), wrong);
    }
    match lengths {
        Some(lengths) => Lengths::drawn(lengths, weights),
        None => Lengths::from(1),
    }
}

/// The range of weights.
const WEIGHTS: RangeInclusive<u64> = 0..=WEIGHT_MAX as u64;

/// Weights of levels.
fn weights(value: &DeValue<'_>) -> Result<Vec<u32>, Vec<Wrong>> {
    let help = "such as levels = [3, 3, 3, 1, 1, 1]";
    integers(
        value,
        WEIGHTS,
        "a list of weights, the lowest level's first",
        help,
    )
}

/// A list of integers in a range; `expected` is what it is.
fn integers(
    value: &DeValue<'_>,
    legal: RangeInclusive<u64>,
    expected: &str,
    help: &str,
) -> Result<Vec<u32>, Vec<Wrong>> {
    let entries = value.as_array().ok_or_else(|| {
        let message = format!("{}; expected {expected}", found(value));
        vec![Wrong::new(message, help)]
    })?;
    let (mut integers, mut wrongs) = (Vec::new(), Vec::new());
    for (entry, value) in entries.iter().enumerate() {
        match integer(value.get_ref(), &legal) {
            Ok(integer) => integers.push(integer as u32),
            Err(wrong) => wrongs.push(Wrong {
                entry: Some(entry),
                help: help.into(),
                ..wrong
            }),
        }
    }
    match wrongs.is_empty() {
        true => Ok(integers),
        false => Err(wrongs),
    }
}

/// A number in `legal`; `from` and `to` are what is told to be legal.
fn number(
    value: &DeValue<'_>,
    key: Key,
    from: u32,
    to: u32,
    legal: &RangeInclusive<u32>,
) -> Result<u32, Vec<Wrong>> {
    if let Some(number) = number32(value).filter(|number| legal.contains(number)) {
        return Ok(number);
    }
    let message = format!("{}; expected an integer from {from} to {to}", found(value));
    let help = format!("such as {} = {from}", key.1);
    Err(vec![Wrong::new(message, help)])
}

fn number32(value: &DeValue<'_>) -> Option<u32> {
    let number = integer(value, &(0..=u64::from(u32::MAX))).ok()?;
    u32::try_from(number).ok()
}

/// A list of [source, destination], nodes of `nodes`. It is empty only when the
/// list itself is; that is the pattern's to refuse.
fn pairs(value: &DeValue<'_>, nodes: u32) -> Result<Vec<(u32, u32)>, Vec<Wrong>> {
    const HELP: &str = "such as pairs = [[0, 1], [2, 3]]";
    let Some(entries) = value.as_array() else {
        let message = format!("{}; expected a list of [source, destination]", found(value));
        return Err(vec![Wrong::new(message, HELP)]);
    };
    let mut pairs = Vec::new();
    let mut wrongs = Vec::new();
    for (entry, value) in entries.iter().enumerate() {
        let pair = two(value.get_ref())
            .and_then(|[source, destination]| number32(source).zip(number32(destination)));
        let fault = match pair {
            Some(pair) => {
                pairs.push(pair);
                pair_fault(pair, nodes)
            }
            None => {
                let found = found(value.get_ref());
                let last = nodes - 1;
                Some((
                    format!("{found}; expected [source, destination], two nodes from 0 to {last}"),
                    HELP,
                ))
            }
        };
        wrongs.extend(fault.map(|(message, help)| Wrong {
            entry: Some(entry),
            message,
            help: help.into(),
        }));
    }
    if wrongs.is_empty() {
        Ok(pairs)
    } else {
        Err(wrongs)
    }
}

/// The path of a file that is `what`.
fn path(value: &DeValue<'_>, what: &str, help: &str) -> Result<String, Vec<Wrong>> {
    match value.as_str() {
        Some(path) if !path.is_empty() && !path.contains('\0') => Ok(path.to_string()),
        _ => {
            let message = format!("{}; expected the path of {what}", found(value));
            Err(vec![Wrong::new(message, help)])
        }
    }
}

fn trace(document: &mut Document<'_>, folder: &Path) -> TraceConfig {
    let written = document.value(TRACE, |value| {
        path(
            value,
            "a trace",
            "such as trace = \"traces/fft2d64_p2p.csv\"",
        )
    });
    let written = written.unwrap_or_default();
    let mut config = TraceConfig::new(folder.join(&written));
    config.written = written;
    let replays = [Replay::Timed, Replay::InOrder].map(|replay| (replay.name(), replay));
    if let Some(replay) = document.choice(REPLAY, &replays) {
        config.replay = replay;
    }
    if let Some(clock_mhz) = document.decimal(CLOCK_MHZ, CLOCK_MHZ_MAX) {
        config.clock_mhz = clock_mhz;
    }
    if let Some(scale) = document.decimal(TIME_SCALE, decimal::WHOLE_MAX) {
        config.time_scale = scale;
    }
    if let Some(scale) = document.decimal(BYTES_SCALE, decimal::WHOLE_MAX) {
        config.bytes_scale = scale;
    }
    if let Some(bytes) = document.integer32(BYTES_PER_WORD, 1..=BYTES_PER_WORD_MAX) {
        config.bytes_per_word = bytes;
    }
    config.limit = document.integer(LIMIT, 1..=MESSAGES_MAX);
    config
}
