//! What the action keeps of a build, when it takes it instead of building again, and what it does not take.
//!
//! The `cargo` of these tests writes a line each time it builds, and the step starts in a checkout full of traps, which
//! leave a mark.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::gate_install::trapped;
use crate::gate_script::{Runner, make_executable};
use crate::support::{folders_in, name_of, skip};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A runner with a folder for tools, and a cargo that counts.
fn runner() -> Option<Runner> {
    let mut runner = trapped()?;
    let says = "echo \"$*\" >>\"$0.calls\"\nmkdir -p \"${@: -1}/bin\"\n";
    let program = format!("printf '#!/bin/sh\\necho wireproof {VERSION}\\n' >\"${{@: -1}}/bin/wireproof\"\n");
    runner.program("bin/cargo", &format!("{says}{program}chmod +x \"${{@: -1}}/bin/wireproof\""));
    runner.program("bin/rustc", "echo 'rustc 1.90.0'");
    runner.place.write("action/src/main.rs", "fn main() {}\n").write("tools/empty", "");
    let tools = runner.place.path("tools").display().to_string();
    runner.set("RUNNER_TOOL_CACHE", &tools);
    Some(runner)
}

/// Runs the step, which has to succeed; what it said.
fn install(runner: &Runner) -> String {
    let ran = runner.run("install");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(!runner.place.path("mark").exists(), "{}", runner.read("mark"));
    let output = runner.read("output");
    let program = output.lines().rev().find_map(|line| line.strip_prefix("path=")).expect("a path");
    let says = Command::new(program).output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&says.stdout), format!("wireproof {VERSION}\n"));
    ran.out
}

fn builds(runner: &Runner) -> usize {
    fs::read_to_string(runner.place.path("bin/cargo.calls")).map_or(0, |text| text.lines().count())
}

/// The folders of what is kept.
fn entries(runner: &Runner) -> Vec<PathBuf> {
    folders_in(&runner.place.path("tools/wireproof"))
}

#[test]
fn a_second_run_builds_nothing() {
    let Some(mut runner) = runner() else { return };
    let cold = install(&runner);
    let [entry] = &entries(&runner)[..] else { panic!("{:?}", entries(&runner)) };
    assert!(cold.contains(&format!("It is kept in {}", entry.display())), "{cold}");
    for _ in 0..2 {
        let warm = install(&runner);
        assert!(warm.contains("An earlier run built it from the same source"), "{warm}");
        assert_eq!(builds(&runner), 1);
    }
    runner.set("IN_VERSION", "source");
    assert!(!install(&runner).contains("An earlier run"));
    assert_eq!(builds(&runner), 2, "who asks for a build gets one");
}

#[test]
fn another_source_or_compiler_is_built_anew() {
    let Some(runner) = runner() else { return };
    install(&runner);
    let changes = [
        ("action/src/main.rs", "fn main() { }\n"),
        ("action/src/other.rs", ""),
        ("action/Cargo.lock", "version = 4\n"),
        ("bin/rustc", "#!/bin/sh\necho 'rustc 1.91.0'\n"),
    ];
    for (count, (file, text)) in changes.into_iter().enumerate() {
        runner.place.write(file, text);
        for _ in 0..2 {
            install(&runner);
            assert_eq!((builds(&runner), entries(&runner).len()), (count + 2, count + 2), "{file}");
        }
    }
    // A link may lead to what the key does not name.
    #[cfg(unix)]
    std::os::unix::fs::symlink("main.rs", runner.place.path("action/src/link.rs")).expect("a link");
    for count in [6, 7] {
        install(&runner);
        assert_eq!((builds(&runner), entries(&runner).len()), (count, 5));
    }
}

#[test]
fn what_is_not_what_was_kept_is_never_run() {
    let Some(runner) = runner() else { return };
    install(&runner);
    runner.place.write("action/src/other.rs", "");
    install(&runner);
    let [one, other] = &entries(&runner)[..] else { panic!("{:?}", entries(&runner)) };
    let key = |entry: &Path| {
        fs::read_to_string(entry.join("sum")).expect("the sum").split(' ').next() == Some(&name_of(entry))
    };
    assert!(key(one) && key(other));
    let original = fs::read(one.join("wireproof")).expect("a program");
    // The other source is the one that counts; which of the two entries that is, its time says.
    let used = |entry: &Path| fs::metadata(entry.join("wireproof")).and_then(|data| data.modified()).expect("a time");
    let (current, earlier) = if used(one) > used(other) { (one, other) } else { (other, one) };

    let trap = format!("#!/bin/sh\ntouch '{}'\necho wireproof {VERSION}\n", runner.place.path("mark").display());
    let plant = |text: &str| {
        fs::write(current.join("wireproof"), text).expect("it can be written");
        make_executable(&current.join("wireproof"));
    };
    let replaced: [(&str, &dyn Fn()); 5] = [
        ("the program is another one", &|| plant(&trap)),
        ("there is no sum", &|| {
            plant(&trap);
            fs::remove_file(current.join("sum")).expect("it was there");
        }),
        ("the entry is that of another source", &|| {
            fs::copy(earlier.join("sum"), current.join("sum")).expect("a copy");
        }),
        ("half of it is there", &|| plant("#!/bin")),
        ("there is no program", &|| fs::remove_file(current.join("wireproof")).expect("it was there")),
    ];
    for (count, (what, replace)) in replaced.into_iter().enumerate() {
        replace();
        let said = install(&runner);
        assert!(said.contains("is not what was put there"), "{what}: {said}");
        assert_eq!(builds(&runner), count + 3, "{what}");
        assert_eq!(fs::read(current.join("wireproof")).ok().as_ref(), Some(&original), "{what}: the good one is back");
    }
    assert!(install(&runner).contains("An earlier run"));
}

#[test]
fn nothing_is_kept_where_a_checkout_or_somebody_else_could_change_it() {
    let Some(mut runner) = runner() else { return };
    runner.place.write("work/shop/kept/empty", "");
    let tools = runner.place.path("work/shop/kept").display().to_string();
    runner.set("RUNNER_TOOL_CACHE", &tools);
    for count in [1, 2] {
        install(&runner);
        assert_eq!(builds(&runner), count, "a folder of the checkout");
    }
    assert!(!runner.place.path("work/shop/kept/wireproof").exists());

    #[cfg(unix)]
    std::os::unix::fs::symlink("../work/shop", runner.place.path("tools/wireproof")).expect("a link");
    let tools = runner.place.path("tools").display().to_string();
    runner.set("RUNNER_TOOL_CACHE", &tools);
    for count in [3, 4] {
        install(&runner);
        assert_eq!(builds(&runner), count, "a link into the checkout");
    }
    fs::remove_file(runner.place.path("tools/wireproof")).expect("a link");

    runner.set("RUNNER_TOOL_CACHE", "/nowhere/at/all");
    install(&runner);
    assert_eq!(builds(&runner), 5, "a folder that is not there");

    runner.set("RUNNER_TOOL_CACHE", &tools);
    install(&runner);
    assert_eq!((builds(&runner), entries(&runner).len()), (6, 1), "the twin: a folder of the runner");
    let given = Command::new("chown").arg("65534:65534").arg(runner.place.path("tools/wireproof")).output();
    if !given.is_ok_and(|output| output.status.success()) {
        skip("root", "what is kept in a folder of another user");
        return;
    }
    install(&runner);
    assert_eq!(builds(&runner), 7, "a folder of another user");
}
