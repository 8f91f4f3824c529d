//! The file of checkpoints of a run.

use std::io::BufWriter;
use std::path::PathBuf;

use crosswave_base::diagnostic::Error;
use crosswave_base::file::{PendingFile, SharedFile};
use crosswave_papers::fingerprint;
use crosswave_run::checkpoint::{CheckpointWriter, Header};
use crosswave_run::config::Config;
use crosswave_run::own_chips;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

/// This program, by its version, the results that it gives for such a configuration, and the hashes
/// of chips of a designer's own.
///
/// # Errors
/// When such a chip cannot be read.
pub(crate) fn program(config: &Config) -> Result<String, Error> {
    let chips = own_chips::hashes(config)?;
    let chips: String = chips
        .into_iter()
        .map(|(chip, hash)| format!(", {chip} {hash}"))
        .collect();
    Ok(format!(
        "crosswave {} ({}{chips})",
        env!("CARGO_PKG_VERSION"),
        fingerprint::of_runs(config)
    ))
}

/// Output of checkpoints.
pub(super) struct CheckpointFile {
    pub(super) path: PathBuf,
    pub(super) every_cycles: u64,
}

/// A file of checkpoints that is being written.
pub(super) struct BegunCheckpoints {
    pending: PendingFile,
    writer: CheckpointWriter<BufWriter<SharedFile>>,
}

impl CheckpointFile {
    /// Begins the file, of a replicate.
    pub(super) fn begin(
        self,
        simulation: &Simulation,
        replicate: &Replicate,
    ) -> Result<BegunCheckpoints, Error> {
        let header = Header::new(
            &program(simulation.config())?,
            simulation.config(),
            replicate,
        );
        let pending = PendingFile::create(&self.path)?;
        let out = BufWriter::new(pending.file());
        let writer = CheckpointWriter::new(out, &header, simulation.fabric(), self.every_cycles);
        let writer = writer.map_err(|error| pending.error(&error))?;
        Ok(BegunCheckpoints { pending, writer })
    }
}

impl BegunCheckpoints {
    /// The observer that takes the checkpoints.
    pub(super) fn observer(&mut self) -> &mut CheckpointWriter<BufWriter<SharedFile>> {
        &mut self.writer
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> Result<(), Error> {
        let BegunCheckpoints { pending, writer } = self;
        writer.finish().map_err(|error| pending.error(&error))?;
        pending.finish()
    }
}
