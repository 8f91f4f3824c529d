// SPDX-License-Identifier: MIT OR Apache-2.0
// The ports of a chip behind a few pins: registers around the chip, and a chain with a clock of its
// own by which a tester reads the outputs and sets the inputs. Order and use: README.md.
`default_nettype none

module fpga_pins #(
    parameter INPUTS = 8,  // bits of the inputs of the chip, 2 or more
    parameter OUTPUTS = 8  // bits of its outputs
) (
    input  wire               clock,        // of the chip
    input  wire               reset,        // synchronous to `clock`, active high
    input  wire               shift_clock,  // of the chain; rests while `clock` has an edge
    input  wire               load,         // 1: the chain takes the outputs; 0: it shifts
    input  wire               serial_in,    // enters the chain at bit 0
    output wire               serial_out,   // the last bit of the chain
    output reg                chip_reset,
    output reg  [INPUTS-1:0]  inputs,
    input  wire [OUTPUTS-1:0] outputs
);
  localparam LENGTH = INPUTS > OUTPUTS ? INPUTS : OUTPUTS;
  reg [LENGTH-1:0] chain;
  reg [OUTPUTS-1:0] seen;

  always @(posedge clock) begin
    chip_reset <= reset;
    inputs <= reset ? {INPUTS{1'b0}} : chain[INPUTS-1:0];
    seen <= outputs;
  end

  wire [LENGTH-1:0] shifted = {chain[LENGTH-2:0], serial_in};
  generate
    if (LENGTH > OUTPUTS) begin : longer
      always @(posedge shift_clock)
        chain <= load ? {{LENGTH - OUTPUTS{1'b0}}, seen} : shifted;
    end else begin : as_long
      always @(posedge shift_clock) chain <= load ? seen : shifted;
    end
  endgenerate
  assign serial_out = chain[LENGTH-1];
endmodule
`default_nettype wire
