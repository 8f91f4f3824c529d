// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `crosswave headers hdl` from the tables in crates/chips.
`ifndef CROSSWAVE_PROTOCOL
`define CROSSWAVE_PROTOCOL
// bits of a node address: up to 2^20 nodes: assumed
`define CROSSWAVE_ADDRESS_WIDTH 20
// bits of a router level, and of the turn level in the first header word: assumed
`define CROSSWAVE_LEVEL_WIDTH 5
// address bits in one path word of a header: assumed
`define CROSSWAVE_PATH_BITS 8
// release by the tail: answers that may be awaited over one link: assumed
`define CROSSWAVE_ANSWERS_MAX 4
// retry 1 clock after the collision is sensed: paper
`define CROSSWAVE_STRATEGY_IMMEDIATE 2'd0
// retry when the round of all nodes is over: paper
`define CROSSWAVE_STRATEGY_ROUNDS 2'd1
// retry after a random wait that grows with the collisions: paper
`define CROSSWAVE_STRATEGY_BACKOFF 2'd2
// sender: no message: assumed
`define CROSSWAVE_TX_IDLE 3'd0
// sender: waits for the round to start: assumed
`define CROSSWAVE_TX_ROUND 3'd1
// sender: waits after a collision: assumed
`define CROSSWAVE_TX_BACKOFF 3'd2
// sender: a header word is on the wire: assumed
`define CROSSWAVE_TX_HEADER 3'd3
// sender: a body word is on the wire: assumed
`define CROSSWAVE_TX_BODY 3'd4
// sender: the last word was sent, the answer is awaited: assumed
`define CROSSWAVE_TX_WAIT 3'd5
// sender: a collision was sensed: assumed
`define CROSSWAVE_TX_RETRY 3'd6
// sender: the message was acknowledged: assumed
`define CROSSWAVE_TX_DONE 3'd7
// receiver: no message: assumed
`define CROSSWAVE_RX_IDLE 1'd0
// receiver: a message is coming in: assumed
`define CROSSWAVE_RX_RECEIVING 1'd1
`endif
