//! Code for registers.

use std::rc::Rc;

use super::primitive::Primitive;
use crate::environment::Number;
use crate::source::{FileId, Span};
use crate::syntax::tree::{ArithmeticOperator, ComparisonOperator};
use crate::values::{Forms, Value};

/// A program ready to run.
#[derive(Debug)]
pub struct Unit<'p> {
    pub(super) codes: Vec<Code>,
    pub(super) constants: Vec<Value>,
    pub(super) primitives: Vec<Primitive>,
    /// Targets of switches by tag.
    pub(super) switches: Vec<Vec<u32>>,
    /// Positions of fields and of arguments, and codes of lambdas.
    pub(super) lists: Vec<Vec<u32>>,
    pub(super) clauses: Vec<ClauseCode>,
    pub(super) forms: Forms<'p>,
    /// The codes that run when the definitions of the program are called, by definition.
    pub(super) entries: Vec<Option<u32>>,
}

/// The code of a definition, a lambda or a clause.
#[derive(Debug)]
pub(super) struct Code {
    /// The definition that it belongs to, as `module::name`.
    pub(super) owner: Rc<str>,
    pub(super) arity: u32,
    pub(super) registers: u32,
    pub(super) steps: Vec<Step>,
    /// The definitions that it refers to, by their codes.
    pub(super) references: Vec<u32>,
    pub(super) has_hole: bool,
    pub(super) hole: Option<(FileId, Span)>,
}

/// A clause of a guard.
#[derive(Debug)]
pub(super) struct ClauseCode {
    pub(super) label: String,
    pub(super) is_ensures: bool,
    /// The definition that it guards, as `module::name`.
    pub(super) owner: Rc<str>,
}

/// An instruction with the fuel that its nodes take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) cost: u32,
    pub(super) instruction: Instruction,
}

/// Where a value is read: a register of the frame, a constant of the unit, a value that the running lambda holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source(u32);

/// The two highest bits tell the kinds apart.
const KIND_SHIFT: u32 = 30;
const INDEX_MASK: u32 = (1 << KIND_SHIFT) - 1;

/// The forms of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceKind {
    Register(u32),
    Constant(u32),
    Capture(u32),
}

impl Source {
    pub(super) const fn register(index: u32) -> Self {
        Self(index)
    }

    pub(super) const fn constant(index: u32) -> Self {
        Self(index | 1 << KIND_SHIFT)
    }

    pub(super) const fn capture(index: u32) -> Self {
        Self(index | 2 << KIND_SHIFT)
    }

    #[inline]
    pub(super) const fn kind(self) -> SourceKind {
        let index = self.0 & INDEX_MASK;
        match self.0 >> KIND_SHIFT {
            0 => SourceKind::Register(index),
            1 => SourceKind::Constant(index),
            _ => SourceKind::Capture(index),
        }
    }
}

/// What the machine does at once. Registers are numbered within the frame; arguments stand side by side from `start`.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub(super) enum Instruction {
    /// Takes fuel alone.
    Spend,
    Copy { to: u32, from: Source },
    /// Moves a value out of a register that is not read again.
    Take { to: u32, from: u32 },
    AddSigned { to: u32, left: Source, right: Source },
    SubtractSigned { to: u32, left: Source, right: Source },
    Arithmetic { operator: ArithmeticOperator, number: Number, to: u32, left: Source, right: Source },
    Negate { number: Number, to: u32, from: Source },
    Compare { operator: ComparisonOperator, to: u32, left: Source, right: Source },
    Jump { target: u32 },
    JumpIf { condition: Source, is: bool, target: u32 },
    JumpCompare { operator: ComparisonOperator, left: Source, right: Source, target: u32 },
    JumpUnlessTag { from: Source, tag: u32, target: u32 },
    JumpUnlessEqual { from: Source, constant: Source, target: u32 },
    Switch { from: Source, table: u32 },
    Part { to: u32, from: Source, index: u32 },
    Record { to: u32, start: u32, count: u32 },
    Variant { to: u32, tag: u32, start: u32, count: u32 },
    Update { to: u32, from: Source, start: u32, fields: u32 },
    Closure { to: u32, code: u32, start: u32, count: u32 },
    /// A lambda that holds nothing, and is its code alone.
    Lambda { to: u32, code: u32 },
    /// The lambdas of one `let rec`, side by side from `to`.
    Group { to: u32, members: u32, start: u32, count: u32 },
    /// A lambda of the group that is running.
    Sibling { to: u32, code: u32 },
    ListLength { to: u32, from: Source },
    ListElement { to: u32, list: Source, index: Source },
    /// Appends the second of two values to the first.
    ListAppend { to: u32, start: u32 },
    /// Looks a key up in a map.
    MapEntry { to: u32, map: Source, key: Source },
    /// Looks a key up in a map and takes its value, or jumps; `Some` is paid for and never made.
    MapValue { to: u32, map: Source, key: Source, target: u32 },
    /// The place of one value to another in the order of their type.
    Order { to: u32, left: Source, right: Source },
    /// Puts the second and third of three values into the first.
    MapInsert { to: u32, start: u32 },
    Primitive { to: u32, primitive: u32, start: u32 },
    CallDefinition { to: u32, code: u32, start: u32 },
    TailDefinition { code: u32, start: u32 },
    CallSibling { to: u32, code: u32, start: u32 },
    TailSibling { code: u32, start: u32 },
    /// Begins the running function anew with those of its arguments that change, by their positions.
    Again { start: u32, arity: u32, moved: u32 },
    Call { to: u32, function: Source, start: u32, count: u32 },
    TailCall { function: Source, start: u32, count: u32 },
    /// The value of a definition without parameters.
    Global { to: u32, code: u32 },
    Return { from: Source },
    /// A place that the checker did not let pass.
    Hole,
    /// Behind the last arm of a match.
    Unmatched,
    /// Begins guarding a definition, by its code, or goes on at the target.
    GuardBegin { code: u32, target: u32 },
    GuardEnter { clause: u32 },
    GuardCheck { from: u32 },
    GuardEnd { code: u32 },
}

/// What keeps a definition from running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfilled {
    /// Where the hole is; none for what the checker did not let pass.
    pub hole: Option<(FileId, Span)>,
}

impl Unit<'_> {
    /// Finds a hole that a definition has or reaches, by its entry.
    pub fn unfilled(&self, entry: u32) -> Option<Unfilled> {
        let mut seen = vec![false; self.codes.len()];
        let mut open = vec![entry];
        while let Some(index) = open.pop() {
            let index = index as usize;
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            let code = &self.codes[index];
            if code.has_hole {
                return Some(Unfilled { hole: code.hole });
            }
            open.extend(&code.references);
        }
        None
    }
}
