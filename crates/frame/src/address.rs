//! Addresses of nodes (section 2): the numbers of the nodes above, from the top, and the node's
//! own.
//!
//! ```text
//! address = "(" [ digit { "," digit } ] ")" [ "[" copy "]" ]
//! ```
//!
//! Digits are decimal and below n; a node of level h has k - h of them, so the root is `()`. The
//! paper has no word for copies of a switch; copy 0 goes without, as a single switch does.

use std::fmt;
use std::str::FromStr;

use super::graph::{Graph, Node};

/// An address, such as `(1, 2, 2)`, or `(1)[1]` of a copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// From the top.
    pub digits: Vec<u32>,
    /// The number of the switch's copy.
    pub copy: u32,
}

/// The reason why a text is no address, or why there is no such node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressError {
    /// The text does not follow the grammar.
    Text {
        /// The text.
        found: String,
    },
    /// There are more digits, or fewer, than any node has.
    Length {
        /// Digits.
        found: usize,
        /// The fewest digits of a node.
        least: usize,
        /// The most digits of a node.
        most: usize,
    },
    /// A digit is not below n.
    Digit {
        /// The digit.
        found: u32,
        /// n.
        ring: u32,
    },
    /// The switch has fewer copies.
    Copy {
        /// The copy.
        found: u32,
        /// Copies of the switch.
        copies: u32,
    },
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::Text { found } => {
                write!(
                    f,
                    "found `{found}`, expected an address such as `(1, 2, 2)`"
                )
            }
            AddressError::Length { found, least, most } => {
                write!(f, "found {found} digits, expected {least} to {most}")
            }
            AddressError::Digit { found, ring } => {
                write!(f, "found digit {found}, expected 0 to {}", ring - 1)
            }
            AddressError::Copy { found, copies } => {
                write!(f, "found copy {found}, expected 0 to {}", copies - 1)
            }
        }
    }
}

impl std::error::Error for AddressError {}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: Vec<String> = self.digits.iter().map(u32::to_string).collect();
        write!(f, "({})", digits.join(", "))?;
        match self.copy {
            0 => Ok(()),
            copy => write!(f, "[{copy}]"),
        }
    }
}

/// Text after an opening mark and up to the closing one, and what follows.
fn enclosed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    text.strip_prefix(open)?.split_once(close)
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

fn parse(text: &str) -> Option<Address> {
    let (digits, rest) = enclosed(text.trim(), '(', ')')?;
    let digits = match digits.trim() {
        "" => Vec::new(),
        digits => digits.split(',').map(number).collect::<Option<_>>()?,
    };
    let copy = match rest.trim() {
        "" => 0,
        rest => match enclosed(rest, '[', ']')? {
            (copy, "") => number(copy)?,
            _ => return None,
        },
    };
    Some(Address { digits, copy })
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        parse(text).ok_or_else(|| AddressError::Text { found: text.into() })
    }
}

impl Graph {
    /// The address of a node.
    ///
    /// ```
    /// use crosswave_frame::graph::Graph;
    /// use crosswave_frame::shape::{Family, FrameShape};
    /// let stack = Graph::new(FrameShape::new(Family::GeneralFatStack, 4, 3)?);
    /// assert_eq!(stack.address(26).to_string(), "(1, 2, 2)");
    /// # Ok::<(), crosswave_frame::shape::ShapeError>(())
    /// ```
    ///
    /// # Panics
    /// When there is no such node.
    pub fn address(&self, number: u32) -> Address {
        let node = self.node(number);
        let (ring, levels) = (self.shape().ring(), self.shape().levels());
        let digit = |place| node.position / ring.pow(place) % ring;
        Address {
            digits: (0..levels - node.level).rev().map(digit).collect(),
            copy: node.copy,
        }
    }

    /// The number of the node of an address.
    ///
    /// # Errors
    /// When there is none.
    pub fn node_at(&self, address: &Address) -> Result<u32, AddressError> {
        let shape = self.shape();
        let (least, most) = (shape.levels() - shape.top_level(), shape.levels());
        let (least, most, found) = (least as usize, most as usize, address.digits.len());
        if !(least..=most).contains(&found) {
            return Err(AddressError::Length { found, least, most });
        }
        let ring = shape.ring();
        if let Some(&found) = address.digits.iter().find(|&&digit| digit >= ring) {
            return Err(AddressError::Digit { found, ring });
        }
        let level = (most - found) as u32;
        let copies = shape.copies(level);
        if address.copy >= copies {
            return Err(AddressError::Copy {
                found: address.copy,
                copies,
            });
        }
        Ok(self.number_of(Node {
            level,
            position: address
                .digits
                .iter()
                .fold(0, |sum, digit| sum * ring + digit),
            copy: address.copy,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Family, FrameShape, ShapeOptions, SwitchForm};

    #[test]
    fn addresses_print_and_parse() {
        for family in Family::ALL {
            let options = ShapeOptions {
                form: SwitchForm::Split,
                ..ShapeOptions::of(family)
            };
            let graph = Graph::new(FrameShape::with_options(family, 4, 3, options).unwrap());
            for node in 0..graph.nodes() {
                let address = graph.address(node);
                let read: Address = address.to_string().parse().unwrap();
                assert_eq!(read, address);
                assert_eq!(graph.node_at(&read), Ok(node));
            }
        }
        let tree = Graph::new(FrameShape::new(Family::ButterflyFatTree, 4, 2).unwrap());
        assert_eq!(tree.address(20).to_string(), "()");
    }

    #[test]
    fn odd_texts_are_refused() {
        for text in [
            "",
            "1, 2",
            "(1",
            "(1,)",
            "(+1)",
            "(-1)",
            "(1)[",
            "(1)[]",
            "(1)[1]x",
            "(1) 2",
            "(99999999999)",
        ] {
            let error = text.parse::<Address>().unwrap_err();
            assert_eq!(error, AddressError::Text { found: text.into() });
        }
        let graph = Graph::new(FrameShape::new(Family::GeneralFatStack, 4, 2).unwrap());
        for (text, said) in [
            ("()", "found 0 digits, expected 1 to 2"),
            ("(1, 2, 3)", "found 3 digits, expected 1 to 2"),
            ("(1, 4)", "found digit 4, expected 0 to 3"),
            ("(1)[1]", "found copy 1, expected 0 to 0"),
        ] {
            let error = graph.node_at(&text.parse().unwrap()).unwrap_err();
            assert_eq!(error.to_string(), said);
        }
    }
}
