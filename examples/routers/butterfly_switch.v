// A switch of a butterfly fat tree that deflects: no flit waits, and none is dropped.
//
// Two links lead down and two up. A flit is one word with the number of its node. In each cycle all
// flits that have come leave: one that cannot have the output that it wants takes another one, and finds
// its way from there. So there are no buffers, and nothing flows back but for one bit: a switch that has
// nodes below it may have no output left for what they send. It then asks for the flit once more, a
// cycle later.
//
// A switch of level L stands above the 2^(L+1) nodes of a subtree; all switches above the same nodes
// have the same number.
`default_nettype none

module butterfly_switch #(
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
    output reg  [1:0]       resend,
    output reg  [4*WIDTH-1:0] data_out,
    output reg  [3:0]       valid_out
);
  localparam UP_0 = 4'b0001, UP_1 = 4'b0010, LEFT = 4'b0100, RIGHT = 4'b1000;

  // Links take turns, so that no flit loses every time.
  reg turn;

  // The output of a flit; none where none is left for it.
  function [3:0] choice(input [5:0] node, input from_node, input [3:0] used);
    reg       is_below;
    reg [3:0] down, first, second;
    begin
      is_below = ({1'b0, node} >> (level + 3'd1)) == {1'b0, subtree};
      down     = node[level] ? RIGHT : LEFT;
      first    = turn ? UP_1 : UP_0;
      second   = turn ? UP_0 : UP_1;
      if (is_below && (down & used) == 4'd0) choice = down;
      else if (is_below && from_node) choice = 4'd0;
      else if (!is_top && (first & used) == 4'd0) choice = first;
      else if (!is_top && (second & used) == 4'd0) choice = second;
      // A node gets no flit but its own.
      else if (level == 3'd0) choice = 4'd0;
      else if ((LEFT & used) == 4'd0) choice = LEFT;
      else if ((RIGHT & used) == 4'd0) choice = RIGHT;
      else choice = 4'd0;
    end
  endfunction

  reg [4*WIDTH-1:0] next_data;
  reg [3:0]         used, chosen, refused;
  reg [WIDTH-1:0]   flit;
  reg [1:0]         link;
  integer           step, output_link;

  // Flits from above come first: they have nowhere to wait.
  always @* begin
    next_data = {4 * WIDTH{1'b0}};
    used      = 4'd0;
    refused   = 4'd0;
    for (step = 0; step < 4; step = step + 1) begin
      link   = step[1:0] ^ {1'b0, turn};
      flit   = data_in[link*WIDTH+:WIDTH];
      chosen = valid_in[link] ? choice(flit[5:0], level == 3'd0 && link[1], used) : 4'd0;
      refused[link] = valid_in[link] && chosen == 4'd0;
      used = used | chosen;
      for (output_link = 0; output_link < 4; output_link = output_link + 1)
        if (chosen[output_link]) next_data[output_link*WIDTH+:WIDTH] = flit;
    end
  end

  always @(posedge clk) begin
    turn      <= rst ? 1'b0 : !turn;
    data_out  <= rst ? {4 * WIDTH{1'b0}} : next_data;
    valid_out <= rst ? 4'd0 : used;
    resend    <= rst ? 2'd0 : refused[3:2];
  end
endmodule

`default_nettype wire
