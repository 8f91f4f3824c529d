//! One of the receivers: checks the request of a connection, and replies to every turn.

use serde::{Deserialize, Serialize};

use super::{Pins, is_rest_or_drop, is_status};
use crate::LinkWord;
use crate::protocol::signature;
use crate::rn1_protocol::{
    RN1_DATA, RN1_DROP, RN1_IDLE, RN1_REST, RN1_RX_DELAY, RN1_RX_IDLE, RN1_RX_OPEN, RN1_RX_RECEIVE,
    RN1_RX_REPLY, RN1_RX_TURN, RN1_TURN,
};

const DATA: LinkWord = RN1_DATA as LinkWord;
const REST: LinkWord = RN1_REST as LinkWord;

/// Registers of a receiver, apart from the one that drives its link port. One without
/// a connection has 0 in all of them from the clock after its pulses on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ConnectionReceiver {
    pub(super) state: u8,
    /// DELAY: idle words with the one on the wire; REPLY: words behind it; TURN: clocks until
    /// answers can come.
    left: u16,
    /// The next byte, expected or to be sent.
    payload: u8,
    turns_left: u8,
    /// The payload so far.
    right: bool,
    /// The connection was turned: the request is over.
    later: bool,
    /// The last word was a status: a checksum follows, no data.
    skip: bool,
    pub(super) opened: bool,
    pub(super) done: bool,
    pub(super) failed: bool,
}

impl ConnectionReceiver {
    /// One clock edge: what it drives after it.
    pub(super) fn step(&mut self, pins: &Pins, arriving: LinkWord) -> LinkWord {
        (self.opened, self.done, self.failed) = (false, false, false);
        match u64::from(self.state) {
            RN1_RX_IDLE => {
                if arriving & DATA != 0 {
                    *self = ConnectionReceiver {
                        state: RN1_RX_OPEN as u8,
                        payload: signature(u64::from(pins.node)),
                        turns_left: pins.turns,
                        opened: true,
                        ..ConnectionReceiver::default()
                    };
                }
                REST
            }
            RN1_RX_OPEN | RN1_RX_RECEIVE => self.receive(pins, arriving),
            RN1_RX_DELAY if self.left > 1 => {
                self.left -= 1;
                RN1_IDLE as LinkWord
            }
            RN1_RX_DELAY => self.reply(pins.reply_words),
            RN1_RX_REPLY if self.left > 0 => self.reply(self.left - 1),
            RN1_RX_REPLY if self.turns_left > 0 => {
                self.turns_left -= 1;
                self.state = RN1_RX_TURN as u8;
                // There and back.
                self.left = 2 * u16::from(pins.rx_delay);
                RN1_TURN as LinkWord
            }
            RN1_RX_REPLY => {
                *self = ConnectionReceiver::default();
                match pins.close_drop {
                    true => RN1_DROP as LinkWord,
                    false => REST,
                }
            }
            _ if self.left > 0 => {
                self.left -= 1;
                REST
            }
            _ => {
                self.state = RN1_RX_RECEIVE as u8;
                REST
            }
        }
    }

    /// The next byte of the reply; `left` are to follow.
    fn reply(&mut self, left: u16) -> LinkWord {
        let word = DATA | LinkWord::from(self.payload);
        self.state = RN1_RX_REPLY as u8;
        self.payload = self.payload.wrapping_add(1);
        self.left = left;
        word
    }

    /// A word of a segment.
    fn receive(&mut self, pins: &Pins, arriving: LinkWord) -> LinkWord {
        let asks = arriving == RN1_TURN as LinkWord;
        if asks || is_rest_or_drop(arriving) {
            let (first, right) = (!self.later, self.right);
            if !asks {
                *self = ConnectionReceiver::default();
            }
            (self.done, self.failed) = (first && right, first && !right);
            if !asks {
                return REST;
            }
            self.later = true;
            self.skip = false;
            self.turns_left = self.turns_left.saturating_sub(1);
            // The bytes count from the complement of the signature.
            self.payload = !signature(u64::from(pins.node));
            if pins.reply_delay == 0 {
                return self.reply(pins.reply_words);
            }
            self.state = RN1_RX_DELAY as u8;
            self.left = u16::from(pins.reply_delay);
            return RN1_IDLE as LinkWord;
        }
        if arriving & DATA != 0 && !self.skip {
            let back = 2 * u32::from(pins.rotation);
            let first = u64::from(self.state) == RN1_RX_OPEN;
            let expected = (arriving as u8).rotate_right(back) == self.payload;
            self.right = expected && (self.right || first);
            self.payload = self.payload.wrapping_add(1);
            self.state = RN1_RX_RECEIVE as u8;
        }
        self.skip = is_status(arriving);
        REST
    }
}
