  // The options of the routers go through the scan chain before the run, by a clock of its
  // own, in no time. A beat of that clock is over when everything that follows from it has
  // happened. A 1 goes ahead of the options, and the beats until it is at the end are the
  // length of the chain.
  reg scan_clock, scan_reset, scan_shift, scan_in, scan_ask, scan_settled;
  wire scan_out;
  reg [8*1024-1:0] options_file;
  reg [127:0] router_options;
  integer routers_loaded, option_number, beats, beats_to_end;

  always @(scan_ask) scan_settled <= scan_ask;

  task scan_settle;
    begin
      scan_ask = !scan_ask;
      @(scan_settled);
    end
  endtask

  task scan_beat;
    begin
      scan_clock = 1'b1;
      scan_settle;
      scan_clock = 1'b0;
      scan_settle;
      beats = beats + 1;
      if (scan_out && beats_to_end == 0) beats_to_end = beats;
    end
  endtask

  task load_options;
    begin
      if (!$value$plusargs("options=%s", options_file)) options_file = "options.hex";
      file = $fopen(options_file, "r");
      if (file == 0) $fatal(1, "cannot read the options %0s", options_file);
      scan_clock = 1'b0;
      scan_ask = 1'b0;
      scan_shift = 1'b0;
      scan_in = 1'b1;
      scan_reset = 1'b1;
      scan_settle;
      scan_beat;
      scan_reset = 1'b0;
      scan_shift = 1'b1;
      beats = 0;
      beats_to_end = 0;
      scan_beat;
      for (routers_loaded = 0; routers_loaded < @routers@; routers_loaded = routers_loaded + 1) begin
        fields = $fscanf(file, "%h\n", router_options);
        if (fields != 1 || router_options >> 105 != 0)
          $fatal(1, "%0s: line %0d is not a hexadecimal number of 105 bits, of @routers@ such lines",
                 options_file, routers_loaded + 1);
        for (option_number = 0; option_number < 105; option_number = option_number + 1) begin
          scan_in = router_options[option_number];
          scan_beat;
        end
      end
      scan_shift = 1'b0;
      if ($fscanf(file, "%h\n", router_options) > 0)
        $fatal(1, "%0s: there are more than @routers@ lines, one for each router", options_file);
      if (beats_to_end == 0)
        $fatal(1, "the chain has more than 105 places for each of @routers@ routers");
      if (beats_to_end != 105 * @routers@)
        $fatal(1, "the chain has %0d places, and not 105 for each of @routers@ routers", beats_to_end);
      $fclose(file);
    end
  endtask
