#!/bin/sh
# The long run of the lock-step property test: random networks, traffic and
# options, both engines, every port in every cycle; of routers, RN1 and its interface alone,
# the model against the netlist and the Verilog; all broken chips against their proofs; and of hostile inputs, options, outputs and
# signals, of names of outputs that are inputs, of closes and renames that fail,
# and of names that are sequences for a terminal. CROSSWAVE_SOAK_CASES is the number of cases of each, 2000 unless set. Before it the arithmetic on lanes under Miri,
# where the nightly toolchain has it.
set -eu
# A shell that runs this in the background has it ignore the signals that tests send.
if [ -z "${CROSSWAVE_SIGNALS:-}" ] && env --default-signal=INT true 2> /dev/null; then
  CROSSWAVE_SIGNALS=default exec env --default-signal=INT,QUIT sh "$0" "$@"
fi
cd "$(dirname "$0")"
export CROSSWAVE_SOAK_CASES="${CROSSWAVE_SOAK_CASES:-2000}" CI=1 INSTA_UPDATE=no
if cargo +nightly miri --version > /dev/null 2>&1; then
  cargo +nightly miri test --locked --lib -- gate::transpose netlist::function chip::quad random
else
  echo "soak.sh: without Miri; rustup component add --toolchain nightly miri" >&2
fi
# Tests that take minutes: all seeded bugs, and the proof of a whole switch.
cargo test --release --locked --test suite -- --ignored slow::properties::
exec cargo test --release --locked --test suite -- --nocapture slow::lockstep:: slow::lean_trees:: slow::bidelta:: slow::transit::icarus \
  slow::transit::every_route slow::faults:: slow::hdl::every_proof \
  quick::release:: quick::rn1:: quick::rn1_interface:: quick::hostile:: quick::claims:: quick::failing_files:: quick::terminal::
