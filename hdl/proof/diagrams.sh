#!/bin/sh
# Prints the timing diagrams of the pages in hdl/, from a simulation.
#
#   hdl/proof/diagrams.sh NAME    NAME: pass, turn, behind, sender, receiver, delay,
#                                 connection, blocked, height, reply, retry, rn1_delay, rn1_fault,
#                                 packets, packet_ends, queue_fills, routed_packets, meet,
#                                 behind_head, routed, stack_meet, stack_ends,
#                                 stack_delay
#
# Needs Icarus Verilog and awk. tests/slow/hdl.rs compares the pages with it.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
iverilog -g2005 -Wall -I../include -s "$1" -o "$work/bench" diagrams.v rn1_diagrams.v \
  rn1_interface_diagrams.v packet_diagrams.v mport_diagrams.v stack_diagrams.v ../*.v
# The bench prints one line a clock, `name=value` for every row. Words are
# shown in hexadecimal and silence as dots.
vvp -N "$work/bench" | awk '
  { for (i = 1; i <= NF; i++) {
      split($i, part, "=")
      if (NR == 1) name[i] = part[1]
      row[i] = row[i] sprintf(" %3s", part[2])
    }
    rows = NF; cycles = NR }
  END {
    printf "%-18s", "cycle"
    for (c = 0; c < cycles; c++) printf " %3d", c
    print ""
    for (i = 1; i <= rows; i++) printf "%-18s%s\n", name[i], row[i]
  }'
