//! What the action installs and what it refuses, and that nothing of the checkout has a say in it.
//!
//! The checkouts are full of traps, which leave a mark. The `cargo` of most tests writes down how it was started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::gate_script::Runner;
use crate::support::{root, skip};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Releases: this version for all that the script knows, as an archive of `wireproof --version`.
fn release<'a>(runner: &'a Runner, sha256: &str) -> &'a Runner {
    const TARGETS: [&str; 4] =
        ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-apple-darwin", "aarch64-apple-darwin"];
    let url = |target: &str| {
        format!("https://github.com/octo/wireproof/releases/download/v{VERSION}/wireproof-{target}-v{VERSION}.tgz")
    };
    let lines: Vec<String> = TARGETS
        .iter()
        .map(|target| format!("    \"{target}\": {{ \"url\": \"{}\", \"sha256\": \"{sha256}\" }}", url(target)))
        .collect();
    let text = format!("{{\n  \"version\": \"{VERSION}\",\n  \"binaries\": {{\n{}\n  }}\n}}\n", lines.join(",\n"));
    let parsed: serde_json::Value = serde_json::from_str(&text).expect("the form of a release is JSON");
    assert_eq!(parsed["version"], VERSION);
    runner.place.write("action/.github/action/binaries.json", &text);
    // What curl brings is what lies beside it.
    let archive = runner.place.path("archive.tgz").display().to_string();
    let called = runner.place.path("curl-called").display().to_string();
    runner.program("bin/curl", &format!(
        "printf '%s\\n' \"$*\" >'{called}'\nwhile [ $# -gt 1 ]; do if [ \"$1\" = --output ]; then cp '{archive}' \"$2\"; fi; shift; done"
    ))
}

/// An archive as a release has it; its checksum.
fn archive(runner: &Runner, version: &str) -> String {
    runner.program(&format!("made/wireproof-v{VERSION}/wireproof"), &format!("echo 'wireproof {version}'"));
    let archive = runner.place.path("archive.tgz").display().to_string();
    let folder = runner.place.path("made").display().to_string();
    let made = Command::new("tar").args(["-czf", &archive, "-C", &folder, "."]).output().expect("tar runs");
    assert!(made.status.success());
    let sum = format!("sha256sum <'{archive}' || shasum -a 256 <'{archive}'");
    let sum = Command::new("bash").arg("-c").arg(sum).output().expect("a checksum");
    String::from_utf8_lossy(&sum.stdout).split(' ').next().expect("a checksum").to_owned()
}

#[test]
fn a_release_is_downloaded_verified_and_put_on_the_path() {
    let Some(mut runner) = Runner::new() else { return };
    let sum = archive(&runner, VERSION);
    release(&runner, &sum).program("bin/gh", "echo \"$*\" >>\"$0.called\"");
    runner.set("GITHUB_SERVER_URL", "https://github.com");
    let ran = runner.run("install");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let output = runner.read("output");
    assert!(output.contains(&format!("version={VERSION}\n")), "{output}");
    let program = output.lines().find_map(|line| line.strip_prefix("path=")).expect("a path");
    assert!(Path::new(program).is_file());
    assert_eq!(runner.read("path").trim(), Path::new(program).parent().expect("a folder").display().to_string());
    let asked = runner.read("curl-called");
    assert!(asked.contains("--proto =https") && asked.contains("--fail") && asked.contains(".tgz"), "{asked}");
    assert!(!runner.place.path("bin/gh.called").exists(), "without a token there is nothing to ask gh");
    assert!(ran.out.contains("attestation is not asked for: that takes a token"), "{}", ran.out);
    assert!(!ran.out.contains("ghs_secret"));
}

#[test]
fn what_is_not_what_was_released_is_never_run() {
    let Some(runner) = Runner::new() else { return };
    let sum = archive(&runner, VERSION);
    let trap = format!("touch '{}'; echo 'wireproof {VERSION}'", runner.place.path("owned").display());
    release(&runner, &sum).program(&format!("made/wireproof-v{VERSION}/wireproof"), &trap);
    let changed = Command::new("tar")
        .args(["-czf", &runner.place.path("archive.tgz").display().to_string(), "-C"])
        .arg(runner.place.path("made"))
        .arg(".")
        .output();
    assert!(changed.expect("tar runs").status.success());
    let ran = runner.run("install");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("::error title=wireproof::the checksum of https://"), "{}", ran.err);
    assert!(!runner.place.path("owned").exists());
    assert_eq!(runner.read("output"), "");
    // And what is some other version.
    let sum = archive(&runner, "9.9.9");
    release(&runner, &sum);
    let ran = runner.run("install");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("calls itself `wireproof 9.9.9`"), "{}", ran.err);
}

#[test]
fn a_download_that_fails_says_what_to_do() {
    let Some(runner) = Runner::new() else { return };
    let sum = archive(&runner, VERSION);
    release(&runner, &sum).program("bin/curl", "echo 'curl: (22) 404' >&2; exit 22");
    let ran = runner.run("install");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("`version: source`"), "{}", ran.err);
}

#[test]
fn without_a_release_the_source_is_built_and_other_versions_are_refused() {
    let Some(mut runner) = Runner::new() else { return };
    let built = format!(
        "echo \"$*\" >\"$0.called\"\nmkdir -p \"${{@: -1}}/bin\"\nprintf '#!/bin/sh\\necho wireproof {VERSION}\\n' \
         >\"${{@: -1}}/bin/wireproof\"\nchmod +x \"${{@: -1}}/bin/wireproof\""
    );
    runner.program("bin/cargo", &built);
    let ran = runner.run("install");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("There is no release yet"), "{}", ran.out);
    assert!(runner.read("bin/cargo.called").contains("install --locked --path"));
    let ran = runner.set("IN_VERSION", "0.0.7\n::error::owned").run("install");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(!ran.err.contains("\n::error::owned") && ran.err.contains("(no release yet)"), "{}", ran.err);
    let ran = runner.set("IN_VERSION", "path").set("PATH", "/usr/bin:/bin").run("install");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("no wireproof on PATH"), "{}", ran.err);
}

/// A program that leaves a mark, in the place of one that a step may want to run.
const TRAP: &str = "echo \"$0 $*\" >>\"$MARK\"; exit 0";
const PROGRAMS: [&str; 12] =
    ["cargo", "cp", "curl", "git", "mkdir", "mktemp", "rustc", "rustup", "sed", "tar", "uname", "wireproof"];

/// What earlier steps and the workflow set for other builds.
const OF_OTHER_BUILDS: [(&str, &str); 12] = [
    ("CARGO_TARGET_DIR", "target"),
    ("CARGO_BUILD_TARGET_DIR", "target"),
    ("CARGO_BUILD_TARGET", "wasm32-unknown-unknown"),
    ("CARGO_BUILD_RUSTC_WRAPPER", "tools/rustc"),
    ("RUSTC_WRAPPER", "./tools/rustc"),
    ("RUSTC_WORKSPACE_WRAPPER", "./tools/rustc"),
    ("RUSTC", "tools/rustc"),
    ("RUSTFLAGS", "-D warnings -C linker=tools/rustc"),
    ("RUSTUP_TOOLCHAIN", "1.12.0"),
    ("CC", "./tools/cc"),
    ("CARGO_REGISTRY_TOKEN", "a_word_for_a_registry"),
    ("LD_LIBRARY_PATH", "tools:"),
];

/// A runner whose step starts in a checkout full of traps.
pub(crate) fn trapped() -> Option<Runner> {
    let mut runner = Runner::new()?;
    runner.folder = runner.place.path("work/shop");
    let at = |name: &str| runner.place.path("work/shop").join(name).display().to_string();
    let place = &runner.place;
    for folder in ["", "tools/", "tools/tc/bin/", "node_modules/.bin/"] {
        for name in PROGRAMS {
            runner.program(&format!("work/shop/{folder}{name}"), TRAP);
        }
    }
    place.write("work/shop/rust-toolchain.toml", &format!("[toolchain]\npath = \"{}\"\n", at("tools/tc")));
    place.write("work/shop/rust-toolchain", "1.12.0\n");
    let trap = at("tools/rustc");
    place.write(
        "work/shop/.cargo/config.toml",
        &format!(
            "[build]\nrustc-wrapper = \"{trap}\"\nrustc = \"{trap}\"\ntarget-dir = \"{}\"\n[target.'cfg(all())']\nrunner = \
             \"{trap}\"\nlinker = \"{trap}\"\n[env]\nMARK = \"x\"\n[net]\noffline = true\n",
            at("target")
        ),
    );
    let build = "fn main() { std::fs::write(std::env::var(\"MARK\").unwrap(), \"build.rs\").unwrap(); }\n";
    place.write("work/shop/build.rs", build).write("work/shop/src/main.rs", build);
    place.write("work/shop/Cargo.toml", "[package]\nname = \"wireproof\"\nversion = \"9.9.9\"\nbuild = \"build.rs\"\n");
    place.write(
        "work/shop/.git/config",
        &format!("[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"{trap}\"\n\thooksPath = tools\n"),
    );
    place
        .write("work/shop/.git/HEAD", "ref: refs/heads/main\n")
        .write("work/shop/trap.sh", "echo sourced >>\"$MARK\"\n");
    place.write("work/shop/.curlrc", "output = owned\n").write("work/shop/temp/empty", "");
    let mut path = vec![".".to_owned(), String::new(), "tools".to_owned(), "node_modules/.bin".to_owned()];
    path.extend(["", "tools", "tools/tc/bin", "../shop/tools"].map(at));
    path.push(runner.place.path("bin").display().to_string());
    path.push(std::env::var("PATH").unwrap_or_default());
    let mark = runner.place.path("mark").display().to_string();
    let workspace = at("");
    let workspace = workspace.trim_end_matches('/');
    runner.set("PATH", &path.join(":")).set("MARK", &mark).set("GITHUB_WORKSPACE", workspace);
    runner.set("BASH_ENV", "trap.sh").set("ENV", "./trap.sh").set("CDPATH", ".");
    runner.set("GITHUB_TOKEN", "ghs_of_the_job").set("GH_TOKEN", "ghs_of_the_job");
    for (name, value) in OF_OTHER_BUILDS {
        runner.set(name, value);
    }
    runner.set("SOMETHING_OF_THE_JOB", &format!("{workspace}/tools"));
    Some(runner)
}

/// A `cargo` that writes down where and with what it was started, and "builds" what it should.
fn recording_cargo(runner: &Runner) {
    let lines = format!(
        "[ \"$1\" = install ] || exit 7\npwd -P >\"$0.folder\"\necho \"$*\" >\"$0.called\"\nls -A >\"$0.files\"\nenv >\"$0.env\"\n\
         : >\"$0.parents\"\npid=$PPID\nwhile [ -r /proc/$pid/environ ] && [ $pid -gt 1 ]; do\n\
         tr '\\0' '\\n' </proc/$pid/environ >>\"$0.parents\"\n\
         pid=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$pid/status)\ndone\n\
         mkdir -p \"${{@: -1}}/bin\"\nprintf '#!/bin/sh\\necho wireproof {VERSION}\\n' >\"${{@: -1}}/bin/wireproof\"\n\
         chmod +x \"${{@: -1}}/bin/wireproof\""
    );
    runner.program("bin/cargo", &lines);
}

/// The value of a variable in what `env` printed.
fn value<'a>(environment: &'a str, name: &str) -> Option<&'a str> {
    environment.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
}

#[test]
fn the_build_obeys_nothing_of_the_checkout_and_knows_no_token() {
    let Some(mut runner) = trapped() else { return };
    recording_cargo(&runner);
    let home = runner.place.path("cargo-home").display().to_string();
    runner.set("CARGO_HOME", &home).set("CARGO_HTTP_TIMEOUT", "60").set("HTTPS_PROXY", "http://127.0.0.1:9");
    let ran = runner.run("install");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(fs::read_to_string(runner.place.path("mark")).ok(), None);
    // The folder, and all above it.
    let folder = PathBuf::from(runner.read("bin/cargo.folder").trim());
    let temp = runner.place.path("temp").canonicalize().expect("it is there");
    assert!(folder.starts_with(&temp), "{}", folder.display());
    assert!(!folder.exists(), "what was built from is gone");
    let files = runner.read("bin/cargo.files");
    assert!(files.lines().all(|name| !name.starts_with('.') && !name.starts_with("rust-toolchain")), "{files}");
    let called = runner.read("bin/cargo.called");
    assert!(called.starts_with(&format!("install --locked --path {} --root ", folder.display())), "{called}");
    // The environment.
    let environment = runner.read("bin/cargo.env");
    assert_eq!(value(&environment, "RUSTUP_TOOLCHAIN"), Some("stable"));
    for (name, kept) in
        [("CARGO_HOME", home.as_str()), ("CARGO_HTTP_TIMEOUT", "60"), ("HTTPS_PROXY", "http://127.0.0.1:9")]
    {
        assert_eq!(value(&environment, name), Some(kept), "what reaches registries stays");
    }
    let checkout = runner.place.path("work/shop").display().to_string();
    let is_planted = |part: &str| part.trim_start_matches("./").starts_with("tools");
    let leads = |line: &&str| {
        line.contains(&checkout) || line.contains("trap.sh") || line.split(['=', ':', ' ']).any(is_planted)
    };
    assert_eq!(environment.lines().find(leads), None);
    assert!(!environment.contains("a_word_for_a_registry"));
    let known = ["CARGO_HOME", "CARGO_HTTP_TIMEOUT", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];
    let strange = |line: &&str| {
        let name = line.split('=').next().unwrap_or_default();
        (name.starts_with("CARGO") || name.starts_with("RUST") || name == "CC") && !known.contains(&name)
    };
    assert_eq!(environment.lines().find(strange), None);
    for part in value(&environment, "PATH").expect("a PATH").split(':') {
        assert!(part.starts_with('/') && !part.starts_with(&checkout), "{part}");
    }
    // The token: neither here nor above, as far up as the step goes.
    for text in [environment, runner.read("bin/cargo.parents")] {
        assert_eq!(text.lines().find(|line| line.contains("ghs_")), None);
    }
    let output = runner.read("output");
    assert!(output.contains(&format!("version={VERSION}\n")), "{output}");
}

#[test]
fn without_any_trap_the_build_is_the_same() {
    let Some(mut runner) = Runner::new() else { return };
    recording_cargo(&runner);
    runner.place.write("work/shop/order.proto", "syntax = \"proto3\";\n");
    runner.folder = runner.place.path("work/shop");
    let workspace = runner.folder.display().to_string();
    let ran = runner.set("GITHUB_WORKSPACE", &workspace).run("install");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(value(&runner.read("bin/cargo.env"), "RUSTUP_TOOLCHAIN"), Some("stable"));
}

#[test]
fn a_program_in_the_checkout_is_not_the_one_on_the_path() {
    let Some(mut runner) = trapped() else { return };
    // Nothing but the checkout has them.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&path)
        .filter(|folder| !folder.join("cargo").exists() && !folder.join("wireproof").exists());
    let path: Vec<String> = path.map(|folder| folder.display().to_string()).collect();
    let checkout = runner.place.path("work/shop").display().to_string();
    let path = format!(".:{checkout}/tools:{checkout}:{}", path.join(":"));
    for (version, what) in [("path", "no wireproof on PATH"), ("source", "no cargo here")] {
        let ran = runner.set("PATH", &path).set("IN_VERSION", version).run("install");
        assert_eq!(ran.code, 3, "{version}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(what) && ran.err.contains("checkout does not count"), "{version}: {}", ran.err);
    }
    assert!(!runner.place.path("mark").exists());
    // Elsewhere it is taken, by its full name.
    runner.program("bin/wireproof", &format!("echo 'wireproof {VERSION}'"));
    let bin = runner.place.path("bin").display().to_string();
    let ran =
        runner.set("PATH", &format!("{checkout}/tools:{bin}:/usr/bin:/bin")).set("IN_VERSION", "path").run("install");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(runner.read("output").contains(&format!("path={bin}/wireproof\n")), "{}", runner.read("output"));
}

#[test]
fn a_folder_for_temporary_files_in_the_checkout_is_refused() {
    let Some(mut runner) = trapped() else { return };
    recording_cargo(&runner);
    let temp = runner.place.path("work/shop/temp").display().to_string();
    let ran = runner.set("RUNNER_TEMP", &temp).run("install");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("lies in the checkout"), "{}", ran.err);
    assert!(!runner.place.path("mark").exists());
}

#[test]
fn a_release_is_installed_past_the_same_traps() {
    let Some(runner) = trapped() else { return };
    let sum = archive(&runner, VERSION);
    release(&runner, &sum);
    let ran = runner.run("install");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(!runner.place.path("mark").exists());
    assert!(runner.read("curl-called").contains("--fail"));
}

/// The toolchains of this machine, where rustup has a stable one.
fn rustup() -> Option<()> {
    let found = Command::new("rustup").args(["run", "stable", "rustc", "--version"]).output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        skip("rustup with a stable toolchain", "the action when it builds the program");
    }
    found.then_some(())
}

/// The action's source, in small: a program without dependencies.
fn small_source(runner: &Runner, folder: &str) {
    let manifest = format!(
        "[package]\nname = \"wireproof\"\nversion = \"{VERSION}\"\nedition = \"2021\"\nrust-version = \"1.56\"\n"
    );
    let lock = format!("version = 3\n\n[[package]]\nname = \"wireproof\"\nversion = \"{VERSION}\"\n");
    let main = format!("fn main() {{ println!(\"wireproof {VERSION}\"); }}\n");
    runner.place.write(format!("{folder}/Cargo.toml"), &manifest).write(format!("{folder}/Cargo.lock"), &lock);
    runner.place.write(format!("{folder}/src/main.rs"), &main);
}

#[test]
fn cargo_itself_builds_past_the_same_traps_and_past_a_pinned_old_rust() {
    if rustup().is_none() {
        return;
    }
    for (pin, action) in [("", "action"), ("[toolchain]\nchannel = \"1.70.0\"\n", "action"), ("", "work/shop/action")] {
        let Some(mut runner) = trapped() else { return };
        if !pin.is_empty() {
            runner.place.write("work/shop/rust-toolchain.toml", pin);
        }
        small_source(&runner, action);
        for name in ["gate.sh", "binaries.json"] {
            let text = fs::read_to_string(root().join(".github/action").join(name)).expect("the action's files");
            runner.place.write(format!("{action}/.github/action/{name}"), &text);
        }
        // Where the action is a folder of the checkout, its hidden files are none of the build either.
        runner.place.write(format!("{action}/.cargo/config.toml"), "[build]\nrustc-wrapper = \"./trap\"\n");
        runner.place.write(format!("{action}/rust-toolchain.toml"), "[toolchain]\nchannel = \"1.12.0\"\n");
        let path = runner.place.path(action).display().to_string();
        let ran = runner.set("ACTION_PATH", &path).run("install");
        assert_eq!(ran.code, 0, "{pin}{action}: {}{}", ran.out, ran.err);
        assert!(!runner.place.path("mark").exists(), "{}", runner.read("mark"));
        assert!(runner.read("output").contains(&format!("version={VERSION}\n")), "{}", runner.read("output"));
    }
}
