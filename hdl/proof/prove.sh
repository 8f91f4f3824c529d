#!/bin/sh
# Proves the router and the network interface, then breaks them and demands a
# counterexample for every break. Fails when a proof fails or a break passes.
#
#   hdl/proof/prove.sh
#
# Needs Yosys alone. What is proved and what is assumed: README.md.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# design CHIP SOURCES DEFINES: the passes that put a chip under its monitors.
# The registers that no port shows become ports of the chip, for the
# invariants.
design() {
  case $1 in
    fat_tree_router)
      chip="$2/fat_tree_router.v $2/fat_tree_input.v $2/fat_tree_arbiter.v"
      shown='expose w:input_?.bypass w:input_?.acknowledged;'
      monitors='input_monitor.v output_monitor.v' ;;
    *)
      chip=$2/$1.v monitors=''
      shown='expose w:header_left w:words_left w:payload w:acknowledged;' ;;
  esac
  echo "read_verilog -I../include $chip; hierarchy -check -top $1; proc; flatten; $shown" \
    "read_verilog -formal -noautowire -I../include $3 $monitors $1_proof.v; hierarchy -check -top $1_proof;" \
    "proc; flatten; opt -full; check -assert;"
}

# proves CHIP LENGTH: induction over all reachable states.
proves() {
  if yosys -q -p "$(design "$1" .. '') sat -tempinduct -prove-asserts -set-assumes -maxsteps $2 -verify" > "$work/log" 2>&1
  then echo "proved: $1, by induction of length $2 at most"
  else cat "$work/log" >&2; fail "proof of $1"
  fi
}

# refutes NAME CHIP SOURCES DEFINES: a run from reset that breaks an assertion
# about the ports; the invariants are left out.
refutes() {
  if yosys -q -p "$(design "$2" "$3" "-DPORTS_ONLY $4") sat -tempinduct-baseonly -maxsteps 12 -prove-asserts -set-assumes -falsify" > "$work/log" 2>&1
  then echo "refuted: $1"
  else cat "$work/log" >&2; fail "not refuted: $1"
  fi
}

# mutant NAME FILE SED-EXPRESSION: a broken copy, which has to be refuted.
mutant() {
  rm -rf "$work/hdl"
  mkdir "$work/hdl"
  cp ../*.v "$work/hdl/"
  sed "$3" "../$2" > "$work/hdl/$2"
  if cmp -s "../$2" "$work/hdl/$2"; then
    fail "mutant '$1': its sed expression changes nothing"
    return
  fi
  case $2 in
    network_interface.v) refutes "$1" network_interface "$work/hdl" '' ;;
    *) refutes "$1" fat_tree_router "$work/hdl" '' ;;
  esac
}

# reaches CHIP COUNT: every situation in `reached` occurs in a run from reset.
reaches() {
  index=0
  while [ $index -lt "$2" ]; do
    if yosys -q -p "$(design "$1" .. '') sat -seq 12 -set-assumes -prove reached[$index] 0 -falsify" > "$work/log" 2>&1
    then :
    else cat "$work/log" >&2; fail "$1 never reaches situation $index"
    fi
    index=$((index + 1))
  done
  echo "reached: $2 situations of $1"
}

proves fat_tree_router 2
proves network_interface 2
reaches fat_tree_router 11
reaches network_interface 8

for convention in 1 2 3 4 5 6 7; do
  refutes "router without convention $convention" fat_tree_router .. "-DDROP=$convention"
done
for convention in 1 2 3 4; do
  refutes "interface without convention $convention" network_interface .. "-DDROP=$convention"
done

mutant 'two winners on output a' fat_tree_router.v 's/\.c_grant(c_to_a), \.d_grant(d_to_a)/.c_grant(c_to_a), .d_grant()/; s/wire b_to_a, c_to_a, d_to_a,/wire b_to_a, c_to_a, d_to_a = d_request \& ~d_bit \& a_free,/'
mutant 'arbiter grants c and d' fat_tree_arbiter.v 's/ & ~d_beats_c;/;/'
mutant 'arbiter grants the side and c' fat_tree_arbiter.v 's/c_request & ~side_wins & /c_request \& /'
mutant 'arbiter grants nobody when three meet' fat_tree_arbiter.v 's/free & side_wins;/free \& side_wins \& ~(c_request \& d_request);/'
mutant 'arbiter ignores a circuit in use' fat_tree_arbiter.v 's/side_grant = free & /side_grant = /'
mutant 'fixed order turned round' fat_tree_arbiter.v 's/(~c_request | pair)/(~c_request | ~pair)/'
mutant 'no collision for a rejected head' fat_tree_input.v 's/in_collision <= collision | rejected/in_collision <= collision/'
mutant 'no collision from below' fat_tree_input.v 's/in_collision <= collision | rejected/in_collision <= rejected/'
mutant 'no acknowledge' fat_tree_input.v 's/in_ack       <= ack;/in_ack       <= 1'"'"'b0;/'
mutant 'acknowledge a clock late' fat_tree_input.v 's/in_ack       <= ack;/in_ack       <= acknowledged;/'
mutant 'no release by the acknowledge' fat_tree_input.v 's/settled & ~(release_tail & valid)/settled \& release_tail \& ~valid/'
mutant 'no release by the collision' fat_tree_input.v 's/freed     = collision | /freed     = /'
mutant 'release by the acknowledge in spite of the tail' fat_tree_input.v 's/settled & ~(release_tail & valid)/settled/'
mutant 'release by the tail without an answer' fat_tree_input.v 's/freed     = collision | (settled & /freed     = collision | (/'
mutant 'the acknowledge is forgotten' fat_tree_input.v 's/acknowledged <= settled/acknowledged <= ack \& acknowledged/'
mutant 'no drain' fat_tree_input.v 's/rejected | collision | (drain & in_valid_q)/1'"'"'b0/'
mutant 'drain of one clock' fat_tree_input.v 's/rejected | collision | (drain & in_valid_q)/rejected | collision/'
mutant 'endless drain' fat_tree_input.v 's/(drain & in_valid_q)/drain/'
mutant 'drain a clock too long' fat_tree_input.v 's/(drain & in_valid_q)/(drain \& (in_valid | in_valid_q))/'
mutant 'upstream takes a port in use' fat_tree_router.v 's/wire c_free = .*/wire c_free = 1'"'"'b1;/'
mutant 'upstream gives up when c is taken' fat_tree_router.v 's/a_to_d = a_up & d_free & ~a_to_c/a_to_d = a_up \& d_free \& ~a_to_c \& c_free/'
mutant 'a and b go up to the same port' fat_tree_router.v 's/random_up ^ a_up/random_up/; s/b_to_c = b_up & c_free & ~a_to_c/b_to_c = b_up \& c_free/'
mutant 'left and right exchanged' fat_tree_router.v 's/wire c_bit = c_path/wire c_bit = ~c_path/'
mutant 'wrong path bit' fat_tree_router.v 's/wire d_bit = .*/wire d_bit = d_path[3'"'"'d0];/'
mutant 'turn level ignored' fat_tree_router.v 's/wire a_turns = .*/wire a_turns = a_turn_level[4:0] == level;/'
mutant 'path word kept at levels 8 and 16' fat_tree_router.v 's/wire path_ends = .*/wire path_ends = level == 5'"'"'d0;/'
mutant 'first word kept' fat_tree_input.v 's/from_wire = bypass | (swallow & head)/from_wire = bypass/'
mutant 'bypass of one clock' fat_tree_input.v 's/(bypass & ~freed) | //'
mutant 'bypass outlives the circuit' fat_tree_input.v 's/(bypass & ~freed)/bypass/'
mutant 'answer from the wrong output' fat_tree_router.v 's/\.target_ack({d_out_ack, c_out_ack, b_out_ack})/.target_ack({c_out_ack, d_out_ack, b_out_ack})/'
mutant 'words to the wrong output' fat_tree_router.v 's/{9{b_select\[1\]}}/{9{b_select[2]}}/'
mutant 'a data bit lost' fat_tree_router.v 's/{d_valid, d_data}/{d_valid, d_data[7:1], 1'"'"'b0}/'
mutant 'words of a released circuit' fat_tree_input.v 's/(circuit & ~{TARGETS{freed}}) | grant/circuit | grant/'
mutant 'head seen while a circuit is held' fat_tree_input.v 's/in_valid_q & ~(|state)/in_valid_q \& ~drain/'
mutant 'head seen while draining' fat_tree_input.v 's/in_valid_q & ~(|state)/in_valid_q \& ~(|circuit)/'
mutant 'reset leaves a circuit' fat_tree_input.v 's/state        <= {(TARGETS + 1) {1.b0}}/state        <= {{TARGETS {1'"'"'b0}}, 1'"'"'b1}/'

mutant 'interface: goes on after a collision' network_interface.v 's/) | body) & ~collision/) | body)/'
mutant 'interface: new head before the answer' network_interface.v 's/finished  = waiting & settled & ~collision/finished  = waiting/'
mutant 'interface: retry a clock late' network_interface.v 's/(retry & ~by_rounds)/(retry \& by_backoff)/'
mutant 'interface: acknowledges twice' network_interface.v 's/wire first = .*/wire first = net_in_valid;/'
mutant 'interface: acknowledges before the tail' network_interface.v 's/release_tail ? first : /release_tail | first ? first : /'
mutant 'interface: answers nothing' network_interface.v 's/(last & ~mismatch);/1'"'"'b0;/'
mutant 'interface: a path word too few' network_interface.v 's/header_left <= path_words/header_left <= path_words \& 2'"'"'d2/'
mutant 'interface: path bytes in the wrong order' network_interface.v 's/tx_destination\[15:8\])/tx_destination[7:0])/'
mutant 'interface: wrong turn level' network_interface.v 's/bit_index = 1; bit_index < 20/bit_index = 1; bit_index < 19/'
mutant 'interface: body word repeated' network_interface.v 's/payload <= payload + 8.d1/payload <= payload/'

if [ $failures -ne 0 ]; then
  echo "$failures failed" >&2
  exit 1
fi
