// SPDX-License-Identifier: MIT OR Apache-2.0
// Benches of the timing diagrams of the m-port switches and their interface, as in
// diagrams.v.
`default_nettype none

`define ROUTED_WORD(name, valid, data) \
  if (valid) $write("%0s=%02h ", name, data); else $write("%0s=.. ", name)
`define ROUTED_BIT(name, value) $write("%0s=%0s ", name, (value) ? "1" : ".")

// Two messages that want output 2 of a switch with four ports: that from port 0
// passes, that from port 1 is rejected.
module meet;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] p0_in = 9'd0, p1_in = 9'd0;
  reg p2_ack = 1'b0;
  wire [3:0] valid, ack, collision;
  wire [31:0] data;
  wire [19:0] state;
  mport_switch #(.PORTS(4), .INDEX(2)) chip (
      .clock(clock), .reset(reset), .winner_fixed(1'b1), .early_acknowledge(1'b0),
      .random_order(2'd0), .in_valid({2'b00, p1_in[8], p0_in[8]}),
      .in_data({16'd0, p1_in[7:0], p0_in[7:0]}), .in_ack(ack), .in_collision(collision),
      .out_valid(valid), .out_data(data), .out_ack({1'b0, p2_ack, 2'b00}),
      .out_collision(4'd0), .state(state));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: begin p0_in <= 9'h102; p1_in <= 9'h102; end
      1: begin p0_in <= 9'h100; p1_in <= 9'h101; end
      2: begin p0_in <= 9'h141; p1_in <= 9'h181; end
      3: begin p0_in <= 9'h142; p1_in <= 9'h182; end
      4: begin p0_in <= 9'h000; p1_in <= 9'h000; end
      default: ;
    endcase
    p2_ack <= cycle == 7;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `ROUTED_WORD("p0_in", p0_in[8], p0_in[7:0]);
    `ROUTED_WORD("p1_in", p1_in[8], p1_in[7:0]);
    `ROUTED_WORD("p2_out", valid[2], data[23:16]);
    `ROUTED_BIT("p2_out_ack", p2_ack);
    `ROUTED_BIT("p0_in_ack", ack[0]);
    `ROUTED_BIT("p1_in_collision", collision[1]);
    $write("p0_state=%0d p1_state=%0d\n", state[4:0], state[9:5]);
    if (cycle == 11) $finish;
  end
endmodule

// Two messages that want output 2 of a switch with four ports that frees outputs behind
// the tail: that from port 1 passes before that from port 0 is answered.
module behind_head;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] p0_in = 9'd0, p1_in = 9'd0;
  reg p2_ack = 1'b0, p2_collision = 1'b0;
  wire [3:0] valid, ack, collision;
  wire [31:0] data;
  wire [19:0] state;
  mport_tail_switch #(.PORTS(4), .INDEX(2)) chip (
      .clock(clock), .reset(reset), .winner_fixed(1'b1),
      .random_order(2'd0), .in_valid({2'b00, p1_in[8], p0_in[8]}),
      .in_data({16'd0, p1_in[7:0], p0_in[7:0]}), .in_ack(ack), .in_collision(collision),
      .out_valid(valid), .out_data(data), .out_ack({1'b0, p2_ack, 2'b00}),
      .out_collision({1'b0, p2_collision, 2'b00}), .state(state));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    p0_in <= cycle == 0 ? 9'h102 : cycle == 1 ? 9'h100 : cycle == 2 ? 9'h141 : 9'd0;
    p1_in <= cycle == 3 ? 9'h102 : cycle == 4 ? 9'h101 : cycle == 5 ? 9'h181 : 9'd0;
    p2_ack <= cycle == 8;
    p2_collision <= cycle == 10;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `ROUTED_WORD("p0_in", p0_in[8], p0_in[7:0]);
    `ROUTED_WORD("p1_in", p1_in[8], p1_in[7:0]);
    `ROUTED_WORD("p2_out", valid[2], data[23:16]);
    `ROUTED_BIT("p2_out_ack", p2_ack);
    `ROUTED_BIT("p2_out_collision", p2_collision);
    `ROUTED_BIT("p0_in_ack", ack[0]);
    `ROUTED_BIT("p1_in_collision", collision[1]);
    $write("p0_state=%0d p1_state=%0d\n", state[4:0], state[9:5]);
    if (cycle == 13) $finish;
  end
endmodule

// Node 1 of FT(4, 2) sends two words to node 6 by ports 3, 3, 0.
module routed;
  reg clock = 1'b0, reset = 1'b1;
  reg request = 1'b0, ack = 1'b0;
  wire valid, launch, done;
  wire [7:0] data;
  wire [2:0] state;
  mport_interface node (
      .clock(clock), .reset(reset), .node(20'd1), .strategy(2'd0), .backoff_limit(4'd1),
      .early_acknowledge(1'b0), .random_wait(12'd0), .round_start(1'b0), .tx_request(request),
      .tx_destination(20'd6), .tx_words(20'd1), .tx_hops(4'd2),
      .tx_route_low(64'h030300), .tx_route_high(64'd0), .tx_launch(launch), .tx_collision(),
      .tx_done(done), .rx_done(), .rx_error(), .net_in_valid(1'b0), .net_in_data(8'd0),
      .net_in_ack(), .net_in_collision(), .net_out_valid(valid), .net_out_data(data),
      .net_out_ack(ack), .net_out_collision(1'b0), .tx_state(state), .rx_state());
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: request <= 1'b1;
      12: request <= 1'b0;
      default: ;
    endcase
    ack <= cycle == 10;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `ROUTED_BIT("tx_request", request);
    `ROUTED_WORD("net_out", valid, data);
    `ROUTED_BIT("net_out_ack", ack);
    $write("tx_state=%0d ", state);
    `ROUTED_BIT("tx_launch", launch);
    `ROUTED_BIT("tx_done", done);
    $write("\n");
    if (cycle == 14) $finish;
  end
endmodule
`default_nettype wire
