#!/usr/bin/env python3
"""Files of checkpoints with one byte changed: each byte in turn, to each of eight other values.

    tests/long/checkpoint_bytes.py [--how raw|signed] [--run NAME] [--stride S] [--first N] [--cases N] [--minutes M]

raw     The byte in the file is changed. The program refuses the file (exit code 3, with a message), or goes on to the
        very same waveform: the byte lies in a state that it does not use. Anything else is a fault.
signed  The byte is changed in a state as it is unpacked, or in the header behind it, which is then packed and signed anew, as
        somebody would who wants to do harm. The program may go on from another state, for no digest tells. It may not
        panic, abort, hang, take more than a gigabyte, or give another exit code than 0, 1, 2 and 3.

A case is a byte with its eight values; its number is 1,000,000 times that of the run in the list of the source, and
the offset of the byte. With --stride S every S-th byte is changed, from the first one on.
"""

import dataclasses
import hashlib
import json
import sys
import zlib

from shared import ROOT, Log, Place, execute, options

MEMORY_MOST = 1_000_000_000


@dataclasses.dataclass(frozen=True)
class Run:
    """A run that writes checkpoints, and one that begins from the last of them."""

    name: str
    configuration: str
    every: int = 8
    first: int = 18

    def write(self, program):
        return [program, "run", "c.toml", "-q", "--json", "r.json", "--checkpoints", "c",
                "--checkpoint-every", self.every]

    def resume(self, program, folder):
        last = json.loads((folder / "r.json").read_text())["cycles"]
        return [program, "replay", "c.toml", "--checkpoints", "c", "--from", self.first, "--to", last, "--vcd", "-"]


@dataclasses.dataclass(frozen=True)
class Netlist:
    """The same of a netlist."""

    name: str
    more: tuple = ()

    def call(self, program):
        return [program, "netlist", "systolic.json", "--reset", "rst", "--random-seed", "1", *self.more]

    def write(self, program):
        return [*self.call(program), "-q", "--cycles", "30", "--checkpoints", "c", "--checkpoint-every", "12"]

    def resume(self, program, folder):
        return [*self.call(program), "--resume", "c", "--cycles", "40", "--window", "28..40", "--vcd", "-"]


def text(network, engine, traffic='pattern = "random"\nwords = 3', more=""):
    return f"[network]\n{network}\n[traffic]\n{traffic}\n{more}\n[run]\ncycles_max = 2000\nengine = \"{engine}\"\n"


FAT_TREE = 'kind = "fat-tree"\nnodes = 4'
STEADY = 'pattern = "steady"\nload = 0.2\nwords = 3\ncycles = 60'

RUNS = [
    Run("fat-tree-gate", text(FAT_TREE, "gate")),
    Run("fat-tree-event", text(FAT_TREE, "event")),
    Netlist("netlist"),
    Netlist("netlist-four-state", ("--four-state",)),
    Run("backoff-event", text(FAT_TREE, "event", 'pattern = "random"\nrepeat = 4\nwords = 9',
                              '[retry]\nstrategy = "backoff"')),
    Run("tail-event", text(FAT_TREE, "event", more='[router]\nrelease = "tail"')),
    Run("delays-gate", text(FAT_TREE + "\nlink_delay_cycles = 2", "gate")),
    Run("bidelta-gate", text('kind = "bidelta"\nnodes = 16', "gate", more="[interface]\nturns = 1\nreply_words = 4")),
    Run("bidelta-event", text('kind = "bidelta"\nnodes = 16', "event", more="[interface]\nturns = 1\nreply_words = 4")),
    Run("binary-event", text('kind = "binary-fat-tree"\nnodes = 4', "event",
                             more='[router]\nqueue_packets = "unlimited"'), 3, 8),
    Run("mport-packets-gate", text('kind = "m-port-n-tree-packets"\nports = 4\nlevels = 2', "gate",
                                   more="[router]\nqueue_packets = 8"), 5, 12),
    Run("mport-packets-event", text('kind = "m-port-n-tree-packets"\nports = 4\nlevels = 2', "event"), 5, 12),
    Run("mport-event", text('kind = "m-port-n-tree"\nports = 4\nlevels = 2\nrouting = "d-mod-k"', "event")),
    Run("stack-gate", text('kind = "fat-stack"\nlevels = 2', "gate")),
    Run("pyramid-event", text('kind = "fat-pyramid"\nlevels = 2', "event")),
    Run("steady-event", text(FAT_TREE, "event", STEADY)),
    Run("steady-gate", text(FAT_TREE, "gate", STEADY)),
]


class Checkpoints:
    """A file of checkpoints, as crates/checkpoint/src/lib.rs describes it."""

    def __init__(self, data):
        line = data.index(b"\n") + 1
        self.magic, at = data[:line], line
        length, at = self.number(data, at)
        self.header, at = data[at:at + length], at + length + 32
        self.states = []
        while True:
            cycle, at = self.number(data, at)
            length, at = self.number(data, at)
            at += 32
            if cycle == 2**64 - 1:
                break
            self.states.append((cycle, zlib.decompress(data[at:at + length], wbits=-15)))
            at += length

    @staticmethod
    def number(data, at):
        return int.from_bytes(data[at:at + 8], "little"), at + 8

    @staticmethod
    def signed(header, states, magic):
        """The bytes of a file with such a header and such states, with the digests that they have."""
        def sum_of(*parts):
            return hashlib.sha256(b"".join(parts)).digest()

        def numbers(*values):
            return b"".join(value.to_bytes(8, "little") for value in values)

        digest = sum_of(magic, numbers(len(header)), header)
        file = magic + numbers(len(header)) + header + digest
        for cycle, state in states:
            packer = zlib.compressobj(1, zlib.DEFLATED, -15)
            body = packer.compress(state) + packer.flush()
            file += numbers(cycle, len(body)) + sum_of(digest, numbers(cycle, len(body)), body) + body
        return file + numbers(2**64 - 1, len(states)) + sum_of(digest, numbers(2**64 - 1, len(states)))


def values(byte):
    """Eight values that a byte does not have."""
    wanted = [0, 255, byte ^ 1, byte ^ 128, byte + 1, byte - 1, byte ^ 255, byte ^ 16, byte + 64, byte ^ 2, byte ^ 5]
    return list(dict.fromkeys(value % 256 for value in wanted if value % 256 != byte))[:8]


class Attacked:
    """A run, its file of checkpoints and what comes of it unchanged."""

    def __init__(self, run, program, how):
        inputs = {"systolic.json": (ROOT / "examples/systolic/systolic.json").read_bytes()}
        if isinstance(run, Run):
            inputs = {"c.toml": run.configuration}
        self.run, self.how, self.place = run, how, Place(inputs)
        self.folder = self.place.fresh()
        done = execute(run.write(program), self.folder)
        # A run of traffic that is cut off ends with exit code 1.
        if done.code not in (0, 1):
            sys.exit(f"{run.name}: exit code {done.code}\n{done.err}")
        self.call = run.resume(program, self.folder)
        self.file = (self.folder / "c").read_bytes()
        self.right = execute(self.call, self.folder)
        if self.right.code != 0 or len(self.right.out) < 300:
            sys.exit(f"{run.name}: exit code {self.right.code}\n{self.right.err}")
        self.parts = Checkpoints(self.file)
        # The last state before the first cycle of the waveform is the one that is used.
        first = run.first if isinstance(run, Run) else 28
        used = max(cycle for cycle, _ in self.parts.states if cycle < first)
        self.states = [state for state in self.parts.states if state[0] == used]
        # The signed file has that state only.
        whole = Checkpoints.signed(self.parts.header, self.states, self.parts.magic)
        (self.folder / "c").write_bytes(whole)
        again = execute(self.call, self.folder)
        if again.out != self.right.out:
            sys.exit(f"{run.name}: a file that is signed anew is not read: {again.err}")

    def length(self):
        if self.how == "raw":
            return len(self.file)
        return len(self.parts.header) + len(self.states[0][1])

    def changed(self, offset, to_value):
        """The file with a byte changed."""
        if self.how == "raw":
            return self.file[:offset] + bytes([to_value]) + self.file[offset + 1:]
        header, (cycle, state) = bytearray(self.parts.header), self.states[0]
        state = bytearray(state)
        if offset < len(state):
            state[offset] = to_value
        else:
            header[offset - len(state)] = to_value
        return Checkpoints.signed(bytes(header), [(cycle, bytes(state))], self.parts.magic)

    def byte(self, offset):
        if self.how == "raw":
            return self.file[offset]
        return (self.states[0][1] + self.parts.header)[offset]

    def wrong(self, done):
        """The fault of a run from a changed file, or None; and what it did."""
        broken = done.broken()
        if broken:
            return broken, "broken"
        if done.peak_bytes > MEMORY_MOST:
            return f"it took {done.peak_bytes / 1e9:.1f} GB", "broken"
        if done.code == 3 and "error: " in done.err and "c" in done.err:
            return None, "refused"
        if done.code == 0 and done.out == self.right.out:
            return None, "the same"
        if self.how == "signed" and done.code in (0, 1, 2):
            return None, f"another run, exit code {done.code}"
        said = done.err.strip()[:300]
        return f"exit code {done.code}, and {'the same' if done.out == self.right.out else 'another'} waveform: {said}", "other"


def more(parser):
    parser.add_argument("--how", choices=["raw", "signed"], default="raw", help="how bytes are changed (raw)")
    parser.add_argument("--run", help="only the run of this name")
    parser.add_argument("--stride", type=int, default=1, help="bytes from one that is changed to the next (1)")


def main():
    chosen = options(__doc__, None, more)
    log = Log(chosen)
    for at, run in enumerate(RUNS):
        if chosen.run not in (None, run.name) or 1_000_000 * (at + 1) <= chosen.first or log.is_over():
            continue
        attacked = Attacked(run, chosen.program, chosen.how)
        begin = max(0, chosen.first - 1_000_000 * at)
        for offset in range(begin, attacked.length(), chosen.stride):
            if log.is_over():
                break
            case = 1_000_000 * at + offset
            for to_value in values(attacked.byte(offset)):
                (attacked.folder / "c").write_bytes(attacked.changed(offset, to_value))
                done = execute(attacked.call, attacked.folder, 30, peak=True)
                wrong, kind = attacked.wrong(done)
                log.count(f"{run.name}: {kind}")
                if wrong:
                    log.fault(case, f"{run.name}, byte {offset} of {attacked.length()} to {to_value}: {wrong}",
                              attacked.call, f" --how {chosen.how}")
                    print(f"  said: {done.err.strip()[:400]}", flush=True)
            log.case(case)
    log.end()


if __name__ == "__main__":
    main()
