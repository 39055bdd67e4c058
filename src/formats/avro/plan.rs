//! Ways round a break of Avro: defaults that stand in for data that are not there yet, and fields beside fields.

mod defaults;
mod fields;
mod idl;

use std::sync::Arc;

use self::fields::{Field, FieldPlace};
use crate::change::ChangeKind;
use crate::formats::ways::json::{At, Text, members, values, whole};
use crate::formats::ways::{Broken, Stage, Way};
use crate::syntax::json::Json;

/// The ways round a break.
pub(super) fn round(broken: &Broken<'_>) -> Vec<Way> {
    let at = &broken.change.at;
    let old = at.old.as_ref().and_then(|site| Text::read(broken.sides.old, site));
    let new = at.new.as_ref().and_then(|site| Text::read(broken.sides.new, site));
    let mut ways = Vec::new();
    if let Some(new) = &new {
        ways.extend(filled(broken, new));
    }
    ways.extend(idl::filled(broken));
    if let (Some(old), Some(new)) = (&old, &new) {
        ways.extend(symbols(broken, old, new));
        ways.extend(fields::beside(broken, old, new));
        ways.extend(message_beside(broken, old, new));
    }
    if let Some(old) = &old {
        let file: Arc<str> = new.as_ref().map_or_else(|| old.file.clone(), |new| new.file.clone());
        if let Some(new) = Text::of(broken.sides.new, &file) {
            ways.extend(fields::emptied(broken, old, &new));
            ways.extend(message_kept(broken, old, &new));
        }
    }
    ways
}

/// A new field with a default until no data is left without it.
fn filled(broken: &Broken<'_>, new: &Text<'_>) -> Vec<Way> {
    let site = broken.change.at.new.as_ref();
    let found = site.and_then(|site| FieldPlace::around(new, site.span));
    let Some(field) = found.filter(|_| broken.change.kind == ChangeKind::FieldAdded) else { return Vec::new() };
    let Some(zero) = field.zero(new) else { return Vec::new() };
    if field.value.get("default").is_some() {
        return Vec::new();
    }
    let edits = || vec![new.replace(field.value.span, field.with_default(new, &zero))];
    defaults::with_default(field.name(), &zero, edits)
}

/// The enum around a place, or that of a name.
fn enumeration<'j, 't>(text: &'j Text<'t>, span: crate::change::Span) -> Option<&'j Json<'t>> {
    let around = text.around(span);
    around.iter().rev().map(|at: &At<'j, 't>| at.value).find(|value| value.get("symbols").is_some())
}

/// A symbol goes once the enum has a default, which readers take for symbols that they do not know.
fn symbols(broken: &Broken<'_>, old: &Text<'_>, new: &Text<'_>) -> Option<Way> {
    let at = &broken.change.at;
    let (was, now) = (enumeration(old, at.old.as_ref()?.span)?, enumeration(new, at.new.as_ref()?.span)?);
    if now.get("default").is_some() {
        return None;
    }
    let list = |json: &Json<'_>| -> Vec<String> {
        let symbols = json.get("symbols").map(values).unwrap_or_default();
        symbols.iter().filter_map(|symbol| symbol.as_text().map(str::to_owned)).collect()
    };
    let (before, after) = (list(was), list(now));
    let stays = after.iter().find(|symbol| before.contains(symbol))?;
    let gone: Vec<String> =
        before.iter().filter(|symbol| !after.contains(symbol)).map(|symbol| format!("`{symbol}`")).collect();
    let name = now.get("name").and_then(Json::as_text).unwrap_or("the enum");
    let with = |text: &Text<'_>, json: &Json<'_>| {
        let body = text.at(json.span).trim_end_matches('}').trim_end();
        format!("{body}, \"default\": \"{stays}\"}}")
    };
    let gone = gone.join(", ");
    let stages = vec![
        Stage::expand(
            format!("give `{name}` the default `{stays}`, with all symbols that it has"),
            vec![new.replace(now.span, with(old, was))],
        ),
        Stage::contract(
            format!("remove {gone}; readers see `{stays}` instead"),
            vec![new.replace(now.span, with(new, now))],
        ),
        Stage::contract(format!("take the default of `{name}` away"), Vec::new()),
    ];
    let migrate = format!("all readers take this schema; writers write {gone} no more, and data that have it run out");
    Some(Way { stages, migrate, ..Way::default() })
}

/// The message of a protocol at a place.
fn message<'j, 't>(text: &'j Text<'t>, span: crate::change::Span) -> Option<&'j crate::syntax::json::Member<'t>> {
    let all = text.json.get("messages").map(members).unwrap_or_default();
    all.iter().find(|one| whole(one).start <= span.start && span.end <= whole(one).end)
}

/// Another message beside the old one.
fn message_beside(broken: &Broken<'_>, old: &Text<'_>, new: &Text<'_>) -> Option<Way> {
    let at = &broken.change.at;
    let (was, now) = (message(old, at.old.as_ref()?.span)?, message(new, at.new.as_ref()?.span)?);
    let name = format!("{}_v2", now.key);
    let added = format!("\"{name}\": {}", new.at(now.value.span));
    let both = format!("{},{}{added}", old.at(whole(was)), new.gap(whole(now)));
    let stages = vec![
        Stage::expand(format!("add the message `{name}` beside `{}`", was.key), vec![new.replace(whole(now), both)]),
        Stage::contract(format!("remove `{}`", was.key), vec![new.replace(whole(now), added)]),
    ];
    let migrate =
        format!("servers answer both; clients send `{name}` instead of `{0}`; wait until nobody sends `{0}`", was.key);
    Some(Way { stages, migrate, differs: Some(format!("`{}` is called `{name}`", now.key)), ..Way::default() })
}

/// A message that goes stays until nobody sends it.
fn message_kept(broken: &Broken<'_>, old: &Text<'_>, new: &Text<'_>) -> Option<Way> {
    let was = message(old, broken.change.at.old.as_ref().filter(|_| broken.change.at.new.is_none())?.span)?;
    let kept = old.at(whole(was));
    let last = new.json.get("messages").map(members).unwrap_or_default().last()?;
    let end = crate::change::Span::new(whole(last).end, whole(last).end);
    let edit = new.replace(end, format!(",{}{kept}", new.gap(whole(last))));
    let stages = vec![
        Stage::expand(format!("keep the message `{}` for now", was.key), vec![edit]),
        Stage::contract(format!("remove `{}`", was.key), Vec::new()),
    ];
    let migrate = format!("clients stop sending `{0}`; wait until nobody sends it", was.key);
    Some(Way { stages, migrate, ..Way::default() })
}

impl Field<'_, '_> {
    fn name(&self) -> &str {
        self.value.get("name").and_then(Json::as_text).unwrap_or("")
    }
}
