//! Command files of Surfer; the module above has the format.

use std::fmt::Write;

use super::groups::SignalGroup;
use super::{FIRST_LINE, VIEW_CYCLES, ViewerFiles};

/// The whole file.
pub(super) fn text(files: &ViewerFiles<'_>) -> String {
    let mut text = format!("# {FIRST_LINE}\n");
    for &signal in &files.groups.shared {
        variable(&mut text, files, signal);
    }
    for group in &files.groups.groups {
        list(&mut text, files, group, "");
    }
    let Some(moment) = files.activity.moment() else {
        return text + "zoom_fit\n";
    };
    writeln!(text, "zoom_fit\ncursor_set {moment}").expect("text takes anything");
    // Each step leaves half of what is in view, which is all from time 0 on.
    let (_, mut shown) = files.activity.times();
    while shown > VIEW_CYCLES * files.cycle_time {
        text += "zoom_in\ngoto_cursor\n";
        shown /= 2;
    }
    if files.activity.is_asked() {
        writeln!(text, "marker_set trigger {moment}").expect("text takes anything");
    }
    text
}

/// Lists a group under the names of those around it, without what never changes.
fn list(text: &mut String, files: &ViewerFiles<'_>, group: &SignalGroup, around: &str) {
    // A name is one word.
    let name = format!("{around}{}", group.name.replace(' ', "_"));
    if !group.live.is_empty() {
        writeln!(text, "divider_add {name}").expect("text takes anything");
    }
    for &signal in &group.live {
        variable(text, files, signal);
    }
    for group in &group.groups {
        list(text, files, group, &format!("{name}."));
    }
}

fn variable(text: &mut String, files: &ViewerFiles<'_>, signal: usize) {
    writeln!(text, "variable_add {}", files.path(signal)).expect("text takes anything");
}
