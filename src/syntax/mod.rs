//! What the hand-written parsers share: lexer, cursor, literals, problems and recovery.
//!
//! Nothing here knows a schema language; what differs between them is a [`lexer::LexStyle`].

pub(crate) mod comments;
pub mod cursor;
pub mod json;
pub mod lexer;
pub mod literal;
pub mod log;
pub mod problem;
pub mod problems;
pub(crate) mod skim;
pub mod spelled;
pub mod statement;
pub mod tokens;
