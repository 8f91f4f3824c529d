// SPDX-License-Identifier: MIT OR Apache-2.0
// The router between senders and receivers that do anything the protocol
// allows: every input of this module is free in every clock.
`default_nettype none
`ifndef DROP
`define DROP 0
`endif

module fat_tree_router_proof (
    input wire        clock,
    input wire        reset,
    input wire [4:0]  level,
    input wire        winner_fixed,
    input wire        early_acknowledge,
    input wire        upstream_single,
    input wire        random_up,
    input wire        random_pair_a,
    input wire        random_pair_b,
    input wire        random_third,
    input wire [3:0]  in_valid,
    input wire [31:0] in_data,
    input wire [3:0]  out_ack,
    input wire [3:0]  out_collision,
    output wire [14:0] reached
);
  wire [3:0] in_ack, in_collision, out_valid, bypass, acknowledged;
  wire [31:0] out_data;
  wire [3:0] a_state, b_state;
  wire [2:0] c_state, d_state;

  // The last ports of the list are registers that `expose` makes visible.
  fat_tree_router router (
      .clock(clock), .reset(reset), .level(level), .winner_fixed(winner_fixed),
      .early_acknowledge(early_acknowledge), .upstream_single(upstream_single),
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
      .\input_a.acknowledged (acknowledged[0]), .\input_b.acknowledged (acknowledged[1]),
      .\input_c.acknowledged (acknowledged[2]), .\input_d.acknowledged (acknowledged[3]));

  // The first clock is a reset; later ones may be. Options stand still.
  reg started = 1'b0;
  reg [7:0] options_1;
  wire [7:0] options = {level, winner_fixed, early_acknowledge, upstream_single};
  wire active = started & ~reset;
  always @(posedge clock) begin
    started   <= 1'b1;
    options_1 <= options;
  end
  always @* begin
    if (`DROP != 7) assume (started | reset);
    if (started && `DROP != 6) assume (options == options_1);
  end

  // The state ports as sets: outputs held by each input, inputs that hold each
  // output.
  wire [3:0] from_a = {a_state[2], a_state[1], a_state[0], 1'b0};
  wire [3:0] from_b = {b_state[2], b_state[1], 1'b0, b_state[0]};
  wire [3:0] from_c = {2'b00, c_state[1], c_state[0]};
  wire [3:0] from_d = {2'b00, d_state[1], d_state[0]};
  wire [3:0] drain = {d_state[2], c_state[2], b_state[3], a_state[3]};
  wire [15:0] circuits = {from_d, from_c, from_b, from_a};

  wire [15:0] wants;
  wire [3:0] owed, goes_up;
  // Heads ask for a and b by name, and for c when it is the only way up; then
  // nobody asks for d.
  wire [3:0] asked = {{2{upstream_single}}, 2'b11};
  genvar port;
  generate
    for (port = 0; port < 4; port = port + 1) begin : ports
      input_monitor #(
          .UPSTREAM_PORT(port >= 2), .OTHER(port == 0 ? 4'b0010 : 4'b0001), .DROP(`DROP)
      ) sender (
          .clock(clock), .reset(reset), .active(active), .level(level),
          .early_acknowledge(early_acknowledge), .upstream_single(upstream_single),
          .valid(in_valid[port]), .data(in_data[port*8 +: 8]),
          .ack(in_ack[port]), .collision(in_collision[port]),
          .circuit(circuits[port*4 +: 4]), .drain(drain[port]),
          .out_ack(out_ack), .out_collision(out_collision),
          .out_valid(out_valid), .out_data(out_data),
          .bypass(bypass[port]), .acknowledged(acknowledged[port]),
          .goes_up(goes_up[port]), .wants(wants[port*4 +: 4]), .owed(owed[port]));
      output_monitor #(.DROP(`DROP)) receiver (
          .clock(clock), .reset(reset), .active(active),
          .winner_fixed(winner_fixed), .early_acknowledge(early_acknowledge),
          .valid(out_valid[port]), .data(out_data[port*8 +: 8]),
          .ack(out_ack[port]), .collision(out_collision[port]),
          .holders({circuits[12+port], circuits[8+port], circuits[4+port], circuits[port]}),
          .asked(asked[port]),
          .wanted({wants[12+port], wants[8+port], wants[4+port], wants[port]}),
          .owed(owed));
    end
  endgenerate

  // The one port up goes to the head that random_up prefers it for.
  reg contest_1, random_up_1;
  always @(posedge clock) begin
    contest_1 <= ~reset & upstream_single & ~winner_fixed & (&goes_up[1:0])
               & ~a_state[1] & ~b_state[1];
    random_up_1 <= random_up;
  end
  always @* if (active & contest_1)
    assert (random_up_1 ? b_state[1] & ~a_state[1] : a_state[1] & ~b_state[1]);

  // Situations that must be reachable, so that nothing above holds for want of
  // traffic: a, c and d want b at once (or b, c, d want a) and each may win; a
  // and b go up at once to either side; an acknowledged circuit outlives its
  // acknowledge; one is released by its acknowledge while another one goes on
  // whose first word was used up; d drains while a, b and c carry words; with a
  // single port up a and b want it at once and each may win; one is rejected
  // while the other one holds it, and gets it later.
  reg [3:0] three_1;
  reg [1:0] up_1;
  always @(posedge clock) begin
    three_1 <= (wants[1] & wants[9] & wants[13]) ? 4'b1101
             : (wants[4] & wants[8] & wants[12]) ? 4'b1110 : 4'b0000;
    up_1 <= goes_up[1:0];
  end
  wire [3:0] to_a = {circuits[12], circuits[8], circuits[4], circuits[0]};
  wire [3:0] to_b = {circuits[13], circuits[9], circuits[5], circuits[1]};
  wire two_up = active & (&up_1);
  assign reached[0] = active & three_1 == 4'b1101 & to_b == 4'b0001;
  assign reached[1] = active & three_1 == 4'b1101 & to_b == 4'b0100;
  assign reached[2] = active & three_1 == 4'b1101 & to_b == 4'b1000;
  assign reached[3] = active & three_1 == 4'b1110 & to_a == 4'b0010;
  assign reached[4] = active & three_1 == 4'b1110 & to_a == 4'b0100;
  assign reached[5] = active & three_1 == 4'b1110 & to_a == 4'b1000;
  assign reached[6] = two_up & from_a == 4'b0100 & from_b == 4'b1000;
  assign reached[7] = two_up & from_a == 4'b1000 & from_b == 4'b0100;
  assign reached[8] = active & acknowledged[2] & ~in_ack[2];
  assign reached[9] = active & in_ack[0] & ~in_valid[0] & ~early_acknowledge & bypass[2];
  assign reached[10] = active & drain[3] & ~in_collision[3] & (&out_valid[2:0]);
  reg blocked;
  always @(posedge clock)
    blocked <= ~reset & (blocked | (active & in_collision[1] & a_state[1] & out_valid[2]));
  assign reached[11] = two_up & upstream_single & from_a == 4'b0100 & drain[1];
  assign reached[12] = two_up & upstream_single & from_b == 4'b0100 & drain[0];
  assign reached[13] = active & upstream_single & in_collision[1] & a_state[1] & ~up_1[0];
  assign reached[14] = active & upstream_single & blocked & b_state[1];
endmodule
`default_nettype wire
