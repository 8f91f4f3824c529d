//! `crosswave view`.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::output::{self, Format, Output};
use super::progress::{Display, Progress, RunPart};
use super::{ConfigArgs, interrupt};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file;
use crosswave_observe::life::Follower;
use crosswave_observe::view::{self, About, Cut, PageLayout, Recorder, layout, record};
use crosswave_run::config::Config;
use crosswave_run::host::{End, Outcome};
use crosswave_run::simulation::Simulation;
use crosswave_wave::CycleWindow;

#[derive(Debug, Args)]
pub(super) struct ViewArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Write the page; - is standard output
    #[arg(long, value_name = "FILE|-")]
    html: PathBuf,
    /// Replicate
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    replicate: u32,
    /// Cycles that the page shows, both included. Without it, those from 0 to the end of the run, or
    /// to the cycle in which there are more hops than --hops-max
    #[arg(long, value_name = "FROM..TO")]
    window: Option<String>,
    /// Routers that attempts come to, and attempts, in the page; the cycles end with the one that
    /// has more
    #[arg(long, value_name = "N", default_value_t = record::HOPS_MAX)]
    hops_max: usize,
    /// Routers and nodes of a network up to which each is drawn; those of a larger one are drawn
    /// by subtrees and groups
    #[arg(long, value_name = "N", default_value_t = layout::CHIPS_MAX)]
    chips_max: usize,
}

pub(super) fn view(args: &ViewArgs) -> Result<(), Error> {
    let window = match &args.window {
        None => CycleWindow::ALL,
        Some(text) => CycleWindow::parse("--window", text)
            .map_err(|diagnostic| Error::one(Class::Usage, "command line", diagnostic))?,
    };
    let config = args.config.read_sourced(&[])?.config;
    let page = Output::new("--html", Format::Html, Some(&args.html));
    output::check(page.as_slice())?;
    super::check_replicate(&config, args.replicate)?;
    let simulation = Simulation::new(&config)?;
    let replicate = simulation.replicate(args.replicate)?;
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let cycles_max = simulation.cycles_max(&replicate.workload);
    let part = RunPart {
        first: args.replicate,
        count: 1,
        all: config.run.replicates,
        cycles_max: cycles_max.min(window.last),
    };
    let mut recorder = Recorder::new(window.first, window.last, args.hops_max);
    let mut until = view::Window::until(window.last);
    let mut follower = Follower::new(network, fabric, &mut recorder);
    let (mut display, mut nothing) = (Display::new(), ());
    let progress = Progress::new(&mut display, part, &mut nothing);
    let mut observer = (progress, (&mut until, &mut follower));
    let outcome = simulation.run_one(&replicate, &mut observer)?;
    follower.finish().expect("a recorder takes all records");
    recorder.sort();
    let last_cycle = until.last_seen();
    if window.first > last_cycle {
        return Err(begins_late(window.first, last_cycle));
    }
    let cut = cut(&outcome, &until);
    let about = About {
        title: format!("{}, {} nodes", config.network.kind().title, network.nodes()),
        facts: facts(&config, &simulation, args.replicate),
        first_cycle: window.first,
        last_cycle,
        cut,
    };
    let layout = PageLayout::new(network, fabric, args.chips_max);
    let html = view::html(&about, network, fabric, &layout, &recorder);
    file::write(&args.html, |out| out.write_all(html.as_bytes()))?;
    match cut {
        Cut::Interrupted => Err(interrupt::interruption()),
        Cut::Full => {
            let found = format!(
                "the page ends with cycle {last_cycle}: there are more than {} hops",
                args.hops_max
            );
            let help = format!("--window {}.. shows what follows", last_cycle + 1);
            super::warn("command line", &Diagnostic::new("--hops-max", found, help));
            Ok(())
        }
        Cut::End | Cut::Window => Ok(()),
    }
}

/// The reason for which a run has ended.
fn cut(outcome: &Outcome, until: &view::Window) -> Cut {
    match outcome.end {
        End::Finished | End::Lost | End::Stalled | End::OutOfCycles => Cut::End,
        End::Interrupted if interrupt::interrupted() => Cut::Interrupted,
        End::Interrupted if until.is_over() => Cut::Window,
        End::Interrupted => Cut::Full,
    }
}

fn begins_late(first_cycle: u64, last_cycle: u64) -> Error {
    let found = format!("it begins at cycle {first_cycle}, and the run ended at {last_cycle}");
    super::usage("--window", found, "begin the window earlier")
}

/// Facts about a run. The engine that runs it, and the paths of its files, are left out.
fn facts(config: &Config, simulation: &Simulation, replicate: u32) -> Vec<(String, String)> {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let summary = simulation.network().summary();
    let mut facts = summary.rows;
    let traffic = serde_json::to_value(&config.traffic).unwrap_or_default();
    let keys = traffic.as_object().into_iter().flatten();
    let keys = keys.filter(|(key, _)| *key != "trace");
    facts.extend(keys.map(|(key, value)| (key.replace('_', " "), plain(value))));
    facts.push(("retry".into(), config.retry.strategy.name().into()));
    facts.push(("seed".into(), config.run.seed.to_string()));
    facts.push(("replicate".into(), replicate.to_string()));
    facts
}
