//! The program: arguments in, exit code out. Everything else is in the library.

use std::process::ExitCode;

/// Trees and reports are made of many small pieces, on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(wireproof::app::run(std::env::args_os()).code())
}
