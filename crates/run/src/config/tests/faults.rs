use super::*;

const TREE: &str = "\
[network]
kind = \"transit\"
nodes = 64
[faults]
routers = [\"up_0_0_3@100..200\"]
stuck = [\"node_3.t1=0x1ff\"]
[traffic]
pattern = \"random\"
";

/// Faults are told as they were written, and not at all where there are none.
#[test]
fn values() {
    let printed = json(TREE, &[]);
    let of_faults = printed.find("\"faults\"").map(|at| &printed[at..]);
    let of_faults = of_faults.and_then(|text| Some(&text[..text.find(",\"traffic\"")?]));
    assert_snapshot!(of_faults.unwrap(), @r#""faults":{"routers":["up_0_0_3@100..200"],"stacks":[],"ports":[],"wires":[],"stuck":["node_3.t1=0x1ff"],"random_routers":0,"random_wires":0,"fault_seed":1,"masked":true}"#);
    let none = ["faults.routers=[]", "faults.stuck=[]"];
    assert!(!json(TREE, &none).contains("faults"));
}

#[test]
fn what_is_wrong() {
    let said: Vec<String> = [
        "faults.routers=[\"up_0_0_3@200..100\"]",
        "faults.routers=[\"up_0_0_3=1\"]",
        "faults.routers=[\"up_0_0_16\"]",
        "faults.routers=3",
        "faults.stacks=[\"leaf_1\"]",
        "faults.ports=[\"up_0_0_3\", \"up_0_0_3.o9\"]",
        "faults.ports=[\"node_3.r0\"]",
        "faults.wires=[\"up_0_0_3.o6\"]",
        "faults.wires=[\"up_0_0_3.o1@5..\"]",
        "faults.stuck=[\"up_0_0_3.o1\"]",
        "faults.stuck=[\"up_0_0_3.o1=0x200\"]",
        "faults.stuck=[\"up_0_0_3.o1=1\", \"up_0_0_3.o1=2\"]",
        "faults.random_routers=53",
        "faults.masked=1",
        "faults.routers=[\"up_0_0_3@0x10..20\"]",
        "faults.routers=[\"up_0_0_3@5..5\"]",
        "faults.routers=[\"up_0_0_3@5..9999999999999\"]",
        "faults.routers=[\"\", 3]",
        "traffic.levels=[1, 1, 1]",
    ]
    .into_iter()
    .map(|set| {
        let error = parse(TREE, &[set]).unwrap_err();
        let all = error.diagnostics.iter();
        let all = all.map(|wrong| format!("{}: {} ({})", wrong.place, wrong.message, wrong.help));
        all.collect::<Vec<_>>().join("\n")
    })
    .collect();
    assert_snapshot!(said.join("\n"), @r#"
    --set faults.routers=["up_0_0_3@200..100"]: found "up_0_0_3@200..100"; expected cycles FROM..TO with TO greater than FROM (such as routers = ["NAME", "NAME@100..200"])
    --set faults.routers=["up_0_0_3=1"]: found "up_0_0_3=1"; expected a name, and cycles after `@` (such as routers = ["NAME", "NAME@100..200"])
    --set faults.routers=["up_0_0_16"]: "up_0_0_16"; expected the name of a router (such as "up_0_0_0")
    --set faults.routers=3: found 3; expected a list of strings (such as routers = ["NAME", "NAME@100..200"])
    --set faults.stacks=["leaf_1"]: "leaf_1"; expected the name of a stack (such as "unit_0_0_0")
    --set faults.ports=["up_0_0_3", "up_0_0_3.o9"]: "up_0_0_3"; expected a port of a router or a node (such as "up_0_0_0.o5" or "node_0.t1")
    --set faults.ports=["up_0_0_3", "up_0_0_3.o9"]: "up_0_0_3.o9"; expected a port of a router or a node (such as "up_0_0_0.o5" or "node_0.t1")
    --set faults.ports=["node_3.r0"]: "node_3.r0"; a node takes in whatever comes (name the port of the router at the other end, or a wire)
    --set faults.wires=["up_0_0_3.o6"]: "up_0_0_3.o6"; the port leads nowhere (name a port with a wire)
    --set faults.wires=["up_0_0_3.o1@5.."]: "up_0_0_3.o1"; the wire has no extra clock (leave the cycles out: wires within stacks, of processors and of butterflies have none; network.link_delay_cycles and loop_back_cycles give some to others)
    --set faults.stuck=["up_0_0_3.o1"]: found "up_0_0_3.o1"; expected a word after `=` (such as stuck = ["NAME.PORT=0x1ff", "NAME.PORT=0x1ff@100..200"])
    --set faults.stuck=["up_0_0_3.o1=0x200"]: found "up_0_0_3.o1=0x200"; expected a word of nine bits after `=`, such as 0x1ff (such as stuck = ["NAME.PORT=0x1ff", "NAME.PORT=0x1ff@100..200"])
    --set faults.stuck=["up_0_0_3.o1=1", "up_0_0_3.o1=2"]: "up_0_0_3.o1"; the wire is stuck at 0x001 as well (give a wire one word in each direction)
    --set faults.random_routers=53: found 53; the network has 52 (expected 0 to 52)
    --set faults.masked=1: found 1; expected true or false (write masked = false)
    --set faults.routers=["up_0_0_3@0x10..20"]: found "up_0_0_3@0x10..20"; expected cycles after `@`, FROM..TO or FROM.., each up to 10^12 (such as routers = ["NAME", "NAME@100..200"])
    --set faults.routers=["up_0_0_3@5..5"]: found "up_0_0_3@5..5"; expected cycles FROM..TO with TO greater than FROM (such as routers = ["NAME", "NAME@100..200"])
    --set faults.routers=["up_0_0_3@5..9999999999999"]: found "up_0_0_3@5..9999999999999"; expected cycles after `@`, FROM..TO or FROM.., each up to 10^12 (such as routers = ["NAME", "NAME@100..200"])
    --set faults.routers=["", 3]: found ""; expected a name of letters, digits, `_` and `.` in front (such as routers = ["NAME", "NAME@100..200"])
    --set faults.routers=["", 3]: found 3; expected a string (such as routers = ["NAME", "NAME@100..200"])
    --set traffic.levels=[1, 1, 1]: destinations do not depend on levels (remove it, or set destinations = "local")
    "#);
    let fat_tree = TREE.replace("transit", "fat-tree");
    let error = parse(&fat_tree, &[]).unwrap_err();
    assert_snapshot!(error.diagnostics[0].message, @r#"a network of kind "fat-tree" does not take this key"#);
}
