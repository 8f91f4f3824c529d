// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        winner_fixed,      // 1: inputs that lead down from above win, then the lower number; 0: at random
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
