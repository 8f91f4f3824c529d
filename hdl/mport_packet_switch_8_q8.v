// The packet switch of an m-port n-tree with 8 ports, each by its name.
`default_nettype none

module mport_packet_switch_8_q8 (
`include "mport_packet_switch_8_q8_ports.vh"
);
  mport_packet_switch #(.PORTS(8), .INDEX(3)) switch (
      .clock(clock), .reset(reset), .queue_packets(queue_packets), .lost(lost),
      .in_valid({
          p7_in_valid, p6_in_valid, p5_in_valid, p4_in_valid, p3_in_valid, p2_in_valid,
          p1_in_valid, p0_in_valid}),
      .in_route({
          p7_in_route, p6_in_route, p5_in_route, p4_in_route, p3_in_route, p2_in_route,
          p1_in_route, p0_in_route}),
      .in_id({
          p7_in_id, p6_in_id, p5_in_id, p4_in_id, p3_in_id, p2_in_id, p1_in_id, p0_in_id}),
      .out_valid({
          p7_out_valid, p6_out_valid, p5_out_valid, p4_out_valid, p3_out_valid, p2_out_valid,
          p1_out_valid, p0_out_valid}),
      .out_route({
          p7_out_route, p6_out_route, p5_out_route, p4_out_route, p3_out_route, p2_out_route,
          p1_out_route, p0_out_route}),
      .out_id({
          p7_out_id, p6_out_id, p5_out_id, p4_out_id, p3_out_id, p2_out_id, p1_out_id, p0_out_id}),
      .queued({
          p7_queued, p6_queued, p5_queued, p4_queued, p3_queued, p2_queued, p1_queued, p0_queued}),
      .longest({
          p7_longest, p6_longest, p5_longest, p4_longest, p3_longest, p2_longest, p1_longest,
          p0_longest}));
endmodule
`default_nettype wire
