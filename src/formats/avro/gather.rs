//! How Avro files are read, which names they mention, and which of them have the schema of data that does not.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::formats::check::CheckOptions;
use crate::formats::frame::contents::files;
use crate::formats::frame::{Mentions, Supplied, Supplier};
use crate::snapshot::{Bytes, ContentId, Snapshot};
use crate::syntax::json;
use crate::syntax::tokens;

use super::ast::{Document, ImportKind, Names, Node, NodeKind};
use super::language::{Avro, Content, Contents};
use super::model::Primitive;
use super::{container, container_schema, idl, schema_json};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syntax {
    /// `.avsc`
    Schema,
    /// `.avpr`
    Protocol,
    /// `.avdl`
    Idl,
    /// `.avro`, or whatever begins like that
    Data,
}

impl Syntax {
    pub(super) fn of_file(path: &str, bytes: &Bytes) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "avro" | "avsc" | "avpr" | "avdl" if container::is_data(bytes) => Some(Syntax::Data),
            // Some call their schemas so, and so is a schema called that data is compared with.
            "avro" if matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"')) => Some(Syntax::Schema),
            "avro" => Some(Syntax::Data),
            _ => Self::of_path(path),
        }
    }

    pub(super) fn of_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "avsc" => Some(Syntax::Schema),
            "avpr" => Some(Syntax::Protocol),
            "avdl" => Some(Syntax::Idl),
            _ => None,
        }
    }

    pub(super) fn of_import(kind: ImportKind) -> Self {
        match kind {
            ImportKind::Idl => Syntax::Idl,
            ImportKind::Protocol => Syntax::Protocol,
            ImportKind::Schema => Syntax::Schema,
        }
    }

    pub(super) fn tokens(self) -> Option<tokens::Style> {
        match self {
            Syntax::Data => None,
            Syntax::Idl => Some(tokens::Style::of(idl::STYLE)),
            Syntax::Schema | Syntax::Protocol => Some(tokens::Style::JSON),
        }
    }

    pub(super) fn parse<'b>(self, path: &Arc<str>, bytes: &'b [u8]) -> Content<'b> {
        let (tree, problems) = match self {
            Syntax::Data => return container_schema::read(path, bytes),
            Syntax::Idl => idl::parse(path, bytes),
            Syntax::Schema | Syntax::Protocol => {
                let (json, mut problems) = json::parse(path, bytes);
                let (document, more) = match json {
                    Some(json) if self == Syntax::Protocol => schema_json::protocol(path, json),
                    Some(json) => schema_json::schema(path, json),
                    None => (Document::default(), Vec::new()),
                };
                problems.extend(more);
                (document, problems)
            }
        };
        Content { bytes, tree, problems, not_checked: None }
    }
}

/// The names that a file defines, and those that it uses. A name without dots may lie in the namespace around it or in
/// none.
pub(super) fn mentions(document: &Document<'_>) -> Mentions {
    let mut found = Mentions::default();
    let namespace = document.namespace.as_ref().map_or("", |namespace| &namespace.text);
    document.schemas().for_each(|node| mention(node, namespace, &mut found));
    found
}

fn mention(node: &Node<'_>, namespace: &str, found: &mut Mentions) {
    match &node.kind {
        NodeKind::Name(name) if Primitive::from_name(&name.text).is_some() => {}
        NodeKind::Name(name) => found.uses.push(vec![name.text.to_string(), qualified(&name.text, namespace)]),
        NodeKind::Record { names, fields, .. } => {
            let (name, own) = defined(names, namespace);
            fields.iter().for_each(|field| mention(&field.schema, &own, found));
            found.defines.push(name);
        }
        NodeKind::Enum { names, .. } | NodeKind::Fixed { names, .. } => {
            found.defines.push(defined(names, namespace).0);
        }
        NodeKind::Array(inner) | NodeKind::Map(inner) => mention(inner, namespace, found),
        NodeKind::Union(branches) => branches.iter().for_each(|branch| mention(branch, namespace, found)),
        NodeKind::Broken => {}
    }
}

fn qualified(name: &str, namespace: &str) -> String {
    if namespace.is_empty() || name.contains('.') { name.to_owned() } else { format!("{namespace}.{name}") }
}

/// The full name of a type and the namespace inside of it.
pub(super) fn defined(names: &Names<'_>, around: &str) -> (String, String) {
    let full = qualified(&names.name.text, names.namespace.as_ref().map_or(around, |namespace| &namespace.text));
    let inside = full.rsplit_once('.').map_or("", |(namespace, _)| namespace).to_owned();
    (full, inside)
}

/// Finds the schemas of data that has only their fingerprints among all other files.
pub(super) fn supplied<'b>(
    contents: &Contents<'b>,
    versions: &[&'b Snapshot],
    options: &'b CheckOptions,
) -> FxHashMap<ContentId, Supplied<'b, Avro>> {
    let all = || versions.iter().flat_map(|snapshot| files::<Avro>(snapshot));
    let content = |id, syntax| contents.get((id, syntax)).map(|content| (content.tree.fingerprint, content));
    let mut wanted =
        all().filter_map(|(path, file, syntax)| Some((path, file.id, content(file.id, syntax)?.0?))).peekable();
    let mut supplied = FxHashMap::default();
    if wanted.peek().is_none() {
        return supplied;
    }
    let (mut suppliers, mut candidates) = (Vec::new(), Vec::new());
    for (path, file, syntax) in all() {
        if let Some((None, content)) = content(file.id, syntax) {
            suppliers.push(Supplier::File(path.clone(), (file.id, syntax)));
            candidates.push((path.clone(), &content.tree));
        }
    }
    for (index, file) in options.library.iter().enumerate() {
        if let Some(syntax) = Syntax::of_path(&file.import_path) {
            suppliers.push(Supplier::Library(index));
            candidates.push((Arc::from(file.import_path.as_str()), &contents.of_library(index, syntax).tree));
        }
    }
    for (path, id, fingerprint) in wanted {
        let (content, group) = container_schema::writer(path, fingerprint, &candidates);
        let suppliers = group.into_iter().map(|index| suppliers[index].clone()).collect();
        supplied.insert(id, Supplied { content, suppliers });
    }
    supplied
}
