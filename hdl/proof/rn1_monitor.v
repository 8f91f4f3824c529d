// What one input of RN1 must do, said clock by clock of its ports: given the state
// and the wires of the clock before (names ending in _1), what its state and its
// wires are now.
`default_nettype none
`include "rn1_protocol.vh"

module rn1_monitor #(
    parameter [2:0] INDEX = 3'd0
) (
    input wire        clock,
    input wire        reset,
    input wire        active,     // the clock before was no reset, nor is this one
    input wire        two_crossbars,
    input wire        swallow,
    input wire        enable,
    input wire [7:0]  out_enable,
    input wire [3:0]  in_delay,
    input wire [31:0] out_delay,
    input wire [8:0]  in,
    input wire [71:0] back,       // of all outputs
    input wire [71:0] out,
    input wire [8:0]  backward,
    input wire [2:0]  state,
    input wire [2:0]  target,
    input wire [7:0]  held,       // outputs that some input holds
    input wire [7:0]  held_1,
    // Registers that no port shows.
    input wire [4:0]  count,
    input wire [7:0]  crc,
    input wire        skip,
    output wire       holds
);
  assign holds = state == `CROSSWAVE_RN1_STATE_FORWARD | state == `CROSSWAVE_RN1_STATE_TO_REVERSE
               | state == `CROSSWAVE_RN1_STATE_REVERSE | state == `CROSSWAVE_RN1_STATE_TO_FORWARD;
  wire turns = state == `CROSSWAVE_RN1_STATE_TO_REVERSE | state == `CROSSWAVE_RN1_STATE_TO_FORWARD;

  reg [8:0] in_1, back_1;
  reg [2:0] state_1, target_1;
  reg [4:0] age, age_1;       // clocks that the turning has taken
  reg [7:0] sum, sum_1;       // checksum, said again
  reg       status_1;         // the last word was a status
  reg       skipped_1;        // so it was in the clock before
  wire [8:0] returned = back[9*target +: 9];

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

  wire connects = (state_1 == `CROSSWAVE_RN1_STATE_IDLE | state_1 == `CROSSWAVE_RN1_STATE_SWALLOW)
                & state == `CROSSWAVE_RN1_STATE_FORWARD;
  wire [8:0] word = state == `CROSSWAVE_RN1_STATE_REVERSE ? returned : in;
  wire same_pairs = word[7:6] == word[5:4] & word[5:4] == word[3:2] & word[3:2] == word[1:0];

  wire turn_1 = in_1 == 9'h0ff;
  wire rest_1 = in_1 == 9'h000;
  wire drop_1 = in_1 == 9'h0aa;
  wire [8:0] sent = out[9*target_1 +: 9];          // at the output held before
  wire [8:0] status = {6'b010011, target_1};
  wire [8:0] again = age_1[0] ? {6'b010001, target_1} : {1'b1, sum_1};
  wire [4:0] twice_in = {in_delay, 1'b0};
  wire [4:0] twice_out = {out_delay[4*target_1 +: 4], 1'b0};
  // The outputs that it could have: of its direction, and of its crossbar.
  wire [7:0] reach = (8'd3 << {in_1[7:6], 1'b0})
                   & (two_crossbars ? (INDEX[2] ? 8'haa : 8'h55) : 8'hff);

  always @* if (active) begin
    if (holds) assert (out_enable[target]);
    if (holds & two_crossbars) assert (target[0] == INDEX[2]);
    if (state != `CROSSWAVE_RN1_STATE_IDLE) assert (enable);
    case (state_1)
      `CROSSWAVE_RN1_STATE_IDLE: begin
        assert (backward == 9'd0);
        if (~in_1[8] | ~enable) assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        else if (swallow) assert (state == `CROSSWAVE_RN1_STATE_SWALLOW);
      end
      `CROSSWAVE_RN1_STATE_SWALLOW: begin
        if (turn_1 | rest_1)
          assert (state == `CROSSWAVE_RN1_STATE_ANSWER & backward == 9'h090);
        else assert (backward == 9'd0);
        if (drop_1) assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        if (~in_1[8] & ~turn_1 & ~rest_1 & ~drop_1)
          assert (state == `CROSSWAVE_RN1_STATE_SWALLOW);
      end
      `CROSSWAVE_RN1_STATE_FORWARD: begin
        assert (sent == in_1);
        if (turn_1 | rest_1)
          assert (state == `CROSSWAVE_RN1_STATE_TO_REVERSE & backward == status);
        else assert (backward == 9'd0);
        if (drop_1) assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        if (~turn_1 & ~rest_1 & ~drop_1) assert (state == `CROSSWAVE_RN1_STATE_FORWARD);
      end
      `CROSSWAVE_RN1_STATE_BLOCKED: begin
        if (turn_1 | rest_1)
          assert (state == `CROSSWAVE_RN1_STATE_ANSWER & backward == {6'b010010, target_1});
        else assert (backward == 9'd0);
        if (drop_1) assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        if (~turn_1 & ~rest_1 & ~drop_1) assert (state == `CROSSWAVE_RN1_STATE_BLOCKED);
      end
      `CROSSWAVE_RN1_STATE_TO_REVERSE: begin
        assert (sent == 9'd0 & backward == again);
        if (age_1 == twice_out) assert (state == `CROSSWAVE_RN1_STATE_REVERSE);
        else assert (state == `CROSSWAVE_RN1_STATE_TO_REVERSE);
      end
      `CROSSWAVE_RN1_STATE_REVERSE: begin
        assert (backward == back_1);
        if (back_1 == 9'h0ff)
          assert (state == `CROSSWAVE_RN1_STATE_TO_FORWARD & sent == status);
        else if (back_1 == 9'h000 | back_1 == 9'h0aa)
          assert (state == `CROSSWAVE_RN1_STATE_IDLE);
        else assert (state == `CROSSWAVE_RN1_STATE_REVERSE & sent == 9'd0);
      end
      `CROSSWAVE_RN1_STATE_TO_FORWARD: begin
        assert (backward == 9'd0 & sent == again);
        if (age_1 == twice_in) assert (state == `CROSSWAVE_RN1_STATE_FORWARD);
        else assert (state == `CROSSWAVE_RN1_STATE_TO_FORWARD);
      end
      `CROSSWAVE_RN1_STATE_ANSWER:
        assert (state == `CROSSWAVE_RN1_STATE_IDLE & backward == 9'h100);
    endcase
    // A first byte is granted an output of its direction, where it is now, or is
    // blocked for want of one.
    if ((state_1 == `CROSSWAVE_RN1_STATE_IDLE & ~swallow & enable & in_1[8])
        | (state_1 == `CROSSWAVE_RN1_STATE_SWALLOW & in_1[8])) begin
      assert (backward == 9'd0);
      assert (state == `CROSSWAVE_RN1_STATE_FORWARD | state == `CROSSWAVE_RN1_STATE_BLOCKED);
      assert (target[2:1] == in_1[7:6]);
      if (state == `CROSSWAVE_RN1_STATE_FORWARD)
        assert (reach[target] & ~held_1[target] & out[9*target +: 9] == in_1);
      else
        assert (~target[0] & (reach & out_enable & ~held_1 & ~held) == 8'd0);
    end else if (state != `CROSSWAVE_RN1_STATE_IDLE) assert (target == target_1);
    if (state == `CROSSWAVE_RN1_STATE_IDLE | state == `CROSSWAVE_RN1_STATE_SWALLOW)
      assert (target == 3'd0);

`ifndef PORTS_ONLY
    // What makes this inductive: the registers that no port shows.
    assert (crc == sum);
    assert (skip == status_1);
    if (state == `CROSSWAVE_RN1_STATE_TO_REVERSE)
      assert ({1'b0, count} + {1'b0, age} == {1'b0, out_delay[4*target +: 4], 1'b0});
    else if (state == `CROSSWAVE_RN1_STATE_TO_FORWARD)
      assert ({1'b0, count} + {1'b0, age} == {1'b0, twice_in});
    else assert (count == 5'd0);
    if (~holds) assert (sum == 8'd0);
    if (~holds | turns) assert (~status_1);
`endif
  end

  // The sum: 0 when nothing has passed since it was opened or turned.
  always @* begin
    sum = sum_1;
    if (~active | ~holds) sum = 8'd0;
    else if (connects) sum = summed(8'd0, in_1[7:0]);
    else if (state_1 == `CROSSWAVE_RN1_STATE_FORWARD & in_1[8] & ~skipped_1)
      sum = summed(sum_1, in_1[7:0]);
    else if (state_1 == `CROSSWAVE_RN1_STATE_REVERSE & back_1[8] & ~skipped_1)
      sum = summed(sum_1, back_1[7:0]);
    else if (state_1 != state
             & (state_1 == `CROSSWAVE_RN1_STATE_TO_REVERSE
                | state_1 == `CROSSWAVE_RN1_STATE_TO_FORWARD)) sum = 8'd0;
  end
  always @(posedge clock) begin
    in_1      <= in;
    back_1    <= returned;
    state_1   <= reset ? 3'd0 : state;
    target_1  <= reset ? 3'd0 : target;
    age       <= (reset | ~turns) ? 5'd0 : age + 5'd1;
    age_1     <= reset ? 5'd0 : age;
    sum_1     <= reset ? 8'd0 : sum;
    status_1  <= ~reset & (state == `CROSSWAVE_RN1_STATE_FORWARD
                           | state == `CROSSWAVE_RN1_STATE_REVERSE) & ~word[8] & ~same_pairs;
    skipped_1 <= ~reset & status_1;
  end
endmodule
`default_nettype wire
