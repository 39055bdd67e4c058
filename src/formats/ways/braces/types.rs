//! A changed type beside the old one, and each field of it beside the field that it replaces.

use std::sync::Arc;

use super::beside::{Numbers, edited, softened};
use super::place::{Gone, Place};
use super::texts::{Put, behind, first, last, replace, text_of};
use crate::change::Span;
use crate::formats::ways::outline::{Item, Outline, Sort};
use crate::formats::ways::{FileEdit, Stage, Way};
use crate::ordered::{InOrder, OrderedMap};

/// A type that is there twice for a while.
struct Twice<'o> {
    file: Arc<str>,
    at: usize,
    item: &'o Item,
    name: String,
    again: String,
    /// What it was.
    old: String,
}

/// A field of such a type, and the body that it stands in.
struct User<'o> {
    at: usize,
    item: &'o Item,
    body: &'o Item,
}

/// What is known while edits are made.
struct Made {
    expand: Vec<FileEdit>,
    contract: Vec<FileEdit>,
    takes: Vec<String>,
    taken: OrderedMap<String, usize>,
}

/// The wanted type under another name.
pub(super) fn ways(place: &Place<'_, '_>) -> Option<Way> {
    let outlines = outlines(place, &place.file()?);
    let mut types = changed(place, &outlines);
    if types.is_empty() {
        types.extend(twice(place, &outlines, (place.file()?, target(place)?)));
    }
    types.first()?;
    while let Some(next) = holder(place, &outlines, &types) {
        types.push(next);
    }
    let users = users(place, &outlines, &types);
    let mut made = Made { expand: vec![], contract: vec![], takes: vec![], taken: place.broken.taken.clone() };
    let is_named = is_named_elsewhere(&outlines, &types, &users);
    for one in &types {
        declared_twice(place, &outlines, (one, &types), (!users.is_empty(), is_named), &mut made);
    }
    for user in &users {
        field_beside(place, &outlines, (user, &types), &mut made)?;
    }
    let (name, again) = (&types[0].name, &types[0].again);
    let differs = format!("`{name}` as it is wanted is called `{again}`");
    let about = format!("type {}:{name}", types[0].file);
    if users.is_empty() {
        let says = format!(
            "add `{again}`, which is what is wanted, beside `{name}`, which stays as it is; new data start from `{again}`"
        );
        let differs = format!("{differs}, and `{name}` stays for the data that start from it");
        return Some(Way {
            is_last_resort: true,
            about,
            takes: made.takes,
            ..Way::one_step(says, made.expand, differs)
        });
    }
    let fields: Vec<String> = users.iter().map(|user| format!("`{}`", outlines[user.at].1.name(user.item))).collect();
    let fields = fields.join(", ");
    let stages = vec![
        Stage::expand(format!("add `{again}` beside `{name}`, and a field of it beside each of {fields}"), made.expand),
        Stage::contract(format!("stop using {fields}"), made.contract),
    ];
    let migrate = format!(
        "writers fill the new fields beside {fields}; readers take them where they are there; wait until every reader does, and \
         until no data is left without them"
    );
    let differs = Some(format!("{differs}, and the fields of it have other names"));
    Some(Way { stages, migrate, differs, takes: made.takes, about, is_last_resort: false })
}

/// A declaration that is to be there twice.
fn twice<'o>(
    place: &Place<'_, '_>,
    outlines: &'o [(Arc<str>, Outline<'_>)],
    (file, names): (Arc<str>, Vec<&str>),
) -> Option<Twice<'o>> {
    let at = outlines.iter().position(|(path, _)| *path == file)?;
    let item = declaration(&outlines[at].1, &names)?;
    let name = names.last().map(|name| (*name).to_owned())?;
    let old = old_text(place, &file, &names)?;
    Some(Twice { file, at, item, again: (place.language.again)(&name, 0), name, old })
}

/// A type, or another name for one.
fn declaration<'o>(outline: &'o Outline<'_>, names: &[&str]) -> Option<&'o Item> {
    let alias = || outline.items.iter().find(|item| item.sort == Sort::Alias && [outline.name(item)] == names[..]);
    outline.by_names(names).or_else(alias)
}

/// What a declaration was.
fn old_text(place: &Place<'_, '_>, file: &str, names: &[&str]) -> Option<String> {
    let outline = Outline::of(text_of(place.broken.sides.old, file)?, &place.language.notation);
    let item = declaration(&outline, names)?;
    Some(outline.at(item.span).to_owned())
}

/// Where the statement of the break says what it said: the declarations that it leads to and that say something else.
fn changed<'o>(place: &Place<'_, '_>, outlines: &'o [(Arc<str>, Outline<'_>)]) -> Vec<Twice<'o>> {
    let (Some(was), Some(now)) = (place.was(), place.now()) else { return Vec::new() };
    let (Some(old), Some(new)) = (&place.outlines.old, &place.outlines.new) else { return Vec::new() };
    if old.at(was.item.span) != new.at(now.item.span) {
        return Vec::new();
    }
    let words = |outline: &Outline<'o>, item: &Item| -> Vec<String> {
        let spans = item.all().into_iter().flat_map(|one| one.words.clone());
        spans.map(|span| outline.at(span).rsplit('.').next().unwrap_or("").to_owned()).collect()
    };
    let spans = now.item.all().into_iter().flat_map(|one| one.words.clone());
    let mut open: Vec<String> = spans.map(|span| new.at(span).rsplit('.').next().unwrap_or("").to_owned()).collect();
    let mut seen: Vec<String> = Vec::new();
    let mut found: Vec<Twice<'o>> = Vec::new();
    while let Some(word) = open.pop() {
        if word.is_empty() || seen.contains(&word) {
            continue;
        }
        for (file, outline) in outlines {
            let Some(item) = declaration(outline, &[&word]) else { continue };
            let Some(one) = twice(place, outlines, (file.clone(), vec![&word])) else { continue };
            match one.old == outline.at(item.span) {
                true => open.extend(words(outline, item)),
                false => found.push(one),
            }
        }
        seen.push(word);
    }
    found
}

/// The names that lead to the type in which the break is.
fn target<'p>(place: &Place<'p, '_>) -> Option<Vec<&'p str>> {
    let (outline, found) = match (place.outlines.new.as_ref(), place.now()) {
        (Some(outline), Some(found)) => (outline, found),
        _ => (place.outlines.old.as_ref()?, place.was()?),
    };
    let mut around = found.around;
    around.push(found.item);
    let is_type = |item: &Item| {
        item.body.is_some()
            && matches!(item.sort, Sort::Fields | Sort::Values)
            && !(place.language.is_inner)(outline, item)
            && outline.at(item.keyword) != "extend"
    };
    while !is_type(around.last()?) {
        around.pop();
    }
    Some(around.iter().map(|item| outline.name(item)).collect())
}

/// The outlines of all files of the language that are wanted.
fn outlines<'t>(place: &Place<'_, 't>, file: &str) -> Vec<(Arc<str>, Outline<'t>)> {
    let end = file.rsplit('.').next().unwrap_or("");
    let side: &'t crate::snapshot::Snapshot = place.texts.new_side;
    let is_of_language = |path: &str| path.rsplit('.').next() == Some(end) && side.judges(path);
    let paths = side.iter().map(|(path, _)| path).filter(|path| is_of_language(path));
    paths.filter_map(|path| Some((path.clone(), Outline::of(text_of(side, path)?, &place.language.notation)))).collect()
}

/// The places in a statement, without its body, that name one of the types, each with the other name.
fn mentions(outline: &Outline<'_>, item: &Item, types: &[Twice<'_>]) -> Vec<(Span, String)> {
    let mention = |span: &Span| {
        let word = outline.at(*span);
        let last = word.rsplit('.').next().unwrap_or(word);
        let one = types.iter().find(|one| one.name == last)?;
        let front = word.strip_suffix(last)?;
        (item.name != Some(*span)).then(|| (*span, format!("{front}{}", one.again)))
    };
    item.words.iter().filter_map(mention).collect()
}

/// Another type of fixed layout that holds one of these, so that it changes with it.
fn holder<'o>(
    place: &Place<'_, '_>,
    outlines: &'o [(Arc<str>, Outline<'_>)],
    types: &[Twice<'o>],
) -> Option<Twice<'o>> {
    outlines.iter().enumerate().find_map(|(at, (file, outline))| {
        let all = outline.items.iter().flat_map(Item::all);
        let holds = |item: &&Item| {
            let is_known = types.iter().any(|one| one.at == at && one.item.span == item.span);
            let is_fixed = item.body.is_some() && place.language.fixed.contains(&outline.at(item.keyword));
            is_fixed && !is_known && item.items.iter().any(|field| !mentions(outline, field, types).is_empty())
        };
        let item = all.into_iter().find(holds)?;
        let name = outline.name(item).to_owned();
        let again = (place.language.again)(&name, 0);
        Some(Twice { file: file.clone(), at, item, again, old: outline.at(item.span).to_owned(), name })
    })
}

/// The fields of these types, outside of the types themselves.
fn users<'o>(place: &Place<'_, '_>, outlines: &'o [(Arc<str>, Outline<'_>)], types: &[Twice<'o>]) -> Vec<User<'o>> {
    let mut found = Vec::new();
    for (at, (_, outline)) in outlines.iter().enumerate() {
        for body in outline.items.iter().flat_map(Item::all) {
            let is_own = types.iter().any(|one| one.at == at && one.item.span == body.span);
            if is_own || place.language.fixed.contains(&outline.at(body.keyword)) {
                continue;
            }
            let is_user = |item: &&Item| item.sort == Sort::Field && !mentions(outline, item, types).is_empty();
            found.extend(body.items.iter().filter(is_user).map(|item| User { at, item, body }));
        }
    }
    found
}

/// Whether something else than the fields names one of the types, such as a method.
fn is_named_elsewhere(outlines: &[(Arc<str>, Outline<'_>)], types: &[Twice<'_>], users: &[User<'_>]) -> bool {
    outlines.iter().enumerate().any(|(at, (_, outline))| {
        let is_own = |span: Span| {
            let holds = |outer: Span| outer.start <= span.start && span.end <= outer.end;
            types.iter().any(|one| one.at == at && holds(one.item.span))
                || users.iter().any(|user| user.at == at && holds(user.item.span))
        };
        let all = outline.items.iter().flat_map(Item::all);
        all.into_iter().any(|item| !is_own(item.span) && !mentions(outline, item, types).is_empty())
    })
}

/// The type as it was, and behind it as it is wanted.
fn declared_twice(
    place: &Place<'_, '_>,
    outlines: &[(Arc<str>, Outline<'_>)],
    (one, types): (&Twice<'_>, &[Twice<'_>]),
    (is_used, is_named): (bool, bool),
    made: &mut Made,
) {
    let outline = &outlines[one.at].1;
    let mut edits: Vec<(Span, String)> =
        one.item.all().into_iter().flat_map(|item| mentions(outline, item, types)).collect();
    edits.extend(one.item.name.map(|span| (span, one.again.clone())));
    edits.sort_in_order();
    edits.dedup();
    let text = edited(outline, one.item.span, &edits);
    let (at, notation) = ((outline, &one.file), &place.language.notation);
    let kept = replace(&one.file, one.item.span, one.old.clone());
    let added = behind(at, notation, one.item, Put::plain(&text, None));
    let stays = is_named || is_used && matches!((place.language.gone)(outline, &field_of(one.item)), Gone::Stays(_));
    made.expand.extend([kept.clone(), added.clone()]);
    match stays {
        // Fields that are no longer used still name it, or something else does.
        true => made.contract.extend([kept, added]),
        false => made.contract.push(replace(&one.file, one.item.span, text)),
    }
}

/// A field of a body, whichever: what becomes of fields is the same for all.
fn field_of(item: &Item) -> Item {
    item.items.first().cloned().map_or_else(|| item.clone(), |field| Item { sort: Sort::Field, ..field })
}

/// A field of the wanted type beside one of the old.
fn field_beside(
    place: &Place<'_, '_>,
    outlines: &[(Arc<str>, Outline<'_>)],
    (user, types): (&User<'_>, &[Twice<'_>]),
    made: &mut Made,
) -> Option<()> {
    let (file, outline) = &outlines[user.at];
    let at = (outline, file);
    let mut edits = mentions(outline, user.item, types);
    let names = format!("{file}:{}", outline.name(user.item));
    let times = made.taken.get(&names).copied().unwrap_or(0);
    edits.push((user.item.name?, (place.language.again)(outline.name(user.item), times)));
    made.takes.push(names);
    if let Some(span) = user.item.number {
        let around = outline.around(user.item.span);
        let owners: Vec<&Item> = around[..around.len() - 1]
            .iter()
            .copied()
            .filter(|item| !(place.language.is_inner)(outline, item))
            .collect();
        let owner = *owners.last()?;
        let names: Vec<&str> = owners.iter().map(|item| outline.name(item)).collect();
        let key = format!("{file}:{}", names.join("."));
        let taken = made.taken.entry(key.clone()).or_default();
        // What the old side has there is not free either.
        let old = text_of(place.broken.sides.old, file).map(|text| Outline::of(text, &place.language.notation));
        let number = match old.as_ref().and_then(|old| Some((old, old.by_names(&names)?))) {
            Some(was) => Numbers::of(place, [was, (outline, owner)], *taken).next()?,
            None => Numbers::of(place, [(outline, owner)], *taken).next()?,
        };
        *taken += 1;
        made.takes.push(key);
        edits.push((span, number.to_string()));
    }
    edits.sort_in_order();
    let text = softened(place, edited(outline, user.item.span, &edits));
    let notation = &place.language.notation;
    let own = user.item.separator;
    let added = match user.item.number {
        Some(_) => behind(at, notation, user.item, Put::plain(&text, own)),
        None => last(at, notation, user.body, Put::plain(&text, own))?,
    };
    made.expand.push(added.clone());
    match (place.language.gone)(outline, user.item) {
        Gone::Stays(kept) => made.contract.extend([replace(file, user.item.span, kept), added]),
        Gone::Guarded(statements) => {
            made.contract.push(replace(file, user.item.span, text));
            made.contract.extend(first(at, notation, user.body, &statements));
        }
    }
    Some(())
}
