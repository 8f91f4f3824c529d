// SPDX-License-Identifier: MIT OR Apache-2.0
// Benches of the timing diagrams: a few messages by hand, one line of text a
// clock. Inputs change with the rising edge, like the registers of a neighbour.
`default_nettype none

// A word of a link: two hexadecimal digits, or dots when the link is silent.
`define WORD(name, valid, data) \
  if (valid) $write("%0s=%02h ", name, data); else $write("%0s=.. ", name)
`define BIT(name, value) $write("%0s=%0s ", name, (value) ? "1" : ".")

// Two messages that want output a of a level-1 router: c passes, d is rejected.
module pass;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] c_in = 9'd0, d_in = 9'd0;
  reg a_ack = 1'b0;
  wire a_valid, c_ack, c_collision, d_ack, d_collision;
  wire [7:0] a_data;
  wire [2:0] c_state, d_state;
  fat_tree_router router (
      .clock(clock), .reset(reset), .level(5'd1), .winner_fixed(1'b1), .early_acknowledge(1'b0),
      .upstream_single(1'b0), .random_up(1'b0), .random_pair_a(1'b0), .random_pair_b(1'b0), .random_third(1'b0),
      .a_in_valid(1'b0), .a_in_data(8'd0), .a_in_ack(), .a_in_collision(),
      .a_out_valid(a_valid), .a_out_data(a_data), .a_out_ack(a_ack), .a_out_collision(1'b0),
      .b_in_valid(1'b0), .b_in_data(8'd0), .b_in_ack(), .b_in_collision(),
      .b_out_valid(), .b_out_data(), .b_out_ack(1'b0), .b_out_collision(1'b0),
      .c_in_valid(c_in[8]), .c_in_data(c_in[7:0]), .c_in_ack(c_ack), .c_in_collision(c_collision),
      .c_out_valid(), .c_out_data(), .c_out_ack(1'b0), .c_out_collision(1'b0),
      .d_in_valid(d_in[8]), .d_in_data(d_in[7:0]), .d_in_ack(d_ack), .d_in_collision(d_collision),
      .d_out_valid(), .d_out_data(), .d_out_ack(1'b0), .d_out_collision(1'b0),
      .a_state(), .b_state(), .c_state(c_state), .d_state(d_state));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: begin c_in <= 9'h101; d_in <= 9'h101; end
      1: begin c_in <= 9'h141; d_in <= 9'h181; end
      2: begin c_in <= 9'h142; d_in <= 9'h182; end
      3: begin c_in <= 9'h143; d_in <= 9'h183; end
      4: begin c_in <= 9'h000; d_in <= 9'h000; end
      8: a_ack <= 1'b1;
      9: a_ack <= 1'b0;
      default: ;
    endcase
  end
  always @(negedge clock) if (cycle >= 0) begin
    `WORD("c_in", c_in[8], c_in[7:0]);
    `WORD("d_in", d_in[8], d_in[7:0]);
    `WORD("a_out", a_valid, a_data);
    `BIT("a_out_ack", a_ack);
    `BIT("c_in_ack", c_ack);
    `BIT("d_in_collision", d_collision);
    $write("c_state=%0d d_state=%0d\n", c_state, d_state);
    if (cycle == 12) $finish;
  end
endmodule

// A message that turns at a level-1 router and is acknowledged at its head;
// its tail frees the circuit.
module turn;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] a_in = 9'd0;
  reg b_ack = 1'b0;
  wire b_valid, a_ack;
  wire [7:0] b_data;
  wire [3:0] a_state;
  fat_tree_router router (
      .clock(clock), .reset(reset), .level(5'd1), .winner_fixed(1'b1), .early_acknowledge(1'b1),
      .upstream_single(1'b0), .random_up(1'b0), .random_pair_a(1'b0), .random_pair_b(1'b0), .random_third(1'b0),
      .a_in_valid(a_in[8]), .a_in_data(a_in[7:0]), .a_in_ack(a_ack), .a_in_collision(),
      .a_out_valid(), .a_out_data(), .a_out_ack(1'b0), .a_out_collision(1'b0),
      .b_in_valid(1'b0), .b_in_data(8'd0), .b_in_ack(), .b_in_collision(),
      .b_out_valid(b_valid), .b_out_data(b_data), .b_out_ack(b_ack), .b_out_collision(1'b0),
      .c_in_valid(1'b0), .c_in_data(8'd0), .c_in_ack(), .c_in_collision(),
      .c_out_valid(), .c_out_data(), .c_out_ack(1'b0), .c_out_collision(1'b0),
      .d_in_valid(1'b0), .d_in_data(8'd0), .d_in_ack(), .d_in_collision(),
      .d_out_valid(), .d_out_data(), .d_out_ack(1'b0), .d_out_collision(1'b0),
      .a_state(a_state), .b_state(), .c_state(), .d_state());
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: a_in <= 9'h101;
      1: a_in <= 9'h103;
      2: a_in <= 9'h141;
      3: a_in <= 9'h142;
      4: a_in <= 9'h143;
      5: a_in <= 9'h144;
      6: a_in <= 9'h000;
      default: ;
    endcase
    b_ack <= cycle == 4;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `WORD("a_in", a_in[8], a_in[7:0]);
    `WORD("b_out", b_valid, b_data);
    `BIT("b_out_ack", b_ack);
    `BIT("a_in_ack", a_ack);
    $write("a_state=%0d\n", a_state);
    if (cycle == 10) $finish;
  end
endmodule

// Two messages of two words over output a of a level-1 router that frees outputs
// behind the tail: d follows c before c is answered.
module behind;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] c_in = 9'd0, d_in = 9'd0;
  reg a_ack = 1'b0, a_collision = 1'b0;
  wire a_valid, c_ack, d_collision;
  wire [7:0] a_data;
  wire [2:0] c_state, d_state;
  fat_tree_tail_router router (
      .clock(clock), .reset(reset), .level(5'd1), .winner_fixed(1'b1),
      .upstream_single(1'b0), .random_up(1'b0), .random_pair_a(1'b0), .random_pair_b(1'b0), .random_third(1'b0),
      .a_in_valid(1'b0), .a_in_data(8'd0), .a_in_ack(), .a_in_collision(),
      .a_out_valid(a_valid), .a_out_data(a_data), .a_out_ack(a_ack), .a_out_collision(a_collision),
      .b_in_valid(1'b0), .b_in_data(8'd0), .b_in_ack(), .b_in_collision(),
      .b_out_valid(), .b_out_data(), .b_out_ack(1'b0), .b_out_collision(1'b0),
      .c_in_valid(c_in[8]), .c_in_data(c_in[7:0]), .c_in_ack(c_ack), .c_in_collision(),
      .c_out_valid(), .c_out_data(), .c_out_ack(1'b0), .c_out_collision(1'b0),
      .d_in_valid(d_in[8]), .d_in_data(d_in[7:0]), .d_in_ack(), .d_in_collision(d_collision),
      .d_out_valid(), .d_out_data(), .d_out_ack(1'b0), .d_out_collision(1'b0),
      .a_state(), .b_state(), .c_state(c_state), .d_state(d_state));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    c_in <= cycle == 0 ? 9'h101 : cycle == 1 ? 9'h141 : 9'h000;
    d_in <= cycle == 3 ? 9'h101 : cycle == 4 ? 9'h181 : 9'h000;
    a_ack <= cycle == 8;
    a_collision <= cycle == 10;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `WORD("c_in", c_in[8], c_in[7:0]);
    `WORD("d_in", d_in[8], d_in[7:0]);
    `WORD("a_out", a_valid, a_data);
    `BIT("a_out_ack", a_ack);
    `BIT("a_out_collision", a_collision);
    `BIT("c_in_ack", c_ack);
    `BIT("d_in_collision", d_collision);
    $write("c_state=%0d d_state=%0d\n", c_state, d_state);
    if (cycle == 13) $finish;
  end
endmodule

// Node 0 sends two words to node 3; the first attempt collides.
module sender;
  reg clock = 1'b0, reset = 1'b1;
  reg request = 1'b0, ack = 1'b0, collision = 1'b0;
  wire valid, launch, collided, done;
  wire [7:0] data;
  wire [2:0] state;
  network_interface node (
      .clock(clock), .reset(reset), .node(20'd0), .strategy(2'd0), .backoff_limit(4'd1),
      .early_acknowledge(1'b0), .random_wait(12'd0), .round_start(1'b0), .tx_request(request),
      .tx_destination(20'd3), .tx_words(20'd1), .tx_launch(launch), .tx_collision(collided),
      .tx_done(done), .rx_done(), .rx_error(), .net_in_valid(1'b0), .net_in_data(8'd0),
      .net_in_ack(), .net_in_collision(), .net_out_valid(valid), .net_out_data(data),
      .net_out_ack(ack), .net_out_collision(collision), .tx_state(state), .rx_state());
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: request <= 1'b1;
      14: request <= 1'b0;
      default: ;
    endcase
    collision <= cycle == 3;
    ack <= cycle == 12;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `BIT("tx_request", request);
    `WORD("net_out", valid, data);
    `BIT("net_out_collision", collision);
    `BIT("net_out_ack", ack);
    $write("tx_state=%0d ", state);
    `BIT("tx_launch", launch);
    `BIT("tx_collision", collided);
    `BIT("tx_done", done);
    $write("\n");
    if (cycle == 16) $finish;
  end
endmodule

// Node 3 receives its two words, once with each setting of early_acknowledge.
module receiver;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] in = 9'd0;
  wire [1:0] ack, done, error, state;
  genvar tail;
  generate
    for (tail = 0; tail < 2; tail = tail + 1) begin : nodes
      network_interface node (
          .clock(clock), .reset(reset), .node(20'd3), .strategy(2'd0), .backoff_limit(4'd1),
          .early_acknowledge(tail == 1), .random_wait(12'd0), .round_start(1'b0), .tx_request(1'b0),
          .tx_destination(20'd0), .tx_words(20'd0), .tx_launch(), .tx_collision(), .tx_done(),
          .rx_done(done[tail]), .rx_error(error[tail]), .net_in_valid(in[8]),
          .net_in_data(in[7:0]), .net_in_ack(ack[tail]), .net_in_collision(),
          .net_out_valid(), .net_out_data(), .net_out_ack(1'b0), .net_out_collision(1'b0),
          .tx_state(), .rx_state(state[tail]));
    end
  endgenerate
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: in <= 9'h103;
      1: in <= 9'h104;
      2: in <= 9'h000;
      default: ;
    endcase
  end
  always @(negedge clock) if (cycle >= 0) begin
    `WORD("net_in", in[8], in[7:0]);
    $write("rx_state=%0d ", state[0]);
    `BIT("rx_done", done[0]);
    `BIT("net_in_ack/0", ack[0]);
    `BIT("net_in_ack/1", ack[1]);
    `BIT("rx_error", error[0] | error[1]);
    $write("\n");
    if (cycle == 6) $finish;
  end
endmodule

// A head and its acknowledge through one extra clock of a link.
module delay;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] in = 9'd0;
  reg far_ack = 1'b0;
  wire valid, near_ack;
  wire [7:0] data;
  delay_line line (
      .clock(clock), .reset(reset), .near_in_valid(in[8]), .near_in_data(in[7:0]),
      .near_in_ack(near_ack), .near_in_collision(), .near_out_valid(), .near_out_data(),
      .near_out_ack(1'b0), .near_out_collision(1'b0), .far_in_valid(1'b0), .far_in_data(8'd0),
      .far_in_ack(), .far_in_collision(), .far_out_valid(valid), .far_out_data(data),
      .far_out_ack(far_ack), .far_out_collision(1'b0));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: in <= 9'h103;
      1: in <= 9'h104;
      2: in <= 9'h000;
      default: ;
    endcase
    far_ack <= cycle == 4;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `WORD("near_in", in[8], in[7:0]);
    `WORD("far_out", valid, data);
    `BIT("far_out_ack", far_ack);
    `BIT("near_in_ack", near_ack);
    $write("\n");
    if (cycle == 7) $finish;
  end
endmodule
`default_nettype wire
