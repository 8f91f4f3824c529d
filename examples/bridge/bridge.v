// Channels between two clocks: a fifo in either direction for each, with counters in Gray code, and
// outputs at both edges of one of the clocks.

// A counter whose value changes in one bit at a time.
module gray_counter #(parameter W = 3) (
    input wire clk,
    input wire rst,
    input wire step,
    output reg [W-1:0] gray,
    output wire [W-1:0] next_gray,
    output wire [W-1:0] at
);
    reg [W-1:0] count;
    wire [W-1:0] next = count + {{(W - 1) {1'b0}}, step};
    assign next_gray = next ^ (next >> 1);
    assign at = count;
    always @(posedge clk or posedge rst)
        if (rst) begin
            count <= 0;
            gray <= 0;
        end else begin
            count <= next;
            gray <= next_gray;
        end
endmodule

// A fifo of four words, written and read at edges of different clocks.
module clock_fifo (
    input wire wclk,
    input wire rclk,
    input wire rst,
    input wire put,
    input wire [3:0] in,
    output wire full,
    input wire take,
    output wire [3:0] out,
    output wire empty
);
    reg [3:0] words [0:3];
    wire [2:0] wgray, rgray, wat, rat;
    reg [5:0] wgray_seen, rgray_seen;
    gray_counter writer (
        .clk(wclk), .rst(rst), .step(put && !full), .gray(wgray), .next_gray(), .at(wat)
    );
    gray_counter reader (
        .clk(rclk), .rst(rst), .step(take && !empty), .gray(rgray), .next_gray(), .at(rat)
    );
    always @(posedge wclk) begin
        if (put && !full) words[wat[1:0]] <= in;
        rgray_seen <= rst ? 6'd0 : {rgray_seen[2:0], rgray};
    end
    always @(posedge rclk) wgray_seen <= rst ? 6'd0 : {wgray_seen[2:0], wgray};
    assign full = wgray == {~rgray_seen[5:4], rgray_seen[3]};
    assign empty = rgray == wgray_seen[5:3];
    assign out = words[rat[1:0]];
endmodule

// One bit at each edge of a clock, without reading the clock.
module both_edges (
    input wire clk,
    input wire nclk,
    input wire high,
    input wire low,
    input wire hold,
    output wire bits
);
    reg p, n;
    always @(posedge clk) if (!hold) p <= high ^ n;
    always @(posedge nclk) n <= low ^ p;
    assign bits = p ^ n;
endmodule

// Passes an inverted clock on.
module turned (
    input wire clk,
    output wire nclk
);
    assign nclk = ~clk;
endmodule

module bridge #(parameter N = 18) (
    input wire left,
    input wire right,
    input wire rst,
    input wire [N-1:0] put,
    input wire [N-1:0] take,
    input wire [4*N-1:0] in,
    output wire [N-1:0] full,
    output wire [N-1:0] empty,
    output wire [4*N-1:0] out,
    output wire [3:0] bits,
    output reg [3:0] falls
);
    wire nright;
    turned t (.clk(right), .nclk(nright));
    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : channel
            if (i % 2 == 0)
                clock_fifo over (
                    .wclk(left), .rclk(right), .rst(rst), .put(put[i]), .in(in[4*i+3:4*i]),
                    .full(full[i]), .take(take[i]), .out(out[4*i+3:4*i]), .empty(empty[i])
                );
            else
                clock_fifo back (
                    .wclk(right), .rclk(left), .rst(rst), .put(put[i]), .in(in[4*i+3:4*i]),
                    .full(full[i]), .take(take[i]), .out(out[4*i+3:4*i]), .empty(empty[i])
                );
        end
        for (i = 0; i < 4; i = i + 1) begin : pin
            both_edges b (
                .clk(right), .nclk(nright), .high(in[i]), .low(in[i+4]), .hold(put[i]), .bits(bits[i])
            );
        end
    endgenerate
    // A count of falling edges, with a reset that follows the clock.
    always @(negedge right)
        if (rst) falls <= 4'd3;
        else if (take[0]) falls <= falls + 4'd1;
endmodule
