// A router of a mesh for tests, whose coordinates are parameters: one flit a packet, and one place for a
// flit at each input and output. A flit has x in [1:0], y in [3:2] and a number in [19:4].
module parameter_router #(
    parameter X = 0,  // from the left
    parameter Y = 0
) (
    input wire clk, input wire rst, input wire [99:0] in, input wire [4:0] in_valid,
    output wire [4:0] in_ready, output reg [99:0] out, output reg [4:0] out_valid,
    input wire [4:0] out_ready);
  localparam [3:0] ME = {Y[1:0], X[1:0]};
  reg [99:0] held;
  reg [4:0] full, busy, rest;
  wire [14:0] wants;
  assign in_ready = ~full;
  genvar g;
  generate
    for (g = 0; g < 5; g = g + 1) begin : inputs
      way #(.COLUMN(X)) way (.to(held[20*g +: 4]), .me(ME), .link(wants[3*g +: 3]));
    end
  endgenerate
  integer i, o;
  always @(posedge clk) begin
    busy = out_valid & ~out_ready;
    rest = full;
    for (o = 0; o < 5; o = o + 1) begin
      out_valid[o] <= busy[o];
      for (i = 0; i < 5; i = i + 1)
        if (!busy[o] && rest[i] && wants[3*i +: 3] == o) begin
          out[20*o +: 20] <= held[20*i +: 20];
          out_valid[o] <= 1'b1;
          busy[o] = 1'b1;
          rest[i] = 1'b0;
        end
    end
    full <= rest | in_valid & ~full;
    for (i = 0; i < 5; i = i + 1)
      if (in_valid[i] && !full[i]) held[20*i +: 20] <= in[20*i +: 20];
    if (rst) begin
      full <= 5'd0;
      out_valid <= 5'd0;
      held <= 100'd0;
      out <= 100'd0;
    end
  end
endmodule

module way #(parameter signed [3:0] COLUMN = 0) (
    input wire [3:0] to, input wire [3:0] me, output wire [2:0] link);
  assign link = to[1:0] < COLUMN ? 3'd1 : to[1:0] > COLUMN ? 3'd2
              : to[3:2] < me[3:2] ? 3'd3 : to[3:2] > me[3:2] ? 3'd4 : 3'd0;
endmodule
