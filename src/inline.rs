//! Acknowledgements in a schema itself: `wireproof:allow RULE reason` in a comment at the element.
//!
//! Such a comment comes to the same as an entry in the waiver file: it covers the findings of one rule at one element, in the
//! change that it comes with, and every report says so. What is gone has no place any more: the comment may stand anywhere
//! in a file that the change touches, and names the element before the reason. Only files that the change touches are
//! looked at, since nothing of the others can be new.
//!
//! Texts and findings in, waivers out; whether they count is decided where it is for all of them.

mod comments;
mod kept;

use std::sync::Arc;

use self::comments::Comments;
use self::kept::{At, Kept};
use crate::ordered::{OrderedMap, OrderedSet};
use memchr::{memchr, memchr_iter, memmem};
use rustc_hash::FxHashMap;

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Span};
use crate::date::Date;
use crate::safeguards::{Waivable, Waiver};
use crate::snapshot::Snapshot;

/// What such a comment begins with.
pub(crate) const MARK: &str = "wireproof:allow";

/// How it is written.
const FORM: &str = "Write `wireproof:allow RULE reason`.";

/// Comment lines above an element that are looked at.
const LINES_ABOVE: usize = 100;

/// What comments acknowledge.
#[derive(Debug, Default)]
pub(crate) struct Inline {
    /// A waiver for each finding that one covers.
    pub waivers: Vec<Waiver>,
    /// Those of the same findings that were there before, as they were.
    pub known: Vec<Waiver>,
    /// Comments that count longer than before.
    pub prolonged: Vec<Change>,
    /// Comments that cover nothing.
    pub unused: Vec<Change>,
}

/// One comment.
#[derive(Debug)]
struct Mark<'t> {
    /// The rule that it names; empty if it names none.
    rule: &'t str,
    reason: &'t str,
    owner: Option<&'t str>,
    until: Option<Date>,
    line: u32,
    span: Span,
    /// What is wrong with it.
    fault: Option<String>,
}

/// The comments of a file.
struct Marked<'t> {
    bytes: &'t [u8],
    /// Where each line begins, and whether it holds comments and nothing else.
    lines: Vec<(usize, bool)>,
    /// Of JSON, which has no comments.
    objects: Option<Objects>,
    /// In their order.
    marks: Vec<Mark<'t>>,
    /// Their rules and reasons.
    said: OrderedSet<(&'t str, &'t str)>,
}

/// The comments of one version of the files that a change touches.
#[derive(Default)]
struct Files<'t> {
    files: OrderedMap<&'t str, Marked<'t>>,
    /// Where comments stand whose reasons begin with a word: the file, and which of its comments.
    by_word: OrderedMap<&'t str, Vec<(&'t str, usize)>>,
}

/// Both versions.
struct Sides<'t> {
    files: Pair<Files<'t>>,
}

/// Finds what comments of the new side acknowledge among findings; where they do not count, none does.
pub(crate) fn acknowledged(findings: &[Waivable<'_>], sides: Pair<&Snapshot>, do_count: bool) -> Inline {
    let sides = Sides::of(sides);
    if sides.files.new.files.is_empty() {
        return Inline::default();
    }
    let mut inline = Inline::default();
    let of_schemas: Vec<&Waivable<'_>> = findings.iter().filter(|finding| do_count && is_of_schemas(finding)).collect();
    let mut by_file: OrderedMap<(&str, &str), Vec<&str>> = OrderedMap::new();
    for finding in &of_schemas {
        let file = file_of(finding).unwrap_or_default();
        by_file.entry((&finding.rule, file)).or_default().push(finding.path);
    }
    let covered = of_schemas.iter().filter_map(|finding| sides.covered(finding, &by_file));
    let covered: Vec<Covered<'_, '_>> = covered.collect();
    let used: OrderedSet<(&str, u32)> = covered.iter().map(|covered| covered.place()).collect();
    let at_elements = covered.iter().filter_map(|covered| {
        let (file, before) = covered.before?;
        Some(Pair::new((file, before.span.start), covered.place()))
    });
    let kept = Kept::of(&sides.files, &at_elements.collect::<Vec<_>>());
    for Covered { id, file, mark, before } in covered {
        let waiver = mark.waiver(file, id);
        match (before, kept.before(file, mark)) {
            (Some((file, before)), _) => inline.known.push(before.waiver(file, id)),
            // It stood elsewhere: it covers nothing here, however long it counts there.
            (None, Some(_)) => {
                let elsewhere = Waiver { until: None, ..waiver };
                inline.known.push(elsewhere.clone());
                inline.waivers.push(elsewhere);
                continue;
            }
            (None, None) => {}
        }
        inline.waivers.push(waiver);
    }
    if do_count {
        inline.prolonged = sides.prolonged(&kept);
    }
    let mut by_rule: FxHashMap<&str, &Waivable<'_>> = FxHashMap::default();
    for finding in findings {
        by_rule.entry(&finding.rule).or_insert(finding);
    }
    for (file, marked) in &sides.files.new.files {
        let unused = marked.marks.iter().filter(|mark| !used.contains(&(*file, mark.span.start)));
        inline.unused.extend(unused.map(|mark| sides.about_unused(file, mark, (&by_rule, do_count))));
    }
    inline
}

/// The file that a finding is in.
fn file_of<'f>(finding: &Waivable<'f>) -> Option<&'f str> {
    finding.sites.new.or(finding.sites.old).map(|site| &*site.file)
}

/// A finding that a comment covers.
struct Covered<'s, 't> {
    /// The finding's id.
    id: &'s str,
    file: &'t str,
    mark: &'s Mark<'t>,
    /// A comment that said the same at the same element, or named it, on the old side.
    before: Option<(&'t str, &'s Mark<'t>)>,
}

impl<'t> Covered<'_, 't> {
    fn place(&self) -> (&'t str, u32) {
        (self.file, self.mark.span.start)
    }
}

impl<'t> Files<'t> {
    fn of(side: &'t Snapshot, other: &'t Snapshot) -> Self {
        let mut found = Files::default();
        for path in side.differing(other) {
            let Some(marked) = side.get(path).and_then(|file| Marked::read(path, &file.bytes)) else { continue };
            for (at, mark) in marked.marks.iter().enumerate() {
                if let Some(word) = mark.first_word() {
                    found.by_word.entry(word).or_default().push((path, at));
                }
            }
            found.files.insert(path, marked);
        }
        found
    }

    fn mark(&self, (file, at): (&'t str, usize)) -> Option<(&'t str, &Mark<'t>)> {
        self.files.get(file).map(|marked| (file, &marked.marks[at]))
    }

    /// The comments that stand at an element or name it.
    fn about(&self, site: Option<&Site>, path: &str) -> Vec<(&'t str, &Mark<'t>)> {
        let mut found = Vec::new();
        if let Some((file, marked)) = site.and_then(|site| self.files.get_key_value(&*site.file))
            && let Some(site) = site
        {
            found.extend(marked.at(site.span).into_iter().map(|at| (*file, &marked.marks[at])));
        }
        // The whole name, and what is behind each point that has one behind it.
        let points = path.match_indices('.').map(|(at, _)| &path[at + 1..]).filter(|rest| rest.contains('.'));
        let names = [path].into_iter().chain(points);
        let named = names.filter_map(|name| self.by_word.get(name)).flatten();
        found.extend(named.filter_map(|place| self.mark(*place)));
        found
    }
}

impl<'t> Sides<'t> {
    fn of(sides: Pair<&'t Snapshot>) -> Self {
        let new = Files::of(sides.new, sides.old);
        // What was said before matters only where something is said now.
        let old = if new.files.is_empty() { Files::default() } else { Files::of(sides.old, sides.new) };
        Sides { files: Pair::new(old, new) }
    }

    /// The comment that covers a finding, at its element or by its name, and whether the same was said of it before.
    ///
    /// A name means what is called so in the file of the comment, where there is such; the same name in another file is another
    /// element, which may be somebody else's. `by_file` has what is found by rule and file.
    fn covered<'s>(
        &'s self,
        finding: &'s Waivable<'_>,
        by_file: &OrderedMap<(&str, &str), Vec<&str>>,
    ) -> Option<Covered<'s, 't>> {
        let all = self.files.new.about(finding.sites.new, finding.path);
        let is_anothers = |file: &str, mark: &Mark<'_>| {
            let named = by_file.get(&(mark.rule, file)).into_iter().flatten();
            file_of(finding) != Some(file) && named.into_iter().any(|path| mark.names(path))
        };
        let (file, mark) = all
            .into_iter()
            .find(|(file, mark)| mark.fault.is_none() && mark.rule == finding.rule && !is_anothers(file, mark))?;
        let before = self.files.old.about(finding.sites.old, finding.path);
        let before = before.into_iter().find(|(_, other)| mark.says_the_same(other));
        Some(Covered { id: &finding.id, file, mark, before })
    }

    /// Comments whose last day is a later one now.
    fn prolonged(&self, kept: &Kept<'_, 't>) -> Vec<Change> {
        let marks =
            self.files.new.files.iter().flat_map(|(file, marked)| marked.marks.iter().map(move |mark| (*file, mark)));
        let longer = marks.filter_map(|(file, mark)| {
            let At { file: old, mark: before, .. } = kept.before(file, mark)?;
            let until = Pair::new(before.until?, mark.until?);
            let site = |file: &str, mark: &Mark<'_>| Some(Site { file: Arc::from(file), span: mark.span });
            let at = Pair::new(site(old, before), site(file, mark));
            (until.new > until.old).then(|| prolonged(file, mark, until, at))
        });
        longer.collect()
    }

    /// A finding of each rule, as far as there is one, says what a comment could have covered.
    fn about_unused(
        &self,
        file: &str,
        mark: &Mark<'_>,
        (findings, do_count): (&FxHashMap<&str, &Waivable<'_>>, bool),
    ) -> Change {
        let hint = || match do_count {
            true => mark.fault.clone().unwrap_or_else(|| hint(mark, findings)),
            false => "Comments do not count here: the configuration says `inline-waivers: false`.".to_owned(),
        };
        let said = (mark.rule, mark.reason);
        let was_there = self.files.old.files.get(file).is_some_and(|marked| marked.said.contains(&said));
        let kind = if was_there { ChangeKind::WaiverStale } else { ChangeKind::WaiverUnused };
        let path = if mark.rule.is_empty() { MARK.to_owned() } else { format!("{MARK} {}", mark.rule) };
        let facts = Facts::none().with(FactKey::Waiver, &*path).with(FactKey::Reason, mark.reason);
        let facts = match was_there {
            true => facts.with(FactKey::Name, format!("a finding of {}", mark.rule)),
            false => facts.with(FactKey::Hint, hint()),
        };
        Change {
            kind,
            identity: Identity(format!("waiver {file} {path} {}", mark.reason)),
            path,
            at: Pair::new(None, Some(Site { file: Arc::from(file), span: mark.span })),
            facts,
            suggestion: None,
            reports: Vec::new(),
            members: Arc::default(),
            left_out: Default::default(),
            heading: None,
        }
    }
}

impl<'t> Marked<'t> {
    /// The comments in a text; `None` where there is none.
    fn read(path: &str, bytes: &'t [u8]) -> Option<Self> {
        let mut marks = Vec::new();
        let (mut line, mut counted) = (1, 0);
        let mut all = memmem::find_iter(bytes, MARK).peekable();
        while let Some(at) = all.next() {
            // Each of several in one line has what stands before the next.
            let next = all.peek().copied().unwrap_or(bytes.len());
            line += memchr::memchr_iter(b'\n', &bytes[counted..at]).count();
            counted = at;
            let end = memchr(b'\n', &bytes[at..next]).map_or(next, |length| at + length);
            let text = std::str::from_utf8(&bytes[at..end]).unwrap_or(MARK);
            marks.push(Mark::read(text, at, u32::try_from(line).unwrap_or(u32::MAX)));
        }
        let said = marks.iter().map(|mark| (mark.rule, mark.reason)).collect();
        (!marks.is_empty()).then(|| Marked {
            bytes,
            lines: lines(path, bytes),
            objects: is_json(path).then(|| Objects::of(bytes, &marks)),
            marks,
            said,
        })
    }

    /// The comments at an element: on its first or last line, in the comment lines right above, or in JSON, which has no
    /// comments, in the same object.
    fn at(&self, element: Span) -> Vec<usize> {
        let (start, end) = (element.start as usize, (element.end as usize).max(element.start as usize + 1));
        if end > self.bytes.len() {
            return Vec::new();
        }
        if let Some(objects) = &self.objects {
            let object = objects.innermost(start);
            return object.and_then(|object| objects.marks.get(&object)).cloned().unwrap_or_default();
        }
        let first = self.line_of(start);
        let above = self.comments_above(first)..self.line(first).end;
        let last = self.line(self.line_of(end - 1));
        let last = last.start.max(above.end)..last.end;
        self.within(above).chain(self.within(last)).collect()
    }

    /// The comments that begin in a part of the text.
    fn within(&self, part: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let before = |end: usize| self.marks.partition_point(|mark| (mark.span.start as usize) < end);
        before(part.start)..before(part.end.max(part.start))
    }

    /// Which line a byte is in, from 0.
    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|(start, _)| *start <= at) - 1
    }

    /// Where a line begins and ends; behind the last there is an empty one.
    fn line(&self, line: usize) -> std::ops::Range<usize> {
        let start = |line: usize| self.lines.get(line).map(|(start, _)| *start);
        start(line).unwrap_or(self.bytes.len())..start(line + 1).map_or(self.bytes.len(), |next| next - 1)
    }

    /// Where the comment lines begin that end where a line begins.
    fn comments_above(&self, line: usize) -> usize {
        let above = self.lines[..line].iter().rev().take(LINES_ABOVE).take_while(|(_, is_comment)| *is_comment);
        self.lines[line - above.count()].0
    }
}

/// Where each line of a text begins, and whether it holds comments and nothing else.
fn lines(path: &str, bytes: &[u8]) -> Vec<(usize, bool)> {
    let comments = Comments::of(path, bytes);
    let ends = memchr_iter(b'\n', bytes).chain([bytes.len()]);
    let mut start = 0;
    let line = |end| (std::mem::replace(&mut start, end + 1), end);
    ends.map(line).map(|(start, end)| (start, comments.fill(bytes, start..end))).collect()
}

/// Whether a reason holds what its readers take for a last day: `Until=2026-12-31`, `until: 2026-12-31`.
fn has_a_day(reason: &str) -> bool {
    let words: Vec<&str> = reason.split_whitespace().collect();
    let starts_day = |text: &str| text.get(..5).is_some_and(|start| Date::parse(&format!("{start}01-01")).is_ok());
    words.iter().enumerate().any(|(at, word)| {
        let Some(behind) = word.get(..5).filter(|start| start.eq_ignore_ascii_case("until")).map(|_| &word[5..]) else {
            return false;
        };
        match behind.trim_start_matches(['=', ':']) {
            "" => !behind.is_empty() && words.get(at + 1).is_some_and(|next| starts_day(next)),
            day => day.len() < behind.len() && starts_day(day),
        }
    })
}

impl<'t> Mark<'t> {
    /// Understands a comment up to the end of its line.
    fn read(text: &'t str, at: usize, line: u32) -> Self {
        let inside = text[MARK.len()..].trim_start_matches(['"', ':', ' ', '\t']);
        let ends = ["*/", "\"", "-->"].iter().filter_map(|end| inside.find(end));
        let inside = inside[..ends.min().unwrap_or(inside.len())].trim();
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span::new(place(at), place(at + MARK.len()));
        let (rule, mut rest) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        let mut mark = Mark { rule, reason: "", owner: None, until: None, line, span, fault: None };
        loop {
            rest = rest.trim_start();
            let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            if let Some(owner) = word.strip_prefix("owner=").filter(|owner| !owner.is_empty()) {
                mark.owner = Some(owner);
            } else if let Some(day) = word.strip_prefix("until=") {
                match Date::parse(day) {
                    Ok(day) => mark.until = Some(day),
                    Err(why) => mark.fault = Some(format!("{why}: write the last day as in `until=2026-12-31`.")),
                }
            } else {
                break;
            }
            rest = behind;
        }
        mark.reason = rest.trim();
        let is_rule = rule.split_once('/').is_some_and(|(format, name)| !format.is_empty() && !name.is_empty());
        if !is_rule {
            (mark.rule, mark.fault) = ("", Some(format!("It names no rule. {FORM}")));
        } else if !mark.reason.contains(char::is_alphanumeric) {
            mark.fault = Some(format!("It gives no reason. {FORM}"));
        } else if mark.fault.is_none() && has_a_day(mark.reason) {
            mark.fault = Some("A last day stands before the reason, as in `until=2026-12-31`.".to_owned());
        }
        mark
    }

    /// The first word of the reason, which may be an element, if there are others: its full name, or at least the last two
    /// parts of it.
    fn first_word(&self) -> Option<&'t str> {
        let (word, _) = self.reason.split_once(char::is_whitespace)?;
        Some(word.trim_end_matches([':', ',']).trim_matches('`'))
    }

    /// Whether the reason begins with the name of an element.
    fn names(&self, path: &str) -> bool {
        let is_end = |word| path.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        self.first_word().is_some_and(is_end)
    }

    fn says_the_same(&self, other: &Mark<'_>) -> bool {
        self.rule == other.rule && self.reason == other.reason
    }

    fn waiver(&self, file: &str, id: &str) -> Waiver {
        Waiver {
            id: id.to_owned(),
            reason: self.reason.to_owned(),
            owner: self.owner.map(str::to_owned),
            until: self.until,
            standing: false,
            rule: Some(self.rule.to_owned()),
            path: None,
            file: None,
            under: None,
            line: self.line,
            span: self.span,
            until_span: None,
            comment_in: Some(Arc::from(file)),
        }
    }
}

/// That a comment counts longer is told as of an entry of the waiver file.
fn prolonged(file: &str, mark: &Mark<'_>, until: Pair<Date>, at: Pair<Option<Site>>) -> Change {
    let path = format!("{MARK} {} until", mark.rule);
    let until = until.map(|day| day.to_string());
    let looser = format!("of a comment became looser: it was {} and is {}", until.old, until.new);
    Change {
        kind: ChangeKind::ConfigurationLoosened,
        identity: Identity(format!("waiver {file} {path} {}", mark.reason)),
        path,
        at,
        facts: Facts::none()
            .with(FactKey::Looser, looser)
            .with(FactKey::Weight, "warning")
            .with(FactKey::OldValue, until.old)
            .with(FactKey::NewValue, until.new),
        suggestion: None,
        reports: Vec::new(),
        members: Arc::default(),
        left_out: Default::default(),
        heading: None,
    }
}

/// Whether a finding is about a schema, and not about the safeguards.
fn is_of_schemas(finding: &Waivable<'_>) -> bool {
    !finding.rule.starts_with("policy/") || finding.rule == "policy/number-reused"
}

/// Where a comment would have covered something.
fn hint(mark: &Mark<'_>, findings: &FxHashMap<&str, &Waivable<'_>>) -> String {
    match findings.get(mark.rule) {
        Some(finding) => format!(
            "A finding of {} is at `{}`: put the comment on its line or right above, or write `{MARK} {} {} reason`.",
            mark.rule, finding.path, mark.rule, finding.path
        ),
        None => format!("This change has no finding of {}.", mark.rule),
    }
}

/// Whether a file is JSON, by its name.
fn is_json(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "json" | "avsc" | "avpr")
}

/// The objects of a JSON text.
struct Objects {
    /// From which byte on which object is the innermost one, by its first byte.
    ends: Vec<(usize, Option<usize>)>,
    /// Which comments stand in an object and in none inside of it.
    marks: OrderedMap<usize, Vec<usize>>,
}

impl Objects {
    fn of(bytes: &[u8], marks: &[Mark<'_>]) -> Self {
        let mut found = Objects { ends: ends(bytes), marks: OrderedMap::new() };
        for (at, mark) in marks.iter().enumerate() {
            if let Some(object) = found.innermost(mark.span.start as usize) {
                found.marks.entry(object).or_default().push(at);
            }
        }
        found
    }

    fn innermost(&self, at: usize) -> Option<usize> {
        self.ends[..self.ends.partition_point(|(from, _)| *from <= at)].last()?.1
    }
}

/// From which byte on which object of a JSON text is the innermost one.
fn ends(bytes: &[u8]) -> Vec<(usize, Option<usize>)> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let (mut in_text, mut is_escaped) = (false, false);
    for (at, byte) in bytes.iter().enumerate() {
        match (in_text, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b'{') => {
                open.push(at);
                found.push((at, Some(at)));
            }
            (false, b'}') => {
                open.pop();
                found.push((at + 1, open.last().copied()));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a comment stands at the first place of a word.
    fn is_at(path: &str, text: &str, word: &str) -> bool {
        let start = text.find(word).expect("a word of the text");
        let span = Span::new(start as u32, (start + word.len()) as u32);
        Marked::read(path, text.as_bytes()).is_some_and(|marked| !marked.at(span).is_empty())
    }

    #[test]
    fn a_comment_stands_at_an_element_on_its_lines_or_right_above() {
        for (text, stands) in [
            ("// wireproof:allow a/b c\nELEMENT", true),
            ("  /* wireproof:allow a/b c */\n  ELEMENT", true),
            ("/* words\n * wireproof:allow a/b c\n */\nELEMENT", true),
            ("# wireproof:allow a/b c\n# more\nELEMENT", true),
            ("ELEMENT // wireproof:allow a/b c", true),
            ("\u{feff}ELEMENT // wireproof:allow a/b c\r\n", true),
            ("// wireproof:allow a/b c\n\nELEMENT", false),
            ("other; // wireproof:allow a/b c\nELEMENT", false),
            ("ELEMENT\n// wireproof:allow a/b c", false),
            ("other; /* wireproof:allow a/b c */\nELEMENT", false),
            ("/* wireproof:allow a/b c */ other;\nELEMENT", false),
            ("other; /* words */\nother; /* wireproof:allow a/b c */\nELEMENT", false),
            ("other; /* wireproof:allow a/b c\n words */\nELEMENT", false),
            ("other; /* words\n wireproof:allow a/b c */\nELEMENT", true),
            ("/* words\nwireproof:allow a/b c\nand more */\nELEMENT", true),
            ("/* wireproof:allow a/b c */ // more\n  /* and more */\nELEMENT", true),
            ("x = \"/*\"; // wireproof:allow a/b c\ny = \"*/\"\nELEMENT", false),
            ("x = \"\\\" //\"; // wireproof:allow a/b c\nELEMENT", false),
        ] {
            assert_eq!(is_at("a.proto", text, "ELEMENT"), stands, "{text:?}");
        }
        assert!(is_at("a.capnp", "# wireproof:allow a/b it's c\n# \"more\nELEMENT", "ELEMENT"));
        assert!(!is_at("a.capnp", "other; # wireproof:allow a/b c\nELEMENT", "ELEMENT"));
        assert!(is_at("a.yaml", "a: don't # '\n# wireproof:allow a/b c\nELEMENT", "ELEMENT"));
        assert!(!is_at("a.yaml", "a: b # wireproof:allow a/b c\nELEMENT", "ELEMENT"));
        assert!(!is_at("a.fbs", "// wireproof:allow a/b c\rother;\nELEMENT", "ELEMENT"));
        assert!(is_at("a.proto", "FIRST\nLAST // wireproof:allow a/b c", "FIRST\nLAST"));
    }

    #[test]
    fn in_json_it_stands_in_the_same_object() {
        let text = r#"{"A": 1, "doc": "wireproof:allow a/b c", "B": {"C": 2}, "D": [{"E": 3}, "}"], "F": 4}"#;
        for (word, stands) in [("\"A", true), ("{\"C", false), ("\"C", false), ("\"E", false), ("\"F", true)] {
            assert_eq!(is_at("a.avsc", text, word), stands, "{word}");
        }
        assert!(is_at("a.avsc", r#"[{"wireproof:allow": "a/b c"}]"#, "{"));
    }

    #[test]
    fn what_is_written_is_understood_or_told() {
        let read = |text: &'static str| Mark::read(text, 0, 1);
        let mark = read("wireproof:allow a/b owner=me until=2026-12-31 they are gone */ int32 x = 1;");
        assert_eq!((mark.rule, mark.reason, mark.owner), ("a/b", "they are gone", Some("me")));
        assert_eq!((mark.until, mark.fault), (Date::parse("2026-12-31").ok(), None));
        assert_eq!(read("wireproof:allow\": \"a/b they are gone\", \"x\": 1").reason, "they are gone");
        for (text, says) in [
            ("wireproof:allow", "names no rule"),
            ("wireproof:allow everything", "names no rule"),
            ("wireproof:allow a/b", "no reason"),
            ("wireproof:allow a/b - ", "no reason"),
            ("wireproof:allow a/b until=2026-02-31 gone", "2026-12-31"),
        ] {
            assert!(read(text).fault.is_some_and(|fault| fault.contains(says)), "{text}");
        }
    }
}
