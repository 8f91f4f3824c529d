//! Tables as CSV.
//!
//! ```text
//! # Comments stand before the names of the columns.
//! source,destination,ports,weight
//! 0,1,1,1
//! 0,4,2 2 1 0 0,3
//! 0,4,3 2 1 0 0,1
//! ```
//!
//! `ports` is the route: the ports by which the path leaves its switches, in their order, separated by
//! spaces ([`ports`](crate::ports) says how they are numbered). Several lines of a pair are
//! several paths; the column `weight` says in what proportion they carry its traffic, and may be left
//! out where all carry as much. Lines have any order.
//!
//! Limits: a weight is 1 to [`WEIGHT_MAX`], and those of [`PathTable`].

use std::io::{self, Read, Write};

use super::{PATHS_MAX, PathTable, TableError, WeightedPath};
use crate::routing::{Routing, Share};
use crate::tree::PortTree;
use crosswave_base::diagnostic::Error;
use crosswave_base::text::{Lines, Mistakes};

/// The columns that every table has.
pub const COLUMNS: [&str; 3] = ["source", "destination", "ports"];

/// The column that a table may have.
pub const WEIGHT: &str = "weight";

/// The largest weight of a path.
pub const WEIGHT_MAX: u32 = 1 << 16;

/// Reads the table of a tree; `origin` names it in reports.
///
/// # Errors
/// Of [`Class::Io`](crosswave_base::diagnostic::Class::Io) when reading fails, and of
/// [`Class::Input`](crosswave_base::diagnostic::Class::Input) with the mistakes: a path that is not a shortest
/// one of its pair, that names a port that is not there, that stands there twice; a pair without a path;
/// and what is beyond the limits.
///
/// ```
/// use crosswave_oblivious::{table::csv, tree::PortTree};
/// let tree = PortTree::new(2, 1)?;
/// let text = "source,destination,ports\n0,1,0\n1,0,0\n";
/// let error = csv::read(text.as_bytes(), "table.csv", tree).unwrap_err().to_string();
/// assert!(error.starts_with(
///     "error: table.csv: line 2, column 5: port 0 of switch(0) does not lead to the destination; \
///      expected port 1"
/// ));
/// # Ok::<(), crosswave_oblivious::tree::TreeError>(())
/// ```
pub fn read(input: impl Read, origin: &str, tree: PortTree) -> Result<PathTable, Error> {
    let mut lines = Lines::new(input, origin);
    let mut reader = Reader {
        tree,
        has_weight: false,
        mistakes: Mistakes::new(origin),
        paths: Vec::new(),
    };
    if let Err(error) = PathTable::check(tree) {
        reader.refuse(error);
        return Err(finished(reader.mistakes));
    }
    let mut named = false;
    while let Some((line, text)) = lines.next_line()? {
        let text = text.trim_end();
        if text.is_empty() || (!named && text.starts_with('#')) {
            continue;
        }
        if named {
            if reader.paths.len() == PATHS_MAX {
                reader.refuse(TableError::Paths);
                break;
            }
            reader.path(line, text);
            continue;
        }
        let mut names: Vec<&str> = text.split(',').map(str::trim).collect();
        reader.has_weight = names.pop_if(|name| *name == WEIGHT).is_some();
        if names != COLUMNS {
            let columns = COLUMNS.join(",");
            reader.mistakes.at_line(
                line,
                format!("found `{text}`, expected the column names {columns}"),
                format!("{WEIGHT} may follow them"),
            );
            return Err(finished(reader.mistakes));
        }
        named = true;
    }
    if !named {
        let columns = COLUMNS.join(",");
        let found = format!("the file ends before the column names {columns}");
        reader.mistakes.add("end of the file", found, "");
    }
    reader.refuse_repeated();
    reader.mistakes.finish()?;
    let paths = reader.paths.into_iter().map(|(path, _)| path).collect();
    PathTable::new(tree, origin, paths).map_err(|error| {
        let mut mistakes = Mistakes::new(origin);
        refuse(&mut mistakes, error);
        finished(mistakes)
    })
}

/// The error of mistakes, of which there are some.
fn finished(mistakes: Mistakes<'_>) -> Error {
    mistakes.finish().expect_err("there are mistakes")
}

fn refuse(mistakes: &mut Mistakes<'_>, error: TableError) {
    let help = match error {
        TableError::Missing { .. } => "a table has at least one line for each pair of nodes",
        TableError::Units { .. } => {
            "choose weights whose sums are alike, such as 100 for every pair"
        }
        TableError::Nodes { .. } | TableError::Paths => "",
    };
    mistakes.add("table", error.to_string(), help);
}

struct Reader<'a> {
    tree: PortTree,
    has_weight: bool,
    mistakes: Mistakes<'a>,
    /// With their lines.
    paths: Vec<(WeightedPath, u64)>,
}

impl Reader<'_> {
    fn refuse(&mut self, error: TableError) {
        refuse(&mut self.mistakes, error);
    }

    fn mistake(&mut self, line: u64, column: usize, message: String, help: &str) {
        let place = format!("line {line}, column {column}");
        self.mistakes.add(place, message, help);
    }

    fn path(&mut self, line: u64, text: &str) {
        let fields: Vec<&str> = text.split(',').collect();
        let expected = COLUMNS.len() + usize::from(self.has_weight);
        if fields.len() != expected {
            let found = format!("found {} fields, expected {expected}", fields.len());
            let help = match text.starts_with('#') {
                true => "comments stand before the column names",
                false => "separate ports by spaces",
            };
            return self.mistake(line, 1, found, help);
        }
        let column = |field: &str| 1 + (field.as_ptr() as usize - text.as_ptr() as usize);
        let source = self.number(line, column(fields[0]), COLUMNS[0], fields[0]);
        let destination = self.number(line, column(fields[1]), COLUMNS[1], fields[1]);
        let weight = match fields.get(3) {
            Some(field) => self.number(line, column(field), WEIGHT, field),
            None => Some(1),
        };
        let mut ports = Vec::new();
        let mut columns = Vec::new();
        for word in fields[2].split_ascii_whitespace() {
            let Some(port) = self.number(line, column(word), "a port", word) else {
                return;
            };
            ports.push(port);
            columns.push(column(word));
        }
        let (Some(source), Some(destination), Some(weight)) = (source, destination, weight) else {
            return;
        };
        for (node, field) in [(source, fields[0]), (destination, fields[1])] {
            let nodes = self.tree.nodes();
            if node >= nodes {
                let found = format!(
                    "found node {node}, expected 0 to {}, as {} has {nodes} nodes",
                    nodes - 1,
                    self.tree
                );
                return self.mistake(line, column(field), found, "");
            }
        }
        if source == destination {
            let found = format!("found a path of node {source} to itself");
            let help = "leave it out: such traffic does not enter the network";
            return self.mistake(line, column(fields[1]), found, help);
        }
        if !(1..=WEIGHT_MAX).contains(&weight) {
            let found = format!("found weight {weight}, expected 1 to {WEIGHT_MAX}");
            let help = "leave a path out that carries nothing";
            return self.mistake(line, column(fields[expected - 1]), found, help);
        }
        match self.tree.top_of_route(source, destination, &ports) {
            Ok(top) => self.paths.push((
                WeightedPath {
                    source,
                    destination,
                    top,
                    weight,
                },
                line,
            )),
            Err(fault) => {
                let at = columns.get(fault.hop()).copied();
                let column = at.unwrap_or(column(fields[2]) + fields[2].len());
                let help = format!("the path is from node {source} to node {destination}");
                self.mistake(line, column, fault.to_string(), &help);
            }
        }
    }

    /// A whole number.
    fn number(&mut self, line: u64, column: usize, name: &str, field: &str) -> Option<u32> {
        let text = field.trim();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        if number.is_none() {
            let found = format!("{name}: found `{text}`, expected a whole number below 2^32");
            self.mistake(line, column, found, "");
        }
        number
    }

    fn refuse_repeated(&mut self) {
        self.paths
            .sort_unstable_by_key(|(path, line)| (path.source, path.destination, path.top, *line));
        let key = |path: &WeightedPath| (path.source, path.destination, path.top);
        for at in 1..self.paths.len() {
            let ((first, earlier), (path, line)) = (self.paths[at - 1], self.paths[at]);
            if key(&first) == key(&path) {
                let found = format!("the path of line {earlier} stands here again");
                self.mistake(
                    line,
                    1,
                    found,
                    "give it one line, with the sum of the weights",
                );
            }
        }
    }
}

/// Writes a routing as such a table, with weights where paths of a pair differ in them.
///
/// # Errors
/// When writing fails.
pub fn write(routing: &dyn Routing, out: &mut dyn Write) -> io::Result<()> {
    let tree = routing.tree();
    let mut shares: Vec<Share> = Vec::new();
    let mut has_weight = false;
    let pairs = || {
        let all = (0..tree.nodes()).flat_map(move |a| (0..tree.nodes()).map(move |b| (a, b)));
        all.filter(|(a, b)| a != b)
    };
    for (source, destination) in pairs() {
        routing.shares(source, destination, &mut shares);
        has_weight |= shares.iter().any(|share| share.units != shares[0].units);
    }
    let columns = COLUMNS.join(",");
    match has_weight {
        true => writeln!(out, "{columns},{WEIGHT}")?,
        false => writeln!(out, "{columns}")?,
    }
    for (source, destination) in pairs() {
        routing.shares(source, destination, &mut shares);
        let (divisor, _) = super::reduced(shares.iter().map(|share| share.units));
        for share in &shares {
            let ports = tree.route(source, destination, share.top);
            let ports: Vec<String> = ports.iter().map(u32::to_string).collect();
            write!(out, "{source},{destination},{}", ports.join(" "))?;
            match has_weight {
                true => writeln!(out, ",{}", u64::from(share.units) / divisor)?,
                false => writeln!(out)?,
            }
        }
    }
    Ok(())
}
