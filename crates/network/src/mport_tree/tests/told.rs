//! Reports on attempts, on lost packets and on a tree.

use super::*;

/// FT(4, 3): up to the turn attempts are rejected upward, behind it downward, and by the receiver when
/// no router was left.
#[test]
fn attempts_are_counted_where_they_were_rejected() {
    let network = network(4, 3, NamedRouting::DModK, CIRCUITS);
    let names = network.rejections().rows;
    let names: Vec<&str> = names.iter().map(|row| row.name).collect();
    let timing = network.timing();
    let rounds = timing.rounds().expect("circuits have rounds");
    for (destination, expected) in [
        (1, &[("turning_by_level", 0)][..]),
        (
            2,
            &[
                ("upward_by_level", 0),
                ("turning_by_level", 1),
                ("downward_by_level", 0),
            ],
        ),
        (
            15,
            &[
                ("upward_by_level", 0),
                ("upward_by_level", 1),
                ("turning_by_level", 2),
                ("downward_by_level", 1),
                ("downward_by_level", 0),
            ],
        ),
    ] {
        let turn = network.tree.meeting_height(0, destination);
        let at = |clocks| {
            let at = timing.rejected(0, destination, clocks, 0);
            (names[at.row], at.place)
        };
        let (mut found, mut clocks) = (Vec::new(), 0);
        // Before the receiver's answer, which comes last.
        while let Some(next) = rounds.next_rejection(turn, clocks) {
            found.push(at(next));
            clocks = next;
        }
        assert_eq!(found, expected, "to {destination}");
        assert_eq!(at(clocks + 1), ("refused_by_receiver", 0));
        // A switch takes two clocks, and the receiver one.
        let arrival = timing.arrival(0, destination, 5).expect("it is known");
        let switches = 2 * u64::from(turn) + 1;
        assert_eq!(arrival.delivered, 2 * switches + 5 + 1);
    }
}

/// FT(6, 2): ports 3 to 5 of a leaf switch lead up, and none of the root.
#[test]
fn packets_are_counted_where_they_were_lost() {
    let network = network(6, 2, NamedRouting::DModK, PACKETS);
    let rules = network.packets().expect("packets");
    let rows = network.rejections().rows;
    let lost = |level: usize, outputs| -> Vec<(&str, usize)> {
        let router = network.instance(level as u32, 1) as u32;
        let lost = rules.lost_at(router, outputs).into_iter();
        lost.map(|at| (rows[at.row].name, at.place)).collect()
    };
    let (up, down) = ("up_by_level", "down_by_level");
    assert_eq!(
        lost(0, 0b11_1111),
        [down, down, down, up, up, up].map(|row| (row, 0))
    );
    assert_eq!(lost(0, 0b10_0100), [(down, 0), (up, 0)]);
    assert_eq!(lost(1, 0b11_1111), [(down, 1); 6]);
    let names = |level| -> Vec<&str> {
        let queues = rules.longest_queues(level);
        queues.iter().map(|queue| queue.name).collect()
    };
    assert_eq!(names(0), [down, down, down, up, up, up]);
    assert_eq!(names(1), [down; 6]);
}

#[test]
fn a_summary_counts_links_and_failures() {
    for (switching, diameter) in [(CIRCUITS, None), (PACKETS, Some(4))] {
        let network = network(6, 2, NamedRouting::DModK, switching);
        let tree = network.tree;
        // All six links of a leaf switch, and one of another.
        let failures = ["switch(0, 1)", "switch(2, 1) port 3"];
        let failures = failures.map(|name| TreeFailure::parse(tree, name).unwrap());
        let summary = network
            .with_failures(Failures::new(tree, failures))
            .summary();
        let field = |name: &str| {
            let field = summary.fields.iter().find(|(of, _)| *of == name);
            field.and_then(|(_, value)| value.as_u64())
        };
        assert_eq!(field("links"), Some(36 - 7));
        assert_eq!(field("failed_links"), Some(7));
        assert_eq!(field("diameter_routers"), Some(3));
        assert_eq!(field("diameter_links"), diameter);
        let head = diameter.is_none().then_some(6);
        assert_eq!(field("diameter_head_cycles"), head);
    }
}
