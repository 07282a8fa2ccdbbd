//! Clauses around definitions.

use std::rc::Rc;

use super::super::code::{ClauseCode, Instruction, Source};
use super::function::Function;
use super::{Compiler, Entry, Origin, count, owner};
use crate::program::{DefinitionId, Guard};
use crate::syntax::tree::{Tree, TypeId, TypeKind};
use crate::values::Value;

impl<'c> Compiler<'c, '_> {
    /// Gives how many arguments a guarded definition takes before its clauses are looked at; none of other definitions.
    pub(super) fn guard_of(&self, origin: Origin, id: DefinitionId) -> Option<u32> {
        let guard = self.guard(origin, id)?;
        let part = self.part(origin, guard.definition);
        let signature = part.program.written(id).signature;
        Some(arrows(part.tree, signature))
    }

    fn guard(&self, origin: Origin, id: DefinitionId) -> Option<&'c Guard> {
        if origin == Origin::Prelude {
            return None;
        }
        let program: &'c crate::program::Program = self.checked.program;
        program.guards.iter().find(|guard| {
            let has_clauses = !guard.requires.is_empty() || !guard.ensures.is_empty();
            guard.definition == id && has_clauses
        })
    }

    /// Makes the code that runs in the place of a guarded definition: its clauses around its body.
    pub(super) fn guarded(&mut self, id: DefinitionId, entry: Entry) {
        let part = self.part(Origin::Program, id);
        let owner = owner(part.program, id);
        let body = self.reserve();
        self.definition(Origin::Program, id, body);
        let Some(guard) = self.guard(Origin::Program, id) else {
            return;
        };
        let takes = count(part.program.written(id).params.len());
        let mut function = Function::new(self, part, Rc::clone(&owner));
        let params: Vec<Source> = (0..entry.arity)
            .map(|_| Source::register(function.register()))
            .collect();
        let unguarded = function.label();
        function.refer(body);
        function.emit(Instruction::GuardBegin {
            code: entry.code,
            target: Function::target(unguarded),
        });
        for clause in &guard.requires {
            function.clause(clause.check, &clause.label, false, &params);
        }
        let result = function.register();
        function.body(body, takes, &params, Some(result));
        let mut values = params.clone();
        values.push(Source::register(result));
        for clause in &guard.ensures {
            function.clause(clause.check, &clause.label, true, &values);
        }
        function.emit(Instruction::GuardEnd { code: entry.code });
        function.emit(Instruction::Return {
            from: Source::register(result),
        });
        function.put(unguarded);
        function.body(body, takes, &params, None);
        let made = function.finish(entry.arity);
        self.codes[entry.code as usize] = Some(made);
    }
}

impl Function<'_, '_, '_> {
    /// Evaluates a clause and looks whether it holds.
    fn clause(
        &mut self,
        check: Option<DefinitionId>,
        label: &str,
        is_ensures: bool,
        values: &[Source],
    ) {
        let entry = check.and_then(|id| {
            let entries = &self.compiler.entries;
            entries.get(&(Origin::Program, id)).copied()
        });
        let Some(entry) = entry else {
            return self.hole();
        };
        self.compiler.clauses.push(ClauseCode {
            label: label.to_owned(),
            is_ensures,
            owner: Rc::clone(&self.owner),
        });
        let clause = count(self.compiler.clauses.len() - 1);
        self.refer(entry.code);
        let to = self.register();
        self.emit(Instruction::GuardEnter { clause });
        let unit = [self.constant(Value::Unit)];
        let start = self.copies(if values.is_empty() { &unit } else { values });
        self.emit(Instruction::CallDefinition {
            to,
            code: entry.code,
            start,
        });
        self.emit(Instruction::GuardCheck { from: to });
        self.release(to);
    }

    /// Runs the body of a guarded definition, which may take fewer arguments than its signature has.
    fn body(&mut self, code: u32, takes: u32, params: &[Source], to: Option<u32>) {
        let mark = self.mark();
        if takes == count(params.len()) && takes > 0 {
            let start = self.copies(params);
            self.emit(match to {
                Some(to) => Instruction::CallDefinition { to, code, start },
                None => Instruction::TailDefinition { code, start },
            });
            self.release(mark);
            return;
        }
        let function = if takes > 0 {
            self.constant(Value::Definition(code))
        } else {
            let to = self.register();
            self.emit(Instruction::Global { to, code });
            Source::register(to)
        };
        if params.is_empty() {
            self.emit(match to {
                Some(to) => Instruction::Copy { to, from: function },
                None => Instruction::Return { from: function },
            });
            self.release(mark);
            return;
        }
        let start = self.copies(params);
        let count = count(params.len());
        self.emit(match to {
            Some(to) => Instruction::Call {
                to,
                function,
                start,
                count,
            },
            None => Instruction::TailCall {
                function,
                start,
                count,
            },
        });
        self.release(mark);
    }

    fn copies(&mut self, values: &[Source]) -> u32 {
        let start = self.mark();
        for from in values {
            let to = self.register();
            self.emit(Instruction::Copy { to, from: *from });
        }
        start
    }
}

/// Counts the arrows of a signature.
fn arrows(tree: &Tree, mut ty: TypeId) -> u32 {
    let mut count = 0;
    loop {
        match tree[ty].kind {
            TypeKind::Arrow { codomain, .. } => {
                count += 1;
                ty = codomain;
            }
            TypeKind::Refined { base, .. } => ty = base,
            _ => return count,
        }
    }
}
