//! Turning the last copy of a register into a move.

use hashbrown::HashMap;

use super::super::code::{Instruction, Source, SourceKind, Step};

/// The most registers times targets that are looked at; longer code keeps its copies.
const MAX_WORK: usize = 1 << 22;

/// The registers that are read later.
#[derive(Clone)]
struct Live(Vec<u64>);

impl Live {
    fn new(count: u32) -> Self {
        Self(vec![0; (count as usize).div_ceil(64)])
    }

    fn set(&mut self, register: u32, is_live: bool) {
        let bit = 1 << (register % 64);
        let word = &mut self.0[register as usize / 64];
        *word = if is_live { *word | bit } else { *word & !bit };
    }

    fn has(&self, register: u32) -> bool {
        self.0[register as usize / 64] & 1 << (register % 64) != 0
    }

    fn add(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
}

/// What instructions name by number.
#[derive(Clone, Copy)]
pub(super) struct Tables<'t> {
    pub(super) switches: &'t [Vec<u32>],
    pub(super) lists: &'t [Vec<u32>],
}

/// Goes through code from its end; all jumps lead forward, but for those that begin a function anew.
pub(super) fn take_last_copies(steps: &mut [Step], registers: u32, tables: Tables<'_>) {
    let switches = tables.switches;
    let mut targets: HashMap<u32, Option<Live>> = HashMap::new();
    for step in steps.iter() {
        each_target(step.instruction, switches, |target| {
            targets.insert(target, None);
        });
    }
    if registers as usize * (targets.len() + 1) > MAX_WORK {
        return;
    }
    let mut live = Live::new(registers);
    for index in (0..steps.len()).rev() {
        let instruction = steps[index].instruction;
        if ends(instruction) {
            live = Live::new(registers);
        }
        each_target(instruction, switches, |target| {
            if let Some(Some(there)) = targets.get(&target) {
                live.add(there);
            }
        });
        each_written(instruction, |register| live.set(register, false));
        if let Instruction::Copy { to, from } = instruction
            && let SourceKind::Register(from) = from.kind()
            && !live.has(from)
            && from != to
        {
            steps[index].instruction = Instruction::Take { to, from };
        }
        each_read(instruction, tables.lists, |register| {
            live.set(register, true);
        });
        let here = u32::try_from(index).unwrap_or(u32::MAX);
        if let Some(there) = targets.get_mut(&here) {
            *there = Some(live.clone());
        }
    }
}

/// Says whether what stands behind an instruction is not reached from it.
const fn ends(instruction: Instruction) -> bool {
    use Instruction as I;
    matches!(
        instruction,
        I::Jump { .. }
            | I::Switch { .. }
            | I::TailDefinition { .. }
            | I::TailSibling { .. }
            | I::Again { .. }
            | I::TailCall { .. }
            | I::Return { .. }
            | I::Hole
            | I::Unmatched
    )
}

fn each_target(instruction: Instruction, switches: &[Vec<u32>], mut visit: impl FnMut(u32)) {
    use Instruction as I;
    match instruction {
        I::Jump { target }
        | I::JumpIf { target, .. }
        | I::JumpCompare { target, .. }
        | I::JumpUnlessTag { target, .. }
        | I::JumpUnlessEqual { target, .. }
        | I::MapValue { target, .. }
        | I::GuardBegin { target, .. } => visit(target),
        I::Switch { table, .. } => {
            for target in &switches[table as usize] {
                visit(*target);
            }
        }
        _ => {}
    }
}

/// Visits registers whose former value is gone; where several are written none need be named.
fn each_written(instruction: Instruction, mut visit: impl FnMut(u32)) {
    use Instruction as I;
    match instruction {
        I::Copy { to, .. }
        | I::Take { to, .. }
        | I::AddSigned { to, .. }
        | I::SubtractSigned { to, .. }
        | I::Arithmetic { to, .. }
        | I::Negate { to, .. }
        | I::Compare { to, .. }
        | I::Part { to, .. }
        | I::Record { to, .. }
        | I::Variant { to, .. }
        | I::Update { to, .. }
        | I::Closure { to, .. }
        | I::Lambda { to, .. }
        | I::Sibling { to, .. }
        | I::ListLength { to, .. }
        | I::ListElement { to, .. }
        | I::ListAppend { to, .. }
        | I::MapEntry { to, .. }
        | I::Order { to, .. }
        | I::MapInsert { to, .. }
        | I::Primitive { to, .. }
        | I::CallDefinition { to, .. }
        | I::CallSibling { to, .. }
        | I::Call { to, .. }
        | I::Global { to, .. } => visit(to),
        _ => {}
    }
}

/// Visits registers that are read; those of arguments are taken and need not be named.
fn each_read(instruction: Instruction, lists: &[Vec<u32>], mut visit: impl FnMut(u32)) {
    use Instruction as I;
    if let I::Again { arity, moved, .. } = instruction {
        // What stays is read by the function that begins anew.
        let moved = &lists[moved as usize];
        let stays = (0..arity).filter(|position| !moved.contains(position));
        return stays.for_each(visit);
    }
    let mut read = |source: Source| {
        if let SourceKind::Register(register) = source.kind() {
            visit(register);
        }
    };
    match instruction {
        I::Copy { from, .. }
        | I::Negate { from, .. }
        | I::JumpUnlessTag { from, .. }
        | I::JumpUnlessEqual { from, .. }
        | I::Switch { from, .. }
        | I::Part { from, .. }
        | I::Update { from, .. }
        | I::ListLength { from, .. }
        | I::Return { from } => read(from),
        I::Take { from, .. } | I::GuardCheck { from } => read(Source::register(from)),
        I::Order { left, right, .. }
        | I::AddSigned { left, right, .. }
        | I::SubtractSigned { left, right, .. }
        | I::Arithmetic { left, right, .. }
        | I::Compare { left, right, .. }
        | I::JumpCompare { left, right, .. } => {
            read(left);
            read(right);
        }
        I::ListElement { list, index, .. } => {
            read(list);
            read(index);
        }
        I::MapEntry { map, key, .. } | I::MapValue { map, key, .. } => {
            read(map);
            read(key);
        }
        I::JumpIf { condition, .. } => read(condition),
        I::Call { function, .. } | I::TailCall { function, .. } => read(function),
        _ => {}
    }
}
