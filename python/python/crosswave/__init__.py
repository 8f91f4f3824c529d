"""Cycle-accurate simulation of the routers and networks of fat trees and related topologies.

    import crosswave

    results = crosswave.run({
        "network": {"kind": "fat-tree", "nodes": 64},
        "traffic": {"pattern": "random", "words": 16},
    })
    results.messages.to_polars()

What fails raises a `CrosswaveError` with the diagnostics of the `crosswave` command. Ctrl-C ends what
runs; a waveform has the cycles until then. The interpreter's lock is released meanwhile.
"""

import numpy as _numpy  # Its arrays are made in native code, where its absence could not be told.

from ._crosswave import (
    CheckError,
    Configuration,
    ConfigurationError,
    CrosswaveError,
    FileError,
    InputError,
    Netlist,
    Results,
    Signal,
    Svg,
    Table,
    Trace,
    Waveform,
    __version__,
)
from ._work import run, sweep, trace
from .keys import (
    Checks,
    Chips,
    Endpoint,
    Faults,
    Interface,
    Network,
    Retry,
    Router,
    Run,
    Tables,
    Traffic,
    Wave,
)

__all__ = [
    "CheckError",
    "Checks",
    "Chips",
    "Configuration",
    "ConfigurationError",
    "CrosswaveError",
    "Endpoint",
    "Faults",
    "FileError",
    "InputError",
    "Interface",
    "Netlist",
    "Network",
    "Results",
    "Retry",
    "Router",
    "Run",
    "Signal",
    "Svg",
    "Table",
    "Tables",
    "Trace",
    "Traffic",
    "Wave",
    "Waveform",
    "__version__",
    "run",
    "sweep",
    "trace",
]
