// Every operation of the hardware IR.

`default_nettype none

module operations (
    input  wire          clk,
    input  wire          rst,   // Synchronous, active high.
    input  wire          a1,
    input  wire          b1,
    input  wire [6:0]    by1,
    output wire [90:0]   o1,
    input  wire [7:0]    a8,
    input  wire [7:0]    b8,
    input  wire [6:0]    by8,
    output wire [223:0]  o8,
    input  wire [32:0]   a33,
    input  wire [32:0]   b33,
    input  wire [6:0]    by33,
    output wire [698:0]  o33,
    input  wire [79:0]   a80,
    input  wire [79:0]   b80,
    input  wire [6:0]    by80,
    output wire [1591:0] o80
);

  // ---- Width 1 --------------------------------------------------------------

  wire       a1_and = a1 && b1;
  wire [3:0] a1_and_value = {3'd0, a1_and};
  wire [3:0] a1_and_value_2 = {4{!a1_and}};
  wire       a1_or = a1 || b1;
  wire       a1_xor = a1 ^ b1;
  wire       a1_sum = a1 + b1;
  wire       a1_difference = a1 - b1;
  wire       a1_product = a1 * b1;
  wire       a1_shifted = $signed(a1) >>> by1;
  wire       a1_sum_2 = a1 + b1;
  wire       a1_sum_2_shifted = $signed(a1_sum_2) >>> by1;
  wire       a1_equals = a1 == b1;
  wire       a1_sum_3 = a1 + b1;
  wire       a1_sum_4 = a1 + b1;
  assign o1 = {
    a1_and_value, a1_and_value_2, 3'd0, a1_or, {4{!a1_or}}, 3'd0, a1_xor, {4{!a1_xor}},
    3'd0, a1_sum, {4{!a1_sum}}, 3'd0, a1_difference, {4{!a1_difference}}, 3'd0, a1_product,
    {4{!a1_product}}, {4{a1 << by1}}, 3'd0, (a1 + b1) << by1, {4{a1 >> by1}}, 3'd0,
    (a1 + b1) >> by1, {4{a1_shifted}}, 3'd0, a1_sum_2_shifted,
    a1_equals ? a1_and_value : a1_and_value_2, a1_equals, (a1 + b1) == b1, a1 != b1,
    (a1 + b1) != b1, !a1 && b1, !(a1 + b1) && b1, !a1 || b1, !(a1 + b1) || b1,
    $signed(a1) < $signed(b1), $signed(a1_sum_3) < $signed(b1), $signed(a1) <= $signed(b1),
    $signed(a1_sum_4) <= $signed(b1), a1, a1, a1
  };

  // ---- Width 8 --------------------------------------------------------------

  wire [7:0]  a8_and = a8 & b8;
  wire [10:0] a8_and_value = {3'd0, a8_and};
  wire [7:0]  a8_and_not = ~a8_and;
  wire [10:0] a8_and_not_value = {{3{a8_and_not[7]}}, a8_and_not};
  wire [7:0]  a8_or = a8 | b8;
  wire [7:0]  a8_or_not = ~a8_or;
  wire [7:0]  a8_xor = a8 ^ b8;
  wire [7:0]  a8_xor_not = ~a8_xor;
  wire [7:0]  a8_sum = a8 + b8;
  wire [7:0]  a8_sum_not = ~a8_sum;
  wire [7:0]  a8_difference = a8 - b8;
  wire [7:0]  a8_difference_not = ~a8_difference;
  wire [7:0]  a8_product = a8 * b8;
  wire [7:0]  a8_product_not = ~a8_product;
  wire [7:0]  a8_shifted = a8 << by8;
  wire [7:0]  a8_shifted_2 = a8 >> by8;
  wire [7:0]  a8_shifted_3 = $signed(a8) >>> by8;
  wire [7:0]  a8_sum_2 = a8 + b8;
  wire [7:0]  a8_sum_2_shifted = $signed(a8_sum_2) >>> by8;
  wire        a8_equals = a8 == b8;
  wire [7:0]  a8_sum_3 = a8 + b8;
  wire [7:0]  a8_sum_4 = a8 + b8;
  assign o8 = {
    a8_and_value, a8_and_not_value, 3'd0, a8_or, {{3{a8_or_not[7]}}, a8_or_not}, 3'd0,
    a8_xor, {{3{a8_xor_not[7]}}, a8_xor_not}, 3'd0, a8_sum,
    {{3{a8_sum_not[7]}}, a8_sum_not}, 3'd0, a8_difference,
    {{3{a8_difference_not[7]}}, a8_difference_not}, 3'd0, a8_product,
    {{3{a8_product_not[7]}}, a8_product_not}, {{3{a8_shifted[7]}}, a8_shifted}, 3'd0,
    (a8 + b8) << by8, {{3{a8_shifted_2[7]}}, a8_shifted_2}, 3'd0, (a8 + b8) >> by8,
    {{3{a8_shifted_3[7]}}, a8_shifted_3}, 3'd0, a8_sum_2_shifted,
    a8_equals ? a8_and_value : a8_and_not_value, a8_equals, (a8 + b8) == b8, a8 != b8,
    (a8 + b8) != b8, a8 < b8, (a8 + b8) < b8, a8 <= b8, (a8 + b8) <= b8,
    $signed(a8) < $signed(b8), $signed(a8_sum_3) < $signed(b8), $signed(a8) <= $signed(b8),
    $signed(a8_sum_4) <= $signed(b8), |a8, &a8, ^a8
  };

  // ---- Width 33 -------------------------------------------------------------

  wire [32:0] a33_and = a33 & b33;
  wire [35:0] a33_and_value = {3'd0, a33_and};
  wire [32:0] a33_and_not = ~a33_and;
  wire [35:0] a33_and_not_value = {{3{a33_and_not[32]}}, a33_and_not};
  wire [32:0] a33_or = a33 | b33;
  wire [32:0] a33_or_not = ~a33_or;
  wire [32:0] a33_xor = a33 ^ b33;
  wire [32:0] a33_xor_not = ~a33_xor;
  wire [32:0] a33_sum = a33 + b33;
  wire [32:0] a33_sum_not = ~a33_sum;
  wire [32:0] a33_difference = a33 - b33;
  wire [32:0] a33_difference_not = ~a33_difference;
  wire [32:0] a33_product = a33 * b33;
  wire [32:0] a33_product_not = ~a33_product;
  wire [32:0] a33_shifted = a33 << by33;
  wire [32:0] a33_shifted_2 = a33 >> by33;
  wire [32:0] a33_shifted_3 = $signed(a33) >>> by33;
  wire [32:0] a33_sum_2 = a33 + b33;
  wire [32:0] a33_sum_2_shifted = $signed(a33_sum_2) >>> by33;
  wire        a33_equals = a33 == b33;
  wire [32:0] a33_sum_3 = a33 + b33;
  wire [32:0] a33_sum_4 = a33 + b33;
  assign o33 = {
    a33_and_value, a33_and_not_value, 3'd0, a33_or, {{3{a33_or_not[32]}}, a33_or_not}, 3'd0,
    a33_xor, {{3{a33_xor_not[32]}}, a33_xor_not}, 3'd0, a33_sum,
    {{3{a33_sum_not[32]}}, a33_sum_not}, 3'd0, a33_difference,
    {{3{a33_difference_not[32]}}, a33_difference_not}, 3'd0, a33_product,
    {{3{a33_product_not[32]}}, a33_product_not}, {{3{a33_shifted[32]}}, a33_shifted}, 3'd0,
    (a33 + b33) << by33, {{3{a33_shifted_2[32]}}, a33_shifted_2}, 3'd0, (a33 + b33) >> by33,
    {{3{a33_shifted_3[32]}}, a33_shifted_3}, 3'd0, a33_sum_2_shifted,
    a33_equals ? a33_and_value : a33_and_not_value, a33_equals, (a33 + b33) == b33,
    a33 != b33, (a33 + b33) != b33, a33 < b33, (a33 + b33) < b33, a33 <= b33,
    (a33 + b33) <= b33, $signed(a33) < $signed(b33), $signed(a33_sum_3) < $signed(b33),
    $signed(a33) <= $signed(b33), $signed(a33_sum_4) <= $signed(b33), |a33, &a33, ^a33
  };

  // ---- Width 80 -------------------------------------------------------------

  wire [79:0] a80_and = a80 & b80;
  wire [82:0] a80_and_value = {3'd0, a80_and};
  wire [79:0] a80_and_not = ~a80_and;
  wire [82:0] a80_and_not_value = {{3{a80_and_not[79]}}, a80_and_not};
  wire [79:0] a80_or = a80 | b80;
  wire [79:0] a80_or_not = ~a80_or;
  wire [79:0] a80_xor = a80 ^ b80;
  wire [79:0] a80_xor_not = ~a80_xor;
  wire [79:0] a80_sum = a80 + b80;
  wire [79:0] a80_sum_not = ~a80_sum;
  wire [79:0] a80_difference = a80 - b80;
  wire [79:0] a80_difference_not = ~a80_difference;
  wire [79:0] a80_product = a80 * b80;
  wire [79:0] a80_product_not = ~a80_product;
  wire [79:0] a80_shifted = a80 << by80;
  wire [79:0] a80_shifted_2 = a80 >> by80;
  wire [79:0] a80_shifted_3 = $signed(a80) >>> by80;
  wire [79:0] a80_sum_2 = a80 + b80;
  wire [79:0] a80_sum_2_shifted = $signed(a80_sum_2) >>> by80;
  wire        a80_equals = a80 == b80;
  wire [79:0] a80_sum_3 = a80 + b80;
  wire [79:0] a80_sum_4 = a80 + b80;
  assign o80 = {
    a80_and_value, a80_and_not_value, 3'd0, a80_or, {{3{a80_or_not[79]}}, a80_or_not}, 3'd0,
    a80_xor, {{3{a80_xor_not[79]}}, a80_xor_not}, 3'd0, a80_sum,
    {{3{a80_sum_not[79]}}, a80_sum_not}, 3'd0, a80_difference,
    {{3{a80_difference_not[79]}}, a80_difference_not}, 3'd0, a80_product,
    {{3{a80_product_not[79]}}, a80_product_not}, {{3{a80_shifted[79]}}, a80_shifted}, 3'd0,
    (a80 + b80) << by80, {{3{a80_shifted_2[79]}}, a80_shifted_2}, 3'd0, (a80 + b80) >> by80,
    {{3{a80_shifted_3[79]}}, a80_shifted_3}, 3'd0, a80_sum_2_shifted,
    a80_equals ? a80_and_value : a80_and_not_value, a80_equals, (a80 + b80) == b80,
    a80 != b80, (a80 + b80) != b80, a80 < b80, (a80 + b80) < b80, a80 <= b80,
    (a80 + b80) <= b80, $signed(a80) < $signed(b80), $signed(a80_sum_3) < $signed(b80),
    $signed(a80) <= $signed(b80), $signed(a80_sum_4) <= $signed(b80), |a80, &a80, ^a80
  };

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, clk, rst};

endmodule

`default_nettype wire
