//! Tests of the passes: texts in, texts out; random programs and every small constant before and after; large programs in time.

mod depth;
mod files;
mod large_programs;
mod random_programs;
mod small_constants;
