//! `mport_packet_switch_4_q8` and `_8_q8`, and `mport_packet_switch_4` to `_64`: the packet switch of
//! an m-port n-tree, with so many ports and a queue in front of each output, of up to eight packets,
//! and of any length; the latter are register-level models without Verilog.
//!
//! Source: Yuan, Nienaber, Duan & Melhem, section II (switches of m ports, links of one capacity).
//! Queues, packets and who is first of those that come in one clock, the lowest input: assumed.
//!
//! A packet is one word and takes one clock over one link:
//!
//! | field | bits | holds |
//! |---|---|---|
//! | `valid` | 63 | 1 with a packet; a link at rest is 0 |
//! | `route` | 24 to 62 | the output ports of the switches ahead, the next one lowest, lg m bits each; a switch shifts its own out |
//! | `id` | 0 to 23 | a number that its source gives it, and that its receiver shows |
//!
//! A packet that finds its queue empty goes out a clock after it came in. One that finds a full queue
//! is lost, and `lost` says so in the next clock. `*_queued` is how many packets wait, not counting the
//! one on the link, and `*_longest` the most so far.

use serde::{Deserialize, Serialize};

use super::packet_queue::Queue;
use super::protocol::{Encoding, Origin, encodings};

encodings! {
    ROUTED_ID_WIDTH, 0, 24, Assumed, "bits of the number that a receiver shows: up to 2^24 packets";
    ROUTED_ROUTE_WIDTH, 0, 39, Assumed, "bits of a route: output ports of the switches ahead, the next one lowest";
}

/// The lowest bits of the fields.
pub(super) const ID: u32 = 0;
pub(super) const ROUTE: u32 = 24;
pub(super) const VALID: u32 = 63;

/// Bits of a number.
pub(super) const ID_BITS: u32 = ROUTED_ID_WIDTH as u32;
/// Bits of a route.
pub const ROUTE_BITS: u32 = ROUTED_ROUTE_WIDTH as u32;

/// The ports in front of those of links.
const FIRST_PORTS: usize = 4;

/// Writes the ports of one link port of a table: the three fields that come in, and the three that
/// go out.
macro_rules! routed_packet_link {
    ($link:expr, $name:literal) => {
        $crate::ports::link_ports! { $link, $name:
            Input("_in_valid", 1, 63, "a packet comes in");
            Input("_in_route", 39, 24, "output ports ahead of it");
            Input("_in_id", 24, 0, "its number");
            Output("_out_valid", 1, 63, "a packet goes out");
            Output("_out_route", 39, 24, "output ports ahead of it");
            Output("_out_id", 24, 0, "its number");
        }
    };
}

pub(super) use routed_packet_link;

/// Registers beside those that drive links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    queues: Vec<Queue>,
    /// Bit of each output whose queue was full.
    lost: u64,
}

impl State {
    fn new(ports: usize) -> State {
        State {
            queues: vec![Queue::default(); ports],
            lost: 0,
        }
    }

    /// One clock edge. Returns whether packets wait, or were lost.
    fn step(&mut self, queue_packets: u32, words: &mut [u64]) -> bool {
        let ports = words.len();
        for word in words.iter().filter(|&&word| word >> VALID != 0) {
            let route = word >> ROUTE & ((1 << ROUTE_BITS) - 1);
            let output = route as usize % ports;
            let rest = route >> ports.ilog2();
            let word = 1 << VALID | rest << ROUTE | word & ((1 << ID_BITS) - 1);
            self.queues[output].push(word);
        }
        self.lost = 0;
        let mut waits = false;
        for (link, queue) in self.queues.iter_mut().enumerate() {
            let (word, is_lost) = queue.step(true, queue_packets);
            words[link] = word;
            self.lost |= u64::from(is_lost) << link;
            waits |= queue.len() > 0;
        }
        waits || self.lost != 0
    }

    fn output(&self, port: usize, ports: usize) -> u64 {
        let queues = FIRST_PORTS + 6 * ports;
        match port {
            3 => self.lost,
            port if (queues..queues + ports).contains(&port) => {
                self.queues[port - queues].len() as u64
            }
            port if (queues + ports..queues + 2 * ports).contains(&port) => {
                self.queues[port - queues - ports].longest() as u64
            }
            _ => 0,
        }
    }
}

/// A packet switch with so many ports, and where its ports are in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    ports: usize,
}

impl Ports {
    /// The port that shows at which outputs packets were lost.
    pub const LOST: usize = 3;

    /// The port numbers of a switch with so many ports.
    pub fn of(ports: usize) -> Ports {
        Ports { ports }
    }

    /// The port that shows the most packets that have waited for an output.
    pub fn longest(self, output: usize) -> usize {
        FIRST_PORTS + 7 * self.ports + output
    }
}

/// Writes the modules of the switches with so many ports: that of any queues, and that of up to
/// eight packets, where there is one.
macro_rules! mport_packet_switch {
    (
        $module:ident $model:ident, $($q8:ident $q8_model:ident $q8_source:literal,)?
        $ports:literal, $links:tt
    ) => {
        mport_packet_switch_of! {
            $module $model, sources: [],
            queue_packets: 16 "packets that wait for an output at most; 65535: without a limit",
            limit: |packets| packets, counts: 32, $ports, $links
        }
        $(mport_packet_switch_of! {
            $q8 $q8_model, sources: [
                $q8_source, "mport_packet_switch.v", "packet_queue.v", "packet_counts.v",
                "packet_places.v"
            ],
            queue_packets: 4 "packets that wait for an output at most; 8, if it is more",
            limit: |packets| packets.min($crate::packet_queue::PLACES), counts: 4,
            $ports, $links
        })?
    };
}

/// Writes the module of a switch: its table and its model. `limit` turns the pin `queue_packets`
/// into the most packets that wait.
macro_rules! mport_packet_switch_of {
    (
        $module:ident $model:ident, sources: [$($source:literal),*],
        queue_packets: $most_bits:literal $most_doc:literal, limit: $limit:expr,
        counts: $bits:literal, $ports:literal, [$(($link:literal $port:literal))*]
    ) => {
        #[doc = concat!("`", stringify!($module), "`: the packet switch with ", $ports, " ports.")]
        pub mod $module {
            use super::super::ports::{chip, index, model_types};
            use super::super::{Model, RandomPins};

            chip! {
                name: $module,
                links: [$($port),*],
                words: &[],
                sources: [$($source),*],
                ports {
                    option("queue_packets", $most_bits, $most_doc)
                        => pub PORT_QUEUE_PACKETS, queue_packets: u32;
                    host_output(
                        "lost", $ports,
                        "a bit for each output whose queue was full when packets came for it",
                    );
                    $(routed_packet_link!($link, $port);)*
                    $(host_output(
                        concat!($port, "_queued"), $bits,
                        "packets that wait for this output",
                    );)*
                    $(host_output(
                        concat!($port, "_longest"), $bits,
                        "the most that waited for this output",
                    );)*
                }
                /// Configuration of an instance.
                pub struct Pins;
            }

            const PORT_QUEUED: usize = index(&PORTS, "p0_queued");

            /// The ports that show how many packets wait, by output.
            pub const QUEUED: [usize; $ports] = [$(PORT_QUEUED + $link),*];

            /// Registers beside those that drive links.
            #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            pub struct State(super::State);

            impl Default for State {
                fn default() -> State {
                    State(super::State::new($ports))
                }
            }

            /// The model.
            #[derive(Debug)]
            pub struct $model;

            impl Model for $model {
                model_types!(State, Pins, [u64; $ports]);

                fn step(
                    state: &mut State,
                    pins: &Pins,
                    _: &impl RandomPins,
                    words: &mut [u64],
                ) -> bool {
                    let limit: fn(u32) -> u32 = $limit;
                    state.0.step(limit(pins.queue_packets), words)
                }

                fn output(state: &State, port: usize) -> u64 {
                    state.0.output(port, $ports)
                }
            }
        }
    };
}

mport_packet_switch! {
    mport_packet_switch_4 MportPacketSwitch4,
    mport_packet_switch_4_q8 MportPacketSwitch4Q8 "mport_packet_switch_4_q8.v",
    4,
    [(0 "p0") (1 "p1") (2 "p2") (3 "p3")]
}

mport_packet_switch! {
    mport_packet_switch_8 MportPacketSwitch8,
    mport_packet_switch_8_q8 MportPacketSwitch8Q8 "mport_packet_switch_8_q8.v",
    8,
    [(0 "p0") (1 "p1") (2 "p2") (3 "p3") (4 "p4") (5 "p5") (6 "p6") (7 "p7")]
}

mport_packet_switch! {
    mport_packet_switch_16 MportPacketSwitch16, 16,
    [(0 "p0") (1 "p1") (2 "p2") (3 "p3") (4 "p4") (5 "p5") (6 "p6") (7 "p7") (8 "p8") (9 "p9")
    (10 "p10") (11 "p11") (12 "p12") (13 "p13") (14 "p14") (15 "p15")]
}

mport_packet_switch! {
    mport_packet_switch_32 MportPacketSwitch32, 32,
    [(0 "p0") (1 "p1") (2 "p2") (3 "p3") (4 "p4") (5 "p5") (6 "p6") (7 "p7") (8 "p8") (9 "p9")
    (10 "p10") (11 "p11") (12 "p12") (13 "p13") (14 "p14") (15 "p15") (16 "p16") (17 "p17")
    (18 "p18") (19 "p19") (20 "p20") (21 "p21") (22 "p22") (23 "p23") (24 "p24") (25 "p25")
    (26 "p26") (27 "p27") (28 "p28") (29 "p29") (30 "p30") (31 "p31")]
}

mport_packet_switch! {
    mport_packet_switch_64 MportPacketSwitch64, 64,
    [(0 "p0") (1 "p1") (2 "p2") (3 "p3") (4 "p4") (5 "p5") (6 "p6") (7 "p7") (8 "p8") (9 "p9")
    (10 "p10") (11 "p11") (12 "p12") (13 "p13") (14 "p14") (15 "p15") (16 "p16") (17 "p17")
    (18 "p18") (19 "p19") (20 "p20") (21 "p21") (22 "p22") (23 "p23") (24 "p24") (25 "p25")
    (26 "p26") (27 "p27") (28 "p28") (29 "p29") (30 "p30") (31 "p31") (32 "p32") (33 "p33")
    (34 "p34") (35 "p35") (36 "p36") (37 "p37") (38 "p38") (39 "p39") (40 "p40") (41 "p41")
    (42 "p42") (43 "p43") (44 "p44") (45 "p45") (46 "p46") (47 "p47") (48 "p48") (49 "p49")
    (50 "p50") (51 "p51") (52 "p52") (53 "p53") (54 "p54") (55 "p55") (56 "p56") (57 "p57")
    (58 "p58") (59 "p59") (60 "p60") (61 "p61") (62 "p62") (63 "p63")]
}
