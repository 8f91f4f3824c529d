// Drives @chip@ with what it took in a run, and compares what it shows: written by crosswave @version@.
// +vectors=FILE has a line for each cycle: inputs, then outputs, the first port highest. +last=CYCLE is the last.
module test_bench;
    localparam INPUTS = @inputs@;
    localparam OUTPUTS = @outputs@;
    localparam CYCLES = @cycles@;

    reg                       clock = 0;
    reg                       reset = 1;
    reg  [INPUTS-1:0]         taken = 0;
    wire [OUTPUTS-1:0]        shown;
    reg  [INPUTS+OUTPUTS-1:0] vectors [0:CYCLES-1];
    reg  [OUTPUTS-1:0]        expected;
    reg  [8*1024-1:0]         file;
    integer                   cycle;
    integer                   last;
    integer                   failures = 0;

    @chip@ router (
@connections@
    );

    initial begin
        if (!$value$plusargs("vectors=%s", file) || !$value$plusargs("last=%d", last)) begin
            $display("FAIL give +vectors=FILE and +last=CYCLE");
            $finish;
        end
        $readmemh(file, vectors, 0, last);
        for (cycle = 0; cycle <= last; cycle = cycle + 1) begin
            reset = cycle == 0;
            {taken, expected} = vectors[cycle];
            #4;
            // Outputs have their values from cycle 1 on. One that is X is no difference.
            if (cycle > 0 && |(shown ^ expected) === 1'b1) begin
                if (failures == 0)
                    $display("FAIL cycle %0d: shows %h, expected %h", cycle, shown, expected);
                failures = failures + 1;
            end
            #1 clock = 1;
            #5 clock = 0;
        end
        if (failures == 0)
            $display("PASS %0d cycles", last);
        $finish;
    end
endmodule
