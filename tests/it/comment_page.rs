//! Markdown and pages as a browser lays them out: the comment as GitHub shows it, a page in XML, and how high either is.

use std::fs;
use std::path::Path;

use pulldown_cmark::{Options, Parser, html};

use crate::machine_formats::tool;
use crate::page::{attributes_of, browser};

/// The room that GitHub gives a comment, in pixels.
pub(crate) const COLUMN: u32 = 798;

/// What of GitHub's style sheet decides how high a comment is, and its colours.
pub(crate) const STYLE: &str = include_str!("comment_page.css");

/// The Markdown of a comment as HTML, as GitHub makes it.
pub(crate) fn comment(markdown: &str) -> String {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_GFM | Options::ENABLE_TASKLISTS);
    let mut out = String::new();
    html::push_html(&mut out, parser);
    format!("<div class=\"comment\">\n{out}</div>\n")
}

/// HTML as XML: values in quotes, and what has no end closed.
pub(crate) fn as_xml(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        out.push_str(text);
        let (tag, behind) = after.split_once('>').unwrap_or((after, ""));
        rest = behind;
        if tag.starts_with('/') {
            out.push_str(&format!("<{tag}>"));
            continue;
        }
        let tag = tag.trim_end_matches('/').trim();
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let attributes = attributes_of(attributes.trim()).expect("attributes of ours are well-formed");
        let attributes: String = attributes.iter().map(|(name, value)| format!(" {name}=\"{value}\"")).collect();
        let end = if ["br", "hr", "input"].contains(&name) { "/" } else { "" };
        out.push_str(&format!("<{name}{attributes}{end}>"));
    }
    out + rest
}

/// How high each page is at its width, once a browser has laid it out; `None` where there is no browser.
pub(crate) fn heights(pages: &[(String, u32)]) -> Option<Vec<u32>> {
    let chromium = tool("chromium", "WIREPROOF_CHROMIUM")?;
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let frame = |(page, width): &(String, u32)| {
        let inside = page.replace('&', "&amp;").replace('"', "&quot;");
        format!("<iframe style=\"border:0;width:{width}px;height:100px\" srcdoc=\"{inside}\"></iframe>")
    };
    let frames: String = pages.iter().map(frame).collect();
    let script = "<script>onload = () => { document.title = [...document.querySelectorAll('iframe')]\
        .map(one => one.contentDocument.documentElement.offsetHeight).join(' '); }</script>";
    let path = folder.path().join("frames.html");
    fs::write(&path, format!("<!DOCTYPE html><meta charset=utf-8><title></title>{frames}{script}"))
        .expect("it is ours");
    Some(laid_out(&chromium, folder.path(), &path))
}

fn laid_out(chromium: &Path, folder: &Path, path: &Path) -> Vec<u32> {
    let output = browser(chromium, &folder.join("profile"))
        .args(["--window-size=1400,1000", "--dump-dom"])
        .arg(format!("file://{}", path.display()))
        .output()
        .expect("it ran a moment ago");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).expect("a title");
    title.split(' ').map(|height| height.parse().expect("a height in pixels")).collect()
}

#[test]
fn html_becomes_xml() {
    let html = "<p class=\"a b\" role=img>1<br>2<hr><details open><summary>x</summary></details></p>";
    let xml = "<p class=\"a b\" role=\"img\">1<br/>2<hr/><details open=\"\"><summary>x</summary></details></p>";
    assert_eq!(as_xml(html), xml);
    assert!(comment("| a |\n|---|\n| `b` |\n").contains("<td><code>b</code></td>"));
}
