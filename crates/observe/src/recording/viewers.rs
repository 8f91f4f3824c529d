//! Files for viewers beside the waveform of a run.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::failure::{RecordingFailure, Refusal, Subject};
use super::monitor::{Monitor, Note};
use super::target::{WaveTarget, parts, with_end};
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{self, input};
use crosswave_network::topology::NODES;
use crosswave_probe::signal::SignalSet;
use crosswave_run::recorder::CYCLE_TIME;
use crosswave_run::simulation::Simulation;
use crosswave_wave::WaveFile;
use crosswave_wave::viewer_files::{FIRST_LINE, Observed, ViewerFiles};

pub use crosswave_wave::viewer_files::LISTED_MAX;

/// The files that tell viewers how to show a waveform, beside which they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewerPaths {
    /// The save file of GTKWave, which ends in `.gtkw`.
    pub gtkwave: PathBuf,
    /// The commands of Surfer, which end in `.sucl`.
    pub surfer: PathBuf,
}

impl ViewerPaths {
    /// Those beside each of so many windows of a waveform.
    ///
    /// # Errors
    /// When the waveform is no file that others can be beside of, when a file is there that was
    /// not written here, since viewers write files of these names too, and when one cannot be read.
    pub fn beside(
        target: &WaveTarget,
        windows: usize,
    ) -> Result<Vec<ViewerPaths>, RecordingFailure> {
        if !target.is_regular() {
            let path = target.path.display();
            let message = format!("{path} is no file to be beside of");
            let help = "name a file for the waveform";
            return Err(Refusal::new(Subject::ViewerFiles, message, help).into());
        }
        let paths = target.paths(windows);
        let files: Vec<ViewerPaths> = paths.iter().map(|path| ViewerPaths::of(path)).collect();
        files.iter().try_for_each(ViewerPaths::check)?;
        Ok(files)
    }

    /// Those of a waveform of this name.
    pub(super) fn of(wave: &Path) -> ViewerPaths {
        let (stem, _) = parts(wave);
        let named = |ending: &str| wave.with_file_name(with_end(&stem, ending));
        ViewerPaths {
            gtkwave: named(".gtkw"),
            surfer: named(".sucl"),
        }
    }

    /// Fails when one would replace what somebody has made.
    fn check(&self) -> Result<(), RecordingFailure> {
        for (path, sign) in [(&self.gtkwave, "[*]"), (&self.surfer, "#")] {
            let own = format!("{sign} {FIRST_LINE}\n");
            if path.is_file() && !begins_with(path, own.as_bytes())? {
                let message = format!("{} is there, and was not written here", path.display());
                let help = "give it another name, or the waveform";
                return Err(Refusal::new(Subject::ViewerFiles, message, help).into());
            }
        }
        Ok(())
    }
}

/// True when a file begins with these bytes.
fn begins_with(path: &Path, beginning: &[u8]) -> Result<bool, Error> {
    let mut read = Vec::new();
    let file = input::open_own(path, input::KEPT)?;
    file.take(beginning.len() as u64)
        .read_to_end(&mut read)
        .map_err(|error| Error::io(path, "reading", &error))?;
    Ok(read == beginning)
}

/// A waveform that was recorded, and has not its name yet.
pub(super) struct Unfinished<'a> {
    pub(super) simulation: &'a Simulation,
    pub(super) target: WaveTarget,
    pub(super) observed: Observed<WaveFile>,
    /// Its signals, where there are to be files for viewers.
    pub(super) set: Option<SignalSet>,
    /// Number of its ports; the other signals count messages.
    pub(super) ports: usize,
}

impl Unfinished<'_> {
    /// Writes what belongs to the waveform, and gives all files their names.
    pub(super) fn finish(self, monitor: &mut dyn Monitor) -> Result<(), Error> {
        let Observed { sink, activity } = self.observed;
        let (Some(set), Some(activity)) = (&self.set, &activity) else {
            return sink.finish();
        };
        let families = families(self.simulation);
        let family = |scope: &str| families.get(scope).cloned();
        let format = self.target.format;
        let files = ViewerFiles::new(set, format, activity, CYCLE_TIME, self.ports, &family);
        let beside = ViewerPaths::of(&self.target.path);
        let name = self.target.path.file_name().unwrap_or_default();
        let gtkwave = files.gtkwave(&name.to_string_lossy());
        let pending = vec![
            file::pending_text(&beside.gtkwave, &gtkwave)?,
            file::pending_text(&beside.surfer, &files.surfer())?,
        ];
        sink.finish_with(pending)?;
        if files.left_out() > 0 {
            monitor.note(Note::SignalsLeftOut {
                path: &beside.gtkwave,
                count: files.left_out(),
            });
        }
        Ok(())
    }
}

/// Families of a network's scopes: routers of a level, other chips of a kind.
fn families(simulation: &Simulation) -> BTreeMap<String, String> {
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let drawing = network.drawing();
    let ranks = drawing.ranks();
    let mut families = BTreeMap::new();
    for (array, layout) in fabric.arrays.iter().enumerate() {
        for instance in 0..layout.instances {
            let router = fabric.router_number(array, instance);
            let family = match (router, array) {
                (Some(router), _) => ranks[drawing.standing(router as u32).0].name.clone(),
                (None, NODES) => "nodes".to_owned(),
                (None, _) => format!("{}s", layout.chip.name),
            };
            families.insert(fabric.instance_name(array, instance), family);
        }
    }
    families
}
