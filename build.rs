//! Digests the rules: YAML is what people write, JSON without comments is what the program reads, because reading YAML
//! takes longer than judging a small schema. What is not needed by every run is kept apart, to be read when it is: the
//! rules that judge nothing in this run, the examples, and the rules of other tools.
//!
//! What is kept between runs is believed by the same build alone, so that this one gets a digest of what it is made of.
//!
//! Nothing is interpreted here. `src/rules/load.rs` reads both forms with the same types, and a test compares what they
//! say.

use std::error::Error;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    for made_of in MADE_OF {
        println!("cargo::rerun-if-changed={made_of}");
    }
    println!("cargo::rustc-env=WIREPROOF_SOURCES={}", sources()?);
    let out = PathBuf::from(env::var("OUT_DIR")?).join("rules.rs");
    let mut rules = String::new();
    let mut peers = String::new();
    for folder in entries(Path::new("rules"))?.into_iter().filter(|path| path.is_dir()) {
        for file in yaml_files(&folder)? {
            let Some(mut rule) = digest(&file) else { continue };
            let examples = rule.as_object_mut().and_then(|rule| rule.remove("examples")).unwrap_or_else(|| json!([]));
            let (id, family, kinds) = (&rule["id"], &rule["family"], words(&rule["when"]["change"]));
            let (id, family) = (id.as_str().unwrap_or_default(), family.as_str().unwrap_or_default());
            let (rule, examples, file) = (rule.to_string(), examples.to_string(), name(&file));
            writeln!(
                rules,
                "    RuleDigest {{ file: {file:?}, id: {id:?}, family: {family:?}, kinds: &{kinds:?}, rule: {rule:?}, examples: {examples:?} }},"
            )?;
        }
        for file in yaml_files(&folder.join("peers"))? {
            let Some(mut table) = digest(&file) else { continue };
            let choice = table.as_object_mut().and_then(|table| table.remove("rules")).unwrap_or_else(|| json!({}));
            let (table, choice, file) = (table.to_string(), choice.to_string(), name(&file));
            writeln!(peers, "    PeerDigest {{ file: {file:?}, table: {table:?}, rules: {choice:?} }},")?;
        }
    }
    let text = format!(
        "pub(super) const RULES: &[RuleDigest] = &[\n{rules}];\n\npub(super) const PEERS: &[PeerDigest] = &[\n{peers}];\n"
    );
    Ok(fs::write(out, text)?)
}

/// What the program is made of.
const MADE_OF: [&str; 4] = ["rules", "src", "Cargo.toml", "Cargo.lock"];

/// A digest of what the program is made of.
fn sources() -> Result<String, Box<dyn Error>> {
    let mut hasher = DefaultHasher::new();
    let mut open: Vec<PathBuf> = MADE_OF.iter().map(PathBuf::from).filter(|path| path.exists()).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(entries(&path)?);
        } else {
            (name(&path), fs::read(&path)?).hash(&mut hasher);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// What a file says; a file that is no YAML stops the build with its place.
fn digest(file: &Path) -> Option<Value> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string());
    let value =
        text.and_then(|text| serde_saphyr::from_str(&text).map_err(|error| error.without_snippet().to_string()));
    value.map_err(|error| println!("cargo::error={}: {}", name(file), error.replace('\n', " "))).ok()
}

/// One word, or a list of words.
fn words(value: &Value) -> Vec<&str> {
    value.as_str().into_iter().chain(value.as_array().into_iter().flatten().filter_map(Value::as_str)).collect()
}

/// The files directly in a folder that are YAML, sorted; none where there is no folder.
fn yaml_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = if folder.is_dir() { entries(folder)? } else { Vec::new() };
    files.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    Ok(paths)
}

/// The path in the repository, with `/` on every system.
fn name(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}
