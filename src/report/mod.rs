//! The report: plain data, complete, in its final order. Renderers see nothing else.
//!
//! `model` is the report as the program has it, its words members of closed vocabularies; `v1` is its JSON form, the public
//! contract `wireproof.report/v1`, to which fields may be added and from which none goes.

pub(crate) mod beside;
pub mod buf;
pub(crate) mod cells;
pub(crate) mod command;
pub(crate) mod excerpts;
pub(crate) mod findings;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod json;
pub mod junit;
pub mod links;
pub mod markdown;
pub mod merge;
mod model;
pub mod outputs;
pub(crate) mod overview;
pub(crate) mod patch;
pub(crate) mod remark;
pub mod sarif;
pub mod settle;
pub(crate) mod since;
pub(crate) mod summary;
pub mod text;
pub mod timeline;
pub(crate) mod troubles;
pub mod v1;
pub mod versions;
pub(crate) mod witness;

pub(crate) use model::OF_ANOTHER_TOOL;
pub use model::{Cell, Finding, NUMBER_REUSED, Report};
pub use v1::{
    Again, BytePart, Edit, Encoded, Evidence, Excluded, FileDiff, FindingVersion, Hunk, JudgedBy, Location,
    ModeVerdict, NotChecked, PatchContext, PeerReport, Problem, RoundTrips, SCHEMA, Shard, SourceInfo, Stats,
    Suggestion, Tool, Version, Waiver, Way, WayStep,
};
