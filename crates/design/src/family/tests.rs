use super::*;
use crosswave_netlist::text;

/// The families of the modules of a text but for the last, which is the root.
fn families(text: &str) -> Vec<Vec<usize>> {
    let design = text::parse(text, "test").unwrap_or_else(|error| panic!("{error}"));
    let root = design.modules.len() - 1;
    let hierarchy = DesignHierarchy::new(&design, root);
    let families = Families::new(&design, &hierarchy, root);
    let firsts = families.firsts().filter(|&first| first != root);
    firsts
        .map(|first| families.members(first).to_vec())
        .collect()
}

/// Modules `m0`, `m1`, … with these lines, each instantiated once.
fn modules(bodies: &[&str]) -> Vec<Vec<usize>> {
    let mut text = String::new();
    let mut top = String::from("module top\n input clk\n input a\n");
    for (number, body) in bodies.iter().enumerate() {
        text += &format!("module m{number}\n input clk\n input a\n output y\n{body}end\n");
        top += &format!(" instance u{number} m{number} in clk = clk in a = a out y = y{number}\n");
    }
    families(&format!("{text}{top}end\n"))
}

#[test]
fn constants_names_and_the_order_of_cells_do_not_matter() {
    let found = modules(&[
        " gate g AND a 0 -> n\n flop f n -> y posedge clk\n",
        " gate g AND a ? -> n\n flop f n -> y posedge clk\n",
        " flop other m -> y posedge clk\n gate g1 AND a 1 -> m\n",
    ]);
    assert_eq!(found, [[0, 1, 2]]);
}

#[test]
fn everything_else_matters() {
    let found = modules(&[
        " gate g AND a 0 -> n\n flop f n -> y posedge clk\n",
        " gate g OR a 0 -> n\n flop f n -> y posedge clk\n",
        " gate g AND 0 a -> n\n flop f n -> y posedge clk\n",
        " gate g AND a a -> n\n flop f n -> y posedge clk\n",
        " gate g AND a y -> n\n flop f n -> y posedge clk\n",
        " gate g AND a 0 -> n\n flop f n -> y posedge clk init 0\n",
        " gate g AND a 0 -> n\n flop f n -> y posedge clk init 1\n",
        " gate g AND a 0 -> n\n flop f n -> y posedge clk enable a high\n",
        " gate g AND a 0 -> n\n flop f n -> y posedge clk enable a low\n",
        " gate g AND a 0 -> n\n flop f n -> y posedge clk reset a high to 0\n",
        " gate g AND a 0 -> n\n flop f n -> y posedge clk reset a high to 1\n",
        " gate g AND a 0 -> n\n flop f n -> y posedge clk async-reset a high to 1\n",
        " gate g AND a 0 -> n\n flop f n -> y posedge clk async-load a high n\n",
    ]);
    assert_eq!(found.len(), 13, "{found:?}");
}

#[test]
fn modules_with_instances_of_a_family_are_one() {
    let mut text = String::new();
    for value in [0, 1] {
        text += &format!("module value{value}\n output y = {value}\nend\n");
    }
    for value in [1, 0] {
        text += &format!(
            "module reader{value}\n input a\n output y\n instance v value{value} out y = n\n \
             gate g XOR a n -> y\nend\n"
        );
    }
    text += "module top\n input a\n output o = y0 y1\n instance u0 reader0 in a = a out y = y0\n \
             instance u1 reader1 in a = a out y = y1\nend\n";
    assert_eq!(families(&text), [[0, 1], [2, 3]]);
}

/// A row for each way in which one flip-flop can differ from another in one field.
#[test]
fn every_field_of_a_flip_flop_matters() {
    let mut options: Vec<String> = ["", "init 0", "init 1"].map(str::to_owned).to_vec();
    for level in ["high", "low"] {
        options.push(format!("enable a {level}"));
        options.push(format!("async-load a {level} a"));
        for value in [0, 1] {
            options.push(format!("async-reset a {level} to {value}"));
            options.push(format!("reset a {level} to {value}"));
            for gated in ["", " gated"] {
                options.push(format!("enable a high reset a {level} to {value}{gated}"));
            }
        }
        for other in ["high", "low"] {
            options.push(format!("async-set-reset a {level} a {other}"));
        }
    }
    let mut bodies = vec![" flop f a -> y negedge clk\n".to_owned()];
    let rows = options.iter();
    bodies.extend(rows.map(|option| format!(" flop f a -> y posedge clk {option}\n")));
    assert_eq!(bodies.len(), 1 + 3 + 2 * 12);
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let found = modules(&bodies);
    assert_eq!(found.len(), bodies.len(), "{found:?}");
}
