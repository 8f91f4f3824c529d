//! Values that the paper prints: table I as formulas of m, tables II and III as numbers.

use crosswave_oblivious::traffic::TrafficPattern;

/// Table I, OMRMN on any tree.
pub fn omrmn(_: u32) -> u32 {
    1
}

/// Table I, OSRM2 on FT(m, 2): the root of m/2.
pub fn osrm2(m: u32) -> f64 {
    f64::from(m / 2).sqrt()
}

/// Table I, OSRM3 on FT(m, 3), and MLID and WSR on FT(m, 2): m/2.
pub fn half(m: u32) -> u32 {
    m / 2
}

/// Table I, MLID and WSR on FT(m, 3): m - 1.
pub fn mlid_and_wsr_3(m: u32) -> u32 {
    m - 1
}

/// A row of table II or III.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Ports and levels of the tree.
    pub tree: (u32, u32),
    /// The name of the pattern here.
    pub name: &'static str,
    /// The pattern that is sent. Meshes have their borders joined.
    pub pattern: TrafficPattern,
    /// The average performance ratio of MLID and WSR.
    pub mlid: f64,
    /// That of OSRM2 on two levels, and OSRM3 on three.
    pub osrm: f64,
}

const RING: TrafficPattern = TrafficPattern::Ring;
const GRID_2: TrafficPattern = TrafficPattern::Torus { dimensions: 2 };
/// The reading by which the rows of 2D meshes come out; it was found by search.
pub const SQUARE: TrafficPattern = TrafficPattern::SquareTorus;
const GRID_3: TrafficPattern = TrafficPattern::Torus { dimensions: 3 };
const CUBE: TrafficPattern = TrafficPattern::Hypercube;
const BINARY: TrafficPattern = TrafficPattern::BinaryTree;

const fn row(
    tree: (u32, u32),
    name: &'static str,
    pattern: TrafficPattern,
    mlid: f64,
    osrm: f64,
) -> Row {
    Row {
        tree,
        name,
        pattern,
        mlid,
        osrm,
    }
}

/// Tables II and III.
pub const ROWS: [Row; 15] = [
    row((32, 2), "ring", RING, 3.47, 2.97),
    row((32, 2), "mesh_2d", GRID_2, 1.88, 1.74),
    row((32, 2), "mesh_3d", GRID_3, 2.34, 2.14),
    row((32, 2), "hypercube", CUBE, 2.03, 1.90),
    row((32, 2), "binary_tree", BINARY, 2.37, 2.20),
    row((8, 3), "ring", RING, 2.84, 2.80),
    row((8, 3), "mesh_2d", GRID_2, 1.64, 1.63),
    row((8, 3), "mesh_3d", GRID_3, 2.04, 1.99),
    row((8, 3), "hypercube", CUBE, 1.90, 1.90),
    row((8, 3), "binary_tree", BINARY, 2.07, 2.03),
    row((16, 3), "ring", RING, 3.78, 3.78),
    row((16, 3), "mesh_2d", GRID_2, 2.83, 2.83),
    row((16, 3), "mesh_3d", GRID_3, 2.48, 2.43),
    row((16, 3), "hypercube", CUBE, 2.11, 2.10),
    row((16, 3), "binary_tree", BINARY, 2.69, 2.67),
];

/// Half of the last digit of tables II and III.
pub const ROUNDING: f64 = 0.005;
