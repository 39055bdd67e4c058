//! The opinion: what each change means for readers, as data.
//!
//! One YAML file per rule in `rules/<format>/`, digested by the build script and compiled in; users' own rules have the
//! same form and replace the built-in rule they match. This module does not know any format: a rule names its format in
//! its id.

mod catalog;
mod examples;
mod fill;
mod form;
mod matching;
pub mod peer_ids;
mod peers;
mod rule;
mod set;
mod stated;

pub use examples::{Example, Examples};
pub use fill::{Filled, beside, fill, placeholders};
pub use form::{RuleError, RuleText};
pub use matching::Match;
pub use peers::{Category, PeerId, PeerRule, PeerTable, Profile};
pub use rule::{Cell, EvidenceNeed, Impact, Origin, Rule, When};
pub use set::RuleSet;

pub use crate::vocabulary::{Class, POLICY, Severity};
