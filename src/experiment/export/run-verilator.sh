#!/bin/sh
# Compiles and runs the exported network in Verilator 5.006 or newer.
# Further options of the test bench may follow, such as +vcd=FILE.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
verilator --binary --timing --trace -O3 -CFLAGS -O1 -j 0 --build-jobs 0 --quiet-exit \
    --timescale 1ns/1ns -Wno-fatal @defines@-y "$here" -I"$here" --top-module testbench \
    --Mdir "$here/verilated" "$here/testbench.v"
# The first of two equal options counts.
"$here/verilated/Vtestbench" "$@" +messages="$here/messages.csv" $(cat "$here/plusargs.txt")
