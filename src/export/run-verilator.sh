#!/bin/sh
# Compiles and runs the exported network in Verilator 5.006 or newer.
# CFLAGS chooses the optimization of the C++ compiler: -O0 builds sooner, -O3
# runs faster. Further options of the test bench may follow, such as +vcd=FILE.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
# The compiler hands file names to make, which takes no blanks and signs in them: it is given
# none of this folder's, and builds elsewhere when there are some.
case $here in
    *[!A-Za-z0-9/._+-]*) build=$(mktemp -d); trap 'rm -rf "$build"' EXIT ;;
    *) build=$here/verilated ;;
esac
(cd -- "$here" && verilator --binary --timing --trace --trace-depth 3 -O3 \
    -CFLAGS "${CFLAGS:--O1}" -j 0 --timescale 1ns/1ns @defines@-y . -I. --top-module testbench \
    --Mdir "$build" testbench.v)
# The first of two equal options counts.
"$build/Vtestbench" "$@" +@input@="$here/@input@.csv" $(cat -- "$here/plusargs.txt")
