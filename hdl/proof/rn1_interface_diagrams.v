// SPDX-License-Identifier: MIT OR Apache-2.0
// Benches of the timing diagrams of RN1's interface and of the extra clock of its
// links: an interface, two routers and an interface. The wire between the routers has
// one extra clock and rotates the byte by two bits.
`default_nettype none
`include "rn1_protocol.vh"

// An interface of which t0 and r0 are in use. A request has two bytes behind one
// routing byte, a reply two behind an idle word.
module rn1_interface_in_a_row (
    input  wire        clock,
    input  wire        reset,
    input  wire [19:0] node,
    input  wire [3:0]  turns,
    input  wire        request,
    output wire [8:0]  t0_forward,
    input  wire [8:0]  t0_backward,
    input  wire [8:0]  r0_forward,
    output wire [8:0]  r0_backward,
    output wire        launch,
    output wire        blocked,
    output wire        reply,
    output wire        done,
    output wire [3:0]  stage,
    output wire        opened,
    output wire        received,
    output wire [3:0]  tx_state,
    output wire [2:0]  r0_state
);
  rn1_interface chip (
      .clock(clock), .reset(reset), .node(node), .strategy(2'd0), .backoff_limit(4'd0),
      .tx_enable(2'd1), .rotation(2'd1), .rx_delay(5'd0), .tx_stages(4'd2),
      .tx_swallows(16'd0), .turns(turns), .reply_words(16'd1),
      .reply_delay(8'd1), .close_drop(1'b1), .random_wait(12'd0), .random_port(1'b0),
      .tx_request(request), .tx_destination(20'd3), .tx_words(20'd1), .tx_route(32'd0),
      .tx_route_bytes(2'd0), .tx_launch(launch), .tx_blocked(blocked), .tx_reply(reply),
      .tx_done(done), .tx_error(), .tx_stage(stage), .rx0_open(opened), .rx1_open(),
      .rx0_done(received), .rx1_done(), .rx0_error(), .rx1_error(),
      .t0_forward(t0_forward), .t0_backward(t0_backward), .t1_forward(), .t1_backward(9'd0),
      .r0_forward(r0_forward), .r0_backward(r0_backward), .r1_forward(9'd0), .r1_backward(),
      .tx_state(tx_state), .r0_state(r0_state), .r1_state());
endmodule

// Node 1 sends to node 3; a line of text a clock.
module rn1_interface_row (
    input wire [3:0] turns,
    input wire       enable_second,
    input wire       request,
    input wire       clock,
    input wire       reset
);
  wire [8:0] sent, back, on_1, back_2, arrived, answered, far_on, far_back;
  wire launch, blocked, reply, done, opened, received;
  wire [3:0] stage, tx_state;
  wire [2:0] r0_state;
  rn1_interface_in_a_row source (
      .clock(clock), .reset(reset), .node(20'd1), .turns(turns), .request(request),
      .t0_forward(sent), .t0_backward(back), .r0_forward(9'd0), .r0_backward(),
      .launch(launch), .blocked(blocked), .reply(reply), .done(done),
      .stage(stage), .opened(), .received(), .tx_state(tx_state), .r0_state());
  rn1_in_a_row first (
      .clock(clock), .reset(reset), .enable(1'b1), .in_delay(5'd0), .out_delay(5'd1),
      .in_forward(sent), .in_backward(back), .out_forward(on_1),
      .out_backward({far_back[8], far_back[1:0], far_back[7:2]}), .state());
  rn1_delay_line line (
      .clock(clock), .reset(reset), .near_forward({on_1[8], on_1[5:0], on_1[7:6]}),
      .near_backward(far_back), .far_forward(far_on), .far_backward(back_2));
  rn1_in_a_row second (
      .clock(clock), .reset(reset), .enable(enable_second), .in_delay(5'd1), .out_delay(5'd0),
      .in_forward(far_on), .in_backward(back_2), .out_forward(arrived),
      .out_backward(answered), .state());
  rn1_interface_in_a_row destination (
      .clock(clock), .reset(reset), .node(20'd3), .turns(turns), .request(1'b0),
      .t0_forward(), .t0_backward(9'd0), .r0_forward(arrived), .r0_backward(answered),
      .launch(), .blocked(), .reply(), .done(), .stage(), .opened(opened),
      .received(received), .tx_state(), .r0_state(r0_state));
  always @(negedge clock) if (~reset) begin
    `BIT("tx_request", request);
    `RN1_WORD("t0_forward", sent);
    `RN1_WORD("t0_backward", back);
    $write("tx_state=%0d tx_stage=%0d ", tx_state, stage);
    `BIT("tx_launch", launch);
    `BIT("tx_blocked", blocked);
    `BIT("tx_reply", reply);
    `BIT("tx_done", done);
    `RN1_WORD("r0_forward", arrived);
    `RN1_WORD("r0_backward", answered);
    $write("r0_state=%0d ", r0_state);
    `BIT("rx0_open", opened);
    `BIT("rx0_done", received);
    $write("\n");
  end
endmodule

// A request and its reply; the destination closes the connection.
module reply;
  reg clock = 1'b0, reset = 1'b1, request = 1'b0;
  rn1_interface_row row (.turns(4'd1), .enable_second(1'b1), .request(request),
                         .clock(clock), .reset(reset));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset   <= 1'b0;
    cycle   <= cycle + 1;
    request <= cycle < 15;
    if (cycle == 16) $finish;
  end
endmodule

// The second router has no output free; the sender ends its transmission, is told, and
// tries again.
module retry;
  reg clock = 1'b0, reset = 1'b1, request = 1'b0;
  rn1_interface_row row (.turns(4'd0), .enable_second(1'b0), .request(request),
                         .clock(clock), .reset(reset));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset   <= 1'b0;
    cycle   <= cycle + 1;
    request <= 1'b1;
    if (cycle == 14) $finish;
  end
endmodule

// Two bytes and a turn through one extra clock of a link, and an answer.
module rn1_delay;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] near = 9'd0, far = 9'd0;
  wire [8:0] near_back, far_on;
  rn1_delay_line line (
      .clock(clock), .reset(reset), .near_forward(near), .near_backward(near_back),
      .far_forward(far_on), .far_backward(far));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: near <= 9'h103;
      1: near <= 9'h104;
      2: near <= `CROSSWAVE_RN1_TURN;
      default: near <= 9'd0;
    endcase
    case (cycle)
      4: far <= `CROSSWAVE_RN1_STATUS | `CROSSWAVE_RN1_STATUS_FIRST;
      5: far <= 9'h1a5;
      default: far <= 9'd0;
    endcase
    if (cycle == 8) $finish;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `RN1_WORD("near_forward", near);
    `RN1_WORD("far_forward", far_on);
    `RN1_WORD("far_backward", far);
    `RN1_WORD("near_backward", near_back);
    $write("\n");
  end
endmodule

module rn1_fault;
  reg clock = 1'b0, reset = 1'b1, stuck = 1'b0;
  reg [8:0] near = 9'd0;
  wire [8:0] near_back, far_on;
  rn1_fault_line line (
      .clock(clock), .reset(reset), .word_forward(9'h1ff), .word_backward(9'd0),
      .stuck_forward(stuck), .stuck_backward(1'b0), .near_forward(near),
      .near_backward(near_back), .far_forward(far_on), .far_backward(9'd0));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    near <= cycle >= 0 && cycle < 5 ? {6'b100000, cycle[2:0]} + 9'd3 : 9'd0;
    stuck <= cycle == 2 || cycle == 3;
    if (cycle == 8) $finish;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `RN1_WORD("near_forward", near);
    $write("stuck_forward=%0d ", stuck);
    `RN1_WORD("far_forward", far_on);
    $write("\n");
  end
endmodule
`default_nettype wire
