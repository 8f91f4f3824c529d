"""Tables, as data frames and as files, are read by pandas, polars, pyarrow and duckdb."""

import json

import conftest
import crosswave
import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

OWN = conftest.ROOT / "examples/routers/mesh64.toml"


@pytest.fixture(scope="module")
def results():
    return crosswave.run(OWN, attempts=True, links=True)


@pytest.mark.parametrize("name", ["messages", "attempts", "links"])
def test_every_library_has_the_same_cells(results, name):
    table = getattr(results, name)
    arrow = table.to_arrow()
    rows = arrow.to_pylist()
    assert len(rows) == table.num_rows == len(table) > 0
    assert polars.DataFrame(table).to_dicts() == rows == table.to_polars().to_dicts()
    assert pandas.DataFrame.from_arrow(table).shape == (len(rows), len(table.column_names))
    frame = table.to_pandas()
    latency = "flits" if name == "links" else "latency_cycles"
    present = [row[latency] for row in rows if row[latency] is not None]
    assert list(frame[latency].dropna()) == present
    assert str(frame[latency].dtype) == "Int64"
    total = duckdb.sql(f"select sum({latency}) from arrow").fetchall()[0][0]
    assert total == sum(present)
    cells = table[latency]
    assert numpy.nansum(cells) == total


def test_cells_are_not_copied(results):
    one, other = (pyarrow.table(results.messages)["latency_cycles"].chunk(0) for _ in range(2))
    assert one.buffers()[1].address == other.buffers()[1].address


def test_files_and_frames_have_one_schema(results, command, tmp_path):
    files = {name: tmp_path / f"{name}.parquet" for name in ["messages", "events", "links"]}
    options = [part for name, path in files.items() for part in (f"--{name}", path)]
    command("run", OWN, "--quiet", *options)
    for name, path in files.items():
        table = getattr(results, "attempts" if name == "events" else name)
        read = pyarrow.parquet.read_table(path)
        arrow = table.to_arrow()
        assert read.schema.names == arrow.schema.names
        assert [field.type for field in read.schema] == [field.type for field in arrow.schema]
        assert read.to_pylist() == arrow.to_pylist()
        assert json.loads(read.schema.metadata[b"units"]) == table.units
        assert {
            field.name: field.metadata[b"unit"].decode() for field in arrow.schema if field.metadata
        } == table.units
        rows = len(table)
        assert polars.read_parquet(path).height == rows
        assert len(pandas.read_parquet(path)) == rows
        assert duckdb.sql(f"select count(*) from '{path}'").fetchall() == [(rows,)]


def test_notebooks_show_tables(results):
    html = results.messages._repr_html_()
    assert html.startswith("<table>") and "latency_cycles" in html
    with pytest.raises(KeyError, match="latency_cycles"):
        results.messages["latency"]
    assert list(results.links) == results.links.column_names and "flits" in results.links
    # Cycles from the start, and numbers of cycles.
    units = results.attempts.units
    for name in ["launched_cycle", "hop_arrived_cycles", "hop_left_cycles", "hop_freed_cycles"]:
        assert units[name] == "cycles from the start"
    for name in ["hop_waited_cycles", "blocked_cycles", "latency_cycles"]:
        assert units[name] == "cycles"
    texts = results.attempts["end"]
    assert texts.dtype == object and isinstance(texts[0], str)
    assert isinstance(results.attempts["hop_routers"][0], list)
