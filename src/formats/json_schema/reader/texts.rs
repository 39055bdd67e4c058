//! The formats of texts (Validation §7.3) that are not addresses, and which text has which.

use core::net::{Ipv4Addr, Ipv6Addr};

use super::addresses::{is_address, is_host, is_mail, is_template};
use super::pattern::is_pattern;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Date,
    DateTime,
    Duration,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Iri,
    IriReference,
    JsonPointer,
    Regex,
    RelativeJsonPointer,
    Time,
    Uri,
    UriReference,
    UriTemplate,
    Uuid,
}

const NAMES: [(&str, Format); 17] = [
    ("date", Format::Date),
    ("date-time", Format::DateTime),
    ("duration", Format::Duration),
    ("email", Format::Email),
    ("hostname", Format::Hostname),
    ("ipv4", Format::Ipv4),
    ("ipv6", Format::Ipv6),
    ("iri", Format::Iri),
    ("iri-reference", Format::IriReference),
    ("json-pointer", Format::JsonPointer),
    ("regex", Format::Regex),
    ("relative-json-pointer", Format::RelativeJsonPointer),
    ("time", Format::Time),
    ("uri", Format::Uri),
    ("uri-reference", Format::UriReference),
    ("uri-template", Format::UriTemplate),
    ("uuid", Format::Uuid),
];

impl Format {
    /// `None` where nothing is known of it: then every text has it.
    pub(super) fn named(name: &str) -> Option<Format> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    pub(super) fn has(self, text: &str) -> bool {
        match self {
            Format::Date => is_date(text),
            Format::DateTime => is_date_time(text),
            Format::Duration => is_duration(text),
            Format::Email => is_mail(text),
            Format::Hostname => is_host(text),
            Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Format::Iri => is_address(text, true, true),
            Format::IriReference => is_address(text, true, false),
            Format::JsonPointer => is_pointer(text),
            Format::Regex => is_pattern(text),
            Format::RelativeJsonPointer => is_relative_pointer(text),
            Format::Time => is_time(text),
            Format::Uri => is_address(text, false, true),
            Format::UriReference => is_address(text, false, false),
            Format::UriTemplate => is_template(text),
            Format::Uuid => is_uuid(text),
        }
    }
}

/// A number of so many digits at the start of a text, and what follows.
fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    Some((digits.parse().ok()?, rest))
}

/// `full-date` (RFC 3339 §5.6).
fn is_date(text: &str) -> bool {
    let read = || {
        let (year, rest) = digits(text, 4)?;
        let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
        let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            1..=12 => 31,
            _ => return None,
        };
        Some(rest.is_empty() && (1..=days).contains(&day))
    };
    read().unwrap_or(false)
}

fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(10) else { return false };
    time.strip_prefix(['T', 't']).is_some_and(|time| is_date(date) && is_time(time))
}

/// Minutes of a day.
const DAY: i64 = 24 * 60;

/// `full-time` (RFC 3339 §5.6). A leap second is the last one of a day, in UTC.
fn is_time(text: &str) -> bool {
    let read = || {
        let (hour, rest) = digits(text, 2)?;
        let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
        let (second, rest) = digits(rest.strip_prefix(':')?, 2)?;
        let rest = match rest.strip_prefix('.') {
            None => rest,
            Some(fraction) => {
                let rest = fraction.trim_start_matches(|letter: char| letter.is_ascii_digit());
                (rest.len() < fraction.len()).then_some(rest)?
            }
        };
        let offset = if matches!(rest, "Z" | "z") { 0 } else { offset(rest)? };
        let at = i64::from(hour) * 60 + i64::from(minute) - offset;
        let is_last = at.rem_euclid(DAY) == DAY - 1;
        Some(hour < 24 && minute < 60 && (second < 60 || second == 60 && is_last))
    };
    read().unwrap_or(false)
}

/// Minutes that a time lies before UTC.
fn offset(text: &str) -> Option<i64> {
    let rest = text.strip_prefix(['+', '-'])?;
    let (hours, rest) = digits(rest, 2)?;
    let (minutes, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let offset = i64::from(hours * 60 + minutes);
    (rest.is_empty() && hours < 24 && minutes < 60).then_some(if text.starts_with('-') { -offset } else { offset })
}

/// `duration` (RFC 3339, appendix A): units follow one another without a gap.
fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    let is_time = time.is_none_or(|time| is_run_of(time, "HMS"));
    match date {
        "" => time.is_some() && is_time,
        date => is_time && (is_run_of(date, "YMD") || time.is_none() && is_run_of(date, "W")),
    }
}

/// Whether a text is numbers with some units that stand beside each other in a list.
fn is_run_of(text: &str, units: &str) -> bool {
    let (mut rest, mut next) = (text, None);
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let Some(unit) = behind.chars().next().filter(|_| behind.len() < rest.len()) else { return false };
        let Some(at) = units.find(unit).filter(|at| next.is_none_or(|next| *at == next)) else { return false };
        (rest, next) = (&behind[unit.len_utf8()..], Some(at + 1));
    }
    next.is_some()
}

/// RFC 6901 §3.
fn is_pointer(text: &str) -> bool {
    let is_escaped = |rest: &str| rest.starts_with(['0', '1']);
    (text.is_empty() || text.starts_with('/')) && text.split('~').skip(1).all(is_escaped)
}

/// A pointer behind a number (draft-bhutton-relative-json-pointer-00 §3, without a move by an index).
fn is_relative_pointer(text: &str) -> bool {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = &text[..text.len() - rest.len()];
    !number.is_empty() && (number == "0" || !number.starts_with('0')) && (rest == "#" || is_pointer(rest))
}

/// RFC 4122 §3.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_part =
        |(part, length): (&&str, &usize)| part.len() == *length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.len() == 5 && parts.iter().zip(&[8, 4, 4, 4, 12]).all(is_part)
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
