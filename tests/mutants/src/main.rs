//! Plants every mutant of some source files behind one switch, so that one build has them all.
//!
//! `wireproof-mutants LEFT-AWAY ROOT FILE…` rewrites each file below ROOT in place and writes a line for each mutant: number,
//! file, line, what it changes, separated by tabs. Numbers in the file LEFT-AWAY are counted and not planted: what does not
//! compile. What is planted asks `crate::mutants::on(number)`.

mod plant;
mod sites;

use std::collections::BTreeSet;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(skipped), Some(root)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: wireproof-mutants LEFT-AWAY ROOT FILE…");
        return ExitCode::from(2);
    };
    match run(&skipped, &root, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(skipped: &str, root: &str, files: impl Iterator<Item = String>) -> Result<(), String> {
    let skipped = std::fs::read_to_string(skipped).map_err(|error| format!("{skipped}: {error}"))?;
    let skipped: BTreeSet<u32> = skipped.lines().filter_map(|line| line.parse().ok()).collect();
    let mut number = 0;
    for name in files {
        let path = std::path::Path::new(root).join(&name);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{name}: {error}"))?;
        let mut planted = plant::Planted::new(&text, number, &skipped);
        sites::of(&parsed, &mut planted);
        number = planted.last;
        for mutant in &planted.mutants {
            println!("{}\t{name}\t{}\t{}", mutant.number, mutant.line, mutant.change);
        }
        std::fs::write(&path, planted.text()).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}
