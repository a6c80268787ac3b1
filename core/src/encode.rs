//! The binary form of an operation: 128 bits, whose layout is that of [`layout`].
//!
//! A word is an operation's or is refused: [`encode`] of what [`decode`] gives is the same word, and the other way round. What has no
//! room is said by [`fits`], with the reason.

mod bounds;
mod fits;
pub mod layout;
mod misfit;
mod read;
mod write;

pub use bounds::{destination, Bounds};
pub use fits::{check_field, fits, map, map_mut, operands};
pub use misfit::Misfit;
pub use read::decode;
pub use write::encode;
