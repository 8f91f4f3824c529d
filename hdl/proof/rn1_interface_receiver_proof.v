// SPDX-License-Identifier: MIT OR Apache-2.0
// A receiver of rn1_interface at a network that does anything, said clock by clock: given
// the state and the word of the clock before (names ending in _1), what is there now. What
// has to be remembered of a connection is kept here once more, from the words alone.
`default_nettype none
`include "rn1_protocol.vh"

module rn1_interface_receiver_proof (
    input wire        clock,
    input wire        reset,
    input wire [7:0]  signature,
    input wire [1:0]  rotation,
    input wire [3:0]  turns,
    input wire [15:0] reply_words,
    input wire [7:0]  reply_delay,
    input wire        close_drop,
    input wire [4:0]  wire_delay,
    input wire [8:0]  forward,
    output wire [6:0] reached
);
  wire opened, done, failed, right, later, skip;
  wire [2:0] state;
  wire [3:0] turns_left;
  wire [7:0] payload;
  wire [8:0] backward;
  wire [15:0] left;

  // The last ports are registers that `expose` makes visible.
  rn1_interface_receiver chip (
      .clock(clock), .reset(reset), .signature(signature), .rotation(rotation), .turns(turns),
      .reply_words(reply_words), .reply_delay(reply_delay), .close_drop(close_drop),
      .wire_delay(wire_delay), .opened(opened), .done(done), .failed(failed), .state(state), .forward(forward),
      .backward(backward), .left(left), .payload(payload), .turns_left(turns_left),
      .right(right), .later(later), .skip(skip));

  // The first clock is a reset; later ones may be. Options stand still.
  reg started = 1'b0, reset_1 = 1'b1;
  wire [43:0] options = {signature, rotation, turns, reply_words, reply_delay, close_drop,
                         wire_delay};
  reg [43:0] options_1;
  wire active = started & ~reset_1;
  always @* begin
    assume (started | reset);
    if (started) assume (options == options_1);
  end

  // ---- The word that arrived, and the state it met ----------------------------

  reg [8:0] word_1;
  reg [2:0] was;
  wire is_data   = word_1[8];
  wire is_turn   = word_1 == `CROSSWAVE_RN1_TURN;
  wire is_end    = word_1 == `CROSSWAVE_RN1_REST | word_1 == `CROSSWAVE_RN1_DROP;
  wire is_status = ~is_data & ~is_turn & ~is_end & word_1 != `CROSSWAVE_RN1_IDLE;
  wire listened = was == `CROSSWAVE_RN1_RX_OPEN | was == `CROSSWAVE_RN1_RX_RECEIVE;

  // The byte as it was sent: wiring has rotated it by two bits, so many times.
  wire [15:0] twice = {word_1[7:0], word_1[7:0]};
  wire [7:0] sent = twice >> {rotation, 1'b0};

  // ---- What is remembered -----------------------------------------------------

  reg after_status;      // the byte that follows is a checksum
  reg turned;            // the request is over
  reg fine;              // it has bytes, and all were right
  reg [7:0] heard;       // its bytes
  reg [4:0] used;        // turns of either side, at most 16
  reg [15:0] at_1;       // bytes of the reply, idle words, or clocks of the turn, before this

  wire takes = listened & is_data & ~after_status;
  wire asks = listened & is_turn;
  wire [7:0] expected = signature + heard;
  wire opens = was == `CROSSWAVE_RN1_RX_IDLE & is_data;
  wire replied = was == `CROSSWAVE_RN1_RX_REPLY & at_1 == reply_words;
  wire turns_back = replied & used < {1'b0, turns};
  wire [15:0] at = state == was ? at_1 + 16'd1 : 16'd0;

  always @(posedge clock) begin
    started   <= 1'b1;
    reset_1   <= reset;
    options_1 <= options;
    word_1    <= forward;
    was       <= state;
    at_1      <= at;
  end
  // Those of the clock after the one in which `was` is the state.
  wire now_turned = was != `CROSSWAVE_RN1_RX_IDLE & (turned | asks);
  wire now_fine = takes ? sent == expected & (fine | heard == 8'd0 & was == `CROSSWAVE_RN1_RX_OPEN)
                        : fine & was != `CROSSWAVE_RN1_RX_IDLE;
  wire [7:0] now_heard = opens ? 8'd0 : heard + {7'd0, takes};
  wire [4:0] now_used = opens ? 5'd0 : used + {4'd0, (asks | turns_back) & ~used[4]};
  wire now_after = listened & is_status;
  always @(posedge clock) begin
    turned       <= active & now_turned;
    fine         <= active & now_fine;
    heard        <= active ? now_heard : 8'd0;
    used         <= active ? now_used : 5'd0;
    after_status <= active & now_after;
  end

  // ---- The next state ---------------------------------------------------------

  wire [2:0] asked = reply_delay == 8'd0 ? `CROSSWAVE_RN1_RX_REPLY : `CROSSWAVE_RN1_RX_DELAY;
  reg [2:0] next;
  always @* begin
    next = was;
    case (was)
      `CROSSWAVE_RN1_RX_IDLE: if (is_data) next = `CROSSWAVE_RN1_RX_OPEN;
      `CROSSWAVE_RN1_RX_OPEN, `CROSSWAVE_RN1_RX_RECEIVE:
        if (is_turn) next = asked;
        else if (is_end) next = `CROSSWAVE_RN1_RX_IDLE;
        else if (takes) next = `CROSSWAVE_RN1_RX_RECEIVE;
      `CROSSWAVE_RN1_RX_DELAY:
        if (at_1 + 16'd1 == {8'd0, reply_delay}) next = `CROSSWAVE_RN1_RX_REPLY;
      `CROSSWAVE_RN1_RX_REPLY:
        if (replied) next = turns_back ? `CROSSWAVE_RN1_RX_TURN : `CROSSWAVE_RN1_RX_IDLE;
      // The turn has to get to the router, and the answer back.
      default: if (at_1 == {10'd0, wire_delay, 1'b0}) next = `CROSSWAVE_RN1_RX_RECEIVE;
    endcase
  end

  // ---- What goes back ---------------------------------------------------------

  reg [8:0] answer;
  always @* begin
    case (state)
      `CROSSWAVE_RN1_RX_DELAY: answer = `CROSSWAVE_RN1_IDLE;
      `CROSSWAVE_RN1_RX_REPLY: answer = {1'b1, ~signature + at[7:0]};
      `CROSSWAVE_RN1_RX_TURN:  answer = at == 16'd0 ? `CROSSWAVE_RN1_TURN : 9'd0;
      default: answer = replied & ~turns_back & close_drop ? `CROSSWAVE_RN1_DROP : 9'd0;
    endcase
  end

  wire told = listened & (is_turn | is_end) & ~turned;
  always @* if (active) begin
    assert (state == next);
    assert (backward == answer);
    assert (opened == opens);
    assert (done == (told & fine));
    assert (failed == (told & ~fine));
`ifndef PORTS_ONLY
    // Invariants: the registers hold what is remembered here.
    assert (state <= `CROSSWAVE_RN1_RX_TURN);
    assert (skip == now_after & later == now_turned);
    if (~later) assert (right == now_fine);
    if (state > `CROSSWAVE_RN1_RX_RECEIVE) assert (later);
    if (state == `CROSSWAVE_RN1_RX_OPEN) assert (now_heard == 8'd0 & ~later & ~right);
    if ((state == `CROSSWAVE_RN1_RX_OPEN | state == `CROSSWAVE_RN1_RX_RECEIVE) & ~later)
      assert (payload == signature + now_heard);
    if (state != `CROSSWAVE_RN1_RX_IDLE)
      assert (turns_left == (now_used >= {1'b0, turns} ? 4'd0 : turns - now_used[3:0]));
    if (state == `CROSSWAVE_RN1_RX_DELAY)
      assert (at < {8'd0, reply_delay} & left == {8'd0, reply_delay} - at & payload == ~signature);
    if (state == `CROSSWAVE_RN1_RX_REPLY)
      assert (at <= reply_words & left == reply_words - at & payload == ~signature + at[7:0] + 8'd1);
    if (state == `CROSSWAVE_RN1_RX_TURN)
      assert (at <= {10'd0, wire_delay, 1'b0} & left == {10'd0, wire_delay, 1'b0} - at);
`endif
  end
  always @* if (started & reset_1)
    assert ({opened, done, failed, state, backward} == 15'd0);
`ifndef PORTS_ONLY
  always @* if (started & reset_1) assert ({skip, later, right} == 3'd0);
`endif

  // Situations that must be reachable: a request that is right, one that is wrong, an idle
  // word in front of a reply, a second byte of one, a turn behind it, a drop, and the end of a
  // turn over a long wire.
  assign reached[0] = active & done & heard == 8'd2;
  assign reached[1] = active & failed & heard == 8'd2;
  assign reached[2] = active & state == `CROSSWAVE_RN1_RX_DELAY & at == 16'd1;
  assign reached[3] = active & state == `CROSSWAVE_RN1_RX_REPLY & at == 16'd1;
  assign reached[4] = active & state == `CROSSWAVE_RN1_RX_TURN;
  assign reached[5] = active & backward == `CROSSWAVE_RN1_DROP;
  assign reached[6] = active & was == `CROSSWAVE_RN1_RX_TURN & at_1 == 16'd2
                    & state == `CROSSWAVE_RN1_RX_RECEIVE;
endmodule
`default_nettype wire
