// SPDX-License-Identifier: MIT OR Apache-2.0
// One input port of RN1 among neighbours that do anything, said clock by clock of
// its ports: given the state and the wires of the clock before (names ending in
// _1), what they are now. The output it holds is any one, with any delay. HEIGHT: an
// input port that can take the first byte for a height; the word that comes back is the
// same at all outputs, of which rn1_proof tells one from another.
`default_nettype none
`include "rn1_protocol.vh"

module rn1_input_proof (
    input wire        clock,
    input wire        reset,
    input wire        enable,
    input wire        swallow,
`ifdef HEIGHT
    input wire        to_height,
`endif
    input wire [4:0]  in_delay,
    input wire [39:0] out_delay,
    input wire [8:0]  in,
    input wire [8:0]  back,
    input wire        granted,
    input wire [2:0]  grant,
    output wire [5:0] reached
);
  wire [8:0] forward, backward;
  wire [2:0] state, target;
  wire [5:0] count;
  wire [7:0] crc;
  wire request, holds, skip;

  // The last three ports are registers that `expose` makes visible.
`ifdef HEIGHT
  wire [3:0] wants;
  wire [7:0] held;
  assign request = |wants;
  assign holds = |held;
  rn1_height_input port (
      .clock(clock), .reset(reset), .enable(enable), .swallow(swallow), .to_height(to_height),
      .in_delay(in_delay), .out_delay(out_delay), .back({8{back}}), .in(in), .wants(wants),
      .grants({7'd0, granted} << grant), .target(target), .held(held), .forward(forward),
      .backward(backward), .state(state), .count(count), .crc(crc), .skip(skip));
`else
  wire to_height = 1'b0;
  rn1_input port (
      .clock(clock), .reset(reset), .enable(enable), .swallow(swallow), .in_delay(in_delay),
      .out_delay(out_delay[5*target +: 5]), .in(in), .back(back), .request(request),
      .granted(granted), .grant(grant), .holds(holds), .target(target), .forward(forward),
      .backward(backward), .state(state), .count(count), .crc(crc), .skip(skip));
`endif

  // The first word, of a height the direction and the height that is left.
  wire [5:0] height = in[5:0];
  wire [8:0] first = ~to_height ? in
                   : height < 6'd3 ? {1'b1, height[1:0], 6'd0}
                   : {3'b111, height - 6'd3};

  // The first clock is a reset; later ones may be. Options stand still. What
  // rn1_direction grants (rn1_direction_proof): only what was asked for, in the
  // direction asked for, and even when it grants nothing.
  reg started = 1'b0, reset_1 = 1'b1;
  wire [47:0] options = {enable, swallow, to_height, in_delay, out_delay};
  reg [47:0] options_1;
  wire active = started & ~reset_1;
  always @(posedge clock) begin
    started   <= 1'b1;
    reset_1   <= reset;
    options_1 <= options;
  end
  always @* begin
    assume (started | reset);
    if (started) assume (options == options_1);
    if (granted) assume (request);
    assume (grant[2:1] == first[7:6]);
    if (~granted) assume (~grant[0]);
  end

  // The status bits, the codes and the polynomial are said again here.
  wire to_reverse = state == `CROSSWAVE_RN1_STATE_TO_REVERSE;
  wire to_forward = state == `CROSSWAVE_RN1_STATE_TO_FORWARD;
  wire turns = to_reverse | to_forward;
  wire passes = state == `CROSSWAVE_RN1_STATE_FORWARD | state == `CROSSWAVE_RN1_STATE_REVERSE;
  wire [8:0] word = state == `CROSSWAVE_RN1_STATE_REVERSE ? back : in;
  wire same_pairs = word[7:6] == word[5:4] & word[5:4] == word[3:2] & word[3:2] == word[1:0];

  reg [8:0] in_1, first_1, back_1, forward_1;
  reg [2:0] state_1, target_1, grant_1;
  reg       granted_1, request_1;
  reg [5:0] age, age_1;  // clocks that the turning has taken
  reg [7:0] sum, sum_1;  // the checksum
  reg       status_1, status_2;  // the last word was a status, and the one before

  function [7:0] summed(input [7:0] old, input [7:0] data);
    integer at;
    reg high;
    begin
      summed = old;
      for (at = 7; at >= 0; at = at - 1) begin
        high = summed[7] ^ data[at];
        summed = {summed[6:0], 1'b0} ^ {5'd0, high, high, high};
      end
    end
  endfunction

  wire turn_1 = in_1 == 9'h0ff;
  wire rest_1 = in_1 == 9'h000;
  wire drop_1 = in_1 == 9'h0aa;
  wire [4:0] place_1 = {target_1[2], 1'b0, target_1[1], 1'b0, target_1[0]};
  wire other_1 = ~turn_1 & ~rest_1 & ~drop_1;
  wire [8:0] status = {4'b0111, place_1};
  wire [8:0] again = age_1[0] ? {4'b0110, place_1} : {1'b1, sum_1};
  wire [5:0] twice_in = {in_delay, 1'b0};
  wire [5:0] twice_out = {out_delay[5*target_1 +: 5], 1'b0};
  wire first_byte_1 = in_1[8]
      & (state_1 == `CROSSWAVE_RN1_STATE_SWALLOW
         | (state_1 == `CROSSWAVE_RN1_STATE_IDLE & enable & ~swallow));

  always @* if (active) begin
`ifdef HEIGHT
    assert (wants == {3'd0, request} << first[7:6]);
    assert (held == {7'd0, holds} << target);
`endif
    assert (request_1 == first_byte_1);
    if (state != `CROSSWAVE_RN1_STATE_IDLE) assert (enable);
    assert (holds == (passes | turns));
    case (state_1)
      `CROSSWAVE_RN1_STATE_IDLE: begin
        assert (backward == 9'd0);
        if (~in_1[8] | ~enable) assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        else if (swallow) assert (state == `CROSSWAVE_RN1_STATE_SWALLOW);
      end
      `CROSSWAVE_RN1_STATE_SWALLOW: begin
        if (turn_1 | rest_1)
          assert (state == `CROSSWAVE_RN1_STATE_ANSWER & backward == 9'h0a0);
        else assert (backward == 9'd0);
        if (drop_1) assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        if (other_1 & ~in_1[8]) assert (state == `CROSSWAVE_RN1_STATE_SWALLOW);
      end
      `CROSSWAVE_RN1_STATE_FORWARD: begin
        assert (forward_1 == in_1);
        if (turn_1 | rest_1)
          assert (state == `CROSSWAVE_RN1_STATE_TO_REVERSE & backward == status);
        else assert (backward == 9'd0);
        if (drop_1) assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        if (other_1) assert (state == `CROSSWAVE_RN1_STATE_FORWARD);
      end
      `CROSSWAVE_RN1_STATE_BLOCKED: begin
        if (turn_1 | rest_1)
          assert (state == `CROSSWAVE_RN1_STATE_ANSWER & backward == {4'b0101, place_1});
        else assert (backward == 9'd0);
        if (drop_1) assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        if (other_1) assert (state == `CROSSWAVE_RN1_STATE_BLOCKED);
      end
      `CROSSWAVE_RN1_STATE_TO_REVERSE: begin
        assert (forward_1 == 9'd0 & backward == again);
        if (age_1 == twice_out) assert (state == `CROSSWAVE_RN1_STATE_REVERSE);
        else assert (state == `CROSSWAVE_RN1_STATE_TO_REVERSE);
      end
      `CROSSWAVE_RN1_STATE_REVERSE: begin
        assert (backward == back_1);
        if (back_1 == 9'h0ff)
          assert (state == `CROSSWAVE_RN1_STATE_TO_FORWARD & forward_1 == status);
        else begin
          assert (forward_1 == 9'd0);
          if (back_1 == 9'h000 | back_1 == 9'h0aa)
            assert (state == `CROSSWAVE_RN1_STATE_IDLE);
          else assert (state == `CROSSWAVE_RN1_STATE_REVERSE);
        end
      end
      `CROSSWAVE_RN1_STATE_TO_FORWARD: begin
        assert (backward == 9'd0 & forward_1 == again);
        if (age_1 == twice_in) assert (state == `CROSSWAVE_RN1_STATE_FORWARD);
        else assert (state == `CROSSWAVE_RN1_STATE_TO_FORWARD);
      end
      `CROSSWAVE_RN1_STATE_ANSWER:
        assert (state == `CROSSWAVE_RN1_STATE_IDLE & backward == 9'h100);
    endcase
    if (first_byte_1) begin
      assert (backward == 9'd0 & forward_1 == first_1 & target == grant_1);
      if (granted_1) assert (state == `CROSSWAVE_RN1_STATE_FORWARD);
      else assert (state == `CROSSWAVE_RN1_STATE_BLOCKED);
    end else if (state == `CROSSWAVE_RN1_STATE_IDLE | state == `CROSSWAVE_RN1_STATE_SWALLOW)
      assert (target == 3'd0);
    else assert (target == target_1);

`ifndef PORTS_ONLY
    // What makes this inductive: the registers that no port shows.
    assert (crc == sum);
    assert (skip == status_1);
    if (to_reverse)
      assert ({1'b0, count} + {1'b0, age} == {1'b0, out_delay[5*target +: 5], 1'b0});
    else if (to_forward)
      assert ({1'b0, count} + {1'b0, age} == {1'b0, twice_in});
    else assert (count == 6'd0);
    if (~holds) assert (sum == 8'd0);
    if (~passes) assert (~status_1);
`endif
  end
  always @* if (started & reset_1)
    assert ({state, target, count, crc, skip, backward, holds} == 31'd0);

  // The sum is 0 when nothing but a height has passed since the connection was opened
  // or turned; a data word behind a status is a checksum.
  always @* begin
    sum = sum_1;
    if (~active | ~holds) sum = 8'd0;
    else if (first_byte_1) sum = to_height ? 8'd0 : summed(8'd0, in_1[7:0]);
    else if (state_1 == `CROSSWAVE_RN1_STATE_FORWARD & in_1[8] & ~status_2)
      sum = summed(sum_1, in_1[7:0]);
    else if (state_1 == `CROSSWAVE_RN1_STATE_REVERSE & back_1[8] & ~status_2)
      sum = summed(sum_1, back_1[7:0]);
    else if (passes & state_1 != state) sum = 8'd0;
  end
  always @(posedge clock) begin
    in_1      <= in;
    first_1   <= first;
    back_1    <= back;
    forward_1 <= forward;
    state_1   <= state;
    target_1  <= target;
    grant_1   <= grant;
    granted_1 <= granted;
    request_1 <= request;
    age       <= (reset | ~turns) ? 6'd0 : age + 6'd1;
    age_1     <= age;
    sum_1     <= sum;
    status_1  <= ~reset & passes & ~word[8] & ~same_pairs;
    status_2  <= ~reset & status_1;
  end

  // Situations that must be reachable, so that nothing above holds for want of
  // traffic: turned twice; a status repeated; a checksum that does not count;
  // an answer without a byte to route by. With heights: one that leads up with some
  // left, and one behind a byte that is swallowed.
  reg turned;
  always @(posedge clock) turned <= ~reset & holds & (turned | to_forward);
  assign reached[0] = active & turned & to_reverse;
  assign reached[1] = active & to_forward & age == 6'd3;
  assign reached[2] = active & passes & status_1 & word[8] & sum != 8'd0;
  assign reached[3] = active & state == `CROSSWAVE_RN1_STATE_ANSWER & swallow & backward == 9'h0a0;
  assign reached[4] = active & to_height & first_byte_1 & granted_1 & forward_1 == 9'h1c4;
  assign reached[5] = active & to_height & state_1 == `CROSSWAVE_RN1_STATE_SWALLOW & holds
                    & forward_1 == 9'h180;
endmodule
`default_nettype wire
