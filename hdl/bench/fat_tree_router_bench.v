// SPDX-License-Identifier: MIT OR Apache-2.0
// Bench of fat_tree_router that checks itself: of two messages that want output a one passes, word
// by word, and is acknowledged; the other one is rejected. A third one goes up, where its random pin
// says. Words and cycles are those of fat_tree_router.md.
`default_nettype none

module fat_tree_router_bench;
  reg clock = 1'b0, reset = 1'b1;
  reg [8:0] a_in = 9'd0, c_in = 9'd0, d_in = 9'd0;
  reg a_ack = 1'b0, prefers_d = 1'b0;
  wire [8:0] a_out, b_out, c_out, d_out;
  wire a_in_ack, a_in_collision, c_in_ack, c_in_collision, d_in_ack, d_in_collision;
  fat_tree_router router (
      .clock(clock), .reset(reset), .level(5'd1), .winner_fixed(1'b1), .early_acknowledge(1'b0),
      .upstream_single(1'b0), .random_up(prefers_d), .random_pair_a(1'b0), .random_pair_b(1'b0),
      .random_third(1'b0),
      .a_in_valid(a_in[8]), .a_in_data(a_in[7:0]), .a_in_ack(a_in_ack),
      .a_in_collision(a_in_collision),
      .a_out_valid(a_out[8]), .a_out_data(a_out[7:0]), .a_out_ack(a_ack), .a_out_collision(1'b0),
      .b_in_valid(1'b0), .b_in_data(8'd0), .b_in_ack(), .b_in_collision(),
      .b_out_valid(b_out[8]), .b_out_data(b_out[7:0]), .b_out_ack(1'b0), .b_out_collision(1'b0),
      .c_in_valid(c_in[8]), .c_in_data(c_in[7:0]), .c_in_ack(c_in_ack),
      .c_in_collision(c_in_collision),
      .c_out_valid(c_out[8]), .c_out_data(c_out[7:0]), .c_out_ack(1'b0), .c_out_collision(1'b0),
      .d_in_valid(d_in[8]), .d_in_data(d_in[7:0]), .d_in_ack(d_in_ack),
      .d_in_collision(d_in_collision),
      .d_out_valid(d_out[8]), .d_out_data(d_out[7:0]), .d_out_ack(1'b0), .d_out_collision(1'b0),
      .a_state(), .b_state(), .c_state(), .d_state());

  always #5 clock = ~clock;
  integer cycle = -1;
  always @(posedge clock) begin
    reset <= 1'b0;
    cycle <= cycle + 1;
    // A message from c, one from d, and two from a, one after the other, with other random pins.
    c_in <= cycle < 0 || cycle > 3 ? 9'd0 : cycle == 0 ? 9'h101 : 9'h140 + cycle;
    d_in <= cycle < 0 || cycle > 3 ? 9'd0 : cycle == 0 ? 9'h101 : 9'h180 + cycle;
    a_in <= cycle == 12 ? 9'h102 : cycle == 13 ? 9'h103 : cycle == 14 ? 9'h1aa : 9'd0;
    a_ack <= cycle == 8;
    prefers_d <= cycle >= 12;
  end

  integer wrong = 0;
  task expect_word(input [8*14:1] name, input [8:0] found, input [8:0] expected);
    if (found !== expected) begin
      $display("cycle %0d, %0s: found %h, expected %h", cycle, name, found, expected);
      wrong = wrong + 1;
    end
  endtask

  always @(negedge clock) if (cycle >= 0) begin
    case (cycle)
      3: expect_word("a_out", a_out, 9'h101);
      4, 5, 6: expect_word("a_out", a_out, 9'h140 + cycle - 3);
      default: expect_word("a_out", a_out, 9'd0);
    endcase
    case (cycle)
      15: expect_word("d_out", d_out, 9'h102);
      16: expect_word("d_out", d_out, 9'h103);
      17: expect_word("d_out", d_out, 9'h1aa);
      default: expect_word("d_out", d_out, 9'd0);
    endcase
    expect_word("b_out", b_out, 9'd0);
    expect_word("c_out", c_out, 9'd0);
    expect_word("c_in_ack", {8'd0, c_in_ack}, {8'd0, cycle == 10});
    expect_word("d_in_collision", {8'd0, d_in_collision}, {8'd0, cycle == 3});
    expect_word("other answers", {5'd0, a_in_ack, a_in_collision, c_in_collision, d_in_ack}, 9'd0);
    if (cycle == 24) begin
      if (wrong != 0) $finish_and_return(1);
      else $display("messages pass, are rejected, and go up");
      $finish;
    end
  end
endmodule
`default_nettype wire
