//! Results of functions: exceptions that came or went, and whether there is a value at all.

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;

use super::super::model::Field;
use super::super::pairing;
use super::differ::Differ;
use super::members::Members;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::Draft;

impl<'s, 'b> Differ<'s, 'b> {
    pub(super) fn result_removed(&mut self, members: &Members<'s, 'b>, old: &'s Field<'b>) {
        let structs = members.structs;
        let at = Pair::new(
            Some(self.schemas.old.site(structs.old.file, old.span)),
            Some(self.schemas.new.name_site(structs.new)),
        );
        // Whoever awaits a value gets none; whoever awaits none does not look at it.
        let reads = match old.id {
            0 => Pair::new(Outcome::Safe, Self::result_reads(members).new),
            _ => Pair::new(Self::result_reads(members).old, Outcome::Safe),
        };
        let draft = self.result_draft(members, old, ChangeKind::FieldRemoved).at(at);
        let draft =
            draft.fact(FactKey::OldName, &*old.name.text).fact(FactKey::OldType, self.schemas.old.spelled(&old.ty));
        let draft = if old.id == 0 { draft.fact(FactKey::NewType, "void") } else { draft };
        self.push(draft.reads(reads));
    }

    pub(super) fn result_added(&mut self, members: &Members<'s, 'b>, new: &'s Field<'b>) {
        let structs = members.structs;
        let at = Pair::new(
            Some(self.schemas.old.name_site(structs.old)),
            Some(self.schemas.new.site(structs.new.file, new.span)),
        );
        let reads = match new.id {
            0 => Pair::new(Self::result_reads(members).old, Outcome::Safe),
            _ => Pair::new(Outcome::Safe, Self::result_reads(members).new),
        };
        let draft = self.result_draft(members, new, ChangeKind::FieldAdded).at(at);
        let draft =
            draft.fact(FactKey::NewName, &*new.name.text).fact(FactKey::NewType, self.schemas.new.spelled(&new.ty));
        let draft = if new.id == 0 { draft.fact(FactKey::OldType, "void") } else { draft };
        self.push(draft.reads(reads));
    }

    fn result_draft(&self, members: &Members<'s, 'b>, field: &Field<'_>, kind: ChangeKind) -> Draft {
        let identity = pairing::by_number(&members.container, field.id.into());
        let draft = match field.id {
            0 => Draft::new(ChangeKind::MethodTypeChanged, &*members.path, identity).fact(FactKey::Relation, "void"),
            _ => Draft::new(kind, format!("{}.{}", members.path, field.name.text), identity),
        };
        draft
            .fact(FactKey::Role, "result")
            .fact(FactKey::Number, field.id.to_string())
            .fact(FactKey::Container, &*members.structs.new.full_name)
    }
}
