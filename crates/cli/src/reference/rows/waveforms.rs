//! The fields of commands that compare, and that read files of any origin: `compare`, `diff`, `show`
//! and `netlist`.

use super::{FieldTable, row};

/// Two configurations in lock step.
pub(super) const COMPARISON: FieldTable = FieldTable {
    written_by: "compare --json",
    about: "The first difference between two configurations, and what both measure.",
    fields: &[
        row("crosswave", "text", "The version of the program."),
        row("first", "text", "The first configuration."),
        row(
            "second",
            "text",
            "The second one, with the chips of `--chip`.",
        ),
        row(
            "differs_cycle",
            "cycle",
            "The first cycle in which an output of a chip differs; null where none does.",
        ),
        row(
            "ports[].instance",
            "text",
            "A chip with an output that differs in that cycle.",
        ),
        row("ports[].port", "text", "The output."),
        row(
            "ports[].first",
            "text",
            "Its value in the first run: a state, or a number.",
        ),
        row("ports[].second", "text", "Its value in the second run."),
        row("last_cycles", "cycles", "The last cycle of both runs."),
        row(
            "replicates",
            "replicates",
            "The number of replicates that are measured.",
        ),
        row(
            "measures[].measure",
            "text",
            "A measure, by its path in the JSON of a run.",
        ),
        row(
            "measures[].first",
            "as the measure",
            "Its mean over the replicates of the first run.",
        ),
        row(
            "measures[].second",
            "as the measure",
            "Its mean over those of the second run.",
        ),
        row(
            "measures[].difference",
            "as the measure",
            "The mean of the differences of replicates with the same seed, second less first.",
        ),
        row(
            "measures[].half_width_95",
            "as the measure",
            "Half of the 95 % interval of that difference; null with one replicate.",
        ),
        row(
            "measures[].verdict",
            "text",
            "`same`, `differs`, `no difference found` or `differs in one replicate`.",
        ),
    ],
};

/// A comparison of waveforms.
pub(super) const WAVEFORM_DIFF: FieldTable = FieldTable {
    written_by: "diff --json (waveforms)",
    about: "The differences between two waveforms. Signals have the names of the first file.",
    fields: &[
        row("same", "true or false", "Whether the exit code is 0."),
        row(
            "compared",
            "signals",
            "The number of signals that both files have.",
        ),
        row(
            "only_left",
            "list",
            "The signals that only the first file has.",
        ),
        row(
            "only_right",
            "list",
            "The signals that only the second file has.",
        ),
        row(
            "map[].left",
            "text",
            "A scope of the first file that has another name in the second one.",
        ),
        row("map[].right", "text", "The name in the second file."),
        row(
            "map[].is_automatic",
            "true or false",
            "Whether the paths of the scopes gave that name; false when `--map` gave it.",
        ),
        row(
            "real_digits",
            "decimal digits",
            "The number of digits in which real numbers have to agree.",
        ),
        row(
            "timescale",
            "text",
            "The unit of the times, as `1 ns`; null where no file has it.",
        ),
        row(
            "unlike[].signal",
            "text",
            "A signal that is of another width or kind in the second file.",
        ),
        row(
            "unlike[].left",
            "text",
            "The width or kind in the first file.",
        ),
        row(
            "unlike[].right",
            "text",
            "The width or kind in the second file.",
        ),
        row(
            "differences[].signal",
            "text",
            "A signal with different values; its first difference follows.",
        ),
        row(
            "differences[].time",
            "units of `timescale`",
            "The time of the difference.",
        ),
        row(
            "differences[].cycle",
            "cycle",
            "The cycle of the difference; null where no clock tells it.",
        ),
        row(
            "differences[].left",
            "binary digits, number or text",
            "The value in the first file; null before its first value.",
        ),
        row(
            "differences[].right",
            "binary digits, number or text",
            "The value in the second file; null before its first value.",
        ),
        row(
            "differences[].left_name",
            "text",
            "The name of the value in the first file; left out where it has no name.",
        ),
        row(
            "differences[].right_name",
            "text",
            "The name of the value in the second file; left out where it has no name.",
        ),
    ],
};

/// A comparison of tables.
pub(super) const TABLE_DIFF: FieldTable = FieldTable {
    written_by: "diff --json (tables)",
    about: "The differences between two tables of messages.",
    fields: &[
        row("same", "true or false", "Whether the exit code is 0."),
        row(
            "compared",
            "messages",
            "The number of messages that both tables have.",
        ),
        row(
            "only_left",
            "list",
            "The messages that only the first table has.",
        ),
        row(
            "only_right",
            "list",
            "The messages that only the second table has.",
        ),
        row(
            "columns_only_left",
            "list",
            "The columns that only the first table has.",
        ),
        row(
            "columns_only_right",
            "list",
            "The columns that only the second table has.",
        ),
        row(
            "differences[].message",
            "text",
            "A message whose rows differ: its id, or its number among those of its source.",
        ),
        row(
            "differences[].column",
            "text",
            "The first column in which they differ.",
        ),
        row(
            "differences[].left",
            "as in the column",
            "The cell of the first table.",
        ),
        row(
            "differences[].right",
            "as in the column",
            "The cell of the second table.",
        ),
    ],
};

/// The values of a window of a waveform.
pub(super) const SHOWN: FieldTable = FieldTable {
    written_by: "show --json",
    about: "The values of signals in the cycles of a window, also with `--follow`. The value of a cycle \
            is the one at its start.",
    fields: &[
        row(
            "timescale",
            "text",
            "The unit of the times, as `1 ns`; null where the file does not have it.",
        ),
        row("period", "units of `timescale`", "The length of a cycle."),
        row(
            "window_cycles",
            "list of cycles",
            "The first and the last cycle of the window.",
        ),
        row(
            "signals[].scope",
            "text",
            "The path of the scope that has the signal; empty outside of all scopes.",
        ),
        row("signals[].signal", "text", "The name of the signal."),
        row(
            "signals[].width",
            "bits",
            "The width of the signal; null where it has no bits.",
        ),
        row(
            "signals[].changes",
            "list",
            "Pairs of a cycle and a value: the first cycle of the window, and each cycle with another value than the cycle before; null before the first value.",
        ),
        row(
            "signals[].firings",
            "list",
            "Pairs of a cycle and a time in which an event happens; only of events, in place of `changes`.",
        ),
    ],
};

/// The values in some cycles.
pub(super) const CURSORS: FieldTable = FieldTable {
    written_by: "show --cursor --json",
    about: "The values of signals in the cycles of cursors.",
    fields: &[
        row(
            "cursor_cycles",
            "list of cycles",
            "The cycles of the cursors, in rising order.",
        ),
        row(
            "between_cycles",
            "list of cycles",
            "The number of cycles from each cursor to the next one.",
        ),
        row(
            "signals[].scope",
            "text",
            "The path of the scope that has the signal; empty outside of all scopes.",
        ),
        row("signals[].signal", "text", "The name of the signal."),
        row(
            "signals[].values",
            "list",
            "The value at each cursor; null before the first value; of an event how often it happens in the cycle.",
        ),
        row(
            "signals[].changes",
            "list of cycles",
            "The number of cycles after each cursor, up to the next one, with another value than the cycle before; of an event how often it happens in them.",
        ),
    ],
};

/// The signals of a file.
pub(super) const LIST: FieldTable = FieldTable {
    written_by: "show --list --json",
    about: "The scopes and signals of a waveform, in the order of the file.",
    fields: &[
        row(
            "timescale",
            "text",
            "The unit of the times, as `1 ns`; null where the file does not have it.",
        ),
        row(
            "scopes[].path",
            "text",
            "The path of a scope; empty for signals outside of all scopes.",
        ),
        row("scopes[].signals[].name", "text", "The name of a signal."),
        row(
            "scopes[].signals[].width",
            "bits",
            "The width of the signal; null where it has no bits.",
        ),
        row(
            "scopes[].signals[].kind",
            "text",
            "`bits`, `text`, `real` or `event`.",
        ),
    ],
};

/// Switching activity.
pub(super) const ACTIVITY: FieldTable = FieldTable {
    written_by: "activity --json",
    about: "How often the bits of a waveform toggle. A toggle is a change from 0 to 1 or from 1 to 0, whatever is in between.",
    fields: &[
        row("waveform", "text", "The name of the file."),
        row(
            "timescale",
            "text",
            "The unit of the times, as `1 ns`; null where the file does not have it.",
        ),
        row(
            "from_time",
            "units of `timescale`",
            "The time from which on changes count.",
        ),
        row(
            "duration",
            "units of `timescale`",
            "The length of the part that is counted.",
        ),
        row("period", "units of `timescale`", "The length of a cycle."),
        row("bits", "bits", "The width of all signals together."),
        row("toggles", "toggles", "The toggles of all bits."),
        row(
            "toggles_per_bit_cycle",
            "toggles a bit and cycle",
            "The mean over all bits.",
        ),
        row("signals[].signal", "text", "The path of a signal."),
        row("signals[].width", "bits", "Its width."),
        row("signals[].toggles", "toggles", "The toggles of its bits."),
        row(
            "signals[].toggles_per_bit_cycle",
            "toggles a bit and cycle",
            "The mean over its bits.",
        ),
        row(
            "signals[].share_one",
            "share",
            "The part of the time at 1, the mean over its bits.",
        ),
        row(
            "signals[].share_unknown",
            "share",
            "The part of the time at X or without a value, the mean over its bits.",
        ),
        row(
            "machines[].states_of",
            "text",
            "The pattern of `--states` that the signals of a machine match.",
        ),
        row(
            "machines[].instances",
            "signals",
            "The signals that show it; all count together.",
        ),
        row(
            "machines[].states[].state",
            "text",
            "A state: its name where the waveform has names, else its number.",
        ),
        row(
            "machines[].states[].share",
            "share",
            "The part of the time in it, the mean over the instances.",
        ),
        row(
            "machines[].states[].entered",
            "times",
            "How often it was entered from another state.",
        ),
        row("machines[].transitions[].from", "text", "A state."),
        row(
            "machines[].transitions[].to",
            "text",
            "Another one that followed it.",
        ),
        row("machines[].transitions[].times", "times", "How often."),
    ],
};

/// A run of a netlist.
pub(super) const NETLIST: FieldTable = FieldTable {
    written_by: "netlist --json",
    about: "The result of a run of a netlist: the same bytes for the same inputs, except `performance`.",
    fields: &[
        row("netlist", "text", "The name of the file."),
        row(
            "top",
            "text",
            "The module that was run, as the file names it.",
        ),
        row(
            "top_shown",
            "text",
            "The name of this module for people, such as `sub(W=4)`.",
        ),
        row("clocks[]", "object", "The clock inputs."),
        row("clocks[].name", "text", "The name of the input."),
        row(
            "clocks[].period_cycles",
            "cycles",
            "The length of its period; null where the clock is that of a stimulus.",
        ),
        row(
            "clocks[].shift_cycles",
            "cycles",
            "The time before its first period; null where the clock is that of a stimulus.",
        ),
        row(
            "clocks[].rising_edges_act",
            "true or false",
            "Whether something acts on its rising edges.",
        ),
        row(
            "clocks[].falling_edges_act",
            "true or false",
            "Whether something acts on its falling edges.",
        ),
        row(
            "four_state",
            "true or false",
            "Whether the run computed with X.",
        ),
        row(
            "first_cycle",
            "cycle",
            "The first cycle that was simulated: that of the checkpoint from which the run went on, or 0.",
        ),
        row(
            "cycles",
            "cycles",
            "The number of cycles from cycle 0 to the last one that was simulated.",
        ),
        row(
            "cycles_requested",
            "cycles",
            "The number of cycles that were asked for.",
        ),
        row(
            "finished",
            "true or false",
            "Whether all of these were simulated, or all triggers were found before; false when someone stopped the run.",
        ),
        row("lanes", "runs", "The number of runs side by side."),
        row(
            "cells",
            "cells",
            "The number of gates and flip-flops of the design, those of all instances.",
        ),
        row(
            "arrays[].module",
            "text",
            "A module that is evaluated as an array; the first entry is what is left of the design.",
        ),
        row(
            "arrays[].module_shown",
            "text",
            "The name of this module for people, such as `sub(W=4)`.",
        ),
        row(
            "arrays[].modules",
            "modules",
            "The number of modules that share the array.",
        ),
        row(
            "arrays[].instances",
            "instances",
            "The number of instances in the array.",
        ),
        row(
            "arrays[].gates",
            "gates",
            "The number of gates of an instance.",
        ),
        row(
            "arrays[].flip_flops",
            "flip-flops",
            "The number of flip-flops of an instance.",
        ),
        row(
            "arrays[].memories",
            "memories",
            "The number of memories of an instance.",
        ),
        row(
            "arrays[].memory_bits",
            "bits",
            "The number of bits of all memories of an instance.",
        ),
        row(
            "steps",
            "steps",
            "The number of steps in which instances pass values on within a cycle.",
        ),
        row(
            "flip_flops",
            "flip-flops",
            "The number of flip-flops of the design.",
        ),
        row(
            "moments[].cycle",
            "cycle",
            "A cycle in which the condition of `--trigger` is true.",
        ),
        row(
            "moments[].lane",
            "run",
            "The first run in which it is true in that cycle, from 0.",
        ),
        row(
            "moments[].from_cycle",
            "cycle",
            "The first cycle of the window around it.",
        ),
        row(
            "moments[].to_cycle",
            "cycle",
            "The last cycle of the window around it.",
        ),
        row(
            "outputs[].…",
            "binary digits",
            "The value of each output in the last cycle, for each run.",
        ),
        row(
            "unknown_after_reset.cycle",
            "cycle",
            "The first cycle after the reset; null without a reset, without `--four-state`, and where the run went on from a later cycle.",
        ),
        row(
            "unknown_after_reset.outputs",
            "list",
            "The bits of outputs that are X in that cycle in one of the runs.",
        ),
        row(
            "unknown_after_reset.flip_flops",
            "list",
            "The flip-flops that are X in that cycle in one of the runs.",
        ),
        row(
            "unknown_at_end.cycle",
            "cycle",
            "The last cycle; null without `--four-state`.",
        ),
        row(
            "unknown_at_end.outputs",
            "list",
            "The bits of outputs that are X in that cycle in one of the runs.",
        ),
        row(
            "unknown_at_end.flip_flops",
            "list",
            "The flip-flops that are X in that cycle in one of the runs.",
        ),
        row(
            "performance.load_seconds",
            "seconds",
            "The time that loading took; different every time.",
        ),
        row(
            "performance.run_seconds",
            "seconds",
            "The time that the run took; different every time.",
        ),
        row(
            "performance.cycles_per_second",
            "cycles per second",
            "Simulated cycles over that time; different every time.",
        ),
    ],
};
