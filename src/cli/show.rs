//! `crosswave show`.

use std::path::PathBuf;

use clap::Args;

use super::output;
use crate::diagnostic::{Class, Report};
use crate::experiment::recorder::CYCLE_TIME;
use crate::file;
use crate::wave::{DrawOptions, Window, read_file, rows, select, svg, terminal};

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Waveform (VCD)
    file: PathBuf,
    /// Scopes or signals to draw, as '**.router_0_*' or '**.node_3.tx_state'; may be given again
    #[arg(long = "scope", value_name = "PATTERN")]
    scopes: Vec<String>,
    /// Cycles to draw, as 10..40
    #[arg(long, value_name = "FROM..TO")]
    window: Option<String>,
    /// Time units of a cycle
    #[arg(long, default_value_t = CYCLE_TIME, value_parser = clap::value_parser!(u64).range(1..))]
    period: u64,
    /// ASCII only
    #[arg(long)]
    ascii: bool,
    /// Write a drawing (SVG) instead
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Title of the drawing
    #[arg(long, default_value = "")]
    title: String,
}

pub(super) fn show(args: &ShowArgs) -> Result<(), Report> {
    let window = match &args.window {
        None => Window::ALL,
        Some(text) => Window::parse("--window", text)
            .map_err(|diagnostic| Report::one(Class::Usage, "command line", diagnostic))?,
    };
    if let Some(path) = &args.svg {
        file::check_apart(&[("the waveform", &args.file)], &[("--svg", path)])?;
    }
    let wave = read_file(&args.file)?;
    let kept = select("--scope", &wave, &args.scopes)?;
    let mut rows = rows(&wave, &kept);
    for row in &mut rows {
        // The period is known, so a clock is drawn as one.
        if row.label == "clock" {
            row.signal = None;
        }
    }
    let options = DrawOptions {
        window,
        period: args.period,
        ascii: args.ascii,
        title: args.title.clone(),
        ..Default::default()
    };
    match &args.svg {
        Some(path) => {
            let drawing = svg::draw(&wave, &rows, &options);
            file::write(path, |out| out.write_all(drawing.as_bytes()))
        }
        None => output::print(terminal::draw(&wave, &rows, &options).as_bytes()),
    }
}
