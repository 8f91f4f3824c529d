//! `network.capacities`.

use super::*;

const TEXT: &str = "\
[network]
kind = \"fat-tree\"
nodes = 64
[traffic]
pattern = \"random\"
";

fn capacities(value: &str) -> Option<Vec<u32>> {
    let setting = format!("network.capacities={value}");
    given(&parse(TEXT, &[&setting]).unwrap())
}

fn given(config: &Config) -> Option<Vec<u32>> {
    match &config.network {
        NetworkConfig::FatTree(tree) => tree.capacities.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn by_name_by_the_largest_and_each() {
    for full in ["doubling", "32", "64", "524288", "[1,2,4,8,16,32]"] {
        assert_eq!(capacities(full), None, "{full}");
        let setting = format!("network.capacities={full}");
        assert_eq!(json(TEXT, &[&setting]), json(TEXT, &[]), "{full}");
    }
    let lean = |value| capacities(value).unwrap();
    assert_eq!(lean("every-second-level"), [1, 2, 2, 4, 4, 8]);
    assert_eq!(lean("1"), [1; 6]);
    assert_eq!(lean("4"), [1, 2, 4, 4, 4, 4]);
    assert_eq!(lean("[1, 1, 2, 4, 4, 8]"), [1, 1, 2, 4, 4, 8]);
    let json = json(TEXT, &["network.capacities=2"]);
    let expected = r#"{"network":{"kind":"fat-tree","nodes":64,"capacities":[1,2,2,2,2,2],"link_delay_cycles":[0,0,0,0,0,0]}"#;
    assert!(json.starts_with(expected), "{json}");
}

/// A resolved configuration, read again, gives itself.
#[test]
fn the_resolved_list_is_legal() {
    for levels in 2..=20 {
        let text = TEXT.replace("64", &(1u32 << levels).to_string());
        for value in ["every-second-level", "1", "8"] {
            let setting = format!("network.capacities={value}");
            let first = parse(&text, &[&setting]).unwrap();
            if let Some(capacities) = given(&first) {
                let again = format!("network.capacities={capacities:?}");
                assert_eq!(parse(&text, &[&again]).unwrap(), first);
            }
        }
    }
}

fn message(value: &str) -> String {
    let setting = format!("network.capacities={value}");
    let error = parse(TEXT, &[&setting]).unwrap_err();
    let lines = error
        .diagnostics
        .iter()
        .map(|d| format!("{} ({})", d.message, d.help));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn mistakes() {
    let expected =
        "expected \"doubling\", \"every-second-level\", a power of two from 1 to 524288, or a list";
    let help =
        "give a name, the largest number of links of a channel, or a list with one entry per level";
    for value in ["3", "0", "-1", "1048576", "2.0", "true", "\"full\""] {
        let found = value.replace('"', "\\\"");
        let said = message(value);
        assert!(
            said.ends_with(&format!("; {expected} ({help})")),
            "{found}: {said}"
        );
        assert!(said.contains("found "), "{said}");
    }
    let near = message("dubling");
    assert_eq!(
        near,
        format!("found \"dubling\"; {expected} (did you mean \"doubling\"?)")
    );

    let before = "each entry is the one before it or twice that";
    for (value, said) in [
        (
            "[2, 2, 2, 2, 2, 2]",
            "found 2; expected 1 (a node has one link)".to_owned(),
        ),
        (
            "[1, 4, 4, 4, 4, 4]",
            format!("found 4; expected 1 or 2 ({before})"),
        ),
        (
            "[1, 2, 1, 2, 2, 2]",
            format!("found 1; expected 2 or 4 ({before})"),
        ),
        (
            "[1, 2, \"x\", 2, 2, 2]",
            format!("found \"x\"; expected 2 or 4 ({before})"),
        ),
        (
            "[1, 2]",
            "found a list of 2; expected 6 entries, one for each level (entry 0 is for the links \
             of the nodes and is 1, entry l for those between levels l-1 and l)"
                .to_owned(),
        ),
        (
            "[]",
            "found a list of 0; expected 6 entries, one for each level (entry 0 is for the links \
             of the nodes and is 1, entry l for those between levels l-1 and l)"
                .to_owned(),
        ),
    ] {
        assert_eq!(message(value), said);
    }
}

/// The place of a mistake is the entry, and only fat trees take the key.
#[test]
fn places() {
    let text = TEXT.replace("[traffic]", "capacities = [1, 2, 8, 8, 8, 8]\n[traffic]");
    let said = refused(&text, &[]);
    assert!(
        said.starts_with("error: network.capacities[2]: found 8; expected 2 or 4\n"),
        "{said}"
    );
    assert!(said.contains("run.toml:4:21"), "{said}");
    let text = text.replace("fat-tree", "bidelta");
    let said = refused(&text, &[]);
    let expected =
        "error: network.capacities: a network of kind \"bidelta\" does not take this key\n";
    assert!(said.starts_with(expected), "{said}");
    assert_eq!(said.matches("error").count(), 1, "{said}");
}
