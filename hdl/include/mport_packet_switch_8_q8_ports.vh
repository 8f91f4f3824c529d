// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [3:0] queue_packets,     // packets that wait for an output at most; 8, if it is more
    output wire  [7:0] lost,              // a bit for each output whose queue was full when packets came for it
    input  wire        p0_in_valid,       // a packet comes in
    input  wire [38:0] p0_in_route,       // output ports ahead of it
    input  wire [23:0] p0_in_id,          // its number
    output wire        p0_out_valid,      // a packet goes out
    output wire [38:0] p0_out_route,      // output ports ahead of it
    output wire [23:0] p0_out_id,         // its number
    input  wire        p1_in_valid,       // a packet comes in
    input  wire [38:0] p1_in_route,       // output ports ahead of it
    input  wire [23:0] p1_in_id,          // its number
    output wire        p1_out_valid,      // a packet goes out
    output wire [38:0] p1_out_route,      // output ports ahead of it
    output wire [23:0] p1_out_id,         // its number
    input  wire        p2_in_valid,       // a packet comes in
    input  wire [38:0] p2_in_route,       // output ports ahead of it
    input  wire [23:0] p2_in_id,          // its number
    output wire        p2_out_valid,      // a packet goes out
    output wire [38:0] p2_out_route,      // output ports ahead of it
    output wire [23:0] p2_out_id,         // its number
    input  wire        p3_in_valid,       // a packet comes in
    input  wire [38:0] p3_in_route,       // output ports ahead of it
    input  wire [23:0] p3_in_id,          // its number
    output wire        p3_out_valid,      // a packet goes out
    output wire [38:0] p3_out_route,      // output ports ahead of it
    output wire [23:0] p3_out_id,         // its number
    input  wire        p4_in_valid,       // a packet comes in
    input  wire [38:0] p4_in_route,       // output ports ahead of it
    input  wire [23:0] p4_in_id,          // its number
    output wire        p4_out_valid,      // a packet goes out
    output wire [38:0] p4_out_route,      // output ports ahead of it
    output wire [23:0] p4_out_id,         // its number
    input  wire        p5_in_valid,       // a packet comes in
    input  wire [38:0] p5_in_route,       // output ports ahead of it
    input  wire [23:0] p5_in_id,          // its number
    output wire        p5_out_valid,      // a packet goes out
    output wire [38:0] p5_out_route,      // output ports ahead of it
    output wire [23:0] p5_out_id,         // its number
    input  wire        p6_in_valid,       // a packet comes in
    input  wire [38:0] p6_in_route,       // output ports ahead of it
    input  wire [23:0] p6_in_id,          // its number
    output wire        p6_out_valid,      // a packet goes out
    output wire [38:0] p6_out_route,      // output ports ahead of it
    output wire [23:0] p6_out_id,         // its number
    input  wire        p7_in_valid,       // a packet comes in
    input  wire [38:0] p7_in_route,       // output ports ahead of it
    input  wire [23:0] p7_in_id,          // its number
    output wire        p7_out_valid,      // a packet goes out
    output wire [38:0] p7_out_route,      // output ports ahead of it
    output wire [23:0] p7_out_id,         // its number
    output wire  [3:0] p0_queued,         // packets that wait for this output
    output wire  [3:0] p1_queued,         // packets that wait for this output
    output wire  [3:0] p2_queued,         // packets that wait for this output
    output wire  [3:0] p3_queued,         // packets that wait for this output
    output wire  [3:0] p4_queued,         // packets that wait for this output
    output wire  [3:0] p5_queued,         // packets that wait for this output
    output wire  [3:0] p6_queued,         // packets that wait for this output
    output wire  [3:0] p7_queued,         // packets that wait for this output
    output wire  [3:0] p0_longest,        // the most that waited for this output
    output wire  [3:0] p1_longest,        // the most that waited for this output
    output wire  [3:0] p2_longest,        // the most that waited for this output
    output wire  [3:0] p3_longest,        // the most that waited for this output
    output wire  [3:0] p4_longest,        // the most that waited for this output
    output wire  [3:0] p5_longest,        // the most that waited for this output
    output wire  [3:0] p6_longest,        // the most that waited for this output
    output wire  [3:0] p7_longest         // the most that waited for this output
