//! Where a finding is judged: where its element stands, and, where it or what holds it came from another file or had
//! another name, there as well. The stricter terms count, so nothing passes by being moved to where little is asked.

use std::sync::Arc;

use globset::GlobSet;

use crate::attach::Finding;
use crate::change::{Change, ChangeKind, FactKey, MOVES, Pair, Side, Site};
use crate::ordered::OrderedMap;

/// What a file and a name were, or are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Home {
    file: Arc<str>,
    name: String,
}

/// The declarations that have another file or another name than before: format and name on either side → both homes.
#[derive(Debug, Clone, Default)]
pub struct Moves(OrderedMap<(&'static str, String), Pair<Home>>);

impl Moves {
    /// Those that findings tell of.
    pub fn of<'f, 'c: 'f>(findings: impl IntoIterator<Item = &'f Finding<'c>>) -> Self {
        let mut moves: OrderedMap<(&'static str, String), Pair<Home>> = OrderedMap::new();
        let told = findings.into_iter().flat_map(|finding| std::iter::once(finding).chain(&finding.following));
        for finding in told {
            let Some(homes) = homes(finding.judged.change) else { continue };
            for name in [&homes.old.name, &homes.new.name] {
                let known = moves.entry((finding.judged.format, name.clone())).or_insert_with(|| homes.clone());
                // That it moved may be told apart from its new name.
                if known.old.name == known.new.name {
                    *known = homes.clone();
                }
            }
        }
        Moves(moves)
    }

    /// Where a finding is judged; on the new side first, if its element is there.
    pub(super) fn places<'f>(&self, finding: &'f Finding<'f>) -> Vec<Place<'f>> {
        let change = finding.judged.change;
        let here = Place::of(finding);
        let (now, then) = match self.around(finding.judged.format, &change.path) {
            Some((homes, rest)) => {
                (here.in_home(&homes.new, Side::New, rest), here.in_home(&homes.old, Side::Old, rest))
            }
            None => (here.on(Side::New), here.on(Side::Old)),
        };
        match (now, then) {
            (Some(now), Some(then)) if now.file() != then.file() => vec![now, then],
            (Some(now), Some(then)) if now.path != then.path => {
                vec![Place { path: now.path, ..here.clone() }, Place { path: then.path, ..here }]
            }
            _ => vec![here],
        }
    }

    /// The innermost moved declaration that an element is or lies in, and what is left of its name.
    fn around<'p>(&self, format: &'static str, path: &'p str) -> Option<(&Pair<Home>, &'p str)> {
        if self.0.is_empty() {
            return None;
        }
        // A document is called as its file, and its parts by pointers.
        let ends = path.match_indices(['.', '#']).map(|(at, _)| at).chain([path.len()]).rev();
        let mut prefixes = ends.map(|end| path.split_at(end));
        prefixes.find_map(|(name, rest)| Some((self.0.get(&(format, name.to_owned()))?, rest)))
    }
}

/// Both homes of a declaration that is not where or what it was.
fn homes(change: &Change) -> Option<Pair<Home>> {
    let names = match change.kind {
        // A document is called as its file.
        ChangeKind::FileMoved => [FactKey::OldValue, FactKey::NewValue],
        kind if MOVES.contains(&kind) => [FactKey::OldName, FactKey::NewName],
        _ => return None,
    };
    let home = |site: &Option<Site>, name: Option<&str>| {
        let name = name.unwrap_or(&change.path).to_owned();
        site.as_ref().map(|site| Home { file: site.file.clone(), name })
    };
    let old = home(&change.at.old, change.facts.get(names[0]))?;
    let new = home(&change.at.new, change.facts.get(names[1]))?;
    (old != new).then(|| Pair::new(old, new))
}

/// A finding at one of the places where it is judged.
#[derive(Debug, Clone)]
pub(super) struct Place<'f> {
    /// What is judged.
    pub(super) finding: &'f Finding<'f>,
    /// Where; one side only where the sides are judged apart.
    pub(super) at: Pair<Option<Site>>,
    /// The full name there.
    pub(super) path: String,
}

impl<'f> Place<'f> {
    /// Where the element of a finding stands.
    pub(super) fn of(finding: &'f Finding<'f>) -> Self {
        let change = finding.judged.change;
        Place { finding, at: change.at.clone(), path: change.path.clone() }
    }

    /// Where it is, borrowed.
    pub(super) fn sites(&self) -> Pair<Option<&Site>> {
        self.at.as_ref().map(Option::as_ref)
    }

    /// The file that decides which folder it lies in.
    pub(super) fn file(&self) -> Option<&str> {
        self.at.new.as_ref().or(self.at.old.as_ref()).map(|site| &*site.file)
    }

    /// Whether a package or a declaration that it stands in, or that it is, matches: `shop.v1alpha.Order.total` lies in
    /// `*.v1alpha*`. What a field, a value or a method is called itself does not count, nor what groups fields: whoever
    /// writes the change chooses it.
    pub(super) fn is_in(&self, names: &GlobSet) -> bool {
        let declaration = self.declaration();
        let ends = declaration.match_indices('.').map(|(at, _)| at);
        ends.chain([declaration.len()]).any(|end| names.is_match(&declaration[..end]))
    }

    /// The name of the declaration or the document that it is part of, or its own.
    fn declaration(&self) -> &str {
        let (document, part) = self.path.split_once('#').unwrap_or((&self.path, ""));
        if !part.is_empty() {
            return document;
        }
        let change = self.finding.judged.change;
        let container = change.facts.get(FactKey::Container).unwrap_or_default();
        match self.path.strip_prefix(container) {
            Some(rest) if !container.is_empty() && rest.starts_with('.') => &self.path[..container.len()],
            _ if change.kind.is_of_member() => {
                let member = self.path.split_once('(').map_or(&*self.path, |(method, _)| method);
                member.rsplit_once('.').map_or("", |(declaration, _)| declaration)
            }
            _ => &self.path,
        }
    }

    fn is_in_file(&self, path: &str) -> bool {
        [&self.at.old, &self.at.new].into_iter().flatten().any(|site| *site.file == *path)
    }

    /// The same on one side alone, if it is there.
    fn on(&self, side: Side) -> Option<Self> {
        let site = self.at.side(side).clone()?;
        // A document is called as its file.
        let path = match self.path.split_once('#') {
            Some((document, part)) if self.is_in_file(document) => format!("{}#{part}", site.file),
            _ => self.path.clone(),
        };
        Some(Place { at: one_side(side, site), path, ..self.clone() })
    }

    /// The same as part of a declaration that has its home in a file of one side.
    fn in_home(&self, home: &Home, side: Side, rest: &str) -> Option<Self> {
        let own = || self.at.side(side).clone();
        let beside = || Some(Site { file: home.file.clone(), span: self.sites().new.or(self.sites().old)?.span });
        let site = own().or_else(beside)?;
        Some(Place { at: one_side(side, site), path: format!("{}{rest}", home.name), ..self.clone() })
    }
}

fn one_side(side: Side, site: Site) -> Pair<Option<Site>> {
    match side {
        Side::Old => Pair::new(Some(site), None),
        Side::New => Pair::new(None, Some(site)),
    }
}
