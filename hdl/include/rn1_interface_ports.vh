// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire [19:0] node,              // address of this node
    input  wire  [1:0] strategy,          // retry: 0 immediate, 1 random wait, 2 back-off
    input  wire  [3:0] backoff_limit,     // largest exponent of a wait, 0 to 12
    input  wire  [1:0] tx_enable,         // which of t0 and t1 are used; both: one at random
    input  wire  [1:0] rotation,          // of what comes at r0 and r1, in steps of two bits to the left
    input  wire  [4:0] rx_delay,          // extra cycles of the wires to r0 and r1
    input  wire  [3:0] turns,             // how often a connection is turned; 0: ended
    input  wire [15:0] reply_words,       // words of a reply minus one
    input  wire  [7:0] reply_delay,       // idle words in front of a reply
    input  wire        close_drop,        // 1: a connection that was turned is closed by a drop
    input  wire [11:0] random_wait,       // the waits are drawn from it
    input  wire        random_port,       // chooses t0 or t1
    input  wire        tx_request,        // a message is offered; held until tx_done
    input  wire [19:0] tx_destination,    // its destination
    input  wire [19:0] tx_words,          // data words of a request minus one
    input  wire [31:0] tx_route,          // the routing bytes, the first in bits 7 to 0
    input  wire  [1:0] tx_route_bytes,    // their number minus one
    input  wire  [3:0] tx_stages,         // routers on the route, 1 to 15
    input  wire [15:0] tx_swallows,       // bit s: router s of the route, from 0, swallows a byte; at most 3
    output wire        tx_launch,         // the first byte of an attempt is on the wire
    output wire        tx_blocked,        // an attempt was blocked, the path is free again
    output wire        tx_reply,          // the first word of the first reply came
    output wire        tx_done,           // the message is over
    output wire        tx_error,          // with tx_done: a checksum, status or reply was wrong
    output wire  [3:0] tx_stage,          // routers that said connected in the latest attempt
    output wire        rx0_open,          // the first word of a connection came at r0
    output wire        rx1_open,          // the first word of a connection came at r1
    output wire        rx0_done,          // a request came at r0 and was right
    output wire        rx1_done,          // a request came at r1 and was right
    output wire        rx0_error,         // a request came at r0 and was wrong
    output wire        rx1_error,         // a request came at r1 and was wrong
    output wire  [8:0] t0_forward,        // control bit and byte that go on
    input  wire  [8:0] t0_backward,       // control bit and byte that come back
    output wire  [8:0] t1_forward,        // control bit and byte that go on
    input  wire  [8:0] t1_backward,       // control bit and byte that come back
    input  wire  [8:0] r0_forward,        // control bit and byte that arrive
    output wire  [8:0] r0_backward,       // control bit and byte that go back
    input  wire  [8:0] r1_forward,        // control bit and byte that arrive
    output wire  [8:0] r1_backward,       // control bit and byte that go back
    output wire  [3:0] tx_state,          // state of the sender
    output wire  [2:0] r0_state,          // state of the receiver at r0
    output wire  [2:0] r1_state           // state of the receiver at r1
