//! Made programs that check: every definition is well-typed by construction.
//!
//! They use the types of the example project. The same seed gives the same texts.

use soil::print;
use soil::source::FileId;
use soil::syntax::{FileShape, Names, parse};
use soil::values::SplitMix64;

/// Gives the files of a made program, callee before caller, as path and canonical text.
pub(crate) fn files(seed: u64, count: usize) -> Vec<(String, String)> {
    let mut maker = Maker {
        random: SplitMix64::new(seed),
        made: Vec::new(),
        locals: Vec::new(),
        fresh: 0,
    };
    (0..count).map(|_| maker.file()).collect()
}

/// The types that expressions are made for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    I64,
    U64,
    F64,
    Bool,
    Utf8,
    Level,
    Reading,
    Item,
    Option(Box<Type>),
    List(Box<Type>),
}

const SCALARS: [Type; 5] = [Type::I64, Type::U64, Type::F64, Type::Bool, Type::Utf8];

impl Type {
    fn text(&self) -> String {
        match self {
            Self::Option(part) => format!("Option {}", part.atom()),
            Self::List(part) => format!("List {}", part.atom()),
            plain => format!("{plain:?}"),
        }
    }

    fn atom(&self) -> String {
        match self {
            Self::Option(_) | Self::List(_) => format!("({})", self.text()),
            _ => self.text(),
        }
    }
}

/// A definition that later ones may call.
struct Callee {
    name: String,
    params: Vec<Type>,
    result: Type,
}

const WORDS: [&str; 16] = [
    "amount", "balance", "counter", "distance", "element", "factor", "gauge", "height", "index",
    "journey", "kernel", "length", "measure", "number", "offset", "portion",
];

struct Maker {
    random: SplitMix64,
    made: Vec<Callee>,
    /// What is in scope, outermost first.
    locals: Vec<(String, Type)>,
    fresh: usize,
}

impl Maker {
    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).expect("a small number");
        usize::try_from(self.random.below(limit)).expect("it is below a small number")
    }

    fn name(&mut self) -> String {
        let word = WORDS[self.below(WORDS.len())];
        self.fresh += 1;
        format!("{word}_{}", self.fresh)
    }

    fn scalar(&mut self) -> Type {
        SCALARS[self.below(SCALARS.len())].clone()
    }

    fn any_type(&mut self) -> Type {
        match self.below(12) {
            0 => Type::Level,
            1 => Type::Reading,
            2 => Type::Item,
            3 | 4 => Type::Option(Box::new(self.scalar())),
            5 | 6 => Type::List(Box::new(self.scalar())),
            _ => self.scalar(),
        }
    }

    fn file(&mut self) -> (String, String) {
        let name = format!("made_{}", self.name());
        let count = 2 + self.below(3);
        let params: Vec<Type> = (0..count).map(|_| self.any_type()).collect();
        let result = self.any_type();
        self.locals = params.iter().map(|ty| (self.name(), ty.clone())).collect();
        let reads_clock = self.below(4) == 0;
        let mut signature = String::new();
        let mut head = name.clone();
        if reads_clock {
            signature.push_str("(clock : Clock) -> ");
            head.push_str(" clock");
        }
        for (position, (local, ty)) in self.locals.iter().enumerate() {
            let row = if reads_clock && position + 1 == count {
                "io "
            } else {
                ""
            };
            signature = format!("{signature}({local} : {}) -> {row}", ty.text());
            head = format!("{head} {local}");
        }
        let body = if reads_clock {
            let now = self.name();
            self.locals.push((now.clone(), Type::I64));
            format!("let {now} = clock_now clock in {}", self.expr(&result, 4))
        } else {
            self.expr(&result, 4)
        };
        let codomain = if reads_clock {
            result.atom()
        } else {
            result.text()
        };
        let text = format!("{name} : {signature}{codomain}\n{head} = {body}\n");
        if !reads_clock {
            self.made.push(Callee {
                name: name.clone(),
                params,
                result,
            });
        }
        (format!("made/{name}.soil"), canonical(&text))
    }

    /// Makes an expression that may take several lines, in parentheses where it is no atom.
    fn expr(&mut self, goal: &Type, depth: usize) -> String {
        match self.below(8) {
            _ if depth == 0 => self.leaf(goal),
            0 => self.choice(goal, depth),
            1 => self.option_match(goal, depth),
            2 => self.level_match(goal, depth),
            3 | 4 => self.binding(goal, depth),
            5 => self.local_function(goal, depth),
            _ => self.part(goal, depth),
        }
    }

    /// Makes an expression within another one, seldom one that begins with a keyword.
    fn part(&mut self, goal: &Type, depth: usize) -> String {
        match self.below(12) {
            _ if depth == 0 => self.leaf(goal),
            0..3 => self.leaf(goal),
            3..6 => self.call(goal, depth),
            6 => self.expr(goal, depth - 1),
            _ => self.operation(goal, depth),
        }
    }

    fn choice(&mut self, goal: &Type, depth: usize) -> String {
        let condition = self.part(&Type::Bool, depth - 1);
        let (first, second) = (self.expr(goal, depth - 1), self.expr(goal, depth - 1));
        format!("(if {condition} then {first} else {second})")
    }

    fn option_match(&mut self, goal: &Type, depth: usize) -> String {
        let part = self.scalar();
        let scrutinee = self.part(&Type::Option(Box::new(part.clone())), depth - 1);
        let none = self.expr(goal, depth - 1);
        let bound = self.name();
        let some = self.within(&bound, part, |maker| maker.expr(goal, depth - 1));
        format!("(match {scrutinee} with | None -> {none} | Some {bound} -> {some})")
    }

    fn level_match(&mut self, goal: &Type, depth: usize) -> String {
        let scrutinee = self.part(&Type::Level, depth - 1);
        let low = self.expr(goal, depth - 1);
        let other = self.expr(goal, depth - 1);
        if self.below(2) == 0 {
            return format!("(match {scrutinee} with | Low -> {low} | _ -> {other})");
        }
        let high = self.expr(goal, depth - 1);
        format!("(match {scrutinee} with | Low -> {low} | Normal -> {other} | High -> {high})")
    }

    fn binding(&mut self, goal: &Type, depth: usize) -> String {
        let ty = self.any_type();
        let value = self.expr(&ty, depth - 1);
        let bound = self.name();
        let body = self.within(&bound, ty, |maker| maker.expr(goal, depth - 1));
        format!("(let {bound} = {value} in {body})")
    }

    /// Makes a function and calls it, so that its parameter has one type.
    fn local_function(&mut self, goal: &Type, depth: usize) -> String {
        let (ty, result) = (self.scalar(), self.scalar());
        let (function, param) = (self.name(), self.name());
        let body = self.within(&param, ty.clone(), |maker| maker.expr(&result, depth - 1));
        let argument = self.part(&ty, depth - 1);
        let bound = self.name();
        let rest = self.within(&bound, result, |maker| maker.expr(goal, depth - 1));
        format!(
            "(let {function} = fun {param} -> {body} in let {bound} = {function} {argument} in {rest})"
        )
    }

    /// Calls a definition made before, or begins anew where none gives what is asked for.
    fn call(&mut self, goal: &Type, depth: usize) -> String {
        let fits: Vec<usize> = (0..self.made.len())
            .filter(|position| self.made[*position].result == *goal)
            .collect();
        if fits.is_empty() {
            return self.operation(goal, depth);
        }
        let callee = fits[self.below(fits.len())];
        let params = self.made[callee].params.clone();
        let mut text = self.made[callee].name.clone();
        for param in &params {
            text.push(' ');
            text.push_str(&self.part(param, depth - 1));
        }
        format!("({text})")
    }

    /// Makes an expression whose form depends on its type.
    fn operation(&mut self, goal: &Type, depth: usize) -> String {
        let below = depth - 1;
        let pick = self.below(4);
        let mut part = |ty: Type| self.part(&ty, below);
        match (goal, pick) {
            (Type::I64, 0) => format!("(list_len {})", part(Type::List(Box::new(Type::I64)))),
            (Type::I64, 1) => format!("(utf8_len {})", part(Type::Utf8)),
            (Type::I64 | Type::U64 | Type::F64, 2) => {
                format!("({} * {})", part(goal.clone()), part(goal.clone()))
            }
            (Type::I64 | Type::U64 | Type::F64, _) => {
                format!("({} + {})", part(goal.clone()), part(goal.clone()))
            }
            (Type::Bool, 0) => format!("(not {})", part(Type::Bool)),
            (Type::Bool, 1) => format!("({} and {})", part(Type::Bool), part(Type::Bool)),
            (Type::Bool, 2) => format!("({} < {})", part(Type::I64), part(Type::I64)),
            (Type::Bool, _) => format!("({} == {})", part(Type::Utf8), part(Type::Utf8)),
            (Type::Utf8, 0) => format!("(utf8_trim {})", part(Type::Utf8)),
            (Type::Utf8, _) => format!("(utf8_concat {} {})", part(Type::Utf8), part(Type::Utf8)),
            (Type::Level, _) => format!("(if {} then High else Low)", part(Type::Bool)),
            (Type::Reading, _) => {
                format!(
                    "{{ sensor = {}, value = {} }}",
                    part(Type::Utf8),
                    part(Type::F64)
                )
            }
            (Type::Item, _) => {
                format!(
                    "{{ sku = {}, units = {} }}",
                    part(Type::Utf8),
                    part(Type::U64)
                )
            }
            (Type::Option(of), _) => format!("(Some {})", part((**of).clone())),
            (Type::List(of), 0) => self.mapped(of, below),
            (Type::List(of), _) => {
                format!(
                    "(list_append {} {})",
                    part(goal.clone()),
                    part((**of).clone())
                )
            }
        }
    }

    fn mapped(&mut self, of: &Type, depth: usize) -> String {
        let from = self.scalar();
        let param = self.name();
        let body = self.within(&param, from.clone(), |maker| maker.part(of, depth));
        let items = self.part(&Type::List(Box::new(from)), depth);
        format!("(list_map (fun {param} -> {body}) {items})")
    }

    fn leaf(&mut self, goal: &Type) -> String {
        let mut found: Vec<String> = Vec::new();
        for (name, ty) in &self.locals {
            match (ty, goal) {
                (ty, goal) if ty == goal => found.push(name.clone()),
                (Type::Reading, Type::Utf8) => found.push(format!("{name}.sensor")),
                (Type::Reading, Type::F64) => found.push(format!("{name}.value")),
                (Type::Item, Type::Utf8) => found.push(format!("{name}.sku")),
                (Type::Item, Type::U64) => found.push(format!("{name}.units")),
                _ => {}
            }
        }
        if !found.is_empty() && self.below(4) != 0 {
            return found.swap_remove(self.below(found.len()));
        }
        self.literal(goal)
    }

    fn literal(&mut self, goal: &Type) -> String {
        let number = 1 + self.below(99);
        match goal {
            Type::I64 | Type::U64 => number.to_string(),
            Type::F64 => format!("{number}.5"),
            Type::Bool => ["True", "False"][number % 2].to_owned(),
            Type::Utf8 => format!("\"{}\"", WORDS[number % WORDS.len()]),
            Type::Level => ["Low", "Normal", "High"][number % 3].to_owned(),
            Type::Reading => format!("{{ sensor = \"s{number}\", value = {number}.0 }}"),
            Type::Item => format!("{{ sku = \"s{number}\", units = {number} }}"),
            Type::Option(_) => format!("(None : {})", goal.text()),
            Type::List(_) => format!("(list_empty : {})", goal.text()),
        }
    }

    fn within(&mut self, name: &str, ty: Type, build: impl FnOnce(&mut Self) -> String) -> String {
        self.locals.push((name.to_owned(), ty));
        let made = build(self);
        self.locals.pop();
        made
    }
}

fn canonical(text: &str) -> String {
    let mut names = Names::new();
    let parsed = parse(FileId::new(0), text.as_bytes(), FileShape::Free, &mut names);
    assert!(
        parsed.diagnostics.is_empty(),
        "{text}\n{:?}",
        parsed.diagnostics
    );
    print::file(&parsed.tree, &names)
}

#[test]
fn what_is_made_checks() {
    let texts = crate::corpus::whole(1, 60);
    let program = soil::program::Program::read(&texts).expect("the types make sense");
    let judged = crate::project::checked(&program);
    let found = judged.diagnostics.clone().into_sorted();
    assert!(
        found.is_empty(),
        "{:#?}",
        crate::project::shown(&program, &found)
    );
}
