// A FIFO of 16 words in a memory that has no reset, with two status outputs that
// come from gates.
module fifo (
    input  wire       clk,
    input  wire       rst_n,
    input  wire       push,
    input  wire       pop,
    input  wire [7:0] in,
    output wire [7:0] out,
    output wire       full,
    output wire       empty,
    output wire       taken
);
    reg [7:0] memory [0:15];
    reg [4:0] head, tail;
    assign empty = head == tail;
    assign full = head[3:0] == tail[3:0] && head[4] != tail[4];
    assign taken = push && !full;
    assign out = memory[tail[3:0]];
    always @(posedge clk or negedge rst_n)
        if (!rst_n) begin
            head <= 0;
            tail <= 0;
        end else begin
            if (taken) head <= head + 1;
            if (pop && !empty) tail <= tail + 1;
        end
    always @(posedge clk)
        if (taken) memory[head[3:0]] <= in;
endmodule
