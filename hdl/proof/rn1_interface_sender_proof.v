// SPDX-License-Identifier: MIT OR Apache-2.0
// The sender of rn1_interface at a network that does anything, said clock by clock: given
// the state and the word of the clock before (names ending in _1), what is there now. What
// has to be remembered of a message is kept here once more. What is wrong in answers
// (`tx_error`, with the checksums) is not said.
`default_nettype none
`include "rn1_protocol.vh"

module rn1_interface_sender_proof (
    input wire        clock,
    input wire        reset,
    input wire [1:0]  strategy,
    input wire [3:0]  backoff_limit,
    input wire [1:0]  tx_enable,
    input wire [3:0]  turns,
    input wire [15:0] reply_words,
    input wire        close_drop,
    input wire [11:0] random_wait,
    input wire        random_port,
    input wire        request,
    input wire [7:0]  signature,
    input wire [19:0] words,
    input wire [31:0] route,
    input wire [1:0]  route_bytes,
    input wire [3:0]  stages,
    input wire [15:0] swallows,
    input wire [8:0]  t0_backward,
    input wire [8:0]  t1_backward,
    output wire [6:0] reached
);
  wire launched, blocked, replied, done, failed, port, complete, later;
  wire [1:0] route_at;
  wire [3:0] connected, state, turns_left, exponent;
  wire [7:0] payload;
  wire [8:0] t0_forward, t1_forward;
  wire [11:0] wait_left;
  wire [19:0] words_left;

  // The last ports are registers that `expose` makes visible.
  rn1_interface_sender chip (
      .clock(clock), .reset(reset), .strategy(strategy), .backoff_limit(backoff_limit),
      .tx_enable(tx_enable), .stages(stages), .swallows(swallows), .turns(turns),
      .reply_words(reply_words), .close_drop(close_drop), .random_wait(random_wait),
      .random_port(random_port), .request(request), .signature(signature), .words(words),
      .route(route), .route_bytes(route_bytes), .launched(launched), .blocked(blocked),
      .replied(replied), .done(done), .failed(failed), .connected(connected), .state(state),
      .t0_forward(t0_forward), .t0_backward(t0_backward),
      .t1_forward(t1_forward), .t1_backward(t1_backward),
      .port(port), .route_at(route_at), .words_left(words_left), .payload(payload),
      .turns_left(turns_left), .complete(complete), .later(later), .exponent(exponent),
      .wait_left(wait_left));

  // The first clock is a reset; later ones may be. Options stand still, and so does what the
  // host asks for until it has seen that the message is over.
  reg started = 1'b0, reset_1 = 1'b1;
  wire [28:0] options = {strategy, backoff_limit, tx_enable, turns, reply_words, close_drop};
  reg [28:0] options_1;
  wire [82:0] asked = {stages, swallows, request, signature, words, route, route_bytes};
  reg [82:0] asked_1;
  wire active = started & ~reset_1;
  reg [3:0] was;
  always @* begin
    assume (started | reset);
    if (started) assume (options == options_1);
    if (active & asked_1[62] & was != `CROSSWAVE_RN1_TX_DONE) assume (asked == asked_1);
  end

  // ---- The word that came back, and the state it met ---------------------------

  reg [8:0] word_1;
  reg [3:0] connected_1;
  reg [11:0] random_wait_1;
  reg random_port_1;
  wire is_data   = word_1[8];
  wire is_turn   = word_1 == `CROSSWAVE_RN1_TURN;
  wire is_end    = word_1 == `CROSSWAVE_RN1_REST | word_1 == `CROSSWAVE_RN1_DROP;
  wire is_status = ~is_data & ~is_turn & ~is_end & word_1 != `CROSSWAVE_RN1_IDLE;
  wire answered = was == `CROSSWAVE_RN1_TX_ANSWER;
  wire listened = answered | was == `CROSSWAVE_RN1_TX_CHECK;
  wire all = connected_1 == asked_1[82:79];

  // The first status of a router, 1c1o0o0o, rotated to the right by any steps of two bits.
  wire [15:0] twice = {word_1[7:0], word_1[7:0]};
  reg connects;
  always @* begin : any_rotation
    integer steps;
    reg [7:0] status;
    connects = 1'b0;
    for (steps = 0; steps < 4; steps = steps + 1) begin
      status = twice >> (8 - 2*steps);
      if (status[7] & status[5] & ~status[3] & ~status[1] & status[6])
        connects = answered & is_status & ~all;
    end
  end

  // ---- What is remembered ------------------------------------------------------

  reg side_1;         // the port in use
  reg [1:0] at_1;     // routing bytes in front of that on the wire
  reg [19:0] sent_1;  // bytes of the segment in front of that on the wire
  reg [4:0] used;     // turns of either side, at most 16
  reg [3:0] tries;    // attempts that were blocked, up to the limit
  reg [11:0] drawn;   // the wait
  reg [11:0] waited_1;
  reg told;           // a reply has begun
  reg expects;        // the segment was turned, not ended

  wire starts = (was == `CROSSWAVE_RN1_TX_IDLE | was == `CROSSWAVE_RN1_TX_RETRY
                 | was == `CROSSWAVE_RN1_TX_BACKOFF) & state == `CROSSWAVE_RN1_TX_HEADER;
  wire ends = was == `CROSSWAVE_RN1_TX_BODY & sent_1 == words_1;
  wire [19:0] words_1 = asked_1[53:34];
  wire turns_back = listened & is_turn & all;
  wire is_left = used < {1'b0, turns};
  wire [1:0] at = starts ? 2'd0 : at_1 + 2'd1;
  wire [19:0] sent = was == `CROSSWAVE_RN1_TX_BODY ? sent_1 + 20'd1 : 20'd0;
  wire side = starts ? tx_enable[1] & (~tx_enable[0] | random_port_1) : side_1;
  wire [3:0] power = strategy == `CROSSWAVE_RN1_STRATEGY_RANDOM ? backoff_limit
                   : strategy == `CROSSWAVE_RN1_STRATEGY_BACKOFF ? tries : 4'd0;
  wire [15:0] most = (16'd1 << power) - 16'd1;
  wire [11:0] draws = random_wait_1 & most[11:0];
  wire [11:0] now_drawn = was == `CROSSWAVE_RN1_TX_RETRY ? draws : drawn;
  wire [11:0] waited = was == `CROSSWAVE_RN1_TX_RETRY ? 12'd1 : waited_1 + 12'd1;
  wire replies = answered & is_data & all & ~told & expects;

  wire [4:0] now_used = starts ? 5'd0 : used + {4'd0, (ends | turns_back) & ~used[4]};
  wire [3:0] now_tries = was == `CROSSWAVE_RN1_TX_IDLE ? 4'd0
                       : tries + {3'd0, state == `CROSSWAVE_RN1_TX_RETRY & tries != backoff_limit};
  wire now_told = ~starts & (told | replies);
  wire now_expects = ends ? is_left : expects;
  always @(posedge clock) begin
    started       <= 1'b1;
    reset_1       <= reset;
    options_1     <= options;
    asked_1       <= asked;
    random_wait_1 <= random_wait;
    random_port_1 <= random_port;
    was           <= state;
    connected_1   <= connected;
    word_1        <= side & active ? t1_backward : t0_backward;
    side_1        <= active & side;
    at_1          <= at;
    sent_1        <= sent;
    used          <= active ? now_used : 5'd0;
    tries         <= active ? now_tries : 4'd0;
    drawn         <= now_drawn;
    waited_1      <= waited;
    told          <= active & now_told;
    expects       <= active & now_expects;
  end

  // ---- The next state ----------------------------------------------------------

  wire drops = ends & ~is_left & close_drop & turns != 4'd0;
  reg [3:0] next;
  always @* begin
    next = `CROSSWAVE_RN1_TX_IDLE;
    case (was)
      `CROSSWAVE_RN1_TX_IDLE: if (asked_1[62] & tx_enable != 2'd0) next = `CROSSWAVE_RN1_TX_HEADER;
      `CROSSWAVE_RN1_TX_HEADER:
        next = at_1 == asked_1[1:0] ? `CROSSWAVE_RN1_TX_BODY : `CROSSWAVE_RN1_TX_HEADER;
      `CROSSWAVE_RN1_TX_BODY:
        next = ~ends ? `CROSSWAVE_RN1_TX_BODY
             : drops ? `CROSSWAVE_RN1_TX_DONE : `CROSSWAVE_RN1_TX_TURN;
      `CROSSWAVE_RN1_TX_TURN: next = `CROSSWAVE_RN1_TX_ANSWER;
      `CROSSWAVE_RN1_TX_ANSWER, `CROSSWAVE_RN1_TX_CHECK:
        next = is_end ? (all ? `CROSSWAVE_RN1_TX_DONE : `CROSSWAVE_RN1_TX_RETRY)
             : turns_back ? `CROSSWAVE_RN1_TX_BODY
             : answered & is_status ? `CROSSWAVE_RN1_TX_CHECK : `CROSSWAVE_RN1_TX_ANSWER;
      `CROSSWAVE_RN1_TX_RETRY:
        next = draws == 12'd0 ? `CROSSWAVE_RN1_TX_HEADER : `CROSSWAVE_RN1_TX_BACKOFF;
      `CROSSWAVE_RN1_TX_BACKOFF:
        next = waited_1 == drawn ? `CROSSWAVE_RN1_TX_HEADER : `CROSSWAVE_RN1_TX_BACKOFF;
      default: ;
    endcase
  end

  // ---- What goes out, at one of the two ports ------------------------------------

  wire [31:0] behind = asked_1[33:2] >> {at, 3'd0};
  reg [8:0] word;
  always @* begin
    case (state)
      `CROSSWAVE_RN1_TX_HEADER: word = {1'b1, behind[7:0]};
      `CROSSWAVE_RN1_TX_BODY:   word = {1'b1, asked_1[61:54] + sent[7:0]};
      `CROSSWAVE_RN1_TX_TURN:   word = is_left ? `CROSSWAVE_RN1_TURN : 9'd0;
      default: word = drops ? `CROSSWAVE_RN1_DROP : 9'd0;
    endcase
  end

  always @* if (active) begin
    assert (state == next);
    assert (t0_forward == (side ? 9'd0 : word));
    assert (t1_forward == (side ? word : 9'd0));
    assert (t0_forward == 9'd0 | tx_enable[0]);
    assert (t1_forward == 9'd0 | tx_enable[1]);
    assert (launched == starts);
    assert (blocked == (state == `CROSSWAVE_RN1_TX_RETRY));
    assert (done == (state == `CROSSWAVE_RN1_TX_DONE));
    assert (replied == replies);
    assert (~failed | done);
    assert (connected == (starts | was == `CROSSWAVE_RN1_TX_TURN ? 4'd0
                          : connected_1 + {3'd0, connects}));
`ifndef PORTS_ONLY
    // Invariants: the registers hold what is remembered here.
    assert (state <= `CROSSWAVE_RN1_TX_CHECK);
    if (state != `CROSSWAVE_RN1_TX_IDLE) assert (request & asked_1[62] & tx_enable != 2'd0);
    if (state != `CROSSWAVE_RN1_TX_IDLE) assert (side ? tx_enable[1] : tx_enable[0]);
    assert (port == side & later == now_told & exponent == now_tries);
    if (state == `CROSSWAVE_RN1_TX_HEADER) assert (route_at == at & at <= asked_1[1:0]);
    if (state == `CROSSWAVE_RN1_TX_BODY)
      assert (sent <= words_1 & words_left == words_1 - sent
              & payload == asked_1[61:54] + sent[7:0] + 8'd1);
    if (state != `CROSSWAVE_RN1_TX_IDLE & state != `CROSSWAVE_RN1_TX_RETRY
        & state != `CROSSWAVE_RN1_TX_BACKOFF)
      assert (turns_left == (now_used >= {1'b0, turns} ? 4'd0 : turns - now_used[3:0]));
    if (state == `CROSSWAVE_RN1_TX_BACKOFF)
      assert (waited <= now_drawn & waited != 12'd0 & wait_left == now_drawn - waited);
    if ((state == `CROSSWAVE_RN1_TX_TURN | state == `CROSSWAVE_RN1_TX_ANSWER
         | state == `CROSSWAVE_RN1_TX_CHECK) & ~later) assert (complete == ~now_expects);
`endif
  end
  always @* if (started & reset_1)
    assert ({launched, blocked, replied, done, failed, connected, state, t0_forward, t1_forward}
            == 31'd0);
`ifndef PORTS_ONLY
  always @* if (started & reset_1) assert ({port, later, exponent} == 6'd0);
`endif

  // Situations that must be reachable: a message that is over by its own rest, by a drop,
  // and behind a reply; one that is blocked, waits, and is launched again at the other port.
  assign reached[0] = active & done & turns == 4'd0 & stages == 4'd1;
  assign reached[1] = active & done & t0_forward == `CROSSWAVE_RN1_DROP;
  assign reached[2] = active & done & told;
  assign reached[3] = active & blocked & connected == 4'd1;
  assign reached[4] = active & state == `CROSSWAVE_RN1_TX_BACKOFF & waited == 12'd2;
  assign reached[5] = active & launched & was == `CROSSWAVE_RN1_TX_RETRY & side != side_1;
  assign reached[6] = active & state == `CROSSWAVE_RN1_TX_BODY & told & sent == 20'd1;
endmodule
`default_nettype wire
