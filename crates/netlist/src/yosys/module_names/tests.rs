use std::collections::BTreeMap;

use crate::yosys::{Netlist, read_netlist};

/// The modules of a file, with their parameters, by their shown names.
fn shown(modules: &[(&str, &str)]) -> String {
    let bodies: Vec<String> = modules
        .iter()
        .map(|(name, values)| {
            let name = serde_json::Value::from(*name);
            format!("{name}:{{\"parameter_default_values\":{{{values}}}}}")
        })
        .collect();
    let text = format!("{{\"modules\":{{{}}}}}", bodies.join(","));
    let netlist: Netlist = read_netlist(&text, "m.json").unwrap();
    let names = netlist.design.modules.iter().map(|module| &module.name);
    let names: Vec<String> = names.cloned().collect();
    for (name, (full, _)) in names.iter().zip(modules) {
        assert_eq!(netlist.file_name(name), *full);
        assert_eq!(netlist.design_name(full), name);
        assert_eq!(netlist.design_name(name), name);
    }
    let distinct: BTreeMap<&String, ()> = names.iter().map(|name| (name, ())).collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
    names.join("\n")
}

const HASH: &str = "$paramod$228d1954c6e36d0bd65bb4d70364ee24582bfbbf\\sub";
const NEAR: &str = "$paramod$228d195555e36d0bd65bb4d70364ee24582bfbbf\\sub";

#[test]
fn derived_modules_are_shown_with_their_parameters() {
    let words =
        r#""P":"hello world","S":"0101 ","V":"1x0z","W":"11111111111111111111111111111011","N":7"#;
    let long = format!(r#""A":"{}","B":"{}""#, "x.hex".repeat(20), "10".repeat(70));
    let found = shown(&[
        ("sub", ""),
        (r"$paramod\sub\W=s32'00000000000000000000000000000100", ""),
        (
            r"$paramod\sub\W=s32'11111111111111111111111111111011\V=4'11x1",
            "",
        ),
        (r"$paramod\a\b\P=t24'011110000111100101111010", ""),
        (HASH, r#""W":"00001000","X":"00000011""#),
        (
            "$paramod$547eea121c4a13ce329397f478b52b10cd9e264a\\s",
            words,
        ),
        (
            "$paramod$647eea121c4a13ce329397f478b52b10cd9e264a\\s",
            &long,
        ),
    ]);
    insta::assert_snapshot!(found, @r#"
    sub
    sub(W=4)
    sub(W=-5,V=4'b11x1)
    a\b(P=xyz)
    sub(W=8,X=3)
    s(P="hello world",S=0101,V=4'b1x0z,W=0xfffffffb,N=7)
    s(A=x.hexx.hexx.hexx.hexx.he…,B=0xaaaaaaaaaaaaaaaaaaaaaaaa…)
    "#);
}

#[test]
fn hashes_tell_apart_what_parameters_do_not() {
    let found = shown(&[
        (HASH, ""),
        (NEAR, ""),
        ("$paramod$547eea121c4a13ce329397f478b52b10cd9e264a\\sub", ""),
        (
            "$paramod$547eea121c4a13ce329397f478b52b10cd9e264a\\other",
            "",
        ),
        (&HASH.replace("sub", "same"), r#""W":"01""#),
        (&NEAR.replace("sub", "same"), r#""W":"01""#),
        // The shown name is taken.
        ("taken(W=1)", ""),
        (&HASH.replace("sub", "taken"), r#""W":"01""#),
        (r"$paramod\taken\W=1'1", ""),
    ]);
    insta::assert_snapshot!(found, @r"
    sub#228d1954
    sub#228d1955
    sub#547e
    other#547e
    same(W=1)#228d1954
    same(W=1)#228d1955
    taken(W=1)
    taken(W=1)#228d
    $paramod\taken\W=1'1
    ");
}

#[test]
fn names_of_another_form_stay() {
    let names = [
        "$paramod",
        "$paramod\\",
        "$paramod\\sub",
        "$paramod\\\\W=1'1",
        "$paramod\\sub\\W=2'1",
        "$paramod\\sub\\W=é'1",
        "$paramod$xyz\\sub",
        "$paramod$228d1954\\",
        "$paramod$\\sub",
        "$paramod\\s\\W=t8'11111111x",
        "$paramod$228d1954c6e36d0bd65bb4d70364ee24582bfbbf\\sub$interfaces$",
    ];
    let modules = names.map(|name| (name, ""));
    insta::assert_snapshot!(shown(&modules), @r"
    $paramod
    $paramod\
    $paramod\sub
    $paramod\\W=1'1
    $paramod\sub\W=2'1
    $paramod\sub\W=é'1
    $paramod$xyz\sub
    $paramod$228d1954\
    $paramod$\sub
    $paramod\s\W=t8'11111111x
    sub$interfaces$#228d
    ");
}
