//! How long a report is in each form, for one finding and for thousands: the table of `docs/formats.md`.
//!
//! Bytes and lines are what the program writes. Heights are what a browser measures, where there is one; fonts differ from
//! machine to machine, so a height may be off by a seventh before the page is wrong.

use std::fmt::Write as _;
use std::fs;

use clap::ValueEnum;

use crate::comment_page::{COLUMN, STYLE, comment, heights};
use crate::git::{Place, run};
use crate::support::{expect_file, root, tries_everything, updating};
use wireproof::cli::Rendering;

/// So many findings; the last only where everything is tried.
const COUNTS: [usize; 5] = [1, 10, 42, 500, 5_000];
/// The width of a phone and of a window on a desk, in pixels.
const PHONE: u32 = 380;
const DESK: u32 = 1_280;
/// What a window shows at once, in pixels.
const SCREEN: u32 = 900;

/// What is measured of a form.
enum What {
    /// How many lines.
    Lines,
    /// How many kilobytes.
    Bytes,
    /// How many of its entries, each of which has this text once.
    Entries(&'static str, &'static str),
    /// How high in pixels, at this width.
    Height(&'static str, u32),
    /// How many screens that is.
    Screens(&'static str, u32),
}

/// What is measured, form by form.
fn measures() -> Vec<(&'static str, What)> {
    vec![
        ("text", What::Lines),
        ("text", What::Bytes),
        ("markdown", What::Bytes),
        ("markdown", What::Height("on GitHub", COLUMN)),
        ("markdown", What::Screens("on GitHub", COLUMN)),
        ("markdown", What::Height("on a phone", PHONE)),
        ("html", What::Bytes),
        ("html", What::Height("in a window", DESK)),
        ("html", What::Height("on a phone", PHONE)),
        ("github", What::Entries("annotations, the summary included", "::")),
        ("sarif", What::Bytes),
        ("sarif", What::Entries("results", "\"ruleIndex\"")),
        ("junit", What::Bytes),
        ("junit", What::Entries("tests", "<testcase ")),
        ("gitlab", What::Bytes),
        ("gitlab", What::Entries("entries", "\"fingerprint\"")),
        ("buf", What::Bytes),
        ("buf", What::Lines),
        ("json", What::Bytes),
        ("github-output", What::Lines),
    ]
}

/// Messages of 40 fields, a fifth each of another type, removed, renamed, renumbered and new: so many findings.
fn pair(findings: usize) -> [String; 2] {
    let head = "syntax = \"proto3\";\npackage acme.warehouse.inventory.v1;\n";
    let mut sides = [head.to_owned(), head.to_owned()];
    for message in 0..findings.div_ceil(40) {
        sides.iter_mut().for_each(|side| _ = writeln!(side, "message ShipmentRecord{message} {{"));
        for field in 0..(findings - 40 * message).min(40) {
            let number = field + 1;
            let usual = format!("  int32 quantity_{number} = {number};\n");
            let [old, new] = match field % 5 {
                0 => [usual, format!("  string quantity_{number} = {number};\n")],
                1 => [usual, String::new()],
                2 => [usual, format!("  int32 amount_{number} = {number};\n")],
                3 => [usual, format!("  int32 quantity_{number} = {};\n", number + 100)],
                _ => [String::new(), usual],
            };
            sides[0].push_str(&old);
            sides[1].push_str(&new);
        }
        sides.iter_mut().for_each(|side| side.push_str("}\n"));
    }
    sides
}

fn forms() -> Vec<String> {
    let values = Rendering::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}

/// What the program writes of so many findings: form → text.
fn written(findings: usize) -> Vec<(String, String)> {
    let place = Place::new();
    let [old, new] = pair(findings);
    place.write("old/inventory.proto", &old).write("new/inventory.proto", &new);
    let outputs = forms().into_iter().map(|form| format!("--output={form}=report.{form}"));
    let mut arguments: Vec<String> = ["compare", "old", "new", "--no-config", "--quiet"].map(str::to_owned).to_vec();
    arguments.extend(outputs);
    let ran = run(&place.path(""), &arguments);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let text = |form: String| {
        let path = place.path(&format!("report.{form}"));
        (form, fs::read_to_string(path).expect("it was written"))
    };
    let written: Vec<(String, String)> = forms().into_iter().map(text).collect();
    let json = &written.iter().find(|(form, _)| form == "json").expect("there is that form").1;
    let report: serde_json::Value = serde_json::from_str(json).expect("a report");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(findings), "one finding for each field");
    written
}

/// A number of kilobytes with two digits that say something.
fn kilobytes(bytes: usize) -> String {
    match bytes {
        0..10_000 => format!("{}.{} kB", (bytes + 50) / 1_000, (bytes + 50) % 1_000 / 100),
        10_000..1_000_000 => format!("{} kB", (bytes + 500) / 1_000),
        _ => format!("{}.{} MB", (bytes + 50_000) / 1_000_000, (bytes + 50_000) % 1_000_000 / 100_000),
    }
}

fn thousands(number: u32) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

/// The page that a browser lays out.
fn page(form: &str, text: &str) -> String {
    match form {
        "markdown" => format!("<!DOCTYPE html><style>{STYLE}</style>{}", comment(text)),
        _ => text.to_owned(),
    }
}

/// Every cell by row and column. Heights are those that a browser finds, or else those of the page that was.
fn measured(counts: &[usize], before: &[Vec<String>]) -> Vec<Vec<String>> {
    let texts: Vec<Vec<(String, String)>> = counts.iter().map(|count| written(*count)).collect();
    let of = |column: usize, form: &str| -> &str {
        &texts[column].iter().find(|(name, _)| name == form).expect("every form is written").1
    };
    let measures = measures();
    let laid_out = |what: &What| match what {
        What::Height(_, width) => Some(*width),
        What::Lines | What::Bytes | What::Entries(..) | What::Screens(..) => None,
    };
    let wanted: Vec<(&str, u32)> = measures.iter().filter_map(|(form, what)| Some((*form, laid_out(what)?))).collect();
    let every = || (0..counts.len()).flat_map(|column| wanted.iter().map(move |(form, width)| (column, *form, *width)));
    let pages: Vec<(String, u32)> =
        every().map(|(column, form, width)| (page(form, of(column, form)), width)).collect();
    let found = heights(&pages);
    let height = |column: usize, form: &str, width: u32| {
        let at = every().position(|one| one == (column, form, width))?;
        Some(found.as_ref()?[at].div_ceil(10) * 10)
    };
    let cell = |row: usize, column: usize| {
        let (form, what) = &measures[row];
        let text = of(column, form);
        let known = || before.get(row).and_then(|cells| cells.get(column)).cloned().unwrap_or_else(|| "?".to_owned());
        match what {
            What::Lines => thousands(u32::try_from(text.lines().count()).expect("few lines")),
            What::Bytes => kilobytes(text.len()),
            What::Entries(_, sign) => {
                let lines = text.lines().filter(|line| line.trim_start().starts_with(sign)).count();
                thousands(u32::try_from(lines).expect("few entries"))
            }
            What::Height(_, width) => {
                height(column, form, *width).map_or_else(known, |height| format!("{} px", thousands(height)))
            }
            What::Screens(_, width) => height(column, form, *width)
                .map_or_else(known, |height| format!("{}.{}", height / SCREEN, height % SCREEN * 10 / SCREEN)),
        }
    };
    (0..measures.len()).map(|row| (0..counts.len()).map(|column| cell(row, column)).collect()).collect()
}

fn label(what: &What) -> String {
    match what {
        What::Lines => "lines".to_owned(),
        What::Bytes => "size".to_owned(),
        What::Entries(name, _) => (*name).to_owned(),
        What::Height(place, width) => format!("height {place}, {} px wide", thousands(*width)),
        What::Screens(place, _) => format!("screens of {SCREEN} px {place}"),
    }
}

const HEAD: &str = "| form | what | ";

/// The cells of the table on the page, and where the table starts and ends.
fn table(text: &str) -> (Vec<Vec<String>>, usize, usize) {
    let start = text.find(HEAD).expect("docs/formats.md has the table");
    let length = text[start..].find("\n\n").map_or(text.len() - start, |end| end + 1);
    let rows = text[start..start + length].lines().skip(2);
    let cells = |row: &str| row.trim_matches(['|', ' ']).split(" | ").skip(2).map(str::to_owned).collect();
    (rows.map(cells).collect(), start, start + length)
}

/// Whether a cell says what was measured, heights within a seventh.
fn says(cell: &str, measured: &str, what: &What) -> bool {
    let number = |text: &str| text.replace([',', '.'], "").trim_end_matches(" px").parse::<i64>().ok();
    match (what, number(cell), number(measured)) {
        (What::Height(..) | What::Screens(..), Some(said), Some(found)) => (said - found).abs() * 7 <= found + 7,
        _ => cell == measured,
    }
}

#[test]
fn the_table_of_formats_says_how_long_each_is() {
    let path = root().join("docs/formats.md");
    let text = fs::read_to_string(&path).expect("the page is there");
    let (before, start, end) = table(&text);
    let is_whole = updating() || tries_everything();
    let counts = if is_whole { &COUNTS[..] } else { &COUNTS[..3] };
    let cells = measured(counts, &before);
    let mut rows =
        format!("{HEAD}{} |\n|---|---{}|\n", COUNTS.map(|count| thousands(count as u32)).join(" | "), "|---".repeat(5));
    for (row, (form, what)) in measures().iter().enumerate() {
        let known = before.get(row).cloned().unwrap_or_default();
        let shown = (0..COUNTS.len()).map(|column| {
            let known = known.get(column).cloned().unwrap_or_default();
            let found = cells[row].get(column).cloned();
            found.filter(|found| !says(&known, found, what)).unwrap_or(known)
        });
        let _ = writeln!(rows, "| `{form}` | {} | {} |", label(what), shown.collect::<Vec<_>>().join(" | "));
    }
    let page = format!("{}{rows}{}", &text[..start], &text[end..]);
    expect_file(&path, &page).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn the_table_has_every_form_of_the_report() {
    let measures = measures();
    for form in forms() {
        assert!(measures.iter().any(|(name, _)| *name == form), "{form} is not measured");
    }
    assert_eq!(
        (kilobytes(999), kilobytes(2_818), kilobytes(42_131)),
        ("1.0 kB".into(), "2.8 kB".into(), "42 kB".into())
    );
}
