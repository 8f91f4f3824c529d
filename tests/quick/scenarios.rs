//! Statements of the paper about routers, shown on small networks.
//!
//! Each scenario is a configuration in `examples/scenarios` with a waveform in
//! `traces/scenarios`, which both engines have to give byte for byte, a drawing
//! in `tests/quick/snapshots`, and assertions here about what happens in which clock.
//! One command makes the waveforms and drawings again:
//!
//! ```text
//! CROSSWAVE_BLESS=1 INSTA_UPDATE=always cargo test --test suite quick::scenarios::
//! ```

use crosswave_run::host::Outcome;

use crate::support::scenario::{Scenario, config, folder, record};

/// Runs a scenario and compares its drawing.
fn shown(name: &str, scopes: &[&str], window: std::ops::Range<u64>) -> Scenario {
    let run = Scenario::run(name, scopes, window);
    insta::assert_snapshot!(name, run.drawing);
    run
}

/// The input ports that held a circuit, as `router_0_0.a` and the state, the
/// cycle it was entered and the cycle it was left, in order of entry.
fn circuits(run: &Scenario) -> Vec<(String, String, u64, u64)> {
    let mut circuits = Vec::new();
    for scope in 0..run.wave.scopes.len() {
        let router = run.wave.scopes[scope].name.clone();
        if !router.starts_with("router_") {
            continue;
        }
        for port in ["a", "b", "c", "d"] {
            let signal = format!("{router}.{port}_state");
            let mut before = "IDLE".to_owned();
            let mut since = 0;
            for cycle in 1..=run.outcome.last_cycle {
                let state = run.state(&signal, cycle);
                if state != before {
                    if before.starts_with("TO_") {
                        circuits.push((format!("{router}.{port}"), before, since, cycle));
                    }
                    before = state.to_owned();
                    since = cycle;
                }
            }
        }
    }
    circuits.sort_by(|x, y| (x.2, &x.0).cmp(&(y.2, &y.0)));
    circuits
}

#[test]
fn a_head_takes_two_clocks_a_router_and_an_answer_one() {
    let run = shown(
        "diameter",
        &[
            "**.net_*_valid",
            "**.net_*_ack",
            "**.?x_state",
            "**.a_state",
            "**.c_state",
            "**.d_state",
        ],
        0..32,
    );
    let sent = run.message(0).sent_cycle;
    assert_eq!(run.high("node_0.net_out_valid")[0], sent);
    assert_eq!(run.high("node_15.net_in_valid")[0], sent + 2 * 7);
    let answered = run.high("node_15.net_in_ack")[0];
    assert_eq!(run.high("node_0.net_out_ack"), [answered + 7]);

    let circuits = circuits(&run);
    assert_eq!(circuits.len(), 7);
    for (hop, (port, _, from, to)) in circuits.iter().enumerate() {
        let hop = hop as u64;
        // On the wire, in the register, and granted with the output's word.
        assert_eq!(*from, sent + 2 * hop + 2, "{port}");
        // The last router of the path hears of it first.
        assert_eq!(*to, answered + 7 - hop, "{port}");
    }
}

#[test]
fn the_tail_frees_the_circuit_behind_an_early_acknowledgement() {
    let run = shown(
        "early-acknowledge",
        &[
            "**.net_*_valid",
            "**.net_*_ack",
            "**.?x_state",
            "**.a_state",
            "**.c_state",
            "**.d_state",
        ],
        0..64,
    );
    let sent = run.message(0).sent_cycle;
    let answered = run.high("node_15.net_in_ack")[0];
    assert_eq!(answered, sent + 2 * 7 + 1, "the head is answered at once");
    let circuits = circuits(&run);
    assert_eq!(circuits.len(), 7);
    for pair in circuits.windows(2) {
        assert!(pair[0].3 < pair[1].3, "freed in the order of the path");
    }
    assert!(circuits.iter().all(|(_, _, _, to)| *to > answered + 7));
}

#[test]
fn an_output_is_free_behind_the_tail() {
    let run = shown(
        "release-by-tail",
        &["**.a_out_*", "**.b_state", "**.?_in_ack", "**.tx_state"],
        0..24,
    );
    let [first, second] = [run.message(0), run.message(1)];
    assert_eq!([first.attempts, second.attempts], [1, 1]);
    let words = run.high("router_0_0.a_out_valid");
    assert_eq!(words.len(), 5, "three words and two");
    assert!(words[3] > words[2] + 1, "a clock of silence between them");
    let answers = run.high("router_0_0.a_out_ack");
    assert_eq!(answers.len(), 2);
    assert!(
        words[3] - 1 <= answers[0],
        "granted before the answer to the first has come: {words:?} {answers:?}"
    );
    assert!(first.acknowledged_cycle < second.acknowledged_cycle);
    // Held until the acknowledgement, the second one is rejected.
    let held = config("release-by-tail", &["router.release=acknowledge"]);
    let (outcome, _) = record(&held, &["**.node_2.tx_state".to_owned()], (0, 0));
    assert_eq!(outcome.messages[1].attempts, 2);
}

/// Checks that the input ports of router 0_0 get their heads in the same clock,
/// that one passes and that the others are rejected; gives the cycle in which
/// collision signals are shown.
fn one_passes(run: &Scenario, inputs: &[&str]) -> u64 {
    let ports: Vec<String> = inputs.iter().map(|x| format!("router_0_0.{x}")).collect();
    let arrivals: Vec<u64> = ports
        .iter()
        .map(|port| run.high(&format!("{port}_in_valid"))[0])
        .collect();
    assert!(arrivals.iter().all(|&cycle| cycle == arrivals[0]));
    let judged = arrivals[0] + 2;
    let mut passed = 0;
    for port in &ports {
        let state = run.state(&format!("{port}_state"), judged);
        let collision = run.at(&format!("{port}_in_collision"), judged);
        match state.as_str() {
            "TO_A" => passed += 1,
            "DRAIN" => {}
            other => panic!("{port} is {other}"),
        }
        assert_eq!(collision, u64::from(state == "DRAIN"), "{port}");
        assert_eq!(
            run.high(&format!("{port}_in_collision")).first() == Some(&judged),
            collision == 1
        );
    }
    assert_eq!(passed, 1);
    assert_eq!(run.at("router_0_0.a_out_valid", judged), 1);
    judged
}

const COLLISION_ROWS: [&str; 4] = [
    "**.?_in_valid",
    "**.?_in_collision",
    "**.?_state",
    "**.a_out_*",
];

#[test]
fn two_from_above_collide() {
    let run = shown("collision-from-above", &COLLISION_ROWS, 0..30);
    assert_eq!(one_passes(&run, &["c", "d"]), run.message(0).sent_cycle + 6);
}

#[test]
fn a_turn_collides_with_one_from_above() {
    let run = shown("collision-of-a-turn", &COLLISION_ROWS, 0..30);
    let turned = run.message(1).sent_cycle;
    assert_eq!(turned, run.message(0).sent_cycle + 4);
    let from = ["c", "d"]
        .into_iter()
        .find(|port| run.at(&format!("router_0_0.{port}_in_valid"), turned) == 1)
        .expect("the other message arrives in the same clock");
    one_passes(&run, &["b", from]);
}

#[test]
fn of_three_exactly_one_passes() {
    let run = shown("collision-of-three", &COLLISION_ROWS, 0..24);
    let judged = one_passes(&run, &["b", "c", "d"]);
    let rejected = ["b", "c", "d"]
        .iter()
        .filter(|port| run.at(&format!("router_0_0.{port}_in_collision"), judged) == 1);
    assert_eq!(rejected.count(), 2);
}

#[test]
fn opposite_messages_cross_in_one_router_of_the_root() {
    let run = shown(
        "criss-cross",
        &[
            "**.router_1_?.a_state",
            "**.router_1_?.b_state",
            "**.?_out_data",
            "**.net_*_data",
            "**.tx_state",
            "**.net_*_ack",
        ],
        0..26,
    );
    let shared = (1..=run.outcome.last_cycle).any(|cycle| {
        ["router_1_0", "router_1_1"].iter().any(|root| {
            run.state(&format!("{root}.a_state"), cycle) == "TO_B"
                && run.state(&format!("{root}.b_state"), cycle) == "TO_A"
        })
    });
    assert!(
        shared,
        "they take different routers of the root: choose another seed"
    );
    assert_eq!(run.outcome.rejections.total(), 0);
    for id in [0, 1] {
        let message = run.message(id);
        assert_eq!(message.attempts, 1);
        assert_eq!(message.delivered_cycle, message.sent_cycle + 2 * 3 + 6 + 1);
        assert_eq!(message.acknowledged_cycle, message.delivered_cycle + 3 + 1);
    }
}

#[test]
fn the_second_message_upstream_takes_the_other_port() {
    let run = shown(
        "upstream-choice",
        &[
            "**.random_up",
            "**.a_in_valid",
            "**.b_in_valid",
            "**.a_state",
            "**.b_state",
            "**.c_out_*",
            "**.d_out_*",
        ],
        0..30,
    );
    let head = run.message(1).sent_cycle;
    // In the register, where it is granted.
    let (judged, granted) = (head + 1, head + 2);
    let preferred = ["TO_C", "TO_D"][run.at("router_0_0.random_up", judged) as usize];
    assert_eq!(
        run.state("router_0_0.a_state", judged),
        preferred,
        "choose another seed"
    );
    assert_eq!(run.state("router_0_0.b_state", judged), "IDLE");
    let other = if preferred == "TO_C" { "TO_D" } else { "TO_C" };
    assert_eq!(run.state("router_0_0.b_state", granted), other);
    assert_eq!(run.outcome.rejections.total(), 0);
}

/// With a single port up the random bit gives it to a or to b.
#[test]
fn the_second_message_upstream_is_rejected_where_there_is_one_port() {
    let run = shown(
        "upstream-blocked",
        &[
            "**.router_0_0.random_up",
            "**.router_0_0.a_in_valid",
            "**.router_0_0.b_in_valid",
            "**.router_0_0.a_in_collision",
            "**.router_0_0.b_in_collision",
            "**.router_0_0.a_state",
            "**.router_0_0.b_state",
            "**.router_0_0.c_out_data",
            "**.router_0_0.c_out_ack",
            "**.router_0_0.d_out_data",
        ],
        0..37,
    );
    let sent = run.message(0).sent_cycle;
    assert_eq!(run.message(1).sent_cycle, sent);
    let winner = run.at("router_0_0.random_up", sent + 1) as usize;
    let [passes, rejected] = [["a", "b"], ["b", "a"]][winner];
    let shown_at = sent + 2;
    assert_eq!(
        run.state(&format!("router_0_0.{passes}_state"), shown_at),
        "TO_C"
    );
    assert_eq!(
        run.state(&format!("router_0_0.{rejected}_state"), shown_at),
        "DRAIN"
    );
    let collisions = run.high(&format!("router_0_0.{rejected}_in_collision"));
    assert_eq!(collisions[0], shown_at);
    assert!(
        run.high(&format!("router_0_0.{passes}_in_collision"))
            .is_empty()
    );
    assert!(run.high("router_0_0.d_out_valid").is_empty());

    let count = collisions.len() as u64;
    assert_eq!(run.message(winner).attempts, 1);
    assert_eq!(u64::from(run.message(1 - winner).attempts), count + 1);
    assert_eq!(run.outcome.rejections.of("upward_by_level"), [count, 0]);
    assert_eq!(run.outcome.rejections.total(), count);
    // It gets the port when the first message's circuit is gone.
    let free = run.message(winner).acknowledged_cycle - 1;
    let held = run.cycles_in(&format!("router_0_0.{rejected}_state"), "TO_C");
    assert!(held[0] > free, "{held:?}");
}

#[test]
fn a_collision_frees_the_circuit_behind_it() {
    let run = shown(
        "release-by-collision",
        &[
            "**.?_in_collision",
            "**.?_out_collision",
            "**.?_state",
            "**.tx_state",
            "**.net_out_valid",
            "**.net_out_collision",
        ],
        0..32,
    );
    let sent = run.message(1).sent_cycle;
    // The last of 7 routers rejects the first attempt.
    let rejected = sent + 2 * 6 + 2;
    let last = ["c", "d"]
        .into_iter()
        .find(|port| run.at(&format!("router_0_0.{port}_in_collision"), rejected) == 1)
        .expect("the last router rejects it");
    assert_eq!(
        run.state(&format!("router_0_0.{last}_state"), rejected),
        "DRAIN"
    );

    let circuits = circuits(&run);
    let first: Vec<_> = circuits
        .iter()
        .filter(|(port, ..)| port != "router_0_0.b")
        .take(6)
        .collect();
    let silent = rejected + 6 + 1;
    for (hop, (port, _, from, to)) in first.iter().enumerate() {
        let hop = hop as u64;
        assert_eq!(*from, sent + 2 * hop + 2, "{port}");
        assert_eq!(*to, rejected + 6 - hop, "{port}");
        assert_eq!(run.state(&format!("{port}_state"), *to), "DRAIN");
        assert_eq!(run.at(&format!("{port}_in_collision"), *to), 1);
    }
    assert_eq!(run.high("node_15.net_out_collision")[0], rejected + 6);
    assert_eq!(run.at("node_15.net_out_valid", silent), 0);
    assert_eq!(run.state("node_15.tx_state", silent), "RETRY");
}

#[test]
fn an_immediate_retry_is_on_the_wire_two_cycles_after_the_collision() {
    let run = shown("immediate-retry", &RETRY_ROWS, 0..28);
    let collisions = run.high("node_2.net_out_collision");
    assert!(collisions.len() >= 2, "{collisions:?}");
    let launches = run.high("node_2.tx_launch");
    assert_eq!(launches.len(), collisions.len() + 1);
    for (collision, launch) in collisions.iter().zip(&launches[1..]) {
        assert_eq!(*launch, collision + 2);
        assert_eq!(run.state("node_2.tx_state", collision + 1), "RETRY");
        assert_eq!(run.at("node_2.net_out_valid", collision + 1), 0);
        assert_eq!(run.at("node_2.net_out_valid", collision + 2), 1);
    }
    assert_eq!(u64::from(run.message(1).attempts), launches.len() as u64);
    assert_eq!(
        run.cycles_in("node_2.tx_state", "RETRY").len(),
        collisions.len()
    );
}

/// The signals that tell of the retry; those of the drawing in the README.
const RETRY_ROWS: [&str; 7] = [
    "**.node_2.tx_state",
    "**.node_2.net_out_*",
    "**.router_0_1.a_state",
    "**.router_0_1.a_in_collision",
    "**.router_0_0.a_out_data",
    "**.router_0_0.b_state",
    "**.router_0_0.c_state",
];

#[test]
fn m_messages_to_one_node_take_m_rounds() {
    let run = shown("hot-spot-rounds", &["*"], 0..70);
    assert_eq!(run.outcome.rounds, 3);
    assert_eq!(run.high("node_0.round_start").len(), 3);
    for m in 1..=8u64 {
        for engine in ["gate", "event"] {
            for seed in 1..=4 {
                let settings = [
                    format!("traffic.messages={m}"),
                    format!("run.engine={engine}"),
                    format!("run.seed={seed}"),
                ];
                let config = config("hot-spot-rounds", &settings.each_ref().map(String::as_str));
                let outcome = record(&config, &["**.node_0.rx_done".to_owned()], (0, 0)).0;
                assert_eq!(outcome.rounds, m, "{settings:?}");
                assert_eq!(outcome.rejections.total(), m * (m - 1) / 2, "{settings:?}");
            }
        }
    }
}

#[test]
fn a_delay_line_adds_its_clocks_to_every_link() {
    let run = shown(
        "delay-lines",
        &[
            "**.tx_state",
            "**.rx_state",
            "**.net_*_data",
            "**.net_*_ack",
        ],
        0..62,
    );
    let check = |extra: u64, outcome: &Outcome| {
        let message = &outcome.messages[0];
        let links = 8;
        assert_eq!(
            message.delivered_cycle,
            message.sent_cycle + 2 * 7 + links * extra + 3 + 1
        );
        assert_eq!(
            message.acknowledged_cycle,
            message.delivered_cycle + 7 + links * extra + 1
        );
    };
    check(2, &run.outcome);
    assert_eq!(
        run.high("node_15.net_in_valid")[0],
        run.message(0).sent_cycle + 14 + 16
    );
    for extra in [0, 1, 3, 7, 64] {
        for engine in ["gate", "event"] {
            let settings = [
                format!("network.link_delay_cycles={extra}"),
                format!("run.engine={engine}"),
            ];
            let config = config("delay-lines", &settings.each_ref().map(String::as_str));
            let (outcome, _) = record(&config, &["**.node_0.tx_done".to_owned()], (0, 0));
            check(extra, &outcome);
        }
    }
}

#[test]
fn every_scenario_has_its_waveform() {
    let names = |name: &str, ending: &str| {
        let mut names: Vec<String> = std::fs::read_dir(folder(name))
            .expect("the folder is there")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|file| Some(file.strip_suffix(ending)?.to_owned()))
            .collect();
        names.sort();
        names
    };
    assert_eq!(
        names("examples/scenarios", ".toml"),
        names("traces/scenarios", ".vcd")
    );
}
