//! A network in its layout, as a self-contained SVG picture.
//!
//! Processors are circles, switches squares; kinds of links have colours that the colour-blind
//! tell apart, and links of more wires are thicker. Upward links of single switches follow the
//! streets of the layout; those of copies would run through other copies there, and are curves.
//! Links within a level are curves that bend outwards of their ring, or slightly on a mesh, so
//! that they stand apart from upward links in the same street. The picture is the same bytes for the same shape;
//! coordinates are tenths of a pixel, and its size is in proportion to nodes and links.

use std::fmt::Write;

use super::graph::{Graph, GraphLink, LinkKind};
use super::layout::{FrameLayout, LayoutPlace};
use super::shape::{FrameShape, SwitchForm};

/// Width of the picture, in pixels.
const WIDTH: f64 = 640.0;
/// Around the drawing, in pixels; above it stands the title.
const MARGIN: f64 = 20.0;
/// Height of the title, and of the line with the names, in pixels.
const TITLE_HEIGHT: f64 = 44.0;
const NAMES_HEIGHT: f64 = 44.0;
/// The largest side of a cell, in pixels, so that small networks have nodes as large as others.
const CELL_MAX: f64 = 60.0;
/// The side of a cell for which the widths of lines are given, in pixels.
const CELL_USUAL: f64 = 40.0;
/// The bend of curves, in cells: enough to pass a node, and enough to be told from a straight
/// line beside it.
const BEND: f64 = 0.45;
const BEND_SLIGHT: f64 = 0.22;
/// The bend of curves that lead neither across nor down, for each cell of their length.
const BEND_OBLIQUE: f64 = 0.05;
/// Half of the side of a switch and the radius of a processor, in cells.
const NODE_SIZE: f64 = 0.24;
/// Ink of outlines and letters.
const INK: &str = "#1d232a";
/// Colours of processors and switches.
const PROCESSOR: &str = "#ffffff";
const SWITCH: &str = "#b8c0c8";

/// The name of a kind of link, its colour (Okabe and Ito), and its width for one wire, in
/// pixels.
fn style(kind: LinkKind) -> (&'static str, &'static str, f64) {
    match kind {
        LinkKind::Up => ("upward link", "#0072b2", 1.2),
        LinkKind::Ring => ("ring link", "#d55e00", 2.2),
        LinkKind::Mesh => ("mesh link", "#009e73", 2.2),
    }
}

/// Draws a network as an SVG document.
///
/// ```
/// use crosswave_frame::picture::picture;
/// use crosswave_frame::shape::{Family, FrameShape};
/// let svg = picture(&FrameShape::new(Family::FatPyramid, 4, 3)?);
/// assert!(svg.contains("fat pyramid of 64 processors"));
/// # Ok::<(), crosswave_frame::shape::ShapeError>(())
/// ```
pub fn picture(shape: &FrameShape) -> String {
    let graph = Graph::new(*shape);
    let layout = FrameLayout::new(&graph);
    let frame = Frame::new(&layout);
    let mut svg = String::new();
    let height = frame.bottom + NAMES_HEIGHT;
    let form = match shape.options().form {
        SwitchForm::Singular => "",
        SwitchForm::Split => ", copies of switches apart",
    };
    put(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH} {height:.0}\" font-family=\"sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
             <text x=\"{}\" y=\"28\" font-size=\"19\" text-anchor=\"middle\" fill=\"{INK}\">{shape}{form}</text>\n",
            WIDTH / 2.0
        ),
    );
    let mut kinds = Vec::new();
    for kind in [LinkKind::Up, LinkKind::Ring, LinkKind::Mesh] {
        let links = graph.links().iter().filter(|link| link.kind == kind);
        let links: Vec<&GraphLink> = links.collect();
        if !links.is_empty() {
            draw_links(
                &mut svg,
                &frame,
                &layout,
                (kind, &links),
                shape.options().form,
            );
            kinds.push(kind);
        }
    }
    draw_nodes(&mut svg, &frame, &layout, &graph);
    draw_names(&mut svg, &kinds, frame.bottom + NAMES_HEIGHT / 2.0);
    svg + "</svg>\n"
}

/// Appends what is formatted.
fn put(svg: &mut String, text: std::fmt::Arguments<'_>) {
    svg.write_fmt(text)
        .expect("a string takes all that is written");
}

/// The positions of cells in the picture.
struct Frame {
    /// The side of a cell, in pixels.
    cell: f64,
    left: f64,
    bottom: f64,
}

impl Frame {
    fn new(layout: &FrameLayout) -> Frame {
        let (width, height) = (f64::from(layout.width()), f64::from(layout.height()));
        let cell = ((WIDTH - 2.0 * MARGIN) / width).min(CELL_MAX);
        Frame {
            cell,
            left: (WIDTH - cell * width) / 2.0,
            bottom: TITLE_HEIGHT + cell * height,
        }
    }

    /// The middle of a cell, which may be between cells.
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.left + (x + 0.5) * self.cell,
            TITLE_HEIGHT + (y + 0.5) * self.cell,
        )
    }

    /// The middle of a node.
    fn middle(&self, place: LayoutPlace) -> (f64, f64) {
        self.at(f64::from(place.x), f64::from(place.y))
    }

    /// A size that is given for usual cells, in pixels.
    fn scaled(&self, pixels: f64) -> f64 {
        (pixels * self.cell / CELL_USUAL).min(pixels)
    }
}

/// Links of one kind, by capacity, so that a group has one width.
fn draw_links(
    svg: &mut String,
    frame: &Frame,
    layout: &FrameLayout,
    (kind, links): (LinkKind, &[&GraphLink]),
    form: SwitchForm,
) {
    let (_, colour, width) = style(kind);
    for same in links.chunk_by(|a, b| a.capacity == b.capacity) {
        let width = frame.scaled(width * (1.0 + 0.5 * f64::from(same[0].capacity.ilog2())));
        put(
            svg,
            format_args!(
                "<g fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width:.2}\" stroke-linecap=\"round\">\n"
            ),
        );
        for link in same {
            let (from, to) = (layout.place(link.from), layout.place(link.to));
            let (x, y) = frame.middle(from);
            put(svg, format_args!("<path d=\"M{x:.1} {y:.1}"));
            let (end_x, end_y) = frame.middle(to);
            match (kind, form) {
                (LinkKind::Up, SwitchForm::Singular) => {
                    put(svg, format_args!("H{end_x:.1}V{end_y:.1}"))
                }
                _ => {
                    let (bend_x, bend_y) = bend(frame, (kind, form), from, to);
                    let curve = format_args!("Q{bend_x:.1} {bend_y:.1} {end_x:.1} {end_y:.1}");
                    put(svg, curve);
                }
            }
            svg.push_str("\"/>\n");
        }
        svg.push_str("</g>\n");
    }
}

/// The control point of a curve that bends to the left of its way, which is outwards where rings
/// go clockwise.
fn bend(
    frame: &Frame,
    (kind, form): (LinkKind, SwitchForm),
    from: LayoutPlace,
    to: LayoutPlace,
) -> (f64, f64) {
    let (x, y) = (f64::from(from.x), f64::from(from.y));
    let (end_x, end_y) = (f64::from(to.x), f64::from(to.y));
    let (along, down) = (end_x - x, end_y - y);
    let length = along.hypot(down);
    let far = match (kind, form) {
        (LinkKind::Up, _) if from.x != to.x && from.y != to.y => BEND_OBLIQUE * length,
        (LinkKind::Mesh, SwitchForm::Singular) => BEND_SLIGHT,
        _ => BEND,
    };
    // The middle of such a curve is halfway to its control point.
    let aside = 2.0 * far / length;
    frame.at(
        (x + end_x) / 2.0 + down * aside,
        (y + end_y) / 2.0 - along * aside,
    )
}

fn draw_nodes(svg: &mut String, frame: &Frame, layout: &FrameLayout, graph: &Graph) {
    let size = NODE_SIZE * frame.cell;
    put(
        svg,
        format_args!(
            "<g stroke=\"{INK}\" stroke-width=\"{:.2}\">\n",
            frame.scaled(1.2)
        ),
    );
    for node in 0..graph.nodes() {
        let at = frame.middle(layout.place(node));
        draw_node(svg, graph.processors().contains(&node), at, size);
    }
    svg.push_str("</g>\n");
}

fn draw_node(svg: &mut String, is_processor: bool, (x, y): (f64, f64), size: f64) {
    match is_processor {
        true => put(
            svg,
            format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size:.1}\" fill=\"{PROCESSOR}\"/>\n"
            ),
        ),
        false => put(
            svg,
            format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{SWITCH}\"/>\n",
                x - size,
                y - size,
                2.0 * size,
                2.0 * size
            ),
        ),
    }
}

/// Names nodes and kinds of links below the drawing.
fn draw_names(svg: &mut String, kinds: &[LinkKind], middle: f64) {
    let step = (WIDTH - 2.0 * MARGIN) / (kinds.len() + 2) as f64;
    for column in 0..kinds.len() + 2 {
        let x = MARGIN + column as f64 * step;
        let name = match column {
            0 | 1 => {
                put(
                    svg,
                    format_args!("<g stroke=\"{INK}\" stroke-width=\"1.2\">\n"),
                );
                draw_node(svg, column == 0, (x + 14.0, middle), 8.0);
                svg.push_str("</g>\n");
                ["processor", "switch"][column]
            }
            _ => {
                let (name, colour, width) = style(kinds[column - 2]);
                put(
                    svg,
                    format_args!(
                        "<path d=\"M{x:.1} {middle:.1}h28\" stroke=\"{colour}\" stroke-width=\"{:.1}\"/>\n",
                        1.5 * width
                    ),
                );
                name
            }
        };
        put(
            svg,
            format_args!(
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"16\" fill=\"{INK}\">{name}</text>\n",
                x + 34.0,
                middle + 5.5
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Family, ShapeOptions};

    #[test]
    fn everything_is_drawn_once() {
        for family in Family::ALL {
            for form in [SwitchForm::Singular, SwitchForm::Split] {
                let options = ShapeOptions {
                    form,
                    ..ShapeOptions::of(family)
                };
                let shape = FrameShape::with_options(family, 4, 3, options).unwrap();
                let (svg, graph) = (picture(&shape), Graph::new(shape));
                assert_eq!(svg, picture(&shape), "the same bytes");
                // A sample of each kind of node, and a background.
                let switches = (graph.nodes() - shape.processors()) as usize;
                assert_eq!(svg.matches("<circle").count(), 64 + 1);
                assert_eq!(svg.matches("<rect").count(), switches + 2);
                let kinds = match family {
                    Family::ButterflyFatTree => 1,
                    _ => 2,
                };
                assert_eq!(svg.matches("<path").count(), graph.links().len() + kinds);
                assert!(svg.contains(family.name()) && svg.ends_with("</svg>\n"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"));
            }
        }
    }

    #[test]
    fn small_and_odd_networks_stay_inside() {
        for (family, ring, levels) in [
            (Family::GeneralFatStack, 3, 1),
            (Family::AugmentedFatStack, 5, 2),
            (Family::ButterflyFatTree, 4, 5),
        ] {
            let graph = Graph::new(FrameShape::new(family, ring, levels).unwrap());
            let layout = FrameLayout::new(&graph);
            let frame = Frame::new(&layout);
            for node in 0..graph.nodes() {
                let (x, y) = frame.middle(layout.place(node));
                assert!((MARGIN..WIDTH - MARGIN).contains(&x));
                assert!((TITLE_HEIGHT..frame.bottom).contains(&y));
            }
        }
    }
}
