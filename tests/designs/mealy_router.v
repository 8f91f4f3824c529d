// A router of a mesh without queues, whose `in_ready` depends on inputs in the same cycle: a flit is
// accepted where it wins its output and the output has room. With PASSES the output also has room in
// the cycle in which its flit leaves, so that `out_ready` of one router passes on to `in_ready`, and on
// to the next router. With ANY_TURN the netlist has ways from every input to every output, though
// flits go x before y: the network then has circles that no flit closes.
//
// Links are local, west, east, north, south; a flit has x in [1:0], y in [3:2], and a number.
`default_nettype none

module mealy_router #(parameter PASSES = 0, parameter ANY_TURN = 0) (
    input  wire        clk,
    input  wire        rst,
    input  wire [1:0]  my_x,
    input  wire [1:0]  my_y,
    input  wire [99:0] in,
    input  wire [4:0]  in_valid,
    output wire [4:0]  in_ready,
    output wire [99:0] out,
    output wire [4:0]  out_valid,
    input  wire [4:0]  out_ready
);
  wire [24:0] grants;  // bit 5*o + i: input i wins output o
  wire [4:0]  room;

  genvar i, o;
  generate
    for (o = 0; o < 5; o = o + 1) begin : outputs
      reg [19:0] flit;
      reg valid;
      wire [4:0] wants;
      for (i = 0; i < 5; i = i + 1) begin : inputs
        wire [1:0] x = in[20*i +: 2];
        wire [1:0] y = in[20*i + 2 +: 2];
        wire turns = o == 0 ? x == my_x && y == my_y : o == 1 ? x < my_x : o == 2 ? x > my_x
                   : o == 3 ? x == my_x && y < my_y : x == my_x && y > my_y;
        // From y to x, and back to where a flit came from.
        if (ANY_TURN == 0 && (i > 2 && (o == 1 || o == 2) || i == o && o > 0))
          assign wants[i] = 1'b0;
        else assign wants[i] = in_valid[i] && turns;
      end
      wire [4:0] wins = wants & (~wants + 5'd1);
      assign grants[5*o +: 5] = wins;
      assign room[o] = PASSES != 0 ? !valid || out_ready[o] : !valid;
      wire [19:0] chosen = (in[19:0] & {20{wins[0]}}) | (in[39:20] & {20{wins[1]}})
                         | (in[59:40] & {20{wins[2]}}) | (in[79:60] & {20{wins[3]}})
                         | (in[99:80] & {20{wins[4]}});
      always @(posedge clk)
        if (rst) begin
          valid <= 1'b0;
          flit <= 20'd0;
        end else if (room[o]) begin
          valid <= |wins;
          if (|wins) flit <= chosen;
        end else if (out_ready[o]) valid <= 1'b0;
      assign out[20*o +: 20] = flit;
      assign out_valid[o] = valid;
    end
    for (i = 0; i < 5; i = i + 1) begin : ready
      assign in_ready[i] = |({grants[20 + i], grants[15 + i], grants[10 + i], grants[5 + i], grants[i]}
                             & room);
    end
  endgenerate
endmodule
`default_nettype wire
