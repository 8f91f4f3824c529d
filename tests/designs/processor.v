// A processor of eight registers, whose instructions come from outside. Registers
// are not reset: what is read before it is written is X.
module processor (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] instruction,
    input  wire        valid,
    output reg  [7:0]  pc,
    output wire [7:0]  result,
    output wire        zero,
    output reg         carry,
    output reg  [7:0]  port
);
    reg [7:0] registers [0:7];
    wire [3:0] code = instruction[15:12];
    wire [2:0] target = instruction[11:9];
    wire [7:0] left = registers[instruction[8:6]];
    wire [7:0] right = instruction[5] ? {3'b0, instruction[4:0]} : registers[instruction[4:2]];
    wire taken;
    alu unit (code, left, right, carry, result, taken);
    assign zero = result == 0;
    always @(posedge clk)
        if (rst) begin
            pc <= 0;
            carry <= 0;
        end else if (valid) begin
            pc <= code == 4'd15 && zero ? result : pc + 1;
            if (code < 4'd8) carry <= taken;
            if (code == 4'd14) port <= result;
        end
    always @(posedge clk)
        if (valid && code < 4'd12) registers[target] <= result;
endmodule

module alu (
    input  wire [3:0] code,
    input  wire [7:0] left,
    input  wire [7:0] right,
    input  wire       carry,
    output reg  [7:0] result,
    output reg        taken
);
    always @* begin
        taken = carry;
        case (code)
            4'd0: {taken, result} = left + right;
            4'd1: {taken, result} = left - right;
            4'd2: {taken, result} = left + right + carry;
            4'd3: {taken, result} = {left, 1'b0};
            4'd4: {result, taken} = {1'b0, left};
            4'd5: result = left & right;
            4'd6: result = left | right;
            4'd7: result = left ^ right;
            4'd8: result = right;
            4'd9: result = left << right[2:0];
            4'd10: result = left < right;
            4'd11: result = ~left;
            default: result = left;
        endcase
    end
endmodule
