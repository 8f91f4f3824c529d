"""Configurations of dicts, files and texts, and what is wrong with them."""

import enum
import pathlib
import pickle

import conftest
import crosswave
import numpy
import pytest


def test_dicts_files_and_texts_are_the_same(tmp_path):
    of_dict = crosswave.Configuration(conftest.FAT_TREE)
    of_tables = crosswave.Configuration(
        network=crosswave.Network(kind="fat-tree", nodes=64),
        traffic=crosswave.Traffic(pattern="random", words=5, repeat=3),
        run=crosswave.Run(seed=7, replicates=3),
    )
    path = tmp_path / "run.toml"
    path.write_text(of_dict.to_toml())
    configurations = [
        of_dict,
        of_tables,
        crosswave.Configuration(path),
        crosswave.Configuration(str(path)),
        crosswave.Configuration.read(path),
        crosswave.Configuration.parse(of_dict.to_toml()),
        crosswave.Configuration(of_dict.to_dict()),
        crosswave.Configuration(conftest.FAT_TREE, run={"seed": 8}).replace({"run.seed": 7}),
        pickle.loads(pickle.dumps(of_dict)),
    ]
    assert len({configuration.to_toml() for configuration in configurations}) == 1
    assert of_dict == of_tables and of_dict != of_dict.replace(run={"seed": 8})
    assert of_dict.to_dict()["network"]["nodes"] == 64


def test_values_of_other_types_are_taken(tmp_path):
    lengths = numpy.array([2, 4])
    configuration = crosswave.Configuration(
        network={"kind": "fat-tree", "nodes": numpy.int64(16)},
        traffic={
            "pattern": "steady",
            "load": numpy.float32(0.5),
            "cycles": 9,
            "lengths": lengths,
            "length_weights": (1, 1),
            "words": None,
        },
    )
    assert configuration.to_dict()["traffic"]["lengths"] == [2, 4]
    trace = tmp_path / "own.csv"
    trace.write_text("t_ns,source,destination,bytes\n1,0,3,2\n")
    kinds = enum.Enum("kinds", {"TREE": "fat-tree"}, type=str)
    mixed = configuration.replace({"run.seed": 3, "network": {"kind": kinds.TREE}})
    assert mixed.to_dict()["run"]["seed"] == 3 and mixed.to_dict()["traffic"]["load"] == 0.5
    single = configuration.replace(traffic={"load": numpy.float32(0.1)})
    assert single.to_dict()["traffic"]["load"] == 0.1
    scalar = configuration.replace(network={"nodes": numpy.array(32)})
    assert scalar.to_dict()["network"]["nodes"] == 32
    with pytest.raises(crosswave.ConfigurationError, match="dict of keys"):
        configuration.replace({"run": 3})
    others = ["pattern", "load", "cycles", "lengths", "length_weights"]
    traced = configuration.replace(traffic={**dict.fromkeys(others), "trace": trace})
    results = crosswave.run(traced)
    assert list(results.messages["destination"]) == [3]


def test_mistakes_have_their_places():
    wrong = {"network": {"kind": "fat-tree", "nodes": 63}, "traffic": {"pattern": "random", "words": 0}}
    with pytest.raises(crosswave.ConfigurationError) as caught:
        crosswave.run(wrong)
    places = [mistake["place"] for mistake in caught.value.diagnostics]
    assert places == ["network.nodes", "traffic.words"]
    assert caught.value.exit_code == 2
    assert "power of two" in caught.value.diagnostics[0]["message"]
    right = crosswave.Configuration(conftest.FAT_TREE)
    with pytest.raises(crosswave.ConfigurationError) as caught:
        right.replace(network={"nodes": 65}).check()
    assert caught.value.diagnostics[0]["place"] == "network.nodes"
    assert "--set" not in str(caught.value)
    circle = []
    circle.append(circle)
    wrong = [object(), 1 << 64, b"16", bytearray(b"16"), {16}, circle, {"a": circle}]
    for values in [{1: 2}, *({"nodes": value} for value in wrong)]:
        with pytest.raises(crosswave.ConfigurationError):
            crosswave.Configuration(network=values)
    with pytest.raises(crosswave.ConfigurationError, match="dict of tables"):
        crosswave.run(3)


def test_files_that_are_bad(tmp_path):
    with pytest.raises(crosswave.FileError) as caught:
        crosswave.run(tmp_path / "none.toml")
    assert caught.value.exit_code == 4
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    with pytest.raises(crosswave.InputError):
        crosswave.Netlist(bad)
    with pytest.raises(crosswave.InputError):
        crosswave.Waveform(bad)
    with pytest.raises(crosswave.ConfigurationError, match="ends neither"):
        crosswave.run(conftest.FAT_TREE, waveform=tmp_path / "run.txt")
    with pytest.raises(crosswave.FileError):
        crosswave.run(conftest.FAT_TREE, waveform=tmp_path / "none" / "run.fst")
    assert issubclass(crosswave.FileError, crosswave.CrosswaveError)


def test_networks_are_drawn():
    assert "<svg" in crosswave.Configuration(conftest.FAT_TREE).draw()._repr_svg_()
    large = crosswave.Configuration(conftest.FAT_TREE).replace({"network.nodes": 4096})
    with pytest.raises(crosswave.ConfigurationError, match="chips"):
        large.draw()


def test_typed_tables_are_those_of_the_program(command, root):
    import subprocess
    import sys

    keys = command("keys", "--json", "-")
    written = subprocess.run(
        [sys.executable, root / "python/write_keys.py"], input=keys, capture_output=True, text=True
    )
    current = pathlib.Path(crosswave.__file__).with_name("keys.py").read_text()
    assert written.stdout == current, "run python/write_keys.py again"
