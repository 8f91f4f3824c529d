// SPDX-License-Identifier: MIT OR Apache-2.0
// The m-port switch with 16 ports, each by its name.
`default_nettype none

module mport_switch_16 (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        winner_fixed,      // 1: inputs that lead down from above win, then the lower number; 0: at random
    input  wire        early_acknowledge, // 1: the acknowledge may come before the tail, and the tail frees the circuit; 0: the acknowledge frees it
    input  wire  [3:0] random_order,      // of inputs that want one output the one passes whose number, exclusive or this, is the least
    input  wire        p0_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p0_in_data,        // the word; 0 when not valid
    output wire        p0_in_ack,         // acknowledges the circuit that entered here
    output wire        p0_in_collision,   // rejects the circuit that entered here
    output wire        p0_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p0_out_data,       // the word; 0 when not valid
    input  wire        p0_out_ack,        // acknowledges the circuit that left here
    input  wire        p0_out_collision,  // rejects the circuit that left here
    input  wire        p1_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p1_in_data,        // the word; 0 when not valid
    output wire        p1_in_ack,         // acknowledges the circuit that entered here
    output wire        p1_in_collision,   // rejects the circuit that entered here
    output wire        p1_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p1_out_data,       // the word; 0 when not valid
    input  wire        p1_out_ack,        // acknowledges the circuit that left here
    input  wire        p1_out_collision,  // rejects the circuit that left here
    input  wire        p2_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p2_in_data,        // the word; 0 when not valid
    output wire        p2_in_ack,         // acknowledges the circuit that entered here
    output wire        p2_in_collision,   // rejects the circuit that entered here
    output wire        p2_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p2_out_data,       // the word; 0 when not valid
    input  wire        p2_out_ack,        // acknowledges the circuit that left here
    input  wire        p2_out_collision,  // rejects the circuit that left here
    input  wire        p3_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p3_in_data,        // the word; 0 when not valid
    output wire        p3_in_ack,         // acknowledges the circuit that entered here
    output wire        p3_in_collision,   // rejects the circuit that entered here
    output wire        p3_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p3_out_data,       // the word; 0 when not valid
    input  wire        p3_out_ack,        // acknowledges the circuit that left here
    input  wire        p3_out_collision,  // rejects the circuit that left here
    input  wire        p4_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p4_in_data,        // the word; 0 when not valid
    output wire        p4_in_ack,         // acknowledges the circuit that entered here
    output wire        p4_in_collision,   // rejects the circuit that entered here
    output wire        p4_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p4_out_data,       // the word; 0 when not valid
    input  wire        p4_out_ack,        // acknowledges the circuit that left here
    input  wire        p4_out_collision,  // rejects the circuit that left here
    input  wire        p5_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p5_in_data,        // the word; 0 when not valid
    output wire        p5_in_ack,         // acknowledges the circuit that entered here
    output wire        p5_in_collision,   // rejects the circuit that entered here
    output wire        p5_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p5_out_data,       // the word; 0 when not valid
    input  wire        p5_out_ack,        // acknowledges the circuit that left here
    input  wire        p5_out_collision,  // rejects the circuit that left here
    input  wire        p6_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p6_in_data,        // the word; 0 when not valid
    output wire        p6_in_ack,         // acknowledges the circuit that entered here
    output wire        p6_in_collision,   // rejects the circuit that entered here
    output wire        p6_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p6_out_data,       // the word; 0 when not valid
    input  wire        p6_out_ack,        // acknowledges the circuit that left here
    input  wire        p6_out_collision,  // rejects the circuit that left here
    input  wire        p7_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p7_in_data,        // the word; 0 when not valid
    output wire        p7_in_ack,         // acknowledges the circuit that entered here
    output wire        p7_in_collision,   // rejects the circuit that entered here
    output wire        p7_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p7_out_data,       // the word; 0 when not valid
    input  wire        p7_out_ack,        // acknowledges the circuit that left here
    input  wire        p7_out_collision,  // rejects the circuit that left here
    input  wire        p8_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p8_in_data,        // the word; 0 when not valid
    output wire        p8_in_ack,         // acknowledges the circuit that entered here
    output wire        p8_in_collision,   // rejects the circuit that entered here
    output wire        p8_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p8_out_data,       // the word; 0 when not valid
    input  wire        p8_out_ack,        // acknowledges the circuit that left here
    input  wire        p8_out_collision,  // rejects the circuit that left here
    input  wire        p9_in_valid,       // a word of a circuit that enters here
    input  wire  [7:0] p9_in_data,        // the word; 0 when not valid
    output wire        p9_in_ack,         // acknowledges the circuit that entered here
    output wire        p9_in_collision,   // rejects the circuit that entered here
    output wire        p9_out_valid,      // a word of a circuit that leaves here
    output wire  [7:0] p9_out_data,       // the word; 0 when not valid
    input  wire        p9_out_ack,        // acknowledges the circuit that left here
    input  wire        p9_out_collision,  // rejects the circuit that left here
    input  wire        p10_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p10_in_data,       // the word; 0 when not valid
    output wire        p10_in_ack,        // acknowledges the circuit that entered here
    output wire        p10_in_collision,  // rejects the circuit that entered here
    output wire        p10_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p10_out_data,      // the word; 0 when not valid
    input  wire        p10_out_ack,       // acknowledges the circuit that left here
    input  wire        p10_out_collision, // rejects the circuit that left here
    input  wire        p11_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p11_in_data,       // the word; 0 when not valid
    output wire        p11_in_ack,        // acknowledges the circuit that entered here
    output wire        p11_in_collision,  // rejects the circuit that entered here
    output wire        p11_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p11_out_data,      // the word; 0 when not valid
    input  wire        p11_out_ack,       // acknowledges the circuit that left here
    input  wire        p11_out_collision, // rejects the circuit that left here
    input  wire        p12_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p12_in_data,       // the word; 0 when not valid
    output wire        p12_in_ack,        // acknowledges the circuit that entered here
    output wire        p12_in_collision,  // rejects the circuit that entered here
    output wire        p12_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p12_out_data,      // the word; 0 when not valid
    input  wire        p12_out_ack,       // acknowledges the circuit that left here
    input  wire        p12_out_collision, // rejects the circuit that left here
    input  wire        p13_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p13_in_data,       // the word; 0 when not valid
    output wire        p13_in_ack,        // acknowledges the circuit that entered here
    output wire        p13_in_collision,  // rejects the circuit that entered here
    output wire        p13_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p13_out_data,      // the word; 0 when not valid
    input  wire        p13_out_ack,       // acknowledges the circuit that left here
    input  wire        p13_out_collision, // rejects the circuit that left here
    input  wire        p14_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p14_in_data,       // the word; 0 when not valid
    output wire        p14_in_ack,        // acknowledges the circuit that entered here
    output wire        p14_in_collision,  // rejects the circuit that entered here
    output wire        p14_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p14_out_data,      // the word; 0 when not valid
    input  wire        p14_out_ack,       // acknowledges the circuit that left here
    input  wire        p14_out_collision, // rejects the circuit that left here
    input  wire        p15_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p15_in_data,       // the word; 0 when not valid
    output wire        p15_in_ack,        // acknowledges the circuit that entered here
    output wire        p15_in_collision,  // rejects the circuit that entered here
    output wire        p15_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p15_out_data,      // the word; 0 when not valid
    input  wire        p15_out_ack,       // acknowledges the circuit that left here
    input  wire        p15_out_collision, // rejects the circuit that left here
    output wire [16:0] p0_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p1_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p2_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p3_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p4_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p5_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p6_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p7_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p8_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p9_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p10_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p11_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p12_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p13_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p14_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [16:0] p15_state          // circuit that entered here: drain, to each output from the last to the first
);
  mport_switch #(.PORTS(16), .INDEX(4)) switch (
      .clock(clock), .reset(reset), .winner_fixed(winner_fixed),
      .early_acknowledge(early_acknowledge), .random_order(random_order),
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
