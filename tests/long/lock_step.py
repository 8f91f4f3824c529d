#!/usr/bin/env python3
"""The long run: every chip in networks under random traffic, its netlist in lock step with its model.

    tests/long/lock_step.py [--program PROGRAM] [--target INSTANCE_CYCLES] [--minutes M] [CHIP ...]

`crosswave compare` runs each configuration below on the gate engine and on the event engine, and compares all
that chips drive in every cycle. A run has its own seed, size, length of messages and options, drawn from its
number. What was compared is added up for each chip in docs/long-run.csv, in instance-cycles: a cycle of one chip.
The run may be stopped at any time, and goes on where it was. A chip whose netlist has changed begins again.
route_unit is in no network: tests/quick/route_unit.rs compares it for all pairs of nodes.

Exit code 1: a difference, whose configurations stand in the message.
"""

import argparse
import csv
import hashlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "docs/long-run.csv"
COLUMNS = ["chip", "netlist_sha256", "instance_cycles", "runs"]


def fat_tree(draw, release="acknowledge", delays=(0, 0, 1, 3)):
    return f"""[network]
kind = "fat-tree"
nodes = {draw.choice([16, 1024])}
capacities = {draw.choice(['"doubling"', '"every-second-level"', "2"])}
link_delay_cycles = {draw.choice(delays)}
[router]
release = "{release}"
winner = "{draw.choice(["random", "fixed"])}"
"""


def bidelta(draw, kind="bidelta", nodes=(64, 1024), more=""):
    turns = draw.randrange(4)
    return f"""[network]
kind = "{kind}"
nodes = {draw.choice(nodes)}
{more}
[interface]
turns = {turns}
close = "{draw.choice(["drop", "end"])}"
"""


def transit(draw):
    return bidelta(draw, "transit", [64, 4096], 'climb = "height"')


def faulty(draw):
    """Wires that are stuck for some cycles and others that are cut: each has a line that brings the fault in."""
    text = bidelta(draw, "bidelta", [64], "link_delay_cycles = 1")
    stuck = []
    for at in range(16):
        first = draw.randrange(15_000)
        wire = f"rn1_{draw.randrange(2)}_{at % 8}.o{draw.randrange(8)}"
        stuck.append(f"{wire}={draw.randrange(512):#05x}@{first}..{first + draw.randrange(1, 3000)}")
    stuck = sorted({wire.split("=")[0]: wire for wire in stuck}.values())
    return text + f"[faults]\nstuck = {json.dumps(stuck)}\nrandom_wires = 4\nfault_seed = {draw.randrange(1000)}\n"


def mport(draw, ports, levels, kind="m-port-n-tree", router=""):
    return f"""[network]
kind = "{kind}"
ports = {ports}
levels = {draw.choice(levels)}
routing = "d-mod-k"
{router}
"""


def frames(kind, delay=0):
    def text(draw):
        return f'[network]\nkind = "{kind}"\nlevels = {draw.choice([2, 5])}\nlink_delay_cycles = {delay}\n'

    return text


def packets(draw, queue="queue_packets = 8"):
    return f'[network]\nkind = "binary-fat-tree"\nnodes = {draw.choice([16, 1024])}\n[router]\n{queue}\n'


#: Networks, and the chips for which each is run.
NETWORKS = [
    (fat_tree, ["fat_tree_router", "network_interface"]),
    (lambda draw: fat_tree(draw, delays=(1, 3)), ["delay_line"]),
    (lambda draw: fat_tree(draw, "tail"), ["fat_tree_tail_router"]),
    (bidelta, ["rn1", "rn1_interface"]),
    (lambda draw: bidelta(draw, more="link_delay_cycles = 2"), ["rn1_delay_line"]),
    (faulty, ["rn1_fault_line"]),
    (transit, ["rn1_height"]),
    (lambda draw: packets(draw, ""), ["bft_node"]),
    (packets, ["packet_switch_q8", "packet_interface"]),
    (lambda draw: mport(draw, 4, (3, 7)), ["mport_switch_4", "mport_interface"]),
    (lambda draw: mport(draw, 8, (2, 4)), ["mport_switch_8"]),
    (lambda draw: mport(draw, 16, (2, 3)), ["mport_switch_16"]),
    (lambda draw: mport(draw, 32, (2,)), ["mport_switch_32"]),
    (lambda draw: mport(draw, 4, (3, 7), router='[router]\nrelease = "tail"'), ["mport_tail_switch_4"]),
    (lambda draw: mport(draw, 8, (2, 4), router='[router]\nrelease = "tail"'), ["mport_tail_switch_8"]),
    (lambda draw: mport(draw, 16, (2, 3), router='[router]\nrelease = "tail"'), ["mport_tail_switch_16"]),
    (lambda draw: mport(draw, 32, (2,), router='[router]\nrelease = "tail"'), ["mport_tail_switch_32"]),
    (
        lambda draw: mport(draw, 4, (3, 7), "m-port-n-tree-packets", "[router]\nqueue_packets = 8"),
        ["mport_packet_switch_4_q8", "mport_packet_interface"],
    ),
    (
        lambda draw: mport(draw, 8, (2, 4), "m-port-n-tree-packets", "[router]\nqueue_packets = 8"),
        ["mport_packet_switch_8_q8"],
    ),
    (frames("fat-stack"), ["stack_switch_8", "stack_interface"]),
    (frames("fat-stack", 2), ["stack_delay_line"]),
    (frames("fat-pyramid"), ["stack_switch_10"]),
]


def configuration(network, seed):
    """The configuration of a run, by its number."""
    draw = random.Random(seed)
    # More messages than all cycles take.
    return network(draw) + f"""[traffic]
pattern = "random"
repeat = 600
words = {draw.choice([1, 2, 5, 9, 30])}
[run]
seed = {seed}
cycles_max = 20000
"""


def digest(chip):
    """The hash of a chip's netlist."""
    return hashlib.sha256((ROOT / f"hdl/netlists/{chip}.json").read_bytes()).hexdigest()[:16]


def read():
    """What was compared before of each chip, and of those of a changed netlist nothing."""
    counts = {chip: [0, 0] for _, chips in NETWORKS for chip in chips}
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["chip"] in counts and row["netlist_sha256"] == digest(row["chip"]):
                    counts[row["chip"]] = [int(row["instance_cycles"]), int(row["runs"])]
    return counts


def write(counts):
    text = ",".join(COLUMNS) + "\n"
    for chip, (cycles, runs) in counts.items():
        text += f"{chip},{digest(chip)},{cycles},{runs}\n"
    part = TABLE.with_suffix(".part")
    part.write_text(text)
    part.replace(TABLE)


def json_of(*arguments):
    done = subprocess.run([str(one) for one in arguments], capture_output=True, text=True)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{' '.join(map(str, arguments))}\n{done.stderr}")
    return json.loads(done.stdout)


def compare(program, text):
    """Runs a configuration on both engines; the instance-cycles of its chips."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f"{engine}.toml" for engine in ("gate", "event")]
        for path in paths:
            path.write_text(text + f'engine = "{path.stem}"\n')
        found = json_of(program, "compare", *paths, "--quiet", "--json", "-")
        if found["differs_cycle"] is not None:
            print(f"{text}\nThe engines differ in cycle {found['differs_cycle']}: {found['ports']}")
            sys.exit(1)
        cycles = min(found["last_cycles"])
        chips = json_of(program, "info", paths[0], "--json", "-")["chips"]
        return {row["chip"]: row["instances"] * cycles for row in chips}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("chips", nargs="*", metavar="CHIP", help="chips; all when left out")
    parser.add_argument("--program", default=ROOT / "target/release/crosswave")
    parser.add_argument("--target", type=float, default=1e9, help="instance-cycles of each chip")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="time after which it stops")
    options = parser.parse_args()
    counts = read()
    unknown = set(options.chips) - set(counts)
    if unknown:
        parser.error(f"found {', '.join(sorted(unknown))}; expected {', '.join(counts)}")
    started = time.monotonic()
    while True:
        # The chip that is furthest behind comes next.
        lacking = [
            (counts[chip][0], at, chip)
            for at, (_, chips) in enumerate(NETWORKS)
            for chip in chips
            if counts[chip][0] < options.target and (not options.chips or chip in options.chips)
        ]
        if not lacking or time.monotonic() - started > 60 * options.minutes:
            break
        _, at, chip = min(lacking)
        counts[chip][1] += 1
        seed = 1000 * counts[chip][1] + list(counts).index(chip)
        compared = compare(options.program, configuration(NETWORKS[at][0], seed))
        if not compared.get(chip):
            sys.exit(f"run {seed} has no {chip}")
        for other, cycles in compared.items():
            if other in counts:
                counts[other][0] += cycles
        write(counts)
        print(f"{chip}: run {counts[chip][1]}, {counts[chip][0]:.3g} instance-cycles", flush=True)
    least = min(cycles for cycles, _ in counts.values())
    print(f"every chip has run {least:.3g} instance-cycles or more in lock step with its model")


if __name__ == "__main__":
    main()
