//! The load at which the throughput of a network stops following what is offered.
//!
//! A load is *followed* when the backlog, the messages that were offered and not yet acknowledged,
//! grows in the window by at most [`SHORTFALL_MAX`] of what is offered. The replicates say so with
//! their 95 % interval; where that does not decide, and where a backlog that grows may be one that
//! still fills, runs are made twice as long; so are those with fewer messages than [`MESSAGES_MIN`].
//! The shortest ones offer messages for [`LATENCIES_MIN`] times the latency without load. Bisection
//! of the load then encloses the one at which this changes.
//!
//! Other tools call a network saturated where the mean latency is three times that without load.
//! [`tripled`] finds this load on a curve; the two differ, and both are told.

use serde::Serialize;

use super::grid::SweepPoint;
use super::lengthen::{doubled, steady};
use super::measures::Measured;
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::statistics::mean_and_half_width_95;
use crosswave_network::traffic::MESSAGES_MAX;
use crosswave_network::traffic::steady::CYCLES_MAX;
use crosswave_run::result::steady::slices::{BURSTS_MIN, GROWTH_MIN};

/// The mean latency at saturation, over that without load, by the other definition.
pub const LATENCY_RATIO: f64 = 3.0;

/// Growth of the backlog up to which a load is followed, as a fraction of what is offered.
pub const SHORTFALL_MAX: f64 = 0.01;

/// Width of the interval at which bisection ends, as a fraction of its end.
pub const WIDTH_MAX: f64 = 0.02;

/// Messages in the windows of all replicates by which a load is judged, at least.
pub const MESSAGES_MIN: u64 = 400;

/// Latencies without load that the shortest runs take.
pub const LATENCIES_MIN: f64 = 100.0;

/// Factor of the longest runs.
const TIMES_MAX: u64 = 16;

/// Digits that count of a load that is tried.
const DIGITS: i32 = 4;

/// Loads around the throughput at the largest one with which the search begins, over that
/// throughput.
const BELOW: f64 = 0.8;
const ABOVE: f64 = 1.2;

/// Halvings of the load in search of one that is followed.
const HALVINGS_MAX: u32 = 12;

/// Messages of a run without load, on average, and in bursts as many as [`ALONE_BURSTS`] have.
const ALONE_MESSAGES: u64 = 2_000;

/// Cycles between two messages of a run without load, on average, if the least load allows it; for
/// long messages and bursts [`ALONE_LENGTHS`] times their words.
const ALONE_CYCLES: u64 = 10_000;

/// Bursts of a run without load, on average, at least.
const ALONE_BURSTS: u64 = 50;

/// Words of messages or bursts for which there is time between two of them, on average.
const ALONE_LENGTHS: u64 = 50;

/// Measure of the messages in the window.
const MESSAGES: &str = "steady.messages";
/// Measure of the throughput.
const THROUGHPUT: &str = "steady.throughput_fraction";
/// Measure of the mean latency.
pub const LATENCY: &str = "steady.latency_cycles.mean";

/// Result of the search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Saturation {
    /// Throughput that the largest load that was followed has at least, in words per node and cycle:
    /// that load less the [`SHORTFALL_MAX`] that it may fall short.
    pub low_load_fraction: f64,
    /// The smallest load above it that was not followed, or 1 where even long runs do not tell
    /// whether that is followed; `None` when 1, the largest load there is, is followed.
    pub high_load_fraction: Option<f64>,
    /// Throughput at that load, or at 1, in words per node and cycle, in the longest run of it.
    pub throughput_fraction: f64,
    /// Mean latency of messages that meet no others; `None` when none were delivered.
    pub zero_load_latency_cycles: Option<f64>,
    /// Loads that were tried, in turn.
    pub tries: Vec<Try>,
}

impl Saturation {
    /// Middle of the interval, and half of its width; `None` when the largest load is followed.
    pub fn load_with_half_width(&self) -> Option<(f64, f64)> {
        let (low, high) = (self.low_load_fraction, self.high_load_fraction?);
        Some(((low + high) / 2.0, (high - low) / 2.0))
    }
}

/// A load that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Try {
    /// The load.
    pub load_fraction: f64,
    /// Cycles in which messages were offered.
    pub cycles: u64,
    /// Messages offered in the windows of all replicates.
    pub messages: u64,
    /// Words delivered per node and cycle.
    pub throughput_fraction: f64,
    /// Growth of the backlog, as a fraction of what was offered.
    pub shortfall_fraction: f64,
    /// Half of its 95 % interval.
    pub shortfall_half_width_95: f64,
    /// True when the load was followed; `None` when that could not be told.
    pub is_followed: Option<bool>,
}

/// Runs a point with exactly as many replicates as are to decide, and gives their numbers.
pub type Measure<'a> = dyn FnMut(&SweepPoint) -> Result<Measured, Error> + 'a;

/// The search at a point.
struct Search<'a, 'b> {
    point: &'a SweepPoint,
    measure: &'a mut Measure<'b>,
    tries: Vec<Try>,
}

/// Doubles the cycles of a point until its window has as many as are wanted; false when it may not have
/// so many.
fn lengthen(point: &mut SweepPoint, wanted_cycles: f64) -> bool {
    loop {
        let traffic = steady(point).expect("steady traffic");
        if (traffic.cycles - traffic.warmup_least_cycles()) as f64 >= wanted_cycles {
            return true;
        }
        match doubled(point) {
            Some(longer) => *point = longer,
            None => return false,
        }
    }
}

/// Searches for the saturation of a point of steady traffic, whatever its load is.
///
/// # Errors
/// When no load is followed, and as `measure`.
///
/// # Panics
/// The traffic is not steady.
pub fn find(point: &SweepPoint, measure: &mut Measure<'_>) -> Result<Saturation, Error> {
    let mut point = point.clone();
    let traffic = steady(&mut point).expect("steady traffic");
    let burst_cycles = traffic.burst_cycles();
    let shortest = BURSTS_MIN * burst_cycles;
    // All loads are tried, up to the largest.
    let load = std::mem::replace(&mut traffic.load, Decimal::ONE);
    let is_long = lengthen(&mut point, shortest);
    steady(&mut point).expect("steady traffic").load = load;
    if !is_long {
        let message = format!(
            "bursts take {burst_cycles:.0} cycles on average, and a run would need {shortest:.0} cycles and \
             more messages than it may have"
        );
        let help = "make bursts or messages shorter, or name a load with --vary instead";
        let diagnostic = Diagnostic::new("traffic.burst_messages", message, help);
        return Err(Error::one(Class::Usage, point.title(), diagnostic));
    }
    let zero_load_latency_cycles = zero_load_latency(&point, measure)?;
    let shortest = zero_load_latency_cycles.map_or(0.0, |cycles| LATENCIES_MIN * cycles);
    lengthen(&mut point, shortest);
    let mut search = Search {
        point: &point,
        measure,
        tries: Vec::new(),
    };
    let mut most = search.once(Decimal::ONE)?.1;
    search.tries.push(most);
    let guess = most.throughput_fraction.max(0.001);
    // A network that delivers nearly all of it may do so in longer runs.
    if ABOVE * guess >= 1.0 {
        most = search.follows(1.0)?;
        if most.is_followed == Some(true) {
            return Ok(Saturation {
                low_load_fraction: 1.0,
                high_load_fraction: None,
                throughput_fraction: most.throughput_fraction,
                zero_load_latency_cycles,
                tries: search.tries,
            });
        }
    }
    let mut high = (1.0, most);
    let mut low = BELOW * guess;
    let mut halvings = 0;
    let mut upper = ABOVE * guess;
    loop {
        let found = search.follows(low)?;
        if found.is_followed == Some(true) {
            low = found.load_fraction;
            break;
        }
        if found.is_followed == Some(false) {
            high = (found.load_fraction, found);
        }
        halvings += 1;
        if halvings > HALVINGS_MAX {
            let help = "see whether all messages can be delivered at all";
            let diagnostic = Diagnostic::new(
                "saturation",
                format!(
                    "at load {low:.6} throughput does not follow the offer, nor at those above"
                ),
                help,
            );
            return Err(Error::one(Class::Check, point.title(), diagnostic));
        }
        low /= 2.0;
    }
    while upper < high.0 {
        let found = search.follows(upper)?;
        match found.is_followed {
            Some(true) => low = found.load_fraction,
            Some(false) => high = (found.load_fraction, found),
            None => {}
        }
        upper *= 1.5;
    }
    // Loads between the two of which it cannot be told.
    let mut unknown: Option<(f64, f64)> = None;
    loop {
        let width = WIDTH_MAX * high.0;
        let (from, to) = unknown.unwrap_or(((low + high.0) / 2.0, (low + high.0) / 2.0));
        let next = if unknown.is_none() && high.0 - low > width {
            from
        } else if unknown.is_some() && from - low > width / 2.0 {
            (low + from) / 2.0
        } else if unknown.is_some() && high.0 - to > width / 2.0 {
            (to + high.0) / 2.0
        } else {
            break;
        };
        // Loads have so few digits that this one may be known.
        let next = rounded(next, DIGITS).to_f64();
        if search.tries.iter().any(|one| one.load_fraction == next) {
            break;
        }
        let found = search.follows(next)?;
        let load = found.load_fraction;
        match found.is_followed {
            Some(true) if load > low => low = load,
            Some(false) if load < high.0 => high = (load, found),
            None if low < load && load < high.0 => {
                unknown = Some((from.min(load), to.max(load)));
            }
            // The load has no more digits.
            _ => break,
        }
        unknown = unknown.filter(|&(from, to)| low < from && to < high.0);
    }
    Ok(Saturation {
        // In whole millionths, as loads are.
        low_load_fraction: (low * (1.0 - SHORTFALL_MAX) * 1e6).round() / 1e6,
        high_load_fraction: Some(high.0),
        throughput_fraction: high.1.throughput_fraction,
        zero_load_latency_cycles,
        tries: search.tries,
    })
}

impl Search<'_, '_> {
    /// Tells whether a load is followed, which is rounded to four digits.
    fn follows(&mut self, load: f64) -> Result<Try, Error> {
        let load = rounded(load, DIGITS);
        let (mut point, mut found) = self.once(load)?;
        let mut times = 1;
        let mut before = None;
        found.is_followed = loop {
            let (mean, half) = (found.shortfall_fraction, found.shortfall_half_width_95);
            let has_enough = found.messages >= MESSAGES_MIN;
            if has_enough && mean + half <= SHORTFALL_MAX {
                break Some(true);
            }
            let falls_behind = has_enough && mean - half > SHORTFALL_MAX;
            if falls_behind && before.is_some_and(|before| mean - half > GROWTH_MIN * before) {
                break Some(false);
            }
            times *= 2;
            let longer = doubled(&point).filter(|_| times <= TIMES_MAX);
            let Some(longer) = longer else {
                break falls_behind.then_some(false);
            };
            before = Some(mean);
            self.tries.push(found);
            (point, found) = self.one(longer)?;
        };
        self.tries.push(found);
        Ok(found)
    }

    /// Runs a load with the cycles of the point, or fewer where these would make too many messages.
    fn once(&mut self, load: Decimal) -> Result<(SweepPoint, Try), Error> {
        let mut point = self.point.clone();
        let nodes = point.config.network.nodes();
        let traffic = steady(&mut point).expect("steady traffic");
        traffic.load = load;
        while !traffic.faults(nodes).is_empty() && traffic.cycles > 2 {
            traffic.cycles /= 2;
            traffic.warmup_cycles = traffic.warmup_cycles.map(|cycles| cycles / 2);
        }
        point
            .settings
            .push(format!("traffic.load={}", load.to_f64()));
        self.one(point)
    }

    /// Runs a point up to the end of its window.
    fn one(&mut self, mut point: SweepPoint) -> Result<(SweepPoint, Try), Error> {
        let traffic = steady(&mut point).expect("steady traffic");
        let (load, cycles) = (traffic.load, traffic.cycles);
        // Messages that are still under way then are not waited for.
        point.config.run.cycles_max = Some(cycles);
        let measured = (self.measure)(&point)?;
        let shortfalls = measured.shortfalls(&point.config);
        let (mean, half) = mean_and_half_width_95(&shortfalls).unwrap_or((0.0, None));
        let mean_of = |name| measured.mean(name, measured.len());
        let (throughput, messages) = (mean_of(THROUGHPUT), mean_of(MESSAGES));
        let replicates = measured.len() as f64;
        let found = Try {
            load_fraction: load.to_f64(),
            cycles,
            messages: messages.map_or(0.0, |(mean, _)| mean * replicates).round() as u64,
            throughput_fraction: throughput.map_or(0.0, |(mean, _)| mean),
            shortfall_fraction: mean,
            shortfall_half_width_95: half.unwrap_or(f64::INFINITY),
            is_followed: None,
        };
        Ok((point, found))
    }
}

/// A load with so many digits that count, from a millionth to 1.
pub fn rounded(load: f64, digits: i32) -> Decimal {
    let unit = 10_f64.powf((load.log10().floor() - f64::from(digits - 1)).max(-6.0));
    let millionths = ((load / unit).round() * unit * 1e6).round() as u64;
    let millionths = millionths.clamp(1, Decimal::ONE.millionths());
    Decimal::of_millionths(millionths).expect("from a millionth to 1")
}

/// Mean latency of messages that hardly ever meet another one, over replicates; `None` when none were
/// delivered.
fn zero_load_latency(point: &SweepPoint, measure: &mut Measure<'_>) -> Result<Option<f64>, Error> {
    let mut point = point.clone();
    let nodes = point.config.network.nodes();
    let traffic = steady(&mut point).expect("steady traffic");
    let nodes = u64::from(traffic.destinations.senders(nodes));
    let words = traffic.words.mean().ceil() as u64;
    // Messages of a burst wait for each other at any load.
    let burst = u64::from(traffic.burst_messages);
    let apart = ALONE_CYCLES.max(ALONE_LENGTHS * words * burst);
    let millionths = 1_000_000 * words * burst / (nodes * apart);
    let millionths = millionths.clamp(1, Decimal::ONE.millionths());
    traffic.load = Decimal::of_millionths(millionths).expect("from a millionth to 1");
    let messages = ALONE_MESSAGES.max(ALONE_BURSTS * burst).min(MESSAGES_MAX);
    let cycles = messages * words * 1_000_000 / (nodes * millionths);
    traffic.cycles = cycles.clamp(1, CYCLES_MAX);
    traffic.warmup_cycles = Some(0);
    point.config.run.cycles_max = None;
    point.settings.push("without load".into());
    let measured = measure(&point)?;
    Ok(measured.mean(LATENCY, measured.len()).map(|(mean, _)| mean))
}

/// The load at which the mean latency passes [`LATENCY_RATIO`] times that without load, in
/// words per node and cycle, given loads in rising order with their mean latencies. `None`
/// when it stays below, or a latency that decides is not known.
pub fn tripled(
    zero_load_latency_cycles: f64,
    points: impl IntoIterator<Item = (f64, Option<f64>)>,
) -> Option<f64> {
    let limit = LATENCY_RATIO * zero_load_latency_cycles;
    let mut before = (0.0, zero_load_latency_cycles);
    for (load, mean) in points {
        let mean = mean?;
        if mean > limit {
            let (load_before, mean_before) = before;
            let share = (limit - mean_before) / (mean - mean_before);
            return Some(load_before + share * (load - load_before));
        }
        before = (load, mean);
    }
    None
}
