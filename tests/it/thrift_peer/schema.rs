//! A model of Thrift programs that is easy to make, to change, to print and to fill with data, and knows nothing of the
//! program under test.
//!
//! Every type, field and value has a number of its own, so that one element is found on both sides and can be left out of
//! both.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

pub use crate::peers::{Dice, Id};

pub const BASES: [&str; 8] = ["bool", "i8", "i16", "i32", "i64", "double", "string", "binary"];

#[derive(Clone, PartialEq, Eq)]
pub enum Type {
    Base(&'static str),
    Enum(Id),
    Struct(Id),
    /// A typedef.
    Alias(Id),
    List(Box<Type>),
    Set(Box<Type>),
    Map(Box<Type>, Box<Type>),
}

impl Type {
    /// The types with names in it.
    fn named(&self) -> Vec<Id> {
        match self {
            Type::Base(_) => Vec::new(),
            Type::Enum(id) | Type::Struct(id) | Type::Alias(id) => vec![*id],
            Type::List(items) | Type::Set(items) => items.named(),
            Type::Map(key, value) => [key.named(), value.named()].concat(),
        }
    }
}

#[derive(Clone, Default)]
pub struct Schema {
    pub enums: Vec<Enum>,
    /// Each refers to earlier ones only.
    pub aliases: Vec<Alias>,
    pub structs: Vec<Struct>,
    pub services: Vec<Service>,
    pub next: Id,
}

#[derive(Clone)]
pub struct Enum {
    pub id: Id,
    pub name: String,
    /// Whether it lies in the file that the other one includes.
    pub is_far: bool,
    /// Whether the numbers are left to the compiler.
    pub is_counted: bool,
    pub values: Vec<EnumValue>,
}

#[derive(Clone)]
pub struct EnumValue {
    pub id: Id,
    pub name: String,
    pub number: i32,
}

#[derive(Clone)]
pub struct Alias {
    pub id: Id,
    pub is_far: bool,
    pub ty: Type,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Struct,
    Union,
    Exception,
}

#[derive(Clone)]
pub struct Struct {
    pub id: Id,
    pub name: String,
    pub is_far: bool,
    pub sort: Sort,
    pub fields: Vec<Field>,
    /// Whether the ids are left to the compiler.
    pub is_counted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Requiredness {
    Required,
    Optional,
    Default,
}

#[derive(Clone)]
pub struct Field {
    pub id: Id,
    pub name: String,
    pub number: i16,
    pub ty: Type,
    pub requiredness: Requiredness,
    pub default: Option<Default>,
}

#[derive(Clone, PartialEq)]
pub enum Default {
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(&'static str),
    /// A value of an enum.
    Value(Id),
}

#[derive(Clone)]
pub struct Service {
    pub id: Id,
    pub functions: Vec<Function>,
}

#[derive(Clone)]
pub struct Function {
    pub id: Id,
    pub name: String,
    pub returns: Option<Type>,
    pub arguments: Vec<Field>,
    pub throws: Vec<Field>,
    pub is_oneway: bool,
}

/// What is written and read by itself: its name, its fields, and what it is.
pub struct Whole {
    pub name: String,
    pub fields: Vec<Field>,
    pub sort: &'static str,
}

impl Schema {
    pub fn fresh(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    pub fn enumeration(&self, id: Id) -> Option<&Enum> {
        self.enums.iter().find(|one| one.id == id)
    }

    pub fn structure(&self, id: Id) -> Option<&Struct> {
        self.structs.iter().find(|one| one.id == id)
    }

    /// A type without typedefs.
    pub fn plain(&self, ty: &Type) -> Type {
        match ty {
            Type::Alias(id) => match self.aliases.iter().find(|one| one.id == *id) {
                Some(alias) => self.plain(&alias.ty),
                None => Type::Base("bool"),
            },
            Type::List(items) => Type::List(Box::new(self.plain(items))),
            Type::Set(items) => Type::Set(Box::new(self.plain(items))),
            Type::Map(key, value) => Type::Map(Box::new(self.plain(key)), Box::new(self.plain(value))),
            other => other.clone(),
        }
    }

    fn types(&self) -> BTreeMap<Id, bool> {
        let enums = self.enums.iter().map(|one| (one.id, one.is_far));
        let aliases = self.aliases.iter().map(|one| (one.id, one.is_far));
        enums.chain(aliases).chain(self.structs.iter().map(|one| (one.id, one.is_far))).collect()
    }

    /// Everything that can be left out.
    pub fn elements(&self) -> Vec<Id> {
        let mut all: Vec<Id> = self.types().into_keys().collect();
        let fields = |fields: &[Field]| fields.iter().map(|field| field.id).collect::<Vec<_>>();
        all.extend(self.enums.iter().flat_map(|one| one.values.iter().map(|value| value.id)));
        all.extend(self.structs.iter().flat_map(|one| fields(&one.fields)));
        for service in &self.services {
            all.push(service.id);
            for function in &service.functions {
                all.push(function.id);
                all.extend(fields(&function.arguments).into_iter().chain(fields(&function.throws)));
            }
        }
        all
    }

    /// The schema without an element and all that refers to it.
    pub fn without(&self, element: Id) -> Schema {
        let mut schema = self.clone();
        schema.retain(&|id| id != element, &|ty| !ty.named().contains(&element));
        schema.settle();
        schema
    }

    fn retain(&mut self, stays: &dyn Fn(Id) -> bool, is_there: &dyn Fn(&Type) -> bool) {
        let fields = |fields: &mut Vec<Field>| fields.retain(|field| stays(field.id) && is_there(&field.ty));
        self.enums.retain(|one| stays(one.id));
        self.enums.iter_mut().for_each(|one| one.values.retain(|value| stays(value.id)));
        self.aliases.retain(|one| stays(one.id) && is_there(&one.ty));
        self.structs.retain(|one| stays(one.id));
        self.structs.iter_mut().for_each(|one| fields(&mut one.fields));
        self.services.retain(|one| stays(one.id));
        for service in &mut self.services {
            service.functions.retain(|one| stays(one.id) && one.returns.as_ref().is_none_or(is_there));
            for function in &mut service.functions {
                fields(&mut function.arguments);
                fields(&mut function.throws);
            }
        }
    }

    /// Takes away what refers to nothing, and what cannot stand where it stands.
    pub fn settle(&mut self) {
        loop {
            let before = self.elements().len();
            self.enums.retain(|one| !one.values.is_empty());
            let types = self.types();
            self.retain(&|_| true, &|ty| ty.named().iter().all(|id| types.contains_key(id)));
            self.services.retain(|one| !one.functions.is_empty());
            if self.elements().len() == before {
                break;
            }
        }
        for one in self.enums.iter_mut().filter(|one| one.is_counted) {
            one.values.iter_mut().zip(0..).for_each(|(value, number)| value.number = number);
        }
        for one in &mut self.enums {
            let mut numbers = BTreeSet::new();
            one.values.retain(|value| numbers.insert(value.number));
        }
        self.settle_files();
        let copy = self.clone();
        for one in &mut self.structs {
            copy.settle_fields(&mut one.fields, (one.sort, one.is_counted));
            for field in &mut one.fields {
                // What holds itself comes to an end.
                let is_later = |id: &Id| *id >= one.id && copy.structure(*id).is_some();
                if copy.plain(&field.ty).named().iter().any(is_later) {
                    field.requiredness = Requiredness::Optional;
                }
            }
        }
        for function in self.services.iter_mut().flat_map(|one| &mut one.functions) {
            let is_thrown = |field: &Field| match field.ty {
                Type::Struct(id) => copy.structure(id).is_some_and(|one| one.sort == Sort::Exception),
                _ => false,
            };
            function.throws.retain(|field| !function.is_oneway && field.number > 0 && is_thrown(field));
            function.returns = function.returns.take().filter(|_| !function.is_oneway);
            copy.settle_fields(&mut function.arguments, (Sort::Struct, false));
            copy.settle_fields(&mut function.throws, (Sort::Union, false));
        }
    }

    /// The file that is included refers to nothing outside.
    fn settle_files(&mut self) {
        loop {
            let types = self.types();
            let leaves = |ty: &Type| ty.named().iter().any(|id| types.get(id) == Some(&false));
            let before: Vec<bool> = types.values().copied().collect();
            self.aliases.iter_mut().for_each(|one| one.is_far &= !leaves(&one.ty));
            for one in &mut self.structs {
                one.is_far &= !one.fields.iter().any(|field| leaves(&field.ty));
            }
            if self.types().into_values().collect::<Vec<_>>() == before {
                break;
            }
        }
    }

    fn settle_fields(&self, fields: &mut Vec<Field>, (sort, is_counted): (Sort, bool)) {
        let (mut numbers, mut names) = (BTreeSet::new(), BTreeSet::new());
        if is_counted {
            fields.iter_mut().zip(1..).for_each(|(field, at): (_, i16)| field.number = -at);
        } else {
            // The compiler gives a field whose id is written and not positive another one.
            fields.iter_mut().for_each(|field| field.number = field.number.abs().max(1));
        }
        fields.retain(|field| numbers.insert(field.number) && names.insert(field.name.clone()));
        for field in fields.iter_mut() {
            if sort == Sort::Union {
                (field.requiredness, field.default) = (Requiredness::Default, None);
            }
            let plain = self.plain(&field.ty);
            field.default = field.default.take().filter(|default| self.fits(&plain, default));
        }
    }

    fn fits(&self, ty: &Type, default: &Default) -> bool {
        match (ty, default) {
            (Type::Base("bool"), Default::Bool(_)) | (Type::Base("double"), Default::Real(_)) => true,
            (Type::Base("i8" | "i16" | "i32" | "i64"), Default::Int(_)) => true,
            (Type::Base("string"), Default::Text(_)) => true,
            (Type::Enum(id), Default::Value(value)) => {
                self.enumeration(*id).is_some_and(|one| one.values.iter().any(|other| other.id == *value))
            }
            _ => false,
        }
    }

    /// What is written by itself: structs, and what functions take and give.
    pub fn wholes(&self) -> Vec<Whole> {
        let mut all: Vec<Whole> = self.structs.iter().map(|one| self.whole(one)).collect();
        for service in &self.services {
            for function in &service.functions {
                let name = format!("a.V{}.{}()", service.id, function.name);
                let fields = function.arguments.clone();
                all.push(Whole { name: format!("{name} arguments"), fields, sort: "arguments" });
                let success = function.returns.as_ref().map(|ty| Field {
                    id: 0,
                    name: "success".to_owned(),
                    number: 0,
                    ty: ty.clone(),
                    requiredness: Requiredness::Optional,
                    default: None,
                });
                let fields = success.into_iter().chain(function.throws.clone()).collect();
                if !function.is_oneway {
                    all.push(Whole { name: format!("{name} result"), fields, sort: "result" });
                }
            }
        }
        all
    }

    fn whole(&self, one: &Struct) -> Whole {
        let sort = ["struct", "union", "exception"][one.sort as usize];
        Whole { name: qualified(&one.name, one.is_far), fields: one.fields.clone(), sort }
    }

    /// The schema as the peer takes it.
    pub fn spec(&self) -> Json {
        let field = |field: &Field| {
            json!({
                "id": field.number,
                "name": field.name,
                "type": self.told(&self.plain(&field.ty)),
                "required": field.requiredness == Requiredness::Required,
                "default": field.default.as_ref().map(|default| self.value(&self.plain(&field.ty), default)),
            })
        };
        let wholes = self.wholes();
        let told = wholes.iter().map(|one| {
            let fields: Vec<Json> = one.fields.iter().map(field).collect();
            (one.name.clone(), json!({ "sort": one.sort, "fields": fields }))
        });
        Json::Object(told.collect())
    }

    /// The names of the values of enums.
    pub fn names(&self) -> Json {
        let values = |one: &Enum| {
            let values = one.values.iter().map(|value| (value.name.clone(), json!(value.number)));
            Json::Object(values.collect::<Map<_, _>>())
        };
        Json::Object(self.enums.iter().map(|one| (qualified(&one.name, one.is_far), values(one))).collect())
    }

    fn told(&self, ty: &Type) -> Json {
        match ty {
            Type::Base(name) => json!(name),
            Type::Enum(id) => {
                json!(["enum", self.enumeration(*id).map(|one| qualified(&one.name, one.is_far))])
            }
            Type::Struct(id) => {
                json!(["struct", self.structure(*id).map(|one| qualified(&one.name, one.is_far))])
            }
            Type::Alias(_) => Json::Null,
            Type::List(items) => json!(["list", self.told(items)]),
            Type::Set(items) => json!(["set", self.told(items)]),
            Type::Map(key, value) => json!(["map", self.told(key), self.told(value)]),
        }
    }

    /// A default as the peer tells values.
    fn value(&self, ty: &Type, default: &Default) -> Json {
        match (default, ty) {
            (Default::Bool(truth), _) => json!(truth),
            (Default::Int(number), _) => json!(number),
            (Default::Real(number), _) => json!({ "real": format!("{number:?}") }),
            (Default::Text(text), _) => {
                json!({ "text": text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>() })
            }
            (Default::Value(id), Type::Enum(of)) => {
                let of = self.enumeration(*of);
                let number = of.and_then(|of| of.values.iter().find(|value| value.id == *id)).map(|one| one.number);
                json!({ "enum": of.map(|of| qualified(&of.name, of.is_far)), "number": number })
            }
            (Default::Value(_), _) => Json::Null,
        }
    }

    fn spelled(&self, ty: &Type, from_far: bool) -> String {
        let name = |name: &str, is_far: bool| if is_far && !from_far { format!("b.{name}") } else { name.to_owned() };
        match ty {
            Type::Base(base) => (*base).to_owned(),
            Type::Enum(id) => self.enumeration(*id).map_or_else(String::new, |one| name(&one.name, one.is_far)),
            Type::Struct(id) => self.structure(*id).map_or_else(String::new, |one| name(&one.name, one.is_far)),
            Type::Alias(id) => {
                let alias = self.aliases.iter().find(|one| one.id == *id);
                alias.map_or_else(String::new, |one| name(&format!("A{id}"), one.is_far))
            }
            Type::List(items) => format!("list<{}>", self.spelled(items, from_far)),
            Type::Set(items) => format!("set<{}>", self.spelled(items, from_far)),
            Type::Map(key, value) => {
                format!("map<{}, {}>", self.spelled(key, from_far), self.spelled(value, from_far))
            }
        }
    }

    /// The schema as two files, the second of which the first one includes.
    pub fn files(&self) -> BTreeMap<String, String> {
        let (near, far) = (self.text(false), self.text(true));
        if near.is_empty() && far.is_empty() {
            return BTreeMap::new();
        }
        let include = if far.is_empty() { "" } else { "include \"b.thrift\"\n" };
        let mut files = BTreeMap::from([("a.thrift".to_owned(), format!("{include}{near}"))]);
        if !far.is_empty() {
            files.insert("b.thrift".to_owned(), far);
        }
        files
    }

    fn text(&self, is_far: bool) -> String {
        let mut text = String::new();
        for one in self.enums.iter().filter(|one| one.is_far == is_far) {
            let value = |value: &EnumValue| match one.is_counted {
                true => value.name.clone(),
                false => format!("{} = {}", value.name, value.number),
            };
            let values: Vec<String> = one.values.iter().map(value).collect();
            let _ = writeln!(text, "enum {} {{ {} }}", one.name, values.join(", "));
        }
        for one in self.aliases.iter().filter(|one| one.is_far == is_far) {
            let _ = writeln!(text, "typedef {} A{}", self.spelled(&one.ty, is_far), one.id);
        }
        for one in self.structs.iter().filter(|one| one.is_far == is_far) {
            let sort = ["struct", "union", "exception"][one.sort as usize];
            let fields = self.fields(&one.fields, is_far, one.is_counted).join("; ");
            let _ = writeln!(text, "{sort} {} {{ {fields} }}", one.name);
        }
        for one in self.services.iter().filter(|_| !is_far) {
            let functions: Vec<String> = one.functions.iter().map(|function| self.function(function)).collect();
            let _ = writeln!(text, "service V{} {{ {} }}", one.id, functions.join(" "));
        }
        text
    }

    fn function(&self, of: &Function) -> String {
        let returns = of.returns.as_ref().map_or_else(|| "void".to_owned(), |ty| self.spelled(ty, false));
        let oneway = if of.is_oneway { "oneway " } else { "" };
        let arguments = self.fields(&of.arguments, false, false).join(", ");
        let throws = self.fields(&of.throws, false, false).join(", ");
        let throws = if throws.is_empty() { throws } else { format!(" throws ({throws})") };
        format!("{oneway}{returns} {}({arguments}){throws},", of.name)
    }

    fn fields(&self, fields: &[Field], is_far: bool, is_counted: bool) -> Vec<String> {
        let field = |field: &Field| {
            let id = if is_counted { String::new() } else { format!("{}: ", field.number) };
            let requiredness = ["required ", "optional ", ""][field.requiredness as usize];
            let default = field.default.as_ref().map_or_else(String::new, |default| {
                format!(" = {}", self.constant(&self.plain(&field.ty), default, is_far))
            });
            format!("{id}{requiredness}{} {}{default}", self.spelled(&field.ty, is_far), field.name)
        };
        fields.iter().map(field).collect()
    }

    fn constant(&self, ty: &Type, default: &Default, is_far: bool) -> String {
        match default {
            Default::Bool(truth) => truth.to_string(),
            Default::Int(number) => number.to_string(),
            Default::Real(number) => format!("{number:?}"),
            Default::Text(text) => format!("\"{text}\""),
            Default::Value(id) => {
                let Type::Enum(of) = ty else { return String::new() };
                let values = self.enumeration(*of).map(|one| one.values.clone()).unwrap_or_default();
                let value = values.iter().find(|value| value.id == *id).map(|value| value.name.clone());
                format!("{}.{}", self.spelled(ty, is_far), value.unwrap_or_default())
            }
        }
    }
}

fn qualified(name: &str, is_far: bool) -> String {
    format!("{}.{name}", if is_far { "b" } else { "a" })
}
