"""A cocotb test of the fat-tree router: crosswave's gates are its scoreboard.

    python3 test_router.py

runs the router's Verilog in Icarus Verilog (or `SIM=verilator`) with random inputs, and compares all of its
outputs with those of its netlist in crosswave, in every cycle. Put your own version of the router in place of
`ROUTER` to test it.
"""

import os
import pathlib
import random

import cocotb
import crosswave
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer

HDL = pathlib.Path(os.environ.get("CROSSWAVE_HDL", pathlib.Path(__file__).resolve().parents[3] / "hdl"))
ROUTER = pathlib.Path(os.environ.get("ROUTER", HDL / "fat_tree_router.v"))
CYCLES = 2000


class Scoreboard:
    """Steps the netlist beside the design, and compares."""

    def __init__(self, design, netlist):
        self.design, self.model = design, crosswave.Netlist(netlist)
        self.compared = 0

    async def cycle(self, inputs):
        """Drives both with the same inputs for a cycle."""
        for name, value in inputs.items():
            getattr(self.design, name).value = value
        self.model.drive(inputs)
        await Timer(1, "ns")
        await ReadOnly()
        for name, expected in self.model.read_all().items():
            found = getattr(self.design, name).value
            assert found.is_resolvable, f"{name} is {found} in cycle {self.model.cycle}"
            found = int(found)
            assert found == expected, f"{name} is {found}, not {expected}, in cycle {self.model.cycle}"
            self.compared += 1
        self.model.step()
        await FallingEdge(self.design.clock)


@cocotb.test()
async def outputs_are_those_of_the_netlist(design):
    """Random headers, words and answers at all inputs."""
    board = Scoreboard(design, HDL / "netlists/fat_tree_router.json")
    draw = random.Random(1)
    inputs = dict.fromkeys(board.model.inputs, 0)
    for name in inputs:
        getattr(design, name).value = 0
    design.reset.value = 1
    cocotb.start_soon(Clock(design.clock, 10, "ns").start(start_high=False))
    # Before the first edge registers are X in the simulator.
    board.model.drive(reset=1)
    board.model.step()
    await RisingEdge(design.clock)
    await FallingEdge(design.clock)
    for cycle in range(CYCLES):
        for name, width in board.model.inputs.items():
            keeps = name in ("level", "winner_fixed", "early_acknowledge", "upstream_single")
            if not keeps and (name.startswith("random") or draw.random() < 0.3):
                inputs[name] = draw.getrandbits(width)
        inputs["reset"] = int(draw.random() < 0.01)
        await board.cycle(inputs)
    cocotb.log.info("%d values are the same", board.compared)


def main():
    from cocotb_tools.runner import get_runner

    simulator = get_runner(os.environ.get("SIM", "icarus"))
    folder = os.environ.get("BUILD", "sim_build")
    simulator.build(
        sources=[ROUTER],
        includes=[HDL, HDL / "include"],
        hdl_toplevel="fat_tree_router",
        build_dir=folder,
        build_args=["-y", str(HDL)],
        timescale=("1ns", "1ps"),
    )
    results = simulator.test(
        hdl_toplevel="fat_tree_router", test_module="test_router", build_dir=folder, test_dir=pathlib.Path(__file__).parent,
        results_xml=str(pathlib.Path(folder).resolve() / "results.xml"),
    )
    from cocotb_tools.check_results import get_results

    tests, failures = get_results(results)
    raise SystemExit(0 if tests == 1 and failures == 0 else 1)


if __name__ == "__main__":
    main()
