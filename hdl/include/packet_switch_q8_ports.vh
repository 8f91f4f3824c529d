// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [4:0] level,             // level of the node: 0 above the leaves
    input  wire [19:0] address,           // first node of its subtree; its bits up to the level are 0
    input  wire        upstream_single,   // only up_0 leads up, and packets from both sides take it
    input  wire  [3:0] queue_packets,     // packets that wait for an output at most; 8, if it is more
    input  wire        half_duplex,       // links have one direction at a time
    output wire  [3:0] lost,              // queues that were full when packets came for them: left, right, up_0, up_1
    output wire  [3:0] left_queued,       // packets that wait for left
    output wire  [3:0] right_queued,      // packets that wait for right
    output wire  [3:0] up_0_queued,       // packets that wait for up_0
    output wire  [3:0] up_1_queued,       // packets that wait for up_1
    output wire  [3:0] left_longest,      // the most that waited for left
    output wire  [3:0] right_longest,     // the most that waited for right
    output wire  [3:0] up_0_longest,      // the most that waited for up_0
    output wire  [3:0] up_1_longest,      // the most that waited for up_1
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
