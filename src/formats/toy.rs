//! A language for tests, and the example of what a language owes: `key: type` lines.
//!
//! ```text
//! namespace shop
//! use lib/b
//! enum E: P Q
//! type A
//!   x: int
//!   b: B = nothing
//! ```
//!
//! Data is text as well: `key=value;` for each field, a number or quoted text or an enum value as it is. A reader skips
//! keys that it does not know, takes what is missing for absent, and rejects a value of another type.

use std::sync::Arc;

use crate::change::{Change, ChangeKind, FactKey, Pair, Side, Span};
use crate::evidence::{Direction, Observation, Observed, Outcome, Surface, Witness};
use crate::formats::check::CheckOptions;
use crate::formats::division::{Division, Written};
use crate::formats::frame::differ::{Candidate, Draft, by_name, counterparts};
use crate::formats::frame::folders::{Above, Folders};
use crate::formats::frame::roots::Roots;
use crate::formats::frame::{
    Compared, Declared, Diff, Diffs, Gathered, Import, Language, Linkage, Links, Probes, Ties, one_notation,
};
use crate::ordered::OrderedMap;
use crate::snapshot::Snapshot;
use crate::syntax::log::{self, Log};
use crate::syntax::problem::Problem;

/// The language.
struct Toy;

/// What one file says.
#[derive(Default)]
struct Tree<'b> {
    namespace: &'b str,
    uses: Vec<(&'b str, Span)>,
    types: Vec<Node<'b>>,
}

/// A type, or an enum with values in place of fields.
struct Node<'b> {
    name: &'b str,
    span: Span,
    is_enum: bool,
    fields: Vec<Field<'b>>,
}

#[derive(Clone, Copy, PartialEq)]
struct Field<'b> {
    name: &'b str,
    ty: &'b str,
    default: Option<&'b str>,
    span: Span,
}

/// All types of one side.
#[derive(Default)]
struct Schema<'t> {
    files: Vec<(Arc<str>, bool)>,
    types: Vec<Type<'t>>,
}

struct Type<'t> {
    full_name: String,
    file: usize,
    node: &'t Node<'t>,
}

/// Two types that were compared, by their places in the schemas, and whether anything inside differs.
type Pairs = Vec<(Pair<usize>, bool)>;

fn parse<'b>(path: &Arc<str>, bytes: &'b [u8]) -> (Tree<'b>, Vec<Problem>) {
    let (mut tree, mut problems) = (Tree::default(), Vec::new());
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        let span = Span::new(start as u32, (start + words.len()) as u32);
        at += line.len();
        let is_inside = line.starts_with(' ');
        match (words.split_once(' '), words.split_once(": ")) {
            _ if words.is_empty() => {}
            (_, Some((name, ty))) if is_inside && !tree.types.is_empty() => {
                let (ty, default) = ty.split_once(" = ").map_or((ty, None), |(ty, default)| (ty, Some(default)));
                let field = Field { name, ty, default, span };
                tree.types.last_mut().expect("there is one").fields.push(field);
            }
            (Some(("namespace", name)), _) => tree.namespace = name,
            (Some(("use", path)), _) => tree.uses.push((path, span)),
            (Some(("type", name)), _) => tree.types.push(Node { name, span, is_enum: false, fields: Vec::new() }),
            (Some(("enum", rest)), Some(_)) => {
                let (name, values) = rest.split_once(": ").unwrap_or((rest, ""));
                let value = |name| Field { name, ty: "", default: None, span };
                let fields = values.split(' ').map(value).collect();
                tree.types.push(Node { name, span, is_enum: true, fields });
            }
            _ => problems.push(Problem::error(path, span, format!("`{words}` says nothing"), "write `key: type`")),
        }
    }
    (tree, problems)
}

impl Language for Toy {
    type Tree<'b> = Tree<'b>;
    type Search<'b> = Folders<'b>;

    const IMPORT: &'static str = "use";

    one_notation!(".toy", parse, None);

    fn imports<'i>(tree: &'i Tree<'_>) -> Vec<Import<'i, Self>> {
        tree.uses.iter().map(|(path, span)| Import { path, span: *span, reading: () }).collect()
    }

    fn ties(_path: &str, tree: &Tree<'_>) -> Ties {
        let names = tree.types.iter().map(|node| format!("{}.{}", tree.namespace, node.name)).collect();
        Ties { packages: vec![tree.namespace.to_owned()], names, carries_any: false }
    }

    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Folders<'b> {
        Folders::new::<Self>(snapshot, options, Above::Ignored)
    }
}

impl Links for Toy {
    type Schema<'t> = Schema<'t>;

    fn link<'t>(gathered: &Gathered<'t, Self>, _side: Side) -> Linkage<Schema<'t>> {
        let mut schema = Schema::default();
        let mut logs: Vec<Log> = gathered.inputs.iter().map(|input| Log::new(&input.path)).collect();
        for (file, input) in gathered.inputs.iter().enumerate() {
            schema.files.push((input.path.clone(), input.is_library));
            for node in &input.tree.types {
                let full_name = format!("{}.{}", input.tree.namespace, node.name);
                if schema.types.iter().any(|one| one.full_name == full_name && one.file == file) {
                    logs[file].error(
                        node.span,
                        format_args!("`{full_name}` is defined twice"),
                        "rename one of the two",
                    );
                }
                schema.types.push(Type { full_name, file, node });
            }
        }
        for (file, input) in gathered.inputs.iter().enumerate() {
            let may_be_missing = input.imports.contains(&None) || input.is_broken();
            for node in input.tree.types.iter().filter(|node| !node.is_enum) {
                for (index, field) in node.fields.iter().enumerate() {
                    let is_known =
                        matches!(field.ty, "int" | "text") || schema.types.iter().any(|one| one.node.name == field.ty);
                    if node.fields[..index].iter().any(|one| one.name == field.name) {
                        logs[file].error(field.span, format_args!("`{}` is there twice", field.name), "rename one");
                    } else if !is_known && may_be_missing {
                        logs[file].unsure(field.span, field.ty);
                    } else if !is_known {
                        logs[file].error(field.span, format_args!("`{}` is not defined", field.ty), "define it");
                    }
                    if field.ty == "int" && field.default.is_some_and(|default| default.parse::<i64>().is_err()) {
                        logs[file].refuse(field.span, format_args!("the default is no number"), "write a number");
                    }
                }
            }
        }
        Linkage { schema, problems: log::all(logs), lacks_names: false }
    }

    fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
        let one = |one: &'s Type<'_>| Declared {
            name: &one.full_name,
            file: &schema.files[one.file].0,
            at: one.node.span,
            is_own: !schema.files[one.file].1,
        };
        schema.types.iter().map(one).collect()
    }
}

impl<'t> Schema<'t> {
    fn candidates(&self) -> Vec<Candidate<usize>> {
        let own = self.types.iter().enumerate().filter(|(_, one)| !self.files[one.file].1);
        own.map(|(id, one)| Candidate::new(id, &one.full_name, &self.files[one.file].0)).collect()
    }

    fn site(&self, one: &Type<'_>, span: Span) -> Option<crate::change::Site> {
        Some(crate::change::Site { file: self.files[one.file].0.clone(), span })
    }

    fn named(&self, name: &str) -> Option<&Type<'t>> {
        self.types.iter().find(|one| one.node.name == name)
    }

    fn reach(&self, one: &Type<'_>, names: &mut crate::ordered::OrderedSet<String>) {
        if names.insert(one.full_name.clone()) {
            for target in one.node.fields.iter().filter_map(|field| self.named(field.ty)) {
                self.reach(target, names);
            }
        }
    }
}

/// What readers see of a field: of old data, of new data.
fn relation(fields: Pair<Option<&Field<'_>>>, is_enum: bool) -> Option<Pair<Outcome>> {
    match (fields.old, fields.new) {
        (Some(old), Some(new)) if old.ty == new.ty => None,
        (Some(_), Some(_)) => Some(Pair::new(Outcome::Fails, Outcome::Fails)),
        (Some(_), None) if is_enum => Some(Pair::new(Outcome::Unrecognized, Outcome::Safe)),
        (None, Some(_)) if is_enum => Some(Pair::new(Outcome::Safe, Outcome::Unrecognized)),
        (Some(_), None) => Some(Pair::new(Outcome::Safe, Outcome::Defaulted)),
        (None, _) => Some(Pair::new(Outcome::Defaulted, Outcome::Safe)),
    }
}

impl Diffs for Toy {
    type Pairs = Pairs;

    fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff<Pairs> {
        let mut found = Diff { changes: Vec::new(), pairs: Vec::new() };
        let sides = Pair::new(schemas.old.candidates(), schemas.new.candidates());
        for types in counterparts(sides) {
            let before = found.changes.len();
            diff_type(schemas, types, &mut found.changes);
            found.pairs.push((types, found.changes.len() > before));
        }
        if !roots.is_everything() {
            let mut reached = crate::ordered::OrderedSet::new();
            for schema in [schemas.old, schemas.new] {
                schema
                    .types
                    .iter()
                    .filter(|one| roots.has(&one.full_name))
                    .for_each(|one| schema.reach(one, &mut reached));
            }
            let names = reached.iter().map(String::as_str).collect();
            roots.limit(&mut found.changes, &names);
            found.pairs.retain(|(types, _)| reached.contains(&schemas.new.types[types.new].full_name));
        }
        found
    }
}

fn diff_type(schemas: Pair<&Schema<'_>>, types: Pair<usize>, changes: &mut Vec<Change>) {
    let Pair { old, new } = Pair::new(&schemas.old.types[types.old], &schemas.new.types[types.new]);
    for (name, fields) in members(Pair::new(old.node, new.node)) {
        let Some(reads) = relation(fields, new.node.is_enum) else { continue };
        let kind = match (fields.old, fields.new) {
            (Some(_), Some(_)) => ChangeKind::FieldTypeChanged,
            (Some(_), None) => ChangeKind::FieldRemoved,
            (None, _) => ChangeKind::FieldAdded,
        };
        let at = Pair::new(
            fields.old.and_then(|field| schemas.old.site(old, field.span)),
            fields.new.and_then(|field| schemas.new.site(new, field.span)),
        );
        let path = format!("{}.{name}", new.full_name);
        let draft = Draft::new(kind, path, by_name(&new.full_name, name)).at(at).reads(reads);
        changes.push(draft.fact(FactKey::Container, &*new.full_name).finish());
    }
}

/// The fields of two types by their names.
fn members<'m>(nodes: Pair<&'m Node<'m>>) -> OrderedMap<&'m str, Pair<Option<&'m Field<'m>>>> {
    let mut members: OrderedMap<&str, Pair<Option<&Field<'_>>>> = OrderedMap::new();
    nodes.old.fields.iter().for_each(|field| members.entry(field.name).or_default().old = Some(field));
    nodes.new.fields.iter().for_each(|field| members.entry(field.name).or_default().new = Some(field));
    members
}

/// One value of a type: a number, a text, or nothing for what is not known.
fn generate(ty: &str) -> Option<&'static str> {
    match ty {
        "int" => Some("1"),
        "text" => Some("\"t\""),
        _ => None,
    }
}

fn encode(fields: &[(&str, &str)]) -> Vec<u8> {
    fields.iter().map(|(name, value)| format!("{name}={value};")).collect::<String>().into_bytes()
}

/// What a reader makes of the value of one of its fields.
fn decode(bytes: &[u8], field: &Field<'_>) -> Outcome {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let mut values = text.split(';').filter_map(|pair| pair.split_once('='));
    match values.find(|(name, _)| *name == field.name) {
        None => Outcome::Defaulted,
        Some((_, value)) if value.starts_with('"') == (field.ty == "text") => Outcome::Safe,
        Some(_) => Outcome::Fails,
    }
}

impl Probes for Toy {
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed {
        let mut observed = Observed::default();
        let Pair { old, new } = compared.schemas;
        for (types, _) in compared.pairs.iter().filter(|(_, changed)| *changed) {
            let types = Pair::new(&old.types[types.old], &new.types[types.new]);
            if !division.writes(compared.schemas.zip(types.as_ref(), |schema, one| &*schema.files[one.file].0)) {
                continue;
            }
            let directions = [
                (Direction::Backward, types.old.node, types.new.node),
                (Direction::Forward, types.new.node, types.old.node),
            ];
            for (direction, writer, reader) in directions {
                let identity = |name: &str| by_name(&types.new.full_name, name);
                let lost =
                    |value: &&Field<'_>| writer.is_enum && reader.fields.iter().all(|one| one.name != value.name);
                let unknown =
                    writer.fields.iter().filter(lost).map(|value| (identity(value.name), Outcome::Unrecognized));
                let written: Vec<_> =
                    writer.fields.iter().filter_map(|field| Some((field.name, generate(field.ty)?))).collect();
                let bytes = encode(&written);
                let known = |field: &&Field<'_>| !reader.is_enum && generate(field.ty).is_some();
                let fields = reader.fields.iter().filter(known);
                let read = fields.map(|field| (identity(field.name), decode(&bytes, field)));
                let felt = unknown.chain(read).filter(|(_, outcome)| *outcome != Outcome::Safe);
                observed.observations.extend(felt.map(|(identity, outcome)| Observation {
                    identity,
                    runtime: "spec",
                    surface: Surface::Wire,
                    direction,
                    outcome,
                    witness: Witness {
                        type_name: types.new.full_name.clone(),
                        bytes: bytes.clone(),
                        written_parts: Vec::new(),
                        read_parts: Vec::new(),
                        ..Witness::default()
                    },
                }));
                observed.messages += 1;
            }
        }
        observed
    }

    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>> {
        let Pair { old, new } = compared.schemas;
        let changed = compared.pairs.iter().filter(|(_, changed)| *changed);
        let written =
            changed.map(|(types, _)| (&old.types[types.old], &new.types[types.new])).map(|(before, after)| Written {
                files: Pair::new(&*old.files[before.file].0, &*new.files[after.file].0),
                names: Pair::new(&*before.full_name, &*after.full_name),
            });
        written.collect()
    }
}

#[path = "toy_tests.rs"]
mod tests;
