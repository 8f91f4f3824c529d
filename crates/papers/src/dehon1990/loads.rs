//! The loads at which routing statistics are simulated: tenths, from 0.1 to 1.0.

/// Number of loads.
const LOADS: u32 = 10;
/// Straight pieces of a curve.
const PIECES: u32 = 50;

/// Loads that are simulated, and of which there are numbers.
pub fn simulated() -> Vec<f64> {
    (1..=LOADS)
        .map(|load| f64::from(load) / f64::from(LOADS))
        .collect()
}

/// Loads through which a curve is drawn, from 0 on.
pub fn of_curve() -> impl Iterator<Item = f64> {
    (0..=PIECES).map(|piece| f64::from(piece) / f64::from(PIECES))
}
