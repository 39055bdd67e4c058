//! What is said of random folders of Avro schemas, a file for each type and several versions side by side, beside what
//! Java's checker says of the pairs of files that belong together.
//!
//! A plain run tries some; `AVRO_FOLDERS=2000 AVRO_SEED=7 cargo test --test it avro_folder_peer` tries others, and
//! `AVRO_FIRST=17 AVRO_FOLDERS=1` one of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::avro_peer::{MODELLED, releases, start};
use crate::laws_random::number;
use crate::support::avro::{Schema, mutate_inside, schema};
use crate::support::dice::Dice;
use crate::support::peer::Peer;
use crate::support::{self, skip, snapshot};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::report::Report;
use wireproof::rules::{Profile, RuleSet};
use wireproof::verdict::{Mode, Policy};
use wireproof::vocabulary::{Direction, Verdict};

/// Folders of a plain run.
const FOLDERS: usize = 150;
/// Problems that are shown.
const SHOWN: usize = 5;

type Files = BTreeMap<String, String>;

/// Where a version of a type stands, and in which namespace.
struct Layout {
    path: fn(usize, &str) -> String,
    namespace: fn(usize) -> String,
}

const LAYOUTS: [Layout; 8] = [
    Layout { path: |k, name| format!("v{k}/{name}.avsc"), namespace: |_| "shop".to_owned() },
    Layout { path: |k, name| format!("s/{}/{}/{name}.avsc", k / 3, k % 3), namespace: |_| "shop".to_owned() },
    Layout { path: |k, name| format!("{name}-v{k}.avsc"), namespace: |k| format!("shop.v{k}") },
    Layout { path: |k, name| format!("{name}/{k}.avsc"), namespace: |k| format!("shop.v{k}") },
    Layout { path: |k, name| format!("{k}/0/shop.v{k}_0.{name}.avsc"), namespace: |k| format!("shop.v{k}_0") },
    Layout { path: |k, name| format!("main/avro/All/v{k}/{name}.avsc"), namespace: |_| "com.shop".to_owned() },
    Layout { path: |k, name| format!("{k:03}_{name}.avsc"), namespace: |k| format!("shop_v{k}") },
    Layout { path: |k, name| format!("2026-{k:02}-09/{name}.avsc"), namespace: |_| "shop".to_owned() },
];

/// What happens between the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A version comes beside those that are there.
    Comes,
    /// The only version is replaced by the next one.
    Replaced,
    /// One of the versions is edited.
    Edited,
    /// A version goes.
    Goes,
    /// A name is used that may be defined in a file that cannot be read.
    Unreadable,
}

const STEPS: [Step; 7] =
    [Step::Comes, Step::Comes, Step::Comes, Step::Replaced, Step::Edited, Step::Goes, Step::Unreadable];

/// Two sides, and what is to be said of them.
struct Folders {
    step: Step,
    sides: Pair<Files>,
    /// The texts that Java is asked about, whole.
    asked: Vec<Pair<String>>,
    /// Which new file is compared with which old one, where they are called differently.
    beside: BTreeSet<(String, String)>,
}

/// The versions of a schema, each made of the one before; none that Java refuses.
fn versions(java: &mut Peer, dice: &mut Dice) -> Vec<Schema> {
    let mut is_valid = |schema: &Schema| {
        let text = version(&LAYOUTS[0], 1, schema).whole.into_iter().map(|text| Pair::new(text.clone(), text));
        text.into_iter().all(|pair| !is_refused(&ask(java, &pair)))
    };
    let mut all = Vec::new();
    while all.is_empty() {
        all.extend(Some(schema(dice)).filter(&mut is_valid));
    }
    for _ in 0..2 + dice.below(10) {
        let mut next = all[all.len() - 1].clone();
        for _ in 0..=dice.below(2) {
            mutate_inside(&mut next, dice);
        }
        all.extend(Some(next).filter(&mut is_valid));
    }
    let again = all[0].clone();
    all.extend((all.len() < 2).then_some(again));
    all
}

/// A version as its files, each type in its own, and the same as texts that need no other.
struct Version {
    files: Vec<(String, String)>,
    whole: Vec<String>,
}

fn version(layout: &Layout, k: usize, schema: &Schema) -> Version {
    let mut schema = schema.clone();
    for named in &mut schema.types {
        let simple = named.name.rsplit('.').next().unwrap_or_default().to_owned();
        named.name = format!("{}.{simple}", (layout.namespace)(k));
    }
    let all: BTreeSet<usize> = (0..schema.types.len()).collect();
    let alone = |index: usize| {
        let mut others: BTreeSet<usize> = all.iter().copied().filter(|other| *other != index).collect();
        schema.print_named(index, &mut others).to_string()
    };
    let path = |index: usize| (layout.path)(k, schema.types[index].name.rsplit('.').next().unwrap_or_default());
    Version {
        files: all.iter().map(|index| (path(*index), alone(*index))).collect(),
        whole: all.iter().map(|index| schema.print_named(*index, &mut BTreeSet::new()).to_string()).collect(),
    }
}

/// The files of some versions.
fn files(versions: &[&Version]) -> Files {
    versions.iter().flat_map(|one| one.files.clone()).collect()
}

/// The texts of two versions, type by type.
fn texts(sides: Pair<&Version>) -> Vec<Pair<String>> {
    sides.old.whole.iter().zip(&sides.new.whole).map(|(old, new)| Pair::new(old.clone(), new.clone())).collect()
}

/// A layout, its versions, and what happens to them.
fn folders(java: &mut Peer, dice: &mut Dice) -> Folders {
    let layout = &LAYOUTS[dice.below(LAYOUTS.len())];
    let step = STEPS[dice.below(STEPS.len())];
    let made: Vec<Version> =
        versions(java, dice).iter().zip(1..).map(|(schema, k)| version(layout, k, schema)).collect();
    let all: Vec<&Version> = made.iter().collect();
    let (newest, before) = all.split_last().expect("there are some");
    let last = before[before.len() - 1];
    let made =
        |old: Files, new: Files, asked| Folders { step, sides: Pair::new(old, new), asked, beside: BTreeSet::new() };
    match step {
        Step::Comes => {
            // What became another sort of type is told of as that.
            let sort = |text: &str| serde_json::from_str::<Json>(text).ok().map(|json| json["type"].clone());
            let both = last.files.iter().zip(&newest.files).filter(|(old, new)| sort(&old.1) == sort(&new.1));
            let paths = both.map(|(old, new)| (old.0.clone(), new.0.clone()));
            let folders = made(files(before), files(&all), texts(Pair::new(last, newest)));
            Folders { beside: paths.collect(), ..folders }
        }
        Step::Replaced => made(files(&[last]), files(&[newest]), texts(Pair::new(last, newest))),
        // Where names say the version, the text of another one is none of this one.
        Step::Edited if (layout.namespace)(1) != (layout.namespace)(2) => {
            made(files(before), files(before), Vec::new())
        }
        Step::Edited => {
            let at = dice.below(before.len());
            let (here, next) = (all[at], all[at + 1]);
            let mut edited = files(before);
            edited.extend(here.files.iter().zip(&next.files).map(|(here, next)| (here.0.clone(), next.1.clone())));
            made(files(before), edited, texts(Pair::new(here, next)))
        }
        Step::Goes => {
            let at = dice.below(all.len());
            made(files(&all), files(&[&all[..at], &all[at + 1..]].concat()), Vec::new())
        }
        Step::Unreadable => {
            let uses = r#"{"type": "record", "name": "shop.Uses", "fields": [{"name": "x", "type": "Nowhere"}]}"#;
            let mut side = files(before);
            side.insert("uses/uses.avsc".to_owned(), uses.to_owned());
            side.insert("uses/broken.avsc".to_owned(), "{".to_owned());
            made(side.clone(), side, Vec::new())
        }
    }
}

/// What is said in a direction: type and message.
type Said = BTreeMap<&'static str, BTreeSet<(String, String)>>;

fn ask(java: &mut Peer, pair: &Pair<String>) -> Json {
    let question = json!({ "old": pair.old, "new": pair.new, "seed": 1, "values": 0, "readings": [] });
    serde_json::from_str(&java.ask(&question.to_string())).expect("Java writes JSON")
}

fn is_refused(answer: &Json) -> bool {
    answer["old"].is_string() || answer["new"].is_string()
}

/// What Java says of all pairs, and whether it gave up somewhere.
fn of_java(java: &mut Peer, asked: &[Pair<String>]) -> (Said, bool) {
    let (mut said, mut gave_up) = (Said::new(), false);
    for pair in asked.iter().filter(|pair| pair.old != pair.new) {
        let answer = ask(java, pair);
        for direction in [Direction::Backward, Direction::Forward] {
            let answer = &answer[direction.name()];
            let words = said.entry(direction.name()).or_default();
            let text = |one: &Json, at: usize| one[at].as_str().unwrap_or_default().to_owned();
            words.extend(answer["said"].as_array().into_iter().flatten().map(|one| (text(one, 0), text(one, 1))));
            if let Some(reason) = answer["throws"].as_str() {
                words.insert(("AvroRuntimeException".to_owned(), reason.to_owned()));
                gave_up = true;
            }
        }
    }
    (said, gave_up)
}

fn report(sides: &Pair<Files>) -> Report {
    let profile = Profile::all().find(|profile| profile.name == "avro").expect("it is built in");
    let in_force = Some(profile.all_in_force(RuleSet::built_in()));
    let sides = sides.as_ref().map(snapshot);
    support::report(
        Format::Avro,
        sides.as_ref(),
        &Policy { profile: in_force, ..Policy::default().with_mode(Mode::Full) },
    )
}

/// What is wrong with what is said of two folders.
fn judge(java: &mut Peer, folders: &Folders) -> Result<(), String> {
    let (said, gave_up) = of_java(java, &folders.asked);
    let report = report(&folders.sides);
    let is_unknown = report.verdict == Verdict::Unknown;
    if folders.step == Step::Unreadable {
        return if is_unknown { Ok(()) } else { Err(format!("{} although nothing is known", report.verdict)) };
    }
    if is_unknown {
        let problems: Vec<&str> = report.problems.iter().map(|problem| &*problem.message).collect();
        return Err(format!("only we refuse: {problems:?}"));
    }
    for (direction, mode) in [(Direction::Backward, Mode::Backward), (Direction::Forward, Mode::Forward)] {
        let reports = report.findings.iter().flat_map(|finding| &finding.peer_reports);
        let reports = reports.filter(|one| one.tool == "avro" && one.direction == Some(direction.into()));
        let printed: BTreeSet<(String, String)> = reports.map(|one| (one.id.clone(), one.message.clone())).collect();
        let said = said.get(direction.name()).cloned().unwrap_or_default();
        if printed.is_empty() != said.is_empty() || !gave_up && printed != said {
            return Err(format!("{direction}: Java {said:?}, we {printed:?}"));
        }
        let passes = report.modes.iter().any(|one| one.mode == mode && one.passes);
        if passes != said.is_empty() {
            return Err(format!("{direction}: it {}, Java says {said:?}", if passes { "passes" } else { "breaks" }));
        }
    }
    let added = report.findings.iter().filter(|finding| finding.rule == "avro/version-added");
    let file = |place: &Option<wireproof::report::Location>| place.as_ref().map(|place| place.file.clone());
    let beside: BTreeSet<(String, String)> =
        added.filter_map(|finding| Some((file(&finding.old)?, file(&finding.new)?))).collect();
    match beside == folders.beside {
        true => Ok(()),
        false => Err(format!("compared {beside:?}, belong together {:?}", folders.beside)),
    }
}

#[test]
fn what_is_said_of_random_folders_is_what_java_says_of_the_pairs_that_belong_together() {
    let releases = releases();
    let Some((_, jars)) = releases.first().filter(|(release, _)| release == MODELLED) else {
        return skip("Avro for Java (Maven)", "verdicts about folders of Avro schemas beside Java's checker");
    };
    let (count, seed, first) = (number("AVRO_FOLDERS", FOLDERS), number("AVRO_SEED", 1), number("AVRO_FIRST", 0));
    let mut java = start(jars).expect("Java runs where its libraries are installed");
    let (mut wrong, mut pairs) = (Vec::new(), 0);
    for index in first..first + count {
        let folders = folders(&mut java, &mut Dice((seed as u64) << 32 | index as u64));
        pairs += folders.asked.len();
        if let Err(what) = judge(&mut java, &folders) {
            let Folders { step, sides: Pair { old, new }, .. } = &folders;
            wrong.push(format!("== seed {seed}, pair {index}: {step:?}: {what}\n{old:#?}\n{new:#?}"));
        }
    }
    println!("{count} folders, {pairs} pairs of files");
    let shown = wrong.iter().take(number("AVRO_SHOWN", SHOWN)).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(wrong.is_empty(), "{} of {count} folders\n{shown}", wrong.len());
}
