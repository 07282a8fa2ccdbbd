//! Faults of calls, records and matches.

use super::*;

/// Functions whose arguments have one type each, whatever else is written.
const FIRM: [&str; 6] = [
    "utf8_len",
    "utf8_trim",
    "utf8_concat",
    "clamp",
    "status_text",
    "fahrenheit",
];

impl Planter<'_> {
    /// Gives the head of a call and its arguments, first one first.
    fn spine(&self, id: ExprId) -> (ExprId, Vec<ExprId>) {
        let (mut head, mut arguments) = (id, Vec::new());
        while let ExprKind::Apply { function, argument } = self.tree[head].kind {
            arguments.push(argument);
            head = function;
        }
        arguments.reverse();
        (head, arguments)
    }

    /// Gives the place of a callee that asks for certain types.
    fn firm_callee(&self, head: ExprId) -> Option<Span> {
        let ExprKind::Path { root, .. } = self.tree[head].kind else {
            return None;
        };
        let name = &self.names[root];
        (name.starts_with("made_") || FIRM.contains(&name)).then_some(self.tree[head].span)
    }

    /// Says what the type of an expression rests on, where that is a declared type.
    pub(super) fn is_sure(&self, id: ExprId) -> Option<Span> {
        let mut params = self.tree[self.definition.params].iter();
        match self.tree[id].kind {
            ExprKind::Path { root, fields } if fields.is_empty() => params
                .any(|param| param.name == root)
                .then_some(self.tree[id].span),
            ExprKind::Apply { .. } => self.firm_callee(self.spine(id).0),
            _ => None,
        }
    }

    /// Visits head and arguments of a call.
    pub(super) fn arguments(&mut self, id: ExprId, context: &Context) {
        let (head, arguments) = self.spine(id);
        let firm = self.firm_callee(head);
        for argument in arguments {
            let context = match firm {
                Some(head) => context.firm(&[head]),
                None => context.loose(),
            };
            self.expr(argument, &context);
        }
        self.expr(head, &context.loose());
    }

    /// Gives a call an argument too few or too many.
    pub(super) fn call(&mut self, id: ExprId, context: &Context) {
        let (head, arguments) = self.spine(id);
        let (Some(depends_on), Some(_)) = (&context.depends_on, self.firm_callee(head)) else {
            return;
        };
        let whole = self.balanced(self.tree[id].span);
        let reach: Vec<Span> = depends_on.iter().copied().chain([whole]).collect();
        let last = arguments[arguments.len() - 1];
        let last = self.balanced_group(self.tree[last].span);
        let before = match self.tree[id].kind {
            ExprKind::Apply { function, .. } => self.tree[function].span,
            _ => whole,
        };
        let at = Span::new(self.balanced(before).end, last.end);
        let code = Code::TypeMismatch;
        let fault = self.add("missing argument", code, at, "", Place::At(before));
        fault.reach.clone_from(&reach);
        fault.is_lossy = true;
        let end = Span::empty_at(whole.end);
        let place = Place::At(self.tree[id].span);
        self.add("argument too many", code, end, " 1", place).reach = reach;
    }

    /// Leaves out a field of a record literal.
    pub(super) fn record(&mut self, id: ExprId) {
        let ExprKind::Record { base: None, fields } = self.tree[id].kind else {
            return;
        };
        let span = self.tree[id].span;
        if let [first, second, ..] = &self.tree[fields] {
            let at = Span::new(first.field.span.start, second.field.span.start);
            let fault = self.add("missing field", Code::TypeMismatch, at, "", Place::At(span));
            fault.reach = vec![span];
            fault.is_lossy = true;
        }
    }

    /// Leaves out arms, repeats them, and misspells their constructors.
    pub(super) fn arms(
        &mut self,
        id: ExprId,
        scrutinee: ExprId,
        arms: List<soil::syntax::tree::Arm>,
    ) {
        let arms = &self.tree[arms];
        let patterns: Vec<Pattern> = arms.iter().map(|arm| self.tree[arm.pattern]).collect();
        let held: Vec<Span> = patterns.iter().map(|pattern| pattern.span).collect();
        for arm in arms {
            self.pattern(arm.pattern, &held);
        }
        let Some(rests_on) = self.is_sure(scrutinee) else {
            return;
        };
        let distinct = patterns
            .iter()
            .all(|pattern| matches!(pattern.kind, PatternKind::Constructor { .. }));
        let reach: Vec<Span> = held.iter().copied().chain([rests_on]).collect();
        let bars: Vec<u32> = held
            .iter()
            .map(|pattern| self.bar_before(*pattern))
            .collect();
        let end = self.balanced(self.tree[id].span).end;
        let starts = bars.iter().copied();
        let ends = bars.iter().skip(1).copied().chain([end]);
        for (position, (start, end)) in starts.zip(ends).enumerate() {
            let arm = Span::new(start, end);
            let body = self.tree[arms[position].body].span;
            let mut reach = reach.clone();
            if distinct && arms.len() > 1 {
                let text = if end == bars.get(position + 1).copied().unwrap_or(0) {
                    ""
                } else {
                    " "
                };
                let place = if position + 1 == arms.len() {
                    // The match then ends with the arm before.
                    Place::From(self.tree[id].span)
                } else {
                    Place::At(self.tree[id].span)
                };
                let mut reach = reach.clone();
                reach.push(arm);
                let code = Code::NonExhaustiveMatch;
                let fault = self.add("dropped arm", code, arm, text, place);
                fault.reach = reach;
                fault.is_lossy = true;
            }
            if distinct && !self.ends_open(arms[position].body) {
                let copy = format!("{} ", self.text[arm.range()].trim_end());
                let place = Place::At(held[position]);
                let at = Span::empty_at(arm.start);
                reach.push(Span::empty_at(arm.start));
                reach.push(body);
                // The second of the two is reported: the one that was there.
                self.add("repeated arm", Code::RedundantArm, at, &copy, place)
                    .reach = reach;
            }
        }
    }

    fn pattern(&mut self, id: PatternId, held: &[Span]) {
        match self.tree[id].kind {
            PatternKind::Constructor { head, argument, .. } => {
                self.constructor(head, held);
                if let Some(argument) = argument {
                    self.pattern(argument, held);
                }
            }
            PatternKind::Literal(Literal::Int(_)) => self.literal_pattern(id),
            _ => {}
        }
    }

    fn literal_pattern(&mut self, id: PatternId) {
        let span = self.tree[id].span;
        let text = "99999999999999999999";
        let code = Code::LiteralOutOfRange;
        self.add("literal out of range", code, span, text, Place::At(span))
            .is_lossy = true;
    }

    /// Says whether an expression ends in a match that would take the arms behind it.
    fn ends_open(&self, id: ExprId) -> bool {
        match self.tree[id].kind {
            ExprKind::Match { .. } => true,
            ExprKind::Let { body, .. } | ExprKind::Fun { body, .. } => self.ends_open(body),
            ExprKind::If { else_branch, .. } => self.ends_open(else_branch),
            _ => false,
        }
    }
}
