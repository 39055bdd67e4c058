//! The laws over random pairs of Avro schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::schema::Dice;
use super::{PAIRS, SHOWN, Tried, number};
use crate::laws;
use crate::support::{Case, snapshot};
use wireproof::change::{ChangeKind, Identity, Pair};
use wireproof::evidence::{Direction, Surface};
use wireproof::formats::{Checked, Format};
use wireproof::syntax::problem::Severity;

/// One side: named types, and what data is.
#[derive(Clone)]
struct Schema {
    types: Vec<Named>,
    root: Type,
}

#[derive(Clone)]
struct Named {
    name: String,
    aliases: Vec<String>,
    sort: Sort,
}

#[derive(Clone)]
enum Sort {
    Record(Vec<Field>),
    Enum { symbols: Vec<&'static str>, has_default: bool },
    Fixed(usize),
}

#[derive(Clone)]
struct Field {
    name: String,
    aliases: Vec<String>,
    ty: Type,
    has_default: bool,
}

#[derive(Clone)]
enum Type {
    /// By index; a reference after the first use.
    Named(usize),
    Plain(&'static str),
    Logical(&'static str, &'static str),
    Array(Box<Type>),
    Map(Box<Type>),
    Union(Vec<Type>),
}

const PLAIN: [&str; 8] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];
const LOGICAL: [(&str, &str); 7] = [
    ("int", "date"),
    ("int", "time-millis"),
    ("long", "time-micros"),
    ("long", "timestamp-millis"),
    ("long", "timestamp-micros"),
    ("long", "local-timestamp-millis"),
    ("string", "uuid"),
];
const SYMBOLS: [&str; 5] = ["A", "B", "C", "D", "E"];
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

#[test]
fn the_laws_hold_for_random_avro_schemas() {
    let (pairs, seed) = (number("PAIRS", PAIRS), number("SEED", 1));
    let tried: Vec<Tried> = (0..pairs).into_par_iter().map(|index| attempt(seed, index)).collect();
    let skipped = tried.iter().filter(|tried| matches!(tried, Tried::Invalid(_))).count();
    let told = tried.iter().filter_map(|tried| match tried {
        Tried::Broken(told) => Some(told.as_str()),
        Tried::Upheld | Tried::Invalid(_) => None,
    });
    let broken: Vec<&str> = told.collect();
    let shown: Vec<&str> = broken.iter().take(number("SHOWN", SHOWN)).copied().collect();
    assert!(broken.is_empty(), "{} of {pairs} pairs break a law:\n{}", broken.len(), shown.join("\n\n"));
    assert!(skipped * 4 <= pairs, "{skipped} of {pairs} pairs are not valid schemas");
}

fn attempt(seed: usize, index: usize) -> Tried {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let old = schema(&mut dice);
    let mut new = old.clone();
    for _ in 0..=dice.below(3) {
        mutate(&mut new, &mut dice);
    }
    let sides = Pair::new(old, new);
    match broken(&sides) {
        Err(reason) => Tried::Invalid(reason),
        Ok(None) => Tried::Upheld,
        Ok(Some(what)) => {
            let (sides, what) = smallest(sides, what);
            let text = sides.map(|side| side.print());
            Tried::Broken(format!("== seed {seed}, pair {index}\n{}\n{}\n{what}", text.old, text.new))
        }
    }
}

/// Which law a pair breaks, if any; an error when it is not valid.
fn broken(sides: &Pair<Schema>) -> Result<Option<String>, String> {
    let files = |side: &Schema| snapshot(&BTreeMap::from([("t.avsc".to_owned(), side.print().to_string())]));
    let sides = sides.as_ref().map(files);
    let case = Case { name: "random".to_owned(), format: Format::Avro, sides, roots: Vec::new() };
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let checked = case.check();
        let mut problems = checked.problems.old.iter().chain(&checked.problems.new);
        match problems.find(|problem| problem.severity == Severity::Error) {
            Some(problem) => Err(problem.message.clone()),
            None => {
                let mut broken = laws::broken_by(&case);
                broken.extend(unwritten(&checked));
                Ok(broken)
            }
        }
    }));
    match judged {
        Err(_) => Ok(Some("it panicked".to_owned())),
        Ok(Err(problem)) => Err(problem),
        Ok(Ok(what)) => Ok((!what.is_empty()).then(|| what.join("\n"))),
    }
}

/// Changes of data of which some reading was not tried, although data was written of everything.
fn unwritten(checked: &Checked) -> Vec<String> {
    let of_data = checked.changes.iter().filter(|change| {
        change.kind != ChangeKind::RegistryRefused && !change.identity.0.starts_with(&format!("{}:", change.kind))
    });
    let is_tried = |cell: &(Identity, Surface, Direction)| checked.observed.exercised.contains(cell);
    let cells = of_data.flat_map(|change| {
        [Surface::Wire, Surface::Json].into_iter().flat_map(|surface| {
            let writes = |direction: &Direction| match change.kind {
                // Nobody can write a symbol that the writer does not have.
                ChangeKind::EnumValueAdded => *direction == Direction::Forward,
                ChangeKind::EnumValueRemoved => *direction == Direction::Backward,
                _ => true,
            };
            let directions = [Direction::Backward, Direction::Forward].into_iter().filter(writes);
            directions.map(|direction| (change.identity.clone(), surface, direction)).collect::<Vec<_>>()
        })
    });
    let untried = cells.filter(|cell| checked.observed.left_out.is_empty() && !is_tried(cell));
    untried.map(|(identity, surface, direction)| format!("{surface} {direction} of {identity} was not tried")).collect()
}

/// Leaves out whatever can be left out of both sides while a law stays broken.
fn smallest(mut sides: Pair<Schema>, mut what: String) -> (Pair<Schema>, String) {
    loop {
        let candidates = sides.old.reductions().into_iter().chain(sides.new.reductions()).collect::<BTreeSet<_>>();
        let smaller = candidates.iter().find_map(|reduction| {
            let fewer = sides.as_ref().map(|side| side.without(reduction));
            let size = |sides: &Pair<Schema>| sides.old.print().to_string().len() + sides.new.print().to_string().len();
            let what = (size(&fewer) < size(&sides)).then(|| broken(&fewer).ok().flatten()).flatten()?;
            Some((fewer, what))
        });
        match smaller {
            Some((fewer, still)) => (sides, what) = (fewer, still),
            None => return (sides, what),
        }
    }
}

fn schema(dice: &mut Dice) -> Schema {
    let mut types = Vec::new();
    let count = 1 + dice.below(4);
    for index in 0..count {
        let sort = match dice.below(if index == 0 { 1 } else { 4 }) {
            0 | 3 => Sort::Record((0..1 + dice.below(3)).map(|at| field(dice, NAMES[at], count)).collect()),
            1 => Sort::Enum { symbols: SYMBOLS[..1 + dice.below(3)].to_vec(), has_default: dice.percent(40) },
            _ => Sort::Fixed(1 + dice.below(3)),
        };
        let space = if dice.percent(30) { "n." } else { "" };
        types.push(Named { name: format!("{space}T{index}"), aliases: Vec::new(), sort });
    }
    let root = if dice.percent(80) { Type::Named(0) } else { ty(dice, 2, count) };
    Schema { types, root }
}

fn field(dice: &mut Dice, name: &str, count: usize) -> Field {
    Field { name: name.to_owned(), aliases: Vec::new(), ty: ty(dice, 2, count), has_default: dice.percent(50) }
}

fn ty(dice: &mut Dice, depth: usize, count: usize) -> Type {
    match dice.below(if depth == 0 { 6 } else { 12 }) {
        0..=2 => Type::Plain(dice.pick(&PLAIN).expect("it has some")),
        3 => dice.pick(&LOGICAL).map(|(on, name)| Type::Logical(on, name)).expect("it has some"),
        4 | 5 => Type::Named(dice.below(count)),
        6 => Type::Array(Box::new(ty(dice, depth - 1, count))),
        7 => Type::Map(Box::new(ty(dice, depth - 1, count))),
        _ => {
            let mut branches: Vec<Type> = if dice.percent(60) { vec![Type::Plain("null")] } else { Vec::new() };
            for _ in 0..1 + dice.below(3) {
                add_branch(&mut branches, ty(dice, depth - 1, count));
            }
            Type::Union(branches)
        }
    }
}

/// Adds a branch unless the union has one of the kind.
fn add_branch(branches: &mut Vec<Type>, branch: Type) {
    let kind = |ty: &Type| match ty {
        Type::Named(index) => index.to_string(),
        Type::Plain(name) | Type::Logical(name, _) => (*name).to_owned(),
        Type::Array(_) => "array".to_owned(),
        Type::Map(_) => "map".to_owned(),
        Type::Union(_) => "union".to_owned(),
    };
    if !matches!(branch, Type::Union(_)) && branches.iter().all(|other| kind(other) != kind(&branch)) {
        branches.push(branch);
    }
}

fn mutate(schema: &mut Schema, dice: &mut Dice) {
    let count = schema.types.len();
    if dice.percent(50) {
        let positions = schema.positions();
        let target = dice.below(positions);
        schema.at_position(target, &mut |position| change_type(position, dice, count));
        return;
    }
    let at = dice.below(count);
    let others = schema.types.iter().map(|named| named.name.clone()).collect::<Vec<_>>();
    let named = &mut schema.types[at];
    if dice.percent(25) {
        let old = named.name.clone();
        let simple = old.rsplit('.').next().unwrap_or(&old).to_owned();
        named.name = match dice.below(3) {
            0 => format!("m.{simple}"),
            1 => format!("U{at}"),
            _ => others[dice.below(count)].rsplit('.').next().map(|name| format!("o.{name}")).unwrap_or_default(),
        };
        if dice.percent(50) {
            named.aliases.push(if old.contains('.') { old } else { format!(".{old}") });
        }
        return;
    }
    match &mut named.sort {
        Sort::Record(fields) => change_fields(fields, dice, count),
        Sort::Enum { symbols, has_default } => match dice.below(4) {
            0 => *has_default = !*has_default,
            1 if symbols.len() > 1 => drop(symbols.remove(dice.below(symbols.len()))),
            2 => symbols.reverse(),
            _ => symbols.extend(SYMBOLS.iter().find(|symbol| !symbols.contains(symbol)).copied()),
        },
        Sort::Fixed(size) => *size = 1 + dice.below(4),
    }
}

fn change_fields(fields: &mut Vec<Field>, dice: &mut Dice, count: usize) {
    // A name that is an alias already would make the schema contradict itself.
    let is_free =
        |name: &str| fields.iter().all(|field| field.name != name && field.aliases.iter().all(|alias| alias != name));
    let free = NAMES.iter().find(|name| is_free(name)).copied();
    match (dice.below(5), free) {
        (0, Some(name)) => fields.insert(dice.below(fields.len() + 1), field(dice, name, count)),
        (1, _) if fields.len() > 1 => drop(fields.remove(dice.below(fields.len()))),
        (2, Some(name)) if !fields.is_empty() => {
            let at = dice.below(fields.len());
            let former = std::mem::replace(&mut fields[at].name, name.to_owned());
            if dice.percent(70) {
                fields[at].aliases.push(former);
            }
        }
        (3, _) => fields.reverse(),
        _ => {
            if let Some(field) = fields.first_mut() {
                field.has_default = !field.has_default;
            }
        }
    }
}

fn change_type(position: &mut Type, dice: &mut Dice, count: usize) {
    match position {
        Type::Union(branches) if dice.percent(70) => match dice.below(4) {
            0 if branches.len() > 1 => drop(branches.remove(dice.below(branches.len()))),
            1 => branches.reverse(),
            2 if !branches.is_empty() => *position = branches[0].clone(),
            _ => add_branch(branches, ty(dice, 1, count)),
        },
        Type::Union(_) => *position = ty(dice, 2, count),
        other if dice.percent(30) => {
            let mut branches = vec![other.clone()];
            add_branch(&mut branches, Type::Plain("null"));
            branches.reverse();
            *other = Type::Union(branches);
        }
        other => *other = ty(dice, 2, count),
    }
}

/// Something that can be left out of both sides.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Reduction {
    Root(usize),
    Field(usize, String),
    Plain(usize, String),
    Symbol(usize, &'static str),
    Branch(usize, String, usize),
    Aliases(usize),
    Unwrapped(usize, String),
}

impl Schema {
    fn reductions(&self) -> Vec<Reduction> {
        let mut found: Vec<Reduction> = (0..self.types.len()).map(Reduction::Root).collect();
        for (index, named) in self.types.iter().enumerate() {
            found.push(Reduction::Aliases(index));
            match &named.sort {
                Sort::Record(fields) => {
                    for field in fields {
                        found.push(Reduction::Field(index, field.name.clone()));
                        found.push(Reduction::Plain(index, field.name.clone()));
                        found.push(Reduction::Unwrapped(index, field.name.clone()));
                        found.extend((0..4).map(|branch| Reduction::Branch(index, field.name.clone(), branch)));
                    }
                }
                Sort::Enum { symbols, .. } => {
                    found.extend(symbols.iter().map(|symbol| Reduction::Symbol(index, symbol)));
                }
                Sort::Fixed(_) => {}
            }
        }
        found
    }

    fn without(&self, reduction: &Reduction) -> Schema {
        let mut fewer = self.clone();
        let field_of = |types: &mut Vec<Named>, index: usize, name: &str, change: &dyn Fn(&mut Field)| {
            if let Sort::Record(fields) = &mut types[index].sort {
                fields.iter_mut().filter(|field| field.name == *name).for_each(change);
            }
        };
        match reduction {
            Reduction::Root(index) => fewer.root = Type::Named(*index),
            Reduction::Aliases(index) => fewer.types[*index].aliases.clear(),
            Reduction::Field(index, name) => {
                if let Sort::Record(fields) = &mut fewer.types[*index].sort {
                    fields.retain(|field| field.name != *name);
                }
            }
            Reduction::Plain(index, name) => {
                field_of(&mut fewer.types, *index, name, &|field| field.ty = Type::Plain("int"));
            }
            Reduction::Unwrapped(index, name) => field_of(&mut fewer.types, *index, name, &|field| {
                if let Type::Array(inner) | Type::Map(inner) = &field.ty {
                    field.ty = (**inner).clone();
                }
            }),
            Reduction::Branch(index, name, branch) => field_of(&mut fewer.types, *index, name, &|field| {
                if let Type::Union(branches) = &mut field.ty
                    && *branch < branches.len()
                {
                    branches.remove(*branch);
                }
            }),
            Reduction::Symbol(index, symbol) => {
                if let Sort::Enum { symbols, .. } = &mut fewer.types[*index].sort {
                    symbols.retain(|other| other != symbol);
                }
            }
        }
        fewer
    }

    fn positions(&mut self) -> usize {
        let mut count = 0;
        self.each_position(&mut |_| count += 1);
        count
    }

    fn at_position(&mut self, target: usize, change: &mut dyn FnMut(&mut Type)) {
        let mut at = 0;
        self.each_position(&mut |position| {
            if at == target {
                change(position);
            }
            at += 1;
        });
    }

    fn each_position(&mut self, visit: &mut dyn FnMut(&mut Type)) {
        self.root.each(visit);
        for named in &mut self.types {
            if let Sort::Record(fields) = &mut named.sort {
                fields.iter_mut().for_each(|field| field.ty.each(visit));
            }
        }
    }

    fn print(&self) -> Json {
        self.print_type(&self.root, &mut BTreeSet::new())
    }

    fn print_type(&self, ty: &Type, defined: &mut BTreeSet<usize>) -> Json {
        match ty {
            Type::Named(index) => self.print_named(*index, defined),
            Type::Plain(name) => json!(name),
            Type::Logical(on, name) => json!({"type": on, "logicalType": name}),
            Type::Array(items) => json!({"type": "array", "items": self.print_type(items, defined)}),
            Type::Map(values) => json!({"type": "map", "values": self.print_type(values, defined)}),
            Type::Union(branches) => branches.iter().map(|branch| self.print_type(branch, defined)).collect(),
        }
    }

    fn print_named(&self, index: usize, defined: &mut BTreeSet<usize>) -> Json {
        let named = &self.types[index];
        let full = if named.name.contains('.') { named.name.clone() } else { format!(".{}", named.name) };
        if !defined.insert(index) {
            return json!(full.strip_prefix('.').unwrap_or(&full));
        }
        let (space, simple) = full.split_once('.').expect("it has a dot");
        let mut printed = match &named.sort {
            Sort::Record(fields) => {
                let fields: Vec<Json> = fields.iter().map(|field| self.print_field(field, defined)).collect();
                json!({"type": "record", "fields": fields})
            }
            Sort::Enum { symbols, has_default } => {
                let mut printed = json!({"type": "enum", "symbols": symbols});
                if let (true, Some(first)) = (has_default, symbols.first()) {
                    printed["default"] = json!(first);
                }
                printed
            }
            Sort::Fixed(size) => json!({"type": "fixed", "size": size}),
        };
        printed["name"] = json!(simple);
        printed["namespace"] = json!(space);
        if !named.aliases.is_empty() {
            printed["aliases"] = json!(named.aliases);
        }
        printed
    }

    fn print_field(&self, field: &Field, defined: &mut BTreeSet<usize>) -> Json {
        let mut printed = json!({"name": field.name, "type": self.print_type(&field.ty, defined)});
        if !field.aliases.is_empty() {
            printed["aliases"] = json!(field.aliases);
        }
        if let (true, Some(default)) = (field.has_default, default(&field.ty)) {
            printed["default"] = default;
        }
        printed
    }
}

impl Type {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Type)) {
        visit(self);
        match self {
            Type::Array(inner) | Type::Map(inner) => inner.each(visit),
            Type::Union(branches) => branches.iter_mut().for_each(|branch| branch.each(visit)),
            Type::Named(_) | Type::Plain(_) | Type::Logical(..) => {}
        }
    }
}

/// A default of the types that have a simple one.
fn default(ty: &Type) -> Option<Json> {
    Some(match ty {
        Type::Plain("null") => Json::Null,
        Type::Plain("boolean") => json!(true),
        Type::Plain("int" | "long" | "float" | "double") => json!(7),
        Type::Plain("bytes" | "string") => json!("x"),
        Type::Array(_) => json!([]),
        Type::Map(_) => json!({}),
        Type::Union(branches) => default(branches.first()?)?,
        Type::Plain(_) | Type::Named(_) | Type::Logical(..) => return None,
    })
}
