// A switch of a fat tree whose messages hold circuits: flits follow each other without a wait, and
// nothing is stored.
//
// Two links lead down and two up. The head of a message, the first flit after a cycle without one, has
// the number of its node. It gets an output for as long as valid stays 1. A head whose output is taken is
// rejected: nack is 1 for a cycle, and the rest of the message is dropped until valid falls. Answers from
// further on go back along the circuit; a nack frees it at once.
//
// A switch of level L stands above the 2^(L+1) nodes of a subtree; all switches above the same nodes
// have the same number. A head may go up by either link.
`default_nettype none

module circuit_switch #(
    parameter WIDTH = 32
) (
    input  wire             clk,
    input  wire             rst,
    // Pins that keep their values.
    input  wire [2:0]       level,
    input  wire             is_top,
    input  wire [5:0]       subtree,
    // Links 0 and 1 lead up, 2 and 3 down.
    input  wire [4*WIDTH-1:0] data_in,
    input  wire [3:0]       valid_in,
    output reg  [3:0]       ack_in,
    output reg  [3:0]       nack_in,
    output reg  [4*WIDTH-1:0] data_out,
    output reg  [3:0]       valid_out,
    input  wire [3:0]       ack_out,
    input  wire [3:0]       nack_out
);
  localparam UP_0 = 4'b0001, UP_1 = 4'b0010, LEFT = 4'b0100, RIGHT = 4'b1000;

  // Links take turns, so that no head loses every time.
  reg        turn;
  // Inputs with a flit in the cycle before, and the output of each: bits 4 i to 4 i + 3 of input i.
  reg [3:0]  carried;
  reg [15:0] circuit;

  // The output of a head; none where it is taken.
  function [3:0] choice(input [5:0] node, input [3:0] used);
    reg       is_below;
    reg [5:0] below;
    reg [3:0] down, first, second;
    begin
      is_below = ({1'b0, node} >> (level + 3'd1)) == {1'b0, subtree};
      below    = node >> level;
      down     = below[0] ? RIGHT : LEFT;
      first    = turn ? UP_1 : UP_0;
      second   = turn ? UP_0 : UP_1;
      choice   = 4'd0;
      if (is_below || is_top) choice = down & ~used;
      else if ((first & used) == 4'd0) choice = first;
      else if ((second & used) == 4'd0) choice = second;
    end
  endfunction

  wire [3:0] used = circuit[3:0] | circuit[7:4] | circuit[11:8] | circuit[15:12];

  reg [4*WIDTH-1:0] next_data;
  reg [15:0]        next_circuit;
  reg [3:0]         taken, chosen, ack, nack, next_valid;
  reg [1:0]         link;
  integer           step, output_link;

  always @* begin
    next_data    = {4 * WIDTH{1'b0}};
    next_circuit = 16'd0;
    next_valid   = 4'd0;
    taken        = used;
    ack          = 4'd0;
    nack         = 4'd0;
    for (step = 0; step < 4; step = step + 1) begin
      link   = step[1:0] ^ {turn, turn};
      chosen = 4'd0;
      if (valid_in[link] && !carried[link]) begin
        chosen     = choice(data_in[link*WIDTH+:6], taken);
        taken      = taken | chosen;
        nack[link] = chosen == 4'd0;
      end else begin
        chosen     = circuit[4*link+:4];
        ack[link]  = |(chosen & ack_out);
        nack[link] = |(chosen & nack_out);
        if (!valid_in[link] || nack[link]) chosen = 4'd0;
      end
      next_circuit[4*link+:4] = chosen;
      next_valid = next_valid | chosen;
      for (output_link = 0; output_link < 4; output_link = output_link + 1)
        if (chosen[output_link])
          next_data[output_link*WIDTH+:WIDTH] = data_in[link*WIDTH+:WIDTH];
    end
  end

  always @(posedge clk) begin
    turn      <= rst ? 1'b0 : !turn;
    carried    <= rst ? 4'd0 : valid_in;
    circuit   <= rst ? 16'd0 : next_circuit;
    data_out  <= rst ? {4 * WIDTH{1'b0}} : next_data;
    valid_out <= rst ? 4'd0 : next_valid;
    ack_in    <= rst ? 4'd0 : ack;
    nack_in   <= rst ? 4'd0 : nack;
  end
endmodule

`default_nettype wire
