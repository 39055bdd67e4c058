//! What a data file says about its schema, and which schema a single object means by its fingerprint.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Span;
use crate::formats::frame::Language;
use crate::snapshot::Snapshot;
use crate::syntax::problem::{NotChecked, Problem};
use crate::value::Value;

use super::ast::{Document, Node, NodeKind, Spelled};
use super::canonical;
use super::container::{self, DataFile};
use super::language::{Avro, Content, Gathered, Input};
use super::link::link;
use super::model::{Root, Schema, TypeId};
use super::schema_json;

/// Understands a data file.
pub(super) fn read<'b>(path: &Arc<str>, bytes: &'b [u8]) -> Content<'b> {
    let container = match container::read(path, bytes) {
        Ok(DataFile::Container(container)) => container,
        Ok(DataFile::SingleObject { fingerprint, .. }) => {
            let tree = Document { fingerprint: Some(fingerprint), ..Document::default() };
            return Content { bytes, tree, problems: Vec::new(), not_checked: None };
        }
        Err(problem) => {
            return Content { bytes, tree: Document::default(), problems: vec![problem], not_checked: None };
        }
    };
    let (json, mut problems) = container.schema(path);
    let mut document = Document::default();
    if let Some(json) = json {
        let (understood, more) = schema_json::schema(path, json);
        document = understood;
        problems.extend(more);
    }
    let not_checked = match container.is_readable() {
        true => {
            problems.extend(container.first_fault(path));
            None
        }
        false => Some(NotChecked {
            file: path.to_string(),
            what: format!("the records, which are compressed with `{}`; the schema is compared", container.codec),
            help: "to have the records read as well, write the file with the codec `deflate` or `null`".to_owned(),
        }),
    };
    Content { bytes, tree: document, problems, not_checked }
}

/// Finds the schema of a single object by its fingerprint: the main schema of a file or any type that it declares, in the
/// order of the files; files that do not stand alone are looked at together in the end. Gives what the data file would
/// say if it had its schema, and which files define its types.
pub(super) fn writer<'b>(
    path: &Arc<str>,
    fingerprint: u64,
    candidates: &[(Arc<str>, &Document<'b>)],
) -> (Content<'b>, Vec<usize>) {
    let alone = (0..candidates.len()).map(|index| vec![index]);
    let together = (candidates.len() > 1).then(|| (0..candidates.len()).collect());
    for group in alone.chain(together) {
        if let Some(document) = among(fingerprint, candidates, &group) {
            return (Content { bytes: &[], tree: document, problems: Vec::new(), not_checked: None }, group);
        }
    }
    let message = format!(
        "this single object was written with a schema whose CRC-64-AVRO fingerprint is {fingerprint:016x}, and no schema at hand has it"
    );
    let help = "put the writer's schema beside the data, or into a folder given by `--include`";
    let problems = vec![Problem::error(path, Span::default(), message, help)];
    (Content { bytes: &[], tree: Document::default(), problems, not_checked: None }, Vec::new())
}

fn among<'b>(fingerprint: u64, candidates: &[(Arc<str>, &Document<'b>)], group: &[usize]) -> Option<Document<'b>> {
    let inputs =
        group.iter().map(|index| Input::new(candidates[*index].0.clone(), Avro::shorter(candidates[*index].1)));
    let gathered = Gathered::of(inputs.collect());
    let schema = link(&gathered).schema;
    let fits = |ty: TypeId| canonical::fingerprint(&schema, ty) == Some(fingerprint);
    if let Some(root) = schema.roots.iter().find(|root| fits(root.schema.ty)) {
        let found = candidates[group[root.file.0 as usize]].1;
        return Some(match schema.name(root.schema.ty) {
            Some(name) => naming(&name.full),
            None => Document { main: found.main.clone(), namespace: found.namespace.clone(), ..Document::default() },
        });
    }
    declared(&schema).find(|(ty, _)| fits(*ty)).map(|(_, name)| naming(name))
}

fn declared<'s>(schema: &'s Schema<'_>) -> impl Iterator<Item = (TypeId, &'s str)> {
    let all = (0..).zip(&schema.types).map(|(index, ty)| (TypeId(index), ty));
    all.filter_map(|(id, ty)| Some((id, &*ty.kind.name()?.full)))
}

/// A schema that is a reference to a type.
fn naming<'b>(full: &str) -> Document<'b> {
    let name = Spelled { text: Cow::Owned(full.to_owned()), span: Span::default() };
    let main = Node { span: Span::default(), kind: NodeKind::Name(name), attributes: Vec::new() };
    Document { main: Some(main), ..Document::default() }
}

/// What is wrong with the records of the data files of a side whose schemas are sound.
pub(super) fn damaged(snapshot: &Snapshot, schema: &Schema<'_>) -> Vec<Problem> {
    let judged = schema.roots.iter().filter(|root| !schema.file(root.file).is_library);
    let bad = judged.filter_map(|root| {
        let path = &schema.file(root.file).path;
        let file = snapshot.get(path).filter(|file| container::is_data(&file.bytes))?;
        container::bad_record(path, &file.bytes, schema, root.schema.ty)
    });
    bad.collect()
}

/// Real values by the type that wrote them.
pub(super) type Samples = FxHashMap<TypeId, Vec<Value>>;

/// The records of the data files of a side, as far as they are looked at.
pub(super) fn samples(snapshot: &Snapshot, schema: &Schema<'_>) -> Samples {
    let mut samples = Samples::default();
    for Root { file, schema: root } in schema.roots.iter().filter(|root| !schema.file(root.file).is_library) {
        let file = snapshot.get(&schema.file(*file).path);
        if let Some(file) = file.filter(|file| container::is_data(&file.bytes)) {
            samples.entry(root.ty).or_default().extend(container::samples(&file.bytes, schema, root.ty));
        }
    }
    samples
}
