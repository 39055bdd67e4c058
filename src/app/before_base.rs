//! What lies before the base, by the terms of the base: which versions count, and whether all of them decide, is no matter of
//! the change under review alone.

use std::sync::Arc;

use crate::change::{Change, Pair, Site, Span};
use crate::pipeline::let_pass;
use crate::report::{Finding, Location, NUMBER_REUSED, Report};
use crate::snapshot::Snapshot;
use crate::source::Loaded;

/// A break that the terms of the base stop and those of the change let pass.
#[derive(Debug, Clone)]
pub(super) struct LetThrough {
    format: String,
    id: String,
    rule: String,
    path: String,
    at: Pair<Option<Location>>,
}

/// What breaks by the terms of the base and not by those of the change. What already breaks with the base itself is told
/// where the two are compared.
pub(super) fn let_through(by_base: &Report, by_change: &Report) -> Vec<LetThrough> {
    let is_told = |finding: &Finding| match finding.versions.last() {
        Some(base) => base.breaking,
        None => finding.rule != NUMBER_REUSED,
    };
    let stopped = |finding: &&Finding| {
        let is_it = |one: &Finding| one.id == finding.id && (one.breaking || one.waiver.is_some());
        !by_change.findings.iter().any(is_it)
    };
    let breaking = by_base.findings.iter().filter(|finding| finding.breaking && !is_told(finding));
    let told = breaking.filter(stopped).map(|finding| LetThrough {
        format: finding.format.clone(),
        id: finding.id.clone(),
        rule: finding.rule.clone(),
        path: finding.path.clone(),
        at: Pair::new(finding.old.clone(), finding.new.clone()),
    });
    told.collect()
}

impl LetThrough {
    /// The same as a change of terms; what the change leaves out is told at its configuration.
    pub(super) fn change(&self, loaded: &Loaded, configuration: Option<&Arc<str>>) -> Change {
        let sides = loaded.snapshots.as_ref();
        let at = Pair::new(site(self.at.old.as_ref(), sides.old), site(self.at.new.as_ref(), sides.new));
        let at = match at {
            Pair { old: None, new: None } => Pair::new(None, configuration.cloned().map(start)),
            at => at,
        };
        let looser = format!(
            "breaks by the terms of the base ({}), which look at the versions before it, and passes only because this change \
             loosens them",
            self.rule
        );
        let_pass(&format!("{} {}", self.format, self.id), self.path.clone(), at, looser)
    }
}

fn start(file: Arc<str>) -> Site {
    Site { file, span: Span::default() }
}

/// The first line of a place, where the file is there.
fn site(at: Option<&Location>, side: &Snapshot) -> Option<Site> {
    let at = at?;
    let (path, file) = (Arc::from(at.file.as_str()), side.get(&at.file)?);
    let lines = file.bytes.split_inclusive(|byte| *byte == b'\n').take(usize::try_from(at.line).ok()?);
    let lengths: Vec<usize> = lines.map(<[u8]>::len).collect();
    let end: usize = lengths.iter().sum();
    let start = u32::try_from(end - lengths.last()?).ok()?;
    Some(Site { file: path, span: Span::new(start, u32::try_from(end).ok()?) })
}
