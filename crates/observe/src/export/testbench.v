// Plays the host of the network `@network@`: offers messages, starts rounds,
// drives the random pins and writes the waveform. Exported by crosswave @version@.
//
// Options, all read when the run starts:
//   +messages=FILE     the messages: CSV, one line of column names, then lines of
//                      source,destination,words,offered_cycle in order of source;
//                      offered_cycle 0: when the source's previous one is done
//   +seed=N            seed of the random pins (1)
//   +strategy=N        retry: 0 immediate, 1 rounds, 2 back-off (0)
//   +backoff_limit=N   largest exponent of the back-off; 0 unless strategy is 2 (0)
//   +winner_fixed=B    1: fixed order of winners (0)
//   +early_acknowledge=B    1: the tail frees a circuit (0)
//   +cycles_max=N      the run is given up after this cycle (10^12)
//   +vcd=FILE          writes every port of every chip
//   +outcomes=FILE     writes what became of every message, in their order, as CSV
//   +quiet             no summary
//
// Time: cycle c lasts from 10c to 10c + 10 ns and begins with a rising edge,
// except cycle 0, the reset cycle, and cycles reached by a skip. What the host
// decides from the outputs in cycle c is on the pins from cycle c + 1 on. When
// the network is at rest and nothing is offered, time skips to the next offer
// without a clock edge.
`timescale 1ns/1ns

`ifndef CROSSWAVE_MESSAGES_MAX
`define CROSSWAVE_MESSAGES_MAX 65536
`endif

// verilator lint_off UNUSEDSIGNAL
module testbench;
  localparam NODES = @nodes@;
  // Cycles after the last request in which the random pins still run.
  localparam [63:0] REST_CYCLES = @rest_cycles@;
  localparam MESSAGES_MAX = `CROSSWAVE_MESSAGES_MAX;

  // ---- Pins of the network ----------------------------------------------

  reg clock;
  reg jump;  // one rising edge where a skip ends
  reg reset;
  reg [1:0] strategy;
  reg [3:0] backoff_limit;
  reg winner_fixed;
  reg early_acknowledge;

  // Host pins, and what they are in the next cycle. Bit i, or group i of 20
  // bits, belongs to instance i; see instance_of.
  reg round_start, next_round_start;
  reg [NODES-1:0] tx_request, next_tx_request;
  reg [20*NODES-1:0] tx_destination, next_tx_destination;
  reg [20*NODES-1:0] tx_words, next_tx_words;
  wire [NODES-1:0] tx_launch, tx_collision, tx_done, rx_done, rx_error;

  // Random pins and what they are in the next cycle, filled up to whole groups
  // of 64 instances.
@random_declarations@
  @network@ network (
      .clock(clock),
      .reset(reset),
      .strategy(strategy),
      .backoff_limit(backoff_limit),
      .winner_fixed(winner_fixed),
      .early_acknowledge(early_acknowledge),
@random_connections@
      .node_round_start({NODES{round_start}}),
      .node_tx_request(tx_request),
      .node_tx_destination(tx_destination),
      .node_tx_words(tx_words),
      .node_tx_launch(tx_launch),
      .node_tx_collision(tx_collision),
      .node_tx_done(tx_done),
      .node_rx_done(rx_done),
      .node_rx_error(rx_error)
  );

  // Pins change after the edge that begins a cycle; the chips sample the
  // values of the cycle before.
  always @(posedge clock) reset <= 1'b0;

  always @(posedge clock or posedge jump) begin
    round_start <= next_round_start;
    tx_request <= next_tx_request;
    tx_destination <= next_tx_destination;
    tx_words <= next_tx_words;
@random_updates@
  end

@random_bits@

  // ---- Messages -----------------------------------------------------------

  // Queue of instance i: messages head[i] .. tail[i]-1.
  reg [19:0] message_destination [0:MESSAGES_MAX-1];
  reg [19:0] message_words [0:MESSAGES_MAX-1];
  reg [63:0] message_offer [0:MESSAGES_MAX-1];
  integer head [0:NODES-1];
  integer tail [0:NODES-1];
  integer messages;

  // Even nodes come first.
  function automatic integer instance_of(input integer node);
    instance_of = @instance_of@;
  endfunction

  reg [8*1024-1:0] messages_file;

  task read_messages;
    integer file, fields, source, destination, words, latest;
    reg [63:0] offer;
    reg [8*256-1:0] columns;
    begin
      for (source = 0; source < NODES; source = source + 1) begin
        head[source] = 0;
        tail[source] = 0;
      end
      messages = 0;
      latest = -1;
      file = $fopen(messages_file, "r");
      if (file == 0) $fatal(1, "cannot read the messages %0s", messages_file);
      fields = $fgets(columns, file);
      fields = $fscanf(file, "%d,%d,%d,%d\n", source, destination, words, offer);
      while (fields == 4) begin
        if (messages == MESSAGES_MAX)
          $fatal(1, "more than %0d messages; define CROSSWAVE_MESSAGES_MAX", MESSAGES_MAX);
        if (source < latest || source >= NODES || destination < 0 || destination >= NODES
            || destination == source || words < 1 || words > 1048576)
          $fatal(1, "message %0d is out of order or out of range", messages);
        if (source != latest) head[instance_of(source)] = messages;
        latest = source;
        message_destination[messages] = destination[19:0];
        words = words - 1;
        message_words[messages] = words[19:0];
        message_source[messages] = source;
        message_offer[messages] = offer;
        messages = messages + 1;
        tail[instance_of(source)] = messages;
        fields = $fscanf(file, "%d,%d,%d,%d\n", source, destination, words, offer);
      end
      if (fields > 0 || $feof(file) == 0)
        $fatal(1, "message %0d: expected source,destination,words,offered_cycle", messages);
      $fclose(file);
    end
  endtask

  // ---- The run ------------------------------------------------------------

  reg [63:0] seed;
  reg [63:0] cycles_max;
  reg [63:0] cycle, next_cycle;
  reg [63:0] quiet_from;  // the first quiet cycle
  reg [63:0] earliest;  // the next offer of the idle nodes
  reg [63:0] acknowledged, delivered, collisions, in_flight;
  reg requested, ended;

@outcomes@

  // Counts what the network says in this cycle.
  task observe;
    integer i;
    begin
      for (i = 0; i < NODES; i = i + 1) begin
        if (noting) note(i);
        if (rx_done[i]) delivered = delivered + 64'd1;
        if (tx_launch[i]) in_flight = in_flight + 64'd1;
        if (tx_collision[i]) begin
          in_flight = in_flight - 64'd1;
          collisions = collisions + 64'd1;
        end
        if (tx_done[i]) begin
          in_flight = in_flight - 64'd1;
          acknowledged = acknowledged + 64'd1;
          head[i] = head[i] + 1;
        end
      end
    end
  endtask

  // Decides which cycle comes next and what the pins are then.
  task decide;
    integer i;
    begin
      next_cycle = cycle + 64'd1;
      requested = 1'b0;
      earliest = ~64'd0;
      for (i = 0; i < NODES; i = i + 1)
        if (head[i] < tail[i]) begin
          if (message_offer[head[i]] <= next_cycle) requested = 1'b1;
          else if (message_offer[head[i]] < earliest) earliest = message_offer[head[i]];
        end
      if (cycle != 64'd0 && cycle >= quiet_from && !requested && earliest != ~64'd0) begin
        requested = earliest <= cycles_max;
        next_cycle = requested ? earliest : cycles_max;
      end
      for (i = 0; i < NODES; i = i + 1)
        if (head[i] < tail[i] && message_offer[head[i]] <= next_cycle) begin
          if (!tx_request[i] || tx_done[i]) begin
            next_tx_request[i] = 1'b1;
            next_tx_destination[20*i +: 20] = message_destination[head[i]];
            next_tx_words[20*i +: 20] = message_words[head[i]];
          end
        end else if (tx_request[i]) begin
          next_tx_request[i] = 1'b0;
          next_tx_destination[20*i +: 20] = 20'd0;
          next_tx_words[20*i +: 20] = 20'd0;
        end
      if (requested) quiet_from = next_cycle + REST_CYCLES + 64'd1;
      next_round_start = strategy == 2'd1 && in_flight == 64'd0 && requested && !round_start;
      draw(next_cycle, next_cycle >= quiet_from);
    end
  endtask

  initial begin
    if (!$value$plusargs("messages=%s", messages_file)) messages_file = "messages.csv";
    if (!$value$plusargs("seed=%d", seed)) seed = 64'd1;
    if (!$value$plusargs("strategy=%d", strategy)) strategy = 2'd0;
    if (!$value$plusargs("backoff_limit=%d", backoff_limit)) backoff_limit = 4'd0;
    if (!$value$plusargs("winner_fixed=%d", winner_fixed)) winner_fixed = 1'b0;
    if (!$value$plusargs("early_acknowledge=%d", early_acknowledge)) early_acknowledge = 1'b0;
    if (!$value$plusargs("cycles_max=%d", cycles_max)) cycles_max = 64'd1000000000000;
    clock = 1'b0;
    jump = 1'b0;
    reset = 1'b1;
    next_round_start = 1'b0;
    next_tx_request = 0;
    next_tx_destination = 0;
    next_tx_words = 0;
    round_start = next_round_start;
    tx_request = next_tx_request;
    tx_destination = next_tx_destination;
    tx_words = next_tx_words;
    draw(64'd0, 1'b1);
@random_resets@
    cycle = 64'd0;
    quiet_from = 64'd0;
    acknowledged = 64'd0;
    delivered = 64'd0;
    collisions = 64'd0;
    in_flight = 64'd0;
    read_messages;
    begin_outcomes;
    dump;

    ended = 1'b0;
    while (!ended) begin
      #5;
      clock = 1'b0;
      jump = 1'b0;
      if (cycle != 64'd0) observe;
      ended = (acknowledged == {32'd0, messages[31:0]} && delivered == {32'd0, messages[31:0]})
          || cycle >= cycles_max;
      if (!ended) begin
        decide;
        if (next_cycle == cycle + 64'd1) begin
          #5;
          cycle = next_cycle;
          clock = 1'b1;
        end else begin
          #(64'd10 * (next_cycle - cycle) - 64'd5);
          cycle = next_cycle;
          jump = 1'b1;
        end
      end
    end
    #5;
    if (noting) write_outcomes;
    if (!$test$plusargs("quiet"))
      $display("cycles=%0d delivered=%0d collisions=%0d", cycle, delivered, collisions);
    $finish(0);
  end

@waveform@
endmodule
