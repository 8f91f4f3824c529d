//! Figures 3 to 7: the same axes as in the paper, with the numbers as CSV.
//!
//! Bars reach from the smallest to the largest value of all replicates, as in the paper;
//! broad ones are intervals of 95 %. Clock cycles count from the first head on the wire to the
//! last acknowledgement sensed (or the last delivery, where that comes later), and are divided by those of one message across the diameter,
//! counted alike, in the same network and of the same length.

use std::fmt::Write;

use super::models::{self, Model};
use super::run::{Run, RunTraffic};
use super::sizes::Sizes;
use crate::paper::Charts;
use crosswave_analytic::collision::{Bins, bins, phase_boundary_messages};
use crosswave_analytic::destinations::Survivor;
use crosswave_analytic::rounds::{fit_rounds, lg_messages};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::Tally;
use crosswave_base::statistics::half_width_95;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_observe::points::watch::Watch;
use crosswave_observe::points::{PointStopRule, Points, Spec, Statistic};

/// The reading of Corollary 1 in figures, for Model I: as it is printed. Model II has
/// 1/Pr\[C2\] bins in the paper.
pub const READING: Bins = Bins::Floor;

/// Parts of the nodes that send in Figures 3 and 4: all, and an eighth.
const PARTS: [u32; 2] = [8, 1];

/// `m = n/8`, or `m = n`.
pub fn part_name(part: u32) -> String {
    match part {
        1 => "m = n".into(),
        part => format!("m = n/{part}"),
    }
}

fn bar(x: f64, tally: &Tally) -> PlotPoint {
    PlotPoint {
        x,
        y: tally.mean(),
        low: tally.min() as f64,
        high: tally.max() as f64,
        half_width: match half_width_95(tally) {
            half if half.is_finite() => half,
            _ => 0.0,
        },
        hollow: false,
    }
}

/// Mean, 95 % half width, smallest and largest value, and number of a tally.
fn columns(tally: &Tally) -> String {
    format!(
        "{:.6},{:.6},{},{},{}",
        tally.mean(),
        half_width_95(tally),
        tally.min(),
        tally.max(),
        tally.count()
    )
}

/// The names of [`columns`].
fn names(of: &str) -> String {
    format!("{of}_mean,{of}_half_width_95,{of}_min,{of}_max,{of}_replicates")
}

fn nodes_axis(sizes: Sizes, from: u32) -> Axis {
    let to = f64::from(sizes.levels_max).exp2() * 1.4;
    Axis::powers_of_two("n, processing nodes", f64::from(from).exp2() / 1.4, to)
}

/// A chart against the number of nodes, from `2^from` on.
pub fn against_nodes(
    title: String,
    sizes: Sizes,
    from: u32,
    y: &str,
    series: Vec<Series>,
) -> Chart {
    Chart {
        title,
        x: nodes_axis(sizes, from),
        y: rounds_axis(y, &series),
        series,
        marks: Vec::new(),
        hollow_name: "",
    }
}

/// An axis of rounds that holds all that is drawn.
fn rounds_axis(title: &str, series: &[Series]) -> Axis {
    let points = series.iter().flat_map(|s| s.points.iter().map(|p| p.high));
    let curves = series.iter().flat_map(|s| s.curve.iter().map(|c| c.1));
    let most = points.chain(curves).fold(1.0, f64::max);
    Axis::linear(title, 0.0, ((most + 0.5) / 2.0).ceil() * 2.0)
}

/// Figure 3: Model I and Model II, and the ratios of their means and maxima.
///
/// # Errors
/// Those of [`Points::get`].
pub fn figure_3(sizes: Sizes, points: &mut Points, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let mut csv = format!(
        "nodes,messages,model_1_bins,model_2_bins,{},{},ratio_of_means,ratio_of_maxima\n",
        names("model_1_rounds"),
        names("model_2_rounds")
    );
    let mut charts = Vec::new();
    for part in PARTS {
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let (mut means, mut maxima) = (Vec::new(), Vec::new());
        for levels in sizes.levels(4) {
            let nodes = 1u64 << levels;
            let messages = nodes / u64::from(part);
            let mut play = |model, reading| {
                let plays = sizes.plays(levels);
                let store = points.store();
                models::plays(store, model, levels, reading, messages, plays, watch)
            };
            let first = play(Model::One, READING)?;
            let second = play(Model::Two(Survivor::RandomGroup), Bins::Reciprocal)?;
            let x = nodes as f64;
            let ratio = second.mean() / first.mean();
            let of_maxima = second.max() as f64 / first.max() as f64;
            one.push(bar(x, &first));
            two.push(bar(x, &second));
            means.push((x, ratio));
            maxima.push((x, of_maxima));
            let _ = writeln!(
                csv,
                "{nodes},{messages},{},{},{},{},{ratio:.6},{of_maxima:.6}",
                bins(levels, READING).unwrap_or(0),
                bins(levels, Bins::Reciprocal).unwrap_or(0),
                columns(&first),
                columns(&second)
            );
        }
        let flat = |curve: &[(f64, f64)]| {
            let mean = curve.iter().map(|c| c.1).sum::<f64>() / curve.len() as f64;
            curve.iter().map(|&(x, _)| (x, mean)).collect::<Vec<_>>()
        };
        let series = vec![
            measured("Model I", one),
            measured("Model II", two),
            line("II / I, means", means.clone()),
            line("mean of these", flat(&means)),
            line("II / I, maxima", maxima.clone()),
            line("mean of those", flat(&maxima)),
        ];
        charts.push(against_nodes(
            format!("Figure 3: Models I and II, {}", part_name(part)),
            sizes,
            4,
            "delivery rounds; ratio",
            series,
        ));
    }
    Ok(Charts { charts, csv })
}

/// Cycles of a run, in units of one message across the diameter of the same network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normalised {
    /// The cycles of all replicates.
    pub cycles: Tally,
    /// The cycles of one message alone, to its acknowledgement and its delivery.
    pub alone_cycles: f64,
    /// The same to its delivery.
    pub alone_delivery_cycles: f64,
}

impl Normalised {
    /// The cycles of a run.
    ///
    /// # Errors
    /// Those of [`Points::get`].
    pub fn of(
        run: &Run,
        wanted: PointStopRule,
        points: &mut Points,
        watch: &mut dyn Watch,
    ) -> Result<Normalised, Error> {
        let spec = run.spec(wanted);
        Normalised::of_spec(run, &spec, points, watch)
    }

    /// The cycles of a point of a run.
    ///
    /// # Errors
    /// Those of [`Points::get`].
    pub fn of_spec(
        run: &Run,
        spec: &Spec,
        points: &mut Points,
        watch: &mut dyn Watch,
    ) -> Result<Normalised, Error> {
        let alone = run
            .alone()
            .spec(PointStopRule::exactly(1, Statistic::Cycles));
        let alone = points.get(&alone, watch)?;
        Ok(Normalised {
            cycles: points.get(spec, watch)?.of(Statistic::Cycles),
            alone_cycles: alone.of(Statistic::Cycles).mean(),
            alone_delivery_cycles: alone.of(Statistic::DeliveryCycles).mean(),
        })
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.cycles.mean() / self.alone_cycles
    }

    fn bar(&self, x: f64) -> PlotPoint {
        let bar = bar(x, &self.cycles);
        PlotPoint {
            x,
            y: bar.y / self.alone_cycles,
            low: bar.low / self.alone_cycles,
            high: bar.high / self.alone_cycles,
            half_width: bar.half_width / self.alone_cycles,
            hollow: bar.hollow,
        }
    }
}

/// Figure 4: rounds on the hardware against Model I, and immediate retry in clock cycles.
///
/// # Errors
/// Those of [`Points::get`].
pub fn figure_4(sizes: Sizes, points: &mut Points, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let mut csv = format!(
        "nodes,messages,model_1_floor_mean_rounds,model_1_reciprocal_mean_rounds,\
         words_in_rounds,{},words_of_immediate,{},cycles_alone,immediate_normalised\n",
        names("rounds"),
        names("immediate_cycles")
    );
    let mut charts = Vec::new();
    for part in PARTS {
        let from = part.ilog2().max(2);
        let (mut model, mut other) = (Vec::new(), Vec::new());
        let (mut rounds, mut immediate) = (Vec::new(), Vec::new());
        for levels in sizes.levels(from) {
            let nodes = 1u32 << levels;
            let messages = nodes / part;
            let x = f64::from(nodes);
            let mut mean = |reading| {
                let messages = [u64::from(messages)];
                models::means(points.store(), levels, reading, &messages, watch)
            };
            let (floor, reciprocal) = (mean(Bins::Floor)?[0], mean(Bins::Reciprocal)?[0]);
            let run = Run::rounds(levels, messages);
            let wanted = sizes.wanted(levels, Statistic::Rounds);
            let of_rounds = points.get(&run.spec(wanted), watch)?.of(Statistic::Rounds);
            let at_once = Run::immediate(levels, messages);
            let wanted = sizes.wanted(levels, Statistic::Cycles);
            let normalised = Normalised::of(&at_once, wanted, points, watch)?;
            model.push((x, floor));
            other.push((x, reciprocal));
            rounds.push(bar(x, &of_rounds));
            immediate.push(normalised.bar(x));
            let _ = writeln!(
                csv,
                "{nodes},{messages},{floor:.9},{reciprocal:.9},{},{},{},{},{},{:.6}",
                run.words(),
                columns(&of_rounds),
                at_once.words(),
                columns(&normalised.cycles),
                normalised.alone_cycles,
                normalised.mean()
            );
        }
        let series = vec![
            line("Model I, ⌊2n/lg n⌋ bins", model),
            line("Model I, 1/Pr[C2] bins", other),
            measured("rounds, simulated", rounds),
            measured("immediate, cycles", immediate),
        ];
        charts.push(against_nodes(
            format!("Figure 4: rounds against Model I, {}", part_name(part)),
            sizes,
            from,
            "delivery rounds; cycles / cycles of one message",
            series,
        ));
    }
    Ok(Charts { charts, csv })
}

fn line(name: &str, curve: Vec<(f64, f64)>) -> Series {
    Series {
        name: name.into(),
        curve,
        points: Vec::new(),
    }
}

fn measured(name: &str, points: Vec<PlotPoint>) -> Series {
    Series {
        name: name.into(),
        curve: Vec::new(),
        points,
    }
}

/// A point of Figure 5. Points that Figure 4 has too are the same.
pub fn sweep(levels: u32, messages: u32, sizes: Sizes) -> Spec {
    let nodes = 1u32 << levels;
    let wanted = if levels <= 14 || messages == nodes || messages == nodes / 8 {
        sizes.wanted(levels, Statistic::Rounds)
    } else if messages > nodes / 8 {
        sizes.glance(levels, Statistic::Rounds)
    } else {
        PointStopRule::exactly(3, Statistic::Rounds)
    };
    Run::rounds(levels, messages).spec(wanted)
}

/// Figure 5: rounds against the number of messages.
///
/// # Errors
/// Those of [`Points::get`].
pub fn figure_5(sizes: Sizes, points: &mut Points, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let mut csv = format!(
        "nodes,messages,words,{},model_1_floor_mean_rounds,fit_rounds,lg_messages\n",
        names("rounds")
    );
    let mut charts = Vec::new();
    for levels in sizes.sweeps() {
        let nodes = f64::from(levels).exp2();
        let messages = sizes.messages(levels);
        let wide: Vec<u64> = messages.iter().map(|&m| u64::from(m)).collect();
        let model = models::means(points.store(), levels, READING, &wide, watch)?;
        let steps = (0..=4 * levels).map(|step| (f64::from(step) / 4.0).exp2().round() as u64);
        let steps: Vec<u64> = steps.collect();
        let smooth = models::means(points.store(), levels, READING, &steps, watch)?;
        let mut rounds = Vec::new();
        for (&m, model) in messages.iter().zip(&model) {
            let run = Run::rounds(levels, m);
            let spec = sweep(levels, m, sizes);
            let tally = points.get(&spec, watch)?.of(Statistic::Rounds);
            rounds.push(bar(f64::from(m), &tally));
            let m = u64::from(m);
            let _ = writeln!(
                csv,
                "{nodes},{m},{},{},{model:.9},{:.9},{:.9}",
                run.words(),
                columns(&tally),
                fit_rounds(m, levels),
                lg_messages(m)
            );
        }
        let x = |m: &u64| *m as f64;
        let curve = |of: &dyn Fn(u64) -> f64| steps.iter().map(|m| (x(m), of(*m))).collect();
        let boundary = phase_boundary_messages(levels);
        let mut series = vec![
            line(
                "Model I",
                steps.iter().zip(smooth).map(|(m, y)| (x(m), y)).collect(),
            ),
            measured("rounds, simulated", rounds),
            line("lg m/10 + m lg n/2n + 1", curve(&|m| fit_rounds(m, levels))),
            line("lg m", curve(&lg_messages)),
        ];
        let y = rounds_axis("delivery rounds", &series);
        series.push(line("m = 2n/lg n", vec![(boundary, 0.0), (boundary, y.to)]));
        charts.push(Chart {
            title: format!("Figure 5: rounds against messages, n = {nodes}"),
            x: Axis::powers_of_two("m, messages", 0.8, nodes * 1.25),
            y,
            series,
            marks: Vec::new(),
            hollow_name: "",
        });
    }
    Ok(Charts { charts, csv })
}

/// The point of a permutation. A cyclic shift is taken over all shifts, each as often as any
/// other and at least twice, or over a sample of them.
pub fn permutation(run: &Run, sizes: Sizes, of: Statistic) -> Spec {
    let levels = run.levels;
    let mut spec = run.spec(sizes.glance(levels, of));
    if let RunTraffic::CyclicShift(_) = run.traffic {
        spec.shifts = shifts(levels);
        if levels <= SHIFTED_LEVELS {
            let every = spec.shifts.len();
            spec.wanted.step = every;
            spec.wanted.least = spec.wanted.least.max(2 * every);
        }
    }
    spec
}

/// Levels up to which all shifts are simulated; above, a sample.
pub const SHIFTED_LEVELS: u32 = 10;
/// Shifts in a sample.
const SHIFTS: u64 = 4096;

/// The shifts that are simulated: all, in order; or a sample, with its error in that of the
/// mean, since every replicate has another one.
pub fn shifts(levels: u32) -> Vec<u32> {
    let nodes = 1u32 << levels;
    if levels <= SHIFTED_LEVELS {
        return (1..nodes).collect();
    }
    let key = crosswave_base::random::key(1, u64::from_be_bytes(*b"shift-of"), u64::from(levels));
    let other = u64::from(nodes) - 1;
    let shift = |index| 1 + (crosswave_base::random::word(key, index) % other) as u32;
    (0..SHIFTS).map(shift).collect()
}

/// A figure of permutations with m = n messages.
fn permutations(
    number: u32,
    kinds: &[(RunTraffic, &str, u32)],
    sizes: Sizes,
    points: &mut Points,
    watch: &mut dyn Watch,
) -> Result<Charts, Error> {
    let mut csv = format!(
        "pattern,nodes,messages,model_1_floor_mean_rounds,words_in_rounds,{},\
         words_of_immediate,{},cycles_alone,immediate_normalised\n",
        names("rounds"),
        names("immediate_cycles")
    );
    let mut charts = Vec::new();
    for &(traffic, name, step) in kinds {
        let (mut model, mut rounds, mut immediate) = (Vec::new(), Vec::new(), Vec::new());
        for levels in sizes.levels(2).filter(|levels| levels % step == 0) {
            let nodes = 1u32 << levels;
            let x = f64::from(nodes);
            let mean = models::means(points.store(), levels, READING, &[nodes.into()], watch)?[0];
            let run = Run {
                traffic,
                ..Run::rounds(levels, nodes)
            };
            let spec = permutation(&run, sizes, Statistic::Rounds);
            let found = points.get(&spec, watch)?;
            let of_rounds = found.of(Statistic::Rounds);
            let at_once = Run {
                traffic,
                ..Run::immediate(levels, nodes)
            };
            let spec = permutation(&at_once, sizes, Statistic::Cycles);
            let normalised = Normalised::of_spec(&at_once, &spec, points, watch)?;
            model.push((x, mean));
            rounds.push(bar(x, &of_rounds));
            immediate.push(normalised.bar(x));
            let _ = writeln!(
                csv,
                "{},{nodes},{},{mean:.9},{},{},{},{},{},{:.6}",
                traffic.name(),
                found.messages(),
                run.words(),
                columns(&of_rounds),
                at_once.words(),
                columns(&normalised.cycles),
                normalised.alone_cycles,
                normalised.mean()
            );
        }
        let series = vec![
            line("Model I, random", model),
            measured(&format!("{name}, rounds"), rounds),
            measured("immediate, cycles", immediate),
        ];
        charts.push(against_nodes(
            format!("Figure {number}: {name}, m = n"),
            sizes,
            2,
            "delivery rounds; cycles / cycles of one message",
            series,
        ));
    }
    Ok(Charts { charts, csv })
}

/// Figure 6: transpose and bit reversal.
///
/// # Errors
/// Those of [`Points::get`].
pub fn figure_6(sizes: Sizes, points: &mut Points, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let kinds = [
        (RunTraffic::Transpose, "transpose", 2),
        (RunTraffic::BitReversal, "bit reversal", 1),
    ];
    permutations(6, &kinds, sizes, points, watch)
}

/// Figure 7: cyclic shifts, over all shifts or a sample of them.
///
/// # Errors
/// Those of [`Points::get`].
pub fn figure_7(sizes: Sizes, points: &mut Points, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let kinds = [(RunTraffic::CyclicShift(1), "cyclic shift", 1)];
    permutations(7, &kinds, sizes, points, watch)
}
