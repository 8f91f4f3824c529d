//! The sections of the report; the check takes their quantities.

use super::curves::{self, RatioCurve};
use super::{averages, damage, figures, hardware, mixed, multipath, ratios};
use crate::effort::Effort;
use crate::page::{Data, PagePart, PageTable, Picture, Section};
use crate::paper::Charts;
use crate::quantity::Quantity;
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot;
use crosswave_observe::points::watch::Watch;

/// All sections. `draws` is whether that is made too of which there are no quantities.
///
/// # Errors
/// When someone asks to stop.
pub fn sections(effort: Effort, draws: bool, watch: &mut dyn Watch) -> Result<Vec<Section>, Error> {
    let mut sections = vec![oblivious(effort, watch)?];
    if effort != Effort::Formulas {
        sections.push(regular(effort, watch)?);
        for curve in RatioCurve::ALL {
            sections.push(figure(curve, effort, draws, watch)?);
        }
        sections.push(mixed_clusters(watch)?);
        sections.push(clocks(effort, draws, watch)?);
        if draws {
            sections.push(paths(effort, watch)?);
            sections.push(failures(effort, watch)?);
        }
    }
    Ok(sections)
}

/// Those of some quantities whose ids are meant.
fn of(quantities: &[Quantity], is_meant: impl Fn(&str) -> bool) -> Vec<Quantity> {
    let meant = quantities.iter().filter(|quantity| is_meant(&quantity.id));
    meant.cloned().collect()
}

fn draw(section: &mut Section, name: &str, caption: &str, charts: Charts) {
    let is_single = charts.charts.len() == 1;
    for (chart, letter) in charts.charts.iter().zip('a'..) {
        section.parts.push(PagePart::Picture(Picture {
            name: match is_single {
                true => name.into(),
                false => format!("{name}{letter}"),
            },
            svg: plot::svg(chart),
            caption: caption.into(),
        }));
    }
    section.parts.push(PagePart::Data(Data {
        name: format!("{name}.csv"),
        text: charts.csv,
    }));
    let command = format!("crosswave figure {name} --out figures");
    section.parts.push(PagePart::Commands(vec![command]));
}

/// Table I, theorem 6, lemma 8.
fn oblivious(effort: Effort, watch: &mut dyn Watch) -> Result<Section, Error> {
    let mut section = Section::new("Oblivious performance ratios (sections III to V)");
    section.text(
        "The ratio of a routing is the load that the worst traffic of base load 1 brings onto a link. It is \
         exact: for each link the largest matching of sources with destinations whose pairs use it, \
         weighted where pairs have several paths. Nothing is drawn at random.",
    );
    let all = ratios::quantities(effort, watch)?;
    let is_osrm2 = |id: &str| id.starts_with("osrm2");
    section.claim(
        "Table I, except OSRM2",
        "1 for OMRMN, m/2 for OSRM3, m/2 and m − 1 for MLID and WSR",
        "every number, for all m that were tried",
        of(&all, |id| id.ends_with("_ratio") && !is_osrm2(id)),
    );
    section.claim(
        "OSRM2",
        "the root of m/2, for any m",
        "where m/2 is a square; elsewhere whole numbers above it, with a corrected index, or no routing",
        of(&all, is_osrm2),
    );
    section.claim(
        "Theorems 3 to 5",
        "no routing of single paths has a ratio below the bound",
        "none of those that were tried is below it",
        of(&all, |id| id.starts_with("theorem")),
    );
    section.claim(
        "Lemma 8",
        "no switch carries more pairs than the bound",
        "the bound is met on networks that are small enough to try all sets of pairs",
        of(&all, |id| id.starts_with("lemma")),
    );
    Ok(section)
}

/// Tables II and III.
fn regular(effort: Effort, watch: &mut dyn Watch) -> Result<Section, Error> {
    let mut section = Section::new("Regular traffic (tables II and III)");
    section.text(
        "Nodes stand at random places of a ring, a grid, a hypercube or a binary tree, 32 times, and send to \
         their neighbours there. Grids have their borders joined, as the printed numbers suggest. The rows \
         of the 2D grid on FT(32, 2) and FT(8, 3) do not follow with the sides that are most alike. They do \
         with ⌊√N⌋ columns and as many rows as are needed, numbers of nodes modulo N, and a unit both ways \
         for each of the four neighbours of each node. That reading was found by search (assumed).",
    );
    let all = averages::quantities(effort, watch)?;
    let is_known = |id: &str| {
        id.starts_with("mesh_2d") && (id.contains("ft_32_2_mean") || id.contains("ft_8_3_mean"))
    };
    let is_difference = |id: &str| id.contains("_mlid_less_");
    let is_square = |id: &str| id.contains("whole_root") && !is_difference(id);
    section.claim(
        "Average ratios",
        "tables II and III, except four entries of the 2D mesh",
        "all within the intervals of 32 instances",
        of(&all, |id| {
            id.ends_with("_mean_ratio")
                && !is_known(id)
                && !is_square(id)
                && !is_difference(id)
                && !id.starts_with("clusters")
        }),
    );
    section.claim(
        "2D meshes of a whole root",
        "1.88, 1.74, 1.64 and 1.63",
        "all within the intervals of 32 instances",
        of(&all, is_square),
    );
    section.claim(
        "The 2D mesh on FT(32, 2) and FT(8, 3), sides most alike",
        "1.88, 1.74, 1.64 and 1.63",
        "about four tenths more",
        of(&all, is_known),
    );
    section.claim(
        "MLID less OSRM2 on FT(32, 2)",
        "0.13 to 0.50",
        "as printed, by 256 instances, but for the binary tree, which is undecided",
        of(&all, is_difference),
    );
    section.claim(
        "MLID and WSR",
        "the same ratio for every symmetric traffic",
        "the same in every instance",
        of(&all, |id| id.starts_with("mlid_and_wsr")),
    );
    section.claim(
        "Clusters of two under MLID",
        "above 4 on FT(32, 2)",
        "so it is",
        of(&all, |id| id.starts_with("clusters")),
    );
    Ok(section)
}

/// Clusters that the paper mentions without a figure.
fn mixed_clusters(watch: &mut dyn Watch) -> Result<Section, Error> {
    let mut section = Section::new("Other clusters (section VI)");
    section.text(
        "The paper mentions clusters of random sizes, with a random regular pattern in each, and with random traffic \
         in each, and gives no numbers of them. Here groups have 2 to 32 nodes, or 16; pairs of a group send with a \
         probability of a half (assumed).",
    );
    let mut all = mixed::quantities(watch)?;
    let similar = all.split_off(1);
    section.claim(
        "Mixed clusters on FT(32, 2)",
        "OSRM2 is noticeably better than MLID and WSR",
        "better than MLID in one kind of clusters; the others are too close to tell",
        all,
    );
    section.claim(
        "Mixed clusters on FT(32, 2) and FT(8, 3)",
        "OSRM is comparable to MLID, or better",
        "0.9 to 1.03 times MLID's ratio in each of three kinds of clusters",
        similar,
    );
    Ok(section)
}

/// Title, and about what it is, what the paper says, what came out.
fn words(curve: RatioCurve) -> [&'static str; 4] {
    match curve {
        RatioCurve::Uniform => [
            "Random uniform traffic",
            "All routings of single paths",
            "very close to 1, and 1 above a probability of 0.75",
            "so they are where many pairs send; up to 1.1 where few do",
        ],
        RatioCurve::Clusters2 => [
            "Clusters on FT(32, 2)",
            "OSRM2 and MLID",
            "OSRM2 is noticeably better, and never above 4",
            "so it is at every size, or too close to tell",
        ],
        RatioCurve::Clusters3 => [
            "Clusters on FT(8, 3)",
            "OSRM3 and MLID",
            "OSRM3 is only slightly better",
            "by about two in a hundred",
        ],
        RatioCurve::HotSpots2 => [
            "Four hot spots on FT(32, 2)",
            "OSRM2 and MLID",
            "all close to 1, and OSRM2 about 3 % worse",
            "OSRM2 is 3 % worse over sizes of 4 to 128; at 32 and 64 nodes it is 10 %, and at 128, where the hot \
             spots are all nodes, it is better",
        ],
        RatioCurve::HotSpots3 => [
            "Four hot spots on FT(16, 3)",
            "OSRM3 and MLID",
            "similar",
            "too close to tell apart",
        ],
    }
}

/// One of figures 11 to 15.
fn figure(
    curve: RatioCurve,
    effort: Effort,
    draws: bool,
    watch: &mut dyn Watch,
) -> Result<Section, Error> {
    let [title, about, paper, found] = words(curve);
    let number = curve.number();
    let mut section = Section::new(format!("{title} (figure {number})"));
    let points = curves::points(curve, effort, watch)?;
    if draws {
        let name = format!("yuan2007-{number}");
        let caption = format!("{title}: average performance ratios of single paths");
        let charts = figures::charts(curve, effort, &points);
        draw(&mut section, &name, &caption, charts);
    }
    section.claim(about, paper, found, curves::quantities(curve, &points));
    Ok(section)
}

/// Predicted against measured.
fn clocks(effort: Effort, draws: bool, watch: &mut dyn Watch) -> Result<Section, Error> {
    let mut section = Section::new("Loads of links and cycles of switches");
    section.text(
        "Permutations through the hardware: each pair sends 100 one-word messages, one after the other, as \
         packets through switches with queues without a limit, and as circuits. Under the worst permutation \
         of a routing of single paths packets take 100 times the largest load and the clocks of a way, and \
         mostly so under random ones: the theory says which table is better, and by how much. Two things \
         add to it. Where two links of the largest load follow each other, packets that wait at the first \
         come late to the second; and where a pair takes several paths in turn, packets meet for moments on \
         links that have room for them on average. Circuits take their own time. A message holds its links \
         until the acknowledgement is back, but a link on the way down for part of that only, so that two \
         share it without loss (MLID, whose pairs meet on their way down, takes half of what the load \
         says); and who is rejected tries again from the start, which costs most where ways are long and \
         links all in use (all paths of OMRMN).",
    );
    let points = hardware::study(effort, watch)?;
    section.claim(
        "The largest link load",
        "is how well a routing does",
        "packets of worst permutations take L times that and no more than a way behind it, and none take \
         less; circuits take from half to nearly twice that, in clocks of a circuit alone",
        hardware::quantities(&points),
    );
    if draws {
        section
            .parts
            .push(PagePart::Table(hardware::table(&points)));
        let charts = hardware::charts(&hardware::growing(watch)?, &points);
        let caption =
            "Cycles over L times the largest load; of circuits, times those of a message alone";
        draw(&mut section, "yuan2007-clocks", caption, charts);
    }
    Ok(section)
}

/// K paths of the many.
fn paths(effort: Effort, watch: &mut dyn Watch) -> Result<Section, Error> {
    let mut section = Section::new("Several paths for each pair");
    section.text(
        "The paper asks what a limited number of paths is worth. K consecutive paths, by the digits of the \
         source or of the destination, and K that are drawn at random for each pair: exact ratios. On two \
         levels both kinds have (m/2)/K. On FT(8, 3) a single path at random has 16, the worst there is, \
         as any sources may share a link with any destinations, where one by digits has 7; from four \
         paths on both have 16/K.",
    );
    let rows = multipath::rows(effort, watch)?;
    let mut table = PageTable::new(
        "Oblivious ratio against the number of paths",
        ["tree", "paths", "MLID", "d-mod-k", "random, four seeds"],
    );
    for row in &rows {
        let (least, most) = row.drawn;
        table.row([
            format!("FT({}, {})", row.tree.0, row.tree.1),
            row.paths.to_string(),
            row.mlid.to_string(),
            row.d_mod_k.to_string(),
            match least == most {
                true => least.to_string(),
                false => format!("{least} to {most}"),
            },
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let caption = "Oblivious ratio against paths of a pair, consecutive and at random";
    draw(
        &mut section,
        "yuan2007-paths",
        caption,
        figures::paths_charts(&rows),
    );
    Ok(section)
}

/// Failed links and switches.
fn failures(effort: Effort, watch: &mut dyn Watch) -> Result<Section, Error> {
    let (ports, levels) = damage::TREE;
    let mut section = Section::new("Failed links and switches");
    section.text(format!(
        "On FT({ports}, {levels}). Shares that are cut move to whole shortest paths of their pair, to all of \
         them evenly, or to one in turn. Ratios are over the base load, the optimal load of the tree when \
         it was whole; that of a damaged tree may be higher. So the load of one random permutation, of \
         base load 1, stands beside the least that the damaged tree can have of it."
    ));
    let mut table = PageTable::new(
        "Pairs cut before rerouting, and ratios after it",
        [
            "failed",
            "routing",
            "pairs cut",
            "in part",
            "ratio, whole",
            "moved evenly",
            "in turn",
            "a permutation",
            "its optimum",
        ],
    );
    for row in damage::rows(effort, watch)? {
        table.row([
            row.failed,
            row.routing,
            row.cut.all.to_string(),
            row.cut.some.to_string(),
            row.before.to_string(),
            row.evenly.to_string(),
            row.round_robin.to_string(),
            row.load.to_string(),
            format!("{:.3}", row.optimum),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    Ok(section)
}
