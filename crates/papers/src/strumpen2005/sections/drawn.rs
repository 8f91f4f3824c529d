//! Figures 3 to 7, with what can be said of them in numbers.

use super::context::{Range, StrumpenContext};
use crate::order::Order;
use crate::page::{Data, PagePart, PageTable, Picture, Section};
use crate::paper::Charts;
use crate::quantity::{MeasuredValue, Quantity};
use crate::strumpen2005::figures;
use crate::strumpen2005::figures::{READING, part_name};
use crate::strumpen2005::models;
use crate::strumpen2005::models::Model;
use crate::strumpen2005::run::Run;
use crosswave_analytic::collision::{Bins, bins, phase_boundary_messages};
use crosswave_analytic::destinations::Survivor;
use crosswave_analytic::rounds::critical_path;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::{Tally, half_width_95};
use crosswave_figures::plot;
use crosswave_observe::points::Statistic;

/// Puts a figure into a section.
fn put(
    number: u32,
    drawn: &Charts,
    captions: &[&str],
    context: &StrumpenContext,
    section: &mut Section,
) {
    for (at, (chart, caption)) in drawn.charts.iter().zip(captions).enumerate() {
        let letter = ["", "a", "b"][if drawn.charts.len() > 1 { at + 1 } else { 0 }];
        section.parts.push(PagePart::Picture(Picture {
            name: format!("strumpen2005-{number}{letter}"),
            svg: plot::svg(chart),
            caption: (*caption).into(),
        }));
    }
    section.parts.push(PagePart::Data(Data {
        name: format!("strumpen2005-{number}.csv"),
        text: drawn.csv.clone(),
    }));
    let all = if context.is_quick() { "" } else { " --all" };
    section.parts.push(PagePart::Commands(vec![format!(
        "crosswave figure strumpen2005-{number}{all} --out figures"
    )]));
}

/// Figure 3.
pub(super) fn figure_3(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Figure 3: Models I and II");
    section.text(
        "Model I tosses m balls into b bins, and one ball of each bin is delivered. Model II gives each \
         ball one of n destinations first; then all balls of a destination go into one bin. Thin bars reach \
         from the smallest to the largest number of rounds, broad ones are intervals of 95 %. Model I has ⌊2n/lg n⌋ bins, Model II \
         1/Pr[C2], rounded; of the destinations in a bin one survives that is chosen at random \
         (assumed).",
    );
    let drawn = figures::figure_3(context.sizes, context.points, context.watch)?;
    let captions = [
        "Rounds of Models I and II, m = n/8.",
        "Rounds of Models I and II, m = n.",
    ];
    put(3, &drawn, &captions, context, &mut section);
    let mut table = PageTable::new(
        "Model II by what survives in a bin, m = n: mean rounds of so many plays, with each \
         reading of the number of bins",
        [
            "n",
            "bins",
            "plays",
            "Model I",
            "random destination",
            "random ball",
            "most frequent destination",
        ],
    );
    for levels in context.sizes.levels(4).filter(|levels| levels % 2 == 0) {
        let nodes = 1u64 << levels;
        for reading in Bins::ALL {
            let plays = context.sizes.plays(levels).min(400);
            let mut mean = |model| {
                let store = context.points.store();
                models::plays(store, model, levels, reading, nodes, plays, context.watch)
                    .map(|tally| format!("{:.3}", tally.mean()))
            };
            table.row([
                nodes.to_string(),
                format!(
                    "{} ({})",
                    bins(levels, reading).unwrap_or(0),
                    models::reading_name(reading)
                ),
                plays.to_string(),
                mean(Model::One)?,
                mean(Model::Two(Survivor::RandomGroup))?,
                mean(Model::Two(Survivor::RandomBall))?,
                mean(Model::Two(Survivor::LargestGroup))?,
            ]);
        }
    }
    section.parts.push(PagePart::Table(table));
    constant_ratio(context, &mut section)?;
    Ok(section)
}

/// The ratio of the models' means over n, and Model II beside its critical path.
fn constant_ratio(context: &mut StrumpenContext, section: &mut Section) -> Result<(), Error> {
    let mut table = PageTable::new(
        "Model II over Model I, and the critical path of Model II: the order ln n/ln ln n of the \
         fullest destination, without its constant",
        [
            "m",
            "n",
            "ratio of means",
            "mean rounds of Model II",
            "ln n/ln ln n",
        ],
    );
    let mut quantities = Vec::new();
    let mut words = Vec::new();
    for part in [8u32, 1] {
        let mut ratios = Vec::new();
        for levels in context.sizes.levels(4) {
            ratios.push(ratio(part, levels, context, &mut table)?);
        }
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let mut range = Range::NONE;
        for ratio in ratios {
            range.add(ratio / mean);
        }
        let id = part_id("model_2_per_model_1_farthest_from_its_mean", part);
        let source = "S&K 2005, section 5, Fig. 3: deviates only slightly; read as within a tenth";
        let quantity = Quantity::between(id, source, (0.9, 1.1))
            .named(format!(
                "ratio of Model II to Model I by its mean over n, farthest from 1, {}",
                part_name(part)
            ))
            .simulated(Some(MeasuredValue::exact(range.farther_from(1.0))));
        quantities.push(quantity.judged(None));
        words.push(format!(
            "{}: {mean:.2}, of which single sizes are {}",
            part_name(part),
            range.words(2)
        ));
    }
    section.parts.push(PagePart::Table(table));
    section.claim(
        "Figure 3: Models I and II",
        "rounds of the two models differ by a constant factor, from which single n deviate slightly",
        words.join("; "),
        quantities,
    );
    Ok(())
}

/// The ratio of the models' means for m = n/`part`, which gets a row of the table.
fn ratio(
    part: u32,
    levels: u32,
    context: &mut StrumpenContext,
    table: &mut PageTable,
) -> Result<f64, Error> {
    let nodes = 1u64 << levels;
    let messages = nodes / u64::from(part);
    let plays = context.sizes.plays(levels);
    let mut play = |model, reading| {
        let store = context.points.store();
        models::plays(
            store,
            model,
            levels,
            reading,
            messages,
            plays,
            context.watch,
        )
    };
    let one = play(Model::One, READING)?;
    let two = play(Model::Two(Survivor::RandomGroup), Bins::Reciprocal)?;
    let ratio = two.mean() / one.mean();
    table.row([
        part_name(part),
        nodes.to_string(),
        format!("{ratio:.3}"),
        format!("{:.3}", two.mean()),
        match critical_path(levels).filter(|_| part == 1) {
            Some(path) => format!("{path:.3}"),
            None => "–".into(),
        },
    ]);
    Ok(ratio)
}

/// The identifier of a quantity for m = n/`part`.
fn part_id(of: &str, part: u32) -> String {
    match part {
        1 => format!("{of}_m_n"),
        part => format!("{of}_m_n_{part}"),
    }
}

/// Figure 4.
pub(super) fn figure_4(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Figure 4: rounds on the hardware against Model I");
    section.text(
        "Points are simulated on the gate engine; thin bars reach from the smallest to the largest value \
         of all replicates, broad ones are intervals of 95 %. In rounds, bodies are long enough that no circuit is freed by an \
         acknowledgement inside a round. With immediate retry bodies have one word, and cycles, from \
         the first head on the wire to the last acknowledgement sensed, are divided by those of one \
         message across the diameter, counted alike. Model I is \
         computed as a Markov chain.",
    );
    let drawn = figures::figure_4(context.sizes, context.points, context.watch)?;
    let captions = [
        "Rounds of an eighth of the nodes, and immediate retry.",
        "Rounds when all nodes send, and immediate retry.",
    ];
    put(4, &drawn, &captions, context, &mut section);
    let mut against = AgainstModel::new();
    let mut quantities = Vec::new();
    let mut words = Vec::new();
    for part in [8, 1u32] {
        let range = against.part(part, context)?;
        let id = part_id("model_1_per_rounds_farthest_from_1", part);
        let source =
            "S&K 2005, section 7, Fig. 4: by a small constant factor; small read as up to 1.5";
        let quantity = Quantity::between(id, source, (0.67, 1.5))
            .named(format!(
                "Model I per simulated rounds, farthest from 1 over all n, {}",
                part_name(part)
            ))
            .simulated(Some(MeasuredValue::exact(range.farther_from(1.0))));
        quantities.push(quantity.judged(None));
        words.push(format!("{}: {}", part_name(part), range.words(2)));
    }
    section.parts.push(PagePart::Table(against.table));
    section.claim(
        "Figure 4: Model I against rounds",
        "they differ by a small constant factor only",
        format!("Model I, of simulated rounds: {}", words.join("; ")),
        quantities,
    );
    let mut farther = FartherOff::default();
    for levels in context.sizes.levels(FARTHER_FROM) {
        farther.compare(levels, context)?;
    }
    farther.claim(&mut section);
    section.text(format!(
        "Half of an interval of 95 % is at most {:.2} % of its mean up to n = {}.{}",
        100.0 * against.widest,
        1u32 << context.sizes.sure_levels,
        match context.is_quick() {
            true => "",
            false => " Above, every second size is simulated.",
        }
    ));
    Ok(section)
}

/// Simulated rounds against Model I.
struct AgainstModel {
    table: PageTable,
    /// Half of the widest interval, by its mean, in the trees whose means are sure.
    widest: f64,
}

impl AgainstModel {
    /// Nothing has been compared.
    fn new() -> AgainstModel {
        AgainstModel {
            table: PageTable::new(
                "Mean rounds, their 95 % intervals, and Model I with both readings of the number of bins",
                [
                    "n",
                    "m",
                    "simulated",
                    "± 95 %",
                    "± in %",
                    "replicates",
                    "I, floor",
                    "I, reciprocal",
                    "floor / simulated",
                    "reciprocal / simulated",
                ],
            ),
            widest: 0.0,
        }
    }

    /// Compares all sizes with m = n/`part`: the range of Model I by simulated rounds.
    fn part(&mut self, part: u32, context: &mut StrumpenContext) -> Result<Range, Error> {
        let mut range = Range::NONE;
        for levels in context.sizes.levels(part.ilog2().max(2)) {
            let messages = (1u32 << levels) / part;
            let wanted = context.sizes.wanted(levels, Statistic::Rounds);
            let spec = Run::rounds(levels, messages).spec(wanted);
            let tally = context.point(&spec)?.of(Statistic::Rounds);
            let model = |reading, context: &mut StrumpenContext| {
                let (store, watch) = (context.points.store(), &mut *context.watch);
                models::means(store, levels, reading, &[messages.into()], watch).map(|m| m[0])
            };
            let floor = model(Bins::Floor, context)?;
            let reciprocal = model(Bins::Reciprocal, context)?;
            let mean = tally.mean();
            if levels <= context.sizes.sure_levels {
                self.widest = self.widest.max(half_width_95(&tally) / mean);
            }
            if messages > 1 {
                range.add(floor / mean);
            }
            self.row(levels, messages, &tally, [floor, reciprocal]);
        }
        Ok(range)
    }

    /// Adds a row: simulated rounds, and Model I with both readings of the number of bins.
    fn row(&mut self, levels: u32, messages: u32, tally: &Tally, [floor, reciprocal]: [f64; 2]) {
        let mean = tally.mean();
        let half = half_width_95(tally);
        self.table.row([
            (1u32 << levels).to_string(),
            messages.to_string(),
            format!("{mean:.4}"),
            format!("{half:.4}"),
            format!("{:.2}", 100.0 * half / mean),
            tally.count().to_string(),
            format!("{floor:.4}"),
            format!("{reciprocal:.4}"),
            format!("{:.3}", floor / mean),
            format!("{:.3}", reciprocal / mean),
        ]);
    }
}

/// Levels from which it is asked where Model I is farthest off: in smaller trees few replicates differ by a
/// round.
const FARTHER_FROM: u32 = 6;

/// Sizes at which Model I is farther off for m = n than for m = n/8: by the difference of mean rounds, and by
/// their ratio.
#[derive(Default)]
struct FartherOff {
    difference: Order,
    ratio: Order,
}

impl FartherOff {
    /// Compares both numbers of messages in a tree.
    fn compare(&mut self, levels: u32, context: &mut StrumpenContext) -> Result<(), Error> {
        let mut off = Vec::new();
        for part in [8, 1] {
            let messages = (1u32 << levels) / part;
            let wanted = context.sizes.decisive(levels, Statistic::Rounds);
            let spec = Run::rounds(levels, messages).spec(wanted);
            let tally = context.point(&spec)?.of(Statistic::Rounds);
            let (store, watch) = (context.points.store(), &mut *context.watch);
            let model = models::means(store, levels, Bins::Floor, &[messages.into()], watch)?[0];
            let mean = tally.mean();
            let error = match tally.count() {
                0 | 1 => f64::INFINITY,
                _ => tally.standard_error(),
            };
            off.push(Off {
                difference: ((model - mean).abs(), error),
                ratio: ((model / mean).ln().abs(), error / mean),
            });
        }
        let [fewer, all] = &off[..] else {
            unreachable!("both parts");
        };
        let pairs = [
            (&mut self.difference, all.difference, fewer.difference),
            (&mut self.ratio, all.ratio, fewer.ratio),
        ];
        for (order, all, fewer) in pairs {
            order.difference(all.0 - fewer.0, all.1.hypot(fewer.1));
        }
        Ok(())
    }

    /// The claim that Model I is farthest off for m = n. "Deviates" is read as a difference; ratios say the same
    /// of large trees only.
    fn claim(self, section: &mut Section) {
        let quantity = |order: Order, by: &str, id: &str| {
            let source = format!(
                "S&K 2005, section 7: for m = n Model I deviates most; by {by}, against m = n/8 of the same n"
            );
            let name = format!(
                "sizes at which Model I is farther off for m = n than for m = n/8, by {by}"
            );
            let id = format!("sizes_at_which_model_1_is_farther_off_at_m_n{id}");
            order.quantity(id, &source, None).named(name)
        };
        let ratio = quantity(self.ratio, "ratios", "_by_ratio");
        let first = 1u32 << FARTHER_FROM;
        section.claim(
            "Figure 4: where Model I is farthest off",
            "for m = n Model I shows the largest deviation",
            format!(
                "from n = {first} on, the difference of means is larger for m = n than for m = n/8 {}; their ratio {}",
                self.difference.words(),
                self.ratio.words()
            ),
            vec![quantity(self.difference, "differences", ""), ratio.not_expected()],
        );
    }
}

/// The error of Model I of mean rounds, with standard errors: by their difference, and by the logarithm of their
/// ratio.
struct Off {
    difference: (f64, f64),
    ratio: (f64, f64),
}

/// Figure 5.
pub(super) fn figure_5(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Figure 5: rounds against the number of messages");
    let sweeps = context.sizes.sweeps();
    let mut text =
        "The vertical line is m = 2n/lg n: phase II lies to the left, phase I to the right. The \
                    line lg m is the bound with the factor 1."
            .to_owned();
    for levels in sweeps {
        let messages = context.sizes.messages(levels);
        let replicates = messages.iter().map(|&m| {
            let spec = figures::sweep(levels, m, context.sizes);
            let samples = context.points.get(&spec, context.watch)?;
            Ok(samples.len() as f64)
        });
        let mut range = Range::NONE;
        for count in replicates.collect::<Result<Vec<f64>, Error>>()? {
            range.add(count);
        }
        text += &format!(
            " n = {}: the line is at m = {:.1}, and {} numbers of messages have {} replicates each.",
            1u64 << levels,
            phase_boundary_messages(levels),
            messages.len(),
            range.words(0)
        );
    }
    section.text(text);
    let drawn = figures::figure_5(context.sizes, context.points, context.watch)?;
    let captions = ["Rounds in the small tree.", "Rounds in the largest tree."];
    put(5, &drawn, &captions, context, &mut section);
    Ok(section)
}

/// Figures 6 and 7.
pub(super) fn figures_6_and_7(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Figures 6 and 7: permutations");
    let mut text =
        "A node that would send to itself sends nothing, so transpose has n - √n messages."
            .to_owned();
    if context.sizes.levels_max <= figures::SHIFTED_LEVELS {
        text += " Cyclic shifts are simulated for every shift.";
    } else {
        text += &format!(
            " Cyclic shifts are simulated for every shift up to n = {}, and for another random shift in \
             every replicate above.",
            1u32 << figures::SHIFTED_LEVELS
        );
    }
    text += " Intervals count the spread between shifts as error, and are wider than they need be.";
    let few = context
        .sizes
        .levels(2)
        .filter(|&levels| levels > context.sizes.sure_levels);
    let few = few.map(|levels| {
        let wanted = context.sizes.glance(levels, Statistic::Rounds);
        format!("{} at n = {}", wanted.most, 1u32 << levels)
    });
    let few: Vec<String> = few.collect();
    if !few.is_empty() {
        text += &format!(" Replicates in large trees: {}.", few.join(", "));
    }
    section.text(text);
    let drawn = figures::figure_6(context.sizes, context.points, context.watch)?;
    put(
        6,
        &drawn,
        &["Transpose.", "Bit reversal."],
        context,
        &mut section,
    );
    let drawn = figures::figure_7(context.sizes, context.points, context.watch)?;
    put(7, &drawn, &["Cyclic shift."], context, &mut section);
    Ok(section)
}
