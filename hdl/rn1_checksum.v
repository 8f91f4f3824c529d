// SPDX-License-Identifier: MIT OR Apache-2.0
// The checksum after one more byte: a CRC, most significant bit first.
// Combinational.
`default_nettype none
`include "rn1_protocol.vh"

(* keep_hierarchy *)
module rn1_checksum (
    input  wire [7:0] crc,
    input  wire [7:0] data,
    output reg  [7:0] next
);
  always @* begin : divide
    integer at;
    next = crc ^ data;
    for (at = 0; at < 8; at = at + 1)
      next = {next[6:0], 1'b0} ^ (next[7] ? `CROSSWAVE_RN1_CRC_POLYNOMIAL : 8'd0);
  end
endmodule
`default_nettype wire
