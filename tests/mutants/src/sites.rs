//! Where mutants stand: conditions, their parts, comparisons, arms and their alternatives, results, statements.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, BinOp, Block, Expr, ImplItemFn, ItemConst, ItemFn, ItemMod, ItemStatic, Pat, ReturnType, Stmt, Type};

use crate::plant::Planted;

/// Plants all mutants of a file.
pub fn of(file: &syn::File, planted: &mut Planted<'_>) {
    Sites { planted }.visit_file(file);
}

struct Sites<'p, 'a> {
    planted: &'p mut Planted<'a>,
}

fn range(spanned: &impl Spanned) -> Range<usize> {
    spanned.span().byte_range()
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

fn catches_all(arm: &Arm) -> bool {
    fn all(pat: &Pat) -> bool {
        match pat {
            Pat::Wild(_) => true,
            Pat::Ident(ident) => {
                ident.subpat.is_none() && ident.ident.to_string().starts_with(|c: char| c.is_lowercase())
            }
            Pat::Tuple(tuple) => tuple.elems.iter().all(all),
            Pat::Reference(reference) => all(&reference.pat),
            _ => false,
        }
    }
    arm.guard.is_none() && all(&arm.pat)
}

/// Methods that ask a closure for a yes or a no.
const ASKING: &[&str] = &[
    "filter",
    "any",
    "all",
    "take_while",
    "skip_while",
    "position",
    "find",
    "is_some_and",
    "is_none_or",
    "retain",
    "is_ok_and",
    "partition",
    "rposition",
    "map_or",
    "then",
];

impl Sites<'_, '_> {
    /// A condition that is true, and one that is false.
    fn both(&mut self, place: Range<usize>) {
        let shown = self.planted.source(&place);
        let never = self.planted.mutant(place.start, format!("`{shown}` is false"));
        let always = self.planted.mutant(place.start, format!("`{shown}` is true"));
        let mut before = String::new();
        let mut after = String::new();
        if let Some(on) = never {
            before += &format!("(!{on} && ");
            after.insert(0, ')');
        }
        if let Some(on) = always {
            before += &format!("({on} || ");
            after.insert(0, ')');
        }
        self.planted.wrap(&place, before + "(", format!("){after}"));
    }

    /// A condition that is turned around.
    fn turned(&mut self, place: Range<usize>) {
        let shown = self.planted.source(&place);
        if let Some(on) = self.planted.mutant(place.start, format!("`{shown}` is turned around")) {
            self.planted.wrap(&place, format!("({on} != ("), "))".to_owned());
        }
    }

    /// The operands of `&&` or `||`, each left away.
    fn operands(&mut self, expr: &Expr) {
        let Expr::Binary(binary) = expr else { return };
        let (word, is_and) = match binary.op {
            BinOp::And(_) => ("&&", true),
            BinOp::Or(_) => ("||", false),
            _ => return,
        };
        for side in [&*binary.left, &*binary.right] {
            let goes_on = matches!(side, Expr::Binary(inner)
                if matches!((&inner.op, is_and), (BinOp::And(_), true) | (BinOp::Or(_), false)));
            if goes_on || has_let(side) {
                continue;
            }
            let place = range(side);
            let shown = self.planted.source(&place);
            if let Some(on) = self.planted.mutant(place.start, format!("`{shown}` of {word} is left away")) {
                let before = if is_and { format!("({on} || (") } else { format!("(!{on} && (") };
                self.planted.wrap(&place, before, "))".to_owned());
            }
        }
    }

    fn comparison(&mut self, binary: &syn::ExprBinary) {
        let other = match binary.op {
            BinOp::Lt(_) => "<=",
            BinOp::Le(_) => "<",
            BinOp::Gt(_) => ">=",
            BinOp::Ge(_) => ">",
            BinOp::Add(_) => "-",
            BinOp::Sub(_) => "+",
            _ => return,
        };
        let place = range(binary);
        let (left, right) = (range(&binary.left), range(&binary.right));
        let (left, right) = (self.planted.source(&left), self.planted.source(&right));
        let shown = self.planted.source(&place);
        if let Some(on) = self.planted.mutant(place.start, format!("`{shown}` with {other}")) {
            self.planted.wrap(&place, format!("(if {on} {{ {left} {other} {right} }} else {{ "), " })".to_owned());
        }
    }

    /// A condition of `if` or a guard: as a whole, or what stands in it beside a `let`.
    fn condition(&mut self, expr: &Expr) {
        if !has_let(expr) {
            self.both(range(expr));
        }
    }

    fn result(&mut self, output: &ReturnType, block: &Block, name: &str) {
        let at = range(block).start + 1;
        let mut results: Vec<&str> = Vec::new();
        match output {
            ReturnType::Default => results.push("()"),
            ReturnType::Type(_, returned) => match &**returned {
                Type::Path(path) => match path.path.segments.last().map(|last| last.ident.to_string()).as_deref() {
                    Some("bool") => results.extend(["true", "false"]),
                    Some("Option") => results.push("None"),
                    Some("Vec" | "String" | "BTreeMap" | "BTreeSet") => results.push("Default::default()"),
                    _ => {}
                },
                _ => {}
            },
        }
        for result in results {
            if let Some(on) = self.planted.mutant(at, format!("{name} gives {result}")) {
                self.planted.insert(at, format!(" if {on} {{ return {result}; }} "));
            }
        }
    }

    fn arms(&mut self, matched: &syn::ExprMatch) {
        let scrutinee = self.planted.source(&range(&matched.expr)).to_owned();
        let falls = matched.arms.last().is_some_and(catches_all);
        for (index, arm) in matched.arms.iter().enumerate() {
            if falls && index + 1 < matched.arms.len() {
                self.arm(arm, &scrutinee);
            } else if !falls {
                let next = &matched.arms[(index + 1) % matched.arms.len()];
                let (body, other) = (range(&arm.body), range(&next.body));
                let (shown, other) = (self.planted.source(&range(&arm.pat)), self.planted.source(&other));
                if self.planted.source(&body) != other {
                    let change = format!("arm `{shown}` does what the next arm does");
                    if let Some(on) = self.planted.mutant(body.start, change) {
                        let comma = if arm.comma.is_none() { "," } else { "" };
                        let before = format!("(if {on} {{ {other} }} else {{ ");
                        self.planted.wrap(&body, before, format!(" }}){comma}"));
                    }
                }
            }
        }
    }

    /// An arm that is not there, an alternative that is not, a guard that always holds.
    fn arm(&mut self, arm: &Arm, scrutinee: &str) {
        let pattern = range(&arm.pat);
        let shown = self.planted.source(&pattern);
        let mut gone = Vec::new();
        if let Some(on) = self.planted.mutant(pattern.start, format!("arm `{shown}` is not there")) {
            gone.push(format!("!{on}"));
        }
        if let Pat::Or(alternatives) = &arm.pat {
            for alternative in &alternatives.cases {
                let text = self.planted.source(&range(alternative));
                if let Some(on) = self.planted.mutant(pattern.start, format!("`{text}` of an arm is not there")) {
                    gone.push(format!("!({on} && matches!({scrutinee}, {text}))"));
                }
            }
        }
        match &arm.guard {
            Some((_, guard)) if !has_let(guard) => {
                let place = range(guard);
                let text = self.planted.source(&place);
                let always = self.planted.mutant(place.start, format!("guard `{text}` always holds"));
                let mut before: String = gone.iter().map(|gone| format!("{gone} && ")).collect();
                before += &always.map_or_else(|| "(".to_owned(), |on| format!("({on} || "));
                self.planted.wrap(&place, before + "(", "))".to_owned());
            }
            Some(_) => {}
            None if gone.is_empty() => {}
            None => self.planted.insert(pattern.end, format!(" if {}", gone.join(" && "))),
        }
    }

    /// What a macro asks: turned around, an alternative that is not there, a guard that always holds.
    fn asked(&mut self, asked: &syn::ExprMacro) {
        struct Asked(Expr, Pat, Option<Expr>);
        impl syn::parse::Parse for Asked {
            fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
                let expr = input.parse()?;
                input.parse::<syn::Token![,]>()?;
                let pat = Pat::parse_multi_with_leading_vert(input)?;
                let guard = if input.peek(syn::Token![if]) {
                    input.parse::<syn::Token![if]>()?;
                    Some(input.parse()?)
                } else {
                    None
                };
                let _: Option<syn::Token![,]> = input.parse()?;
                Ok(Self(expr, pat, guard))
            }
        }
        if !asked.mac.path.is_ident("matches") {
            return;
        }
        let Ok(Asked(scrutinee, pattern, guard)) = asked.mac.parse_body::<Asked>() else { return };
        let place = range(asked);
        self.turned(place.clone());
        let scrutinee = self.planted.source(&range(&scrutinee)).to_owned();
        if let Pat::Or(alternatives) = &pattern {
            for alternative in &alternatives.cases {
                let text = self.planted.source(&range(alternative));
                if let Some(on) = self.planted.mutant(place.start, format!("`{text}` of matches! is not there")) {
                    self.planted.wrap(&place, format!("(!({on} && matches!({scrutinee}, {text})) && "), ")".to_owned());
                }
            }
        }
        if let Some(guard) = guard {
            let held = range(&guard);
            let text = self.planted.source(&held);
            if let Some(on) = self.planted.mutant(held.start, format!("guard `{text}` of matches! always holds")) {
                let pattern = self.planted.source(&range(&pattern)).to_owned();
                let before = format!("(({on} && matches!({scrutinee}, {pattern})) || ");
                self.planted.wrap(&place, before, ")".to_owned());
            }
        }
    }
}

impl<'ast> Visit<'ast> for Sites<'_, '_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_const(&mut self, _: &'ast ItemConst) {}

    fn visit_item_static(&mut self, _: &'ast ItemStatic) {}

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if function.sig.constness.is_none() && !is_test(&function.attrs) {
            self.result(&function.sig.output, &function.block, &function.sig.ident.to_string());
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if function.sig.constness.is_none() && !is_test(&function.attrs) {
            self.result(&function.sig.output, &function.block, &function.sig.ident.to_string());
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let whole = Expr::Binary(binary.clone());
        self.operands(&whole);
        if matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_)) {
            self.turned(range(binary));
        }
        self.comparison(binary);
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let place = range(path);
        let shown = self.planted.source(&place);
        let variant = shown.strip_prefix("Outcome::").filter(|name| name.starts_with(char::is_uppercase));
        if variant.is_some_and(|name| name != "Safe")
            && let Some(on) = self.planted.mutant(place.start, format!("`{shown}` is safe"))
        {
            self.planted.wrap(&place, format!("(if {on} {{ Outcome::Safe }} else {{ "), " })".to_owned());
        }
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        if matches!(unary.op, syn::UnOp::Not(_)) {
            self.turned(range(unary));
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.condition(&branch.cond);
        visit::visit_expr_if(self, branch);
    }

    fn visit_expr_match(&mut self, matched: &'ast syn::ExprMatch) {
        self.arms(matched);
        visit::visit_expr_match(self, matched);
    }

    fn visit_expr_macro(&mut self, asked: &'ast syn::ExprMacro) {
        self.asked(asked);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if ASKING.contains(&call.method.to_string().as_str()) {
            for argument in &call.args {
                if let Expr::Closure(closure) = argument
                    && !matches!(&*closure.body, Expr::Block(_) | Expr::Match(_) | Expr::Binary(_))
                {
                    self.turned(range(&closure.body));
                }
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        for statement in &block.stmts {
            if let Stmt::Expr(Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) | Expr::Binary(_), Some(_)) =
                statement
            {
                let place = range(statement);
                let shown = self.planted.source(&place);
                if let Some(on) = self.planted.mutant(place.start, format!("`{shown}` is not done")) {
                    self.planted.wrap(&place, format!("if !{on} {{ "), " }".to_owned());
                }
            }
        }
        visit::visit_block(self, block);
    }
}
