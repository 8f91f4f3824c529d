//! Connections through a row of model chips, whose wires have extra clocks and
//! rotate the byte: what both ends see, clock by clock, against what hdl/rn1.md
//! says.

use crosswave_chips::LinkWord;
use crosswave_chips::rn1_protocol::{
    RN1_DATA, RN1_DROP, RN1_IDLE, RN1_REST, RN1_STATE_BLOCKED, RN1_STATE_IDLE, RN1_TURN, checksum,
    status,
};

use crate::support::rn1::{Chain, rotated};

const REST: LinkWord = RN1_REST as LinkWord;
const IDLE: LinkWord = RN1_IDLE as LinkWord;
const DROP: LinkWord = RN1_DROP as LinkWord;
const TURN: LinkWord = RN1_TURN as LinkWord;
const DATA: LinkWord = RN1_DATA as LinkWord;

/// Input and output at each of four stages: directions 3, 0, 2 and 1.
const PORTS: [(usize, usize); 4] = [(2, 6), (7, 1), (0, 4), (5, 3)];
const STAGES: usize = PORTS.len();
/// The byte that has these directions, two bits each.
const ROUTE: LinkWord = DATA | 0b11_00_10_01;

/// Extra clocks of the five wires.
const DELAYS: [[u8; STAGES + 1]; 5] = [
    [0; STAGES + 1],
    [1; STAGES + 1],
    [3; STAGES + 1],
    [31; STAGES + 1],
    [0, 3, 1, 17, 0],
];

fn data(byte: u8) -> LinkWord {
    DATA | LinkWord::from(byte)
}

/// A conversation: the source sends the first list of words, the destination the
/// second, and so on, each from the clock after it has seen the turn.
struct Conversation {
    delays: [u8; STAGES + 1],
    /// The stage that swallows, and the one that has no output free.
    swallows: Option<usize>,
    blocks: Option<usize>,
    /// Words of each phase; each ends with its TURN, or with what ends it all.
    phases: Vec<Vec<LinkWord>>,
}

/// The words and states that were seen in each clock.
struct Seen {
    source: Vec<LinkWord>,
    destination: Vec<LinkWord>,
    /// The states of all stages in the clock.
    states: Vec<Vec<u64>>,
    /// The clock in which each phase's first word was driven.
    starts: Vec<usize>,
}

impl Conversation {
    fn new(delays: [u8; STAGES + 1], phases: &[&[LinkWord]]) -> Conversation {
        Conversation {
            delays,
            swallows: None,
            blocks: None,
            phases: phases.iter().map(|words| words.to_vec()).collect(),
        }
    }

    fn run(&self) -> Seen {
        let mut chain = Chain::new(&self.delays, &PORTS, |stage, configuration| {
            configuration.out_enable = match self.blocks {
                Some(blocks) if blocks == stage => 0,
                _ => 1 << PORTS[stage].1,
            };
            if self.swallows == Some(stage) {
                configuration.swallow = 0xff;
            }
        });
        let mut seen = Seen {
            source: Vec::new(),
            destination: Vec::new(),
            states: Vec::new(),
            starts: vec![0],
        };
        let (mut phase, mut sent) = (0, 0);
        for clock in 0..1600 {
            let mut driven = [REST; 2];
            let words = self.phases.get(phase);
            if let Some(&word) = words.and_then(|words| words.get(sent)) {
                driven[phase % 2] = word;
                sent += 1;
            }
            seen.states.push(chain.states());
            let (source, destination) = chain.step(driven[0], driven[1]);
            seen.source.push(source);
            seen.destination.push(destination);
            let all_sent = words.is_some_and(|words| sent == words.len());
            if all_sent && [destination, source][phase % 2] == TURN {
                (phase, sent) = (phase + 1, 0);
                seen.starts.push(clock + 1);
            }
        }
        seen
    }

    /// Clocks from one end's wire to the input of a stage, the words going forward.
    fn clocks_to(&self, stage: usize) -> usize {
        let delays = self.delays[..=stage].iter();
        delays.map(|&delay| usize::from(delay)).sum::<usize>() + stage
    }

    /// Clocks of the answers of the stages from `stage` on up to `end`, when turned
    /// at the source.
    fn answer_clocks(&self, stage: usize, end: usize) -> usize {
        let delays = self.delays[stage + 1..=end].iter();
        delays.map(|&delay| 2 * (usize::from(delay) + 1)).sum()
    }

    /// Status and checksum of a stage for the words of a phase, as often as it
    /// repeats them, as the side sees them that sent these words.
    fn answers(&self, stage: usize, phase: usize) -> Vec<LinkWord> {
        let forward = phase.is_multiple_of(2);
        // Words rotate on the way to the stage, and answers back on theirs.
        let (there, back, repeats) = match forward {
            true => (stage, 4 - stage, self.delays[stage + 1]),
            false => {
                let wires = STAGES - 1 - stage;
                (4 - wires, wires, self.delays[stage])
            }
        };
        let swallowed = usize::from(phase == 0 && self.swallows.is_some_and(|at| at <= stage));
        let mut crc = 0;
        for &word in &self.phases[phase][swallowed..] {
            if word & DATA != 0 {
                crc = checksum(crc, rotated(word, there) as u8);
            }
        }
        let mut words = Vec::new();
        for repeat in 0..=repeats {
            let status = status(repeat == 0, true, PORTS[stage].1 as u8) as LinkWord;
            words.extend([status, data(crc)].map(|word| rotated(word, back)));
        }
        words
    }

    /// The answers that the side that turned or ended phase `phase` sees, from the first one up to
    /// the words of the next phase.
    fn all_answers(&self, phase: usize) -> Vec<LinkWord> {
        let stages: Vec<usize> = match phase % 2 {
            0 => (0..STAGES).collect(),
            _ => (0..STAGES).rev().collect(),
        };
        let answers = stages.iter().map(|&stage| self.answers(stage, phase));
        answers.collect::<Vec<_>>().concat()
    }
}

/// Asserts that `expected` and nothing before and behind it was seen from clock
/// `start` on and before clock `end`.
fn assert_seen(seen: &[LinkWord], from: usize, start: usize, expected: &[LinkWord], who: &str) {
    let silent = seen[from..start].iter().all(|&word| word == REST);
    assert!(
        silent,
        "{who} before clock {start}: {:x?}",
        &seen[from..start]
    );
    assert_eq!(
        format!("{:03x?}", &seen[start..start + expected.len()]),
        format!("{expected:03x?}"),
        "{who} from clock {start} on"
    );
}

/// Checks the words that both ends see of a conversation that is not blocked.
fn assert_as_written(talk: &Conversation, seen: &Seen) {
    assert_eq!(seen.starts.len(), talk.phases.len(), "every turn arrives");
    let ends = [&seen.source, &seen.destination];
    let mut from = [0, 0];
    for (phase, words) in talk.phases.iter().enumerate() {
        let start = seen.starts[phase];
        let (sender, receiver) = (phase % 2, 1 - phase % 2);
        // The words, at the other end, behind the answers to the phase before.
        let answers = match phase {
            0 => Vec::new(),
            _ => talk.all_answers(phase - 1),
        };
        let swallowed = usize::from(phase == 0 && talk.swallows.is_some());
        let rotation = match sender {
            0 => STAGES - 1,
            _ => 4 - (STAGES - 1),
        };
        let words = words[swallowed..]
            .iter()
            .map(|&word| rotated(word, rotation));
        let expected: Vec<LinkWord> = answers.iter().copied().chain(words).collect();
        let (near, far) = (talk.delays[0], talk.delays[STAGES]);
        let first = match phase {
            0 => talk.clocks_to(STAGES - 1) + 1 + usize::from(far) + 2 * swallowed,
            _ => {
                // The clock in which the receiver of this phase drove its turn.
                let turned = seen.starts[phase - 1] + talk.phases[phase - 1].len() - 1;
                turned + 1 + 2 * usize::from([near, far][receiver])
            }
        };
        let who = ["the source", "the destination"][receiver];
        assert_seen(ends[receiver], from[receiver], first, &expected, who);
        from[receiver] = first + expected.len();
        // A turn takes 2 (k + 1) clocks on each wire: the last answer is followed by
        // what the other end drove in the clock after it saw the turn.
        if phase > 0 {
            let path: usize = talk.delays.iter().map(|&k| usize::from(k)).sum();
            assert_eq!(first + answers.len(), start + path + STAGES);
        }
    }
}

/// The stages are connected up to these clocks, and at rest from them on.
fn assert_freed(seen: &Seen, clocks: impl Fn(usize) -> usize, stages: usize) {
    for stage in 0..stages {
        let at = clocks(stage);
        assert_ne!(
            seen.states[at - 1][stage],
            RN1_STATE_IDLE,
            "stage {stage}, clock {at}"
        );
        for states in &seen.states[at..] {
            assert_eq!(states[stage], RN1_STATE_IDLE, "stage {stage}, clock {at}");
        }
    }
}

#[test]
fn bytes_pass_four_stages_in_order() {
    for delays in DELAYS {
        let words = [ROUTE, data(1), IDLE, data(2), data(0xff), data(0), DROP];
        let talk = Conversation::new(delays, &[&words]);
        let seen = talk.run();
        assert_as_written(&talk, &seen);
        assert!(seen.source.iter().all(|&word| word == REST));
        // A drop frees each stage in the clock after it is on its input.
        assert_freed(&seen, |stage| words.len() + talk.clocks_to(stage), STAGES);
    }
}

#[test]
fn a_swallowed_byte_takes_a_clock() {
    for delays in DELAYS {
        for stage in 0..STAGES {
            // The second byte has the directions of the later stages.
            let words = [ROUTE, ROUTE, data(7), TURN];
            let mut talk = Conversation::new(delays, &[&words, &[data(9), DROP]]);
            talk.swallows = Some(stage);
            let seen = talk.run();
            assert_eq!(seen.starts.len(), 2);
            let first = seen.destination.iter().position(|&word| word != REST);
            // The second byte is driven a clock later than the first.
            let path = talk.clocks_to(STAGES - 1) + 1 + usize::from(delays[STAGES]);
            assert_eq!(first, Some(path + 1));
            let answers = talk.all_answers(0);
            let start = words.len() + 2 * usize::from(delays[0]);
            assert_seen(&seen.source, 0, start, &answers, "the source");
        }
    }
}

#[test]
fn a_connection_turns_and_turns_again() {
    for delays in DELAYS {
        let talk = Conversation::new(
            delays,
            &[
                &[ROUTE, data(1), data(2), TURN],
                &[data(3), IDLE, data(4), TURN],
                &[data(5), TURN],
                &[TURN],
                &[IDLE, data(6), TURN],
                &[data(7), DROP],
            ],
        );
        let seen = talk.run();
        assert_as_written(&talk, &seen);
        assert!(
            seen.states[1599]
                .iter()
                .all(|&state| state == RN1_STATE_IDLE)
        );
    }
}

#[test]
fn the_receiver_frees_the_path_by_a_drop_or_by_resting() {
    for delays in DELAYS {
        for end in [DROP, REST] {
            let reply = [data(3), data(4), end];
            let talk = Conversation::new(delays, &[&[ROUTE, TURN], &reply]);
            let seen = talk.run();
            assert_as_written(&talk, &seen);
            let driven = seen.starts[1] + reply.len() - 1;
            let back = |stage: usize| {
                let delays = talk.delays[stage + 1..].iter();
                delays.map(|&delay| usize::from(delay) + 1).sum::<usize>()
            };
            assert_freed(&seen, |stage| driven + back(stage), STAGES);
        }
    }
}

#[test]
fn the_end_of_a_transmission_is_answered_and_frees_the_path() {
    for delays in DELAYS {
        let words = [ROUTE, data(1), REST];
        let talk = Conversation::new(delays, &[&words]);
        let seen = talk.run();
        let mut answers = talk.all_answers(0);
        answers.push(REST);
        let start = words.len() + 2 * usize::from(delays[0]);
        assert_seen(&seen.source, 0, start, &answers, "the source");
        let ended = words.len() - 1;
        let freed =
            |stage: usize| ended + talk.clocks_to(stage) + 1 + talk.answer_clocks(stage, STAGES);
        assert_freed(&seen, freed, STAGES);
    }
}

#[test]
fn a_blocked_connection_learns_it_by_a_turn_and_by_its_end() {
    for delays in DELAYS {
        for blocks in 0..STAGES {
            for end in [TURN, REST] {
                let words = [ROUTE, data(1), IDLE, data(2), end];
                let mut talk = Conversation::new(delays, &[&words]);
                talk.blocks = Some(blocks);
                let seen = talk.run();
                let mut answers: Vec<LinkWord> = Vec::new();
                for stage in 0..blocks {
                    answers.extend(talk.answers(stage, 0));
                }
                let direction = PORTS[blocks].1 as u8 / 2;
                let status = status(true, false, 2 * direction) as LinkWord;
                answers.extend([status, DATA].map(|word| rotated(word, 4 - blocks)));
                answers.push(REST);
                let start = words.len() + 2 * usize::from(delays[0]);
                assert_seen(&seen.source, 0, start, &answers, "the source");
                assert!(
                    seen.source[start + answers.len()..]
                        .iter()
                        .all(|&word| word == REST)
                );
                assert!(seen.destination.iter().all(|&word| word == REST));
                let ended = words.len() - 1;
                let freed = |stage: usize| {
                    let clocks = talk.answer_clocks(stage, blocks);
                    ended + talk.clocks_to(stage) + clocks + if stage == blocks { 2 } else { 3 }
                };
                assert_freed(&seen, freed, blocks + 1);
            }
            // A drop is not answered.
            let words = [ROUTE, data(1), DROP];
            let mut talk = Conversation::new(delays, &[&words]);
            talk.blocks = Some(blocks);
            let seen = talk.run();
            assert!(seen.source.iter().all(|&word| word == REST));
            assert!(
                seen.states
                    .iter()
                    .any(|states| states[blocks] == RN1_STATE_BLOCKED)
            );
            assert_freed(
                &seen,
                |stage| words.len() + talk.clocks_to(stage),
                blocks + 1,
            );
        }
    }
}
