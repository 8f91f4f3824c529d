// A router of a mesh with credits and two virtual channels: dimension order, x before y.
//
// Each input has a queue of four flits for each virtual channel, and a packet keeps its channel. An
// output has one flit in a cycle: of the ten queues that have one for it, a place for it at the next
// router, and the channel there, the next one in a circle sends.
//
// Link i has bits 35*i and up of `flit_in` and `flit_out`: [34] head, [33] tail, [32] channel, [31:0]
// data, of which a head has x in [5:0] and y in [11:6]. Bit 2*i + v of the credits is channel v of
// link i. The links are local, west (x - 1), east, north (y - 1), south.
`default_nettype none

module credit_router (
    input  wire         clk,
    input  wire         rst_n,
    input  wire [5:0]   my_x,
    input  wire [5:0]   my_y,
    input  wire [174:0] flit_in,
    input  wire [4:0]   valid_in,
    output reg  [9:0]   credit_in,   // places that have become free here
    output reg  [174:0] flit_out,
    output reg  [4:0]   valid_out,
    input  wire [9:0]   credit_out   // places that have become free at the neighbours
);
  localparam LOCAL = 0, WEST = 1, EAST = 2, NORTH = 3, SOUTH = 4;

  // Queue q = 2*i + v is that of channel v at input i.
  wire [349:0] firsts;
  wire [9:0]   present;
  wire [9:0]   takes;
  wire [49:0]  wants;    // bit 10*o + q
  wire [49:0]  grants;   // likewise; one queue at most of an output

  genvar q, o;
  generate
    for (q = 0; q < 10; q = q + 1) begin : queues
      credit_queue queue (
          .clk(clk), .rst_n(rst_n), .flit(flit_in[35*(q/2) +: 35]),
          .put(valid_in[q/2] && flit_in[35*(q/2) + 32] == (q % 2)),
          .first(firsts[35*q +: 35]), .present(present[q]), .take(takes[q]));

      wire [34:0] flit = firsts[35*q +: 35];
      reg [4:0] route;
      wire [4:0] wanted;
      assign wanted[WEST]  = flit[5:0] < my_x;
      assign wanted[EAST]  = flit[5:0] > my_x;
      assign wanted[NORTH] = flit[5:0] == my_x && flit[11:6] < my_y;
      assign wanted[SOUTH] = flit[5:0] == my_x && flit[11:6] > my_y;
      assign wanted[LOCAL] = flit[5:0] == my_x && flit[11:6] == my_y;
      wire [4:0] way = flit[34] ? wanted : route;
      always @(posedge clk or negedge rst_n)
        if (!rst_n) route <= 5'd0;
        else if (takes[q]) route <= way;
      for (o = 0; o < 5; o = o + 1) begin : output_of
        assign wants[10*o + q] = present[q] && way[o] && outputs[o].open[q];
      end
      assign takes[q] = |{grants[40 + q], grants[30 + q], grants[20 + q], grants[10 + q], grants[q]};
      always @(posedge clk or negedge rst_n)
        if (!rst_n) credit_in[q] <= 1'b0;
        else credit_in[q] <= takes[q];
    end

    for (o = 0; o < 5; o = o + 1) begin : outputs
      // Places at the next router, and the input whose packet has each channel there.
      reg [2:0] places0, places1;
      reg [4:0] owner0, owner1;
      reg [9:0] last;
      wire [9:0] open;
      for (q = 0; q < 10; q = q + 1) begin : queue_of
        assign open[q] = (q % 2 == 0)
            ? places0 != 3'd0 && (firsts[35*q + 34] ? owner0 == 5'd0 : owner0[q/2])
            : places1 != 3'd0 && (firsts[35*q + 34] ? owner1 == 5'd0 : owner1[q/2]);
      end
      wire [9:0] want = wants[10*o +: 10];
      wire [19:0] twice = {want, want};
      wire [19:0] after = twice & ~({10'd0, last} * 20'd2 - 20'd1);
      wire [19:0] next = after & (~after + 20'd1);
      wire [9:0] grant = next[9:0] | next[19:10];
      assign grants[10*o +: 10] = grant;
      reg [34:0] chosen;
      integer at;
      always @* begin
        chosen = 35'd0;
        for (at = 0; at < 10; at = at + 1)
          chosen = chosen | (firsts[35*at +: 35] & {35{grant[at]}});
      end
      wire [4:0] from = {grant[9] | grant[8], grant[7] | grant[6], grant[5] | grant[4],
                         grant[3] | grant[2], grant[1] | grant[0]};
      wire sends = |grant;
      always @(posedge clk or negedge rst_n)
        if (!rst_n) begin
          places0 <= 3'd4;
          places1 <= 3'd4;
          owner0 <= 5'd0;
          owner1 <= 5'd0;
          last <= 10'd1;
          valid_out[o] <= 1'b0;
          flit_out[35*o +: 35] <= 35'd0;
        end else begin
          valid_out[o] <= sends;
          if (sends) begin
            flit_out[35*o +: 35] <= chosen;
            last <= grant;
            if (chosen[32]) owner1 <= chosen[33] ? 5'd0 : from;
            else owner0 <= chosen[33] ? 5'd0 : from;
          end
          places0 <= places0 + {2'd0, credit_out[2*o]} - {2'd0, sends && !chosen[32]};
          places1 <= places1 + {2'd0, credit_out[2*o + 1]} - {2'd0, sends && chosen[32]};
        end
    end
  endgenerate
endmodule

// A queue of four flits, which senders never overrun.
module credit_queue (
    input  wire        clk,
    input  wire        rst_n,
    input  wire [34:0] flit,
    input  wire        put,
    output wire [34:0] first,
    output wire        present,
    input  wire        take
);
  reg [34:0] places [0:3];
  reg [1:0] write, read;
  reg [2:0] count;
  assign present = count != 3'd0;
  assign first = places[read];
  integer at;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      write <= 2'd0;
      read <= 2'd0;
      count <= 3'd0;
      for (at = 0; at < 4; at = at + 1) places[at] <= 35'd0;
    end else begin
      if (put) begin
        places[write] <= flit;
        write <= write + 2'd1;
      end
      if (take) read <= read + 2'd1;
      count <= count + {2'd0, put} - {2'd0, take};
    end
endmodule
`default_nettype wire
