//! Marks: lines across a chart at one value, and where their names stand.

/// Height of a line of names in the chart, in pixels.
pub(super) const HEIGHT: i32 = 18;
/// Width of a letter of such a name, in pixels.
const LETTER_WIDTH: i32 = 7;
/// Between a line and its name, and between names, in pixels.
const GAP: i32 = 5;

/// A dashed line across the whole chart, with its name beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The name beside the line; none where it is empty.
    pub name: String,
    /// The value at which the line stands. Outside of the axis it is not drawn.
    pub at: f64,
    /// Half of an interval around `at` that is drawn as a light band; 0 for none.
    pub half_width: f64,
    /// The direction of the line.
    pub direction: MarkDirection,
    /// The series whose colour it has, as a number in [`Chart::series`]; `None` for grey.
    ///
    /// [`Chart::series`]: super::Chart::series
    pub series: Option<usize>,
}

/// The direction of the line of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkDirection {
    /// At a horizontal value, over the whole height.
    Vertical,
    /// At a vertical value, over the whole width.
    Horizontal,
}

/// The place of a name, in pixels from the left and the top of the area between the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamePlace {
    pub(super) left: i32,
    pub(super) right: i32,
    pub(super) top: i32,
    /// True when the name ends at the right, false when it begins at the left.
    pub(super) is_to_right: bool,
}

impl NamePlace {
    fn from_left(left: i32, width: i32, top: i32) -> NamePlace {
        NamePlace {
            left,
            right: left + width,
            top,
            is_to_right: false,
        }
    }

    fn to_right(right: i32, width: i32, top: i32) -> NamePlace {
        NamePlace {
            left: right - width,
            right,
            top,
            is_to_right: true,
        }
    }

    fn overlaps(&self, other: &NamePlace) -> bool {
        self.left < other.right + GAP
            && other.left < self.right + GAP
            && self.top < other.top + HEIGHT
            && other.top < self.top + HEIGHT
    }

    /// True when a point of a curve lies under the name, or close to it.
    fn covers(&self, &(x, y): &(i32, i32)) -> bool {
        (self.left - GAP..=self.right + GAP).contains(&x)
            && (self.top - GAP..=self.top + HEIGHT + GAP).contains(&y)
    }
}

/// Places of the names of some lines in an area of some width and height: the first place of
/// each line that neither an earlier name nor a point of a curve takes; where there is none, the
/// first that no earlier name takes. A line has its direction, its distance from the left or
/// from the top, and the letters of its name. All distances are in pixels.
pub(super) fn name_places(
    lines: &[(MarkDirection, i32, usize)],
    (across, down): (i32, i32),
    curves: &[(i32, i32)],
) -> Vec<NamePlace> {
    let mut places: Vec<NamePlace> = Vec::new();
    for &(direction, at, letters) in lines {
        let width = letters as i32 * LETTER_WIDTH;
        let wanted: Vec<NamePlace> = match direction {
            MarkDirection::Vertical => {
                let tops = (0..down / HEIGHT).map(|line| line * HEIGHT);
                let right = tops
                    .clone()
                    .map(|top| NamePlace::from_left(at + GAP, width, top));
                let left = tops.map(|top| NamePlace::to_right(at - GAP, width, top));
                let is_inside = |place: &NamePlace| place.left >= 0 && place.right <= across;
                right.chain(left).filter(is_inside).collect()
            }
            MarkDirection::Horizontal => {
                let tops = [at - HEIGHT, at].into_iter();
                let tops = tops.filter(|&top| top >= 0 && top + HEIGHT <= down);
                let at_the_right = |top| NamePlace::to_right(across - GAP, width, top);
                let at_the_left = |top| NamePlace::from_left(GAP, width, top);
                let right = tops.clone().map(at_the_right);
                right.chain(tops.map(at_the_left)).collect()
            }
        };
        let is_free = |place: &&NamePlace| !places.iter().any(|other| place.overlaps(other));
        let is_clear = |place: &&NamePlace| !curves.iter().any(|point| place.covers(point));
        let mut free = wanted.iter().filter(is_free);
        let place = free.clone().find(is_clear).or(free.next());
        let place = place.or(wanted.first());
        places.push(*place.unwrap_or(&NamePlace::from_left(GAP, width, 0)));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::MarkDirection::{Horizontal, Vertical};
    use super::*;

    fn tops(places: &[NamePlace]) -> Vec<i32> {
        places.iter().map(|place| place.top).collect()
    }

    #[test]
    fn names_of_near_lines_stand_at_different_heights() {
        let lines = [
            (Vertical, 10, 5),
            (Vertical, 30, 5),
            (Vertical, 200, 5),
            (Vertical, 490, 5),
        ];
        let places = name_places(&lines, (500, 300), &[]);
        assert_eq!(tops(&places), [0, HEIGHT, 0, 0]);
        // The last has no room at its right.
        assert_eq!(
            places[3],
            NamePlace::to_right(490 - GAP, 5 * LETTER_WIDTH, 0)
        );
    }

    #[test]
    fn names_of_level_lines_stand_in_the_area_and_apart() {
        let lines = [
            (Horizontal, 5, 4),
            (Horizontal, 100, 4),
            (Horizontal, 100, 4),
        ];
        let places = name_places(&lines, (500, 300), &[]);
        // Below the first line, which is at the top; above and below the two others.
        assert_eq!(tops(&places), [5, 100 - HEIGHT, 100]);
    }

    #[test]
    fn names_leave_curves_alone() {
        let curve: Vec<(i32, i32)> = (0..40).map(|x| (x, 2 * HEIGHT)).collect();
        let places = name_places(&[(Vertical, 10, 5)], (500, 300), &curve);
        assert_eq!(tops(&places), [0]);
        let high: Vec<(i32, i32)> = (0..40).map(|x| (x, HEIGHT)).collect();
        let places = name_places(&[(Vertical, 10, 5)], (500, 300), &high);
        assert_eq!(tops(&places), [2 * HEIGHT]);
        // A curve along the line, on its right.
        let steep: Vec<(i32, i32)> = (0..300).map(|y| (120, y)).collect();
        let places = name_places(&[(Vertical, 100, 5)], (500, 300), &steep);
        assert_eq!(
            places[0],
            NamePlace::to_right(100 - GAP, 5 * LETTER_WIDTH, 0)
        );
    }

    #[test]
    fn names_without_room_still_have_a_place() {
        assert_eq!(
            name_places(&[(Vertical, 1, 3), (Horizontal, 1, 3)], (9, 9), &[]).len(),
            2
        );
    }
}
