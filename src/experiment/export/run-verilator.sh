#!/bin/sh
# Compiles and runs the exported network in Verilator 5.006 or newer.
# CFLAGS chooses the optimization of the C++ compiler: -O0 builds sooner, -O3
# runs faster. Further options of the test bench may follow, such as +vcd=FILE.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
verilator --binary --timing --trace --trace-depth 3 -O3 -CFLAGS "${CFLAGS:--O1}" -j 0 \
    --timescale 1ns/1ns @defines@-y "$here" -I"$here" --top-module testbench \
    --Mdir "$here/verilated" "$here/testbench.v"
# The first of two equal options counts.
"$here/verilated/Vtestbench" "$@" +@input@="$here/@input@.csv" $(cat "$here/plusargs.txt")
