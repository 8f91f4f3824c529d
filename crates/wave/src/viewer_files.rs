//! Files that tell viewers what to show of a waveform: a save file for GTKWave and a command file
//! for Surfer, written beside the waveform.
//!
//! ```text
//!  WaveSink calls ──> Observed ──> the waveform
//!                        └──> Activity ──┐
//!  SignalSet, families ──> groups ───────┴──> gtkwave, surfer (text)
//! ```
//!
//! Signals are grouped by scope, and scopes that are many by their *family*, such as a level of
//! a network. In a group those that change stand first, of them the ones with named values;
//! those that never do are in a group of their own, which is closed. Groups in which something
//! changes at the *moment*, a named value before others, are open and stand before the rest, as
//! many as fit the window. The
//! moment is the one that was asked for, else the first time at which a signal that was known
//! changes.
//!
//! Names of values are in the waveform: in VCD a string beside the signal, which is listed in
//! its place, in FST an enumeration. So no file of names is needed.
//!
//! # Limits
//!
//! [`LISTED_MAX`] signals are listed. Viewers look each of them up, and nobody looks at more.
//!
//! # GTKWave's format
//!
//! ```text
//! [*] ...                      a comment
//! [dumpfile] "a.vcd"           relative to the save file
//! [timestart] 1000             the time at the left edge
//! *-6.321928 1160 -1 ... -1    zoom, the marker, and the markers a to z; -1 is none
//! @800200                      flags, which hold until other ones come
//! -network                     a group begins: blank 200, begins 800000, closed 400000
//! @22                          right-justified 20, hexadecimal 2, decimal 4, binary 8
//! testbench.network.node_0.tx_data[7:0]
//! @100000028                   100000000: the names of an enumeration
//! testbench.network.node_0.tx_state[2:0]
//! @1000200                     a group ends: 1000000, closed 401000
//! -network
//! ```
//!
//! A frame of 200 pixels shows 2^-zoom units of time. It is what GTKWave 3.3 writes and reads
//! (`savefile.c`). A filter of names would stand as `^1 FILE` between flags with 2000 and the
//! signal, and takes values as they are shown, so binary ones under `@2028`.
//!
//! # Surfer's format
//!
//! A command in each line: `divider_add`, `variable_add`, `cursor_set`, `zoom_in`,
//! `goto_cursor` and `marker_set`, which are in its documentation; no version of Surfer was tried. Groups are dividers, since
//! no command closes one, and what never changes is left out.

mod activity;
mod groups;
mod gtkwave;
mod surfer;
#[cfg(test)]
mod tests;

pub use activity::{Activity, Observed};

use super::FileFormat;
use crosswave_probe::signal::{Signal, SignalSet};
use groups::Groups;

/// Signals that are listed for a viewer at most.
pub const LISTED_MAX: usize = 4096;

/// The first line of both files, after the sign of a comment.
pub const FIRST_LINE: &str = "Written by crosswave beside the waveform";

/// Cycles in view.
const VIEW_CYCLES: u64 = 48;

/// Makes the viewer files of a waveform.
pub struct ViewerFiles<'a> {
    set: &'a SignalSet,
    format: FileFormat,
    activity: &'a Activity,
    cycle_time: u64,
    counts_from: usize,
    groups: Groups,
}

impl<'a> ViewerFiles<'a> {
    /// Lists the signals of a waveform of which `activity` was observed, with so many units of time
    /// in a cycle. From the signal `counts_from` on they are counts, which are shown as decimal
    /// numbers. `family` names the family of a scope that is one of many.
    pub fn new(
        set: &'a SignalSet,
        format: FileFormat,
        activity: &'a Activity,
        cycle_time: u64,
        counts_from: usize,
        family: &dyn Fn(&str) -> Option<String>,
    ) -> ViewerFiles<'a> {
        ViewerFiles {
            set,
            format,
            activity,
            cycle_time,
            counts_from,
            groups: Groups::new(set, activity, family),
        }
    }

    /// Number of signals that are not listed, since there are more than [`LISTED_MAX`].
    pub fn left_out(&self) -> usize {
        self.groups.left_out
    }

    /// The save file for GTKWave of a waveform whose name in its folder is given.
    pub fn gtkwave(&self, name: &str) -> String {
        gtkwave::text(self, name)
    }

    /// The command file for Surfer.
    pub fn surfer(&self) -> String {
        surfer::text(self)
    }

    /// True when the values of a signal are named by a string beside it.
    fn has_string(&self, signal: &Signal) -> bool {
        self.format != FileFormat::Fst && !signal.states.is_empty()
    }

    /// The path of what is shown of a signal, without a range.
    fn path(&self, signal: usize) -> String {
        let path = self.set.path(signal);
        match self.has_string(&self.set.signals[signal]) {
            true => format!("{path}_name"),
            false => path,
        }
    }
}
