//! A break stays a break when types get other names in the same change, and when others come that look like them.

use std::collections::{BTreeMap, BTreeSet};

use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, Format, check_pair};
use wireproof::report::Report;
use wireproof::verdict::{Policy, Verdict};

use crate::support::dice::Dice;
use crate::support::{Case, as_many, snapshot};

/// The types of fields, in the words of [`LANGUAGES`].
const SCALARS: usize = 5;

/// A language, the ending of its files, what its scalars are called, and a whole file of types.
type Language = (Format, &'static str, [&'static str; SCALARS], fn(&[Record]) -> String);

const LANGUAGES: [Language; 4] = [
    (Format::Protobuf, "proto", ["int32", "int64", "string", "bool", "double"], |records| {
        let types = each(records, "message", |at, name, ty| format!("{ty} {name} = {};", at + 1));
        format!("syntax = \"proto3\";\npackage p;\n{types}")
    }),
    (Format::Thrift, "thrift", ["i32", "i64", "string", "bool", "double"], |records| {
        each(records, "struct", |at, name, ty| format!("{}: optional {ty} {name}", at + 1))
    }),
    (Format::Flatbuffers, "fbs", ["int", "long", "string", "bool", "double"], |records| {
        format!("namespace p;\n{}", each(records, "table", |_, name, ty| format!("{name}:{ty};")))
    }),
    (Format::Capnp, "capnp", ["Int32", "Int64", "Text", "Bool", "Float64"], |records| {
        let types = each(records, "struct", |at, name, ty| format!("{name} @{at} :{ty};"));
        format!("@0xd12a1c51fedd6c88;\n{types}")
    }),
];

/// A type: its name, and the names and types of its fields.
#[derive(Clone)]
struct Record {
    name: String,
    fields: Vec<(String, String)>,
}

fn each(records: &[Record], keyword: &str, field: impl Fn(usize, &str, &str) -> String) -> String {
    let one = |record: &Record| {
        let fields = record.fields.iter().enumerate().map(|(at, (name, ty))| field(at, name, ty));
        format!("{keyword} {} {{\n  {}\n}}\n", record.name, fields.collect::<Vec<_>>().join("\n  "))
    };
    records.iter().map(one).collect()
}

/// Some types, of which later ones may hold earlier ones.
fn records(scalars: [&str; SCALARS], dice: &mut Dice) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    for number in 0..2 + dice.below(3) {
        let field = |at: usize, dice: &mut Dice| {
            let ty = match number > 0 && dice.percent(30) {
                true => all[dice.below(number)].name.clone(),
                false => scalars[dice.below(SCALARS)].to_owned(),
            };
            (format!("f{number}{at}"), ty)
        };
        let fields = (0..2 + dice.below(3)).map(|at| field(at, dice)).collect();
        all.push(Record { name: format!("T{number}"), fields });
    }
    all
}

/// The same with a scalar that is another one; whether there was any.
fn broken(records: &mut [Record], scalars: [&str; SCALARS], dice: &mut Dice) -> bool {
    let mut fields: Vec<&mut String> =
        records.iter_mut().flat_map(|record| &mut record.fields).map(|(_, ty)| ty).collect();
    fields.retain(|ty| scalars.contains(&ty.as_str()));
    let chosen = dice.below(fields.len());
    let Some(ty) = fields.get_mut(chosen) else { return false };
    let at = scalars.iter().position(|scalar| *scalar == ty.as_str()).unwrap_or_default();
    scalars[(at + 1 + dice.below(SCALARS - 1)) % SCALARS].clone_into(ty);
    true
}

/// Gives types other names, perhaps a field as well, and perhaps adds types, one of which looks like what was there.
fn renamed(records: &mut Vec<Record>, before: &[Record], scalars: [&str; SCALARS], dice: &mut Dice) {
    let share = [30, 60, 100][dice.below(3)];
    for number in 0..records.len() {
        if dice.percent(share) {
            let (old, new) = (records[number].name.clone(), format!("Q{number}"));
            let fields = records.iter_mut().flat_map(|record| &mut record.fields);
            fields.filter(|(_, ty)| *ty == old).for_each(|(_, ty)| ty.clone_from(&new));
            records[number].name = new;
        }
    }
    if dice.percent(40) {
        let record = dice.below(records.len());
        let field = dice.below(records[record].fields.len());
        records[record].fields[field].0.insert(0, 'g');
    }
    if dice.percent(30) {
        let fields = vec![("z".to_owned(), scalars[0].to_owned()), ("y".to_owned(), scalars[2].to_owned())];
        records.push(Record { name: "Other".to_owned(), fields });
    }
    // What looks like a type of before by its numbers and types, and has nothing to do with it.
    if dice.percent(30) {
        let twin = &before[dice.below(before.len())];
        let fields = twin.fields.iter().enumerate().map(|(at, (_, ty))| (format!("other{at}"), ty.clone()));
        let is_scalar = |ty: &String| scalars.contains(&ty.as_str());
        let fields = fields.map(|(name, ty)| if is_scalar(&ty) { (name, ty) } else { (name, scalars[0].to_owned()) });
        records.push(Record { name: "Decoy".to_owned(), fields: fields.collect() });
    }
}

fn report((format, ending, _, whole): &Language, sides: Pair<&[Record]>, roots: &[&str]) -> (Report, String) {
    let texts = sides.map(whole);
    let side = |text: &String| snapshot(&BTreeMap::from([(format!("a.{ending}"), text.clone())]));
    let case = Case {
        name: "renamed types".to_owned(),
        format: *format,
        sides: texts.as_ref().map(side),
        roots: roots.iter().map(|root| (*root).to_owned()).collect(),
        usages: Default::default(),
    };
    (case.report_with_roots(&Policy::default()), format!("{}---\n{}", texts.old, texts.new))
}

#[test]
fn what_breaks_breaks_under_other_names() {
    let mut passed = Vec::new();
    for language in &LANGUAGES {
        let scalars = language.2;
        for number in 0..as_many([600, 100]) {
            let mut dice = Dice(number as u64 * 31 + 7);
            let before = records(scalars, &mut dice);
            let mut after = before.clone();
            if !broken(&mut after, scalars, &mut dice) {
                continue;
            }
            let (plain, _) = report(language, Pair::new(&before, &after), &[]);
            renamed(&mut after, &before, scalars, &mut dice);
            let (other, texts) = report(language, Pair::new(&before, &after), &[]);
            if plain.verdict == Verdict::Breaking && other.verdict != Verdict::Breaking {
                passed.push(format!("{} {number}: {}\n{texts}", language.0.name(), other.verdict));
            }
        }
    }
    assert!(passed.is_empty(), "{} times:\n{}", passed.len(), passed.join("\n"));
}

/// Of types that say the same, names decide which is which.
#[test]
fn types_of_one_shape_are_told_apart_by_their_names() {
    let record = |name: &str, first: &str, scalars: [&str; SCALARS]| Record {
        name: name.to_owned(),
        fields: [("id", first), ("at", scalars[1])].map(|(name, ty)| (name.to_owned(), ty.to_owned())).to_vec(),
    };
    for language in &LANGUAGES {
        let scalars = language.2;
        let named = |names: [&str; 3], first: usize| {
            let of = |(at, name): (usize, &str)| record(name, scalars[if at == 1 { first } else { 2 }], scalars);
            names.into_iter().enumerate().map(of).collect::<Vec<Record>>()
        };
        let before = named(["Order", "Invoice", "LineItem"], 2);
        for names in [["OrderV2", "InvoiceV2", "LineItemV2"], ["ShopOrder", "ShopInvoice", "ShopItemLine"]] {
            for (first, verdict) in [(2, Verdict::Compatible), (0, Verdict::Breaking)] {
                let mut after = named(names, first);
                after.reverse();
                let (report, texts) = report(language, Pair::new(&before, &after), &[]);
                let said: Vec<&str> = report.findings.iter().map(|finding| finding.message.as_str()).collect();
                assert_eq!(report.verdict, verdict, "{}: {said:?}\n{texts}", language.0.name());
            }
        }
        let (report, texts) = report(language, Pair::new(&before, &named(["X", "Y", "Z"], 2)), &[]);
        assert_eq!(report.verdict, Verdict::Breaking, "{}: whatever went where\n{texts}", language.0.name());
    }
}

/// A root that is asked for by the name of either side is judged under both.
#[test]
fn a_root_is_followed_under_its_new_name() {
    let record = |name: &str, first: &str, scalars: [&str; SCALARS]| Record {
        name: name.to_owned(),
        fields: [("a", first), ("b", scalars[2]), ("c", scalars[1])]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .to_vec(),
    };
    for language in &LANGUAGES {
        let scalars = language.2;
        let other = Record { name: "T".to_owned(), fields: vec![("x".to_owned(), scalars[0].to_owned())] };
        let before = [other.clone(), record("S", scalars[0], scalars)];
        for (first, verdict) in [(scalars[2], Verdict::Breaking), (scalars[0], Verdict::Compatible)] {
            let after = [other.clone(), record("S2", first, scalars)];
            for root in ["S", "S2"] {
                let (report, texts) = report(language, Pair::new(&before[..], &after[..]), &[root]);
                let said: Vec<&str> = report.findings.iter().map(|finding| finding.message.as_str()).collect();
                assert_eq!(report.verdict, verdict, "{} {root}: {said:?}\n{texts}", language.0.name());
                assert!(report.problems.is_empty(), "{} {root}: {:?}", language.0.name(), report.problems);
            }
        }
    }
}

/// A file and what it declares get other names beside a file that stays: what is looked at decides nothing.
#[test]
fn a_file_that_is_renamed_with_its_type_is_judged_as_among_all() {
    let json = |name: &str, ty: &str| {
        format!("{{\"type\": \"record\", \"name\": \"{name}\", \"fields\": [{{\"name\": \"a\", \"type\": \"{ty}\"}}]}}")
    };
    let schema = |member: &str, ty: &str| {
        format!(
            "{{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"type\": \"object\", \"properties\": {{\"{member}\": {{\"type\": \"{ty}\"}}}}}}"
        )
    };
    let mut texts: Vec<(Format, &str, String, String, Vec<String>)> = LANGUAGES
        .iter()
        .map(|(format, ending, scalars, whole)| {
            let record = |name: &str, fields: &[(&str, usize)]| {
                let fields = fields.iter().map(|(name, ty)| ((*name).to_owned(), scalars[*ty].to_owned()));
                let text = whole(&[Record { name: name.to_owned(), fields: fields.collect() }]);
                // Two files of Cap'n Proto have two ids.
                if name == "Stays" { text.replace("0xd12a1c51fedd6c88", "0xd12a1c51fedd6c89") } else { text }
            };
            let stays = record("Stays", &[("x", 0)]);
            let old = record("Goes", &[("a", 0), ("b", 2), ("c", 1)]);
            let alike = [0, 2].map(|ty| record("Came", &[("a", ty), ("b", 2), ("c", 1)]));
            let other = record("Came", &[("q", 2)]);
            (*format, *ending, stays, old, alike.into_iter().chain([other]).collect())
        })
        .collect();
    let alike = vec![json("Came", "int"), json("Came", "string")];
    texts.push((Format::Avro, "avsc", json("Stays", "int"), json("Goes", "int"), alike));
    let others = vec![json("Goes", "int"), json("Came", "string")];
    texts.push((Format::Avro, "avsc", json("Stays", "int"), format!("[{}]", json("Goes", "int")), others));
    texts.push((
        Format::JsonSchema,
        "schema.json",
        schema("x", "string"),
        schema("a", "string"),
        vec![schema("a", "string"), schema("a", "integer"), schema("b", "integer")],
    ));
    for (format, ending, stays, old, news) in &texts {
        for new in news {
            let side = |name: &str, text: &str| {
                snapshot(&BTreeMap::from([
                    (format!("stays.{ending}"), stays.clone()),
                    (format!("{name}.{ending}"), text.to_owned()),
                ]))
            };
            let sides = Pair::new(side("goes", old), side("came", new));
            let told = |everything: bool| {
                let options = CheckOptions { lenient_unchanged: true, everything, ..CheckOptions::default() };
                let checked = check_pair(*format, sides.as_ref(), &options);
                let told = checked.changes.iter().map(|change| format!("{} {}", change.kind, change.path));
                told.collect::<BTreeSet<_>>()
            };
            assert_eq!(told(false), told(true), "{}:\n{old}\n{new}", format.name());
        }
    }
}
