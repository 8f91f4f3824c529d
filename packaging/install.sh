#!/bin/sh
# Packs the crates as `cargo publish` would, unpacks the archives, and installs the command from them alone.
#
#     packaging/install.sh ROOT [OPTION OF cargo install ...]
#
# ROOT/bin/crosswave is the program. A file that a crate needs and that its archive lacks fails here, as does a
# crate that needs another one that is not published. The crates that others depend on are taken from their
# archives too: no registry has them yet. Packages of others are those of Cargo.lock. With `--debug` crosswave's own
# crates are not optimised, which is quick to compile and slow to run.
#
# The archives lie in target/package. Exit code: that of cargo.
set -eu
cd "$(dirname "$0")/.."
case "${1:-}" in
  '' | -*)
    echo "usage: packaging/install.sh ROOT [OPTION OF cargo install ...]" >&2
    exit 2
    ;;
esac
root=$1
shift
target=${CARGO_TARGET_DIR:-target}

# The crates that a registry would have: `publish = false` stays here.
crates=$(cargo metadata --no-deps --format-version 1 --locked | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    if package["publish"] is None:
        print(package["name"] + " " + package["version"])')
packed=$(echo "$crates" | sed 's/ .*//; s/^/--package /')
# Outside of the workspace, where an archive would be taken for a member of it.
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
# shellcheck disable=SC2086 # words are options
cargo package $packed --locked --no-verify --allow-dirty --quiet 2> "$unpacked/messages" || {
  cat "$unpacked/messages" >&2
  exit 101
}

case " $* " in
  *' --debug '*) debug=yes ;;
  *) debug= ;;
esac
options=
IFS='
'
for crate in $crates; do
  name=${crate% *}
  folder=$name-${crate#* }
  tar -xzf "$target/package/$folder.crate" -C "$unpacked"
  if [ "$name" = crosswave ]; then
    program=$unpacked/$folder
  else
    options="$options--config
patch.crates-io.$name.path=\"$unpacked/$folder\"
"
  fi
  if [ "$debug" ]; then
    options="$options--config
profile.dev.package.$name.opt-level=0
"
  fi
done
# The archive's Cargo.lock has its own crates from a registry; here they are folders.
python3 - "$program/Cargo.lock" << 'END'
import re, sys
with open(sys.argv[1], encoding="utf-8") as file:
    packages = file.read().split("[[package]]\n")
for index, package in enumerate(packages):
    if re.match(r'name = "crosswave-', package):
        packages[index] = re.sub(r"(?m)^(source|checksum) = .*\n", "", package)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write("[[package]]\n".join(packages))
END
# shellcheck disable=SC2086 # lines are options
cargo install --path "$program" --root "$root" --target-dir "$target" --locked $options "$@"
