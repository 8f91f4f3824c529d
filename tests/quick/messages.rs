//! `crosswave schedule messages`: operations as traces that networks replay.

use std::path::Path;

use crosswave_collectives::messages::ALGORITHMS;
use crosswave_network::traffic::{self, Replay, TraceConfig, TrafficConfig};
use crosswave_papers::dimakopoulos1994::circuits::workload;

use crate::program::{failure, read, success, workplace, write};

/// The numbers of a CSV file by its rows; what is empty is left out of a list of several.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

fn number(cell: &str) -> u64 {
    cell.parse().expect("a number")
}

/// Makes an operation, as its words say.
fn make(folder: &Path, words: &str) {
    let words: Vec<&str> = words.split(' ').collect();
    success(folder, &[&["schedule", "messages"], &words[..]].concat());
}

/// On every kind of network everything is delivered, and nothing is offered before what it waits
/// for has been, or sent before its source's last message was acknowledged.
#[test]
fn messages_wait_for_the_deliveries_that_they_name() {
    let place = workplace();
    let folder = place.path();
    for operation in [
        "broadcast --root 5",
        "scatter --by binomial --root 63",
        "gather --by binomial",
        "gather",
        "multinode-broadcast",
        "total-exchange --by shifted-stepwise",
        "barrier --bytes 0",
        "allreduce --bytes 3",
    ] {
        make(folder, &format!("{operation} --nodes 64 --out graph.csv"));
        let graph = rows(&read(folder, "graph.csv"));
        for (kind, replay) in [
            ("fat-tree", "in-order"),
            ("fat-tree", "timed"),
            ("bidelta", "in-order"),
            ("transit", "in-order"),
        ] {
            let text = format!(
                "[network]\nkind = '{kind}'\nnodes = 64\n\
                 [traffic]\ntrace = 'graph.csv'\nreplay = '{replay}'\n"
            );
            write(folder, "run.toml", &text);
            success(folder, &["run", "run.toml", "--messages", "messages.csv"]);
            let messages = rows(&read(folder, "messages.csv"));
            assert_eq!(messages.len(), graph.len(), "{operation}, {kind}");
            let mut acknowledged = [0; 64];
            for (message, line) in messages.iter().zip(&graph) {
                assert_eq!(message[1..3], line[1..3]);
                let [offered, sent] = [3, 4].map(|at| number(&message[at]));
                assert!(number(&message[6]) > sent, "{operation}, {kind}: delivered");
                for before in line[4].split_whitespace() {
                    let before = &messages[number(before) as usize];
                    assert_eq!(before[2], message[1], "it was sent to the source");
                    assert!(number(&before[6]) < offered, "{operation}, {kind}");
                }
                let last = &mut acknowledged[number(&message[1]) as usize];
                assert!(*last < sent, "{operation}, {kind}");
                *last = number(&message[7]);
            }
        }
    }
}

/// The messages that a study of a paper runs are those that are written as a trace.
#[test]
fn a_trace_is_read_as_what_the_studies_run() {
    let place = workplace();
    let folder = place.path();
    for algorithm in ALGORITHMS {
        let way = algorithm.way().map(|way| format!(" --by {way}"));
        let way = way.unwrap_or_default();
        let operation = algorithm.operation();
        make(
            folder,
            &format!("{operation}{way} --nodes 16 --out graph.csv"),
        );
        let mut trace = TraceConfig::new(folder.join("graph.csv"));
        trace.replay = Replay::InOrder;
        let found = traffic::build(&TrafficConfig::Trace(trace), 16, 1).expect("a trace");
        let graph = algorithm.graph(16, 0).expect("a power of two");
        assert_eq!(found, workload(&graph, 16), "{algorithm:?}");
    }
}

/// The trace of the example is what the command in its first line writes.
#[test]
fn the_trace_of_the_example_is_made_again() {
    let place = workplace();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let text = read(&examples, "barrier64.csv");
    let command = text.lines().next().expect("a comment");
    let words = command.strip_prefix("# crosswave ").expect("a command");
    let words: Vec<&str> = words.split(' ').chain(["--out", "-"]).collect();
    assert_eq!(success(place.path(), &words), text);
}

#[test]
fn operations_that_are_not_made_are_usage_errors() {
    let place = workplace();
    let folder = place.path();
    let cases = [
        "broadcast --nodes 6",
        "barrier --nodes 1",
        "barrier --nodes 1048576",
        "scatter --nodes 8 --root 8",
        "total-exchange --nodes 8192",
        "total-exchange --nodes 8 --by serial",
        "reduce --nodes 8",
        "barrier --nodes 8 --bytes -1",
        "barrier --nodes 8 --out barrier.json",
    ];
    let said = cases.map(|words| {
        let words: Vec<&str> = words.split(' ').collect();
        failure(folder, &[&["schedule", "messages"], &words[..]].concat(), 2)
    });
    insta::assert_snapshot!("operations_that_are_not_made", said.concat());
    let barrier = [
        "schedule", "messages", "barrier", "--nodes", "12", "--json", "-",
    ];
    insta::assert_snapshot!("messages_of_a_barrier", success(folder, &barrier));
}
