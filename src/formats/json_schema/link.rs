//! Documents → [`Schema`]: references resolved, and every dialect brought into one form.

use super::address;
use super::dialect::{Draft, Shape, shape};
use super::language::{Gathered, Linkage};
use super::linker::Linker;
use super::lower::{lowered, say_what_is_lost};
use super::meta::{self, BuiltIn};
use super::model::{File, Schema};
use super::registry;
use super::valid;
use crate::formats::instances::Usage;
use crate::syntax::json::{Json, JsonKind, Member};
use crate::syntax::log;

/// Links the documents of one side.
pub(super) fn link<'t>(gathered: &Gathered<'t>) -> Linkage<Schema> {
    let mut linker = Linker::new(gathered);
    for (document, input) in gathered.inputs.iter().enumerate() {
        let file = File {
            path: input.path.clone(),
            is_library: input.is_library || document >= gathered.judged,
            terms: input.terms,
            is_built_in: false,
            root: None,
            is_shelf: false,
            imports: input.tree.imports.iter().map(|(import, _)| import.clone()).collect(),
            id: input.tree.id.clone(),
            usage: gathered.usages.of(&input.path).clone(),
            is_bson: input.tree.is_bson,
            dialect: match input.tree.draft {
                Some(_) if input.tree.is_bson => "MongoDB's `$jsonSchema`",
                draft => draft.map_or("", dialect_name),
            },
            dialect_span: input.tree.json.as_ref().and_then(|json| json.get("$schema")).map(|written| written.span),
            names: Vec::new(),
            content: Some(std::ptr::from_ref(input.tree).addr()),
        };
        linker.schema.files.push(file);
        if let (Some(json), Some(draft)) = (&input.tree.json, input.tree.draft) {
            valid::check(json, draft, &input.tree.of_other_dialects(draft), &mut linker.logs[document]);
        }
    }
    for document in 0..linker.own {
        root(&mut linker, document);
    }
    while let Some((id, (document, pointer, scope), json)) = linker.open.pop() {
        lowered(&mut linker, id, json, (document, &pointer, scope));
    }
    say_what_is_lost(&mut linker);
    if linker.schema.nodes.iter().any(|node| node.file >= linker.own) {
        linker.schema.files.extend(meta::all().iter().map(built_in));
    }
    linker.schema.shapes = registry::load(&linker);
    Linkage { schema: linker.schema, problems: log::all(linker.logs), lacks_names: false }
}

/// A meta-schema among the files.
fn built_in(meta: &BuiltIn) -> File {
    File {
        path: meta.path.clone(),
        is_library: true,
        terms: 0,
        is_built_in: true,
        root: None,
        is_shelf: false,
        imports: Vec::new(),
        id: meta.tree.id.clone(),
        usage: Usage::default(),
        is_bson: false,
        dialect: "",
        dialect_span: None,
        names: Vec::new(),
        content: None,
    }
}

const fn dialect_name(draft: Draft) -> &'static str {
    match draft {
        Draft::D4 => "draft 4",
        Draft::D6 => "draft 6",
        Draft::D7 => "draft 7",
        Draft::D2019 => "2019-09",
        Draft::D2020 => "2020-12",
    }
}

/// The name of a file without its ending and folders.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends = [".schema.json", ".schema.yaml", ".schema.yml", ".json", ".yaml", ".yml"];
    ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// How deep definitions are looked for in definitions that only hold others.
const DEEPEST_SHELF: usize = 8;

/// The schema of a whole document, and its definitions.
fn root(linker: &mut Linker<'_>, document: usize) {
    let Some(json) = linker.documents[document].json.as_ref() else { return };
    let Some(draft) = linker.documents[document].draft else { return };
    let name = stem(&linker.schema.files[document].path).to_owned();
    let mut names = Vec::new();
    let root = linker.meet((document, String::new()), 0);
    let is_shelf = is_shelf(json, draft);
    linker.schema.files[document].root = root;
    linker.schema.files[document].is_shelf = is_shelf;
    if !is_shelf {
        names.push((name.clone(), root));
    }
    let mut open = vec![(json, String::new(), name, 0)];
    while let Some((json, pointer, name, depth)) = open.pop() {
        for keyword in ["$defs", "definitions"] {
            let Some(JsonKind::Object(members)) = json.get(keyword).map(|defs| &defs.kind) else { continue };
            for member in members {
                let pointer = address::step(&format!("{pointer}/{keyword}"), &member.key);
                let node = linker.meet((document, pointer.clone()), 0);
                let name = format!("{name}.{}", member.key);
                names.push((name.clone(), node));
                // A definition that only holds others is a shelf in its turn.
                if depth < DEEPEST_SHELF && self::is_shelf(&member.value, draft) {
                    open.push((&member.value, pointer, name, depth + 1));
                }
            }
        }
    }
    linker.schema.files[document].names = names;
}

/// Whether a document holds definitions for others and says nothing of data.
fn is_shelf(json: &Json<'_>, draft: Draft) -> bool {
    let JsonKind::Object(members) = &json.kind else { return false };
    let is_definitions = |key: &str| matches!(key, "$defs" | "definitions");
    let asserts = members.iter().any(|member| !matches!(shape(&member.key, draft), Shape::Note | Shape::Definitions));
    let holds = |member: &Member<'_>| matches!(&member.value.kind, JsonKind::Object(kept) if !kept.is_empty());
    !asserts && members.iter().any(|member| is_definitions(&member.key) && holds(member))
}
