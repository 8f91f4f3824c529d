#!/bin/sh
# Builds what is shipped, and packs it.
#
#     packaging/archive.sh FOLDER [PROFILE]
#
# FOLDER/crosswave-VERSION-TARGET.tar.gz has the program, its manual pages, the completions of five shells, the
# licences, the changelog, the README, and what the program was built with (SBOM, CycloneDX in JSON). Beside it
# lies its SHA-256. PROFILE is `dist` unless another one is named. The same sources, toolchain and version of
# cargo-cyclonedx give the same bytes: files are sorted, belong to nobody, and have the time of the commit.
#
# Needs cargo-cyclonedx (`cargo install cargo-cyclonedx --locked`), GNU tar and git. Exit code 3: one is missing.
set -eu
cd "$(dirname "$0")/.."
case "${1:-}" in
  '' | -*)
    echo "usage: packaging/archive.sh FOLDER [PROFILE]" >&2
    exit 2
    ;;
esac
mkdir -p "$1"
folder=$(cd "$1" && pwd)
profile=${2:-dist}
target=${CARGO_TARGET_DIR:-target}
features=parquet,gpu
for tool in cargo-cyclonedx git; do
  if ! command -v "$tool" > /dev/null 2>&1; then
    echo "packaging/archive.sh: missing: $tool" >&2
    exit 3
  fi
done

if ! git diff --quiet HEAD; then
  echo "packaging/archive.sh: files differ from the commit; an archive is made of a commit, so commit them first" >&2
  exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# No path of this machine lands in the program.
RUSTFLAGS="--remap-path-prefix=$(pwd)=/crosswave --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
export RUSTFLAGS
cargo build --profile "$profile" --features "$features" --locked
program=$target/$profile/crosswave
version=$("$program" --version | cut -d ' ' -f 2)
triple=$(rustc -vV | sed -n 's/^host: //p')
name=crosswave-$version-$triple

mkdir -p "$work/$name/completions"
cp "$program" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$work/$name/"
strip "$work/$name/crosswave"
"$program" man "$work/$name/man"
for shell in bash elvish fish powershell zsh; do
  "$program" completions "$shell" > "$work/$name/completions/crosswave.$shell"
done

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# cargo-cyclonedx writes beside each manifest, so it gets a copy.
mkdir "$work/source"
git archive HEAD | tar -x -C "$work/source"
cargo cyclonedx --manifest-path "$work/source/Cargo.toml" --format json --features "$features" --target "$triple" \
  --override-filename crosswave.cdx --quiet
python3 - "$work/source" "$work/$name/crosswave.cdx.json" << 'END'
import json, sys
source, to = sys.argv[1:]
with open(source + "/crosswave.cdx.json", encoding="utf-8") as file:
    document = json.loads(file.read().replace(f"path+file://{source}", "path+file:///crosswave"))
# A random number, another one each time.
document.pop("serialNumber", None)
with open(to, "w", encoding="utf-8") as file:
    file.write(json.dumps(document, indent=2) + "\n")
END

tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" \
  -C "$work" -cf - "$name" | gzip -9n > "$work/archive"
mv "$work/archive" "$folder/$name.tar.gz"
(cd "$folder" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256" && cat "$name.tar.gz.sha256")
