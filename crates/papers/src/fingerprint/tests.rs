use std::fs;
use std::path::Path;

use super::*;
use crosswave_chips::CHIPS;
use crosswave_network::traffic::pattern::PATTERN_NAMES;

/// Names and bytes of all packed netlists in the repository.
fn netlists_of_folder() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hdl/netlists");
    let paths = fs::read_dir(folder).expect("a folder");
    let paths = paths.map(|entry| entry.expect("an entry").path());
    let of_chips = paths.filter(|path| path.extension().is_some_and(|end| end == "packed"));
    let mut netlists: Vec<(String, Vec<u8>)> = of_chips
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("bytes"))
        })
        .collect();
    // In the order of the program, which is in the hash too.
    let place = |name: &str| netlists::packed().position(|(known, _)| known == name);
    netlists.sort_by_key(|(name, _)| place(name));
    netlists
}

fn version_with(netlists: &[(String, Vec<u8>)], reference: &[Part]) -> String {
    let netlists = netlists.iter();
    let netlists = netlists.map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    version_of(netlists, reference)
}

#[test]
fn the_version_has_every_netlist_and_all_of_the_reference() {
    let netlists = netlists_of_folder();
    let found = parts();
    assert!(CHIPS.iter().all(|chip| {
        let names = netlists.iter().filter(|(name, _)| name == chip.name);
        names.count() == 1
    }));
    assert_eq!(version_with(&netlists, &found), version());
    for at in 0..netlists.len() {
        let mut changed = netlists.clone();
        changed[at].1.push(0);
        let name = &netlists[at].0;
        assert_ne!(version_with(&changed, &found), version(), "{name}");
    }
    for at in 0..found.len() {
        let mut changed = found.clone();
        changed[at].1[0] ^= 1;
        let name = &found[at].0;
        assert_ne!(version_with(&netlists, &changed), version(), "{name}");
    }
}

/// Bytes after the name of a part must not pass for a piece of the name.
#[test]
fn parts_do_not_run_into_each_other() {
    let digest = |parts: &[(&'static str, &'static [u8])]| digest(parts.iter().copied());
    assert_ne!(
        digest(&[("a", b"bc"), ("d", b"")]),
        digest(&[("ab", b"c"), ("d", b"")])
    );
    assert_ne!(digest(&[("a", b"b")]), digest(&[("a", b"b"), ("", b"")]));
}

#[test]
fn the_reference_is_the_same_again_and_says_what_became_of_messages() {
    let found = parts();
    assert!(found == parts());
    for (name, bytes) in &found {
        assert!(!bytes.is_empty(), "{name}");
    }
    let event = &found[..runs().count()];
    for (name, bytes) in event {
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(text.matches("Finished").count(), 2, "{name}");
    }
    for (name, bytes) in &found {
        let Some(text) = name.strip_prefix("gate engine: ") else {
            continue;
        };
        let same = event.iter().find(|(of, _)| of.ends_with(text));
        assert_eq!(same.map(|(_, bytes)| bytes), Some(bytes), "{name}");
    }
}

/// Every chip that a run on the gate engine has is compiled for the sample of its kind.
#[test]
fn gates_of_every_chip_are_sampled() {
    for text in runs() {
        let of_run = config(text);
        if of_run.run.engine == EngineKind::Event {
            continue;
        }
        let gates = through_gates(of_run.network.kind());
        let sampled: Vec<String> = gates
            .iter()
            .filter_map(|(name, _)| name.strip_prefix("gate engine: "))
            .flat_map(|text| chips(&config(text)))
            .collect();
        let own = chips(&of_run);
        assert!(own.iter().all(|chip| sampled.contains(chip)), "{text}");
    }
}

/// Versions of runs on models do not depend on gates, those of runs on gates on the gates of
/// their kind alone; and what goes through models is in all of them.
#[test]
fn versions_of_runs_have_what_can_concern_them() {
    let version = |text: &str, engine| {
        let mut config = config(text);
        config.run.engine = engine;
        of_runs(&config)
    };
    let of_kind = |name: &str| {
        let kind = KINDS.iter().find(|kind| kind.name == name);
        kind.expect("there is one").samples
    };
    let (trees, stack) = (of_kind("fat-tree"), of_kind("fat-pyramid")[0]);
    let tree = trees[0];
    let models = version(tree, EngineKind::Event);
    assert_eq!(models, version(stack, EngineKind::Event));
    let gates = version(tree, EngineKind::Gate);
    assert_eq!(gates, version(trees[1], EngineKind::Gate));
    let of_stack = version(stack, EngineKind::Gate);
    assert!(gates != models && of_stack != models && gates != of_stack);
    let netlists = netlists_of_folder();
    assert_eq!(version_with(&netlists, through_models()), models);
    for at in 0..through_models().len() {
        let mut changed = through_models().to_vec();
        changed[at].1[0] ^= 1;
        let name = &changed[at].0;
        assert_ne!(version_with(&netlists, &changed), models, "{name}");
    }
}

/// A pattern, a strategy or a kind of network that is added has to be sampled as well.
#[test]
fn the_reference_has_everything_that_runs_can_have() {
    let has = |word: &str| runs().any(|text| text.contains(word));
    for name in PATTERN_NAMES {
        assert!(has(&format!("pattern='{name}'")), "{name}");
    }
    for name in ["rounds", "backoff", "random"] {
        assert!(has(&format!("strategy='{name}'")), "{name}");
    }
    for kind in KINDS.iter().filter(|kind| !kind.samples.is_empty()) {
        let name = kind.name;
        assert!(has(&format!("kind='{name}'")), "{name}");
    }
}
