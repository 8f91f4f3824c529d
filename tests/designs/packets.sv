// Packed structs, an enum and a vector, as designs in SystemVerilog have them: what Verilator
// dumps of it with --trace-structs is read in tests/slow/foreign.rs.
module packets (
    input logic clk
);
  typedef enum logic [1:0] {
    IDLE,
    HEAD,
    BODY
  } state_t;

  typedef struct packed {
    logic       valid;
    logic [7:0] data;
    state_t     state;
  } word_t;

  word_t      sent;
  word_t [1:0] kept;
  state_t     state;
  logic [4:0] count;

  initial begin
    state = IDLE;
    count = 0;
    sent  = '0;
    kept  = '0;
  end

  always_ff @(posedge clk) begin
    count <= count + 1;
    unique case (state)
      IDLE: state <= HEAD;
      HEAD: state <= BODY;
      default: state <= count[1:0] == 3 ? IDLE : BODY;
    endcase
    sent <= '{valid: state != IDLE, data: {count, 3'd5}, state: state};
    kept <= {kept[0], sent};
  end
endmodule

module bench;
  logic clk = 0;
  packets packets (.clk(clk));
  always #5 clk = ~clk;
  initial begin
    $dumpfile("out.dump");
    $dumpvars;
    #200 $finish;
  end
endmodule
