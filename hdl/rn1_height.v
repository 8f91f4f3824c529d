// SPDX-License-Identifier: MIT OR Apache-2.0
// RN1 whose inputs can take the first byte of a connection as a height in a fat-tree:
// the crossbar of rn1.v with another input port. The parts that occur often stay modules
// in the netlist; this one only wires them.
//
// Source: DeHon 1990, footnote 1 of section 2.2.4. The byte and what becomes of it:
// assumed. Ports, protocol and timing: rn1_height.md.
`default_nettype none

module rn1_height (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        two_crossbars,     // 0: two outputs for each direction; 1: two crossbars
    input  wire  [7:0] swallow,           // inputs that drop the first byte
    input  wire  [7:0] to_height,         // inputs at which the first byte is a height
    input  wire  [7:0] in_enable,         // inputs in use
    input  wire  [7:0] out_enable,        // outputs in use
    input  wire [39:0] in_delay,          // extra cycles of the wire at input i, bits 5 i to 5 i + 4
    input  wire [39:0] out_delay,         // extra cycles of the wire at output o, bits 5 o to 5 o + 4
    input  wire  [3:0] random_output,     // for each direction: 0 prefers the even output, 1 the odd one
    input  wire [11:0] random_order,      // order of inputs that ask at once
    input  wire  [8:0] i0_forward,        // control bit and byte that arrive
    output wire  [8:0] i0_backward,       // control bit and byte that go back
    input  wire  [8:0] i1_forward,        // control bit and byte that arrive
    output wire  [8:0] i1_backward,       // control bit and byte that go back
    input  wire  [8:0] i2_forward,        // control bit and byte that arrive
    output wire  [8:0] i2_backward,       // control bit and byte that go back
    input  wire  [8:0] i3_forward,        // control bit and byte that arrive
    output wire  [8:0] i3_backward,       // control bit and byte that go back
    input  wire  [8:0] i4_forward,        // control bit and byte that arrive
    output wire  [8:0] i4_backward,       // control bit and byte that go back
    input  wire  [8:0] i5_forward,        // control bit and byte that arrive
    output wire  [8:0] i5_backward,       // control bit and byte that go back
    input  wire  [8:0] i6_forward,        // control bit and byte that arrive
    output wire  [8:0] i6_backward,       // control bit and byte that go back
    input  wire  [8:0] i7_forward,        // control bit and byte that arrive
    output wire  [8:0] i7_backward,       // control bit and byte that go back
    output wire  [8:0] o0_forward,        // control bit and byte that go on
    input  wire  [8:0] o0_backward,       // control bit and byte that come back
    output wire  [8:0] o1_forward,        // control bit and byte that go on
    input  wire  [8:0] o1_backward,       // control bit and byte that come back
    output wire  [8:0] o2_forward,        // control bit and byte that go on
    input  wire  [8:0] o2_backward,       // control bit and byte that come back
    output wire  [8:0] o3_forward,        // control bit and byte that go on
    input  wire  [8:0] o3_backward,       // control bit and byte that come back
    output wire  [8:0] o4_forward,        // control bit and byte that go on
    input  wire  [8:0] o4_backward,       // control bit and byte that come back
    output wire  [8:0] o5_forward,        // control bit and byte that go on
    input  wire  [8:0] o5_backward,       // control bit and byte that come back
    output wire  [8:0] o6_forward,        // control bit and byte that go on
    input  wire  [8:0] o6_backward,       // control bit and byte that come back
    output wire  [8:0] o7_forward,        // control bit and byte that go on
    input  wire  [8:0] o7_backward,       // control bit and byte that come back
    output wire  [2:0] i0_state,          // state of the input
    output wire  [2:0] i0_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i1_state,          // state of the input
    output wire  [2:0] i1_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i2_state,          // state of the input
    output wire  [2:0] i2_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i3_state,          // state of the input
    output wire  [2:0] i3_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i4_state,          // state of the input
    output wire  [2:0] i4_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i5_state,          // state of the input
    output wire  [2:0] i5_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i6_state,          // state of the input
    output wire  [2:0] i6_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i7_state,          // state of the input
    output wire  [2:0] i7_output          // output it holds; BLOCKED: twice the direction
);
  // Port i of eight in bits 9 * i on, and so on.
  wire [71:0] in = {i7_forward, i6_forward, i5_forward, i4_forward,
                    i3_forward, i2_forward, i1_forward, i0_forward};
  wire [71:0] back = {o7_backward, o6_backward, o5_backward, o4_backward,
                      o3_backward, o2_backward, o1_backward, o0_backward};
  wire [71:0] backward, out;
  wire [23:0] state, target;
  assign {i7_backward, i6_backward, i5_backward, i4_backward,
          i3_backward, i2_backward, i1_backward, i0_backward} = backward;
  assign {o7_forward, o6_forward, o5_forward, o4_forward,
          o3_forward, o2_forward, o1_forward, o0_forward} = out;
  assign {i7_state, i6_state, i5_state, i4_state,
          i3_state, i2_state, i1_state, i0_state} = state;
  assign {i7_output, i6_output, i5_output, i4_output,
          i3_output, i2_output, i1_output, i0_output} = target;

  // Bit 8 * output + input of a matrix: the input holds it; it is granted it in this clock.
  wire [63:0] held, granted;
  wire [31:0] wants;  // bit 8 * direction + input
  wire [71:0] forward;

  genvar i, o, d;
  generate
    for (i = 0; i < 8; i = i + 1) begin : inputs
      wire [7:0] holds, grants;
      wire [3:0] asks;
      for (o = 0; o < 8; o = o + 1) begin : of_output
        assign held[8*o + i] = holds[o];
        assign grants[o] = granted[8*o + i];
      end
      for (d = 0; d < 4; d = d + 1) begin : of_direction
        assign wants[8*d + i] = asks[d];
      end
      rn1_height_input unit (
          .clock(clock), .reset(reset), .enable(in_enable[i]), .swallow(swallow[i]),
          .to_height(to_height[i]), .in_delay(in_delay[5*i +: 5]), .out_delay(out_delay),
          .back(back), .in(in[9*i +: 9]), .wants(asks), .grants(grants),
          .target(target[3*i +: 3]), .held(holds), .forward(forward[9*i +: 9]),
          .backward(backward[9*i +: 9]), .state(state[3*i +: 3]));
    end

    for (d = 0; d < 4; d = d + 1) begin : directions
      rn1_height_direction unit (
          .two_crossbars(two_crossbars), .request(wants[8*d +: 8]),
          .enable(out_enable[2*d +: 2]), .held(held[16*d +: 16]),
          .order(random_order), .prefer(random_output[d]),
          .even_grant(granted[16*d +: 8]), .odd_grant(granted[16*d + 8 +: 8]));
    end

    for (o = 0; o < 8; o = o + 1) begin : outputs
      rn1_height_output unit (
          .clock(clock), .reset(reset), .held(held[8*o +: 8]), .granted(granted[8*o +: 8]),
          .words(forward), .forward(out[9*o +: 9]));
    end
  endgenerate
endmodule
`default_nettype wire
