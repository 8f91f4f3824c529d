// SPDX-License-Identifier: MIT OR Apache-2.0
// The m-port switch between senders and receivers that do anything the protocol
// allows: every input of this module is free in every clock.
`default_nettype none
`ifndef DROP
`define DROP 0
`endif
`ifndef INDEX
`define INDEX 2
`endif
`define PORTS (1 << `INDEX)

module mport_switch_proof (
    input wire                  clock,
    input wire                  reset,
    input wire                  winner_fixed,
    input wire                  early_acknowledge,
    input wire [`INDEX-1:0]     random_order,
    input wire [`PORTS-1:0]     in_valid,
    input wire [8*`PORTS-1:0]   in_data,
    input wire [`PORTS-1:0]     out_ack,
    input wire [`PORTS-1:0]     out_collision,
    output wire [5:0]           reached
);
  localparam PORTS = `PORTS;
  wire [PORTS-1:0] in_ack, in_collision, out_valid;
  wire [8*PORTS-1:0] out_data;
  wire [PORTS*(PORTS+1)-1:0] state;
  // The last two registers of every input, which `expose` makes visible.
  wire [PORTS-1:0] bypass, acknowledged;
  mport_switch chip (
      .clock(clock), .reset(reset), .winner_fixed(winner_fixed),
      .early_acknowledge(early_acknowledge), .random_order(random_order),
      .in_valid(in_valid), .in_data(in_data), .in_ack(in_ack), .in_collision(in_collision),
      .out_valid(out_valid), .out_data(out_data), .out_ack(out_ack),
      .out_collision(out_collision), .state(state),
      .\inputs[0].unit.port_input.bypass (bypass[0]),
      .\inputs[1].unit.port_input.bypass (bypass[1]),
      .\inputs[2].unit.port_input.bypass (bypass[2]),
      .\inputs[3].unit.port_input.bypass (bypass[3]),
`ifdef EIGHT
      .\inputs[4].unit.port_input.bypass (bypass[4]),
      .\inputs[5].unit.port_input.bypass (bypass[5]),
      .\inputs[6].unit.port_input.bypass (bypass[6]),
      .\inputs[7].unit.port_input.bypass (bypass[7]),
      .\inputs[4].unit.port_input.acknowledged (acknowledged[4]),
      .\inputs[5].unit.port_input.acknowledged (acknowledged[5]),
      .\inputs[6].unit.port_input.acknowledged (acknowledged[6]),
      .\inputs[7].unit.port_input.acknowledged (acknowledged[7]),
`endif
      .\inputs[0].unit.port_input.acknowledged (acknowledged[0]),
      .\inputs[1].unit.port_input.acknowledged (acknowledged[1]),
      .\inputs[2].unit.port_input.acknowledged (acknowledged[2]),
      .\inputs[3].unit.port_input.acknowledged (acknowledged[3]));

  // The first clock is a reset; later ones may be. Options stand still.
  reg started = 1'b0;
  reg [1:0] options_1;
  wire [1:0] options = {winner_fixed, early_acknowledge};
  wire active = started & ~reset;
  always @(posedge clock) begin
    started   <= 1'b1;
    options_1 <= options;
  end
  always @* begin
    if (`DROP != 7) assume (started | reset);
    if (started && `DROP != 6) assume (options == options_1);
  end

  // By input and by output: what is wanted and held.
  wire [PORTS*PORTS-1:0] wants, wanted, circuits, holders;
  wire [PORTS-1:0] drain, owed;
  genvar port, other;
  generate
    for (port = 0; port < PORTS; port = port + 1) begin : ports
      assign circuits[port*PORTS +: PORTS] = state[port*(PORTS+1) +: PORTS];
      assign drain[port] = state[port*(PORTS+1) + PORTS];
      for (other = 0; other < PORTS; other = other + 1) begin : pairs
        assign wanted[port*PORTS+other]  = wants[other*PORTS+port];
        assign holders[port*PORTS+other] = circuits[other*PORTS+port];
      end
      mport_input_monitor #(.PORTS(PORTS), .OWN(port), .DROP(`DROP)) sender (
          .clock(clock), .reset(reset), .active(active),
          .early_acknowledge(early_acknowledge),
          .valid(in_valid[port]), .data(in_data[port*8 +: 8]),
          .ack(in_ack[port]), .collision(in_collision[port]),
          .circuit(circuits[port*PORTS +: PORTS]), .drain(drain[port]),
          .out_ack(out_ack), .out_collision(out_collision),
          .out_valid(out_valid), .out_data(out_data),
          .bypass(bypass[port]), .acknowledged(acknowledged[port]),
          .wants(wants[port*PORTS +: PORTS]), .owed(owed[port]));
      mport_output_monitor #(.PORTS(PORTS), .DROP(`DROP)) receiver (
          .clock(clock), .reset(reset), .active(active),
          .winner_fixed(winner_fixed), .early_acknowledge(early_acknowledge),
          .valid(out_valid[port]), .data(out_data[port*8 +: 8]),
          .ack(out_ack[port]), .collision(out_collision[port]),
          .holders(holders[port*PORTS +: PORTS]),
          .wanted(wanted[port*PORTS +: PORTS]), .owed(owed));
    end
  endgenerate

  // Situations that must be reachable: three inputs want output 0, and each of two
  // wins; an input is rejected while its output is held; a head that names no
  // output is; an acknowledged circuit outlives its acknowledge; inputs change
  // outputs crosswise.
  reg three_1;
  reg [1:0] nothing;
  reg [PORTS-1:0] taken_1;
  always @(posedge clock) begin
    three_1   <= (&wanted[3:1]);
    nothing   <= {nothing[0], in_valid[3] & in_data[31:24] >= PORTS};
    taken_1   <= holders[1*PORTS +: PORTS] & {PORTS{~reset}};
  end
  assign reached[0] = active & three_1 & holders[1];
  assign reached[1] = active & three_1 & holders[3];
  assign reached[2] = active & (|taken_1) & in_collision[2] & drain[2];
  assign reached[3] = active & nothing[1] & in_collision[3];
  assign reached[4] = active & acknowledged[1] & circuits[PORTS];
  assign reached[5] = active & circuits[1] & circuits[PORTS];
endmodule
`default_nettype wire
