//! Forwarding tables of InfiniBand subnets as a routing.
//!
//! | file | holds |
//! |---|---|
//! | [`wiring`] | what `ibnetdiscover` prints: switches, end ports, links |
//! | [`forwarding`] | what `ibroute`, `dump_lfts.sh` and OpenSM print: the output port of each LID |
//! | [`recognise`] | the FT(m, n) that the wiring is, with a node for each end port |
//! | [`follow`] | the paths that the tables give |
//!
//! A switch forwards a packet by its destination's LID alone. An end port has 2^LMC consecutive LIDs;
//! each of them is a path from every other end port, and these carry as much each.
//!
//! The ports of an InfiniBand switch are numbered from 1, and port 0 is its own management port. Which
//! of them is wired to what is free, and so are GUIDs and LIDs, so that the tree is found in the wiring
//! alone. Tables are refused when a path is not a shortest one or uses a port that is not there or not
//! wired; entries that no path of end ports uses, such as those for LIDs of switches, are not looked at.
//!
//! Limits: end ports and switches by their text, of at most
//! 2 GiB for callers that read files ([`ROUTING_TABLE`](crosswave_base::file::input::ROUTING_TABLE)); trees
//! that may have a [`PathTable`]. Routers, and links between end ports, are refused.

pub mod follow;
pub mod forwarding;
pub mod recognise;
#[cfg(test)]
mod sample;
pub mod wiring;

use std::io::{self, Read, Write};

use super::table::PathTable;
use crosswave_base::diagnostic::Error;
use crosswave_base::escape;
use wiring::EndPort;

/// A subnet whose routing was read.
#[derive(Debug, Clone)]
pub struct Subnet {
    /// The routing, on the tree that the wiring is.
    pub table: PathTable,
    /// The end port of each node, by ascending node.
    pub end_ports: Vec<EndPort>,
    /// Aggregation nodes of switches, which are left out; how messages name them.
    pub aggregation_nodes: Vec<String>,
}

/// Reads the wiring and the forwarding tables of a subnet; each has a name for reports.
///
/// # Errors
/// Of [`Class::Io`](crosswave_base::diagnostic::Class::Io) when reading fails, and of
/// [`Class::Input`](crosswave_base::diagnostic::Class::Input) with the mistakes: text of another form, wiring that
/// is no FT(m, n), tables whose paths are not shortest ones, or miss.
pub fn read(
    (wiring, wiring_origin): (impl Read, &str),
    (tables, tables_origin): (impl Read, &str),
) -> Result<Subnet, Error> {
    let wiring = wiring::read(wiring, wiring_origin)?;
    let found = recognise::recognise(&wiring, wiring_origin)?;
    let forwarding = forwarding::read(tables, tables_origin)?;
    let table = follow::table(&wiring, &found, &forwarding, tables_origin)?;
    let end_port = |&index: &usize| wiring.end_ports[index].clone();
    Ok(Subnet {
        table,
        end_ports: found.nodes.iter().map(end_port).collect(),
        aggregation_nodes: wiring.aggregation_nodes,
    })
}

/// Writes which end port is which node, as CSV. Names are foreign: what a terminal would obey or
/// a spreadsheet compute is written as [`escape::csv_cell`] has it.
///
/// # Errors
/// When writing fails.
pub fn write_nodes(end_ports: &[EndPort], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "node,lid,lids,guid,port,name")?;
    for (node, end) in end_ports.iter().enumerate() {
        let name = escape::csv_cell(&end.name).replace('"', "\"\"");
        writeln!(
            out,
            "{node},{},{},0x{:016x},{},\"{name}\"",
            end.lid,
            end.lids(),
            end.guid,
            end.port
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
