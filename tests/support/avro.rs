//! Avro schemas that are easy to make, to change and to print, over the whole space of what people write.
//!
//! Types have a number, fields a name. What is printed is nearly always valid.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::dice::Dice;
use wireproof::change::Pair;

/// One side: named types, and what data is.
#[derive(Clone)]
pub struct Schema {
    pub types: Vec<Named>,
    pub root: Type,
}

#[derive(Clone)]
pub struct Named {
    /// In full; without a dot where there is no namespace.
    pub name: String,
    /// As they are printed.
    aliases: Vec<String>,
    sort: Sort,
}

#[derive(Clone)]
enum Sort {
    Record(Vec<Field>),
    Enum { symbols: Vec<&'static str>, default: Option<usize> },
    Fixed(usize, Option<Logical>),
}

#[derive(Clone)]
struct Field {
    name: String,
    aliases: Vec<String>,
    ty: Type,
    /// Which of the values that its type has.
    default: Option<usize>,
}

#[derive(Clone)]
pub enum Type {
    /// By index; a reference after the first use.
    Named(usize),
    Plain(&'static str),
    Logical(&'static str, Logical),
    Array(Box<Type>),
    Map(Box<Type>),
    Union(Vec<Type>),
}

/// Its name, and its precision and scale if it is a decimal.
pub type Logical = (&'static str, usize, usize);

const PLAIN: [&str; 8] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];
const LOGICAL: [(&str, &str); 8] = [
    ("int", "date"),
    ("int", "time-millis"),
    ("long", "time-micros"),
    ("long", "timestamp-millis"),
    ("long", "timestamp-micros"),
    ("long", "local-timestamp-millis"),
    ("string", "uuid"),
    ("bytes", "decimal"),
];
const SYMBOLS: [&str; 5] = ["A", "B", "C", "D", "E"];
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
/// Defaults are no deeper.
const DEEPEST: usize = 4;

/// A random schema.
pub fn schema(dice: &mut Dice) -> Schema {
    let count = 1 + dice.below(4);
    let types = (0..count).map(|index| {
        let sort = if index == 0 { record(dice, count) } else { sort(dice, count) };
        let space = if dice.percent(30) { "n." } else { "" };
        Named { name: format!("{space}T{index}"), aliases: Vec::new(), sort }
    });
    let types = types.collect();
    let root = if dice.percent(80) { Type::Named(0) } else { ty(dice, 2, count) };
    Schema { types, root }
}

fn sort(dice: &mut Dice, count: usize) -> Sort {
    match dice.below(4) {
        0 | 3 => record(dice, count),
        1 => Sort::Enum {
            symbols: SYMBOLS[..1 + dice.below(3)].to_vec(),
            default: dice.percent(40).then(|| dice.below(3)),
        },
        _ => {
            let logical = dice.percent(30).then(|| decimal(dice));
            Sort::Fixed(if dice.percent(20) { 16 } else { 1 + dice.below(4) }, logical)
        }
    }
}

fn record(dice: &mut Dice, count: usize) -> Sort {
    Sort::Record((0..1 + dice.below(3)).map(|at| field(dice, NAMES[at], count)).collect())
}

fn decimal(dice: &mut Dice) -> Logical {
    if dice.percent(30) {
        return ("uuid", 0, 0);
    }
    let precision = 1 + dice.below(2);
    ("decimal", precision, dice.below(precision + 1))
}

fn field(dice: &mut Dice, name: &str, count: usize) -> Field {
    let default = dice.percent(50).then(|| dice.below(12));
    Field { name: name.to_owned(), aliases: Vec::new(), ty: ty(dice, 2, count), default }
}

fn ty(dice: &mut Dice, depth: usize, count: usize) -> Type {
    match dice.below(if depth == 0 { 6 } else { 12 }) {
        0..=2 => Type::Plain(dice.pick(&PLAIN).expect("it has some")),
        3 => {
            let (on, name) = dice.pick(&LOGICAL).expect("it has some");
            let precision = 1 + dice.below(3);
            Type::Logical(on, (name, precision, dice.below(precision + 1)))
        }
        4 | 5 => Type::Named(dice.below(count)),
        6 => Type::Array(Box::new(ty(dice, depth - 1, count))),
        7 => Type::Map(Box::new(ty(dice, depth - 1, count))),
        _ => {
            let mut branches: Vec<Type> = if dice.percent(60) { vec![Type::Plain("null")] } else { Vec::new() };
            for _ in 0..1 + dice.below(3) {
                add_branch(&mut branches, ty(dice, depth - 1, count));
            }
            if dice.percent(20) {
                branches.reverse();
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

/// A random edit.
pub fn mutate(schema: &mut Schema, dice: &mut Dice) {
    let count = schema.types.len();
    match dice.below(100) {
        0..45 => {
            let positions = schema.positions();
            let target = dice.below(positions);
            schema.at_position(target, &mut |position| change_type(position, dice, count));
        }
        45..50 => {
            // The whole of it moves to another namespace.
            let aliased = dice.percent(30);
            for named in &mut schema.types {
                rename(named, format!("v2.{}", simple(&named.name)), aliased);
            }
        }
        50..65 => {
            let at = dice.below(count);
            let other = simple(&schema.types[dice.below(count)].name).to_owned();
            let named = &mut schema.types[at];
            let name = match dice.below(3) {
                0 => format!("m.{}", simple(&named.name)),
                1 => format!("U{at}"),
                _ => format!("o.{other}"),
            };
            let is_aliased = dice.percent(50);
            rename(named, name, is_aliased);
        }
        65..68 => {
            let at = dice.below(count);
            schema.types[at].sort = sort(dice, count);
        }
        68..72 => rename_in_default(schema, dice),
        72..76 => add_union(schema, dice),
        76..82 => change_together(schema, dice),
        _ => {
            let at = dice.below(count);
            change_named(&mut schema.types[at].sort, dice, count);
        }
    }
}

/// Renames a field, with an alias, of a record that a default may spell.
fn rename_in_default(schema: &mut Schema, dice: &mut Dice) {
    let fields = schema.types.iter().flat_map(|named| match &named.sort {
        Sort::Record(fields) => fields.as_slice(),
        Sort::Enum { .. } | Sort::Fixed(..) => &[],
    });
    let spelled: Vec<usize> =
        fields.filter(|field| field.default.is_some()).filter_map(|field| field.ty.named()).collect();
    let Some(at) = dice.pick(&spelled) else { return };
    let Sort::Record(fields) = &mut schema.types[at].sort else { return };
    let is_free = |name: &&&str| fields.iter().all(|field| field.name != **name);
    if let (Some(name), false) = (NAMES.iter().rev().find(is_free).copied(), fields.is_empty()) {
        let renamed = dice.below(fields.len());
        let former = std::mem::replace(&mut fields[renamed].name, name.to_owned());
        fields[renamed].aliases.push(former);
    }
}

/// Adds a field of a union, with a default of one of its branches.
fn add_union(schema: &mut Schema, dice: &mut Dice) {
    let count = schema.types.len();
    let at = dice.below(count);
    let Sort::Record(fields) = &mut schema.types[at].sort else { return };
    let is_free = |name: &&&str| fields.iter().all(|field| field.name != **name);
    let Some(name) = NAMES.iter().rev().find(is_free).copied() else { return };
    let mut branches = Vec::new();
    for _ in 0..2 + dice.below(2) {
        add_branch(&mut branches, ty(dice, 1, count));
    }
    let default = dice.pick(&[3, 7, 11]);
    fields.push(Field { name: name.to_owned(), aliases: Vec::new(), ty: Type::Union(branches), default });
}

/// Two edits of one thing, of which the one hides or outdoes the other.
fn change_together(schema: &mut Schema, dice: &mut Dice) {
    let count = schema.types.len();
    let at = dice.below(count);
    match dice.below(4) {
        0 => return move_in_union(schema, dice),
        1 => {
            // With an alias, a fixed of the same size means something else.
            let named = &mut schema.types[at];
            if let Sort::Fixed(size, logical) = &mut named.sort {
                *logical = if *size == 16 && logical.is_none() { Some(("uuid", 0, 0)) } else { Some(decimal(dice)) };
                rename(named, format!("U{at}"), true);
            }
            return;
        }
        _ => {}
    }
    let Sort::Record(fields) = &mut schema.types[at].sort else { return };
    let is_free =
        |name: &&&str| fields.iter().all(|field| field.name != **name && !field.aliases.iter().any(|one| one == *name));
    let Some(name) = NAMES.iter().rev().find(is_free).copied() else { return };
    let renamed = dice.below(fields.len());
    let Some(field) = fields.get_mut(renamed) else { return };
    let former = std::mem::replace(&mut field.name, name.to_owned());
    if dice.percent(30) {
        field.aliases.push(former.clone());
    } else {
        change_type(&mut field.ty, dice, count);
    }
    field.aliases.push(former);
}

/// Moves an enum or a fixed to another namespace, and changes what stands beside it in a union.
fn move_in_union(schema: &mut Schema, dice: &mut Dice) {
    let is_record = |at: usize| matches!(schema.types.get(at).map(|named| &named.sort), Some(Sort::Record(_)));
    let mut found = Vec::new();
    let mut look = |ty: &Type| {
        let Type::Union(branches) = ty else { return };
        let named = branches.iter().filter_map(|branch| if let Type::Named(at) = branch { Some(*at) } else { None });
        let (records, others): (Vec<usize>, Vec<usize>) = named.partition(|at| is_record(*at));
        found.extend(records.first().copied().zip(others.first().copied()));
    };
    for named in &schema.types {
        if let Sort::Record(fields) = &named.sort {
            fields.iter().for_each(|field| look(&field.ty));
        }
    }
    look(&schema.root);
    let Some((record, other)) = dice.pick(&found) else { return };
    let named = &mut schema.types[other];
    rename(named, format!("m.{}", simple(&named.name)), false);
    let Sort::Record(fields) = &mut schema.types[record].sort else { return };
    let at = dice.below(fields.len());
    if let Some(field) = fields.get_mut(at) {
        field.ty = Type::Plain(if matches!(field.ty, Type::Plain("int")) { "long" } else { "int" });
    }
}

/// A random edit of what types hold; they are called as before.
pub fn mutate_inside(schema: &mut Schema, dice: &mut Dice) {
    let names: Vec<(String, Vec<String>)> =
        schema.types.iter().map(|named| (named.name.clone(), named.aliases.clone())).collect();
    mutate(schema, dice);
    for (named, (name, aliases)) in schema.types.iter_mut().zip(names) {
        (named.name, named.aliases) = (name, aliases);
    }
}

fn simple(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn rename(named: &mut Named, name: String, is_aliased: bool) {
    let old = std::mem::replace(&mut named.name, name);
    if is_aliased && old != named.name {
        named.aliases.push(if old.contains('.') { old } else { format!(".{old}") });
    }
}

fn change_named(sort: &mut Sort, dice: &mut Dice, count: usize) {
    match sort {
        Sort::Record(fields) => change_fields(fields, dice, count),
        Sort::Enum { symbols, default } => match dice.below(5) {
            0 => *default = if default.is_some() { None } else { Some(dice.below(4)) },
            1 if symbols.len() > 1 => drop(symbols.remove(dice.below(symbols.len()))),
            2 => symbols.reverse(),
            _ => symbols.extend(SYMBOLS.iter().find(|symbol| !symbols.contains(symbol)).copied()),
        },
        Sort::Fixed(size, logical) => match dice.below(3) {
            0 => *logical = dice.percent(70).then(|| decimal(dice)),
            _ => *size = if dice.percent(20) { 16 } else { 1 + dice.below(4) },
        },
    }
}

fn change_fields(fields: &mut Vec<Field>, dice: &mut Dice, count: usize) {
    // A name that is an alias already would make the schema contradict itself.
    let is_free =
        |name: &str| fields.iter().all(|field| field.name != name && field.aliases.iter().all(|alias| alias != name));
    let free = NAMES.iter().find(|name| is_free(name)).copied();
    let at = dice.below(fields.len());
    match (dice.below(7), free) {
        (0, Some(name)) => fields.insert(dice.below(fields.len() + 1), field(dice, name, count)),
        (1, _) if fields.len() > 1 => drop(fields.remove(at)),
        (2, Some(name)) if !fields.is_empty() => {
            let former = std::mem::replace(&mut fields[at].name, name.to_owned());
            if dice.percent(70) {
                fields[at].aliases.push(former);
            }
        }
        (3, _) => fields.reverse(),
        (4, _) if !fields.is_empty() && dice.percent(40) => {
            // Often the name of a field that is there.
            let alias = dice.pick(&NAMES).expect("it has some");
            fields[at].aliases.push(alias.to_owned());
        }
        _ => {
            if let Some(field) = fields.get_mut(at) {
                field.default = if field.default.is_some() && dice.percent(60) { None } else { Some(dice.below(12)) };
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
            if dice.percent(70) {
                branches.reverse();
            }
            *other = Type::Union(branches);
        }
        Type::Plain(plain) if dice.percent(40) => {
            // Often a promotion, the one way or the other.
            let numbers = ["int", "long", "float", "double"];
            *plain = match *plain {
                "string" => "bytes",
                "bytes" => "string",
                _ => dice.pick(&numbers).expect("it has some"),
            };
        }
        other => *other = ty(dice, 2, count),
    }
}

/// Something that can be left out of both sides.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reduction {
    Root(usize),
    Field(usize, String),
    Plain(usize, String),
    Bare(usize, String),
    Symbol(usize, &'static str),
    Branch(usize, String, usize),
    Aliases(usize),
    Unwrapped(usize, String),
    Placeless,
}

impl Schema {
    /// What might be left out.
    pub fn reductions(&self) -> Vec<Reduction> {
        let mut found: Vec<Reduction> = (0..self.types.len()).map(Reduction::Root).collect();
        found.push(Reduction::Placeless);
        for (index, named) in self.types.iter().enumerate() {
            found.push(Reduction::Aliases(index));
            match &named.sort {
                Sort::Record(fields) => {
                    for field in fields {
                        found.push(Reduction::Field(index, field.name.clone()));
                        found.push(Reduction::Plain(index, field.name.clone()));
                        found.push(Reduction::Bare(index, field.name.clone()));
                        found.push(Reduction::Unwrapped(index, field.name.clone()));
                        found.extend((0..4).map(|branch| Reduction::Branch(index, field.name.clone(), branch)));
                    }
                }
                Sort::Enum { symbols, .. } => {
                    found.extend(symbols.iter().map(|symbol| Reduction::Symbol(index, symbol)));
                }
                Sort::Fixed(..) => {}
            }
        }
        found
    }

    /// The same without something.
    pub fn without(&self, reduction: &Reduction) -> Schema {
        let mut fewer = self.clone();
        let field_of = |types: &mut Vec<Named>, index: usize, name: &str, change: &dyn Fn(&mut Field)| {
            if let Some(Named { sort: Sort::Record(fields), .. }) = types.get_mut(index) {
                fields.iter_mut().filter(|field| field.name == *name).for_each(change);
            }
        };
        match reduction {
            Reduction::Root(index) if *index < fewer.types.len() => fewer.root = Type::Named(*index),
            Reduction::Root(_) => {}
            Reduction::Placeless => {
                for named in &mut fewer.types {
                    named.name = simple(&named.name).to_owned();
                }
            }
            Reduction::Aliases(index) => fewer.types[*index].aliases.clear(),
            Reduction::Field(index, name) => {
                if let Sort::Record(fields) = &mut fewer.types[*index].sort {
                    fields.retain(|field| field.name != *name);
                }
            }
            Reduction::Plain(index, name) => {
                field_of(&mut fewer.types, *index, name, &|field| field.ty = Type::Plain("int"));
            }
            Reduction::Bare(index, name) => field_of(&mut fewer.types, *index, name, &|field| {
                field.default = None;
                field.aliases.clear();
            }),
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

    /// As one text, each type defined where it is first used.
    pub fn print(&self) -> Json {
        self.print_type(&self.root, &mut BTreeSet::new())
    }

    /// A named type, with the others as references or where they are first used.
    pub fn print_named(&self, index: usize, defined: &mut BTreeSet<usize>) -> Json {
        let named = &self.types[index];
        let full = if named.name.contains('.') { named.name.clone() } else { format!(".{}", named.name) };
        if !defined.insert(index) {
            return json!(full.strip_prefix('.').unwrap_or(&full));
        }
        let (space, simple) = full.rsplit_once('.').expect("it has a dot");
        let mut printed = match &named.sort {
            Sort::Record(fields) => {
                let fields: Vec<Json> = fields.iter().map(|field| self.print_field(field, defined)).collect();
                json!({"type": "record", "fields": fields})
            }
            Sort::Enum { symbols, default } => {
                let mut printed = json!({"type": "enum", "symbols": symbols});
                if let Some(symbol) = default.and_then(|at| symbols.get(at % symbols.len().max(1))) {
                    printed["default"] = json!(symbol);
                }
                printed
            }
            Sort::Fixed(size, logical) => {
                let mut printed = json!({"type": "fixed", "size": size});
                if let Some(logical) = logical {
                    state(&mut printed, *logical);
                }
                printed
            }
        };
        printed["name"] = json!(simple);
        printed["namespace"] = json!(space);
        if !named.aliases.is_empty() {
            printed["aliases"] = json!(named.aliases);
        }
        printed
    }

    fn print_type(&self, ty: &Type, defined: &mut BTreeSet<usize>) -> Json {
        match ty {
            Type::Named(index) => self.print_named(*index, defined),
            Type::Plain(name) => json!(name),
            Type::Logical(on, logical) => {
                let mut printed = json!({"type": on});
                state(&mut printed, *logical);
                printed
            }
            Type::Array(items) => json!({"type": "array", "items": self.print_type(items, defined)}),
            Type::Map(values) => json!({"type": "map", "values": self.print_type(values, defined)}),
            Type::Union(branches) => branches.iter().map(|branch| self.print_type(branch, defined)).collect(),
        }
    }

    fn print_field(&self, field: &Field, defined: &mut BTreeSet<usize>) -> Json {
        let mut printed = json!({"name": field.name, "type": self.print_type(&field.ty, defined)});
        if !field.aliases.is_empty() {
            printed["aliases"] = json!(field.aliases);
        }
        if let Some(default) = field.default.and_then(|which| self.value(&field.ty, which, DEEPEST)) {
            printed["default"] = default;
        }
        printed
    }

    /// One of the values of a type, as defaults are spelled.
    fn value(&self, ty: &Type, which: usize, depth: usize) -> Option<Json> {
        let inside = |ty: &Type| depth.checked_sub(1).and_then(|depth| self.value(ty, which, depth));
        Some(match ty {
            Type::Plain(name) | Type::Logical(name, _) => match *name {
                "null" => Json::Null,
                "boolean" => json!(which.is_multiple_of(2)),
                "bytes" => json!(["", "x", "\u{7f}"][which % 3]),
                "string" => json!(["", "x", "null"][which % 3]),
                "int" | "long" => json!([0, 7, -1][which % 3]),
                _ => json!([0.0, 7.5, -1.0][which % 3]),
            },
            Type::Array(items) => match inside(items) {
                Some(item) if which % 3 == 1 => json!([item]),
                _ => json!([]),
            },
            Type::Map(values) => match inside(values) {
                Some(value) if which % 3 == 1 => json!({"k": value}),
                _ => json!({}),
            },
            // The first branch mostly, a later one sometimes.
            Type::Union(branches) => {
                let first = if which % 4 == 3 { which / 4 } else { 0 };
                self.value(branches.get(first % branches.len().max(1))?, which, depth)?
            }
            Type::Named(index) => match &self.types.get(*index)?.sort {
                Sort::Enum { symbols, .. } => json!(symbols.get(which % symbols.len().max(1))?),
                Sort::Fixed(size, _) => json!("\u{1}".repeat(*size)),
                Sort::Record(fields) => {
                    let left_out = |field: &Field| which % 2 == 1 && self.default_of(field, depth).is_some();
                    let spelled = fields.iter().filter(|field| !left_out(field));
                    let spelled = spelled.map(|field| Some((field.name.clone(), inside(&field.ty)?)));
                    Json::Object(spelled.collect::<Option<_>>()?)
                }
            },
        })
    }

    fn default_of(&self, field: &Field, depth: usize) -> Option<Json> {
        field.default.and_then(|which| self.value(&field.ty, which, depth.checked_sub(1)?))
    }
}

/// Leaves out whatever can be left out of both sides while something is still to be told of them.
pub fn smallest(
    mut sides: Pair<Schema>,
    mut what: String,
    mut told: impl FnMut(&Pair<Schema>) -> Option<String>,
) -> (Pair<Schema>, String) {
    let size = |sides: &Pair<Schema>| sides.old.print().to_string().len() + sides.new.print().to_string().len();
    loop {
        let candidates = sides.old.reductions().into_iter().chain(sides.new.reductions()).collect::<BTreeSet<_>>();
        let smaller = candidates.iter().find_map(|reduction| {
            let fewer = sides.as_ref().map(|side| side.without(reduction));
            let what = (size(&fewer) < size(&sides)).then(|| told(&fewer)).flatten()?;
            Some((fewer, what))
        });
        match smaller {
            Some((fewer, still)) => (sides, what) = (fewer, still),
            None => return (sides, what),
        }
    }
}

fn state(printed: &mut Json, (name, precision, scale): Logical) {
    printed["logicalType"] = json!(name);
    if name == "decimal" {
        printed["precision"] = json!(precision);
        printed["scale"] = json!(scale);
    }
}

impl Type {
    /// The first named type in it.
    fn named(&self) -> Option<usize> {
        match self {
            Type::Named(index) => Some(*index),
            Type::Array(inner) | Type::Map(inner) => inner.named(),
            Type::Union(branches) => branches.iter().find_map(Type::named),
            Type::Plain(_) | Type::Logical(..) => None,
        }
    }

    fn each(&mut self, visit: &mut dyn FnMut(&mut Type)) {
        visit(self);
        match self {
            Type::Array(inner) | Type::Map(inner) => inner.each(visit),
            Type::Union(branches) => branches.iter_mut().for_each(|branch| branch.each(visit)),
            Type::Named(_) | Type::Plain(_) | Type::Logical(..) => {}
        }
    }
}
