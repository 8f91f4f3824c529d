#!/bin/sh
# Makes systolic.json from systolic.v. Needs Yosys.
set -e
cd "$(dirname "$0")"
yosys -q -p "
    read_verilog systolic.v
    synth -top systolic
    abc -g simple
    opt_clean
    write_json ${1:-systolic.json}"
