//! Behaviour of messages in m-port n-trees, shown on small ones.
//!
//! As in `tests/quick/bidelta_scenarios.rs`. One command makes the waveforms and drawings again:
//!
//! ```text
//! CROSSWAVE_BLESS=1 INSTA_UPDATE=always cargo test --test suite quick::mport_scenarios::
//! ```

use crosswave_run::host::End;

use crate::support::scenario::Scenario;

/// The header goes before the body, a switch takes its first word away, and of two messages that want
/// one port up the one passes that the fixed order says.
#[test]
fn of_two_messages_to_one_port_up_one_is_rejected() {
    let rows = [
        "**.node_0.net_out_*",
        "**.node_1.net_out_*",
        "**.switch_0_0.p2_out_valid",
        "**.switch_0_0.p2_out_data",
        "**.switch_0_0.p0_state",
        "**.switch_0_0.p1_state",
    ];
    let run = Scenario::run("mport-blocked", &rows, 0..14);
    insta::assert_snapshot!("mport-blocked", run.drawing);
    assert_eq!(run.outcome.end, End::Finished);
    // Up by port 2, in the root to the third and fourth switch, down by port 0.
    let header = |node: u32, cycle| run.at(&format!("node_{node}.net_out_data"), cycle);
    assert_eq!([2, 3, 4].map(|cycle| header(0, cycle)), [2, 2, 0]);
    assert_eq!([2, 3, 4].map(|cycle| header(1, cycle)), [2, 3, 0]);
    // The second word of the header is on the wire behind the switch two clocks after the first.
    assert_eq!(run.at("switch_0_0.p2_out_data", 4), 2);
    assert_eq!(run.state("switch_0_0.p0_state", 4), "TO_P2");
    assert_eq!(run.state("switch_0_0.p1_state", 4), "DRAIN");
    let attempts: Vec<u32> = run.outcome.messages.iter().map(|m| m.attempts).collect();
    assert_eq!(attempts[0], 1);
    assert!(attempts[1] > 1);
    let rejected = u64::from(attempts[1] - 1);
    assert_eq!(run.outcome.rejections.of("upward_by_level"), [rejected, 0]);
    assert_eq!(run.outcome.rejections.total(), rejected);
}
