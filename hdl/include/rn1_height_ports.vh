// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        two_crossbars,     // 0: two outputs for each direction; 1: two crossbars
    input  wire  [7:0] swallow,           // inputs that drop the first byte
    input  wire  [7:0] to_height,         // inputs at which the first byte is a height
    input  wire  [7:0] in_enable,         // inputs in use
    input  wire  [7:0] out_enable,        // outputs in use
    input  wire [39:0] in_delay,          // extra cycles of the wire at input i, bits 5 i to 5 i + 4
    input  wire [39:0] out_delay,         // extra cycles of the wire at output o, bits 5 o to 5 o + 4
    input  wire  [3:0] random_output,     // for each direction: 0 prefers the even output, 1 the odd one
    input  wire [11:0] random_order,      // order of inputs that ask at once
    input  wire  [8:0] i0_forward,        // control bit and byte that arrive
    output wire  [8:0] i0_backward,       // control bit and byte that go back
    input  wire  [8:0] i1_forward,        // control bit and byte that arrive
    output wire  [8:0] i1_backward,       // control bit and byte that go back
    input  wire  [8:0] i2_forward,        // control bit and byte that arrive
    output wire  [8:0] i2_backward,       // control bit and byte that go back
    input  wire  [8:0] i3_forward,        // control bit and byte that arrive
    output wire  [8:0] i3_backward,       // control bit and byte that go back
    input  wire  [8:0] i4_forward,        // control bit and byte that arrive
    output wire  [8:0] i4_backward,       // control bit and byte that go back
    input  wire  [8:0] i5_forward,        // control bit and byte that arrive
    output wire  [8:0] i5_backward,       // control bit and byte that go back
    input  wire  [8:0] i6_forward,        // control bit and byte that arrive
    output wire  [8:0] i6_backward,       // control bit and byte that go back
    input  wire  [8:0] i7_forward,        // control bit and byte that arrive
    output wire  [8:0] i7_backward,       // control bit and byte that go back
    output wire  [8:0] o0_forward,        // control bit and byte that go on
    input  wire  [8:0] o0_backward,       // control bit and byte that come back
    output wire  [8:0] o1_forward,        // control bit and byte that go on
    input  wire  [8:0] o1_backward,       // control bit and byte that come back
    output wire  [8:0] o2_forward,        // control bit and byte that go on
    input  wire  [8:0] o2_backward,       // control bit and byte that come back
    output wire  [8:0] o3_forward,        // control bit and byte that go on
    input  wire  [8:0] o3_backward,       // control bit and byte that come back
    output wire  [8:0] o4_forward,        // control bit and byte that go on
    input  wire  [8:0] o4_backward,       // control bit and byte that come back
    output wire  [8:0] o5_forward,        // control bit and byte that go on
    input  wire  [8:0] o5_backward,       // control bit and byte that come back
    output wire  [8:0] o6_forward,        // control bit and byte that go on
    input  wire  [8:0] o6_backward,       // control bit and byte that come back
    output wire  [8:0] o7_forward,        // control bit and byte that go on
    input  wire  [8:0] o7_backward,       // control bit and byte that come back
    output wire  [2:0] i0_state,          // state of the input
    output wire  [2:0] i0_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i1_state,          // state of the input
    output wire  [2:0] i1_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i2_state,          // state of the input
    output wire  [2:0] i2_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i3_state,          // state of the input
    output wire  [2:0] i3_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i4_state,          // state of the input
    output wire  [2:0] i4_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i5_state,          // state of the input
    output wire  [2:0] i5_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i6_state,          // state of the input
    output wire  [2:0] i6_output,         // output it holds; BLOCKED: twice the direction
    output wire  [2:0] i7_state,          // state of the input
    output wire  [2:0] i7_output          // output it holds; BLOCKED: twice the direction
