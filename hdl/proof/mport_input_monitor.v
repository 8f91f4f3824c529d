// SPDX-License-Identifier: MIT OR Apache-2.0
// What one input port of the m-port switch must do, and what its sender must keep.
// Reads the wires of the port, the state of the circuit that entered there and
// the outputs; sets of ports are PORTS bits wide.
//
// A name that ends in _1 or _2 is a value of one or two clocks ago.
`default_nettype none

module mport_input_monitor #(
    parameter PORTS = 4,
    parameter OWN = 0,            // number of this port
    parameter DROP = 0            // number of a convention that is not assumed
) (
    input wire               clock,
    input wire               reset,
    input wire               active,
    input wire               early_acknowledge,
    input wire               valid,
    input wire [7:0]         data,
    input wire               ack,
    input wire               collision,
    input wire [PORTS-1:0]   circuit,    // outputs that the circuit of this input holds
    input wire               drain,
    input wire [PORTS-1:0]   out_ack,
    input wire [PORTS-1:0]   out_collision,
    input wire [PORTS-1:0]   out_valid,
    input wire [8*PORTS-1:0] out_data,
    input wire               bypass,       // register of the implementation
    input wire               acknowledged, // register of the implementation
    output reg [PORTS-1:0]   wants,        // the output that the head in the register wants
    output wire              owed          // the circuit waits for its answer
);
  reg valid_1, valid_2, head_1, head_2, drain_1;
  reg [7:0] data_1;
  reg [PORTS-1:0] circuit_1, answer_ack_1, answer_collision_1, wants_1;
  reg open;        // a head was sent and its answer was not yet seen
  reg settled;     // the circuit was acknowledged in an earlier clock
  reg settled_1;

  // ---- The sender ------------------------------------------------------

  // A word behind a clock of silence is a head; it names an output, another one.
  wire head = valid & ~valid_1;
  integer port;
  always @* begin
    wants = {PORTS{1'b0}};
    for (port = 0; port < PORTS; port = port + 1)
      if (port != OWN) wants[port] = head_1 & (data_1 == port);
  end

  always @* if (active) begin
    // 1: a head is sent only when the previous circuit of this port was answered.
    if (DROP != 1) assume (~(head & open));
    // 2: a head has a word behind it.
    if (DROP != 2) assume (~head_1 | valid);
  end

  // ---- The switch ------------------------------------------------------

  wire held   = |circuit;
  wire held_1 = |circuit_1;
  wire acked_1    = |(circuit_1 & answer_ack_1);
  wire collided_1 = |(circuit_1 & answer_collision_1);
  wire answered_1 = settled_1 | acked_1;
  // The word of this circuit that belongs on the output is that of a clock ago.
  wire ended = early_acknowledge & ~valid_1;
  assign owed = held & ~settled;

  always @* if (active) begin
    // One circuit at most, and none while draining.
    assert ((circuit & (circuit - 1'b1)) == {PORTS{1'b0}});
    assert (~(held & drain));

    // A head finds its port at rest, and a clock later it is granted or
    // rejected, one of the two.
    if (head_1) assert (~held & ~drain);
    if (head_2) assert (held ^ (drain & collision));
    if (head_2 & held) assert (circuit == wants_1 & |(circuit & out_valid));
    // Nothing else opens a circuit.
    if (held & ~held_1) assert (head_2);

    // The words on the output: a clock behind the wire, since the first is used up.
    for (port = 0; port < PORTS; port = port + 1)
      if (circuit[port]) begin
        assert (out_valid[port] == valid_1);
        assert (out_data[port*8 +: 8] == data_1);
      end

    // Answers: a clock after they are sensed at the output, and no others.
    assert (ack == acked_1);
    assert (collision == (collided_1 | (head_2 & ~held)));
    // They keep the receiver's conventions (mport_output_monitor).
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

`ifndef PORTS_ONLY
    // What makes the above inductive: words on the wire belong to a head, a
    // circuit or a drain; an unanswered head is somewhere; and the two
    // registers that no port shows.
    if (valid_1) assert (head_1 | held | drain);
    assert (open == (head_1 | (held & ~settled) | ack | collision));
    assert (bypass == held);
    assert (acknowledged == settled);
    if (settled) assert (held & early_acknowledge);
`endif
  end

  always @(posedge clock) begin
    valid_2 <= ~reset & valid_1;
    data_1  <= reset ? 8'd0 : data;
    valid_1 <= ~reset & valid;
    head_1  <= ~reset & head;
    head_2  <= ~reset & head_1;
    wants_1 <= reset ? {PORTS{1'b0}} : wants;
    drain_1 <= ~reset & drain;
    circuit_1          <= reset ? {PORTS{1'b0}} : circuit;
    answer_ack_1       <= reset ? {PORTS{1'b0}} : out_ack;
    answer_collision_1 <= reset ? {PORTS{1'b0}} : out_collision;
    open      <= ~reset & (open | head) & ~(ack | collision);
    settled_1 <= ~reset & settled;
    settled   <= ~reset & early_acknowledge & held & ~(|(circuit & out_collision))
               & (settled | (|(circuit & out_ack))) & valid;
  end
endmodule
`default_nettype wire
