//! `crosswave faults`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};

use super::output::{self, JsonArgs, Output};
use super::progress::Display;
use super::{ConfigArgs, interrupt, say, usage};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::escape;
use crosswave_base::file::Folder;
use crosswave_observe::export::router_tests;
use crosswave_run::campaign::network::MessageEffect;
use crosswave_run::campaign::report::{CampaignReport, FaultClass, FaultCounts, FaultRow, Unseen};
use crosswave_run::campaign::{self, Campaign, CampaignOptions, Phase};
use crosswave_run::simulation::Simulation;

/// A kind of fault, as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FaultChoice {
    /// Each net, and each pin that reads one, stuck at 0 and at 1
    StuckAt,
    /// The outputs of each link, a cycle late
    LateLinks,
    /// Flip-flops that flip in one cycle of the first replicate; --flips says how many are drawn
    Flips,
}

#[derive(Debug, Args)]
pub(super) struct FaultsArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The router in which the faults are, by its name in waveforms; the one whose links change most
    /// where none is named
    #[arg(long, value_name = "NAME")]
    router: Option<String>,
    /// The kinds of faults, separated by commas
    #[arg(
        long,
        value_name = "KINDS",
        value_enum,
        value_delimiter = ',',
        default_value = "stuck-at"
    )]
    faults: Vec<FaultChoice>,
    /// Flips that are drawn, each of a flip-flop in a cycle
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    flips: u32,
    /// Take so many stuck-at faults, drawn from those that are not equivalent, instead of all
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// Look at the router by itself only: where faults show at its outputs, and not what becomes of messages
    #[arg(long, action = ArgAction::SetTrue)]
    alone: bool,
    /// Give up a run with a fault in this cycle, as one that hangs; twice the cycles of the run without one,
    /// and 1000, where it is not given
    #[arg(long, value_name = "CYCLE", value_parser = clap::value_parser!(u64).range(1..))]
    hang_cycle: Option<u64>,
    /// Stuck-at faults that do not show, or that harm no message, which are listed at most
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    list: usize,
    /// Fail where fewer stuck-at faults show, in percent of those that are not proved to be unable to
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    at_least: Option<u8>,
    /// Write few tests of the router that detect all stuck-at faults and late links which these runs detect, into a
    /// folder, with test benches for Icarus Verilog, Verilator and cocotb
    #[arg(long, value_name = "FOLDER")]
    tests: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
}

pub(super) fn faults(args: &FaultsArgs) -> Result<(), Error> {
    let outputs: Vec<Output> = args.json.output().into_iter().collect();
    let to_stdout = output::check(&outputs)?;
    let asked = |choice| args.faults.contains(&choice);
    if asked(FaultChoice::Flips) && args.flips == 0 {
        return Err(usage(
            "--flips",
            "there are none",
            "draw some, or leave out flips",
        ));
    }
    if args.at_least.is_some() && !asked(FaultChoice::StuckAt) {
        let help = "add stuck-at to --faults";
        return Err(usage(
            "--at-least",
            "it is a share of stuck-at faults",
            help,
        ));
    }
    let sourced = args.config.read_sourced(&[])?;
    let network = sourced.config.topology();
    let mut chips = network.chips().into_iter();
    let model = chips.find(|(chip, count)| *count > 0 && !chip.has_netlist());
    if let (Some((chip, _)), true) = (model, network.own_netlists().is_empty()) {
        let found = format!("{} is a model without a netlist", chip.name);
        let help =
            "only networks whose chips all have gates can be broken; shorter queues may have";
        return Err(usage("faults", found, help));
    }
    if !network.monitored().is_empty() {
        let help = "set checks.monitors = false";
        return Err(usage(
            "checks.monitors",
            "monitors would be broken too",
            help,
        ));
    }
    let sourced = args.config.read_sourced(&["run.engine=gate".to_owned()])?;
    let options = CampaignOptions {
        router: args.router.clone(),
        stuck: asked(FaultChoice::StuckAt),
        late: asked(FaultChoice::LateLinks),
        flips: match asked(FaultChoice::Flips) {
            true => args.flips,
            false => 0,
        },
        effects: !args.alone,
        sample: args.sample,
        cycles_max: args.hang_cycle,
        chooses_tests: args.tests.is_some(),
    };
    let folder = args.tests.as_deref();
    let mut folder = folder
        .map(|path| Folder::new("--tests", path))
        .transpose()?;
    if let Some(folder) = &folder {
        folder.make()?;
        folder.claim_names(router_tests::NAMES)?;
    }
    let simulation = Simulation::new(&sourced.config)?.without_rest();
    interrupt::heed();
    let mut display = Display::new();
    let Campaign { report, tests } =
        campaign::run(&simulation, &options, &mut |phase, done, all| {
            let of = match phase {
                Phase::Recording => "without a fault: replicate",
                Phase::Alone => "in the router alone: fault",
                Phase::Network => "in the network: fault",
                Phase::Reasons => "reasons: fault",
                Phase::Tests => "tests: replicate",
            };
            display.part(of, done as u64, all as u64);
            !interrupt::interrupted()
        })?;
    drop(display);
    if let (Some(folder), Some(tests)) = (&mut folder, &tests) {
        let files = router_tests::files(tests, simulation.network(), &sourced.source.origin);
        folder.remove_others(&files);
        folder.write(&files)?;
    }
    args.json.write(&report)?;
    if !to_stdout {
        output::print(&text(&report, args.list))?;
    }
    if let (Some(path), Some(tests)) = (&args.tests, &tests) {
        let cycles: u64 = tests.tests.iter().map(|test| test.last_cycle).sum();
        let tests = match tests.tests.len() {
            1 => "one test detects".to_owned(),
            count => format!("{count} tests detect"),
        };
        say(&format!(
            "{}: {tests} in {cycles} cycles what the runs detect",
            path.display()
        ));
    }
    check(&report, args.at_least)
}

/// Fails where too few faults show.
fn check(report: &CampaignReport, least: Option<u8>) -> Result<(), Error> {
    let stuck = report
        .counts
        .iter()
        .find(|one| one.kind == FaultClass::StuckAt);
    let (Some(stuck), Some(least)) = (stuck, least) else {
        return Ok(());
    };
    if stuck.test_coverage_percent >= f64::from(least) {
        return Ok(());
    }
    let found = format!(
        "{} of the faults that are not proved to be unable to show do; expected at least {least} %",
        percent(stuck.test_coverage_percent)
    );
    let help = "run more traffic, or more replicates: --set run.replicates=16";
    let wrong = Diagnostic::new(format!("router {}", report.router), found, help);
    Err(Error::one(Class::Check, "faults", wrong))
}

/// A share in percent, never more than it is.
fn percent(share: f64) -> String {
    format!("{:.2} %", (100.0 * share).floor() / 100.0)
}

/// The word for an effect in tables.
fn effect(effect: MessageEffect) -> &'static str {
    match effect {
        MessageEffect::None => "no effect on messages",
        MessageEffect::Delayed => "messages delayed",
        MessageEffect::Retried => "messages retried",
        MessageEffect::Wrong => "wrong at a node",
        MessageEffect::Lost => "messages lost",
        MessageEffect::Deceived => "sender deceived",
        MessageEffect::Hang => "hang",
        MessageEffect::Unsettled => "outputs do not settle",
    }
}

/// The word for a reason in tables.
fn reason(unseen: Unseen) -> &'static str {
    match unseen {
        Unseen::Redundant => "redundant, proved",
        Unseen::Pins => "held by pins of this instance, proved",
        Unseen::NotExcited => "the net never had the other value",
        Unseen::NotPropagated => "the outputs were the same",
    }
}

/// The rows of a table: what they count, and the count of a kind of fault.
type Row = (String, Box<dyn Fn(&FaultCounts) -> Option<u64>>);

fn rows() -> Vec<Row> {
    let count = |text: &str, of: fn(&FaultCounts) -> u64| -> Row {
        (text.to_owned(), Box::new(move |counts| Some(of(counts))))
    };
    let mut rows = vec![
        count("faults", |counts| counts.faults),
        count("  not equivalent", |counts| counts.classes),
        count("show at an output", |counts| counts.seen),
    ];
    for of in MessageEffect::ALL {
        rows.push((
            format!("  {}", effect(of)),
            Box::new(move |counts| match of {
                MessageEffect::None => counts.harmless,
                MessageEffect::Delayed => counts.delayed,
                MessageEffect::Retried => counts.retried,
                MessageEffect::Wrong => counts.wrong,
                MessageEffect::Lost => counts.lost,
                MessageEffect::Deceived => counts.deceived,
                MessageEffect::Hang => counts.hang,
                MessageEffect::Unsettled => counts.unsettled,
            }),
        ));
    }
    rows.push(count("do not show", |counts| counts.faults - counts.seen));
    for of in [
        Unseen::Redundant,
        Unseen::Pins,
        Unseen::NotExcited,
        Unseen::NotPropagated,
    ] {
        rows.push((
            format!("  {}", reason(of)),
            Box::new(move |counts| {
                Some(match of {
                    Unseen::Redundant => counts.redundant,
                    Unseen::Pins => counts.pins,
                    Unseen::NotExcited => counts.not_excited,
                    Unseen::NotPropagated => counts.not_propagated,
                })
            }),
        ));
    }
    rows
}

/// The table of a campaign, and what is worth looking at.
fn text(report: &CampaignReport, list: usize) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut header = vec![format!("{} ({})", report.router, report.chip)];
    header.extend(report.counts.iter().map(|one| one.kind.plural().to_owned()));
    table.set_header(header.iter().map(|name| escape::line(name).to_string()));
    for (name, of) in rows() {
        let counts: Vec<Option<u64>> = report.counts.iter().map(of).collect();
        // Effects that no fault has, and those that were not looked for, take no row.
        if name.starts_with(' ') && counts.iter().all(|count| count.unwrap_or(0) == 0) {
            continue;
        }
        let cells = counts.into_iter();
        let cells = cells.map(|count| count.map_or("-".to_owned(), |count| count.to_string()));
        table.add_row(std::iter::once(name).chain(cells));
    }
    for (name, of) in [
        (
            "fault coverage",
            (|counts| counts.fault_coverage_percent) as fn(&FaultCounts) -> f64,
        ),
        ("test coverage", |counts| counts.test_coverage_percent),
    ] {
        let cells = report.counts.iter().map(|counts| percent(of(counts)));
        table.add_row(std::iter::once(name.to_owned()).chain(cells));
    }
    for column in 1..=report.counts.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = format!("{table}\n");
    let _ = writeln!(
        text,
        "{} and {} without a fault",
        plural(report.replicates, "replicate"),
        plural(report.cycles, "cycle")
    );
    listed(report, list, &mut text);
    text
}

fn plural(count: u64, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}

/// The faults that are not explained: those that more traffic may show, and those that show and harm no
/// message.
fn listed(report: &CampaignReport, list: usize, text: &mut String) {
    let open =
        |row: &&FaultRow| matches!(row.unseen, Some(Unseen::NotExcited | Unseen::NotPropagated));
    let harmless = |row: &&FaultRow| {
        row.effect == Some(MessageEffect::None) && row.kind == FaultClass::StuckAt
    };
    let open: Vec<&FaultRow> = report.faults.iter().filter(open).collect();
    let harmless: Vec<&FaultRow> = report.faults.iter().filter(harmless).collect();
    for (title, rows) in [
        ("do not show, and are not proved to be unable to", open),
        (
            "show at an output, and change nothing of the messages",
            harmless,
        ),
    ] {
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{title}: {} that are not equivalent", rows.len());
        for row in rows.iter().take(list) {
            let found = match (row.unseen, row.cycle, &row.output) {
                (Some(unseen), ..) => reason(unseen).to_owned(),
                (None, Some(cycle), Some(output)) => format!("{output} differs in cycle {cycle}"),
                _ => String::new(),
            };
            let source = row.source.as_deref().map(|source| format!(" ({source})"));
            let line = format!("{}: {found}{}", row.fault, source.unwrap_or_default());
            let _ = writeln!(text, "  {}", escape::line(&line));
        }
        if rows.len() > list {
            let _ = writeln!(text, "  and {} more; --list shows more", rows.len() - list);
        }
    }
}
