// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    output wire  [7:0] lost,              // inputs at which a packet without an output or a body has ended
    input  wire        d0_in_valid,       // a flit comes in
    input  wire  [7:0] d0_in_data,        // the flit; 0 when not valid
    input  wire        d0_in_last,        // it is the final one of its packet
    output wire        d0_in_credit,      // a place came free for flits that come in
    output wire        d0_out_valid,      // a flit goes out
    output wire  [7:0] d0_out_data,       // the flit; 0 when not valid
    output wire        d0_out_last,       // it is the final one of its packet
    input  wire        d0_out_credit,     // a place came free for flits that go out
    input  wire        d1_in_valid,       // a flit comes in
    input  wire  [7:0] d1_in_data,        // the flit; 0 when not valid
    input  wire        d1_in_last,        // it is the final one of its packet
    output wire        d1_in_credit,      // a place came free for flits that come in
    output wire        d1_out_valid,      // a flit goes out
    output wire  [7:0] d1_out_data,       // the flit; 0 when not valid
    output wire        d1_out_last,       // it is the final one of its packet
    input  wire        d1_out_credit,     // a place came free for flits that go out
    input  wire        d2_in_valid,       // a flit comes in
    input  wire  [7:0] d2_in_data,        // the flit; 0 when not valid
    input  wire        d2_in_last,        // it is the final one of its packet
    output wire        d2_in_credit,      // a place came free for flits that come in
    output wire        d2_out_valid,      // a flit goes out
    output wire  [7:0] d2_out_data,       // the flit; 0 when not valid
    output wire        d2_out_last,       // it is the final one of its packet
    input  wire        d2_out_credit,     // a place came free for flits that go out
    input  wire        d3_in_valid,       // a flit comes in
    input  wire  [7:0] d3_in_data,        // the flit; 0 when not valid
    input  wire        d3_in_last,        // it is the final one of its packet
    output wire        d3_in_credit,      // a place came free for flits that come in
    output wire        d3_out_valid,      // a flit goes out
    output wire  [7:0] d3_out_data,       // the flit; 0 when not valid
    output wire        d3_out_last,       // it is the final one of its packet
    input  wire        d3_out_credit,     // a place came free for flits that go out
    input  wire        r0_in_valid,       // a flit comes in
    input  wire  [7:0] r0_in_data,        // the flit; 0 when not valid
    input  wire        r0_in_last,        // it is the final one of its packet
    output wire        r0_in_credit,      // a place came free for flits that come in
    output wire        r0_out_valid,      // a flit goes out
    output wire  [7:0] r0_out_data,       // the flit; 0 when not valid
    output wire        r0_out_last,       // it is the final one of its packet
    input  wire        r0_out_credit,     // a place came free for flits that go out
    input  wire        r1_in_valid,       // a flit comes in
    input  wire  [7:0] r1_in_data,        // the flit; 0 when not valid
    input  wire        r1_in_last,        // it is the final one of its packet
    output wire        r1_in_credit,      // a place came free for flits that come in
    output wire        r1_out_valid,      // a flit goes out
    output wire  [7:0] r1_out_data,       // the flit; 0 when not valid
    output wire        r1_out_last,       // it is the final one of its packet
    input  wire        r1_out_credit,     // a place came free for flits that go out
    input  wire        u0_in_valid,       // a flit comes in
    input  wire  [7:0] u0_in_data,        // the flit; 0 when not valid
    input  wire        u0_in_last,        // it is the final one of its packet
    output wire        u0_in_credit,      // a place came free for flits that come in
    output wire        u0_out_valid,      // a flit goes out
    output wire  [7:0] u0_out_data,       // the flit; 0 when not valid
    output wire        u0_out_last,       // it is the final one of its packet
    input  wire        u0_out_credit,     // a place came free for flits that go out
    input  wire        u1_in_valid,       // a flit comes in
    input  wire  [7:0] u1_in_data,        // the flit; 0 when not valid
    input  wire        u1_in_last,        // it is the final one of its packet
    output wire        u1_in_credit,      // a place came free for flits that come in
    output wire        u1_out_valid,      // a flit goes out
    output wire  [7:0] u1_out_data,       // the flit; 0 when not valid
    output wire        u1_out_last,       // it is the final one of its packet
    input  wire        u1_out_credit,     // a place came free for flits that go out
    output wire  [1:0] d0_state,          // what becomes of the packet that comes in
    output wire  [7:0] d0_owner,          // the input that holds the output, a bit for each
    output wire  [2:0] d0_fill,           // flits in the buffer of the input
    output wire  [2:0] d0_credits,        // flits that may go out before a credit comes
    output wire  [1:0] d1_state,          // what becomes of the packet that comes in
    output wire  [7:0] d1_owner,          // the input that holds the output, a bit for each
    output wire  [2:0] d1_fill,           // flits in the buffer of the input
    output wire  [2:0] d1_credits,        // flits that may go out before a credit comes
    output wire  [1:0] d2_state,          // what becomes of the packet that comes in
    output wire  [7:0] d2_owner,          // the input that holds the output, a bit for each
    output wire  [2:0] d2_fill,           // flits in the buffer of the input
    output wire  [2:0] d2_credits,        // flits that may go out before a credit comes
    output wire  [1:0] d3_state,          // what becomes of the packet that comes in
    output wire  [7:0] d3_owner,          // the input that holds the output, a bit for each
    output wire  [2:0] d3_fill,           // flits in the buffer of the input
    output wire  [2:0] d3_credits,        // flits that may go out before a credit comes
    output wire  [1:0] r0_state,          // what becomes of the packet that comes in
    output wire  [7:0] r0_owner,          // the input that holds the output, a bit for each
    output wire  [2:0] r0_fill,           // flits in the buffer of the input
    output wire  [2:0] r0_credits,        // flits that may go out before a credit comes
    output wire  [1:0] r1_state,          // what becomes of the packet that comes in
    output wire  [7:0] r1_owner,          // the input that holds the output, a bit for each
    output wire  [2:0] r1_fill,           // flits in the buffer of the input
    output wire  [2:0] r1_credits,        // flits that may go out before a credit comes
    output wire  [1:0] u0_state,          // what becomes of the packet that comes in
    output wire  [7:0] u0_owner,          // the input that holds the output, a bit for each
    output wire  [2:0] u0_fill,           // flits in the buffer of the input
    output wire  [2:0] u0_credits,        // flits that may go out before a credit comes
    output wire  [1:0] u1_state,          // what becomes of the packet that comes in
    output wire  [7:0] u1_owner,          // the input that holds the output, a bit for each
    output wire  [2:0] u1_fill,           // flits in the buffer of the input
    output wire  [2:0] u1_credits         // flits that may go out before a credit comes
