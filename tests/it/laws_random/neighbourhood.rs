//! Pairs whose edits all fall on a few elements that hold each other, so that they meet.
//!
//! Edits drawn over a whole schema rarely touch a map, the message that it holds and the enum in that message at once,
//! and what two edits do together is what a checker gets wrong.

use std::collections::BTreeSet;

use super::make;
use super::mutation;
use super::schema::{Dice, Id, KEYS, Message, Presence, Schema, Shape, Type};

/// Two descendants of one schema, each edited near the same field.
pub fn pair(dice: &mut Dice) -> (Schema, Schema) {
    let mut base = make::schema(dice);
    base.near = chain(&mut base, dice);
    base.settle();
    let mut old = base.clone();
    if dice.percent(60) {
        old = mutation::mutate(&base, dice, 3);
    }
    // What both add has a number of its own in each, so that nothing is taken for the same.
    base.next = base.next.max(old.next);
    let new = mutation::mutate(&base, dice, 4);
    (old, new)
}

/// A field, the message that it holds, a field of that and what it holds: all that is edited.
fn chain(schema: &mut Schema, dice: &mut Dice) -> Option<BTreeSet<Id>> {
    let (holder, picked) = (dice.pick(&schema.message_ids())?, dice.pick(&schema.message_ids())?);
    let mut held = picked;
    if dice.percent(50) {
        // Nothing else stands in it then, so that every message of it shows what changed.
        let alone = Message { fields: Vec::new(), oneofs: Vec::new(), ..make::message(schema, dice, 2) };
        held = alone.id;
        schema.files[0].messages.push(alone);
    }
    let one = if dice.percent(60) { an_enum(schema, dice) } else { make::any_type(schema, dice) };
    let outer = link(schema, holder, Type::Named(held), dice)?;
    let inner = link(schema, held, one, dice)?;
    let mut near = BTreeSet::from([holder, outer, held, inner]);
    if let Type::Named(id) = one {
        near.insert(id);
    }
    Some(near)
}

fn an_enum(schema: &mut Schema, dice: &mut Dice) -> Type {
    let known = dice.pick(&schema.enum_ids()).filter(|_| dice.percent(60));
    Type::Named(known.unwrap_or_else(|| {
        let one = make::enumeration(schema, dice);
        let id = one.id;
        schema.files[0].enums.push(one);
        id
    }))
}

/// A field of a message that holds something, more often many of it than fields do elsewhere.
fn link(schema: &mut Schema, of: Id, ty: Type, dice: &mut Dice) -> Option<Id> {
    make::add_field(schema, of, dice);
    let message = schema.message(of)?;
    let free = (1..).find(|number| message.fields.iter().all(|field| field.number != *number))?;
    let field = message.fields.last_mut()?;
    (field.ty, field.is_group, field.number) = (ty, false, free);
    field.name = format!("near{}", field.id);
    field.shape = match dice.below(10) {
        0..=3 => Shape::Map(dice.pick(KEYS)?),
        4..=6 => Shape::Repeated,
        _ => Shape::Singular,
    };
    if dice.percent(50) {
        (field.oneof, field.presence) = (None, Presence::Plain);
    }
    Some(field.id)
}
