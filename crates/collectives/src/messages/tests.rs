//! Checks the blocks that every processor knows once all messages are delivered.

use std::collections::BTreeSet;

use super::*;

/// Whose blocks each message carries, and each processor has at last. A processor is sure of its
/// own block, and of what the messages carried that it has waited for.
fn carried(graph: &MessageGraph, processors: u32) -> (Vec<BTreeSet<u32>>, Vec<BTreeSet<u32>>) {
    let mut sure: Vec<BTreeSet<u32>> = (0..processors).map(|p| BTreeSet::from([p])).collect();
    let mut carried: Vec<BTreeSet<u32>> = Vec::new();
    for (id, message) in graph.messages().iter().enumerate() {
        assert_ne!(message.source, message.destination);
        for &before in graph.after(id) {
            let before = before as usize;
            assert_eq!(graph.messages()[before].destination, message.source);
            sure[message.source as usize].extend(&carried[before]);
        }
        carried.push(sure[message.source as usize].clone());
    }
    for (message, blocks) in graph.messages().iter().zip(&carried) {
        sure[message.destination as usize].extend(blocks);
    }
    (carried, sure)
}

#[test]
fn everybody_hears_of_whom_it_should() {
    for n in [2, 4, 16, 64] {
        let all: BTreeSet<u32> = (0..n).collect();
        for root in [0, n - 1] {
            for algorithm in ALGORITHMS {
                let graph = algorithm.graph(n, root).expect("a power of two");
                assert_eq!(graph.messages().len() as u64, algorithm.count(n));
                let (carried, known) = carried(&graph, n);
                for (p, known) in (0..n).zip(known) {
                    match algorithm.operation() {
                        "broadcast" | "scatter" => assert!(known.contains(&root), "{algorithm:?}"),
                        "gather" => assert!(p != root || known == all, "{algorithm:?}"),
                        _ => assert_eq!(known, all, "{algorithm:?}"),
                    }
                }
                for (message, carried) in graph.messages().iter().zip(carried) {
                    match algorithm {
                        Algorithm::GatherBinomial | Algorithm::MultinodeDoubling => {
                            assert_eq!(carried.len(), message.blocks as usize, "{algorithm:?}");
                        }
                        _ if algorithm.has_root() && algorithm.operation() != "gather" => {
                            assert!(carried.contains(&root), "{algorithm:?}");
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// A processor keeps one of the blocks that it is sent, and hands on the others.
#[test]
fn a_binomial_scatter_hands_on_halves() {
    let graph = Algorithm::ScatterBinomial
        .graph(16, 5)
        .expect("a power of two");
    let mut has = [0; 16];
    has[5] = 16;
    for message in graph.messages() {
        assert_eq!(message.blocks * 2, has[message.source as usize]);
        has[message.source as usize] -= message.blocks;
        has[message.destination as usize] += message.blocks;
    }
    assert_eq!(has, [1; 16]);
}

#[test]
fn chains_are_as_long_as_rounds() {
    let chains = ALGORITHMS.map(|algorithm| {
        let graph = algorithm.graph(16, 5).expect("a power of two");
        graph.longest_chain()
    });
    assert_eq!(chains, [4, 15, 4, 1, 4, 4, 15, 15, 15, 15, 15, 4, 4]);
}

/// Each pair has one message in a total exchange; steps are permutations.
#[test]
fn total_exchanges_have_every_pair_once() {
    use Algorithm::{ExchangeShifted, ExchangeShiftedStepwise, ExchangeXor, ExchangeXorStepwise};
    for algorithm in [
        ExchangeXor,
        ExchangeXorStepwise,
        ExchangeShifted,
        ExchangeShiftedStepwise,
    ] {
        let graph = algorithm.graph(8, 0).expect("a power of two");
        let pairs = graph.messages().iter().map(|m| (m.source, m.destination));
        assert_eq!(pairs.collect::<BTreeSet<_>>().len(), 8 * 7);
        for (id, message) in graph.messages().iter().enumerate().skip(8) {
            let waits = algorithm.way().is_some_and(|way| way.ends_with("stepwise"));
            assert_eq!(graph.after(id).len(), usize::from(waits), "{message:?}");
        }
    }
}

#[test]
fn what_is_not_made_is_said() {
    let said = |algorithm: Algorithm, n| algorithm.graph(n, 9).expect_err("no").to_string();
    assert_eq!(
        said(Algorithm::Allreduce, 6),
        "found 6, expected a power of two"
    );
    assert_eq!(
        said(Algorithm::Barrier, 1),
        "found 1, expected 2 to 1048576"
    );
    assert_eq!(said(Algorithm::Broadcast, 8), "found 9, expected 0 to 7");
    assert_eq!(
        said(Algorithm::ExchangeXor, 8192),
        "67100672 messages; at most 16777216 are possible"
    );
    let odd = [
        Algorithm::Barrier,
        Algorithm::MultinodeRing,
        Algorithm::ExchangeShifted,
    ];
    for (algorithm, count) in odd.into_iter().zip([48, 132, 132]) {
        let graph = algorithm.graph(12, 0).expect("any number");
        assert_eq!(graph.messages().len(), count);
        assert!(carried(&graph, 12).1.iter().all(|known| known.len() == 12));
    }
}
