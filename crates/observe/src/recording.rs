//! Recording of waveforms: which signals of a run, in which cycles, into which files.
//!
//! | file | holds |
//! |---|---|
//! | [`Recording`] | the description: a file, what it shows, and whether viewers get files too |
//! | [`WaveTarget`] | where a waveform goes, and in which format |
//! | [`Selection`] | the ports and nets that a description selects of a network |
//! | [`RunWaveform`] | a selection bound to a run: its window or trigger, its size, its recording |
//! | [`ViewerPaths`] | the files that tell viewers how to show a waveform |
//! | [`Monitor`] | who is asked whether to stop, and told what happened |
//! | [`RecordingFailure`] | why nothing, or not all, is recorded |
//!
//! What messages use, messages as signals and nets inside chips are known only when a run is
//! over. Where they are asked for, the replicate is run once before it is recorded. A trigger
//! takes a run as well, and the cycles around its moments are run again from checkpoints.

mod description;
mod estimate;
mod extra;
mod failure;
mod monitor;
mod selection;
mod target;
mod viewers;
mod waveform;

pub use description::Recording;
pub use failure::{RecordingFailure, Refusal, Subject};
pub use monitor::{Monitor, Note};
pub use selection::{SIGNALS_MAX, Selection};
pub use target::WaveTarget;
pub use viewers::{LISTED_MAX, ViewerPaths};
pub use waveform::{Recorded, RunWaveform, Size, sizes};
