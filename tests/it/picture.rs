//! The pictures of the README, all of one run: what the program prints in colour, the comment, and the bytes on the page.
//!
//! They are SVG, so that they are text, small, and follow the reader's colours. How high the last two are depends on what is
//! in them: where there is a browser it is measured, and what is drawn must fit.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::comment_page::{self, COLUMN, as_xml, comment, heights};
use crate::git::Place;
use crate::support::{expect_file, root, updating};

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

/// The report of that run in another form.
fn written(form: &str) -> String {
    let place = Place::new();
    let path = place.path("report");
    let output = Command::new(env!("CARGO_BIN_EXE_wireproof"))
        .args(["compare", "--quiet", "--no-config", PAIR[0], PAIR[1]])
        .arg(format!("--output={form}={}", path.display()))
        .current_dir(root().join(FOLDER))
        .output()
        .expect("it was built");
    assert_eq!(output.status.code(), Some(1), "it breaks");
    fs::read_to_string(&path).expect("it was written")
}

/// HTML drawn as an SVG of that width.
fn drawn(name: &str, title: &str, style: &str, body: &str, width: u32) {
    let path = root().join("docs/images").join(name);
    let before = fs::read_to_string(&path).unwrap_or_default();
    let known: Option<u32> = before.split_once("height=\"").and_then(|(_, rest)| rest.split('"').next()?.parse().ok());
    let page = format!("<!DOCTYPE html><style>{style}</style>{body}");
    let found = heights(&[(page, width)]).map(|heights| heights[0]);
    let height: u32 = match (known, found) {
        (Some(known), Some(found)) if !updating() || known.abs_diff(found) < 30 => known,
        (_, Some(found)) => found.div_ceil(10) * 10 + 10,
        (Some(known), None) => known,
        (None, None) => panic!("{name} is drawn where there is a browser"),
    };
    if let Some(found) = found {
        // Other fonts are a little higher or lower.
        assert!(
            found <= height + height / 10 && found + height / 4 >= height,
            "{name}: {found} pixels, drawn {height}"
        );
    }
    let picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <title>{title}</title>\n<style>\n{}</style>\n<foreignObject width=\"{width}\" height=\"{height}\">\n\
         <div xmlns=\"http://www.w3.org/1999/xhtml\">\n{}</div>\n</foreignObject>\n</svg>\n",
        style.replace('&', "&amp;").replace('<', "&lt;"),
        as_xml(body)
    );
    assert!(picture.len() < 20_000, "a picture of {} bytes is none for a front page", picture.len());
    expect_file(&path, &picture).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn the_comment_of_the_readme_is_what_is_posted() {
    let title = "The comment on a pull request: who breaks, which order works, and what to do";
    drawn("comment.svg", title, comment_page::STYLE, &comment(&written("markdown")), COLUMN);
}

/// What of the style sheet of the page draws the bytes: all but what stands around them.
fn style_of_bytes(page: &str) -> String {
    let style = page.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next()).expect("a style sheet");
    let (style, _) = style.split_once("@media (max-width").expect("narrow windows come last");
    const AROUND: [&str; 24] = [
        "h1", "h2", "h3", "h4", "nav", ".banner", "#filter", ".two", ".card", ".ladder", ".steps", ".finding",
        ".group", ".facts", ".sides", ".lines", ".row", ".line", ".gone", ".come", ".gap", "mark", "footer", "pre",
    ];
    let draws = |line: &&str| !AROUND.iter().any(|start| line.starts_with(start)) || line.starts_with(".lines,");
    let kept: String = style.trim_start().lines().filter(draws).map(|line| format!("{line}\n")).collect();
    // There is neither a document nor a body in a picture.
    format!("{}body, figure {{ margin: 0; }}\n", kept.replace("\nbody {\n", "\n.drawn {\n"))
}

#[test]
fn the_bytes_of_the_readme_are_those_of_the_page() {
    let page = written("html");
    let figure = page.split_once("<figure>").and_then(|(_, rest)| rest.split_once("</figure>")).expect("a witness").0;
    let title = "The bytes of one message as the writer meant them and as the reader took them";
    let body = format!("<div class=drawn><figure>{figure}</figure></div>\n");
    drawn("bytes.svg", title, &style_of_bytes(&page), &body, COLUMN);
}
