// SPDX-License-Identifier: MIT OR Apache-2.0
// Chooses one of PORTS requests: the input whose number, exclusive or `order`, is
// the least. It is found in a tree that decides on one bit of the number after
// the other, the highest first. Of two requests each wins for half of the orders.
`default_nettype none

module mport_arbiter #(
    parameter PORTS = 4,
    parameter INDEX = 2
) (
    input  wire             free,
    input  wire [INDEX-1:0] order,
    input  wire [PORTS-1:0] request,
    output wire [PORTS-1:0] grant
);
  genvar depth, place;
  generate
    for (depth = 0; depth <= INDEX; depth = depth + 1) begin : row
      // Of each node whether a request is below it, and whether it wins.
      wire [(1<<depth)-1:0] any, won;
    end
    assign row[INDEX].any = request;
    assign row[0].won     = free & row[0].any;
    assign grant          = row[INDEX].won;
    for (depth = 0; depth < INDEX; depth = depth + 1) begin : decision
      wire upper_first = order[INDEX-1-depth];
      for (place = 0; place < (1 << depth); place = place + 1) begin : node
        wire lower = row[depth+1].any[2*place];
        wire upper = row[depth+1].any[2*place+1];
        assign row[depth].any[place] = lower | upper;
        assign row[depth+1].won[2*place]   = row[depth].won[place] & lower & ~(upper & upper_first);
        assign row[depth+1].won[2*place+1] = row[depth].won[place] & upper & (upper_first | ~lower);
      end
    end
  endgenerate
endmodule
`default_nettype wire
