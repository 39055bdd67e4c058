//! JSON (RFC 8259) with the place of every value and every key, for the schema languages that are written in it.
//!
//! Duplicate keys are kept, numbers keep their text, and comments are allowed where a reference parser allows them.

mod parse;
mod value;

pub use self::parse::{DEPTH_LIMIT, parse};
pub use self::value::{Json, JsonKind, Member};
