// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [4:0] level,             // level of the node: 0 above the leaves
    input  wire [19:0] address,           // first node of its subtree; its bits up to the level are 0
    input  wire        upstream_single,   // only up_0 leads up, and packets from both sides take it
    output wire  [2:0] conflict,          // outputs for which several packets came: left, right, up_0; all but one are lost
    input  wire        left_in_valid,     // a packet comes in
    input  wire        left_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] left_in_phase,     // its phase
    input  wire [19:0] left_in_destination, // its destination
    input  wire [23:0] left_in_id,        // its number
    output wire        left_out_valid,    // a packet goes out
    output wire        left_out_broadcast, // its destination is a set of levels
    output wire  [4:0] left_out_phase,    // its phase
    output wire [19:0] left_out_destination, // its destination
    output wire [23:0] left_out_id,       // its number
    input  wire        right_in_valid,    // a packet comes in
    input  wire        right_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] right_in_phase,    // its phase
    input  wire [19:0] right_in_destination, // its destination
    input  wire [23:0] right_in_id,       // its number
    output wire        right_out_valid,   // a packet goes out
    output wire        right_out_broadcast, // its destination is a set of levels
    output wire  [4:0] right_out_phase,   // its phase
    output wire [19:0] right_out_destination, // its destination
    output wire [23:0] right_out_id,      // its number
    input  wire        up_0_in_valid,     // a packet comes in
    input  wire        up_0_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] up_0_in_phase,     // its phase
    input  wire [19:0] up_0_in_destination, // its destination
    input  wire [23:0] up_0_in_id,        // its number
    output wire        up_0_out_valid,    // a packet goes out
    output wire        up_0_out_broadcast, // its destination is a set of levels
    output wire  [4:0] up_0_out_phase,    // its phase
    output wire [19:0] up_0_out_destination, // its destination
    output wire [23:0] up_0_out_id,       // its number
    input  wire        up_1_in_valid,     // a packet comes in
    input  wire        up_1_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] up_1_in_phase,     // its phase
    input  wire [19:0] up_1_in_destination, // its destination
    input  wire [23:0] up_1_in_id,        // its number
    output wire        up_1_out_valid,    // a packet goes out
    output wire        up_1_out_broadcast, // its destination is a set of levels
    output wire  [4:0] up_1_out_phase,    // its phase
    output wire [19:0] up_1_out_destination, // its destination
    output wire [23:0] up_1_out_id        // its number
