// SPDX-License-Identifier: MIT OR Apache-2.0
// A node at packet switches of an m-port n-tree: a packet of the host is on the link a clock later,
// and one that comes shows a clock later. Ports and timing: mport_packet_interface.md.
`default_nettype none
`include "routed_packet.vh"

module mport_packet_interface (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire [19:0] node,              // address of the node
    input  wire        tx_valid,          // send a packet
    input  wire [38:0] tx_route,          // output ports of its route
    input  wire [23:0] tx_id,             // its number
    output wire        rx_valid,          // a packet has come
    output wire [23:0] rx_id,             // its number
    output wire        rx_wrong,          // its route was to go on
    input  wire        link_in_valid,     // a packet comes in
    input  wire [38:0] link_in_route,     // output ports ahead of it
    input  wire [23:0] link_in_id,        // its number
    output wire        link_out_valid,    // a packet goes out
    output wire [38:0] link_out_route,    // output ports ahead of it
    output wire [23:0] link_out_id        // its number
);
  localparam ID    = `CROSSWAVE_ROUTED_ID_WIDTH;
  localparam ROUTE = `CROSSWAVE_ROUTED_ROUTE_WIDTH;

  reg [ID+ROUTE:0] sent;
  reg [ID:0] received;
  reg wrong;
  assign {link_out_valid, link_out_route, link_out_id} = sent;
  assign {rx_valid, rx_id} = received;
  assign rx_wrong = wrong;

  always @(posedge clock) begin
    if (reset) begin
      sent     <= {ID + ROUTE + 1{1'b0}};
      received <= {ID + 1{1'b0}};
      wrong    <= 1'b0;
    end else begin
      sent     <= {ID + ROUTE + 1{tx_valid}} & {1'b1, tx_route, tx_id};
      received <= {ID + 1{link_in_valid}} & {1'b1, link_in_id};
      wrong    <= link_in_valid & (|link_in_route);
    end
  end

  wire unused = &{1'b0, node};
endmodule
`default_nettype wire
