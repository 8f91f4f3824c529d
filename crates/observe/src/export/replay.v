// Drives the network `@network@` as a recorded run did: host pins come from a file,
// random pins are computed. Exported by crosswave @version@.
//
// Options, all read when the run starts:
//   +stimulus=FILE     what the host drives, as below
@scan_options@
//   +seed=N            seed of the random pins (1)
//   +vcd=FILE          writes every port of every chip
//   +quiet             no summary
//
// The stimulus has one line of names and then lines of cycle,port,instance,value, in
// order of cycles; values are hexadecimal. Ports have these numbers:
@host_names@
// and below them stand
//   -1  random pins are held at 0 (value 1) or run (0) from this cycle on
//   -2  time skips from this cycle to cycle `value`, without a clock edge
//   -3  the run ends in this cycle
//
// Time: cycle c lasts from 10c to 10c + 10 ns and begins with a rising edge, except
// cycle 0, the reset cycle, and cycles reached by a skip.
`timescale 1ns/1ns

// verilator lint_off UNUSEDSIGNAL
module testbench;
  reg clock;
  reg jump;  // one rising edge where a skip ends
  reg reset;

  // Host pins, and what they are in the next cycle.
@host_declarations@
  // Random pins and what they are in the next cycle, filled up to whole groups
  // of 64 instances.
@random_declarations@
@scan_chain@
  @network@ network (
@option_connections@
@random_connections@
@host_connections@
@output_connections@
@scan_connections@
      .clock(clock),
      .reset(reset)
  );

  // Pins change after the edge that begins a cycle; the chips sample the
  // values of the cycle before.
  always @(posedge clock) reset <= 1'b0;

  always @(posedge clock or posedge jump) begin
@host_updates@
@random_updates@
  end

@random_bits@

  // ---- Stimulus -------------------------------------------------------------

  reg [8*1024-1:0] stimulus_file;
  integer file, fields, port, instance_number;
  reg [63:0] at, value;
  reg [8*256-1:0] names;

  // Reads the next line.
  task next_line;
    begin
      fields = $fscanf(file, "%d,%d,%d,%h\n", at, port, instance_number, value);
      if (fields != 4) begin
        if (fields > 0 || $feof(file) == 0)
          $fatal(1, "the stimulus has a line that is not cycle,port,instance,value");
        $fatal(1, "the stimulus has no end");
      end
    end
  endtask

  // Takes the lines of a cycle.
  task take(input [63:0] of);
    begin
      while (at == of && port >= -1) begin
        case (port)
          -1: held = value[0];
@host_cases@
          default: $fatal(1, "the stimulus drives port %0d, which there is not", port);
        endcase
        next_line;
      end
    end
  endtask

  // ---- The run --------------------------------------------------------------

  reg [63:0] seed;
  reg [63:0] cycle, next_cycle;
  reg held, ended;

  initial begin
@scan_load@
    if (!$value$plusargs("stimulus=%s", stimulus_file)) stimulus_file = "stimulus.csv";
    if (!$value$plusargs("seed=%d", seed)) seed = 64'd1;
    file = $fopen(stimulus_file, "r");
    if (file == 0) $fatal(1, "cannot read the stimulus %0s", stimulus_file);
    fields = $fgets(names, file);
    next_line;
    clock = 1'b0;
    jump = 1'b0;
    reset = 1'b1;
    held = 1'b1;
@host_resets@
    draw(64'd0, 1'b1);
@random_resets@
    cycle = 64'd0;
    dump;

    ended = 1'b0;
    while (!ended) begin
      #5;
      clock = 1'b0;
      jump = 1'b0;
      ended = at == cycle && port == -3;
      if (!ended) begin
        next_cycle = cycle + 64'd1;
        if (at == cycle && port == -2) begin
          next_cycle = value;
          next_line;
          take(next_cycle);
          draw(next_cycle, held);
          #(64'd10 * (next_cycle - cycle) - 64'd5);
          jump = 1'b1;
        end else begin
          take(next_cycle);
          draw(next_cycle, held);
          #5;
          clock = 1'b1;
        end
        cycle = next_cycle;
      end
    end
    #5;
    if (!$test$plusargs("quiet")) $display("cycles=%0d", cycle);
    $finish(0);
  end

@waveform@
endmodule
