//! Where schemas come from: directories, git's object database, archives. The only module that reads files or runs git.

pub mod snapshot;

pub use snapshot::{ContentId, Snapshot, SnapshotFile};
