//! The lane of a node: what its sender knows of its connection, from the launch to the end.

use super::{
    PORT_TX_BLOCKED, PORT_TX_DONE, PORT_TX_LAUNCH, PORT_TX_REPLY, PORT_TX_STAGE, PORT_TX_STAGES,
};
use crate::lane::{Lane, LaneStep};
use crosswave_probe::signal::StateName;

const NONE: u64 = 0;
const OPENING: u64 = 1;
const OPEN: u64 = 2;
const REPLY: u64 = 3;
const BLOCKED: u64 = 4;

const fn state(value: u64, name: &'static str) -> StateName {
    StateName { value, name }
}

/// The lane of a connection.
pub static LANE: Lane = Lane {
    scope: "connections",
    name: "connection",
    width: 3,
    states: &[
        // No connection.
        state(NONE, "-"),
        // An attempt is under way, and not all routers have answered.
        state(OPENING, "OPENING"),
        // All routers have said that they are connected.
        state(OPEN, "OPEN"),
        // The first word of a reply has come.
        state(REPLY, "REPLY"),
        // The attempt was blocked; the next one is to come.
        state(BLOCKED, "BLOCKED"),
    ],
    events: &[
        (PORT_TX_DONE, NONE),
        (PORT_TX_BLOCKED, BLOCKED),
        (PORT_TX_REPLY, REPLY),
        (PORT_TX_LAUNCH, OPENING),
    ],
    step: LaneStep {
        from: OPENING,
        to: OPEN,
        ports: [PORT_TX_STAGE, PORT_TX_STAGES],
    },
};
