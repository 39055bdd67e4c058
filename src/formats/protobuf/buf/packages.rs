//! Rules about declarations that are gone from a package, and packages that are gone.

use rustc_hash::FxHashSet;

use crate::change::{Pair, Site};
use crate::ordered::OrderedMap;

use super::super::model::FileId;
use super::declarations::{ByFile, Declaration, Sort, declared};
use super::image::Image;
use super::{Checker, Subject, WHOLE_FILE, quoted};

const fn rule(sort: Sort) -> &'static str {
    match sort {
        Sort::Enum => "PACKAGE_ENUM_NO_DELETE",
        Sort::Extension => "PACKAGE_EXTENSION_NO_DELETE",
        Sort::Message => "PACKAGE_MESSAGE_NO_DELETE",
        Sort::Service => "PACKAGE_SERVICE_NO_DELETE",
    }
}

impl<'s> Checker<'_, 's, '_> {
    /// Packages that no file is in any more, and what the others no longer declare.
    pub(super) fn packages(&mut self) {
        let packages = Pair::new(first_files(self.images.old), first_files(self.images.new));
        for (package, file) in &packages.old {
            if !packages.new.contains_key(package) {
                let message = format!("Previously present package {} was deleted.", quoted(package));
                let at = Pair::new(self.old_site(*file, WHOLE_FILE), None);
                self.report("PACKAGE_NO_DELETE", at, Subject::Package((*package).to_owned()), message);
            }
        }
        // What stands in a file that is as it was is not gone.
        let differs = |(path, old): (&&str, &FileId)| match self.images.new.files.get(*path) {
            Some(new) if self.is_same_file(Pair::new(*old, *new)) => None,
            _ => Some(*old),
        };
        let files: FxHashSet<FileId> = self.images.old.files.iter().filter_map(differs).collect();
        for sort in Sort::ALL.into_iter().filter(|_| !files.is_empty()) {
            let holding = holding(self.images.new, sort);
            for (file, declarations) in in_order(declared(self.images.old, sort, &files)) {
                let package = &*self.images.old.schema.file(file).package;
                // A package that has lost its last enum is not looked at, one that has lost its last service is.
                let is_seen =
                    if sort == Sort::Service { packages.new.contains_key(package) } else { holding.contains(package) };
                for gone in declarations.into_iter().filter(|_| is_seen) {
                    if !self.is_in_package(sort, package, &gone.nested) {
                        self.gone_from_package(sort, (file, package), gone);
                    }
                }
            }
        }
    }

    fn is_in_package(&self, sort: Sort, package: &str, nested: &str) -> bool {
        let image = self.images.new;
        let full_name = full_name(package, nested);
        let file = match sort {
            Sort::Enum => image.enums.get(&*full_name).map(|all| all[0].file),
            Sort::Extension => image.extensions_by_name.get(&*full_name).map(|one| one.file),
            Sort::Message => image.message(&full_name).map(|one| one.file),
            Sort::Service => image.services.get(&*full_name).map(|all| all[0].file),
        };
        file.is_some_and(|file| image.schema.file(file).package == package)
    }

    fn gone_from_package(&mut self, sort: Sort, (file, package): (FileId, &str), gone: Declaration<'_>) {
        let Declaration { span, subject, nested } = gone;
        let path = &*self.images.old.schema.file(file).path;
        let now = self.images.new.files.get(path).copied();
        let new = now.map(|now| match sort {
            Sort::Service => self.images.new.site(now, WHOLE_FILE),
            Sort::Enum | Sort::Extension => self.survivor(now, &nested),
            Sort::Message => self.survivor_in_package(now, package, &nested),
        });
        let (gone, from) = (quoted(&nested), quoted(package));
        let message = format!("Previously present {} {gone} was deleted from package {from}.", sort.word());
        self.report(rule(sort), Pair::new(self.old_site(file, span), new), subject, message);
    }

    /// The innermost message around a name that the package still has, wherever it stands.
    fn survivor_in_package(&self, file: FileId, package: &str, nested: &str) -> Site {
        let image = self.images.new;
        let mut outer = nested;
        while let Some((parent, _)) = outer.rsplit_once('.') {
            if let Some(message) = image.message(&full_name(package, parent)) {
                return image.site(message.file, message.span());
            }
            outer = parent;
        }
        image.site(file, WHOLE_FILE)
    }
}

/// Every package with the first of its files.
fn first_files<'s>(image: &Image<'s, '_>) -> OrderedMap<&'s str, FileId> {
    let mut packages = OrderedMap::new();
    for file in image.files.values() {
        packages.entry(&*image.schema.file(*file).package).or_insert(*file);
    }
    packages
}

/// The packages that have a declaration of that sort.
fn holding<'s>(image: &Image<'s, '_>, sort: Sort) -> FxHashSet<&'s str> {
    let package = |file: FileId| &*image.schema.file(file).package;
    match sort {
        Sort::Enum => image.enums.values().flatten().map(|one| package(one.file)).collect(),
        Sort::Extension => image.extensions_by_name.values().map(|one| package(one.file)).collect(),
        Sort::Message => image.messages.iter().map(|one| package(one.file)).collect(),
        Sort::Service => image.services.values().flatten().map(|one| package(one.file)).collect(),
    }
}

fn in_order(declared: ByFile<'_>) -> OrderedMap<FileId, Vec<Declaration<'_>>> {
    declared.into_iter().collect()
}

fn full_name(package: &str, nested: &str) -> String {
    if package.is_empty() { nested.to_owned() } else { format!("{package}.{nested}") }
}
