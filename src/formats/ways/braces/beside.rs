//! The new element beside the old one, until nobody needs the old one any more.

use std::sync::Arc;

use super::place::{Found, Gone, Place};
use super::texts::{Put, behind, first, last, replace};
use crate::change::{ChangeKind, Span};
use crate::formats::ways::outline::{Item, Outline, Sort};
use crate::formats::ways::{FileEdit, Stage, Way};
use crate::ordered::{InOrder, OrderedSet};

/// Numbers that nothing in a body has or had.
pub(super) struct Numbers {
    used: OrderedSet<i64>,
    /// What is kept free, both ends included.
    ranges: Vec<(i64, i64)>,
    last: i64,
    first: i64,
}

impl Numbers {
    /// Those of a body on both sides, of which some are taken.
    pub(super) fn of<const N: usize>(
        place: &Place<'_, '_>,
        sides: [(&Outline<'_>, &Item); N],
        taken: usize,
    ) -> Numbers {
        let mut numbers =
            Numbers { used: OrderedSet::new(), ranges: Vec::new(), last: i64::MIN, first: place.language.first };
        for (outline, body) in sides {
            numbers.add(place, outline, body);
        }
        // What the wire format keeps to itself.
        numbers.ranges.push((19_000, 19_999));
        numbers.last = numbers.used.last().copied().unwrap_or(numbers.first - 1);
        for _ in 0..taken {
            numbers.next();
        }
        numbers
    }

    fn add(&mut self, place: &Place<'_, '_>, outline: &Outline<'_>, body: &Item) {
        for item in &body.items {
            self.used.extend(outline.number(item).filter(|_| item.sort != Sort::Other));
            if (place.language.is_inner)(outline, item) {
                self.add(place, outline, item);
            }
            if ["reserved", "extensions"].contains(&outline.at(item.keyword)) {
                self.reserve(outline, item);
            }
        }
    }

    fn reserve(&mut self, outline: &Outline<'_>, item: &Item) {
        let number = |word: &str| if word == "max" { Some(i64::MAX) } else { word.parse().ok() };
        let words: Vec<&str> = item.words.iter().map(|span| outline.at(*span)).collect();
        for (at, word) in words.iter().enumerate() {
            let Some(from) = number(word) else { continue };
            let to =
                if words.get(at + 1) == Some(&"to") { words.get(at + 2).and_then(|word| number(word)) } else { None };
            self.ranges.push((from, to.unwrap_or(from)));
        }
    }

    /// Says that some are taken.
    pub(super) fn take(&mut self, numbers: impl Iterator<Item = i64>) {
        self.used.extend(numbers);
        self.last = self.used.last().copied().unwrap_or(self.last);
    }

    /// The next one.
    pub(super) fn next(&mut self) -> Option<i64> {
        let mut number = self.last.max(self.first - 1).checked_add(1)?;
        while let Some((_, to)) = self.ranges.iter().find(|(from, to)| *from <= number && number <= *to) {
            number = match to.checked_add(1) {
                Some(next) => next,
                // Everything above is kept free, so one is looked for below.
                None => (self.first..number).find(|one| !self.has(*one))?,
            };
        }
        self.used.insert(number);
        self.last = number;
        Some(number)
    }

    fn has(&self, number: i64) -> bool {
        self.used.contains(&number) || self.ranges.iter().any(|(from, to)| *from <= number && number <= *to)
    }
}

/// An element that comes beside another one.
pub(super) struct Beside {
    pub(super) text: String,
    pub(super) name: String,
    pub(super) number: Option<i64>,
    /// Whose number, and which name, it takes.
    pub(super) takes: Vec<String>,
}

/// What identifies the body whose numbers are taken.
fn owner_key(place: &Place<'_, '_>, outline: &Outline<'_>, found: &Found<'_>) -> String {
    let file = place.texts.files.new.as_deref().unwrap_or("");
    let names: Vec<&str> = found.around.iter().map(|item| outline.name(item)).filter(|name| !name.is_empty()).collect();
    let inner = found.around.iter().rev().take_while(|item| (place.language.is_inner)(outline, item));
    let inner = inner.filter(|item| !outline.name(item).is_empty()).count();
    format!("{file}:{}", names[..names.len() - inner].join("."))
}

/// The wanted element under a name and a number that nothing had.
pub(super) fn beside(place: &Place<'_, '_>, was: &Found<'_>, now: &Found<'_>) -> Option<Beside> {
    let (old, new) = (place.outlines.old.as_ref()?, place.outlines.new.as_ref()?);
    let owners = (was.owner(place.language, old)?, now.owner(place.language, new)?);
    let mut names: OrderedSet<&str> = owners.0.all().into_iter().map(|item| old.name(item)).collect();
    let own = new.name(now.item);
    names.extend(owners.1.all().into_iter().map(|item| new.name(item)).filter(|name| *name != own));
    let key = owner_key(place, new, now);
    let named = format!("{}:{own}", place.texts.files.new.as_deref().unwrap_or(""));
    let times = place.broken.taken.get(&named).copied().unwrap_or(0);
    let again = (0..).map(|time| (place.language.again)(own, time));
    let free = std::iter::once(own.to_owned()).chain(again).filter(|name| !names.contains(name.as_str()));
    let name = free.take(times + 1).last()?;
    let taken = place.broken.taken.get(&key).copied().unwrap_or(0);
    let mut numbers = Numbers::of(place, [(old, owners.0)], 0);
    let wanted = new.number(now.item);
    let (number, takes) = match wanted {
        Some(wanted)
            if wanted >= place.language.first && numbers.has(wanted) || old.number(was.item) == Some(wanted) =>
        {
            numbers = Numbers::of(place, [(old, owners.0), (new, owners.1)], taken);
            (Some(numbers.next()?), vec![key, named])
        }
        other => (other, vec![named]),
    };
    let mut edits: Vec<(Span, String)> = vec![(now.item.name?, name.clone())];
    edits.extend(now.item.number.zip(number).map(|(span, number)| (span, number.to_string())));
    edits.sort_in_order();
    let text = softened(place, edited(new, now.item.span, &edits));
    Some(Beside { text, name, number, takes })
}

/// What is new demands nothing yet: no data has it.
pub(super) fn softened(place: &Place<'_, '_>, text: String) -> String {
    let found = place.language.demands.iter().find(|(demand, _)| text.contains(demand));
    found.map_or_else(|| text.clone(), |(demand, without)| text.replacen(demand, without, 1))
}

/// A part of a text with some of it replaced.
pub(super) fn edited(outline: &Outline<'_>, span: Span, edits: &[(Span, String)]) -> String {
    let (mut out, mut from) = (String::new(), span.start);
    for (at, insert) in edits.iter().filter(|(at, _)| span.start <= at.start && at.end <= span.end) {
        out.push_str(outline.at(Span::new(from, at.start)));
        out.push_str(insert);
        from = at.end;
    }
    out + outline.at(Span::new(from, span.end))
}

/// What a way does with the old element, in words.
fn left(gone: &Gone, name: &str) -> String {
    match gone {
        Gone::Guarded(statements) if statements.is_empty() => format!("remove `{name}`"),
        Gone::Guarded(_) => format!("remove `{name}`, and reserve what data know it by"),
        Gone::Stays(_) => format!("stop using `{name}`, whose place stays taken"),
    }
}

/// The wanted element beside the old one.
pub(super) fn ways(place: &Place<'_, '_>) -> Option<Way> {
    let (old, new) = (place.outlines.old.as_ref()?, place.outlines.new.as_ref()?);
    let (was, now) = (place.was()?, place.now()?);
    let is_element = |sort: Sort| matches!(sort, Sort::Field | Sort::Value | Sort::Method);
    // Beside one that demands nothing another one that does is no help.
    let is_demand = place.broken.change.kind == ChangeKind::FieldRequiredChanged;
    if was.item.sort != now.item.sort || !is_element(now.item.sort) || is_demand {
        return None;
    }
    let file = place.file()?;
    let beside = beside(place, &was, &now)?;
    let gone = (place.language.gone)(old, was.item);
    let (expand, contract) = both(place, (&was, &now), &beside, &gone)?;
    let (before, after) = (old.name(was.item), beside.name.as_str());
    let number = beside.number.map(|number| format!(" with the number {number}")).unwrap_or_default();
    let is_method = now.item.sort == Sort::Method;
    let stages = vec![
        Stage::expand(format!("add `{after}`{number} beside `{before}`, which stays as it is"), expand),
        Stage::contract(left(&gone, before), contract),
    ];
    let migrate = match is_method {
        true => format!(
            "servers answer both; clients call `{after}` instead of `{before}`; wait until nobody calls `{before}`"
        ),
        false => format!(
            "writers fill both `{before}` and `{after}`; then readers take `{after}` where it is there, else `{before}`; wait \
             until every reader does, and until no data is left that has `{before}` alone"
        ),
    };
    let about = format!("beside {file}:{}", now.item.span.start);
    let wanted = new.name(now.item);
    let differs = match (wanted == after, number.as_str()) {
        (true, "") => format!("`{wanted}` is added anew, at another place"),
        (true, _) => format!("`{wanted}` is there{number}"),
        (false, _) => format!("`{wanted}` is called `{after}`{number}"),
    };
    Some(Way { stages, migrate, differs: Some(differs), takes: beside.takes, about, ..Way::default() })
}

/// The edits with which both are there, and those with which the old one is gone.
fn both(
    place: &Place<'_, '_>,
    (was, now): (&Found<'_>, &Found<'_>),
    beside: &Beside,
    gone: &Gone,
) -> Option<(Vec<FileEdit>, Vec<FileEdit>)> {
    let (old, new) = (place.outlines.old.as_ref()?, place.outlines.new.as_ref()?);
    let file = place.file()?;
    let home: Vec<&str> = names(old, was).into_iter().filter(|name| !name.is_empty()).collect();
    // A body that is nowhere any more goes on under another name.
    if names(old, was) != names(new, now) && new.by_names(&home).is_some() {
        return elsewhere(place, was, now, beside, gone);
    }
    let (notation, at) = (&place.language.notation, (new, &file));
    // A body needs no separator, and what stands in its place may.
    let mark = was.item.separator.filter(|_| now.item.separator.is_none() && now.item.body.is_some());
    let was_text = format!("{}{}", old.at(was.item.span), mark.map(String::from).unwrap_or_default());
    let own = now.item.separator;
    let added = match beside.number {
        Some(_) => behind(at, notation, now.item, Put::plain(&beside.text, own)),
        // Where places are counted, what is new comes last.
        None => last(at, notation, now.parent()?, Put::plain(&beside.text, own))?,
    };
    let expand = vec![replace(&file, now.item.span, was_text), added.clone()];
    let contract = match gone {
        Gone::Guarded(statements) => {
            let guards = first(at, notation, now.owner(place.language, new)?, statements);
            [vec![replace(&file, now.item.span, beside.text.clone())], guards].concat()
        }
        Gone::Stays(text) => vec![replace(&file, now.item.span, text.clone()), added],
    };
    Some((expand, contract))
}

/// The names of the bodies around a statement.
pub(super) fn names<'o>(outline: &Outline<'o>, found: &Found<'_>) -> Vec<&'o str> {
    found.around.iter().map(|item| outline.name(item)).collect()
}

/// The same where the old element stood in another body: it goes back there.
fn elsewhere(
    place: &Place<'_, '_>,
    was: &Found<'_>,
    now: &Found<'_>,
    beside: &Beside,
    gone: &Gone,
) -> Option<(Vec<FileEdit>, Vec<FileEdit>)> {
    let (old, new) = (place.outlines.old.as_ref()?, place.outlines.new.as_ref()?);
    let file = place.file()?;
    let at = (new, &file);
    let named: Vec<&str> = names(old, was).into_iter().filter(|name| !name.is_empty()).collect();
    let home = new.by_names(&named)?;
    let (own, notation) = (was.item.separator.or(Some(';')), &place.language.notation);
    let (text, comments) = old.with_comments(notation, old.beside(was.parent()), was.item);
    let back = |text: &str| last(at, notation, home, Put { text, own, comments });
    let here = replace(&file, now.item.span, beside.text.clone());
    let expand = vec![here.clone(), back(text)?];
    let contract = match gone {
        Gone::Guarded(statements) => [vec![here], first(at, notation, home, statements)].concat(),
        Gone::Stays(kept) => {
            let above = text.strip_suffix(old.at(was.item.span)).unwrap_or("");
            vec![here, back(&format!("{above}{kept}"))?]
        }
    };
    Some((expand, contract))
}

/// What is new and demanded comes without the demand, which may follow once all data fulfil it.
pub(super) fn undemanding(place: &Place<'_, '_>) -> Vec<Way> {
    let kinds = [ChangeKind::FieldAdded, ChangeKind::FieldRequiredChanged];
    if !kinds.contains(&place.broken.change.kind) {
        return Vec::new();
    }
    let (Some(new), Some(now), Some(file)) = (place.outlines.new.as_ref(), place.now(), place.file()) else {
        return Vec::new();
    };
    let text = new.at(now.item.span);
    let softened = place.language.demands.iter().find(|(demand, _)| text.contains(demand));
    let Some((demand, without)) = softened else { return Vec::new() };
    let name = new.name(now.item);
    let edits = || vec![replace(&file, now.item.span, text.replacen(demand, without, 1))];
    let says = format!("add `{name}` without demanding it");
    let migrate = format!("all writers fill `{name}`; wait until no data is left without it");
    let stages = vec![Stage::expand(says.clone(), edits()), Stage::contract(format!("demand `{name}`"), Vec::new())];
    vec![
        Way::one_step(says, edits(), format!("`{name}` is not required; writers fill it nevertheless")),
        Way { stages, migrate, ..Way::default() },
    ]
}

/// What is gone comes back for a while.
pub(super) fn restored(place: &Place<'_, '_>) -> Option<Way> {
    let old = place.outlines.old.as_ref()?;
    let was = place.was()?;
    let file = place.texts.files.old.clone()?;
    let edit = match place.outlines.new.as_ref() {
        None => replace(&file, Span::new(0, 0), old.text),
        Some(new) => back(place, (new, &file), &was)?,
    };
    let name = old.name(was.item);
    let migrate = format!(
        "nobody uses `{name}` any more: clients stop calling it, writers stop writing it; wait until no data of it is left"
    );
    let stages = vec![
        Stage::expand(format!("keep `{name}` for now"), vec![edit]),
        Stage::contract(format!("remove `{name}`"), vec![]),
    ];
    Some(Way { stages, migrate, ..Way::default() })
}

fn back(place: &Place<'_, '_>, at: (&Outline<'_>, &Arc<str>), was: &Found<'_>) -> Option<FileEdit> {
    let (old, notation) = (place.outlines.old.as_ref()?, &place.language.notation);
    let (text, comments) = old.with_comments(notation, old.beside(was.parent()), was.item);
    if place.now().is_some() {
        return None;
    }
    let named: Vec<&str> = names(old, was).into_iter().filter(|name| !name.is_empty()).collect();
    match named.as_slice() {
        [] => {
            let end = at.0.text.len() as u32;
            let line = at.0.line_end();
            let mark = was.item.separator.map(String::from).unwrap_or_default();
            Some(replace(at.1, Span::new(end, end), format!("{line}{text}{mark}{comments}{line}")))
        }
        named => last(at, notation, at.0.by_names(named)?, Put { text, own: was.item.separator, comments }),
    }
}
