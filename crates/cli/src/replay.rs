//! `crosswave replay`.

use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;

use super::ConfigArgs;
use super::output::{self, Output};
use super::progress::{Display, Progress, RunPart};
use super::recording::{Console, ViewerArgs, failed, viewer_outputs};
use super::run::program;
use super::wave_args::WaveArgs;
use crosswave_base::diagnostic::Error;
use crosswave_base::file::input;
use crosswave_observe::recording::RunWaveform;
use crosswave_run::checkpoint::{Checkpoints, Header};
use crosswave_run::simulation::Simulation;

#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Checkpoints that `run --checkpoints` wrote of the same configuration
    #[arg(long, value_name = "FILE")]
    checkpoints: PathBuf,
    /// First cycle that the waveform shows
    #[arg(long, value_name = "CYCLE")]
    from: u64,
    /// Last cycle that the waveform shows
    #[arg(long, value_name = "CYCLE")]
    to: u64,
    #[command(flatten)]
    wave: WaveArgs,
    #[command(flatten)]
    viewers: ViewerArgs,
}

pub(super) fn replay(args: &ReplayArgs) -> Result<(), Error> {
    let (from, to) = (args.from, args.to);
    if from > to {
        let found = format!("it is before --from {from}");
        let help = format!("write --from {to} --to {from}");
        return Err(super::usage("--to", found, &help));
    }
    let sourced = args.config.read_sourced(&[])?;
    let Some(output) = args.wave.output()? else {
        let help = "add --wave FILE.vcd or --wave FILE.fst";
        return Err(super::usage("replay", "no waveform is asked for", help));
    };
    let viewer_files = args.viewers.files(Some(&output.target()), 1)?;
    let mut outputs: Vec<Output<'_>> = output.single().into_iter().collect();
    outputs.extend(viewer_outputs(&viewer_files));
    output::check(&outputs)?;
    let simulation = Simulation::new(&sourced.config)?;
    let selection = sourced.selection(&simulation)?;
    let replicate = simulation.replicate(0)?;
    let header = Header::new(&program(&sourced.config)?, &sourced.config, &replicate);
    let file = input::open(&args.checkpoints, input::CHECKPOINTS)?.into_inner();
    let origin = args.checkpoints.display().to_string();
    let mut checkpoints = Checkpoints::open(BufReader::new(file), &origin, &header)?;
    let checkpoint = checkpoints.before(from)?;
    if let Some(checkpoint) = &checkpoint {
        checkpoint.check_lanes(simulation.fabric(), &origin)?;
    }
    let part = RunPart {
        first: 0,
        count: 1,
        all: 1,
        cycles_max: to,
    };
    let (mut display, mut nothing) = (Display::new(), ());
    let mut progress = Progress::new(&mut display, part, &mut nothing);
    let waveform = RunWaveform::new(output.target(), &simulation, selection)
        .checkpoints_from(origin)
        .viewer_files(args.viewers.are_asked_for());
    let window = (from, to);
    let recorded =
        waveform.record_window(window, checkpoint, &replicate, &mut progress, &mut Console);
    recorded.map_err(failed)
}
