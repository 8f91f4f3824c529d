//! What is done in under two minutes, all of it together.

mod api;
mod architecture;
mod bidelta_scenarios;
mod check;
mod cli;
mod collisions;
mod docs;
mod formats;
mod host;
mod hostile;
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
mod show;
mod signals;
mod threads;
mod transactions;
mod transit_scenarios;
