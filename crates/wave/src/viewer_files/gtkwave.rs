//! Save files of GTKWave; the module above has the format.

use std::fmt::Write;

use super::groups::SignalGroup;
use super::{FIRST_LINE, VIEW_CYCLES, ViewerFiles};

const BLANK: u64 = 0x200;
const CLOSED: u64 = 0x40_0000;
/// The end of a group that is closed.
const COLLAPSED: u64 = 0x1000;
const GROUP_BEGIN: u64 = 0x80_0000;
const GROUP_END: u64 = 0x100_0000;
/// Right-justified, in three radices.
const HEXADECIMAL: u64 = 0x22;
const DECIMAL: u64 = 0x24;
const BINARY: u64 = 0x28;
/// The names of an enumeration.
const ENUMERATION: u64 = 0x1_0000_0000;

/// Cycles in a frame, which is 200 pixels wide.
const FRAME_CYCLES: u64 = 8;

/// Markers beside the first one.
const NAMED_MARKERS: usize = 26;

/// Pixels that a character takes, about.
const CHARACTER_PIXELS: usize = 9;

/// Characters of a value beside the name of a signal.
const VALUE_CHARACTERS: usize = 10;

/// The whole file.
pub(super) fn text(files: &ViewerFiles<'_>, name: &str) -> String {
    let (first, last) = files.activity.times();
    let cycles = match files.activity.is_asked() {
        true => VIEW_CYCLES / 3,
        false => VIEW_CYCLES / 12,
    };
    let moment = files.activity.moment();
    let start = moment
        .unwrap_or(first)
        .saturating_sub(cycles * files.cycle_time);
    let start = start.clamp(first, last);
    let zoom = -((FRAME_CYCLES * files.cycle_time) as f64).log2();
    let marker = moment.map_or("-1".to_owned(), |moment| moment.to_string());
    let mut text = format!("[*] {FIRST_LINE}\n");
    // There is no sign that would take the meaning of quotation marks away.
    if !name.contains(|c: char| c == '"' || c.is_control()) {
        text += &format!("[dumpfile] \"{name}\"\n");
    }
    text += &format!("[timestart] {start}\n[size] 1400 900\n[pos] -1 -1\n*{zoom:.6} {marker}");
    text += &" -1".repeat(NAMED_MARKERS);
    let widest = files
        .set
        .signals
        .iter()
        .map(|signal| signal.name.len())
        .max();
    let width = (widest.unwrap_or(0) + VALUE_CHARACTERS) * CHARACTER_PIXELS;
    text += &format!("\n[sst_width] 40\n[signals_width] {width}\n[sst_expanded] 0\n");
    let mut list = List {
        files,
        text,
        flags: None,
    };
    for &signal in &files.groups.shared {
        list.signal(signal);
    }
    for group in &files.groups.groups {
        list.group(group);
    }
    list.text
}

/// The list of signals as it grows.
struct List<'a> {
    files: &'a ViewerFiles<'a>,
    text: String,
    /// The flags that hold.
    flags: Option<u64>,
}

impl List<'_> {
    fn row(&mut self, flags: u64, row: &str) {
        if self.flags != Some(flags) {
            writeln!(self.text, "@{flags:x}").expect("text takes anything");
            self.flags = Some(flags);
        }
        self.text += row;
        self.text.push('\n');
    }

    fn signal(&mut self, number: usize) {
        let signal = &self.files.set.signals[number];
        let mut path = self.files.path(number);
        let has_string = self.files.has_string(signal);
        if signal.width > 1 && !has_string {
            path += &format!("[{}:0]", signal.width - 1);
        }
        let flags = match signal.width {
            _ if has_string => BINARY,
            _ if !signal.states.is_empty() => BINARY | ENUMERATION,
            1 => BINARY,
            _ if number >= self.files.counts_from => DECIMAL,
            _ => HEXADECIMAL,
        };
        self.row(flags, &path);
    }

    fn group(&mut self, group: &SignalGroup) {
        let closed = if group.is_open() { 0 } else { CLOSED };
        self.begin(closed, &group.name);
        for &signal in &group.live {
            self.signal(signal);
        }
        for group in &group.groups {
            self.group(group);
        }
        // A group of nothing else has them as its own.
        let is_apart = !group.live.is_empty() && !group.still.is_empty();
        if is_apart {
            self.begin(CLOSED, STILL);
        }
        for &signal in &group.still {
            self.signal(signal);
        }
        if is_apart {
            self.end(CLOSED, STILL);
        }
        self.end(closed, &group.name);
    }

    fn begin(&mut self, closed: u64, name: &str) {
        self.row(BLANK | GROUP_BEGIN | closed, &format!("-{name}"));
    }

    fn end(&mut self, closed: u64, name: &str) {
        let collapsed = if closed == 0 { 0 } else { COLLAPSED };
        self.row(BLANK | GROUP_END | closed | collapsed, &format!("-{name}"));
    }
}

/// Name of a group of signals that never change.
const STILL: &str = "constant";
