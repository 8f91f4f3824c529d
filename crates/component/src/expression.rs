//! Expressions that name bits of a module's ports: `lo[34*{i}+31:34*{i}]`.
//!
//! `{i}` stands for the number of a link and `{name}` for its name. Within brackets numbers are added,
//! subtracted and multiplied, with parentheses. An index is one of the source, so it counts as the
//! declaration of the port does. A `~` before the port stands for the opposite of each bit.

use crosswave_netlist::{Bit, Port};

/// Levels of parentheses at most.
const DEPTH_MAX: u32 = 16;

/// A port and the indices of its leftmost and rightmost bit; the whole port without them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortSlice {
    /// The name of the port.
    pub port: String,
    /// The indices.
    pub ends: Option<(i64, i64)>,
    /// True for the opposite of the bits.
    pub is_inverted: bool,
}

impl PortSlice {
    /// Reads an expression for link `number` of a name.
    ///
    /// # Errors
    /// The error says what was found, and what was expected.
    pub fn parse(text: &str, number: usize, name: &str) -> Result<PortSlice, String> {
        let text = text
            .replace("{i}", &number.to_string())
            .replace("{name}", name);
        if let Some(at) = text.find(['{', '}']) {
            let rest: String = text[at..].chars().take(12).collect();
            return Err(format!("found `{rest}`; expected {{i}} or {{name}}"));
        }
        let text = text.trim();
        if text.starts_with('!') {
            return Err("found `!`; expected `~` for the opposite of bits".to_owned());
        }
        let plain = text.strip_prefix('~');
        let (is_inverted, text) = (plain.is_some(), plain.unwrap_or(text));
        let (port, ends) = match text.split_once('[') {
            None => (text.trim(), None),
            Some((port, rest)) => {
                let inner = rest.trim_end().strip_suffix(']');
                let inner = inner.ok_or("found no `]` at the end; expected PORT[LEFT:RIGHT]")?;
                (port.trim(), Some(ends(inner)?))
            }
        };
        if port.is_empty() {
            return Err("found no name of a port; expected PORT or PORT[LEFT:RIGHT]".to_owned());
        }
        Ok(PortSlice {
            port: port.to_owned(),
            ends,
            is_inverted,
        })
    }

    /// Its bits of a port, the least significant first.
    ///
    /// # Errors
    /// When the port has no such bit: its own range.
    pub fn bits(&self, port: &Port) -> Result<Vec<Bit>, String> {
        let width = port.bits.len();
        let Some((left, right)) = self.ends else {
            return Ok(port.bits.clone());
        };
        let range = || {
            let (left, right) = port.range.ends(width);
            match width {
                1 => "1 bit".to_owned(),
                _ => format!("[{left}:{right}]"),
            }
        };
        let position = |index: i64| {
            port.range
                .position(index, width)
                .ok_or_else(|| format!("bit {index} is not in it: the port has {}", range()))
        };
        let (high, low) = (position(left)?, position(right)?);
        match low <= high {
            true => Ok(port.bits[low..=high].to_vec()),
            false => Err(format!(
                "[{left}:{right}] runs against the port, which has {}",
                range()
            )),
        }
    }
}

/// The two ends of `31:0`, or of `5`.
pub fn ends(text: &str) -> Result<(i64, i64), String> {
    match text.split_once(':') {
        Some((left, right)) => Ok((value(left)?, value(right)?)),
        None => value(text).map(|index| (index, index)),
    }
}

/// The value of a sum of products.
fn value(text: &str) -> Result<i64, String> {
    let mut reader = Reader {
        rest: text.trim(),
        depth: 0,
    };
    let value = reader.sum().ok_or(());
    match value {
        Ok(value) if reader.rest.is_empty() => Ok(value),
        _ => Err(format!(
            "found `{}` as an index; expected numbers with +, - and *, below 2^31",
            text.trim()
        )),
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: u32,
}

impl Reader<'_> {
    /// Takes a character if it is next.
    fn takes(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    fn sum(&mut self) -> Option<i64> {
        let mut sum = self.product()?;
        loop {
            if self.takes('+') {
                sum = sum.checked_add(self.product()?)?;
            } else if self.takes('-') {
                sum = sum.checked_sub(self.product()?)?;
            } else {
                return Some(sum);
            }
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut product = self.number()?;
        while self.takes('*') {
            product = product.checked_mul(self.number()?)?;
        }
        Some(product)
    }

    fn number(&mut self) -> Option<i64> {
        if self.takes('(') {
            self.depth += 1;
            let inner = (self.depth <= DEPTH_MAX).then(|| self.sum())??;
            self.depth -= 1;
            return self.takes(')').then_some(inner);
        }
        let digits = self.rest.len()
            - self
                .rest
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let (digits, rest) = self.rest.split_at(digits);
        self.rest = rest.trim_start();
        let number: i32 = digits.parse().ok()?;
        Some(i64::from(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_netlist::{BitRange, NetId, PortDirection};

    fn slice(text: &str) -> Result<PortSlice, String> {
        PortSlice::parse(text, 3, "E")
    }

    #[test]
    fn numbers_and_names_of_links_are_put_in() {
        let found = slice("lo[34*{i}+31 : 34*{i}]").expect("it is one");
        assert_eq!((found.port.as_str(), found.ends), ("lo", Some((133, 102))));
        let found = slice("{name}_data").expect("it is one");
        assert_eq!((found.port.as_str(), found.ends), ("E_data", None));
        assert_eq!(slice("x[2*(1+{i})-1]").expect("one").ends, Some((7, 7)));
        let found = slice(" ~ stop[{i}]").expect("it is one");
        assert_eq!(
            (found.port.as_str(), found.ends, found.is_inverted),
            ("stop", Some((3, 3)), true)
        );
    }

    #[test]
    fn mistakes_say_what_was_found() {
        for (text, said) in [
            ("x[3", "no `]`"),
            ("[3:0]", "no name of a port"),
            ("x[3:]", "found `` as an index"),
            ("x[a]", "found `a` as an index"),
            ("x[{j}]", "found `{j}]`"),
            ("x[9999999999]", "found `9999999999`"),
            ("x[1:0:2]", "found `0:2`"),
            ("!x", "expected `~`"),
            ("~[3]", "no name of a port"),
        ] {
            let found = slice(text).expect_err(text);
            assert!(found.contains(said), "{text}: {found}");
        }
        let deep = format!("x[{}1{}]", "(".repeat(10_000), ")".repeat(10_000));
        assert!(slice(&deep).is_err());
    }

    #[test]
    fn indices_are_those_of_the_source() {
        let port = |lowest, ascending| Port {
            name: "x".into(),
            direction: PortDirection::Input,
            bits: (0..8).map(|net| Bit::Net(NetId(net))).collect(),
            range: BitRange { lowest, ascending },
            signed: false,
        };
        let nets = |text: &str, port: &Port| -> Result<Vec<u32>, String> {
            let bits = slice(text).expect("it is one").bits(port)?;
            Ok(bits.iter().map(|bit| bit.net().expect("a net").0).collect())
        };
        assert_eq!(nets("x[2:1]", &port(0, false)), Ok(vec![1, 2]));
        assert_eq!(nets("x[5:4]", &port(4, false)), Ok(vec![0, 1]));
        assert_eq!(nets("x[0:1]", &port(0, true)), Ok(vec![6, 7]));
        assert_eq!(nets("x", &port(0, true)), Ok((0..8).collect()));
        let said = nets("x[8]", &port(0, false)).expect_err("too high");
        assert!(said.contains("[7:0]"), "{said}");
        assert!(nets("x[0:1]", &port(0, false)).is_err());
    }
}
