//! Fields of records and parameters of messages.

use super::defaults;
use crate::change::Span;
use crate::formats::ways::json::{At, Text, values};
use crate::formats::ways::{Broken, Stage, Way};
use crate::syntax::json::Json;

/// A field as it is written.
#[derive(Clone, Copy)]
pub(super) struct Field<'j, 't> {
    pub(super) value: &'j Json<'t>,
}

/// Where a field is looked for.
pub(super) struct FieldPlace;

impl FieldPlace {
    /// The innermost field around a place.
    pub(super) fn around<'j, 't>(text: &'j Text<'t>, span: Span) -> Option<Field<'j, 't>> {
        let around = text.around(span);
        let is_field = |at: &&At<'j, 't>| {
            matches!(at.key, Some("fields" | "request"))
                && at.value.get("name").is_some()
                && at.value.get("type").is_some()
        };
        around.iter().rev().find(is_field).map(|at| Field { value: at.value })
    }
}

impl Field<'_, '_> {
    /// The plainest value of its type.
    pub(super) fn zero(&self, text: &Text<'_>) -> Option<String> {
        defaults::zero(text, self.value.get("type")?)
    }

    /// Its text with a default.
    pub(super) fn with_default(&self, text: &Text<'_>, zero: &str) -> String {
        let all = text.at(self.value.span);
        if self.value.get("default").is_some() {
            return all.to_owned();
        }
        let body = all.strip_suffix('}').unwrap_or(all).trim_end();
        format!("{body}, \"default\": {zero}}}")
    }

    /// Its text under another name and with a default.
    fn renamed(&self, text: &Text<'_>, name: &str) -> Option<String> {
        let (all, own) = (self.value.span, self.value.get("name")?.span);
        let whole = match self.value.get("default") {
            Some(_) => text.at(all).to_owned(),
            None => self.with_default(text, &self.zero(text)?),
        };
        let at = (own.start - all.start) as usize..(own.end - all.start) as usize;
        Some(format!("{}\"{name}\"{}", whole.get(..at.start)?, whole.get(at.end..)?))
    }
}

/// The wanted field beside the old one, and both with defaults where old readers need them.
pub(super) fn beside(broken: &Broken<'_>, old: &Text<'_>, new: &Text<'_>) -> Vec<Way> {
    let at = &broken.change.at;
    let (Some(was), Some(now)) = (&at.old, &at.new) else { return Vec::new() };
    let (Some(was), Some(now)) = (FieldPlace::around(old, was.span), FieldPlace::around(new, now.span)) else {
        return Vec::new();
    };
    let (before, wanted) = (was.name().to_owned(), now.name().to_owned());
    let after = if before == wanted { format!("{wanted}_v2") } else { wanted.clone() };
    let Some(added) = now.renamed(new, &after) else { return Vec::new() };
    let plain = old.at(was.value.span).to_owned();
    let with_default = was.zero(old).map(|zero| was.with_default(old, &zero)).filter(|text| *text != plain);
    let way = |kept: String| {
        let both = format!("{kept},{}{added}", new.gap(now.value.span));
        let stages = vec![
            Stage::expand(
                format!("add `{after}` with a default beside `{before}`, which stays"),
                vec![new.replace(now.value.span, both)],
            ),
            Stage::contract(format!("remove `{before}`"), vec![new.replace(now.value.span, added.clone())]),
        ];
        let migrate = format!(
            "writers fill both `{before}` and `{after}`; readers take `{after}` once no data is left that has `{before}` alone"
        );
        let differs = match after == wanted {
            true => format!("`{after}` has a default"),
            false => format!("`{wanted}` is called `{after}`, and has a default"),
        };
        Way { stages, migrate, differs: Some(differs), ..Way::default() }
    };
    [Some(plain), with_default].into_iter().flatten().map(way).collect()
}

/// A field that goes has a default first, so that old readers can do without it.
pub(super) fn emptied(broken: &Broken<'_>, old: &Text<'_>, new: &Text<'_>) -> Option<Way> {
    let site = broken.change.at.old.as_ref().filter(|_| broken.change.at.new.is_none())?;
    let around = old.around(site.span);
    let field = FieldPlace::around(old, site.span)?;
    let record = around.iter().rev().map(|at| at.value).find(|json| json.get("fields").is_some())?;
    let zero = field.zero(old)?;
    let kept = field.with_default(old, &zero);
    let same = |json: &Json<'_>| json.get("fields").is_some() && name(json) == name(record);
    let home = new.objects().into_iter().map(|at| at.value).find(|json| same(json))?;
    let list = home.get("fields")?;
    let edit = match values(list).last() {
        Some(last) => new.replace(Span::new(last.span.end, last.span.end), format!(",{}{kept}", new.gap(last.span))),
        None => new.replace(list.span, format!("[{kept}]")),
    };
    let name = field.name();
    let stages = vec![
        Stage::expand(format!("give `{name}` the default `{zero}`"), vec![edit]),
        Stage::contract(format!("remove `{name}`"), Vec::new()),
    ];
    let migrate = format!("all readers take the schema in which `{name}` has a default; then writers may leave it out");
    Some(Way { stages, migrate, ..Way::default() })
}

fn name<'j>(json: &'j Json<'_>) -> Option<&'j str> {
    json.get("name").and_then(Json::as_text)
}
