//! Sections 4.5.1 and 4.5.2: how much of traffic that fits fat trees is routed, Figures 4.8 to
//! 4.18.

use super::context::{DehonContext, claim};
use super::locality::up_fraction;
use crate::dehon1990::figures::local_routing::{
    FULL, HYBRID, OfTree, by_level, normalised, simulated,
};
use crate::dehon1990::loads;
use crate::dehon1990::local_routing::{LocalPoint, points};
use crate::effort::Effort;
use crate::page::Section;
use crate::quantity::{MeasuredValue, Quantity, Value};
use crosswave_analytic::locality::Locality;
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_base::diagnostic::Error;

/// The greatest difference of simulation from the recursion, which takes wires as independent.
const ROUTED_TOLERANCE: f64 = 0.01;
/// The difference that must be seen: where three standard errors are more, agreement decides
/// nothing.
const SEEN: f64 = 0.1;
/// The greatest difference of curves that the paper calls indistinguishable: read as a hundredth,
/// some pixels of the print.
const INDISTINGUISHABLE: f64 = 0.01;
/// A tree whose stage up is tried in both configurations.
const BOTH: UnitTrees = FULL[0].tree;

/// A figure of one tree, and what was simulated for it.
type Simulated = (OfTree, Vec<LocalPoint>);

/// The section of Figures 4.8 to 4.11.
pub(super) fn full(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 4.5.1: connections that full fat trees route");
    section.text(
        "Each processor sends with the probability that is the load, over one of its two inputs; all begin \
         in one cycle, and what counts is the first attempt. Lines are a recursion over the stages, in \
         which wires into a router are independent of each other, and connections that cross over lower \
         come first on their way down; beside them are lines of the thesis's simple model, which knows no such \
         order. Points are simulated on built networks, with bars of 95 %. UT64x2's \
         stage up is one crossbar with two equivalent outputs. The largest tree is not simulated.",
    );
    let trees = all(&FULL, context, &mut section)?;
    let drawn = normalised("full", &trees);
    let caption = "Figure 4.11: over all levels (equation 4.43), by processors";
    context.put("dehon1990-4.11", &drawn, &[caption], &mut section);
    let mut quantities: Vec<Quantity> = trees.iter().flat_map(of_points).collect();
    if context.simulates() {
        let store = context.points.store();
        let quick = context.effort != Effort::All;
        let halves = points(BOTH, true, quick, store, context.watch)?;
        quantities.extend(halves.iter().flat_map(of_point));
    }
    agreement(&mut section, "full", quantities);
    orders(&mut section, "full", &trees);
    alike(
        &mut section,
        "full",
        "4.11",
        &[&[&trees[0], &trees[1], &trees[2]]],
    );
    Ok(section)
}

/// The section of Figures 4.12 to 4.18.
pub(super) fn hybrid(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 4.5.2: connections that hybrid fat trees route");
    section.text(
        "The same for trees whose leaves are clusters of 12, 48 or 192 processors, in which three quarters \
         of the traffic stay. Trees above 5,000 processors, in the full report above 50,000, are not simulated.",
    );
    let trees = all(&HYBRID, context, &mut section)?;
    let drawn = normalised("hybrid", &trees);
    let caption = "Figure 4.18: over all levels (equation 4.43), by processors";
    context.put("dehon1990-4.18", &drawn, &[caption], &mut section);
    agreement(
        &mut section,
        "hybrid",
        trees.iter().flat_map(of_points).collect(),
    );
    orders(&mut section, "hybrid", &trees);
    let pairs = [
        [&trees[0], &trees[3]],
        [&trees[1], &trees[4]],
        [&trees[2], &trees[5]],
    ];
    alike(
        &mut section,
        "hybrid",
        "4.18",
        &pairs.each_ref().map(<[_; 2]>::as_slice),
    );
    leaves(&mut section, &trees);
    performance(&mut section, &trees);
    Ok(section)
}

/// Simulates and draws the figures of single trees.
fn all(
    figures: &[OfTree],
    context: &mut DehonContext,
    section: &mut Section,
) -> Result<Vec<Simulated>, Error> {
    let mut trees = Vec::new();
    for &figure in figures {
        let store = context.points.store();
        let found = simulated(figure.tree, context.effort, store, context.watch)?;
        let drawn = by_level(figure.tree, &found);
        let caption = format!(
            "Figure 4.{}: {} processors, by the level that connections go through",
            figure.number,
            figure.tree.processors()
        );
        let simple = "The same by the thesis's simple model, in which nothing comes first";
        let name = format!("dehon1990-4.{}", figure.number);
        context.put(&name, &drawn, &[&caption, simple], section);
        trees.push((figure, found));
    }
    Ok(trees)
}

/// Claims that simulation and recursion agree.
fn agreement(section: &mut Section, kind: &str, quantities: Vec<Quantity>) {
    let apart = |quantity: &Quantity| match (&quantity.analytic, &quantity.simulated) {
        (Some(Value::Real(model)), Some(Value::Real(found))) => (model - found).abs(),
        _ => 0.0,
    };
    let most = quantities.iter().map(apart).fold(0.0, f64::max);
    let found = format!(
        "recursion and simulation are at most {most:.4} apart at {} points, by level and over all",
        quantities.len()
    );
    let paper = "simple probabilistic models give the statistics; simulation is left to the future (section 5.3.2)";
    claim(
        section,
        &format!("Routing in {kind} fat trees"),
        paper,
        found,
        quantities,
    );
}

/// The points of a tree as quantities.
fn of_points((_, found): &Simulated) -> Vec<Quantity> {
    found.iter().flat_map(of_point).collect()
}

/// A fraction and its standard error.
fn measured((fraction, stderr): (f64, f64)) -> MeasuredValue {
    MeasuredValue {
        value: Value::Real(fraction),
        stderr: Some(stderr),
    }
}

/// The simulated quantities at a load: all together, and by level.
fn of_point(point: &LocalPoint) -> Vec<Quantity> {
    let locality = Locality(point.tree);
    let stage = if point.two_crossbars {
        ".two-crossbars"
    } else {
        ""
    };
    let id = format!(
        "section-4.5.n{}{stage}.load-{:.1}",
        point.tree.processors(),
        point.load_fraction
    );
    let (analytic, by_level) = (
        locality.routed_normalised(point.load_fraction, point.two_crossbars),
        locality.routed(point.load_fraction, point.two_crossbars),
    );
    let compared = |id: String, source: &str, analytic: f64, found| {
        Quantity::unprinted(id, source)
            .analytic(analytic)
            .simulated(Some(measured(found)))
            .within(ROUTED_TOLERANCE)
            .sharp_to(SEEN)
            .judged(None)
    };
    let source = "DeHon 1990, sections 4.5.1 and 4.5.2, equation 4.43, figures 4.11 and 4.18";
    let of_all = compared(
        format!("{id}.routed_fraction"),
        source,
        analytic,
        point.routed,
    );
    let source = "DeHon 1990, sections 4.5.1 and 4.5.2, figures 4.8 to 4.17";
    let levels = locality.levels().zip(&point.levels).zip(by_level);
    let of_levels = levels.map(|((level, &found), analytic)| {
        let id = format!("{id}.level-{level}.routed_fraction");
        compared(id, source, analytic, found)
    });
    [of_all].into_iter().chain(of_levels).collect()
}

/// That the curves of a tree lie one below the other, the lowest level on top, at every load.
fn orders(section: &mut Section, kind: &str, trees: &[Simulated]) {
    let of_tree = |(figure, _): &Simulated| {
        let locality = Locality(figure.tree);
        let (mut pairs, mut in_order) = (0_u64, 0_u64);
        for load in loads::simulated() {
            for pair in locality.routed(load, false).windows(2) {
                pairs += 1;
                in_order += u64::from(pair[0] > pair[1]);
            }
        }
        let id = format!("figure-4.{}.neighbouring_levels_in_order", figure.number);
        let source = format!("DeHon 1990, section 4.5, figure 4.{}", figure.number);
        Quantity::claimed(id, source, pairs)
            .named("pairs of neighbouring levels of which the lower one routes more, at ten loads")
            .analytic(in_order)
            .judged(None)
    };
    let quantities: Vec<Quantity> = trees.iter().map(of_tree).collect();
    let kept = quantities
        .iter()
        .filter(|q| q.claimed == q.analytic)
        .count();
    let found = format!(
        "by the recursion in {kept} of {} trees at all of ten loads",
        quantities.len()
    );
    let paper = "the topmost curve is that of the lowest level, and each higher level lies below";
    claim(
        section,
        &format!("Order of levels, {kind}"),
        paper,
        found,
        quantities,
    );
}

/// That curves over all levels coincide, group by group: of traffic by the text's rule, and by the fractions of
/// the printed tables.
fn alike(section: &mut Section, kind: &str, figure: &str, groups: &[&[&Simulated]]) {
    let mut words = Vec::new();
    let mut of_group = |trees: &&[&Simulated], by_print: bool| {
        let mut most: f64 = 0.0;
        for load in loads::simulated() {
            let routed = |tree: &&Simulated| {
                let (tree, up) = (Locality(tree.0.tree), up_fraction(tree.0.tree));
                match up.filter(|_| by_print) {
                    Some(up) => tree.routed_normalised_of(load, false, up),
                    None => tree.routed_normalised(load, false),
                }
            };
            let values = trees.iter().map(routed);
            let (least, largest) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| {
                (least.min(value), most.max(value))
            });
            most = most.max(largest - least);
        }
        let sizes = trees
            .iter()
            .map(|(figure, _)| figure.tree.processors().to_string());
        let sizes = sizes.collect::<Vec<_>>();
        let (traffic, suffix) = match by_print {
            true => ("the fractions of the printed tables", ".printed-fractions"),
            false => ("the text's rule", ""),
        };
        words.push(format!(
            "{most:.4} between {} by {traffic}",
            sizes.join(", ")
        ));
        let id = format!(
            "figure-{figure}.n{}{suffix}.most_apart_fraction",
            sizes.join("-n")
        );
        let source =
            format!("DeHon 1990, section 4.5, figure {figure}: read as within a hundredth");
        let quantity = Quantity::between(id, source, (0.0, INDISTINGUISHABLE))
            .named(format!(
                "most that the probabilities of trees of these sizes are apart, at ten loads, traffic by {traffic}"
            ))
            .analytic(most)
            .approximate(
                "connections of a smaller tree pass fewer stages, and fewer of them are blocked; in the print \
                 the curves may lie on each other all the same",
            );
        quantity.judged(None)
    };
    let readings = groups
        .iter()
        .flat_map(|group| [(group, false), (group, true)]);
    let quantities: Vec<Quantity> = readings
        .map(|(group, by_print)| of_group(group, by_print))
        .collect();
    let paper = match kind {
        "full" => "the three sizes are roughly identical, and their curves indistinguishable",
        _ => {
            "trees with one and with two stages of unit trees coincide when their leaves are alike"
        }
    };
    let found = format!("at most {}", words.join("; "));
    claim(
        section,
        &format!("Curves over all levels, {kind}"),
        paper,
        found,
        quantities,
    );
}

/// That larger leaves route less.
fn leaves(section: &mut Section, trees: &[Simulated]) {
    let (mut pairs, mut in_order) = (0_u64, 0_u64);
    for load in loads::simulated() {
        let routed: Vec<f64> = trees
            .iter()
            .map(|(figure, _)| Locality(figure.tree).routed_normalised(load, false))
            .collect();
        for at in [0, 1, 3, 4] {
            pairs += 1;
            in_order += u64::from(routed[at] > routed[at + 1]);
        }
    }
    let source = "DeHon 1990, section 4.5.2, figure 4.18";
    let quantity = Quantity::claimed("figure-4.18.leaves_in_order", source, pairs)
        .named("pairs of trees of which the one with smaller leaves routes more, at ten loads")
        .analytic(in_order)
        .judged(None);
    let paper = "B12 on top, B48 in the middle, B192 at the bottom";
    let found = format!("{in_order} of {pairs} pairs in this order");
    claim(section, "Order of leaves", paper, found, vec![quantity]);
}

/// The claims of section 5.2.4 about a fully loaded network.
fn performance(section: &mut Section, hybrid: &[Simulated]) {
    let mut quantities = Vec::new();
    let mut words = Vec::new();
    for tree in FULL
        .iter()
        .map(|figure| figure.tree)
        .chain(hybrid.iter().map(|h| h.0.tree))
    {
        let routed = Locality(tree).routed_normalised(1.0, false);
        words.push(format!("{routed:.3} of {}", tree.processors()));
        let id = format!("section-5.2.4.n{}.routed_fraction", tree.processors());
        let source = "DeHon 1990, section 5.2.4: 70 % to 80 %, fully loaded";
        let quantity = Quantity::between(id, source, (0.7, 0.8))
            .analytic(routed)
            .approximate(
                "trees of the largest clusters have more stages in which connections are blocked",
            );
        quantities.push(quantity.judged(None));
    }
    let paper =
        "70 % to 80 % of connections are routed in a fully loaded network of any of these sizes";
    let found = format!("by the recursion {}", words.join(", "));
    claim(section, "Fully loaded fat trees", paper, found, quantities);
}
