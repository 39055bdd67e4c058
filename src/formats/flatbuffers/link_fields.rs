//! Fields: types, attributes and slots.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Span;
use crate::ordered::InOrder;
use crate::syntax::literal;

use super::ast::{self, Const, DefinitionKind};
use super::link::{Entry, Linker, Place};
use super::model::{Attribute, Default, Field, ObjectId, Scalar, Spelled, Type, attribute};

/// Whether a type is of some kind.
type Test = fn(&Type) -> bool;

/// Accessors that are generated for fields of some types, by what is put behind the name.
const GENERATED: [(&str, Test); 6] = [
    ("_type", |ty| matches!(ty, Type::Union(_))),
    ("Type", |ty| matches!(ty, Type::Union(_))),
    ("_length", |ty| matches!(ty, Type::Vector(_))),
    ("Length", |ty| matches!(ty, Type::Vector(_))),
    ("_byte_vector", |ty| matches!(ty, Type::String)),
    ("ByteVector", |ty| matches!(ty, Type::String)),
];

/// Whether a struct's fields are meant or a table's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Table,
    Struct,
}

/// How many slots a field takes.
fn width(ty: &Type) -> u32 {
    match ty {
        Type::Union(_) => 2,
        Type::Vector(items) | Type::Vector64(items) => width(items),
        Type::Scalar(_)
        | Type::Enum(_)
        | Type::String
        | Type::Struct(_)
        | Type::Table(_)
        | Type::Array(..)
        | Type::Opaque(_) => 1,
    }
}

impl<'t> Linker<'t, '_> {
    /// The fields of all tables and structs.
    pub(super) fn fill_objects(&mut self) {
        for index in 0..self.object_nodes.len() {
            let node = self.object_nodes[index];
            let (owner, nodes) = match &node.kind {
                DefinitionKind::Table(fields) => (Owner::Table, fields),
                DefinitionKind::Struct(fields) => (Owner::Struct, fields),
                DefinitionKind::Enum { .. } | DefinitionKind::Union { .. } | DefinitionKind::Service(_) => continue,
            };
            let file = self.schema.objects[index].file.0 as usize;
            let place = Place { file, namespace: &node.namespace };
            let fields = self.fields(place, owner, nodes);
            self.schema.objects[index].fields = fields;
        }
    }

    fn fields(&mut self, place: Place<'_>, owner: Owner, nodes: &'t [ast::Field<'t>]) -> Vec<Field<'t>> {
        let mut names = FxHashSet::default();
        let mut fields = Vec::with_capacity(nodes.len());
        for node in nodes {
            if !names.insert(&*node.name.text) {
                let message = format_args!("there is a field `{}` already", node.name.text);
                self.error(place.file, node.name.span, message, "give one of the two another name");
                continue;
            }
            fields.push(self.field(place, owner, node));
        }
        self.check_keys(place.file, &fields);
        self.check_clashes(place.file, &fields);
        match owner {
            Owner::Struct => {
                for (index, field) in fields.iter_mut().enumerate() {
                    field.slot = u16::try_from(index).unwrap_or(u16::MAX);
                }
            }
            Owner::Table => self.assign_slots(place.file, &mut fields),
        }
        fields
    }

    fn field(&mut self, place: Place<'_>, owner: Owner, node: &'t ast::Field<'t>) -> Field<'t> {
        self.check_attributes(place.file, &node.attributes);
        self.check_name(place, node);
        let has = |name: &str| attribute(&node.attributes, name).is_some();
        let mut ty = self.ty(place, &node.ty);
        if has("vector64") {
            ty = match ty {
                Type::Vector(items) => Type::Vector64(items),
                other => {
                    self.say_misplaced(place.file, node, "vector64", "vectors");
                    other
                }
            };
        }
        let default = match owner {
            Owner::Table => {
                self.check_table_field(place, node, &ty);
                self.default(place, node, &ty)
            }
            Owner::Struct => {
                self.check_struct_field(place, node, &ty);
                Default::Absent
            }
        };
        Field {
            name: node.name.clone(),
            span: node.span,
            slot: 0,
            offset: 0,
            written: node.ty.written(),
            default,
            default_written: node.default.as_ref().map(Const::spelled),
            id_span: attribute(&node.attributes, "id").map(|id| id.name.span),
            is_deprecated: has("deprecated"),
            is_required: owner == Owner::Table && (has("required") || has("key") && ty == Type::String),
            is_key: has("key"),
            nested: self.nested(place, node),
            is_offset64: has("offset64") || matches!(ty, Type::Vector64(_)),
            attributes: node.attributes.clone(),
            ty,
        }
    }

    /// A field must not be called like a type that the compiler has met.
    fn check_name(&mut self, place: Place<'_>, node: &ast::Field<'_>) {
        let Some(Entry::Object(id)) = self.known(place, &node.name.text, node.name.span) else { return };
        let object = self.schema.object(id);
        if object.file.0 as usize != place.file || object.name_span.start < node.name.span.start {
            let message = format_args!("field `{}` is called like a type", node.name.text);
            self.error(
                place.file,
                node.name.span,
                message,
                "give the field another name; data does not change by that",
            );
        }
    }

    fn check_table_field(&mut self, place: Place<'_>, node: &ast::Field<'_>, ty: &Type) {
        let is_scalar = matches!(ty, Type::Scalar(_) | Type::Enum(_));
        if matches!(ty, Type::Array(..)) {
            let help = "put the array into a struct, or make it a vector";
            self.error(
                place.file,
                node.ty.span,
                format_args!("an array of fixed length can only be in a struct"),
                help,
            );
        }
        if let Some(required) = attribute(&node.attributes, "required").filter(|_| is_scalar) {
            let message = format_args!("`{}` is a number, so it cannot be `required`", node.name.text);
            let help = "remove `required`; numbers always have a value, unless their default is `null`";
            self.refuse(place.file, required.name.span, message, help);
        }
        self.check_key(place.file, node, ty);
        self.check_algorithm(place.file, node, ty);
        let is_bytes = matches!(ty, Type::Vector(items) if **items == Type::Scalar(Scalar::U8));
        let is_reference = matches!(ty, Type::String | Type::Vector(_) | Type::Vector64(_) | Type::Opaque(_));
        let is_plain = |items: &Type| matches!(items, Type::Scalar(_) | Type::Struct(_) | Type::Opaque(_));
        let is_wide = match ty {
            Type::Vector(items) | Type::Vector64(items) => is_plain(items),
            _ => true,
        };
        for (name, is_allowed, what) in [
            ("flexbuffer", is_bytes, "vectors of ubyte"),
            ("shared", *ty == Type::String, "strings"),
            ("vector64", is_wide, "vectors of numbers and structs"),
            ("offset64", is_wide && is_reference, "strings, and vectors of numbers and structs"),
        ] {
            if attribute(&node.attributes, name).is_some() && !is_allowed {
                self.say_misplaced(place.file, node, name, what);
            }
        }
    }

    /// A key is what can be ordered, and is there.
    fn check_key(&mut self, file: usize, node: &ast::Field<'_>, ty: &Type) {
        let Some(key) = attribute(&node.attributes, "key") else { return };
        let is_ordered =
            matches!(ty, Type::Scalar(_) | Type::Enum(_) | Type::String | Type::Struct(_) | Type::Opaque(_));
        let is_null = node.default.as_ref().is_some_and(|default| matches!(default.kind, ast::ConstKind::Null));
        if !is_ordered {
            self.say_misplaced(file, node, "key", "numbers, texts and structs");
        } else if is_null {
            let message = format_args!("`{}` cannot be the key: it may be absent", node.name.text);
            self.refuse(file, key.name.span, message, "give it another default than `null`");
        }
    }

    /// A hash is a number of the width that its algorithm gives.
    fn check_algorithm(&mut self, file: usize, node: &ast::Field<'_>, ty: &Type) {
        let Some(hash) = attribute(&node.attributes, "hash") else { return };
        let stored = if let Type::Vector(items) = ty { &**items } else { ty };
        let known: &[&str] = match stored {
            Type::Scalar(Scalar::I16 | Scalar::U16) => &["fnv1_16", "fnv1a_16"],
            Type::Scalar(Scalar::I32 | Scalar::U32) => &["fnv1_32", "fnv1a_32"],
            Type::Scalar(Scalar::I64 | Scalar::U64) => &["fnv1_64", "fnv1a_64"],
            _ => return self.say_misplaced(file, node, "hash", "whole numbers of 16, 32 and 64 bits"),
        };
        if !known.contains(&&*hash.value) {
            let message = format_args!("`{}` gives no hash of this width", hash.value);
            self.refuse(file, hash.name.span, message, &format!("write `{}`", known.join("` or `")));
        }
    }

    /// The compiler lays a struct out where it stands, and must know all that is in it by then.
    fn check_complete(&mut self, place: Place<'_>, node: &ast::Field<'_>, id: ObjectId) {
        let inner = self.schema.object(id);
        if inner.file.0 as usize == place.file && inner.name_span.start > node.name.span.start {
            let name = inner.full_name.clone();
            let message = format_args!("struct `{name}` is declared further down");
            self.refuse(place.file, node.ty.span, message, "declare it in front of this one");
        }
    }

    fn check_struct_field(&mut self, place: Place<'_>, node: &ast::Field<'_>, ty: &Type) {
        let element = if let Type::Array(items, _) = ty { &**items } else { ty };
        let is_inline = matches!(element, Type::Scalar(_) | Type::Enum(_) | Type::Struct(_) | Type::Opaque(_));
        if !is_inline {
            let written = node.ty.written();
            let message = format_args!("a struct cannot have a field of type {}", written.text);
            let help = "structs hold numbers, enums, structs and arrays of them; make the struct a table";
            self.error(place.file, node.ty.span, message, help);
        }
        if let Type::Enum(id) = element {
            self.check_member(place.file, node, *id, 0, node.name.span);
        }
        if let Type::Struct(id) = element {
            self.check_complete(place, node, *id);
        }
        if let Some(default) = &node.default
            && !matches!(default.kind, ast::ConstKind::Integer(0))
        {
            let message = format_args!("`{}` cannot have a default: it is in a struct", node.name.text);
            self.refuse(place.file, default.span, message, "remove the default; fields of structs are always written");
        }
        let refused = ["deprecated", "required"];
        for attribute in node.attributes.iter().filter(|attribute| refused.contains(&&*attribute.name.text)) {
            let message = format_args!("`{}` cannot be `{}`: it is in a struct", node.name.text, attribute.name.text);
            self.refuse(place.file, attribute.name.span, message, "remove the attribute");
        }
    }

    fn say_misplaced(&mut self, file: usize, node: &ast::Field<'_>, name: &str, what: &str) {
        let span = attribute(&node.attributes, name).map_or(node.name.span, |attribute| attribute.name.span);
        self.refuse(file, span, format_args!("`{name}` is for {what} only"), "remove the attribute or change the type");
    }

    /// The root of the buffer inside of a field.
    fn nested(&mut self, place: Place<'_>, node: &ast::Field<'t>) -> Option<ObjectId> {
        let written: &Attribute<'t> = attribute(&node.attributes, "nested_flatbuffer")?;
        let is_bytes = match &node.ty.kind {
            ast::TypeKind::Vector(items) => matches!(items.kind, ast::TypeKind::Scalar(Scalar::U8, _)),
            _ => false,
        };
        if !is_bytes {
            self.say_misplaced(place.file, node, "nested_flatbuffer", "vectors of ubyte");
            return None;
        }
        let name = Spelled { text: written.value.clone(), span: written.name.span };
        match self.known(place, &name.text, name.span) {
            // The compiler takes a struct too, and nobody can read it as a buffer: the bytes are bytes.
            Some(Entry::Object(id)) if self.schema.object(id).layout.is_some() => None,
            _ => self.table(place, &name, "the root of a buffer"),
        }
    }

    fn check_keys(&mut self, file: usize, fields: &[Field<'_>]) {
        for field in fields.iter().filter(|field| field.is_key).skip(1) {
            let message = format_args!("`{}` cannot be the key: there is one already", field.name.text);
            self.refuse(file, field.name.span, message, "keep `key` on one field only");
        }
    }

    fn check_clashes(&mut self, file: usize, fields: &[Field<'_>]) {
        let by_name: FxHashMap<&str, &Field<'_>> = fields.iter().map(|field| (&*field.name.text, field)).collect();
        for field in fields {
            for (suffix, is_concerned) in GENERATED {
                let stem = field.name.text.strip_suffix(suffix);
                let Some(other) = stem.and_then(|stem| by_name.get(stem)).filter(|other| is_concerned(&other.ty))
                else {
                    continue;
                };
                let message = format_args!(
                    "field `{}` has the name of an accessor that is generated for `{}`",
                    field.name.text, other.name.text
                );
                self.error(file, field.name.span, message, "give one of the two another name");
            }
        }
    }

    /// Gives the fields of a table their slots, by their `id`s or else by their order, and sorts them by slot.
    fn assign_slots(&mut self, file: usize, fields: &mut [Field<'t>]) {
        let with_id = fields.iter().filter(|field| field.id_span.is_some()).count();
        if with_id == 0 {
            let mut next = 0u32;
            for field in fields.iter_mut() {
                next += width(&field.ty);
                field.slot = u16::try_from(next - 1).unwrap_or(u16::MAX);
            }
            return;
        }
        for field in fields.iter().filter(|field| field.id_span.is_none()) {
            let message = format_args!("`{}` has no `id`, but other fields of the table have", field.name.text);
            self.error(file, field.name.span, message, "give all fields an `id`, or none");
        }
        let mut taken: FxHashMap<u32, usize> = FxHashMap::default();
        for index in 0..fields.len() {
            if fields[index].id_span.is_some() {
                self.take_slot(file, index, fields, &mut taken);
            }
        }
        let mut next = taken.keys().max().map_or(0, |last| last + 1);
        for field in fields.iter_mut().filter(|field| field.id_span.is_none()) {
            next += width(&field.ty);
            field.slot = u16::try_from(next - 1).unwrap_or(u16::MAX);
        }
        fields.sort_in_order_by_key(|field| field.slot);
        self.check_gaps(file, fields, &taken);
    }

    fn take_slot(&mut self, file: usize, index: usize, fields: &mut [Field<'t>], taken: &mut FxHashMap<u32, usize>) {
        let field = &fields[index];
        let (written, span) =
            attribute(&field.attributes, "id").map_or(("", field.span), |id| (&*id.value, id.name.span));
        let Some(slot) = literal::whole_number(written).and_then(|id| u16::try_from(id).ok()) else {
            let message = format_args!("`{written}` cannot be an id");
            self.error(file, span, message, "write a whole number from 0 to 65535");
            return;
        };
        let first = (u32::from(slot) + 1).checked_sub(width(&field.ty));
        if first.is_none() {
            let message = format_args!(
                "union `{}` cannot have the id 0: it takes two, and the first is one less",
                field.name.text
            );
            self.error(file, span, message, "write the id of its value, at least 1");
        }
        for one in first.unwrap_or(0)..=u32::from(slot) {
            if let Some(other) = taken.insert(one, index) {
                let message =
                    format_args!("`{}` takes id {one}, as `{}` does", field.name.text, fields[other].name.text);
                self.error(file, span, message, "give it an id of its own; a union takes the one in front as well");
            }
        }
        fields[index].slot = slot;
    }

    fn check_gaps(&mut self, file: usize, fields: &[Field<'t>], taken: &FxHashMap<u32, usize>) {
        let mut next = 0u32;
        for field in fields {
            let first = (u32::from(field.slot) + 1).saturating_sub(width(&field.ty));
            if first > next && !taken.contains_key(&next) {
                let span: Span = field.id_span.unwrap_or(field.name.span);
                let message = format_args!("no field has the id {next}: ids must not leave gaps");
                self.error(
                    file,
                    span,
                    message,
                    "number the fields without gaps, or bring the lost one back as `deprecated`",
                );
            }
            next = next.max(u32::from(field.slot) + 1);
        }
    }
}
