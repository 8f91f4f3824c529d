//! A network as a drawing in SVG: every router and node, and the links between them.
//!
//! Nodes are the lowest row and the ranks of routers the rows above it, as
//! [`NetworkDrawing`](crosswave_network::topology::NetworkDrawing) has them. Where the last rank sends
//! back to the nodes they are drawn once more as receivers, at the top. Links of any number of wires
//! between two chips are one line, wider where there are more.

use std::collections::BTreeMap;
use std::fmt::Write;

use crosswave_network::Fabric;
use crosswave_network::topology::{NODES, Topology};

use crate::view::layout::PageLayout;

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

/// The drawing of a network; the number of its chips where there are too many.
///
/// # Errors
/// More than [`DRAWN_CHIPS_MAX`] chips.
pub fn network_svg(topology: &dyn Topology, fabric: &Fabric) -> Result<String, usize> {
    let chips = topology.nodes() as usize + fabric.routers();
    if chips > DRAWN_CHIPS_MAX {
        return Err(chips);
    }
    let layout = PageLayout::new(topology, fabric, usize::MAX);
    let mut svg = String::new();
    write_svg(&mut svg, &layout, &names(topology, fabric, &layout))
        .expect("a string takes all text");
    Ok(svg)
}

/// The names of the chips, by their blocks.
fn names(topology: &dyn Topology, fabric: &Fabric, layout: &PageLayout) -> Vec<String> {
    let blocks = layout.rows.iter().map(|row| row.x.len()).sum();
    let mut names = vec![String::new(); blocks];
    for instance in 0..fabric.nodes {
        let place = topology.node_of_instance(instance);
        let name = fabric.instance_name(NODES, instance);
        if layout.has_receivers {
            let receivers = layout.block(layout.rows.len() - 1, place);
            names[receivers as usize].clone_from(&name);
        }
        names[layout.block(0, place) as usize] = name;
    }
    for router in 0..fabric.routers() {
        let (rank, place) = topology.drawing().standing(router as u32);
        names[layout.block(rank + 1, place) as usize] = fabric.router_name(router);
    }
    names
}

/// The wires between two blocks, of which the lower one is first. Both directions of a link are one
/// wire.
fn wires(layout: &PageLayout) -> BTreeMap<(u32, u32), u32> {
    let mut directed: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (line, count) in &layout.lines {
        *directed.entry((line.from, line.to)).or_insert(0) += count;
    }
    let mut wires = BTreeMap::new();
    for (&(from, to), &count) in &directed {
        let most: &mut u32 = wires.entry((from.min(to), from.max(to))).or_insert(0);
        *most = (*most).max(count);
    }
    wires
}

/// The row of each block, and its place across.
fn spots(layout: &PageLayout) -> Vec<(usize, f64)> {
    let rows = layout.rows.iter().enumerate();
    let spots = rows.flat_map(|(row, of)| of.x.iter().map(move |&x| (row, x)));
    spots
        .map(|(row, x)| (row, MARGIN + f64::from(x) / 10_000.0 * WIDTH))
        .collect()
}

fn write_svg(svg: &mut String, layout: &PageLayout, names: &[String]) -> std::fmt::Result {
    let y = |row: usize| 30.0 + (layout.rows.len() - 1 - row) as f64 * ROW;
    let (width, height) = (MARGIN + WIDTH + 20.0, y(0) + 40.0);
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
    )?;
    let spots = spots(layout);
    for ((from, to), count) in wires(layout) {
        let [(low, x1), (high, x2)] = [from, to].map(|block| spots[block as usize]);
        let (y1, y2) = (y(low), y(high));
        let stroke = (0.8 * f64::from(count)).min(4.0);
        let path = match low == high {
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
    let mut blocks = spots.iter().zip(names);
    for (row, of) in layout.rows.iter().enumerate() {
        let (name, y) = (&of.name, y(row));
        writeln!(
            svg,
            "<text x=\"8\" y=\"{:.1}\" fill=\"#333333\">{name}</text>",
            y + 4.0
        )?;
        let width = (0.6 * WIDTH / of.x.len() as f64).clamp(1.5, CHIP_MAX);
        let is_of_nodes = row == 0 || layout.has_receivers && row + 1 == layout.rows.len();
        let fill = if is_of_nodes { "#d7e3f4" } else { "#f4d9b0" };
        for ((_, x), title) in blocks.by_ref().take(of.x.len()) {
            writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" rx=\"2\" \
                 fill=\"{fill}\" stroke=\"#555555\" stroke-width=\"0.7\"><title>{title}</title></rect>",
                x - width / 2.0,
                y - HEIGHT / 2.0
            )?;
        }
    }
    writeln!(svg, "</svg>")
}
