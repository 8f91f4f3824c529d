  // ---- Waveform -----------------------------------------------------------

  // Every port of every chip. Verilator chooses the signals when it compiles,
  // see run-verilator.sh.
  reg [8*1024-1:0] waveform_file;
  task dump;
    if ($value$plusargs("vcd=%s", waveform_file)) begin
      $dumpfile(waveform_file);
`ifdef VERILATOR
      $dumpvars(0, testbench);
`else
@dumps@
`endif
    end
  endtask
