//! The model that Verilator makes of an exported network under saturated random
//! traffic, and how fast it runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crosswave::config::Config;
use crosswave::export;

/// Messages of each node: more than they get through.
const REPEAT: u32 = 200;

/// A compiled model.
pub struct Model {
    kind: String,
    nodes: u32,
    folder: PathBuf,
    program: PathBuf,
}

impl Model {
    fn config(&self, cycles: u64) -> Config {
        let (kind, nodes) = (&self.kind, self.nodes);
        let text = format!(
            "[network]\nkind='{kind}'\nnodes={nodes}\n\
             [traffic]\npattern='random'\nrepeat={REPEAT}\nwords=8\n\
             [run]\nthreads=1\ncycles_max={cycles}\n"
        );
        Config::parse(&text, "bench", Path::new("."), &[]).expect("a valid configuration")
    }

    /// The compiled model in a folder; exports the network and compiles it when there
    /// is none.
    pub fn build(kind: &str, nodes: u32, folder: &Path) -> Model {
        let model = Model {
            kind: kind.to_owned(),
            nodes,
            folder: folder.to_owned(),
            program: folder.join("objects/Vtestbench"),
        };
        if !model.program.exists() {
            export::write(&model.config(1000), "bench", folder).expect("a folder to write to");
            let start = Instant::now();
            let status = Command::new("verilator")
                .args(["--binary", "--timing", "-O3", "-j", "0"])
                // Code that runs in every cycle at -O2; the code that sets up the
                // model, which takes most of the compiler's time, at -O0.
                .args(["-MAKEFLAGS", "OPT_FAST=-O2", "-MAKEFLAGS", "OPT_SLOW=-O0"])
                .args(["--output-split", "20000", "--timescale", "1ns/1ns"])
                .args(["--top-module", "testbench", "-y", ".", "-I."])
                .args(["--Mdir", "objects", "testbench.v"])
                .current_dir(folder)
                .stdout(std::process::Stdio::null())
                .status()
                .expect("verilator is installed");
            assert!(status.success(), "verilator failed");
            eprintln!("build_seconds: {:.0}", start.elapsed().as_secs_f64());
        }
        model
    }

    /// The option that names the input of a run.
    fn input(&self, cycles: u64) -> String {
        match self.config(cycles).topology().verilog_host() {
            Some(_) => format!("+messages={}", self.folder.join("messages.csv").display()),
            None => {
                let file = self.folder.join(format!("stimulus-{cycles}.csv"));
                if !file.exists() {
                    let (text, _) =
                        export::replay::stimulus(&self.config(cycles)).expect("a workload");
                    std::fs::write(&file, text).expect("a folder to write to");
                }
                format!("+stimulus={}", file.display())
            }
        }
    }

    /// Seconds of a run.
    fn seconds(&self, cycles: u64) -> f64 {
        let config = self.config(cycles);
        let host = config.topology().verilog_host();
        let plusargs = export::plusargs(&config, host.as_ref(), cycles);
        let input = self.input(cycles);
        let start = Instant::now();
        let status = Command::new(&self.program)
            .args(plusargs.lines())
            .arg(input)
            .stdout(std::process::Stdio::null())
            .status()
            .expect("the compiled model runs");
        assert!(status.success(), "the compiled model failed");
        start.elapsed().as_secs_f64()
    }

    /// Cycles per second. The difference of two runs leaves out start-up and the reading
    /// of messages.
    pub fn cycles_per_second(&self) -> f64 {
        let (short, long) = (200, 200 + 200_000 / u64::from(self.nodes));
        (long - short) as f64 / (self.seconds(long) - self.seconds(short))
    }
}
