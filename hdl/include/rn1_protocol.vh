// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `crosswave headers hdl` from the tables in crates/chips.
`ifndef CROSSWAVE_RN1_PROTOCOL
`define CROSSWAVE_RN1_PROTOCOL
// the direction is in the two bits from here on of the first byte: paper
`define CROSSWAVE_RN1_DIRECTION_LSB 6
// no transmission; after a transmission: its end, with a status from each router: assumed
`define CROSSWAVE_RN1_REST 9'd0
// no data now, the connection stands: assumed
`define CROSSWAVE_RN1_IDLE 9'd85
// frees the path after it, without a status: assumed
`define CROSSWAVE_RN1_DROP 9'd170
// reverses the connection: assumed
`define CROSSWAVE_RN1_TURN 9'd255
// the control bit: 1 with a byte of data or a checksum: assumed
`define CROSSWAVE_RN1_DATA 9'd256
// a status: the bits that are the same in all: assumed
`define CROSSWAVE_RN1_STATUS 9'd128
// of a status: 1 connected, 0 blocked: assumed
`define CROSSWAVE_RN1_STATUS_CONNECTED 9'd64
// of a status: 1 the first of this router, 0 a repetition: assumed
`define CROSSWAVE_RN1_STATUS_FIRST 9'd32
// of a status: the output, its bit 2; when blocked twice the direction: assumed
`define CROSSWAVE_RN1_STATUS_OUTPUT_2 9'd16
// of a status: the output, its bit 1: assumed
`define CROSSWAVE_RN1_STATUS_OUTPUT_1 9'd4
// of a status: the output, its bit 0: assumed
`define CROSSWAVE_RN1_STATUS_OUTPUT_0 9'd1
// checksum: x^8 + x^2 + x + 1, most significant bit first, from 0 on: assumed
`define CROSSWAVE_RN1_CRC_POLYNOMIAL 8'd7
// no transmission: assumed
`define CROSSWAVE_RN1_STATE_IDLE 3'd0
// the first byte was dropped, the one to route by is awaited: assumed
`define CROSSWAVE_RN1_STATE_SWALLOW 3'd1
// connected, words go from the input to the output: assumed
`define CROSSWAVE_RN1_STATE_FORWARD 3'd2
// no output was free; what comes is ignored: assumed
`define CROSSWAVE_RN1_STATE_BLOCKED 3'd3
// turning; status and checksum go back to the input: assumed
`define CROSSWAVE_RN1_STATE_TO_REVERSE 3'd4
// connected, words go from the output to the input: assumed
`define CROSSWAVE_RN1_STATE_REVERSE 3'd5
// turning again; status and checksum go on to the output: assumed
`define CROSSWAVE_RN1_STATE_TO_FORWARD 3'd6
// no connection; the status was sent, the checksum follows: assumed
`define CROSSWAVE_RN1_STATE_ANSWER 3'd7
// interface: retry 2 cycles after the rest that says blocked: assumed
`define CROSSWAVE_RN1_STRATEGY_IMMEDIATE 2'd0
// interface: retry after a random wait: assumed
`define CROSSWAVE_RN1_STRATEGY_RANDOM 2'd1
// interface: retry after a random wait that grows with the attempts: assumed
`define CROSSWAVE_RN1_STRATEGY_BACKOFF 2'd2
// sender: no message: assumed
`define CROSSWAVE_RN1_TX_IDLE 4'd0
// sender: an attempt was blocked: assumed
`define CROSSWAVE_RN1_TX_RETRY 4'd1
// sender: waits after a blocked attempt: assumed
`define CROSSWAVE_RN1_TX_BACKOFF 4'd2
// sender: the message is over: assumed
`define CROSSWAVE_RN1_TX_DONE 4'd3
// sender: a routing byte is on the wire: assumed
`define CROSSWAVE_RN1_TX_HEADER 4'd4
// sender: a payload byte is on the wire: assumed
`define CROSSWAVE_RN1_TX_BODY 4'd5
// sender: the turn, or the rest that ends the connection, is on the wire: assumed
`define CROSSWAVE_RN1_TX_TURN 4'd6
// sender: listens, to statuses and then to the reply: assumed
`define CROSSWAVE_RN1_TX_ANSWER 4'd7
// sender: a status came, its checksum is awaited: assumed
`define CROSSWAVE_RN1_TX_CHECK 4'd8
// receiver: no connection: assumed
`define CROSSWAVE_RN1_RX_IDLE 3'd0
// receiver: the last routing byte came, the payload is awaited: assumed
`define CROSSWAVE_RN1_RX_OPEN 3'd1
// receiver: a segment comes in: assumed
`define CROSSWAVE_RN1_RX_RECEIVE 3'd2
// receiver: idle words in front of the reply are on the wire: assumed
`define CROSSWAVE_RN1_RX_DELAY 3'd3
// receiver: the reply is on the wire: assumed
`define CROSSWAVE_RN1_RX_REPLY 3'd4
// receiver: the turn after the reply is on the wire: assumed
`define CROSSWAVE_RN1_RX_TURN 3'd5
`endif
