//! Values of two paired enums.

use rustc_hash::FxHashMap;

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;

use super::super::ast::EnumValue;
use super::super::fix;
use super::super::model::{Enum, EnumId};
use super::super::pairing;
use super::messages::{Declared, Reserving, enum_id, missing_names};
use super::{Differ, Draft, Reads, covers, range_text, uncovered, yes};

/// Two versions of one enum.
struct EnumPair<'s, 'a> {
    enums: Pair<&'s Enum<'a>>,
    container: String,
    path: String,
    replaced: bool,
    /// A name occurs once.
    by_name: Pair<FxHashMap<&'s str, &'s EnumValue<'a>>>,
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
        let draft = Draft::new(ChangeKind::EnumOpennessChanged, &*pair.path, pairing::enum_openness(&pair.container))
            .at(Pair::new(self.old_site(old.file, old.ast.name.span), self.new_site(new.file, new.ast.name.span)))
            .fact(FactKey::Direction, direction);
        self.push(draft);
    }

    fn enum_default(&mut self, pair: &EnumPair<'s, 'a>) {
        let Pair { old, new } = pair.enums;
        let (Some(before), Some(after)) = (old.ast.values.first(), new.ast.values.first()) else { return };
        if before.number == after.number {
            return;
        }
        let draft = Draft::new(ChangeKind::EnumDefaultChanged, &*pair.path, pairing::enum_default(&pair.container))
            .at(Pair::new(self.old_site(old.file, before.span), self.new_site(new.file, after.span)))
            .fact(FactKey::OldValue, &*before.name.text)
            .fact(FactKey::NewValue, &*after.name.text);
        self.push(draft);
    }

    fn enum_values(&mut self, pair: &EnumPair<'s, 'a>) {
        let Pair { old: olds, new: news } = &pair.by_number;
        for (number, values) in &olds.values {
            self.enum_number(pair, Pair::new(values, news.at(*number)));
        }
        for (number, values) in &news.values {
            let was_used = !olds.at(*number).is_empty();
            for value in values {
                let moved_here = pair.by_name.old.contains_key(&*value.name.text);
                let renamed = was_used && !moved_here;
                let is_continued = renamed && self.is_continued(pair, *number);
                if !moved_here && !is_continued {
                    self.enum_value_added(pair, value);
                    break;
                }
            }
        }
    }

    /// Whether the values of a number on the two sides are one value, perhaps under another name.
    fn is_continued(&self, pair: &EnumPair<'s, 'a>, number: i64) -> bool {
        let stays = |value: &EnumValue<'_>, others: &FxHashMap<&str, &EnumValue<'_>>| {
            others.get(&*value.name.text).is_none_or(|other| other.number == number)
        };
        let Pair { old, new } = &pair.by_name;
        pair.by_number.old.at(number).iter().any(|value| stays(value, new))
            && pair.by_number.new.at(number).iter().any(|value| stays(value, old))
    }

    fn enum_number(&mut self, pair: &EnumPair<'s, 'a>, values: Pair<&[&'s EnumValue<'a>]>) {
        let keeps = |value: &EnumValue<'_>| {
            pair.by_name.new.get(&*value.name.text).is_some_and(|now| now.number == value.number)
        };
        let common = values.old.iter().any(|value| keeps(value));
        if common {
            self.enum_aliases(pair, values);
            return;
        }
        let mut moved = false;
        for value in values.old {
            if let Some(now) = pair.by_name.new.get(&*value.name.text) {
                self.enum_value_renumbered(pair, Pair::new(value, now));
                moved = true;
            }
        }
        if moved {
            return;
        }
        let [first, ..] = values.old else { return };
        let newcomer = values.new.iter().find(|now| !pair.by_name.old.contains_key(&*now.name.text));
        match newcomer {
            Some(now) => self.enum_value_renamed(pair, Pair::new(first, now)),
            None => self.enum_value_removed(pair, first, !values.new.is_empty()),
        }
    }

    fn value_draft(&self, kind: ChangeKind, pair: &EnumPair<'s, 'a>, name: &str, number: i64) -> Draft {
        let identity = pairing::by_number(&pair.container, i32::try_from(number).unwrap_or_default());
        Draft::new(kind, format!("{}.{name}", pair.path), identity)
            .fact(FactKey::Number, number.to_string())
            .fact(FactKey::Container, &*pair.path)
            .fact(FactKey::Replaced, yes(pair.replaced))
    }

    fn enum_value_removed(&mut self, pair: &EnumPair<'s, 'a>, value: &'s EnumValue<'a>, taken: bool) {
        let Pair { old, new } = pair.enums;
        let number = i32::try_from(value.number).unwrap_or_default();
        let number_reserved = if taken { "taken" } else { yes(covers(&new.reserved, number)) };
        let name_reserved = new
            .ast
            .reserved
            .iter()
            .any(|statement| statement.names.iter().any(|entry| entry.name.text == value.name.text));
        let missing_number = (number_reserved == "no").then_some(number);
        let missing_name = (!name_reserved).then_some(&*value.name.text);
        let suggestion = (!pair.replaced && !taken)
            .then(|| fix::reserve_in_enum(self.schemas.new, new, missing_number, missing_name))
            .flatten();
        let draft = self
            .value_draft(ChangeKind::EnumValueRemoved, pair, &value.name.text, value.number)
            .at(Pair::new(self.old_site(old.file, value.span), None))
            .fact(FactKey::OldName, &*value.name.text)
            .fact(FactKey::NumberReserved, number_reserved)
            .fact(FactKey::NameReserved, yes(name_reserved))
            .suggest(suggestion);
        // What another value makes of a number it took is told at that value.
        let wire = if taken { Outcome::Safe } else { Outcome::Unrecognized };
        let json = Pair::new(Outcome::Unrecognized, Outcome::Safe);
        let reads = Reads { wire: Pair::new(wire, Outcome::Safe), json };
        self.push(reads.state(draft));
    }

    fn enum_value_added(&mut self, pair: &EnumPair<'s, 'a>, value: &'s EnumValue<'a>) {
        let was = covers(&pair.enums.old.reserved, i32::try_from(value.number).unwrap_or_default());
        // A number that another value left: what old readers see then is told at that value.
        let taken = !pair.by_number.old.at(value.number).is_empty();
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
        let wire = if taken { Outcome::Safe } else { Outcome::Unrecognized };
        let json = Pair::new(Outcome::Safe, Outcome::Unrecognized);
        let reads = Reads { wire: Pair::new(Outcome::Safe, wire), json };
        self.push(reads.state(draft));
    }

    fn enum_value_renamed(&mut self, pair: &EnumPair<'s, 'a>, values: Pair<&EnumValue<'a>>) {
        let Pair { old, new } = values;
        let draft = self
            .value_draft(ChangeKind::EnumValueRenamed, pair, &new.name.text, new.number)
            .at(Pair::new(
                self.old_site(pair.enums.old.file, old.name.span),
                self.new_site(pair.enums.new.file, new.name.span),
            ))
            .fact(FactKey::OldName, &*old.name.text)
            .fact(FactKey::NewName, &*new.name.text);
        self.push(draft);
    }

    fn enum_value_renumbered(&mut self, pair: &EnumPair<'s, 'a>, values: Pair<&EnumValue<'a>>) {
        let Pair { old, new } = values;
        let reads = |taken: bool| if taken { Outcome::Wrong } else { Outcome::Lossy };
        let taken_now = !pair.by_number.new.at(old.number).is_empty();
        let taken_before = !pair.by_number.old.at(new.number).is_empty();
        let mut draft = self
            .value_draft(ChangeKind::EnumValueRenumbered, pair, &new.name.text, new.number)
            .at(Pair::new(
                self.old_site(pair.enums.old.file, old.number_span),
                self.new_site(pair.enums.new.file, new.number_span),
            ))
            .fact(FactKey::OldNumber, old.number.to_string())
            .fact(FactKey::NewNumber, new.number.to_string())
            .fact(FactKey::Direction, if taken_now || taken_before { "swapped" } else { "moved" })
            .fact(FactKey::NumberNow, if taken_now { "used" } else { "free" })
            .fact(FactKey::NumberWas, if taken_before { "used" } else { "free" });
        draft.identity = pairing::by_name(&pair.container, &new.name.text);
        // JSON carries names, but a writer leaves the value 0 out, and the reader fills in what is 0 there.
        let is_default = old.number == 0 || new.number == 0;
        // Of several names of a number it writes the first.
        let writes = |values: &[EnumValue<'_>], value: &EnumValue<'_>| {
            values
                .iter()
                .find(|other| other.number == value.number)
                .is_some_and(|first| first.name.text == value.name.text)
        };
        let is_written = writes(&pair.enums.old.ast.values, old) && writes(&pair.enums.new.ast.values, new);
        let json = if is_default || !is_written { Outcome::Wrong } else { Outcome::Safe };
        let wire = reads(taken_now || taken_before);
        self.push(Reads { wire: Pair::new(wire, wire), json: Pair::new(json, json) }.state(draft));
    }

    /// The number keeps a name; what of its other names?
    fn enum_aliases(&mut self, pair: &EnumPair<'s, 'a>, values: Pair<&[&'s EnumValue<'a>]>) {
        let lacks = |side: &FxHashMap<&str, &EnumValue<'_>>, value: &EnumValue<'_>| {
            side.get(&*value.name.text).is_none_or(|same| same.number != value.number)
        };
        // JSON writers use the first name of a number; readers know all of them.
        let reads = |writer: &[&EnumValue<'_>], reader: &FxHashMap<&str, &EnumValue<'_>>| match writer.first() {
            Some(first) if lacks(reader, first) => Outcome::Lossy,
            _ => Outcome::Safe,
        };
        let json = Pair::new(reads(values.old, &pair.by_name.new), reads(values.new, &pair.by_name.old));
        let gone = values.old.iter().filter(|value| lacks(&pair.by_name.new, value)).map(|value| (*value, "removed"));
        let come = values.new.iter().filter(|value| lacks(&pair.by_name.old, value)).map(|value| (*value, "added"));
        let differences: Vec<_> = gone.chain(come).collect();
        for (value, direction) in differences {
            let removed = direction == "removed";
            if let Some(now) = pair.by_name.new.get(&*value.name.text).copied().filter(|_| removed) {
                // The name went on to another number, while this one keeps another name.
                self.enum_value_renumbered(pair, Pair::new(value, now));
                continue;
            }
            let old = removed.then(|| self.old_site(pair.enums.old.file, value.span)).flatten();
            let new = (!removed).then(|| self.new_site(pair.enums.new.file, value.span)).flatten();
            let draft = self
                .value_draft(ChangeKind::EnumAliasChanged, pair, &value.name.text, value.number)
                .at(Pair::new(old, new))
                .fact(FactKey::Name, &*value.name.text)
                .fact(FactKey::Direction, direction)
                .fact(FactKey::JsonReadsOld, json.old.name())
                .fact(FactKey::JsonReadsNew, json.new.name());
            self.push(draft);
        }
    }

    fn enum_reserved(&mut self, pair: &EnumPair<'s, 'a>) {
        let Pair { old, new } = pair.enums;
        let number = |value: &EnumValue<'_>| i32::try_from(value.number).unwrap_or_default();
        let used = new.ast.values.iter().map(|value| (number(value), number(value)));
        let guards: Vec<_> = new.reserved.iter().copied().chain(used).collect();
        let freed: Vec<_> = old.reserved.iter().flat_map(|range| uncovered(*range, guards.iter().copied())).collect();
        let context = Reserving {
            kind: "enum",
            path: &pair.path,
            files: Pair::new(old.file, new.file),
            reserved: Pair::new(&old.ast.reserved, &new.ast.reserved),
            new_name: new.ast.name.span,
        };
        for range in freed {
            let text = range_text(range, i32::MAX);
            let suggestion = fix::reserve_range_in_enum(self.schemas.new, new, &text);
            self.reserved_number_removed(&context, &text, suggestion);
        }
        for name in missing_names(&old.ast.reserved, &new.ast.reserved) {
            let suggestion = fix::reserve_in_enum(self.schemas.new, new, None, Some(&name));
            self.reserved_name_removed(&context, &name, suggestion);
        }
        let removed = old.ast.values.iter().map(|value| (number(value), number(value)));
        let known: Vec<_> = old.reserved.iter().copied().chain(removed).collect();
        let added = new.reserved.iter().flat_map(|range| uncovered(*range, known.iter().copied()));
        let mut added: Vec<String> = added.map(|range| range_text(range, i32::MAX)).collect();
        let gone = |name: &String| !pair.by_name.old.contains_key(name.as_str());
        added.extend(missing_names(&new.ast.reserved, &old.ast.reserved).into_iter().filter(gone));
        self.reserved_added(&context, &added);
    }

    /// Enums without a counterpart.
    pub(super) fn leftover_enums(&mut self) {
        let schemas = self.schemas;
        for (index, old) in schemas.old.enums.iter().enumerate() {
            let parent_gone = old.parent.is_some_and(|parent| !self.declared.old.contains(&parent));
            if self.declared_enums.old.contains(&enum_id(index)) || parent_gone || schemas.old.file(old.file).is_builtin
            {
                continue;
            }
            let package = &schemas.old.file(old.file).package;
            let is_last = !schemas.new.files.iter().any(|file| file.package == *package && !file.enums.is_empty());
            let site = self.old_site(old.file, old.ast.name.span);
            self.type_removed((ChangeKind::EnumRemoved, "enum", old.parent.is_some()), &old.full_name, site, is_last);
        }
        for (index, new) in schemas.new.enums.iter().enumerate() {
            let parent_new = new.parent.is_some_and(|parent| !self.declared.new.contains(&parent));
            if self.declared_enums.new.contains(&enum_id(index)) || parent_new || schemas.new.file(new.file).is_builtin
            {
                continue;
            }
            let site = self.new_site(new.file, new.ast.name.span);
            self.type_added(ChangeKind::EnumAdded, &new.full_name, site);
        }
    }
}

fn by_name<'s, 'a>(values: &'s [EnumValue<'a>]) -> FxHashMap<&'s str, &'s EnumValue<'a>> {
    let mut names: FxHashMap<&str, &EnumValue<'_>> = FxHashMap::default();
    for value in values {
        names.entry(&value.name.text).or_insert(value);
    }
    names
}
