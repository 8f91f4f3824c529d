// Network interface of a node: a sender with three retry strategies and a
// receiver that checks and acknowledges.
//
// Source: Strumpen & Krishnamurthy 2005, sections 3 and 7. Header, payload and
// back-off: assumed. Ports, protocol and timing: network_interface.md.
`default_nettype none
`include "protocol.vh"

module network_interface (
`include "network_interface_ports.vh"
);
  // ---- Sender ----------------------------------------------------------

  // The level at which the message turns: the highest address bit in which
  // node and destination differ.
  wire [19:0] difference = node ^ tx_destination;
  reg [4:0] turn_level;
  always @* begin : highest_bit
    integer bit_index;
    turn_level = 5'd0;
    for (bit_index = 1; bit_index < 20; bit_index = bit_index + 1)
      if (difference[bit_index]) turn_level = bit_index[4:0];
  end
  wire [1:0] path_words = (|difference[19:17]) ? 2'd3
                        : (|difference[16:9])  ? 2'd2
                        : (|difference[8:1])   ? 2'd1 : 2'd0;

  reg [8:0]  out;
  reg [2:0]  state;
  reg        launched;
  reg        collided;
  reg        done;
  assign {net_out_valid, net_out_data} = out;
  assign tx_state     = state;
  assign tx_launch    = launched;
  assign tx_collision = collided;
  assign tx_done      = done;

  reg [1:0]  header_left;
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
  wire collision = sending & net_out_collision;
  wire settled   = net_out_ack | acknowledged;
  wire finished  = waiting & settled & ~collision;
  wire send_path = header & (header_left != 2'd0) & ~collision;
  wire send_body = ((header & (header_left == 2'd0)) | body) & ~collision;
  wire last_word = words_left == 20'd0;

  wire [7:0] path_word = header_left[1]
      ? (header_left[0] ? {4'd0, tx_destination[19:16]} : tx_destination[15:8])
      : tx_destination[7:0];
  wire [7:0] destination_signature =
      tx_destination[7:0] ^ tx_destination[15:8] ^ {4'd0, tx_destination[19:16]};

  always @(posedge clock) begin
    if (reset) begin
      out           <= 9'd0;
      header_left   <= 2'd0;
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
      out <= ({9{launch}} & {4'b1000, turn_level})
           | ({9{send_path}} & {1'b1, path_word})
           | ({9{send_body}} & {1'b1, payload});
      if (launch) header_left <= path_words;
      else if (send_path) header_left <= header_left - 2'd1;
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

  // ---- Receiver --------------------------------------------------------

  // Word i of a body is the signature of the destination's address plus i, so
  // that the receiver can tell a word that is lost, doubled, out of order or
  // at the wrong node.
  reg [7:0] expected_next;
  reg       mismatch;
  reg       receiving;
  reg       answer_ack;
  reg       answer_collision;
  reg       received;
  reg       refused;
  assign net_in_ack       = answer_ack;
  assign net_in_collision = answer_collision;
  assign rx_done          = received;
  assign rx_error         = refused;
  assign rx_state         = receiving ? `CROSSWAVE_RX_RECEIVING : `CROSSWAVE_RX_IDLE;
  wire [7:0] node_signature = node[7:0] ^ node[15:8] ^ {4'd0, node[19:16]};
  wire [7:0] expected = receiving ? expected_next : node_signature;
  wire wrong = (receiving & mismatch) | (net_in_valid & (net_in_data != expected));
  wire first = net_in_valid & ~receiving;
  wire last  = ~net_in_valid & receiving;

  always @(posedge clock) begin
    if (reset) begin
      answer_ack       <= 1'b0;
      answer_collision <= 1'b0;
      expected_next    <= 8'd0;
      mismatch         <= 1'b0;
      received         <= 1'b0;
      refused          <= 1'b0;
      receiving        <= 1'b0;
    end else begin
      answer_ack       <= early_acknowledge ? first : (last & ~mismatch);
      answer_collision <= ~early_acknowledge & last & mismatch;
      if (net_in_valid) expected_next <= expected + 8'd1;
      mismatch         <= wrong;
      received         <= last & ~mismatch;
      refused          <= last & mismatch;
      receiving        <= net_in_valid;
    end
  end
endmodule
`default_nettype wire
