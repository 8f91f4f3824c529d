// Feeds the systolic array with random operands and writes a waveform.
`timescale 1ns / 1ns
module testbench;
    reg         clk = 1;
    reg         rst = 1;
    reg         drain = 0;
    reg  [63:0] a = 0;
    reg  [63:0] b = 0;
    wire [127:0] c;

    systolic dut (.clk(clk), .rst(rst), .drain(drain), .a(a), .b(b), .c(c));

    always #5 clk = ~clk;

    integer cycle = 0;
    always @(posedge clk) begin
        rst <= 0;
        a <= {$random, $random};
        b <= {$random, $random};
        drain <= cycle % 32 >= 24;
        cycle <= cycle + 1;
        if (cycle == 200) $finish;
    end

    initial begin
        $dumpfile("bench.vcd");
        $dumpvars;
    end
endmodule
