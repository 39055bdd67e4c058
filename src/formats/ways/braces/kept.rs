//! The numbers and the order that were there, kept: what is wanted is said by names, and data need not move for it.

use super::beside::Numbers;
use super::place::{Found, Place};
use super::texts::replace;
use crate::change::ChangeKind;
use crate::formats::ways::Way;
use crate::formats::ways::outline::{Item, Outline, Sort};
use crate::ordered::{OrderedMap, OrderedSet};

/// The ways that keep numbers or order.
pub(super) fn ways(place: &Place<'_, '_>) -> Vec<Way> {
    numbers(place).into_iter().chain(order(place)).collect()
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

/// What was there in the order in which it stood, and behind it what is new.
fn order(place: &Place<'_, '_>) -> Option<Way> {
    let (old, new) = (place.outlines.old.as_ref()?, place.outlines.new.as_ref()?);
    let (was, is) = bodies(place)?;
    let file = place.file()?;
    let elements = |body: &'_ Item| -> Vec<Item> {
        body.items.iter().filter(|item| matches!(item.sort, Sort::Field | Sort::Value)).cloned().collect()
    };
    let (olds, slots) = (elements(was), elements(is));
    let is_counted = slots.iter().any(|item| item.number.is_none());
    let kind = place.broken.change.kind;
    if !is_counted && !matches!(kind, ChangeKind::EnumDefaultChanged | ChangeKind::OrderChanged) {
        return None;
    }
    let by_name = |name: &str| slots.iter().find(|item| new.name(item) == name);
    let mut texts: Vec<&str> = Vec::new();
    for item in &olds {
        match by_name(old.name(item)) {
            Some(now) => texts.push(new.at(now.span)),
            // The place of what went stays taken.
            None if is_counted => texts.push(old.at(item.span)),
            None => {}
        }
    }
    let is_new = |item: &&Item| olds.iter().all(|old_item| old.name(old_item) != new.name(item));
    texts.extend(slots.iter().filter(is_new).map(|item| new.at(item.span)));
    let (last, mark) = (slots.last()?, slots.first()?.separator);
    let gap = match (mark, new.indentation(last)) {
        (mark, "") => format!("{} ", mark.map(String::from).unwrap_or_default()),
        (mark, white) => format!("{}{}{white}", mark.map(String::from).unwrap_or_default(), new.line_end()),
    };
    let mut edits = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        let text = match at + 1 == slots.len() {
            true => texts.get(at..)?.join(&gap),
            false => (*texts.get(at)?).to_owned(),
        };
        if text != new.at(slot.span) {
            edits.push(replace(&file, slot.span, text));
        }
    }
    if edits.is_empty() {
        return None;
    }
    let name = new.name(is);
    let says = format!("keep what is in `{name}` in the order that it has, and put what is new behind it");
    Some(Way::one_step(says, edits, format!("in `{name}` what was there stands in its old order")))
}
