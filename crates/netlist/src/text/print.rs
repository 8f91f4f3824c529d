//! Writing the text form.

use std::fmt::{self, Write};

use super::words::Name;
use crate::model::{
    Asynchronous, Bit, BitRange, Cell, CellKind, Control, Design, Edge, Flop, Memory, Module,
    PortDirection,
};

/// The text form of a design; [`parse`](super::parse()) reads it back.
pub fn print(design: &Design) -> String {
    let mut text = String::new();
    for (index, module) in design.modules.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(&print_module(module));
    }
    text
}

/// The text form of one module.
pub fn print_module(module: &Module) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_module(&mut text, module);
    text
}

fn write_module(out: &mut String, module: &Module) -> fmt::Result {
    write!(out, "module {}", Name(&module.name))?;
    end_line(out, &module.src)?;
    if needs_wires(module) {
        for net in &module.nets {
            write!(out, "  wire {}", Name(&net.name))?;
            end_line(out, &net.src)?;
        }
    }
    for port in &module.ports {
        let keyword = match port.direction {
            PortDirection::Input => "input",
            PortDirection::Output => "output",
        };
        write!(out, "  {keyword} {}", Name(&port.name))?;
        if port.range != BitRange::default() {
            let (left, right) = port.range.ends(port.bits.len());
            write!(out, " [{left}:{right}]")?;
        }
        if port.signed {
            out.push_str(" signed");
        }
        let own = |bit: &Bit| matches!(bit, Bit::Net(net) if module.net_name(*net) == port.name);
        if !matches!(port.bits.as_slice(), [bit] if own(bit)) {
            out.push_str(" =");
            bits(out, module, &port.bits)?;
        }
        out.push('\n');
    }
    for cell in &module.cells {
        write_cell(out, module, cell)?;
    }
    out.push_str("end\n");
    Ok(())
}

/// True when the order of first mention is not that of the net numbers, or a net has more to say
/// than its name.
fn needs_wires(module: &Module) -> bool {
    let mut next = 0;
    let mut in_order = true;
    let mut mention = |bit: Bit| {
        if let Bit::Net(net) = bit {
            if net.index() == next {
                next += 1;
            }
            in_order &= net.index() < next;
        }
    };
    for port in &module.ports {
        port.bits.iter().for_each(|&bit| mention(bit));
    }
    for cell in &module.cells {
        match &cell.kind {
            CellKind::Gate(gate) => {
                gate.inputs.iter().for_each(|&bit| mention(bit));
                mention(Bit::Net(gate.output));
            }
            CellKind::Flop(flop) => {
                mention(flop.data);
                mention(Bit::Net(flop.q));
                mention(flop.clock);
                cell.kind.visit_inputs(|_, _, bit| mention(bit));
            }
            CellKind::Memory(memory) => {
                for port in &memory.reads {
                    port.address.iter().for_each(|&bit| mention(bit));
                    port.data.iter().for_each(|&net| mention(Bit::Net(net)));
                }
                for port in &memory.writes {
                    mention(port.clock);
                    let bits = port.address.iter().chain(&port.data);
                    bits.chain(&port.enable).for_each(|&bit| mention(bit));
                }
            }
            CellKind::Instance(instance) => {
                for connection in &instance.connections {
                    connection.bits.iter().for_each(|&bit| mention(bit));
                }
            }
        }
    }
    !in_order || next != module.nets.len() || module.nets.iter().any(|net| !net.src.is_empty())
}

fn end_line(out: &mut String, src: &str) -> fmt::Result {
    if !src.is_empty() {
        write!(out, " src {}", Name(src))?;
    }
    out.push('\n');
    Ok(())
}

fn bits(out: &mut String, module: &Module, bits: &[Bit]) -> fmt::Result {
    bits.iter().try_for_each(|&found| bit(out, module, found))
}

fn bit(out: &mut String, module: &Module, bit: Bit) -> fmt::Result {
    match bit {
        Bit::Zero => out.write_str(" 0"),
        Bit::One => out.write_str(" 1"),
        Bit::X => out.write_str(" ?"),
        Bit::Net(net) => write!(out, " {}", Name(module.net_name(net))),
    }
}

fn level(out: &mut String, module: &Module, control: Control) -> fmt::Result {
    bit(out, module, control.bit)?;
    out.write_str(if control.active_high { " high" } else { " low" })
}

fn write_cell(out: &mut String, module: &Module, cell: &Cell) -> fmt::Result {
    let name = Name(&cell.name);
    match &cell.kind {
        CellKind::Gate(gate) => {
            write!(out, "  gate {name} {}", gate.function.name())?;
            bits(out, module, &gate.inputs)?;
            write!(out, " -> {}", Name(module.net_name(gate.output)))?;
        }
        CellKind::Flop(flop) => {
            write!(out, "  flop {name}")?;
            write_flop(out, module, flop)?;
        }
        CellKind::Memory(memory) => {
            write!(out, "  memory {name}")?;
            write_memory(out, module, memory)?;
        }
        CellKind::Instance(instance) => {
            write!(out, "  instance {name} {}", Name(&instance.module))?;
            for connection in &instance.connections {
                let way = match connection.direction {
                    PortDirection::Input => "in",
                    PortDirection::Output => "out",
                };
                write!(out, " {way} {} =", Name(&connection.port))?;
                bits(out, module, &connection.bits)?;
            }
        }
    }
    end_line(out, &cell.src)
}

fn write_memory(out: &mut String, module: &Module, memory: &Memory) -> fmt::Result {
    write!(out, " words {} width {}", memory.words, memory.width)?;
    if memory.first != 0 {
        write!(out, " first {}", memory.first)?;
    }
    if !memory.init.is_empty() {
        let digits = memory.init.iter().rev().map(|bit| match bit {
            Some(false) => '0',
            Some(true) => '1',
            None => 'x',
        });
        write!(out, " init \"{}\"", digits.collect::<String>())?;
    }
    if memory.beyond {
        out.push_str(" beyond 1");
    }
    for (at, port) in memory.reads.iter().enumerate() {
        write!(out, " in R{at}_ADDR =")?;
        bits(out, module, &port.address)?;
        write!(out, " out R{at}_DATA =")?;
        for &net in &port.data {
            bit(out, module, Bit::Net(net))?;
        }
    }
    for (at, port) in memory.writes.iter().enumerate() {
        let clock = match port.edge {
            Edge::Rising => "CLK",
            Edge::Falling => "CLKN",
        };
        write!(out, " in W{at}_{clock} =")?;
        bit(out, module, port.clock)?;
        for (pin, connected) in [
            ("ADDR", &port.address),
            ("DATA", &port.data),
            ("EN", &port.enable),
        ] {
            write!(out, " in W{at}_{pin} =")?;
            bits(out, module, connected)?;
        }
    }
    Ok(())
}

fn write_flop(out: &mut String, module: &Module, flop: &Flop) -> fmt::Result {
    bit(out, module, flop.data)?;
    write!(out, " -> {}", Name(module.net_name(flop.q)))?;
    out.write_str(match flop.edge {
        Edge::Rising => " posedge",
        Edge::Falling => " negedge",
    })?;
    bit(out, module, flop.clock)?;
    if let Some(enable) = flop.enable {
        out.write_str(" enable")?;
        level(out, module, enable)?;
    }
    if let Some(reset) = flop.reset {
        out.write_str(" reset")?;
        level(out, module, reset.control)?;
        write!(out, " to {}", u8::from(reset.value))?;
        if reset.gated {
            out.write_str(" gated")?;
        }
    }
    match flop.asynchronous {
        Asynchronous::None => {}
        Asynchronous::Reset { control, value } => {
            out.write_str(" async-reset")?;
            level(out, module, control)?;
            write!(out, " to {}", u8::from(value))?;
        }
        Asynchronous::SetReset { set, reset } => {
            out.write_str(" async-set-reset")?;
            level(out, module, set)?;
            level(out, module, reset)?;
        }
        Asynchronous::Load { control, data } => {
            out.write_str(" async-load")?;
            level(out, module, control)?;
            bit(out, module, data)?;
        }
    }
    match flop.init {
        Some(value) => write!(out, " init {}", u8::from(value)),
        None => Ok(()),
    }
}
