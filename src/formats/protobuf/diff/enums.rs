//! Values of two paired enums.

use rustc_hash::FxHashMap;

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::{Direction, Outcome};
use crate::formats::frame::differ::{Draft, SAFE, yes};
use crate::formats::frame::ends;
use crate::formats::frame::meanings::Meaning;

use super::super::ast::EnumValue;
use super::super::model::{Enum, EnumId};
use super::super::pairing;
use super::super::ranges::{covers, in_order, range_text, uncovered};
use super::continued::enum_id;
use super::decided::setting;
use super::declared::Declared;
use super::messages::{Reserving, missing_names};
use super::state::{Differ, Reads};

/// The feature that says whether an enum is closed.
const ENUM_TYPE: &str = "enum_type";

type Names<'s, 'a> = FxHashMap<&'s str, &'s EnumValue<'a>>;

/// Two versions of one enum.
struct EnumPair<'s, 'a> {
    types: Pair<EnumId>,
    enums: Pair<&'s Enum<'a>>,
    container: String,
    path: String,
    replaced: bool,
    /// A name occurs once.
    by_name: Pair<Names<'s, 'a>>,
    by_number: Pair<Numbers<'s, 'a>>,
}

/// The values of each number, in the order in which the numbers first occur.
#[derive(Default)]
struct Numbers<'s, 'a> {
    values: Vec<(i64, Vec<&'s EnumValue<'a>>)>,
    index: FxHashMap<i64, usize>,
}

impl<'s, 'a> Numbers<'s, 'a> {
    fn of(values: &'s [EnumValue<'a>]) -> Self {
        let mut numbers = Numbers { values: Vec::new(), index: FxHashMap::default() };
        for value in values {
            let at = *numbers.index.entry(value.number).or_insert(numbers.values.len());
            if at == numbers.values.len() {
                numbers.values.push((value.number, Vec::new()));
            }
            numbers.values[at].1.push(value);
        }
        numbers
    }

    /// The values of a number.
    fn at(&self, number: i64) -> &[&'s EnumValue<'a>] {
        self.index.get(&number).and_then(|at| self.values.get(*at)).map_or(&[], |(_, values)| values)
    }
}

impl<'s, 'a> Differ<'s, 'a> {
    /// Compares two enums.
    pub(super) fn diff_enum(&mut self, types: Pair<EnumId>) {
        let schemas = self.schemas;
        let mut pair = EnumPair {
            types,
            enums: Pair::new(schemas.old.enumeration(types.old), schemas.new.enumeration(types.new)),
            container: pairing::enum_container(schemas, types),
            path: schemas.new.enumeration(types.new).full_name.to_string(),
            replaced: self.is_replaced_enum(types),
            by_name: Pair::default(),
            by_number: Pair::default(),
        };
        self.enum_openness(&pair);
        if std::ptr::eq(pair.enums.old.ast, pair.enums.new.ast) {
            return;
        }
        let values = pair.enums.map(|side| side.ast.values.as_slice());
        pair.by_name = values.map(by_name);
        pair.by_number = values.map(Numbers::of);
        self.enum_values(&pair);
        self.enum_default(&pair);
        if !pair.replaced {
            self.enum_reserved(&pair);
            let context = Declared {
                role: "enum",
                path: &pair.path,
                top_level: pair.enums.old.parent.is_none() && pair.enums.new.parent.is_none(),
                files: Pair::new(pair.enums.old.file, pair.enums.new.file),
                names: Pair::new(pair.enums.old.ast.name.span, pair.enums.new.ast.name.span),
            };
            self.moved(&context);
            self.visibility(&context, Pair::new(pair.enums.old.ast.visibility, pair.enums.new.ast.visibility));
            self.type_options(&context, Pair::new(&pair.enums.old.ast.options, &pair.enums.new.ast.options));
        }
    }

    fn enum_openness(&mut self, pair: &EnumPair<'s, 'a>) {
        let Pair { old, new } = pair.enums;
        if old.is_closed == new.is_closed {
            return;
        }
        let direction = if new.is_closed { "closed" } else { "opened" };
        let files = Pair::new(old.file, new.file);
        let own = pair.enums.map(|one| setting(&one.ast.options, ENUM_TYPE));
        let at = match own {
            Pair { old: None, new: None } => {
                let names = pair.enums.map(|one| one.ast.name.span);
                self.decided_at(files, names, (ENUM_TYPE, |side| side.old.enum_closed != side.new.enum_closed))
            }
            Pair { old: was, new: is } => Pair::new(
                self.old_site(files.old, was.unwrap_or(old.ast.name.span)),
                self.new_site(files.new, is.unwrap_or(new.ast.name.span)),
            ),
        };
        let draft = Draft::new(ChangeKind::EnumOpennessChanged, &*pair.path, pairing::enum_openness(&pair.container))
            .at(at)
            .fact(FactKey::Required, self.uses().named(pair.types))
            .fact(FactKey::Role, "enum")
            .fact(FactKey::Direction, direction);
        let unknown = |is_closed| if is_closed { Outcome::Unrecognized } else { Outcome::Safe };
        let reads = Pair::new(unknown(new.is_closed), unknown(old.is_closed));
        // Readers of JSON that reject such a number count.
        let json = reads.map(|outcome| if outcome == Outcome::Safe { outcome } else { Outcome::Fails });
        self.push(self.where_used(pair, Reads { wire: reads, json }).state(draft));
    }

    fn enum_default(&mut self, pair: &EnumPair<'s, 'a>) {
        let Pair { old, new } = pair.enums;
        // An enum without values is refused, and yet it is looked at: its default is 0.
        let (before, after) = (old.ast.values.first(), new.ast.values.first());
        let is_same_number = before.map_or(0, |value| value.number) == after.map_or(0, |value| value.number);
        if is_same_number || is_one_default(pair.enums) {
            return;
        }
        let name = |value: Option<&EnumValue<'_>>| match value {
            Some(value) => value.name.text.to_string(),
            None => "0".to_owned(),
        };
        let span = |value: Option<&EnumValue<'_>>, of: &Enum<'_>| value.map_or(of.ast.name.span, |value| value.span);
        let draft = Draft::new(ChangeKind::EnumDefaultChanged, &*pair.path, pairing::enum_default(&pair.container))
            .at(Pair::new(self.old_site(old.file, span(before, old)), self.new_site(new.file, span(after, new))))
            .fact(FactKey::OldValue, name(before))
            .fact(FactKey::NewValue, name(after));
        self.push(draft);
    }

    fn enum_values(&mut self, pair: &EnumPair<'s, 'a>) {
        for value in &pair.enums.old.ast.values {
            let now = pair.by_name.new.get(&*value.name.text).copied();
            if let Some(now) = now.filter(|now| now.number != value.number) {
                self.enum_value_renumbered(pair, Pair::new(value, now));
            }
        }
        let news = pair.by_number.new.values.iter().filter(|(number, _)| pair.by_number.old.at(*number).is_empty());
        for (number, _) in pair.by_number.old.values.iter().chain(news) {
            self.enum_number(pair, &Numbered::of(pair, *number));
        }
    }

    /// What became of a number, the names aside that moved here from another number or away to one.
    fn enum_number(&mut self, pair: &EnumPair<'s, 'a>, number: &Numbered<'_, 's, 'a>) {
        match (&number.staying.old[..], &number.staying.new[..]) {
            ([], []) => {}
            ([], [come, ..]) => self.enum_value_added(pair, number, come),
            ([gone, ..], []) => self.enum_value_removed(pair, number, gone),
            (old, new) if have_common_name(old, new) => self.enum_aliases(pair, number),
            ([gone, ..], [come, ..]) => self.enum_value_renamed(pair, number, Pair::new(*gone, *come)),
        }
    }

    fn value_draft(&self, kind: ChangeKind, pair: &EnumPair<'s, 'a>, name: &str, number: i64) -> Draft {
        let identity = pairing::by_number(&pair.container, i32::try_from(number).unwrap_or_default());
        Draft::new(kind, format!("{}.{name}", pair.path), identity)
            .fact(FactKey::Number, number.to_string())
            .fact(FactKey::Container, &*pair.path)
            .fact(FactKey::Replaced, yes(pair.replaced))
            .fact(FactKey::Required, self.uses().named(pair.types))
    }

    /// What readers experience of what became of a number. Fields without presence leave out zero, and where an enum took
    /// the place of another, it is known which fields hold it.
    fn number_reads(&self, pair: &EnumPair<'s, 'a>, at: &Numbered<'_, 's, 'a>) -> Reads {
        let mut reads = at.reads(pair);
        if pair.replaced && at.number == 0 {
            let shows = |direction| self.uses().shows_zero(pair.types, direction);
            let told = |outcome, direction| if shows(direction) { outcome } else { Outcome::Safe };
            reads.json = Pair::new(told(reads.json.old, Direction::Backward), told(reads.json.new, Direction::Forward));
        }
        self.where_used(pair, reads)
    }

    /// What readers experience of a number or a name that they do not know, in all fields that hold the enum.
    fn where_used(&self, pair: &EnumPair<'s, 'a>, reads: Reads) -> Reads {
        let uses = self.uses();
        let is_closed = Pair::new(pair.enums.new.is_closed, pair.enums.old.is_closed);
        let wire = |outcome, is_closed, direction| match is_closed {
            true => uses.dropped(pair.types, direction, outcome),
            false => outcome,
        };
        // JSON carries names, of open enums as of closed ones.
        let json = |outcome, direction| uses.dropped(pair.types, direction, outcome);
        let (backward, forward) = (Direction::Backward, Direction::Forward);
        Reads {
            wire: Pair::new(
                wire(reads.wire.old, is_closed.old, backward),
                wire(reads.wire.new, is_closed.new, forward),
            ),
            json: Pair::new(json(reads.json.old, backward), json(reads.json.new, forward)),
        }
    }

    fn enum_value_removed(&mut self, pair: &EnumPair<'s, 'a>, at: &Numbered<'_, 's, 'a>, value: &'s EnumValue<'a>) {
        let Pair { old, new } = pair.enums;
        let number = i32::try_from(value.number).unwrap_or_default();
        let taken = !at.all.new.is_empty();
        let number_reserved = if taken { "taken" } else { yes(covers(&new.reserved, number)) };
        let name_reserved = self.own.reserved.have(&new.ast.reserved, &value.name.text);
        let missing_number = (number_reserved == "no").then_some(number);
        let missing_name = (!name_reserved).then_some(&*value.name.text);
        let suggestion = (!pair.replaced && !taken)
            .then(|| self.own.bodies.reserve_in_enum(self.schemas.new, new, missing_number, missing_name))
            .flatten();
        let draft = self
            .value_draft(ChangeKind::EnumValueRemoved, pair, &value.name.text, value.number)
            .at(Pair::new(self.old_site(old.file, value.span), None))
            .fact(FactKey::OldName, &*value.name.text)
            .fact(FactKey::NumberReserved, number_reserved)
            .fact(FactKey::NameReserved, yes(name_reserved))
            .suggest(suggestion);
        self.push(self.number_reads(pair, at).state(draft));
    }

    fn enum_value_added(&mut self, pair: &EnumPair<'s, 'a>, at: &Numbered<'_, 's, 'a>, value: &'s EnumValue<'a>) {
        let was = covers(&pair.enums.old.reserved, i32::try_from(value.number).unwrap_or_default());
        let taken = !at.all.old.is_empty();
        let draft = self
            .value_draft(ChangeKind::EnumValueAdded, pair, &value.name.text, value.number)
            .at(Pair::new(None, self.new_site(pair.enums.new.file, value.span)))
            .fact(FactKey::NewName, &*value.name.text)
            .fact(
                FactKey::NumberWas,
                if taken {
                    "used"
                } else if was {
                    "reserved"
                } else {
                    "free"
                },
            );
        self.push(self.number_reads(pair, at).state(draft));
    }

    fn enum_value_renamed(&mut self, pair: &EnumPair<'s, 'a>, at: &Numbered<'_, 's, 'a>, values: Pair<&EnumValue<'a>>) {
        let Pair { old, new } = values;
        let draft = self
            .value_draft(ChangeKind::EnumValueRenamed, pair, &new.name.text, new.number)
            .at(Pair::new(
                self.old_site(pair.enums.old.file, old.name.span),
                self.new_site(pair.enums.new.file, new.name.span),
            ))
            .fact(FactKey::OldName, &*old.name.text)
            .fact(FactKey::NewName, &*new.name.text);
        let meaning = at.meaning(pair);
        let reads = self.number_reads(pair, at);
        let wire = if meaning == Meaning::Renamed { reads.wire } else { self.misread(pair, at.number) };
        self.push(Reads { wire, ..reads }.state(draft.fact(FactKey::Direction, meaning.name())));
    }

    /// What readers see of a number that means something else. Where an enum took the place of another, it is known which fields
    /// hold it: zero is not there where a field has no presence, and then nothing was said, whatever nothing is called.
    fn misread(&self, pair: &EnumPair<'s, 'a>, number: i64) -> Pair<Outcome> {
        let is_there = number != 0 || !pair.replaced;
        let shows = |direction| is_there || self.uses().shows_zero(pair.types, direction);
        let told = |direction| if shows(direction) { Outcome::Wrong } else { Outcome::Safe };
        Pair::new(told(Direction::Backward), told(Direction::Forward))
    }

    fn enum_value_renumbered(&mut self, pair: &EnumPair<'s, 'a>, values: Pair<&EnumValue<'a>>) {
        let Pair { old, new } = values;
        let numbers = Pair::new(old.number, new.number);
        let by_number = pair.by_number.as_ref();
        let wire =
            Pair::new(renumbered_reads(by_number, numbers), renumbered_reads(by_number.mirrored(), numbers.mirrored()));
        let is_used = |numbers: &Numbers<'_, '_>, number| if numbers.at(number).is_empty() { "free" } else { "used" };
        let sides = pair.enums.zip(numbers, |of, number| {
            (number.into(), of.ast.values.iter().map(|value| (&*value.name.text, value.number.into())))
        });
        let mut draft = self
            .value_draft(ChangeKind::EnumValueRenumbered, pair, &new.name.text, new.number)
            .at(Pair::new(
                self.old_site(pair.enums.old.file, old.number_span),
                self.new_site(pair.enums.new.file, new.number_span),
            ))
            .fact(FactKey::OldNumber, old.number.to_string())
            .fact(FactKey::NewNumber, new.number.to_string())
            .fact(FactKey::Direction, ends::direction(&new.name.text, sides, wire))
            .fact(FactKey::NumberNow, is_used(&pair.by_number.new, old.number))
            .fact(FactKey::NumberWas, is_used(&pair.by_number.old, new.number));
        draft.identity = pairing::by_name(&pair.container, &new.name.text);
        let json = if is_misread_when_absent(pair, numbers) { Outcome::Wrong } else { Outcome::Safe };
        self.push(self.where_used(pair, Reads { wire, json: Pair::new(json, json) }).state(draft));
    }

    /// The number keeps a name; what of its other names?
    fn enum_aliases(&mut self, pair: &EnumPair<'s, 'a>, at: &Numbered<'_, 's, 'a>) {
        let reads = at.reads(pair).json;
        let is_first = |side: &[&EnumValue<'_>], value: &EnumValue<'_>| {
            side.first().is_some_and(|first| first.name.text == value.name.text)
        };
        let lacks = |side: &[&EnumValue<'_>], name: &str| !side.iter().any(|value| value.name.text == name);
        // JSON writers use the first name of a number; readers know all of them.
        for value in at.staying.old.iter().filter(|value| lacks(&at.staying.new, &value.name.text)) {
            let json = if is_first(at.all.old, value) { reads.old } else { Outcome::Safe };
            let draft = self
                .value_draft(ChangeKind::EnumAliasChanged, pair, &value.name.text, value.number)
                .at(Pair::new(self.old_site(pair.enums.old.file, value.span), None))
                .fact(FactKey::Direction, "removed");
            let json = self.where_used(pair, Reads { wire: SAFE, json: Pair::new(json, Outcome::Safe) }).json;
            self.push(named_only(draft, value, json));
        }
        for value in at.staying.new.iter().filter(|value| lacks(&at.staying.old, &value.name.text)) {
            let json = if is_first(at.all.new, value) { reads.new } else { Outcome::Safe };
            let draft = self
                .value_draft(ChangeKind::EnumAliasChanged, pair, &value.name.text, value.number)
                .at(Pair::new(None, self.new_site(pair.enums.new.file, value.span)))
                .fact(FactKey::Direction, "added");
            let json = self.where_used(pair, Reads { wire: SAFE, json: Pair::new(Outcome::Safe, json) }).json;
            self.push(named_only(draft, value, json));
        }
    }

    fn enum_reserved(&mut self, pair: &EnumPair<'s, 'a>) {
        let Pair { old, new } = pair.enums;
        let number = |value: &EnumValue<'_>| i32::try_from(value.number).unwrap_or_default();
        let used = new.ast.values.iter().map(|value| (number(value), number(value)));
        let guards = in_order(new.reserved.iter().copied().chain(used));
        let freed: Vec<_> = old.reserved.iter().flat_map(|range| uncovered(*range, &guards)).collect();
        let context = Reserving {
            kind: "enum",
            path: &pair.path,
            files: Pair::new(old.file, new.file),
            reserved: Pair::new(&old.ast.reserved, &new.ast.reserved),
            new_name: new.ast.name.span,
        };
        for range in freed {
            let text = range_text(range, i32::MAX);
            let suggestion = self.own.bodies.reserve_range_in_enum(self.schemas.new, new, &text);
            self.reserved_number_removed(&context, &text, suggestion);
        }
        for (name, span) in missing_names(&old.ast.reserved, &new.ast.reserved) {
            let is_used = pair.by_name.new.contains_key(name.as_str());
            let reserve = || self.own.bodies.reserve_in_enum(self.schemas.new, new, None, Some(&name));
            let suggestion = (!is_used).then(reserve).flatten();
            self.reserved_name_removed(&context, (&name, span), suggestion);
        }
        let removed = old.ast.values.iter().map(|value| (number(value), number(value)));
        let known = in_order(old.reserved.iter().copied().chain(removed));
        let added = new.reserved.iter().flat_map(|range| uncovered(*range, &known));
        let mut added: Vec<String> = added.map(|range| range_text(range, i32::MAX)).collect();
        let names = missing_names(&new.ast.reserved, &old.ast.reserved).into_iter().map(|(name, _)| name);
        added.extend(names.filter(|name| !pair.by_name.old.contains_key(name.as_str())));
        self.reserved_added(&context, &added);
    }

    /// Enums without a counterpart.
    pub(super) fn leftover_enums(&mut self) {
        let schemas = self.schemas;
        for (index, old) in schemas.old.enums.iter().enumerate() {
            let parent_gone = old.parent.is_some_and(|parent| !self.declared.has_old(parent));
            if self.declared_enums.has_old(enum_id(index)) || parent_gone || schemas.old.file(old.file).is_builtin {
                continue;
            }
            let package = &schemas.old.file(old.file).package;
            let is_last = !schemas.new.files.iter().any(|file| file.package == *package && !file.enums.is_empty());
            let site = self.old_site(old.file, old.ast.name.span);
            self.type_removed((ChangeKind::EnumRemoved, "enum", old.parent.is_some()), &old.full_name, site, is_last);
        }
        for (index, new) in schemas.new.enums.iter().enumerate() {
            let parent_new = new.parent.is_some_and(|parent| !self.declared.has_new(parent));
            if self.declared_enums.has_new(enum_id(index)) || parent_new || schemas.new.file(new.file).is_builtin {
                continue;
            }
            let site = self.new_site(new.file, new.ast.name.span);
            self.type_added(ChangeKind::EnumAdded, &new.full_name, site);
        }
    }
}

/// Whether the numbers that two enums begin with have a name in common: absence means the same then.
fn is_one_default(enums: Pair<&Enum<'_>>) -> bool {
    let names = enums.map(|of| {
        let first = of.ast.values.first().map(|value| value.number);
        of.ast.values.iter().filter(move |value| Some(value.number) == first).map(|value| &*value.name.text)
    });
    let Pair { mut old, new } = names;
    let new: Vec<&str> = new.collect();
    old.any(|name| new.contains(&name))
}

/// A number and its names on both sides.
struct Numbered<'m, 's, 'a> {
    number: i64,
    /// Every name.
    all: Pair<&'m [&'s EnumValue<'a>]>,
    /// The names that do not sit at another number on the other side.
    staying: Pair<Vec<&'s EnumValue<'a>>>,
}

impl<'m, 's, 'a> Numbered<'m, 's, 'a> {
    fn of(pair: &'m EnumPair<'s, 'a>, number: i64) -> Self {
        let all = Pair::new(pair.by_number.old.at(number), pair.by_number.new.at(number));
        let stays = |values: &[&'s EnumValue<'a>], others: &Names<'_, '_>| -> Vec<&'s EnumValue<'a>> {
            values.iter().copied().filter(|value| !is_moved(value, others)).collect()
        };
        let staying = Pair::new(stays(all.old, &pair.by_name.new), stays(all.new, &pair.by_name.old));
        Self { number, all, staying }
    }

    /// What the number means to the one side and to the other.
    fn meaning(&self, pair: &EnumPair<'_, '_>) -> Meaning {
        let names = self.all.map(|values| values.iter().map(|value| &*value.name.text).collect::<Vec<_>>());
        let called = pair.enums.map(Enum::called);
        Meaning::of(called, names.as_ref().map(Vec::as_slice), self.number.into(), pair.replaced)
    }

    /// What is seen of the number itself. What becomes of a name that moved is told at that name.
    fn reads(&self, pair: &EnumPair<'_, '_>) -> Reads {
        let wire = |written: &[&EnumValue<'_>], read: &[&EnumValue<'_>], others: &Names<'_, '_>| {
            let is_told_elsewhere = written.iter().any(|value| is_moved(value, others));
            match read.is_empty() && !written.is_empty() && !is_told_elsewhere {
                true => Outcome::Unrecognized,
                false => Outcome::Safe,
            }
        };
        let json = |written: &[&EnumValue<'_>], readers: &Names<'_, '_>, shared: &[&EnumValue<'_>]| match written {
            // The reader drops a name it does not know; whether it knows the number makes the difference.
            [first, ..] if !readers.contains_key(&*first.name.text) => match shared.is_empty() {
                true => Outcome::Unrecognized,
                false => Outcome::Lossy,
            },
            _ => Outcome::Safe,
        };
        let Pair { old, new } = &pair.by_name;
        let Pair { old: olds, new: news } = self.all;
        Reads {
            wire: Pair::new(wire(olds, news, new), wire(news, olds, old)),
            json: Pair::new(json(olds, new, &self.staying.new), json(news, old, &self.staying.old)),
        }
    }
}

fn named_only(draft: Draft, value: &EnumValue<'_>, json: Pair<Outcome>) -> Draft {
    draft
        .fact(FactKey::Name, &*value.name.text)
        .fact(FactKey::JsonReadsOld, json.old.name())
        .fact(FactKey::JsonReadsNew, json.new.name())
}

/// What the reader (`new`) sees of a name that sits at other numbers. A number that keeps a name means the same to both.
fn renumbered_reads(sides: Pair<&Numbers<'_, '_>>, numbers: Pair<i64>) -> Outcome {
    let names = |number| (sides.old.at(number), sides.new.at(number));
    let left = match names(numbers.old) {
        (written, read) if have_common_name(written, read) => Outcome::Safe,
        (_, []) => Outcome::Lossy,
        _ => Outcome::Wrong,
    };
    let taken = match names(numbers.new) {
        ([], _) => Outcome::Safe,
        (written, read) if have_common_name(written, read) => Outcome::Safe,
        _ => Outcome::Wrong,
    };
    left.max(taken)
}

/// JSON carries names, but a writer may leave the default out, and the reader fills in its own. Where the defaults are
/// different numbers, that is a change of its own.
fn is_misread_when_absent(pair: &EnumPair<'_, '_>, numbers: Pair<i64>) -> bool {
    let firsts = pair.enums.map(|side| side.ast.values.first());
    let (Some(meant), Some(shown)) = (firsts.old, firsts.new) else { return false };
    let default = meant.number;
    default == shown.number
        && (numbers.old == default || numbers.new == default)
        && !have_common_name(pair.by_number.old.at(default), pair.by_number.new.at(default))
}

fn have_common_name(old: &[&EnumValue<'_>], new: &[&EnumValue<'_>]) -> bool {
    old.iter().any(|value| new.iter().any(|other| other.name.text == value.name.text))
}

/// Whether the name sits at another number among the others.
fn is_moved(value: &EnumValue<'_>, others: &Names<'_, '_>) -> bool {
    others.get(&*value.name.text).is_some_and(|other| other.number != value.number)
}

fn by_name<'s, 'a>(values: &'s [EnumValue<'a>]) -> Names<'s, 'a> {
    let mut names = Names::default();
    for value in values {
        names.entry(&value.name.text).or_insert(value);
    }
    names
}
