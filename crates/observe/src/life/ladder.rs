//! The story of a message as a picture: a ladder diagram.
//!
//! Columns are the source, the routers of the way, one behind the other, and the destination;
//! time runs downwards. A box is the time in which an input holds its output, or rejects what
//! comes. Lines that lead to the right are the head, lines that lead to the left the answer.
//! Attempts may go by different routers, which are named beside the boxes. Long times in which
//! nothing happens are cut short, and marked by a gap. Repeated attempts of a picture that would be
//! too high are [folded](super::fold) to a line each. Packets have no answer, and are named where
//! they are launched; of a packet to every node the copy is drawn that came last. A legend below
//! explains the boxes and lines that are there.
//!
//! The picture is the same bytes for the same story and refers to nothing outside of itself.

use maud::{Markup, html};

use super::events::RouterNames;
use super::fold::{FoldedAttempts, TracePart, fold, unfolded};
use super::record::{AttemptRecord, Breakdown, EndOfAttempt, HopRecord, MessageLife};
use super::story::Story;
use crosswave_probe::message::NEVER;

/// Pixels of a cycle.
const CYCLE: f64 = 9.0;
/// Most cycles that are drawn between two events.
const QUIET_CYCLES_MAX: u64 = 8;
/// Pixels between columns.
const COLUMN: f64 = 118.0;
/// Pixels left of the source: the axis of cycles.
const LEFT: f64 = 150.0;
/// Pixels above the first event.
const TOP: f64 = 92.0;
/// Half the width of a box.
const HALF: f64 = 6.0;
/// Pixels of a line of text.
const LINE: f64 = 13.0;
/// Pixels of a letter, at most.
const LETTER: f64 = 6.8;
/// Pixels of attempts that are folded, and between two that follow one another.
const FOLD: f64 = 22.0;
const BETWEEN_FOLDS: f64 = 6.0;
/// Pixels above which attempts are folded.
const HEIGHT_MAX: f64 = 1500.0;

/// Pixels of the sample of a line in the legend.
const SAMPLE: f64 = 22.0;

/// Meaning of the class `lost` where messages are packets.
const LOST_PACKET: &str = "a router loses the packet, or still holds it";

/// Meanings of boxes and lines by their classes, in the order of the legend.
const BOXES: [(&str, &str); 6] = [
    ("wait", "the source waits, or an attempt is under way"),
    ("back", "the source waits before the next attempt"),
    ("held", "a router holds an output for the message"),
    ("lost", "a router rejects the attempt"),
    ("body", "the destination receives"),
    ("fold", "several rejected attempts"),
];
const LINES: [(&str, &str); 4] = [
    ("head", "head of the message"),
    ("ok", "acknowledgement"),
    ("no", "rejection"),
    ("g", "cycles are left out here"),
];

const FONT: &str = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace";

/// The presentation attributes of each class of elements. They stand in every element, since not all
/// converters read style sheets.
const PAINTS: [(&str, &str); 16] = [
    (
        "t",
        "fill=\"#1f2328\" font-size=\"14\" font-weight=\"bold\"",
    ),
    (
        "h",
        "fill=\"#1f2328\" font-weight=\"bold\" text-anchor=\"middle\"",
    ),
    ("a", "fill=\"#59636e\" text-anchor=\"end\""),
    ("q", "fill=\"#59636e\""),
    ("r", "fill=\"#b42318\""),
    ("l", "fill=\"none\" stroke=\"#d8dee4\""),
    (
        "g",
        "fill=\"none\" stroke=\"#8a6100\" stroke-dasharray=\"2 3\"",
    ),
    (
        "head",
        "fill=\"none\" stroke=\"#0b4f9e\" stroke-width=\"1.8\"",
    ),
    (
        "ok",
        "fill=\"none\" stroke=\"#1a7f37\" stroke-width=\"1.4\"",
    ),
    (
        "no",
        "fill=\"none\" stroke=\"#b42318\" stroke-width=\"1.4\" stroke-dasharray=\"4 2\"",
    ),
    ("held", "fill=\"#cfe2fb\" stroke=\"#0b4f9e\""),
    ("lost", "fill=\"#fdd8d3\" stroke=\"#b42318\""),
    (
        "fold",
        "fill=\"#fdeeec\" stroke=\"#e5b3ac\" stroke-dasharray=\"4 2\"",
    ),
    ("wait", "fill=\"#eff2f5\" stroke=\"#8c959f\""),
    ("back", "fill=\"#fdf3d7\" stroke=\"#8a6100\""),
    ("body", "fill=\"#d2f0d9\" stroke=\"#1a7f37\""),
];

/// Gives each element the attributes of its class.
fn painted(svg: String) -> String {
    PAINTS.iter().fold(svg, |svg, (class, attributes)| {
        let class = format!(" class=\"{class}\"");
        svg.replace(&class, &format!(" {attributes}{class}"))
    })
}

/// Positions of cycles on the page.
struct Axis {
    /// Cycles in which something happens, rising, with their places.
    events: Vec<(u64, f64)>,
    /// Places of the gaps.
    gaps: Vec<f64>,
}

impl Axis {
    fn of(parts: &[TracePart<'_>], life: Option<&MessageLife>) -> Axis {
        let (mut cycles, mut folds) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                TracePart::Whole(attempt) => cycles.extend(events(attempt)),
                TracePart::Folded(folded) => {
                    folds.push((folded.from_cycle(), folded.to_cycle()));
                }
            }
        }
        if let Some(life) = life {
            cycles.extend([life.message.offered_cycle, life.message.delivered_cycle]);
        }
        // Outputs may become free late, while folded attempts are under way.
        let is_inside = |cycle: u64| {
            let next = folds.partition_point(|&(from, _)| from <= cycle);
            next > 0 && cycle <= folds[next - 1].1
        };
        cycles.retain(|&cycle| cycle != NEVER && !is_inside(cycle));
        cycles.extend(folds.iter().flat_map(|&(from, to)| [from, to]));
        cycles.sort_unstable();
        cycles.dedup();
        let mut axis = Axis {
            events: Vec::new(),
            gaps: Vec::new(),
        };
        let mut y = TOP;
        for cycle in cycles {
            if let Some(&(before, _)) = axis.events.last() {
                let quiet = cycle - before;
                let next = folds.partition_point(|&(from, _)| from < cycle);
                let ends = next > 0 && folds[next - 1] == (before, cycle);
                let follows = next > 0 && folds[next - 1].1 == before;
                let begins = folds.get(next).is_some_and(|&(from, _)| from == cycle);
                y += match (ends, follows && begins) {
                    (true, _) => FOLD,
                    (_, true) => BETWEEN_FOLDS,
                    _ => {
                        let drawn = quiet.min(QUIET_CYCLES_MAX) as f64 * CYCLE;
                        if quiet > QUIET_CYCLES_MAX {
                            axis.gaps.push(y + drawn / 2.0);
                        }
                        drawn
                    }
                };
            }
            axis.events.push((cycle, y));
        }
        axis
    }

    /// The place of a cycle in which something happens; the end of the picture for one that did
    /// not come.
    fn y(&self, cycle: u64) -> f64 {
        let at = self.events.partition_point(|&(event, _)| event < cycle);
        let last = self.events.len().saturating_sub(1);
        self.events.get(at.min(last)).map_or(TOP, |&(_, y)| y)
    }

    fn bottom(&self) -> f64 {
        self.events.last().map_or(TOP, |&(_, y)| y)
    }
}

/// The cycles in which something happens to an attempt; [`NEVER`] for what did not come.
fn events(attempt: &AttemptRecord) -> Vec<u64> {
    let mut cycles = vec![
        attempt.launched_cycle,
        attempt.reached_cycle,
        attempt.end_cycle,
    ];
    for hop in &attempt.hops {
        cycles.extend([hop.arrived_cycle, hop.left_cycle, hop.freed_cycle]);
    }
    cycles.extend(attempt.collision.as_ref().map(|collision| collision.cycle));
    cycles
}

struct Ladder<'s, 'n, 'a> {
    story: &'s Story,
    parts: Vec<TracePart<'s>>,
    names: &'n mut RouterNames<'a>,
    axis: Axis,
    /// Routers of the longest attempt.
    hops: usize,
}

/// Draws the story of a message as an SVG document, with all attempts or with repeated ones folded
/// where the picture would be too high.
pub fn draw(story: &Story, all_attempts: bool, names: &mut RouterNames<'_>) -> String {
    let story = &story.with_last_copies();
    let hops = story
        .attempts
        .iter()
        .map(|attempt| attempt.hops.len())
        .max();
    let life = story.life.as_ref();
    let parts = match all_attempts {
        true => unfolded(&story.attempts),
        false => fold(&story.attempts, |parts| {
            Axis::of(parts, life).bottom() <= HEIGHT_MAX
        }),
    };
    let ladder = Ladder {
        axis: Axis::of(&parts, life),
        story,
        parts,
        names,
        hops: hops.unwrap_or(0),
    };
    painted(ladder.document().into_string())
}

/// The place of a column.
fn x(column: usize) -> f64 {
    LEFT + COLUMN * column as f64
}

/// A polyline through points.
fn line(class: &str, points: &[(f64, f64)]) -> Markup {
    let points: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    html! { polyline class=(class) points=(points.join(" ")) {} }
}

/// A box in a column, with what a pointer shows over it.
fn block(class: &str, column: usize, (from, to): (f64, f64), title: &str) -> Markup {
    let (left, height) = (x(column) - HALF, (to - from).max(3.0));
    html! {
        rect class=(class) x=(format!("{left:.1}")) y=(format!("{from:.1}"))
            width=(2.0 * HALF) height=(format!("{height:.1}")) rx="2" { title { (title) } }
    }
}

fn text(class: &str, at: (f64, f64), text: &str) -> Markup {
    html! { text class=(class) x=(format!("{:.1}", at.0)) y=(format!("{:.1}", at.1)) { (text) } }
}

/// The legend of what is drawn, from a height on in a picture of a width, and the height at which it
/// ends.
fn legend(drawn: &Markup, are_packets: bool, from: f64, width: f64) -> (Markup, f64) {
    let is_there = |(class, _): &(&str, &str)| drawn.0.contains(&format!(" class=\"{class}\""));
    let boxes = BOXES.into_iter().map(|entry| (entry, 2.0 * HALF));
    let lines = LINES.into_iter().map(|entry| (entry, SAMPLE));
    let (mut across, mut down) = (16.0, from);
    let mut entries = Vec::new();
    for ((class, meaning), sample) in boxes.chain(lines).filter(|(entry, _)| is_there(entry)) {
        let meaning = match class {
            "lost" if are_packets => LOST_PACKET,
            _ => meaning,
        };
        let taken = sample + 6.0 + LETTER * meaning.len() as f64;
        if across > 16.0 && across + taken > width {
            (across, down) = (16.0, down + 1.5 * LINE);
        }
        entries.push(html! {
            @if sample == SAMPLE {
                (line(class, &[(across, down), (across + sample, down)]))
            } @else {
                rect class=(class) x=(format!("{across:.1}")) y=(format!("{:.1}", down - HALF))
                    width=(2.0 * HALF) height=(2.0 * HALF) rx="2" {}
            }
            (text("q", (across + sample + 6.0, down + 4.0), meaning))
        });
        across += taken + 14.0;
    }
    let legend = html! { g class="legend" { @for entry in entries { (entry) } } };
    (legend, down + LINE / 2.0)
}

impl Ladder<'_, '_, '_> {
    fn document(mut self) -> Markup {
        let columns = self.hops + 2;
        let folds: Vec<String> = self.folds();
        let letters = folds.iter().map(|told| told.chars().count()).max();
        let told = letters.map_or(0.0, |letters| x(0) + LETTER * letters as f64 + 3.0 * LINE);
        let width = (x(columns - 1) + COLUMN).max(told.ceil());
        let mut folds = folds.iter();
        let parts: Vec<Markup> = (0..self.parts.len())
            .map(|index| match self.parts[index] {
                TracePart::Whole(attempt) => self.attempt(attempt),
                TracePart::Folded(folded) => {
                    let told = folds.next().expect("a text for each fold");
                    self.folded(folded, told, width)
                }
            })
            .collect();
        let drawn = html! {
            (self.title())
            @for column in 0..columns {
                (text("h", (x(column), TOP - 16.0), &self.heading(column)))
                (line("l", &[(x(column), TOP - 8.0), (x(column), self.axis.bottom() + 8.0)]))
            }
            @for gap in &self.axis.gaps {
                (line("g", &[(LEFT - 20.0, *gap), (width - 20.0, *gap)]))
            }
            (self.waits())
            @for part in parts { (part) }
        };
        let mut attempts = self.story.attempts.iter();
        let are_packets = attempts.any(|attempt| attempt.packet.is_some());
        let from = self.axis.bottom() + 3.0 * LINE;
        let (legend, bottom) = legend(&drawn, are_packets, from, width);
        let height = bottom + LINE;
        html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(format!("{height:.1}"))
                viewBox=(format!("0 0 {width} {height:.1}")) role="img"
                stroke="none" font-family=(FONT) font-size="11" {
                rect x=".5" y=".5" width=(width - 1.0) height=(format!("{:.1}", height - 1.0)) rx="6"
                    fill="#fff" stroke="#d0d7de" {}
                (drawn)
                (legend)
            }
        }
    }

    fn title(&self) -> Markup {
        let ends = self.story.ends();
        let ends = ends.map_or_else(String::new, |ends| format!(", {ends}"));
        let life = self.story.life.as_ref();
        let summary = life.map_or("not acknowledged".to_owned(), |life| {
            let cycles = life.message.latency_cycles();
            let parts = life.breakdown.as_ref().map_or(String::new(), shares);
            format!("{cycles} cycles{parts}")
        });
        html! {
            (text("t", (16.0, 26.0), &format!("message {}{ends}", self.story.id)))
            (text("q", (16.0, 46.0), &summary))
        }
    }

    /// The heading of a column: a node or a router.
    fn heading(&self, column: usize) -> String {
        let first = self.story.attempts.first();
        match column {
            0 => first.map_or("source".into(), |first| format!("node {}", first.source)),
            hop if hop <= self.hops => format!("router {hop}"),
            _ => first.map_or("destination".into(), |first| {
                format!("node {}", first.destination)
            }),
        }
    }

    /// The waits of the source between attempts, and the body at the destination.
    fn waits(&self) -> Markup {
        let (attempts, life) = (&self.story.attempts, self.story.life.as_ref());
        let offered = life.map(|life| life.message.offered_cycle);
        let y = |cycle| self.axis.y(cycle);
        let ends = |part: &TracePart<'_>| match part {
            TracePart::Whole(attempt) => (attempt.launched_cycle, attempt.end_cycle, false),
            TracePart::Folded(folded) => (folded.from_cycle(), folded.to_cycle(), true),
        };
        let pairs = self.parts.windows(2);
        let pairs = pairs.map(|pair| (ends(&pair[0]), ends(&pair[1])));
        // Between folds there is no room for the wait.
        let pairs = pairs.filter(|((.., before), (.., after))| !(*before && *after));
        let are_packets = attempts.iter().any(|attempt| attempt.packet.is_some());
        html! {
            @if let (Some(offered), Some(first)) = (offered, attempts.first()) {
                (block("wait", 0, (y(offered), y(first.launched_cycle)), "waits at the source"))
                (self.label(offered, 0.0, "offered"))
            }
            @for (before, after) in pairs.filter(|_| !are_packets) {
                (block("back", 0, (y(before.1), y(after.0)),
                       "waits for the next attempt"))
            }
            @if let (Some(life), Some(last)) = (life, attempts.last()) {
                (block("body", self.hops + 1,
                       (y(last.reached_cycle), y(life.message.delivered_cycle)), "receives"))
                @if life.message.delivered_cycle != NEVER {
                    @let at = (x(self.hops + 1) + HALF + 4.0, y(life.message.delivered_cycle));
                    (text("q", at, &format!("delivered {}", life.message.delivered_cycle)))
                }
            }
        }
    }

    /// A label on the axis of cycles, so many pixels below its cycle: what ends stands above
    /// what begins.
    fn label(&self, cycle: u64, below: f64, what: &str) -> Markup {
        let at = (LEFT - HALF - 5.0, self.axis.y(cycle) + below);
        text("a", at, &format!("{what} {cycle}"))
    }

    /// The texts of the folds.
    fn folds(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        for part in &self.parts {
            let TracePart::Folded(folded) = part else {
                continue;
            };
            let word = match folded.count() {
                1 => "attempt",
                _ => "attempts",
            };
            texts.push(format!(
                "{word} {}: rejected by {}, {}; cycles {} to {}",
                folded.numbers(),
                folded.places(self.names),
                folded.causes(self.names),
                folded.from_cycle(),
                folded.to_cycle()
            ));
        }
        texts
    }

    /// Attempts that are folded: a bar over all columns, with what it stands for.
    fn folded(&self, folded: FoldedAttempts<'_>, told: &str, width: f64) -> Markup {
        let y = self.axis.y(folded.from_cycle());
        let left = x(0) - HALF;
        html! {
            rect class="fold" x=(format!("{left:.1}")) y=(format!("{y:.1}"))
                width=(format!("{:.1}", width - left - LINE)) height=(FOLD) rx="2" {}
            (text("r", (x(0) + HALF, y + 15.0), told))
        }
    }

    fn attempt(&mut self, attempt: &AttemptRecord) -> Markup {
        let hops: Vec<Markup> = (0..attempt.hops.len())
            .map(|hop| self.hop(attempt, hop))
            .collect();
        let number = attempt
            .packet
            .map_or(attempt.attempt, |packet| packet.number);
        let y = |cycle| self.axis.y(cycle);
        let mut head = vec![(x(0), y(attempt.launched_cycle))];
        for (hop, column) in attempt.hops.iter().zip(1..) {
            head.push((x(column), y(hop.arrived_cycle)));
            if hop.left_cycle != NEVER {
                head.push((x(column), y(hop.left_cycle)));
            }
        }
        let is_there = attempt.reached_cycle != NEVER;
        if is_there {
            head.push((x(self.hops + 1), y(attempt.reached_cycle)));
        }
        let (class, end) = match attempt.end {
            EndOfAttempt::Acknowledged => ("ok", "acknowledged"),
            EndOfAttempt::Rejected => ("no", "rejected"),
            EndOfAttempt::UnderWay => ("no", "under way"),
            EndOfAttempt::Delivered => ("ok", "delivered"),
            EndOfAttempt::Lost => ("no", "lost"),
        };
        html! {
            @if attempt.packet.is_none() {
                (block("wait", 0, (y(attempt.launched_cycle), y(attempt.end_cycle)), "attempt"))
            }
            @for hop in hops { (hop) }
            (line("head", &head))
            @if attempt.packet.is_none() && attempt.end_cycle != NEVER {
                (line(class, &self.answer(attempt)))
                (self.label(attempt.end_cycle, 0.0, end))
            }
            (self.label(attempt.launched_cycle, 10.0, &format!("{number}: launched")))
        }
    }

    /// The way of the answer, by the cycles in which routers become free.
    fn answer(&self, attempt: &AttemptRecord) -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        let y = |cycle| self.axis.y(cycle);
        let delivered = self.story.life.map(|life| life.message.delivered_cycle);
        match (attempt.end, delivered) {
            (EndOfAttempt::Acknowledged, Some(cycle)) if cycle <= attempt.end_cycle => {
                points.push((x(self.hops + 1), y(cycle)));
            }
            _ => points.extend(attempt.collision.as_ref().map(|collision| {
                let column = attempt.hops.len();
                (x(column), y(collision.cycle))
            })),
        }
        // With an early acknowledgement outputs become free behind it.
        let passed = attempt.hops.iter().enumerate().rev();
        let passed = passed
            .filter(|(_, hop)| hop.left_cycle != NEVER && hop.freed_cycle <= attempt.end_cycle);
        points.extend(passed.map(|(index, hop)| (x(index + 1), y(hop.freed_cycle))));
        points.push((x(0), y(attempt.end_cycle)));
        points
    }

    fn hop(&mut self, attempt: &AttemptRecord, index: usize) -> Markup {
        let hop: &HopRecord = &attempt.hops[index];
        let (from, to) = (self.axis.y(hop.arrived_cycle), self.axis.y(hop.freed_cycle));
        let router = self.names.router(hop.router).to_owned();
        let port = |link| self.names.port(hop.router, link).unwrap_or("?");
        let at = (x(index + 1) + HALF + 4.0, from + 10.0);
        if hop.left_cycle != NEVER {
            let ports = format!("{} → {}", port(hop.input), port(hop.output));
            let title = format!("{router}, {ports}, from {} on", hop.left_cycle);
            // Below the line that leads on.
            let below = (at.0, self.axis.y(hop.left_cycle) + LINE);
            // All packets go the same route, one close after the other, and often pass in a cycle.
            let is_named = attempt.packet.is_none_or(|packet| packet.number == 1);
            let at = match attempt.packet {
                None => at,
                Some(_) => (at.0, from - 3.0),
            };
            return html! {
                (block("held", index + 1, (from, to), &title))
                @if is_named {
                    (text("q", at, &router))
                    (text("q", below, &ports))
                }
            };
        }
        let does = match (attempt.packet, attempt.end) {
            (None, _) => "rejects",
            (_, EndOfAttempt::Lost) => "loses the packet",
            (_, EndOfAttempt::Rejected) => "rejects the packet",
            _ => "holds the packet",
        };
        let rivals = attempt
            .collision
            .iter()
            .flat_map(|collision| &collision.rivals);
        let rivals: Vec<String> = rivals
            .map(|rival| match attempt.packet {
                None => format!("{} held by message {}", port(rival.output), rival.id),
                Some(_) => format!("{}: message {}", port(rival.output), rival.id),
            })
            .collect();
        let told = match attempt.packet {
            None => format!("{router}: input {} rejected", port(hop.input)),
            Some(_) => format!("{router}, {}", port(hop.input)),
        };
        html! {
            (block("lost", index + 1, (from, to), &format!("{router} {does}")))
            (text("r", at, &told))
            @for (rival, number) in rivals.iter().zip(1..) {
                (text("r", (at.0, at.1 + LINE * f64::from(number)), rival))
            }
        }
    }
}

/// The parts of a latency that are not 0.
fn shares(breakdown: &Breakdown) -> String {
    let parts = breakdown
        .parts()
        .into_iter()
        .filter(|(_, cycles)| *cycles > 0);
    let parts: Vec<String> = parts
        .map(|(name, cycles)| format!("{name} {cycles}"))
        .collect();
    format!(": {}", parts.join(", "))
}
