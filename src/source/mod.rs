//! Where schemas come from: directories, files, git's object database, archives, standard input.
//!
//! The only module that reads schema files or runs git. Nothing is ever checked out, and nothing is written.

mod archive;
pub mod base;
pub mod beside;
mod comments;
mod content;
mod dir;
mod embedded;
mod found_again;
pub mod git;
pub mod image;
mod library;
mod linked;
mod listing;
pub mod load;
mod modules;
mod names;
mod object;
mod others;
mod outside;
mod place;
mod pointers;
mod referred;
mod request;
mod roles;
pub mod select;
mod shadowed;
mod side;
mod sought;
pub(crate) mod spelled;
mod standard_input;
mod suffix;
pub(crate) mod survey;

pub use crate::snapshot::{ContentId, Lent, Snapshot, SnapshotFile};
pub use load::{Loaded, load};
#[cfg(test)]
pub(crate) use names::is_configuration;
pub use names::is_relevant;
pub use request::{Nothing, Request};
pub use select::Selection;
pub use side::{GitSource, Source, Spelling, TreePath};
pub(crate) use sought::Sought;
pub use standard_input::standard_input;
