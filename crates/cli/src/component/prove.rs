//! `crosswave component prove`: the properties of a router, proved or refuted.

mod wave;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;

use super::super::interrupt;
use super::super::output::{self, Format, JsonArgs, Output};
use super::super::progress::Display;
use super::super::usage;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::escape::ShownPath;
use crosswave_base::file::{self, Folder, FolderFile};
use crosswave_base::{jobs, threads};
use crosswave_component::proof::{Counterexample, ProofLimits, ProofVerdict, Proofs};
use crosswave_component::properties::Rule;
use crosswave_component::{Component, load};

/// Cycles over which induction is tried.
const INDUCTION: u64 = 3;

/// Seconds for each step of the proof of a count of flits, at most.
const COUNT_SECONDS: u64 = 10;

#[derive(Debug, Args)]
pub(super) struct ProveArgs {
    /// Component file (TOML)
    file: PathBuf,
    /// Prove the properties whose names have this part; may be given again
    #[arg(long = "property", value_name = "TEXT")]
    properties: Vec<String>,
    /// List the properties and assumptions, and prove none
    #[arg(long)]
    list: bool,
    /// Value of a pin in the proofs, or `any`; may be given again
    #[arg(long = "pin", value_name = "NAME=VALUE|any", value_parser = pin)]
    pins: Vec<(String, Option<u64>)>,
    /// Let only the lowest N bits of each field of a destination be 1: less is proved, and sooner
    #[arg(long, value_name = "N")]
    destination_bits: Option<usize>,
    /// Cycles from the reset on that are searched for a counterexample
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    depth: u64,
    /// Seconds for each step of the proof of a property
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Folder for the waveforms of counterexamples
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Write the properties as SystemVerilog assertions, and prove none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "output", "json"])]
    assertions: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
}

/// A pin and its value; none for any.
fn pin(text: &str) -> Result<(String, Option<u64>), String> {
    let wrong = || "expected NAME=VALUE, such as my_x=1, or NAME=any".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let value = match value {
        "any" => None,
        value => Some(value.parse().map_err(|_| wrong())?),
    };
    Ok((name.to_owned(), value))
}

/// A port of the router and its value in the cycle of a counterexample, as binary digits.
#[derive(Debug, Clone, Serialize)]
struct PortInCycle {
    port: String,
    value: String,
}

/// The verdict on a property.
#[derive(Debug, Clone, Serialize)]
struct ProvedProperty {
    place: String,
    property: &'static str,
    sentence: &'static str,
    /// `proved`, `holds to a depth`, `fails`, `vacuous` or `no verdict`.
    verdict: &'static str,
    /// `k-induction` or `invariant`, of a proof.
    method: Option<&'static str>,
    /// Cycles of the induction, frames of the search for an invariant, or cycles without a counterexample.
    depth: Option<u64>,
    /// The cycle in which it is broken.
    cycle: Option<usize>,
    /// The values of the link in that cycle; those of all ports of a rule for the router.
    values: Vec<PortInCycle>,
    waveform: Option<ShownPath>,
    #[serde(skip)]
    path: String,
    seconds: f64,
}

/// The result, as JSON.
#[derive(Debug, Serialize)]
struct ProofResult {
    crosswave: &'static str,
    file: ShownPath,
    module: String,
    protocol: &'static str,
    /// Lowest bits of each field of a destination that may be 1; none for all.
    destination_bits: Option<usize>,
    assumptions: Vec<String>,
    properties: Vec<ProvedProperty>,
    proved: usize,
    seconds: f64,
}

pub(super) fn prove(args: &ProveArgs) -> Result<(), Error> {
    let assertions = args.assertions.as_deref();
    let assertions = Output::new("--assertions", Format::SystemVerilog, assertions);
    let outputs: Vec<Output<'_>> = assertions.into_iter().chain(args.json.output()).collect();
    let to_stdout = output::check(&outputs)?;
    let component = load(&args.file)?;
    if let Some(path) = &args.assertions {
        let text = component.assertions();
        return file::write(path, |out| out.write_all(text.as_bytes()));
    }
    let pins: BTreeMap<String, Option<u64>> = args.pins.iter().cloned().collect();
    for name in pins.keys() {
        let mut known = component.pins.iter();
        let known = known.any(|&(port, _)| component.router.chip.ports[port].name == *name);
        if !known {
            let message = format!("the component has no pin {name}");
            let help = "pins are those of component.pins";
            return Err(usage("--pin", message, help));
        }
    }
    let proofs = Proofs::new(component, &pins, args.destination_bits)?;
    let is_wanted = |(_, rule): &(usize, &Rule)| {
        let title = rule.title();
        let mut parts = args.properties.iter();
        args.properties.is_empty() || parts.any(|part| title.contains(part.as_str()))
    };
    let wanted: Vec<(usize, &Rule)> = proofs.all().filter(is_wanted).collect();
    if wanted.is_empty() {
        let message = "no property has this part in its name";
        return Err(usage("--property", message, "--list shows all"));
    }
    if args.list {
        return output::print(&list(&proofs));
    }
    let mut folder = match &args.output {
        Some(path) => Some(Folder::new("--output", path)?),
        None => None,
    };
    if let Some(folder) = &folder {
        folder.make()?;
        let names: Vec<String> = wanted.iter().map(|(_, rule)| wave::name(rule)).collect();
        folder.claim_names(names.iter().map(String::as_str))?;
    }
    let began = Instant::now();
    let (mut properties, found) = args.verdicts(component, &proofs, &wanted)?;
    if let Some(folder) = &mut folder {
        let path = args.output.as_ref().expect("there is a folder");
        let mut files = Vec::new();
        for (at, rule, counterexample) in &found {
            let name = wave::name(rule);
            let path = path.join(&name);
            properties[*at].waveform = Some(path.as_path().into());
            properties[*at].path = path.display().to_string();
            files.push(FolderFile::new(
                name,
                wave::vcd(component, &proofs, rule, counterexample)?,
            ));
        }
        folder.write(&files)?;
    }
    let assumptions = proofs.properties.rules.iter();
    let assumptions = assumptions.filter(|rule| rule.is_assumed).map(Rule::title);
    let result = ProofResult {
        crosswave: env!("CARGO_PKG_VERSION"),
        file: args.file.as_path().into(),
        module: component.top.clone(),
        protocol: component.form.protocol.name(),
        destination_bits: args.destination_bits,
        assumptions: assumptions.collect(),
        proved: properties
            .iter()
            .filter(|found| found.verdict == PROVED)
            .count(),
        properties,
        seconds: began.elapsed().as_secs_f64(),
    };
    args.json.write(&result)?;
    if !to_stdout {
        output::print(&text(&result))?;
    }
    result.check(args.output.is_some())
}

const PROVED: &str = "proved";
const BOUNDED: &str = "holds to a depth";
const FAILS: &str = "fails";
const VACUOUS: &str = "vacuous";
const OPEN: &str = "no verdict";

/// Counterexamples, with the numbers of their properties in the list.
type Found<'p> = Vec<(usize, &'p Rule, Counterexample)>;

impl ProveArgs {
    /// Proves properties on all processors.
    fn verdicts<'p>(
        &self,
        component: &Component,
        proofs: &Proofs,
        wanted: &[(usize, &'p Rule)],
    ) -> Result<(Vec<ProvedProperty>, Found<'p>), Error> {
        let limits = ProofLimits {
            depth: self.depth,
            induction: INDUCTION,
            seconds: self.timeout,
        };
        let mut display = Display::new();
        let done = std::cell::Cell::new(0);
        let mut properties = Vec::new();
        let mut found = Vec::new();
        interrupt::heed();
        let work = |(number, rule): (usize, &'p Rule), stop: &AtomicBool| {
            let began = Instant::now();
            let check = || match interrupt::interrupted() || stop.load(Ordering::Relaxed) {
                true => Err(interrupt::interruption()),
                false => Ok(()),
            };
            // Counts of flits are sums over the whole router, of which proofs are not found in longer time either.
            let seconds = match rule.name {
                "no-surplus" | "no-loss" => limits.seconds.min(COUNT_SECONDS),
                _ => limits.seconds,
            };
            let limits = ProofLimits { seconds, ..limits };
            let verdict = proofs.prove(number, limits, &check);
            (rule, verdict, began.elapsed().as_secs_f64())
        };
        let ended = jobs::in_order(
            threads::processors(),
            wanted.len(),
            wanted.iter().copied(),
            work,
            || display.part("property", done.get(), wanted.len() as u64),
            |(rule, verdict, seconds)| {
                done.set(done.get() + 1);
                match verdict {
                    Ok(verdict) => {
                        let property = proved(component, proofs, rule, &verdict, seconds);
                        if let ProofVerdict::Fails(counterexample) = verdict {
                            found.push((properties.len(), rule, counterexample));
                        }
                        properties.push(property);
                        ControlFlow::Continue(())
                    }
                    Err(error) => ControlFlow::Break(error),
                }
            },
        );
        match ended {
            ControlFlow::Break(error) => Err(error),
            ControlFlow::Continue(()) => Ok((properties, found)),
        }
    }
}

/// The verdict on a property as a result has it.
fn proved(
    component: &Component,
    proofs: &Proofs,
    rule: &Rule,
    verdict: &ProofVerdict,
    seconds: f64,
) -> ProvedProperty {
    let (verdict, method, depth, cycle) = match verdict {
        ProofVerdict::Inductive(k) => (PROVED, Some("k-induction"), Some(*k), None),
        ProofVerdict::Invariant(frames) => (PROVED, Some("invariant"), Some(*frames), None),
        ProofVerdict::Bounded(depth) => (BOUNDED, None, Some(*depth), None),
        ProofVerdict::Vacuous => (VACUOUS, None, None, None),
        ProofVerdict::Open => (OPEN, None, None, None),
        ProofVerdict::Fails(found) => {
            let values = wave::values(component, proofs, rule, found);
            return ProvedProperty {
                values: values
                    .into_iter()
                    .map(|(port, value)| PortInCycle { port, value })
                    .collect(),
                ..failed(rule, found.cycle(), seconds)
            };
        }
    };
    ProvedProperty {
        verdict,
        method,
        depth,
        cycle,
        ..failed(rule, 0, seconds)
    }
}

/// A property that fails in a cycle.
fn failed(rule: &Rule, cycle: usize, seconds: f64) -> ProvedProperty {
    ProvedProperty {
        place: rule.place(),
        property: rule.name,
        sentence: rule.sentence,
        verdict: FAILS,
        method: None,
        depth: None,
        cycle: Some(cycle),
        values: Vec::new(),
        waveform: None,
        path: String::new(),
        seconds,
    }
}

impl ProvedProperty {
    /// The verdict in words.
    fn words(&self) -> String {
        let depth = self.depth.unwrap_or(0);
        match (self.verdict, self.method, self.cycle) {
            (FAILS, _, Some(cycle)) => format!("fails in cycle {cycle}"),
            (PROVED, Some("k-induction"), _) => format!("proved, by induction with k = {depth}"),
            (PROVED, ..) => format!("proved, by an invariant after {depth} frames"),
            (BOUNDED, ..) => format!("holds in {depth} cycles; not proved"),
            (VACUOUS, ..) => {
                "vacuous: no legal traffic was found that it says something of".to_owned()
            }
            _ => "no verdict".to_owned(),
        }
    }
}

impl ProofResult {
    /// The error when a property is not proved.
    fn check(&self, has_folder: bool) -> Result<(), Error> {
        let open = self
            .properties
            .iter()
            .filter(|found| found.verdict != PROVED);
        let diagnostics = open.map(|found| {
            let values: Vec<String> = found
                .values
                .iter()
                .map(|PortInCycle { port, value }| format!("{port} = {value}"))
                .collect();
            let values = match values.is_empty() {
                true => String::new(),
                false => format!("; {}", values.join(", ")),
            };
            let message = format!("{}: {} ({}){values}", found.property, found.words(), found.sentence);
            let help = match (found.verdict, &found.waveform, found.cycle) {
                (FAILS, Some(_), Some(cycle)) => {
                    let path = &found.path;
                    let (from, time) = (cycle.saturating_sub(7), 10 * cycle);
                    format!(
                        "look at {time} ns of the waveform, or: crosswave show {path} --window {from}..{cycle}"
                    )
                }
                (FAILS, ..) if !has_folder => "--output FOLDER writes a waveform of it".to_owned(),
                (BOUNDED | OPEN, ..) => "a longer --timeout, a --pin or --destination-bits may give a proof".to_owned(),
                _ => String::new(),
            };
            Diagnostic::new(found.place.clone(), message, help)
        });
        let diagnostics: Vec<Diagnostic> = diagnostics.collect();
        if diagnostics.is_empty() {
            return Ok(());
        }
        Err(Error {
            class: Class::Check,
            origin: self.module.clone(),
            source: None,
            diagnostics,
        })
    }
}

fn text(result: &ProofResult) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    for found in &result.properties {
        table.add_row([
            found.place.clone(),
            found.property.to_owned(),
            found.words(),
            format!("{:.1} s", found.seconds),
        ]);
    }
    let bits = match result.destination_bits {
        None => String::new(),
        Some(bits) => format!(", for destinations of {bits} bits"),
    };
    format!(
        "{table}\n{} of {} properties proved{bits}, under {} assumptions, in {:.1} s\n",
        result.proved,
        result.properties.len(),
        result.assumptions.len(),
        result.seconds
    )
}

/// The rules, with their sentences.
fn list(proofs: &Proofs) -> String {
    let mut text = String::new();
    for (title, is_assumed) in [("properties of the router", false), ("assumptions", true)] {
        let _ = writeln!(text, "{title}:");
        let rules = proofs.properties.rules.iter();
        for rule in rules.filter(|rule| rule.is_assumed == is_assumed) {
            let _ = writeln!(text, "  {}: {}", rule.title(), rule.sentence);
        }
    }
    text
}
