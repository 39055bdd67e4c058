//! Where the types and enums of a schema are: in which file, in which list, by which numbers.

use std::hash::Hash;

use crate::change::Pair;

use super::declared::{InFiles, Named};
use super::differ::container;

/// A schema whose types with fields and whose enums stand in lists, and have numbers for that. `declarations!` says so of
/// one.
pub(crate) trait Types: InFiles {
    /// A type with fields, by its number.
    type TypeId: Copy + Ord + Hash;
    /// An enum, by its number.
    type EnumId: Copy + Ord + Hash;
    /// A type with fields.
    type Type: Named;
    /// An enum.
    type Enum: Named;
    /// The number of a type, by its place in the list.
    const TYPE: fn(u32) -> Self::TypeId;
    /// The number of an enum, by its place in the list.
    const ENUM: fn(u32) -> Self::EnumId;

    /// A type.
    fn type_of(&self, id: Self::TypeId) -> &Self::Type;
    /// An enum.
    fn enum_of(&self, id: Self::EnumId) -> &Self::Enum;
    /// All types.
    fn all_types(&self) -> &[Self::Type];
    /// All enums.
    fn all_enums(&self) -> &[Self::Enum];
}

/// Says of the `Schema` of a language where its declarations are: in which file, in which list, by which numbers, and where
/// their names are written.
macro_rules! declarations {
    (
        files: $is_library:ident, $text:ident;
        types: $TypeId:ident, $types:ident, $type_of:ident, $Type:ident;
        enums: $EnumId:ident, $enums:ident, $enum_of:ident, $Enum:ident;
        names: $($of:ident: $($span:ident).+),+;
    ) => {
        impl $crate::formats::frame::declared::InFiles for Schema<'_> {
            fn source(&self, file: FileId) -> (&Arc<str>, bool) {
                let file = self.file(file);
                (&file.path, file.$is_library)
            }

            fn terms(&self, file: FileId) -> usize {
                self.file(file).terms
            }

            fn content(&self, file: FileId) -> usize {
                std::ptr::from_ref(&*self.file(file).$text).cast::<()>().addr()
            }
        }

        impl<'b> $crate::formats::frame::types::Types for Schema<'b> {
            type TypeId = $TypeId;
            type EnumId = $EnumId;
            type Type = $Type<'b>;
            type Enum = $Enum<'b>;
            const TYPE: fn(u32) -> $TypeId = $TypeId;
            const ENUM: fn(u32) -> $EnumId = $EnumId;

            fn type_of(&self, id: $TypeId) -> &$Type<'b> {
                self.$type_of(id)
            }

            fn enum_of(&self, id: $EnumId) -> &$Enum<'b> {
                self.$enum_of(id)
            }

            fn all_types(&self) -> &[$Type<'b>] {
                &self.$types
            }

            fn all_enums(&self) -> &[$Enum<'b>] {
                &self.$enums
            }
        }

        $(impl $crate::formats::frame::declared::Named for $of<'_> {
            fn named(&self) -> (&str, FileId, $crate::change::Span) {
                (&self.full_name, self.file, self.$($span).+)
            }
        })+
    };
}
pub(crate) use declarations;

/// What the identities of all inside of two types begin with.
pub(crate) fn type_container<S: Types>(schemas: Pair<&S>, types: Pair<S::TypeId>) -> String {
    container(Pair::new(schemas.old.type_of(types.old).named().0, schemas.new.type_of(types.new).named().0))
}

/// What the identities of the values of two enums begin with.
pub(crate) fn enum_container<S: Types>(schemas: Pair<&S>, enums: Pair<S::EnumId>) -> String {
    container(Pair::new(schemas.old.enum_of(enums.old).named().0, schemas.new.enum_of(enums.new).named().0))
}
