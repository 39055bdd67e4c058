//! Under which of our rules the ids of other tools stand, so that who knows one of theirs finds ours.
//!
//! The list is measured by a test (`tests/it/peer_ids.rs`) over every rule example and every fixture.

/// Lines `tool id: rule rule`.
const IDS: &str = include_str!("peer_ids.txt");

/// The ids of our rules under which a tool's id was seen, however its letters are written.
pub fn ours(tool: &str, id: &str) -> Vec<&'static str> {
    let is_asked =
        |head: &&str| head.split_once(' ').is_some_and(|(of, known)| of == tool && known.eq_ignore_ascii_case(id));
    let lines = IDS.lines().filter_map(|line| line.split_once(": "));
    lines.filter(|(head, _)| is_asked(head)).flat_map(|(_, rules)| rules.split_whitespace()).collect()
}
