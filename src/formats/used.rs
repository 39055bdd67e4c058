//! What data know the parts of an element by: numbers, ids, slots.

use crate::change::Span;

/// What a part of an element is known by in data, and what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// Full name of the element: a message, an enum.
    pub element: String,
    /// What kind of thing identifies: the same text in another role is another thing.
    pub role: Role,
    /// What identifies: `2`, or a name.
    pub slot: String,
    /// What the part is called.
    pub name: String,
    /// Its type as written; empty for a value of an enum.
    pub ty: String,
    /// Where it stands.
    pub span: Span,
}

/// The declarations of a text of which each has the same parts where it stands alone, behind what it needs for that.
#[derive(Debug)]
pub struct Declarations<'t> {
    /// What stands in front of each.
    pub(crate) head: Vec<u8>,
    /// They themselves, in the order written.
    pub(crate) each: Vec<&'t [u8]>,
}

/// What data know a part by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The number of a field.
    Number,
    /// The id of a field.
    Id,
    /// The place in a table that a field has.
    Slot,
    /// The number of a member of a union.
    Ordinal,
    /// The number of a value of an enum.
    EnumNumber,
    /// The name of a field, where nothing else identifies it.
    Name,
}

impl Role {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Role::Number => "number",
            Role::Id => "id",
            Role::Slot => "slot",
            Role::Ordinal => "ordinal",
            Role::EnumNumber => "enum number",
            Role::Name => "name",
        }
    }
}
