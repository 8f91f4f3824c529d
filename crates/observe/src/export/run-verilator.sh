#!/bin/sh
# Compiles and runs the exported network in Verilator 5.006 or newer.
# CFLAGS chooses the optimization of the C++ compiler: -O0 builds sooner, -O3
# runs faster. Further options of the test bench may follow, such as +vcd=FILE. At the end stand
# the commands that compare what was written with crosswave; with CROSSWAVE=crosswave they are
# carried out.
set -eu
case $0 in
    */*) here=${0%/*}/ ;;
    *) here=./ ;;
esac
case $here in
    [+-]*) here=./$here ;;
esac
# The compiler hands file names to make, which takes no blanks and signs in them: it is given
# none of this folder's, and builds elsewhere when there are some.
LC_ALL=C
export LC_ALL
is_odd() {
    case $1 in
        *[!A-Za-z0-9/._+-]*) return 0 ;;
        *) return 1 ;;
    esac
}
path=$(CDPATH= cd -- "$here" && pwd && echo .)
path=${path%
.}
build=${path}/verilated
if is_odd "$path"; then
    build=$(mktemp -d)
    trap 'rm -rf "$build"' EXIT
    if is_odd "$build"; then
        echo "run-verilator.sh: make takes no names such as $path and $build;" \
            "set TMPDIR to a folder whose path is letters and digits" >&2
        exit 2
    fi
fi
(CDPATH= cd -- "$here" && verilator --binary --timing --trace --trace-depth 3 -O3 \
    -CFLAGS "${CFLAGS:--O1}" -MAKEFLAGS "OPT_FAST= OPT_SLOW= OPT_GLOBAL=" -j 0 --timescale 1ns/1ns @verilator_options@@defines@-y . -I. --top-module testbench \
    --Mdir "$build" @own_files@testbench.v)
# The first of two equal options counts. The input is opened here: its name may be any.
"$build/Vtestbench" "$@" +@input@=/dev/fd/3 @options@$(cat -- "${here}plusargs.txt") \
    3< "${here}@input@.csv"@options_file@

# Verilator has no X, which is what the chips drive in cycle 0, and shows more than crosswave.
diff_options='--common --window 1..@cycle_ends@'
@compare@
