// SPDX-License-Identifier: MIT OR Apache-2.0
// Bench of fat_tree_router_top that checks itself, and shows how a tester uses the pins: for every
// cycle of the router it shifts the inputs in and the outputs out, and gives the router one edge. A
// message that comes from c leaves at a, word by word: two cycles in the router, two in the registers.
`default_nettype none

module fat_tree_router_top_bench;
  reg clock = 1'b0, reset = 1'b1, shift_clock = 1'b0, load = 1'b0, serial_in = 1'b0;
  wire serial_out;
  fat_tree_router_top top (
      .clock(clock), .reset(reset), .shift_clock(shift_clock), .load(load),
      .serial_in(serial_in), .serial_out(serial_out));

  // The chain is as long as the outputs, which are more than the inputs.
  localparam LENGTH = 58;
  // The inputs in their order: level 1, options 0, and the ports c at bit 30.
  reg [8:0] word;
  wire [LENGTH-1:0] inputs = {19'd0, word[7:0], word[8], 25'd0, 5'd1};
  reg [LENGTH-1:0] outputs;
  integer at;

  // One cycle of the router. `outputs` is what was seen at its edge.
  task cycle;
    begin
      #1 load = 1'b1;
      #1 shift_clock = 1'b1;
      #1 shift_clock = 1'b0;
      load = 1'b0;
      for (at = LENGTH - 1; at >= 0; at = at - 1) begin
        outputs[at] = serial_out;
        serial_in = inputs[at];
        #1 shift_clock = 1'b1;
        #1 shift_clock = 1'b0;
      end
      #1 clock = 1'b1;
      #1 clock = 1'b0;
    end
  endtask

  integer count, wrong = 0;
  reg [8:0] sent[0:12];
  reg [8:0] expected;
  initial begin
    for (count = 0; count <= 12; count = count + 1) sent[count] = 9'd0;
    sent[2] = 9'h101;
    sent[3] = 9'h141;
    sent[4] = 9'h142;
    word = 9'd0;
    repeat (4) cycle;
    reset = 1'b0;
    cycle;
    for (count = 0; count <= 12; count = count + 1) begin
      word = sent[count];
      cycle;
      expected = count >= 4 ? sent[count - 4] : 9'd0;
      // Port a_out_valid is bit 2 of the outputs, a_out_data bits 3 to 10.
      if ({outputs[2], outputs[10:3]} !== expected) begin
        $display("cycle %0d: found %h, expected %h", count, {outputs[2], outputs[10:3]}, expected);
        wrong = wrong + 1;
      end
    end
    if (wrong != 0) $finish_and_return(1);
    else $display("a message passes the router between its registers");
    $finish;
  end
endmodule
`default_nettype wire
