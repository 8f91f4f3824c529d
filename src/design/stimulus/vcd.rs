//! Stimuli from waveforms.
//!
//! Cycle c takes the inputs as they stood just before the rising edge of the clock
//! that ends it: rising edge c of the waveform, counted from 0. A change to 1 is a
//! rising edge unless it is the first value. A waveform without the clock is sampled
//! every *period* units of time: cycle c at the last instant before (c + 1) periods.
//!
//! Inputs are found by name in one scope: the one given, else the one that has most of
//! them, the first of equals. Inputs that it does not have are not driven.

use super::{Drive, Stimulus, listed};
use crate::design::run::RunPort;
use crate::diagnostic::{Class, Diagnostic, Report};
use crate::wave::Bit;
use crate::wave::waveform::{SignalKind, WaveValue, Waveform};

/// How a waveform is sampled.
#[derive(Debug, Clone, Default)]
pub struct Sampling<'a> {
    /// Dotted path of the scope that has the inputs.
    pub scope: Option<&'a str>,
    /// Units of time of a cycle; `None` to use the clock.
    pub period: Option<u64>,
}

/// Samples a waveform for these inputs and this clock; `origin` names it in reports.
///
/// # Errors
/// When no scope has inputs, when an input has another width, and when there is
/// neither a clock nor a period.
pub fn sample(
    origin: &str,
    wave: &Waveform,
    inputs: &[RunPort],
    clock: Option<&str>,
    sampling: &Sampling<'_>,
) -> Result<Stimulus, Report> {
    let report = |place: &str, message: String, help: String| {
        Report::one(Class::Input, origin, Diagnostic::new(place, message, help))
    };
    let mut by_scope = vec![Vec::new(); wave.scopes.len() + 1];
    for (index, signal) in wave.signals.iter().enumerate() {
        if signal.kind != SignalKind::Bits {
            continue;
        }
        let scope = signal.scope.map_or(0, |scope| scope + 1);
        if let Some(input) = inputs
            .iter()
            .position(|port| port.name == plain(&signal.name))
        {
            by_scope[scope].push((input, index));
        }
    }
    let wanted = |scope: usize| match sampling.scope {
        None => true,
        Some(path) => scope > 0 && wave.scope_path(scope - 1) == path,
    };
    let found = (0..by_scope.len())
        .filter(|&scope| wanted(scope))
        .max_by_key(|&scope| (by_scope[scope].len(), usize::MAX - scope));
    let Some(scope) = found.filter(|&scope| !by_scope[scope].is_empty() || inputs.is_empty())
    else {
        let place = sampling.scope.unwrap_or("all scopes");
        let message = "no variable has the name of an input".to_owned();
        return Err(report(place, message, listed(inputs)));
    };
    let of_scope = |name: &str| {
        wave.signals.iter().position(|signal| {
            plain(&signal.name) == name && signal.scope.map_or(0, |scope| scope + 1) == scope
        })
    };
    for &(input, signal) in &by_scope[scope] {
        let (port, width) = (&inputs[input], wave.signals[signal].width);
        if width as usize != port.width {
            return Err(report(
                &wave.path(signal),
                format!("{width} bits, but the input has {}", port.width),
                "record the netlist that is run".to_owned(),
            ));
        }
    }
    let times: Vec<u64> = match (sampling.period, clock.and_then(of_scope)) {
        (Some(period), _) => {
            let cycles = wave.end / period;
            (1..=cycles).map(|cycle| cycle * period).collect()
        }
        (None, Some(clock)) => rising(wave, clock),
        (None, None) => {
            return Err(report(
                "clock",
                match clock {
                    Some(clock) => format!("the scope of the inputs has no variable `{clock}`"),
                    None => "the design has no clock to sample at".to_owned(),
                },
                "give the length of a cycle with --period".to_owned(),
            ));
        }
    };
    let mut drives = Vec::new();
    for &(input, signal) in &by_scope[scope] {
        let changes = wave.changes(signal);
        let mut next = 0;
        for (cycle, &time) in times.iter().enumerate() {
            let before = next;
            while changes.get(next).is_some_and(|change| change.time < time) {
                next += 1;
            }
            if next > before {
                drives.push(Drive {
                    cycle: cycle as u64,
                    input,
                    bits: bits(&changes[next - 1].value, inputs[input].width),
                });
            }
        }
    }
    drives.sort_by_key(|drive| drive.cycle);
    let mut known: Vec<usize> = by_scope[scope].iter().map(|&(input, _)| input).collect();
    known.sort_unstable();
    known.dedup();
    Ok(Stimulus {
        drives,
        cycles: times.len() as u64,
        inputs: known,
        next: 0,
    })
}

/// A name without the backslash that Icarus Verilog leaves on escaped ones.
fn plain(name: &str) -> &str {
    name.strip_prefix('\\').unwrap_or(name)
}

/// The times of the rising edges of a signal.
fn rising(wave: &Waveform, clock: usize) -> Vec<u64> {
    let changes = wave.changes(clock);
    let later = changes.iter().skip(1);
    later
        .filter(|change| change.value == WaveValue::Known(1))
        .map(|change| change.time)
        .collect()
}

fn bits(value: &WaveValue, width: usize) -> Vec<Bit> {
    (0..width as u32)
        .map(|position| value.bit(position).unwrap_or(Bit::X))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_taken_just_before_the_edge() {
        let text = "$scope module t $end $var wire 1 ! clk $end $var wire 2 # a $end
            $upscope $end $enddefinitions $end
            #0 0! b0 # #5 1! b1 # #10 0! #15 1! #17 b10 # #20 0! #25 1!";
        let wave = crate::wave::read("t", text.as_bytes()).unwrap();
        let inputs = [RunPort {
            name: "a".to_owned(),
            width: 2,
            first: 0,
        }];
        let sampling = Sampling::default();
        let stimulus = sample("t", &wave, &inputs, Some("clk"), &sampling).unwrap();
        assert_eq!(stimulus.cycles, 3);
        let found: Vec<(u64, Bit, Bit)> = stimulus
            .drives
            .iter()
            .map(|drive| (drive.cycle, drive.bits[1], drive.bits[0]))
            .collect();
        let (zero, one) = (Bit::Zero, Bit::One);
        assert_eq!(found, [(0, zero, zero), (1, zero, one), (2, one, zero)]);
        let sampling = Sampling {
            period: Some(10),
            ..Sampling::default()
        };
        let stimulus = sample("t", &wave, &inputs, None, &sampling).unwrap();
        assert_eq!(stimulus.cycles, 2);
        assert!(sample("t", &wave, &inputs, None, &Sampling::default()).is_err());
    }
}
