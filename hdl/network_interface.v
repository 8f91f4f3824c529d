// Network interface of a node: a sender with three retry strategies, whose header
// is the level of the turn and the destination's address, and a receiver that checks
// and acknowledges.
//
// Source: Strumpen & Krishnamurthy 2005, sections 3 and 7. Header, payload and
// back-off: assumed. Ports, protocol and timing: network_interface.md.
`default_nettype none

module network_interface (
`include "network_interface_ports.vh"
);
  // The level at which the message turns: the highest address bit in which
  // node and destination differ.
  wire [19:0] difference = node ^ tx_destination;
  reg [4:0] turn_level;
  always @* begin : highest_bit
    integer bit_index;
    turn_level = 5'd0;
    for (bit_index = 1; bit_index < 20; bit_index = bit_index + 1)
      if (difference[bit_index]) turn_level = bit_index[4:0];
  end
  wire [7:0] first_word = {3'd0, turn_level};
  wire [1:0] more_words = (|difference[19:17]) ? 2'd3
                        : (|difference[16:9])  ? 2'd2
                        : (|difference[8:1])   ? 2'd1 : 2'd0;
  wire [1:0] header_left;
  wire [7:0] next_word = header_left[1]
      ? (header_left[0] ? {4'd0, tx_destination[19:16]} : tx_destination[15:8])
      : tx_destination[7:0];

  circuit_sender #(.HEADER_BITS(2)) sender (
      .clock(clock), .reset(reset), .strategy(strategy), .backoff_limit(backoff_limit),
      .random_wait(random_wait), .round_start(round_start), .tx_request(tx_request),
      .tx_destination(tx_destination), .tx_words(tx_words), .tx_launch(tx_launch),
      .tx_collision(tx_collision), .tx_done(tx_done),
      .first_word(first_word), .more_words(more_words), .next_word(next_word),
      .header_left(header_left), .out_valid(net_out_valid), .out_data(net_out_data),
      .out_ack(net_out_ack), .out_collision(net_out_collision), .tx_state(tx_state));

  circuit_receiver receiver (
      .clock(clock), .reset(reset), .node(node), .early_acknowledge(early_acknowledge),
      .in_valid(net_in_valid), .in_data(net_in_data), .in_ack(net_in_ack),
      .in_collision(net_in_collision), .rx_done(rx_done), .rx_error(rx_error),
      .rx_state(rx_state));
endmodule
`default_nettype wire
