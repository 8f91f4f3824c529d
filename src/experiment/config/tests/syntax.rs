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
