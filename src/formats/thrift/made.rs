//! What constants make: a struct has the fields that its constant gives and, of all others, the defaults.
//!
//! So the same text makes another value where a default of the struct is another one, and two texts make the same value
//! where one says what the other leaves to the defaults. Values of enums are known by their names.

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::ordered::{OrderedMap, OrderedSet};

use super::model::{EnumId, Field, Schema, Sort, Struct, StructId, Type, Value, ValueKind};
use super::pairing;

/// How deep values are compared: constants end before that, and only defaults in defaults go on.
const DEPTH: usize = 300;

/// How many structs of a value are told.
pub(super) const TOLD: usize = 40;

type Entry<'b> = (Value<'b>, Value<'b>);

/// How two constants compare. Of a whole the last of these that is true of any part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// They make the same value.
    Same,
    /// Nobody knows: what stands in one of them is in no file that was found.
    Untold,
    /// They make different values.
    Other,
}

impl Likeness {
    fn of(is_same: bool) -> Self {
        if is_same { Likeness::Same } else { Likeness::Other }
    }

    /// Of several parts, of which none is looked at once two differ.
    fn of_all(parts: impl IntoIterator<Item = Likeness>) -> Self {
        let mut all = Likeness::Same;
        for part in parts {
            all = all.max(part);
            if all == Likeness::Other {
                break;
            }
        }
        all
    }
}

/// Whether two constants make the same value, as far as both sides know its fields.
pub(super) fn same(schemas: Pair<&Schema<'_>>, types: Pair<&Type>, values: Pair<&Value<'_>>) -> Likeness {
    Comparison { schemas, seen: FxHashSet::default() }.same(types, values, 0)
}

/// The fields that a constant of a struct sets, each with its value; of a union what is given, else what has a default.
pub(super) fn fields<'v, 'b>(
    of: &'v Struct<'b>,
    given: &'v [Entry<'b>],
) -> impl Iterator<Item = (&'v Field<'b>, &'v Value<'b>)> {
    of.fields.iter().filter_map(move |field| Some((field, value_of(of, field, given)?)))
}

fn value_of<'v, 'b>(of: &Struct<'b>, field: &'v Field<'b>, given: &'v [Entry<'b>]) -> Option<&'v Value<'b>> {
    let is_named =
        |(key, _): &&Entry<'_>| matches!(&key.kind, ValueKind::Text(name) if **name == *field.name.text.as_bytes());
    let default = || field.default.as_ref().filter(|_| of.sort != Sort::Union || given.is_empty());
    given.iter().rev().find(is_named).map(|(_, value)| value).or_else(default)
}

/// Structs that are compared, each with where its constants stand on both sides.
type Seen = (Pair<StructId>, Pair<usize>);

struct Comparison<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    /// What was compared, or is: the first difference ends all, so what was seen was the same so far.
    seen: FxHashSet<Seen>,
}

impl Comparison<'_, '_> {
    fn same(&mut self, types: Pair<&Type>, values: Pair<&Value<'_>>, depth: usize) -> Likeness {
        use ValueKind::{Integer, List, Map, Text, Unknown};
        if depth > DEPTH {
            return Likeness::Same;
        }
        match (types.old, types.new, &values.old.kind, &values.new.kind) {
            (_, _, Unknown(_), _) | (_, _, _, Unknown(_)) => compared_text(values),
            // What the defaults of a struct that is in no file add to what is given, nobody knows.
            (Type::Opaque(_), _, Map(_), Map(_)) | (_, Type::Opaque(_), Map(_), Map(_)) => {
                compared_text(values).min(Likeness::Untold)
            }
            (Type::Struct(old), Type::Struct(new), Map(one), Map(two)) => {
                self.structs(Pair::new(*old, *new), Pair::new(one, two), depth + 1)
            }
            (Type::Set(old), Type::Set(new), List(one), List(two)) => match (keys(one), keys(two)) {
                (Some(one), Some(two)) => Likeness::of(one == two),
                // Two items may be one.
                _ if one.iter().chain(two).any(is_untold) => compared_text(values).min(Likeness::Untold),
                _ => self.lists(Pair::new(old, new), Pair::new(one, two), depth + 1),
            },
            (Type::List(old) | Type::Set(old), Type::List(new) | Type::Set(new), List(one), List(two)) => {
                self.lists(Pair::new(old, new), Pair::new(one, two), depth + 1)
            }
            (Type::Map(old), Type::Map(new), Map(one), Map(two)) => {
                self.maps(Pair::new(&**old, &**new), Pair::new(one, two), depth + 1)
            }
            (Type::Enum(old), Type::Enum(new), ..) if self.share_a_name(Pair::new(*old, *new), values) => {
                Likeness::Same
            }
            (Type::Bool, Type::Bool, Integer(one), Integer(two)) => Likeness::of((*one == 0) == (*two == 0)),
            (Type::Uuid, Type::Uuid, Text(one), Text(two)) => Likeness::of(one.eq_ignore_ascii_case(two)),
            _ => compared_text(values),
        }
    }

    /// Whether two values of enums have a name in common, whatever number it stands for.
    fn share_a_name(&self, ids: Pair<EnumId>, values: Pair<&Value<'_>>) -> bool {
        let names = |schema: &Schema<'_>, id: EnumId, value: &Value<'_>| -> Vec<String> {
            let number = match &value.kind {
                ValueKind::Enum(_, number) => i64::from(*number),
                ValueKind::Integer(number) => *number,
                _ => return Vec::new(),
            };
            let values = schema.enumeration(id).values.iter().filter(|value| i64::from(value.number) == number);
            values.map(|value| value.name.text.to_string()).collect()
        };
        let old = names(self.schemas.old, ids.old, values.old);
        let new = names(self.schemas.new, ids.new, values.new);
        old.iter().any(|name| new.contains(name))
    }

    fn structs(&mut self, ids: Pair<StructId>, given: Pair<&Vec<Entry<'_>>>, depth: usize) -> Likeness {
        // Of all constants that give nothing, the address is the same.
        if !self.seen.insert((ids, given.map(|given| given.as_ptr().addr()))) {
            return Likeness::Same;
        }
        let structs = Pair::new(self.schemas.old.structure(ids.old), self.schemas.new.structure(ids.new));
        let is_union = [structs.old.sort, structs.new.sort].contains(&Sort::Union);
        Likeness::of_all(pairing::fields(structs).into_iter().map(|pair| {
            let old = pair.at.old.map(|at| &structs.old.fields[at]);
            let new = pair.at.new.map(|at| &structs.new.fields[at]);
            let one = old.and_then(|field| value_of(structs.old, field, given.old));
            let two = new.and_then(|field| value_of(structs.new, field, given.new));
            match (old, new, one, two) {
                (_, _, None, None) => Likeness::Same,
                (Some(old), Some(new), Some(one), Some(two)) => {
                    self.same(Pair::new(&old.ty, &new.ty), Pair::new(one, two), depth)
                }
                (Some(_), Some(_), ..) => Likeness::Other,
                // What one side does not know is skipped, and a union is empty then.
                _ => Likeness::of(!is_union),
            }
        }))
    }

    fn lists(&mut self, types: Pair<&Type>, items: Pair<&Vec<Value<'_>>>, depth: usize) -> Likeness {
        if items.old.len() != items.new.len() {
            return Likeness::Other;
        }
        let items = items.old.iter().zip(items.new);
        Likeness::of_all(items.map(|(one, two)| self.same(types, Pair::new(one, two), depth)))
    }

    /// Entries in any order; of equal keys the last wins. Keys that hold something are taken in their order.
    fn maps(&mut self, types: Pair<&(Type, Type)>, entries: Pair<&Vec<Entry<'_>>>, depth: usize) -> Likeness {
        let (keys, contents) = (types.map(|types| &types.0), types.map(|types| &types.1));
        if let (Some(one), Some(two)) = (by_key(entries.old), by_key(entries.new)) {
            if !one.keys().eq(two.keys()) {
                return Likeness::Other;
            }
            let both = one.values().zip(two.values());
            return Likeness::of_all(both.map(|(one, two)| self.same(contents, Pair::new(one, two), depth)));
        }
        // Two keys may be one.
        let is_untold_key = entries.old.iter().chain(entries.new).any(|(key, _)| is_untold(key));
        if entries.old.len() != entries.new.len() {
            return if is_untold_key { Likeness::Untold } else { Likeness::Other };
        }
        let both = entries.old.iter().zip(entries.new);
        let all = Likeness::of_all(both.map(|(one, two)| {
            let key = self.same(keys, Pair::new(&one.0, &two.0), depth);
            key.max(self.same(contents, Pair::new(&one.1, &two.1), depth))
        }));
        if is_untold_key { all.min(Likeness::Untold) } else { all }
    }
}

fn by_key<'v, 'b>(entries: &'v [Entry<'b>]) -> Option<OrderedMap<Key<'v>, &'v Value<'b>>> {
    entries.iter().map(|(one, value)| Some((key(one)?, value))).collect()
}

fn keys<'v>(items: &'v [Value<'_>]) -> Option<OrderedSet<Key<'v>>> {
    items.iter().map(key).collect()
}

/// What tells a value from others that holds nothing.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'v> {
    Whole(i64),
    Real(u64),
    Text(&'v [u8]),
}

fn key<'v>(value: &'v Value<'_>) -> Option<Key<'v>> {
    match &value.kind {
        ValueKind::Integer(number) => Some(Key::Whole(*number)),
        ValueKind::Enum(_, number) => Some(Key::Whole((*number).into())),
        ValueKind::Double(number) => Some(Key::Real(number.to_bits())),
        ValueKind::Text(text) => Some(Key::Text(text)),
        ValueKind::List(_) | ValueKind::Map(_) | ValueKind::Unknown(_) => None,
    }
}

/// Whether something in a constant is in no file that was found.
fn is_untold(value: &Value<'_>) -> bool {
    match &value.kind {
        ValueKind::Unknown(_) => true,
        ValueKind::List(items) => items.iter().any(is_untold),
        ValueKind::Map(entries) => entries.iter().any(|(key, value)| is_untold(key) || is_untold(value)),
        ValueKind::Integer(_) | ValueKind::Double(_) | ValueKind::Text(_) | ValueKind::Enum(..) => false,
    }
}

/// Whether two constants are the same as they are written, names of constants looked through.
pub(super) fn same_text(values: Pair<&Value<'_>>) -> bool {
    compared_text(values) == Likeness::Same
}

/// How two constants compare as they are written, names of constants looked through: a name that stands for nothing that is
/// known is the same on both sides, and beside anything else nobody knows.
fn compared_text(values: Pair<&Value<'_>>) -> Likeness {
    match (&values.old.kind, &values.new.kind) {
        (ValueKind::Unknown(old), ValueKind::Unknown(new)) if old == new => Likeness::Same,
        (ValueKind::Unknown(_), _) | (_, ValueKind::Unknown(_)) => Likeness::Untold,
        (ValueKind::List(old), ValueKind::List(new)) if old.len() == new.len() => {
            Likeness::of_all(old.iter().zip(new).map(|(old, new)| compared_text(Pair::new(old, new))))
        }
        (ValueKind::Map(old), ValueKind::Map(new)) if old.len() == new.len() => {
            Likeness::of_all(old.iter().zip(new).map(|(old, new)| {
                compared_text(Pair::new(&old.0, &new.0)).max(compared_text(Pair::new(&old.1, &new.1)))
            }))
        }
        (old, new) => Likeness::of(same_whole(old, new)),
    }
}

/// Whether two constants that hold nothing are the same.
fn same_whole(old: &ValueKind<'_>, new: &ValueKind<'_>) -> bool {
    match (old, new) {
        (ValueKind::Integer(old), ValueKind::Integer(new)) => old == new,
        (ValueKind::Double(old), ValueKind::Double(new)) => old.to_bits() == new.to_bits(),
        (ValueKind::Integer(whole), ValueKind::Double(real)) | (ValueKind::Double(real), ValueKind::Integer(whole)) => {
            *whole as f64 == *real
        }
        (ValueKind::Text(old), ValueKind::Text(new)) => old == new,
        (ValueKind::Enum(_, old), ValueKind::Enum(_, new)) => old == new,
        (ValueKind::Enum(_, number), ValueKind::Integer(whole))
        | (ValueKind::Integer(whole), ValueKind::Enum(_, number)) => i64::from(*number) == *whole,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::language::Thrift;
    use crate::change::{ChangeKind, FactKey, Pair};
    use crate::formats::check::CheckOptions;
    use crate::formats::frame::check;
    use crate::snapshot::Snapshot;

    /// The defaults that changed: their paths, what they were and what they are.
    fn changed(old: &str, new: &str) -> Vec<(String, String, String)> {
        let side = |text: &str| Snapshot::from_files([("a.thrift", text.as_bytes())]);
        let checked = check::<Thrift>(Pair::new(&side(old), &side(new)), &CheckOptions::default());
        let defaults = checked.changes.iter().filter(|change| change.kind == ChangeKind::FieldDefaultChanged);
        let fact = |change: &crate::change::Change, key| change.facts.get(key).unwrap_or_default().to_owned();
        defaults.map(|one| (one.path.clone(), fact(one, FactKey::OldValue), fact(one, FactKey::NewValue))).collect()
    }

    #[test]
    fn a_default_that_holds_itself_comes_to_an_end() {
        let text = |number| {
            format!(
                "struct Tree {{ 1: optional Tree left = {{}} 2: optional Tree right = {{\"right\": {{}}}} 3: i32 size = {number} }}\n\
                 struct Garden {{ 1: optional Tree tree = {{\"size\": 7}} }}"
            )
        };
        let mut told: Vec<String> = changed(&text(1), &text(2)).into_iter().map(|(path, ..)| path).collect();
        told.sort();
        assert_eq!(told, ["a.Garden.tree", "a.Tree.left", "a.Tree.right", "a.Tree.size"]);
        assert!(changed(&text(1), &text(1).replace("right\": {}", "right\": {\"size\": 1}")).is_empty());
    }

    #[test]
    fn constants_are_looked_through() {
        let text = |number| {
            format!(
                "struct P {{ 1: i32 x = {number} 2: i32 y }}\nconst P ONE = {{\"y\": 5}}\nconst list<P> ALL = [ONE, {{\"x\": 3}}]\n\
                 struct M {{ 1: optional P one = ONE 2: optional list<P> all = ALL 3: P always = ONE }}"
            )
        };
        let told = |path: &str, old: &str, new: &str| (path.to_owned(), old.to_owned(), new.to_owned());
        let mut changed = changed(&text(1), &text(2));
        changed.sort();
        let expected = [
            told("a.M.all", "[{\"x\": 1, \"y\": 5}, {\"x\": 3}]", "[{\"x\": 2, \"y\": 5}, {\"x\": 3}]"),
            told("a.M.one", "{\"x\": 1, \"y\": 5}", "{\"x\": 2, \"y\": 5}"),
            told("a.P.x", "1", "2"),
        ];
        assert_eq!(changed, expected);
    }

    #[test]
    fn defaults_of_defaults_are_made_once() {
        let structs = (0..60).map(|at| {
            let inner = at + 1;
            format!("struct S{at} {{ 1: optional S{inner} a = {{}} 2: optional S{inner} b = {{}} }}\n")
        });
        let text = |number| format!("{}struct S60 {{ 1: i32 number = {number} }}", structs.clone().collect::<String>());
        let started = Instant::now();
        assert_eq!(changed(&text(1), &text(2)).len(), 121);
        assert!(changed(&text(1), &text(1).replace("b = {}", "b = {\"a\": {}}")).is_empty());
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }
}
