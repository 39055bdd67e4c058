//! What the hand-written parsers share: cursor, tokens, spans, problems, recovery.

pub mod problem;
