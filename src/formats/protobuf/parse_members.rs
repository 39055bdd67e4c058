//! Reads what stands inside messages and enums: fields, oneofs, `extend` blocks, number ranges, reserved names, values.

use std::borrow::Cow;
use std::fmt;

use crate::change::Span;
use crate::formats::protobuf::ast::*;
use crate::formats::protobuf::parse::{Dialect, LARGEST_FIELD_NUMBER, Parser, empty_message, is_scalar};
use crate::syntax::lexer::TokenKind;
use crate::syntax::literal::{self, Integer};
use crate::syntax::statement::{Stop, Understood};

/// Where a field stands; decides about labels and maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Message,
    Oneof(u32),
    Extend,
}

/// What a range of numbers is for; decides which numbers are possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RangeOf {
    Fields,
    EnumValues,
}

impl RangeOf {
    fn max(self) -> i64 {
        match self {
            RangeOf::Fields => LARGEST_FIELD_NUMBER,
            RangeOf::EnumValues => i64::from(i32::MAX),
        }
    }
}

impl<'a> Parser<'a> {
    pub(super) fn message_field(&mut self, messages: &mut Vec<Message<'a>>) -> Understood<Field<'a>> {
        self.field(Place::Message, messages)
    }

    /// A field; the message of a group goes to `messages`.
    fn field(&mut self, place: Place, messages: &mut Vec<Message<'a>>) -> Understood<Field<'a>> {
        let start = self.cursor.start();
        let label = self.label(place);
        let (ty, type_span) = self.field_type(place, label)?;
        let name = self.name(format_args!("a name for the field"))?;
        self.check_label_is_there(place, label, &ty, type_span, &name);
        let (number, number_span) = self.field_number(&name)?;
        let options = self.bracketed_options();
        let oneof = match place {
            Place::Oneof(index) => Some(index),
            Place::Message | Place::Extend => None,
        };
        let mut field = Field { name, number, number_span, label, ty, type_span, options, oneof, span: type_span };
        if let Type::Group(index) = &mut field.ty {
            let mut message = self.group_message(&field.name)?;
            field.span = self.cursor.since(start);
            message.span = field.span;
            *index = messages.len() as u32;
            messages.push(message);
        } else {
            self.end_statement(format_args!("field `{}`", field.name.text))?;
            field.span = self.cursor.since(start);
        }
        Ok(field)
    }

    fn label(&mut self, place: Place) -> Option<(Label, Span)> {
        let word = self.cursor.word();
        let label = match word {
            "optional" => Label::Optional,
            "required" => Label::Required,
            "repeated" => Label::Repeated,
            _ => return None,
        };
        let span = self.cursor.bump().span;
        if let Place::Oneof(_) = place {
            self.cursor.error(
                span,
                format_args!("a member of a oneof cannot be `{word}`: at most one member is set at a time"),
                format_args!("remove the word; for several values wrap them in a message"),
            );
            return None;
        }
        if self.dialect.is_edition() && label != Label::Repeated {
            let help = match label {
                Label::Required => "use `[features.field_presence = LEGACY_REQUIRED]`, or better no required field",
                Label::Optional | Label::Repeated => "remove it: in editions a single field tracks presence by itself",
            };
            self.cursor.error(
                span,
                format_args!("the label `{word}` does not exist in editions"),
                format_args!("{help}"),
            );
            return None;
        }
        Some((label, span))
    }

    fn check_label_is_there(
        &mut self,
        place: Place,
        label: Option<(Label, Span)>,
        ty: &Type<'a>,
        type_span: Span,
        name: &Name<'a>,
    ) {
        let may_lack = matches!(place, Place::Oneof(_)) || matches!(ty, Type::Map { .. });
        if self.dialect == Dialect::Proto2 && label.is_none() && !may_lack {
            self.cursor.error(
                type_span,
                format_args!("field `{}` has no label; proto2 needs `optional`, `required` or `repeated`", name.text),
                format_args!("write `optional` before the type, or `syntax = \"proto3\";` at the top of the file"),
            );
        }
    }

    fn field_type(&mut self, place: Place, label: Option<(Label, Span)>) -> Understood<(Type<'a>, Span)> {
        let (span, word) = (self.cursor.token().span, self.cursor.word());
        match word {
            "map" => self.map_or_message_map(place, label),
            "group" => {
                self.cursor.bump();
                if self.dialect.is_edition() {
                    self.cursor.error(
                        span,
                        format_args!("groups do not exist in editions"),
                        format_args!(
                            "declare a message, and a field of that type with `[features.message_encoding = DELIMITED]`"
                        ),
                    );
                }
                Ok((Type::Group(0), span))
            }
            _ => {
                let name = self.scalar_or_type_name(format_args!("a type"))?;
                let span = name.span;
                Ok((Type::Named(name), span))
            }
        }
    }

    /// A scalar type's keyword or the path of a type.
    fn scalar_or_type_name(&mut self, what: fmt::Arguments<'_>) -> Understood<Name<'a>> {
        if is_scalar(self.cursor.word()) { self.name(what) } else { self.type_name(what) }
    }

    /// `map<K, V>`, or a message that is called `map`.
    fn map_or_message_map(&mut self, place: Place, label: Option<(Label, Span)>) -> Understood<(Type<'a>, Span)> {
        let word = self.cursor.bump().span;
        if self.cursor.take_symbol(b'<').is_none() {
            let name = Name { text: Cow::Borrowed("map"), span: word };
            if self.cursor.at_symbol(b'.') {
                self.cursor.error(
                    word,
                    format_args!("a type's path cannot begin with the word `map`"),
                    format_args!("write the full path with a leading dot"),
                );
                return Err(Stop);
            }
            return Ok((Type::Named(name), word));
        }
        self.check_map_is_allowed(place, label, word);
        let key = self.map_part("key")?;
        self.cursor.expect_symbol(b',', format_args!("between the key and the value type of the map"))?;
        let value = self.map_part("value")?;
        self.cursor.expect_symbol(b'>', format_args!("after the value type of the map"))?;
        Ok((Type::Map { key, value }, self.cursor.since(word.start)))
    }

    fn map_part(&mut self, part: &str) -> Understood<Name<'a>> {
        if self.cursor.word() == "group" {
            let span = self.cursor.token().span;
            self.cursor.error(
                span,
                format_args!("the {part} of a map cannot be a group"),
                format_args!("declare a message and name it here"),
            );
            return Err(Stop);
        }
        self.scalar_or_type_name(format_args!("the {part} type of the map"))
    }

    fn check_map_is_allowed(&mut self, place: Place, label: Option<(Label, Span)>, map: Span) {
        match (place, label) {
            (Place::Oneof(_), _) => self.cursor.error(
                map,
                format_args!("a map cannot be a member of a oneof"),
                format_args!("wrap the map in a message"),
            ),
            (Place::Extend, _) => self.cursor.error(
                map,
                format_args!("an extension cannot be a map"),
                format_args!("wrap the map in a message"),
            ),
            (Place::Message, Some((_, span))) => self.cursor.error(
                span,
                format_args!("a map field cannot have a label: it always holds any number of entries"),
                format_args!("remove the label"),
            ),
            (Place::Message, None) => {}
        }
    }

    /// `= N`. A number that cannot be one is 0, with an empty place.
    fn field_number(&mut self, field: &Name<'a>) -> Understood<(i64, Span)> {
        let field = &field.text;
        let end = self.cursor.previous_end();
        let nothing = (0, Span::new(end, end));
        if self.cursor.take_symbol(b'=').is_none() {
            let (span, found) = (self.cursor.token().span, self.cursor.found());
            self.cursor.error(
                span,
                format_args!("field `{field}` has no number: expected `=`, found {found}"),
                format_args!("give it a number that was never used in this message, as in `{field} = 1`"),
            );
            let goes_on = self.cursor.at_symbol(b';') || self.cursor.at_symbol(b'[');
            return if goes_on { Ok(nothing) } else { Err(Stop) };
        }
        let start = self.cursor.start();
        let negative = self.cursor.take_symbol(b'-').is_some();
        let is_number = self.cursor.at(TokenKind::Integer) || self.cursor.at(TokenKind::Float);
        if !is_number {
            self.cursor.expected(
                format_args!("the number of field `{field}`"),
                format_args!("field numbers are integers from 1 to {LARGEST_FIELD_NUMBER}"),
            );
            let goes_on = self.cursor.at_symbol(b';') || self.cursor.at_symbol(b'[');
            return if goes_on { Ok(nothing) } else { Err(Stop) };
        }
        let is_integer = self.cursor.at(TokenKind::Integer);
        let token = self.cursor.bump().span;
        match literal::integer(self.cursor.bytes(token)) {
            Integer::Fits(value @ 1..=0x7fff_ffff) if is_integer && !negative => Ok((value as i64, token)),
            _ => {
                let span = self.cursor.since(start);
                let written = self.cursor.text(span);
                self.cursor.error(
                    span,
                    format_args!("`{written}` cannot be the number of field `{field}`"),
                    format_args!("field numbers are integers from 1 to {LARGEST_FIELD_NUMBER}"),
                );
                Ok(nothing)
            }
        }
    }

    fn group_message(&mut self, name: &Name<'a>) -> Understood<Message<'a>> {
        if !name.text.starts_with(|first: char| first.is_ascii_uppercase()) {
            self.cursor.error(
                name.span,
                format_args!("group `{}` must begin with a capital letter: it declares a message type too", name.text),
                format_args!("capitalise it; the field's name is the same in lower case"),
            );
        }
        if !self.cursor.at_symbol(b'{') {
            let found = self.cursor.found();
            let span = self.cursor.token().span;
            self.cursor.error(
                span,
                format_args!("group `{}` has no body: expected `{{`, found {found}", name.text),
                format_args!("write the fields of the group between `{{` and `}}`"),
            );
            return Err(Stop);
        }
        let mut message = empty_message(name.clone(), None);
        message.is_group = true;
        self.message_body(&mut message)?;
        Ok(message)
    }

    pub(super) fn oneof(&mut self, message: &mut Message<'a>) -> Understood<()> {
        let start = self.cursor.bump().span.start;
        let name = self.name(format_args!("a name for the oneof"))?;
        self.open_block("oneof", &name)?;
        let problems_before = self.cursor.problem_count();
        let (index, fields_before) = (message.oneofs.len() as u32, message.fields.len());
        let mut options = Vec::new();
        while !self.close_block("oneof", &name) {
            if self.oneof_statement(index, message, &mut options).is_err() {
                self.cursor.skip_statement();
            }
        }
        if message.fields.len() == fields_before && self.cursor.problem_count() == problems_before {
            self.cursor.error(
                name.span,
                format_args!("oneof `{}` has no members", name.text),
                format_args!("add a field to it, or remove it"),
            );
        }
        message.oneofs.push(Oneof { name, span: self.cursor.since(start), options });
        Ok(())
    }

    fn oneof_statement(
        &mut self,
        index: u32,
        message: &mut Message<'a>,
        options: &mut Vec<OptionNode<'a>>,
    ) -> Understood<()> {
        if self.refuse_empty_statement("oneof") {
            return Ok(());
        }
        if self.cursor.word() == "option" {
            options.push(self.option_statement()?);
        } else {
            let field = self.field(Place::Oneof(index), &mut message.messages)?;
            message.fields.push(field);
        }
        Ok(())
    }

    fn refuse_empty_statement(&mut self, what: &str) -> bool {
        let Some(span) = self.cursor.take_symbol(b';') else { return false };
        let message = format_args!("an empty statement cannot stand in a `{what}` block");
        self.cursor.error(span, message, format_args!("remove this `;`"));
        true
    }

    /// An `extend` block; the messages of groups go to `messages`.
    pub(super) fn extend(&mut self, messages: &mut Vec<Message<'a>>) -> Understood<Extend<'a>> {
        let start = self.cursor.bump().span.start;
        let extendee = self.message_type_name(format_args!("the message to extend"))?;
        self.open_block("extend", &extendee)?;
        let problems_before = self.cursor.problem_count();
        let mut fields = Vec::new();
        while !self.close_block("extend", &extendee) {
            if self.refuse_empty_statement("extend") {
                continue;
            }
            match self.field(Place::Extend, messages) {
                Ok(field) => fields.push(field),
                Err(Stop) => self.cursor.skip_statement(),
            }
        }
        if fields.is_empty() && self.cursor.problem_count() == problems_before {
            self.cursor.error(
                extendee.span,
                format_args!("this block extends `{}` with nothing", extendee.text),
                format_args!("add a field to it, or remove it"),
            );
        }
        Ok(Extend { extendee, fields, span: self.cursor.since(start) })
    }

    pub(super) fn extensions(&mut self) -> Understood<ExtensionRanges<'a>> {
        let start = self.cursor.bump().span.start;
        let ranges = self.number_ranges(RangeOf::Fields)?;
        let options = self.bracketed_options();
        self.end_statement(format_args!("the extension range"))?;
        Ok(ExtensionRanges { ranges, options, span: self.cursor.since(start) })
    }

    pub(super) fn reserved_in_message(&mut self) -> Understood<Reserved<'a>> {
        self.reserved(RangeOf::Fields)
    }

    fn reserved(&mut self, of: RangeOf) -> Understood<Reserved<'a>> {
        let start = self.cursor.bump().span.start;
        let mut reserved = Reserved { ranges: Vec::new(), names: Vec::new(), span: Span::default() };
        if self.cursor.at(TokenKind::String) || self.cursor.at(TokenKind::Identifier) {
            reserved.names = self.reserved_names()?;
        } else {
            reserved.ranges = self.number_ranges(of)?;
        }
        self.end_statement(format_args!("the reserved statement"))?;
        reserved.span = self.cursor.since(start);
        Ok(reserved)
    }

    fn reserved_names(&mut self) -> Understood<Vec<ReservedName<'a>>> {
        let mut names = Vec::new();
        loop {
            let quoted = self.cursor.at(TokenKind::String);
            let name = if quoted {
                let (text, span) = self.text_string(format_args!("a name"))?;
                Name { text, span }
            } else {
                self.name(format_args!("a name to reserve"))?
            };
            self.check_reserved_name(&name, quoted);
            names.push(ReservedName { name, quoted });
            if self.cursor.take_symbol(b',').is_none() {
                return Ok(names);
            }
        }
    }

    fn check_reserved_name(&mut self, name: &Name<'a>, quoted: bool) {
        let text = &name.text;
        match (self.dialect.is_edition(), quoted) {
            (true, true) => self.cursor.error(
                name.span,
                format_args!("in editions a reserved name stands without quotes"),
                format_args!("write `reserved {text};`"),
            ),
            (false, false) => self.cursor.error(
                name.span,
                format_args!("a reserved name stands in quotes; only editions take it without"),
                format_args!("write `reserved \"{text}\";`"),
            ),
            (true, false) | (false, true) => {}
        }
    }

    fn number_ranges(&mut self, of: RangeOf) -> Understood<Vec<NumberRange>> {
        let mut ranges = Vec::new();
        loop {
            ranges.push(self.number_range(of)?);
            if self.cursor.take_symbol(b',').is_none() {
                return Ok(ranges);
            }
        }
    }

    fn number_range(&mut self, of: RangeOf) -> Understood<NumberRange> {
        let place = self.cursor.start();
        let start = self.range_number(of)?;
        let mut range = NumberRange { start, end: start, to_max: false, span: Span::default() };
        if self.cursor.take_word("to").is_some() {
            range.to_max = self.cursor.take_word("max").is_some();
            range.end = if range.to_max { of.max() } else { self.range_number(of)? };
        }
        range.span = self.cursor.since(place);
        if range.end < range.start && !range.to_max {
            self.cursor.error(
                range.span,
                format_args!("the range ends at {} before it starts at {}", range.end, range.start),
                format_args!("swap the two numbers"),
            );
        }
        Ok(range)
    }

    /// One end of a range. Not a single number of the range is kept when it cannot be one.
    fn range_number(&mut self, of: RangeOf) -> Understood<i64> {
        let start = self.cursor.start();
        let negative = of == RangeOf::EnumValues && self.cursor.take_symbol(b'-').is_some();
        if !self.cursor.at(TokenKind::Integer) {
            let help = match of {
                RangeOf::Fields => format_args!("write numbers from 1, as in `4, 6 to 9, 100 to max`"),
                RangeOf::EnumValues => format_args!("write numbers, as in `-1, 4, 6 to 9, 100 to max`"),
            };
            return Err(self.cursor.expected(format_args!("a number"), help));
        }
        let value = self.integer_value(negative);
        let possible = match of {
            RangeOf::Fields => 1..=i64::from(i32::MAX) - 1,
            RangeOf::EnumValues => i64::from(i32::MIN)..=i64::from(i32::MAX),
        };
        match value.filter(|value| possible.contains(value)) {
            Some(value) => Ok(value),
            None => {
                let span = self.cursor.since(start);
                let (low, high) = match of {
                    RangeOf::Fields => (1, of.max()),
                    RangeOf::EnumValues => (*possible.start(), *possible.end()),
                };
                self.cursor.error(
                    span,
                    format_args!("`{}` is out of range: numbers go from {low} to {high}", self.cursor.text(span)),
                    format_args!("for the upper end write `max`"),
                );
                Err(Stop)
            }
        }
    }

    /// Takes an integer token.
    fn integer_value(&mut self, negative: bool) -> Option<i64> {
        let token = self.cursor.bump().span;
        match literal::integer(self.cursor.bytes(token)) {
            Integer::Fits(value) if negative => 0i64.checked_sub_unsigned(value),
            Integer::Fits(value) => i64::try_from(value).ok(),
            Integer::TooLarge => None,
        }
    }

    pub(super) fn enumeration(&mut self, start: u32, visibility: Option<(Visibility, Span)>) -> Understood<Enum<'a>> {
        self.cursor.bump();
        let name = self.name(format_args!("a name for the enum"))?;
        let open = self.open_block("enum", &name)?;
        let problems_before = self.cursor.problem_count();
        let mut this = Enum {
            name,
            span: Span::default(),
            body: Span::default(),
            visibility,
            values: Vec::new(),
            reserved: Vec::new(),
            options: Vec::new(),
        };
        while !self.close_block("enum", &this.name) {
            if self.enum_statement(&mut this).is_err() {
                self.cursor.skip_statement();
            }
        }
        this.body = self.cursor.since(open.start);
        this.span = self.cursor.since(start);
        if this.values.is_empty() && self.cursor.problem_count() == problems_before {
            self.cursor.error(
                this.name.span,
                format_args!("enum `{}` has no values", this.name.text),
                format_args!("give it at least one, as in `UNSPECIFIED = 0;`"),
            );
        }
        Ok(this)
    }

    fn enum_statement(&mut self, this: &mut Enum<'a>) -> Understood<()> {
        if self.cursor.take_symbol(b';').is_some() {
            return Ok(());
        }
        match self.cursor.word() {
            "option" => this.options.push(self.option_statement()?),
            "reserved" => this.reserved.push(self.reserved(RangeOf::EnumValues)?),
            _ => this.values.push(self.enum_value()?),
        }
        Ok(())
    }

    fn enum_value(&mut self) -> Understood<EnumValue<'a>> {
        let start = self.cursor.start();
        let name = self.name(format_args!("a name for the enum value"))?;
        self.cursor.expect_symbol(b'=', format_args!("and a number after the enum value `{}`", name.text))?;
        let number_start = self.cursor.start();
        let negative = self.cursor.take_symbol(b'-').is_some();
        if !self.cursor.at(TokenKind::Integer) {
            return Err(self.cursor.expected(
                format_args!("the number of the enum value `{}`", name.text),
                format_args!("numbers of enum values are integers of 32 bits"),
            ));
        }
        let value = self.integer_value(negative);
        let number_span = self.cursor.since(number_start);
        let number = value.filter(|&value| i32::try_from(value).is_ok());
        if number.is_none() {
            self.cursor.error(
                number_span,
                format_args!("`{}` does not fit in 32 bits", self.cursor.text(number_span)),
                format_args!("numbers of enum values go from {} to {}", i32::MIN, i32::MAX),
            );
        }
        let options = self.bracketed_options();
        self.end_statement(format_args!("the enum value `{}`", name.text))?;
        let span = self.cursor.since(start);
        Ok(EnumValue { name, number: number.ok_or(Stop)?, number_span, options, span })
    }
}
