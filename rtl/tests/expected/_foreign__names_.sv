`default_nettype none

module _foreign__names_ (
    input  wire       clk,
    input  wire       rst,     // Synchronous, active high.
    input  wire [3:0] signal,
    output wire [3:0] out
);

  logic [3:0] Signal;

  logic [3:0] __words_ [0:15];
  logic [3:0] __words__data;

  wire [3:0] label__sum__of_;
  block label (
      .clk       (clk),
      .rst       (rst),
      .in        (signal),
      .IN        (signal),
      ._sum__of_ (label__sum__of_)
  );

  wire [3:0] unsigned_ = __words__data ^ Signal;
  wire [3:0] UNSIGNED = unsigned_ ^ signal;

  initial begin
    Signal = 4'd0; __words__data = 4'd0;
  end

  always @(posedge clk) begin
    Signal <= label__sum__of_;
  end

  initial begin
    for (int i = 0; i < 16; i = i + 1) __words_[i] = 4'd0;
  end

  always @(posedge clk) begin
    __words_[Signal] <= label__sum__of_;
    __words__data <= __words_[label__sum__of_];
  end

  // ---- Outputs --------------------------------------------------------------

  assign out = UNSIGNED;

`ifndef SYNTHESIS
  // Must hold in every clock outside reset.
  always @(posedge clk) begin
    if (!rst) begin
      assert_ : assert (unsigned_ < 4'd9)
        else $error("größer als \"neun\"");
    end
  end
`endif

endmodule

`default_nettype wire
