//! Tells a team, before they merge, whether a schema change will break somebody, and proves it with bytes.
//!
//! ```text
//! Request ─load→ Pair<Snapshot> ─parse→ models ─diff→ changes ─judge→ findings ─probe→ evidence ─decide→ Report ─render→ bytes
//! ```
//!
//! Modules in reading order; `docs/architecture.md` says who may use whom.

pub mod change;
pub mod evidence;
pub mod formats;
pub mod report;
pub mod source;
pub mod syntax;
pub(crate) mod value;
