// Memories as routers have them: a buffer with enables for bytes and two ports that write, whose words
// begin at address 4; one whose registered read shows what is written at the same edge, one that shows the
// word before, with enable and reset; a table; and a list whose next address is the word that was read.
module bank #(parameter WORDS = 64) (
    input  wire        clk,
    input  wire        rst,
    input  wire [6:0]  wa, wb, ra, rb,
    input  wire [23:0] da, db,
    input  wire [2:0]  ea,
    input  wire        eb, read,
    output wire [23:0] now,
    output wire [23:0] first,
    output reg  [23:0] older,
    output wire [6:0]  next
);
    reg [23:0] words [4:WORDS + 3];
    reg [6:0] address;
    always @(posedge clk) begin
        if (ea[0]) words[wa][7:0] <= da[7:0];
        if (ea[1]) words[wa][15:8] <= da[15:8];
        if (ea[2]) words[wa][23:16] <= da[23:16];
        if (eb) words[wb] <= db;
    end
    assign now = words[ra];

    reg [23:0] through [0:WORDS - 1];
    always @(posedge clk) begin
        if (ea[0]) through[wa] <= da;
        address <= ra;
    end
    assign first = through[address];

    reg [23:0] old [0:WORDS - 1];
    integer i;
    initial for (i = 0; i < WORDS; i = i + 1) old[i] = 24'h5a0000 + 77 * i;
    always @(posedge clk) begin
        if (eb) old[wb] <= db;
        if (rst) older <= 24'h123456;
        else if (read) older <= old[rb];
    end

    reg [6:0] list [0:127];
    initial for (i = 0; i < 128; i = i + 1) list[i] = (37 * i + 11) % 128;
    always @(posedge clk) if (read) list[rb] <= list[list[ra]] ^ db[6:0];
    assign next = list[list[list[ra]]];
endmodule

// Banks in a row: what one shows is what the next one is asked, in the same cycle.
module memories (
    input  wire         clk,
    input  wire         rst,
    input  wire [6:0]   wa, wb, ra, rb,
    input  wire [23:0]  da, db,
    input  wire [2:0]   ea,
    input  wire         eb, read,
    output wire [23:0]  now,
    output wire [23:0]  first,
    output wire [23:0]  older,
    output wire [6:0]   next,
    output wire [15:0]  entry,
    output wire [7:0]   parity
);
    localparam BANKS = 6;
    wire [24 * BANKS - 1:0] nows, firsts, olders;
    wire [7 * BANKS + 6:0] nexts;
    assign nexts[6:0] = ra;
    genvar g;
    generate for (g = 0; g < BANKS; g = g + 1) begin : row
        bank b (
            .clk(clk), .rst(rst), .wa(wa ^ g), .wb(wb), .ra(nexts[7 * g +: 7]), .rb(rb + g),
            .da(da), .db(db ^ {24{g[0]}}), .ea(ea), .eb(eb), .read(read),
            .now(nows[24 * g +: 24]), .first(firsts[24 * g +: 24]),
            .older(olders[24 * g +: 24]), .next(nexts[7 * g + 7 +: 7])
        );
        assign parity[g] = ^nexts[7 * g +: 7] ^ ^olders[24 * g +: 24];
    end endgenerate
    assign parity[7:BANKS] = 0;
    assign now = nows[24 * BANKS - 1 -: 24];
    assign first = firsts[24 * BANKS - 1 -: 24];
    assign older = olders[24 * BANKS - 1 -: 24];
    assign next = nexts[7 * BANKS +: 7];

    reg [15:0] table_of [0:255];
    integer i;
    initial for (i = 0; i < 256; i = i + 1) table_of[i] = (i * i * 31 + 7) % 65536;
    assign entry = table_of[{ra[0], rb}];
endmodule
