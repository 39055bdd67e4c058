//! The round trips: data that writers of the one side write, given to readers of the other.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::answers::answers;
use super::bson;
use super::decide::{Answer, Shown, writer_of};
use super::encodings::encoded;
use super::language::JsonSchema;
use super::model::{Elsewhere, File, NodeId, Schema};
use super::pairs::{Documents, Edit};
use crate::change::{Change, Identity, Pair, Site};
use crate::evidence::{
    BytePart, Direction, Encoded, Observation, Observed, Outcome, SPEC, Surface, Undecided, Witness,
};
use crate::formats::division::{Division, Written};
use crate::formats::frame::{Compared, Probes};
use crate::formats::instances::Encoding;

/// Of longer messages no parts are told.
const LONGEST: usize = 512;

/// The text of the JSON and its mapping are one: it is the encoding.
const SURFACES: [Surface; 2] = [Surface::Wire, Surface::Json];

impl Probes for JsonSchema {
    /// What readers of each side see of data of the other.
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed {
        let Compared { schemas, pairs, changes, .. } = *compared;
        let here = |documents: &&Documents| {
            division.writes(schemas.zip(documents.files, |schema, file| &*schema.files[file].path))
        };
        let documents: Vec<&Documents> = pairs.documents.iter().filter(here).collect();
        let answered = answers(schemas, pairs, &documents);
        let mut observed = Observed { types: documents.len(), ..Observed::default() };
        let mut missing = Missing { schemas, known: FxHashMap::default(), undecided: FxHashMap::default() };
        let written: FxHashSet<usize> = documents.iter().flat_map(|documents| &documents.edits).copied().collect();
        let mut by_identity: FxHashMap<&Identity, &Change> = FxHashMap::default();
        for change in changes {
            by_identity.entry(&change.identity).or_insert(change);
        }
        for direction in [Direction::Backward, Direction::Forward] {
            let mut worst: FxHashMap<usize, Answered<'_>> = FxHashMap::default();
            for (documents, answered) in documents.iter().zip(&answered) {
                for (index, answer) in &answered.side(writer_of(direction)).answers {
                    let known = worst.get(index).copied();
                    let own = (*documents, answer);
                    worst.insert(*index, known.map_or(own, |known| worse(known, own)));
                    if matches!(answer, Answer::Undecided) {
                        *missing.undecided.entry((*index, direction)).or_default() += 1;
                    }
                }
            }
            for (index, edit) in pairs.edits.iter().enumerate() {
                match worst.get(&index) {
                    Some(answered) => {
                        let edit = (edit, missing.undecided.get(&(index, direction)).copied().unwrap_or_default());
                        note(&mut observed, edit, direction, (*answered, &by_identity), &mut missing);
                    }
                    None if written.contains(&index) => exercise(&mut observed, edit, direction),
                    None => {}
                }
            }
        }
        observed.messages = answered.iter().map(|decided| decided.old.data + decided.new.data).sum();
        observed
    }

    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>> {
        let Compared { schemas, pairs, .. } = *compared;
        let mut written: Vec<Written<'s>> = Vec::new();
        let mut first_of: FxHashMap<Pair<Option<usize>>, &Documents> = FxHashMap::default();
        for documents in &pairs.documents {
            let files = schemas.zip(documents.files, |schema, file| &*schema.files[file].path);
            written.push(Written { files, names: documents.names.as_ref().map(String::as_str) });
            // What is decided of one copy holds of all.
            let content = schemas.zip(documents.files, |schema, file| schema.files[file].content);
            let first: &Documents = first_of.entry(content).or_insert(documents);
            if !std::ptr::eq(first, documents) {
                written.push(Written { files, names: first.names.as_ref().map(String::as_str) });
            }
        }
        written
    }
}

type Answered<'a> = (&'a Documents, &'a Answer);

/// What is said of what could not be told.
struct Missing<'s> {
    schemas: Pair<&'s Schema>,
    /// Which schema is missing behind each document: it is looked for once, however much could not be told.
    known: FxHashMap<Pair<NodeId>, Option<&'s str>>,
    /// Of how many documents an edit could not be told.
    undecided: FxHashMap<(usize, Direction), usize>,
}

impl<'s> Missing<'s> {
    fn behind(&mut self, documents: &Documents) -> Option<&'s str> {
        let Pair { old, new } = self.schemas;
        let find = || new.missing_behind(documents.nodes.new).or_else(|| old.missing_behind(documents.nodes.old));
        *self.known.entry(documents.nodes).or_insert_with(find)
    }

    /// The places where an edit put what was not found in the place of something, or the reverse.
    fn places(&self, edit: &Edit) -> Pair<Option<Site>> {
        self.schemas.zip(edit.nodes, |schema, node| {
            let node = schema.node(node);
            matches!(node.elsewhere, Some(Elsewhere::Missing(_))).then(|| schema.site(node, node.span))
        })
    }
}

/// The answer that counts of two: a shorter datum before a longer one, any before none, and no proof before a proof.
fn worse<'a>(one: Answered<'a>, other: Answered<'a>) -> Answered<'a> {
    let rank = |answer: &Answer| match answer {
        Answer::Fails(shown) => (0, shown.datum.to_string().len()),
        Answer::Undecided => (1, 0),
        Answer::Safe => (2, 0),
    };
    if rank(other.1) < rank(one.1) { other } else { one }
}

fn exercise(observed: &mut Observed, edit: &Edit, direction: Direction) {
    observed.exercised.extend(SURFACES.map(|surface| (edit.identity.clone(), surface, direction)));
}

fn note(
    observed: &mut Observed,
    (edit, undecided): (&Edit, usize),
    direction: Direction,
    ((documents, answer), changes): (Answered<'_>, &FxHashMap<&Identity, &Change>),
    missing: &mut Missing<'_>,
) {
    match answer {
        Answer::Safe => exercise(observed, edit, direction),
        Answer::Fails(shown) => {
            exercise(observed, edit, direction);
            let seen = SURFACES.map(|surface| Observation {
                identity: edit.identity.clone(),
                runtime: SPEC,
                surface,
                direction,
                outcome: Outcome::Fails,
                witness: witness(documents, direction, shown, &missing.schemas.new.files[documents.files.new]),
            });
            observed.observations.extend(seen);
        }
        Answer::Undecided => {
            let told = Untold {
                edit,
                missing: missing.behind(documents),
                lacks: missing.places(edit),
                documents: (documents, &*missing.schemas.new.files[documents.files.new].path, undecided),
            };
            observed.undecided.push(told.in_words(direction, changes.get(&edit.identity).copied()));
        }
    }
}

fn witness(documents: &Documents, direction: Direction, shown: &Shown, file: &File) -> Witness {
    let names = &documents.names;
    let (writer, reader) = match direction {
        Direction::Backward => (&names.old, &names.new),
        Direction::Forward => (&names.new, &names.old),
    };
    let (datum, reason) = match file.is_bson {
        true => (bson::shown(&shown.datum), bson::reason(&shown.datum, &shown.reason)),
        false => (shown.datum.clone(), shown.reason.clone()),
    };
    let bytes = datum.to_string().into_bytes();
    let written = |encoding: &Encoding| Encoded { encoding: encoding.title(), written: encoded(*encoding, &datum) };
    let encoded = file.usage.encodings.iter().filter(|_| !file.is_bson).map(written).collect();
    let what = if file.is_bson { "the document as Extended JSON" } else { "the JSON text" };
    let part = |end: usize| BytePart { start: 0, end, field: String::new(), what: what.to_owned() };
    let parts: Vec<BytePart> = (bytes.len() <= LONGEST).then(|| part(bytes.len())).into_iter().collect();
    Witness {
        type_name: writer.clone(),
        writer: String::new(),
        reader: if writer == reader { String::new() } else { reader.clone() },
        wrote: datum.into(),
        bytes,
        read: Arc::new(reason.into()),
        written_parts: parts,
        encoded,
        ..Witness::default()
    }
}

/// Neither a proof nor a datum.
struct Untold<'s> {
    edit: &'s Edit,
    /// Which schema is missing that might tell.
    missing: Option<&'s str>,
    /// Where it would have to be.
    lacks: Pair<Option<Site>>,
    /// The first of the documents of which it could not be told, its file, and how many there are.
    documents: (&'s Documents, &'s str, usize),
}

impl Untold<'_> {
    /// The same in words.
    fn in_words(self, direction: Direction, change: Option<&Change>) -> Undecided {
        let path = change.map_or("a schema", |change| &change.path);
        let (reader, data) = match direction {
            Direction::Backward => ("new", "old"),
            Direction::Forward => ("old", "new"),
        };
        let at = change.map_or_else(Pair::default, |change| change.at.clone());
        let (documents, file, count) = self.documents;
        // The document in which the change was made is named by where that is.
        let is_elsewhere = at.new.as_ref().or(at.old.as_ref()).is_some_and(|site| &*site.file != file);
        let name = &documents.names.new;
        let (of, them) = match count {
            _ if !is_elsewhere => (String::new(), "this schema".to_owned()),
            0 | 1 => (format!(" of `{name}`"), format!("`{name}`")),
            2 => (format!(" of `{name}` and one more schema"), format!("`{name}`")),
            _ => (format!(" of `{name}` and {} more schemas", count - 1), format!("`{name}`")),
        };
        let message = format!(
            "whether {reader} readers accept all {data} data{of} at `{path}` could not be told: there is neither a proof nor an instance that is rejected"
        );
        let by_hand = format!("compare the two versions of {them} by hand");
        let help = match self.missing {
            Some(address) => {
                format!("add the schema `{address}`, on which it may depend, to what is compared, or {by_hand}")
            }
            None => format!("{by_hand}, or write the change in simpler keywords"),
        };
        Undecided {
            cells: SURFACES.map(|surface| (self.edit.identity.clone(), surface, direction)).to_vec(),
            direction,
            at,
            message,
            help,
            lacks: self.lacks,
            is_told: false,
        }
    }
}
