"""Pages, the notebook and the cocotb example run."""

import os
import re
import shutil
import subprocess
import sys

import conftest
import nbclient
import nbformat
import pytest

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["docs/how-to/python.md", "python/README.md"])
def test_pages_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hdl").symlink_to(conftest.ROOT / "hdl")
    blocks = BLOCK.findall((conftest.ROOT / page).read_text())
    assert blocks
    scope = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, page, "exec"), scope)


def test_notebook_runs(tmp_path):
    notebook = nbformat.read(conftest.ROOT / "python/examples/first_run.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}})
    client.execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    shown = {kind for cell in outputs for output in cell for kind in output.get("data", {})}
    assert {"image/svg+xml", "text/html"} <= shown
    assert all(outputs)


@pytest.mark.parametrize("broken", [False, True])
def test_cocotb_example_tells_a_broken_router(broken, tmp_path):
    source = conftest.ROOT / "hdl/fat_tree_router.v"
    router = tmp_path / "fat_tree_router.v"
    text = source.read_text()
    if broken:
        text, count = re.subn(r"\(a_in_valid\)", "(b_in_valid)", text, count=1)
        assert count == 1
    router.write_text(text)
    example = shutil.copy(conftest.ROOT / "python/examples/cocotb/test_router.py", tmp_path)
    done = subprocess.run(
        [sys.executable, example],
        cwd=tmp_path,
        env={
            **os.environ,
            "ROUTER": str(router),
            "CROSSWAVE_HDL": str(conftest.ROOT / "hdl"),
            "BUILD": str(tmp_path / "sim_build"),
        },
        capture_output=True,
        text=True,
    )
    assert (done.returncode == 0) != broken, done.stdout[-3000:] + done.stderr[-3000:]
    assert ("in cycle" if broken else "values are the same") in done.stdout + done.stderr


def test_stubs_are_those_of_the_module():
    """mypy accepts a program that uses all of it, and refuses a wrong key."""
    program = """
import crosswave, numpy
network = crosswave.Network(kind="fat-tree", nodes=64)
configuration = crosswave.Configuration(network=network, traffic=crosswave.Traffic(pattern="random"))
results: crosswave.Results = crosswave.run(configuration, attempts=True)
table: crosswave.Table = results.messages
latency: numpy.ndarray = table["latency_cycles"]
text: str = configuration.to_toml()
picture: crosswave.Svg = configuration.draw()
value: int | None = crosswave.Netlist("router.json", lanes=2).read("a_state", lane=1)
"""
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "-c"]
    right = subprocess.run([*mypy, program], capture_output=True, text=True)
    assert right.returncode == 0, right.stdout
    for wrong in ['kind="fat-trees"', 'kind="fat-tree", node=64']:
        mistake = program.replace('kind="fat-tree", nodes=64', wrong)
        assert subprocess.run([*mypy, mistake], capture_output=True).returncode == 1


def test_stubs_have_every_name():
    import ast
    import pathlib

    import crosswave
    from crosswave import _crosswave

    stubs = ast.parse(pathlib.Path(crosswave.__file__).with_name("_crosswave.pyi").read_text())
    classes = {node.name: node for node in stubs.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}
    functions = {node.name for node in stubs.body if isinstance(node, ast.FunctionDef)}
    assert set(_crosswave.__all__) - {"__version__"} == set(classes) | functions
    for name, node in classes.items():
        there = {
            member
            for member in vars(getattr(_crosswave, name))
            if not member.startswith("_") or member in ("__len__", "__getitem__", "__contains__")
        }
        said = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
        said |= {member.target.id for member in node.body if isinstance(member, ast.AnnAssign)}
        said -= {"__new__", "__init__"}
        said = {one for one in said if not one.startswith("_") or one in there}
        if not name.endswith("Error"):
            assert there == said, name
