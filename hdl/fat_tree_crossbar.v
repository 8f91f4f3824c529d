// SPDX-License-Identifier: MIT OR Apache-2.0
// The crossbar of a four-port router and its output registers: every output
// takes the word of the input that selects it, and is silent when none does.
`default_nettype none

module fat_tree_crossbar (
    input  wire        clock,
    input  wire        reset,
    // Outputs by input: d, c, the other one of a and b; or b, a.
    input  wire [2:0]  a_select,
    input  wire [2:0]  b_select,
    input  wire [1:0]  c_select,
    input  wire [1:0]  d_select,
    // Valid and data by input.
    input  wire [8:0]  a_word,
    input  wire [8:0]  b_word,
    input  wire [8:0]  c_word,
    input  wire [8:0]  d_word,
    output reg  [8:0]  a_out,
    output reg  [8:0]  b_out,
    output reg  [8:0]  c_out,
    output reg  [8:0]  d_out
);
  always @(posedge clock) begin
    if (reset) begin
      a_out <= 9'd0;
      b_out <= 9'd0;
      c_out <= 9'd0;
      d_out <= 9'd0;
    end else begin
      a_out <= ({9{b_select[0]}} & b_word)
             | ({9{c_select[0]}} & c_word)
             | ({9{d_select[0]}} & d_word);
      b_out <= ({9{a_select[0]}} & a_word)
             | ({9{c_select[1]}} & c_word)
             | ({9{d_select[1]}} & d_word);
      c_out <= ({9{a_select[1]}} & a_word)
             | ({9{b_select[1]}} & b_word);
      d_out <= ({9{a_select[2]}} & a_word)
             | ({9{b_select[2]}} & b_word);
    end
  end
endmodule
`default_nettype wire
