//! Campaigns of faults: one router of a network is broken in every way in turn, under the traffic of a
//! configuration.
//!
//! 1. The network runs without a fault, and all that the router takes and shows is written down
//!    (`recorded`).
//! 2. The router by itself takes the same again with another fault in each of 511 lanes (`alone`): where a
//!    fault shows first, or that it never does.
//! 3. Each fault that shows is put into the router of a copy of the network, and hundreds of copies run on
//!    one engine: what becomes of the messages (`network`).
//! 4. Of a stuck-at fault that does not show the reason is looked for.
//! 5. Where it is asked for, the beginnings of few runs are chosen that detect all that was detected
//!    (`detecting`).
//!
//! Equivalent faults are looked at once, and count as many as they are.

pub mod alone;
pub mod detecting;
pub mod network;
pub mod recorded;
pub mod report;
pub mod target;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::host::End;
use crate::observer::Observer;
use crate::simulation::Simulation;
use alone::{FAULTS_TOGETHER, Seen, TimedFault};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::jobs::{begun_at_most, in_order};
use crosswave_base::random;
use crosswave_chips::{PinDirection, Role};
use crosswave_lanes::{Backend, constants::constants};
use crosswave_netlist::faults::{FaultEffect, GateFault};
use crosswave_netlist::redundant::RedundancyProver;
use crosswave_network::Fabric;
use crosswave_probe::engine::{Engine, Watched};
use detecting::RouterTests;
use network::MessageEffect;
use recorded::{PortRecorder, Recorded};
use report::{CampaignReport, Unseen};
use target::RouterUnderTest;

/// Stream from which the flip-flops and cycles of flips are drawn.
const STREAM_FLIP: u64 = 0x666c_6970;
/// Stream from which a sample of the faults is drawn.
const STREAM_SAMPLE: u64 = 0x7361_6d70;

/// A run is given up after so many times the cycles of the one without a fault, and so many more.
const CYCLES_RATIO: u64 = 2;
const CYCLES_MORE: u64 = 1000;

/// The first cycle in which a flip-flop can have another value than after the reset.
const FLIP_CYCLE: u64 = 2;

/// Faults of which one processor looks for the reasons at a time.
const PROVED_TOGETHER: usize = FAULTS_TOGETHER / 2;

/// A campaign, as it is asked for.
#[derive(Debug, Clone, Default)]
pub struct CampaignOptions {
    /// The name of the router in waveforms; the one whose links change most when none is given.
    pub router: Option<String>,
    /// True when nets are stuck.
    pub stuck: bool,
    /// Number of flips of flip-flops, each in a cycle that is drawn.
    pub flips: u32,
    /// True when links are late.
    pub late: bool,
    /// True when it is found out what becomes of messages.
    pub effects: bool,
    /// The most classes of stuck-at faults, drawn from all; all of them when none is given.
    pub sample: Option<u32>,
    /// The cycle after which a run with a fault is given up.
    pub cycles_max: Option<u64>,
    /// True when tests are chosen that detect what was detected.
    pub chooses_tests: bool,
}

/// The results of a campaign.
#[derive(Debug)]
pub struct Campaign {
    /// The faults.
    pub report: CampaignReport,
    /// The tests, where they were asked for.
    pub tests: Option<RouterTests>,
}

/// A part of a campaign, for who tells how far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The network runs without a fault.
    Recording,
    /// Faults of the router by itself.
    Alone,
    /// Faults in the network.
    Network,
    /// Reasons of faults that do not show.
    Reasons,
    /// Choice of tests, run by run.
    Tests,
}

/// Takes how many of all are done in a phase, and says whether to go on.
pub type OnCampaign<'a> = dyn FnMut(Phase, usize, usize) -> bool + 'a;

/// A fault that stands for those that are equivalent to it, and what was found.
#[derive(Debug, Clone, Copy)]
pub struct Finding {
    /// The fault.
    pub timed: TimedFault,
    /// Faults that are equivalent, itself among them.
    pub weight: u32,
    /// The replicate in which it shows, and where.
    pub seen: Option<(u32, Seen)>,
    /// The effect on messages, where it was asked for.
    pub effect: Option<MessageEffect>,
    /// The reason for which a stuck-at fault does not show.
    pub unseen: Option<Unseen>,
}

/// Runs the network without a fault, and finds out which router's links change most.
struct BusyObserver {
    watched: Vec<Watched>,
    counts: Vec<Vec<u64>>,
}

impl BusyObserver {
    fn new(fabric: &Fabric) -> BusyObserver {
        let mut watched = Vec::new();
        for array in fabric.router_arrays() {
            let layout = &fabric.arrays[array];
            for (at, port) in layout.chip.ports.iter().enumerate() {
                let is_link = matches!(port.role, Role::Link { .. });
                if is_link && port.direction == PinDirection::Output {
                    watched.push(Watched::new(array, at, port.width, layout.instances));
                }
            }
        }
        let arrays = fabric.arrays.iter();
        BusyObserver {
            watched,
            counts: arrays.map(|array| vec![0; array.instances]).collect(),
        }
    }

    /// The array and instance with most changes, the first one of those that are alike.
    fn busiest(&self, fabric: &Fabric) -> (usize, usize) {
        let mut busiest = (0, (0, 0));
        for array in fabric.router_arrays() {
            for (instance, &count) in self.counts[array].iter().enumerate() {
                if count > busiest.0 {
                    busiest = (count, (array, instance));
                }
            }
        }
        busiest.1
    }
}

impl Observer for BusyObserver {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        for watched in &mut self.watched {
            watched.changed.fill(0);
            engine.watch(watched);
            let counts = &mut self.counts[watched.array];
            for (word, &changed) in watched.changed.iter().enumerate() {
                let mut left = changed;
                while left != 0 {
                    counts[64 * word + left.trailing_zeros() as usize] += 1;
                    left &= left - 1;
                }
            }
        }
    }
}

/// The place of a router by its name, or of the busiest one.
fn place(simulation: &Simulation, name: Option<&str>) -> Result<(usize, usize), Error> {
    let fabric = simulation.fabric();
    let Some(name) = name else {
        let mut busy = BusyObserver::new(fabric);
        simulation.run_one(&simulation.replicate(0)?, &mut busy)?;
        return Ok(busy.busiest(fabric));
    };
    let mut known = Vec::new();
    for array in fabric.shown_arrays() {
        for instance in 0..fabric.arrays[array].instances {
            let of_instance = fabric.instance_name(array, instance);
            if of_instance == name {
                return Ok((array, instance));
            }
            if known.len() < 8 {
                known.push(of_instance);
            }
        }
    }
    let found = format!("the network has no chip {name}");
    let help = format!(
        "name one as waveforms do, such as {}; `crosswave signals` lists them",
        known.join(", ")
    );
    let wrong = Diagnostic::new("--router", found, help);
    Err(Error::one(Class::Usage, "faults", wrong))
}

/// The faults of a campaign: those of which each stands for a class, with the sizes of the classes.
fn faults(
    simulation: &Simulation,
    router: &RouterUnderTest,
    options: &CampaignOptions,
    last_cycle: u64,
) -> Vec<Finding> {
    let seed = simulation.config().run.seed;
    let finding = |fault, cycle, weight| Finding {
        timed: TimedFault { fault, cycle },
        weight,
        seen: None,
        effect: None,
        unseen: None,
    };
    let mut found = Vec::new();
    if options.stuck {
        let stuck = router.target.stuck();
        let mut weights = vec![0; stuck.faults.len()];
        stuck.class.iter().for_each(|&of| weights[of as usize] += 1);
        let classes: Vec<u32> = (0..weights.len() as u32)
            .filter(|&at| weights[at as usize] > 0)
            .collect();
        let mut chosen = match options.sample {
            Some(count) if (count as usize) < classes.len() => {
                random::choose(classes, count, seed, STREAM_SAMPLE)
            }
            _ => classes,
        };
        chosen.sort_unstable();
        let chosen = chosen.into_iter().map(|at| at as usize);
        found.extend(chosen.map(|at| finding(stuck.faults[at], 0, weights[at])));
    }
    if options.late {
        let late = router.late_links().into_iter();
        found.extend(late.map(|fault| finding(fault, 0, 1)));
    }
    let flip_flops = router.target.flip_flops();
    if !flip_flops.is_empty() && last_cycle >= FLIP_CYCLE {
        let mut generator = random::generator(seed, STREAM_FLIP);
        for _ in 0..options.flips {
            let site = random::below(&mut generator, flip_flops.len() as u64) as usize;
            let cycle = FLIP_CYCLE + random::below(&mut generator, last_cycle + 1 - FLIP_CYCLE);
            let fault = GateFault {
                site: flip_flops[site],
                effect: FaultEffect::Flip,
            };
            found.push(finding(fault, cycle, 1));
        }
    }
    found
}

/// Refuses what a run of so many cycles, and the first replicate, cannot do.
fn check(options: &CampaignOptions, longest: u64, first: u64) -> Result<(), Error> {
    let refused = |place: &str, found: String, help: &str| {
        Err(Error::one(
            Class::Usage,
            "faults",
            Diagnostic::new(place, found, help),
        ))
    };
    if let Some(cycle) = options.cycles_max
        && cycle <= longest
    {
        let found = format!("found {cycle}; the run without a fault ends in cycle {longest}");
        return refused("--hang-cycle", found, "name a later cycle");
    }
    if options.flips > 0 && first < FLIP_CYCLE {
        let found = format!("the run ends in cycle {first}, before a flip can show");
        return refused("--faults flips", found, "run more traffic");
    }
    Ok(())
}

/// The error of a campaign that was interrupted.
fn interrupted() -> Error {
    let wrong = Diagnostic::new("interrupted", "the campaign did not end", "run it again");
    Error::one(Class::Check, "faults", wrong)
}

/// Runs a campaign on a simulation of the gate engine that never skips cycles.
///
/// # Errors
/// When the router is not known, a netlist cannot be compiled, the run without a fault is too long to be
/// recorded or does not deliver its messages, and when the campaign is interrupted.
pub fn run(
    simulation: &Simulation,
    options: &CampaignOptions,
    on_campaign: &mut OnCampaign<'_>,
) -> Result<Campaign, Error> {
    let place = place(simulation, options.router.as_deref())?;
    let router = RouterUnderTest::new(simulation.config(), simulation.fabric(), place)?;
    let replicates = simulation.config().run.replicates;
    let mut recordings = Vec::new();
    for index in 0..replicates {
        if !on_campaign(Phase::Recording, index as usize, replicates as usize) {
            return Err(interrupted());
        }
        recordings.push(record(simulation, &router, index)?);
    }
    let last_cycle = recordings.first().map_or(0, |one| one.last_cycle);
    let longest = recordings.iter().map(|one| one.last_cycle).max();
    check(options, longest.unwrap_or(0), last_cycle)?;
    let mut findings = faults(simulation, &router, options, last_cycle);
    for (index, recorded) in (0..).zip(&recordings) {
        look_alone(
            simulation,
            &router,
            (index, recorded),
            &mut findings,
            on_campaign,
        )?;
    }
    if options.effects {
        for (index, recorded) in (0..).zip(&recordings) {
            let cycles_max = options
                .cycles_max
                .unwrap_or(CYCLES_RATIO * recorded.last_cycle + CYCLES_MORE);
            let of = (index, recorded, cycles_max);
            look_in_network(simulation, &router, of, &mut findings, on_campaign)?;
        }
    }
    explain(simulation, &router, &recordings, &mut findings, on_campaign)?;
    let tests = options.chooses_tests.then(|| {
        let threads = simulation.processors();
        let goes_on = &mut |done, all| on_campaign(Phase::Tests, done, all);
        RouterTests::new(&router, &recordings, &findings, threads, goes_on)
    });
    Ok(Campaign {
        report: CampaignReport::new(&router, &recordings, &findings, options.effects),
        tests: tests.transpose()?,
    })
}

/// A replicate without a fault.
fn record(
    simulation: &Simulation,
    router: &RouterUnderTest,
    index: u32,
) -> Result<Recorded, Error> {
    let replicate = simulation.replicate(index)?;
    let mut recorder = PortRecorder::new(simulation.fabric(), (router.array, router.instance));
    let outcome = simulation.run_one(&replicate, &mut recorder)?;
    match outcome.end {
        End::Finished | End::Lost => {}
        End::Interrupted => return Err(interrupted()),
        End::OutOfCycles | End::Stalled => {
            let found = format!(
                "the run without a fault does not deliver all messages by cycle {}",
                outcome.last_cycle
            );
            let help = "raise run.cycles_max, or mend what `crosswave run` says of it";
            let wrong = Diagnostic::new(format!("replicate {index}"), found, help);
            return Err(Error::one(Class::Check, "faults", wrong));
        }
    }
    recorder.recorded(replicate, outcome).ok_or_else(|| {
        let found = format!(
            "the ports of {} change more often than {} times",
            router.name,
            recorded::CHANGES_MAX
        );
        let help = "shorten the run, as with --set traffic.cycles=10000";
        Error::one(Class::Usage, "faults", Diagnostic::new("run", found, help))
    })
}

/// Does work on batches on all processors, and takes the results in their order. `false` of `take` ends it.
fn in_batches<R: Send>(
    threads: usize,
    batches: Vec<Vec<usize>>,
    work: impl Fn(&[usize], &AtomicBool) -> Result<R, Error> + Sync,
    wait: &mut dyn FnMut() -> bool,
    mut take: impl FnMut(&[usize], R),
) -> Result<(), Error> {
    let given_up = AtomicBool::new(false);
    let ended = in_order(
        threads,
        begun_at_most(threads),
        batches,
        |batch, _| work(&batch, &given_up).map(|result| (batch, result)),
        || {
            if !wait() {
                given_up.store(true, Ordering::Relaxed);
            }
        },
        |result| match result {
            _ if given_up.load(Ordering::Relaxed) => ControlFlow::Break(Err(interrupted())),
            Err(error) => ControlFlow::Break(Err(error)),
            Ok((batch, result)) => {
                take(&batch, result);
                ControlFlow::Continue(())
            }
        },
    );
    ended.break_value().unwrap_or(Ok(()))
}

/// Numbers in batches.
fn batches(numbers: Vec<usize>, size: usize) -> Vec<Vec<usize>> {
    numbers.chunks(size).map(<[usize]>::to_vec).collect()
}

/// Finds where faults show that no replicate before has shown.
fn look_alone(
    simulation: &Simulation,
    router: &RouterUnderTest,
    (index, recorded): (u32, &Recorded),
    findings: &mut [Finding],
    on_campaign: &mut OnCampaign<'_>,
) -> Result<(), Error> {
    // A flip has its cycle in the first replicate.
    let open = |finding: &Finding| {
        finding.seen.is_none() && (index == 0 || finding.timed.fault.effect != FaultEffect::Flip)
    };
    let numbers = (0..findings.len()).filter(|&at| open(&findings[at]));
    let batches = batches(numbers.collect(), FAULTS_TOGETHER);
    let all = batches.iter().map(Vec::len).sum();
    let faults: Vec<TimedFault> = findings.iter().map(|finding| finding.timed).collect();
    let done = std::cell::Cell::new(0);
    in_batches(
        simulation.processors(),
        batches,
        |batch, _| {
            let faults: Vec<TimedFault> = batch.iter().map(|&at| faults[at]).collect();
            router.seen_alone(&faults, recorded, Backend::best())
        },
        &mut || on_campaign(Phase::Alone, done.get(), all),
        |batch, seen| {
            done.set(done.get() + batch.len());
            for (&at, seen) in batch.iter().zip(seen) {
                findings[at].seen = seen.map(|seen| (index, seen));
            }
        },
    )
}

/// Finds what becomes of messages with the faults that show in a replicate.
fn look_in_network(
    simulation: &Simulation,
    router: &RouterUnderTest,
    (index, recorded, cycles_max): (u32, &Recorded, u64),
    findings: &mut [Finding],
    on_campaign: &mut OnCampaign<'_>,
) -> Result<(), Error> {
    let numbers = (0..findings.len()).filter(|&at| {
        let seen = findings[at].seen;
        seen.is_some_and(|(of, _)| of == index)
    });
    let batches = batches(numbers.collect(), network::copies(simulation).count());
    let all = batches.iter().map(Vec::len).sum();
    let faults: Vec<TimedFault> = findings.iter().map(|finding| finding.timed).collect();
    let done = std::cell::Cell::new(0);
    in_batches(
        simulation.processors(),
        batches,
        |batch, given_up| {
            let faults: Vec<TimedFault> = batch.iter().map(|&at| faults[at]).collect();
            let stop = || given_up.load(Ordering::Relaxed);
            router.effects(simulation, &faults, (recorded, cycles_max), &stop)
        },
        &mut || on_campaign(Phase::Network, done.get(), all),
        |batch, effects| {
            done.set(done.get() + batch.len());
            for (&at, effect) in batch.iter().zip(effects) {
                findings[at].effect = Some(effect);
            }
        },
    )
}

/// Finds the reasons of stuck-at faults that do not show.
fn explain(
    simulation: &Simulation,
    router: &RouterUnderTest,
    recordings: &[Recorded],
    findings: &mut [Finding],
    on_campaign: &mut OnCampaign<'_>,
) -> Result<(), Error> {
    let stuck = |finding: &Finding| match finding.timed.fault.effect {
        FaultEffect::StuckAt(value) if finding.seen.is_none() => Some(value),
        _ => None,
    };
    let open: Vec<usize> = (0..findings.len())
        .filter(|&at| stuck(&findings[at]).is_some())
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    let module = &router.target.module;
    let names = router.chip.clock_and_reset();
    let always = constants(module, names, |_, _| None, |_| None)?;
    let here = constants(module, names, |port, bit| router.still(port, bit), |_| None)?;
    let mut has_been = vec![[false; 2]; module.nets.len()];
    for recorded in recordings {
        let values = router.values_of_nets(recorded)?;
        for (all, [zero, one]) in has_been.iter_mut().zip(values) {
            *all = [all[0] || zero, all[1] || one];
        }
    }
    let counts = |name: &str| router.counts(name);
    let prover = |known| RedundancyProver::new(&router.target, known, counts);
    let (anywhere, in_instance) = (prover(&always), prover(&here));
    let faults: Vec<GateFault> = findings.iter().map(|one| one.timed.fault).collect();
    let (all, done) = (open.len(), std::cell::Cell::new(0));
    in_batches(
        simulation.processors(),
        batches(open, PROVED_TOGETHER),
        |batch, given_up| {
            let of_batch: Vec<GateFault> = batch.iter().map(|&at| faults[at]).collect();
            let shown = |holds, known: &[Option<bool>]| {
                router.may_show(&of_batch, (holds, known), &recordings[0], Backend::best())
            };
            let (shown_here, shown) = (shown(true, &here)?, shown(false, &always)?);
            let mut proved = vec![None; of_batch.len()];
            for (at, (fault, proved)) in of_batch.iter().zip(&mut proved).enumerate() {
                if given_up.load(Ordering::Relaxed) {
                    break;
                }
                // One that may show in this instance may show at all.
                if !shown_here[at] && in_instance.is_redundant(*fault) {
                    let never = !shown[at] && anywhere.is_redundant(*fault);
                    *proved = Some(match never {
                        true => Unseen::Redundant,
                        false => Unseen::Pins,
                    });
                }
            }
            Ok(proved)
        },
        &mut || on_campaign(Phase::Reasons, done.get(), all),
        |batch, proofs| {
            done.set(done.get() + batch.len());
            for (&at, proved) in batch.iter().zip(proofs) {
                let finding = &mut findings[at];
                let net = router.target.net(finding.timed.fault.site);
                let excited = stuck(finding)
                    .zip(net)
                    .is_some_and(|(value, net)| has_been[net.index()][usize::from(!value)]);
                finding.unseen = Some(proved.unwrap_or(match excited {
                    true => Unseen::NotPropagated,
                    false => Unseen::NotExcited,
                }));
            }
        },
    )
}

#[cfg(test)]
mod tests;
