//! One file of a set → its source.
//!
//! What a compiler made of the source is folded back: entry types into maps, the oneofs of proto3 `optional`, the messages
//! of groups. Comments are left out. With source info each statement starts on the line, and where there is room in the
//! column, that it came from.

use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::value::Record;

use super::super::codec::Types;
use super::super::model::{Kind, MessageId};
use super::members::{flag, inner, number, numbers, records, text, texts};
use super::options::{self, Written, quoted};
use super::page::Page;

/// A printed file.
pub(super) struct Printed {
    pub(super) text: String,
    pub(super) has_places: bool,
}

/// Numbers of `FieldDescriptorProto.Type` that are no plain words.
const TYPE_GROUP: i128 = 10;
const TYPE_MESSAGE: i128 = 11;

const LABEL_REQUIRED: i128 = 2;
const LABEL_REPEATED: i128 = 3;

/// The largest number of a field, and of a value of an enum.
const LAST_FIELD: i128 = 536_870_911;
const LAST_VALUE: i128 = 2_147_483_647;

/// The full names of everything that a set declares, and of its packages.
pub(super) struct Names(OrderedSet<String>);

impl Names {
    pub(super) fn of(files: &[&Record]) -> Names {
        let mut names = OrderedSet::new();
        for file in files {
            let package = text(file, 2).unwrap_or_default();
            for (at, _) in package.match_indices('.').chain([(package.len(), "")]) {
                names.insert(package[..at].to_owned());
            }
            let messages = records(file, 4).map(|message| (package.clone(), message, [3, 4]));
            let mut open: Vec<(String, &Record, [i32; 2])> = messages.collect();
            names.extend(records(file, 5).filter_map(|one| Some(joined(&package, &text(one, 1)?))));
            while let Some((scope, message, [nested, enums])) = open.pop() {
                let full = joined(&scope, &text(message, 1).unwrap_or_default());
                names.extend(records(message, enums).filter_map(|one| Some(joined(&full, &text(one, 1)?))));
                open.extend(records(message, nested).map(|inner| (full.clone(), inner, [nested, enums])));
                names.insert(full);
            }
        }
        Names(names)
    }

    /// The shortest spelling of a type that can mean nothing else in a scope; with a leading dot where there is none.
    fn spelled(&self, package: &str, scope: &str, full: &str) -> String {
        let Some(name) = full.strip_prefix('.') else { return full.to_owned() };
        let short = name.strip_prefix(package).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
        let meant_in = if short.len() == name.len() { "" } else { package };
        let first = short.split('.').next().unwrap_or(short);
        let mut around = scope;
        loop {
            if around == meant_in {
                return short.to_owned();
            }
            if self.0.contains(&joined(around, first)) {
                return full.to_owned();
            }
            around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
            if around.is_empty() && !meant_in.is_empty() {
                return full.to_owned();
            }
        }
    }
}

fn joined(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// Something in a block, with its path in the descriptor.
enum Item<'r> {
    Statement(String),
    Message(&'r Record),
    Enum(&'r Record),
    Service(&'r Record),
    Field(&'r Record),
    Extension(&'r Record),
    Oneof(&'r Record, i128),
    Value(&'r Record),
    Method(&'r Record),
}

/// Which dialect a file is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Proto2,
    Proto3,
    Editions,
}

struct Printer<'p> {
    types: Types<'p, 'p>,
    names: &'p Names,
    page: Page,
    places: Places,
    dialect: Dialect,
    package: String,
}

/// Prints a file.
pub(super) fn file(types: Types<'_, '_>, names: &Names, file: &Record) -> Result<Printed, String> {
    let places = places(file);
    let has_places = !places.is_empty();
    let syntax = text(file, 12).unwrap_or_default();
    let dialect = match syntax.as_str() {
        "proto3" => Dialect::Proto3,
        "editions" => Dialect::Editions,
        _ => Dialect::Proto2,
    };
    let package = text(file, 2).unwrap_or_default();
    let mut printer = Printer { types, names, page: Page::default(), places, dialect, package };
    printer.file(file)?;
    Ok(Printed { text: printer.page.finish(), has_places })
}

/// Where elements came from: the path of an element → where it starts and ends, lines and columns from 0.
type Places = OrderedMap<Vec<i32>, Place>;

/// Where an element came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    start: (u32, u32),
    end: (u32, u32),
}

/// Where the elements of a file came from, as far as the set says.
fn places(file: &Record) -> Places {
    let mut found = Places::new();
    for location in inner(file, 9).into_iter().flat_map(|info| records(info, 1)) {
        let path: Vec<i32> = numbers(location, 1).into_iter().filter_map(|part| i32::try_from(part).ok()).collect();
        let span: Vec<u32> = numbers(location, 2).into_iter().filter_map(|part| u32::try_from(part).ok()).collect();
        let place = match *span.as_slice() {
            [line, column, end] => Place { start: (line, column), end: (line, end) },
            [line, column, end_line, end] => Place { start: (line, column), end: (end_line, end) },
            _ => continue,
        };
        found.entry(path).or_insert(place);
    }
    found
}

impl Printer<'_> {
    fn place(&self, path: &[i32]) -> Option<(u32, u32)> {
        self.places.get(path).map(|place| place.start)
    }

    /// Goes to an element, or to the next statement.
    fn start(&mut self, path: &[i32]) {
        let place = self.place(path).or_else(|| (!self.places.is_empty()).then_some((0, 0)));
        self.page.start(place);
    }

    /// Closes the block of an element where that ended, or that of none at once.
    fn close(&mut self, path: &[i32]) {
        if self.places.is_empty() {
            return self.page.close();
        }
        let end = self.places.get(path).map(|place| (place.end.0, place.end.1.saturating_sub(1)));
        self.page.close_at(end.unwrap_or_default());
    }

    fn statement(&mut self, path: &[i32], text: &str) {
        self.start(path);
        self.page.put(text);
    }

    fn file(&mut self, file: &Record) -> Result<(), String> {
        let edition = number(file, 14).and_then(|number| self.edition(file, number));
        let syntax = match (self.dialect, edition) {
            (Dialect::Editions, Some(edition)) => format!("edition = \"{edition}\";"),
            (Dialect::Editions, None) => return Err("a file in it has an edition that is not known here".to_owned()),
            (Dialect::Proto3, _) => "syntax = \"proto3\";".to_owned(),
            (Dialect::Proto2, _) => "syntax = \"proto2\";".to_owned(),
        };
        let mut items: Vec<(Vec<i32>, Item<'_>)> = vec![(vec![12], Item::Statement(syntax))];
        if !self.package.is_empty() {
            items.push((vec![2], Item::Statement(format!("package {};", self.package))));
        }
        imports(file, &mut items);
        self.option_statements(inner(file, 8), &[8], &mut items);
        let groups = self.groups(records(file, 7), records(file, 4));
        let own = (0i32..).zip(records(file, 4)).filter(|(index, _)| !groups.contains(index));
        items.extend(own.map(|(index, one)| (vec![4, index], Item::Message(one))));
        items.extend((0i32..).zip(records(file, 5)).map(|(index, one)| (vec![5, index], Item::Enum(one))));
        items.extend((0i32..).zip(records(file, 6)).map(|(index, one)| (vec![6, index], Item::Service(one))));
        items.extend((0i32..).zip(records(file, 7)).map(|(index, one)| (vec![7, index], Item::Extension(one))));
        let package = self.package.clone();
        self.items(items, file, &package);
        Ok(())
    }

    /// `2023` for `EDITION_2023`.
    fn edition(&self, file: &Record, number: i128) -> Option<String> {
        let field = self.types.field(MessageId(file.ty), 14)?;
        let Kind::Enum(id) = field.kind else { return None };
        let value = self.types.value_of_number(id, i32::try_from(number).ok()?)?;
        Some(value.name.text.trim_start_matches("EDITION_").to_owned())
    }

    /// Statements of options, each with the place of its own.
    fn option_statements<'r>(&self, options: Option<&Record>, path: &[i32], items: &mut Vec<(Vec<i32>, Item<'r>)>) {
        for Written { number, name, value } in options.iter().flat_map(|options| options::written(self.types, options))
        {
            let mut own = path.to_vec();
            own.push(number);
            // The options of an extension are told of with more parts.
            if !self.places.contains_key(&own)
                && let Some((found, _)) = self.places.range(own.clone()..).next()
                && found.starts_with(&own)
            {
                own.clone_from(found);
            }
            items.push((own, Item::Statement(format!("option {name} = {value};"))));
        }
    }

    /// Options in brackets.
    fn bracketed(&self, options: Option<&Record>, mut first: Vec<String>) -> String {
        let written = options.iter().flat_map(|options| options::written(self.types, options));
        first.extend(written.map(|written| format!("{} = {}", written.name, written.value)));
        if first.is_empty() { String::new() } else { format!(" [{}]", first.join(", ")) }
    }

    /// The messages of groups among the nested ones, by position.
    fn groups<'r>(
        &self,
        fields: impl Iterator<Item = &'r Record>,
        nested: impl Iterator<Item = &'r Record>,
    ) -> OrderedSet<i32> {
        if self.dialect == Dialect::Editions {
            return OrderedSet::new();
        }
        let is_group = |field: &&Record| number(field, 5) == Some(TYPE_GROUP);
        let last = |name: String| name.rsplit('.').next().unwrap_or_default().to_owned();
        let groups: OrderedSet<String> = fields.filter(is_group).filter_map(|field| text(field, 6)).map(last).collect();
        let named = (0i32..).zip(nested).filter(|(_, one)| text(one, 1).is_some_and(|name| groups.contains(&name)));
        named.map(|(index, _)| index).collect()
    }

    /// Everything in a block, in the order of the source where that is known.
    fn items(&mut self, mut items: Vec<(Vec<i32>, Item<'_>)>, around: &Record, scope: &str) {
        if !self.places.is_empty() {
            items.sort_in_order_by_key(|(path, _)| self.place(path));
        }
        for (path, item) in items {
            match item {
                Item::Statement(text) => self.statement(&path, &text),
                Item::Message(one) => self.message(&path, one, scope),
                Item::Enum(one) => self.enumeration(&path, one),
                Item::Service(one) => self.service(&path, one),
                Item::Field(one) => self.field(&path, one, around, scope),
                Item::Extension(one) => {
                    let extendee = self.names.spelled(&self.package, scope, &text(one, 2).unwrap_or_default());
                    self.start(&path);
                    self.page.put(&format!("extend {extendee}"));
                    self.page.open();
                    self.field(&path, one, around, scope);
                    // The block may hold others in the source, and where it ends nobody tells.
                    self.page.close_here();
                }
                Item::Oneof(one, index) => self.oneof(&path, one, index, around, scope),
                Item::Value(one) => {
                    let (name, number) = (text(one, 1).unwrap_or_default(), number(one, 2).unwrap_or_default());
                    let options = self.bracketed(inner(one, 3), Vec::new());
                    self.statement(&path, &format!("{name} = {number}{options};"));
                }
                Item::Method(one) => self.method(&path, one),
            }
        }
    }

    fn message(&mut self, path: &[i32], message: &Record, scope: &str) {
        let name = text(message, 1).unwrap_or_default();
        self.start(path);
        self.page.put(&format!("{}message {name}", visibility(number(message, 11))));
        self.body(path, message, &joined(scope, &name));
    }

    /// What stands between the braces of a message.
    fn body(&mut self, path: &[i32], message: &Record, scope: &str) {
        let under = |part: i32, index: i32| [path, &[part, index]].concat();
        let mut items: Vec<(Vec<i32>, Item<'_>)> = Vec::new();
        self.option_statements(inner(message, 7), &[path, &[7]].concat(), &mut items);
        let mut met = OrderedSet::new();
        for (index, field) in (0i32..).zip(records(message, 2)) {
            match number(field, 9).filter(|_| !flag(field, 17)) {
                None => items.push((under(2, index), Item::Field(field))),
                // A oneof stands where its first member does.
                Some(oneof) if met.insert(oneof) => {
                    let at = i32::try_from(oneof).unwrap_or_default();
                    let found = usize::try_from(at).ok().and_then(|at| records(message, 8).nth(at));
                    items.extend(found.map(|found| (under(8, at), Item::Oneof(found, oneof))));
                }
                Some(_) => {}
            }
        }
        let mut hidden = self.groups(records(message, 2).chain(records(message, 6)), records(message, 3));
        let entries = (0i32..).zip(records(message, 3)).filter(|(_, nested)| is_entry(nested));
        hidden.extend(entries.map(|(index, _)| index));
        for (index, nested) in (0i32..).zip(records(message, 3)).filter(|(index, _)| !hidden.contains(index)) {
            items.push((under(3, index), Item::Message(nested)));
        }
        items.extend((0i32..).zip(records(message, 4)).map(|(index, one)| (under(4, index), Item::Enum(one))));
        items.extend((0i32..).zip(records(message, 6)).map(|(index, one)| (under(6, index), Item::Extension(one))));
        for (index, range) in (0i32..).zip(records(message, 5)) {
            let options = self.bracketed(inner(range, 3), Vec::new());
            let is_message_set = inner(message, 7).is_some_and(|options| flag(options, 1));
            let last = if is_message_set { LAST_VALUE - 1 } else { LAST_FIELD };
            items.push((under(5, index), Item::Statement(format!("extensions {}{options};", span(range, 1, last)))));
        }
        for (index, range) in (0i32..).zip(records(message, 9)) {
            items.push((under(9, index), Item::Statement(format!("reserved {};", span(range, 1, LAST_FIELD)))));
        }
        self.reserved_names(texts(message, 10), |index| under(10, index), &mut items);
        self.page.open();
        self.items(items, message, scope);
        self.close(path);
    }

    /// In editions reserved names are identifiers.
    fn reserved_names(
        &self,
        names: Vec<String>,
        path: impl Fn(i32) -> Vec<i32>,
        items: &mut Vec<(Vec<i32>, Item<'_>)>,
    ) {
        for (index, name) in (0i32..).zip(names) {
            let name = if self.dialect == Dialect::Editions { name } else { quoted(name.as_bytes()) };
            items.push((path(index), Item::Statement(format!("reserved {name};"))));
        }
    }

    fn oneof(&mut self, path: &[i32], oneof: &Record, index: i128, message: &Record, scope: &str) {
        let parent = &path[..path.len() - 2];
        let members = (0i32..).zip(records(message, 2)).filter(|(_, field)| number(field, 9) == Some(index));
        let mut items: Vec<(Vec<i32>, Item<'_>)> = Vec::new();
        self.option_statements(inner(oneof, 2), &[path, &[2]].concat(), &mut items);
        items.extend(members.map(|(at, field)| ([parent, &[2, at]].concat(), Item::Field(field))));
        self.start(path);
        self.page.put(&format!("oneof {}", text(oneof, 1).unwrap_or_default()));
        self.page.open();
        self.items(items, message, scope);
        self.close(path);
    }

    fn field(&mut self, path: &[i32], field: &Record, around: &Record, scope: &str) {
        let name = text(field, 1).unwrap_or_default();
        let tag = number(field, 3).unwrap_or_default();
        let in_oneof = number(field, 9).is_some() && !flag(field, 17);
        let entry = self.entry(field, around);
        let label = match (number(field, 4), self.dialect) {
            _ if in_oneof || entry.is_some() => "",
            (Some(LABEL_REPEATED), _) => "repeated ",
            (Some(LABEL_REQUIRED), _) => "required ",
            (_, Dialect::Proto2) => "optional ",
            (_, Dialect::Proto3) if flag(field, 17) => "optional ",
            (_, Dialect::Proto3 | Dialect::Editions) => "",
        };
        let options = self.bracketed(inner(field, 8), self.pseudo_options(field, &name));
        let is_group = number(field, 5) == Some(TYPE_GROUP) && self.dialect != Dialect::Editions;
        if let Some(group) = is_group.then(|| group_of(field, around)).flatten() {
            let (part, index, message) = group;
            let group_name = text(message, 1).unwrap_or_default();
            self.statement(path, &format!("{label}group {group_name} = {tag}{options}"));
            let parent = &path[..path.len() - 2];
            self.body(&[parent, &[part, index]].concat(), message, &joined(scope, &group_name));
            return;
        }
        let kind = match entry {
            Some(entry) => {
                let mut sides = records(entry, 2);
                let mut side = || sides.next().map(|side| self.type_name(side, scope)).unwrap_or_default();
                let (key, value) = (side(), side());
                format!("map<{key}, {value}>")
            }
            None => self.type_name(field, scope),
        };
        self.statement(path, &format!("{label}{kind} {name} = {tag}{options};"));
    }

    /// The entry type of a map.
    fn entry<'r>(&self, field: &Record, around: &'r Record) -> Option<&'r Record> {
        if number(field, 5) != Some(TYPE_MESSAGE) || number(field, 4) != Some(LABEL_REPEATED) {
            return None;
        }
        let full = text(field, 6)?;
        let name = full.rsplit('.').next().unwrap_or_default();
        records(around, 3).find(|nested| is_entry(nested) && text(nested, 1).as_deref() == Some(name))
    }

    /// `default` and `json_name`, which are no options in descriptors.
    fn pseudo_options(&self, field: &Record, name: &str) -> Vec<String> {
        const TYPE_STRING: i128 = 9;
        const TYPE_BYTES: i128 = 12;
        let mut written = Vec::new();
        if let Some(default) = text(field, 7) {
            let value = match number(field, 5) {
                Some(TYPE_STRING) => quoted(default.as_bytes()),
                // Escaped already.
                Some(TYPE_BYTES) => format!("\"{}\"", default.replace('"', "\\\"").replace("\\\\\"", "\\\"")),
                _ => default,
            };
            written.push(format!("default = {value}"));
        }
        let is_extension = text(field, 2).is_some();
        if let Some(json) = text(field, 10).filter(|json| !is_extension && *json != json_name(name)) {
            written.push(format!("json_name = {}", quoted(json.as_bytes())));
        }
        written
    }

    fn type_name(&self, field: &Record, scope: &str) -> String {
        const WORDS: [&str; 18] = [
            "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "", "", "bytes",
            "uint32", "", "sfixed32", "sfixed64", "sint32", "sint64",
        ];
        let word = number(field, 5).and_then(|number| WORDS.get(usize::try_from(number - 1).ok()?));
        match word {
            Some(word) if !word.is_empty() => (*word).to_owned(),
            _ => self.names.spelled(&self.package, scope, &text(field, 6).unwrap_or_default()),
        }
    }

    fn enumeration(&mut self, path: &[i32], one: &Record) {
        let under = |part: i32, index: i32| [path, &[part, index]].concat();
        let mut items: Vec<(Vec<i32>, Item<'_>)> = Vec::new();
        self.option_statements(inner(one, 3), &[path, &[3]].concat(), &mut items);
        items.extend((0i32..).zip(records(one, 2)).map(|(index, value)| (under(2, index), Item::Value(value))));
        for (index, range) in (0i32..).zip(records(one, 4)) {
            items.push((under(4, index), Item::Statement(format!("reserved {};", span(range, 0, LAST_VALUE)))));
        }
        self.reserved_names(texts(one, 5), |index| under(5, index), &mut items);
        self.start(path);
        self.page.put(&format!("{}enum {}", visibility(number(one, 6)), text(one, 1).unwrap_or_default()));
        self.page.open();
        self.items(items, one, "");
        self.close(path);
    }

    fn service(&mut self, path: &[i32], one: &Record) {
        let mut items: Vec<(Vec<i32>, Item<'_>)> = Vec::new();
        self.option_statements(inner(one, 3), &[path, &[3]].concat(), &mut items);
        let methods = (0i32..).zip(records(one, 2));
        items.extend(methods.map(|(index, method)| ([path, &[2, index]].concat(), Item::Method(method))));
        self.start(path);
        self.page.put(&format!("service {}", text(one, 1).unwrap_or_default()));
        self.page.open();
        self.items(items, one, "");
        self.close(path);
    }

    fn method(&mut self, path: &[i32], one: &Record) {
        let stream = |is_streaming: bool| if is_streaming { "stream " } else { "" };
        let side = |name: i32, streaming: i32| {
            let full = text(one, name).unwrap_or_default();
            format!("{}{}", stream(flag(one, streaming)), self.names.spelled(&self.package, &self.package, &full))
        };
        let rpc = format!("rpc {} ({}) returns ({})", text(one, 1).unwrap_or_default(), side(2, 5), side(3, 6));
        let mut items: Vec<(Vec<i32>, Item<'_>)> = Vec::new();
        self.option_statements(inner(one, 4), &[path, &[4]].concat(), &mut items);
        self.start(path);
        self.page.put(&rpc);
        if items.is_empty() {
            self.page.put(";");
            return;
        }
        self.page.open();
        self.items(items, one, "");
        self.close(path);
    }
}

/// The imports of a file, with their modifiers.
fn imports(file: &Record, items: &mut Vec<(Vec<i32>, Item<'_>)>) {
    let (public, weak) = (numbers(file, 10), numbers(file, 11));
    for (index, path) in (0i32..).zip(texts(file, 3)) {
        let modifier = match (public.contains(&index.into()), weak.contains(&index.into())) {
            (true, _) => "public ",
            (false, true) => "weak ",
            (false, false) => "",
        };
        items.push((vec![3, index], Item::Statement(format!("import {modifier}{};", quoted(path.as_bytes())))));
    }
    for (index, path) in (0i32..).zip(texts(file, 15)) {
        items.push((vec![15, index], Item::Statement(format!("import option {};", quoted(path.as_bytes())))));
    }
}

fn visibility(number: Option<i128>) -> &'static str {
    match number {
        Some(1) => "local ",
        Some(2) => "export ",
        _ => "",
    }
}

/// Whether a nested message is the entry type of a map.
fn is_entry(message: &Record) -> bool {
    inner(message, 7).is_some_and(|options| flag(options, 7))
}

/// The message of a group: in which list and where it stands, and the message.
fn group_of<'r>(field: &Record, around: &'r Record) -> Option<(i32, i32, &'r Record)> {
    let full = text(field, 6)?;
    let name = full.rsplit('.').next().unwrap_or_default();
    // Nested messages of a message stand in field 3, those of a file in field 4.
    [3, 4].into_iter().find_map(|part| {
        let found = (0i32..).zip(records(around, part)).find(|(_, one)| text(one, 1).as_deref() == Some(name));
        found.map(|(index, message)| (part, index, message))
    })
}

/// `4`, `4 to 7` or `4 to max`; `past` is 1 where the end is not included.
fn span(range: &Record, past: i128, last: i128) -> String {
    let start = number(range, 1).unwrap_or_default();
    match number(range, 2).unwrap_or_default() - past {
        end if end >= last => format!("{start} to max"),
        end if end == start => start.to_string(),
        end => format!("{start} to {end}"),
    }
}

/// The name in JSON that a field has unless it is given another one.
fn json_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for letter in name.chars() {
        if letter == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.push(letter.to_ascii_uppercase());
        } else {
            out.push(letter);
        }
    }
    out
}
