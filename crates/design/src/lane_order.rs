//! The order of an array's instances in the lanes.
//!
//! Links to neighbours are few moves when these are the same number of lanes away for many instances.
//! A netlist has instances in an order of its own: Yosys writes those of a generated block as
//! `row[0]`, `row[10]`, …, `row[1]`. Numbers in names tell their places, so the order of the file and that
//! of names, in which numbers count as such, are tried, and the one with fewer *shifts* is
//! taken: pairs of an input and a number of lanes from what drives it.

use super::elaborate::{Array, Source};

/// The lane of each instance, by array.
pub(super) type LaneOrder = Vec<Vec<u32>>;

/// The order with the fewest shifts.
pub(super) fn lane_order(arrays: &[Array]) -> LaneOrder {
    let as_written = arrays
        .iter()
        .map(|array| (0..array.instances.len() as u32).collect());
    let as_written: LaneOrder = as_written.collect();
    let by_name: LaneOrder = arrays
        .iter()
        .map(|array| by_name(&array.instances))
        .collect();
    match by_name != as_written && shifts(arrays, &by_name) < shifts(arrays, &as_written) {
        true => by_name,
        false => as_written,
    }
}

/// The place of each name among all of them.
fn by_name(names: &[String]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by_cached_key(|&one| parts(&names[one as usize]));
    let mut lanes = vec![0; names.len()];
    for (lane, one) in (0..).zip(order) {
        lanes[one as usize] = lane;
    }
    lanes
}

/// A name as numbers and what is between them. A number is its digits after their count.
fn parts(name: &str) -> Vec<(usize, &[u8])> {
    let parts = name
        .as_bytes()
        .chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit());
    let number = |part: &[u8]| part[0].is_ascii_digit();
    let part = |part| match number(part) {
        true => {
            let zeros = part.iter().take_while(|&&digit| digit == b'0').count();
            (part.len() - zeros, &part[zeros..])
        }
        false => (0, part),
    };
    parts.map(part).collect()
}

/// Shifts of all links.
fn shifts(arrays: &[Array], order: &LaneOrder) -> usize {
    let mut found = Vec::new();
    let mut count = 0;
    for (array, lanes) in arrays.iter().zip(order) {
        for sources in &array.sources {
            for (source, &lane) in sources.iter().zip(lanes) {
                if let Source::Net {
                    array,
                    instance,
                    net,
                } = *source
                {
                    let from = order[array as usize][instance as usize];
                    found.push((array, net, lane.wrapping_sub(from)));
                }
            }
            found.sort_unstable();
            found.dedup();
            count += found.len();
            found.clear();
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_such() {
        let names = [
            "r[0].c[10]",
            "r[0].c[2]",
            "r[10].c[0]",
            "r[1].c[0]",
            "r[1].c[00]",
        ];
        let names = names.map(str::to_owned);
        assert_eq!(by_name(&names), [1, 0, 4, 2, 3]);
    }
}
