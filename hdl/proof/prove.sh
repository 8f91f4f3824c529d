#!/bin/sh
# Proves the routers, the network interface, RN1, the packet node, the packet switches, the m-port
# switch and the stack switch, then breaks them and demands a counterexample for every break. Fails when a proof fails or a break passes.
#
#   hdl/proof/prove.sh [fat_tree_router | fat_tree_tail_router | rn1 | bft_node | packet_switch | mport_switch | stack_switch]
#
# CROSSWAVE_MUTANTS_EVERY=N breaks them in every N-th of the ways only, which takes less long.
#
# With a name, only that chip and those around it: the network interface goes with the tail
# router. Needs Yosys alone. What is proved and what is assumed: README.md.
set -eu
cd "$(dirname "$0")"
part=${1:-all}
case $part in
  all | fat_tree_router | fat_tree_tail_router | rn1 | bft_node | packet_switch | mport_switch | stack_switch) ;;
  *)
    echo "prove.sh: $part is not known; it takes fat_tree_router, fat_tree_tail_router, rn1, bft_node, packet_switch, mport_switch or stack_switch" >&2
    exit 2
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
every=${CROSSWAVE_MUTANTS_EVERY:-1}
mutants=0

fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# wanted CHIP: whether a chip, or a file of it, is to be looked at.
wanted() {
  case $1 in
    rn1*) of=rn1 ;;
    bft_node*) of=bft_node ;;
    packet_* | mport_packet_*) of=packet_switch ;;
    mport_*) of=mport_switch ;;
    stack_*) of=stack_switch ;;
    fat_tree_tail* | network_interface* | circuit_*) of=fat_tree_tail_router ;;
    *) of=fat_tree_router ;;
  esac
  [ "$part" = all ] || [ "$part" = $of ]
}

# shown_of_queues NAMES: makes ports of what comes to queues and of what leaves them.
shown_of_queues() {
  printf 'expose'
  for port in reset comes packets packet most turn valid lost queued longest; do printf ' w:%s.%s' "$1" $port; done
  printf ';'
}

# design CHIP SOURCES DEFINES: the passes that put a chip under its monitors.
# The registers that no port shows become ports of the chip, for the
# invariants.
design() {
  # The m-port switch and the stack switch stand for those of all sizes: with four ports and with
  # eight.
  if [ "$1" = mport_switch_8 ]; then
    set -- mport_switch "$2" "$3 -DINDEX=3 -DEIGHT" 'chparam -set PORTS 8 -set INDEX 3 mport_switch;'
  elif [ "$1" = mport_packet_switch_8 ]; then
    set -- mport_packet_switch "$2" "$3 -DINDEX=3 -DEIGHT" 'chparam -set PORTS 8 -set INDEX 3 mport_packet_switch;'
  elif [ "$1" = packet_queue_8 ]; then
    set -- packet_queue "$2" "$3 -DINPUTS=8" 'chparam -set INPUTS 8 -set WIDTH 20 packet_queue;'
  elif [ "$1" = packet_queue_4 ]; then
    set -- packet_queue "$2" "$3 -DINPUTS=4" 'chparam -set INPUTS 4 -set WIDTH 20 packet_queue;'
  elif [ "$1" = packet_queue ]; then
    set -- "$1" "$2" "$3" 'chparam -set WIDTH 20 packet_queue;'
  elif [ "$1" = stack_switch_8 ]; then
    set -- stack_switch "$2" "$3 -DPORTS=8 -DEIGHT" ''
  elif [ "$1" = rn1_height ] || [ "$1" = rn1_height_input ]; then
    set -- "$1" "$2" "$3 -DHEIGHT" ''
  elif [ "$1" = stack_switch ]; then
    set -- "$1" "$2" "$3" 'chparam -set PORTS 4 stack_switch;'
  fi
  proof=$1
  queue="$2/packet_queue.v $2/packet_counts.v $2/packet_places.v"
  case $1 in
    packet_queue)
      chip=$queue shown='expose w:groups[*].places.waits;' monitors='' ;;
    packet_switch_q8)
      chip="$2/$1.v $queue $2/packet_turns.v $2/bft_node_way.v" monitors=''
      shown=$(shown_of_queues 'queue_*') ;;
    mport_packet_switch)
      chip="$2/$1.v $queue" monitors='' shown=$(shown_of_queues 'outputs*.queue') ;;
    fat_tree_router)
      chip="$2/fat_tree_router.v $2/fat_tree_input.v $2/fat_tree_grants.v $2/fat_tree_arbiter.v $2/fat_tree_crossbar.v"
      shown='expose w:input_?.bypass w:input_?.acknowledged;'
      monitors='input_monitor.v output_monitor.v' ;;
    fat_tree_tail_router)
      chip="$2/$1.v $2/fat_tree_tail_input.v $2/fat_tree_tail_output.v $2/fat_tree_grants.v $2/fat_tree_arbiter.v $2/fat_tree_crossbar.v"
      shown='expose w:input_?.bypass w:input_?.to w:input_?.acked w:input_?.collided w:output_?.from;'
      monitors='tail_input_monitor.v tail_output_monitor.v' ;;
    mport_switch)
      chip="$2/$1.v $2/mport_input.v $2/mport_output.v $2/mport_arbiter.v $2/fat_tree_input.v"
      shown='expose w:inputs*.unit.port_input.bypass w:inputs*.unit.port_input.acknowledged;'
      monitors='mport_input_monitor.v mport_output_monitor.v' ;;
    mport_tail_switch)
      chip="$2/$1.v $2/mport_tail_input.v $2/mport_tail_output.v $2/mport_arbiter.v $2/fat_tree_tail_input.v $2/fat_tree_tail_output.v"
      shown='expose w:inputs*.unit.port_input.bypass w:inputs*.unit.port_input.to w:inputs*.unit.port_input.acked w:inputs*.unit.port_input.collided w:outputs*.unit.awaited.from;'
      monitors='tail_input_monitor.v tail_output_monitor.v' ;;
    stack_switch)
      chip="$2/$1.v $2/stack_input.v $2/stack_output.v"
      shown='expose w:requested w:inputs*.unit.places w:inputs*.unit.wish w:outputs*.unit.later;'
      monitors='stack_input_monitor.v stack_output_monitor.v' ;;
    stack_interface)
      chip="$2/$1.v $2/stack_sender.v $2/stack_receiver.v" monitors=''
      shown='expose w:sender.left w:sender.words_left w:sender.payload w:receiver.mismatch;' ;;
    bft_node)
      chip="$2/$1.v $2/bft_node_way.v" shown='' monitors='' ;;
    rn1_direction)
      chip=$2/$1.v shown='' monitors='' ;;
    rn1_input)
      chip="$2/$1.v $2/rn1_checksum.v" monitors=''
      shown='expose w:count w:crc w:skip;' ;;
    rn1_height_input)
      chip="$2/$1.v $2/rn1_input.v $2/rn1_checksum.v $2/rn1_gather.v" monitors='' proof=rn1_input
      shown='expose w:port.count w:port.crc w:port.skip; cd rn1_height_input; rename port.count count; rename port.crc crc; rename port.skip skip; cd ..;' ;;
    rn1_interface_receiver)
      chip=$2/$1.v monitors=''
      shown='expose w:left w:payload w:turns_left w:right w:later w:skip;' ;;
    rn1_interface_sender)
      chip="$2/$1.v $2/rn1_interface_checks.v $2/rn1_checksum.v" monitors=''
      shown='expose w:port w:route_at w:words_left w:payload w:turns_left w:complete w:later w:exponent w:wait_left;' ;;
    rn1)
      # What rn1_direction may do stands in for it.
      chip="-formal $2/rn1.v $2/rn1_input.v $2/rn1_checksum.v $2/rn1_gather.v rn1_direction_contract.v"
      shown='expose w:inputs[*].port.count;' monitors='' ;;
    rn1_height)
      chip="-formal $2/rn1_height.v $2/rn1_height_input.v $2/rn1_height_direction.v $2/rn1_height_output.v $2/rn1_input.v $2/rn1_checksum.v $2/rn1_gather.v rn1_direction_contract.v"
      shown='expose w:inputs[*].unit.port.count; cd rn1_height;' monitors='' proof=rn1
      for input in 0 1 2 3 4 5 6 7; do
        shown="$shown rename inputs[$input].unit.port.count inputs[$input].port.count;"
      done
      shown="$shown cd ..;" ;;
    *)
      chip="$2/$1.v $2/circuit_sender.v $2/circuit_receiver.v" monitors=''
      shown='expose w:sender.header_left w:sender.words_left w:sender.payload w:sender.acknowledged;' ;;
  esac
  echo "read_verilog -I../include $chip; ${4:-} hierarchy -check -top $1; setattr -mod -unset keep_hierarchy; proc; flatten; $shown" \
    "read_verilog -formal -noautowire -I../include $3 $monitors ${proof}_proof.v; hierarchy -check -top ${proof}_proof;" \
    "proc; flatten; opt -full; check -assert;"
}

# proves CHIP LENGTH: induction over all reachable states.
proves() {
  wanted "$1" || return 0
  if yosys -q -p "$(design "$1" .. '') sat -tempinduct -prove-asserts -set-assumes -maxsteps $2 -verify" > "$work/log" 2>&1
  then echo "proved: $1, by induction of length $2 at most"
  else cat "$work/log" >&2; fail "proof of $1"
  fi
}

# refutes NAME CHIP SOURCES DEFINES: a run from reset that breaks an assertion
# about the ports; the invariants are left out.
refutes() {
  wanted "$2" || return 0
  if yosys -q -p "$(design "$2" "$3" "-DPORTS_ONLY $4") sat -tempinduct-baseonly -maxsteps 12 -prove-asserts -set-assumes -falsify" > "$work/log" 2>&1
  then echo "refuted: $1"
  else cat "$work/log" >&2; fail "not refuted: $1"
  fi
}

# stops NAME CHIP SOURCES DEFINES: the proof by induction fails. A run from reset is not
# looked for: the whole RN1 takes too long for that.
stops() {
  wanted "$2" || return 0
  if yosys -q -p "$(design "$2" "$3" "$4") sat -tempinduct -prove-asserts -set-assumes -maxsteps 2 -verify" > "$work/log" 2>&1
  then fail "proved in spite of: $1"
  elif grep -q 'proof did fail' "$work/log"; then echo "no longer proved: $1"
  else cat "$work/log" >&2; fail "no proof tried: $1"
  fi
}

# mutant NAME FILE SED-EXPRESSION: a broken copy, which has to be refuted.
mutant() {
  wanted "$2" || return 0
  rm -rf "$work/hdl"
  mkdir "$work/hdl"
  cp ../*.v "$work/hdl/"
  sed "$3" "../$2" > "$work/hdl/$2"
  if cmp -s "../$2" "$work/hdl/$2"; then
    fail "mutant '$1': its sed expression changes nothing"
    return
  fi
  mutants=$((mutants + 1))
  [ $((mutants % every)) -eq 0 ] || return 0
  case $2 in
    fat_tree_tail_*.v) refutes "$1" fat_tree_tail_router "$work/hdl" '' ;;
    network_interface.v | circuit_*.v) refutes "$1" network_interface "$work/hdl" '' ;;
    packet_queue.v | packet_counts.v | packet_places.v) refutes "$1" packet_queue "$work/hdl" '' ;;
    packet_*.v) refutes "$1" packet_switch_q8 "$work/hdl" '' ;;
    mport_packet_*.v) refutes "$1" mport_packet_switch "$work/hdl" '' ;;
    mport_tail_*.v) refutes "$1" mport_tail_switch "$work/hdl" '' ;;
    mport_*.v) refutes "$1" mport_switch "$work/hdl" '' ;;
    stack_interface.v | stack_sender.v | stack_receiver.v) refutes "$1" stack_interface "$work/hdl" '' ;;
    stack_*.v) refutes "$1" stack_switch "$work/hdl" '' ;;
    bft_node*.v) refutes "$1" bft_node "$work/hdl" '' ;;
    rn1_direction.v) refutes "$1" rn1_direction "$work/hdl" '' ;;
    rn1_interface_receiver.v) refutes "$1" rn1_interface_receiver "$work/hdl" '' ;;
    rn1_interface_sender.v) refutes "$1" rn1_interface_sender "$work/hdl" '' ;;
    rn1_input.v | rn1_checksum.v) refutes "$1" rn1_input "$work/hdl" '' ;;
    rn1_height_input.v) refutes "$1" rn1_height_input "$work/hdl" '' ;;
    rn1_height*.v) stops "$1" rn1_height "$work/hdl" '' ;;
    rn1.v | rn1_gather.v) stops "$1" rn1 "$work/hdl" '' ;;
    *) refutes "$1" fat_tree_router "$work/hdl" '' ;;
  esac
}

# reaches CHIP COUNT: every situation in `reached` occurs in a run of 13 clocks from reset, before which all
# registers are 0. The ABC of Yosys looks for all of them at once.
reaches() {
  wanted "$1" || return 0
  if ! yosys -q -p "$(design "$1" .. '') delete */t:\$assert; techmap; setundef -zero; dfflegalize -cell \$_DFF_P_ 01; aigmap; opt_clean; write_aiger $work/reached.aig" > "$work/log" 2>&1
  then cat "$work/log" >&2; fail "no circuit of $1"; return
  fi
  if ! yosys-abc -q "read_aiger $work/reached.aig; fold; bmc3 -a -F 13" > "$work/log" 2>&1
  then cat "$work/log" >&2; fail "yosys-abc does not search $1"; return
  fi
  index=0
  never=
  while [ $index -lt "$2" ]; do
    grep -q "^Output *$index was asserted in frame" "$work/log" || never="$never $index"
    index=$((index + 1))
  done
  if [ -z "$never" ]
  then echo "reached: $2 situations of $1"
  else cat "$work/log" >&2; fail "$1 never reaches$never"
  fi
}

proves fat_tree_router 2
proves fat_tree_tail_router 2
proves network_interface 2
proves rn1_direction 1
proves rn1_input 3
proves rn1 2
proves rn1_height_input 3
proves rn1_height 2
proves rn1_interface_receiver 1
proves rn1_interface_sender 1
proves bft_node 2
proves packet_queue 2
proves packet_queue_4 2
proves packet_queue_8 2
proves packet_switch_q8 2
proves mport_packet_switch 2
proves mport_packet_switch_8 2
proves mport_switch 2
proves mport_switch_8 2
proves mport_tail_switch 2
proves stack_switch 2
proves stack_switch_8 2
proves stack_interface 2
reaches fat_tree_router 15
reaches fat_tree_tail_router 8
reaches network_interface 8
reaches rn1_direction 3
reaches rn1_input 4
reaches rn1 3
reaches rn1_height_input 6
reaches rn1_interface_receiver 7
reaches rn1_interface_sender 7
reaches bft_node 6
reaches packet_queue 6
reaches packet_switch_q8 6
reaches mport_packet_switch 2
reaches mport_switch 6
reaches mport_tail_switch 6
reaches stack_switch 8
reaches stack_interface 6

for convention in 1 2 3 4 5 6 7; do
  refutes "router without convention $convention" fat_tree_router .. "-DDROP=$convention"
done
# Convention 5 keeps the invariants simple; at the ports nothing depends on it.
for convention in 1 2 3 4 6 7; do
  refutes "tail router without convention $convention" fat_tree_tail_router .. "-DDROP=$convention"
done
# A head has a word behind it, so that the fifth message of a port begins after clock 12, where the
# search for a run ends. Without convention 1 the induction fails.
stops 'm-port tail switch without convention 1' mport_tail_switch .. -DDROP=1
for convention in 2 3 4 6 7; do
  refutes "m-port tail switch without convention $convention" mport_tail_switch .. "-DDROP=$convention"
done
for convention in 1 2 3 4 6 7; do
  refutes "m-port switch without convention $convention" mport_switch .. "-DDROP=$convention"
done
for convention in 1 2 3; do
  refutes "stack switch without convention $convention" stack_switch .. "-DDROP=$convention"
  refutes "stack interface without convention $convention" stack_interface .. "-DDROP=$convention"
done
for convention in 1 2 3 4; do
  refutes "interface without convention $convention" network_interface .. "-DDROP=$convention"
done

mutant 'two winners on output a' fat_tree_grants.v 's/\.c_grant(c_to_a), \.d_grant(d_to_a)/.c_grant(c_to_a), .d_grant()/; s/wire b_to_a, c_to_a, d_to_a,/wire b_to_a, c_to_a, d_to_a = d_request \& ~d_bit \& open[0],/'
mutant 'arbiter grants c and d' fat_tree_arbiter.v 's/ & ~d_beats_c;/;/'
mutant 'arbiter grants the side and c' fat_tree_arbiter.v 's/c_request & ~side_wins & /c_request \& /'
mutant 'arbiter grants nobody when three meet' fat_tree_arbiter.v 's/free & side_wins;/free \& side_wins \& ~(c_request \& d_request);/'
mutant 'arbiter ignores a circuit in use' fat_tree_arbiter.v 's/side_grant = free & /side_grant = /'
mutant 'fixed order turned round' fat_tree_arbiter.v 's/(~c_request | pair)/(~c_request | ~pair)/'
mutant 'no collision for a rejected head' fat_tree_input.v 's/in_collision <= collision | rejected/in_collision <= collision/'
mutant 'no collision from below' fat_tree_input.v 's/in_collision <= collision | rejected/in_collision <= rejected/'
mutant 'no acknowledge' fat_tree_input.v 's/in_ack       <= ack;/in_ack       <= 1'"'"'b0;/'
mutant 'acknowledge a clock late' fat_tree_input.v 's/in_ack       <= ack;/in_ack       <= acknowledged;/'
mutant 'no release by the acknowledge' fat_tree_input.v 's/settled & ~(early_acknowledge & valid)/settled \& early_acknowledge \& ~valid/'
mutant 'no release by the collision' fat_tree_input.v 's/freed     = collision | /freed     = /'
mutant 'release by the acknowledge in spite of the tail' fat_tree_input.v 's/settled & ~(early_acknowledge & valid)/settled/'
mutant 'release by the tail without an answer' fat_tree_input.v 's/freed     = collision | (settled & /freed     = collision | (/'
mutant 'the acknowledge is forgotten' fat_tree_input.v 's/acknowledged <= settled/acknowledged <= ack \& acknowledged/'
mutant 'no drain' fat_tree_input.v 's/rejected | collision | (drain & in_valid_q)/1'"'"'b0/'
mutant 'drain of one clock' fat_tree_input.v 's/rejected | collision | (drain & in_valid_q)/rejected | collision/'
mutant 'endless drain' fat_tree_input.v 's/(drain & in_valid_q)/drain/'
mutant 'drain a clock too long' fat_tree_input.v 's/(drain & in_valid_q)/(drain \& (in_valid | in_valid_q))/'
mutant 'upstream takes a port in use' fat_tree_router.v 's/wire c_free = .*/wire c_free = 1'"'"'b1;/'
mutant 'upstream gives up when c is taken' fat_tree_grants.v 's/a_to_d = a_up & d_free & ~a_to_c/a_to_d = a_up \& d_free \& ~a_to_c \& c_free/'
mutant 'a and b go up to the same port' fat_tree_grants.v 's/random_up ^ a_up/random_up/; s/b_to_c = b_up & c_free & ~a_to_c/b_to_c = b_up \& c_free/'
mutant 'the second port up is used when there is one' fat_tree_grants.v 's/open\[3\] & ~upstream_single;/open[3];/'
mutant 'a single port up: b wins in spite of the fixed order' fat_tree_grants.v 's/ & ~winner_fixed;$/;/'
mutant 'a single port up: a leaves it to nobody' fat_tree_grants.v 's/b_may_win = b_up & /b_may_win = /'
mutant 'a single port up: a always wins' fat_tree_grants.v 's/(d_free | b_may_win)/d_free/'
mutant 'left and right exchanged' fat_tree_grants.v 's/wire c_bit = c_path/wire c_bit = ~c_path/'
mutant 'wrong path bit' fat_tree_grants.v 's/wire d_bit = .*/wire d_bit = d_path[3'"'"'d0];/'
mutant 'turn level ignored' fat_tree_grants.v 's/wire a_turns = .*/wire a_turns = a_turn_level[4:0] == level;/'
mutant 'path word kept at levels 8 and 16' fat_tree_grants.v 's/wire path_ends = .*/wire path_ends = level == 5'"'"'d0;/'
mutant 'first word kept' fat_tree_input.v 's/from_wire = bypass | (swallow & head)/from_wire = bypass/'
mutant 'bypass of one clock' fat_tree_input.v 's/(bypass & ~freed) | //'
mutant 'bypass outlives the circuit' fat_tree_input.v 's/(bypass & ~freed)/bypass/'
mutant 'answer from the wrong output' fat_tree_router.v 's/\.target_ack({d_out_ack, c_out_ack, b_out_ack})/.target_ack({c_out_ack, d_out_ack, b_out_ack})/'
mutant 'words to the wrong output' fat_tree_crossbar.v 's/{9{b_select\[1\]}}/{9{b_select[2]}}/'
mutant 'a data bit lost' fat_tree_router.v 's/{d_valid, d_data}/{d_valid, d_data[7:1], 1'"'"'b0}/'
mutant 'words of a released circuit' fat_tree_input.v 's/(circuit & ~{TARGETS{freed}}) | grant/circuit | grant/'
mutant 'head seen while a circuit is held' fat_tree_input.v 's/in_valid_q & ~(|state)/in_valid_q \& ~drain/'
mutant 'head seen while draining' fat_tree_input.v 's/in_valid_q & ~(|state)/in_valid_q \& ~(|circuit)/'
mutant 'reset leaves a circuit' fat_tree_input.v 's/state        <= {(TARGETS + 1) {1.b0}}/state        <= {{TARGETS {1'"'"'b0}}, 1'"'"'b1}/'

mutant 'm-port: back to where it came from' mport_switch.v 's/asks \& ~({{(PORTS - 1) {1.b0}}, 1.b1} << from)/asks/'
mutant 'm-port: nobody wins of two' mport_arbiter.v 's/lower \& ~(upper \& upper_first)/lower \& ~upper/'
mutant 'm-port: two win' mport_arbiter.v 's/upper \& (upper_first | ~lower)/upper/'
mutant 'm-port: fixed order turned round' mport_switch.v 's/UPPER_FIRST = 1 << (INDEX - 1)/UPPER_FIRST = 0/'
mutant 'm-port: the order of the pin in spite of the fixed one' mport_switch.v 's/winner_fixed ? UPPER_FIRST : //'
mutant 'm-port: ports that are not there' mport_input.v 's/legal = .*/legal = 1'"'"'b1;/'
mutant 'm-port: an output in use is given' mport_output.v 's/free(~(|holders))/free(1'"'"'b1)/'
mutant 'm-port: a data bit lost' mport_output.v 's/{9{select\[port\]}}/{{8{select[port]}}, 1'"'"'b0}/'
mutant 'm-port tail: back to where it came from' mport_tail_switch.v 's/asks \& ~({{(PORTS - 1) {1.b0}}, 1.b1} << from)/asks/'
mutant 'm-port tail: fixed order turned round' mport_tail_switch.v 's/UPPER_FIRST = 1 << (INDEX - 1)/UPPER_FIRST = 0/'
mutant 'm-port tail: ports that are not there' mport_tail_input.v 's/legal = .*/legal = 1'"'"'b1;/'
mutant 'm-port tail: an output in use is given' mport_tail_output.v 's/room & ~(|holders)/room/'
mutant 'm-port tail: one answer awaited' mport_tail_output.v "s/\.one(1'b0)/.one(1'b1)/"
mutant 'm-port tail: answers of another input' mport_tail_switch.v 's/acks\[PORTS\*from+to\]       = acked\[PORTS\*to+from\]/acks[PORTS*from+to]       = acked[PORTS*to+(from^1)]/'
mutant 'm-port tail: an acknowledge is a collision' mport_tail_output.v 's/oldest & {PORTS{ack}}/oldest \& {PORTS{collision}}/'
mutant 'm-port tail: answers of all outputs' mport_tail_output.v 's/oldest & {PORTS{collision}}/{PORTS{collision}}/'
mutant 'm-port: answers of another output' mport_switch.v 's/\.out_ack(out_ack), /.out_ack({out_ack[0], out_ack[PORTS-1:1]}), /'

mutant 'stack: a flit without a credit' stack_output.v 's/ & {PORTS{credits != 3.d0}}//'
mutant 'stack: a flit costs no credit' stack_output.v 's/credits - {2.d0, sends}/credits/'
mutant 'stack: a credit is forgotten while a flit goes' stack_output.v 's/regain = out_credit & /regain = out_credit \& ~sends \& /'
mutant 'stack: two own an output' stack_output.v 's/ & (~candidates + 1.b1)//'
mutant 'stack: an output in use is given' stack_output.v 's/if (free) owner <= grant;/if (|grant) owner <= grant;/; s/{PORTS{free}} & candidates/candidates/'
mutant 'stack: an output is free before the final flit' stack_output.v 's/else if (flit\[8\])/else if (sends)/'
mutant 'stack: an output is never free again' stack_output.v 's/else if (flit\[8\])/else if (flit[8] \& ~owner[1])/'
mutant 'stack: the lowest input first' stack_output.v 's/(|behind) ? behind : request/request/'
mutant 'stack: a data bit lost' stack_output.v 's/{9{take\[port\]}}/{{8{take[port]}}, 1'"'"'b0}/'
mutant 'stack: flits of an input that does not hold the output' stack_output.v 's/take = owner & offers/take = (owner | later) \& offers/'
mutant 'stack: ports that are not there' stack_input.v 's/flit\[7:0\] == port/flit[1:0] == port/'
mutant 'stack: a packet without a body gets an output' stack_input.v 's/{PORTS{swallows & ~ends}} & named/{PORTS{swallows}} \& named/'
mutant 'stack: no credit for a flit that is swallowed' stack_input.v 's/in_credit <= leaves/in_credit <= leaves \& ~swallows/'
mutant 'stack: a flit goes on twice' stack_input.v 's/leaves  = swallows | discards | passes/leaves  = swallows | discards | (passes \& ~(fill == 3'"'"'d3))/'
mutant 'stack: a flit takes the place of another' stack_input.v 's/enters & (kept == place/enters \& (fill == place/'
mutant 'stack: no flit comes behind three' stack_input.v 's/in_valid & (kept != DEPTH\[2:0\])/in_valid \& (fill != 3'"'"'d3)/'
mutant 'stack: the wish is forgotten' stack_input.v 's/if (swallows) wish <= named/wish <= named/'
mutant 'stack: an input goes on for ever' stack_input.v 's/(passes | discards) & ends/discards \& ends/'
mutant 'stack: a loss is not told' stack_input.v 's/lost      <= (swallows | discards) & ends/lost      <= discards \& ends/'
mutant 'stack: discards one flit' stack_input.v 's/(passes | discards) & ends/(discards | (passes \& ends))/'
mutant 'stack: grants of another input' stack_switch.v 's/granted\[PORTS\*to+from\]/granted[PORTS*to+(from ^ 1)]/'
mutant 'stack: flits of another input' stack_switch.v 's/\.flits(flits)/.flits({flits[8:0], flits[9*PORTS-1:9]})/'

mutant 'stack interface: a body without credits' stack_sender.v 's/STACK_TX_BODY & ready/STACK_TX_BODY/'
mutant 'stack interface: a port of the way too few' stack_sender.v 's/wire       nearby = place == 4.d0/wire nearby = place[3:1] == 3'"'"'d0/'
mutant 'stack interface: the number from its high byte on' stack_sender.v 's/left == 4.d2 ? id\[7:0\]/left == 4'"'"'d0 ? id[7:0]/'
mutant 'stack interface: a flit of the body too many' stack_sender.v 's/words_left <= words;/words_left <= words + 20'"'"'d1;/'
mutant 'stack interface: a flit of the body repeated' stack_sender.v 's/payload + 8.d1/payload/'
mutant 'stack interface: the final flit is not marked' stack_sender.v 's/out_last  <= ends/out_last  <= 1'"'"'b0/'
mutant 'stack interface: a packet is sent twice' stack_sender.v 's/: ends ? `CROSSWAVE_STACK_TX_DONE/: ends ? `CROSSWAVE_STACK_TX_IDLE/'
mutant 'stack interface: credits are not counted' stack_sender.v 's/credits - {2.d0, sends}/credits/'
mutant 'stack interface: a wrong flit is forgotten' stack_receiver.v 's/body ? mismatch | (in_data/body ? (in_data/'
mutant 'stack interface: a packet without a body is right' stack_receiver.v 's/(in_data != expected) : in_last/(in_data != expected) : 1'"'"'b0/'
mutant 'stack interface: the receiver gives no credit' stack_receiver.v 's/in_credit <= in_valid/in_credit <= in_valid \& ~in_last/'
mutant 'stack interface: bytes of the number before' stack_receiver.v 's/if (first) id <= {16.d0, in_data}/if (first) id[7:0] <= in_data/'

mutant 'tail: output free before the tail' fat_tree_tail_router.v 's/wire a_free = .*/wire a_free = room[0];/'
mutant 'tail: two answers awaited on a way up' fat_tree_tail_router.v 's/\.one(~upstream_single)/.one(1'"'"'b0)/'
mutant 'tail: any number of answers awaited' fat_tree_tail_output.v 's/assign room .*/assign room = 1'"'"'b1;/'
mutant 'tail: answers to the second oldest' fat_tree_tail_output.v 's/assign oldest = .*/assign oldest = from[SOURCES +: SOURCES];/'
mutant 'tail: an output forgets no answer' fat_tree_tail_output.v 's/else if (ack | collision)/else if (ack)/'
mutant 'tail: an answer for all messages of an output' fat_tree_tail_input.v 's/ & ~seen & answered/ \& answered/'
mutant 'tail: an acknowledge overtakes' fat_tree_tail_input.v 's/in_ack       <= acked_now\[0\]/in_ack       <= |acked_now/'
mutant 'tail: an answer that waits is lost' fat_tree_tail_input.v 's/acked_now\[at\] = acked\[at\] |/acked_now[at] =/'
mutant 'tail: no answer for a rejected head' fat_tree_tail_input.v 's/(place & ~there\[at\] & rejected)/1'"'"'b0/'
mutant 'tail: a collision frees nothing' fat_tree_tail_input.v 's/{TARGETS{valid & ~stopped}}/{TARGETS{valid}}/'
mutant 'tail: an older collision ends the circuit' fat_tree_tail_input.v 's/ & circuit)) & ~there\[at+1\]/ \& circuit))/'
mutant 'tail: no drain behind a collision' fat_tree_tail_input.v 's/rejected | (stopped & valid) |/rejected |/'
mutant 'tail: a drain without words' fat_tree_tail_input.v 's/(stopped & valid)/stopped/'
mutant 'tail: the circuit outlives its tail' fat_tree_tail_input.v 's/{TARGETS{valid & ~stopped}}/{TARGETS{~stopped}}/'
mutant 'tail: nobody leaves' fat_tree_tail_input.v 's/to           <= leaves ?/to           <= 1'"'"'b0 ?/'

mutant 'interface: goes on after a collision' circuit_sender.v 's/) | body) & ~collision/) | body)/'
mutant 'interface: new head before the answer' circuit_sender.v 's/finished  = waiting & settled & ~collision/finished  = waiting/'
mutant 'interface: retry a clock late' circuit_sender.v 's/(retry & ~by_rounds)/(retry \& by_backoff)/'
mutant 'interface: acknowledges twice' circuit_receiver.v 's/wire first = .*/wire first = in_valid;/'
mutant 'interface: acknowledges before the tail' circuit_receiver.v 's/early_acknowledge ? first : /early_acknowledge | first ? first : /'
mutant 'interface: answers nothing' circuit_receiver.v 's/(last & ~mismatch);/1'"'"'b0;/'
mutant 'interface: a path word too few' circuit_sender.v 's/header_left <= more_words/header_left <= more_words \& 2'"'"'d2/'
mutant 'interface: path bytes in the wrong order' network_interface.v 's/tx_destination\[15:8\])/tx_destination[7:0])/'
mutant 'interface: wrong turn level' network_interface.v 's/bit_index = 1; bit_index < 20/bit_index = 1; bit_index < 19/'
mutant 'interface: body word repeated' circuit_sender.v 's/payload <= payload + 8.d1/payload <= payload/'

mutant 'rn1: two inputs get the even output' rn1_direction.v 's/first = x & .*/first = x;/'
mutant 'rn1: the second in order is the first' rn1_direction.v 's/others = asks & ~winner/others = asks/'
mutant 'rn1: grants come back another way' rn1_direction.v 's/rank_1(rank_2(rank_4(x, s\[11:8\]), s\[7:4\]), s\[3:0\])/rank_4(rank_2(rank_1(x, s[3:0]), s[7:4]), s[11:8])/'
mutant 'rn1: the last rank is not straight' rn1_direction.v 's/last_rank = .*/last_rank = order[11:8];/'
mutant 'rn1: the output preferred is the other one' rn1_direction.v 's/both & prefer/both \& ~prefer/; s/both & ~prefer) ? second : winner;$/both \& prefer) ? second : winner;/'
mutant 'rn1: an output in use is given' rn1_direction.v 's/odd & {8{free\[1\]}}/odd/'
mutant 'rn1: swallow ignored' rn1_input.v 's/starts & swallow/1'"'"'b0/; s/(starts & ~swallow)/starts/'
mutant 'rn1: two bytes swallowed' rn1_input.v 's/starts & swallow) state/swallow \& data \& (idle | (swallowed \& in[0]))) state/'
mutant 'rn1: input not enabled is used' rn1_input.v 's/idle & data & enable/idle \& data/'
mutant 'rn1: the end is not answered' rn1_input.v 's/from_input & (turn | rest)/from_input \& turn/'
mutant 'rn1: a blocked turn is not answered' rn1_input.v 's/from_input = onward | swallowed | blocked/from_input = onward | swallowed/'
mutant 'rn1: blocked shown as connected' rn1_input.v 's/(holds ? `CROSSWAVE_RN1_STATUS_CONNECTED : 9.d0)/`CROSSWAVE_RN1_STATUS_CONNECTED/'
mutant 'rn1: every status is a first one' rn1_input.v 's/(is_first ? `CROSSWAVE_RN1_STATUS_FIRST : 9.d0)/`CROSSWAVE_RN1_STATUS_FIRST/'
mutant 'rn1: turning a clock too short' rn1_input.v "s/count <= {out_delay, 1'b0}/count <= {out_delay, 1'b0} - (out_delay != 0)/"
mutant 'rn1: turning back by the wrong delay' rn1_input.v 's/count <= {in_delay/count <= {out_delay/'
mutant 'rn1: a drop does not free' rn1_input.v 's/(from_input & drop)/(from_input \& drop \& ~onward)/'
mutant 'rn1: the receiver cannot drop' rn1_input.v 's/(reverse & (drop | rest))/(reverse \& rest)/'
mutant 'rn1: checksums of others count' rn1_input.v 's/passes & data & ~skip/passes \& data/'
mutant 'rn1: the checksum goes on behind a turn' rn1_input.v 's/(turning & last)) crc/(to_forward \& last)) crc/'
mutant 'rn1: another polynomial' rn1_checksum.v 's/`CROSSWAVE_RN1_CRC_POLYNOMIAL/8'"'"'h1d/'
mutant 'rn1: words pass while it turns' rn1_input.v 's/(onward | request) ? in/(onward | to_reverse | request) ? in/'
mutant 'rn1: an output held is free' rn1.v 's/ & ~{|busy_odd, |busy_even}//'
mutant 'rn1: an output not enabled is free' rn1.v 's/out_enable\[2\*d +: 2\] & //'
mutant 'rn1: wrong direction bits' rn1.v 's/request\[i\] & in\[9\*i + 6 +: 2\]/request[i] \& in[9*i + 4 +: 2]/'
mutant 'rn1: the first word is lost' rn1.v 's/held\[8\*i + o\] | granted\[8\*i + o\]/held[8*i + o]/'
mutant 'rn1: words from another output' rn1.v 's/\.select(held\[8\*i +: 8\]), \.words(back)/.select(held[8*i +: 8]), .words({back[8:0], back[71:9]})/'
mutant 'rn1: swallows of two inputs exchanged' rn1.v 's/\.swallow(swallow\[i\])/.swallow(swallow[i ^ 1])/'
mutant 'rn1: delays of two inputs exchanged' rn1.v 's/in_delay\[5\*i +: 5\]/in_delay[5*(i ^ 1) +: 5]/'
mutant 'rn1: delays of two outputs exchanged' rn1.v 's/out_delay\[5\*own +: 5\]/out_delay[5*(own ^ 1) +: 5]/'
mutant 'rn1: the delay of an output for all' rn1.v 's/out_delay\[5\*own +: 5\]/out_delay[4:0]/'
mutant 'rn1 height: not counted down' rn1_height_input.v "s/height - 6'd3/height/"
mutant 'rn1 height: what is high leads across' rn1_height_input.v 's/ | {2{|height\[5:2\]}}//'
mutant 'rn1 height: it counts in the checksum' rn1_height_input.v "s/is_height ? .CROSSWAVE_RN1_DATA : in/is_height ? {1'b1, first} : in/"
mutant 'rn1 height: every byte is one' rn1_height_input.v 's/to_height & waits/to_height/'
mutant 'rn1 height: none behind a swallowed byte' rn1_height_input.v 's/ | state == .CROSSWAVE_RN1_STATE_SWALLOW//'
mutant 'rn1 height: at every input' rn1_height_input.v 's/to_height & waits/waits/'
mutant 'rn1 height: nothing is left of a low one' rn1_height_input.v 's/(&least) ? /height[5] ? /'
mutant 'rn1 height: options of two inputs exchanged' rn1_height.v 's/to_height\[i\]/to_height[i ^ 1]/'
mutant 'rn1 height: an output held is free' rn1_height_direction.v 's/ & ~{|held\[15:8\], |held\[7:0\]}//'

mutant 'rn1 interface: any byte is right' rn1_interface_receiver.v 's/sent == payload & (right | open)/(right | open)/'
mutant 'rn1 interface: a wrong byte is forgotten' rn1_interface_receiver.v 's/sent == payload & (right | open)/sent == payload/'
mutant 'rn1 interface: rotated the other way' rn1_interface_receiver.v 's/{half\[1:0\], half\[7:2\]}/{half[5:0], half[7:6]}/'
mutant 'rn1 interface: checksums are bytes of the request' rn1_interface_receiver.v 's/listens & data & ~skip/listens \& data/'
mutant 'rn1 interface: told again behind a turn' rn1_interface_receiver.v 's/done   <= (asks | ends) & ~later & right/done   <= (asks | ends) \& right/'
mutant 'rn1 interface: an empty request is right' rn1_interface_receiver.v 's/right & ~idle/(right \& ~idle) | opens/'
mutant 'rn1 interface: a reply one byte short' rn1_interface_receiver.v 's/reply & few & ~left\[0\]/reply \& few/'
mutant 'rn1 interface: an idle word too many' rn1_interface_receiver.v 's/wire few         = left\[15:1\] == 15.d0/wire few         = left == 16'"'"'d0/'
mutant 'rn1 interface: no idle words' rn1_interface_receiver.v 's/reply_delay == 8.d0/1'"'"'b1/'
mutant 'rn1 interface: turns for ever' rn1_interface_receiver.v 's/reply_ends & ~no_turns/reply_ends/'
mutant 'rn1 interface: never drops' rn1_interface_receiver.v 's/reply_ends & no_turns & close_drop/1'"'"'b0/'
mutant 'rn1 interface: reply counts from the signature' rn1_interface_receiver.v 's/signature ^ {8{asks}}/signature/'
mutant 'rn1 interface: listens while it turns' rn1_interface_receiver.v 's/take | (turning & ~turn_waits) ? /take ? /'
mutant 'rn1 interface: a long wire is not waited for' rn1_interface_receiver.v 's/wire turn_waits  = .*/wire turn_waits = 1'"'"'b0;/'
mutant 'rn1 interface: a long wire is waited for once' rn1_interface_receiver.v "s/{10'd0, wire_delay, 1'b0}/{11'd0, wire_delay}/"
mutant 'rn1 interface: a routing byte too few' rn1_interface_sender.v 's/route_at == route_bytes/route_at == 2'"'"'d0/'
mutant 'rn1 interface: a byte of the body too few' rn1_interface_sender.v 's/words_left == 20.d0/words_left[19:1] == 19'"'"'d0/'
mutant 'rn1 interface: body counts from the last segment' rn1_interface_sender.v 's/(first_word | segment_ends) ? signature/segment_ends ? signature/'
mutant 'rn1 interface: a port that is not enabled' rn1_interface_sender.v 's/(~tx_enable\[0\] | random_port)/random_port/'
mutant 'rn1 interface: the port changes in a message' rn1_interface_sender.v 's/random_port) : port;/random_port) : random_port;/'
mutant 'rn1 interface: listens at the other port' rn1_interface_sender.v 's/port ? t1_backward : t0_backward/port ? t0_backward : t1_backward/'
mutant 'rn1 interface: done though blocked' rn1_interface_sender.v 's/send_drop | (over & all)/send_drop | over/; s/is_blocked  = over & ~all/is_blocked  = 1'"'"'b0/'
mutant 'rn1 interface: a router that answers twice counts twice' rn1_interface_sender.v 's/next_status = answer & status & first/next_status = answer \& status/'
mutant 'rn1 interface: a router that is blocked counts' rn1_interface_sender.v 's/next_status & ~all & word.*/next_status \& ~all;/'
mutant 'rn1 interface: rotation is not followed' rn1_interface_sender.v 's/wire \[1:0\] turned = .*/wire [1:0] turned = 2'"'"'d0;/'
mutant 'rn1 interface: a status rotated by six bits is not known' rn1_interface_sender.v "s/ | mark == 4'b1001;/;/"
mutant 'rn1 interface: routers are not counted again' rn1_interface_sender.v 's/if (launch | turning) connected/if (launch) connected/'
mutant 'rn1 interface: back-off without a limit' rn1_interface_sender.v 's/is_blocked & exponent != backoff_limit/is_blocked/'
mutant 'rn1 interface: back-off begins too long' rn1_interface_sender.v 's/if (idle) exponent <= 4.d0/if (idle) exponent <= 4'"'"'d1/'
mutant 'rn1 interface: no wait' rn1_interface_sender.v 's/random_wait & wait_mask/12'"'"'d0/'
mutant 'rn1 interface: waits a clock too long' rn1_interface_sender.v 's/wait_left <= wait_now - 12.d1/wait_left <= wait_now/'
mutant 'rn1 interface: no turn' rn1_interface_sender.v 's/wire send_turn  = .*/wire send_turn = 1'"'"'b0;/'
mutant 'rn1 interface: a drop where a rest was asked for' rn1_interface_sender.v 's/no_turns & close_drop & /no_turns \& /'
mutant 'rn1 interface: a reply is told twice' rn1_interface_sender.v 's/take & ~complete & ~later/take \& ~complete/'

mutant 'node: a packet of two that meet is repeated' bft_node.v 's/: right_turns ? {1.b1, right}/: right_turns | left_turns ? {1'"'"'b1, right}/'
mutant 'node: a broadcast from above goes left only' bft_node.v 's/up_0_in_valid & (up_0_in_broadcast | below_0\[0\])/up_0_in_valid \& below_0[0]/'
mutant 'node: sides exchanged' bft_node.v 's/(up_1_in_broadcast | ~below_1\[0\])/(up_1_in_broadcast | below_1[0])/'
mutant 'node: another level'"'"'s bit' bft_node.v 's/below_1 = up_1_in_destination >> level/below_1 = up_1_in_destination >> (level ^ 5'"'"'d1)/'
mutant 'node: the second link up is used where there is one' bft_node.v 's/right_climbs & ~upstream_single/right_climbs/'
mutant 'node: a packet is lost where there is one link up' bft_node.v 's/: right_to_0  ? {1.b1, right}/: 1'"'"'b0 ? {1'"'"'b1, right}/'
mutant 'node: a conflict on the way up is not told' bft_node.v 's/lost <= {left_climbs & right_to_0/lost <= {1'"'"'b0/'
mutant 'node: a conflict of all three only is told' bft_node.v 's/(to_left_0 & to_left_1) | ((to_left_0 | to_left_1)/((to_left_0 \& to_left_1)/'
mutant 'node: fields of another packet' bft_node.v 's/: to_right_1 ? {1.b1, up_1}/: to_right_1 ? {1'"'"'b1, up_0}/'
mutant 'node: rest is not 0' bft_node.v 's/right_to_1 ? {1.b1, right} : {WIDTH + 1{1.b0}}/{right_to_1, right}/'
mutant 'node: a broadcast does not climb' bft_node_way.v 's/climbs = valid & /climbs = valid \& ~broadcast \& /'
mutant 'node: a broadcast turns everywhere' bft_node_way.v 's/(broadcast ? above\[0\] : /(broadcast | /; s/~(|above\[19:1\]));/~(|above[19:1]));/'
mutant 'node: levels are taken from the address' bft_node_way.v 's/broadcast ? 20.d0 : address/address/'
mutant 'node: packets without a valid bit' bft_node_way.v 's/turns  = valid & /turns  = /'

mutant 'queue: the last of those that come is first' packet_counts.v 's/take\[INPUTS\*row+source\]/take[INPUTS*row+(INPUTS-1-source)]/; s/= comes\[source\] \& (total/= comes[INPUTS-1-source] \& (total/; s/comes\[source\]};/comes[INPUTS-1-source]};/'
mutant 'queue: nobody goes out at once' packet_counts.v "s/turn & (total != 6'd0)/turn \\& (queued != 4'd0)/"
mutant 'queue: goes out of turn' packet_counts.v 's/goes = turn & /goes = /'
mutant 'queue: a place more than it has' packet_counts.v 's/most > PLACES ? PLACES : most/most >= PLACES ? PLACES : most + 4'"'"'d1/'
mutant 'queue: a place less than it has' packet_counts.v 's/row\[3:0\] < limit;/row[3:0] + 4'"'"'d1 < limit;/'
mutant 'queue: a loss is not told' packet_counts.v 's/lost    <= full;/lost    <= 1'"'"'b0;/'
mutant 'queue: more than eight wait' packet_counts.v 's/kept = full ? limit : /kept = /'
mutant 'queue: the longest so far is the one now' packet_counts.v 's/longest <= kept > longest ? kept : longest/longest <= kept/'
mutant 'queue: those that come take the places of others' packet_counts.v "s/total = {2'd0, queued};/total = {3'd0, queued[3:1]};/"
mutant 'queue: a place is left out' packet_places.v 's/turn ? rows\[WIDTH\*(place+1)/turn ? rows[WIDTH*(place < 3 ? place + 1 : place)/'
mutant 'queue: the first stays where it is' packet_places.v 's/turn ? rows\[WIDTH\*(place+1)/turn ? rows[WIDTH*(place > 0 ? place + 1 : 0)/'
mutant 'queue: two in one place' packet_places.v "s/{{WIDTH{1'b0}}, waits}/{waits[WIDTH-1:0], waits}/"
mutant 'queue: places that do not exist' packet_places.v 's/{WIDTH{exists\[place\]}}/{WIDTH{exists[0]}}/'
mutant 'queue: every group has the same bits' packet_queue.v 's/packets\[WIDTH\*source+group +: GROUP\]/packets[WIDTH*source +: GROUP]/'
mutant 'queue: a bit is lost' packet_places.v "s/out <= {WIDTH{turn}} & rows/out <= {{WIDTH-1{turn}}, 1'b0} \\& rows/"
mutant 'switch: up in odd cycles' packet_turns.v "s/odd <= 1'b1/odd <= 1'b0/"
mutant 'switch: both directions at once' packet_turns.v 's/down = ~odd | /down = 1'"'"'b1 | /'
mutant 'switch: turns in spite of full duplex' packet_turns.v 's/odd | ~half_duplex/odd/'
mutant 'switch: from below before from above' packet_switch_q8.v 's/{right_turns, to_left_1, to_left_0}/{to_left_0, to_left_1, right_turns}/; s/{right, up_1, up_0}/{up_0, up_1, right}/'
mutant 'switch: packets of others' packet_switch_q8.v 's/{left, up_1, up_0}/{right, up_1, up_0}/'
mutant 'switch: losses of two queues exchanged' packet_switch_q8.v 's/lost(lost\[2\])/lost(lost[9])/; s/lost(lost\[3\])/lost(lost[2])/; s/lost(lost\[9\])/lost(lost[3])/'
mutant 'switch: the second link up is used where there is one' packet_switch_q8.v 's/right_climbs & ~upstream_single/right_climbs/'
mutant 'switch: a broadcast from above goes left only' packet_switch_q8.v 's/up_0_in_valid & (up_0_in_broadcast | below_0\[0\])/up_0_in_valid \& below_0[0]/'
mutant 'switch: up at the turn of down' packet_switch_q8.v '/queue_up_1/,$ s/turn(turn_up)/turn(turn_down)/; s/) queue_up_1 ($/) queue_up_1 (/'
mutant 'm-port packets: the route is not used up' mport_packet_switch.v 's/{{INDEX{1.b0}}, in_route\[ROUTE\*from + INDEX +: ROUTE - INDEX\]/{in_route[ROUTE*from +: ROUTE]/'
mutant 'm-port packets: outputs exchanged' mport_packet_switch.v 's/OUTPUT = to;/OUTPUT = to ^ 1;/'
mutant 'm-port packets: no reset' mport_packet_switch.v 's/\.reset(reset), \.turn/.reset(1'"'"'b0), .turn/'
mutant 'm-port packets: without a valid bit' mport_packet_switch.v 's/= in_valid\[from\] & /= /'
mutant 'm-port packets: numbers of a neighbour' mport_packet_switch.v 's/in_id\[ID\*from +: ID\]/in_id[ID*(from ^ 1) +: ID]/'

if [ $failures -ne 0 ]; then
  echo "$failures failed" >&2
  exit 1
fi
