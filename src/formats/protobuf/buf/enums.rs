//! Rules about enums, which pair by full name, and their values, which pair by number.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::{Pair, Span};
use crate::ordered::{OrderedMap, OrderedSet};

use super::super::ast::EnumValue;
use super::super::model::Enum;
use super::super::ranges::covers;
use super::image::{copies, simple};
use super::messages::Reserved;
use super::{Checker, Subject, options, quoted, quoted_list};

/// The values of each number.
type Numbers<'s, 'a> = OrderedMap<i64, Vec<&'s EnumValue<'a>>>;

impl<'s, 'a> Checker<'_, 's, 'a> {
    /// Enums that both sides have.
    pub(super) fn enums(&mut self) {
        let images = self.images;
        for old in &images.old.schema.enums {
            let all = images.old.enums.get(&*old.full_name).zip(images.new.enums.get(&*old.full_name));
            let is_first = |olds: &[&Enum<'_>]| olds.first().is_some_and(|first| std::ptr::eq(*first, old));
            let Some((olds, news)) = all.filter(|(olds, _)| is_first(olds)) else { continue };
            for enums in copies(images, Pair::new(olds, news), |one| one.file) {
                self.enumeration(enums);
            }
        }
    }

    fn enumeration(&mut self, enums: Pair<&'s Enum<'a>>) {
        let Pair { old, new } = enums;
        if old.is_closed != new.is_closed {
            let word = |one: &Enum<'_>| if one.is_closed { "closed" } else { "open" };
            let what = format!("changed from {} to {}", word(old), word(new));
            self.enum_feature("ENUM_SAME_TYPE", "enum_type", enums, &what);
        }
        if old.features.json_allow && !new.features.json_allow {
            let what = "JSON format support changed from ALLOW to LEGACY_BEST_EFFORT";
            self.enum_feature("ENUM_SAME_JSON_FORMAT", "json_format", enums, what);
        }
        if std::ptr::eq(old.ast, new.ast) {
            return;
        }
        let numbers = enums.map(numbers);
        for (number, values) in &numbers.old {
            match numbers.new.get(number) {
                Some(now) => self.same_names(enums, Pair::new(values, now)),
                None => self.value_deleted(enums, *number, values),
            }
        }
        let reserved = enums.map(|one| Reserved { ranges: &one.reserved, statements: &one.ast.reserved });
        let name = simple(&new.full_name);
        let whole = Pair::new((old.file, old.ast.span), (new.file, new.ast.span));
        self.reserved("RESERVED_ENUM_NO_DELETE", ("enum", name), &new.full_name, whole, reserved);
    }

    fn enum_feature(&mut self, rule: &'static str, feature: &str, enums: Pair<&Enum<'a>>, what: &str) {
        let span = |one: &Enum<'_>| options::feature_span(&one.ast.options, feature).unwrap_or(one.ast.span);
        let at =
            Pair::new(self.old_site(enums.old.file, span(enums.old)), self.new_site(enums.new.file, span(enums.new)));
        let message = format!("Enum {} {what}.", quoted(simple(&enums.new.full_name)));
        self.report(rule, at, Subject::Declared(enums.new.full_name.to_string()), message);
    }

    fn value_deleted(&mut self, enums: Pair<&Enum<'a>>, number: i64, values: &[&EnumValue<'a>]) {
        let Pair { old, new } = enums;
        let names = sorted_names(values);
        let number_reserved = i32::try_from(number).is_ok_and(|number| covers(&new.reserved, number));
        let plural = if names.len() > 1 { "s" } else { "" };
        let cases = [
            ("ENUM_VALUE_NO_DELETE", false, String::new()),
            (
                "ENUM_VALUE_NO_DELETE_UNLESS_NAME_RESERVED",
                names.iter().all(|name| self.reserved.have(&new.ast.reserved, name)),
                format!(" without reserving the name{plural} {}", quoted_list(names.iter().copied())),
            ),
            (
                "ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED",
                number_reserved,
                format!(" without reserving the number \"{number}\""),
            ),
        ];
        for (rule, _, suffix) in cases.into_iter().filter(|(_, allowed, _)| !allowed) {
            let of = quoted(simple(&new.full_name));
            let message = format!("Previously present enum value \"{number}\" on enum {of} was deleted{suffix}.");
            let at = Pair::new(self.old_site(old.file, old.ast.span), self.new_site(new.file, new.ast.span));
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let subject = Subject::EnumValue { of: new.full_name.to_string(), number, names };
            self.report(rule, at, subject, message);
        }
    }

    /// Every old name of a number must still be one.
    fn same_names(&mut self, enums: Pair<&Enum<'a>>, values: Pair<&Vec<&'s EnumValue<'a>>>) {
        let names = values.map(|values| sorted_names(values));
        if names.old.iter().all(|name| names.new.contains(name)) {
            return;
        }
        let plural = if names.old.len() > 1 && names.new.len() > 1 { "s" } else { "" };
        let lists = names.as_ref().map(|names| quoted_list(names.iter().copied()));
        let both: Arc<[String]> = names.old.union(&names.new).map(|name| (*name).to_owned()).collect();
        let mut before: FxHashMap<&str, Span> = FxHashMap::default();
        for old in values.old {
            before.entry(&old.name.text).or_insert(old.number_span);
        }
        for value in values.new {
            let span = before.get(&*value.name.text).copied();
            let at = Pair::new(
                self.old_site(enums.old.file, span.unwrap_or(enums.old.ast.span)),
                self.new_site(enums.new.file, value.number_span),
            );
            let message = format!(
                "Enum value \"{}\" on enum {} changed name{plural} from {} to {}.",
                value.number,
                quoted(simple(&enums.new.full_name)),
                lists.old,
                lists.new,
            );
            let subject =
                Subject::EnumValue { of: enums.new.full_name.to_string(), number: value.number, names: both.clone() };
            self.report("ENUM_VALUE_SAME_NAME", at, subject, message);
        }
    }
}

fn numbers<'s, 'a>(of: &'s Enum<'a>) -> Numbers<'s, 'a> {
    let mut numbers = Numbers::new();
    for value in &of.ast.values {
        numbers.entry(value.number).or_default().push(value);
    }
    numbers
}

fn sorted_names<'s>(values: &[&'s EnumValue<'_>]) -> OrderedSet<&'s str> {
    values.iter().map(|value| &*value.name.text).collect()
}
