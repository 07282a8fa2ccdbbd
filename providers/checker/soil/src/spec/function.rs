//! What a function's file says.

use super::block::{Block, BlockKind};
use super::container::Fence;
use super::location::SpecKind;
use super::{Clause, Content, Cram, Property, Reader, Reference, Signature, Spanned, TestBlock};
use crate::diagnostic::{Code, Edit, EditKind};
use crate::source::Span;
use crate::syntax::tree::{Effect, Row, TypeId, TypeKind};

/// The blocks of a function's file, those that read.
#[derive(Clone, Debug, Default)]
pub struct FunctionSpec {
    /// The signature.
    pub signature: Option<Signature>,
    /// What callers have to see to.
    pub requires: Vec<Clause>,
    /// What holds of the result.
    pub ensures: Vec<Clause>,
    /// The example blocks.
    pub tests: Vec<TestBlock>,
    /// The properties.
    pub properties: Vec<Property>,
    /// The shell sessions.
    pub crams: Vec<Cram>,
    /// What the results are compared with.
    pub reference: Option<Reference>,
    /// What the function may do beyond the rules.
    pub allow: Vec<Spanned<super::Allowed>>,
}

impl Reader<'_> {
    /// Reads the blocks of a file.
    pub(super) fn content(&mut self, kind: SpecKind, blocks: &[Block<'_>]) -> Content {
        match kind {
            SpecKind::Function => {
                let mut function = FunctionSpec::default();
                for block in blocks {
                    self.function_block(&mut function, *block);
                }
                self.check_function(&function, blocks);
                Content::Function(Box::new(function))
            }
            SpecKind::Type => Content::Type(Box::new(self.type_spec(blocks))),
            SpecKind::Module => {
                let (mut exports, mut decisions) = (Vec::new(), Vec::new());
                for block in blocks {
                    match block.kind {
                        BlockKind::Exports => exports = self.exports(block.fence),
                        _ => decisions = self.decisions(block.fence),
                    }
                }
                Content::Module { exports, decisions }
            }
            SpecKind::Project => {
                let found = blocks.iter().flat_map(|block| self.decisions(block.fence));
                Content::Project {
                    decisions: found.collect(),
                }
            }
        }
    }

    fn function_block(&mut self, function: &mut FunctionSpec, block: Block<'_>) {
        let fence = block.fence;
        match block.kind {
            BlockKind::SoilSig => function.signature = self.signature(fence),
            BlockKind::Requires => function.requires = self.clauses(fence),
            BlockKind::Ensures => function.ensures = self.clauses(fence),
            BlockKind::Test => function.tests.push(self.test_block(fence)),
            BlockKind::Property => function.properties.extend(self.property(fence)),
            BlockKind::Cram => function.crams.push(self.cram(fence)),
            BlockKind::Reference => function.reference = self.reference(fence),
            _ => function.allow = self.allow(fence),
        }
    }

    fn check_function(&mut self, function: &FunctionSpec, blocks: &[Block<'_>]) {
        self.check_test_names(blocks);
        let clauses: Vec<&Clause> = function.requires.iter().chain(&function.ensures).collect();
        self.check_labels(&clauses);
        let clause_block = blocks
            .iter()
            .find(|block| matches!(block.kind, BlockKind::Requires | BlockKind::Ensures));
        if let Some(block) = clause_block {
            let has_block = blocks.iter().any(|block| block.kind == BlockKind::SoilSig);
            self.check_named_params(
                function.signature.as_ref(),
                has_block,
                block.fence.info.span,
            );
        }
        if let Some(signature) = &function.signature {
            self.check_panics(function, signature.ty);
        }
    }

    fn check_test_names(&mut self, blocks: &[Block<'_>]) {
        let mut seen: Vec<&str> = Vec::new();
        for name in blocks
            .iter()
            .filter_map(|block| block.fence.info.name.as_ref())
        {
            if seen.contains(&name.value.as_str()) {
                let message = format!("another block is named `{}`", name.value);
                let fences: Vec<Fence> = blocks.iter().map(|block| block.fence.clone()).collect();
                let edit = self.renaming(name, &fences);
                self.report_with(Code::TrDuplicateTestName, name.span, message, [edit]);
            }
            seen.push(&name.value);
        }
    }

    /// Reports clauses over parameters that have no name.
    fn check_named_params(
        &mut self,
        signature: Option<&Signature>,
        has_block: bool,
        clauses: Span,
    ) {
        let Some(signature) = signature else {
            if !has_block {
                let message = "clauses need a `soil-sig` block that names every parameter";
                self.report(Code::TrUnnamedParams, clauses, message);
            }
            return;
        };
        let mut ty = signature.ty;
        while let TypeKind::Arrow {
            param,
            domain,
            codomain,
            ..
        } = self.tree[ty].kind
        {
            if param.is_none() {
                let span = self.tree[domain].span;
                self.report(
                    Code::TrUnnamedParams,
                    span,
                    "clauses need a name for this parameter",
                );
            }
            ty = codomain;
        }
    }

    /// Reports expected panics of a function whose signature has no `panic`.
    fn check_panics(&mut self, function: &FunctionSpec, signature: TypeId) {
        if self.may_panic(signature) {
            return;
        }
        let cases = function.tests.iter().flat_map(|block| &block.cases);
        let panics: Vec<Span> = cases.filter_map(super::Case::panic_span).collect();
        for span in panics {
            let message = "`panic` is expected, the signature has none";
            let edit = self.declaring_panic(signature);
            self.report_with(Code::TrPanicWithoutRow, span, message, edit);
        }
    }

    /// Offers `panic` behind the last arrow.
    fn declaring_panic(&self, mut ty: TypeId) -> Option<Edit> {
        let mut last = None;
        while let TypeKind::Arrow {
            codomain, arrow, ..
        } = self.tree[ty].kind
        {
            last = Some(arrow);
            ty = codomain;
        }
        let arrow = last?;
        let mut edit = self.writing(EditKind::Choice, Span::empty_at(arrow.end), " panic");
        "declare `panic`".clone_into(&mut edit.title);
        Some(edit)
    }

    fn may_panic(&self, mut ty: TypeId) -> bool {
        while let TypeKind::Arrow { row, codomain, .. } = self.tree[ty].kind {
            if may_raise(row) {
                return true;
            }
            ty = codomain;
        }
        false
    }
}

fn may_raise(row: Row) -> bool {
    row.effects.contains(Effect::Panic) || row.effects.contains(Effect::Ffi)
}
