//! Curves and measured points as a self-contained SVG picture.
//!
//! The picture needs no font when it is drawn: text stays text, in the viewer's
//! sans-serif, and its width is estimated. It has its own white background, and is the
//! same bytes for the same chart. Coordinates are whole quarters of a pixel, so that curves
//! are smooth.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Units of the drawing in a pixel.
const UNIT: u32 = 4;
/// Width and height, in pixels.
const SIZE: (u32, u32) = (860, 540);
/// Width of the column on the right in which the series are named, in pixels.
const NAMES_WIDTH: u32 = 150;
/// Height of a line of that column, in pixels.
const NAME_HEIGHT: i32 = 24;
/// Marks on an axis, at most.
const MARKS: usize = 11;
/// Width of the ends of an error bar, in pixels.
const BAR_WIDTH: u32 = 8;
/// Width of curves, in pixels.
const CURVE_WIDTH: u32 = 2;

/// Colours that the colour-blind tell apart (Okabe and Ito); series take them in turn.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(128, 128, 128),
];

/// A picture of curves over one pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Above the picture.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in the order in which it is named beside the picture.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it counts, with its unit.
    pub title: String,
    /// Its smallest value.
    pub from: f64,
    /// Its largest value.
    pub to: f64,
}

/// A curve, points, or both, of one colour.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// What it is called.
    pub name: String,
    /// Points that are joined by lines: a model.
    pub curve: Vec<(f64, f64)>,
    /// Points that stand alone: what was measured.
    pub points: Vec<Point>,
}

/// A measured point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where it stands.
    pub x: f64,
    /// What was measured there.
    pub y: f64,
    /// Half the length of its error bar; 0 draws the point only.
    pub error: f64,
}

/// Draws a chart as an SVG document.
///
/// What lies outside of the axes is not drawn; error bars end at them.
///
/// ```
/// use crosswave::plot::{Axis, Chart, Series, svg};
///
/// let axis = |title: &str| Axis { title: title.into(), from: 0.0, to: 1.0 };
/// let chart = Chart {
///     title: "A line".into(),
///     x: axis("x"),
///     y: axis("y"),
///     series: vec![Series {
///         name: "y = x".into(),
///         curve: vec![(0.0, 0.0), (1.0, 1.0)],
///         points: vec![],
///     }],
/// };
/// assert!(svg(&chart).contains("y = x"));
/// ```
///
/// # Panics
/// When an axis does not lead from a finite number to a larger one.
pub fn svg(chart: &Chart) -> String {
    for axis in [&chart.x, &chart.y] {
        assert!(
            axis.from.is_finite() && axis.to.is_finite() && axis.from < axis.to,
            "axis {:?} from {} to {}",
            axis.title,
            axis.from,
            axis.to
        );
    }
    let mut svg = String::new();
    draw(chart, &mut svg).expect("a string takes all that is written");
    // The view box stays in units of the drawing.
    let size = |unit: u32| format!("width=\"{}\" height=\"{}\"", SIZE.0 * unit, SIZE.1 * unit);
    svg.replacen(&size(UNIT), &size(1), 1)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(chart: &Chart, svg: &'a mut String) -> Result<(), Failure<'a>> {
    let whole = SVGBackend::with_string(svg, (SIZE.0 * UNIT, SIZE.1 * UNIT)).into_drawing_area();
    whole.fill(&WHITE)?;
    let (left, right) = whole.split_horizontally((SIZE.0 - NAMES_WIDTH) * UNIT);
    let mut context = ChartBuilder::on(&left)
        .caption(&chart.title, ("sans-serif", 20 * UNIT))
        .margin(12 * UNIT)
        .x_label_area_size(46 * UNIT)
        .y_label_area_size(58 * UNIT)
        .build_cartesian_2d(chart.x.from..chart.x.to, chart.y.from..chart.y.to)?;
    context
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(222, 226, 230).stroke_width(UNIT))
        .axis_style(BLACK.stroke_width(UNIT))
        .set_all_tick_mark_size(5 * UNIT)
        .x_labels(MARKS)
        .y_labels(MARKS)
        .x_label_formatter(&mark)
        .y_label_formatter(&mark)
        .x_desc(&chart.x.title)
        .y_desc(&chart.y.title)
        .label_style(("sans-serif", 14 * UNIT))
        .axis_desc_style(("sans-serif", 16 * UNIT))
        .draw()?;
    for (series, &colour) in chart.series.iter().zip(COLOURS.iter().cycle()) {
        curve(&mut context, chart, series, colour)?;
    }
    for ((series, &colour), line) in chart.series.iter().zip(COLOURS.iter().cycle()).zip(0..) {
        name(&right, series, colour, 60 + line * NAME_HEIGHT)?;
    }
    whole.present()
}

type Context<'a, 'b> =
    ChartContext<'b, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

fn curve<'a>(
    context: &mut Context<'a, '_>,
    chart: &Chart,
    series: &Series,
    colour: RGBColor,
) -> Result<(), Failure<'a>> {
    let inside = |x: f64, y: f64| {
        (chart.x.from..=chart.x.to).contains(&x) && (chart.y.from..=chart.y.to).contains(&y)
    };
    for piece in series.curve.split(|&(x, y)| !inside(x, y)) {
        let style = colour.stroke_width(CURVE_WIDTH * UNIT);
        context.draw_series(LineSeries::new(piece.iter().copied(), style))?;
    }
    let points = series
        .points
        .iter()
        .filter(|point| inside(point.x, point.y));
    context.draw_series(points.map(|point| {
        let low = (point.y - point.error).max(chart.y.from);
        let high = (point.y + point.error).min(chart.y.to);
        let style = colour.filled().stroke_width(UNIT);
        ErrorBar::new_vertical(point.x, low, point.y, high, style, BAR_WIDTH * UNIT)
    }))?;
    Ok(())
}

/// Names a series beside the picture.
fn name<'a>(area: &Area<'a>, series: &Series, colour: RGBColor, y: i32) -> Result<(), Failure<'a>> {
    let at = |x: i32| (x * UNIT as i32, y * UNIT as i32);
    if !series.curve.is_empty() {
        let style = colour.stroke_width(CURVE_WIDTH * UNIT);
        area.draw(&PathElement::new(vec![at(4), at(32)], style))?;
    }
    if !series.points.is_empty() {
        area.draw(&Circle::new(at(18), 4 * UNIT, colour.filled()))?;
    }
    let style = TextStyle::from(("sans-serif", 15 * UNIT).into_font());
    let style = style.pos(Pos::new(HPos::Left, VPos::Center));
    area.draw_text(&series.name, &style, at(40))
}

/// A mark of an axis, with no more decimals than it needs.
fn mark(value: &f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let axis = |title: &str, to| Axis {
            title: title.into(),
            from: 0.0,
            to,
        };
        Chart {
            title: "Squares <and> roots".into(),
            x: axis("x, stacks", 1.0),
            y: axis("y, clocks", 2.0),
            series: vec![
                Series {
                    name: "square & point".into(),
                    curve: (0..=10)
                        .map(|x| (x as f64 / 10.0, (x * x) as f64 / 100.0))
                        .collect(),
                    points: vec![Point {
                        x: 0.5,
                        y: 0.25,
                        error: 0.5,
                    }],
                },
                Series {
                    name: "outside".into(),
                    curve: vec![(0.0, 1.5), (1.0, 1.5), (2.0, 3.0)],
                    points: vec![],
                },
            ],
        }
    }

    #[test]
    fn everything_is_drawn_as_text_and_lines() {
        let svg = svg(&chart());
        for text in [
            "Squares &lt;and&gt; roots",
            "x, stacks",
            "y, clocks",
            "square &amp; point",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        // A curve and its sample.
        assert_eq!(svg.matches("stroke=\"#0072B2\"").count(), 2);
        // The point, and its colour's sample.
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn the_same_bytes_every_time() {
        assert_eq!(svg(&chart()), svg(&chart()));
    }

    #[test]
    fn marks() {
        let marks = [0.0, -0.0, 0.30000000000000004, 12.0, 0.25].map(|value| mark(&value));
        assert_eq!(marks, ["0", "0", "0.3", "12", "0.25"]);
    }

    #[test]
    #[should_panic(expected = "axis")]
    fn an_empty_axis() {
        let mut chart = chart();
        chart.x.to = 0.0;
        svg(&chart);
    }
}
