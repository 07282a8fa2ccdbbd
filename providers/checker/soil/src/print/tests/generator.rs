//! Random trees from a sequence of choices: a shorter or smaller sequence gives a smaller tree.

use crate::source::Span;
use crate::syntax::tree::{
    ArithmeticOperator, Arm, Binder, Binding, ComparisonOperator, Definition, Effect, Effects,
    ExprId, ExprKind, FieldPattern, FieldValue, Ident, List, Literal, PatternId, PatternKind,
    PredicateId, PredicateKind, Row, TermId, TermKind, Tree, TypeId, TypeKind,
};
use crate::syntax::{Name, Names};

const NOWHERE: Span = Span::new(0, 0);

/// Makes a file of definitions from choices, all of them shapes that the grammar has.
pub(super) fn tree(choices: &[u8], names: &mut Names) -> Tree {
    let mut generator = Generator {
        choices: choices.iter(),
        names,
        tree: Tree::new(),
    };
    let count = generator.pick(3) + 1;
    for number in 0..count {
        generator.definition(number);
    }
    generator.tree
}

struct Generator<'a> {
    choices: std::slice::Iter<'a, u8>,
    names: &'a mut Names,
    tree: Tree,
}

impl Generator<'_> {
    /// Chooses a number below a bound; 0, the smallest shape, once the choices are used up.
    fn pick(&mut self, bound: usize) -> usize {
        usize::from(self.choices.next().copied().unwrap_or(0)) % bound
    }

    fn coin(&mut self) -> bool {
        self.pick(2) == 1
    }

    fn intern(&mut self, text: &str) -> Name {
        self.names.intern(text)
    }

    fn word(&mut self, words: &[&str]) -> Name {
        let word = words[self.pick(words.len())];
        self.intern(word)
    }

    fn local(&mut self) -> Name {
        self.word(&[
            "x", "y", "z1", "is", "implies", "forall", "type", "div", "io",
        ])
    }

    fn type_name(&mut self) -> Name {
        self.word(&["A", "Bc", "I64", "List"])
    }

    fn type_variable(&mut self) -> Name {
        self.word(&["a", "e", "is", "ignored"])
    }

    fn ident(name: Name) -> Ident {
        let span = NOWHERE;
        Ident { name, span }
    }

    fn binder(&mut self) -> Binder {
        let (name, span) = (self.local(), NOWHERE);
        Binder { name, span }
    }

    fn definition(&mut self, number: usize) {
        let name = self.intern(["f", "_g", "h_2"][number]);
        let name = Self::ident(name);
        let signature = self.ty(4);
        let decreases = (self.pick(4) == 3).then(|| self.expr(3));
        let params: Vec<Binder> = (0..self.pick(3)).map(|_| self.binder()).collect();
        let params = self.tree.add_binders(params);
        let body = self.expr(6);
        self.tree.definitions.push(Definition {
            span: NOWHERE,
            name,
            signature,
            decreases,
            equation_name: name,
            params,
            body,
            is_read: true,
        });
    }

    fn literal(&mut self) -> Literal {
        match self.pick(3) {
            0 => Literal::Int(self.word(&["0", "1", "18446744073709551616"])),
            1 => Literal::Float(self.word(&["0.0", "1.50", "2.5e-10", "1.0e05"])),
            _ => {
                let text = ["", "q\"\\", "\n\r\t\u{0}\u{1f}\u{7f}", "é中🙂--"][self.pick(4)];
                Literal::Text(self.intern(text))
            }
        }
    }

    fn fields(&mut self) -> List<Ident> {
        let fields: Vec<Ident> = (0..self.pick(3))
            .map(|_| Self::ident(self.local()))
            .collect();
        self.tree.add_idents(fields)
    }

    /// Names that differ, as the fields of a record have to.
    fn field_names(&mut self, least: usize) -> Vec<Ident> {
        let count = least + self.pick(3);
        ["p", "q", "r", "is"][..count]
            .iter()
            .map(|text| Self::ident(self.names.intern(text)))
            .collect()
    }

    fn expr(&mut self, depth: usize) -> ExprId {
        let kind = match if depth == 0 {
            self.pick(6)
        } else {
            self.pick(20)
        } {
            0 | 1 => ExprKind::Path {
                root: self.word(&["x", "f", "_g", "is", "y"]),
                fields: self.fields(),
            },
            2 => ExprKind::Literal(self.literal()),
            3 => ExprKind::Constructor {
                name: self.type_name(),
            },
            4 => self.qualified(),
            5 => ExprKind::Hole { name: self.local() },
            6 | 7 => self.let_expr(depth - 1),
            8 => self.fun(depth - 1),
            9 => ExprKind::If {
                condition: self.expr(depth - 1),
                then_branch: self.expr(depth - 1),
                else_branch: self.expr(depth - 1),
            },
            10..=12 => self.match_expr(depth - 1),
            13 => ExprKind::Annotation {
                expr: self.expr(depth - 1),
                ty: self.ty(2),
            },
            14 => self.record(depth - 1),
            _ => self.operation(depth - 1),
        };
        self.tree.add_expr(NOWHERE, kind)
    }

    fn qualified(&mut self) -> ExprKind {
        if self.coin() {
            let (space, name) = (self.local(), self.local());
            return ExprKind::Qualified { space, name };
        }
        let space = self.type_name();
        let name = if self.coin() {
            self.local()
        } else {
            self.type_name()
        };
        ExprKind::Qualified { space, name }
    }

    fn operation(&mut self, depth: usize) -> ExprKind {
        let lhs = self.expr(depth);
        match self.pick(7) {
            0 => return ExprKind::Not { operand: lhs },
            1 => return ExprKind::Negate { operand: lhs },
            _ => {}
        }
        let rhs = self.expr(depth);
        match self.pick(5) {
            0 => ExprKind::Apply {
                function: lhs,
                argument: rhs,
            },
            1 => ExprKind::Or { lhs, rhs },
            2 => ExprKind::And { lhs, rhs },
            3 => ExprKind::Comparison {
                operator: self.comparison(),
                lhs,
                rhs,
            },
            _ => {
                use ArithmeticOperator::{Add, Divide, Modulo, Multiply, Subtract};
                let operator = [Add, Subtract, Multiply, Divide, Modulo][self.pick(5)];
                ExprKind::Arithmetic { operator, lhs, rhs }
            }
        }
    }

    fn comparison(&mut self) -> ComparisonOperator {
        use ComparisonOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual][self.pick(6)]
    }

    fn let_expr(&mut self, depth: usize) -> ExprKind {
        let is_rec = self.coin();
        let mut bindings = Vec::new();
        for _ in 0..=self.pick(3) {
            let is_named = is_rec || self.pick(4) < 3;
            bindings.push(Binding {
                binder: is_named.then(|| self.binder()),
                value: self.expr(depth),
            });
        }
        ExprKind::Let {
            is_rec,
            bindings: self.tree.add_bindings(bindings),
            body: self.expr(depth),
        }
    }

    fn fun(&mut self, depth: usize) -> ExprKind {
        let params: Vec<Binder> = (0..=self.pick(2)).map(|_| self.binder()).collect();
        ExprKind::Fun {
            params: self.tree.add_binders(params),
            body: self.expr(depth),
        }
    }

    fn match_expr(&mut self, depth: usize) -> ExprKind {
        let scrutinee = self.expr(depth);
        let mut arms = Vec::new();
        for _ in 0..=self.pick(3) {
            arms.push(Arm {
                span: NOWHERE,
                pattern: self.pattern(3),
                body: self.expr(depth),
            });
        }
        let arms = self.tree.add_arms(arms);
        ExprKind::Match { scrutinee, arms }
    }

    fn record(&mut self, depth: usize) -> ExprKind {
        let base = self.coin().then(|| {
            let (root, fields) = (self.local(), self.fields());
            self.tree.add_expr(NOWHERE, ExprKind::Path { root, fields })
        });
        let mut fields = Vec::new();
        for field in self.field_names(1) {
            let value = self.expr(depth);
            fields.push(FieldValue { field, value });
        }
        let fields = self.tree.add_field_values(fields);
        ExprKind::Record { base, fields }
    }

    fn pattern(&mut self, depth: usize) -> PatternId {
        let kind = match if depth == 0 {
            self.pick(3)
        } else {
            self.pick(6)
        } {
            0 => PatternKind::Wildcard,
            1 => PatternKind::Bind { name: self.local() },
            2 => PatternKind::Literal(self.literal()),
            3 => self.record_pattern(depth - 1),
            _ => PatternKind::Constructor {
                type_name: self.coin().then(|| self.type_name()),
                name: self.type_name(),
                head: NOWHERE,
                argument: (self.pick(3) > 0).then(|| self.pattern(depth - 1)),
            },
        };
        self.tree.add_pattern(NOWHERE, kind)
    }

    fn record_pattern(&mut self, depth: usize) -> PatternKind {
        let is_open = self.coin();
        let mut fields = Vec::new();
        for field in self.field_names(usize::from(!is_open)) {
            let pattern = self.coin().then(|| self.pattern(depth));
            fields.push(FieldPattern { field, pattern });
        }
        let fields = self.tree.add_field_patterns(fields);
        PatternKind::Record { fields, is_open }
    }

    fn ty(&mut self, depth: usize) -> TypeId {
        let kind = match if depth == 0 {
            self.pick(2)
        } else {
            self.pick(7)
        } {
            0 => TypeKind::Constructor {
                name: self.type_name(),
                arguments: List::EMPTY,
            },
            1 => TypeKind::Variable {
                name: self.type_variable(),
            },
            2 => {
                let name = self.type_name();
                let arguments: Vec<TypeId> =
                    (0..=self.pick(2)).map(|_| self.ty(depth - 1)).collect();
                let arguments = self.tree.add_type_ids(arguments);
                TypeKind::Constructor { name, arguments }
            }
            3 => TypeKind::Refined {
                binder: self.binder(),
                base: self.ty(depth - 1),
                predicate: self.predicate(3),
            },
            _ => TypeKind::Arrow {
                param: self.coin().then(|| self.binder()),
                domain: self.ty(depth - 1),
                row: self.row(),
                codomain: self.ty(depth - 1),
                arrow: NOWHERE,
            },
        };
        self.tree.add_type(NOWHERE, kind)
    }

    fn row(&mut self) -> Row {
        let bits = self.pick(32);
        let effects = Effect::ALL.into_iter().enumerate();
        let effects: Effects = effects
            .filter(|(place, _)| bits >> place & 1 == 1)
            .map(|(_, effect)| effect)
            .collect();
        let variable = (bits >= 16).then(|| self.type_variable());
        Row { effects, variable }
    }

    fn predicate(&mut self, depth: usize) -> PredicateId {
        let kind = match if depth == 0 {
            self.pick(2)
        } else {
            self.pick(7)
        } {
            0 => PredicateKind::Comparison {
                operator: self.comparison(),
                lhs: self.term(2),
                rhs: self.term(2),
            },
            1 => {
                let (function, arguments) = self.call(2);
                PredicateKind::Call {
                    function,
                    arguments,
                }
            }
            2 => PredicateKind::Not {
                operand: self.predicate(depth - 1),
            },
            3 => PredicateKind::Is {
                scrutinee: self.term(2),
                type_name: self.coin().then(|| self.type_name()),
                constructor: self.type_name(),
                head: NOWHERE,
                payload: self.coin().then(|| self.binder()),
            },
            shape => {
                let (lhs, rhs) = (self.predicate(depth - 1), self.predicate(depth - 1));
                match shape {
                    4 => PredicateKind::Implies { lhs, rhs },
                    5 => PredicateKind::Or { lhs, rhs },
                    _ => PredicateKind::And { lhs, rhs },
                }
            }
        };
        self.tree.add_predicate(NOWHERE, kind)
    }

    fn call(&mut self, depth: usize) -> (Ident, List<TermId>) {
        let function = Self::ident(self.word(&["x", "total", "forall"]));
        let arguments: Vec<TermId> = (0..=self.pick(2)).map(|_| self.term(depth - 1)).collect();
        (function, self.tree.add_term_ids(arguments))
    }

    fn term(&mut self, depth: usize) -> TermId {
        let kind = match if depth == 0 {
            self.pick(2)
        } else {
            self.pick(5)
        } {
            0 => TermKind::Path {
                root: self.word(&["x", "v"]),
                fields: self.fields(),
            },
            1 => TermKind::Literal(self.literal()),
            2 => {
                let (function, arguments) = self.call(depth);
                TermKind::Call {
                    function,
                    arguments,
                }
            }
            _ => {
                use ArithmeticOperator::{Add, Multiply, Subtract};
                TermKind::Arithmetic {
                    operator: [Add, Subtract, Multiply][self.pick(3)],
                    lhs: self.term(depth - 1),
                    rhs: self.term(depth - 1),
                }
            }
        };
        self.tree.add_term(NOWHERE, kind)
    }
}
