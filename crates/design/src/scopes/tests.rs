use super::*;
use crosswave_netlist::text;

/// A name of one bit for each of these, where nothing drives it.
fn vectors(names: &[&str]) -> Vec<NetVector> {
    let vector = |name: &&str| NetVector {
        name: (*name).to_owned(),
        bits: vec![None],
        range: Default::default(),
    };
    names.iter().map(vector).collect()
}

/// The paths of all signals.
fn paths(tree: &InstanceTree<'_>) -> Vec<String> {
    let path = |signal| {
        let (name, scope) = tree.signal(signal);
        let mut names = vec![name.to_owned()];
        let mut at = scope;
        while let Some(scope) = at {
            names.push(tree.scope_name(scope).into_owned());
            assert!(tree.parent(scope).is_none_or(|parent| parent < scope));
            at = tree.parent(scope);
        }
        names.reverse();
        names.join("/")
    };
    (0..tree.signal_count()).map(path).collect()
}

#[test]
fn instances_and_dotted_names_are_scopes() {
    let design = text::parse(
        "module inner\n input a\nend\n\
         module empty\n input a\nend\n\
         module middle\n input a\n instance rows[0].x inner in a = a\n \
         instance e empty in a = a\n instance y inner in a = a\nend\n\
         module top\n input a\n instance m middle in a = a\n instance n middle in a = a\nend\n",
        "test",
    )
    .unwrap();
    let names = [
        vectors(&["a", "s.q"]),
        Vec::new(),
        // The instance `y` has a scope already when these names are entered.
        vectors(&["rows[0].w.[1]", "y.own", ".b", "c.", "d..e", "f.1"]),
        vectors(&["a"]),
    ];
    let tree = InstanceTree::new(&design, &names, 3).unwrap();
    let middle = |name: &str| {
        let paths = ["rows[0]/w.[1]", "y/own", ".b", "c.", "d./e", "f.1"];
        paths.map(|path| format!("top/{name}/{path}"))
    };
    let inner = |path: &str| ["a", "s/q"].map(|name| format!("top/{path}/{name}"));
    let mut expected = vec!["top/a".to_owned()];
    expected.extend(middle("m"));
    expected.extend(middle("n"));
    for path in ["m/rows[0]/x", "m/y", "n/rows[0]/x", "n/y"] {
        expected.extend(inner(path));
    }
    assert_eq!(paths(&tree), expected);
    // The root, m, n, in each of these rows[0], x, e, y and two more, and four scopes s.
    assert_eq!(tree.scope_count(), 3 + 2 * 5 + 4);
    let second = tree.child(tree.child(0, 1), 2);
    assert_eq!(tree.vector(tree.signal_count() - 1).0, second);
}

#[test]
fn designs_with_too_many_names_are_refused() {
    let mut text = String::from("module m0\n input a\nend\n");
    for level in 1..40 {
        let below = level - 1;
        text.push_str(&format!(
            "module m{level}\n input a\n instance l m{below} in a = a\n \
             instance r m{below} in a = a\nend\n"
        ));
    }
    let design = text::parse(&text, "test").unwrap();
    let names = vec![vectors(&["a"]); 40];
    assert!(InstanceTree::new(&design, &names, 10).is_ok());
    let error = InstanceTree::new(&design, &names, 39).unwrap_err();
    assert!(error.to_string().contains("scopes"), "{error}");
}
