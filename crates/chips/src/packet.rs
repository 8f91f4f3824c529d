//! Packets: what is on a link of a packet-switched network.
//!
//! A packet is one word and takes one clock over one link. Its fields are those of Dimakopoulos &
//! Dimopoulos, "Communications in Binary Fat Trees", as far as they need some: a destination, and
//! nodes that replicate. The rest is assumed:
//!
//! | field | bits | holds |
//! |---|---|---|
//! | `valid` | 50 | 1 with a packet; a link at rest is 0 |
//! | `broadcast` | 49 | the destination is a set of levels |
//! | `phase` | 44 to 48 | a number that its source gives it and nobody looks at: the phase of an exchange, say |
//! | `destination` | 24 to 43 | a node; or with `broadcast` levels: bit `l` sends a copy down at level `l`, into the half that the packet does not come from |
//! | `id` | 0 to 23 | a number that its source gives it, and that its receiver shows |

use super::protocol::{Encoding, Origin, encodings};

encodings! {
    PACKET_ID_WIDTH, 0, 24, Assumed, "bits of the number that a receiver shows: up to 2^24 packets";
    PACKET_PHASE_WIDTH, 0, 5, Assumed, "bits of a phase: up to lg 2^20 phases and 12 more";
    PACKET_WIDTH, 0, 51, Assumed, "bits of a packet on a link: valid, broadcast, phase, destination, id";
}

/// The lowest bits of the fields.
pub(super) const ID: u32 = 0;
pub(super) const DESTINATION: u32 = 24;
pub(super) const PHASE: u32 = 44;
pub(super) const BROADCAST: u32 = 49;
pub(super) const VALID: u32 = 50;

/// Bits of a destination.
const DESTINATION_MASK: u64 = (1 << 20) - 1;

/// A packet.
///
/// ```
/// use crosswave_chips::packet::Packet;
/// let packet = Packet { broadcast: false, phase: 3, destination: 5, id: 7 };
/// assert_eq!(Packet::of_word(packet.word()), Some(packet));
/// assert_eq!(Packet::of_word(0), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// The destination is a set of levels.
    pub broadcast: bool,
    /// The phase, of 5 bits.
    pub phase: u32,
    /// The destination, of 20 bits.
    pub destination: u32,
    /// The number, of 24 bits.
    pub id: u32,
}

impl Packet {
    /// The packet of a link's word; `None` of a link at rest.
    pub fn of_word(word: u64) -> Option<Packet> {
        let bits = |lsb: u32, width: u32| (word >> lsb) as u32 & ((1 << width) - 1);
        (word >> VALID & 1 != 0).then(|| Packet {
            broadcast: word >> BROADCAST & 1 != 0,
            phase: bits(PHASE, 5),
            destination: bits(DESTINATION, 20),
            id: bits(ID, 24),
        })
    }

    /// The word of a link with this packet.
    ///
    /// # Panics
    /// When a field does not fit.
    pub fn word(self) -> u64 {
        let field = |value: u32, width: u32, lsb: u32| {
            assert!(value >> width == 0, "{self:?} fits its fields");
            u64::from(value) << lsb
        };
        1 << VALID
            | u64::from(self.broadcast) << BROADCAST
            | field(self.phase, 5, PHASE)
            | field(self.destination, 20, DESTINATION)
            | field(self.id, 24, ID)
    }
}

/// The destination of a link's word, without looking at its other fields.
#[inline]
pub(super) fn destination(word: u64) -> u64 {
    word >> DESTINATION & DESTINATION_MASK
}

/// Writes the ports of one link port of a table: the five fields that come in, and the five that
/// go out.
macro_rules! packet_link {
    ($link:expr, $name:literal) => {
        $crate::ports::link_ports! { $link, $name:
            Input("_in_valid", 1, 50, "a packet comes in");
            Input("_in_broadcast", 1, 49, "its destination is a set of levels");
            Input("_in_phase", 5, 44, "its phase");
            Input("_in_destination", 20, 24, "its destination");
            Input("_in_id", 24, 0, "its number");
            Output("_out_valid", 1, 50, "a packet goes out");
            Output("_out_broadcast", 1, 49, "its destination is a set of levels");
            Output("_out_phase", 5, 44, "its phase");
            Output("_out_destination", 20, 24, "its destination");
            Output("_out_id", 24, 0, "its number");
        }
    };
}

pub(super) use packet_link;
