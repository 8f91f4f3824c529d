  // ---- Random bits --------------------------------------------------------

  function automatic [63:0] splitmix(input [63:0] state);
    reg [63:0] mixed;
    begin
      mixed = state + 64'h9e3779b97f4a7c15;
      mixed = (mixed ^ (mixed >> 30)) * 64'hbf58476d1ce4e5b9;
      mixed = (mixed ^ (mixed >> 27)) * 64'h94d049bb133111eb;
      splitmix = mixed ^ (mixed >> 31);
    end
  endfunction

  function automatic [63:0] key(input [63:0] stream, input [63:0] at);
    key = splitmix(splitmix(splitmix(seed) ^ stream) ^ at);
  endfunction

  // Fair bits of 64 instances.
  function automatic [63:0] fair_word(input [63:0] start, input [63:0] group);
    fair_word = splitmix(start + group * 64'h9e3779b97f4a7c15);
  endfunction

  // Bits of 64 instances that are 1 in 21845 of 65536 cases.
  function automatic [63:0] third_word(input [63:0] start, input [63:0] group);
    reg [63:0] number;
    integer pair;
    begin
      third_word = 64'd0;
      for (pair = 0; pair < 8; pair = pair + 1) begin
        number = 64'd16 * group + 64'd2 * {32'd0, pair[31:0]};
        third_word = third_word | fair_word(start, number);
        third_word = third_word & fair_word(start, number + 64'd1);
      end
    end
  endfunction

  // The random pins of cycle `at`, 0 in a quiet cycle.
  task draw(input [63:0] at, input held);
    integer group, lane, bit_index;
    reg [63:0] start, word;
    begin
@random_draws@
    end
  endtask
