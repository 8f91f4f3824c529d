//! Waveforms in GTKWave, on a screen of its own, with the save files beside them: it finds every
//! signal, and shows names of values and the moment of a trigger.

use std::path::Path;
use std::process::Command;

use crate::program::{read, success, workplace, write};
use crate::support;

/// Says what is shown, and ends. Each row of it is told by the flags, the name and the value at
/// the marker.
const SCRIPT: &str = "
puts \"marker [gtkwave::getMarker] start [gtkwave::getWindowStartTime]\"
foreach signal [gtkwave::getDisplayedSignals] { puts \"signal $signal\" }
set rows [gtkwave::getTotalNumTraces]
for {set row 0} {$row < $rows} {incr row} {
  puts \"value [gtkwave::getTraceNameFromIndex $row] [gtkwave::getTraceValueAtMarkerFromIndex $row]\"
}
puts done
exit
";

/// Opens a save file, which names its waveform.
fn open(folder: &Path, save_file: &str) -> Vec<String> {
    write(folder, "said.tcl", SCRIPT);
    let mut command = Command::new("xvfb-run");
    command.args(["-a", "gtkwave", save_file, "--script", "said.tcl"]);
    let text = support::finished_text(command.current_dir(folder));
    assert!(text.contains("\ndone\n"), "{text}");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn gtkwave_shows_what_a_save_file_names() {
    let work = workplace();
    let folder = work.path();
    for wave in ["m.vcd", "m.fst", "m.vcd.gz"] {
        let run = ["run", "small.toml", "-q", "--wave", wave, "--viewer-files"];
        let trigger = ["--trigger", "rejected", "--set", "wave.levels=[1]"];
        success(folder, &[&run[..], &trigger].concat());
        let said = open(folder, "m.gtkw");
        let text = read(folder, "m.gtkw");
        let listed = text.lines().filter(|line| line.starts_with("testbench."));
        // Closed groups are shown by their name only, so not all of them are displayed.
        let displayed = |line: &str| said.contains(&format!("signal {line}"));
        let listed: Vec<&str> = listed.collect();
        let shown = listed.iter().filter(|line| displayed(line)).count();
        assert_eq!(shown, listed.len(), "{wave}: {said:?}");
        let zoom = text.lines().find(|line| line.starts_with('*'));
        let time = zoom
            .and_then(|line| line.split(' ').nth(1))
            .expect("a marker");
        let marker = format!("marker {time} start ");
        assert!(
            said.iter().any(|line| line.starts_with(&marker)),
            "{said:?}"
        );
        // A state at the marker, by its name.
        let named = said.iter().filter(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            matches!(words[..], ["value", signal, "IDLE" | "TO_C" | "TO_D" | "TO_B" | "TO_A" | "DRAIN"]
                if signal.contains("_state"))
        });
        assert!(named.count() > 0, "{wave}: {said:?}");
    }
}
