//! The words and states of RN1 and of its network interface: every encoding of these
//! chips, written once.
//!
//! `hdl/include/rn1_protocol.vh`, the constants of the model and the state names
//! in waveforms come from here. DeHon 1990 fixes what a transmission does and
//! leaves all byte values open.
//!
//! Words have nine bits: the control bit on top of a byte. It is 1 with data, and
//! 0 with everything else, so that a transmission begins when it rises and a wire
//! at rest is 0. The wiring between stages rotates the byte by two bits, of
//! control words as well. Four bytes look the same after that: 00, 55, aa and ff.
//! They are the control words that a router has to know whatever the rotation; a
//! status is any other byte without the control bit.
//!
//! A status, 1cfo0o0o, tells by itself how far it was rotated, so that a sender need not
//! know the rotations of its way: bits 7, 5, 3 and 1 are 1f00, and the rotations of 1000 and
//! 1100 are eight different values, none of them that of a control word.

use super::protocol::{Encoding, Origin, encodings, state_names};
use crosswave_probe::signal::StateName;

encodings! {
    RN1_DIRECTION_LSB, 0, 6, Paper, "the direction is in the two bits from here on of the first byte";
    RN1_REST, 9, 0x000, Assumed, "no transmission; after a transmission: its end, with a status from each router";
    RN1_IDLE, 9, 0x055, Assumed, "no data now, the connection stands";
    RN1_DROP, 9, 0x0aa, Assumed, "frees the path after it, without a status";
    RN1_TURN, 9, 0x0ff, Assumed, "reverses the connection";
    RN1_DATA, 9, 0x100, Assumed, "the control bit: 1 with a byte of data or a checksum";
    RN1_STATUS, 9, 0x080, Assumed, "a status: the bits that are the same in all";
    RN1_STATUS_CONNECTED, 9, 0x040, Assumed, "of a status: 1 connected, 0 blocked";
    RN1_STATUS_FIRST, 9, 0x020, Assumed, "of a status: 1 the first of this router, 0 a repetition";
    RN1_STATUS_OUTPUT_2, 9, 0x010, Assumed, "of a status: the output, its bit 2; when blocked twice the direction";
    RN1_STATUS_OUTPUT_1, 9, 0x004, Assumed, "of a status: the output, its bit 1";
    RN1_STATUS_OUTPUT_0, 9, 0x001, Assumed, "of a status: the output, its bit 0";
    RN1_CRC_POLYNOMIAL, 8, 0x07, Assumed, "checksum: x^8 + x^2 + x + 1, most significant bit first, from 0 on";
    RN1_STATE_IDLE, 3, 0, Assumed, "no transmission";
    RN1_STATE_SWALLOW, 3, 1, Assumed, "the first byte was dropped, the one to route by is awaited";
    RN1_STATE_FORWARD, 3, 2, Assumed, "connected, words go from the input to the output";
    RN1_STATE_BLOCKED, 3, 3, Assumed, "no output was free; what comes is ignored";
    RN1_STATE_TO_REVERSE, 3, 4, Assumed, "turning; status and checksum go back to the input";
    RN1_STATE_REVERSE, 3, 5, Assumed, "connected, words go from the output to the input";
    RN1_STATE_TO_FORWARD, 3, 6, Assumed, "turning again; status and checksum go on to the output";
    RN1_STATE_ANSWER, 3, 7, Assumed, "no connection; the status was sent, the checksum follows";
    RN1_STRATEGY_IMMEDIATE, 2, 0, Assumed, "interface: retry 2 cycles after the rest that says blocked";
    RN1_STRATEGY_RANDOM, 2, 1, Assumed, "interface: retry after a random wait";
    RN1_STRATEGY_BACKOFF, 2, 2, Assumed, "interface: retry after a random wait that grows with the attempts";
    RN1_TX_IDLE, 4, 0, Assumed, "sender: no message";
    RN1_TX_RETRY, 4, 1, Assumed, "sender: an attempt was blocked";
    RN1_TX_BACKOFF, 4, 2, Assumed, "sender: waits after a blocked attempt";
    RN1_TX_DONE, 4, 3, Assumed, "sender: the message is over";
    RN1_TX_HEADER, 4, 4, Assumed, "sender: a routing byte is on the wire";
    RN1_TX_BODY, 4, 5, Assumed, "sender: a payload byte is on the wire";
    RN1_TX_TURN, 4, 6, Assumed, "sender: the turn, or the rest that ends the connection, is on the wire";
    RN1_TX_ANSWER, 4, 7, Assumed, "sender: listens, to statuses and then to the reply";
    RN1_TX_CHECK, 4, 8, Assumed, "sender: a status came, its checksum is awaited";
    RN1_RX_IDLE, 3, 0, Assumed, "receiver: no connection";
    RN1_RX_OPEN, 3, 1, Assumed, "receiver: the last routing byte came, the payload is awaited";
    RN1_RX_RECEIVE, 3, 2, Assumed, "receiver: a segment comes in";
    RN1_RX_DELAY, 3, 3, Assumed, "receiver: idle words in front of the reply are on the wire";
    RN1_RX_REPLY, 3, 4, Assumed, "receiver: the reply is on the wire";
    RN1_RX_TURN, 3, 5, Assumed, "receiver: the turn after the reply is on the wire";
}

state_names! {
    /// States of an input of RN1.
    RN1_STATES:
    "IDLE" = RN1_STATE_IDLE,
    "SWALLOW" = RN1_STATE_SWALLOW,
    "FORWARD" = RN1_STATE_FORWARD,
    "BLOCKED" = RN1_STATE_BLOCKED,
    "TO_REVERSE" = RN1_STATE_TO_REVERSE,
    "REVERSE" = RN1_STATE_REVERSE,
    "TO_FORWARD" = RN1_STATE_TO_FORWARD,
    "ANSWER" = RN1_STATE_ANSWER,
}

state_names! {
    /// States of the sender of an interface.
    RN1_TX_STATES:
    "IDLE" = RN1_TX_IDLE,
    "RETRY" = RN1_TX_RETRY,
    "BACKOFF" = RN1_TX_BACKOFF,
    "DONE" = RN1_TX_DONE,
    "HEADER" = RN1_TX_HEADER,
    "BODY" = RN1_TX_BODY,
    "TURN" = RN1_TX_TURN,
    "ANSWER" = RN1_TX_ANSWER,
    "CHECK" = RN1_TX_CHECK,
}

state_names! {
    /// States of a receiver of an interface.
    RN1_RX_STATES:
    "IDLE" = RN1_RX_IDLE,
    "OPEN" = RN1_RX_OPEN,
    "RECEIVE" = RN1_RX_RECEIVE,
    "DELAY" = RN1_RX_DELAY,
    "REPLY" = RN1_RX_REPLY,
    "TURN" = RN1_RX_TURN,
}

/// Characters of the longest name of a word.
const WORD_NAME: usize = 6;

/// The names of all words, filled up with blanks.
static WORD_NAMES: [[u8; WORD_NAME]; 512] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut names = [[b' '; WORD_NAME]; 512];
    let mut word = 0;
    while word < 512 {
        let digits = [DIGITS[word >> 4 & 15], DIGITS[word & 15]];
        names[word] = match word as u64 {
            RN1_REST => *b"-     ",
            RN1_IDLE => *b"IDLE  ",
            RN1_DROP => *b"DROP  ",
            RN1_TURN => *b"TURN  ",
            data if data & RN1_DATA != 0 => [digits[0], digits[1], b' ', b' ', b' ', b' '],
            _ => [b'S', b'T', b'A', b'T', digits[0], digits[1]],
        };
        word += 1;
    }
    names
};

/// Names of the words on a link, for waveforms: a byte of data in hexadecimal, `-` at
/// rest, `IDLE`, `DROP`, `TURN`, and `STAT` with the byte of a status, as it is on the
/// wire.
pub static RN1_WORDS: [StateName; 512] = {
    let mut names = [StateName { value: 0, name: "" }; 512];
    let mut word = 0;
    while word < 512 {
        let mut length = WORD_NAME;
        while WORD_NAMES[word][length - 1] == b' ' {
            length -= 1;
        }
        let (name, _) = WORD_NAMES[word].split_at(length);
        names[word] = StateName {
            value: word as u64,
            name: match std::str::from_utf8(name) {
                Ok(name) => name,
                Err(_) => "",
            },
        };
        word += 1;
    }
    names
};

/// The status of a router: whether it is its first one, whether it is connected, and the
/// output; when blocked twice the direction.
///
/// ```
/// use crosswave_chips::rn1_protocol::status;
///
/// assert_eq!(status(true, true, 0b101), 0b1111_0001);
/// assert_eq!(status(false, false, 0b010), 0b1000_0100);
/// ```
pub fn status(first: bool, connected: bool, output: u8) -> u64 {
    let bit = |value: bool, bit: u64| if value { bit } else { 0 };
    RN1_STATUS
        | bit(connected, RN1_STATUS_CONNECTED)
        | bit(first, RN1_STATUS_FIRST)
        | bit(output & 4 != 0, RN1_STATUS_OUTPUT_2)
        | bit(output & 2 != 0, RN1_STATUS_OUTPUT_1)
        | bit(output & 1 != 0, RN1_STATUS_OUTPUT_0)
}

/// The checksum after one more byte.
///
/// ```
/// use crosswave_chips::rn1_protocol::checksum;
///
/// // The check value of CRC-8/SMBUS.
/// assert_eq!(b"123456789".iter().fold(0, |crc, byte| checksum(crc, *byte)), 0xf4);
/// ```
pub fn checksum(crc: u8, byte: u8) -> u8 {
    (0..8).fold(crc ^ byte, |rest, _| {
        (rest << 1) ^ ((rest >> 7) * RN1_CRC_POLYNOMIAL as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_names() {
        let name = |word: u64| RN1_WORDS[word as usize].name;
        assert_eq!(name(RN1_DATA | 0x4f), "4f");
        assert_eq!(name(RN1_TURN), "TURN");
        assert_eq!(name(RN1_REST), "-");
        assert_eq!(name(RN1_STATUS | RN1_STATUS_FIRST), "STATa0");
        assert!((0..512).all(|word| RN1_WORDS[word].value == word as u64));
    }
}
