//! Links as tables of a component file: names, and expressions that several links share.

use std::collections::{BTreeMap, BTreeSet};

use super::bundles::{LinkKey, PlannedLinks, PortPart};
use super::constants::constants;
use super::names::{direction, words};

/// Expressions of a table, by the direction (with true out of the module) and the signal.
type Expressions = BTreeMap<(bool, LinkKey), Vec<String>>;

/// A `[[link]]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProposedTable {
    pub names: Vec<String>,
    pub expressions: Expressions,
    /// Sentences on what it rests on.
    pub notes: Vec<String>,
}

/// The names of links in wide ports, and the sentence on where they come from.
fn array_names(count: usize, sources: &str) -> (Vec<String>, String) {
    if let Some(names) = numbered(count, sources) {
        let said = "The sources number the directions so.".to_owned();
        return (names, said);
    }
    let usual: &[&str] = match count {
        2 => &["west", "east"],
        3 => &["local", "west", "east"],
        4 => &["west", "east", "north", "south"],
        5 => &["local", "west", "east", "north", "south"],
        7 => &["local", "west", "east", "north", "south", "up", "down"],
        _ => &[],
    };
    let names = match usual {
        [] => (0..count).map(|at| format!("p{at}")).collect(),
        names => names.iter().map(|name| (*name).to_owned()).collect(),
    };
    let said = "The order of the names is a guess: put them as the module numbers its links.";
    (names, said.to_owned())
}

/// Directions by the numbers that constants of the sources give them.
fn numbered(count: usize, sources: &str) -> Option<Vec<String>> {
    let mut found: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for constant in constants(sources) {
        if let Some(name) = direction(&constant.name) {
            found.entry(constant.value).or_default().insert(name);
        }
    }
    let names: Vec<String> = (0..count)
        .map(|at| {
            let names = found.get(&(at as u64))?;
            (names.len() == 1).then(|| names.first().cloned())?
        })
        .collect::<Option<_>>()?;
    let different: BTreeSet<&String> = names.iter().collect();
    (different.len() == count).then_some(names)
}

/// The words that all keys begin with and end with.
fn common(links: &[PlannedLinks<'_>]) -> (usize, usize) {
    let keys: Vec<Vec<&str>> = links
        .iter()
        .map(|one| one.key.split('_').collect())
        .collect();
    let shortest = keys.iter().map(Vec::len).min().unwrap_or(0);
    if keys.len() < 2 {
        return (0, 0);
    }
    let agree = |at: &dyn Fn(&Vec<&str>) -> Option<String>| {
        let first = at(&keys[0]);
        keys.iter().all(|key| at(key) == first)
    };
    let before = (0..shortest.saturating_sub(1))
        .take_while(|&at| agree(&|key| key.get(at).map(|word| (*word).to_owned())))
        .count();
    let behind = (1..shortest.saturating_sub(before))
        .take_while(|&at| agree(&|key| key.get(key.len() - at).map(|word| (*word).to_owned())))
        .count();
    (before, behind)
}

/// The text of a port's name that tells the link, without words that all links have.
fn key_range(part: &PortPart<'_>, (before, behind): (usize, usize)) -> Option<(usize, usize)> {
    let words = part.key.get(before..part.key.len().checked_sub(behind)?)?;
    let (first, last) = (words.first()?, words.last()?);
    // The words stand together in the name.
    let between = self::words(&part.port.name[first.start..last.end]).len();
    (between == words.len()).then_some((first.start, last.end))
}

/// A name for a link that is none of others.
fn unique(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let plain: String = wanted
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let plain = match plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => plain,
        false => format!("p{plain}"),
    };
    let mut name = plain.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{plain}_{number}");
        number += 1;
    }
    name
}

/// The tables of links, in their order.
pub(super) fn tables(links: &[PlannedLinks<'_>], sources: &str) -> Vec<ProposedTable> {
    let mut tables: Vec<ProposedTable> = Vec::new();
    let mut taken = BTreeSet::new();
    let common = common(links);
    let shown = |link: &PlannedLinks<'_>| -> Option<String> {
        let part = link.signals.get(&(false, LinkKey::Data))?.last()?;
        let (start, end) = key_range(part, common)?;
        Some(part.port.name[start..end].to_owned())
    };
    // Links 0, 1, 2 … may be numbers of one table.
    let is_counted = links.len() > 1
        && (links.iter().enumerate()).all(|(at, link)| shown(link) == Some(at.to_string()));
    for link in links {
        let own = shown(link);
        if link.count > 1 {
            let (mut names, said) = array_names(link.count, sources);
            if links.len() > 1 {
                names = names
                    .iter()
                    .map(|name| format!("{}_{name}", link.key))
                    .collect();
            }
            let names = names
                .iter()
                .map(|name| unique(name.trim_matches('_'), &mut taken));
            tables.push(ProposedTable {
                names: names.collect(),
                expressions: expressions(link, |part| part.port.name.clone()),
                notes: [&[said][..], &link.notes].concat(),
            });
            continue;
        }
        let name = unique(own.as_deref().unwrap_or("link"), &mut taken);
        let with = |sign: &str, text: &str| {
            expressions(link, |part| match key_range(part, common) {
                Some((start, end)) if part.port.name[start..end] == *text => {
                    let name = &part.port.name;
                    format!("{}{sign}{}", &name[..start], &name[end..])
                }
                _ => part.port.name.clone(),
            })
        };
        let shared = match &own {
            Some(own) if is_counted => with("{i}", own),
            Some(own) if *own == name => with("{name}", own),
            _ => expressions(link, |part| part.port.name.clone()),
        };
        match tables.last_mut() {
            Some(last) if last.expressions == shared && !last.names.is_empty() => {
                last.names.push(name);
                for note in &link.notes {
                    if !last.notes.contains(note) {
                        last.notes.push(note.clone());
                    }
                }
            }
            _ => tables.push(ProposedTable {
                names: vec![name],
                expressions: shared,
                notes: link.notes.clone(),
            }),
        }
    }
    // A table of one link names its ports.
    for table in &mut tables {
        if let [only] = &table.names[..] {
            for text in table.expressions.values_mut().flatten() {
                *text = text.replace("{name}", only).replace("{i}", "0");
            }
        }
    }
    tables
}

fn expressions(link: &PlannedLinks<'_>, name: impl Fn(&PortPart<'_>) -> String) -> Expressions {
    let signals = link.signals.iter();
    let texts = signals.map(|(key, parts)| {
        let texts = parts
            .iter()
            .map(|part| part.expression(&name(part), link.count));
        (*key, texts.collect())
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_sources_number_directions() {
        let names = |count, text: &str| numbered(count, text).map(|names| names.join(" "));
        let verilog = "localparam LOCAL = 0, WEST = 1, EAST = 2, NORTH = 3, SOUTH = 4;";
        assert_eq!(
            names(5, verilog).as_deref(),
            Some("local west east north south")
        );
        let enumeration = "typedef enum logic [2:0] {P = 3'd0, W, E, N, S} dirs_e;";
        assert_eq!(names(5, enumeration).as_deref(), Some("p w e n s"));
        assert_eq!(
            names(4, "// NORTH = 0, EAST = 1, SOUTH = 2, WEST = 3"),
            None
        );
        assert_eq!(names(2, "EAST = 0, WEST = 1, NORTH = 0"), None);
    }
}
