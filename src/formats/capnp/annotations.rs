//! What the compiler refuses of annotations: names that are none, places where they must not stand, values of other types.

use rustc_hash::FxHashSet;

use super::ast::{Annotation, Declaration, Kind, Member, MemberKind, Path, Signature};
use super::link::Linker;
use super::link_values::{DEPTH, Wrong};
use super::model::Type;
use super::scopes::{Meaning, NodeId};

impl<'t> Linker<'t, '_> {
    /// Looks at every annotation of every file.
    pub(super) fn check_annotations(&mut self) {
        for file in 0..self.inputs.len() {
            if !self.inputs[file].is_library {
                // Files come first among the nodes.
                self.annotated(file, &self.inputs[file].tree.annotations, "file");
            }
        }
        for node in 0..self.scopes.nodes.len() {
            let of = &self.scopes.nodes[node];
            let Some(declaration) = of.declaration else { continue };
            if !self.inputs[of.file].is_library {
                self.of_declaration(node, declaration);
            }
        }
    }

    fn of_declaration(&mut self, node: NodeId, of: &'t Declaration<'t>) {
        let target = match &of.kind {
            Kind::Struct(members) => {
                self.of_members(node, members);
                "struct"
            }
            Kind::Enum(values) => {
                values.iter().for_each(|value| self.annotated(node, &value.annotations, "enumerant"));
                "enum"
            }
            Kind::Interface(_, methods) => {
                for method in methods {
                    self.annotated(node, &method.annotations, "method");
                    for signature in [&method.parameters, &method.results] {
                        if let Signature::Fields(fields) = signature {
                            fields.iter().for_each(|field| self.annotated(node, &field.annotations, "param"));
                        }
                    }
                }
                "interface"
            }
            Kind::Constant(..) => "const",
            Kind::Annotation(..) => {
                self.check_circle(node, of);
                "annotation"
            }
            Kind::Using(_) => return,
        };
        // What stands in a declaration is known at it as well.
        self.annotated(node, &of.annotations, target);
    }

    /// An annotation must not stand at itself, nor at one that stands at it.
    fn check_circle(&mut self, node: NodeId, of: &Declaration<'_>) {
        let (mut queue, mut seen) = (vec![node], FxHashSet::default());
        while let Some(at) = queue.pop() {
            let Some(declaration) = self.scopes.nodes[at].declaration else { continue };
            for one in &declaration.annotations {
                let Ok(Meaning::Node(meant, _)) = self.scopes.resolve(at, &one.name) else { continue };
                if meant == node {
                    let help = "take it away from one of them";
                    let message = format_args!("the annotation `{}` stands at itself", of.name.text);
                    return self.logs[self.scopes.nodes[node].file].refuse(of.name.span, message, help);
                }
                if seen.insert(meant) {
                    queue.push(meant);
                }
            }
        }
    }

    /// How deep members nest, the parser has limited.
    fn of_members(&mut self, node: NodeId, members: &'t [Member<'t>]) {
        for member in members {
            let (target, inner) = match &member.kind {
                MemberKind::Field(..) => ("field", &[][..]),
                MemberKind::Group(inner) => ("group", &inner[..]),
                MemberKind::Union(inner) => ("union", &inner[..]),
            };
            self.annotated(node, &member.annotations, target);
            self.of_members(node, inner);
        }
    }

    /// Annotations at something that stands in a node.
    fn annotated(&mut self, node: NodeId, all: &'t [Annotation<'t>], target: &str) {
        let file = self.scopes.nodes[node].file;
        for one in all {
            match self.scopes.resolve(node, &one.name) {
                Err(unknown) => self.logs[file].refuse(unknown.span, format_args!("{}", unknown.message), unknown.help),
                Ok(Meaning::Lost) => {}
                Ok(Meaning::Node(meant, _)) => match self.scopes.nodes[meant].declaration.map(|of| &of.kind) {
                    Some(Kind::Annotation(ty, targets)) => {
                        if targets.as_ref().is_some_and(|all| all.iter().all(|known| known.text != target)) {
                            let message = format_args!("this annotation may not stand at a {target}");
                            self.logs[file].refuse(one.span, message, "take it away");
                        }
                        self.annotation_value((node, meant), ty, one);
                    }
                    _ => self.no_annotation(file, one),
                },
                Ok(Meaning::Builtin(_) | Meaning::List) => self.no_annotation(file, one),
            }
        }
    }

    fn no_annotation(&mut self, file: usize, one: &Annotation<'_>) {
        let help = "declare it with `annotation`";
        self.logs[file].refuse(one.name.span, format_args!("this is no annotation"), help);
    }

    fn annotation_value(&mut self, (node, meant): (NodeId, NodeId), ty: &Path<'_>, one: &Annotation<'_>) {
        // What is wrong with the declaration is said there.
        let Ok(ty) = self.scopes.type_of(meant, ty) else { return };
        let file = self.scopes.nodes[node].file;
        let mut parts = 0;
        let is_wrong = match &one.value {
            None => ty != Type::Void,
            Some(value) => matches!(self.value(&ty, value, node, (DEPTH, &mut parts)), Err(Wrong::Refused)),
        };
        if is_wrong {
            let name = self.schema.spelled(&ty);
            let message = format_args!("the value of this annotation is no `{name}`");
            self.logs[file].refuse(one.span, message, "write a value of that type in brackets");
        }
    }
}
