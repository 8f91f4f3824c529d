#!/bin/sh
# Runs targets one after the other, some minutes each, from the corpus of the repository and what earlier
# runs have found: tests/fuzz/run.sh MINUTES [TARGET...]
set -u
cd "$(dirname "$0")/../.."
minutes=${1:?minutes for each target}
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/corpus)
# What is read of components stays in memory for good.
export ASAN_OPTIONS=detect_leaks=0
failed=
for target in "$@"; do
    found="tests/fuzz/target/corpus/$target"
    mkdir -p "$found" "tests/fuzz/artifacts/$target"
    dictionary="tests/fuzz/dictionaries/$target.dict"
    case $target in
        netlist) longest=16384 ;;
        checkpoint | saved_run | point) longest=65536 ;;
        *) longest=8192 ;;
    esac
    nice -n 19 cargo +nightly fuzz run --fuzz-dir tests/fuzz "$target" "$found" "tests/fuzz/corpus/$target" -- \
        $([ -f "$dictionary" ] && echo "-dict=$dictionary") -max_len=$longest -timeout=5 -rss_limit_mb=2048 \
        -malloc_limit_mb=1024 -detect_leaks=0 -print_final_stats=1 -use_value_profile=1 \
        -max_total_time=$((minutes * 60)) || failed="$failed $target"
done
[ -z "$failed" ] || { echo "faults:$failed"; exit 1; }
