//! A toggle flip-flop is read, counted and simulated, and its output is read back from a VCD, by
//! crates of crosswave that know no network: `cargo run --manifest-path examples/library/Cargo.toml`.

use crosswave_base::diagnostic::Error;
use crosswave_design::{Arrays, Clocks, Options, build};
use crosswave_lanes::Backend;
use crosswave_netlist::{Statistics, text};
use crosswave_wave::Bit;

const TOGGLE: &str = "module toggle\n input clk\n input reset\n output q\n \
                      gate g NOR q reset -> d\n flop f d -> q posedge clk\nend\n";

fn main() -> Result<(), Error> {
    let design = text::parse(TOGGLE, "toggle")?;
    println!("{} flip-flops", Statistics::new(&design.modules[0]).flops);
    let options = Options {
        clocks: Clocks::One(None),
        four_state: false,
        arrays: Arrays::Auto,
        replicas: 1,
        backend: Backend::best(),
        is_saved: false,
    };
    let mut run = build(&design, 0, &options)?;
    let mut vcd = "$timescale 1 ns $end\n$var wire 1 ! q $end\n$enddefinitions $end\n".to_owned();
    for cycle in 0..6 {
        run.drive(0, 0, 0, if cycle == 0 { Bit::One } else { Bit::Zero });
        run.settle();
        let value = u8::from(run.output(0, 0) == Bit::One);
        vcd.push_str(&format!("#{cycle}\n{value}!\n"));
        run.edge();
    }
    let waveform = crosswave_wave::read("toggle.vcd", vcd.as_bytes())?;
    println!("{} signals: {vcd}", waveform.signals.len());
    Ok(())
}
