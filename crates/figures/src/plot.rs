//! Curves and measured points as a self-contained SVG picture.
//!
//! The picture needs no font when it is drawn: text stays text, in the viewer's
//! sans-serif, and its width is estimated. It has its own white background, and is the
//! same bytes for the same chart. Coordinates are whole quarters of a pixel, so that curves
//! are smooth. All converters draw it: it has presentation attributes only.

mod axis;
mod legend;
mod marks;
mod plain;
pub mod space;

pub use axis::{Axis, Scale};
pub use marks::{Mark, MarkDirection};

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use axis::Places;
use crosswave_base::escape;

/// Units of the drawing in a pixel.
const UNIT: u32 = 4;
/// Width of the picture, and height of what stands above the names of the series, in pixels.
/// On a screen of 400 pixels its letters are still 10 to 12 pixels high, those of marks 9.
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

/// Size of the letters of marks, width of their lines, and the dashes of these with what is
/// between them, in pixels.
const MARK_LETTERS: u32 = 15;
const MARK_WIDTH: u32 = 1;
const DASHES: [u32; 2] = [6, 4];
/// Pixels between places on a curve that the names of marks leave alone.
const STEP: i32 = 4;
/// Pixels between the title and the area between the axes.
const BELOW_TITLE: u32 = 8;
/// The part of a mark's colour that its band has.
const BAND: f64 = 0.12;
/// Marks that belong to no series.
const GREY: RGBColor = RGBColor(96, 96, 96);

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
    /// Lines across the picture at single values, behind the series.
    pub marks: Vec<Mark>,
    /// The meaning of hollow points, named below the picture where there are any.
    pub hollow_name: &'static str,
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
    /// True when it is drawn as a ring with a white middle, without any bar: its value is not
    /// that of a steady state.
    pub hollow: bool,
}

impl Series {
    /// True when its curve leads through all of its points, which therefore stay where they are.
    fn joins_its_points(&self) -> bool {
        let is_joined = |point: &PlotPoint| self.curve.contains(&(point.x, point.y));
        self.points.iter().all(is_joined)
    }
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
            hollow: false,
        }
    }

    /// A ring, without a bar.
    pub fn hollow(x: f64, y: f64) -> PlotPoint {
        PlotPoint {
            hollow: true,
            ..PlotPoint::with_error(x, y, 0.0)
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
///     marks: vec![],
///     hollow_name: "",
/// };
/// assert!(svg(&chart).contains("y = x"));
/// ```
///
/// # Panics
/// When an axis does not lead from a finite number to a larger one, or one with powers of
/// two or with decades does not have all its values above 0.
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
    let lines = legend::lines(legend::entries(chart));
    let height = SIZE.1 + NAME_HEIGHT * lines.len() as u32;
    draw(chart, &lines, height, &mut svg).expect("a string takes all that is written");
    // The view box stays in units of the drawing.
    let size = |unit: u32| format!("width=\"{}\" height=\"{}\"", SIZE.0 * unit, height * unit);
    plain::plain(&svg.replacen(&size(UNIT), &size(1), 1))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(
    chart: &Chart,
    lines: &[Vec<legend::LegendEntry<'_>>],
    height: u32,
    svg: &'a mut String,
) -> Result<(), Failure<'a>> {
    let whole = SVGBackend::with_string(svg, (SIZE.0 * UNIT, height * UNIT)).into_drawing_area();
    whole.fill(&WHITE)?;
    let (above, _) = whole.split_vertically((SIZE.1 - 8) * UNIT);
    let around = 12 * UNIT;
    let below_title = above
        .margin(around, around, around, around)
        .titled(&escape::line(&chart.title), ("sans-serif", 21 * UNIT))?
        .margin(BELOW_TITLE * UNIT, 0, 0, 0);
    let mut context = ChartBuilder::on(&below_title)
        .x_label_area_size(50 * UNIT)
        .y_label_area_size(66 * UNIT)
        .build_cartesian_2d(chart.x.places(), chart.y.places())?;
    context
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(222, 226, 230).stroke_width(UNIT))
        .axis_style(BLACK.stroke_width(UNIT))
        .set_all_tick_mark_size(5 * UNIT)
        .x_labels(MARKS)
        .y_labels(MARKS)
        .x_desc(escape::line(&chart.x.title))
        .y_desc(escape::line(&chart.y.title))
        .label_style(("sans-serif", 17 * UNIT))
        .axis_desc_style(("sans-serif", 18 * UNIT))
        .draw()?;
    mark_lines(&context, chart)?;
    let measured: Vec<usize> = (0..chart.series.len())
        .filter(|&at| (1..=POINTS_WIDE).contains(&chart.series[at].points.len()))
        .filter(|&at| !chart.series[at].joins_its_points())
        .collect();
    for (at, series) in chart.series.iter().enumerate() {
        let place = measured.iter().position(|&other| other == at);
        let middle = (measured.len().max(1) - 1) as f64 / 2.0;
        let aside = place.map_or(0.0, |place| (place as f64 - middle) * APART);
        curve(&mut context, chart, series, colour(at), aside)?;
    }
    mark_names(&context, chart)?;
    for (line, y) in lines.iter().zip((SIZE.1..).step_by(NAME_HEIGHT as usize)) {
        let mut x = NAMES_LEFT;
        for entry in line {
            entry.draw(&whole, (x as i32, y as i32))?;
            x += entry.width();
        }
    }
    whole.present()
}

/// The colour of a series.
fn colour(series: usize) -> RGBColor {
    COLOURS[series % COLOURS.len()]
}

fn mark_colour(mark: &Mark) -> RGBColor {
    mark.series.map_or(GREY, colour)
}

type Context<'a, 'b> = ChartContext<'b, SVGBackend<'a>, Cartesian2d<Places, Places>>;

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
            .filter(|point| point.half_width > 0.0 && !point.hollow)
            .map(|point| {
                let (low, high) = ends(point.y - point.half_width, point.y + point.half_width);
                let style = colour.mix(0.45).stroke_width(width * UNIT * 3 / 4);
                let x = beside(point.x);
                PathElement::new(vec![(x, low), (x, high)], style)
            }),
    )?;
    context.draw_series(points().filter(|point| !point.hollow).map(|point| {
        let (low, high) = ends(point.low, point.high);
        let style = colour.filled().stroke_width(UNIT);
        ErrorBar::new_vertical(beside(point.x), low, up(point.y), high, style, width * UNIT)
    }))?;
    let rings = points().filter(|point| point.hollow);
    context.draw_series(rings.flat_map(|point| {
        let at = (beside(point.x), up(point.y));
        ring(colour).map(|style| Circle::new(at, width * UNIT / 2, style))
    }))?;
    Ok(())
}

/// The middle and the edge of a ring.
fn ring(colour: RGBColor) -> [ShapeStyle; 2] {
    [WHITE.filled(), colour.stroke_width(UNIT * 3 / 2)]
}

/// The marks that are drawn, each with the axis on which its value lies.
fn marks_inside(chart: &Chart) -> impl Iterator<Item = (&Mark, &Axis)> {
    let with_axis = |mark: &Mark| match mark.direction {
        MarkDirection::Vertical => &chart.x,
        MarkDirection::Horizontal => &chart.y,
    };
    let marks = chart.marks.iter();
    marks
        .map(move |mark| (mark, with_axis(mark)))
        .filter(|(mark, axis)| axis.contains(mark.at))
}

/// Distance of a value of a mark's axis from the left or the top of the area between the axes,
/// in units of the drawing.
fn mark_place(context: &Context<'_, '_>, chart: &Chart, mark: &Mark, value: f64) -> i32 {
    let (left, top) = context.plotting_area().get_base_pixel();
    let (x, y) = (chart.x.range().start, chart.y.range().start);
    match mark.direction {
        MarkDirection::Vertical => context.backend_coord(&(chart.x.place(value), y)).0 - left,
        MarkDirection::Horizontal => context.backend_coord(&(x, chart.y.place(value))).1 - top,
    }
}

/// Draws the bands and the lines of marks.
fn mark_lines<'a>(context: &Context<'a, '_>, chart: &Chart) -> Result<(), Failure<'a>> {
    let area = context.plotting_area().strip_coord_spec();
    let (across, down) = area.dim_in_pixel();
    let (across, down) = (across as i32, down as i32);
    for (mark, axis) in marks_inside(chart) {
        let place = |value| mark_place(context, chart, mark, value);
        // From one end of what stands at two places to the other.
        let ends = |from, to| match mark.direction {
            MarkDirection::Vertical => [(from, 0), (to, down)],
            MarkDirection::Horizontal => [(0, from), (across, to)],
        };
        if mark.half_width > 0.0 {
            let from = place((mark.at - mark.half_width).max(axis.from));
            let to = place((mark.at + mark.half_width).min(axis.to));
            let band = ends(from.min(to), from.max(to));
            area.draw(&Rectangle::new(band, mark_colour(mark).mix(BAND).filled()))?;
        }
        let line = ends(place(mark.at), place(mark.at));
        let style = mark_colour(mark).stroke_width(MARK_WIDTH * UNIT);
        let [dash, between] = DASHES.map(|pixels| pixels * UNIT);
        area.draw(&DashedPathElement::new(line, dash, between, style))?;
    }
    Ok(())
}

/// Places on the curves and at the points of a chart, a few pixels from one to the next, from the left
/// and the top of the area between the axes, in pixels.
fn curve_places(context: &Context<'_, '_>, chart: &Chart) -> Vec<(i32, i32)> {
    let (left, top) = context.plotting_area().get_base_pixel();
    let inside = |x, y| chart.x.contains(x) && chart.y.contains(y);
    let at = |x, y| {
        let place = context.backend_coord(&(chart.x.place(x), chart.y.place(y)));
        (
            (place.0 - left) / UNIT as i32,
            (place.1 - top) / UNIT as i32,
        )
    };
    let mut places = Vec::new();
    for series in &chart.series {
        let points = series
            .points
            .iter()
            .filter(|point| inside(point.x, point.y));
        places.extend(points.map(|point| at(point.x, point.y)));
        for piece in series.curve.split(|&(x, y)| !inside(x, y)) {
            for pair in piece.windows(2) {
                let [from, to] = [at(pair[0].0, pair[0].1), at(pair[1].0, pair[1].1)];
                let steps = ((to.0 - from.0).abs().max((to.1 - from.1).abs()) / STEP).max(1);
                places.extend((0..=steps).map(|step| {
                    let between = |from: i32, to: i32| from + (to - from) * step / steps;
                    (between(from.0, to.0), between(from.1, to.1))
                }));
            }
        }
    }
    places
}

/// Writes the names of marks beside their lines.
fn mark_names<'a>(context: &Context<'a, '_>, chart: &Chart) -> Result<(), Failure<'a>> {
    let area = context.plotting_area().strip_coord_spec();
    let (across, down) = area.dim_in_pixel();
    let unit = UNIT as i32;
    let named: Vec<(&Mark, String)> = marks_inside(chart)
        .filter(|(mark, _)| !mark.name.is_empty())
        .map(|(mark, _)| (mark, escape::line(&mark.name).into_owned()))
        .collect();
    let lines: Vec<(MarkDirection, i32, usize)> = named
        .iter()
        .map(|(mark, name)| {
            let at = mark_place(context, chart, mark, mark.at) / unit;
            (mark.direction, at, name.chars().count())
        })
        .collect();
    let size = (across as i32 / unit, down as i32 / unit);
    let places = marks::name_places(&lines, size, &curve_places(context, chart));
    for ((mark, name), place) in named.iter().zip(places) {
        let (x, side) = match place.is_to_right {
            true => (place.right, HPos::Right),
            false => (place.left, HPos::Left),
        };
        let font = ("sans-serif", MARK_LETTERS * UNIT).into_font();
        let style = font
            .color(&mark_colour(mark))
            .pos(Pos::new(side, VPos::Center));
        let y = place.top + marks::HEIGHT / 2;
        // The name stays readable where a curve or a point lies under it.
        let (top, bottom) = (place.top * unit, (place.top + marks::HEIGHT) * unit);
        let under = [(place.left * unit, top), (place.right * unit, bottom)];
        area.draw(&Rectangle::new(under, WHITE.mix(0.8).filled()))?;
        area.draw_text(name, &style, (x * unit, y * unit))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        Chart {
            title: "Squares <and> roots".into(),
            x: Axis::linear("x, stacks", 0.0, 1.0),
            y: Axis::linear("y, cycles", 0.0, 2.0),
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
            marks: vec![],
            hollow_name: "",
        }
    }

    #[test]
    fn everything_is_drawn_as_text_and_lines() {
        let svg = svg(&chart());
        for text in [
            "Squares &lt;and&gt; roots",
            "x, stacks",
            "y, cycles",
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

    /// The x of circles in units of the drawing, those of the legend left out.
    fn circle_places(svg: &str) -> Vec<i32> {
        let circles = svg.lines().filter(|line| line.contains("<circle"));
        let place = |line: &str, name: &str| -> i32 {
            let (_, value) = line.split_once(name).expect("a circle has a place");
            value
                .split('"')
                .next()
                .and_then(|text| text.parse().ok())
                .expect("a number")
        };
        let above = circles.filter(|line| place(line, "cy=\"") < (SIZE.1 * UNIT) as i32);
        above.map(|line| place(line, "cx=\"")).collect()
    }

    #[test]
    fn points_stand_on_the_curves_that_join_them() {
        let mut chart = chart();
        let joined = |name: &str, y| Series {
            name: name.into(),
            curve: vec![(0.25, y), (0.5, y)],
            points: vec![
                PlotPoint::with_error(0.25, y, 0.0),
                PlotPoint::with_error(0.5, y, 0.0),
            ],
        };
        chart.series = vec![joined("one", 0.5), joined("two", 1.0)];
        let places = circle_places(&svg(&chart));
        assert_eq!(places.len(), 4);
        assert_eq!(places[..2], places[2..]);
        // Points alone stand beside each other where they would hide each other.
        chart
            .series
            .iter_mut()
            .for_each(|series| series.curve.clear());
        let places = circle_places(&svg(&chart));
        assert!(places[2] > places[0]);
    }

    #[test]
    fn the_same_bytes_every_time() {
        assert_eq!(svg(&chart()), svg(&chart()));
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
    fn hollow_points_are_rings_without_bars() {
        let mut chart = chart();
        chart.series.truncate(1);
        let circles = |svg: &str, with: &str| {
            let circles = svg.lines().filter(|line| line.contains("<circle"));
            circles.filter(|line| line.contains(with)).count()
        };
        let bars = svg(&chart).matches("<line").count();
        let point = PlotPoint::hollow(0.75, 1.0);
        assert_eq!((point.low, point.high), (1.0, 1.0));
        chart.series[0].points.push(PlotPoint {
            half_width: 0.25,
            ..point
        });
        let both = svg(&chart);
        assert_eq!(both.matches("<line").count(), bars);
        assert!(!both.contains("opacity=\"0.45\""));
        assert_eq!(circles(&both, "fill=\"#FFFFFF\""), 1);
        assert_eq!(circles(&both, "stroke=\"#000000\""), 1);
        assert!(!both.contains("unsure"));
        chart.hollow_name = "unsure";
        let named = svg(&chart);
        assert!(named.contains("unsure"));
        assert_eq!(circles(&named, "fill=\"#FFFFFF\""), 2);
        chart.hollow_name = "";
        // The sample of a series is hollow when all its points are.
        chart.series[0].points.remove(0);
        let rings = svg(&chart);
        assert_eq!(circles(&rings, "fill=\"#FFFFFF\""), 2);
        assert_eq!(circles(&rings, ""), 4);
    }

    fn mark(name: &str, at: f64, direction: MarkDirection) -> Mark {
        Mark {
            name: name.into(),
            at,
            half_width: 0.0,
            direction,
            series: None,
        }
    }

    #[test]
    fn marks_have_lines_names_and_bands() {
        let mut chart = chart();
        let without = svg(&chart);
        chart.marks = vec![
            mark("left out", 1.5, MarkDirection::Vertical),
            mark("no number", f64::NAN, MarkDirection::Horizontal),
        ];
        assert_eq!(svg(&chart), without);
        chart.marks = vec![
            mark("full <load>", 0.5, MarkDirection::Vertical),
            Mark {
                half_width: 0.25,
                series: Some(1),
                ..mark("a limit", 1.5, MarkDirection::Horizontal)
            },
        ];
        let with = svg(&chart);
        assert!(with.contains("full &lt;load&gt;") && with.contains("a limit"));
        let grey = with.matches("stroke=\"#606060\"").count();
        assert!(grey > 20, "{grey} dashes");
        let bands = with
            .lines()
            .filter(|line| line.contains("opacity=\"0.12\""));
        let bands: Vec<&str> = bands.collect();
        assert_eq!(bands.len(), 1);
        assert!(bands[0].contains("<rect") && bands[0].contains("fill=\"#0072B2\""));
    }

    #[test]
    fn names_of_near_marks_do_not_overlap() {
        let mut chart = chart();
        chart.x = Axis::decades("x", 0.01, 10.0);
        chart.marks = vec![
            mark("one name", 0.5, MarkDirection::Vertical),
            mark("two names", 0.55, MarkDirection::Vertical),
        ];
        let svg = svg(&chart);
        let lines: Vec<&str> = svg.lines().collect();
        let mut heights = ["one name", "two names"].map(|name| {
            let at = lines.iter().position(|line| *line == name).unwrap();
            let y = lines[at - 1].split(" y=\"").nth(1).unwrap();
            y.split('"').next().unwrap().parse::<f64>().unwrap()
        });
        heights.sort_by(f64::total_cmp);
        let apart = heights[1] - heights[0];
        assert!((apart - f64::from(marks::HEIGHT as u32 * UNIT)).abs() < 0.2);
    }

    #[test]
    #[should_panic(expected = "axis")]
    fn an_axis_of_decades_from_nought() {
        let mut chart = chart();
        chart.x = Axis::decades("x", 0.0, 1.0);
        svg(&chart);
    }

    #[test]
    fn names_take_as_many_lines_as_they_need() {
        let mut chart = chart();
        let lines = |chart: &Chart| -> Vec<usize> {
            let lines = legend::lines(legend::entries(chart));
            lines.iter().map(Vec::len).collect()
        };
        assert_eq!(lines(&chart), [2]);
        chart.series[1].name =
            "a name that is as long as the picture is wide, or longer than it".into();
        assert_eq!(lines(&chart), [1, 1]);
        // Hollow points have a name of their own, where there are any.
        chart.hollow_name = "not stationary";
        assert_eq!(lines(&chart), [1, 1]);
        chart.series[0].points.push(PlotPoint::hollow(0.75, 1.0));
        assert_eq!(lines(&chart), [1, 1, 1]);
    }

    #[test]
    #[should_panic(expected = "axis")]
    fn an_empty_axis() {
        let mut chart = chart();
        chart.x.to = 0.0;
        svg(&chart);
    }
}
