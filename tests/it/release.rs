//! What makes a release, as far as it can run here: the archives, the installer, the npm packages, the wheel that is
//! compiled in a clone. All that one script makes of ready programs is in `release_packages`.
//!
//! Programs that are missing (`tar`, `curl` or `wget`, `node`, `shellcheck`, `actionlint`, `zizmor`) make a test say that
//! it was skipped. The wheel is built only where `WIREPROOF_TEST_WHEEL=1`, because that takes minutes, and needs `maturin`
//! and `python3` on PATH.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use crate::git::Place;
use crate::support::{is_windows, root, skip};

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
pub(crate) const TARGET: &str = "x86_64-unknown-linux-musl";

/// Whether a program can be started; says so where not.
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skip(program, "a part of a release");
    }
    found
}

pub(crate) fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

pub(crate) fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub(crate) fn script(name: &str) -> Command {
    let mut command = Command::new("bash");
    command.arg(root().join("release").join(name));
    command
}

/// A stand-in for the program, packed as a release packs it, with its checksums.
fn released(place: &Place) -> bool {
    if is_windows("the archives of a release") || !has("bash") || !has("tar") {
        return false;
    }
    place.write("wireproof", &format!("#!/bin/sh\necho \"wireproof {VERSION}\"\nexit \"${{1:-0}}\"\n"));
    let packed = run(script("pack.sh").args([TARGET, VERSION]).arg(place.path("wireproof")).arg(place.path("dist")));
    assert!(packed.status.success(), "{}", told(&packed));
    let archive = format!("wireproof-{TARGET}-v{VERSION}.tgz");
    let sums = run(Command::new("sha256sum").arg(&archive).current_dir(place.path("dist")));
    place.write("dist/SHA256SUMS", &String::from_utf8_lossy(&sums.stdout));
    true
}

/// Serves the files of a folder on this machine; the address.
pub(crate) fn serve(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let folder = Arc::new(folder.to_path_buf());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut lines = BufReader::new(stream.try_clone().expect("a second handle")).lines();
            let request = lines.next().and_then(Result::ok).unwrap_or_default();
            while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
            let path = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
            let (status, body) = match fs::read(folder.join(path)) {
                Ok(body) => ("200 OK", body),
                Err(_) => ("404 Not Found", Vec::new()),
            };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    format!("http://{address}")
}

/// Runs the installer with these variables and no others.
pub(crate) fn install(place: &Place, installer: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("sh");
    command.arg(installer).env("HOME", place.path("home"));
    for name in ["WIREPROOF_INSTALL_DIR", "WIREPROOF_VERSION", "WIREPROOF_BASE_URL", "WIREPROOF_TARGET"] {
        command.env_remove(name);
    }
    run(command.envs(variables.iter().copied()))
}

#[test]
fn the_installer_checks_what_it_fetches() {
    let place = Place::new();
    if !released(&place) || !(has("curl") || has("wget")) {
        return;
    }
    let installer = root().join("release/install.sh");
    let address = serve(&place.path("dist"));
    let usual = [("WIREPROOF_VERSION", VERSION), ("WIREPROOF_BASE_URL", &address), ("WIREPROOF_TARGET", TARGET)];
    let program = place.path("home/.local/bin/wireproof");
    for _ in 0..2 {
        let done = install(&place, &installer, &usual);
        assert!(done.status.success(), "{}", told(&done));
        assert!(told(&done).contains(&format!("wireproof {VERSION} is in")), "{}", told(&done));
        assert!(told(&done).contains("add it to your PATH"), "{}", told(&done));
    }
    assert!(run(&mut Command::new(&program)).status.success());
    fs::remove_file(&program).expect("it was installed");

    let refused = |changed: &[(&str, &str)], why: &str| {
        let done = install(&place, &installer, &[&usual[..], changed].concat());
        assert!(!done.status.success() && told(&done).contains(why), "{changed:?}: {}", told(&done));
        assert!(!program.exists(), "{changed:?}: nothing may be installed");
    };
    refused(&[("WIREPROOF_TARGET", "sparc-unknown-linux-gnu")], "has no build for sparc-unknown-linux-gnu");
    refused(&[("WIREPROOF_VERSION", "9.9.9")], "version 9.9.9 has no build");
    refused(&[("WIREPROOF_VERSION", "1;touch x")], "is no version");
    refused(&[("WIREPROOF_BASE_URL", "http://example.org")], "has to start with https://");
    refused(&[("WIREPROOF_BASE_URL", &format!("{address}/nowhere"))], "cannot fetch");
    let archive = place.path(&format!("dist/wireproof-{TARGET}-v{VERSION}.tgz"));
    let mut bytes = fs::read(&archive).expect("it was packed");
    bytes.push(0);
    fs::write(&archive, bytes).expect("it can be changed");
    refused(&[], "Nothing was installed.");
    let bare = install(&place, &installer, &[]);
    assert!(!bare.status.success() && told(&bare).contains("not from a release"), "{}", told(&bare));
}

#[test]
fn archives_are_found_by_name_and_hold_the_program() {
    let place = Place::new();
    if !released(&place) {
        return;
    }
    let name = format!("wireproof-{TARGET}-v{VERSION}");
    let listed = run(Command::new("tar").arg("-tzf").arg(place.path(&format!("dist/{name}.tgz"))));
    for file in ["wireproof", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(told(&listed).contains(&format!("{name}/{file}\n")), "{}", told(&listed));
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let template = "{ repo }/releases/download/v{ version }/{ name }-{ target }-v{ version }{ archive-suffix }";
    assert!(manifest.contains(template), "cargo-binstall looks for the archives by this name");
}

#[test]
fn the_action_is_told_of_each_archive() {
    let place = Place::new();
    if !has("bash") {
        return;
    }
    let sum = |digit: char| digit.to_string().repeat(64);
    let targets = [("aarch64-apple-darwin", 'a'), ("x86_64-pc-windows-msvc", 'b')];
    let mut sums: Vec<String> =
        targets.iter().map(|(target, digit)| format!("{}  wireproof-{target}-v1.2.3.tgz\n", sum(*digit))).collect();
    sums.extend(
        ["wireproof-x86_64-pc-windows-msvc-v1.2.3.zip", "install.sh", "npm-wireproof-1.2.3.tgz"]
            .map(|name| format!("{}  {name}\n", sum('c'))),
    );
    place.write("SHA256SUMS", &sums.concat());
    let done = run(script("binaries.sh").args(["1.2.3", "https://example.org/v1.2.3"]).arg(place.path("SHA256SUMS")));
    assert!(done.status.success(), "{}", told(&done));
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(file["version"], "1.2.3");
    assert_eq!(file["binaries"].as_object().map(serde_json::Map::len), Some(2), "{text}");
    for (target, digit) in targets {
        let line = format!(
            "    \"{target}\": {{ \"url\": \"https://example.org/v1.2.3/wireproof-{target}-v1.2.3.tgz\", \"sha256\": \"{}\" }}",
            sum(digit)
        );
        assert!(text.lines().any(|found| found.trim_end_matches(',') == line), "the action reads lines: {text}");
    }
    let none = run(script("binaries.sh").args(["9.9.9", "https://example.org"]).arg(place.path("SHA256SUMS")));
    assert!(!none.status.success(), "no archive is no release: {}", told(&none));
}

/// The packages for npm, made from stand-ins; the folder they are in.
fn packages(place: &Place) -> BTreeMap<String, serde_json::Value> {
    let targets = [
        "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
    ];
    let generate = || {
        let mut command = Command::new("node");
        command.arg(root().join("release/npm/generate.mjs")).args([VERSION, "https://example.org/wireproof"]);
        run(command.arg(place.path("programs")).arg(place.path("npm")))
    };
    for target in targets {
        let incomplete = generate();
        assert!(!incomplete.status.success(), "a target that is missing is an error: {}", told(&incomplete));
        let file = if target.contains("windows") { "wireproof.exe" } else { "wireproof" };
        place.write(format!("programs/{target}/{file}"), "#!/bin/sh\necho \"$@\"\nexit 3\n");
    }
    let done = generate();
    assert!(done.status.success(), "{}", told(&done));
    let folders = fs::read_dir(place.path("npm")).expect("packages").filter_map(Result::ok);
    let manifest = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path().join("package.json")).expect("a manifest");
        (entry.file_name().to_string_lossy().into_owned(), serde_json::from_str(&text).expect("JSON"))
    };
    folders.map(manifest).collect()
}

#[test]
fn the_package_for_npm_starts_the_program_of_the_platform() {
    let place = Place::new();
    if is_windows("the npm packages") || !has("node") || !has("npm") {
        return;
    }
    let packages = packages(&place);
    assert_eq!(packages.len(), 6);
    let platforms = packages["wireproof"]["optionalDependencies"].as_object().expect("platforms");
    assert!(
        platforms.len() == 5
            && platforms.iter().all(|(name, version)| {
                version == VERSION && packages[name]["version"] == VERSION && packages[name]["os"].is_array()
            })
    );
    assert!(packages.values().all(|package| package["scripts"].is_null()), "nothing runs when it is installed");

    // As npm packs and unpacks them.
    let modules = place.path("app/node_modules");
    let unpack = |name: &str| {
        let packed = run(Command::new("npm")
            .args(["pack", "--silent", "--offline"])
            .arg(place.path("npm").join(name))
            .current_dir(place.path("")));
        assert!(packed.status.success(), "{}", told(&packed));
        let folder = modules.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let archive = place.path(String::from_utf8_lossy(&packed.stdout).trim());
        let done =
            run(Command::new("tar").arg("-xzf").arg(archive).args(["--strip-components", "1", "-C"]).arg(&folder));
        assert!(done.status.success(), "{}", told(&done));
    };
    unpack("wireproof");
    let start =
        || run(Command::new("node").arg(modules.join("wireproof/bin/wireproof.js")).args(["check", "--mode", "a b"]));
    let lonely = start();
    assert_eq!(lonely.status.code(), Some(3), "{}", told(&lonely));
    assert!(told(&lonely).contains("is not installed"), "{}", told(&lonely));
    let platform = run(Command::new("node").args(["-p", "`wireproof-${process.platform}-${process.arch}`"]));
    let platform = String::from_utf8_lossy(&platform.stdout).trim().to_owned();
    if !packages.contains_key(&platform) {
        skip("a platform that npm packages are made for", &format!("the npm package; this is {platform}"));
        return;
    }
    unpack(&platform);
    let started = start();
    assert_eq!((started.status.code(), told(&started).as_str()), (Some(3), "check --mode a b\n"));
}

#[test]
fn the_wheel_gives_the_program() {
    if std::env::var_os("WIREPROOF_TEST_WHEEL").is_none_or(|value| value != "1") {
        skip("WIREPROOF_TEST_WHEEL=1", "the wheel, which takes minutes to build");
        return;
    }
    if !has("maturin") || !has("python3") {
        return;
    }
    let place = Place::new();
    // Not optimised: what counts is what is in the wheel.
    let built = run(Command::new("maturin").arg("build").arg("--out").arg(place.path("dist")).current_dir(root()));
    assert!(built.status.success(), "{}", told(&built));
    let wheels: Vec<_> = fs::read_dir(place.path("dist")).expect("a wheel").filter_map(Result::ok).collect();
    assert_eq!(wheels.len(), 1);
    let made = run(Command::new("python3").args(["-m", "venv"]).arg(place.path("venv")));
    assert!(made.status.success(), "{}", told(&made));
    let folder = place.path(if cfg!(windows) { "venv/Scripts" } else { "venv/bin" });
    let pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"];
    let installed = run(Command::new(folder.join("python")).args(pip).arg(wheels[0].path()));
    assert!(installed.status.success(), "{}", told(&installed));
    let says = run(Command::new(folder.join("wireproof")).arg("--version"));
    assert_eq!(told(&says), format!("wireproof {VERSION}\n"));
}

#[test]
fn scripts_and_workflows_pass_the_linters() {
    let check = |program: &str, arguments: &[String]| {
        if has(program) {
            let done = run(Command::new(program).args(arguments).current_dir(root()));
            assert!(done.status.success(), "{program}: {}", told(&done));
        }
    };
    let scripts = ["all.sh", "binaries.sh", "deb.sh", "formula.sh", "install.sh", "pack.sh"];
    check("shellcheck", &scripts.map(|name| format!("release/{name}")));
    check("actionlint", &[".github/workflows/ci.yml", ".github/workflows/release.yml"].map(str::to_owned));
    check("zizmor", &["--offline", "--quiet", ".github/workflows"].map(str::to_owned));
}

#[test]
fn every_action_of_a_workflow_is_pinned() {
    for name in ["ci.yml", "release.yml"] {
        let text = fs::read_to_string(root().join(".github/workflows").join(name)).expect("a workflow");
        for line in text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: ")) {
            let action = line.split(' ').next().unwrap_or(line);
            let commit = action.split_once('@').map(|(_, commit)| commit);
            let is_commit = |commit: &str| commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(action == "./" || commit.is_some_and(is_commit), "{name}: {action}");
        }
    }
}
