#!/bin/sh
# Compiles and runs the exported network in Icarus Verilog 11 or newer.
# Further options of the test bench may follow, such as +vcd=FILE.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
iverilog -g2012 -Wall -Wno-timescale @defines@-y "$here" -I "$here" -s testbench \
    -o "$here/testbench.vvp" "$here/testbench.v"
# The first of two equal options counts.
vvp -n "$here/testbench.vvp" "$@" +@input@="$here/@input@.csv" $(cat "$here/plusargs.txt")
