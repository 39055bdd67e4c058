//! Texts: patterns, lengths, formats, and values that are listed.

use std::rc::Rc;

use serde_json::Value;

use super::datum::Datum;
use super::nodes::{Literal, Node, Text};
use super::{Found, Solver, Sought};
use crate::formats::json_schema::random::Random;
use crate::formats::json_schema::texts::{Texts, without_looks};
use crate::formats::json_schema::{formats, lengths, patterns};

/// Values that are left out by a pattern.
const MOST_LEFT_OUT: usize = 50;
/// Texts that are tried.
const MOST_TRIED: usize = 200;
/// Texts that are made of each pattern.
const MOST_MADE: usize = 40;
/// Where the texts begin that are made.
const SEED: u64 = 11;
/// Longer texts are not made.
const LONGEST: usize = 70_000;

/// What is asked of a text.
#[derive(Default)]
struct Asked {
    takes: Vec<Text>,
    refuses: Vec<Text>,
    formats: Vec<Text>,
    no_formats: Vec<Text>,
    least: usize,
    most: usize,
}

impl Solver<'_> {
    pub(super) fn text(&mut self, conditions: &[Literal]) -> Found<Datum> {
        let asked = self.asked(conditions);
        if asked.least > asked.most {
            return Found::Nothing;
        }
        let listed = self.listed(conditions);
        let texts = |values: Vec<&Value>| -> Vec<Text> {
            values.into_iter().filter_map(Value::as_str).map(Text::from).collect()
        };
        let allowed = listed.allowed.map(|allowed| texts(allowed.into_iter().map(|(_, value)| value).collect()));
        let denied = texts(listed.denied);
        if let Some(allowed) = allowed {
            let left = allowed.into_iter().filter(|text| !denied.contains(text));
            return Found::first(left.map(|text| match self.is_as_asked(&asked, &text) {
                Some(true) => Found::plain(Value::from(&*text)),
                Some(false) => Found::Nothing,
                None => Found::Unknown,
            }));
        }
        self.any_text(&asked, &denied)
    }

    fn asked(&self, conditions: &[Literal]) -> Asked {
        let mut asked = Asked { most: usize::MAX, ..Asked::default() };
        for literal in conditions {
            match (self.nodes.shared(*literal), literal.is_denied()) {
                (Node::Shortest(least), false) => asked.least = asked.least.max(*least),
                (Node::Longest(most), true) => asked.least = asked.least.max(most.saturating_add(1)),
                (Node::Longest(most), false) => asked.most = asked.most.min(*most),
                (Node::Shortest(least), true) => asked.most = asked.most.min(least.saturating_sub(1)),
                (Node::Pattern(pattern), false) => asked.takes.push(pattern.clone()),
                (Node::Pattern(pattern), true) => asked.refuses.push(pattern.clone()),
                (Node::Format(format), false) => asked.formats.push(format.clone()),
                (Node::Format(format), true) => asked.no_formats.push(format.clone()),
                _ => {}
            }
        }
        asked
    }

    /// Whether a text is as asked, where that is known.
    fn is_as_asked(&mut self, asked: &Asked, text: &Text) -> Option<bool> {
        let length = text.chars().count();
        if length < asked.least || length > asked.most {
            return Some(false);
        }
        let wanted = |list: &[Text], is_format: bool, is_wanted: bool| -> Vec<((bool, Text), bool)> {
            list.iter().map(|of| ((is_format, of.clone()), is_wanted)).collect()
        };
        let mut all = wanted(&asked.takes, false, true);
        all.extend(wanted(&asked.refuses, false, false));
        all.extend(wanted(&asked.formats, true, true));
        all.extend(wanted(&asked.no_formats, true, false));
        let mut is_known = true;
        for ((is_format, of), is_wanted) in all {
            match self.does_take((is_format, &of), text) {
                Some(does_take) if does_take != is_wanted => return Some(false),
                Some(_) => {}
                None => is_known = false,
            }
        }
        is_known.then_some(true)
    }

    /// A text that is as asked and none of some.
    fn any_text(&mut self, asked: &Asked, denied: &[Text]) -> Found<Datum> {
        let mut offered: Vec<Text> =
            asked.formats.iter().filter_map(|name| formats::texts(name)).flatten().copied().map(Text::from).collect();
        if asked.formats.is_empty() {
            offered.extend(simple(asked, denied.len()));
        }
        for text in offered.into_iter().take(MOST_TRIED) {
            if !denied.contains(&text) && self.is_as_asked(asked, &text) == Some(true) {
                return Found::plain(Value::from(&*text));
            }
        }
        if asked.takes.is_empty() && asked.refuses.is_empty() {
            // Of one letter there are more texts than may be left out.
            return if asked.most == 0 && denied.iter().any(|text| text.is_empty()) {
                Found::Nothing
            } else {
                Found::Unknown
            };
        }
        let left_out = left_out(denied);
        let mut refuses = asked.refuses.clone();
        refuses.extend(left_out.flatten());
        let sought = (asked.takes.clone(), refuses, asked.least, asked.most);
        match self.sought(&sought) {
            Some(None) => Found::Nothing,
            Some(Some(text)) => {
                let text = Text::from(text.as_str());
                let is_one = !denied.contains(&text) && self.is_as_asked(asked, &text) == Some(true);
                if is_one { Found::plain(Value::from(&*text)) } else { Found::Unknown }
            }
            None => match self.text_nearby(asked, denied, &sought) {
                Some(text) => Found::plain(text),
                None => self.without_the_unknown(&sought),
            },
        }
    }

    /// A text that is as asked, among those of patterns without what no automaton knows.
    fn text_nearby(&mut self, asked: &Asked, denied: &[Text], sought: &Sought) -> Option<Value> {
        let (takes, refuses, least, most) = self.with_the_known(sought);
        let found = self.sought(&(takes, refuses, least, most)).flatten();
        let made: Vec<Rc<[Text]>> = asked.takes.iter().map(|pattern| self.texts_of(pattern)).collect();
        let nearby = found.map(Text::from).into_iter().chain(made.iter().flat_map(|texts| texts.iter().cloned()));
        nearby
            .filter(|text| !denied.contains(text))
            .find(|text| self.is_as_asked(asked, text) == Some(true))
            .map(|text| Value::from(&*text))
    }

    /// Some texts that a pattern may take: each case asks for the same.
    fn texts_of(&mut self, pattern: &Text) -> Rc<[Text]> {
        let make = || {
            let (texts, mut random) = (Texts::of(pattern), Random::new(SEED));
            (0..MOST_MADE).filter_map(|_| texts.one(&mut random)).map(Text::from).collect()
        };
        Rc::clone(self.made.entry(pattern.clone()).or_insert_with(make))
    }

    /// The same with patterns that automata know: what has to be found without what looks around, and less that must not be.
    fn with_the_known(&self, (takes, refuses, least, most): &Sought) -> Sought {
        let is_known = |pattern: &Text| self.finders.of(pattern).is_some();
        let wide = |pattern: &Text| if is_known(pattern) { pattern.clone() } else { without_looks(pattern).into() };
        let takes: Vec<Text> = takes.iter().map(wide).filter(is_known).collect();
        let refuses: Vec<Text> = refuses.iter().filter(|pattern| is_known(pattern)).cloned().collect();
        (takes, refuses, *least, *most)
    }

    /// Whether there is no text where only what automata know is asked.
    fn without_the_unknown(&mut self, sought: &Sought) -> Found<Datum> {
        let (takes, refuses, least, most) = self.with_the_known(sought);
        let mut is_nothing =
            |takes: Vec<Text>, refuses: Vec<Text>| self.sought(&(takes, refuses, least, most)) == Some(None);
        let is_refused = |found: bool| if found { Found::Nothing } else { Found::Unknown };
        if is_nothing(takes.clone(), refuses.clone()) {
            return Found::Nothing;
        }
        // Two may be enough where all are too many.
        for take in &takes {
            let others = refuses.iter().map(|refuse| vec![refuse.clone()]).chain([Vec::new()]);
            if others.into_iter().any(|refuses| is_nothing(vec![take.clone()], refuses)) {
                return Found::Nothing;
            }
        }
        is_refused(refuses.into_iter().any(|refuse| is_nothing(Vec::new(), vec![refuse])))
    }

    fn sought(&mut self, sought: &Sought) -> Option<Option<String>> {
        if let Some(known) = self.texts.get(sought) {
            return known.clone();
        }
        let (takes, refuses, least, most) = sought;
        let plain = |list: &'_ [Text]| -> Vec<String> { list.iter().map(|text| text.to_string()).collect() };
        let (takes, refuses) = (plain(takes), plain(refuses));
        let asked = lengths::Asked {
            takes: takes.iter().map(String::as_str).collect(),
            refuses: refuses.iter().map(String::as_str).collect(),
            least: *least,
            most: *most,
        };
        self.steps += 20;
        let mut looks = 0;
        let found = lengths::text(&asked, self.finders, &mut looks);
        self.looks_at(looks);
        self.texts.insert(sought.clone(), found.clone());
        found
    }
}

/// Texts that most patterns do not ask for, and more of them than are left out.
fn simple(asked: &Asked, count: usize) -> Vec<Text> {
    let mut texts = Vec::new();
    if asked.least > LONGEST {
        return texts;
    }
    if asked.least == 0 {
        texts.push(Text::from(""));
    }
    let length = asked.least.max(1);
    if length <= asked.most {
        let letters = ('a'..='z').chain('0'..='9').chain('\u{4E00}'..='\u{9FFF}').take(count + 36);
        texts.extend(letters.map(|letter| Text::from(letter.to_string() + &"a".repeat(length - 1))));
    }
    texts
}

/// The pattern of some texts as a whole; `None` where they are too many, or have what is not spelled.
fn left_out(texts: &[Text]) -> Option<Option<Text>> {
    if texts.is_empty() {
        return Some(None);
    }
    let texts: Option<Vec<String>> = texts.iter().map(|text| patterns::spelled(text)).collect();
    let texts = texts.filter(|texts| texts.len() <= MOST_LEFT_OUT)?;
    Some(Some(format!("^(?:{})$", texts.join("|")).into()))
}
