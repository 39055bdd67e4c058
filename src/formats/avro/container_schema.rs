//! What a data file says about its schema, and which schema a single object means by its fingerprint.

use std::borrow::Cow;
use std::sync::Arc;

use crate::change::Span;
use crate::formats::CheckOptions;
use crate::syntax::problem::{NotChecked, Problem};

use super::ast::{Document, Node, NodeKind, Spelled};
use super::canonical;
use super::container::{self, DataFile};
use super::link::{Input, link};
use super::model::{Schema, TypeId};
use super::schema_json;

/// What a data file says.
#[derive(Debug, Default)]
pub(super) struct Said<'b> {
    /// The schema, if the file has it.
    pub(super) document: Document<'b>,
    /// What is wrong.
    pub(super) problems: Vec<Problem>,
    /// The fingerprint of the schema, if that is all there is.
    pub(super) fingerprint: Option<u64>,
    /// Why the records cannot be read.
    pub(super) not_checked: Option<NotChecked>,
}

/// Understands a data file.
pub(super) fn read<'b>(path: &Arc<str>, bytes: &'b [u8]) -> Said<'b> {
    let container = match container::read(path, bytes) {
        Ok(DataFile::Container(container)) => container,
        Ok(DataFile::SingleObject { fingerprint, .. }) => {
            return Said { fingerprint: Some(fingerprint), ..Said::default() };
        }
        Err(problem) => return Said { problems: vec![problem], ..Said::default() },
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
    Said { document, problems, fingerprint: None, not_checked }
}

/// The schema that a single object means.
#[derive(Debug, Default)]
pub(super) struct Writer<'b> {
    /// What the data file would say if it had its schema.
    pub(super) document: Document<'b>,
    /// That it is not at hand.
    pub(super) problems: Vec<Problem>,
    /// Which of the candidates define its types.
    pub(super) supplied_by: Vec<usize>,
}

/// A file that may hold the schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'t, 'b> {
    /// Its path.
    pub(super) path: &'t Arc<str>,
    /// What it says.
    pub(super) document: &'t Document<'b>,
}

/// Finds the schema of a single object by its fingerprint: the main schema of a file or any type that it declares, in the
/// order of the files; files that do not stand alone are looked at together in the end.
pub(super) fn writer<'b>(
    path: &Arc<str>,
    fingerprint: u64,
    candidates: &[Candidate<'_, 'b>],
    options: &CheckOptions,
) -> Writer<'b> {
    let alone = (0..candidates.len()).map(|index| vec![index]);
    let together = (candidates.len() > 1).then(|| (0..candidates.len()).collect());
    for supplied_by in alone.chain(together) {
        if let Some(document) = among(fingerprint, candidates, &supplied_by, options) {
            return Writer { document, problems: Vec::new(), supplied_by };
        }
    }
    let message = format!(
        "this single object was written with a schema whose CRC-64-AVRO fingerprint is {fingerprint:016x}, and no schema at hand has it"
    );
    let help = "put the writer's schema beside the data, or into a folder given by `--include`";
    Writer { problems: vec![Problem::error(path, Span::default(), message, help)], ..Writer::default() }
}

fn among<'b>(
    fingerprint: u64,
    candidates: &[Candidate<'_, 'b>],
    group: &[usize],
    options: &CheckOptions,
) -> Option<Document<'b>> {
    let inputs: Vec<Input<'_>> = group
        .iter()
        .map(|index| {
            let Candidate { path, document } = candidates[*index];
            Input { path, document, problems: &[], is_library: false }
        })
        .collect();
    let schema = link(&inputs, options).schema;
    let fits = |ty: TypeId| canonical::fingerprint(&schema, ty) == Some(fingerprint);
    if let Some(root) = schema.roots.iter().find(|root| fits(root.schema.ty)) {
        let found = candidates[group[root.file.0 as usize]].document;
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
