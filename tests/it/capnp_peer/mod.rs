//! The verdict beside what readers of the reference implementation experience, over random pairs of schemas.
//!
//! `tests/data/capnp/peer.py` compiles, writes and reads with the program `capnp`. What is tried and how it is shown is said
//! in [`crate::peers`]. Where the program is missing, the test says so and passes.

mod schema;

use std::process::Command;

use serde_json::{Map, Value as Json, json};

use crate::peers::{Dice, Language, Loaded, MESSAGES, Peer, SIDES, is_unconfirmed, roles, run};
use crate::support::{root, skip};
use schema::{Field, Home, Struct, Type};
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome};
use wireproof::formats::Format;
use wireproof::report::Evidence;

pub use schema::Schema;

#[test]
fn no_verdict_passes_what_hurts_readers_of_the_reference_implementation() {
    let python = std::env::var("WIREPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    for program in ["capnp", &python] {
        if !Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success()) {
            return skip(program, "verdicts beside what readers of Cap'n Proto's own implementation experience");
        }
    }
    run(&Capnp { python });
}

struct Capnp {
    python: String,
}

impl Language for Capnp {
    type Schema = Schema;
    const FORMAT: Format = Format::Capnp;
    /// Its library has no comparison that the program offers.
    const PROFILE: &'static str = "";

    fn start(&self) -> Peer {
        let mut command = Command::new(&self.python);
        command.arg(root().join("tests/data/capnp/peer.py"));
        Peer::start(command)
    }

    fn load(&self, peer: &mut Peer, sides: Pair<&Schema>) -> Loaded {
        use crate::peers::Model as _;
        let texts = sides.map(|side| side.print().remove("a.capnp").unwrap_or_default());
        let answer = ask(peer, &json!({ "load": { "old": texts.old, "new": texts.new } }));
        match answer.get("refused") {
            Some(reason) => Loaded::Refused(reason.to_string()),
            None => Loaded::Taken(None),
        }
    }

    fn worst_seen(
        &self,
        peer: &mut Peer,
        sides: Pair<&Schema>,
        direction: Direction,
        dice: &mut Dice,
    ) -> Option<(Outcome, String)> {
        let (sides, labels) = (roles(direction, sides), roles(direction, SIDES));
        let mut worst: Option<(Outcome, String)> = None;
        for writer in &sides.old.structs {
            let Some(reader) = sides.new.structure(writer.id) else { continue };
            for _ in 0..MESSAGES / 2 {
                let value = message(sides.old, writer, dice, 0);
                let asked = json!({ "writer": labels.old, "reader": labels.new, "type": format!("S{}", writer.id), "value": value });
                let answer = ask(peer, &asked);
                assert!(answer.get("unwritten").is_none(), "{value}: {answer}");
                let outcome = match answer["read"].get("rejected") {
                    Some(_) => Outcome::Fails,
                    None => compared(sides, Pair::new(writer, reader), Pair::new(&answer["wrote"], &answer["read"])),
                };
                if worst.as_ref().is_none_or(|(so_far, _)| outcome > *so_far) {
                    worst = Some((outcome, format!("{direction} S{} {value}\n{answer}", writer.id)));
                }
            }
        }
        worst.filter(|(outcome, _)| *outcome >= Outcome::Lossy)
    }

    fn replay(&self, peer: &mut Peer, sides: Pair<&Schema>, witness: &Evidence) -> Option<String> {
        let direction = Direction::from_name(witness.direction.as_str())?;
        let _ = sides;
        if !witness.wrapper.is_empty() {
            return None;
        }
        let label = roles(direction, SIDES).new;
        let name = witness.reader.rsplit('.').next()?;
        let answer = ask(peer, &json!({ "reader": label, "type": name, "bytes": witness.bytes }));
        let told = Outcome::from_name(witness.outcome.as_str())?;
        let seen = match answer["read"].get("rejected") {
            Some(_) => Outcome::Fails,
            // What was read is shown by the test above; here only whether anything was.
            None => told.max(Outcome::Lossy),
        };
        // Another field of the message may be rejected than the one that is told of.
        let is_other = seen == Outcome::Fails && witness.read.to_string().contains("(rejected");
        (is_unconfirmed(witness, seen) && !is_other).then(|| format!("the library: {answer}"))
    }
}

fn ask(peer: &mut Peer, asked: &Json) -> Json {
    serde_json::from_str(&peer.ask(&asked.to_string())).expect("the peer writes JSON")
}

/// A random struct in the text format of the program.
fn message(schema: &Schema, of: &Struct, dice: &mut Dice, depth: usize) -> String {
    let mut chosen: [Option<Home>; 2] = [None, None];
    let mut parts: std::collections::BTreeMap<Vec<String>, Vec<String>> = std::collections::BTreeMap::new();
    let start = dice.below(of.fields.len().max(1));
    for at in 0..of.fields.len() {
        let field = &of.fields[(start + at) % of.fields.len()];
        let home = of.settled(field);
        if let Home::Union(union) | Home::Member(union, _) = home {
            let known = chosen[usize::from(union)].get_or_insert(home);
            let is_first = parts.keys().all(|way| *way != way_to(home)) || matches!(home, Home::Member(..));
            if *known != home || (matches!(home, Home::Union(_)) && !is_first) {
                continue;
            }
        }
        if dice.percent(75) || matches!(home, Home::Union(_)) {
            let value = value(schema, &field.ty, dice, depth);
            parts.entry(way_to(home)).or_default().push(format!("{} = {value}", field.name));
        }
    }
    printed(parts)
}

/// The names of the groups and unions around a field.
fn way_to(home: Home) -> Vec<String> {
    match home {
        Home::Top => Vec::new(),
        Home::Group(nth) => vec![format!("g{nth}")],
        Home::Union(0) => vec!["\u{1}".to_owned()],
        Home::Union(union) => vec![format!("u{union}")],
        Home::Member(0, group) => vec![format!("m{group}")],
        Home::Member(union, group) => vec![format!("u{union}"), format!("m{group}")],
    }
}

fn printed(parts: std::collections::BTreeMap<Vec<String>, Vec<String>>) -> String {
    let mut top = Vec::new();
    for (way, fields) in parts {
        let inside = fields.join(", ");
        match &way[..] {
            [] => top.push(inside),
            [one] if one == "\u{1}" => top.push(inside),
            [one] => top.push(format!("{one} = ({inside})")),
            [one, two, ..] => top.push(format!("{one} = ({two} = ({inside}))")),
        }
    }
    format!("({})", top.join(", "))
}

fn value(schema: &Schema, ty: &Type, dice: &mut Dice, depth: usize) -> String {
    match ty {
        Type::Plain("Void") => "void".to_owned(),
        Type::Plain("Bool") => ["true", "false"][dice.below(2)].to_owned(),
        Type::Plain("Text") => format!("\"{}\"", ["", "t", "some text"][dice.below(3)]),
        Type::Plain("Data") => format!("0x\"{}\"", ["7a", "01", "ff 00 68 69"][dice.below(3)]),
        Type::Plain("Float32" | "Float64") => ["1.5", "0", "-2.25"][dice.below(3)].to_owned(),
        Type::Plain("Int8") => ["1", "-128", "127", "0"][dice.below(4)].to_owned(),
        Type::Plain("UInt8") => ["1", "255", "7", "0"][dice.below(4)].to_owned(),
        Type::Plain("Int16") => ["1", "-32768", "300"][dice.below(3)].to_owned(),
        Type::Plain("UInt16") => ["1", "65535", "0"][dice.below(3)].to_owned(),
        Type::Plain("Int32") => ["1", "-2147483648", "70000"][dice.below(3)].to_owned(),
        Type::Plain("UInt32") => ["1", "4294967295", "0"][dice.below(3)].to_owned(),
        Type::Plain(name) if name.starts_with('U') => ["1", "18446744073709551615", "0"][dice.below(3)].to_owned(),
        Type::Plain(_) => ["1", "-9223372036854775807", "0"][dice.below(3)].to_owned(),
        Type::Enum(id) => schema.value_of(*id, dice),
        Type::Struct(id) => match schema.structure(*id) {
            Some(of) if depth < 2 => message(schema, of, dice, depth + 1),
            _ => "()".to_owned(),
        },
        Type::List(items) => {
            let values: Vec<String> = (0..dice.below(3)).map(|_| value(schema, items, dice, depth + 1)).collect();
            format!("[{}]", values.join(", "))
        }
    }
}

/// The worst of the fields that both sides have, with one type on both.
fn compared(sides: Pair<&Schema>, of: Pair<&Struct>, values: Pair<&Json>) -> Outcome {
    let (Some(wrote), Some(read)) = (values.old.as_object(), values.new.as_object()) else { return Outcome::Safe };
    let mut worst = Outcome::Safe;
    for field in &of.old.fields {
        let Some(other) = of.new.fields.iter().find(|other| other.id == field.id) else { continue };
        if field.ty != other.ty {
            continue;
        }
        let home = of.old.settled(field);
        let is_in_union = matches!(home, Home::Union(_) | Home::Member(..));
        let (wrote, read) = (found(wrote, of.old, field), found(read, of.new, other));
        let outcome = match (wrote, read) {
            (Some(wrote), Some(read)) => same(sides, &field.ty, Pair::new(wrote, read)),
            // What is null is left out; a member that is set is there.
            (Some(wrote), None) if !is_empty(wrote) && field.ty != Type::Plain("Void") => Outcome::Unrecognized,
            (None, Some(read)) if is_in_union || is_empty(read) => Outcome::Safe,
            (None, Some(_)) if matches!(field.ty, Type::Struct(_)) => Outcome::Safe,
            (None, Some(_)) => Outcome::Wrong,
            _ => Outcome::Safe,
        };
        worst = worst.max(outcome);
    }
    worst
}

/// A field of a message in JSON, inside of the groups around it.
fn found<'j>(message: &'j Map<String, Json>, of: &Struct, field: &Field) -> Option<&'j Json> {
    let mut inside = message;
    for name in way_to(of.settled(field)).iter().filter(|name| *name != "\u{1}") {
        inside = inside.get(name)?.as_object()?;
    }
    inside.get(&field.name)
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => fields.values().all(is_empty),
        Json::Bool(value) => !value,
        Json::Number(number) => number.as_f64() == Some(0.0),
    }
}

fn same(sides: Pair<&Schema>, ty: &Type, values: Pair<&Json>) -> Outcome {
    match ty {
        Type::Struct(id) => match (sides.old.structure(*id), sides.new.structure(*id)) {
            (Some(old), Some(new)) => compared(sides, Pair::new(old, new), values),
            _ => Outcome::Safe,
        },
        Type::List(items) => match (values.old.as_array(), values.new.as_array()) {
            (Some(wrote), Some(read)) if wrote.len() == read.len() => {
                let each = wrote.iter().zip(read).map(|(wrote, read)| same(sides, items, Pair::new(wrote, read)));
                each.max().unwrap_or(Outcome::Safe)
            }
            _ => Outcome::Wrong,
        },
        Type::Enum(id) => sides.old.same_value(sides.new, *id, values),
        Type::Plain(_) if values.old == values.new => Outcome::Safe,
        Type::Plain(_) => Outcome::Wrong,
    }
}
