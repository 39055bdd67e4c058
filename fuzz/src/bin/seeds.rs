//! Writes what fuzzing starts from: `seeds FOLDER` makes a folder in it for each format.

// What is built with the coverage of libFuzzer needs its functions, whoever calls them.
#[cfg(feature = "targets")]
use libfuzzer_sys as _;

use std::fs;
use std::path::Path;

use wireproof::formats::Format;
use wireproof_fuzz::{fuzzing, support::pairs};

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "corpus".to_owned());
    for format in Format::ALL {
        let folder = Path::new(&folder).join(format.name());
        fs::create_dir_all(&folder)?;
        for (number, files) in fuzzing::seeds(*format).iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), pairs::print(files))?;
        }
    }
    Ok(())
}
