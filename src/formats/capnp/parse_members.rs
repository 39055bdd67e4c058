//! Fields, groups, unions and methods.

use crate::change::Span;
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Member, MemberKind, Method, Signature};
use super::parse::Parser;

impl<'b> Parser<'b> {
    /// A field, a group or a union, with the `;` of a field.
    pub(super) fn member(&mut self) -> Understood<Member<'b>> {
        self.deeper(|parser| {
            let start = parser.cursor.start();
            let name = parser.name(format_args!("a field, or a declaration"))?;
            // Only a name may have an ordinal behind it.
            let is_unnamed = name.text == "union" && !parser.cursor.at_symbol(b':') && !parser.cursor.at_symbol(b'@');
            let ordinal = match parser.cursor.at_symbol(b'@') {
                true => Some(parser.ordinal()?),
                false => None,
            };
            // Unions were numbered before release 0.3; the mark says that it is meant.
            let meant = parser.cursor.take_symbol(b'!');
            if !is_unnamed {
                parser.cursor.expect_symbol(b':', format_args!("before the type of a field"))?;
            }
            let mut ahead = parser.cursor.clone();
            let is_block = ahead.take_word("union").or_else(|| ahead.take_word("group")).is_some()
                && (ahead.at_symbol(b'{') || ahead.at_symbol(b'$'));
            let mut member =
                Member { name, is_unnamed, span: Span::default(), ordinal, annotations: Vec::new(), kind: FIELDLESS };
            let is_union = is_unnamed || is_block && parser.cursor.word() == "union";
            if let (Some(mark), true) = (meant, is_unnamed || !is_union || ordinal.is_none()) {
                let message = format_args!("`!` stands behind the ordinal of a union with a name only");
                parser.cursor.error(mark, message, format_args!("take it away"));
            }
            if is_unnamed || is_block {
                match ordinal {
                    Some((number, span)) if is_union && meant.is_none() => {
                        let message = format_args!("unions have no ordinal any more");
                        let help = format_args!("take it away, or write `@{number}!` where old data have it");
                        parser.cursor.error(span, message, help);
                    }
                    Some((_, span)) if !is_union => {
                        let help = format_args!("take it away: the fields in it have theirs");
                        parser.cursor.error(span, format_args!("groups have no ordinal"), help);
                    }
                    _ => {}
                }
                if !is_unnamed {
                    parser.cursor.bump();
                }
                if is_unnamed && parser.cursor.at_symbol(b'$') {
                    let span = parser.cursor.token().span;
                    let message = format_args!("a union without a name has no annotations");
                    parser.cursor.error(span, message, format_args!("give it a name, or take the annotation away"));
                }
                member.annotations = parser.annotations()?;
                let members = parser.block(&member)?;
                member.kind = if is_union { MemberKind::Union(members) } else { MemberKind::Group(members) };
                member.span = parser.cursor.since(start);
            } else {
                parser.field(&mut member, start)?;
                parser.end(format_args!("the field"))?;
            }
            Ok(member)
        })
    }

    /// Type, default and annotations of a field.
    fn field(&mut self, member: &mut Member<'b>, start: u32) -> Understood<()> {
        let ty = self.path()?;
        let default = match self.cursor.take_symbol(b'=') {
            Some(_) => Some(self.value()?),
            None => None,
        };
        member.annotations.extend(self.annotations()?);
        member.kind = MemberKind::Field(ty, default);
        member.span = self.cursor.since(start);
        Ok(())
    }

    fn block(&mut self, of: &Member<'b>) -> Understood<Vec<Member<'b>>> {
        self.cursor.expect_symbol(b'{', format_args!("before the members"))?;
        let mut members = Vec::new();
        while !self.cursor.close_block("the block", &of.name, |_| false) {
            match self.member() {
                Ok(member) => members.push(member),
                Err(Stop) => self.cursor.skip_statement(),
            }
        }
        Ok(members)
    }

    pub(super) fn method(&mut self) -> Understood<Method<'b>> {
        let start = self.cursor.start();
        let name = self.name(format_args!("a method, or a declaration"))?;
        let ordinal = self.ordinal()?;
        let implicit = self.parameters(b'[', b']')?;
        let parameters = self.signature(false)?;
        let mut results = Signature::Fields(Vec::new());
        if self.cursor.take_symbol(b'-').is_some() {
            self.cursor.expect_symbol(b'>', format_args!("before the results of a method"))?;
            results = self.signature(true)?;
        }
        let annotations = self.annotations()?;
        let span = self.cursor.since(start);
        self.end(format_args!("the method"))?;
        Ok(Method { name, span, ordinal, implicit, parameters, results, annotations })
    }

    fn signature(&mut self, may_stream: bool) -> Understood<Signature<'b>> {
        if self.cursor.word() == "stream" {
            if !may_stream {
                let help = format_args!("write the parameters in brackets");
                self.cursor.error(self.cursor.token().span, format_args!("only results are a `stream`"), help);
            }
            self.cursor.bump();
            return Ok(Signature::Stream);
        }
        if self.cursor.take_symbol(b'(').is_none() {
            return self.path().map(Signature::Named);
        }
        let mut fields = Vec::new();
        while self.cursor.take_symbol(b')').is_none() {
            let start = self.cursor.start();
            let name = self.name(format_args!("a parameter"))?;
            self.cursor.expect_symbol(b':', format_args!("before the type of a parameter"))?;
            let ordinal = u16::try_from(fields.len()).ok().map(|number| (number, name.span));
            let mut member = Member {
                name,
                is_unnamed: false,
                span: Span::default(),
                ordinal,
                annotations: Vec::new(),
                kind: FIELDLESS,
            };
            self.field(&mut member, start)?;
            fields.push(member);
            self.comma(b')')?;
        }
        Ok(Signature::Fields(fields))
    }
}

/// What a member is until more of it was read.
const FIELDLESS: MemberKind<'static> = MemberKind::Group(Vec::new());
