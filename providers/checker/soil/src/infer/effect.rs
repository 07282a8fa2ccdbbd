//! What contexts lack.

use hashbrown::{HashMap, HashSet};

use super::{Context, ContextId, Inferer, MEASURE, Performed, Performer};
use crate::diagnostic::{Code, Diagnostic, EffectParams, EffectStep, Params};
use crate::names::Referent;
use crate::program::Role;
use crate::syntax::tree::{Effect, Effects, ExprId, ExprKind};
use crate::types::store::{RowTail, RowVariable};
use crate::verdict::{Obligation, ObligationKind, Site};

/// The longest chain of calls in a report.
const MAX_CHAIN: usize = 8;

/// The most operations and calls that are visited for all obligations of a definition together.
const MAX_VISITED: usize = 100_000;

/// The lambdas behind the calls of a definition.
struct Behind {
    /// By the variable that ends their rows.
    lambdas: HashMap<RowVariable, Vec<ContextId>>,
    /// What each context performs, by position.
    performed: Vec<Vec<usize>>,
    /// How many may still be visited.
    left: usize,
}

impl Behind {
    fn of(&self, variable: Option<RowVariable>) -> Vec<ContextId> {
        let found = variable.and_then(|variable| self.lambdas.get(&variable));
        found.cloned().unwrap_or_default()
    }

    fn performed_in(&self, context: ContextId) -> Vec<usize> {
        self.performed[context].clone()
    }

    /// Counts a visit; false when there may be no more.
    fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

/// What the calls and operations of a definition perform beyond its row.
pub(super) struct Lacking {
    pub(super) may_diverge: bool,
    pub(super) obligations: Vec<Obligation>,
}

impl Inferer<'_, '_> {
    /// Reports effects that their contexts do not allow, and collects what may raise or not end.
    pub(super) fn judge_effects(&mut self) -> Lacking {
        let mut lacking = Lacking {
            may_diverge: false,
            obligations: Vec::new(),
        };
        let mut behind = None;
        for position in 0..self.performed.len() {
            let performed = self.performed[position];
            if performed.context == MEASURE {
                continue;
            }
            let (effects, variable) = self.missing(performed);
            lacking.may_diverge |= effects.contains(Effect::Div);
            if effects.contains(Effect::Panic) {
                let behind = behind.get_or_insert_with(|| self.behind());
                lacking.obligations.push(Obligation {
                    kind: self.obligation_kind(performed),
                    span: self.span(performed.expr),
                    sites: self.sites(performed, behind),
                });
            }
            let forbidden = self.forbidden(performed.by);
            let forbidden = forbidden
                .iter()
                .copied()
                .find(|effect| effects.contains(*effect));
            if forbidden.is_some() || variable.is_some() {
                self.report_effect(performed, forbidden, variable);
            }
        }
        lacking
            .obligations
            .sort_by_key(|obligation| (obligation.span.start, obligation.span.end));
        lacking
    }

    /// Lists the effects that a context has to allow; others are facts about the definition.
    fn forbidden(&self, performer: Performer) -> &'static [Effect] {
        match performer {
            Performer::Call(_) if self.file.role == Role::Clause => {
                &[Effect::Div, Effect::Panic, Effect::Io, Effect::Ffi]
            }
            _ => &[Effect::Io, Effect::Ffi],
        }
    }

    /// Gives the effects and the variable that a context lacks.
    pub(super) fn missing(&self, performed: Performed) -> (Effects, Option<u32>) {
        let (effects, tail) = self.store.effects(performed.row);
        let (allowed, own) = self.store.effects(self.contexts[performed.context].row);
        if let RowTail::Open(_) = own {
            return (Effects::NONE, None);
        }
        let variable = match tail {
            RowTail::Rigid(variable) if tail != own => Some(variable),
            _ => None,
        };
        (effects.without(allowed), variable)
    }

    fn obligation_kind(&self, performed: Performed) -> ObligationKind {
        match performed.by {
            Performer::Overflow => ObligationKind::Overflow,
            Performer::DivZero => ObligationKind::DivZero,
            Performer::Call(head) => ObligationKind::CalleePanic(self.callee_text(head)),
        }
    }

    /// Gives a callee as it is written.
    fn callee_text(&self, head: ExprId) -> String {
        match self.tree[head].kind {
            ExprKind::Path { root, fields } => {
                let fields = self.tree[fields].iter();
                fields.fold(self.text(root).to_owned(), |text, field| {
                    format!("{text}.{}", self.text(field.name))
                })
            }
            ExprKind::Qualified { space, name } => {
                format!("{}::{}", self.text(space), self.text(name))
            }
            _ => "<expression>".to_owned(),
        }
    }

    /// Finds what raises in the lambdas behind a call, through local calls.
    fn sites(&self, performed: Performed, behind: &mut Behind) -> Vec<Site> {
        let Performer::Call(_) = performed.by else {
            return Vec::new();
        };
        let mut sites = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![performed.row];
        while let Some(row) = open.pop() {
            for context in behind.of(self.store.last_variable(row)) {
                if !seen.insert(context) {
                    continue;
                }
                for position in behind.performed_in(context) {
                    let inner = self.performed[position];
                    if !self.raises(inner) || !behind.spend() {
                        continue;
                    }
                    if self.is_local_call(inner) {
                        open.push(inner.row);
                    } else {
                        sites.push(Site {
                            kind: self.obligation_kind(inner),
                            span: self.span(inner.expr),
                        });
                    }
                }
            }
        }
        sites.sort_by_key(|site| (site.span.start, site.span.end));
        sites
    }

    fn raises(&self, performed: Performed) -> bool {
        self.store.effects(performed.row).0.contains(Effect::Panic)
    }

    /// Finds which lambdas perform which rows wherever they are called.
    fn behind(&self) -> Behind {
        let mut behind = Behind {
            lambdas: HashMap::new(),
            performed: vec![Vec::new(); self.contexts.len()],
            left: MAX_VISITED,
        };
        for (context, Context { row }) in self.contexts.iter().enumerate().skip(MEASURE + 1) {
            if let Some(variable) = self.store.last_variable(*row) {
                behind.lambdas.entry(variable).or_default().push(context);
            }
        }
        for (position, performed) in self.performed.iter().enumerate() {
            behind.performed[performed.context].push(position);
        }
        behind
    }

    fn is_local_call(&self, performed: Performed) -> bool {
        let Performer::Call(head) = performed.by else {
            return false;
        };
        let is_name = matches!(
            self.tree[head].kind,
            ExprKind::Path { .. } | ExprKind::Qualified { .. }
        );
        !is_name || matches!(self.referents.expr(head), Referent::Local(_))
    }

    fn report_effect(
        &mut self,
        performed: Performed,
        effect: Option<Effect>,
        variable: Option<u32>,
    ) {
        let effect_text = match (effect, variable) {
            (Some(effect), _) => effect.word().to_owned(),
            (None, Some(variable)) => {
                let name = self.variables.rows.get(variable as usize);
                name.map_or("_", |name| &self.program.names[*name])
                    .to_owned()
            }
            (None, None) => return,
        };
        let written = effect_text.clone();
        let declared = self.show_row(self.contexts[performed.context].row);
        let Performer::Call(head) = performed.by else {
            return;
        };
        let callee = self.callee_text(head);
        let message =
            format!("`{callee}` performs `{effect_text}`, which its context does not allow");
        let span = self.span(performed.expr);
        let code = Code::EffectViolation;
        let mut diagnostic = Diagnostic::at(code, self.file.id, span, message);
        diagnostic = diagnostic.with_note(format!("the row that is allowed here is `{declared}`"));
        let chain = self.chain(performed, effect, variable);
        for step in chain.iter().skip(1) {
            let note = format!("`{}` performs it here", step.callee);
            diagnostic = diagnostic.with_note_at(self.file.id, step.span, note);
        }
        let params = Params::Effect(EffectParams {
            effect: effect_text,
            declared,
            chain,
        });
        let edit = self.declaration_edit(&written, effect.is_none());
        diagnostic.edits.extend(edit);
        self.push(diagnostic.with_params(params));
    }

    /// Follows an effect from a call to the operation that performs it.
    fn chain(
        &self,
        performed: Performed,
        effect: Option<Effect>,
        variable: Option<u32>,
    ) -> Vec<EffectStep> {
        let step = |performed: Performed| EffectStep {
            callee: match performed.by {
                Performer::Call(head) => self.callee_text(head),
                _ => "<expression>".to_owned(),
            },
            span: self.span(performed.expr),
            file: None,
        };
        let behind = self.behind();
        let mut seen = HashSet::new();
        let mut chain = vec![step(performed)];
        let mut row = performed.row;
        while chain.len() < MAX_CHAIN {
            let lambdas = behind.of(self.store.last_variable(row)).into_iter();
            let unseen: Vec<ContextId> = lambdas.filter(|context| seen.insert(*context)).collect();
            let inner = unseen
                .iter()
                .flat_map(|context| behind.performed_in(*context))
                .map(|position| &self.performed[position]);
            let mut inner = inner.filter(|inner| {
                let (effects, tail) = self.store.effects(inner.row);
                let has_effect = effect.is_some_and(|effect| effects.contains(effect));
                let has_variable = variable.is_some_and(|own| tail == RowTail::Rigid(own));
                has_effect || has_variable
            });
            let inner = inner.next();
            let Some(inner) = inner else {
                break;
            };
            chain.push(step(*inner));
            row = inner.row;
        }
        chain
    }
}
