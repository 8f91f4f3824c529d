// SPDX-License-Identifier: MIT OR Apache-2.0
// The stack switch with 8 ports, each by its name: four down, two of a ring, two up.
`default_nettype none

module stack_switch_8 (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
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
);
  stack_switch #(.PORTS(8)) switch (
      .clock(clock), .reset(reset), .lost(lost),
      .in_valid({
          u1_in_valid, u0_in_valid, r1_in_valid, r0_in_valid, d3_in_valid, d2_in_valid,
          d1_in_valid, d0_in_valid}),
      .in_data({
          u1_in_data, u0_in_data, r1_in_data, r0_in_data, d3_in_data, d2_in_data, d1_in_data,
          d0_in_data}),
      .in_last({
          u1_in_last, u0_in_last, r1_in_last, r0_in_last, d3_in_last, d2_in_last, d1_in_last,
          d0_in_last}),
      .in_credit({
          u1_in_credit, u0_in_credit, r1_in_credit, r0_in_credit, d3_in_credit, d2_in_credit,
          d1_in_credit, d0_in_credit}),
      .out_valid({
          u1_out_valid, u0_out_valid, r1_out_valid, r0_out_valid, d3_out_valid, d2_out_valid,
          d1_out_valid, d0_out_valid}),
      .out_data({
          u1_out_data, u0_out_data, r1_out_data, r0_out_data, d3_out_data, d2_out_data,
          d1_out_data, d0_out_data}),
      .out_last({
          u1_out_last, u0_out_last, r1_out_last, r0_out_last, d3_out_last, d2_out_last,
          d1_out_last, d0_out_last}),
      .out_credit({
          u1_out_credit, u0_out_credit, r1_out_credit, r0_out_credit, d3_out_credit,
          d2_out_credit, d1_out_credit, d0_out_credit}),
      .state({
          u1_state, u0_state, r1_state, r0_state, d3_state, d2_state, d1_state, d0_state}),
      .owner({
          u1_owner, u0_owner, r1_owner, r0_owner, d3_owner, d2_owner, d1_owner, d0_owner}),
      .fill({
          u1_fill, u0_fill, r1_fill, r0_fill, d3_fill, d2_fill, d1_fill, d0_fill}),
      .credits({
          u1_credits, u0_credits, r1_credits, r0_credits, d3_credits, d2_credits, d1_credits,
          d0_credits}));
endmodule
`default_nettype wire
