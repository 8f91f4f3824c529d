#!/usr/bin/env python3
"""Kills by SIGKILL, at random moments and at single calls of the system, in commands that write files.

    tests/long/kills.py [--command NAME] [--at moments|calls] [--first N] [--cases N] [--minutes M]

After each kill

- a file with a final name is whole: as it was before the command, or as a command that was not killed writes it.
  A point that a sweep or a report keeps may be one of fewer replicates, and has to be JSON;
- what else lies there has the name of a temporary file (`.crosswave-*.part`, `.crosswave-*.old`,
  `crosswave.manifest.next`).

Then the same command, run to its end, gives the same bytes as one that was never killed. A sweep and a report are
killed again and again in one folder, so that each goes on from what the one before has kept.

A case is a kill. Its number is 10,000 times that of the command and its number there. Moments are drawn from it,
between 0 and the time that the command takes. With `--at calls` the Nth call of a kind is the last one (`strace
--inject`).
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

from commands import INPUTS, REPORT, Command
from failing_calls import INJECTED, starting_calls
from shared import CODES, Log, contents, ended, execute, options, without_temporary

LARGER = {
    **INPUTS,
    "large.toml": """[network]
kind = "fat-tree"
nodes = 256
[traffic]
pattern = "random"
words = 4
repeat = 3
[run]
engine = "event"
""",
}

RUN = "run large.toml -q --messages m.csv --vcd w.vcd --json r.json --checkpoints c.checkpoints"
EXPORT = "export large.toml --verilog ex --set traffic.repeat=20"
SWEEP = ("sweep large.toml --vary traffic.words=1,2,4 --replicates 2..6 --half-width 0.001 --set traffic.repeat=2 "
         "--json s.json --out sweep")

COMMANDS = [
    Command("run", RUN),
    Command("run-again", RUN + " --set traffic.words=5", (RUN,)),
    Command("sweep", SWEEP),
    Command("report", REPORT),
    Command("report-again", REPORT, (REPORT,)),
    Command("replay", "replay large.toml --checkpoints c.checkpoints --from 200 --to 400 --vcd p.vcd --viewer-files",
            ("run large.toml -q --checkpoints c.checkpoints --checkpoint-every 100",)),
    Command("export", EXPORT),
    Command("export-again", EXPORT + " --set traffic.words=5", (EXPORT,)),
    Command("netlist", "netlist systolic.json --reset rst --random-seed 1 --cycles 20000 --checkpoints n.states "
                       "--checkpoint-every 1000 --fst n.fst --json n.json"),
]

#: Commands that go on from what a killed one has kept.
RESUMED = {"sweep", "report"}

CALLS = ["rename,renameat,renameat2", "link,linkat", "unlink,unlinkat", "fsync", "fchmod", "mkdir", "openat", "close",
         "write"]


def is_point(name):
    """True for the path of a point that is kept."""
    return "/points/" in f"/{name}"


def wrong_files(command, found, before, right):
    """The fault of the files that a killed command has left, or None."""
    for name, data in without_temporary(found).items():
        if data in (before.get(name), right.get(name)):
            continue
        if is_point(name) and command.name in RESUMED:
            try:
                json.loads(data)
                continue
            except ValueError:
                return f"the point {name} is not whole"
        # The manifest of a folder grows with its points.
        if name.endswith("crosswave.manifest") and command.name in RESUMED and data.endswith(b"\n"):
            continue
        return f"{name} is neither the old file nor the new one ({len(data)} bytes)"
    lost = sorted(set(before) - set(found))
    return f"{', '.join(lost)} is gone" if lost else None


def wrong_end(done, found, right):
    """The fault of a command that went on after kills, or None."""
    if done.broken() or done.code != 0:
        return f"run again to its end: {done.broken() or f'exit code {done.code}'}: {done.err.strip()[:300]}"
    found = without_temporary(found)
    others = sorted(name for name in set(found) | set(right) if found.get(name) != right.get(name))
    return f"run again to its end, other bytes in {', '.join(others)}" if others else None


def killed(call, folder, seconds):
    """Starts a command and kills it after so many seconds; its exit code when it ended before."""
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen([str(part) for part in call], cwd=folder, stdout=nowhere, stderr=nowhere,
                                   start_new_session=True)
    time.sleep(seconds)
    # Nobody has waited for it, so its number is still its own.
    os.kill(process.pid, signal.SIGKILL)
    return ended(process, 60)[0]


class Case:
    """A command with its folder and what it writes when nobody kills it."""

    def __init__(self, command, program):
        self.command, self.call = command, command.call(program)
        self.place = command.prepare(program, LARGER)
        self.before = contents(self.place.kept)
        folder = self.place.fresh()
        done = execute(self.call, folder, 600)
        if done.code != 0:
            sys.exit(f"crosswave {command.line}: exit code {done.code}\n{done.err}")
        self.seconds, self.right = done.seconds, contents(folder)
        self.folder = None

    def again(self):
        """Runs the command to its end after a kill."""
        done = execute(self.call, self.folder, 600)
        return wrong_end(done, contents(self.folder), self.right)


def at_moments(case, first, count, log, number):
    """Kills at random moments."""
    for at in range(first, count):
        if log.is_over():
            return
        draw = random.Random(f"{log.chosen.seed} {case.command.name} {at}")
        resumes = case.command.name in RESUMED
        if case.folder is None or not resumes:
            case.folder = case.place.fresh()
        # Those that go on are killed early, so that many kills fit in one.
        seconds = draw.uniform(0, case.seconds * (0.4 if resumes else 1.05))
        code = killed(case.call, case.folder, seconds)
        log.case(number + at, f"{case.command.name}: {'killed' if code == -signal.SIGKILL else 'ended before'}")
        wrong = wrong_files(case.command, contents(case.folder), case.before, case.right)
        if code != -signal.SIGKILL and code not in CODES:
            wrong = f"exit code {code}"
        # A few are run to their end, and of those that go on each that was not killed.
        if not wrong and (at % 5 == 0 or code == 0 if resumes else True):
            wrong = case.again() if not resumes or code == 0 or draw.random() < 0.5 else None
            if resumes and code == 0:
                case.folder = None
        if wrong:
            log.fault(number + at, f"{case.command.name}, killed after {seconds:.4f} s of {case.seconds:.4f}: {wrong}",
                      case.call)
            case.folder = None
    if case.folder is not None and case.command.name in RESUMED:
        wrong = case.again()
        if wrong:
            log.fault(number + count, f"{case.command.name}: {wrong}", case.call)


def at_calls(case, program, first, most, log, number):
    """Kills at the Nth call of each kind."""
    for kind, calls in enumerate(CALLS):
        start = starting_calls(program, calls, case.place.fresh())
        for at in range(start + 1, start + most + 1):
            name = number + 1000 * kind + at
            if name < first:
                continue
            if log.is_over():
                return
            case.folder = case.place.fresh()
            trace = case.folder.parent / "trace"
            line = ["strace", "-f", "-qq", "-o", trace, "-e", f"trace={calls}",
                    "-e", f"inject={calls}:signal=KILL:when={at}", *case.call]
            done = execute(line, case.folder, 600)
            if done.code != -signal.SIGKILL and not INJECTED.search(trace.read_text(errors="replace")):
                break
            log.case(name, f"{case.command.name}: killed at {calls.split(',')[0]}")
            wrong = wrong_files(case.command, contents(case.folder), case.before, case.right) or case.again()
            if wrong:
                log.fault(name, f"{case.command.name}, killed at {calls} {at}: {wrong}", line, " --at calls")


def more(parser):
    parser.add_argument("--command", help="only the command of this name")
    parser.add_argument("--at", choices=["moments", "calls"], default="moments", help="when it is killed (moments)")
    parser.add_argument("--most", type=int, default=200, help="kills of each command, or of a kind of call (200)")


def main():
    chosen = options(__doc__, None, more)
    log = Log(chosen)
    for at, command in enumerate(COMMANDS):
        number = 10_000 * at
        if chosen.command not in (None, command.name) or number + 10_000 <= chosen.first or log.is_over():
            continue
        case = Case(command, chosen.program)
        if chosen.at == "moments":
            at_moments(case, max(0, chosen.first - number), chosen.most, log, number)
        else:
            at_calls(case, chosen.program, chosen.first, chosen.most, log, number)
    log.end()


if __name__ == "__main__":
    main()
