//! Configurations, component files, and lists of routers and links.

use std::fs;

use crosswave_chips::{CHIPS, Chip};
use crosswave_component::{Component, drop_in, load};
use crosswave_network::own::custom::read as lists_of;
use crosswave_network::text::Structure;
use crosswave_network::traffic::{TrafficConfig, build};
use crosswave_probe::engine::Engine;
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::observer::Observer;
use crosswave_run::simulation::Simulation;

use super::{file, files, parts, read};

/// Nodes of a network that is put together.
const NODES_MAX: u32 = 32;
/// Words, weights and cycles of a configuration that is run add up to this at most, by the digits in it.
const NUMBER_MAX: u64 = 4096;
/// Cycles that are run.
const CYCLES: u64 = 200;

/// Ends a run after some cycles.
struct Limit(u64);

impl Observer for Limit {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.0 = engine.cycle();
    }

    fn interrupted(&mut self) -> bool {
        self.0 > CYCLES
    }
}

/// A configuration, and overrides of it, a line each. One that is right is written and read again, and
/// runs if it is small.
pub fn config(data: &[u8]) {
    let Some([text, overrides]) = parts(data) else {
        return;
    };
    let overrides: Vec<String> = overrides.lines().map(str::to_owned).collect();
    let folder = files();
    let _ = read(Config::parse_network(text, "run.toml", &folder, &overrides));
    let Some(config) = read(Config::parse(text, "run.toml", &folder, &overrides)) else {
        return;
    };
    let written = config.to_toml();
    let again = read(Config::parse(&written, "written.toml", &folder, &[]));
    assert_eq!(again.as_ref(), Some(&config), "written and read again");
    let _ = read(config.check_files(text, "run.toml", &overrides));
    let is_number = |part: &str| part.parse().is_ok_and(|number: u64| number > NUMBER_MAX);
    let is_large = written.split(|c: char| !c.is_ascii_digit()).any(is_number);
    if config.network.nodes() <= NODES_MAX && !is_large {
        run(config);
    }
}

/// Runs a small configuration on the event engine, where it takes it.
fn run(mut config: Config) {
    config.run.engine = EngineKind::Event;
    config.run.threads = 1;
    config.run.replicates = 1;
    config.run.cycles_max = Some(CYCLES);
    if config.check().is_err() {
        return;
    }
    let nodes = config.network.nodes();
    if let TrafficConfig::Trace(_) = config.traffic
        && read(build(&config.traffic, nodes, 1)).is_none()
    {
        return;
    }
    let Some(simulation) = read(Simulation::new(&config)) else {
        return;
    };
    let structure = Structure::of(simulation.fabric());
    let own = simulation.network().own_netlists();
    if own.is_empty() {
        let text = structure.to_string();
        let again = read(Structure::parse(&text, "structure")).expect("it is a structure");
        assert_eq!(again.to_string(), text, "printed and read again");
        let Some(replicate) = read(simulation.replicate(0)) else {
            return;
        };
        let _ = read(simulation.run_one(&replicate, &mut Limit(0)));
    }
}

/// A component file: of a router, or of a module for the place of a chip.
pub fn component(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    // Verilog would be synthesised by another program.
    if text.contains("sources") {
        return;
    }
    let netlist = fs::read(files().join("router.json")).expect("a netlist");
    file("router.json", &netlist);
    let path = file("component.toml", data);
    let _ = read(load(&path));
    let chip: &Chip = CHIPS[0];
    let _ = read(drop_in::load(&path, chip, &[], |_| {}));
}

/// A list of routers and one of links (CSV), or a network as text or GraphML.
pub fn lists(data: &[u8]) {
    let Some([first, links]) = parts(data) else {
        return;
    };
    let path = files().join("router.toml");
    let component: &'static Component = load(&path).expect("a component");
    let found = match (links.is_empty(), first.trim_start().starts_with('<')) {
        (false, _) => {
            let routers = file("routers.csv", first.as_bytes());
            lists_of::tables(&routers, &file("links.csv", links.as_bytes()))
        }
        (true, true) => lists_of::structure(&file("list.graphml", data), &[component]),
        (true, false) => {
            if let Some(structure) = read(Structure::parse(first, "structure")) {
                let text = structure.to_string();
                let again = read(Structure::parse(&text, "structure")).expect("it is one");
                assert_eq!(again.to_string(), text, "printed and read again");
            }
            lists_of::structure(&file("list.txt", data), &[component])
        }
    };
    let local = ["local".to_owned()];
    let Some(list) = read(found) else {
        return;
    };
    let _ = read(list.network("list", &[component], &local));
}
