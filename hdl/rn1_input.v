// SPDX-License-Identifier: MIT OR Apache-2.0
// One input port of RN1: the state of its connection, the words that this
// connection sends each way, and its checksum. The crossbar, the output
// registers and the choice of the output are in rn1.v.
`default_nettype none
`include "rn1_protocol.vh"

(* keep_hierarchy *)
module rn1_input (
    input  wire       clock,
    input  wire       reset,
    input  wire       enable,
    input  wire       swallow,
    // Extra clocks of the wires at this input and at the output it holds.
    input  wire [4:0] in_delay,
    input  wire [4:0] out_delay,
    // The words that arrive: at the input, and at the output it holds.
    input  wire [8:0] in,
    input  wire [8:0] back,
    // The first byte asks for a direction and is granted an output or not.
    output wire       request,
    input  wire       granted,
    input  wire [2:0] grant,
    // The output it holds, and the word that goes there.
    output wire       holds,
    output reg  [2:0] target,
    output wire [8:0] forward,
    // The register that drives the input's backward wires.
    output reg  [8:0] backward,
    output reg  [2:0] state
);
  reg [5:0] count;  // clocks of turning that are left
  reg [7:0] crc;    // of the data since the connection was opened or turned
  reg       skip;   // the last word was a status: a checksum follows, no data

  wire idle       = state == `CROSSWAVE_RN1_STATE_IDLE;
  wire swallowed  = state == `CROSSWAVE_RN1_STATE_SWALLOW;
  wire onward     = state == `CROSSWAVE_RN1_STATE_FORWARD;
  wire blocked    = state == `CROSSWAVE_RN1_STATE_BLOCKED;
  wire to_reverse = state == `CROSSWAVE_RN1_STATE_TO_REVERSE;
  wire reverse    = state == `CROSSWAVE_RN1_STATE_REVERSE;
  wire to_forward = state == `CROSSWAVE_RN1_STATE_TO_FORWARD;
  wire answer     = state == `CROSSWAVE_RN1_STATE_ANSWER;

  // The word of the side that sends.
  wire [8:0] word = reverse ? back : in;
  wire data   = word[8];
  wire rest   = word == `CROSSWAVE_RN1_REST;
  wire drop   = word == `CROSSWAVE_RN1_DROP;
  wire turn   = word == `CROSSWAVE_RN1_TURN;
  wire status = ~data & ~(word[7:6] == word[5:4] & word[5:4] == word[3:2]
                          & word[3:2] == word[1:0]);

  wire starts = idle & data & enable;
  assign request = (starts & ~swallow) | (swallowed & data);
  assign holds   = onward | to_reverse | reverse | to_forward;

  // What ends a phase of the connection. A sender that rests has ended it and
  // is told what became of it, as if it had turned it.
  wire from_input = onward | swallowed | blocked;
  wire asks       = from_input & (turn | rest);
  wire turns_back = reverse & turn;
  wire frees      = (from_input & drop) | (reverse & (drop | rest)) | answer;
  wire turning    = to_reverse | to_forward;
  wire last       = count == 6'd0;

  // Status and checksum in turns, the status first.
  wire is_first    = asks | turns_back;
  wire sends_check = ~is_first & ~count[0];
  wire [8:0] own = sends_check ? `CROSSWAVE_RN1_DATA | {1'b0, crc}
                 : `CROSSWAVE_RN1_STATUS
                   | (is_first ? `CROSSWAVE_RN1_STATUS_FIRST : 9'd0)
                   | (holds ? `CROSSWAVE_RN1_STATUS_CONNECTED : 9'd0)
                   | (target[2] ? `CROSSWAVE_RN1_STATUS_OUTPUT_2 : 9'd0)
                   | (target[1] ? `CROSSWAVE_RN1_STATUS_OUTPUT_1 : 9'd0)
                   | (target[0] ? `CROSSWAVE_RN1_STATUS_OUTPUT_0 : 9'd0);

  assign forward = (turns_back | to_forward) ? own
                 : (onward | request) ? in : 9'd0;

  wire passes = granted | onward | reverse;

  wire [7:0] more_crc;
  rn1_checksum checksum (.crc(crc), .data(word[7:0]), .next(more_crc));

  always @(posedge clock) begin
    if (reset) begin
      state    <= `CROSSWAVE_RN1_STATE_IDLE;
      target   <= 3'd0;
      count    <= 6'd0;
      crc      <= 8'd0;
      skip     <= 1'b0;
      backward <= 9'd0;
    end else begin
      if (frees) state <= `CROSSWAVE_RN1_STATE_IDLE;
      else if (starts & swallow) state <= `CROSSWAVE_RN1_STATE_SWALLOW;
      else if (granted) state <= `CROSSWAVE_RN1_STATE_FORWARD;
      else if (request) state <= `CROSSWAVE_RN1_STATE_BLOCKED;
      else if (asks)
        state <= holds ? `CROSSWAVE_RN1_STATE_TO_REVERSE : `CROSSWAVE_RN1_STATE_ANSWER;
      else if (turns_back) state <= `CROSSWAVE_RN1_STATE_TO_FORWARD;
      else if (turning & last)
        state <= to_reverse ? `CROSSWAVE_RN1_STATE_REVERSE : `CROSSWAVE_RN1_STATE_FORWARD;

      if (frees) target <= 3'd0;
      else if (request) target <= grant;

      if (asks & holds) count <= {out_delay, 1'b0};
      else if (turns_back) count <= {in_delay, 1'b0};
      else if (~last) count <= count - 6'd1;

      if (frees | (turning & last)) crc <= 8'd0;
      else if (passes & data & ~skip) crc <= more_crc;
      skip <= (onward | reverse) & status;

      backward <= (asks | to_reverse | answer) ? own : reverse ? back : 9'd0;
    end
  end
endmodule
`default_nettype wire
