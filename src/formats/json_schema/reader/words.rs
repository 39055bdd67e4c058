//! Why a datum is not valid, each reason in one sentence.

use std::io::{ErrorKind, Write};

use rustc_hash::FxHashSet;
use serde::Serialize;
use serde_json::{Map, Value};

use super::node::{Beside, Id, Limit, Members, Node, OfList, OfNumber, OfObject, OfText, TYPES, Types};
use super::rest::Ask;
use super::run::Run;
use super::values::{Kind, Values, View, equal_items};

/// Characters of a value that are shown, and how many values of a list.
const SHOWN: usize = 100;
const LISTED: usize = 8;

/// A reason, with the pointer of the place that it is about.
pub(super) type Reason = (String, String);

/// Everything that makes a datum invalid to a schema, up to so many reasons.
pub(super) fn told(run: &mut Run<'_>, id: Id, datum: &Value, most: usize) -> Vec<Reason> {
    let mut teller = Teller { run, most, out: Vec::new(), seen: FxHashSet::default(), pointer: String::new() };
    if !teller.run.takes(id, View::of(datum)) {
        teller.tell(id, View::of(datum));
        if teller.out.is_empty() {
            teller.say(format!("{} is not allowed here", shown(View::of(datum))));
        }
    }
    teller.out
}

struct Teller<'t, 'r> {
    run: &'t mut Run<'r>,
    most: usize,
    out: Vec<Reason>,
    /// What was told of.
    seen: FxHashSet<(Id, usize)>,
    pointer: String,
}

impl Teller<'_, '_> {
    const fn is_done(&self) -> bool {
        self.out.len() >= self.most
    }

    fn say(&mut self, words: String) {
        if !self.is_done() {
            self.out.push((self.pointer.clone(), words));
        }
    }

    /// Why a schema refuses a value, where it does.
    fn ask(&mut self, id: Id, view: View<'_>) {
        if !self.is_done() && !self.run.takes(id, view) {
            self.tell(id, view);
        }
    }

    /// The same of what is inside.
    fn ask_inside(&mut self, step: &str, id: Id, view: View<'_>) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        self.ask(id, view);
        self.pointer.truncate(length);
    }

    /// Why a schema refuses a value.
    fn tell(&mut self, id: Id, view: View<'_>) {
        if self.is_done() || !self.seen.insert((id, view.place)) {
            return;
        }
        let arena = self.run.arena;
        let node = arena.node(id);
        self.run.enter();
        if node.types == Types::NONE {
            self.say(format!("{} is not allowed here", shown(view)));
        } else if !node.types.have(view.kind) {
            self.say(format!("{} is not of type {}", shown(view), types(node.types)));
        } else {
            self.own(node, view);
            for beside in &node.beside {
                if !self.run.beside(beside, view) {
                    self.beside(beside, view);
                }
            }
            if let Some((index, rest)) = self.run.left(id, node, view) {
                self.left(index, rest, view);
            }
        }
        self.run.leave();
    }

    fn own(&mut self, node: &Node, view: View<'_>) {
        for values in node.values.iter().filter(|values| !values.have(view)) {
            self.say(format!("{} is not {}", shown(view), listed(values)));
        }
        match view.kind {
            Kind::Null | Kind::Bool(_) => {}
            Kind::Number(number) => {
                for rule in node.number.iter().filter(|rule| !rule.holds(number)) {
                    self.say(format!("{number} is {}", of_number(rule)));
                }
            }
            Kind::Text(text) => {
                for rule in &node.text {
                    if !self.run.text(rule, text) {
                        self.text(rule, view);
                    }
                }
            }
            Kind::List(list) => {
                for rule in &node.list {
                    if !self.run.list(rule, list) {
                        self.list(rule, list, view);
                    }
                }
            }
            Kind::Object(map) => {
                for rule in &node.object {
                    if !self.run.object(rule, map) {
                        self.object(rule, map, view);
                    }
                }
            }
        }
    }

    fn text(&mut self, rule: &OfText, view: View<'_>) {
        let shown = shown(view);
        self.say(match rule {
            OfText::Least(least) => format!("{shown} is shorter than {}", counted(*least, "character", "characters")),
            OfText::Most(most) => format!("{shown} is longer than {}", counted(*most, "character", "characters")),
            OfText::Pattern(pattern) => {
                format!("{shown} does not match {}", quoted(&self.run.arena.patterns[*pattern].written))
            }
            OfText::Format(format) => format!("{shown} is not a {}", quoted(format.name())),
        });
    }

    fn list(&mut self, rule: &OfList, list: &[Value], view: View<'_>) {
        match rule {
            OfList::Least(least) => {
                self.say(format!("{} has fewer than {}", shown(view), counted(*least, "item", "items")));
            }
            OfList::Most(most) => {
                self.say(format!("{} has more than {}", shown(view), counted(*most, "item", "items")));
            }
            OfList::Unique => {
                if let Some((one, other)) = equal_items(list) {
                    self.say(format!("{} has items that are equal, {one} and {other}", shown(view)));
                }
            }
            OfList::Items { first, rest } => {
                for (index, item) in list.iter().enumerate() {
                    if let Some(id) = first.get(index).copied().or(*rest) {
                        self.ask_inside(&index.to_string(), id, View::of(item));
                    }
                }
            }
            OfList::Contains { item, least, most } => {
                let count = self.run.contained(*item, list, u64::MAX);
                let wanted = match (count < *least, most) {
                    (true, _) => format!("fewer than {}", counted(*least, "item", "items")),
                    (false, most) => format!("more than {}", counted(most.unwrap_or(0), "item", "items")),
                };
                self.say(format!("{} has {wanted} of those that \"contains\" speaks of", shown(view)));
            }
        }
    }

    fn object(&mut self, rule: &OfObject, map: &Map<String, Value>, view: View<'_>) {
        match rule {
            OfObject::Least(least) => {
                self.say(format!("{} has fewer than {}", shown(view), counted(*least, "member", "members")));
            }
            OfObject::Most(most) => {
                self.say(format!("{} has more than {}", shown(view), counted(*most, "member", "members")));
            }
            OfObject::Required(names) => {
                for name in names.iter().filter(|name| !map.contains_key(&***name)).take(self.most) {
                    self.say(format!("the required member {} is missing", quoted(name)));
                }
            }
            OfObject::Dependent(all) => {
                for (name, needed) in all.iter().filter(|(name, _)| map.contains_key(&**name)) {
                    for needed in needed.iter().filter(|needed| !map.contains_key(&***needed)).take(self.most) {
                        self.say(format!("the member {} is missing, which {} asks for", quoted(needed), quoted(name)));
                    }
                }
            }
            OfObject::Members(members) => self.members(members, map),
            OfObject::Names(id) => {
                for name in map.keys().filter(|name| !self.run.takes(*id, View::of_name(name))).collect::<Vec<_>>() {
                    let before = self.out.len();
                    self.tell(*id, View::of_name(name));
                    for (_, words) in &mut self.out[before..] {
                        *words = format!("a member may not be named like that: {words}");
                    }
                }
            }
        }
    }

    fn members(&mut self, members: &Members, map: &Map<String, Value>) {
        for (name, value) in map {
            if self.is_done() {
                return;
            }
            let view = View::of(value);
            let mut met = Vec::new();
            self.run.member(members, name, view, &mut |_, id, _| {
                met.push(id);
                true
            });
            for id in met {
                let is_barred = Some(id) == members.others && self.run.arena.node(id).types == Types::NONE;
                match is_barred {
                    true => self.say(format!("the member {} is not allowed", quoted(name))),
                    false => self.ask_inside(name, id, view),
                }
            }
        }
    }

    fn beside(&mut self, beside: &Beside, view: View<'_>) {
        match beside {
            Beside::Same(id) => self.ask(*id, view),
            Beside::All(list) => list.iter().for_each(|id| self.ask(*id, view)),
            Beside::Any(list) => self.none_of(list, "anyOf", view),
            Beside::One(list) => match list.iter().filter(|id| self.run.takes(**id, view)).count() {
                0 => self.none_of(list, "oneOf", view),
                count => self.say(format!("{} is valid under {count} of the schemas in \"oneOf\"", shown(view))),
            },
            Beside::Not(_) => self.say(format!("{} is not allowed: it is valid under \"not\"", shown(view))),
            Beside::If { condition, then, otherwise } => {
                let led = if self.run.takes(*condition, view) { then } else { otherwise };
                if let Some(id) = led {
                    self.ask(*id, view);
                }
            }
            Beside::With(list) => {
                let Kind::Object(map) = view.kind else { return };
                list.iter().filter(|(name, _)| map.contains_key(&**name)).for_each(|(_, id)| self.ask(*id, view));
            }
        }
    }

    /// Of several branches, the only one that is about values of that type tells why; where there are more, none does.
    fn none_of(&mut self, list: &[Id], keyword: &str, view: View<'_>) {
        let arena = self.run.arena;
        let mut about = list.iter().filter(|id| may_be_about(arena, **id, view));
        match (about.next(), about.next()) {
            (Some(id), None) => self.tell(*id, view),
            _ => self.say(format!("{} is not valid under any of the schemas in \"{keyword}\"", shown(view))),
        }
    }

    /// Why a member or an item that nothing looked at is refused.
    fn left(&mut self, index: usize, rest: Id, view: View<'_>) {
        let is_barred = self.run.arena.node(rest).types == Types::NONE;
        match view.kind {
            Kind::Object(map) => {
                let Some((name, value)) = map.iter().nth(index) else { return };
                match is_barred {
                    true => self.say(format!("the member {} is not allowed", quoted(name))),
                    false => self.ask_inside(name, rest, View::of(value)),
                }
            }
            Kind::List(list) => self.ask_inside(&index.to_string(), rest, View::of(&list[index])),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => {}
        }
    }
}

/// References that are followed to find out of which type a schema speaks.
const FOLLOWED: usize = 8;

/// Whether a schema may take values of the type of one.
fn may_be_about(arena: &super::node::Arena, mut id: Id, view: View<'_>) -> bool {
    for _ in 0..FOLLOWED {
        let node = arena.node(id);
        let is_alike =
            |value: &Value| std::mem::discriminant(&View::of(value).kind) == std::mem::discriminant(&view.kind);
        let is_listed = node.values.iter().all(|values| values.list.iter().any(is_alike));
        if !node.types.have(view.kind) || !is_listed {
            return false;
        }
        match node.beside.iter().find_map(|beside| if let Beside::Same(id) = beside { Some(*id) } else { None }) {
            Some(target) => id = target,
            None => break,
        }
    }
    true
}

/// A value as JSON, cut where it is long.
fn shown(view: View<'_>) -> String {
    let text = match view.kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(number) => number.to_string(),
        Kind::Text(text) => quoted(text),
        Kind::List(list) => beginning(list),
        Kind::Object(map) => beginning(map),
    };
    cut(text)
}

/// What is written of a value, up to a little more than is shown.
struct Beginning(Vec<u8>);

impl Write for Beginning {
    fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
        // A character takes four bytes at most.
        if self.0.len() > 4 * SHOWN {
            return Err(ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn beginning(value: &(impl Serialize + ?Sized)) -> String {
    let mut written = Beginning(Vec::new());
    // That it does not end is what is asked for.
    let _ = serde_json::to_writer(&mut written, value);
    String::from_utf8_lossy(&written.0).into_owned()
}

fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) if text.starts_with('"') => format!("{}…\"", &text[..end]),
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

fn of_number(rule: &OfNumber) -> String {
    match rule {
        OfNumber::Multiple(_, unit) => format!("not a multiple of {unit}"),
        OfNumber::Limit(limit, bound) => match limit {
            Limit::Minimum => format!("less than the minimum of {bound}"),
            Limit::Maximum => format!("greater than the maximum of {bound}"),
            Limit::ExclusiveMinimum => format!("not greater than {bound}"),
            Limit::ExclusiveMaximum => format!("not less than {bound}"),
        },
    }
}

/// `"null" or "string"`
fn types(types: Types) -> String {
    let is_whole = |name: &str| name == "number" && types.0 & 8 == 0 || name == "integer" && types.0 & 8 != 0;
    let names = TYPES.iter().filter(|(name, bits)| types.0 & bits != 0 && !is_whole(name));
    joined(names.map(|(name, _)| quoted(name)).collect())
}

/// The values that one of was wanted.
fn listed(values: &Values) -> String {
    let shown = |value: &Value| self::shown(View::of(value));
    match &*values.list {
        [one] if values.is_one => shown(one),
        [] => "allowed here, and no value is".to_owned(),
        list if list.len() <= LISTED => format!("one of {}", joined(list.iter().map(shown).collect())),
        list => {
            let first: Vec<String> = list[..LISTED - 2].iter().map(shown).collect();
            format!("one of {} or {} others", first.join(", "), list.len() + 2 - LISTED)
        }
    }
}

fn joined(mut words: Vec<String>) -> String {
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} or {last}", words.join(", ")),
        last => last.unwrap_or_default(),
    }
}
