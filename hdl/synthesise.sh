#!/bin/sh
# Synthesises the chips of hdl/ into gate netlists.
#
#   hdl/synthesise.sh            writes hdl/netlists/
#   hdl/synthesise.sh --check    fails when hdl/netlists/ is not what the sources
#                                give, or is not equivalent to them
#
# Needs Yosys, and Cargo to pack what Yosys wrote. The netlists hold two-input gates,
# inverters, multiplexers and D flip-flops, some with a synchronous reset or an enable;
# packed, all flip-flops are plain. Modules with the attribute keep_hierarchy are mapped
# to gates one by one, which keeps the proof of equivalence short; those with
# occurs_often as well stay modules, which keeps the netlist short.
set -eu
cd "$(dirname "$0")"
out=netlists
check=no
if [ "${1:-}" = --check ]; then
  check=yes
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi

# Written by `crosswave headers hdl`.
chips=$(cut -d: -f1 include/chips.list)

# The sources of a chip, top module first.
sources() {
  sed -n "s/^$1: //p" include/chips.list
}

# The modules in the netlist of a chip: names are the keys at the second level.
modules() {
  sed -n 's/^    "\(.*\)": {$/\1/p' "netlists/$1.json" | sed 's/\\\\/\\/g'
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
if [ $check = no ]; then
  # The program carries these; a unit test says whether they are what the JSON gives.
  cargo run --quiet --release --locked --package crosswave-netlist --example pack "$out"/*.json
fi

if [ $check = yes ]; then
  status=0
  if ! diff -u netlists/MANIFEST "$manifest"; then
    echo "hdl/netlists is not what the sources give; run hdl/synthesise.sh and commit" >&2
    status=1
  fi
  # Modules that stay modules are compared one by one. What holds them has no flip-flops, and is
  # compared without them: their inputs become its outputs, their outputs its inputs.
  # A wire in front of registers with an enable may have other values while it is off: it is
  # compared by what the registers hold.
  keep='setattr -mod -unset keep_hierarchy A:occurs_often %n; flatten; opt_clean; setattr -mod -unset keep_hierarchy; rename -hide w:*awaited.from_now'
  for chip in $chips; do
    files=$(sources "$chip")
    {
      echo "read_verilog -Iinclude $files; hierarchy -check -top $chip; proc; $keep; design -save gold; design -reset"
      echo "read_json netlists/$chip.json; hierarchy -check -top $chip; $keep; design -save gate; design -reset"
      modules "$chip" | while read -r module; do
        # Directions of ports are those of the sources.
        echo "design -load gold; design -copy-from gold -as gold $module; design -copy-from gate -as gate $module"
        if [ "$module" = "$chip" ] && [ "$(modules "$chip" | wc -l)" -gt 1 ]; then
          echo "expose -evert gold/c:* gate/c:*; miter -equiv -flatten -make_assert gold gate equiv; hierarchy -top equiv"
          echo "techmap; opt_clean; sat -verify -prove-asserts -set-def-inputs"
        else
          echo "equiv_make gold gate equiv; hierarchy -top equiv"
          echo "async2sync; techmap; opt_clean; equiv_simple; equiv_induct -seq 1; equiv_status -assert"
        fi
        echo "design -reset"
      done
    } > "$out/equivalence.ys"
    if grep -q -e "-as gate $chip\$" "$out/equivalence.ys" && yosys -q -s "$out/equivalence.ys"
    then echo "equivalent: $chip"
    else status=1
    fi
  done
  exit $status
fi
