//! Reads options and their values, message literals included.

use crate::change::Span;
use crate::formats::protobuf::ast::*;
use crate::formats::protobuf::parse::Parser;
use crate::syntax::lexer::TokenKind;
use crate::syntax::literal::{self, Integer};
use crate::syntax::statement::{Stop, Understood};

/// How deep message literals may nest. The reference compiler itself fails on deeper ones.
const LITERAL_NESTING_LIMIT: u32 = 100;

const LITERAL_HELP: &str = "a message literal is written as `{ name: value, other { … } }`";

impl<'a> Parser<'a> {
    /// `option name = value;`
    pub(super) fn option_statement(&mut self) -> Understood<OptionNode<'a>> {
        let start = self.cursor.bump().span.start;
        let mut option = self.option()?;
        self.end_statement(format_args!("the option"))?;
        option.span = self.cursor.since(start);
        Ok(option)
    }

    /// `[name = value, …]`, or nothing. After a problem the rest up to the closing bracket is skipped.
    pub(super) fn bracketed_options(&mut self) -> Vec<OptionNode<'a>> {
        let mut options = Vec::new();
        if self.cursor.take_symbol(b'[').is_none() {
            return options;
        }
        while let Ok(option) = self.option() {
            options.push(option);
            if self.cursor.take_symbol(b',').is_some() {
                continue;
            }
            if self.cursor.expect_symbol(b']', format_args!("or `,` after the option")).is_ok() {
                return options;
            }
            break;
        }
        self.skip_to_bracket();
        options
    }

    /// Behind the `]` of an option list that was not understood. A list that is never closed ends with its statement.
    fn skip_to_bracket(&mut self) {
        loop {
            match self.cursor.token().kind {
                TokenKind::Symbol(open @ (b'{' | b'[')) => {
                    self.cursor.bump();
                    self.cursor.skip_to_close(if open == b'{' { b'}' } else { b']' });
                }
                TokenKind::Symbol(b']') => {
                    self.cursor.bump();
                    return;
                }
                TokenKind::Symbol(b';' | b'}') | TokenKind::End => return,
                _ => {
                    self.cursor.bump();
                }
            }
        }
    }

    fn option(&mut self) -> Understood<OptionNode<'a>> {
        let start = self.cursor.start();
        let mut name = vec![self.option_name_part()?];
        while self.cursor.take_symbol(b'.').is_some() {
            name.push(self.option_name_part()?);
        }
        let name_span = self.cursor.since(start);
        self.cursor.expect_symbol(b'=', format_args!("after the name of the option"))?;
        let value = self.option_value()?;
        Ok(OptionNode { name, name_span, value, span: self.cursor.since(start) })
    }

    fn option_name_part(&mut self) -> Understood<OptionNamePart<'a>> {
        if self.cursor.take_symbol(b'(').is_none() {
            let name = self.name(format_args!("the name of an option"))?;
            return Ok(OptionNamePart { name, is_extension: false });
        }
        let name = self.type_name(format_args!("the name of a custom option"))?;
        self.cursor.expect_symbol(b')', format_args!("after the name of the custom option"))?;
        Ok(OptionNamePart { name, is_extension: true })
    }

    fn option_value(&mut self) -> Understood<OptionValue<'a>> {
        let start = self.cursor.start();
        // The reference compiler lets a minus sign before a literal pass, and ignores it.
        let minus = self.cursor.take_symbol(b'-');
        if let Some(open) = self.cursor.take_symbol(b'{') {
            return self.literal(open, b'}', LITERAL_NESTING_LIMIT);
        }
        if self.cursor.at_symbol(b'[') || self.cursor.at_symbol(b'<') {
            return Err(self.cursor.expected(
                format_args!("a value for the option"),
                format_args!("repeat the option for each value of a list; write a message between `{{` and `}}`"),
            ));
        }
        self.scalar(start, minus)
    }

    /// An identifier, a number or a string, after its minus sign.
    fn scalar(&mut self, start: u32, minus: Option<Span>) -> Understood<OptionValue<'a>> {
        let negative = minus.is_some();
        let kind = match self.cursor.token().kind {
            TokenKind::Identifier => {
                let text = self.cursor.word();
                if negative && !matches!(text, "inf" | "infinity" | "nan") {
                    return Err(self.cursor.expected(
                        format_args!("a number after the minus sign"),
                        format_args!("of the words only `inf` and `nan` may follow it"),
                    ));
                }
                self.cursor.bump();
                OptionValueKind::Identifier { text, negative }
            }
            TokenKind::Integer => self.integer(negative),
            TokenKind::Float => {
                let token = self.cursor.bump().span;
                let value = literal::float(self.cursor.text(token));
                OptionValueKind::Float(if negative { -value } else { value })
            }
            TokenKind::String if !negative => OptionValueKind::Bytes(self.string(format_args!("a string"))?.0),
            TokenKind::String | TokenKind::Symbol(_) | TokenKind::End => {
                return Err(self.cursor.expected(
                    format_args!("a value"),
                    format_args!("write a word, a number, a string in quotes or `{{ … }}`"),
                ));
            }
        };
        Ok(OptionValue { kind, span: self.cursor.since(start) })
    }

    /// Integers beyond 64 bits are read as floating point, when they are decimal.
    fn integer(&mut self, negative: bool) -> OptionValueKind<'a> {
        let token = self.cursor.bump().span;
        let text = self.cursor.text(token);
        match literal::integer(text.as_bytes()) {
            Integer::Fits(magnitude) if !negative || magnitude <= 1 << 63 => {
                OptionValueKind::Integer { magnitude, negative }
            }
            Integer::TooLarge if text.len() > 1 && text.starts_with('0') => {
                self.cursor.error(
                    token,
                    format_args!("`{text}` does not fit in 64 bits"),
                    format_args!("write it as a decimal number"),
                );
                OptionValueKind::Integer { magnitude: 0, negative }
            }
            Integer::Fits(_) | Integer::TooLarge => {
                let value = literal::float(text);
                OptionValueKind::Float(if negative { -value } else { value })
            }
        }
    }

    /// The fields of a message literal after its opening bracket. A field that cannot be understood ends the literal,
    /// and the rest of it is skipped.
    fn literal(&mut self, open: Span, close: u8, levels: u32) -> Understood<OptionValue<'a>> {
        if levels == 0 {
            self.cursor.error(
                open,
                format_args!("message literals are nested deeper than {LITERAL_NESTING_LIMIT} levels"),
                format_args!("flatten the value"),
            );
            self.cursor.skip_to_close(close);
            return Ok(OptionValue { kind: OptionValueKind::Message(Vec::new()), span: self.cursor.since(open.start) });
        }
        let mut fields = Vec::new();
        while self.cursor.take_symbol(close).is_none() {
            if self.cursor.at_end() {
                self.cursor.error(
                    open,
                    format_args!("this literal is never closed"),
                    format_args!("add the missing `{}`", close as char),
                );
                break;
            }
            match self.literal_field(levels) {
                Ok(field) => fields.push(field),
                Err(Stop) => {
                    self.cursor.skip_to_close(close);
                    break;
                }
            }
        }
        Ok(OptionValue { kind: OptionValueKind::Message(fields), span: self.cursor.since(open.start) })
    }

    fn literal_field(&mut self, levels: u32) -> Understood<LiteralField<'a>> {
        let start = self.cursor.start();
        let is_bracketed = self.cursor.take_symbol(b'[').is_some();
        let name = if is_bracketed { self.bracketed_name()? } else { self.literal_name()? };
        let value = if self.cursor.take_symbol(b':').is_some() {
            self.literal_value(levels)?
        } else {
            self.value_without_colon(&name, levels)?
        };
        let span = self.cursor.since(start);
        if self.cursor.take_symbol(b',').is_none() {
            self.cursor.take_symbol(b';');
        }
        Ok(LiteralField { name, is_bracketed, value, span })
    }

    fn literal_name(&mut self) -> Understood<Name<'a>> {
        if self.cursor.at_symbol(b'#') {
            let help = "write `//`; the reference compiler drops everything after a `#` in a literal";
            return Err(self.cursor.expected(format_args!("the name of a field"), format_args!("{help}")));
        }
        if !self.cursor.at(TokenKind::Identifier) {
            return Err(self.cursor.expected(format_args!("the name of a field"), format_args!("{LITERAL_HELP}")));
        }
        self.name(format_args!("the name of a field"))
    }

    /// `ext.name]` or `type.googleapis.com/x.Y]`
    fn bracketed_name(&mut self) -> Understood<Name<'a>> {
        let start = self.cursor.start();
        let mut name = self.dotted_name(format_args!("the name of an extension or a type URL"))?;
        while self.cursor.at_symbol(b'-') || self.cursor.at_symbol(b'/') {
            self.cursor.bump();
            self.dotted_name(format_args!("the rest of the type URL"))?;
            let span = self.cursor.since(start);
            name = Name { text: self.without_space(span), span };
        }
        self.cursor.expect_symbol(b']', format_args!("after the name"))?;
        Ok(name)
    }

    /// Only messages and lists of messages may follow a name directly.
    fn value_without_colon(&mut self, name: &Name<'a>, levels: u32) -> Understood<OptionValue<'a>> {
        let symbol = self.cursor.token().kind;
        if !matches!(symbol, TokenKind::Symbol(b'{' | b'<' | b'[')) {
            let what = format_args!("`:` after `{}`", name.text);
            return Err(self.cursor.expected(what, format_args!("{LITERAL_HELP}")));
        }
        let value = self.literal_value(levels)?;
        if let OptionValueKind::List(items) = &value.kind
            && let Some(item) = items.iter().find(|item| !matches!(item.kind, OptionValueKind::Message(_)))
        {
            self.cursor.error(
                item.span,
                format_args!("a list after `{}` without `:` may hold messages only", name.text),
                format_args!("write `{}: [ … ]`", name.text),
            );
        }
        Ok(value)
    }

    fn literal_value(&mut self, levels: u32) -> Understood<OptionValue<'a>> {
        match self.cursor.take_symbol(b'[') {
            Some(open) => self.list(open, levels),
            None => self.list_item(levels),
        }
    }

    fn list(&mut self, open: Span, levels: u32) -> Understood<OptionValue<'a>> {
        let mut items = Vec::new();
        if self.cursor.take_symbol(b']').is_none() {
            loop {
                items.push(self.list_item(levels)?);
                if self.cursor.take_symbol(b',').is_none() {
                    break;
                }
            }
            self.cursor.expect_symbol(b']', format_args!("or `,` after a value of the list"))?;
        }
        Ok(OptionValue { kind: OptionValueKind::List(items), span: self.cursor.since(open.start) })
    }

    /// A value that is not a list: lists do not nest.
    fn list_item(&mut self, levels: u32) -> Understood<OptionValue<'a>> {
        if let Some(open) = self.cursor.take_symbol(b'{') {
            return self.literal(open, b'}', levels - 1);
        }
        if let Some(open) = self.cursor.take_symbol(b'<') {
            return self.literal(open, b'>', levels - 1);
        }
        let start = self.cursor.start();
        let minus = self.cursor.take_symbol(b'-');
        self.scalar(start, minus)
    }
}
