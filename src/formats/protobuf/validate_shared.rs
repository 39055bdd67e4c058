//! Names that several files define. That is an error only where some file sees both: files that never meet may use
//! one name for different things.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Span;
use crate::ordered::{InOrder, OrderedMap};
use crate::syntax::problem::Problem;

use super::link_scope::Entity;
use super::model::FileId;
use super::universe::Universe;

/// A name, what it names, and the file that both are reached from.
type Clash<'u> = (&'u str, Entity, FileId);

/// One error for each name that two files of one import closure define.
pub(super) fn shared_names(universe: &Universe<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    // What two files have in common is told once for the two.
    let mut clashes: OrderedMap<(FileId, FileId), Vec<Clash<'_>>> = OrderedMap::new();
    let mut closures = Closures::default();
    for name in &universe.symbols.shared {
        let mut definitions: Vec<(FileId, Entity)> = universe
            .symbols
            .all(name)
            .map(|(entity, file)| (file, entity))
            .filter(|(_, entity)| is_top_level(universe, *entity))
            .collect();
        definitions.reverse();
        definitions.dedup_by_key(|(file, _)| *file);
        for (index, (file, entity)) in definitions.iter().enumerate() {
            let clash = definitions[..index]
                .iter()
                .find_map(|(other, _)| closures.meeting(universe, *file, *other).map(|meeting| (*other, meeting)));
            if let Some((other, meeting)) = clash {
                clashes.entry((*file, other)).or_default().push((name, *entity, meeting));
            }
        }
    }
    for ((file, other), mut names) in clashes {
        names.sort_in_order_by_key(|(name, entity, _)| (place(universe, *entity, name).start, *name));
        if let Some((name, entity, meeting)) = names.first() {
            let more = names.len() - 1;
            problems.push(report(universe, (name, more), (file, *entity), other, *meeting));
        }
    }
    problems.extend(packages(universe, &mut closures));
    problems
}

fn report(
    universe: &Universe<'_>,
    (name, more): (&str, usize),
    here: (FileId, Entity),
    other: FileId,
    meeting: FileId,
) -> Problem {
    let (file, entity) = here;
    let path = |file: FileId| &universe.files[file.0 as usize].path;
    // A file that only supplies types is not the user's to change: the place is then the other one.
    let (file, other, span) =
        if universe.files[file.0 as usize].is_builtin && !universe.files[other.0 as usize].is_builtin {
            let theirs = universe.symbols.all(name).find(|(_, at)| *at == other).map(|(entity, _)| entity);
            (other, file, theirs.map_or_else(Span::default, |entity| place(universe, entity, name)))
        } else {
            (file, other, place(universe, entity, name))
        };
    // Who brings them together may be another file on the other side, and the two are told together.
    let through =
        if meeting == file || meeting == other { String::new() } else { format!("; {} imports both", path(meeting)) };
    let names = match more {
        0 => format!("`{name}` is"),
        // How many more is another number on the other side, and the two are told together.
        _ => format!("`{name}` and other names are"),
    };
    Problem::aside(
        path(file),
        span,
        format!("{names} defined in {} too: one program cannot hold both", path(other)),
        format!("rename one of the two, or import the same copy everywhere{through}"),
    )
}

fn is_top_level(universe: &Universe<'_>, entity: Entity) -> bool {
    match entity {
        Entity::Message(id) => universe.schema.message(id).parent.is_none(),
        Entity::Enum(id) | Entity::Value(id) => universe.schema.enumeration(id).parent.is_none(),
        Entity::Extension(id) => universe.extension_scopes[id.0 as usize].parent.is_none(),
        Entity::Service(_) | Entity::Package => true,
    }
}

fn place(universe: &Universe<'_>, entity: Entity, full_name: &str) -> Span {
    let schema = &universe.schema;
    match entity {
        Entity::Message(id) => schema.message(id).ast.name.span,
        Entity::Enum(id) => schema.enumeration(id).ast.name.span,
        Entity::Service(id) => schema.services[id as usize].ast.name.span,
        Entity::Extension(id) => schema.extension(id).ast.name.span,
        Entity::Value(id) => {
            let item = schema.enumeration(id);
            let simple = full_name.rsplit_once('.').map_or(full_name, |(_, simple)| simple);
            let value = item.ast.values.iter().find(|value| value.name.text == simple);
            value.map_or(item.ast.name.span, |value| value.name.span)
        }
        Entity::Package => Span::default(),
    }
}

/// A declaration cannot have the name of a package that some file sees beside it.
fn packages(universe: &Universe<'_>, closures: &mut Closures) -> Vec<Problem> {
    let schema = &universe.schema;
    let messages = schema
        .messages
        .iter()
        .filter(|item| item.parent.is_none())
        .map(|item| (&item.full_name, item.file, item.ast.name.span));
    let enums = schema
        .enums
        .iter()
        .filter(|item| item.parent.is_none())
        .map(|item| (&item.full_name, item.file, item.ast.name.span));
    let services = schema.services.iter().map(|item| (&item.full_name, item.file, item.ast.name.span));
    let mut problems = Vec::new();
    let suspects: Vec<(&Arc<str>, FileId, Span)> =
        messages.chain(enums).chain(services).filter(|(name, _, _)| universe.symbols.is_package(name)).collect();
    for (name, file, span) in suspects {
        for (index, other) in schema.files.iter().enumerate() {
            let other_id = FileId(u32::try_from(index).expect("ids are of 32 bits"));
            let has_package =
                other.package.strip_prefix(name.as_ref()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            if has_package && closures.meeting(universe, file, other_id).is_some() {
                problems.push(Problem::error(
                    &universe.files[file.0 as usize].path,
                    span,
                    format!("`{name}` is the name of a package in {}", other.path),
                    "rename the declaration or the package",
                ));
                break;
            }
        }
    }
    problems
}

/// Who imports whom, backwards and transitively; computed for the files that are asked about.
#[derive(Default)]
struct Closures {
    importers: Vec<Vec<u32>>,
    /// In the order of the files: most are reached from few.
    reached: FxHashMap<FileId, Vec<u32>>,
}

impl Closures {
    /// A file whose import closure holds both files. Two copies to which one import path leads from different places
    /// never meet: a compiler, which has one list of import roots, reads only one of them.
    fn meeting(&mut self, universe: &Universe<'_>, one: FileId, other: FileId) -> Option<FileId> {
        self.reach(universe, one);
        self.reach(universe, other);
        let (first, second) = (&self.reached[&one], &self.reached[&other]);
        let others = self.import_paths(universe, other);
        if self.import_paths(universe, one).any(|path| others.clone().any(|other| other == path)) {
            return None;
        }
        let (few, many) = if first.len() < second.len() { (first, second) } else { (second, first) };
        let mut both = few.iter().copied().filter(|file| many.binary_search(file).is_ok());
        let direct = [one, other]
            .into_iter()
            .find(|file| few.binary_search(&file.0).is_ok() && many.binary_search(&file.0).is_ok());
        let first = both.next()?;
        Some(direct.unwrap_or(FileId(first)))
    }

    /// The paths by which a file is imported.
    fn import_paths<'p>(&'p self, universe: &'p Universe<'_>, target: FileId) -> impl Iterator<Item = &'p str> + Clone {
        self.importers[target.0 as usize].iter().flat_map(move |importer| {
            let file = &universe.files[*importer as usize];
            let imports = file.ast.imports.iter().zip(&file.imports);
            imports.filter(move |(_, led)| **led == Some(target)).map(|(import, _)| import.path.as_ref())
        })
    }

    fn reach(&mut self, universe: &Universe<'_>, start: FileId) {
        if self.importers.is_empty() {
            self.importers = vec![Vec::new(); universe.files.len()];
            for (index, file) in universe.files.iter().enumerate() {
                for target in file.imports.iter().flatten() {
                    self.importers[target.0 as usize].push(u32::try_from(index).expect("ids are of 32 bits"));
                }
            }
        }
        let importers = &self.importers;
        self.reached.entry(start).or_insert_with(|| {
            let (mut reached, mut open) = (FxHashSet::default(), vec![start.0]);
            while let Some(file) = open.pop() {
                if reached.insert(file) {
                    open.extend(&importers[file as usize]);
                }
            }
            let mut reached: Vec<u32> = reached.into_iter().collect();
            reached.sort_in_order();
            reached
        });
    }
}
