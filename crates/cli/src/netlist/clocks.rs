//! Clocks of `crosswave netlist`.

use super::super::usage;
use super::NetlistArgs;
use crosswave_base::diagnostic::Error;
use crosswave_design::{ClockPeriod, Clocks};

/// Cycles of a period, or before the first one, at most.
const PERIOD_MAX: u64 = 1 << 32;

/// A clock of the command line.
#[derive(Debug, Clone)]
pub(super) struct ClockArg {
    name: String,
    /// Its period, and the cycles before the first one.
    period: Option<(u64, u64)>,
}

/// Reads `NAME`, `NAME=PERIOD` or `NAME=PERIOD+SHIFT`.
pub(super) fn parse(text: &str) -> Result<ClockArg, String> {
    // A comma is a mistake, unless it is in the name.
    let split = match text.split_once('=') {
        Some((_, rest)) if rest.contains(',') => text.split_once('='),
        _ => text.rsplit_once('='),
    };
    let Some((name, period)) = split else {
        let name = text.to_owned();
        return Ok(ClockArg { name, period: None });
    };
    let (period, shift) = period.split_once('+').unwrap_or((period, "0"));
    let number = |what: &str, text: &str, least: u64| {
        let number = text.parse().ok();
        number
            .filter(|number| (least..=PERIOD_MAX).contains(number))
            .ok_or_else(|| {
                let more = match text {
                    _ if text.contains(',') => "; give --clock again for another clock",
                    _ if text.contains('.') => {
                        "; a cycle is the unit of all periods and shifts: for 1 and 1.5 write 2 and 3"
                    }
                    _ => "",
                };
                format!(
                    "the {what} is `{text}`, expected a whole number of cycles from {least} to \
                     {PERIOD_MAX}{more}"
                )
            })
    };
    Ok(ClockArg {
        name: name.to_owned(),
        period: Some((number("period", period, 1)?, number("shift", shift, 0)?)),
    })
}

/// The clocks that the arguments describe.
pub(super) fn clocks(args: &NetlistArgs) -> Result<Clocks, Error> {
    let periods = args.clock.iter().filter_map(|clock| {
        let (period, shift) = clock.period?;
        Some(ClockPeriod {
            name: clock.name.clone(),
            period,
            shift,
        })
    });
    let periods: Vec<ClockPeriod> = periods.collect();
    match &args.clock[..] {
        [] if args.stimulus.is_empty() => Ok(Clocks::One(None)),
        [] => Ok(Clocks::OfStimulus),
        [ClockArg { name, period: None }] => Ok(Clocks::One(Some(name.clone()))),
        all if periods.len() == all.len() => Ok(Clocks::Periods(periods)),
        all => {
            let lacking = all.iter().find(|clock| clock.period.is_none());
            let name = lacking.map_or("", |clock| &clock.name);
            Err(usage(
                "--clock",
                format!(
                    "{} clocks are given, and `{name}` without a period",
                    all.len()
                ),
                &format!(
                    "write `{name}=CYCLES`, or leave all out if a waveform with the clocks is the stimulus"
                ),
            ))
        }
    }
}
