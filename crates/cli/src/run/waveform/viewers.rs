//! Files for viewers beside the waveform of a run.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::output::{Format, Output};
use crate::usage;
use crate::wave_args::{WaveOutput, parts, with_end};
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{self, input};
use crosswave_network::topology::{NODES, ROUTERS};
use crosswave_probe::signal::SignalSet;
use crosswave_run::recorder::CYCLE_TIME;
use crosswave_run::simulation::Simulation;
use crosswave_wave::WaveFile;
use crosswave_wave::viewer_files::{FIRST_LINE, LISTED_MAX, Observed, ViewerFiles};

/// The option, which a message names.
const FLAG: &str = "--viewer-files";

/// Whether files for viewers are asked for.
#[derive(Debug, Args)]
pub(crate) struct ViewerArgs {
    /// Write beside the waveform how viewers are to show it: FILE.gtkw for GTKWave and FILE.sucl
    /// for Surfer, with signals in groups, and the first event or the trigger's moment in view
    #[arg(long)]
    viewer_files: bool,
}

impl ViewerArgs {
    /// Whether they are.
    pub(crate) fn are_asked_for(&self) -> bool {
        self.viewer_files
    }

    /// The files beside so many windows of a waveform.
    ///
    /// # Errors
    /// When there is no waveform to be beside of, and when a file is there that the program has
    /// not written.
    pub(crate) fn files(
        &self,
        output: Option<WaveOutput<'_>>,
        windows: usize,
    ) -> Result<Vec<Beside>, Error> {
        if !self.viewer_files {
            return Ok(Vec::new());
        }
        let Some(output) = output else {
            let help = "add --wave FILE.vcd or --wave FILE.fst";
            return Err(usage(FLAG, "no waveform is asked for", help));
        };
        if file::takes_bytes_in_order(output.path) || file::is_special(output.path) {
            let message = format!("{} is no file to be beside of", output.path.display());
            let help = "name a file for the waveform";
            return Err(usage(FLAG, message, help));
        }
        let paths = output.paths(windows);
        let files = paths.iter().map(|path| Beside::new(path));
        let files: Vec<Beside> = files.collect();
        files.iter().try_for_each(Beside::check)?;
        Ok(files)
    }
}

/// The files beside a waveform.
pub(crate) struct Beside {
    gtkwave: PathBuf,
    surfer: PathBuf,
}

impl Beside {
    /// Those of a waveform of this name.
    fn new(wave: &Path) -> Beside {
        let (stem, _) = parts(wave);
        let named = |format: Format| {
            let name = with_end(&stem, &format!(".{}", format.ending()));
            wave.with_file_name(name)
        };
        Beside {
            gtkwave: named(Format::GtkWave),
            surfer: named(Format::Surfer),
        }
    }

    /// They as outputs that are checked with others.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = Output<'_>> {
        let gtkwave = Output::new(FLAG, Format::GtkWave, Some(&self.gtkwave));
        let surfer = Output::new(FLAG, Format::Surfer, Some(&self.surfer));
        gtkwave.into_iter().chain(surfer)
    }

    /// Fails when one would replace what somebody has made: viewers write files of these names
    /// too.
    fn check(&self) -> Result<(), Error> {
        for (path, sign) in [(&self.gtkwave, "[*]"), (&self.surfer, "#")] {
            let own = format!("{sign} {FIRST_LINE}\n");
            if path.is_file() && !begins_with(path, own.as_bytes())? {
                let message = format!("{} is there, and was not written here", path.display());
                let help = "give it another name, or the waveform";
                return Err(usage(FLAG, message, help));
            }
        }
        Ok(())
    }
}

/// Whether a file begins so.
fn begins_with(path: &Path, beginning: &[u8]) -> Result<bool, Error> {
    let mut read = Vec::new();
    let file = input::open_own(path, input::KEPT)?;
    file.take(beginning.len() as u64)
        .read_to_end(&mut read)
        .map_err(|error| Error::io(path, "reading", &error))?;
    Ok(read == beginning)
}

/// A waveform that was recorded, and has not its name yet.
pub(super) struct Recording<'a> {
    pub(super) simulation: &'a Simulation,
    pub(super) output: WaveOutput<'a>,
    pub(super) observed: Observed<WaveFile>,
    /// Its signals, where there are to be files for viewers.
    pub(super) set: Option<SignalSet>,
    /// How many of them are ports; the others count messages.
    pub(super) ports: usize,
}

impl Recording<'_> {
    /// Writes what belongs to the waveform, and gives all files their names.
    pub(super) fn finish(self) -> Result<(), Error> {
        let Observed { sink, activity } = self.observed;
        let (Some(set), Some(activity)) = (&self.set, &activity) else {
            return sink.finish();
        };
        let families = families(self.simulation);
        let family = |scope: &str| families.get(scope).cloned();
        let format = self.output.format;
        let files = ViewerFiles::new(set, format, activity, CYCLE_TIME, self.ports, &family);
        let beside = Beside::new(self.output.path);
        let name = self.output.path.file_name().unwrap_or_default();
        let gtkwave = files.gtkwave(&name.to_string_lossy());
        let pending = vec![
            file::pending_text(&beside.gtkwave, &gtkwave)?,
            file::pending_text(&beside.surfer, &files.surfer())?,
        ];
        sink.finish_with(pending)?;
        if files.left_out() > 0 {
            crate::say(&format!(
                "{}: lists {LISTED_MAX} signals and leaves out {}",
                beside.gtkwave.display(),
                files.left_out()
            ));
        }
        Ok(())
    }
}

/// What the scopes of a network are one of: routers of a level, other chips of a kind.
fn families(simulation: &Simulation) -> BTreeMap<String, String> {
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let drawing = network.drawing();
    let ranks = drawing.ranks();
    let mut families = BTreeMap::new();
    for (array, layout) in fabric.arrays.iter().enumerate() {
        for instance in 0..layout.instances {
            let family = match array {
                ROUTERS => ranks[drawing.standing(instance as u32).0].name.clone(),
                NODES => "nodes".to_owned(),
                _ => format!("{}s", layout.chip.name),
            };
            families.insert(fabric.instance_name(array, instance), family);
        }
    }
    families
}
