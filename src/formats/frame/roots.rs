//! The types that data starts from, where somebody names them.
//!
//! A root is named in full or by its last part, as long as that means one type. What its names mean is decided here for
//! every language; what a root reaches is the language's to say.

use super::declared::Declared;
use crate::change::{Change, ChangeKind, FactKey, Pair};
use crate::ordered::OrderedSet;
use crate::syntax::problem::{Problem, Severity};

/// What the roots that were asked for mean.
#[derive(Debug, Default)]
pub struct Roots {
    are_asked_for: bool,
    /// Full names.
    names: OrderedSet<String>,
    /// Those that neither side declares.
    pub(crate) unknown: Vec<String>,
    /// Those that may mean several things.
    pub(crate) problems: Vec<Problem>,
}

impl Roots {
    /// Looks the names up among what the sides declare, which is listed only if there are names.
    pub(crate) fn resolve<'s>(asked: &[String], declared: impl FnOnce() -> Pair<Vec<Declared<'s>>>) -> Roots {
        let mut roots = Roots { are_asked_for: !asked.is_empty(), ..Roots::default() };
        if asked.is_empty() {
            return roots;
        }
        let declared = declared();
        for name in asked {
            let in_full = |side: &Vec<Declared<'s>>| side.iter().any(|one| one.name == name);
            if in_full(&declared.old) || in_full(&declared.new) {
                roots.names.insert(name.clone());
                continue;
            }
            let means = |one: &&Declared<'s>| one.is_own && simple_name(one.name) == name;
            let meant = declared.as_ref().map(|side| side.iter().filter(means).map(|one| one.name).collect());
            roots.add(name, &meant);
        }
        roots
    }

    /// Adds what a simple name means on each side.
    fn add(&mut self, name: &str, meant: &Pair<OrderedSet<&str>>) {
        let all: OrderedSet<&str> = meant.old.union(&meant.new).copied().collect();
        match meant.old.len().max(meant.new.len()) {
            0 => self.unknown.push(name.to_owned()),
            // A type that moved to another namespace has another full name on each side.
            1 => self.names.extend(all.into_iter().map(str::to_owned)),
            _ => {
                let all: Vec<String> = all.into_iter().map(|name| format!("`{name}`")).collect();
                self.problems.push(Problem {
                    severity: Severity::Error,
                    site: None,
                    message: format!("the root `{name}` may be {}", all.join(" or ")),
                    help: "give `--root` the full name".to_owned(),
                });
            }
        }
    }

    /// The same roots under all the names that they have on either side: `continued` gives, of each declaration that
    /// continues, its old and its new name.
    pub(crate) fn under_both_names<'n>(&self, continued: impl Iterator<Item = Pair<&'n str>>) -> Roots {
        let of_roots = continued.filter(|names| self.has(names.old) || self.has(names.new));
        let names = of_roots.flat_map(|names| [names.old, names.new]).map(str::to_owned);
        Roots {
            are_asked_for: self.are_asked_for,
            names: self.names.iter().cloned().chain(names).collect(),
            ..Roots::default()
        }
    }

    /// Whether everything is judged.
    pub(crate) const fn is_everything(&self) -> bool {
        !self.are_asked_for
    }

    /// Whether a full name is that of a root.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The full names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Leaves only the changes that concern something reached; a root that went is marked as needed.
    pub(crate) fn limit(&self, changes: &mut Vec<Change>, reached: &OrderedSet<&str>) {
        changes.retain_mut(|change| {
            let path = change.path.trim_end_matches("()");
            let is_removed = matches!(change.kind, ChangeKind::MessageRemoved | ChangeKind::EnumRemoved);
            let is_root = is_removed && self.has(path);
            let named = [FactKey::Container, FactKey::OldName].into_iter().filter_map(|key| change.facts.get(key));
            let outer = path.rsplit_once('.').map(|(outer, _)| outer);
            let is_reached = named.chain([path]).chain(outer).any(|name| reached.contains(name));
            if is_root {
                change.facts = std::mem::take(&mut change.facts).with(FactKey::Needed, "yes");
            }
            is_root || is_reached
        });
    }
}

/// The last part of a dotted name.
pub(crate) fn simple_name(full_name: &str) -> &str {
    full_name.rsplit_once('.').map_or(full_name, |(_, last)| last)
}
