//! Switching activity for power tools: backward SAIF, as in IEEE 1801, annex I.
//!
//! The file has no date, so the same waveform gives the same bytes.

use std::io::{self, Write};

use super::activity::bit_activity;
use super::timescale::Timescale;
use super::waveform::{SignalKind, WaveSignal, Waveform};

/// The instance of signals that are in no scope.
const NO_SCOPE: &str = "top";

/// Writes the activity of the vectors that are kept from `times.0` to before `times.1`. A waveform without a
/// unit of time counts nanoseconds.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// When `kept` has not one entry per signal.
pub fn write(
    wave: &Waveform,
    kept: &[bool],
    times: (u64, u64),
    out: &mut dyn Write,
) -> io::Result<()> {
    let unit = wave.timescale.unwrap_or(Timescale::NANOSECOND);
    writeln!(
        out,
        "(SAIFILE\n(SAIFVERSION \"2.0\")\n(DIRECTION \"backward\")\n(DESIGN )\n(VENDOR \"crosswave\")\n\
         (PROGRAM_NAME \"crosswave\")\n(VERSION \"{}\")\n(DIVIDER / )\n(TIMESCALE {unit})\n(DURATION {})",
        env!("CARGO_PKG_VERSION"),
        times.1.saturating_sub(times.0)
    )?;
    let tree = Tree::new(wave, kept);
    // A scope to enter, or the end of one.
    let mut steps: Vec<Option<usize>> = Vec::new();
    if !tree.signals[0].is_empty() {
        writeln!(out, "(INSTANCE {NO_SCOPE}")?;
        nets(wave, &tree.signals[0], times, out)?;
        writeln!(out, ")")?;
    }
    steps.extend(tree.children[0].iter().rev().map(|&scope| Some(scope)));
    while let Some(step) = steps.pop() {
        let Some(scope) = step else {
            writeln!(out, ")")?;
            continue;
        };
        writeln!(out, "(INSTANCE {}", escaped(&wave.scopes[scope].name))?;
        nets(wave, &tree.signals[scope + 1], times, out)?;
        steps.push(None);
        steps.extend(
            tree.children[scope + 1]
                .iter()
                .rev()
                .map(|&scope| Some(scope)),
        );
    }
    writeln!(out, ")")
}

/// The scopes that have signals to write, and these; those outside of scopes first.
struct Tree {
    children: Vec<Vec<usize>>,
    signals: Vec<Vec<usize>>,
}

impl Tree {
    fn new(wave: &Waveform, kept: &[bool]) -> Tree {
        let place = |scope: Option<usize>| scope.map_or(0, |scope| scope + 1);
        let mut signals = vec![Vec::new(); wave.scopes.len() + 1];
        for (index, (signal, &kept)) in wave.signals.iter().zip(kept).enumerate() {
            if kept && signal.kind == SignalKind::Bits {
                signals[place(signal.scope)].push(index);
            }
        }
        let mut children = vec![Vec::new(); wave.scopes.len() + 1];
        // A scope comes before those it encloses.
        for scope in (0..wave.scopes.len()).rev() {
            if !signals[scope + 1].is_empty() || !children[scope + 1].is_empty() {
                children[place(wave.scopes[scope].parent)].push(scope);
            }
        }
        children
            .iter_mut()
            .for_each(|scopes: &mut Vec<usize>| scopes.reverse());
        Tree { children, signals }
    }
}

/// Writes the nets of a scope.
fn nets(
    wave: &Waveform,
    signals: &[usize],
    times: (u64, u64),
    out: &mut dyn Write,
) -> io::Result<()> {
    if signals.is_empty() {
        return Ok(());
    }
    writeln!(out, "(NET")?;
    for &index in signals {
        let signal = &wave.signals[index];
        let (name, first, step) = indices(signal);
        let name = escaped(name);
        for (at, bit) in (0..).zip(bit_activity(wave.changes(index), signal.width, times)) {
            match first {
                Some(first) => write!(out, " ({name}\\[{}\\]", first + step * at)?,
                None => write!(out, " ({name}")?,
            }
            writeln!(
                out,
                " (T0 {}) (T1 {}) (TX {}) (TZ {}) (TC {}) (IG 0))",
                bit.zero, bit.one, bit.unknown, bit.floating, bit.toggles
            )?;
        }
    }
    writeln!(out, ")")
}

/// The name of a signal without its range, the index of its least significant bit, and the step to the next.
fn indices(signal: &WaveSignal) -> (&str, Option<i64>, i64) {
    let name = signal.name.strip_prefix('\\').unwrap_or(&signal.name);
    if signal.had_range || signal.width > 1 {
        let range = name
            .strip_suffix(']')
            .and_then(|name| name.rsplit_once('['));
        let ends = range.and_then(|(base, range)| Some((base, range.split_once(':')?)));
        let ends = ends.and_then(|(base, (left, right))| {
            let ends: (i64, i64) = (left.parse().ok()?, right.parse().ok()?);
            (ends.0.abs_diff(ends.1) + 1 == u64::from(signal.width)).then_some((base, ends))
        });
        return match ends {
            Some((base, (left, right))) => (base, Some(right), if left < right { -1 } else { 1 }),
            None => (name, Some(0), 1),
        };
    }
    (name, None, 1)
}

/// A name in which a backslash stands before everything but letters, digits, `_` and `$`.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for character in name.strip_prefix('\\').unwrap_or(name).chars() {
        if !(character.is_alphanumeric() || matches!(character, '_' | '$')) {
            text.push('\\');
        }
        text.push(character);
    }
    text
}
