  // ---- What becomes of the messages --------------------------------------

  // With +outcomes only. Cycles are NEVER where something did not happen.
  localparam [63:0] NEVER = ~64'd0;
  reg [8*1024-1:0] outcomes_file;
  reg noting;
  integer message_source [0:MESSAGES_MAX-1];
  integer message_attempts [0:MESSAGES_MAX-1];
  reg [63:0] message_offered [0:MESSAGES_MAX-1];
  reg [63:0] message_sent [0:MESSAGES_MAX-1];
  reg [63:0] message_launched [0:MESSAGES_MAX-1];
  reg [63:0] message_acknowledged [0:MESSAGES_MAX-1];
  // What each instance has received: a list that begins with the latest, -1 at its end.
  reg [63:0] received_cycle [0:MESSAGES_MAX-1];
  integer received_before [0:MESSAGES_MAX-1];
  integer received_latest [0:NODES-1];
  integer receipts;

  task begin_outcomes;
    integer i;
    begin
      noting = $value$plusargs("outcomes=%s", outcomes_file) != 0;
      receipts = 0;
      for (i = 0; i < NODES; i = i + 1) received_latest[i] = -1;
      for (i = 0; i < messages; i = i + 1) begin
        message_attempts[i] = 0;
        message_offered[i] = message_offer[i] == 64'd0 ? NEVER : message_offer[i];
        message_sent[i] = NEVER;
        message_launched[i] = NEVER;
        message_acknowledged[i] = NEVER;
      end
    end
  endtask

  // Looks at instance i; head[i] is still the message that is offered.
  task note(input integer i);
    begin
      if (rx_done[i]) begin
        received_cycle[receipts] = cycle;
        received_before[receipts] = received_latest[i];
        received_latest[i] = receipts;
        receipts = receipts + 1;
      end
      if (tx_launch[i]) begin
        message_launched[head[i]] = cycle;
        if (message_attempts[head[i]] == 0) message_sent[head[i]] = cycle;
        message_attempts[head[i]] = message_attempts[head[i]] + 1;
      end
      if (tx_done[i]) begin
        message_acknowledged[head[i]] = cycle;
        if (head[i] + 1 < tail[i] && message_offer[head[i]+1] == 64'd0)
          message_offered[head[i]+1] = cycle + 64'd1;
      end
    end
  endtask

  // Extra clocks of the links from a node up to and into a level.
  function automatic [63:0] climb(input integer level);
    case (level)
@climbs@
      default: climb = 64'd0;
    endcase
  endfunction

  // The cycle in which the destination of message m received it: the one after its last
  // launch that the way takes (a router 2 clocks, a link its extra ones, the words and the
  // silence behind them), when something was received there then.
  function automatic [63:0] delivered_cycle(input integer m);
    integer difference, turn, receipt;
    reg [63:0] due;
    begin
      difference = message_source[m] ^ {12'd0, message_destination[m]};
      turn = 0;
      while (difference > 1) begin
        difference = difference / 2;
        turn = turn + 1;
      end
      due = message_launched[m] + 64'd4 * {32'd0, turn[31:0]} + 64'd2 + 64'd2 * climb(turn)
          + {44'd0, message_words[m]} + 64'd2;
      delivered_cycle = NEVER;
      receipt = received_latest[instance_of({12'd0, message_destination[m]})];
      while (receipt != -1) begin
        if (received_cycle[receipt] == due) delivered_cycle = due;
        receipt = received_before[receipt];
      end
    end
  endfunction

  task write_cycle(input integer file, input [63:0] value);
    if (value != NEVER && value <= cycle) $fwrite(file, ",%0d", value);
    else $fwrite(file, ",");
  endtask

  task write_outcomes;
    integer file, m;
    begin
      file = $fopen(outcomes_file, "w");
      if (file == 0) $fatal(1, "cannot write the outcomes %0s", outcomes_file);
      $fwrite(file, "source,destination,offered_cycle,sent_cycle,attempts,");
      $fwrite(file, "delivered_cycle,acknowledged_cycle\n");
      for (m = 0; m < messages; m = m + 1) begin
        $fwrite(file, "%0d,%0d", message_source[m], message_destination[m]);
        write_cycle(file, message_offered[m]);
        write_cycle(file, message_sent[m]);
        $fwrite(file, ",%0d", message_attempts[m]);
        write_cycle(file, message_acknowledged[m] == NEVER ? NEVER : delivered_cycle(m));
        write_cycle(file, message_acknowledged[m]);
        $fwrite(file, "\n");
      end
      $fclose(file);
    end
  endtask
