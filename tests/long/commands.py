"""Commands of the program that read and write files of all kinds, for the long runs that disturb them."""

import dataclasses

from shared import ROOT, Place, execute

SMALL = """[network]
kind = "fat-tree"
nodes = 16
[traffic]
pattern = "random"
words = 4
"""

INPUTS = {
    "gate.toml": SMALL + '[run]\nengine = "gate"\n',
    "event.toml": SMALL + '[run]\nengine = "event"\n',
    "stages.json": (ROOT / "tests/netlist_data/stages.json").read_bytes(),
    "systolic.json": (ROOT / "examples/systolic/systolic.json").read_bytes(),
    "stimulus.csv": (ROOT / "examples/systolic/stimulus.csv").read_bytes(),
}

RUN = "run gate.toml -q --messages m.csv --vcd w.vcd --json r.json"
CHECKPOINTS = "run gate.toml -q --checkpoints c.checkpoints --checkpoint-every 20"


@dataclasses.dataclass(frozen=True)
class Command:
    """A command, and those that run undisturbed before it."""

    name: str
    line: str
    before: tuple = ()

    def call(self, program):
        return [program, *self.line.split()]

    def prepare(self, program, inputs=None):
        """A folder that the command begins with."""
        place = Place(inputs or INPUTS)
        folder = place.fresh()
        for line in self.before:
            done = execute([program, *line.split()], folder, 600)
            if done.code not in (0, 1):
                raise SystemExit(f"crosswave {line}: exit code {done.code}\n{done.err}")
        place.keep()
        return place


REPORT = "report dimakopoulos1994 --quick --out report"

COMMANDS = [
    Command("run", RUN),
    # A file of each name is there before, and is replaced.
    Command("run-again", RUN + " --set traffic.words=5", (RUN,)),
    Command("event", "run event.toml -q --events e.jsonl --transactions t.ftr --fst w.fst --collisions c.csv"),
    Command("sweep", "sweep event.toml --vary traffic.words=1,2 --replicates 2..2 --out sweep"),
    # Its points are kept, and read.
    Command("report", REPORT, (REPORT,)),
    Command("netlist", "netlist systolic.json -q --reset rst --stimulus stimulus.csv --vcd n.vcd --json n.json "
                       "--checkpoints n.states --checkpoint-every 5"),
    Command("export", "export gate.toml --verilog ex --json x.json"),
    Command("export-again", "export gate.toml --verilog ex --set traffic.words=5",
            ("export gate.toml --verilog ex",)),
    Command("compare", "compare gate.toml event.toml --json c.json --vcd c.vcd"),
    Command("replay", "replay gate.toml --checkpoints c.checkpoints --from 25 --to 40 --vcd p.vcd", (CHECKPOINTS,)),
    Command("trace", "trace event.toml 5 --json t.json --svg t.svg"),
]
