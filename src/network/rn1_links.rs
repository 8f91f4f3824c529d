//! Links of networks of RN1: rotations of the byte that passes, delay lines, and what RN1 is
//! told of them.
//!
//! A link with extra clocks has a delay line for each of them. The routers at its ends are told
//! of the clocks by their pins `in_delay` and `out_delay` (DeHon 1990, section 3.6.2). Delay
//! lines are numbered batch by batch of links that are alike. In a batch the first clocks of all
//! links follow each other, then the second clocks of all that have as many, and so on, in the
//! order of the ports that drive them, so that they move as lane words.

use std::cmp::Reverse;
use std::sync::Arc;

use super::topology::ROUTERS;
use super::{ChipArray, Fabric, OPEN, Pin, PinValues};
use crate::chip::rn1::{self, PORTS_A_SIDE};
use crate::chip::{delay_line, rn1_delay_line};

/// The most extra clocks of a link: RN1 can be told of no more.
pub const LINK_DELAY_CYCLES_MAX: u32 = 31;

/// Link ports of a router.
const ROUTER_LINKS: u32 = 2 * PORTS_A_SIDE as u32;

/// A link, by the numbers of its ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The port that drives it forward.
    pub near: u32,
    /// The port where it leads to.
    pub far: u32,
    /// By how many steps of two bits it rotates the byte, to the left.
    pub rotation: u8,
    /// Extra clocks, [`LINK_DELAY_CYCLES_MAX`] at most.
    pub delay: u32,
}

/// What is known of the delays of all links so far.
#[derive(Debug)]
pub struct Links {
    /// Pin `in_delay` of each router.
    inputs: Vec<u64>,
    /// Pin `out_delay` of each router.
    outputs: Vec<u64>,
    /// Delay lines.
    lines: usize,
    /// The number of the first link port of a delay line.
    first_link: u32,
}

impl Links {
    /// None yet, in a fabric with its routers and nodes and no other chips.
    pub fn new(fabric: &Fabric) -> Links {
        let routers = fabric.arrays[ROUTERS].instances;
        Links {
            inputs: vec![0; routers],
            outputs: vec![0; routers],
            lines: 0,
            first_link: fabric.peers.len() as u32,
        }
    }

    /// Joins a batch of links, and returns the most extra clocks of one.
    ///
    /// # Panics
    /// When a link has more extra clocks than RN1 can be told of, or there are more link ports
    /// than numbers.
    pub fn join(&mut self, fabric: &mut Fabric, mut links: Vec<Link>) -> u32 {
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
        links.sort_unstable_by_key(|link| {
            (Reverse(link.delay), link.near % ROUTER_LINKS, link.near)
        });
        let longest = links.first().map_or(0, |link| link.delay);
        let lines: u64 = links.iter().map(|link| u64::from(link.delay)).sum();
        let ports = fabric.peers.len() as u64 + 2 * lines;
        assert!(
            ports < u64::from(OPEN),
            "link ports have numbers of 32 bits"
        );
        fabric.peers.resize(ports as usize, OPEN);
        fabric.rotations.resize(ports as usize, 0);
        // Where the lines of each clock begin.
        let mut first_of_clock = Vec::new();
        for clock in 0..longest {
            first_of_clock.push(self.first_link);
            let having = links.partition_point(|link| link.delay > clock);
            self.first_link += 2 * having as u32;
        }
        for (at, link) in links.iter().enumerate() {
            let mut near = link.near;
            for first in &first_of_clock[..link.delay as usize] {
                let line = first + 2 * at as u32;
                join(fabric, near, line + delay_line::NEAR as u32, 0);
                near = line + delay_line::FAR as u32;
            }
            join(fabric, near, link.far, link.rotation);
        }
        self.lines += lines as usize;
        longest
    }

    /// Adds the delay lines to the fabric, and tells the routers of them.
    pub fn finish(self, fabric: &mut Fabric) {
        if self.lines == 0 {
            return;
        }
        fabric.arrays.push(ChipArray {
            chip: &rn1_delay_line::CHIP,
            instances: self.lines,
            first_link: self.first_link - 2 * self.lines as u32,
            pins: Vec::new(),
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            name: Arc::new(|instance| format!("delay_{instance}")),
        });
        for (port, values) in [
            (rn1::PORT_IN_DELAY, self.inputs),
            (rn1::PORT_OUT_DELAY, self.outputs),
        ] {
            fabric.arrays[ROUTERS].pins.push(Pin {
                port,
                values: PinValues::Wide(values),
            });
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
