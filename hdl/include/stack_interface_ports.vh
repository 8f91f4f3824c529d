// Generated from the port tables of the chips by `crosswave headers hdl/include`.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        tx_request,        // a packet is offered; held until tx_done
    input  wire [23:0] tx_id,             // the number of its message
    input  wire [19:0] tx_words,          // flits of its body minus one
    input  wire  [3:0] tx_hops,           // switches of its route minus one
    input  wire [63:0] tx_route_low,      // output ports of the last eight switches of its route, the last in bits 7 to 0
    input  wire [63:0] tx_route_high,     // output ports of the switches before those
    output wire        tx_launch,         // its first flit is on the wire
    output wire        tx_done,           // its final flit is on the wire
    output wire        rx_valid,          // a whole packet has come
    output wire [23:0] rx_id,             // the number of its message
    output wire [19:0] rx_words,          // flits of its body minus one
    output wire        rx_wrong,          // its body was not as it was sent, or was missing
    input  wire        net_in_valid,      // a flit comes in
    input  wire  [7:0] net_in_data,       // the flit; 0 when not valid
    input  wire        net_in_last,       // it is the final one of its packet
    output wire        net_in_credit,     // a place came free for flits that come in
    output wire        net_out_valid,     // a flit goes out
    output wire  [7:0] net_out_data,      // the flit; 0 when not valid
    output wire        net_out_last,      // it is the final one of its packet
    input  wire        net_out_credit,    // a place came free for flits that go out
    output wire  [2:0] tx_state,          // state of the sender
    output wire  [2:0] tx_credits,        // flits that may go out before a credit comes
    output wire  [1:0] rx_state           // state of the receiver
