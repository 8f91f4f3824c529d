//! Reasons for which nothing is recorded, or less than was asked for.
//!
//! A [`Refusal`] names what it is about as a [`Subject`], not as an option: a program with
//! options of its own says which one it was.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// Part of a recording that a refusal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The file of the waveform.
    File,
    /// The format of the waveform, which the name of its file does not say.
    Format,
    /// The files for viewers.
    ViewerFiles,
    /// The number of ports of the network.
    Ports,
    /// The patterns on scopes, and what narrows them.
    Scopes,
    /// The patterns on nets.
    Nets,
}

impl Subject {
    /// Its name where nobody has a better one: a key, or a noun.
    fn name(self) -> &'static str {
        match self {
            Subject::File => "file",
            Subject::Format => "format",
            Subject::ViewerFiles => "viewer files",
            Subject::Ports => "network",
            Subject::Scopes => "wave.scopes",
            Subject::Nets => "wave.nets",
        }
    }
}

/// A recording that cannot be, found before anything is simulated for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The part of the recording that was refused.
    pub subject: Subject,
    /// The finding, and the expectation.
    pub message: String,
    /// Advice on fixing it.
    pub help: String,
}

impl Refusal {
    pub(super) fn new(
        subject: Subject,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Refusal {
        Refusal {
            subject,
            message: message.into(),
            help: help.into(),
        }
    }
}

/// A recording that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordingFailure {
    /// It cannot be.
    Refused(Refusal),
    /// It names a message that the run does not have.
    UnknownMessage(Error),
    /// Somebody asked to stop. There is no waveform.
    Interrupted,
    /// The configuration is wrong, a run failed, or a file could not be written.
    Failed(Error),
}

impl From<Error> for RecordingFailure {
    fn from(error: Error) -> RecordingFailure {
        RecordingFailure::Failed(error)
    }
}

impl From<Refusal> for RecordingFailure {
    fn from(refusal: Refusal) -> RecordingFailure {
        RecordingFailure::Refused(refusal)
    }
}

impl RecordingFailure {
    /// The failure as an error that names a key, or a noun, where an option was refused.
    pub fn into_error(self) -> Error {
        match self {
            RecordingFailure::Refused(refusal) => {
                let Refusal {
                    subject,
                    message,
                    help,
                } = refusal;
                let diagnostic = Diagnostic::new(subject.name(), message, help);
                Error::one(Class::Usage, "recording", diagnostic)
            }
            RecordingFailure::Interrupted => {
                let diagnostic = Diagnostic::new("interrupted", "there is no waveform", "");
                Error::one(Class::Check, "recording", diagnostic)
            }
            RecordingFailure::UnknownMessage(error) | RecordingFailure::Failed(error) => error,
        }
    }
}
