// SPDX-License-Identifier: MIT OR Apache-2.0
// Benches of the timing diagrams of the stack switch and its interface, as in
// diagrams.v. A star marks the final flit of a packet.
`default_nettype none

`define STACK_FLIT(name, valid, last, data) \
  if (!(valid)) $write("%0s=.. ", name); \
  else if (last) $write("%0s=%02h* ", name, data); \
  else $write("%0s=%02h ", name, data)
`define STACK_BIT(name, value) $write("%0s=%0s ", name, (value) ? "1" : ".")

// Two packets that want output 2 of a switch with four ports: that from input 0 passes, that
// from input 1 waits.
module stack_meet;
  reg clock = 1'b0, reset = 1'b1;
  reg [9:0] in_0 = 10'd0, in_1 = 10'd0;
  reg credit_2 = 1'b0;
  wire [3:0] valid, last, credit;
  wire [31:0] data;
  wire [7:0] state;
  wire [15:0] owner;
  wire [11:0] fill, credits;
  stack_switch #(.PORTS(4)) chip (
      .clock(clock), .reset(reset), .lost(), .in_valid({2'b00, in_1[8], in_0[8]}),
      .in_data({16'd0, in_1[7:0], in_0[7:0]}), .in_last({2'b00, in_1[9], in_0[9]}),
      .in_credit(credit), .out_valid(valid), .out_data(data), .out_last(last),
      .out_credit({1'b0, credit_2, 2'b00}), .state(state), .owner(owner), .fill(fill),
      .credits(credits));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    credit_2 <= cycle >= 0 & valid[2];
    case (cycle)
      0: begin in_0 <= 10'h102; in_1 <= 10'h102; end
      1: begin in_0 <= 10'h141; in_1 <= 10'h181; end
      2: begin in_0 <= 10'h342; in_1 <= 10'h382; end
      default: begin in_0 <= 10'd0; in_1 <= 10'd0; end
    endcase
  end
  always @(negedge clock) if (cycle >= 0) begin
    `STACK_FLIT("in_0", in_0[8], in_0[9], in_0[7:0]);
    `STACK_BIT("in_0_credit", credit[0]);
    `STACK_FLIT("in_1", in_1[8], in_1[9], in_1[7:0]);
    `STACK_BIT("in_1_credit", credit[1]);
    `STACK_FLIT("out_2", valid[2], last[2], data[23:16]);
    `STACK_BIT("out_2_credit", credit_2);
    $write("state_0=%0d state_1=%0d fill_1=%0d owner_2=%0d credits_2=%0d\n", state[1:0],
           state[3:2], fill[5:3], owner[11:8], credits[8:6]);
    if (cycle == 10) $finish;
  end
endmodule

// Node 0 sends two flits to node 1, with one switch between them.
module stack_ends;
  reg clock = 1'b0, reset = 1'b1, request = 1'b0;
  wire launch, done, rx_valid, sent, sent_last, sent_credit, came, came_last, came_credit;
  wire [7:0] sent_data, came_data;
  wire [23:0] rx_id;
  wire [19:0] rx_words;
  wire [2:0] state, credits;
  wire [1:0] rx_state;
  wire idle_valid, idle_last, idle_credit;
  wire [7:0] idle_data;
  stack_interface sender (
      .clock(clock), .reset(reset), .tx_request(request), .tx_id(24'h0b0c0d), .tx_words(20'd1),
      .tx_hops(4'd0), .tx_route_low(64'd1), .tx_route_high(64'd0), .tx_launch(launch),
      .tx_done(done), .rx_valid(), .rx_id(), .rx_words(), .rx_wrong(), .net_in_valid(1'b0),
      .net_in_data(8'd0), .net_in_last(1'b0), .net_in_credit(), .net_out_valid(sent),
      .net_out_data(sent_data), .net_out_last(sent_last), .net_out_credit(sent_credit),
      .tx_state(state), .tx_credits(credits), .rx_state());
  stack_switch #(.PORTS(2)) switch (
      .clock(clock), .reset(reset), .lost(), .in_valid({1'b0, sent}),
      .in_data({8'd0, sent_data}), .in_last({1'b0, sent_last}),
      .in_credit({idle_credit, sent_credit}), .out_valid({came, idle_valid}),
      .out_data({came_data, idle_data}), .out_last({came_last, idle_last}),
      .out_credit({came_credit, 1'b0}), .state(), .owner(), .fill(), .credits());
  stack_interface receiver (
      .clock(clock), .reset(reset), .tx_request(1'b0), .tx_id(24'd0), .tx_words(20'd0),
      .tx_hops(4'd0), .tx_route_low(64'd0), .tx_route_high(64'd0), .tx_launch(), .tx_done(),
      .rx_valid(rx_valid), .rx_id(rx_id), .rx_words(rx_words), .rx_wrong(), .net_in_valid(came),
      .net_in_data(came_data), .net_in_last(came_last), .net_in_credit(came_credit),
      .net_out_valid(), .net_out_data(), .net_out_last(), .net_out_credit(1'b0), .tx_state(),
      .tx_credits(), .rx_state(rx_state));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: request <= 1'b1;
      7: request <= 1'b0;
      default: ;
    endcase
  end
  always @(negedge clock) if (cycle >= 0) begin
    `STACK_BIT("tx_request", request);
    `STACK_FLIT("net_out_0", sent, sent_last, sent_data);
    `STACK_BIT("net_out_credit_0", sent_credit);
    $write("tx_state=%0d tx_credits=%0d ", state, credits);
    `STACK_BIT("tx_launch", launch);
    `STACK_BIT("tx_done", done);
    `STACK_FLIT("net_in_1", came, came_last, came_data);
    `STACK_BIT("net_in_credit_1", came_credit);
    $write("rx_state=%0d ", rx_state);
    `STACK_BIT("rx_valid", rx_valid);
    $write("\n");
    if (cycle == 12) $finish;
  end
endmodule

// Two flits and a credit through one extra clock of a link.
module stack_delay;
  reg clock = 1'b0, reset = 1'b1, credit = 1'b0;
  reg [9:0] in = 10'd0;
  wire valid, last, near_credit;
  wire [7:0] data;
  stack_delay_line line (
      .clock(clock), .reset(reset), .near_in_valid(in[9]), .near_in_data(in[7:0]),
      .near_in_last(in[8]), .near_in_credit(near_credit), .near_out_valid(), .near_out_data(),
      .near_out_last(), .near_out_credit(1'b0), .far_in_valid(1'b0), .far_in_data(8'd0),
      .far_in_last(1'b0), .far_in_credit(), .far_out_valid(valid), .far_out_data(data),
      .far_out_last(last), .far_out_credit(credit));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: in <= 10'h203;
      1: in <= 10'h304;
      2: in <= 10'h000;
      default: ;
    endcase
    credit <= cycle == 3;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `STACK_FLIT("near_in", in[9], in[8], in[7:0]);
    `STACK_FLIT("far_out", valid, last, data);
    `STACK_BIT("far_out_credit", credit);
    `STACK_BIT("near_in_credit", near_credit);
    $write("\n");
    if (cycle == 6) $finish;
  end
endmodule
`default_nettype wire
