#!/bin/sh
# The long run of the lock-step property test: random networks, traffic and
# options, both engines, every port in every cycle. CROSSWAVE_SOAK_CASES is the
# number of cases, 2000 unless set.
set -eu
cd "$(dirname "$0")"
export CROSSWAVE_SOAK_CASES="${CROSSWAVE_SOAK_CASES:-2000}" CI=1 INSTA_UPDATE=no
exec cargo test --release --locked --test lockstep
