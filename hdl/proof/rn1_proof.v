// RN1 among neighbours that do anything: every input of this module is free in
// every clock, but for the options.
`default_nettype none

module rn1_proof (
    input wire        clock,
    input wire        reset,
    input wire        two_crossbars,
    input wire [7:0]  swallow,
    input wire [7:0]  in_enable,
    input wire [7:0]  out_enable,
    input wire [31:0] in_delay,
    input wire [31:0] out_delay,
    input wire [3:0]  random_output,
    input wire [11:0] random_order,
    input wire [71:0] in,
    input wire [71:0] back,
    output wire [4:0] reached
);
  wire [71:0] backward, out;
  wire [23:0] state, target;
  wire [39:0] count;
  wire [63:0] crc;
  wire [7:0]  skip;

  // The last ports of the list are registers that `expose` makes visible.
  rn1 chip (
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
      .i7_state(state[23:21]), .i7_output(target[23:21]),
      .\inputs[0].port.count (count[4:0]), .\inputs[0].port.crc (crc[7:0]),
      .\inputs[0].port.skip (skip[0]),
      .\inputs[1].port.count (count[9:5]), .\inputs[1].port.crc (crc[15:8]),
      .\inputs[1].port.skip (skip[1]),
      .\inputs[2].port.count (count[14:10]), .\inputs[2].port.crc (crc[23:16]),
      .\inputs[2].port.skip (skip[2]),
      .\inputs[3].port.count (count[19:15]), .\inputs[3].port.crc (crc[31:24]),
      .\inputs[3].port.skip (skip[3]),
      .\inputs[4].port.count (count[24:20]), .\inputs[4].port.crc (crc[39:32]),
      .\inputs[4].port.skip (skip[4]),
      .\inputs[5].port.count (count[29:25]), .\inputs[5].port.crc (crc[47:40]),
      .\inputs[5].port.skip (skip[5]),
      .\inputs[6].port.count (count[34:30]), .\inputs[6].port.crc (crc[55:48]),
      .\inputs[6].port.skip (skip[6]),
      .\inputs[7].port.count (count[39:35]), .\inputs[7].port.crc (crc[63:56]),
      .\inputs[7].port.skip (skip[7]));

  // The first clock is a reset; later ones may be. Options stand still.
  reg started = 1'b0, reset_1 = 1'b1;
  wire [88:0] options = {two_crossbars, swallow, in_enable, out_enable, in_delay, out_delay};
  reg [88:0] options_1;
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

  wire [7:0] holds;
  wire [63:0] held;  // bit 8 * input + output
  reg [7:0] held_1;
  reg [7:0] all;
  genvar port;
  generate
    for (port = 0; port < 8; port = port + 1) begin : ports
      assign held[8*port +: 8] = {7'd0, holds[port]} << target[3*port +: 3];
      rn1_monitor #(.INDEX(port)) monitor (
          .clock(clock), .reset(reset), .active(active), .two_crossbars(two_crossbars),
          .swallow(swallow[port]), .enable(in_enable[port]), .out_enable(out_enable),
          .in_delay(in_delay[4*port +: 4]), .out_delay(out_delay), .in(in[9*port +: 9]),
          .back(back), .out(out), .backward(backward[9*port +: 9]),
          .state(state[3*port +: 3]), .target(target[3*port +: 3]), .held(all),
          .held_1(held_1), .count(count[5*port +: 5]), .crc(crc[8*port +: 8]),
          .skip(skip[port]), .holds(holds[port]));

      wire [7:0] holders = {held[56+port], held[48+port], held[40+port], held[32+port],
                            held[24+port], held[16+port], held[8+port], held[port]};
      always @* if (active) begin
        // No output has two holders, and one that has none is silent, but for the
        // last word of the connection that has just left it.
        assert ((holders & (holders - 8'd1)) == 8'd0);
        if (~all[port] & ~held_1[port]) assert (out[9*port +: 9] == 9'd0);
      end
    end
  endgenerate
  always @* begin : any
    integer at;
    all = 8'd0;
    for (at = 0; at < 8; at = at + 1) all = all | held[8*at +: 8];
  end
  // After reset everything is silent.
  always @* if (started & reset_1)
    assert ({backward, out, state, target, count, crc, skip} == 288'd0);
  always @(posedge clock) held_1 <= reset ? 8'd0 : all;

  // Situations that must be reachable: three inputs ask for a direction, two get
  // its outputs and the third is blocked; the two crossbars each connect one; a
  // connection is turned twice; a blocked one is answered; all outputs in use.
  wire [2:0] s0 = state[2:0], s1 = state[5:3], s2 = state[8:6];
  reg turned;
  always @(posedge clock)
    turned <= ~reset & (turned | s0 == 3'd6) & s0 != 3'd0;
  assign reached[0] = active & ~two_crossbars & s0 == 3'd2 & s1 == 3'd2 & s2 == 3'd3
                    & target[2:1] == 2'd1 & target[5:4] == 2'd1 & target[8:7] == 2'd1;
  assign reached[1] = active & two_crossbars & holds[0] & holds[4] & target[2:1] == target[14:13];
  assign reached[2] = active & turned & s0 == 3'd4 & out_delay[3:0] == 4'd1;
  assign reached[3] = active & s0 == 3'd7 & swallow[0];
  assign reached[4] = active & (&all);
endmodule
`default_nettype wire
