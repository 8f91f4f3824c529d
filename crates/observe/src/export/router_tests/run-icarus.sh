#!/bin/sh
# Runs the tests in Icarus Verilog 11 or newer. ROUTER=FILE.v takes another version of the router than the one beside.
set -eu
cd "$(dirname "$0")"
iverilog -g2012 -Wall -Wno-timescale @defines@-y . -I . -s test_bench -o test_bench.vvp ${ROUTER:-@files@} test_bench.v
status=0
while read -r vectors last; do
    answer=$(vvp -n test_bench.vvp "+vectors=$vectors" "+last=$last")
    echo "$vectors: $answer"
    case $answer in PASS*) ;; *) status=1 ;; esac
done < tests.txt
exit $status
