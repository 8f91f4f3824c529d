// A systolic array that multiplies matrices: operands enter at the left and at the
// top, pass from cell to cell, and every cell adds up its products.
module systolic #(parameter N = 8, W = 8) (
    input  wire             clk,
    input  wire             rst,
    input  wire             drain,
    input  wire [N*W-1:0]   a,
    input  wire [N*W-1:0]   b,
    output wire [N*2*W-1:0] c
);
    wire [W-1:0]   right [0:N-1][0:N];
    wire [W-1:0]   down  [0:N][0:N-1];
    wire [2*W-1:0] sum   [0:N][0:N-1];

    genvar row, column;
    generate
        for (row = 0; row < N; row = row + 1) begin : rows
            assign right[row][0] = a[row*W +: W];
            for (column = 0; column < N; column = column + 1) begin : columns
                systolic_cell #(.W(W)) cell_of (
                    .clk(clk), .rst(rst), .drain(drain),
                    .a(right[row][column]), .b(down[row][column]),
                    .above(sum[row][column]),
                    .a_out(right[row][column+1]), .b_out(down[row+1][column]),
                    .sum(sum[row+1][column])
                );
            end
        end
        for (column = 0; column < N; column = column + 1) begin : edges
            assign down[0][column] = b[column*W +: W];
            assign sum[0][column] = {2*W{1'b0}};
            assign c[column*2*W +: 2*W] = sum[N][column];
        end
    endgenerate
endmodule

// One cell. With `drain` the sums move down instead.
module systolic_cell #(parameter W = 8) (
    input  wire           clk,
    input  wire           rst,
    input  wire           drain,
    input  wire [W-1:0]   a,
    input  wire [W-1:0]   b,
    input  wire [2*W-1:0] above,
    output reg  [W-1:0]   a_out,
    output reg  [W-1:0]   b_out,
    output reg  [2*W-1:0] sum
);
    always @(posedge clk) begin
        a_out <= a;
        b_out <= b;
        if (rst)
            sum <= 0;
        else if (drain)
            sum <= above;
        else
            sum <= sum + a * b;
    end
endmodule
