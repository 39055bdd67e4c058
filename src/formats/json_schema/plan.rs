//! A way round a break of a JSON Schema: what takes the old instances and the new ones, until there are no old ones.

use crate::formats::ways::json::Text;
use crate::formats::ways::{Broken, Stage, Way};
use crate::syntax::json::JsonKind;

/// The ways round a break. Documents in YAML have none.
pub(super) fn round(broken: &Broken<'_>) -> Vec<Way> {
    either(broken).into_iter().collect()
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
