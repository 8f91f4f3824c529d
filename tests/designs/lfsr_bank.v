// Many feedback shift registers of one kind, loaded one after the other.
module lfsr_bank #(parameter N = 70) (
    input  wire         clk,
    input  wire         rst,
    input  wire         load,
    input  wire [15:0]  seed,
    input  wire [N-1:0] enable,
    output wire [N-1:0] bits,
    output wire [15:0]  mixed
);
    wire [15:0] chain [0:N];
    wire [15:0] mix [0:N];
    assign chain[0] = seed;
    assign mix[0] = 0;
    assign mixed = mix[N];
    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : bank
            wire [15:0] state;
            lfsr one (clk, rst, load, enable[i], chain[i], state);
            assign chain[i+1] = state;
            assign mix[i+1] = {mix[i][14:0], mix[i][15]} ^ state;
            assign bits[i] = state[15];
        end
    endgenerate
endmodule

module lfsr (
    input  wire        clk,
    input  wire        rst,
    input  wire        load,
    input  wire        enable,
    input  wire [15:0] seed,
    output reg  [15:0] state
);
    always @(posedge clk)
        if (rst) state <= 16'hace1;
        else if (load) state <= seed;
        else if (enable) state <= {state[14:0], state[15] ^ state[13] ^ state[12] ^ state[10]};
endmodule
