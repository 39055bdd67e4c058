//! What roots reach.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::formats::frame::roots::Roots;
use crate::ordered::OrderedSet;

use super::super::model::{InterfaceId, Method, Schema, StructId, Type};

/// What is reached from the roots of one side.
#[derive(Default)]
struct Reached {
    names: OrderedSet<Arc<str>>,
    structs: FxHashSet<StructId>,
    open: Vec<StructId>,
    interfaces: FxHashSet<InterfaceId>,
    open_interfaces: Vec<InterfaceId>,
}

/// The full names of everything that the roots of a side reach.
pub(super) fn reach(schema: &Schema<'_>, roots: &Roots) -> OrderedSet<Arc<str>> {
    let mut reached = Reached::default();
    let structs = schema.structs.iter().zip((0..).map(StructId)).filter(|(of, _)| roots.has(&of.full_name));
    reached.open.extend(structs.map(|(_, id)| id));
    let enums = schema.enums.iter().filter(|of| roots.has(&of.full_name));
    reached.names.extend(enums.map(|of| of.full_name.clone()));
    let interfaces = schema.interfaces.iter().zip((0..).map(InterfaceId)).filter(|(of, _)| roots.has(&of.full_name));
    reached.open_interfaces.extend(interfaces.map(|(_, id)| id));
    loop {
        if let Some(id) = reached.open_interfaces.pop() {
            reached.interface(schema, id);
        } else if let Some(id) = reached.open.pop() {
            reached.structure(schema, id);
        } else {
            return reached.names;
        }
    }
}

impl Reached {
    fn interface(&mut self, schema: &Schema<'_>, id: InterfaceId) {
        if !self.interfaces.insert(id) {
            return;
        }
        let of = schema.interface(id);
        self.names.insert(of.full_name.clone());
        self.open_interfaces.extend(of.extends.iter().filter_map(|one| one.id));
        self.open.extend(of.methods.iter().flat_map(Method::data));
        let data = of.methods.iter().flat_map(|method| [&method.parameters, &method.results]).flatten();
        let given = data.flat_map(|data| data.bound.types()).chain(of.extends.iter().flat_map(|one| one.bound.types()));
        given.for_each(|ty| self.follow(schema, ty));
    }

    fn structure(&mut self, schema: &Schema<'_>, id: StructId) {
        if !self.structs.insert(id) {
            return;
        }
        let of = schema.structure(id);
        self.names.insert(of.full_name.clone());
        of.fields.iter().for_each(|field| self.follow(schema, &field.ty));
    }

    fn follow(&mut self, schema: &Schema<'_>, ty: &Type) {
        match ty {
            Type::Struct(id, bound) => {
                self.open.push(*id);
                bound.types().for_each(|ty| self.follow(schema, ty));
            }
            Type::Interface(id, bound) => {
                self.open_interfaces.push(*id);
                bound.types().for_each(|ty| self.follow(schema, ty));
            }
            Type::Enum(id) => drop(self.names.insert(schema.enumeration(*id).full_name.clone())),
            Type::List(items) => self.follow(schema, items),
            _ => {}
        }
    }
}
