//! The targets are one macro over what the tests hold: the same laws, the same random changes, the same seeds.

#[path = "../../tests/it/fuzzing.rs"]
pub mod fuzzing;
#[path = "../../tests/it/laws.rs"]
#[allow(dead_code, reason = "the tests ask more of the laws")]
pub mod laws;
#[path = "../../tests/support/mod.rs"]
pub mod support;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use support::pairs::{self, Dice, Files};
use wireproof::formats::Format;

/// Tries one input. What breaks a law ends the run, or is kept in the folder that `KEEP` names, one of each shape.
pub fn attempt(format: Format, bytes: &[u8]) {
    let Some(files) = pairs::parse(bytes) else { return };
    let broken = fuzzing::broken_by(format, &files);
    let Some(first) = broken.first() else { return };
    let Ok(folder) = std::env::var("KEEP") else { panic!("{}", broken.join("\n")) };
    let mut hasher = DefaultHasher::new();
    shape(first).hash(&mut hasher);
    let path = format!("{folder}/{}-{:016x}", format.name(), hasher.finish());
    let length = std::fs::metadata(&path).map_or(u64::MAX, |data| data.len());
    if (bytes.len() as u64) < length {
        std::fs::create_dir_all(&folder).expect("`KEEP` names a folder");
        std::fs::write(&path, bytes).expect("`KEEP` names a folder");
        std::fs::write(path + ".txt", broken.join("\n")).expect("`KEEP` names a folder");
    }
}

/// What a sentence says, without the names in it.
fn shape(told: &str) -> Vec<&str> {
    let is_name = |word: &&str| word.contains(['#', '.', '=', '>', '|', '_', '[', '{', '!', '@', '`']);
    let is_known = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b':' || byte == b',');
    told.split_whitespace().filter(|word| !is_name(word) && is_known(word)).collect()
}

/// Changes an input at random: as people change schemas, with material of another input.
pub fn mutate(bytes: &[u8], other: &[u8], seed: u32) -> Option<String> {
    let files = pairs::parse(bytes)?;
    let other: Files = pairs::parse(other).unwrap_or_else(|| files.clone());
    Some(pairs::print(&pairs::mutate(&files, &other, &mut Dice(u64::from(seed)))))
}

/// A target for a format.
#[macro_export]
macro_rules! pipeline {
    ($format:ident) => {
        use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};

        fuzz_target!(|bytes: &[u8]| $crate::attempt(wireproof::formats::Format::$format, bytes));

        fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            put($crate::mutate(&data[..size], &data[..size], seed), data, max_size).unwrap_or(size)
        });

        fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
            let length = out.len();
            put($crate::mutate(one, other, seed), out, length).unwrap_or_default()
        });

        fn put(text: Option<String>, out: &mut [u8], most: usize) -> Option<usize> {
            let text = text.filter(|text| text.len() <= most)?;
            out[..text.len()].copy_from_slice(text.as_bytes());
            Some(text.len())
        }
    };
}
