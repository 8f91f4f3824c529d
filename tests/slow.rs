//! Tests that take longer: the engines against each other and against other tools, proofs, whole
//! reports.

/// Engines and other tools against each other on bidelta networks.
mod bidelta;
/// Engines and other tools against each other on dilated butterflies.
mod butterfly;
/// Networks of a designer's own routers whose messages are circuits.
mod circuits;
/// Networks of a designer's own routers.
mod components;
/// Nets that toggle, against what Icarus Verilog shows of them.
mod coverage;
/// Exported networks in Icarus Verilog and Verilator.
mod export;
/// Engines and other tools against each other on networks with faults.
mod faults;
/// Waveforms of Verilator.
mod foreign;
/// Engines and other tools against each other on fat stacks and pyramids.
mod frames;
/// The GPU engine against the gate engine.
#[cfg(feature = "gpu")]
mod gpu;
/// Networks of routers with flip-flops of the falling edge.
mod half_cycles;
/// Headers, netlists and proofs of the chips.
mod hdl;
/// Engines and other tools against each other on fat trees whose channels do not double.
mod lean_trees;
/// The engines against each other, every port in every cycle.
mod lockstep;
/// Networks of routers with memories.
mod memories;
/// Engines and other tools against each other on m-port n-trees.
mod mport;
/// Chips of a designer's own in Verilog.
mod own_chips;
/// Networks of a designer's own routers beyond plain grids.
mod own_networks;
/// Engines and other tools against each other on packet-switched trees.
mod packets;
/// Properties of routers: seeded bugs, monitors and proofs.
mod properties;
/// Replicates together against one by one.
mod replicas;
/// The report of a paper, stopped and taken up again.
mod report;
/// Exported networks of RN1 whose options come through a scan chain.
mod scan_chain;
/// Networks of routers whose outputs depend on inputs in the same cycle.
mod settling;
/// Several cycles at a time against one by one.
mod skew;
/// Verdicts on steady states where the answer is known.
mod steady_states;
/// Engines and other tools against each other on Transit's fat trees.
mod transit;
/// The page of a run in a browser.
mod view;
/// Save files in GTKWave.
mod viewer_files;
