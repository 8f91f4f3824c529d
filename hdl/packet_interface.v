// SPDX-License-Identifier: MIT OR Apache-2.0
// A node of a packet-switched network: a packet of the host is on the link a clock later, and one
// that comes shows a clock later. Ports and timing: packet_interface.md.
`default_nettype none
`include "packet.vh"

module packet_interface (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire [19:0] node,              // address of the node
    input  wire        tx_valid,          // send a packet
    input  wire        tx_broadcast,      // its destination is a set of levels
    input  wire  [4:0] tx_phase,          // its phase
    input  wire [19:0] tx_destination,    // its destination
    input  wire [23:0] tx_id,             // its number
    output wire        rx_valid,          // a packet has come
    output wire        rx_broadcast,      // its destination was a set of levels
    output wire  [4:0] rx_phase,          // its phase
    output wire [19:0] rx_destination,    // its destination
    output wire [23:0] rx_id,             // its number
    output wire        rx_wrong,          // it was for another node
    input  wire        link_in_valid,     // a packet comes in
    input  wire        link_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] link_in_phase,     // its phase
    input  wire [19:0] link_in_destination, // its destination
    input  wire [23:0] link_in_id,        // its number
    output wire        link_out_valid,    // a packet goes out
    output wire        link_out_broadcast, // its destination is a set of levels
    output wire  [4:0] link_out_phase,    // its phase
    output wire [19:0] link_out_destination, // its destination
    output wire [23:0] link_out_id        // its number
);
  localparam WIDTH = `CROSSWAVE_PACKET_WIDTH;

  reg [WIDTH-1:0] sent, received;
  reg wrong;
  assign {link_out_valid, link_out_broadcast, link_out_phase, link_out_destination, link_out_id}
      = sent;
  assign {rx_valid, rx_broadcast, rx_phase, rx_destination, rx_id} = received;
  assign rx_wrong = wrong;

  always @(posedge clock) begin
    if (reset) begin
      sent     <= {WIDTH{1'b0}};
      received <= {WIDTH{1'b0}};
      wrong    <= 1'b0;
    end else begin
      sent <= tx_valid ? {1'b1, tx_broadcast, tx_phase, tx_destination, tx_id} : {WIDTH{1'b0}};
      received <= link_in_valid
          ? {1'b1, link_in_broadcast, link_in_phase, link_in_destination, link_in_id} : {WIDTH{1'b0}};
      wrong <= link_in_valid & ~link_in_broadcast & (link_in_destination != node);
    end
  end
endmodule
`default_nettype wire
