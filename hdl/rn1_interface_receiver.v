// SPDX-License-Identifier: MIT OR Apache-2.0
// One of the receivers of rn1_interface: checks the request of a connection that
// comes out of the network, and replies to every turn.
`default_nettype none
`include "rn1_protocol.vh"

(* keep_hierarchy *)
module rn1_interface_receiver (
    input  wire        clock,
    input  wire        reset,
    input  wire [7:0]  signature,    // of this node
    input  wire [1:0]  rotation,     // of what comes, by twice as many bits to the left
    input  wire [3:0]  turns,
    input  wire [15:0] reply_words,
    input  wire [7:0]  reply_delay,
    input  wire        close_drop,
    input  wire [4:0]  wire_delay,   // extra cycles of the wire that leads here
    output reg         opened,
    output reg         done,
    output reg         failed,
    output reg  [2:0]  state,
    input  wire [8:0]  forward,
    output reg  [8:0]  backward
);
  reg [15:0] left;        // DELAY: idle words with the one on the wire; REPLY: words behind
                          // it; TURN: clocks until answers can come
  reg [7:0]  payload;     // the next byte, expected or to be sent
  reg [3:0]  turns_left;
  reg        right;       // the payload so far
  reg        later;       // the connection was turned: the request is over
  reg        skip;        // the last word was a status: a checksum follows, no data

  wire idle    = state == `CROSSWAVE_RN1_RX_IDLE;
  wire open    = state == `CROSSWAVE_RN1_RX_OPEN;
  wire receive = state == `CROSSWAVE_RN1_RX_RECEIVE;
  wire delay   = state == `CROSSWAVE_RN1_RX_DELAY;
  wire reply   = state == `CROSSWAVE_RN1_RX_REPLY;
  wire turning = state == `CROSSWAVE_RN1_RX_TURN;
  wire listens = open | receive;

  wire data   = forward[8];
  wire same   = forward[7:6] == forward[5:4] & forward[5:4] == forward[3:2]
              & forward[3:2] == forward[1:0];
  wire status = ~data & ~same;
  wire ends   = listens & ~data & same & ~forward[0];  // a rest or a drop
  wire asks   = listens & (forward == `CROSSWAVE_RN1_TURN);
  wire opens  = idle & data;
  wire take   = listens & data & ~skip;
  wire [7:0] half = rotation[1] ? {forward[3:0], forward[7:4]} : forward[7:0];
  wire [7:0] sent = rotation[0] ? {half[1:0], half[7:2]} : half;
  wire good   = sent == payload & (right | open);

  wire no_turns    = turns_left == 4'd0;
  wire no_delay    = reply_delay == 8'd0;
  wire few         = left[15:1] == 15'd0;
  wire delay_ends  = delay & few;
  wire reply_ends  = reply & few & ~left[0];
  wire first_reply = (asks & no_delay) | delay_ends;
  wire send_reply  = first_reply | (reply & ~reply_ends);
  wire send_idle   = (asks & ~no_delay) | (delay & ~delay_ends);
  wire send_turn   = reply_ends & ~no_turns;
  wire send_drop   = reply_ends & no_turns & close_drop;
  wire turn_waits  = turning & ~(few & ~left[0]);

  wire [7:0] byte_now = (opens | asks) ? signature ^ {8{asks}} : payload;

  always @(posedge clock) begin
    if (reset) begin
      backward   <= 9'd0;
      left       <= 16'd0;
      payload    <= 8'd0;
      turns_left <= 4'd0;
      right      <= 1'b0;
      later      <= 1'b0;
      skip       <= 1'b0;
      opened     <= 1'b0;
      done       <= 1'b0;
      failed     <= 1'b0;
      state      <= `CROSSWAVE_RN1_RX_IDLE;
    end else begin
      backward <= ({9{send_reply}} & {1'b1, byte_now})
                | ({9{send_idle}} & `CROSSWAVE_RN1_IDLE)
                | ({9{send_turn}} & `CROSSWAVE_RN1_TURN)
                | ({9{send_drop}} & `CROSSWAVE_RN1_DROP);
      if (first_reply) left <= reply_words;
      else if (asks) left <= {8'd0, reply_delay};
      else if (send_turn) left <= {10'd0, wire_delay, 1'b0};
      else if (send_idle | send_reply | turn_waits) left <= left - 16'd1;
      payload <= byte_now + {7'd0, send_reply | take};

      if (opens) turns_left <= turns;
      else if ((asks | reply_ends) & ~no_turns) turns_left <= turns_left - 4'd1;
      right  <= take ? good : right & ~idle;
      later  <= ~idle & (later | asks);
      skip   <= listens & status;

      opened <= opens;
      done   <= (asks | ends) & ~later & right;
      failed <= (asks | ends) & ~later & ~right;
      state  <= opens ? `CROSSWAVE_RN1_RX_OPEN
              : take | (turning & ~turn_waits) ? `CROSSWAVE_RN1_RX_RECEIVE
              : send_idle ? `CROSSWAVE_RN1_RX_DELAY
              : send_reply ? `CROSSWAVE_RN1_RX_REPLY
              : send_turn ? `CROSSWAVE_RN1_RX_TURN
              : ends | reply_ends ? `CROSSWAVE_RN1_RX_IDLE
              : state;
    end
  end
endmodule
`default_nettype wire
