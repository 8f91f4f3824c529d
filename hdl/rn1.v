// SPDX-License-Identifier: MIT OR Apache-2.0
// RN1: a crossbar for circuit-switched networks, eight inputs and eight outputs
// of nine bits, either one crossbar of four directions with two equivalent
// outputs each, or two crossbars of four directions. A connection can be turned
// round. A word takes one clock from an input to an output.
//
// Source: DeHon 1990, sections 1.3 and 3.6.2. Byte values, status and checksum:
// assumed. Ports, protocol and timing: rn1.md.
`default_nettype none

module rn1 (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        two_crossbars,     // 0: two outputs for each direction; 1: two crossbars
    input  wire  [7:0] swallow,           // inputs that drop the first byte
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
  wire [71:0] backward;
  reg  [71:0] out;
  wire [23:0] state, target;
  assign {i7_backward, i6_backward, i5_backward, i4_backward,
          i3_backward, i2_backward, i1_backward, i0_backward} = backward;
  assign {o7_forward, o6_forward, o5_forward, o4_forward,
          o3_forward, o2_forward, o1_forward, o0_forward} = out;
  assign {i7_state, i6_state, i5_state, i4_state,
          i3_state, i2_state, i1_state, i0_state} = state;
  assign {i7_output, i6_output, i5_output, i4_output,
          i3_output, i2_output, i1_output, i0_output} = target;

  // Bit 8 * input + output of a matrix: the input holds it; it is granted it
  // in this clock.
  wire [63:0] held, granted;
  wire [7:0] holds, request;
  wire [71:0] forward;

  genvar i, o, d;
  generate
    for (i = 0; i < 8; i = i + 1) begin : inputs
      wire [2:0] own = target[3*i +: 3];
      wire [7:0] grants = granted[8*i +: 8];
      // Only who asks is granted. Said again here it shows three-valued logic that an
      // input at rest stays so whatever the random bits are.
      wire is_granted = request[i] & (|grants);
      wire odd = |(grants & 8'haa);
      assign held[8*i +: 8] = {7'd0, holds[i]} << own;

      // The word and the delay of the output it holds.
      wire [8:0] arrives;
      rn1_gather from_output (.select(held[8*i +: 8]), .words(back), .word(arrives));
      wire [4:0] delay = out_delay[5*own +: 5];

      rn1_input port (
          .clock(clock), .reset(reset), .enable(in_enable[i]), .swallow(swallow[i]),
          .in_delay(in_delay[5*i +: 5]), .out_delay(delay),
          .in(in[9*i +: 9]), .back(arrives),
          .request(request[i]), .granted(is_granted),
          .grant({in[9*i + 6 +: 2], odd}),
          .holds(holds[i]), .target(target[3*i +: 3]), .forward(forward[9*i +: 9]),
          .backward(backward[9*i +: 9]), .state(state[3*i +: 3]));
    end

    for (d = 0; d < 4; d = d + 1) begin : directions
      wire [7:0] wants, busy_even, busy_odd, even, odd;
      for (i = 0; i < 8; i = i + 1) begin : all
        assign wants[i] = request[i] & in[9*i + 6 +: 2] == d[1:0];
        assign busy_even[i] = held[8*i + 2*d];
        assign busy_odd[i] = held[8*i + 2*d + 1];
        assign granted[8*i + 2*d +: 2] = {odd[i], even[i]};
      end
      rn1_direction choice (
          .two_crossbars(two_crossbars), .request(wants),
          .free(out_enable[2*d +: 2] & ~{|busy_odd, |busy_even}),
          .order(random_order), .prefer(random_output[d]),
          .even_grant(even), .odd_grant(odd));
    end

    for (o = 0; o < 8; o = o + 1) begin : outputs
      wire [7:0] select;
      for (i = 0; i < 8; i = i + 1) begin : all
        assign select[i] = held[8*i + o] | granted[8*i + o];
      end
      wire [8:0] word;
      rn1_gather from_input (.select(select), .words(forward), .word(word));
      always @(posedge clock) out[9*o +: 9] <= reset ? 9'd0 : word;
    end
  endgenerate
endmodule
`default_nettype wire
