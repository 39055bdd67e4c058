//! Makes the remarks: reads the diff and what was remarked before, and writes one review.

use serde_json::{Value, json};

use super::client::{Answer, Client, Listed, Repeat, unexpected};
use super::marker;
use super::plan::Author;
use super::review::{Remark, Remarks, patches, remarks};
use super::sticky::{Me, Pull, Writing};
use crate::failure::Failure;
use crate::ordered::OrderedSet;
use crate::report::Report;
use crate::text;

/// Makes the remarks that are new; what came of it, in words.
///
/// # Errors
/// When GitHub gives no usable answer.
pub fn review(
    client: &Client,
    repository: &str,
    pull: &Pull,
    me: &Me,
    (report, key): (&Report, &str),
    writing: Writing,
) -> Result<String, Failure> {
    let base = format!("/repos/{repository}/pulls/{}", pull.number);
    let (files, listed) =
        (client.list(&format!("{base}/files?per_page=100"))?, client.list(&format!("{base}/comments?per_page=100"))?);
    let (files, listed) = match (files, listed) {
        (Listed::All(files, _), Listed::All(listed, _)) => (files, listed),
        (Listed::Refused(answer), _) | (_, Listed::Refused(answer)) => {
            return Ok(format!("no remarks on lines: the diff cannot be read ({})", answer.words()));
        }
    };
    let todo = remarks(report, &patches(&files), key, &known(&listed, me, key));
    if todo.now.is_empty() {
        return Ok("no new remarks on lines of the diff".to_owned());
    }
    if writing == Writing::Rehearsal {
        return Ok(rehearsed(&todo));
    }
    let (made, refused) = write(client, &base, pull, &todo.now)?;
    Ok(told(made, refused, todo.more))
}

/// The findings that were remarked on before, by this token's kind.
fn known(listed: &[Value], me: &Me, key: &str) -> OrderedSet<String> {
    let ours = listed.iter().filter(|remark| me.wrote(&remark["user"]) == Author::Ours);
    ours.filter_map(|remark| marker::read_remark(remark["body"].as_str()?, key)).map(str::to_owned).collect()
}

/// All remarks as one review; where GitHub refuses one of them, each by itself.
fn write(client: &Client, base: &str, pull: &Pull, todo: &[Remark]) -> Result<(usize, Option<Answer>), Failure> {
    let comments: Vec<Value> = todo.iter().map(shape).collect();
    let mut review = json!({
        "event": "COMMENT",
        "body": format!("wireproof: {} on changed lines; the whole report is in its comment.", text::plural(todo.len(), "remark")),
        "comments": comments,
    });
    if let Some(sha) = &pull.sha {
        review["commit_id"] = json!(sha);
    }
    let path = format!("{base}/reviews");
    let answer = client.change("POST", &path, Some(&review), Repeat::Forbidden)?;
    match answer.status {
        _ if answer.is_success() => return Ok((todo.len(), None)),
        422 => {}
        _ if answer.is_refusal() => return Ok((0, Some(answer))),
        _ => return Err(unexpected("POST", &path, &answer)),
    }
    let (path, mut made, mut refused) = (format!("{base}/comments"), 0, None);
    for comment in comments {
        let mut comment = comment;
        comment["commit_id"] = review["commit_id"].clone();
        let answer = client.change("POST", &path, Some(&comment), Repeat::Forbidden)?;
        if answer.is_success() {
            made += 1;
        } else {
            refused = Some(answer);
        }
    }
    Ok((made, refused))
}

/// A remark in GitHub's form.
fn shape(remark: &Remark) -> Value {
    let mut shape = json!({"path": remark.path, "line": remark.line, "side": remark.side.name(), "body": remark.body});
    if let Some(first) = remark.start_line {
        shape["start_line"] = json!(first);
        shape["start_side"] = json!(remark.side.name());
    }
    shape
}

fn rehearsed(todo: &Remarks) -> String {
    let place = |remark: &Remark| {
        let first = remark.start_line.map(|first| format!("{first}-")).unwrap_or_default();
        format!("  {}:{first}{} {}", remark.path, remark.line, remark.side.name())
    };
    let places: Vec<String> = todo.now.iter().map(place).collect();
    let more = if todo.more > 0 { format!(", and {} more would fit", text::number(todo.more)) } else { String::new() };
    format!("would make {} on lines{more}:\n{}", text::plural(todo.now.len(), "remark"), places.join("\n"))
}

fn told(made: usize, refused: Option<Answer>, more: usize) -> String {
    let mut words = format!("made {} on lines", text::plural(made, "remark"));
    if more > 0 {
        words.push_str(&format!("; {} more are in the comment alone", text::number(more)));
    }
    if let Some(answer) = refused {
        words.push_str(&format!("; GitHub took not all of them: {}", answer.words()));
    }
    words
}
