//! `crosswave report`.

use std::path::PathBuf;

use clap::Args;

use super::output;
use super::progress::{self, Status};
use crate::diagnostic::{Class, Diagnostic, Report};
use crate::experiment::check::failure;
use crate::experiment::report::{self, Reported};
use crate::experiment::study::Effort;
use crate::file;

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The paper, such as strumpen2005
    #[arg(value_name = "NAME")]
    name: String,
    /// Folder for index.html, pictures, numbers and the check's JSON; made when missing. Points
    /// that are finished are kept in its folder points, and are not simulated again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Networks of up to 256 nodes and fewer replicates: a minute instead of some 35
    #[arg(long)]
    quick: bool,
}

pub(super) fn report(args: &ReportArgs) -> Result<(), Report> {
    let named = report::named(&args.name)?;
    std::fs::create_dir_all(&args.out)
        .map_err(|error| Report::io(&args.out, "making the folder", &error))?;
    // A folder that takes no files is found before anything is simulated.
    tempfile::tempfile_in(&args.out)
        .map_err(|error| Report::io(&args.out, "writing to the folder", &error))?;
    let effort = if args.quick {
        Effort::Quick
    } else {
        Effort::All
    };
    progress::catch_interrupts();
    let mut status = Status::new();
    let made = named.make(effort, &args.out, &mut status);
    drop(status);
    let Reported { files, checked } = made.map_err(|report| match progress::interrupted() {
        true => interruption(args),
        false => report,
    })?;
    for (name, text) in &files {
        file::write(&args.out.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    let page = args.out.join("index.html");
    let line = format!(
        "{}: {} quantities: {} reproduced, {} differ, {} not reproduced\n",
        page.display(),
        checked.quantities.len(),
        checked.reproduced,
        checked.differs,
        checked.not_reproduced
    );
    output::print(line.as_bytes())?;
    failure(&[checked]).map_or(Ok(()), Err)
}

/// What is said of a report that was stopped.
fn interruption(args: &ReportArgs) -> Report {
    let points = args.out.join("points");
    Report::one(
        Class::Check,
        "report",
        Diagnostic::new(
            "interrupted",
            format!("points that are finished are kept in {}", points.display()),
            "the same command goes on from there",
        ),
    )
}
