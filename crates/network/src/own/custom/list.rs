//! A list of routers and links, and the network that it describes.

use std::collections::BTreeMap;

use super::{Custom, ROUTERS_MAX, Router};
use crate::own::{At, LINK_CYCLES_MAX};
use crosswave_base::diagnostic::Error;
use crosswave_base::suggest::nearest;
use crosswave_base::text::Mistakes;
use crosswave_chips::Role;
use crosswave_component::Component;
use crosswave_component::packet::DestinationPart;

/// A router of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedRouter {
    /// Its place in the file, such as `line 3`.
    pub origin: String,
    /// Its name.
    pub name: String,
    /// The name of its module; the only one where nothing is said.
    pub component: Option<String>,
    /// Its coordinates; 0 where nothing is said.
    pub coordinates: [Option<u32>; 3],
    /// Its number; that of its place in the list where nothing is said.
    pub id: Option<u32>,
    /// Values of pins and parameters.
    pub given: BTreeMap<String, u64>,
}

/// A link of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedLink {
    /// Its place in the file.
    pub origin: String,
    /// The names of a router and of its link, at both ends.
    pub ends: [(String, String); 2],
    /// Its extra cycles.
    pub cycles: u64,
}

/// A list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    /// The routers.
    pub routers: Vec<ListedRouter>,
    /// The links.
    pub links: Vec<ListedLink>,
    /// The links of the nodes, in their order, where the list has them.
    pub nodes: Option<Vec<(String, String)>>,
    /// The fields of heads to each node, where the list has them.
    pub headers: Option<Vec<u64>>,
    /// True when pins without a value are 0.
    pub others_are_0: bool,
}

/// A network that a list describes: its routers and links, the component of each by its number, and the
/// links of the nodes.
pub type Listed = (Custom, Vec<u32>, Vec<At>);

/// Finds names of a list.
struct Finder<'a> {
    origin: &'a str,
    components: &'a [&'static Component],
    /// Places by name.
    places: BTreeMap<&'a str, u32>,
    component_of: Vec<u32>,
    mistakes: Mistakes<'a>,
}

impl<'a> Finder<'a> {
    /// Fails where mistakes were found so far.
    fn check(&mut self) -> Result<(), Error> {
        let found = std::mem::replace(&mut self.mistakes, Mistakes::new(self.origin));
        found.finish()
    }

    fn component(&self, place: u32) -> &'static Component {
        self.components[self.component_of[place as usize] as usize]
    }

    /// An end of a link.
    fn end(&mut self, origin: &str, (name, port): &(String, String)) -> Option<At> {
        let Some(&place) = self.places.get(&**name) else {
            let names: Vec<&str> = self.places.keys().copied().collect();
            let near = nearest(name, &names);
            let help = near.map_or("name one of the list".to_owned(), |near| {
                format!("did you mean {near}?")
            });
            self.mistakes
                .add(origin, format!("there is no router {name}"), help);
            return None;
        };
        let component = self.component(place);
        let Some(link) = component.link(port) else {
            let links = component.router.chip.links.join(", ");
            let message = format!("{name} is a {} and has no link {port}", component.top);
            self.mistakes
                .add(origin, message, format!("its links are {links}"));
            return None;
        };
        Some((place, link))
    }
}

impl List {
    /// The network of the list, which `origin` names, of some components; nodes are at those links of
    /// these names that nothing is joined to, unless the list has them.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn network(
        &self,
        origin: &str,
        components: &[&'static Component],
        local: &[String],
    ) -> Result<Listed, Error> {
        let mut finder = Finder {
            origin,
            components,
            places: BTreeMap::new(),
            component_of: Vec::new(),
            mistakes: Mistakes::new(origin),
        };
        let routers = self.routers(&mut finder);
        finder.check()?;
        let mut joined: BTreeMap<At, &str> = BTreeMap::new();
        let mut joins = Vec::new();
        for link in &self.links {
            let [one, other] = [0, 1].map(|end| finder.end(&link.origin, &link.ends[end]));
            let (Some(one), Some(other)) = (one, other) else {
                continue;
            };
            let ends = [one, other].map(|(place, link)| finder.component(place).ends[link]);
            let name = |end: usize| {
                let (router, port) = &link.ends[end];
                format!("{router}.{port}")
            };
            if one == other {
                let message = format!("{} is joined to itself", name(0));
                finder.mistakes.add(&link.origin, message, "name two ends");
                continue;
            }
            for (end, at) in [one, other].into_iter().enumerate() {
                if let Some(before) = joined.insert(at, &link.origin) {
                    let message = format!("{} is joined a second time, after {before}", name(end));
                    finder
                        .mistakes
                        .add(&link.origin, message, "a link of a router is joined once");
                }
            }
            if !ends[0].fits(ends[1]) {
                let message = format!("{} and {} do not fit each other", name(0), name(1));
                let help = "flits go out at one end where they come in at the other";
                finder.mistakes.add(&link.origin, message, help);
            }
            if link.cycles > LINK_CYCLES_MAX {
                let message = format!(
                    "found {} extra cycles; expected up to {LINK_CYCLES_MAX}",
                    link.cycles
                );
                finder.mistakes.add(&link.origin, message, "give it fewer");
            }
            joins.push((one, other, link.cycles.min(LINK_CYCLES_MAX) as u32));
        }
        let nodes = self.nodes(&mut finder, &joined, local);
        finder.check()?;
        let sends = |(place, link): At| finder.component(place).ends[link].sends;
        let custom = Custom::new(routers, joins, sends);
        // All nodes reach each other if one of them reaches all and is reached by all.
        let (first, _) = nodes[0];
        if let Some([from, to]) = custom.apart(first, nodes.iter().map(|&(place, _)| place)) {
            let message = format!(
                "no links lead from {} to {}",
                custom.name(from),
                custom.name(to)
            );
            finder
                .mistakes
                .add("links", message, "every node is to reach every other one");
        }
        finder.check()?;
        Ok((custom, finder.component_of, nodes))
    }

    /// The routers.
    fn routers<'a>(&'a self, finder: &mut Finder<'a>) -> Vec<Router> {
        if self.routers.is_empty() || self.routers.len() > ROUTERS_MAX {
            let message = format!(
                "found {} routers; expected 1 to {ROUTERS_MAX}",
                self.routers.len()
            );
            finder
                .mistakes
                .add("routers", message, "a row for each router");
            return Vec::new();
        }
        let tops: Vec<&str> = finder.components.iter().map(|of| &*of.top).collect();
        let mut routers = Vec::new();
        let mut ids: BTreeMap<u32, &str> = BTreeMap::new();
        for (place, listed) in (0..).zip(&self.routers) {
            let origin = &listed.origin;
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let begins = listed.name.starts_with(|c: char| c.is_ascii_alphabetic());
            if !begins || !listed.name.chars().all(is_name) || is_taken(&listed.name) {
                let message = format!("found the name {:?} of a router", listed.name);
                let help = "names have letters, digits and _; node_N are the endpoints, link_N cycles on links";
                finder.mistakes.add(origin, message, help);
            }
            if finder.places.insert(&listed.name, place).is_some() {
                let message = format!("there are two routers {}", listed.name);
                finder
                    .mistakes
                    .add(origin, message, "give each a name of its own");
            }
            let of = match &listed.component {
                None if tops.len() == 1 => Some(0),
                None => None,
                Some(name) => {
                    let is_of =
                        |of: &&'static Component| of.top == *name || of.router.chip.name == *name;
                    finder.components.iter().position(is_of)
                }
            };
            if of.is_none() {
                let found = listed.component.as_deref().unwrap_or("none");
                let message = format!("found the component {found}");
                let help = format!("the components are {}", tops.join(", "));
                finder.mistakes.add(origin, message, help);
            }
            let of = of.unwrap_or(0);
            finder.component_of.push(of as u32);
            let component = finder.components[of];
            for (name, value) in &listed.given {
                if let Some((message, help)) = refused(component, name, *value) {
                    finder.mistakes.add(origin, message, help);
                }
            }
            let id = listed.id.unwrap_or(place);
            if let Some(other) = ids.insert(id, &listed.name) {
                let message = format!("{} and {other} both have the number {id}", listed.name);
                finder
                    .mistakes
                    .add(origin, message, "give each a number of its own");
            }
            routers.push(Router {
                name: listed.name.clone(),
                coordinates: listed.coordinates.map(|found| found.unwrap_or(0)),
                id,
                given: listed.given.clone(),
                others_are_0: self.others_are_0,
            });
        }
        routers
    }

    /// The links of the nodes.
    fn nodes(
        &self,
        finder: &mut Finder<'_>,
        joined: &BTreeMap<At, &str>,
        local: &[String],
    ) -> Vec<At> {
        let mut nodes: Vec<At> = Vec::new();
        match &self.nodes {
            Some(listed) => {
                for (node, end) in listed.iter().enumerate() {
                    nodes.extend(finder.end(&format!("node {node}"), end));
                }
            }
            None => {
                for place in 0..finder.component_of.len() as u32 {
                    let component = finder.component(place);
                    let links = local.iter().filter_map(|name| component.link(name));
                    let free = links.filter(|&link| !joined.contains_key(&(place, link)));
                    nodes.extend(free.map(|link| (place, link)));
                }
            }
        }
        for &(place, link) in &nodes {
            let component = finder.component(place);
            let (name, ends) = (component.router.chip.links[link], component.ends[link]);
            if !ends.takes || !ends.sends {
                let message = format!("{name} of {} leads one way only", component.top);
                finder
                    .mistakes
                    .add("nodes", message, "a node is at a link with `in` and `out`");
                break;
            }
            if joined.contains_key(&(place, link)) {
                let router = &self.routers[place as usize].name;
                let message = format!("a node is at {router}.{name}, which is joined to a router");
                finder
                    .mistakes
                    .add("nodes", message, "a node is at a link of its own");
                break;
            }
        }
        self.coordinates_differ(finder, &nodes);
        if nodes.len() < 2 {
            let message = format!("found {} nodes; expected 2 at least", nodes.len());
            let help = "network.local names the links of nodes, which are at those that nothing is joined to";
            finder.mistakes.add("nodes", message, help);
        }
        nodes
    }

    /// Refuses nodes at different routers for which the same coordinates are listed, where heads name
    /// nothing else.
    fn coordinates_differ(&self, finder: &mut Finder<'_>, nodes: &[At]) {
        let mut seen: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for &(place, _) in nodes {
            let parts = finder.component(place).packet.destination.iter();
            let axes: Option<Vec<usize>> = parts
                .map(|(part, _)| match part {
                    DestinationPart::Coordinate(axis) => Some(*axis),
                    DestinationPart::Id | DestinationPart::Route => None,
                })
                .collect();
            let router = &self.routers[place as usize];
            let Some(axes) = axes else {
                continue;
            };
            if axes.iter().all(|&axis| router.coordinates[axis].is_none()) {
                continue;
            }
            let named = axes
                .iter()
                .map(|&axis| router.coordinates[axis].unwrap_or(0));
            let named: Vec<u32> = named.collect();
            let shown = format!("{named:?}");
            let Some(other) = seen.insert(named, place).filter(|&other| other != place) else {
                continue;
            };
            let other = &self.routers[other as usize].name;
            let message = format!(
                "{} and {other} both have the coordinates {shown}, by which heads name them",
                router.name
            );
            let help = "give each router with a node coordinates of its own";
            finder.mistakes.add(&router.origin, message, help);
        }
    }
}

/// True when other chips have the name.
fn is_taken(name: &str) -> bool {
    let rest = name.strip_prefix("node_");
    let rest = rest.or_else(|| name.strip_prefix("link_"));
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
}

/// The fault of a value of a pin or of a parameter, and advice; none if it can be set.
fn refused(component: &Component, name: &str, value: u64) -> Option<(String, String)> {
    let of_instances = &component.instance_parameters;
    if of_instances.iter().any(|(known, _)| known == name) {
        return None;
    }
    let pins = component.router.chip.ports.iter();
    let pins = pins.filter(|port| matches!(port.role, Role::Option));
    let Some(port) = pins.clone().find(|port| port.name == name) else {
        let of_instances = of_instances.iter().map(|(name, _)| &**name);
        let names: Vec<&str> = pins.map(|port| port.name).chain(of_instances).collect();
        let message = format!("{} has no pin {name}", component.top);
        return Some((message, format!("its pins are {}", names.join(", "))));
    };
    let fits = port.width >= 64 || value >> port.width == 0;
    let message = format!(
        "found {value} for the pin {name}, which has {} bits",
        port.width
    );
    (!fits).then(|| (message, "give a value that it can hold".to_owned()))
}
