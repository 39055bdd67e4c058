//! What Confluent's Schema Registry says of two versions of a schema: its checker, modelled with its blind spots.
//!
//! The checker knows two policies. Under the strict one each difference is compatible or not by its type alone; the
//! lenient one takes it that nobody writes members that a schema does not name. What is modelled is version 8.5.

mod arrays;
mod compare;
mod decimal;
mod kinds;
mod load;
mod loader;
mod newer;
mod objects;
mod older;
mod shape;

pub(super) use self::compare::{Difference, differences};
pub(super) use self::kinds::Terms;
pub(super) use self::load::load;
pub(super) use self::shape::Shapes;
