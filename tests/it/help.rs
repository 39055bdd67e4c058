//! Help fits the terminal, and the commands it shows can be taken as they are.

use wireproof::cli::{command_names, parse_at};

/// The help of a command at a width; of the program itself without one.
fn help(command: Option<&str>, flag: &str, width: usize) -> String {
    let words = ["wireproof"].into_iter().chain(command).chain([flag]).map(Into::into);
    parse_at(words, width).expect_err("help is no command").render().to_string()
}

fn commands() -> Vec<Option<String>> {
    std::iter::once(None).chain(command_names().into_iter().map(Some)).collect()
}

#[test]
fn help_fits_forty_eighty_and_a_hundred_columns() {
    for width in [40, 80, 100] {
        for command in commands() {
            for flag in ["-h", "--help"] {
                let text = help(command.as_deref(), flag, width);
                // A word that is longer than the terminal stays whole.
                let is_whole = |line: &&str| line.split_whitespace().count() > 1 && !line.trim().starts_with("Usage:");
                let wide: Vec<&str> =
                    text.lines().filter(is_whole).filter(|line| line.chars().count() > width).collect();
                let wide: Vec<&&str> = wide.iter().filter(|line| !is_one_option(line)).collect();
                assert!(wide.is_empty(), "{command:?} {flag} at {width}: {wide:#?}");
            }
        }
    }
}

/// Whether a line names one option with its value and nothing else.
fn is_one_option(line: &str) -> bool {
    line.trim().starts_with('-') && line.split_whitespace().count() <= 3
}

/// The commands below `Examples:`, lines that go on put together.
fn examples(text: &str) -> Vec<String> {
    let shown = text.split("Examples:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
    let joined = shown.replace(" \\\n      ", " ");
    let lines = joined.lines().filter(|line| line.starts_with("  ") && !line.starts_with("      "));
    // What it means stands behind a gap.
    lines.map(|line| line.trim().split("   ").next().unwrap_or_default().to_owned()).collect()
}

fn squeezed(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn examples_are_the_same_commands_at_every_width() {
    for command in commands() {
        let at = |width| examples(&help(command.as_deref(), "--help", width)).iter().map(|one| squeezed(one)).collect();
        let wide: Vec<String> = at(100);
        for width in [40, 80] {
            let narrow: Vec<String> = at(width);
            assert_eq!(narrow, wide, "{command:?} at {width}");
        }
        let has_examples =
            !["explain", "rules", "completions", "man", "schema"].map(Some).contains(&command.as_deref());
        assert_eq!(!wide.is_empty(), has_examples, "{command:?}");
        for example in wide.iter().filter(|example| example.starts_with("wireproof")) {
            let plain = example.split(" > ").next().unwrap_or(example).replace("<commit>", &"0".repeat(40));
            let parsed = parse_at(words(&plain).into_iter().map(Into::into), 100);
            assert!(parsed.is_ok(), "{plain}: {}", parsed.expect_err("checked"));
        }
    }
}

/// The words of a command; what stands between quotes is one.
fn words(command: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut is_quoted = false;
    for letter in command.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => out.push(String::new()),
            letter => out.last_mut().expect("there is one").push(letter),
        }
    }
    out
}
