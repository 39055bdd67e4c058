//! Addresses of schemas: references resolved against the address of what they stand in (RFC 3986 §5.2), without a network.

use std::borrow::Cow;

use memchr::memmem;

use crate::syntax::json::{Json, JsonKind};
use crate::text;

/// The addresses that stand behind references in a text in JSON or YAML, whose escapes are resolved, without their fragments;
/// perhaps more, and none that leads into the text itself or into the meta-schemas by name.
pub(super) fn written_in(text: &[u8]) -> impl Iterator<Item = &str> {
    let behind = ["$ref", "$dynamicRef"]
        .into_iter()
        .flat_map(move |word| memmem::find_iter(text, word).map(move |at| address(&text[at + word.len()..])));
    let addresses = behind.filter_map(|address| std::str::from_utf8(address).ok()).map(str::trim_end);
    addresses.filter(|address| !address.is_empty() && !address.contains("//json-schema.org/"))
}

/// The address behind a key, without a fragment. Where a comment stands first it is the comment, whatever comes behind it.
fn address(rest: &[u8]) -> &[u8] {
    let is_between = |byte: &u8| matches!(byte, b'"' | b'\'' | b':') || byte.is_ascii_whitespace();
    let between = rest.iter().take_while(|byte| is_between(byte)).count();
    let (quote, rest) = (rest[..between].last().filter(|byte| matches!(byte, b'"' | b'\'')), &rest[between..]);
    let Some(quote) = quote else {
        let ends = |byte: &u8| matches!(byte, b',' | b'}' | b'\n' | b'?');
        let text = &rest[..rest.iter().take_while(|byte| !ends(byte)).count()];
        let fragment = text.iter().position(|byte| *byte == b'#').filter(|at| *at > 0);
        return &text[..fragment.unwrap_or(text.len())];
    };
    let ends = |byte: &u8| byte == quote || matches!(byte, b'\n' | b'#' | b'?');
    &rest[..rest.iter().take_while(|byte| !ends(byte)).count()]
}

/// The parts of an address; what is not written is `None`.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

fn parts(text: &str) -> Parts<'_> {
    let is_scheme = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let (scheme, rest) = match text.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
        _ => (None, text),
    };
    let (authority, rest) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, rest),
    };
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    Parts { scheme, authority, path, query }
}

/// An address without its fragment, and the fragment, percent signs resolved.
pub(super) fn split(reference: &str) -> (&str, String) {
    let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    (address, text::without_percent_signs(fragment))
}

/// The address that a reference without fragment means inside of `base`.
pub(super) fn join(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    let (own, of_base) = (parts(reference), parts(base));
    if own.scheme.is_some() {
        return written(own.scheme, own.authority, &straight(own.path), own.query);
    }
    if own.authority.is_some() {
        return written(of_base.scheme, own.authority, &straight(own.path), own.query);
    }
    if own.path.is_empty() {
        return written(of_base.scheme, of_base.authority, of_base.path, own.query.or(of_base.query));
    }
    let path = match own.path.strip_prefix('/') {
        Some(_) => straight(own.path),
        None => {
            let folder = of_base.path.rfind('/').map_or("", |end| &of_base.path[..=end]);
            let folder = if folder.is_empty() && of_base.authority.is_some() { "/" } else { folder };
            straight(&format!("{folder}{}", own.path))
        }
    };
    written(of_base.scheme, of_base.authority, &path, own.query)
}

/// An address of its parts, spelled as all that mean the same are (RFC 3986 §6.2.2).
fn written(scheme: Option<&str>, authority: Option<&str>, path: &str, query: Option<&str>) -> String {
    let mut text = scheme.map(|scheme| format!("{}:", scheme.to_ascii_lowercase())).unwrap_or_default();
    if let Some(authority) = authority {
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        text.push_str("//");
        text.extend(user.iter().flat_map(|user| [user, "@"]));
        text.push_str(&host.to_ascii_lowercase());
    }
    text.push_str(&respelled(path));
    if let Some(query) = query {
        text.push('?');
        text.push_str(&respelled(query));
    }
    text
}

/// A text in which nothing is escaped that need not be (RFC 3986 §2.3), and digits are large letters.
fn respelled(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('%');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..2).and_then(text::byte_of) {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => plain.push(byte.into()),
            Some(byte) => plain.push_str(&format!("%{byte:02X}")),
            None => plain.push('%'),
        }
        plain.push_str(part.get(..2).and_then(text::byte_of).map_or(part, |_| &part[2..]));
    }
    Cow::Owned(plain)
}

/// A path without `.` and `..`.
fn straight(path: &str) -> String {
    if !path.contains('.') {
        return path.to_owned();
    }
    let is_absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    let last = path.rsplit('/').next().unwrap_or_default();
    for part in path.split('/').skip(usize::from(is_absolute)) {
        match part {
            "." => {}
            ".." => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    let mut text = if is_absolute { "/".to_owned() } else { String::new() };
    text.push_str(&kept.join("/"));
    if matches!(last, "." | "..") && !text.ends_with('/') {
        text.push('/');
    }
    text
}

/// The parts of a JSON pointer (RFC 6901), escapes resolved; `None` where it is none.
pub(super) fn pointer_parts(pointer: &str) -> Option<Vec<String>> {
    match pointer {
        "" => Some(Vec::new()),
        _ => Some(pointer.strip_prefix('/')?.split('/').map(name_of).collect()),
    }
}

/// The value that a JSON pointer leads to.
pub(super) fn at<'j>(json: &'j Json<'j>, pointer: &str) -> Option<&'j Json<'j>> {
    led(json, pointer, Json::get)
}

/// The same where members of objects are looked up in some way.
pub(super) fn led<'j>(
    mut json: &'j Json<'j>,
    pointer: &str,
    member: impl Fn(&'j Json<'j>, &str) -> Option<&'j Json<'j>>,
) -> Option<&'j Json<'j>> {
    for part in pointer_parts(pointer)? {
        json = match &json.kind {
            JsonKind::Object(_) => member(json, &part)?,
            JsonKind::List(list) => list.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(json)
}

/// A pointer one step further.
pub(super) fn step(pointer: &str, part: &str) -> String {
    format!("{pointer}/{}", part.replace('~', "~0").replace('/', "~1"))
}

/// The part of a pointer that a step is spelled as.
pub(super) fn name_of(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_as_the_standard_has_it() {
        let base = "https://a.example/b/c/d.json?q";
        for (reference, meant) in [
            ("e.json", "https://a.example/b/c/e.json"),
            ("../e.json", "https://a.example/b/e.json"),
            ("../../../e.json", "https://a.example/e.json"),
            ("./e/./f.json", "https://a.example/b/c/e/f.json"),
            ("/e.json", "https://a.example/e.json"),
            ("//x.example/e", "https://x.example/e"),
            ("urn:x:y", "urn:x:y"),
            ("?r", "https://a.example/b/c/d.json?r"),
            ("", base),
            ("HTTPS://Me@X.Example/%7Ee%2fE", "https://Me@x.example/~e%2FE"),
            ("URN:x:Y", "urn:x:Y"),
            ("?a%2E%zz%+1", "https://a.example/b/c/d.json?a.%zz%+1"),
        ] {
            assert_eq!(join(base, reference), meant, "{reference}");
        }
        assert_eq!(join("file:///a/b.json", "c.json"), "file:///a/c.json");
        assert_eq!(join("https://a.example", "c.json"), "https://a.example/c.json");
    }

    #[test]
    fn fragments_and_pointers_are_unescaped() {
        assert_eq!(split("a.json#/x%25y~1z"), ("a.json", "/x%y~1z".to_owned()));
        assert_eq!(split("#/%+1%zz%4"), ("", "/%+1%zz%4".to_owned()));
        assert_eq!(pointer_parts("/x~1y/~01"), Some(vec!["x/y".to_owned(), "~1".to_owned()]));
        assert_eq!(pointer_parts("name"), None);
        assert_eq!(step("/a", "b/c~"), "/a/b~1c~0");
    }

    #[test]
    fn addresses_are_seen_behind_their_keys_however_they_are_quoted() {
        for (text, seen) in [
            (r##"{"$ref": "a.json#/x"}"##, "a.json"),
            (r#"{"$ref":"a.json,b's.inc?v"}"#, "a.json,b's.inc"),
            ("{$ref: a.inc, type: object}", "a.inc"),
            ("$ref: 'a,b.inc'", "a,b.inc"),
            ("$ref: # a.json\n  b.inc", "# a.json"),
            ("$ref: a.inc#/x", "a.inc"),
        ] {
            assert_eq!(written_in(text.as_bytes()).collect::<Vec<_>>(), [seen], "{text}");
        }
        assert_eq!(written_in(br##"{"$ref": "#/x"}"##).count(), 0);
    }
}
