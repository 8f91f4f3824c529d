#!/bin/sh
# Makes the pictures and tables that the pages of docs/ show, and docs/MANIFEST, which has the
# SHA-256 sum of each file and the name under which it is made here.
#
#   docs/make.sh [NAME]...   message, waveform, first-run, drawings (of all kinds of networks),
#                            exchange, sweep, compared, view (with Chromium and pngquant),
#                            gtkwave (with Xvfb, ImageMagick and pngquant), programs (what
#                            collectives of programs cost), loads (load-latency curves of all kinds
#                            of networks), faults (chips that are broken), or a figure; without a name all, some of which take
#                            long (checks.md)
#   docs/make.sh --check     compares all files with the manifest, and those with a fresh one
#                            that are made in seconds
#
# CROSSWAVE is the program; without it the release build is made and used. What a figure has
# beside the files that a page shows is left out.
set -eu
cd "$(dirname "$0")/.."

all='message waveform first-run drawings exchange sweep compared view gtkwave dehon1990-placed dehon1990-4.19 turning dimakopoulos1994-steps dimakopoulos1994-circuits programs loads strumpen2005-4 strumpen2005-5 yuan2007-clocks chen2004-networks chen2004-overhead chen2004-load networks faults'
quick='message waveform first-run drawings exchange sweep compared dehon1990-placed yuan2007-clocks chen2004-networks'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

crosswave() {
  if [ -n "${CROSSWAVE:-}" ]; then "$CROSSWAVE" "$@"; else cargo run --release --quiet -- "$@"; fi
}

# make NAME DIRECTORY: the files of a name.
make() {
  case $1 in
    message)
      crosswave trace examples/fft64.toml 1863 --svg "$2/message.svg" > "$2/log" ;;
    waveform)
      crosswave show traces/scenarios/immediate-retry.vcd --window 1..28 \
        --title 'Immediate retry: node 2 is rejected until router 0_0 has let node 1 through' \
        --scope '**.node_2.tx_state' --scope '**.node_2.net_out_valid' \
        --scope '**.node_2.net_out_data' --scope '**.node_2.net_out_collision' \
        --scope '**.router_0_1.a_state' --scope '**.router_0_0.c_in_collision' \
        --scope '**.router_0_0.d_in_collision' --scope '**.router_0_0.a_out_valid' \
        --scope '**.router_0_0.a_out_data' --scope '**.router_0_0.b_state' \
        --scope '**.router_0_0.c_state' --scope '**.router_0_0.d_state' \
        --svg "$2/waveform.svg" ;;
    first-run)
      crosswave run examples/fft64.toml --engine event -q --vcd "$2/fft64.vcd" 2> "$2/log"
      crosswave show "$2/fft64.vcd" --window 15399..15412 --scope '**.router_2_10.?_state' \
        --scope '**.router_2_10.b_in_*' --scope '**.node_21.tx_state' \
        --title 'Router 2_10 rejects message 1863' --svg "$2/first-run.svg" ;;
    drawings) drawings "$2" ;;
    exchange)
      crosswave show traces/scenarios/packet-exchange.vcd --window 1..13 \
        --title 'Pipelined total exchange of eight nodes: phases on links from node 0 to the root' \
        --scope '**.node_0.link_out_destination' --scope '**.node_0.link_out_phase' \
        --scope '**.router_0_0.up_0_out_phase' --scope '**.router_1_0.up_0_out_phase' \
        --scope '**.router_2_0.left_out_phase' --scope '**.router_1_0.left_out_phase' \
        --scope '**.router_1_0.right_out_phase' --scope '**.router_0_0.left_out_phase' \
        --scope '**.router_0_0.right_out_phase' --scope '**.node_0.link_in_id' \
        --svg "$2/exchange.svg" ;;
    sweep)
      crosswave sweep examples/steady64.toml --vary traffic.load=0.02..0.10:0.02 \
        --vary network.nodes=16,64 --out "$2/load" > "$2/log"
      mv "$2/load/steady.latency_cycles.mean.svg" "$2/sweep.svg" ;;
    compared)
      crosswave sweep examples/loads/fat-tree.toml examples/loads/bidelta.toml \
        examples/loads/m-port-n-tree.toml --vary traffic.load=0.02..0.08:0.02 \
        --set traffic.cycles=8000 --replicates 2..8 --out "$2/compared" > "$2/log"
      mv "$2/compared/steady.latency_cycles.mean.svg" "$2/compared.svg" ;;
    view)
      crosswave view examples/steady64.toml --set traffic.load=0.12 --window 0..2000 \
        --html "$2/view.html"
      chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
        --user-data-dir="$2/profile" --window-size=1280,920 --screenshot="$2/view.png" \
        "file://$2/view.html#cycle=408&message=364" 2> "$2/log"
      pngquant --speed 1 --strip --force --ext .png 128 "$2/view.png" ;;
    gtkwave)
      crosswave run examples/fft64.toml --engine event -q --wave "$2/moment.vcd" --viewer-files \
        --trigger 'rejected(message=1863)' --set 'wave.messages=[1863]' --set 'wave.scopes=["**"]' \
        --set 'wave.window_cycles=[0, 20000]' 2> "$2/log"
      (cd "$2" && xvfb-run -a -s '-screen 0 1280x820x24' sh -c '
        gtkwave moment.gtkw >> log 2>&1 & sleep 5; import -window root gtkwave.png')
      pngquant --speed 1 --strip --force --ext .png 64 "$2/gtkwave.png" ;;
    programs) programs "$2" ;;
    loads) loads "$2" ;;
    faults) faults "$2" ;;
    *) crosswave figure "$1" --all --out "$2" > "$2/log" ;;
  esac
}

# programs DIRECTORY: collectives of programs on 64 nodes of every kind of network.
programs() {
  transpose=traces/fft2d64_transpose_p2p.csv
  cp $transpose examples/barrier64.toml "$1"
  while read -r words; do
    # The trace is called as its operation is, and as the way in which it is made.
    trace=$(echo "$words" | sed 's/ --by /-/; s/ .*//')
    # shellcheck disable=SC2086
    crosswave schedule messages $words --nodes 64 --out "$1/$trace.csv" >> "$1/log" < /dev/null
  done << END
barrier --bytes 0
allreduce --bytes 8
broadcast --bytes 1024
total-exchange --by xor --bytes 1024
END
  all_traces=barrier.csv,allreduce.csv,broadcast.csv,${transpose##*/},total-exchange-xor.csv
  echo 'network,trace,messages,cycles,half_width_95,attempts_per_message,latency_cycles,replicates' \
    > "$1/collectives-programs.csv"
  for network in fat-tree fat-tree-of-1 transit bidelta butterfly binary-fat-tree \
      binary-fat-tree-of-1; do
    simple=
    case $network in
      fat-tree-of-1) simple='--set network.capacities=1' ;;
      binary-fat-tree*) simple='--set run.engine=event --set router.queue_packets="unlimited"' ;;
    esac
    case $network in
      binary-fat-tree-of-1) simple="$simple --set network.capacities=\"constant\"" ;;
    esac
    # shellcheck disable=SC2086
    crosswave sweep "$1/barrier64.toml" $simple --replicates 20 --vary "traffic.trace=$all_traces" \
      --vary "network.kind=${network%-of-1}" --out "$1/$network" >> "$1/log" 2>&1 < /dev/null
    awk -F , -v network="$network" '
      BEGIN { sub("-of-1", " with capacities 1", network) }
      NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
      { printf "%s,%s,%d,%.1f,%.1f,%.2f,%.1f,%d\n", network, $at["traffic.trace"],
          $at["messages.offered"], $at["cycles_to_finish"], $at["cycles_to_finish_half_width_95"],
          $at["messages.attempts"] / $at["messages.offered"], $at["latency_cycles.mean"],
          $at["replicates"] }' "$1/$network/sweep.csv" >> "$1/collectives-programs.csv"
  done
}

# faults DIRECTORY: stuck-at faults of a chip of each kind of network, under random traffic.
faults() {
  echo 'chip,network,instance,faults,shown,redundant_proved,held_by_pins_proved,not_excited,not_propagated,fault_coverage_percent,test_coverage_percent' \
    > "$1/faults.csv"
  while read -r network rest; do
    # shellcheck disable=SC2086
    crosswave faults "examples/loads/$network.toml" --alone --list 0 --json "$1/faults.json" \
      --set run.engine=gate --set run.replicates=4 --set traffic.load=0.1 --set traffic.words=4 \
      --set traffic.cycles=4000 $rest >> "$1/log" 2>&1 < /dev/null
    awk -F '[:,]' -v network="$network" '
      { gsub(/[ "]/, "") }
      $1 == "chip" || $1 == "router" { of[$1] = $2 }
      $1 == "faults" && !($1 in of) && $2 + 0 > 0 { of[$1] = $2 }
      $1 ~ /^(seen|redundant|pins|not_excited|not_propagated)$/ || $1 ~ /coverage_percent$/ { of[$1] = $2 }
      $1 == "test_coverage_percent" {
        printf "%s,%s,%s,%d,%d,%d,%d,%d,%d,%.1f,%.1f\n", of["chip"], network, of["router"], of["faults"],
          of["seen"], of["redundant"], of["pins"], of["not_excited"], of["not_propagated"],
          of["fault_coverage_percent"], of["test_coverage_percent"]
        exit
      }' "$1/faults.json" >> "$1/faults.csv"
  done << 'END'
fat-tree
fat-tree --router node_5
fat-tree --set router.release="tail"
transit
transit --router node_5
transit --set network.climb="height"
bidelta
m-port-n-tree
m-port-n-tree --router node_5
m-port-n-tree --set router.release="tail"
m-port-n-tree-packets --set router.queue_packets=8 --router node_5
binary-fat-tree --set router.queue_packets=8 --router node_5
fat-stack
fat-stack --router node_5
fat-pyramid
END
  rm "$1/faults.json"
}

# drawings DIRECTORY: a small network of every kind.
drawings() {
  for kind in $kinds; do
    case $kind in
      fat-stack | fat-pyramid) size=network.levels=3 ;;
      butterfly-fat-tree) size=network.levels=2 ;;
      m-port*) size=network.levels=3 ;;
      transit) size=network.nodes=64 ;;
      *) size=network.nodes=16 ;;
    esac
    crosswave info "examples/loads/$kind.toml" --set "$size" --svg "$1/network-$kind.svg" >> "$1/log"
  done
  crosswave info examples/routers/butterfly64.toml --svg "$1/network-custom.svg" >> "$1/log"
}

# The kinds of networks of docs/how-to/loads.md: their files in examples/loads.
kinds='fat-tree binary-fat-tree transit bidelta butterfly m-port-n-tree m-port-n-tree-packets butterfly-fat-tree fat-stack fat-pyramid'

# loads DIRECTORY: load-latency curves of every kind of network, at two sizes.
loads() {
  echo 'network,size,saturation_low_load_fraction,saturation_high_load_fraction,throughput_fraction,zero_load_latency_cycles,latency_tripled_load_fraction' > "$1/loads.csv"
  for kind in $kinds; do
    case $kind in
      transit) sizes=network.nodes=64 ;;
      m-port*) sizes=network.levels=5,7 ;;
      butterfly-fat-tree | fat-stack | fat-pyramid) sizes=network.levels=3,4 ;;
      *) sizes=network.nodes=64,256 ;;
    esac
    crosswave sweep "examples/loads/$kind.toml" --saturation traffic.load --vary $sizes --until-sure \
      --out "$1/$kind" >> "$1/log" 2>&1 < /dev/null
    mv "$1/$kind/steady.latency_cycles.mean.svg" "$1/loads-$kind.svg"
    awk -v kind="$kind" 'NR > 1 { print kind "," $0 }' "$1/$kind/saturation.csv" >> "$1/loads.csv"
  done
}

# files NAME: those that a page shows.
files() {
  case $1 in
    message | waveform | first-run | exchange | sweep | compared) echo "$1.svg" ;;
    drawings) for kind in $kinds custom; do echo "network-$kind.svg"; done ;;
    view | gtkwave) echo "$1.png" ;;
    dehon1990-placed) echo dehon1990-placeda.svg ;;
    chen2004-networks) echo "${1}b.svg" "${1}d.svg" ;;
    chen2004-overhead) echo "${1}b.svg" ;;
    chen2004-load | dimakopoulos1994-circuits | yuan2007-clocks) echo "$1.csv" "${1}a.svg" "${1}b.svg" ;;
    networks) echo "$1.csv" "${1}a.svg" "${1}b.svg" "${1}c.svg" "${1}d.svg" ;;
    programs) echo collectives-programs.csv ;;
    loads) for kind in $kinds; do echo "loads-$kind.svg"; done; echo loads.csv ;;
    faults) echo faults.csv ;;
    dimakopoulos1994-steps | strumpen2005-*) echo "${1}b.svg" ;;
    *) echo "$1.csv" "$1.svg" ;;
  esac
}

manifest() {
  echo '# Written by docs/make.sh: SHA-256 sums, files, and the names under which they are made.'
  for name in $all; do
    for file in $(files "$name"); do
      echo "$(sha256sum < "docs/$file" | cut -d ' ' -f 1)  $file  $name"
    done
  done
}

if [ "${1:-}" = --check ]; then
  failures=0
  manifest > "$work/MANIFEST"
  diff docs/MANIFEST "$work/MANIFEST" || {
    echo 'docs/make.sh: files are not those of docs/MANIFEST; make them again' >&2
    failures=1
  }
  for name in $quick; do
    mkdir "$work/$name"
    make "$name" "$work/$name"
    for file in $(files "$name"); do
      cmp "$work/$name/$file" "docs/$file" || failures=1
    done
  done
  exit $failures
fi

for name in ${*:-$all}; do
  case " $all " in
    *" $name "*) ;;
    *) echo "docs/make.sh: $name is not known; it makes $all" >&2; exit 2 ;;
  esac
  rm -rf "${work:?}/$name"
  mkdir "$work/$name"
  make "$name" "$work/$name"
  for file in $(files "$name"); do
    cp "$work/$name/$file" docs/
  done
done
manifest > docs/MANIFEST
