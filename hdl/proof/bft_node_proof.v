// SPDX-License-Identifier: MIT OR Apache-2.0
// A slice of a routing node of a binary fat tree at a network that does anything, said clock by
// clock: given what came in the clock before (names ending in _1), what goes out now. Which ways
// a packet wants is said here by its destination as a number, and by the node's nodes.
`default_nettype none

module bft_node_proof (
    input wire         clock,
    input wire         reset,
    input wire [4:0]   level,
    input wire [19:0]  address,
    input wire         upstream_single,
    input wire [203:0] in,
    output wire [5:0]  reached
);
  // Packets of left, right, up_0 and up_1: valid, broadcast, phase, destination, id.
  wire [203:0] out;
  wire [2:0] conflict;
  bft_node chip (
      .clock(clock), .reset(reset), .level(level), .address(address),
      .upstream_single(upstream_single), .conflict(conflict),
      .left_in_valid(in[50]), .left_in_broadcast(in[49]), .left_in_phase(in[48:44]),
      .left_in_destination(in[43:24]), .left_in_id(in[23:0]),
      .left_out_valid(out[50]), .left_out_broadcast(out[49]), .left_out_phase(out[48:44]),
      .left_out_destination(out[43:24]), .left_out_id(out[23:0]),
      .right_in_valid(in[101]), .right_in_broadcast(in[100]), .right_in_phase(in[99:95]),
      .right_in_destination(in[94:75]), .right_in_id(in[74:51]),
      .right_out_valid(out[101]), .right_out_broadcast(out[100]), .right_out_phase(out[99:95]),
      .right_out_destination(out[94:75]), .right_out_id(out[74:51]),
      .up_0_in_valid(in[152]), .up_0_in_broadcast(in[151]), .up_0_in_phase(in[150:146]),
      .up_0_in_destination(in[145:126]), .up_0_in_id(in[125:102]),
      .up_0_out_valid(out[152]), .up_0_out_broadcast(out[151]), .up_0_out_phase(out[150:146]),
      .up_0_out_destination(out[145:126]), .up_0_out_id(out[125:102]),
      .up_1_in_valid(in[203]), .up_1_in_broadcast(in[202]), .up_1_in_phase(in[201:197]),
      .up_1_in_destination(in[196:177]), .up_1_in_id(in[176:153]),
      .up_1_out_valid(out[203]), .up_1_out_broadcast(out[202]), .up_1_out_phase(out[201:197]),
      .up_1_out_destination(out[196:177]), .up_1_out_id(out[176:153]));

  // The first clock is a reset; later ones may be. Options stand still, and the address is that
  // of a node of the level.
  reg started = 1'b0, reset_1 = 1'b1;
  reg [203:0] in_1;
  reg [25:0] options_1;
  wire [25:0] options = {level, address, upstream_single};
  wire active = started & ~reset_1;
  wire [20:0] nodes = 21'd2 << level;
  always @* begin
    assume (started | reset);
    if (started) assume (options == options_1);
    assume (level < 5'd20);
    assume ((address & (nodes[19:0] - 20'd1)) == 20'd0);
  end
  always @(posedge clock) begin
    started   <= 1'b1;
    reset_1   <= reset;
    in_1      <= in;
    options_1 <= options;
  end

  // ---- What each packet wants: bits left, right, up_0, up_1 -----------------

  wire [20:0] end_of_nodes = {1'b0, address} + nodes;
  reg [15:0] wants;
  reg [20:0] levels_here, levels_above, destination;
  integer i;
  always @* begin
    wants = 16'd0;
    for (i = 0; i < 4; i = i + 1) begin
      destination  = {1'b0, in_1[51*i + 24 +: 20]};
      levels_here  = destination & (nodes >> 1);
      levels_above = destination & ~(nodes - 21'd1);
      if (in_1[51*i + 50]) begin
        if (i >= 2) begin
          // From above: to where the number lies in the half, counted from the node's first one.
          wants[4*i]     = in_1[51*i + 49] | ((destination & (nodes - 21'd1)) < (nodes >> 1));
          wants[4*i + 1] = in_1[51*i + 49] | ((destination & (nodes - 21'd1)) >= (nodes >> 1));
        end else begin
          if (in_1[51*i + 49]) begin
            wants[4*i + 1 - i] = levels_here != 21'd0;
            wants[4*i + 2]     = levels_above != 21'd0 & (i == 0 | upstream_single);
            wants[4*i + 3]     = levels_above != 21'd0 & i == 1 & ~upstream_single;
          end else if (destination >= {1'b0, address} & destination < end_of_nodes) begin
            wants[4*i + 1 - i] = 1'b1;
          end else begin
            wants[4*i + 2] = i == 0 | upstream_single;
            wants[4*i + 3] = i == 1 & ~upstream_single;
          end
        end
      end
    end
  end

  // ---- What leaves ------------------------------------------------------------

  reg [3:0] asked;
  reg several, one_of_them;
  integer o, s;
  always @* begin
    if (started & reset_1) begin
      assert (out == 204'd0);
      assert (conflict == 3'd0);
    end
    if (active) begin
      for (o = 0; o < 4; o = o + 1) begin
        asked = {wants[12 + o], wants[8 + o], wants[4 + o], wants[o]};
        several = (asked & (asked - 4'd1)) != 4'd0;
        one_of_them = 1'b0;
        for (s = 0; s < 4; s = s + 1)
          one_of_them = one_of_them | (asked[s] & out[51*o +: 51] == in_1[51*s +: 51]);
        // What leaves is whole, and wants to; an output that nobody wants is at rest; and if one
        // of several is lost, that is said.
        if (asked == 4'd0) assert (out[51*o +: 51] == 51'd0);
        else assert (one_of_them);
        if (o < 3) assert (conflict[o] == several);
        else assert (~several);
      end
    end
  end

  assign reached[0] = active & wants == 16'h0002 & conflict == 3'd0;
  assign reached[1] = active & wants == 16'h0084 & conflict == 3'd0;
  assign reached[2] = active & wants[11:8] == 4'b0011 & conflict == 3'd0;
  assign reached[3] = active & wants[3:0] == 4'b0110;
  assign reached[4] = active & conflict == 3'b111;
  assign reached[5] = active & wants[7:0] == 8'h84 & wants[11:8] != 4'd0 & wants[15:12] != 4'd0 & conflict == 3'd0;
endmodule
`default_nettype wire
