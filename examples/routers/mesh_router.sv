// A router of a mesh with valid/ready links and wormhole flits: dimension order, x before y.
//
// Each of its five inputs has a queue of four flits. An output belongs to an input from the head of a
// packet to its tail; of several inputs that want a free output the next one in a circle gets it.
// A flit takes two cycles from an input to the neighbour's input: one into the queue, one out of it.
//
// Link i has bits 34*i and up of `flit_in` and `flit_out`: [33] head, [32] tail, [31:0] data, of which
// a head has x in [5:0] and y in [11:6]. The links are local, west (x - 1), east, north (y - 1), south.
`default_nettype none

module mesh_router (
    input  wire         clk,
    input  wire         rst,
    input  wire [5:0]   my_x,
    input  wire [5:0]   my_y,
    input  wire [169:0] flit_in,
    input  wire [4:0]   valid_in,
    output wire [4:0]   ready_in,
    output wire [169:0] flit_out,
    output wire [4:0]   valid_out,
    input  wire [4:0]   ready_out
);
  localparam LOCAL = 0, WEST = 1, EAST = 2, NORTH = 3, SOUTH = 4;

  wire [169:0] heads;      // the first flit of each queue
  wire [4:0]   present;    // there is one
  wire [24:0]  wants;      // bit 5*o + i: input i wants output o
  wire [24:0]  grants;     // bit 5*o + i: output o belongs to input i
  wire [4:0]   moves_out;  // a flit goes into the register of the output
  wire [4:0]   moves_in;   // the flit of an input is taken

  genvar i, o;
  generate
    for (i = 0; i < 5; i = i + 1) begin : inputs
      mesh_queue queue (
          .clk(clk), .rst(rst), .flit(flit_in[34*i +: 34]), .valid(valid_in[i]),
          .ready(ready_in[i]), .first(heads[34*i +: 34]), .present(present[i]),
          .take(moves_in[i]));

      // The output of a packet is known from its head, and kept to its tail.
      wire [33:0] flit = heads[34*i +: 34];
      wire [4:0] wanted;
      assign wanted[WEST]  = flit[5:0] < my_x;
      assign wanted[EAST]  = flit[5:0] > my_x;
      assign wanted[NORTH] = flit[5:0] == my_x && flit[11:6] < my_y;
      assign wanted[SOUTH] = flit[5:0] == my_x && flit[11:6] > my_y;
      assign wanted[LOCAL] = flit[5:0] == my_x && flit[11:6] == my_y;
      for (o = 0; o < 5; o = o + 1) begin : output_of
        assign wants[5*o + i] = present[i] && flit[33] && wanted[o];
      end
      assign moves_in[i] = |({grants[20 + i], grants[15 + i], grants[10 + i], grants[5 + i], grants[i]}
                             & moves_out) && present[i];
    end

    for (o = 0; o < 5; o = o + 1) begin : outputs
      reg [4:0] owner;       // the input whose packet has begun
      reg [4:0] last;        // the input whose packet was last
      reg [33:0] flit;
      reg valid;
      wire [4:0] want = wants[5*o +: 5];
      // The first after the last one, in a circle.
      wire [9:0] twice = {want, want};
      wire [9:0] after = twice & ~({5'd0, last} * 10'd2 - 10'd1);
      wire [9:0] first = after & (~after + 10'd1);
      wire [4:0] next = first[4:0] | first[9:5];
      wire [4:0] grant = |owner ? owner : next;
      assign grants[5*o +: 5] = grant;
      wire free = !valid || ready_out[o];
      wire [33:0] chosen = (heads[33:0] & {34{grant[0]}}) | (heads[67:34] & {34{grant[1]}})
                         | (heads[101:68] & {34{grant[2]}}) | (heads[135:102] & {34{grant[3]}})
                         | (heads[169:136] & {34{grant[4]}});
      wire moves = free && |(grant & present);
      assign moves_out[o] = free;
      always @(posedge clk) begin
        if (free) valid <= moves;
        if (moves) begin
          flit <= chosen;
          last <= grant;
          owner <= chosen[32] ? 5'd0 : grant;
        end
        if (rst) begin
          owner <= 5'd0;
          last <= 5'd1;
          flit <= 34'd0;
          valid <= 1'b0;
        end
      end
      assign flit_out[34*o +: 34] = flit;
      assign valid_out[o] = valid;
    end
  endgenerate
endmodule

// A queue of four flits.
module mesh_queue (
    input  wire        clk,
    input  wire        rst,
    input  wire [33:0] flit,
    input  wire        valid,
    output wire        ready,
    output wire [33:0] first,
    output wire        present,
    input  wire        take
);
  reg [33:0] places [0:3];
  reg [1:0] write, read;
  reg [2:0] count;
  wire puts = valid && ready;
  assign ready = !count[2];
  assign present = |count;
  assign first = places[read];
  integer at;
  always @(posedge clk) begin
    if (puts) begin
      places[write] <= flit;
      write <= write + 2'd1;
    end
    if (take) read <= read + 2'd1;
    count <= count + {2'd0, puts} - {2'd0, take};
    if (rst) begin
      write <= 2'd0;
      read <= 2'd0;
      count <= 3'd0;
      for (at = 0; at < 4; at = at + 1) places[at] <= 34'd0;
    end
  end
endmodule
`default_nettype wire
