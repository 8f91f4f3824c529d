//! Results in the forms that other programs read and people look at: tables by columns as
//! Parquet ([`columns`]), and curves and measured points as SVG pictures ([`plot`]).

pub mod columns;
pub mod plot;
