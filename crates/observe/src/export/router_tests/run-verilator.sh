#!/bin/sh
# Runs the tests in Verilator 5.006 or newer. ROUTER=FILE.v takes another version of the router than the one beside.
# CFLAGS chooses the optimization of the C++ compiler: -O0 builds sooner.
set -eu
cd "$(dirname "$0")"
verilator --binary --timing -Wno-fatal -Wno-UNOPTFLAT -Wno-PINMISSING --timescale 1ns/1ns @defines@-y . -I. \
    -CFLAGS "${CFLAGS:--O1}" -MAKEFLAGS "OPT_FAST= OPT_SLOW= OPT_GLOBAL=" \
    --top-module test_bench --Mdir verilated -j 0 ${ROUTER:-@files@} test_bench.v > /dev/null
status=0
while read -r vectors last; do
    answer=$(verilated/Vtest_bench "+vectors=$vectors" "+last=$last" | grep -E '^(PASS|FAIL)')
    echo "$vectors: $answer"
    case $answer in PASS*) ;; *) status=1 ;; esac
done < tests.txt
exit $status
