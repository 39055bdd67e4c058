//! The least data that a type can have: how deep tables lie in it, whatever it requires.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::super::codec::{NONE, Types};
use super::super::model::{ObjectId, Type};

/// How many tables lie in each other in the least data of each table asked for; nothing where they would have no end.
#[derive(Default)]
pub(super) struct Least(RefCell<FxHashMap<ObjectId, Option<usize>>>);

impl Least {
    /// How deep the least data of a type are: 0 of what holds no table.
    pub(super) fn depth(&self, types: Types<'_, '_>, ty: &Type) -> Option<usize> {
        let mut tables = Vec::new();
        demanded(types, ty, &mut tables);
        if tables.iter().any(|table| !self.0.borrow().contains_key(table)) {
            self.find(types, tables);
        }
        of_type(types, ty, &|id| self.0.borrow().get(&id).copied().flatten())
    }

    /// Finds it out of tables and all that they require: each is one deeper than what it requires, as soon as that is
    /// known to have an end.
    fn find(&self, types: Types<'_, '_>, mut tables: Vec<ObjectId>) {
        let mut at = 0;
        while let Some(table) = tables.get(at).copied() {
            for field in required(types, table) {
                demanded(types, field, &mut tables);
            }
            at += 1;
        }
        let mut known: FxHashMap<ObjectId, usize> = FxHashMap::default();
        loop {
            let mut is_settled = true;
            for table in &tables {
                let mut inner = required(types, *table).map(|ty| of_type(types, ty, &|id| known.get(&id).copied()));
                let Some(deepest) = inner.try_fold(0, |deepest: usize, one| Some(deepest.max(one?))) else { continue };
                is_settled &= known.insert(*table, deepest + 1) == Some(deepest + 1);
            }
            if is_settled {
                break;
            }
        }
        self.0.borrow_mut().extend(tables.into_iter().map(|table| (table, known.get(&table).copied())));
    }
}

/// The types of what a table requires. What is a buffer of its own begins anew, and is made by itself.
fn required<'s>(types: Types<'s, '_>, table: ObjectId) -> impl Iterator<Item = &'s Type> {
    let fields = types.object(table).fields.iter();
    fields.filter(|field| field.is_required && !field.is_deprecated).map(|field| &field.ty)
}

/// The tables that data of a type may have to hold. A vector may be empty.
fn demanded(types: Types<'_, '_>, ty: &Type, tables: &mut Vec<ObjectId>) {
    let mut add = |table: ObjectId| {
        if !tables.contains(&table) {
            tables.push(table);
        }
    };
    match ty {
        Type::Table(id) => add(*id),
        Type::Union(id) => {
            for member in &types.schema.enumeration(*id).values {
                if let Some(Type::Table(table)) = member.ty {
                    add(table);
                }
            }
        }
        _ => {}
    }
}

fn of_type(types: Types<'_, '_>, ty: &Type, known: &dyn Fn(ObjectId) -> Option<usize>) -> Option<usize> {
    match ty {
        Type::Table(id) => known(*id),
        Type::Union(id) => {
            let members = types.schema.enumeration(*id).values.iter();
            let held =
                members.filter(|member| member.number != i128::from(NONE)).filter_map(|member| member.ty.as_ref());
            held.filter_map(|ty| if let Type::Table(id) = ty { known(*id) } else { Some(0) }).min()
        }
        _ => Some(0),
    }
}
