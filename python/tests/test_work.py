"""Progress, interruption, threads, sweeps here and on workers."""

import concurrent.futures
import multiprocessing
import os
import signal
import threading
import time

import conftest
import crosswave
import pyarrow
import pyarrow.parquet
import pytest

LONG = {
    "network": {"kind": "fat-tree", "nodes": 1024},
    "traffic": {"pattern": "random", "repeat": 1000, "words": 64},
    "run": {"engine": "event"},
}
GRID = {"traffic.words": [2, 8], "traffic.pattern": ["random", "transpose"]}


def test_progress_is_told():
    told = []
    tables = {
        "network": {"kind": "fat-tree", "nodes": 64},
        "traffic": {"pattern": "random", "repeat": 5000},
        "run": {"replicates": 4},
    }
    crosswave.run(tables, progress=told.append)
    assert told == sorted(told) and all(0 <= share <= 1 for share in told)
    assert len(told) > 1


def test_what_progress_raises_ends_the_run():
    def stop(share):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        crosswave.run(LONG, progress=stop)


@pytest.mark.parametrize("work", ["run", "waveform", "attempts", "sweep", "trace"])
def test_an_interrupt_ends_everything(work, tmp_path):
    wave = tmp_path / "run.fst"
    does = {
        "run": lambda: crosswave.run(LONG),
        "waveform": lambda: crosswave.run(LONG, waveform=wave),
        "attempts": lambda: crosswave.run(LONG, attempts=True),
        "sweep": lambda: crosswave.sweep(LONG, {"traffic.words": [2, 3]}),
        "trace": lambda: crosswave.trace(LONG, 1_000_000),
    }
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        does[work]()
    # A waveform has the cycles until then, as that of the command.
    if work == "waveform":
        assert crosswave.Waveform(wave, scopes=["**.router_0_0.clock"]).cycles > 0
    else:
        assert list(tmp_path.iterdir()) == []


def test_other_threads_go_on():
    counted = 0

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    done = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    crosswave.run({**LONG, "traffic": {"pattern": "random", "repeat": 40, "words": 8}})
    done.set()
    thread.join()
    assert counted > 10


def kept(folder):
    """The points that are kept, and when they were written."""
    return {path: path.stat().st_mtime_ns for path in (folder / "points").iterdir()}


def test_sweeps_are_those_of_the_command(command, file_of, tmp_path):
    configuration = crosswave.Configuration(conftest.FAT_TREE)
    table = crosswave.sweep(configuration, GRID, replicates=(2, 6), half_width=0.01)
    out = tmp_path / "sweep"
    command(
        "sweep", file_of(configuration), "--vary", "traffic.words=2,8",
        "--vary", "traffic.pattern=random,transpose", "--replicates", "2..6",
        "--half-width", "0.01", "--out", out,
    )  # fmt: skip
    expected = pyarrow.parquet.read_table(out / "sweep.parquet")
    assert table.to_arrow().to_pylist() == expected.to_pylist()
    # What the command has kept is taken, and not run again.
    before = kept(out)
    again = crosswave.sweep(configuration, GRID, replicates=(2, 6), half_width=0.01, folder=out)
    assert again.to_arrow() == table.to_arrow()
    assert kept(out) == before and len(before) == 4


def test_ranges_and_wrong_arguments():
    steady = {
        "network": {"kind": "fat-tree", "nodes": 16},
        "traffic": {"pattern": "steady", "load": 0.1, "words": 4, "cycles": 2000},
    }
    table = crosswave.sweep(steady, {"traffic.load": "0.1..0.3:0.1"}, replicates=2)
    assert list(table["traffic.load"]) == [0.1, 0.2, 0.3]
    assert "steady.throughput_fraction" in table.column_names
    for vary, options in [
        ({"traffic.load": 0.1}, {}),
        ({"run.replicates": [1]}, {}),
        ({"traffic.load": [0.1, 0.1]}, {}),
        ({"traffic.loads": [0.1]}, {}),
        ({"traffic.load": [0.1]}, {"replicates": (3, 2)}),
        ({"traffic.load": [0.1]}, {"half_width": 2.0}),
        ({"traffic.load": [0.1]}, {"measures": ["none"]}),
    ]:
        with pytest.raises(crosswave.ConfigurationError):
            crosswave.sweep(steady, vary, **options)


@pytest.fixture(scope="module")
def expected():
    return crosswave.sweep(conftest.FAT_TREE, GRID, replicates=(2, 4)).to_arrow()


def test_processes_give_the_same_table(expected):
    spawned = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawned) as pool:
        told = []
        table = crosswave.sweep(
            conftest.FAT_TREE, GRID, replicates=(2, 4), map=pool.map, progress=told.append
        )
    assert table.to_arrow() == expected
    assert told == [0.25, 0.5, 0.75, 1.0]


def test_a_node_that_is_twice_as_slow_changes_nothing(expected):
    """One of two processes is stopped for half of the time."""
    spawned = multiprocessing.get_context("spawn")
    ended = threading.Event()
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawned) as pool:
        list(pool.map(time.sleep, [0.1, 0.1]))
        slow = next(iter(pool._processes))

        def hold_up():
            while not ended.is_set():
                os.kill(slow, signal.SIGSTOP)
                time.sleep(0.02)
                os.kill(slow, signal.SIGCONT)
                time.sleep(0.02)

        thread = threading.Thread(target=hold_up)
        thread.start()
        try:
            table = crosswave.sweep(conftest.FAT_TREE, GRID, replicates=(2, 4), map=pool.map)
        finally:
            ended.set()
            thread.join()
    assert table.to_arrow() == expected


def test_dask_gives_the_same_table(expected):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            pool = client.get_executor()
            table = crosswave.sweep(conftest.FAT_TREE, GRID, replicates=(2, 4), map=pool.map)
    assert table.to_arrow() == expected


def test_ray_gives_the_same_table(expected):
    pytest.importorskip("ray")
    from ray.util.multiprocessing import Pool

    with Pool(2) as pool:
        table = crosswave.sweep(conftest.FAT_TREE, GRID, replicates=(2, 4), map=pool.map)
    assert table.to_arrow() == expected


def test_a_killed_worker_costs_its_points_only(tmp_path, expected):
    """A pool breaks where a worker is killed; what others have kept is not run again."""
    spawned = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawned) as pool:

        def killing(function, jobs):
            jobs = list(jobs)
            yield pool.submit(function, jobs[0]).result()
            pool.submit(os.kill, next(iter(pool._processes)), signal.SIGKILL)
            yield pool.submit(function, jobs[1]).result()

        with pytest.raises(concurrent.futures.process.BrokenProcessPool):
            crosswave.sweep(
                conftest.FAT_TREE, GRID, replicates=(2, 4), folder=tmp_path, map=killing
            )
    before = kept(tmp_path)
    assert len(before) == 1
    table = crosswave.sweep(conftest.FAT_TREE, GRID, replicates=(2, 4), folder=tmp_path)
    assert table.to_arrow() == expected
    assert before.items() <= kept(tmp_path).items()


def test_results_of_workers_are_checked():
    def swapped(function, jobs):
        return [function(job) for job in reversed(list(jobs))]

    def two(function, jobs):
        return [function(job) for job in list(jobs)[:2]]

    for wrong in [swapped, two, lambda function, jobs: ["{}"] * 4]:
        with pytest.raises(crosswave.ConfigurationError, match="map"):
            crosswave.sweep(conftest.FAT_TREE, GRID, replicates=2, map=wrong)
    with pytest.raises(TypeError, match="get_executor"):
        crosswave.sweep(conftest.FAT_TREE, GRID, replicates=2, map=lambda _, jobs: [1])


def test_a_key_may_have_no_value_but_those_of_the_sweep():
    steady = {
        "network": {"kind": "fat-tree", "nodes": 16},
        "traffic": {"pattern": "steady", "words": 4, "cycles": 1000},
    }
    table = crosswave.sweep(steady, {"traffic.load": [0.1, 0.2]}, replicates=1)
    assert "steady.throughput_fraction" in table
    large = crosswave.sweep(conftest.FAT_TREE, {"run.seed": [2**60, 2**60 + 1]}, replicates=1)
    assert list(large["run.seed"]) == [2**60, 2**60 + 1]


def test_a_run_that_takes_too_much_memory_is_refused():
    huge = {
        "network": {"kind": "fat-tree", "nodes": 2**20},
        "traffic": {"pattern": "random", "repeat": 16},
        "run": {"replicates": 100000},
    }
    with pytest.raises(crosswave.ConfigurationError, match="MiB"):
        crosswave.run(huge)
