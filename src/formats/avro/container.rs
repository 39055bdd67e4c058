//! `.avro`: object container files and single-object encoded data (specification, *Object Container Files* and
//! *Single-object encoding*).
//!
//! A container names the schema that wrote it, as text that is never compressed, so places in that schema are places in
//! the file. A single object names it by its fingerprint only. The records are looked at to prove compatibility with
//! real data, and no more of them than that takes.
//!
//! Nothing here trusts a length: what does not fit into the file is reported, and nothing is allocated before it is there.

use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;

use flate2::read::DeflateDecoder;

use crate::change::Span;
use crate::syntax::json::{self, Json, JsonKind};
use crate::syntax::problem::Problem;
use crate::text::plural;
use crate::value::Value;

use super::codec::{self, ReadError};
use super::model::{Schema, TypeId};

/// How container files begin.
const MAGIC: [u8; 4] = *b"Obj\x01";

/// How single objects begin.
const SINGLE_OBJECT: [u8; 2] = [0xc3, 0x01];

/// Length of the marker that ends every block, in bytes.
const SYNC_LENGTH: usize = 16;

/// More records than this are not offered to the round trips.
const MOST_SAMPLES: usize = 1000;

/// More data than this is not read for them, in bytes after decompression.
const MOST_BYTES: usize = 1 << 20;

/// Data of a type.
#[derive(Debug)]
pub(super) enum DataFile<'b> {
    /// An object container file.
    Container(Container<'b>),
    /// One value with the fingerprint of its schema.
    SingleObject {
        /// The CRC-64-AVRO of the schema's Parsing Canonical Form.
        fingerprint: u64,
        /// The value.
        payload: &'b [u8],
    },
}

/// An object container file.
#[derive(Debug)]
pub(super) struct Container<'b> {
    /// The text of the schema.
    schema: Span,
    /// How blocks are compressed.
    pub(super) codec: Cow<'b, str>,
    sync: [u8; SYNC_LENGTH],
    bytes: &'b [u8],
    /// Where the first block begins.
    blocks: usize,
}

/// Some of the records of a container, one after the other.
#[derive(Debug)]
pub(super) struct Block<'b> {
    /// How many records it announces.
    pub(super) count: usize,
    /// Their bytes, decompressed; perhaps only the first of them.
    pub(super) data: Cow<'b, [u8]>,
}

/// What is wrong with data, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    span: Span,
    message: String,
}

/// Whether a file begins like data; no schema begins like that.
pub(super) fn is_data(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&SINGLE_OBJECT)
}

/// The place of the text in a file: all of a schema, the schema of a container, nothing of a single object.
pub(in crate::formats) fn text_part(bytes: &[u8]) -> Option<Span> {
    if !is_data(bytes) {
        return None;
    }
    match open(bytes) {
        Ok(DataFile::Container(container)) => Some(container.schema),
        Ok(DataFile::SingleObject { .. }) | Err(_) => Some(Span::default()),
    }
}

/// Understands the beginning of a file.
pub(super) fn read<'b>(path: &Arc<str>, bytes: &'b [u8]) -> Result<DataFile<'b>, Problem> {
    let help = "check that the file is complete and was written by an Avro library";
    open(bytes).map_err(|fault| fault.problem(path, help))
}

impl Fault {
    /// The problem, with its place as a number of bytes: what is no text has no lines.
    fn problem(self, path: &Arc<str>, help: &str) -> Problem {
        let Fault { span, message } = self;
        let message = format!("{message} (at byte {} of the file)", span.start);
        Problem::error(path, span, message, help)
    }
}

fn open(bytes: &[u8]) -> Result<DataFile<'_>, Fault> {
    if u32::try_from(bytes.len()).is_err() {
        let message = "this file is larger than 4 GiB, so it cannot be read".to_owned();
        return Err(Fault { span: Span::default(), message });
    }
    if let Some(rest) = bytes.strip_prefix(&SINGLE_OBJECT) {
        let Some((fingerprint, payload)) = rest.split_first_chunk() else {
            let message = "a single object begins with the eight bytes of a fingerprint, and the file ends before them";
            return Err(Fault { span: Span::default(), message: message.to_owned() });
        };
        return Ok(DataFile::SingleObject { fingerprint: u64::from_le_bytes(*fingerprint), payload });
    }
    if !bytes.starts_with(&MAGIC) {
        let message = match bytes {
            [b'O', b'b', b'j', version, ..] => {
                format!("this is a container file of version {version}, and only version 1 is known")
            }
            _ => "this is no Avro data: such a file begins with `Obj` and a 1, a single object with c3 01".to_owned(),
        };
        return Err(Fault { span: Span::default(), message });
    }
    Reader { bytes, at: MAGIC.len() }.header().map(DataFile::Container)
}

impl<'b> Container<'b> {
    /// The schema that wrote the file, with its places in the file.
    pub(super) fn schema(&self, path: &Arc<str>) -> (Option<Json<'b>>, Vec<Problem>) {
        let text = self.bytes.get(self.schema.range()).unwrap_or_default();
        let (mut json, mut problems) = json::parse(path, text);
        if let Some(json) = &mut json {
            shift(json, self.schema.start);
        }
        for site in problems.iter_mut().filter_map(|problem| problem.site.as_mut()) {
            site.span = moved(site.span, self.schema.start);
        }
        (json, problems)
    }

    /// Whether the records can be read.
    pub(super) fn is_readable(&self) -> bool {
        matches!(&*self.codec, "null" | "deflate")
    }

    /// What is wrong behind the header: which block cannot be found, so that records are missing. What is compressed is
    /// not looked at.
    pub(super) fn first_fault(&self, path: &Arc<str>) -> Option<Problem> {
        let fault = self.blocks(0).find_map(Result::err)?;
        Some(fault.problem(path, "write the file again, or compare its schema alone: save it as an .avsc file"))
    }

    /// The blocks of a readable container, until the file ends or something is wrong. Of what a block holds at most
    /// `most` bytes are decompressed.
    pub(super) fn blocks(&self, most: usize) -> impl Iterator<Item = Result<Block<'b>, Fault>> {
        let is_deflated = self.codec == "deflate";
        let sync = self.sync;
        let mut reader = Reader { bytes: self.bytes, at: self.blocks };
        let mut ended = false;
        std::iter::from_fn(move || {
            if ended || reader.at == reader.bytes.len() {
                return None;
            }
            let block = reader.block(&sync).and_then(|(count, data, span)| {
                let data = if is_deflated { inflate(data, most, span)? } else { Cow::Borrowed(data) };
                Ok(Block { count, data })
            });
            ended = block.is_err();
            Some(block)
        })
    }
}

/// The first records of a file as values of the type that wrote them: at most 1000 and of 1 MiB. Ends before the first
/// one that cannot be read.
pub(super) fn samples(bytes: &[u8], schema: &Schema<'_>, ty: TypeId) -> Vec<Value> {
    let mut values = Vec::new();
    match open(bytes) {
        Ok(DataFile::SingleObject { payload, .. }) => {
            let payload = payload.get(..MOST_BYTES).unwrap_or(payload);
            values.extend(codec::decode(schema, ty, payload).ok().map(|(value, _)| value));
        }
        Ok(DataFile::Container(container)) if container.is_readable() => {
            let mut left = MOST_BYTES;
            for block in container.blocks(MOST_BYTES).map_while(Result::ok) {
                let mut data = block.data.get(..left).unwrap_or(&block.data);
                for _ in 0..block.count {
                    if values.len() == MOST_SAMPLES {
                        return values;
                    }
                    let Ok((value, rest)) = codec::decode(schema, ty, data) else { return values };
                    left -= data.len() - rest.len();
                    data = rest;
                    values.push(value);
                }
            }
        }
        Ok(DataFile::Container(_)) | Err(_) => {}
    }
    values
}

/// What is wrong with the first records of a file, of those that [`samples`] looks at: one is not of the type that wrote
/// it, or a block holds more than its records.
pub(super) fn bad_record(path: &Arc<str>, bytes: &[u8], schema: &Schema<'_>, ty: TypeId) -> Option<Problem> {
    let help = "write the file again, or compare its schema alone: save it as an .avsc file";
    let problem = |message: String| Some(Problem::error(path, Span::default(), message, help));
    let container = match open(bytes).ok()? {
        DataFile::SingleObject { payload, .. } if payload.len() < MOST_BYTES => {
            return match codec::decode(schema, ty, payload) {
                Ok((_, [])) => None,
                Ok((_, rest)) => {
                    problem(format!("this single object goes on for {} behind its value", plural(rest.len(), "byte")))
                }
                Err(ReadError(reason)) if reason == codec::too_deep() => None,
                Err(ReadError(reason)) => problem(format!("the value of this single object cannot be read: {reason}")),
            };
        }
        DataFile::Container(container) if container.is_readable() => container,
        DataFile::SingleObject { .. } | DataFile::Container(_) => return None,
    };
    let (mut left, mut seen) = (MOST_BYTES, 0);
    for (number, block) in (1..).zip(container.blocks(MOST_BYTES)) {
        let block = match block {
            Ok(block) => block,
            Err(fault) => return Some(fault.problem(path, help)),
        };
        // What is cut off here says nothing about the file.
        if block.data.len() >= left {
            return None;
        }
        left -= block.data.len();
        let mut data = &*block.data;
        for record in 1..=block.count {
            if seen == MOST_SAMPLES {
                return None;
            }
            seen += 1;
            match codec::decode(schema, ty, data) {
                Ok((_, rest)) => data = rest,
                Err(ReadError(reason)) if reason == codec::too_deep() => return None,
                Err(ReadError(reason)) => {
                    let of = plural(block.count, "record");
                    return problem(format!("record {record} of {of} in block {number} cannot be read: {reason}"));
                }
            }
        }
        if !data.is_empty() {
            return problem(format!(
                "block {number} goes on for {} behind its last record",
                plural(data.len(), "byte")
            ));
        }
    }
    None
}

/// Decompresses the beginning of a block (RFC 1951).
fn inflate<'b>(data: &[u8], most: usize, span: Span) -> Result<Cow<'b, [u8]>, Fault> {
    let mut out = Vec::new();
    match DeflateDecoder::new(data).take(most as u64).read_to_end(&mut out) {
        Ok(_) => Ok(Cow::Owned(out)),
        Err(error) => Err(Fault { span, message: format!("a block is not what `deflate` makes: {error}") }),
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// From behind the magic to the first block.
    fn header(mut self) -> Result<Container<'b>, Fault> {
        let mut schema = None;
        let mut codec = Cow::Borrowed("null");
        loop {
            let start = self.at;
            let count = self.long("the number of entries in the header")?;
            if count == 0 {
                break;
            }
            if count < 0 {
                self.length("the size of the header")?;
            }
            // Each entry takes two bytes at least.
            let most = (self.bytes.len() - self.at) as u64 / 2;
            if count.unsigned_abs() > most {
                return Err(self.fault(
                    start,
                    format!("the header announces {} entries, and the file ends before them", count.unsigned_abs()),
                ));
            }
            for _ in 0..count.unsigned_abs() {
                let key = self.delimited("a key of the header")?;
                let value = self.delimited("a value of the header")?;
                match self.bytes.get(key.range()) {
                    Some(b"avro.schema") => schema = Some(value),
                    Some(b"avro.codec") => codec = String::from_utf8_lossy(&self.bytes[value.range()]),
                    _ => {}
                }
            }
        }
        let Some(schema) = schema else {
            return Err(self.fault(0, "the header has no schema: there is no entry `avro.schema` in it".to_owned()));
        };
        let sync = self.sync()?;
        Ok(Container { schema, codec, sync, bytes: self.bytes, blocks: self.at })
    }

    fn block(&mut self, sync: &[u8; SYNC_LENGTH]) -> Result<(usize, &'b [u8], Span), Fault> {
        let start = self.at;
        let count = self.length("the number of records in a block")?;
        let data = self.delimited("a block")?;
        if self.sync()? != *sync {
            let message = "a block does not end with the marker of this file".to_owned();
            return Err(self.fault(start, message));
        }
        Ok((count, &self.bytes[data.range()], data))
    }

    fn sync(&mut self) -> Result<[u8; SYNC_LENGTH], Fault> {
        let start = self.at;
        let Some(sync) = self.bytes[start..].first_chunk() else {
            return Err(self.fault(start, format!("the file ends before the {SYNC_LENGTH} bytes of a marker")));
        };
        self.at += SYNC_LENGTH;
        Ok(*sync)
    }

    /// The place of so many bytes as the number before them says.
    fn delimited(&mut self, what: &str) -> Result<Span, Fault> {
        let before = self.at;
        let length = self.length(what)?;
        let left = self.bytes.len() - self.at;
        if length > left {
            return Err(self.fault(before, format!("{what} claims {length} bytes, and {left} are left in the file")));
        }
        let start = self.at;
        self.at += length;
        // Files are shorter than 4 GiB.
        Ok(Span::new(start as u32, self.at as u32))
    }

    fn length(&mut self, what: &str) -> Result<usize, Fault> {
        let start = self.at;
        let length = self.long(what)?;
        usize::try_from(length).map_err(|_| self.fault(start, format!("{what} has the length {length}")))
    }

    /// A zig-zag number of at most 64 bits.
    fn long(&mut self, what: &str) -> Result<i64, Fault> {
        let start = self.at;
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err(self.fault(start, format!("the file ends in {what}")));
            };
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            self.at += 1;
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
            }
        }
        Err(self.fault(start, format!("{what} has more than 64 bits")))
    }

    /// Something is wrong between a place and here.
    fn fault(&self, start: usize, message: String) -> Fault {
        Fault { span: Span::new(start as u32, self.at.max(start) as u32), message }
    }
}

fn moved(span: Span, by: u32) -> Span {
    Span::new(span.start + by, span.end + by)
}

/// Moves all places of a value. Values are nested no deeper than their parser allows.
fn shift(json: &mut Json<'_>, by: u32) {
    json.span = moved(json.span, by);
    match &mut json.kind {
        JsonKind::List(items) => items.iter_mut().for_each(|item| shift(item, by)),
        JsonKind::Object(members) => {
            for member in members {
                member.key_span = moved(member.key_span, by);
                shift(&mut member.value, by);
            }
        }
        JsonKind::Null | JsonKind::Bool(_) | JsonKind::Number(_) | JsonKind::Text(_) => {}
    }
}

#[cfg(test)]
#[path = "container_tests.rs"]
mod tests;
