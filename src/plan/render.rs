//! A plan as text, as Markdown and as JSON.

use serde_json::{Value, json as value};

use super::{Answer, Holds, Plan, Refusal, Schema, Step};
use crate::change::Pair;
use crate::text::{harmless_json, plural, visible, visible_lines, wrap};

/// What the form of the JSON is called.
pub const SCHEMA: &str = "wireproof.plan/v1";

/// A plan for people, in a terminal.
pub fn text(answer: &Answer, labels: Pair<&str>, width: usize) -> String {
    let mut out = format!("{}\n", visible(&headline(answer, labels)));
    match answer {
        Answer::NotNeeded => {}
        Answer::CannotTell(wrong) => wrong.iter().for_each(|one| out.push_str(&paragraph("  ", one, width))),
        Answer::NoWay(refusals) => {
            for Refusal { rule, message, why } in refusals {
                out.push_str(&format!("\n{}", paragraph("", &format!("{rule}: {message}"), width)));
                out.push_str(&paragraph("  ", &format!("no way: {why}"), width));
            }
        }
        Answer::Plan(plan) => {
            out.push_str("\nwhat breaks when it is done at once\n");
            for one in &plan.breaks {
                out.push_str(&paragraph("  ", &format!("{}: {}", one.rule, one.message), width));
            }
            for (at, step) in plan.steps.iter().enumerate() {
                out.push_str(&step_as_text(plan, (at, step), width));
            }
            let ends: Vec<String> = end(plan);
            out.push('\n');
            ends.iter().for_each(|line| out.push_str(&paragraph("", line, width)));
        }
    }
    out
}

fn step_as_text(plan: &Plan, (at, step): (usize, &Step), width: usize) -> String {
    let mut out = format!("\nstep {} of {}: {}\n", at + 1, plan.steps.len(), step.kind.name());
    for line in lines(plan, step) {
        out.push_str(&paragraph("  ", &line, width));
    }
    if let Some(schema) = &step.schema {
        for (_, diff) in &schema.diffs {
            for line in visible_lines(diff).lines() {
                out.push_str(&format!("    {line}\n"));
            }
        }
    }
    out
}

/// Text within some columns, each line behind some white space.
fn paragraph(indent: &str, line: &str, width: usize) -> String {
    let lines = wrap(&visible(line), width.saturating_sub(indent.len()).max(40));
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// The first line.
fn headline(answer: &Answer, labels: Pair<&str>) -> String {
    let way = format!("from {} to {}", labels.old, labels.new);
    match answer {
        Answer::NotNeeded => format!("no plan is needed {way}: nothing breaks"),
        Answer::CannotTell(_) => format!("no plan can be made {way}: the two could not be compared"),
        Answer::NoWay(refusals) => {
            format!("no way {way} without a break was found; {} in the way", stand(refusals.len()))
        }
        Answer::Plan(plan) => {
            format!("a plan in {} {way}, each checked under mode {}", plural(plan.steps.len(), "step"), plan.mode)
        }
    }
}

fn stand(count: usize) -> String {
    if count == 1 { "1 break stands".to_owned() } else { format!("{count} breaks stand") }
}

/// What a step says, line by line.
fn lines(plan: &Plan, step: &Step) -> Vec<String> {
    let mut lines = step.says.clone();
    lines.extend(step.deploy.iter().map(|order| format!("deploy: {order}")));
    lines.extend(step.waits.iter().map(|wait| format!("wait: {wait}")));
    if let Some(schema) = &step.schema {
        lines.push(checked(plan, schema));
        lines.extend(
            schema
                .policy
                .iter()
                .map(|(rule, message)| format!("policy: the gate reports {rule}, which no reader feels: {message}")),
        );
    }
    lines
}

fn checked(plan: &Plan, schema: &Schema) -> String {
    let messages = plural(schema.messages, "message");
    match schema.holds {
        Holds::UnderMode => format!("checked: passes under {}; {messages} written and read", plan.mode),
        Holds::InOrder(order) => {
            format!("checked: breaks nobody as long as the order is {}; {messages} written and read", order.name())
        }
    }
}

/// How it ends.
fn end(plan: &Plan) -> Vec<String> {
    let mut lines = match plan.differs.as_slice() {
        [] => vec!["what you end with is what you wanted".to_owned()],
        differs => {
            let differs = differs.iter().map(|one| format!("* {one}"));
            std::iter::once("what you end with differs from what you wanted:".to_owned()).chain(differs).collect()
        }
    };
    lines.extend(plan.instead.iter().map(|instead| format!("instead: {instead}")));
    lines
}

/// A plan as a checklist.
pub fn markdown(answer: &Answer, labels: Pair<&str>) -> String {
    let mut out = format!("## {}\n", plain(&headline(answer, labels)));
    match answer {
        Answer::NotNeeded => {}
        Answer::CannotTell(wrong) => {
            out.push('\n');
            wrong.iter().for_each(|one| out.push_str(&format!("* {}\n", plain(one))));
        }
        Answer::NoWay(refusals) => {
            out.push('\n');
            for Refusal { rule, message, why } in refusals {
                out.push_str(&format!("* `{rule}`: {}\n  No way: {}\n", plain(message), plain(why)));
            }
        }
        Answer::Plan(plan) => {
            out.push_str("\nWhat breaks when it is done at once:\n\n");
            for one in &plan.breaks {
                out.push_str(&format!("* `{}`: {}\n", one.rule, plain(&one.message)));
            }
            out.push('\n');
            for (at, step) in plan.steps.iter().enumerate() {
                out.push_str(&step_as_item(plan, (at, step)));
            }
            out.push('\n');
            for line in end(plan) {
                out.push_str(&format!("{}\n", plain(&line)));
            }
        }
    }
    out
}

fn step_as_item(plan: &Plan, (at, step): (usize, &Step)) -> String {
    let mut out = format!("- [ ] **Step {}: {}**\n", at + 1, step.kind.name());
    for line in lines(plan, step) {
        out.push_str(&format!("  - {}\n", plain(&line)));
    }
    if let Some(schema) = &step.schema {
        for (_, diff) in &schema.diffs {
            let longest = diff.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
            let fence = "`".repeat(longest.max(2) + 1);
            out.push_str(&format!("\n  {fence}diff\n"));
            for line in visible_lines(diff).lines() {
                out.push_str(&format!("  {line}\n"));
            }
            out.push_str(&format!("  {fence}\n"));
        }
        out.push('\n');
    }
    out
}

/// Words of files in Markdown: nothing of them is taken for a tag, a mention or a link.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut is_code = false;
    for letter in visible(text).chars() {
        match letter {
            '`' => {
                is_code = !is_code;
                out.push(letter);
            }
            '<' | '>' | '[' | ']' | '|' | '_' | '\\' | '@' | '#' if !is_code => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

/// A plan for programs.
pub fn json(answer: &Answer, labels: Pair<&str>) -> String {
    let mut all = value!({
        "schema": SCHEMA,
        "tool": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "old": labels.old,
        "wanted": labels.new,
        "answer": word(answer),
    });
    let more = match answer {
        Answer::NotNeeded => value!({}),
        Answer::CannotTell(wrong) => value!({ "problems": wrong }),
        Answer::NoWay(refusals) => {
            let one = |one: &Refusal| value!({ "rule": one.rule, "message": one.message, "why": one.why });
            value!({ "refusals": refusals.iter().map(one).collect::<Vec<_>>() })
        }
        Answer::Plan(plan) => plan_as_json(plan),
    };
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    let text = serde_json::to_string_pretty(&all).expect("a value is JSON");
    harmless_json(text) + "\n"
}

fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::NotNeeded => "not-needed",
        Answer::Plan(_) => "plan",
        Answer::NoWay(_) => "no-way",
        Answer::CannotTell(_) => "cannot-tell",
    }
}

fn plan_as_json(plan: &Plan) -> Value {
    let step = |(at, step): (usize, &Step)| {
        value!({
            "number": at + 1,
            "kind": step.kind.name(),
            "says": step.says,
            "deploy": step.deploy,
            "wait": step.waits,
            "checked": step.schema.as_ref().map(checked_as_json),
            "files": step.schema.as_ref().map(files_as_json),
        })
    };
    let broken = |one: &super::Break| value!({ "id": one.id, "rule": one.rule, "message": one.message });
    value!({
        "mode": plan.mode,
        "passes_the_gate": plan.passes_the_gate(),
        "breaks": plan.breaks.iter().map(broken).collect::<Vec<_>>(),
        "steps": plan.steps.iter().enumerate().map(step).collect::<Vec<_>>(),
        "differs": plan.differs,
        "instead": plan.instead,
    })
}

fn checked_as_json(schema: &Schema) -> Value {
    let holds = match schema.holds {
        Holds::UnderMode => "under-mode",
        Holds::InOrder(order) => order.name(),
    };
    let policy = |(rule, message): &(String, String)| value!({ "rule": rule, "message": message });
    value!({
        "holds": holds,
        "messages": schema.messages,
        "policy": schema.policy.iter().map(policy).collect::<Vec<_>>(),
    })
}

/// The files that the step changes, whole; those that it removes have no text.
fn files_as_json(schema: &Schema) -> Value {
    let text = |path: &str| schema.files.get(path).map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
    let file = |(path, diff): &(String, String)| value!({ "path": path, "text": text(path), "diff": diff });
    Value::Array(schema.diffs.iter().map(file).collect())
}
