#!/bin/sh
# Makes bridge.json from bridge.v. Needs Yosys.
set -e
cd "$(dirname "$0")"
yosys -q -p "
    read_verilog bridge.v
    synth -top bridge
    abc -g simple
    opt_clean
    write_json ${1:-bridge.json}"
