//! What instructions read.

use super::registers::Registers;
use crate::eval::code::{Source, SourceKind};
use crate::values::{Captures, Value};

/// The values that the running function can read.
#[derive(Clone, Copy)]
pub(super) struct Operands<'m> {
    pub(super) constants: &'m [Value],
    pub(super) registers: &'m Registers,
    pub(super) captures: Option<&'m Captures>,
}

impl<'m> Operands<'m> {
    #[inline]
    pub(super) fn read(self, source: Source) -> &'m Value {
        match source.kind() {
            SourceKind::Register(index) => self.registers.get(index),
            SourceKind::Constant(index) => &self.constants[index as usize],
            SourceKind::Capture(index) => match self.captures {
                Some(captures) => &captures.values()[index as usize],
                None => &Value::Unit,
            },
        }
    }
}
