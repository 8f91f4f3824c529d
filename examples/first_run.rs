//! A fat tree of 64 nodes: the latency of every message, and a waveform of some routers.

use crosswave::{Config, FatTree, Recording, Simulation, Traffic};

fn main() -> Result<(), crosswave::Error> {
    let network = FatTree::new(64);
    let traffic = Traffic::transpose().words(8);
    let config = Config::new(network, traffic).seed(7);
    let file = std::env::temp_dir().join("first_run.fst");
    let recording = Recording::fst(file).scopes(["**.router_1_*", "**.node_3"]);
    let results = Simulation::new(&config)?.recording(recording).run()?;
    for message in results.messages() {
        println!("{message}");
    }
    for percent in [50, 99] {
        let cycles = results.latency_cycles().percentile(percent);
        println!("{percent} % in {} cycles", cycles.unwrap_or_default());
    }
    Ok(())
}
