#!/bin/sh
# Measures what docs/performance.md shows, and writes that page. Takes some fifteen minutes on a machine
# that does nothing else; needs Verilator and g++.
#
# CROSSWAVE is the program; without it the release build is made and used. PEERS is a file with what
# `cargo bench --bench peers -- fat-tree=64` printed; without it the bench is run.
set -eu
cd "$(dirname "$0")/.."
if [ -z "${CROSSWAVE:-}" ]; then cargo build --release --quiet; fi
crosswave=${CROSSWAVE:-target/release/crosswave}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds ARGUMENTS of run: the median of three, and the range.
seconds() {
  for _ in 1 2 3; do
    $crosswave run "$@" --quiet --json "$work/run.json"
    sed -n 's/.*"wall_seconds": *\([0-9.]*\).*/\1/p' "$work/run.json"
  done | sort -n | awk '{ s[NR] = $1 } END { printf "%.2f (%.2f to %.2f)", s[2], s[1], s[3] }'
}

# row NAME CONFIGURATION [SETTINGS]: seconds of both engines.
row() {
  name=$1
  shift
  gate=$(seconds "$@" --engine gate)
  event=$(seconds "$@" --engine event)
  echo "| $name | $gate | $event |"
}

settings='--set traffic.load=0.4 --set traffic.cycles=400 --set run.replicates=1'
# shellcheck disable=SC2086 # settings are words
$crosswave export examples/steady64.toml $settings --verilog "$work/out"
sh "$work/out/run-icarus.sh" > "$work/log"
# shellcheck disable=SC2046 # options of the test bench are words
icarus=$(for _ in 1 2 3; do
  start=$(date +%s.%N)
  vvp -n "$work/out/testbench.vvp" "+messages=$work/out/messages.csv" $(cat "$work/out/plusargs.txt") > "$work/log"
  echo "$start $(date +%s.%N)" | awk '{ print $2 - $1 }'
done | sort -n | awk '{ s[NR] = $1 } END { printf "%.2f (%.2f to %.2f)", s[2], s[1], s[3] }')
exported=$(for _ in 1 2 3; do
  $crosswave run "$work/out/configuration.toml" --quiet --json "$work/run.json"
  sed -n 's/.*"wall_seconds": *\([0-9.]*\).*/\1/p' "$work/run.json"
done | sort -n | awk '{ s[NR] = $1 } END { printf "%.3f (%.3f to %.3f)", s[2], s[1], s[3] }')

if [ -n "${PEERS:-}" ]; then
  cp "$PEERS" "$work/peers.txt"
else
  cargo bench --quiet --bench peers -- fat-tree=64 > "$work/peers.txt"
fi
{
  cat << END
# Performance

The figures of this version, written by \`docs/performance.sh\`, which measures them on your machine. Medians, with
the range in parentheses.

$(sed -n 1p "$work/peers.txt")

## Beside Verilator

A small program drives Verilator's model from a buffer; the gate engine is driven with the same pins in every cycle.
Saturated random traffic, no waveform, one thread each.

$(sed '1d; s/: compiled in .*/&\n/' "$work/peers.txt")

## Beside Icarus Verilog

The exported network of 64 nodes with its hosts (\`examples/steady64.toml --set traffic.load=0.4 --set traffic.cycles=400 --set
run.replicates=1\`), from the first cycle to the last: \`vvp\` takes $icarus seconds, the gate engine
$exported.

## Large networks

Seconds of a run from the first cycle to the last, with as many threads as the program chooses.

| run | gate engine, seconds | event engine, seconds |
|---|---|---|
$(row 'fat tree of 64 nodes, the messages of an FFT (`examples/fft64.toml`)' examples/fft64.toml)
$(row 'fat tree of 1,024 nodes, random messages (`examples/random1024.toml`)' examples/random1024.toml)
$(row 'fat tree of 1,048,576 nodes, one message of each (`examples/random1024.toml --set network.nodes=1048576 --set traffic.messages=1048576`)' \
  examples/random1024.toml --set network.nodes=1048576 --set traffic.messages=1048576 --set run.replicates=1)
$(row 'bidelta network of 1,048,576 nodes, request and reply of each (`examples/bidelta64.toml --set network.nodes=1048576 --set traffic.messages=1048576 --set traffic.repeat=1`)' \
  examples/bidelta64.toml --set network.nodes=1048576 --set traffic.messages=1048576 --set traffic.repeat=1)

[What was measured on the way](performance-diary.md) explains what limits the engines, and has the figures of earlier
versions.
END
} > "$work/performance.md"
mv "$work/performance.md" docs/performance.md
