// SPDX-License-Identifier: MIT OR Apache-2.0
// The m-port switch that frees outputs behind the tail, with four ports, between senders
// and receivers that do anything the protocol allows: every input of this module is free in
// every clock.
`default_nettype none
`ifndef DROP
`define DROP 0
`endif

module mport_tail_switch_proof (
    input wire        clock,
    input wire        reset,
    input wire        winner_fixed,
    input wire [1:0]  random_order,
    input wire [3:0]  in_valid,
    input wire [31:0] in_data,
    input wire [3:0]  out_ack,
    input wire [3:0]  out_collision,
    input wire [3:0]  pick,
    output wire [5:0] reached
);
  wire [3:0] in_ack, in_collision, out_valid, bypass;
  wire [31:0] out_data;
  wire [19:0] state;
  wire [63:0] to, from;
  wire [15:0] acked, collided;

  // The last ports of the list are registers that `expose` makes visible.
  mport_tail_switch chip (
      .clock(clock), .reset(reset), .winner_fixed(winner_fixed), .random_order(random_order),
      .in_valid(in_valid), .in_data(in_data), .in_ack(in_ack), .in_collision(in_collision),
      .out_valid(out_valid), .out_data(out_data), .out_ack(out_ack),
      .out_collision(out_collision), .state(state),
      .\inputs[0].unit.port_input.bypass (bypass[0]),
      .\inputs[1].unit.port_input.bypass (bypass[1]),
      .\inputs[2].unit.port_input.bypass (bypass[2]),
      .\inputs[3].unit.port_input.bypass (bypass[3]),
      .\inputs[0].unit.port_input.to (to[15:0]),
      .\inputs[1].unit.port_input.to (to[31:16]),
      .\inputs[2].unit.port_input.to (to[47:32]),
      .\inputs[3].unit.port_input.to (to[63:48]),
      .\inputs[0].unit.port_input.acked (acked[3:0]),
      .\inputs[1].unit.port_input.acked (acked[7:4]),
      .\inputs[2].unit.port_input.acked (acked[11:8]),
      .\inputs[3].unit.port_input.acked (acked[15:12]),
      .\inputs[0].unit.port_input.collided (collided[3:0]),
      .\inputs[1].unit.port_input.collided (collided[7:4]),
      .\inputs[2].unit.port_input.collided (collided[11:8]),
      .\inputs[3].unit.port_input.collided (collided[15:12]),
      .\outputs[0].unit.awaited.from (from[15:0]),
      .\outputs[1].unit.awaited.from (from[31:16]),
      .\outputs[2].unit.awaited.from (from[47:32]),
      .\outputs[3].unit.awaited.from (from[63:48]));

  // The first clock is a reset; later ones may be. The option stands still.
  reg started = 1'b0;
  reg winner_fixed_1;
  wire active = started & ~reset;
  always @(posedge clock) begin
    started        <= 1'b1;
    winner_fixed_1 <= winner_fixed;
  end
  always @* begin
    if (`DROP != 7) assume (started | reset);
    if (started && `DROP != 6) assume (winner_fixed == winner_fixed_1);
  end

  wire [15:0] circuits, holders, wants, wanted;
  wire [11:0] due;
  wire [3:0] drain, goes_up, watched, crowded;
  genvar port, other;
  generate
    for (port = 0; port < 4; port = port + 1) begin : ports
      assign circuits[port*4 +: 4] = state[port*5 +: 4];
      assign drain[port] = state[port*5 + 4];
      for (other = 0; other < 4; other = other + 1) begin : pairs
        assign holders[port*4+other] = circuits[other*4+port];
        assign wanted[port*4+other]  = wants[other*4+port];
      end
      tail_input_monitor #(
          .UPSTREAM_PORT(1), .ROUTED(1), .PORT(port), .DROP(`DROP)
      ) sender (
          .clock(clock), .reset(reset), .active(active), .level(5'd0), .upstream_single(1'b1),
          .valid(in_valid[port]), .data(in_data[port*8 +: 8]),
          .ack(in_ack[port]), .collision(in_collision[port]),
          .circuit(circuits[port*4 +: 4]), .drain(drain[port]),
          .out_ack(out_ack), .out_collision(out_collision),
          .out_valid(out_valid), .out_data(out_data),
          .due(due), .pick(pick[port]), .bypass(bypass[port]),
          .to(to[port*16 +: 16]), .acked(acked[port*4 +: 4]),
          .collided(collided[port*4 +: 4]), .from(from),
          .goes_up(goes_up[port]), .wants(wants[port*4 +: 4]), .watched(watched[port]));
      tail_output_monitor #(.DROP(`DROP)) receiver (
          .clock(clock), .reset(reset), .active(active),
          .winner_fixed(winner_fixed), .one(1'b0),
          .valid(out_valid[port]), .data(out_data[port*8 +: 8]),
          .ack(out_ack[port]), .collision(out_collision[port]),
          .holders(holders[port*4 +: 4]), .asked(1'b1), .wanted(wanted[port*4 +: 4]),
          .from(from[port*16 +: 16]), .due_before(due[port*3 +: 3]), .crowded(crowded[port]));
    end
  endgenerate

  // Situations that must be reachable, so that nothing above holds for want of traffic: an
  // answer waits behind an older one; two and more answers are awaited at an output; the next
  // message passes an output before the one before it is answered; a head is rejected at an
  // input that waits for nothing, and another one at an input that waits for an older
  // answer; an answer comes to an input whose next message is on its way.
  reg busy_1;  // input 3 held an output or drained a clock ago
  always @(posedge clock) busy_1 <= reset | (|state[19:15]);
  assign reached[0] = active & watched[2];
  assign reached[1] = active & crowded[0];
  assign reached[2] = active & crowded[1] & out_valid[1];
  assign reached[3] = active & drain[3] & in_collision[3];
  assign reached[4] = active & drain[3] & ~busy_1 & ~in_collision[3] & (|to[63:48]);
  assign reached[5] = active & in_ack[2] & circuits[9];
endmodule
`default_nettype wire
