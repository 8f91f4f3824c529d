// SPDX-License-Identifier: MIT OR Apache-2.0
// The checksums that routers of a path should have of what rn1_interface sends: one
// for each rotation of the byte, by 0, 2, 4 and 6 bits to the left, and for each
// number of bytes that were swallowed, 0 to 3.
`default_nettype none

(* keep_hierarchy *)
module rn1_interface_checks (
    input  wire       clock,
    input  wire       clear,      // a segment begins: all are 0 in the next clock
    input  wire [8:0] word,       // on the wire
    input  wire [1:0] rotation,   // the checksum that is wanted
    input  wire [1:0] swallowed,
    output wire [7:0] sum
);
  // The words that count, for each number swallowed: those after it.
  reg  [2:0] passed;
  wire [3:0] counts = {passed, 1'b1} & {4{word[8]}};
  always @(posedge clock)
    passed <= clear ? 3'd0 : word[8] ? {passed[1:0], 1'b1} : passed;

  wire [127:0] sums;
  wire [7:0] bytes = word[7:0];
  genvar r, s;
  generate
    for (r = 0; r < 4; r = r + 1) begin : rotations
      wire [7:0] turned = bytes << 2*r | bytes >> (8 - 2*r);
      for (s = 0; s < 4; s = s + 1) begin : swallows
        reg  [7:0] crc;
        wire [7:0] more;
        rn1_checksum checksum (.crc(crc), .data(turned), .next(more));
        always @(posedge clock) crc <= clear ? 8'd0 : counts[s] ? more : crc;
        assign sums[8*(4*s + r) +: 8] = crc;
      end
    end
  endgenerate
  assign sum = sums[8*{swallowed, rotation} +: 8];
endmodule
`default_nettype wire
