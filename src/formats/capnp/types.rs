//! Types, and what stands for the type parameters of a declaration where it is used.

use std::sync::Arc;

/// The number of something in an arena.
pub(crate) fn number(length: usize) -> u32 {
    u32::try_from(length).expect("files are at most 4 GiB in all, and every element takes more than a byte")
}

/// A struct of a [`Schema`](super::model::Schema).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructId(pub u32);

/// An enum of a [`Schema`](super::model::Schema).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub u32);

/// An interface of a [`Schema`](super::model::Schema).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId(pub u32);

/// Which pointers are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AnyKind {
    /// `AnyPointer`
    Pointer,
    /// `AnyStruct`
    Struct,
    /// `AnyList`
    List,
    /// `Capability`
    Capability,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// `Void`
    Void,
    /// `Bool`
    Bool,
    /// Integers: the binary logarithm of their bits, and whether they have a sign.
    Int(u32, bool),
    /// `Float32`
    Float32,
    /// `Float64`
    Float64,
    /// `Text`
    Text,
    /// `Data`
    Data,
    /// `List(…)`
    List(Arc<Type>),
    /// An enum.
    Enum(EnumId),
    /// A struct, with what its type parameters stand for.
    Struct(StructId, Brand),
    /// An interface, with what its type parameters stand for.
    Interface(InterfaceId, Brand),
    /// A pointer to something.
    Any(AnyKind),
    /// A type parameter; in data a pointer to something.
    Parameter(Parameter),
    /// A type that nothing is known of, by its name as written.
    Opaque(Arc<str>),
}

/// A type that a declaration takes, as it is seen from where it is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Parameter {
    /// What it is called there.
    pub name: Arc<str>,
    /// How many declarations further out it is taken; [`CHOSEN`] for one that the callers of a method choose.
    pub level: u32,
    /// How many are taken there before it.
    pub index: usize,
}

/// The level of what the callers of a method choose.
pub(crate) const CHOSEN: u32 = u32::MAX;

impl Parameter {
    /// Whether it goes on as another: at the same place, or under the same name at another one, which is told where it is
    /// declared. What callers choose anew for each call is nothing that anybody holds.
    pub(crate) fn goes_on_as(&self, other: &Parameter) -> bool {
        let is_same = self.index == other.index || self.name == other.name;
        self.level == other.level && (is_same || self.level == CHOSEN)
    }
}

impl Type {
    /// How much space a value takes in a struct: `None` for nothing, else the size of data, or a pointer.
    pub(crate) const fn space(&self) -> Space {
        match self {
            Type::Void => Space::Nothing,
            Type::Bool => Space::Data(0),
            Type::Int(size, _) => Space::Data(*size),
            Type::Enum(_) => Space::Data(4),
            Type::Float32 => Space::Data(5),
            Type::Float64 => Space::Data(6),
            Type::Text
            | Type::Data
            | Type::List(_)
            | Type::Struct(..)
            | Type::Interface(..)
            | Type::Any(_)
            | Type::Parameter(_)
            | Type::Opaque(_) => Space::Pointer,
        }
    }
}

/// What a value takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// Nothing.
    Nothing,
    /// So many bits of data, by the binary logarithm.
    Data(u32),
    /// A pointer.
    Pointer,
}

/// What stands for the parameters of a declaration and of those around it, the outermost first. Of a declaration that is not
/// in it nothing is given: each of its parameters stands for a pointer to anything
/// (<https://capnproto.org/language.html#generic-types>).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Brand(Arc<[Given]>);

/// What stands for the parameters of one declaration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Given {
    /// In how many declarations one stands that is inside of it; 1 for one of a file.
    pub depth: usize,
    /// Each by itself; nothing where they are what they are where the name is used, inside of that declaration.
    pub types: Option<Arc<[Type]>>,
}

pub(crate) const ANYTHING: Type = Type::Any(AnyKind::Pointer);

impl Brand {
    /// Inside of declarations that take so many types each, the outermost first: each parameter stands for itself.
    pub(crate) fn inherited(around: &[usize]) -> Self {
        let taken = around.iter().zip(1..).filter(|(count, _)| **count > 0);
        Brand(taken.map(|(_, depth)| Given { depth, types: None }).collect())
    }

    /// What is given for the parameters of the declaration at a depth.
    pub(crate) fn at(&self, depth: usize) -> Option<&Given> {
        self.0.iter().find(|given| given.depth == depth)
    }

    /// All types that are given, the outermost first.
    pub(crate) fn types(&self) -> impl Iterator<Item = &Type> {
        self.0.iter().filter_map(|given| given.types.as_deref()).flatten()
    }

    /// Whether it depends on what stands for the parameters where the name is used.
    pub(crate) fn depends(&self) -> bool {
        self.0.iter().any(|given| given.types.is_none()) || self.types().any(Type::depends)
    }

    /// Whether the callers of a method choose any of it.
    pub(crate) fn is_chosen(&self) -> bool {
        self.types().any(Type::is_chosen)
    }

    /// The same with one declaration more, inside of those that are in it.
    pub(crate) fn with(&self, given: Given) -> Self {
        Brand(self.0.iter().cloned().chain([given]).collect())
    }

    /// The same with every type seen from that depth.
    pub(super) fn seen_from(&self, depth: u32) -> Self {
        let one = |given: &Given| Given {
            depth: given.depth,
            types: given.types.as_ref().map(|types| types.iter().map(|ty| ty.seen_from(depth)).collect()),
        };
        Brand(self.0.iter().map(one).collect())
    }

    /// How many types they are in all, with so many for each parameter.
    pub(super) fn parts(&self, of_parameter: &dyn Fn(&Parameter) -> usize) -> usize {
        self.types().fold(0, |sum, ty| ty.parts(of_parameter).saturating_add(sum))
    }

    /// What this is where the declarations around have another one, whose depths parameters name.
    pub(crate) fn within(&self, around: &Brand) -> Self {
        let one = |given: &Given| match &given.types {
            None => around.at(given.depth).cloned(),
            Some(types) => {
                let types = types.iter().map(|ty| ty.within(around)).collect();
                Some(Given { depth: given.depth, types: Some(types) })
            }
        };
        Brand(self.0.iter().filter_map(one).collect())
    }
}

impl Type {
    /// Whether it depends on what stands for the parameters of a declaration around.
    pub(crate) fn depends(&self) -> bool {
        match self {
            Type::Parameter(of) => of.level != CHOSEN,
            Type::List(items) => items.depends(),
            Type::Struct(_, brand) | Type::Interface(_, brand) => brand.depends(),
            _ => false,
        }
    }

    /// Whether the callers of a method choose anything in it.
    fn is_chosen(&self) -> bool {
        match self {
            Type::Parameter(of) => of.level == CHOSEN,
            Type::List(items) => items.is_chosen(),
            Type::Struct(_, brand) | Type::Interface(_, brand) => brand.is_chosen(),
            _ => false,
        }
    }

    /// The parameters of declarations around that it names.
    pub(super) fn parameters(&self) -> Vec<&Parameter> {
        match self {
            Type::Parameter(of) if of.level != CHOSEN => vec![of],
            Type::List(items) => items.parameters(),
            Type::Struct(_, brand) | Type::Interface(_, brand) => brand.types().flat_map(Type::parameters).collect(),
            _ => Vec::new(),
        }
    }

    /// What a type is where the declarations around have a brand. The levels of its parameters are depths.
    pub(super) fn within(&self, around: &Brand) -> Type {
        match self {
            Type::Parameter(of) if of.level != CHOSEN => match around.at(of.level as usize) {
                Some(Given { types: Some(types), .. }) => types.get(of.index).cloned().unwrap_or(ANYTHING),
                Some(Given { types: None, .. }) => self.clone(),
                None => ANYTHING,
            },
            Type::List(items) => Type::List(Arc::new(items.within(around))),
            Type::Struct(id, brand) => Type::Struct(*id, brand.within(around)),
            Type::Interface(id, brand) => Type::Interface(*id, brand.within(around)),
            other => other.clone(),
        }
    }

    /// A type, seen from that depth: parameters by how much further out they are taken. The other way round as well.
    pub(super) fn seen_from(&self, depth: u32) -> Type {
        match self {
            Type::Parameter(of) if of.level != CHOSEN => {
                Type::Parameter(Parameter { level: depth.saturating_sub(of.level), ..of.clone() })
            }
            Type::List(items) => Type::List(Arc::new(items.seen_from(depth))),
            Type::Struct(id, brand) => Type::Struct(*id, brand.seen_from(depth)),
            Type::Interface(id, brand) => Type::Interface(*id, brand.seen_from(depth)),
            other => other.clone(),
        }
    }

    /// How many types one is made of, with so many for each parameter.
    pub(super) fn parts(&self, of_parameter: &dyn Fn(&Parameter) -> usize) -> usize {
        match self {
            Type::Parameter(of) => of_parameter(of),
            Type::List(items) => items.parts(of_parameter).saturating_add(1),
            Type::Struct(_, given) | Type::Interface(_, given) => given.parts(of_parameter).saturating_add(1),
            _ => 1,
        }
    }
}
