//! What the defaults of fields mean (specification, *Complex Types*: records, `default`).
//!
//! A default of a union is of the first branch that it fits. Where a default of a record lacks a field, that field's own
//! default counts. All defaults together may take a number of steps that grows with the size of the files only, so that
//! no schema can make them endless.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::change::Span;
use crate::ordered::OrderedMap;
use crate::syntax::json::{Json, JsonKind, Member};
use crate::value::{Key, Record as RecordValue, Value};

use super::super::model::{Enum, FileId, Kind, Primitive, Record, Schema, TypeId};
use super::Linker;

/// Steps that all defaults of a side together may take beyond their size.
const STEPS: usize = if cfg!(test) { 200_000 } else { 2_000_000 };

/// How deep a default may be, the defaults of inner fields included.
const DEPTH_LIMIT: usize = 600;

/// From this many members on an object is indexed.
const MANY: usize = 16;

/// The first default of a file that is of a later branch of its union, and how many there are.
struct Later {
    span: Span,
    field: String,
    count: usize,
}

impl Linker<'_> {
    /// Understands the default of every field that has one.
    pub(super) fn understand_defaults(&mut self) {
        let mut steps = STEPS;
        let mut later: OrderedMap<usize, Later> = OrderedMap::new();
        let mut symbols = Symbols::default();
        for (record, index) in std::mem::take(&mut self.defaults) {
            let Some(Record { fields, .. }) = self.schema.record(record) else { continue };
            let field = &fields[index as usize];
            let Some(default) = &field.default else { continue };
            let (span, file) = (default.span, field.schema.file.0 as usize);
            steps += (span.end - span.start) as usize * 4;
            let mut reading = Reading {
                schema: &self.schema,
                steps,
                depth: 0,
                needs_1_12: false,
                resized: None,
                within: (field.schema.file, span),
                is_early: false,
                symbols: &mut symbols,
            };
            let outcome = reading.default(field.schema.ty, default.json);
            let Reading { needs_1_12, resized, is_early, .. } = reading;
            steps = reading.steps;
            let log = &mut self.logs[file];
            let value = match outcome {
                Ok(value) => value,
                Err(misfit) => {
                    let message = format_args!("the default of `{}` does not fit: {}", field.name, misfit.what);
                    log.refuse(misfit.span, message, misfit.help());
                    continue;
                }
            };
            if is_early {
                let message =
                    format_args!("the default of `{}` holds a record whose definition it stands in", field.name);
                log.refuse(
                    span,
                    message,
                    "Java refuses it, because the fields are not known yet; leave the default out",
                );
            }
            if let Some(size) = resized {
                let message =
                    format_args!("the default of `{}` has not the size of its type, {size} bytes", field.name);
                log.warning(span, message, "readers cut it or fill it with zeros, if they take it at all");
            }
            if needs_1_12 && default.json.as_text() == Some("null") {
                let message = format_args!("the default of `{}` is the text \"null\", not null", field.name);
                let help = "write null without quotes if nothing is meant; versions before 1.12 refuse the text";
                log.warning(span, message, help);
            } else if needs_1_12 {
                let first = || Later { span, field: field.name.to_string(), count: 0 };
                later.entry(file).or_insert_with(first).count += 1;
            }
            self.keep(record, index, value, needs_1_12);
        }
        self.warn_of_later(later);
    }

    /// Says it once for each file: where it is a habit, it is in every field.
    fn warn_of_later(&mut self, later: OrderedMap<usize, Later>) {
        for (file, Later { span, field, count }) in later {
            let others = match count {
                1 => String::new(),
                2 => " (and of another field)".to_owned(),
                _ => format!(" (and of {} other fields)", count - 1),
            };
            let message = format_args!(
                "the default of `{field}`{others} is not of the first branch of its union, which versions before 1.12 refuse"
            );
            self.logs[file].warning(span, message, "put the branch that the default is of first");
        }
    }

    fn keep(&mut self, record: TypeId, index: u32, value: Value, needs_1_12: bool) {
        let kind = &mut self.schema.types[record.0 as usize].kind;
        if let Kind::Record(Record { fields, .. }) = kind
            && let Some(default) = &mut fields[index as usize].default
        {
            default.value = value;
            default.needs_1_12 = needs_1_12;
        }
    }
}

/// Why a value is not of a type.
struct Misfit {
    span: Span,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    /// A value of this sort is expected.
    Expected(&'static str),
    NotInRange(Primitive),
    NoBranch,
    NoSymbol(String),
    NoField(String),
    Beyond255,
    Endless,
    TooLong,
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            What::Expected(sort) => write!(f, "{sort} is expected"),
            What::NotInRange(primitive) => write!(f, "this number is beyond the range of {}", primitive.name()),
            What::NoBranch => write!(f, "no branch of the union takes it"),
            What::NoSymbol(name) => write!(f, "the enum `{name}` has no such symbol"),
            What::NoField(name) => write!(f, "the field `{name}` is absent and has no default of its own"),
            What::Beyond255 => write!(f, "a character of it is beyond U+00FF and stands for no byte"),
            What::Endless => write!(f, "the defaults of its fields hold one another without end"),
            What::TooLong => write!(f, "it takes too long to understand"),
        }
    }
}

impl Misfit {
    fn help(&self) -> &'static str {
        match self.what {
            What::Expected(_) | What::NoBranch => "write a value of the type, or change the type",
            What::NotInRange(_) => "write a smaller number, or change the type",
            What::NoSymbol(_) => "write one of the symbols",
            What::NoField(_) => "write the field into the default, or give it one of its own",
            What::Beyond255 => "write each byte as the character of that number, from \\u0000 to \\u00ff",
            What::Endless => "write the inner values out, and let the chain end",
            What::TooLong => "write the values out instead of leaving them to the defaults of inner fields",
        }
    }
}

/// The symbols of large enums, by their text.
type Symbols<'t> = FxHashMap<TypeId, FxHashMap<Cow<'t, str>, usize>>;

struct Reading<'s, 't> {
    schema: &'s Schema<'t>,
    symbols: &'s mut Symbols<'t>,
    /// How many steps are left.
    steps: usize,
    depth: usize,
    /// Whether a union takes a value by a branch that is not its first.
    needs_1_12: bool,
    /// The size of a fixed whose value has another.
    resized: Option<u32>,
    /// Where the default stands.
    within: (FileId, Span),
    /// Whether it has a record in whose definition it stands.
    is_early: bool,
}

impl<'t> Reading<'_, 't> {
    /// The default of a field. Only there numbers may be written as texts: JSON has no NaN.
    fn default(&mut self, ty: TypeId, json: &Json<'_>) -> Result<Value, Misfit> {
        if let (Kind::Primitive(primitive @ (Primitive::Float | Primitive::Double)), JsonKind::Text(text)) =
            (self.schema.kind(ty), &json.kind)
            && let Some(number) = written_number(text)
        {
            return Ok(if *primitive == Primitive::Float {
                Value::Float(number as f32)
            } else {
                Value::Double(number)
            });
        }
        self.value(ty, json)
    }

    fn value(&mut self, ty: TypeId, json: &Json<'_>) -> Result<Value, Misfit> {
        let misfit = |what| Err(Misfit { span: json.span, what });
        if self.steps == 0 {
            return misfit(What::TooLong);
        }
        self.steps -= 1;
        if self.depth == DEPTH_LIMIT {
            return misfit(What::Endless);
        }
        self.depth += 1;
        let value = match self.schema.kind(ty) {
            Kind::Primitive(primitive) => self.primitive(*primitive, json),
            Kind::Record(_) => {
                let (declared, (file, span)) = (self.schema.ty(ty), self.within);
                let is_around =
                    declared.file == file && declared.span.start < span.start && span.end < declared.span.end;
                self.is_early |= is_around && matches!(json.kind, JsonKind::Object(_));
                self.record(ty, json)
            }
            Kind::Enum(declared) => match &json.kind {
                JsonKind::Text(text) => match self.symbol(ty, declared, text) {
                    Some(index) => Ok(Value::Enum { ty: ty.0, number: index as i32 }),
                    None => misfit(What::NoSymbol(declared.name.full.to_string())),
                },
                _ => misfit(What::Expected("a text with a symbol")),
            },
            Kind::Fixed(fixed) => bytes(json).map(|mut bytes| {
                if bytes.len() != fixed.size as usize {
                    self.resized = Some(fixed.size);
                    // Larger sizes are cut to what is there, so that a size alone takes no memory.
                    bytes.resize((fixed.size as usize).min(bytes.len().max(1 << 16)), 0);
                }
                Value::Bytes(bytes)
            }),
            Kind::Array(items) => match &json.kind {
                JsonKind::List(values) => {
                    values.iter().map(|value| self.value(items.ty, value)).collect::<Result<_, _>>().map(Value::List)
                }
                _ => misfit(What::Expected("a list")),
            },
            Kind::Map(values) => match &json.kind {
                JsonKind::Object(members) => self.map(values.ty, members),
                _ => misfit(What::Expected("an object")),
            },
            Kind::Union(_) => self.union(ty, json),
            Kind::Opaque(_) => Ok(Value::Null),
        };
        self.depth -= 1;
        value
    }

    /// The index of a symbol.
    fn symbol(&mut self, ty: TypeId, declared: &Enum<'t>, text: &str) -> Option<usize> {
        if declared.symbols.len() < MANY {
            return declared.symbols.iter().position(|(symbol, _)| symbol == text);
        }
        let index = self.symbols.entry(ty).or_insert_with(|| {
            let symbols = declared.symbols.iter().enumerate();
            symbols.map(|(index, (symbol, _))| (symbol.clone(), index)).collect()
        });
        index.get(text).copied()
    }

    fn primitive(&self, primitive: Primitive, json: &Json<'_>) -> Result<Value, Misfit> {
        let misfit = |what| Err(Misfit { span: json.span, what });
        match (primitive, &json.kind) {
            (Primitive::Null, JsonKind::Null) => Ok(Value::Null),
            (Primitive::Boolean, JsonKind::Bool(value)) => Ok(Value::Bool(*value)),
            (Primitive::Int | Primitive::Long, JsonKind::Number(digits)) if is_whole(digits) => {
                let number = digits.parse::<i64>().ok();
                let number = number.filter(|number| primitive == Primitive::Long || i32::try_from(*number).is_ok());
                number.map_or_else(|| misfit(What::NotInRange(primitive)), |number| Ok(Value::Int(number.into())))
            }
            // As the reference implementation has it: a number of double precision first.
            (Primitive::Float, JsonKind::Number(digits)) => Ok(Value::Float(double(digits) as f32)),
            (Primitive::Double, JsonKind::Number(digits)) => Ok(Value::Double(double(digits))),
            (Primitive::Bytes, _) => bytes(json).map(Value::Bytes),
            (Primitive::String, JsonKind::Text(text)) => Ok(Value::Text(text.as_bytes().to_vec())),
            (Primitive::Null, _) => misfit(What::Expected("null")),
            (Primitive::Boolean, _) => misfit(What::Expected("true or false")),
            (Primitive::Int | Primitive::Long, _) => misfit(What::Expected("a number without point and exponent")),
            (Primitive::Float | Primitive::Double, _) => misfit(What::Expected("a number")),
            (Primitive::String, _) => misfit(What::Expected("a text")),
        }
    }

    fn map(&mut self, values: TypeId, members: &[Member<'_>]) -> Result<Value, Misfit> {
        let mut map = OrderedMap::new();
        for member in members {
            map.insert(Key::Text(member.key.as_bytes().to_vec()), self.value(values, &member.value)?);
        }
        Ok(Value::Map(map))
    }

    fn record(&mut self, ty: TypeId, json: &Json<'_>) -> Result<Value, Misfit> {
        let JsonKind::Object(members) = &json.kind else {
            return Err(Misfit { span: json.span, what: What::Expected("an object") });
        };
        let Some(Record { fields, .. }) = self.schema.record(ty) else { return Ok(Value::Null) };
        let index: FxHashMap<&str, &Json<'_>> = if members.len() < MANY {
            FxHashMap::default()
        } else {
            members.iter().map(|member| (member.key.as_ref(), &member.value)).collect()
        };
        let mut record = RecordValue::empty(ty.0);
        for (at, field) in fields.iter().enumerate() {
            let stated = if members.len() < MANY { json.get(&field.name) } else { index.get(&*field.name).copied() };
            let value = match (stated, &field.default) {
                (Some(stated), _) => self.value(field.schema.ty, stated)?,
                (None, Some(default)) => self.default(field.schema.ty, default.json).map_err(|misfit| {
                    // The place of the inner default is in another field and perhaps in another file.
                    Misfit { span: json.span, what: misfit.what }
                })?,
                (None, None) => {
                    return Err(Misfit { span: json.span, what: What::NoField(field.name.to_string()) });
                }
            };
            record.fields.insert(at as i32, value);
        }
        Ok(Value::Record(record))
    }

    fn union(&mut self, ty: TypeId, json: &Json<'_>) -> Result<Value, Misfit> {
        let Kind::Union(branches) = self.schema.kind(ty) else { return Ok(Value::Null) };
        let mut deepest: Option<Misfit> = None;
        for (index, branch) in branches.iter().enumerate() {
            let before = (self.needs_1_12, self.resized);
            match self.value(branch.ty, json) {
                Ok(value) => {
                    self.needs_1_12 |= index > 0;
                    // A branch takes more than one byte of a file.
                    return Ok(Value::Branch { index: index as u32, value: Box::new(value) });
                }
                Err(misfit) => {
                    (self.needs_1_12, self.resized) = before;
                    let is_final = matches!(misfit.what, What::TooLong | What::Endless);
                    if is_final || misfit.span != json.span || matches!(misfit.what, What::NoField(_)) {
                        deepest = Some(misfit);
                    }
                    if is_final {
                        break;
                    }
                }
            }
        }
        Err(deepest.unwrap_or(Misfit { span: json.span, what: What::NoBranch }))
    }
}

/// The bytes that a text stands for: each character is the byte of its number.
fn bytes(json: &Json<'_>) -> Result<Vec<u8>, Misfit> {
    let misfit = |what| Misfit { span: json.span, what };
    let text = json.as_text().ok_or_else(|| misfit(What::Expected("a text whose characters are bytes")))?;
    text.chars().map(|byte| u8::try_from(u32::from(byte)).map_err(|_| misfit(What::Beyond255))).collect()
}

/// Whether a number is written without point and exponent.
pub(in crate::formats::avro) fn is_whole(digits: &str) -> bool {
    !digits.contains(['.', 'e', 'E'])
}

fn double(digits: &str) -> f64 {
    digits.parse().expect("what JSON calls a number Rust can read")
}

/// The number that a text says, as Java's `Double.parseDouble` reads decimal ones.
pub(in crate::formats::avro) fn written_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let number = match digits {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        _ if digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') => {
            digits.trim_end_matches(['d', 'D', 'f', 'F']).parse().ok()?
        }
        _ => return None,
    };
    Some(sign * number)
}
