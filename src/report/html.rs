//! The report as one HTML page: offline, without fonts or requests, and whole without the one script that filters it.
//!
//! It is what a team looks at together, so it shows what the other forms have no room for: old and new lines side by
//! side, and the bytes of a witness as the writer meant them and as the reader took them. Everything that comes from a
//! schema is text and nothing more. A page that grew too large would not be opened; what is left out is said on top.

mod bytes;
mod lines;
pub(crate) mod markup;

use markup::{LONGEST, code, escape, prose};

use super::links::Links;
use super::overview::{self, Entry, Weight, entries};
use super::troubles::{self, Spot, Trouble};
use super::{
    Evidence, Finding, NotChecked, Report, Waiver, WayStep, cells, command, findings, patch, since, summary, witness,
};
use crate::text;
use crate::vocabulary::{Open, Severity, Surface, UpgradeOrder, Verdict, Vocabulary};

const STYLE: &str = include_str!("html/style.css");
const FILTER: &str = include_str!("html/filter.js");
/// The only script that may run: the SHA-256 of [`FILTER`].
const FILTER_DIGEST: &str = "sha256-5nbGUDQlYlfc0xEjZpe0P4wm5iLzTYGHHoWNubA8uOg=";

/// When findings fill so many bytes, the rest are shown without their proof …
const WITH_PROOF: usize = 1_400_000;
/// … then as a line each …
const WITH_DETAILS: usize = 2_000_000;
/// … and then they are counted.
const WITH_LINES: usize = 2_400_000;
/// Lines of all files together.
const MOST_LINES: usize = 3_000;
/// Files are unfolded when they have no more changed lines than this together.
const OPEN_LINES: usize = 60;
/// Files whose changes are shown.
const MOST_FILES: usize = 200;
/// So many breaking findings are open from the start …
const OPEN: usize = 4;
/// … unless there are more than this.
const MANY: usize = 20;
/// Copies of an entry that are named in its line.
const COPIES: usize = 4;
/// Problems and gaps that are listed.
const MOST_GAPS: usize = 300;

/// What was left out.
#[derive(Debug, Default)]
struct LeftOut {
    proofs: usize,
    details: usize,
    findings: usize,
    others: usize,
}

impl LeftOut {
    fn words(&self) -> Option<String> {
        let told =
            [(self.proofs, "the proof of "), (self.details, "the details of "), (self.findings, "every word about ")];
        let mut words: Vec<String> = told
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{what}{}", text::plural(*count, "finding")))
            .collect();
        if self.others > 0 {
            words.push(format!("{} more entries of long lists", text::number(self.others)));
        }
        (!words.is_empty()).then(|| {
            format!(
                "Shortened to keep the page small: {} left out. <code>--output json=PATH</code> has everything.",
                text::list(&words)
            )
        })
    }
}

/// The report as a page.
pub fn render(report: &Report, links: &Links) -> String {
    let mut left_out = LeftOut::default();
    let troubles = troubles::troubles(report);
    let (errors, warnings): (Vec<&Trouble<'_>>, Vec<&Trouble<'_>>) = troubles.iter().partition(|one| one.is_error());
    let id_of_warnings = if errors.is_empty() { " id=problems" } else { "" };
    let body = [
        problems(&errors, " id=problems", &mut left_out),
        findings(report, links, &mut left_out),
        problems(&warnings, id_of_warnings, &mut left_out),
        way(report),
        files(report, &mut left_out),
        not_checked(&troubles::not_checked(report), &mut left_out),
    ]
    .concat();
    let shortened = left_out.words().map(|words| format!("<p class=\"card warning\">{words}</p>")).unwrap_or_default();
    let title = format!("wireproof: {} ({})", summary::verdict(report), summary::compared(report));
    format!(
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '{FILTER_DIGEST}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=referrer content=no-referrer>\n<meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}{shortened}<main>\n{}{body}</main>\n{}<script>{FILTER}</script>\n</body>\n</html>\n",
        escape(&text::shorten(&title, 200)),
        head(report, links),
        overview(report),
        foot(report)
    )
}

fn head(report: &Report, links: &Links) -> String {
    let mark = match &report.verdict {
        Open::Known(Verdict::Compatible) => "✓",
        Open::Known(Verdict::Breaking) => "✗",
        Open::Known(Verdict::Unknown) | Open::Unknown(_) => "?",
    };
    let mut words = vec![format!("mode {}", summary::mode(report)), summary::compared(report)];
    words.extend(summary::terms(report));
    let mut subject: Vec<String> = links.subject.iter().map(|word| escape(&text::shorten(word, 200))).collect();
    subject.extend(links.made.as_ref().map(|day| format!("checked on {}", escape(day))));
    subject.extend(links.run.as_ref().map(|run| format!("<a href=\"{}\">job</a>", escape(run))));
    let subject = match subject.is_empty() {
        true => String::new(),
        false => format!("<p class=small>{}</p>\n", subject.join(" · ")),
    };
    let demands = summary::demands(report).iter().map(|demand| format!("<p>{}</p>", prose(demand))).collect::<String>();
    let contents: String = [
        ("problems", "Problems", report.problems.len()),
        ("findings", "Findings", report.findings.len()),
        ("plan", "Steps", report.plan.iter().map(|way| way.steps.len()).sum()),
        ("files", "Files", report.diffs.len()),
        ("not-checked", "Not checked", troubles::not_checked(report).len()),
    ]
    .iter()
    .filter(|(_, _, count)| *count > 0)
    .map(|(id, name, count)| format!("<a href=\"#{id}\">{name} ({})</a> ", text::number(*count)))
    .collect();
    let contents = match contents.is_empty() {
        true => contents,
        false => format!("<nav aria-label=\"On this page\">{contents}</nav>\n"),
    };
    format!(
        "<header>\n<div class=\"banner {}\">\n<h1>{mark} {}</h1>\n{subject}<p>{}</p>\n{demands}</div>\n{contents}\
         <p id=filter hidden><label>Show findings that say <input type=search></label></p>\n</header>\n",
        if summary::is_of_gate(report) { POLICY } else { tone_of(&report.verdict) },
        escape(&text::capitalised(&summary::verdict(report))),
        escape(&text::elide(&words.join(" · "), LONGEST)),
    )
}

/// A class of the style sheet: it has one for each verdict, for each severity, and for what is waived.
type Tone = &'static str;

const WAIVED: Tone = "waived";
const POLICY: Tone = Weight::Policy.word();
const UNSURE: Tone = Verdict::Unknown.name();
const GOOD: Tone = Verdict::Compatible.name();
const BAD: Tone = Verdict::Breaking.name();

/// A word that this version does not know must not become a class.
fn tone_of<T: Vocabulary>(word: &Open<T>) -> Tone {
    match word {
        Open::Known(word) => word.name(),
        Open::Unknown(_) => UNSURE,
    }
}

/// The order of upgrades as a picture, and the ladder of modes.
fn overview(report: &Report) -> String {
    // Where nothing was compared, both frames would be empty.
    if summary::is_calm(report) || report.is_unanswered() {
        return String::new();
    }
    format!("<div class=two>\n{}{}</div>\n", order(report), ladder(report))
}

fn order(report: &Report) -> String {
    let (order, rollback) = summary::order_and_rollback(report);
    let step = |tone: Tone, words: &str| format!("<li class={tone}>{words}</li>");
    let arrow = "<li class=\"arrow turn\" aria-hidden=true>→</li>";
    let readers = "<b>Readers</b><br>servers, consumers";
    let writers = "<b>Writers</b><br>clients, producers";
    let established = order != summary::NOT_ESTABLISHED;
    let steps = match &report.upgrade_order {
        _ if !established => String::new(),
        Open::Known(UpgradeOrder::Any) => {
            format!("{}{}{}", step(GOOD, readers), "<li class=arrow>and</li>", step(GOOD, writers))
        }
        Open::Known(UpgradeOrder::ReadersFirst) => {
            format!("{}{arrow}{}", step(GOOD, &format!("1. {readers}")), step(GOOD, &format!("2. {writers}")))
        }
        Open::Known(UpgradeOrder::WritersFirst) => {
            let last = format!("2. {readers}, when no old data is left");
            format!("{}{arrow}{}", step(GOOD, &format!("1. {writers}")), step(GOOD, &last))
        }
        Open::Known(UpgradeOrder::None) => {
            let neither = "<li class=arrow aria-hidden=true>✗</li>";
            format!("{}{neither}{}", step(BAD, readers), step(BAD, writers))
        }
        Open::Unknown(order) => step(UNSURE, &format!("<b>?</b> {}", escape(&text::shorten(order, 40)))),
    };
    let steps = if steps.is_empty() { steps } else { format!("<ol class=steps>{steps}</ol>\n") };
    format!(
        "<section class=card aria-labelledby=order><h2 id=order>Upgrade order</h2>\n{steps}\
         <p><b>Upgrade:</b> {}.</p>\n<p><b>Rollback:</b> {}.</p></section>\n",
        escape(order),
        escape(rollback)
    )
}

fn ladder(report: &Report) -> String {
    let mut rungs = String::new();
    let in_doubt = !summary::is_told(report);
    for rung in report.modes.iter().take(20) {
        let (tone, mark) = match rung.passes {
            _ if in_doubt => (UNSURE, "? unknown"),
            true => (GOOD, "✓ passes"),
            false => (BAD, "✗ breaks"),
        };
        let is_in_force = rung.mode == report.mode;
        let force = if is_in_force { " force" } else { "" };
        let words = if is_in_force { " <b>(in force)</b>" } else { "" };
        rungs.push_str(&format!(
            "<li class=\"{tone}{force}\"><span class=passes>{mark}</span><span>{}{words}<span class=under>{}</span></span></li>",
            code(rung.mode.as_str(), 40),
            text::mode_sentence(&rung.mode)
        ));
    }
    let versions = versions(report);
    let strictest = if in_doubt {
        String::new()
    } else {
        format!("<p>{}.</p>", text::capitalised(&prose(&summary::strictest(report))))
    };
    format!(
        "<section class=card aria-labelledby=modes><h2 id=modes>Modes</h2>\n<ol class=ladder>{rungs}</ol>\n{strictest}{versions}</section>\n"
    )
}

/// With which versions what holds, and the first finding that each mode does not pass for.
fn versions(report: &Report) -> String {
    if report.versions.is_empty() {
        return String::new();
    }
    let costs = match since::costs(report).as_slice() {
        [] => String::new(),
        costs => format!("<p>The first finding for which a mode does not pass:</p>\n{}\n", items(costs)),
    };
    format!("<p>With the versions before:</p>\n{}\n{costs}", items(&since::versions(report)))
}

/// What could not be read may be the reason of everything below it; what only warns comes behind the findings.
fn problems(troubles: &[&Trouble<'_>], id: &str, left_out: &mut LeftOut) -> String {
    if troubles.is_empty() {
        return String::new();
    }
    left_out.others += troubles.len().saturating_sub(MOST_GAPS);
    let items: String = troubles.iter().take(MOST_GAPS).map(|trouble| one_trouble(trouble)).collect();
    let count: usize = troubles.iter().map(|trouble| trouble.count()).sum();
    format!("<h2{id}>Problems in the input ({})</h2>\n{items}", text::number(count))
}

/// Problems of one kind: the first with its line, and where the others are.
fn one_trouble(trouble: &Trouble<'_>) -> String {
    let problem = trouble.first.problem;
    let place = |spot: &Spot<'_>| {
        spot.place().map(|place| format!("<span class=under>{}</span>", code(&place, 200))).unwrap_or_default()
    };
    let line = problem.text.as_ref().map(|line| format!("<pre>{}</pre>", escape(&text::shorten(line, 300))));
    let others: String =
        trouble.told().skip(1).map(|spot| format!("<p>{}{}</p>", prose(&spot.problem.message), place(spot))).collect();
    let likewise = trouble.likewise(MOST_GAPS).map(|words| format!("<p>{}.</p>", prose(&text::capitalised(&words))));
    let help = match problem.help.trim() {
        "" => String::new(),
        help => format!("<p><b>To do:</b> {}</p>", prose(help)),
    };
    format!(
        "<div class=\"card {0}\"><span class=badge>{1}</span> {2}{3}{4}{others}{5}{help}</div>\n",
        tone_of(&problem.severity),
        escape(problem.severity.as_str()),
        prose(&problem.message),
        place(&trouble.first),
        line.unwrap_or_default(),
        likewise.unwrap_or_default()
    )
}

/// Findings that stand together on the page, in this order: by harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Breaks,
    NotSeen,
    Refused,
    Policy,
    HarmlessErrors,
    Guards,
    Warnings,
    /// Of a severity that only another version knows.
    Others,
    Waived,
    Notes,
}

impl Group {
    const ALL: [Group; 10] = [
        Group::Breaks,
        Group::NotSeen,
        Group::Refused,
        Group::Policy,
        Group::HarmlessErrors,
        Group::Guards,
        Group::Warnings,
        Group::Others,
        Group::Waived,
        Group::Notes,
    ];

    fn of(report: &Report, finding: &Finding) -> Group {
        if finding.waiver.is_some() {
            return Group::Waived;
        }
        match Weight::of(report, finding) {
            Weight::Wrong | Weight::Fails | Weight::Lossy | Weight::Breaks => Group::Breaks,
            Weight::NotSeen => Group::NotSeen,
            Weight::Refused => Group::Refused,
            Weight::Policy => Group::Policy,
            Weight::Error => Group::HarmlessErrors,
            Weight::Guard => Group::Guards,
            Weight::Warning => Group::Warnings,
            Weight::Unknown => Group::Others,
            Weight::Note => Group::Notes,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Group::Breaks => "Breaks",
            Group::NotSeen => "Could not be seen",
            Group::Refused => "Refused: the check fails, and not because of readers",
            Group::Policy => "Policy: a guard is missing, and the check fails",
            Group::HarmlessErrors => "Errors that do not break under these terms",
            Group::Guards => "Policy that does not break in this mode",
            Group::Warnings => "Warnings",
            Group::Others => "Of a severity that this version does not know",
            Group::Waived => "Waived",
            Group::Notes => "Notes",
        }
    }

    fn tone(self) -> Tone {
        match self {
            Group::Breaks | Group::HarmlessErrors => Severity::Error.name(),
            Group::Refused | Group::Policy | Group::Guards => POLICY,
            Group::Warnings => Severity::Warning.name(),
            Group::NotSeen | Group::Others => UNSURE,
            Group::Waived => WAIVED,
            Group::Notes => Severity::Note.name(),
        }
    }
}

fn findings(report: &Report, links: &Links, left_out: &mut LeftOut) -> String {
    let mut out = String::new();
    let mut entries = entries(report);
    let waived = findings::waived(report).into_iter();
    entries.extend(waived.map(|finding| Entry {
        weight: Weight::of(report, finding),
        rule: &finding.rule,
        findings: vec![finding],
        copies: Vec::new(),
    }));
    let open = if report.findings.len() > MANY { 1 } else { OPEN };
    for kind in Group::ALL {
        let of_kind: Vec<&Entry<'_>> =
            entries.iter().filter(|entry| Group::of(report, entry.findings[0]) == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let count: usize = of_kind.iter().map(|entry| entry.findings.len() + entry.copies.len()).sum();
        let id = if out.is_empty() { " id=findings" } else { "" };
        out.push_str(&format!("<h2{id}>{} ({})</h2>\n", kind.name(), text::number(count)));
        for (at, entry) in of_kind.into_iter().enumerate() {
            let is_open = kind == Group::Breaks && at < open;
            let next = one_entry((report, links), entry, kind, is_open, out.len(), left_out);
            out.push_str(&next);
        }
    }
    out
}

/// A finding, or several that are told together: one line for all of them, and below it each.
fn one_entry(
    (report, links): (&Report, &Links),
    entry: &Entry<'_>,
    group: Group,
    is_open: bool,
    used: usize,
    left_out: &mut LeftOut,
) -> String {
    let all: Vec<&Finding> = entry.findings.iter().chain(&entry.copies).copied().collect();
    if let [only] = all.as_slice() {
        return one_finding((report, links), only, group, is_open, used, left_out);
    }
    let mut cards = String::new();
    for (at, finding) in all.iter().enumerate() {
        let card = one_finding((report, links), finding, group, is_open && at == 0, used + cards.len(), left_out);
        cards.push_str(&card);
    }
    let first = entry.findings[0];
    let words = match entry.findings.len() {
        1 => prose(&text::elide(&first.message, 400)),
        count => format!("×{} {}", text::number(count), prose(first.title.trim())),
    };
    let copies = overview::in_copies(entry, COPIES);
    let copies = if copies.is_empty() { copies } else { format!(" · {}", escape(&copies)) };
    let open = if is_open { " open" } else { "" };
    format!(
        "<details class=\"group {}\"{open}><summary><span class=badge>{}</span><h3>{words}</h3><span class=under>{}{copies}</span></summary>\n<div class=body>{cards}</div></details>\n",
        group.tone(),
        badge(report, first),
        rule(entry.rule, links)
    )
}

/// The id of a rule, as a link to its page where there is one.
fn rule(id: &str, links: &Links) -> String {
    let shown = code(id, 100);
    links.rule(id).map_or(shown.clone(), |page| format!("<a href=\"{}\">{shown}</a>", escape(&page)))
}

/// As much of a finding as there is room for.
fn one_finding(
    (report, links): (&Report, &Links),
    finding: &Finding,
    group: Group,
    is_open: bool,
    used: usize,
    left_out: &mut LeftOut,
) -> String {
    if used > WITH_LINES {
        left_out.findings += 1;
        return String::new();
    }
    let tone = group.tone();
    let place = findings::side_and_place(finding).map(|place| code(&place, 200)).unwrap_or_default();
    let page = match (&finding.old, &finding.new) {
        (_, Some(new)) => links.new_line(new),
        (Some(old), None) if since::is_of_last(finding) => links.old_line(old),
        (Some(_), None) | (None, None) => None,
    };
    let place = page.map_or(place.clone(), |page| format!("<a href=\"{}\">{place}</a>", escape(&page)));
    let title = format!("<h3>{}</h3>", prose(&text::elide(&finding.message, 400)));
    let under = format!("<span class=under>{} · {place}</span>", rule(&finding.rule, links));
    let badge = format!("<span class=badge>{}</span>", badge(report, finding));
    if used > WITH_DETAILS {
        left_out.details += 1;
        return format!("<div class=\"card {tone}\">{badge}{title}{under}</div>\n");
    }
    let proof = if used <= WITH_PROOF {
        proof(report, finding)
    } else if witness::witnesses(report, finding).is_empty() {
        String::new()
    } else {
        left_out.proofs += 1;
        "<p class=quiet>The proof is left out here to keep the page small.</p>".to_owned()
    };
    let open = if is_open { " open" } else { "" };
    format!(
        "<details class=\"finding {tone}\"{open}><summary>{badge}{title}{under}</summary>\n<div class=body>{}{}{proof}{}</div></details>\n",
        lines::sides(finding),
        facts(report, finding),
        suggestion(finding)
    )
}

fn badge(report: &Report, finding: &Finding) -> String {
    match Group::of(report, finding) {
        Group::Waived => WAIVED.to_owned(),
        Group::Breaks => format!("✗ {}", Weight::of(report, finding).word()),
        Group::Refused | Group::Policy | Group::Guards | Group::NotSeen => {
            Weight::of(report, finding).word().to_owned()
        }
        Group::HarmlessErrors | Group::Warnings | Group::Others | Group::Notes => escape(finding.severity.as_str()),
    }
}

/// Who breaks, why, what to do.
fn facts(report: &Report, finding: &Finding) -> String {
    let mut rows = Vec::new();
    if let Some(waiver) = &finding.waiver {
        rows.push(("Waived", waived(waiver)));
    }
    let (hurt, fine) = cells::who_breaks(report, finding);
    rows.push(("Who breaks", items(&hurt)));
    rows.extend(fine.map(|fine| ("Unaffected", prose(&fine))));
    rows.extend(since::finding(finding).map(|words| ("Versions", prose(&words))));
    let dissent = witness::dissent(report, finding);
    if !dissent.is_empty() {
        rows.push(("Runtimes", items(&dissent)));
    }
    let elsewhere = cells::clauses(&cells::cells_elsewhere(report, finding), cells::role(finding));
    if !elsewhere.is_empty() && !cells::hurts(report, finding) {
        rows.push(("Not in force", items(&elsewhere)));
    }
    for (name, words) in [("Why", &finding.why), ("Do instead", &finding.fix)] {
        if !words.trim().is_empty() {
            rows.push((name, prose(words.trim())));
        }
    }
    for (tool, ids) in finding.peers.iter().filter(|(_, ids)| !ids.is_empty()) {
        rows.push(("Elsewhere", escape(&text::shorten(&format!("{tool} reports {}", text::list(ids)), 300))));
    }
    if finding.breaking {
        let command = format!("wireproof accept {} --reason TEXT", finding.id);
        rows.push(("Intended?", code(&command, 120)));
    }
    let rows: String = rows.iter().map(|(name, words)| format!("<dt>{name}</dt><dd>{words}</dd>")).collect();
    format!("<dl class=facts>{rows}</dl>")
}

fn items(clauses: &[String]) -> String {
    match clauses {
        [only] => prose(only),
        _ => format!(
            "<ul>{}</ul>",
            clauses.iter().map(|clause| format!("<li>{}</li>", prose(clause))).collect::<String>()
        ),
    }
}

fn waived(waiver: &Waiver) -> String {
    let mut words = vec![prose(&waiver.reason)];
    words.push(format!("by {}", waiver.owner.as_deref().map_or_else(|| "nobody named".to_owned(), prose)));
    words.push(
        waiver.until.as_deref().map_or_else(|| "without an end".to_owned(), |until| format!("until {}", escape(until))),
    );
    if waiver.added_here {
        words.push("added in this very change".to_owned());
    }
    format!("{} ({})", words.join(" · "), code(&format!("{}:{}", waiver.file, waiver.line), 200))
}

/// Each witness: what was written, the bytes, what was read.
fn proof(report: &Report, finding: &Finding) -> String {
    let witnesses = witness::witnesses(report, finding);
    if witnesses.is_empty() {
        return String::new();
    }
    let figures: String = witnesses.iter().map(|evidence| figure(evidence, finding)).collect();
    format!("<h4>Proof</h4>{figures}")
}

fn figure(evidence: &Evidence, finding: &Finding) -> String {
    let role = cells::role(finding);
    let what = match bytes::picture(evidence, &finding.format) {
        // JSON, which was shown.
        _ if evidence.surface == Surface::Wire && witness::is_written_as_shown(evidence) => String::new(),
        Some(picture) => picture,
        None if evidence.surface == Surface::Wire => {
            format!("<p class=value><b>bytes</b> {}</p>", code(&witness::grouped_hex(&evidence.bytes, 64), 400))
        }
        None => format!("<p class=value><b>text</b> {}</p>", code(&evidence.bytes, 600)),
    };
    let encoding = if evidence.surface == Surface::Json { " in JSON" } else { "" };
    let costs = witness::costs(evidence);
    let costs = costs.map_or_else(String::new, |costs| format!("<p class=value><b>costs</b> {}</p>", escape(&costs)));
    format!(
        "<figure><figcaption>{}{encoding}, {}</figcaption>\n<p class=value><b>wrote</b> {}</p>{what}<p class=value><b>read</b> {}</p>\
         {costs}<p class=value>So {} {} <span class=badge>{}</span></p></figure>\n",
        code(&evidence.type_name, 200),
        escape(&witness::journey(evidence)),
        code(&witness::wrote_words(evidence, 600), 700),
        code(&witness::read_words(evidence, 600), 700),
        text::who(&evidence.direction, role),
        text::outcome(&evidence.outcome, role),
        escape(evidence.outcome.as_str())
    )
}

fn suggestion(finding: &Finding) -> String {
    let shown = finding.suggestion.as_ref().and_then(|edit| Some((edit, patch::patch(edit)?)));
    shown.map_or_else(String::new, |(edit, patch)| {
        format!("<h4>Suggested edit</h4>{}", lines::patch(&edit.file, &patch))
    })
}

/// The changed lines of every file that findings speak of.
fn files(report: &Report, left_out: &mut LeftOut) -> String {
    if report.diffs.is_empty() {
        return String::new();
    }
    let total: usize = report.diffs.iter().flat_map(|diff| &diff.hunks).map(|hunk| hunk.lines.len()).sum();
    let state = if total <= OPEN_LINES { lines::State::Open } else { lines::State::Folded };
    let mut room = MOST_LINES;
    let mut out = format!("<h2 id=files>Changed files ({})</h2>\n", text::number(report.diffs.len()));
    for diff in report.diffs.iter().take(MOST_FILES) {
        let (file, shown) = lines::file(diff, room, state);
        room -= shown;
        out.push_str(&file);
    }
    left_out.others += report.diffs.len().saturating_sub(MOST_FILES);
    out
}

fn not_checked(gaps: &[&NotChecked], left_out: &mut LeftOut) -> String {
    if gaps.is_empty() {
        return String::new();
    }
    left_out.others += gaps.len().saturating_sub(MOST_GAPS);
    let one = |gap: &&NotChecked| {
        let file = if gap.file.is_empty() { String::new() } else { format!("{}: ", code(&gap.file, 200)) };
        let help = match gap.help.trim() {
            "" => String::new(),
            help => format!("<span class=under>To do: {}</span>", prose(help)),
        };
        format!("<li>{file}{}{help}</li>", prose(&gap.what))
    };
    let items: String = gaps.iter().take(MOST_GAPS).map(one).collect();
    format!(
        "<h2 id=not-checked>Not checked ({})</h2>\n<p>The verdict does not cover:</p>\n<ul>{items}</ul>\n",
        text::number(gaps.len())
    )
}

/// The way to what is wanted without a break.
fn way(report: &Report) -> String {
    let way = report.plan.as_ref().zip(command::plan(report)).zip(summary::way(report));
    let Some(((way, command), words)) = way else { return String::new() };
    let line = format!("<p>{}: {}</p>\n", escape(&text::capitalised(&words)), code(&command, 600));
    if way.steps.is_empty() {
        return line;
    }
    let item = |step: &WayStep| {
        let says: String =
            summary::step(step).iter().take(MOST_GAPS).map(|line| format!("<br>{}", prose(line))).collect();
        format!("<li><b>{}</b>{says}</li>", escape(&text::shorten(step.kind.as_str(), 40)))
    };
    let steps: String = way.steps.iter().take(MOST_GAPS).map(item).collect();
    let differs: String = way.differs.iter().take(MOST_GAPS).map(|line| format!("<li>{}</li>", prose(line))).collect();
    let differs = match differs.is_empty() {
        true => String::new(),
        false => format!("<p>What you end with differs from what you wanted:</p>\n<ul>{differs}</ul>\n"),
    };
    format!("<h2 id=plan>Without a break</h2>\n{line}<ol>{steps}</ol>\n{differs}")
}

fn foot(report: &Report) -> String {
    let mut lines = Vec::new();
    if !summary::is_calm(report) {
        lines.extend(command::reproduce(report).map(|command| format!("Reproduce: {}", code(&command, 600))));
        lines.push(escape(&text::capitalised(&summary::round_trips(report))));
    }
    lines.push(escape(&text::capitalised(&summary::counts(report))));
    lines.extend(report.shard.as_ref().map(|shard| format!("Part {} of {} of a larger check", shard.number, shard.of)));
    lines.push(escape(&text::shorten(&format!("{} {}", report.tool.name, report.tool.version), 80)));
    let lines: String = lines.iter().map(|line| format!("<p>{line}</p>")).collect();
    format!("<footer>{lines}</footer>\n")
}
