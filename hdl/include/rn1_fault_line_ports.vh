// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [8:0] word_forward,      // what goes on while the wire is stuck forward
    input  wire  [8:0] word_backward,     // what goes back while the wire is stuck backward
    input  wire        stuck_forward,     // the wire is stuck in the direction of connections
    input  wire        stuck_backward,    // the wire is stuck in the other direction
    input  wire  [8:0] near_forward,      // control bit and byte that arrive
    output wire  [8:0] near_backward,     // control bit and byte that go back
    output wire  [8:0] far_forward,       // control bit and byte that go on
    input  wire  [8:0] far_backward       // control bit and byte that come back
