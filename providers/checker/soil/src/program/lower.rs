//! Predicates as definitions.
//!
//! A clause or a property becomes a definition of its own file that gives a `Bool`, so that names, types and values of
//! predicates are those of the language. No source text can write its name. `p implies q` is `not p or q`; with
//! `e is C(x)` alone on the left it is a match that knows `x` on the right.

use std::sync::Arc;

use super::{DefinitionId, Program, ProgramFile, Role};
use crate::environment::{Environment, Payload};
use crate::source::{FileId, Span};
use crate::syntax::tree::{
    Arm, Binder, Definition, Effect, Effects, ExprId, ExprKind, Ident, List, PatternId,
    PatternKind, PredicateId, PredicateKind, Row, TermId, TermKind, Tree, TypeId, TypeKind,
};
use crate::syntax::{Name, known};

/// A parameter of a definition that is made, its type in some tree.
#[derive(Clone, Copy)]
pub(super) struct Param<'t> {
    pub(super) binder: Binder,
    pub(super) tree: &'t Tree,
    pub(super) ty: TypeId,
}

/// A definition being made.
pub(super) struct Lowering<'e> {
    environment: &'e Environment,
    pub(super) tree: Tree,
}

/// What a definition being made is called and where it belongs.
pub(super) struct Frame<'n> {
    pub(super) module: Name,
    pub(super) name: &'n str,
    pub(super) file: FileId,
    pub(super) role: Role,
}

/// The row that predicates may have.
pub(super) const PREDICATE_EFFECTS: Effects = Effects::NONE.with(Effect::Div).with(Effect::Panic);

impl<'e> Lowering<'e> {
    pub(super) fn new(environment: &'e Environment) -> Self {
        let tree = Tree::new();
        Self { environment, tree }
    }

    /// Adds the definition `name : (x : T) -> … -> effects Bool`, `name x … = body`.
    pub(super) fn signature(&mut self, params: &[Param<'_>], effects: Effects) -> TypeId {
        let here = Span::new(0, 0);
        let arguments = List::EMPTY;
        let name = known::BOOL;
        let mut ty = self
            .tree
            .add_type(here, TypeKind::Constructor { name, arguments });
        for (position, param) in params.iter().enumerate().rev() {
            let domain = self.copied(param.tree, param.ty);
            let is_last = position + 1 == params.len();
            let effects = if is_last { effects } else { Effects::NONE };
            let variable = None;
            ty = self.tree.add_type(
                here,
                TypeKind::Arrow {
                    param: Some(param.binder),
                    domain,
                    row: Row { effects, variable },
                    codomain: ty,
                    arrow: here,
                },
            );
        }
        ty
    }

    /// Copies a type from another tree, without refinements.
    fn copied(&mut self, from: &Tree, id: TypeId) -> TypeId {
        let written = from[id];
        let kind = match written.kind {
            TypeKind::Refined { base, .. } => return self.copied(from, base),
            TypeKind::Constructor { name, arguments } => {
                let inner: Vec<TypeId> = from[arguments]
                    .iter()
                    .map(|inner| self.copied(from, *inner))
                    .collect();
                let arguments = self.tree.add_type_ids(inner);
                TypeKind::Constructor { name, arguments }
            }
            TypeKind::Arrow {
                param,
                domain,
                row,
                codomain,
                arrow,
            } => TypeKind::Arrow {
                param,
                domain: self.copied(from, domain),
                row,
                codomain: self.copied(from, codomain),
                arrow,
            },
            TypeKind::Variable { name } => TypeKind::Variable { name },
            TypeKind::Error => TypeKind::Error,
        };
        self.tree.add_type(written.span, kind)
    }

    /// Turns a predicate into an expression.
    pub(super) fn predicate(&mut self, from: &Tree, id: PredicateId) -> ExprId {
        let span = from[id].span;
        let kind = match from[id].kind {
            PredicateKind::Implies { lhs, rhs } => {
                if let PredicateKind::Is { .. } = from[lhs].kind {
                    let body = self.predicate(from, rhs);
                    let otherwise = self.truth(span, known::TRUE);
                    return self.is(from, lhs, body, otherwise);
                }
                let operand = self.predicate(from, lhs);
                let lhs = self
                    .tree
                    .add_expr(from[lhs].span, ExprKind::Not { operand });
                let rhs = self.predicate(from, rhs);
                ExprKind::Or { lhs, rhs }
            }
            PredicateKind::Or { lhs, rhs } => ExprKind::Or {
                lhs: self.predicate(from, lhs),
                rhs: self.predicate(from, rhs),
            },
            PredicateKind::And { lhs, rhs } => ExprKind::And {
                lhs: self.predicate(from, lhs),
                rhs: self.predicate(from, rhs),
            },
            PredicateKind::Not { operand } => ExprKind::Not {
                operand: self.predicate(from, operand),
            },
            PredicateKind::Comparison { operator, lhs, rhs } => ExprKind::Comparison {
                operator,
                lhs: self.term(from, lhs),
                rhs: self.term(from, rhs),
            },
            PredicateKind::Is { .. } => {
                let body = self.truth(span, known::TRUE);
                let otherwise = self.truth(span, known::FALSE);
                return self.is(from, id, body, otherwise);
            }
            PredicateKind::Call {
                function,
                arguments,
            } => return self.call(from, function, arguments),
            PredicateKind::Error => ExprKind::Error,
        };
        self.tree.add_expr(span, kind)
    }

    /// Makes `match e with | C x -> body | _ -> otherwise`.
    fn is(&mut self, from: &Tree, id: PredicateId, body: ExprId, otherwise: ExprId) -> ExprId {
        let PredicateKind::Is {
            scrutinee,
            type_name,
            constructor,
            head,
            payload,
        } = from[id].kind
        else {
            return body;
        };
        let span = from[id].span;
        let scrutinee = self.term(from, scrutinee);
        let argument = self.payload(type_name, constructor, head, payload);
        let name = constructor;
        let kind = PatternKind::Constructor {
            type_name,
            name,
            head,
            argument,
        };
        let pattern = self.tree.add_pattern(head, kind);
        let wildcard = self.tree.add_pattern(span, PatternKind::Wildcard);
        let arm = |pattern, body| Arm {
            span,
            pattern,
            body,
        };
        let arms = [arm(pattern, body), arm(wildcard, otherwise)];
        let arms = self.tree.add_arms(arms);
        self.tree
            .add_expr(span, ExprKind::Match { scrutinee, arms })
    }

    /// Gives the pattern of what a constructor carries: the name asked for, or `_` where it carries anything.
    fn payload(
        &mut self,
        type_name: Option<Name>,
        constructor: Name,
        head: Span,
        payload: Option<Binder>,
    ) -> Option<PatternId> {
        if let Some(Binder { name, span }) = payload {
            return Some(self.tree.add_pattern(span, PatternKind::Bind { name }));
        }
        let environment = self.environment;
        let mut found = environment.constructors_named(constructor).filter(|id| {
            let owner = environment[environment[*id].owner].name;
            type_name.is_none_or(|name| name == owner)
        });
        let id = found.next()?;
        let is_empty = matches!(environment.variant(id).payload, Payload::Empty);
        (!is_empty).then(|| self.tree.add_pattern(head, PatternKind::Wildcard))
    }

    /// Gives `True` or `False`, by its whole name where another sum has the same variant.
    fn truth(&mut self, span: Span, name: Name) -> ExprId {
        let is_unique = self.environment.constructors_named(name).nth(1).is_none();
        let space = known::BOOL;
        let kind = if is_unique {
            ExprKind::Constructor { name }
        } else {
            ExprKind::Qualified { space, name }
        };
        self.tree.add_expr(span, kind)
    }

    fn term(&mut self, from: &Tree, id: TermId) -> ExprId {
        let span = from[id].span;
        let kind = match from[id].kind {
            TermKind::Literal(literal) => ExprKind::Literal(literal),
            TermKind::Path { root, fields } => {
                let fields = self.tree.add_idents(from[fields].iter().copied());
                ExprKind::Path { root, fields }
            }
            TermKind::Arithmetic { operator, lhs, rhs } => ExprKind::Arithmetic {
                operator,
                lhs: self.term(from, lhs),
                rhs: self.term(from, rhs),
            },
            TermKind::Call {
                function,
                arguments,
            } => return self.call(from, function, arguments),
            TermKind::Error => ExprKind::Error,
        };
        self.tree.add_expr(span, kind)
    }

    fn call(&mut self, from: &Tree, function: Ident, arguments: List<TermId>) -> ExprId {
        let root = self.name(function.name, function.span);
        from[arguments].iter().fold(root, |function, argument| {
            let span = self.tree[function].span.to(from[*argument].span);
            let argument = self.term(from, *argument);
            self.tree
                .add_expr(span, ExprKind::Apply { function, argument })
        })
    }

    pub(super) fn name(&mut self, root: Name, span: Span) -> ExprId {
        let fields = List::EMPTY;
        self.tree.add_expr(span, ExprKind::Path { root, fields })
    }
}

impl Program {
    /// Adds a definition that was made out of predicates.
    pub(super) fn add_lowered(
        &mut self,
        mut tree: Tree,
        frame: &Frame<'_>,
        params: &[Binder],
        (signature, body): (TypeId, ExprId),
    ) -> DefinitionId {
        let name = Ident {
            name: self.names.intern(frame.name),
            span: Span::new(0, 0),
        };
        let span = tree[body].span;
        let params = tree.add_binders(params.iter().copied());
        let definition = Definition {
            span,
            name,
            signature,
            decreases: None,
            equation_name: name,
            is_read: true,
            params,
            body,
        };
        tree.definitions.push(definition);
        let file = self.files.len();
        self.add_definition(&tree, &definition, (file, 0), frame.module);
        self.files.push(Arc::new(ProgramFile {
            id: frame.file,
            module: frame.module,
            is_listed: true,
            role: frame.role,
            tree: Arc::new(tree),
        }));
        let last = u32::try_from(self.definitions.len() - 1);
        DefinitionId(last.expect("a program in memory has fewer than 2^32 definitions"))
    }

    /// Adds the text of a predicate under the name that reports show.
    pub(super) fn add_predicate_text(&mut self, path: &str, text: &str) -> (FileId, Arc<[u8]>) {
        let bytes: Arc<[u8]> = Arc::from(text.as_bytes());
        (self.sources.add(Arc::from(path), Arc::clone(&bytes)), bytes)
    }
}
