// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire [19:0] node,              // address of the node
    input  wire        tx_valid,          // send a packet
    input  wire [38:0] tx_route,          // output ports of its route
    input  wire [23:0] tx_id,             // its number
    output wire        rx_valid,          // a packet has come
    output wire [23:0] rx_id,             // its number
    output wire        rx_wrong,          // its route was to go on
    input  wire        link_in_valid,     // a packet comes in
    input  wire [38:0] link_in_route,     // output ports ahead of it
    input  wire [23:0] link_in_id,        // its number
    output wire        link_out_valid,    // a packet goes out
    output wire [38:0] link_out_route,    // output ports ahead of it
    output wire [23:0] link_out_id        // its number
