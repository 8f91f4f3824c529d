// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        near_in_valid,     // a word of a circuit that enters here
    input  wire  [7:0] near_in_data,      // the word; 0 when not valid
    output wire        near_in_ack,       // acknowledges the circuit that entered here
    output wire        near_in_collision, // rejects the circuit that entered here
    output wire        near_out_valid,    // a word of a circuit that leaves here
    output wire  [7:0] near_out_data,     // the word; 0 when not valid
    input  wire        near_out_ack,      // acknowledges the circuit that left here
    input  wire        near_out_collision, // rejects the circuit that left here
    input  wire        far_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] far_in_data,       // the word; 0 when not valid
    output wire        far_in_ack,        // acknowledges the circuit that entered here
    output wire        far_in_collision,  // rejects the circuit that entered here
    output wire        far_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] far_out_data,      // the word; 0 when not valid
    input  wire        far_out_ack,       // acknowledges the circuit that left here
    input  wire        far_out_collision  // rejects the circuit that left here
