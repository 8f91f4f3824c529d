// SPDX-License-Identifier: MIT OR Apache-2.0
// The sender of rn1_interface: launches a message, checks the statuses and checksums
// of the routers and the reply, and tries again what was blocked.
`default_nettype none
`include "rn1_protocol.vh"

(* keep_hierarchy *)
module rn1_interface_sender (
    input  wire        clock,
    input  wire        reset,
    input  wire [1:0]  strategy,
    input  wire [3:0]  backoff_limit,
    input  wire [1:0]  tx_enable,
    input  wire [3:0]  turns,
    input  wire [15:0] reply_words,
    input  wire        close_drop,
    input  wire [11:0] random_wait,
    input  wire        random_port,
    input  wire        request,
    input  wire [7:0]  signature,    // of the destination
    input  wire [19:0] words,
    input  wire [31:0] route,
    input  wire [1:0]  route_bytes,
    input  wire [3:0]  stages,
    input  wire [15:0] swallows,
    output reg         launched,
    output reg         blocked,
    output reg         replied,
    output reg         done,
    output reg         failed,
    output reg  [3:0]  connected,    // routers that said so
    output reg  [3:0]  state,
    output reg  [8:0]  t0_forward,
    input  wire [8:0]  t0_backward,
    output reg  [8:0]  t1_forward,
    input  wire [8:0]  t1_backward
);
  reg        port;        // the one in use
  reg [1:0]  route_at;    // the routing byte on the wire
  reg [19:0] words_left;  // after the one on the wire; of the reply, except the last
  reg [7:0]  payload;     // the next byte to send, or of the reply
  reg [3:0]  turns_left;
  reg [1:0]  swallowed;   // bytes that the routers up to this one swallowed
  reg [1:0]  frame;       // rotations of what this one sees
  reg        complete;    // no word of a reply is to come
  reg        later;       // a reply has begun: no routing bytes any more
  reg        wrong;
  reg [3:0]  exponent;
  reg [11:0] wait_left;

  wire idle    = state == `CROSSWAVE_RN1_TX_IDLE;
  wire retry   = state == `CROSSWAVE_RN1_TX_RETRY;
  wire backoff = state == `CROSSWAVE_RN1_TX_BACKOFF;
  wire header  = state == `CROSSWAVE_RN1_TX_HEADER;
  wire body    = state == `CROSSWAVE_RN1_TX_BODY;
  wire turning = state == `CROSSWAVE_RN1_TX_TURN;
  wire answer  = state == `CROSSWAVE_RN1_TX_ANSWER;
  wire check   = state == `CROSSWAVE_RN1_TX_CHECK;
  wire listens = answer | check;

  // ---- The word that comes back ------------------------------------------

  wire [8:0] word = port ? t1_backward : t0_backward;
  wire data   = word[8];
  wire same   = word[7:6] == word[5:4] & word[5:4] == word[3:2] & word[3:2] == word[1:0];
  wire status = ~data & ~same;
  wire over   = listens & ~data & same & ~word[0];  // a rest or a drop

  // A status, 1cfo0o0o, tells by 1f00 how far wiring has rotated it to the right.
  wire [3:0] mark = {word[7], word[5], word[3], word[1]};
  wire first = mark == 4'b1100 | mark == 4'b0110 | mark == 4'b0011 | mark == 4'b1001;
  wire again = mark == 4'b1000 >> frame;
  wire [1:0] turned = {mark[0], mark[3] == mark[0]};
  wire next_status = answer & status & first;
  wire all = connected == stages;
  wire connects = next_status & ~all & word[4'd6 - {1'b0, turned, 1'b0}];

  // The word as the last router that answered sent it, or the destination after it.
  wire [7:0] half = frame[1] ? {word[3:0], word[7:4]} : word[7:0];
  wire [7:0] own = frame[0] ? {half[5:0], half[7:6]} : half;

  wire launch;
  wire [7:0] sum;
  rn1_interface_checks checks (
      .clock(clock), .clear(reset | launch | turned_back),
      .word(t0_forward | t1_forward), .rotation(frame), .swallowed(swallowed), .sum(sum));

  wire is_turn     = listens & (word == `CROSSWAVE_RN1_TURN);
  wire turned_back = is_turn & all;
  wire reply_ends  = all & (is_turn | over);
  wire take        = answer & data & all;
  wire is_blocked  = over & ~all;
  wire first_reply = take & ~complete & ~later;
  wire no_turns    = turns_left == 4'd0;
  wire fault = (check & ~(data & own == sum))
             | (next_status & all)
             | (answer & status & ~first & ~again)
             | (answer & ~all & ~status & ~over)
             | (take & (complete | own != payload))
             | (reply_ends & (~complete | (is_turn == no_turns)));

  // ---- The word that goes out --------------------------------------------

  // The wait after an attempt that was blocked, in clocks: uniform in
  // 0 .. 2^exponent - 1; back-off: the exponent is the number of attempts, up to
  // the limit.
  wire by_random  = strategy == `CROSSWAVE_RN1_STRATEGY_RANDOM;
  wire by_backoff = strategy == `CROSSWAVE_RN1_STRATEGY_BACKOFF;
  wire [3:0] power = by_random ? backoff_limit : exponent & {4{by_backoff}};
  reg [11:0] wait_mask;
  always @* begin : thermometer
    integer bit_index;
    for (bit_index = 0; bit_index < 12; bit_index = bit_index + 1)
      wait_mask[bit_index] = power > bit_index[3:0];
  end
  wire [11:0] wait_now = backoff ? wait_left : random_wait & wait_mask;
  wire wait_over = wait_now == 12'd0;

  assign launch = (idle & request & (|tx_enable)) | ((retry | backoff) & wait_over);
  wire next_port = launch ? tx_enable[1] & (~tx_enable[0] | random_port) : port;

  wire route_ends = route_at == route_bytes;
  wire [1:0] next_at = header ? route_at + 2'd1 : 2'd0;
  wire send_route = launch | (header & ~route_ends);
  wire [7:0] route_byte = next_at[1] ? (next_at[0] ? route[31:24] : route[23:16])
                                     : (next_at[0] ? route[15:8] : route[7:0]);

  wire no_words   = words_left == 20'd0;
  wire first_word = (header & route_ends) | turned_back;
  wire send_body  = first_word | (body & ~no_words);
  wire segment_ends = body & no_words;
  wire send_turn  = segment_ends & ~no_turns;
  wire send_drop  = segment_ends & no_turns & close_drop & (|turns);

  // The reply's bytes count from the complement of the signature.
  wire [7:0] byte_now = (first_word | segment_ends) ? signature ^ {8{segment_ends}} : payload;
  wire [8:0] out = ({9{send_route}} & {1'b1, route_byte})
                 | ({9{send_body}} & {1'b1, byte_now})
                 | ({9{send_turn}} & `CROSSWAVE_RN1_TURN)
                 | ({9{send_drop}} & `CROSSWAVE_RN1_DROP);

  wire finished = send_drop | (over & all);

  always @(posedge clock) begin
    if (reset) begin
      t0_forward <= 9'd0;
      t1_forward <= 9'd0;
      port       <= 1'b0;
      route_at   <= 2'd0;
      words_left <= 20'd0;
      payload    <= 8'd0;
      turns_left <= 4'd0;
      connected  <= 4'd0;
      swallowed  <= 2'd0;
      frame      <= 2'd0;
      complete   <= 1'b0;
      later      <= 1'b0;
      wrong      <= 1'b0;
      exponent   <= 4'd0;
      wait_left  <= 12'd0;
      launched   <= 1'b0;
      blocked    <= 1'b0;
      replied    <= 1'b0;
      done       <= 1'b0;
      failed     <= 1'b0;
      state      <= `CROSSWAVE_RN1_TX_IDLE;
    end else begin
      t0_forward <= out & {9{~next_port}};
      t1_forward <= out & {9{next_port}};
      port       <= next_port;
      route_at   <= next_at;
      if (first_word) words_left <= words;
      else if (segment_ends) words_left <= {4'd0, reply_words};
      else if ((body | take) & ~no_words) words_left <= words_left - 20'd1;
      payload <= byte_now + {7'd0, send_body | take};

      if (launch) turns_left <= turns;
      else if ((segment_ends | turned_back) & ~no_turns) turns_left <= turns_left - 4'd1;
      if (launch | turning) connected <= 4'd0;
      else if (connects) connected <= connected + 4'd1;
      if (launch | turning) swallowed <= 2'd0;
      else if (connects & ~later & swallows[connected]) swallowed <= swallowed + 2'd1;
      if (launch | turning) frame <= 2'd0;
      else if (next_status) frame <= turned;

      // Who ends a connection hears of no reply.
      if (segment_ends) complete <= no_turns;
      else if (take & no_words) complete <= 1'b1;
      later <= ~launch & (later | first_reply);
      wrong <= ~launch & (wrong | fault);

      if (idle) exponent <= 4'd0;
      else if (is_blocked & exponent != backoff_limit) exponent <= exponent + 4'd1;
      if (retry | backoff) wait_left <= wait_now - 12'd1;

      launched <= launch;
      blocked  <= is_blocked;
      replied  <= first_reply;
      done     <= finished;
      failed   <= finished & (wrong | fault);
      state    <= send_route ? `CROSSWAVE_RN1_TX_HEADER
                : send_body ? `CROSSWAVE_RN1_TX_BODY
                : finished ? `CROSSWAVE_RN1_TX_DONE
                : is_blocked ? `CROSSWAVE_RN1_TX_RETRY
                : segment_ends ? `CROSSWAVE_RN1_TX_TURN
                : answer & status ? `CROSSWAVE_RN1_TX_CHECK
                : turning | listens ? `CROSSWAVE_RN1_TX_ANSWER
                : retry | backoff ? `CROSSWAVE_RN1_TX_BACKOFF
                : `CROSSWAVE_RN1_TX_IDLE;
    end
  end
endmodule
`default_nettype wire
