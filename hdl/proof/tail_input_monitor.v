// SPDX-License-Identifier: MIT OR Apache-2.0
// What one input port of a router that frees outputs behind the tail must do, the
// four-port one or an m-port switch with four ports, and what its sender must keep. Reads the wires of the port, the state of the
// circuit that entered there and the outputs; sets of ports are four bits wide,
// {d, c, b, a}. A name that ends in _1 or _2 is a value of one or two clocks ago.
//
// Answers are held to their order by a watch: any head may be picked, and what is
// ahead of it at its input and at its output is counted down.
`default_nettype none

module tail_input_monitor #(
    parameter UPSTREAM_PORT = 0,  // 1 for c and d: heads are path words
    parameter ROUTED = 0,         // 1 (and UPSTREAM_PORT 1) for the switch: heads are outputs
    parameter PORT = 0,           // which port this is
    parameter OTHER = 4'b0000,    // for a and b: the other downstream port
    parameter DROP = 0            // number of a convention that is not assumed
) (
    input wire        clock,
    input wire        reset,
    input wire        active,
    input wire [4:0]  level,
    input wire        upstream_single,
    input wire        valid,
    input wire [7:0]  data,
    input wire        ack,
    input wire        collision,
    input wire [3:0]  circuit,    // outputs that the circuit of this input holds
    input wire        drain,
    input wire [3:0]  out_ack,
    input wire [3:0]  out_collision,
    input wire [3:0]  out_valid,
    input wire [31:0] out_data,
    input wire [11:0] due,        // answers awaited at each output, without what begins now
    input wire        pick,       // watch the head that is decided now
    input wire        bypass,     // registers of the implementation: the attempts
    input wire [15:0] to,         // that wait for an answer, by age and output,
    input wire [3:0]  acked,
    input wire [3:0]  collided,
    input wire [63:0] from,       // and whose they are, by output, age and input
    output wire       goes_up,    // the head in the register wants c or d
    output wire [3:0] wants,      // the output that it wants, unless it may be c or d
    output wire       watched     // a watched message has its answer behind an older one
);
  reg valid_1, valid_2, head_1, head_2, drain_1;
  reg [7:0] data_1, data_2;
  reg [3:0] circuit_1, answer_collision_1, wants_1;
  reg up_1;        // the head that was decided a clock ago asked for c or d
  reg used_up;     // the first word of the circuit was used up here
  reg [2:0] open;  // messages that were decided and not answered on the wire

  // ---- The sender ------------------------------------------------------

  wire head = valid & ~valid_1;
  wire turns   = UPSTREAM_PORT == 0 && data_1 == {3'b000, level};
  wire uses_up = ROUTED == 1 ? 1'b1 : UPSTREAM_PORT == 0 ? turns : level[2:0] == 3'd0;
  // The output that a head names, another one than its own.
  wire [3:0] named = data_1 < 8'd4 && data_1 != PORT ? 4'd1 << data_1[1:0] : 4'd0;
  wire right   = data_1[level[2:0]];
  assign goes_up = head_1 & (UPSTREAM_PORT == 0) & ~turns;
  assign wants = ~head_1  ? 4'b0000
               : ROUTED == 1 ? named
               : goes_up ? {1'b0, upstream_single, 2'b00}
               : UPSTREAM_PORT == 0  ? OTHER
               : right               ? 4'b0010 : 4'b0001;

  // Messages that the sender has begun and not seen answered.
  wire answer = ack | collision;
  wire [2:0] unanswered = open + {2'd0, head_2} + {2'd0, head_1};
  wire [2:0] most = (UPSTREAM_PORT == 0 && ~upstream_single) ? 3'd1 : 3'd4;
  always @* if (active) begin
    // 1: a head is sent only when fewer than `most` others wait for their answers.
    if (DROP != 1) assume (~head | unanswered < most);
    // 2: a head that is used up here has a word behind it.
    if (DROP != 2) assume (~(head_1 & uses_up) | valid);
  end

  // ---- The router ------------------------------------------------------

  wire held   = |circuit;
  wire held_1 = |circuit_1;
  wire       word_valid = used_up ? valid_1 : valid_2;
  wire [7:0] word_data  = used_up ? data_1 : data_2;
  // A circuit of a moment ago was ended by a collision, with a word left.
  wire cut = held_1 & word_valid & ~held;

  integer port;
  always @* if (active) begin
    assert ((circuit & (circuit - 4'd1)) == 4'd0);
    assert (~(held & drain));

    // A head finds its port at rest, and a clock later it is granted or rejected.
    if (head_1) assert (~held & ~drain);
    if (head_2) assert (held ^ drain);
    if (head_2 & held) assert (|(circuit & out_valid));
    if (head_2 & up_1) assert ((circuit & 4'b0011) == 4'd0);
    if (head_2 & up_1 & ~upstream_single) assert (held);
    if (head_2 & held & ~up_1) assert (circuit == wants_1);
    if (held & ~held_1) assert (head_2);

    for (port = 0; port < 4; port = port + 1)
      if (circuit[port]) begin
        assert (out_valid[port] == word_valid);
        assert (out_data[port*8 +: 8] == word_data);
      end

    // The circuit stands while words pass, unless a collision cuts it off.
    if (held_1 & ~word_valid) assert (~held);
    if (held_1 & held) assert (circuit == circuit_1);
    if (cut) assert (|(circuit_1 & answer_collision_1) & drain);
    assert (drain == ((head_2 & ~held) | cut | (drain_1 & valid_2)));

    // Answers are one of two, and are owed.
    assert (~(ack & collision));
    if (answer) assert (open != 3'd0 | head_2);
  end

  // ---- The watch -------------------------------------------------------

  reg       watching;
  reg       known;         // the answer has come
  reg       known_ack;
  reg [3:0] output_of;     // where it comes from
  reg [2:0] ahead;         // older messages of this input without answers
  reg [2:0] ahead_there;   // older messages over that output without answers
  reg       passing;       // its words still pass
  reg       passing_1, cut_off_1;

  // The answers awaited at the output that the head was granted, before it.
  wire [2:0] due_there = circuit[0] ? due[2:0] : circuit[1] ? due[5:3]
                       : circuit[2] ? due[8:6] : due[11:9];
  wire starts = pick & head_2 & ~watching;
  wire       now = watching | starts;
  wire       known_now = watching ? known : drain;
  wire       ack_now = watching & known_ack;
  wire [3:0] output_now = watching ? output_of : circuit;
  wire [2:0] ahead_now = watching ? ahead : open;
  wire [2:0] ahead_there_now = watching ? ahead_there : due_there;
  wire       passing_now = watching ? passing & held : held;
  wire there_answers = |(output_now & (out_ack | out_collision));
  wire its_answer = there_answers & ahead_there_now == 3'd0 & ~known_now;
  wire leaves = now & answer & ahead_now == 3'd0;
  assign watched = now & known_now & ack_now & ahead_now != 3'd0;

  always @* if (active & now) begin
    // It is answered when it is known and nothing older waits, with what it was
    // told, and not before.
    assert (leaves == (known_now & ahead_now == 3'd0));
    if (leaves) assert (ack == ack_now);
    // Its own collision ends its circuit, and no other one does.
    if (passing_1 & watching & cut_off_1) assert (~held);
    if (passing_1 & watching & ~cut_off_1 & word_valid) assert (held);
  end

`ifndef PORTS_ONLY
  // What makes it inductive. The attempts are without holes, each waits for one
  // output or has one answer; those that wait for an output are as many as the
  // output has for this input.
  wire [4:0] there = {1'b0, {|to[15:12], |to[11:8], |to[7:4], |to[3:0]} | acked | collided};
  wire [2:0] count = {2'd0, there[0]} + {2'd0, there[1]} + {2'd0, there[2]} + {2'd0, there[3]};
  reg [2:0] waits, listed, waits_before, listed_before;
  wire [2:0] place = ahead_now - {2'd0, answer};
  integer at, out;
  always @* if (active) begin
    if (valid_1) assert (head_1 | held | drain);
    assert (bypass == (held & used_up));
    assert (count + {2'd0, answer} == open + {2'd0, head_2});
    assert (open <= 3'd4 & unanswered <= 3'd4);
    assert (unanswered <= most);
    for (at = 0; at < 4; at = at + 1) begin
      if (at > 0) assert (~there[at] | there[at-1]);
      assert ((to[at*4 +: 4] & (to[at*4 +: 4] - 4'd1)) == 4'd0);
      assert (~(acked[at] & collided[at]));
      if (acked[at] | collided[at]) assert (to[at*4 +: 4] == 4'd0);
      // Only the youngest may still pass its words.
      if (held & there[at] & ~there[at+1]) assert (to[at*4 +: 4] == circuit);
    end
    if (held) assert (count != 3'd0);
    // The oldest leaves as soon as it has its answer.
    if (acked[0] | collided[0]) assert (answer);
    for (out = 0; out < 4; out = out + 1) begin
      waits = 3'd0;
      listed = 3'd0;
      for (at = 0; at < 4; at = at + 1) begin
        waits = waits + {2'd0, to[at*4 + out]};
        listed = listed + {2'd0, from[out*16 + at*4 + PORT]};
      end
      assert (waits == listed);
    end
    if (now & ~leaves) begin
      assert (place < count);
      for (at = 0; at < 4; at = at + 1)
        if (place == at) begin
          if (known_now) begin
            assert (acked[at] == ack_now & collided[at] == ~ack_now);
          end else begin
            assert (to[at*4 +: 4] == output_now);
          end
          if (passing_now & ~known_now) assert (~there[at+1]);
        end
      if (~known_now)
        for (out = 0; out < 4; out = out + 1)
          if (output_now[out]) begin
            waits_before = 3'd0;
            listed_before = 3'd0;
            for (at = 0; at < 4; at = at + 1) begin
              if (at < place) waits_before = waits_before + {2'd0, to[at*4 + out]};
              if (at < ahead_there_now)
                listed_before = listed_before + {2'd0, from[out*16 + at*4 + PORT]};
              if (at == ahead_there_now) assert (from[out*16 + at*4 + PORT]);
            end
            assert (ahead_there_now < 3'd4);
            assert (waits_before == listed_before);
          end
      assert (known_now | (output_now != 4'd0 & (output_now & (output_now - 4'd1)) == 4'd0));
    end
    if (watching & passing & held) assert (~known & circuit == output_of);
    if (watching) assert (ahead <= 3'd3);
  end
`endif

  always @(posedge clock) begin
    valid_2 <= ~reset & valid_1;
    data_1  <= reset ? 8'd0 : data;
    data_2  <= reset ? 8'd0 : data_1;
    valid_1 <= ~reset & valid;
    head_1  <= ~reset & head;
    head_2  <= ~reset & head_1;
    up_1    <= ~reset & goes_up;
    wants_1 <= reset ? 4'd0 : wants;
    drain_1 <= ~reset & drain;
    circuit_1          <= reset ? 4'd0 : circuit;
    answer_collision_1 <= reset ? 4'd0 : out_collision;
    used_up <= ~reset & (head_1 ? uses_up : used_up);
    open    <= reset ? 3'd0 : open + {2'd0, head_2} - {2'd0, answer};

    watching    <= ~reset & now & ~leaves;
    known       <= ~reset & now & (known_now | its_answer);
    known_ack   <= ~reset & now & (known_now ? ack_now : its_answer & |(output_now & out_ack));
    output_of   <= reset ? 4'd0 : output_now;
    ahead       <= reset | ~now ? 3'd0 : ahead_now - {2'd0, answer & ~leaves};
    ahead_there <= reset | ~now ? 3'd0
                 : ahead_there_now - {2'd0, there_answers & ahead_there_now != 3'd0};
    passing     <= ~reset & now & passing_now & ~its_answer;
    passing_1   <= ~reset & now & passing_now;
    cut_off_1   <= ~reset & now & its_answer & |(output_now & out_collision);
  end
endmodule
`default_nettype wire
