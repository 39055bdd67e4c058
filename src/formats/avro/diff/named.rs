//! Two versions of a named type: its names, the fields of a record, the symbols of an enum, the size of a fixed.

use rustc_hash::FxHashSet;

use super::super::model::{Default, Enum, Field, Fixed, Name, Record};
use super::super::place::{self, FieldPair};
use super::fix::former;
use super::pairing;
use super::*;

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares the two types of a meeting.
    pub(super) fn named(&mut self, meeting: usize) {
        let types = self.found.pairs[meeting].types;
        if self.names(meeting, types) {
            self.replaced += 1;
            if self.replaced > MOST_REPLACED {
                return self.leave_out(meeting);
            }
        }
        match (self.schemas.old.kind(types.old), self.schemas.new.kind(types.new)) {
            (Kind::Record(old), Kind::Record(new)) => self.records(meeting, types, Pair::new(old, new)),
            (Kind::Enum(old), Kind::Enum(new)) => self.enums(meeting, types, Pair::new(old, new)),
            (Kind::Fixed(old), Kind::Fixed(new)) => self.fixed(meeting, types, Pair::new(old, new)),
            _ => {}
        }
        let place = self.found.pairs[meeting].place.clone();
        let attributes =
            Pair::new(self.schemas.old.ty(types.old).attributes, self.schemas.new.ty(types.new).attributes);
        let at = self.name_sites(types);
        self.attributes(meeting, ChangeKind::TypeOptionChanged, &|| place.clone(), at, attributes);
    }

    fn name_sites(&self, types: Pair<TypeId>) -> Pair<Option<Site>> {
        let place = |schema: &Schema<'_>, ty| schema.name(ty).map(|name| (schema.ty(ty).file, name.span));
        self.at(Pair::new(place(self.schemas.old, types.old), place(self.schemas.new, types.new)))
    }

    /// Says of two types of which the names are told that what is inside of them is not looked at.
    fn leave_out(&mut self, meeting: usize) {
        let place = self.found.pairs[meeting].place.identity();
        let own = self.found.changes.iter_mut().rev().take_while(|change| change.identity == place);
        own.for_each(|change| change.left_out.unknown = true);
        self.found.pairs[meeting].left_out = true;
    }

    /// The full names, and the aliases that no rename needs. Whether the one type took the place of the other.
    fn names(&mut self, meeting: usize, types: Pair<TypeId>) -> bool {
        let kinds = Pair::new(self.schemas.old.kind(types.old), self.schemas.new.kind(types.new));
        let (Some(old), Some(new)) = (kinds.old.name(), kinds.new.name()) else { return false };
        // What a message takes is called after its protocol, of which it is told that this has another name.
        let is_declared =
            self.schemas.old.by_name.contains_key(&*old.full) || self.schemas.new.by_name.contains_key(&*new.full);
        let is_replaced = old.full != new.full && is_declared && self.renamed(meeting, types, Pair::new(old, new));
        let others = Pair::new(kinds.old.aliases(), kinds.new.aliases());
        let changed = |list: &[Name], other: &[Name], name: &Name| {
            let gone = list.iter().filter(|alias| alias.full != name.full);
            let gone = gone.filter(|alias| !other.iter().any(|kept| kept.full == alias.full));
            gone.map(|alias| alias.full.to_string()).collect::<Vec<_>>()
        };
        let (removed, added) = (changed(others.old, others.new, new), changed(others.new, others.old, old));
        let place = self.found.pairs[meeting].place.clone();
        let at = self.name_sites(types);
        self.aliases(meeting, &place, at, Pair::new(removed, added));
        is_replaced
    }

    /// Says which aliases went and which came.
    fn aliases(&mut self, meeting: usize, place: &Place, at: Pair<Option<Site>>, names: Pair<Vec<String>>) {
        for (direction, names) in [("removed", names.old), ("added", names.new)] {
            for name in names {
                let facts = Facts::none().with(FactKey::Direction, direction).with(FactKey::Name, name);
                let draft = self.draft(ChangeKind::AliasChanged, place.clone(), at.clone(), facts);
                self.push(meeting, draft);
            }
        }
    }

    /// Says that the names differ; whether the one type took the place of the other.
    fn renamed(&mut self, meeting: usize, types: Pair<TypeId>, names: Pair<&Name>) -> bool {
        let kind = match self.schemas.new.kind(types.new) {
            Kind::Enum(_) => ChangeKind::EnumRenamed,
            Kind::Fixed(_) => ChangeKind::FixedRenamed,
            _ => ChangeKind::MessageRenamed,
        };
        let matches = Pair::new(
            self.backward().names_match(types.old, types.new),
            self.forward().names_match(types.new, types.old),
        );
        let reads = |matches: bool| if matches { Outcome::Safe } else { Outcome::Fails };
        let has_alias = |kind: &Kind<'_>, name: &Name| kind.aliases().iter().any(|alias| alias.full == name.full);
        let alias = match (
            has_alias(self.schemas.old.kind(types.old), names.new),
            has_alias(self.schemas.new.kind(types.new), names.old),
        ) {
            (true, true) => "both",
            (true, false) => "old",
            (false, true) => "new",
            (false, false) => "none",
        };
        let lives_on = self.schemas.new.by_name.contains_key(&names.old.full)
            || self.schemas.old.by_name.contains_key(&names.new.full);
        let replaced = lives_on && !pairing::are_versions(&names.old.full, &names.new.full);
        let yes = |is: bool| if is { "yes" } else { "no" };
        let facts = Facts::none()
            .with(FactKey::OldName, &*names.old.full)
            .with(FactKey::NewName, &*names.new.full)
            .with(FactKey::NamespaceOnly, yes(names.old.simple() == names.new.simple()))
            .with(FactKey::Alias, alias)
            .with(FactKey::Replaced, yes(replaced))
            .with(FactKey::ReadsOld, reads(matches.old).name())
            .with(FactKey::ReadsNew, reads(matches.new).name());
        let place = self.found.pairs[meeting].place.clone();
        let at = self.name_sites(types);
        let suggestion = (!matches.old && !replaced).then(|| self.type_alias(types.new, &names.old.full)).flatten();
        let draft = Draft { suggestion, ..self.draft(kind, place, at, facts) };
        self.push(meeting, draft);
        replaced
    }

    fn records(&mut self, meeting: usize, types: Pair<TypeId>, records: Pair<&'s Record<'b>>) {
        let names = self.called(types);
        let top = Trail::top(names);
        let files = Pair::new(self.schemas.old.ty(types.old).file, self.schemas.new.ty(types.new).file);
        let pairs = place::fields(records);
        let former = former(self.schemas, records, &pairs);
        for pair in &pairs {
            match (pair.0.old, pair.0.new) {
                (Some(old), Some(new)) => {
                    let fields = Pair::new(&records.old.fields[old], &records.new.fields[new]);
                    let called = Pair::new(Some(&*fields.old.name), Some(&*fields.new.name));
                    self.fields(meeting, &top.then(Step::Field(called)), files, fields);
                }
                (None, Some(new)) => {
                    self.field_added(meeting, &top, (types, files), &records.new.fields[new], former);
                }
                (Some(old), None) => self.field_removed(meeting, &top, files.old, &records.old.fields[old]),
                (None, None) => {}
            }
        }
        let kept: Vec<usize> = pairs.iter().filter(|pair| pair.0.new.is_some()).filter_map(|pair| pair.0.old).collect();
        if !kept.is_sorted() {
            self.order_changed(meeting, types, "fields");
        }
        self.ambiguous(meeting, &top, files, records, &pairs);
        if records.old.is_error != records.new.is_error {
            let sort = |is_error: bool| if is_error { "error" } else { "record" };
            let facts = Facts::none()
                .with(FactKey::Name, "type")
                .with(FactKey::OldValue, sort(records.old.is_error))
                .with(FactKey::NewValue, sort(records.new.is_error));
            let draft = self.draft(ChangeKind::TypeOptionChanged, top.place(), self.name_sites(types), facts);
            self.push(meeting, draft);
        }
    }

    /// Fields of a reader that cannot tell which written field is theirs, because of its aliases.
    fn ambiguous(
        &mut self,
        meeting: usize,
        top: &Trail<'_>,
        files: Pair<FileId>,
        records: Pair<&Record<'_>>,
        pairs: &[FieldPair],
    ) {
        let backward = disputed(records.new, records.old);
        let forward = disputed(records.old, records.new);
        let sets = Pair::new(&backward, &forward).map(|list| list.iter().copied().collect::<FxHashSet<usize>>());
        for pair in pairs {
            let is_in = |set: &FxHashSet<usize>, index: Option<usize>| index.is_some_and(|index| set.contains(&index));
            let found = (is_in(&sets.old, pair.0.new), is_in(&sets.new, pair.0.old));
            if found == (false, false) {
                continue;
            }
            // A reader stops at the first of them, and never comes to the others.
            let is_first = |list: &[usize], index: Option<usize>| index.is_some() && list.first().copied() == index;
            let reads = |fails: bool| if fails { Outcome::Fails } else { Outcome::Safe };
            let fails = (is_first(&backward, pair.0.new), is_first(&forward, pair.0.old));
            let old = pair.0.old.map(|index| &records.old.fields[index]);
            let new = pair.0.new.map(|index| &records.new.fields[index]);
            let facts = Facts::none()
                .with(FactKey::Direction, "ambiguous")
                .with(FactKey::ReadsOld, reads(fails.0).name())
                .with(FactKey::ReadsNew, reads(fails.1).name());
            let at =
                self.at(Pair::new(old.map(|field| (files.old, field.span)), new.map(|field| (files.new, field.span))));
            let called = Pair::new(old.map(|field| &*field.name), new.map(|field| &*field.name));
            let place = top.then(Step::Field(called)).place();
            let draft = self.draft(ChangeKind::AliasChanged, place, at, facts);
            self.push(meeting, draft);
        }
    }

    fn order_changed(&mut self, meeting: usize, types: Pair<TypeId>, role: &'static str) {
        let place = self.found.pairs[meeting].place.clone();
        let facts = Facts::none().with(FactKey::Role, role);
        let draft = self.draft(ChangeKind::OrderChanged, place, self.name_sites(types), facts);
        self.push(meeting, draft);
    }

    /// Two versions of one field.
    fn fields(&mut self, meeting: usize, trail: &Trail<'_>, files: Pair<FileId>, fields: Pair<&'s Field<'b>>) {
        let Pair { old, new } = fields;
        let wholes = Pair::new(old.schema.ty, new.schema.ty);
        let before = self.found.changes.len();
        self.position(meeting, trail, Pair::new(old.schema, new.schema), wholes);
        if old.name != new.name {
            self.nothing_is_read_unless(before, Pair::new(is_found(new, old), is_found(old, new)));
            self.field_renamed(meeting, trail, files, fields);
        }
        self.default_changed(meeting, trail, files, fields);
        let at = || self.at(Pair::new(Some((files.old, old.span)), Some((files.new, new.span))));
        if !(old.aliases.is_empty() && new.aliases.is_empty()) {
            let at = at();
            let gone = |list: &Field<'_>, other: &Field<'_>| {
                let names = list.aliases.iter().map(|(alias, _)| alias).filter(|alias| **alias != other.name);
                let names = names.filter(|alias| !other.aliases.iter().any(|(kept, _)| kept == *alias));
                names.map(|alias| alias.to_string()).collect::<Vec<_>>()
            };
            let names = Pair::new(gone(old, new), gone(new, old));
            self.aliases(meeting, &trail.place(), at, names);
        }
        let order = |field: &Field<'_>| field.order.as_deref().unwrap_or("ascending").to_owned();
        if old.order != new.order && order(old) != order(new) {
            let facts = Facts::none()
                .with(FactKey::Name, "order")
                .with(FactKey::OldValue, order(old))
                .with(FactKey::NewValue, order(new));
            let at = self.at(Pair::new(Some((files.old, old.span)), Some((files.new, new.span))));
            let draft = self.draft(ChangeKind::FieldOptionChanged, trail.place(), at, facts);
            self.push(meeting, draft);
        }
        let at = self.at(Pair::new(Some((files.old, old.span)), Some((files.new, new.span))));
        let attributes = Pair::new(old.attributes, new.attributes);
        self.attributes(meeting, ChangeKind::FieldOptionChanged, &|| trail.place(), at, attributes);
    }

    /// A reader that does not find a field never comes to what differs inside. What named types in it are is compared
    /// apart from it.
    fn nothing_is_read_unless(&mut self, first: usize, found: Pair<bool>) {
        for change in &mut self.found.changes[first..] {
            for (key, is_found) in [(FactKey::ReadsOld, found.old), (FactKey::ReadsNew, found.new)] {
                if !is_found && change.facts.get(key).is_some() {
                    change.facts = std::mem::take(&mut change.facts).with(key, Outcome::Safe.name());
                }
            }
        }
    }

    /// A field that an alias on either side ties to another name.
    fn field_renamed(&mut self, meeting: usize, trail: &Trail<'_>, files: Pair<FileId>, fields: Pair<&Field<'_>>) {
        let Pair { old, new } = fields;
        let reads = |reader: &Field<'_>, writer: &Field<'_>| match (is_found(reader, writer), &reader.default) {
            (true, _) => Outcome::Safe,
            // The value is there under another name, and the reader takes its default instead.
            (false, Some(_)) => Outcome::Lossy,
            (false, None) => Outcome::Fails,
        };
        let alias = match (is_found(old, new), is_found(new, old)) {
            (true, true) => "both",
            (true, false) => "old",
            _ => "new",
        };
        let facts = Facts::none()
            .with(FactKey::OldName, &*old.name)
            .with(FactKey::NewName, &*new.name)
            .with(FactKey::Alias, alias)
            .with(FactKey::ReadsOld, reads(new, old).name())
            .with(FactKey::ReadsNew, reads(old, new).name());
        let at = self.at(Pair::new(Some((files.old, old.name_span)), Some((files.new, new.name_span))));
        let draft = self.draft(ChangeKind::FieldRenamed, trail.place(), at, facts);
        self.push(meeting, draft);
    }

    /// What a reader takes where the writer lacks the field. Both versions have the field, so nobody feels it yet.
    fn default_changed(&mut self, meeting: usize, trail: &Trail<'_>, files: Pair<FileId>, fields: Pair<&Field<'_>>) {
        let direction = match (&fields.old.default, &fields.new.default) {
            (None, None) => return,
            (Some(old), Some(new)) if old.json.same_meaning(new.json) => return,
            (Some(_), Some(_)) => "changed",
            (None, Some(_)) => "gained",
            (Some(_), None) => "lost",
        };
        let shown = |default: &Option<Default<'_>>| {
            default.as_ref().map_or_else(|| "none".to_owned(), |default| default.json.shown())
        };
        let facts = Facts::none()
            .with(FactKey::Direction, direction)
            .with(FactKey::OldValue, shown(&fields.old.default))
            .with(FactKey::NewValue, shown(&fields.new.default));
        let span = |field: &Field<'_>| field.default.as_ref().map_or(field.name_span, |default| default.span);
        let at = self.at(Pair::new(Some((files.old, span(fields.old))), Some((files.new, span(fields.new)))));
        let draft = self.draft(ChangeKind::FieldDefaultChanged, trail.place(), at, facts);
        self.push(meeting, draft);
    }

    fn field_added(
        &mut self,
        meeting: usize,
        top: &Trail<'_>,
        (types, files): (Pair<TypeId>, Pair<FileId>),
        field: &Field<'b>,
        former: Option<&Field<'b>>,
    ) {
        let (default, reads_old) = match &field.default {
            Some(default) => (default.json.shown(), Outcome::Defaulted),
            None => ("none".to_owned(), Outcome::Fails),
        };
        let facts = Facts::none()
            .with(FactKey::NewType, spelled(self.schemas.new, field.schema.ty))
            .with(FactKey::Default, if field.default.is_some() { "yes" } else { "no" })
            .with(FactKey::NewValue, default)
            .with(FactKey::ReadsOld, reads_old.name())
            .with(FactKey::ReadsNew, Outcome::Safe.name());
        let old_name = self.schemas.old.name(types.old).map(|name| (self.schemas.old.ty(types.old).file, name.span));
        let at = self.at(Pair::new(old_name, Some((files.new, field.span))));
        let suggestion = match &field.default {
            None => self.alias_or_default(files.new, field, former),
            Some(_) => None,
        };
        let name = Some(&*field.name);
        let place = top.then(Step::Field(Pair::new(name, name))).place();
        let draft = Draft { suggestion, ..self.draft(ChangeKind::FieldAdded, place, at, facts) };
        self.push(meeting, draft);
    }

    fn field_removed(&mut self, meeting: usize, top: &Trail<'_>, file: FileId, field: &Field<'_>) {
        let (default, reads_new) = match &field.default {
            Some(default) => (default.json.shown(), Outcome::Defaulted),
            None => ("none".to_owned(), Outcome::Fails),
        };
        let facts = Facts::none()
            .with(FactKey::OldType, spelled(self.schemas.old, field.schema.ty))
            .with(FactKey::Default, if field.default.is_some() { "yes" } else { "no" })
            .with(FactKey::OldValue, default)
            .with(FactKey::ReadsOld, Outcome::Safe.name())
            .with(FactKey::ReadsNew, reads_new.name());
        let at = self.at(Pair::new(Some((file, field.span)), None));
        let name = Some(&*field.name);
        let place = top.then(Step::Field(Pair::new(name, name))).place();
        let draft = self.draft(ChangeKind::FieldRemoved, place, at, facts);
        self.push(meeting, draft);
    }

    fn enums(&mut self, meeting: usize, types: Pair<TypeId>, enums: Pair<&Enum<'_>>) {
        let place = self.found.pairs[meeting].place.clone();
        let known = enums.map(|of| of.symbols.iter().map(|(symbol, _)| &**symbol).collect::<FxHashSet<&str>>());
        let unknown = |reader: &Enum<'_>| if reader.default.is_some() { Outcome::Unrecognized } else { Outcome::Fails };
        let shown = |of: &Enum<'_>| match of.default {
            Some((index, _)) => {
                of.symbols.get(index as usize).map_or_else(String::new, |(symbol, _)| symbol.to_string())
            }
            None => "none".to_owned(),
        };
        let files = Pair::new(self.schemas.old.ty(types.old).file, self.schemas.new.ty(types.new).file);
        let names = Pair::new(
            self.schemas.old.name(types.old).map(|name| (files.old, name.span)),
            self.schemas.new.name(types.new).map(|name| (files.new, name.span)),
        );
        for (symbol, span) in enums.new.symbols.iter().filter(|(symbol, _)| !known.old.contains(&**symbol)) {
            let facts = Facts::none()
                .with(FactKey::NewName, &**symbol)
                .with(FactKey::OldValue, shown(enums.old))
                .with(FactKey::ReadsOld, Outcome::Safe.name())
                .with(FactKey::ReadsNew, unknown(enums.old).name());
            let at = self.at(Pair::new(names.old, Some((files.new, *span))));
            let draft = self.draft(ChangeKind::EnumValueAdded, place.symbol(symbol), at, facts);
            self.push(meeting, draft);
        }
        for (symbol, span) in enums.old.symbols.iter().filter(|(symbol, _)| !known.new.contains(&**symbol)) {
            let facts = Facts::none()
                .with(FactKey::OldName, &**symbol)
                .with(FactKey::NewValue, shown(enums.new))
                .with(FactKey::ReadsOld, unknown(enums.new).name())
                .with(FactKey::ReadsNew, Outcome::Safe.name());
            let at = self.at(Pair::new(Some((files.old, *span)), names.new));
            let draft = self.draft(ChangeKind::EnumValueRemoved, place.symbol(symbol), at, facts);
            self.push(meeting, draft);
        }
        self.enum_default(meeting, types, enums, enums.map(shown));
        let mut at_old = enums
            .new
            .symbols
            .iter()
            .filter_map(|(symbol, _)| enums.old.symbols.iter().position(|(other, _)| other == symbol));
        if known.old.len() < MOST_ORDERED && !at_old.by_ref().is_sorted() {
            self.order_changed(meeting, types, "symbols");
        }
    }

    fn enum_default(&mut self, meeting: usize, types: Pair<TypeId>, enums: Pair<&Enum<'_>>, shown: Pair<String>) {
        let direction = match (enums.old.default, enums.new.default) {
            _ if shown.old == shown.new => return,
            (None, _) => "gained",
            (_, None) => "lost",
            _ => "changed",
        };
        let facts = Facts::none()
            .with(FactKey::Direction, direction)
            .with(FactKey::OldValue, shown.old)
            .with(FactKey::NewValue, shown.new);
        let place = self.found.pairs[meeting].place.clone();
        let draft = self.draft(ChangeKind::EnumDefaultChanged, place, self.name_sites(types), facts);
        self.push(meeting, draft);
    }

    fn fixed(&mut self, meeting: usize, types: Pair<TypeId>, fixed: Pair<&Fixed>) {
        let place = self.found.pairs[meeting].place.clone();
        let files = Pair::new(self.schemas.old.ty(types.old).file, self.schemas.new.ty(types.new).file);
        let spans = Pair::new(fixed.old.size_span, fixed.new.size_span);
        if fixed.old.size != fixed.new.size {
            let facts = Facts::none()
                .with(FactKey::OldValue, fixed.old.size.to_string())
                .with(FactKey::NewValue, fixed.new.size.to_string());
            let at = self.at(Pair::new(Some((files.old, spans.old)), Some((files.new, spans.new))));
            let draft = self.draft(ChangeKind::FixedSizeChanged, place.clone(), at, facts);
            self.push(meeting, draft);
        }
        let uses = Pair::new(
            Use { ty: types.old, file: files.old, span: fixed.old.name.span },
            Use { ty: types.new, file: files.new, span: fixed.new.name.span },
        );
        self.logical_changed(meeting, &|| place.clone(), uses);
    }
}

/// The fields of a reader that want several written fields, or one that an earlier field wants as well.
fn disputed(reader: &Record<'_>, writer: &Record<'_>) -> Vec<usize> {
    if reader.fields.iter().all(|field| field.aliases.is_empty()) {
        return Vec::new();
    }
    let mut taken: FxHashSet<&str> = FxHashSet::default();
    let mut found = Vec::new();
    for (index, field) in reader.fields.iter().enumerate() {
        // A field that already had the alias and lived beside the other one goes on to do so.
        let own = writer.fields.iter().find(|written| written.name == field.name);
        let had = |alias: &str| own.is_some_and(|own| own.aliases.iter().any(|(known, _)| known == alias));
        let aliases = field.aliases.iter().map(|(alias, _)| &**alias).filter(|alias| !had(alias));
        let names = std::iter::once(&*field.name).chain(aliases);
        let wanted: FxHashSet<&str> =
            names.filter(|name| writer.fields.iter().any(|written| written.name == *name)).collect();
        if wanted.len() > 1 || wanted.iter().any(|name| taken.contains(name)) {
            found.push(index);
        }
        taken.extend(wanted);
    }
    found
}

/// The order of more symbols than this is not looked at.
const MOST_ORDERED: usize = 2000;

/// Whether a reader's field of another name finds the writer's.
fn is_found(reader: &Field<'_>, writer: &Field<'_>) -> bool {
    reader.aliases.iter().any(|(alias, _)| *alias == writer.name)
}
