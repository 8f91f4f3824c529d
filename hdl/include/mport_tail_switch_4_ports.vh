// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        winner_fixed,      // 1: inputs that lead down from above win, then the lower number; 0: at random
    input  wire  [1:0] random_order,      // of inputs that want one output the one passes whose number, exclusive or this, is the least
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
    output wire  [4:0] p0_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire  [4:0] p1_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire  [4:0] p2_state,          // circuit that entered here: drain, to each output from the last to the first
    output wire  [4:0] p3_state           // circuit that entered here: drain, to each output from the last to the first
