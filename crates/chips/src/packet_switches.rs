//! `packet_switch_q8` and `packet_switch`: a slice of a routing node of a binary fat tree, packet
//! switched, with queues of up to eight packets, and of any length; the latter is a register-level
//! model without Verilog.
//!
//! Source: Dimakopoulos & Dimopoulos, "Communications in Binary Fat Trees", sections 2 to 4: a
//! queue in front of each link, first come, first served. What a packet wants is what it wants of
//! a [`bft_node`](super::bft_node); of those that come in one clock, the one that would pass there
//! is first in the queue here. A packet that finds its queue empty and the link free goes out a
//! clock after it came in, so with `queue_packets` 0 and full duplex what goes out is what goes out
//! of a `bft_node`.
//!
//! `*_queued` is how many packets wait, not counting the one on the link, as the paper counts;
//! `*_longest` the most so far. A packet that finds a full queue is lost, and `lost` says so in
//! the next clock.
//!
//! With `half_duplex` a link has one direction at a time, by turns: up in even cycles, down in odd
//! ones.

use serde::{Deserialize, Serialize};

use super::RandomPins;
use super::bft_node::{SlicePosition, UP_0};
use super::packet_queue::Queue;
use super::protocol::state_names;
use crosswave_probe::signal::StateName;

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

/// Registers beside those that drive links.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    queues: [Queue; 4],
    lost: u8,
}

/// Options of an instance, as its pins say.
struct Options {
    place: SlicePosition,
    queue_packets: u32,
    half_duplex: bool,
}

impl State {
    /// One clock edge. Returns whether packets wait, or were lost.
    fn step(&mut self, options: &Options, random: &impl RandomPins, words: &mut [u64]) -> bool {
        let outputs = options.place.wanted(words);
        // Links drive their new words one clock later: up in even cycles when half duplex.
        let goes_up = options.half_duplex && (random.cycle() + 1).is_multiple_of(2);
        self.lost = 0;
        let mut waits = false;
        for (link, (queue, coming)) in self.queues.iter_mut().zip(outputs).enumerate() {
            coming.into_iter().for_each(|word| queue.push(word));
            let has_turn = !options.half_duplex || (link >= UP_0) == goes_up;
            let (word, is_lost) = queue.step(has_turn, options.queue_packets);
            words[link] = word;
            self.lost |= u8::from(is_lost) << link;
            waits |= queue.len() > 0;
        }
        waits || self.lost != 0
    }
}

/// Writes the module of a switch: its table and its model. `limit` turns the pin `queue_packets`
/// into the most packets that wait.
macro_rules! packet_switch {
    (
        $module:ident, $model:ident, $doc:literal, sources: [$($source:literal),*],
        queue_packets: $most_bits:literal $most_doc:literal, limit: $limit:expr,
        counts: $bits:literal
    ) => {
        #[doc = $doc]
        pub mod $module {
            use super::super::bft_node::{LEFT, RIGHT, SlicePosition, UP_0, UP_1};
            use super::super::packet::packet_link;
            use super::super::ports::{chip, model_types};
            use super::super::{Model, RandomPins};
            use super::{LOST, Options};

            pub use super::State;

            chip! {
                name: $module,
                links: ["left", "right", "up_0", "up_1"],
                words: &[],
                sources: [$($source),*],
                ports {
                option("level", 5, "level of the node: 0 above the leaves") => pub PORT_LEVEL, level: u8;
                option("address", 20, "first node of its subtree; its bits up to the level are 0")
                    => pub PORT_ADDRESS, address: u32;
                option("upstream_single", 1, "only up_0 leads up, and packets from both sides take it")
                    => pub PORT_UPSTREAM_SINGLE, upstream_single: bool;
                option(
                    "queue_packets", $most_bits,
                    $most_doc,
                ) => pub PORT_QUEUE_PACKETS, queue_packets: u32;
                option("half_duplex", 1, "links have one direction at a time")
                    => pub PORT_HALF_DUPLEX, half_duplex: bool;
                state(
                    "lost", 4, LOST,
                    "queues that were full when packets came for them: left, right, up_0, up_1",
                ) => pub PORT_LOST;
                host_output("left_queued", $bits, "packets that wait for left") => PORT_LEFT_QUEUED;
                host_output("right_queued", $bits, "packets that wait for right");
                host_output("up_0_queued", $bits, "packets that wait for up_0");
                host_output("up_1_queued", $bits, "packets that wait for up_1");
                host_output("left_longest", $bits, "the most that waited for left") => PORT_LEFT_LONGEST;
                host_output("right_longest", $bits, "the most that waited for right");
                host_output("up_0_longest", $bits, "the most that waited for up_0");
                host_output("up_1_longest", $bits, "the most that waited for up_1");
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

            /// The model.
            #[derive(Debug)]
            pub struct $model;

            impl Model for $model {
                model_types!(State, Pins, [u64; 4]);

                fn step(
                    state: &mut State,
                    pins: &Pins,
                    random: &impl RandomPins,
                    words: &mut [u64],
                ) -> bool {
                    let limit: fn(u32) -> u32 = $limit;
                    let options = Options {
                        place: SlicePosition {
                            level: pins.level,
                            address: pins.address,
                            upstream_single: pins.upstream_single,
                        },
                        queue_packets: limit(pins.queue_packets),
                        half_duplex: pins.half_duplex,
                    };
                    state.step(&options, random, words)
                }

                fn output(state: &State, port: usize) -> u64 {
                    let queue = |first| state.queues.get(port - first);
                    let count = match port {
                        PORT_LOST => return u64::from(state.lost),
                        PORT_LEFT_QUEUED..PORT_LEFT_LONGEST => queue(PORT_LEFT_QUEUED).map(|it| it.len()),
                        PORT_LEFT_LONGEST.. => queue(PORT_LEFT_LONGEST).map(|it| it.longest()),
                        _ => None,
                    };
                    count.map_or(0, |count| count as u64)
                }
            }
        }
    };
}

packet_switch! {
    packet_switch, PacketSwitch, "`packet_switch`: the slice with queues of any length.",
    sources: [],
    queue_packets: 16 "packets that wait for an output at most; 65535: without a limit",
    limit: |packets| packets, counts: 32
}

packet_switch! {
    packet_switch_q8, PacketSwitchQ8,
    "`packet_switch_q8`: the slice with queues of up to eight packets.",
    sources: [
        "packet_switch_q8.v", "packet_queue.v", "packet_counts.v", "packet_places.v",
        "packet_turns.v", "bft_node_way.v"
    ],
    queue_packets: 4 "packets that wait for an output at most; 8, if it is more",
    limit: |packets| packets.min(crate::packet_queue::PLACES), counts: 4
}
