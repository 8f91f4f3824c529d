//! Names of signals as files have them, and as they are shown: without a range that says
//! nothing but the width.

/// A name as it is shown.
pub(super) struct SignalName {
    /// The name.
    pub(super) name: String,
    /// True when a range was left off.
    pub(super) had_range: bool,
}

/// The name of a signal of so many bits. An index stands behind a blank, or directly behind
/// the name, and may have several dimensions (`m [2][1][3:0]`); what is not `[width-1:0]`
/// at its end is part of the name.
pub(super) fn signal_name(name: &str, width: u32) -> SignalName {
    let joined = match name.split_once(" [") {
        Some((name, index)) => {
            let index: String = index.chars().filter(|c| *c != ' ').collect();
            format!("{}[{index}", name.trim_end())
        }
        None => name.to_owned(),
    };
    let whole = format!("[{}:0]", width - width.min(1));
    let base = joined.strip_suffix(&whole).filter(|name| !name.is_empty());
    SignalName {
        had_range: base.is_some(),
        name: base.map_or_else(|| joined.clone(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::signal_name;

    #[test]
    fn a_whole_range_is_left_off() {
        for (name, width, shown) in [
            ("a", 1, "a"),
            ("count [7:0]", 8, "count"),
            ("count[7:0]", 8, "count"),
            ("part [7:4]", 4, "part[7:4]"),
            ("part [7 : 4]", 4, "part[7:4]"),
            ("up [0:7]", 8, "up[0:7]"),
            ("bit [0]", 1, "bit[0]"),
            ("m [2][1][3:0]", 4, "m[2][1]"),
            ("m[2] [3:0]", 4, "m[2]"),
            ("\\odd name [3:0]", 4, "\\odd name"),
            ("[3:0]", 4, "[3:0]"),
            ("text", 0, "text"),
        ] {
            let found = signal_name(name, width);
            assert_eq!(found.name, shown);
            assert_eq!(
                found.had_range,
                name.ends_with(":0]") && name != shown,
                "{name}"
            );
        }
    }
}
