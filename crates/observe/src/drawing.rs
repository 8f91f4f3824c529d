//! A network as a drawing in SVG: every router and node, and the links between them.
//!
//! Nodes are the lowest row and the ranks of routers the rows above it, as
//! [`NetworkDrawing`](crosswave_network::topology::NetworkDrawing) has them. Where the last rank sends
//! back to the nodes they are drawn once more as receivers, at the top. Links of any number of wires
//! between two chips are one line, wider where there are more.

use std::collections::BTreeMap;
use std::fmt::Write;

use crosswave_network::path::follow;
use crosswave_network::topology::{NODES, ROUTERS, Topology};
use crosswave_network::{Fabric, LinkPort};

use crate::view::layout::{places, sending_links};

/// The most chips that a drawing shows.
pub const DRAWN_CHIPS_MAX: usize = 2_000;

/// Width of the part of the drawing that has the chips.
const WIDTH: f64 = 880.0;
/// Columns to the left of it, for the names of rows.
const MARGIN: f64 = 110.0;
/// Distance of rows.
const ROW: f64 = 110.0;
/// Height of a chip.
const HEIGHT: f64 = 16.0;
/// Largest width of a chip.
const CHIP_MAX: f64 = 44.0;

/// A chip in the drawing: its row from the bottom and its place there.
type Spot = (usize, u32);

/// The rows with their names and the places of their chips across, in parts of 10,000.
struct Rows(Vec<(String, Vec<u32>)>);

impl Rows {
    fn x(&self, (row, place): Spot) -> f64 {
        MARGIN + f64::from(self.0[row].1[place as usize]) / 10_000.0 * WIDTH
    }

    fn y(&self, row: usize) -> f64 {
        30.0 + (self.0.len() - 1 - row) as f64 * ROW
    }

    /// Width of the chips of a row.
    fn chip_width(&self, row: usize) -> f64 {
        (0.6 * WIDTH / self.0[row].1.len() as f64).clamp(1.5, CHIP_MAX)
    }
}

/// The drawing of a network; the number of its chips where there are too many.
///
/// # Errors
/// When there are more than [`DRAWN_CHIPS_MAX`] chips.
pub fn network_svg(
    topology: &dyn Topology,
    fabric: &Fabric,
    packets: bool,
) -> Result<String, usize> {
    let chips = topology.nodes() as usize + fabric.arrays[ROUTERS].instances;
    if chips > DRAWN_CHIPS_MAX {
        return Err(chips);
    }
    // Packets leave a node at its only link.
    let sends = if packets {
        vec![0]
    } else {
        sending_links(topology)
    };
    let has_receivers = fabric.arrays[NODES].chip.links.len() > sends.len();
    let ranks = topology.drawing().ranks();
    let nodes = topology.nodes();
    let ends = if has_receivers { "senders" } else { "nodes" };
    let mut rows = vec![(ends.to_owned(), places(nodes, nodes))];
    rows.extend(
        ranks
            .iter()
            .map(|rank| (rank.name.clone(), places(rank.routers, rank.groups))),
    );
    if has_receivers {
        rows.push(("receivers".to_owned(), places(nodes, nodes)));
    }
    let rows = Rows(rows);
    let spot = |port: LinkPort| -> Option<Spot> {
        match port.array {
            ROUTERS => {
                let (rank, place) = topology.drawing().standing(port.instance as u32);
                Some((rank + 1, place))
            }
            NODES => {
                let is_receiver = has_receivers && !sends.contains(&port.link);
                let row = if is_receiver { rows.0.len() - 1 } else { 0 };
                Some((row, topology.node_of_instance(port.instance)))
            }
            _ => None,
        }
    };
    let mut lines: BTreeMap<(Spot, Spot), u32> = BTreeMap::new();
    let mut names: BTreeMap<Spot, String> = BTreeMap::new();
    for array in [NODES, ROUTERS] {
        let instances = match array {
            NODES => fabric.nodes,
            _ => fabric.arrays[array].instances,
        };
        for instance in 0..instances {
            for link in 0..fabric.arrays[array].chip.links.len() {
                let from = LinkPort {
                    array,
                    instance,
                    link,
                };
                let Some(place) = spot(from) else { continue };
                names
                    .entry(place)
                    .or_insert_with(|| fabric.instance_name(array, instance));
                let to = follow(fabric, from).and_then(|(_, to)| spot(to));
                // A link is seen from both of its ends.
                if let Some(to) = to.filter(|to| place < *to) {
                    *lines.entry((place, to)).or_insert(0) += 1;
                }
            }
        }
    }
    Ok(svg(&rows, &lines, &names))
}

fn svg(rows: &Rows, lines: &BTreeMap<(Spot, Spot), u32>, names: &BTreeMap<Spot, String>) -> String {
    let (width, height) = (MARGIN + WIDTH + 20.0, rows.y(0) + 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    write_parts(&mut svg, rows, lines, names).expect("a string takes all text");
    svg + "</svg>\n"
}

fn write_parts(
    svg: &mut String,
    rows: &Rows,
    lines: &BTreeMap<(Spot, Spot), u32>,
    names: &BTreeMap<Spot, String>,
) -> std::fmt::Result {
    for (&(from, to), &wires) in lines {
        let (x1, y1, x2, y2) = (rows.x(from), rows.y(from.0), rows.x(to), rows.y(to.0));
        let stroke = (0.8 * f64::from(wires)).min(4.0);
        let path = match from.0 == to.0 {
            // Neighbours of one row are joined by an arc above it.
            true => format!(
                "M{x1:.1} {y1:.1}Q{:.1} {:.1} {x2:.1} {y2:.1}",
                (x1 + x2) / 2.0,
                y1 - 0.15 * (x2 - x1).abs() - 14.0
            ),
            false => format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"),
        };
        writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"#8a8f98\" stroke-width=\"{stroke:.1}\"/>"
        )?;
    }
    for (row, (name, places)) in rows.0.iter().enumerate() {
        let y = rows.y(row);
        writeln!(
            svg,
            "<text x=\"8\" y=\"{:.1}\" fill=\"#333333\">{name}</text>",
            y + 4.0
        )?;
        let width = rows.chip_width(row);
        let fill = match name.as_str() {
            "nodes" | "senders" | "receivers" => "#d7e3f4",
            _ => "#f4d9b0",
        };
        for place in 0..places.len() as u32 {
            let x = rows.x((row, place)) - width / 2.0;
            let title = names.get(&(row, place)).map_or("", String::as_str);
            writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" rx=\"2\" \
                 fill=\"{fill}\" stroke=\"#555555\" stroke-width=\"0.7\"><title>{title}</title></rect>",
                y - HEIGHT / 2.0
            )?;
        }
    }
    Ok(())
}
