// Compares printed as gates, beside < and <=.
module harness #(parameter BITS = 8, parameter OR_EQUAL = 0) (
    input wire clk,
    input wire [BITS-1:0] a,
    input wire [BITS-1:0] b
);
    wire holds;
    wire expected = OR_EQUAL ? a <= b : a < b;

    block dut (.clk(clk), .rst(1'b0), .a(a), .b(b), .holds(holds));

    always @* assert (holds == expected);
endmodule
