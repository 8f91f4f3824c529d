// SPDX-License-Identifier: MIT OR Apache-2.0
// How many packets wait in a queue, and where those that come take their places.
`default_nettype none

(* keep_hierarchy, occurs_often *)
module packet_counts #(
    parameter INPUTS = 3,
    parameter DEPTH  = 8
) (
    input  wire                        clock,
    input  wire                        reset,
    input  wire                        turn,
    input  wire [3:0]                  most,
    input  wire [INPUTS-1:0]           comes,
    output reg  [(DEPTH+1)*INPUTS-1:0] take,    // of each row, the input that stands in it
    output reg  [DEPTH-1:0]            exists,  // places that a packet may wait in
    output reg                         valid,
    output reg                         lost,
    output reg  [3:0]                  queued,
    output reg  [3:0]                  longest
);
  localparam [3:0] PLACES = DEPTH;
  wire [3:0] limit = most > PLACES ? PLACES : most;

  // Row 0 is the next to go out: first those that wait, then those that come.
  reg [5:0] total;
  integer source, row;
  always @* begin
    total = {2'd0, queued};
    take  = {(DEPTH + 1) * INPUTS{1'b0}};
    for (source = 0; source < INPUTS; source = source + 1) begin
      for (row = 0; row <= DEPTH; row = row + 1)
        take[INPUTS*row+source] = comes[source] & (total == row[5:0]);
      total = total + {5'd0, comes[source]};
    end
    for (row = 0; row < DEPTH; row = row + 1) exists[row] = row[3:0] < limit;
  end

  wire       goes = turn & (total != 6'd0);
  wire [5:0] left = total - {5'd0, goes};
  wire       full = left > {2'd0, limit};
  wire [3:0] kept = full ? limit : left[3:0];

  always @(posedge clock) begin
    if (reset) begin
      {valid, lost} <= 2'b00;
      queued  <= 4'd0;
      longest <= 4'd0;
    end else begin
      valid   <= goes;
      lost    <= full;
      queued  <= kept;
      longest <= kept > longest ? kept : longest;
    end
  end
endmodule
`default_nettype wire
