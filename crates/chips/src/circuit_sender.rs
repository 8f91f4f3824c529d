//! The sender of a network interface at a network of circuits: header, body, answers and the
//! retry strategies; registers as in `hdl/circuit_sender.v`. What the header is, interfaces say.
//!
//! Source: Strumpen & Krishnamurthy 2005, sections 3 and 7. The law of the back-off: assumed.
//! `hdl/network_interface.md` has the state machine.

use serde::{Deserialize, Serialize};

use super::protocol::{
    STRATEGY_BACKOFF, STRATEGY_ROUNDS, TX_BACKOFF, TX_BODY, TX_DONE, TX_HEADER, TX_IDLE, TX_RETRY,
    TX_ROUND, TX_WAIT, signature,
};
use super::{ACK, COLLISION, LinkWord, RandomKind, RandomPins, VALID};

/// First of the twelve streams of the back-off.
pub(super) const STREAM_WAIT: u64 = 0x200;

/// A request to a sender, as its pins hold it.
pub(super) struct SenderInputs {
    pub(super) request: bool,
    pub(super) destination: u32,
    /// Words of the body minus one.
    pub(super) words: u32,
    pub(super) strategy: u8,
    pub(super) backoff_limit: u8,
    pub(super) round_start: bool,
}

/// The header of a message that is asked for.
pub(super) trait Header {
    /// Its first word, and how many more it has.
    fn first(&self) -> (u8, u8);

    /// The word behind which so many are left.
    fn word(&self, left: u8) -> u8;
}

/// The registers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CircuitSender {
    words_left: u32,
    wait_left: u16,
    pub(super) state: u8,
    header_left: u8,
    payload: u8,
    exponent: u8,
    acknowledged: bool,
    pub(super) launch: bool,
    pub(super) collision: bool,
    pub(super) done: bool,
}

impl CircuitSender {
    /// A clock edge: what it drives behind it.
    pub(super) fn step(
        &mut self,
        asked: &SenderInputs,
        header: &impl Header,
        random: &impl RandomPins,
        answer: LinkWord,
    ) -> LinkWord {
        let state = u64::from(self.state);
        let by_rounds = u64::from(asked.strategy) == STRATEGY_ROUNDS;
        let by_backoff = u64::from(asked.strategy) == STRATEGY_BACKOFF;
        let sending = matches!(state, TX_HEADER | TX_BODY | TX_WAIT);
        let collision = sending && answer & COLLISION != 0;
        let settled = answer & ACK != 0 || self.acknowledged;
        let finished = state == TX_WAIT && settled && !collision;

        let mut wait = 0;
        if state == TX_BACKOFF {
            wait = self.wait_left;
        } else if state == TX_RETRY && by_backoff {
            for bit in 0..u64::from(self.exponent).min(12) {
                wait |= u16::from(random.bit(STREAM_WAIT + bit, RandomKind::Fair)) << bit;
            }
        }
        let offered = state == TX_IDLE && asked.request;
        let launch = if by_rounds {
            (offered || state == TX_ROUND) && asked.round_start
        } else {
            offered || matches!(state, TX_RETRY | TX_BACKOFF) && wait == 0
        } || state == TX_BACKOFF && wait == 0;

        if state == TX_IDLE {
            self.exponent = 1;
        } else if state == TX_RETRY && self.exponent != asked.backoff_limit {
            self.exponent = (self.exponent + 1) & 0xf;
        }
        if matches!(state, TX_RETRY | TX_BACKOFF) {
            self.wait_left = wait.wrapping_sub(1) & 0xfff;
        }
        self.acknowledged = sending && settled && !collision && !finished;
        self.launch = launch;
        self.collision = collision;
        self.done = finished;

        let mut word = 0;
        let next = if launch {
            let (first, more) = header.first();
            self.header_left = more;
            self.words_left = asked.words;
            self.payload = signature(u64::from(asked.destination));
            word = VALID | LinkWord::from(first);
            TX_HEADER
        } else if collision {
            TX_RETRY
        } else if finished {
            TX_DONE
        } else if state == TX_HEADER && self.header_left != 0 {
            self.header_left -= 1;
            word = VALID | LinkWord::from(header.word(self.header_left));
            TX_HEADER
        } else if matches!(state, TX_HEADER | TX_BODY) {
            word = VALID | LinkWord::from(self.payload);
            self.payload = self.payload.wrapping_add(1);
            let last = self.words_left == 0;
            self.words_left = self.words_left.wrapping_sub(1) & 0xf_ffff;
            if last { TX_WAIT } else { TX_BODY }
        } else if offered || state == TX_RETRY && by_rounds {
            TX_ROUND
        } else if state == TX_RETRY {
            TX_BACKOFF
        } else if state == TX_DONE {
            TX_IDLE
        } else {
            state
        };
        self.state = next as u8;
        word
    }
}
