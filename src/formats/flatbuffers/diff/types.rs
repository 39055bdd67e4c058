//! Declarations of tables, structs, enums and unions: which continue, under which name, and what else differs.

use crate::change::{ChangeKind, FactKey, Pair};

use super::super::model::{Enum, EnumId, Object, ObjectId, Schema};
use super::super::pairing;
use super::fields::Members;
use super::files::Declared;
use super::{Differ, Met};
use crate::formats::frame::comparison::Declares;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::Draft;

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares two tables or structs.
    pub(super) fn diff_object(&mut self, types: Pair<ObjectId>) {
        let members = Members::new(self.schemas, types, self.is_replaced(Met::Type(types)));
        let Pair { old, new } = members.objects;
        let sites = Pair::new(self.schemas.old.name_site(old), self.schemas.new.name_site(new));
        if old.layout.is_some() != new.layout.is_some() {
            let draft = Draft::new(
                ChangeKind::TypeSortChanged,
                &*new.full_name,
                pairing::declaration("sort", &members.container),
            )
            .at(Pair::new(Some(sites.old), Some(sites.new)))
            .fact(FactKey::OldValue, object_role(old))
            .fact(FactKey::NewValue, object_role(new))
            .fact(FactKey::Container, &*new.full_name);
            return self.push(draft);
        }
        self.diff_fields(&members);
        if !members.replaced {
            let declared = Declared { role: object_role(new), path: &new.full_name, sites };
            self.attributes(&declared, Pair::new(&old.attributes, &new.attributes));
        }
    }

    /// Everything that has no counterpart.
    pub(super) fn leftovers(&mut self) {
        self.without_counterpart().into_iter().for_each(|draft| self.push(draft));
    }
}

impl Declares for Schema<'_> {
    const OWN_NAME: fn(&str) -> &str = |name| name;

    fn role(of: &Object<'_>) -> &'static str {
        object_role(of)
    }

    fn enum_role(of: &Enum<'_>) -> &'static str {
        if of.is_union { "union" } else { "enum" }
    }

    /// Slot and type of every field, and whether it is a table or a struct.
    fn shape(&self, id: ObjectId) -> Vec<String> {
        let of = self.object(id);
        let fields = of.fields.iter().map(|field| format!("{} {}", field.slot, self.spelled(&field.ty)));
        let role = (!of.fields.is_empty()).then(|| object_role(of).to_owned());
        fields.chain(role).collect()
    }

    fn values(&self, id: EnumId) -> Vec<String> {
        let values = self.enumeration(id).values.iter();
        values.map(|value| format!("{} {}", value.number, value.name.text)).collect()
    }

    fn members(&self, id: ObjectId) -> Vec<String> {
        let of = self.object(id);
        of.fields.iter().map(|field| format!("{} {}", object_role(of), field.name.text)).collect()
    }

    fn demands(&self, id: ObjectId) -> Vec<String> {
        let fields = self.object(id).fields.iter();
        fields.map(|field| format!("{} {} {:?}", field.slot, field.is_required, field.default)).collect()
    }

    /// One of the two continues elsewhere.
    fn are_others(_schemas: Pair<&Self>, _met: Met, are_free: bool) -> bool {
        !are_free
    }
}

/// What a declaration is called.
fn object_role(of: &Object<'_>) -> &'static str {
    if of.layout.is_some() { "struct" } else { "table" }
}
