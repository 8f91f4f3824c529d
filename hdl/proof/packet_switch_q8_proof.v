// SPDX-License-Identifier: MIT OR Apache-2.0
// A slice with queues at a network that does anything: who comes to which queue, in which order,
// when a queue may send, and that its ports are those of its queues. What a queue does with those
// who come: packet_queue_proof.v. Which ways a packet wants is said here by its destination as a number,
// and by the node's nodes.
`default_nettype none

module packet_switch_q8_proof (
    input wire         clock,
    input wire         reset,
    input wire [4:0]   level,
    input wire [19:0]  address,
    input wire         upstream_single,
    input wire         half_duplex,
    input wire [3:0]   queue_packets,
    input wire [203:0] in,
    output wire [5:0]  reached
);
  // Packets of left, right, up_0 and up_1: valid, broadcast, phase, destination, id.
  wire [203:0] out;
  wire [3:0] lost;
  wire [15:0] queued, longest;
  // Of each queue what comes to it and what leaves it, and its options.
  wire [11:0] comes;
  wire [599:0] packets;
  wire [199:0] packet;
  wire [15:0] most, counts, mosts;
  wire [3:0] turn, valid, none, resets;
  packet_switch_q8 chip (
      .clock(clock), .reset(reset), .level(level), .address(address),
      .upstream_single(upstream_single), .queue_packets(queue_packets), .half_duplex(half_duplex),
      .lost(lost), .left_queued(queued[3:0]), .right_queued(queued[7:4]),
      .up_0_queued(queued[11:8]), .up_1_queued(queued[15:12]), .left_longest(longest[3:0]),
      .right_longest(longest[7:4]), .up_0_longest(longest[11:8]), .up_1_longest(longest[15:12]),
      .\queue_left.reset (resets[0]), .\queue_left.comes (comes[2:0]),
      .\queue_left.packets (packets[149:0]),
      .\queue_left.packet (packet[49:0]), .\queue_left.most (most[3:0]),
      .\queue_left.turn (turn[0]), .\queue_left.valid (valid[0]), .\queue_left.lost (none[0]),
      .\queue_left.queued (counts[3:0]), .\queue_left.longest (mosts[3:0]),
      .\queue_right.reset (resets[1]), .\queue_right.comes (comes[5:3]),
      .\queue_right.packets (packets[299:150]),
      .\queue_right.packet (packet[99:50]), .\queue_right.most (most[7:4]),
      .\queue_right.turn (turn[1]), .\queue_right.valid (valid[1]), .\queue_right.lost (none[1]),
      .\queue_right.queued (counts[7:4]), .\queue_right.longest (mosts[7:4]),
      .\queue_up_0.reset (resets[2]), .\queue_up_0.comes (comes[8:6]),
      .\queue_up_0.packets (packets[449:300]),
      .\queue_up_0.packet (packet[149:100]), .\queue_up_0.most (most[11:8]),
      .\queue_up_0.turn (turn[2]), .\queue_up_0.valid (valid[2]), .\queue_up_0.lost (none[2]),
      .\queue_up_0.queued (counts[11:8]), .\queue_up_0.longest (mosts[11:8]),
      .\queue_up_1.reset (resets[3]), .\queue_up_1.comes (comes[11:9]),
      .\queue_up_1.packets (packets[599:450]),
      .\queue_up_1.packet (packet[199:150]), .\queue_up_1.most (most[15:12]),
      .\queue_up_1.turn (turn[3]), .\queue_up_1.valid (valid[3]), .\queue_up_1.lost (none[3]),
      .\queue_up_1.queued (counts[15:12]), .\queue_up_1.longest (mosts[15:12]),
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

  // The first clock is a reset, which is cycle 0; later ones may be. Options stand still, and the
  // address is that of a node of the level.
  reg started = 1'b0, even = 1'b1;
  reg [30:0] options_1;
  wire [30:0] options = {level, address, upstream_single, half_duplex, queue_packets};
  wire [20:0] nodes = 21'd2 << level;
  always @* begin
    assume (started | reset);
    if (started) assume (options == options_1);
    assume (level < 5'd20);
    assume ((address & (nodes[19:0] - 20'd1)) == 20'd0);
  end
  always @(posedge clock) begin
    started   <= 1'b1;
    even      <= ~reset & ~even;
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
      destination  = {1'b0, in[51*i + 24 +: 20]};
      levels_here  = destination & (nodes >> 1);
      levels_above = destination & ~(nodes - 21'd1);
      if (in[51*i + 50]) begin
        if (i >= 2) begin
          // From above: to where the number lies in the half, counted from the node's first one.
          wants[4*i]     = in[51*i + 49] | ((destination & (nodes - 21'd1)) < (nodes >> 1));
          wants[4*i + 1] = in[51*i + 49] | ((destination & (nodes - 21'd1)) >= (nodes >> 1));
        end else begin
          if (in[51*i + 49]) begin
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

  // ---- Queues ------------------------------------------------------------------

  // Those from above come first, and of two from below the left one.
  function [1:0] source(input integer number);
    source = number == 0 ? 2'd2 : number == 1 ? 2'd3 : number == 2 ? 2'd0 : 2'd1;
  endfunction

  // The packet at one place of a queue is number `nth` of those that want the output.
  integer o, n, s, before, nth;
  reg [1:0] from;
  reg found;
  always @* begin
    if (started) begin
      for (o = 0; o < 4; o = o + 1) begin
        assert (resets[o] == reset);
        assert (turn[o] == (~half_duplex | (even ^ (o >= 2))));
        assert (most[4*o +: 4] == queue_packets);
        assert (out[51*o +: 51] == {valid[o], packet[50*o +: 50]});
        assert (lost[o] == none[o]);
        assert (queued[4*o +: 4] == counts[4*o +: 4] & longest[4*o +: 4] == mosts[4*o +: 4]);
        before = 0;
        for (n = 0; n < 4; n = n + 1) begin
          from = source(n);
          if (wants[4*from + o]) begin
            // Place by place, the one with as many in front of it.
            found = 1'b0;
            nth = 0;
            for (s = 0; s < 3; s = s + 1)
              if (comes[3*o + s]) begin
                found = found | (nth == before & packets[150*o + 50*s +: 50] == in[51*from +: 50]);
                nth = nth + 1;
              end
            assert (found);
            before = before + 1;
          end
        end
        nth = comes[3*o] + comes[3*o + 1] + comes[3*o + 2];
        assert (nth == before);
      end
    end
  end

  assign reached[0] = started & wants == 16'h0002;
  assign reached[1] = started & wants == 16'h0084;
  assign reached[2] = started & wants[11:8] == 4'b0011;
  assign reached[3] = started & wants[3:0] == 4'b0110;
  assign reached[4] = started & (comes[2:0] == 3'd7) & half_duplex & turn[0];
  assign reached[5] = started & queued[15:12] == 4'd3;
endmodule
`default_nettype wire
