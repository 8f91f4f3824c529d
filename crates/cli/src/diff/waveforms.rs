//! Two waveforms.

use std::path::Path;

use super::found::{Cycles, Map, WaveDiff, tops};
use super::{DiffArgs, Opened, WaveDiffArgs, different, output, usage};
use crate::{say, warn_all};
use crosswave_base::diagnostic::{Class, Error};
use crosswave_wave::compare::{ComparedNames, Comparer, Prefix, Rules, time_factors};
use crosswave_wave::source::open_input;
use crosswave_wave::{CycleWindow, Timescale, WaveSource, Waveform, select};

pub(super) fn diff(
    args: &DiffArgs,
    [left, right]: [Opened; 2],
    to_stdout: bool,
) -> Result<(), Error> {
    let wanted = &args.waves;
    let window = match &wanted.window {
        None => CycleWindow::ALL,
        Some(text) => CycleWindow::parse("--window", text)
            .map_err(|diagnostic| Error::one(Class::Usage, "command line", diagnostic))?,
    };
    let mut left = open_input(left.path, left.input)?;
    let mut right = open_input(right.path, right.input)?;
    let maps = maps(args, left.declared(), right.declared())?;
    let prefixes: Vec<Prefix> = maps.iter().map(prefix).collect();
    let names = ComparedNames::new(left.declared(), right.declared(), &prefixes);
    let kept = select("--scope", &names, &wanted.scopes)?;
    let digits = left.real_digits().min(right.real_digits());
    let rules = Rules {
        x_matches: wanted.x_matches,
        real_digits: wanted.real_digits.unwrap_or(digits),
    };
    let scales = (left.declared().timescale, right.declared().timescale);
    let factors = time_factors(scales.0, scales.1);
    let (left_kept, right_kept) = kept.split_at(left.declared().signals.len());
    let phase = left.phase(left_kept, wanted.period)?;
    let mut cycles = Cycles {
        period: wanted.period.saturating_mul(factors.0),
        phase: phase.map(|phase| phase.saturating_mul(factors.0)),
    };
    let grids = match wanted.cycle_ends {
        false => [None; 2],
        true => grids(&mut cycles, factors, &mut right, right_kept)?.map(Some),
    };
    let times = match wanted.window {
        Some(_) => cycles.times(window),
        None => (0, u64::MAX),
    };
    let mut left = read(&args.left, left, left_kept)?;
    let mut right = read(&args.right, right, right_kept)?;
    for (wave, grid) in [&mut left, &mut right].into_iter().zip(grids) {
        if let Some((period, phase)) = grid {
            wave.show_cycle_ends(period, phase);
        }
    }
    let ends = [
        (&args.left, left.end.saturating_mul(factors.0)),
        (&args.right, right.end.saturating_mul(factors.1)),
    ];
    if let Some((file, _)) = ends.iter().find(|(_, end)| *end < times.0) {
        let found = format!(
            "nothing was compared: {} ends before the window",
            file.display()
        );
        return Err(different(
            args,
            found,
            "--window takes cycles, and --period what they last",
        ));
    }
    // Kinds of signals are told by their values: some tools declare everything as bits.
    let names = ComparedNames::new(&left, &right, &prefixes);
    let mut comparer = Comparer::new(&names, &kept, rules, factors);
    comparer.part(&left, &right, times);
    let unit = finer(scales.0, scales.1);
    let found = WaveDiff::new(comparer.finish(), args.common, maps, unit, &cycles, rules);
    args.json.write(&found)?;
    if !to_stdout {
        output::print(&found.text(args))?;
    }
    match found.is_same() {
        true => Ok(()),
        false => Err(found.ended(args, [&left, &right])),
    }
}

/// The period and the phase of the cycles in the times of either file. The clock of the first one says where they
/// begin, or else that of the second one: windows and messages count them from there too.
fn grids(
    cycles: &mut Cycles,
    factors: (u64, u64),
    right: &mut WaveSource,
    right_kept: &[bool],
) -> Result<[(u64, u64); 2], Error> {
    let refused = |found: &str, help: &str| Err(usage("--cycle-ends", found, help));
    if !cycles.period.is_multiple_of(factors.1) {
        let found = "a cycle is no whole number of time units of the second file";
        let help = "leave --cycle-ends out, or let the second file be the first one";
        return refused(found, help);
    }
    let of_right = cycles.period / factors.1;
    if cycles.phase.is_none() {
        let phase = right.phase(right_kept, of_right)?;
        cycles.phase = phase.map(|phase| phase.saturating_mul(factors.1));
    }
    let Some(phase) = cycles.phase else {
        let found =
            "neither file has a clock with cycles of --period, which tells where they begin";
        return refused(found, "let --period be what the cycles of a clock last");
    };
    if !phase.is_multiple_of(factors.0) || !phase.is_multiple_of(factors.1) {
        let found = "cycles begin within a time unit of one of the files";
        return refused(found, "leave --cycle-ends out");
    }
    let in_units = |factor: u64| (cycles.period / factor, phase / factor);
    Ok([in_units(factors.0), in_units(factors.1)])
}

/// All changes of the signals that are kept, and of the names of what they show.
fn read(file: &Path, source: WaveSource, kept: &[bool]) -> Result<Waveform, Error> {
    let declared = source.declared();
    let mut kept = kept.to_vec();
    for signal in 0..kept.len() {
        if let Some(names) = declared.names_of(signal).filter(|_| kept[signal]) {
            kept[names] = true;
        }
    }
    let wave = source.some(&kept, (0, u64::MAX))?;
    warn_all(file, &wave.warnings);
    Ok(wave)
}

/// The finer of two units.
fn finer(left: Option<Timescale>, right: Option<Timescale>) -> Option<Timescale> {
    let units = [left, right].into_iter().flatten();
    units.min_by_key(|unit| unit.femtoseconds())
}

/// Names of scopes in the second file: those that were asked for, or, if the files share no signal,
/// those that are found.
fn maps(args: &DiffArgs, left: &Waveform, right: &Waveform) -> Result<Vec<Map>, Error> {
    let WaveDiffArgs { maps, .. } = &args.waves;
    if maps.is_empty() {
        let Some(prefix) = Prefix::found(left, right) else {
            return Ok(Vec::new());
        };
        say(&format!(
            "note: no path is common, so {} of {} is compared with {} of {}\n  \
             help: this is --map '{}={}'; use another --map to choose otherwise",
            scope(&prefix.left),
            args.left.display(),
            scope(&prefix.right),
            args.right.display(),
            prefix.left,
            prefix.right,
        ));
        let Prefix { left, right } = prefix;
        return Ok(vec![Map {
            left,
            right,
            is_automatic: true,
        }]);
    }
    let mut given: Vec<Map> = Vec::new();
    for text in maps {
        let Some((first, second)) = text.split_once('=') else {
            let found = format!("`{text}` has no `=`");
            let help = "write it as testbench=TOP.testbench: a scope of the first file, and what \
                        it is called in the second one";
            return Err(usage("--map", found, help));
        };
        for (wave, path, file) in [(left, first, &args.left), (right, second, &args.right)] {
            check_scope(wave, path, file)?;
        }
        if given.iter().any(|map| map.right == second) {
            let found = format!("`{second}` stands for two scopes of the first file");
            return Err(usage(
                "--map",
                found,
                "name each scope of the second file once",
            ));
        }
        given.push(Map {
            left: first.to_owned(),
            right: second.to_owned(),
            is_automatic: false,
        });
    }
    Ok(given)
}

fn prefix(map: &Map) -> Prefix {
    Prefix {
        left: map.left.clone(),
        right: map.right.clone(),
    }
}

/// A scope for people.
fn scope(path: &str) -> String {
    match path {
        "" => "all".to_owned(),
        path => format!("scope `{path}`"),
    }
}

/// Fails when a waveform has no such scope.
fn check_scope(wave: &Waveform, path: &str, file: &Path) -> Result<(), Error> {
    let mut scopes = 0..wave.scopes.len();
    if path.is_empty() || scopes.any(|scope| wave.scope_path(scope) == path) {
        return Ok(());
    }
    let found = format!("{} has no scope `{path}`", file.display());
    let help = match tops(wave).as_str() {
        "" => "it has no scopes; leave the name empty".to_owned(),
        tops => format!("its scopes are {tops}, and those within; the first file's stands first"),
    };
    Err(usage("--map", found, &help))
}
