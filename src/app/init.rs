//! `wireproof init`: configuration, workflow and hook for the repository that it finds.

use crate::cli::InitArgs;
use crate::failure::{Exit, Failure};

/// Runs the command.
pub(super) fn init(_arguments: &InitArgs) -> Result<Exit, Failure> {
    Err(Failure::usage("this command is not finished", ""))
}
