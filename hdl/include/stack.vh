// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `crosswave headers hdl` from the tables in crates/chips.
`ifndef CROSSWAVE_STACK
`define CROSSWAVE_STACK
// places of the buffer at the end of a link: as many as the cycles that a flit and its credit take: assumed
`define CROSSWAVE_STACK_DEPTH 4
// input of a switch: the next flit is the number of an output: assumed
`define CROSSWAVE_STACK_IDLE 2'd0
// input of a switch: asks for an output: assumed
`define CROSSWAVE_STACK_WANTING 2'd1
// input of a switch: holds an output until the final flit has gone: assumed
`define CROSSWAVE_STACK_HOLDING 2'd2
// input of a switch: discards a packet for an output that is not there: assumed
`define CROSSWAVE_STACK_DISCARDING 2'd3
// sender: no packet: assumed
`define CROSSWAVE_STACK_TX_IDLE 3'd0
// sender: a port of the route is next: assumed
`define CROSSWAVE_STACK_TX_ROUTE 3'd1
// sender: a byte of the message's number is next: assumed
`define CROSSWAVE_STACK_TX_NUMBER 3'd2
// sender: a flit of the body is next: assumed
`define CROSSWAVE_STACK_TX_BODY 3'd3
// sender: the final flit is on the wire: assumed
`define CROSSWAVE_STACK_TX_DONE 3'd4
// receiver: no packet: assumed
`define CROSSWAVE_STACK_RX_IDLE 2'd0
// receiver: the second byte of the message's number is next: assumed
`define CROSSWAVE_STACK_RX_SECOND 2'd1
// receiver: the third byte of the message's number is next: assumed
`define CROSSWAVE_STACK_RX_THIRD 2'd2
// receiver: a flit of the body is next: assumed
`define CROSSWAVE_STACK_RX_BODY 2'd3
`endif
