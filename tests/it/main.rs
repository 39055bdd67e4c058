//! Everything that is not a table of cases: laws, generated files, rules of the repository, what people read.

#[path = "../support/mod.rs"]
mod support;

mod action;
mod avro_data;
mod avro_samples;
mod bad_input;
mod bad_input_avro;
mod bad_input_thrift;
mod buf;
mod buf_config;
mod catalog;
mod cli;
mod cli_avro;
mod comment;
mod documents;
mod engine;
mod facts;
mod frame_laws;
mod gate_install;
mod gate_script;
mod git;
mod git_base;
mod git_trust;
mod hooks;
mod ids;
mod images;
mod imports;
mod init;
mod laws;
mod laws_random;
mod laws_types;
mod machine_formats;
mod new_rule;
mod other_versions;
mod page;
mod peer_tables;
mod protoc;
mod readme;
mod recipes;
mod release;
mod render;
mod security;
mod shard;
mod tidy;
mod waivers;
