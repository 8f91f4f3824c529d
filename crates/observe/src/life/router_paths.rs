//! Paths through routers that messages took, counted over all routers of a chip.

use std::collections::BTreeMap;
use std::io;

use super::record::{AttemptRecord, LifeSink, MessageLife, NO_OUTPUT};
use crosswave_network::Fabric;
use crosswave_run::coverage::RouterPath;

/// Counts of a path: passed, waited, rejected.
type Counts = [u64; 3];

/// Counts of the paths through the routers of a network.
#[derive(Clone)]
pub struct RouterPathCounts<'a> {
    fabric: &'a Fabric,
    /// By array, input and output; [`NO_OUTPUT`] where routers do not show the wanted one.
    counts: BTreeMap<(usize, u8, u8), Counts>,
}

impl<'a> RouterPathCounts<'a> {
    /// No messages yet in a network with such a fabric.
    pub fn new(fabric: &'a Fabric) -> RouterPathCounts<'a> {
        RouterPathCounts {
            fabric,
            counts: BTreeMap::new(),
        }
    }

    fn at(&mut self, router: u32, input: u8, output: u8) -> &mut Counts {
        let (array, _) = self.fabric.router_place(router as usize);
        self.counts.entry((array, input, output)).or_default()
    }

    /// All paths of each chip of routers, those that nobody took too.
    pub fn by_chip(&self) -> Vec<(&'a str, Vec<RouterPath>)> {
        let mut chips: Vec<(&str, Vec<RouterPath>)> = Vec::new();
        for array in self.fabric.router_arrays() {
            let chip = self.fabric.arrays[array].chip;
            let links = &chip.links;
            let outputs = (0..links.len() as u8).chain([NO_OUTPUT]);
            let pairs = (0..links.len() as u8).flat_map(|input| {
                let outputs = outputs.clone();
                outputs.map(move |output| (input, output))
            });
            let paths = pairs.filter_map(|(input, output)| {
                let counts = self.counts.get(&(array, input, output));
                let [passed, waited, rejected] = match (counts, output) {
                    (Some(counts), _) => *counts,
                    (None, NO_OUTPUT) => return None,
                    (None, _) => [0; 3],
                };
                Some(RouterPath {
                    input: links[usize::from(input)].to_owned(),
                    output: links.get(usize::from(output)).map(|&link| link.to_owned()),
                    passed,
                    waited,
                    rejected,
                })
            });
            chips.push((chip.name, paths.collect()));
        }
        chips
    }
}

impl LifeSink for RouterPathCounts<'_> {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        for hop in attempt.hops.iter().filter(|hop| hop.output != NO_OUTPUT) {
            let has_waited = attempt.waited_cycles(hop).is_some_and(|cycles| cycles > 0);
            let [passed, waited, _] = self.at(hop.router, hop.input, hop.output);
            *passed += 1;
            *waited += u64::from(has_waited);
        }
        let Some(&hop) = attempt.rejected_by() else {
            return Ok(());
        };
        let collision = attempt.collision.as_ref();
        let wanted = collision.map_or(&[][..], |collision| &collision.wanted);
        let wanted = if wanted.is_empty() {
            &[NO_OUTPUT]
        } else {
            wanted
        };
        for &output in wanted {
            let [_, _, rejected] = self.at(hop.router, hop.input, output);
            *rejected += 1;
        }
        Ok(())
    }

    fn message(&mut self, _: &MessageLife) -> io::Result<()> {
        Ok(())
    }
}
