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
        for at in 0..self.schema.types.len() {
            let Kind::Record(Record { name, fields, .. }) = &self.schema.types[at].kind else { continue };
            if ends[at] {
                continue;
            }
            let Some(field) = fields.iter().find(|field| !ends[field.schema.ty.0 as usize]) else { continue };
            let message = format_args!(
                "no data of `{}` can be written: each holds a `{}` in `{}`, without end",
                name.full,
                self.schema.called(field.schema.ty),
                field.name
            );
            let help = "let the chain end: put the type into a union with `null`, an array or a map";
            self.logs[field.schema.file.0 as usize].warning(field.schema.span, message, help);
        }
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
