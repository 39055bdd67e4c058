//! Tells a team, before they merge, whether a schema change will break somebody, and proves it with bytes.
//!
//! ```text
//! Request ─load→ Pair<Snapshot> ─parse, link→ models ─diff→ changes ─judge→ claims ─probe, attach→ findings ─waive, decide→ Report ─render→ bytes
//! ```
//!
//! Modules in reading order; `docs/architecture.md` says who may use whom. **This is no library yet:** the modules are
//! public for the tests of this repository only, and nothing but the program, its exit codes and its reports is stable.

pub(crate) mod value;

pub mod app;
pub mod assemble;
pub mod attach;
pub mod change;
pub mod cli;
pub mod config;
pub mod date;
pub mod evidence;
pub mod explain;
pub mod failure;
pub mod fingerprint;
pub mod formats;
pub mod gate;
pub mod github;
pub mod judge;
pub mod lines;
pub mod pipeline;
pub mod report;
pub mod rules;
pub mod shard;
pub mod snapshot;
pub mod source;
pub mod syntax;
pub mod text;
pub mod unseen;
pub mod verdict;
pub mod vocabulary;
pub mod waive;
