//! From keys and values to a [`Config`]: table by table, and what must hold between tables.
//!
//! A key that is wrong or missing gets a stand-in so that the other keys can be
//! checked too; whatever follows from a stand-in is not reported.

use std::path::Path;

use super::{ChipsConfig, Config, EngineKind, Faults, RetryConfig, RunConfig, WaveConfig};
use super::{keys, traffic};
use crate::gpu;
use crosswave_document::{Document, Key, Wrong};
use crosswave_network::NetworkConfig;
use crosswave_network::description::NetworkKind;
use crosswave_network::faults::Faulty;
use crosswave_network::registry::KIND;
use crosswave_network::registry::KINDS;
use crosswave_network::topology::PacketRules;
use crosswave_network::traffic::TrafficConfig;

/// The configuration in `document`; of use only when that has no mistakes
/// afterwards.
pub(super) fn resolve(document: &mut Document<'_>, folder: &Path) -> Config {
    let (kind, network, nodes) = NetworkConfig::read(document);
    if !document.failed(KIND) {
        refuse(document, kind);
    }
    let traffic = traffic::resolve(document, &network, nodes, folder);
    let run = RunConfig::read(document);
    let config = Config {
        chips: ChipsConfig::read(document, &network, &run, folder),
        network,
        traffic,
        faults: Faults::read(document),
        retry: RetryConfig::read(document, kind),
        run,
        wave: WaveConfig::read(document),
        folder: folder.to_owned(),
    };
    if let (TrafficConfig::Steady(steady), Some(most)) = (&config.traffic, config.run.cycles_max) {
        offered_in_time(document, steady.cycles, most);
    }
    if document.mistakes.is_empty() && !config.faults.is_empty() {
        faults_in_place(document, &config);
    }
    if document.mistakes.is_empty() {
        packets_alone(document, &config);
    }
    config
}

/// Refuses what networks of packets cannot do.
fn packets_alone(document: &mut Document<'_>, config: &Config) {
    const QUEUE: Key = ("router", "queue_packets");
    const ENGINE: Key = ("run", "engine");
    if !config.network.kind().packets {
        return;
    }
    let network = config.intact_topology();
    let mut chips = network.chips().into_iter();
    let words = match &config.traffic {
        TrafficConfig::Pattern(pattern) => Some(pattern.words),
        TrafficConfig::Steady(steady) => Some(steady.words.longest()),
        // The messages of a trace are known when it is read.
        TrafficConfig::Trace(_) => None,
    };
    let most = network.packets().map_or(u64::MAX, PacketRules::words_max);
    if let Some(words) = words.filter(|&words| u64::from(words) > most) {
        let message =
            format!("found {words}; the field length of heads holds packets of up to {most}");
        let wrong = Wrong::new(message, "send shorter messages, or make the field wider");
        let key = match document.has(traffic::LENGTHS) {
            true => traffic::LENGTHS,
            false => traffic::WORDS,
        };
        document.wrong(key, Some(KIND), wrong);
    }
    if config.run.engine == EngineKind::Event && !network.own_netlists().is_empty() {
        let message =
            "the event engine runs models in Rust, and the routers of this network are netlists";
        let wrong = Wrong::new(message, "set run.engine = \"gate\"");
        document.wrong(ENGINE, Some(KIND), wrong);
    }
    if config.run.engine == EngineKind::Gpu && !gpu::BUILT {
        let [message, help] = gpu::WITHOUT;
        document.wrong(ENGINE, None, Wrong::new(message, help));
    }
    if config.run.engine.takes_netlists() && !chips.all(|(chip, _)| chip.has_netlist()) {
        let models = config.network.kind().without_netlists();
        let key = if document.has(QUEUE) { QUEUE } else { ENGINE };
        document.wrong(key, Some(ENGINE), Wrong::new(models.why, models.help));
    }
}

/// Refuses faults of what the network does not have.
fn faults_in_place(document: &mut Document<'_>, config: &Config) {
    let misplaced = Faulty::new(config.intact_topology(), &config.faults).err();
    for (key, wrong) in misplaced.into_iter().flatten() {
        document.wrong(key, None, wrong);
    }
}

/// Refuses keys that other kinds of networks take.
fn refuse(document: &mut Document<'_>, kind: &NetworkKind) {
    let takes = |kind: &NetworkKind, key| kind.rows().any(|row| row.key == key);
    for entry in keys::table() {
        let takers = KINDS.iter().filter(|other| takes(other, entry.key));
        let takers: Vec<String> = takers.map(|kind| format!("{:?}", kind.name)).collect();
        if !takers.is_empty() && !takes(kind, entry.key) && document.has(entry.key) {
            let message = format!("a network of kind {:?} does not take this key", kind.name);
            let help = format!("remove it, or set network.kind = {}", takers.join(" or "));
            document.wrong(entry.key, None, Wrong::new(message, help));
        }
    }
}

/// Refuses to give up a run while messages are still offered.
fn offered_in_time(document: &mut Document<'_>, cycles: u64, cycles_max: u64) {
    const MOST: Key = ("run", "cycles_max");
    if document.failed(traffic::CYCLES) || cycles <= cycles_max {
        return;
    }
    let message = format!("found {cycles_max}, but messages are offered in {cycles} cycles");
    let help = format!("leave it out, or such as cycles_max = {}", 10 * cycles);
    document.wrong(MOST, Some(traffic::CYCLES), Wrong::new(message, help));
}
