//! `crosswave check`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use super::completion;
use super::interrupt;
use super::named;
use super::output::{self, Format, JsonArgs, Output};
use super::own_chips::{self, ChipArgument};
use super::progress::Status;
use super::warn;
use crosswave_base::diagnostic::{Diagnostic, Error};
use crosswave_base::file;
use crosswave_observe::points::{Points, Store, beside};
use crosswave_papers::checked::{Checked, failure};
use crosswave_papers::differences;
use crosswave_papers::effort::Effort;
use crosswave_papers::fingerprint;
use crosswave_papers::paper::Paper;
use crosswave_papers::quantity::{Quantity, Value, Verdict};
use crosswave_papers::registry::PAPERS;
use crosswave_run::own_chips::unused_everywhere;

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Papers, such as dehon1990; all when there is none
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(completion::papers))]
    names: Vec<String>,
    #[command(flatten)]
    json: JsonArgs,
    /// Write what differs or is not reproduced, by its causes, as a page in Markdown
    #[arg(long, value_name = "FILE|-")]
    differences: Option<PathBuf>,
    /// Keep finished points in a folder, and take those that are there, such as the folder points
    /// of a report
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Compare formulas with the print only, and simulate nothing
    #[arg(long, conflicts_with = "all")]
    formulas: bool,
    /// Simulate networks of up to 1,048,576 nodes, with more replicates: half an hour for
    /// dehon1990, more than 35 minutes for strumpen2005
    #[arg(long)]
    all: bool,
    /// Run your own version of a chip in all networks that have it, on the gate engine: as in --chip
    /// fat_tree_router=my_router.v; several files are separated by commas; may be given again, for
    /// another chip
    #[arg(
        long, value_name = "CHIP=FILE[,FILE]", conflicts_with = "formulas",
        add = ArgValueCompleter::new(completion::chips)
    )]
    chip: Vec<ChipArgument>,
}

/// The JSON of a check.
#[derive(Debug, Serialize)]
struct Document<'a> {
    crosswave: &'static str,
    papers: &'a [Checked],
}

/// Says what is kept of a command that a signal ends while it simulates points.
pub(super) fn keep_points(folder: &Path) {
    interrupt::keep(
        format!("points that are finished are kept in {}", folder.display()),
        "the same command goes on from there",
    );
}

pub(super) fn check(args: &CheckArgs) -> Result<(), Error> {
    let mut papers: Vec<Paper> = Vec::new();
    for name in &args.names {
        let paper = named::paper(name)?;
        if papers.iter().all(|known| known.name != paper.name) {
            papers.push(paper);
        }
    }
    if args.names.is_empty() {
        papers.extend(PAPERS);
    }
    let effort = match (args.formulas, args.all) {
        (true, _) => Effort::Formulas,
        (_, true) => Effort::All,
        _ => Effort::Quick,
    };
    let page = args.differences.as_deref();
    let page = Output::new("--differences", Format::Markdown, page);
    let outputs: Vec<Output<'_>> = page.into_iter().chain(args.json.output()).collect();
    let to_stdout = output::check(&outputs)?;
    // It is computed before chips are replaced, since it simulates samples.
    let mut version = match args.keep {
        Some(_) => fingerprint::version().to_owned(),
        None => String::new(),
    };
    for (chip, loaded) in args.chip.iter().zip(own_chips::put_everywhere(&args.chip)?) {
        let _ = write!(version, ", {} {}", chip.name(), loaded.hash);
    }
    if let Some(folder) = &args.keep {
        keep_points(folder);
    }
    let checked = beside::each(&papers, &mut Status::new(), |paper, _, watch| {
        let mut points = match &args.keep {
            Some(folder) => Points::new(Store::in_folder(folder, &version)?),
            None => Points::default(),
        };
        paper.check(effort, &mut points, watch)
    })?;
    if !to_stdout {
        let texts: String = checked.iter().map(text).collect();
        output::print(&texts)?;
    }
    if let Some(path) = &args.differences {
        let page = differences::page(&checked);
        file::write(path, |out| out.write_all(page.as_bytes()))?;
    }
    args.json.write(&Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        papers: &checked,
    })?;
    // Points that were kept need no network.
    let unused = unused_everywhere().into_iter();
    for chip in unused.filter(|_| args.keep.is_none()) {
        let message = format!(
            "no simulation of gates was of a network with the chip {}",
            chip.chip
        );
        let help = "name another paper, or none to check all of them; some studies run models of chips only";
        warn("command line", &Diagnostic::new("--chip", message, help));
    }
    failure(&checked).map_or(Ok(()), Err)
}

/// The value that a paper prints, or in brackets the one that it claims.
fn paper(quantity: &Quantity) -> String {
    match (&quantity.printed, &quantity.claimed) {
        (Some(printed), _) => printed.to_string(),
        (None, Some(claimed)) => format!("({claimed})"),
        (None, None) => "-".into(),
    }
}

/// The table of a paper, the reasons, and a line with the counts.
fn text(checked: &Checked) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header(["quantity", "paper", "analytic", "simulated", "verdict"]);
    let mut reasons: Vec<&str> = Vec::new();
    for quantity in &checked.quantities {
        let mut verdict = quantity.verdict.to_string();
        if quantity.verdict != Verdict::Reproduced {
            let known = reasons.iter().position(|reason| *reason == quantity.reason);
            let number = known.unwrap_or_else(|| {
                reasons.push(&quantity.reason);
                reasons.len() - 1
            });
            let _ = write!(verdict, " ({})", number + 1);
        }
        let shown =
            |value: &Option<Value>| value.as_ref().map_or("-".into(), |v| format!("{v:.3}"));
        // One of the two is exact, and they agree or the reason tells.
        let formula = quantity.analytic.as_ref().or(quantity.enumerated.as_ref());
        let mut simulated = shown(&quantity.simulated);
        if let Some(stderr) = quantity.stderr {
            let _ = write!(simulated, " ± {stderr:.3}");
        }
        table.add_row([
            quantity.id.clone(),
            paper(quantity),
            formula.map_or("-".into(), |value| format!("{value:.3}")),
            simulated,
            verdict,
        ]);
    }
    for column in table.column_iter_mut().skip(1).take(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!("{}\n{table}\n", checked.title);
    for (number, reason) in (1..).zip(reasons) {
        let _ = writeln!(text, "({number}) {reason}");
    }
    let _ = writeln!(
        text,
        "{}: {} quantities: {} reproduced ({} by formula alone), {} undecided, {} differ, {} not reproduced; {}",
        checked.paper,
        checked.quantities.len(),
        checked.reproduced,
        checked.reproduced_by_formula,
        checked.undecided,
        checked.differs,
        checked.not_reproduced,
        if checked.holds {
            "all hold that should"
        } else {
            "some do not hold that should"
        }
    );
    text
}
