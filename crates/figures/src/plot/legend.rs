//! The legend: names of series below the picture, each with a sample.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{
    Area, CURVE_WIDTH, Chart, Failure, GREY, LETTER_WIDTH, NAMES_LEFT, PlotPoint, SAMPLE_WIDTH,
    SIZE, UNIT, colour, ring,
};
use crosswave_base::escape;

/// A name below the picture, with a sample of what it names.
pub(super) struct LegendEntry<'a> {
    name: &'a str,
    colour: RGBColor,
    has_curve: bool,
    /// `Some(true)` for a ring, `Some(false)` for a full point.
    point_is_hollow: Option<bool>,
}

impl LegendEntry<'_> {
    /// Width with its sample, in pixels.
    pub(super) fn width(&self) -> u32 {
        (self.name.chars().count() * LETTER_WIDTH + SAMPLE_WIDTH) as u32
    }

    /// Draws it, from a place on.
    pub(super) fn draw<'a>(
        &self,
        area: &Area<'a>,
        (left, y): (i32, i32),
    ) -> Result<(), Failure<'a>> {
        let at = |x: i32| ((left + x) * UNIT as i32, y * UNIT as i32);
        if self.has_curve {
            let style = self.colour.stroke_width(CURVE_WIDTH * UNIT);
            area.draw(&PathElement::new(vec![at(4), at(32)], style))?;
        }
        if let Some(is_hollow) = self.point_is_hollow {
            let styles = match is_hollow {
                true => ring(self.colour).to_vec(),
                false => vec![self.colour.filled()],
            };
            for style in styles {
                area.draw(&Circle::new(at(18), 4 * UNIT, style))?;
            }
        }
        let style = TextStyle::from(("sans-serif", 17 * UNIT).into_font());
        let style = style.pos(Pos::new(HPos::Left, VPos::Center));
        area.draw_text(&escape::line(self.name), &style, at(40))
    }
}

/// The names of the series, and that of hollow points if there are any.
pub(super) fn entries(chart: &Chart) -> Vec<LegendEntry<'_>> {
    let is_hollow = |point: &PlotPoint| point.hollow;
    let series = chart.series.iter().enumerate();
    let mut entries: Vec<LegendEntry<'_>> = series
        .map(|(at, series)| LegendEntry {
            name: &series.name,
            colour: colour(at),
            has_curve: !series.curve.is_empty(),
            point_is_hollow: (!series.points.is_empty())
                .then(|| series.points.iter().all(is_hollow)),
        })
        .collect();
    let has_hollow = chart
        .series
        .iter()
        .any(|series| series.points.iter().any(is_hollow));
    if has_hollow && !chart.hollow_name.is_empty() {
        entries.push(LegendEntry {
            name: chart.hollow_name,
            colour: GREY,
            has_curve: false,
            point_is_hollow: Some(true),
        });
    }
    entries
}

/// The legend by lines below the picture, as many names in each as fit.
pub(super) fn lines(entries: Vec<LegendEntry<'_>>) -> Vec<Vec<LegendEntry<'_>>> {
    let mut lines: Vec<Vec<LegendEntry<'_>>> = Vec::new();
    let mut left = 0;
    for entry in entries {
        let width = entry.width();
        match lines.last_mut().filter(|_| width <= left) {
            Some(line) => {
                line.push(entry);
                left -= width;
            }
            None => {
                lines.push(vec![entry]);
                left = (SIZE.0 - NAMES_LEFT).saturating_sub(width);
            }
        }
    }
    lines
}
