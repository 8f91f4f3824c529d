//! Curves and measured points as a self-contained SVG picture.
//!
//! The picture needs no font when it is drawn: text stays text, in the viewer's
//! sans-serif, and its width is estimated. It has its own white background, and is the
//! same bytes for the same chart. Coordinates are whole quarters of a pixel, so that curves
//! are smooth.

pub mod space;

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crosswave_base::escape;

/// Units of the drawing in a pixel.
const UNIT: u32 = 4;
/// Width of the picture, and height of what stands above the names of the series, in pixels.
/// On a screen of 400 pixels its letters are still 10 to 12 pixels high.
const SIZE: (u32, u32) = (640, 460);
/// Left of the names, in pixels.
const NAMES_LEFT: u32 = 16;
/// Width of a letter of a name, in pixels, and of what stands before it and after it.
const LETTER_WIDTH: usize = 9;
const SAMPLE_WIDTH: usize = 56;
/// Height of a line of names, in pixels.
const NAME_HEIGHT: u32 = 26;
/// Marks on an axis, at most.
const MARKS: usize = 9;
/// Width of the ends of an error bar, in pixels.
const BAR_WIDTH: u32 = 8;
/// Points up to which bars have that width, and stand apart from those of other series at the
/// same place; more have half of it.
const POINTS_WIDE: usize = 24;
/// Distance of bars of different series at the same place, in pixels.
const APART: f64 = 7.0;
/// Width of the area between the axes, roughly, in pixels.
const PLOT_WIDTH: f64 = 540.0;
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
    /// The series that are drawn, in the order in which they are named below the picture.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity that it counts, with its unit.
    pub title: String,
    /// Its smallest value.
    pub from: f64,
    /// Its largest value.
    pub to: f64,
    /// The scale of values along it.
    pub scale: Scale,
}

/// The scale of values along an axis.
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

    /// The position at which a value is drawn.
    fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::PowersOfTwo => value.log2(),
        }
    }

    /// The beginning and the end of the axis in the picture.
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
    /// The name in the legend.
    pub name: String,
    /// Points that are joined by lines: a model.
    pub curve: Vec<(f64, f64)>,
    /// Points that stand alone: what was measured.
    pub points: Vec<PlotPoint>,
}

/// A measured point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlotPoint {
    /// The horizontal value.
    pub x: f64,
    /// The value measured there.
    pub y: f64,
    /// The lower end of its bar; `y` for none.
    pub low: f64,
    /// The upper end of its bar; `y` for none.
    pub high: f64,
    /// Half of an interval around `y` that is drawn as a broad bar; 0 for none.
    pub half_width: f64,
}

impl PlotPoint {
    /// A point with a bar that reaches as far up as down.
    pub fn with_error(x: f64, y: f64, error: f64) -> PlotPoint {
        PlotPoint {
            x,
            y,
            low: y - error,
            high: y + error,
            half_width: 0.0,
        }
    }
}

/// Draws a chart as an SVG document.
///
/// What lies outside of the axes is not drawn; bars end at them.
///
/// ```
/// use crosswave_figures::plot::{Axis, Chart, Series, svg};
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
    let lines = lines(chart);
    let height = SIZE.1 + NAME_HEIGHT * lines.len() as u32;
    draw(chart, &lines, height, &mut svg).expect("a string takes all that is written");
    // The view box stays in units of the drawing.
    let size = |unit: u32| format!("width=\"{}\" height=\"{}\"", SIZE.0 * unit, height * unit);
    svg.replacen(&size(UNIT), &size(1), 1)
}

/// Series by the line in which they are named below the picture, as many in each as fit.
fn lines(chart: &Chart) -> Vec<Vec<usize>> {
    let mut lines: Vec<Vec<usize>> = Vec::new();
    let mut left = 0;
    for at in 0..chart.series.len() {
        let width = name_width(&chart.series[at]);
        match lines.last_mut().filter(|_| width <= left) {
            Some(line) => {
                line.push(at);
                left -= width;
            }
            None => {
                lines.push(vec![at]);
                left = (SIZE.0 - NAMES_LEFT).saturating_sub(width);
            }
        }
    }
    lines
}

/// Width of a name with its sample, in pixels.
fn name_width(series: &Series) -> u32 {
    (series.name.chars().count() * LETTER_WIDTH + SAMPLE_WIDTH) as u32
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(
    chart: &Chart,
    lines: &[Vec<usize>],
    height: u32,
    svg: &'a mut String,
) -> Result<(), Failure<'a>> {
    let whole = SVGBackend::with_string(svg, (SIZE.0 * UNIT, height * UNIT)).into_drawing_area();
    whole.fill(&WHITE)?;
    let (above, _) = whole.split_vertically((SIZE.1 - 8) * UNIT);
    let mut context = ChartBuilder::on(&above)
        .caption(escape::line(&chart.title), ("sans-serif", 21 * UNIT))
        .margin(12 * UNIT)
        .x_label_area_size(50 * UNIT)
        .y_label_area_size(66 * UNIT)
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
        .x_desc(escape::line(&chart.x.title))
        .y_desc(escape::line(&chart.y.title))
        .label_style(("sans-serif", 17 * UNIT))
        .axis_desc_style(("sans-serif", 18 * UNIT))
        .draw()?;
    let colour = |at: usize| COLOURS[at % COLOURS.len()];
    let measured: Vec<usize> = (0..chart.series.len())
        .filter(|&at| (1..=POINTS_WIDE).contains(&chart.series[at].points.len()))
        .collect();
    for (at, series) in chart.series.iter().enumerate() {
        let place = measured.iter().position(|&other| other == at);
        let middle = (measured.len().max(1) - 1) as f64 / 2.0;
        let aside = place.map_or(0.0, |place| (place as f64 - middle) * APART);
        curve(&mut context, chart, series, colour(at), aside)?;
    }
    for (line, y) in lines.iter().zip((SIZE.1..).step_by(NAME_HEIGHT as usize)) {
        let mut x = NAMES_LEFT;
        for &at in line {
            name(&whole, &chart.series[at], colour(at), (x as i32, y as i32))?;
            x += name_width(&chart.series[at]);
        }
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
    aside: f64,
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
    let range = chart.x.range();
    let aside = aside / PLOT_WIDTH * (range.end - range.start);
    // Points and bars that would leave the picture are held at its edges.
    let beside = |x: f64| (across(x) + aside).clamp(range.start, range.end);
    let ends = |low: f64, high: f64| (up(low.max(chart.y.from)), up(high.min(chart.y.to)));
    let points = || {
        series
            .points
            .iter()
            .filter(|point| inside(point.x, point.y))
    };
    context.draw_series(
        points()
            .filter(|point| point.half_width > 0.0)
            .map(|point| {
                let (low, high) = ends(point.y - point.half_width, point.y + point.half_width);
                let style = colour.mix(0.45).stroke_width(width * UNIT * 3 / 4);
                let x = beside(point.x);
                PathElement::new(vec![(x, low), (x, high)], style)
            }),
    )?;
    context.draw_series(points().map(|point| {
        let (low, high) = ends(point.low, point.high);
        let style = colour.filled().stroke_width(UNIT);
        ErrorBar::new_vertical(beside(point.x), low, up(point.y), high, style, width * UNIT)
    }))?;
    Ok(())
}

/// Names a series below the picture, from a place on.
fn name<'a>(
    area: &Area<'a>,
    series: &Series,
    colour: RGBColor,
    (left, y): (i32, i32),
) -> Result<(), Failure<'a>> {
    let at = |x: i32| ((left + x) * UNIT as i32, y * UNIT as i32);
    if !series.curve.is_empty() {
        let style = colour.stroke_width(CURVE_WIDTH * UNIT);
        area.draw(&PathElement::new(vec![at(4), at(32)], style))?;
    }
    if !series.points.is_empty() {
        area.draw(&Circle::new(at(18), 4 * UNIT, colour.filled()))?;
    }
    let style = TextStyle::from(("sans-serif", 17 * UNIT).into_font());
    let style = style.pos(Pos::new(HPos::Left, VPos::Center));
    area.draw_text(&escape::line(&series.name), &style, at(40))
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
                    points: vec![PlotPoint::with_error(0.5, 0.25, 0.5)],
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
    fn bars_at_one_place_stand_apart_and_intervals_are_broad() {
        let mut chart = chart();
        let point = PlotPoint {
            half_width: 0.25,
            ..PlotPoint::with_error(0.5, 1.0, 0.5)
        };
        for series in &mut chart.series {
            series.points = vec![point];
        }
        let svg = svg(&chart);
        let circles = svg.lines().filter(|line| line.contains("<circle"));
        let mut places: Vec<&str> = circles
            .filter_map(|line| line.split("cx=\"").nth(1)?.split('"').next())
            .collect();
        places.sort_unstable();
        places.dedup();
        // Two samples, and two points of the same x.
        assert_eq!(places.len(), 4, "{places:?}");
        assert_eq!(svg.matches("opacity=\"0.45\"").count(), 2);
    }

    #[test]
    fn names_take_as_many_lines_as_they_need() {
        let mut chart = chart();
        assert_eq!(lines(&chart), [[0, 1]]);
        chart.series[1].name =
            "a name that is as long as the picture is wide, or longer than it".into();
        assert_eq!(lines(&chart), [[0], [1]]);
    }

    #[test]
    #[should_panic(expected = "axis")]
    fn an_empty_axis() {
        let mut chart = chart();
        chart.x.to = 0.0;
        svg(&chart);
    }
}
