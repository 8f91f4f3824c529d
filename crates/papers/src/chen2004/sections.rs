//! The sections of the report; the check takes their quantities.

use super::{
    all_to_one, experiment, figures, hardware, print, routing_traffic, schedules, structure,
    universality,
};
use crate::effort::Effort;
use crate::page::{Data, PagePart, Picture, Section};
use crate::paper::Drawn;
use crosswave_base::diagnostic::Error;
use crosswave_frame::shape::Family;
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;

/// All sections, in the order of the paper. `draws` is whether pictures are made that nothing
/// else is simulated for.
///
/// # Errors
/// When someone asks to stop.
pub fn sections(
    effort: Effort,
    draws: bool,
    store: &Store,
    watch: &mut dyn Watch,
) -> Result<Vec<Section>, Error> {
    Ok(vec![
        networks(draws),
        schedules(),
        universality(effort, draws, watch)?,
        experiment(effort, draws, store, watch)?,
        chips(effort, watch)?,
    ])
}

/// Adds the pictures of a figure and its numbers.
fn draw<const N: usize>(section: &mut Section, name: &str, captions: [String; N], drawn: Drawn) {
    let letters = ["a", "b", "c", "d"];
    for ((svg, caption), letter) in drawn.svgs.into_iter().zip(captions).zip(letters) {
        section.parts.push(PagePart::Picture(Picture {
            name: format!("{name}{letter}"),
            svg,
            caption,
        }));
    }
    section.parts.push(PagePart::Data(Data {
        name: format!("{name}.csv"),
        text: drawn.csv,
    }));
    let command = format!("crosswave figure {name} --out figures");
    section.parts.push(PagePart::Commands(vec![command]));
}

/// Wires and distances.
fn networks(draws: bool) -> Section {
    let mut section = Section::new("Networks, wires and distances (sections 2 to 4)");
    if draws {
        let captions = Family::ALL.map(|family| format!("A {family} of 64 processors"));
        draw(
            &mut section,
            "chen2004-networks",
            captions,
            figures::networks(),
        );
        section.parts.push(PagePart::Table(structure::table()));
    }
    section.claim(
        "Wires on a frame of four",
        "2N − √N of a fat tree, N/2 − √N more of a stack, N/2 − √N log₄ N more of a pyramid",
        "all of these, with the wires that leave the root and one ring wire for each copy of a switch",
        structure::wires(),
    );
    section.claim(
        "Distances",
        "d(1, 2) is a lower bound in the general stack; routes of section 4 are shortest ones in the augmented",
        "the printed d(1, 2) is no bound; routes of section 4 are shortest ones",
        structure::distances(),
    );
    section
}

/// Section 3.
fn schedules() -> Section {
    let mut section = Section::new("Schedules (section 3)");
    section.text(
        "Every start of rings of 3 to 7 nodes with up to two packets each is tried. In whole networks, whose \
         links have one wire, all processors send a packet to one of them.",
    );
    section.claim(
        "A ring",
        "nq steps; a queue of q in turns, and of nq at the sink if all send",
        "these, with constants of 1",
        schedules::rings(),
    );
    section.claim(
        "Whole networks",
        "N + n log N steps in a general stack, N + log N in an augmented one, with queues of O(1)",
        "fewer steps than that; queues grow with N where senders are greedy, and nothing waits by the offline \
         schedule of the proof, the reverse of a scatter with the furthest first",
        schedules::networks(),
    );
    section
}

/// Section 4.
fn universality(effort: Effort, draws: bool, watch: &mut dyn Watch) -> Result<Section, Error> {
    let mut section = Section::new("Universality (section 4)");
    section.text(
        "Each network carries one message between all neighbours of another one of the same area, by the \
         routes of section 4: of a mesh with a node on every processor, and of a hypercube, a butterfly and \
         a permutation whose wires fill that area, with about √N nodes or rows. The overhead is its steps over \
         those of the guest, whose longest wire sets its pace; wires take one step, or one for each side of \
         a processor's cell, and hold messages behind each other. A growth with log A is read as an \
         exponent of N of 0.25 at most, at the sizes at hand.",
    );
    let carried = universality::study(effort, watch)?;
    if carried.is_empty() {
        return Ok(section);
    }
    section.claim(
        "Overhead of O(log A)",
        "tree, stack and pyramid under unit delays, stack and pyramid under any; not the tree",
        "the stack fails on a mesh as the tree does: its rings join the children of one switch, and no \
         others; the pyramid keeps what it promises",
        universality::quantities(&carried),
    );
    if draws {
        section
            .parts
            .push(PagePart::Table(universality::table(&carried)));
        let captions =
            ["unit", "linear"].map(|delay| format!("Overhead under {delay} wire delays"));
        let charts = universality::charts(&carried);
        draw(&mut section, "chen2004-overhead", captions, charts.into());
    }
    Ok(section)
}

/// Section 5.
fn experiment(
    effort: Effort,
    draws: bool,
    store: &Store,
    watch: &mut dyn Watch,
) -> Result<Section, Error> {
    let mut section = Section::new("Flows through three networks (section 5)");
    section.text(format!(
        "{} flows of {} sources among 64 processors send packets of 1,000 bytes at 80 kb/s on average, for 120 \
         seconds. They start and end at two uniform times each, so that 1.6 Mb/s are offered on average, about \
         what the paper prints as throughput of the pyramid: what it calls throughput is not a \
         saturated one. Rings and meshes join processors too, and have the rates of links upwards. \
         Routers know once a second what waits for every link, and send packets by the fewest clocks; \
         beside that stand tables by the fewest hops.",
        print::FLOWS,
        print::SOURCES
    ));
    let cells = experiment::table_1(effort, store, watch)?;
    if !cells.is_empty() {
        section.claim(
            "Order of the networks",
            "tree, stack, pyramid: more throughput and less delay, whatever the traffic",
            "so they are, pair by pair of the same flows",
            experiment::order(&cells),
        );
        section.claim(
            "Table 1",
            "throughput and delay of three networks under three kinds of traffic",
            "the figures differ, as the times of flows and what routers respond to are not given; the pyramid carries \
             nearly all that is offered, which is assumed, so that its throughput tells nothing",
            experiment::printed(&cells),
        );
    }
    section.claim(
        "Bytes of the printed throughputs",
        "packets of 1,000 bytes",
        "their greatest common divisor is smaller: routing traffic was very likely counted as data",
        vec![experiment::common_divisor()],
    );
    section
        .parts
        .push(PagePart::Table(experiment::bytes_table()));
    section.claim(
        "Delays",
        "0.15 to 0.23 s through stack and pyramid",
        "less than packets of 1,000 bytes take through empty networks",
        vec![experiment::empty()],
    );
    let counted = routing_traffic::study(effort, store, watch)?;
    section.claim(
        "Routing traffic counted as data",
        "bytes and delays of table 1",
        "the bytes modulo 1,000 of two of the tree's three rows; the delay of the tree, and delays of stack and \
         pyramid that are nearer to the print, though not as short",
        routing_traffic::quantities(&counted),
    );
    section
        .parts
        .push(PagePart::Table(routing_traffic::table(&counted)));
    if draws {
        section
            .parts
            .push(PagePart::Table(experiment::table(&cells)));
        let loads = figures::loads(effort, store, watch)?;
        let captions = [
            "Carried load against what is offered".to_owned(),
            "Delay against what is offered".to_owned(),
        ];
        draw(&mut section, "chen2004-load", captions, loads.into());
    }
    Ok(section)
}

/// The networks as hardware.
fn chips(effort: Effort, watch: &mut dyn Watch) -> Result<Section, Error> {
    let mut section = Section::new("The three networks as chips");
    section.text(
        "The same frame as wormhole switches with four places a buffer, of which the paper says nothing: \
         every copy of a switch is a chip, and packets take the ways of section 4 in an order that cannot \
         wait in a circle. Steady traffic to random others, clock by clock; on long wires each link has \
         the extra clocks that its length in the layout asks for.",
    );
    let measured = hardware::measured(effort, watch)?;
    if measured.is_empty() {
        return Ok(section);
    }
    section.claim(
        "Order of the networks",
        "tree, stack, pyramid: more throughput and less delay",
        "so they are as chips, with wires of one clock and with long ones",
        hardware::order(&measured),
    );
    section
        .parts
        .push(PagePart::Table(hardware::table(&measured)));
    section.claim(
        "All to one with queues of O(1)",
        "N + n log N steps in a general stack, N + log N in an augmented one",
        "fewer than N steps, though no queue holds more than four bytes: credits hold senders back",
        all_to_one::quantities(effort, watch)?,
    );
    Ok(section)
}
