//! Of which types no values are made, and why.

use crate::formats::roundtrip::Outlet;
use crate::ordered::OrderedSet;

use super::codec::Types;
use super::model::Type;

/// Why no values of a type are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// It has none that comes to an end.
    None,
    /// One of them is more than a message may hold.
    Large,
}

/// The types of which values were asked for, and none were made.
pub(super) type Lacking = OrderedSet<(String, Why)>;

/// Says of which types nothing is written.
pub(super) fn say(lacking: &Lacking, outlet: &mut Outlet<'_>) {
    for (name, why) in lacking {
        match why {
            Why::None => outlet.lack([&**name], []),
            Why::Large => outlet.leave_out(large(name)),
        }
    }
}

/// That a struct is not written for its size, in words.
pub(super) fn large(name: &str) -> String {
    format!("synthetic data of `{name}`, because it holds too many values for a message")
}

/// The struct in a type that is too heavy for a message, by its name.
pub(super) fn too_large(types: Types<'_, '_>, ty: &Type) -> Option<String> {
    types.too_heavy(ty).map(|of| of.full_name.to_string())
}
