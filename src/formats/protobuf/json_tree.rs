//! JSON as it stands: objects keep the order of their members, which decides where two of them name one field.

use std::fmt;

use rustc_hash::FxHashMap;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Json>),
    Object(Members),
}

/// The members of an object in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Members(Vec<(String, Json)>);

impl Json {
    pub(super) fn is_null(&self) -> bool {
        *self == Json::Null
    }

    /// The value as text, without white space.
    pub(super) fn to_text(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a tree with names of members as text can be written")
    }
}

impl Members {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        self.iter().find(|(known, _)| *known == name).map(|(_, json)| json)
    }

    /// Writes one more member behind the others.
    pub(super) fn push(&mut self, name: String, json: Json) {
        self.0.push((name, json));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, json)| (&**name, json))
    }

    /// All but the members of a name.
    pub(super) fn without(&self, name: &str) -> Members {
        Members(self.0.iter().filter(|(known, _)| known != name).cloned().collect())
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Json::Number(value.into())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => out.serialize_unit(),
            Json::Bool(value) => out.serialize_bool(*value),
            Json::Number(number) => number.serialize(out),
            Json::String(text) => out.serialize_str(text),
            Json::Array(values) => values.serialize(out),
            Json::Object(members) => {
                let mut object = out.serialize_map(Some(members.0.len()))?;
                members.iter().try_for_each(|(name, json)| object.serialize_entry(name, json))?;
                object.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        text.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element()? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    /// Of members of one name the last counts, where the first stands.
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let (mut members, mut places) = (Members::default(), FxHashMap::default());
        while let Some((name, json)) = object.next_entry::<String, Json>()? {
            match places.get(&name) {
                Some(place) => {
                    let (_, known): &mut (String, Json) = &mut members.0[*place];
                    *known = json;
                }
                None => {
                    places.insert(name.clone(), members.0.len());
                    members.push(name, json);
                }
            }
        }
        Ok(Json::Object(members))
    }
}
