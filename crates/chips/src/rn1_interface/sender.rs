//! The sender: launches a message, checks the statuses and checksums of the routers
//! and the reply, and tries again what was blocked.

use serde::{Deserialize, Serialize};

use super::checks::Checks;
use super::{Pins, STREAM_PORT, STREAM_WAIT, is_rest_or_drop, is_status};
use crate::protocol::signature;
use crate::rn1_protocol::{
    RN1_DATA, RN1_DROP, RN1_REST, RN1_STATUS, RN1_STATUS_CONNECTED, RN1_STATUS_FIRST,
    RN1_STRATEGY_BACKOFF, RN1_STRATEGY_RANDOM, RN1_TURN, RN1_TX_ANSWER, RN1_TX_BACKOFF,
    RN1_TX_BODY, RN1_TX_CHECK, RN1_TX_DONE, RN1_TX_HEADER, RN1_TX_IDLE, RN1_TX_RETRY, RN1_TX_TURN,
};
use crate::{LinkWord, RandomKind, RandomPins};

const DATA: LinkWord = RN1_DATA as LinkWord;
const REST: LinkWord = RN1_REST as LinkWord;

/// Registers of the sender, apart from those that drive its link ports. One without a
/// message has 0 in all of them but `connected`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ConnectionSender {
    checks: Checks,
    /// Words behind the one on the wire; of the reply, but the last.
    words_left: u32,
    wait_left: u16,
    pub(super) state: u8,
    /// The port in use.
    port: bool,
    /// The routing byte on the wire.
    route_at: u8,
    /// The next byte to send, or of the reply.
    payload: u8,
    turns_left: u8,
    /// Routers that said that they are connected.
    pub(super) connected: u8,
    /// Bytes that the routers up to this one swallowed.
    swallowed: u8,
    /// Rotations of what this one sees.
    frame: u8,
    exponent: u8,
    /// No word of a reply is to come.
    complete: bool,
    /// A reply has begun: no routing bytes any more.
    later: bool,
    wrong: bool,
    pub(super) launched: bool,
    pub(super) blocked: bool,
    pub(super) replied: bool,
    pub(super) done: bool,
    pub(super) failed: bool,
}

impl ConnectionSender {
    /// One clock edge: what it drives at its two ports after it.
    pub(super) fn step(
        &mut self,
        pins: &Pins,
        random: &impl RandomPins,
        arriving: [LinkWord; 2],
    ) -> [LinkWord; 2] {
        (self.launched, self.blocked, self.replied) = (false, false, false);
        (self.done, self.failed) = (false, false);
        let word = match u64::from(self.state) {
            RN1_TX_IDLE if self.offered(pins) => self.launch(pins, random),
            RN1_TX_IDLE => REST,
            RN1_TX_RETRY | RN1_TX_BACKOFF => self.wait(pins, random),
            RN1_TX_HEADER if self.route_at == pins.route_bytes => self.first_word(pins),
            RN1_TX_HEADER => {
                self.route_at += 1;
                self.route_byte(pins)
            }
            RN1_TX_BODY if self.words_left == 0 => self.end_segment(pins),
            RN1_TX_BODY => {
                self.words_left -= 1;
                self.payload_byte()
            }
            RN1_TX_TURN => {
                (self.connected, self.swallowed, self.frame) = (0, 0, 0);
                self.state = RN1_TX_ANSWER as u8;
                REST
            }
            RN1_TX_ANSWER | RN1_TX_CHECK => self.listen(pins, arriving[usize::from(self.port)]),
            _ => {
                *self = ConnectionSender {
                    connected: self.connected,
                    ..ConnectionSender::default()
                };
                REST
            }
        };
        match self.port {
            false => [word, REST],
            true => [REST, word],
        }
    }

    /// True when a message can be launched.
    fn offered(&self, pins: &Pins) -> bool {
        pins.request && pins.tx_enable != 0
    }

    fn launch(&mut self, pins: &Pins, random: &impl RandomPins) -> LinkWord {
        *self = ConnectionSender {
            state: RN1_TX_HEADER as u8,
            port: match pins.tx_enable {
                3 => random.bit(STREAM_PORT, RandomKind::Fair),
                enable => enable == 2,
            },
            turns_left: pins.turns,
            exponent: self.exponent,
            launched: true,
            ..ConnectionSender::default()
        };
        self.route_byte(pins)
    }

    /// The wait after an attempt that was blocked.
    fn wait(&mut self, pins: &Pins, random: &impl RandomPins) -> LinkWord {
        let wait = if u64::from(self.state) == RN1_TX_BACKOFF {
            self.wait_left
        } else {
            let exponent = match u64::from(pins.strategy) {
                RN1_STRATEGY_RANDOM => pins.backoff_limit,
                RN1_STRATEGY_BACKOFF => self.exponent,
                _ => 0,
            };
            (0..u64::from(exponent).min(12)).fold(0, |wait, bit| {
                wait | u16::from(random.bit(STREAM_WAIT + bit, RandomKind::Fair)) << bit
            })
        };
        if wait == 0 {
            return self.launch(pins, random);
        }
        self.wait_left = wait - 1;
        self.state = RN1_TX_BACKOFF as u8;
        REST
    }

    fn route_byte(&mut self, pins: &Pins) -> LinkWord {
        self.byte((pins.route >> (8 * self.route_at)) as u8)
    }

    fn first_word(&mut self, pins: &Pins) -> LinkWord {
        self.state = RN1_TX_BODY as u8;
        self.route_at = 0;
        self.words_left = pins.words;
        self.payload = signature(u64::from(pins.destination));
        self.payload_byte()
    }

    fn payload_byte(&mut self) -> LinkWord {
        let byte = self.payload;
        self.payload = byte.wrapping_add(1);
        self.byte(byte)
    }

    fn byte(&mut self, byte: u8) -> LinkWord {
        self.checks.add(byte);
        DATA | LinkWord::from(byte)
    }

    /// Ends a segment, and gives the word that follows its last one.
    fn end_segment(&mut self, pins: &Pins) -> LinkWord {
        let turns = self.turns_left != 0;
        if !turns && pins.close_drop && pins.turns != 0 {
            self.finish();
            return RN1_DROP as LinkWord;
        }
        self.state = RN1_TX_TURN as u8;
        // A sender that ends the connection gets no reply.
        self.complete = !turns;
        self.words_left = u32::from(pins.reply_words);
        // The reply's bytes count from the complement of the signature.
        self.payload = !signature(u64::from(pins.destination));
        if !turns {
            return REST;
        }
        self.turns_left -= 1;
        RN1_TURN as LinkWord
    }

    fn finish(&mut self) {
        self.state = RN1_TX_DONE as u8;
        self.done = true;
        self.failed = self.wrong;
    }

    /// A word that comes back.
    fn listen(&mut self, pins: &Pins, word: LinkWord) -> LinkWord {
        let all = self.connected == pins.stages;
        let data = word & DATA != 0;
        let turn = word == RN1_TURN as LinkWord;
        let over = is_rest_or_drop(word);
        // The word as the last router that answered sent it, or the destination behind it.
        let own = (word as u8).rotate_left(2 * u32::from(self.frame));

        let awaits_check = u64::from(self.state) == RN1_TX_CHECK;
        self.state = RN1_TX_ANSWER as u8;
        if awaits_check {
            self.wrong |= !data || own != self.checks.sum(self.frame, self.swallowed);
        } else if is_status(word) {
            self.status(pins, word as u8);
        } else if data && all {
            self.reply(own);
        } else if !all && !over {
            self.wrong = true;
        }

        if all && (turn || over) {
            self.wrong |= !self.complete || turn == (self.turns_left == 0);
        }
        if over && all {
            self.finish();
        } else if over {
            self.blocked = true;
            self.state = RN1_TX_RETRY as u8;
            if self.exponent != pins.backoff_limit {
                self.exponent += 1;
            }
        } else if turn && all {
            self.turns_left = self.turns_left.saturating_sub(1);
            self.checks = Checks::default();
            return self.first_word(pins);
        }
        REST
    }

    /// A status, which tells how far it was rotated, to the right: a repetition of the last
    /// router's, or the first of the next one.
    fn status(&mut self, pins: &Pins, word: u8) {
        const FIXED: u8 = 0b1010_1010;
        const REPEATED: u8 = RN1_STATUS as u8;
        const FIRST: u8 = (RN1_STATUS | RN1_STATUS_FIRST) as u8;
        self.state = RN1_TX_CHECK as u8;
        let is =
            |mark: u8, rotation: u8| word & FIXED == mark.rotate_right(2 * u32::from(rotation));
        let Some(rotation) = (0..4).find(|&rotation| is(FIRST, rotation)) else {
            self.wrong |= !is(REPEATED, self.frame);
            return;
        };
        self.frame = rotation;
        let all = self.connected == pins.stages;
        self.wrong |= all;
        let sent = word.rotate_left(2 * u32::from(rotation));
        if !all && u64::from(sent) & RN1_STATUS_CONNECTED != 0 {
            let swallows = pins.swallows >> self.connected & 1 != 0 && !self.later;
            self.swallowed = (self.swallowed + u8::from(swallows)) & 3;
            self.connected += 1;
        }
    }

    /// A byte of the reply.
    fn reply(&mut self, byte: u8) {
        self.wrong |= self.complete || byte != self.payload;
        self.payload = self.payload.wrapping_add(1);
        if !self.complete && !self.later {
            self.later = true;
            self.replied = true;
        }
        match self.words_left {
            0 => self.complete = true,
            _ => self.words_left -= 1,
        }
    }
}
