//! What is done in under two minutes, all of it together.

mod api;
mod architecture;
mod bidelta_scenarios;
mod check;
mod checkpoints;
mod cli;
mod collisions;
#[cfg(feature = "parquet")]
mod columns;
mod diff;
mod docs;
mod foreign;
mod formats;
mod host;
mod hostile;
mod lanes;
mod limits;
mod lives;
mod memory;
mod netlist;
mod netlist_files;
mod outputs;
mod release;
mod rn1;
mod rn1_interface;
mod route_unit;
mod scenarios;
mod selection;
mod show;
mod signals;
mod sweep;
mod threads;
mod transactions;
mod transit_scenarios;
mod triggers;
mod view;
