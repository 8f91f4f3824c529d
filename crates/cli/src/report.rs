//! `crosswave report`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use serde::Serialize;

use super::check::keep_points;
use super::completion;
use super::named;
use super::output::{self, JsonArgs};
use super::progress::Status;
use crosswave_base::diagnostic::Error;
use crosswave_base::escape::ShownPath;
use crosswave_base::file::{Folder, FolderFile};
use crosswave_papers::checked::{Checked, failure};
use crosswave_papers::effort::Effort;
use crosswave_papers::report::Reported;

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The paper, such as dehon1990
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(completion::reports))]
    name: String,
    /// Folder for index.html, pictures, numbers and the check's JSON; made when missing. Points
    /// that are finished are kept in its folder points, and are not simulated again. Files there
    /// that crosswave did not write are not replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Smaller networks and fewer replicates: of strumpen2005 up to 256 nodes, a minute instead of
    /// some 35; of dehon1990 up to 65,536 nodes, a minute instead of several
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    json: JsonArgs,
}

/// The JSON of a report: its files, and what the check's JSON has.
#[derive(Debug, Serialize)]
struct Document<'a> {
    crosswave: &'static str,
    folder: ShownPath,
    files: Vec<&'a str>,
    papers: &'a [Checked],
}

pub(super) fn report(args: &ReportArgs) -> Result<(), Error> {
    let paper = named::paper_with_report(&args.name)?;
    let to_stdout = output::check(args.json.output().as_slice())?;
    let mut folder = Folder::new("--out", &args.out)?;
    // Found out before anything is simulated.
    folder.make()?;
    folder.claim_names(["index.html", "check.json"])?;
    let effort = if args.quick {
        Effort::Quick
    } else {
        Effort::All
    };
    keep_points(&args.out.join("points"));
    let mut status = Status::new();
    let made = paper.report(effort, &args.out, &mut status);
    drop(status);
    let Reported { files, checked } = made?;
    let files: Vec<FolderFile> = files
        .into_iter()
        .map(|(name, text)| FolderFile::new(name, text))
        .collect();
    folder.write(&files)?;
    if !to_stdout {
        let line = format!(
            "{}: {} quantities: {} reproduced ({} by formula alone), {} undecided, {} differ, {} not reproduced\n",
            args.out.join("index.html").display(),
            checked.quantities.len(),
            checked.reproduced,
            checked.reproduced_by_formula,
            checked.undecided,
            checked.differs,
            checked.not_reproduced
        );
        output::print(&line)?;
    }
    args.json.write(&Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        folder: args.out.as_path().into(),
        files: files.iter().map(|file| file.name.as_str()).collect(),
        papers: std::slice::from_ref(&checked),
    })?;
    failure(&[checked]).map_or(Ok(()), Err)
}
