//! `crosswave figure`.

use std::path::PathBuf;

use clap::Args;

use super::output;
use super::progress::{self, Status};
use crate::diagnostic::Report;
use crate::experiment::figure::{FIGURES, Figure};
use crate::experiment::study::Effort;
use crate::file;

#[derive(Debug, Args)]
pub(super) struct FigureArgs {
    /// Figures, such as dehon1990-4.19; all when there is none
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Folder for an SVG and a CSV file of each; made when missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Simulate everything: networks of up to 1,048,576 nodes, and more replicates. Some
    /// figures take many minutes
    #[arg(long)]
    all: bool,
}

pub(super) fn figure(args: &FigureArgs) -> Result<(), Report> {
    let named = args.names.iter().map(|name| Figure::named(name));
    let mut figures = named.collect::<Result<Vec<Figure>, Report>>()?;
    if figures.is_empty() {
        figures.extend(FIGURES);
    }
    progress::catch_interrupts();
    std::fs::create_dir_all(&args.out)
        .map_err(|error| Report::io(&args.out, "making the folder", &error))?;
    // A folder that takes no files is found before anything is simulated.
    tempfile::tempfile_in(&args.out)
        .map_err(|error| Report::io(&args.out, "writing to the folder", &error))?;
    let effort = if args.all { Effort::All } else { Effort::Quick };
    for figure in figures {
        let mut status = Status::new();
        let drawn = figure.draw(effort, &mut status);
        drop(status);
        let drawn = drawn?;
        let mut names = Vec::new();
        let letters: &[&str] = if drawn.svgs.len() > 1 {
            &["a", "b"]
        } else {
            &[""]
        };
        let svgs = letters.iter().zip(&drawn.svgs);
        let svgs = svgs.map(|(letter, text)| (format!("{letter}.svg"), text));
        for (end, text) in svgs.chain([(".csv".to_owned(), &drawn.csv)]) {
            let path = args.out.join(format!("{}{end}", figure.name));
            file::write(&path, |out| out.write_all(text.as_bytes()))?;
            names.push(path.display().to_string());
        }
        let line = format!("{}: {}\n", figure.title, names.join(", "));
        output::print(line.as_bytes())?;
    }
    Ok(())
}
