//! The text form of a program for a core. [`parse`] reads what [`print()`] writes; what is printed, read and printed again is the same
//! text.
//!
//! ```text
//! core "count" lanes 4 registers 16 stack 512
//!
//! limits headroom 216
//! output "verdict" 3 values "aborted", "drop", "pass"
//!
//! map @stats array key 4 value 8 entries 256
//!
//!
//! row0:
//!     lane0: r0.2 = load packet[12] 2         ; count.c:21: if (eth->h_proto == …)
//!     lane1: exit drop to back with 1 if ult r0.1[0+:16], 14
//! row1:
//!     lane0: p1, p2 = compare eq swap(r0.2[0+:16]), 0x800
//!     lane2: (!p3) r2.1 = add 32 signed(r0.2[0+:8]), -7
//!     lane3: branch row0
//! ```
//!
//! * One thing a line. `;` starts a comment. What a program declares stands as in the text form of the IR ([`hardpath_ir::print`]);
//!   behind it `start`, for a register that does not begin with zeros.
//! * A row is `row` and its number, in order, or in place of the number a name of its own, by which branches call it. Behind it stand its
//!   lanes. In front of an operation stands its guard in parentheses, and what it gives with `=`.
//! * An operand is a number, a register, some of its bits (`r0.2[lo+:width]`), these with their bytes in the other order (`swap(…)`),
//!   or with copies of the highest bit above them (`signed(…)`, around a swap).
//!
//! ```text
//! r = move a                              p, p = compare eq a, b         exit drop to back
//! r = add 32 a, b                         p, p = compare both eq a, b    exit forward to class 1 index a
//! r = insert 8+:16 a, b                   p = compare and eq a, b        exit to buffer with 3 leaving each @ports
//! r = select p3, a, b                     p = combine xor p1, !p2        exit drop to back if eq a, b
//! r = load packet[r0.1 + 12] 4            store stack[-8] 8, a           send forward to class 0
//! r = map.load @stats[a + 8] 8            map.store @stats[a] 8, b       branch row7
//! r = map.atomic add @stats[a] 8, b       clear a                        branch row7 if ult a, b
//! p, r = lookup @stats a, b               put key[2], a, b               indirect a
//! r = update @stats may 3 a, b            r = checksum packet up-to 1480 a, b
//! r = delete @stats a, b                  copy packet stack up-to 64 a, b
//! ```
//!
//! * Of a map operation's words of key and value those may be missing that stand in the buffer; `_` is a first one that is missing in
//!   front of a second one. An ending says nothing of what the buffer says.

mod parse;
mod print;
mod words;

pub use parse::parse;
pub use print::{operation, print};
