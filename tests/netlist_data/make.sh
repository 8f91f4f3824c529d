#!/bin/sh
# Makes the files of this directory again: Yosys 0.23, Icarus Verilog 11.
set -e
cd "$(dirname "$0")"
synth='proc; opt; techmap; simplemap; opt; abc -g simple,MUX; opt_clean -purge'
yosys -q -p "read_verilog stages.v; hierarchy -check -top stages; $synth; write_json stages.json"
yosys -q -p "read_verilog stages.v; hierarchy -check -top stages; proc; flatten; $synth; write_json stages_flat.json"
iverilog -o stages_tb.vvp stages.v stages_tb.v
vvp -n stages_tb.vvp > stages.trace
rm stages_tb.vvp
