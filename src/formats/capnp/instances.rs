//! Generic structs with the types that they are given: of each use one of its own, so that whoever writes and reads data finds
//! in a field what is really there.
//!
//! What is not given is a pointer to anything. So are the parameters of a declaration to itself, as a message of it alone
//! has them.

use rustc_hash::FxHashMap;

use super::model::{
    BrandedInterface, CHOSEN, Data, Field, InterfaceId, Parameter, Schema, Struct, StructId, Type, instance,
};
use super::types::{ANYTHING, Brand};

/// Of how many types what a use gives is made, at most: a struct that gives itself more than it was given has no end.
const PARTS: usize = 64;
/// How many types are given in one use, at most.
const TAKEN: usize = 256;
/// How many fields all of them have, at most.
const FIELDS: usize = 1 << 17;

/// Puts the types in that are given, everywhere.
pub(super) fn make(schema: &mut Schema<'_>) {
    let interfaces = (0..super::types::number(schema.interfaces.len())).map(InterfaceId);
    let structs = (0..super::types::number(schema.structs.len())).map(StructId);
    schema.branded = interfaces.clone().map(|id| BrandedInterface::of(id, 1)).collect();
    let open = interfaces.map(|id| Open::BrandedInterface(id, Vec::new()));
    let open = open.chain(structs.map(|id| Open::Struct(id, Vec::new()))).collect();
    let (structs, branded) = (FxHashMap::default(), FxHashMap::default());
    let mut maker = Maker { schema, structs, branded, open, sizes: Vec::new(), fields: 0 };
    while let Some(next) = maker.open.pop() {
        match next {
            Open::Struct(id, given) => maker.fill(id, &given),
            Open::BrandedInterface(id, given) => maker.open(id, &given),
        }
    }
}

/// What is still to be gone through, with all that it is given.
enum Open {
    Struct(StructId, Vec<Type>),
    BrandedInterface(InterfaceId, Vec<Type>),
}

struct Maker<'m, 'b> {
    schema: &'m mut Schema<'b>,
    structs: FxHashMap<(StructId, Vec<Type>), StructId>,
    branded: FxHashMap<(InterfaceId, Vec<Type>), InterfaceId>,
    open: Vec<Open>,
    /// Of how many types each instance is made.
    sizes: Vec<usize>,
    fields: usize,
}

/// What stands for the parameters where a type is written: all that are taken there, the outermost first. Nothing of them
/// where each is a pointer to anything.
#[derive(Clone, Copy)]
struct Place<'p> {
    around: &'p [usize],
    given: &'p [Type],
}

impl Place<'_> {
    /// What stands for a parameter of the declaration at a depth.
    fn at(&self, depth: usize, index: usize) -> Type {
        let outer: usize = self.around.iter().take(depth.saturating_sub(1)).sum();
        self.given.get(outer + index).cloned().unwrap_or(ANYTHING)
    }

    fn parameter(&self, of: &Parameter) -> Type {
        match of.level {
            CHOSEN => ANYTHING,
            level => self.at(self.around.len().saturating_sub(level as usize), of.index),
        }
    }
}

impl Maker<'_, '_> {
    /// The types of the fields of a struct as data have them.
    fn fill(&mut self, id: StructId, given: &[Type]) {
        let of = self.schema.structure(id);
        let around = of.around.clone();
        let types: Vec<Type> = of.fields.iter().map(|field| field.ty.clone()).collect();
        let place = Place { around: &around, given };
        let held: Vec<Type> = types.iter().map(|ty| self.held(ty, place)).collect();
        for (field, held) in self.schema.structure_mut(id).fields.iter_mut().zip(held) {
            field.held = held;
        }
    }

    fn held(&mut self, ty: &Type, place: Place<'_>) -> Type {
        match ty {
            Type::Parameter(of) => place.parameter(of),
            Type::List(items) => Type::List(self.held(items, place).into()),
            Type::Struct(id, brand) => Type::Struct(self.structure(*id, brand, place), Brand::default()),
            Type::Interface(id, brand) => Type::Interface(self.branded_interface(*id, brand, place), Brand::default()),
            other => other.clone(),
        }
    }

    /// All that is given in a use; nothing where each is a pointer to anything, or where it is too much to follow.
    fn given(&mut self, around: &[usize], brand: &Brand, place: Place<'_>) -> Option<Vec<Type>> {
        let count: usize = around.iter().sum();
        if count == 0 || count > TAKEN {
            return None;
        }
        let mut given = Vec::with_capacity(count);
        for (depth, count) in (1..).zip(around) {
            let types = brand.at(depth);
            for index in 0..*count {
                given.push(match types.map(|given| given.types.as_deref()) {
                    Some(Some(types)) => types.get(index).map_or(ANYTHING, |ty| self.held(ty, place)),
                    Some(None) => place.at(depth, index),
                    None => ANYTHING,
                });
            }
        }
        let is_told = given.iter().any(|ty| *ty != ANYTHING);
        let size = given.iter().fold(0, |sum, ty| self.size(ty).saturating_add(sum));
        (is_told && size <= PARTS.max(2 * count) && self.fields < FIELDS).then_some(given)
    }

    /// Of how many types one is made, those that are given in it among them.
    fn size(&self, ty: &Type) -> usize {
        match ty {
            Type::List(items) => self.size(items).saturating_add(1),
            Type::Struct(id, _) => self.schema.instance_index(*id).map_or(1, |index| self.sizes[index]),
            Type::Interface(id, _) => self.schema.branded[id.0 as usize].size,
            _ => 1,
        }
    }

    fn structure(&mut self, id: StructId, brand: &Brand, place: Place<'_>) -> StructId {
        let around = self.schema.structure(id).around.clone();
        let Some(given) = self.given(&around, brand, place) else { return id };
        if let Some(known) = self.structs.get(&(id, given.clone())) {
            return *known;
        }
        let size = given.iter().fold(1, |sum, ty| self.size(ty).saturating_add(sum));
        let of = self.schema.structure(id);
        let fields = of.fields.iter().map(|field| Field { annotations: Vec::new(), ..field.clone() }).collect();
        let made = Struct { fields, annotations: Vec::new(), ..of.clone() };
        self.fields += made.fields.len() + 1;
        let own = instance(self.schema.instances.len());
        self.schema.instances.push((id, made));
        self.sizes.push(size);
        self.structs.insert((id, given.clone()), own);
        self.open.push(Open::Struct(own, given));
        own
    }

    fn branded_interface(&mut self, id: InterfaceId, brand: &Brand, place: Place<'_>) -> InterfaceId {
        let around = self.schema.interface(id).around.clone();
        let Some(given) = self.given(&around, brand, place) else { return id };
        if let Some(known) = self.branded.get(&(id, given.clone())) {
            return *known;
        }
        let size = given.iter().fold(1, |sum, ty| self.size(ty).saturating_add(sum));
        self.fields += self.schema.interface(id).methods.len() + 1;
        let own = InterfaceId(super::types::number(self.schema.branded.len()));
        self.schema.branded.push(BrandedInterface::of(id, size));
        self.branded.insert((id, given.clone()), own);
        self.open.push(Open::BrandedInterface(own, given));
        own
    }

    /// What the methods of an interface take and give, with what it is given, and what it extends.
    fn open(&mut self, own: InterfaceId, given: &[Type]) {
        let of = self.schema.interface(self.schema.branded[own.0 as usize].of);
        let around = of.around.clone();
        let data: Vec<[Option<Data>; 2]> =
            of.methods.iter().map(|method| [method.parameters.clone(), method.results.clone()]).collect();
        let extends: Vec<(Option<InterfaceId>, Brand)> =
            of.extends.iter().map(|one| (one.id, one.bound.clone())).collect();
        let place = Place { around: &around, given };
        let mut one = |data: Option<Data>| data.map(|data| self.structure(data.id, &data.bound, place));
        let methods = data.into_iter().map(|both| both.map(&mut one)).collect();
        let above = extends.iter().map(|(id, brand)| Some(self.branded_interface((*id)?, brand, place))).collect();
        let branded_interface = &mut self.schema.branded[own.0 as usize];
        (branded_interface.methods, branded_interface.above) = (methods, above);
    }
}
