// SPDX-License-Identifier: MIT OR Apache-2.0
// Benches of the timing diagrams of the chips of packet-switched networks. Inputs change with the
// rising edge, as registers do.
`default_nettype none

// The destination of a packet in hexadecimal, with a star when it is a set of levels, or dots.
`define DESTINATION(name, valid, broadcast, destination) \
  if (!(valid)) $write("%0s=.. ", name); \
  else if (broadcast) $write("%0s=*%01h ", name, destination[3:0]); \
  else $write("%0s=%02h ", name, destination[7:0]);

// A node of level 1 with the nodes 0 to 3 below it.
module packets;
  reg clock = 1'b0, reset = 1'b1;
  reg left_valid = 1'b0, left_broadcast = 1'b0, right_valid = 1'b0, up_valid = 1'b0;
  reg [19:0] left = 20'd0, right = 20'd0, up = 20'd0;
  wire left_out_valid, right_out_valid, up_out_valid, left_out_broadcast, right_out_broadcast,
      up_out_broadcast;
  wire [19:0] left_out, right_out, up_out;
  wire [2:0] conflict;
  bft_node node (
      .clock(clock), .reset(reset), .level(5'd1), .address(20'd0), .upstream_single(1'b1),
      .conflict(conflict),
      .left_in_valid(left_valid), .left_in_broadcast(left_broadcast), .left_in_phase(5'd0),
      .left_in_destination(left), .left_in_id(24'd0),
      .right_in_valid(right_valid), .right_in_broadcast(1'b0), .right_in_phase(5'd0),
      .right_in_destination(right), .right_in_id(24'd0),
      .up_0_in_valid(up_valid), .up_0_in_broadcast(1'b0), .up_0_in_phase(5'd0),
      .up_0_in_destination(up), .up_0_in_id(24'd0),
      .up_1_in_valid(1'b0), .up_1_in_broadcast(1'b0), .up_1_in_phase(5'd0),
      .up_1_in_destination(20'd0), .up_1_in_id(24'd0),
      .left_out_valid(left_out_valid), .left_out_broadcast(left_out_broadcast),
      .left_out_phase(), .left_out_destination(left_out), .left_out_id(),
      .right_out_valid(right_out_valid), .right_out_broadcast(right_out_broadcast),
      .right_out_phase(), .right_out_destination(right_out), .right_out_id(),
      .up_0_out_valid(up_out_valid), .up_0_out_broadcast(up_out_broadcast),
      .up_0_out_phase(), .up_0_out_destination(up_out), .up_0_out_id(),
      .up_1_out_valid(), .up_1_out_broadcast(), .up_1_out_phase(), .up_1_out_destination(),
      .up_1_out_id());
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    left_valid <= cycle >= 0 & cycle <= 3;
    left_broadcast <= cycle == 2;
    case (cycle)
      0: left <= 20'd2;
      1: left <= 20'd7;
      2: left <= 20'd2;
      3: left <= 20'd3;
      default: left <= 20'd0;
    endcase
    right_valid <= cycle == 3;
    right <= cycle == 3 ? 20'd1 : 20'd0;
    up_valid <= cycle == 3;
    up <= cycle == 3 ? 20'd0 : 20'd0;
    if (cycle == 7) $finish;
  end
  always @(negedge clock) if (cycle >= 0) begin
    `DESTINATION("left_in", left_valid, left_broadcast, left)
    `DESTINATION("right_in", right_valid, 1'b0, right)
    `DESTINATION("up_0_in", up_valid, 1'b0, up)
    `DESTINATION("left_out", left_out_valid, left_out_broadcast, left_out)
    `DESTINATION("right_out", right_out_valid, right_out_broadcast, right_out)
    `DESTINATION("up_0_out", up_out_valid, up_out_broadcast, up_out)
    if (conflict == 3'd0) $write("conflict=. "); else $write("conflict=%0d ", conflict);
    $write("\n");
  end
endmodule

// Two nodes whose links are joined.
module packet_ends;
  reg clock = 1'b0, reset = 1'b1, valid = 1'b0;
  reg [23:0] id = 24'd0;
  wire on_valid, rx_valid;
  wire [19:0] on_destination;
  wire [23:0] on_id, rx_id;
  packet_interface sender (
      .clock(clock), .reset(reset), .node(20'd0), .tx_valid(valid), .tx_broadcast(1'b0),
      .tx_phase(5'd0), .tx_destination(20'd1), .tx_id(id), .rx_valid(), .rx_broadcast(),
      .rx_phase(), .rx_destination(), .rx_id(), .rx_wrong(),
      .link_in_valid(1'b0), .link_in_broadcast(1'b0), .link_in_phase(5'd0),
      .link_in_destination(20'd0), .link_in_id(24'd0),
      .link_out_valid(on_valid), .link_out_broadcast(), .link_out_phase(),
      .link_out_destination(on_destination), .link_out_id(on_id));
  packet_interface receiver (
      .clock(clock), .reset(reset), .node(20'd1), .tx_valid(1'b0), .tx_broadcast(1'b0),
      .tx_phase(5'd0), .tx_destination(20'd0), .tx_id(24'd0), .rx_valid(rx_valid),
      .rx_broadcast(), .rx_phase(), .rx_destination(), .rx_id(rx_id), .rx_wrong(),
      .link_in_valid(on_valid), .link_in_broadcast(1'b0), .link_in_phase(5'd0),
      .link_in_destination(on_destination), .link_in_id(on_id),
      .link_out_valid(), .link_out_broadcast(), .link_out_phase(),
      .link_out_destination(), .link_out_id());
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    valid <= cycle == 0 | cycle == 1 | cycle == 3;
    id <= cycle == 0 | cycle == 1 | cycle == 3 ? 24'h0a + cycle : 24'd0;
    if (cycle == 7) $finish;
  end
  always @(negedge clock) if (cycle >= 0) begin
    if (valid) $write("tx_id=%02h ", id[7:0]); else $write("tx_id=.. ");
    if (on_valid) $write("link_out_id=%02h ", on_id[7:0]); else $write("link_out_id=.. ");
    if (rx_valid) $write("rx_id=%02h ", rx_id[7:0]); else $write("rx_id=.. ");
    $write("\n");
  end
endmodule

// A node of level 0 with one link up, and queues of two packets.
module queue_fills;
  reg clock = 1'b0, reset = 1'b1, valid = 1'b0;
  reg [23:0] left = 24'd0, right = 24'd0;
  wire up_out_valid;
  wire [23:0] up_out;
  wire [3:0] lost, queued, longest;
  packet_switch_q8 node (
      .clock(clock), .reset(reset), .level(5'd0), .address(20'd0), .upstream_single(1'b1),
      .queue_packets(4'd2), .half_duplex(1'b0), .lost(lost),
      .left_queued(), .right_queued(), .up_0_queued(queued), .up_1_queued(),
      .left_longest(), .right_longest(), .up_0_longest(longest), .up_1_longest(),
      .left_in_valid(valid), .left_in_broadcast(1'b0), .left_in_phase(5'd0),
      .left_in_destination(20'd7), .left_in_id(left),
      .right_in_valid(valid), .right_in_broadcast(1'b0), .right_in_phase(5'd0),
      .right_in_destination(20'd6), .right_in_id(right),
      .up_0_in_valid(1'b0), .up_0_in_broadcast(1'b0), .up_0_in_phase(5'd0),
      .up_0_in_destination(20'd0), .up_0_in_id(24'd0),
      .up_1_in_valid(1'b0), .up_1_in_broadcast(1'b0), .up_1_in_phase(5'd0),
      .up_1_in_destination(20'd0), .up_1_in_id(24'd0),
      .left_out_valid(), .left_out_broadcast(), .left_out_phase(), .left_out_destination(),
      .left_out_id(), .right_out_valid(), .right_out_broadcast(), .right_out_phase(),
      .right_out_destination(), .right_out_id(),
      .up_0_out_valid(up_out_valid), .up_0_out_broadcast(), .up_0_out_phase(),
      .up_0_out_destination(), .up_0_out_id(up_out),
      .up_1_out_valid(), .up_1_out_broadcast(), .up_1_out_phase(), .up_1_out_destination(),
      .up_1_out_id());
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    valid <= cycle >= 0 & cycle < 3;
    left  <= cycle >= 0 & cycle < 3 ? 24'ha0 + cycle : 24'd0;
    right <= cycle >= 0 & cycle < 3 ? 24'hb0 + cycle : 24'd0;
    if (cycle == 8) $finish;
  end
  always @(negedge clock) if (cycle >= 0) begin
    if (valid) $write("left_in_id=%02h right_in_id=%02h ", left[7:0], right[7:0]);
    else $write("left_in_id=.. right_in_id=.. ");
    if (up_out_valid) $write("up_0_out_id=%02h ", up_out[7:0]); else $write("up_0_out_id=.. ");
    $write("up_0_queued=%0d up_0_longest=%0d ", queued, longest);
    if (lost == 4'd0) $write("lost=. "); else $write("lost=%0d ", lost);
    $write("\n");
  end
endmodule

// A switch with four ports, and a node behind its port 2.
module routed_packets;
  reg clock = 1'b0, reset = 1'b1, tx_valid = 1'b0;
  reg [1:0] valid = 2'd0;
  wire [3:0] out_valid, lost;
  wire [155:0] out_route;
  wire [95:0] out_id;
  wire [15:0] queued, longest;
  wire link_valid, rx_valid, rx_wrong;
  wire [38:0] link_route;
  wire [23:0] link_id, rx_id;
  mport_packet_switch #(.PORTS(4), .INDEX(2)) switch (
      .clock(clock), .reset(reset), .queue_packets(4'd8),
      .in_valid({1'b0, link_valid, valid}), .in_route({39'd0, link_route, 39'd2, 39'd6}),
      .in_id({24'd0, link_id, 24'hb0, 24'ha0}),
      .out_valid(out_valid), .out_route(out_route), .out_id(out_id), .lost(lost),
      .queued(queued), .longest(longest));
  mport_packet_interface node (
      .clock(clock), .reset(reset), .node(20'd5), .tx_valid(tx_valid), .tx_route(39'd2),
      .tx_id(24'hc0), .rx_valid(rx_valid), .rx_id(rx_id), .rx_wrong(rx_wrong),
      .link_in_valid(out_valid[2]), .link_in_route(out_route[116:78]),
      .link_in_id(out_id[71:48]), .link_out_valid(link_valid), .link_out_route(link_route),
      .link_out_id(link_id));
  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset    <= 1'b0;
    cycle    <= cycle + 1;
    tx_valid <= cycle == 0;
    valid    <= cycle == 1 ? 2'd3 : 2'd0;
    if (cycle == 8) $finish;
  end
  always @(negedge clock) if (cycle >= 0) begin
    if (valid[0]) $write("p0_in_id=a0 p1_in_id=b0 "); else $write("p0_in_id=.. p1_in_id=.. ");
    if (tx_valid) $write("tx_id=c0 "); else $write("tx_id=.. ");
    if (link_valid) $write("p2_in_id=%02h ", link_id[7:0]); else $write("p2_in_id=.. ");
    if (out_valid[2]) $write("p2_out_id=%02h p2_out_route=%0d ", out_id[55:48], out_route[81:78]);
    else $write("p2_out_id=.. p2_out_route=.. ");
    $write("p2_queued=%0d ", queued[11:8]);
    if (rx_valid) $write("rx_id=%02h rx_wrong=%0d ", rx_id[7:0], rx_wrong);
    else $write("rx_id=.. rx_wrong=. ");
    $write("\n");
  end
endmodule
`default_nettype wire
