// SPDX-License-Identifier: MIT OR Apache-2.0
// The sender of a network interface at a network of circuits: a header, whose words
// come from outside, and a body; with three retry strategies.
//
// Source: Strumpen & Krishnamurthy 2005, sections 3 and 7. Payload and back-off:
// assumed. Protocol and timing: network_interface.md.
`default_nettype none
`include "protocol.vh"

module circuit_sender #(
    parameter HEADER_BITS = 2
) (
    input  wire                   clock,
    input  wire                   reset,
    input  wire [1:0]             strategy,
    input  wire [3:0]             backoff_limit,
    input  wire [11:0]            random_wait,
    input  wire                   round_start,
    input  wire                   tx_request,
    input  wire [19:0]            tx_destination,
    input  wire [19:0]            tx_words,
    output wire                   tx_launch,
    output wire                   tx_collision,
    output wire                   tx_done,
    // The header: its first word, how many more there are, and the one that goes
    // out next while `header_left` are to go.
    input  wire [7:0]             first_word,
    input  wire [HEADER_BITS-1:0] more_words,
    input  wire [7:0]             next_word,
    output reg  [HEADER_BITS-1:0] header_left,
    output wire                   out_valid,
    output wire [7:0]             out_data,
    input  wire                   out_ack,
    input  wire                   out_collision,
    output wire [2:0]             tx_state
);
  reg [8:0]  out;
  reg [2:0]  state;
  reg        launched;
  reg        collided;
  reg        done;
  assign {out_valid, out_data} = out;
  assign tx_state     = state;
  assign tx_launch    = launched;
  assign tx_collision = collided;
  assign tx_done      = done;

  reg [19:0] words_left;
  reg [7:0]  payload;
  reg        acknowledged;
  reg [3:0]  exponent;
  reg [11:0] wait_left;

  wire idle    = state == `CROSSWAVE_TX_IDLE;
  wire round   = state == `CROSSWAVE_TX_ROUND;
  wire backoff = state == `CROSSWAVE_TX_BACKOFF;
  wire header  = state == `CROSSWAVE_TX_HEADER;
  wire body    = state == `CROSSWAVE_TX_BODY;
  wire waiting = state == `CROSSWAVE_TX_WAIT;
  wire retry   = state == `CROSSWAVE_TX_RETRY;

  wire by_rounds  = strategy == `CROSSWAVE_STRATEGY_ROUNDS;
  wire by_backoff = strategy == `CROSSWAVE_STRATEGY_BACKOFF;

  // Back-off: the wait after a message's j-th collision is uniform in
  // 0 .. 2^min(j, backoff_limit) - 1 clocks.
  reg [11:0] wait_mask;
  always @* begin : thermometer
    integer bit_index;
    for (bit_index = 0; bit_index < 12; bit_index = bit_index + 1)
      wait_mask[bit_index] = exponent > bit_index[3:0];
  end
  wire [11:0] wait_drawn = random_wait & wait_mask;
  wire [11:0] wait_next = backoff ? wait_left : (by_backoff ? wait_drawn : 12'd0);
  wire wait_over = wait_next == 12'd0;

  wire start  = idle & tx_request;
  wire launch = (((start | round) & by_rounds) & round_start)
              | (start & ~by_rounds)
              | (((retry & ~by_rounds) | backoff) & wait_over);
  wire sending   = header | body | waiting;
  wire collision = sending & out_collision;
  wire settled   = out_ack | acknowledged;
  wire finished  = waiting & settled & ~collision;
  wire send_path = header & (header_left != {HEADER_BITS{1'b0}}) & ~collision;
  wire send_body = ((header & (header_left == {HEADER_BITS{1'b0}})) | body) & ~collision;
  wire last_word = words_left == 20'd0;

  wire [7:0] destination_signature =
      tx_destination[7:0] ^ tx_destination[15:8] ^ {4'd0, tx_destination[19:16]};

  always @(posedge clock) begin
    if (reset) begin
      out           <= 9'd0;
      header_left   <= {HEADER_BITS{1'b0}};
      words_left    <= 20'd0;
      payload       <= 8'd0;
      acknowledged  <= 1'b0;
      exponent      <= 4'd0;
      wait_left     <= 12'd0;
      launched      <= 1'b0;
      collided      <= 1'b0;
      done          <= 1'b0;
      state         <= `CROSSWAVE_TX_IDLE;
    end else begin
      out <= ({9{launch}} & {1'b1, first_word})
           | ({9{send_path}} & {1'b1, next_word})
           | ({9{send_body}} & {1'b1, payload});
      if (launch) header_left <= more_words;
      else if (send_path) header_left <= header_left - 1'b1;
      if (launch) words_left <= tx_words;
      else if (send_body) words_left <= words_left - 20'd1;
      if (launch) payload <= destination_signature;
      else if (send_body) payload <= payload + 8'd1;
      acknowledged <= sending & settled & ~collision & ~finished;
      if (idle) exponent <= 4'd1;
      else if (retry & (exponent != backoff_limit)) exponent <= exponent + 4'd1;
      if (retry | backoff) wait_left <= wait_next - 12'd1;
      launched <= launch;
      collided <= collision;
      done     <= finished;
      state    <= launch ? `CROSSWAVE_TX_HEADER
                    : collision ? `CROSSWAVE_TX_RETRY
                    : finished ? `CROSSWAVE_TX_DONE
                    : send_body ? (last_word ? `CROSSWAVE_TX_WAIT : `CROSSWAVE_TX_BODY)
                    : start | (retry & by_rounds) ? `CROSSWAVE_TX_ROUND
                    : retry ? `CROSSWAVE_TX_BACKOFF
                    : state == `CROSSWAVE_TX_DONE ? `CROSSWAVE_TX_IDLE
                    : state;
    end
  end
endmodule
`default_nettype wire
