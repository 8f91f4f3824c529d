// SPDX-License-Identifier: MIT OR Apache-2.0
// The network interface of stack switches between a host and a switch that do anything the
// protocol allows: every input of this module is free in every clock. Names ending in _1
// are values of a clock ago.
`default_nettype none
`include "stack.vh"
`ifndef DROP
`define DROP 0
`endif

module stack_interface_proof (
    input wire        clock,
    input wire        reset,
    input wire        tx_request,
    input wire [23:0] tx_id,
    input wire [19:0] tx_words,
    input wire [3:0]  tx_hops,
    input wire [63:0] tx_route_low,
    input wire [63:0] tx_route_high,
    input wire        net_in_valid,
    input wire [7:0]  net_in_data,
    input wire        net_in_last,
    input wire        net_out_credit,
    output wire [5:0] reached
);
  wire tx_launch, tx_done, rx_valid, rx_wrong, net_in_credit, net_out_valid, net_out_last;
  wire [23:0] rx_id;
  wire [19:0] rx_words;
  wire [7:0] net_out_data;
  wire [2:0] tx_state, tx_credits;
  wire [1:0] rx_state;
  // The registers that no port shows, which `expose` makes visible.
  wire [3:0] left;
  wire [19:0] words_left;
  wire [7:0] payload;
  wire mismatch;
  stack_interface chip (
      .clock(clock), .reset(reset), .tx_request(tx_request), .tx_id(tx_id), .tx_words(tx_words),
      .tx_hops(tx_hops), .tx_route_low(tx_route_low), .tx_route_high(tx_route_high),
      .tx_launch(tx_launch), .tx_done(tx_done), .rx_valid(rx_valid), .rx_id(rx_id),
      .rx_words(rx_words), .rx_wrong(rx_wrong), .net_in_valid(net_in_valid),
      .net_in_data(net_in_data), .net_in_last(net_in_last), .net_in_credit(net_in_credit),
      .net_out_valid(net_out_valid), .net_out_data(net_out_data), .net_out_last(net_out_last),
      .net_out_credit(net_out_credit), .tx_state(tx_state), .tx_credits(tx_credits),
      .rx_state(rx_state), .\sender.left (left), .\sender.words_left (words_left),
      .\sender.payload (payload), .\receiver.mismatch (mismatch));

  // ---- The neighbours --------------------------------------------------

  reg started = 1'b0, active_1, busy, sending;
  wire active = started & ~reset;
  reg [20:0] came;            // flits of the packet that comes in, in earlier clocks
  reg [2:0] taken;            // flits that the switch has, and credits on their way back
  reg [199:0] offer_1;
  wire [199:0] offer = {tx_id, tx_words, tx_hops, tx_route_low, tx_route_high};
  always @* begin
    // 1: the first clock is a reset.
    if (`DROP != 1) assume (started | reset);
    if (active) begin
      // 2: a credit is for a flit, and each once.
      if (`DROP != 2) assume (~net_out_credit | taken != 3'd0);
      // 3: a packet that is offered stands still until it is done.
      if (`DROP != 3 && busy) assume (tx_request & offer == offer_1);
      // No body has more than 2^20 flits.
      assume (came < 21'h100002 | ~net_in_valid);
    end
  end

  // ---- The sender ------------------------------------------------------

  // Flit `index` of a packet: ports of the way, three bytes of the number, the body.
  reg [20:0] sent;            // flits of the packet that were sent in earlier clocks
  wire [20:0] more  = {17'd0, tx_hops};
  wire [20:0] total = more + 21'd5 + {1'b0, tx_words};
  wire [20:0] index = tx_launch ? 21'd0 : sent;
  wire [127:0] ports = {tx_route_high, tx_route_low};
  wire [20:0] place = more - index;
  wire [20:0] body  = index - more - 21'd4;
  reg ready_1, request_1, done_1, done_2;
  always @* if (active) begin
    assert ({1'b0, tx_credits} + {3'd0, net_out_valid} + {1'b0, taken} == `CROSSWAVE_STACK_DEPTH);
    if (~net_out_valid) assert (net_out_data == 8'd0 & ~net_out_last);
    if (tx_launch) assert (net_out_valid & ~sending);
    if (net_out_valid) begin
      assert (tx_launch | sending);
      if (index <= more) assert (net_out_data == ports[8*place[3:0] +: 8]);
      else if (index == more + 21'd1) assert (net_out_data == tx_id[7:0]);
      else if (index == more + 21'd2) assert (net_out_data == tx_id[15:8]);
      else if (index == more + 21'd3) assert (net_out_data == tx_id[23:16]);
      else assert (net_out_data == tx_id[7:0] + body[7:0]);
      assert (net_out_last == (index + 21'd1 == total));
    end
    assert (tx_done == net_out_last);
    // A flit of a packet in every clock that has a credit; the first one a clock behind the
    // request, but not in the clock in which the one before is done.
    if (sending) assert (net_out_valid == ready_1);
    if (active_1 & ~sending & ~done_1) assert (net_out_valid == (ready_1 & request_1));
    if (done_1) assert (~net_out_valid);
`ifndef PORTS_ONLY
    // What makes the above inductive: what states and registers stand for.
    if (sending | tx_launch) assert (busy);
    assert (~(sending & done_1));
    if (tx_state == `CROSSWAVE_STACK_TX_IDLE) assert (~now_sending & ~net_out_valid);
    if (done_1) assert (tx_state == `CROSSWAVE_STACK_TX_IDLE);
    if (tx_state == `CROSSWAVE_STACK_TX_DONE) assert (tx_done & now_sent == total);
    else assert (~tx_done);
    if (tx_state == `CROSSWAVE_STACK_TX_ROUTE)
      assert (now_sending & now_sent != 21'd0 & now_sent <= more & left == now_place[3:0]);
    if (tx_state == `CROSSWAVE_STACK_TX_NUMBER)
      assert (now_sending & left <= 4'd2 & now_sent + {17'd0, left} == more + 21'd3);
    if (tx_state == `CROSSWAVE_STACK_TX_BODY) begin
      assert (now_sending & now_sent >= more + 21'd4 & now_sent < total);
      assert (now_sent + {1'b0, words_left} + 21'd1 == total);
      assert (payload == tx_id[7:0] + now_body[7:0]);
    end
    assert (tx_state <= `CROSSWAVE_STACK_TX_DONE);
`endif
  end
  wire now_sending = (sending | tx_launch) & ~tx_done;
  wire [20:0] now_sent = net_out_valid ? index + 21'd1 : sent;
  wire [20:0] now_body = now_sent - more - 21'd4;
  wire [20:0] now_place = more - now_sent;

  always @(posedge clock) begin
    started   <= 1'b1;
    active_1  <= ~reset;
    taken     <= reset ? 3'd0 : taken + {2'd0, net_out_valid} - {2'd0, net_out_credit};
    sending   <= ~reset & now_sending;
    sent      <= reset ? 21'd0 : now_sent;
    busy      <= ~reset & tx_request & ~tx_done;
    offer_1   <= offer;
    ready_1   <= ~reset & tx_credits != 3'd0;
    request_1 <= ~reset & tx_request;
    done_1    <= ~reset & tx_done;
    done_2    <= ~reset & done_1;
  end

  // ---- The receiver ----------------------------------------------------

  // The packet that comes in, counted and compared here once more.
  reg [23:0] id;
  reg right, in_valid_1, ended_1, right_1;
  reg [20:0] came_1;
  wire [20:0] flit = came - 21'd3;
  wire [7:0] expected = id[7:0] + flit[7:0];
  wire is_right = came < 21'd3 ? ~net_in_last : right & net_in_data == expected;
  always @* if (active) begin
    assert (net_in_credit == in_valid_1);
    assert (rx_valid == ended_1);
    assert (rx_wrong == (ended_1 & ~right_1));
    if (rx_valid) assert (rx_id == id);
    if (rx_valid) assert (rx_words == (came_1 < 21'd4 ? 20'hfffff : came_1[19:0] - 20'd4));
`ifndef PORTS_ONLY
    assert (rx_state == (came < 21'd3 ? came[1:0] : 2'd3));
    if (came != 21'd0) begin
      assert (id == rx_id & mismatch == ~right);
      assert (rx_words == (came < 21'd4 ? 20'hfffff : came[19:0] - 20'd4));
    end
`endif
  end
  always @(posedge clock) begin
    in_valid_1 <= ~reset & net_in_valid;
    ended_1    <= ~reset & net_in_valid & net_in_last;
    right_1    <= is_right;
    came_1     <= came + 21'd1;
    if (reset | (net_in_valid & net_in_last)) came <= 21'd0;
    else if (net_in_valid) came <= came + 21'd1;
    if (net_in_valid) begin
      right <= is_right;
      if (came == 21'd0) id <= {16'd0, net_in_data};
      if (came == 21'd1) id[15:8] <= net_in_data;
      if (came == 21'd2) id[23:16] <= net_in_data;
    end
  end

  // Situations that must be reachable: a packet with a way of two switches is done; one follows
  // another at once; the sender waits for a credit; a packet is right, wrong, and too short.
  assign reached = {active & rx_valid & came_1 < 21'd4, active & rx_wrong & came_1 > 21'd3,
                    active & rx_valid & ~rx_wrong, active & sending & ~net_out_valid,
                    active & tx_launch & done_2,
                    active & tx_done & tx_hops == 4'd1};
endmodule
`default_nettype wire
