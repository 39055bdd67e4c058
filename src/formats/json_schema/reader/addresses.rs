//! Formats of addresses: hosts, mail, URI and IRI, and templates of them.

use core::net::{Ipv4Addr, Ipv6Addr};

/// The longest name of a host, and of a part of one (RFC 1034 §3.1).
const LONGEST_HOST: usize = 253;
const LONGEST_LABEL: usize = 63;
/// The longest name of a mailbox (RFC 5321 §4.5.3.1).
const LONGEST_MAILBOX: usize = 64;

/// A host name (RFC 1123 §2.1).
pub(super) fn is_host(text: &str) -> bool {
    text.len() <= LONGEST_HOST && text.split('.').all(is_label)
}

/// A part of a host name. One with two hyphens in third place is Punycode (RFC 5891 §4.2.3.1).
fn is_label(label: &str) -> bool {
    let is_plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_sound =
        is_plain && (1..=LONGEST_LABEL).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-');
    match label.get(2..4) {
        Some("--") => is_sound && label[..2].eq_ignore_ascii_case("xn") && is_punycode(&label[4..]),
        _ => is_sound,
    }
}

/// Whether a text can be decoded as Punycode (RFC 3492 §6.2), to what is not all ASCII.
fn is_punycode(text: &str) -> bool {
    let (plain, coded) = text.rsplit_once('-').unwrap_or(("", text));
    let (mut count, mut code, mut index, mut bias) = (plain.len() as u64, 128_u64, 0_u64, 72_u64);
    let mut left = coded.bytes().peekable();
    while left.peek().is_some() {
        let before = index;
        let (mut weight, mut step) = (1_u64, 36_u64);
        loop {
            let digit = match left.next() {
                Some(byte @ b'a'..=b'z') => byte - b'a',
                Some(byte @ b'A'..=b'Z') => byte - b'A',
                Some(byte @ b'0'..=b'9') => byte - b'0' + 26,
                _ => return false,
            };
            let threshold = step.saturating_sub(bias).clamp(1, 26);
            index = index.saturating_add(u64::from(digit).saturating_mul(weight));
            if u64::from(digit) < threshold {
                break;
            }
            weight = weight.saturating_mul(36 - threshold);
            step += 36;
        }
        count += 1;
        let mut delta = (index - before) / if before == 0 { 700 } else { 2 };
        delta += delta / count;
        let mut scale = 0;
        while delta > 455 {
            delta /= 35;
            scale += 36;
        }
        bias = scale + 36 * delta / (delta + 38);
        code = code.saturating_add(index / count);
        index = index % count + 1;
        if u32::try_from(code).ok().and_then(char::from_u32).is_none() {
            return false;
        }
    }
    !coded.is_empty()
}

/// A mailbox (RFC 5321 §4.1.2).
pub(super) fn is_mail(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_atom = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    let is_local = match local.strip_prefix('"').and_then(|local| local.strip_suffix('"')) {
        Some(quoted) => is_quoted(quoted),
        None => local.split('.').all(|part| !part.is_empty() && part.bytes().all(is_atom)),
    };
    let is_domain = match domain.strip_prefix('[').and_then(|domain| domain.strip_suffix(']')) {
        Some(literal) => match literal.get(..5) {
            Some(tag) if tag.eq_ignore_ascii_case("ipv6:") => literal[5..].parse::<Ipv6Addr>().is_ok(),
            _ => literal.parse::<Ipv4Addr>().is_ok(),
        },
        None => is_host(domain),
    };
    is_local && is_domain && local.len() <= LONGEST_MAILBOX
}

/// What stands between quotes: printable, and quotes and backslashes behind a backslash.
fn is_quoted(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let byte = if byte == b'\\' { bytes.next() } else { Some(byte).filter(|byte| *byte != b'"') };
        if !byte.is_some_and(|byte| (b' '..=b'~').contains(&byte)) {
            return false;
        }
    }
    true
}

/// A URI or an IRI, or a reference by one (RFC 3986, appendix A; RFC 3987 §2.2).
pub(super) fn is_address(text: &str, is_iri: bool, is_absolute: bool) -> bool {
    let (text, fragment) = split_at(text, '#');
    let (text, query) = split_at(text, '?');
    let is_of = |text: &str, more: &str, is_private: bool| is_made_of(text, more, is_iri, is_private);
    if !is_of(fragment, ":@/?", false) || !is_of(query, ":@/?", is_iri) {
        return false;
    }
    let scheme = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme));
    let rest = match scheme {
        Some((_, rest)) => rest,
        None if is_absolute => return false,
        None => text,
    };
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !is_authority(authority, is_iri) {
                return false;
            }
            path
        }
        // A colon in the first segment would be read as the end of a scheme.
        None if scheme.is_none() && rest.split('/').next().is_some_and(|first| first.contains(':')) => return false,
        None => rest,
    };
    is_of(path, ":@/", false)
}

/// What stands before a letter, and what behind it.
fn split_at(text: &str, letter: char) -> (&str, &str) {
    text.split_once(letter).unwrap_or((text, ""))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn is_authority(text: &str, is_iri: bool) -> bool {
    let (user, rest) = text.rsplit_once('@').unwrap_or(("", text));
    let (host, port) = match rest.strip_prefix('[') {
        Some(literal) => {
            let Some((address, port)) = literal.split_once(']') else { return false };
            if !is_literal(address) {
                return false;
            }
            ("", port)
        }
        None => rest.split_at(rest.find(':').unwrap_or(rest.len())),
    };
    let is_port =
        port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    is_port && is_made_of(user, ":", is_iri, false) && is_made_of(host, "", is_iri, false)
}

/// An address between brackets: of version 6, or of one to come.
fn is_literal(text: &str) -> bool {
    let of_future = || {
        let (version, address) = text.strip_prefix(['v', 'V'])?.split_once('.')?;
        let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(is_version && !address.is_empty() && !address.contains('%') && is_made_of(address, ":", false, false))
    };
    text.parse::<Ipv6Addr>().is_ok() || of_future().unwrap_or(false)
}

/// Whether a text is made of what is unreserved, of delimiters, of some characters more, and of octets with `%`.
fn is_made_of(text: &str, more: &str, is_iri: bool, is_private: bool) -> bool {
    let is_one = |letter: char| {
        letter.is_ascii_alphanumeric()
            || "-._~!$&'()*+,;=".contains(letter)
            || more.contains(letter)
            || is_iri && is_beyond_ascii(letter, is_private)
    };
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_octet = || letter == '%' && (0..2).all(|_| letters.next().is_some_and(|one| one.is_ascii_hexdigit()));
        if !is_one(letter) && !{ is_octet }() {
            return false;
        }
    }
    true
}

/// `ucschar` and `iprivate`.
fn is_beyond_ascii(letter: char, is_private: bool) -> bool {
    let code = u32::from(letter);
    match code {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF => true,
        0xE000..=0xF8FF | 0xF_0000..=0xF_FFFD | 0x10_0000..=0x10_FFFD => is_private,
        0x1_0000..=0xD_FFFF => code & 0xFFFF < 0xFFFE,
        0xE_1000..=0xE_FFFD => true,
        _ => false,
    }
}

/// A template of a URI (RFC 6570 §2).
pub(super) fn is_template(text: &str) -> bool {
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if letter == '{' {
            let Some((expression, behind)) = rest[1..].split_once('}') else { return false };
            if !is_expression(expression) {
                return false;
            }
            rest = behind;
        } else {
            let is_octet = letter == '%' && is_octet(&rest[1..]);
            if !is_octet && (letter.is_control() || " \"<>%\\^`{|}".contains(letter)) {
                return false;
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    true
}

fn is_octet(text: &str) -> bool {
    text.get(..2).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// What stands between braces: an operator, and variables.
fn is_expression(text: &str) -> bool {
    text.strip_prefix(|letter| "+#./;?&=,!@|".contains(letter)).unwrap_or(text).split(',').all(is_variable)
}

fn is_variable(text: &str) -> bool {
    let name = match text.split_once(':') {
        Some((name, length)) => {
            let is_length = (1..=4).contains(&length.len())
                && !length.starts_with('0')
                && length.bytes().all(|byte| byte.is_ascii_digit());
            if !is_length {
                return false;
            }
            name
        }
        None => text.strip_suffix('*').unwrap_or(text),
    };
    let is_part = |part: &str| {
        let mut rest = part;
        while let Some(letter) = rest.chars().next() {
            let size = if letter == '%' && is_octet(&rest[1..]) { 3 } else { 1 };
            if size == 1 && !letter.is_ascii_alphanumeric() && letter != '_' {
                return false;
            }
            rest = &rest[size..];
        }
        !part.is_empty()
    };
    name.split('.').all(is_part)
}
