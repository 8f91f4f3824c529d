// Lanes of two stages, two levels deep: an array of instances, a block of generated ones with a
// parameter, vectors that begin at other indices, and a clock and an enable under other names.
module nested (
    input  wire         clk,
    input  wire         rst,
    input  wire         enable,
    input  wire [11:4]  in,
    output wire [31:0]  out,
    output wire         parity
);
    wire [0:7]  reversed;
    wire [31:0] middle;
    wire [3:0]  flags;
    wire        tick = clk;
    assign reversed = in ^ {8{enable}};
    lane lanes [3:0] (.clock(tick), .rst(rst), .enable(enable), .in(reversed), .out(middle), .flag(flags));
    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : pairs
            wire [15:0] both = middle[16*i +: 16];
            stage #(.STEP(i + 3)) low (.clk(clk), .rst(rst), .in(both[7:0]), .out(out[16*i +: 8]));
            stage #(.STEP(i + 3)) high (.clk(clk), .rst(rst), .in(both[15:8]), .out(out[16*i+8 +: 8]));
        end
    endgenerate
    assign parity = ^flags;
endmodule

module lane (
    input  wire        clock,
    input  wire        rst,
    input  wire        enable,
    input  wire [0:7]  in,
    output wire [7:0]  out,
    output wire        flag
);
    reg  [11:4] held;
    wire [0:7]  mixed;
    wire        held_is_odd = ^held;
    assign mixed = enable ? in : held;
    always @(posedge clock) if (rst) held <= 0; else held <= mixed + held;
    stage inner (.clk(clock), .rst(rst), .in(held), .out(out));
    assign flag = held_is_odd & out[0];
endmodule

module stage #(parameter STEP = 1) (
    input  wire       clk,
    input  wire       rst,
    input  wire [7:0] in,
    output wire [7:0] out
);
    reg  [7:0] total;
    wire [7:0] next;
    assign next = total + in + STEP;
    always @(posedge clk) if (rst) total <= 0; else total <= next;
    assign out = total ^ {in[3:0], 4'b0};
endmodule
