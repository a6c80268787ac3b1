module odd_parity (
    input  wire [7:0] word,
    output wire       odd
);
  assign odd = ^word;
endmodule
