//! Slices of the time in which steady traffic is offered, and whether they show a steady state.
//!
//! The time from the least warm-up to the last offer is cut into [`SLICES`] slices. Two series
//! are looked at: the mean latency of the messages offered in a slice, and the *backlog* at its
//! end, which is the number of messages that were offered and not yet acknowledged. Both are
//! means over the replicates. In a steady state neither has a trend; above saturation the backlog
//! grows as long as messages are offered, which is the offered load less the throughput, added
//! up; and where the warm-up is too short both still rise.
//!
//! Near saturation the absence of a trend says little, since queues take long to settle: the
//! relaxation time of a single-server queue grows as the square of the mean time in it over the
//! service time (Cohen 1982, "The Single Server Queue"). With the mean latency and that from the first head on
//! the wire for the two, a window of fewer than `SETTLINGS_MIN` such times is too short to tell.

use serde::{Deserialize, Serialize, Serializer};

use crosswave_base::statistics::stationarity::{SLICES, TREND_LEVEL, Trend, batch_means, warmup};
use crosswave_network::traffic::SteadyConfig;
use crosswave_network::traffic::steady::CYCLES_MAX;
use crosswave_probe::message::{MessageRecord, NEVER};

/// Slices that a warm-up may leave out beside those before the first: none, and an eighth, a
/// quarter and three eighths, so that it is a fifth, three tenths, four tenths or a half of the
/// cycles in which messages are offered.
pub const STARTS: [usize; 4] = [0, 10, 20, 30];

/// Messages of a twentieth of the window, on average and over all replicates, for its mean to be
/// of use.
const MESSAGES_MIN: u64 = 20;

/// Twentieths of the window.
const TWENTIETHS: u64 = 20;

/// The largest change of the latency over the window that may stay unseen in a steady state, as a
/// fraction of its mean.
const UNSEEN_MAX: f64 = 0.5;

/// Times in which queues settle that the window of a steady state has at least.
const SETTLINGS_MIN: f64 = 20.0;

/// Times that a burst takes on average, which the window of a steady state has at least.
pub const BURSTS_MIN: f64 = 20.0;

/// Growth of the backlog in the second half of the time, over that in the first one, above
/// which it is taken to grow for ever. At saturation, where it grows as the square root of the
/// time, this is 0.7, and below it is less.
pub const GROWTH_MIN: f64 = 0.75;

/// Share of the offered messages by which the backlog grows at least above saturation.
const SHORTFALL_MIN: f64 = 0.01;

/// The slices of a configuration's time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slicing {
    /// The first cycle of the first slice.
    from: u64,
    /// The last cycle of the last slice.
    to: u64,
    /// True when the warm-up is to be found from the data.
    pub is_found: bool,
    /// Messages of a burst on average.
    burst_messages: u32,
    /// Cycles of a burst on average; 0 without bursts.
    burst_cycles: f64,
}

impl Slicing {
    /// Those of some steady traffic.
    pub fn new(traffic: &SteadyConfig) -> Slicing {
        Slicing {
            from: traffic.warmup_least_cycles() + 1,
            to: traffic.cycles,
            is_found: traffic.warmup_cycles.is_none(),
            burst_messages: traffic.burst_messages,
            burst_cycles: traffic.burst_cycles(),
        }
    }

    /// The slices at which the window may begin.
    pub fn starts(&self) -> &'static [usize] {
        match self.is_found {
            true => &STARTS,
            false => &STARTS[..1],
        }
    }

    /// The slice of a cycle; `None` outside of all.
    #[inline]
    pub fn slice(&self, cycle: u64) -> Option<usize> {
        if cycle < self.from || cycle > self.to {
            return None;
        }
        // At most 10^9 cycles.
        Some(((cycle - self.from) * SLICES as u64 / (self.to - self.from + 1)) as usize)
    }

    /// The window that begins with a slice.
    pub fn window(&self, start: usize) -> (u64, u64) {
        let cycles = self.to - self.from + 1;
        let before = (start as u64 * cycles).div_ceil(SLICES as u64);
        (self.from + before, self.to)
    }
}

/// Sums over the messages of replicates, by slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slices {
    /// Messages offered in each slice.
    offered: Vec<u64>,
    /// Words of those.
    offered_words: Vec<u64>,
    /// Words of the messages delivered in each slice.
    delivered_words: Vec<u64>,
    /// Messages offered in each slice and acknowledged at any time.
    acknowledged: Vec<u64>,
    /// Cycles from their offers to their acknowledgements.
    latency_cycles: Vec<u64>,
    /// Cycles from their first heads on the wire to their acknowledgements.
    network_cycles: Vec<u64>,
    /// Growth of the backlog: first what it was before the slices, then in each.
    growth: Vec<i64>,
}

impl Default for Slices {
    fn default() -> Slices {
        Slices {
            offered: vec![0; SLICES],
            offered_words: vec![0; SLICES],
            delivered_words: vec![0; SLICES],
            acknowledged: vec![0; SLICES],
            latency_cycles: vec![0; SLICES],
            network_cycles: vec![0; SLICES],
            growth: vec![0; SLICES + 1],
        }
    }
}

impl Slices {
    /// Takes in a message, and tells the slices in which it was offered and delivered.
    #[inline]
    pub fn take_in(
        &mut self,
        slicing: Slicing,
        message: &MessageRecord,
    ) -> (Option<usize>, Option<usize>) {
        // Place 0 is before the slices; `None` is behind them.
        let place = |cycle: u64| match cycle {
            cycle if cycle < slicing.from => Some(0),
            cycle => slicing.slice(cycle).map(|slice| slice + 1),
        };
        let delivered = slicing.slice(message.delivered_cycle);
        if let Some(slice) = delivered {
            self.delivered_words[slice] += u64::from(message.words);
        }
        let Some(offered) = place(message.offered_cycle) else {
            return (None, delivered);
        };
        self.growth[offered] += 1;
        if message.acknowledged_cycle != NEVER
            && let Some(acknowledged) = place(message.acknowledged_cycle)
        {
            self.growth[acknowledged] -= 1;
        }
        let slice = offered.checked_sub(1);
        if let Some(slice) = slice {
            self.offered[slice] += 1;
            self.offered_words[slice] += u64::from(message.words);
            if message.came_through() {
                self.acknowledged[slice] += 1;
                self.latency_cycles[slice] += message.latency_cycles();
                self.network_cycles[slice] += message.acknowledged_cycle - message.sent_cycle;
            }
        }
        (slice, delivered)
    }

    /// Adds the sums of another replicate.
    pub fn add(&mut self, other: &Slices) {
        fn sum<T: Copy + std::ops::AddAssign>(all: &mut [T], more: &[T]) {
            all.iter_mut()
                .zip(more)
                .for_each(|(all, &more)| *all += more);
        }
        sum(&mut self.offered, &other.offered);
        sum(&mut self.offered_words, &other.offered_words);
        sum(&mut self.delivered_words, &other.delivered_words);
        sum(&mut self.acknowledged, &other.acknowledged);
        sum(&mut self.latency_cycles, &other.latency_cycles);
        sum(&mut self.network_cycles, &other.network_cycles);
        sum(&mut self.growth, &other.growth);
    }

    /// Mean latency of the messages offered in each slice. One without messages has the latency of
    /// the one before it.
    fn latencies(&self) -> Vec<f64> {
        let sums = self.latency_cycles.iter().zip(&self.acknowledged);
        let known = self.acknowledged.iter().position(|&messages| messages > 0);
        let first = known.map_or(0.0, |at| {
            self.latency_cycles[at] as f64 / self.acknowledged[at] as f64
        });
        let latencies = sums.scan(first, |last, (&cycles, &messages)| {
            if messages > 0 {
                *last = cycles as f64 / messages as f64;
            }
            Some(*last)
        });
        latencies.collect()
    }

    /// Backlog at the end of each slice, of all replicates.
    fn backlogs(&self) -> Vec<f64> {
        let backlogs = self.growth.iter().scan(0, |backlog, growth| {
            *backlog += growth;
            Some(*backlog as f64)
        });
        backlogs.skip(1).collect()
    }

    /// The slice with which the window begins.
    pub fn start(&self, slicing: Slicing) -> usize {
        let starts = slicing.starts().iter().copied();
        let series = [self.latencies(), self.backlogs()];
        let found = series.map(|series| warmup(&series, starts.clone()));
        found[0].max(found[1])
    }

    /// Cycles in which queues settle, roughly, by the messages offered from a slice on.
    fn settling_cycles(&self, start: usize) -> f64 {
        let sum = |of: &[u64]| of[start..].iter().sum::<u64>() as f64;
        let messages = sum(&self.acknowledged).max(1.0);
        let (latency, network) = (sum(&self.latency_cycles), sum(&self.network_cycles));
        latency * latency / network.max(1.0) / messages
    }

    /// Standard errors of the mean latency and of the words delivered per slice, by means of
    /// batches; and the number of batches.
    pub fn errors_of_batches(&self, start: usize) -> Option<BatchErrors> {
        let latencies = &self.latencies()[start..];
        let trend = Trend::of(latencies).filter(Trend::is_independent)?;
        let words = self.delivered_words[start..].iter();
        let delivered: Vec<f64> = words.map(|&words| words as f64).collect();
        let error = |series: &[f64]| {
            let means = batch_means(series, trend.batches);
            super::standard_error(&means).unwrap_or_default()
        };
        Some(BatchErrors {
            batches: trend.batches as u32,
            latency_mean: error(latencies),
            words_per_slice: error(&delivered),
        })
    }

    /// Verdict on the window that begins with a slice.
    pub fn stationarity(&self, slicing: Slicing, start: usize) -> Stationarity {
        if let Some((explanation, wants_replicates)) = self.too_few_bursts(slicing, start) {
            return Stationarity {
                wants_replicates,
                explanation,
                ..Stationarity::default()
            };
        }
        let messages: u64 = self.acknowledged[start..].iter().sum();
        let least = MESSAGES_MIN * TWENTIETHS;
        let offered: u64 = self.offered[start..].iter().sum();
        let backlogs = self.backlogs();
        // An overload may have hardly any message acknowledged by the end of the run.
        if messages < least && offered >= least && self.grows_for_ever(&backlogs) {
            return Stationarity {
                verdict: Verdict::NotStationary,
                latency_trend: None,
                backlog_trend: Trend::of(&backlogs[start..]).map(SliceTrend::from),
                above_saturation: true,
                wants_replicates: false,
                explanation: self.overload(start),
            };
        }
        if messages < least {
            return Stationarity {
                verdict: Verdict::TooShort,
                latency_trend: None,
                backlog_trend: None,
                above_saturation: false,
                wants_replicates: true,
                explanation: format!(
                    "too few messages: {messages} in the window, {least} are needed; offer messages \
                     for more cycles, or run more replicates"
                ),
            };
        }
        let latencies = self.latencies();
        let trends = [&latencies, &backlogs].map(|series| Trend::of(&series[start..]));
        let found = || trends.iter().flatten();
        let unseen = trends[0].map_or(0.0, |trend| trend.detectable_fraction());
        let (from, to) = slicing.window(start);
        let settling = self.settling_cycles(start);
        let needed = SETTLINGS_MIN * settling;
        let is_short = needed > (to - from + 1) as f64;
        let grows_for_ever = self.grows_for_ever(&backlogs);
        // Batches of a short window depend on each other more than they show.
        let level = match is_short && !grows_for_ever {
            true => TREND_LEVEL / 10.0,
            false => TREND_LEVEL,
        };
        let verdict = if found().any(|trend| trend.is_significant_at(level)) {
            Verdict::NotStationary
        } else if is_short || unseen > UNSEEN_MAX || !found().all(Trend::is_independent) {
            Verdict::TooShort
        } else {
            Verdict::Stationary
        };
        let above_saturation = verdict == Verdict::NotStationary && grows_for_ever;
        let explanation = match verdict {
            Verdict::Stationary => "neither latency nor backlog has a trend".to_owned(),
            Verdict::NotStationary if above_saturation => self.overload(start),
            Verdict::NotStationary => {
                let more = match slicing.is_found {
                    true => String::new(),
                    false => format!(", or leave out more than {} as warm-up", from - 1),
                };
                format!(
                    "queues still fill or empty; offer messages for more cycles, such as \
                     traffic.cycles = {}{more}",
                    longer(to, needed)
                )
            }
            Verdict::TooShort if is_short => format!(
                "queues take about {settling:.0} cycles to settle, and the window is shorter than \
                 {SETTLINGS_MIN} settling times; offer messages for more cycles, such as \
                 traffic.cycles = {}",
                longer(to, needed)
            ),
            Verdict::TooShort if unseen > UNSEEN_MAX => format!(
                "latencies differ so much that a change of {:.0} % over the window would not be seen; \
                 offer messages for more cycles, or run more replicates",
                100.0 * unseen
            ),
            Verdict::TooShort => {
                "latencies or backlogs of successive tenths of the window are correlated: queues \
                 change slowly; offer messages for more cycles"
                    .to_owned()
            }
        };
        let [latency_trend, backlog_trend] = trends.map(|trend| trend.map(SliceTrend::from));
        Stationarity {
            verdict,
            latency_trend,
            backlog_trend,
            above_saturation,
            wants_replicates: verdict == Verdict::TooShort && !is_short && unseen > UNSEEN_MAX,
            explanation,
        }
    }

    /// The reason why bursts are too long or too few in the window that begins with a slice for any
    /// verdict, and whether more replicates may help: the load of a few of them is not the mean one, and
    /// the load rises during the first ones.
    fn too_few_bursts(&self, slicing: Slicing, start: usize) -> Option<(String, bool)> {
        let cycles = slicing.burst_cycles;
        if cycles == 0.0 {
            return None;
        }
        let (from, to) = slicing.window(start);
        let needed = BURSTS_MIN * cycles;
        if needed > (to - from + 1) as f64 {
            let explanation = format!(
                "bursts are too long: a burst takes {cycles:.0} cycles on average, and the window is \
                 shorter than {BURSTS_MIN} of them; offer messages for more cycles, such as \
                 traffic.cycles = {}",
                longer(to, needed)
            );
            return Some((explanation, false));
        }
        let offered: u64 = self.offered[start..].iter().sum();
        let bursts = offered as f64 / f64::from(slicing.burst_messages);
        let least = MESSAGES_MIN * TWENTIETHS;
        (bursts < least as f64).then(|| {
            let explanation = format!(
                "too few bursts: about {bursts:.0} in the window, {least} are needed; offer messages for \
                 more cycles, or run more replicates"
            );
            (explanation, true)
        })
    }

    /// The explanation of a window above saturation that begins with a slice. Its percentage is that
    /// of the offered load and the throughput of the window.
    fn overload(&self, start: usize) -> String {
        let [offered, delivered] = [&self.offered_words, &self.delivered_words]
            .map(|of| of[start..].iter().sum::<u64>() as f64);
        format!(
            "above saturation; in the window, {:.1} % of the offered words are not delivered; queues \
             grow at a constant rate; lower traffic.load",
            100.0 * (1.0 - delivered / offered.max(1.0)).max(0.0)
        )
    }

    /// Growth of the backlog over the window that begins with a slice, as a fraction of the messages
    /// offered in it: the offered load less the throughput. 0 when none were offered.
    pub fn shortfall(&self, start: usize) -> f64 {
        let growth: i64 = self.growth[start + 1..].iter().sum();
        let offered: u64 = self.offered[start..].iter().sum();
        growth as f64 / offered.max(1) as f64
    }

    /// True when backlogs grow evenly over all slices, so that they would for ever.
    fn grows_for_ever(&self, backlogs: &[f64]) -> bool {
        let (first, middle, last) = (
            self.growth[0] as f64,
            backlogs[SLICES / 2 - 1],
            backlogs[SLICES - 1],
        );
        self.shortfall(0) > SHORTFALL_MIN && last - middle > GROWTH_MIN * (middle - first)
    }
}

/// Cycles of a longer run whose window has as many as are needed: the next power of two times those
/// of this run, at least twice as many, as far as there may be so many.
fn longer(cycles: u64, needed: f64) -> u64 {
    // Half of the cycles may be warm-up.
    let times = (2.0 * needed / cycles as f64).clamp(2.0, 1e6).ceil() as u64;
    (cycles * times.next_power_of_two()).min(CYCLES_MAX)
}

/// Standard errors by means of batches of slices of one replicate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchErrors {
    /// Batches.
    pub batches: u32,
    /// Standard error of the mean latency, in cycles.
    pub latency_mean: f64,
    /// Standard error of the words delivered in a slice.
    pub words_per_slice: f64,
}

/// Verdict on the window of steady traffic.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stationarity {
    /// The verdict.
    pub verdict: Verdict,
    /// Trend of the latency of the messages offered in each slice.
    pub latency_trend: Option<SliceTrend>,
    /// Trend of the messages that were offered and not yet acknowledged.
    pub backlog_trend: Option<SliceTrend>,
    /// True when it is not stationary because more is offered than delivered for ever.
    pub above_saturation: bool,
    /// True when more replicates may change the verdict.
    #[serde(skip)]
    pub wants_replicates: bool,
    /// Reason for the verdict, and what would make the window steady.
    pub explanation: String,
}

/// Verdict whether a window is steady.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verdict {
    /// Neither series has a trend.
    Stationary,
    /// At least one of them has a trend.
    NotStationary,
    /// There are too few messages, or they vary too much or too slowly.
    #[default]
    TooShort,
}

impl Verdict {
    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Stationary => "stationary",
            Verdict::NotStationary => "not stationary",
            Verdict::TooShort => "too short to tell",
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Trend of a series of slices ([`Trend`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SliceTrend {
    /// Batches of slices that the line was fitted to.
    pub batches: usize,
    /// Change over the window, as a fraction of the mean.
    pub change_fraction: f64,
    /// Slope in standard errors.
    pub slope_t: f64,
    /// Correlation of neighbours among the residuals of batches.
    pub correlation: f64,
}

impl From<Trend> for SliceTrend {
    fn from(trend: Trend) -> SliceTrend {
        SliceTrend {
            batches: trend.batches,
            change_fraction: trend.change_fraction,
            slope_t: trend.t,
            correlation: trend.correlation,
        }
    }
}
