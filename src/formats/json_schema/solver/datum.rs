//! Values that are put together of others and share them: of what doubles at each level no more is written down than there is
//! room for.

use std::rc::Rc;

use serde_json::{Map, Value};

use super::Found;
use super::nodes::Text;
use crate::formats::json_schema::shrink::values;

/// Values in a value that is written down, with those inside of it.
const MOST_VALUES: usize = 20_000;

/// A value in the making.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Datum {
    shape: Rc<Shape>,
    /// How many values it has, at any depth.
    count: usize,
}

#[derive(Debug, PartialEq)]
enum Shape {
    Plain(Value),
    /// Items, and how many more there are like the last.
    List(Vec<Datum>, usize),
    Object(Vec<(Text, Datum)>),
}

impl Datum {
    pub(super) fn list(items: Vec<Datum>, more: usize) -> Datum {
        let last = items.last().map_or(0, |last| last.count.saturating_mul(more));
        let count = items.iter().fold(last.saturating_add(1), |count, item| count.saturating_add(item.count));
        Datum { shape: Rc::new(Shape::List(items, more)), count }
    }

    /// An object with members of different names.
    pub(super) fn object(members: Vec<(Text, Datum)>) -> Datum {
        let count = members.iter().fold(1, |count: usize, (_, member)| count.saturating_add(member.count));
        Datum { shape: Rc::new(Shape::Object(members)), count }
    }

    /// The text that it is, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match &*self.shape {
            Shape::Plain(value) => value.as_str(),
            Shape::List(..) | Shape::Object(_) => None,
        }
    }

    /// The value; `None` where it is too large.
    pub(super) fn value(&self) -> Option<Value> {
        (self.count <= MOST_VALUES).then(|| self.written())
    }

    fn written(&self) -> Value {
        match &*self.shape {
            Shape::Plain(value) => value.clone(),
            Shape::List(items, more) => {
                let mut list: Vec<Value> = items.iter().map(Datum::written).collect();
                let last = list.last().cloned();
                list.extend(last.into_iter().flat_map(|last| std::iter::repeat_n(last, *more)));
                Value::Array(list)
            }
            Shape::Object(members) => {
                let members = members.iter().map(|(name, member)| (name.to_string(), member.written()));
                Value::Object(members.collect::<Map<String, Value>>())
            }
        }
    }
}

impl From<Value> for Datum {
    fn from(value: Value) -> Datum {
        let count = values(&value);
        Datum { shape: Rc::new(Shape::Plain(value)), count }
    }
}

impl Found<Datum> {
    /// A value.
    pub(super) fn plain(value: Value) -> Found<Datum> {
        Found::One(Datum::from(value))
    }

    /// What one of several finds, the first one that is small enough: nothing where none of them does.
    pub(super) fn first(all: impl IntoIterator<Item = Found<Datum>>) -> Found<Datum> {
        let mut rest = Found::Nothing;
        for found in all {
            match (&found, &rest) {
                (Found::One(datum), _) if datum.count <= MOST_VALUES => return found,
                (Found::Nothing, _) | (_, Found::One(_)) => {}
                (Found::One(_) | Found::Unknown, _) => rest = found,
            }
        }
        rest
    }

    /// The same where something was left out that may refuse the value.
    pub(super) fn doubted(self, is_doubtful: bool) -> Found<Datum> {
        if is_doubtful && self != Found::Nothing { Found::Unknown } else { self }
    }

    /// The same, written down: what is too large for that is not known.
    pub(super) fn written(self) -> Found {
        match self {
            Found::Nothing => Found::Nothing,
            Found::One(datum) => datum.value().map_or(Found::Unknown, Found::One),
            Found::Unknown => Found::Unknown,
        }
    }
}
