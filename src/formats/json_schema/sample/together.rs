//! Texts that several patterns take at once, and that one which a side speaks of does not.

use super::{Sampler, Sought};
use crate::formats::json_schema::lengths::{Asked, text};

/// How many texts are sought for one document.
const MOST_SOUGHT: usize = 60;

impl<'d> Sampler<'d> {
    /// A text in which all of some patterns are found, and likely one of the others that there are is not.
    pub(super) fn told_apart(&mut self, patterns: &[&'d str], (least, most): (usize, usize)) -> Option<String> {
        let hints = self.hints_here();
        let refused = self.random.pick(&hints.patterns).filter(|one| !patterns.contains(&one.as_str()));
        let refused = refused.filter(|_| patterns.is_empty() || self.random.percent(60)).cloned();
        if patterns.is_empty() && refused.is_none() {
            return None;
        }
        let sought: Sought = (patterns.iter().map(|one| (*one).to_owned()).collect(), refused, least, most);
        if let Some(known) = self.told_apart.get(&sought) {
            return known.clone();
        }
        if self.told_apart.len() >= MOST_SOUGHT {
            return None;
        }
        let takes = patterns.to_vec();
        let matchers = self.matchers.clone();
        let mut known = matchers.told_apart.borrow_mut();
        let found = known.entry(sought.clone()).or_insert_with(|| {
            let refuses = sought.1.as_deref().into_iter().collect();
            text(&Asked { takes, refuses, least, most }, &matchers.finders, &mut self.walked).flatten()
        });
        let found = found.clone();
        self.told_apart.insert(sought, found.clone());
        found
    }
}
