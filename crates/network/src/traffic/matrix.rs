//! Destinations by a table of weights (CSV).
//!
//! ```text
//! # Comments stand before the names of the columns.
//! source,destination,weight
//! 0,1,3
//! 0,2,0.5
//! 5,0,1
//! ```
//!
//! A message of a source goes to each of its destinations with the probability of that line's weight
//! over the sum of the weights of the source's lines. Every source with weights offers the same load;
//! one without does not send. Lines have any order, and a pair has at most one; blank lines are skipped.
//!
//! Limits: a weight is 0, or from 10^-6 to 10^6 with six decimals; [`ROWS_MAX`] lines. A line takes 24
//! bytes while the table is read, and 12 from then on.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand_core::Rng;

use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{input, text_input};
use crosswave_base::random;
use crosswave_base::text::{Lines, Mistakes};

/// The columns of a table.
pub const COLUMNS: [&str; 3] = ["source", "destination", "weight"];
/// The most lines of a table: one for each pair of 2,048 nodes.
pub const ROWS_MAX: usize = 1 << 22;

/// Weights of the destinations of each source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightMatrix {
    /// For each source the first of its destinations, and the number of all at the end.
    starts: Vec<u32>,
    destinations: Vec<u32>,
    /// Sum of the weights up to each destination, from that of the source's first one, in
    /// millionths: up to 2^20 destinations of 10^12.
    sums: Vec<u64>,
}

/// A table of weights with the file that it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixFile {
    /// The file as the user wrote it, for printing.
    pub written: String,
    /// The file that was read.
    pub path: PathBuf,
    /// The weights.
    pub matrix: Arc<WeightMatrix>,
}

impl MatrixFile {
    /// Reads the file that a configuration in `folder` names, for so many nodes.
    ///
    /// # Errors
    /// As [`WeightMatrix::read`], and when the file cannot be opened.
    pub fn open(written: &str, folder: &Path, nodes: u32) -> Result<MatrixFile, Error> {
        let path = folder.join(written);
        let file = text_input::open(&path, input::MATRIX, "a traffic matrix (CSV)")?;
        let matrix = WeightMatrix::read(file, &path.display().to_string(), nodes)?;
        Ok(MatrixFile {
            written: written.to_owned(),
            path,
            matrix: Arc::new(matrix),
        })
    }
}

impl WeightMatrix {
    /// Reads a table for so many nodes; `origin` names it in reports.
    ///
    /// # Errors
    /// Of [`Class::Io`](crosswave_base::diagnostic::Class::Io) when reading fails, and of
    /// [`Class::Input`](crosswave_base::diagnostic::Class::Input) with the mistakes.
    ///
    /// ```
    /// use crosswave_network::traffic::matrix::WeightMatrix;
    /// let text = "source,destination,weight\n0,1,0.5\n0,2,1\n2,0,7\n";
    /// let matrix = WeightMatrix::read(text.as_bytes(), "text", 4).unwrap();
    /// assert!(matrix.sends(2) && !matrix.sends(1));
    /// ```
    pub fn read(input: impl Read, origin: &str, nodes: u32) -> Result<WeightMatrix, Error> {
        let mut lines = Lines::new(input, origin);
        let mut reader = Reader {
            nodes,
            mistakes: Mistakes::new(origin),
            rows: Vec::new(),
        };
        let (mut is_named, mut read) = (false, 0);
        let columns = COLUMNS.join(",");
        while let Some((line, text)) = lines.next_line()? {
            let text = text.trim();
            if text.is_empty() || (!is_named && text.starts_with('#')) {
                continue;
            }
            if is_named && read == ROWS_MAX {
                let found = format!("a line after {ROWS_MAX}, the most of a matrix");
                reader
                    .mistakes
                    .at_line(line, found, "leave out pairs of weight 0");
                break;
            }
            if is_named {
                read += 1;
                reader.row(line, text);
                continue;
            }
            if !text.split(',').map(str::trim).eq(COLUMNS) {
                let found = format!("found `{text}`, expected the column names {columns}");
                reader
                    .mistakes
                    .at_line(line, found, "name the columns before the weights");
                is_named = true;
                break;
            }
            is_named = true;
        }
        if !is_named {
            let found = format!("the file ends before the column names {columns}");
            reader.mistakes.add("end of the file", found, "");
        }
        reader.refuse_repeated();
        let is_empty = reader.rows.iter().all(|row| row.weight == 0);
        if is_named && is_empty && reader.mistakes.is_empty() {
            let found = "no weights above 0; expected one at least";
            reader.mistakes.add("end of the file", found, "");
        }
        reader.mistakes.finish()?;
        Ok(WeightMatrix::of(reader.rows, nodes))
    }

    /// The table of rows in the order of their sources and destinations.
    fn of(rows: Vec<Row>, nodes: u32) -> WeightMatrix {
        let mut matrix = WeightMatrix {
            starts: vec![0],
            destinations: Vec::with_capacity(rows.len()),
            sums: Vec::with_capacity(rows.len()),
        };
        let mut rows = rows.into_iter().filter(|row| row.weight > 0).peekable();
        for source in 0..nodes {
            let mut sum = 0;
            while let Some(row) = rows.next_if(|row| row.source == source) {
                sum += row.weight;
                matrix.destinations.push(row.destination);
                matrix.sums.push(sum);
            }
            matrix.starts.push(matrix.sums.len() as u32);
        }
        matrix
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The place of a source's destinations.
    fn of_source(&self, source: u32) -> std::ops::Range<usize> {
        let source = source as usize;
        self.starts[source] as usize..self.starts[source + 1] as usize
    }

    /// True when a source has weights.
    ///
    /// # Panics
    /// When it is none of the nodes.
    pub fn sends(&self, source: u32) -> bool {
        !self.of_source(source).is_empty()
    }

    /// Draws a destination for a source.
    ///
    /// # Panics
    /// When the source has no weights.
    pub fn draw(&self, source: u32, generator: &mut impl Rng) -> u32 {
        let range = self.of_source(source);
        let sums = &self.sums[range.clone()];
        let total = *sums.last().expect("a source with weights");
        let drawn = random::below(generator, total);
        self.destinations[range.start + sums.partition_point(|&sum| sum <= drawn)]
    }
}

/// A line of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    source: u32,
    destination: u32,
    line: u32,
    /// In millionths.
    weight: u64,
}

struct Reader<'a> {
    nodes: u32,
    mistakes: Mistakes<'a>,
    rows: Vec<Row>,
}

impl Reader<'_> {
    fn row(&mut self, line: u64, text: &str) {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let [source, destination, weight] = fields[..] else {
            let columns = COLUMNS.join(",");
            let found = format!("found {} fields, expected 3: {columns}", fields.len());
            let help = match text.starts_with('#') {
                true => "comments stand before the column names",
                false => "",
            };
            return self.mistakes.at_line(line, found, help);
        };
        let nodes = [(COLUMNS[0], source), (COLUMNS[1], destination)];
        let [source, destination] = nodes.map(|(name, text)| self.node(line, name, text));
        let weight = self.weight(line, weight);
        let (Some(source), Some(destination), Some(weight)) = (source, destination, weight) else {
            return;
        };
        if source == destination && weight > 0 {
            let found = format!("found a weight of node {source} to itself, expected none or 0");
            let help = "leave it out: such messages do not enter the network";
            return self.mistakes.at_line(line, found, help);
        }
        self.rows.push(Row {
            source,
            destination,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            weight,
        });
    }

    fn node(&mut self, line: u64, name: &str, text: &str) -> Option<u32> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let node = text
            .parse()
            .ok()
            .filter(|&node| digits && node < self.nodes);
        if node.is_none() {
            let last = self.nodes - 1;
            let found = format!("{name}: found `{text}`, expected a node, 0 to {last}");
            let help = "name nodes of the network, or make it larger";
            self.mistakes.at_line(line, found, help);
        }
        node
    }

    /// A weight in millionths.
    fn weight(&mut self, line: u64, text: &str) -> Option<u64> {
        let zeros = text.bytes().all(|byte| b"0.".contains(&byte));
        let is_zero = zeros && text.parse::<f64>().is_ok();
        let weight = match is_zero {
            true => Some(0),
            false => Decimal::parse(text).map(Decimal::millionths),
        };
        if weight.is_none() {
            let found = format!(
                "weight: found `{text}`, expected 0, or a number up to 10^6 with up to 6 decimals"
            );
            let help = "weights of a source count relative to each other: scale them";
            self.mistakes.at_line(line, found, help);
        }
        weight
    }

    fn refuse_repeated(&mut self) {
        self.rows.sort_unstable();
        for pair in self.rows.windows(2) {
            let (first, again) = (pair[0], pair[1]);
            if (first.source, first.destination) == (again.source, again.destination) {
                let found = format!(
                    "found the pair {},{} of line {} again, expected it once",
                    first.source, first.destination, first.line
                );
                let help = "give it one line, with the sum of the weights";
                self.mistakes.at_line(again.line.into(), found, help);
            }
        }
    }
}

#[cfg(test)]
mod tests;
