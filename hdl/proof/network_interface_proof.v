// SPDX-License-Identifier: MIT OR Apache-2.0
// The network interface between a host and a router that do anything the
// protocol allows: every input of this module is free in every clock.
//
// It proves that the interface keeps the conventions that input_monitor and
// output_monitor assume of a router's neighbours, that what it sends is the
// header and body of the protocol, and its clocks.
`default_nettype none
`include "protocol.vh"
`ifndef DROP
`define DROP 0
`endif

module network_interface_proof (
    input wire        clock,
    input wire        reset,
    input wire [19:0] node,
    input wire [1:0]  strategy,
    input wire [3:0]  backoff_limit,
    input wire        early_acknowledge,
    input wire [11:0] random_wait,
    input wire        round_start,
    input wire        tx_request,
    input wire [19:0] tx_destination,
    input wire [19:0] tx_words,
    input wire        net_in_valid,
    input wire [7:0]  net_in_data,
    input wire        net_out_ack,
    input wire        net_out_collision,
    output wire [7:0] reached
);
  wire tx_launch, tx_collision, tx_done, rx_done, rx_error, rx_state;
  wire net_in_ack, net_in_collision, net_out_valid;
  wire [7:0] net_out_data;
  wire [2:0] tx_state;
  // The last ports of the list are registers that `expose` makes visible.
  wire [1:0] header_left;
  wire [19:0] words_left;
  wire [7:0] payload;
  wire acknowledged;
  network_interface chip (
      .clock(clock), .reset(reset), .node(node), .strategy(strategy),
      .backoff_limit(backoff_limit), .early_acknowledge(early_acknowledge),
      .random_wait(random_wait), .round_start(round_start), .tx_request(tx_request),
      .tx_destination(tx_destination), .tx_words(tx_words), .tx_launch(tx_launch),
      .tx_collision(tx_collision), .tx_done(tx_done), .rx_done(rx_done),
      .rx_error(rx_error), .net_in_valid(net_in_valid), .net_in_data(net_in_data),
      .net_in_ack(net_in_ack), .net_in_collision(net_in_collision),
      .net_out_valid(net_out_valid), .net_out_data(net_out_data),
      .net_out_ack(net_out_ack), .net_out_collision(net_out_collision),
      .tx_state(tx_state), .rx_state(rx_state),
      .\sender.header_left (header_left), .\sender.words_left (words_left),
      .\sender.payload (payload), .\sender.acknowledged (acknowledged));

  reg started = 1'b0;
  wire active = started & ~reset;
  wire [26:0] options = {node, strategy, backoff_limit, early_acknowledge};
  wire [39:0] message = {tx_destination, tx_words};
  reg [26:0] options_1;
  reg [39:0] message_1;
  reg out_valid_1, in_valid_1, in_valid_2, collision_1, collision_2, due, open, busy;
  reg [20:0] sent;  // words of the attempt that were sent in earlier clocks

  // ---- The neighbours --------------------------------------------------

  wire out_head = net_out_valid & ~out_valid_1;
  wire expected = due | out_head;
  wire in_head  = net_in_valid & ~in_valid_1;
  always @* begin
    // 1: the first clock is a reset.
    if (`DROP != 1) assume (started | reset);
    // 2: options stand still, and so does a message that is being sent.
    if (`DROP != 2 && started) assume (options == options_1);
    if (`DROP != 2 && started && busy) assume (message == message_1);
    if (active) begin
      // 3: the router answers only circuits, each once, with one of the two.
      if (`DROP != 3) assume (expected | ~(net_out_ack | net_out_collision));
      if (`DROP != 3) assume (~(net_out_ack & net_out_collision));
      // 4: a head comes in only when the previous circuit was answered.
      if (`DROP != 4) assume (~(in_head & open));
    end
  end

  // ---- The sender ------------------------------------------------------

  wire [19:0] difference = node ^ tx_destination;
  // Word 0 of an attempt is the turn level: the highest bit of the difference.
  wire [19:0] turn_bit = difference >> net_out_data;
  wire [1:0] path_words = difference[19:17] != 3'd0 ? 2'd3 : difference[16:9] != 8'd0 ? 2'd2
                        : difference[8:1] != 8'd0 ? 2'd1 : 2'd0;
  wire [20:0] index = out_head ? 21'd0 : sent;
  wire [20:0] body_index = index - {19'd0, path_words} - 21'd1;
  wire [7:0] signature = tx_destination[7:0] ^ tx_destination[15:8] ^ {4'd0, tx_destination[19:16]};
  wire [1:0] byte_index = path_words - index[1:0];
  wire [7:0] path_byte = byte_index == 2'd0 ? tx_destination[7:0]
                       : byte_index == 2'd1 ? tx_destination[15:8] : {4'd0, tx_destination[19:16]};
  wire in_path = index != 21'd0 && index <= {19'd0, path_words};
  wire header  = tx_state == `CROSSWAVE_TX_HEADER;
  wire body    = tx_state == `CROSSWAVE_TX_BODY;
  wire waiting = tx_state == `CROSSWAVE_TX_WAIT;
  wire [20:0] now_sent  = net_out_valid ? index + 21'd1 : sent;
  wire [20:0] body_sent = now_sent - {19'd0, path_words} - 21'd1;
  wire complete = sent == {1'b0, tx_words} + {19'd0, path_words} + 21'd2;

  always @* if (active) begin
    // A head only when the previous circuit was answered.
    if (out_head) assert (~due);
    assert (tx_launch == out_head);
    if (~net_out_valid) assert (net_out_data == 8'd0);
    // The words: turn level, path words from the highest, body.
    if (out_head & difference[19:1] != 19'd0) assert (turn_bit == 20'd1);
    if (out_head & difference[19:1] == 19'd0) assert (net_out_data == 8'd0);
    if (net_out_valid & in_path) assert (net_out_data == path_byte);
    if (net_out_valid & ~out_head & ~in_path)
      assert (net_out_data == signature + body_index[7:0]);
    // It sends all of them and no more, unless it is rejected: then it is
    // silent in the next clock and an immediate retry follows in the second.
    if (net_out_valid & ~out_head) assert (~complete);
    if (~net_out_valid & out_valid_1) assert (complete | collision_1);
    if (collision_1) assert (~net_out_valid & tx_state == `CROSSWAVE_TX_RETRY);
    assert (tx_collision == collision_1);
    if (collision_2 & strategy == `CROSSWAVE_STRATEGY_IMMEDIATE) assert (out_head);
    // Done only when it was answered and everything is sent.
    if (tx_done) assert (~due & complete & ~net_out_valid);
`ifndef PORTS_ONLY
    // What makes the above inductive: what the states and counters stand for.
    assert (expected == ((header | body | waiting) & ~acknowledged));
    if (acknowledged) assert (header | body | waiting);
    assert (busy | tx_state == `CROSSWAVE_TX_IDLE);
    assert ((header | body) <= net_out_valid);
    assert (net_out_valid <= (header | body | waiting));
    if (header) assert (now_sent - 21'd1 == {19'd0, path_words} - {19'd0, header_left});
    if (header) assert (header_left <= path_words);
    if (header) assert (words_left == tx_words & payload == signature);
    if (body) assert (body_sent != 21'd0 & body_sent <= {1'b0, tx_words});
    if (body) assert (words_left == tx_words - body_sent[19:0]);
    if (body) assert (payload == signature + body_sent[7:0]);
    if (waiting) assert (body_sent == {1'b0, tx_words} + 21'd1);
    if (tx_state == `CROSSWAVE_TX_DONE) assert (complete);
    assert (rx_state == in_valid_1);
    assert (open == (early_acknowledge ? in_valid_1 & ~in_valid_2 : in_valid_1 | in_valid_2));
`endif
  end

  // Situations that must be reachable: every state of the sender; a message
  // received right, and one received wrong.
  assign reached = {active & rx_error, active & rx_done, active & tx_done,
                    active & tx_state == `CROSSWAVE_TX_ROUND,
                    active & tx_state == `CROSSWAVE_TX_BACKOFF,
                    active & collision_2 & out_head,
                    active & waiting & acknowledged,
                    active & path_words == 2'd3 & body};

  // ---- The receiver ----------------------------------------------------

  always @* if (active) begin
    if (net_in_ack | net_in_collision) assert (open);
    assert (~(net_in_ack & net_in_collision));
    if (net_in_ack & ~early_acknowledge) assert (~net_in_valid);
    // The answer comes a clock after the head, or a clock after the silence
    // behind the tail.
    if (early_acknowledge) assert (net_in_ack == (in_valid_1 & ~in_valid_2) & ~net_in_collision);
    else assert ((net_in_ack | net_in_collision) == (~in_valid_1 & in_valid_2));
    assert ((rx_done | rx_error) == (~in_valid_1 & in_valid_2));
    assert (~(rx_done & rx_error));
  end

  always @(posedge clock) begin
    started     <= 1'b1;
    options_1   <= options;
    message_1   <= message;
    out_valid_1 <= ~reset & net_out_valid;
    in_valid_1  <= ~reset & net_in_valid;
    in_valid_2  <= ~reset & in_valid_1;
    collision_1 <= ~reset & net_out_collision;
    collision_2 <= ~reset & collision_1;
    due         <= ~reset & expected & ~(net_out_ack | net_out_collision);
    open        <= ~reset & (open | in_head) & ~(net_in_ack | net_in_collision);
    busy        <= ~reset & (busy | tx_request) & ~tx_done;
    sent        <= reset ? 21'd0 : net_out_valid ? index + 21'd1 : sent;
  end
endmodule
`default_nettype wire
