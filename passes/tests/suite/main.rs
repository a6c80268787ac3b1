//! Tests of the passes: texts in, texts out; random programs before and after; large programs in time.

mod depth;
mod files;
mod large_programs;
mod random_programs;
mod support;
