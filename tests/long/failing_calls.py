#!/usr/bin/env python3
"""Calls of the system that fail: the Nth write, sync, close, rename, open, read or mmap of each command.

    tests/long/failing_calls.py [--command NAME] [--call CALL] [--most N] [--stride S] [--first N] [--cases N] [--minutes M]

`strace --inject` has one call fail in every thread that makes so many of them. N goes from the first call after the
start of the program (as many as `--version` makes are those of the loader) to the last, at most --most. Each case
begins in a folder of its own with the same files. Right is

- exit code 0, where every file and standard output is what it is without the fault;
- exit code 4 or 5, with a message that says what happened, and under final names only files that are whole:
  as they were before, or as they are without the fault. No temporary file is left.

A panic, an abort, an end by a signal, a run that does not end, and another exit code are faults.
A call that is interrupted (EINTR) is made again: exit code 0 alone is right.

A case's number is 1000 times that of its command, call and error, in the order of the lists in the source, and N.
"""

import re
import shutil
import sys

from commands import COMMANDS
from shared import Log, contents, execute, options, without_temporary

#: Calls, and the errors with which they fail.
FAILURES = [
    ("write", ["ENOSPC", "EIO", "EINTR"]),
    ("fsync,fdatasync", ["EIO", "EINTR"]),
    ("close", ["EIO", "EINTR"]),
    ("rename,renameat,renameat2", ["EIO", "EACCES"]),
    ("link,linkat", ["EPERM", "EIO"]),
    ("unlink,unlinkat", ["EIO"]),
    ("openat", ["EACCES", "EMFILE", "ENOSPC", "EINTR"]),
    ("read", ["EIO", "EINTR"]),
    ("pread64", ["EIO"]),
    ("mkdir", ["ENOSPC"]),
    ("statx,newfstatat", ["EIO"]),
    ("lseek", ["EIO"]),
    ("fchmod", ["EPERM"]),
    ("fcntl", ["EMFILE"]),
    ("getcwd", ["ENOENT"]),
    ("readlink,readlinkat", ["EIO"]),
    ("mmap", ["ENOMEM"]),
    ("mprotect", ["ENOMEM"]),
    # The kernel gives the old end of the heap then, and no error: 0 is below what was asked for.
    ("brk", ["0"]),
    ("clone3", ["EAGAIN"]),
    # From the Nth on every call fails: a disk that is full, a table of files that is.
    ("write", ["ENOSPC+"]),
    ("openat", ["EMFILE+"]),
    ("read", ["EIO+"]),
    ("clone3", ["EAGAIN+"]),
    # The allocator has no other way to memory then.
    ("mmap,mremap,brk", ["ENOMEM+"]),
]

#: Calls that are made again when they are interrupted. A file is closed then all the same.
AGAIN = {"write", "openat", "read"}

INJECTED = re.compile(r"\(INJECTED\)")
#: A write to standard output or standard error, where a message goes.
TO_STANDARD = re.compile(r"\bwrite\([12],")


def groups():
    """Each command with each call and error."""
    return [(command, call, error) for command in COMMANDS for call, errors in FAILURES for error in errors]


def starting_calls(program, call, folder):
    """The calls that the program makes before it does anything."""
    trace = folder.parent / "trace"
    execute(["strace", "-qq", "-o", trace, "-e", f"trace={call}", program, "--version"], folder)
    lines = [line for line in trace.read_text(errors="replace").splitlines() if "(" in line]
    # The last write is that of the version.
    return len(lines) - ("write" in call.split(","))


def injection(call, error, number):
    """The option of strace by which the Nth call fails."""
    when, error = f"{number}{'+' if error.endswith('+') else ''}", error.rstrip("+")
    if call == "mmap,mremap,brk":
        return ["-e", f"inject=mmap,mremap:error={error}:when={when}", "-e", "inject=brk:retval=0:when=4+"]
    result = "retval" if error.isdigit() else "error"
    return ["-e", f"inject={call}:{result}={error}:when={when}"]


def judge(done, error, call, failed, found, before, right):
    """The fault of a run in which calls failed, or None."""
    broken = done.broken()
    if broken:
        return broken
    if done.code == 0:
        lost = sorted(name for name in right.files if found.get(name) != right.files[name])
        extra = sorted(set(found if call != "unlink,unlinkat" else without_temporary(found)) - set(right.files))
        if done.out != right.out:
            return "exit code 0, and standard output is not what it has to be"
        if lost or extra:
            return f"exit code 0, but other files than without the fault: {', '.join(lost + extra)}"
        return None
    if error == "EINTR" and call in AGAIN:
        return f"exit code {done.code} after a call that was only interrupted"
    if done.code not in (4, 5):
        return f"exit code {done.code}"
    if not done.err.strip() and not any(map(TO_STANDARD.search, failed)):
        return f"exit code {done.code} without a message"
    for name, data in without_temporary(found).items():
        if data not in (before.get(name), right.files.get(name)):
            return f"exit code {done.code}, and {name} is neither the old file nor the new one"
    left = sorted(set(found) - set(without_temporary(found)))
    # A file that cannot be removed is left, and a list of what was written is taken up by the next command.
    left = [name for name in left if not name.endswith("crosswave.manifest.next")]
    if left and call != "unlink,unlinkat":
        return f"exit code {done.code}, and it leaves {', '.join(left)}"
    return None


class Right:
    """A run without a fault; commands whose output differs from run to run are not compared."""

    def __init__(self, command, program, place):
        folder = place.fresh()
        done = execute(command.call(program), folder)
        self.files, self.out = contents(folder), done.out
        if done.code != 0:
            sys.exit(f"crosswave {command.line}: exit code {done.code}\n{done.err}")
        folder = place.fresh()
        again = execute(command.call(program), folder)
        if contents(folder) != self.files or again.out != self.out:
            sys.exit(f"crosswave {command.line} does not write the same twice")


def more(parser):
    parser.add_argument("--command", help="only the command of this name")
    parser.add_argument("--call", help="only this call")
    parser.add_argument("--most", type=int, default=200, help="failing calls of a kind at most (200)")
    parser.add_argument("--stride", type=int, default=1, help="calls from one that fails to the next (1)")
    parser.add_argument("--messages", action="store_true", help="print the message of each case")


def main():
    chosen = options(__doc__, None, more)
    if not shutil.which("strace"):
        sys.exit("failing_calls.py: there is no strace; install it")
    log = Log(chosen)
    places, rights, starts = {}, {}, {}
    for at, (command, call, error) in enumerate(groups()):
        if 1000 * (at + 1) <= chosen.first or log.is_over():
            continue
        if chosen.command not in (None, command.name) or chosen.call not in (None, *call.split(",")):
            continue
        if command.name not in places:
            places[command.name] = command.prepare(chosen.program)
            rights[command.name] = Right(command, chosen.program, places[command.name])
        place, right = places[command.name], rights[command.name]
        before = contents(place.kept)
        if call not in starts:
            starts[call] = starting_calls(chosen.program, call, place.fresh())
        begin = max(starts[call] + 1, chosen.first - 1000 * at)
        for number in range(begin, min(starts[call] + chosen.most, 999) + 1, chosen.stride):
            if log.is_over():
                break
            folder = place.fresh()
            trace = folder.parent / "trace"
            line = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", trace, "-e", f"trace={call}"]
            line += injection(call, error, number) + command.call(chosen.program)
            done = execute(line, folder, 60)
            said = trace.read_text(errors="replace")
            failed = [row for row in said.splitlines() if INJECTED.search(row)]
            if call == "mmap,mremap,brk":
                failed = [row for row in failed if " brk(" not in row]
            if not failed:
                break
            case = 1000 * at + number
            ended = "exit code" if done.code is None or done.code >= 0 else "signal"
            log.case(case, f"{call.split(',')[0]} {error}: {ended} {done.code}")
            if chosen.messages:
                print(f"{case} {command.name} {call} {error} {number}: {done.code} {done.err.strip()[:200]!r}")
            wrong = judge(done, error, call, failed, contents(folder), before, right)
            if wrong:
                log.fault(case, f"{command.name}: {wrong}", line)
                print(f"  failed: {failed[0][:200]}\n  said: {done.err.strip()[:600]}", flush=True)
    log.end()


if __name__ == "__main__":
    main()
