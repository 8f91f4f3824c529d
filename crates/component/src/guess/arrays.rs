//! Ports that are arrays in the sources: the first element is in the highest bits of a netlist's port
//! where its indices count up.

/// True when the declaration of a port in the sources is an array of words whose first element has the
/// highest bits: `data [5]`, `data [0:4]`, or `[0:4][31:0] data`.
pub(super) fn counts_up(sources: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let declared = sources.match_indices(name).filter(|&(at, _)| {
        let before = sources[..at].chars().next_back();
        let after = sources[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    });
    declared.into_iter().any(|(at, _)| {
        let before = &sources[..at];
        let piece = &before[before.rfind([',', '(', ';']).map_or(0, |at| at + 1)..];
        let mut words = piece.split(|c| !is_word(c));
        if !words.any(|word| ["input", "output"].contains(&word)) {
            return false;
        }
        let after = sources[at + name.len()..].trim_start();
        let unpacked = after
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next());
        let packed: Vec<&str> = piece.split('[').skip(1).collect();
        match (unpacked, &packed[..]) {
            (Some(range), _) => range_counts_up(range),
            (None, [first, _, ..]) => {
                let range = first.split(']').next().unwrap_or_default();
                range.contains(':') && range_counts_up(range)
            }
            _ => false,
        }
    })
}

/// True for a range from 0 up, or a number of elements.
fn range_counts_up(range: &str) -> bool {
    match range.split_once(':') {
        Some((left, right)) => left.trim() == "0" && right.trim() != "0",
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::counts_up;

    #[test]
    fn declarations_tell_the_order_of_elements() {
        let module = |ports: &str| {
            format!("module m ({ports}, input logic last); assign x = f(d[0], 1); endmodule")
        };
        for (ports, is_up) in [
            ("input logic [31:0] d [5]", true),
            ("input logic [31:0] d [0:N-1]", true),
            ("input logic [31:0] d [N-1:0]", false),
            ("output logic [0:4][31:0] d", true),
            ("output logic [4:0][31:0] d", false),
            ("output logic [0:4] d", false),
            ("output logic [159:0] d", false),
            ("output logic [31:0] other_d [5]", false),
        ] {
            assert_eq!(counts_up(&module(ports), "d"), is_up, "{ports}");
        }
    }
}
