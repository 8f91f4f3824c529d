// SPDX-License-Identifier: MIT OR Apache-2.0
// The four-port fat-tree router whose outputs are free as soon as the tail of a
// message has passed them. Heads and words do as in fat_tree_router; answers
// are routed by the order in which heads went out and came in.
//
// Source: Strumpen & Krishnamurthy 2005, sections 3 and 7; what frees an output,
// and how answers are routed without a circuit: assumed. Ports, protocol and
// timing: fat_tree_tail_router.md.
`default_nettype none

module fat_tree_tail_router (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [4:0] level,             // level of this router; 0 above the nodes
    input  wire        winner_fixed,      // 1: priority c, then d, then the side port; going up, a before b; 0: at random
    input  wire        upstream_single,   // 1: only c leads up; 0: c and d do
    input  wire        random_up,         // upstream choice: 0 prefers c, 1 prefers d; a single c goes to a or to b
    input  wire        random_pair_a,     // winner of two on output a
    input  wire        random_pair_b,     // winner of two on output b
    input  wire        random_third,      // winner of three: 1 in one case of three
    input  wire        a_in_valid,        // a word of a circuit that enters here
    input  wire  [7:0] a_in_data,         // the word; 0 when not valid
    output wire        a_in_ack,          // acknowledges the circuit that entered here
    output wire        a_in_collision,    // rejects the circuit that entered here
    output wire        a_out_valid,       // a word of a circuit that leaves here
    output wire  [7:0] a_out_data,        // the word; 0 when not valid
    input  wire        a_out_ack,         // acknowledges the circuit that left here
    input  wire        a_out_collision,   // rejects the circuit that left here
    input  wire        b_in_valid,        // a word of a circuit that enters here
    input  wire  [7:0] b_in_data,         // the word; 0 when not valid
    output wire        b_in_ack,          // acknowledges the circuit that entered here
    output wire        b_in_collision,    // rejects the circuit that entered here
    output wire        b_out_valid,       // a word of a circuit that leaves here
    output wire  [7:0] b_out_data,        // the word; 0 when not valid
    input  wire        b_out_ack,         // acknowledges the circuit that left here
    input  wire        b_out_collision,   // rejects the circuit that left here
    input  wire        c_in_valid,        // a word of a circuit that enters here
    input  wire  [7:0] c_in_data,         // the word; 0 when not valid
    output wire        c_in_ack,          // acknowledges the circuit that entered here
    output wire        c_in_collision,    // rejects the circuit that entered here
    output wire        c_out_valid,       // a word of a circuit that leaves here
    output wire  [7:0] c_out_data,        // the word; 0 when not valid
    input  wire        c_out_ack,         // acknowledges the circuit that left here
    input  wire        c_out_collision,   // rejects the circuit that left here
    input  wire        d_in_valid,        // a word of a circuit that enters here
    input  wire  [7:0] d_in_data,         // the word; 0 when not valid
    output wire        d_in_ack,          // acknowledges the circuit that entered here
    output wire        d_in_collision,    // rejects the circuit that entered here
    output wire        d_out_valid,       // a word of a circuit that leaves here
    output wire  [7:0] d_out_data,        // the word; 0 when not valid
    input  wire        d_out_ack,         // acknowledges the circuit that left here
    input  wire        d_out_collision,   // rejects the circuit that left here
    output wire  [3:0] a_state,           // circuit that entered at a: drain, to d, to c, to b
    output wire  [3:0] b_state,           // circuit that entered at b: drain, to d, to c, to a
    output wire  [2:0] c_state,           // circuit that entered at c: drain, to b, to a
    output wire  [2:0] d_state            // circuit that entered at d: drain, to b, to a
);
  wire a_head, b_head, c_head, d_head;
  wire [7:0] a_word, b_word, c_word, d_word;
  wire [3:0] swallow, request;
  wire [2:0] a_grant, b_grant;
  wire [1:0] c_grant, d_grant;

  // Outputs that no circuit holds, and over which another answer may be awaited.
  // Where there are two ports up, only one answer is awaited over each: then
  // one of them is always open.
  wire [3:0] room;
  wire a_free = ~(b_state[0] | c_state[0] | d_state[0]) & room[0];
  wire b_free = ~(a_state[0] | c_state[1] | d_state[1]) & room[1];
  wire c_free = ~(a_state[1] | b_state[1]) & room[2];
  wire d_free = ~(a_state[2] | b_state[2]) & room[3];

  fat_tree_grants grants (
      .level(level), .winner_fixed(winner_fixed), .upstream_single(upstream_single),
      .random_up(random_up), .random_pair_a(random_pair_a),
      .random_pair_b(random_pair_b), .random_third(random_third),
      .head({d_head, c_head, b_head, a_head}),
      .word({d_word, c_word, b_word, a_word}),
      .in_valid({d_in_valid, c_in_valid, b_in_valid, a_in_valid}),
      .open({d_free, c_free, b_free, a_free}),
      .swallow(swallow), .request(request),
      .a_grant(a_grant), .b_grant(b_grant), .c_grant(c_grant), .d_grant(d_grant));

  // Whose answer comes next at each output: {d, c, side} at a and b, {b, a} at c and d.
  wire [2:0] a_oldest, b_oldest;
  wire [1:0] c_oldest, d_oldest;
  fat_tree_tail_output #(.SOURCES(3)) output_a (
      .clock(clock), .reset(reset), .granted({d_grant[0], c_grant[0], b_grant[0]}),
      .ack(a_out_ack), .collision(a_out_collision),
      .one(1'b0), .room(room[0]), .oldest(a_oldest));
  fat_tree_tail_output #(.SOURCES(3)) output_b (
      .clock(clock), .reset(reset), .granted({d_grant[1], c_grant[1], a_grant[0]}),
      .ack(b_out_ack), .collision(b_out_collision),
      .one(1'b0), .room(room[1]), .oldest(b_oldest));
  fat_tree_tail_output #(.SOURCES(2)) output_c (
      .clock(clock), .reset(reset), .granted({b_grant[1], a_grant[1]}),
      .ack(c_out_ack), .collision(c_out_collision),
      .one(~upstream_single), .room(room[2]), .oldest(c_oldest));
  fat_tree_tail_output #(.SOURCES(2)) output_d (
      .clock(clock), .reset(reset), .granted({b_grant[2], a_grant[2]}),
      .ack(d_out_ack), .collision(d_out_collision),
      .one(1'b1), .room(room[3]), .oldest(d_oldest));

  // Input units. The select lines say which output takes their word next.
  wire [2:0] a_select, b_select;
  wire [1:0] c_select, d_select;
  wire a_valid, b_valid, c_valid, d_valid;
  wire [7:0] a_data, b_data, c_data, d_data;
  wire [2:0] a_answered = {d_oldest[0], c_oldest[0], b_oldest[0]};
  wire [2:0] b_answered = {d_oldest[1], c_oldest[1], a_oldest[0]};
  wire [1:0] c_answered = {b_oldest[1], a_oldest[1]};
  wire [1:0] d_answered = {b_oldest[2], a_oldest[2]};

  fat_tree_tail_input #(.TARGETS(3)) input_a (
      .clock(clock), .reset(reset), .in_valid(a_in_valid), .in_data(a_in_data),
      .in_ack(a_in_ack), .in_collision(a_in_collision),
      .head(a_head), .word(a_word), .swallow(swallow[0]), .request(request[0]),
      .grant(a_grant),
      .target_ack(a_answered & {d_out_ack, c_out_ack, b_out_ack}),
      .target_collision(a_answered & {d_out_collision, c_out_collision, b_out_collision}),
      .select(a_select), .valid(a_valid), .data(a_data), .state(a_state));
  fat_tree_tail_input #(.TARGETS(3)) input_b (
      .clock(clock), .reset(reset), .in_valid(b_in_valid), .in_data(b_in_data),
      .in_ack(b_in_ack), .in_collision(b_in_collision),
      .head(b_head), .word(b_word), .swallow(swallow[1]), .request(request[1]),
      .grant(b_grant),
      .target_ack(b_answered & {d_out_ack, c_out_ack, a_out_ack}),
      .target_collision(b_answered & {d_out_collision, c_out_collision, a_out_collision}),
      .select(b_select), .valid(b_valid), .data(b_data), .state(b_state));
  fat_tree_tail_input #(.TARGETS(2)) input_c (
      .clock(clock), .reset(reset), .in_valid(c_in_valid), .in_data(c_in_data),
      .in_ack(c_in_ack), .in_collision(c_in_collision),
      .head(c_head), .word(c_word), .swallow(swallow[2]), .request(request[2]),
      .grant(c_grant),
      .target_ack(c_answered & {b_out_ack, a_out_ack}),
      .target_collision(c_answered & {b_out_collision, a_out_collision}),
      .select(c_select), .valid(c_valid), .data(c_data), .state(c_state));
  fat_tree_tail_input #(.TARGETS(2)) input_d (
      .clock(clock), .reset(reset), .in_valid(d_in_valid), .in_data(d_in_data),
      .in_ack(d_in_ack), .in_collision(d_in_collision),
      .head(d_head), .word(d_word), .swallow(swallow[3]), .request(request[3]),
      .grant(d_grant),
      .target_ack(d_answered & {b_out_ack, a_out_ack}),
      .target_collision(d_answered & {b_out_collision, a_out_collision}),
      .select(d_select), .valid(d_valid), .data(d_data), .state(d_state));

  fat_tree_crossbar crossbar (
      .clock(clock), .reset(reset),
      .a_select(a_select), .b_select(b_select), .c_select(c_select), .d_select(d_select),
      .a_word({a_valid, a_data}), .b_word({b_valid, b_data}),
      .c_word({c_valid, c_data}), .d_word({d_valid, d_data}),
      .a_out({a_out_valid, a_out_data}), .b_out({b_out_valid, b_out_data}),
      .c_out({c_out_valid, c_out_data}), .d_out({d_out_valid, d_out_data}));
endmodule
`default_nettype wire
