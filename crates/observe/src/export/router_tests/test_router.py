"""Drives @chip@ with what it took in a run, and compares what it shows: written by crosswave @version@.

`make` runs it with cocotb and Icarus Verilog.
"""

from pathlib import Path

import cocotb
from cocotb.triggers import Timer

INPUTS = [@input_list@]
OUTPUTS = [@output_list@]
HERE = Path(__file__).parent


def fields(number, ports):
    """The values of ports in a number that has the first one highest, and the rest above them."""
    values = {}
    for name, width in reversed(ports):
        values[name] = number & ((1 << width) - 1)
        number >>= width
    return values, number


async def run(dut, vectors):
    dut.@clock@.value = 0
    for cycle, line in enumerate((HERE / vectors).read_text().split()):
        expected, number = fields(int(line, 16), OUTPUTS)
        taken, _ = fields(number, INPUTS)
        dut.@reset@.value = int(cycle == 0)
        for name, value in taken.items():
            getattr(dut, name).value = value
        await Timer(4, "ns")
        for name, width in OUTPUTS if cycle > 0 else []:
            # The digits of a value, of which some may be X.
            shown = str(getattr(dut, name).value).rjust(width)
            wanted = format(expected[name], f"0{width}b")
            differs = any(a != b for a, b in zip(shown, wanted) if a in "01")
            assert not differs, f"{vectors}, cycle {cycle}: {name} shows {shown}, expected {wanted}"
        await Timer(1, "ns")
        dut.@clock@.value = 1
        await Timer(5, "ns")
        dut.@clock@.value = 0


def test(vectors):
    async def shows_what_it_showed(dut):
        await run(dut, vectors)

    shows_what_it_showed.__name__ = shows_what_it_showed.__qualname__ = Path(vectors).stem
    return cocotb.test()(shows_what_it_showed)


for line in (HERE / "tests.txt").read_text().splitlines():
    name = line.split()[0]
    globals()[Path(name).stem] = test(name)
