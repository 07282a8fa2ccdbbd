//! From checked trees to code.

mod call;
mod condition;
mod expr;
mod free;
mod function;
mod guard;
mod liveness;
mod lookup;
mod pattern;
mod record;

use std::rc::Rc;

use hashbrown::HashMap;

use super::code::{ClauseCode, Code, Source, Unit};
use super::prelude::checked_prelude;
use super::primitive::Primitive;
use crate::check::{Checked, Facts};
use crate::environment::{Environment, Field, TypeId};
use crate::names::Referents;
use crate::program::{DefinitionId, Program};
use crate::source::FileId;
use crate::syntax::Tree;
use crate::types::ClosedType;
use crate::values::{FormId, Forms, Value};
use function::Function;

/// Where the parts of a program come from: the program itself or the prelude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    Program,
    Prelude,
}

/// What is being made.
struct Compiler<'c, 'p> {
    checked: &'c Checked<'p>,
    prelude: &'static Checked<'static>,
    codes: Vec<Option<Code>>,
    entries: HashMap<(Origin, DefinitionId), Entry>,
    constants: Vec<Value>,
    /// Where small constants stand, so that each is kept once.
    known: HashMap<(u8, u64), Source>,
    primitives: Vec<Primitive>,
    switches: Vec<Vec<u32>>,
    lists: Vec<Vec<u32>>,
    clauses: Vec<ClauseCode>,
    forms: Forms<'p>,
}

/// What a call of a definition runs.
#[derive(Clone, Copy, Debug)]
struct Entry {
    code: u32,
    arity: u32,
}

/// The tree that a definition stands in, with what is known of it.
#[derive(Clone, Copy)]
struct Part<'c> {
    origin: Origin,
    file: FileId,
    program: &'c Program,
    tree: &'c Tree,
    referents: &'c Referents,
    facts: &'c Facts,
}

impl<'p> Unit<'p> {
    /// Makes the code of all definitions of a program, in which nothing was reported.
    ///
    /// Of a program in which something was reported the sound definitions run; the others end as if they had a hole.
    pub fn compile(checked: &Checked<'p>) -> Self {
        let program = checked.program;
        let mut compiler = Compiler {
            checked,
            prelude: checked_prelude(),
            codes: Vec::new(),
            entries: HashMap::new(),
            constants: Vec::new(),
            known: HashMap::new(),
            primitives: Vec::new(),
            switches: Vec::new(),
            lists: Vec::new(),
            clauses: Vec::new(),
            forms: Forms::new(&program.environment, &program.names),
        };
        compiler.number_definitions();
        compiler.definitions();
        compiler.finish()
    }

    /// Gives what runs when a definition is called.
    pub fn entry(&self, id: DefinitionId) -> Option<u32> {
        self.entries.get(id.index()).copied().flatten()
    }
}

impl<'c, 'p> Compiler<'c, 'p> {
    const fn checked_of(&self, origin: Origin) -> &'c Checked<'c>
    where
        'p: 'c,
    {
        match origin {
            Origin::Program => self.checked,
            Origin::Prelude => self.prelude,
        }
    }

    fn part(&self, origin: Origin, id: DefinitionId) -> Part<'c> {
        let checked = self.checked_of(origin);
        let file = checked.program[id].file;
        Part {
            origin,
            file: checked.program.files[file].id,
            program: checked.program,
            tree: &checked.program.files[file].tree,
            referents: &checked.referents[file],
            facts: &checked.facts[file],
        }
    }

    fn environment(&self) -> &'p Environment {
        self.forms.environment()
    }

    /// Gives each definition that runs the number of its code; a guarded one has its body behind it.
    fn number_definitions(&mut self) {
        for origin in [Origin::Prelude, Origin::Program] {
            let checked = self.checked_of(origin);
            for definition in checked.definitions.iter().chain(&checked.lowered) {
                let id = definition.id;
                let params = self.checked_of(origin).program.written(id).params;
                let code = self.reserve();
                let mut arity = count(params.len());
                if let Some(guard) = self.guard_of(origin, id) {
                    arity = guard;
                }
                self.entries.insert((origin, id), Entry { code, arity });
            }
        }
    }

    fn definitions(&mut self) {
        for origin in [Origin::Prelude, Origin::Program] {
            let checked = self.checked_of(origin);
            for definition in checked.definitions.iter().chain(&checked.lowered) {
                let id = definition.id;
                let entry = self.entries[&(origin, id)];
                if self.guard_of(origin, id).is_some() {
                    self.guarded(id, entry);
                } else {
                    self.definition(origin, id, entry.code);
                }
            }
        }
    }

    /// Makes the code of a definition as it is written.
    fn definition(&mut self, origin: Origin, id: DefinitionId, code: u32) {
        let part = self.part(origin, id);
        let written = *part.program.written(id);
        let owner = owner(part.program, id);
        let mut function = Function::new(self, part, owner);
        for (local, _) in part.tree.params(written.params) {
            let register = function.register();
            function.bind(local, Source::register(register));
        }
        let arity = count(written.params.len());
        function.tail(written.body);
        let made = function.finish(arity);
        self.codes[code as usize] = Some(made);
    }

    fn reserve(&mut self) -> u32 {
        self.codes.push(None);
        count(self.codes.len() - 1)
    }

    fn constant(&mut self, value: Value) -> Source {
        let key = match &value {
            Value::Signed(value) => Some((0, u64::from_ne_bytes(value.to_ne_bytes()))),
            Value::Unsigned(value) => Some((1, *value)),
            Value::Float(value) => Some((2, value.to_bits())),
            Value::Tag(tag) => Some((3, u64::from(*tag))),
            Value::Definition(code) => Some((4, u64::from(*code))),
            Value::Builtin(number) => Some((5, u64::from(*number))),
            _ => None,
        };
        if let Some(source) = key.and_then(|key| self.known.get(&key)) {
            return *source;
        }
        self.constants.push(value);
        let source = Source::constant(count(self.constants.len() - 1));
        if let Some(key) = key {
            self.known.insert(key, source);
        }
        source
    }

    fn primitive(&mut self, primitive: Primitive) -> u32 {
        let found = self.primitives.iter().position(|known| *known == primitive);
        let index = found.unwrap_or_else(|| {
            self.primitives.push(primitive);
            self.primitives.len() - 1
        });
        count(index)
    }

    /// Gives the form of a type that the checker found.
    fn form(&mut self, origin: Origin, closed: ClosedType) -> FormId {
        let (id, arguments) = self.checked_of(origin).closed.get(closed);
        let arguments = arguments.iter();
        let arguments: Vec<FormId> = arguments.map(|inner| self.form(origin, *inner)).collect();
        self.forms.of_type(id, &arguments)
    }

    fn finish(self) -> Unit<'p> {
        let program = self.checked.program;
        let mut entries = vec![None; program.definitions().count()];
        for ((origin, id), entry) in &self.entries {
            if *origin == Origin::Program {
                entries[id.index()] = Some(entry.code);
            }
        }
        let codes = self.codes.into_iter();
        let codes = codes.map(|code| code.expect("each number that was given has its code"));
        Unit {
            codes: codes.collect(),
            constants: self.constants,
            primitives: self.primitives,
            switches: self.switches,
            lists: self.lists,
            clauses: self.clauses,
            forms: self.forms,
            entries,
        }
    }
}

/// Gives the fields of a record; none of anything else.
fn owner_fields(environment: &Environment, id: TypeId) -> &[Field] {
    environment.record_fields(id).unwrap_or_default()
}

/// Gives `module::name`.
fn owner(program: &Program, id: DefinitionId) -> Rc<str> {
    let definition = &program[id];
    let (module, name) = (
        &program.names[definition.module],
        &program.names[definition.name],
    );
    Rc::from(format!("{module}::{name}"))
}

fn count(len: usize) -> u32 {
    u32::try_from(len).expect("code in memory has fewer than 2^32 parts")
}
