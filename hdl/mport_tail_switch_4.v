// The m-port switch that frees outputs after the tail, with 4 ports, each by its name.
`default_nettype none

module mport_tail_switch_4 (
`include "mport_tail_switch_4_ports.vh"
);
  mport_tail_switch #(.PORTS(4), .INDEX(2)) switch (
      .clock(clock), .reset(reset), .winner_fixed(winner_fixed),
      .random_order(random_order),
      .in_valid({
          p3_in_valid, p2_in_valid, p1_in_valid, p0_in_valid}),
      .in_data({
          p3_in_data, p2_in_data, p1_in_data, p0_in_data}),
      .in_ack({
          p3_in_ack, p2_in_ack, p1_in_ack, p0_in_ack}),
      .in_collision({
          p3_in_collision, p2_in_collision, p1_in_collision, p0_in_collision}),
      .out_valid({
          p3_out_valid, p2_out_valid, p1_out_valid, p0_out_valid}),
      .out_data({
          p3_out_data, p2_out_data, p1_out_data, p0_out_data}),
      .out_ack({
          p3_out_ack, p2_out_ack, p1_out_ack, p0_out_ack}),
      .out_collision({
          p3_out_collision, p2_out_collision, p1_out_collision, p0_out_collision}),
      .state({
          p3_state, p2_state, p1_state, p0_state}));
endmodule
`default_nettype wire
