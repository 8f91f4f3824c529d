//! Values that the paper prints.

use crosswave_frame::shape::Family;
use crosswave_observe::flows::flow::FlowTraffic;

/// The networks of table 1, in its order.
pub const NETWORKS: [Family; 3] = [
    Family::ButterflyFatTree,
    Family::AugmentedFatStack,
    Family::FatPyramid,
];

/// Table 1: throughput in b/s and delay in seconds.
pub fn table_1(family: Family, traffic: FlowTraffic) -> (f64, f64) {
    let row = match family {
        Family::ButterflyFatTree => [
            (928_113.333_333, 0.763_641),
            (917_320.0, 0.841_578),
            (875_986.666_667, 0.780_242),
        ],
        Family::AugmentedFatStack => [
            (1_126_821.333_333, 0.194_550),
            (1_130_601.333_333, 0.230_433),
            (1_097_736.0, 0.215_983),
        ],
        Family::FatPyramid => [
            (1_652_286.666_667, 0.146_700),
            (1_624_204.0, 0.169_914),
            (1_589_376.0, 0.162_286),
        ],
        Family::GeneralFatStack => unreachable!("the paper does not simulate it"),
    };
    match traffic {
        FlowTraffic::Constant => row[0],
        FlowTraffic::Exponential => row[1],
        FlowTraffic::Pareto => row[2],
    }
}

/// Seconds of the experiment.
const SECONDS: f64 = 120.0;

/// The bytes that a printed throughput comes to. All are whole numbers, to the digits that are printed.
pub fn bytes(family: Family, traffic: FlowTraffic) -> u64 {
    (table_1(family, traffic).0 * SECONDS / 8.0).round() as u64
}

/// Bytes of link-state routing in the tree of 85 nodes and 84 links, if every node announces every link once: 100
/// bytes, and 20 of the acknowledgement, as ns-2 has them.
pub const ROUTING_BYTES: u64 = 85 * 84 * (100 + 20);

/// Sources and flows of section 5.
pub const SOURCES: u32 = 40;
pub const FLOWS: u32 = 60;
/// Clocks between the packets of a flow on average: 1,000 bytes at 80 kb/s.
pub const INTERVAL_CLOCKS: u64 = 5_000;
/// Packets that wait for a link at most, and buckets of the fair queue.
pub const QUEUE_PACKETS: u16 = 40;
pub const BUCKETS: u16 = 16;

/// Digits of an address of the networks of section 5: 64 processors.
pub const LEVELS: u32 = 3;
