use super::*;

/// Each kind of mistake, one of which many begin with.
const MISTAKES: [&str; 36] = [
    "kind = fat-tree",
    "kind = True",
    "nodes =",
    "nodes",
    "nodes 64",
    "nodes == 64",
    "= 64",
    "[network",
    "[[network]",
    "network]",
    "[network]\nnodes = 64\nnodes = 16",
    "[network]\nnodes = 64\n[run]\n[network]\nkind = 'bidelta'",
    "network.nodes = 64\nnetwork.nodes.x = 1",
    "kind = \"fat-tree",
    "kind = 'fat-tree",
    "kind = fat-tree\"",
    "kind = \"fat\\tree\\q\"",
    "kind = \"\\u12\"",
    "kind = \"a\u{1}b\"",
    "pairs = [[0, 1]",
    "pairs = [0 1]",
    "pairs = [0,, 1]",
    "pairs = 0, 1]",
    "pairs = [0, 1\nnodes = 64",
    "network = { nodes = 64",
    "network = { nodes 64 }",
    "network = { nodes = 64, , kind = 'x' }",
    "network = { nodes = 64 kind = 'x' }",
    "nodes = 64 kind = 'fat-tree'",
    "nodes = 1 2",
    "nodes = 064",
    "nodes = ++64",
    "nodes = 6__4",
    "nodes = 0X40",
    "nodes = 64k",
    "no des = 64",
];

#[test]
fn every_mistake_has_its_help() {
    let said: Vec<String> = MISTAKES.iter().map(|text| refused(text, &[])).collect();
    for (text, said) in MISTAKES.iter().zip(&said) {
        assert!(said.contains("help: "), "{text}: {said}");
    }
    assert_snapshot!("syntax", said.join("\n---\n"));
}

#[test]
fn no_more_mistakes_than_a_reader_can_use() {
    let pairs = "[1], ".repeat(80);
    let text = traffic_refused(&format!("pattern = 'pairs'\npairs = [{pairs}]"));
    assert_eq!(text.matches("error:").count(), MISTAKES_MAX);
    assert_eq!(text.matches("more mistakes follow").count(), 1);
}

#[test]
fn deep_nesting_is_refused() {
    for open in ["[", "{a="] {
        let text = format!("{BASE}pairs = {}", open.repeat(100_000));
        assert!(parse(&text, &[]).is_err());
        let value = format!("traffic.pairs={}", open.repeat(100_000));
        assert!(parse(BASE, &[&value]).is_err());
    }
}

proptest! {
    #![proptest_config(crosswave_testing::config(256))]

    #[test]
    fn damaged_configurations_never_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..8),
        which in 0..3usize,
        overridden in "[a-z]{0,3}.{0,12}",
    ) {
        let texts = [
            format!("{BASE}pattern = \"pairs\"\npairs = [[1, 2], [3, 4]]\n[retry]\nstrategy = \"backoff\"\nbackoff_limit = 3\n"),
            format!("{BASE}trace = \"t.csv\"\nclock_mhz = 1e2\nlimit = 5\n[wave]\nscopes = [\"*\"]\nwindow_cycles = [1, 2]\n"),
            format!("{BASE}pattern = \"hot-spot\"\nmessages = 7\ndestination = 3\n[run]\nseed = 0x7f\nthreads = 2\n"),
        ];
        let mut bytes = texts[which].clone().into_bytes();
        for (at, byte, kind) in damage {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Err(error) = parse(&text, &[]) {
            prop_assert!(!error.to_string().is_empty());
        }
        let value = format!("traffic.pairs={overridden}");
        if let Err(error) = parse(&texts[0], &[&value, &overridden]) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
