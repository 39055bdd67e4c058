//! The page of a rule: what it is about, who breaks, why, what to do, and examples as diffs.
//!
//! One content in two shapes, Markdown for `docs/rules/` and text for `wireproof explain`, and the list of all rules for
//! `wireproof rules`. Everything said here comes from the rule's file or from [`crate::text`].

use serde_json::json;

use crate::change::ChangeKind;
use crate::evidence::{Direction, Outcome, Surface};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::report::patch;
use crate::report::text::{BOLD, DIM, TextStyle};
use crate::rules::{Cell, Class, EvidenceNeed, Example, POLICY, PeerTable, Rule, Severity};
use crate::text::{self, Role};

/// What a severity or a cell says where the change decides.
const DEPENDS: &str = "depends";

/// How to list rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// A table for people.
    Text,
    /// An array for programs.
    Json,
}

/// The rule's page in Markdown.
pub fn page(rule: &Rule) -> String {
    let mut blocks = vec![
        format!("# {}", one_line(&rule.title)),
        format!("`{}` · family `{}` · class `{}` · since {}", rule.id, rule.family, rule.class, rule.since),
        format!("```text\n{}[{}]: {}\n```", usual_name(rule), rule.id, one_line(&rule.message)),
    ];
    if rule.format() != POLICY {
        blocks.push(format!("## Who breaks\n\n{}", impact_table(rule)));
    }
    blocks.extend(depends(rule).map(str::to_owned));
    blocks.push(format!("## Why\n\n{}", why(rule).trim()));
    blocks.push(format!("## What to do\n\n{}", rule.fix.trim()));
    blocks.extend(examples(rule));
    blocks.push(format!("## How it is judged\n\n{}", judged(rule)));
    blocks.push(format!(
        "To judge it differently, write in `wireproof.yaml`:\n\n```yaml\nrules:\n  {}: {}   # error, warning, note or off\n```\n\nThe family \
         `{}` instead of the id judges every rule of the same idea, in all formats.",
        rule.id,
        other_severity(rule),
        rule.family
    ));
    if !rule.references.is_empty() {
        let links: Vec<String> = rule.references.iter().map(|link| format!("- <{}>", link.trim())).collect();
        blocks.push(format!("## References\n\n{}", links.join("\n")));
    }
    let mut out = blocks.join("\n\n");
    out.push('\n');
    out
}

/// The rule's page for a terminal.
pub fn terminal(rule: &Rule, style: &TextStyle) -> String {
    let width = style.room(4);
    let indented = |text: &str| -> String {
        let lines = text::wrap(&text::visible_lines(text.trim()), width);
        lines
            .iter()
            .map(|line| if line.is_empty() { String::new() } else { format!("  {line}") })
            .collect::<Vec<_>>()
            .join("\n")
    };
    let heading = |words: &str| style.paint(BOLD, words);
    let mut blocks = vec![
        format!(
            "{}\n{}",
            style.paint(BOLD, &format!("{}: {}", rule.id, one_line(&rule.title))),
            style.paint(DIM, &format!("family {} · class {} · since {}", rule.family, rule.class, rule.since))
        ),
        format!("{}\n{}", heading("Reported as"), indented(&format!("{}: {}", usual_name(rule), rule.message))),
    ];
    // No reader is concerned by what is said about the safeguards.
    if rule.format() != POLICY {
        blocks.push(format!("{}\n{}", heading("Who breaks"), impact_lines(rule)));
    }
    blocks.extend(depends(rule).map(indented));
    blocks.push(format!("{}\n{}", heading("Why"), indented(&why(rule))));
    blocks.push(format!("{}\n{}", heading("What to do"), indented(&rule.fix)));
    for example in rule.examples.iter() {
        let mut lines = vec![heading(&example_title(example))];
        for (path, diff) in diffs(example) {
            lines.extend(path.map(|path| format!("  {}", style.paint(DIM, &text::visible(&path)))));
            lines.extend(diff.lines().map(|line| format!("  {}", colored(line, style))));
        }
        blocks.push(lines.join("\n"));
    }
    blocks.push(format!("{}\n{}", heading("How it is judged"), indented(&judged(rule))));
    let config = format!("  rules:\n    {}: {}   # error, warning, note or off", rule.id, other_severity(rule));
    blocks.push(format!("{}\n{config}", heading("To judge it differently (wireproof.yaml)")));
    if !rule.references.is_empty() {
        let links: Vec<String> =
            rule.references.iter().map(|link| format!("  {}", text::visible(link.trim()))).collect();
        blocks.push(format!("{}\n{}", heading("References"), links.join("\n")));
    }
    let mut out = blocks.join("\n\n");
    out.push('\n');
    out
}

/// The other rules of a family, a line each; `None` when there are none.
pub fn relatives(rules: &[&Rule], style: &TextStyle) -> Option<String> {
    let width = rules.iter().map(|rule| rule.id.chars().count()).max()?;
    let line = |rule: &&Rule| format!("  {:<width$}  {}\n", text::visible(&rule.id), one_line(&rule.title));
    Some(format!("{}\n{}", style.paint(BOLD, "Other rules of the family"), rules.iter().map(line).collect::<String>()))
}

/// What another tool reports under an id, by our rules for the same changes; `None` where there are none.
pub fn of_peer(id: &str, table: &PeerTable, ours: &[&Rule], style: &TextStyle) -> Option<String> {
    let width = ours.iter().map(|rule| rule.id.chars().count()).max()?;
    let line = |rule: &&Rule| format!("  {:<width$}  {}\n", text::visible(&rule.id), one_line(&rule.title));
    let heading = style.paint(BOLD, &format!("{}: an id of {}", text::visible(id), table.tool));
    let lines: String = ours.iter().map(line).collect();
    let profile = table.profiles.first().map_or(table.tool.as_str(), |profile| profile.name.as_str());
    Some(format!(
        "{heading}\n\nOur rules for the changes that {} reports under it, as far as examples show them\n{lines}\n\
         `wireproof explain RULE` explains one of them. To be judged as {} judges: `--profile {profile}`\n",
        table.tool, table.tool
    ))
}

/// The findings that no rule file describes: what is wrong when no rule judges a change, or several do.
const INTERNAL: [(&str, &str, &str); 2] = [
    (
        "unclassified",
        "A change that no rule judges",
        "Every change must be judged by exactly one rule. This one was found, and no rule says what readers make of it, so \
         nobody can say whether it is safe. It is an error in every mode but `none`, and the verdict is never `compatible`.\n\
         This is a gap in wireproof, not in your rules.\n\n\
         What to do: check the change by hand, and report it with the two schemas.",
    ),
    (
        "ambiguous",
        "A change that several rules judge",
        "Every change must be judged by exactly one rule. Several claim this one and may contradict each other, so none of \
         them was believed. It is an error in every mode but `none`, and the verdict is never `compatible`.\n\n\
         What to do: make the `when.facts` of your own rules exclude each other. If all of them are built in, this is a bug \
         in wireproof: report it with the two schemas.",
    ),
];

/// The page of a finding that no rule file describes: `protobuf/unclassified`, `ambiguous`.
pub fn internal(name: &str, style: &TextStyle) -> Option<String> {
    let short = name.rsplit('/').next().unwrap_or(name);
    let (_, title, words) = INTERNAL.iter().find(|(known, _, _)| *known == short)?;
    let heading = style.paint(BOLD, &format!("{}: {title}", text::visible(name)));
    Some(format!("{heading}\n\n{}\n", text::wrap(words, style.room(4)).join("\n")))
}

/// All rules given, in their order.
pub fn list(rules: &[&Rule], format: ListFormat) -> String {
    match format {
        ListFormat::Text => table(rules),
        ListFormat::Json => {
            let all: Vec<serde_json::Value> = rules.iter().map(|rule| as_json(rule)).collect();
            let mut out = serde_json::to_string_pretty(&all).expect("rules are strings and maps with string keys");
            out.push('\n');
            out
        }
    }
}

fn table(rules: &[&Rule]) -> String {
    let header = ["RULE", "USUALLY", "BACKWARD", "FORWARD", "TITLE"].map(str::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(header)
        .chain(rules.iter().map(|rule| {
            let wire = |direction| short_cell(rule.impact.get(Surface::Wire, direction)).to_owned();
            let (id, title) = (text::visible(&rule.id).into_owned(), one_line(&rule.title));
            [id, usual_name(rule).to_owned(), wire(Direction::Backward), wire(Direction::Forward), title]
        }))
        .collect();
    let mut out = String::new();
    for row in &rows {
        for (column, cell) in row.iter().take(4).enumerate() {
            let width = rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
            out.push_str(&format!("{cell:<width$}  "));
        }
        out.push_str(&row[4]);
        out.push('\n');
    }
    out.push_str(&format!(
        "\n{}. BACKWARD and FORWARD are what readers of the binary encoding experience; USUALLY is the severity in mode full.\n\
         `wireproof explain RULE` shows the page of a rule.\n",
        text::plural(rules.len(), "rule")
    ));
    out
}

fn short_cell(cell: &Cell) -> &'static str {
    match cell {
        Cell::Is(outcome) => outcome.name(),
        Cell::Fact(_) => DEPENDS,
    }
}

fn as_json(rule: &Rule) -> serde_json::Value {
    let mut impact: OrderedMap<&str, OrderedMap<&str, String>> = OrderedMap::new();
    for (surface, direction, cell) in rule.impact.iter() {
        impact.entry(surface.name()).or_default().insert(direction.name(), cell.to_string());
    }
    json!({
        "id": rule.id,
        "title": rule.title.trim(),
        "family": rule.family,
        "format": rule.format(),
        "since": rule.since,
        "class": rule.class.name(),
        "severity": rule.severity.map(|severity| severity.to_string()),
        "usual_severity": usual_name(rule),
        "tolerates": rule.tolerates.map(Outcome::name),
        "impact": impact,
        "message": rule.message.trim(),
        "why": rule.why.trim(),
        "fix": rule.fix.trim(),
        "references": rule.references,
    })
}

/// The severity under the defaults: mode full, surface wire, fail on lossy. `None` where the change decides.
fn usual_severity(rule: &Rule) -> Option<Severity> {
    match rule.severity {
        Some(Cell::Is(severity)) => return Some(severity),
        Some(Cell::Fact(_)) => return None,
        None => {}
    }
    let mut worst = Outcome::Safe;
    let mut depends = false;
    for direction in Direction::ALL {
        match rule.impact.get(Surface::Wire, *direction) {
            Cell::Is(outcome) => worst = worst.max(*outcome),
            Cell::Fact(_) => depends = true,
        }
    }
    match worst {
        Outcome::Lossy | Outcome::Fails | Outcome::Wrong => Some(Severity::Error),
        Outcome::Safe | Outcome::Defaulted | Outcome::Unrecognized if depends => None,
        Outcome::Unrecognized => Some(Severity::Warning),
        Outcome::Safe | Outcome::Defaulted => Some(Severity::Note),
    }
}

fn usual_name(rule: &Rule) -> &'static str {
    usual_severity(rule).map_or(DEPENDS, Severity::name)
}

/// For the configuration example: something else than it is already.
fn other_severity(rule: &Rule) -> Severity {
    match usual_severity(rule) {
        Some(Severity::Warning) => Severity::Error,
        Some(Severity::Error | Severity::Note) | None => Severity::Warning,
    }
}

/// Whether the rule is about calls instead of data, by the idea it belongs to.
fn role(rule: &Rule) -> Role {
    text::role_of(&rule.family)
}

fn cell_words(cell: &Cell, role: Role) -> (String, String) {
    match cell {
        Cell::Is(outcome) => (outcome.to_string(), text::outcome_meaning(*outcome, role).to_owned()),
        Cell::Fact(key) => (DEPENDS.to_owned(), format!("on the change; the report says it (`{key}`)")),
    }
}

fn impact_table(rule: &Rule) -> String {
    let role = role(rule);
    let mut lines = vec!["| Surface | Backward | Forward |".to_owned(), "| --- | --- | --- |".to_owned()];
    for surface in Surface::ALL {
        let role = text::role_on(&(*surface).into(), role);
        let cell = |direction: Direction| {
            let (name, meaning) = cell_words(rule.impact.get(*surface, direction), role);
            format!("{}: **{name}**, {meaning}", text::who(&direction.into(), role))
        };
        let (backward, forward) = (cell(Direction::Backward), cell(Direction::Forward));
        lines.push(format!("| `{surface}`: {} | {backward} | {forward} |", text::surface(*surface)));
    }
    lines.join("\n")
}

fn impact_lines(rule: &Rule) -> String {
    let role = role(rule);
    let mut lines = Vec::new();
    for (surface, direction, cell) in rule.impact.iter() {
        let role = text::role_on(&surface.into(), role);
        let (name, meaning) = cell_words(cell, role);
        lines.push(format!(
            "  {:<6}  {:<34}  {name:<12}  {meaning}",
            surface.name(),
            text::who(&direction.into(), role)
        ));
    }
    lines.join("\n")
}

fn depends(rule: &Rule) -> Option<&'static str> {
    match rule.evidence {
        EvidenceNeed::Decides => Some(
            "Whether anybody breaks depends on the data: the finding stands only when a round trip shows it, with the bytes.",
        ),
        EvidenceNeed::Illustrates | EvidenceNeed::Measures | EvidenceNeed::None => None,
    }
}

fn judged(rule: &Rule) -> String {
    let class = match rule.format() {
        POLICY if !rule.when.kinds.contains(&ChangeKind::NumberReused) => {
            "The finding is about the gate itself, so no mode, surface or package has a say in it.".to_owned()
        }
        _ => format!("Class `{}`: {}.", rule.class, text::class_meaning(rule.class)),
    };
    let severity = match (rule.class, usual_severity(rule)) {
        (Class::Hygiene | Class::Compatibility, None) => {
            "In mode `full` on the wire the severity depends on the change.".to_owned()
        }
        (Class::Hygiene, Some(severity)) => {
            format!("This rule states `{severity}` ({}).", text::severity_meaning(severity))
        }
        (Class::Compatibility, Some(severity)) => {
            format!(
                "In mode `full` on the wire that makes it {} `{severity}` ({}).",
                article(severity),
                text::severity_meaning(severity)
            )
        }
    };
    let tolerated = rule.tolerates.map(|outcome| match rule.class {
        Class::Compatibility => format!(
            " The format allows what is `{outcome}` here: that only warns, and breaks with `--fail-on {outcome}` or where \
             the configuration sets the rule to `error`."
        ),
        Class::Hygiene => " No data are expected to hold it, so what readers would experience makes it no more severe; \
             the configuration can."
            .to_owned(),
    });
    format!("{class} {severity}{}", tolerated.unwrap_or_default())
}

fn article(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "an",
        Severity::Warning | Severity::Note => "a",
    }
}

fn examples(rule: &Rule) -> Vec<String> {
    if rule.examples.is_empty() {
        return vec![];
    }
    let mut blocks = vec!["## Examples".to_owned()];
    for example in rule.examples.iter() {
        blocks.push(format!("### {}", example_title(example)));
        for (path, diff) in diffs(example) {
            blocks.extend(path.map(|path| format!("`{path}`")));
            blocks.push(format!("```diff\n{}```", diff));
        }
    }
    blocks
}

fn example_title(example: &Example) -> String {
    let verdict = if example.fires { "Reported" } else { "Not reported" };
    let options: Vec<String> = example.options.iter().map(|option| format!("`{option}`")).collect();
    let with = if options.is_empty() { String::new() } else { format!(" with {}", options.join(" ")) };
    let verdict = format!("{verdict}{with}");
    match &example.note {
        Some(note) => format!("{verdict}: {}", one_line(note)),
        None => verdict,
    }
}

/// Each file of an example as a diff; the path only where there are several files.
fn diffs(example: &Example) -> Vec<(Option<String>, String)> {
    let paths: OrderedSet<&String> = example.old.keys().chain(example.new.keys()).collect();
    let several = paths.len() > 1;
    let text = |side: &OrderedMap<String, String>, path: &String| side.get(path).cloned().unwrap_or_default();
    paths
        .into_iter()
        .map(|path| {
            let diff = patch::diff(&text(&example.old, path), &text(&example.new, path));
            (several.then(|| path.clone()), text::visible_lines(&diff).into_owned())
        })
        .collect()
}

fn colored(line: &str, style: &TextStyle) -> String {
    use annotate_snippets::renderer::AnsiColor;
    match line.as_bytes().first() {
        Some(b'+') => style.paint(AnsiColor::Green.on_default(), line),
        Some(b'-') => style.paint(AnsiColor::Red.on_default(), line),
        _ => line.to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text::visible(&text.trim().replace('\n', " ")).into_owned()
}

/// The reason without the way to the element, which only a finding has.
fn why(rule: &Rule) -> String {
    rule.why.replace("{through}", "")
}
