"""Helpers of the long runs: their options, runs of the program, folders of files, and the log.

Every long run has numbered cases. A case is drawn from its number and the seed alone, so that `--first N --cases 1`
repeats it. Each fault is printed with the command that repeats it, and the last line is a summary as JSON.
"""

import argparse
import csv
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
#: Names of files that a killed program may leave, as crates/base/src/file.rs and file/folder.rs give them.
TEMPORARY = re.compile(r"\.crosswave-[A-Za-z0-9]+\.(part|old)|crosswave\.manifest\.next")
#: Exit codes of the program, as docs/reference/exit-codes.md lists them.
CODES = {0: "fine", 1: "check failed", 2: "usage", 3: "bad input", 4: "reading or writing", 5: "memory"}


@dataclasses.dataclass
class Done:
    """A program that has ended; `code` is negative for a signal, and None when it did not end in time."""

    code: int | None
    out: bytes
    err: str
    seconds: float
    peak_bytes: int = 0

    def broken(self):
        """The fault that no run of the program may have, or None."""
        if self.code is None:
            return f"it did not end in {self.seconds:.0f} s"
        if self.code < 0:
            return f"it ended by {signal.Signals(-self.code).name}"
        if "panicked at" in self.err or "RUST_BACKTRACE" in self.err:
            return "it panicked"
        if self.code not in CODES:
            return f"it ended with exit code {self.code}"
        return None


def options(description, cases, more=lambda parser: None):
    """The options that all long runs have, and `more`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target/release/crosswave")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first case (0)")
    parser.add_argument("--cases", type=int, default=cases, help=f"number of cases ({cases or 'all'})")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="time after which it stops")
    parser.add_argument("--seed", type=int, default=1, help="seed that cases are drawn from, with their number (1)")
    more(parser)
    chosen = parser.parse_args()
    chosen.program = chosen.program.resolve()
    if not chosen.program.exists():
        parser.error(f"there is no {chosen.program}; build it with cargo build --release, or give --program")
    return chosen


def execute(command, folder, seconds=120, stdin=None, peak=False, environment=None):
    """Runs a command in a folder, to its end or for so long."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            stdin=stdin or subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        code, used = ended(process, seconds)
        out.seek(0)
        err.seek(0)
        text = err.read().decode(errors="replace")
        return Done(code, out.read(), text, time.monotonic() - started, used if peak else 0)


def ended(process, seconds):
    """Waits for a process: its exit code, and the most memory that it had. None when it is still there, and killed."""
    last = time.monotonic() + seconds
    pause = 0.0005
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, 1024 * used.ru_maxrss
        if time.monotonic() > last:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None, 0
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


#: Fields that the clock of the machine decides.
CLOCK = re.compile(rb'("[a-z_]*(?:_seconds|_per_second)": )[-+.0-9e]+')


def contents(folder):
    """The bytes of every file below a folder, by path, without what the clock says."""
    folder = pathlib.Path(folder)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): CLOCK.sub(rb"\g<1>0", path.read_bytes()) for path in paths}


def without_temporary(files):
    """The files of a folder that have their final names."""
    return {name: data for name, data in files.items() if not TEMPORARY.fullmatch(pathlib.Path(name).name)}


class Place:
    """A folder that every case begins with as it was."""

    def __init__(self, inputs):
        self.folder = tempfile.TemporaryDirectory(prefix="crosswave-long-")
        self.path = pathlib.Path(self.folder.name) / "work"
        self.kept = pathlib.Path(self.folder.name) / "kept"
        self.kept.mkdir()
        for name, data in inputs.items():
            path = self.kept / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if isinstance(data, bytes) else data.encode())

    def fresh(self):
        """The folder with nothing but the inputs."""
        if self.path.exists():
            shutil.rmtree(self.path)
        shutil.copytree(self.kept, self.path)
        return self.path

    def keep(self):
        """Makes what the folder has now the inputs of all cases."""
        shutil.rmtree(self.kept)
        shutil.copytree(self.path, self.kept)


class Rows:
    """Rows of a table as CSV, appended to a file, or to standard output when there is none."""

    def __init__(self, path, columns):
        self.out = path.open("a", newline="") if path else sys.stdout
        self.writer = csv.writer(self.out, lineterminator="\n")
        if self.out is sys.stdout or self.out.tell() == 0:
            self.row(columns)

    def row(self, cells):
        """Writes a row at once, so that a run that is killed has left it."""
        self.writer.writerow(cells)
        self.out.flush()


class Log:
    """The cases that were run and the faults that were found."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.started = time.monotonic()
        self.cases = 0
        self.faults = 0
        self.last = None
        self.counts = {}
        self.own = pathlib.Path(sys.argv[0]).resolve().relative_to(ROOT)

    def seconds(self):
        """Time since the start."""
        return time.monotonic() - self.started

    def is_over(self):
        """True when the time or the number of cases is spent."""
        minutes = self.seconds() / 60
        enough = self.chosen.cases is not None and self.cases >= self.chosen.cases
        return enough or minutes >= self.chosen.minutes

    def case(self, number, kind=None):
        """A case has been run, of a kind that is counted."""
        self.cases += 1
        self.last = number
        if kind:
            self.count(kind)

    def count(self, kind):
        """Counts one of a kind."""
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def fault(self, number, text, command=None, more=""):
        """Prints a fault, and how it is repeated."""
        self.faults += 1
        print(f"fault: case {number}: {text}")
        if command:
            print(f"  command: {shlex.join(str(part) for part in command)}")
        print(f"  repeat: python3 {self.own} --program {self.chosen.program} --seed {self.chosen.seed} "
              f"--first {number} --cases 1{more}", flush=True)

    def end(self, **more):
        """Prints the summary, and ends with exit code 1 when there were faults."""
        minutes = round(self.seconds() / 60, 1)
        row = {"run": self.own.stem, "seed": self.chosen.seed, "first": self.chosen.first, "last": self.last,
               "cases": self.cases, "minutes": minutes, "faults": self.faults, "counts": self.counts, **more}
        print(json.dumps(row))
        sys.exit(1 if self.faults else 0)
