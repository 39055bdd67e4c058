//! Rules about messages, which pair by full name, extensions aside.

use crate::change::{Pair, Span};
use crate::ordered::{OrderedMap, OrderedSet};

use super::super::ast;
use super::super::model::{Edition, Field, FileId, Kind};
use super::super::ranges::{covers, uncovered};
use super::image::{Body, FieldView, Image, MessageView, Part, copies};
use super::{Checker, Subject, WHOLE_FILE, options, quoted};

/// What a message or an enum reserves.
#[derive(Clone, Copy)]
pub(super) struct Reserved<'x, 'a> {
    pub ranges: &'x [(i32, i32)],
    pub statements: &'x [ast::Reserved<'a>],
}

/// The fields of a message by number.
type Fields<'s, 'a> = OrderedMap<i32, FieldView<'s, 'a>>;

const MAX_FIELD_NUMBER: i32 = 536_870_911;

impl<'i, 's, 'a> Checker<'i, 's, 'a> {
    /// Messages that both sides have.
    pub(super) fn messages(&mut self) {
        let images = self.images;
        for (index, old) in images.old.messages.iter().enumerate() {
            let all =
                images.old.messages_by_name.get(&old.full_name).zip(images.new.messages_by_name.get(&old.full_name));
            let Some((olds, news)) = all.filter(|(olds, _)| olds.first() == Some(&index)) else { continue };
            let view =
                |image: &'i Image<'s, 'a>, all: &[usize]| all.iter().map(|at| &image.messages[*at]).collect::<Vec<_>>();
            let (olds, news) = (view(images.old, olds), view(images.new, news));
            for messages in copies(images, Pair::new(&olds, &news), |message| message.file) {
                self.message(messages);
            }
        }
    }

    fn message(&mut self, messages: Pair<&'i MessageView<'s, 'a>>) {
        let Pair { old, new } = messages;
        if self.is_same_file(Pair::new(old.file, new.file)) {
            return self.message_as_it_was(messages);
        }
        let fields = Pair::new(old.fields(self.images.old.schema), new.fields(self.images.new.schema));
        self.json_format(messages);
        let stays = |(old, new): (&FieldView<'_, '_>, &FieldView<'_, '_>)| old.number() == new.number();
        if fields.old.len() == fields.new.len() && fields.old.iter().zip(&fields.new).all(stays) {
            for (old, new) in fields.old.iter().zip(&fields.new) {
                self.field(messages.new.simple_name(), &messages.new.full_name, Pair::new(*old, *new));
            }
            if fields.old.iter().chain(&fields.new).any(is_required) {
                self.required(messages, fields.as_ref().map(|fields| by_number(fields)));
            }
        } else {
            let fields = fields.as_ref().map(|fields| by_number(fields));
            for (number, field) in &fields.old {
                match fields.new.get(number) {
                    Some(now) => self.field(new.simple_name(), &new.full_name, Pair::new(*field, *now)),
                    None => self.field_deleted(messages, field),
                }
            }
            self.required(messages, fields);
        }
        let (Some(before), Some(after)) = (old.declared(), new.declared()) else {
            return self.declared_became_entries(messages);
        };
        if std::ptr::eq(before.ast, after.ast) {
            return;
        }
        self.accessor(messages);
        self.oneofs(messages);
        let whole = self.whole(messages);
        let about = ("message", new.simple_name());
        let ranges = Pair::new(&*before.extension_ranges, &*after.extension_ranges);
        self.ranges("EXTENSION_MESSAGE_NO_DELETE", ("extension", about), &new.full_name, whole, ranges);
        let reserved = Pair::new(before, after)
            .map(|message| Reserved { ranges: &message.reserved, statements: &message.ast.reserved });
        self.reserved("RESERVED_MESSAGE_NO_DELETE", about, &new.full_name, whole, reserved);
    }

    /// In a file that is as it was, nothing can differ but what types of other files mean.
    fn message_as_it_was(&mut self, messages: Pair<&'i MessageView<'s, 'a>>) {
        let schemas = Pair::new(self.images.old.schema, self.images.new.schema);
        let refers = |field: &Field<'_>| matches!(field.kind, Kind::Message(_) | Kind::Enum(_));
        let (fields, part) = match messages.map(|message| message.body) {
            Pair { old: Body::Declared(old), new: Body::Declared(new) } => {
                (Pair::new(&*old.fields, &*new.fields), Part::Whole)
            }
            Pair { old: Body::Entries(_, old), new: Body::Entries(_, new) } => {
                (Pair::new(std::slice::from_ref(old), std::slice::from_ref(new)), Part::Value)
            }
            _ => return,
        };
        for (before, after) in fields.old.iter().zip(fields.new).filter(|(old, _)| refers(old)) {
            let view = |schema, message: &MessageView<'s, 'a>, field| {
                let (Body::Declared(message) | Body::Entries(message, _)) = message.body;
                FieldView { schema, message: Some(message), field, part }
            };
            let pair = Pair::new(view(schemas.old, messages.old, before), view(schemas.new, messages.new, after));
            self.field_reference(messages.new.simple_name(), &messages.new.full_name, pair);
        }
    }

    /// The entries of a map have no oneofs, reserve nothing and cannot be extended.
    fn declared_became_entries(&mut self, messages: Pair<&'i MessageView<'s, 'a>>) {
        let Some(before) = messages.old.declared() else { return };
        self.oneofs(messages);
        let whole = self.whole(messages);
        let about = ("message", messages.new.simple_name());
        let ranges = Pair::new(&*before.extension_ranges, &[][..]);
        self.ranges("EXTENSION_MESSAGE_NO_DELETE", ("extension", about), &messages.new.full_name, whole, ranges);
        let reserved = Pair::new(
            Reserved { ranges: &before.reserved, statements: &before.ast.reserved },
            Reserved { ranges: &[], statements: &[] },
        );
        self.reserved("RESERVED_MESSAGE_NO_DELETE", about, &messages.new.full_name, whole, reserved);
    }

    fn whole(&self, messages: Pair<&MessageView<'s, 'a>>) -> Pair<(FileId, Span)> {
        messages.map(|message| (message.file, message.span()))
    }

    fn json_format(&mut self, messages: Pair<&MessageView<'s, 'a>>) {
        let Pair { old, new } = messages;
        if !old.json_allow() || new.json_allow() {
            return;
        }
        let span = |one: &MessageView<'_, '_>| {
            options::feature_span(one.options(), "json_format").unwrap_or_else(|| one.span())
        };
        let at = Pair::new(self.old_site(old.file, span(old)), self.new_site(new.file, span(new)));
        let name = quoted(new.simple_name());
        let message = format!("Message {name} JSON format support changed from ALLOW to LEGACY_BEST_EFFORT.");
        self.report("MESSAGE_SAME_JSON_FORMAT", at, Subject::Declared(new.full_name.to_string()), message);
    }

    fn accessor(&mut self, messages: Pair<&MessageView<'s, 'a>>) {
        const NAME: &str = "no_standard_descriptor_accessor";
        let Pair { old, new } = messages;
        let values = messages.map(|message| options::text_or(message.options(), NAME, "false"));
        if values.old == "true" || values.new != "true" {
            return;
        }
        let span = |one: &MessageView<'_, '_>| options::span(one.options(), NAME).unwrap_or(WHOLE_FILE);
        let at = Pair::new(self.old_site(old.file, span(old)), self.new_site(new.file, span(new)));
        let message = format!("Message option \"{NAME}\" changed from \"false\" to \"true\".");
        let subject = Subject::Declared(new.full_name.to_string());
        self.report("MESSAGE_NO_REMOVE_STANDARD_DESCRIPTOR_ACCESSOR", at, subject, message);
    }

    fn oneofs(&mut self, messages: Pair<&MessageView<'s, 'a>>) {
        let Pair { old, new } = messages;
        let names = messages.map(|message| {
            let oneofs = message.declared().into_iter().flat_map(|message| &message.oneofs);
            oneofs.map(|oneof| &*oneof.name.text).collect::<Vec<&str>>()
        });
        let kept: OrderedSet<&str> = names.new.iter().copied().collect();
        let synthetic: OrderedSet<&str> = self.synthetic(new).collect();
        // Such a oneof is called as its field, behind a `_`.
        let is_synthetic = |name: &str| name.strip_prefix('_').is_some_and(|name| synthetic.contains(name));
        let stays = |name: &&str| kept.contains(name) || is_synthetic(name);
        let gone: Vec<&str> = names.old.into_iter().filter(|name| !stays(name)).collect();
        for name in gone {
            let at = Pair::new(self.old_site(old.file, old.span()), self.new_site(new.file, new.span()));
            let of = quoted(new.simple_name());
            let message = format!("Previously present oneof {} on message {of} was deleted.", quoted(name));
            let subject = Subject::Oneof(new.full_name.to_string(), name.to_owned());
            self.report("ONEOF_NO_DELETE", at, subject, message);
        }
    }

    /// The oneofs that a message has because proto3 has one for each field with presence, by the names of these.
    fn synthetic<'m>(&self, message: &'m MessageView<'s, 'a>) -> impl Iterator<Item = &'m str> {
        let is_proto3 = self.images.new.schema.file(message.file).edition == Edition::Proto3;
        let is_optional = |field: &&Field<'_>| matches!(field.ast.label, Some((ast::Label::Optional, _)));
        let fields = message.declared().filter(|_| is_proto3).into_iter().flat_map(|message| &message.fields);
        fields.filter(is_optional).map(|field| &*field.name)
    }

    fn field_deleted(&mut self, messages: Pair<&MessageView<'s, 'a>>, field: &FieldView<'s, 'a>) {
        let Pair { old, new } = messages;
        let (number, name) = (field.number(), field.name());
        let reserves_number = new.declared().is_some_and(|message| covers(&message.reserved, number));
        let reserves_name = new.declared().is_some_and(|message| self.reserved.have(&message.ast.reserved, name));
        let cases = [
            ("FIELD_NO_DELETE", false, String::new()),
            (
                "FIELD_NO_DELETE_UNLESS_NAME_RESERVED",
                reserves_name,
                format!(" without reserving the name {}", quoted(name)),
            ),
            (
                "FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED",
                reserves_number,
                format!(" without reserving the number \"{number}\""),
            ),
        ];
        for (rule, _, suffix) in cases.into_iter().filter(|(_, allowed, _)| !allowed) {
            let at = Pair::new(self.old_site(old.file, old.span()), self.new_site(new.file, new.span()));
            let message = format!(
                "Previously present field \"{number}\" with name {} on message {} was deleted{suffix}.",
                quoted(name),
                quoted(old.simple_name()),
            );
            let subject = self.deleted_subject(messages.old, field);
            self.report(rule, at, subject, message);
        }
    }

    fn deleted_subject(&self, message: &MessageView<'s, 'a>, field: &FieldView<'s, 'a>) -> Subject {
        Subject::Field {
            message: message.full_name.to_string(),
            number: field.number(),
            names: Pair::new(Some(field.name().to_owned()), None),
            elsewhere: Vec::new(),
            is_extension: false,
        }
    }

    /// Only the label `required` counts, which editions do not have.
    fn required(&mut self, messages: Pair<&MessageView<'s, 'a>>, fields: Pair<Fields<'s, 'a>>) {
        const WHY: &str = "Required fields must always be sent, so if one side does not know about the required \
                           field, this will result in a breakage.";
        let Pair { old, new } = messages;
        let required = |fields: &Fields<'_, '_>, number: i32| fields.get(&number).is_some_and(is_required);
        let numbers: OrderedSet<i32> = fields.old.keys().chain(fields.new.keys()).copied().collect();
        for number in numbers {
            let (was, is) = (required(&fields.old, number), required(&fields.new, number));
            if was == is {
                continue;
            }
            let (at, done, of) = match fields.new.get(&number).filter(|_| is) {
                Some(field) => (Pair::new(None, self.new_site(new.file, field.span())), "added", new),
                None => {
                    let whole = Pair::new(self.old_site(old.file, old.span()), self.new_site(new.file, new.span()));
                    (whole, "deleted", old)
                }
            };
            let name = quoted(of.simple_name());
            let message = format!("Message {name} had required field \"{number}\" {done}. {WHY}");
            let name_of = |fields: &Fields<'_, '_>| fields.get(&number).map(|field| field.name().to_owned());
            let subject = Subject::Field {
                message: new.full_name.to_string(),
                number,
                names: fields.as_ref().map(name_of),
                elsewhere: Vec::new(),
                is_extension: false,
            };
            self.report("MESSAGE_SAME_REQUIRED_FIELDS", at, subject, message);
        }
    }

    /// Reserved ranges by what they cover, and reserved names.
    pub(super) fn reserved(
        &mut self,
        rule: &'static str,
        about: (&str, &str),
        full_name: &str,
        whole: Pair<(FileId, Span)>,
        reserved: Pair<Reserved<'_, 'a>>,
    ) {
        let ranges = reserved.map(|reserved| reserved.ranges);
        self.ranges(rule, ("reserved", about), full_name, whole, ranges);
        let names = reserved.map(|reserved| reserved_names(reserved.statements));
        for name in names.old.difference(&names.new) {
            let (sort, of) = about;
            let message =
                format!("Previously present reserved name {} on {sort} {} was deleted.", quoted(name), quoted(of));
            let at = Pair::new(self.old_site(whole.old.0, whole.old.1), self.new_site(whole.new.0, whole.new.1));
            self.report(rule, at, Subject::Declared(full_name.to_owned()), message);
        }
    }

    fn ranges(
        &mut self,
        rule: &'static str,
        (range_sort, (sort, of)): (&str, (&str, &str)),
        full_name: &str,
        whole: Pair<(FileId, Span)>,
        ranges: Pair<&[(i32, i32)]>,
    ) {
        let max = if sort == "enum" { i32::MAX } else { MAX_FIELD_NUMBER };
        for range in ranges.old {
            let missing = uncovered(*range, ranges.new);
            if missing.is_empty() {
                continue;
            }
            let removed: Vec<String> = missing.into_iter().map(|range| range_text(range, max)).collect();
            let message = format!(
                "Previously present {range_sort} range \"{}\" on {sort} {} is missing values: {} were removed.",
                range_text(*range, max),
                quoted(of),
                removed.join(", "),
            );
            let at = Pair::new(self.old_site(whole.old.0, whole.old.1), self.new_site(whole.new.0, whole.new.1));
            self.report(rule, at, Subject::Declared(full_name.to_owned()), message);
        }
    }
}

fn by_number<'s, 'a>(fields: &[FieldView<'s, 'a>]) -> Fields<'s, 'a> {
    let mut numbers = Fields::new();
    for field in fields {
        numbers.entry(field.number()).or_insert(*field);
    }
    numbers
}

fn is_required(field: &FieldView<'_, '_>) -> bool {
    matches!(field.field.ast.label, Some((ast::Label::Required, _)))
}

/// The reserved names.
fn reserved_names<'x>(statements: &'x [ast::Reserved<'_>]) -> OrderedSet<&'x str> {
    statements.iter().flat_map(|statement| &statement.names).map(|reserved| &*reserved.name.text).collect()
}

fn range_text((start, end): (i32, i32), max: i32) -> String {
    match end {
        _ if start == end => format!("[{start}]"),
        _ if end == max => format!("[{start},max]"),
        _ => format!("[{start},{end}]"),
    }
}
