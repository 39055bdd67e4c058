//! The packages of a release: what the one script makes of programs, and that what it makes can be installed and checks.
//!
//! Which files there are, and that they are the same each time, is tested with stand-ins for the programs of all targets.
//! The program itself goes into one package of each kind, is installed from it into a folder of its own, and compares.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::gate_script::make_executable;
use crate::git::Place;
use crate::release::{TARGET, VERSION, has, install, run, script, serve, told};
use crate::support::{as_many, is_windows, name_of, root, skip, tries_everything};

const ADDRESS: &str = "https://example.org/octo/wireproof";
const TARGETS: [&str; 7] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    TARGET,
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
];

/// Whether everything is here that the script needs, which is written for Linux.
fn can_make() -> bool {
    if !cfg!(target_os = "linux") {
        skip("Linux", "the packages of a release");
        return false;
    }
    // Not in one expression: each that is missing is said.
    let here = ["bash", "tar", "python3", "node", "npm", "dpkg-deb"].map(has);
    here.iter().all(|found| *found)
}

/// A program that says what `all.sh` asks for, and differs from those of other targets.
fn stand_in(place: &Place, target: &str) {
    let file = if target.contains("windows") { "wireproof.exe" } else { "wireproof" };
    let name = format!("programs/{target}/{file}");
    place.write(&name, &format!("#!/bin/sh\n# {target}\necho \"wireproof ${{1#--}}\" | sed 's/version/{VERSION}/'\n"));
}

fn make(place: &Place, arguments: &[&str], folder: &str) -> Output {
    let mut command = script("all.sh");
    // How small a package gets is not what is tested.
    command.env("DPKG_DEB_COMPRESSOR_LEVEL", "0");
    run(command.args(arguments).args([VERSION, ADDRESS]).arg(place.path("programs")).arg(place.path(folder)))
}

/// The files of a folder with what is in them.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    entries.map(|entry| (name_of(&entry.path()), fs::read(entry.path()).expect("a file"))).collect()
}

/// The names of what a release has.
fn names() -> Vec<String> {
    let mut names = vec!["SHA256SUMS".to_owned(), "install.sh".to_owned(), "wireproof.rb".to_owned()];
    names.extend(TARGETS.map(|target| format!("wireproof-{target}-v{VERSION}.tgz")));
    names.push(format!("wireproof-x86_64-pc-windows-msvc-v{VERSION}.zip"));
    names.push(format!("container-wireproof-{VERSION}.tgz"));
    names.extend(["amd64", "arm64"].map(|architecture| format!("wireproof_{VERSION}_{architecture}.deb")));
    let platforms = ["", "-linux-x64", "-linux-arm64", "-darwin-x64", "-darwin-arm64", "-win32-x64"];
    names.extend(platforms.map(|platform| format!("npm-wireproof{platform}-{VERSION}.tgz")));
    let wheels = [
        "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
        "macosx_10_12_x86_64",
        "macosx_11_0_arm64",
        "win_amd64",
    ];
    names.extend(wheels.map(|platform| format!("wireproof-{VERSION}-py3-none-{platform}.whl")));
    names.sort();
    names
}

#[test]
fn one_script_makes_all_that_a_release_has_and_the_same_each_time() {
    if !can_make() {
        return;
    }
    let place = Place::new();
    for target in &TARGETS[1..] {
        stand_in(&place, target);
    }
    let half = make(&place, &[], "half");
    assert!(
        !half.status.success()
            && told(&half).contains(&format!("no program of it in {}", place.path("programs").display()))
    );
    assert!(!place.path("half/SHA256SUMS").exists(), "half a release has no checksums");
    stand_in(&place, TARGETS[0]);
    // Made twice only where everything is tried.
    for folder in &["dist", "again"][..as_many([2, 1])] {
        let made = make(&place, &[], folder);
        assert!(made.status.success(), "{}", told(&made));
    }
    let files = content(&place.path("dist"));
    assert_eq!(files.keys().cloned().collect::<Vec<_>>(), names());

    // The zip file has the time of day in it, and so the list of checksums differs as well.
    let again = content(&place.path(if tries_everything() { "again" } else { "dist" }));
    let varies = |name: &str| name == "SHA256SUMS" || name.to_ascii_lowercase().ends_with(".zip");
    let changed: Vec<&String> = files
        .iter()
        .filter(|(name, bytes)| !varies(name) && again.get(*name) != Some(bytes))
        .map(|(name, _)| name)
        .collect();
    assert!(changed.is_empty(), "made twice, these differ: {changed:?}");

    let sums =
        run(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(place.path("dist")));
    assert!(sums.status.success(), "{}", told(&sums));
    assert_eq!(told(&sums).lines().count(), files.len() - 1, "each file has its sum");
    let installer = String::from_utf8_lossy(&files["install.sh"]).into_owned();
    assert!(installer.contains(&format!("{ADDRESS}/releases/download/v$version")), "{installer}");
    formula_names_what_was_made(&place);
    the_action_takes_archives_only(&place);

    let twice = make(&place, &[], "dist");
    assert!(!twice.status.success() && told(&twice).contains("is not empty"), "{}", told(&twice));
}

fn formula_names_what_was_made(place: &Place) {
    let sums = fs::read_to_string(place.path("dist/SHA256SUMS")).expect("the sums");
    let formula = fs::read_to_string(place.path("dist/wireproof.rb")).expect("a formula");
    for target in &TARGETS[2..6] {
        let name = format!("wireproof-{target}-v{VERSION}.tgz");
        let line = sums.lines().find(|line| line.ends_with(&name)).expect("a sum");
        let sum = line.split(' ').next().unwrap_or_default();
        let expected = format!("      url \"{ADDRESS}/releases/download/v{VERSION}/{name}\"\n      sha256 \"{sum}\"\n");
        assert!(formula.contains(&expected), "{expected} is not in {formula}");
    }
    if has("ruby") {
        let checked = run(Command::new("ruby").arg("-c").arg(place.path("dist/wireproof.rb")));
        assert!(checked.status.success(), "{}", told(&checked));
    }
    // Where one of the four is missing there is none.
    let fewer: String =
        sums.lines().filter(|line| !line.contains("aarch64-apple")).map(|line| format!("{line}\n")).collect();
    place.write("fewer", &fewer);
    let none = run(script("formula.sh").args([VERSION, ADDRESS]).arg(place.path("fewer")));
    assert!(
        !none.status.success() && told(&none).contains("there is no wireproof-aarch64-apple-darwin"),
        "{}",
        told(&none)
    );
}

fn the_action_takes_archives_only(place: &Place) {
    let made = run(script("binaries.sh").args([VERSION, "https://example.org"]).arg(place.path("dist/SHA256SUMS")));
    let text = String::from_utf8_lossy(&made.stdout).into_owned();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let found: Vec<&str> = file["binaries"].as_object().expect("targets").keys().map(String::as_str).collect();
    let mut expected = TARGETS;
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// The program, packed for this system alone: without what is in it for those who debug it where everything is tried, and
/// otherwise by a script that starts it, because packing its bytes in five ways takes longer than all else here.
fn packed() -> Option<Place> {
    if is_windows("the packages of a release") || !can_make() {
        return None;
    }
    let place = Place::new();
    let program = place.path(&format!("programs/{TARGET}/wireproof"));
    let own = env!("CARGO_BIN_EXE_wireproof");
    if tries_everything() {
        place.write(format!("programs/{TARGET}/wireproof"), "");
        let stripped = Command::new("strip").arg("-o").arg(&program).arg(own).status();
        if !stripped.is_ok_and(|status| status.success()) {
            fs::copy(own, &program).expect("a copy");
        }
    } else {
        place.write(format!("programs/{TARGET}/wireproof"), &format!("#!/bin/sh\nexec '{own}' \"$@\"\n"));
        make_executable(&program);
    }
    let made = make(&place, &["--partial"], "dist");
    assert!(made.status.success(), "{}", told(&made));
    assert!(told(&made).contains("not made: anything for aarch64-apple-darwin"), "{}", told(&made));
    Some(place)
}

/// The file of a kind.
fn file(place: &Place, is: impl Fn(&str) -> bool) -> PathBuf {
    let found: Vec<String> = content(&place.path("dist")).into_keys().filter(|name| is(name)).collect();
    let [name] = &found[..] else { panic!("one file: {found:?}") };
    place.path("dist").join(name)
}

fn unpack(archive: &Path, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let done = run(Command::new("tar").arg("-xzf").arg(archive).args(["--strip-components", "1", "-C"]).arg(folder));
    assert!(done.status.success(), "{}", told(&done));
}

/// By dpkg into a root of its own, where this user may; else unpacked.
fn from_debian(place: &Place) -> PathBuf {
    let package = file(place, |name| name.to_ascii_lowercase().ends_with(".deb"));
    let rooted = place.path("debian");
    place.write("debian/var/lib/dpkg/status", "").write("debian/var/lib/dpkg/updates/none", "");
    fs::remove_file(place.path("debian/var/lib/dpkg/updates/none")).expect("it was written");
    place.write("debian/var/lib/dpkg/info/format", "1\n");
    let dpkg = |arguments: &[&str]| run(Command::new("dpkg").arg("--root").arg(&rooted).args(arguments));
    let is_root = String::from_utf8_lossy(&run(Command::new("id").arg("-u")).stdout).trim() == "0";
    if is_root && has("dpkg") {
        let done = dpkg(&["--force-architecture", "--install", &package.display().to_string()]);
        assert!(done.status.success(), "{}", told(&done));
        let verified = dpkg(&["--verify", "wireproof"]);
        assert!(verified.status.success() && told(&verified).is_empty(), "{}", told(&verified));
    } else {
        skip("root and dpkg", "the Debian package as dpkg installs it; it is only unpacked");
        let done = run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&rooted));
        assert!(done.status.success(), "{}", told(&done));
    }
    let fields = run(Command::new("dpkg-deb").arg("--field").arg(&package));
    for line in ["Package: wireproof", &format!("Version: {VERSION}"), "Architecture: amd64", "Recommends: git"] {
        assert!(told(&fields).lines().any(|field| field == line), "{line}: {}", told(&fields));
    }
    for (name, says) in [
        ("bash-completion/completions/wireproof", "complete -F"),
        ("zsh/vendor-completions/_wireproof", "#compdef wireproof"),
        ("fish/vendor_completions.d/wireproof.fish", "complete -c wireproof"),
        ("doc/wireproof/copyright", "Apache License"),
    ] {
        let text =
            fs::read_to_string(rooted.join("usr/share").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(text.contains(says), "{name}");
    }
    let page = run(Command::new("gzip").arg("-dc").arg(rooted.join("usr/share/man/man1/wireproof.1.gz")));
    assert!(told(&page).contains(".TH wireproof 1"), "{}", told(&page));
    rooted.join("usr/bin/wireproof")
}

fn from_npm(place: &Place) -> PathBuf {
    let launcher = file(place, |name| name == format!("npm-wireproof-{VERSION}.tgz"));
    let platform = file(place, |name| name.starts_with("npm-wireproof-linux-"));
    let mut command = Command::new("npm");
    command.args(["install", "--silent", "--offline", "--no-audit", "--no-fund", "--prefix"]).arg(place.path("app"));
    let done = run(command.arg(platform).arg(launcher).env("npm_config_cache", place.path("cache")));
    assert!(done.status.success(), "{}", told(&done));
    place.path("app/node_modules/.bin/wireproof")
}

fn from_wheel(place: &Place) -> Option<PathBuf> {
    let made = run(Command::new("python3").args(["-m", "venv"]).arg(place.path("venv")));
    if !made.status.success() {
        skip("python3 with venv", "the wheel as pip installs it");
        return None;
    }
    let wheel = file(place, |name| name.to_ascii_lowercase().ends_with(".whl"));
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"];
    let installed = run(Command::new(place.path("venv/bin/python")).args(pip).arg(wheel));
    assert!(installed.status.success(), "{}", told(&installed));
    Some(place.path("venv/bin/wireproof"))
}

fn from_installer(place: &Place) -> Option<PathBuf> {
    if !has("curl") && !has("wget") {
        return None;
    }
    let address = serve(&place.path("dist"));
    let script = place.path("dist/install.sh");
    let done = install(place, &script, &[("WIREPROOF_BASE_URL", &address), ("WIREPROOF_TARGET", TARGET)]);
    assert!(done.status.success(), "{}", told(&done));
    Some(place.path("home/.local/bin/wireproof"))
}

#[test]
fn what_is_installed_from_each_package_compares() {
    if !cfg!(target_arch = "x86_64") {
        skip("x86-64", "installing the packages of a release");
        return;
    }
    let Some(place) = packed() else { return };
    unpack(&file(&place, |name| name.starts_with("wireproof-x86_64")), &place.path("archive"));
    unpack(&file(&place, |name| name.starts_with("container-")), &place.path("image"));
    let programs = [
        ("the archive", Some(place.path("archive/wireproof"))),
        ("the context of the image", Some(place.path("image/amd64/wireproof"))),
        ("the Debian package", Some(from_debian(&place))),
        ("the packages of npm", Some(from_npm(&place))),
        ("the wheel", from_wheel(&place)),
        ("the installer", from_installer(&place)),
    ];
    let pair = root().join("fixtures/protobuf/a-discount-becomes-a-debt");
    for (package, program) in programs {
        let Some(program) = program else { continue };
        let compare = |new: &str| run(Command::new(&program).arg("compare").arg(pair.join("old")).arg(pair.join(new)));
        let (same, changed) = (compare("old"), compare("new"));
        assert_eq!(same.status.code(), Some(0), "{package}: {}", told(&same));
        assert_eq!(changed.status.code(), Some(1), "{package}: {}", told(&changed));
        assert!(told(&changed).contains("protobuf/field-reused"), "{package}: {}", told(&changed));
    }
}

/// The instructions of the image, each with its arguments.
fn instructions() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("release/Containerfile")).expect("the file");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split_once(' ').expect("an instruction and its arguments"))
        .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
        .collect()
}

/// The program in a repository of somebody else, with a configuration of the system; its exit code and what it said.
fn in_repository(place: &Place, folder: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wireproof"));
    crate::git::clean(&mut command);
    command.env_remove("GIT_CONFIG_NOSYSTEM").env("GIT_CONFIG_SYSTEM", place.path("gitconfig"));
    let done = run(command.args(["check", "--against", "git:HEAD"]).current_dir(place.path(folder)));
    (done.status.code(), told(&done))
}

#[test]
fn the_image_reads_the_repository_that_is_mounted_and_no_other() {
    if is_windows("the container image") || crate::git::git_is_missing() {
        return;
    }
    skip("a container engine", "the image as it is built and run");
    let instructions = instructions();
    let all = |name: &str| -> Vec<&str> {
        instructions.iter().filter(|(found, _)| found == name).map(|(_, rest)| rest.as_str()).collect()
    };
    assert_eq!(all("COPY"), ["${TARGETARCH}/wireproof /usr/local/bin/wireproof"]);
    assert_eq!(
        (all("ENTRYPOINT"), all("WORKDIR"), all("USER")),
        (vec!["[\"wireproof\"]"], vec!["/work"], vec!["65534:65534"])
    );
    let [command] = &all("RUN")[..] else { panic!("one command: {:?}", all("RUN")) };
    let (installs, trusts) = command.split_once(" && ").expect("two commands");
    assert_eq!(installs, "apk add --no-cache git");

    // The second one, for a folder that stands for /work; the repository in it is another user's.
    let place = Place::new();
    for folder in ["mounted", "other"] {
        place.write(format!("{folder}/order.proto"), crate::git::OLD);
        for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "old"]] {
            crate::git::git(&place.path(folder), arguments);
        }
        place.write(format!("{folder}/order.proto"), crate::git::NEW);
    }
    let given =
        run(Command::new("chown").args(["-R", "65534:65534"]).arg(place.path("mounted")).arg(place.path("other")));
    if !given.status.success() {
        skip("root", "a repository of another user, as an image meets it");
        return;
    }
    let mounted = place.path("mounted").canonicalize().expect("a folder").display().to_string();
    let line = trusts.replace("/work", &mounted);
    place.write("trust.sh", &line).write("gitconfig", "");
    make_executable(&place.path("trust.sh"));
    let before = in_repository(&place, "mounted");
    assert_eq!(before.0, Some(3), "{}", before.1);
    let done = run(Command::new("sh").arg(place.path("trust.sh")).env("GIT_CONFIG_SYSTEM", place.path("gitconfig")));
    assert!(done.status.success(), "{line}: {}", told(&done));
    let after = in_repository(&place, "mounted");
    assert_eq!(after.0, Some(1), "{}", after.1);
    let other = in_repository(&place, "other");
    assert_eq!(other.0, Some(3), "{}", other.1);
}

#[test]
fn cargo_installs_the_program_from_a_clone() {
    if std::env::var_os("WIREPROOF_TEST_WHEEL").is_none_or(|value| value != "1") {
        skip("WIREPROOF_TEST_WHEEL=1", "`cargo install`, which takes minutes to build");
        return;
    }
    let place = Place::new();
    let mut command = Command::new(env!("CARGO"));
    // Not optimised, and with the dependencies of this very run as far as they are the same.
    let target = Path::new(env!("CARGO_BIN_EXE_wireproof")).ancestors().nth(2).expect("the target directory");
    command.args(["install", "--quiet", "--locked", "--debug", "--path"]).arg(root());
    let done = run(command.arg("--target-dir").arg(target).arg("--root").arg(place.path("root")));
    assert!(done.status.success(), "{}", told(&done));
    let says = run(Command::new(place.path("root/bin/wireproof")).arg("--version"));
    assert_eq!(told(&says), format!("wireproof {VERSION}\n"));
}
