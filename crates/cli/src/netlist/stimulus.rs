//! Reads a stimulus, whose format is told by its content: CSV, VCD or FST, CSV and VCD also
//! compressed with gzip.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::super::{input_name, input_path, usage, warn};
use super::NetlistArgs;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::gzip::Unpacked;
use crosswave_base::file::input::{self, Limited};
use crosswave_base::file::kind::{BEGINNING_BYTES, FileKind};
use crosswave_design::Run;
use crosswave_design::stimulus::{Stimulus, csv, vcd};
use crosswave_wave as wave;

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 18;

/// The files that are expected as a stimulus.
const EXPECTED: &str = "a stimulus: CSV, VCD, also compressed with gzip, or FST";

/// Reads a stimulus for the inputs of a run.
pub(super) fn read(args: &NetlistArgs, path: &Path, run: &Run) -> Result<Stimulus, Error> {
    let (origin, path) = (input_name(path), input_path(path));
    let file = input::open(path, input::WAVEFORM)?;
    let mut input = BufReader::with_capacity(READ_BYTES, file);
    let beginning = input
        .fill_buf()
        .map_err(|error| Error::io(path, "reading", &error))?;
    let kind = FileKind::of(path, beginning);
    let content = match kind {
        FileKind::Gzip => unpacked_kind(path, beginning),
        kind => kind,
    };
    match content {
        FileKind::Vcd | FileKind::ExtendedVcd | FileKind::Fst => {
            let wave = wave::source::open_input(path, input)?.all()?;
            let warnings = wave.warnings.iter();
            warnings.for_each(|warning| warn(&origin, warning));
            check_period(args, run)?;
            let sampling = vcd::Sampling {
                scope: args.stimulus_scope.as_deref(),
                period: args.period,
                with_clocks: run.follows_stimulus(),
            };
            vcd::sample(&origin, &wave, run.inputs(), &run.wave_clocks(), &sampling)
        }
        FileKind::Csv | FileKind::Text | FileKind::Empty => {
            if run.follows_stimulus() {
                return Err(run.periods_needed());
            }
            let text = text(&origin, path, input, kind == FileKind::Gzip)?;
            csv::read(&origin, &text, run.inputs())
        }
        other => {
            let mistake = other.mistake(EXPECTED, other.to_waveform());
            Err(Error::one(Class::Input, origin, mistake))
        }
    }
}

/// Refuses the length of a cycle where the edges of a waveform end cycles, and asks for it where periods of
/// clocks are given.
fn check_period(args: &NetlistArgs, run: &Run) -> Result<(), Error> {
    let is_one = run
        .clocks()
        .iter()
        .all(|clock| clock.period() == Some((1, 0)));
    match (args.period, run.follows_stimulus()) {
        (Some(_), true) => Err(usage(
            "--period",
            "the clocks are those of the waveform, whose edges end the cycles",
            "leave it out, or say how the clocks run with --clock NAME=PERIOD",
        )),
        (None, false) if !is_one => Err(usage(
            "--clock",
            "periods of clocks are given, and a waveform, which has edges of its own",
            "leave --clock out, so that the edges of the waveform count, or give the length of a \
             cycle in the waveform with --period",
        )),
        _ => Ok(()),
    }
}

/// The kind of what is compressed, by what the beginning unpacks to. What cannot be unpacked
/// is left to the reader of waveforms, which says so.
fn unpacked_kind(path: &Path, beginning: &[u8]) -> FileKind {
    let mut unpacked = Vec::new();
    let decoder = MultiGzDecoder::new(beginning);
    // The beginning is cut, so the end of it is no mistake.
    let read = decoder
        .take(BEGINNING_BYTES as u64)
        .read_to_end(&mut unpacked);
    match (read, unpacked.is_empty()) {
        (Err(_), true) => FileKind::Vcd,
        _ => FileKind::of(&path.with_extension(""), &unpacked),
    }
}

/// The text of a table, unpacked.
fn text(
    origin: &str,
    path: &Path,
    input: BufReader<Limited<File>>,
    is_packed: bool,
) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let input: Box<dyn Read> = match is_packed {
        true => Box::new(Unpacked::new(input)),
        false => Box::new(input),
    };
    Limited::new(input, input::STIMULUS.bytes_max)
        .read_to_end(&mut bytes)
        .map_err(|error| match is_packed {
            true => {
                let message = format!("the compressed table cannot be unpacked: {error}");
                let help = "make the file again, and look at it with `gzip -t`";
                Error::one(
                    Class::Input,
                    origin,
                    Diagnostic::new("content", message, help),
                )
            }
            false => Error::io(path, "reading", &error),
        })?;
    input::utf8(origin, bytes, Class::Input)
}
