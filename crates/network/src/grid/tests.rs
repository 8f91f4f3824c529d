//! The wiring of grids.
