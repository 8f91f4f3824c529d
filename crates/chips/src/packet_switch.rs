//! `packet_switch`: a slice of a routing node of a binary fat tree, packet switched, with queues;
//! a register-level model without Verilog.
//!
//! Source: Dimakopoulos & Dimopoulos, "Communications in Binary Fat Trees", sections 2 to 4: a
//! queue in front of each link, first come, first served. What a packet wants is what it wants of
//! a [`bft_node`](super::bft_node); of those that come in one clock, the one that would pass there
//! is first in the queue here. A packet that finds its queue empty goes out a clock after it came
//! in, so without queues (`queue_packets` 0) this is a `bft_node`.
//!
//! `*_queued` is how many packets wait, not counting the one on the link, as the paper counts;
//! `*_longest` the most so far. A packet that finds a full queue is lost, and `lost` says so in
//! the next clock.
//!
//! With `half_duplex` a link has one direction at a time, by turns: up in even cycles, down in odd
//! ones.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::bft_node::{LEFT, RIGHT, SlicePosition, UP_0, UP_1};
use super::packet::packet_link;
use super::ports::{chip, model_types};
use super::protocol::state_names;
use super::{Model, RandomPins};
use crosswave_probe::signal::StateName;

/// `queue_packets` of queues without a limit.
pub const UNLIMITED: u32 = 0xffff;

state_names! {
    /// Queues that were full when packets came for them.
    LOST:
    "NONE" = 0,
    "LEFT" = 1,
    "RIGHT" = 2,
    "LEFT_RIGHT" = 3,
    "UP_0" = 4,
    "LEFT_UP_0" = 5,
    "RIGHT_UP_0" = 6,
    "LEFT_RIGHT_UP_0" = 7,
    "UP_1" = 8,
    "LEFT_UP_1" = 9,
    "RIGHT_UP_1" = 10,
    "LEFT_RIGHT_UP_1" = 11,
    "UP_0_UP_1" = 12,
    "LEFT_UP_0_UP_1" = 13,
    "RIGHT_UP_0_UP_1" = 14,
    "ALL" = 15,
}

chip! {
    name: packet_switch,
    links: ["left", "right", "up_0", "up_1"],
    words: &[],
    sources: [],
    ports {
        option("level", 5, "level of the node: 0 above the leaves") => pub PORT_LEVEL, level: u8;
        option("address", 20, "first node of its subtree; its bits up to the level are 0")
            => pub PORT_ADDRESS, address: u32;
        option("upstream_single", 1, "only up_0 leads up, and packets from both sides take it")
            => pub PORT_UPSTREAM_SINGLE, upstream_single: bool;
        option(
            "queue_packets", 16,
            "packets that wait for an output at most; 65535: without a limit",
        ) => pub PORT_QUEUE_PACKETS, queue_packets: u32;
        option("half_duplex", 1, "links have one direction at a time")
            => pub PORT_HALF_DUPLEX, half_duplex: bool;
        state(
            "lost", 4, LOST,
            "queues that were full when packets came for them: left, right, up_0, up_1",
        ) => pub PORT_LOST;
        host_output("left_queued", 32, "packets that wait for left") => PORT_LEFT_QUEUED;
        host_output("right_queued", 32, "packets that wait for right");
        host_output("up_0_queued", 32, "packets that wait for up_0");
        host_output("up_1_queued", 32, "packets that wait for up_1");
        host_output("left_longest", 32, "the most that waited for left") => PORT_LEFT_LONGEST;
        host_output("right_longest", 32, "the most that waited for right");
        host_output("up_0_longest", 32, "the most that waited for up_0");
        host_output("up_1_longest", 32, "the most that waited for up_1");
        packet_link!(LEFT, "left");
        packet_link!(RIGHT, "right");
        packet_link!(UP_0, "up_0");
        packet_link!(UP_1, "up_1");
    }
    /// Configuration of an instance.
    pub struct Pins;
}

/// The ports that show how many packets wait, by link port.
pub const QUEUED: [usize; 4] = [
    PORT_LEFT_QUEUED,
    PORT_LEFT_QUEUED + 1,
    PORT_LEFT_QUEUED + 2,
    PORT_LEFT_QUEUED + 3,
];

/// The ports that show the longest queues, by link port.
pub const LONGEST: [usize; 4] = [
    PORT_LEFT_LONGEST,
    PORT_LEFT_LONGEST + 1,
    PORT_LEFT_LONGEST + 2,
    PORT_LEFT_LONGEST + 3,
];

/// The queue of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Queue {
    words: VecDeque<u64>,
    longest: usize,
}

/// Registers beside those that drive links.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    queues: [Queue; 4],
    lost: u8,
}

/// The model.
#[derive(Debug)]
pub struct PacketSwitch;

impl Model for PacketSwitch {
    model_types!(State, Pins, [u64; 4]);

    fn step(state: &mut State, pins: &Pins, random: &impl RandomPins, words: &mut [u64]) -> bool {
        let place = SlicePosition {
            level: pins.level,
            address: pins.address,
            upstream_single: pins.upstream_single,
        };
        let most = match pins.queue_packets {
            UNLIMITED => usize::MAX,
            packets => packets as usize,
        };
        let outputs = place.wanted(words);
        // Links drive their new words one clock later: up in even cycles when half duplex.
        let goes_up = (random.cycle() + 1).is_multiple_of(2);
        state.lost = 0;
        let mut waits = false;
        for (link, (queue, coming)) in state.queues.iter_mut().zip(outputs).enumerate() {
            queue.words.extend(coming);
            let has_turn = !pins.half_duplex || (link >= UP_0) == goes_up;
            words[link] = match has_turn {
                true => queue.words.pop_front().unwrap_or(0),
                false => 0,
            };
            state.lost |= u8::from(queue.words.len() > most) << link;
            queue.words.truncate(most);
            queue.longest = queue.longest.max(queue.words.len());
            waits |= !queue.words.is_empty();
        }
        waits || state.lost != 0
    }

    fn output(state: &State, port: usize) -> u64 {
        let length = |of: &dyn Fn(&Queue) -> usize, first| of(&state.queues[port - first]) as u64;
        match port {
            PORT_LOST => u64::from(state.lost),
            PORT_LEFT_QUEUED..PORT_LEFT_LONGEST => {
                length(&|queue| queue.words.len(), PORT_LEFT_QUEUED)
            }
            PORT_LEFT_LONGEST.. => match port - PORT_LEFT_LONGEST {
                0..4 => length(&|queue| queue.longest, PORT_LEFT_LONGEST),
                _ => 0,
            },
            _ => 0,
        }
    }
}
