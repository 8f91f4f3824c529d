// SPDX-License-Identifier: MIT OR Apache-2.0
// What one input port of the router must do, and what its sender must keep.
// Reads the wires of the port, the state of the circuit that entered there and
// the outputs; sets of ports are four bits wide, {d, c, b, a}.
//
// A name that ends in _1 or _2 is a value of one or two clocks ago.
`default_nettype none

module input_monitor #(
    parameter UPSTREAM_PORT = 0,  // 1 for c and d: heads are path words
    parameter OTHER = 4'b0000,    // for a and b: the other downstream port
    parameter DROP = 0            // number of a convention that is not assumed
) (
    input wire        clock,
    input wire        reset,
    input wire        active,
    input wire [4:0]  level,
    input wire        early_acknowledge,
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
    input wire        bypass,       // register of the implementation
    input wire        acknowledged, // register of the implementation
    output wire       goes_up,      // the head in the register wants c or d
    output wire [3:0] wants,        // the output that it wants, unless it may be c or d
    output wire       owed          // the circuit waits for its answer
);
  reg valid_1, valid_2, head_1, head_2, drain_1;
  reg [7:0] data_1, data_2;
  reg [3:0] circuit_1, answer_ack_1, answer_collision_1, wants_1;
  reg up_1;        // the head that was decided a clock ago asked for c or d
  reg open;        // a head was sent and its answer was not yet seen
  reg used_up;     // the first word of the circuit was used up here
  reg settled;     // the circuit was acknowledged in an earlier clock
  reg settled_1;

  // ---- The sender ------------------------------------------------------

  // A word behind a clock of silence is a head.
  wire head = valid & ~valid_1;
  // What the head in the register wants, in the words of the protocol: a turn
  // level that is this level turns here; bit `level mod 8` of a path word
  // says left or right. The word is used up when nothing of it is left.
  wire turns   = UPSTREAM_PORT == 0 && data_1 == {3'b000, level};
  wire uses_up = UPSTREAM_PORT == 0 ? turns : level[2:0] == 3'd0;
  wire right   = data_1[level[2:0]];
  assign goes_up = head_1 & (UPSTREAM_PORT == 0) & ~turns;
  assign wants = ~head_1  ? 4'b0000
               : goes_up ? {1'b0, upstream_single, 2'b00}
               : UPSTREAM_PORT == 0  ? OTHER
               : right               ? 4'b0010 : 4'b0001;

  always @* if (active) begin
    // 1: a head is sent only when the previous circuit of this port was
    // answered. (A word without silence before it is no head.)
    if (DROP != 1) assume (~(head & open));
    // 2: a head that is used up here has a word behind it.
    if (DROP != 2) assume (~(head_1 & uses_up) | valid);
  end

  // ---- The router ------------------------------------------------------

  wire held   = |circuit;
  wire held_1 = |circuit_1;
  wire acked_1    = |(circuit_1 & answer_ack_1);
  wire collided_1 = |(circuit_1 & answer_collision_1);
  // The word of this circuit that belongs on the output in this clock.
  wire       word_valid = used_up ? valid_1 : valid_2;
  wire [7:0] word_data  = used_up ? data_1 : data_2;
  wire answered_1 = settled_1 | acked_1;
  wire ended = early_acknowledge & ~word_valid;
  assign owed    = held & ~settled;

  integer port;
  always @* if (active) begin
    // One circuit at most, and none while draining.
    assert ((circuit & (circuit - 4'd1)) == 4'd0);
    assert (~(held & drain));

    // A head finds its port at rest, and a clock later it is granted or
    // rejected, one of the two.
    if (head_1) assert (~held & ~drain);
    if (head_2) assert (held ^ (drain & collision));
    if (head_2 & held) assert (|(circuit & out_valid));
    // Granted circuits hold what their head asked for.
    if (head_2 & up_1) assert ((circuit & 4'b0011) == 4'd0);
    if (head_2 & up_1 & ~upstream_single) assert (held);
    if (head_2 & held & ~up_1) assert (circuit == wants_1);
    // Nothing else opens a circuit.
    if (held & ~held_1) assert (head_2);

    // The words on the output: two clocks behind the wire, or one when the
    // first was used up.
    for (port = 0; port < 4; port = port + 1)
      if (circuit[port]) begin
        assert (out_valid[port] == word_valid);
        assert (out_data[port*8 +: 8] == word_data);
      end

    // Answers: a clock after they are sensed at the output, and no others.
    assert (ack == acked_1);
    assert (collision == (collided_1 | (head_2 & ~held)));
    // They keep the receiver's conventions (output_monitor).
    if (ack | collision) assert (open);
    assert (~(ack & collision));
    if (ack & ~early_acknowledge) assert (~valid);

    // Release, or the circuit stands.
    if (held_1) begin
      if (collided_1) assert (~held & drain);
      else if (answered_1 & ~early_acknowledge) assert (~held & ~drain);
      else if (answered_1 & ended) assert (~held & ~drain);
      else assert (circuit == circuit_1);
    end

    // Draining lasts while the rejected sender's words come in.
    assert (drain == (collision | (drain_1 & valid_2)));
    if (~valid_1 & ~valid_2) assert (~drain | collision);

`ifndef PORTS_ONLY
    // What makes the above inductive: words on the wire belong to a head, a
    // circuit or a drain; an unanswered head is somewhere; and the two
    // registers that no port shows.
    if (valid_1) assert (head_1 | held | drain);
    assert (open == (head_1 | (held & ~settled) | ack | collision));
    assert (bypass == (held & used_up));
    assert (acknowledged == settled);
    if (settled) assert (held & early_acknowledge);
`endif
  end

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
    answer_ack_1       <= reset ? 4'd0 : out_ack;
    answer_collision_1 <= reset ? 4'd0 : out_collision;
    open    <= ~reset & (open | head) & ~(ack | collision);
    used_up <= ~reset & (head_1 ? uses_up : used_up);
    settled_1 <= ~reset & settled;
    settled <= ~reset & early_acknowledge & held & ~(|(circuit & out_collision))
             & (settled | (|(circuit & out_ack)))
             & (used_up ? valid : valid_1);
  end
endmodule
`default_nettype wire
