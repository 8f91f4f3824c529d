//! The names that a designer gave to nets of a module, as vectors with their ranges.
//!
//! [`names`](super::names) gives each net its best name. Here every name is kept that is not
//! hidden, also where several name the same nets, for waveforms of what is inside a design. Passes
//! that rewrite logic, such as `abc`, leave names of nets behind that are not there any more; these
//! are left out.

use super::file::{BitEntry, Bits, NetName};
use super::json::{Entries, ExpectedObject, Plain};
use crate::model::{Bit, BitRange, NetId};

/// A name for nets of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetVector {
    /// The name. Where Yosys flattened the module, it is a path with dots.
    pub name: String,
    /// The bits, the least significant first. `None` is a net that is at no port and at no cell of
    /// the module, so nothing drives it.
    pub bits: Vec<Option<Bit>>,
    /// The indices of the bits; `[width-1:0]` when those in the file do not fit into 32 bits.
    pub range: BitRange,
}

/// The names of a module that are not hidden and have a bit that is left, in the order of the file; `nets` gives
/// the net of a number. What is wrong with an entry has been reported, and it is left out.
pub(super) fn net_vectors(
    entries: &Entries<'_, ExpectedObject<'_, NetName<'_>>>,
    nets: impl Fn(u64) -> Option<NetId>,
) -> Vec<NetVector> {
    let bit = |entry: &BitEntry<'_>| match entry {
        BitEntry::Zero => Some(Bit::Zero),
        BitEntry::One => Some(Bit::One),
        BitEntry::X | BitEntry::Other(_) => Some(Bit::X),
        BitEntry::Net(number) => nets(*number).map(Bit::Net),
    };
    let vectors = entries.0.iter().filter_map(|(name, entry)| {
        let ExpectedObject::Object(body) = entry else {
            return None;
        };
        let bits = body.bits.as_ref().and_then(Bits::as_array)?;
        let range = range(body, bits.len()).unwrap_or_default();
        let bits: Vec<Option<Bit>> = bits.iter().map(bit).collect();
        let is_left = bits.iter().any(Option::is_some);
        (!body.hidden && is_left).then(|| NetVector {
            name: name.clone().into_owned(),
            bits,
            range,
        })
    });
    vectors.collect()
}

/// The range of a name of so many bits.
fn range(body: &NetName<'_>, width: usize) -> Option<BitRange> {
    let lowest = body.offset.as_deref().map_or(Some(0), Plain::as_i64)?;
    let highest = lowest.checked_add_unsigned((width as u64).checked_sub(1)?)?;
    match body.upto {
        true => BitRange::new(lowest, highest, width),
        false => BitRange::new(highest, lowest, width),
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Bit;
    use crate::yosys::{read_named_netlist, read_netlist};

    #[test]
    fn names_keep_ranges_and_bits_that_nothing_drives() {
        let name = |rest: &str| format!(r#"{{"hide_name":0,{rest}}}"#);
        let names = [
            ("a", name(r#""bits":[2,3]"#)),
            ("up", name(r#""bits":[2,3],"upto":1"#)),
            ("high", name(r#""bits":[3,2],"offset":4"#)),
            ("one", name(r#""bits":["1"]"#)),
            ("u.gone", name(r#""bits":[9,"x"]"#)),
            ("far", name(r#""bits":[2,3],"offset":9999999999"#)),
            ("gone", name(r#""bits":[7,8]"#)),
            ("empty", name(r#""bits":[]"#)),
            ("hidden", r#"{"hide_name":1,"bits":[2]}"#.to_owned()),
        ];
        let names = names.map(|(name, body)| format!(r#""{name}":{body}"#));
        let text = format!(
            r#"{{"modules":{{"m":{{"ports":{{"a":{{"direction":"input","bits":[2,3]}}}},
            "netnames":{{{}}}}}}}}}"#,
            names.join(",")
        );
        assert_eq!(read_netlist(&text, "m.json").unwrap().net_vectors, [[]]);
        let netlist = read_named_netlist(&text, "m.json").unwrap();
        let found = netlist.net_vectors[0].iter().map(|vector| {
            let (left, right) = vector.range.ends(vector.bits.len());
            let bits = vector.bits.iter().rev().map(|bit| match bit {
                Some(Bit::Net(net)) => netlist.design.modules[0].net_name(*net).to_owned(),
                Some(constant) => format!("{constant:?}"),
                None => "-".to_owned(),
            });
            let bits: Vec<String> = bits.collect();
            format!("{}[{left}:{right}] {}", vector.name, bits.join(" "))
        });
        let expected = [
            "a[1:0] a[1] a[0]",
            "up[0:1] a[1] a[0]",
            "high[5:4] a[0] a[1]",
            "one[0:0] One",
            "u.gone[1:0] X -",
            "far[1:0] a[1] a[0]",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
