//! What differs between protocols: their messages, and the types that they declare.

use super::super::model::{Message, Protocol, Root, Type};
use super::super::starts;
use super::pairing::{self, Key, Tie};
use super::roots::Needed;
use super::*;
use crate::change::Side;

impl<'s, 'b> Differ<'s, 'b> {
    /// Protocols pair as schemas do; one with another name is another one, unless it stands in the same file.
    pub(super) fn protocols(&mut self, is_wanted: &dyn Fn(Option<&str>) -> bool) {
        let schemas = self.schemas;
        let protocols = schemas.map(|schema: &'s Schema<'b>| -> Vec<&'s Protocol<'b>> {
            let listed = schema.protocols.iter().filter(|protocol| !schema.file(protocol.file).is_library);
            listed.filter(|protocol| is_wanted(Some(&protocol.name.full))).collect()
        });
        let keys = |side: Side, list: &[&'s Protocol<'b>]| -> Vec<Key<'s>> {
            let key = |one: &&'s Protocol<'b>| Key {
                name: Some(&*one.name.full),
                path: self.path(side, one.file),
                content: Some(self.schemas.side(side).file(one.file).content),
            };
            list.iter().map(key).collect()
        };
        let keys = Pair::new(keys(Side::Old, &protocols.old), keys(Side::New, &protocols.new));
        let found = pairing::pair(
            keys.as_ref().map(Vec::as_slice),
            Pair::new(&|_| true, &|_| true),
            false,
            Pair::new(&|_| None, &|_| None),
        );
        let paths = |places: Pair<usize>| Pair::new(keys.old[places.old].path, keys.new[places.new].path);
        for (places, tie) in &found.ties {
            let pair = Pair::new(protocols.old[places.old], protocols.new[places.new]);
            self.protocol(pair);
            if *tie == Tie::Beside {
                let at = self.at(Pair::new(Some(place(pair.old)), Some(place(pair.new))));
                self.in_another_file(&pair.new.name.full, at, paths(*places), "version-added");
            }
        }
        for places in &found.outlived {
            let old = protocols.old[places.old];
            let at = self.at(Pair::new(Some(place(old)), None));
            self.in_another_file(&old.name.full, at, paths(*places), "version-removed");
        }
        found.gone.iter().for_each(|old| self.protocol_gone(protocols.old[*old]));
        found.added.iter().for_each(|new| self.protocol_added(protocols.new[*new]));
    }

    fn protocol_added(&mut self, new: &Protocol<'_>) {
        let at = self.at(Pair::new(None, Some(place(new))));
        let name = new.name.full.to_string();
        // What has no message holds types, and nobody calls it.
        if !new.messages.is_empty() || new.types.is_empty() {
            self.push_declaration(ChangeKind::ServiceAdded, &name, name.clone(), at, Facts::none());
        }
        self.types_added(&new.types);
    }

    fn protocol_gone(&mut self, old: &Protocol<'_>) {
        let at = self.at(Pair::new(Some(place(old)), None));
        let name = old.name.full.to_string();
        // What has no message holds types, and nobody calls it.
        if !old.messages.is_empty() {
            self.push_declaration(ChangeKind::ServiceRemoved, &name, name.clone(), at, Facts::none());
        }
        self.types_gone(&old.types);
    }

    fn types_gone(&mut self, types: &[TypeId]) {
        for root in types.iter().map(|ty| as_root(self.schemas.old, *ty)) {
            if !self.lives_on(Side::Old, root) {
                self.declaration_gone(root, Needed::No);
            }
        }
    }

    fn types_added(&mut self, types: &[TypeId]) {
        for root in types.iter().map(|ty| as_root(self.schemas.new, *ty)) {
            if !self.lives_on(Side::New, root) {
                self.declaration_added(root);
            }
        }
    }

    /// The types of two versions of a protocol: those of one name belong together, whatever other files call so.
    fn types(&mut self, protocols: Pair<&Protocol<'b>>, types: Pair<&[TypeId]>) {
        let mut left = types.map(<[TypeId]>::to_vec);
        left.old.retain(|old| {
            let name = self.schemas.old.called(*old);
            let at = left
                .new
                .iter()
                .position(|new| self.schemas.new.called(*new) == name && self.is_named_pair(Pair::new(*old, *new)));
            if let Some(at) = at {
                self.meet(Pair::new(*old, left.new.remove(at)), None);
            }
            at.is_none()
        });
        let moved = self.moved_along(protocols, left.as_ref().map(Vec::as_slice));
        self.meet_all(moved, &mut left);
        let continued = self.continued(left.as_ref().map(Vec::as_slice));
        self.meet_all(continued, &mut left);
        self.types_gone(&left.old);
        self.types_added(&left.new);
    }

    /// Compares pairs of types, of which nothing else is to be said.
    fn meet_all(&mut self, pairs: Vec<Pair<TypeId>>, left: &mut Pair<Vec<TypeId>>) {
        for types in pairs {
            left.old.retain(|old| *old != types.old);
            left.new.retain(|new| *new != types.new);
            self.meet(types, None);
        }
    }

    /// What lay in the namespace of a protocol and lies in another one with it, each under its name.
    fn moved_along(&self, protocols: Pair<&Protocol<'b>>, left: Pair<&[TypeId]>) -> Vec<Pair<TypeId>> {
        let spaces = protocols.map(|of| in_namespace(&of.name.full).0);
        if spaces.old == spaces.new {
            return Vec::new();
        }
        let in_new = |ty: &TypeId| Some(in_namespace(self.schemas.new.called(*ty))).filter(|name| name.0 == spaces.new);
        let news: FxHashMap<&str, TypeId> = left.new.iter().filter_map(|new| Some((in_new(new)?.1, *new))).collect();
        let moved = left.old.iter().filter_map(|old| {
            let (space, name) = in_namespace(self.schemas.old.called(*old));
            let types = Pair::new(*old, *news.get(name).filter(|_| space == spaces.old)?);
            let names = self.called(types);
            let are_gone =
                !self.schemas.new.by_name.contains_key(names.old) && !self.schemas.old.by_name.contains_key(names.new);
            (are_gone && self.is_named_pair(types)).then_some(types)
        });
        moved.collect()
    }

    /// Of the types that data can start from, which have another name now: one of them is an alias of the other, only the
    /// namespace is another, or nothing else of their kind went and came.
    fn continued(&self, left: Pair<&[TypeId]>) -> Vec<Pair<TypeId>> {
        if left.old.is_empty() || left.new.is_empty() {
            return Vec::new();
        }
        let used = self.used.get_or_init(|| self.schemas.map(|schema| starts::used(schema)));
        let of = |side: Side, types: &[TypeId]| -> Vec<TypeId> {
            let (schema, used) = (self.schemas.side(side), used.side(side));
            let other = self.schemas.mirrored();
            let other = other.side(side);
            let is_start = |ty: &&TypeId| !used.contains(*ty) && starts::can_be_stored(schema, **ty);
            let is_gone = |ty: &&TypeId| !other.by_name.contains_key(schema.called(**ty));
            types.iter().filter(is_start).filter(is_gone).copied().collect()
        };
        let mut open = Pair::new(of(Side::Old, left.old), of(Side::New, left.new));
        let mut found = Vec::new();
        for is_one in [Self::is_alias, Self::is_elsewhere_named, Self::is_named_pair] {
            let all = open.old.iter().flat_map(|old| open.new.iter().map(|new| Pair::new(*old, *new)));
            let mut pairs: Vec<Pair<TypeId>> = all.filter(|types| is_one(self, *types)).collect();
            // Where one of the two is in several pairs nobody knows which counts.
            let mut times: Pair<FxHashMap<TypeId, usize>> = Pair::default();
            for pair in &pairs {
                *times.old.entry(pair.old).or_default() += 1;
                *times.new.entry(pair.new).or_default() += 1;
            }
            pairs.retain(|pair| times.old[&pair.old] == 1 && times.new[&pair.new] == 1);
            let paired: Pair<FxHashSet<TypeId>> =
                Pair::new(pairs.iter().map(|pair| pair.old).collect(), pairs.iter().map(|pair| pair.new).collect());
            open.old.retain(|old| !paired.old.contains(old));
            open.new.retain(|new| !paired.new.contains(new));
            found.extend(pairs);
        }
        found
    }

    fn is_alias(&self, types: Pair<TypeId>) -> bool {
        let names = self.called(types);
        let has = |kind: &Kind<'_>, name: &str| kind.aliases().iter().any(|alias| *alias.full == *name);
        self.is_named_pair(types)
            && (has(self.schemas.new.kind(types.new), names.old) || has(self.schemas.old.kind(types.old), names.new))
    }

    fn is_elsewhere_named(&self, types: Pair<TypeId>) -> bool {
        let Pair { old, new } = self.called(types).map(|name| name.rsplit('.').next());
        self.is_named_pair(types) && old == new
    }

    fn protocol(&mut self, protocols: Pair<&'s Protocol<'b>>) {
        let Pair { old, new } = protocols;
        let name = new.name.full.to_string();
        let at = self.at(Pair::new(Some(place(old)), Some(place(new))));
        if old.name.full != new.name.full {
            let facts = Facts::none().with(FactKey::OldName, &*old.name.full).with(FactKey::NewName, &*new.name.full);
            self.push_declaration(ChangeKind::ServiceRenamed, &name, name.clone(), at.clone(), facts);
        }
        self.attributes_of_declaration(&name, at, Pair::new(old.attributes, new.attributes));
        for message in &old.messages {
            match new.messages.iter().find(|other| other.name == message.name) {
                Some(other) => self.messages(protocols, Pair::new(message, other)),
                None => self.message_gone(old, message),
            }
        }
        for message in new.messages.iter().filter(|other| old.messages.iter().all(|one| one.name != other.name)) {
            let at = self.at(Pair::new(None, Some((message.file, message.span))));
            let path = method(new, message);
            self.push_declaration(ChangeKind::MethodAdded, &path, path.clone(), at, Facts::none());
        }
        self.types(protocols, Pair::new(&old.types, &new.types));
    }

    fn message_gone(&mut self, protocol: &Protocol<'_>, message: &Message<'_>) {
        let at = self.at(Pair::new(Some((message.file, message.span)), None));
        let path = method(protocol, message);
        self.push_declaration(ChangeKind::MethodRemoved, &path, path.clone(), at, Facts::none());
    }

    fn messages(&mut self, protocols: Pair<&Protocol<'b>>, messages: Pair<&'s Message<'b>>) {
        let Pair { old, new } = messages;
        let paths = Pair::new(method(protocols.old, old), method(protocols.new, new));
        if old.is_one_way != new.is_one_way {
            let word = |message: &Message<'_>| if message.is_one_way { "one-way" } else { "answered" };
            let facts = Facts::none()
                .with(FactKey::Direction, if new.is_one_way { "into" } else { "out-of" })
                .with(FactKey::OldValue, word(old))
                .with(FactKey::NewValue, word(new));
            let at = self.at(Pair::new(Some((old.file, old.span)), Some((new.file, new.span))));
            let kind = ChangeKind::MethodOnewayChanged;
            self.push_declaration(kind, &paths.new, paths.new.clone(), at, facts);
        }
        let names = Pair::new((old.file, old.name_span), (new.file, new.name_span));
        let at = self.at(names.map(Some));
        self.attributes_of_declaration(&paths.new, at, Pair::new(old.attributes, new.attributes));
        self.meet(Pair::new(old.request, new.request), None);
        let top = Trail::top(Pair::new(&*paths.old, &*paths.new));
        for (part, uses) in
            [("response", Pair::new(old.response, new.response)), ("errors", Pair::new(old.errors, new.errors))]
        {
            let types = uses.map(|at| at.ty);
            if self.is_named_pair(types) {
                self.meet(types, None);
            } else {
                let trail = top.then(Step::Part(part));
                let files = uses.map(|at| at.file);
                let meeting = self.add_meeting(types, files, trail.place(), String::new());
                self.starts.push(meeting);
                self.position(meeting, &trail, uses, types);
            }
        }
    }

    /// One change per attribute of a protocol or a message that is not the same on both sides.
    fn attributes_of_declaration(&mut self, name: &str, at: Pair<Option<Site>>, attributes: Pair<&'s [Attribute<'b>]>) {
        for facts in changed_attributes(attributes) {
            self.push_declaration(ChangeKind::TypeOptionChanged, name, name.to_owned(), at.clone(), facts);
        }
    }
}

/// The namespace of a full name, and the name in it.
fn in_namespace(full: &str) -> (&str, &str) {
    full.rsplit_once('.').unwrap_or(("", full))
}

/// Where a protocol states its name.
fn place(protocol: &Protocol<'_>) -> (FileId, Span) {
    (protocol.file, protocol.name.span)
}

fn as_root(schema: &Schema<'_>, ty: TypeId) -> Root {
    let Type { file, span, .. } = *schema.ty(ty);
    Root { file, schema: Use { ty, file, span } }
}

fn method(protocol: &Protocol<'_>, message: &Message<'_>) -> String {
    format!("{}.{}()", protocol.name.full, message.name)
}
