#!/bin/sh
# Synthesises the chips of hdl/ into gate netlists.
#
#   hdl/synthesise.sh            writes hdl/netlists/
#   hdl/synthesise.sh --check    fails when hdl/netlists/ is not what the sources
#                                give, or is not equivalent to them
#
# Needs Yosys. The netlists hold two-input gates, inverters, multiplexers and
# D flip-flops; the synchronous reset is logic. Modules with the attribute
# keep_hierarchy are mapped to gates one by one, which keeps the proof of
# equivalence short; those with occurs_often as well stay modules, which keeps the
# netlist short.
set -eu
cd "$(dirname "$0")"
out=netlists
check=no
if [ "${1:-}" = --check ]; then
  check=yes
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi

# Written by `crosswave headers include`.
chips=$(cut -d: -f1 include/chips.list)

# The sources of a chip, top module first.
sources() {
  sed -n "s/^$1: //p" include/chips.list
}
passes='proc; flatten; opt -full; fsm; opt -full; techmap; opt -full; dfflegalize -cell $_DFF_P_ x; opt -full; abc -g AND,OR,XOR,XNOR,ANDNOT,ORNOT,NAND,NOR,MUX; setattr -mod -unset keep_hierarchy A:occurs_often %n; flatten; opt_clean -purge'

manifest=$out/MANIFEST
{
  echo "# Written by hdl/synthesise.sh: the tool, its passes, and SHA-256 sums of sources and results."
  echo "tool: $(yosys -V | sed 's/ (.*//')"
  echo "passes: $passes"
  sha256sum include/*.vh
} > "$manifest.new"
for chip in $chips; do
  files=$(sources "$chip")
  yosys -q -p "read_verilog -Iinclude $files; hierarchy -check -top $chip; $passes; rename -top $chip; check -assert; setattr -mod -unset top -unset hdlname; write_json $out/$chip.json"
  # The creator line and absolute paths would differ between machines.
  sed -i "s/^  \"creator\": .*/  \"creator\": \"$(yosys -V | sed 's/ (.*//')\",/" "$out/$chip.json"
  sha256sum $files >> "$manifest.new"
  (cd "$out" && sha256sum "$chip.json") | sed 's,  ,  netlists/,' >> "$manifest.new"
done
mv "$manifest.new" "$manifest"

if [ $check = yes ]; then
  status=0
  if ! diff -u netlists/MANIFEST "$manifest"; then
    echo "hdl/netlists is not what the sources give; run hdl/synthesise.sh and commit" >&2
    status=1
  fi
  for chip in $chips; do
    files=$(sources "$chip")
    yosys -q -p "
      read_verilog -Iinclude $files; hierarchy -check -top $chip; proc; setattr -mod -unset keep_hierarchy; flatten; opt_clean; rename -top gold; design -stash gold;
      read_json netlists/$chip.json; hierarchy -check -top $chip; setattr -mod -unset keep_hierarchy; flatten; opt_clean; rename -top gate; design -stash gate;
      design -copy-from gold -as gold gold; design -copy-from gate -as gate gate;
      equiv_make gold gate equiv; hierarchy -top equiv; async2sync; techmap; opt_clean;
      equiv_simple; equiv_induct -seq 1; equiv_status -assert" \
      && echo "equivalent: $chip" || status=1
  done
  exit $status
fi
