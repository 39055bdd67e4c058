//! `wireproof comment`: the report as a comment on its pull request.

use crate::cli::CommentArgs;
use crate::failure::{Exit, Failure};

/// Runs the command.
pub(super) fn comment(_arguments: &CommentArgs) -> Result<Exit, Failure> {
    Err(Failure::usage("this command is not finished", ""))
}
