//! Properties of every kind of network of the registry, by the sample runs in its row: the facets
//! of its topology agree with its fabric and with each other.

use std::collections::BTreeSet;

use crosswave_network::Topology;
use crosswave_network::path::Path;
use crosswave_network::registry::KINDS;
use crosswave_network::topology::ROUTERS;
use crosswave_observe::compare::lock_step;
use crosswave_run::config::EngineKind;
use crosswave_run::memory::{self, MessageLoad};
use crosswave_run::simulation::Simulation;

use crate::support;

/// Calls with each sample: its text and its network.
fn each_sample(mut call: impl FnMut(&str, &dyn Topology)) {
    for kind in KINDS {
        let needs_files = kind.rows().any(|row| row.key == ("network", "component"));
        assert_eq!(kind.samples.is_empty(), needs_files, "samples of {kind:?}");
        for text in kind.samples {
            let config = support::config(text);
            assert_eq!(config.network.kind().name, kind.name, "{text}");
            call(text, &*config.topology());
        }
    }
}

#[test]
fn chips_are_those_of_the_fabric() {
    each_sample(|text, network| {
        let fabric = network.fabric();
        let chips = network.chips().into_iter().filter(|(_, count)| *count > 0);
        let arrays = fabric.arrays.iter().filter(|array| array.instances > 0);
        let counted: Vec<(&str, u64)> = chips.map(|(chip, count)| (chip.name, count)).collect();
        let built: Vec<(&str, u64)> = arrays
            .map(|array| (array.chip.name, array.instances as u64))
            .collect();
        assert_eq!(counted, built, "{text}");
        assert_eq!(network.nodes() as usize, fabric.nodes, "{text}");
    });
}

#[test]
fn every_router_stands_in_one_place_of_a_drawing() {
    each_sample(|text, network| {
        let drawing = network.drawing();
        let (routers, ranks) = (network.chips()[ROUTERS].1, drawing.ranks());
        let standing: BTreeSet<(usize, u32)> = (0..routers)
            .map(|router| drawing.standing(router as u32))
            .collect();
        assert_eq!(standing.len() as u64, routers, "{text}");
        let places = ranks.iter().enumerate();
        let places = places.flat_map(|(rank, of)| (0..of.routers).map(move |at| (rank, at)));
        assert!(standing.into_iter().eq(places), "{text}: no place is empty");
        for rank in ranks {
            assert!(rank.routers.is_multiple_of(rank.groups), "{text}: {rank:?}");
        }
    });
}

/// The walk asserts that it ends at the destination.
#[test]
fn routes_lead_to_their_destinations() {
    each_sample(|text, network| {
        let fabric = network.fabric();
        let last = network.nodes() - 1;
        for (source, destination) in [(0, last), (last, 0), (last / 2, last)] {
            if let Some(choice) = network.path_choice() {
                let first = choice.route_by(source, destination, 0);
                assert_eq!(first, network.route(source, destination), "{text}");
                let ways = choice.ways(source, destination);
                assert!(choice.way_of(source, destination, 5) < ways, "{text}");
            }
            for draw in [0, u64::MAX] {
                let path = Path::of(network, &fabric, source, destination, draw);
                assert!(path.routers() > 0, "{text}");
            }
        }
    });
}

/// A request for collisions gets a tracer, or two reasons.
#[test]
fn collisions_are_traced_or_not_for_a_reason() {
    each_sample(|text, network| match network.collisions() {
        Ok(traced) => {
            assert_eq!(traced.levels(), network.drawing().ranks().len(), "{text}");
            assert!(!traced.scenarios().is_empty(), "{text}");
        }
        Err(untraced) => {
            assert!(!untraced.why.is_empty() && !untraced.instead.is_empty());
        }
    });
}

/// A kind whose chips are models on one of its samples says so, and an estimate of memory counts
/// routers.
#[test]
fn memory_is_that_of_routers_at_least() {
    for kind in KINDS {
        for text in kind.samples {
            let mut config = support::config(text);
            let network = config.topology();
            let have_netlists = network.chips().iter().all(|(chip, _)| chip.has_netlist());
            assert!(have_netlists || kind.models.is_some(), "{text}");
            config.run.engine = EngineKind::Event;
            let need = memory::need(&config, &*network, MessageLoad::default());
            let need = need.unwrap_or_else(|error| panic!("{error}"));
            let routers = network.chips()[ROUTERS].1;
            let least = routers * network.footprint().model_bytes_per_router;
            assert!(least > 0 && need.network > least, "{text}");
        }
    }
}

/// Outputs of chips are not known before the reset, so that they are no difference there.
#[test]
fn lock_step_finds_no_difference_between_engines() {
    let mut compared = 0;
    each_sample(|text, _| {
        let simulations = [EngineKind::Gate, EngineKind::Event].map(|engine| {
            let mut config = support::config(text);
            config.run.engine = engine;
            config.run.cycles_max = Some(200);
            config
        });
        if simulations.iter().any(|config| config.check().is_err()) {
            // Models without gates.
            return;
        }
        let simulations = simulations.map(|config| Simulation::new(&config).expect("a network"));
        let replicates = [0, 1].map(|at: usize| simulations[at].replicate(0).expect("messages"));
        let [one, other] = &simulations;
        let found = lock_step([one, other], [&replicates[0], &replicates[1]], &|| false);
        let found = found.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found.differs_cycle, None, "{text}");
        compared += 1;
    });
    assert!(compared > 10, "{compared}");
}
