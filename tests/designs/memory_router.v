// A router of a mesh whose queues and table of routes are memories. An output shows the flit at the head of
// a queue in the same cycle: the word that is read there is the address at which the table is read. With
// SYNC a queue has its first flit in a register, as memories of chips have. The table is full of what it
// is to hold before the first edge.
//
// Links are local, west, east, north, south; a flit has x in [1:0], y in [3:2], and a number.
`default_nettype none

module memory_router #(parameter SYNC = 0, parameter DEPTH = 256) (
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
  localparam BITS = $clog2(DEPTH);
  wire [99:0] heads;
  wire [4:0]  waits;
  wire [24:0] wants;   // bit 5*i + o: the head of queue i is for output o
  wire [24:0] wins;    // bit 5*o + i: queue i has output o
  wire [4:0]  leaves;

  // The output for each place of a router and destination, and for any two bits of the number.
  reg [4:0] routes [0:1023];
  integer at;
  initial
    for (at = 0; at < 1024; at = at + 1)
      routes[at] = at[1:0] < at[7:6] ? 5'b00010 : at[1:0] > at[7:6] ? 5'b00100
                 : at[3:2] < at[5:4] ? 5'b01000 : at[3:2] > at[5:4] ? 5'b10000 : 5'b00001;

  genvar i, o;
  generate
    for (i = 0; i < 5; i = i + 1) begin : inputs
      reg [19:0] queue [0:DEPTH-1];
      reg [BITS-1:0] first, last;
      reg [BITS:0] count;
      wire enters = in_valid[i] && in_ready[i];
      wire taken;
      assign in_ready[i] = count < DEPTH;
      always @(posedge clk) if (enters) queue[last] <= in[20*i +: 20];
      always @(posedge clk)
        if (rst) begin
          first <= 0;
          last <= 0;
          count <= 0;
        end else begin
          if (enters) last <= last + 1'b1;
          if (taken) first <= first + 1'b1;
          count <= count + {{BITS{1'b0}}, enters} - {{BITS{1'b0}}, taken};
        end
      if (SYNC != 0) begin : registered
        reg [19:0] front;
        reg valid;
        assign taken = count != 0 && (!valid || leaves[i]);
        always @(posedge clk) if (taken) front <= queue[first];
        always @(posedge clk)
          if (rst) valid <= 1'b0;
          else if (taken) valid <= 1'b1;
          else if (leaves[i]) valid <= 1'b0;
        assign heads[20*i +: 20] = front;
        assign waits[i] = valid;
      end else begin : at_once
        assign taken = leaves[i];
        assign heads[20*i +: 20] = queue[first];
        assign waits[i] = count != 0;
      end
      assign wants[5*i +: 5] = routes[{heads[20*i + 4 +: 2], my_x, my_y, heads[20*i +: 4]}] & {5{waits[i]}};
      assign leaves[i] = |({wins[20 + i], wins[15 + i], wins[10 + i], wins[5 + i], wins[i]} & out_ready);
    end
    for (o = 0; o < 5; o = o + 1) begin : outputs
      wire [4:0] asked = {wants[20 + o], wants[15 + o], wants[10 + o], wants[5 + o], wants[o]};
      // The one that won goes on until its flit has left.
      reg [4:0] held;
      wire [4:0] next = held != 0 ? held : asked & (~asked + 5'd1);
      always @(posedge clk) held <= rst || out_ready[o] ? 5'd0 : next;
      assign wins[5*o +: 5] = next;
      assign out_valid[o] = |next;
      assign out[20*o +: 20] = (heads[19:0] & {20{next[0]}}) | (heads[39:20] & {20{next[1]}})
                             | (heads[59:40] & {20{next[2]}}) | (heads[79:60] & {20{next[3]}})
                             | (heads[99:80] & {20{next[4]}});
    end
  endgenerate
endmodule
`default_nettype wire
