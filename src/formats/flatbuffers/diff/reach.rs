//! What data starts from, and what the roots that were asked for reach.

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::formats::frame::behind::{ByName, Reached};
use crate::formats::frame::differ::{Continued, Met};
use crate::formats::frame::roots::{Roots, simple_name};
use crate::ordered::OrderedSet;

use super::super::model::{EnumId, Field, FileId, ObjectId, Schema, Type};
use super::super::pairing;
use super::super::starts::targets;

/// Which types meet as what data starts from: roots of files, requests and responses, and types of one name that are a
/// root on a side.
pub(super) fn roots(
    schemas: Pair<&Schema<'_>>,
    wanted: &Roots,
    files: &[Pair<FileId>],
    (calls, declared): (&[Pair<ObjectId>], &Continued<ObjectId>),
) -> Vec<Pair<ObjectId>> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut add = |types: Pair<ObjectId>| {
        if seen.insert(types) {
            found.push(types);
        }
    };
    if wanted.is_everything() {
        for ids in files {
            let files = Pair::new(schemas.old.file(ids.old), schemas.new.file(ids.new));
            pairing::renamed_roots(schemas, files).into_iter().for_each(&mut add);
        }
        calls.iter().copied().for_each(&mut add);
    }
    let sides = schemas.map(|schema| if wanted.is_everything() { of_side(schema) } else { named(schema, wanted) });
    let by_simple_name = schemas.map(by_simple_name);
    // What continues as another one is nobody else's.
    for old in &sides.old {
        let other = || counterpart(schemas, by_simple_name.as_ref(), *old);
        let new = declared.of_old(*old).or_else(|| other().filter(|new| !declared.has_new(*new)));
        new.into_iter().for_each(|new| add(Pair::new(*old, new)));
    }
    for new in &sides.new {
        let other = || counterpart(schemas.mirrored(), by_simple_name.as_ref().mirrored(), *new);
        let old = declared.of_new(*new).or_else(|| other().filter(|old| !declared.has_old(*old)));
        old.into_iter().for_each(|old| add(Pair::new(old, *new)));
    }
    found
}

/// The only roots of which it is not known what they are on the other side, where both stand in one file, or in the only
/// ones of their versions.
pub(super) fn last_roots(
    schemas: Pair<&Schema<'_>>,
    found: &[Pair<ObjectId>],
    declared: &Continued<ObjectId>,
) -> Option<Pair<ObjectId>> {
    // What goes on by itself, perhaps inside of a new root, is still read as what it is.
    let goes_on = (
        |old: &ObjectId| declared.has_old(*old) || found.iter().any(|pair| pair.old == *old),
        |new: &ObjectId| declared.has_new(*new) || found.iter().any(|pair| pair.new == *new),
    );
    let mut sides = schemas.map(of_side);
    sides.old.retain(|old| !goes_on.0(old));
    sides.new.retain(|new| !goes_on.1(new));
    let (&[old], &[new]) = (&sides.old[..], &sides.new[..]) else { return None };
    let types = Pair::new(old, new);
    let paths = schemas.zip(types, |schema, id| &schema.file(schema.object(id).file).path);
    let are_alone = schemas.old.is_alone && schemas.new.is_alone;
    (paths.old == paths.new || are_alone).then_some(types)
}

/// The type of that name on the other side, or the only one of that simple name.
fn counterpart(
    schemas: Pair<&Schema<'_>>,
    by_simple_name: Pair<&FxHashMap<&str, Vec<ObjectId>>>,
    id: ObjectId,
) -> Option<ObjectId> {
    let object = schemas.old.object(id);
    let name = &object.full_name;
    if let Some(all @ [first, ..]) = schemas.new.objects_by_name.get(name).map(Vec::as_slice) {
        // Files that are compiled apart may each have one of the name.
        let path = &schemas.old.file(object.file).path;
        let same = all.iter().find(|other| schemas.new.file(schemas.new.object(**other).file).path == *path);
        return Some(*same.unwrap_or(first));
    }
    let Pair { old, new } = by_simple_name.map(|known| known.get(simple_name(name)).map_or(&[][..], Vec::as_slice));
    match (old, new) {
        ([_], [other]) => Some(*other),
        _ => None,
    }
}

fn by_simple_name<'s>(schema: &'s Schema<'_>) -> FxHashMap<&'s str, Vec<ObjectId>> {
    let mut found: FxHashMap<&str, Vec<ObjectId>> = FxHashMap::default();
    for (one, id) in schema.objects.iter().zip((0..).map(ObjectId)) {
        found.entry(simple_name(&one.full_name)).or_default().push(id);
    }
    found
}

fn named(schema: &Schema<'_>, wanted: &Roots) -> Vec<ObjectId> {
    let means = |full: &str| wanted.has(full);
    let all = schema.objects.iter().zip((0..).map(ObjectId));
    let mut found: Vec<ObjectId> = all.filter(|(one, _)| means(&one.full_name)).map(|(_, id)| id).collect();
    for service in schema.services.iter().filter(|one| means(&one.full_name)) {
        found.extend(service.methods.iter().flat_map(|method| [method.request, method.response]));
    }
    let mut behind = Behind::of(schema);
    behind.follow(found.clone());
    found.extend(behind.objects);
    found
}

/// Every root of a file, requests and responses, and every table that nothing refers to: the accessors of any table take
/// any buffer, so callers choose the root.
fn of_side(schema: &Schema<'_>) -> Vec<ObjectId> {
    let own = |file: FileId| !schema.file(file).is_library;
    let mut found: Vec<ObjectId> = schema.files.iter().flat_map(|file| file.roots.iter().map(|(id, _)| *id)).collect();
    for service in schema.services.iter().filter(|one| own(one.file)) {
        found.extend(service.methods.iter().flat_map(|method| [method.request, method.response]));
    }
    let mut referred = FxHashSet::default();
    for (object, id) in schema.objects.iter().zip((0..).map(ObjectId)) {
        let all = object.fields.iter().flat_map(|field| targets(schema, &field.ty).into_iter().chain(field.nested));
        referred.extend(all.filter(|target| *target != id));
    }
    let tables = schema.objects.iter().zip((0..).map(ObjectId));
    let tables = tables.filter(|(one, _)| one.layout.is_none() && own(one.file)).map(|(_, id)| id);
    let tables: Vec<ObjectId> = tables.collect();
    found.extend(tables.iter().filter(|id| !referred.contains(id)));
    let mut seen = FxHashSet::default();
    follow(schema, found.clone(), &mut seen);
    // Tables that refer to each other in a circle.
    for id in tables {
        if !seen.contains(&id) {
            found.push(id);
            follow(schema, vec![id], &mut seen);
        }
    }
    let mut met = FxHashSet::default();
    found.retain(|id| met.insert(*id));
    found
}

/// The enums that no field of the version names; of unions there is data only where a field has one.
pub(super) fn tags(schema: &Schema<'_>) -> FxHashSet<EnumId> {
    let fields = schema.objects.iter().flat_map(|object| &object.fields);
    let named: FxHashSet<EnumId> = fields.filter_map(|field| enum_of(&field.ty)).collect();
    let all = schema.enums.iter().zip((0..).map(EnumId));
    let own = all.filter(|(one, _)| !one.is_union && !schema.file(one.file).is_library);
    own.map(|(_, id)| id).filter(|id| !named.contains(id)).collect()
}

/// Of what is not felt where it is declared, that which no root reaches on either side: the new file and name.
pub(super) fn unreached(
    schemas: Pair<&Schema<'_>>,
    unfelt: &[Met<ObjectId, EnumId>],
) -> OrderedSet<(FileId, Arc<str>)> {
    if unfelt.is_empty() {
        return OrderedSet::new();
    }
    let reached = schemas.map(|schema| {
        let mut seen = FxHashSet::default();
        follow_if(schema, of_side(schema), &mut seen, |field| !field.is_deprecated);
        let fields = seen.iter().flat_map(|id| &schema.object(*id).fields).filter(|field| !field.is_deprecated);
        let enums: FxHashSet<EnumId> = fields.filter_map(|field| enum_of(&field.ty)).collect();
        (seen, enums)
    });
    let (old, new) = (&reached.old, &reached.new);
    let one = |met: &Met<ObjectId, EnumId>| match met {
        Met::Type(types) if old.0.contains(&types.old) || new.0.contains(&types.new) => None,
        Met::Enum(types) if old.1.contains(&types.old) || new.1.contains(&types.new) => None,
        Met::Type(types) => Some(schemas.new.object(types.new)).map(|of| (of.file, of.full_name.clone())),
        Met::Enum(types) => Some(schemas.new.enumeration(types.new)).map(|of| (of.file, of.full_name.clone())),
    };
    unfelt.iter().filter_map(one).collect()
}

fn follow(schema: &Schema<'_>, queue: Vec<ObjectId>, seen: &mut FxHashSet<ObjectId>) {
    follow_if(schema, queue, seen, |_| true);
}

fn follow_if(
    schema: &Schema<'_>,
    mut queue: Vec<ObjectId>,
    seen: &mut FxHashSet<ObjectId>,
    leads: impl Fn(&Field<'_>) -> bool,
) {
    while let Some(id) = queue.pop() {
        if seen.insert(id) {
            for field in schema.object(id).fields.iter().filter(|field| leads(field)) {
                queue.extend(targets(schema, &field.ty).into_iter().chain(field.nested));
            }
        }
    }
}

/// Everything that the roots of one side reach.
pub(super) fn reach(schema: &Schema<'_>, roots: &Roots) -> Reached {
    let all = schema.objects.iter().map(|one| &one.full_name);
    let all = all.chain(schema.enums.iter().map(|one| &one.full_name));
    let all = all.chain(schema.services.iter().map(|one| &one.full_name));
    let mut names: OrderedSet<Arc<str>> = all.filter(|name| roots.has(name)).cloned().collect();
    let mut behind = Behind::of(schema);
    behind.follow(named(schema, roots));
    names.extend(behind.enums.iter().map(|id| schema.enumeration(*id).full_name.clone()));
    for id in behind.seen.iter().copied().collect::<OrderedSet<ObjectId>>() {
        let object = schema.object(id);
        names.insert(object.full_name.clone());
        for field in &object.fields {
            names.extend(enum_of(&field.ty).map(|id| schema.enumeration(id).full_name.clone()));
        }
    }
    Reached { names, unknown: behind.unknown }
}

/// What is reached, and what of it has to be known by its name since an include was not found.
struct Behind<'s, 'b> {
    schema: &'s Schema<'b>,
    by_name: OnceCell<ByName<'s, Declared>>,
    seen: FxHashSet<ObjectId>,
    /// The tables and structs that only their names lead to.
    objects: Vec<ObjectId>,
    enums: OrderedSet<EnumId>,
    unknown: OrderedSet<(Arc<str>, String)>,
}

/// What a name may mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Declared {
    Object(ObjectId),
    Enum(EnumId),
}

impl<'s, 'b> Behind<'s, 'b> {
    fn of(schema: &'s Schema<'b>) -> Self {
        Behind {
            schema,
            by_name: OnceCell::new(),
            seen: FxHashSet::default(),
            objects: Vec::new(),
            enums: OrderedSet::new(),
            unknown: OrderedSet::new(),
        }
    }

    /// Follows types to all that they hold.
    fn follow(&mut self, from: Vec<ObjectId>) {
        let mut open = from;
        while let Some(id) = open.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            let object = self.schema.object(id);
            for field in &object.fields {
                open.extend(targets(self.schema, &field.ty).into_iter().chain(field.nested));
                for name in written(self.schema, &field.ty) {
                    open.extend(self.named(object.file, &name));
                }
            }
        }
    }

    /// The tables and structs that a type in a file that was not found may be.
    fn named(&mut self, file: FileId, written: &str) -> Vec<ObjectId> {
        let schema = self.schema;
        let by_name = self.by_name.get_or_init(|| {
            let objects = schema.objects.iter().zip((0..).map(ObjectId));
            let objects = objects.map(|(one, id)| (&*one.full_name, Declared::Object(id)));
            let enums = schema.enums.iter().zip((0..).map(EnumId));
            let enums = enums.map(|(one, id)| (&*one.full_name, Declared::Enum(id)));
            ByName::of(objects.chain(enums))
        });
        let meant = by_name.meant(written);
        if meant.is_empty() {
            self.unknown.insert((schema.file(file).path.clone(), written.to_owned()));
        }
        let mut found = Vec::new();
        for one in meant {
            match one {
                Declared::Object(id) => found.push(id),
                Declared::Enum(id) => {
                    self.enums.insert(id);
                    found.extend(targets(schema, &Type::Union(id)));
                }
            }
        }
        self.objects.extend(&found);
        found
    }
}

/// The names of types in a type whose files were not found.
fn written(schema: &Schema<'_>, ty: &Type) -> Vec<Arc<str>> {
    match ty {
        Type::Opaque(name) => vec![name.clone()],
        Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => written(schema, items),
        Type::Union(id) => {
            let members = schema.enumeration(*id).values.iter().filter_map(|member| member.ty.as_ref());
            let opaque = members.filter_map(|ty| match ty {
                Type::Opaque(name) => Some(name.clone()),
                _ => None,
            });
            opaque.collect()
        }
        Type::Scalar(_) | Type::Enum(_) | Type::String | Type::Struct(_) | Type::Table(_) => Vec::new(),
    }
}

/// The files of whose data a root that was asked for is or was the root, by the paths that changes of them have.
pub(super) fn files_of(schemas: Pair<&Schema<'_>>, roots: &Roots, files: &[Pair<FileId>]) -> OrderedSet<Arc<str>> {
    let is_asked_for = |schema: &Schema<'_>, id: FileId| {
        schema.file(id).last_root().is_some_and(|root| roots.has(&schema.object(root).full_name))
    };
    let of_roots = files.iter().filter(|ids| {
        let Pair { old, new } = schemas.zip(**ids, is_asked_for);
        old || new
    });
    of_roots.map(|ids| schemas.new.file(ids.new).path.clone()).collect()
}

fn enum_of(ty: &Type) -> Option<EnumId> {
    let items: &Type = match ty {
        Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => items,
        other => other,
    };
    match items {
        Type::Enum(id) | Type::Union(id) => Some(*id),
        _ => None,
    }
}
