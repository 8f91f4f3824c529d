//! A small set of tests of the router by itself that detect all faults which the runs detect.
//!
//! A test is the beginning of a run: what the router takes, and what it has to show. The run that detects most faults is
//! the first one, then that which detects most of those that are left, and so on. Each ends in the last cycle in which
//! a fault shows for which it was taken.

use super::recorded::{PortChange, Recorded};
use super::target::RouterUnderTest;
use super::{FAULTS_TOGETHER, Finding, batches, in_batches};
use crate::campaign::alone::TimedFault;
use crosswave_base::diagnostic::Error;
use crosswave_chips::{Chip, PinDirection, Role};
use crosswave_lanes::Backend;
use crosswave_netlist::faults::FaultEffect;

/// A test of a router.
#[derive(Debug, Clone)]
pub struct RouterTest {
    /// The replicate whose beginning it is.
    pub replicate: u32,
    /// Its seed.
    pub seed: u64,
    /// The last cycle.
    pub last_cycle: u64,
    /// Faults that no test before it detects; equivalent ones count each.
    pub faults: u64,
    /// The inputs but clock and reset; all are 0 before their first changes.
    pub inputs: Vec<PortChange>,
    /// The outputs that others read.
    pub outputs: Vec<PortChange>,
}

/// Tests of a router.
#[derive(Debug, Clone)]
pub struct RouterTests {
    /// The router, by its name in waveforms.
    pub router: String,
    /// The table of its chip.
    pub chip: &'static Chip,
    /// The inputs that a test drives, in the table of the chip.
    pub inputs: Vec<usize>,
    /// The outputs that it looks at.
    pub outputs: Vec<usize>,
    /// The tests.
    pub tests: Vec<RouterTest>,
}

/// The cycle in which a fault shows first in each run; none where it does not.
type Detected = Vec<Option<u64>>;

/// A run that was chosen: its number, its last cycle, and the faults it was chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ChosenRun {
    run: usize,
    last_cycle: u64,
    faults: u64,
}

/// Chooses runs that detect all faults that some run detects. Each fault has its weight.
fn choose(faults: &[(Detected, u32)]) -> Vec<ChosenRun> {
    let runs = faults.first().map_or(0, |(detected, _)| detected.len());
    let mut left: Vec<&(Detected, u32)> = faults.iter().collect();
    let mut chosen = Vec::new();
    loop {
        let of_run = |run: usize| {
            let found = left.iter();
            found.filter_map(move |(detected, weight)| Some((detected[run]?, u64::from(*weight))))
        };
        let most = |run: &usize| of_run(*run).map(|(_, weight)| weight).sum::<u64>();
        // The first one of several that detect as many.
        let Some(run) = (0..runs).rev().max_by_key(most) else {
            return chosen;
        };
        let Some(last_cycle) = of_run(run).map(|(cycle, _)| cycle).max() else {
            return chosen;
        };
        let faults = most(&run);
        left.retain(|(detected, _)| detected[run].is_none());
        chosen.push(ChosenRun {
            run,
            last_cycle,
            faults,
        });
    }
}

impl RouterTests {
    /// Tests that detect all stuck-at faults and late links of `findings` that some run detects. `goes_on` is asked now and then.
    ///
    /// # Errors
    /// When a netlist cannot be compiled, and when they are not to go on.
    pub(super) fn new(
        router: &RouterUnderTest,
        recordings: &[Recorded],
        findings: &[Finding],
        threads: usize,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<RouterTests, Error> {
        let wanted = findings.iter().filter(|finding| {
            finding.seen.is_some() && finding.timed.fault.effect != FaultEffect::Flip
        });
        let wanted: Vec<&Finding> = wanted.collect();
        let faults: Vec<TimedFault> = wanted.iter().map(|finding| finding.timed).collect();
        let mut detected: Vec<(Detected, u32)> = wanted
            .iter()
            .map(|finding| (vec![None; recordings.len()], finding.weight))
            .collect();
        for (run, recorded) in recordings.iter().enumerate() {
            let numbers: Vec<usize> = (0..faults.len()).collect();
            in_batches(
                threads,
                batches(numbers, FAULTS_TOGETHER),
                |batch, _| {
                    let faults: Vec<TimedFault> = batch.iter().map(|&at| faults[at]).collect();
                    router.seen_alone(&faults, recorded, Backend::best())
                },
                &mut || goes_on(run, recordings.len()),
                |batch, seen| {
                    for (&at, seen) in batch.iter().zip(seen) {
                        detected[at].0[run] = seen.map(|seen| seen.cycle);
                    }
                },
            )?;
        }
        let ports = router.chip.ports.iter().enumerate();
        let driven = ports.clone().filter(|(_, port)| {
            port.direction == PinDirection::Input && !matches!(port.role, Role::Clock | Role::Reset)
        });
        let tests = choose(&detected).into_iter().map(|chosen| {
            let recorded = &recordings[chosen.run];
            let until = |changes: &[PortChange]| {
                let end = changes.partition_point(|change| change.cycle <= chosen.last_cycle);
                changes[..end].to_vec()
            };
            RouterTest {
                replicate: chosen.run as u32,
                seed: recorded.replicate.seed,
                last_cycle: chosen.last_cycle,
                faults: chosen.faults,
                inputs: until(&recorded.inputs),
                outputs: until(&recorded.outputs),
            }
        });
        Ok(RouterTests {
            router: router.name.clone(),
            chip: router.chip,
            inputs: driven.map(|(at, _)| at).collect(),
            outputs: ports
                .map(|(at, _)| at)
                .filter(|&at| router.read[at])
                .collect(),
            tests: tests.collect(),
        })
    }
}

impl RouterTest {
    /// The values of some ports in each cycle from 0 to the last, by their changes.
    pub fn values(&self, changes: &[PortChange], ports: &[usize]) -> Vec<Vec<u64>> {
        let mut now = vec![0; ports.len()];
        let mut changes = changes.iter().peekable();
        let of_cycle = |cycle: u64| {
            while let Some(change) = changes.next_if(|change| change.cycle <= cycle) {
                if let Some(place) = ports.iter().position(|&port| port == change.port) {
                    now[place] = change.value;
                }
            }
            now.clone()
        };
        (0..=self.last_cycle).map(of_cycle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_chosen_until_all_that_can_be_is_detected() {
        let faults = [
            (vec![Some(5), None, Some(3)], 1),
            (vec![None, Some(9), Some(4)], 2),
            (vec![None, Some(7), None], 1),
            (vec![None, None, Some(40)], 1),
            (vec![None, None, None], 8),
        ];
        let run = |run, last_cycle, faults| ChosenRun {
            run,
            last_cycle,
            faults,
        };
        assert_eq!(choose(&faults), [run(2, 40, 4), run(1, 7, 1)]);
        assert_eq!(choose(&faults[4..]), []);
        assert_eq!(choose(&[]), []);
        // The first one of two that are alike.
        let alike = [(vec![Some(1), Some(1)], 1)];
        assert_eq!(choose(&alike), [run(0, 1, 1)]);
    }
}
