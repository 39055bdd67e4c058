//! Which file leads to which: what a file sees through its imports, and imports that run in a circle.

use crate::ordered::InOrder;
use crate::syntax::problem::Problem;

use super::ast::ImportModifier;
use super::link_scope::Visible;
use super::model::FileId;
use super::universe::LinkFile;

/// What a file sees: its imports and what these import publicly.
pub(super) fn visible(files: &[LinkFile<'_>], from: FileId) -> Visible {
    let mut visible = Visible::default();
    let file = &files[from.0 as usize];
    for (import, target) in file.ast.imports.iter().zip(&file.imports) {
        let Some(target) = *target else { continue };
        let seen = if import.modifier == ImportModifier::Option { &mut visible.options } else { &mut visible.types };
        add_public(files, target, seen);
    }
    visible.types.sort_in_order();
    visible.options.sort_in_order();
    visible
}

/// Adds a file and everything it imports publicly.
fn add_public(files: &[LinkFile<'_>], start: FileId, seen: &mut Vec<FileId>) {
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let file = &files[id.0 as usize];
        let public =
            file.ast.imports.iter().zip(&file.imports).filter(|(import, _)| import.modifier == ImportModifier::Public);
        open.extend(public.filter_map(|(_, target)| *target));
    }
}

/// Whether a name that a file cannot find may stand in a file that was not found or did not parse.
pub(super) fn is_incomplete(files: &[LinkFile<'_>], from: FileId, visible: &Visible) -> bool {
    let file = &files[from.0 as usize];
    file.is_broken
        || file.imports.contains(&None)
        || visible.types.iter().chain(&visible.options).any(|id| {
            let seen = &files[id.0 as usize];
            let lacks_public = |(import, target): (&super::ast::Import<'_>, &Option<FileId>)| {
                import.modifier == ImportModifier::Public && target.is_none()
            };
            seen.is_broken || seen.ast.imports.iter().zip(&seen.imports).any(lacks_public)
        })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Not,
    Open,
    Done,
}

/// One error for each import that closes a circle.
pub(super) fn cycles(files: &[LinkFile<'_>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut visits = vec![Visit::Not; files.len()];
    for start in 0..files.len() {
        // The way from `start`: files, each with the number of its imports already followed.
        let mut way: Vec<(usize, usize)> = Vec::new();
        if visits[start] == Visit::Not {
            visits[start] = Visit::Open;
            way.push((start, 0));
        }
        while let Some((id, followed)) = way.last_mut() {
            let (id, index) = (*id, *followed);
            *followed += 1;
            let Some(target) = files[id].imports.get(index) else {
                visits[id] = Visit::Done;
                way.pop();
                continue;
            };
            let Some(target) = target.map(|target| target.0 as usize) else { continue };
            match visits[target] {
                Visit::Not => {
                    visits[target] = Visit::Open;
                    way.push((target, 0));
                }
                Visit::Open => problems.push(circle(files, &way, target, index)),
                Visit::Done => {}
            }
        }
    }
    problems
}

fn circle(files: &[LinkFile<'_>], way: &[(usize, usize)], target: usize, import: usize) -> Problem {
    let (last, _) = way.last().expect("the way holds at least the file whose import was followed");
    let begin = way.iter().position(|(id, _)| *id == target).expect("an open file is on the way");
    let names: Vec<&str> =
        way[begin..].iter().map(|(id, _)| *id).chain([target]).map(|id| files[id].path.as_ref()).collect();
    let span = files[*last].ast.imports.get(import).map_or_else(Default::default, |import| import.span);
    Problem::error(
        &files[*last].path,
        span,
        format!("the file imports itself: {}", names.join(" → ")),
        "take one of these imports out; move what both files need into a third file",
    )
}
