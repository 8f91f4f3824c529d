//! Detection of the clocks among the signals of a waveform, for a period that is known.
//!
//! A *clock* is a scalar that is high for less than a period at a time, rises at one
//! phase of the period only, and rises in two periods one after the other. A signal
//! that changes at clock edges is high for at least a period, so it is none. Edges may
//! be absent for a while (quiet cycles, gated clocks), and a first value of 1 may be
//! the rest of a pulse. Nothing depends on names.

use super::value::WaveValue;
use super::waveform::{SignalKind, Waveform};

/// The phase at which this signal rises, below `period`, when it is a clock of that
/// period. Costs a pass over its changes, which ends at the first that is not a clock's.
pub fn phase_of(wave: &Waveform, signal: usize, period: u64) -> Option<u64> {
    let declared = &wave.signals[signal];
    if declared.kind != SignalKind::Bits || declared.width != 1 || period < 2 {
        return None;
    }
    let changes = wave.changes(signal);
    let one = |value: &WaveValue| *value == WaveValue::Known(1);
    let later = changes.iter().skip(1).find(|change| one(&change.value))?;
    let phase = later.time % period;
    let mut risen: Option<u64> = None;
    let mut consecutive = false;
    for (index, change) in changes.iter().enumerate() {
        match change.value {
            WaveValue::Known(1) if change.time % period == phase => {
                consecutive |= risen.is_some_and(|risen| change.time - risen == period);
                risen = Some(change.time);
            }
            WaveValue::Known(1) if index == 0 => {}
            WaveValue::Known(0) if risen.is_none_or(|risen| change.time - risen < period) => {}
            // Not known yet.
            _ if risen.is_none() && !one(&change.value) => {}
            _ => return None,
        }
    }
    consecutive.then_some(phase)
}

/// The phase at which the cycles of a waveform start: that of the clock that is
/// declared first; `None` when there is none.
pub fn phase(wave: &Waveform, period: u64) -> Option<u64> {
    let mut signals = 0..wave.signals.len();
    signals.find_map(|signal| phase_of(wave, signal, period))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The phase of a signal with these changes, for a period of 10.
    fn found(changes: &str) -> Option<u64> {
        let text = format!("$var wire 1 ! a $end $enddefinitions $end {changes}");
        let wave = crate::read("test", text.as_bytes()).expect("a waveform");
        phase_of(&wave, 0, 10)
    }

    #[test]
    fn clocks_are_told_from_data() {
        assert_eq!(found("#0 1! #5 0! #10 1! #15 0! #20 1!"), Some(0));
        assert_eq!(found("#0 0! #5 1! #10 0! #15 1! #20 0!"), Some(5));
        assert_eq!(found("#0 x! #3 0! #7 1! #8 0! #17 1! #18 0!"), Some(7));
        // The rest of a pulse, and cycles without edges.
        assert_eq!(found("#0 1! #3 0! #8 1! #13 0! #18 1!"), Some(8));
        assert_eq!(found("#0 1! #5 0! #10 1! #15 0! #90 1! #95 0!"), Some(0));
        for data in [
            "#0 0!",
            "#0 1! #10 0! #20 1! #30 0!",
            "#0 0! #5 1! #15 0! #25 1! #35 0!",
            "#0 0! #3 1! #6 0! #11 1! #14 0!",
            "#0 0! #5 1! #8 0! #35 1! #38 0!",
            "#0 1! #5 0! #10 1! #15 x! #20 1!",
        ] {
            assert_eq!(found(data), None, "{data}");
        }
    }
}
