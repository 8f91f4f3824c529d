// SPDX-License-Identifier: MIT OR Apache-2.0
// Some bits of all packets in a queue, and of the one that goes out. Places where nobody waits are 0.
`default_nettype none

(* keep_hierarchy, occurs_often *)
module packet_places #(
    parameter INPUTS = 3,
    parameter WIDTH  = 10,
    parameter DEPTH  = 8
) (
    input  wire                        clock,
    input  wire                        reset,
    input  wire                        turn,
    input  wire [(DEPTH+1)*INPUTS-1:0] take,
    input  wire [DEPTH-1:0]            exists,
    input  wire [INPUTS*WIDTH-1:0]     packets,
    output reg  [WIDTH-1:0]            out
);
  reg [DEPTH*WIDTH-1:0] waits;

  // Row 0 is the next to go out: first those that wait, then those that come.
  reg [(DEPTH+1)*WIDTH-1:0] rows;
  integer row, source;
  always @* begin
    rows = {{WIDTH{1'b0}}, waits};
    for (row = 0; row <= DEPTH; row = row + 1)
      for (source = 0; source < INPUTS; source = source + 1)
        rows[WIDTH*row +: WIDTH] = rows[WIDTH*row +: WIDTH]
            | ({WIDTH{take[INPUTS*row+source]}} & packets[WIDTH*source +: WIDTH]);
  end

  integer place;
  always @(posedge clock) begin
    if (reset) begin
      out   <= {WIDTH{1'b0}};
      waits <= {DEPTH * WIDTH{1'b0}};
    end else begin
      out <= {WIDTH{turn}} & rows[WIDTH-1:0];
      for (place = 0; place < DEPTH; place = place + 1)
        waits[WIDTH*place +: WIDTH] <= {WIDTH{exists[place]}}
            & (turn ? rows[WIDTH*(place+1) +: WIDTH] : rows[WIDTH*place +: WIDTH]);
    end
  end
endmodule
`default_nettype wire
