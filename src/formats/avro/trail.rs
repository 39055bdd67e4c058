//! The way from a meeting down to what is being compared, kept on the stack and spelled out only when there is something
//! to say.

use crate::change::Pair;

use super::place::Place;

/// One step and everything above it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trail<'t> {
    up: Option<&'t Trail<'t>>,
    step: Step<'t>,
}

/// One step, as both sides call it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'t> {
    /// A named type, a schema file or a message of a protocol: nothing above counts.
    Top(Pair<&'t str>),
    /// A field.
    Field(Pair<Option<&'t str>>),
    /// The items of an array.
    Items,
    /// The values of a map.
    Values,
    /// A branch of a union on the sides that have one.
    Branch(Pair<Option<&'t str>>),
    /// The result of a message, or its errors.
    Part(&'t str),
}

impl<'t> Trail<'t> {
    /// A way that starts here.
    pub(super) const fn top(names: Pair<&'t str>) -> Self {
        Trail { up: None, step: Step::Top(names) }
    }

    /// One step further.
    pub(super) const fn then(&'t self, step: Step<'t>) -> Trail<'t> {
        Trail { up: Some(self), step }
    }

    /// The place where it ends.
    pub(super) fn place(&self) -> Place {
        let above = || self.up.map_or_else(|| Place::named(Pair::new("", "")), Trail::place);
        match self.step {
            Step::Top(names) => Place::named(names),
            Step::Field(names) => above().field(names),
            Step::Items => above().items(),
            Step::Values => above().values(),
            Step::Branch(called) => above().branch(called),
            Step::Part(part) => above().part(part),
        }
    }
}
