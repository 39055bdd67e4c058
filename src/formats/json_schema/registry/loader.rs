//! Schemas in the making: which have been met, where references lead, and what is written under a keyword.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::shape::{Array, Kind, Number, Object, Shape, ShapeId, Shapes, Text};
use crate::formats::json_schema::address;
use crate::formats::json_schema::dialect::Draft;
use crate::formats::json_schema::linker::{Found, Linker, Place};
use crate::ordered::InOrder;
use crate::syntax::json::{Json, JsonKind, Member};

/// The members of an object, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Written<'j, 'p> {
    pub(super) json: &'j Json<'j>,
    pub(super) place: &'p Place,
    pub(super) draft: Draft,
}

/// Says what a schema is; its parts are asked of the loader.
pub(super) type KindOf = for<'t> fn(&mut Loader<'_, 't>, Written<'t, '_>) -> Kind;

/// The schemas of one side in the making.
pub(super) struct Loader<'l, 't> {
    linker: &'l Linker<'t>,
    /// What an object of keywords is.
    kind: KindOf,
    pub(super) shapes: Shapes,
    known: FxHashMap<Place, ShapeId>,
    /// References whose targets are not loaded yet: the dialect is that of the document that refers.
    open: Vec<(ShapeId, Place, Draft)>,
}

impl<'l, 't> Loader<'l, 't> {
    /// Nothing is loaded yet.
    pub(super) fn new(linker: &'l Linker<'t>, kind: KindOf) -> Self {
        Loader { linker, kind, shapes: Shapes::default(), known: FxHashMap::default(), open: Vec::new() }
    }

    /// The schema at a place.
    pub(super) fn schema(&mut self, json: &'t Json<'t>, place: Place, draft: Draft) -> ShapeId {
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        let shape = Shape {
            place: Arc::new(place.clone()),
            text: Some(spelled(json).into()),
            has_default: false,
            is_connect_bytes: json.get("connect.type").and_then(Json::as_text) == Some("bytes"),
            kind: Kind::Empty,
        };
        let id = self.shapes.add(shape);
        self.known.insert(place.clone(), id);
        let written = Written { json, place: &place, draft };
        let is_newer = matches!(draft, Draft::D2019 | Draft::D2020);
        let kind = match &json.kind {
            JsonKind::Bool(false) => Kind::False,
            JsonKind::Object(_) => (self.kind)(self, written),
            _ => Kind::Empty,
        };
        if let Kind::Reference(_) = kind {
            self.refer(id, written);
        }
        let shape = &mut self.shapes.list[id.0 as usize];
        shape.kind = kind;
        // A default of `null` is none to the newer of the two loaders.
        shape.has_default =
            json.get("default").is_some_and(|default| !is_newer || !matches!(default.kind, JsonKind::Null));
        id
    }

    /// A schema under a keyword.
    pub(super) fn child(&mut self, of: Written<'t, '_>, keyword: &str, json: &'t Json<'t>) -> ShapeId {
        let pointer = address::step(&of.place.1, keyword);
        self.schema(json, (of.place.0, pointer), of.draft)
    }

    /// A schema in what stands under a keyword, by its name or index.
    pub(super) fn grandchild(&mut self, of: Written<'t, '_>, way: (&str, &str), json: &'t Json<'t>) -> ShapeId {
        let pointer = address::step(&address::step(&of.place.1, way.0), way.1);
        self.schema(json, (of.place.0, pointer), of.draft)
    }

    /// A schema that came about where another one stands.
    pub(super) fn generated(&mut self, of: Written<'t, '_>, kind: Kind) -> ShapeId {
        let place = Arc::new(of.place.clone());
        self.shapes.add(Shape { place, text: None, has_default: false, is_connect_bytes: false, kind })
    }

    /// A reference that came about beside other keywords.
    pub(super) fn reference(&mut self, of: Written<'t, '_>) -> ShapeId {
        let id = self.generated(of, Kind::Reference(None));
        self.refer(id, of);
        id
    }

    /// Remembers where a reference leads.
    fn refer(&mut self, id: ShapeId, of: Written<'t, '_>) {
        let written = of.json.get("$ref").or_else(|| of.json.get("$dynamicRef")).and_then(Json::as_text);
        let Some(written) = written else { return };
        let found = self.linker.resolve((of.place.0, &of.place.1), written);
        let place = match found {
            Found::Place(place) => Some(place),
            Found::Meta(..) | Found::Elsewhere(_) | Found::NoSchema => None,
            // The registry looks for definitions under both of their names.
            Found::Nothing => written.strip_prefix("#/$defs/").and_then(|name| {
                let pointer = format!("/definitions/{name}");
                self.linker.at(of.place.0, &pointer).map(|_| (of.place.0, pointer))
            }),
        };
        self.open.extend(place.map(|place| (id, place, of.draft)));
    }

    /// Loads what references lead to.
    pub(super) fn follow(&mut self) {
        while let Some((id, place, draft)) = self.open.pop() {
            let Some(json) = self.linker.at(place.0, &place.1) else { continue };
            let target = self.schema(json, place, draft);
            self.shapes.list[id.0 as usize].kind = Kind::Reference(Some(target));
        }
    }
}

impl<'j> Written<'j, '_> {
    pub(super) fn get(&self, keyword: &str) -> Option<&'j Json<'j>> {
        self.json.get(keyword)
    }

    pub(super) fn has_any(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.get(keyword).is_some())
    }

    pub(super) fn number(&self, keyword: &str) -> Option<f64> {
        match &self.get(keyword)?.kind {
            JsonKind::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub(super) fn text(&self, keyword: &str) -> Option<String> {
        self.get(keyword)?.as_text().map(str::to_owned)
    }

    pub(super) fn members(&self, keyword: &str) -> &'j [Member<'j>] {
        self.get(keyword).map_or(&[], members)
    }

    pub(super) fn items(&self, keyword: &str) -> &'j [Json<'j>] {
        self.get(keyword).map_or(&[], items)
    }

    /// The words of a list of words.
    pub(super) fn words(&self, keyword: &str) -> impl Iterator<Item = String> + use<'j> {
        self.items(keyword).iter().filter_map(Json::as_text).map(str::to_owned)
    }

    /// What is said of texts.
    pub(super) fn of_text(&self) -> Text {
        Text {
            max_length: self.number("maxLength"),
            min_length: self.number("minLength"),
            pattern: self.text("pattern"),
        }
    }

    /// What is said of numbers.
    pub(super) fn of_number(&self) -> Number {
        let multiple_of = self.get("multipleOf").and_then(|json| match &json.kind {
            JsonKind::Number(text) => Some(text.to_string()),
            _ => None,
        });
        Number {
            maximum: self.number("maximum"),
            minimum: self.number("minimum"),
            exclusive_maximum: self.number("exclusiveMaximum"),
            exclusive_minimum: self.number("exclusiveMinimum"),
            multiple_of,
            is_integer: false,
        }
    }

    /// What is said of arrays, their items aside.
    pub(super) fn of_array(&self) -> Array {
        Array {
            max_items: self.number("maxItems"),
            min_items: self.number("minItems"),
            is_unique: matches!(self.get("uniqueItems").map(|json| &json.kind), Some(JsonKind::Bool(true))),
            ..Array::default()
        }
    }

    /// What is said of objects, the schemas of their members aside.
    pub(super) fn of_object(&self) -> Object {
        Object {
            max_properties: self.number("maxProperties"),
            min_properties: self.number("minProperties"),
            required: self.words("required").collect(),
            ..Object::default()
        }
    }
}

pub(super) fn members<'j>(json: &'j Json<'j>) -> &'j [Member<'j>] {
    match &json.kind {
        JsonKind::Object(members) => members,
        _ => &[],
    }
}

pub(super) fn items<'j>(json: &'j Json<'j>) -> &'j [Json<'j>] {
    match &json.kind {
        JsonKind::List(items) => items,
        _ => &[],
    }
}

/// A value in one spelling: the order of members does not count, how a number is written does.
pub(super) fn spelled(json: &Json<'_>) -> String {
    match &json.kind {
        JsonKind::List(values) => {
            let values: Vec<String> = values.iter().map(spelled).collect();
            format!("[{}]", values.join(","))
        }
        JsonKind::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|member| format!("{:?}:{}", member.key, spelled(&member.value))).collect();
            members.sort_in_order();
            format!("{{{}}}", members.join(","))
        }
        _ => json.shown(),
    }
}
