// SPDX-License-Identifier: MIT OR Apache-2.0
// Two chains in a row are filled with options, which then stand at their outputs.

module rn1_scan_bench;
  reg clock = 0, reset = 1, shift = 0;
  reg [209:0] options = {105'h0123_4567_89ab_cdef_0f1e_2d4b_87, 105'h1fe_dcba_9876_5432_10a5_c396_78b4};
  wire between, out;
  wire [1:0] two_crossbars;
  wire [15:0] swallow, in_enable, out_enable;
  wire [79:0] in_delay, out_delay;
  integer bit_index, wrong = 0;

  rn1_scan first (clock, reset, shift, options[0], between, two_crossbars[0],
                  swallow[7:0], in_enable[7:0], out_enable[7:0], in_delay[39:0], out_delay[39:0]);
  rn1_scan second (clock, reset, shift, between, out, two_crossbars[1],
                   swallow[15:8], in_enable[15:8], out_enable[15:8], in_delay[79:40],
                   out_delay[79:40]);

  wire [104:0] of_first = {out_delay[39:0], in_delay[39:0], out_enable[7:0], in_enable[7:0],
                          swallow[7:0], two_crossbars[0]};
  wire [104:0] of_second = {out_delay[79:40], in_delay[79:40], out_enable[15:8], in_enable[15:8],
                           swallow[15:8], two_crossbars[1]};

  always #5 clock = ~clock;

  task check(input [104:0] expect_first, input [104:0] expect_second);
    if (of_first !== expect_first || of_second !== expect_second) begin
      $display("%0t: %h %h, not %h %h", $time, of_first, of_second, expect_first, expect_second);
      wrong = wrong + 1;
    end
  endtask

  reg [209:0] all;
  initial begin
    all = options;
    @(negedge clock);
    check(105'd0, 105'd0);
    reset = 0;
    shift = 1;
    for (bit_index = 0; bit_index < 210; bit_index = bit_index + 1) begin
      @(negedge clock);
      options = options >> 1;
    end
    // What went in first has come furthest.
    shift = 0;
    repeat (3) @(negedge clock);
    check(all[209:105], all[104:0]);
    if (wrong == 0) $display("the options stand at the outputs");
    $finish;
  end
endmodule
