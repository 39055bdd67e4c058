//! The picture of the README: what the program prints in colour, drawn as an SVG.

use std::fmt::Write as _;
use std::process::Command;

use crate::support::{expect_file, root};

const PAIR: [&str; 2] = ["old", "new"];
const FOLDER: &str = "fixtures/protobuf/a-discount-becomes-a-debt";
/// Pixels of a line and of a letter.
const LINE: usize = 18;
const LETTER: f64 = 8.43;

/// A piece of a line in one style.
#[derive(Debug, Default, Clone)]
struct Piece {
    text: String,
    class: &'static str,
}

/// The class of a style as escape sequences write it: the last colour counts.
fn class(codes: &str, before: &'static str) -> &'static str {
    match codes {
        "" | "0" => "",
        codes if codes.contains("91") || codes.contains("31") => "bad",
        codes if codes.contains("92") || codes.contains("32") => "good",
        codes if codes.contains("93") || codes.contains("33") => "warn",
        codes if codes.contains("94") || codes.contains("34") || codes.contains("38;5;12") => "line",
        codes if codes.contains("96") || codes.contains("36") => "line",
        "1" => "bold",
        "2" => "dim",
        _ => before,
    }
}

fn pieces(line: &str) -> Vec<Piece> {
    let (mut out, mut now) = (Vec::new(), Piece::default());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        now.text.push_str(before);
        let (codes, behind) = after.split_once('m').unwrap_or((after, ""));
        let next = class(codes, now.class);
        out.push(std::mem::replace(&mut now, Piece { class: next, ..Piece::default() }));
        rest = behind;
    }
    now.text.push_str(rest);
    out.push(now);
    out.retain(|piece| !piece.text.is_empty());
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn svg(printed: &str) -> String {
    let lines: Vec<&str> = printed.trim_end().lines().collect();
    let (width, height) = (880, lines.len() * LINE + 32);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"14\">\n\
         <style>text{{fill:#e6edf3;white-space:pre}}.bad{{fill:#ff7b72;font-weight:700}}.good{{fill:#7ee787}}.warn{{fill:#e3b341}}.line{{fill:#79c0ff}}.bold{{font-weight:700}}.dim{{fill:#8b949e}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for (at, line) in lines.iter().enumerate() {
        let (mut x, y) = (16.0, 16 + (at + 1) * LINE - 4);
        for piece in pieces(line) {
            let letters = piece.text.chars().count() as f64;
            let class = if piece.class.is_empty() { String::new() } else { format!(" class=\"{}\"", piece.class) };
            if !piece.text.trim().is_empty() {
                let _ = writeln!(
                    out,
                    "<text x=\"{x:.0}\" y=\"{y}\" xml:space=\"preserve\"{class}>{}</text>",
                    escaped(&piece.text)
                );
            }
            x += letters * LETTER;
        }
    }
    out + "</svg>\n"
}

#[test]
fn the_picture_of_the_readme_is_what_the_program_prints() {
    let output = Command::new(env!("CARGO_BIN_EXE_wireproof"))
        .args(["compare", "--color", "always", "--no-config", PAIR[0], PAIR[1]])
        .current_dir(root().join(FOLDER))
        .output()
        .expect("it was built");
    let printed = String::from_utf8(output.stdout).expect("it prints text");
    // What repeats the commands is no news on a picture.
    let shown: Vec<&str> =
        printed.lines().filter(|line| !line.contains("reproduce") && !line.contains("explain")).collect();
    let picture = svg(&shown.join("\n"));
    assert!(picture.len() < 20_000, "a picture of {} bytes is none for a front page", picture.len());
    let path = root().join("docs/images/report.svg");
    expect_file(&path, &picture).unwrap_or_else(|difference| panic!("{difference}"));
}
