//! Everything that is not a table of cases: laws, generated files, rules of the repository, what people read.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod catalog;
mod engine;
mod imports;
mod laws;
mod readme;
mod protoc;
mod render;
mod tidy;
mod cli;
mod git;
