// SPDX-License-Identifier: MIT OR Apache-2.0
// The direction in which half-duplex links carry packets in the next cycle: up in even ones, down in
// odd ones. The first one behind a reset is cycle 1.
`default_nettype none

(* keep_hierarchy, occurs_often *)
module packet_turns (
    input  wire clock,
    input  wire reset,
    input  wire half_duplex,
    output wire up,
    output wire down
);
  reg odd;
  always @(posedge clock) begin
    if (reset) odd <= 1'b1;
    else       odd <= half_duplex & ~odd;
  end

  assign up   = odd | ~half_duplex;
  assign down = ~odd | ~half_duplex;
endmodule
`default_nettype wire
