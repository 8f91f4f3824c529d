#!/usr/bin/env python3
"""Random designs in Verilog, made into gates by Yosys: `crosswave netlist` against Icarus Verilog, with a reducer.

    tests/long/designs.py [--log FILE] [--keep FOLDER] [--designs N] [--first N] [--cases N] [--minutes M]

It needs iverilog, yosys and Hypothesis (`pip install hypothesis`), which draws the designs and makes one that fails
smaller. A case is so many designs. Each is synthesised by one of several scripts and runs with one of several options:
flat or with arrays, one run or three side by side, in one piece or from a checkpoint. Every output is compared in every
cycle:

- with known inputs, with Icarus Verilog on the source. Where they differ and Icarus Verilog on Yosys's netlist agrees
  with crosswave, Yosys and Icarus Verilog differ. These are counted and are no faults; --keep keeps them as well;
- with X at inputs (`--four-state`), with Icarus Verilog on Yosys's netlist, as the models of its cells have X.

A fault is printed as the smallest design that was found in five minutes. `--mistake '$_XOR_=$_OR_'` has crosswave read
a netlist with other gates: a run that finds no fault then is no good.
"""

import pathlib
import random
import shutil
import tempfile

import hypothesis
from hypothesis import strategies

import verilog
from shared import Log, Rows, execute, options

COLUMNS = ["case", "designs", "the_same", "gates", "yosys_differs", "not_run", "faults", "seconds"]
#: Scripts of Yosys, between reading the source and writing the netlist.
SCRIPTS = [
    "synth -noshare -top top; abc -g simple",
    "synth -noshare -flatten -top top; abc -g simple",
    "synth -noshare -top top; abc -g all",
    "synth -noshare -noabc -top top",
    "hierarchy -top top; proc; memory; techmap",
    "synth -noshare -top top -run begin:fine; opt -full; techmap; opt -fast; abc -g simple",
    "synth -noshare -top top -run begin:fine; opt -full; techmap; opt -fast; abc -g AND,MUX,XOR",
]
#: The first of the scripts that keep memories.
KEEPS = 5


class Case:
    """What is drawn beside the modules."""

    def __init__(self, draw):
        self.modules = verilog.design(draw)
        self.script = draw.randint(0, len(SCRIPTS) - 1)
        self.has_x = self.script < KEEPS and draw.randint(0, 3) == 3
        self.cycles = draw.randint(1, 60)
        self.runs = draw.choice([1, 1, 3])
        self.pieces = draw.randint(0, 3) == 3 and self.cycles > 2
        self.seed = draw.randint(0, 1 << 30)
        self.options = []
        kind = draw.randint(0, 2)
        if kind == 1:
            self.options = ["--flat"]
        elif kind == 2 and "-flatten" not in SCRIPTS[self.script]:
            top = self.modules[-1].text
            below = [module.name for module in self.modules[:-1] if f"\n{module.name} " in top]
            self.options = ["--array", below[0]] if below else []
        if self.has_x:
            self.options.append("--four-state")

    def source(self):
        """The design as Verilog."""
        return "`default_nettype none\n" + "\n".join(module.text for module in self.modules)

    def ports(self):
        """Inputs of the top, the reset first, and its outputs."""
        top = self.modules[-1]
        return [verilog.Signal("rst", 1), *top.inputs], top.outputs

    def rows(self, run):
        """The digits of each input in each cycle of a run."""
        draw = random.Random(f"{self.seed} {run}")
        inputs, _ = self.ports()
        rows, last = [], ["0" * signal.width for signal in inputs]
        for cycle in range(self.cycles):
            row = []
            for signal, before in zip(inputs, last):
                width = signal.width
                if signal.name == "rst":
                    row.append(str(int(draw.random() < 0.1 or (self.has_x and cycle == 1))))
                    continue
                value = draw.choice([draw.getrandbits(width), draw.getrandbits(width), 0, (1 << width) - 1, None])
                digits = before if value is None else f"{value:0{width}b}"
                if self.has_x and draw.random() < 0.15:
                    digits = "".join("x" if draw.random() < 0.5 else digit for digit in digits)
                row.append(digits)
            rows.append(row)
            last = row
        return rows


def table(inputs, rows):
    """Rows as the table that crosswave reads."""
    head = "cycle," + ",".join(signal.name for signal in inputs)
    return "\n".join([head, *(f"{cycle}," + ",".join("0b" + digits for digits in row)
                              for cycle, row in enumerate(rows))]) + "\n"


def bench(case):
    """A test bench that prints all outputs in each cycle of all runs. Inputs change behind the edge, and outputs are
    printed before it."""
    inputs, outputs = case.ports()
    wide = sum(signal.width for signal in inputs)
    ports, at = [".clk(clk)"], wide
    for signal in inputs:
        ports.append(f".{signal.name}(row[{at - 1}:{at - signal.width}])")
        at -= signal.width
    lines = ["`timescale 1ns/1ns", "module bench;", f"reg [{wide - 1}:0] rows [0:{case.cycles - 1}];",
             f"reg [{wide - 1}:0] row; reg clk = 0; integer cycle;"]
    for signal in outputs:
        lines.append(f"wire [{signal.width - 1}:0] {signal.name};")
        ports.append(f".{signal.name}({signal.name})")
    names = ", ".join(signal.name for signal in outputs)
    lines += [
        f"top dut ({', '.join(ports)});",
        "initial begin",
        '  $readmemb("rows.txt", rows); #10',
        f"  for (cycle = 0; cycle < {case.cycles}; cycle = cycle + 1) begin",
        f'    row = rows[cycle]; #4 $display("{" ".join("%b" for _ in outputs)}", {names});',
        "    #1 clk = 1; #5 clk = 0;",
        "  end",
        "end",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def icarus(case, folder, files):
    """The digits of the outputs in each cycle of each run; None where it fails."""
    (folder / "bench.v").write_text(bench(case))
    made = execute(["iverilog", "-g2012", "-o", "bench.vvp", "-s", "bench", "bench.v", *files], folder, 30)
    if made.code != 0:
        return None
    found = []
    for run in range(case.runs):
        (folder / "rows.txt").write_text("".join("".join(row) + "\n" for row in case.rows(run)))
        done = execute(["vvp", "-n", "bench.vvp"], folder, 30)
        if done.code != 0:
            return None
        lines = [line.split() for line in done.out.decode().splitlines() if set(line) <= set("01xz ")]
        found.append(lines)
    return found


def waveform(path, outputs, first, cycles):
    """The digits of outputs in the cycles of a VCD; a cycle takes 10 units of its time."""
    codes, values, rows = {}, {}, []
    lines = iter(path.read_text().splitlines())
    for line in lines:
        word = line.split()
        if word[:1] == ["$var"]:
            codes.setdefault(word[3], []).append(word[4])
            widths = {signal.name: signal.width for signal in outputs}
        elif line.startswith("$enddefinitions"):
            break
    names = [signal.name for signal in outputs]
    now = 10 * first

    def until(time):
        while first + len(rows) < cycles and 10 * (first + len(rows)) < time:
            rows.append([values[name] for name in names])

    for line in lines:
        if line.startswith("#"):
            until(int(line[1:]))
            now = int(line[1:])
        elif line[:1] in ("b", "B"):
            digits, code = line[1:].split()
            for name in codes[code]:
                if name in widths:
                    fill = digits[0] if digits[0] in "xz" else "0"
                    values[name] = digits.rjust(widths[name], fill)
        elif line[:1] and line[0] in "01xXzZ":
            for name in codes[line[1:]]:
                values[name] = line[0].lower()
    until(max(now + 1, 10 * cycles))
    return rows


def crosswave(program, case, folder):
    """The digits of the outputs in each cycle of each run, and the last command; or what went wrong."""
    inputs, outputs = case.ports()
    given = []
    for run in range(case.runs):
        (folder / f"s{run}.csv").write_text(table(inputs, case.rows(run)))
        given += ["--stimulus", f"s{run}.csv"]
    call = [program, "netlist", "netlist.json", "-q", "--top", "top", *case.options, *given]
    found, first = [[] for _ in range(case.runs)], 0
    cuts = [case.cycles]
    if case.pieces:
        cuts = [case.cycles // 2, case.cycles]
    for cut in cuts:
        whole = [*call, "--cycles", str(cut), "--vcd", "o.vcd"]
        # Modules that are arrays belong to the checkpoint.
        if first:
            whole = [part for part in whole if part not in case.options or part == "--four-state"]
            whole += ["--resume", "states", "--window", f"{first}..{cut - 1}"]
        elif case.pieces:
            whole += ["--checkpoints", "states"]
        done = execute(whole, folder)
        if done.code != 0:
            return None, whole, done.broken() or f"exit code {done.code}: {done.err}"
        for run in range(case.runs):
            path = folder / ("o.vcd" if case.runs == 1 else f"o.{run}.vcd")
            found[run] += waveform(path, outputs, first, cut)
        first = cut
    return found, whole, None


def difference(case, expected, found):
    """The first output that differs, in words."""
    _, outputs = case.ports()
    for run, (left, right) in enumerate(zip(expected, found)):
        if len(left) != len(right):
            return f"run {run}: {len(left)} and {len(right)} cycles"
        for cycle, (one, other) in enumerate(zip(left, right)):
            for signal, value, own in zip(outputs, one, other):
                if value != own:
                    return f"run {run}, cycle {cycle}, {signal.name}: {value} in Icarus Verilog, {own} in crosswave"
    return None


def look(program, case, folder, mistake, counts):
    """The fault of a design, with the command, or None."""
    (folder / "design.v").write_text(case.source())
    # Models of cells have no initial values.
    before = "setattr -unset init; " if case.has_x else ""
    form = "-noexpr" if case.has_x else ""
    script = (f"read_verilog -sv design.v; {SCRIPTS[case.script]}; opt_clean; {before}write_json netlist.json; "
              f"write_verilog {form} -noattr netlist.v")
    made = execute(["yosys", "-q", "-p", script], folder, 60)
    if made.code != 0:
        counts["not_run"] += 1
        return None
    text = (folder / "netlist.json").read_text()
    counts["gates"] += text.count('"port_directions"')
    if mistake:
        (folder / "netlist.json").write_text(text.replace(*(f'"{gate}"' for gate in mistake.split("="))))
    if "--array" in case.options and f'"type": "{case.options[1]}"' not in text:
        # Yosys has left its instances out.
        del case.options[:2]
    found, call, wrong = crosswave(program, case, folder)
    # Yosys makes a latch of a register that an asynchronous reset sets and that keeps its value at every edge.
    if wrong and "is a latch" in wrong:
        counts["not_run"] += 1
        return None
    if wrong:
        return wrong, call
    cells = pathlib.Path(shutil.which("yosys")).resolve().parent.parent / "share/yosys/simcells.v"
    netlist = ["netlist.v", str(cells)]
    expected = icarus(case, folder, netlist if case.has_x else ["design.v"])
    if not expected:
        counts["not_run"] += 1
        return None
    differs = difference(case, expected, found)
    if differs and not case.has_x:
        again = icarus(case, folder, netlist)
        if again and not difference(case, again, found):
            counts["yosys_differs"] += 1
            return None
    if differs:
        return differs, call
    counts["the_same"] += 1
    return None


def batch(chosen, number, log):
    """A case: so many designs. A fault ends it."""
    counts = {name: 0 for name in COLUMNS[1:-1]}
    smallest = {}

    @hypothesis.seed(f"{chosen.seed} designs {number}")
    @hypothesis.settings(
        max_examples=chosen.designs, deadline=None, database=None, print_blob=False,
        suppress_health_check=list(hypothesis.HealthCheck), report_multiple_bugs=False,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
    )
    @hypothesis.given(strategies.randoms(note_method_calls=False, use_true_random=False))
    def one(draw):
        case = Case(draw)
        with tempfile.TemporaryDirectory(prefix="crosswave-long-") as folder:
            folder = pathlib.Path(folder)
            # Designs that are tried to make a fault smaller do not count.
            now = dict(counts) if counts["faults"] else counts
            now["designs"] += 1
            differed = now["yosys_differs"]
            found = look(chosen.program, case, folder, chosen.mistake, now)
            if counts["yosys_differs"] > differed and chosen.keep:
                keep(chosen.keep / f"yosys-{number}-{counts['yosys_differs']}", folder)
            if found:
                counts["faults"] = 1
                smallest.update(text=found[0], call=found[1], source=case.source(), script=SCRIPTS[case.script])
                if chosen.keep:
                    keep(chosen.keep / f"fault-{number}", folder)
                raise AssertionError(found[0])

    try:
        one()
    except AssertionError:
        script, source = smallest["script"], smallest["source"]
        log.fault(number, f"{smallest['text']}\nyosys: {script}\n{source}", smallest["call"],
                  f" --designs {chosen.designs}")
    return counts


def keep(place, folder):
    """Copies the files of a design."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)


def more(parser):
    parser.add_argument("--log", type=pathlib.Path, help="CSV that rows are appended to")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files of faults, and of what Yosys does")
    parser.add_argument("--designs", type=int, default=50, help="designs of a case (50)")
    parser.add_argument("--mistake", metavar="OLD=NEW", help="another gate in the netlist that crosswave reads")


def main():
    chosen = options(__doc__, 1000, more)
    log = Log(chosen)
    rows = Rows(chosen.log, COLUMNS)
    number = chosen.first - 1
    while not log.is_over():
        number += 1
        started = log.seconds()
        counts = batch(chosen, number, log)
        rows.row([number, *counts.values(), f"{log.seconds() - started:.0f}"])
        log.case(number)
        for name, count in counts.items():
            log.counts[name] = log.counts.get(name, 0) + count
    log.end()


if __name__ == "__main__":
    main()
