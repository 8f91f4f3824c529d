"""Runs give what the command gives."""

import csv
import io
import json
import os
import signal
import threading

import conftest
import crosswave
import numpy
import pytest

OWN = conftest.ROOT / "examples/routers/mesh64.toml"


def cells(table):
    """The rows of a table as texts, as CSV has them."""

    def text(value):
        if value is None:
            return ""
        return f"{value:.6f}" if isinstance(value, float) else str(value)

    return [[text(value) for value in row.values()] for row in table.to_arrow().to_pylist()]


@pytest.mark.parametrize(
    "tables",
    [
        conftest.FAT_TREE,
        {"network": {"kind": "bidelta", "nodes": 64}, "traffic": {"pattern": "random", "words": 3}},
        conftest.ROOT / "examples/flooding64.toml",
        {
            "network": {"kind": "binary-fat-tree", "nodes": 16},
            "traffic": {"pattern": "steady", "load": 0.2, "words": 4, "cycles": 500},
            "run": {"engine": "event", "replicates": 2},
        },
    ],
)
def test_results_are_those_of_the_command(tables, command, file_of, tmp_path):
    configuration = crosswave.Configuration(tables)
    results = crosswave.run(configuration, attempts=True)
    path = file_of(configuration) if isinstance(tables, dict) else tables
    json_file, messages = tmp_path / "run.json", tmp_path / "messages.csv"
    attempts = tmp_path / "attempts.parquet"
    command(
        "run", path, "--json", json_file, "--messages", messages, "--events", attempts, "--quiet"
    )
    expected = conftest.without_times(json.loads(json_file.read_text()))
    assert conftest.without_times(results.summary) == expected
    header, *rows = list(csv.reader(io.StringIO(messages.read_text())))
    assert results.messages.column_names == header
    every = ["" if cell == "*" else cell for row in rows for cell in row]
    assert [cell for row in cells(results.messages) for cell in row] == every
    assert len(results.messages) == results.summary["messages"]["offered"]
    import pyarrow.parquet

    assert results.attempts.to_arrow().to_pylist() == pyarrow.parquet.read_table(attempts).to_pylist()
    assert results.finished == expected["finished"]


def test_links_are_those_of_the_command(command, tmp_path):
    results = crosswave.run(OWN, links=True)
    links = tmp_path / "links.csv"
    command("run", OWN, "--links", links, "--quiet")
    header, *rows = list(csv.reader(io.StringIO(links.read_text())))
    assert results.links.column_names == header
    assert cells(results.links) == rows
    assert results.summary["links"]["links"] == len({(row[0], row[1]) for row in rows})


def test_waveforms_and_netlists_agree(tmp_path):
    """A router alone, driven with what it was driven with in the network, does what it did there."""
    path = tmp_path / "run.fst"
    tables = {**conftest.FAT_TREE, "wave": {"random_pins": True}, "run": {"seed": 3}}
    results = crosswave.run(tables, waveform=path)
    wave = crosswave.Waveform(path, scopes=["**.router_2_*"])
    assert wave.cycles == results.cycles + 1
    scope = next(name.rsplit(".", 1)[0] for name in wave.paths if name.endswith("a_in_data"))
    router = crosswave.Netlist(conftest.ROOT / "hdl/netlists/fat_tree_router.json")
    inputs = {name: wave[f"{scope}.{name}"].values_by_cycle() for name in router.inputs}
    outputs = {name: wave[f"{scope}.{name}"].values_by_cycle() for name in router.outputs}
    known = {name: wave[f"{scope}.{name}"].known_by_cycle() for name in router.outputs}
    compared = 0
    for cycle in range(wave.cycles):
        router.drive({name: values[cycle] for name, values in inputs.items()})
        if cycle > 0:
            for name, values in outputs.items():
                assert known[name][cycle]
                assert router.read(name) == values[cycle], (cycle, name)
                compared += int(values[cycle] != 0)
        router.step()
    assert compared > 100


def test_signals(tmp_path):
    path = tmp_path / "own.vcd"
    path.write_text(
        "$timescale 1 ns $end\n$scope module top $end\n$var wire 1 ! bit $end\n"
        "$var wire 70 % wide [69:0] $end\n$var real 64 & real $end\n$var event 1 ' fires $end\n"
        "$upscope $end\n$enddefinitions $end\n"
        "#0\n1!\nbx1 %\nr0.5 &\n#10\n0!\nb1" + 69 * "0" + " %\n1'\n#15\n1!\n#25\nx!\nr1.5 &\n#40\n"
    )
    wave = crosswave.Waveform(path)
    bit = wave["top.bit"]
    assert (wave.timescale, bit.width, len(bit)) == ("1 ns", 1, 4)
    numpy.testing.assert_array_equal(bit.times, [0, 10, 15, 25])
    numpy.testing.assert_array_equal(bit.values, numpy.array([1, 0, 1, 0], dtype=numpy.uint64))
    numpy.testing.assert_array_equal(bit.known, [True, True, True, False])
    numpy.testing.assert_array_equal(bit.values_by_cycle()[:3], [1, 1, 0])
    numpy.testing.assert_array_equal(bit.known_by_cycle()[:3], [True, True, False])
    assert list(wave["top.wide"].values) == [1, 1 << 69]
    assert list(wave["top.wide"].known) == [False, True]
    assert list(wave["top.real"].values) == [0.5, 1.5]
    assert list(wave["top.fires"].times) == [10]
    with pytest.raises(KeyError, match="paths"):
        wave["top.none"]
    assert "top.bit" in wave and "top.none" not in wave
    assert "<svg" in str(wave.draw())
    picture = wave.draw(scopes=["top.bit"], window=(0, 2), title="A bit")
    picture.save(tmp_path / "bit.svg")
    assert "A bit" in (tmp_path / "bit.svg").read_text()


def test_traces_are_those_of_the_command(command, file_of, tmp_path):
    configuration = crosswave.Configuration(conftest.FAT_TREE)
    found = crosswave.trace(configuration, 5, replicate=1)
    svg, out = tmp_path / "trace.svg", tmp_path / "trace.json"
    command("trace", file_of(configuration), 5, "--replicate", 1, "--svg", svg, "--json", out)
    assert str(found.svg) == svg.read_text() == found._repr_svg_()
    expected = json.loads(out.read_text())
    assert len(found.attempts) == len(expected["attempts"])
    messages = crosswave.run(configuration).messages.to_arrow().to_pylist()
    message = next(row for row in messages if (row["replicate"], row["id"]) == (1, 5))
    assert found.latency_cycles == message["latency_cycles"]


def test_netlists_have_lanes():
    router = crosswave.Netlist(conftest.ROOT / "hdl/netlists/fat_tree_router.json", lanes=3)
    router.drive(reset=1)
    router.step()
    router.drive({"reset": 0, "a_in_valid": [1, 0, 1]}, a_in_data=[0x81, 0, 0x80])
    router.step(5)
    assert router.cycle == 6
    states = [router.read("a_state", lane) for lane in range(3)]
    assert states[0] != states[1]
    assert router.read_all(1)["a_state"] == states[1]
    for wrong in [{"a_in_data": 256}, {"a_in_data": -1}, {"none": 0}, {"a_in_data": [1, 2]}]:
        with pytest.raises(crosswave.ConfigurationError):
            router.drive(wrong)
    with pytest.raises(crosswave.ConfigurationError, match="0 to 2"):
        router.read("a_state", 3)
    unknown = crosswave.Netlist(
        conftest.ROOT / "hdl/netlists/fat_tree_router.json", four_state=True
    )
    assert unknown.read("a_state") is None


@pytest.mark.parametrize("ending", ["vcd", "vcd.gz", "fst"])
def test_windows_have_the_values_of_their_cycles(ending, tmp_path):
    path = tmp_path / f"run.{ending}"
    crosswave.run(conftest.FAT_TREE, waveform=path)
    whole = crosswave.Waveform(path, scopes="**.node_1?.*")
    assert whole.first_cycle == 0 and list(whole) == whole.paths
    for first, last in [(0, 0), (10, 40), (30, 10**6), (whole.cycles, whole.cycles + 5)]:
        part = crosswave.Waveform(path, scopes="**.node_1?.*", window=[first, last])
        end = min(last + 1, whole.cycles)
        assert (part.first_cycle, part.cycles) == (first, max(end - first, 0))
        for name in part:
            for of in ["values_by_cycle", "known_by_cycle"]:
                expected = getattr(whole[name], of)()[first:end]
                numpy.testing.assert_array_equal(getattr(part[name], of)(), expected, name)


def test_files_that_are_cut_off_are_warned_of(tmp_path):
    path = tmp_path / "run.fst"
    crosswave.run(conftest.FAT_TREE, waveform=path)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.warns(UserWarning, match="ends in the middle"):
        crosswave.Waveform(path)
    long = tmp_path / "long.vcd"
    long.write_text(
        "$var wire 1 ! b $end\n$enddefinitions $end\n#0\n0!\n#18446744073709551615\n1!\n"
    )
    with pytest.raises(crosswave.ConfigurationError, match="window"):
        crosswave.Waveform(long)["b"].values_by_cycle()


def test_a_window_that_never_came_is_warned_of(tmp_path):
    tables = {**conftest.FAT_TREE, "wave": {"window_cycles": [100000, 100010]}}
    with pytest.warns(UserWarning, match="100000"):
        results = crosswave.run(tables, waveform=tmp_path / "run.fst")
    assert results.finished and list(tmp_path.iterdir()) == []


def test_netlists_leave_time_to_others():
    path = conftest.ROOT / "hdl/netlists/mport_packet_switch_8_q8.json"
    netlist = crosswave.Netlist(path, lanes=2048)
    with pytest.raises(crosswave.ConfigurationError):
        netlist.drive({"reset": [1] * 2047 + [2]})
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    others = [threading.Thread(target=count)]
    others.append(threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]))
    for other in others:
        other.start()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        netlist.step(10**12)
    done.set()
    assert counted > 10 and netlist.cycle > 0
    with pytest.raises(crosswave.ConfigurationError, match=r"2\^32"):
        crosswave.Netlist(path, clocks={"clock": (2**63, 1)})
