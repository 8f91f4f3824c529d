//! Warnings of parts of a file that are left out or left open: one for each kind, with the first
//! place and a count.

use std::collections::BTreeMap;

use crate::findings::NetlistPlace;
use crosswave_base::diagnostic::Diagnostic;

/// Kinds of cells that drive no net, so that no value depends on them.
const DRIVE_NOTHING: [&str; 12] = [
    "$print",
    "$check",
    "$assert",
    "$assume",
    "$live",
    "$fair",
    "$cover",
    "$specify2",
    "$specify3",
    "$specrule",
    "$overwrite_tag",
    SCOPEINFO,
];

/// The type of cells that newer Yosys leaves for each scope that `flatten` dissolved. They have no
/// pins.
const SCOPEINFO: &str = "$scopeinfo";

/// True when cells of this type drive no net.
pub(super) fn drives_nothing(cell_type: &str) -> bool {
    DRIVE_NOTHING.contains(&cell_type)
}

/// The first place of a kind, and how many there are.
struct Counted {
    place: String,
    count: usize,
}

/// The warnings of a file.
#[derive(Default)]
pub(super) struct Warnings {
    /// Cells that were left out, by type.
    left_out: BTreeMap<String, Counted>,
    /// Input pins of gates and flip-flops that are left open, by type of the cell.
    open: BTreeMap<String, Counted>,
}

fn count(kinds: &mut BTreeMap<String, Counted>, cell_type: &str, place: NetlistPlace<'_>) {
    match kinds.get_mut(cell_type) {
        Some(counted) => counted.count += 1,
        None => {
            let place = place.to_string();
            kinds.insert(cell_type.to_owned(), Counted { place, count: 1 });
        }
    }
}

impl Warnings {
    /// Counts a cell that is left out.
    pub fn leave_out(&mut self, cell_type: &str, place: NetlistPlace<'_>) {
        count(&mut self.left_out, cell_type, place);
    }

    /// Counts an input pin of a gate or flip-flop that is left open.
    pub fn leave_open(&mut self, cell_type: &str, place: NetlistPlace<'_>) {
        count(&mut self.open, cell_type, place);
    }

    /// The warnings, by kind.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let left_out = self.left_out.into_iter().map(|(cell_type, counted)| {
            let message = match counted.count {
                1 => format!("`{cell_type}` drives nothing, so this cell is left out"),
                count => format!(
                    "`{cell_type}` drives nothing, so this cell and {} more are left out",
                    count - 1
                ),
            };
            let help = match cell_type.as_str() {
                SCOPEINFO => "it only names a scope that `flatten` dissolved; nothing is lost",
                _ => "nothing is printed or checked here; simulate the source for that",
            };
            Diagnostic::new(counted.place, message, help)
        });
        let open = self.open.into_iter().map(|(cell_type, counted)| {
            let message = match counted.count {
                1 => format!("this input of `{cell_type}` is left open"),
                count => format!(
                    "this input of `{cell_type}` is left open, as are {} more of such cells",
                    count - 1
                ),
            };
            let help = "it is X, and 0 without --four-state; connect it, to a constant if it is \
                        not used";
            Diagnostic::new(counted.place, message, help)
        });
        left_out.chain(open).collect()
    }
}
