// Generated from the port tables of the chips by `crosswave headers hdl/include`.
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
