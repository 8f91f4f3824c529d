#!/bin/sh
# Prints a top module for an FPGA: a chip of hdl/ between registers, behind six pins.
#
#   hdl/fpga/top.sh CHIP > CHIP_top.v    CHIP: a name in hdl/include/chips.list
#
# Random pins take the bits of lfsr_random; all other ports are places of fpga_pins, in the order of
# the port list. Needs awk.
set -eu
cd "$(dirname "$0")/.."
chip=${1:-}
if [ -z "$chip" ] || ! grep -q "^$chip:" include/chips.list; then
  echo "top.sh: found \`$chip\`, expected a chip of hdl/include/chips.list, such as fat_tree_router" >&2
  exit 2
fi
awk -v chip="$chip" '
  /^    \/\/ Ports: written by/ { listed = 1; next }
  listed && /^\);/ { exit }
  listed {
    width = 1
    name = $3
    if ($3 ~ /^\[/) { width = substr($3, 2) + 1; name = $4 }
    sub(/,.*/, "", name)
    ports++
    names[ports] = name
    if (name == "clock") value[ports] = "clock"
    else if (name == "reset") value[ports] = "chip_reset"
    else if (name == "random_third") { value[ports] = "third"; third = random; random += 16 }
    else if (name ~ /^random_/) { value[ports] = slice("random", random, width); random += width }
    else if ($1 == "input") { value[ports] = slice("inputs", inputs, width); inputs += width }
    else { value[ports] = slice("outputs", outputs, width); outputs += width }
  }
  function slice(vector, from, width) {
    if (width == 1) return vector "[" from + 0 "]"
    return vector "[" from + width - 1 ":" from + 0 "]"
  }
  END {
    print "// SPDX-License-Identifier: MIT OR Apache-2.0"
    print "// Written by `hdl/fpga/top.sh " chip "`: the chip between registers, behind six pins. README.md"
    print "// says how a tester uses them."
    print "`default_nettype none"
    print ""
    print "module " chip "_top ("
    print "    input  wire clock,"
    print "    input  wire reset,"
    print "    input  wire shift_clock,"
    print "    input  wire load,"
    print "    input  wire serial_in,"
    print "    output wire serial_out"
    print ");"
    print "  wire chip_reset;"
    print "  wire [" inputs - 1 ":0] inputs;"
    print "  wire [" outputs - 1 ":0] outputs;"
    print "  fpga_pins #(.INPUTS(" inputs "), .OUTPUTS(" outputs ")) pins ("
    print "      .clock(clock), .reset(reset), .shift_clock(shift_clock), .load(load),"
    print "      .serial_in(serial_in), .serial_out(serial_out), .chip_reset(chip_reset),"
    print "      .inputs(inputs), .outputs(outputs));"
    print ""
    if (random > 0) {
      print "  wire [" random - 1 ":0] random;"
      print "  lfsr_random #(.BITS(" random ")) generator ("
      print "      .clock(clock), .reset(reset), .seed(61\047h0123_4567_89ab_cdef), .bits(random));"
      if (third != "") {
        print "  // 1 in one case of three."
        print "  reg third;"
        print "  always @(posedge clock) third <= " slice("random", third, 16) " < 16\047d21845;"
      }
      print ""
    }
    print "  " chip " chip ("
    for (port = 1; port <= ports; port++)
      print "      ." names[port] "(" value[port] ")" (port < ports ? "," : ");")
    print "endmodule"
    print "`default_nettype wire"
  }' "$chip.v"
