// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire [19:0] node,              // address of the node
    input  wire        tx_valid,          // send a packet
    input  wire        tx_broadcast,      // its destination is a set of levels
    input  wire  [4:0] tx_phase,          // its phase
    input  wire [19:0] tx_destination,    // its destination
    input  wire [23:0] tx_id,             // its number
    output wire        rx_valid,          // a packet has come
    output wire        rx_broadcast,      // its destination was a set of levels
    output wire  [4:0] rx_phase,          // its phase
    output wire [19:0] rx_destination,    // its destination
    output wire [23:0] rx_id,             // its number
    output wire        rx_wrong,          // it was for another node
    input  wire        link_in_valid,     // a packet comes in
    input  wire        link_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] link_in_phase,     // its phase
    input  wire [19:0] link_in_destination, // its destination
    input  wire [23:0] link_in_id,        // its number
    output wire        link_out_valid,    // a packet goes out
    output wire        link_out_broadcast, // its destination is a set of levels
    output wire  [4:0] link_out_phase,    // its phase
    output wire [19:0] link_out_destination, // its destination
    output wire [23:0] link_out_id        // its number
