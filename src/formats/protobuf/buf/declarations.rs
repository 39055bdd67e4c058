//! Rules about declarations that are gone from a file that is still there.
//!
//! buf finds them by the path of the file and the name without its package, so a declaration that moved to another file
//! is gone.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Pair, Site, Span};

use super::super::model::FileId;
use super::image::{Body, Image, MessageView};
use super::{Checker, Subject, WHOLE_FILE, quoted};

/// The declarations of one sort in one file: name without package, where, what they are about.
type Declarations<'s> = Vec<Declaration<'s>>;

/// A declaration.
#[derive(Clone)]
pub(super) struct Declaration<'s> {
    /// The name without its package.
    pub nested: std::borrow::Cow<'s, str>,
    pub span: Span,
    pub subject: Subject,
}

/// One sort of declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Sort {
    Enum,
    Extension,
    Message,
    Service,
}

impl Sort {
    pub(super) const ALL: [Sort; 4] = [Sort::Enum, Sort::Extension, Sort::Message, Sort::Service];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Sort::Enum => "enum",
            Sort::Extension => "extension",
            Sort::Message => "message",
            Sort::Service => "service",
        }
    }

    const fn rule(self) -> &'static str {
        match self {
            Sort::Enum => "ENUM_NO_DELETE",
            Sort::Extension => "EXTENSION_NO_DELETE",
            Sort::Message => "MESSAGE_NO_DELETE",
            Sort::Service => "SERVICE_NO_DELETE",
        }
    }
}

/// What each file declares.
pub(super) type ByFile<'s> = FxHashMap<FileId, Declarations<'s>>;

/// The declarations of one sort in some files.
pub(super) fn declared<'s>(image: &Image<'s, '_>, sort: Sort, files: &FxHashSet<FileId>) -> ByFile<'s> {
    let mut found = ByFile::default();
    let mut add = |file: FileId, full_name: &'s str, span: Span| {
        if files.contains(&file) {
            let nested = image.nested(file, full_name).into();
            let subject = Subject::Declared(full_name.to_owned());
            found.entry(file).or_default().push(Declaration { nested, span, subject });
        }
    };
    match sort {
        Sort::Enum => image.schema.enums.iter().for_each(|one| add(one.file, &one.full_name, one.ast.span)),
        Sort::Extension => image.schema.extensions.iter().for_each(|one| add(one.file, &one.name, one.ast.span)),
        Sort::Service => image.schema.services.iter().for_each(|one| add(one.file, &one.full_name, one.ast.span)),
        Sort::Message => {
            for message in image.messages.iter().filter(|message| files.contains(&message.file)) {
                let nested = image.nested(message.file, &message.full_name).to_owned().into();
                let declaration = Declaration { nested, span: message.span(), subject: subject(message) };
                found.entry(message.file).or_default().push(declaration);
            }
        }
    }
    found
}

fn subject(message: &MessageView<'_, '_>) -> Subject {
    match message.body {
        Body::Declared(_) => Subject::Declared(message.full_name.to_string()),
        Body::Entries(of, field) => {
            Subject::Entries { message: of.full_name.to_string(), field: field.name.to_string() }
        }
    }
}

impl<'s> Checker<'_, 's, '_> {
    /// What a file declared and no longer does.
    pub(super) fn declarations(&mut self) {
        let differing: Vec<Pair<FileId>> = self
            .images
            .old
            .files
            .iter()
            .filter_map(|(path, old)| {
                let new = *self.images.new.files.get(path)?;
                (!self.is_same_file(Pair::new(*old, new))).then_some(Pair::new(*old, new))
            })
            .collect();
        let wanted = Pair::new(
            differing.iter().map(|files| files.old).collect::<FxHashSet<_>>(),
            differing.iter().map(|files| files.new).collect::<FxHashSet<_>>(),
        );
        for sort in Sort::ALL.into_iter().filter(|_| !differing.is_empty()) {
            let old = declared(self.images.old, sort, &wanted.old);
            let new = declared(self.images.new, sort, &wanted.new);
            for files in &differing {
                self.gone_from_file(sort, *files, Pair::new(&old, &new));
            }
        }
    }

    /// Whether two files have the same content.
    pub(super) fn is_same_file(&self, files: Pair<FileId>) -> bool {
        std::ptr::eq(self.images.old.schema.file(files.old).ast, self.images.new.schema.file(files.new).ast)
    }

    fn gone_from_file(&mut self, sort: Sort, files: Pair<FileId>, sides: Pair<&ByFile<'s>>) {
        let of = |side: &'_ ByFile<'s>, file: FileId| side.get(&file).cloned().unwrap_or_default();
        let news: FxHashSet<String> = of(sides.new, files.new).into_iter().map(|one| one.nested.into_owned()).collect();
        for gone in of(sides.old, files.old).into_iter().filter(|one| !news.contains(&*one.nested)) {
            let place = match sort {
                Sort::Service => self.images.new.site(files.new, WHOLE_FILE),
                Sort::Enum | Sort::Extension | Sort::Message => self.survivor(files.new, &gone.nested),
            };
            let message = format!("Previously present {} {} was deleted from file.", sort.word(), quoted(&gone.nested));
            let at = Pair::new(self.old_site(files.old, gone.span), Some(place));
            self.report(sort.rule(), at, gone.subject, message);
        }
    }

    /// The innermost message around a name that the file still has, else the file.
    pub(super) fn survivor(&self, file: FileId, nested: &str) -> Site {
        let image = self.images.new;
        let package = &*image.schema.file(file).package;
        let mut outer = nested;
        while let Some((parent, _)) = outer.rsplit_once('.') {
            let full_name = if package.is_empty() { parent.to_owned() } else { format!("{package}.{parent}") };
            if let Some(message) = image.message(&full_name).filter(|message| message.file == file) {
                return image.site(file, message.span());
            }
            outer = parent;
        }
        image.site(file, WHOLE_FILE)
    }
}
