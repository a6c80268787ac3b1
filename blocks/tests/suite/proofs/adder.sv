// Sums printed as gates, beside + and -.
module harness #(parameter BITS = 8, parameter SUBTRACTS = 0) (
    input wire clk,
    input wire [BITS-1:0] a,
    input wire [BITS-1:0] b
);
    wire [BITS-1:0] sum;
    wire [BITS-1:0] expected = SUBTRACTS ? a - b : a + b;

    block dut (.clk(clk), .rst(1'b0), .a(a), .b(b), .sum(sum));

    always @* assert (sum == expected);
endmodule
