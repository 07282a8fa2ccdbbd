//! Running code.

mod call;
mod guard;
mod step;

use std::rc::Rc;

use super::bounds::Bounds;
use super::code::{Source, SourceKind, Unit};
use super::raised::{Fault, Raised};
use super::world::{Capability, World};
use crate::values::{Captures, Exhausted, Forms, Meter, Value};
use guard::Guarding;

/// The most registers of all waiting calls together; past it calls nest too deeply.
///
/// Frames of ordinary functions are far smaller than what this leaves for each of the 20 000 that may wait.
const MAX_REGISTERS: usize = 4 << 20;

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
    /// The registers of all frames. Those behind the running one hold plain values that mean nothing.
    stack: Vec<Value>,
    /// The calls that wait, outermost first.
    frames: Vec<Frame>,
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
#[derive(Debug)]
struct Current {
    code: u32,
    position: usize,
    base: usize,
    captures: Option<Rc<Captures>>,
}

/// A call that waits for another one.
#[derive(Debug)]
struct Frame {
    caller: Current,
    /// The register of the caller that gets the result.
    to: u32,
    then: Then,
}

/// What happens with a result beside going to its register.
#[derive(Debug)]
enum Then {
    Store,
    /// It is the value of a definition.
    Keep(u32),
    /// It is a function that takes these arguments.
    Apply(Vec<Value>),
    /// It is a function that takes these arguments in place of the caller.
    TailApply(Vec<Value>),
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
            stack: Vec::new(),
            frames: Vec::new(),
            current: Current {
                code: 0,
                position: 0,
                base: 0,
                captures: None,
            },
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
        self.stack.clear();
        self.frames.clear();
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
        self.frames.clear();
        self.stack.clear();
        self.globals.resize(self.unit.codes.len(), None);
        let result = self.enter(entry, arguments);
        let result = result.and_then(|value| match value {
            Some(value) => Ok(value),
            None => self.run(),
        });
        result.map_err(|fault| self.raised(fault))
    }

    /// Prepares the outermost call; gives its value where nothing has to run.
    fn enter(&mut self, entry: u32, arguments: Vec<Value>) -> Result<Option<Value>, Fault> {
        let code = &self.unit.codes[entry as usize];
        let arity = code.arity as usize;
        self.current = Current {
            code: entry,
            position: 0,
            base: 0,
            captures: None,
        };
        if arguments.len() < arity {
            return self.partial(Value::Definition(entry), arguments).map(Some);
        }
        if self.bounds.depth == 0 {
            return Err(Exhausted::Depth.into());
        }
        let mut arguments = arguments;
        let rest = arguments.split_off(arity);
        self.place(0, arguments)?;
        self.widen(0, code.registers)?;
        if !rest.is_empty() {
            let caller = Current {
                code: entry,
                position: 0,
                base: 0,
                captures: None,
            };
            self.frames.push(Frame {
                caller,
                to: 0,
                then: Then::TailApply(rest),
            });
        }
        Ok(None)
    }

    /// Sees to it that a frame has as many registers as its code asks for.
    #[inline]
    fn widen(&mut self, base: usize, registers: u32) -> Result<(), Fault> {
        let len = base + registers as usize;
        if len > self.stack.len() {
            return self.grow(len);
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self, len: usize) -> Result<(), Fault> {
        if len > MAX_REGISTERS {
            return Err(Exhausted::Depth.into());
        }
        self.stack.resize_with(len, || Value::Unit);
        Ok(())
    }

    /// Drops what registers hold that are not read again.
    #[inline]
    fn clear(&mut self, start: usize, end: usize) {
        for value in &mut self.stack[start..end] {
            if !value.is_plain() {
                *value = Value::Unit;
            }
        }
    }

    /// Counts the registers of the running frame.
    #[inline]
    fn registers(&self) -> u32 {
        self.unit.codes[self.current.code as usize].registers
    }

    /// Puts values where a frame begins.
    fn place(&mut self, base: usize, values: Vec<Value>) -> Result<(), Fault> {
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        self.widen(base, count)?;
        for (place, value) in self.stack[base..].iter_mut().zip(values) {
            *place = value;
        }
        Ok(())
    }

    #[inline]
    fn read(&self, source: Source) -> &Value {
        match source.kind() {
            SourceKind::Register(index) => &self.stack[self.current.base + index as usize],
            SourceKind::Constant(index) => &self.unit.constants[index as usize],
            SourceKind::Capture(index) => match &self.current.captures {
                Some(captures) => &captures.values()[index as usize],
                None => &Value::Unit,
            },
        }
    }

    #[inline]
    fn set(&mut self, register: u32, value: Value) {
        let index = self.current.base + register as usize;
        let place = &mut self.stack[index];
        if place.is_plain() {
            // Saves the call that would find nothing to drop.
            std::mem::forget(std::mem::replace(place, value));
        } else {
            *place = value;
        }
    }

    #[inline]
    fn take(&mut self, register: u32) -> Value {
        let index = self.current.base + register as usize;
        std::mem::replace(&mut self.stack[index], Value::Unit)
    }

    /// Takes values that stand side by side.
    fn take_all(
        &mut self,
        start: u32,
        count: u32,
    ) -> impl Iterator<Item = Value> + use<'_, 'u, 'p> {
        let start = self.current.base + start as usize;
        let values = &mut self.stack[start..start + count as usize];
        values
            .iter_mut()
            .map(|value| std::mem::replace(value, Value::Unit))
    }

    /// Says where an error happened.
    #[cold]
    pub(super) fn raised(&mut self, fault: Fault) -> Raised {
        let mut codes: Vec<u32> = self.frames.iter().map(|frame| frame.caller.code).collect();
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
