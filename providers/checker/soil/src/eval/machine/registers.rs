//! Registers.

use std::mem::{self, ManuallyDrop};

use crate::eval::raised::Fault;
use crate::values::{Exhausted, Value};

/// The most registers of all waiting calls together; past it calls nest too deeply.
///
/// Frames of ordinary functions are far smaller than what this leaves for each of the 20 000 that may wait.
const MAX_REGISTERS: usize = 4 << 20;

/// The registers of all frames.
///
/// A register is written in two halves, and a processor waits when both are then read at once. So what moves values here moves
/// them in the same halves: it looks at the commonest kind by itself, and keeps a value free of clean-up until it is stored.
#[derive(Debug, Default)]
pub(super) struct Registers {
    /// Those behind the running frame hold plain values that mean nothing.
    values: Vec<Value>,
    /// Where the running frame begins.
    pub(super) base: usize,
}

impl Registers {
    /// Sees to it that the running frame has as many registers as its code asks for.
    #[inline]
    pub(super) fn widen(&mut self, count: u32) -> Result<(), Fault> {
        let len = self.base + count as usize;
        if len > self.values.len() {
            return self.grow(len);
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self, len: usize) -> Result<(), Fault> {
        if len > MAX_REGISTERS {
            return Err(Exhausted::Depth.into());
        }
        self.values.resize_with(len, || Value::Unit);
        Ok(())
    }

    /// Drops all that is held, but keeps the room.
    pub(super) fn forget(&mut self) {
        self.values.clear();
        self.base = 0;
    }

    #[inline]
    pub(super) fn get(&self, register: u32) -> &Value {
        &self.values[self.base + register as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, register: u32, value: Value) {
        let value = ManuallyDrop::new(value);
        let place = &mut self.values[self.base + register as usize];
        put(place, ManuallyDrop::into_inner(value));
    }

    /// Takes a value out of a register that is not read again.
    #[inline]
    pub(super) fn take(&mut self, register: u32) -> Value {
        out(&mut self.values[self.base + register as usize])
    }

    /// Brings values that stand side by side to where the frame begins.
    #[inline]
    pub(super) fn bring(&mut self, start: u32, count: u32) {
        let (start, count) = (start as usize, count as usize);
        let frame = &mut self.values[self.base..];
        // Where the two ranges overlap, each value is taken before its place is needed.
        let frame = &mut frame[..start + count];
        for index in 0..count {
            let value = out(&mut frame[start + index]);
            put(&mut frame[index], value);
        }
    }

    /// Takes values that stand side by side.
    pub(super) fn take_all(
        &mut self,
        start: u32,
        count: u32,
    ) -> impl Iterator<Item = Value> + use<'_> {
        let start = self.base + start as usize;
        let values = &mut self.values[start..start + count as usize];
        values
            .iter_mut()
            .map(|value| mem::replace(value, Value::Unit))
    }

    /// Drops what registers hold that are not read again.
    #[inline]
    pub(super) fn clear(&mut self, start: u32, end: u32) {
        let (start, end) = (self.base + start as usize, self.base + end as usize);
        for value in &mut self.values[start..end] {
            if !value.is_plain() {
                empty(value);
            }
        }
    }

    /// Puts values side by side.
    pub(super) fn place(&mut self, start: u32, values: Vec<Value>) -> Result<(), Fault> {
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        self.widen(start.saturating_add(count))?;
        let start = self.base + start as usize;
        for (place, value) in self.values[start..].iter_mut().zip(values) {
            *place = value;
        }
        Ok(())
    }
}

/// Puts a value into a register.
#[inline]
fn put(place: &mut Value, value: Value) {
    let value = ManuallyDrop::new(value);
    if !place.is_plain() {
        empty(place);
    }
    // What was there is plain, so that nothing is lost.
    mem::forget(mem::replace(place, ManuallyDrop::into_inner(value)));
}

/// Takes a value out of a register that is not read again.
#[inline]
fn out(place: &mut Value) -> Value {
    match place {
        Value::Signed(number) => Value::Signed(*number),
        other => mem::replace(other, Value::Unit),
    }
}

/// Drops what a register holds.
fn empty(place: &mut Value) {
    *place = Value::Unit;
}
