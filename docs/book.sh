#!/bin/sh
# Makes a website of the book in target/book, with mdbook (`cargo install mdbook`). Open
# target/book/index.html.
set -eu
cd "$(dirname "$0")"
if ! command -v mdbook > /dev/null 2>&1; then
  echo "book.sh: missing: mdbook; run cargo install mdbook" >&2
  exit 3
fi
mdbook build
