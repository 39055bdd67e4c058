//! The report as a page: complete, offline, well-formed, readable in both colour schemes, and of a size that opens.
//!
//! The layout is checked in a real browser where `chromium` is on the path or named by `WIREPROOF_CHROMIUM`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use wireproof::report::links::Links;
use wireproof::report::{BytePart, Report, html};

use crate::machine_formats::{acts, reports, tool};
use crate::render::{breaking, hostile, many};
use crate::support::{root, some_of};

/// An opening tag with its attributes.
type Tag = (String, BTreeMap<String, String>);

/// The opening tags of a page; whatever is not closed in order is an error.
fn tags(page: &str) -> Result<Vec<Tag>, String> {
    let (mut open, mut found): (Vec<String>, Vec<_>) = (Vec::new(), Vec::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("no document type")?;
    while let Some((text, after)) = rest.split_once('<') {
        if text.contains('>') && open.last().is_none_or(|tag| tag != "style" && tag != "script") {
            return Err(format!("a bare > in {text:?}"));
        }
        let (tag, behind) = after.split_once('>').ok_or("a tag does not end")?;
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop().ok_or_else(|| format!("</{name}> closes nothing"))?;
            if last != name {
                return Err(format!("<{last}> is closed by </{name}>"));
            }
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if !["meta", "br", "input"].contains(&name) {
            open.push(name.to_owned());
        }
        found.push((name.to_owned(), attributes_of(attributes)?));
    }
    if open.is_empty() { Ok(found) } else { Err(format!("{open:?} stay open")) }
}

pub(crate) fn attributes_of(mut rest: &str) -> Result<BTreeMap<String, String>, String> {
    let mut found = BTreeMap::new();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix("=\"") {
            let (inside, behind) = after.split_once('"').ok_or("a value does not end")?;
            value.push_str(inside);
            rest = behind;
        } else if let Some(after) = rest.strip_prefix('=') {
            let end = after.find(' ').unwrap_or(after.len());
            value.push_str(&after[..end]);
            rest = &after[end..];
        }
        found.insert(name, value);
        rest = rest.trim_start();
    }
    Ok(found)
}

#[test]
fn every_page_is_complete_and_asks_for_nothing() {
    for (name, report) in reports() {
        let page = html::render(&report, &Links::default());
        assert_eq!(acts(&page.replace('\t', " ")), None, "{name}");
        let tags = tags(&page).unwrap_or_else(|error| panic!("{name}: {error}\n{page}"));
        let known = "html head meta title style body header main section footer nav div span p a b i u s ul ol li dl dt dd h1 h2 h3 h4 \
                     details summary table thead tbody tr th td code pre mark figure figcaption br label input script";
        let known: BTreeSet<&str> = known.split(' ').collect();
        let unknown: Vec<&String> =
            tags.iter().map(|(tag, _)| tag).filter(|tag| !known.contains(tag.as_str())).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
        let mut ids = BTreeSet::new();
        for (tag, attributes) in &tags {
            for (key, value) in attributes {
                let harmless = [
                    "class",
                    "id",
                    "lang",
                    "charset",
                    "http-equiv",
                    "content",
                    "name",
                    "href",
                    "open",
                    "scope",
                    "hidden",
                    "type",
                ];
                let spoken = ["role", "aria-label", "aria-labelledby", "aria-hidden", "colspan"];
                assert!(harmless.contains(&key.as_str()) || spoken.contains(&key.as_str()), "{name}: {tag} {key}");
                assert!(key != "href" || value.starts_with('#'), "{name}: {value}");
                assert!(key != "id" || ids.insert(value.clone()), "{name}: {value} twice");
            }
        }
        for (_, attributes) in &tags {
            let target = attributes.get("href").and_then(|value| value.strip_prefix('#'));
            assert!(target.is_none_or(|target| ids.contains(target)), "{name}: {target:?} leads nowhere");
        }
        let style = page.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next()).unwrap_or_default();
        assert!(!style.contains("url(") && !style.contains("@import"), "{name}");
        assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"), "{name}");
        for finding in &report.findings {
            let shown = page.contains(&format!("<code>{}</code>", finding.rule));
            // What only a tool would report that does not judge is counted.
            let shown = shown || finding.family == "audit-refused";
            assert!(shown || name == "hostile-names", "{name}: {} is missing", finding.rule);
        }
    }
}

#[test]
fn names_are_only_names() {
    let page = html::render(&hostile(), &Links::default());
    assert_eq!(page.matches("<script").count(), 1, "{page}");
    assert!(!page.contains("</details><!--"), "{page}");
    assert!(page.contains("&lt;script&gt;"));
}

/// A witness whose parts are told, as a writer and a reader see them.
fn with_parts() -> Report {
    let part =
        |start, end, field: &str, what: &str| BytePart { start, end, field: field.to_owned(), what: what.to_owned() };
    let mut report = breaking();
    let witness = &mut report.findings[0].evidence[0];
    witness.bytes = "0801".to_owned();
    witness.wrote = json!({ "id": 1 }).into();
    witness.read = json!({ "count": -1 }).into();
    witness.written_parts = vec![part(0, 1, "id", "tag of field 1, varint"), part(1, 2, "id", "1")];
    witness.read_parts = vec![part(0, 1, "id", "tag of field 1, varint"), part(1, 2, "<count>", "-1")];
    report
}

#[test]
fn the_bytes_are_drawn_as_the_writer_meant_and_the_reader_took_them() {
    let page = html::render(&with_parts(), &Links::default());
    let picture = page.split("<div class=picture").nth(1).expect("there is a picture");
    let picture = &picture[..picture.find("</figure>").expect("it ends")];
    let same = "<span><u>0</u><b class=\"f0 s\">08<i>a</i></b><s></s><b class=\"f0 s\">08<i>a</i></b></span>";
    let other = "<span><u>1</u><b class=\"f0 s\">01<i>a</i></b><s>≠</s><b class=\"f1 s\">01<i>b</i></b></span>";
    assert!(picture.contains(same) && picture.contains(other), "{picture}");
    assert!(picture.contains("<tr class=differs><td>1 <code>01</code></td>"), "{picture}");
    assert!(picture.contains("<code>&lt;count&gt;</code> <span>-1</span>"), "{picture}");
    assert!(
        picture.starts_with(" role=img aria-label=\"Bytes 08 01 (2 bytes). The writer (old schema) meant: id tag"),
        "{picture}"
    );
}

#[test]
fn without_parts_the_records_are_told_apart() {
    let page = html::render(&breaking(), &Links::default());
    assert!(
        page.contains("<span>field 2: 5 bytes, &quot;&quot;</span>") || page.contains("field 2: 5 bytes"),
        "{page}"
    );
    assert!(page.contains("<th scope=col>What they say</th>"), "{page}");
}

#[test]
fn many_findings_make_a_page_that_opens() {
    let thousand = html::render(&many(500), &Links::default());
    assert!(thousand.len() < 3_000_000, "{} bytes", thousand.len());
    assert_eq!(thousand.matches("<details class=\"finding").count(), 1000, "each is there");
    assert!(thousand.contains("<h3>×250 A title</h3>"), "what is alike is counted");
    let page = html::render(&many(20_000), &Links::default());
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(page.contains("Shortened to keep the page small: "), "it says what it left out");
    let told = page.matches("<h3>").count() - page.matches("<details class=\"group").count();
    let counted = page.split("every word about ").nth(1).and_then(|rest| rest.split(' ').next()).expect("it counts");
    assert_eq!(
        counted.replace(',', "").parse::<usize>().expect("a number") + told,
        40_000,
        "none is dropped in silence"
    );
    let mut report = hostile();
    report.problems = vec![report.problems[0].clone(); 5_000];
    report.not_checked[0].help = "another one than the problem has".to_owned();
    report.not_checked = vec![report.not_checked[0].clone(); 5_000];
    report.findings[0].message = "`<&\"".repeat(100_000);
    report.findings[0].path = report.findings[0].message.clone();
    report.old.source = "\u{1f980}".repeat(100_000);
    let page = html::render(&report, &Links::default());
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(page.contains("4,700 more entries of long lists") && page.contains("and 4,699 more."));
}

/// The colours of a scheme: name → red, green and blue.
fn colours(style: &str) -> BTreeMap<String, [f64; 3]> {
    let declared = style.split([';', '{', '}']).filter_map(|piece| piece.trim().strip_prefix("--")?.split_once(": #"));
    declared
        .map(|(name, hex)| {
            let channel = |at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).expect("six digits")) / 255.0;
            (name.to_owned(), [channel(0), channel(2), channel(4)])
        })
        .collect()
}

/// The contrast of WCAG 2.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let linear =
        |channel: f64| if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) };
    let light = |colour: [f64; 3]| 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
    let (one, other) = (light(one), light(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_text_stands_out_in_both_schemes() {
    let style = fs::read_to_string(root().join("src/report/html/style.css")).expect("the style sheet is text");
    let (light, dark) = style.split_once("@media (prefers-color-scheme: dark)").expect("there are two schemes");
    let dark = dark.split("\n}").next().expect("it ends");
    let on_panels = ["page", "panel"];
    let mut pairs: Vec<(String, String)> = Vec::new();
    for text in ["text", "quiet", "link", "bad", "warn", "good", "note"] {
        pairs.extend(on_panels.iter().map(|panel| (text.to_owned(), (*panel).to_owned())));
    }
    for panel in ["bad-panel", "warn-panel", "good-panel", "note-panel"] {
        pairs.extend(["text", "quiet"].map(|text| (text.to_owned(), panel.to_owned())));
        pairs.push((panel.trim_end_matches("-panel").to_owned(), panel.to_owned()));
    }
    let fields = (0..8).map(|at| format!("f{at}")).chain(["none".to_owned(), "mark".to_owned()]);
    pairs.extend(fields.map(|field| ("text".to_owned(), field)));
    for (scheme, part) in [("light", light), ("dark", dark)] {
        let colours = colours(part);
        for (text, panel) in &pairs {
            let ratio = contrast(colours[text], colours[panel]);
            assert!(ratio >= 4.5, "{scheme}: {text} on {panel} is {ratio:.2}");
        }
    }
}

/// A browser without a window, which keeps what it has to remember in a folder of its own.
pub(crate) fn browser(chromium: &Path, profile: &Path) -> Command {
    let mut command = Command::new(chromium);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"])
        .arg("--disable-background-networking")
        .arg(format!("--user-data-dir={}", profile.display()));
    command
}

/// Lays a page out in a frame of that width and gives back what a script of the test's finds out about it.
fn in_browser(page: &str, width: u32, script: &str) -> Option<String> {
    let chromium = tool("chromium", "WIREPROOF_CHROMIUM")?;
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = folder.path().join("frame.html");
    let inside = page.replace('&', "&amp;").replace('"', "&quot;");
    let frame = format!("<iframe id=f style=\"border:0;width:{width}px;height:900px\" srcdoc=\"{inside}\"></iframe>");
    let script = format!("<script>onload = () => {{ {script} }}</script>");
    fs::write(&path, format!("<!DOCTYPE html><meta charset=utf-8><title></title>{frame}{script}")).expect("it is ours");
    let output = browser(&chromium, &folder.path().join("profile"))
        .args(["--window-size=1400,1000", "--dump-dom"])
        .arg(format!("file://{}", path.display()))
        .output()
        .expect("it ran a moment ago");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    Some(title.unwrap_or_else(|| panic!("no title in {dom}")).to_owned())
}

#[test]
fn no_page_is_wider_than_its_window() {
    const MEASURE: &str = "const page = f.contentDocument;\
        page.querySelectorAll('details').forEach(one => one.open = true);\
        const wide = page.documentElement.scrollWidth, room = f.contentWindow.innerWidth;\
        document.title = (wide > room ? wide + ' in ' : 'fits ') + room;";
    let odd =
        ["hostile-names", "fixtures--flatbuffers--a-struct-grows-and-every-vector-of-it-is-misread", "waived", "diffs"];
    let odd = reports().into_iter().filter(|(name, _)| odd.contains(&name.as_str()));
    for (name, report) in some_of(odd.collect()) {
        for width in some_of(vec![380, 1280]) {
            let Some(title) = in_browser(&html::render(&report, &Links::default()), width, MEASURE) else { return };
            assert_eq!(title, format!("fits {width}"), "{name}");
        }
    }
}

/// Pictures of the page for whoever reviews it, in `target/tmp/review`: on a phone and on a screen, light and dark.
#[test]
fn the_page_is_pictured_on_a_phone_and_on_a_screen_in_both_schemes() {
    let Some(chromium) = tool("chromium", "WIREPROOF_CHROMIUM") else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("review");
    fs::create_dir_all(&folder).expect("there is room");
    let profile = tempfile::tempdir().expect("there is room for temporary files");
    let page = html::render(&with_parts(), &Links::default()).replace('&', "&amp;").replace('"', "&quot;");
    for width in some_of(vec![380, 1280]) {
        // A window is never as narrow as a phone, so the page stands in a frame of that width.
        let path = profile.path().join("frame.html");
        let frame = format!("<iframe style=\"border:0;width:{width}px;height:1600px\" srcdoc=\"{page}\"></iframe>");
        let text = format!("<!DOCTYPE html><meta charset=utf-8><style>body{{margin:0}}</style>{frame}");
        fs::write(&path, text).expect("it is ours");
        let taken = [("dark", 0), ("light", 1)].map(|(scheme, number)| {
            let picture = folder.join(format!("page-{width}-{scheme}.png"));
            let _ = fs::remove_file(&picture);
            let output = browser(&chromium, &profile.path().join(scheme))
                .arg(format!("--window-size={},1600", width.max(500)))
                .arg(format!("--blink-settings=preferredColorScheme={number}"))
                .arg(format!("--screenshot={}", picture.display()))
                .arg(format!("file://{}", path.display()))
                .output()
                .expect("it ran a moment ago");
            let bytes = fs::read(&picture)
                .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
            assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000, "{}: {}", picture.display(), bytes.len());
            bytes
        });
        assert_ne!(taken[0], taken[1], "dark is another picture than light");
    }
}
