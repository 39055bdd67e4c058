//! What names mean: every declaration of a side with what is declared inside of it, and the way from a written name to it.
//!
//! A name is looked for in the declaration that it stands in, then in those around, then among the built-in types. The
//! interfaces that one extends are looked into as well.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Span;

use super::ast::{Declaration, Kind, Path, Start, Step};
use super::ids;
use super::language::Input;
use super::model::{AnyKind, CHOSEN, Declared, Parameter, Space, Spelled, Type};
use super::types::{Brand, Given};

/// A declaration, by its place in [`Scopes::nodes`].
pub(super) type NodeId = usize;

/// Types are made of as many others at most: names that stand for types that hold others twice could be of any size.
const PARTS: usize = 4096;
/// How many names that stand for names are followed.
const ALIASES: u32 = 32;

/// A declaration, or a file.
#[derive(Debug)]
pub(super) struct Node<'t> {
    pub(super) parent: Option<NodeId>,
    pub(super) file: usize,
    pub(super) full_name: Arc<str>,
    pub(super) id: u64,
    /// Nothing for a file.
    pub(super) declaration: Option<&'t Declaration<'t>>,
    /// Type parameters: of a declaration its own, of a method those that callers choose.
    pub(super) parameters: &'t [Spelled<'t>],
    pub(super) inside: FxHashMap<&'t str, NodeId>,
    /// What it is among structs, enums and interfaces.
    pub(super) declared: Option<Declared>,
}

/// What a name means.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    Node(NodeId, Brand),
    Builtin(Type),
    /// `List` without what is listed.
    List,
    /// It may stand in a file that was not found.
    Lost,
}

/// Why a name means nothing.
#[derive(Debug, Clone)]
pub(super) struct Unknown {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: &'static str,
}

/// All declarations of a side.
pub(super) struct Scopes<'t, 'g> {
    pub(super) inputs: &'g [Input<'t>],
    pub(super) nodes: Vec<Node<'t>>,
}

impl<'t, 'g> Scopes<'t, 'g> {
    /// Every file and everything that is declared in it.
    pub(super) fn of(inputs: &'g [Input<'t>]) -> Self {
        let mut scopes = Scopes { inputs, nodes: Vec::new() };
        for (file, input) in inputs.iter().enumerate() {
            scopes.nodes.push(Node {
                parent: None,
                file,
                full_name: Arc::from(stem(&input.path)),
                id: input.tree.id.map_or(0, |(id, _)| id),
                declaration: None,
                parameters: &[],
                inside: FxHashMap::default(),
                declared: None,
            });
        }
        for (file, input) in inputs.iter().enumerate() {
            for declaration in &input.tree.body {
                scopes.declare(file, declaration);
            }
        }
        scopes
    }

    /// How deep declarations nest, the parser has limited.
    fn declare(&mut self, parent: NodeId, declaration: &'t Declaration<'t>) {
        let node = &self.nodes[parent];
        let name = &*declaration.name.text;
        let own = Node {
            parent: Some(parent),
            file: node.file,
            full_name: Arc::from(format!("{}.{name}", node.full_name)),
            id: declaration.id.map_or_else(|| ids::derived(node.id, name), |(id, _)| id),
            declaration: Some(declaration),
            parameters: &declaration.parameters,
            inside: FxHashMap::default(),
            declared: None,
        };
        let id = self.nodes.len();
        self.nodes.push(own);
        // The first of one name counts; the linker reports the others.
        self.nodes[parent].inside.entry(name).or_insert(id);
        for inner in &declaration.nested {
            self.declare(id, inner);
        }
    }

    /// What a name means that stands in a declaration.
    pub(super) fn resolve(&self, from: NodeId, path: &Path<'_>) -> Result<Meaning, Unknown> {
        let meaning = self.follow(from, path, ALIASES)?;
        Ok(match meaning {
            Meaning::Node(node, brand) => Meaning::Node(node, brand.seen_from(self.depth(from))),
            Meaning::Builtin(ty) => Meaning::Builtin(ty.seen_from(self.depth(from))),
            other => other,
        })
    }

    /// In how many declarations one stands, itself included; a method counts as its interface.
    fn depth(&self, node: NodeId) -> u32 {
        let mut depth = 0;
        let mut around = Some(node);
        while let Some(at) = around {
            depth += u32::from(self.nodes[at].declaration.is_some());
            around = self.nodes[at].parent;
        }
        depth
    }

    fn follow(&self, from: NodeId, path: &Path<'_>, aliases: u32) -> Result<Meaning, Unknown> {
        if aliases == 0 {
            return Err(Unknown {
                span: path.span,
                message: "this name stands for itself, or for a name that stands for a name, and so on".to_owned(),
                help: "write the name of the type itself",
            });
        }
        let mut meaning = match &path.start {
            Start::Scope(name) => self.in_scopes(from, name, aliases)?,
            Start::File(name) => {
                let file = self.nodes[from].file;
                self.inside(file, name, aliases)?.ok_or_else(|| unknown(name))?
            }
            Start::Import(import) => match self.inputs[self.nodes[from].file].imports.get(*import) {
                Some(Some(file)) => Meaning::Node(*file, Brand::default()),
                Some(None) | None => Meaning::Lost,
            },
        };
        for (at, step) in path.steps.iter().enumerate() {
            let is_twice = at > 0 && matches!((step, &path.steps[at - 1]), (Step::Apply(_), Step::Apply(_)));
            meaning = match (step, meaning) {
                (Step::Apply(_), Meaning::Node(..)) if is_twice => {
                    let message = "this was given types already".to_owned();
                    return Err(Unknown { span: path.span, message, help: "take one pair of brackets away" });
                }
                // The compiler looks names up there, and nothing more.
                (Step::Apply(paths), Meaning::Builtin(ty @ Type::Parameter(_))) => {
                    paths.iter().try_for_each(|path| self.follow(from, path, aliases).map(drop))?;
                    Meaning::Builtin(ty)
                }
                (_, Meaning::Lost) => Meaning::Lost,
                (Step::Member(name), Meaning::Node(node, brand)) => match self.inside(node, name, aliases)? {
                    Some(found) => within(found, &brand).ok_or_else(|| too_large(path.span))?,
                    None if self.may_be_lost(node) => Meaning::Lost,
                    None => return Err(unknown(name)),
                },
                (Step::Member(name), Meaning::Builtin(_) | Meaning::List) => return Err(unknown(name)),
                (Step::Apply(paths), Meaning::List) => Meaning::Builtin(self.list(from, paths, path.span, aliases)?),
                (Step::Apply(paths), Meaning::Node(node, brand)) => {
                    self.check_count(node, paths, path.span)?;
                    let types = paths.iter().map(|path| self.argument(from, path, aliases));
                    let types = types.collect::<Result<Vec<Type>, Unknown>>()?;
                    let brand = brand.with(Given { depth: self.depth(node) as usize, types: Some(types.into()) });
                    if brand.parts(&|_| 1) > PARTS {
                        return Err(too_large(path.span));
                    }
                    Meaning::Node(node, brand)
                }
                (Step::Apply(_), Meaning::Builtin(_)) => {
                    let message = "this type takes no parameters".to_owned();
                    return Err(Unknown { span: path.span, message, help: "take the brackets away" });
                }
            };
        }
        Ok(meaning)
    }

    /// Every type that is taken must be given, or none.
    fn check_count(&self, node: NodeId, paths: &[Path<'_>], span: Span) -> Result<(), Unknown> {
        let taken = self.nodes[node].parameters.len();
        match taken == paths.len() || self.may_be_lost(node) {
            true => Ok(()),
            false => {
                let message = format!("this takes {taken} types and is given {}", paths.len());
                Err(Unknown { span, message, help: "give it every type that it takes, or leave the brackets away" })
            }
        }
    }

    /// A type that another is given: only what is a pointer can be.
    fn argument(&self, from: NodeId, path: &Path<'_>, aliases: u32) -> Result<Type, Unknown> {
        let ty = self.type_at(from, path, aliases)?;
        let is_kind = matches!(ty, Type::Any(AnyKind::Struct | AnyKind::List | AnyKind::Capability));
        match ty.space() == Space::Pointer && !is_kind {
            true => Ok(ty),
            false => {
                let message = "only pointers stand for what a type takes".to_owned();
                Err(Unknown { span: path.span, message, help: "give it a struct, an interface, text, data or a list" })
            }
        }
    }

    fn list(&self, from: NodeId, paths: &[Path<'_>], span: Span, aliases: u32) -> Result<Type, Unknown> {
        match paths {
            [items] => match self.type_at(from, items, aliases)? {
                Type::Any(AnyKind::Pointer | AnyKind::Struct) | Type::Parameter(_) => {
                    let message = "there are no lists of pointers to anything".to_owned();
                    Err(Unknown { span: items.span, message, help: "write a list of a struct with such a field" })
                }
                ty => Ok(Type::List(Arc::new(ty))),
            },
            _ => {
                let message = "`List` takes one type".to_owned();
                Err(Unknown { span, message, help: "write `List(Type)`" })
            }
        }
    }

    /// The type that a name means.
    pub(super) fn type_of(&self, from: NodeId, path: &Path<'_>) -> Result<Type, Unknown> {
        self.type_at(from, path, ALIASES).map(|ty| ty.seen_from(self.depth(from)))
    }

    fn type_at(&self, from: NodeId, path: &Path<'_>, aliases: u32) -> Result<Type, Unknown> {
        let no_type = |help| Unknown { span: path.span, message: "this is no type".to_owned(), help };
        match self.follow(from, path, aliases)? {
            Meaning::Builtin(ty) => Ok(ty),
            Meaning::List => Err(no_type("write `List(Type)`")),
            Meaning::Lost => Ok(Type::Opaque(Arc::from(self.written(self.nodes[from].file, path.span)))),
            Meaning::Node(node, brand) => match self.nodes[node].declared {
                Some(Declared::Struct(id)) => Ok(Type::Struct(id, brand)),
                Some(Declared::Enum(id)) => Ok(Type::Enum(id)),
                Some(Declared::Interface(id)) => Ok(Type::Interface(id, brand)),
                None => Err(no_type("write the name of a struct, an enum or an interface")),
            },
        }
    }

    /// The text of a place on one line, without comments.
    pub(super) fn written(&self, file: usize, span: Span) -> String {
        let bytes = self.inputs[file].bytes.get(span.range()).unwrap_or_default();
        on_one_line(&String::from_utf8_lossy(bytes))
    }

    fn in_scopes(&self, from: NodeId, name: &Spelled<'_>, aliases: u32) -> Result<Meaning, Unknown> {
        let mut around = Some(from);
        while let Some(scope) = around {
            let of = &self.nodes[scope];
            if let Some(index) = of.parameters.iter().position(|parameter| parameter.text == name.text) {
                let level = if of.declaration.is_some() { self.depth(scope) } else { CHOSEN };
                let parameter = Parameter { name: Arc::from(&*name.text), level, index };
                return Ok(Meaning::Builtin(Type::Parameter(parameter)));
            }
            if let Some(found) = self.inside(scope, name, aliases)? {
                return Ok(found);
            }
            around = self.nodes[scope].parent;
        }
        if name.text == "List" {
            return Ok(Meaning::List);
        }
        match builtin(&name.text) {
            Some(ty) => Ok(Meaning::Builtin(ty)),
            None if self.may_be_lost(from) => Ok(Meaning::Lost),
            None => Err(unknown(name)),
        }
    }

    /// Whether a file has parts that could not be read, so that what is not found in it may be there.
    fn may_be_lost(&self, node: NodeId) -> bool {
        self.inputs[self.nodes[node].file].is_broken()
    }

    /// What a name means inside of a declaration or a file.
    fn inside(&self, scope: NodeId, name: &Spelled<'_>, aliases: u32) -> Result<Option<Meaning>, Unknown> {
        let Some(found) = self.nodes[scope].inside.get(&*name.text).copied() else { return Ok(None) };
        match self.nodes[found].declaration.map(|declaration| &declaration.kind) {
            Some(Kind::Using(target)) => self.follow(scope, target, aliases - 1).map(Some),
            _ => Ok(Some(Meaning::Node(found, Brand::inherited(&self.around(scope))))),
        }
    }

    /// How many types each declaration takes that something stands in, the outermost first, and then itself. A method counts
    /// as its interface.
    pub(super) fn around(&self, node: NodeId) -> Vec<usize> {
        let around = std::iter::successors(Some(node), |at| self.nodes[*at].parent);
        let declared = around.filter(|at| self.nodes[*at].declaration.is_some());
        let mut counts: Vec<usize> = declared.map(|at| self.nodes[at].parameters.len()).collect();
        counts.reverse();
        counts
    }
}

/// What a name means that was found inside of a declaration with a brand; nothing where that is too large.
fn within(meaning: Meaning, around: &Brand) -> Option<Meaning> {
    let parts = |of: &Parameter| {
        let given = around.at(of.level as usize).and_then(|given| given.types.as_ref());
        given.and_then(|types| types.get(of.index)).map_or(1, |ty| ty.parts(&|_| 1))
    };
    let inherited = around.parts(&|_| 1);
    match meaning {
        Meaning::Node(node, brand) => {
            let size = brand.parts(&parts).saturating_add(inherited);
            (size <= PARTS).then(|| Meaning::Node(node, brand.within(around)))
        }
        Meaning::Builtin(ty) => (ty.parts(&parts) <= PARTS).then(|| Meaning::Builtin(ty.within(around))),
        other => Some(other),
    }
}

fn too_large(span: Span) -> Unknown {
    let message = format!("this type is made of more than {PARTS} others");
    Unknown { span, message, help: "write structs instead of other names" }
}

fn unknown(name: &Spelled<'_>) -> Unknown {
    Unknown {
        span: name.span,
        message: format!("`{}` is not defined", name.text),
        help: "define it, or import the file that does",
    }
}

/// A text on one line, without comments; what stands in quotes is as it is.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let (mut is_quoted, mut is_escaped, mut is_comment, mut is_apart) = (false, false, false, false);
    for letter in text.chars() {
        match letter {
            '\n' if is_comment => is_comment = false,
            _ if is_comment => {}
            letter if is_quoted => {
                line.push(letter);
                is_quoted = is_escaped || letter != '"';
                is_escaped = letter == '\\' && !is_escaped;
            }
            '#' => (is_comment, is_apart) = (true, true),
            letter if letter.is_whitespace() => is_apart = true,
            letter => {
                if std::mem::take(&mut is_apart) && !line.is_empty() {
                    line.push(' ');
                }
                line.push(letter);
                is_quoted = letter == '"';
            }
        }
    }
    line
}

/// The name of a file without its ending.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or(name, |(name, _)| name)
}

fn builtin(name: &str) -> Option<Type> {
    Some(match name {
        "Void" => Type::Void,
        "Bool" => Type::Bool,
        "Int8" => Type::Int(3, true),
        "Int16" => Type::Int(4, true),
        "Int32" => Type::Int(5, true),
        "Int64" => Type::Int(6, true),
        "UInt8" => Type::Int(3, false),
        "UInt16" => Type::Int(4, false),
        "UInt32" => Type::Int(5, false),
        "UInt64" => Type::Int(6, false),
        "Float32" => Type::Float32,
        "Float64" => Type::Float64,
        "Text" => Type::Text,
        "Data" => Type::Data,
        "AnyPointer" => Type::Any(AnyKind::Pointer),
        "AnyStruct" => Type::Any(AnyKind::Struct),
        "AnyList" => Type::Any(AnyKind::List),
        "Capability" => Type::Any(AnyKind::Capability),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::on_one_line;

    #[test]
    fn what_stands_in_quotes_is_as_it_is() {
        for (text, line) in [
            ("Text  =\n  \"x#1\"", "Text = \"x#1\""),
            (" (a = \"b  c\", # said here\n d = 1) # and there", "(a = \"b  c\", d = 1)"),
            ("\"a\\\"#\"#b\n\"c\"", "\"a\\\"#\" \"c\""),
        ] {
            assert_eq!(on_one_line(text), line);
        }
    }
}
