//! Reads lists of routers and links: CSV, the text form of networks, and GraphML.
//!
//! | form | files |
//! |---|---|
//! | CSV | `name[,component][,x][,y][,z][,id][,PIN …]`, a row for each router; and `from,from_port,to,to_port[,cycles]`, one for each link |
//! | text | as `crosswave info --structure` prints it ([`Structure`]) |
//! | GraphML | nodes and edges; their ports are `sourceport` and `targetport`; data of nodes have the names of the columns |

use std::collections::BTreeMap;
use std::path::Path;

use super::{List, ListedLink, ListedRouter};
use crate::text::{End, Structure};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input::{self, InputKind};
use crosswave_base::text::Mistakes;
use crosswave_chips::Chip;
use crosswave_component::Component;

/// The columns of coordinates.
const COORDINATES: [&str; 3] = ["x", "y", "z"];

/// A file that is read: the mistakes in it.
struct Reader<'a>(Mistakes<'a>);

impl<'a> Reader<'a> {
    fn of(origin: &'a str) -> Reader<'a> {
        Reader(Mistakes::new(origin))
    }

    fn finish<T>(self, found: T) -> Result<T, Error> {
        self.0.finish().map(|()| found)
    }

    /// A number.
    fn number(&mut self, place: &str, name: &str, text: &str) -> Option<u64> {
        let text = text.trim();
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        if number.is_none() {
            let message = format!("found {text:?} for {name}; expected a number");
            self.0.add(place, message, "such as 3, or 0x1f");
        }
        number
    }

    /// Puts a value of a router under its name.
    fn value(&mut self, router: &mut ListedRouter, name: &str, text: &str) {
        let place = router.origin.clone();
        if text.trim().is_empty() {
            return;
        }
        if name == "component" {
            router.component = Some(text.trim().to_owned());
            return;
        }
        let Some(value) = self.number(&place, name, text) else {
            return;
        };
        let axis = COORDINATES.iter().position(|axis| *axis == name);
        if axis.is_none() && name != "id" {
            router.given.insert(name.to_owned(), value);
            return;
        }
        let Ok(value) = u32::try_from(value) else {
            let message = format!("found {value} for {name}; expected up to {}", u32::MAX);
            self.0.add(&place, message, "number routers from 0 on");
            return;
        };
        match axis {
            Some(axis) => router.coordinates[axis] = Some(value),
            None => router.id = Some(value),
        }
    }
}

/// Takes a row of a CSV file: its line, and its values by the names of their columns.
type TakeRow<'a> = &'a mut dyn FnMut(&mut Reader<'_>, u64, &[(&str, &str)]);

/// The rows of a CSV file by the names of its columns, each with its line. `needed` are columns that
/// are to be there.
fn rows(path: &Path, kind: InputKind, needed: &[&str], take: TakeRow<'_>) -> Result<(), Error> {
    let origin = path.display().to_string();
    let mut reader = Reader::of(&origin);
    let text = input::read_text(path, kind, Class::Input)?;
    let mut records = csv::ReaderBuilder::new()
        .has_headers(false)
        .comment(Some(b'#'))
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut columns: Option<Vec<String>> = None;
    for record in records.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                let message = "the row cannot be read as CSV".to_owned();
                reader
                    .0
                    .at_line(line, message, "look for quotes that do not end");
                break;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        let Some(columns) = &columns else {
            let found: Vec<String> = record.iter().map(str::to_owned).collect();
            let missing: Vec<&str> = needed
                .iter()
                .copied()
                .filter(|name| !found.iter().any(|column| column == name))
                .collect();
            if !missing.is_empty() {
                let message = format!("there is no column {}", missing.join(", "));
                let help = format!("the first row is to name {}", needed.join(","));
                reader.0.at_line(line, message, help);
                break;
            }
            columns = Some(found);
            continue;
        };
        if record.len() != columns.len() {
            let message = format!("found {} values; expected {}", record.len(), columns.len());
            let help = "as many as the first row has names";
            reader.0.at_line(line, message, help);
            continue;
        }
        let row: Vec<(&str, &str)> = columns.iter().map(String::as_str).zip(&record).collect();
        take(&mut reader, line, &row);
    }
    if columns.is_none() && reader.0.is_empty() {
        let help = format!("the first row is to name {}", needed.join(","));
        reader
            .0
            .add("line 1", "the file has no rows".to_owned(), help);
    }
    reader.finish(())
}

/// Reads two CSV files.
///
/// # Errors
/// When a file cannot be read, or a row is not as it should be.
pub fn tables(routers: &Path, links: &Path) -> Result<List, Error> {
    let mut list = List::default();
    let needed = ["name"];
    rows(
        routers,
        input::ROUTERS,
        &needed,
        &mut |reader, line, row| {
            let mut router = ListedRouter {
                origin: format!("line {line}"),
                ..ListedRouter::default()
            };
            for &(column, text) in row {
                match column {
                    "name" => router.name = text.to_owned(),
                    _ => reader.value(&mut router, column, text),
                }
            }
            list.routers.push(router);
        },
    )?;
    let needed = ["from", "from_port", "to", "to_port"];
    rows(links, input::LINKS, &needed, &mut |reader, line, row| {
        let of = |name: &str| {
            let found = row.iter().find(|(column, _)| *column == name);
            found.map_or(String::new(), |(_, text)| (*text).to_owned())
        };
        let cycles = match &*of("cycles") {
            "" => Some(0),
            text => reader.number(&format!("line {line}"), "cycles", text),
        };
        list.links.push(ListedLink {
            origin: format!("line {line} of {}", links.display()),
            ends: [(of("from"), of("from_port")), (of("to"), of("to_port"))],
            cycles: cycles.unwrap_or(0),
        });
    })?;
    Ok(list)
}

/// True when the name of a file with all of a network says that it is GraphML.
pub fn is_graph(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("graphml" | "xml"))
}

/// Reads a file with all of a network: GraphML if its name ends so, else the text form.
///
/// # Errors
/// When the file cannot be read, or has a mistake.
pub fn structure(path: &Path, components: &[&'static Component]) -> Result<List, Error> {
    let text = input::read_text(path, input::STRUCTURE, Class::Input)?;
    match is_graph(path) {
        true => graph(path, &text),
        false => {
            let chips = components.iter().flat_map(|of| {
                let chip = of.router.chip;
                [(&*of.top, chip), (chip.name, chip)]
            });
            let endpoint = components[0].endpoint.chip;
            let chips = chips.chain([(endpoint.name, endpoint)]);
            let origin = path.display().to_string();
            let structure = Structure::parse_with(&text, &origin, &chips.collect::<Vec<_>>())?;
            listed(&structure, endpoint)
                .map_err(|mistake| Error::one(Class::Input, origin, mistake))
        }
    }
}

/// The routers and links of a network of a designer's own routers. The chips of a kind are its nodes.
///
/// # Errors
/// When a link rotates words or one of a node has extra clocks, which links of such a network do not, or
/// a node is joined to a node.
fn listed(structure: &Structure, endpoint: &Chip) -> Result<List, Diagnostic> {
    let mut list = List {
        others_are_0: true,
        ..List::default()
    };
    let mut nodes: BTreeMap<&str, u64> = BTreeMap::new();
    for chip in &structure.chips {
        match chip.chip == endpoint.name {
            true => {
                let header = chip.pins.get("own_header").copied();
                nodes.insert(&chip.name, header.unwrap_or(0));
            }
            false => list.routers.push(ListedRouter {
                origin: format!("chip {}", chip.name),
                name: chip.name.clone(),
                component: Some(chip.chip.clone()),
                given: chip.pins.clone(),
                ..ListedRouter::default()
            }),
        }
    }
    let mut at_node: BTreeMap<&str, End> = BTreeMap::new();
    for link in &structure.links {
        let [one, other] = &link.ends;
        let origin = format!("link {}.{} {}.{}", one.0, one.1, other.0, other.1);
        let is_of_node = link
            .ends
            .iter()
            .any(|(name, _)| nodes.contains_key(&**name));
        if link.rotation > 0 || is_of_node && link.clocks > 0 {
            let message =
                "links of your own routers rotate nothing, and those of nodes take no extra clocks";
            return Err(Diagnostic::new(origin, message, "remove it"));
        }
        match (nodes.contains_key(&*one.0), nodes.contains_key(&*other.0)) {
            (true, true) => {
                let message = "two nodes are joined";
                return Err(Diagnostic::new(origin, message, "join each to a router"));
            }
            (true, false) => drop(at_node.insert(&one.0, other.clone())),
            (false, true) => drop(at_node.insert(&other.0, one.clone())),
            (false, false) => list.links.push(ListedLink {
                cycles: link.clocks,
                origin,
                ends: link.ends.clone(),
            }),
        }
    }
    if !nodes.is_empty() {
        let in_order = structure
            .chips
            .iter()
            .filter(|chip| at_node.contains_key(&*chip.name));
        let names: Vec<&str> = in_order.map(|chip| &*chip.name).collect();
        list.headers = Some(names.iter().map(|name| nodes[name]).collect());
        list.nodes = Some(names.iter().map(|name| at_node[name].clone()).collect());
    }
    Ok(list)
}

/// Reads GraphML.
fn graph(path: &Path, text: &str) -> Result<List, Error> {
    let origin = path.display().to_string();
    let mut reader = Reader::of(&origin);
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        ..roxmltree::ParsingOptions::default()
    };
    let document = match roxmltree::Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            let at = error.pos();
            let place = format!("line {}, column {}", at.row, at.col);
            reader
                .0
                .add(&place, format!("this is no XML: {error}"), "write GraphML");
            return reader.finish(List::default());
        }
    };
    let mut list = List::default();
    // Data name their attributes by keys, or are named by them.
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let named = |name: &'static str| {
        let all = document.descendants();
        all.filter(move |element| element.tag_name().name() == name)
    };
    for key in named("key") {
        if let (Some(id), Some(name)) = (key.attribute("id"), key.attribute("attr.name")) {
            names.insert(id, name);
        }
    }
    let line = |element: &roxmltree::Node<'_, '_>| {
        let at = document.text_pos_at(element.range().start);
        format!("line {}", at.row)
    };
    let data = |element: &roxmltree::Node<'_, '_>| -> BTreeMap<String, String> {
        let data = element
            .children()
            .filter(|inner| inner.tag_name().name() == "data");
        let pair = |inner: roxmltree::Node<'_, '_>| {
            let key = inner.attribute("key")?;
            let name = names.get(key).copied().unwrap_or(key);
            Some((name.to_owned(), inner.text().unwrap_or_default().to_owned()))
        };
        data.filter_map(pair).collect()
    };
    for node in named("node") {
        let mut router = ListedRouter {
            origin: line(&node),
            name: node.attribute("id").unwrap_or_default().to_owned(),
            ..ListedRouter::default()
        };
        for (name, value) in data(&node) {
            reader.value(&mut router, &name, &value);
        }
        list.routers.push(router);
    }
    for edge in named("edge") {
        let data = data(&edge);
        let end = |router: &str, port: &str, of_data: &str| {
            let port = edge.attribute(port).map(str::to_owned);
            let port = port.or_else(|| data.get(of_data).map(|text| text.trim().to_owned()));
            let router = edge.attribute(router).unwrap_or_default().to_owned();
            (router, port.unwrap_or_default())
        };
        let cycles = data.get("cycles");
        let cycles = cycles.map(|text| reader.number(&line(&edge), "cycles", text));
        list.links.push(ListedLink {
            cycles: cycles.flatten().unwrap_or(0),
            origin: line(&edge),
            ends: [
                end("source", "sourceport", "from_port"),
                end("target", "targetport", "to_port"),
            ],
        });
    }
    reader.finish(list)
}
