//! Tests that take some five minutes on two processors, all of them together.

/// Toggles of waveforms, and SAIF.
mod activity;
/// Names and results that the library promises.
mod api;
/// The rules of ARCHITECTURE.md.
mod architecture;
/// Messages in networks of RN1, cycle by cycle, as waveforms.
mod bidelta_scenarios;
/// Routers that are broken in every way in turn.
mod campaigns;
/// Comparisons with papers: the command `check`, its tables and exit codes.
mod check;
/// Runs taken up again.
mod checkpoints;
/// Chips that say that they rest.
mod chips_at_rest;
/// Outputs that would replace inputs or each other.
mod claims;
/// Commands, their messages and exit codes.
mod cli;
/// Netlists with several clocks and both edges, in Icarus Verilog.
mod clocks;
/// The trigger on rejections at routers, and windows that limit a search.
mod collided;
/// Collisions counted at routers against those that senders are told of.
mod collisions;
/// Tables as Parquet.
#[cfg(feature = "parquet")]
mod columns;
/// Component files and the networks of components, as far as they have mistakes.
mod components;
/// Instructions, bytes and random bits of a cycle of the gate engine, counted.
mod costs;
/// Nets that toggle.
mod coverage;
/// Destinations of steady traffic in runs.
mod destinations;
/// Waveforms and tables against each other.
mod diff;
/// The README and the pages of docs/: commands, links, keys and tables.
mod docs;
/// Closes, syncs and renames that fail.
mod failing_files;
/// Waveforms of other programs, and damaged ones.
mod foreign;
/// VCD, compressed VCD and FST against each other, wellen and GTKWave.
mod formats;
/// Fat stacks and pyramids as configurations.
mod frame_networks;
/// Messages in fat stacks and pyramids, as waveforms.
mod frame_scenarios;
/// The corpora of the fuzzer, without it.
mod fuzz_corpus;
/// The host against a plain one.
mod host;
/// Inputs, options, outputs and signals that nobody should send.
mod hostile;
/// Facets of every kind of network, by its sample runs.
mod kinds;
/// Messages as signals.
mod lanes;
/// Memory that runs take, and messages where it is limited.
mod limits;
/// The use of links, against what is known of the messages.
mod links;
/// Records of attempts and messages, against all else that is known of them.
mod lives;
/// Memories in netlists, against Icarus Verilog and as flip-flops.
mod memories;
/// The gate engine under valgrind.
mod memory;
/// Collective communications as messages, on all kinds of networks.
mod messages;
/// Those trees with tables, failures and packets.
mod mport_networks;
/// Messages in m-port n-trees, as waveforms.
mod mport_scenarios;
/// The switches of m-port n-trees alone, and the four-port router as one of them.
mod mport_switch;
/// `crosswave netlist` against Icarus Verilog.
mod netlist;
/// Odd files for it.
mod netlist_files;
/// Names inside designs in its waveforms, against Icarus Verilog.
mod netlist_scopes;
/// Its checkpoints.
mod netlist_states;
/// Windows and triggers of its waveforms.
mod netlist_triggers;
/// Nets inside the chips as signals.
mod nets;
/// Ratios of routings, of tables and of damaged trees.
mod oblivious;
/// Files that the command writes, replaces, reads and leaves.
mod outputs;
/// Chips of a designer's own in networks, and networks in lock step.
mod own_chips;
/// Kinds of flits as codes, and signals that are the opposite of a port.
mod own_routers;
/// Records of packets, against all else that is known of them.
mod packet_lives;
/// Messages of packets, queues, and losses.
mod packet_networks;
/// Packets in binary fat trees, as waveforms.
mod packet_scenarios;
/// The chips of packets alone and in networks.
mod packets;
/// Proposed component files, and modules against their sources.
mod proposals;
/// Random bits that are drawn only where they matter.
mod rare_bits;
/// The table of fields against what is written.
mod reference;
/// Outputs that the tail frees.
mod release;
/// Those chips alone and in a row.
mod rn1;
/// Those chips alone and in a row.
mod rn1_interface;
/// Those chips alone and in a row.
mod route_unit;
/// Messages in the four-port fat tree, cycle by cycle, as waveforms.
mod scenarios;
/// Schedules of collective communications, written, read and checked.
mod schedules;
/// Choice of the chips and signals of a network that are recorded.
mod selection;
/// Waveforms that it records and draws.
mod show;
/// Interrupts and closed pipes, and the files that they leave.
mod signals;
/// The slowest messages, who blocked them, and their traces.
mod slow_messages;
/// Small networks of them, made by hand.
mod stack_networks;
/// The chips of fat stacks and pyramids alone.
mod stack_switch;
/// Configurations from standard input.
mod standard_input;
/// A configuration with keys varied, in one go and in parts.
mod sweep;
/// Foreign names on a terminal, in a spreadsheet and in a picture.
mod terminal;
/// Up to 256 threads.
mod threads;
/// Odd ones, those that end early, and files of other kinds.
mod tool_waveforms;
/// Transactions of messages, against all else that is known of them.
mod transactions;
/// Messages in Transit's fat trees, as waveforms.
mod transit_scenarios;
/// The cycles around a moment.
mod triggers;
/// Data packed in the page of a run.
mod view;
/// Save files for viewers beside a waveform.
mod viewer_files;
/// Windows and moments, also where the network rests.
mod windows;
/// Words of the source: comments and names of types.
mod words;
