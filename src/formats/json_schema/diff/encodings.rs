//! What a change lets into instances that an encoding they travel in cannot hold, or holds otherwise than JSON.

use serde_json::Value;

use super::keywords::element;
use super::walk::Walk;
use crate::change::{ChangeKind, FactKey, Pair, Site};
use crate::formats::frame::differ::Draft;
use crate::formats::instances::Encoding;
use crate::formats::json_schema::encodings::BSON_LARGEST;
use crate::formats::json_schema::model::{Node, NodeId, Schema};
use crate::formats::json_schema::pairs::identity;

/// What is peculiar to encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peculiar {
    /// Integers beyond what it holds.
    Integers,
    /// Integers and numbers with a fraction are kept apart.
    Kinds,
    /// It has a type for bytes.
    Bytes,
    /// It has a type for dates.
    Dates,
    /// Names that it restricts.
    Names,
    /// A text that is longer than its documents.
    Size,
    /// Its top level is a document.
    Root,
}

impl Peculiar {
    const ALL: [Peculiar; 6] =
        [Peculiar::Integers, Peculiar::Kinds, Peculiar::Bytes, Peculiar::Dates, Peculiar::Names, Peculiar::Size];

    const fn name(self) -> &'static str {
        match self {
            Peculiar::Integers => "integers",
            Peculiar::Kinds => "kinds",
            Peculiar::Bytes => "bytes",
            Peculiar::Dates => "dates",
            Peculiar::Names => "names",
            Peculiar::Size => "size",
            Peculiar::Root => "root",
        }
    }

    /// Whether something cannot be written, or comes back as something else; otherwise it has another type.
    const fn is_limit(self) -> bool {
        match self {
            Peculiar::Integers | Peculiar::Names | Peculiar::Size | Peculiar::Root => true,
            Peculiar::Kinds | Peculiar::Bytes | Peculiar::Dates => false,
        }
    }
}

/// The integers that an encoding keeps, from the least to the greatest; readers of JSON often have doubles only (RFC 8259
/// §6).
const fn integers(encoding: Encoding) -> (i128, i128) {
    let (bits_53, int64, uint64) = ((1 << 53) - 1, 1i128 << 63, (1i128 << 64) - 1);
    match encoding {
        Encoding::Json => (-bits_53, bits_53),
        Encoding::MessagePack => (-int64, uint64),
        Encoding::Cbor => (-uint64 - 1, uint64),
        Encoding::Bson => (-int64, int64 - 1),
    }
}

/// A number without its fraction; what no integer of 128 bits holds is the nearest one that does.
fn whole(number: &Value) -> Option<i128> {
    let exact = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    exact.or_else(|| number.as_f64().map(|number| number as i128))
}

/// Looks at two versions of a schema; `is_root` says whether it is that of a whole document.
pub(super) fn compare(walk: &mut Walk<'_>, nodes: Pair<NodeId>, is_root: bool) {
    let Pair { old, new } = walk.nodes(nodes);
    let encodings = encodings(walk.schemas.new, new);
    for peculiar in Peculiar::ALL {
        look(walk, nodes, (Some(old), new), (peculiar, &encodings));
    }
    if is_root && encodings.contains(&Encoding::Bson) && is_document(old) && !is_document(new) {
        tell(walk, nodes, (new, "type"), (Peculiar::Root, &[Encoding::Bson]));
    }
}

/// Looks at a schema that came, and all below it; `around` is what it came to.
pub(super) fn added(walk: &mut Walk<'_>, around: Pair<NodeId>, top: NodeId) {
    let schema = walk.schemas.new;
    let encodings = encodings(schema, schema.node(top));
    if encodings.is_empty() {
        return;
    }
    let mut open = vec![top];
    while let Some(id) = open.pop() {
        // What several members that came lead to is looked at once.
        if !walk.looked_at.insert(id) {
            continue;
        }
        let node = schema.node(id);
        for peculiar in Peculiar::ALL {
            look(walk, around, (None, node), (peculiar, &encodings));
        }
        open.extend(node.keywords.values().flat_map(|keyword| keyword.part.schemas()));
    }
}

fn encodings(schema: &Schema, node: &Node) -> Vec<Encoding> {
    // Data of MongoDB are BSON, and travel in nothing else.
    if schema.is_bson(node) { Vec::new() } else { schema.files[node.file].usage.encodings.clone() }
}

/// Tells of one peculiarity, where a schema lets it in and its old version, if it has one, did not.
fn look(
    walk: &mut Walk<'_>,
    nodes: Pair<NodeId>,
    (old, new): (Option<&Node>, &Node),
    (peculiar, encodings): (Peculiar, &[Encoding]),
) {
    let by = |encoding: Encoding| {
        let keyword = lets_in(peculiar, encoding, new);
        let was = old.and_then(|old| lets_in(peculiar, encoding, old));
        match old {
            Some(old) if peculiar == Peculiar::Integers => keyword.filter(|_| was.is_none()).or_else(|| {
                let is_freed = |names: [&str; 2]| is_limited(old, names) && !is_limited(new, names);
                let is_open = was.is_none() && allows(new, "integer") && new.keywords.contains_key("type");
                let freed = LIMITS.into_iter().find(|names| is_open && is_freed(*names));
                freed.map(|_| "type")
            }),
            Some(old) if peculiar == Peculiar::Kinds => {
                let kinds = Pair::new(old, new).map(|node| allows(node, "integer").then(|| allows(node, "number")));
                let is_kept_apart = encoding != Encoding::Json && kinds.old.is_some() && kinds.new.is_some();
                (is_kept_apart && kinds.old != kinds.new).then_some("type")
            }
            _ => keyword.filter(|_| was.is_none()),
        }
    };
    let felt: Vec<(Encoding, &'static str)> =
        encodings.iter().filter_map(|encoding| Some((*encoding, by(*encoding)?))).collect();
    if let Some((_, keyword)) = felt.first() {
        let encodings: Vec<Encoding> = felt.iter().map(|(encoding, _)| *encoding).collect();
        tell(walk, nodes, (new, keyword), (peculiar, &encodings));
    }
}

/// The limits of numbers from below and from above.
const LIMITS: [[&str; 2]; 2] = [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]];

fn is_limited(node: &Node, names: [&str; 2]) -> bool {
    names.iter().any(|name| node.keywords.contains_key(*name)) || node.keywords.contains_key("enum")
}

/// Whether a schema allows a type; without a word of it, it does.
fn allows(node: &Node, ty: &str) -> bool {
    let Some(Value::Array(names)) = node.value("type") else { return true };
    names.iter().any(|name| name == ty || ty == "integer" && name == "number")
}

/// Whether nothing but an object is valid.
fn is_document(node: &Node) -> bool {
    matches!(node.value("type"), Some(Value::Array(names)) if names.iter().all(|name| name == "object"))
}

/// The keyword by which a schema says that instances have what an encoding cannot hold, or has a type of its own for.
fn lets_in(peculiar: Peculiar, encoding: Encoding, node: &Node) -> Option<&'static str> {
    let is_binary = encoding != Encoding::Json;
    match peculiar {
        Peculiar::Integers => beyond(node, integers(encoding)),
        Peculiar::Kinds | Peculiar::Root => None,
        Peculiar::Bytes => (is_binary && node.notes.contains_key("contentEncoding")).then_some("contentEncoding"),
        Peculiar::Dates => {
            let noted = node.notes.get("format").map(|note| &note.value);
            let format = node.value("format").or(noted).and_then(Value::as_str);
            (is_binary && matches!(format, Some("date" | "date-time"))).then_some("format")
        }
        Peculiar::Names => {
            let required = node.value("required").and_then(Value::as_array);
            let required = required.into_iter().flatten().filter_map(Value::as_str);
            let mut properties = node.map("properties").into_iter().flat_map(|map| map.keys());
            let is_restricted = |name: &str| name.starts_with('$') || name.contains(['.', '\0']);
            let is_felt = encoding == Encoding::Bson;
            let of_properties = (is_felt && properties.any(|name| is_restricted(name))).then_some("properties");
            of_properties.or_else(|| (is_felt && required.into_iter().any(is_restricted)).then_some("required"))
        }
        Peculiar::Size => {
            let longest = node.value("maxLength").and_then(Value::as_f64);
            let is_longer = longest.is_some_and(|longest| longest > BSON_LARGEST as f64);
            (encoding == Encoding::Bson && is_longer).then_some("maxLength")
        }
    }
}

/// The keyword that names a number beyond some integers.
fn beyond(node: &Node, (least, greatest): (i128, i128)) -> Option<&'static str> {
    if !allows(node, "integer") {
        return None;
    }
    let limit = |names: [&'static str; 2]| names.into_iter().filter_map(|name| Some((name, whole(node.value(name)?)?)));
    let [low, high] = LIMITS.map(limit);
    let low = low.filter(|(_, value)| *value < least);
    let high = high.filter(|(_, value)| *value > greatest);
    let of_limit = low.chain(high).next().map(|(name, _)| name);
    let values = node.value("enum").and_then(Value::as_array).into_iter().flatten();
    let mut numbers = values.filter_map(whole);
    of_limit.or_else(|| numbers.any(|number| number < least || number > greatest).then_some("enum"))
}

fn tell(
    walk: &mut Walk<'_>,
    nodes: Pair<NodeId>,
    (node, keyword): (&Node, &'static str),
    (peculiar, encodings): (Peculiar, &[Encoding]),
) {
    let schema = walk.schemas.new;
    let place = schema.location(node);
    let at = element(schema, node, keyword, usize::MAX);
    let noted = node.notes.get(keyword).map(|note| schema.site(node, note.span));
    let site: Site = at.or(noted).unwrap_or_else(|| schema.site(node, node.span));
    let what = format!("encoding {} {}", peculiar.name(), node.pointer);
    let identity = identity(walk.schemas, walk.nodes(nodes), &what);
    let structure = if peculiar.is_limit() { "limit" } else { "type" };
    let draft = Draft::new(ChangeKind::EncodingAffected, place.clone(), identity).at(Pair::new(None, Some(site)));
    let draft = draft.fact(FactKey::Container, place).fact(FactKey::Name, peculiar.name());
    walk.note(draft.fact(FactKey::Structure, structure).fact(FactKey::Reason, reason(peculiar, encodings)));
}

/// What the encodings do, in words.
fn reason(peculiar: Peculiar, encodings: &[Encoding]) -> String {
    let title = |encoding: &Encoding| encoding.title();
    let all = encodings.iter().map(title).collect::<Vec<_>>().join(", ");
    let integers = |encoding: &Encoding| match encoding {
        Encoding::Json => "many readers of JSON have doubles only and round integers beyond 2^53",
        Encoding::MessagePack => "MessagePack holds integers from -2^63 to 2^64 - 1",
        Encoding::Cbor => {
            "CBOR holds integers from -2^64 to 2^64 - 1, and beyond that as tagged bytes that no reader of this schema takes"
        }
        Encoding::Bson => "BSON holds integers from -2^63 to 2^63 - 1",
    };
    match peculiar {
        Peculiar::Integers => encodings.iter().map(integers).collect::<Vec<_>>().join("; "),
        Peculiar::Kinds => format!(
            "{all} keep 1 and 1.0 apart, and have NaN and infinities: readers that decode into integers refuse what this schema takes"
        ),
        Peculiar::Bytes => {
            format!("{all} have a type for bytes: data written with it are no text, which this schema asks for")
        }
        Peculiar::Dates => {
            format!("{all} have a type for dates: data written with it are no text, which this schema asks for")
        }
        Peculiar::Names => {
            "MongoDB restricts names that begin with `$` or hold a dot, and BSON has none with a NUL".to_owned()
        }
        Peculiar::Size => "a document of MongoDB has at most 16 MiB".to_owned(),
        Peculiar::Root => "the top level of BSON is a document: what is no object cannot be written".to_owned(),
    }
}
