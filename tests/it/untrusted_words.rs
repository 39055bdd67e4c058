//! Words of strangers act on no terminal and command no CI runner, on whatever stream they are told.

use serde_json::Value;

use crate::git::{NEW, OLD, Place, run};

/// What would act on a screen, or command a runner.
#[track_caller]
fn is_harmless(text: &str) {
    let acts = |c: char| {
        c != '\n'
            && (c.is_control() && c != '\t'
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c))
    };
    assert!(!text.chars().any(acts), "{text:?}");
    for line in text.lines() {
        let start = line.trim_start();
        assert!(!start.starts_with("::") || start.starts_with(":::"), "{line:?} in {text}");
        assert!(!line.contains("##["), "{line:?} in {text}");
    }
}

fn pair() -> Place {
    let place = Place::new();
    place.write("old/order.proto", OLD).write("new/order.proto", NEW);
    place
}

#[test]
fn no_message_about_a_configuration_acts_or_commands() {
    const EVIL: &str = "x\\n::error file=a::owned\\n  ::add-mask::1\\n##[error]\\e[31m\\u202e\\n✓ compatible";
    let configurations = [
        ("wireproof.yaml", format!("\"{EVIL}\": 1\n")),
        ("wireproof.yaml", format!("mode: \"{EVIL}\"\n")),
        ("wireproof.yaml", format!("rules:\n  \"{EVIL}\": error\n")),
        ("wireproof.yaml", format!("unstable: [\"[{EVIL}\"]\n")),
        ("wireproof.yaml", format!("rules-dir: \"{EVIL}\"\n")),
        ("wireproof.yaml", format!("roots:\n  \"{EVIL}\":\n    mode: \"{EVIL}\"\n")),
        (".wireproof-waivers.yaml", format!("waivers:\n  - id: \"{EVIL}\"\n    reason: a\n")),
        (".wireproof-waivers.yaml", format!("waivers:\n  - id: 9c1f03ab27de41b0\n    \"{EVIL}\": a\n")),
        ("new/buf.yaml", format!("version: v1\nbreaking:\n  use: [\"{EVIL}\"]\n")),
        ("new/buf.yaml", format!("version: \"{EVIL}\"\n")),
    ];
    for (file, text) in configurations {
        let place = pair();
        place.write(file, &text);
        for form in ["text", "json", "github"] {
            let ran = run(&place.path(""), &["compare", "old", "new", "--format", form]);
            assert_ne!(ran.code, 0, "{file}: {text}");
            is_harmless(&ran.err);
            if form != "github" {
                is_harmless(&ran.out);
            }
            assert!(!ran.err.lines().any(|line| line.starts_with("✓ compatible")), "{}", ran.err);
        }
    }
}

#[test]
fn no_message_about_arguments_acts_or_commands() {
    const EVIL: &str = "x\n::error::owned\n\u{1b}[31m\u{202e}##[error]";
    let place = pair();
    let option = format!("--{EVIL}");
    for arguments in [
        vec!["compare", EVIL, "new"],
        vec!["compare", "old", "new", "--mode", EVIL],
        vec!["compare", "old", "new", option.as_str()],
        vec!["check", "--against", EVIL],
        vec!["explain", EVIL],
        vec!["render", EVIL],
        vec![EVIL],
    ] {
        let ran = run(&place.path(""), &arguments);
        assert_ne!(ran.code, 0, "{arguments:?}");
        is_harmless(&ran.err);
    }
}

#[test]
fn no_machine_format_has_characters_that_act_and_all_say_what_they_said() {
    let place = Place::new();
    let old = "syntax = \"proto3\";\nmessage M {\n  string a = 1 [json_name = \"\u{202e}x\u{9b}\"];\n}\n";
    place.write("old/\u{202e}m.proto", old).write("new/\u{202e}m.proto", &old.replace("string", "int32"));
    for form in ["json", "buf", "sarif", "gitlab", "text", "markdown", "html", "junit", "github", "github-output"] {
        let ran = run(&place.path(""), &["compare", "old", "new", "--format", form]);
        let bidi = |c: char| ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{80}'..='\u{9f}').contains(&c);
        assert!(!ran.out.chars().any(bidi), "{form}: {}", ran.out);
        assert_eq!(ran.code, 1, "{form}");
    }
    let report: Value =
        serde_json::from_str(&run(&place.path(""), &["compare", "old", "new", "--format", "json"]).out).expect("JSON");
    assert_eq!(report["findings"][0]["new"]["file"], "\u{202e}m.proto");
    // Ordinary words stay as they are.
    let ran = run(&place.path(""), &["compare", "old", "größe", "--format", "json"]);
    assert!(ran.err.contains("größe"), "{}", ran.err);
}
