//! Matches.

use super::super::code::{Instruction, Source, SourceKind};
use super::function::{Function, Label};
use super::owner_fields;
use super::record::position;
use crate::check::PatternFact;
use crate::environment::{Body, Field, Payload};
use crate::syntax::tree::{Arm, ExprId, FieldPattern, List, PatternId, PatternKind};

/// From so many arms on a table is better than looking at each.
const MIN_TABLE_ARMS: usize = 3;

impl Function<'_, '_, '_> {
    /// Evaluates a match to a register, or as the last thing of the function.
    pub(super) fn matched(&mut self, scrutinee: ExprId, arms: List<Arm>, to: Option<u32>) {
        let tree = self.part.tree;
        if self.looked_up(scrutinee, &tree[arms], to) {
            return;
        }
        let mut from = self.operand(scrutinee);
        if let SourceKind::Constant(_) = from.kind() {
            // A match on a constant is rare and need not be fast.
            let register = self.register();
            self.emit(Instruction::Copy { to: register, from });
            from = Source::register(register);
        }
        self.node();
        let arms = &tree[arms];
        let entries: Vec<Label> = arms.iter().map(|_| self.label()).collect();
        self.table(from, arms, &entries);
        let end = self.label();
        let mark = self.mark();
        for (index, arm) in arms.iter().enumerate() {
            let next = self.label();
            let entry = entries[index];
            let is_tested = self.tag_of(arm.pattern).is_some();
            if !is_tested {
                self.put(entry);
            }
            self.pattern(arm.pattern, from, next, is_tested.then_some(entry));
            match to {
                Some(to) => {
                    self.into(arm.body, to);
                    self.emit(Instruction::Jump {
                        target: Self::target(end),
                    });
                }
                None => self.tail(arm.body),
            }
            self.release(mark);
            self.put(next);
        }
        self.emit(Instruction::Unmatched);
        self.put(end);
    }

    pub(super) fn tag_of(&self, id: PatternId) -> Option<u32> {
        let constructor = self.part.referents.pattern(id)?;
        Some(self.compiler.environment()[constructor].variant)
    }

    /// Goes to the first arm that a variant can match, when there are several.
    fn table(&mut self, from: Source, arms: &[Arm], entries: &[Label]) {
        let tree = self.part.tree;
        let found = arms
            .iter()
            .find_map(|arm| self.part.referents.pattern(arm.pattern));
        let environment = self.compiler.environment();
        let Some(constructor) = found.filter(|_| arms.len() >= MIN_TABLE_ARMS) else {
            return;
        };
        let Body::Sum { variants, .. } = &environment[environment[constructor].owner].body else {
            return;
        };
        let takes_all = |arm: &Arm| {
            matches!(
                tree[arm.pattern].kind,
                PatternKind::Wildcard | PatternKind::Bind { .. }
            )
        };
        let mut targets = vec![None; variants.len()];
        let mut rest = None;
        for (arm, entry) in arms.iter().zip(entries) {
            if let Some(tag) = self.tag_of(arm.pattern) {
                targets[tag as usize].get_or_insert(*entry);
            } else if takes_all(arm) {
                rest = Some(*entry);
                break;
            } else {
                return;
            }
        }
        let fallback = rest.or_else(|| targets.iter().copied().flatten().next());
        let Some(fallback) = fallback else { return };
        let targets = targets.into_iter();
        let targets = targets.map(|target| Self::target(target.unwrap_or(fallback)));
        let table = self.switch(targets.collect());
        self.emit(Instruction::Switch { from, table });
    }

    /// Goes on where a value matches and binds its parts, or jumps.
    ///
    /// Whoever knows the constructor already comes in at `entry`.
    fn pattern(&mut self, id: PatternId, from: Source, fails: Label, entry: Option<Label>) {
        let tree = self.part.tree;
        match tree[id].kind {
            PatternKind::Wildcard => {}
            PatternKind::Bind { .. } => self.bind(tree.pattern_local(id), from),
            PatternKind::Literal(literal) => {
                let number = match self.part.facts.pattern(id) {
                    Some(PatternFact::Number(number)) => Some(number),
                    _ => None,
                };
                let value = self.literal(literal, number);
                let constant = self.constant(value);
                self.emit(Instruction::JumpUnlessEqual {
                    from,
                    constant,
                    target: Self::target(fails),
                });
            }
            PatternKind::Constructor { argument, .. } => {
                self.constructor_pattern(id, argument, from, fails, entry);
            }
            PatternKind::Record { fields, .. } => {
                let Some(PatternFact::Record(record)) = self.part.facts.pattern(id) else {
                    return self.hole();
                };
                let declared = owner_fields(self.compiler.environment(), record);
                self.field_patterns(declared, fields, from, fails);
            }
            PatternKind::Error => self.hole(),
        }
    }

    fn constructor_pattern(
        &mut self,
        id: PatternId,
        argument: Option<PatternId>,
        from: Source,
        fails: Label,
        entry: Option<Label>,
    ) {
        let Some(constructor) = self.part.referents.pattern(id) else {
            return self.hole();
        };
        let environment = self.compiler.environment();
        let tag = environment[constructor].variant;
        self.emit(Instruction::JumpUnlessTag {
            from,
            tag,
            target: Self::target(fails),
        });
        if let Some(entry) = entry {
            self.put(entry);
        }
        let tree = self.part.tree;
        let inner = argument.map(|argument| (argument, tree[argument].kind));
        match (&environment.variant(constructor).payload, inner) {
            (_, None | Some((_, PatternKind::Wildcard))) => {}
            (Payload::Value(_), Some((argument, _))) => {
                let part = self.part_register(from, 0);
                self.pattern(argument, part, fails, None);
            }
            (Payload::Record(declared), Some((_, PatternKind::Record { fields, .. }))) => {
                self.field_patterns(declared, fields, from, fails);
            }
            _ => self.hole(),
        }
    }

    fn field_patterns(
        &mut self,
        declared: &[Field],
        fields: List<FieldPattern>,
        from: Source,
        fails: Label,
    ) {
        let tree = self.part.tree;
        for (local, field) in tree.matched(fields) {
            let is_wildcard = |id: PatternId| matches!(tree[id].kind, PatternKind::Wildcard);
            if field.pattern.is_some_and(is_wildcard) {
                continue;
            }
            let part = self.part_register(from, position(declared, field.field.name));
            match field.pattern {
                Some(pattern) => self.pattern(pattern, part, fails, None),
                None => self.bind(local, part),
            }
        }
    }

    fn part_register(&mut self, from: Source, index: u32) -> Source {
        let to = self.register();
        self.emit(Instruction::Part { to, from, index });
        Source::register(to)
    }
}
