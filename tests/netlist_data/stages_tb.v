// Writes inputs and outputs of `stages` in each cycle, right before the edge.
// Every register is known after the first cycles. `set` is off in a cycle after
// one of reset, for a flip-flop in Verilog misses a set that was on all along; and
// `d` stays while `load` does, for it misses a change of data likewise.
module stages_tb;
    reg clk = 0, rst = 1, arst_n = 0, set = 0, load = 1, en = 0;
    reg [0:3] d = 0;
    wire [3:0] sum, loaded;
    wire odd, armed, plain, kept;
    wire [1:0] held, both;
    wire [2:0] fixed;
    integer cycle, seed = 7;
    reg [31:0] random;
    stages dut (clk, rst, arst_n, set, load, en, d, sum, odd, held, armed, both, loaded,
        plain, kept, fixed);
    initial begin
        for (cycle = 0; cycle < 400; cycle = cycle + 1) begin
            #4 $display("%b%b%b%b%b%b %b%b%b%b%b%b%b%b%b", rst, arst_n, set, load, en,
                {d[3], d[2], d[1], d[0]}, sum, odd, held, armed, both, loaded, plain, kept,
                fixed);
            #1 clk = 1;
            #1 random = $random(seed);
            if (!load) d <= random[19:16];
            rst <= cycle < 8 | random[3:0] == 0;
            en <= cycle < 8 ? cycle[0] : random[4];
            set <= arst_n & random[7:6] == 0;
            arst_n <= cycle > 3 & random[10:8] != 0;
            load <= cycle < 3 | random[13:12] == 0;
            #4 clk = 0;
        end
        $finish;
    end
endmodule
