//! Records of which every value would hold another, without end. They may be defined, but nobody can write one.

use super::super::model::{Kind, Record, TypeId};
use super::Linker;

impl Linker<'_> {
    /// Says which records no data can be written of.
    pub(super) fn warn_of_endless_records(&mut self) {
        if !self.has_cycles {
            return;
        }
        let ends = self.ends();
        // The field of each endless record that leads on, and the record it leads to.
        let next: Vec<Option<(usize, TypeId)>> =
            (0..self.schema.types.len()).map(|at| if ends[at] { None } else { self.next(at, &ends) }).collect();
        for at in circles(&next) {
            let (Some(record), Some((field, _))) = (self.schema.record(TypeId(at as u32)), next[at]) else { continue };
            let field = &record.fields[field];
            let message = format_args!(
                "no data of `{}` can be written: each holds {} in `{}`, without end",
                record.name.full,
                match self.schema.kind(field.schema.ty) {
                    Kind::Union(_) => "one of the union".to_owned(),
                    _ => format!("a `{}`", self.schema.called(field.schema.ty)),
                },
                field.name
            );
            let help = "let the chain end: put the type into a union with `null`, an array or a map";
            self.logs[field.schema.file.0 as usize].warning(field.schema.span, message, help);
        }
    }

    /// The first field of a record whose values do not end, and the record that it leads to.
    fn next(&self, record: usize, ends: &[bool]) -> Option<(usize, TypeId)> {
        let Record { fields, .. } = self.schema.record(TypeId(record as u32))?;
        let index = fields.iter().position(|field| !ends[field.schema.ty.0 as usize])?;
        let mut target = fields[index].schema.ty;
        if let Kind::Union(branches) = self.schema.kind(target) {
            target = branches.first()?.ty;
        }
        Some((index, target))
    }

    /// Which types have a value of finite size.
    fn ends(&self) -> Vec<bool> {
        let types = &self.schema.types;
        let mut ends = vec![false; types.len()];
        // How many fields of a record are not yet known to end, and who waits for a type.
        let mut missing = vec![0u32; types.len()];
        let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); types.len()];
        let mut known = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let needs: &mut dyn Iterator<Item = TypeId> = match &ty.kind {
                Kind::Record(record) => &mut record.fields.iter().map(|field| field.schema.ty),
                Kind::Union(branches) => &mut branches.iter().map(|branch| branch.ty),
                _ => &mut std::iter::empty(),
            };
            for needed in needs {
                waiting[needed.0 as usize].push(at as u32);
                missing[at] += 1;
            }
            if missing[at] == 0 {
                known.push(at);
            } else if matches!(ty.kind, Kind::Union(_)) {
                missing[at] = 1;
            }
        }
        while let Some(at) = known.pop() {
            if std::mem::replace(&mut ends[at], true) {
                continue;
            }
            for waiter in std::mem::take(&mut waiting[at]) {
                let waiter = waiter as usize;
                missing[waiter] = missing[waiter].saturating_sub(1);
                if missing[waiter] == 0 {
                    known.push(waiter);
                }
            }
        }
        ends
    }
}

/// The places from which the way leads back to them.
fn circles(next: &[Option<(usize, TypeId)>]) -> Vec<usize> {
    // On which walk a place was met first.
    let mut met = vec![usize::MAX; next.len()];
    let mut found = Vec::new();
    for start in 0..next.len() {
        let mut at = start;
        while let (Some((_, target)), usize::MAX) = (next[at], met[at]) {
            met[at] = start;
            at = target.0 as usize;
        }
        if next[at].is_none() || met[at] != start {
            continue;
        }
        let circle = at;
        while let Some((_, target)) = next[at] {
            found.push(at);
            at = target.0 as usize;
            if at == circle {
                break;
            }
        }
    }
    found
}
