#!/usr/bin/env python3
"""Memory that `crosswave info` tells of a run, against what the run takes, over all kinds of networks.

    tests/long/told_memory.py [--log FILE] [--first N] [--cases N] [--minutes M]

A case is a random configuration and an engine. The largest resident set of `crosswave run` is that of the kernel
(wait4). It is a fault when what is told is more than 10 % off, where either is above 50 MB. Each case is a row of
--log: number, kind, engine, bytes told and taken, and their quotient.
"""

import json
import pathlib
import random

from draws import configuration
from shared import Log, Place, Rows, execute, options

SMALL = 50_000_000
TOLERANCE = 0.10
COLUMNS = ["case", "kind", "engine", "told_bytes", "taken_bytes", "told_over_taken"]


def case(chosen, number):
    """The configuration of a case, and its engine."""
    draw = random.Random(f"{chosen.seed} memory {number}")
    drawn = configuration(draw, large=True)
    return drawn, draw.choice(drawn.engines)


def told(program, folder, engine):
    """Bytes that the program tells of a run; None when it refuses the configuration."""
    done = execute([program, "info", "c.toml", "--json", "-"], folder, 300)
    if done.code != 0:
        return None, done
    return json.loads(done.out)[f"{engine}_engine_bytes"], done


def more(parser):
    parser.add_argument("--log", type=pathlib.Path, help="CSV that rows are appended to")
    parser.add_argument("--seconds", type=float, default=120, help="time that a run may take (120)")


def main():
    chosen = options(__doc__, 100, more)
    log, quotients = Log(chosen), []
    rows = Rows(chosen.log, COLUMNS)
    number = chosen.first - 1
    while not log.is_over():
        number += 1
        drawn, engine = case(chosen, number)
        place = Place({"c.toml": drawn.text})
        folder = place.fresh()
        bytes_told, said = told(chosen.program, folder, engine)
        if bytes_told is None:
            broken = said.broken()
            log.case(number, f"refused: exit code {said.code}")
            if broken:
                log.fault(number, f"info: {broken}\n{drawn.text}")
            continue
        call = [chosen.program, "run", "c.toml", "-q", "--engine", engine]
        done = execute(call, folder, chosen.seconds, peak=True)
        if done.code not in (0, 1):
            log.case(number, "too long" if done.code is None else f"run: exit code {done.code}")
            if done.code is not None and done.broken():
                log.fault(number, f"run: {done.broken()}: {done.err[:300]}\n{drawn.text}", call)
            continue
        quotient = bytes_told / done.peak_bytes
        rows.row([number, drawn.kind, engine, bytes_told, done.peak_bytes, f"{quotient:.3f}"])
        is_small = max(bytes_told, done.peak_bytes) < SMALL
        log.case(number, "small" if is_small else "large")
        if is_small:
            continue
        quotients.append(quotient)
        if abs(quotient - 1) > TOLERANCE:
            megabytes = f"{bytes_told / 1e6:.0f} MB told, {done.peak_bytes / 1e6:.0f} MB taken"
            log.fault(number, f"{drawn.kind}, {engine}: {megabytes}\n{drawn.text}", call)
    quotients.sort()
    tenths = [round(quotients[len(quotients) * part // 100], 3) for part in (0, 10, 50, 90, 99)] if quotients else []
    log.end(told_over_taken=tenths)


if __name__ == "__main__":
    main()
