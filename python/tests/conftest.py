"""What tests share: the command, and the files of the repository."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

FAT_TREE = {
    "network": {"kind": "fat-tree", "nodes": 64},
    "traffic": {"pattern": "random", "words": 5, "repeat": 3},
    "run": {"seed": 7, "replicates": 3},
}


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def command(tmp_path):
    """Runs the crosswave command; what it printed."""

    def run(*arguments, **options):
        program = os.environ["CROSSWAVE"]
        arguments = [str(argument) for argument in arguments]
        done = subprocess.run([program, *arguments], capture_output=True, text=True, **options)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    return run


@pytest.fixture
def file_of(tmp_path):
    """Writes a configuration as a file."""

    def write(configuration, name="run.toml"):
        path = tmp_path / name
        path.write_text(configuration.to_toml())
        return path

    return write


def without_times(summary):
    """The summary of a run without what differs from run to run."""
    summary = json.loads(json.dumps(summary))
    summary.pop("performance", None)
    return summary
