//! Definitions and builtins that may be called in a hole's place.

use hashbrown::{HashMap, HashSet};

use super::{Global, Head, ITSELF, MAX_STEPS, Menu, Search};
use crate::builtins::{BuiltinId, Builtins};
use crate::diagnostic::CandidateOrigin;
use crate::environment::Body;
use crate::infer::{Inferer, PendingHole, mismatch};
use crate::names::Referent;
use crate::program::{DefinitionId, Program, Role, prelude};
use crate::syntax::Name;
use crate::syntax::tree::{ExprId, ExprKind, LocalId};
use crate::types::SchemeNode;
use crate::types::store::{Node, Ty};

impl Inferer<'_, '_> {
    /// Lists what all holes of a definition have in common.
    pub(in crate::infer) fn menu(&self) -> Menu {
        Menu {
            used: self.used_locals(),
            allowed: HashMap::new(),
            globals: self.globals(),
        }
    }

    /// Lists the definitions and builtins that may be called: no definition that stands later.
    fn globals(&self) -> Vec<Global> {
        let program = self.program;
        let module = self.file.module;
        let global = |text: String, referent, nearness| Global {
            name: program.names.get(&text),
            text,
            referent,
            nearness,
        };
        let mut globals = Vec::new();
        for (id, definition) in program.definitions() {
            let file = &program.files[definition.file];
            let stands_before = id <= self.id || !file.is_listed;
            let is_written = file.role == Role::Written;
            if stands_before && is_written && program.is_visible(id, module) {
                let text = program.definition_text(id, module);
                let nearness = if id == self.id {
                    ITSELF
                } else {
                    usize::from(definition.module != module)
                };
                globals.push(global(text, Referent::Definition(id), nearness));
            }
        }
        let is_free = |name: &str| {
            let name = program.names.get(name);
            name.is_none_or(|name| program.visible_named(name, module).next().is_none())
        };
        for (id, definition) in prelude().definitions() {
            let name = &prelude().names[definition.name];
            if is_free(name) {
                globals.push(global(name.to_owned(), Referent::Prelude(id), 2));
            }
        }
        for id in BuiltinId::all().filter(|id| is_free(id.name())) {
            globals.push(global(id.name().to_owned(), Referent::Builtin(id), 0));
        }
        globals
    }

    /// Offers a definition or a builtin, if what it gives may be the goal.
    pub(super) fn try_global(&mut self, search: &mut Search, hole: &PendingHole, global: &Global) {
        let is_hidden = |name| self.is_local(hole, name);
        if self.store.steps() > MAX_STEPS
            || !self.may_give(global.referent, search.goal)
            || global.name.is_some_and(is_hidden)
        {
            return;
        }
        let snapshot = self.store.snapshot();
        let head = Head {
            text: global.text.clone(),
            ty: self.lazy(global.referent, hole.expr),
            names: self.parameter_names_of(global.referent),
            from: match global.referent {
                Referent::Builtin(_) => CandidateOrigin::Builtin,
                _ => CandidateOrigin::Definition,
            },
            is_fresh: false,
            nearness: global.nearness,
        };
        self.try_head(search, &head);
        self.store.rollback(snapshot);
    }

    /// Says whether a type, or what it gives after arguments, begins like the goal. Most do not, and this is found
    /// without a copy.
    fn may_give(&self, referent: Referent, goal: Ty) -> bool {
        let (schemes, scheme) = match referent {
            Referent::Definition(id) => (&self.program.schemes, self.program[id].scheme),
            Referent::Prelude(id) => (&prelude().schemes, prelude()[id].scheme),
            Referent::Builtin(id) => (&Builtins::get().schemes, Builtins::get().scheme(id)),
            _ => return false,
        };
        let goal = self.store.node(goal);
        let mut rest = scheme.root;
        loop {
            match (schemes[rest], goal) {
                (SchemeNode::Error, _) => return false,
                (SchemeNode::Variable(_), _) | (_, Node::Variable { .. } | Node::Error) => {
                    return true;
                }
                (SchemeNode::Arrow { .. }, Node::Arrow { .. }) => return true,
                (SchemeNode::Arrow { codomain, .. }, _) => rest = codomain,
                (SchemeNode::Type { id, .. }, Node::Type { id: other, .. }) => {
                    let is_alias = matches!(self.environment[id].body, Body::Alias(_));
                    return id == other || is_alias;
                }
                (SchemeNode::Type { .. }, _) => return false,
            }
        }
    }

    fn is_local(&self, hole: &PendingHole, name: Name) -> bool {
        let mut locals = hole.scope.iter();
        locals.any(|local| {
            let binder = self.tree.local_binder(*local);
            binder.is_some_and(|binder| binder.name == name)
        })
    }

    /// Gives the type of something global; what its use would ask of its variables is left to the place.
    fn lazy(&mut self, referent: Referent, place: ExprId) -> Ty {
        if self.store.steps() > MAX_STEPS {
            return Ty::ERROR;
        }
        let operations = self.operations.len();
        let ty = self.referent_type(place, referent);
        // A key that has to have an order is only known to have one where the goal says so; it is left out.
        if self.operations.len() > operations {
            self.operations.truncate(operations);
            return Ty::ERROR;
        }
        ty
    }

    fn parameter_names_of(&self, referent: Referent) -> Vec<Option<String>> {
        let of_program = |program: &Program, id: DefinitionId| {
            let tree = &program.file_of(id).tree;
            let signature = program.written(id).signature;
            mismatch::parameter_names(tree, &program.names, signature)
        };
        match referent {
            Referent::Definition(id) => of_program(self.program, id),
            Referent::Prelude(id) => of_program(prelude(), id),
            Referent::Builtin(id) => {
                let builtins = Builtins::get();
                let written = builtins.written(id);
                mismatch::parameter_names(&builtins.tree, &builtins.names, written)
            }
            _ => Vec::new(),
        }
    }

    /// Lists the locals that a definition uses.
    fn used_locals(&self) -> HashSet<LocalId> {
        let mut used = HashSet::new();
        let definition = self.program.written(self.id);
        let mut open = vec![definition.body];
        while let Some(id) = open.pop() {
            if let ExprKind::Path { .. } = self.tree[id].kind
                && let Referent::Local(local) = self.referents.expr(id)
            {
                used.insert(local);
            }
            self.tree.for_each_part(id, |part| open.push(part));
        }
        used
    }
}
