//! The code of one function while it is made.

use std::rc::Rc;

use hashbrown::HashMap;

use super::super::code::{Code, Instruction, Source, Step};
use super::liveness::{Tables, take_last_copies};
use super::{Compiler, Part, count};
use crate::source::{FileId, Span};
use crate::syntax::tree::LocalId;
use crate::values::Value;

/// Where a local is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    At(Source),
    /// A lambda of the `let rec` that is running, by its code and arity.
    Sibling(u32, u32),
}

/// A place in code that jumps name before it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label(usize);

/// A definition, a lambda or a clause whose code is being made.
pub(super) struct Function<'f, 'c, 'p> {
    pub(super) compiler: &'f mut Compiler<'c, 'p>,
    pub(super) part: Part<'c>,
    pub(super) owner: Rc<str>,
    pub(super) locals: HashMap<LocalId, Place>,
    /// The code that is being made, where it can call itself.
    pub(super) own: Option<u32>,
    steps: Vec<Step>,
    labels: Vec<Option<u32>>,
    /// The first register that holds nothing.
    next: u32,
    registers: u32,
    /// Nodes that were met since the last instruction.
    nodes: u32,
    /// The first switch of this function; their targets are labels until the end.
    switches: Vec<u32>,
    references: Vec<u32>,
    has_hole: bool,
    hole: Option<(FileId, Span)>,
}

impl<'f, 'c, 'p> Function<'f, 'c, 'p> {
    pub(super) fn new(compiler: &'f mut Compiler<'c, 'p>, part: Part<'c>, owner: Rc<str>) -> Self {
        Self {
            compiler,
            part,
            owner,
            locals: HashMap::new(),
            own: None,
            steps: Vec::new(),
            labels: Vec::new(),
            next: 0,
            registers: 0,
            nodes: 0,
            switches: Vec::new(),
            references: Vec::new(),
            has_hole: false,
            hole: None,
        }
    }

    /// Counts a node that is evaluated.
    pub(super) const fn node(&mut self) {
        self.nodes += 1;
    }

    pub(super) fn emit(&mut self, instruction: Instruction) {
        let cost = std::mem::take(&mut self.nodes);
        self.steps.push(Step { cost, instruction });
    }

    /// Takes the next register.
    pub(super) fn register(&mut self) -> u32 {
        let register = self.next;
        self.next += 1;
        self.registers = self.registers.max(self.next);
        register
    }

    /// Gives the first free register; [`release`](Self::release) frees what is taken later.
    pub(super) const fn mark(&self) -> u32 {
        self.next
    }

    pub(super) const fn release(&mut self, mark: u32) {
        self.next = mark;
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Gives a label as a target, which stands for a place until the end.
    pub(super) fn target(label: Label) -> u32 {
        count(label.0)
    }

    /// Puts a label here. What was counted before belongs to the way that falls through.
    pub(super) fn put(&mut self, label: Label) {
        if self.nodes > 0 {
            self.emit(Instruction::Spend);
        }
        self.labels[label.0] = Some(count(self.steps.len()));
    }

    /// Keeps the targets of a switch.
    pub(super) fn switch(&mut self, targets: Vec<u32>) -> u32 {
        let switches = &mut self.compiler.switches;
        switches.push(targets);
        let table = count(switches.len() - 1);
        self.switches.push(table);
        table
    }

    pub(super) fn list(&mut self, list: Vec<u32>) -> u32 {
        self.compiler.lists.push(list);
        count(self.compiler.lists.len() - 1)
    }

    pub(super) fn bind(&mut self, local: LocalId, source: Source) {
        self.locals.insert(local, Place::At(source));
    }

    pub(super) fn constant(&mut self, value: Value) -> Source {
        self.compiler.constant(value)
    }

    pub(super) fn refer(&mut self, code: u32) {
        if !self.references.contains(&code) {
            self.references.push(code);
        }
    }

    pub(super) fn hole(&mut self) {
        self.has_hole = true;
        self.emit(Instruction::Hole);
    }

    /// Ends the way at a hole that is written there.
    pub(super) fn written_hole(&mut self, span: Span) {
        self.hole.get_or_insert((self.part.file, span));
        self.hole();
    }

    /// Takes over what a lambda within refers to.
    pub(super) fn contain(&mut self, inner: &Code) {
        for code in &inner.references {
            self.refer(*code);
        }
        self.has_hole |= inner.has_hole;
        self.hole = self.hole.or(inner.hole);
    }

    pub(super) fn finish(mut self, arity: u32) -> Code {
        let labels = std::mem::take(&mut self.labels);
        let place = |label: u32| labels[label as usize].expect("each label is put somewhere");
        for step in &mut self.steps {
            settle(&mut step.instruction, place);
        }
        for table in &self.switches {
            for target in &mut self.compiler.switches[*table as usize] {
                *target = place(*target);
            }
        }
        let compiler = &self.compiler;
        let tables = Tables {
            switches: &compiler.switches,
            lists: &compiler.lists,
        };
        take_last_copies(&mut self.steps, self.registers, tables);
        Code {
            owner: self.owner,
            arity,
            registers: self.registers,
            steps: self.steps,
            references: self.references,
            has_hole: self.has_hole,
            hole: self.hole,
        }
    }
}

/// Replaces the label of a jump by its place.
fn settle(instruction: &mut Instruction, place: impl Fn(u32) -> u32) {
    use Instruction as I;
    match instruction {
        I::Jump { target }
        | I::JumpIf { target, .. }
        | I::JumpCompare { target, .. }
        | I::JumpUnlessTag { target, .. }
        | I::JumpUnlessEqual { target, .. }
        | I::MapValue { target, .. }
        | I::GuardBegin { target, .. } => *target = place(*target),
        _ => {}
    }
}
