//! GitHub: a small REST client, and the state machine of the sticky comment.
//!
//! ```text
//! event + options ─subject→ which pull request, which commit
//! report          ─body───→ the comment, with a hidden marker
//! comments there  ─plan───→ create, update or leave alone      ─sticky→ requests
//! report + diff   ─review─→ remarks on changed lines           ─reviewer→ requests
//! ```
//!
//! `client`, `sticky` and `reviewer` speak with the network; the rest are functions from values to values. Nothing here reads files or the
//! environment, and the token lives in the client alone.

pub mod body;
pub mod client;
pub mod foreign;
pub mod marker;
pub mod notice;
pub mod plan;
pub mod review;
pub mod reviewer;
pub mod sticky;
pub mod subject;
