//! Links of networks of RN1: rotations of the byte that passes, delay lines, and what RN1 is
//! told of them.
//!
//! A link with extra clocks has a delay line for each of them. The routers at its ends are told
//! of the clocks by their pins `in_delay` and `out_delay` (DeHon 1990, section 3.6.2). Delay
//! lines are numbered batch by batch of links that are alike. In a batch the first clocks of all
//! links follow each other, then the second clocks of all that have as many, and so on, in the
//! order of the ports that drive them, so that they move as lane words. Of each clock, the largest
//! multiple of 512 lines comes there, and what is left of all clocks of all batches behind everything
//! else. So a link's lines are the same lane of their lane words, but for those that are left.

use std::sync::Arc;

use super::rn1_nodes::router_port;
use super::topology::ROUTERS;
use super::{ChipArray, Fabric, OPEN, Pin, PinValues};
use crosswave_chips::rn1::{self, PORTS_A_SIDE};
use crosswave_chips::{delay_line, rn1_delay_line};

/// The most extra clocks of a link: RN1 can be told of no more.
pub const LINK_DELAY_CYCLES_MAX: u32 = 31;

/// Lanes of the widest lane words of the gate engine, which moves what lies otherwise.
const LANES: usize = 512;

/// Link ports of a router.
const ROUTER_LINKS: u32 = 2 * PORTS_A_SIDE as u32;

/// A link, by the numbers of its ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouterLink {
    /// The port that drives it forward.
    pub near: u32,
    /// The port where it leads to.
    pub far: u32,
    /// By how many steps of two bits it rotates the byte, to the left.
    pub rotation: u8,
    /// Extra clocks, [`LINK_DELAY_CYCLES_MAX`] at most.
    pub delay: u32,
}

/// The delays of all links so far.
#[derive(Debug)]
pub struct RouterLinks {
    /// Pin `in_delay` of each router.
    inputs: Vec<u64>,
    /// Pin `out_delay` of each router.
    outputs: Vec<u64>,
    /// Delay lines.
    lines: u64,
    /// The batches in which links have delay lines; in each the links with the most come first, and
    /// there may be some without.
    delayed: Vec<Vec<RouterLink>>,
}

impl RouterLinks {
    /// None yet, in a fabric with its routers and nodes and no other chips.
    pub fn new(fabric: &Fabric) -> RouterLinks {
        let routers = fabric.arrays[ROUTERS].instances;
        RouterLinks {
            inputs: vec![0; routers],
            outputs: vec![0; routers],
            lines: 0,
            delayed: Vec::new(),
        }
    }

    /// Takes a batch of links, and returns the most extra clocks of one. They are joined at once if
    /// none has any, and otherwise by [`finish`](RouterLinks::finish).
    ///
    /// # Panics
    /// When a link has more extra clocks than RN1 can be told of, or there are more link ports
    /// than numbers.
    pub fn join(&mut self, fabric: &mut Fabric, mut links: Vec<RouterLink>) -> u32 {
        let routers = self.inputs.len() as u32;
        let pin = |values: &mut [u64], router: u32, port: u32, delay: u32| {
            assert!(delay <= LINK_DELAY_CYCLES_MAX, "RN1 has five bits for it");
            if router < routers {
                values[router as usize] |= u64::from(delay) << (5 * port);
            }
        };
        for link in &links {
            let (near, far) = (link.near % ROUTER_LINKS, link.far % ROUTER_LINKS);
            let output = near.saturating_sub(PORTS_A_SIDE as u32);
            pin(
                &mut self.outputs,
                link.near / ROUTER_LINKS,
                output,
                link.delay,
            );
            pin(&mut self.inputs, link.far / ROUTER_LINKS, far, link.delay);
        }
        let longest = links.iter().map(|link| link.delay).max().unwrap_or(0);
        if longest == 0 {
            for link in links {
                join(fabric, link.near, link.far, link.rotation);
            }
            return longest;
        }
        links.sort_unstable_by_key(|link| {
            let clocks = u64::from(LINK_DELAY_CYCLES_MAX - link.delay);
            let port = u64::from(link.near % ROUTER_LINKS);
            clocks << 40 | port << 32 | u64::from(link.near)
        });
        self.lines += links.iter().map(|link| u64::from(link.delay)).sum::<u64>();
        let ports = fabric.peers.len() as u64 + 2 * self.lines;
        assert!(
            ports < u64::from(OPEN),
            "link ports have numbers of 32 bits"
        );
        self.delayed.push(links);
        longest
    }

    /// Adds the delay lines to the fabric, joins the links that have some, and tells the routers of
    /// them.
    pub fn finish(self, fabric: &mut Fabric) {
        if self.lines == 0 {
            return;
        }
        let lines = self.lines as usize;
        let first_link = fabric.peers.len() as u32;
        let ports = fabric.peers.len() + 2 * lines;
        fabric.peers.resize(ports, OPEN);
        fabric.rotations.resize(ports, 0);
        for (links, clocks) in self.delayed.iter().zip(self.clocks(first_link)) {
            for (at, link) in links.iter().enumerate() {
                let mut near = link.near;
                for clock in &clocks[..link.delay as usize] {
                    let line = clock.line(at);
                    join(fabric, near, line + delay_line::NEAR as u32, 0);
                    near = line + delay_line::FAR as u32;
                }
                join(fabric, near, link.far, link.rotation);
            }
        }
        fabric.arrays.push(ChipArray {
            chip: &rn1_delay_line::CHIP,
            instances: lines,
            first_link,
            pins: Vec::new(),
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(|instance| format!("delay_{instance}")),
        });
        for (port, values) in [
            (rn1::PORT_IN_DELAY, self.inputs),
            (rn1::PORT_OUT_DELAY, self.outputs),
        ] {
            let routers = &mut fabric.arrays[ROUTERS];
            routers.pins.push(Pin {
                port: router_port(routers.chip, port),
                values: PinValues::Wide(values),
            });
        }
    }

    /// The lines of each clock of each batch, which begin with a link port.
    fn clocks(&self, first_link: u32) -> Vec<Vec<Clock>> {
        let mut next = first_link;
        let mut take = |lines: usize| {
            let first = next;
            next += 2 * lines as u32;
            first
        };
        let of_batch = |links: &Vec<RouterLink>| {
            let counts = (0..links[0].delay).map(|clock| {
                let lines = links.partition_point(|link| link.delay > clock);
                let whole = lines - lines % LANES;
                Clock {
                    lines,
                    whole,
                    first: take(whole),
                    first_left: 0,
                }
            });
            counts.collect()
        };
        let mut clocks: Vec<Vec<Clock>> = self.delayed.iter().map(of_batch).collect();
        for clock in clocks.iter_mut().flatten() {
            clock.first_left = take(clock.lines - clock.whole);
        }
        clocks
    }
}

/// The delay lines of one clock of a batch, by the numbers of their link ports.
struct Clock {
    /// Number of lines.
    lines: usize,
    /// Number of lines that fill lane words.
    whole: usize,
    /// Link port of the first of these.
    first: u32,
    /// Link port of the first of the others.
    first_left: u32,
}

impl Clock {
    /// The line of a link of the batch.
    fn line(&self, at: usize) -> u32 {
        match at.checked_sub(self.whole) {
            None => self.first + 2 * at as u32,
            Some(left) => self.first_left + 2 * left as u32,
        }
    }
}

/// Joins two link ports, by their numbers. What goes from the first to the second is rotated
/// to the left by `steps` of two bits, and what comes back to the right.
pub(super) fn join(fabric: &mut Fabric, near: u32, far: u32, steps: u8) {
    fabric.peers[near as usize] = far;
    fabric.peers[far as usize] = near;
    fabric.rotations[far as usize] = steps;
    fabric.rotations[near as usize] = (4 - steps) % 4;
}

#[cfg(test)]
mod tests {
    use std::iter::repeat_n;

    use super::*;

    /// The number of the first link port.
    const FIRST: u32 = 1_000;

    #[test]
    fn every_line_has_a_number_and_those_of_a_link_are_one_lane() {
        let batch = |counts: [(u32, usize); 3]| -> Vec<RouterLink> {
            let link = |delay| RouterLink {
                near: 0,
                far: 0,
                rotation: 0,
                delay,
            };
            let links = counts.into_iter();
            links
                .flat_map(|(delay, count)| repeat_n(link(delay), count))
                .collect()
        };
        let links = RouterLinks {
            inputs: Vec::new(),
            outputs: Vec::new(),
            lines: 3 * 600 + 2 * 500 + 300 + 2 * 511 + 1,
            delayed: vec![
                batch([(3, 600), (2, 500), (1, 300)]),
                batch([(2, 511), (1, 1), (0, 4)]),
            ],
        };
        let mut is_met = vec![false; links.lines as usize];
        let mut left = 0;
        for (links, clocks) in links.delayed.iter().zip(links.clocks(FIRST)) {
            for (at, link) in links.iter().enumerate() {
                for clock in &clocks[..link.delay as usize] {
                    let line = (clock.line(at) - FIRST) as usize / 2;
                    assert!(!std::mem::replace(&mut is_met[line], true), "{line}");
                    match at < clock.whole {
                        true => assert_eq!(line % LANES, at % LANES),
                        false => left += 1,
                    }
                }
            }
        }
        assert!(is_met.iter().all(|&is_met| is_met));
        // Lines left over from 1,400, 1,100 and 600, and from 512 and 511.
        assert_eq!(left, 376 + 76 + 88 + 511);
    }
}
