//! What roots reach.

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::formats::frame::behind::{ByName, Reached};
use crate::formats::frame::roots::Roots;
use crate::ordered::OrderedSet;

use super::super::model::{EnumId, FileId, InterfaceId, Method, Schema, StructId, Type};

/// What is reached from the roots of one side.
struct Reach<'s, 'b> {
    schema: &'s Schema<'b>,
    by_name: OnceCell<ByName<'s, Declared>>,
    names: OrderedSet<Arc<str>>,
    unknown: OrderedSet<(Arc<str>, String)>,
    structs: FxHashSet<StructId>,
    open: Vec<StructId>,
    interfaces: FxHashSet<InterfaceId>,
    open_interfaces: Vec<InterfaceId>,
}

/// What a name may mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Declared {
    Struct(StructId),
    Enum(EnumId),
    Interface(InterfaceId),
}

/// Everything that the roots of a side reach.
pub(super) fn reach(schema: &Schema<'_>, roots: &Roots) -> Reached {
    let mut reached = Reach::of(schema);
    let structs = schema.structs.iter().zip((0..).map(StructId)).filter(|(of, _)| roots.has(&of.full_name));
    reached.open.extend(structs.map(|(_, id)| id));
    let enums = schema.enums.iter().filter(|of| roots.has(&of.full_name));
    reached.names.extend(enums.map(|of| of.full_name.clone()));
    let interfaces = schema.interfaces.iter().zip((0..).map(InterfaceId)).filter(|(of, _)| roots.has(&of.full_name));
    reached.open_interfaces.extend(interfaces.map(|(_, id)| id));
    reached.drain();
    Reached { names: reached.names, unknown: reached.unknown }
}

/// The interfaces that what is declared in judged files is made of: that which extends them or calls them a type.
pub(super) fn interfaces(schema: &Schema<'_>) -> FxHashSet<InterfaceId> {
    let mut reached = Reach::of(schema);
    let is_own = |file: FileId| !schema.file(file).is_library;
    let structs = schema.structs.iter().zip((0..).map(StructId)).filter(|(of, _)| is_own(of.file));
    reached.open.extend(structs.map(|(_, id)| id));
    let interfaces = schema.interfaces.iter().zip((0..).map(InterfaceId)).filter(|(of, _)| is_own(of.file));
    reached.open_interfaces.extend(interfaces.map(|(_, id)| id));
    reached.drain();
    reached.interfaces
}

impl<'s, 'b> Reach<'s, 'b> {
    fn of(schema: &'s Schema<'b>) -> Self {
        Reach {
            schema,
            by_name: OnceCell::new(),
            names: OrderedSet::new(),
            unknown: OrderedSet::new(),
            structs: FxHashSet::default(),
            open: Vec::new(),
            interfaces: FxHashSet::default(),
            open_interfaces: Vec::new(),
        }
    }

    /// Follows what is open until nothing is.
    fn drain(&mut self) {
        loop {
            if let Some(id) = self.open_interfaces.pop() {
                self.interface(id);
            } else if let Some(id) = self.open.pop() {
                self.structure(id);
            } else {
                return;
            }
        }
    }

    fn interface(&mut self, id: InterfaceId) {
        if !self.interfaces.insert(id) {
            return;
        }
        let of = self.schema.interface(id);
        self.names.insert(of.full_name.clone());
        for above in &of.extends {
            match above.id {
                Some(id) => self.open_interfaces.push(id),
                None => self.behind(of.file, &above.written.text),
            }
        }
        self.open.extend(of.methods.iter().flat_map(Method::data));
        // Whatever they take or give, it stands in a file that was not found.
        for method in of.methods.iter().filter(|one| one.parameters.is_none() || one.results.is_none()) {
            self.unknown.insert((self.schema.file(of.file).path.clone(), format!("{}()", method.name.text)));
        }
        let data = of.methods.iter().flat_map(|method| [&method.parameters, &method.results]).flatten();
        let given = data.flat_map(|data| data.bound.types()).chain(of.extends.iter().flat_map(|one| one.bound.types()));
        given.for_each(|ty| self.follow(of.file, ty));
    }

    fn structure(&mut self, id: StructId) {
        if !self.structs.insert(id) {
            return;
        }
        let of = self.schema.structure(id);
        self.names.insert(of.full_name.clone());
        of.fields.iter().for_each(|field| self.follow(of.file, &field.ty));
    }

    fn follow(&mut self, file: FileId, ty: &Type) {
        match ty {
            Type::Struct(id, bound) => {
                self.open.push(*id);
                bound.types().for_each(|ty| self.follow(file, ty));
            }
            Type::Interface(id, bound) => {
                self.open_interfaces.push(*id);
                bound.types().for_each(|ty| self.follow(file, ty));
            }
            Type::Enum(id) => drop(self.names.insert(self.schema.enumeration(*id).full_name.clone())),
            Type::List(items) => self.follow(file, items),
            Type::Opaque(written) => self.behind(file, written),
            _ => {}
        }
    }

    /// What stands in a file that was not found.
    fn behind(&mut self, file: FileId, written: &str) {
        let schema = self.schema;
        let by_name = self.by_name.get_or_init(|| {
            let structs = schema.structs.iter().zip((0..).map(StructId));
            let structs = structs.map(|(of, id)| (&*of.full_name, Declared::Struct(id)));
            let enums = schema.enums.iter().zip((0..).map(EnumId));
            let enums = enums.map(|(of, id)| (&*of.full_name, Declared::Enum(id)));
            let interfaces = schema.interfaces.iter().zip((0..).map(InterfaceId));
            let interfaces = interfaces.map(|(of, id)| (&*of.full_name, Declared::Interface(id)));
            ByName::of(structs.chain(enums).chain(interfaces))
        });
        let meant = by_name.meant(written);
        if meant.is_empty() {
            self.unknown.insert((schema.file(file).path.clone(), written.to_owned()));
        }
        for one in meant {
            match one {
                Declared::Struct(id) => self.open.push(id),
                Declared::Enum(id) => drop(self.names.insert(schema.enumeration(id).full_name.clone())),
                Declared::Interface(id) => self.open_interfaces.push(id),
            }
        }
    }
}
