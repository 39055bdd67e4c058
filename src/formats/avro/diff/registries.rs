//! Tells each change what the registries' checker makes of it.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::{Identity, PeerReport, Side};
use crate::evidence::Direction;
use crate::formats::frame::peers::{self, Report, Where};
use crate::ordered::OrderedMap;
use crate::parallel::with_deep_stack;

use super::super::print;
use super::super::registry::{Checker, Incompatibility, Printed};
use super::*;

impl Differ<'_, '_> {
    /// Runs the checker in both directions over everything that data starts from. What it reports of a place goes to the
    /// change of that place.
    pub(super) fn say_what_registries_say(&mut self) {
        for (reader, direction, fact) in [
            (Side::New, Direction::Backward, FactKey::PeerReadsOld),
            (Side::Old, Direction::Forward, FactKey::PeerReadsNew),
        ] {
            let found = self.refused(reader);
            if found.is_empty() {
                continue;
            }
            let mut causes: FxHashMap<Identity, usize> = FxHashMap::default();
            for (index, change) in self.found.changes.iter().enumerate() {
                let known = causes.entry(change.identity.clone()).or_insert(index);
                if cause(change) < cause(&self.found.changes[*known]) {
                    *known = index;
                }
            }
            let cause_of = |identity: &Identity| {
                std::iter::successors(Some(identity.clone()), around).find_map(|one| causes.get(&one).copied())
            };
            // Of what nobody looked at it is not known what readers take of it.
            let is_whole = !self.found.changes.iter().any(|change| change.left_out.unknown);
            let found = found.into_iter().map(|(told, at)| (cause_of(&told.0), told, at));
            let found = found.filter(|(cause, ..)| is_whole || cause.is_some());
            let report = |(cause, (identity, printed), at): (Option<usize>, (Identity, Printed), Where)| {
                let path = identity.0.replace(['#', '='], ".");
                Report { cause, identity, path, at: at.clone(), says: (printed, at) }
            };
            let state_types = peers::state_checks(fact);
            let told = RefCell::default();
            peers::tell(&mut self.found.changes, found.map(report), |change, says| {
                state_types(change, says.iter().map(|(printed, _)| printed.kind).collect());
                if change.kind == ChangeKind::PeerRefused {
                    state_reason(change, direction, &says[0].0);
                }
                let printed = says.into_iter().map(|(Printed { kind, message, pointer }, at)| PeerReport {
                    tool: "avro",
                    id: kind,
                    at: at.into(),
                    message: words(&message, &mut told.borrow_mut()),
                    direction: Some(direction),
                    pointer: Some(pointer.to_string()),
                });
                change.reports.extend(printed);
            });
        }
        if self.is_cut {
            let is_replaced = |change: &&mut Change| change.facts.get(FactKey::Replaced) == Some("yes");
            if let Some(change) = self.found.changes.iter_mut().find(is_replaced) {
                change.left_out.unknown = true;
            }
        }
    }

    /// What a reader refuses, each once, and where the types stand that hold it.
    fn refused(&mut self, reader: Side) -> OrderedMap<(Identity, Printed), Where> {
        let asked = Asked { schemas: self.schemas, meetings: &self.found.pairs, starts: &self.starts, reader };
        let is_large = self.schemas.old.types.len() + self.schemas.new.types.len() > LARGE;
        // The checker goes as deep as types hold each other.
        let (refused, is_whole) = match is_large {
            true => with_deep_stack(|| asked.refused()).unwrap_or_default(),
            false => asked.refused(),
        };
        if !is_whole {
            self.is_cut = true;
        }
        refused
    }
}

/// Types of both sides up to which the stack that there is is large enough, whatever holds what.
const LARGE: usize = 200;

/// What the checker is asked.
struct Asked<'d, 's, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    meetings: &'d [Meeting],
    starts: &'d [usize],
    reader: Side,
}

impl Asked<'_, '_, '_> {
    /// What is refused, and whether that is all.
    fn refused(&self) -> (OrderedMap<(Identity, Printed), Where>, bool) {
        let mut checker = Checker::new(self.schemas, self.reader);
        let mut found = OrderedMap::new();
        for start in self.starts {
            let meeting = &self.meetings[*start];
            let Place(names) = &meeting.place;
            let trail = Trail::top(Pair::new(&*names.old, &*names.new));
            let reported = checker.check(&trail, meeting.types);
            // Of a schema that is the same no registry asks.
            if reported.is_empty() || self.is_same_schema(meeting.types) {
                continue;
            }
            for Incompatibility { identity, printed, types } in reported.iter() {
                found
                    .entry((identity.clone(), printed.clone()))
                    .or_insert_with(|| self.where_defined(types.unwrap_or(meeting.types)));
            }
        }
        (found, !checker.is_cut())
    }

    fn is_same_schema(&self, types: Pair<TypeId>) -> bool {
        print::to_json(self.schemas.old, types.old) == print::to_json(self.schemas.new, types.new)
    }

    /// Where two types are defined.
    fn where_defined(&self, types: Pair<TypeId>) -> Where {
        let site = |schema: &Schema<'_>, ty: TypeId| {
            let span = schema.name(ty).map_or(schema.ty(ty).span, |name| name.span);
            schema.site(schema.ty(ty).file, span)
        };
        Where::Both(Pair::new(site(self.schemas.old, types.old), site(self.schemas.new, types.new)))
    }
}

/// What is said of many changes alike, if it is longer than this, is said whole of the first.
const LONG: usize = 1_000;

fn words(message: &Arc<str>, told: &mut FxHashSet<Arc<str>>) -> String {
    if message.len() <= LONG || told.insert(message.clone()) {
        return message.to_string();
    }
    let end = (0..=LONG).rev().find(|end| message.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", &message[..end])
}

/// States in words what the checker prints.
fn state_reason(change: &mut Change, direction: Direction, Printed { kind, message, pointer }: &Printed) {
    let reader = match direction {
        Direction::Backward => "new",
        Direction::Forward => "old",
    };
    let reason = format!("{kind} at {pointer} of the {reader} schema, {message}");
    let known = change.facts.get(FactKey::Reason).map(|known| format!("{known}; {reason}"));
    change.facts = std::mem::take(&mut change.facts).with(FactKey::Reason, known.unwrap_or(reason));
}

/// The place around a place inside a field: `R#f[]` is in `R#f`.
fn around(identity: &Identity) -> Option<Identity> {
    let cut = |side: &str| Some(side[..side.rfind(['[', '{', '|'])?].to_owned());
    let sides: Option<Vec<String>> = identity.0.split('>').map(cut).collect();
    Some(Identity(sides?.join(">")))
}

/// How likely a change is the cause of an incompatibility at its place.
fn cause(change: &Change) -> u8 {
    match change.kind {
        ChangeKind::AliasChanged if change.facts.get(FactKey::Direction) == Some("ambiguous") => 0,
        ChangeKind::FieldAdded | ChangeKind::FieldRemoved | ChangeKind::FieldTypeChanged => 0,
        ChangeKind::UnionBranchAdded | ChangeKind::UnionBranchRemoved => 0,
        ChangeKind::EnumValueAdded | ChangeKind::EnumValueRemoved => 0,
        ChangeKind::FieldRenamed => 1,
        ChangeKind::MessageRenamed | ChangeKind::EnumRenamed | ChangeKind::FixedRenamed => 1,
        ChangeKind::FixedSizeChanged => 2,
        _ => 3,
    }
}
