// SPDX-License-Identifier: MIT OR Apache-2.0
// One output port of the m-port switch: who gets it, and the word of who holds it.
`default_nettype none

(* keep_hierarchy, occurs_often *)
module mport_output #(
    parameter PORTS = 4,
    parameter INDEX = 2
) (
    input  wire               clock,
    input  wire               reset,
    input  wire [INDEX-1:0]   order,
    input  wire [PORTS-1:0]   wanted,   // inputs whose heads want it
    input  wire [PORTS-1:0]   holders,  // the input whose circuit holds it
    output wire [PORTS-1:0]   grant,
    input  wire [PORTS-1:0]   select,   // the input whose word it takes
    input  wire [9*PORTS-1:0] words,
    output reg                valid,
    output reg  [7:0]         data
);
  mport_arbiter #(.PORTS(PORTS), .INDEX(INDEX)) arbiter (
      .free(~(|holders)), .order(order), .request(wanted), .grant(grant));

  reg [8:0] word;
  integer port;
  always @* begin
    word = 9'd0;
    for (port = 0; port < PORTS; port = port + 1)
      word = word | ({9{select[port]}} & words[9*port +: 9]);
  end

  always @(posedge clock) {valid, data} <= reset ? 9'd0 : word;
endmodule
`default_nettype wire
