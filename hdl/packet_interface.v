// A node of a packet-switched network: a packet of the host is on the link a clock later, and one
// that comes shows a clock later. Ports and timing: packet_interface.md.
`default_nettype none
`include "packet.vh"

module packet_interface (
`include "packet_interface_ports.vh"
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
