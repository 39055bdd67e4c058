//! Rules about files that both sides have under one path, and files that are gone.

use crate::change::{Pair, Span};

use super::super::ast::OptionNode;
use super::super::model::{Edition, File, FileId};
use super::{Checker, Subject, WHOLE_FILE, options, quoted};

/// Rule, option and the value that an absent option has.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("FILE_SAME_CC_ENABLE_ARENAS", "cc_enable_arenas", "true"),
    ("FILE_SAME_CC_GENERIC_SERVICES", "cc_generic_services", "false"),
    ("FILE_SAME_CSHARP_NAMESPACE", "csharp_namespace", ""),
    ("FILE_SAME_GO_PACKAGE", "go_package", ""),
    ("FILE_SAME_JAVA_GENERIC_SERVICES", "java_generic_services", "false"),
    ("FILE_SAME_JAVA_MULTIPLE_FILES", "java_multiple_files", "false"),
    ("FILE_SAME_JAVA_OUTER_CLASSNAME", "java_outer_classname", ""),
    ("FILE_SAME_JAVA_PACKAGE", "java_package", ""),
    ("FILE_SAME_OBJC_CLASS_PREFIX", "objc_class_prefix", ""),
    ("FILE_SAME_OPTIMIZE_FOR", "optimize_for", "SPEED"),
    ("FILE_SAME_PHP_CLASS_PREFIX", "php_class_prefix", ""),
    ("FILE_SAME_PHP_METADATA_NAMESPACE", "php_metadata_namespace", ""),
    ("FILE_SAME_PHP_NAMESPACE", "php_namespace", ""),
    ("FILE_SAME_PY_GENERIC_SERVICES", "py_generic_services", "false"),
    ("FILE_SAME_RUBY_PACKAGE", "ruby_package", ""),
    ("FILE_SAME_SWIFT_PREFIX", "swift_prefix", ""),
];

/// A value of a file and where it stands, if it does.
type Stated = (String, Option<Span>);

impl<'a> Checker<'_, '_, 'a> {
    /// Files by path: gone ones, and what differs of the others.
    pub(super) fn files(&mut self) {
        for (path, old) in &self.images.old.files {
            match self.images.new.files.get(path) {
                Some(new) => self.file(Pair::new(*old, *new)),
                None => {
                    let at = Pair::new(self.old_site(*old, WHOLE_FILE), None);
                    let message = format!("Previously present file {} was deleted.", quoted(path));
                    let path = self.images.old.schema.file(*old).path.to_string();
                    self.report("FILE_NO_DELETE", at, Subject::File(path), message);
                }
            }
        }
    }

    fn file(&mut self, ids: Pair<FileId>) {
        let files = Pair::new(self.images.old.schema.file(ids.old), self.images.new.schema.file(ids.new));
        if std::ptr::eq(files.old.ast, files.new.ast) {
            return;
        }
        for (rule, option, default) in OPTIONS {
            let stated = |file: &File<'a>| -> Stated {
                let options: &[OptionNode<'_>] = &file.ast.options;
                (options::text_or(options, option, default), options::span(options, option))
            };
            self.same(rule, &format!("option {}", quoted(option)), ids, files.map(stated));
        }
        let syntax = |file: &File<'_>| -> Stated {
            (syntax(file.edition).to_owned(), file.ast.syntax.as_ref().map(|statement| statement.span))
        };
        self.same("FILE_SAME_SYNTAX", "syntax", ids, files.map(syntax));
        let package = |file: &File<'_>| -> Stated {
            (file.package.to_string(), file.ast.package.is_some().then_some(file.ast.package_span))
        };
        self.same("FILE_SAME_PACKAGE", "package", ids, files.map(package));
    }

    fn same(&mut self, rule: &'static str, what: &str, ids: Pair<FileId>, stated: Pair<Stated>) {
        let Pair { old: (before, was), new: (after, is) } = stated;
        if before == after {
            return;
        }
        let at = Pair::new(
            self.old_site(ids.old, was.unwrap_or(WHOLE_FILE)),
            self.new_site(ids.new, is.unwrap_or(WHOLE_FILE)),
        );
        let message = format!("File {what} changed from {} to {}.", quoted(&before), quoted(&after));
        let path = self.images.new.schema.file(ids.new).path.to_string();
        self.report(rule, at, Subject::File(path), message);
    }
}

fn syntax(edition: Edition) -> &'static str {
    match edition {
        Edition::Proto2 => "proto2",
        Edition::Proto3 => "proto3",
        Edition::E2023 | Edition::E2024 | Edition::E2026 => "editions",
    }
}
