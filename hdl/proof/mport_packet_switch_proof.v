// SPDX-License-Identifier: MIT OR Apache-2.0
// The m-port packet switch at a network that does anything: who comes to which queue, in which
// order, and that its ports are those of its queues. What a queue does with those who come:
// packet_queue_proof.v.
`default_nettype none
`ifndef INDEX
`define INDEX 2
`endif
`define PORTS (1 << `INDEX)

module mport_packet_switch_proof (
    input wire                 clock,
    input wire                 reset,
    input wire [3:0]           queue_packets,
    input wire [`PORTS-1:0]    in_valid,
    input wire [39*`PORTS-1:0] in_route,
    input wire [24*`PORTS-1:0] in_id,
    output wire [1:0]          reached
);
  localparam PORTS = `PORTS;
  wire [PORTS-1:0] out_valid, lost;
  wire [39*PORTS-1:0] out_route;
  wire [24*PORTS-1:0] out_id;
  wire [4*PORTS-1:0] queued, longest;
  // Of each queue what comes to it and what leaves it, and its options.
  wire [PORTS*PORTS-1:0] comes;
  wire [63*PORTS*PORTS-1:0] packets;
  wire [63*PORTS-1:0] packet;
  wire [4*PORTS-1:0] most, counts, mosts;
  wire [PORTS-1:0] turn, valid, none, resets;
  mport_packet_switch chip (
      .\outputs[0].queue.reset (resets[0]), .\outputs[0].queue.comes (comes[PORTS*0 +: PORTS]),
      .\outputs[0].queue.packets (packets[63*PORTS*0 +: 63*PORTS]),
      .\outputs[0].queue.packet (packet[62:0]), .\outputs[0].queue.most (most[3:0]),
      .\outputs[0].queue.turn (turn[0]),
      .\outputs[0].queue.valid (valid[0]), .\outputs[0].queue.lost (none[0]),
      .\outputs[0].queue.queued (counts[3:0]), .\outputs[0].queue.longest (mosts[3:0]),
      .\outputs[1].queue.reset (resets[1]), .\outputs[1].queue.comes (comes[PORTS*1 +: PORTS]),
      .\outputs[1].queue.packets (packets[63*PORTS*1 +: 63*PORTS]),
      .\outputs[1].queue.packet (packet[125:63]), .\outputs[1].queue.most (most[7:4]),
      .\outputs[1].queue.turn (turn[1]),
      .\outputs[1].queue.valid (valid[1]), .\outputs[1].queue.lost (none[1]),
      .\outputs[1].queue.queued (counts[7:4]), .\outputs[1].queue.longest (mosts[7:4]),
      .\outputs[2].queue.reset (resets[2]), .\outputs[2].queue.comes (comes[PORTS*2 +: PORTS]),
      .\outputs[2].queue.packets (packets[63*PORTS*2 +: 63*PORTS]),
      .\outputs[2].queue.packet (packet[188:126]), .\outputs[2].queue.most (most[11:8]),
      .\outputs[2].queue.turn (turn[2]),
      .\outputs[2].queue.valid (valid[2]), .\outputs[2].queue.lost (none[2]),
      .\outputs[2].queue.queued (counts[11:8]), .\outputs[2].queue.longest (mosts[11:8]),
      .\outputs[3].queue.reset (resets[3]), .\outputs[3].queue.comes (comes[PORTS*3 +: PORTS]),
      .\outputs[3].queue.packets (packets[63*PORTS*3 +: 63*PORTS]),
      .\outputs[3].queue.packet (packet[251:189]), .\outputs[3].queue.most (most[15:12]),
      .\outputs[3].queue.turn (turn[3]),
      .\outputs[3].queue.valid (valid[3]), .\outputs[3].queue.lost (none[3]),
      .\outputs[3].queue.queued (counts[15:12]), .\outputs[3].queue.longest (mosts[15:12]),
`ifdef EIGHT
      .\outputs[4].queue.reset (resets[4]), .\outputs[4].queue.comes (comes[PORTS*4 +: PORTS]),
      .\outputs[4].queue.packets (packets[63*PORTS*4 +: 63*PORTS]),
      .\outputs[4].queue.packet (packet[314:252]), .\outputs[4].queue.most (most[19:16]),
      .\outputs[4].queue.turn (turn[4]),
      .\outputs[4].queue.valid (valid[4]), .\outputs[4].queue.lost (none[4]),
      .\outputs[4].queue.queued (counts[19:16]), .\outputs[4].queue.longest (mosts[19:16]),
      .\outputs[5].queue.reset (resets[5]), .\outputs[5].queue.comes (comes[PORTS*5 +: PORTS]),
      .\outputs[5].queue.packets (packets[63*PORTS*5 +: 63*PORTS]),
      .\outputs[5].queue.packet (packet[377:315]), .\outputs[5].queue.most (most[23:20]),
      .\outputs[5].queue.turn (turn[5]),
      .\outputs[5].queue.valid (valid[5]), .\outputs[5].queue.lost (none[5]),
      .\outputs[5].queue.queued (counts[23:20]), .\outputs[5].queue.longest (mosts[23:20]),
      .\outputs[6].queue.reset (resets[6]), .\outputs[6].queue.comes (comes[PORTS*6 +: PORTS]),
      .\outputs[6].queue.packets (packets[63*PORTS*6 +: 63*PORTS]),
      .\outputs[6].queue.packet (packet[440:378]), .\outputs[6].queue.most (most[27:24]),
      .\outputs[6].queue.turn (turn[6]),
      .\outputs[6].queue.valid (valid[6]), .\outputs[6].queue.lost (none[6]),
      .\outputs[6].queue.queued (counts[27:24]), .\outputs[6].queue.longest (mosts[27:24]),
      .\outputs[7].queue.reset (resets[7]), .\outputs[7].queue.comes (comes[PORTS*7 +: PORTS]),
      .\outputs[7].queue.packets (packets[63*PORTS*7 +: 63*PORTS]),
      .\outputs[7].queue.packet (packet[503:441]), .\outputs[7].queue.most (most[31:28]),
      .\outputs[7].queue.turn (turn[7]),
      .\outputs[7].queue.valid (valid[7]), .\outputs[7].queue.lost (none[7]),
      .\outputs[7].queue.queued (counts[31:28]), .\outputs[7].queue.longest (mosts[31:28]),
`endif
      .clock(clock), .reset(reset), .queue_packets(queue_packets), .in_valid(in_valid),
      .in_route(in_route), .in_id(in_id), .out_valid(out_valid), .out_route(out_route),
      .out_id(out_id), .lost(lost), .queued(queued), .longest(longest));

  // The first clock is a reset.
  reg started = 1'b0;
  always @* assume (started | reset);
  always @(posedge clock) started <= 1'b1;

  reg [38:0] route;
  integer o, i;
  always @* begin
    for (o = 0; o < PORTS; o = o + 1) begin
      assert (resets[o] == reset);
      assert (turn[o]);
      assert (most[4*o +: 4] == queue_packets);
      assert (out_valid[o] == valid[o]);
      assert ({out_route[39*o +: 39], out_id[24*o +: 24]} == packet[63*o +: 63]);
      assert (lost[o] == none[o]);
      assert (queued[4*o +: 4] == counts[4*o +: 4] & longest[4*o +: 4] == mosts[4*o +: 4]);
      // At the places of their inputs, so that the lowest one is first.
      for (i = 0; i < PORTS; i = i + 1) begin
        route = in_route[39*i +: 39];
        assert (comes[PORTS*o + i] == (in_valid[i] & route % PORTS == o));
        if (comes[PORTS*o + i])
          assert (packets[63*(PORTS*o + i) +: 63] == {route / PORTS, in_id[24*i +: 24]});
      end
    end
  end

  assign reached[0] = started & comes[PORTS-1:0] == {PORTS{1'b1}};
  assign reached[1] = started & queued[4*PORTS-1 -: 4] == 4'd3;
endmodule
`default_nettype wire
