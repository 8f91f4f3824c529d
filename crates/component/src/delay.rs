//! A cycle on a link between two routers, as Verilog that is made for a component.
//!
//! Data, flags and answers take one register each. With `valid` and `ready` a register alone would lose
//! the flit that is on its way while the receiver stops, so two flits have room.

use std::fmt::Write;

use super::endpoint::{LocalLink, data, declared};
use super::file::ProtocolName;
use super::links::{ACK, LinkEnds, kept};
use super::reset;
use crosswave_chips::{Chip, PinDirection, Port, Role};

/// The links of the chip. Chips with these names only delay what passes.
const LINKS: [&str; 2] = ["near", "far"];

/// The table of a chip that adds a cycle, and its Verilog.
pub fn chip(component: &str, link: LocalLink) -> (&'static Chip, String) {
    let input = |name, role, doc| Port {
        name,
        direction: PinDirection::Input,
        width: 1,
        role,
        doc,
    };
    let mut ports = vec![
        input("clock", Role::Clock, "the clock"),
        input("reset", Role::Reset, "the reset"),
    ];
    let answers = !link.form.protocol.back_is_optional();
    let ends = LinkEnds {
        takes: true,
        sends: true,
        takes_answer: answers,
        sends_answer: answers,
    };
    for (number, name) in LINKS.into_iter().enumerate() {
        let of_link = link.form.ports(number, name, ends);
        ports.extend(of_link.into_iter().map(|found| found.port));
    }
    let name = kept(format!("{component}_delay_line"));
    let text = verilog(name, &ports, link);
    let source: (&'static str, &'static str) = (kept(format!("{name}.v")), kept(text.clone()));
    let chip = Chip {
        name,
        ports: Box::leak(ports.into_boxed_slice()),
        links: &LINKS,
        words: &[],
        sources: Box::leak(vec![source].into_boxed_slice()),
    };
    (Box::leak(Box::new(chip)), text)
}

fn verilog(name: &str, ports: &[Port], link: LocalLink) -> String {
    let lines: Vec<String> = ports.iter().map(declared).collect();
    let mut text = format!(
        "// A cycle on a link of {} bits by {}. Written by crosswave for the component file.\n\
         `default_nettype none\n\nmodule {name} (\n{}\n);\n{}",
        link.form.data_bits,
        link.form.protocol.name(),
        lines.join(",\n"),
        reset::verilog(link.reset_cycles)
    );
    for (from, to) in [("near", "far"), ("far", "near")] {
        direction(&mut text, ports, link, from, to);
    }
    text + "endmodule\n`default_nettype wire\n"
}

/// The flits that come in at a link and leave at the other one.
fn direction(text: &mut String, ports: &[Port], link: LocalLink, from: &str, to: &str) {
    let last = link.form.data_bits - 1;
    let zeros = format!("{}'d0", link.form.data_bits);
    let (come, go) = (
        data(ports, &format!("{from}_in_data")),
        data(ports, &format!("{to}_out_data")),
    );
    // A String takes all text.
    let _ = match link.form.protocol {
        ProtocolName::ValidReady => write!(
            text,
            "  reg [{last}:0] {to}_first, {to}_second;\n  reg [1:0] {to}_count;\n  \
             assign {from}_in_ready = {to}_count != 2'd2;\n  \
             assign {to}_out_valid = {to}_count != 2'd0;\n  assign {go} = {to}_first;\n  \
             wire {to}_put = {from}_in_valid && {from}_in_ready;\n  \
             wire {to}_take = {to}_out_valid && {to}_out_ready;\n  always @(posedge clock) begin\n    \
             if ({to}_take) {to}_first <= {to}_count == 2'd2 ? {to}_second : {come};\n    \
             else if ({to}_count == 2'd0) {to}_first <= {come};\n    \
             if ({to}_put) {to}_second <= {come};\n    \
             {to}_count <= {to}_count + {{1'b0, {to}_put}} - {{1'b0, {to}_take}};\n    \
             if (in_reset) begin\n      {to}_count <= 2'd0; {to}_first <= {zeros}; {to}_second <= {zeros};\n    \
             end\n  end\n"
        ),
        protocol => {
            let mut moved = vec![
                (format!("{to}_data"), come, go, last),
                (
                    format!("{to}_valid"),
                    format!("{from}_in_valid"),
                    format!("{to}_out_valid"),
                    0,
                ),
            ];
            if !protocol.back_is_optional() {
                let back = protocol.back();
                let mut answer = |name: &str, width: usize| {
                    moved.push((
                        format!("{from}_{name}"),
                        format!("{to}_out_{name}"),
                        format!("{from}_in_{name}"),
                        width - 1,
                    ));
                };
                answer(back, link.form.back_bits());
                if link.form.numbers_credits {
                    answer(&format!("{back}_vc"), link.form.channel_bits());
                }
                if link.form.answers.has_ack {
                    answer(ACK, 1);
                }
            }
            moved.iter().try_for_each(|(register, come, go, last)| {
                writeln!(
                    text,
                    "  reg [{last}:0] {register};\n  always @(posedge clock) {register} <= in_reset ? {}'d0 : {come};\n  \
                     assign {go} = {register};",
                    last + 1
                )
            })
        }
    };
}
