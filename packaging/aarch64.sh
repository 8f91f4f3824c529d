#!/bin/sh
# Compiles crosswave for Linux on aarch64, where netlists run in the interpreter.
#
#     packaging/aarch64.sh check    # only looks for errors
#     packaging/aarch64.sh run      # builds it, and runs four networks on both engines under QEMU and here:
#                                   # the same messages
#
# With rustup the standard library is `rustup target add aarch64-unknown-linux-gnu`. Without it, on Debian, compiler
# and standard library come from Debian's archives (`rustc-web`), unpacked in target/aarch64 and not installed.
# `run` needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user-static. Exit code 3: there is no compiler.
set -eu
cd "$(dirname "$0")/.."
case "${1:-}" in
  check | run) ;;
  *)
    echo "usage: packaging/aarch64.sh check | run" >&2
    exit 2
    ;;
esac
triple=aarch64-unknown-linux-gnu
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/aarch64"
folder=$(cd "$target/aarch64" && pwd)

# A warning is an error here too.
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-D warnings"
if ! [ -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ] &&
  ! { command -v rustup > /dev/null 2>&1 && rustup target add "$triple" > /dev/null 2>&1; }; then
  if ! [ -d "$folder/usr/lib/rustlib/$triple/lib" ]; then
    if ! command -v apt-get > /dev/null 2>&1; then
      echo "packaging/aarch64.sh: no standard library for $triple; run 'rustup target add $triple'" >&2
      exit 3
    fi
    # Lists of packages for aarch64, beside those of this machine and without them.
    mkdir -p "$folder/lists/partial" "$folder/cache"
    options="-o Dir::State::lists=$folder/lists -o APT::Architectures::=amd64 -o APT::Architectures::=arm64"
    # shellcheck disable=SC2086 # words are options
    apt-get -q $options update > /dev/null
    version=$(apt-cache $options policy rustc-web:amd64 | sed -n 's/^  Candidate: //p')
    llvm=$(apt-cache $options depends libstd-rust-web-dev:amd64 | sed -n 's/.* Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p')
    (cd "$folder/cache" && apt-get -q $options download rustc-web:amd64 "$llvm:amd64" libstd-rust-web-dev:amd64 \
      libstd-rust-web-dev:arm64 \
      "$(apt-cache $options depends "$llvm:amd64" | sed -n 's/.* Depends: \(libllvm[0-9]*\)$/\1/p'):amd64" > /dev/null)
    for package in "$folder"/cache/*.deb; do
      dpkg -x "$package" "$folder"
    done
    echo "compiler: rustc-web $version"
  fi
  RUSTC=$folder/usr/bin/rustc
  LD_LIBRARY_PATH=$folder/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export RUSTC LD_LIBRARY_PATH
fi
export CARGO_TARGET_DIR="$folder"

if [ "$1" = check ]; then
  exec cargo check --target "$triple" --locked
fi

for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
  if ! command -v "$tool" > /dev/null 2>&1; then
    echo "packaging/aarch64.sh: missing: $tool; run" \
      "'apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static' as root" >&2
    exit 3
  fi
done
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc CARGO_PROFILE_DEV_DEBUG=none
cargo build --target "$triple" --locked
there="qemu-aarch64-static -L /usr/aarch64-linux-gnu $folder/$triple/debug/crosswave"
# The same program for this machine, by its own compiler.
env -u RUSTC -u CARGO_TARGET_DIR LD_LIBRARY_PATH= cargo build --locked --target-dir "$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in fft64 bidelta64 mport32 random1024; do
  for engine in gate event; do
    # shellcheck disable=SC2086 # words are a command
    $there run "examples/$name.toml" --set "run.engine=$engine" --messages "$work/there.csv" --quiet
    "$target/debug/crosswave" run "examples/$name.toml" --set "run.engine=$engine" --messages "$work/here.csv" --quiet
    cmp "$work/there.csv" "$work/here.csv"
    echo "the same: $name, $engine engine"
  done
done
