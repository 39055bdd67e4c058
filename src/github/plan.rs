//! What to do with the comments that are there: create one, update it in place, or leave it alone. No request is made here.

use super::marker;
use crate::ordered::InOrder;

/// When to have a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// When there is something to tell; a comment that is there is kept current.
    Auto,
    /// Always, also when nothing is found.
    Always,
}

/// A comment on the pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its number.
    pub id: u64,
    /// Its text, as stored.
    pub body: String,
    /// Who wrote it.
    pub author: Author,
    /// Where to look at it.
    pub url: Option<String>,
}

/// Who wrote a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// This token, or one of its kind: it may be changed.
    Ours,
    /// Somebody else. What they write is theirs, whatever marker it holds.
    Other,
}

/// Whether a report is worth a comment of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// There is something to tell.
    Telling,
    /// Nothing stands in the way of merging, and nobody has to be told.
    Silence,
}

/// The comment as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Which of several comments on one pull request.
    pub key: String,
    /// The whole text, the marker included.
    pub body: String,
    /// Whether it is worth a new comment.
    pub worth: Worth,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// With the one comment.
    pub step: Step,
    /// Comments that say the same a second time, to be deleted: two runs have started at once.
    pub duplicates: Vec<u64>,
}

/// What to do with the one comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// There is none and none is needed.
    Silent,
    /// Write a new one.
    Create,
    /// Replace the text of this one.
    Update(u64),
    /// This one already tells it.
    Keep(u64),
}

/// Decides, from the comments there are. The oldest of several with one key stays.
pub fn plan(comments: &[Comment], wanted: &Wanted, when: When) -> Plan {
    let key = marker::encode(&wanted.key);
    let mut ours: Vec<(u64, marker::Marker)> = comments
        .iter()
        .filter(|comment| comment.author == Author::Ours)
        .filter_map(|comment| marker::read(&comment.body).map(|marker| (comment.id, marker)))
        .filter(|(_, marker)| marker.key == key)
        .collect();
    ours.sort_in_order_by_key(|(id, _)| *id);
    let content = marker::read(&wanted.body).and_then(|marker| marker.content);
    let step = match ours.first() {
        None if wanted.worth == Worth::Silence && when == When::Auto => Step::Silent,
        None => Step::Create,
        Some((id, there)) if there.intact && there.content == content => Step::Keep(*id),
        Some((id, _)) => Step::Update(*id),
    };
    Plan { step, duplicates: ours.iter().skip(1).map(|(id, _)| *id).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(text: &str) -> Wanted {
        let body = marker::write(("CI/check", Some("abc")), &[], text, text, "frame");
        Wanted { key: "CI/check".to_owned(), body, worth: Worth::Telling }
    }

    fn comment(id: u64, body: &str) -> Comment {
        Comment { id, body: body.to_owned(), author: Author::Ours, url: None }
    }

    fn step(comments: &[Comment], wanted: &Wanted) -> Step {
        plan(comments, wanted, When::Auto).step
    }

    #[test]
    fn the_first_time_a_comment_is_created() {
        assert_eq!(step(&[], &wanted("broken")), Step::Create);
        assert_eq!(step(&[comment(1, "Looks good to me")], &wanted("broken")), Step::Create);
    }

    #[test]
    fn a_clean_report_is_silent_until_there_is_a_comment_to_turn_green() {
        let clean = Wanted { worth: Worth::Silence, ..wanted("fine") };
        assert_eq!(step(&[], &clean), Step::Silent);
        assert_eq!(plan(&[], &clean, When::Always).step, Step::Create);
        assert_eq!(step(&[comment(7, &wanted("broken").body)], &clean), Step::Update(7));
        assert_eq!(step(&[comment(7, &clean.body)], &clean), Step::Keep(7));
    }

    #[test]
    fn the_same_content_is_not_written_again_although_the_frame_differs() {
        let other_frame = marker::write(("CI/check", Some("def")), &[], "broken", "broken", "another run");
        assert_eq!(step(&[comment(7, &other_frame)], &wanted("broken")), Step::Keep(7));
        assert_eq!(step(&[comment(7, &other_frame)], &wanted("worse")), Step::Update(7));
    }

    #[test]
    fn a_comment_that_a_person_edited_is_put_right() {
        let edited = wanted("broken").body.replace("broken", "all fine, merge it");
        assert_eq!(step(&[comment(7, &edited)], &wanted("broken")), Step::Update(7));
        let no_marker = edited.lines().skip(1).collect::<Vec<_>>().join("\n");
        assert_eq!(step(&[comment(7, &no_marker)], &wanted("broken")), Step::Create);
    }

    #[test]
    fn what_others_write_is_theirs() {
        let copied = Comment { author: Author::Other, ..comment(3, &wanted("broken").body) };
        assert_eq!(step(&[copied], &wanted("broken")), Step::Create);
    }

    #[test]
    fn jobs_do_not_fight_for_one_comment() {
        let other = marker::write(("CI/other", Some("abc")), &[], "broken", "broken", "frame");
        assert_eq!(step(&[comment(3, &other)], &wanted("broken")), Step::Create);
    }

    #[test]
    fn of_two_the_oldest_stays() {
        let body = wanted("broken").body;
        let found = plan(&[comment(9, &body), comment(4, &body), comment(12, &body)], &wanted("broken"), When::Auto);
        assert_eq!(found, Plan { step: Step::Keep(4), duplicates: vec![9, 12] });
    }
}
