//! The program: arguments in, exit code out. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(wireproof::app::run(std::env::args_os()).code())
}
