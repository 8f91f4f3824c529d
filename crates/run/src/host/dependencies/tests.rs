//! Cycles in which deliveries are known, of attempts whose cycles are given.

use super::*;
use crosswave_network::fat_tree::config::FatTreeConfig;
use crosswave_network::traffic::{DeliverySets, Message, Replay, Strategy};

/// Messages 0 to 3 of nodes 1 to 4 to node 0; each of `sets` is what a further message of node
/// 5 waits for, not before cycle 10.
fn workload(sets: &[&[u32]]) -> Workload {
    let message = |source, offered| Message {
        source,
        destination: 0,
        words: 1,
        offered,
    };
    let mut messages: Vec<Message> = (1..5).map(|node| message(node, Offer::At(1))).collect();
    let mut all = DeliverySets::default();
    for set in sets {
        let set = all.push(set);
        let not_before = 10;
        messages.push(message(5, Offer::After { set, not_before }));
    }
    Workload {
        nodes: 8,
        order: Replay::Timed,
        messages,
        sets: all,
    }
}

/// Dependencies with the attempts of messages 0 to 3 under way, which arrive in such cycles;
/// and what becomes free.
struct Bench {
    workload: Workload,
    dependencies: Dependencies,
    arrives: [u64; 4],
    free: Vec<Release>,
}

impl Bench {
    fn new(sets: &[&[u32]], arrives: [u64; 4]) -> Bench {
        let workload = workload(sets);
        let tree = FatTreeConfig::new(8).tree(Strategy::Immediate);
        let mut dependencies = Dependencies::new(&tree, &workload);
        for (id, &cycle) in (0..).zip(&arrives) {
            dependencies.launched(id, 0, cycle);
        }
        Bench {
            workload,
            dependencies,
            arrives,
            free: Vec::new(),
        }
    }

    /// Ids and cycles of what has become free since.
    fn freed(&mut self) -> Vec<(u32, u64)> {
        let free = self.free.drain(..);
        free.map(|release| (release.id, release.cycle)).collect()
    }

    fn received(&mut self, cycle: u64) -> Vec<(u32, u64)> {
        let workload = &self.workload;
        self.dependencies
            .received(0, cycle, workload, &mut self.free);
        self.freed()
    }

    fn rejected(&mut self, id: u32, cycle: u64) -> Vec<(u32, u64)> {
        let attempt = (id, 0, self.arrives[id as usize]);
        let workload = &self.workload;
        self.dependencies
            .rejected(attempt, cycle, workload, &mut self.free);
        self.freed()
    }
}

#[test]
fn one_that_is_expected_alone_is_known_at_once() {
    let mut bench = Bench::new(&[&[0], &[0, 1], &[2]], [20, 21, 5, 40]);
    // Not before its own cycle.
    assert_eq!(bench.received(5), [(6, 10)]);
    assert_eq!(bench.received(20), [(4, 21)]);
    assert_eq!(bench.received(21), [(5, 22)]);
    assert_eq!(bench.received(40), []);
}

#[test]
fn of_several_that_could_have_come_it_is_known_when_the_others_are_told() {
    let mut bench = Bench::new(&[&[0], &[1], &[2]], [20, 20, 20, 20]);
    assert_eq!(bench.received(20), []);
    assert_eq!(bench.rejected(3, 22), []);
    assert_eq!(bench.rejected(0, 23), []);
    assert_eq!(bench.rejected(2, 25), [(5, 26)]);
    // The next attempts, of which the first is told before the other comes.
    bench.arrives = [30, 0, 30, 40];
    for id in [0, 2, 3] {
        let arrives = bench.arrives[id as usize];
        bench.dependencies.launched(id, 0, arrives);
    }
    assert_eq!(bench.rejected(2, 28), []);
    assert_eq!(bench.received(30), [(4, 31)]);
}

/// RN1's interface has two receivers.
#[test]
fn two_may_come_in_a_cycle() {
    let mut bench = Bench::new(&[&[0], &[1, 0], &[2]], [20, 20, 20, 50]);
    assert_eq!(bench.received(20), []);
    assert_eq!(bench.received(20), []);
    let mut freed = bench.rejected(2, 24);
    freed.sort_unstable();
    assert_eq!(freed, [(4, 25), (5, 25)]);
}

#[test]
fn a_set_is_delivered_with_its_last_message_even_one_that_is_named_twice() {
    let mut bench = Bench::new(&[&[3, 3, 1]], [20, 21, 22, 23]);
    for cycle in [20, 21, 22] {
        assert_eq!(bench.received(cycle), []);
    }
    assert_eq!(bench.received(23), [(4, 24)]);
}

#[test]
fn nothing_is_kept_where_nothing_waits() {
    let tree = FatTreeConfig::new(8).tree(Strategy::Immediate);
    assert!(Dependencies::new(&tree, &workload(&[])).is_empty());
    assert!(!Dependencies::new(&tree, &workload(&[&[0]])).is_empty());
}
