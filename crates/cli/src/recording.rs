//! The command line's part in recording waveforms: its options and keys in refusals, progress and
//! signals while runs take their time, and messages about files.

use std::path::Path;

use clap::Args;

use super::output::{Format, Output};
use super::progress::{Display, Progress, RunPart};
use super::{interrupt, usage};
use crosswave_base::diagnostic::{Diagnostic, Error};
use crosswave_observe::recording::{
    LISTED_MAX, Monitor, Note, RecordingFailure, Refusal, RunWaveform, Subject, ViewerPaths,
    WaveTarget,
};
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;

/// Bytes of a waveform that are warned of.
const WARNED_BYTES: u64 = 1_000_000_000;

/// The option for files beside a waveform, which a message names.
const VIEWER_FILES: &str = "--viewer-files";

/// Shows progress, heeds signals, and says what happened.
pub(super) struct Console;

impl Monitor for Console {
    fn interrupted(&self) -> bool {
        interrupt::interrupted()
    }

    fn attend(&mut self, cycles_max: u64, run: &mut dyn FnMut(&mut dyn Observer)) {
        let part = RunPart {
            first: 0,
            count: 1,
            all: 1,
            cycles_max,
        };
        let (mut display, mut nothing) = (Display::new(), ());
        run(&mut Progress::new(&mut display, part, &mut nothing));
    }

    fn note(&mut self, note: Note<'_>) {
        super::say(&match note {
            Note::SearchWindow { window: (from, to) } => format!(
                "the trigger is looked for in cycles {from} to {to} only, as wave.window_cycles \
                 says; --unset wave.window_cycles searches the whole run"
            ),
            Note::Moment {
                path,
                cycle,
                window: (from, to),
            } => format!(
                "{}: triggered in cycle {cycle}, shows cycles {from} to {to}",
                path.display()
            ),
            Note::Collision { text } => format!("  {text}"),
            Note::FewerMoments {
                found,
                wanted,
                first_missing,
            } => format!(
                "warning: wave.triggers: {found} of {wanted} moments came; {} and the files \
                 after it are not written",
                first_missing.display()
            ),
            Note::SignalsLeftOut { path, count } => format!(
                "{}: lists {LISTED_MAX} signals and leaves out {count}",
                path.display()
            ),
        });
    }
}

/// Turns a refusal into an error about the option that asked for it; `flag` is the option of the
/// waveform.
pub(super) fn refused(refusal: Refusal, flag: &'static str) -> Error {
    let Refusal {
        subject,
        message,
        help,
    } = refusal;
    match subject {
        Subject::File => usage(flag, message, &help),
        Subject::Format => {
            let help = "say which format it is with --wave-format vcd or --wave-format fst";
            usage(flag, message, help)
        }
        Subject::ViewerFiles => usage(VIEWER_FILES, message, &help),
        Subject::Ports => usage("--vcd", message, &help),
        Subject::Scopes => usage("wave.scopes", message, &help),
        Subject::Nets => usage("wave.nets", message, &help),
    }
}

/// Turns a failure into an error of the command.
pub(super) fn failed(failure: RecordingFailure) -> Error {
    match failure {
        RecordingFailure::Refused(refusal) => refused(refusal, "--wave"),
        RecordingFailure::Interrupted => interrupt::interruption(),
        RecordingFailure::UnknownMessage(mut error) => {
            // The help names the source of message numbers.
            for Diagnostic { help, .. } in &mut error.diagnostics {
                *help = match help.is_empty() {
                    true => "the first column of crosswave run --messages has them".to_owned(),
                    false => format!("{help}, as in the first column of run --messages"),
                };
            }
            error
        }
        RecordingFailure::Failed(error) => error,
    }
}

/// Option that asks for files for viewers.
#[derive(Debug, Args)]
pub(super) struct ViewerArgs {
    /// Write beside the waveform how viewers are to show it: FILE.gtkw for GTKWave and FILE.sucl
    /// for Surfer, with signals in groups, and the first event or the trigger's moment in view
    #[arg(long)]
    viewer_files: bool,
}

impl ViewerArgs {
    /// True when files for viewers are asked for.
    pub(super) fn are_asked_for(&self) -> bool {
        self.viewer_files
    }

    /// The files beside so many windows of a waveform.
    ///
    /// # Errors
    /// When there is no waveform to be beside of, and those of [`ViewerPaths::beside`].
    pub(super) fn files(
        &self,
        target: Option<&WaveTarget>,
        windows: usize,
    ) -> Result<Vec<ViewerPaths>, Error> {
        if !self.viewer_files {
            return Ok(Vec::new());
        }
        let Some(target) = target else {
            let help = "add --wave FILE.vcd or --wave FILE.fst";
            return Err(usage(VIEWER_FILES, "no waveform is asked for", help));
        };
        ViewerPaths::beside(target, windows).map_err(failed)
    }
}

/// Files for viewers as outputs that are checked with others.
pub(super) fn viewer_outputs(files: &[ViewerPaths]) -> impl Iterator<Item = Output<'_>> {
    files.iter().flat_map(|ViewerPaths { gtkwave, surfer }| {
        let gtkwave = Output::new(VIEWER_FILES, Format::GtkWave, Some(gtkwave));
        let surfer = Output::new(VIEWER_FILES, Format::Surfer, Some(surfer));
        gtkwave.into_iter().chain(surfer)
    })
}

/// Warns when the file of a waveform becomes large. `flag` is its option.
pub(super) fn warn_of_size(
    waveform: &RunWaveform<'_>,
    flag: &str,
    replicate: &Replicate,
) -> Result<(), Error> {
    let Some(bytes) = waveform.estimated_bytes(replicate, &Console)? else {
        return Ok(());
    };
    let path = waveform.target().path.display();
    if bytes > WARNED_BYTES {
        let message = format!("the waveform will have about {}", shown_bytes(bytes));
        let help = "select less with wave.scopes or wave.window_cycles";
        super::warn(&path.to_string(), &Diagnostic::new(flag, message, help));
    }
    Ok(())
}

/// Says how many signals a waveform has that has been written, and how large its file is. A
/// device or a pipe has no size.
pub(super) fn say_size(path: &Path, signals: usize) {
    let file = std::fs::metadata(path).ok().filter(|file| file.is_file());
    let size = file.map_or(String::new(), |file| {
        format!(", {}", shown_bytes(file.len()))
    });
    super::say(&format!("{}: {signals} signals{size}", path.display()));
}

/// A number of bytes with the unit that suits it.
pub(super) fn shown_bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..100_000 => format!("{} kB", bytes.div_ceil(1000)),
        100_000..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        10_000_000..WARNED_BYTES => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
