//! Axes: the place of a value, and the marks with their labels.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

/// Places that differ by no more than this are the same, in decades.
const NEAR: f64 = 1e-9;
/// Decades below which there are marks between the powers of ten.
const FEW_DECADES: f64 = 3.0;

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
    /// By their logarithms, with marks at powers of ten, or every few of them where they are
    /// many. An axis of fewer than three decades has marks at 2 and 5 times these as well, and one
    /// too short for two of those has them at even distances of the value. Values are above 0.
    Decades,
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

    /// An axis with marks at powers of ten.
    pub fn decades(title: impl Into<String>, from: f64, to: f64) -> Axis {
        Axis {
            scale: Scale::Decades,
            ..Axis::linear(title, from, to)
        }
    }

    /// The position at which a value is drawn.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.scale.place(value)
    }

    /// The beginning and the end of the axis in the picture.
    pub(super) fn range(&self) -> Range<f64> {
        self.place(self.from)..self.place(self.to)
    }

    pub(super) fn contains(&self, value: f64) -> bool {
        (self.from..=self.to).contains(&value)
    }

    /// The axis as the library that draws takes it.
    pub(super) fn places(&self) -> Places {
        Places {
            scale: self.scale,
            values: self.from..self.to,
            even: self.range().into(),
        }
    }
}

impl Scale {
    fn place(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::PowersOfTwo => value.log2(),
            Scale::Decades => value.log10(),
        }
    }

    /// The label of a place, with no more decimals than it needs.
    fn label(self, place: f64) -> String {
        match self {
            Scale::Linear => number(place),
            Scale::PowersOfTwo if place.fract() != 0.0 => String::new(),
            Scale::PowersOfTwo if (0.0..=10.0).contains(&place) => number(place.exp2()),
            Scale::PowersOfTwo => format!("2^{place}"),
            Scale::Decades => {
                let power = (place + NEAR).floor();
                if (-3.0..5.0).contains(&power) {
                    return number(10_f64.powf(place));
                }
                match number(10_f64.powf(place - power)).as_str() {
                    "1" => format!("10^{power}"),
                    times => format!("{times}·10^{power}"),
                }
            }
        }
    }
}

/// The places of an axis, with its marks where its scale wants them.
#[derive(Clone)]
pub(super) struct Places {
    scale: Scale,
    values: Range<f64>,
    even: RangedCoordf64,
}

impl Ranged for Places {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, pixels: (i32, i32)) -> i32 {
        self.even.map(place, pixels)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self.scale {
            Scale::Linear | Scale::PowersOfTwo => self.even.key_points(hint),
            Scale::Decades => decades(&self.values, hint.max_num_points()),
        }
    }

    fn range(&self) -> Range<f64> {
        self.even.range()
    }
}

impl ValueFormatter<f64> for Places {
    fn format_ext(&self, place: &f64) -> String {
        self.scale.label(*place)
    }
}

/// Marks of an axis by decades, as logarithms, at most so many where they are powers of ten.
fn decades(values: &Range<f64>, most: usize) -> Vec<f64> {
    let (start, end) = (values.start.log10(), values.end.log10());
    let (first, last) = ((start - NEAR).ceil() as i32, (end + NEAR).floor() as i32);
    if end - start < FEW_DECADES - NEAR {
        let places = (first - 1..=last)
            .flat_map(|power| [1.0, 2.0, 5.0_f64].map(|times| f64::from(power) + times.log10()));
        let inside = |place: &f64| (start - NEAR..=end + NEAR).contains(place);
        let places: Vec<f64> = places.filter(inside).collect();
        if places.len() >= 2 {
            return places;
        }
        let values = RangedCoordf64::from(values.clone()).key_points(most);
        return values.into_iter().map(f64::log10).collect();
    }
    let multiples = |step: i32| {
        let powers = first.div_euclid(step)..=last.div_euclid(step);
        let powers = powers.map(move |times| times * step);
        powers.filter(move |&power| power >= first)
    };
    let mut steps = (0..).map(|at| [1, 2, 5][at % 3] * 10_i32.pow(at as u32 / 3));
    let step = steps.find(|&step| multiples(step).count() <= most.max(1));
    step.map_or(vec![], |step| multiples(step).map(f64::from).collect())
}

/// A number with no more decimals than it needs.
fn number(value: f64) -> String {
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

    /// The labels of an axis, from its beginning to its end.
    fn labels(axis: &Axis) -> Vec<String> {
        let places = axis.places();
        let marks = places.key_points(9).into_iter();
        marks.map(|place| places.format_ext(&place)).collect()
    }

    #[test]
    fn labels_have_no_more_decimals_than_they_need() {
        let labels = [0.0, -0.0, 0.30000000000000004, 12.0, 0.25].map(number);
        assert_eq!(labels, ["0", "0", "0.3", "12", "0.25"]);
        let labels = [0.0, 4.0, 4.5, 10.0, 14.0, -1.0].map(|place| Scale::PowersOfTwo.label(place));
        assert_eq!(labels, ["1", "16", "", "1024", "2^14", "2^-1"]);
    }

    #[test]
    fn decades_have_marks_at_powers_of_ten() {
        let axis = Axis::decades("clocks", 0.5, 2e6);
        assert_eq!(
            axis.places().key_points(9),
            [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        );
        assert_eq!(
            labels(&axis),
            ["1", "10", "100", "1000", "10000", "10^5", "10^6"]
        );
        // Both ends count.
        assert_eq!(
            labels(&Axis::decades("", 1.0, 1000.0)),
            ["1", "10", "100", "1000"]
        );
        assert_eq!(
            labels(&Axis::decades("", 1e3, 1e6)),
            ["1000", "10000", "10^5", "10^6"]
        );
        // Every fifth power is marked where they are many.
        assert_eq!(
            labels(&Axis::decades("", 1e-12, 1e12)),
            ["10^-10", "10^-5", "1", "10^5", "10^10"]
        );
    }

    #[test]
    fn few_decades_have_marks_between_the_powers() {
        let axis = Axis::decades("", 2.0, 100.0);
        assert_eq!(labels(&axis), ["2", "5", "10", "20", "50", "100"]);
        assert_eq!(axis.places().key_points(9)[0], axis.place(2.0));
        let labels_of = |from, to| labels(&Axis::decades("", from, to));
        assert_eq!(labels_of(0.003, 0.03), ["0.005", "0.01", "0.02"]);
        assert_eq!(labels_of(9e4, 3e5), ["10^5", "2·10^5"]);
        // Neither 1, 2 nor 5 times a power is in this one.
        assert_eq!(labels_of(3.0, 4.0)[..2], ["3", "3.2"]);
        assert_eq!(labels_of(3e7, 4e7)[..2], ["3·10^7", "3.2·10^7"]);
    }
}
