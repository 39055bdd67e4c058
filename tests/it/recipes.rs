//! The recipes of `docs/recipes.md`: files that are valid for the system they are for, and commands that there are.
//!
//! `check-jsonschema` on PATH brings the schemas of GitLab and Buildkite; without it that part says that it was skipped.

use std::fs;
use std::process::Command;

use crate::git::Place;
use crate::support::{is_windows, root, skip};

/// The fenced blocks of a language below a heading.
fn blocks(heading: &str, language: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/recipes.md")).expect("the page");
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("the heading").to_owned();
    let fence = format!("```{language}\n");
    let parts = section.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap_or(rest));
    parts.map(str::to_owned).collect()
}

fn valid(heading: &str, schema: &str, files: usize) {
    let place = Place::new();
    let found = blocks(heading, "yaml");
    assert_eq!(found.len(), files, "{heading}");
    for block in found {
        place.write("pipeline.yml", &block);
        let arguments = ["--builtin-schema", schema, "pipeline.yml"];
        match Command::new("check-jsonschema").args(arguments).current_dir(place.path("")).output() {
            Err(error) => skip("check-jsonschema", &format!("recipes ({error})")),
            Ok(output) => assert!(output.status.success(), "{block}\n{}", String::from_utf8_lossy(&output.stdout)),
        }
    }
}

#[test]
fn the_file_for_gitlab_is_valid() {
    valid("GitLab", "vendor.gitlab-ci", 3);
}

#[test]
fn the_file_for_buildkite_is_valid() {
    valid("Buildkite", "vendor.buildkite", 2);
}

#[test]
fn commands_in_recipes_are_understood() {
    let mut count = 0;
    for (heading, language) in [("GitLab", "yaml"), ("Buildkite", "yaml"), ("Jenkins", "groovy"), ("Bazel", "bash")] {
        for line in blocks(heading, language).concat().lines() {
            let Some(at) = line.find("wireproof check ").or_else(|| line.find("wireproof render ")) else { continue };
            let command = line[at..].split(" ||").next().unwrap_or(line).trim_end_matches('\'').replace("$$", "$");
            let shard = "1/4";
            let filled = command
                .replace("$CI_NODE_INDEX/$CI_NODE_TOTAL", shard)
                .replace("$part/$BUILDKITE_PARALLEL_JOB_COUNT", shard)
                .replace("$PART/3", shard);
            let words = filled.split_whitespace().map(|word| word.replace('"', "").into());
            let parsed = wireproof::cli::parse(words);
            assert!(parsed.is_ok(), "{command}: {}", parsed.expect_err("checked"));
            count += 1;
        }
    }
    assert_eq!(count, 9, "GitLab, Buildkite and Jenkins: one job, a part, and the verdict");
}

#[test]
fn the_script_for_bazel_runs_whole_and_in_parts() {
    let place = Place::new();
    if is_windows("the recipe for Bazel") {
        return;
    }
    if Command::new("bash").arg("--version").output().is_err() {
        skip("bash", "the recipe for Bazel");
        return;
    }
    let [script] = blocks("Bazel", "bash").try_into().expect("one script");
    place.write("wireproof_test.sh", &script);
    let pair = root().join("fixtures/protobuf/a-discount-becomes-a-debt");
    let run = |sides: [&str; 2], variables: &[(&str, &str)]| {
        let mut command = Command::new("bash");
        command.current_dir(place.path("")).arg("wireproof_test.sh").arg(env!("CARGO_BIN_EXE_wireproof"));
        command.env_remove("XML_OUTPUT_FILE").env_remove("TEST_TOTAL_SHARDS");
        command.args(sides.map(|side| pair.join(side))).envs(variables.iter().copied());
        command.output().expect("bash is there")
    };
    assert_eq!(run(["old", "new"], &[("XML_OUTPUT_FILE", "test.xml")]).status.code(), Some(1));
    assert!(fs::read_to_string(place.path("test.xml")).expect("written").contains("<testsuite"));
    assert_eq!(run(["old", "old"], &[]).status.code(), Some(0));
    let codes: Vec<Option<i32>> = ["0", "1"]
        .map(|index| {
            let variables =
                [("TEST_TOTAL_SHARDS", "2"), ("TEST_SHARD_INDEX", index), ("TEST_SHARD_STATUS_FILE", "sharded")];
            run(["old", "new"], &variables).status.code()
        })
        .to_vec();
    assert_eq!(codes, [Some(1), Some(0)], "the one file is one part's");
    assert!(place.path("sharded").exists());
}
