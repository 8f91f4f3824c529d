#!/bin/sh
# Compiles and runs the exported network in Icarus Verilog 11 or newer.
# Further options of the test bench may follow, such as +vcd=FILE.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
# The compiler hands file names to a shell, so it is given none of this folder's.
(cd -- "$here" && iverilog -g2012 -Wall -Wno-timescale @defines@-y . -I . -s testbench \
    -o testbench.vvp testbench.v)
# The first of two equal options counts.
vvp -n "$here/testbench.vvp" "$@" +@input@="$here/@input@.csv" $(cat -- "$here/plusargs.txt")
