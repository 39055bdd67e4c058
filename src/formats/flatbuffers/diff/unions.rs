//! Members of two paired unions.

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;

use super::super::model::{EnumValue, Type};
use super::super::pairing;
use super::super::relation::{self, Relation};
use super::enums::{EnumPair, at, continued, is_moved, named};
use super::{Differ, Met};

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares the members of two unions. `NONE` has no type and is on both sides.
    pub(super) fn diff_members(&mut self, pair: &EnumPair<'s, 'b>) {
        let Pair { old, new } = pair.enums;
        for member in old.values.iter().filter(|member| member.ty.is_some()) {
            if is_moved(member, new) {
                if let Some(other) = named(new, &member.name.text) {
                    self.member_moved(pair, Pair::new(member, other));
                }
                continue;
            }
            match continued(member, old, new) {
                Some(other) => self.member_pair(pair, Pair::new(member, other)),
                None => {
                    let reads = if at(new, member.number).is_some() { Outcome::Safe } else { Outcome::Unrecognized };
                    let draft = self
                        .value_draft(ChangeKind::UnionBranchRemoved, pair, member)
                        .at(self.value_sites(pair, Pair::new(Some(member), None)));
                    self.push(draft.reads(Pair::new(reads, Outcome::Safe)));
                }
            }
        }
        for member in new.values.iter().filter(|member| member.ty.is_some() && !is_moved(member, old)) {
            if continued(member, new, old).is_some() {
                continue;
            }
            let reads = if at(old, member.number).is_some() { Outcome::Safe } else { Outcome::Unrecognized };
            let draft = self
                .value_draft(ChangeKind::UnionBranchAdded, pair, member)
                .at(self.value_sites(pair, Pair::new(None, Some(member))));
            self.push(draft.reads(Pair::new(Outcome::Safe, reads)));
        }
    }

    fn member_moved(&mut self, pair: &EnumPair<'s, 'b>, members: Pair<&'s EnumValue<'b>>) {
        if let (Some(old), Some(new)) = (&members.old.ty, &members.new.ty) {
            self.pair_types(Pair::new(old, new));
        }
        self.renumbered(ChangeKind::UnionBranchRenumbered, pair, members);
    }

    /// A discriminator that means a member on both sides.
    fn member_pair(&mut self, pair: &EnumPair<'s, 'b>, members: Pair<&'s EnumValue<'b>>) {
        let Pair { old, new } = members;
        let (Some(before), Some(after)) = (&old.ty, &new.ty) else { return };
        let types = Pair::new(before, after);
        let is_renamed = old.name.text != new.name.text;
        let relation = relation::relation(self.schemas, types);
        let is_other = match (before, after) {
            (Type::Table(old), Type::Table(new)) | (Type::Struct(old), Type::Struct(new)) => {
                self.is_replaced(Met::Type(Pair::new(*old, *new)))
            }
            _ => relation.hurts(),
        };
        // Another type under a number is read as the one that it is not; there is nothing to compare.
        let replacement = if is_other { None } else { self.pair_types(types) };
        if relation != Relation::Same && (is_other || !is_renamed) {
            self.member_type(pair, members, types, is_other);
            if !is_other {
                self.following.extend(replacement.map(|met| (self.changes.len() - 1, vec![met])));
            }
        } else if is_renamed {
            let draft = self
                .value_draft(ChangeKind::UnionBranchRenamed, pair, new)
                .at(self.value_sites(pair, Pair::new(Some(old), Some(new))))
                .fact(FactKey::OldName, &*old.name.text)
                .fact(FactKey::NewName, &*new.name.text);
            self.push(draft);
        }
        self.value_attributes(pair, members);
    }

    fn member_type(
        &mut self,
        pair: &EnumPair<'s, 'b>,
        members: Pair<&'s EnumValue<'b>>,
        types: Pair<&Type>,
        is_other: bool,
    ) {
        let spelled = self.spelled(types);
        let worst = if is_other { Outcome::Wrong } else { Outcome::Safe };
        let mut draft = self
            .value_draft(ChangeKind::UnionBranchTypeChanged, pair, members.new)
            .at(self.value_sites(pair, Pair::new(Some(members.old), Some(members.new))))
            .fact(FactKey::OldName, &*members.old.name.text)
            .fact(FactKey::NewName, &*members.new.name.text)
            .fact(FactKey::OldType, spelled.old)
            .fact(FactKey::NewType, spelled.new);
        draft.identity = pairing::by_number(&pair.container, members.new.number);
        self.push(draft.reads(Pair::new(worst, worst)));
    }
}
