//! Every rule file, compiled in. Written by `UPDATE=1 cargo test --test it`, compared by a plain run; do not edit.

#[rustfmt::skip]
pub(super) const CATALOG: &[(&str, &str)] = &[
];
