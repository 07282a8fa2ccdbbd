//! `soil-sig` blocks.

use super::Reader;
use super::container::Fence;
use crate::diagnostic::Code;
use crate::syntax::parse_signature;
use crate::syntax::tree::{Ident, TypeId};

/// `name : type`.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The function's name.
    pub name: Ident,
    /// Its type, in the tree of the file.
    pub ty: TypeId,
    /// Whether the agent may change it.
    pub is_agent: bool,
}

impl Reader<'_> {
    pub(super) fn signature(&mut self, fence: &Fence) -> Option<Signature> {
        let result = parse_signature(self.part(fence.content), self.names, &mut self.tree);
        let (name, ty) = self.accept(Code::TrSigSyntax, result)?;
        let is_agent = fence.info.is_agent;
        Some(Signature { name, ty, is_agent })
    }
}
