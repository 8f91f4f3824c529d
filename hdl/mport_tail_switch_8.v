// The m-port switch that frees outputs after the tail, with 8 ports, each by its name.
`default_nettype none

module mport_tail_switch_8 (
`include "mport_tail_switch_8_ports.vh"
);
  mport_tail_switch #(.PORTS(8), .INDEX(3)) switch (
      .clock(clock), .reset(reset), .winner_fixed(winner_fixed),
      .random_order(random_order),
      .in_valid({
          p7_in_valid, p6_in_valid, p5_in_valid, p4_in_valid, p3_in_valid,
          p2_in_valid, p1_in_valid, p0_in_valid}),
      .in_data({
          p7_in_data, p6_in_data, p5_in_data, p4_in_data, p3_in_data, p2_in_data,
          p1_in_data, p0_in_data}),
      .in_ack({
          p7_in_ack, p6_in_ack, p5_in_ack, p4_in_ack, p3_in_ack, p2_in_ack,
          p1_in_ack, p0_in_ack}),
      .in_collision({
          p7_in_collision, p6_in_collision, p5_in_collision, p4_in_collision,
          p3_in_collision, p2_in_collision, p1_in_collision, p0_in_collision}),
      .out_valid({
          p7_out_valid, p6_out_valid, p5_out_valid, p4_out_valid, p3_out_valid,
          p2_out_valid, p1_out_valid, p0_out_valid}),
      .out_data({
          p7_out_data, p6_out_data, p5_out_data, p4_out_data, p3_out_data,
          p2_out_data, p1_out_data, p0_out_data}),
      .out_ack({
          p7_out_ack, p6_out_ack, p5_out_ack, p4_out_ack, p3_out_ack, p2_out_ack,
          p1_out_ack, p0_out_ack}),
      .out_collision({
          p7_out_collision, p6_out_collision, p5_out_collision, p4_out_collision,
          p3_out_collision, p2_out_collision, p1_out_collision, p0_out_collision}),
      .state({
          p7_state, p6_state, p5_state, p4_state, p3_state, p2_state, p1_state,
          p0_state}));
endmodule
`default_nettype wire
