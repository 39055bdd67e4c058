//! Names, types and fields.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Side;
use crate::ordered::InOrder;

use super::ast::{self, TypeKind, TypeNode};
use super::linker::{Entry, Extent, Linker, program_name};
use super::model::{Field, Requiredness, Sort, Spelled, StructId, Type};
use super::parse::NESTING_LIMIT;

const ONE: Extent = Extent { depth: 1, parts: 1 };

/// How many types one type may hold, itself included: typedefs of typedefs can double it again and again.
const PARTS_LIMIT: u32 = 512;

/// How a name was looked for in vain.
enum Lost {
    /// An include that may define it is missing or cannot be read.
    Hidden,
    /// Nothing defines it.
    Undefined,
}

/// Ranges in ascending order, those that touch as one.
fn merged(mut ranges: Vec<(i16, i16)>) -> Vec<(i16, i16)> {
    ranges.sort_in_order();
    ranges.dedup_by(|next, last| {
        let touches = next.0 <= last.1.saturating_add(1);
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
    ranges
}

/// Whether a number is in one of some merged ranges.
fn is_in(ranges: &[(i16, i16)], number: i16) -> bool {
    let behind = ranges.partition_point(|(first, _)| *first <= number);
    behind > 0 && ranges[behind - 1].1 >= number
}

/// By which name an include is referred to.
fn called<'i>(include: &'i ast::Include<'_>) -> &'i str {
    include.alias.as_ref().map_or_else(|| program_name(&include.path.text), |alias| &alias.text)
}

impl<'t> Linker<'t, '_> {
    /// What a name stands for; says so when it stands for nothing, unless it may be hidden in what is missing.
    pub(super) fn entry(&mut self, file: usize, name: &Spelled<'_>) -> Option<Entry> {
        match self.look_up(file, &name.text) {
            Ok(entry) => Some(entry),
            Err(Lost::Hidden) => {
                self.logs[file].unsure(name.span, &name.text);
                None
            }
            Err(Lost::Undefined) => {
                self.say_undefined(file, name);
                None
            }
        }
    }

    /// An old version that never compiled was never run either, and nobody can mend it any more.
    fn say_undefined(&mut self, file: usize, name: &Spelled<'_>) {
        let (text, help) = (&name.text, self.help_for(file, &name.text));
        let log = &mut self.logs[file];
        match self.side {
            Side::New => log.error(name.span, format_args!("`{text}` is not defined"), help),
            Side::Old => log.warning(
                name.span,
                format_args!("`{text}` is not defined in the old version, so it is compared by name only"),
                "a compiler refuses this version; compare with a later one if data was never written by it",
            ),
        }
    }

    /// What a name stands for, without a word when it stands for nothing.
    pub(super) fn find(&self, file: usize, name: &str) -> Option<Entry> {
        self.look_up(file, name).ok()
    }

    fn look_up(&self, file: usize, name: &str) -> Result<Entry, Lost> {
        if let Some(entry) = self.tables[file].types.get(name) {
            return Ok(*entry);
        }
        let mut lost = if self.inputs[file].is_broken() { Lost::Hidden } else { Lost::Undefined };
        let Some((program, inner)) = name.rsplit_once('.') else { return Err(lost) };
        for target in self.programs_called(file, program) {
            // What is behind it may define the name, and would count.
            let Some(target) = target else { return Err(Lost::Hidden) };
            if let Some(entry) = self.tables[target].types.get(inner) {
                return Ok(*entry);
            }
            if self.inputs[target].is_broken() {
                lost = Lost::Hidden;
            }
        }
        Err(lost)
    }

    /// The files that a name in front of a dot may mean, `None` for one that is missing. There may be several: includes from
    /// different folders, of which the last that defines something counts, and the file itself.
    pub(super) fn programs_called(&self, file: usize, name: &str) -> Vec<Option<usize>> {
        let input = &self.inputs[file];
        let mut found = Vec::new();
        for (include, target) in input.tree.includes.iter().zip(&input.imports).rev() {
            if called(include) == name {
                found.push(*target);
            }
        }
        if program_name(&input.path) == name {
            found.push(Some(file));
        }
        found
    }

    fn help_for(&self, file: usize, name: &str) -> String {
        let Some((program, inner)) = name.rsplit_once('.') else {
            let defines = |other: &usize| self.tables[*other].types.contains_key(name);
            if let Some(other) = (0..self.tables.len()).find(defines) {
                let path = &self.inputs[other].path;
                return format!("{path} defines it: include that file and write `{}.{name}`", program_name(path));
            }
            return "define it in this file, or write the name of the program that defines it in front: `program.Name`"
                .to_owned();
        };
        if self.programs_called(file, program).is_empty() {
            return format!("nothing is included as `{program}`: add `include \"{program}.thrift\"`");
        }
        format!("`{program}` is included, but defines no `{inner}`: check the spelling")
    }

    /// A type with typedefs looked through.
    pub(super) fn ty(&mut self, file: usize, node: &'t TypeNode<'t>) -> Type {
        self.sized_type(file, node).0
    }

    fn sized_type(&mut self, file: usize, node: &'t TypeNode<'t>) -> (Type, Extent) {
        let (ty, extent) = match &node.kind {
            TypeKind::Basic(Type::Void, _) => {
                self.logs[file].error(
                    node.span,
                    format_args!("`void` is not a type of values"),
                    "only a function may return it; choose another type",
                );
                (Type::Opaque(Arc::from("void")), ONE)
            }
            TypeKind::Basic(ty, _) => (ty.clone(), ONE),
            TypeKind::Other(text) => (Type::Other(Arc::from(&**text)), ONE),
            TypeKind::Name(name) => self.named_type(file, name, node),
            TypeKind::List(inner) | TypeKind::Set(inner) => {
                let (inner, extent) = self.sized_type(file, inner);
                let make = if matches!(node.kind, TypeKind::List(_)) { Type::List } else { Type::Set };
                (make(Box::new(inner)), Extent { depth: extent.depth + 1, parts: extent.parts + 1 })
            }
            TypeKind::Map(pair) => {
                let (key, keys) = self.sized_type(file, &pair.0);
                let (value, values) = self.sized_type(file, &pair.1);
                let extent = Extent { depth: keys.depth.max(values.depth) + 1, parts: keys.parts + values.parts + 1 };
                (Type::Map(Box::new((key, value))), extent)
            }
        };
        if extent.depth <= NESTING_LIMIT && extent.parts <= PARTS_LIMIT {
            return (ty, extent);
        }
        self.logs[file].error(
            node.span,
            format_args!("with all typedefs looked through this type is too large to be read"),
            format!(
                "at most {NESTING_LIMIT} levels and {PARTS_LIMIT} types in one are read; define a struct for parts"
            ),
        );
        (Type::Opaque(Arc::from(&*node.written().text)), ONE)
    }

    fn named_type(&mut self, file: usize, name: &str, node: &'t TypeNode<'t>) -> (Type, Extent) {
        let builtin = match name {
            "uuid" => Some(Type::Uuid),
            "float" => Some(Type::Float),
            _ => None,
        };
        if let Some(builtin) = builtin.filter(|_| self.find(file, name).is_none()) {
            return (builtin, ONE);
        }
        let spelled = Spelled { text: name.into(), span: node.span };
        let opaque = || Type::Opaque(Arc::from(name));
        match self.entry(file, &spelled) {
            None => (opaque(), ONE),
            Some(Entry::Struct(id)) => (Type::Struct(id), ONE),
            Some(Entry::Enum(id)) => (Type::Enum(id), ONE),
            // The name of an interaction is the type of a function that creates one.
            Some(Entry::Service(_)) => (Type::Other(Arc::from(name)), ONE),
            Some(Entry::Typedef(index)) => self.resolved[index].clone().unwrap_or_else(|| (opaque(), ONE)),
        }
    }

    /// Looks through all typedefs. Rings are refused; the typedef at which a ring is noticed is opaque.
    pub(super) fn resolve_typedefs(&mut self) {
        let mut is_open = vec![false; self.typedefs.len()];
        for start in 0..self.typedefs.len() {
            let mut stack = vec![start];
            while let Some(&index) = stack.last() {
                let (file, node) = self.typedefs[index];
                if self.resolved[index].is_some() {
                    stack.pop();
                    continue;
                }
                let mut needed = Vec::new();
                self.typedefs_in(file, &node.ty, &mut needed);
                needed.retain(|next| self.resolved[*next].is_none());
                if is_open[index] && !needed.is_empty() || needed.contains(&index) {
                    self.logs[file].error(
                        node.name.span,
                        format_args!("typedef `{}` stands for itself, so it is no type", node.name.text),
                        "let one of the typedefs in the ring stand for a type that is not in it",
                    );
                    self.resolved[index] = Some((Type::Opaque(Arc::from(&*node.name.text)), ONE));
                } else if needed.is_empty() {
                    self.resolved[index] = Some(self.sized_type(file, &node.ty));
                } else {
                    stack.extend(needed);
                }
                is_open[index] = true;
            }
        }
    }

    /// The typedefs that a type names directly.
    fn typedefs_in(&self, file: usize, node: &TypeNode<'_>, into: &mut Vec<usize>) {
        match &node.kind {
            TypeKind::Basic(..) | TypeKind::Other(_) => {}
            TypeKind::Name(name) => {
                if let Some(Entry::Typedef(index)) = self.find(file, name) {
                    into.push(index);
                }
            }
            TypeKind::List(inner) | TypeKind::Set(inner) => self.typedefs_in(file, inner, into),
            TypeKind::Map(pair) => {
                self.typedefs_in(file, &pair.0, into);
                self.typedefs_in(file, &pair.1, into);
            }
        }
    }

    /// The fields of a struct with their ids; what has an id or a name that is taken is left out.
    pub(super) fn fields(
        &mut self,
        file: usize,
        owner: StructId,
        nodes: &'t [ast::Field<'t>],
        sort: Sort,
    ) -> Vec<Field<'t>> {
        let mut fields: Vec<Field<'t>> = Vec::with_capacity(nodes.len());
        let mut ids: FxHashMap<i16, &str> = FxHashMap::default();
        let mut names: FxHashMap<&str, i16> = FxHashMap::default();
        let (mut next, mut has_default) = (-1i64, false);
        let reserved = merged(self.schema.structure(owner).reserved.clone());
        for node in nodes {
            let Some(id) = self.field_id(file, node, &mut next) else { continue };
            if let Some(other) = ids.insert(id, &node.name.text) {
                self.logs[file].error(
                    node.id.map_or(node.name.span, |(_, span)| span),
                    format_args!("id {id} of field `{}` is that of `{other}` already", node.name.text),
                    "give the field an id that was never used",
                );
                continue;
            }
            if let Some(other) = names.insert(&node.name.text, id) {
                self.logs[file].error(
                    node.name.span,
                    format_args!("`{}` is the name of field {other} already", node.name.text),
                    "give one of the two another name",
                );
                continue;
            }
            if let Some(default) = &node.default {
                if sort == Sort::Union && std::mem::replace(&mut has_default, true) {
                    self.say_second_default(file, node);
                }
                self.defaults.push((owner, fields.len(), default));
            }
            if is_in(&reserved, id) {
                self.say_reserved(file, node, id);
            }
            let requiredness = self.requiredness(file, node, sort);
            fields.push(Field {
                id,
                id_span: node.id.map(|(_, span)| span),
                name: node.name.clone(),
                span: node.span,
                requiredness,
                ty: self.ty(file, &node.ty),
                written: node.ty.written(),
                default: None,
                annotations: node.annotations.clone(),
            });
        }
        fields
    }

    /// Says that a field has an id that its struct keeps free.
    fn say_reserved(&mut self, file: usize, node: &ast::Field<'_>, id: i16) {
        self.logs[file].warning(
            node.id.map_or(node.name.span, |(_, span)| span),
            format_args!("id {id} of field `{}` is reserved in the same struct", node.name.text),
            "take another id, or remove the reservation if it was never used for anything else",
        );
    }

    fn say_second_default(&mut self, file: usize, node: &ast::Field<'_>) {
        self.logs[file].warning(
            node.name.span,
            format_args!("`{}` is the second member of a union with a default", node.name.text),
            "only one member can be set, so leave one default only",
        );
    }

    /// Members of unions and results are optional whatever is written.
    fn requiredness(&mut self, file: usize, node: &ast::Field<'_>, sort: Sort) -> Requiredness {
        match sort {
            Sort::Struct | Sort::Exception | Sort::Arguments => node.requiredness,
            Sort::Union | Sort::Result => {
                if sort == Sort::Union && node.requiredness == Requiredness::Required {
                    self.logs[file].warning(
                        node.name.span,
                        format_args!("`{}` cannot be required in a union; it is taken for optional", node.name.text),
                        "remove `required`",
                    );
                }
                Requiredness::Optional
            }
        }
    }

    /// The id of a field. The compiler counts down from -1 where none is written, and where it is not positive; the
    /// dialect keeps negative ids as they are written.
    fn field_id(&mut self, file: usize, node: &ast::Field<'_>, next: &mut i64) -> Option<i16> {
        let wanted = match node.id {
            Some((id, span)) if id <= 0 => {
                let taken = if self.inputs[file].tree.is_dialect { id } else { *next };
                let outcome =
                    if taken == id { String::new() } else { format!(", so the compiler takes {taken} instead") };
                self.logs[file].warning(
                    span,
                    format_args!("id {id} of field `{}` is not positive{outcome}", node.name.text),
                    "ids that are written start from 1; once data is stored an id must stay as it is",
                );
                // Below what fits into 16 bits one number is as wrong as another.
                *next = taken.saturating_sub(1).max(i64::from(i16::MIN) - 1);
                taken
            }
            Some((id, _)) => id,
            None => {
                *next -= 1;
                *next + 1
            }
        };
        let id = i16::try_from(wanted).ok();
        if id.is_none() {
            self.logs[file].error(
                node.id.map_or(node.name.span, |(_, span)| span),
                format_args!("id {wanted} of field `{}` does not fit into 16 bits", node.name.text),
                "ids reach from 1 to 32767",
            );
        }
        id
    }
}
