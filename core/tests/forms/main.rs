//! The three forms of a program for the core: words, files, text.

mod encode;
mod file;
mod images;
mod operations;
mod text;
