// SPDX-License-Identifier: MIT OR Apache-2.0
// Benches of the timing diagrams of RN1: a source, two routers and a
// destination. The wire between the routers has one extra clock and rotates the
// byte by two bits. Inputs change with the rising edge, as registers do.
`default_nettype none
`include "rn1_protocol.vh"

// A word: two hexadecimal digits when it is data, with a star when it is a
// status, the name of a control word, or dots at rest.
`define RN1_WORD(name, word) \
  case (word) \
    `CROSSWAVE_RN1_REST: $write("%0s=.. ", name); \
    `CROSSWAVE_RN1_IDLE: $write("%0s=idl ", name); \
    `CROSSWAVE_RN1_TURN: $write("%0s=trn ", name); \
    `CROSSWAVE_RN1_DROP: $write("%0s=drp ", name); \
    default: if (word[8]) $write("%0s=%02h ", name, word[7:0]); \
             else $write("%0s=*%02h ", name, word[7:0]); \
  endcase

// A router of which input 0 and output 0 are in use.
module rn1_in_a_row (
    input  wire        clock,
    input  wire        reset,
    input  wire        enable,
    input  wire [4:0]  in_delay,
    input  wire [4:0]  out_delay,
    input  wire [8:0]  in_forward,
    output wire [8:0]  in_backward,
    output wire [8:0]  out_forward,
    input  wire [8:0]  out_backward,
    output wire [2:0]  state
);
  rn1 chip (
      .clock(clock), .reset(reset), .two_crossbars(1'b0), .swallow(8'd0), .in_enable(8'd1),
      .out_enable({7'd0, enable}), .in_delay({35'd0, in_delay}), .out_delay({35'd0, out_delay}),
      .random_output(4'd0), .random_order(12'd0),
      .i0_forward(in_forward), .i0_backward(in_backward), .i1_forward(9'd0), .i1_backward(),
      .i2_forward(9'd0), .i2_backward(), .i3_forward(9'd0), .i3_backward(),
      .i4_forward(9'd0), .i4_backward(), .i5_forward(9'd0), .i5_backward(),
      .i6_forward(9'd0), .i6_backward(), .i7_forward(9'd0), .i7_backward(),
      .o0_forward(out_forward), .o0_backward(out_backward), .o1_forward(), .o1_backward(9'd0),
      .o2_forward(), .o2_backward(9'd0), .o3_forward(), .o3_backward(9'd0),
      .o4_forward(), .o4_backward(9'd0), .o5_forward(), .o5_backward(9'd0),
      .o6_forward(), .o6_backward(9'd0), .o7_forward(), .o7_backward(9'd0),
      .i0_state(state), .i0_output(), .i1_state(), .i1_output(),
      .i2_state(), .i2_output(), .i3_state(), .i3_output(),
      .i4_state(), .i4_output(), .i5_state(), .i5_output(),
      .i6_state(), .i6_output(), .i7_state(), .i7_output());
endmodule

// The row, and a line of text a clock.
module rn1_row (
    input wire [8:0] source,
    input wire [8:0] destination,
    input wire       enable_second,
    input wire       clock,
    input wire       reset
);
  wire [8:0] back_1, on_1, on_2, back_2;
  wire [2:0] state_1, state_2;
  reg [8:0] wire_on, wire_back;
  rn1_in_a_row first (
      .clock(clock), .reset(reset), .enable(1'b1), .in_delay(5'd0), .out_delay(5'd1),
      .in_forward(source), .in_backward(back_1), .out_forward(on_1), .out_backward(wire_back),
      .state(state_1));
  rn1_in_a_row second (
      .clock(clock), .reset(reset), .enable(enable_second), .in_delay(5'd1), .out_delay(5'd0),
      .in_forward(wire_on), .in_backward(back_2), .out_forward(on_2),
      .out_backward(destination), .state(state_2));
  always @(posedge clock) begin
    wire_on   <= reset ? 9'd0 : {on_1[8], on_1[5:0], on_1[7:6]};
    wire_back <= reset ? 9'd0 : {back_2[8], back_2[1:0], back_2[7:2]};
  end
  always @(negedge clock) if (~reset) begin
    `RN1_WORD("i0_forward/1", source);
    `RN1_WORD("o0_forward/1", on_1);
    `RN1_WORD("i0_forward/2", wire_on);
    `RN1_WORD("o0_forward/2", on_2);
    `RN1_WORD("o0_backward/2", destination);
    `RN1_WORD("i0_backward/2", back_2);
    `RN1_WORD("o0_backward/1", wire_back);
    `RN1_WORD("i0_backward/1", back_1);
    $write("i0_state/1=%0d i0_state/2=%0d\n", state_1, state_2);
  end
endmodule

// The source sends two bytes and turns; the destination answers with one byte and
// turns; the source sends one more byte and drops the connection.
module connection;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] source = 9'd0, destination = 9'd0;
  rn1_row row (.source(source), .destination(destination), .enable_second(1'b1),
               .clock(clock), .reset(reset));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: source <= 9'h100;
      1: source <= 9'h141;
      2: source <= `CROSSWAVE_RN1_TURN;
      11: source <= 9'h142;
      12: source <= `CROSSWAVE_RN1_DROP;
      default: source <= 9'd0;
    endcase
    case (cycle)
      6: destination <= 9'h185;
      7: destination <= `CROSSWAVE_RN1_TURN;
      default: destination <= 9'd0;
    endcase
    if (cycle == 17) $finish;
  end
endmodule

// The same row; the second router has no output free. The source ends its
// transmission and is told.
module blocked;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] source = 9'd0;
  rn1_row row (.source(source), .destination(9'd0), .enable_second(1'b0),
               .clock(clock), .reset(reset));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: source <= 9'h100;
      1: source <= 9'h141;
      default: source <= 9'd0;
    endcase
    if (cycle == 12) $finish;
  end
endmodule

// A router with heights of which input 0 and an even output are in use.
module rn1_height_in_a_row #(
    parameter OUTPUT = 0
) (
    input  wire       clock,
    input  wire       reset,
    input  wire [8:0] in_forward,
    output wire [8:0] in_backward,
    output wire [8:0] out_forward,
    input  wire [8:0] out_backward,
    output wire [2:0] state
);
  wire [8:0] o0, o2, o4, o6;
  assign out_forward = o0 | o2 | o4 | o6;
  rn1_height chip (
      .clock(clock), .reset(reset), .two_crossbars(1'b0), .swallow(8'd0), .to_height(8'd1),
      .in_enable(8'd1), .out_enable(8'd1 << OUTPUT), .in_delay(40'd0), .out_delay(40'd0),
      .random_output(4'd0), .random_order(12'd0),
      .i0_forward(in_forward), .i0_backward(in_backward), .i1_forward(9'd0), .i1_backward(),
      .i2_forward(9'd0), .i2_backward(), .i3_forward(9'd0), .i3_backward(),
      .i4_forward(9'd0), .i4_backward(), .i5_forward(9'd0), .i5_backward(),
      .i6_forward(9'd0), .i6_backward(), .i7_forward(9'd0), .i7_backward(),
      .o0_forward(o0), .o0_backward(out_backward), .o1_forward(), .o1_backward(9'd0),
      .o2_forward(o2), .o2_backward(out_backward), .o3_forward(), .o3_backward(9'd0),
      .o4_forward(o4), .o4_backward(out_backward), .o5_forward(), .o5_backward(9'd0),
      .o6_forward(o6), .o6_backward(out_backward), .o7_forward(), .o7_backward(9'd0),
      .i0_state(state), .i0_output(), .i1_state(), .i1_output(),
      .i2_state(), .i2_output(), .i3_state(), .i3_output(),
      .i4_state(), .i4_output(), .i5_state(), .i5_output(),
      .i6_state(), .i6_output(), .i7_state(), .i7_output());
endmodule

// The source sends a height of seven levels, of which two stages pass six, and a byte, and turns.
// The destination drops the connection.
module height;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] source = 9'd0, destination = 9'd0;
  wire [8:0] on_1, on_2, on_3, back_1, back_2, back_3;
  wire [2:0] state_1, state_2, state_3;
  rn1_height_in_a_row #(.OUTPUT(6)) first (
      .clock(clock), .reset(reset), .in_forward(source), .in_backward(back_1),
      .out_forward(on_1), .out_backward(back_2), .state(state_1));
  rn1_height_in_a_row #(.OUTPUT(6)) second (
      .clock(clock), .reset(reset), .in_forward(on_1), .in_backward(back_2),
      .out_forward(on_2), .out_backward(back_3), .state(state_2));
  rn1_height_in_a_row #(.OUTPUT(2)) third (
      .clock(clock), .reset(reset), .in_forward(on_2), .in_backward(back_3),
      .out_forward(on_3), .out_backward(destination), .state(state_3));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    case (cycle)
      0: source <= 9'h107;
      1: source <= 9'h141;
      2: source <= `CROSSWAVE_RN1_TURN;
      default: source <= 9'd0;
    endcase
    destination <= ~reset & on_3 == `CROSSWAVE_RN1_TURN ? `CROSSWAVE_RN1_DROP : 9'd0;
    if (cycle == 13) $finish;
  end
  always @(negedge clock) if (~reset) begin
    `RN1_WORD("i0_forward/1", source);
    `RN1_WORD("o6_forward/1", on_1);
    `RN1_WORD("o6_forward/2", on_2);
    `RN1_WORD("o2_forward/3", on_3);
    `RN1_WORD("o2_backward/3", destination);
    `RN1_WORD("i0_backward/1", back_1);
    $write("i0_state/1=%0d i0_state/2=%0d i0_state/3=%0d\n", state_1, state_2, state_3);
  end
endmodule
`default_nettype wire
