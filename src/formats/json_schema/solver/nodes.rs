//! What documents say, as conditions that are shared: each stands once, however often it is said, and may be denied.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::decimal::Decimal;
use crate::ordered::InOrder as _;

/// One kind of value: what is whole is apart from what is not, as they never are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Kind(u8);

impl Kind {
    pub(super) const NULL: Kind = Kind(1);
    pub(super) const BOOLEAN: Kind = Kind(2);
    pub(super) const WHOLE: Kind = Kind(4);
    pub(super) const BROKEN: Kind = Kind(8);
    pub(super) const TEXT: Kind = Kind(16);
    pub(super) const LIST: Kind = Kind(32);
    pub(super) const OBJECT: Kind = Kind(64);
    const NUMBER: Kind = Kind(12);
    pub(super) const ALL: Kind = Kind(127);
    pub(super) const NONE: Kind = Kind(0);

    /// Each by itself, the plain ones last: what is felt of a list or an object says more.
    pub(super) const EACH: [Kind; 7] =
        [Kind::OBJECT, Kind::LIST, Kind::TEXT, Kind::WHOLE, Kind::BROKEN, Kind::BOOLEAN, Kind::NULL];

    pub(super) const fn is_in(self, kinds: Kind) -> bool {
        self.0 & kinds.0 != 0
    }

    pub(super) const fn or(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Kind) -> Kind {
        Kind(self.0 & other.0)
    }

    pub(super) const fn denied(self) -> Kind {
        Kind(Kind::ALL.0 & !self.0)
    }

    fn named(name: &str) -> Kind {
        match name {
            "null" => Kind::NULL,
            "boolean" => Kind::BOOLEAN,
            "integer" => Kind::WHOLE,
            "number" => Kind::NUMBER,
            "string" => Kind::TEXT,
            "array" => Kind::LIST,
            "object" => Kind::OBJECT,
            _ => Kind(0),
        }
    }

    pub(super) fn of(value: &Value) -> Kind {
        match value {
            Value::Null => Kind::NULL,
            Value::Bool(_) => Kind::BOOLEAN,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => Kind::BROKEN,
            Value::Number(_) => Kind::WHOLE,
            Value::String(_) => Kind::TEXT,
            Value::Array(_) => Kind::LIST,
            Value::Object(_) => Kind::OBJECT,
        }
    }
}

/// A condition, or its denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Literal(u32);

impl Literal {
    /// Holds of everything.
    pub(super) const TRUE: Literal = Literal(0);
    pub(super) const FALSE: Literal = Literal(1);

    pub(super) const fn denied(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    pub(super) const fn is_denied(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) const fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// The condition itself, or its denial.
    pub(super) const fn with(self, is_denied: bool) -> Literal {
        if is_denied { self.denied() } else { self }
    }
}

/// A text that is shared.
pub(super) type Text = Rc<str>;

/// A condition. Those of one kind of value hold of all others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    All(Vec<Literal>),
    /// Exactly one holds.
    One(Vec<Literal>),
    /// The second where the first holds, else the third.
    If(Literal, Literal, Literal),
    Kinds(Kind),
    /// One of some values, by their numbers.
    Among(Vec<usize>),
    /// What a definition says.
    Defined(usize),
    /// What is not known: each is another.
    Unknown(usize),
    Least(Decimal, bool),
    Most(Decimal, bool),
    Multiple(Decimal),
    Shortest(usize),
    Longest(usize),
    Pattern(Text),
    Format(Text),
    FewestItems(usize),
    MostItems(usize),
    Distinct,
    Item(usize, Literal),
    /// The items from a position on.
    ItemsFrom(usize, Literal),
    /// As many items as are valid for another: at least and at most.
    Contains(Literal, usize, usize),
    FewestMembers(usize),
    MostMembers(usize),
    Required(Text),
    Member(Text, Literal),
    Matching(Text, Literal),
    /// The members without these names and patterns.
    Others(Vec<Text>, Vec<Text>, Literal),
    Names(Literal),
    Dependent(Text, Literal),
    /// Members and items that a schema, by its number, has not evaluated.
    OtherMembers(usize, Literal),
    OtherItems(usize, Literal),
}

impl Node {
    /// The kinds of values that a condition is about; `None` where it is about all.
    pub(super) const fn about(&self) -> Option<Kind> {
        match self {
            Node::All(_)
            | Node::One(_)
            | Node::If(..)
            | Node::Kinds(_)
            | Node::Among(_)
            | Node::Defined(_)
            | Node::Unknown(_) => None,
            Node::Least(..) | Node::Most(..) | Node::Multiple(_) => Some(Kind::NUMBER),
            Node::Shortest(_) | Node::Longest(_) | Node::Pattern(_) | Node::Format(_) => Some(Kind::TEXT),
            Node::FewestItems(_)
            | Node::MostItems(_)
            | Node::Distinct
            | Node::Item(..)
            | Node::ItemsFrom(..)
            | Node::Contains(..)
            | Node::OtherItems(..) => Some(Kind::LIST),
            Node::FewestMembers(_)
            | Node::MostMembers(_)
            | Node::Required(_)
            | Node::Member(..)
            | Node::Matching(..)
            | Node::Others(..)
            | Node::Names(_)
            | Node::Dependent(..)
            | Node::OtherMembers(..) => Some(Kind::OBJECT),
        }
    }
}

/// A schema of one of the documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'d> {
    pub(super) schema: &'d Value,
    /// Which document it is of.
    pub(super) document: usize,
}

impl<'d> Place<'d> {
    const fn with(self, schema: &'d Value) -> Place<'d> {
        Place { schema, ..self }
    }

    /// The schemas of a keyword with a list.
    pub(super) fn list(self, keyword: &str) -> impl Iterator<Item = Place<'d>> + use<'d> {
        let list = self.schema.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten().map(move |schema| self.with(schema))
    }

    pub(super) fn child(self, keyword: &str) -> Option<Place<'d>> {
        self.schema.get(keyword).map(|schema| self.with(schema))
    }

    pub(super) fn map(self, keyword: &str) -> impl Iterator<Item = (&'d String, Place<'d>)> + use<'d> {
        let map = self.schema.get(keyword).and_then(Value::as_object);
        map.into_iter().flatten().map(move |(name, schema)| (name, self.with(schema)))
    }
}

/// All conditions, the values and the schemas that they name.
pub(super) struct Nodes<'d> {
    documents: [&'d Value; 2],
    all: Vec<Rc<Node>>,
    known: FxHashMap<Rc<Node>, u32>,
    of_schema: FxHashMap<(usize, usize), Literal>,
    values: Vec<Value>,
    numbers: FxHashMap<String, usize>,
    /// Definitions, by the document and the name.
    definitions: Vec<Place<'d>>,
    defined: FxHashMap<(usize, &'d str), usize>,
    pub(super) schemas: Vec<Place<'d>>,
    unknown: usize,
}

impl<'d> Nodes<'d> {
    pub(super) fn new(documents: [&'d Value; 2]) -> Nodes<'d> {
        let mut nodes = Nodes {
            documents,
            all: Vec::new(),
            known: FxHashMap::default(),
            of_schema: FxHashMap::default(),
            values: Vec::new(),
            numbers: FxHashMap::default(),
            definitions: Vec::new(),
            defined: FxHashMap::default(),
            schemas: Vec::new(),
            unknown: 0,
        };
        nodes.literal(Node::All(Vec::new()));
        nodes
    }

    pub(super) fn node(&self, literal: Literal) -> Rc<Node> {
        Rc::clone(&self.all[literal.node()])
    }

    pub(super) fn shared(&self, literal: Literal) -> &Node {
        &self.all[literal.node()]
    }

    pub(super) fn value(&self, number: usize) -> &Value {
        &self.values[number]
    }

    pub(super) fn literal(&mut self, node: Node) -> Literal {
        if let Some(known) = self.known.get(&node) {
            return Literal(known << 1);
        }
        let number = self.all.len() as u32;
        let node = Rc::new(node);
        self.all.push(Rc::clone(&node));
        self.known.insert(node, number);
        Literal(number << 1)
    }

    pub(super) fn all_of(&mut self, mut parts: Vec<Literal>) -> Literal {
        parts.sort_in_order();
        parts.dedup();
        parts.retain(|part| *part != Literal::TRUE);
        match parts[..] {
            [] => Literal::TRUE,
            [one] => one,
            _ if parts.contains(&Literal::FALSE) => Literal::FALSE,
            _ => self.literal(Node::All(parts)),
        }
    }

    pub(super) fn any_of(&mut self, parts: Vec<Literal>) -> Literal {
        self.all_of(parts.into_iter().map(Literal::denied).collect()).denied()
    }

    /// That a value is a text.
    pub(super) fn texts(&mut self) -> Literal {
        self.literal(Node::Kinds(Kind::TEXT))
    }

    pub(super) fn pattern(&mut self, pattern: &Text) -> Literal {
        self.literal(Node::Pattern(pattern.clone()))
    }

    /// That a value is one of some.
    pub(super) fn among<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Literal {
        let mut numbers: Vec<usize> = values.into_iter().map(|value| self.number_of(value)).collect();
        numbers.sort_in_order();
        numbers.dedup();
        self.literal(Node::Among(numbers))
    }

    fn number_of(&mut self, value: &Value) -> usize {
        let next = self.values.len();
        let number = *self.numbers.entry(spelled(value)).or_insert(next);
        if number == next {
            self.values.push(value.clone());
        }
        number
    }

    /// What a list or an object is, as conditions of its own kind.
    pub(super) fn parts_of(&mut self, number: usize) -> Vec<Literal> {
        let mut parts = Vec::new();
        match self.values[number].clone() {
            Value::Array(list) => {
                parts.extend(
                    [Node::FewestItems(list.len()), Node::MostItems(list.len())].map(|node| self.literal(node)),
                );
                for (index, one) in list.iter().enumerate() {
                    let one = self.among([one]);
                    parts.push(self.literal(Node::Item(index, one)));
                }
            }
            Value::Object(map) => {
                for (name, one) in &map {
                    let (name, one) = (Text::from(name.as_str()), self.among([one]));
                    parts.push(self.literal(Node::Required(name.clone())));
                    parts.push(self.literal(Node::Member(name, one)));
                }
                let names = map.keys().map(|name| Text::from(name.as_str())).collect();
                parts.push(self.literal(Node::Others(names, Vec::new(), Literal::FALSE)));
            }
            _ => {}
        }
        parts
    }

    fn unknown(&mut self) -> Literal {
        self.unknown += 1;
        self.literal(Node::Unknown(self.unknown))
    }

    /// What a definition says.
    pub(super) fn defined(&mut self, number: usize) -> Literal {
        let place = self.definitions[number];
        self.schema(place)
    }

    /// Where a reference leads.
    pub(super) fn target(&self, place: Place<'d>) -> Option<(&'d str, Place<'d>)> {
        let name = place.schema.as_str()?.strip_prefix("#/$defs/")?;
        let schema = self.documents[place.document].get("$defs")?.get(name)?;
        Some((name, place.with(schema)))
    }

    /// What a schema says.
    pub(super) fn schema(&mut self, place: Place<'d>) -> Literal {
        let map = match place.schema {
            Value::Object(map) => map,
            Value::Bool(true) => return Literal::TRUE,
            _ => return Literal::FALSE,
        };
        let key = (std::ptr::from_ref(place.schema).addr(), place.document);
        if let Some(known) = self.of_schema.get(&key) {
            return *known;
        }
        let mut parts = Vec::new();
        for (keyword, value) in map {
            self.keyword(keyword, place.with(value), (map, place), &mut parts);
        }
        let literal = self.all_of(parts);
        self.of_schema.insert(key, literal);
        literal
    }

    fn each(&mut self, list: impl Iterator<Item = Place<'d>>) -> Vec<Literal> {
        list.map(|place| self.schema(place)).collect()
    }

    fn keyword(
        &mut self,
        keyword: &'d str,
        at: Place<'d>,
        (map, place): (&'d Map<String, Value>, Place<'d>),
        parts: &mut Vec<Literal>,
    ) {
        match keyword {
            "$ref" => parts.push(self.reference(at)),
            "allOf" => parts.extend(self.each(place.list(keyword))),
            "anyOf" => {
                let branches = self.each(place.list(keyword));
                parts.push(self.any_of(branches));
            }
            "oneOf" => {
                let branches = self.each(place.list(keyword));
                parts.push(self.literal(Node::One(branches)));
            }
            "not" => parts.push(self.schema(at).denied()),
            "if" => {
                let mut of = |keyword: &str| place.child(keyword).map_or(Literal::TRUE, |at| self.schema(at));
                let (condition, then, other) = (of("if"), of("then"), of("else"));
                if (then, other) != (Literal::TRUE, Literal::TRUE) {
                    parts.push(self.literal(Node::If(condition, then, other)));
                }
            }
            "type" => {
                let names = at.schema.as_array().map_or(std::slice::from_ref(at.schema), Vec::as_slice);
                let kinds = names.iter().filter_map(Value::as_str).map(Kind::named).fold(Kind(0), Kind::or);
                if kinds != Kind::ALL {
                    parts.push(self.literal(Node::Kinds(kinds)));
                }
            }
            "enum" => {
                let values = at.schema.as_array().map_or(&[][..], Vec::as_slice);
                parts.push(self.among(values));
            }
            "const" => parts.push(self.among([at.schema])),
            _ => self.of_one_kind(keyword, at, (map, place), parts),
        }
    }

    pub(super) fn reference(&mut self, at: Place<'d>) -> Literal {
        let Some((name, target)) = self.target(at) else { return self.unknown() };
        let next = self.definitions.len();
        let number = *self.defined.entry((at.document, name)).or_insert(next);
        if number == next {
            self.definitions.push(target);
        }
        self.literal(Node::Defined(number))
    }

    /// A keyword that says something of one kind of value.
    fn of_one_kind(
        &mut self,
        keyword: &'d str,
        at: Place<'d>,
        (map, place): (&'d Map<String, Value>, Place<'d>),
        parts: &mut Vec<Literal>,
    ) {
        let limit = |make: &dyn Fn(Decimal) -> Node| at.schema.as_number().and_then(Decimal::of).map(make);
        let counted = |make: &dyn Fn(usize) -> Node| count(at.schema).map(make);
        let node = match keyword {
            "minimum" => limit(&|limit| Node::Least(limit, false)),
            "exclusiveMinimum" => limit(&|limit| Node::Least(limit, true)),
            "maximum" => limit(&|limit| Node::Most(limit, false)),
            "exclusiveMaximum" => limit(&|limit| Node::Most(limit, true)),
            "multipleOf" => {
                limit(&Node::Multiple).filter(|node| !matches!(node, Node::Multiple(step) if step.is_zero()))
            }
            "minLength" => counted(&Node::Shortest),
            "maxLength" => counted(&Node::Longest),
            "pattern" => at.schema.as_str().map(|pattern| Node::Pattern(pattern.into())),
            "format" => at.schema.as_str().map(|format| Node::Format(format.into())),
            "minItems" => counted(&Node::FewestItems),
            "maxItems" => counted(&Node::MostItems),
            "uniqueItems" if at.schema == &Value::Bool(true) => Some(Node::Distinct),
            "uniqueItems" => return,
            "minProperties" => counted(&Node::FewestMembers),
            "maxProperties" => counted(&Node::MostMembers),
            _ => return self.of_inner(keyword, at, (map, place), parts),
        };
        parts.push(match node {
            Some(Node::Shortest(0) | Node::FewestItems(0) | Node::FewestMembers(0)) => return,
            Some(node) => self.literal(node),
            None => self.unknown(),
        });
    }

    /// A keyword with schemas for what is inside of a value.
    fn of_inner(
        &mut self,
        keyword: &'d str,
        at: Place<'d>,
        (map, place): (&'d Map<String, Value>, Place<'d>),
        parts: &mut Vec<Literal>,
    ) {
        let names = |keyword: &str| -> Vec<Text> {
            let names = map.get(keyword).and_then(Value::as_object).into_iter().flatten();
            names.map(|(name, _)| Text::from(name.as_str())).collect()
        };
        match keyword {
            "required" => {
                let names = at.schema.as_array().into_iter().flatten().filter_map(Value::as_str);
                parts.extend(names.map(|name| self.literal(Node::Required(name.into()))));
            }
            "properties" => {
                for (name, inner) in place.map(keyword) {
                    let inner = self.schema(inner);
                    self.say(Node::Member(name.as_str().into(), inner), inner, parts);
                }
            }
            "patternProperties" => {
                for (pattern, inner) in place.map(keyword) {
                    let inner = self.schema(inner);
                    self.say(Node::Matching(pattern.as_str().into(), inner), inner, parts);
                }
            }
            "additionalProperties" => {
                let inner = self.schema(at);
                self.say(Node::Others(names("properties"), names("patternProperties"), inner), inner, parts);
            }
            "propertyNames" => {
                let inner = self.schema(at);
                self.say(Node::Names(inner), inner, parts);
            }
            "dependentRequired" => {
                for (name, list) in place.map(keyword) {
                    let list = list.schema.as_array().into_iter().flatten().filter_map(Value::as_str);
                    let list: Vec<Literal> = list.map(|name| self.literal(Node::Required(name.into()))).collect();
                    let inner = self.all_of(list);
                    self.say(Node::Dependent(name.as_str().into(), inner), inner, parts);
                }
            }
            "dependentSchemas" => {
                for (name, inner) in place.map(keyword) {
                    let inner = self.schema(inner);
                    self.say(Node::Dependent(name.as_str().into(), inner), inner, parts);
                }
            }
            _ => self.of_items(keyword, at, (map, place), parts),
        }
    }

    /// A keyword with schemas for items, or for what is left over.
    fn of_items(
        &mut self,
        keyword: &'d str,
        at: Place<'d>,
        (map, place): (&'d Map<String, Value>, Place<'d>),
        parts: &mut Vec<Literal>,
    ) {
        match keyword {
            "prefixItems" => {
                for (index, inner) in place.list(keyword).enumerate() {
                    let inner = self.schema(inner);
                    self.say(Node::Item(index, inner), inner, parts);
                }
            }
            "items" => {
                let (first, inner) = (place.list("prefixItems").count(), self.schema(at));
                self.say(Node::ItemsFrom(first, inner), inner, parts);
            }
            "contains" => {
                let number = |keyword: &str, other: usize| map.get(keyword).and_then(count).unwrap_or(other);
                let (least, most) = (number("minContains", 1), number("maxContains", usize::MAX));
                let inner = self.schema(at);
                if (least, most) != (0, usize::MAX) {
                    parts.push(self.literal(Node::Contains(inner, least, most)));
                }
            }
            "unevaluatedProperties" | "unevaluatedItems" => {
                let (inner, number) = (self.schema(at), self.schemas.len());
                self.schemas.push(place);
                let node = match keyword {
                    "unevaluatedItems" => Node::OtherItems(number, inner),
                    _ => Node::OtherMembers(number, inner),
                };
                self.say(node, inner, parts);
            }
            _ => {}
        }
    }

    /// Says something of what is inside, unless that is nothing.
    fn say(&mut self, node: Node, inner: Literal, parts: &mut Vec<Literal>) {
        if inner != Literal::TRUE {
            parts.push(self.literal(node));
        }
    }
}

/// A number of characters, items or members.
fn count(value: &Value) -> Option<usize> {
    let whole = || value.as_f64().filter(|count| count.fract() == 0.0 && (0.0..=9e15).contains(count));
    value.as_u64().or_else(|| whole().map(|count| count as u64)).map(|count| count as usize)
}

/// A value in one spelling, whichever way its numbers are written.
fn spelled(value: &Value) -> String {
    match value {
        Value::Number(number) => Decimal::of(number).map_or_else(|| number.to_string(), |number| number.to_string()),
        Value::Array(list) => list.iter().fold("[".to_owned(), |text, one| text + &spelled(one) + ","),
        Value::Object(map) => {
            let mut members: Vec<String> =
                map.iter().map(|(name, one)| format!("{}:{},", Value::from(name.as_str()), spelled(one))).collect();
            members.sort_in_order();
            format!("{{{}", members.concat())
        }
        plain => plain.to_string(),
    }
}
