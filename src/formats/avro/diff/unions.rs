//! Unions: which branch continues which, and what happens to values of the others.

use super::super::place;
use super::*;

impl Differ<'_, '_> {
    /// Compares two unions branch by branch.
    pub(super) fn unions(&mut self, meeting: usize, trail: &Trail<'_>, uses: Pair<Use>, branches: Pair<&[Use]>) {
        let wholes = uses.map(|at| at.ty);
        let pairs = place::branches(self.schemas, branches);
        for pair in &pairs {
            match (pair.0.old, pair.0.new) {
                (Some(old), Some(new)) => {
                    let uses = Pair::new(branches.old[old], branches.new[new]);
                    let names = self.called(uses.map(|at| at.ty));
                    // Which branch takes a type of another name depends on the whole union, so data of it is written.
                    self.found.pairs[meeting].changed |= names.old != names.new;
                    let trail = trail.then(Step::Branch(Pair::new(Some(names.old), Some(names.new))));
                    self.position(meeting, &trail, uses, wholes);
                }
                (Some(old), None) => self.branch_removed(meeting, trail, branches.old[old], uses.new),
                (None, Some(new)) => self.branch_added(meeting, trail, uses.old, branches.new[new]),
                (None, None) => {}
            }
        }
        let kept: Vec<usize> = pairs.iter().filter(|pair| pair.0.new.is_some()).filter_map(|pair| pair.0.old).collect();
        if !kept.is_sorted() {
            let facts = Facts::none().with(FactKey::Role, "branches");
            let draft = self.draft(ChangeKind::OrderChanged, trail.place(), self.sites(uses), facts);
            self.push(meeting, draft);
        }
    }

    fn branch_removed(&mut self, meeting: usize, trail: &Trail<'_>, branch: Use, union: Use) {
        let reading = self.backward();
        let name = Some(self.schemas.old.called(branch.ty));
        let facts = Facts::none()
            .with(FactKey::OldType, spelled(self.schemas.old, branch.ty))
            .with(FactKey::NewType, spelled(self.schemas.new, union.ty))
            .with(FactKey::ReadsOld, reading.outcome_beside(branch.ty, union.ty, None).name())
            .with(FactKey::ReadsNew, Outcome::Safe.name())
            .with(FactKey::Branches, self.fate(reading, branch.ty, union.ty));
        let place = trail.then(Step::Branch(Pair::new(name, name))).place();
        let sites = self.sites(Pair::new(branch, union));
        let draft = self.draft(ChangeKind::UnionBranchRemoved, place, sites, facts);
        self.push(meeting, draft);
    }

    fn branch_added(&mut self, meeting: usize, trail: &Trail<'_>, union: Use, branch: Use) {
        let reading = self.forward();
        let name = Some(self.schemas.new.called(branch.ty));
        let facts = Facts::none()
            .with(FactKey::OldType, spelled(self.schemas.old, union.ty))
            .with(FactKey::NewType, spelled(self.schemas.new, branch.ty))
            .with(FactKey::ReadsOld, Outcome::Safe.name())
            .with(FactKey::ReadsNew, reading.outcome_beside(branch.ty, union.ty, None).name())
            .with(FactKey::Branches, self.fate(reading, branch.ty, union.ty));
        let place = trail.then(Step::Branch(Pair::new(name, name))).place();
        let sites = self.sites(Pair::new(union, branch));
        let draft = self.draft(ChangeKind::UnionBranchAdded, place, sites, facts);
        self.push(meeting, draft);
    }

    /// Which branch of the reader's union takes a written type, or why none does.
    fn fate(&self, reading: Reading<'_, '_, '_>, writer: TypeId, union: TypeId) -> String {
        let Kind::Union(branches) = reading.reader.kind(union) else { return String::new() };
        match reading.branch_for(writer, branches) {
            Some(index) => {
                let branch = branches[index].ty;
                let takes = format!("`{}` takes it", reading.reader.called(branch));
                match exact_up_to(reading.writer.kind(writer), reading.reader.kind(branch)) {
                    Some(exact) => format!("{takes}, and rounds whole numbers beyond {exact}"),
                    None => takes,
                }
            }
            None => reading.refusals(writer, branches),
        }
    }

    /// A position that held one type holds a union now.
    pub(super) fn union_gained(&mut self, meeting: usize, trail: &Trail<'_>, uses: Pair<Use>, branches: &[Use]) {
        let partner = self.partner(Pair::new(&[uses.old], branches)).map(|pair| branches[pair.new]);
        let same = partner.map(|new| Pair::new(uses.old.ty, new.ty));
        let fate = self.fate(self.backward(), uses.old.ty, uses.new.ty);
        self.union_changed(meeting, trail, uses, same, &|reads| (reads.old, "into-union"), fate);
        if let Some(new) = partner {
            let name = self.schemas.new.called(new.ty);
            let trail = trail.then(Step::Branch(Pair::new(None, Some(name))));
            self.inside(meeting, &trail, Pair::new(uses.old, new));
        }
    }

    /// A position that held a union holds one type now.
    pub(super) fn union_lost(&mut self, meeting: usize, trail: &Trail<'_>, uses: Pair<Use>, branches: &[Use]) {
        let partner = self.partner(Pair::new(branches, &[uses.new])).map(|pair| branches[pair.old]);
        let same = partner.map(|old| Pair::new(old.ty, uses.new.ty));
        let reading = self.backward();
        let refused = branches.iter().filter(|branch| reading.outcome(branch.ty, uses.new.ty) == Outcome::Fails);
        let refused: Vec<String> = refused.map(|branch| format!("`{}`", self.schemas.old.called(branch.ty))).collect();
        let fate = match refused.as_slice() {
            [] => "every branch is still read".to_owned(),
            refused => format!("no longer read: {}", refused.join(", ")),
        };
        self.union_changed(meeting, trail, uses, same, &|reads| (reads.new, "out-of-union"), fate);
        if let Some(old) = partner {
            let name = self.schemas.old.called(old.ty);
            let trail = trail.then(Step::Branch(Pair::new(Some(name), None)));
            self.inside(meeting, &trail, Pair::new(old, uses.new));
        }
    }

    fn partner(&self, sides: Pair<&[Use]>) -> Option<Pair<usize>> {
        let pairs = place::branches(self.schemas, sides);
        pairs.iter().find_map(|pair| Some(Pair::new(pair.0.old?, pair.0.new?)))
    }

    /// The one type and the branch that continues it: what differs inside of them. That they differ as such is told of
    /// the position as a whole.
    fn inside(&mut self, meeting: usize, trail: &Trail<'_>, uses: Pair<Use>) {
        match (self.schemas.old.kind(uses.old.ty), self.schemas.new.kind(uses.new.ty)) {
            (Kind::Primitive(old), Kind::Primitive(new)) if old == new => {
                self.logical_changed(meeting, &|| trail.place(), uses);
            }
            (Kind::Array(_), Kind::Array(_))
            | (Kind::Map(_), Kind::Map(_))
            | (Kind::Record(_), Kind::Record(_))
            | (Kind::Enum(_), Kind::Enum(_))
            | (Kind::Fixed(_), Kind::Fixed(_)) => self.position(meeting, trail, uses, uses.map(|at| at.ty)),
            _ => {}
        }
    }

    fn union_changed(
        &mut self,
        meeting: usize,
        trail: &Trail<'_>,
        uses: Pair<Use>,
        same: Option<Pair<TypeId>>,
        told_by: &dyn Fn(Pair<Outcome>) -> (Outcome, &'static str),
        fate: String,
    ) {
        let (old, new) = (uses.old.ty, uses.new.ty);
        let reads = Pair::new(
            self.backward().outcome_beside(old, new, same.map(|same| (same.old, same.new))),
            self.forward().outcome_beside(new, old, same.map(|same| (same.new, same.old))),
        );
        let continues = |same: Pair<TypeId>| {
            let one = self.backward().outcome(same.old, same.new);
            one.min(self.forward().outcome(same.new, same.old)) < Outcome::Fails
        };
        let relation = match told_by(reads) {
            (Outcome::Fails, _) if !same.is_some_and(continues) => "union-mismatch",
            (_, relation) => relation,
        };
        let facts = self
            .facts_of_types(uses)
            .with(FactKey::Relation, relation)
            .with(FactKey::ReadsOld, reads.old.name())
            .with(FactKey::ReadsNew, reads.new.name())
            .with(FactKey::Branches, fate);
        let draft = self.draft(ChangeKind::FieldTypeChanged, trail.place(), self.sites(uses), facts);
        self.push(meeting, draft);
    }
}
