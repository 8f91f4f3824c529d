// A butterfly fat tree of 64 leaves: 16, 8 and 4 switches of four children and two parents.
// A switch has its place as parameters: the leaves below it are those whose addresses are
// ADDRESS where MASK has ones, and those below its child c have STEP * c besides. Of packets
// that want the same link one goes on, the others are lost.
module butterfly_tree (
    input  wire         clk,
    input  wire         rst,
    input  wire [575:0] in,
    output wire [575:0] out
);
    // Packets {valid, address, data} to and from the switches of each level.
    wire [287:0] up2, down2;
    wire [143:0] up3, down3;
    wire [71:0] lost;
    genvar i;
    generate
        for (i = 0; i < 16; i = i + 1) begin : level1
            localparam P = 9 * (i / 4 * 8 + i % 4);
            switch #(.ADDRESS(4 * i), .MASK(6'b111100), .STEP(1)) one (
                clk, rst, in[36*i +: 36], {down2[P + 36 +: 9], down2[P +: 9]},
                out[36*i +: 36], {up2[P + 36 +: 9], up2[P +: 9]});
        end
        for (i = 0; i < 8; i = i + 1) begin : level2
            localparam P = 9 * (i % 2 * 8 + i / 2);
            switch #(.ADDRESS(i / 2 * 16), .MASK(6'b110000), .STEP(4)) one (
                clk, rst, up2[36*i +: 36], {down3[P + 36 +: 9], down3[P +: 9]},
                down2[36*i +: 36], {up3[P + 36 +: 9], up3[P +: 9]});
        end
        for (i = 0; i < 4; i = i + 1) begin : level3
            switch #(.ADDRESS(0), .MASK(6'b000000), .STEP(16)) one (
                clk, rst, up3[36*i +: 36], 18'b0, down3[36*i +: 36], lost[18*i +: 18]);
        end
    endgenerate
endmodule

module switch #(parameter [5:0] ADDRESS = 0, parameter [5:0] MASK = 0, parameter [5:0] STEP = 0) (
    input  wire        clk,
    input  wire        rst,
    input  wire [35:0] from_children,
    input  wire [17:0] from_parents,
    output reg  [35:0] to_children,
    output reg  [17:0] to_parents
);
    // The parameters by way of a module, so that synthesis folds them nowhere.
    wire [5:0] address, mask, step;
    constant #(.VALUE({ADDRESS, MASK, STEP})) place (.value({address, mask, step}));

    wire [53:0] in = {from_parents, from_children};
    reg [5:0] destination;
    reg below;
    integer port, child;
    always @(posedge clk) begin
        to_children <= 0;
        to_parents <= 0;
        for (port = 5; port >= 0; port = port - 1) begin
            destination = in[9*port + 2 +: 6];
            below = (destination & mask) == address;
            if (in[9*port + 8] && !rst) begin
                for (child = 0; child < 4; child = child + 1)
                    if (below && (destination & (mask | step * 3)) == (address | step * child))
                        to_children[9*child +: 9] <= in[9*port +: 9];
                if (!below && port < 4)
                    to_parents[9*(port/2%2) +: 9] <= in[9*port +: 9];
            end
        end
    end
endmodule

module constant #(parameter [17:0] VALUE = 0) (output wire [17:0] value);
    assign value = VALUE;
endmodule
