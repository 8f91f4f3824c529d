// SPDX-License-Identifier: MIT OR Apache-2.0
// The router that frees outputs behind the tail, between senders and receivers that
// do anything the protocol allows: every input of this module is free in every clock.
`default_nettype none
`ifndef DROP
`define DROP 0
`endif

module fat_tree_tail_router_proof (
    input wire        clock,
    input wire        reset,
    input wire [4:0]  level,
    input wire        winner_fixed,
    input wire        upstream_single,
    input wire        random_up,
    input wire        random_pair_a,
    input wire        random_pair_b,
    input wire        random_third,
    input wire [3:0]  in_valid,
    input wire [31:0] in_data,
    input wire [3:0]  out_ack,
    input wire [3:0]  out_collision,
    input wire [3:0]  pick,
    output wire [7:0] reached
);
  wire [3:0] in_ack, in_collision, out_valid, bypass;
  wire [31:0] out_data;
  wire [3:0] a_state, b_state;
  wire [2:0] c_state, d_state;
  wire [11:0] a_to, b_to;
  wire [7:0] c_to, d_to;
  wire [15:0] acked, collided;
  wire [11:0] a_from, b_from;
  wire [7:0] c_from, d_from;

  // The last ports of the list are registers that `expose` makes visible.
  fat_tree_tail_router router (
      .clock(clock), .reset(reset), .level(level), .winner_fixed(winner_fixed),
      .upstream_single(upstream_single),
      .random_up(random_up), .random_pair_a(random_pair_a),
      .random_pair_b(random_pair_b), .random_third(random_third),
      .a_in_valid(in_valid[0]), .b_in_valid(in_valid[1]),
      .c_in_valid(in_valid[2]), .d_in_valid(in_valid[3]),
      .a_in_data(in_data[7:0]), .b_in_data(in_data[15:8]),
      .c_in_data(in_data[23:16]), .d_in_data(in_data[31:24]),
      .a_in_ack(in_ack[0]), .b_in_ack(in_ack[1]),
      .c_in_ack(in_ack[2]), .d_in_ack(in_ack[3]),
      .a_in_collision(in_collision[0]), .b_in_collision(in_collision[1]),
      .c_in_collision(in_collision[2]), .d_in_collision(in_collision[3]),
      .a_out_valid(out_valid[0]), .b_out_valid(out_valid[1]),
      .c_out_valid(out_valid[2]), .d_out_valid(out_valid[3]),
      .a_out_data(out_data[7:0]), .b_out_data(out_data[15:8]),
      .c_out_data(out_data[23:16]), .d_out_data(out_data[31:24]),
      .a_out_ack(out_ack[0]), .b_out_ack(out_ack[1]),
      .c_out_ack(out_ack[2]), .d_out_ack(out_ack[3]),
      .a_out_collision(out_collision[0]), .b_out_collision(out_collision[1]),
      .c_out_collision(out_collision[2]), .d_out_collision(out_collision[3]),
      .a_state(a_state), .b_state(b_state), .c_state(c_state), .d_state(d_state),
      .\input_a.bypass (bypass[0]), .\input_b.bypass (bypass[1]),
      .\input_c.bypass (bypass[2]), .\input_d.bypass (bypass[3]),
      .\input_a.to (a_to), .\input_b.to (b_to), .\input_c.to (c_to), .\input_d.to (d_to),
      .\input_a.acked (acked[3:0]), .\input_b.acked (acked[7:4]),
      .\input_c.acked (acked[11:8]), .\input_d.acked (acked[15:12]),
      .\input_a.collided (collided[3:0]), .\input_b.collided (collided[7:4]),
      .\input_c.collided (collided[11:8]), .\input_d.collided (collided[15:12]),
      .\output_a.from (a_from), .\output_b.from (b_from),
      .\output_c.from (c_from), .\output_d.from (d_from));

  // The first clock is a reset; later ones may be. Options stand still.
  reg started = 1'b0;
  reg [6:0] options_1;
  wire [6:0] options = {level, winner_fixed, upstream_single};
  wire active = started & ~reset;
  always @(posedge clock) begin
    started   <= 1'b1;
    options_1 <= options;
  end
  always @* begin
    if (`DROP != 7) assume (started | reset);
    if (started && `DROP != 6) assume (options == options_1);
  end

  // The state ports and registers as sets of ports, four bits each.
  wire [3:0] from_a = {a_state[2], a_state[1], a_state[0], 1'b0};
  wire [3:0] from_b = {b_state[2], b_state[1], 1'b0, b_state[0]};
  wire [3:0] from_c = {2'b00, c_state[1], c_state[0]};
  wire [3:0] from_d = {2'b00, d_state[1], d_state[0]};
  wire [3:0] drain = {d_state[2], c_state[2], b_state[3], a_state[3]};
  wire [15:0] circuits = {from_d, from_c, from_b, from_a};
  wire [63:0] to, from;
  genvar age, port;
  generate
    for (age = 0; age < 4; age = age + 1) begin : ages
      assign to[age*4 +: 4]      = {a_to[age*3+2], a_to[age*3+1], a_to[age*3], 1'b0};
      assign to[16 + age*4 +: 4] = {b_to[age*3+2], b_to[age*3+1], 1'b0, b_to[age*3]};
      assign to[32 + age*4 +: 4] = {2'b00, c_to[age*2 +: 2]};
      assign to[48 + age*4 +: 4] = {2'b00, d_to[age*2 +: 2]};
      assign from[age*4 +: 4]      = {a_from[age*3+2], a_from[age*3+1], a_from[age*3], 1'b0};
      assign from[16 + age*4 +: 4] = {b_from[age*3+2], b_from[age*3+1], 1'b0, b_from[age*3]};
      assign from[32 + age*4 +: 4] = {2'b00, c_from[age*2 +: 2]};
      assign from[48 + age*4 +: 4] = {2'b00, d_from[age*2 +: 2]};
    end
  endgenerate

  wire [15:0] wants;
  wire [11:0] due;
  wire [3:0] goes_up, watched, crowded;
  wire [3:0] asked = {{2{upstream_single}}, 2'b11};
  wire [3:0] one = {1'b1, ~upstream_single, 2'b00};
  generate
    for (port = 0; port < 4; port = port + 1) begin : ports
      tail_input_monitor #(
          .UPSTREAM_PORT(port >= 2), .PORT(port), .OTHER(port == 0 ? 4'b0010 : 4'b0001),
          .DROP(`DROP)
      ) sender (
          .clock(clock), .reset(reset), .active(active), .level(level),
          .upstream_single(upstream_single),
          .valid(in_valid[port]), .data(in_data[port*8 +: 8]),
          .ack(in_ack[port]), .collision(in_collision[port]),
          .circuit(circuits[port*4 +: 4]), .drain(drain[port]),
          .out_ack(out_ack), .out_collision(out_collision),
          .out_valid(out_valid), .out_data(out_data),
          .due(due), .pick(pick[port]), .bypass(bypass[port]),
          .to(to[port*16 +: 16]), .acked(acked[port*4 +: 4]),
          .collided(collided[port*4 +: 4]), .from(from),
          .goes_up(goes_up[port]), .wants(wants[port*4 +: 4]), .watched(watched[port]));
      tail_output_monitor #(.DROP(`DROP)) receiver (
          .clock(clock), .reset(reset), .active(active),
          .winner_fixed(winner_fixed), .one(one[port]),
          .valid(out_valid[port]), .data(out_data[port*8 +: 8]),
          .ack(out_ack[port]), .collision(out_collision[port]),
          .holders({circuits[12+port], circuits[8+port], circuits[4+port], circuits[port]}),
          .asked(asked[port]),
          .wanted({wants[12+port], wants[8+port], wants[4+port], wants[port]}),
          .from(from[port*16 +: 16]), .due_before(due[port*3 +: 3]), .crowded(crowded[port]));
    end
  endgenerate

  // Situations that must be reachable, so that nothing above holds for want of
  // traffic: an answer waits behind an older one; two and more answers are awaited
  // at a and, with a single port up, at c; the next message passes b before the one
  // before it is answered; a head is rejected at an input that waits for nothing, and
  // another one at an input that waits for an older answer.
  reg busy_1;  // input d held an output or drained a clock ago
  always @(posedge clock) busy_1 <= reset | (|d_state);
  assign reached[0] = active & watched[2];
  assign reached[1] = active & crowded[0];
  assign reached[2] = active & crowded[2] & upstream_single;
  assign reached[3] = active & crowded[1] & out_valid[1];
  assign reached[4] = active & drain[3] & in_collision[3];
  assign reached[5] = active & drain[3] & ~busy_1 & ~in_collision[3] & (|d_to);
  assign reached[6] = active & in_ack[2] & c_state == 3'd0;
  assign reached[7] = active & in_ack[2] & c_state == 3'd2;
endmodule
`default_nettype wire
