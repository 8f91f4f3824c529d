"""What takes long: runs, sweeps and traces, with their progress, here or on workers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Optional, Union

from . import _crosswave
from ._crosswave import Configuration, Results, Table, Trace
from .keys import Tables

#: A configuration, its tables as a dict, or the path of its file.
AnyConfiguration = Union[Configuration, Tables, Mapping[str, Mapping[str, Any]], str, "os.PathLike[str]"]
#: Shown or not; a function is called with the share that is done, from 0 to 1.
Progress = Union[bool, None, Callable[[float], object]]


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and "IPKernelApp" in running.config


@contextmanager
def _shown(progress: Progress, what: str) -> Iterator[Optional[Callable[[float], object]]]:
    """The function that shows progress: the caller's, or a bar after a second.

    Without a choice there is a bar in notebooks and terminals where tqdm is installed.
    """
    if callable(progress) and not isinstance(progress, bool):
        yield progress
        return
    if progress not in (True, False, None):
        raise TypeError(f"progress: found {progress!r}; give True, False, None or a function")
    wanted = progress is True or (progress is None and (_is_notebook() or sys.stderr.isatty()))
    tqdm = None
    if wanted:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            if progress is True:
                raise
    if tqdm is None:
        yield None
        return
    with tqdm(total=100, desc=what, unit="%", delay=1, leave=False) as bar:

        def show(share: float) -> None:
            bar.update(int(100 * share) - bar.n)

        yield show


def run(
    configuration: AnyConfiguration,
    *,
    attempts: bool = False,
    links: bool = False,
    waveform: Union[str, "os.PathLike[str]", None] = None,
    viewer_files: bool = False,
    progress: Progress = None,
) -> Results:
    """Runs all replicates of a configuration to their ends.

    With `attempts` every attempt is followed from router to router, and with `links` the flits on the
    links of your own routers are counted. `waveform` is a file for the waveform of replicate 0, whose
    name ends in `.fst`, `.vcd` or `.vcd.gz`; the table `wave` of the configuration says what it shows.
    With `viewer_files` there are files beside it that tell GTKWave and Surfer how to show it.

    Messages that were not delivered raise nothing: `finished` of the results is False then.

    >>> import crosswave
    >>> results = crosswave.run({
    ...     "network": {"kind": "fat-tree", "nodes": 16},
    ...     "traffic": {"pattern": "pair", "source": 0, "destination": 15},
    ... })
    >>> results.messages["delivered_cycle"] - results.messages["sent_cycle"]
    array([16])
    """
    with _shown(progress, "run") as show:
        return _crosswave.run(
            configuration,
            attempts=attempts,
            links=links,
            waveform=waveform,
            viewer_files=viewer_files,
            progress=show,
        )


def trace(
    configuration: AnyConfiguration,
    message: int,
    *,
    replicate: int = 0,
    all_attempts: bool = False,
    progress: Progress = None,
) -> Trace:
    """Follows a message of a run, by its number in the column `id` of the messages.

    The picture folds repeated attempts, except with `all_attempts`.

    >>> import crosswave
    >>> crosswave.trace({
    ...     "network": {"kind": "fat-tree", "nodes": 16},
    ...     "traffic": {"pattern": "pair", "source": 0, "destination": 15},
    ... }, 0)
    <crosswave.Trace of message 0: 25 cycles>
    """
    with _shown(progress, "trace") as show:
        return _crosswave.trace(
            configuration, message, replicate=replicate, all_attempts=all_attempts, progress=show
        )


def _run_point(job: tuple[tuple[Any, ...], int]) -> str:
    """Runs a point of a sweep in a worker."""
    arguments, index = job
    return _crosswave.Sweep(*arguments).run_point(index)


def sweep(
    configuration: AnyConfiguration,
    vary: Mapping[str, Union[Sequence[Any], str]],
    *,
    measures: Optional[Sequence[str]] = None,
    replicates: Union[int, tuple[int, int]] = (4, 64),
    half_width: float = 0.05,
    folder: Union[str, "os.PathLike[str]", None] = None,
    map: Optional[Callable[..., Any]] = None,
    progress: Progress = None,
) -> Table:
    """Runs a configuration with every combination of the values of some keys; a row for each.

    `vary` has a list of values for each key, or a range as text: `{"traffic.load": "0.1..0.9:0.1"}`.
    A point has at least as many replicates as the first of `replicates`, and more until the means of
    `measures` are sure to `half_width` of themselves, at most as many as the second. Columns are the keys,
    then the means of all measures, each with half of its 95 % interval.

    Points that are finished are kept in the folder `points` of `folder`, where the `crosswave sweep`
    command has them too, and are not run again. Several processes may use one folder at a time.

    `map` has the points run elsewhere: a function such as `Executor.map` of concurrent.futures, `map` of a
    multiprocessing or Ray pool, or that of `client.get_executor()` of Dask. The table is the same.

    >>> import crosswave
    >>> table = crosswave.sweep({
    ...     "network": {"kind": "fat-tree", "nodes": 16},
    ...     "traffic": {"pattern": "random", "messages": 4},
    ... }, {"traffic.words": [2, 8]}, replicates=4)
    >>> table["traffic.words"], table["replicates"]
    (array([2, 8]), array([4, 4]))
    """
    try:
        both = (replicates.__index__(),) * 2
    except AttributeError:
        both = tuple(replicates)
    if len(both) != 2:
        raise ValueError(f"replicates: found {replicates}; give a number, or the least and the greatest")
    kept = None if folder is None else os.path.abspath(folder)
    if isinstance(measures, str):
        measures = [measures]
    if not isinstance(configuration, Configuration):
        configuration = Configuration(configuration)
    planned = _crosswave.Sweep(configuration, vary, measures, both, half_width, kept)
    arguments = (configuration, dict(vary), planned.measures, both, half_width, kept)
    with _shown(progress, "sweep") as show:
        if map is None:
            return planned.run(show)
        count = planned.count()
        results = []
        for result in map(_run_point, [(arguments, index) for index in range(count)]):
            if not isinstance(result, str):
                message = "expected the results of points; for Dask take client.get_executor().map"
                raise TypeError(f"map: found {type(result).__name__}; {message}")
            results.append(result)
            if show is not None:
                show(len(results) / count)
        return planned.table(results)
