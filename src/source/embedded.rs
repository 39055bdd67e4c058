//! Files that schemas embed: what a default says may stand in a file that is no schema. They are not read, but where one
//! changed that is said.

use std::sync::Arc;

use super::names::normalised;
use super::referred::{Around, identity};
use crate::change::{Pair, Side};
use crate::failure::Failure;
use crate::formats::{Format, embedded};
use crate::ordered::OrderedMap;
use crate::snapshot::{Bytes, Snapshot};
use crate::syntax::problem::NotChecked;

/// Says of each file that schemas of both sides embed, and that is another one now, that nobody looked into it.
pub(super) fn changed(around: &Around<'_>, sides: Pair<&Snapshot>) -> Result<Vec<NotChecked>, Failure> {
    let by = embedding(around, sides);
    if by.is_empty() {
        return Ok(Vec::new());
    }
    let listed = Pair::new(around.listed(Side::Old)?, around.listed(Side::New)?);
    let content = |side: Side, path: &str| {
        let known = sides.side(side).get(path).map(|file| file.id.to_string());
        known.or_else(|| listed.side(side).get(path).map(identity))
    };
    let not_read = |(path, schema): (String, Arc<str>)| {
        let (old, new) = (content(Side::Old, &path)?, content(Side::New, &path)?);
        (old != new).then(|| NotChecked {
            file: schema.to_string(),
            what: format!("what changed in `{path}`, which is embedded here: a default may be another one now"),
            help: format!("compare both versions of `{path}` yourself, or write the default as a value"),
        })
    };
    Ok(by.into_iter().filter_map(not_read).collect())
}

/// The files that schemas of the new side embed, by their paths, and the first schema that does.
fn embedding(around: &Around<'_>, sides: Pair<&Snapshot>) -> OrderedMap<String, Arc<str>> {
    let mut found = OrderedMap::new();
    for format in Format::ALL.iter().copied().filter(|format| format.embeds()) {
        let schemas = sides.new.iter().filter(|(path, _)| Format::of_path(path) == Some(format));
        let (paths, texts): (Vec<&Arc<str>>, Vec<&Bytes>) = schemas.map(|(path, file)| (path, &file.bytes)).unzip();
        let written = Bytes::map(&texts, &|text| embedded(format, text));
        for (path, written) in paths.into_iter().zip(written) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for written in written.unwrap_or_default() {
                let roots = match written.strip_prefix('/') {
                    Some(rest) => around.roots().map(|root| normalised(root, rest)).collect(),
                    None => vec![normalised(folder, &written)],
                };
                for place in roots.into_iter().flatten() {
                    found.entry(place).or_insert_with(|| path.clone());
                }
            }
        }
    }
    found
}
