//! Networks that a list describes, as a configuration names them.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use toml::de::DeValue;

use super::{List, read};
use crate::Network;
use crate::description::{Description, NetworkKind};
use crate::own::config::{
    COMPONENT, LOCAL, SHARED_KEYS, component, kind, network, shared, shared_tables, text,
};
use crate::own::{CheckKeys, EndpointKeys, OwnNetwork, Parts, Shape};
use crate::traffic::Strategy;
use crosswave_base::diagnostic::Error;
use crosswave_component::{Component, OwnNetlist};
use crosswave_document::{Document, Key, KeyRow, Wrong, found};

const ROUTERS: Key = ("network", "routers");
const LINKS: Key = ("network", "links");
const STRUCTURE: Key = ("network", "structure");

const KEYS: &[KeyRow] = &[
    KeyRow {
        key: COMPONENT,
        value: "string, or list of strings",
        default: "required",
        legal: "paths, relative to the folder of the configuration",
        only: "",
        meaning: "The component files of the routers, whose links and packets are of one form.",
    },
    KeyRow {
        key: ROUTERS,
        value: "string",
        default: "required, unless there is `network.structure`",
        legal: "a path, relative to the folder of the configuration",
        only: "",
        meaning: "The list of routers, as CSV: `name`, and where it is needed `component` (the name of the \
             module), `x`, `y`, `z`, `id`, and a column for each pin or parameter that has values of its own.",
    },
    KeyRow {
        key: LINKS,
        value: "string",
        default: "required, unless there is `network.structure`",
        legal: "a path, relative to the folder of the configuration",
        only: "",
        meaning: "The list of links, as CSV: `from`, `from_port`, `to` and `to_port`.",
    },
    KeyRow {
        key: STRUCTURE,
        value: "string",
        default: "none",
        legal: "a path, relative to the folder of the configuration",
        only: "",
        meaning: "A file with routers and links, in place of the two lists: GraphML if its name ends in \
             `.graphml` or `.xml`, else the text that `crosswave info --structure` prints.",
    },
    KeyRow {
        key: LOCAL,
        value: "string, or list of strings",
        default: "none; required unless the text of the network has the nodes",
        legal: "names of links of the components",
        only: "",
        meaning: "The links of nodes. A node is at each of them that is joined to no router.",
    },
];

/// The row of the registry of networks that a list describes.
pub const CUSTOM_KIND: NetworkKind = kind("custom", "custom network", &[KEYS, SHARED_KEYS]);

/// A network that a list describes.
#[derive(Debug, Clone)]
pub struct CustomConfig {
    /// The component files as the configuration names them.
    components: Vec<String>,
    /// The files of the lists, by their keys, as the configuration names them.
    files: Vec<(&'static str, String)>,
    folder: PathBuf,
    local: Vec<String>,
    /// Nothing where the configuration has a mistake.
    network: Option<Arc<OwnNetwork>>,
}

impl PartialEq for CustomConfig {
    fn eq(&self, other: &CustomConfig) -> bool {
        let same = match (&self.network, &other.network) {
            (Some(one), Some(other)) => one.is_same(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let named = |of: &CustomConfig| (of.components.clone(), of.files.clone(), of.local.clone());
        named(self) == named(other) && same
    }
}

impl Eq for CustomConfig {}

/// One text or several.
fn texts(value: &DeValue<'_>, help: &str) -> Result<Vec<String>, Vec<Wrong>> {
    let Some(entries) = value.as_array() else {
        return Ok(vec![text(value, help)?]);
    };
    if entries.is_empty() {
        let message = format!("{}; expected a string, or several", found(value));
        return Err(vec![Wrong::new(message, help)]);
    }
    let each = entries.iter().map(|entry| text(entry.get_ref(), help));
    each.collect()
}

/// The reason for which components cannot be in one network; none if they can.
fn mixed(components: &[&'static Component]) -> Option<String> {
    let first = components[0];
    let tops = components.iter().enumerate();
    let mut tops = tops.map(|(at, of)| (&components[..at], *of));
    let twice = tops.find(|(before, of)| before.iter().any(|other| other.top == of.top));
    if let Some((_, of)) = twice {
        return Some(format!("two components are of the module {}", of.top));
    }
    let mut others = components.iter().skip(1);
    let other = others.find(|other| {
        (other.form, &other.packet, other.reset_cycles)
            != (first.form, &first.packet, first.reset_cycles)
    })?;
    Some(format!(
        "{} and {} have links or packets of different forms, or resets of different length",
        first.top, other.top
    ))
}

impl CustomConfig {
    fn parsed(document: &mut Document<'_>) -> CustomConfig {
        let path_help = "such as routers = \"routers.csv\"";
        let component_help = "such as component = \"my_router.toml\"";
        let components = document.value(COMPONENT, |value| texts(value, component_help));
        let local = document.value(LOCAL, |value| texts(value, "such as local = \"local\""));
        let mut files = Vec::new();
        for key in [ROUTERS, LINKS, STRUCTURE] {
            if let Some(written) = document.value(key, |value| text(value, path_help)) {
                files.push((key.1, written));
            }
        }
        let mut missing = |key: Key, example: &str| {
            let wrong = Wrong::new("missing; it has no default", format!("such as {example}"));
            document.wrong(key, None, wrong);
        };
        let has = |key: Key| files.iter().any(|(name, _)| *name == key.1);
        if components.is_none() {
            missing(COMPONENT, "component = \"my_router.toml\"");
        }
        match (has(ROUTERS), has(LINKS), has(STRUCTURE)) {
            (true, true, false) | (false, false, true) => {}
            (_, _, true) => {
                let message = "found this and a list of routers or links";
                let wrong = Wrong::new(message, "describe the network in one place");
                document.wrong(STRUCTURE, None, wrong);
            }
            (true, false, false) => missing(LINKS, "links = \"links.csv\""),
            (false, _, false) => missing(ROUTERS, "routers = \"routers.csv\""),
        }
        let (endpoints, checks) = shared(document);
        let mut config = CustomConfig {
            components: components.unwrap_or_default(),
            files,
            folder: document.folder.to_owned(),
            local: local.unwrap_or_default(),
            network: None,
        };
        if document.mistakes.is_empty() {
            config.network = config.built(document, endpoints, checks);
        }
        config
    }

    /// The path of a file by its key.
    fn path(&self, key: Key) -> Option<PathBuf> {
        let mut files = self.files.iter();
        let (_, written) = files.find(|(name, _)| *name == key.1)?;
        Some(self.folder.join(written))
    }

    /// Reads the files.
    fn built(
        &self,
        document: &mut Document<'_>,
        endpoints: EndpointKeys,
        checks: CheckKeys,
    ) -> Option<Arc<OwnNetwork>> {
        let components = self.components.iter();
        let components: Option<Vec<&'static Component>> = components
            .map(|written| component(document, COMPONENT, written))
            .collect();
        let components = components?;
        if let Some(message) = mixed(&components) {
            let help = "name components of different modules, whose [[link]] and [packet] tables are alike";
            document.wrong(COMPONENT, None, Wrong::new(message, help));
            return None;
        }
        let all = components.iter().flat_map(|of| of.router.chip.links);
        let all: Vec<&str> = all.copied().collect();
        if let Some(name) = self.local.iter().find(|name| !all.contains(&&***name)) {
            let message = format!("no component has a link {name:?}");
            let wrong = Wrong::new(message, format!("their links are {}", all.join(", ")));
            document.wrong(LOCAL, None, wrong);
            return None;
        }
        let (key, read) = match (self.path(STRUCTURE), self.path(ROUTERS), self.path(LINKS)) {
            (Some(path), ..) => (STRUCTURE, read::structure(&path, &components)),
            (None, Some(routers), Some(links)) => (ROUTERS, read::tables(&routers, &links)),
            _ => return None,
        };
        let list: Result<List, Error> = read;
        let origin = self.path(key).unwrap_or_default().display().to_string();
        let listed = list.and_then(|list| {
            let listed = list.network(&origin, &components, &self.local)?;
            Ok((listed, list.headers))
        });
        let ((custom, component_of, nodes), headers) = match listed {
            Ok(listed) => listed,
            Err(error) => {
                document.wrong_in_file(key, error);
                return None;
            }
        };
        let parts = Parts {
            shape: Shape::Custom(custom),
            component_of,
            components,
            nodes,
            headers,
            endpoints,
            checks,
        };
        network(document, key, parts)
    }
}

impl Description for CustomConfig {
    fn read(document: &mut Document<'_>, _: Option<u32>) -> CustomConfig {
        CustomConfig::parsed(document)
    }

    fn kind(&self) -> &'static NetworkKind {
        &CUSTOM_KIND
    }

    fn nodes(&self) -> u32 {
        self.network
            .as_ref()
            .map_or(2, |network| network.node_count())
    }

    fn levels(&self) -> Vec<u32> {
        vec![self.nodes()]
    }

    fn tables(&self) -> Vec<(&'static str, Value)> {
        let mut network = json!({ "kind": CUSTOM_KIND.name });
        network["component"] = match &self.components[..] {
            [one] => json!(one),
            several => json!(several),
        };
        for (key, written) in &self.files {
            network[*key] = json!(written);
        }
        if !self.local.is_empty() {
            network["local"] = json!(self.local);
        }
        let mut tables = vec![("network", network)];
        tables.extend(shared_tables(self.network.as_deref()));
        tables
    }

    fn own_netlists(&self) -> Vec<&'static OwnNetlist> {
        let network = self.network.as_ref();
        network.map_or_else(Vec::new, |network| network.netlists())
    }

    fn files(&self) -> Vec<(&'static str, PathBuf, &'static str)> {
        let keys = [
            (ROUTERS, "routers.csv"),
            (LINKS, "links.csv"),
            (STRUCTURE, "network.txt"),
        ];
        let named = keys.into_iter().filter_map(|(key, name)| {
            let path = self.path(key)?;
            let name = if key == STRUCTURE && read::is_graph(&path) {
                "network.graphml"
            } else {
                name
            };
            Some((key.1, path, name))
        });
        named.collect()
    }

    fn build(&self, _: Strategy) -> Network {
        let network = self.network.as_ref();
        Box::new(OwnNetwork::clone(
            network.expect("a configuration without mistakes"),
        ))
    }
}
