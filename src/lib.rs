//! Tells a team, before they merge, whether a schema change will break somebody, and proves it with bytes.
//!
//! ```text
//! Request ─load→ Pair<Snapshot> ─parse, link→ models ─diff→ changes ─judge→ claims ─probe, attach→ findings ─waive, decide→ Report ─render→ bytes
//! ```
//!
//! Modules in reading order; `docs/architecture.md` says who may use whom. **This is no library yet:** what is
//! public is so for the program and the tests of this repository, and is not shown here. Nothing but the program, its exit
//! codes and its reports is stable.

pub(crate) mod value;

#[doc(hidden)]
pub mod app;
mod assemble;
#[doc(hidden)]
pub mod attach;
#[doc(hidden)]
pub mod change;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod config;
mod date;
#[doc(hidden)]
pub mod evidence;
#[doc(hidden)]
pub mod explain;
mod failure;
#[doc(hidden)]
pub mod fingerprint;
#[doc(hidden)]
pub mod formats;
mod github;
mod inline;
#[doc(hidden)]
pub mod judge;
mod lines;
#[doc(hidden)]
pub mod ordered;
mod parallel;
#[doc(hidden)]
pub mod pipeline;
pub mod plan;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod safeguards;
mod shard;
mod snapshot;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod syntax;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod unseen;
#[doc(hidden)]
pub mod verdict;
#[doc(hidden)]
pub mod vocabulary;
mod waive;
