//! A way round a break of a JSON Schema: what takes the old instances and the new ones, until there are no old ones.

use crate::change::Edit;
use crate::formats::ways::json::Text;
use crate::formats::ways::{Broken, FileEdit, Stage, Way};
use crate::syntax::json::JsonKind;

/// The ways round a break. Documents in YAML have none.
pub(super) fn round(broken: &Broken<'_>) -> Vec<Way> {
    either(broken).into_iter().chain(later(broken)).collect()
}

/// The change by itself, after all others. The places are those of the texts, in JSON and in YAML.
fn later(broken: &Broken<'_>) -> Option<Way> {
    let (was, now) = (broken.change.at.old.as_ref()?, broken.change.at.new.as_ref()?);
    let text = std::str::from_utf8(&broken.sides.old.get(&was.file)?.bytes).ok()?;
    let insert = text.get(was.span.range())?.to_owned();
    let edit = FileEdit { file: now.file.clone(), edit: Edit { span: now.span, insert } };
    let path = &broken.change.path;
    let stages = vec![
        Stage::expand(format!("leave `{path}` as it is for now"), vec![edit]),
        Stage::contract(format!("change `{path}` as wanted"), Vec::new()),
    ];
    let migrate = format!("writers write only what `{path}` is to allow; wait until no other data are left");
    Some(Way { stages, migrate, ..Way::default() })
}

/// The schema around the change as one of two: what it was, or what it is to be.
fn either(broken: &Broken<'_>) -> Option<Way> {
    let (was, now) = (broken.change.at.old.as_ref()?, broken.change.at.new.as_ref()?);
    let (old, new) = (Text::read(broken.sides.old, was)?, Text::read(broken.sides.new, now)?);
    let schema = |text: &Text<'_>, span| {
        let around = text.around(span);
        around.iter().rev().find(|at| matches!(at.value.kind, JsonKind::Object(_))).map(|at| at.value.span)
    };
    let (was, now) = (schema(&old, was.span)?, schema(&new, now.span)?);
    let both = format!("{{\"anyOf\": [{}, {}]}}", old.at(was), new.at(now));
    let path = &broken.change.path;
    let stages = vec![
        Stage::expand(
            format!("let `{path}` be what it was or what it is to be (`anyOf`)"),
            vec![new.replace(now, both)],
        ),
        Stage::contract(format!("leave what `{path}` was out of the `anyOf`"), Vec::new()),
    ];
    let migrate =
        format!("once every reader takes both, writers write what `{path}` is to be; wait until no old data are left");
    Some(Way { stages, migrate, ..Way::default() })
}
