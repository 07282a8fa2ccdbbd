//! The kinds of blocks, and which file may have which.

use super::container::{Container, Fence};
use super::lines::Piece;
use super::location::SpecKind;
use super::{Content, Location, Reader, Spec};
use crate::diagnostic::{Code, Diagnostic, EditKind};

/// The reserved words behind a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the word that opens such a block")]
pub enum BlockKind {
    SoilSig,
    Requires,
    Ensures,
    Test,
    Property,
    Cram,
    Reference,
    Allow,
    SoilType,
    Invariant,
    Exports,
    Decisions,
}

impl BlockKind {
    const ALL: [Self; 12] = [
        Self::SoilSig,
        Self::Requires,
        Self::Ensures,
        Self::Test,
        Self::Property,
        Self::Cram,
        Self::Reference,
        Self::Allow,
        Self::SoilType,
        Self::Invariant,
        Self::Exports,
        Self::Decisions,
    ];

    /// Gives the word.
    pub const fn text(self) -> &'static str {
        match self {
            Self::SoilSig => "soil-sig",
            Self::Requires => "requires",
            Self::Ensures => "ensures",
            Self::Test => "test",
            Self::Property => "property",
            Self::Cram => "cram",
            Self::Reference => "reference",
            Self::Allow => "allow",
            Self::SoilType => "soil-type",
            Self::Invariant => "invariant",
            Self::Exports => "exports",
            Self::Decisions => "decisions",
        }
    }

    /// Gives the kind that a word means, if it is reserved.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.text() == text)
    }

    /// Says whether the block belongs to the formal hash.
    pub const fn is_formal(self) -> bool {
        matches!(
            self,
            Self::SoilSig
                | Self::Requires
                | Self::Ensures
                | Self::SoilType
                | Self::Invariant
                | Self::Exports
                | Self::Allow
        )
    }

    /// Says whether the block belongs to the test hash.
    pub const fn is_test(self) -> bool {
        matches!(
            self,
            Self::Test | Self::Property | Self::Cram | Self::Reference
        )
    }

    /// Says whether the block has a name, and may be expected to fail.
    pub const fn is_named(self) -> bool {
        matches!(self, Self::Test | Self::Property | Self::Cram)
    }

    /// Says whether a file of a kind may have such a block.
    pub const fn fits(self, kind: SpecKind) -> bool {
        match self {
            Self::SoilType | Self::Invariant => matches!(kind, SpecKind::Type),
            Self::Exports => matches!(kind, SpecKind::Module),
            Self::Decisions => matches!(kind, SpecKind::Module | SpecKind::Project),
            _ => matches!(kind, SpecKind::Function),
        }
    }

    /// Says whether a file may have more than one such block.
    const fn may_repeat(self) -> bool {
        self.is_named()
    }
}

/// A fenced block with a reserved word that its file may have.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// What the word means.
    pub kind: BlockKind,
    /// The block.
    pub fence: &'a Fence,
}

impl<'a> Reader<'a> {
    pub(super) fn spec(&mut self, container: &Container, location: Location<'_>) -> Option<Spec> {
        let kind = location.kind(container);
        self.check_name(container, location, kind);
        let blocks = self.blocks(container, kind);
        if !container.has_open_fence {
            self.check_missing(&blocks, kind);
        }
        let is_prose_there = container.has_prose || container.has_open_fence;
        if !is_prose_there && matches!(kind, SpecKind::Function | SpecKind::Type) {
            let message = format!("a {} needs a paragraph of prose", kind.text());
            self.diagnostics
                .push(unplaced(self.file, Code::TrMissingProse, message));
        }
        let content = self.content(kind, &blocks);
        self.check_block_name(container, &location.name(kind), &content);
        Some(Spec {
            file: self.file,
            name: container.frontmatter.name.clone()?,
            tags: container.frontmatter.tags.clone(),
            content,
            tree: std::mem::take(&mut self.tree),
            hashes: container.hashes(self.bytes, kind),
        })
    }

    fn check_name(&mut self, container: &Container, location: Location<'_>, kind: SpecKind) {
        if kind == SpecKind::Project && !location.is_root {
            let message = "`_project.tr` does not stand beside `soil.toml`";
            self.diagnostics.push(unplaced(
                self.file,
                Code::TrProjectLocation,
                message.to_owned(),
            ));
        }
        let Some(name) = &container.frontmatter.name else {
            return;
        };
        let expected = location.name(kind);
        if name.value != expected {
            let message = format!(
                "the {} here is `{expected}`, not `{}`",
                kind.text(),
                name.value
            );
            let edit = self.writing(EditKind::Machine, name.span, &expected);
            self.report_with(Code::TrNameMismatch, name.span, message, [edit]);
        }
    }

    /// Reports a block that names something else than its file, whose own name is right.
    fn check_block_name(&mut self, container: &Container, expected: &str, content: &Content) {
        let named = match content {
            Content::Function(function) => function.signature.map(|signature| signature.name),
            Content::Type(spec) => spec
                .declaration
                .as_ref()
                .map(|declaration| declaration.name),
            Content::Module { .. } | Content::Project { .. } => None,
        };
        let is_right = container
            .frontmatter
            .name
            .as_ref()
            .is_some_and(|name| name.value == expected);
        let other = named.filter(|named| is_right && &self.names[named.name] != expected);
        if let Some(other) = other {
            let message = format!(
                "the file is of `{expected}`, not of `{}`",
                &self.names[other.name]
            );
            let edit = self.writing(EditKind::Machine, other.span, expected);
            self.report_with(Code::TrNameMismatch, other.span, message, [edit]);
        }
    }

    /// Lists the reserved blocks that the file may have; others are reported.
    fn blocks<'f>(&mut self, container: &'f Container, kind: SpecKind) -> Vec<Block<'f>> {
        let mut blocks: Vec<Block<'f>> = Vec::new();
        for fence in &container.fences {
            let Some(found) = BlockKind::from_text(&fence.info.lang) else {
                continue;
            };
            if !found.fits(kind) {
                let message = format!("a {} has no `{}` block", kind.text(), found.text());
                self.report(Code::TrBlockKind, fence.info.span, message);
                continue;
            }
            self.check_info(found, fence, &container.fences);
            if !found.may_repeat() && blocks.iter().any(|block| block.kind == found) {
                let message = format!(
                    "a file has one `{}` block, this is another one",
                    found.text()
                );
                self.report(Code::TrBlockCount, fence.info.span, message);
                continue;
            }
            blocks.push(Block { kind: found, fence });
        }
        blocks
    }

    fn check_info(&mut self, kind: BlockKind, fence: &Fence, fences: &[Fence]) {
        let info = &fence.info;
        let word = kind.text();
        match (&info.name, kind.is_named()) {
            // A word that is no name may have been meant as one.
            (None, true) if info.is_read => {
                let message = format!("a `{word}` block needs a name");
                let edit = self.naming(fence, fences);
                self.report_with(Code::TrBlockInfo, info.span, message, [edit]);
            }
            (Some(name), false) => {
                let message = format!("a `{word}` block has no name");
                let edit = self.removing(EditKind::Machine, name.span);
                self.report_with(Code::TrBlockInfo, name.span, message, [edit]);
            }
            _ => {}
        }
        if info.is_xfail && !kind.is_named() {
            self.report(
                Code::TrBlockInfo,
                info.span,
                format!("a `{word}` block cannot be `xfail`"),
            );
        }
    }

    /// Reports the blocks that a file of this kind needs and has not.
    fn check_missing(&mut self, blocks: &[Block<'_>], kind: SpecKind) {
        if kind == SpecKind::Module && !blocks.iter().any(|block| block.kind == BlockKind::Exports)
        {
            let message = "a module has one `exports` block, this file has none".to_owned();
            self.diagnostics
                .push(unplaced(self.file, Code::TrBlockCount, message));
        }
        let has_test = blocks.iter().any(|block| block.kind.is_named());
        if kind == SpecKind::Function && !has_test {
            let message = "a function needs a `test`, `property` or `cram` block".to_owned();
            self.diagnostics
                .push(unplaced(self.file, Code::TrMissingTestBlock, message));
        }
    }

    /// Gives the content of a block as text.
    pub(super) fn content_of(&self, fence: &Fence) -> Piece<'a> {
        let bytes = &self.bytes[fence.content.range()];
        let text = std::str::from_utf8(bytes).expect("the file was checked to be UTF-8");
        Piece::new(text, fence.content.start)
    }
}

/// Makes a diagnostic about a file as a whole.
pub(super) fn unplaced(file: crate::source::FileId, code: Code, message: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(code, message);
    diagnostic.file = Some(file);
    diagnostic
}
