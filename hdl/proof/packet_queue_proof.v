// SPDX-License-Identifier: MIT OR Apache-2.0
// A queue at inputs that do anything: every input of this module is free in every clock. Any packet
// that comes may be followed through the queue, so what is proved of it is proved of all.
`default_nettype none
`ifndef INPUTS
`define INPUTS 3
`endif

module packet_queue_proof (
    input wire                  clock,
    input wire                  reset,
    input wire                  turn,
    input wire [3:0]            most,
    input wire [`INPUTS-1:0]    comes,
    input wire [20*`INPUTS-1:0] packets,
    input wire                  follow,
    input wire [2:0]            whom,
    output wire [5:0]           reached
);
  wire valid, lost;
  wire [19:0] packet;
  wire [3:0] queued, longest;
  // Two groups of ten bits.
  wire [79:0] waits, waits_of_others;
  packet_queue chip (
      .clock(clock), .reset(reset), .turn(turn), .most(most), .comes(comes), .packets(packets),
      .valid(valid), .packet(packet), .lost(lost), .queued(queued), .longest(longest),
      .\groups[0].places.waits (waits),
      .\groups[10].places.waits (waits_of_others));

  // The first clock is a reset; later ones may be. Even the option may change.
  reg started = 1'b0;
  always @* assume (started | reset);
  always @(posedge clock) started <= 1'b1;

  // ---- How many wait -----------------------------------------------------------

  wire [5:0] limit = most < 4'd8 ? {2'd0, most} : 6'd8;
  reg [5:0] waiting, most_waiting;
  reg goes_1, lost_1;
  reg [5:0] all, ahead;
  integer i;
  always @* begin
    // Those that wait and come, and those of them that are in front of the one to follow.
    all   = waiting;
    ahead = waiting;
    for (i = 0; i < `INPUTS; i = i + 1) begin
      all = all + comes[i];
      if (i < whom) ahead = ahead + comes[i];
    end
  end
  wire goes = turn & all != 6'd0;
  wire [5:0] left = all - goes;
  wire [5:0] kept = left > limit ? limit : left;
  always @(posedge clock) begin
    waiting      <= reset ? 6'd0 : kept;
    most_waiting <= reset ? 6'd0 : kept > most_waiting ? kept : most_waiting;
    goes_1       <= ~reset & goes;
    lost_1       <= ~reset & left > limit;
  end

  // ---- One of them -------------------------------------------------------------

  // In front of the packet that is followed are `place` others; it goes out when nobody is, and
  // where it finds no place it is lost.
  reg followed;
  reg [5:0] place;
  reg [19:0] which, out_1;
  reg is_out_1;
  wire starts = ~followed & follow & whom < `INPUTS & comes[whom];
  wire [5:0] now = followed ? place : ahead;
  wire [19:0] content = followed ? which : packets[20*whom +: 20];
  wire here = followed | starts;
  always @(posedge clock) begin
    followed <= ~reset & here & ~(turn & now == 6'd0) & (now - turn < limit);
    place    <= now - turn;
    which    <= content;
    is_out_1 <= ~reset & here & turn & now == 6'd0;
    out_1    <= content;
  end

  always @* begin
    if (started) begin
      assert (valid == goes_1);
      assert (lost == lost_1);
      assert (queued == waiting);
      assert (longest == most_waiting);
      if (is_out_1) assert (valid & packet == out_1);
      if (~valid) assert (packet == 20'd0);
`ifndef PORTS_ONLY
      assert (waiting <= 6'd8);
      assert (most_waiting <= 6'd8 & most_waiting >= waiting);
      for (i = 0; i < 8; i = i + 1)
        if (i >= waiting) assert ({waits_of_others[10*i +: 10], waits[10*i +: 10]} == 20'd0);
      if (followed) begin
        assert (place < waiting);
        assert (waits[10*place[2:0] +: 10] == which[9:0]);
        assert (waits_of_others[10*place[2:0] +: 10] == which[19:10]);
      end
`endif
    end
  end

  assign reached[0] = started & lost;
  assign reached[1] = started & is_out_1 & waiting == 6'd2;
  assign reached[2] = started & queued == 4'd8;
  assign reached[3] = started & longest > queued & valid;
  assign reached[4] = started & followed & place == 6'd5;
  assign reached[5] = started & waiting != 6'd0 & ~valid & ~lost;
endmodule
`default_nettype wire
