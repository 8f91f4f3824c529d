// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        near_in_valid,     // a flit comes in
    input  wire  [7:0] near_in_data,      // the flit; 0 when not valid
    input  wire        near_in_last,      // it is the final one of its packet
    output wire        near_in_credit,    // a place came free for flits that come in
    output wire        near_out_valid,    // a flit goes out
    output wire  [7:0] near_out_data,     // the flit; 0 when not valid
    output wire        near_out_last,     // it is the final one of its packet
    input  wire        near_out_credit,   // a place came free for flits that go out
    input  wire        far_in_valid,      // a flit comes in
    input  wire  [7:0] far_in_data,       // the flit; 0 when not valid
    input  wire        far_in_last,       // it is the final one of its packet
    output wire        far_in_credit,     // a place came free for flits that come in
    output wire        far_out_valid,     // a flit goes out
    output wire  [7:0] far_out_data,      // the flit; 0 when not valid
    output wire        far_out_last,      // it is the final one of its packet
    input  wire        far_out_credit     // a place came free for flits that go out
