use super::*;
use crate::text;

const DESIGN: &str = "module inverter\n input a\n output y\n gate g NOT a -> y\nend\n\
    module wire\n input a\n output y = a\nend\n\
    module pair\n input a\n output y\n \
    instance first inverter in a = a out y = m\n \
    instance through wire in a = m out y = n\n \
    instance second inverter in a = n out y = y\nend\n";

#[test]
fn instances_are_replaced_and_kept_ones_stay() {
    let design = text::parse(DESIGN, "test").unwrap();
    let hierarchy = DesignHierarchy::new(&design, 2);
    assert_eq!(hierarchy.occurrences, [2, 1, 1]);
    assert_eq!(hierarchy.cells, [1, 0, 2]);
    let flat = flatten(&hierarchy, 2, &BTreeSet::new()).unwrap();
    let names: Vec<&str> = flat.cells.iter().map(|cell| cell.name.as_str()).collect();
    assert_eq!(names, ["first.g", "second.g"]);
    let gates: Vec<_> = flat.gates().map(|(_, gate)| gate).collect();
    assert_eq!(gates[1].inputs[0], Bit::Net(gates[0].output));
    assert_eq!(flat.ports[1].bits[0], Bit::Net(gates[1].output));
    let kept = flatten(&hierarchy, 2, &BTreeSet::from([0])).unwrap();
    assert_eq!(kept.instances().count(), 2);
}

#[test]
fn a_map_has_the_instances_and_their_nets() {
    let text = format!(
        "{DESIGN}module outer\n input a\n output y\n instance left pair in a = a out y = b\n \
         instance right inverter in a = b out y = y\nend\n"
    );
    let design = text::parse(&text, "test").unwrap();
    let hierarchy = DesignHierarchy::new(&design, 3);
    let (flat, map) = flatten_mapped(&hierarchy, 3, &BTreeSet::from([0])).unwrap();
    let places = map.instances.iter();
    let places = places.map(|one| (one.parent, one.ordinal, one.first_net.is_some()));
    let expected = [
        (0, 0, true),  // the root
        (0, 0, true),  // left
        (0, 1, false), // right
        (1, 0, false), // left.first
        (1, 1, true),  // left.through
        (1, 2, false), // left.second
    ];
    assert_eq!(places.collect::<Vec<_>>(), expected);
    let names: Vec<&str> = flat.cells.iter().map(|cell| cell.name.as_str()).collect();
    assert_eq!(names, ["right", "left.first", "left.second"]);
    let wire = &design.modules[1];
    let CellKind::Instance(first) = &flat.cells[1].kind else {
        panic!("an instance");
    };
    let driver = first.connections[1].bits[0];
    assert_eq!(map.bit(4, wire.ports[1].bits[0]), driver);
    assert_eq!(map.bit(0, Bit::One), Bit::One);
}

#[test]
fn a_circle_of_ports_is_reported() {
    let design = text::parse(
        "module wire\n input a\n output y = a\nend\n\
         module top\n output z = n\n instance u wire in a = n out y = n\nend\n",
        "test",
    )
    .unwrap();
    let error = flatten(&DesignHierarchy::new(&design, 1), 1, &BTreeSet::new()).unwrap_err();
    assert!(error.diagnostics[0].message.contains("drives itself"));
}

#[test]
fn sizes_are_known_before_anything_is_copied() {
    let mut text = String::from("module m0\n input a\n output y\n gate g NOT a -> y\nend\n");
    for level in 1..70 {
        text.push_str(&format!(
            "module m{level}\n input a\n output y\n instance l m{0} in a = a out y = n\n \
             instance r m{0} in a = n out y = y\nend\n",
            level - 1
        ));
    }
    let design = text::parse(&text, "test").unwrap();
    let hierarchy = DesignHierarchy::new(&design, 69);
    assert_eq!(hierarchy.occurrences[0], u64::MAX);
    assert!(flatten(&hierarchy, 69, &BTreeSet::new()).is_err());
}
