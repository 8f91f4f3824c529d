//! Pictures of sweeps, by the places of what is drawn.

use super::*;
use crate::sweep::figure::Undrawn;

/// The value of an attribute of an element.
fn attribute<'s>(element: &'s str, name: &str) -> &'s str {
    let (_, rest) = element
        .split_once(&format!(" {name}=\""))
        .expect("an attribute");
    rest.split_once('"').expect("a value").0
}

/// Numbers of attributes of all elements of a kind, in their order.
fn numbers<const N: usize>(svg: &str, kind: &str, names: [&str; N]) -> Vec<[f64; N]> {
    let begins = format!("<{kind} ");
    let elements = svg.lines().filter(|line| line.starts_with(&begins));
    let number = |line: &str, name: &str| attribute(line, name).parse().expect("a number");
    elements
        .map(|line| names.map(|name| number(line, name)))
        .collect()
}

/// Two points of five replicates each: mean 3 with half an interval of 1.9633 (Student's t is 2.7764,
/// the standard error 0.7071), and 12 with twice as much. Bars, circles and the curve are held against
/// the distance of the two circles, which stands for 9.
#[test]
fn bars_are_as_long_as_the_intervals() {
    let varied = [vary("network.nodes=16,64")];
    let points = points(&varied, TEXT);
    let rows = [[1.0, 2.0, 3.0, 4.0, 5.0], [8.0, 10.0, 12.0, 14.0, 16.0]];
    let rows = rows.map(|values| measured(&values, 0));
    let rows = points.iter().zip(rows).collect();
    let table = Table::new(&varied, rows);
    let svg = figure::svg(&table, "bars", "x", &[]).expect("a picture");
    let circles = numbers(&svg, "circle", ["cx", "cy"]);
    // The third one is beside the name.
    let [low, high, _] = circles[..] else {
        panic!("found {} circles", circles.len());
    };
    let units_of_one = (low[1] - high[1]) / 9.0;
    let lines = numbers(&svg, "line", ["x1", "x2", "y1", "y2"]);
    for ([x, y], half) in [(low, 1.9633), (high, 2.0 * 1.9633)] {
        let bars: Vec<f64> = lines
            .iter()
            .filter(|[x1, x2, ..]| *x1 == x && *x2 == x)
            .flat_map(|&[.., y1, y2]| [y1.max(y2) - y, y - y1.min(y2)])
            .collect();
        let [below, above] = bars[..] else {
            panic!("found {bars:?}, expected the ends of one bar");
        };
        for reach in [below, above] {
            let found = reach / units_of_one;
            assert!((found - half).abs() < 0.02, "{found} and {half}");
        }
    }
    let curve = [low, high].map(|[x, y]| format!("{x},{y} ")).concat();
    assert!(svg.contains(&format!(" points=\"{curve}\"")), "{curve}");
}

/// The picture of a grid, each of whose points has one replicate, with its index plus 1 as `x`.
fn picture(varied: &[Vary]) -> Result<String, Undrawn> {
    let points = points(varied, TEXT);
    let value = |point: &SweepPoint| measured(&[point.index as f64 + 1.0], 0);
    let rows = points.iter().map(|point| (point, value(point))).collect();
    figure::svg(&Table::new(varied, rows), "a grid", "x", &[])
}

/// The first key with several numbers is the axis, and each combination of the others a curve, which is
/// named by those that have several values.
#[test]
fn curves_are_those_of_the_other_keys() {
    let varied = [
        vary("retry.strategy='rounds','immediate'"),
        vary("network.nodes=16"),
        vary("traffic.words=32,8"),
        vary("run.seed=1,2"),
    ];
    let svg = picture(&varied).expect("a picture");
    assert!(svg.contains("traffic.words"));
    let names = ["rounds", "immediate"].map(|name| [1, 2].map(|seed| (name, seed)));
    for (strategy, seed) in names.as_flattened() {
        let name = format!("\nstrategy {strategy}, seed {seed}\n");
        assert_eq!(svg.matches(&name).count(), 1, "{name}");
    }
    // Eight points, and four samples beside the names.
    let circles = numbers(&svg, "circle", ["cx", "cy"]);
    assert_eq!(circles.len(), 8 + 4);
    // Points come curve by curve: indices 0 and 2, which are 1 and 3, have 32 and 8 words.
    let [at_32, at_8] = [circles[0], circles[1]];
    assert!(at_32[0] > at_8[0] && at_32[1] > at_8[1]);
    // Lines of a curve go from left to right.
    for curve in svg.lines().filter(|line| line.contains("<polyline ")) {
        let places = attribute(curve, "points").split_whitespace();
        let across = places.map(|place| place.split(',').next().expect("a number"));
        let across: Vec<f64> = across.map(|x| x.parse().expect("a number")).collect();
        assert!(across.is_sorted(), "{across:?}");
    }
    assert_eq!(picture(&varied[..2]), Err(Undrawn::Axis));
}

/// As many curves are drawn as can be told apart, and no more.
#[test]
fn more_than_24_curves_are_not_drawn() {
    let grid = |seeds: &str| picture(&[vary("traffic.words=4,8"), vary(seeds)]);
    let svg = grid("run.seed=1..24:1").expect("24 curves");
    assert_eq!(numbers(&svg, "circle", ["cx"]).len(), 24 * 3);
    assert_eq!(grid("run.seed=1..25:1"), Err(Undrawn::Curves(25)));
}

/// Powers of two of which the last is eight times the first stand at equal distances, others where
/// they are.
#[test]
fn values_far_apart_stand_by_their_logarithms() {
    let across = |words: &str| -> Vec<f64> {
        let svg = picture(&[vary(words)]).expect("a picture");
        let circles = numbers(&svg, "circle", ["cx"]);
        // The last one is beside the name.
        let places: Vec<f64> = circles.iter().map(|[x]| *x).collect();
        let places = &places[..places.len() - 1];
        let whole = places[places.len() - 1] - places[0];
        places
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) / whole)
            .collect()
    };
    let assert_near = |words: &str, expected: &[f64]| {
        let found = across(words);
        assert_eq!(found.len(), expected.len());
        let near = |(one, other): (&f64, &f64)| (one - other).abs() < 0.01;
        assert!(found.iter().zip(expected).all(near), "{words}: {found:?}");
    };
    assert_near("traffic.words=4,8,16,32", &[1.0 / 3.0; 3]);
    assert_near("traffic.words=4,8,16", &[1.0 / 3.0, 2.0 / 3.0]);
    assert_near(
        "traffic.words=4,8,20,40",
        &[1.0 / 9.0, 1.0 / 3.0, 5.0 / 9.0],
    );
}
