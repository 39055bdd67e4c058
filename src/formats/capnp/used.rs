//! Where generic types are used, and with which types: pairs of uses that data of both sides lead to.
//!
//! A generic type by itself says nothing of what its parameters stand for, and who uses it does. Only where nothing that is
//! compared uses it, what is declared decides.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;

use super::model::{InterfaceId, Schema, StructId, Type};
use super::pairing;

/// The uses of what is generic on either side.
#[derive(Debug, Default)]
pub(crate) struct Used {
    structs: FxHashMap<Pair<StructId>, Vec<Pair<StructId>>>,
    branded: FxHashMap<Pair<InterfaceId>, Vec<Pair<InterfaceId>>>,
    /// Those of which anybody knows what they are given.
    known: FxHashSet<Met>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Met {
    Struct(Pair<StructId>),
    BrandedInterface(Pair<InterfaceId>),
}

impl Used {
    /// The uses of two structs, instances or the structs themselves.
    pub(super) fn of(&self, types: Pair<StructId>) -> &[Pair<StructId>] {
        let found = self.structs.get(&types).filter(|_| self.known.contains(&Met::Struct(types)));
        found.map_or(&[], Vec::as_slice)
    }

    /// The uses of two interfaces, each with what it is given.
    pub(super) fn of_interfaces(&self, types: Pair<InterfaceId>) -> &[Pair<InterfaceId>] {
        let found = self.branded.get(&types).filter(|_| self.known.contains(&Met::BrandedInterface(types)));
        found.map_or(&[], Vec::as_slice)
    }
}

/// Finds the uses that these pairs lead to.
pub(super) fn used(
    schemas: Pair<&Schema<'_>>,
    structs: impl Iterator<Item = Pair<StructId>>,
    interfaces: impl Iterator<Item = Pair<InterfaceId>>,
) -> Used {
    let mut walk =
        Walk { schemas, used: Used::default(), open: Vec::new(), seen: FxHashSet::default(), is_unused: false };
    let all: Vec<Met> = structs.map(Met::Struct).chain(interfaces.map(Met::BrandedInterface)).collect();
    let (generic, plain): (Vec<Met>, Vec<Met>) = all.into_iter().partition(|met| walk.is_generic(*met));
    plain.into_iter().for_each(|met| walk.follow(met));
    walk.is_unused = true;
    let unused: Vec<Met> = generic.into_iter().filter(|met| !walk.is_used(*met)).collect();
    unused.into_iter().for_each(|met| walk.follow(met));
    walk.used
}

struct Walk<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    used: Used,
    open: Vec<Met>,
    seen: FxHashSet<Met>,
    /// Whether nothing leads to what the walk begins with, so that nobody knows what it is given.
    is_unused: bool,
}

impl Walk<'_, '_> {
    fn is_generic(&self, met: Met) -> bool {
        let takes = |around: &[usize]| around.iter().any(|count| *count > 0);
        let Pair { old, new } = match met {
            Met::Struct(ids) => self.schemas.zip(ids, |schema, id| takes(&schema.structure(id).around)),
            Met::BrandedInterface(branded) => {
                self.schemas.zip(branded, |schema, id| takes(&schema.interface(id).around))
            }
        };
        old || new
    }

    fn is_used(&self, met: Met) -> bool {
        match met {
            Met::Struct(ids) => !self.used.of(ids).is_empty(),
            Met::BrandedInterface(branded) => !self.used.of_interfaces(branded).is_empty(),
        }
    }

    fn follow(&mut self, met: Met) {
        self.open.push(met);
        while let Some(next) = self.open.pop() {
            self.visit(next);
        }
    }

    fn visit(&mut self, met: Met) {
        if !self.seen.insert(met) {
            return;
        }
        if self.is_generic(met) {
            let declared = match met {
                Met::Struct(ids) => {
                    let declared = self.schemas.zip(ids, |schema, id| schema.declared_struct(id));
                    self.used.structs.entry(declared).or_default().push(ids);
                    Met::Struct(declared)
                }
                Met::BrandedInterface(branded) => {
                    let declared = self.schemas.zip(branded, |schema, id| schema.branded_interface(id).of);
                    self.used.branded.entry(declared).or_default().push(branded);
                    Met::BrandedInterface(declared)
                }
            };
            if !(self.is_unused && declared == met) {
                self.used.known.insert(declared);
            }
        }
        self.step(met);
    }

    /// What the fields of both lead to, or the calls.
    fn step(&mut self, met: Met) {
        match met {
            Met::Struct(ids) => {
                let structs = self.schemas.zip(ids, |schema, id| schema.structure(id));
                for pair in pairing::fields(structs) {
                    if let (Some(old), Some(new)) = (pair.at.old, pair.at.new) {
                        self.types(Pair::new(&structs.old.fields[old].held, &structs.new.fields[new].held));
                    }
                }
            }
            Met::BrandedInterface(branded) => self.calls(branded),
        }
    }

    fn types(&mut self, types: Pair<&Type>) {
        match (types.old, types.new) {
            (Type::Struct(old, _), Type::Struct(new, _)) => self.open.push(Met::Struct(Pair::new(*old, *new))),
            (Type::Interface(old, _), Type::Interface(new, _)) => {
                self.open.push(Met::BrandedInterface(Pair::new(*old, *new)))
            }
            (Type::List(old), Type::List(new)) => self.types(Pair::new(old, new)),
            _ => {}
        }
    }

    fn calls(&mut self, branded: Pair<InterfaceId>) {
        let Pair { old, new } = self.schemas.zip(branded, |schema, id| schema.branded_interface(id));
        let of = Pair::new(self.schemas.old.interface(branded.old), self.schemas.new.interface(branded.new));
        let methods = of.old.methods.iter().zip(&old.methods);
        for (before, old) in methods {
            let after = of.new.methods.iter().zip(&new.methods).find(|(method, _)| method.ordinal == before.ordinal);
            let Some((_, new)) = after else { continue };
            for (old, new) in old.iter().zip(new) {
                if let (Some(old), Some(new)) = (old, new) {
                    self.open.push(Met::Struct(Pair::new(*old, *new)));
                }
            }
        }
        for old in old.above.iter().flatten() {
            let is_same =
                |new: &&InterfaceId| self.schemas.old.interface(*old).id == self.schemas.new.interface(**new).id;
            if let Some(new) = new.above.iter().flatten().find(is_same) {
                self.open.push(Met::BrandedInterface(Pair::new(*old, *new)));
            }
        }
    }
}
