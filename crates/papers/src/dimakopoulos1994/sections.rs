//! The sections of the report; the check takes their quantities.

use super::study::Study;
use super::{circuit_figure, circuits, exchange, figures, single};
use crate::page::{Data, PagePart, Picture, Section};
use crate::paper::Charts;
use crate::quantity::Quantity;
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot;

/// All sections, in the order of the paper. `draws` is whether pictures are made that nothing
/// else is simulated for.
///
/// # Errors
/// As [`Study::kept`].
pub fn sections(study: &mut Study<'_>, draws: bool) -> Result<Vec<Section>, Error> {
    Ok(vec![
        one_to_all(study)?,
        multinode(study)?,
        total_exchange(study, draws)?,
        fewest(study)?,
        circuits(study, draws)?,
    ])
}

/// Adds the pictures of a figure and their numbers.
fn draw(section: &mut Section, name: &str, captions: [&str; 2], charts: Charts) {
    let letters = ["a", "b"];
    for ((chart, caption), letter) in charts.charts.iter().zip(captions).zip(letters) {
        section.parts.push(PagePart::Picture(Picture {
            name: format!("{name}{letter}"),
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

/// Those of some quantities whose ids begin so.
fn of(quantities: &[Quantity], ids: &[&str]) -> Vec<Quantity> {
    let is_meant = |q: &&Quantity| ids.iter().any(|id| q.id.starts_with(id));
    quantities.iter().filter(is_meant).cloned().collect()
}

/// Broadcast, scatter and gather.
fn one_to_all(study: &mut Study<'_>) -> Result<Section, Error> {
    let mut section = Section::new("Broadcast, scatter and gather (sections 2 and 3)");
    section.claim(
        "Broadcast, scatter, gather",
        "2 lg n, n + 1 and n + 1 steps, furthest processors first, whatever the capacities",
        "so they do from n = 4 on; with two processors a scatter has one link to go and takes 2",
        single::one_to_all(study)?,
    );
    section.claim(
        "Arrivals of a scatter",
        "the packets of level i arrive by step T_i, and T_i falls with i",
        "by the steps that are printed, but those of levels 2 and 3 arrive by the same step",
        single::arrivals(study)?,
    );
    Ok(section)
}

/// Multinode broadcast.
fn multinode(study: &mut Study<'_>) -> Result<Section, Error> {
    let mut section = Section::new("Multinode broadcast (section 4)");
    section.text(
        "Flooding is sent through a step simulator with a queue in front of each channel and, with \
         up to 256 processors, through switches with queues, cycle by cycle. The broadcasts without queues, which the paper \
         cites and does not give, are schedules of this program, and go through slices that have \
         none.",
    );
    section.claim(
        "Multinode broadcast",
        "n + 1 steps by flooding; n + 2 lg n − 2 without queues; what is least is open",
        "all of these, and n + 1 steps are enough without queues",
        single::multinode(study)?,
    );
    section.claim(
        "Queues of flooding",
        "2^(i−1) packets at level i",
        "as printed below the root, and none at the root",
        single::queues(study)?,
    );
    Ok(section)
}

/// Total exchange in phases.
fn total_exchange(study: &mut Study<'_>, draws: bool) -> Result<Section, Error> {
    let mut section = Section::new("Total exchange in phases (section 5)");
    if draws {
        let captions = [
            "Steps of total exchange on the CBFT over n², made and by the formulas",
            "Steps of total exchange on the EBFT over n, made and by the formulas",
        ];
        draw(
            &mut section,
            "dimakopoulos1994-steps",
            captions,
            figures::draw(study)?,
        );
    }
    section.claim(
        "Phases one after the other, and pipelined",
        "equations 1 and 2; (n² − 1)/3 + 2 lg n − 1 on the CBFT, n + 2 lg n − 2 on the EBFT",
        "every step count of both equations and both closed forms",
        [exchange::phases(study)?, exchange::closed_forms(study)?].concat(),
    );
    section.claim(
        "Any capacities",
        "the equations hold for all that do not fall",
        "with the packets that the branches below can bring in the place of capacities",
        exchange::steep(study)?,
    );
    section.claim(
        "The loops of the algorithm",
        "bounds of three nested loops, both included",
        "one less each: as printed, messages are sent that do not exist",
        exchange::loops(study)?,
    );
    Ok(section)
}

/// The fewest steps, and the conjecture.
fn fewest(study: &mut Study<'_>) -> Result<Section, Error> {
    let mut section = Section::new("The fewest steps (sections 5.1 and 6)");
    section.text(
        "That no total exchange on the EBFT takes fewer than n + 2 lg n − 3 steps for n ≥ 8 follows \
         from summing sends and receptions; schedules of that length are made for every size. The \
         proofs are on the page of collective communications.",
    );
    let least = exchange::least(study)?;
    section.claim(
        "The fewest steps on the CBFT",
        "n²/4",
        "n²/4 + 2 lg n − 1: links fill and drain",
        of(&least, &["least_cbft"]),
    );
    section.claim(
        "The conjecture",
        "no total exchange on the EBFT takes fewer than n + 2 lg n − 2 steps",
        "true of 2 and 4 processors; from 8 on n + 2 lg n − 3 steps are enough, and none takes fewer",
        of(&least, &["conjecture"]),
    );
    section.claim(
        "Lemma 3",
        "n + 2 lg n − 2 lg lg n − 2 steps at least",
        "true, but by another argument; over whole i inequality 4 gives 1,037 for n = 1,024",
        exchange::lemma(),
    );
    Ok(section)
}

/// Circuits beside packets.
fn circuits(study: &mut Study<'_>, draws: bool) -> Result<Section, Error> {
    let mut section = Section::new("The same operations on circuits");
    section.text(
        "The four-port fat tree has the capacities of the EBFT. Its routers hold a path for each \
         message, which is acknowledged and sent again where it collides; they neither replicate nor \
         merge. So an operation is there a graph of messages that wait for each other. The numbers have \
         the same messages as packets in switches with queues as well.",
    );
    if draws {
        let captions = [
            "Clocks of operations on the four-port tree with doubling capacities, and steps of ideal packets",
            "Clocks of operations on the four-port tree with capacities 1, and steps of ideal packets",
        ];
        draw(
            &mut section,
            "dimakopoulos1994-circuits",
            captions,
            circuit_figure::draw(study)?,
        );
    }
    let quantities = circuits::quantities(study)?;
    if !quantities.is_empty() {
        section.claim(
            "XOR steps on circuits",
            "nothing: the paper has packets",
            "no channel is wanted twice, so that a total exchange takes the clocks of its messages one \
             after the other",
            quantities,
        );
    }
    Ok(section)
}
