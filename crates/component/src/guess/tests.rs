//! Proposals for ports in the style of public routers. Each reads as a component file that fits its module.

use super::*;
use crate::file::ComponentFile;
use crate::map;
use crate::mistakes::Mistakes;
use crate::packet::PacketLayout;
use crosswave_netlist::{Bit, BitRange, Net, NetId};

/// A module without contents: `in WIDTH NAME` or `out WIDTH NAME` a line.
fn module(ports: &str) -> ModuleToGuess {
    let mut module = Module {
        name: "router".to_owned(),
        ..Module::default()
    };
    for line in ports.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [direction, width, name] = words[..] else {
            panic!("{line}");
        };
        let direction = match direction {
            "in" => PortDirection::Input,
            _ => PortDirection::Output,
        };
        let bits = (0..width.parse().expect("a width")).map(|_| {
            module.nets.push(Net {
                name: "".into(),
                src: "".into(),
            });
            Bit::Net(NetId(module.nets.len() as u32 - 1))
        });
        module.ports.push(Port {
            name: name.to_owned(),
            direction,
            bits: bits.collect(),
            range: BitRange::default(),
            signed: false,
        });
    }
    ModuleToGuess {
        module,
        sources: String::new(),
        is_netlist: true,
    }
}

/// The proposal for a module, and the mistakes of it as a component file.
fn checked(found: &ModuleToGuess) -> (String, String) {
    let text = propose(found, &["r.json".to_owned()], &ReadOptions::default());
    let file: ComponentFile =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let mut mistakes = Mistakes::new("proposal", &text);
    let mapped = map::map(&file, &found.module, &mut mistakes);
    if let Some(mapped) = mapped.filter(|_| !mistakes.are_any()) {
        PacketLayout::read(&file.packet, mapped.form, &mapped.links, &mut mistakes);
    }
    let found = mistakes.finish(()).err();
    let found = found.map_or(String::new(), |error| format!("{:?}", error.diagnostics));
    (text, found)
}

/// The proposal for ports that leave nothing to correct; its lines without comments.
fn proposal(ports: &str) -> String {
    let (text, mistakes) = checked(&module(ports));
    assert_eq!(mistakes, "", "{text}");
    let lines = text.lines().map(|line| match line.starts_with('#') {
        true => "",
        false => line.split("  # ").next().unwrap_or_default(),
    });
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// Ports of several links: `NAME` stands for the name of each.
fn of_links(names: &[&str], ports: &str) -> String {
    names
        .iter()
        .map(|name| ports.replace("NAME", name))
        .collect()
}

#[test]
fn credits_run_against_the_flits_that_they_allow() {
    let links = of_links(
        &["N", "E", "S", "W", "P"],
        "in 64 dataIn_NAME\nin 1 validIn_NAME\nin 1 yummyIn_NAME\nout 64 dataOut_NAME\nout 1 validOut_NAME\n\
         out 1 yummyOut_NAME\nout 1 thanksIn_NAME\n",
    );
    let text = proposal(&format!(
        "in 1 clk\nin 1 reset_in\n{links}in 8 myLocX\nin 8 myLocY\nin 14 myChipID\nin 5 ec_cfg\n"
    ));
    insta::assert_snapshot!(text, @r###"
    [component]
    top = "router"
    netlist = "r.json"
    clock = "clk"
    reset = { port = "reset_in", active = "high" }
    [component.pins]
    myLocX = "instance.x"
    myLocY = "instance.y"
    myChipID = 0
    ec_cfg = 0
    [[link]]
    names = ["N", "E", "S", "W", "P"]
    protocol = "credit"
    credits = 4
    in = { data = "dataIn_{name}", valid = "validIn_{name}", credit = "yummyOut_{name}" }
    out = { data = "dataOut_{name}", valid = "validOut_{name}", credit = "yummyIn_{name}" }
    [packet]
    flits = "single"
    [packet.fields]
    dest_x = "[7:0]"
    dest_y = "[15:8]"
    message = "[39:16]"
    "###);
}

#[test]
fn what_rejects_makes_circuits() {
    let links = of_links(
        &["a", "b", "c"],
        "in 1 NAME_in_valid\nin 34 NAME_in_data\nout 1 NAME_in_ack\nout 1 NAME_in_collision\n\
         out 1 NAME_out_valid\nout 34 NAME_out_data\nin 1 NAME_out_ack\nin 1 NAME_out_collision\n",
    );
    let text = proposal(&format!("in 1 clock\nin 1 reset\n{links}"));
    let expected = "protocol = \"circuit\"\n\
        in = { data = \"{name}_in_data\", valid = \"{name}_in_valid\", nack = \"{name}_in_collision\", \
        ack = \"{name}_in_ack\" }\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn packed_links_are_valid_ready_and_data() {
    let text = proposal(
        "in 1 clk_i\nin 1 reset_i\nin 170 link_i\nout 170 link_o\nin 4 my_x_i\nin 5 my_y_i\n",
    );
    insta::assert_snapshot!(text, @r###"
    [component]
    top = "router"
    netlist = "r.json"
    clock = "clk_i"
    reset = { port = "reset_i", active = "high" }
    [component.pins]
    my_x_i = "instance.x"
    my_y_i = "instance.y"
    [[link]]
    names = ["local", "west", "east", "north", "south"]
    protocol = "valid-ready"
    in = { data = "link_i[34*{i}+31:34*{i}]", valid = "link_i[34*{i}+33]", ready = "link_o[34*{i}+32]" }
    out = { data = "link_o[34*{i}+31:34*{i}]", valid = "link_o[34*{i}+33]", ready = "link_i[34*{i}+32]" }
    [packet]
    flits = "single"
    [packet.fields]
    dest_x = "[3:0]"
    dest_y = "[8:4]"
    message = "[31:9]"
    "###);
}

#[test]
fn the_last_of_a_stream_is_the_top_bit_of_a_flit() {
    let links = of_links(
        &["n", "s", "local"],
        "in 64 s_axis_NAME_tdata\nin 1 s_axis_NAME_tvalid\nin 1 s_axis_NAME_tlast\nout 1 s_axis_NAME_tready\n\
         out 64 m_axis_NAME_tdata\nout 1 m_axis_NAME_tvalid\nout 1 m_axis_NAME_tlast\nin 1 m_axis_NAME_tready\n",
    );
    let text = proposal(&format!(
        "in 1 aclk\nin 1 aresetn\n{links}in 4 router_id\nin 1 cfg_enable\n"
    ));
    insta::assert_snapshot!(text, @r###"
    [component]
    top = "router"
    netlist = "r.json"
    clock = "aclk"
    reset = { port = "aresetn", active = "low" }
    [component.pins]
    router_id = "instance.id"
    cfg_enable = 1
    [[link]]
    names = ["n", "s", "local"]
    protocol = "valid-ready"
    in = { data = ["s_axis_{name}_tlast", "s_axis_{name}_tdata"], valid = "s_axis_{name}_tvalid", ready = "s_axis_{name}_tready" }
    out = { data = ["m_axis_{name}_tlast", "m_axis_{name}_tdata"], valid = "m_axis_{name}_tvalid", ready = "m_axis_{name}_tready" }
    [packet]
    flits = "last"
    [packet.fields]
    tail = "[64]"
    dest_id = "[3:0]"
    message = "[27:4]"
    "###);
}

#[test]
fn numbered_links_with_flags_and_channels() {
    let links = of_links(
        &["0", "1", "2"],
        "in 1 io_in_NAME_valid\nin 32 io_in_NAME_bits_data\nin 1 io_in_NAME_bits_head\nin 1 io_in_NAME_bits_tail\n\
         in 2 io_in_NAME_bits_vc_id\nout 4 io_in_NAME_credit\nout 1 io_out_NAME_valid\nout 32 io_out_NAME_bits_data\n\
         out 1 io_out_NAME_bits_head\nout 1 io_out_NAME_bits_tail\nout 2 io_out_NAME_bits_vc_id\nin 4 io_out_NAME_credit\n",
    );
    let text = proposal(&format!("in 1 clock\nin 1 reset\n{links}"));
    insta::assert_snapshot!(text, @r###"
    [component]
    top = "router"
    netlist = "r.json"
    clock = "clock"
    reset = { port = "reset", active = "high" }
    [[link]]
    names = ["p0", "p1", "p2"]
    protocol = "credit"
    credits = 4
    vcs = 4
    in = { data = ["io_in_{i}_bits_head", "io_in_{i}_bits_tail", "io_in_{i}_bits_vc_id", "io_in_{i}_bits_data"], valid = "io_in_{i}_valid", credit = "io_in_{i}_credit" }
    out = { data = ["io_out_{i}_bits_head", "io_out_{i}_bits_tail", "io_out_{i}_bits_vc_id", "io_out_{i}_bits_data"], valid = "io_out_{i}_valid", credit = "io_out_{i}_credit" }
    [packet]
    flits = "head-tail"
    [packet.fields]
    head = "[35]"
    tail = "[34]"
    vc = "[33:32]"
    dest_id = "[7:0]"
    message = "[31:8]"
    "###);
}

#[test]
fn arrays_and_a_link_that_is_unlike_others() {
    let mut found = module(
        "in 1 clk_i\nin 1 rst_ni\nin 1 test_enable_i\nin 6 my_cord_i\nin 5 valid_i\nout 5 ready_o\nin 200 data_i\n\
         out 5 valid_o\nin 5 ready_i\nout 200 data_o\nin 8 cfg_data_i\nin 1 cfg_valid_i\nout 3 state_o\n",
    );
    found.sources = "typedef enum {North = 3'd0, East, South, West, Eject} route_e;".to_owned();
    let (text, mistakes) = checked(&found);
    assert_eq!(mistakes, "", "{text}");
    for said in [
        "names = [\"north\", \"east\", \"south\", \"west\", \"eject\"]",
        "in = { data = \"data_i[40*{i}+39:40*{i}]\", valid = \"valid_i[{i}]\", ready = \"ready_o[{i}]\" }",
        "\"my_cord_i[2:0]\" = \"instance.x\"",
        "\"my_cord_i[5:3]\" = \"instance.y\"",
        "test_enable_i = 0",
        "cfg_data_i = 0",
        "# In no link: cfg_data_i, cfg_valid_i, as it only comes in, and a link goes both ways.",
        "# Outputs in no link: state_o.",
        "reset = { port = \"rst_ni\", active = \"low\" }  # by its name",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
}

/// A signal that stops senders at 1 is the opposite of `on`.
#[test]
fn stop_is_the_opposite_of_on() {
    let links = of_links(
        &["e", "w"],
        "in 34 i_NAME_data\nin 1 i_NAME_valid\nout 1 o_NAME_stop\nout 34 o_NAME_data\nout 1 o_NAME_valid\n\
         in 1 i_NAME_stop\n",
    );
    let (text, mistakes) = checked(&module(&format!(
        "in 1 i_clk\nin 1 i_rst_n\nin 3 x_coord\n{links}"
    )));
    assert_eq!(mistakes, "", "{text}");
    for said in [
        "stops the sender at 1",
        "protocol = \"on-off\"",
        "on = \"~o_{name}_stop\"",
        "flits = \"head-tail\"",
        "dest_x = \"[2:0]\"",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
}

/// A file reads also where nothing tells its links, and checks name what is missing.
#[test]
fn ports_without_links_are_still_a_file() {
    for ports in [
        "",
        "in 4 a\nout 4 b\n",
        "in 1 clk\nin 1 valid_i\nin 1 data_i\nout 1 data_o\nout 1 valid_o\n",
    ] {
        let (text, mistakes) = checked(&module(ports));
        assert_ne!(mistakes, "", "{text}");
    }
    let (text, _) = checked(&module("in 1 enable\n"));
    assert!(
        text.contains("no input looks like a clock: name it here"),
        "{text}"
    );
    assert!(text.contains("# No ports look like a link"), "{text}");
}
