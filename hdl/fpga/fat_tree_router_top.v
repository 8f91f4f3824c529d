// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `hdl/fpga/top.sh fat_tree_router`: the chip between registers, behind six pins. README.md
// says how a tester uses them.
`default_nettype none

module fat_tree_router_top (
    input  wire clock,
    input  wire reset,
    input  wire shift_clock,
    input  wire load,
    input  wire serial_in,
    output wire serial_out
);
  wire chip_reset;
  wire [51:0] inputs;
  wire [57:0] outputs;
  fpga_pins #(.INPUTS(52), .OUTPUTS(58)) pins (
      .clock(clock), .reset(reset), .shift_clock(shift_clock), .load(load),
      .serial_in(serial_in), .serial_out(serial_out), .chip_reset(chip_reset),
      .inputs(inputs), .outputs(outputs));

  wire [18:0] random;
  lfsr_random #(.BITS(19)) generator (
      .clock(clock), .reset(reset), .seed(61'h0123_4567_89ab_cdef), .bits(random));
  // 1 in one case of three.
  reg third;
  always @(posedge clock) third <= random[18:3] < 16'd21845;

  fat_tree_router chip (
      .clock(clock),
      .reset(chip_reset),
      .level(inputs[4:0]),
      .winner_fixed(inputs[5]),
      .early_acknowledge(inputs[6]),
      .upstream_single(inputs[7]),
      .random_up(random[0]),
      .random_pair_a(random[1]),
      .random_pair_b(random[2]),
      .random_third(third),
      .a_in_valid(inputs[8]),
      .a_in_data(inputs[16:9]),
      .a_in_ack(outputs[0]),
      .a_in_collision(outputs[1]),
      .a_out_valid(outputs[2]),
      .a_out_data(outputs[10:3]),
      .a_out_ack(inputs[17]),
      .a_out_collision(inputs[18]),
      .b_in_valid(inputs[19]),
      .b_in_data(inputs[27:20]),
      .b_in_ack(outputs[11]),
      .b_in_collision(outputs[12]),
      .b_out_valid(outputs[13]),
      .b_out_data(outputs[21:14]),
      .b_out_ack(inputs[28]),
      .b_out_collision(inputs[29]),
      .c_in_valid(inputs[30]),
      .c_in_data(inputs[38:31]),
      .c_in_ack(outputs[22]),
      .c_in_collision(outputs[23]),
      .c_out_valid(outputs[24]),
      .c_out_data(outputs[32:25]),
      .c_out_ack(inputs[39]),
      .c_out_collision(inputs[40]),
      .d_in_valid(inputs[41]),
      .d_in_data(inputs[49:42]),
      .d_in_ack(outputs[33]),
      .d_in_collision(outputs[34]),
      .d_out_valid(outputs[35]),
      .d_out_data(outputs[43:36]),
      .d_out_ack(inputs[50]),
      .d_out_collision(inputs[51]),
      .a_state(outputs[47:44]),
      .b_state(outputs[51:48]),
      .c_state(outputs[54:52]),
      .d_state(outputs[57:55]));
endmodule
`default_nettype wire
