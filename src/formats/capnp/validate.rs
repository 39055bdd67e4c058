//! What the compiler refuses of names: twice the same in one scope, and other letters than it asks for.

use rustc_hash::FxHashMap;

use crate::change::Span;
use crate::ordered::{OrderedMap, OrderedSet};

use super::ast::{Declaration, Kind, Member, MemberKind, Signature};
use super::link::Linker;
use super::model::{Constant, Spelled};

/// What a name stands for, as far as letters are concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    /// Types begin with a capital.
    Type,
    /// All else does not.
    Other,
}

/// The names of one scope.
type Names<'a, 't> = Vec<(&'a Spelled<'t>, Letters)>;

impl<'t> Linker<'t, '_> {
    /// Looks at every name of every file.
    pub(super) fn check_names(&mut self) {
        for file in 0..self.inputs.len() {
            let body = &self.inputs[file].tree.body;
            self.check_scope(file, declared(body));
            body.iter().for_each(|one| self.check_declaration(file, one));
        }
    }

    /// How deep declarations nest, the parser has limited.
    fn check_declaration(&mut self, file: usize, of: &Declaration<'t>) {
        let mut names = declared(&of.nested);
        match &of.kind {
            Kind::Struct(members) => self.check_members(file, members, &mut names),
            Kind::Enum(values) => names.extend(values.iter().map(|value| (&value.name, Letters::Other))),
            Kind::Interface(_, methods) => {
                names.extend(methods.iter().map(|method| (&method.name, Letters::Other)));
                for method in methods {
                    self.check_arguments(file, &method.parameters);
                    self.check_arguments(file, &method.results);
                }
            }
            Kind::Using(_) | Kind::Constant(..) | Kind::Annotation(..) => {}
        }
        self.check_scope(file, names);
        of.nested.iter().for_each(|one| self.check_declaration(file, one));
    }

    /// Adds the names of members to those of the scope that they stand in. The members of a union without a name stand
    /// in that of the union.
    fn check_members<'a>(&mut self, file: usize, members: &'a [Member<'t>], names: &mut Names<'a, 't>) {
        let nameless: Vec<&Member<'t>> = members.iter().filter(|one| one.is_unnamed).collect();
        if let [_, second, ..] = nameless[..] {
            let message = format_args!("a union without a name stands here already");
            self.logs[file].error(second.name.span, message, "give one of the two a name");
        }
        for member in members {
            match &member.kind {
                MemberKind::Union(inner) if member.is_unnamed => self.check_members(file, inner, names),
                MemberKind::Field(..) => names.push((&member.name, Letters::Other)),
                MemberKind::Group(inner) | MemberKind::Union(inner) => {
                    names.push((&member.name, Letters::Other));
                    let mut own = Vec::new();
                    self.check_members(file, inner, &mut own);
                    self.check_scope(file, own);
                }
            }
        }
    }

    /// What a method takes or gives may be called anything, but no two of it the same.
    fn check_arguments(&mut self, file: usize, signature: &Signature<'t>) {
        let Signature::Fields(fields) = signature else { return };
        let mut seen = OrderedSet::new();
        for field in fields {
            if !seen.insert(&field.name.text) {
                let message = format_args!("`{}` is declared twice here", field.name.text);
                self.logs[file].error(field.name.span, message, "rename one of the two");
            }
        }
    }

    /// What is looked at once all structs have their fields.
    pub(super) fn check_constants(&mut self) {
        let place = |file: usize, span: Span| (file, span.start);
        let others = self.schema.others.iter().enumerate();
        let of: FxHashMap<_, usize> =
            others.map(|(at, other)| (place(other.file.0 as usize, other.name.span), at)).collect();
        for node in 0..self.scopes.nodes.len() {
            let Some(declaration) = self.scopes.nodes[node].declaration else { continue };
            let Kind::Constant(ty, value) = &declaration.kind else { continue };
            let file = self.scopes.nodes[node].file;
            let Some((ty, found)) = self.check_constant(node, ty, value) else { continue };
            let whole = declaration.span;
            let around = [Span { end: value.span.start, ..whole }, Span { start: value.span.end, ..whole }];
            let around = around.map(|span| self.scopes.written(file, span));
            if let Some(at) = of.get(&place(file, declaration.name.span)) {
                self.schema.others[*at].value = Some(Constant { ty, value: found, around });
            }
        }
    }

    /// Other names that nothing uses: where something does, it is an error there.
    pub(super) fn check_aliases(&mut self) {
        for node in 0..self.scopes.nodes.len() {
            let of = &self.scopes.nodes[node];
            let (Some(Kind::Using(target)), Some(parent)) = (of.declaration.map(|one| &one.kind), of.parent) else {
                continue;
            };
            let file = of.file;
            // The compiler looks at those alone that something uses where the file is only imported.
            if let Err(unknown) = self.scopes.resolve(parent, target) {
                self.logs[file].warning(unknown.span, format_args!("{}", unknown.message), unknown.help);
            }
        }
    }

    fn check_scope(&mut self, file: usize, names: Names<'_, 't>) {
        let mut seen: OrderedMap<&str, Span> = OrderedMap::new();
        for (name, letters) in names {
            if seen.insert(&name.text, name.span).is_some() {
                let message = format_args!("`{}` is declared twice here", name.text);
                self.logs[file].error(name.span, message, "rename one of the two");
            }
            let begins_with = |is_meant: fn(&u8) -> bool| name.text.as_bytes().first().is_none_or(is_meant);
            if letters == Letters::Type && !begins_with(u8::is_ascii_uppercase) {
                let message =
                    format_args!("the name of a type begins with a capital letter, and `{}` does not", name.text);
                self.logs[file].refuse(name.span, message, "write its first letter large");
            }
            if letters == Letters::Other && !begins_with(u8::is_ascii_lowercase) {
                let message =
                    format_args!("only the names of types begin otherwise than with a small letter: `{}`", name.text);
                self.logs[file].refuse(name.span, message, "write its first letter small");
            }
            if name.text.contains('_') {
                let message = format_args!("the compiler takes no names with `_` in them: `{}`", name.text);
                self.logs[file].refuse(name.span, message, "write the next letter large instead");
            }
        }
    }
}

/// The names of declarations.
fn declared<'a, 't>(all: &'a [Declaration<'t>]) -> Names<'a, 't> {
    let letters = |one: &Declaration<'t>| match &one.kind {
        Kind::Struct(_) | Kind::Enum(_) | Kind::Interface(..) => Letters::Type,
        Kind::Constant(..) | Kind::Annotation(..) => Letters::Other,
        // Another name has the letters of what it stands for; a file has those of a type.
        Kind::Using(target) => {
            let first = target.last().and_then(|name| name.text.as_bytes().first().copied());
            if first.is_some_and(|first| first.is_ascii_lowercase()) { Letters::Other } else { Letters::Type }
        }
    };
    all.iter().map(|one| (&one.name, letters(one))).collect()
}
