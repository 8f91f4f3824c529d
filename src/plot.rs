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
/// Least width of the column on the right in which the series are named, in pixels.
const NAMES_WIDTH: u32 = 150;
/// Width of a letter of a name, in pixels, and of what stands before it.
const LETTER_WIDTH: usize = 8;
const SAMPLE_WIDTH: usize = 46;
/// Height of a line of that column, in pixels.
const NAME_HEIGHT: i32 = 24;
/// Marks on an axis, at most.
const MARKS: usize = 11;
/// Width of the ends of an error bar, in pixels.
const BAR_WIDTH: u32 = 8;
/// Points up to which bars have that width; more have half of it.
const POINTS_WIDE: usize = 24;
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
    /// How values lie along it.
    pub scale: Scale,
}

/// How values lie along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithms, with marks at powers of two. Values are above 0.
    PowersOfTwo,
}

impl Axis {
    /// An axis on which values lie evenly.
    pub fn linear(title: impl Into<String>, from: f64, to: f64) -> Axis {
        Axis {
            title: title.into(),
            from,
            to,
            scale: Scale::Linear,
        }
    }

    /// An axis with marks at powers of two.
    pub fn powers_of_two(title: impl Into<String>, from: f64, to: f64) -> Axis {
        Axis {
            scale: Scale::PowersOfTwo,
            ..Axis::linear(title, from, to)
        }
    }

    /// Where a value is drawn.
    fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::PowersOfTwo => value.log2(),
        }
    }

    /// From where to where.
    fn range(&self) -> std::ops::Range<f64> {
        self.place(self.from)..self.place(self.to)
    }

    fn contains(&self, value: f64) -> bool {
        (self.from..=self.to).contains(&value)
    }

    /// The mark at a place, with no more decimals than it needs.
    fn mark(&self, place: f64) -> String {
        match self.scale {
            Scale::Linear => mark(place),
            Scale::PowersOfTwo if place.fract() != 0.0 => String::new(),
            Scale::PowersOfTwo if (0.0..=10.0).contains(&place) => mark(place.exp2()),
            Scale::PowersOfTwo => format!("2^{place}"),
        }
    }
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
    /// Where its bar begins; `y` for none.
    pub low: f64,
    /// Where its bar ends; `y` for none.
    pub high: f64,
}

impl Point {
    /// A point with a bar that reaches as far up as down.
    pub fn with_error(x: f64, y: f64, error: f64) -> Point {
        Point {
            x,
            y,
            low: y - error,
            high: y + error,
        }
    }
}

/// Draws a chart as an SVG document.
///
/// What lies outside of the axes is not drawn; bars end at them.
///
/// ```
/// use crosswave::plot::{Axis, Chart, Series, svg};
///
/// let chart = Chart {
///     title: "A line".into(),
///     x: Axis::linear("x", 0.0, 1.0),
///     y: Axis::linear("y", 0.0, 1.0),
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
/// When an axis does not lead from a finite number to a larger one, or one with powers of
/// two not from above 0.
pub fn svg(chart: &Chart) -> String {
    for axis in [&chart.x, &chart.y] {
        let range = axis.range();
        assert!(
            range.start.is_finite() && range.end.is_finite() && range.start < range.end,
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
    let longest = chart
        .series
        .iter()
        .map(|series| series.name.chars().count());
    let names = (longest.max().unwrap_or(0) * LETTER_WIDTH + SAMPLE_WIDTH) as u32;
    let names = names.clamp(NAMES_WIDTH, SIZE.0 / 2);
    let (left, right) = whole.split_horizontally((SIZE.0 - names) * UNIT);
    let mut context = ChartBuilder::on(&left)
        .caption(&chart.title, ("sans-serif", 20 * UNIT))
        .margin(12 * UNIT)
        .x_label_area_size(46 * UNIT)
        .y_label_area_size(58 * UNIT)
        .build_cartesian_2d(chart.x.range(), chart.y.range())?;
    context
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(222, 226, 230).stroke_width(UNIT))
        .axis_style(BLACK.stroke_width(UNIT))
        .set_all_tick_mark_size(5 * UNIT)
        .x_labels(MARKS)
        .y_labels(MARKS)
        .x_label_formatter(&|&place| chart.x.mark(place))
        .y_label_formatter(&|&place| chart.y.mark(place))
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
    let inside = |x, y| chart.x.contains(x) && chart.y.contains(y);
    let (across, up) = (|x| chart.x.place(x), |y| chart.y.place(y));
    for piece in series.curve.split(|&(x, y)| !inside(x, y)) {
        let style = colour.stroke_width(CURVE_WIDTH * UNIT);
        let piece = piece.iter().map(|&(x, y)| (across(x), up(y)));
        context.draw_series(LineSeries::new(piece, style))?;
    }
    let width = match series.points.len() {
        ..=POINTS_WIDE => BAR_WIDTH,
        _ => BAR_WIDTH / 2,
    };
    let points = series
        .points
        .iter()
        .filter(|point| inside(point.x, point.y));
    context.draw_series(points.map(|point| {
        let low = up(point.low.max(chart.y.from));
        let high = up(point.high.min(chart.y.to));
        let style = colour.filled().stroke_width(UNIT);
        let (x, y) = (across(point.x), up(point.y));
        ErrorBar::new_vertical(x, low, y, high, style, width * UNIT)
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

/// A number with no more decimals than it needs.
fn mark(value: f64) -> String {
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
        Chart {
            title: "Squares <and> roots".into(),
            x: Axis::linear("x, stacks", 0.0, 1.0),
            y: Axis::linear("y, clocks", 0.0, 2.0),
            series: vec![
                Series {
                    name: "square & point".into(),
                    curve: (0..=10)
                        .map(|x| (x as f64 / 10.0, (x * x) as f64 / 100.0))
                        .collect(),
                    points: vec![Point::with_error(0.5, 0.25, 0.5)],
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
        let marks = [0.0, -0.0, 0.30000000000000004, 12.0, 0.25].map(mark);
        assert_eq!(marks, ["0", "0", "0.3", "12", "0.25"]);
        let nodes = Axis::powers_of_two("nodes", 1.0, 1024.0);
        let marks = [0.0, 4.0, 4.5, 10.0, 14.0, -1.0].map(|place| nodes.mark(place));
        assert_eq!(marks, ["1", "16", "", "1024", "2^14", "2^-1"]);
    }

    #[test]
    #[should_panic(expected = "axis")]
    fn an_empty_axis() {
        let mut chart = chart();
        chart.x.to = 0.0;
        svg(&chart);
    }
}
