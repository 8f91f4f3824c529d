//! The messages and the links of a run as tables by columns, for Parquet and for notebooks: the columns
//! of the CSV files, in their order.
//!
//! | table | CSV | a row is |
//! |---|---|---|
//! | [`messages`] | [`MessagesWriter`](crosswave_run::result::MessagesWriter) | a message of a replicate |
//! | [`links()`] | [`LinkCounts::write`] | a link, or a virtual channel of one |
//!
//! Attempts are in [`life::table`](crate::life::table), points of sweeps in
//! [`sweep::table`](crate::sweep::table).

use crosswave_figures::columns::{Cells, Column};
use crosswave_network::{Fabric, Topology};
use crosswave_run::host::Outcome;
use crosswave_run::links::{self, LinkCounts, LinkTableRow};
use crosswave_run::result::{message_columns, message_rows};

/// The messages of replicates of a network, in the order of the replicates. The destination is empty
/// where every other node is one.
///
/// # Panics
/// When a message of a network with connections has none.
pub fn messages<'a>(
    network: &dyn Topology,
    replicates: impl IntoIterator<Item = (u32, &'a Outcome)>,
) -> Vec<Column> {
    let has_connections = network.endpoint().has_connections();
    let names = message_columns(network);
    let mut columns: Vec<Vec<Option<u64>>> = vec![Vec::new(); names.len()];
    for (replicate, outcome) in replicates {
        for row in message_rows(replicate, outcome, has_connections) {
            let cells = columns.iter_mut().zip(row);
            cells.for_each(|(column, cell)| column.push(cell));
        }
    }
    let columns = names.into_iter().zip(columns);
    columns
        .map(|(name, cells)| Column::new(name, Cells::Counts(cells)))
        .collect()
}

/// The use of links, given the cycles of all replicates.
pub fn links(counts: &LinkCounts, fabric: &Fabric, cycles: u64) -> Vec<Column> {
    let rows: Vec<LinkTableRow> = counts.table(fabric, cycles).collect();
    let count =
        |of: &dyn Fn(&LinkTableRow) -> Option<u64>| Cells::Counts(rows.iter().map(of).collect());
    let text = |of: &dyn Fn(&LinkTableRow) -> String| {
        Cells::Texts(rows.iter().map(|row| Some(of(row))).collect())
    };
    let cells = [
        text(&|row| row.router.clone()),
        text(&|row| row.link.to_owned()),
        count(&|row| row.channel.map(u64::from)),
        count(&|row| Some(row.flits)),
        count(&|row| row.stalled_cycles),
        Cells::Numbers(rows.iter().map(|row| Some(row.use_share)).collect()),
    ];
    let columns = links::COLUMNS.into_iter().zip(cells);
    columns
        .map(|(name, cells)| Column::new(name, cells))
        .collect()
}
