#!/usr/bin/env python3
"""Random configurations of all kinds of networks on all engines and numbers of threads: the same results.

    tests/long/configurations.py [--log FILE] [--gpu] [--kind KIND] [--first N] [--cases N] [--minutes M]

Each case runs on the gate engine with one thread, with two and with as many as the engine chooses, on the event engine
where the network has models, and with --gpu on the GPU engine. Messages, collisions and the result as JSON are the
same bytes, but for the engine's name and the clock of the machine. Every third case is run in lock step as well
(`compare`), which looks at every port in every cycle. A configuration that is refused is refused by all.

Each case is a row of --log: number, kind, cycles and what became of it. A run goes on from there with `--first` the
last number and one.
"""

import json
import pathlib
import random
import re

from draws import KINDS, configuration
from shared import CLOCK, Log, Place, Rows, execute, options

COLUMNS = ["case", "kind", "cycles", "outcome", "seconds"]
FILES = ["m.csv", "r.json"]
#: Fields that differ by the engine.
ENGINE = re.compile(rb'("(?:engine|gate_engine|backend|threads)": )("[^"]*"|[0-9]+)')


def variants(drawn, gpu):
    """Options of the runs that have to give the same."""
    runs = [["--engine", "gate", "--set", "run.threads=1"], ["--engine", "gate", "--set", "run.threads=2"],
            ["--engine", "gate"]]
    if "event" in drawn.engines:
        runs += [["--engine", "event", "--set", "run.threads=1"], ["--engine", "event", "--set", "run.threads=2"]]
    if gpu:
        runs += [["--engine", "gpu"]]
    return runs


def result(program, folder, more, seconds):
    """The exit code of a run and its files, without what may differ; the run; its command."""
    call = [program, "run", "c.toml", "-q", "--messages", "m.csv", "--json", "r.json", *more]
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    done = execute(call, folder, seconds)
    files = []
    for name in FILES:
        path = folder / name
        data = path.read_bytes() if path.exists() else None
        if data and name.endswith(".json"):
            data = CLOCK.sub(rb"\g<1>0", ENGINE.sub(rb"\g<1>0", data))
        files.append(data)
    return (done.code, files), done, call


def difference(one, other):
    """The first difference of two results, or None."""
    if one[0] != other[0]:
        return f"exit codes {one[0]} and {other[0]}"
    for name, left, right in zip(FILES, one[1], other[1]):
        if left != right:
            rows = zip((left or b"").splitlines(), (right or b"").splitlines())
            at, pair = next(((at, pair) for at, pair in enumerate(rows, 1) if pair[0] != pair[1]), (0, ("", "")))
            return f"{name}, line {at}: {pair[0]!r} and {pair[1]!r}"
    return None


def run(chosen, number, log):
    """A case: its kind, the cycles and what became of it."""
    draw = random.Random(f"{chosen.seed} configurations {number}")
    drawn = configuration(draw, kinds=(chosen.kind,) if chosen.kind else tuple(KINDS))
    place = Place({"c.toml": drawn.text})
    folder = place.fresh()
    first, cycles = None, 0
    for more in variants(drawn, chosen.gpu):
        found, done, call = result(chosen.program, folder, more, chosen.seconds)
        if done.code is None and first is None:
            return drawn.kind, cycles, "too long"
        if done.broken() or (done.code not in (0, 1, 2)):
            log.fault(number, f"{done.broken() or f'exit code {done.code}'}: {done.err[:400]}\n{drawn.text}", call)
            return drawn.kind, cycles, "broken"
        if first is None:
            first, said = found, done.err
            cycles = json.loads(found[1][1] or b"{}").get("cycles", 0)
            continue
        differs = difference(first, found)
        if differs:
            log.fault(number, f"{drawn.kind}: {' '.join(more)} differs: {differs}\n{drawn.text}", call)
            return drawn.kind, cycles, "differs"
    if first[0] == 2:
        return drawn.kind, 0, "refused: " + said.splitlines()[0][:120]
    if number % 3 == 0 and "event" in drawn.engines:
        (folder / "e.toml").write_text(drawn.text + 'engine = "event"\n')
        (folder / "g.toml").write_text(drawn.text + 'engine = "gate"\n')
        call = [chosen.program, "compare", "g.toml", "e.toml", "-q", "--json", "c.json"]
        done = execute(call, folder, chosen.seconds)
        if done.code != 0:
            log.fault(number, f"{drawn.kind}: in lock step: exit code {done.code}: {done.err[:400]}\n{drawn.text}", call)
            return drawn.kind, cycles, "differs in lock step"
    return drawn.kind, cycles, "the same"


def more(parser):
    parser.add_argument("--log", type=pathlib.Path, help="CSV that rows are appended to")
    parser.add_argument("--kind", choices=KINDS, help="only networks of this kind")
    parser.add_argument("--gpu", action="store_true", help="also on the GPU engine")
    parser.add_argument("--seconds", type=float, default=60, help="time that a run may take (60)")


def main():
    chosen = options(__doc__, 1000, more)
    log = Log(chosen)
    rows = Rows(chosen.log, COLUMNS)
    number = chosen.first
    while not log.is_over():
        before = log.seconds()
        kind, cycles, outcome = run(chosen, number, log)
        rows.row([number, kind, cycles, outcome, f"{log.seconds() - before:.2f}"])
        log.case(number, outcome.split(":")[0])
        number += 1
    log.end()


if __name__ == "__main__":
    main()
