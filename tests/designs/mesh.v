// A mesh of processing elements. Within a cycle a value ripples from element to
// element to the right and downwards, and a request goes back to the left.
module mesh #(parameter N = 6) (
    input  wire           clk,
    input  wire           rst,
    input  wire [4*N-1:0] west,
    input  wire [4*N-1:0] north,
    input  wire [N-1:0]   grant,
    output wire [4*N-1:0] east,
    output wire [4*N-1:0] south,
    output wire [N-1:0]   request,
    output wire           parity
);
    wire [3:0] across [0:N-1][0:N];
    wire [3:0] down [0:N][0:N-1];
    wire       back [0:N-1][0:N];
    wire [N*N-1:0] odd;
    assign parity = ^odd;
    genvar r, c;
    generate
        for (r = 0; r < N; r = r + 1) begin : rows
            assign across[r][0] = west[4*r +: 4];
            assign down[0][r] = north[4*r +: 4];
            assign back[r][N] = grant[r];
            assign east[4*r +: 4] = across[r][N];
            assign south[4*r +: 4] = down[N][r];
            assign request[r] = back[r][0];
            for (c = 0; c < N; c = c + 1) begin : columns
                element pe (clk, rst, across[r][c], down[r][c], back[r][c+1],
                            across[r][c+1], down[r+1][c], back[r][c], odd[r*N+c]);
            end
        end
    endgenerate
endmodule

module element (
    input  wire       clk,
    input  wire       rst,
    input  wire [3:0] left,
    input  wire [3:0] above,
    input  wire       ready,
    output wire [3:0] right,
    output wire [3:0] below,
    output wire       ask,
    output wire       odd
);
    reg [3:0] held;
    reg [7:0] sum;
    reg       mode;
    assign right = mode ? held : left + above;
    assign below = held[0] ? above : left ^ held;
    assign ask = ready | &held;
    assign odd = ^sum;
    always @(posedge clk)
        if (rst) begin
            held <= 0;
            mode <= 0;
        end else begin
            mode <= left[0] ^ above[1];
            if (ready) held <= right ^ {above[2:0], left[3]};
            sum <= sum + {left, above};
        end
endmodule
