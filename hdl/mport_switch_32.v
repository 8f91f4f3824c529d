// SPDX-License-Identifier: MIT OR Apache-2.0
// The m-port switch with 32 ports, each by its name.
`default_nettype none

module mport_switch_32 (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        winner_fixed,      // 1: inputs that lead down from above win, then the lower number; 0: at random
    input  wire        early_acknowledge, // 1: the acknowledge may come before the tail, and the tail frees the circuit; 0: the acknowledge frees it
    input  wire  [4:0] random_order,      // of inputs that want one output the one passes whose number, exclusive or this, is the least
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
    input  wire        p16_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p16_in_data,       // the word; 0 when not valid
    output wire        p16_in_ack,        // acknowledges the circuit that entered here
    output wire        p16_in_collision,  // rejects the circuit that entered here
    output wire        p16_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p16_out_data,      // the word; 0 when not valid
    input  wire        p16_out_ack,       // acknowledges the circuit that left here
    input  wire        p16_out_collision, // rejects the circuit that left here
    input  wire        p17_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p17_in_data,       // the word; 0 when not valid
    output wire        p17_in_ack,        // acknowledges the circuit that entered here
    output wire        p17_in_collision,  // rejects the circuit that entered here
    output wire        p17_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p17_out_data,      // the word; 0 when not valid
    input  wire        p17_out_ack,       // acknowledges the circuit that left here
    input  wire        p17_out_collision, // rejects the circuit that left here
    input  wire        p18_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p18_in_data,       // the word; 0 when not valid
    output wire        p18_in_ack,        // acknowledges the circuit that entered here
    output wire        p18_in_collision,  // rejects the circuit that entered here
    output wire        p18_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p18_out_data,      // the word; 0 when not valid
    input  wire        p18_out_ack,       // acknowledges the circuit that left here
    input  wire        p18_out_collision, // rejects the circuit that left here
    input  wire        p19_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p19_in_data,       // the word; 0 when not valid
    output wire        p19_in_ack,        // acknowledges the circuit that entered here
    output wire        p19_in_collision,  // rejects the circuit that entered here
    output wire        p19_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p19_out_data,      // the word; 0 when not valid
    input  wire        p19_out_ack,       // acknowledges the circuit that left here
    input  wire        p19_out_collision, // rejects the circuit that left here
    input  wire        p20_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p20_in_data,       // the word; 0 when not valid
    output wire        p20_in_ack,        // acknowledges the circuit that entered here
    output wire        p20_in_collision,  // rejects the circuit that entered here
    output wire        p20_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p20_out_data,      // the word; 0 when not valid
    input  wire        p20_out_ack,       // acknowledges the circuit that left here
    input  wire        p20_out_collision, // rejects the circuit that left here
    input  wire        p21_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p21_in_data,       // the word; 0 when not valid
    output wire        p21_in_ack,        // acknowledges the circuit that entered here
    output wire        p21_in_collision,  // rejects the circuit that entered here
    output wire        p21_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p21_out_data,      // the word; 0 when not valid
    input  wire        p21_out_ack,       // acknowledges the circuit that left here
    input  wire        p21_out_collision, // rejects the circuit that left here
    input  wire        p22_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p22_in_data,       // the word; 0 when not valid
    output wire        p22_in_ack,        // acknowledges the circuit that entered here
    output wire        p22_in_collision,  // rejects the circuit that entered here
    output wire        p22_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p22_out_data,      // the word; 0 when not valid
    input  wire        p22_out_ack,       // acknowledges the circuit that left here
    input  wire        p22_out_collision, // rejects the circuit that left here
    input  wire        p23_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p23_in_data,       // the word; 0 when not valid
    output wire        p23_in_ack,        // acknowledges the circuit that entered here
    output wire        p23_in_collision,  // rejects the circuit that entered here
    output wire        p23_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p23_out_data,      // the word; 0 when not valid
    input  wire        p23_out_ack,       // acknowledges the circuit that left here
    input  wire        p23_out_collision, // rejects the circuit that left here
    input  wire        p24_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p24_in_data,       // the word; 0 when not valid
    output wire        p24_in_ack,        // acknowledges the circuit that entered here
    output wire        p24_in_collision,  // rejects the circuit that entered here
    output wire        p24_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p24_out_data,      // the word; 0 when not valid
    input  wire        p24_out_ack,       // acknowledges the circuit that left here
    input  wire        p24_out_collision, // rejects the circuit that left here
    input  wire        p25_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p25_in_data,       // the word; 0 when not valid
    output wire        p25_in_ack,        // acknowledges the circuit that entered here
    output wire        p25_in_collision,  // rejects the circuit that entered here
    output wire        p25_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p25_out_data,      // the word; 0 when not valid
    input  wire        p25_out_ack,       // acknowledges the circuit that left here
    input  wire        p25_out_collision, // rejects the circuit that left here
    input  wire        p26_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p26_in_data,       // the word; 0 when not valid
    output wire        p26_in_ack,        // acknowledges the circuit that entered here
    output wire        p26_in_collision,  // rejects the circuit that entered here
    output wire        p26_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p26_out_data,      // the word; 0 when not valid
    input  wire        p26_out_ack,       // acknowledges the circuit that left here
    input  wire        p26_out_collision, // rejects the circuit that left here
    input  wire        p27_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p27_in_data,       // the word; 0 when not valid
    output wire        p27_in_ack,        // acknowledges the circuit that entered here
    output wire        p27_in_collision,  // rejects the circuit that entered here
    output wire        p27_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p27_out_data,      // the word; 0 when not valid
    input  wire        p27_out_ack,       // acknowledges the circuit that left here
    input  wire        p27_out_collision, // rejects the circuit that left here
    input  wire        p28_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p28_in_data,       // the word; 0 when not valid
    output wire        p28_in_ack,        // acknowledges the circuit that entered here
    output wire        p28_in_collision,  // rejects the circuit that entered here
    output wire        p28_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p28_out_data,      // the word; 0 when not valid
    input  wire        p28_out_ack,       // acknowledges the circuit that left here
    input  wire        p28_out_collision, // rejects the circuit that left here
    input  wire        p29_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p29_in_data,       // the word; 0 when not valid
    output wire        p29_in_ack,        // acknowledges the circuit that entered here
    output wire        p29_in_collision,  // rejects the circuit that entered here
    output wire        p29_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p29_out_data,      // the word; 0 when not valid
    input  wire        p29_out_ack,       // acknowledges the circuit that left here
    input  wire        p29_out_collision, // rejects the circuit that left here
    input  wire        p30_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p30_in_data,       // the word; 0 when not valid
    output wire        p30_in_ack,        // acknowledges the circuit that entered here
    output wire        p30_in_collision,  // rejects the circuit that entered here
    output wire        p30_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p30_out_data,      // the word; 0 when not valid
    input  wire        p30_out_ack,       // acknowledges the circuit that left here
    input  wire        p30_out_collision, // rejects the circuit that left here
    input  wire        p31_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] p31_in_data,       // the word; 0 when not valid
    output wire        p31_in_ack,        // acknowledges the circuit that entered here
    output wire        p31_in_collision,  // rejects the circuit that entered here
    output wire        p31_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] p31_out_data,      // the word; 0 when not valid
    input  wire        p31_out_ack,       // acknowledges the circuit that left here
    input  wire        p31_out_collision, // rejects the circuit that left here
    output wire [32:0] p0_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p1_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p2_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p3_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p4_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p5_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p6_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p7_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p8_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p9_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p10_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p11_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p12_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p13_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p14_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p15_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p16_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p17_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p18_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p19_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p20_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p21_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p22_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p23_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p24_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p25_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p26_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p27_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p28_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p29_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p30_state,         // circuit that entered here: drain, to each output from the last to the first
    output wire [32:0] p31_state          // circuit that entered here: drain, to each output from the last to the first
);
  mport_switch #(.PORTS(32), .INDEX(5)) switch (
      .clock(clock), .reset(reset), .winner_fixed(winner_fixed),
      .early_acknowledge(early_acknowledge), .random_order(random_order),
      .in_valid({
          p31_in_valid, p30_in_valid, p29_in_valid, p28_in_valid, p27_in_valid,
          p26_in_valid, p25_in_valid, p24_in_valid, p23_in_valid, p22_in_valid,
          p21_in_valid, p20_in_valid, p19_in_valid, p18_in_valid, p17_in_valid,
          p16_in_valid, p15_in_valid, p14_in_valid, p13_in_valid, p12_in_valid,
          p11_in_valid, p10_in_valid, p9_in_valid, p8_in_valid, p7_in_valid,
          p6_in_valid, p5_in_valid, p4_in_valid, p3_in_valid, p2_in_valid,
          p1_in_valid, p0_in_valid}),
      .in_data({
          p31_in_data, p30_in_data, p29_in_data, p28_in_data, p27_in_data,
          p26_in_data, p25_in_data, p24_in_data, p23_in_data, p22_in_data,
          p21_in_data, p20_in_data, p19_in_data, p18_in_data, p17_in_data,
          p16_in_data, p15_in_data, p14_in_data, p13_in_data, p12_in_data,
          p11_in_data, p10_in_data, p9_in_data, p8_in_data, p7_in_data, p6_in_data,
          p5_in_data, p4_in_data, p3_in_data, p2_in_data, p1_in_data, p0_in_data}),
      .in_ack({
          p31_in_ack, p30_in_ack, p29_in_ack, p28_in_ack, p27_in_ack, p26_in_ack,
          p25_in_ack, p24_in_ack, p23_in_ack, p22_in_ack, p21_in_ack, p20_in_ack,
          p19_in_ack, p18_in_ack, p17_in_ack, p16_in_ack, p15_in_ack, p14_in_ack,
          p13_in_ack, p12_in_ack, p11_in_ack, p10_in_ack, p9_in_ack, p8_in_ack,
          p7_in_ack, p6_in_ack, p5_in_ack, p4_in_ack, p3_in_ack, p2_in_ack,
          p1_in_ack, p0_in_ack}),
      .in_collision({
          p31_in_collision, p30_in_collision, p29_in_collision, p28_in_collision,
          p27_in_collision, p26_in_collision, p25_in_collision, p24_in_collision,
          p23_in_collision, p22_in_collision, p21_in_collision, p20_in_collision,
          p19_in_collision, p18_in_collision, p17_in_collision, p16_in_collision,
          p15_in_collision, p14_in_collision, p13_in_collision, p12_in_collision,
          p11_in_collision, p10_in_collision, p9_in_collision, p8_in_collision,
          p7_in_collision, p6_in_collision, p5_in_collision, p4_in_collision,
          p3_in_collision, p2_in_collision, p1_in_collision, p0_in_collision}),
      .out_valid({
          p31_out_valid, p30_out_valid, p29_out_valid, p28_out_valid, p27_out_valid,
          p26_out_valid, p25_out_valid, p24_out_valid, p23_out_valid, p22_out_valid,
          p21_out_valid, p20_out_valid, p19_out_valid, p18_out_valid, p17_out_valid,
          p16_out_valid, p15_out_valid, p14_out_valid, p13_out_valid, p12_out_valid,
          p11_out_valid, p10_out_valid, p9_out_valid, p8_out_valid, p7_out_valid,
          p6_out_valid, p5_out_valid, p4_out_valid, p3_out_valid, p2_out_valid,
          p1_out_valid, p0_out_valid}),
      .out_data({
          p31_out_data, p30_out_data, p29_out_data, p28_out_data, p27_out_data,
          p26_out_data, p25_out_data, p24_out_data, p23_out_data, p22_out_data,
          p21_out_data, p20_out_data, p19_out_data, p18_out_data, p17_out_data,
          p16_out_data, p15_out_data, p14_out_data, p13_out_data, p12_out_data,
          p11_out_data, p10_out_data, p9_out_data, p8_out_data, p7_out_data,
          p6_out_data, p5_out_data, p4_out_data, p3_out_data, p2_out_data,
          p1_out_data, p0_out_data}),
      .out_ack({
          p31_out_ack, p30_out_ack, p29_out_ack, p28_out_ack, p27_out_ack,
          p26_out_ack, p25_out_ack, p24_out_ack, p23_out_ack, p22_out_ack,
          p21_out_ack, p20_out_ack, p19_out_ack, p18_out_ack, p17_out_ack,
          p16_out_ack, p15_out_ack, p14_out_ack, p13_out_ack, p12_out_ack,
          p11_out_ack, p10_out_ack, p9_out_ack, p8_out_ack, p7_out_ack, p6_out_ack,
          p5_out_ack, p4_out_ack, p3_out_ack, p2_out_ack, p1_out_ack, p0_out_ack}),
      .out_collision({
          p31_out_collision, p30_out_collision, p29_out_collision, p28_out_collision,
          p27_out_collision, p26_out_collision, p25_out_collision, p24_out_collision,
          p23_out_collision, p22_out_collision, p21_out_collision, p20_out_collision,
          p19_out_collision, p18_out_collision, p17_out_collision, p16_out_collision,
          p15_out_collision, p14_out_collision, p13_out_collision, p12_out_collision,
          p11_out_collision, p10_out_collision, p9_out_collision, p8_out_collision,
          p7_out_collision, p6_out_collision, p5_out_collision, p4_out_collision,
          p3_out_collision, p2_out_collision, p1_out_collision, p0_out_collision}),
      .state({
          p31_state, p30_state, p29_state, p28_state, p27_state, p26_state,
          p25_state, p24_state, p23_state, p22_state, p21_state, p20_state,
          p19_state, p18_state, p17_state, p16_state, p15_state, p14_state,
          p13_state, p12_state, p11_state, p10_state, p9_state, p8_state, p7_state,
          p6_state, p5_state, p4_state, p3_state, p2_state, p1_state, p0_state}));
endmodule
`default_nettype wire
