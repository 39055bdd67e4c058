//! The numbers and the order that were there, kept: what is wanted is said by names, and data need not move for it.

use super::beside::Numbers;
use super::place::{Found, Gone, Place};
use super::texts::replace;
use crate::change::{ChangeKind, Span};
use crate::formats::ways::outline::{Item, Notation, Outline, Sort};
use crate::formats::ways::{FileEdit, Way};
use crate::ordered::{OrderedMap, OrderedSet};

/// The ways that keep numbers or order.
pub(super) fn ways(place: &Place<'_, '_>) -> Vec<Way> {
    let orders = [order(place, true), order(place, false)];
    numbers(place).into_iter().chain(orders.into_iter().flatten()).collect()
}

/// The body in which the break stands, on both sides.
fn bodies<'p>(place: &Place<'p, '_>) -> Option<(&'p Item, &'p Item)> {
    let (old, new) = (place.outlines.old.as_ref()?, place.outlines.new.as_ref()?);
    let of_new = place.now().map(|found| body_of(place, new, found));
    let of_old = place.was().map(|found| body_of(place, old, found));
    match (of_old.flatten(), of_new.flatten()) {
        (Some((old, _)), Some((new, _))) => Some((old, new)),
        (None, Some((body, names))) => Some((old.by_names(&names)?, body)),
        (Some((body, names)), None) => Some((body, new.by_names(&names)?)),
        (None, None) => None,
    }
}

/// The body that a statement is or stands in, and the names that lead there.
fn body_of<'o>(place: &Place<'_, '_>, outline: &Outline<'o>, found: Found<'o>) -> Option<(&'o Item, Vec<&'o str>)> {
    let mut around = found.around;
    if found.item.body.is_some() {
        around.push(found.item);
    }
    while around.last().is_some_and(|item| (place.language.is_inner)(outline, item)) {
        around.pop();
    }
    let body = *around.last()?;
    Some((body, around.iter().map(|item| outline.name(item)).filter(|name| !name.is_empty()).collect()))
}

/// What a body holds, those of inner bodies included, by name.
fn elements<'o>(outline: &Outline<'o>, place: &Place<'_, '_>, body: &'o Item) -> Vec<(&'o str, &'o Item)> {
    let mut found = Vec::new();
    for item in &body.items {
        match item.sort {
            Sort::Field | Sort::Value | Sort::Method => found.push((outline.name(item), item)),
            _ if (place.language.is_inner)(outline, item) => {
                // An inner body may have a number itself.
                found.extend(item.number.map(|_| (outline.name(item), item)));
                found.extend(elements(outline, place, item));
            }
            _ => {}
        }
    }
    found
}

/// Each element with the number that it had, and new ones with numbers that nothing had.
fn numbers(place: &Place<'_, '_>) -> Option<Way> {
    let (old, new) = (place.outlines.old.as_ref()?, place.outlines.new.as_ref()?);
    let (was, is) = bodies(place)?;
    let file = place.file()?;
    let olds: OrderedMap<&str, &Item> = elements(old, place, was).into_iter().collect();
    let had: OrderedSet<i64> = olds.values().filter_map(|item| old.number(item)).collect();
    let mut numbers = Numbers::of(place, [(old, was)], 0);
    let news = elements(new, place, is);
    let is_free = |(name, item): &(&str, &Item)| {
        let number = new.number(item)?;
        (!olds.contains_key(name) && !had.contains(&number)).then_some(number)
    };
    numbers.take(news.iter().filter_map(is_free));
    let mut edits = Vec::new();
    for (name, item) in news {
        let (Some(span), Some(number)) = (item.number, new.number(item)) else { continue };
        let wanted = match olds.get(name).map(|item| old.number(item)) {
            Some(Some(kept)) => kept,
            Some(None) => continue,
            None if had.contains(&number) => numbers.next()?,
            None => number,
        };
        if wanted != number {
            edits.push(replace(&file, span, wanted.to_string()));
        }
    }
    if edits.is_empty() {
        return None;
    }
    let name = new.name(is);
    let says = format!("keep the numbers that the elements of `{name}` have; what is new in it takes free ones");
    Some(Way::one_step(says, edits, format!("the numbers of `{name}` stay what they were")))
}

/// An element as it is written, with the comments above it, and those behind it.
#[derive(Clone, Copy)]
struct Told<'o> {
    text: &'o str,
    behind: &'o str,
}

impl<'o> Told<'o> {
    fn of(outline: &Outline<'o>, notation: &Notation, (body, item): (&Item, &Item), has_lines: bool) -> Self {
        let (text, behind) = match has_lines {
            true => outline.with_comments(notation, Outline::inside(body), item),
            false => (outline.at(item.span), ""),
        };
        Told { text, behind }
    }
}

/// The places of what went stay taken: the text of each, with the comments above it. Nothing where what is given up is said no
/// otherwise than what is not.
fn texts_of_gone<'o>(
    place: &Place<'_, '_>,
    (old, was): (&Outline<'o>, &Item),
    gone: &[&Item],
    (is_given_up, has_lines): (bool, bool),
) -> Option<OrderedMap<&'o str, String>> {
    let mut texts: OrderedMap<&str, String> = OrderedMap::new();
    let mut is_other = !is_given_up;
    for item in gone {
        let own = old.at(item.span);
        let text = match (place.language.gone)(old, item) {
            Gone::Stays(text) if is_given_up => text,
            _ => own.to_owned(),
        };
        is_other |= text != own;
        let told = Told::of(old, &place.language.notation, (was, item), has_lines);
        texts.insert(old.name(item), format!("{}{text}", told.text.strip_suffix(own).unwrap_or("")));
    }
    is_other.then_some(texts)
}

/// The edits with which elements stand in the places of others.
fn rearranged(
    place: &Place<'_, '_>,
    (new, is): (&Outline<'_>, &Item),
    slots: &[Item],
    (wanted, has_lines): (&[Told<'_>], bool),
) -> Option<Vec<FileEdit>> {
    let file = place.file()?;
    let mark = slots.first()?.separator.map(String::from).unwrap_or_default();
    let gap = match new.indentation(slots.last()?) {
        "" => " ".to_owned(),
        white => format!("{}{white}", new.line_end()),
    };
    let mut edits = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        let here = Told::of(new, &place.language.notation, (is, slot), has_lines);
        let all = if at + 1 == slots.len() { wanted.get(at..)? } else { wanted.get(at..=at)? };
        let (last, before) = all.split_last()?;
        let mut text: String = before.iter().map(|one| format!("{}{mark}{}{gap}", one.text, one.behind)).collect();
        text += last.text;
        if text != here.text {
            let start = slot.span.end - here.text.len() as u32;
            edits.push(replace(&file, Span::new(start, slot.span.end), text));
        }
        if last.behind != here.behind {
            let end = slot.end();
            edits.push(replace(&file, Span::new(end, end + here.behind.len() as u32), last.behind));
        }
    }
    Some(edits)
}

/// What was there in the order in which it stood, and behind it what is new. What went stays as it was, or as what is no longer
/// used, where the language can say so.
fn order(place: &Place<'_, '_>, is_given_up: bool) -> Option<Way> {
    let (old, new) = (place.outlines.old.as_ref()?, place.outlines.new.as_ref()?);
    let (was, is) = bodies(place)?;
    let elements = |body: &'_ Item| -> Vec<Item> {
        body.items.iter().filter(|item| matches!(item.sort, Sort::Field | Sort::Value)).cloned().collect()
    };
    let (olds, slots) = (elements(was), elements(is));
    let is_counted = slots.iter().any(|item| item.number.is_none());
    let kind = place.broken.change.kind;
    if !is_counted && !matches!(kind, ChangeKind::EnumDefaultChanged | ChangeKind::OrderChanged) {
        return None;
    }
    let notation = &place.language.notation;
    // Comments go with what they are about where each element has lines of its own.
    let has_lines = olds.iter().all(|item| !old.indentation(item).is_empty())
        && slots.iter().all(|item| !new.indentation(item).is_empty());
    let told = |outline, body, item| Told::of(outline, notation, (body, item), has_lines);
    let by_name = |name: &str| slots.iter().find(|item| new.name(item) == name);
    let gone: Vec<&Item> = olds.iter().filter(|item| is_counted && by_name(old.name(item)).is_none()).collect();
    let texts = texts_of_gone(place, (old, was), &gone, (is_given_up, has_lines))?;
    let mut wanted: Vec<Told<'_>> = Vec::new();
    for item in &olds {
        match (by_name(old.name(item)), texts.get(old.name(item))) {
            (Some(now), _) => wanted.push(told(new, is, now)),
            (None, Some(text)) => wanted.push(Told { text, ..told(old, was, item) }),
            (None, None) => {}
        }
    }
    let is_new = |item: &&Item| olds.iter().all(|old_item| old.name(old_item) != new.name(item));
    wanted.extend(slots.iter().filter(is_new).map(|item| told(new, is, item)));
    let edits = rearranged(place, (new, is), &slots, (&wanted, has_lines))?;
    if edits.is_empty() {
        return None;
    }
    let name = new.name(is);
    let says = format!("keep what is in `{name}` in the order that it has, and put what is new behind it");
    Some(Way::one_step(says, edits, format!("in `{name}` what was there stands in its old order")))
}
