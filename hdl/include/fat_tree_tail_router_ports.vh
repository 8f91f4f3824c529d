// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [4:0] level,             // level of this router; 0 above the nodes
    input  wire        winner_fixed,      // 1: priority c, then d, then the side port; going up, a before b; 0: at random
    input  wire        upstream_single,   // 1: only c leads up; 0: c and d do
    input  wire        random_up,         // upstream choice: 0 prefers c, 1 prefers d; a single c goes to a or to b
    input  wire        random_pair_a,     // winner of two on output a
    input  wire        random_pair_b,     // winner of two on output b
    input  wire        random_third,      // winner of three: 1 in one case of three
    input  wire        a_in_valid,        // a word of a circuit that enters here
    input  wire  [7:0] a_in_data,         // the word; 0 when not valid
    output wire        a_in_ack,          // acknowledges the circuit that entered here
    output wire        a_in_collision,    // rejects the circuit that entered here
    output wire        a_out_valid,       // a word of a circuit that leaves here
    output wire  [7:0] a_out_data,        // the word; 0 when not valid
    input  wire        a_out_ack,         // acknowledges the circuit that left here
    input  wire        a_out_collision,   // rejects the circuit that left here
    input  wire        b_in_valid,        // a word of a circuit that enters here
    input  wire  [7:0] b_in_data,         // the word; 0 when not valid
    output wire        b_in_ack,          // acknowledges the circuit that entered here
    output wire        b_in_collision,    // rejects the circuit that entered here
    output wire        b_out_valid,       // a word of a circuit that leaves here
    output wire  [7:0] b_out_data,        // the word; 0 when not valid
    input  wire        b_out_ack,         // acknowledges the circuit that left here
    input  wire        b_out_collision,   // rejects the circuit that left here
    input  wire        c_in_valid,        // a word of a circuit that enters here
    input  wire  [7:0] c_in_data,         // the word; 0 when not valid
    output wire        c_in_ack,          // acknowledges the circuit that entered here
    output wire        c_in_collision,    // rejects the circuit that entered here
    output wire        c_out_valid,       // a word of a circuit that leaves here
    output wire  [7:0] c_out_data,        // the word; 0 when not valid
    input  wire        c_out_ack,         // acknowledges the circuit that left here
    input  wire        c_out_collision,   // rejects the circuit that left here
    input  wire        d_in_valid,        // a word of a circuit that enters here
    input  wire  [7:0] d_in_data,         // the word; 0 when not valid
    output wire        d_in_ack,          // acknowledges the circuit that entered here
    output wire        d_in_collision,    // rejects the circuit that entered here
    output wire        d_out_valid,       // a word of a circuit that leaves here
    output wire  [7:0] d_out_data,        // the word; 0 when not valid
    input  wire        d_out_ack,         // acknowledges the circuit that left here
    input  wire        d_out_collision,   // rejects the circuit that left here
    output wire  [3:0] a_state,           // circuit that entered at a: drain, to d, to c, to b
    output wire  [3:0] b_state,           // circuit that entered at b: drain, to d, to c, to a
    output wire  [2:0] c_state,           // circuit that entered at c: drain, to b, to a
    output wire  [2:0] d_state            // circuit that entered at d: drain, to b, to a
