//! Rules for the text of a source file: its length, that of its functions, and words that must not stand there.

use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::Findings;
use crate::command::{Failure, read};

/// A file is split at this many lines of its body, tests not counted.
const MAX_FILE_LINES: usize = 600;
/// A function is split at this many lines.
const MAX_FUNCTION_LINES: usize = 70;

pub(super) fn check(root: &Path, files: &[PathBuf]) -> Result<Findings, Failure> {
    let mut findings = Findings::new();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|end| end == "rs"))
    {
        let name = file.display().to_string();
        // A compile error on purpose need not even parse.
        if name.contains("/tests/ui/") {
            continue;
        }
        let text = read(&root.join(file))?;
        words(&name, &text, &mut findings);
        let parsed = syn::parse_file(&text)
            .map_err(|error| Failure::Found(format!("{name}: does not parse: {error}")))?;
        lengths(&name, &text, &parsed, &mut findings);
        if name.ends_with("/lib.rs") && !is_test(&name) {
            library_root(&name, &parsed, &mut findings);
        }
    }
    Ok(findings)
}

/// Whether the file holds tests or measurements only, whose length is free.
pub(super) fn is_test(name: &str) -> bool {
    name.contains("/tests/")
        || name.ends_with("/tests.rs")
        || name.starts_with("xtask/bench/")
        || name.starts_with("xtask/fuzz/")
        || name.starts_with("golden/interop/")
        || name.contains("/benches/")
}

fn words(name: &str, text: &str, findings: &mut Findings) {
    if name.starts_with("xtask/") {
        return;
    }
    for (at, line) in text.lines().enumerate() {
        let place = at + 1;
        if line.contains("TODO") && !line.contains("TODO(#") {
            findings.push(format!(
                "{name}:{place}: a `TODO` names its issue as `TODO(#12)`"
            ));
        }
        if line.trim_start().starts_with("#[allow(") || line.trim_start().starts_with("#![allow(") {
            findings.push(format!(
                "{name}:{place}: an exception is `#[expect(…, reason = …)]`, not `allow`"
            ));
        }
        if line.trim_start().starts_with("//") && line.contains("```ignore") {
            findings.push(format!(
                "{name}:{place}: an example runs; `ignore` is not used"
            ));
        }
        if line.trim_start().starts_with("#[ignore") {
            findings.push(format!("{name}:{place}: no test is ignored"));
        }
    }
}

fn lengths(name: &str, text: &str, file: &syn::File, findings: &mut Findings) {
    if is_test(name) {
        return;
    }
    let tests: usize = file
        .items
        .iter()
        .filter(|item| is_test_module(item))
        .map(lines)
        .sum();
    let body = text.lines().count().saturating_sub(tests);
    if body > MAX_FILE_LINES {
        findings.push(format!(
            "{name}: {body} lines; a file is split at {MAX_FILE_LINES}"
        ));
    }
    let mut functions = Functions { name, findings };
    functions.visit_file(file);
}

fn is_test_module(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Mod(module) if is_for_tests(&module.attrs))
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|word| word == "test")
    })
}

fn lines(item: &impl Spanned) -> usize {
    let span = item.span();
    span.end().line - span.start().line + 1
}

struct Functions<'a> {
    name: &'a str,
    findings: &'a mut Findings,
}

impl Functions<'_> {
    fn judge(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let length = lines(block);
        if length > MAX_FUNCTION_LINES {
            let place = signature.ident.span().start().line;
            self.findings.push(format!(
                "{}:{place}: `{}` has {length} lines; a function is split at {MAX_FUNCTION_LINES}",
                self.name, signature.ident
            ));
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.judge(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.judge(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }
}

/// `lib.rs` holds docs, modules and re-exports only; a macro crate's entry points have to stand there too.
fn library_root(name: &str, file: &syn::File, findings: &mut Findings) {
    let macros = name.starts_with("lonis-derive/");
    for item in &file.items {
        let fits = match item {
            syn::Item::Mod(module) => module.content.is_none() || is_private_seam(module),
            syn::Item::Use(_) | syn::Item::ExternCrate(_) => true,
            syn::Item::Fn(_) => macros,
            _ => false,
        };
        if !fits {
            let place = item.span().start().line;
            findings.push(format!(
                "{name}:{place}: `lib.rs` holds docs, `mod` and re-exports only"
            ));
        }
    }
}

/// The hidden module through which generated code reaches its dependencies holds re-exports itself.
fn is_private_seam(module: &syn::ItemMod) -> bool {
    module
        .content
        .as_ref()
        .is_some_and(|(_, items)| items.iter().all(|item| matches!(item, syn::Item::Use(_))))
}
