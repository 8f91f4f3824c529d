// A small design with hierarchy and many kinds of flip-flop, for the tests of
// the netlist reader. `make.sh` makes the other files here from it.
module stage (
    input wire clk, input wire rst, input wire en, input wire [3:0] d,
    output reg [3:0] sum, output wire odd, output reg [1:0] held
);
    assign odd = ^sum;
    // Reset regardless of the enable.
    always @(posedge clk)
        if (rst) sum <= 4'd5;
        else if (en) sum <= d + sum;
    // Reset only when enabled; enable active low.
    always @(posedge clk)
        if (!en) begin
            if (rst) held <= 2'b01;
            else held <= {held[0] ^ d[3], d[0]};
        end
endmodule

module stages (
    input wire clk, input wire rst, input wire arst_n, input wire set, input wire load,
    input wire en, input wire [0:3] d,
    output wire [3:0] sum, output wire odd, output wire [1:0] held,
    output reg armed, output reg [1:0] both, output reg [3:0] loaded,
    output reg plain, output reg kept, output wire [2:0] fixed
);
    wire [3:0] middle;
    wire first_odd;
    wire [1:0] first_held;
    reg kept_next = 1'b1;
    assign fixed = {1'b1, d[0], 1'b0};
    stage first (.clk(clk), .rst(rst), .en(en), .d(d), .sum(middle), .odd(first_odd),
        .held(first_held));
    stage second (.clk(clk), .rst(rst), .en(first_odd), .d({first_held, middle[1:0]}),
        .sum(sum), .odd(odd), .held(held));
    always @(posedge clk or negedge arst_n)
        if (!arst_n) armed <= 1'b1;
        else if (en) armed <= first_odd ^ armed;
    always @(posedge clk or negedge arst_n or posedge set)
        if (!arst_n) both <= 2'b00;
        else if (set) both <= 2'b11;
        else both <= both + {1'b0, en};
    always @(posedge clk or posedge load)
        if (load) loaded <= {d[0], d[1], d[2], d[3]} ^ 4'd9;
        else loaded <= loaded + middle;
    always @(posedge clk) plain <= (en ? d[1] : d[2]) | ~rst & plain & d[3];
    always @(posedge clk) begin
        kept_next <= ~kept_next;
        kept <= kept_next;
    end
endmodule
