//! Plates and wires in space as a self-contained SVG picture.
//!
//! The view is isometric: x leads to the left and towards the viewer, y to the right and towards
//! the viewer, z up. What is farther is drawn first, by the middle of each part. Plates are translucent, so that what lies behind them can be made out. The
//! picture is the same bytes for the same drawing; coordinates are tenths of a pixel.

use std::fmt::Write;

use crosswave_base::escape;

/// Width of the picture, in pixels.
const WIDTH: f64 = 640.0;
/// Around the drawing, in pixels; above it stands the title.
const MARGIN: f64 = 16.0;
/// Height of the title, and of the line with the names of the kinds, in pixels.
const TITLE_HEIGHT: f64 = 40.0;
const NAMES_HEIGHT: f64 = 32.0;
/// Sine and cosine of 30 degrees.
const SINE: f64 = 0.5;
const COSINE: f64 = 0.866_025_403_784_438_6;
/// The part of a plate's edges that is drawn, so that neighbours stand apart.
const DRAWN: f64 = 0.88;

/// A place in space.
pub type ScenePoint = [f64; 3];

/// The contents of a picture of plates and wires.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneDrawing {
    /// Above the picture.
    pub title: String,
    /// Kinds of plates: what each is called, and its colour as in `#0072b2`.
    pub kinds: Vec<(String, &'static str)>,
    /// Plates.
    pub plates: Vec<Plate>,
    /// Wires, as straight lines.
    pub wires: Vec<[ScenePoint; 2]>,
}

/// A plate: a parallelogram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plate {
    /// One of its corners.
    pub corner: ScenePoint,
    /// Its edges from there.
    pub edges: [ScenePoint; 2],
    /// Its kind, as a number in [`SceneDrawing::kinds`].
    pub kind: usize,
}

/// A plate or a wire, as it is drawn.
struct Part {
    /// The nearness of its middle to the viewer.
    near: f64,
    /// The kind of a plate; `None` for a wire.
    kind: Option<usize>,
    /// Its corners on the picture's plane, before scaling.
    corners: Vec<(f64, f64)>,
}

/// The projection of a place onto the picture's plane; down is positive.
fn projected([x, y, z]: ScenePoint) -> (f64, f64) {
    ((y - x) * COSINE, (x + y) * SINE - z)
}

/// A place and so much of two ways from there.
fn moved(place: ScenePoint, [a, b]: [ScenePoint; 2], [by_a, by_b]: [f64; 2]) -> ScenePoint {
    std::array::from_fn(|axis| place[axis] + by_a * a[axis] + by_b * b[axis])
}

fn of_plate(plate: &Plate) -> Part {
    let (low, high) = ((1.0 - DRAWN) / 2.0, (1.0 + DRAWN) / 2.0);
    let corners = [[low, low], [high, low], [high, high], [low, high]];
    let at = |by: [f64; 2]| moved(plate.corner, plate.edges, by);
    Part {
        near: at([0.5, 0.5]).iter().sum(),
        kind: Some(plate.kind),
        corners: corners.map(|by| projected(at(by))).to_vec(),
    }
}

fn of_wire([from, to]: &[ScenePoint; 2]) -> Part {
    let ends = from.iter().chain(to);
    Part {
        near: ends.sum::<f64>() / 2.0,
        kind: None,
        corners: vec![projected(*from), projected(*to)],
    }
}

/// Draws as an SVG document.
///
/// ```
/// use crosswave_figures::plot::space::{SceneDrawing, Plate, svg};
///
/// let drawing = SceneDrawing {
///     title: "A floor".into(),
///     kinds: vec![("floor".into(), "#0072b2")],
///     plates: vec![Plate {
///         corner: [0.0; 3],
///         edges: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///         kind: 0,
///     }],
///     wires: vec![],
/// };
/// assert!(svg(&drawing).contains("#0072b2"));
/// ```
///
/// # Panics
/// When there are neither plates nor wires, or a plate is of no kind.
pub fn svg(drawing: &SceneDrawing) -> String {
    let plates = drawing.plates.iter().map(of_plate);
    let mut parts: Vec<Part> = plates.chain(drawing.wires.iter().map(of_wire)).collect();
    // A stable order: what is as near stays as it was given.
    parts.sort_by(|a, b| a.near.total_cmp(&b.near));
    let corners = || parts.iter().flat_map(|part| &part.corners);
    let bounds = |of: fn(&(f64, f64)) -> f64| {
        let values = corners().map(of);
        values.fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), value| (least.min(value), most.max(value)),
        )
    };
    let ((left, right), (top, bottom)) = (bounds(|at| at.0), bounds(|at| at.1));
    assert!(left < right, "a drawing has parts");
    let scale = (WIDTH - 2.0 * MARGIN) / (right - left);
    let height = TITLE_HEIGHT + (bottom - top) * scale + MARGIN + NAMES_HEIGHT;
    let place = |&(x, y): &(f64, f64)| {
        (
            MARGIN + (x - left) * scale,
            TITLE_HEIGHT + (y - top) * scale,
        )
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{}\" y=\"25\" font-family=\"sans-serif\" font-size=\"18\" text-anchor=\"middle\">{}</text>\n",
        WIDTH / 2.0,
        escape::xml(&drawing.title)
    );
    for same in parts.chunk_by(|a, b| a.kind == b.kind) {
        group(&mut svg, drawing, same, place);
    }
    names(&mut svg, drawing, height - NAMES_HEIGHT / 2.0);
    svg + "</svg>\n"
}

/// Parts of one kind that follow each other, as one group of paths.
fn group(
    svg: &mut String,
    drawing: &SceneDrawing,
    parts: &[Part],
    place: impl Fn(&(f64, f64)) -> (f64, f64),
) {
    let _ = match parts[0].kind {
        Some(kind) => writeln!(
            svg,
            "<g fill=\"{}\" fill-opacity=\"0.7\" stroke=\"#1d232a\" stroke-width=\"0.4\">",
            drawing.kinds[kind].1
        ),
        None => writeln!(
            svg,
            "<g fill=\"none\" stroke=\"#1d232a\" stroke-width=\"0.8\">"
        ),
    };
    for part in parts {
        svg.push_str("<path d=\"");
        for (at, corner) in part.corners.iter().enumerate() {
            let (x, y) = place(corner);
            let _ = write!(svg, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
        }
        svg.push_str(if part.kind.is_some() {
            "Z\"/>\n"
        } else {
            "\"/>\n"
        });
    }
    svg.push_str("</g>\n");
}

/// Names the kinds below the drawing.
fn names(svg: &mut String, drawing: &SceneDrawing, middle: f64) {
    let step = (WIDTH - 2.0 * MARGIN) / drawing.kinds.len().max(1) as f64;
    for (at, (name, colour)) in drawing.kinds.iter().enumerate() {
        let x = MARGIN + at as f64 * step;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"14\" height=\"14\" fill=\"{colour}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" font-family=\"sans-serif\" font-size=\"14\">{}</text>",
            middle - 7.0,
            x + 20.0,
            middle + 5.0,
            escape::xml(name)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floor(z: f64, kind: usize) -> Plate {
        Plate {
            corner: [0.0, 0.0, z],
            edges: [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            kind,
        }
    }

    #[test]
    fn what_is_nearer_is_drawn_later() {
        let drawing = SceneDrawing {
            title: "Floors & roofs".into(),
            kinds: vec![("roof".into(), "#d55e00"), ("floor".into(), "#0072b2")],
            plates: vec![floor(3.0, 0), floor(0.0, 1)],
            wires: vec![[[1.0, 1.0, 0.0], [1.0, 1.0, 3.0]]],
        };
        let text = svg(&drawing);
        let at = |what: &str| text.find(what).expect(what);
        assert!(at("fill=\"#0072b2\" fill-opacity") < at("fill=\"none\""));
        assert!(at("fill=\"none\"") < at("fill=\"#d55e00\" fill-opacity"));
        assert!(text.contains("Floors &amp; roofs"));
        assert_eq!(text, svg(&drawing), "the same bytes");
    }
}
