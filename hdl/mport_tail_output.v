// SPDX-License-Identifier: MIT OR Apache-2.0
// One output port of the m-port switch that frees outputs after the tail: who gets it, the
// word of who holds it, and the inputs whose answers are awaited here.
`default_nettype none

(* keep_hierarchy, occurs_often *)
module mport_tail_output #(
    parameter PORTS = 4,
    parameter INDEX = 2
) (
    input  wire               clock,
    input  wire               reset,
    input  wire [INDEX-1:0]   order,
    input  wire [PORTS-1:0]   wanted,    // inputs whose heads want it
    input  wire [PORTS-1:0]   holders,   // the input whose circuit holds it
    output wire [PORTS-1:0]   grant,
    input  wire [PORTS-1:0]   select,    // the input whose word it takes
    input  wire [9*PORTS-1:0] words,
    input  wire               ack,
    input  wire               collision,
    output wire [PORTS-1:0]   acked,     // the input that the answer is for
    output wire [PORTS-1:0]   collided,
    output reg                valid,
    output reg  [7:0]         data
);
  wire room;
  wire [PORTS-1:0] oldest;
  fat_tree_tail_output #(.SOURCES(PORTS)) awaited (
      .clock(clock), .reset(reset), .granted(grant), .ack(ack), .collision(collision),
      .one(1'b0), .room(room), .oldest(oldest));
  assign acked    = oldest & {PORTS{ack}};
  assign collided = oldest & {PORTS{collision}};

  mport_arbiter #(.PORTS(PORTS), .INDEX(INDEX)) arbiter (
      .free(room & ~(|holders)), .order(order), .request(wanted), .grant(grant));

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
