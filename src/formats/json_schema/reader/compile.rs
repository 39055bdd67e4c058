//! A document → what readers have of it. Every schema is met once, however often something refers to it.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::loops;
use super::node::{Arena, Beside, Id, Known, Limit, Members, Node, OfList, OfNumber, OfObject, OfText, TYPES, Types};
use super::numbers::Decimal;
use super::pattern::Pattern;
use super::several;
use super::texts::Format;
use super::values::Values;

/// What readers have of a document; `None` where a keyword has no value of its kind, a reference leads nowhere, a pattern is
/// none of ECMA-262, or schemas look at one value in a chain that is too long.
pub(super) fn compiled(document: &Value) -> Option<Arena> {
    let mut compiler = Compiler {
        document,
        arena: Arena::default(),
        by_place: Known::default(),
        by_pattern: FxHashMap::default(),
        open: Vec::new(),
        parents: Vec::new(),
        uses: Vec::new(),
        is_large: Vec::new(),
    };
    compiler.meet(document, None);
    while let Some((id, schema)) = compiler.open.pop() {
        compiler.fill(id, schema)?;
    }
    compiler.finished()
}

struct Compiler<'d> {
    document: &'d Value,
    arena: Arena,
    by_place: Known<*const Value>,
    by_pattern: FxHashMap<&'d str, usize>,
    open: Vec<(Id, &'d Value)>,
    /// The schema that each stands in.
    parents: Vec<Option<Id>>,
    /// How many ways there are to each.
    uses: Vec<u32>,
    /// Whether there is more behind it than what stands in it.
    is_large: Vec<bool>,
}

impl<'d> Compiler<'d> {
    /// The number of a schema, which is looked at later.
    fn meet(&mut self, schema: &'d Value, parent: Option<Id>) -> Id {
        let place = std::ptr::from_ref(schema);
        if let Some(known) = self.by_place.get(&place).copied() {
            self.uses[known.0 as usize] += 1;
            if let Some(parent) = parent {
                self.is_large[parent.0 as usize] = true;
            }
            return known;
        }
        let id = Id(u32::try_from(self.arena.nodes.len()).unwrap_or(u32::MAX));
        self.arena.nodes.push(Node::new());
        self.parents.push(parent);
        self.uses.push(1);
        self.is_large.push(false);
        self.by_place.insert(place, id);
        self.open.push((id, schema));
        id
    }

    fn meet_all(&mut self, list: &'d Value, id: Id) -> Option<Vec<Id>> {
        Some(list.as_array()?.iter().map(|schema| self.meet(schema, Some(id))).collect())
    }

    fn meet_named(&mut self, map: &'d Value, id: Id) -> Option<Vec<(Box<str>, Id)>> {
        let entries = map.as_object()?.iter();
        Some(entries.map(|(name, schema)| (name.as_str().into(), self.meet(schema, Some(id)))).collect())
    }

    /// What a keyword with one schema holds.
    fn child(&mut self, map: &'d Map<String, Value>, keyword: &str, id: Id) -> Option<Id> {
        map.get(keyword).map(|schema| self.meet(schema, Some(id)))
    }

    fn pattern(&mut self, pattern: &'d str) -> Option<usize> {
        if let Some(known) = self.by_pattern.get(pattern) {
            return Some(*known);
        }
        self.arena.patterns.push(Pattern::new(pattern)?);
        let index = self.arena.patterns.len() - 1;
        self.by_pattern.insert(pattern, index);
        Some(index)
    }

    fn fill(&mut self, id: Id, schema: &'d Value) -> Option<()> {
        let map = match schema {
            Value::Bool(true) => return Some(()),
            Value::Bool(false) => {
                self.arena.nodes[id.0 as usize].types = Types::NONE;
                return Some(());
            }
            Value::Object(map) => map,
            _ => return None,
        };
        let mut node = Node::new();
        for (keyword, value) in map {
            self.scalar(&mut node, keyword, value)?;
            self.beside(&mut node, (keyword, value), map, id)?;
        }
        self.sized(&mut node, map)?;
        self.children(&mut node, map, id)?;
        self.arena.nodes[id.0 as usize] = node;
        Some(())
    }

    /// Keywords that hold no schema.
    fn scalar(&mut self, node: &mut Node, keyword: &str, value: &'d Value) -> Option<()> {
        let limit = |limit: Limit| Some(OfNumber::Limit(limit, value.as_number()?.clone()));
        match keyword {
            "type" => node.types = types(value)?,
            "enum" => node.values.push(Values::new(value.as_array()?.clone(), false)),
            "const" => node.values.push(Values::new(vec![value.clone()], true)),
            "minimum" => node.number.push(limit(Limit::Minimum)?),
            "maximum" => node.number.push(limit(Limit::Maximum)?),
            "exclusiveMinimum" => node.number.push(limit(Limit::ExclusiveMinimum)?),
            "exclusiveMaximum" => node.number.push(limit(Limit::ExclusiveMaximum)?),
            "multipleOf" => {
                let unit = value.as_number()?;
                node.number.push(OfNumber::Multiple(Decimal::of(unit), unit.clone()));
            }
            "pattern" => node.text.push(OfText::Pattern(self.pattern(value.as_str()?)?)),
            "format" => node.text.extend(Format::named(value.as_str()?).map(OfText::Format)),
            "uniqueItems" => node.list.extend(value.as_bool()?.then_some(OfList::Unique)),
            "required" => node.object.push(OfObject::Required(names(value)?.into())),
            "dependentRequired" => {
                let entries = value.as_object()?.iter();
                let all: Option<Vec<_>> =
                    entries.map(|(name, needed)| Some((name.as_str().into(), names(needed)?))).collect();
                node.object.push(OfObject::Dependent(all?));
            }
            _ => {}
        }
        Some(())
    }

    /// Keywords that hold a number of things.
    fn sized(&mut self, node: &mut Node, map: &Map<String, Value>) -> Option<()> {
        let size = |keyword: &str| map.get(keyword).map(count);
        let sizes = |least: &str, most: &str| {
            Some((
                size(least).map_or(Some(None), |size| size.map(Some))?,
                size(most).map_or(Some(None), |size| size.map(Some))?,
            ))
        };
        let (least, most) = sizes("minLength", "maxLength")?;
        node.text.extend(most.map(OfText::Most));
        node.text.extend(least.map(OfText::Least));
        let (least, most) = sizes("minItems", "maxItems")?;
        node.list.extend(least.map(OfList::Least));
        node.list.extend(most.map(OfList::Most));
        let (least, most) = sizes("minProperties", "maxProperties")?;
        node.object.extend(least.map(OfObject::Least));
        node.object.extend(most.map(OfObject::Most));
        Some(())
    }

    /// Keywords with schemas for what is inside of a value.
    fn children(&mut self, node: &mut Node, map: &'d Map<String, Value>, id: Id) -> Option<()> {
        let named = map.get("properties").map_or(Some(Vec::new()), |map| self.meet_named(map, id))?;
        let mut patterns = Vec::new();
        if let Some(map) = map.get("patternProperties") {
            for (pattern, schema) in map.as_object()? {
                patterns.push((self.pattern(pattern)?, self.meet(schema, Some(id))));
            }
        }
        let others = self.child(map, "additionalProperties", id);
        if !named.is_empty() || !patterns.is_empty() || others.is_some() {
            node.object.push(OfObject::Members(Members::new(named, patterns, others)));
        }
        node.object.extend(self.child(map, "propertyNames", id).map(OfObject::Names));
        let first = map.get("prefixItems").map_or(Some(Vec::new()), |list| self.meet_all(list, id))?;
        let rest = self.child(map, "items", id);
        if !first.is_empty() || rest.is_some() {
            node.list.push(OfList::Items { first, rest });
        }
        if let Some(item) = self.child(map, "contains", id) {
            let least = map.get("minContains").map_or(Some(1), count)?;
            let most = map.get("maxContains").map_or(Some(None), |most| count(most).map(Some))?;
            node.list.push(OfList::Contains { item, least, most });
        }
        node.left_items = self.child(map, "unevaluatedItems", id);
        node.left_members = self.child(map, "unevaluatedProperties", id);
        self.is_large[id.0 as usize] |= node.left_items.is_some() || node.left_members.is_some();
        Some(())
    }

    /// Keywords with schemas for the same value.
    fn beside(
        &mut self,
        node: &mut Node,
        (keyword, value): (&str, &'d Value),
        map: &'d Map<String, Value>,
        id: Id,
    ) -> Option<()> {
        let found = match keyword {
            "$ref" => {
                let target = self.document.pointer(&decoded(value.as_str()?.strip_prefix('#')?)?)?;
                self.is_large[id.0 as usize] = true;
                Beside::Same(self.meet(target, None))
            }
            "allOf" => Beside::All(self.meet_all(value, id)?.into()),
            "anyOf" => Beside::Any(self.meet_all(value, id)?.into()),
            "oneOf" => Beside::One(self.meet_all(value, id)?.into()),
            "not" => Beside::Not(self.meet(value, Some(id))),
            "if" => Beside::If {
                condition: self.meet(value, Some(id)),
                then: self.child(map, "then", id),
                otherwise: self.child(map, "else", id),
            },
            "dependentSchemas" => Beside::With(self.meet_named(value, id)?),
            _ => return Some(()),
        };
        node.beside.push(found);
        Some(())
    }

    /// Finds out which schemas are worth remembering, and which lead back to themselves.
    fn finished(mut self) -> Option<Arena> {
        // What stands in a schema has a higher number.
        for index in (0..self.parents.len()).rev() {
            if let (true, Some(parent)) = (self.is_large[index], self.parents[index]) {
                self.is_large[parent.0 as usize] = true;
            }
        }
        for index in 0..self.arena.nodes.len() {
            for beside in self.arena.nodes[index].beside.iter().flat_map(Beside::schemas).collect::<Vec<_>>() {
                self.uses[beside.0 as usize] += 1;
            }
        }
        for (index, node) in self.arena.nodes.iter_mut().enumerate() {
            node.is_remembered = self.is_large[index] && self.uses[index] > 1;
        }
        several::index(&mut self.arena);
        let loops = loops::looked_at(&self.arena.nodes)?;
        self.arena.looped = loops.len();
        for (id, number) in loops {
            self.arena.nodes[id.0 as usize].looped = Some(number);
        }
        Some(self.arena)
    }
}

fn types(value: &Value) -> Option<Types> {
    let bit = |value: &Value| {
        let name = value.as_str()?;
        TYPES.iter().find(|(known, _)| *known == name).map(|(_, bit)| *bit)
    };
    match value {
        Value::Array(list) => list.iter().map(bit).try_fold(0, |all, bit| Some(all | bit?)).map(Types),
        one => bit(one).map(Types),
    }
}

fn names(value: &Value) -> Option<Vec<Box<str>>> {
    value.as_array()?.iter().map(|name| name.as_str().map(Box::from)).collect()
}

/// A number of things, which may be written with a fraction of nothing.
fn count(value: &Value) -> Option<u64> {
    let rounded =
        || value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0).map(|number| number as u64);
    value.as_u64().or_else(rounded)
}

/// A pointer as it stands behind `#`.
fn decoded(fragment: &str) -> Option<String> {
    let bytes = fragment.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at).copied() {
        at += 1;
        if byte == b'%' {
            let digits = std::str::from_utf8(bytes.get(at..at + 2)?).ok()?;
            plain.push(u8::from_str_radix(digits, 16).ok()?);
            at += 2;
        } else {
            plain.push(byte);
        }
    }
    String::from_utf8(plain).ok()
}
