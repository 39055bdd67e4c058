//! What is found out of every rule example and every fixture: many tests look at it, and it is found out once.

use std::sync::LazyLock;

use rayon::prelude::*;

use wireproof::formats::Checked;
use wireproof::report::Report;
use wireproof::verdict::Policy;

use crate::support::{Case, all_cases};

/// A case, what is found out of it, and what of its sides exchanged.
pub struct Compared {
    pub case: Case,
    pub there: Checked,
    pub back: Checked,
}

/// All cases, compared.
pub static COMPARED: LazyLock<Vec<Compared>> = LazyLock::new(|| {
    let compared = |case: Case| Compared { there: case.check(), back: case.check_mirrored(), case };
    all_cases().into_par_iter().map(compared).collect()
});

/// All cases and the reports of them where nothing is configured.
pub static REPORTED: LazyLock<Vec<(Case, Report)>> = LazyLock::new(|| {
    let reported = |case: Case| {
        let report = case.report_with_roots(&Policy::default());
        (case, report)
    };
    all_cases().into_par_iter().map(reported).collect()
});
