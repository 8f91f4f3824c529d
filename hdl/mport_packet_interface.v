// A node at packet switches of an m-port n-tree: a packet of the host is on the link a clock later,
// and one that comes shows a clock later. Ports and timing: mport_packet_interface.md.
`default_nettype none
`include "routed_packet.vh"

module mport_packet_interface (
`include "mport_packet_interface_ports.vh"
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
