//! `wireproof plan`: the steps from one version to another, or why there are none.

use std::path::{Path, PathBuf};

use super::base::Strictness;
use super::check::refuse_base_terms;
use super::output::{Console, print, write_file};
use super::paths::named_sources;
use super::run::Run;
use crate::change::Pair;
use crate::cli::{PlanArgs, PlanOutput, PlanRendering};
use crate::failure::{Exit, Failure};
use crate::plan::{Answer, Asked, Plan, plan, render};
use crate::snapshot::Snapshot;
use crate::source::{Loaded, Nothing, Request, Source, load};

/// Runs the command.
pub(super) fn run(arguments: &PlanArgs) -> Result<Exit, Failure> {
    let common = arguments.as_common();
    let run = Run::prepare(&common)?;
    refuse_base_terms(&common.configuration)?;
    let (named, repository) =
        named_sources(&[&arguments.old, &arguments.wanted], (&run.cwd, run.network), common.language)?;
    let [old, wanted] = <[Source; 2]>::try_from(named).expect("two names are two sources");
    let sources = Pair::new(old, wanted);
    let folder = match (&sources.old, &sources.new) {
        (Source::Git(_), Source::Path(folder)) | (Source::Path(folder), Source::Git(_)) => folder.clone(),
        (Source::Git(_), _) | (_, Source::Git(_)) => run.top.clone().unwrap_or_else(|| run.cwd.clone()),
        _ => run.terms.folder().unwrap_or(&run.cwd).to_path_buf(),
    };
    let strictness = Strictness::of_compare(&sources);
    let loaded = load(&Request {
        sources,
        cwd: run.cwd.clone(),
        network: run.network,
        format: common.language,
        selection: run.terms.selection(&[], &folder),
        include: run.terms.include(&common, &folder),
        repository,
        nothing: Nothing::IsWrong,
        may_wait: false,
    })?;
    let answer = answer(&run, &loaded, (&folder, strictness))?;
    for output in &arguments.output {
        write(output, &answer, &loaded)?;
    }
    print(rendered(&answer, &loaded, arguments.format, &run.console).as_bytes())?;
    Ok(match answer {
        Answer::NotNeeded | Answer::Plan(_) => Exit::Compatible,
        Answer::NoWay(_) => Exit::Breaking,
        Answer::CannotTell(_) => Exit::CouldNotTell,
    })
}

/// Plans for what was read.
fn answer(run: &Run<'_>, loaded: &Loaded, (folder, strictness): (&Path, Strictness)) -> Result<Answer, Failure> {
    // The configuration of another tool is read once, so that nothing can fail while steps are tried.
    run.judged_once(loaded, folder, strictness)?;
    let judge = |pair: Pair<&Snapshot>| run.judged_as_step(pair, loaded, (folder, strictness));
    Ok(plan(&Asked { pair: loaded.snapshots.as_ref(), judge: &judge, reaches_back: run.reaches_back(folder) }))
}

fn rendered(answer: &Answer, loaded: &Loaded, format: PlanRendering, console: &Console) -> String {
    let labels = loaded.labels.as_ref().map(String::as_str);
    match format {
        PlanRendering::Text => render::text(answer, labels, console.style.width),
        PlanRendering::Markdown => render::markdown(answer, labels),
        PlanRendering::Json => render::json(answer, labels),
    }
}

/// Writes what was asked for into a file, or the schemas into a folder.
fn write(output: &PlanOutput, answer: &Answer, loaded: &Loaded) -> Result<(), Failure> {
    let labels = loaded.labels.as_ref().map(String::as_str);
    let (path, text) = match output {
        PlanOutput::Report(format, path) => {
            let text = match format {
                PlanRendering::Text => render::text(answer, labels, crate::report::text::TextStyle::default().width),
                PlanRendering::Markdown => render::markdown(answer, labels),
                PlanRendering::Json => render::json(answer, labels),
            };
            (path, text)
        }
        PlanOutput::Schemas(folder) => {
            return match answer {
                Answer::Plan(plan) => write_schemas(plan, folder),
                Answer::NotNeeded | Answer::NoWay(_) | Answer::CannotTell(_) => Ok(()),
            };
        }
    };
    write_file(path, text.as_bytes()).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(
        format!("cannot write `{}`: {error}", path.display()),
        "check that the folder exists and that you may write to it",
    )
}

/// The schema after each step that changes it, in `step-1`, `step-2` and so on. What is there already is not touched.
fn write_schemas(plan: &Plan, folder: &Path) -> Result<(), Failure> {
    for (at, step) in plan.steps.iter().enumerate() {
        let Some(schema) = &step.schema else { continue };
        let place = folder.join(format!("step-{}", at + 1));
        if place.exists() {
            return Err(Failure::usage(
                format!("`{}` is there already", place.display()),
                "name another folder, or remove it",
            ));
        }
        for (path, file) in schema.files.iter() {
            let path = inside(&place, path)?;
            let write = || {
                path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                write_file(&path, &file.bytes)
            };
            write().map_err(|error| unwritable(&path, &error))?;
        }
    }
    Ok(())
}

/// A path of a snapshot below a folder, and never out of it.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, Failure> {
    let is_plain = path.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'));
    match is_plain {
        true => Ok(folder.join(path)),
        false => Err(Failure::usage(
            format!("`{}` is no path below a folder", crate::text::visible(path)),
            "rename the file",
        )),
    }
}
