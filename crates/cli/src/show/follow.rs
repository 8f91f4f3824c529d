//! Position of a message over time, found from the message lanes of a waveform.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_wave::{CycleWindow, DrawnRow, WaveSignal, WaveSource, WaveValue, Waveform, rows};

/// Scope of the message lanes, and name of the signal that tells which message is there.
const LANES: &str = "testbench.messages.";
const MESSAGE: &str = "message";
/// Scope of the chips.
const CHIPS: &str = "testbench.network.";
/// Ending of the name of a signal that has the names of another one's values.
const NAME: &str = "_name";
/// Signals of a message's source that are shown beside it.
const OF_SOURCE: [&str; 3] = ["phase", "attempt", "packet"];

/// Rows that follow a message: the signals that are its own while it is there, from its source on
/// in the order in which it comes there, and the cycles in which it is anywhere.
pub(super) struct Followed {
    pub(super) rows: Vec<DrawnRow>,
    pub(super) window: CycleWindow,
}

/// Follows a message through a waveform, whose cycles have so many units of time.
pub(super) fn follow(
    mut reader: WaveSource,
    origin: &str,
    message: u32,
    period: u64,
) -> Result<Followed, Error> {
    let declared = reader.declared();
    let path = |scope: Option<usize>| scope.map_or(String::new(), |at| declared.scope_path(at));
    let is_lane =
        |signal: &WaveSignal| signal.name == MESSAGE && path(signal.scope).starts_with(LANES);
    let lanes: Vec<bool> = declared.signals.iter().map(is_lane).collect();
    if !lanes.contains(&true) {
        let message = "the waveform has no lanes of messages";
        let help = "record it with --set wave.lanes=true, and with scopes that have the chips";
        return Err(wrong(Class::Input, origin, message, help));
    }
    let phase = reader.phase(&lanes, period)?.unwrap_or(0);
    let wave = reader.some(&lanes, (0, u64::MAX))?;
    // Positions of the message: the time it comes, the time it goes, and the lane.
    let shown = u64::from(message) + 1;
    let mut places: Vec<(u64, u64, usize)> = Vec::new();
    for (signal, _) in lanes.iter().enumerate().filter(|(_, is_lane)| **is_lane) {
        places.extend(times(&wave, signal, shown).map(|(from, to)| (from, to, signal)));
    }
    let (Some(first), Some(last)) = (
        places.iter().map(|(from, ..)| *from).min(),
        places.iter().map(|(_, to, _)| *to).max(),
    ) else {
        let message = format!("message {message} is not there while the waveform is recorded");
        let help = "the first column of --messages has the ids; wave.window_cycles has to meet it";
        return Err(wrong(Class::Usage, origin, message, help));
    };
    let is_source = |signal: usize| of_source(&wave, signal).next().is_some();
    places.sort_by_key(|&(from, _, signal)| (!is_source(signal), from, signal));
    let mut shown = Vec::new();
    for (_, _, signal) in places {
        shown.push(signal);
        shown.extend(of_source(&wave, signal));
        shown.extend(states_of(&wave, signal));
    }
    let mut kept = vec![false; wave.signals.len()];
    shown.iter().for_each(|&signal| kept[signal] = true);
    let mut rows = rows(&wave, &kept);
    let place = |row: &DrawnRow| shown.iter().position(|&signal| row.signal == Some(signal));
    rows.sort_by_key(place);
    let cycle = |time: u64| time.saturating_sub(phase) / period.max(1);
    Ok(Followed {
        rows,
        window: CycleWindow {
            first: cycle(first),
            last: cycle(last),
        },
    })
}

fn wrong(class: Class, origin: &str, message: impl Into<String>, help: &str) -> Error {
    Error::one(class, origin, Diagnostic::new("--follow", message, help))
}

fn path_of(wave: &Waveform, signal: usize) -> String {
    let scope = wave.signals[signal].scope;
    scope.map_or(String::new(), |scope| wave.scope_path(scope))
}

/// Times at which a signal shows a value, as beginning and end; the end is the waveform's last time
/// if the value stays.
fn times(wave: &Waveform, signal: usize, shown: u64) -> impl Iterator<Item = (u64, u64)> {
    let changes = wave.changes(signal);
    let is_shown = move |value: &WaveValue| matches!(value, WaveValue::Known(v) if *v == shown);
    let places = changes.iter().enumerate();
    places
        .filter(move |(_, change)| is_shown(&change.value))
        .map(|(at, change)| {
            let to = changes.get(at + 1).map_or(wave.end, |next| next.time);
            (change.time, to)
        })
}

/// The signals of the source beside its message; none where the lane is that of a router's input.
fn of_source(wave: &Waveform, signal: usize) -> impl Iterator<Item = usize> {
    let scope = wave.signals[signal].scope;
    let beside = wave.signals.iter().enumerate();
    let is_of_source = |name: &str| OF_SOURCE.contains(&name.trim_end_matches(NAME));
    beside
        .filter(move |(_, other)| other.scope == scope && is_of_source(&other.name))
        .map(|(at, _)| at)
}

/// The state of the router's input that a lane is of, and its name, where they are recorded.
fn states_of(wave: &Waveform, signal: usize) -> Vec<usize> {
    let lane = path_of(wave, signal);
    let Some((router, input)) = lane
        .strip_prefix(LANES)
        .and_then(|lane| lane.rsplit_once('.'))
    else {
        return Vec::new();
    };
    let (scope, state) = (format!("{CHIPS}{router}"), format!("{input}_state"));
    let is_state = |signal: &WaveSignal| signal.name.trim_end_matches(NAME) == state;
    let signals = 0..wave.signals.len();
    let found = signals.filter(|&at| is_state(&wave.signals[at]) && path_of(wave, at) == scope);
    found.collect()
}
