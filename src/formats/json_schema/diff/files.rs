//! Which document of the old side is which of the new one, and the documents that came and went.

use rustc_hash::FxHashSet;

use super::unused::{self, is_root, within};
use super::visit::document;
use super::walk::Walk;
use crate::change::{ChangeKind, FactKey, Pair, Site};
use crate::formats::frame::differ::{Candidate, Draft, Key, by_full_name, declaration, paired_by, yes};
use crate::formats::frame::moved::moved;
use crate::formats::frame::roots::Roots;
use crate::formats::json_schema::link::stem;
use crate::formats::json_schema::model::{File, NodeId, Schema};

/// Compares the documents of both sides.
pub(super) fn compare(walk: &mut Walk<'_>, roots: &Roots) {
    if !roots.is_everything() {
        named(walk, roots);
        return;
    }
    let schemas = walk.schemas;
    let candidates = |schema: &Schema| -> Vec<Candidate<usize>> {
        let own = schema.files.iter().enumerate().filter(|(_, file)| !file.is_library && !file.dialect.is_empty());
        let one = |(id, file): (usize, &File)| Candidate {
            content: file.content,
            terms: file.terms,
            ..Candidate::new(id, file.id.as_deref().unwrap_or_default(), &without_ending(&file.path))
        };
        own.map(one).collect()
    };
    let sides = schemas.map(candidates);
    let mut paired = by_path(&sides);
    let left = |paired: &[Pair<usize>]| {
        let known: Pair<FxHashSet<usize>> =
            Pair::new(paired.iter().map(|pair| pair.old).collect(), paired.iter().map(|pair| pair.new).collect());
        sides.as_ref().zip(known, |side, known| -> Vec<Candidate<usize>> {
            side.iter().filter(|one| !known.contains(&one.id)).cloned().collect()
        })
    };
    let taken_out = taken_out(walk, &paired, &left(&paired));
    paired.extend(&taken_out);
    let rest = left(&paired);
    // Under another address, by what the file is called; of what is left, the only one of a side is the only one of the other.
    let called: Key<usize> = (|one| (String::new(), file_name(&one.path).to_owned()), Some(1));
    let keys: Vec<Key<usize>> = by_full_name().into_iter().chain([called]).collect();
    let found = paired_by(rest.as_ref().map(Vec::as_slice), &keys);
    paired.extend(found.into_iter().map(|at| Pair::new(rest.old[at.old].id, rest.new[at.new].id)));
    let rest = left(&paired);
    paired.extend(likest(walk, rest.as_ref().map(|side| side.iter().map(|one| one.id).collect()), Likeness::Same));
    let rest = left(&paired);
    if let ([old], [new]) = (&rest.old[..], &rest.new[..]) {
        paired.push(Pair::new(old.id, new.id));
    }
    for files in &paired {
        let is_elsewhere = taken_out.iter().any(|found| (found.old == files.old) != (found.new == files.new));
        both(walk, *files, is_elsewhere);
    }
    unused::compare(walk);
    let rest = left(&paired);
    for one in &rest.old {
        alone(walk, &schemas.old.files[one.id], ChangeKind::FileRemoved);
    }
    for one in &rest.new {
        alone(walk, &schemas.new.files[one.id], ChangeKind::FileAdded);
    }
}

/// Only what is named.
fn named(walk: &mut Walk<'_>, roots: &Roots) {
    let find = |schema: &Schema, name: &str| {
        let files = schema.files.iter().enumerate();
        let mut names = files.flat_map(|(file, of)| of.names.iter().map(move |(name, node)| (file, name, *node)));
        names.find(|(_, own, _)| *own == name).and_then(|(file, _, node)| Some((file, node?)))
    };
    for name in roots.iter() {
        let found = walk.schemas.map(|schema| find(schema, name));
        if let (Some((old, before)), Some((new, after))) = (found.old, found.new) {
            let names = Pair::new(name.to_owned(), name.to_owned());
            document(walk, Pair::new(before, after), Pair::new(old, new), names);
        } else if let Some((old, _)) = found.old {
            alone(walk, &walk.schemas.old.files[old], ChangeKind::FileRemoved);
        }
    }
}

/// The path of a document without what its name ends in: JSON and YAML are two spellings of one document. One whose path is
/// another is found by its address, and without one by what it says, by what its file is called, or because no other is left.
fn without_ending(path: &str) -> String {
    let folder = path.rfind('/').map_or("", |end| &path[..=end]);
    format!("{folder}{}", stem(path))
}

/// The name of a file, without folders.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How alike documents are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// They take the same data, or name the same members.
    Same,
    /// Or they name the same members for the most part.
    Members,
}

/// Of documents of both sides those that are each other's likest, each of one.
fn likest(walk: &mut Walk<'_>, sides: Pair<Vec<usize>>, least: Likeness) -> Vec<Pair<usize>> {
    let Pair { old: olds, new: mut news } = sides;
    let mut found = Vec::new();
    if olds.len() * news.len() > MOST_RENAMED {
        return found;
    }
    let schemas = walk.schemas;
    for old in olds {
        let Some(before) = root_of(schemas.old, old) else { continue };
        let likest = news.iter().enumerate().filter_map(|(at, new)| {
            let nodes = Pair::new(before, root_of(schemas.new, *new)?);
            let members = || match least {
                Likeness::Members => members_of_both(schemas, nodes),
                Likeness::Same => {
                    members_of_both(schemas, nodes).filter(|all| *all > 1 && have_members(schemas, nodes, *all))
                }
            };
            let members = walk.same.are(nodes).then_some(usize::MAX).or_else(members)?;
            Some((members, std::cmp::Reverse(at)))
        });
        if let Some((_, std::cmp::Reverse(at))) = likest.max() {
            found.push(Pair::new(old, news.remove(at)));
        }
    }
    found
}

/// What data of a document are; nothing where nobody has data of it.
fn root_of(schema: &Schema, file: usize) -> Option<NodeId> {
    let file = &schema.files[file];
    file.root.filter(|_| !file.is_shelf)
}

/// Documents that were taken out of the files that they stood in, which only hold definitions now, and documents that were put
/// into files that only held such: what became of each where another file came or went with it.
fn taken_out(walk: &mut Walk<'_>, by_path: &[Pair<usize>], left: &Pair<Vec<Candidate<usize>>>) -> Vec<Pair<usize>> {
    let schemas = walk.schemas;
    let is_shelf = |files: &Pair<usize>| schemas.zip(*files, |schema, file| schema.files[file].is_shelf);
    let ids = |side: &[Candidate<usize>]| side.iter().map(|one| one.id).collect::<Vec<_>>();
    let out = by_path.iter().filter(|files| is_shelf(files) == Pair::new(false, true)).map(|files| files.old);
    let mut found = likest(walk, Pair::new(out.collect(), ids(&left.new)), Likeness::Members);
    let into = by_path.iter().filter(|files| is_shelf(files) == Pair::new(true, false)).map(|files| files.new);
    found.extend(likest(walk, Pair::new(ids(&left.old), into.collect()), Likeness::Members));
    found
}

fn by_path(sides: &Pair<Vec<Candidate<usize>>>) -> Vec<Pair<usize>> {
    let mut pairs = Vec::new();
    for old in &sides.old {
        pairs.extend(sides.new.iter().find(|new| new.path == old.path).map(|new| Pair::new(old.id, new.id)));
    }
    pairs
}

/// A document that both sides have; the data of one of the two are those of another document, where they are elsewhere.
fn both(walk: &mut Walk<'_>, files: Pair<usize>, are_elsewhere: bool) {
    walk.files.push(files);
    let pair = walk.schemas.zip(files, |schema, file| &schema.files[file]);
    if pair.old.path != pair.new.path {
        walk.note(moved(pair.map(|file| &file.path)));
    }
    let is_named = pair.map(|file| file.dialect_span.is_some());
    let are_same = pair.old.dialect == pair.new.dialect;
    if !are_same || is_named.old != is_named.new {
        let site = |file: &File| file.dialect_span.map(|span| Site { file: file.path.clone(), span });
        let identity = declaration("dialect", &pair.new.path);
        let draft = Draft::new(ChangeKind::SyntaxChanged, pair.new.path.to_string(), identity).at(pair.map(site));
        // Of a schema that names none validators take what they like.
        let called = |file: &File| match are_same && file.dialect_span.is_none() {
            true => format!("{} without saying so", file.dialect),
            false => file.dialect.to_owned(),
        };
        walk.note(draft.fact(FactKey::OldValue, called(pair.old)).fact(FactKey::NewValue, called(pair.new)));
    }
    match (pair.old.root, pair.new.root) {
        _ if are_elsewhere => {}
        (Some(old), Some(new)) if !pair.new.is_shelf || !pair.old.is_shelf => {
            document(walk, Pair::new(old, new), files, pair.map(|file| file.path.to_string()));
        }
        _ => {}
    }
    // Where a document is nothing but definitions before or after, what it was made of is still somebody's.
    if pair.old.is_shelf || pair.new.is_shelf {
        definitions(walk, files);
    }
}

/// More definitions of one file are compared each by itself, whether others hold them or not.
const MOST_DEFINITIONS: usize = 500;

/// The definitions of a document that only holds those, where documents of one side at most lead to any of them: somebody else's do. One that another
/// definition holds on both sides, and not the other way round, is a part of that.
fn definitions(walk: &mut Walk<'_>, files: Pair<usize>) {
    let schemas = walk.schemas;
    let pair = schemas.zip(files, |schema, file| &schema.files[file]);
    let roots = |schema: &Schema| -> Vec<NodeId> {
        schema.files.iter().filter(|file| !file.is_shelf).filter_map(|file| file.root).collect()
    };
    let led = schemas.map(|schema| schema.led_to(roots(schema)));
    let of_new = |name: &str| {
        let inside = within(name, pair.old);
        let mut all = pair.new.names.iter().filter(|(other, _)| within(other, pair.new) == inside);
        all.find_map(|(name, node)| Some((name, node.filter(|node| !is_root(pair.new, *node))?)))
    };
    let olds = pair.old.names.iter().filter_map(|(name, old)| Some((name, (*old)?)));
    let olds = olds.filter(|(_, old)| !is_root(pair.old, *old));
    let both = olds.clone().filter_map(|(name, old)| {
        let (now, new) = of_new(name)?;
        Some((Pair::new(name, now), Pair::new(old, new)))
    });
    let mut free: Vec<(Pair<&String>, Pair<NodeId>)> = both.collect();
    let gone: Vec<(&String, NodeId)> = olds.clone().filter(|(name, _)| of_new(name).is_none()).collect();
    free.extend(renamed(walk, pair, &gone));
    for (name, old) in olds.filter(|(name, old)| of_new(name).is_none() && !led.old.contains(old)) {
        let site = Some(Site { file: pair.old.path.clone(), span: schemas.old.node(old).span });
        let draft = Draft::new(ChangeKind::FileRemoved, name.clone(), declaration("definition", name));
        walk.note(draft.at(Pair::new(site, None)).fact(FactKey::Needed, "no"));
    }
    let is_used = |file: &File, led: &FxHashSet<NodeId>| {
        file.names.iter().any(|(_, node)| node.is_some_and(|node| led.contains(&node)))
    };
    // A reference that comes, or goes, with a change does not say whose the others were, and neither does one from a document
    // that says nothing any more.
    let are_used = is_used(pair.old, &led.old) && is_used(pair.new, &led.new);
    if are_used && pair.old.is_shelf == pair.new.is_shelf {
        return;
    }
    let inside: Vec<Pair<FxHashSet<NodeId>>> = match free.len() <= MOST_DEFINITIONS {
        true => free.iter().map(|(_, nodes)| schemas.zip(*nodes, |schema, node| schema.led_to(vec![node]))).collect(),
        false => Vec::new(),
    };
    // On both sides, or what became of it there would be told nowhere.
    let holds = |other: usize, own: usize| {
        let nodes = free[own].1;
        inside[other].old.contains(&nodes.old) && inside[other].new.contains(&nodes.new)
    };
    let is_part = |own: usize| (0..inside.len()).any(|other| holds(other, own) && !holds(own, other));
    for (index, (name, nodes)) in free.iter().enumerate() {
        if !is_part(index) {
            document(walk, *nodes, files, name.map(String::clone));
        }
    }
}

/// Definitions that go on under another name: those that came and are the likest of the ones that went, each of one.
fn renamed<'s>(
    walk: &mut Walk<'s>,
    pair: Pair<&'s File>,
    gone: &[(&'s String, NodeId)],
) -> Vec<(Pair<&'s String>, Pair<NodeId>)> {
    let known: FxHashSet<&str> = pair.old.names.iter().map(|(name, _)| within(name, pair.old)).collect();
    let came = pair.new.names.iter().filter(|(name, _)| !known.contains(within(name, pair.new)));
    let mut came: Vec<(&String, NodeId)> = came.filter_map(|(name, node)| Some((name, (*node)?))).collect();
    came.retain(|(_, node)| !is_root(pair.new, *node));
    let mut found = Vec::new();
    if gone.len() * came.len() > MOST_RENAMED {
        return found;
    }
    for (name, old) in gone {
        let likest = came.iter().enumerate().filter_map(|(at, (_, new))| {
            let nodes = Pair::new(*old, *new);
            let members =
                walk.same.are(nodes).then_some(usize::MAX).or_else(|| members_of_both(walk.schemas, nodes))?;
            Some((members, std::cmp::Reverse(at)))
        });
        if let Some((_, std::cmp::Reverse(at))) = likest.max() {
            let (now, new) = came.remove(at);
            found.push((Pair::new(*name, now), Pair::new(*old, new)));
        }
    }
    found
}

/// More pairs of names that went and that came are not looked at.
const MOST_RENAMED: usize = 10_000;

/// How many members both of two schemas name, if these are most of the members of each.
fn members_of_both(schemas: Pair<&Schema>, nodes: Pair<NodeId>) -> Option<usize> {
    let members = schemas.zip(nodes, |schema, node| schema.node(schema.seen_through(node)).map("properties"));
    let (old, new) = (members.old?, members.new?);
    let common = old.keys().filter(|name| new.contains_key(*name)).count();
    (common > 0 && 2 * common >= old.len().max(new.len())).then_some(common)
}

/// Whether each of two schemas names so many members.
fn have_members(schemas: Pair<&Schema>, nodes: Pair<NodeId>, count: usize) -> bool {
    let counts = schemas.zip(nodes, |schema, node| {
        schema.node(schema.seen_through(node)).map("properties").map(|members| members.len())
    });
    counts == Pair::new(Some(count), Some(count))
}

/// A document that one side has.
fn alone(walk: &mut Walk<'_>, file: &File, kind: ChangeKind) {
    let schema = if kind == ChangeKind::FileAdded { walk.schemas.new } else { walk.schemas.old };
    let span = file.root.map_or(crate::change::Span::default(), |root| schema.node(root).span);
    let site = Some(Site { file: file.path.clone(), span });
    let at = if kind == ChangeKind::FileAdded { Pair::new(None, site) } else { Pair::new(site, None) };
    let draft = Draft::new(kind, file.path.to_string(), declaration("file", &file.path)).at(at);
    // What a reference of the other side still means is not known to be needless, nor to be gone.
    let is_wanted = kind == ChangeKind::FileRemoved && is_still_meant(walk.schemas, file);
    let needed = match !file.is_shelf && !is_wanted {
        true if kind == ChangeKind::FileRemoved && has_copy(walk, file) => "copy",
        is_needed => yes(is_needed),
    };
    walk.note(draft.fact(FactKey::Needed, needed));
}

/// Whether a document that says the same as one that went is still there, of the same address, or of the same name and text where
/// it has none, on the same terms.
fn has_copy(walk: &mut Walk<'_>, gone: &File) -> bool {
    let Some(old) = gone.root else { return false };
    let is_called_so = |file: &&File| match (&gone.id, &file.id) {
        (None, None) => file.content == gone.content && stem(&file.path) == stem(&gone.path),
        (gone, there) => gone == there,
    };
    let is_used_so = |file: &&File| {
        let are_of_one_sort = file.dialect == gone.dialect && file.is_bson == gone.is_bson;
        are_of_one_sort && file.terms == gone.terms && file.usage == gone.usage
    };
    let own = walk.schemas.new.files.iter().filter(|file| !file.is_library && !file.is_shelf);
    let roots: Vec<NodeId> = own.filter(is_called_so).filter(is_used_so).filter_map(|file| file.root).collect();
    roots.into_iter().any(|new| walk.same.are(Pair::new(old, new)))
}

/// Whether a document that referred to one which went still refers to what is called so.
fn is_still_meant(schemas: Pair<&Schema>, gone: &File) -> bool {
    let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let means = |file: &File| file.imports.iter().any(|import| last(import) == last(&gone.path));
    schemas
        .old
        .references()
        .iter()
        .filter(|(_, to)| *to == &*gone.path)
        .any(|(from, _)| schemas.new.files.iter().any(|file| &*file.path == *from && means(file)))
}
