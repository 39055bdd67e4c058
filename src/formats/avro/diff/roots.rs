//! What data starts from: the schemas of the files, the declarations and the messages of the protocols.
//!
//! A schema pairs with the one that defines the same full name, wherever its file is now; what is left pairs by the path
//! of its file; and if one schema is left on each side, these two.

use super::super::model::{Message, Protocol, Root};
use super::*;

impl<'s, 'b> Differ<'s, 'b> {
    /// Finds the counterparts of all roots and puts them in the queue. With names only what they name counts.
    pub(super) fn pair_roots(&mut self, names: &Roots) {
        let schemas = self.schemas;
        let is_wanted = |name: Option<&str>| names.is_everything() || name.is_some_and(|name| names.has(name));
        let wanted = |schema: &'s Schema<'b>| -> Vec<Root> {
            let judged = schema.roots.iter().filter(|root| !schema.file(root.file).is_library);
            judged.filter(|root| is_wanted(schema.name(root.schema.ty).map(|name| &*name.full))).copied().collect()
        };
        let roots = schemas.map(wanted);
        let mut left = roots.as_ref().map(|list| vec![true; list.len()]);
        for keep in [Differ::same_name, Differ::same_file, Differ::last] {
            for old in 0..roots.old.len() {
                if left.old[old]
                    && let Some(new) =
                        keep(self, roots.as_ref().map(Vec::as_slice), left.as_ref().map(Vec::as_slice), old)
                {
                    left.old[old] = false;
                    left.new[new] = false;
                    self.root(Pair::new(roots.old[old], roots.new[new]));
                }
            }
        }
        for (root, _) in roots.old.iter().zip(&left.old).filter(|(_, left)| **left) {
            self.root_gone(*root, !names.is_everything());
        }
        for (root, _) in roots.new.iter().zip(&left.new).filter(|(_, left)| **left) {
            self.root_added(*root);
        }
        self.protocols(&is_wanted);
        self.other_roots(names);
    }

    fn same_name(&self, roots: Pair<&[Root]>, left: Pair<&[bool]>, old: usize) -> Option<usize> {
        let name = |schema: &Schema<'_>, root: &Root| schema.name(root.schema.ty).map(|name| name.full.clone());
        let wanted = name(self.schemas.old, &roots.old[old])?;
        let matching =
            |new: &usize| left.new[*new] && name(self.schemas.new, &roots.new[*new]).as_ref() == Some(&wanted);
        let mut found = (0..roots.new.len()).filter(matching);
        let path = |schema: &'s Schema<'b>, root: &Root| &*schema.file(root.file).path;
        let here = path(self.schemas.old, &roots.old[old]);
        let first = found.next()?;
        // Several files may define one name: the same file is meant, if it is among them.
        let same = std::iter::once(first).chain(found).find(|new| path(self.schemas.new, &roots.new[*new]) == here);
        Some(same.unwrap_or(first))
    }

    fn same_file(&self, roots: Pair<&[Root]>, left: Pair<&[bool]>, old: usize) -> Option<usize> {
        let path = &self.schemas.old.file(roots.old[old].file).path;
        (0..roots.new.len()).find(|new| left.new[*new] && self.schemas.new.file(roots.new[*new].file).path == *path)
    }

    /// One schema left on each side, and no type of the old name lives on elsewhere.
    fn last(&self, roots: Pair<&[Root]>, left: Pair<&[bool]>, old: usize) -> Option<usize> {
        let count = |left: &[bool]| left.iter().filter(|left| **left).count();
        let lives_on = |name: &std::sync::Arc<str>| self.schemas.new.by_name.contains_key(name);
        let moved = self.schemas.old.name(roots.old[old].schema.ty).is_some_and(|name| lives_on(&name.full));
        if roots.old.len() != 1 || roots.new.len() != 1 || count(left.old) != 1 || count(left.new) != 1 || moved {
            return None;
        }
        left.new.iter().position(|left| *left)
    }

    /// Two versions of a root.
    fn root(&mut self, roots: Pair<Root>) {
        let types = roots.map(|root| root.schema.ty);
        let files = Pair::new(self.schemas.old.file(roots.old.file), self.schemas.new.file(roots.new.file));
        let paths = Pair::new(&*files.old.path, &*files.new.path);
        let uses = roots.map(|root| root.schema);
        if self.is_named_pair(types) {
            self.meet(types, None);
            // Two files that were named to be compared may be called what they like.
            let is_one_each = [self.schemas.old, self.schemas.new].iter().all(|schema| schema.judged_files() == 1);
            if paths.old != paths.new && !is_one_each {
                self.moved(types, paths);
            }
            return;
        }
        let trail = Trail::top(paths);
        let meeting = self.add_meeting(types, roots.map(|root| root.file), trail.place(), String::new());
        self.starts.push(meeting);
        self.position(meeting, &trail, uses, types);
    }

    fn is_named_pair(&self, types: Pair<TypeId>) -> bool {
        let kinds = (self.schemas.old.kind(types.old), self.schemas.new.kind(types.new));
        kinds.0.name().is_some() && std::mem::discriminant(kinds.0) == std::mem::discriminant(kinds.1)
    }

    fn moved(&mut self, types: Pair<TypeId>, paths: Pair<&str>) {
        let names = self.called(types);
        let facts = Facts::none().with(FactKey::OldValue, paths.old).with(FactKey::NewValue, paths.new);
        let at = self.definition_sites(Pair::new(Some(types.old), Some(types.new)));
        self.push_declaration(ChangeKind::TypeMoved, names.new, names.new.to_owned(), at, facts);
    }

    fn definition_sites(&self, types: Pair<Option<TypeId>>) -> Pair<Option<Site>> {
        let place = |schema: &Schema<'_>, ty: TypeId| {
            let span = schema.name(ty).map_or(schema.ty(ty).span, |name| name.span);
            (schema.ty(ty).file, span)
        };
        self.at(Pair::new(
            types.old.map(|ty| place(self.schemas.old, ty)),
            types.new.map(|ty| place(self.schemas.new, ty)),
        ))
    }

    /// A root that no root continues: it may live on as a type inside another schema.
    fn root_gone(&mut self, root: Root, is_asked_for: bool) {
        let ty = root.schema.ty;
        let name = self.schemas.old.name(ty).map(|name| name.full.clone());
        let now = name.as_ref().and_then(|name| self.schemas.new.by_name.get(name)?.first().copied());
        if let Some(now) = now.filter(|now| self.is_named_pair(Pair::new(ty, *now))) {
            self.meet(Pair::new(ty, now), None);
            return;
        }
        self.declaration_gone(ty, name.as_deref(), root, is_asked_for);
    }

    fn declaration_gone(&mut self, ty: TypeId, name: Option<&str>, root: Root, needed: bool) {
        let path = self.schemas.old.file(root.file).path.clone();
        let kind = match self.schemas.old.kind(ty) {
            Kind::Enum(_) => ChangeKind::EnumRemoved,
            _ => ChangeKind::MessageRemoved,
        };
        let facts = Facts::none()
            .with(FactKey::Role, role(self.schemas.old.kind(ty)))
            .with(FactKey::Needed, if needed { "yes" } else { "no" })
            .with(FactKey::OldValue, &*path);
        let at = match name {
            Some(_) => self.definition_sites(Pair::new(Some(ty), None)),
            None => self.at(Pair::new(Some((root.file, root.schema.span)), None)),
        };
        let called = name.unwrap_or(&path).to_owned();
        self.push_declaration(kind, &called, called.clone(), at, facts);
    }

    fn root_added(&mut self, root: Root) {
        let ty = root.schema.ty;
        let name = self.schemas.new.name(ty).map(|name| name.full.clone());
        let before = name.as_ref().and_then(|name| self.schemas.old.by_name.get(name)?.first().copied());
        if let Some(before) = before.filter(|before| self.is_named_pair(Pair::new(*before, ty))) {
            self.meet(Pair::new(before, ty), None);
            return;
        }
        self.declaration_added(ty, name.as_deref(), root);
    }

    fn declaration_added(&mut self, ty: TypeId, name: Option<&str>, root: Root) {
        let path = self.schemas.new.file(root.file).path.clone();
        let kind = match self.schemas.new.kind(ty) {
            Kind::Enum(_) => ChangeKind::EnumAdded,
            _ => ChangeKind::MessageAdded,
        };
        let facts = Facts::none().with(FactKey::Role, role(self.schemas.new.kind(ty))).with(FactKey::NewValue, &*path);
        let at = match name {
            Some(_) => self.definition_sites(Pair::new(None, Some(ty))),
            None => self.at(Pair::new(None, Some((root.file, root.schema.span)))),
        };
        let called = name.unwrap_or(&path).to_owned();
        self.push_declaration(kind, &called, called.clone(), at, facts);
    }

    /// Protocols pair by full name, else by the path of their file.
    fn protocols(&mut self, is_wanted: &dyn Fn(Option<&str>) -> bool) {
        let schemas = self.schemas;
        let judged = |schema: &'s Schema<'b>| -> Vec<&'s Protocol<'b>> {
            let listed = schema.protocols.iter().filter(|protocol| !schema.file(protocol.file).is_library);
            listed.filter(|protocol| is_wanted(Some(&protocol.name.full))).collect()
        };
        let protocols = schemas.map(judged);
        let path = |schema: &'s Schema<'b>, protocol: &Protocol<'_>| &*schema.file(protocol.file).path;
        let mut taken = vec![false; protocols.new.len()];
        let by_name = |old: &Protocol<'_>, new: &Protocol<'_>| old.name.full == new.name.full;
        let by_file = |old: &Protocol<'_>, new: &Protocol<'_>| path(schemas.old, old) == path(schemas.new, new);
        let mut partners: Vec<Option<usize>> = vec![None; protocols.old.len()];
        for same in [&by_name as &dyn Fn(&Protocol<'_>, &Protocol<'_>) -> bool, &by_file] {
            for (old, partner) in protocols.old.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
                *partner = (0..protocols.new.len()).find(|new| !taken[*new] && same(old, protocols.new[*new]));
                if let Some(new) = *partner {
                    taken[new] = true;
                }
            }
        }
        for (old, partner) in protocols.old.iter().zip(partners) {
            match partner {
                Some(new) => self.protocol(Pair::new(old, protocols.new[new])),
                None => self.protocol_gone(old),
            }
        }
        for (new, _) in protocols.new.iter().zip(&taken).filter(|(_, taken)| !**taken) {
            let at = self.at(Pair::new(None, Some((new.file, new.name.span))));
            let name = new.name.full.to_string();
            self.push_declaration(ChangeKind::ServiceAdded, &name, name.clone(), at, Facts::none());
            self.types_added(&new.types, new.file);
        }
    }

    fn protocol_gone(&mut self, old: &Protocol<'_>) {
        let at = self.at(Pair::new(Some((old.file, old.name.span)), None));
        let name = old.name.full.to_string();
        self.push_declaration(ChangeKind::ServiceRemoved, &name, name.clone(), at, Facts::none());
        self.types_gone(&old.types, old.file);
    }

    fn types_gone(&mut self, types: &[TypeId], file: FileId) {
        for ty in types {
            let root = Root { file, schema: Use { ty: *ty, file, span: self.schemas.old.ty(*ty).span } };
            self.root_gone(root, false);
        }
    }

    fn types_added(&mut self, types: &[TypeId], file: FileId) {
        for ty in types {
            let root = Root { file, schema: Use { ty: *ty, file, span: self.schemas.new.ty(*ty).span } };
            self.root_added(root);
        }
    }

    fn protocol(&mut self, protocols: Pair<&'s Protocol<'b>>) {
        let Pair { old, new } = protocols;
        let name = new.name.full.to_string();
        let at = self.at(Pair::new(Some((old.file, old.name.span)), Some((new.file, new.name.span))));
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
        self.types_gone(&old.types, old.file);
        self.types_added(&new.types, new.file);
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

    /// Names that are no root of their own: any named type of both sides.
    fn other_roots(&mut self, names: &Roots) {
        for name in names.iter() {
            let find = |schema: &Schema<'_>| schema.by_name.get(name).and_then(|found| found.first().copied());
            if let (Some(old), Some(new)) = (find(self.schemas.old), find(self.schemas.new))
                && self.is_named_pair(Pair::new(old, new))
            {
                self.meet(Pair::new(old, new), None);
            }
        }
    }
}

fn method(protocol: &Protocol<'_>, message: &Message<'_>) -> String {
    format!("{}.{}()", protocol.name.full, message.name)
}

fn role(kind: &Kind<'_>) -> &'static str {
    match kind {
        Kind::Record(record) if record.is_error => "error",
        Kind::Record(_) => "record",
        Kind::Enum(_) => "enum",
        Kind::Fixed(_) => "fixed",
        _ => "schema",
    }
}
