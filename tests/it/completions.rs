//! What shells complete: rules, revisions, forms of the report, modes; asked of the shells themselves where they are.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::git::{Place, commit, git, git_is_missing, repository, run};
use crate::support::skip;

/// Candidates for a line, as the scripts get them.
fn candidates(place: &Place, line: &str) -> Vec<String> {
    let words: Vec<&str> = ["__complete", "--"].into_iter().chain(line.split(' ')).collect();
    let ran = run(&place.path(""), &words);
    assert_eq!(ran.code, 0, "{line}: {}", ran.err);
    ran.out.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

/// A repository with a branch, a tag, and a branch whose name a shell would run.
fn place() -> Option<Place> {
    if git_is_missing() {
        return None;
    }
    let place = repository();
    place.write("proto/shop/order.proto", "syntax = \"proto3\";\n");
    commit(&place, "schemas");
    let folder = place.path("");
    git(&folder, &["tag", "v1.4"]);
    git(&folder, &["branch", "release-2"]);
    git(&folder, &["branch", "re$(touch${IFS}ran)"]);
    Some(place)
}

#[test]
fn the_cursor_is_told_what_may_stand_there() {
    let Some(place) = place() else { return };
    assert_eq!(candidates(&place, "explain protobuf/enum-clo"), ["protobuf/enum-closed"]);
    assert!(candidates(&place, "explain field-reu").contains(&"field-reused".to_owned()));
    assert_eq!(candidates(&place, "accept --rule protobuf/enum-clo"), ["protobuf/enum-closed"]);
    assert_eq!(candidates(&place, "rules prot"), ["protobuf"]);
    assert_eq!(candidates(&place, "rules --format "), ["text", "json"]);
    assert_eq!(candidates(&place, "check --mode forward"), ["forward", "forward-transitive"]);
    assert_eq!(candidates(&place, "check --against git:v"), ["git:v1.4"]);
    assert_eq!(candidates(&place, "compare git:rel"), ["git:release-2"]);
    assert_eq!(candidates(&place, "compare git:v1.4:proto/s"), [":nospace", "git:v1.4:proto/shop/"]);
    let forms = [":nospace", "github=", "github-output=", "gitlab="];
    assert_eq!(candidates(&place, "check --output git"), forms);
    assert_eq!(candidates(&place, "check --output json=re"), [":files json="]);
    assert!(candidates(&place, "accept --reason ").is_empty());
}

#[test]
fn a_branch_that_a_shell_would_run_is_left_out() {
    let Some(place) = place() else { return };
    let all = candidates(&place, "compare git:");
    assert!(all.contains(&"git:release-2".to_owned()), "{all:?}");
    assert!(all.iter().all(|name| !name.contains('$')), "{all:?}");
}

/// Runs a script of a shell in the repository, with the program first on the path; `None` where there is no such shell.
fn in_shell(place: &Place, shell: &str, script: &str) -> Option<String> {
    if Command::new(shell).arg("--version").output().is_err() {
        skip(shell, "what it completes");
        return None;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_wireproof"));
    let folder = program.parent().expect("a program lies in a folder").to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path))).expect("plain folders");
    let file = place.path("script");
    fs::write(&file, script).expect("it is ours");
    let mut command = Command::new(shell);
    if shell != "fish" {
        command.arg(if shell == "bash" { "--norc" } else { "-f" });
    }
    let home = place.path("home");
    fs::create_dir_all(&home).expect("it is ours");
    let output = command
        .arg(&file)
        .current_dir(place.path(""))
        .env("PATH", path)
        .env("HOME", &home)
        .env("TERM", "dumb")
        .output()
        .expect("it ran a moment ago");
    let _ = fs::remove_file(&file);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{shell}: {told}{}", String::from_utf8_lossy(&output.stderr));
    Some(told)
}

/// Lines to complete, and what has to be among the candidates.
const LINES: [(&str, &str); 7] = [
    ("wireproof expl", "explain"),
    ("wireproof explain protobuf/field-reu", "protobuf/field-reused"),
    ("wireproof check --against git:rel", "git:release-2"),
    ("wireproof check --mode backward-", "backward-transitive"),
    ("wireproof check --output git", "gitlab="),
    ("wireproof check --output json=pro", "json=proto"),
    ("wireproof rules --format j", "json"),
];

#[test]
fn bash_completes_what_it_is_told() {
    let Some(place) = place() else { return };
    // As bash itself cuts the line: at blanks, and at = and : too.
    let mut script = "eval \"$(wireproof completions bash)\"\n".to_owned();
    for (line, _) in LINES {
        let cut = line.replace('=', " = ").replace(':', " : ");
        let words: Vec<&str> = cut.split(' ').filter(|word| !word.is_empty()).collect();
        script.push_str(&format!(
            "COMP_LINE='{line}' COMP_POINT={} COMP_WORDS=({}) COMP_CWORD={} COMPREPLY=()\n_wireproof\nprintf '%s\\n' \"${{COMPREPLY[@]}}\" '--'\n",
            line.len(),
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            words.len() - 1
        ));
    }
    let Some(told) = in_shell(&place, "bash", &script) else { return };
    for ((line, wanted), told) in LINES.iter().zip(told.split("--\n")) {
        // What stands before the last cut is not replaced.
        let wanted =
            wanted.rsplit_once([':', '=']).map_or(*wanted, |(_, last)| if last.is_empty() { wanted } else { last });
        assert!(told.lines().any(|word| word == wanted), "{line}: {told}");
    }
    assert!(!place.path("ran").exists(), "nothing of a name is run");
}

#[test]
fn fish_completes_what_it_is_told() {
    let Some(place) = place() else { return };
    let mut script = "wireproof completions fish | source\n".to_owned();
    for (line, _) in LINES {
        script.push_str(&format!("complete -C '{line}'\necho '--'\n"));
    }
    let Some(told) = in_shell(&place, "fish", &script) else { return };
    for ((line, wanted), told) in LINES.iter().zip(told.split("--\n")) {
        let found = told.lines().any(|one| one.split('\t').next().unwrap_or_default().trim_end_matches('/') == *wanted);
        assert!(found, "{line}: {told}");
    }
}

#[test]
fn zsh_completes_what_it_is_told() {
    let Some(place) = place() else { return };
    // What draws the menu needs a terminal: it is asked what it would get.
    let mut script = "compdef() { :; }\ncompset() { :; }\n_files() { print -rl -- *(N); }\n\
        _describe() { print -rl -- ${(@P)4}; }\neval \"$(wireproof completions zsh)\"\n"
        .to_owned();
    for (line, _) in LINES {
        let words: Vec<&str> = line.split(' ').collect();
        let last = words.last().copied().unwrap_or_default();
        script
            .push_str(&format!("words=({line}) CURRENT={} PREFIX='{last}'\n_wireproof\nprint -- '--'\n", words.len()));
    }
    let Some(told) = in_shell(&place, "zsh", &script) else { return };
    for ((line, wanted), told) in LINES.iter().zip(told.split("--\n")) {
        let wanted = wanted.strip_prefix("json=").unwrap_or(wanted);
        let names = told.lines().map(|one| one.replace("\\:", "\u{0}"));
        let found = names.map(|one| one.split(':').next().unwrap_or_default().replace('\u{0}', ":"));
        assert!(found.into_iter().any(|one| one == *wanted), "{line}: {told}");
    }
}

#[test]
fn every_shell_has_a_script() {
    let place = Place::new();
    for (shell, sign) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef wireproof"),
        ("fish", "complete -c wireproof"),
        ("elvish", "edit:completion"),
        ("nushell", "export extern"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let ran = run(&place.path(""), &["completions", shell]);
        assert!(ran.code == 0 && ran.out.contains(sign), "{shell}: {}{}", ran.out, ran.err);
        assert!(!ran.out.contains("Print what may stand at the cursor"), "{shell} offers what is hidden");
    }
}
