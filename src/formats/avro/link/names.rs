//! Names: how they are qualified, which are allowed, and which definition they mean.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Span;

use super::super::ast::{self, Spelled};
use super::super::foreign;
use super::super::model::{FileId, Kind, Name, Primitive, Schema, Type, TypeId, Use};
use super::{Input, Linker, same};

/// A name that its file had not defined when it was met.
#[derive(Debug)]
pub(super) struct Open<'t> {
    name: &'t Spelled<'t>,
    namespace: Arc<str>,
    file: FileId,
}

/// Type numbers from here on stand for open names.
const OPEN: u32 = 1 << 31;

/// Whether a file is called like a type, with or without its namespace.
fn is_called_like(path: &str, name: &str) -> bool {
    let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let simple = name.rsplit_once('.').map_or(name, |(_, simple)| simple);
    stem.eq_ignore_ascii_case(name) || stem.eq_ignore_ascii_case(simple)
}

/// The full name of a simple or full name in a namespace; the empty one is the null namespace.
fn full_name(name: &str, namespace: &str) -> Arc<str> {
    match name.rfind('.') {
        Some(0) => Arc::from(&name[1..]),
        Some(_) => Arc::from(name),
        None if namespace.is_empty() => Arc::from(name),
        None => Arc::from([namespace, ".", name].concat()),
    }
}

/// Whether a word may be a name, and whether the specification says so.
enum Word {
    Plain,
    /// The reference implementation allows it, the specification does not.
    Foreign,
    Invalid,
}

fn word(text: &str) -> Word {
    let bytes = text.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match bytes.first() {
        None => return Word::Invalid,
        Some(first) if first.is_ascii_digit() => return Word::Invalid,
        Some(_) if bytes.iter().all(is_plain) => return Word::Plain,
        Some(_) => {}
    }
    // Java looks at UTF-16 units, so letters beyond U+FFFF are none to it.
    let is_letter = |letter: char| letter == '_' || letter.is_alphabetic() && letter <= '\u{ffff}';
    let may_follow = |letter: char| is_letter(letter) || letter.is_numeric() && letter <= '\u{ffff}';
    if text.starts_with(is_letter) && text.chars().all(may_follow) { Word::Foreign } else { Word::Invalid }
}

const SHAPE: &str = "use letters, digits and `_`, and no digit at the start";

impl<'t> Linker<'t> {
    /// Says whether a word may not be a name.
    pub(super) fn check_word(&mut self, name: &Spelled<'_>, what: &str) {
        self.check_part(&name.text, name.span, what);
    }

    fn check_part(&mut self, part: &str, span: Span, what: &str) {
        match word(part) {
            Word::Plain => {}
            Word::Foreign if self.foreign.insert(self.file) => {
                let message = format_args!("`{part}` is {what}, and not every implementation reads such names");
                self.log().warning(span, message, "use the letters a to z and A to Z, digits and `_`");
            }
            Word::Foreign => {}
            Word::Invalid if part.is_empty() => {
                self.log().refuse(span, format_args!("{what} is empty"), SHAPE);
            }
            Word::Invalid => self.log().refuse(span, format_args!("`{part}` cannot be {what}"), SHAPE),
        }
    }

    /// The full name of a type that is defined in this namespace.
    pub(super) fn declared(&mut self, names: &ast::Names<'_>, namespace: &str) -> Name {
        let stated = names.namespace.as_ref();
        let full = full_name(&names.name.text, stated.map_or(namespace, |stated| &stated.text));
        let name = Name { full, span: names.name.span };
        self.check_part(name.simple(), name.span, "the name of a type");
        if !name.namespace().is_empty() {
            let span = match stated {
                Some(stated) if !names.name.text.contains('.') => stated.span,
                _ => name.span,
            };
            for part in name.namespace().split('.') {
                self.check_part(part, span, "a part of a namespace");
            }
        }
        if Primitive::from_name(&name.full).is_some() {
            let message = format_args!("`{}` is a primitive type, so no other can be called that", name.full);
            self.log().refuse(name.span, message, "choose another name, or put it into a namespace");
        }
        name
    }

    /// The aliases of a type as full names; they lie in the type's own namespace.
    pub(super) fn aliases(&mut self, names: &ast::Names<'_>, name: &Name) -> Vec<Name> {
        let (mut aliases, mut seen) = (Vec::with_capacity(names.aliases.len()), FxHashSet::default());
        for alias in &names.aliases {
            let alias = Name { full: full_name(&alias.text, name.namespace()), span: alias.span };
            self.check_part(alias.simple(), alias.span, "the alias of a type");
            // One that stands twice is one.
            if seen.insert(alias.full.clone()) {
                aliases.push(alias);
            }
        }
        aliases
    }

    /// Makes the type just added known by its name; the one that is known by it.
    pub(super) fn define(&mut self, id: TypeId, names: &ast::Names<'_>) -> TypeId {
        let Some(Name { full, span }) = self.schema.name(id).filter(|name| !name.full.is_empty()).cloned() else {
            return id;
        };
        let known = self.schema.by_name.entry(full).or_default();
        let Some(first) = known.last().copied().filter(|known| self.schema.types[known.0 as usize].file == self.file)
        else {
            known.push(id);
            return id;
        };
        let name = names.name.text.as_ref();
        let is_record = matches!(self.schema.kind(id), Kind::Record(_));
        if !is_record && same::is_same(&self.schema, first, id) {
            self.schema.types.pop();
            let message = format_args!("`{name}` is defined twice in this file, both times the same");
            self.log().warning(span, message, "define it once and refer to it by its name: most readers refuse this");
            return first;
        }
        if is_record && self.schema.file(self.file).path.ends_with(".avdl") {
            // Whether both mean the same is known when the names in them are.
            self.twice.push((first, id, span));
            return id;
        }
        let message = format_args!("`{name}` is defined twice in this file");
        self.log().error(span, message, "give one of the two another name, or refer to the first one by its name");
        id
    }

    /// Says which records stand twice in an IDL file, and which of them say two things.
    pub(super) fn check_twice(&mut self) {
        for (first, second, span) in std::mem::take(&mut self.twice) {
            let (name, file) = (self.schema.called(second).to_owned(), self.schema.ty(second).file);
            let log = &mut self.logs[file.0 as usize];
            if same::is_same(&self.schema, first, second) {
                let message = format_args!("`{name}` is defined twice in this file, both times the same");
                log.warning(span, message, "define it once: Java takes that, others refuse it");
            } else {
                let message = format_args!("`{name}` is defined twice in this file");
                log.error(span, message, "give one of the two another name, or refer to the first one by its name");
            }
        }
    }

    /// The type that a name means in a namespace, as far as its file has defined it already.
    pub(super) fn find(&mut self, name: &'t Spelled<'t>, namespace: &str) -> TypeId {
        let text = name.text.as_ref();
        let own = if namespace.is_empty() || text.contains('.') {
            self.own(text)
        } else {
            let mut full = std::mem::take(&mut self.scratch);
            full.clear();
            full.extend([namespace, ".", text]);
            let own = self.own(&full);
            self.scratch = full;
            own
        };
        match own {
            Some(ty) => {
                self.has_cycles |= self.around.contains(&ty);
                ty
            }
            None => {
                let outer = self.own(text).filter(|ty| !namespace.is_empty() && self.around.contains(ty));
                if outer.is_some() && !text.contains('.') {
                    let message = format_args!("`{text}` means `{namespace}.{text}` here, which is not defined");
                    let help = "give the type that is meant a namespace; Java before 1.12.1 took the one without, whose definition this is";
                    self.log().refuse(name.span, message, help);
                }
                let id = OPEN + u32::try_from(self.open.len()).expect("a name takes more than one byte of a file");
                self.open.push(Open { name, namespace: Arc::from(namespace), file: self.file });
                TypeId(id)
            }
        }
    }

    /// The type of that full name in the current file.
    fn own(&self, full: &str) -> Option<TypeId> {
        let last = *self.schema.by_name.get(full)?.last()?;
        (self.schema.ty(last).file == self.file).then_some(last)
    }

    /// Finds every open name; whether one was found nowhere, and no missing import accounts for that.
    pub(super) fn resolve(&mut self, inputs: &[Input<'t>]) -> bool {
        if self.open.is_empty() {
            return false;
        }
        self.has_cycles = true;
        let open = std::mem::take(&mut self.open);
        let mut search = Search::new(inputs);
        let targets: Vec<TypeId> = open.iter().map(|open| search.target(self, open)).collect();
        let close = |at: &mut Use| {
            if at.ty.0 >= OPEN {
                at.ty = targets[(at.ty.0 - OPEN) as usize];
            }
        };
        for ty in &mut self.schema.types {
            match &mut ty.kind {
                Kind::Array(inner) | Kind::Map(inner) => close(inner),
                Kind::Union(branches) => branches.iter_mut().for_each(close),
                Kind::Record(record) => record.fields.iter_mut().for_each(|field| close(&mut field.schema)),
                Kind::Primitive(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => {}
            }
        }
        self.schema.roots.iter_mut().for_each(|root| close(&mut root.schema));
        for message in self.schema.protocols.iter_mut().flat_map(|protocol| &mut protocol.messages) {
            close(&mut message.response);
        }
        let Search { shared, lacks_names, .. } = search;
        self.check_shared(shared);
        lacks_names
    }

    /// Says which names mean different things in different files, where a file without a definition uses them.
    fn check_shared(&mut self, uses: Vec<Shared>) {
        let mut differing: FxHashMap<Vec<TypeId>, Option<[TypeId; 2]>> = FxHashMap::default();
        let differ = |schema: &Schema<'_>, known: &[TypeId]| {
            let (first, others) = known.split_first()?;
            let other = others.iter().find(|other| !same::is_same(schema, *first, **other))?;
            Some([*first, *other])
        };
        for Shared { name, file, span, meant } in uses {
            let pair = *differing.entry(meant).or_insert_with_key(|meant| differ(&self.schema, meant));
            if let Some(pair) = pair {
                let [first, other] = pair.map(|ty| &self.schema.file(self.schema.ty(ty).file).path);
                let message = format_args!("`{name}` is not defined here, but differently in {first} and {other}");
                let help = "define it in one file only or in this folder, or give one of the two another name";
                self.logs[file.0 as usize].error(span, message, help);
            }
        }
    }
}

impl Linker<'_> {
    /// Of several definitions those in files that are judged, if there are any.
    fn judged<'k>(&self, known: &'k [TypeId]) -> &'k [TypeId] {
        let is_judged = |ty: &TypeId| !self.schema.file(self.schema.ty(*ty).file).is_library;
        match known.partition_point(is_judged) {
            0 => known,
            judged => &known[..judged],
        }
    }
}

/// Of several definitions those whose folders are nearest to that of a file: with most of the way in common, then with the
/// shortest way down.
fn nearest<'p>(from: &str, known: &[TypeId], path: impl Fn(&TypeId) -> &'p str) -> Vec<TypeId> {
    let folder = |path: &str| path.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"));
    let from = folder(from);
    let distance = |ty: &TypeId| {
        let other = folder(path(ty));
        let common = from.split_inclusive('/').zip(other.split_inclusive('/')).take_while(|(one, other)| one == other);
        let common = common.count();
        (std::cmp::Reverse(common), other.matches('/').count() - common)
    };
    let least = known.iter().map(distance).min();
    known.iter().filter(|ty| Some(distance(ty)) == least).copied().collect()
}

/// The use of a name that several other files define.
struct Shared {
    name: Arc<str>,
    file: FileId,
    span: Span,
    /// The definitions that the file imports; if there are none, those in the nearest folder.
    meant: Vec<TypeId>,
}

/// What is known about definitions while open names are looked up.
struct Search<'s, 't> {
    inputs: &'s [Input<'t>],
    /// The files that each file with imports sees, directly or by a file in between.
    imported: FxHashMap<FileId, FxHashSet<usize>>,
    /// One of the files that cannot be understood in whole.
    broken: Option<usize>,
    /// The types without a definition, by name.
    opaque: FxHashMap<Arc<str>, TypeId>,
    /// Names with several definitions that were used by a file without one.
    shared: Vec<Shared>,
    /// Full names by their last part in small letters, for advice.
    similar: Option<FxHashMap<String, Arc<str>>>,
    lacks_names: bool,
    /// Whether each file with imports lacks one of them, directly or by a file in between.
    lacking: FxHashMap<FileId, bool>,
}

impl<'s, 't> Search<'s, 't> {
    fn new(inputs: &'s [Input<'t>]) -> Self {
        Search {
            inputs,
            imported: FxHashMap::default(),
            broken: inputs.iter().position(Input::is_broken),
            opaque: FxHashMap::default(),
            shared: Vec::new(),
            similar: None,
            lacks_names: false,
            lacking: FxHashMap::default(),
        }
    }

    /// The files that a file sees by its imports, itself included.
    fn imported(&mut self, file: FileId) -> &FxHashSet<usize> {
        let inputs = self.inputs;
        self.imported.entry(file).or_insert_with(|| {
            let mut seen = FxHashSet::default();
            let mut left = vec![file.0 as usize];
            while let Some(next) = left.pop() {
                if seen.insert(next) {
                    left.extend(inputs[next].imports.iter().flatten());
                }
            }
            seen
        })
    }

    /// Whether an import of the file, or of a file that it imports, leads nowhere.
    fn lacks_imports(&mut self, file: FileId) -> bool {
        let inputs = self.inputs;
        if inputs[file.0 as usize].imports.is_empty() {
            return false;
        }
        if let Some(lacks) = self.lacking.get(&file) {
            return *lacks;
        }
        let mut lacking = inputs.iter().enumerate().filter(|(_, input)| input.imports.contains(&None));
        let imported = self.imported(file);
        let lacks = lacking.any(|(index, _)| imported.contains(&index));
        self.lacking.insert(file, lacks);
        lacks
    }

    fn target(&mut self, linker: &mut Linker<'t>, open: &Open<'t>) -> TypeId {
        let text = open.name.text.as_ref();
        let full = full_name(text, &open.namespace);
        let candidates = [full.clone(), Arc::from(text)];
        // A name that its namespace does not define is looked for in the null namespace.
        let candidates = if *candidates[0] == *candidates[1] { &candidates[..1] } else { &candidates[..] };
        for name in candidates {
            if let Some(ty) = self.defined(linker, open, name) {
                return ty;
            }
        }
        self.report_undefined(linker, open, &full);
        *self.opaque.entry(full.clone()).or_insert_with(|| {
            let id = TypeId(linker.schema.types.len() as u32);
            let kind = Kind::Opaque(Name { full, span: open.name.span });
            linker.schema.types.push(Type {
                kind,
                logical: None,
                file: open.file,
                span: open.name.span,
                attributes: &[],
            });
            id
        })
    }

    /// The definition that a file means: its own, else one that it imports, else that of all other files.
    fn defined(&mut self, linker: &Linker<'t>, open: &Open<'t>, name: &Arc<str>) -> Option<TypeId> {
        let known = linker.schema.by_name.get(name)?;
        let file_of = |ty: &TypeId| linker.schema.ty(*ty).file;
        let at = known.partition_point(|ty| file_of(ty) < open.file);
        if let Some(own) = known.get(at).filter(|ty| file_of(ty) == open.file) {
            return Some(*own);
        }
        if let [only] = known[..] {
            return Some(only);
        }
        let mut meant = Vec::new();
        if !self.inputs[open.file.0 as usize].imports.is_empty() {
            let imported = self.imported(open.file);
            let is_imported = |ty: &&TypeId| imported.contains(&(file_of(ty).0 as usize));
            meant = known.iter().filter(is_imported).copied().collect();
        }
        if meant.is_empty() {
            let path = |ty: &TypeId| &*linker.schema.file(file_of(ty)).path;
            meant = nearest(&linker.schema.file(open.file).path, linker.judged(known), path);
            // Of several that are as near, the one whose file is called like the type.
            let is_called = |ty: &TypeId| is_called_like(path(ty), name);
            if meant.len() > 1 && meant.iter().any(is_called) {
                meant.retain(is_called);
            }
        }
        let first = meant.first().copied();
        if meant.len() != 1 {
            self.shared.push(Shared { name: name.clone(), file: open.file, span: open.name.span, meant });
        }
        first
    }

    fn report_undefined(&mut self, linker: &mut Linker<'t>, open: &Open<'t>, full: &Arc<str>) {
        let file = open.file.0 as usize;
        if self.inputs[file].is_broken() || self.lacks_imports(open.file) {
            return linker.logs[file].unsure(open.name.span, full);
        }
        self.lacks_names = true;
        if let Some(broken) = self.broken.map(|broken| &self.inputs[broken]) {
            let message =
                format_args!("`{full}` is not defined in any file that could be read: it is compared by name");
            let (span, help) = (open.name.span, format_args!("mend {} first", broken.path));
            // Of a file that only supplies types the error itself does not count.
            match broken.is_library {
                true => linker.logs[file].error(span, message, help),
                false => linker.logs[file].warning(span, message, help),
            }
            return;
        }
        if let Some(sign) = self.inputs[file].tree.may_be_json_schema {
            // Nobody writes data of it.
            linker.schema.roots.retain(|root| root.file != open.file);
            return foreign::say(&mut linker.logs[file], sign);
        }
        let message = format_args!("`{full}` is not defined in this file or any other of this side");
        let help = self.advice(linker, open, full);
        linker.logs[file].error(open.name.span, message, help);
    }

    fn advice(&mut self, linker: &Linker<'t>, open: &Open<'t>, full: &Arc<str>) -> String {
        let simple = full.rsplit_once('.').map_or(full.as_ref(), |(_, simple)| simple).to_lowercase();
        if ["record", "error", "enum", "fixed", "array", "map"].contains(&simple.as_str()) {
            return format!("write `{{\"type\": \"{simple}\", …}}` in small letters and with what belongs to it");
        }
        let primitive = match simple.as_str() {
            "integer" | "int32" | "short" | "byte" => Some("int"),
            "int64" => Some("long"),
            "bool" => Some("boolean"),
            "str" | "text" | "char" => Some("string"),
            "binary" => Some("bytes"),
            other => Primitive::from_name(other).map(Primitive::name),
        };
        if let Some(primitive) = primitive {
            return format!("the primitive type is called `{primitive}`");
        }
        let similar = self.similar.get_or_insert_with(|| {
            let names = linker.schema.types.iter().filter(|ty| !matches!(ty.kind, Kind::Opaque(_)));
            let names = names.filter_map(|ty| ty.kind.name());
            names.map(|name| (name.simple().to_lowercase(), name.full.clone())).collect()
        });
        match similar.get(&simple) {
            Some(name) => format!("write `{name}` if that type is meant"),
            None if open.name.text.contains('.') => "define it, or add the file that does".to_owned(),
            None => "define it, add the file that does, or write its full name".to_owned(),
        }
    }
}
