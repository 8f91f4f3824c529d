// The m-port switch that frees outputs after the tail, with 16 ports, each by its name.
`default_nettype none

module mport_tail_switch_16 (
`include "mport_tail_switch_16_ports.vh"
);
  mport_tail_switch #(.PORTS(16), .INDEX(4)) switch (
      .clock(clock), .reset(reset), .winner_fixed(winner_fixed),
      .random_order(random_order),
      .in_valid({
          p15_in_valid, p14_in_valid, p13_in_valid, p12_in_valid, p11_in_valid,
          p10_in_valid, p9_in_valid, p8_in_valid, p7_in_valid, p6_in_valid,
          p5_in_valid, p4_in_valid, p3_in_valid, p2_in_valid, p1_in_valid,
          p0_in_valid}),
      .in_data({
          p15_in_data, p14_in_data, p13_in_data, p12_in_data, p11_in_data,
          p10_in_data, p9_in_data, p8_in_data, p7_in_data, p6_in_data, p5_in_data,
          p4_in_data, p3_in_data, p2_in_data, p1_in_data, p0_in_data}),
      .in_ack({
          p15_in_ack, p14_in_ack, p13_in_ack, p12_in_ack, p11_in_ack, p10_in_ack,
          p9_in_ack, p8_in_ack, p7_in_ack, p6_in_ack, p5_in_ack, p4_in_ack,
          p3_in_ack, p2_in_ack, p1_in_ack, p0_in_ack}),
      .in_collision({
          p15_in_collision, p14_in_collision, p13_in_collision, p12_in_collision,
          p11_in_collision, p10_in_collision, p9_in_collision, p8_in_collision,
          p7_in_collision, p6_in_collision, p5_in_collision, p4_in_collision,
          p3_in_collision, p2_in_collision, p1_in_collision, p0_in_collision}),
      .out_valid({
          p15_out_valid, p14_out_valid, p13_out_valid, p12_out_valid, p11_out_valid,
          p10_out_valid, p9_out_valid, p8_out_valid, p7_out_valid, p6_out_valid,
          p5_out_valid, p4_out_valid, p3_out_valid, p2_out_valid, p1_out_valid,
          p0_out_valid}),
      .out_data({
          p15_out_data, p14_out_data, p13_out_data, p12_out_data, p11_out_data,
          p10_out_data, p9_out_data, p8_out_data, p7_out_data, p6_out_data,
          p5_out_data, p4_out_data, p3_out_data, p2_out_data, p1_out_data,
          p0_out_data}),
      .out_ack({
          p15_out_ack, p14_out_ack, p13_out_ack, p12_out_ack, p11_out_ack,
          p10_out_ack, p9_out_ack, p8_out_ack, p7_out_ack, p6_out_ack, p5_out_ack,
          p4_out_ack, p3_out_ack, p2_out_ack, p1_out_ack, p0_out_ack}),
      .out_collision({
          p15_out_collision, p14_out_collision, p13_out_collision, p12_out_collision,
          p11_out_collision, p10_out_collision, p9_out_collision, p8_out_collision,
          p7_out_collision, p6_out_collision, p5_out_collision, p4_out_collision,
          p3_out_collision, p2_out_collision, p1_out_collision, p0_out_collision}),
      .state({
          p15_state, p14_state, p13_state, p12_state, p11_state, p10_state, p9_state,
          p8_state, p7_state, p6_state, p5_state, p4_state, p3_state, p2_state,
          p1_state, p0_state}));
endmodule
`default_nettype wire
