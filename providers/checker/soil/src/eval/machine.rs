//! Running code.

mod call;
mod guard;
mod guarding;
mod make;
mod operands;
mod primitive;
mod registers;
mod step;
mod world;

use std::rc::Rc;

use super::bounds::Bounds;
use super::code::{Source, Unit};
use super::raised::{Fault, Raised};
use super::world::{Capability, World};
use crate::values::{Captures, Exhausted, Forms, Meter, Value};
use guarding::Guarding;
use operands::Operands;
use registers::Registers;

/// How many entries of a trace are kept at each end.
const TRACE_ENDS: usize = 32;

/// Runs the code of a unit, one call at a time.
///
/// Between two calls nothing is kept but room: each begins with full bounds and without values of definitions.
#[derive(Debug)]
pub struct Machine<'u, 'p> {
    pub(super) unit: &'u Unit<'p>,
    pub(super) forms: Forms<'p>,
    pub(super) meter: Meter,
    pub(super) handles: Vec<Capability>,
    bounds: Bounds,
    world: Option<Box<dyn World>>,
    registers: Registers,
    /// The calls that wait, outermost first.
    frames: Vec<Frame>,
    /// What the functions of the waiting calls hold, beside them so that a frame is moved without being looked at.
    held: Vec<Option<Rc<Captures>>>,
    /// The arguments that wait for a function to be given back, outermost first.
    waiting: Vec<Vec<Value>>,
    current: Current,
    /// The values of definitions without parameters, by code.
    globals: Vec<Option<Value>>,
    guarding: Guarding,
    /// How often each clause was evaluated, in all runs of the machine.
    clause_counts: Vec<u64>,
    /// The value of the outermost call, where a call in its tail position gave it.
    outcome: Option<Value>,
}

/// The function that is running.
#[derive(Debug, Default)]
struct Current {
    code: u32,
    position: usize,
    captures: Option<Rc<Captures>>,
}

/// A call that waits for another one.
#[derive(Clone, Copy, Debug)]
struct Frame {
    code: u32,
    position: usize,
    base: usize,
    /// The register of the caller that gets the result.
    to: u32,
    then: Then,
}

/// What happens with a result beside going to its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Store,
    /// It is the value of a definition.
    Keep(u32),
    /// It is a function that takes the arguments that wait last.
    Apply,
    /// It is a function that takes the arguments that wait last, in place of the caller.
    TailApply,
}

impl<'u, 'p> Machine<'u, 'p> {
    /// Makes a machine that cannot reach the world.
    pub fn new(unit: &'u Unit<'p>, bounds: Bounds) -> Self {
        Self {
            unit,
            forms: unit.forms.clone(),
            meter: bounds.meter(),
            handles: Vec::new(),
            bounds,
            world: None,
            registers: Registers::default(),
            frames: Vec::new(),
            held: Vec::new(),
            waiting: Vec::new(),
            current: Current::default(),
            globals: Vec::new(),
            guarding: Guarding::default(),
            clause_counts: vec![0; unit.clauses.len()],
            outcome: None,
        }
    }

    /// Lets real capabilities reach a world.
    pub fn with_world(mut self, world: Box<dyn World>) -> Self {
        self.world = Some(world);
        self
    }

    /// Makes the machine as it was before it ran anything.
    pub fn reset(&mut self) {
        self.meter = self.bounds.meter();
        self.handles.clear();
        self.forget_calls();
        self.current.captures = None;
        self.globals.clear();
        self.globals.resize(self.unit.codes.len(), None);
        self.guarding = Guarding::default();
    }

    /// Sets how much fuel is left, where less is left than a run may take.
    pub fn limit_fuel(&mut self, fuel: u64) {
        self.meter.fuel = self.meter.fuel.min(fuel);
    }

    /// Gives how much fuel is left.
    pub const fn fuel_left(&self) -> u64 {
        self.meter.fuel
    }

    /// Lets a definition run without its own clauses, by its code.
    pub fn without_guard(&mut self, code: u32) {
        self.guarding.begin(code);
    }

    /// Lists the labels of clauses that no run of this machine has evaluated, in the order of the guards.
    pub fn unevaluated_clauses(&self) -> impl Iterator<Item = &str> {
        let clauses = self.unit.clauses.iter().zip(&self.clause_counts);
        let unevaluated = clauses.filter(|(_, count)| **count == 0);
        unevaluated.map(|(clause, _)| clause.label.as_str())
    }

    /// Gives the forms by which values of the unit are read and written.
    pub const fn forms(&mut self) -> &mut Forms<'p> {
        &mut self.forms
    }

    /// Makes an opaque value.
    pub(super) fn capability(&mut self, capability: Capability) -> Result<Value, Fault> {
        self.meter.make(1)?;
        Ok(self.given(capability))
    }

    /// Makes an opaque value that comes from outside and costs nothing.
    pub fn given(&mut self, capability: Capability) -> Value {
        let number = u32::try_from(self.handles.len()).unwrap_or(u32::MAX);
        self.handles.push(capability);
        Value::Handle(number)
    }

    /// Makes a fake out of the arguments of its builtin.
    ///
    /// # Errors
    /// When they have other types.
    pub fn faked(&mut self, name: &str, mut arguments: Vec<Value>) -> Result<Value, Raised> {
        let primitive = super::primitive::Primitive::builtin(name);
        let result = match primitive {
            Some(primitive) => {
                let arguments = super::primitive::Arguments(arguments.iter_mut());
                self.primitive(primitive, arguments)
            }
            None => Err(Fault::internal(format!("`{name}` is no builtin"))),
        };
        result.map_err(|fault| self.raised(fault))
    }

    pub(super) fn world(&mut self) -> Result<&mut dyn World, Fault> {
        match &mut self.world {
            Some(world) => Ok(&mut **world),
            None => Err(Fault::internal("no real capability can be reached here")),
        }
    }

    /// Calls what stands at an entry.
    ///
    /// # Errors
    /// What the program raised, or the bound that it reached.
    pub fn call(&mut self, entry: u32, arguments: Vec<Value>) -> Result<Value, Raised> {
        self.forget_calls();
        self.globals.resize(self.unit.codes.len(), None);
        let result = self.enter(entry, arguments);
        let result = result.and_then(|value| match value {
            Some(value) => Ok(value),
            None => self.run(),
        });
        result.map_err(|fault| self.raised(fault))
    }

    /// Drops what a run that raised has left.
    fn forget_calls(&mut self) {
        self.registers.forget();
        self.frames.clear();
        self.held.clear();
        self.waiting.clear();
    }

    /// Prepares the outermost call; gives its value where nothing has to run.
    fn enter(&mut self, entry: u32, arguments: Vec<Value>) -> Result<Option<Value>, Fault> {
        let code = &self.unit.codes[entry as usize];
        let arity = code.arity as usize;
        self.current = Current {
            code: entry,
            ..Current::default()
        };
        if arguments.len() < arity {
            return self.partial(Value::Definition(entry), arguments).map(Some);
        }
        if self.bounds.depth == 0 {
            return Err(Exhausted::Depth.into());
        }
        let mut arguments = arguments;
        let rest = arguments.split_off(arity);
        self.registers.place(0, arguments)?;
        self.registers.widen(code.registers)?;
        if !rest.is_empty() {
            self.waiting.push(rest);
            self.wait(0, Then::TailApply);
        }
        Ok(None)
    }

    /// Lets the running function wait for the call that is about to begin.
    #[inline]
    fn wait(&mut self, to: u32, then: Then) {
        self.held.push(self.current.captures.take());
        self.frames.push(Frame {
            code: self.current.code,
            position: self.current.position,
            base: self.registers.base,
            to,
            then,
        });
    }

    /// Counts the registers of the running frame.
    #[inline]
    fn register_count(&self) -> u32 {
        self.unit.codes[self.current.code as usize].registers
    }

    #[inline]
    fn read(&self, source: Source) -> &Value {
        let operands = Operands {
            constants: &self.unit.constants,
            registers: &self.registers,
            captures: self.current.captures.as_deref(),
        };
        operands.read(source)
    }

    /// Gives what instructions read together with what they spend, so that the meter is never copied.
    #[inline]
    fn operands(&mut self) -> (Operands<'_>, &mut Meter) {
        let operands = Operands {
            constants: &self.unit.constants,
            registers: &self.registers,
            captures: self.current.captures.as_deref(),
        };
        (operands, &mut self.meter)
    }

    /// Says where an error happened.
    #[cold]
    pub(super) fn raised(&mut self, fault: Fault) -> Raised {
        let mut codes: Vec<u32> = self.frames.iter().map(|frame| frame.code).collect();
        codes.push(self.current.code);
        let keeps_all = codes.len() <= 2 * TRACE_ENDS;
        let last = codes.len() - TRACE_ENDS.min(codes.len());
        let is_kept = |index: usize| keeps_all || index < TRACE_ENDS || index >= last;
        let kept = codes
            .iter()
            .enumerate()
            .filter(|(index, _)| is_kept(*index));
        let trace = kept.map(|(_, code)| self.owner(*code)).collect();
        self.guarded_fault(fault, trace)
    }

    fn owner(&self, code: u32) -> String {
        self.unit.codes[code as usize].owner.to_string()
    }
}
