//! Where that is decided which no statement at an element says: at the head of its file.

use crate::change::{Pair, Site, Span};

use super::super::ast::OptionNode;
use super::super::features::each_override;
use super::super::model::{Features, File, FileId};
use super::state::Differ;

impl Differ<'_, '_> {
    /// Where a difference stands that two elements have by a feature of their file. Where both are written alike, it is at
    /// the statements that decide it, since these were edited: the option of the file, or else its syntax or edition. Where
    /// they are not, or the feature of the file is the same, it is at the elements.
    pub(super) fn decided_at(
        &self,
        files: Pair<FileId>,
        elements: Pair<Span>,
        (feature, differs): (&str, fn(Pair<&Features>) -> bool),
    ) -> Pair<Option<Site>> {
        let both = Pair::new(self.schemas.old.file(files.old), self.schemas.new.file(files.new));
        let written = Pair::new(text(both.old, elements.old), text(both.new, elements.new));
        let is_decided_there =
            both.old.path == both.new.path && written.old == written.new && differs(both.map(|file| &file.features));
        let span = |file: &File<'_>, element: Span| match is_decided_there {
            true => decisive(file, feature).unwrap_or(element),
            false => element,
        };
        Pair::new(
            self.old_site(files.old, span(both.old, elements.old)),
            self.new_site(files.new, span(both.new, elements.new)),
        )
    }
}

fn text<'a>(file: &File<'a>, span: Span) -> Option<&'a [u8]> {
    file.ast.bytes.get(span.start as usize..span.end as usize)
}

/// The statement of a file that decides a feature; `None` where nothing is said, which means proto2.
fn decisive(file: &File<'_>, feature: &str) -> Option<Span> {
    setting(&file.ast.options, feature).or_else(|| file.ast.syntax.as_ref().map(|syntax| syntax.span))
}

/// The option that sets a feature.
pub(super) fn setting(options: &[OptionNode<'_>], feature: &str) -> Option<Span> {
    let sets = |option: &&OptionNode<'_>| {
        let mut is_set = false;
        each_override(std::slice::from_ref(*option), |name, _| is_set |= name == feature);
        is_set
    };
    options.iter().find(sets).map(|option| option.span)
}
