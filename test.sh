#!/bin/sh
# What must hold. `./test.sh` checks format and lints, and runs the tests of every crate, the quick
# ones of the whole, and the examples in documentation. `./test.sh all` also checks that the
# documentation has no broken links, and runs what takes long: engines in lock step, exports in Icarus
# Verilog and Verilator, proofs of netlists.
#
# Installs the tools that the tests call when they are missing (Debian and
# Ubuntu; needs root or sudo). Exit code 3: a tool is missing and cannot be
# installed. Any other failure is that of the first command that failed.
#
# The development profile compiles with opt-level 1 and is the quickest way to
# build and run all tests once.
set -eu
# A shell that runs this in the background has it ignore the signals that tests send.
if [ -z "${CROSSWAVE_SIGNALS:-}" ] && env --default-signal=INT true 2> /dev/null; then
  CROSSWAVE_SIGNALS=default exec env --default-signal=INT,QUIT sh "$0" "$@"
fi
cd "$(dirname "$0")"

case "${1:-quick}" in
  all | quick) what=${1:-quick} ;;
  *)
    echo "usage: ./test.sh [all]" >&2
    exit 2
    ;;
esac

missing=
need() { # COMMAND PACKAGE
  command -v "$1" > /dev/null 2>&1 || missing="$missing $2"
}
need iverilog iverilog
need verilator verilator
need yosys yosys
need g++ g++
need make make
need valgrind valgrind
need fst2vcd gtkwave
need xvfb-run xvfb
need python3 python3
need chromium chromium
# Environments of Python.
python3 -c 'import ensurepip, venv' 2> /dev/null || missing="$missing python3-venv"
# A driver on which the GPU engine runs without a GPU.
ls /usr/share/vulkan/icd.d/*.json > /dev/null 2>&1 || missing="$missing mesa-vulkan-drivers"
if [ -n "$missing" ]; then
  if ! command -v apt-get > /dev/null 2>&1; then
    echo "test.sh: missing:$missing; there is no apt-get here, so install them and run again" >&2
    exit 3
  fi
  if [ "$(id -u)" = 0 ]; then
    root=
  elif command -v sudo > /dev/null 2>&1; then
    root=sudo
  else
    echo "test.sh: missing:$missing; run 'apt-get install$missing' as root" >&2
    exit 3
  fi
  echo "test.sh: installing$missing"
  echo "test.sh: tests of the whole call them; cargo test --workspace --lib needs none"
  # shellcheck disable=SC2086 # words are packages
  if ! { $root apt-get update -q &&
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing; }; then
    echo "test.sh: apt-get could not install$missing" >&2
    exit 3
  fi
fi
if ! command -v cargo > /dev/null 2>&1; then
  echo "test.sh: missing: cargo; see https://rustup.rs" >&2
  exit 3
fi

# Snapshots are compared, never written.
export CI=1 INSTA_UPDATE=no
if [ "$what" = all ]; then
  # Nothing is built twice, so there is nothing to be ready for. A test that fails names its place without
  # debug information.
  export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none
fi

step() {
  echo "== $*"
  "$@"
}
step cargo fmt --all --check
step cargo clippy --workspace --all-targets --features parquet,gpu --locked -- -D warnings
if [ "$what" = all ]; then
  step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --features parquet,gpu --no-deps --document-private-items --locked
  # A project that takes some crates as others would.
  step cargo check --manifest-path examples/library/Cargo.toml --target-dir target --locked
  # Another processor, for which no machine code is made.
  step packaging/aarch64.sh check
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
tests() { # ARGUMENTS of cargo test
  # A pipe would hide the exit code of cargo.
  { step cargo test --locked --no-fail-fast "$@" 2>&1 || echo "exit $?"; } | tee -a "$log"
}
# Installs the command from archives of its crates, and compares what it writes with what the built one writes.
archives() {
  { step packaging/install.sh "$work/installed" --debug &&
    target/debug/crosswave run examples/fft64.toml --messages "$work/built.csv" --vcd "$work/built.vcd" &&
    "$work/installed/bin/crosswave" run examples/fft64.toml --messages "$work/installed.csv" --vcd "$work/installed.vcd" &&
    cmp "$work/built.csv" "$work/installed.csv" && cmp "$work/built.vcd" "$work/installed.vcd"; } ||
    echo "exit $?"
}
tests --workspace --features parquet,gpu --lib --bins
tests --workspace --features parquet,gpu --test suite quick::
if [ "$what" = all ]; then
  tests --workspace --features parquet,gpu --test suite -- --skip quick::
fi
if [ "$what" = all ]; then
  # The Python package, which is compared with the command.
  tests --workspace --features parquet,gpu --test package
fi
tests --workspace --features parquet,gpu --doc
if [ "$what" = all ]; then
  # The command from the archives of its crates, and from nothing else.
  archives 2>&1 | tee -a "$log"
fi

echo "== results"
grep '^test result:' "$log" | awk '
  { passed += $4; failed += $6; ignored += $8; runs += 1 }
  END {
    printf "%d runs of tests\n", runs
    printf "test result: %s. %d passed; %d failed; %d ignored\n",
      failed || !runs ? "FAILED" : "ok", passed, failed, ignored
  }'
! grep -q '^exit ' "$log"
