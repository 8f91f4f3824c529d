// SPDX-License-Identifier: MIT OR Apache-2.0
// The whole RN1 among neighbours that do anything: what follows from the proofs of
// its parts only when they are put together rightly. HEIGHT: of RN1 with heights.
`default_nettype none
`include "rn1_protocol.vh"

module rn1_proof (
    input wire        clock,
    input wire        reset,
    input wire        two_crossbars,
    input wire [7:0]  swallow,
`ifdef HEIGHT
    input wire [7:0]  to_height,
`endif
    input wire [7:0]  in_enable,
    input wire [7:0]  out_enable,
    input wire [39:0] in_delay,
    input wire [39:0] out_delay,
    input wire [3:0]  random_output,
    input wire [11:0] random_order,
    input wire [71:0] in,
    input wire [71:0] back,
    output wire [2:0] reached
);
  wire [71:0] backward, out;
  wire [23:0] state, target;
  wire [47:0] count;  // clocks of turning that are left
`ifdef HEIGHT
  rn1_height chip (
      .to_height(to_height),
`else
  wire [7:0] to_height = 8'd0;
  rn1 chip (
`endif
      .\inputs[0].port.count (count[5:0]),
      .\inputs[1].port.count (count[11:6]),
      .\inputs[2].port.count (count[17:12]),
      .\inputs[3].port.count (count[23:18]),
      .\inputs[4].port.count (count[29:24]),
      .\inputs[5].port.count (count[35:30]),
      .\inputs[6].port.count (count[41:36]),
      .\inputs[7].port.count (count[47:42]),
      .clock(clock), .reset(reset), .two_crossbars(two_crossbars), .swallow(swallow),
      .in_enable(in_enable), .out_enable(out_enable), .in_delay(in_delay),
      .out_delay(out_delay), .random_output(random_output), .random_order(random_order),
      .i0_forward(in[8:0]), .i0_backward(backward[8:0]),
      .o0_forward(out[8:0]), .o0_backward(back[8:0]),
      .i0_state(state[2:0]), .i0_output(target[2:0]),
      .i1_forward(in[17:9]), .i1_backward(backward[17:9]),
      .o1_forward(out[17:9]), .o1_backward(back[17:9]),
      .i1_state(state[5:3]), .i1_output(target[5:3]),
      .i2_forward(in[26:18]), .i2_backward(backward[26:18]),
      .o2_forward(out[26:18]), .o2_backward(back[26:18]),
      .i2_state(state[8:6]), .i2_output(target[8:6]),
      .i3_forward(in[35:27]), .i3_backward(backward[35:27]),
      .o3_forward(out[35:27]), .o3_backward(back[35:27]),
      .i3_state(state[11:9]), .i3_output(target[11:9]),
      .i4_forward(in[44:36]), .i4_backward(backward[44:36]),
      .o4_forward(out[44:36]), .o4_backward(back[44:36]),
      .i4_state(state[14:12]), .i4_output(target[14:12]),
      .i5_forward(in[53:45]), .i5_backward(backward[53:45]),
      .o5_forward(out[53:45]), .o5_backward(back[53:45]),
      .i5_state(state[17:15]), .i5_output(target[17:15]),
      .i6_forward(in[62:54]), .i6_backward(backward[62:54]),
      .o6_forward(out[62:54]), .o6_backward(back[62:54]),
      .i6_state(state[20:18]), .i6_output(target[20:18]),
      .i7_forward(in[71:63]), .i7_backward(backward[71:63]),
      .o7_forward(out[71:63]), .o7_backward(back[71:63]),
      .i7_state(state[23:21]), .i7_output(target[23:21]));

  reg started = 1'b0, reset_1 = 1'b1;
  wire [112:0] options = {two_crossbars, in_enable, out_enable, swallow, to_height, in_delay,
                          out_delay};
  reg [112:0] options_1;
  wire active = started & ~reset_1;
  always @(posedge clock) begin
    started   <= 1'b1;
    reset_1   <= reset;
    options_1 <= options;
  end
  always @* begin
    assume (started | reset);
    if (started) assume (options == options_1);
  end

  wire [7:0] holds, opens;
  wire [63:0] held;  // bit 8 * input + output
  reg [71:0] in_1, back_1;
  reg [23:0] state_1, target_1;
  reg [47:0] count_1;
  reg [7:0] all, held_1;
  always @(posedge clock) begin
    in_1     <= in;
    back_1   <= back;
    state_1  <= state;
    target_1 <= target;
    count_1  <= count;
    held_1   <= all;
  end
  always @* begin : any
    integer at;
    all = 8'd0;
    for (at = 0; at < 8; at = at + 1) all = all | held[8*at +: 8];
  end

  genvar port;
  generate
    for (port = 0; port < 8; port = port + 1) begin : ports
      wire [2:0] is = state[3*port +: 3], was = state_1[3*port +: 3];
      wire [2:0] own = target[3*port +: 3], own_1 = target_1[3*port +: 3];
      assign holds[port] = is == `CROSSWAVE_RN1_STATE_FORWARD
                         | is == `CROSSWAVE_RN1_STATE_TO_REVERSE
                         | is == `CROSSWAVE_RN1_STATE_REVERSE
                         | is == `CROSSWAVE_RN1_STATE_TO_FORWARD;
      assign held[8*port +: 8] = {7'd0, holds[port]} << own;
      assign opens[port] = is == `CROSSWAVE_RN1_STATE_FORWARD
                         & (was == `CROSSWAVE_RN1_STATE_IDLE | was == `CROSSWAVE_RN1_STATE_SWALLOW);
      wire blocks = is == `CROSSWAVE_RN1_STATE_BLOCKED & was != `CROSSWAVE_RN1_STATE_BLOCKED;
      wire [8:0] arrived = in_1[9*port +: 9];
      wire to_reverse = is == `CROSSWAVE_RN1_STATE_TO_REVERSE;
      wire turns = to_reverse | is == `CROSSWAVE_RN1_STATE_TO_FORWARD;
      wire [5:0] left = count[6*port +: 6], left_1 = count_1[6*port +: 6];
      wire [4:0] delay = to_reverse ? out_delay[5*own +: 5] : in_delay[5*port +: 5];
      // Of a height that arrives first: the direction, and the height that is left.
      wire [5:0] height = arrived[5:0];
      wire [8:0] first = ~to_height[port] ? arrived
                       : height < 6'd3 ? {1'b1, height[1:0], 6'd0}
                       : {3'b111, height - 6'd3};
      // The outputs that it could have: of its direction and its crossbar.
      wire [7:0] reach = (8'd3 << {first[7:6], 1'b0})
                       & (two_crossbars ? (port >= 4 ? 8'haa : 8'h55) : 8'hff);
      wire [7:0] holders = {held[56+port], held[48+port], held[40+port], held[32+port],
                            held[24+port], held[16+port], held[8+port], held[port]};
      always @* if (active) begin
        // No output has two holders; one without a holder in this clock and the
        // one before is silent.
        assert ((holders & (holders - 8'd1)) == 8'd0);
        if (~all[port] & ~held_1[port]) assert (out[9*port +: 9] == 9'd0);
        // No port is used that is not enabled, none of the other crossbar.
        if (is != `CROSSWAVE_RN1_STATE_IDLE) assert (in_enable[port]);
        if (holds[port]) assert (out_enable[own]);
        if (holds[port] & two_crossbars) assert (own[0] == (port >= 4));
        // The first word goes to an output that was free, of its direction; who is
        // blocked finds none free behind the choice.
        if (opens[port])
          assert (reach[own] & ~held_1[own] & out[9*own +: 9] == first);
        if (blocks) assert ((reach & out_enable & ~held_1 & ~all) == 8'd0);
        // The first word is swallowed where this input is told to, and nowhere else.
        if (is != was & was == `CROSSWAVE_RN1_STATE_IDLE)
          assert ((is == `CROSSWAVE_RN1_STATE_SWALLOW) == swallow[port]);
        // It takes two clocks for each of the wire to turn: that of the output held when
        // words are to come back, and that of this input when they go on again.
        if (turns & is != was) assert (left == {delay, 1'b0});
        if (turns & is == was) assert (left + 6'd1 == left_1);
        if (is != was & (was == `CROSSWAVE_RN1_STATE_TO_REVERSE | was == `CROSSWAVE_RN1_STATE_TO_FORWARD))
          assert (left_1 == 6'd0);
        // Every further word goes to the output that is held and nowhere else, and
        // back from it.
        if (was == `CROSSWAVE_RN1_STATE_FORWARD) assert (out[9*own_1 +: 9] == arrived);
        if (was == `CROSSWAVE_RN1_STATE_REVERSE)
          assert (backward[9*port +: 9] == back_1[9*own_1 +: 9]);
      end
    end
  endgenerate

  // Situations that must be reachable: all outputs in use; two connected and one
  // blocked in one direction; a connection in each of two crossbars.
  wire [2:0] s2 = state[8:6];
  assign reached[0] = active & (&all);
  assign reached[1] = active & holds[0] & holds[1] & s2 == `CROSSWAVE_RN1_STATE_BLOCKED
                    & target[2:1] == 2'd1 & target[5:4] == 2'd1 & target[8:7] == 2'd1;
  assign reached[2] = active & two_crossbars & holds[0] & holds[4]
                    & target[2:1] == target[14:13];

  always @* if (started & reset_1) assert ({backward, out, state, target} == 192'd0);
endmodule
`default_nettype wire
