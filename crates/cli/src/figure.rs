//! `crosswave figure`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use serde::Serialize;

use super::completion;
use super::interrupt;
use super::named;
use super::output::{self, JsonArgs};
use super::progress::Status;
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{Folder, FolderFile};
use crosswave_papers::effort::Effort;
use crosswave_papers::paper::Figure;
use crosswave_papers::registry;

#[derive(Debug, Args)]
pub(super) struct FigureArgs {
    /// Figures, such as dehon1990-4.19; all when there is none
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(completion::figure_names))]
    names: Vec<String>,
    /// Folder for an SVG and a CSV file of each; made when missing. Files there that crosswave
    /// did not write are not replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Simulate everything: networks of up to 1,048,576 nodes, and more replicates. Some
    /// figures take many minutes
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    json: JsonArgs,
}

/// The JSON of figures.
#[derive(Debug, Serialize)]
struct Document {
    crosswave: &'static str,
    figures: Vec<WrittenFigure>,
}

/// A figure that was written.
#[derive(Debug, Serialize)]
struct WrittenFigure {
    name: &'static str,
    title: &'static str,
    /// Paths of its files.
    files: Vec<String>,
}

pub(super) fn figure(args: &FigureArgs) -> Result<(), Error> {
    let named = args.names.iter().map(|name| named::figure(name));
    let mut figures = named.collect::<Result<Vec<Figure>, Error>>()?;
    if figures.is_empty() {
        figures.extend(registry::figures());
    }
    let to_stdout = output::check(args.json.output().as_slice())?;
    let mut folder = Folder::new("--out", &args.out)?;
    // Found out before anything is simulated.
    folder.make()?;
    let ends = ["a.svg", "b.svg", "c.svg", "d.svg", ".svg", ".csv"];
    let names = figures
        .iter()
        .flat_map(|figure| ends.map(|end| format!("{}{end}", figure.name)));
    let names: BTreeSet<String> = names.collect();
    folder.claim_names(names.iter().map(String::as_str))?;
    let effort = if args.all { Effort::All } else { Effort::Quick };
    let mut written = Vec::new();
    for figure in figures {
        let mut status = Status::new();
        let drawn = figure.draw(effort, &mut status);
        drop(status);
        let drawn = drawn?;
        let letters: &[&str] = match drawn.svgs.len() {
            1 => &[""],
            _ => &["a", "b", "c", "d"],
        };
        let svgs = letters.iter().zip(drawn.svgs);
        let svgs = svgs.map(|(letter, text)| (format!("{letter}.svg"), text));
        let files = svgs.chain([(".csv".to_owned(), drawn.csv)]);
        let files: Vec<FolderFile> = files
            .map(|(end, text)| FolderFile::new(format!("{}{end}", figure.name), text))
            .collect();
        folder.write(&files)?;
        let path = |file: &FolderFile| args.out.join(&file.name).display().to_string();
        let files: Vec<String> = files.iter().map(path).collect();
        if !to_stdout {
            let line = format!("{}: {}\n", figure.title, files.join(", "));
            output::print(&line)?;
        }
        interrupt::keep("figures that were finished are there".into(), "");
        written.push(WrittenFigure {
            name: figure.name,
            title: figure.title,
            files,
        });
    }
    args.json.write(&Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        figures: written,
    })
}
