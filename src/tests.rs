//! Typed values reach every key of a configuration, and are checked as a file is.

use std::collections::BTreeSet;

use crate::keys::Keys;
use crate::{
    Bidelta, BinaryFatTree, Butterfly, ButterflyFatTree, Choice, Close, Config, Custom, FatPyramid,
    FatStack, FatTree, Faults, Leaf, Mesh, MportPacketTree, MportTree, Network, PortKind, Queue,
    Recording, Release, Retry, Simulation, Traffic, Transit, Winner,
};
use crosswave_chips::CHIPS;
use crosswave_run::config::keys::table;

/// A network of each kind, with every method of it, each value another one than the default.
fn networks() -> Vec<Network> {
    let queue = Queue::Packets(4);
    vec![
        FatTree::new(16)
            .capacities([1, 2, 2, 4])
            .link_delay_cycles_by_level([1, 0, 0, 2])
            .winner(Winner::Fixed)
            .release(Release::Tail)
            .into(),
        FatTree::new(16)
            .capacities_at_every_second_level()
            .link_delay_cycles(3)
            .into(),
        FatTree::new(16).capacity_max(4).into(),
        Bidelta::new(16)
            .link_delay_cycles(2)
            .loop_back_cycles(2)
            .turns(2)
            .reply_words(2)
            .reply_delay_cycles(3)
            .close(Close::End)
            .into(),
        Bidelta::new(64).link_delay_cycles_by_stage([1, 2]).into(),
        Butterfly::new(16).turns(0).into(),
        Transit::new(64)
            .up_stage_of_two_crossbars()
            .random_dispersion(7)
            .clock_ps(5000)
            .permittivity_percent(200)
            .into(),
        Transit::new(768)
            .leaf(Leaf::B12)
            .no_dispersion()
            .climb_by_height()
            .into(),
        BinaryFatTree::new(8)
            .capacities([1, 1, 2])
            .queue_packets(Queue::Unlimited)
            .half_duplex()
            .into(),
        BinaryFatTree::new(8).capacities_of_one().into(),
        MportTree::new(4, 2)
            .routing("random")
            .paths(2)
            .choice(Choice::Random)
            .routing_seed(5)
            .winner(Winner::Fixed)
            .release(Release::EarlyAcknowledge)
            .into(),
        MportTree::new(4, 2)
            .failed(&["switch(0, 0)"])
            .reroute_in_turn()
            .into(),
        MportPacketTree::new(4, 2).queue_packets(queue).into(),
        ButterflyFatTree::new(2)
            .capacities_of_one()
            .link_delay_cycles(1)
            .routing_seed(3)
            .into(),
        FatStack::new(2)
            .ring(3)
            .ring_capacity_as_upward()
            .linked_processors()
            .into(),
        FatStack::new(2).general().capacities_that_double().into(),
        FatPyramid::new(2).cells_per_cycle(2).into(),
    ]
}

/// Traffic of each pattern, with every method of it.
fn traffics() -> Vec<Traffic> {
    vec![
        Traffic::random().sources(4).words(2).repeat(3).to_all(),
        Traffic::random().to_levels([1, 1, 0, 1]),
        Traffic::pair(0, 1),
        Traffic::pairs([(0, 1), (2, 3)]),
        Traffic::hot_spot(3).sources(4).random_sources(2),
        Traffic::transpose(),
        Traffic::bit_reversal(),
        Traffic::cyclic_shift(3),
        Traffic::steady(0.25, 100).warmup_cycles(10),
        Traffic::steady(0.25, 100).burst_messages(4),
        Traffic::steady(0.25, 100).lengths([(1, 3), (5, 1)]),
        Traffic::steady(0.25, 100).to_hot_spot(3, 0.5),
        Traffic::steady(0.25, 100).to_transpose(),
        Traffic::steady(0.25, 100).to_bit_reversal(),
        Traffic::steady(0.25, 100).to_bit_complement(),
        Traffic::steady(0.25, 100).to_shuffle(),
        Traffic::steady(0.25, 100).to_tornado(),
        Traffic::steady(0.25, 100).to_neighbour(),
        Traffic::trace("trace.csv")
            .in_order()
            .clock_mhz(50.0)
            .time_scale(0.5)
            .bytes_scale(2.0)
            .bytes_per_word(4)
            .limit(10),
    ]
}

#[test]
fn every_key_is_reached() {
    let mut all = Keys::default();
    networks()
        .into_iter()
        .for_each(|network| all.extend(network.keys));
    all.extend(Network::from(MportTree::new(4, 2).tables("t.csv")).keys);
    let mesh = Mesh::new("c.toml", &[2, 2], &[["w", "e"], ["n", "s"]]);
    all.extend(Network::from(mesh.local("l").link_cycles(2).stall(0.5).deadlock_cycles(9)).keys);
    all.extend(Network::from(Custom::new(["c.toml"], "r.csv", "l.csv").local(&["l"])).keys);
    let listed = Custom::structure(["c.toml"], "n.txt")
        .retry_cycles(3)
        .monitors(true);
    all.extend(Network::from(listed).keys);
    all.extend(Traffic::steady(0.25, 100).to_matrix("m.csv").keys);
    traffics()
        .into_iter()
        .for_each(|traffic| all.extend(traffic.keys));
    let names = &["a"];
    let faults = Faults::new().routers(names).stacks(names).ports(names);
    let faults = faults.wires(names).stuck(names).seed(3).unmasked();
    let config = Config::new(FatTree::new(16), Traffic::random())
        .faults(faults.random_routers(1).random_wires(1))
        .retry(Retry::Backoff { limit: 3 })
        .event_engine()
        .seed(2)
        .replicates(2)
        .cycles_max(1000)
        .threads(1);
    let own = CHIPS.iter();
    let config = own.fold(config, |config, chip| config.chip(chip.name, ["a.v"]));
    let recording = Recording::fst("a").scopes(["*"]).kinds([PortKind::Link]);
    let recording = recording.levels([0]).routes([(0, 1)]).messages([0]);
    let recording = recording.window_cycles(0, 1).nets(["*"]).lanes();
    let recording = recording.random_pins().trigger("a").triggers(2);
    all.extend(recording.before_cycles(1).after_cycles(1).keys);
    let mut reached: BTreeSet<String> = all.overrides().into_iter().collect();
    reached.extend(config.overrides());
    let reached: BTreeSet<&str> = reached
        .iter()
        .filter_map(|text| Some(text.split_once('=')?.0))
        .collect();
    let known: BTreeSet<String> = table()
        .iter()
        .map(|entry| format!("{}.{}", entry.key.0, entry.key.1))
        .collect();
    assert_eq!(reached, known.iter().map(String::as_str).collect());
}

#[test]
fn every_network_and_pattern_is_valid() {
    for network in networks() {
        let config = Config::new(network, Traffic::pair(0, 1)).event_engine();
        config.check().unwrap_or_else(|error| panic!("{error}"));
    }
    for traffic in traffics().into_iter().rev().skip(1) {
        let config = Config::new(FatTree::new(16), traffic);
        config.check().unwrap_or_else(|error| panic!("{error}"));
        let text = config.to_toml().expect("it is checked");
        let read = Config::parse(text, "written");
        assert_eq!(read.to_toml(), config.to_toml());
    }
}

#[test]
fn every_mistake_is_said_as_of_a_file() {
    let config = Config::new(FatTree::new(0).capacities([]), Traffic::steady(f64::NAN, 0));
    let config = config.seed(u64::MAX).retry(Retry::Backoff { limit: 99 });
    let text = config.keys_text();
    let expected = Config::parse(text, "configuration").check().unwrap_err();
    let error = config.check().unwrap_err();
    assert_eq!(error, expected);
    let said = error.to_string();
    for key in [
        "network.nodes",
        "traffic.load",
        "traffic.cycles",
        "run.seed",
        "retry.backoff_limit",
    ] {
        assert!(said.contains(key), "{key} in {said}");
    }
}

#[test]
fn methods_replace_keys_of_a_text() {
    let text = "[network]\nkind = 'fat-tree'\nnodes = 16\n[traffic]\npattern = 'random'\n";
    let config = Config::parse(text, "run.toml");
    let written = config.clone().seed(5).to_toml().expect("it is right");
    assert!(written.contains("seed = 5\n"), "{written}");
    let said = config.replicates(0).check().unwrap_err().to_string();
    assert!(said.contains("run.toml: run.replicates=0: "), "{said}");
    assert!(!said.contains("--set"), "{said}");
}

/// Waveforms of a run of a small tree, in a folder of its own.
fn record(recording: impl FnOnce(&std::path::Path) -> Recording) -> Result<String, crate::Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::new(FatTree::new(4), Traffic::pair(0, 3)).event_engine();
    let simulation = Simulation::new(&config)?.recording(recording(folder.path()));
    let results = simulation.run()?;
    assert_eq!(results.messages().len(), 1);
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into())
        .collect();
    names.sort();
    Ok(names.join(" "))
}

#[test]
fn recordings_write_their_files() {
    let around = |folder: &std::path::Path| {
        Recording::vcd(folder.join("m.vcd"))
            .trigger("launched(message=0)")
            .before_cycles(3)
            .after_cycles(2)
            .triggers(2)
    };
    assert_eq!(record(around), Ok("m.0.vcd".to_owned()));
    let narrowed = |folder: &std::path::Path| {
        let recording = Recording::fst(folder.join("m.fst")).viewer_files();
        let recording = recording.kinds([PortKind::State]).levels([0]).lanes();
        recording.routes([(0, 3)]).messages([0]).window_cycles(1, 9)
    };
    assert_eq!(record(narrowed), Ok("m.fst m.gtkw m.sucl".to_owned()));
}

#[test]
fn recordings_that_cannot_be_are_refused() {
    let said = |recording: fn(&std::path::Path) -> Recording| {
        let error = record(recording).expect_err("it is refused");
        error.to_string()
    };
    let nothing = said(|folder| Recording::fst(folder.join("m.fst")).scopes(["nothing"]));
    assert!(nothing.contains("wave.scopes"), "{nothing}");
    let message = said(|folder| Recording::fst(folder.join("m.fst")).messages([7]));
    assert!(message.contains("there are 1 messages"), "{message}");
    let late = said(|folder| Recording::vcd(folder.join("m.vcd")).window_cycles(900, 901));
    assert!(late.contains("wave.window_cycles"), "{late}");
    let stream = said(|_| Recording::fst("-"));
    assert!(stream.contains("the beginning of FST is written last"));
    assert!(Recording::of_name("m.txt").is_err());
}

#[test]
fn a_waveform_does_not_replace_the_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("trace.csv");
    let text = "t_ns,source,destination,bytes\n0,0,3,1\n";
    std::fs::write(&trace, text).expect("a file");
    let config = Config::new(FatTree::new(4), Traffic::trace(&trace)).event_engine();
    let simulation = Simulation::new(&config).expect("a network");
    let said = simulation.recording(Recording::vcd(&trace)).run();
    let said = said.expect_err("it is refused").to_string();
    assert!(said.contains("is the trace of the run"), "{said}");
    assert_eq!(std::fs::read_to_string(&trace).expect("a file"), text);
}
