// SPDX-License-Identifier: MIT OR Apache-2.0
// The queue in front of one output of a packet switch, and the output: first come, first served;
// of those that come in one clock the one at the lowest place of `packets` is first. One that
// finds nobody goes out a clock after it came in. Timing: packet_switch_q8.md.
`default_nettype none

module packet_queue #(
    parameter INPUTS = 3,
    parameter WIDTH  = 50,
    parameter GROUP  = 10,  // WIDTH is a multiple of it
    parameter DEPTH  = 8
) (
    input  wire                    clock,
    input  wire                    reset,
    input  wire                    turn,     // a packet may go out in the next clock
    input  wire [3:0]              most,     // packets that may wait; DEPTH, if it is more
    input  wire [INPUTS-1:0]       comes,
    input  wire [INPUTS*WIDTH-1:0] packets,
    output wire                    valid,
    output wire [WIDTH-1:0]        packet,
    output wire                    lost,     // packets found no place
    output wire [3:0]              queued,   // packets that wait
    output wire [3:0]              longest   // the most that have waited
);
  wire [(DEPTH+1)*INPUTS-1:0] take;
  wire [DEPTH-1:0] exists;
  packet_counts #(.INPUTS(INPUTS), .DEPTH(DEPTH)) counts (
      .clock(clock), .reset(reset), .turn(turn), .most(most), .comes(comes), .take(take),
      .exists(exists), .valid(valid), .lost(lost), .queued(queued), .longest(longest));

  // Groups of bits: a netlist with one module for each is short.
  genvar group, source;
  generate
    for (group = 0; group < WIDTH; group = group + GROUP) begin : groups
      wire [INPUTS*GROUP-1:0] bits;
      for (source = 0; source < INPUTS; source = source + 1) begin : sources
        assign bits[GROUP*source +: GROUP] = packets[WIDTH*source+group +: GROUP];
      end
      packet_places #(.INPUTS(INPUTS), .WIDTH(GROUP), .DEPTH(DEPTH)) places (
          .clock(clock), .reset(reset), .turn(turn), .take(take), .exists(exists), .packets(bits),
          .out(packet[group +: GROUP]));
    end
  endgenerate
endmodule
`default_nettype wire
