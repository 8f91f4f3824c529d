// SPDX-License-Identifier: MIT OR Apache-2.0
// The route of a message in a Transit fat tree, from the addresses of its source and its
// destination, a clock after they are there.
//
// Source: DeHon 1990, section 3.8 (I, M, O and RU of figures 3.4 to 3.7). Routes through a cap:
// assumed. Ports and addresses: route_unit.md.
`default_nettype none

module route_unit (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [2:0] leaf_stages,       // stages of a leaf cluster, 2 to 4; 0 in full fat trees
    input  wire  [1:0] tree_bytes,        // address bytes of unit trees, 1 to 3
    input  wire  [1:0] source_root,       // which of the roots of a capped tree; 0 without a cap
    input  wire [23:0] source_tree,       // the source's address bytes, the lowest layer's in bits 7 to 0
    input  wire  [1:0] destination_root,  // the destination's root
    input  wire [23:0] destination_tree,  // the destination's address bytes
    input  wire  [7:0] destination_leaf,  // its place in the leaf cluster; not read in full fat trees
    output wire [31:0] route,             // the routing bytes, the first in bits 7 to 0; the others are 0
    output wire  [1:0] route_bytes,       // their number minus one
    output wire  [3:0] stages,            // routers on the route
    output wire [15:0] swallows           // bit s: router s of the route, from 0, swallows a byte
);
  // I: where the addresses differ; the two lowest bits of a byte are not used.
  wire [23:0] i = (source_tree ^ destination_tree) & 24'hfcfcfc;
  wire cap = source_root != destination_root;

  // M: the bytes from the highest one on that differs. Through the cap all count. A node of a
  // full tree has no route to itself except through its unit tree.
  wire hybrid = leaf_stages != 3'd0;
  wire m2 = (|i[23:16]) | (cap & tree_bytes == 2'd3);
  wire m1 = m2 | (|i[15:8]) | (cap & tree_bytes == 2'd2);
  wire m0 = m1 | (|i[7:0]) | cap | ~hybrid;

  // O: the highest pair of bits that differs in the highest byte that does.
  wire [3:0] high = m2 ? i[23:20] : m1 ? i[15:12] : i[7:4];
  wire [1:0] o = {|high[3:2], (|high[1:0]) & ~(|high[3:2])};
  wire [1:0] last = cap ? destination_root : o;
  wire [1:0] level = cap ? 2'd3 : o + 2'd1;

  // RU: 11 for each stage that leads on up, and the direction of the last one.
  wire [1:0] j = {m1, m2 | (m0 & ~m1)};
  wire [1:0] climbed = j - {1'b0, ~hybrid} + {1'b0, cap};
  reg [7:0] ru;
  always @* begin
    case (climbed)
      2'd0: ru = {last, 6'd0};
      2'd1: ru = {2'b11, last, 4'd0};
      2'd2: ru = {4'b1111, last, 2'd0};
      default: ru = {6'b111111, last};
    endcase
  end

  // RU, RD and RC, the first in the lowest bits.
  wire [7:0] b2 = destination_tree[23:16];
  wire [7:0] b1 = destination_tree[15:8];
  wire [7:0] b0 = destination_tree[7:0];
  wire [7:0] rc = hybrid ? destination_leaf : 8'd0;
  reg [31:0] bytes;
  always @* begin
    case (j)
      2'd0: bytes = {24'd0, rc};
      2'd1: bytes = {8'd0, rc, b0, ru};
      2'd2: bytes = {rc, b0, b1, ru};
      default: bytes = {b0, b1, b2, ru};
    endcase
  end

  // The first router down that is entered from the side, or from the cap; and then every
  // third one from there, and the cluster's, swallow.
  wire crosses = m0;
  wire [2:0] first = {1'b0, j} + {2'd0, hybrid} + {2'd0, cap};
  wire [1:0] entered = j - {1'b0, ~hybrid};  // from above: unit trees, and the cluster
  wire [6:0] others = {entered[1] & entered[0], 2'd0, entered[1], 2'd0, |entered};
  wire [15:0] behind = {9'd0, others} << level;
  wire [3:0] down = {2'd0, level} + {1'b0, j, 1'b0} + {2'd0, j} - 4'd3;
  wire [3:0] in_tree = {1'b0, first} + down;

  reg [31:0] route_now;
  reg [1:0]  last_byte;
  reg [3:0]  routers;
  reg [15:0] swallowing;
  assign route       = route_now;
  assign route_bytes = last_byte;
  assign stages      = routers;
  assign swallows    = swallowing;
  always @(posedge clock) begin
    if (reset) begin
      route_now  <= 32'd0;
      last_byte  <= 2'd0;
      routers    <= 4'd0;
      swallowing <= 16'd0;
    end else begin
      route_now  <= bytes;
      last_byte  <= crosses ? j + {1'b0, hybrid} : 2'd0;
      routers    <= (crosses ? in_tree : 4'd0) + {1'b0, leaf_stages};
      swallowing <= crosses ? (behind | 16'd1) << first : 16'd0;
    end
  end
endmodule
`default_nettype wire
