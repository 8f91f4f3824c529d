// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [8:0] near_forward,      // control bit and byte that arrive
    output wire  [8:0] near_backward,     // control bit and byte that go back
    output wire  [8:0] far_forward,       // control bit and byte that go on
    input  wire  [8:0] far_backward       // control bit and byte that come back
